//! Products of 8-bit activations and 8-bit weights.
//!
//! Sums are integers, so that every kernel gives the same result.

#![expect(
    clippy::inline_always,
    reason = "a function is compiled for the instructions of its caller"
)]

use super::weights::Matrix;

/// Tokens multiplied together: their sums and the weights fit into registers.
pub(super) const TOKENS: usize = 4;

/// Sums of [`TOKENS`] tokens for 32 outputs.
pub(super) type Tile = [[[i32; 16]; 2]; TOKENS];

/// A few tokens: four components in each number, the first in its lowest byte.
#[derive(Clone, Copy)]
pub(super) struct TokenGroup<'a> {
    tokens: [&'a [i32]; TOKENS],
    /// Sum of the components of each token.
    #[cfg(target_arch = "x86_64")]
    sums: &'a [i32; TOKENS],
}

/// Activations rounded to multiples of the largest component of a token over 127.
#[derive(Default)]
pub(super) struct Activations {
    width: usize,
    components: Vec<i32>,
    scales: Vec<f32>,
    sums: Vec<i32>,
}

/// A float of this size has no fraction; its lowest byte is the integer added to it.
const ROUNDING: f32 = 12_582_912.0;

impl Activations {
    /// Rounds rows of `width` floats.
    #[inline(always)]
    pub(super) fn set(&mut self, width: usize, rows: &[f32]) {
        self.width = width;
        self.components.resize(rows.len() / 4, 0);
        self.scales.clear();
        self.sums.clear();
        let quantised = self.components.chunks_exact_mut(width / 4);
        for (row, components) in rows.chunks_exact(width).zip(quantised) {
            let mut largest = [f32::MIN_POSITIVE; 16];
            for lanes in row.as_chunks::<16>().0 {
                for (largest, number) in largest.iter_mut().zip(lanes) {
                    let number = number.abs();
                    *largest = if number > *largest { number } else { *largest };
                }
            }
            let largest = largest.into_iter().fold(0.0, f32::max);
            let factor = 127.0 / largest;
            let mut sum = 0;
            for (components, numbers) in components.iter_mut().zip(row.as_chunks::<4>().0) {
                let mut bytes = [0; 4];
                for (byte, number) in bytes.iter_mut().zip(numbers) {
                    *byte = (number * factor + ROUNDING).to_bits() as u8;
                    sum += i32::from(byte.cast_signed());
                }
                *components = i32::from_le_bytes(bytes);
            }
            self.scales.push(largest / 127.0);
            self.sums.push(sum);
        }
    }

    /// Writes the outputs of `matrix` for each token. `tile` multiplies a few tokens with 32 outputs.
    #[inline(always)]
    pub(super) fn multiply(
        &self,
        matrix: &Matrix,
        tile: impl Fn(TokenGroup<'_>, [&[[i8; 64]]; 2]) -> Tile,
        out: &mut [f32],
    ) {
        let steps = self.width / 4;
        let outputs = matrix.outputs();
        let mut decoded = Vec::new();
        for pair in 0..outputs / 32 {
            let tiles = matrix.tiles(pair, &mut decoded);
            let first = pair * 32;
            let (scales, biases) = (
                &matrix.scales[first..first + 32],
                &matrix.biases[first..first + 32],
            );
            let (left, right) = tiles.split_at(steps);
            for (block, sums) in self.sums.as_chunks::<TOKENS>().0.iter().enumerate() {
                let at = block * TOKENS;
                let group = TokenGroup {
                    tokens: std::array::from_fn(|t| &self.components[(at + t) * steps..][..steps]),
                    #[cfg(target_arch = "x86_64")]
                    sums,
                };
                for (t, products) in tile(group, [left, right]).iter().enumerate() {
                    let scale = self.scales[at + t];
                    let out = &mut out[(at + t) * outputs + first..][..32];
                    let products = products.as_flattened();
                    for lane in 0..32 {
                        out[lane] = products[lane] as f32 * (scale * scales[lane].get())
                            + biases[lane].get();
                    }
                }
            }
        }
    }
}

/// Multiplies without special instructions.
pub(super) fn portable_tile(group: TokenGroup<'_>, tiles: [&[[i8; 64]]; 2]) -> Tile {
    let products = |token: &[i32], tiles: &[[i8; 64]]| {
        let mut sums = [0; 16];
        for (input, tile) in token.iter().zip(tiles) {
            for (sum, weights) in sums.iter_mut().zip(tile.as_chunks::<4>().0) {
                for (a, b) in input.to_le_bytes().into_iter().zip(weights) {
                    *sum += i32::from(a.cast_signed()) * i32::from(*b);
                }
            }
        }
        sums
    };
    group
        .tokens
        .map(|token| tiles.map(|tiles| products(token, tiles)))
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_abs_epi8, _mm256_add_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
        _mm256_maddubs_epi16, _mm256_set1_epi16, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_sign_epi8, _mm256_storeu_si256, _mm512_dpbusd_epi32, _mm512_loadu_si512,
        _mm512_set1_epi8, _mm512_set1_epi32, _mm512_storeu_si512, _mm512_xor_si512,
    };

    use crate::embed::encoder::matmul::{TOKENS, Tile, TokenGroup};

    /// Multiplies 64 pairs per instruction.
    ///
    /// One factor of the instruction is unsigned: weights have 128 added, which the sums start without.
    #[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
    #[inline]
    pub(in crate::embed::encoder) fn vnni_tile(
        group: TokenGroup<'_>,
        [left, right]: [&[[i8; 64]]; 2],
    ) -> Tile {
        let mut sums = [[_mm512_set1_epi32(0); 2]; TOKENS];
        for (sums, sum) in sums.iter_mut().zip(group.sums) {
            *sums = [_mm512_set1_epi32(sum * -128); 2];
        }
        let flip = _mm512_set1_epi8(-128);
        let [a, b, c, d] = group.tokens;
        let inputs = a.iter().zip(b).zip(c).zip(d);
        for ((((a, b), c), d), (left, right)) in inputs.zip(left.iter().zip(right)) {
            let weights = [
                _mm512_xor_si512(load_512(left), flip),
                _mm512_xor_si512(load_512(right), flip),
            ];
            for (sums, input) in sums.iter_mut().zip([a, b, c, d]) {
                let input = _mm512_set1_epi32(*input);
                for (sum, weights) in sums.iter_mut().zip(weights) {
                    *sum = _mm512_dpbusd_epi32(*sum, weights, input);
                }
            }
        }
        let mut all = Tile::default();
        for (all, sums) in all.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
            // SAFETY: 64 bytes.
            #[expect(unsafe_code, reason = "a store takes a pointer")]
            #[expect(clippy::cast_ptr_alignment, reason = "this store asks for none")]
            unsafe {
                _mm512_storeu_si512(all.as_mut_ptr().cast::<__m512i>(), *sums);
            }
        }
        all
    }

    /// Multiplies 32 pairs per instruction.
    ///
    /// One factor of the instruction is unsigned, so the sign of a weight moves to the other one; two
    /// products of at most 127 × 127 fit into 16 bits.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(in crate::embed::encoder) fn avx2_tile(
        group: TokenGroup<'_>,
        tiles: [&[[i8; 64]]; 2],
    ) -> Tile {
        let mut all = Tile::default();
        let ones = _mm256_set1_epi16(1);
        let [a, b, c, d] = group.tokens;
        for (block, tiles) in tiles.into_iter().enumerate() {
            let mut sums = [[_mm256_setzero_si256(); 2]; TOKENS];
            let inputs = a.iter().zip(b).zip(c).zip(d);
            for ((((a, b), c), d), tile) in inputs.zip(tiles) {
                let (halves, _) = tile.as_chunks::<32>();
                let weights = [load_256(&halves[0]), load_256(&halves[1])];
                let sizes = [_mm256_abs_epi8(weights[0]), _mm256_abs_epi8(weights[1])];
                for (sums, input) in sums.iter_mut().zip([a, b, c, d]) {
                    let input = _mm256_set1_epi32(*input);
                    for half in 0..2 {
                        let signed = _mm256_sign_epi8(input, weights[half]);
                        let pair_sums = _mm256_maddubs_epi16(sizes[half], signed);
                        let products = _mm256_madd_epi16(pair_sums, ones);
                        sums[half] = _mm256_add_epi32(sums[half], products);
                    }
                }
            }
            for (all, sums) in all.iter_mut().zip(sums) {
                let (halves, _) = all[block].as_chunks_mut::<8>();
                for (half, sum) in halves.iter_mut().zip(sums) {
                    // SAFETY: 32 bytes.
                    #[expect(unsafe_code, reason = "a store takes a pointer")]
                    #[expect(clippy::cast_ptr_alignment, reason = "this store asks for none")]
                    unsafe {
                        _mm256_storeu_si256(half.as_mut_ptr().cast::<__m256i>(), sum);
                    }
                }
            }
        }
        all
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn load_512(tile: &[i8; 64]) -> __m512i {
        // SAFETY: 64 bytes.
        #[expect(unsafe_code, reason = "a load takes a pointer")]
        #[expect(clippy::cast_ptr_alignment, reason = "this load asks for none")]
        unsafe {
            _mm512_loadu_si512(tile.as_ptr().cast::<__m512i>())
        }
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn load_256(half: &[i8; 32]) -> __m256i {
        // SAFETY: 32 bytes.
        #[expect(unsafe_code, reason = "a load takes a pointer")]
        #[expect(clippy::cast_ptr_alignment, reason = "this load asks for none")]
        unsafe {
            _mm256_loadu_si256(half.as_ptr().cast::<__m256i>())
        }
    }
}

//! The inner loop: dot products of one quantised vector with many.
//!
//! Sums are integers, so that every kernel gives bit-identical cosines.

use super::quantized::{QuantizedVector, clamp_cosine, component_sum};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// 32 components at a time, on any x86-64 processor of the last ten years.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// A plain loop, vectorised by the compiler.
    Portable,
}

impl Kernel {
    /// Returns the best kernel for this processor.
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Portable
    }

    /// Writes the cosine of `query` with each of `rows`, of the same width, to `cosines`.
    pub(super) fn cosines<'r>(
        self,
        query: QuantizedVector<'_>,
        rows: impl Iterator<Item = QuantizedVector<'r>>,
        cosines: &mut [f32],
    ) {
        self.compare::<false>(query, rows.map(|row| (row, 0)), cosines);
    }

    /// As [`Kernel::cosines`]; with `SUMMED` also returns whether the bytes of every row match its sum.
    pub(super) fn compare<'r, const SUMMED: bool>(
        self,
        query: QuantizedVector<'_>,
        rows: impl Iterator<Item = (QuantizedVector<'r>, u32)>,
        cosines: &mut [f32],
    ) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                // SAFETY: this variant exists only on processors with AVX2.
                #[expect(unsafe_code, reason = "instructions that not every processor has")]
                unsafe {
                    avx2::compare::<SUMMED>(query, rows, cosines)
                }
            }
            Self::Portable => {
                let mut differing = 0;
                for ((row, expected), cosine) in rows.zip(cosines) {
                    let product = dot(query.components, row.components);
                    *cosine = clamp_cosine(product as f32 * (query.scale * row.scale));
                    if SUMMED {
                        differing |= component_sum(row.components) ^ expected;
                    }
                }
                differing == 0
            }
        }
    }

    /// Returns the cosine of two vectors.
    pub(super) fn cosine(self, a: QuantizedVector<'_>, b: QuantizedVector<'_>) -> f32 {
        let mut cosine = [0.0];
        self.cosines(a, std::iter::once(b), &mut cosine);
        cosine[0]
    }
}

fn dot(a: &[i8], b: &[i8]) -> i32 {
    let products = a.iter().zip(b);
    products.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_abs_epi8,
        _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_sad_epu8, _mm256_set1_epi16,
        _mm256_setzero_si256, _mm256_sign_epi8,
    };

    use super::{QuantizedVector, clamp_cosine};

    #[target_feature(enable = "avx2")]
    pub(super) fn compare<'r, const SUMMED: bool>(
        query: QuantizedVector<'_>,
        rows: impl Iterator<Item = (QuantizedVector<'r>, u32)>,
        cosines: &mut [f32],
    ) -> bool {
        let (components, _) = query.components.as_chunks::<32>();
        let mut differing = 0;
        for ((row, expected), cosine) in rows.zip(cosines) {
            let [product, sum] = dot::<SUMMED>(components, row.components);
            *cosine = clamp_cosine(product as f32 * (query.scale * row.scale));
            if SUMMED {
                differing |= sum as u32 ^ expected;
            }
        }
        differing == 0
    }

    /// Returns the dot product, and with `SUMMED` the sum of the bytes of `row`.
    ///
    /// `maddubs` takes its first factor unsigned, so the sign moves to the other one; two products of at most
    /// 128 × 127 fit into 16 bits.
    #[target_feature(enable = "avx2")]
    fn dot<const SUMMED: bool>(query: &[[i8; 32]], row: &[i8]) -> [i32; 2] {
        let (row, _) = row.as_chunks::<32>();
        let ones = _mm256_set1_epi16(1);
        let zero = _mm256_setzero_si256();
        let (mut sums, mut bytes) = (zero, zero);
        for (query, row) in query.iter().zip(row) {
            // SAFETY: each is 32 bytes.
            #[expect(unsafe_code, reason = "a load takes a pointer")]
            #[expect(clippy::cast_ptr_alignment, reason = "this load asks for none")]
            let (query, row) = unsafe {
                (
                    _mm256_loadu_si256(query.as_ptr().cast::<__m256i>()),
                    _mm256_loadu_si256(row.as_ptr().cast::<__m256i>()),
                )
            };
            let signed = _mm256_sign_epi8(query, row);
            let products = _mm256_maddubs_epi16(_mm256_abs_epi8(row), signed);
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(products, ones));
            if SUMMED {
                bytes = _mm256_add_epi32(bytes, _mm256_sad_epu8(row, zero));
            }
        }
        [sums, bytes].map(|lanes| total(lanes))
    }

    #[target_feature(enable = "avx2")]
    fn total(sums: __m256i) -> i32 {
        let half = _mm_add_epi32(
            _mm256_castsi256_si128(sums),
            _mm256_extracti128_si256::<1>(sums),
        );
        let pairs = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
        let sum = _mm_add_epi32(pairs, _mm_shuffle_epi32::<0b10_11_00_01>(pairs));
        _mm_cvtsi128_si32(sum)
    }
}

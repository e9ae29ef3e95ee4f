//! The inner loop: the products of one small vector with many rows.
//!
//! A row is its numbers, each a byte with a sign, its scale, and what else belongs to it. The sums are
//! whole numbers, so that every kernel gives the same cosines to the last bit.

use super::query::{scale, within};

/// With which instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kernel {
    /// 32 numbers at a time, on any x86-64 processor of the last ten years.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What the compiler makes of a plain loop.
    Portable,
}

impl Kernel {
    /// Returns the best one for this processor.
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Portable
    }

    /// Writes the cosine of `query`, whose numbers are steps of `step`, with each of `rows` to
    /// `cosines`; `query` is as wide as the rows' numbers, a multiple of 32.
    pub(super) fn cosines<'r>(
        self,
        query: &[u8],
        step: f32,
        rows: impl Iterator<Item = &'r [u8]>,
        cosines: &mut [f32],
    ) {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                // SAFETY: it is only made where the processor has AVX2.
                #[expect(unsafe_code, reason = "instructions that not every processor has")]
                unsafe {
                    avx2::cosines(query, step, rows, cosines);
                }
            }
            Self::Portable => {
                for (row, cosine) in rows.zip(cosines) {
                    let (numbers, rest) = row.split_at(query.len());
                    *cosine = within(dot(query, numbers) as f32 * (step * scale(rest)));
                }
            }
        }
    }
}

fn dot(query: &[u8], numbers: &[u8]) -> i32 {
    let products = query.iter().zip(numbers);
    products
        .map(|(a, b)| i32::from(*a as i8) * i32::from(*b as i8))
        .sum()
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm_add_epi32, _mm_cvtsi128_si32, _mm_shuffle_epi32, _mm256_abs_epi8,
        _mm256_add_epi32, _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_loadu_si256,
        _mm256_madd_epi16, _mm256_maddubs_epi16, _mm256_set1_epi16, _mm256_setzero_si256,
        _mm256_sign_epi8,
    };

    use super::{scale, within};

    #[target_feature(enable = "avx2")]
    pub(super) fn cosines<'r>(
        query: &[u8],
        step: f32,
        rows: impl Iterator<Item = &'r [u8]>,
        cosines: &mut [f32],
    ) {
        let (query, _) = query.as_chunks::<32>();
        for (row, cosine) in rows.zip(cosines) {
            let (numbers, rest) = row.split_at(query.len() * 32);
            *cosine = within(dot(query, numbers) as f32 * (step * scale(rest)));
        }
    }

    /// Adds up the products. The instruction that multiplies takes one factor without a sign, which
    /// is given to the other; two products of at most 128 × 127 stay inside 16 bits.
    #[target_feature(enable = "avx2")]
    fn dot(query: &[[u8; 32]], numbers: &[u8]) -> i32 {
        let (numbers, _) = numbers.as_chunks::<32>();
        let ones = _mm256_set1_epi16(1);
        let mut sums = _mm256_setzero_si256();
        for (query, numbers) in query.iter().zip(numbers) {
            // SAFETY: each is 32 bytes.
            #[expect(unsafe_code, reason = "a load takes a pointer")]
            #[expect(clippy::cast_ptr_alignment, reason = "this load asks for none")]
            let (query, numbers) = unsafe {
                (
                    _mm256_loadu_si256(query.as_ptr().cast::<__m256i>()),
                    _mm256_loadu_si256(numbers.as_ptr().cast::<__m256i>()),
                )
            };
            let signed = _mm256_sign_epi8(query, numbers);
            let products = _mm256_maddubs_epi16(_mm256_abs_epi8(numbers), signed);
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(products, ones));
        }
        let half = _mm_add_epi32(
            _mm256_castsi256_si128(sums),
            _mm256_extracti128_si256::<1>(sums),
        );
        let pairs = _mm_add_epi32(half, _mm_shuffle_epi32::<0b01_00_11_10>(half));
        let sum = _mm_add_epi32(pairs, _mm_shuffle_epi32::<0b10_11_00_01>(pairs));
        _mm_cvtsi128_si32(sum)
    }
}

//! Near-duplicate candidates by `MinHash` in bands (LSH), without pairwise comparison.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::tokens::each_word;

/// Number of bands per text.
pub const BANDS: usize = 8;

/// Minimum hashes per band: notes whose shingles overlap by 0.9 share a band with probability 0.9999, by 0.8
/// with 0.997, by 0.6 with 0.86, by 0.3 with 0.2.
const HASHES_PER_BAND: usize = 3;

/// Returns the bands of `text` and its number of words. The cache stores both.
///
/// Two texts are candidates if any band is equal. A text without words has bands of zero, which must not be
/// compared.
pub fn bands(text: &str) -> ([u32; BANDS], u32) {
    let words = word_hashes(text);
    let mut bands = [0; BANDS];
    if words.is_empty() {
        return (bands, 0);
    }
    let mut least = [u64::MAX; BANDS * HASHES_PER_BAND];
    for shingle in shingles(&words) {
        for (row, minimum) in least.iter_mut().enumerate() {
            // An odd multiplier and a shift per row: sufficient mixing of input that is already hashed.
            let mixed = (shingle ^ (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .wrapping_mul(0xd6e8_feb8_6659_fd93 | ((row as u64) << 32));
            *minimum = (*minimum).min(mixed ^ (mixed >> 29));
        }
    }
    for (band, rows) in bands.iter_mut().zip(least.chunks_exact(HASHES_PER_BAND)) {
        let bytes: Vec<u8> = rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        *band = (xxh3_64(&bytes) as u32).max(1);
    }
    (bands, words.len() as u32)
}

pub(crate) fn word_hashes(text: &str) -> Vec<u64> {
    let mut hashes = Vec::new();
    each_word(text, |word, _| hashes.push(xxh3_64(word.as_bytes())));
    hashes
}

pub(crate) fn shingle_of(run: &[u64]) -> u64 {
    run.iter().fold(run.len() as u64, |seed, word| {
        xxh3_64_with_seed(&word.to_le_bytes(), seed)
    })
}

/// Returns the distinct hashes of three-word sequences, ascending; a shorter text is one sequence.
pub(crate) fn shingles(words: &[u64]) -> Vec<u64> {
    let mut shingles: Vec<u64> = match words.len() {
        0 => Vec::new(),
        1 | 2 => vec![shingle_of(words)],
        _ => words.windows(3).map(shingle_of).collect(),
    };
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_copies_share_a_band() {
        let text_of = |prefix: &str, step: usize| {
            let words: Vec<String> = (0..200)
                .map(|n| format!("{prefix}{}", n * step % 101))
                .collect();
            words.join(" ")
        };
        let text = text_of("word", 7);
        let (of_text, words) = bands(&text);
        assert_eq!(words, 200);
        let copy = text.replacen("word7 ", "wort7 ", 1);
        assert!(bands(&copy).0.iter().zip(of_text).any(|(a, b)| *a == b));
        let other = bands(&text_of("other", 3)).0;
        assert!(other.iter().zip(of_text).all(|(a, b)| *a != b));
        assert_eq!(bands("").0, [0; BANDS]);
    }
}

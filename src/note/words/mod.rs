//! Words of a text: tokens, stems, fingerprints and comparison.

pub mod analyzer;
pub mod content_words;
pub mod english;
pub mod hash;
pub mod items;
pub mod language;
pub mod letters;
pub mod lists;
pub mod minhash;
pub mod segments;
pub mod shingles;
pub mod tokens;
pub mod voice;
pub mod wording;

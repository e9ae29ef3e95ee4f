//! Words of a text: tokens, stems, fingerprints and comparison.

pub mod analyzer;
pub mod content_words;
pub mod english;
pub mod hash;
pub mod language;
pub mod letters;
pub mod lists;
pub mod minhash;
pub mod one_line;
pub mod required_items;
pub mod segments;
pub mod shingles;
pub mod speaker;
pub mod tokens;
pub mod wording;

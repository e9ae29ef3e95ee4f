//! The embedded model: a text's vector is the normalised sum of its token rows.
//!
//! It ignores word order: "A manages B" and "B manages A" have the same vector. It was trained on English; of
//! other scripts it knows the letters and hardly any words.

use std::sync::LazyLock;

use super::embedder::{Embedder, EmbeddingPurpose, Model, dot, normalise};
use super::error::EmbedError;
use super::model_file::{DIMS, ModelFile};
use super::wordpiece::UNKNOWN;
use crate::note::words::language::Language;

pub(super) static BYTES: &[u8] = include_bytes!("../../model/mem-embed.bin");

static EMBEDDED: LazyLock<StaticModel> = LazyLock::new(|| {
    let file =
        ModelFile::of(BYTES).expect("the file is part of the program, and a test reads it all");
    StaticModel { file }
});

/// Returns the built-in model.
pub fn embedded() -> &'static StaticModel {
    &EMBEDDED
}

/// Number of tokens collected before their rows are added.
const TOKENS_PER_BATCH: usize = 512;

/// Number of rows added together.
const ROWS_AT_ONCE: usize = 4;

#[derive(Debug)]
pub struct StaticModel {
    file: ModelFile,
}

impl StaticModel {
    /// Returns the tokenizer of the model.
    pub(super) fn wordpiece(&self) -> &super::wordpiece::WordPiece {
        &self.file.wordpiece
    }

    /// Returns the vector of a text, of length 1; all zero without a known token.
    pub fn embed_one(&self, text: &str) -> [f32; DIMS] {
        let mut sum = Sum::default();
        let mut batch = [0; TOKENS_PER_BATCH];
        let mut count = 0;
        self.file.wordpiece.each_token(text, |token| {
            if token != UNKNOWN {
                batch[count] = token as u16;
                count += 1;
                if count == TOKENS_PER_BATCH {
                    self.add(&mut sum, &mut batch);
                    count = 0;
                }
            }
        });
        self.add(&mut sum, &mut batch[..count]);
        sum.vector()
    }

    /// Returns the number of tokens.
    pub(super) fn tokens(&self) -> usize {
        self.file.rows.len()
    }

    /// Returns the direction and the length of a token's row.
    pub(super) fn token_vector(&self, token: u32) -> ([f32; DIMS], f32) {
        let mut sum = Sum::default();
        self.add(&mut sum, &mut [token as u16]);
        let vector = sum.numbers.map(|number| number - sum.excess);
        let length = dot(&vector, &vector).sqrt();
        let divisor = length.max(f32::MIN_POSITIVE);
        (vector.map(|number| number / divisor), length)
    }

    /// Adds the rows of these tokens, each once with its count: half of a note's tokens are repeats.
    fn add(&self, sum: &mut Sum, tokens: &mut [u16]) {
        tokens.sort_unstable();
        let mut few = [(0.0, &self.file.rows[0].components); ROWS_AT_ONCE];
        let mut count = 0;
        for same in tokens.chunk_by(|a, b| a == b) {
            let row = &self.file.rows[usize::from(same[0])];
            few[count] = (row.scale.get() * same.len() as f32, &row.components);
            count += 1;
            if count == ROWS_AT_ONCE {
                sum.add(few);
                count = 0;
            }
        }
        if count > 0 {
            // Padded with rows of weight 0.
            let any = few[0].1;
            few[count..].fill((0.0, any));
            sum.add(few);
        }
    }
}

impl Embedder for StaticModel {
    fn model(&self) -> &Model {
        &self.file.model
    }

    fn is_immediate(&self) -> bool {
        true
    }

    /// The model was distilled from English. It gives Spanish passages cosines of .56 to .78, and every pair
    /// of Korean ones .98.
    fn knows_language(&self, language: Language) -> bool {
        language.is_english()
    }

    fn knows(&self, word: &str) -> Option<bool> {
        let mut tokens = Vec::new();
        self.file
            .wordpiece
            .each_token(word, |token| tokens.push(token));
        Some(matches!(tokens[..], [token] if token != UNKNOWN))
    }

    fn embed(&self, texts: &[&str], _: EmbeddingPurpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let vectors = texts.iter().map(|text| self.embed_one(text).to_vec());
        Ok(vectors.collect())
    }
}

/// A sum of rows.
struct Sum {
    numbers: [f32; DIMS],
    /// Offset added to each component: values are stored with 8 added.
    excess: f32,
}

impl Default for Sum {
    fn default() -> Self {
        Self {
            numbers: [0.0; DIMS],
            excess: 0.0,
        }
    }
}

impl Sum {
    /// Adds several rows together because the sum does not fit into registers.
    fn add(&mut self, rows: [(f32, &[u8; DIMS / 2]); ROWS_AT_ONCE]) {
        let (low, high) = self.numbers.split_at_mut(DIMS / 2);
        for at in 0..DIMS / 2 {
            for (scale, row) in rows {
                low[at] += scale * f32::from(row[at] & 15);
                high[at] += scale * f32::from(row[at] >> 4);
            }
        }
        self.excess += rows.iter().map(|(scale, _)| 8.0 * scale).sum::<f32>();
    }

    fn vector(self) -> [f32; DIMS] {
        let mut vector = self.numbers.map(|number| number - self.excess);
        normalise(&mut vector);
        vector
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Thresholds;

    fn cosine(a: &str, b: &str) -> f32 {
        let (a, b) = (embedded().embed_one(a), embedded().embed_one(b));
        dot(&a, &b)
    }

    #[test]
    fn the_model_file_is_valid() {
        let file = &embedded().file;
        let Thresholds {
            related,
            cluster_short,
            cluster_note,
            duplicate,
        } = file.model.thresholds;
        let rising = [0.0, related, cluster_short, cluster_note, duplicate, 1.0];
        assert!(rising.is_sorted_by(|a, b| a < b), "{rising:?}");
        assert!(!file.model.id.is_empty());
        let mut empty = 0;
        for token in 0..file.rows.len() {
            let mut sum = Sum::default();
            embedded().add(&mut sum, &mut [token as u16]);
            let length = sum
                .vector()
                .iter()
                .map(|number| number * number)
                .sum::<f32>();
            assert!(
                (length - 1.0).abs() < 1e-5 || length == 0.0,
                "{token}: {length}"
            );
            empty += usize::from(length == 0.0);
        }
        assert!(empty < 100, "{empty} tokens mean nothing");
        for cut in [0, 7, 8, 40, 100, 5000, BYTES.len() - 1] {
            assert!(ModelFile::of(&BYTES[..cut]).is_none(), "{cut}");
        }
    }

    #[test]
    fn adds_rows_of_four_bits() {
        let mut row = [0x88; DIMS / 2];
        (row[0], row[1]) = (0x1F, 0x80);
        let mut sum = Sum::default();
        for scales in [[0.5, 0.0, 0.25, 0.0], [0.125; ROWS_AT_ONCE]] {
            sum.add(scales.map(|scale| (scale, &row)));
        }
        let vector = sum.vector();
        let length = f32::sqrt(7.0 * 7.0 + 7.0 * 7.0 + 8.0 * 8.0);
        for (at, expected) in [(0, 7.0), (1, -8.0), (DIMS / 2, -7.0), (2, 0.0)] {
            assert!((vector[at] - expected / length).abs() < 1e-6, "{at}");
        }
    }

    /// Another model has other cosines: the failure message shows the new values.
    #[test]
    fn cosines_of_known_texts_are_stable() {
        let cases = [
            ("tea", "tea", "1.000"),
            ("", "tea", "0.000"),
            ("👩\u{200d}💻", "tea", "0.000"),
            (
                "The cat sat on the mat.",
                "mat. THE CAT sat on the",
                "1.000",
            ),
            (
                "A man is playing a guitar",
                "Someone plays an instrument",
                "0.605",
            ),
            (
                "How to brew green tea",
                "Sencha: steep the leaves at 70 degrees",
                "0.124",
            ),
            (
                "We moved the database to Postgres",
                "The garden needs water in July",
                "0.065",
            ),
            ("Naïve café", "naive cafe", "1.000"),
        ];
        let found = cases.map(|(a, b, _)| (a, b, format!("{:.3}", cosine(a, b).abs())));
        assert_eq!(
            found,
            cases.map(|(a, b, expected)| (a, b, expected.to_owned()))
        );
    }

    #[test]
    fn a_long_text_is_the_sum_of_its_parts() {
        let all: String =
            (0..3 * TOKENS_PER_BATCH).fold(String::new(), |text, n| text + &format!("{n} tea "));
        let mut sum = Sum::default();
        let ModelFile { wordpiece, .. } = &embedded().file;
        wordpiece.each_token(&all, |token| embedded().add(&mut sum, &mut [token as u16]));
        let one_by_one = sum.vector();
        let at_once = embedded().embed_one(&all);
        assert!(
            at_once
                .iter()
                .zip(&one_by_one)
                .all(|(a, b)| (a - b).abs() < 1e-4)
        );
        let vectors = embedded()
            .embed(&[&all, "tea"], EmbeddingPurpose::Passage)
            .unwrap();
        assert_eq!(
            vectors,
            [at_once.to_vec(), embedded().embed_one("tea").to_vec()]
        );
    }
}

//! Late interaction: compares each token of a query with the tokens of a text.
//!
//! One vector of a passage averages everything that the passage mentions. Here a query word needs one near
//! word in the passage, wherever it is. Rows of the token table are compared, so nothing more is stored.

use super::embedder::dot;
use super::model_file::DIMS;
use super::static_model::embedded;
use super::wordpiece::UNKNOWN;

/// Minimum size of a part of a text: that of a passage. Parts end at line breaks.
const PART_BYTES: usize = 1000;
/// Size after which a text is not read further.
const MAX_TEXT_BYTES: usize = 32 << 10;

/// The known tokens of a query with their weights.
#[derive(Debug, Default)]
pub struct TokenQuery {
    vectors: Vec<[f32; DIMS]>,
    /// Weights that sum to 1.
    weights: Vec<f32>,
    /// Cosines of text tokens with each query token, a row per token. Notes share most of their tokens.
    cosines: Vec<f32>,
    /// Number of the row of each token of the table, from 1; 0 for none.
    rows: Vec<u32>,
}

impl TokenQuery {
    /// Returns the query of `words` with weights. The pieces of a word share its weight. As in the sum of a
    /// passage, a token also counts by the length of its row.
    pub fn new<'w>(words: impl IntoIterator<Item = (&'w str, f32)>) -> Self {
        let mut query = Self {
            rows: vec![0; embedded().tokens()],
            ..Self::default()
        };
        for (word, weight) in words {
            let pieces = tokens(word);
            for piece in &pieces {
                let (vector, length) = embedded().token_vector(*piece);
                query.vectors.push(vector);
                query.weights.push(weight * length / pieces.len() as f32);
            }
        }
        let total: f32 = query.weights.iter().sum();
        for weight in &mut query.weights {
            *weight /= total.max(f32::MIN_POSITIVE);
        }
        query
    }

    /// Returns the weighted mean of each query token's best cosine in a part of `text` or in `title`, from 0
    /// to 1: that of the best part.
    pub fn similarity(&mut self, title: &str, text: &str) -> f32 {
        let mut of_title = vec![0.0; self.weights.len()];
        self.add_best(title, &mut of_title);
        let mut best = self.mean(&of_title);
        let mut cosines = of_title.clone();
        let (mut start, mut end) = (0, 0);
        for line in text.split_inclusive('\n') {
            end += line.len();
            if end - start < PART_BYTES && end < text.len() {
                continue;
            }
            cosines.clone_from(&of_title);
            self.add_best(&text[start..end], &mut cosines);
            best = best.max(self.mean(&cosines));
            if end >= MAX_TEXT_BYTES {
                break;
            }
            start = end;
        }
        best
    }

    /// Raises each of `best` to the best cosine of that query token in `text`.
    fn add_best(&mut self, text: &str, best: &mut [f32]) {
        let width = self.vectors.len();
        if width == 0 {
            return;
        }
        for token in tokens(text) {
            let row = &mut self.rows[token as usize];
            if *row == 0 {
                let (vector, _) = embedded().token_vector(token);
                let cosines = self.vectors.iter().map(|of_query| dot(of_query, &vector));
                self.cosines.extend(cosines);
                *row = (self.cosines.len() / width) as u32;
            }
            let end = *row as usize * width;
            for (best, cosine) in best.iter_mut().zip(&self.cosines[end - width..end]) {
                *best = best.max(*cosine);
            }
        }
    }

    fn mean(&self, cosines: &[f32]) -> f32 {
        let weighted = cosines.iter().zip(&self.weights);
        weighted.map(|(cosine, weight)| cosine * weight).sum()
    }
}

fn tokens(text: &str) -> Vec<u32> {
    let mut tokens = Vec::new();
    embedded().wordpiece().each_token(text, |token| {
        if token != UNKNOWN {
            tokens.push(token);
        }
    });
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compares_token_by_token() {
        let mut query = TokenQuery::new([("kettle", 3.0), ("the", 1.0)]);
        let mut similarity = |title: &str, text: &str| query.similarity(title, text);
        let long = "The garden is large, the shed is red, and one kettle stands in it.";
        assert!((similarity("", long) - 1.0).abs() < 1e-3);
        assert!((similarity("Kettle", "The shed is red.") - 1.0).abs() < 1e-3);
        let [near, far] = ["the teapot", "the lawyer"].map(|text| similarity("", text));
        assert!(0.0 < far && far < near && near < 1.0, "{far} {near}");
        let apart = format!(
            "kettle\n{}",
            "shed and garden\n".repeat(2 * PART_BYTES / 16)
        );
        let parts = similarity("", &format!("{apart}the"));
        assert!(near < parts && parts < 1.0, "{parts}");
        assert!(similarity("", "") < 1e-6);
        let unread = format!("{}kettle", "shed\n".repeat(MAX_TEXT_BYTES / 5 + 400));
        assert!(similarity("", &unread) < near);
        assert!(TokenQuery::new([("", 1.0)]).similarity("", long) < 1e-6);
    }
}

//! Plain BM25, the baseline: k1 1.2, b 0.75, one field of title and text, no stemming, no stop
//! words, words are lower-cased alphanumeric runs.

use std::collections::HashMap;

use super::Method;
use crate::sets::{Question, Set};
use crate::support::Outcome;
use crate::support::rough::{self, RoughNote};

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// One index per vault of a set.
struct Bm25(Vec<Index>);

/// The index of one vault.
pub(super) struct Index {
    paths: Vec<String>,
    lengths: Vec<f64>,
    mean_length: f64,
    /// Notes and frequencies by word.
    postings: HashMap<String, Vec<(usize, f64)>>,
}

/// Indexes every vault of the set in memory.
pub(super) fn prepare(set: &Set) -> Outcome<Vec<Box<dyn Method>>> {
    let indexes = set
        .vaults
        .iter()
        .map(|vault| Ok(Index::of(rough::read_notes(vault)?)))
        .collect::<Outcome<_>>()?;
    Ok(vec![Box::new(Bm25(indexes))])
}

impl Method for Bm25 {
    fn name(&self) -> &'static str {
        "bm25"
    }

    fn answer(&self, question: &Question, limit: usize) -> Outcome<Vec<String>> {
        Ok(self.0[question.vault].search(&question.text, limit))
    }
}

impl Index {
    pub(super) fn of(notes: Vec<RoughNote>) -> Self {
        let mut postings: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::with_capacity(notes.len());
        let mut paths = Vec::with_capacity(notes.len());
        for (at, note) in notes.into_iter().enumerate() {
            let mut length = 0.0;
            for word in rough::words(&note.title).chain(rough::words(&note.body)) {
                length += 1.0;
                let posting = postings.entry(word).or_default();
                match posting.last_mut() {
                    Some((last, count)) if *last == at => *count += 1.0,
                    _ => posting.push((at, 1.0)),
                }
            }
            lengths.push(length);
            paths.push(note.path);
        }
        let mean_length = lengths.iter().sum::<f64>() / lengths.len().max(1) as f64;
        Self {
            paths,
            lengths,
            mean_length,
            postings,
        }
    }

    /// Returns the best `limit` notes with a score; ties are ordered by path.
    fn search(&self, query: &str, limit: usize) -> Vec<String> {
        let mut ranked: Vec<(usize, f64)> = self.scores(query).into_iter().collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        ranked
            .into_iter()
            .take(limit)
            .map(|(note, _)| self.paths[note].clone())
            .collect()
    }

    /// Returns the score of each note with a word of `query`, by its index in path order.
    pub(super) fn scores(&self, query: &str) -> HashMap<usize, f64> {
        let notes = self.paths.len() as f64;
        let mut scores: HashMap<usize, f64> = HashMap::new();
        for word in rough::words(query) {
            let Some(posting) = self.postings.get(&word) else {
                continue;
            };
            let having = posting.len() as f64;
            let rarity = (1.0 + (notes - having + 0.5) / (having + 0.5)).ln();
            for &(note, count) in posting {
                let norm = K1 * (1.0 - B + B * self.lengths[note] / self.mean_length);
                *scores.entry(note).or_default() += rarity * count * (K1 + 1.0) / (count + norm);
            }
        }
        scores
    }
}

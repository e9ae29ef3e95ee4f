//! The teacher of the embedded model, alone and combined with BM25.
//!
//! Its vectors are precomputed: a folder with `NAME-notes` and `NAME-queries` for a set's
//! [`corpus`](Set::corpus), each as `.f32` (rows of 384 little-endian floats of norm 1) and `.tsv`
//! (the key of each row: a note's path in the corpus, a question's [`key`](Question::key)).

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use super::Method;
use super::bm25::Index;
use crate::sets::{Question, Set};
use crate::support::{AtPath, Outcome, rough};

const WIDTH: usize = 384;

/// Vectors by key.
pub(crate) struct Vectors(HashMap<String, Vec<f32>>);

impl Vectors {
    /// Reads `NAME.f32` and `NAME.tsv`.
    pub(crate) fn read(folder: &Path, name: &str) -> Outcome<Self> {
        let file = folder.join(format!("{name}.f32"));
        let bytes = fs::read(&file).at(&file)?;
        let keys = file.with_extension("tsv");
        let keys = fs::read_to_string(&keys).at(&keys)?;
        let row = |row: &[u8]| -> Vec<f32> {
            let numbers = row.chunks_exact(4);
            numbers
                .map(|number| f32::from_le_bytes([number[0], number[1], number[2], number[3]]))
                .collect()
        };
        let rows = bytes.chunks_exact(WIDTH * 4).map(row);
        Ok(Self(keys.lines().map(str::to_owned).zip(rows).collect()))
    }

    /// Returns the vector of a key.
    pub(crate) fn of(&self, key: &str) -> Outcome<&[f32]> {
        let vector = self.0.get(key);
        vector
            .map(Vec::as_slice)
            .ok_or_else(|| format!("the teacher's vectors have no `{key}`").into())
    }
}

/// Returns the cosine of two unit vectors.
pub(crate) fn cosine(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(a * b)).sum()
}

struct Teacher {
    /// Notes and their vectors, per vault.
    vaults: Vec<Vec<(String, Vec<f32>)>>,
    queries: Vectors,
    /// BM25 index per vault, for the combined method.
    words: Option<Vec<Index>>,
}

/// Reads the vectors for a set.
pub(super) fn prepare(set: &Set, folder: &Path) -> Outcome<Vec<Box<dyn Method>>> {
    let mut both: Vec<Box<dyn Method>> = Vec::new();
    for with_words in [false, true] {
        let of_notes = Vectors::read(folder, &format!("{}-notes", set.corpus))?;
        let mut vaults = Vec::new();
        let mut words = Vec::new();
        for (vault, inside) in set.vaults.iter().zip(&set.inside) {
            let notes = rough::read_notes(vault)?;
            let vector = |path: &str| of_notes.of(&format!("{inside}{path}")).map(<[f32]>::to_vec);
            let vectors = notes
                .iter()
                .map(|note| Ok((note.path.clone(), vector(&note.path)?)));
            vaults.push(vectors.collect::<Outcome<Vec<_>>>()?);
            words.push(Index::of(notes));
        }
        both.push(Box::new(Teacher {
            vaults,
            queries: Vectors::read(folder, &format!("{}-queries", set.corpus))?,
            words: with_words.then_some(words),
        }));
    }
    Ok(both)
}

impl Method for Teacher {
    fn name(&self) -> &'static str {
        if self.words.is_some() {
            "bm25 + teacher"
        } else {
            "teacher"
        }
    }

    fn answer(&self, question: &Question, limit: usize) -> Outcome<Vec<String>> {
        let query = self.queries.of(&question.key)?;
        let words = self.words.as_ref();
        let words = words.map(|indexes| indexes[question.vault].scores(&question.text));
        let best = words.iter().flat_map(|words| words.values());
        let best = best.copied().fold(f64::MIN_POSITIVE, f64::max);
        let score = |at: usize, vector: &[f32]| match &words {
            Some(words) => {
                let words = words.get(&at).copied().unwrap_or_default();
                0.5 * words / best + 0.5 * cosine(vector, query)
            }
            None => cosine(vector, query),
        };
        let notes = &self.vaults[question.vault];
        let mut ranked: Vec<(f64, &str)> = notes
            .iter()
            .enumerate()
            .map(|(at, (path, vector))| (score(at, vector), path.as_str()))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
        let best = ranked.into_iter().take(limit);
        Ok(best.map(|(_, path)| path.to_owned()).collect())
    }
}

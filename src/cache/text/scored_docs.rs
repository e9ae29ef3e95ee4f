//! Sorted lists of matching documents, with union and intersection.

use tantivy::DocId;

/// The matching notes of one segment, ascending, with a frequency or score each.
#[derive(Clone, Debug, Default)]
pub(super) struct ScoredDocs {
    pub(super) docs: Vec<DocId>,
    pub(super) scores: Vec<f32>,
}

impl ScoredDocs {
    pub(super) fn push(&mut self, doc: DocId, score: f32) {
        self.docs.push(doc);
        self.scores.push(score);
    }
}

/// Returns the documents in any of `parts`, with their best scores.
pub(super) fn union(parts: &[&ScoredDocs]) -> ScoredDocs {
    merged(parts, |scores| {
        scores.iter().flatten().copied().reduce(f32::max)
    })
}

/// Returns the documents in all of `parts`, with the sums of their scores.
pub(super) fn intersection(parts: &[&ScoredDocs]) -> ScoredDocs {
    let mut found = ScoredDocs::default();
    let Some(rarest) = parts.iter().min_by_key(|part| part.docs.len()) else {
        return found;
    };
    let mut cursors = vec![0; parts.len()];
    'docs: for &doc in &rarest.docs {
        let mut sum = 0.0;
        for (part, at) in parts.iter().zip(&mut cursors) {
            while part.docs.get(*at).is_some_and(|&other| other < doc) {
                *at += 1;
            }
            if part.docs.get(*at) != Some(&doc) {
                continue 'docs;
            }
            sum += part.scores[*at];
        }
        found.push(doc, sum);
    }
    found
}

/// Returns the documents in at least `least` of `parts`, with the sums of their scores.
pub(super) fn at_least(parts: &[&ScoredDocs], least: usize) -> ScoredDocs {
    merged(parts, |scores| {
        let count = scores.iter().flatten().count();
        (count >= least).then(|| scores.iter().flatten().sum())
    })
}

/// Merges `parts` document by document; `join` gets the score in each part.
fn merged(parts: &[&ScoredDocs], join: impl Fn(&[Option<f32>]) -> Option<f32>) -> ScoredDocs {
    let mut cursors = vec![0; parts.len()];
    let mut scores = vec![None; parts.len()];
    let mut found = ScoredDocs::default();
    loop {
        let heads = parts
            .iter()
            .zip(&cursors)
            .filter_map(|(part, &at)| part.docs.get(at));
        let Some(&doc) = heads.min() else {
            return found;
        };
        for ((part, at), score) in parts.iter().zip(&mut cursors).zip(&mut scores) {
            let is_here = part.docs.get(*at) == Some(&doc);
            *score = is_here.then(|| part.scores[*at]);
            *at += usize::from(is_here);
        }
        if let Some(score) = join(&scores) {
            found.push(doc, score);
        }
    }
}

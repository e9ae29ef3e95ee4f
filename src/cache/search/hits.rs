//! Sorted lists of matching documents and how they are joined.

use tantivy::DocId;

/// The notes of one segment that match, and a frequency or score for each.
#[derive(Clone, Debug, Default)]
pub(super) struct Hits {
    /// In increasing order.
    pub(super) docs: Vec<DocId>,
    pub(super) values: Vec<f32>,
}

impl Hits {
    pub(super) fn push(&mut self, doc: DocId, value: f32) {
        self.docs.push(doc);
        self.values.push(value);
    }
}

/// Returns the documents that are in any of `parts`, with the best of their scores.
pub(super) fn best(parts: &[&Hits]) -> Hits {
    merged(parts, |values| {
        Some(
            values
                .iter()
                .flatten()
                .fold(0.0, |best: f32, &value| best.max(value)),
        )
    })
}

/// Returns the documents that are in all of `parts`, with the sum of their scores.
pub(super) fn common(parts: &[&Hits]) -> Hits {
    let mut hits = Hits::default();
    let Some(rarest) = parts.iter().min_by_key(|part| part.docs.len()) else {
        return hits;
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
            sum += part.values[*at];
        }
        hits.push(doc, sum);
    }
    hits
}

/// Returns the documents that are in at least `least` of `parts`, with the sum of their scores.
pub(super) fn at_least(parts: &[&Hits], least: usize) -> Hits {
    merged(parts, |values| {
        let count = values.iter().flatten().count();
        (count >= least).then(|| values.iter().flatten().sum())
    })
}

/// Goes through `parts` document by document; `join` sees the value of each part.
fn merged(parts: &[&Hits], join: impl Fn(&[Option<f32>]) -> Option<f32>) -> Hits {
    let mut cursors = vec![0; parts.len()];
    let mut values = vec![None; parts.len()];
    let mut hits = Hits::default();
    loop {
        let heads = parts
            .iter()
            .zip(&cursors)
            .filter_map(|(part, &at)| part.docs.get(at));
        let Some(&doc) = heads.min() else { return hits };
        for ((part, at), value) in parts.iter().zip(&mut cursors).zip(&mut values) {
            let is_here = part.docs.get(*at) == Some(&doc);
            *value = is_here.then(|| part.values[*at]);
            *at += usize::from(is_here);
        }
        if let Some(value) = join(&values) {
            hits.push(doc, value);
        }
    }
}

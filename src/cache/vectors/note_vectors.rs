//! One vector per note: the mean of its passages, in memory, for jobs that compare notes.

use super::file::Vectors;
use super::quantized::{QuantizedTable, quantize_unit};

/// Note vectors by ascending slot; notes without a known word are missing.
#[derive(Debug, Default)]
pub struct NoteVectors {
    slots: Vec<u32>,
    vectors: QuantizedTable,
}

impl NoteVectors {
    /// Computes the means of passages. Each note is a slot, its first row and number of rows, by ascending
    /// slot.
    ///
    /// Rows missing from `vectors` are skipped.
    pub fn of(vectors: &Vectors, notes: impl IntoIterator<Item = (u32, u32, u32)>) -> Self {
        let mut all = Self {
            slots: Vec::new(),
            vectors: QuantizedTable::new(vectors.dims()),
        };
        let mut sum = vec![0.0; vectors.dims()];
        let mut components = vec![0; all.vectors.width()];
        for (slot, first, passages) in notes {
            let end = first.saturating_add(passages).min(vectors.rows());
            sum.fill(0.0);
            for row in first..end {
                vectors.add_to(row, &mut sum);
            }
            let mean = quantize_unit(&sum, &mut components);
            if mean.scale > 0.0 {
                all.slots.push(slot);
                all.vectors.push(mean);
            }
        }
        all
    }

    /// Returns the slots of the notes, ascending; the position is the note's index.
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the vectors of all notes, in the order of [`NoteVectors::slots`].
    pub(super) fn vectors(&self) -> &QuantizedTable {
        &self.vectors
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::VectorQuery;
    use super::*;
    use crate::cache::vectors::tests::vector_file;

    #[test]
    fn averages_the_passages_of_a_note() {
        let dir = tempfile::tempdir().unwrap();
        let rows = [
            [1.0, 0.0, 0.0],
            [0.0, 2.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 9.0],
        ]
        .map(Vec::from);
        let file = vector_file(dir.path(), 1, &rows);
        let entries = [
            (3, 0, 2),
            (5, 2, 1),
            (6, 2, 2),
            (8, 3, 40),
            (9, 1, 0),
            (11, 90, 2),
        ];
        let notes = NoteVectors::of(&file, entries);
        // The others have no passage with a known word.
        assert_eq!(notes.slots(), [3, 6, 8]);
        for (index, expected) in [
            (0, vec![1.0, 1.0, 0.0]),
            (1, rows[3].clone()),
            (2, rows[3].clone()),
        ] {
            assert!(
                VectorQuery::new(&expected).exact(notes.vectors().get(index)) > 0.9999,
                "{index}"
            );
        }
    }
}

//! One vector per note: the mean of its passages, in memory, for the jobs that compare notes.

use super::file::Vectors;
use super::query::{padded, quantise};

/// The vectors of some notes, by ascending slot; a note of which nothing is known has none.
#[derive(Debug, Default)]
pub struct NoteVectors {
    slots: Vec<u32>,
    /// As in the file: numbers and scale, one after the other.
    rows: Vec<u8>,
    width: usize,
}

impl NoteVectors {
    /// Takes the means of passages: each note is a slot, the first of its rows and how many it has,
    /// by ascending slot.
    ///
    /// Rows that `vectors` does not have are passed over.
    #[must_use]
    pub fn of(vectors: &Vectors, notes: impl IntoIterator<Item = (u32, u32, u32)>) -> Self {
        let width = padded(vectors.dims());
        let mut all = Self {
            slots: Vec::new(),
            rows: Vec::new(),
            width,
        };
        let mut sum = vec![0.0; vectors.dims()];
        let mut small = vec![0; width];
        for (slot, first, passages) in notes {
            let end = first.saturating_add(passages).min(vectors.rows());
            sum.fill(0.0);
            for row in first..end {
                vectors.add_to(row, &mut sum);
            }
            let scale = quantise(&sum, &mut small);
            if scale > 0.0 {
                all.slots.push(slot);
                all.rows.extend_from_slice(&small);
                all.rows.extend_from_slice(&scale.to_le_bytes());
            }
        }
        all
    }

    /// Returns how many notes have a vector.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns true if no note has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the slots of the notes, ascending; a note's place is its place among them.
    #[must_use]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns how many numbers a row has.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// Returns how many bytes a row takes.
    pub(super) fn stride(&self) -> usize {
        self.width + 4
    }

    /// Returns the rows of all notes.
    pub(super) fn rows(&self) -> &[u8] {
        &self.rows
    }

    /// Returns the row of the note at `place`.
    pub(super) fn row(&self, place: usize) -> &[u8] {
        &self.rows[place * self.stride()..][..self.stride()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::made;
    use super::super::query::Query;
    use super::*;

    #[test]
    fn a_note_is_the_mean_of_its_passages() {
        let dir = tempfile::tempdir().unwrap();
        let rows = [
            [1.0, 0.0, 0.0],
            [0.0, 2.0, 0.0],
            [0.0, 0.0, 0.0],
            [0.0, 0.0, 9.0],
        ];
        let rows = rows.map(Vec::from);
        let file = made::file(dir.path(), 1, &rows);
        let notes = [
            (3, 0, 2),
            (5, 2, 1),
            (6, 2, 2),
            (8, 3, 40),
            (9, 1, 0),
            (11, 90, 2),
        ];
        let notes = NoteVectors::of(&file, notes);
        // The others have no passage of which anything is known.
        assert_eq!(notes.slots(), [3, 6, 8]);
        for (place, expected) in [
            (0, vec![1.0, 1.0, 0.0]),
            (1, rows[3].clone()),
            (2, rows[3].clone()),
        ] {
            assert!(
                Query::new(&expected).exact(notes.row(place)) > 0.9999,
                "{place}"
            );
        }
    }
}

//! The file of the embedded model, used where it lies in the program: found by counting, nothing
//! parsed, copied or built, so that only the pages a text needs are ever read.
//!
//! `model/pack.py` writes it and says how it looks. A unit test walks through the whole file, which
//! is why reading it cannot fail at run time.

use super::wordpiece::WordPiece;
use super::{Model, Thresholds};

/// The numbers of a vector of the embedded model.
pub(super) const DIMS: usize = 256;

/// The file, taken apart.
#[derive(Debug)]
pub(super) struct File {
    pub(super) model: Model,
    pub(super) words: WordPiece,
    /// The bits of a number in a row: 4 or 8.
    pub(super) bits: usize,
    /// For each token its scale and its numbers.
    pub(super) rows: &'static [u8],
}

impl File {
    /// Takes `bytes` apart; `None` if they are not as `model/pack.py` makes them.
    pub(super) fn of(bytes: &'static [u8]) -> Option<Self> {
        let mut rest = Rest(bytes);
        if rest.take(8)? != b"MEMEMBED" || rest.number()? != 1 || rest.number()? != DIMS {
            return None;
        }
        let [bits, begin, tokens, slots, text, pages] = rest.numbers()?;
        let [spellings, spelling_text, longest, id] = rest.numbers()?;
        let [related, cluster_short, cluster_note, duplicate] = rest.arrays(4)?.try_into().ok()?;
        let thresholds = Thresholds {
            related: f32::from_le_bytes(related),
            cluster_short: f32::from_le_bytes(cluster_short),
            cluster_note: f32::from_le_bytes(cluster_note),
            duplicate: f32::from_le_bytes(duplicate),
        };
        let id = std::str::from_utf8(rest.take(id)?).ok()?.to_owned();
        let words = WordPiece {
            blocks: rest.take(0x11_0000 / 256)?,
            pages: rest.arrays(pages * 256)?,
            spellings: rest.arrays(spellings)?,
            spelling_text: rest.take(spelling_text)?,
            slots: rest.arrays(slots)?,
            starts: rest.arrays(tokens + 1)?,
            text: rest.take(text)?,
            begin,
            longest,
        };
        let rows = rest.take(tokens * (4 + DIMS * bits / 8))?;
        let whole = matches!(bits, 4 | 8) && slots.is_power_of_two() && rest.0.is_empty();
        whole.then_some(Self {
            model: Model { id, thresholds },
            words,
            bits,
            rows,
        })
    }
}

/// What was not taken yet.
struct Rest(&'static [u8]);

impl Rest {
    fn take(&mut self, bytes: usize) -> Option<&'static [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    fn arrays<const N: usize>(&mut self, count: usize) -> Option<&'static [[u8; N]]> {
        Some(self.take(count * N)?.as_chunks().0)
    }

    fn numbers<const N: usize>(&mut self) -> Option<[usize; N]> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Some(numbers)
    }

    fn number(&mut self) -> Option<usize> {
        let bytes = self.take(4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes) as usize)
    }
}

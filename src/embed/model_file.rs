//! The file of the embedded model, used in place in the binary. Nothing is parsed, copied or built, so that
//! only the pages a text needs are read.
//!
//! `model/pack.py` writes it and describes its format. A unit test checks the whole file, so reading it
//! cannot fail at run time.

use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};
use zerocopy_derive::{FromBytes, Immutable, KnownLayout, Unaligned};

use super::embedder::{DEFAULT_SEARCH_WEIGHT, Model, Thresholds};
use super::wordpiece::WordPiece;

/// Components of a vector of the embedded model.
pub(super) const DIMS: usize = 256;

/// Weight of the cosine in the score of a question. Of .8 to 1.45, 1.05 or 1.2 is best in the mean of two vaults,
/// whichever of three is left out; `LoCoMo` loses .004 of its MRR.
const QUESTION_WEIGHT: f32 = 1.05;

/// The sections of the file.
#[derive(Debug)]
pub(super) struct ModelFile {
    pub(super) model: Model,
    pub(super) wordpiece: WordPiece,
    /// One row per token.
    pub(super) rows: &'static [ModelRow],
}

/// Scale and components of a token: the lower half of byte i is component i, the upper half component
/// `DIMS / 2` + i.
#[derive(Debug, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct ModelRow {
    pub(super) scale: F32,
    pub(super) components: [u8; DIMS / 2],
}

#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: U32,
    dims: U32,
    bits: U32,
    begin: U32,
    tokens: U32,
    slots: U32,
    text: U32,
    pages: U32,
    spellings: U32,
    spelling_text: U32,
    longest: U32,
    id: U32,
    related: F32,
    cluster_short: F32,
    cluster_note: F32,
    duplicate: F32,
}

impl ModelFile {
    /// Splits `bytes` into sections; `None` if they do not match the format of `model/pack.py`.
    pub(super) fn of(bytes: &'static [u8]) -> Option<Self> {
        let (header, rest) = Header::ref_from_prefix(bytes).ok()?;
        if header.magic != *b"MEMEMBED" || header.version.get() != 1 {
            return None;
        }
        let mut rest = ModelSections::<1>(rest);
        let count = |number: U32| number.get() as usize;
        let id = std::str::from_utf8(rest.take(count(header.id))?).ok()?;
        let wordpiece = WordPiece {
            blocks: rest.take(0x11_0000 / 256)?,
            pages: rest.take(count(header.pages) * 256)?,
            spellings: rest.take(count(header.spellings))?,
            spelling_text: rest.take(count(header.spelling_text))?,
            slots: rest.take(count(header.slots))?,
            starts: rest.take(count(header.tokens) + 1)?,
            text: rest.take(count(header.text))?,
            begin: count(header.begin),
            longest: count(header.longest),
        };
        let rows = rest.take(count(header.tokens))?;
        let is_whole = count(header.dims) == DIMS
            && count(header.bits) == 4
            && wordpiece.slots.len().is_power_of_two()
            && rest.0.is_empty();
        is_whole.then(|| Self {
            model: Model {
                id: id.to_owned(),
                thresholds: Thresholds {
                    related: header.related.get(),
                    cluster_short: header.cluster_short.get(),
                    cluster_note: header.cluster_note.get(),
                    duplicate: header.duplicate.get(),
                },
                search_weight: DEFAULT_SEARCH_WEIGHT,
                question_weight: QUESTION_WEIGHT,
                baseline: 0.0,
            },
            wordpiece,
            rows,
        })
    }
}

/// The bytes of a file not read yet. Each section is padded to a multiple of `ALIGNMENT`.
pub(super) struct ModelSections<const ALIGNMENT: usize>(pub(super) &'static [u8]);

impl<const ALIGNMENT: usize> ModelSections<ALIGNMENT> {
    pub(super) fn take<T>(&mut self, count: usize) -> Option<&'static [T]>
    where
        T: FromBytes + Immutable + KnownLayout + Unaligned,
    {
        let bytes = count.checked_mul(size_of::<T>())?;
        let (taken, _) = self.0.split_at_checked(bytes)?;
        let padded = bytes.next_multiple_of(ALIGNMENT).min(self.0.len());
        self.0 = &self.0[padded..];
        <[T]>::ref_from_bytes(taken).ok()
    }
}

//! One commit of the index, and its column lengths.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

use super::error::{Result, guard};
use super::schema::{Column, KEY, language_field};
use crate::note::Language;

/// Total length of a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ColumnLength {
    pub(super) tokens: u64,
    /// Number of notes with at least one token.
    pub(super) notes: u64,
}

/// One commit of the index.
pub struct TextReader {
    pub(super) segments: Vec<Segment>,
    /// The languages of the living notes, the default first; never empty.
    pub languages: Vec<Language>,
    pub(super) path: PathBuf,
    pub(super) notes: u64,
    /// Column lengths of the living notes.
    pub(super) lengths: [ColumnLength; 7],
}

pub(super) struct Segment {
    pub(super) reader: SegmentReader,
    pub(super) keys: Arc<dyn ColumnValues<u64>>,
    /// Column lengths of all notes, deleted ones included.
    lengths: [ColumnLength; 7],
}

impl TextReader {
    /// Opens `readers`; `known` are column lengths computed before.
    pub(super) fn over(
        readers: Vec<SegmentReader>,
        known: &BTreeMap<String, [ColumnLength; 7]>,
        language: Language,
        path: &Path,
    ) -> tantivy::Result<Self> {
        let mut segments = Vec::with_capacity(readers.len());
        let mut lengths = [ColumnLength::default(); 7];
        for reader in readers {
            let known = known.get(&reader.segment_id().uuid_string());
            let (segment, dead) = Segment::open(reader, known)?;
            for (at, length) in lengths.iter_mut().enumerate() {
                let ColumnLength { tokens, notes } = segment.lengths[at];
                length.tokens += tokens.saturating_sub(dead[at].tokens);
                length.notes += notes.saturating_sub(dead[at].notes);
            }
            segments.push(segment);
        }
        let mut languages = Vec::new();
        for segment in &segments {
            segment.add_languages(&mut languages)?;
        }
        if languages.is_empty() {
            languages.push(language);
        }
        languages.sort_by_key(|&of| (of != language, of));
        let notes = segments.iter().map(|segment| segment.reader.num_docs());
        Ok(Self {
            notes: notes.map(u64::from).sum(),
            segments,
            languages,
            path: path.to_owned(),
            lengths,
        })
    }

    /// Returns the keys of all notes, ascending.
    pub fn keys(&self) -> Result<Vec<u64>> {
        guard(&self.path, || {
            let living = self.segments.iter().flat_map(|segment| {
                segment
                    .reader
                    .doc_ids_alive()
                    .map(|doc| segment.keys.get_val(doc))
            });
            let mut keys: Vec<u64> = living.collect();
            keys.sort_unstable();
            Ok(keys)
        })
    }

    /// Returns the column lengths of segments with at least `least` notes.
    pub(super) fn lengths_of_segments(&self, least: u32) -> BTreeMap<String, [ColumnLength; 7]> {
        let large = self
            .segments
            .iter()
            .filter(|segment| segment.reader.num_docs() >= least);
        large
            .map(|s| (s.reader.segment_id().uuid_string(), s.lengths))
            .collect()
    }
}

impl Segment {
    /// Adds the languages of the living notes to `languages`.
    fn add_languages(&self, languages: &mut Vec<Language>) -> tantivy::Result<()> {
        let index = self.reader.inverted_index(language_field())?;
        let alive = self.reader.alive_bitset();
        let mut codes = index.terms().stream()?;
        while let Some((code, info)) = codes.next() {
            let language = Language::of_code(code.last().copied().unwrap_or_default());
            if languages.contains(&language) {
                continue;
            }
            let mut notes = index.read_postings_from_terminfo(info, IndexRecordOption::Basic)?;
            while notes.doc() != TERMINATED {
                if alive.is_none_or(|alive| alive.is_alive(notes.doc())) {
                    languages.push(language);
                    break;
                }
                notes.advance();
            }
        }
        Ok(())
    }

    /// Opens a segment, and returns the column lengths of its deleted notes.
    fn open(
        reader: SegmentReader,
        known: Option<&[ColumnLength; 7]>,
    ) -> tantivy::Result<(Self, [ColumnLength; 7])> {
        let keys = reader.fast_fields().u64(KEY)?.first_or_default_col(0);
        let alive = reader.alive_bitset();
        let is_deleted = |doc: &DocId| alive.is_some_and(|alive| alive.is_deleted(*doc));
        let all = 0..alive.map_or(0, |_| reader.max_doc());
        let deleted: Vec<DocId> = all.filter(is_deleted).collect();
        let mut lengths = known.copied().unwrap_or_default();
        let mut dead = [ColumnLength::default(); 7];
        for column in Column::ALL {
            let norms = reader.get_fieldnorms_reader(column.field())?;
            if known.is_none() {
                lengths[column as usize] = length(&norms, 0..reader.max_doc());
            }
            dead[column as usize] = length(&norms, deleted.iter().copied());
        }
        let segment = Self {
            reader,
            keys,
            lengths,
        };
        Ok((segment, dead))
    }
}

/// Returns the sum of the lengths in `norms` over `docs`.
fn length(norms: &FieldNormReader, docs: impl Iterator<Item = DocId>) -> ColumnLength {
    let mut counts = [0_u64; 256];
    for doc in docs {
        counts[usize::from(norms.fieldnorm_id(doc))] += 1;
    }
    let mut length = ColumnLength::default();
    for (id, &count) in counts.iter().enumerate().skip(1) {
        length.tokens += count * u64::from(FieldNormReader::id_to_fieldnorm(id as u8));
        length.notes += count;
    }
    length
}

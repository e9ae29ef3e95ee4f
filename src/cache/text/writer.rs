//! Changes of the text index, committed together.

use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::{IndexWriter, Term};

use super::error::{Result, TextIndexError, guard};
use super::index::TextIndex;
use super::schema::{TextIndexEntry, key_field};

/// Segments with fewer notes are small: merging them takes milliseconds.
const MAX_SMALL_NOTES: u32 = 2_000;
/// Maximum number of small segments.
const MAX_SMALL_SEGMENTS: usize = 8;

/// Expected amount of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// A few notes: starts fast.
    Few,
    /// A whole vault: two threads and more memory.
    Many,
}

impl TextIndex {
    /// Opens the index for writing; one writer at a time.
    pub fn writer(&self, load: Load) -> Result<TextWriter> {
        let (threads, bytes) = match load {
            Load::Few => (1, 15_000_000),
            Load::Many => (2, 60_000_000),
        };
        let writer = guard(&self.path, || {
            let options = IndexWriterOptions::builder()
                .num_worker_threads(threads)
                .memory_budget_per_thread(bytes)
                .num_merge_threads(1)
                .build();
            let writer: IndexWriter = self.index.writer_with_options(options)?;
            writer.set_merge_policy(Box::new(NoMergePolicy));
            Ok(writer)
        })?;
        Ok(TextWriter {
            index: self.clone(),
            writer,
        })
    }
}

/// Changes of an index; readers see none before [`TextWriter::commit`].
pub struct TextWriter {
    index: TextIndex,
    writer: IndexWriter,
}

impl TextWriter {
    /// Adds a note whose key is not in the index.
    pub fn insert(&mut self, entry: TextIndexEntry) -> Result<()> {
        let added = guard(&self.index.path, || {
            self.writer.add_document(entry.document).map(drop)
        });
        added.map_err(|error| self.cause().unwrap_or(error))
    }

    /// Returns why the writing thread ended, which the failed call does not report. A full disk does not
    /// count as damage.
    fn cause(&mut self) -> Option<TextIndexError> {
        let joined = guard(&self.index.path, || self.writer.prepare_commit().map(drop));
        joined.err()
    }

    /// Adds a note, replacing the one with the same key.
    pub fn replace(&mut self, entry: TextIndexEntry) -> Result<()> {
        self.remove(entry.key);
        self.insert(entry)
    }

    /// Removes a note, if it exists.
    pub fn remove(&mut self, key: u64) {
        self.writer
            .delete_term(Term::from_field_u64(key_field(), key));
    }

    /// Commits all changes together with `payload`.
    ///
    /// Merges small segments if there are too many, which takes milliseconds.
    pub fn commit(&mut self, payload: &str) -> Result<()> {
        guard(&self.index.path, || {
            let mut prepared = self.writer.prepare_commit()?;
            prepared.set_payload(payload);
            prepared.commit().map(drop)
        })?;
        let small = small(&self.segments()?);
        if small.len() > MAX_SMALL_SEGMENTS {
            match self.merge(&small) {
                // The changes are committed; without disk space the segments stay small.
                Err(TextIndexError::Io { .. }) => {}
                merged => return merged,
            }
        }
        Ok(())
    }

    /// Merges all segments into one, which is the fastest to search.
    ///
    /// Must directly follow [`TextWriter::commit`]. The first change of a writer has the number of the
    /// previous commit, and tantivy's merge drops such a change for some segments.
    pub fn merge_all(&mut self) -> Result<()> {
        let segments = self.segments()?;
        match segments.len() {
            0 | 1 => Ok(()),
            _ => self.merge(&segments.iter().map(SegmentMeta::id).collect::<Vec<_>>()),
        }
    }

    fn segments(&self) -> Result<Vec<SegmentMeta>> {
        guard(&self.index.path, || {
            self.index.index.searchable_segment_metas()
        })
    }

    fn merge(&mut self, segments: &[SegmentId]) -> Result<()> {
        guard(&self.index.path, || {
            self.writer.merge(segments).wait().map(drop)
        })
    }
}

/// Returns the small ones of `segments`.
fn small(segments: &[SegmentMeta]) -> Vec<SegmentId> {
    let small = segments
        .iter()
        .filter(|segment| segment.num_docs() < MAX_SMALL_NOTES);
    small.map(SegmentMeta::id).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::cache::text::clause::Clause;
    use crate::cache::text::schema::Column;
    use crate::note::words::analyzer::Pattern;
    use crate::note::words::language::Language;

    fn entry(key: u64, body: &str) -> TextIndexEntry {
        let mut entry = TextIndexEntry::new(key, Language::ENGLISH);
        entry.add(Column::Title, &format!("note {key}"));
        entry.add(Column::Body, body);
        entry
    }

    fn build(path: &Path, notes: u64) -> TextIndex {
        let index = TextIndex::create(path, Language::ENGLISH).unwrap();
        let mut writer = index.writer(Load::Few).unwrap();
        for key in 0..notes {
            writer.insert(entry(key, "green tea in the pot")).unwrap();
        }
        writer.commit("{\"generation\":1}").unwrap();
        drop(writer);
        index
    }

    fn ask(path: &Path) -> Result<usize> {
        let reader = TextIndex::open(path, Language::ENGLISH)?.reader()?;
        let clauses = ["tea", "pot", "note"].map(|w| Clause::of(Pattern::Word(w.to_owned())));
        let phrase = Clause::of(Pattern::Phrase("green tea".to_owned()));
        reader.matches(&phrase)?;
        Ok(reader.search(&clauses, 10, None)?.total)
    }

    #[test]
    fn survives_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), 3);
        assert_eq!(index.payload().unwrap(), "{\"generation\":1}");
        let again = TextIndex::open(folder.path(), Language::ENGLISH).unwrap();
        let mut writer = again.writer(Load::Few).unwrap();
        assert!(matches!(
            index.writer(Load::Few),
            Err(TextIndexError::Busy { .. })
        ));
        writer.replace(entry(1, "other")).unwrap();
        writer.remove(2);
        writer.commit("2").unwrap();
        writer.merge_all().unwrap();
        assert_eq!(again.payload().unwrap(), "2");
        assert_eq!(again.reader().unwrap().keys().unwrap(), [0, 1]);
        again.verify().unwrap();
    }

    #[test]
    fn segments_do_not_pile_up() {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), 1);
        let mut writer = index.writer(Load::Few).unwrap();
        for key in 1..40 {
            writer.replace(entry(key, "tea")).unwrap();
            writer.commit("").unwrap();
            assert!(writer.segments().unwrap().len() <= MAX_SMALL_SEGMENTS + 1);
        }
        writer.merge_all().unwrap();
        assert_eq!(writer.segments().unwrap().len(), 1);
        assert_eq!(index.reader().unwrap().notes, 40);
    }

    #[test]
    fn a_reader_keeps_its_commit() {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), 5);
        let before = index.reader().unwrap();
        let mut writer = index.writer(Load::Few).unwrap();
        for key in 0..5 {
            writer.remove(key);
        }
        writer.insert(entry(9, "tea")).unwrap();
        writer.commit("").unwrap();
        writer.merge_all().unwrap();
        let tea = Clause::of(Pattern::Word("tea".into()));
        assert_eq!(before.matches(&tea).unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(index.reader().unwrap().matches(&tea).unwrap(), [9]);
    }

    #[test]
    fn refuses_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere");
        assert!(matches!(ask(&nowhere), Err(TextIndexError::Missing { .. })));
        assert!(matches!(
            ask(folder.path()),
            Err(TextIndexError::Missing { .. })
        ));
        build(folder.path(), 1);
        let other = TextIndex::open(folder.path(), Language::NONE);
        assert!(matches!(other, Err(TextIndexError::Outdated { .. })));
    }

    #[test]
    fn damaged_files_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), 200);
        let mut writer = index.writer(Load::Few).unwrap();
        writer.remove(7);
        writer.commit("{\"generation\":2}").unwrap();
        drop(writer);
        let names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        let is_lock = |path: &&PathBuf| path.extension().is_some_and(|ending| ending == "lock");
        for path in names.iter().filter(|path| !is_lock(path)) {
            let whole = fs::read(path).unwrap();
            let zeroed = vec![0; whole.len()];
            let cuts = [0, 1, 5, 9, whole.len() / 2, whole.len() - 2];
            let damages = cuts
                .map(|cut| &whole[..cut])
                .into_iter()
                .chain([&zeroed[..]]);
            for damage in damages {
                fs::write(path, damage).unwrap();
                // Documents are not stored, so this file is never read.
                if path.extension().is_some_and(|ending| ending == "store") && damage.len() > 8 {
                    continue;
                }
                let result = ask(folder.path());
                assert!(
                    matches!(result, Err(TextIndexError::Damaged { .. })),
                    "{} cut to {} of {}: {result:?}",
                    path.display(),
                    damage.len(),
                    whole.len(),
                );
            }
            let mut flipped = whole.clone();
            flipped[0] ^= 1;
            fs::write(path, &flipped).unwrap();
            let index = TextIndex::open(folder.path(), Language::ENGLISH);
            assert!(
                index.and_then(|index| index.verify()).is_err(),
                "{}",
                path.display()
            );
            // A small file is verified completely.
            if path.extension().is_none_or(|ending| ending != "store") {
                let result = ask(folder.path());
                assert!(
                    matches!(result, Err(TextIndexError::Damaged { .. })),
                    "{}: {result:?}",
                    path.display()
                );
            }
            fs::write(path, &whole).unwrap();
            ask(folder.path()).unwrap();
        }
    }
}

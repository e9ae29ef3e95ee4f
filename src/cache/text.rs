//! The text index: which notes hold which words, and where.
//!
//! One tantivy document per note, keyed by a number of the caller's; nothing of the note is
//! stored. The catalog decides which keys exist and keeps the index in step with itself through
//! the payload of each commit; [`super::search`] answers questions.
//!
//! A cache: whatever is wrong with the files, opening says so and the caller builds afresh. Writes
//! do not wait for the disk (see `unsynced`). A reader sees the commit that was the last when
//! it opened, however much is written meanwhile.
//!
//! Deleted documents never count: neither in scores (see `search`) nor, for long, on disk, where
//! [`TextWriter::tidy`] merges what is small or mostly deleted.

use std::any::Any;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use tantivy::directory::error::{LockError, OpenReadError, OpenWriteError};
use tantivy::index::{SegmentId, SegmentMeta};
use tantivy::indexer::{IndexWriterOptions, NoMergePolicy};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer, TokenizerManager};
use tantivy::{
    Index, IndexSettings, IndexWriter, SegmentReader, TantivyDocument, TantivyError, Term,
};

use super::search::TextReader;
use super::unsynced::UnsyncedDirectory;
use crate::note::words::{Analyzer, Language, Purpose, Scan};

/// Raised when the analysis of text changes: an index of another number is built afresh.
const ANALYSIS: u32 = 2;
/// Segments of fewer notes are small: their merging takes milliseconds.
const SMALL: u32 = 2_000;
/// How many small segments may stand beside each other.
const SMALL_SEGMENTS: usize = 8;
/// The share of deleted notes from which all is written again.
const DELETED_SHARE: f64 = 0.2;

/// A part of a note that is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Column {
    /// The title.
    Title,
    /// Other names.
    Aliases,
    /// The headings of the body.
    Headings,
    /// The tags.
    Tags,
    /// All text after the front matter.
    Body,
    /// The path inside the vault.
    Path,
    /// The values of the user's own properties.
    Properties,
}

impl Column {
    /// All of them, in the order of their discriminants.
    pub const ALL: [Self; 7] = [
        Self::Title,
        Self::Aliases,
        Self::Headings,
        Self::Tags,
        Self::Body,
        Self::Path,
        Self::Properties,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Aliases => "aliases",
            Self::Headings => "headings",
            Self::Tags => "tags",
            Self::Body => "body",
            Self::Path => "path",
            Self::Properties => "properties",
        }
    }

    pub(super) fn field(self) -> Field {
        Field::from_field_id(self as u32)
    }
}

/// The field after the columns: the caller's number of the note.
fn key_field() -> Field {
    Field::from_field_id(Column::ALL.len() as u32)
}

pub(super) const KEY: &str = "key";

/// Why the text index cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// No index was ever built there.
    #[error("no text index in {}", .path.display())]
    Missing {
        /// The folder of the index.
        path: PathBuf,
    },
    /// The files are not those of a whole index.
    #[error("the text index in {} is damaged: {reason}", .path.display())]
    Damaged {
        /// The folder of the index.
        path: PathBuf,
        /// What tantivy says.
        reason: String,
    },
    /// It was built by another analysis or for another language.
    #[error("the text index in {} was built in another way", .path.display())]
    Outdated {
        /// The folder of the index.
        path: PathBuf,
    },
    /// Another process writes to it.
    #[error("the text index in {} is being written by another process", .path.display())]
    Busy {
        /// The folder of the index.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}", .path.display())]
    Io {
        /// The folder of the index.
        path: PathBuf,
        /// What it said.
        source: io::Error,
    },
}

/// A note as the index takes it in.
#[derive(Clone, Debug)]
pub struct Entry {
    key: u64,
    document: TantivyDocument,
}

impl Entry {
    /// Returns an entry without text for the note that the caller calls `key`.
    #[must_use]
    pub fn new(key: u64) -> Self {
        let mut document = TantivyDocument::default();
        document.add_u64(key_field(), key);
        Self { key, document }
    }

    /// Adds a text; several texts of a column stay apart, no phrase reaches across them.
    pub fn add(&mut self, column: Column, text: &str) {
        self.document.add_text(column.field(), text);
    }
}

/// An index on disk.
pub struct TextIndex {
    index: Index,
    path: PathBuf,
    language: Language,
}

impl TextIndex {
    /// Makes an empty index in the folder `path`, in place of any index that is there.
    pub fn create(path: &Path, language: Language) -> Result<Self, TextError> {
        let failed = |source| TextError::Io {
            path: path.to_owned(),
            source,
        };
        fs::create_dir_all(path).map_err(failed)?;
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if is_index_file(&entry.path()) {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        guard(path, || {
            let directory = UnsyncedDirectory::open(path)?;
            let index = Index::create(directory, schema(language), IndexSettings::default())?;
            Ok(Self::over(index, path, language))
        })
    }

    /// Opens the index in the folder `path`.
    ///
    /// Looks at the list of segments only; their files are looked at by [`TextIndex::reader`].
    pub fn open(path: &Path, language: Language) -> Result<Self, TextError> {
        if !path.join("meta.json").exists() {
            return Err(TextError::Missing {
                path: path.to_owned(),
            });
        }
        let index = guard(path, || Index::open(UnsyncedDirectory::open(path)?))?;
        if index.schema() != schema(language) {
            return Err(TextError::Outdated {
                path: path.to_owned(),
            });
        }
        Ok(Self::over(index, path, language))
    }

    fn over(mut index: Index, path: &Path, language: Language) -> Self {
        let tokenizers = TokenizerManager::default();
        tokenizers.register(&tokenizer_name(language), NoteTokenizer::new(language));
        index.set_tokenizers(tokenizers);
        Self {
            index,
            path: path.to_owned(),
            language,
        }
    }

    /// Returns whose word forms are one word.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns what the last commit was given to remember; empty before the first.
    pub fn payload(&self) -> Result<String, TextError> {
        Ok(self.commit_record()?.payload)
    }

    fn commit_record(&self) -> Result<CommitRecord, TextError> {
        let metas = guard(&self.path, || self.index.load_metas())?;
        let Some(text) = metas.payload else {
            return Ok(CommitRecord::default());
        };
        serde_json::from_str(&text).map_err(|error| TextError::Damaged {
            path: self.path.clone(),
            reason: error.to_string(),
        })
    }

    /// Opens the last commit for searching.
    pub fn reader(&self) -> Result<TextReader, TextError> {
        // A writer may delete merged segments between the reading of their list and their opening.
        let mut attempt = 0;
        loop {
            let record = self.commit_record()?;
            let opened = guard(&self.path, || {
                let segments = self.index.searchable_segments()?;
                let readers: Result<Vec<_>, _> = segments.iter().map(SegmentReader::open).collect();
                TextReader::over(readers?, &record.lengths, self.language, &self.path)
            });
            attempt += 1;
            match opened {
                Err(TextError::Damaged { .. }) if attempt < 3 => {}
                opened => return opened,
            }
        }
    }

    /// Opens the index for writing; one writer at a time.
    pub fn writer(&self, load: Load) -> Result<TextWriter, TextError> {
        let (threads, bytes) = match load {
            Load::Few => (1, 15_000_000),
            Load::Many => (2, 60_000_000),
        };
        let record = self.commit_record()?;
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
        let index = Self {
            index: self.index.clone(),
            path: self.path.clone(),
            language: self.language,
        };
        Ok(TextWriter {
            index,
            writer,
            record,
            is_dirty: false,
        })
    }

    /// Reads every file and compares it with its checksum.
    pub fn verify(&self) -> Result<(), TextError> {
        let damaged = guard(&self.path, || self.index.validate_checksum())?;
        match damaged.iter().min() {
            None => Ok(()),
            Some(file) => Err(TextError::Damaged {
                path: self.path.clone(),
                reason: format!("{} has another checksum", file.display()),
            }),
        }
    }
}

/// How much is about to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// A few notes: starts fast.
    Few,
    /// A whole vault: two threads and more memory.
    Many,
}

/// What a commit remembers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct CommitRecord {
    payload: String,
    /// Per large segment and column the tokens and the notes that have any, deleted ones included:
    /// what a reader would otherwise add up note by note.
    lengths: BTreeMap<String, [Length; 7]>,
}

/// How much text a column holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Length {
    /// Its tokens.
    pub(super) tokens: u64,
    /// The notes that have at least one.
    pub(super) notes: u64,
}

/// Changes to an index; nothing is seen by readers before [`TextWriter::commit`].
pub struct TextWriter {
    index: TextIndex,
    writer: IndexWriter,
    record: CommitRecord,
    /// Whether something changed since the last commit.
    is_dirty: bool,
}

impl TextWriter {
    /// Adds a note whose key the index does not hold.
    pub fn insert(&mut self, entry: Entry) -> Result<(), TextError> {
        self.is_dirty = true;
        guard(&self.index.path, || {
            self.writer.add_document(entry.document).map(drop)
        })
    }

    /// Adds a note in place of the one of the same key, if there is one.
    pub fn replace(&mut self, entry: Entry) -> Result<(), TextError> {
        self.remove(entry.key);
        self.insert(entry)
    }

    /// Removes a note; nothing happens when there is none.
    pub fn remove(&mut self, key: u64) {
        self.is_dirty = true;
        self.writer
            .delete_term(Term::from_field_u64(key_field(), key));
    }

    /// Makes all changes since the last commit visible, together with `payload`.
    ///
    /// Merges small segments when there are too many, which takes milliseconds.
    pub fn commit(&mut self, payload: &str) -> Result<(), TextError> {
        payload.clone_into(&mut self.record.payload);
        self.save()?;
        let small: Vec<SegmentId> = self
            .segments()?
            .iter()
            .filter(|segment| segment.num_docs() < SMALL)
            .map(SegmentMeta::id)
            .collect();
        if small.len() > SMALL_SEGMENTS {
            self.merge(&small)
        } else {
            Ok(())
        }
    }

    fn save(&mut self) -> Result<(), TextError> {
        let record = serde_json::to_string(&self.record)
            .expect("a map with text keys and numbers has a JSON form");
        guard(&self.index.path, || {
            let mut prepared = self.writer.prepare_commit()?;
            prepared.set_payload(&record);
            prepared.commit().map(drop)
        })?;
        self.is_dirty = false;
        Ok(())
    }

    /// Brings the committed segments into good order for reading.
    ///
    /// For the end of a bulk build and for quiet moments: writes all of the index again when it is
    /// in several large pieces or a fifth of it is deleted. Uncommitted changes are committed.
    pub fn tidy(&mut self) -> Result<(), TextError> {
        // The first change of a writer has the number of the commit before it, and tantivy's merge
        // then drops it for some segments: a merge must never meet a pending removal.
        if self.is_dirty {
            self.save()?;
        }
        let segments = self.segments()?;
        let deleted: u32 = segments.iter().map(SegmentMeta::num_deleted_docs).sum();
        let all: u32 = segments.iter().map(SegmentMeta::max_doc).sum();
        let large = segments
            .iter()
            .filter(|segment| segment.num_docs() >= SMALL)
            .count();
        let share = f64::from(deleted) / f64::from(all.max(1));
        if share > DELETED_SHARE || large > 1 {
            let ids: Vec<SegmentId> = segments.iter().map(SegmentMeta::id).collect();
            self.merge(&ids)?;
        } else if segments.len() > 1 {
            let small: Vec<SegmentId> = segments
                .iter()
                .filter(|segment| segment.num_docs() < SMALL)
                .map(SegmentMeta::id)
                .collect();
            if small.len() > 1 {
                self.merge(&small)?;
            }
        }
        let lengths = self.index.reader()?.lengths_of_segments(SMALL);
        if lengths != self.record.lengths {
            self.record.lengths = lengths;
            self.save()?;
        }
        Ok(())
    }

    fn segments(&self) -> Result<Vec<SegmentMeta>, TextError> {
        guard(&self.index.path, || {
            self.index.index.searchable_segment_metas()
        })
    }

    fn merge(&mut self, segments: &[SegmentId]) -> Result<(), TextError> {
        if segments.is_empty() {
            return Ok(());
        }
        guard(&self.index.path, || {
            self.writer.merge(segments).wait().map(drop)
        })
    }
}

fn schema(language: Language) -> Schema {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(&tokenizer_name(language))
        .set_index_option(IndexRecordOption::WithFreqsAndPositions)
        .set_fieldnorms(true);
    let options = TextOptions::default().set_indexing_options(indexing);
    for column in Column::ALL {
        schema.add_text_field(column.name(), options.clone());
    }
    schema.add_u64_field(KEY, INDEXED | FAST);
    schema.build()
}

/// The name under which the schema, and so the index on disk, remembers how it was built.
fn tokenizer_name(language: Language) -> String {
    format!("words-{ANALYSIS}-{language}")
}

/// Returns whether mem or tantivy made the file `path` for an index.
fn is_index_file(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    let ending = path
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    matches!(
        name,
        "meta.json" | ".managed.json" | "meta.json.new" | ".managed.json.new"
    ) || matches!(
        ending,
        "idx" | "pos" | "term" | "store" | "fast" | "fieldnorm" | "del" | "temp"
    )
}

thread_local! {
    /// How many guards this thread is inside of.
    static GUARDED: Cell<u32> = const { Cell::new(0) };
}

/// Returns true if a panic of this thread will be turned into an error, so that it is not worth a
/// word of its own.
#[must_use]
pub fn catches_panics() -> bool {
    GUARDED.get() > 0
}

/// Runs `read` and turns whatever goes wrong inside tantivy into an error.
///
/// tantivy trusts its files and panics on bytes that it did not write.
pub(super) fn guard<T>(
    path: &Path,
    read: impl FnOnce() -> tantivy::Result<T>,
) -> Result<T, TextError> {
    match caught(read) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(classify(path, &error)),
        Err(reason) => Err(TextError::Damaged {
            path: path.to_owned(),
            reason,
        }),
    }
}

/// Runs `run` and returns the words of its panic, if it comes to one.
pub(super) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    GUARDED.set(GUARDED.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(run));
    GUARDED.set(GUARDED.get() - 1);
    done.map_err(|panic| words_of(&*panic))
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

fn classify(path: &Path, error: &TantivyError) -> TextError {
    let path = path.to_owned();
    let source = match error {
        TantivyError::LockFailure(LockError::LockBusy, _) => return TextError::Busy { path },
        TantivyError::IoError(source)
        | TantivyError::OpenReadError(OpenReadError::IoError {
            io_error: source, ..
        })
        | TantivyError::OpenWriteError(OpenWriteError::IoError {
            io_error: source, ..
        })
        | TantivyError::LockFailure(LockError::IoError(source), _) => source,
        _ => {
            return TextError::Damaged {
                path,
                reason: error.to_string(),
            };
        }
    };
    match source.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof | io::ErrorKind::Other => {
            TextError::Damaged {
                path,
                reason: error.to_string(),
            }
        }
        kind => TextError::Io {
            path,
            source: io::Error::new(kind, source.to_string()),
        },
    }
}

/// [`Analyzer`] as tantivy calls it.
#[derive(Clone)]
struct NoteTokenizer {
    analyzer: Analyzer,
    token: Token,
}

impl NoteTokenizer {
    fn new(language: Language) -> Self {
        Self {
            analyzer: Analyzer::new(language),
            token: Token::default(),
        }
    }
}

impl Tokenizer for NoteTokenizer {
    type TokenStream<'a> = NoteTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> NoteTokens<'a> {
        NoteTokens {
            scan: self.analyzer.scan(text, Purpose::Index),
            token: &mut self.token,
        }
    }
}

struct NoteTokens<'a> {
    scan: Scan<'a>,
    token: &'a mut Token,
}

impl TokenStream for NoteTokens<'_> {
    fn advance(&mut self) -> bool {
        match self.scan.advance(&mut self.token.text) {
            Some(place) => {
                self.token.offset_from = place.range.start;
                self.token.offset_to = place.range.end;
                self.token.position = place.position;
                true
            }
            None => false,
        }
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::search::{Clause, Weights};
    use crate::note::words::Pattern;

    fn entry(key: u64, body: &str) -> Entry {
        let mut entry = Entry::new(key);
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

    fn ask(path: &Path) -> Result<usize, TextError> {
        let reader = TextIndex::open(path, Language::ENGLISH)?.reader()?;
        let clauses = ["tea", "pot", "note"].map(|w| Clause::of(Pattern::Word(w.to_owned())));
        let phrase = Clause::of(Pattern::Phrase("green tea".to_owned()));
        reader.matches(&phrase)?;
        Ok(reader
            .search(&clauses, &Weights::default(), 10, None)?
            .total)
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
            Err(TextError::Busy { .. })
        ));
        writer.replace(entry(1, "other")).unwrap();
        writer.remove(2);
        writer.commit("2").unwrap();
        writer.tidy().unwrap();
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
            assert!(writer.segments().unwrap().len() <= SMALL_SEGMENTS + 1);
        }
        writer.tidy().unwrap();
        assert_eq!(writer.segments().unwrap().len(), 1);
        assert_eq!(index.reader().unwrap().notes(), 40);
    }

    #[test]
    fn what_is_mostly_deleted_is_written_again() {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), 10);
        let mut writer = index.writer(Load::Few).unwrap();
        for key in 0..4 {
            writer.remove(key);
        }
        writer.commit("").unwrap();
        assert_eq!(writer.segments().unwrap()[0].num_deleted_docs(), 4);
        writer.tidy().unwrap();
        assert_eq!(writer.segments().unwrap()[0].num_deleted_docs(), 0);
        assert_eq!(index.reader().unwrap().keys().unwrap(), [4, 5, 6, 7, 8, 9]);
    }

    #[test]
    fn lengths_are_remembered_for_large_segments() {
        let folder = tempfile::tempdir().unwrap();
        let index = build(folder.path(), u64::from(SMALL));
        let mut writer = index.writer(Load::Few).unwrap();
        writer.tidy().unwrap();
        assert_eq!(index.commit_record().unwrap().lengths.len(), 1);
        let before = index.reader().unwrap();
        writer.record.lengths.clear();
        writer.commit("").unwrap();
        let after = index.reader().unwrap();
        assert_eq!(before.lengths_of_segments(0), after.lengths_of_segments(0));
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
        writer.tidy().unwrap();
        let tea = Clause::of(Pattern::Word("tea".into()));
        assert_eq!(before.matches(&tea).unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(index.reader().unwrap().matches(&tea).unwrap(), [9]);
    }

    #[test]
    fn a_new_index_replaces_whatever_was_there() {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path(), 3);
        fs::write(folder.path().join("meta.json"), "x").unwrap();
        fs::write(folder.path().join(".managed.json"), "x").unwrap();
        fs::write(folder.path().join("catalog.mdb"), "kept").unwrap();
        build(folder.path(), 2);
        assert_eq!(ask(folder.path()).unwrap(), 2);
        assert!(folder.path().join("catalog.mdb").exists());
    }

    #[test]
    fn what_is_no_index_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let nowhere = folder.path().join("nowhere");
        assert!(matches!(ask(&nowhere), Err(TextError::Missing { .. })));
        assert!(matches!(ask(folder.path()), Err(TextError::Missing { .. })));
        build(folder.path(), 1);
        let other = TextIndex::open(folder.path(), Language::NONE);
        assert!(matches!(other, Err(TextError::Outdated { .. })));
    }

    #[test]
    fn damage_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        build(folder.path(), 200);
        let names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        for path in names.iter().filter(|path| is_index_file(path)) {
            let whole = fs::read(path).unwrap();
            let zeroed = vec![0; whole.len()];
            let cuts = [0, 1, 5, 9, whole.len() / 2, whole.len() - 2];
            let damages = cuts
                .map(|cut| &whole[..cut])
                .into_iter()
                .chain([&zeroed[..]]);
            for damage in damages {
                fs::write(path, damage).unwrap();
                // The documents themselves are not stored, so nothing ever reads this file.
                if path.extension().is_some_and(|ending| ending == "store") && damage.len() > 8 {
                    continue;
                }
                let result = ask(folder.path());
                assert!(
                    matches!(result, Err(TextError::Damaged { .. })),
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
            fs::write(path, &whole).unwrap();
            ask(folder.path()).unwrap();
        }
    }
}

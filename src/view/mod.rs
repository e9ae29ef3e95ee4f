//! A read-only picture of a vault at one moment, used by recall and jobs.
//!
//! A view reads from the catalog snapshot taken when it was made. Note texts come from files, and
//! only while a file still matches the catalog's content hash.

pub mod already_applied;
pub mod anchors;
pub mod counts;
mod entry;
pub mod fact_graph;
mod fields;
pub mod general_titles;
pub mod graph;
pub mod learned;
pub mod lexicon;
pub mod link_probability;
pub mod link_targets;
pub mod links;
pub mod names;
mod naming;
mod prelude;
pub mod remap;
pub mod section;
pub mod signals;
pub mod similarity;
pub mod style;
#[cfg(test)]
pub(crate) mod tests;
pub mod text;
pub mod usage;

pub use self::fact_graph::FactFilter;
pub use self::graph::EdgeFilter;
pub use self::remap::is_wikilink_target;
pub use self::similarity::NoteSimilarity;
#[cfg(test)]
pub(crate) use self::tests::IndexedVault;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use jiff::Zoned;

use crate::cache::counts::AllCounts;
use crate::cache::{CacheError, CatalogReader, Details, Result, Slot, TextReader, index_entry};
use crate::finding::Answers;
use crate::finding::question::{Answer, QuestionKey, QuestionKind};
use crate::journal::decisions;
use crate::journal::facts::KnownFacts;
use crate::journal::provenance::{self, Provenance};
use crate::note::VaultPath;
use crate::note::words::hash::ContentHash;
use crate::signals::options::SignalFormulaOptions;
use crate::vault::{JOURNAL, NoteText, ReadError, Vault};

pub use entry::Entry;
use learned::{LearnedNotes, UsageFiles};

/// A vault at one moment.
#[must_use]
pub struct View<'v> {
    vault: &'v Vault,
    reading: CatalogReader,
    near: Option<NoteSimilarity>,
    text_index: Option<TextReader>,
    provenance: OnceLock<Provenance>,
    known_facts: OnceLock<KnownFacts>,
    answers: OnceLock<Answers>,
    /// Files that record note usage; `None` if usage is not read from files.
    pub uses: Option<UsageFiles>,
    learned: OnceCell<LearnedNotes>,
    /// The usual style of links in the vault: whether Markdown, the index of its form, whether with `.md`.
    link_style: OnceLock<Option<(bool, usize, bool)>>,
    /// Adoption time of each note in seconds since 1970, by path.
    adopted: OnceLock<HashMap<String, i64>>,
    pub(crate) signals: Signals,
    /// Saved queries by name.
    pub saved: BTreeMap<String, String>,
    /// Texts of notes in an editor that are not saved yet; they count instead of the files.
    pub unsaved: HashMap<VaultPath, String>,
    /// The current time in the user's time zone; all time-dependent results use it.
    pub now: Zoned,
}

/// Options, counts and the counts file from which signals are computed.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    options: SignalFormulaOptions,
    /// Number of notes whose links were counted individually.
    counted: AtomicUsize,
    counts: OnceLock<AllCounts>,
    /// File that caches the counts for later processes.
    pub(crate) kept: Option<PathBuf>,
}

/// Why a note's text is unavailable.
#[derive(Debug, thiserror::Error)]
pub enum NoteTextError {
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file no longer matches the catalog.
    #[error("`{0}` changed since it was indexed")]
    Changed(VaultPath),
}

impl NoteTextError {
    /// Returns the message about a note that a job could not read. `None` for a note that is being
    /// edited: the next run reads it.
    pub fn skipped(&self) -> Option<String> {
        match self {
            Self::Read(error) => Some(format!("`{}`: {}", error.path(), error.reason())),
            Self::Changed(_) => None,
        }
    }
}

impl<'v> View<'v> {
    /// Creates a view of `vault` over the catalog snapshot `reading`.
    pub fn new(vault: &'v Vault, reading: CatalogReader, now: Zoned) -> Self {
        Self {
            vault,
            reading,
            near: None,
            text_index: None,
            provenance: OnceLock::new(),
            known_facts: OnceLock::new(),
            answers: OnceLock::new(),
            uses: None,
            learned: OnceCell::new(),
            link_style: OnceLock::new(),
            adopted: OnceLock::new(),
            signals: Signals::default(),
            saved: BTreeMap::new(),
            unsaved: HashMap::new(),
            now,
        }
    }

    /// Adds vectors, which similarity queries need.
    pub fn with_near(mut self, near: Option<NoteSimilarity>) -> Self {
        self.near = near;
        self
    }

    /// Returns the vectors; `None` if the vault has none.
    pub fn near(&self) -> Option<&NoteSimilarity> {
        self.near.as_ref()
    }

    /// Returns all notes, ordered by path.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        self.entries_where(|_| true)
    }

    /// Returns the notes that `wanted` accepts, ordered by path.
    pub fn entries_where(&self, wanted: impl Fn(&Entry) -> bool) -> Result<Vec<Entry>> {
        let mut entries = self.by_slot(wanted)?;
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    /// Returns the notes that `wanted` accepts, ordered by slot.
    fn by_slot(&self, wanted: impl Fn(&Entry) -> bool) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.reading.scan(|slot, row, path| {
            if let Ok(path) = VaultPath::new(path) {
                let entry = Entry { slot, path, row };
                if wanted(&entry) {
                    entries.push(entry);
                }
            }
        })?;
        Ok(entries)
    }

    /// Returns the note with this slot.
    pub fn entry(&self, slot: Slot) -> Result<Option<Entry>> {
        Ok(self.reading.row(slot)?.and_then(|(row, path)| {
            VaultPath::new(path)
                .ok()
                .map(|path| Entry { slot, path, row })
        }))
    }

    /// Returns the note at `path`.
    pub fn at(&self, path: &VaultPath) -> Result<Option<Entry>> {
        match self.reading.at(path)? {
            Some(slot) => self.entry(slot),
            None => Ok(None),
        }
    }

    /// Returns the details of a note (title, aliases, links, properties).
    pub fn details(&self, slot: Slot) -> Result<Details> {
        Ok(self.reading.details(slot)?.unwrap_or_default())
    }

    /// Returns the underlying catalog.
    pub fn reading(&self) -> &CatalogReader {
        &self.reading
    }

    /// Returns the entry and details that a note would have with the text `text`.
    pub fn as_if(&self, entry: &Entry, text: &str) -> (Entry, Details) {
        let (row, details) = index_entry::entry_for_text(&entry.path, text, &entry.row);
        let entry = Entry {
            row,
            ..entry.clone()
        };
        (entry, details)
    }

    /// Returns the current text of a note, unsaved or in its file, regardless of the catalog.
    pub fn file(&self, path: &VaultPath) -> Result<NoteText, NoteTextError> {
        if let Some(text) = self.unsaved.get(path) {
            return Ok(NoteText {
                text: text.clone(),
                stat: self.vault.stat(path).unwrap_or_default(),
                hash: ContentHash::of(text.as_bytes()),
            });
        }
        Ok(self.vault.read(path)?)
    }

    /// Returns the provenance of relations; reads the journal on the first call.
    pub fn provenance(&self) -> Result<&Provenance> {
        self.journaled(&self.provenance, provenance::load)
    }

    /// Returns the facts that judges extracted; reads the journal on the first call.
    pub fn known_facts(&self) -> Result<&KnownFacts> {
        self.journaled(&self.known_facts, KnownFacts::load)
    }

    /// Returns all answers to questions; reads the journal on the first call.
    fn answers(&self) -> Result<&Answers> {
        self.journaled(&self.answers, decisions::load)
    }

    /// Returns whether a person or judge refused that `newer` replaces `older`, also before either was repeated.
    pub fn refused_replacement(&self, newer: &Entry, older: &Entry) -> Result<bool> {
        let keys = [self.content_key(newer)?, self.content_key(older)?];
        let key = QuestionKey::new(QuestionKind::Conflict, &keys);
        let answers = self.answers()?;
        let mut keys = [key, key.again(newer.row.created)].into_iter();
        Ok(keys.any(|key| answers.get(key) == Some(Answer::No)))
    }

    /// Returns the content of `known`, loading it from the journal on the first call.
    fn journaled<'k, T>(
        &self,
        known: &'k OnceLock<T>,
        load: impl FnOnce(&Path) -> io::Result<T>,
    ) -> Result<&'k T> {
        if let Some(known) = known.get() {
            return Ok(known);
        }
        let journal = self.vault.own_path(JOURNAL);
        let loaded = load(&journal).map_err(CacheError::at(journal))?;
        Ok(known.get_or_init(|| loaded))
    }

    /// Returns the content key of a note: a hash of its title and body, ignoring case and spacing.
    /// Decisions are stored under it.
    pub fn content_key(&self, entry: &Entry) -> Result<u64> {
        Ok(entry.content_key_with(&self.details(entry.slot)?.title))
    }
}

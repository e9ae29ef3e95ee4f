//! The one read-only picture of a vault at one moment: what recall and jobs see.
//!
//! A view answers from the catalog as it was when the view was made; the text of a note comes from
//! its file and is given out only while it is the text that the catalog speaks of.

pub mod anchors;
pub mod chance;
pub mod counts;
pub mod done;
mod entry;
pub mod facts;
mod fields;
pub mod general_titles;
pub mod graph;
pub mod leads;
pub mod learned;
pub mod lexicon;
pub mod links;
pub mod names;
mod naming;
pub mod near;
mod prelude;
pub mod remap;
pub mod section;
pub mod signals;
pub mod style;
#[cfg(test)]
pub(crate) mod tests;
pub mod text;
pub mod usage;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicUsize;

use jiff::Zoned;

use crate::cache::catalog::CatalogReader;
use crate::cache::counts::AllCounts;
use crate::cache::row::{Details, Slot};
use crate::cache::text::reader::TextReader;
use crate::cache::{CacheError, Result, index_entry};
use crate::journal::facts::KnownFacts;
use crate::journal::provenance::{self, Provenance};
use crate::note::path::VaultPath;
use crate::note::words::hash;
use crate::signals::options::Options;
use crate::vault::{JOURNAL, NoteText, ReadError, Vault};

pub use entry::Entry;
use learned::{LearnedNotes, UsageFiles};
use near::Near;

/// A vault at one moment.
pub struct View<'v> {
    vault: &'v Vault,
    reading: CatalogReader,
    near: Option<Near>,
    words: Option<TextReader>,
    provenance: OnceLock<Provenance>,
    known_facts: OnceLock<KnownFacts>,
    /// Where uses of notes are kept.
    pub uses: Option<UsageFiles>,
    learned: OnceCell<LearnedNotes>,
    /// Since when notes are known, in seconds since 1970, by path.
    adopted: OnceLock<HashMap<String, i64>>,
    pub(crate) signals: Signals,
    /// Queries by the names that they are saved under.
    pub saved: BTreeMap<String, String>,
    /// The moment, for everything that depends on time, where the person lives.
    pub now: Zoned,
}

/// What signals are worked out from, as far as a view was asked for it.
#[derive(Debug, Default)]
pub(crate) struct Signals {
    options: Options,
    /// How many notes had their links counted one by one.
    counted: AtomicUsize,
    counts: OnceLock<AllCounts>,
    /// The file that keeps them for others.
    pub(crate) kept: Option<PathBuf>,
}

/// Why a note's text cannot be given.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file is no longer what the catalog knows.
    #[error("`{0}` changed since it was indexed")]
    Changed(VaultPath),
}

impl TextError {
    /// Returns what a job says of a note that it could not look at; nothing of one that is being edited
    /// right now: it is looked at next time.
    pub fn skipped(&self) -> Option<String> {
        match self {
            Self::Read(error) => Some(format!("`{}`: {}", error.path(), error.reason())),
            Self::Changed(_) => None,
        }
    }
}

impl<'v> View<'v> {
    /// Returns the view of `vault` that `reading` has.
    #[must_use]
    pub fn new(vault: &'v Vault, reading: CatalogReader, now: Zoned) -> Self {
        Self {
            vault,
            reading,
            near: None,
            words: None,
            provenance: OnceLock::new(),
            known_facts: OnceLock::new(),
            uses: None,
            learned: OnceCell::new(),
            adopted: OnceLock::new(),
            signals: Signals::default(),
            saved: BTreeMap::new(),
            now,
        }
    }

    /// Returns this view, which knows from now on what is near what.
    #[must_use]
    pub fn with_near(mut self, near: Option<Near>) -> Self {
        self.near = near;
        self
    }

    /// Returns what its notes mean beside each other; `None` without vectors.
    pub fn near(&self) -> Option<&Near> {
        self.near.as_ref()
    }

    /// Returns every note, in the order of paths.
    pub fn entries(&self) -> Result<Vec<Entry>> {
        let mut entries = self.by_slot()?;
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    /// Returns every note, in the order of slots.
    fn by_slot(&self) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        self.reading.scan(|slot, row, path| {
            if let Ok(path) = VaultPath::new(path) {
                entries.push(Entry { slot, path, row });
            }
        })?;
        Ok(entries)
    }

    /// Returns the note of `slot`.
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

    /// Returns what else is known of a note.
    pub fn details(&self, slot: Slot) -> Result<Details> {
        Ok(self.reading.details(slot)?.unwrap_or_default())
    }

    /// Returns the catalog behind this view.
    pub fn reading(&self) -> &CatalogReader {
        &self.reading
    }

    /// Returns the text of a note, if it is still the one that the catalog knows.
    pub fn text(&self, entry: &Entry) -> Result<String, TextError> {
        let file = self.vault.read(&entry.path)?;
        if file.hash == entry.row.content {
            Ok(file.text)
        } else {
            Err(TextError::Changed(entry.path.clone()))
        }
    }

    /// Returns a note, and what else is known of it, as they would be if its text was `text`.
    pub fn as_if(&self, entry: &Entry, text: &str) -> (Entry, Details) {
        let (row, details) = index_entry::as_if(&entry.path, text, entry.row.stat);
        let entry = Entry {
            row,
            ..entry.clone()
        };
        (entry, details)
    }

    /// Returns a note as its file is now, regardless of the catalog.
    pub fn file(&self, path: &VaultPath) -> Result<NoteText, TextError> {
        Ok(self.vault.read(path)?)
    }

    /// Returns where relations come from, read from the journal when it is first asked for.
    pub fn provenance(&self) -> Result<&Provenance> {
        self.journaled(&self.provenance, provenance::load)
    }

    /// Returns what judges read out of notes, read from the journal when it is first asked for.
    pub fn known_facts(&self) -> Result<&KnownFacts> {
        self.journaled(&self.known_facts, KnownFacts::load)
    }

    /// Returns what `known` holds, which `load` reads from the journal at the first call.
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

    /// Returns the hash of what a note says, its title and body with case and space evened out: what
    /// decisions are remembered by.
    pub fn content_key(&self, entry: &Entry) -> Result<u64> {
        let title = hash::normal_hash(&self.details(entry.slot)?.title);
        Ok(title.rotate_left(1) ^ entry.row.body)
    }
}

//! What the journal knows of the use of notes, and where it is looked up.
//!
//! The journal's fold is kept beside the catalog and made anew when the journal is another; what happened
//! since, on this machine, is added from the events.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::cache::CacheError;
use crate::cache::learned::{LearnedFile, encode};
use crate::journal::events::{Event, Events};
use crate::journal::usage::{self, How};
use crate::signals::usage::Usage;
use crate::vault::own;

/// Where uses are kept, and how they count.
#[derive(Clone, Debug)]
pub struct UseSource {
    /// The file that keeps the journal's fold; it may be deleted.
    pub file: PathBuf,
    pub events: Events,
    pub how: How,
}

/// What is known of all notes.
#[derive(Debug)]
pub(super) struct LearnedNotes {
    journal: PathBuf,
    source: Option<UseSource>,
    fold: Fold,
    /// What is not in the journal yet, by note, once it is asked for.
    since: OnceCell<HashMap<String, Vec<Event>>>,
}

#[derive(Debug)]
enum Fold {
    File(LearnedFile),
    /// Where no file can be written.
    Memory {
        by_path: HashMap<String, Usage>,
        by_body: HashMap<u64, String>,
    },
}

impl Fold {
    fn get(&self, path: &str, body: u64) -> io::Result<Option<Usage>> {
        match self {
            Self::File(file) => file.get(path, body),
            Self::Memory { by_path, by_body } => {
                let renamed = || by_path.get(by_body.get(&body).filter(|_| body != 0)?);
                Ok(by_path.get(path).or_else(renamed).cloned())
            }
        }
    }
}

impl LearnedNotes {
    /// Opens what is known below the folder `journal`.
    pub(super) fn open(journal: PathBuf, source: Option<UseSource>) -> Result<Self, CacheError> {
        let fold = fold(&journal, source.as_ref(), true)?;
        Ok(Self {
            journal,
            source,
            fold,
            since: OnceCell::new(),
        })
    }

    /// Reads all of it at once, for those who look at most notes.
    pub(super) fn read_all(&self) {
        if let Fold::File(file) = &self.fold {
            // What cannot be read at once is read one by one.
            let _ = file.read_all();
        }
    }

    /// Returns what the journal knows of the note at `path`, or of the one that had this body.
    pub(super) fn get(&self, path: &str, body: u64) -> Result<Option<Usage>, CacheError> {
        if let Ok(found) = self.fold.get(path, body) {
            return Ok(found);
        }
        // A flipped bit: what the file is made of is at hand.
        let again = fold(&self.journal, self.source.as_ref(), false)?;
        Ok(again.get(path, body).unwrap_or(None))
    }

    /// Adds what happened to the note at `path` and is not in the journal yet.
    pub(super) fn add_waiting(&self, path: &str, usage: &mut Usage) -> Result<(), CacheError> {
        let Some(source) = &self.source else {
            return Ok(());
        };
        let since = if let Some(since) = self.since.get() {
            since
        } else {
            let since = waiting(source)?;
            self.since.get_or_init(|| since)
        };
        if let Some(events) = since.get(path) {
            usage::add(usage, events, &source.how);
        }
        Ok(())
    }
}

/// Returns what is not in the journal yet, by note.
fn waiting(source: &UseSource) -> Result<HashMap<String, Vec<Event>>, CacheError> {
    let waiting = source.events.waiting();
    let waiting = waiting.map_err(|error| CacheError::Io {
        path: source.file.clone(),
        source: error,
    })?;
    let mut since: HashMap<String, Vec<Event>> = HashMap::new();
    for event in usage::from_outside(waiting) {
        for note in &event.notes {
            let of_note = since.entry(note.clone()).or_default();
            of_note.push(event.clone());
        }
    }
    Ok(since)
}

/// Returns the journal's fold, from the file that keeps it if that `may_be_read`.
fn fold(journal: &Path, source: Option<&UseSource>, may_be_read: bool) -> Result<Fold, CacheError> {
    let parameters = source.map(|source| source.how.parameters.clone());
    let parameters = parameters.unwrap_or_default();
    let stamp = usage::stamp(journal);
    let stamp = xxh3_64_with_seed(format!("{parameters:?}").as_bytes(), stamp);
    let path = source.map(|source| &source.file);
    let readable = path.filter(|_| may_be_read);
    if let Some(file) = readable.and_then(|path| LearnedFile::open(path, stamp)) {
        return Ok(Fold::File(file));
    }
    let learned = usage::load(journal, &parameters).map_err(|source| CacheError::Io {
        path: journal.to_owned(),
        source,
    })?;
    if let Some(path) = path.filter(|_| !learned.is_empty()) {
        let usages = learned
            .iter()
            .map(|(path, known)| (path.as_str(), known.body.0, &known.usage));
        let kept = encode(stamp, usages).and_then(|bytes| own::write_atomically(path, &bytes));
        let file = kept.ok().and_then(|()| LearnedFile::open(path, stamp));
        if let Some(file) = file {
            return Ok(Fold::File(file));
        }
    }
    let mut names: Vec<(&String, u64)> = learned
        .iter()
        .map(|(path, known)| (path, known.body.0))
        .collect();
    names.sort_unstable();
    let by_body = names.into_iter().rev();
    let by_body = by_body.map(|(path, body)| (body, path.clone())).collect();
    let by_path = learned.into_iter();
    let by_path = by_path.map(|(path, known)| (path, known.usage)).collect();
    Ok(Fold::Memory { by_path, by_body })
}

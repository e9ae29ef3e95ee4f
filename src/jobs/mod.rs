//! The maintenance jobs: each looks at a view and finds what it would change.
//!
//! A job is pure: same view, answers and options, same [`Findings`]. It touches no file and asks
//! nobody; `run` decides what is applied and what waits for an answer. What a
//! finding takes to be done it says in acts, from which `change` works out the changes.

pub mod conflicts;
pub mod dedupe;
pub mod doctor;
pub mod link;
#[cfg(test)]
pub(crate) mod scene;

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::cache::CacheError;
use crate::cache::row::{Flags, Slot};
use crate::finding::Finding;
use crate::finding::act::Act;
use crate::finding::question::{Answers, Kind, QuestionKey};
use crate::signals::tier::Tier;
use crate::view::{Entry, View};

/// A job and what it goes by.
#[derive(Clone, Debug)]
pub enum Job {
    /// Merges notes that say the same.
    Dedupe(dedupe::Options),
    /// States what contradicts or replaces what.
    Conflicts(conflicts::Options),
    /// Joins notes that belong together.
    Link(link::Options),
}

impl Job {
    /// Returns the name, as the user types it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dedupe(_) => "dedupe",
            Self::Conflicts(_) => "conflicts",
            Self::Link(_) => "link",
        }
    }

    /// Returns a hash of all that decides, beside the notes, what it finds.
    #[must_use]
    pub fn basis(&self, view: &View<'_>, answers: &Answers) -> u64 {
        let forgotten = answers.forgotten();
        xxh3_64(format!("{self:?} {:?} {forgotten}", view.thresholds()).as_bytes())
    }

    /// Finds what it would do, beginning at `seeds`.
    pub fn find(
        &self,
        view: &View<'_>,
        answers: &Answers,
        seeds: &Seeds,
    ) -> Result<Findings, CacheError> {
        match self {
            Self::Dedupe(options) => dedupe::find(view, answers, seeds, options),
            Self::Conflicts(options) => conflicts::find(view, answers, seeds, options),
            Self::Link(options) => link::find(view, answers, seeds, options),
        }
    }
}

/// What a job found.
#[derive(Debug, Default)]
pub struct Findings {
    /// What it would do.
    pub found: Vec<Finding>,
    /// Pairs that were compared.
    pub compared: usize,
    /// Notes that could not be looked at, and why.
    pub skipped: Vec<String>,
    /// Notes that it was to begin at and did not come to: the next run begins there.
    pub left: HashSet<Slot>,
}

/// The notes that a job begins at: pairs of which neither is here are left alone.
#[derive(Clone, Debug, Default)]
pub enum Seeds {
    /// All notes.
    #[default]
    All,
    /// These.
    Of(HashSet<Slot>),
}

impl Seeds {
    /// Returns true if the job begins at this note.
    #[must_use]
    pub fn has(&self, slot: Slot) -> bool {
        match self {
            Self::All => true,
            Self::Of(slots) => slots.contains(&slot),
        }
    }
}

/// Returns the notes that take part in jobs, in the order of paths: neither forgotten ones nor those
/// that cannot be read.
fn living(view: &View<'_>) -> Result<Vec<Entry>, CacheError> {
    let mut entries = view.entries()?;
    entries.retain(|entry| {
        let flags = entry.row.flags;
        flags.tier() != Tier::Forgotten && !flags.has(Flags::UNREADABLE)
    });
    Ok(entries)
}

/// Returns the finding that `act` should be done to two notes, as an answer to a question about both.
pub(crate) fn pair(
    view: &View<'_>,
    kind: Kind,
    notes: [&Entry; 2],
    act: Act,
) -> Result<Finding, CacheError> {
    let keys = [view.content_key(notes[0])?, view.content_key(notes[1])?];
    Ok(Finding {
        key: QuestionKey::new(kind, &keys),
        notes: notes.map(|note| note.path.clone()).to_vec(),
        acts: vec![act],
        weight: 0.0,
        certain: false,
        reason: String::new(),
        turned: keys[0] > keys[1],
    })
}

/// Returns true if something was done since about the notes of `finding` that makes it another question.
pub fn is_outdated(view: &View<'_>, finding: &Finding) -> Result<bool, CacheError> {
    match finding.kind() {
        Kind::Link => link::is_outdated(view, finding),
        Kind::Merge | Kind::Conflict | Kind::Mention => Ok(false),
    }
}

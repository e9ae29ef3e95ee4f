//! The maintenance jobs: each looks at a view and finds what it would change.
//!
//! A job is pure: same view, answers and options, same [`Findings`]. It touches no file and asks
//! nobody; `run` decides what is applied and what waits for an answer. [`group`] works out the changes
//! that a finding takes, from the notes as they are then.

pub mod conflicts;
pub mod dedupe;
pub mod doctor;
pub mod link;
pub mod relate;
#[cfg(test)]
pub(crate) mod scene;

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use crate::cache::CacheError;
use crate::cache::row::{Flags, Slot, Tier};
use crate::finding::Finding;
use crate::finding::plan::Group;
use crate::finding::question::{Answer, Answers, Kind};
use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use crate::view::repoint::RepointError;
use crate::view::{Entry, TextError, View};

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

/// Returns the finding that `first` should state `relation` about `second`.
pub(crate) fn pair(
    view: &View<'_>,
    kind: Kind,
    [first, second]: [&Entry; 2],
    relation: Relation,
) -> Result<Finding, CacheError> {
    let keys = [view.meaning(first)?, view.meaning(second)?];
    let notes = [&first.path, &second.path];
    Ok(Finding::pair(kind, notes, keys, relation))
}

/// Why the changes that a finding takes cannot be worked out.
#[derive(Debug, thiserror::Error)]
pub enum GroupError {
    /// The caches fail.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A note cannot be read, or changed since it was indexed.
    #[error(transparent)]
    Text(#[from] TextError),
    /// A link cannot be made to lead elsewhere.
    #[error(transparent)]
    Repoint(#[from] RepointError),
    /// The note is not there any more.
    #[error("`{0}` is gone")]
    Gone(VaultPath),
    /// A note that links to one of them could not be made to link to the keeper.
    #[error("`{gone}`: `{linking}` links to it, and its front matter cannot be read")]
    Unreadable {
        /// The note that would go.
        gone: VaultPath,
        /// The note that links to it.
        linking: VaultPath,
    },
    /// The note does not name the other any more.
    #[error("`{note}` does not say `{name}` any more")]
    Unnamed {
        /// The note.
        note: VaultPath,
        /// The name.
        name: String,
    },
    /// A property with the name of a relation holds something else, which is its author's.
    #[error("`{note}`: its property `{relation}` is no list of links")]
    Taken {
        /// The note.
        note: VaultPath,
        /// The relation.
        relation: Relation,
    },
}

/// Returns the changes that carry out `finding` as it was answered, from the notes as they are now.
pub fn group(view: &View<'_>, finding: &Finding, answer: Answer) -> Result<Group, GroupError> {
    match finding.kind() {
        Kind::Merge => dedupe::group(view, finding),
        Kind::Conflict | Kind::Link => relate::group(view, finding, answer),
        Kind::Mention => link::group(view, finding),
    }
}

/// Returns true if something was done since about the notes of `finding` that makes it another question.
pub fn is_outdated(view: &View<'_>, finding: &Finding) -> Result<bool, CacheError> {
    match finding.kind() {
        Kind::Link => link::is_outdated(view, finding),
        Kind::Merge | Kind::Conflict | Kind::Mention => Ok(false),
    }
}

/// Returns true if what `finding` says stands in the notes already.
pub fn is_done(view: &View<'_>, finding: &Finding) -> Result<bool, CacheError> {
    match finding.kind() {
        Kind::Merge => Ok(false),
        Kind::Conflict | Kind::Link | Kind::Mention => relate::is_joined(view, finding),
    }
}

//! What every job does: look at a view, and say what it would change.

use std::fmt::Debug;

use crate::jobs::prelude::*;
use crate::note::names::filename::is_among_templates;

/// The options of a job. How they are printed for debugging decides whether what was found before still
/// counts: two that find different things must not print the same.
pub trait Find: Debug {
    /// Finds what the job would do, beginning at `seeds`.
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings>;

    /// Returns why these options leave nothing in this vault to look at, if they do.
    fn misfit(&self, _: &View<'_>) -> Result<Option<String>> {
        Ok(None)
    }

    /// Returns which notes these options have it look after.
    fn notes(&self) -> Notes {
        Notes::All
    }

    /// Returns true if the age of notes decides what is found: then time alone brings something about, and
    /// each run looks at all of them and keeps since when it knows them.
    fn ages(&self) -> bool {
        false
    }

    /// Returns true if more than the notes that changed decides what is found: then each run looks at all.
    fn looks_anew(&self) -> bool {
        self.ages()
    }

    /// Returns the notes at which each run begins, although they are as they were: something else is not.
    fn stale(&self, _: &View<'_>) -> Result<Vec<Slot>> {
        Ok(Vec::new())
    }

    /// Returns true if something was done since about the notes of `finding` that makes it another
    /// question: by default, because its first note is there by now.
    fn is_outdated(&self, view: &View<'_>, finding: &Finding) -> Result<bool> {
        match finding.acts.first() {
            Some(Act::Create { path, .. }) => Ok(view.at(path)?.is_some()),
            _ => Ok(false),
        }
    }
}

/// Which notes a job looks after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Notes {
    /// Those that mem or an agent wrote.
    #[default]
    Managed,
    All,
}

impl Notes {
    /// Returns true if this note is one of them.
    pub fn has(self, entry: &Entry) -> bool {
        self == Self::All || entry.is_managed()
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
    /// What is to be said, as somebody asked for.
    pub notices: Vec<String>,
    /// Notes that it was to begin at and did not come to: the next run begins there.
    pub left: HashSet<Slot>,
}

/// The notes that a job begins at: pairs of which neither is here are left alone.
#[derive(Clone, Debug, Default)]
pub enum Seeds {
    #[default]
    All,
    Of(HashSet<Slot>),
}

impl Seeds {
    /// Returns true if the job begins at this note.
    pub fn has(&self, slot: Slot) -> bool {
        match self {
            Self::All => true,
            Self::Of(slots) => slots.contains(&slot),
        }
    }
}

/// Returns the notes that take part in jobs, in the order of paths: neither forgotten ones nor those
/// that cannot be read, nor what mem made of others.
pub(super) fn living(view: &View<'_>) -> Result<Vec<Entry>> {
    let mut entries = view.entries()?;
    entries.retain(is_living);
    Ok(entries)
}

pub(super) fn is_living(entry: &Entry) -> bool {
    let flags = entry.row.flags;
    flags.tier() != Tier::Forgotten && !flags.has(Flags::UNREADABLE) && !flags.has(Flags::DERIVED)
}

/// Returns true if a note states something itself, so that jobs may take it for evidence: it is neither
/// blank nor a template.
pub(super) fn is_evidence(entry: &Entry) -> bool {
    !entry.row.flags.has(Flags::BLANK) && !is_among_templates(entry.path.as_str())
}

/// Returns the finding that `act` should be done to two notes, asked by what both of them say.
pub(crate) fn about_pair(
    view: &View<'_>,
    kind: Kind,
    notes: [&Entry; 2],
    act: Act,
) -> Result<Finding> {
    let keys = [view.content_key(notes[0])?, view.content_key(notes[1])?];
    let paths = notes.map(|note| note.path.clone()).to_vec();
    Ok(Finding {
        turned: keys[0] > keys[1],
        ..Finding::new(QuestionKey::new(kind, &keys), paths, vec![act], 0.0, "")
    })
}

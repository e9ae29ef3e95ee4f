//! The interface of jobs: examine a view and return findings.

use std::fmt::Debug;

use crate::jobs::prelude::*;

/// The options of a job. Their `Debug` output is part of the key of cached findings, so options with different
/// findings must print differently.
pub trait Find: Debug {
    /// Returns the findings that involve `seeds`.
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings>;

    /// Returns the reason why these options leave no candidates in this vault, if so.
    fn why_no_candidates(&self, _: &View<'_>) -> Result<Option<String>> {
        Ok(None)
    }

    /// Returns which notes the job may change.
    fn notes(&self) -> NoteScope {
        NoteScope::All
    }

    /// Whether findings depend on the current time. If so, every run examines all notes and records their adoption.
    fn depends_on_time(&self) -> bool {
        false
    }

    /// Whether findings depend on more than the changed notes. If so, every run examines all notes.
    fn always_full(&self) -> bool {
        self.depends_on_time()
    }

    /// Returns unchanged notes that the next run must examine because something else changed.
    fn dirty_slots(&self, _: &View<'_>) -> Result<Vec<Slot>> {
        Ok(Vec::new())
    }

    /// Returns true if the notes of `finding` changed so that it no longer applies. By default: if the note that it
    /// creates exists already.
    fn is_outdated(&self, view: &View<'_>, finding: &Finding) -> Result<bool> {
        match finding.acts.first() {
            Some(Act::Create { path, .. }) => Ok(view.at(path)?.is_some()),
            _ => Ok(false),
        }
    }
}

/// Which notes a job may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteScope {
    /// Notes written by mem or an agent.
    #[default]
    Managed,
    All,
}

impl NoteScope {
    /// Returns true if the selection includes this note.
    pub fn has(self, entry: &Entry) -> bool {
        self == Self::All || entry.is_managed()
    }
}

/// Result of a run of a job.
#[derive(Debug, Default)]
pub struct Findings {
    /// The proposed changes.
    pub found: Vec<Finding>,
    /// Number of compared pairs.
    pub compared: usize,
    /// Notes that could not be examined, with the reason.
    pub skipped: Vec<String>,
    /// Notices requested by rules.
    pub notices: Vec<String>,
    /// Seeds not processed because the run hit its limit; the next run starts with them.
    pub left: HashSet<Slot>,
}

/// Notes that a run must examine; pairs without a seed are skipped.
#[derive(Clone, Debug, Default)]
pub enum Seeds {
    #[default]
    All,
    Of(HashSet<Slot>),
}

impl Seeds {
    /// Returns true if this note is a seed.
    pub fn has(&self, slot: Slot) -> bool {
        match self {
            Self::All => true,
            Self::Of(slots) => slots.contains(&slot),
        }
    }
}

/// Returns the notes that take part in jobs, ordered by path: no forgotten, unreadable or derived ones.
pub(super) fn living(view: &View<'_>) -> Result<Vec<Entry>> {
    let mut entries = view.entries()?;
    entries.retain(is_living);
    Ok(entries)
}

pub(super) fn is_living(entry: &Entry) -> bool {
    let flags = entry.row.flags;
    flags.tier() != Tier::Forgotten && !flags.has(Flags::UNREADABLE) && !flags.has(Flags::DERIVED)
}

/// Returns the `notes` that no other note is recorded to replace.
pub(super) fn not_replaced<'e, N>(
    view: &View<'_>,
    notes: Vec<N>,
    entry: impl Fn(&N) -> &'e Entry,
) -> Result<Vec<N>> {
    let mut kept = Vec::new();
    for note in notes {
        if view.replaced_by(entry(&note))?.is_none() {
            kept.push(note);
        }
    }
    Ok(kept)
}

/// Returns true if a note has content of its own: it is neither blank nor a template.
pub(super) fn is_evidence(entry: &Entry) -> bool {
    !entry.row.flags.has(Flags::BLANK) && !is_in_templates_folder(entry.path.as_str())
}

/// Returns the finding for `act` on two notes, with a key from the contents of both.
pub(crate) fn about_pair(
    view: &View<'_>,
    kind: QuestionKind,
    notes: [&Entry; 2],
    act: Act,
) -> Result<Finding> {
    let keys = [view.content_key(notes[0])?, view.content_key(notes[1])?];
    let paths = notes.map(|note| note.path.clone()).to_vec();
    Ok(Finding {
        is_swapped: keys[0] > keys[1],
        ..Finding::new(QuestionKey::new(kind, &keys), paths, vec![act], 0.0, "")
    })
}

//! Findings of a check: kind, location, and the repair if it is unambiguous.

use schemars::JsonSchema;

use crate::jobs::prelude::*;
use crate::note::words::lists::named;

named! {
    /// Kind of problem.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum ProblemKind {
        /// A link matches no note and no file.
        BrokenLink = "broken-link",
        /// The same for `![[…]]` and `![](…)`.
        BrokenEmbed = "broken-embed",
        /// The note exists, the heading does not.
        BrokenHeading = "broken-heading",
        /// The note exists, the block does not.
        BrokenBlock = "broken-block",
        /// A wikilink matches a note only by alias, title or id.
        BareAlias = "bare-alias",
        /// Several notes have the name, and a tie-break rule selects one.
        AmbiguousLink = "ambiguous-link",
        /// Two notes have the same id.
        DuplicateId = "duplicate-id",
        /// Notes evolved from one another in a cycle.
        Cycle = "cycle",
        /// The front matter is unreadable.
        FrontMatter = "front-matter",
        /// A wikilink in a property that is not read as a link.
        UnreadLink = "unread-link",
        /// The text of a date property that is not a date.
        UnreadDate = "unread-date",
        /// Both versions of a merge are in the note.
        ConflictMarkers = "conflict-markers",
        /// A sync tool kept the second version of a note as a copy.
        ConflictCopy = "conflict-copy",
        /// Names that are equal on some file systems.
        SameName = "same-name",
        /// The file looks like a note but is not read.
        LeftOut = "left-out",
        /// A file left behind by a run of mem.
        Leftover = "leftover",
        /// A run was interrupted.
        UnfinishedRun = "unfinished-run",
        /// The record of a run is unreadable.
        RunRecord = "run-record",
        /// A sync tool created a conflict copy of a journal.
        JournalCopy = "journal-copy",
        /// Two machines write a journal under one device name.
        SharedDevice = "shared-device",
        /// A journal is unreadable.
        UnreadableJournal = "unreadable-journal",
        /// The text contains a key, token or password.
        Secret = "secret",
        /// An agent's host loads only a part of the file.
        OverLimit = "over-limit",
        /// Two notes are copies.
        Copy = "copy",
        /// A note contradicts or replaces another.
        Contradiction = "contradiction",
    }
}

impl ProblemKind {
    /// Kinds that are only checked on request: a person may keep a key in a note, and `mem review` asks about the
    /// others.
    pub const ON_REQUEST: [Self; 4] = [
        Self::Secret,
        Self::OverLimit,
        Self::Copy,
        Self::Contradiction,
    ];
}

/// A problem found by a check.
#[derive(Clone, Debug, PartialEq)]
pub struct DoctorFinding {
    pub kind: ProblemKind,
    /// The note or file, relative to the vault; an absolute path outside of it.
    pub path: String,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// Description in one line, without path and kind.
    pub message: String,
    /// Source text of the link.
    pub link: Option<String>,
    /// Its span in the note.
    pub span: Option<Range<usize>>,
    /// The file that the link means, as written.
    pub target: Option<String>,
    /// Other files involved: possible targets, other notes with the id.
    pub others: Vec<String>,
    /// The repair, if it is unambiguous.
    pub repair: Option<Repair>,
    /// The changes that repair it, if they concern several notes.
    pub acts: Vec<Act>,
}

impl DoctorFinding {
    /// Creates a finding about a whole file.
    pub fn new(kind: ProblemKind, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            path: path.into(),
            line: None,
            message: message.into(),
            link: None,
            span: None,
            target: None,
            others: Vec::new(),
            repair: None,
            acts: Vec::new(),
        }
    }
}

/// Replacement of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    pub(super) note: VaultPath,
    pub(super) span: Range<usize>,
    pub(super) was: String,
    /// The new text.
    pub text: String,
}

/// Formats up to three paths, and the number of the rest.
pub(super) fn listed(paths: &[String]) -> String {
    let mut shown: Vec<String> = paths
        .iter()
        .take(3)
        .map(|path| format!("`{path}`"))
        .collect();
    if paths.len() > shown.len() {
        shown.push(format!("{} more", paths.len() - shown.len()));
    }
    shown.join(", ")
}

//! What a check finds: its kind, where it is, and the repair if rules alone know it.

use schemars::JsonSchema;

use crate::jobs::prelude::*;
use crate::note::words::lists::named;

named! {
    /// What is wrong.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum Kind {
        /// A link names no note and no file.
        BrokenLink = "broken-link",
        /// The same of `![[…]]` and `![](…)`.
        BrokenEmbed = "broken-embed",
        /// The note is there, the heading is not.
        BrokenHeading = "broken-heading",
        /// The note is there, the block is not.
        BrokenBlock = "broken-block",
        /// A wikilink names a note by its alias, title or id alone.
        BareAlias = "bare-alias",
        /// Several notes have the name, and only a rule says which is meant.
        AmbiguousLink = "ambiguous-link",
        /// Two notes have one id.
        DuplicateId = "duplicate-id",
        /// Notes evolved from one another in a circle.
        Cycle = "cycle",
        /// The front matter cannot be read.
        FrontMatter = "front-matter",
        /// Names that are one on some machines.
        SameName = "same-name",
        /// It looks like a note and is not read.
        LeftOut = "left-out",
        /// A file of mem's own that a run left.
        Leftover = "leftover",
        /// A run was cut short.
        UnfinishedRun = "unfinished-run",
        /// The record of a run cannot be read.
        RunRecord = "run-record",
        /// A sync tool made a copy of a journal that was written in two places.
        JournalCopy = "journal-copy",
        /// Two machines write a journal under one name.
        SharedDevice = "shared-device",
        /// A journal cannot be read.
        UnreadableJournal = "unreadable-journal",
    }
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    pub kind: Kind,
    /// The note or file, relative to the vault; a path of this machine for what lies outside.
    pub path: String,
    /// The line of the file, from 1.
    pub line: Option<usize>,
    /// What is wrong in one line for a person, without path and kind.
    pub message: String,
    /// The link as it is written.
    pub link: Option<String>,
    /// Other files that it is about: what the link may mean, who else has the id.
    pub others: Vec<String>,
    /// What would put it right.
    pub repair: Option<Repair>,
}

impl Finding {
    /// Returns a finding about a whole file.
    #[must_use]
    pub fn new(kind: Kind, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            path: path.into(),
            line: None,
            message: message.into(),
            link: None,
            others: Vec::new(),
            repair: None,
        }
    }
}

/// A text to be put in the place of another.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    pub(super) note: VaultPath,
    pub(super) span: Range<usize>,
    pub(super) was: String,
    /// What is written instead.
    pub text: String,
}

/// Names at most three of them.
pub(super) fn listed(paths: &[String]) -> String {
    let shown = paths.iter().take(3).map(|path| format!("`{path}`"));
    let mut shown: Vec<String> = shown.collect();
    if paths.len() > shown.len() {
        shown.push(format!("{} more", paths.len() - shown.len()));
    }
    shown.join(", ")
}

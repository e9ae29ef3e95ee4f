//! What a job wants to change and what it wants to know: the output of every planner.
//!
//! A planner is a pure function; nothing here touches a file. `change` turns a [`Plan`] into
//! bytes on disk, whole group by whole group.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::question::QuestionKey;
use crate::note::edit::Edit;
use crate::note::front_matter::relation::Relation;
use crate::note::path::VaultPath;
use crate::note::words::hash::ContentHash;

/// The groups one job proposes, in the order in which they are applied.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Plan {
    /// The job or command that made it, as the user types it.
    pub job: String,
    /// What to do; each is applied, dropped, proposed and undone as a whole.
    pub groups: Vec<Group>,
}

impl Plan {
    /// Returns the plan of the job or command `job` to do `groups`.
    #[must_use]
    pub fn new(job: &str, groups: Vec<Group>) -> Self {
        let job = job.to_owned();
        Self { job, groups }
    }
}

/// Changes that belong together: a merge with every link it re-points is one group.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Group {
    /// What it does, in one line for a person.
    pub title: String,
    /// Why the job proposes it, in one line for a person.
    pub reason: String,
    /// The question whether to do it, by which an answer is remembered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionKey>,
    /// At most one change per note.
    pub changes: Vec<Change>,
    /// The relations that it states, for the record of where they came from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// What a merge leaves out, because the note that stays has it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// Notes of which an act replaces text that it names. Links in that text change as the act says; all
    /// others must stay.
    #[serde(skip)]
    pub rewritten: Vec<VaultPath>,
}

/// Blocks of a note that goes which the note that stays has already.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    pub note: VaultPath,
    pub keeper: VaultPath,
    /// The first line of each.
    pub blocks: Vec<String>,
}

/// A relation that one note states of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edge {
    /// The note that states it.
    pub from: VaultPath,
    /// What it is.
    pub relation: Relation,
    /// The note that it names.
    pub to: VaultPath,
    /// How strong, 0–1.
    pub weight: f32,
}

impl Edge {
    /// Returns what stating it does, in one line for a person.
    pub fn title(&self) -> String {
        let Self { from, to, .. } = self;
        match self.relation {
            Relation::EvolvedFrom => format!("record that {from} replaces {to}"),
            Relation::Contradicts => format!("record that {from} contradicts {to}"),
            Relation::RelatedTo => format!("link {from} to {to}"),
            relation => format!("record {relation} from {from} to {to}"),
        }
    }
}

/// One change of one note.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// Writes a new note; nothing may stand at `path`.
    Create {
        /// Where the note goes.
        path: VaultPath,
        text: String,
    },
    /// Edits spans and properties of a note.
    Edit {
        path: VaultPath,
        /// Hash of the note as the planner read it.
        base: ContentHash,
        /// What to change, in the coordinates of the text as read.
        edits: Vec<Edit>,
    },
    /// Moves a note to another name, changing its text on the way.
    Move {
        /// The note, under its old name.
        path: VaultPath,
        /// Hash of the note as the planner read it.
        base: ContentHash,
        /// Its new name; nothing may stand there. Folders that are missing are made.
        to: VaultPath,
        /// What to change in its text, in the coordinates of the text as read.
        edits: Vec<Edit>,
    },
    /// Moves a note to the trash.
    Trash {
        path: VaultPath,
        /// Hash of the note as the planner read it.
        base: ContentHash,
        /// Why, for a person who looks into the trash.
        reason: String,
        /// The note that took it in, if it goes by a merge.
        keeper: Option<VaultPath>,
    },
}

impl Change {
    /// Returns the note that it changes; of a move, under its old name.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Create { path, .. }
            | Self::Edit { path, .. }
            | Self::Move { path, .. }
            | Self::Trash { path, .. } => path,
        }
    }

    /// Returns every name at which something else stands afterwards: of a move, the old and the new.
    #[must_use = "an iterator does nothing by itself"]
    pub fn paths(&self) -> impl Iterator<Item = &VaultPath> {
        let to = match self {
            Self::Move { to, .. } => Some(to),
            Self::Create { .. } | Self::Edit { .. } | Self::Trash { .. } => None,
        };
        [self.path()].into_iter().chain(to)
    }
}

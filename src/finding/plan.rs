//! Plans: the changes that a job proposes, in groups.
//!
//! Planners are pure functions and touch no files. `change` applies a [`Plan`] group by group.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::question::QuestionKey;
use crate::note::{ContentHash, Edit, Relation, VaultPath};

/// The groups that a job proposes, in the order of application.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Plan {
    /// The job or command that made it, as typed.
    pub job: String,
    /// The groups; each is applied, dropped, proposed and undone as a whole.
    pub groups: Vec<Group>,
}

impl Plan {
    /// Creates the plan of the job or command `job`.
    pub fn new(job: &str, groups: Vec<Group>) -> Self {
        let job = job.to_owned();
        Self { job, groups }
    }
}

/// Changes that belong together, such as a merge and the links it re-points.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Group {
    /// The change, in one line.
    pub title: String,
    /// The reason, in one line.
    pub reason: String,
    /// The question whether to apply it; answers are stored under it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionKey>,
    /// At most one change per note.
    pub changes: Vec<Change>,
    /// The relations that it states, to record their provenance.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<RelationEdge>,
    /// Blocks that a merge omits because the keeper contains them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<OmittedBlocks>,
    /// Notes in which an act replaces text with links. Only those links may change.
    #[serde(skip)]
    pub rewritten: Vec<VaultPath>,
}

/// Blocks of a removed note that the keeper already contains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OmittedBlocks {
    pub note: VaultPath,
    pub keeper: VaultPath,
    /// The first line of each block.
    pub blocks: Vec<String>,
}

/// A relation from one note to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RelationEdge {
    /// The note that states it.
    pub from: VaultPath,
    /// The kind of relation.
    pub relation: Relation,
    /// The note that it names.
    pub to: VaultPath,
    /// Strength, 0–1.
    pub weight: f32,
}

impl RelationEdge {
    /// Returns the title of stating it, in one line.
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

/// A change of one note.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
pub enum Change {
    /// Creates a note; no file may exist at `path`.
    Create {
        /// Path of the note.
        path: VaultPath,
        text: String,
    },
    /// Edits spans and properties of a note.
    Edit {
        path: VaultPath,
        /// Hash of the note when it was read.
        base: ContentHash,
        /// The edits, in offsets of the text that was read.
        edits: Vec<Edit>,
    },
    /// Moves a note and may edit its text.
    Move {
        /// The current path.
        path: VaultPath,
        /// Hash of the note when it was read.
        base: ContentHash,
        /// The new path; no file may exist there. Missing folders are created.
        to: VaultPath,
        /// The edits, in offsets of the text that was read.
        edits: Vec<Edit>,
    },
    /// Moves a note to the trash.
    Trash {
        path: VaultPath,
        /// Hash of the note when it was read.
        base: ContentHash,
        /// The reason, shown in the trash.
        reason: String,
        /// The note into which it was merged, if any.
        keeper: Option<VaultPath>,
    },
}

impl Change {
    /// Returns the path of the note before the change.
    pub fn path(&self) -> &VaultPath {
        match self {
            Self::Create { path, .. }
            | Self::Edit { path, .. }
            | Self::Move { path, .. }
            | Self::Trash { path, .. } => path,
        }
    }

    /// Returns all paths whose content changes; two for a move.
    #[must_use = "an iterator does nothing by itself"]
    pub fn paths(&self) -> impl Iterator<Item = &VaultPath> {
        let to = match self {
            Self::Move { to, .. } => Some(to),
            Self::Create { .. } | Self::Edit { .. } | Self::Trash { .. } => None,
        };
        [self.path()].into_iter().chain(to)
    }
}

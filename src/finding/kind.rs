//! The kinds of questions and their properties. A new kind needs an entry in [`KINDS`] and a
//! prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use crate::note::Relation;

/// The kind of a question. Its number is part of stored ids, so new kinds go to the end.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum QuestionKind {
    /// Are these notes duplicates? Yes merges them.
    Merge,
    /// Do these notes contradict each other, or does one replace the other? Yes states the proposed
    /// relation.
    Conflict,
    /// How are these notes related? Yes states the proposed relation.
    Link,
    /// Does the text of one note mention the other? Yes turns the name into a link.
    Mention,
    /// Does the note belong to the proposed space? Yes sets it.
    Space,
    /// Should these notes be archived, or restored from there? Yes moves them all.
    Decay,
    /// Should these notes be forgotten or removed? Yes moves them all.
    Forget,
    /// Should these notes get a summary, or a new one? Yes writes it.
    Cluster,
    /// Should one note replace these? Yes writes it and demotes them.
    Consolidate,
    /// Are these notes related as a rule says? Yes states the relation.
    Association,
    /// Should the generated lines in a note be updated?
    View,
    /// Should each fact of this note become a note? Yes writes them.
    Split,
    /// Should the actions of a rule apply to these notes? Yes applies them to all.
    Rule,
    /// Should both versions of a merge conflict be kept? Yes removes the markers.
    MergeConflict,
}

/// Properties of a kind.
#[derive(Debug)]
pub struct KindSpec {
    pub kind: QuestionKind,
    /// Name in records and on the command line.
    pub name: &'static str,
    /// All possible answers, in the order shown.
    pub answers: &'static [Answer],
    /// Instructions for a model.
    pub prompt: &'static str,
    /// What a person may change when accepting.
    pub edit: EditablePart,
    /// The part of the notes on which the answer depends.
    pub evidence: EvidencePart,
    /// Whether it concerns many notes and therefore counts for none of them.
    pub is_of_many: bool,
    /// Whether no other question of the day may concern its notes: their answers could leave
    /// nothing to summarise.
    pub is_alone: bool,
    /// Whether `change` may refuse to apply a yes.
    pub may_be_refused: bool,
    /// Value of a yes, in links.
    pub worth: f32,
    /// Log odds of a yes if all features are 0.
    pub base: f32,
    /// Weight of each feature in the log odds, in the order of `run::attention::features`.
    pub weights: [f32; 6],
}

/// What a person may change when accepting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditablePart {
    Nothing,
    /// The relation.
    Relation,
    /// The body of the keeper.
    Body,
    /// The line that gets a link.
    Line,
    /// The version of a merge conflict.
    Version,
}

impl EditablePart {
    /// Whether an answer may include a text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Body | Self::Line)
    }
}

/// The part of the notes on which an answer depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidencePart {
    /// What they state about each other.
    Notes,
    /// Their differences.
    Differences,
    /// The sentences that the finding quotes.
    Quotes,
    /// The line that mentions the other note.
    Line,
}

/// Defaults: a yes-or-no question.
const DEFAULT_SPEC: KindSpec = KindSpec {
    kind: QuestionKind::Merge,
    name: "",
    answers: &[Answer::Yes, Answer::No],
    prompt: "",
    edit: EditablePart::Nothing,
    evidence: EvidencePart::Notes,
    is_of_many: false,
    is_alone: false,
    may_be_refused: false,
    worth: 1.0,
    base: 0.0,
    weights: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
};

/// Declares an entry of [`KINDS`]; omitted fields have the defaults.
macro_rules! spec {
    ($kind:ident $name:literal, $($field:ident: $value:expr),* $(,)?) => {
        KindSpec {
            kind: QuestionKind::$kind,
            name: $name,
            prompt: include_str!(concat!("../run/judge/prompts/", $name, ".md")),
            $($field: $value,)*
            ..DEFAULT_SPEC
        }
    };
}

/// The kinds, in the order of their numbers. `worth`, `base` and `weights` of merges and conflicts
/// were chosen by reading the first questions of all vaults in benches/RESULTS.md.
pub const KINDS: [KindSpec; 14] = [
    spec! { Merge "merge",
        edit: EditablePart::Body,
        evidence: EvidencePart::Differences,
        may_be_refused: true,
        worth: 3.0,
        base: -2.0,
        weights: [1.2, 1.5, 1.0, -2.0, 0.0, 0.0],
    },
    spec! { Conflict "conflict",
        answers: &[
            Answer::Yes,
            Answer::No,
            Answer::Is(Relation::EvolvedFrom),
            Answer::Inverse(Relation::EvolvedFrom),
            Answer::Is(Relation::Contradicts),
        ],
        edit: EditablePart::Relation,
        evidence: EvidencePart::Quotes,
        may_be_refused: true,
        worth: 3.0,
        base: 1.0,
        weights: [0.5, 1.0, 0.0, 0.0, 0.0, 0.0],
    },
    spec! { Link "link",
        answers: &[
            Answer::Yes,
            Answer::No,
            Answer::Is(Relation::RelatedTo),
            Answer::Is(Relation::Supports),
            Answer::Inverse(Relation::Supports),
            Answer::Is(Relation::PartOf),
            Answer::Inverse(Relation::PartOf),
            Answer::Is(Relation::DependsOn),
            Answer::Inverse(Relation::DependsOn),
            Answer::Is(Relation::Contradicts),
        ],
        edit: EditablePart::Relation,
    },
    spec! { Mention "mention", edit: EditablePart::Line, evidence: EvidencePart::Line },
    spec! { Space "space", worth: 0.5 },
    // One question a month for many notes, so it ranks above any link.
    spec! { Decay "decay", is_of_many: true, worth: 1.5 },
    spec! { Forget "forget", is_of_many: true, worth: 1.5 },
    spec! { Cluster "cluster", is_alone: true, may_be_refused: true, worth: 0.5 },
    spec! { Consolidate "consolidate", is_alone: true, may_be_refused: true },
    // Dissimilarity of two notes is weak evidence.
    spec! { Association "association", worth: 0.3, base: -1.0 },
    // The author requested it.
    spec! { View "view", worth: 0.5, base: 2.0, weights: [0.0; 6] },
    spec! { Split "split", is_alone: true, may_be_refused: true },
    // A person wrote the rule, and it concerns many notes.
    spec! { Rule "rule", is_of_many: true, worth: 1.5, base: 2.0, weights: [0.0; 6] },
    // Until it is answered, programs read both versions as one text.
    spec! { MergeConflict "merge-conflict",
        answers: &[Answer::Yes, Answer::No, Answer::Ours, Answer::Theirs],
        edit: EditablePart::Version,
        evidence: EvidencePart::Quotes,
        worth: 4.0,
        base: 3.0,
        weights: [0.0; 6],
    },
];

impl QuestionKind {
    /// All kinds, by number.
    pub const ALL: [Self; KINDS.len()] = {
        let mut all = [Self::Merge; KINDS.len()];
        let mut at = 0;
        while at < KINDS.len() {
            all[at] = KINDS[at].kind;
            // Entries must be in the order of their numbers.
            assert!(all[at] as usize == at);
            at += 1;
        }
        all
    };

    /// Returns the properties of this kind.
    pub fn spec(self) -> &'static KindSpec {
        &KINDS[self as usize]
    }

    /// Returns the name, as in a record.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns all possible answers, in the order shown.
    pub fn answers(self) -> &'static [Answer] {
        self.spec().answers
    }
}

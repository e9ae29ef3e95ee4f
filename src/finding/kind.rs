//! The kinds of questions, and all in which they differ: a new one is an entry of [`KINDS`] and a prompt.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Answer;
use crate::note::front_matter::relation::Relation;

/// What a question is about. The number of a kind is part of every stored id: a new one goes to the end.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Are these notes the same? Yes merges them.
    Merge,
    /// Do these two contradict each other, or did one replace the other? Yes states the relation that
    /// the question proposes.
    Conflict,
    /// What has the one to do with the other? Yes states the relation that the question proposes.
    Link,
    /// Does the text of the one mean the other, where it names it? Yes makes the name a link.
    Mention,
    /// Is the note of the space that it would get? Yes says so in the note.
    Space,
    /// Should these notes go into the archive, or come back from there? Yes moves them all.
    Decay,
    /// Should these notes be forgotten, or removed? Yes moves them all.
    Forget,
    /// Should there be a summary of these notes, or should the one that there is be another? Yes writes it.
    Cluster,
    /// Should one note say what these say? Yes writes it and puts it in their place.
    Consolidate,
    /// Has the one to do with the other as a rule says? Yes states it.
    Association,
    /// Should the lines that a note lists be written anew?
    View,
    /// Should each fact of this note be a note of its own? Yes writes them.
    Split,
    /// Should be done to these notes what a rule says? Yes does it to all of them.
    Rule,
}

/// All that depends on the kind of a question.
#[derive(Debug)]
pub struct KindSpec {
    pub kind: Kind,
    /// As in a record and on a command line.
    pub name: &'static str,
    /// The closed set of answers, in the order in which a person is asked.
    pub answers: &'static [Answer],
    /// What a model is told of it.
    pub prompt: &'static str,
    /// What a person may write in place of a plain yes.
    pub edit: Edit,
    /// The part of the notes on which the answer depends.
    pub evidence: Evidence,
    /// True if it is of a rule for many notes, so that it counts for none of them.
    pub is_of_many: bool,
    /// True if no other question of the same day is about its notes: their answers may leave nothing to sum up.
    pub is_alone: bool,
    /// True if `change` may refuse a yes.
    pub may_be_refused: bool,
    /// What a yes is worth, in links.
    pub worth: f32,
    /// The log odds of a yes where all features are 0.
    pub base: f32,
    /// What each feature adds to the log odds, in the order of `run::attention::features`.
    pub weights: [f32; 6],
}

/// What a person may write in place of a plain yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    Nothing,
    /// Another relation of the two.
    Relation,
    /// The body of the note that is kept.
    Body,
    /// The line that gets a link.
    Line,
}

impl Edit {
    /// Returns whether an answer may bring a text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Body | Self::Line)
    }
}

/// The part of the notes on which an answer depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// What they say of each other.
    Notes,
    /// Where they differ.
    Differences,
    /// The sentences that the finding quotes.
    Quotes,
    /// The line that names the other.
    Line,
}

/// A kind that asks whether to do something, as most do.
const PLAIN: KindSpec = KindSpec {
    kind: Kind::Merge,
    name: "",
    answers: &[Answer::Yes, Answer::No],
    prompt: "",
    edit: Edit::Nothing,
    evidence: Evidence::Notes,
    is_of_many: false,
    is_alone: false,
    may_be_refused: false,
    worth: 1.0,
    base: 0.0,
    weights: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
};

/// An entry of [`KINDS`]: what the kind has in common with others is left out.
macro_rules! spec {
    ($kind:ident $name:literal, $($field:ident: $value:expr),* $(,)?) => {
        KindSpec {
            kind: Kind::$kind,
            name: $name,
            prompt: include_str!(concat!("../run/judge/prompts/", $name, ".md")),
            $($field: $value,)*
            ..PLAIN
        }
    };
}

/// The kinds, in the order of their numbers. `worth`, `base` and `weights` of merges and conflicts were chosen by
/// reading the first questions of the vaults in benches/RESULTS.md, none left out.
pub const KINDS: [KindSpec; 13] = [
    spec! { Merge "merge",
        edit: Edit::Body,
        evidence: Evidence::Differences,
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
        edit: Edit::Relation,
        evidence: Evidence::Quotes,
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
        edit: Edit::Relation,
    },
    spec! { Mention "mention", edit: Edit::Line, evidence: Evidence::Line },
    spec! { Space "space", worth: 0.5 },
    // One question a month for many notes: before any link.
    spec! { Decay "decay", is_of_many: true, worth: 1.5 },
    spec! { Forget "forget", is_of_many: true, worth: 1.5 },
    spec! { Cluster "cluster", is_alone: true, may_be_refused: true, worth: 0.5 },
    spec! { Consolidate "consolidate", is_alone: true, may_be_refused: true },
    // That two notes are not alike says little.
    spec! { Association "association", worth: 0.3, base: -1.0 },
    // Its author asked for it.
    spec! { View "view", worth: 0.5, base: 2.0, weights: [0.0; 6] },
    spec! { Split "split", is_alone: true, may_be_refused: true },
    // Somebody wrote down that they want it, of many notes at once.
    spec! { Rule "rule", is_of_many: true, worth: 1.5, base: 2.0, weights: [0.0; 6] },
];

impl Kind {
    /// All kinds, by number.
    pub const ALL: [Self; KINDS.len()] = {
        let mut all = [Self::Merge; KINDS.len()];
        let mut at = 0;
        while at < KINDS.len() {
            all[at] = KINDS[at].kind;
            // Each kind has the entry of its number.
            assert!(all[at] as usize == at);
            at += 1;
        }
        all
    };

    /// Returns what holds of this kind.
    pub fn spec(self) -> &'static KindSpec {
        &KINDS[self as usize]
    }

    /// Returns the name, as in a record.
    pub fn name(self) -> &'static str {
        self.spec().name
    }

    /// Returns the closed set of answers, in the order in which a person is asked.
    pub fn answers(self) -> &'static [Answer] {
        self.spec().answers
    }
}

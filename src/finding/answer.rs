//! Answers to questions.

use std::fmt;
use std::str::FromStr;

use crate::note::Relation;
use crate::note::front_matter::as_text::serde_as_text;

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Apply the proposal.
    Yes,
    /// Reject the proposal, and do not ask again.
    No,
    /// The first note has this relation to the second.
    Is(Relation),
    /// The second note has this relation to the first.
    Inverse(Relation),
    /// Keep only the first version of a merge conflict.
    Ours,
    /// Keep only the second version of a merge conflict.
    Theirs,
}

impl Answer {
    /// Whether the answer leads to a change.
    pub fn is_yes(self) -> bool {
        self != Self::No
    }

    /// Returns the answer to the same question with the two notes swapped.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Yes | Self::No | Self::Ours | Self::Theirs => self,
            Self::Is(relation) | Self::Inverse(relation) if relation.is_symmetric() => {
                Self::Is(relation)
            }
            Self::Is(relation) => Self::Inverse(relation),
            Self::Inverse(relation) => Self::Is(relation),
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Is(relation) => relation.name(),
            Self::Inverse(relation) => relation.inverse(),
            Self::Ours => "ours",
            Self::Theirs => "theirs",
        })
    }
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "yes" => Ok(Self::Yes),
            "no" => Ok(Self::No),
            "ours" => Ok(Self::Ours),
            "theirs" => Ok(Self::Theirs),
            name => Relation::named(name)
                .map(Self::Is)
                .or_else(|| Relation::named_from_other_end(name).map(Self::Inverse))
                .ok_or_else(|| {
                    "expected yes, no, ours, theirs or a relation; see `mem help answers`"
                        .to_owned()
                }),
        }
    }
}

serde_as_text!(Answer);

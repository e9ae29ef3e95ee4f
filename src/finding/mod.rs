//! What a job found: a merge, a conflict, a link that it would make, and how sure it is.
//!
//! Plain data: what the stages of a run say to each other. A finding says what, not how: the changes
//! that it takes are worked out from the notes as they are when it is carried out or shown. Whether it
//! is done, asked or left is one policy for all jobs (`run::policy`).

pub mod plan;
pub mod question;

use serde::{Deserialize, Serialize};

use crate::note::path::VaultPath;
use crate::note::relation::Relation;
use question::{Answer, Answers, Kind, QuestionKey};

/// Something a job would do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The question whether to do it.
    pub key: QuestionKey,
    /// The notes it is about: the one that stays, that is newer or that says it first.
    pub notes: Vec<VaultPath>,
    /// What doing it states of the first note about the second; of a merge, nothing.
    pub relation: Option<Relation>,
    /// By which name the first note mentions the second; only of a mention.
    pub name: Option<String>,
    /// True if doing it also ends the validity of the second note; only of a conflict.
    pub supersedes: bool,
    /// How strong or how likely, 0–1: the weight of an edge, and what is asked first.
    pub weight: f32,
    /// True if rules alone decide it; false if somebody has to.
    pub certain: bool,
    /// Why, in one line for a person.
    pub reason: String,
    /// True if the first note is not the one of the smaller meaning: answers about a pair are kept in
    /// that order.
    pub turned: bool,
}

impl Finding {
    /// Returns the finding that the first note should state `relation` about the second; `keys` are
    /// their content keys.
    #[must_use]
    pub fn pair(kind: Kind, notes: [&VaultPath; 2], keys: [u64; 2], relation: Relation) -> Self {
        Self {
            key: QuestionKey::new(kind, &keys),
            notes: notes.map(VaultPath::clone).to_vec(),
            relation: Some(relation),
            name: None,
            supersedes: false,
            weight: relation.weight(),
            certain: false,
            reason: String::new(),
            turned: keys[0] > keys[1],
        }
    }

    /// Returns what it is about.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.key.kind()
    }

    /// Returns what was answered, as this finding names its notes.
    #[must_use]
    pub fn answer(&self, answers: &Answers) -> Option<Answer> {
        let answer = answers.get(self.key)?;
        Some(if self.turned { answer.turned() } else { answer })
    }

    /// Returns `answer` as it is kept, and the notes in the order in which it speaks of them.
    #[must_use]
    pub fn kept(&self, answer: Answer) -> (Answer, Vec<&VaultPath>) {
        // What "yes" meant must still be known when the job would propose something else.
        let said = match (answer, self.relation) {
            (Answer::Yes, Some(relation)) if self.kind() != Kind::Mention => Answer::Is(relation),
            _ => answer,
        };
        let mut notes: Vec<&VaultPath> = self.notes.iter().collect();
        if self.turned {
            notes.reverse();
            (said.turned(), notes)
        } else {
            (said, notes)
        }
    }

    /// Returns what doing it does, in one line for a person.
    #[must_use]
    pub fn title(&self) -> String {
        let [first, rest @ ..] = self.notes.as_slice() else {
            return String::new();
        };
        let rest: Vec<&str> = rest.iter().map(VaultPath::as_str).collect();
        let rest = rest.join(", ");
        match (self.kind(), self.relation) {
            (Kind::Merge, _) => format!("merge {rest} into {first}"),
            (Kind::Conflict, Some(Relation::EvolvedFrom)) => {
                format!("say that {first} replaced {rest}")
            }
            (Kind::Conflict, _) => format!("say that {first} contradicts {rest}"),
            (Kind::Link, _) => format!("link {first} to {rest}"),
            (Kind::Mention, _) => {
                let name = self.name.as_deref().unwrap_or_default();
                format!("make \"{name}\" in {first} a link to {rest}")
            }
        }
    }
}

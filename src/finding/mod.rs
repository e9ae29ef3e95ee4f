//! What a job found: a merge, a conflict, a link that it would make, and how sure it is.
//!
//! Plain data: what the stages of a run say to each other. A finding says what, not how: the changes
//! that its acts take are worked out from the notes as they are when it is carried out or shown. Whether
//! it is done, asked or left is one policy for all jobs (`run::policy`).

pub mod act;
pub mod answer;
pub mod kind;
pub mod plan;
pub mod question;
pub mod trigger;

use serde::{Deserialize, Serialize};

use crate::note::front_matter::relation::Relation;
use crate::note::path::VaultPath;
use act::Act;
use plan::Edge;
use question::{Answer, Answers, Kind, QuestionKey};

/// Something a job would do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The question whether to do it.
    pub key: QuestionKey,
    /// The notes it is about: the one that stays, that is newer or that says it first.
    pub notes: Vec<VaultPath>,
    /// What it takes, done as a whole; the first says what it is about.
    pub acts: Vec<Act>,
    /// How likely, 0–1: what is asked first.
    pub weight: f32,
    /// True if rules alone decide it; false if a person has to.
    pub certain: bool,
    /// Why, in one line for a person.
    pub reason: String,
    /// What each of the notes says, where the reason is in their words.
    pub quotes: Vec<String>,
    /// True if the first note is not the one with the smaller content key: answers about a pair are
    /// kept in that order.
    pub turned: bool,
    /// The questions about single notes that it stands for: a "no" is one to each of them.
    pub stands_for: Vec<QuestionKey>,
}

impl Finding {
    /// Returns a finding that a person decides, about notes in the order of `key`.
    #[must_use]
    pub fn new(
        key: QuestionKey,
        notes: Vec<VaultPath>,
        acts: Vec<Act>,
        weight: f32,
        reason: impl Into<String>,
    ) -> Self {
        Self {
            key,
            notes,
            acts,
            weight,
            certain: false,
            reason: reason.into(),
            quotes: Vec::new(),
            turned: false,
            stands_for: Vec::new(),
        }
    }

    /// Returns the kind of its question.
    pub fn kind(&self) -> Kind {
        self.key.kind()
    }

    /// Returns the relation that a "yes" states.
    pub fn relation(&self) -> Option<Relation> {
        self.acts.iter().find_map(|act| match act {
            Act::Relate { edge, .. } => Some(edge.relation),
            _ => None,
        })
    }

    /// Returns what was answered, as this finding names its notes.
    pub fn answer(&self, answers: &Answers) -> Option<Answer> {
        answers.get(self.key).map(|stored| self.named(stored))
    }

    /// Returns a `stored` answer as this finding names its notes.
    pub fn named(&self, stored: Answer) -> Answer {
        if self.turned { stored.turned() } else { stored }
    }

    /// Returns what is done if the answer is `answer`.
    pub fn answered(&self, answer: Answer) -> Vec<Act> {
        let acts = self.acts.iter();
        acts.map(|act| act.answered(answer)).collect()
    }

    /// Returns `answer` as it is stored, and the notes in the order in which it speaks of them.
    pub fn stored(&self, answer: Answer) -> (Answer, Vec<&VaultPath>) {
        // What "yes" meant must still be known when the job would propose something else.
        let meant = match (answer, self.relation()) {
            (Answer::Yes, Some(relation)) => Answer::Is(relation),
            _ => answer,
        };
        let mut notes: Vec<&VaultPath> = self.notes.iter().collect();
        if self.turned {
            notes.reverse();
            (meant.turned(), notes)
        } else {
            (meant, notes)
        }
    }

    /// Has it stand for `other`, too: the same thing done to another note.
    pub fn join(&mut self, other: Self) {
        if self.stands_for.is_empty() {
            self.stands_for.push(self.key);
        }
        self.stands_for.push(other.key);
        self.key = QuestionKey::of_all(&self.stands_for);
        self.notes.extend(other.notes);
        self.acts.extend(other.acts);
    }

    /// Returns what doing it does, in one line for a person that begins with a verb.
    pub fn title(&self) -> String {
        act::title(&self.acts)
    }

    /// Returns the question whether to do it.
    pub fn question(&self) -> String {
        if let Some(Act::Relate { edge, .. }) = self.acts.first() {
            let Edge { from, to, .. } = edge;
            match edge.relation {
                Relation::EvolvedFrom => return format!("Does {from} replace {to}?"),
                Relation::Contradicts => return format!("Does {from} contradict {to}?"),
                _ => {}
            }
        }
        let first = |many: usize| named(&self.notes[..many.min(self.notes.len())]);
        match (self.kind(), self.acts.as_slice()) {
            (Kind::Cluster, [Act::Create { path, .. }]) => {
                return format!("Summarize {} in {path}?", first(usize::MAX));
            }
            (Kind::Cluster, [Act::Edit { note, .. }]) => {
                let members = self.notes.len().saturating_sub(1);
                return format!("Update {note}, the summary of {}?", first(members));
            }
            (Kind::Consolidate, [Act::Create { path, .. }, ..]) => {
                return format!("Say in {path} what {} say?", first(usize::MAX));
            }
            (Kind::Split, acts) => {
                let made = acts.iter().filter_map(|act| match act {
                    Act::Create { path, .. } => Some(path.clone()),
                    _ => None,
                });
                let made = named(&made.collect::<Vec<_>>());
                return format!("Split {} into {made}?", first(1));
            }
            _ => {}
        }
        let title = self.title();
        let mut rest = title.chars();
        let first = rest.next().into_iter().flat_map(char::to_uppercase);
        first.chain(rest).chain(['?']).collect()
    }
}

/// So many notes are named, of more the rest are counted.
const NAMED: usize = 4;

/// Returns notes by name, as in a sentence.
fn named(notes: &[VaultPath]) -> String {
    let mut names: Vec<String> = notes.iter().map(VaultPath::to_string).collect();
    let more = names.len().saturating_sub(NAMED);
    if more > 1 {
        names.truncate(NAMED);
        names.push(format!("{more} more"));
    }
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
        None => String::new(),
    }
}

//! Findings of jobs: what a job would do, why, and how certain it is.
//!
//! Plain data that the stages of a run exchange. Acts name the result, not the edits: edits are
//! computed from the current notes when a finding is applied or shown. One policy for all jobs
//! (`run::policy`) decides whether it is applied, asked or left.

pub mod act;
pub mod answer;
pub mod kind;
pub mod plan;
pub mod question;
pub mod rule_event;

pub use self::act::Act;
pub use self::kind::{EditablePart, EvidencePart};
pub use self::plan::{Change, Group, OmittedBlocks, Plan, RelationEdge};
pub use self::question::{Answers, QuestionKey};
pub use self::rule_event::RuleEvent;

use serde::{Deserialize, Serialize};

use crate::note::{Relation, VaultPath};
use question::{Answer, QuestionKind};

/// A proposal of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Key of the question whether to apply it.
    pub key: QuestionKey,
    /// The notes concerned; first the one that stays, is newer, or states the relation.
    pub notes: Vec<VaultPath>,
    /// What to do, as a whole; the first act gives the title.
    pub acts: Vec<Act>,
    /// Strength of the evidence, 0–1.
    pub weight: f32,
    /// Whether fixed rules alone decide it; otherwise a person or judge does.
    pub certain: bool,
    /// The reason, in one line.
    pub reason: String,
    /// The sentences of each note on which the reason rests.
    pub quotes: Vec<String>,
    /// Whether the notes are in descending order of content key. Answers about a pair are stored in
    /// ascending order.
    pub is_swapped: bool,
    /// Questions about single notes that it combines; a "no" answers each of them.
    pub parts: Vec<QuestionKey>,
}

impl Finding {
    /// Creates a finding that is not certain, about notes in the order of `key`.
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
            is_swapped: false,
            parts: Vec::new(),
        }
    }

    /// Returns the kind of its question.
    pub fn kind(&self) -> QuestionKind {
        self.key.kind()
    }

    /// Returns the relation that a "yes" states.
    pub fn relation(&self) -> Option<Relation> {
        self.acts.iter().find_map(|act| match act {
            Act::Relate { edge, .. } => Some(edge.relation),
            _ => None,
        })
    }

    /// Returns the stored answer, in the note order of this finding.
    pub fn answer(&self, answers: &Answers) -> Option<Answer> {
        answers.get(self.key).map(|stored| self.named(stored))
    }

    /// Converts a `stored` answer to the note order of this finding.
    pub fn named(&self, stored: Answer) -> Answer {
        if self.is_swapped {
            stored.swapped()
        } else {
            stored
        }
    }

    /// Returns the acts to apply for `answer`.
    pub fn answered(&self, answer: Answer) -> Vec<Act> {
        let acts = self.acts.iter();
        acts.map(|act| act.answered(answer)).collect()
    }

    /// Returns `answer` as it is stored, and the notes in stored order.
    pub fn stored(&self, answer: Answer) -> (Answer, Vec<&VaultPath>) {
        // Store the relation that "yes" meant, in case the job later proposes another one.
        let meant = match (answer, self.relation()) {
            (Answer::Yes, Some(relation)) => Answer::Is(relation),
            _ => answer,
        };
        let mut notes: Vec<&VaultPath> = self.notes.iter().collect();
        if self.is_swapped {
            notes.reverse();
            (meant.swapped(), notes)
        } else {
            (meant, notes)
        }
    }

    /// Merges `other`, the same change to another note, into this finding.
    pub fn join(&mut self, other: Self) {
        if self.parts.is_empty() {
            self.parts.push(self.key);
        }
        self.parts.push(other.key);
        self.key = QuestionKey::of_all(&self.parts);
        self.notes.extend(other.notes);
        self.acts.extend(other.acts);
    }

    /// Returns the change in one line that begins with a verb.
    pub fn title(&self) -> String {
        act::title(&self.acts)
    }

    /// Returns the question whether to apply it.
    pub fn question(&self) -> String {
        if let Some(Act::Relate { edge, .. }) = self.acts.first() {
            let RelationEdge { from, to, .. } = edge;
            match edge.relation {
                Relation::EvolvedFrom => return format!("Does {from} replace {to}?"),
                Relation::Contradicts => return format!("Does {from} contradict {to}?"),
                _ => {}
            }
        }
        let first = |many: usize| enumerated(&self.notes[..many.min(self.notes.len())]);
        match (self.kind(), self.acts.as_slice()) {
            (QuestionKind::Cluster, [Act::Create { path, .. }]) => {
                return format!("Summarize {} in {path}?", first(usize::MAX));
            }
            (QuestionKind::Cluster, [Act::Edit { note, .. }]) => {
                let members = self.notes.len().saturating_sub(1);
                return format!("Update {note}, the summary of {}?", first(members));
            }
            (QuestionKind::Consolidate, [Act::Create { path, .. }, ..]) => {
                return format!("Consolidate {} into {path}?", first(usize::MAX));
            }
            (QuestionKind::Split, acts) => {
                let created = acts.iter().filter_map(|act| match act {
                    Act::Create { path, .. } => Some(path.clone()),
                    _ => None,
                });
                let notes = enumerated(&created.collect::<Vec<_>>());
                return format!("Split {} into {notes}?", first(1));
            }
            _ => {}
        }
        let title = self.title();
        let mut rest = title.chars();
        let first = rest.next().into_iter().flat_map(char::to_uppercase);
        first.chain(rest).chain(['?']).collect()
    }
}

/// Returns the first `most` names, and the number of the others: `a, b and 2 more`.
pub fn first_names<T: ToString>(names: impl ExactSizeIterator<Item = T>, most: usize) -> String {
    let more = names.len().saturating_sub(most);
    let first: Vec<String> = names.take(most).map(|name| name.to_string()).collect();
    match more {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// Maximum number of notes named; the rest are counted.
const MAX_NOTES_NAMED: usize = 4;

/// Returns the notes as a list in a sentence.
fn enumerated(notes: &[VaultPath]) -> String {
    let mut names: Vec<String> = notes.iter().map(VaultPath::to_string).collect();
    let more = names.len().saturating_sub(MAX_NOTES_NAMED);
    if more > 1 {
        names.truncate(MAX_NOTES_NAMED);
        names.push(format!("{more} more"));
    }
    match names.pop() {
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
        None => String::new(),
    }
}

//! One rule, and what it comes to.

use xxhash_rust::xxh3::xxh3_64;

use super::action::Action;
use super::condition::Condition;
use crate::cache::CacheError;
use crate::config::{Every, Origin};
use crate::finding::act::Act;
use crate::finding::question::{Answer, Answers, Kind, QuestionKey};
use crate::finding::trigger::Trigger;
use crate::view::{Entry, View};

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub name: String,
    pub origin: Origin,
    /// Where it stands there.
    pub line: usize,
    pub on: Vec<Trigger>,
    pub when: Option<Condition>,
    pub deed: Deed,
    /// At most so many notes a run.
    pub limit: Option<usize>,
    /// Not more often than this.
    pub every: Option<Every>,
    pub enabled: bool,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    Act {
        /// The query; only a notice goes without.
        each: Option<String>,
        action: Action,
    },
    /// Runs the job of this name.
    Run(String),
}

impl Rule {
    /// Returns a hash of what it does to which notes: another rule asks anew.
    fn hash(&self) -> u64 {
        xxh3_64(format!("{} {:?}", self.name, self.deed).as_bytes())
    }

    /// Returns why it does what it does, in a line.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.deed {
            Deed::Act {
                each: Some(each), ..
            } => format!("rule `{}`: {each}", self.name),
            _ => format!("rule `{}`", self.name),
        }
    }

    #[must_use]
    pub fn listens_to(&self, event: Trigger) -> bool {
        self.enabled && self.on.contains(&event)
    }

    /// Returns the question whether it is done to this note.
    pub(super) fn key(&self, view: &View<'_>, entry: &Entry) -> Result<QuestionKey, CacheError> {
        let content = view.content_key(entry)?;
        Ok(QuestionKey::new(Kind::Rule, &[content, self.hash()]))
    }
}

/// What a rule came to.
#[derive(Debug)]
pub struct Verdict<'r> {
    pub rule: &'r Rule,
    /// Whether what it asks of the vault holds.
    pub holds: bool,
    /// The notes that it found.
    pub found: Vec<Entry>,
    /// What it does to them, each beside its note.
    pub acts: Vec<(Entry, Act)>,
    /// The notes that it leaves alone, and why.
    pub left: Vec<(Entry, &'static str)>,
}

/// So many notes are named in a line.
pub(super) const NAMED: usize = 3;

/// Returns true if nothing is to be done to this note by this rule, because somebody said so.
pub(super) fn is_refused(
    view: &View<'_>,
    answers: &Answers,
    rule: &Rule,
    entry: &Entry,
) -> Result<bool, CacheError> {
    Ok(answers.get(rule.key(view, entry)?) == Some(Answer::No))
}

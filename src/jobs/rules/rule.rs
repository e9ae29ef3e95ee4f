//! One rule, and what it comes to.

use super::Options;
use super::action::Action;
use super::condition::Condition;
use crate::config::Origin;
use crate::finding::trigger::Trigger;
use crate::jobs::prelude::*;

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
    /// Returns a hash of what it does to which notes: another rule asks anew, one that is only called otherwise
    /// does not. It is part of the journal: its form must not change.
    fn hash(&self) -> u64 {
        let written = match &self.deed {
            Deed::Act { each, action } => {
                format!("{action}\n{}", each.as_deref().unwrap_or_default())
            }
            Deed::Run(job) => format!("run {job}"),
        };
        xxh3_64(written.as_bytes())
    }

    /// Returns why it does what it does, in a line.
    pub fn reason(&self) -> String {
        match &self.deed {
            Deed::Act {
                each: Some(each), ..
            } => format!("rule `{}`: {each}", self.name),
            _ => format!("rule `{}`", self.name),
        }
    }

    /// Returns whether it stands in the vault's own file, so that a stranger may have written it. A preset that
    /// the vault names is mem's.
    pub(super) fn is_of_vault(&self) -> bool {
        matches!(self.origin, Origin::Vault(_))
    }

    /// Returns whether it asks before it changes any note.
    pub fn asks_first(&self, options: &Options) -> bool {
        let Deed::Act { action, .. } = &self.deed else {
            return false;
        };
        !options.trust_vault && self.is_of_vault() && action.can_lose(&Map::new())
    }

    /// Returns the properties that it sets.
    pub(super) fn properties(&self) -> impl Iterator<Item = &String> {
        let values = match &self.deed {
            Deed::Act {
                action: Action::Set(values),
                ..
            } => Some(values.keys()),
            _ => None,
        };
        values.into_iter().flatten()
    }

    /// Returns true if it acts only while the vault as a whole is in some state.
    pub fn asks_of_vault(&self) -> bool {
        self.when.is_some() || self.on.contains(&Trigger::Pressure)
    }

    pub fn listens_to(&self, event: Trigger) -> bool {
        self.enabled && self.on.contains(&event)
    }

    /// Returns the question whether it is done to this note.
    pub(super) fn key(&self, view: &View<'_>, entry: &Entry) -> Result<QuestionKey> {
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
    /// The notes with an act that needs a yes, whoever wrote them.
    pub asked: HashSet<Slot>,
    /// The notes that it leaves alone, and why.
    pub left: Vec<(Entry, &'static str)>,
}

impl Verdict<'_> {
    /// Returns what a notice says of the notes that it found, if there are any or it speaks of none.
    pub fn notice(&self) -> Option<String> {
        let Deed::Act {
            action: Action::Notify(text),
            each,
        } = &self.rule.deed
        else {
            return None;
        };
        if each.is_none() {
            return Some(text.clone());
        }
        let named = self.found.iter().take(NAMED);
        let named: Vec<&str> = named.map(|entry| entry.path.as_str()).collect();
        let named = named.join(", ");
        match self.found.len() {
            0 => None,
            count if count > NAMED => Some(format!("{text}: {named} and {} more", count - NAMED)),
            _ => Some(format!("{text}: {named}")),
        }
    }
}

/// So many notes are named in a line.
pub(super) const NAMED: usize = 3;

/// Returns true if nothing is to be done to this note by this rule, because somebody said so.
pub(super) fn is_refused(
    view: &View<'_>,
    answers: &Answers,
    rule: &Rule,
    entry: &Entry,
) -> Result<bool> {
    Ok(answers.get(rule.key(view, entry)?) == Some(Answer::No))
}

//! A rule and its result.

use super::RulesOptions;
use super::action::RuleAction;
use super::condition::Condition;
use crate::config::Origin;
use crate::finding::{RuleEvent, first_names};
use crate::jobs::prelude::*;

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    pub name: String,
    pub origin: Origin,
    /// Line number in its origin.
    pub line: usize,
    pub on: Vec<RuleEvent>,
    pub when: Option<Condition>,
    pub deed: Effect,
    /// Maximum number of notes per run.
    pub limit: Option<usize>,
    /// Minimum interval.
    pub every: Option<Interval>,
    pub enabled: bool,
}

/// What a rule does.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    Act {
        /// The query; only a notice may lack one.
        each: Option<String>,
        action: RuleAction,
    },
    /// Runs the job with this name.
    Run(String),
}

impl Rule {
    /// Returns a hash of the action and the query. A changed rule asks again, a renamed one does not.
    ///
    /// The journal stores the hash, so its input must not change.
    fn hash(&self) -> u64 {
        let hashed = match &self.deed {
            Effect::Act { each, action } => {
                format!("{action}\n{}", each.as_deref().unwrap_or_default())
            }
            Effect::Run(job) => format!("run {job}"),
        };
        xxh3_64(hashed.as_bytes())
    }

    /// Returns the reason for its findings, in one line.
    pub fn reason(&self) -> String {
        match &self.deed {
            Effect::Act {
                each: Some(each), ..
            } => format!("rule `{}`: {each}", self.name),
            _ => format!("rule `{}`", self.name),
        }
    }

    /// Returns true if the rule comes from the vault's own file, which may be untrusted. A preset named by the vault
    /// belongs to mem.
    pub(super) fn is_of_vault(&self) -> bool {
        matches!(self.origin, Origin::Vault(_))
    }

    /// Returns true if it asks before it changes any note.
    pub fn needs_approval(&self, options: &RulesOptions) -> bool {
        let Effect::Act { action, .. } = &self.deed else {
            return false;
        };
        !options.trust_vault && self.is_of_vault() && action.can_lose(&Map::new())
    }

    /// Returns the properties that it sets.
    pub(super) fn properties(&self) -> impl Iterator<Item = &String> {
        let values = match &self.deed {
            Effect::Act {
                action: RuleAction::Set(values),
                ..
            } => Some(values.keys()),
            _ => None,
        };
        values.into_iter().flatten()
    }

    /// Returns true if it has a vault-wide condition.
    pub fn has_vault_condition(&self) -> bool {
        self.when.is_some() || self.on.contains(&RuleEvent::Pressure)
    }

    pub fn listens_to(&self, event: RuleEvent) -> bool {
        self.enabled && self.on.contains(&event)
    }

    /// Returns the key of the question whether the rule applies to a note.
    pub(super) fn key(&self, view: &View<'_>, entry: &Entry) -> Result<QuestionKey> {
        let content = view.content_key(entry)?;
        Ok(QuestionKey::new(
            QuestionKind::Rule,
            &[content, self.hash()],
        ))
    }
}

/// Result of a rule.
#[derive(Debug)]
pub struct RuleResult<'r> {
    pub rule: &'r Rule,
    /// Whether the vault-wide conditions hold.
    pub holds: bool,
    /// Matching notes.
    pub found: Vec<Entry>,
    /// Acts on the matching notes.
    pub acts: Vec<(Entry, Act)>,
    /// Notes with an act that needs a yes, regardless of their authors.
    pub asked: HashSet<Slot>,
    /// Notes that the rule skips, with the reason.
    pub left: Vec<(Entry, &'static str)>,
}

impl RuleResult<'_> {
    /// Returns the text of a notice, with the matching notes; `None` if its query matches none.
    pub fn notice(&self) -> Option<String> {
        let Effect::Act {
            action: RuleAction::Notify(text),
            each,
        } = &self.rule.deed
        else {
            return None;
        };
        if each.is_none() {
            return Some(text.clone());
        }
        let found = self.found.iter().map(|entry| &entry.path);
        let named = first_names(found, MAX_NAMED_NOTES);
        (!self.found.is_empty()).then(|| format!("{text}: {named}"))
    }
}

/// Maximum number of notes named in a line.
pub(super) const MAX_NAMED_NOTES: usize = 3;

/// Returns true if an answer refuses this rule for this note.
pub(super) fn is_refused(
    view: &View<'_>,
    answers: &Answers,
    rule: &Rule,
    entry: &Entry,
) -> Result<bool> {
    Ok(answers.get(rule.key(view, entry)?) == Some(Answer::No))
}

//! Records of rules and their effects.

use crate::finding::{RuleEvent, act};
use crate::jobs::rules::action::RuleAction;
use crate::jobs::rules::{self, Effect, Rule, RuleResult, RuleResults, Rules};
use crate::recall::{Matcher, query, read_query};
use crate::run::prelude::*;

/// A rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleRecord {
    pub name: String,
    pub file: String,
    pub line: usize,
    enabled: bool,
    /// Whether every change needs an answer: the rule came with the vault and hides or loses
    /// something.
    needs_approval: bool,
    on: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    each: Option<String>,
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every: Option<String>,
}

impl RuleRecord {
    pub fn of(rule: &Rule, options: &rules::RulesOptions) -> Self {
        let (each, action, run) = match &rule.deed {
            Effect::Act { each, action } => (each.clone(), Some(action.to_string()), None),
            Effect::Run(job) => (None, None, Some(job.clone())),
        };
        Self {
            name: rule.name.clone(),
            file: rule.origin.to_string().trim_matches('`').to_owned(),
            line: rule.line,
            enabled: rule.enabled,
            needs_approval: rule.needs_approval(options),
            on: rule.on.iter().map(|event| event.name()).collect(),
            when: rule.when.as_ref().map(|when| when.text.clone()),
            each,
            action,
            run,
            limit: rule.limit,
            every: rule.every.map(|every| every.to_string()),
        }
    }

    /// Returns a one-line summary without the name.
    pub fn summary(&self) -> String {
        let words = [
            Some(format!("on {}", self.on.join(", "))),
            self.when.as_ref().map(|when| format!(" when {when}")),
            self.each.as_ref().map(|each| format!(" each {each}")),
            self.action.as_ref().map(|action| format!(": {action}")),
            self.run.as_ref().map(|job| format!(": run {job}")),
            self.limit.map(|limit| format!(", at most {limit}")),
            self.every.as_ref().map(|every| format!(", every {every}")),
            self.needs_approval.then(|| " (asks first)".to_owned()),
            (!self.enabled).then(|| " (off)".to_owned()),
        ];
        words.into_iter().flatten().collect()
    }
}

/// The effect of a rule.
#[derive(Debug, Serialize, JsonSchema)]
pub struct VerdictRecord {
    rule: String,
    /// Whether its `when` is satisfied.
    pub holds: bool,
    pub found: usize,
    pub acts: Vec<ActRecord>,
    pub left: Vec<LeftRecord>,
    #[serde(skip)]
    pub record: RuleRecord,
    /// Why it has no effect if `holds` is false.
    #[serde(skip)]
    pub held_back: &'static str,
    /// Whether the rule only notifies.
    #[serde(skip)]
    pub is_notice: bool,
    /// The text of its notification.
    #[serde(skip)]
    pub notice: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ActRecord {
    note: VaultPath,
    pub title: String,
    /// Whether the note is managed.
    pub managed: bool,
    /// Whether it needs an answer: the note is a person's, or the rule came with the vault.
    pub asked: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct LeftRecord {
    pub note: VaultPath,
    pub why: &'static str,
}

impl VerdictRecord {
    pub fn of(verdict: &RuleResult<'_>, options: &rules::RulesOptions) -> Self {
        let acts = verdict.acts.iter().map(|(entry, act)| ActRecord {
            note: entry.path.clone(),
            title: act.title(),
            managed: entry.is_managed(),
            asked: !entry.is_managed() || verdict.asked.contains(&entry.slot),
        });
        let left = verdict.left.iter().map(|(entry, why)| LeftRecord {
            note: entry.path.clone(),
            why,
        });
        let action = match &verdict.rule.deed {
            Effect::Act { action, .. } => Some(action),
            Effect::Run(_) => None,
        };
        Self {
            rule: verdict.rule.name.clone(),
            holds: verdict.holds,
            found: verdict.found.len(),
            acts: acts.collect(),
            left: left.collect(),
            record: RuleRecord::of(verdict.rule, options),
            held_back: inactive_reason(verdict.rule),
            is_notice: matches!(action, Some(RuleAction::Notify(_))),
            notice: verdict.notice(),
        }
    }
}

/// The effect of a rule on a note.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NoteVerdict {
    pub rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Why it has no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl NoteVerdict {
    pub fn of(view: &View<'_>, verdict: &RuleResult<'_>, note: &Entry) -> Result<Self, CacheError> {
        let planned = verdict.acts.iter();
        let of_note = planned.filter(|(entry, _)| entry.slot == note.slot);
        let acts: Vec<Act> = of_note.map(|(_, act)| act.clone()).collect();
        let (title, why) = if acts.is_empty() {
            (None, Some(why_not(view, verdict, note)?))
        } else {
            (Some(act::title(&acts)), None)
        };
        Ok(Self {
            rule: verdict.rule.name.clone(),
            title,
            why,
        })
    }
}

/// Computes the effects of `rules`, whether due or not, and passes them to `look`.
pub fn verdicts<T>(
    session: &Session,
    rules: &Rules,
    look: impl Fn(&View<'_>, &RuleResults<'_>) -> Result<T, CacheError>,
) -> Result<T> {
    let cache = session.fresh_cache()?;
    let answers = session.answers()?;
    let (result, _) = session.ask(cache, |cache| {
        let view = session.view_with_near(cache)?;
        look(&view, &rules.verdicts(&view, &answers)?)
    })?;
    Ok(result)
}

/// Returns why a rule with an unsatisfied condition has no effect.
fn inactive_reason(rule: &Rule) -> &'static str {
    match (&rule.when, rule.on.contains(&RuleEvent::Pressure)) {
        (None, _) => "the vault is below the limits for `pressure`",
        (Some(_), true) => {
            "its condition is false, or the vault is below the limits for `pressure`"
        }
        (Some(_), false) => "its condition is false",
    }
}

/// Returns why a rule has no effect on a note.
fn why_not(view: &View<'_>, verdict: &RuleResult<'_>, note: &Entry) -> Result<String, CacheError> {
    if !verdict.holds {
        return Ok(format!("does nothing: {}", inactive_reason(verdict.rule)));
    }
    let mut reasons = verdict.left.iter();
    let left = reasons.find(|(entry, _)| entry.slot == note.slot);
    if let Some((_, why)) = left {
        return Ok(format!("matches but changes nothing: {why}"));
    }
    if verdict.found.iter().any(|entry| entry.slot == note.slot) {
        return Ok("matches; nothing to do".to_owned());
    }
    let Effect::Act {
        each: Some(each), ..
    } = &verdict.rule.deed
    else {
        return Ok("does not select notes".to_owned());
    };
    let mut failing = Vec::new();
    for member in query::members(each) {
        let alone = read_query(view, member)?;
        let matcher = Matcher::new(view, &alone)?;
        let holds = matcher.map(|matcher| matcher.holds(note)).transpose()?;
        if holds == Some(false) {
            failing.push(format!("`{member}`"));
        }
    }
    Ok(match failing.as_slice() {
        [] => {
            "does not match: forgotten, expired and upcoming notes need a query that includes them"
                .to_owned()
        }
        failing => format!("does not match {}", failing.join(", ")),
    })
}

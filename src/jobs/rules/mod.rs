//! `rules`: actions on notes that a user defines as data.
//!
//! ```toml
//! [[rule]]
//! name = "old meetings"
//! on = "sleep"                       # or ingest, recall, pressure
//! when = "notes:>500"                # totals of the vault
//! each = "type:meeting idle:>1y"     # a query
//! do = "demote"
//! ```
//!
//! | a rule | result |
//! |---|---|
//! | matches a note written by mem or an agent | done unasked |
//! | matches notes of a person | one question for the rule; a "no" applies to these notes |
//! | comes with the vault and would hide notes or lose data | the same, unless `rules.trust_vault` |
//! | would demote a protected note (`keep`, core, `lifecycle.protected_importance`, `lifecycle.protected_types`, derived) | the note is skipped |
//! | would undo another rule on the same note, endlessly | neither acts on it, and both are reported |
//! | has an error | it is reported with its line, and ignored |
//!
//! Rules act in order, each on the notes as left by the earlier ones, until none has anything to do. One run
//! therefore reaches the fixpoint. A rule with `run` instead of `each` and `do` makes a job due;
//! [`crate::run::sleep::rules`] decides when.

pub mod action;
pub mod condition;
mod options;
mod parse;
mod rule;
mod simulation;
#[cfg(test)]
pub(super) mod tests;

pub use options::RulesOptions;
pub use parse::{RuleProblem, read};
pub use rule::{Effect, Rule, RuleResult};

use crate::config::{Schema, Setting, Settings};
use crate::finding::RuleEvent;
use crate::jobs::prelude::*;
use crate::recall::query::Query;
use crate::recall::{Matcher, read_query_with_properties};
use condition::VaultTotals;
use simulation::{RuleCycle, TurnSimulation};

/// Job table entry.
pub static JOB: Job = Job {
    name: RulesOptions::NAME,
    aliases: &[],
    about: "Apply your rules to notes",
    help: include_str!("help.txt"),
    looks: ("note", "found"),
    done: "changed",
    nothing: "no rule has anything to do",
    every: Interval::hours(1),
    every_about: "how often `mem sleep` runs rules",
    kinds: &[QuestionKind::Rule],
    options: job::JobOptions::with(
        |settings| Box::new(Rules::of(settings)),
        Schema::section::<RulesOptions>,
    ),
};

/// All rules of a vault.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// In order of execution, including disabled rules.
    pub rules: Vec<Rule>,
    pub problems: Vec<RuleProblem>,
    pub limits: RulesOptions,
    /// Names of rules whose interval has not passed.
    pub waiting: HashSet<String>,
    /// Whether the vault counts as under pressure regardless of its size.
    pub is_pressed: bool,
}

/// Results of all rules.
#[derive(Debug, Default)]
pub struct RuleResults<'r> {
    pub rules: Vec<RuleResult<'r>>,
    /// Rules that are invalid or cannot be carried out.
    pub problems: Vec<String>,
}

impl Rules {
    /// Returns the rules in the settings.
    pub fn of(settings: &Settings) -> Self {
        let sections = settings.schema().all().map(Setting::parts);
        let jobs: Vec<&str> = sections
            .filter(|(name, key)| *key == "every" && !ALWAYS_RUN_JOBS.contains(name))
            .map(|(name, _)| name)
            .collect();
        let (rules, problems) = read(&settings.rules, &jobs);
        Self {
            rules,
            problems,
            limits: settings.of(),
            ..Self::default()
        }
    }

    /// Returns true if the vault is under pressure.
    pub fn is_pressed(&self, numbers: &VaultTotals) -> bool {
        self.is_pressed || self.limits.are_exceeded(numbers)
    }

    /// Returns true if the vault-wide conditions of `rule` hold.
    pub fn holds(&self, rule: &Rule, numbers: &VaultTotals) -> bool {
        let is_raised = rule.on != [RuleEvent::Pressure] || self.is_pressed(numbers);
        let condition = rule.when.as_ref();
        is_raised && condition.is_none_or(|condition| condition.holds(numbers))
    }

    /// Evaluates the rules that act on notes, including actions that need a question first.
    pub fn verdicts(&self, view: &View<'_>, answers: &Answers) -> Result<RuleResults<'_>> {
        let mut all = RuleResults {
            problems: self.problems.iter().map(ToString::to_string).collect(),
            ..RuleResults::default()
        };
        let mut rules = Vec::new();
        let set: Vec<&str> = (self.rules.iter().filter(|rule| rule.enabled))
            .flat_map(Rule::properties)
            .map(String::as_str)
            .collect();
        for rule in self.rules.iter().filter(|rule| rule.enabled) {
            let Effect::Act { each, action } = &rule.deed else {
                continue;
            };
            let query = match each {
                Some(each) => match parse_query(view, each, &set)? {
                    Ok(query) => Some(query),
                    Err(why) => {
                        let (origin, line) = (&rule.origin, rule.line);
                        all.problems.push(format!(
                            "{origin}, line {line}: rule `{}`: {why}",
                            rule.name
                        ));
                        continue;
                    }
                },
                None => None,
            };
            rules.push((rule, action, query));
        }
        if rules.is_empty() {
            return Ok(all);
        }
        let mut entries = view.entries()?;
        entries.retain(|entry| !entry.row.flags.has(Flags::UNREADABLE));
        let numbers = VaultTotals::of(&entries);
        let mut simulation = TurnSimulation {
            view,
            entries: &entries,
            answers,
            states: Vec::new(),
            trusts_vault: self.limits.trust_vault,
        };
        for (rule, action, query) in &rules {
            let holds = self.holds(rule, &numbers);
            let matcher = match query {
                // A rule with vault-wide conditions may become active only after the others have acted.
                Some(query) if holds || rule.has_vault_condition() => Matcher::new(view, query)?,
                _ => None,
            };
            let is_allowed = !self.waiting.contains(&rule.name);
            simulation.add(rule, action, matcher, holds, is_allowed)?;
        }
        let (verdicts, cycles) = simulation.run(&|rule, numbers| self.holds(rule, numbers))?;
        all.rules = verdicts;
        all.problems.extend(cycles.iter().map(RuleCycle::to_string));
        Ok(all)
    }
}

/// Parses the query of a rule; reports properties that no note has and no rule sets.
fn parse_query(view: &View<'_>, each: &str, set: &[&str]) -> Result<Result<Query, String>> {
    let query = read_query_with_properties(view, each, set)?;
    Ok(match query.hints.first() {
        Some(hint) => Err(hint.to_string()),
        None => Ok(query),
    })
}

impl Find for Rules {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let verdicts = self.verdicts(view, answers)?;
        let mut findings = Findings {
            skipped: verdicts.problems,
            ..Findings::default()
        };
        for verdict in verdicts.rules {
            let rule = verdict.rule;
            findings.compared += verdict.found.len();
            if !verdict.holds || self.waiting.contains(&rule.name) {
                continue;
            }
            findings.notices.extend(verdict.notice());
            let acts = verdict.acts.into_iter();
            for (entry, act) in acts.filter(|(entry, _)| seeds.has(entry.slot)) {
                let certain = !verdict.asked.contains(&entry.slot);
                findings.found.push(Finding {
                    certain,
                    ..Finding::new(
                        rule.key(view, &entry)?,
                        vec![entry.path],
                        vec![act],
                        RULE_WEIGHT,
                        rule.reason(),
                    )
                });
            }
        }
        Ok(findings)
    }

    /// Rules depend on all notes and on the date.
    fn always_full(&self) -> bool {
        true
    }
}

/// Jobs that rules cannot run because a sleep always runs them.
const ALWAYS_RUN_JOBS: [&str; 4] = ["index", "judge", "settle", RulesOptions::NAME];

/// Weight of findings; users usually accept the actions of their own rules.
const RULE_WEIGHT: f32 = 0.9;

//! Parses rules from `rules.toml` and presets, with the line of each error.
//!
//! A rule with an error is reported and ignored; the others apply.

use std::fmt;

use serde::Deserialize as _;
use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

use super::action::RuleAction;
use super::condition::Condition;
use super::rule::{Effect, Rule};
use crate::config::{Interval, Origin, did_you_mean, syntax_error};
use crate::finding::RuleEvent;
use crate::note::front_matter::matter::from_toml;
use crate::note::front_matter::property::standard_name;
use crate::recall::query;

/// Why a rule, or a file of rules, is ignored.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleProblem {
    origin: Origin,
    /// `None` if it concerns the whole file.
    line: Option<usize>,
    why: String,
}

impl fmt::Display for RuleProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}, line {line}: {}", self.origin, self.why),
            None => write!(f, "{}: {}", self.origin, self.why),
        }
    }
}

const KEYS: &str = "name on when each do run limit every enabled";

/// Maximum number of rules, so that an untrusted vault cannot keep mem busy for minutes.
pub(super) const MAX_RULES: usize = 500;

/// A file of rules, or the reason why it is unreadable.
pub(super) type RulesFile = (Origin, Result<String, String>);

/// Parses rule files, lowest precedence first; a later rule replaces an earlier one of the same name. Rules can
/// run these `jobs`.
///
/// An unreadable file may have disabled earlier rules, so they stay disabled until it is readable.
pub fn read(files: &[RulesFile], jobs: &[&str]) -> (Vec<Rule>, Vec<RuleProblem>) {
    let (mut rules, mut problems): (Vec<Rule>, Vec<RuleProblem>) = Default::default();
    for (origin, text) in files {
        let (text, unreadable) = match text {
            Ok(text) => (text.as_str(), None),
            Err(cause) => ("", Some(cause)),
        };
        let file = File { origin, text, jobs };
        let mut seen: Vec<String> = Vec::new();
        let file_rules = match unreadable {
            Some(cause) => Err(RuleProblem {
                origin: origin.clone(),
                line: None,
                why: format!("cannot be read: {cause}"),
            }),
            None => file.rules(&mut problems),
        };
        let all = file_rules.unwrap_or_else(|mut problem| {
            if rules.iter().any(|rule| rule.enabled) {
                problem.why += "; the rules before it are disabled until it is readable";
            }
            problems.push(problem);
            for rule in &mut rules {
                rule.enabled = false;
            }
            Vec::new()
        });
        for parsed in all {
            let (name, line) = (&parsed.name, parsed.line);
            if seen.contains(name) {
                problems.push(file.problem(line, format!("a second rule is called `{name}`")));
                continue;
            }
            seen.push(name.clone());
            let earlier = rules.iter().position(|rule| rule.name == *name);
            match (parsed.rule, earlier) {
                (Some(rule), Some(at)) => rules[at] = rule,
                (Some(_), None) if rules.len() == MAX_RULES => {
                    let why = format!(
                        "more than {MAX_RULES} rules: this one and those after it are ignored"
                    );
                    problems.push(file.problem(line, why));
                    break;
                }
                (Some(rule), None) => rules.push(rule),
                (None, Some(at)) => rules[at].enabled = parsed.enabled,
                // A rule may be disabled in all vaults, including those without the preset that defines it.
                (None, None) if !parsed.enabled => {}
                (None, None) => {
                    let names = rules.iter().map(|rule| rule.name.as_str());
                    let other = did_you_mean(name, names);
                    let why = format!(
                        "rule `{name}` has neither `do` nor `run`, and no rule before it has this name{other}"
                    );
                    problems.push(file.problem(line, why));
                }
            }
        }
    }
    (rules, problems)
}

/// Returns a hint: a similar one of `known`, or all of them.
fn similar_or_all(name: &str, known: &[&str]) -> String {
    match did_you_mean(name, known) {
        other if other.is_empty() => format!("; there are {}", known.join(", ")),
        other => other,
    }
}

/// A parsed `[[rule]]`.
struct ParsedRule {
    name: String,
    line: usize,
    enabled: bool,
    /// `None` if it only enables or disables a rule with the same name.
    rule: Option<Rule>,
}

struct File<'f> {
    origin: &'f Origin,
    text: &'f str,
    jobs: &'f [&'f str],
}

impl File<'_> {
    fn problem(&self, line: usize, why: impl Into<String>) -> RuleProblem {
        RuleProblem {
            origin: self.origin.clone(),
            line: Some(line),
            why: why.into(),
        }
    }

    fn line(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    fn problem_at(&self, value: &Spanned<DeValue<'_>>, why: impl Into<String>) -> RuleProblem {
        self.problem(self.line(value.span().start), why)
    }

    /// Parses the rules; fails if the file as a whole is invalid.
    fn rules(&self, problems: &mut Vec<RuleProblem>) -> Result<Vec<ParsedRule>, RuleProblem> {
        let parsed = match DeTable::parse(self.text) {
            Ok(parsed) => parsed.into_inner(),
            Err(error) => {
                let why = syntax_error(self.text, error.span(), error.message());
                // The line is already part of the problem.
                let line = error.span().map_or(1, |span| self.line(span.start));
                let why = why.split_once(": ").map_or(why.as_str(), |(_, why)| why);
                return Err(self.problem(line, why));
            }
        };
        let mut rules = Vec::new();
        for (key, value) in &parsed {
            let name = key.get_ref().as_ref();
            match (name, value.get_ref()) {
                ("rule", DeValue::Array(values)) => {
                    for value in values {
                        match self.rule(value) {
                            Ok(rule) => rules.push(rule),
                            Err(problem) => {
                                problems.push(problem);
                                rules.extend(self.disabled_placeholder(value));
                            }
                        }
                    }
                }
                _ => problems.push(self.problem(
                    self.line(key.span().start),
                    format!("unexpected `{name}`; each rule begins with a line `[[rule]]`"),
                )),
            }
        }
        Ok(rules)
    }

    /// Returns a disabled placeholder for a rule with an error, so that its namesake stays disabled.
    fn disabled_placeholder(&self, rule: &Spanned<DeValue<'_>>) -> Option<ParsedRule> {
        let mut entries = rule.get_ref().as_table()?.iter();
        let (_, name) = entries.find(|(key, _)| key.get_ref() == "name")?;
        let line = self.line(name.span().start);
        Some(ParsedRule {
            name: self.word("name", name).ok()?.to_owned(),
            line,
            enabled: false,
            rule: None,
        })
    }

    fn rule(&self, value: &Spanned<DeValue<'_>>) -> Result<ParsedRule, RuleProblem> {
        let Some(table) = value.get_ref().as_table() else {
            return Err(self.problem_at(value, "a rule begins with a line `[[rule]]`"));
        };
        let get = |name: &str| {
            let mut entries = table.iter();
            let found = entries.find(|(key, _)| key.get_ref() == name);
            found.map(|(_, value)| value)
        };
        for (key, _) in table {
            let name = key.get_ref().as_ref();
            if !KEYS.split(' ').any(|key| key == name) {
                let other = did_you_mean(name, KEYS.split(' '));
                let line = self.line(key.span().start);
                return Err(self.problem(line, format!("a rule has no `{name}`{other}")));
            }
        }
        let line = self.line(value.span().start);
        let Some(name) = get("name") else {
            return Err(self.problem(line, "a rule without a `name`"));
        };
        let name = self.word("name", name)?.to_owned();
        let line = self.line(get("name").map_or(0, |name| name.span().start));
        let enabled = match get("enabled") {
            None => true,
            Some(value) => (value.get_ref().as_bool())
                .ok_or_else(|| self.problem_at(value, "`enabled` takes true or false"))?,
        };
        let on = get("on").map_or(Ok(vec![RuleEvent::Sleep]), |on| self.triggers(on))?;
        let when = get("when").map(|when| self.when(when)).transpose()?;
        let each = get("each").map(|each| self.each(each)).transpose()?;
        let action = get("do").map(|action| self.action(action)).transpose()?;
        let run = get("run").map(|run| self.run(run)).transpose()?;
        let limit = get("limit").map(|limit| self.limit(limit)).transpose()?;
        let every = get("every").map(|every| self.every(every)).transpose()?;
        let deed = match (action, each, run) {
            (Some(action), each, None)
                if each.is_some() || matches!(action, RuleAction::Notify(_)) =>
            {
                Ok(Some(Effect::Act { each, action }))
            }
            (Some(_), _, None) => Err(" has `do` without `each`: add `each = \"QUERY\"`"),
            (None, None, Some(_)) if limit.is_some() => Err(": `limit` needs `do`"),
            (None, None, Some(job)) => Ok(Some(Effect::Run(job))),
            (Some(_), _, Some(_)) => Err(" has both `do` and `run`; split it into two rules"),
            (None, Some(_), _) => Err(" has `each` without `do`: add an action"),
            (None, None, None) => Ok(None),
        };
        let deed = deed.map_err(|why| self.problem(line, format!("rule `{name}`{why}")))?;
        let rule = deed.map(|deed| Rule {
            name: name.clone(),
            origin: self.origin.clone(),
            line,
            on,
            when,
            deed,
            limit,
            every,
            enabled,
        });
        Ok(ParsedRule {
            name,
            line,
            enabled,
            rule,
        })
    }

    fn word<'t>(&self, key: &str, value: &'t Spanned<DeValue<'_>>) -> Result<&'t str, RuleProblem> {
        let string = value.get_ref().as_str().map(str::trim);
        let text = string.filter(|text| !text.is_empty());
        text.ok_or_else(|| self.problem_at(value, format!("`{key}` takes a string in quotes")))
    }

    fn triggers(&self, on: &Spanned<DeValue<'_>>) -> Result<Vec<RuleEvent>, RuleProblem> {
        let one = |value: &Spanned<DeValue<'_>>| {
            let name = self.word("on", value)?;
            RuleEvent::named(name).ok_or_else(|| {
                let names = RuleEvent::ALL.map(RuleEvent::name);
                let why = format!("unknown event `{name}`{}", similar_or_all(name, &names));
                self.problem_at(value, why)
            })
        };
        match on.get_ref() {
            DeValue::Array(values) if !values.is_empty() => values.iter().map(one).collect(),
            _ => Ok(vec![one(on)?]),
        }
    }

    fn when(&self, when: &Spanned<DeValue<'_>>) -> Result<Condition, RuleProblem> {
        let text = self.word("when", when)?;
        Condition::read(text).map_err(|why| self.problem_at(when, format!("`when`: {why}")))
    }

    fn each(&self, each: &Spanned<DeValue<'_>>) -> Result<String, RuleProblem> {
        let text = self.word("each", each)?;
        // Syntax errors in a query do not depend on the date.
        let read = query::parse(text, &jiff::Zoned::default());
        match read.hints.first() {
            Some(hint) => Err(self.problem_at(each, format!("`each`: {hint}"))),
            None => Ok(text.to_owned()),
        }
    }

    fn action(&self, action: &Spanned<DeValue<'_>>) -> Result<RuleAction, RuleProblem> {
        let (name, value) = match action.get_ref() {
            DeValue::String(name) => (name.as_ref(), None),
            DeValue::Table(table) => {
                let mut entries = table.iter();
                let (Some((key, value)), None) = (entries.next(), entries.next()) else {
                    return Err(
                        self.problem_at(action, "`do` takes one action; write a rule for each")
                    );
                };
                (key.get_ref().as_ref(), Some(value))
            }
            _ => {
                let why = "`do` takes an action, as \"demote\" or { tag = \"old\" }";
                return Err(self.problem_at(action, why));
            }
        };
        let tag = |value| Ok(self.word(name, value)?.trim_start_matches('#').to_owned());
        match (name, value) {
            ("demote", None) => Ok(RuleAction::Demote),
            ("forget", None) => Ok(RuleAction::Forget),
            ("restore", None) => Ok(RuleAction::Restore),
            ("promote", None) => Ok(RuleAction::Promote),
            ("trash", None) => Ok(RuleAction::Trash),
            ("tag", Some(value)) => tag(value).map(RuleAction::Tag),
            ("untag", Some(value)) => tag(value).map(RuleAction::Untag),
            ("set", Some(value)) => self.properties(value).map(RuleAction::Set),
            ("notify", Some(value)) => Ok(RuleAction::Notify(self.word(name, value)?.to_owned())),
            _ => {
                let mut known = RuleAction::NAMES.iter();
                let why = match known.find(|(known, _)| *known == name) {
                    Some((_, "")) => format!("`{name}` takes no value: `do = \"{name}\"`"),
                    Some((_, example)) => {
                        format!("`{name}` takes a value: `do = {{ {name} = {example} }}`")
                    }
                    None => {
                        let names = RuleAction::NAMES.map(|(name, _)| name);
                        format!("unknown action `{name}`{}", similar_or_all(name, &names))
                    }
                };
                Err(self.problem_at(value.unwrap_or(action), why))
            }
        }
    }

    /// Parses the value of `set`.
    fn properties(&self, set: &Spanned<DeValue<'_>>) -> Result<Map<String, Value>, RuleProblem> {
        let filled_table = set.get_ref().as_table().filter(|table| !table.is_empty());
        let table = filled_table.ok_or_else(|| {
            let why = "`set` without properties: `do = { set = { status = \"old\" } }`";
            self.problem_at(set, why)
        })?;
        let mut properties = Map::new();
        for (key, value) in table {
            let key = key.get_ref().to_string();
            if key.trim().is_empty() {
                return Err(self.problem_at(value, "a property without a name"));
            }
            let property = toml::Value::deserialize(ValueDeserializer::from(value.clone()))
                .map_or(Value::Null, from_toml);
            let number = property.as_f64().unwrap_or(-1.0);
            let refused = match standard_name(&key) {
                "tier" => "use \"demote\", \"forget\", \"restore\" or \"promote\"",
                "mem" => "it is reserved for mem",
                "id" | "title" | "aliases" | "created" => "each note has its own",
                "tags" => "use `tag` and `untag`",
                "importance" | "confidence" if !(0.0..=1.0).contains(&number) => {
                    "it takes a number from 0 to 1"
                }
                "keep" if property != true => {
                    "only true is allowed, because rules cannot remove protection"
                }
                _ => "",
            };
            if !refused.is_empty() {
                return Err(self.problem_at(value, format!("`set` of `{key}`: {refused}")));
            }
            properties.insert(key, property);
        }
        Ok(properties)
    }

    fn run(&self, run: &Spanned<DeValue<'_>>) -> Result<String, RuleProblem> {
        let name = self.word("run", run)?;
        if self.jobs.contains(&name) {
            return Ok(name.to_owned());
        }
        let other = similar_or_all(name, self.jobs);
        Err(self.problem_at(run, format!("unknown job `{name}`{other}")))
    }

    fn limit(&self, limit: &Spanned<DeValue<'_>>) -> Result<usize, RuleProblem> {
        let integer = limit.get_ref().as_integer();
        let number = integer
            .and_then(|number| usize::from_str_radix(number.as_str(), number.radix()).ok())
            .filter(|number| *number > 0);
        number.ok_or_else(|| self.problem_at(limit, "`limit` takes a whole number of at least 1"))
    }

    fn every(&self, every: &Spanned<DeValue<'_>>) -> Result<Interval, RuleProblem> {
        let text = self.word("every", every)?;
        let read = text.parse();
        read.map_err(|_| self.problem_at(every, format!("`every` takes {}", Interval::TAKES)))
    }
}

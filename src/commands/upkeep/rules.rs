//! `mem rules`

use clap::Subcommand;
use jiff::civil::Date;
use jiff::{Timestamp, Zoned};
use serde::Serialize;

use super::maintenance::{self, JobArgs};
use super::sleep::events;
use crate::cache::CacheError;
use crate::commands::args::note_lookup::find_note;
use crate::commands::setup::settings::SCHEMA;
use crate::config::{Origin, Settings};
use crate::error::{Error, Exit};
use crate::finding::act::{self, Act};
use crate::finding::trigger::Trigger;
use crate::jobs::rules::action::Action;
use crate::jobs::rules::{self, Deed, Rule, Rules, Verdict, Verdicts};
use crate::output::{Form, Output, Style, count};
use crate::recall::query::Query;
use crate::recall::{Matcher, read_query};
use crate::run::presets::PRESETS;
use crate::session::{Environment, Session};
use crate::vault::Vault;
use crate::view::{Entry, View};

/// How rules are written.
const FORMAT: &str = "\
A rule in `rules.toml`:
  [[rule]]
  name = \"old meetings\"
  each = \"type:meeting idle:>1y -type:decision\"
  do = \"demote\"

  name     what it is called; a rule of yours takes the place of a preset's of the same name,
           one of the vault that of yours, and with `enabled = false` alone switches it off
  on       the events that call it: ingest (a note came in or changed), recall, sleep, pressure
           (more in the vault than `rules.most_notes`, `most_bytes` or `most_tokens`); one, or a
           list [default: sleep]
  when     numbers of the vault: notes, managed, bytes, tokens, as `notes:>500`; forgotten notes
           do not count
  each     a query, as for `mem list`: the notes that something is done to
  do       demote (to archival), forget, restore (to working), promote (to core), trash,
           { tag = \"x\" }, { untag = \"x\" }, { set = { status = \"old\" } } or
           { notify = \"a line in report and status\" }
  run      in the place of `each` and `do`: a job that is due then, as \"dedupe\"
  limit    at most so many notes a run, and in a question about your own
  every    not more often than this, on all devices; `mem rules` by hand does not wait
  enabled  true or false

Rules act in the order in which they are written: those of presets, yours, the vault's. No rule
moves down what is protected from forgetting, nor sets its `type` or `importance`. A vault may come
from a stranger: before a rule of `.mem/rules.toml` forgets, trashes, untags or overwrites a property,
it asks, unless `rules.trust_vault` is set in your own settings.";

/// What rules can be told.
#[derive(Debug, clap::Args)]
#[command(
    about = rules::JOB.about,
    long_about = format!("{}\n\n{}", rules::JOB.about, rules::JOB.help),
    after_long_help = FORMAT,
    args_conflicts_with_subcommands = true
)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    job: JobArgs,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List the rules, in the order in which they act
    List,
    /// Check the rules: exits with 1 if one is wrong, or if two of them would change a note for ever
    Check,
    /// Show what the rules would do, and to which notes; changes nothing
    Test {
        /// Only this rule
        rule: Option<String>,
        /// At this date or moment, as `2027-03-01`: how old notes are then
        #[arg(long, value_name = "DATE", value_parser = moment)]
        at: Option<Moment>,
        /// Only rules that this event calls
        #[arg(long, value_parser = events())]
        event: Option<Trigger>,
        /// Say of this note what each rule does to it, and if nothing, why
        #[arg(long, value_name = "NOTE")]
        note: Option<String>,
    },
    /// Show how two policies differ, in settings and rules: presets, or `here` for what holds in this vault
    Diff {
        /// A preset, several like `automem,busy`, or `here`
        from: String,
        to: String,
    },
}

/// A date, or a moment of one.
#[derive(Clone, Copy, Debug)]
enum Moment {
    Day(Date),
    Second(Timestamp),
}

fn moment(text: &str) -> Result<Moment, String> {
    let day = || text.parse().map(Moment::Day);
    let read = text.parse().map(Moment::Second).or_else(|_| day());
    read.map_err(|_| "expected a date like 2027-03-01".to_owned())
}

impl Moment {
    fn in_zone_of(self, now: &Zoned) -> Result<Zoned, Error> {
        match self {
            Self::Second(at) => Ok(at.to_zoned(now.time_zone().clone())),
            Self::Day(day) => day
                .to_zoned(now.time_zone().clone())
                .map_err(|error| Error::new(error.to_string())),
        }
    }
}

#[derive(Debug, Serialize)]
struct RuleRecord<'r> {
    name: &'r str,
    file: String,
    line: usize,
    enabled: bool,
    /// Whether a yes comes before any change: it came with the vault and hides or loses something.
    asks_first: bool,
    on: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    each: Option<&'r str>,
    #[serde(rename = "do", skip_serializing_if = "Option::is_none")]
    action: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    every: Option<String>,
}

impl<'r> RuleRecord<'r> {
    fn of(rule: &'r Rule, options: &rules::Options) -> Self {
        let (each, action, run) = match &rule.deed {
            Deed::Act { each, action } => (each.as_deref(), Some(action.to_string()), None),
            Deed::Run(job) => (None, None, Some(job.as_str())),
        };
        Self {
            name: &rule.name,
            file: rule.origin.to_string().trim_matches('`').to_owned(),
            line: rule.line,
            enabled: rule.enabled,
            asks_first: rule.asks_first(options),
            on: rule.on.iter().map(|event| event.name()).collect(),
            when: rule.when.as_ref().map(|when| when.text.as_str()),
            each,
            action,
            run,
            limit: rule.limit,
            every: rule.every.map(|every| every.to_string()),
        }
    }

    /// Returns the rule in a line, without its name.
    fn words(&self) -> String {
        let words = [
            Some(format!("on {}", self.on.join(", "))),
            self.when.map(|when| format!(" when {when}")),
            self.each.map(|each| format!(" each {each}")),
            self.action.as_ref().map(|action| format!(": {action}")),
            self.run.map(|job| format!(": run {job}")),
            self.limit.map(|limit| format!(", at most {limit}")),
            self.every.as_ref().map(|every| format!(", every {every}")),
            self.asks_first.then(|| " (asks first)".to_owned()),
            (!self.enabled).then(|| " (off)".to_owned()),
        ];
        words.into_iter().flatten().collect()
    }
}

#[derive(Debug, Serialize)]
struct VerdictRecord<'r> {
    rule: &'r str,
    /// Whether its `when` holds.
    holds: bool,
    found: usize,
    acts: Vec<ActRecord>,
    left: Vec<LeftRecord>,
}

#[derive(Debug, Serialize)]
struct ActRecord {
    note: String,
    title: String,
    /// Whether mem or an agent wrote it.
    managed: bool,
    /// Whether it needs a yes: of a person's note, or of a rule that came with the vault.
    asked: bool,
}

#[derive(Debug, Serialize)]
struct LeftRecord {
    note: String,
    why: &'static str,
}

impl<'r> VerdictRecord<'r> {
    fn of(verdict: &'r Verdict<'_>) -> Self {
        let acts = verdict.acts.iter().map(|(entry, act)| ActRecord {
            note: entry.path.to_string(),
            title: act.title(),
            managed: entry.is_managed(),
            asked: !entry.is_managed() || verdict.asked.contains(&entry.slot),
        });
        let left = verdict.left.iter().map(|(entry, why)| LeftRecord {
            note: entry.path.to_string(),
            why,
        });
        Self {
            rule: &verdict.rule.name,
            holds: verdict.holds,
            found: verdict.found.len(),
            acts: acts.collect(),
            left: left.collect(),
        }
    }
}

/// Runs the rules, or shows what they are.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    match &args.what {
        None => maintenance::run(env, &rules::JOB, &args.job),
        Some(What::List) => list(env),
        Some(What::Check) => check(env),
        Some(What::Test {
            rule,
            at,
            event,
            note,
        }) => {
            let mut env = env.clone();
            if let Some(at) = at {
                env.now = at.in_zone_of(&env.now)?;
            }
            let session = env.open()?;
            test(&session, rule.as_deref(), *event, note.as_deref())
        }
        Some(What::Diff { from, to }) => diff(env, from, to),
    }
}

/// How two policies differ in one setting or rule.
#[derive(Debug, Serialize)]
struct Difference {
    /// The name of a setting, or that of a rule.
    #[serde(flatten)]
    what: Named,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    Setting(String),
    Rule(String),
}

/// What holds in the vault at hand.
const HERE: &str = "here";

/// Returns the settings that a name means: a preset, several, or what holds here.
fn policy(env: &Environment, name: &str) -> Result<Settings, Error> {
    if name == HERE {
        let vault = Vault::find(&env.start)?;
        return Ok(env.settings(Some(&vault)));
    }
    for preset in name.split(',').map(str::trim) {
        if !PRESETS.iter().any(|(known, _)| *known == preset) {
            return Err(crate::commands::setup::presets::unknown(preset));
        }
    }
    let named = format!("[rules]\npreset = \"{name}\"\n");
    Ok(Settings::load(
        &SCHEMA,
        [(Origin::BuiltIn, Ok(named))],
        |_| None,
    ))
}

fn diff(env: &Environment, from: &str, to: &str) -> Result<Exit, Error> {
    let [from, to] = [policy(env, from)?, policy(env, to)?];
    let settings = SCHEMA
        .all()
        .filter(|setting| setting.key != rules::Options::PRESET);
    let mut differences: Vec<Difference> = settings
        .filter(|setting| from.value(setting) != to.value(setting))
        .map(|setting| Difference {
            what: Named::Setting(setting.key.clone()),
            from: Some(from.value(setting).to_string()),
            to: Some(to.value(setting).to_string()),
        })
        .collect();
    let [from, to] = [&from, &to].map(Rules::of);
    let words = |rules: &Rules, name: &str| {
        let rule = rules.rules.iter().find(|rule| rule.name == name)?;
        Some(RuleRecord::of(rule, &rules.limits).words())
    };
    let added = to
        .rules
        .iter()
        .filter(|rule| words(&from, &rule.name).is_none());
    for rule in from.rules.iter().chain(added) {
        let [from, to] = [&from, &to].map(|rules| words(rules, &rule.name));
        if from != to {
            let what = Named::Rule(rule.name.clone());
            differences.push(Difference { what, from, to });
        }
    }
    let output = &env.output;
    if output.form != Form::Human {
        output.records("differences", &differences)?;
        return Ok(Exit::found(differences.is_empty()));
    }
    for difference in &differences {
        match (&difference.what, &difference.from, &difference.to) {
            (Named::Setting(key), Some(from), Some(to)) => {
                let key = output.paint(Style::Title, key);
                output.line(&format!("{key}  {from} -> {to}"))?;
            }
            (Named::Setting(_), ..) => {}
            (Named::Rule(name), from, to) => {
                let name = output.paint(Style::Title, &output.clean(name));
                for (sign, words) in [("-", from), ("+", to)] {
                    if let Some(words) = words {
                        output.line(&format!("{sign} {name}  {}", output.clean(words)))?;
                    }
                }
            }
        }
    }
    if differences.is_empty() {
        output.say("no difference");
    }
    Ok(Exit::found(differences.is_empty()))
}

/// What a person with no rules is told.
const NONE: &str = "no rules; write some in `.mem/rules.toml`, as `mem help rules` shows";

fn list(env: &Environment) -> Result<Exit, Error> {
    let session = env.open()?;
    let rules = Rules::of(&session.settings);
    let output = &env.output;
    say_problems(output, &rules);
    let records: Vec<RuleRecord<'_>> = rules
        .rules
        .iter()
        .map(|rule| RuleRecord::of(rule, &rules.limits))
        .collect();
    if output.form == Form::Human {
        let widest = records.iter().map(|rule| rule.name.chars().count()).max();
        for rule in &records {
            let padding = widest.unwrap_or(0) - rule.name.chars().count();
            let name = output.paint(Style::Title, &output.clean(rule.name));
            let words = output.clean(&rule.words());
            let place = format!("{}:{}", rule.file, rule.line);
            let place = output.paint(Style::Faint, &output.clean(&place));
            output.line(&format!("{name}{}  {words}  {place}", " ".repeat(padding)))?;
        }
        say_if_off(output, &rules);
        if records.is_empty() && rules.problems.is_empty() {
            output.say(NONE);
        }
    } else {
        output.records("rules", &records)?;
    }
    Ok(Exit::found(!records.is_empty()))
}

/// Says that no rule acts, where that is so.
fn say_if_off(output: &Output, rules: &Rules) {
    if !rules.limits.enabled && !rules.rules.is_empty() {
        output.warn("`rules.enabled` is false: `mem sleep` runs no rule");
    }
}

fn say_problems(output: &Output, rules: &Rules) {
    for problem in &rules.problems {
        output.warn(&problem.to_string());
    }
}

fn check(env: &Environment) -> Result<Exit, Error> {
    let session = env.open()?;
    let rules = Rules::of(&session.settings);
    let output = &env.output;
    let problems = verdicts(&session, &rules, |_, verdicts| {
        Ok(verdicts.problems.clone())
    })?;
    if output.form == Form::Human {
        for problem in &problems {
            output.line(&output.clean(problem))?;
        }
        if rules.rules.is_empty() && problems.is_empty() {
            output.say(NONE);
        } else {
            let right = count(rules.rules.len(), "rule");
            output.say(&format!(
                "{right} read, {}",
                count(problems.len(), "problem")
            ));
        }
    } else {
        output.records("problems", &problems)?;
    }
    Ok(Exit::found(problems.is_empty()))
}

/// Works out what `rules` come to, with no regard to whose turn it is, and shows it to `look`.
fn verdicts<T>(
    session: &Session,
    rules: &Rules,
    look: impl Fn(&View<'_>, &Verdicts<'_>) -> Result<T, CacheError>,
) -> Result<T, Error> {
    let cache = session.fresh_cache()?;
    let answers = session.answers()?;
    let (seen, _) = session.ask(cache, |cache| {
        let view = session.view_with_near(cache)?;
        look(&view, &rules.verdicts(&view, &answers)?)
    })?;
    Ok(seen)
}

fn test(
    session: &Session,
    name: Option<&str>,
    event: Option<Trigger>,
    note: Option<&str>,
) -> Result<Exit, Error> {
    let output = &session.env.output;
    let mut rules = Rules::of(&session.settings);
    rules.is_pressed = event == Some(Trigger::Pressure);
    say_problems(output, &rules);
    rules.problems.clear();
    if let Some(name) = name
        && !rules.rules.iter().any(|rule| rule.name == name)
    {
        let names: Vec<&str> = rules.rules.iter().map(|rule| rule.name.as_str()).collect();
        let error = Error::new(format!("no rule is called `{name}`"));
        return Err(match names.as_slice() {
            [] => error.hint(NONE),
            names => error.hint(format!("rules: {}", names.join(", "))),
        });
    }
    let is_meant = |rule: &Rule| {
        name.is_none_or(|name| rule.name == name)
            && event.is_none_or(|event| rule.on.contains(&event))
    };
    if let Some(note) = note {
        return test_note(session, &rules, is_meant, note);
    }
    verdicts(session, &rules, |_, verdicts| {
        let mut runs = 0;
        let meant = verdicts
            .rules
            .iter()
            .filter(|verdict| is_meant(verdict.rule));
        let says = meant.clone().any(|verdict| verdict.notice().is_some());
        let records: Vec<VerdictRecord<'_>> = meant.clone().map(VerdictRecord::of).collect();
        let mut shown = if output.form == Form::Human {
            meant
                .zip(&records)
                .try_for_each(|(verdict, record)| show(output, verdict, record, &rules.limits))
        } else {
            output.records("rules", &records)
        };
        for problem in &verdicts.problems {
            output.warn(problem);
        }
        if output.form == Form::Human {
            for rule in rules
                .rules
                .iter()
                .filter(|rule| rule.enabled && is_meant(rule))
            {
                if let Deed::Run(_) = rule.deed {
                    let told = head(output, rule, &rules.limits).and_then(|()| {
                        output.line("  `mem sleep` runs it when the rule has its turn")
                    });
                    shown = shown.and(told);
                    runs += 1;
                }
            }
            say_if_off(output, &rules);
        }
        if records.is_empty() && runs == 0 && output.form == Form::Human {
            output.say(if rules.rules.is_empty() {
                NONE
            } else {
                "no rule that acts on notes is meant"
            });
        }
        let acts = records.iter().any(|record| !record.acts.is_empty()) || says;
        Ok(shown.map(|()| Exit::found(acts)))
    })?
}

/// Returns why a rule does nothing that does not hold.
fn held_back(rule: &Rule) -> &'static str {
    match (&rule.when, rule.on.contains(&Trigger::Pressure)) {
        (None, _) => "the vault is not under pressure",
        (Some(_), true) => "its condition does not hold, or the vault is not under pressure",
        (Some(_), false) => "its condition does not hold",
    }
}

/// Shows a rule in a line.
fn head(output: &Output, rule: &Rule, options: &rules::Options) -> Result<(), Error> {
    let name = output.paint(Style::Title, &output.clean(&rule.name));
    let words = output.clean(&RuleRecord::of(rule, options).words());
    output.line(&format!("{name}  {words}"))
}

/// Shows what a rule comes to.
fn show(
    output: &Output,
    verdict: &Verdict<'_>,
    record: &VerdictRecord<'_>,
    options: &rules::Options,
) -> Result<(), Error> {
    head(output, verdict.rule, options)?;
    if !record.holds {
        return output.line(&format!("  {}", held_back(verdict.rule)));
    }
    if let Deed::Act {
        action: Action::Notify(_),
        ..
    } = &verdict.rule.deed
    {
        let said = verdict.notice();
        let said = said.unwrap_or_else(|| "0 notes found, nothing to say".to_owned());
        return output.line(&output.clean(&format!("  {said}")));
    }
    let (asked, done): (Vec<_>, Vec<_>) = record.acts.iter().partition(|act| act.asked);
    let found = count(record.found, "note");
    let cause = if asked.iter().any(|act| act.managed) {
        "the rule came with the vault (`rules.trust_vault`)"
    } else {
        "the notes are yours"
    };
    let words = match (done.len(), asked.len()) {
        (0, 0) => format!("  {found} found, nothing to do"),
        (done, 0) => format!("  {found} found, {} done unasked", count(done, "change")),
        (0, asked) => format!(
            "  {found} found, {} asked about: {cause}",
            count(asked, "change")
        ),
        (done, asked) => format!(
            "  {found} found, {} done unasked, {asked} asked about: {cause}",
            count(done, "change")
        ),
    };
    output.line(&words)?;
    for act in &record.acts {
        output.line(&output.clean(&format!("  {}", act.title)))?;
    }
    for left in &record.left {
        output.line(&output.clean(&format!("  leaves {}: {}", left.note, left.why)))?;
    }
    Ok(())
}

#[derive(Debug, Serialize)]
struct NoteRecord<'r> {
    rule: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Why it does nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

/// Says of one note what each rule does to it.
fn test_note(
    session: &Session,
    rules: &Rules,
    is_meant: impl Fn(&Rule) -> bool,
    name: &str,
) -> Result<Exit, Error> {
    let cache = session.fresh_cache()?;
    let output = &session.env.output;
    let note = find_note(&session.env, &session.view(&cache)?, name)?;
    drop(cache);
    verdicts(session, rules, |view, verdicts| {
        let mut records = Vec::new();
        for verdict in verdicts
            .rules
            .iter()
            .filter(|verdict| is_meant(verdict.rule))
        {
            let acts = verdict
                .acts
                .iter()
                .filter(|(entry, _)| entry.slot == note.slot);
            let acts: Vec<Act> = acts.map(|(_, act)| act.clone()).collect();
            let why = if acts.is_empty() {
                Some(why_not(view, verdict, &note)?)
            } else {
                None
            };
            records.push(NoteRecord {
                rule: &verdict.rule.name,
                title: why.is_none().then(|| act::title(&acts)),
                why,
            });
        }
        let shown = if output.form == Form::Human {
            records.iter().try_for_each(|record| {
                let rule = output.paint(Style::Title, &output.clean(record.rule));
                let words = record.title.as_ref().or(record.why.as_ref());
                let words = words.map_or_else(String::new, |words| output.clean(words));
                output.line(&format!("{rule}  {words}"))
            })
        } else {
            output.records("rules", &records)
        };
        for problem in &verdicts.problems {
            output.warn(problem);
        }
        let acts = records.iter().any(|record| record.why.is_none());
        Ok(shown.map(|()| Exit::found(acts)))
    })?
}

/// Returns why a rule does nothing to a note.
fn why_not(view: &View<'_>, verdict: &Verdict<'_>, note: &Entry) -> Result<String, CacheError> {
    if !verdict.holds {
        return Ok(format!("does nothing: {}", held_back(verdict.rule)));
    }
    let left = verdict
        .left
        .iter()
        .find(|(entry, _)| entry.slot == note.slot);
    if let Some((_, why)) = left {
        return Ok(format!("finds it and leaves it: {why}"));
    }
    if verdict.found.iter().any(|entry| entry.slot == note.slot) {
        return Ok("finds it, and there is nothing to do".to_owned());
    }
    let Deed::Act {
        each: Some(each), ..
    } = &verdict.rule.deed
    else {
        return Ok("speaks of no notes".to_owned());
    };
    let query = read_query(view, each)?;
    let mut failing = Vec::new();
    for member in query.members() {
        let alone = Query {
            expr: member.clone(),
            sort: None,
            hints: Vec::new(),
        };
        let matcher = Matcher::new(view, &alone)?;
        let holds = matcher.map(|matcher| matcher.holds(note)).transpose()?;
        if holds == Some(false) {
            failing.push(format!("`{member}`"));
        }
    }
    Ok(match failing.as_slice() {
        [] => {
            "does not find it: it is forgotten or expired, and the query does not say so".to_owned()
        }
        failing => format!("does not find it: {} does not hold", failing.join(", ")),
    })
}

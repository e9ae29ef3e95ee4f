//! `mem rules`

use clap::Subcommand;

use super::job::{JobCommand, short_about};
use super::maintenance::JobArgs;
use crate::commands::prelude::*;
use crate::jobs::rules::{self, Effect, Rule, Rules};
use crate::run::rules::{NoteVerdict, RuleRecord, VerdictRecord, verdicts};
use crate::signals::dates;

/// The arguments of `mem rules`.
#[derive(Debug, clap::Args)]
#[command(
    about = rules::JOB.about,
    long_about = short_about(&rules::JOB),
    args_conflicts_with_subcommands = true
)]
pub struct RulesArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    job: JobArgs,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the rules in the order of execution
    List(RulesListRequest),
    /// Check the rules; exits with 1 if a rule is invalid or rules undo each other endlessly
    Check(CheckRequest),
    /// Preview the changes that the rules would make
    Test(TestRequest),
}

#[derive(Debug, clap::Args)]
pub struct RulesListRequest {}

#[derive(Debug, clap::Args)]
pub struct CheckRequest {}

#[derive(Debug, clap::Args)]
pub struct TestRequest {
    /// Only this rule
    pub rule: Option<String>,
    /// Test as of this date or time, like `2027-03-01`
    #[arg(long, value_name = "DATE", value_parser = moment)]
    pub at: Option<Timestamp>,
    /// Only rules for this event
    #[arg(long, value_parser = named(RuleEvent::ALL, RuleEvent::name))]
    pub event: Option<RuleEvent>,
    /// Show what each rule does to this note, or why it does nothing
    #[arg(long, value_name = "NOTE")]
    pub note: Option<String>,
}

fn moment(text: &str) -> Result<Timestamp, String> {
    let at = dates::moment(text).and_then(|second| Timestamp::from_second(second).ok());
    at.ok_or_else(|| "expected a date like 2027-03-01".to_owned())
}

impl RulesArgs {
    /// Runs the rules, or the subcommand.
    pub fn run(self, env: &Environment) -> Result<Exit> {
        match self.action {
            None => JobCommand::new(&rules::JOB, self.job).run(env),
            Some(Action::List(request)) => request.run(env),
            Some(Action::Check(request)) => request.run(env),
            Some(Action::Test(request)) => request.run(env),
        }
    }
}

/// The message for an empty list of rules.
const NO_RULES: &str = "no rules; write some in `.mem/rules.toml`, see `mem help rule-format`";

pub(super) fn warn_of_problems(output: &Output, rules: &Rules) {
    for problem in &rules.problems {
        output.warn(&problem.to_string());
    }
}

/// Warns if rules are disabled.
fn warn_if_off(output: &Output, is_off: bool) {
    if is_off {
        output.warn("`rules.enabled` is false: `mem sleep` runs no rule");
    }
}

fn is_off(rules: &Rules) -> bool {
    !rules.limits.enabled && !rules.rules.is_empty()
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleList {
    rules: Vec<RuleRecord>,
    #[serde(skip)]
    has_problems: bool,
    #[serde(skip)]
    is_off: bool,
}

impl Request for RulesListRequest {
    type Reply<'s> = RuleList;

    fn answer(&self, session: &Session) -> Result<RuleList> {
        let rules = Rules::of(&session.settings);
        warn_of_problems(&session.env.output, &rules);
        let all = rules.rules.iter();
        let records = all.map(|rule| RuleRecord::of(rule, &rules.limits));
        Ok(RuleList {
            rules: records.collect(),
            has_problems: !rules.problems.is_empty(),
            is_off: is_off(&rules),
        })
    }
}

impl Reply for RuleList {
    fn show(&self, page: &Page<'_>) {
        let lengths = self.rules.iter().map(|rule| rule.name.chars().count());
        let widest = lengths.max().unwrap_or(0);
        for rule in &self.rules {
            let name = page.paint(Style::Title, &format!("{:widest$}", rule.name));
            let words = page.clean(&rule.summary());
            let origin = format!("{}:{}", rule.file, rule.line);
            let place = page.paint(Style::Faint, &origin);
            page.line(&format!("{name}  {words}  {place}"));
        }
        warn_if_off(page, self.is_off);
        if self.rules.is_empty() && !self.has_problems {
            page.say(NO_RULES);
        }
    }

    list!(rules);
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleProblems {
    problems: Vec<String>,
    /// Number of valid rules.
    #[serde(skip)]
    rules: usize,
}

impl Request for CheckRequest {
    type Reply<'s> = RuleProblems;

    fn answer(&self, session: &Session) -> Result<RuleProblems> {
        let rules = Rules::of(&session.settings);
        Ok(RuleProblems {
            problems: verdicts(session, &rules, |_, verdicts| Ok(verdicts.problems.clone()))?,
            rules: rules.rules.len(),
        })
    }
}

impl Reply for RuleProblems {
    fn show(&self, page: &Page<'_>) {
        for problem in &self.problems {
            page.row(&page.clean(problem));
        }
        let problems = count(self.problems.len(), "problem");
        page.say(&match (self.rules, self.problems.len()) {
            (0, 0) => NO_RULES.to_owned(),
            (rules, _) => format!("{} read, {problems}", count(rules, "rule")),
        });
    }

    list!(problems);

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.problems.is_empty()))
    }
}

/// The effects of the selected rules.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RuleTest {
    rules: Vec<RuleEffect>,
    /// Selected rules that run a job.
    #[serde(skip)]
    with_job: Vec<RuleRecord>,
    #[serde(skip)]
    has_rules: bool,
    #[serde(skip)]
    is_off: bool,
}

/// The effect of a rule, on the vault or on one note.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum RuleEffect {
    Vault(Box<VerdictRecord>),
    Note(NoteVerdict),
}

impl Request for TestRequest {
    type Reply<'s> = RuleTest;

    fn open(&self, env: &Environment) -> Result<Session> {
        let mut env = env.clone();
        if let Some(at) = self.at {
            env.now = at.to_zoned(env.now.time_zone().clone());
        }
        env.open()
    }

    fn answer(&self, session: &Session) -> Result<RuleTest> {
        let output = &session.env.output;
        let mut rules = Rules::of(&session.settings);
        rules.is_pressed = self.event == Some(RuleEvent::Pressure);
        warn_of_problems(output, &rules);
        rules.problems.clear();
        if let Some(name) = &self.rule
            && !rules.rules.iter().any(|rule| rule.name == *name)
        {
            let names: Vec<&str> = rules.rules.iter().map(|rule| rule.name.as_str()).collect();
            let error = Error::new(format!("unknown rule `{name}`"));
            return Err(match names.as_slice() {
                [] => error.hint(NO_RULES),
                names => error.hint(format!("rules: {}", names.join(", "))),
            });
        }
        let is_selected = |rule: &Rule| {
            self.rule.as_ref().is_none_or(|name| rule.name == *name)
                && self.event.is_none_or(|event| rule.on.contains(&event))
        };
        let note = match &self.note {
            Some(name) => {
                let cache = session.fresh_cache()?;
                Some(find_note(&session.env, &session.view(&cache)?, name)?)
            }
            None => None,
        };
        let (tested, problems) = verdicts(session, &rules, |view, verdicts| {
            let all = verdicts.rules.iter();
            let meant = all.filter(|verdict| is_selected(verdict.rule));
            let effects = meant.map(|verdict| match &note {
                Some(note) => NoteVerdict::of(view, verdict, note).map(RuleEffect::Note),
                None => Ok(RuleEffect::Vault(Box::new(VerdictRecord::of(
                    verdict,
                    &rules.limits,
                )))),
            });
            let tested = effects.collect::<Result<_, _>>()?;
            Ok((tested, verdicts.problems.clone()))
        })?;
        for problem in &problems {
            output.warn(problem);
        }
        let with_job = rules.rules.iter().filter(|rule| {
            let is_job = matches!(rule.deed, Effect::Run(_));
            is_job && rule.enabled && note.is_none() && is_selected(rule)
        });
        Ok(RuleTest {
            rules: tested,
            with_job: with_job
                .map(|rule| RuleRecord::of(rule, &rules.limits))
                .collect(),
            has_rules: !rules.rules.is_empty(),
            is_off: is_off(&rules) && note.is_none(),
        })
    }
}

impl Reply for RuleTest {
    fn show(&self, page: &Page<'_>) {
        for tested in &self.rules {
            match tested {
                RuleEffect::Vault(verdict) => show(page, verdict),
                RuleEffect::Note(NoteVerdict { rule, title, why }) => {
                    let rule = page.paint(Style::Title, rule);
                    let text = title.as_ref().or(why.as_ref());
                    let words = text.map_or_else(String::new, |words| page.clean(words));
                    page.row(&format!("{rule}  {words}"));
                }
            }
        }
        for rule in &self.with_job {
            show_head(page, rule);
            page.line("  `mem sleep` runs it when the rule is due");
        }
        warn_if_off(page, self.is_off);
        if self.rules.is_empty() && self.with_job.is_empty() {
            page.say(if self.has_rules {
                "no rule with an action matches"
            } else {
                NO_RULES
            });
        }
    }

    list!(rules);

    fn exit(&self) -> Result<Exit> {
        let acts = self.rules.iter().any(|tested| match tested {
            RuleEffect::Vault(verdict) => !verdict.acts.is_empty() || verdict.notice.is_some(),
            RuleEffect::Note(verdict) => verdict.why.is_none(),
        });
        Ok(Exit::found(acts))
    }
}

/// Shows a rule in one line.
fn show_head(page: &Page<'_>, rule: &RuleRecord) {
    let name = page.paint(Style::Title, &rule.name);
    page.row(&format!("{name}  {}", page.clean(&rule.summary())));
}

/// Shows the effect of a rule.
fn show(page: &Page<'_>, verdict: &VerdictRecord) {
    show_head(page, &verdict.record);
    if !verdict.holds {
        return page.row(&format!("  {}", verdict.held_back));
    }
    if verdict.is_notice {
        let text = verdict.notice.as_deref();
        let notice = text.unwrap_or("0 notes found, no notice");
        return page.row(&page.clean(&format!("  {notice}")));
    }
    let (asked, done): (Vec<_>, Vec<_>) = verdict.acts.iter().partition(|act| act.asked);
    let found = count(verdict.found, "note");
    let cause = if asked.iter().any(|act| act.managed) {
        "the rule is from the vault (`rules.trust_vault`)"
    } else {
        "the notes are yours"
    };
    let words = match (done.len(), asked.len()) {
        (0, 0) => "nothing to do".to_owned(),
        (done, 0) => format!("{} without a question", count(done, "change")),
        (0, asked) => format!("{} after a question: {cause}", count(asked, "change")),
        (done, asked) => {
            let done = count(done, "change");
            format!("{done} without a question, {asked} after a question: {cause}")
        }
    };
    page.line(&format!("  {found} found, {words}"));
    for act in &verdict.acts {
        page.row(&page.clean(&format!("  {}", act.title)));
    }
    for left in &verdict.left {
        page.row(&page.clean(&format!("  leaves {}: {}", left.note, left.why)));
    }
}

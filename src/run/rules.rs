//! Whose turn it is among the rules of a vault, and which jobs they make due.
//!
//! A rule has its turn when one of its events was raised since it ran last, and not before its interval has
//! passed. `sleep` is raised by every sleep; `ingest` and `recall` by commands that append it to the events of the
//! vault; `pressure` by what the vault holds; and any of them by hand.

use std::process::{Command, Stdio};

use jiff::{Timestamp, Zoned};

use super::record;
use super::schedule::{self, Due};
use super::state::{JobState, State};
use crate::cache::{Cache, CacheError};
use crate::error::Error;
use crate::finding::trigger::Trigger;
use crate::jobs::job::Configured;
use crate::jobs::rules::condition::VaultNumbers;
use crate::jobs::rules::{Deed, JOB, Options, Rule, Rules};
use crate::session::Session;
use crate::session::raised::Raised;

/// The rules of a vault, with what decides whose turn it is.
#[derive(Debug)]
pub struct Turn {
    rules: Rules,
    raised: Raised,
    by_hand: Vec<Trigger>,
}

/// Returns what is recorded of a rule under this name.
#[must_use]
pub fn recorded(rule: &Rule) -> String {
    format!("{}/{}", JOB.name, rule.name)
}

impl Turn {
    /// Returns the rules of `session`, with the events that somebody raised `by_hand`.
    #[must_use]
    pub fn of(session: &Session, by_hand: &[Trigger]) -> Self {
        let mut rules = Rules::of(&session.settings);
        rules.is_pressed = by_hand.contains(&Trigger::Pressure);
        let waits =
            |rule: &Rule| rule.listens_to(Trigger::Ingest) || rule.listens_to(Trigger::Recall);
        // Only for whoever waits for it.
        let raised = if rules.rules.iter().any(waits) {
            session.raised()
        } else {
            Raised::new()
        };
        Self {
            rules,
            raised,
            by_hand: by_hand.to_vec(),
        }
    }

    /// Returns true if there is no rule, and nothing wrong with one.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.rules.problems.is_empty() && !self.rules.rules.iter().any(|rule| rule.enabled)
    }

    /// Returns true if a rule that acts on notes has its turn by more than a sleep.
    #[must_use]
    pub fn is_called(&self, state: &State, now: &Zoned) -> bool {
        let mut acting =
            self.rules.rules.iter().filter(|rule| {
                rule.on != [Trigger::Sleep] && matches!(rule.deed, Deed::Act { .. })
            });
        acting.any(|rule| self.is_called_by_name(rule, state, now))
    }

    /// As [`Self::has_turn`], where a sleep and pressure alone call nobody.
    fn is_called_by_name(&self, rule: &Rule, state: &State, now: &Zoned) -> bool {
        let last = last(rule, state);
        let is_new = |event: &Trigger| {
            let at = self.raised.get(event).copied();
            self.by_hand.contains(event)
                || at.is_some_and(|at| last.is_none_or(|last| at > last.as_second()))
        };
        rule.on.iter().any(is_new) && self.has_turn(rule, state, now)
    }

    /// Returns true if it is the turn of `rule`, whatever the vault holds.
    fn has_turn(&self, rule: &Rule, state: &State, now: &Zoned) -> bool {
        if !rule.enabled {
            return false;
        }
        if rule.on.iter().any(|event| self.by_hand.contains(event)) {
            return true;
        }
        let last = last(rule, state);
        let is_raised = |event: &Trigger| match event {
            Trigger::Sleep | Trigger::Pressure => true,
            Trigger::Ingest | Trigger::Recall => {
                let at = self.raised.get(event).copied();
                at.is_some_and(|at| last.is_none_or(|last| at > last.as_second()))
            }
        };
        let job = JobState {
            last_success: last,
            ..JobState::default()
        };
        let is_time = rule
            .every
            .is_none_or(|every| schedule::due(&job, None, every, now, None) == Due::Now);
        is_time && rule.on.iter().any(is_raised)
    }

    /// Returns the rules that make the job `name` due now.
    pub fn due(
        &self,
        session: &Session,
        name: &str,
        state: &State,
        cache: Option<&Cache>,
    ) -> Result<Vec<&Rule>, Error> {
        let now = &session.env.now;
        let rules = self.rules.rules.iter();
        let rules = rules.filter(|rule| matches!(&rule.deed, Deed::Run(job) if job == name));
        let mut rules: Vec<&Rule> = rules
            .filter(|rule| self.has_turn(rule, state, now))
            .collect();
        if rules.iter().any(|rule| Self::asks_of_vault(rule)) {
            let numbers = match cache {
                Some(cache) => numbers(session, cache)?,
                None => numbers(session, &session.cache()?)?,
            };
            rules.retain(|rule| self.rules.holds(rule, &numbers));
        }
        Ok(rules)
    }

    fn asks_of_vault(rule: &Rule) -> bool {
        rule.when.is_some() || rule.on.contains(&Trigger::Pressure)
    }

    /// Returns the job that lets those rules act whose turn it is, and their names.
    #[must_use]
    pub fn job(mut self, state: &State, now: &Zoned) -> (Configured, Vec<String>) {
        let (turn, waiting): (Vec<&Rule>, Vec<&Rule>) = self
            .rules
            .rules
            .iter()
            .partition(|rule| self.has_turn(rule, state, now));
        let acting = turn
            .into_iter()
            .filter(|rule| matches!(rule.deed, Deed::Act { .. }));
        let acting: Vec<String> = acting.map(recorded).collect();
        self.rules.waiting = waiting.iter().map(|rule| rule.name.clone()).collect();
        let job = Configured {
            job: &JOB,
            find: Box::new(self.rules),
        };
        (job, acting)
    }
}

fn last(rule: &Rule, state: &State) -> Option<Timestamp> {
    state
        .jobs
        .get(&recorded(rule))
        .and_then(|rule| rule.last_success)
}

fn numbers(session: &Session, cache: &Cache) -> Result<VaultNumbers, CacheError> {
    Ok(VaultNumbers::of(&session.view(cache)?.entries()?))
}

/// Records that what is [`recorded`] under these names ran, and what the run of `job` had to say.
pub fn note(session: &Session, rules: &[String], job: &str, notices: &[String]) {
    if rules.is_empty() {
        return;
    }
    let now = session.env.now.timestamp();
    record::keep(session, |state| {
        for rule in rules {
            let rule = state.jobs.entry(rule.clone()).or_default();
            rule.last_success = Some(now);
        }
        if job == JOB.name {
            state.jobs.entry(job.to_owned()).or_default().notices = notices.to_vec();
        }
    });
}

/// Starts a sleep behind the command at hand if a rule waits for `event` and the user asks for that. What cannot be
/// started waits for the next sleep.
pub fn start_behind(session: &Session, event: Trigger) {
    let options: Options = session.settings.of();
    if !options.detached || !options.enabled || session.env.no_touch {
        return;
    }
    let rules = Rules::of(&session.settings);
    if !rules.rules.iter().any(|rule| rule.listens_to(event)) {
        return;
    }
    let Ok(program) = std::env::current_exe() else {
        return;
    };
    let mut sleep = Command::new(program);
    sleep
        .arg("-C")
        .arg(session.vault.root())
        .args(["-q", "sleep"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // A process group of its own: a Ctrl-C at the prompt is not meant for it.
    std::os::unix::process::CommandExt::process_group(&mut sleep, 0);
    let _ = sleep.spawn();
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;
    use crate::config::Origin;
    use crate::jobs::rules::read;

    #[test]
    fn a_rule_has_its_turn_by_its_event_and_its_interval() {
        let now = Timestamp::from_second(1_000_000)
            .unwrap()
            .to_zoned(TimeZone::UTC);
        // On | every | ran last, seconds ago | ingest and recall raised, seconds ago | by hand | its turn
        let cases = "
            sleep | | | | | yes
            sleep | | 1 | | | yes
            sleep | 1h | 3500 | | | no
            sleep | 1h | 3600 | | | yes
            ingest | | | | | no
            ingest | | | 50 - | | yes
            ingest | | 40 | 50 - | | no
            ingest | | 60 | 50 - | | yes
            ingest | 1h | 60 | 50 - | | no
            ingest | 1h | 60 | 50 - | ingest | yes
            ingest | | | - 50 | | no
            recall | | | - 50 | | yes
            ingest recall | | 60 | - 50 | | yes
            pressure | | | | | yes
            sleep | 1h | 60 | | pressure | no
        ";
        for case in cases.lines().filter(|line| !line.trim().is_empty()) {
            let fields: Vec<&str> = case.split('|').map(str::trim).collect();
            let [on, every, last, raised, by_hand, expected] = fields[..] else {
                panic!("{case}");
            };
            let on: Vec<String> = on.split(' ').map(|event| format!("{event:?}")).collect();
            let every = match every {
                "" => String::new(),
                every => format!("every = \"{every}\"\n"),
            };
            let text = format!(
                "[[rule]]\nname = \"r\"\non = [{}]\nrun = \"link\"\n{every}",
                on.join(", ")
            );
            let (rules, problems) = read(&[(Origin::BuiltIn, text)], &["link"]);
            assert_eq!(problems, [], "{case}");
            let ago = |text: &str| Some(1_000_000 - text.parse::<i64>().ok()?);
            let events = [Trigger::Ingest, Trigger::Recall]
                .into_iter()
                .zip(raised.split(' '));
            let turn = Turn {
                rules: Rules {
                    rules,
                    ..Rules::default()
                },
                raised: events
                    .filter_map(|(event, text)| Some((event, ago(text)?)))
                    .collect(),
                by_hand: Trigger::named(by_hand).into_iter().collect(),
            };
            let mut state = State::default();
            if let Some(at) = ago(last) {
                let rule = state.jobs.entry("rules/r".to_owned()).or_default();
                rule.last_success = Timestamp::from_second(at).ok();
            }
            let found = turn.has_turn(&turn.rules.rules[0], &state, &now);
            assert_eq!(found, expected == "yes", "{case}");
        }
    }
}

//! Decides which rules of a vault run now, and which jobs they make due.
//!
//! A rule runs if one of its events was raised since its last run and its interval has passed.
//! `sleep` is
//! raised by every sleep; `ingest` and `recall` by commands, which append them to the events of the
//! vault;
//! `pressure` by the contents of the vault; and each of them manually.

use std::process::{Command, Stdio};

use super::record;
use super::schedule::{self, DueTime};
use super::state::{JobState, SleepState};
use crate::finding::RuleEvent;
use crate::jobs::rules::condition::VaultTotals;
use crate::jobs::rules::{Effect, JOB, Rule, Rules, RulesOptions};
use crate::run::prelude::*;
use crate::session::event_counts::EventCounts;

/// The rules of a vault, and the state that decides which ones run.
#[derive(Debug)]
pub struct RuleSchedule {
    rules: Rules,
    raised: EventCounts,
    by_hand: Vec<RuleEvent>,
    /// Last success on other devices, by recorded name.
    elsewhere: BTreeMap<String, Timestamp>,
}

/// The record of a rule that ran.
#[derive(Debug)]
pub struct RuleRun {
    name: String,
    heard: u64,
}

/// Returns the recorded name of a rule.
fn record_name(rule: &Rule) -> String {
    format!("{}/{}", JOB.name, rule.name)
}

impl RuleSchedule {
    /// Returns the rules of `session`; `by_hand` are the manually raised events.
    pub fn of(
        session: &Session,
        by_hand: &[RuleEvent],
        elsewhere: BTreeMap<String, Timestamp>,
    ) -> Self {
        let mut rules = Rules::of(&session.settings);
        rules.is_pressed = by_hand.contains(&RuleEvent::Pressure);
        let needs_counts =
            |rule: &Rule| rule.listens_to(RuleEvent::Ingest) || rule.listens_to(RuleEvent::Recall);
        // Event counts are only read if a rule needs them.
        let raised = if rules.rules.iter().any(needs_counts) {
            session.raised()
        } else {
            EventCounts::new()
        };
        Self {
            rules,
            raised,
            by_hand: by_hand.to_vec(),
            elsewhere,
        }
    }

    /// Whether no rule is enabled or has a problem.
    pub fn is_idle(&self) -> bool {
        self.rules.problems.is_empty() && !self.rules.rules.iter().any(|rule| rule.enabled)
    }

    /// Whether a rule that acts on notes runs because of more than the event `sleep`.
    pub fn is_triggered(&self, state: &SleepState, now: &Zoned) -> bool {
        let mut acting = self.rules.rules.iter().filter(|rule| {
            rule.on != [RuleEvent::Sleep] && matches!(rule.deed, Effect::Act { .. })
        });
        acting.any(|rule| {
            let is_by_hand = rule.on.iter().any(|event| self.by_hand.contains(event));
            (is_by_hand || self.is_raised(rule, state)) && self.is_due(rule, state, now)
        })
    }

    /// Returns the number of times that commands raised events of `rule`.
    fn times_raised(&self, rule: &Rule) -> u64 {
        let times = rule.on.iter().filter_map(|event| self.raised.get(event));
        times.sum()
    }

    /// Whether a command raised an event of `rule` since its last run.
    fn is_raised(&self, rule: &Rule, state: &SleepState) -> bool {
        let known = state.jobs.get(&record_name(rule));
        let heard = known.map_or(0, |state| state.heard);
        let raised = self.times_raised(rule);
        raised > 0 && raised != heard
    }

    /// Returns the record of a rule that runs now.
    pub fn run_record(&self, rule: &Rule) -> RuleRun {
        RuleRun {
            name: record_name(rule),
            heard: self.times_raised(rule),
        }
    }

    /// Whether `rule` runs now, apart from its conditions on the vault.
    fn is_due(&self, rule: &Rule, state: &SleepState, now: &Zoned) -> bool {
        if !rule.enabled {
            return false;
        }
        if rule.on.iter().any(|event| self.by_hand.contains(event)) {
            return true;
        }
        let is_implicit =
            |event: &RuleEvent| matches!(event, RuleEvent::Sleep | RuleEvent::Pressure);
        let is_raised = rule.on.iter().any(is_implicit) || self.is_raised(rule, state);
        let name = record_name(rule);
        let job = JobState {
            last_success: state.jobs.get(&name).and_then(|rule| rule.last_success),
            ..JobState::default()
        };
        let elsewhere = self.elsewhere.get(&name).copied();
        let is_time = rule
            .every
            .is_none_or(|every| schedule::due(&job, elsewhere, every, now, None) == DueTime::Now);
        is_time && is_raised
    }

    /// Returns the rules that make the job `name` due now.
    pub fn due(
        &self,
        session: &Session,
        name: &str,
        state: &SleepState,
        cache: Option<&Cache>,
    ) -> Result<Vec<&Rule>> {
        let now = &session.env.now;
        let all = self.rules.rules.iter();
        let named = all.filter(|rule| matches!(&rule.deed, Effect::Run(job) if job == name));
        let mut rules: Vec<&Rule> = named.filter(|rule| self.is_due(rule, state, now)).collect();
        if rules.iter().any(|rule| rule.has_vault_condition()) {
            let numbers = match cache {
                Some(cache) => vault_numbers(session, cache)?,
                None => vault_numbers(session, &session.cache()?)?,
            };
            rules.retain(|rule| self.rules.holds(rule, &numbers));
        }
        Ok(rules)
    }

    /// Returns the job that applies the rules to run now, and their records.
    pub fn job(mut self, state: &SleepState, now: &Zoned) -> (ConfiguredJob, Vec<RuleRun>) {
        let (mut acting, mut waiting) = (Vec::new(), Vec::new());
        for rule in &self.rules.rules {
            if !self.is_due(rule, state, now) {
                waiting.push(rule.name.clone());
            } else if matches!(rule.deed, Effect::Act { .. }) {
                acting.push(self.run_record(rule));
            }
        }
        self.rules.waiting = waiting.into_iter().collect();
        let job = ConfiguredJob {
            job: &JOB,
            find: Box::new(self.rules),
        };
        (job, acting)
    }
}

fn vault_numbers(session: &Session, cache: &Cache) -> Result<VaultTotals, CacheError> {
    Ok(VaultTotals::of(&session.view(cache)?.entries()?))
}

/// Records that these rules ran, and the notices of the run of `job`.
pub fn record_runs(session: &Session, rules: &[RuleRun], job: &str, notices: &[String]) {
    if rules.is_empty() {
        return;
    }
    let now = session.env.now.timestamp();
    record::update(session, |state| {
        for RuleRun { name, heard } in rules {
            let rule = state.jobs.entry(name.clone()).or_default();
            rule.last_success = Some(now);
            rule.heard = *heard;
        }
        if job == JOB.name {
            state.jobs.entry(job.to_owned()).or_default().notices = notices.to_vec();
        }
    });
}

/// Starts a sleep in the background if a rule listens to `event` and `detached` is set. On failure
/// the event
/// waits for the next sleep.
pub fn start_in_background(session: &Session, event: RuleEvent) {
    let options: RulesOptions = session.settings.of();
    if !options.detached || !options.enabled || session.env.no_touch {
        return;
    }
    let rules = Rules::of(&session.settings);
    let is_enabled = jobs::enabled(&session.settings).contains(&&JOB);
    if !is_enabled || !rules.rules.iter().any(|rule| rule.listens_to(event)) {
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
    // Without its own process group, Ctrl-C at the prompt would end it.
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
    fn a_rule_is_due_by_event_and_interval() {
        let now = Timestamp::from_second(1_000_000)
            .unwrap()
            .to_zoned(TimeZone::UTC);
        // On | every | last run, seconds ago | count then | counts of ingest and recall | by hand |
        // runs now
        let cases = "
            sleep | | | | | | yes
            sleep | | 1 | | | | yes
            sleep | 1h | 3500 | | | | no
            sleep | 1h | 3600 | | | | yes
            ingest | | | | | | no
            ingest | | | | 1 0 | | yes
            ingest | | 40 | 1 | 1 0 | | no
            ingest | | 60 | 1 | 2 0 | | yes
            ingest | | 60 | 9 | 2 0 | | yes
            ingest | | 60 | 9 | 0 0 | | no
            ingest | 1h | 60 | 1 | 2 0 | | no
            ingest | 1h | 60 | 1 | 2 0 | ingest | yes
            ingest | | | | 0 1 | | no
            recall | | | | 0 1 | | yes
            ingest recall | | 60 | 3 | 2 2 | | yes
            ingest recall | | 60 | 4 | 2 2 | | no
            pressure | | | | | | yes
            sleep | 1h | 60 | | | pressure | no
        ";
        for case in cases.lines().filter(|line| !line.trim().is_empty()) {
            let fields: Vec<&str> = case.split('|').map(str::trim).collect();
            let [on, every, last, heard, raised, by_hand, expected] = fields[..] else {
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
            let (rules, problems) = read(&[(Origin::BuiltIn, Ok(text))], &["link"]);
            assert_eq!(problems, [], "{case}");
            let ago = |text: &str| Some(1_000_000 - text.parse::<i64>().ok()?);
            let events = [RuleEvent::Ingest, RuleEvent::Recall]
                .into_iter()
                .zip(raised.split(' '));
            let schedule = RuleSchedule {
                rules: Rules {
                    rules,
                    ..Rules::default()
                },
                raised: events
                    .filter_map(|(event, text)| Some((event, text.parse().ok()?)))
                    .collect(),
                by_hand: RuleEvent::named(by_hand).into_iter().collect(),
                elsewhere: BTreeMap::new(),
            };
            let mut state = SleepState::default();
            if let Some(at) = ago(last) {
                let rule = state.jobs.entry("rules/r".to_owned()).or_default();
                rule.last_success = Timestamp::from_second(at).ok();
                rule.heard = heard.parse().unwrap_or_default();
            }
            let found = schedule.is_due(&schedule.rules.rules[0], &state, &now);
            assert_eq!(found, expected == "yes", "{case}");
            let a_moment_ago = Timestamp::from_second(999_999).unwrap();
            let elsewhere = BTreeMap::from([("rules/r".to_owned(), a_moment_ago)]);
            let schedule = RuleSchedule {
                elsewhere,
                ..schedule
            };
            let is_delayed = !every.is_empty() && by_hand != on[0].trim_matches('"');
            let found = schedule.is_due(&schedule.rules.rules[0], &state, &now);
            assert_eq!(
                found,
                expected == "yes" && !is_delayed,
                "elsewhere, too: {case}"
            );
        }
    }
}

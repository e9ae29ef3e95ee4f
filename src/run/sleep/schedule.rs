//! When a job is due: a pure function of its recorded state, its interval and the clock.
//!
//! A job is due one interval after its last success on any device that shares the vault. Missed
//! runs are made
//! up by one. After a failure it is retried after [`FIRST_RETRY_MINUTES`] minutes, twice that, and so on,
//! at most after
//! the interval. A success far in the future comes from a wrong clock and is ignored. A job with
//! unprocessed
//! notes, or notes in use, continues after [`CONTINUE_MINUTES`] minutes.

use jiff::{Span, ToSpan as _};

use super::state::JobState;
use crate::run::prelude::*;

/// Delay before the first retry after a failure, in minutes.
const FIRST_RETRY_MINUTES: i64 = 10;

/// Maximum distance of a success into the future, in seconds. Clocks of devices differ, and a run
/// may begin after
/// this one and end before this one checks the job.
const MAX_SECONDS_AHEAD: i64 = 3600;

/// Delay before a job with unprocessed notes continues, in minutes.
const CONTINUE_MINUTES: i64 = 30;

/// Tolerance for an early start, in seconds: a nightly cron job that starts at :01 and at :02 must
/// not skip
/// every second night.
const EARLY_START_SECONDS: i64 = 30;

/// When a job is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DueTime {
    Now,
    /// At this future time.
    At(Timestamp),
    /// Never automatically.
    Never,
}

/// Start of a watch's waking period, and the maximum delay of earlier missed jobs.
#[derive(Clone, Copy, Debug)]
pub struct WakePeriod {
    pub since: Timestamp,
    pub grace: Duration,
}

impl WakePeriod {
    /// Returns the first time, of `at` and each `interval` after it, that was not missed.
    fn next_run(self, at: Timestamp, interval: Duration) -> Timestamp {
        let missed = self.since.as_second() - at.as_second();
        let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        let late = missed.saturating_sub(seconds(self.grace));
        let step = seconds(interval).max(1);
        // Rounded up; a time within the grace period is kept.
        let turns = late.max(0).saturating_add(step - 1) / step;
        let turn = at.as_second().saturating_add(turns.saturating_mul(step));
        Timestamp::from_second(turn).unwrap_or(at)
    }
}

/// Returns when a job is due, given its state on this device and its last success on others.
pub fn due(
    job: &JobState,
    elsewhere: Option<Timestamp>,
    every: Interval,
    now: &Zoned,
    wake_period: Option<WakePeriod>,
) -> DueTime {
    let Interval::After { days, seconds } = every else {
        return DueTime::Never;
    };
    if job.has_waiting_answer && job.failures == 0 {
        return DueTime::Now;
    }
    let interval = days.days().seconds(seconds);
    let after = |at: Timestamp, span: Span| {
        let at = at.to_zoned(now.time_zone().clone());
        at.checked_add(span).map(|at| at.timestamp()).ok()
    };
    let is_plausible = |at: &Timestamp| *at <= now.timestamp() + MAX_SECONDS_AHEAD.seconds();
    let own_success = job.last_success.filter(is_plausible);
    let success = own_success.max(elsewhere.filter(is_plausible));
    let has_no_backlog = job.left == 0 || elsewhere.is_some_and(|at| job.last_success < Some(at));
    let by_success = success.and_then(|at| {
        let whole = after(at, interval);
        if has_no_backlog {
            whole
        } else {
            whole.min(after(at, CONTINUE_MINUTES.minutes()))
        }
    });
    // A failure counts only without a later success on any device.
    let start = job.last_start.filter(is_plausible);
    let failure = start.filter(|at| job.failures > 0 && success.is_none_or(|done| done <= *at));
    let by_failure = failure.and_then(|at| {
        let pause = FIRST_RETRY_MINUTES << (job.failures - 1).min(20);
        after(at, pause.minutes()).min(after(at, interval))
    });
    let next = by_success.max(by_failure);
    let turn = match (wake_period, every.duration()) {
        (Some(wake_period), Some(interval)) => next.map(|at| wake_period.next_run(at, interval)),
        _ => next,
    };
    match turn {
        Some(at) if at > now.timestamp() + EARLY_START_SECONDS.seconds() => DueTime::At(at),
        _ => DueTime::Now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn a_job_is_due_when_its_interval_has_passed() {
        let now = at("2026-04-02T00:00:00Z").to_zoned(jiff::tz::TimeZone::UTC);
        // Case | last success here | failures since | last start here | success elsewhere | interval | due
        let cases = "
            never run |  | 0 |  |  | 1d | now
            switched off |  | 0 |  |  | off | never
            an hour to go | 26-04-01T01:00:00Z | 0 |  |  | 1d | 26-04-02T01:00:00Z
            a minute to go | 26-04-01T00:01:00Z | 0 |  |  | 1d | 26-04-02T00:01:00Z
            exactly at the interval | 26-04-01T00:00:00Z | 0 |  |  | 1d | now
            cron was two seconds late yesterday | 26-04-01T00:00:02Z | 0 |  |  | 1d | now
            a week was missed | 26-03-25T00:00:00Z | 0 |  |  | 1d | now
            another run was faster | 26-04-02T00:00:07Z | 0 |  |  | 1d | 26-04-03T00:00:07Z
            the clock was put back | 26-05-01T00:00:00Z | 0 |  |  | 1d | now
            another device did it | 26-03-25T00:00:00Z | 0 |  | 26-04-01T12:00:00Z | 1d | 26-04-02T12:00:00Z
            another device's clock is wrong | 26-04-01T12:00:00Z | 0 |  | 27-01-01T00:00:00Z | 1d | 26-04-02T12:00:00Z
            failed once, just now | 26-03-25T00:00:00Z | 1 | 26-04-01T23:55:00Z |  | 1d | 26-04-02T00:05:00Z
            failed once, long enough ago | 26-03-25T00:00:00Z | 1 | 26-04-01T23:50:00Z |  | 1d | now
            failed three times | 26-03-25T00:00:00Z | 3 | 26-04-01T23:50:00Z |  | 1d | 26-04-02T00:30:00Z
            failed for weeks: at most the interval |  | 4000000 | 26-04-01T23:00:00Z |  | 2h | 26-04-02T01:00:00Z
            failed here, done elsewhere since |  | 2 | 26-04-01T23:50:00Z | 26-04-01T23:55:00Z | 1d | 26-04-02T23:55:00Z
        ";
        for case in cases.lines().filter(|line| !line.trim().is_empty()) {
            let fields: Vec<&str> = case.split('|').map(str::trim).collect();
            let [name, success, failures, start, elsewhere, every, expected] = fields[..] else {
                panic!("{case}");
            };
            let time = |text: &str| format!("20{text}").parse().ok();
            let job = JobState {
                last_success: time(success),
                last_start: time(start),
                failures: failures.parse().unwrap(),
                ..JobState::default()
            };
            let expected = match expected {
                "now" => DueTime::Now,
                "never" => DueTime::Never,
                moment => DueTime::At(time(moment).unwrap()),
            };
            let every = every.parse().unwrap();
            assert_eq!(
                due(&job, time(elsewhere), every, &now, None),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn a_job_with_a_backlog_continues_soon() {
        let job = JobState {
            last_success: Some(at("2026-04-01T12:00:00Z")),
            left: 7,
            ..JobState::default()
        };
        let now = at("2026-04-01T12:10:00Z").to_zoned(jiff::tz::TimeZone::UTC);
        let soon = DueTime::At(at("2026-04-01T12:30:00Z"));
        assert_eq!(due(&job, None, Interval::days(1), &now, None), soon);
        let elsewhere = Some(at("2026-04-01T11:00:00Z"));
        assert_eq!(due(&job, elsewhere, Interval::days(1), &now, None), soon);
        let sooner = "10m 1s".parse().unwrap();
        assert_eq!(due(&job, None, sooner, &now, None), DueTime::Now);
        assert_eq!(due(&job, None, Interval::Never, &now, None), DueTime::Never);
        let answered = JobState {
            has_waiting_answer: true,
            ..job
        };
        let found = due(&answered, None, Interval::days(1), &now, None);
        assert_eq!(found, DueTime::Now);
    }

    #[test]
    fn a_watch_skips_runs_missed_beyond_the_grace_period() {
        let hourly = JobState {
            last_success: Some(at("2026-04-01T12:00:00Z")),
            ..JobState::default()
        };
        // When the watch woke, the current time, and the grace period in seconds.
        for (woke, now, grace, expected) in [
            // The watch was running at 13:00.
            ("12:30", "13:00", 120, "now"),
            ("12:30", "14:50", 120, "now"),
            // It woke two minutes late, and then three.
            ("13:02", "13:02", 120, "now"),
            ("13:03", "13:03", 120, "14:00"),
            ("13:03", "14:00", 120, "now"),
            ("16:30", "16:30", 120, "17:00"),
            ("16:01", "16:01", 120, "now"),
            ("16:30", "16:30", 14_400, "now"),
        ] {
            let time = |text: &str| at(&format!("2026-04-01T{text}:00Z"));
            let awake = WakePeriod {
                since: time(woke),
                grace: Duration::from_secs(grace),
            };
            let now = time(now).to_zoned(jiff::tz::TimeZone::UTC);
            let found = due(&hourly, None, Interval::hours(1), &now, Some(awake));
            let expected = match expected {
                "now" => DueTime::Now,
                moment => DueTime::At(time(moment)),
            };
            assert_eq!(found, expected, "{woke} {grace}");
            // Without a watch a missed run is made up once.
            assert_eq!(
                due(&hourly, None, Interval::hours(1), &now, None),
                DueTime::Now
            );
            let fresh = JobState::default();
            let first = due(&fresh, None, Interval::hours(1), &now, Some(awake));
            assert_eq!(first, DueTime::Now, "what never ran is not late");
        }
    }

    #[test]
    fn a_day_is_a_calendar_day() {
        let zone = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let job = JobState {
            // 03:30 on the day before the change to summer time.
            last_success: Some(at("2026-03-28T02:30:00Z")),
            ..JobState::default()
        };
        let now = at("2026-03-29T01:30:00Z").to_zoned(zone);
        assert_eq!(now.strftime("%H:%M").to_string(), "03:30");
        assert_eq!(due(&job, None, Interval::days(1), &now, None), DueTime::Now);
        assert_eq!(
            due(&job, None, Interval::hours(24), &now, None),
            DueTime::At(at("2026-03-29T02:30:00Z"))
        );
    }
}

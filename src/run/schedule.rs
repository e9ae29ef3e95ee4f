//! When a job is due: a pure function of what is recorded of it, its interval and the clock.
//!
//! A job is due when its last success, on any device that shares the vault, is one interval ago. What
//! was missed is run once. A failure does not count as a success; the job is tried again after
//! [`FIRST_RETRY`], twice that, and so on, at most one interval later. A success far in the future
//! was written by a wrong clock and counts for nothing. A job that had more to do than one run does, or that
//! left alone what somebody was at work on, goes on [`GOES_ON`] minutes later.

use std::fmt;
use std::str::FromStr;

use jiff::{Span, Timestamp, ToSpan as _, Unit, Zoned};

use super::state::JobState;

/// How long after a first failure a job is tried again, in minutes.
const FIRST_RETRY: i64 = 10;

/// How far in the future, in seconds, a success may lie: other devices' clocks differ, and one run may
/// begin after this one and end before it is this one's turn.
const AHEAD: i64 = 3600;

/// After how many minutes a job goes on that had too much to do for one run.
const GOES_ON: i64 = 30;

/// How much too early a job may begin, in seconds: a nightly cron line starts now at :01, now at :02,
/// and must not leave out every second night for it.
const SLACK: i64 = 30;

/// How often a job is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Every {
    /// Only when somebody asks for it.
    Never,
    /// After so many days of the calendar and so many seconds.
    After {
        /// Days, as a calendar counts them: the same time of the day, also when the clocks change.
        days: i32,
        /// Seconds beside them.
        seconds: i64,
    },
}

impl Every {
    /// Every so many days.
    #[must_use]
    pub const fn days(days: i32) -> Self {
        Self::After { days, seconds: 0 }
    }

    /// Every so many hours.
    #[must_use]
    pub const fn hours(hours: i64) -> Self {
        Self::After {
            days: 0,
            seconds: hours * 3600,
        }
    }
}

impl FromStr for Every {
    type Err = ();

    /// Reads `1d`, `12h`, `2 weeks`, `1d 6h`, `off`; an interval is at least a second, and months are
    /// none.
    fn from_str(text: &str) -> Result<Self, ()> {
        if matches!(text.trim(), "off" | "never") {
            return Ok(Self::Never);
        }
        let span: Span = text.trim().parse().map_err(|_| ())?;
        if span.get_years() != 0 || span.get_months() != 0 {
            return Err(());
        }
        let days = span
            .get_weeks()
            .checked_mul(7)
            .and_then(|days| days.checked_add(span.get_days()));
        let days = days.filter(|days| (0..=36_500).contains(days)).ok_or(())?;
        let rest = span.weeks(0).days(0);
        let seconds = rest.total(Unit::Second).map_err(|_| ())?;
        if !(0.0..=1e9).contains(&seconds) || days == 0 && seconds < 1.0 {
            return Err(());
        }
        Ok(Self::After {
            days,
            seconds: seconds as i64,
        })
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::After { days, seconds } = *self else {
            return f.write_str("off");
        };
        let parts = [
            (i64::from(days), "d"),
            (seconds / 3600, "h"),
            (seconds / 60 % 60, "m"),
            (seconds % 60, "s"),
        ];
        let parts = parts.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts.map(|(n, unit)| format!("{n}{unit}")).collect();
        f.write_str(&parts.join(" "))
    }
}

/// How often each job is due that `mem sleep` runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intervals {
    /// The pass over the whole vault.
    pub index: Every,
    /// The job that merges.
    pub dedupe: Every,
    /// The job that looks for conflicts.
    pub conflicts: Every,
    /// The job that links.
    pub link: Every,
}

impl Default for Intervals {
    fn default() -> Self {
        Self {
            index: Every::hours(1),
            dedupe: Every::days(1),
            conflicts: Every::days(1),
            link: Every::days(1),
        }
    }
}

impl Intervals {
    /// Returns how often the job called `name` is due.
    #[must_use]
    pub fn of(&self, name: &str) -> Every {
        match name {
            "index" => self.index,
            "dedupe" => self.dedupe,
            "conflicts" => self.conflicts,
            "link" => self.link,
            _ => Every::Never,
        }
    }
}

/// When a job is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    /// Now.
    Now,
    /// At this moment, which is to come.
    At(Timestamp),
    /// Never by itself.
    Never,
}

/// Returns when a job is due of which this device recorded `job`, and other devices a success at
/// `elsewhere`.
#[must_use]
pub fn due(job: &JobState, elsewhere: Option<Timestamp>, every: Every, now: &Zoned) -> Due {
    let Every::After { days, seconds } = every else {
        return Due::Never;
    };
    let interval = days.days().seconds(seconds);
    let after = |at: Timestamp, span: Span| {
        let at = at.to_zoned(now.time_zone().clone());
        at.checked_add(span).map(|at| at.timestamp()).ok()
    };
    let passed = |at: &Timestamp| *at <= now.timestamp() + AHEAD.seconds();
    let success = job.last_success.filter(passed);
    let success = success.max(elsewhere.filter(passed));
    let is_through = job.left == 0 || elsewhere.is_some_and(|at| job.last_success < Some(at));
    let by_success = success.and_then(|at| {
        let whole = after(at, interval);
        if is_through {
            whole
        } else {
            whole.min(after(at, GOES_ON.minutes()))
        }
    });
    // What failed, and was not done since on another device.
    let failure = job.last_start.filter(passed);
    let failure = failure.filter(|at| job.failures > 0 && success.is_none_or(|done| done <= *at));
    let by_failure = failure.and_then(|at| {
        let pause = FIRST_RETRY << (job.failures - 1).min(20);
        after(at, pause.minutes()).min(after(at, interval))
    });
    match by_success.max(by_failure) {
        Some(at) if at > now.timestamp() + SLACK.seconds() => Due::At(at),
        _ => Due::Now,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn intervals_are_read_and_written() {
        for (text, expected) in [
            ("off", Some("off")),
            ("never", Some("off")),
            ("1d", Some("1d")),
            ("24h", Some("24h")),
            ("90 minutes", Some("1h 30m")),
            ("2w", Some("14d")),
            ("1d 12h", Some("1d 12h")),
            ("PT5M", Some("5m")),
            ("1s", Some("1s")),
            ("0s", None),
            ("-1h", None),
            ("1d -1h", None),
            ("1 month", None),
            ("1y", None),
            ("5", None),
            ("", None),
            ("soon", None),
        ] {
            let read = text.parse::<Every>().ok();
            assert_eq!(
                read.map(|every| every.to_string()).as_deref(),
                expected,
                "{text}"
            );
            if let Some(every) = read {
                assert_eq!(every.to_string().parse(), Ok(every));
            }
        }
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
                "now" => Due::Now,
                "never" => Due::Never,
                moment => Due::At(time(moment).unwrap()),
            };
            let every = every.parse().unwrap();
            assert_eq!(due(&job, time(elsewhere), every, &now), expected, "{name}");
        }
    }

    #[test]
    fn a_job_that_is_not_through_goes_on_soon() {
        let job = JobState {
            last_success: Some(at("2026-04-01T12:00:00Z")),
            left: 7,
            ..JobState::default()
        };
        let now = at("2026-04-01T12:10:00Z").to_zoned(jiff::tz::TimeZone::UTC);
        let soon = Due::At(at("2026-04-01T12:30:00Z"));
        assert_eq!(due(&job, None, Every::days(1), &now), soon);
        let elsewhere = Some(at("2026-04-01T11:00:00Z"));
        assert_eq!(due(&job, elsewhere, Every::days(1), &now), soon);
        let sooner = "10m 1s".parse().unwrap();
        assert_eq!(due(&job, None, sooner, &now), Due::Now);
        assert_eq!(due(&job, None, Every::Never, &now), Due::Never);
    }

    #[test]
    fn a_day_is_one_of_the_calendar() {
        let zone = jiff::tz::TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let job = JobState {
            // 03:30 on the day before the clocks went forward.
            last_success: Some(at("2026-03-28T02:30:00Z")),
            ..JobState::default()
        };
        let now = at("2026-03-29T01:30:00Z").to_zoned(zone);
        assert_eq!(now.strftime("%H:%M").to_string(), "03:30");
        assert_eq!(due(&job, None, Every::days(1), &now), Due::Now);
        assert_eq!(
            due(&job, None, Every::hours(24), &now),
            Due::At(at("2026-03-29T02:30:00Z"))
        );
    }
}

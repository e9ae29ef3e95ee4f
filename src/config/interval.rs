//! Intervals as people write them.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::{Span, Unit};

use super::values::ParsedText;

/// Interval of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Only on request.
    Never,
    /// After calendar days and seconds.
    ///
    /// Calendar days keep the time of day when clocks change.
    After { days: i32, seconds: i64 },
}

impl Interval {
    /// Accepted values, for messages.
    pub const TAKES: &str = "a time like \"1d\", \"12h\" or \"30m\", or \"off\"";

    /// The domain of interval settings.
    pub const DOMAIN: ParsedText<&str> = ParsedText(Self::TAKES);

    /// An interval in days.
    pub const fn days(days: i32) -> Self {
        Self::After { days, seconds: 0 }
    }

    /// An interval in hours.
    pub const fn hours(hours: i64) -> Self {
        Self::minutes(hours * 60)
    }

    /// An interval in minutes.
    pub const fn minutes(minutes: i64) -> Self {
        Self::After {
            days: 0,
            seconds: minutes * 60,
        }
    }

    /// Returns the interval with days of 24 hours; `None` for never.
    pub fn duration(self) -> Option<Duration> {
        match self {
            Self::Never => None,
            Self::After { days, seconds } => {
                let seconds = i64::from(days) * 86_400 + seconds;
                Some(Duration::from_secs(seconds.unsigned_abs()))
            }
        }
    }
}

impl FromStr for Interval {
    type Err = String;

    /// Parses `1d`, `12h`, `2 weeks`, `1d 6h`, `off`. The minimum is a second; months are not
    /// accepted.
    fn from_str(text: &str) -> Result<Self, String> {
        let invalid = || format!("it takes {}", Self::TAKES);
        if matches!(text.trim(), "off" | "never") {
            return Ok(Self::Never);
        }
        let span: Span = text.trim().parse().map_err(|_| invalid())?;
        if span.get_years() != 0 || span.get_months() != 0 {
            return Err(invalid());
        }
        let days = span
            .get_weeks()
            .checked_mul(7)
            .and_then(|days| days.checked_add(span.get_days()))
            .filter(|days| (0..=36_500).contains(days))
            .ok_or_else(invalid)?;
        let rest = span.weeks(0).days(0);
        let seconds = rest.total(Unit::Second).map_err(|_| invalid())?;
        if !(0.0..=1e9).contains(&seconds) || days == 0 && seconds < 1.0 {
            return Err(invalid());
        }
        Ok(Self::After {
            days,
            seconds: seconds as i64,
        })
    }
}

impl fmt::Display for Interval {
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
        let positive = parts.iter().filter(|(number, _)| *number > 0);
        let texts: Vec<String> = positive.map(|(n, unit)| format!("{n}{unit}")).collect();
        f.write_str(&texts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_round_trip() {
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
            let read = text.parse::<Interval>().ok();
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
}

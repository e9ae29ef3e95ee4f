//! What starts `mem sleep` once an hour: the text of a crontab line or of systemd units.
//!
//! Each job has an interval of its own, so a sleep with nothing due costs nothing, and once an hour is
//! often enough for all of them. [`cron`](super::cron) and [`systemd`](super::systemd) make texts of it. The
//! promise: for any characters in a path, the program that is started gets that path and nothing else is run.

use xxhash_rust::xxh3::xxh3_64;

/// The longest command that the crons in use take whole.
pub(super) const LONGEST: usize = 998;

/// What is to be started, and for which vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SleepTimer {
    pub(super) program: String,
    pub(super) vault: String,
    pub(super) key: String,
    pub(super) homes: Vec<(&'static str, String)>,
}

/// Why something cannot be written into a line or a unit.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TimerError {
    /// It holds a line break or another control character.
    #[error("`{value}` contains a control character, which neither a crontab nor a unit allows")]
    ControlCharacter {
        /// The path, escaped.
        value: String,
    },
    #[error(
        "the line would be {length} characters long; cron reads {} at most",
        LONGEST
    )]
    TooLong { length: usize },
    /// The crontab holds the first line of the block and not its last, or the other way round.
    #[error("the crontab has an incomplete mem block for this vault at line {line}")]
    Torn {
        /// Where, counted from 1.
        line: usize,
    },
}

impl SleepTimer {
    /// Returns what starts `program`, an absolute path, in `vault`, an absolute path whose machine-local
    /// folders are called `key`, with these variables in its environment.
    pub fn new(
        program: &str,
        vault: &str,
        key: &str,
        homes: Vec<(&'static str, String)>,
    ) -> Result<Self, TimerError> {
        let values = homes.iter().map(|(_, value)| value.as_str());
        for value in [program, vault].into_iter().chain(values) {
            if value.contains(char::is_control) {
                let value = value.escape_debug().to_string();
                return Err(TimerError::ControlCharacter { value });
            }
        }
        Ok(Self {
            program: program.to_owned(),
            vault: vault.to_owned(),
            key: key.to_owned(),
            homes,
        })
    }

    /// Returns the minute of the hour, 1–59: the vaults of this world do not all wake at once.
    pub(super) fn minute(&self) -> u64 {
        1 + xxh3_64(self.vault.as_bytes()) % 59
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_begin_another_line_is_refused() {
        let homes = |value: &str| vec![("XDG_CACHE_HOME", value.to_owned())];
        for (program, vault, home) in [
            ("/bin/m\nem", "/notes", "/c"),
            ("/bin/mem", "/notes\n* * * * * rm -rf /", "/c"),
            ("/bin/mem", "/notes\r", "/c"),
            ("/bin/mem", "/notes", "/c\n"),
        ] {
            let refused = SleepTimer::new(program, vault, "k", homes(home));
            assert!(
                matches!(refused, Err(TimerError::ControlCharacter { .. })),
                "{vault:?}"
            );
        }
        assert!(SleepTimer::new("/bin/mem", "/日記 %'\\", "k", homes("/c")).is_ok());
    }

    #[test]
    fn vaults_wake_at_minutes_of_their_own() {
        let minute = |vault: String| {
            SleepTimer::new("/bin/mem", &vault, "k", Vec::new())
                .unwrap()
                .minute()
        };
        let mut minutes: Vec<u64> = (0..1000)
            .map(|number| minute(format!("/{number}")))
            .collect();
        minutes.sort_unstable();
        minutes.dedup();
        assert_eq!(minutes, (1..60).collect::<Vec<_>>());
    }
}

//! An hourly start of `mem sleep` by cron or systemd.
//!
//! Each job has its own interval, so a sleep with nothing due is cheap and one start per hour
//! suffices.
//! [`cron`](super::cron) and [`systemd`](super::systemd) generate the text. Guarantee: whatever
//! characters a
//! path contains, the program receives exactly that path, and nothing else is run.

use crate::run::prelude::*;

/// Longest command, in bytes, that all common crons accept.
pub(super) const MAX_COMMAND_BYTES: usize = 998;

/// The program to start and its vault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SleepTimer {
    pub(super) program: String,
    pub(super) vault: String,
    pub(super) key: String,
    pub(super) homes: Vec<(&'static str, String)>,
}

impl SleepTimer {
    /// Returns a timer for the absolute paths `program` and `vault`. `key` names the vault's
    /// machine-local folders;
    /// `homes` are environment variables.
    pub fn new(
        program: &str,
        vault: &str,
        key: &str,
        homes: Vec<(&'static str, String)>,
    ) -> Result<Self> {
        let values = homes.iter().map(|(_, value)| value.as_str());
        for value in [program, vault].into_iter().chain(values) {
            if value.contains(char::is_control) {
                let value = value.escape_debug();
                return Err(Error::new(format!(
                    "`{value}` contains a control character, which neither a crontab nor a unit allows"
                )));
            }
        }
        Ok(Self {
            program: program.to_owned(),
            vault: vault.to_owned(),
            key: key.to_owned(),
            homes,
        })
    }

    /// Returns a minute of the hour, 1–59, that differs between vaults to spread the load.
    pub(super) fn minute(&self) -> u64 {
        1 + xxh3_64(self.vault.as_bytes()) % 59
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_refused() {
        let homes = |value: &str| vec![("XDG_CACHE_HOME", value.to_owned())];
        for (program, vault, home) in [
            ("/bin/m\nem", "/notes", "/c"),
            ("/bin/mem", "/notes\n* * * * * rm -rf /", "/c"),
            ("/bin/mem", "/notes\r", "/c"),
            ("/bin/mem", "/notes", "/c\n"),
        ] {
            let refused = SleepTimer::new(program, vault, "k", homes(home));
            let message = refused.unwrap_err().message();
            assert!(message.contains("control character"), "{vault:?}");
        }
        assert!(SleepTimer::new("/bin/mem", "/日記 %'\\", "k", homes("/c")).is_ok());
    }

    #[test]
    fn vaults_start_at_different_minutes() {
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

//! Reads a server's key from a variable or command; it is only kept in memory.

use std::process::Stdio;
use std::time::Duration;

use super::shell::{CommandLimits, finish, shell};
use crate::change::stop::Stop;
use crate::error::{Error, Result};
use crate::output::Output;

/// Returns the key in the environment variable `name`, or `None` if `name` is empty.
///
/// `setting` is the setting that contains `name`.
pub fn from_environment(
    setting: &str,
    name: &str,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>> {
    if name.is_empty() {
        return Ok(None);
    }
    let key = environment(name)
        .map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty());
    if let Some(key) = &key
        && !is_sendable(key)
    {
        let message = format!("`{name}`, named by `{setting}`, does not contain a usable key");
        return Err(Error::new(message).hint("a key is one line of plain ASCII characters"));
    }
    if key.is_none() {
        let message = format!("`{name}`, named by `{setting}`, is not set in the environment");
        return Err(Error::new(message).hint(format!(
            "if the server needs no key, run `mem config --unset {setting}`"
        )));
    }
    Ok(key)
}

/// Time limits of a key command, which may ask for a password first.
const TIME_LIMITS: TimeLimits = TimeLimits {
    until_message: Duration::from_secs(3),
    total: Duration::from_secs(300),
};

/// Time limits of a command.
#[derive(Clone, Copy)]
struct TimeLimits {
    /// After this time a message is printed.
    until_message: Duration,
    total: Duration,
}

/// Returns the first line printed by `command`, or `None` if `command` is empty; `setting` contains
/// it.
pub fn from_command(
    setting: &str,
    command: &str,
    output: &Output,
    stop: &Stop,
) -> Result<Option<String>> {
    run_key_command(setting, command, TIME_LIMITS, stop, |words| {
        output.say(words);
    })
}

fn run_key_command(
    setting: &str,
    command: &str,
    limits: TimeLimits,
    stop: &Stop,
    mut says: impl FnMut(&str),
) -> Result<Option<String>> {
    if command.trim().is_empty() {
        return Ok(None);
    }
    // It stays in mem's process group, so that it can ask for a password on the terminal.
    let started = shell(command).stdin(Stdio::null()).spawn();
    let mut is_said = false;
    let waits = |elapsed| {
        if !is_said && elapsed >= limits.until_message {
            says(&format!("waiting for `{setting}` to print the key"));
            is_said = true;
        }
    };
    let key = started
        .map_err(|error| error.to_string())
        .and_then(|child| {
            let limits = CommandLimits {
                timeout: limits.total,
                stop,
                leads_group: false,
            };
            let (status, text, _) = finish(child, &limits, waits)?;
            if !status.success() {
                return Err(status.to_string());
            }
            let key = text.lines().next().map(str::trim).unwrap_or_default();
            match key {
                "" => Err("it printed nothing".to_owned()),
                key if !is_sendable(key) => Err("its output is not plain ASCII".to_owned()),
                key => Ok(Some(key.to_owned())),
            }
        });
    key.map_err(|why| {
        Error::new(format!("`{setting}` returned no key: {why}"))
            .hint("sh runs the command, and its first line of output is the key")
    })
}

/// Whether an HTTP header can contain the key.
fn is_sendable(key: &str) -> bool {
    key.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const SETTING: &str = "judge.key_command";

    #[test]
    fn a_key_comes_from_a_variable_or_a_command() {
        let environment = |name: &str| (name == "KEY").then(|| " secret\n".to_owned());
        let from = |name| from_environment("judge.key_env", name, environment);
        assert_eq!(from("").unwrap(), None);
        assert_eq!(from("KEY").unwrap().as_deref(), Some("secret"));
        assert!(from("OTHER").unwrap_err().message().contains("`OTHER`"));
        for (command, expected) in [
            ("", Ok(None)),
            ("echo ' secret '; echo more", Ok(Some("secret"))),
            ("true", Err("it printed nothing")),
            ("echo schlüssel", Err("plain ASCII")),
            ("echo secret; exit 3", Err("exit status: 3")),
        ] {
            let found = run_key_command(SETTING, command, TIME_LIMITS, &Stop::default(), |_| ())
                .map_err(|error| error.message());
            match expected {
                Ok(key) => assert_eq!(found.unwrap().as_deref(), key),
                Err(why) => {
                    let message = found.unwrap_err();
                    assert!(
                        message.contains(why) && !message.contains("secret"),
                        "{message}"
                    );
                }
            }
        }
    }
    #[test]
    fn a_command_has_limited_time() {
        let limits = |until_message, total| TimeLimits {
            until_message: Duration::from_millis(until_message),
            total: Duration::from_millis(total),
        };
        let stopped = Stop::default();
        stopped.request();
        let goes_on = Stop::default();
        let waits = "waiting for `judge.key_command` to print the key";
        for (command, limits, stop, expected, said) in [
            (
                "sleep 0.3; echo secret",
                limits(50, 60_000),
                &goes_on,
                Ok("secret"),
                &[waits][..],
            ),
            (
                "echo secret",
                limits(60_000, 60_000),
                &goes_on,
                Ok("secret"),
                &[],
            ),
            (
                "exec sleep 60",
                limits(10, 200),
                &goes_on,
                Err("longer than 0.2 s"),
                &[waits],
            ),
            (
                "exec sleep 60",
                limits(60_000, 60_000),
                &stopped,
                Err("it was stopped"),
                &[],
            ),
            // A background child does not block the command.
            (
                "sleep 30 & echo secret",
                limits(60_000, 60_000),
                &goes_on,
                Ok("secret"),
                &[],
            ),
        ] {
            let began = Instant::now();
            let mut words = Vec::new();
            let found = run_key_command(SETTING, command, limits, stop, |word| {
                words.push(word.to_owned());
            })
            .map_err(|error| error.message());
            match expected {
                Ok(key) => assert_eq!(found.unwrap().as_deref(), Some(key), "{command}"),
                Err(why) => assert!(found.unwrap_err().contains(why), "{command}"),
            }
            assert_eq!(words, said, "{command}");
            assert!(began.elapsed() < Duration::from_secs(20), "{command}");
        }
    }
}

//! Reads a server's key from a variable or command; it is only kept in memory.

use std::io::Read as _;
use std::iter;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::change::stop::Stop;
use crate::error::Error;
use crate::output::Output;

/// Returns the key in the environment variable `name`, or `None` if `name` is empty.
///
/// `setting` is the setting that contains `name`.
pub fn from_environment(
    setting: &str,
    name: &str,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Option<String>, Error> {
    if name.is_empty() {
        return Ok(None);
    }
    let key = environment(name).map(|key| key.trim().to_owned());
    let key = key.filter(|key| !key.is_empty());
    if let Some(key) = &key
        && !is_sendable(key)
    {
        let message = format!("`{name}`, named by `{setting}`, holds no key that can be sent");
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
const PATIENCE: Patience = Patience {
    silent: Duration::from_secs(3),
    whole: Duration::from_secs(300),
};

/// How long to wait for remaining output after the command ends.
const AT_THE_END: Duration = Duration::from_secs(1);

/// Maximum number of output chunks to read.
const MOST_READ: usize = 64;

/// Interval between checks of the running command.
const TICK: Duration = Duration::from_millis(10);

/// Time limits of a command.
#[derive(Clone, Copy)]
struct Patience {
    /// After this time a message is printed.
    silent: Duration,
    whole: Duration,
}

/// Returns the first line printed by `command`, or `None` if `command` is empty; `setting` contains
/// it.
pub fn from_command(
    setting: &str,
    command: &str,
    output: &Output,
    stop: &Stop,
) -> Result<Option<String>, Error> {
    printed(setting, command, PATIENCE, stop, |words| output.say(words))
}

fn printed(
    setting: &str,
    command: &str,
    patience: Patience,
    stop: &Stop,
    says: impl FnMut(&str),
) -> Result<Option<String>, Error> {
    if command.trim().is_empty() {
        return Ok(None);
    }
    // It stays in mem's process group, so that it can ask for a password on the terminal.
    let started = Command::new("sh")
        .arg("-c")
        .arg(command)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn();
    let key = started.map_err(|error| error.to_string());
    let key = key.and_then(|mut child| {
        let text = wait(&mut child, setting, patience, stop, says)?;
        let key = text.lines().next().map(str::trim).unwrap_or_default();
        match key {
            "" => Err("it printed nothing".to_owned()),
            key if !is_sendable(key) => {
                Err("what it printed cannot be sent; a key is plain ASCII".to_owned())
            }
            key => Ok(Some(key.to_owned())),
        }
    });
    key.map_err(|why| {
        Error::new(format!("`{setting}` gave no key: {why}"))
            .hint("it is run by sh and prints the key on its first line")
    })
}

/// Waits for the command to end, and returns its output.
fn wait(
    child: &mut Child,
    setting: &str,
    patience: Patience,
    stop: &Stop,
    mut says: impl FnMut(&str),
) -> Result<String, String> {
    let (send, printed) = mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut chunk = [0; 1 << 10];
            // A child of the command may keep the other end open forever.
            while let Ok(length @ 1..) = stdout.read(&mut chunk) {
                let _ = send.send(chunk[..length].to_vec());
            }
        });
    }
    let began = Instant::now();
    let mut is_said = false;
    let why = loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => {
                let chunks = iter::from_fn(|| printed.recv_timeout(AT_THE_END).ok());
                let text = chunks.take(MOST_READ).flatten().collect::<Vec<u8>>();
                return Ok(String::from_utf8_lossy(&text).into_owned());
            }
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if stop.is_due() => break "it was stopped".to_owned(),
            Ok(None) if began.elapsed() >= patience.whole => {
                break format!("it took longer than {} s", patience.whole.as_secs_f64());
            }
            Ok(None) => {}
            Err(error) => break error.to_string(),
        }
        if !is_said && began.elapsed() >= patience.silent {
            says(&format!("waiting for `{setting}` to print the key"));
            is_said = true;
        }
        thread::sleep(TICK);
    };
    let _ = child.kill();
    let _ = child.wait();
    Err(why)
}

/// Whether an HTTP header can contain the key.
fn is_sendable(key: &str) -> bool {
    key.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

#[cfg(test)]
mod tests {
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
            let found = printed(SETTING, command, PATIENCE, &Stop::default(), |_| ());
            let found = found.map_err(|error| error.message());
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
    fn a_command_is_waited_for_and_not_for_ever() {
        let patience = |silent, whole| Patience {
            silent: Duration::from_millis(silent),
            whole: Duration::from_millis(whole),
        };
        let stopped = Stop::default();
        stopped.request();
        let goes_on = Stop::default();
        let waits = "waiting for `judge.key_command` to print the key";
        for (command, patience, stop, expected, said) in [
            (
                "sleep 0.3; echo secret",
                patience(50, 60_000),
                &goes_on,
                Ok("secret"),
                &[waits][..],
            ),
            (
                "echo secret",
                patience(60_000, 60_000),
                &goes_on,
                Ok("secret"),
                &[],
            ),
            (
                "exec sleep 60",
                patience(10, 200),
                &goes_on,
                Err("longer than 0.2 s"),
                &[waits],
            ),
            (
                "exec sleep 60",
                patience(60_000, 60_000),
                &stopped,
                Err("it was stopped"),
                &[],
            ),
            // A background child does not block the command.
            (
                "sleep 30 & echo secret",
                patience(60_000, 60_000),
                &goes_on,
                Ok("secret"),
                &[],
            ),
        ] {
            let began = Instant::now();
            let mut words = Vec::new();
            let found = printed(SETTING, command, patience, stop, |word| {
                words.push(word.to_owned());
            });
            let found = found.map_err(|error| error.message());
            match expected {
                Ok(key) => assert_eq!(found.unwrap().as_deref(), Some(key), "{command}"),
                Err(why) => assert!(found.unwrap_err().contains(why), "{command}"),
            }
            assert_eq!(words, said, "{command}");
            assert!(began.elapsed() < Duration::from_secs(20), "{command}");
        }
    }
}

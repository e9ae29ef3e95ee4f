//! The key of a server, from where the user keeps it. It is in memory while the command runs, and nowhere else.

use std::process::{Command, Stdio};

use crate::error::Error;

/// Returns the key that stands in the environment variable `name`, or none if `name` is empty; `setting` is what
/// names it.
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

/// Returns the first line that `command` prints, or none if there is no command; `setting` is what has it.
pub fn from_command(setting: &str, command: &str) -> Result<Option<String>, Error> {
    if command.trim().is_empty() {
        return Ok(None);
    }
    let ran = Command::new("sh")
        .arg("-c")
        .arg(command)
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output();
    let wrong = |why: String| {
        Err(Error::new(format!("`{setting}` gave no key: {why}"))
            .hint("it is run by sh and prints the key on its first line"))
    };
    match ran {
        Err(error) => wrong(error.to_string()),
        Ok(ran) if !ran.status.success() => wrong(ran.status.to_string()),
        Ok(ran) => {
            let text = String::from_utf8_lossy(&ran.stdout);
            let key = text.lines().next().map(str::trim).unwrap_or_default();
            if key.is_empty() {
                return wrong("it printed nothing".to_owned());
            }
            if !is_sendable(key) {
                return wrong("what it printed cannot be sent; a key is plain ASCII".to_owned());
            }
            Ok(Some(key.to_owned()))
        }
    }
}

/// Whether a header can hold it.
fn is_sendable(key: &str) -> bool {
    key.chars().all(|c| c.is_ascii_graphic() || c == ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let found = from_command("judge.key_command", command);
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
}

//! Other programs: how they are called and what they say.

pub mod cron;
pub mod git;
pub mod systemd;
pub mod timer;

use std::process::Output;

use crate::error::Error;

/// Returns a failure of `command` in its own words.
fn failed(command: &str, ended: &Output) -> Error {
    let outputs = [&ended.stderr, &ended.stdout].map(|output| String::from_utf8_lossy(output));
    let lines = outputs.iter().flat_map(|output| output.lines());
    let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
    let separator = if lines.is_empty() { "" } else { ": " };
    Error::new(format!(
        "`{command}` failed ({}){separator}{}",
        ended.status,
        lines.join("; ")
    ))
}

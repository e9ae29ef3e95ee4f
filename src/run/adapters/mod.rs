//! Runs other programs and converts their failures to errors.

pub mod cron;
pub mod git;
pub mod systemd;
pub mod timer;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::run::prelude::*;

/// Runs `command` with `input` on stdin. The second value is the result of writing the input.
fn run(command: &mut Command, input: &[u8]) -> io::Result<(Output, io::Result<()>)> {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    let stdin = child.stdin.take();
    std::thread::scope(|scope| {
        // The program may write before it has read everything, or close stdin early.
        let write = move || stdin.map_or(Ok(()), |mut stdin| stdin.write_all(input));
        let written = scope.spawn(write);
        let ended = child.wait_with_output()?;
        Ok((ended, written.join().unwrap_or(Ok(()))))
    })
}

/// Returns an error with the output of a failed `command`.
pub(super) fn failed(command: &str, ended: &Output) -> Error {
    let outputs = [&ended.stderr, &ended.stdout].map(|output| String::from_utf8_lossy(output));
    let all_lines = outputs.iter().flat_map(|output| output.lines());
    let lines: Vec<&str> = all_lines.filter(|line| !line.trim().is_empty()).collect();
    let separator = if lines.is_empty() { "" } else { ": " };
    Error::new(format!(
        "`{command}` failed ({}){separator}{}",
        ended.status,
        lines.join("; ")
    ))
}

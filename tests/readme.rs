//! What `README.md` shows is what happens.
//!
//! Its console blocks are run in order in one copy of `fixtures/vaults/sample`; `tests/README.md`
//! says how they are written.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{MEM, TestVault, project};

/// A command of a block and the lines that should follow it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Step<'t> {
    line: usize,
    command: String,
    output: Vec<&'t str>,
}

/// Returns the steps of all blocks that are run.
fn steps(text: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    // In which block we are: none, one that is not run, or one that is.
    let mut block = None;
    for (number, line) in text.lines().enumerate() {
        match (block, line.strip_prefix("```")) {
            (None, Some(info)) => block = Some(info.trim() == "console"),
            (Some(_), Some(_)) => block = None,
            (Some(true), None) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => {
                    let command = command.to_owned();
                    steps.push(Step {
                        line: number + 1,
                        command,
                        output: Vec::new(),
                    });
                }
                // A command goes on where the line before ends with a backslash.
                (None, Some(step)) if step.output.is_empty() && step.command.ends_with('\\') => {
                    step.command.push('\n');
                    step.command
                        .push_str(line.strip_prefix("> ").unwrap_or(line));
                }
                (None, Some(step)) => step.output.push(line),
                (None, None) => panic!("line {}: a block begins with `$ `", number + 1),
            },
            _ => {}
        }
    }
    for step in &mut steps {
        // An empty line before the next command or the end of the block is for the eye.
        while step.output.last().is_some_and(|line| line.is_empty()) {
            step.output.pop();
        }
    }
    steps
}

/// Returns true if `found` is what `expected` says, where `...` is any lines.
fn matches(expected: &[&str], found: &[&str]) -> bool {
    match expected.split_first() {
        None => found.is_empty(),
        Some((&"...", rest)) => (0..=found.len()).any(|skipped| matches(rest, &found[skipped..])),
        Some((line, rest)) => {
            found
                .first()
                .is_some_and(|first| first.trim_end() == line.trim_end())
                && matches(rest, &found[1..])
        }
    }
}

#[test]
fn console_blocks_are_true() {
    let Ok(text) = fs::read_to_string(project().join("README.md")) else {
        return;
    };
    let vault = TestVault::folder("sample");
    let folder = Path::new(MEM).parent().unwrap();
    let path = std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    )))
    .unwrap();
    let mut wrong = Vec::new();
    for step in steps(&text) {
        let mut command = Command::new("sh");
        // One stream, so that words and data stand in the order in which a person sees them.
        command
            .arg("-c")
            .arg(format!("exec 2>&1\n{}", step.command));
        vault.prepare(&mut command);
        command.env("PATH", &path).stdin(Stdio::null());
        let output = command.output().unwrap();
        let found = vault.shown(output.stdout);
        let lines: Vec<&str> = found.trim_end_matches('\n').lines().collect();
        if !matches(&step.output, &lines) {
            wrong.push(format!(
                "README.md:{}: `{}` says\n{found}\nand not\n{}\n",
                step.line,
                step.command,
                step.output.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn blocks_are_read_as_tests_readme_says() {
    let text = "```console\n$ mem a\none\n\ntwo\n\n$ mem b \\\n> c\n```\n```console ignore\n$ no\n```\n```sh\nno\n```\n";
    let step = |line, command: &str, output| Step {
        line,
        command: command.to_owned(),
        output,
    };
    assert_eq!(
        steps(text),
        [
            step(2, "mem a", vec!["one", "", "two"]),
            step(7, "mem b \\\nc", Vec::new())
        ]
    );
    assert!(matches(&["a", "...", "c"], &["a", "b", "b", "c"]));
    assert!(matches(&["...", "c", "..."], &["c"]));
    assert!(!matches(&["a", "...", "c"], &["a", "b"]));
    assert!(!matches(&["a"], &["a", "b"]));
}

//! The example commands of every command and topic work on the notes of `mem demo`.

use std::path::Path;
use std::process::{Command, Stdio};

use mem::commands::setup::help::examples;
use mem::commands::setup::help::groups::groups;
use mem::commands::setup::help::topics::{TOPICS, Topic};

use crate::support::{MEM, TestVault};

/// Prefixes of examples that need a person, a model, user data, or an id of a certain vault.
const NOT_RUN: [&str; 17] = [
    "mem audit ~",
    "mem demo",
    "mem git ",
    "mem history 757x",
    "mem judge",
    "mem merge-file ",
    "mem list '@\"lists",
    "mem lsp",
    "mem new",
    "mem pick",
    "mem import ",
    "mem review accept",
    "mem sleep --install",
    "mem sync",
    "mem undo 757x",
    "mem watch",
    "vim ",
];

/// Examples that report an empty result or problems on the sample.
const TOLD: [&str; 7] = [
    "mem audit .",
    "mem doctor",
    "mem doctor --sizes",
    "mem resurface --on-this-day",
    "mem rules test --at 2027-01-01",
    "mem sleep --report",
    "mem trash",
];

/// Returns `line` up to the first program that is not available everywhere.
fn run_of(line: &str) -> String {
    let known = ["date", "df", "echo", "mem", "wc", "xargs"];
    let parts = line.split(" | ").take_while(|part| {
        let program = part.split(' ').next().unwrap_or_default();
        known.contains(&program)
    });
    parts.collect::<Vec<_>>().join(" | ")
}

#[test]
fn examples_work_on_the_demo_notes() {
    let vault = TestVault::indexed("sample");
    std::fs::create_dir(vault.home("notes")).unwrap();
    let topics: Vec<String> = TOPICS.iter().map(Topic::text).collect();
    let of_topics = topics.iter().flat_map(|text| text.lines());
    let of_topics =
        of_topics.filter_map(|line| line.strip_prefix("  ").filter(|line| is_command(line)));
    let names = groups().flat_map(|(_, _, names)| names);
    let of_commands = names.flat_map(|name| examples::of(name).into_iter().map(|(line, _)| line));
    let lines = of_topics.chain(of_commands);
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", Path::new(MEM).parent().unwrap().display());
    let mut wrong = Vec::new();
    for line in lines {
        if line == "mem" || NOT_RUN.iter().any(|start| line.starts_with(start)) {
            continue;
        }
        let mut shell = Command::new("sh");
        vault.prepare(shell.args(["-c", &run_of(line)]));
        shell.env("PATH", &path).env("EDITOR", "true");
        let output = shell.stdin(Stdio::null()).output().unwrap();
        let is_nothing = output.status.code() == Some(1) && TOLD.contains(&line);
        if !output.status.success() && !is_nothing {
            wrong.push(format!(
                "{line}\n{}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn is_command(line: &str) -> bool {
    line.starts_with("mem ") || line.contains("| mem ")
}

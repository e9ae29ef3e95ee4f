//! Checks that the examples in `README.md` are real.
//!
//! Console blocks run in order in one copy of `fixtures/vaults/sample`, and tables are generated
//! from the code. `UPDATE_EXPECT` rewrites both. `tests/README.md` describes the syntax.

use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::{Command, Stdio};

use mem::signals::fields::FIELDS;

use crate::support::{MEM, TestVault, project};

/// A command of a block and its expected output.
#[derive(Debug, Default, PartialEq, Eq)]
struct Step<'t> {
    line: usize,
    command: String,
    output: Vec<&'t str>,
}

impl Step<'_> {
    /// Returns the range of its output lines in the text, from 0.
    fn span(&self) -> Range<usize> {
        let start = self.line - 1 + self.command.lines().count();
        start..start + self.output.len()
    }
}

/// Returns the step that writes a TOML block into the file named in its first comment; `number` is
/// the line of its fence, from 0.
fn file(text: &str, number: usize) -> Option<Step<'_>> {
    let mut lines = text.lines().skip(number + 1);
    let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
    let name = body.first()?.strip_prefix("# .mem/")?;
    Some(Step {
        line: number + 1,
        command: format!("cat > .mem/{name} <<'END'\n{}\nEND", body.join("\n")),
        output: Vec::new(),
    })
}

/// Returns the steps of all blocks that run.
fn steps(text: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    // The current block: none, one that does not run, or one that does.
    let mut block = None;
    for (number, line) in text.lines().enumerate() {
        match (block, line.strip_prefix("```")) {
            (None, Some(info)) => {
                if info.trim() == "toml" {
                    steps.extend(file(text, number));
                }
                block = Some(info.trim() == "console");
            }
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
                // A backslash at the end of a line continues the command.
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
        // An empty line before the next command or the end of the block is only layout.
        while step.output.last().is_some_and(|line| line.is_empty()) {
            step.output.pop();
        }
    }
    steps
}

/// Whether `found` matches `expected`, where `...` is any number of lines.
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

/// Returns the replacement for `expected`: `found`, abbreviated by the first `...` with as many
/// lines before and after it.
fn renewed<'t>(expected: &[&str], found: &[&'t str]) -> Vec<&'t str> {
    let dots = |line: &&str| *line == "...";
    let Some(head) = expected.iter().position(dots) else {
        return found.to_vec();
    };
    let tail = expected.iter().rev().position(dots).unwrap_or_default();
    match found.len().checked_sub(head + tail) {
        None => found.to_vec(),
        Some(left_out) => [&found[..head], &["..."], &found[head + left_out..]].concat(),
    }
}

#[test]
fn console_blocks_match() {
    let file = project().join("README.md");
    let Ok(text) = fs::read_to_string(&file) else {
        return;
    };
    let vault = TestVault::folder("sample");
    let folder = Path::new(MEM).parent().unwrap();
    let path = std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    )))
    .unwrap();
    let is_updated = std::env::var_os("UPDATE_EXPECT").is_some();
    let text = if is_updated { with_tables(&text) } else { text };
    let mut wrong = Vec::new();
    for step in steps(&text) {
        let found = output(&vault, &step, &path);
        if !matches(&step.output, &found.lines().collect::<Vec<_>>()) {
            wrong.push((step, found));
        }
    }
    if is_updated {
        fs::write(&file, corrected(&text, &wrong)).unwrap();
    } else {
        let said = |(step, found): &(Step, String)| {
            let Step {
                line,
                command,
                output,
            } = step;
            format!(
                "README.md:{line}: `{command}` says\n{found}\nand not\n{}\n",
                output.join("\n")
            )
        };
        assert!(
            wrong.is_empty(),
            "{}",
            wrong.iter().map(said).collect::<String>()
        );
    }
}

#[test]
fn tables_are_up_to_date() {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    let is_updated = std::env::var_os("UPDATE_EXPECT").is_some();
    assert!(
        is_updated || text == with_tables(&text),
        "run `UPDATE_EXPECT=1 cargo test readme`"
    );
}

/// Returns `text` with each table between `<!-- table of … -->` and `<!-- end -->` regenerated.
fn with_tables(text: &str) -> String {
    let mut text = text.to_owned();
    for (name, table) in [
        ("fields", table_of_fields()),
        ("jobs", mem::jobs::manual()),
        ("presets", mem::run::presets::manual()),
        ("settings", mem::commands::setup::settings::SCHEMA.manual()),
    ] {
        let begin = format!("<!-- table of {name} -->\n");
        let start = text.find(&begin).expect("README marks its tables") + begin.len();
        let end = start + text[start..].find("<!-- end -->").expect("a table ends");
        text.replace_range(start..end, &format!("\n{table}\n"));
    }
    text
}

fn table_of_fields() -> String {
    let row = |(example, finds): (&str, &str)| format!("| `{example}` | {finds} |\n");
    let rows = FIELDS.iter().map(|field| row(field.example));
    ["| field | finds notes |\n|---|---|\n".to_owned()]
        .into_iter()
        .chain(rows)
        .collect()
}

/// Returns `text` with the actual output of the steps in `wrong`.
fn corrected(text: &str, wrong: &[(Step, String)]) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    // From the end, because a correction may move the lines after it.
    for (step, found) in wrong.iter().rev() {
        let found: Vec<&str> = found.lines().map(str::trim_end).collect();
        lines.splice(step.span(), renewed(&step.output, &found));
    }
    lines.join("\n") + "\n"
}

/// Runs a step and returns its output without final line breaks.
fn output(vault: &TestVault, step: &Step, path: &OsStr) -> String {
    // One stream keeps messages and data in the order on screen.
    let script = format!("exec 2>&1\n{}", step.command);
    let mut command = Command::new("sh");
    command.arg("-c").arg(script);
    vault.prepare(&mut command);
    command.env("PATH", path).stdin(Stdio::null());
    let found = vault.shown(command.output().unwrap().stdout);
    found.trim_end_matches('\n').to_owned()
}

#[test]
fn block_syntax() {
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

#[test]
fn corrections_keep_the_abbreviation() {
    let text = "```console\n$ a \\\n> b\nc\n\n$ d\n```\n";
    let found = ["x\ny".to_owned(), "z".to_owned()];
    let wrong: Vec<_> = steps(text).into_iter().zip(found).collect();
    assert_eq!(
        corrected(text, &wrong),
        "```console\n$ a \\\n> b\nx\ny\n\n$ d\nz\n```\n"
    );
    assert_eq!(renewed(&["a"], &["x", "y"]), ["x", "y"]);
    assert_eq!(
        renewed(&["a", "...", "c"], &["x", "y", "y", "z"]),
        ["x", "...", "z"]
    );
    assert_eq!(renewed(&["a", "..."], &["x"]), ["x", "..."]);
    assert_eq!(renewed(&["a", "b", "..."], &["x"]), ["x"]);
}

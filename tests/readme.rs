//! The manuals are true: `README.md` and `docs/`.
//!
//! Console blocks are run in order, those of each page in a copy of `fixtures/vaults/sample` of its own. Tables are made
//! from those of the code. Both are rewritten where `UPDATE_EXPECT` is set; `tests/README.md` has the form of blocks.
//! Links, anchors, settings and command lines are looked up.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use clap::error::{ContextKind, ErrorKind};
use mem::commands::setup::help::conventions::{DOCUMENTS, RECORDS, terms};
use mem::commands::setup::settings::SCHEMA;
use mem::jobs::JOBS;
use mem::run::presets::{PRESETS, about};
use mem::signals::fields::FIELDS;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;

use crate::support::{MEM, TestVault, project};

/// How large the front page may be.
const MAX_README_BYTES: usize = 10_000;

/// Pages outside `docs/` whose links are checked, too.
const MORE_PAGES: [&str; 8] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "benches/README.md",
    "benches/RESULTS.md",
    "fuzz/README.md",
    "packaging/README.md",
    "SECURITY.md",
    "tests/README.md",
];

/// Returns `README.md` and the pages of `docs/`.
fn manuals() -> Vec<PathBuf> {
    let docs = fs::read_dir(project().join("docs")).unwrap();
    let mut pages: Vec<PathBuf> = docs.map(|entry| entry.unwrap().path()).collect();
    pages.sort();
    pages.insert(0, project().join("README.md"));
    pages
}

/// Returns the path of a page in the project.
fn shown(page: &Path) -> std::path::Display<'_> {
    page.strip_prefix(project()).unwrap().display()
}

fn is_updated() -> bool {
    std::env::var_os("UPDATE_EXPECT").is_some()
}

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
    let folder = Path::new(MEM).parent().unwrap();
    let path = std::env::join_paths([folder.to_owned()].into_iter().chain(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    )))
    .unwrap();
    let pages = manuals();
    let wrong: String = thread::scope(|scope| {
        let threads: Vec<_> = pages
            .iter()
            .map(|page| scope.spawn(|| wrong_blocks(page, &path)))
            .collect();
        let wrong = threads.into_iter().map(|thread| thread.join().unwrap());
        wrong.collect()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs the blocks of a page and returns those that print something else, or corrects them.
fn wrong_blocks(page: &Path, path: &OsStr) -> String {
    let vault = if page.ends_with("README.md") {
        TestVault::folder("sample")
    } else {
        TestVault::indexed("sample")
    };
    let text = fs::read_to_string(page).unwrap();
    let text = if is_updated() {
        with_tables(&text)
    } else {
        text
    };
    let mut wrong = Vec::new();
    for step in steps(&text) {
        let found = output(&vault, &step, path);
        if !matches(&step.output, &found.lines().collect::<Vec<_>>()) {
            wrong.push((step, found));
        }
    }
    if is_updated() {
        fs::write(page, corrected(&text, &wrong)).unwrap();
        return String::new();
    }
    let message = |(step, found): &(Step, String)| {
        let Step {
            line,
            command,
            output,
        } = step;
        format!(
            "{}:{line}: `{command}` prints\n{found}\nand not\n{}\n",
            shown(page),
            output.join("\n")
        )
    };
    wrong.iter().map(message).collect()
}

#[test]
fn tables_are_up_to_date() {
    let pages = manuals().into_iter();
    let texts: Vec<_> = pages
        .map(|page| (fs::read_to_string(&page).unwrap(), page))
        .collect();
    for (text, page) in &texts {
        assert!(
            is_updated() || *text == with_tables(text),
            "{}: run `UPDATE_EXPECT=1 cargo test readme`",
            shown(page)
        );
    }
    for (name, _) in tables() {
        let begin = begin_of_table(name);
        let pages = texts.iter().filter(|(text, _)| text.contains(&begin));
        assert_eq!(pages.count(), 1, "{begin}");
    }
}

fn tables() -> [(&'static str, String); 7] {
    [
        ("fields", table_of_fields()),
        ("jobs", table_of_jobs()),
        ("presets", table_of_presets()),
        ("records", table_of_terms("command: list", RECORDS)),
        ("everyday settings", table_of_settings(true)),
        ("expert settings", table_of_settings(false)),
        ("things", table_of_terms("command", DOCUMENTS)),
    ]
}

fn begin_of_table(name: &str) -> String {
    format!("<!-- table of {name} -->\n")
}

/// Returns `text` with each table between `<!-- table of … -->` and `<!-- end -->` replaced by that of the code.
fn with_tables(text: &str) -> String {
    let mut text = text.to_owned();
    for (name, table) in tables() {
        let begin = begin_of_table(name);
        let Some(start) = text.find(&begin) else {
            continue;
        };
        let start = start + begin.len();
        let end = start + text[start..].find("<!-- end -->").expect("a table ends");
        text.replace_range(start..end, &format!("\n{table}\n"));
    }
    text
}

fn table_of_terms(head: &str, section: &str) -> String {
    let rows = terms(section).map(|(term, keys)| format!("| `{term}` | `{keys}` |\n"));
    [format!(
        "| {head} | keys that are always present |\n|---|---|\n"
    )]
    .into_iter()
    .chain(rows)
    .collect()
}

fn table_of_fields() -> String {
    let row = |(example, finds): (&str, &str)| format!("| `{example}` | {finds} |\n");
    let rows = FIELDS.iter().map(|field| row(field.example));
    ["| field | finds notes |\n|---|---|\n".to_owned()]
        .into_iter()
        .chain(rows)
        .collect()
}

fn table_of_jobs() -> String {
    let rows = JOBS.iter().map(|job| {
        let (name, about, every) = (job.name, job.about, job.every);
        let aliases = job.aliases.join(", ");
        format!("| `mem {name}` | {aliases} | {about} | {every} |\n")
    });
    "| job | also called | what it does | every |\n|---|---|---|---|\n".to_owned()
        + &rows.collect::<String>()
}

fn table_of_presets() -> String {
    let rows = PRESETS
        .iter()
        .map(|(name, text)| format!("| `{name}` | {} |\n", about(text)));
    "| preset | what it is |\n|---|---|\n".to_owned() + &rows.collect::<String>()
}

/// Returns the table of the everyday or the expert settings.
fn table_of_settings(is_everyday: bool) -> String {
    let listed = SCHEMA
        .all()
        .filter(|setting| setting.is_everyday == is_everyday);
    let rows = listed.map(|setting| {
        let (key, about, may) = (&setting.key, setting.about, setting.vault.name());
        format!("| `{key}` | `{}` | {about} | {may} it |\n", setting.default)
    });
    "| setting | default | meaning | a vault may |\n|---|---|---|---|\n".to_owned()
        + &rows.collect::<String>()
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

/// What a page has that can be looked up.
#[derive(Default)]
struct Page {
    anchors: HashSet<String>,
    links: Vec<String>,
    /// Texts in backticks and lines of code.
    codes: Vec<String>,
}

impl Page {
    fn of(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading = None;
        for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => {
                    page.anchors
                        .extend(heading.take().map(|text| anchor(&text)));
                }
                Event::Start(Tag::Link { dest_url, .. }) => page.links.push(dest_url.into_string()),
                Event::Code(code) => {
                    if let Some(text) = &mut heading {
                        text.push_str(&code);
                    }
                    page.codes.push(code.into_string());
                }
                Event::Text(text) => {
                    if let Some(words) = &mut heading {
                        words.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        page
    }
}

/// Returns the anchor that forges give a heading.
fn anchor(heading: &str) -> String {
    let heading = heading.to_lowercase();
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_lead_somewhere() {
    let more = MORE_PAGES.map(|page| project().join(page));
    let pages = manuals()
        .into_iter()
        .chain(more.into_iter().filter(|page| page.exists()));
    let pages: HashMap<PathBuf, Page> = pages
        .map(|page| {
            let text = fs::read_to_string(&page).unwrap();
            (page, Page::of(&text))
        })
        .collect();
    let mut wrong = Vec::new();
    for (from, page) in &pages {
        for link in page.links.iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let folder = from.parent().unwrap();
            let to = match path {
                "" => from.clone(),
                path => folder.join(path).canonicalize().unwrap_or_default(),
            };
            let is_found = to.exists()
                && (anchor.is_empty()
                    || pages
                        .get(&to)
                        .is_some_and(|page| page.anchors.contains(anchor)));
            if !is_found {
                wrong.push(format!("{}: {link}", shown(from)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn settings_and_commands_exist() {
    let sections: HashSet<&str> = SCHEMA.all().map(|setting| setting.parts().0).collect();
    let mut wrong = Vec::new();
    for page in manuals() {
        let text = fs::read_to_string(&page).unwrap();
        for code in Page::of(&text).codes {
            let is_setting = code.split_once('.').is_some_and(|(section, key)| {
                let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
                sections.contains(section) && key.chars().all(is_name) && key != "toml"
            });
            if is_setting && SCHEMA.named(&code).is_none() || is_wrong_command(&code) {
                wrong.push(format!("{}: `{code}`", shown(&page)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Commands and flags in backticks in messages, hints and help texts.
#[test]
fn commands_in_messages_exist() {
    let flags: HashSet<String> = flags_of(&mem::cli::definition()).collect();
    let flag = Regex::new("^--[a-z][a-z-]*").unwrap();
    let files = walkdir::WalkDir::new(project().join("src")).into_iter();
    let paths = files.map(|entry| entry.unwrap().into_path());
    let mut wrong = Vec::new();
    for path in paths.filter(|path| path.extension().is_some_and(|it| it == "rs" || it == "txt")) {
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        for code in quoted_codes(text) {
            let is_wrong = if code.starts_with("mem ") {
                let is_special = NO_COMMANDS.iter().any(|other| code.starts_with(other));
                // A message is formatted with a name of one of these kinds.
                let names = ["dedupe", "merge", "accept", "broken-link"];
                let mut variants = names.iter().map(|name| code.replace(VALUE, name));
                !is_special && variants.all(|code| is_wrong_command(&code))
            } else {
                let given = flag.find(&code).map(|found| found.as_str());
                given.is_some_and(|flag| !flags.contains(flag))
            };
            if is_wrong {
                wrong.push(format!("{}: `{code}`", shown(&path)));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Stands for a value in a message.
const VALUE: &str = "VALUE";

/// Marks of a list inside a note, and examples of what the parser accepts although clap does not.
const NO_COMMANDS: [&str; 4] = [
    "mem table ",
    "mem count ",
    "mem search tea -milk",
    "mem append plan '- Tea'",
];

/// Returns the long and short flags of a command and its subcommands.
fn flags_of(command: &clap::Command) -> Box<dyn Iterator<Item = String> + '_> {
    let names = command.get_arguments().flat_map(|argument| {
        let longs = argument.get_long_and_visible_aliases().unwrap_or_default();
        let shorts = argument.get_short_and_visible_aliases().unwrap_or_default();
        let shorts = shorts.into_iter().map(|short| format!("-{short}"));
        let longs = longs.into_iter().map(|long| format!("--{long}"));
        longs.chain(shorts).collect::<Vec<_>>()
    });
    Box::new(names.chain(command.get_subcommands().flat_map(flags_of)))
}

/// Returns the commands and flags in backticks in a source file, with [`VALUE`] for values in messages.
fn quoted_codes(text: &str) -> Vec<String> {
    let line_break = Regex::new(r"\\?\n\s*(///|//!)? *").unwrap();
    let value = Regex::new(r"\{[a-z_.:?0-9]*\}").unwrap();
    let text = line_break.replace_all(text, " ");
    let code = Regex::new(r"`([^`]*)`").unwrap();
    let codes = code.captures_iter(&text).map(|found| found[1].to_owned());
    let commands = codes.filter(|code| code.starts_with("mem ") || code.starts_with('-'));
    commands
        .map(|code| value.replace_all(&code, VALUE).replace("\\\"", "\""))
        .map(|code| code.split("  #").next().unwrap_or_default().to_owned())
        .collect()
}

/// Modules, items and files that `CONTRIBUTING.md` names.
#[test]
fn code_that_contributing_names_exists() {
    let text = fs::read_to_string(project().join("CONTRIBUTING.md")).unwrap();
    let codes = Page::of(&text).codes.into_iter();
    let wrong: Vec<String> = codes.filter(|code| is_missing(code)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns whether `code` is a path of the project or a path of Rust that does not exist.
fn is_missing(code: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_path = code.contains('/') && code.chars().all(is_name) && !code.contains("NAME");
    if is_path && !code.starts_with(".mem") {
        let folders = ["", "src", "src/commands"];
        return !folders
            .iter()
            .any(|folder| project().join(folder).join(code).exists());
    }
    let Some((module, item)) = code.rsplit_once("::") else {
        return false;
    };
    let item = item.trim_end_matches('!');
    let folder = project().join("src").join(module.replace("::", "/"));
    let files = [folder.with_extension("rs"), folder.join("mod.rs")];
    let texts: Vec<String> = files.iter().flat_map(fs::read_to_string).collect();
    let is_module = module
        .chars()
        .all(|c| c.is_ascii_lowercase() || matches!(c, '_' | ':'));
    let has_item = texts.iter().any(|text| text.contains(item));
    is_module && module != "clap" && !code.contains(' ') && !has_item && !folder.join(item).is_dir()
}

/// Returns whether `line` calls `mem` with a command or flag that it does not have.
fn is_wrong_command(line: &str) -> bool {
    let line = line.split(" | ").next().unwrap_or(line);
    let Some(arguments) =
        words(line).filter(|words| words[0] == "mem" && !words.contains(&"help".to_owned()))
    else {
        return false;
    };
    // Text names a flag without its value: `mem list --sort`.
    let ends_in_flag = arguments.last().is_some_and(|word| word.starts_with("--"));
    let parsed = mem::cli::definition().try_get_matches_from(arguments);
    parsed.is_err_and(|error| match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => true,
        // A word in capitals stands for a value: `--kind KIND`.
        ErrorKind::InvalidValue => {
            let value = error
                .get(ContextKind::InvalidValue)
                .map(ToString::to_string);
            let is_name = |value: String| value.chars().all(|c| c.is_ascii_uppercase());
            !ends_in_flag && !value.is_some_and(is_name)
        }
        _ => false,
    })
}

/// Returns the words of a simple shell command; `None` if it is empty or more than that.
fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut quote = None;
    let mut word: Option<String> = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), c) if c == open => quote = None,
            (None, ' ') => words.extend(word.take()),
            (None, '$' | '>' | ';' | '…') => return None,
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    (!words.is_empty()).then_some(words)
}

#[test]
fn wrong_commands_are_noticed() {
    for line in [
        "mem serach tea",
        "mem list --sorted x",
        "mem dedupe --apply some",
    ] {
        assert!(is_wrong_command(line), "{line}");
    }
    for line in [
        "mem search 'a b'",
        "mem undo RUN",
        "mem list --sort created | jq",
        "mem edit --set",
        "ls -y",
        "mem …",
    ] {
        assert!(!is_wrong_command(line), "{line}");
    }
}

#[test]
fn the_front_page_is_short() {
    let text = fs::read_to_string(project().join("README.md")).unwrap();
    assert!(text.len() <= MAX_README_BYTES, "{} bytes", text.len());
}

//! Whether answers improve the ranking: a simulated author answers the daily questions.
//!
//! ```text
//! cargo bench --bench attention -- VAULT... [--mem PATH] [--seed 1] [--share 0.1] [--days 20]
//! ```
//!
//! Every vault is only read. A tenth of the linked pairs is hidden as in the bench `links`. The
//! simulated person accepts a link or mention that joins a hidden pair and rejects all others. That
//! is stricter than a person, who may like a link that the author never made.
//!
//! The first part orders all open findings by worth, with ten answers a day and with or without
//! learning, until nine tenths of the right ones are found. The second part uses the commands:
//! every day `mem review` asks and `mem review --apply` reads the answers, with `review.learn` and
//! without.
//!
//! | figure | what it is |
//! |---|---|
//! | open, yes | open links and mentions, and how many the person wants |
//! | unlearned, learned | answers until nine tenths of those are found, with the general weights only, and with learning |
//! | days | questions asked on `--days` days, and how many were accepted |
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

#[path = "../links/hide.rs"]
mod hide;
#[path = "../support/mod.rs"]
mod support;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use jiff::{SignedDuration, Timestamp};
use mem::finding::question::QuestionKind;
use mem::run::attention::chance::{Chances, Example};
use mem::run::attention::features::recorded;
use serde::Deserialize;

use hide::{HiddenLinks, Pair, hide, pair};
use support::flags::{self, Flags};
use support::process::{self, Mem};
use support::{Outcome, random::Random};

const USAGE: &str =
    "cargo bench --bench attention -- VAULT... [--mem PATH] [--seed 1] [--share 0.1] [--days 20]";

/// Answers per day.
const DAILY: usize = 10;

#[derive(Deserialize)]
struct Question {
    id: String,
    kind: QuestionKind,
    notes: Vec<String>,
    #[serde(default)]
    features: BTreeMap<String, i32>,
}

impl Question {
    /// Whether the simulated person accepts it.
    fn is_wanted(&self, hidden: &BTreeSet<Pair>) -> bool {
        let is_link = matches!(self.kind, QuestionKind::Link | QuestionKind::Mention);
        matches!(self.notes.as_slice(), [a, b] if is_link && hidden.contains(&pair(a, b)))
    }
}

fn main() -> ExitCode {
    let known = ["--mem", "--seed", "--share", "--days"];
    flags::run(USAGE, &known, attention)
}

fn attention(flags: &Flags) -> Outcome<ExitCode> {
    println!(
        "{}, `{}`\n",
        jiff::Zoned::now().date(),
        flags::command_line("attention")
    );
    let days: usize = flags.number("--days", 20)?;
    println!(
        "| vault | open | yes | unlearned | learned | {days} days unlearned | {days} days learned |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for folder in flags.words() {
        row(flags, Path::new(folder), days)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn row(flags: &Flags, folder: &Path, days: usize) -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let vault = scratch.path().join("vault");
    process::copy_folder(folder, &vault)?;
    let mut random = Random::new(flags.number("--seed", 1)?, 0);
    let HiddenLinks { pairs } = hide(&vault, flags.number("--share", 0.1)?, &mut random)?;
    let mem = Mem::new(flags, scratch.path())?;
    mem.init_and_index(&vault)?;
    let open = questions(&mem, &vault, &["review", "--jsonl", "--all", "--explain"])?;
    let at = Timestamp::UNIX_EPOCH;
    let open: Vec<Example> = open
        .into_iter()
        .filter(|one| matches!(one.kind, QuestionKind::Link | QuestionKind::Mention))
        .map(|one| Example {
            kind: one.kind,
            features: recorded(&one.features),
            is_yes: one.is_wanted(&pairs),
            about: one.notes,
            at,
        })
        .collect();
    let yes = open.iter().filter(|one| one.is_yes).count();
    let [unlearned, learned] = [false, true].map(|learns| answers_until_found(&open, yes, learns));
    let mut asked = Vec::new();
    for learns in ["false", "true"] {
        let copy = scratch.path().join(learns);
        process::copy_folder(&vault, &copy)?;
        let mem = Mem::new(flags, scratch.path())?;
        mem.run(&copy, &["config", "review.learn", learns])?;
        let (questions, yes) = simulate_days(&mem, &copy, &pairs, days)?;
        asked.push(format!("{yes} of {questions}"));
    }
    let name = folder.parent().unwrap_or(folder).file_name();
    println!(
        "| {} | {} | {yes} | {unlearned} | {learned} | {} | {} |",
        name.unwrap_or(folder.as_os_str()).to_string_lossy(),
        open.len(),
        asked[0],
        asked[1],
    );
    Ok(())
}

fn questions(mem: &Mem, vault: &Path, arguments: &[&str]) -> Outcome<Vec<Question>> {
    let listed = String::from_utf8(mem.run(vault, arguments)?.output.stdout)?;
    let lines = listed.lines();
    Ok(lines.map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Returns the number of answers until nine tenths of the `yes` are found.
fn answers_until_found(open: &[Example], yes: usize, learns: bool) -> usize {
    let wanted = (yes * 9).div_ceil(10);
    let mut left: Vec<usize> = (0..open.len()).collect();
    let mut answers: Vec<Example> = Vec::new();
    let mut now = Timestamp::UNIX_EPOCH;
    let (mut found, mut given) = (0, 0);
    while found < wanted && !left.is_empty() {
        let learned_from: &[Example] = if learns { &answers } else { &[] };
        let chances = Chances::of(learned_from);
        let worth = |at: usize| {
            let Example {
                kind,
                features,
                about,
                ..
            } = &open[at];
            let about = about.iter().map(String::as_str);
            chances.judge_features(*kind, features, about, 0.0).worth
        };
        left.sort_by_cached_key(|at| Reverse((worth(*at) * 1e6) as u64));
        for at in left.drain(..DAILY.min(left.len())) {
            answers.push(Example {
                at: now,
                ..open[at].clone()
            });
            given += 1;
            found += usize::from(open[at].is_yes);
            if found == wanted {
                break;
            }
        }
        now += SignedDuration::from_hours(24);
    }
    given
}

/// Answers the questions of `days` days; returns how many were asked, and how many accepted.
fn simulate_days(
    mem: &Mem,
    vault: &Path,
    hidden: &BTreeSet<Pair>,
    days: usize,
) -> Outcome<(usize, usize)> {
    let first: Timestamp = "2030-01-01T09:00:00Z".parse()?;
    let (mut asked, mut wanted) = (0, 0);
    for day in 0..days {
        let now = first + SignedDuration::from_hours(24 * i64::try_from(day)?);
        let mem = mem.at_time(&now.to_string());
        let today = questions(&mem, vault, &["review", "--jsonl"])?;
        if today.len() > DAILY {
            return Err(format!("{} questions on one day", today.len()).into());
        }
        let mut answers = String::new();
        for question in &today {
            let is_wanted = question.is_wanted(hidden);
            let answer = if is_wanted { "yes" } else { "no" };
            let _ = writeln!(
                answers,
                "{{\"id\":\"{}\",\"answer\":\"{answer}\"}}",
                question.id
            );
            asked += 1;
            wanted += usize::from(is_wanted);
        }
        let mut process = mem
            .command(vault, &["-q", "review", "--apply", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = process.stdin.take() {
            stdin.write_all(answers.as_bytes())?;
        }
        process.wait()?;
    }
    Ok((asked, wanted))
}

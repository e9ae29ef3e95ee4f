//! `mem recall`

use std::collections::HashSet;

use serde::Serialize;
use xxhash_rust::xxh3::xxh3_64;

use crate::commands::args::query_args::QueryArgs;
use crate::commands::args::touch::Touch;
use crate::commands::render::hit_record::{HitRecord, explanation};
use crate::error::{Error, Exit};
use crate::finding::trigger::Trigger;
use crate::journal::events::Kind;
use crate::note::path::VaultPath;
use crate::output::lines::Line;
use crate::output::{Form, Style, count};
use crate::recall::mode::Mode;
use crate::recall::{Hit, SearchOptions};
use crate::run::sleep::rule_turns::start_behind;
use crate::session::Environment;

/// Bytes of text that make a token of a language model, about: three quarters of a word, a character
/// of a script without spaces.
const BYTES_PER_TOKEN: usize = 4;

/// Print the passages that answer a question
///
/// Searches like `mem search`, leaves out what is hardly about the question, and prints the best
/// passages with their sources, up to a token budget: context for an agent before it answers, or for
/// you before you write. A replaced note is answered by its successor, a contradicted one is marked.
/// What `mem reinforce` said was useful comes earlier, most of all for such a question.
/// Notes are not changed. `--json` adds everything `search` reports about a note.
///
/// Exits with 1 if nothing relevant was found. If only forgotten notes answer, one line says so instead, and it
/// exits with 1, too.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    touch: Touch,
    /// Print at most about this many tokens (1 token is about 4 bytes)
    #[arg(long, value_name = "TOKENS", default_value_t = 2000, value_parser = budget)]
    budget: usize,
    /// Also print what is hardly about the question
    #[arg(long)]
    all: bool,
    /// Use passages from at most N notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Explain each score
    #[arg(long)]
    explain: bool,
}

#[derive(Debug, Serialize)]
struct Record<'q> {
    query: &'q str,
    mode: Mode,
    /// What the passages come to, about.
    tokens: usize,
    /// Notes that were found and did not fit.
    left_out: usize,
    /// Where nothing else was found: forgotten notes that answer.
    forgotten: usize,
    hits: Vec<RecalledRecord>,
}

#[derive(Debug, Serialize)]
struct RecalledRecord {
    #[serde(flatten)]
    hit: HitRecord,
    /// The passage, as it stands in the note.
    text: String,
    tokens: usize,
    /// The line of the note that it begins at.
    text_line: usize,
    /// The note that it replaced and is recalled for.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaces: Option<String>,
    /// The notes that say otherwise, or of which it does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradicts: Vec<String>,
}

/// A passage under the line that says where it comes from.
struct Recalled {
    head: String,
    hit: Hit,
    tokens: usize,
}

/// Recalls.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = args.touch.open(env)?;
    let output = &env.output;
    let options = SearchOptions {
        limit: args.limit,
        only_relevant: !args.all,
        learned: Some(session.settings.of()),
        ..SearchOptions::default()
    };
    let results = args.query.search(&session, &options)?;
    let found = !results.hits.is_empty();
    let (recalled, left_out) = within(results.hits, args.budget);
    let notes = recalled.iter().map(|one| &one.hit.entry.path);
    session.note_use(Kind::Recalled, notes);
    env.page(&session.settings)?;
    match output.form {
        Form::Human => {
            for (number, Recalled { head, hit, .. }) in recalled.iter().enumerate() {
                if number > 0 {
                    output.line("")?;
                }
                output.write_wrapped(&Line::of(Style::Title, head))?;
                if args.explain {
                    output.write_wrapped(&explanation(hit).into())?;
                }
                for line in hit.excerpt.text.lines() {
                    output.write_wrapped(&line.into())?;
                }
            }
            if results.forgotten > 0 {
                let notes = count(results.forgotten, "forgotten note");
                output.line(&format!(
                    "nothing found but {notes}: add `tier:forgotten` to the question to read them"
                ))?;
            }
            if left_out > 0 {
                output.say(&format!(
                    "{} did not fit into {} tokens",
                    count(left_out, "more note"),
                    args.budget
                ));
            }
        }
        Form::Json => output.record(&Record {
            query: &args.query.text(),
            mode: results.mode,
            tokens: recalled.iter().map(|one| one.tokens).sum(),
            left_out,
            forgotten: results.forgotten,
            hits: recalled
                .into_iter()
                .map(|one| record(one, args.explain))
                .collect(),
        })?,
        Form::JsonLines => {
            for one in recalled {
                output.record(&record(one, args.explain))?;
            }
        }
    }
    start_behind(&session, Trigger::Recall);
    Ok(Exit::found(found))
}

/// A passage cut to fewer tokens says too little.
const LEAST: usize = 40;
/// What share of its word sequences another passage has that says the same.
const SAME: f32 = 0.6;

/// Reads `--budget`.
fn budget(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(tokens) if tokens >= LEAST => Ok(tokens),
        _ => Err(format!("expected a number from {LEAST} up")),
    }
}

/// Returns what of `hits` fits into `budget` tokens, each thing once and the last perhaps cut, and
/// how many did not.
fn within(hits: Vec<Hit>, budget: usize) -> (Vec<Recalled>, usize) {
    let (mut left, mut left_out) = (budget, 0);
    let mut said: Vec<[HashSet<u64>; 2]> = Vec::new();
    let mut recalled = Vec::new();
    for mut hit in hits {
        let own = [1, 3].map(|size| sequences(&hit.excerpt.text, size));
        if said.iter().any(|other| is_said(&own, other)) {
            continue;
        }
        let head = head(&hit);
        let head_tokens = tokens(&head);
        if head_tokens + tokens(&hit.excerpt.text) > left {
            // What is left may do for the beginning of it, or for a shorter one further down.
            if left < head_tokens + LEAST / 2 {
                left_out += 1;
                continue;
            }
            clip(
                &mut hit.excerpt.text,
                (left - head_tokens) * BYTES_PER_TOKEN,
            );
        }
        let tokens = head_tokens + tokens(&hit.excerpt.text);
        left = left.saturating_sub(tokens);
        said.push(own);
        recalled.push(Recalled { head, hit, tokens });
    }
    (recalled, left_out)
}

/// Returns hashes of all `size` words that follow one another in `text`, or of all if there are fewer.
fn sequences(text: &str, size: usize) -> HashSet<u64> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let size = words.len().clamp(1, size);
    words
        .windows(size)
        .map(|words| xxh3_64(words.join(" ").as_bytes()))
        .collect()
}

/// Returns whether all words of `own` are in `other`, and most of its sequences: one other word may be
/// the newer fact.
fn is_said(own: &[HashSet<u64>; 2], other: &[HashSet<u64>; 2]) -> bool {
    let both = own[1].intersection(&other[1]).count();
    own[0].is_subset(&other[0]) && both as f32 >= SAME * own[1].len() as f32
}

fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}

/// Cuts `text` between two words, so that it has at most `most` bytes.
fn clip(text: &mut String, most: usize) {
    const MARK: &str = " …";
    if text.len() <= most {
        return;
    }
    let mut end = most.saturating_sub(MARK.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    text.truncate(end);
    text.push_str(MARK);
}

/// Says where a passage comes from: file and line, title and headings, day.
fn head(hit: &Hit) -> String {
    let mut head = format!("## {}", hit.entry.path);
    let (line, heading) = &hit.excerpt.at;
    if *line > 0 {
        head = format!("{head}:{line}");
    }
    if hit.details.title != hit.entry.path.stem() {
        head = format!("{head} {}", hit.details.title);
    }
    if !heading.is_empty() {
        head = format!("{head} > {heading}");
    }
    if let Some(day) = hit.entry.row.stated() {
        head = format!("{head} ({})", day.strftime("%Y-%m-%d"));
    }
    if let Some(older) = &hit.replaces {
        head = format!("{head}, replaces {older}");
    }
    if !hit.contradicts.is_empty() {
        head = format!(
            "{head}, contradicts {}",
            strings(&hit.contradicts).join(", ")
        );
    }
    head
}

fn strings(notes: &[VaultPath]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

fn record(recalled: Recalled, explain: bool) -> RecalledRecord {
    let Recalled {
        mut hit, tokens, ..
    } = recalled;
    let text = std::mem::take(&mut hit.excerpt.text);
    RecalledRecord {
        text_line: hit.excerpt.at.0,
        replaces: hit.replaces.as_ref().map(ToString::to_string),
        contradicts: strings(&hit.contradicts),
        hit: HitRecord::new(hit, explain),
        text,
        tokens,
    }
}

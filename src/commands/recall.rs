//! `mem recall`

use jiff::Timestamp;
use serde::Serialize;

use super::hit_record::HitRecord;
use super::query_args::QueryArgs;
use crate::cache::row::Flags;
use crate::error::{Error, Exit};
use crate::note::path::VaultPath;
use crate::output::{Form, Style, count};
use crate::recall::Hit;
use crate::recall::mode::Mode;
use crate::session::Environment;

/// Bytes of text that make a token of a language model, about: three quarters of a word, a character
/// of a script without spaces.
const BYTES_PER_TOKEN: usize = 4;

/// Print the passages that answer a question
///
/// Searches like `mem search` and prints the best passages with their sources, up to a token
/// budget: context for an agent before it answers, or for you before you write. Replaced and
/// contradicted notes are marked as such. Notes are not changed. `--json` adds everything `search`
/// reports about a note.
///
/// Examples: `mem recall what did we decide about the database`, `mem recall --budget 500 'tag:tea
/// water temperature' | llm`. Exits with 1 if nothing was found.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    query: QueryArgs,
    /// Print at most about this many tokens (1 token is about 4 bytes)
    #[arg(long, value_name = "TOKENS", default_value_t = 2000)]
    budget: usize,
    /// Use passages from at most N notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: usize,
}

#[derive(Debug, Serialize)]
struct Record<'q> {
    query: &'q str,
    mode: Mode,
    /// What the passages come to, about.
    tokens: usize,
    /// Notes that were found and did not fit.
    left_out: usize,
    hits: Vec<RecalledRecord>,
}

#[derive(Debug, Serialize)]
struct RecalledRecord {
    #[serde(flatten)]
    hit: HitRecord,
    /// The passage, as it stands in the note.
    text: String,
    tokens: usize,
    /// The notes that say they replaced it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replaced_by: Vec<String>,
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
    let session = env.open()?;
    let output = &env.output;
    let results = args.query.search(&session, args.limit, true)?;
    let found = !results.hits.is_empty();
    let all = results.hits.len();
    let recalled = within(results.hits, args.budget);
    let left_out = all - recalled.len();
    match output.form {
        Form::Human => {
            for (number, Recalled { head, hit, .. }) in recalled.iter().enumerate() {
                if number > 0 {
                    output.line("")?;
                }
                output.line(&output.paint(Style::Title, head))?;
                for line in hit.excerpt.text.lines() {
                    output.line(&output.clean(line))?;
                }
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
            hits: recalled.into_iter().map(record).collect(),
        })?,
        Form::JsonLines => {
            for one in recalled {
                output.record(&record(one))?;
            }
        }
    }
    Ok(Exit::found(found))
}

/// Returns the first of `hits` that fit into `budget` tokens; of the first as much as does.
fn within(hits: Vec<Hit>, budget: usize) -> Vec<Recalled> {
    let mut left = budget;
    let mut recalled = Vec::new();
    for mut hit in hits {
        let head = head(&hit);
        let head_tokens = tokens(&head);
        if recalled.is_empty() {
            clip(
                &mut hit.excerpt.text,
                left.saturating_sub(head_tokens) * BYTES_PER_TOKEN,
            );
        }
        let tokens = head_tokens + tokens(&hit.excerpt.text);
        // A shorter one further down may fit, and would be a worse answer.
        if tokens > left && !recalled.is_empty() {
            break;
        }
        left = left.saturating_sub(tokens);
        recalled.push(Recalled { head, hit, tokens });
    }
    recalled
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
    if let Some(snippet) = &hit.excerpt.snippet {
        head = format!("{head}:{}", snippet.line);
    }
    if hit.details.title != hit.entry.path.stem() {
        head = format!("{head} {}", hit.details.title);
    }
    if !hit.excerpt.heading.is_empty() {
        head = format!("{head} > {}", hit.excerpt.heading);
    }
    let day = Timestamp::from_second(hit.entry.row.created).ok();
    if let Some(day) = day.filter(|_| !hit.entry.row.flags.has(Flags::UNDATED)) {
        head = format!("{head} ({})", day.strftime("%Y-%m-%d"));
    }
    for (words, notes) in [
        ("replaced by", &hit.replaced_by),
        ("contradicts", &hit.contradicts),
    ] {
        if !notes.is_empty() {
            head = format!("{head}, {words} {}", strings(notes).join(", "));
        }
    }
    head
}

fn strings(notes: &[VaultPath]) -> Vec<String> {
    notes.iter().map(ToString::to_string).collect()
}

fn record(recalled: Recalled) -> RecalledRecord {
    let Recalled {
        mut hit, tokens, ..
    } = recalled;
    let text = std::mem::take(&mut hit.excerpt.text);
    RecalledRecord {
        replaced_by: strings(&hit.replaced_by),
        contradicts: strings(&hit.contradicts),
        hit: HitRecord::new(hit, false),
        text,
        tokens,
    }
}

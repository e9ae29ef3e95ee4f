//! `mem list`

use serde::Serialize;

use super::asking::query_text;
use super::note_record::NoteRecord;
use super::queried::queried;
use crate::error::{Error, Exit};
use crate::output::{Form, Output, Style, count};
use crate::session::Environment;
use crate::view::{Entry, View};

/// List notes
///
/// Takes the same query language as `mem search`: `mem list tag:garden 'created:>2026-01-01'`,
/// `mem list type:decision -tier:archival`, `mem list has:due`. Without a query it lists all notes.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Which notes
    #[arg(value_parser = query_text())]
    query: Vec<String>,
    /// List at most so many
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// By what to order
    #[arg(long, value_name = "KEY", default_value = "path")]
    sort: Sort,
    /// Turn the order round
    #[arg(short, long)]
    reverse: bool,
    /// Only the paths, each followed by a NUL, for `xargs -0`
    #[arg(short = '0', long, conflicts_with_all = ["json", "jsonl"])]
    null: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sort {
    /// By path
    Path,
    /// By title
    Title,
    /// Newest first
    Created,
    /// Changed last first
    Modified,
    /// Longest first
    Length,
}

#[derive(Debug, Serialize)]
struct Record {
    total: usize,
    notes: Vec<NoteRecord>,
}

/// Lists them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let output = &env.output;
    let (mut entries, view, _cache) = queried(&session, &args.query)?;
    sort(&view, &mut entries, args.sort)?;
    if args.reverse {
        entries.reverse();
    }
    let total = entries.len();
    entries.truncate(args.limit.unwrap_or(usize::MAX));
    if args.null {
        for entry in &entries {
            output.raw(entry.path.as_str().as_bytes())?;
            output.raw(b"\0")?;
        }
    } else {
        show(output, &view, &entries, total)?;
    }
    if total == 0 {
        output.say(if args.query.is_empty() {
            "the vault has no notes"
        } else {
            "no note matches"
        });
    }
    Ok(Exit::found(total > 0))
}

fn sort(view: &View<'_>, entries: &mut Vec<Entry>, by: Sort) -> Result<(), Error> {
    // Paths are the order of last resort everywhere.
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    match by {
        Sort::Path => {}
        Sort::Created => entries.sort_by_key(|entry| std::cmp::Reverse(entry.row.created)),
        Sort::Modified => entries.sort_by_key(|entry| std::cmp::Reverse(entry.row.stat.mtime_ns)),
        Sort::Length => entries.sort_by_key(|entry| std::cmp::Reverse(entry.row.length)),
        Sort::Title => {
            let mut titled = Vec::with_capacity(entries.len());
            for entry in entries.drain(..) {
                titled.push((view.details(entry.slot)?.title.to_lowercase(), entry));
            }
            titled.sort_by(|a, b| a.0.cmp(&b.0));
            entries.extend(titled.into_iter().map(|(_, entry)| entry));
        }
    }
    Ok(())
}

fn show(output: &Output, view: &View<'_>, entries: &[Entry], total: usize) -> Result<(), Error> {
    let record = |entry: &Entry| -> Result<NoteRecord, Error> {
        Ok(NoteRecord::new(entry, view.details(entry.slot)?))
    };
    match output.form {
        Form::Json => {
            let notes = entries.iter().map(record).collect::<Result<_, _>>()?;
            output.record(&Record { total, notes })?;
        }
        Form::JsonLines => {
            for entry in entries {
                output.record(&record(entry)?)?;
            }
        }
        Form::Human => {
            for entry in entries {
                let details = view.details(entry.slot)?;
                let path = output.paint(Style::Place, entry.path.as_str());
                output.line(&if details.title == entry.path.stem() {
                    path
                } else {
                    format!("{path}\t{}", output.clean(&details.title))
                })?;
            }
            if output.stdout_is_terminal && entries.len() < total {
                output.say(&format!("{} of {}", entries.len(), count(total, "note")));
            }
        }
    }
    Ok(())
}

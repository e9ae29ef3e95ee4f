//! `mem resurface`

use serde::Serialize;

use crate::commands::args::query_args::{Only, query_text, selected};
use crate::commands::args::row_args::RowArgs;
use crate::error::{Error, Exit};
use crate::output::Form;
use crate::recall::resurface::{By, Reason, resurface};
use crate::session::Environment;

/// Show notes worth another look
///
/// Shows in turn notes written on this day in earlier years, notes that are about to fade (nobody used them for so
/// long that their retrievability comes near `fate.fading`), and notes by chance. Takes the query language of `mem
/// search` to choose from some notes only. Changes nothing and does not count as a use; exits with 1 if there are
/// none.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Query for the notes to choose from
    #[arg(value_parser = query_text())]
    query: Vec<String>,
    #[command(flatten)]
    only: Only,
    /// Show at most N
    #[arg(short = 'n', long, value_name = "N", default_value_t = 5)]
    limit: usize,
    /// Only notes written on this day
    #[arg(long, group = "kind")]
    on_this_day: bool,
    /// Only notes about to fade
    #[arg(long, group = "kind")]
    due: bool,
    /// Only notes by chance
    #[arg(long, group = "kind")]
    chance: bool,
    /// What chance is made of, for the same notes again
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, Serialize)]
struct Record {
    path: String,
    title: String,
    #[serde(flatten)]
    reason: Reason,
}

/// Shows them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let keys = &["path", "title", "reason", "years", "retrievability"];
    let env = &args.rows.environment(env, &[keys])?;
    let session = env.open()?;
    let selection = selected(&session, &args.only.with(&args.query))?;
    let view = &selection.view;
    let kinds: &[By] = match (args.on_this_day, args.due, args.chance) {
        (true, ..) => &[By::Day],
        (_, true, _) => &[By::Due],
        (.., true) => &[By::Chance],
        _ => &[By::Day, By::Due, By::Chance],
    };
    let seed = args.seed.unwrap_or(env.seed);
    let mut records = Vec::new();
    for (entry, reason) in resurface(view, &selection.entries, kinds, args.limit, seed)? {
        records.push(Record {
            title: view.details(entry.slot)?.title,
            path: entry.path.to_string(),
            reason,
        });
    }
    let output = &env.output;
    if output.form == Form::Human {
        for record in &records {
            let path = output.place(&record.path);
            output.line(&format!("{path}\t{}", words(record.reason)))?;
        }
    } else {
        output.records("notes", &records)?;
    }
    if records.is_empty() {
        output.say(if args.on_this_day {
            "no note was written on this day"
        } else if args.due && !selection.entries.is_empty() {
            "no note is about to fade; `mem list --sort retrievability` shows how far each one is"
        } else {
            "no matches"
        });
    }
    Ok(Exit::found(!records.is_empty()))
}

fn words(reason: Reason) -> String {
    match reason {
        Reason::OnThisDay { years: 1 } => "a year ago today".to_owned(),
        Reason::OnThisDay { years } => format!("{years} years ago today"),
        Reason::Due { retrievability } => format!("fading: retrievability {retrievability:.2}"),
        Reason::Chance => "by chance".to_owned(),
    }
}

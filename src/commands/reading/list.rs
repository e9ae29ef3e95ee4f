//! `mem list`

use std::ffi::OsStr;
use std::fmt::Write as _;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use serde::Serialize;
use serde_json::{Map, Value};

use super::saved_queries;
use crate::commands::args::query_args::{Only, query_text, selected_and};
use crate::commands::args::row_args::{RowArgs, values_of};
use crate::commands::render::from_here::FromHere;
use crate::commands::render::note_record::NoteRecord;
use crate::error::{Error, Exit};
use crate::output::columns::{Cut, GAP, cut, fill, width, widths};
use crate::output::terminal::Terminal;
use crate::output::{Form, Style, count};
use crate::recall::order::sort;
use crate::recall::query::Query;
use crate::session::Environment;
use crate::signals::fields::{FIELDS, Field, Kind, Number};
use crate::view::{Entry, View};

/// List notes
///
/// Without a query, lists all notes; `mem help query` explains queries. Sorted by a number, shows it beside
/// each note.
///
/// `mem config queries.open 'status:open sort:created'` saves a query: `mem list @open`, `mem search @open tea`.
/// `mem list @` shows those that are saved.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Query for the notes to list
    #[arg(value_parser = query_text())]
    query: Vec<String>,
    #[command(flatten)]
    only: Only,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Sort key [default: path]; `-` before it reverses the order
    #[arg(long, value_name = "KEY", allow_hyphen_values = true, value_parser = SortKey)]
    sort: Option<(&'static Field, bool)>,
    /// Reverse the order
    #[arg(short, long)]
    reverse: bool,
    /// Print only paths, each followed by a NUL, for `xargs -0r`
    #[arg(short = '0', long, conflicts_with_all = ["json", "jsonl", "tsv", "format"])]
    null: bool,
    #[command(flatten)]
    rows: RowArgs,
}

/// No column is cut to less.
const LEAST_COLUMN: usize = 10;

#[derive(Debug, Serialize)]
struct Record {
    total: usize,
    notes: Vec<Listed>,
}

#[derive(Debug, Serialize)]
struct Listed {
    #[serde(flatten)]
    note: NoteRecord,
    /// What it is sorted by, if that is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    /// The same as it is shown.
    #[serde(skip)]
    number: Option<String>,
    /// What `--format` asks for beside them.
    #[serde(flatten)]
    fields: Map<String, Value>,
}

/// Lists them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let (env, fields) = &args
        .rows
        .with_fields(env, &[NoteRecord::KEYS, &["value"]])?;
    let session = env.open()?;
    let output = &env.output;
    if args.query == ["@"] {
        return saved_queries::list(env, &session.settings);
    }
    let read = |view: &View<'_>, query: &Query, entries: &mut Vec<Entry>| {
        let wanted = args.sort.or(query.sort);
        // The notes come in the order of paths.
        let is_reversed = wanted.is_some_and(|(_, is_reversed)| is_reversed);
        if let Some((order, _)) = wanted {
            sort(view, entries, order)?;
        }
        if args.reverse != is_reversed {
            entries.reverse();
        }
        let number = match wanted {
            Some((
                Field {
                    kind: Kind::Number(number),
                    ..
                },
                _,
            )) => Some(*number),
            _ => None,
        };
        let total = entries.len();
        entries.truncate(args.limit.unwrap_or(usize::MAX));
        let mut notes = Vec::new();
        if !args.null {
            for entry in entries.iter() {
                let value = number.map(|number| view.number(entry, number));
                let value = value.transpose()?;
                let places = if number.is_some_and(Number::is_count) {
                    0
                } else {
                    3
                };
                notes.push(Listed {
                    note: NoteRecord::new(entry, view.details(entry.slot)?),
                    number: value.map(|value| format!("{value:.places$}")),
                    value,
                    fields: values_of(view, entry, fields)?,
                });
            }
        }
        Ok((total, notes))
    };
    env.page(&session.settings)?;
    let (selection, (total, notes)) = selected_and(&session, &args.only.with(&args.query), read)?;
    if args.null {
        let from_here = FromHere::new(&session.vault);
        for entry in &selection.entries {
            from_here.write_null(output, &entry.path)?;
        }
    } else {
        show(env, &selection.entries, &Record { total, notes })?;
    }
    if total == 0 {
        output.say(if args.query.is_empty() && args.only.query().is_empty() {
            "the vault has no notes"
        } else {
            "no matches"
        });
    }
    Ok(Exit::found(total > 0))
}

/// Takes the sort keys of the table of fields, each also with a `-` before it: reversed.
#[derive(Clone, Copy, Debug)]
struct SortKey;

impl SortKey {
    fn keys() -> PossibleValuesParser {
        let keys = FIELDS.iter().filter_map(|field| {
            let key = PossibleValue::new(field.name).help(field.sort?);
            Some(key.aliases(field.aliases))
        });
        PossibleValuesParser::new(keys)
    }
}

impl TypedValueParser for SortKey {
    type Value = (&'static Field, bool);

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let typed = value.to_str().unwrap_or_default();
        let (key, is_reversed) = match typed.strip_prefix('-') {
            Some(key) => (key, true),
            None => (typed, false),
        };
        match Field::sorting(key) {
            Some(field) => Ok((field, is_reversed)),
            None => Err(Self::keys()
                .parse_ref(command, argument, value)
                .err()
                .unwrap_or_else(|| clap::Error::new(ErrorKind::InvalidValue))),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<PossibleValue> = Self::keys().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

fn show(env: &Environment, entries: &[Entry], record: &Record) -> Result<(), Error> {
    let output = &env.output;
    match output.form {
        Form::Json => output.record(record)?,
        Form::JsonLines => {
            for note in &record.notes {
                output.record(note)?;
            }
        }
        Form::Human if output.stdout_is_terminal => {
            columns(env, entries, &record.notes)?;
            if entries.len() < record.total {
                let total = count(record.total, "note");
                output.say(&format!("{} of {total}; `-n N` shows more", entries.len()));
            }
        }
        Form::Human => {
            for Listed { note, number, .. } in &record.notes {
                let mut line = output.place(note.path.as_str());
                if let Some(number) = number {
                    let _ = write!(line, "\t{number}");
                }
                if let Some(title) = note.own_title() {
                    let _ = write!(line, "\t{}", output.clean(title));
                }
                output.line(&line)?;
            }
        }
    }
    Ok(())
}

/// Writes path, number, title and day of creation of each note below each other, cut to the terminal.
fn columns(env: &Environment, entries: &[Entry], notes: &[Listed]) -> Result<(), Error> {
    let output = &env.output;
    let lines: Vec<[String; 4]> = entries
        .iter()
        .zip(notes)
        .map(|(entry, Listed { note, number, .. })| {
            let title = Some(&note.title).filter(|title| *title != entry.path.stem());
            [
                output.clean(note.path.as_str()),
                number.clone().unwrap_or_default(),
                title.map_or_else(String::new, |title| output.clean(title)),
                note.created
                    .map_or_else(String::new, |at| env.local_day(at)),
            ]
        })
        .collect();
    let widest = |column: usize| lines.iter().map(|line| width(&line[column])).max();
    let [screen, _] = Terminal::size();
    let texts = [0, 1, 2, 3].map(|column| widest(column).unwrap_or(0));
    let widths = widths(texts, screen, LEAST_COLUMN);
    for ([path, value, title, day], Listed { note, .. }) in lines.iter().zip(notes) {
        let path = cut(path, widths[0], Cut::Begin);
        let title = cut(title, widths[2], Cut::End);
        let mut line = output.place_as(note.path.as_str(), &path);
        line.push_str(&fill(&path, widths[0]));
        for (column, text) in [(1, value), (2, &title)] {
            if widths[column] > 0 {
                let _ = write!(line, "{GAP}{text}{}", fill(text, widths[column]));
            }
        }
        let _ = write!(line, "{GAP}{}", output.paint(Style::Faint, day));
        output.line(line.trim_end())?;
    }
    Ok(())
}

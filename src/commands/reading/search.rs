//! `mem search`

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::commands::args::query_args::QueryArgs;
use crate::commands::args::row_args::{RowArgs, values_of};
use crate::commands::args::touch::Touch;
use crate::commands::render::from_here::FromHere;
use crate::commands::render::hit_record::{HitRecord, explanation, highlighted};
use crate::commands::render::note_record::NoteRecord;
use crate::error::{Error, Exit};
use crate::journal::events::Kind;
use crate::output::columns::{Cut, cut, width};
use crate::output::lines::Line;
use crate::output::terminal::Terminal;
use crate::output::{Form, Output, Style, count};
use crate::recall::mode::Mode;
use crate::recall::{Hit, Results, SearchOptions};
use crate::session::{Environment, Session};
use crate::signals::fields::Field;

/// Search notes by words and meaning
///
/// Matches all words in any form or case; notes that say it in other words follow under `by meaning:`.
/// A word that no note has is taken for the nearest spelling that notes have. Beside words, a query takes
/// phrases, tags, fields and more: `mem help query` explains them. Phrases, `word*` and fields must match
/// exactly; meaning then only affects the order.
///
/// Exits with 1 if nothing was found.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    query: QueryArgs,
    #[command(flatten)]
    touch: Touch,
    /// Show at most N notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Explain each score
    #[arg(long, conflicts_with_all = ["null", "vimgrep"])]
    explain: bool,
    /// Print only paths, each followed by a NUL, for `xargs -0r`
    #[arg(short = '0', long, conflicts_with_all = ["json", "jsonl", "tsv", "format", "vimgrep"])]
    null: bool,
    /// Print `path:line:column:text` lines for editors
    #[arg(long, conflicts_with_all = ["json", "jsonl", "tsv", "format"])]
    vimgrep: bool,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, Serialize)]
struct Record<'q> {
    query: &'q str,
    /// `hybrid`, `lexical` or `semantic`: what the answer comes from.
    mode: Mode,
    total: usize,
    /// True if notes with only some of the words are among the hits.
    relaxed: bool,
    /// Words that no note has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
    /// What was searched for instead of them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    respelled: BTreeMap<String, String>,
    hits: Vec<HitRecord>,
}

/// Searches.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let (env, fields) = &args
        .rows
        .with_fields(env, &[NoteRecord::KEYS, HitRecord::KEYS])?;
    let session = args.touch.open(env)?;
    let output = &env.output;
    let options = SearchOptions {
        limit: args.limit,
        snippet_width: snippet_width(output),
        ..SearchOptions::default()
    };
    let Results {
        hits,
        mode,
        total,
        relaxed,
        unknown,
        respelled,
        asks,
        ..
    } = args.query.search(&session, &options)?;
    session.note_use(Kind::Listed, hits.iter().map(|hit| &hit.entry.path));
    let found = !hits.is_empty();
    if found && relaxed && mode == Mode::Lexical && output.form == Form::Human {
        output.say("few notes have all of these words; also showing notes with some of them");
    }
    let from_here = FromHere::new(&session.vault);
    env.page(&session.settings)?;
    match output.form {
        _ if args.null => {
            for hit in &hits {
                from_here.write_null(output, &hit.entry.path)?;
            }
        }
        _ if args.vimgrep => vimgrep(output, &from_here, &hits)?,
        Form::Human => {
            let is_by_meaning = |hit: &&Hit| mode == Mode::Hybrid && hit.is_by_meaning();
            let (by_meaning, by_words): (Vec<_>, Vec<_>) = hits.iter().partition(is_by_meaning);
            let headed = (!by_meaning.is_empty()).then_some("by meaning:");
            for (head, hits) in [(None, by_words), (headed, by_meaning)] {
                if let Some(head) = head {
                    output.line(&output.paint(Style::Faint, head))?;
                }
                for hit in hits {
                    show(output, hit)?;
                    if args.explain {
                        output.write_wrapped(&format!("  {}", explanation(hit)).into())?;
                    }
                }
            }
            if output.stdout_is_terminal && (1..total).contains(&hits.len()) {
                // Some word of a question nearly every note has.
                let shown = if asks {
                    count(hits.len(), "note")
                } else {
                    format!("{} of {}", hits.len(), count(total, "note"))
                };
                output.say(&format!("{shown}; `-n N` shows more"));
            }
        }
        Form::Json => {
            let hits = hits
                .into_iter()
                .map(|hit| HitRecord::new(hit, args.explain));
            output.record(&Record {
                query: &args.query.text(),
                mode,
                total,
                relaxed,
                unknown,
                respelled: respelled
                    .into_iter()
                    .map(|word| (word.typed, word.meant))
                    .collect(),
                hits: hits.collect(),
            })?;
        }
        Form::JsonLines => {
            let values = values_of_hits(&session, &hits, fields)?;
            for (hit, fields) in hits.into_iter().zip(values) {
                let mut record = HitRecord::new(hit, args.explain);
                record.fields = fields;
                output.record(&record)?;
            }
        }
    }
    Ok(Exit::found(found))
}

/// Returns the values of `fields` of each hit.
fn values_of_hits(
    session: &Session,
    hits: &[Hit],
    fields: &[&'static Field],
) -> Result<Vec<Map<String, Value>>, Error> {
    if fields.is_empty() {
        return Ok(vec![Map::new(); hits.len()]);
    }
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    let values = hits.iter().map(|hit| {
        let now = view.at(&hit.entry.path)?;
        values_of(&view, now.as_ref().unwrap_or(&hit.entry), fields)
    });
    Ok(values.collect::<Result<Vec<_>, _>>()?)
}

/// A snippet takes at most two rows of a terminal.
fn snippet_width(output: &Output) -> usize {
    let width = SearchOptions::default().snippet_width;
    if output.form != Form::Human || !output.stdout_is_terminal {
        return width;
    }
    let [columns, _] = Terminal::size();
    (2 * columns.saturating_sub(SNIPPET_BLANKS)).clamp(40, width)
}

/// What blanks at its begin, marks of a cut and words that do not fit at the end of a row take of a row.
const SNIPPET_BLANKS: usize = 8;

/// No title or heading is cut to less; it is left out.
const LEAST_OF_HEAD: usize = 8;

fn show(output: &Output, hit: &Hit) -> Result<(), Error> {
    let path = hit.entry.path.as_str();
    let (place, mut taken) = match &hit.excerpt.snippet {
        Some(snippet) => {
            let line = snippet.line.to_string();
            (
                output.place_at(path, snippet.line),
                width(path) + 1 + width(&line),
            )
        }
        None => (output.place(path), width(path)),
    };
    let title = Some(&hit.details.title).filter(|title| *title != hit.entry.path.stem());
    let heading = Some(&hit.excerpt.heading).filter(|heading| !heading.is_empty());
    let mut head = place;
    for (sign, text) in [("  ", title), (" > ", heading)] {
        let Some(text) = text else { continue };
        let mut text = output.clean(text);
        if output.stdout_is_terminal {
            let [columns, _] = Terminal::size();
            let room = columns.saturating_sub(taken + sign.len());
            if room < LEAST_OF_HEAD && width(&text) > room {
                break;
            }
            text = cut(&text, room, Cut::End);
        }
        taken += sign.len() + width(&text);
        if !text.is_empty() {
            head.push_str(sign);
            head.push_str(&output.paint(Style::Title, &text));
        }
    }
    output.line(&head)?;
    if let Some(snippet) = &hit.excerpt.snippet {
        output.write_wrapped(&Line::of(None, "  ").join(highlighted(snippet)))?;
    }
    Ok(())
}

fn vimgrep(output: &Output, from_here: &FromHere<'_>, hits: &[Hit]) -> Result<(), Error> {
    for hit in hits {
        let path = from_here.path(&hit.entry.path);
        let path = output.clean(&path.to_string_lossy());
        match &hit.excerpt.snippet {
            Some(snippet) => output.line(&format!(
                "{path}:{}:{}:{}",
                snippet.line,
                snippet.column + 1,
                output.clean(&snippet.text)
            ))?,
            None => output.line(&format!("{path}:1:1:{}", output.clean(&hit.details.title)))?,
        }
    }
    Ok(())
}

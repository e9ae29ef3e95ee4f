//! `mem search`

use std::collections::HashSet;

use clap::builder::{OsStringValueParser, TypedValueParser};
use serde::Serialize;

use super::note_record::NoteRecord;
use crate::cache::freshness::changed_since;
use crate::cache::{Cache, CacheError};
use crate::error::{Error, Exit};
use crate::invocation::{Invocation, Workplace};
use crate::output::{Form, Output, Style};
use crate::recall::query::{Hint, Query, State};
use crate::recall::snippet::Snippet;
use crate::recall::{self, Hit, Results, SearchOptions};
use crate::view::View;

/// Find notes by their words
///
/// All words are looked for, whatever their form or case; notes with only some of them follow when
/// that finds too little. Also understood: `"a phrase"`, `word*`, `-without`, `this OR that`,
/// parentheses, and the fields `title: tag: type: space: tier: path: link: linked-from: created:
/// after: before: length: degree: is: has:` and any property, like `status:draft`.
///
/// Examples: `mem search green tea`, `mem search '"port 8080" tag:work'`,
/// `mem search postgres 'created:>2026-01'`. Exit code 1 says that nothing was found.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to look for
    #[arg(required = true, value_parser = query_text())]
    query: Vec<String>,
    /// Show at most so many notes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    limit: usize,
    /// Only the paths, each followed by a NUL, for `xargs -0`
    #[arg(short = '0', long, conflicts_with_all = ["json", "jsonl", "vimgrep"])]
    null: bool,
    /// Lines like `path:line:column:text`, for editors
    #[arg(long, conflicts_with_all = ["json", "jsonl"])]
    vimgrep: bool,
}

#[derive(Debug, Serialize)]
struct Record<'q> {
    query: &'q str,
    total: usize,
    /// True if notes with only some of the words are among the hits.
    relaxed: bool,
    hits: Vec<HitRecord>,
}

#[derive(Debug, Serialize)]
struct HitRecord {
    #[serde(flatten)]
    note: NoteRecord,
    score: f32,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
}

/// Searches.
pub fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Error> {
    let place = invocation.workplace()?;
    let text = args.query.join(" ");
    let output = &invocation.output;
    let (query, results) = fresh_results(invocation, &place, &text, args.limit)?;
    show_hints(output, &query);
    let Results {
        hits,
        total,
        relaxed,
        ..
    } = results;
    let found = !hits.is_empty();
    if found {
        if relaxed && output.form == Form::Human {
            output.say("few notes have all of these words; notes with some of them follow");
        }
    } else {
        output.say(&why_nothing(&query, results.without_filters));
    }
    match output.form {
        _ if args.null => {
            for hit in &hits {
                output.raw(hit.entry.path.as_str().as_bytes())?;
                output.raw(b"\0")?;
            }
        }
        _ if args.vimgrep => vimgrep(output, &hits)?,
        Form::Human => {
            for hit in &hits {
                show(output, hit)?;
            }
        }
        Form::Json => {
            let hits = hits.into_iter().map(record).collect();
            output.record(&Record {
                query: &text,
                total,
                relaxed,
                hits,
            })?;
        }
        Form::JsonLines => {
            for hit in hits {
                output.record(&record(hit))?;
            }
        }
    }
    Ok(Exit::found(found))
}

/// Takes the words of a query as they come: bytes that are no text are looked for in vain.
pub(super) fn query_text() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|text| text.to_string_lossy().into_owned())
}

/// Searches until every hit is the note as it is now: a hit that was saved in place since it was
/// indexed is taken in and the search done again.
fn fresh_results(
    invocation: &Invocation,
    place: &Workplace,
    text: &str,
    limit: usize,
) -> Result<(Query, Results), Error> {
    let mut cache = invocation.fresh_cache(place)?;
    let options = SearchOptions {
        limit,
        ..SearchOptions::default()
    };
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = View::new(&place.vault, cache.read()?, invocation.now.clone());
        let query = recall::read_query(&view, text)?;
        let results = recall::search(&view, &cache.text, &query, &options)?;
        let slots = results.hits.iter().map(|hit| hit.entry.slot);
        let changed = changed_since(&place.vault, view.reading(), slots)?;
        Ok((query, results, changed))
    };
    // Somebody may save without end; the last answer is good enough then.
    let mut patience = 3;
    loop {
        let ((query, results, changed), asked) = invocation.ask(place, cache, ask)?;
        if changed.is_empty() || invocation.no_sync || patience == 0 {
            return Ok((query, results));
        }
        cache = invocation.take_in(place, asked, &changed)?;
        patience -= 1;
    }
}

/// Says what in the query was probably meant otherwise.
pub(super) fn show_hints(output: &Output, query: &Query) {
    // A thousand open parentheses are one slip.
    let mut said = HashSet::new();
    for words in query.hints.iter().map(hint_words) {
        if !said.contains(&words) {
            output.hint(&words);
            said.insert(words);
        }
    }
}

fn hint_words(hint: &Hint) -> String {
    let states = || {
        let names: Vec<&str> = State::ALL.iter().map(|state| state.name()).collect();
        names.join(", ")
    };
    match hint {
        Hint::UnclosedQuote => "a `\"` has no end".to_owned(),
        Hint::UnclosedGroup => "a `(` has no end".to_owned(),
        Hint::TooDeep => "the parentheses are nested too deeply".to_owned(),
        Hint::StrayOperator(word) => format!("`{word}` joins nothing here and is taken as a word"),
        Hint::BadDate { field, value } => format!(
            "`{field}:` wants a date or an age like 2026-05, yesterday or <30d; `{value}` is taken as words"
        ),
        Hint::BadNumber { field, value } => {
            format!("`{field}:` wants a number; `{value}` is taken as words")
        }
        Hint::UnknownState(word) => {
            format!(
                "`is:{word}` is no state and taken as words; there are {}",
                states()
            )
        }
        Hint::UnknownTier(word) => format!(
            "`tier:{word}` is no tier and taken as words; there are core, working, archival, forgotten"
        ),
        Hint::UnknownProperty(name) => {
            format!("no note has a property `{name}`; it is taken as words")
        }
    }
}

fn why_nothing(query: &Query, without_filters: usize) -> String {
    if !query.asks_for_text() {
        return "no note matches".to_owned();
    }
    match without_filters {
        0 => "no note has any of these words".to_owned(),
        1 => "1 note has these words, but the other conditions leave it out".to_owned(),
        many => format!("{many} notes have these words, but the other conditions leave them out"),
    }
}

fn show(output: &Output, hit: &Hit) -> Result<(), Error> {
    let mut head = output.paint(Style::Place, hit.entry.path.as_str());
    if hit.details.title != hit.entry.path.stem() {
        head.push_str("  ");
        head.push_str(&output.paint(Style::Title, &hit.details.title));
    }
    output.line(&head)?;
    if let Some(snippet) = &hit.snippet {
        output.line(&format!("  {}", highlighted(output, snippet)))?;
    }
    Ok(())
}

fn highlighted(output: &Output, snippet: &Snippet) -> String {
    let mut text = String::new();
    let mut at = 0;
    for range in &snippet.highlights {
        text.push_str(&output.clean(&snippet.text[at..range.start]));
        text.push_str(&output.paint(Style::Match, &snippet.text[range.clone()]));
        at = range.end;
    }
    text.push_str(&output.clean(&snippet.text[at..]));
    text
}

fn vimgrep(output: &Output, hits: &[Hit]) -> Result<(), Error> {
    for hit in hits {
        let path = output.clean(hit.entry.path.as_str());
        match &hit.snippet {
            Some(snippet) => output.line(&format!(
                "{path}:{}:1:{}",
                snippet.line,
                output.clean(&snippet.text)
            ))?,
            None => output.line(&format!("{path}:1:1:{}", output.clean(&hit.details.title)))?,
        }
    }
    Ok(())
}

fn record(hit: Hit) -> HitRecord {
    let (line, snippet) = match hit.snippet {
        Some(snippet) => (Some(snippet.line), Some(snippet.text)),
        None => (None, None),
    };
    HitRecord {
        note: NoteRecord::new(&hit.entry, hit.details),
        score: hit.score,
        line,
        snippet,
    }
}

//! What `search` and `recall` have in common: a question, and its answer from a vault as it is now.

use std::cell::OnceCell;
use std::collections::HashSet;

use clap::builder::{OsStringValueParser, TypedValueParser};
use serde::Serialize;

use super::note_record::NoteRecord;
use crate::cache::freshness::changed_since;
use crate::cache::{Cache, CacheError};
use crate::error::Error;
use crate::output::{Output, Style};
use crate::recall::meaning::Meaning;
use crate::recall::query::{Hint, Query, State};
use crate::recall::ranking::Mode;
use crate::recall::snippet::Snippet;
use crate::recall::{self, Hit, Results, SearchOptions};
use crate::session::Session;
use crate::view::View;

/// A question.
#[derive(Debug, clap::Args)]
pub(super) struct Asking {
    /// What to look for
    #[arg(required = true, value_parser = query_text())]
    query: Vec<String>,
    /// Go by words and meaning, by words alone or by meaning alone
    #[arg(long, value_enum, default_value_t)]
    mode: By,
    /// Only notes whose cosine to the query is at least this
    #[arg(long, value_name = "COSINE", allow_negative_numbers = true)]
    min_cosine: Option<f32>,
}

/// [`Mode`] on the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum By {
    /// Words and meaning
    #[default]
    Hybrid,
    /// Words alone
    Lexical,
    /// Meaning alone
    Semantic,
}

impl From<By> for Mode {
    fn from(by: By) -> Self {
        match by {
            By::Hybrid => Self::Hybrid,
            By::Lexical => Self::Lexical,
            By::Semantic => Self::Semantic,
        }
    }
}

/// A question, as it was read, and its answer.
pub(super) struct Answer {
    pub(super) query: Query,
    pub(super) results: Results,
}

/// Takes the words of a query as they come: bytes that are no text are looked for in vain.
pub(super) fn query_text() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|text| text.to_string_lossy().into_owned())
}

impl Asking {
    /// Returns the question as it was typed.
    pub(super) fn text(&self) -> String {
        self.query.join(" ")
    }

    /// Asks until every hit is the note as it is now: a hit that was saved in place since it was
    /// indexed is taken in and the question asked again.
    pub(super) fn ask(
        &self,
        session: &Session,
        limit: usize,
        wants_successors: bool,
    ) -> Result<Answer, Error> {
        let text = self.text();
        let options = SearchOptions {
            mode: self.mode.into(),
            limit,
            min_cosine: self.min_cosine,
            wants_successors,
            ..SearchOptions::default()
        };
        let by_meaning = self.mode != By::Lexical;
        let mut cache = session.fresh_cache()?;
        if by_meaning {
            cache = session.embed_at_once(cache)?;
        }
        let meant = OnceCell::new();
        let told: OnceCell<()> = OnceCell::new();
        let ask = |cache: &Cache| -> Result<_, CacheError> {
            let view = View::new(&session.vault, cache.read()?, session.env.now.clone());
            let query = recall::read_query(&view, &text)?;
            let wants_meaning = by_meaning && query.asks_for_text();
            let vectors = match session.embedder() {
                Some(embedder) if wants_meaning => {
                    cache.vectors_of(&view.reading().meta()?, &embedder.model().id)?
                }
                _ => None,
            };
            if let (true, None, Some(embedder)) = (wants_meaning, &vectors, session.embedder())
                && view.reading().meta()?.notes > 0
            {
                told.get_or_init(|| {
                    let model = &embedder.model().id;
                    session.env.output.say(&format!(
                        "searching by words alone: no note has vectors of `{model}` yet; \
                         `mem index` makes them"
                    ));
                });
            }
            let graph = vectors
                .as_ref()
                .and_then(|vectors| session.graph(cache, vectors));
            let meaning = vectors.as_ref().and_then(|vectors| {
                let meant = meant.get_or_init(|| session.meaning(&query.words(), vectors.dims()));
                Some(Meaning {
                    vectors,
                    graph: graph.as_ref(),
                    query: meant.as_deref()?,
                    embedder: session.embedder()?,
                })
            });
            let results = recall::search(&view, &cache.text, &query, meaning.as_ref(), &options)?;
            let slots = results.hits.iter().map(|hit| hit.entry.slot);
            let changed = changed_since(&session.vault, view.reading(), slots)?;
            Ok((query, results, changed))
        };
        // Somebody may save without end; the last answer is good enough then.
        let mut patience = 3;
        loop {
            let ((query, results, changed), asked) = session.ask(cache, ask)?;
            if changed.is_empty() || session.env.no_sync || patience == 0 {
                return Ok(Answer { query, results });
            }
            cache = session.take_in(asked, &changed)?;
            patience -= 1;
        }
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

/// Says why there is no hit.
pub(super) fn say_what_was_not_found(output: &Output, query: &Query, results: &Results) {
    output.say(&why_nothing(query, results));
}

fn why_nothing(query: &Query, results: &Results) -> String {
    if !query.asks_for_text() {
        return "no note matches".to_owned();
    }
    match (results.without_filters, results.mode) {
        (0, Mode::Lexical) => "no note has any of these words".to_owned(),
        (0, _) => "no note has any of these words or means something like them".to_owned(),
        (1, _) => "1 note has these words, but the other conditions leave it out".to_owned(),
        (many, _) => {
            format!("{many} notes have these words, but the other conditions leave them out")
        }
    }
}

/// A hit as every command that asks writes it.
#[derive(Debug, Serialize)]
pub(super) struct HitRecord {
    #[serde(flatten)]
    note: NoteRecord,
    score: f32,
    /// Between the question and the nearest passage; null if nothing was compared.
    cosine: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<ExplainRecord>,
    #[serde(skip_serializing_if = "String::is_empty")]
    heading: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
}

/// `score = (words + meaning + context) × standing`.
#[derive(Debug, Serialize)]
struct ExplainRecord {
    words: f32,
    meaning: f32,
    context: f32,
    standing: f32,
}

pub(super) fn hit_record(hit: Hit, explain: bool) -> HitRecord {
    let (line, snippet) = match hit.snippet {
        Some(snippet) => (Some(snippet.line), Some(snippet.text)),
        None => (None, None),
    };
    HitRecord {
        note: NoteRecord::new(&hit.entry, hit.details),
        score: hit.score.total(),
        cosine: hit.cosine,
        explain: explain.then_some(ExplainRecord {
            words: hit.score.words,
            meaning: hit.score.meaning,
            context: hit.score.context,
            standing: hit.score.standing,
        }),
        heading: hit.heading,
        line,
        snippet,
    }
}

/// Returns a snippet with what was found set off.
pub(super) fn highlighted(output: &Output, snippet: &Snippet) -> String {
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

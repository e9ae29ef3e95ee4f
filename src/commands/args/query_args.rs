//! Arguments for queries, and the hints about them.

use clap::builder::OsStringValueParser;

use super::choice::choice;
use crate::commands::prelude::*;
use crate::recall::Results;
use crate::recall::no_results::NoResults;
use crate::recall::query::{self, Hint, Query};
use crate::recall::spelling::Respelling;
use crate::recall::unknown::unknown_names;
use crate::session::search::SearchAnswer;

/// The query of `search` and `recall`.
#[derive(Debug, clap::Args)]
pub(crate) struct QueryArgs {
    /// Search query
    #[arg(required = true, value_parser = query_text())]
    query: Vec<String>,
    /// Rank by words and meaning, by words alone or by meaning alone
    #[arg(long, default_value = "hybrid", value_parser = choice::<Mode>([
        ("hybrid", "Words and meaning"), ("lexical", "Words alone"), ("semantic", "Meaning alone"),
    ]))]
    mode: Mode,
    /// Minimum cosine of a note to the query
    #[arg(long, value_name = "COSINE", allow_negative_numbers = true, value_parser = number_in(-1.0_f32..=1.0))]
    min_cosine: Option<f32>,
    /// Current space (project); notes of other spaces rank lower
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,
    #[command(flatten)]
    only: NoteFilter,
}

/// Conditions as flags, which a query can contain as well.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct NoteFilter {
    /// Only notes with this tag or one below it; if repeated, with all of them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Only notes of this type; if repeated, of any of them
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Only notes in this folder of the vault or below it; if repeated, in any of them
    #[arg(long = "in", value_name = "FOLDER")]
    folders: Vec<String>,
}

impl NoteFilter {
    /// Returns the conditions as a query.
    pub(crate) fn query(&self) -> String {
        let any = |field: &str, values: &[String]| {
            let values = values.iter();
            let terms: Vec<String> = values.map(|value| condition(field, value)).collect();
            (!terms.is_empty()).then(|| format!("({})", terms.join(" OR ")))
        };
        let tags = self.tags.iter().map(|tag| condition("tag", tag));
        let any = [any("type", &self.types), any("in", &self.folders)];
        let terms: Vec<String> = tags.chain(any.into_iter().flatten()).collect();
        terms.join(" ")
    }

    /// Adds the conditions to the words of a query.
    pub(crate) fn with(&self, words: &[String]) -> Vec<String> {
        let mut words = words.to_vec();
        // Parentheses keep an `OR` of the query apart from the conditions.
        if !self.query().is_empty() && !words.is_empty() {
            words = vec![format!("({} )", words.join(" "))];
        }
        words.extend(Some(self.query()).filter(|query| !query.is_empty()));
        words
    }
}

fn condition(field: &str, value: &str) -> String {
    // Quoted values accept any characters, but not an empty text.
    let plain = value.replace('"', "");
    let value = if plain.trim().is_empty() { "/" } else { &plain };
    format!("{field}:\"{value}\"")
}

/// Parses the words of a query; invalid UTF-8 becomes replacement characters, which match nothing.
pub(crate) fn query_text() -> impl TypedValueParser<Value = String> {
    OsStringValueParser::new().map(|text| text.to_string_lossy().into_owned())
}

impl QueryArgs {
    /// Returns the query as typed.
    pub(crate) fn text(&self) -> String {
        self.query.join(" ")
    }

    /// Searches the vault; prints hints about probable mistakes and why nothing was found.
    pub(crate) fn search(
        &self,
        session: &Session,
        options: &SearchOptions,
    ) -> Result<SearchAnswer> {
        let options = SearchOptions {
            mode: self.mode,
            min_cosine: self.min_cosine,
            only: self.restrictions(),
            // `search` has no default space, `recall` has.
            space: session.space(self.space.as_deref(), options.learned.is_some()),
            ..options.clone()
        };
        let space = self.space.as_deref().map(str::trim);
        if let Some(name) = space.filter(|name| !name.is_empty()) {
            let meant = format!("space:\"{}\"", name.replace('"', ""));
            if session.select(&meant)?.entries.is_empty() {
                session
                    .env
                    .output
                    .say(&format!("no note has the space `{name}`; it has no effect"));
            }
        }
        let SearchAnswer { query, mut results } = session.search(&self.text(), &options)?;
        let output = &session.env.output;
        let is_named = results.hits.first().is_some_and(|hit| hit.is_named);
        if !is_named && query.is_misread() {
            return Err(misread(&query));
        }
        print_hints(output, &query);
        for respelling in &results.respelled {
            let Respelling { typed, meant, .. } = respelling;
            let notes = count(respelling.notes, "note");
            output.say(&format!(
                "showing `{meant}` ({notes}); no note contains `{typed}`"
            ));
        }
        // With a limit of 0 no hits are wanted, so the lack of hits needs no reason.
        if results.hits.is_empty()
            && options.limit > 0
            && results.hidden.iter().all(|number| *number == 0)
        {
            output.say(&no_hits_reason(&query, &results));
            if !query.names().is_empty() {
                let cache = session.cache()?;
                print_unknown_names(output, &session.view(&cache)?, &query)?;
            }
        }
        // The reply names the unknown words of its hits.
        if is_named || !query.hints.is_empty() {
            results.unknown.clear();
        }
        if results.excluded > 0 {
            let notes = count(results.excluded, "note");
            output.say(
                &if self.text().split_whitespace().any(|word| word == "NOT") {
                    format!("`NOT` excluded {notes}")
                } else {
                    format!("`-` excluded {notes}; quote names that contain `-`")
                },
            );
        }
        Ok(SearchAnswer { query, results })
    }

    /// Returns the flags that restrict the results, as a query.
    pub(crate) fn restrictions(&self) -> String {
        self.only.query()
    }
}

/// Returns the note with this name or path, or else the notes of [`selected`].
pub(crate) fn named_or_selected<'s>(
    session: &'s Session,
    words: &[String],
) -> Result<Selection<'s>> {
    let name = words.join(" ");
    let file = session.env.start.join(&name);
    let one = session.fresh_cache()?;
    let view = session.view(&one)?;
    let mut entries = Vec::new();
    if !words.is_empty() {
        entries.extend(view.at_file(&file)?);
        if entries.is_empty() {
            entries = view.named_exactly(&name)?;
        }
    }
    if entries.is_empty() {
        drop(view);
        drop(one);
        return selected(session, words);
    }
    let query = query::parse("", &view.now);
    Ok(Selection {
        query,
        entries,
        view,
        cache: one,
    })
}

/// Returns all notes that match a query, or all notes without one; prints hints about probable
/// mistakes.
pub(crate) fn selected<'s>(session: &'s Session, words: &[String]) -> Result<Selection<'s>> {
    Ok(select_with(session, words, |_, _, _| Ok(()))?.0)
}

/// Like [`selected`], and calls `read` with the matching notes, which it may sort.
pub(crate) fn select_with<'s, T>(
    session: &'s Session,
    words: &[String],
    read: impl Fn(&View<'_>, &Query, &mut Vec<Entry>) -> Result<T, CacheError>,
) -> Result<(Selection<'s>, T)> {
    let (selection, read) = session.select_and(&words.join(" "), read)?;
    // A misread condition must not select other notes than intended.
    if selection.query.hints.iter().any(Hint::is_misread) {
        return Err(misread(&selection.query));
    }
    print_hints(&session.env.output, &selection.query);
    if selection.entries.is_empty() {
        print_unknown_names(&session.env.output, &selection.view, &selection.query)?;
    }
    Ok((selection, read))
}

/// The error for invalid conditions of a query.
fn misread(query: &Query) -> Error {
    let misread_hints = query.hints.iter().filter(|hint| hint.is_misread());
    let wrong: Vec<String> = misread_hints.map(ToString::to_string).collect();
    Error::new(wrong.join("; "))
        .hint("`mem help query` lists the conditions; put words that look like one in quotes")
}

/// Prints hints about tags, folders and notes in the query that do not exist.
fn print_unknown_names(output: &Output, view: &View<'_>, query: &Query) -> Result<()> {
    for hint in unknown_names(view, query)? {
        output.hint(&hint_words(&hint));
    }
    Ok(())
}

/// Prints hints about probable mistakes in the query.
fn print_hints(output: &Output, query: &Query) {
    // A thousand open parentheses give one hint.
    let mut shown = HashSet::new();
    for words in query.hints.iter().map(hint_words) {
        if !shown.contains(&words) {
            output.hint(&words);
            shown.insert(words);
        }
    }
}

fn hint_words(hint: &Hint) -> String {
    let problem = hint.to_string();
    match hint {
        Hint::UnclosedQuote | Hint::UnclosedGroup | Hint::TooDeep | Hint::UnknownName { .. } => {
            problem
        }
        Hint::StrayOperator(_) | Hint::NoValue { .. } => {
            format!("{problem}; searching for it as a word")
        }
        Hint::BadDate { value, .. } | Hint::BadNumber { value, .. } => {
            format!("{problem}; searching for `{value}` as words")
        }
        Hint::UnknownProperty { .. }
        | Hint::UnknownSort(_)
        | Hint::UnknownQuery { .. }
        | Hint::EndlessQuery(_) => {
            let words = "searching for it as words";
            if problem.ends_with('?') {
                format!("{words}: {problem}")
            } else {
                format!("{problem}; {words}")
            }
        }
        Hint::UnknownState(word) => format!("{problem}; searching for `is:{word}` as words"),
        Hint::UnknownTier(word) => format!("{problem}; searching for `tier:{word}` as words"),
    }
}

/// Returns the reason for an empty result.
fn no_hits_reason(query: &Query, results: &Results) -> String {
    if !query.has_text() {
        return "no matches".to_owned();
    }
    let unknown = match results.unknown.as_slice() {
        [] => String::new(),
        words => format!(" ({})", unknown_words(words)),
    };
    match results.nothing {
        Some(NoResults::Irrelevant) => {
            return format!("nothing relevant{unknown}; `--all` prints weak matches");
        }
        Some(NoResults::SaysNothing) => {
            return format!("no matches: the query has no meaningful words{unknown}");
        }
        Some(NoResults::LeftOut) => {
            return format!("no matches: the query excludes its own matches with `-`{unknown}");
        }
        None => {}
    }
    let has_conditions = query.members().iter().any(|one| one.clause().is_none());
    match results.without_filters {
        many @ 1.. if !has_conditions && results.excluded == 0 => format!(
            "no matches: {} with these words {} forgotten, expired or upcoming; see `tier:forgotten`, `is:expired`, `is:upcoming`",
            count(many, "note"),
            if many == 1 { "is" } else { "are" },
        ),
        0 if !results.unknown.is_empty() => {
            format!("no matches: {}", unknown_words(&results.unknown))
        }
        0 => "no matches".to_owned(),
        1 => "1 note has these words but fails the other conditions".to_owned(),
        many => format!("{many} notes have these words but fail the other conditions"),
    }
}

/// Returns the sentence that names words that occur in no note.
pub(crate) fn unknown_words(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    format!("no note contains {}", words.join(", "))
}

//! The part of a note that matches a query: a snippet and a passage.

use std::ops::Range;

use super::query::Query;
use super::snippet::{QueryTerms, Snippet, snippet};
use crate::note;
use crate::note::markdown::passages::{PassagePosition, positions};
use crate::note::markdown::rendered_line::render_line;
use crate::note::words::analyzer::Analyzer;
use crate::note::words::language::Language;
use crate::view::{Entry, View};

/// The matching part of a note; empty if its text cannot be read.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// The line that shows why the note matches.
    pub snippet: Option<Snippet>,
    /// The nearest passage, or the one with the snippet, as written in the note.
    pub text: String,
    /// The first line of the passage, and its heading path.
    pub at: (usize, String),
    /// The heading path of the snippet, outermost first; empty before the first heading.
    pub heading: String,
}

/// Extracts excerpts for one query.
pub(super) struct Excerpts<'q> {
    view: &'q View<'q>,
    terms: QueryTerms,
    analyzer: Analyzer,
    width: usize,
}

impl<'q> Excerpts<'q> {
    /// `width` is the width of a snippet in characters.
    pub(super) fn new(
        view: &'q View<'q>,
        query: &Query,
        languages: &[Language],
        width: usize,
    ) -> Self {
        let mut analyzer = Analyzer::of(languages);
        Self {
            view,
            terms: QueryTerms::new(query.expr.patterns(), &mut analyzer),
            analyzer,
            width,
        }
    }

    /// Returns the excerpt of `entry`; `nearest` is the index of its nearest passage.
    pub(super) fn of(&mut self, entry: &Entry, title: &str, nearest: Option<u32>) -> Excerpt {
        // A hit without readable text is still shown.
        let Ok(text) = self.view.text(entry) else {
            return Excerpt::default();
        };
        self.analyzer.set_language(entry.row.flags.language());
        let body = note::front_matter::split::split(&text).body;
        let passages = positions(&text, body.clone());
        let nearest = nearest.and_then(|number| passages.get(number as usize));
        let snippet = self.snippet(&text, body, nearest);
        let heading = snippet
            .as_ref()
            .and_then(|found| passage_at(&text, &passages, found.line))
            .map_or("", |passage| without_title(&passage.heading, title));
        let line = snippet.as_ref().map_or(1, |found| found.line);
        let shown = passage_at(&text, &passages, line);
        let Some(answer) = self.best_passage(&text, nearest, shown) else {
            return Excerpt {
                heading: heading.to_owned(),
                snippet,
                ..Excerpt::default()
            };
        };
        let passage = &text[skip_lines(&text, answer.span.clone(), |line| {
            render_line(line).is_embed()
        })];
        let content = answer.span.end - passage.trim_start().len();
        // Marks at both ends belong to the passage: without them a task or struck text is a fact.
        let marks = |c: char| {
            !c.is_alphanumeric() && c != '\n' || c == 'x' && text[..content].ends_with("[x] ")
        };
        let before = text[..content].trim_end_matches(marks);
        // The number of a list item, too.
        let number = before.trim_end_matches(|c: char| c.is_ascii_digit());
        let indent = number.trim_end_matches([' ', '\t']);
        let is_item = indent.is_empty() || indent.ends_with('\n');
        let start = if is_item { number } else { before }.len();
        let after = &text[answer.span.end..];
        let is_mark = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let end = text.len() - after.trim_start_matches(is_mark).len();
        let passage = &text[start..end];
        let line = text[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;
        Excerpt {
            heading: heading.to_owned(),
            text: passage.trim().to_owned(),
            at: (line, without_title(&answer.heading, title).to_owned()),
            snippet,
        }
    }

    /// Returns the best line of the text; if it has no query term, the best property that has, or the best line of
    /// the nearest passage.
    fn snippet(
        &mut self,
        text: &str,
        body: Range<usize>,
        nearest: Option<&PassagePosition>,
    ) -> Option<Snippet> {
        let head = body.start;
        let found = self.snippet_in(text, body);
        if found.as_ref().is_some_and(|it| self.has_terms(text, it)) {
            return found;
        }
        if let Some(property) = self.property(text, head) {
            return Some(property);
        }
        match nearest {
            Some(nearest) => {
                let is_heading = |line: &str| line.trim_start().starts_with('#');
                let below = skip_lines(text, nearest.span.clone(), is_heading);
                self.snippet_in(text, below).or(found)
            }
            None => found,
        }
    }

    /// Returns the line of the front matter, which ends at `end`, with most query terms, apart from names and tags.
    fn property(&mut self, text: &str, end: usize) -> Option<Snippet> {
        let mut best: Option<(usize, Range<usize>)> = None;
        let (mut start, mut is_shown) = (0, false);
        for line in text[..end].split_inclusive('\n') {
            let span = start..start + line.trim_end().len();
            start += line.len();
            if line.starts_with(char::is_alphanumeric) {
                let key = line.split([':', '=', ' ']).next().unwrap_or_default();
                let names = ["title", "alias", "aliases", "tag", "tags"];
                is_shown = !names.contains(&key.to_lowercase().as_str());
            }
            let terms = self.terms.count(line, &mut self.analyzer);
            let most = best.as_ref().map_or(0, |(most, _)| *most);
            if terms > most && is_shown {
                best = Some((terms, span));
            }
        }
        self.snippet_in(text, best?.1)
    }

    /// Returns whether the line of a snippet has a query term, visible or not.
    fn has_terms(&mut self, text: &str, found: &Snippet) -> bool {
        let line = text.lines().nth(found.line - 1).unwrap_or_default();
        self.terms.count(line, &mut self.analyzer) > 0
    }

    /// Returns the best line of `span`, numbered from 1 in the whole text.
    fn snippet_in(&mut self, text: &str, span: Range<usize>) -> Option<Snippet> {
        // A passage can begin inside Markdown syntax.
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[span.end..]
            .find('\n')
            .map_or(text.len(), |at| span.end + at);
        let mut found = snippet(
            &text[start..end],
            &self.terms,
            self.width,
            &mut self.analyzer,
        )?;
        found.line += text[..start].lines().count() + 1;
        Some(found)
    }

    /// Returns the nearest passage, unless the shown one has more than twice as many query terms.
    fn best_passage<'p>(
        &mut self,
        text: &str,
        nearest: Option<&'p PassagePosition>,
        shown: Option<&'p PassagePosition>,
    ) -> Option<&'p PassagePosition> {
        let mut terms_in = |passage: &PassagePosition| {
            self.terms
                .count(&text[passage.span.clone()], &mut self.analyzer)
        };
        match (nearest, shown) {
            (Some(nearest), Some(shown)) if terms_in(nearest) * 2 < terms_in(shown) => Some(shown),
            (nearest, shown) => nearest.or(shown),
        }
    }
}

/// Returns `span` without leading lines that `is_skipped` accepts, unless nothing remains.
fn skip_lines(text: &str, span: Range<usize>, is_skipped: impl Fn(&str) -> bool) -> Range<usize> {
    let mut start = span.start;
    for line in text[span.clone()].split_inclusive('\n') {
        if !line.trim().is_empty() && !is_skipped(line) {
            return start..span.end;
        }
        start += line.len();
    }
    span
}

/// Returns the passage that contains line number `line`, or the last one before it.
fn passage_at<'p>(
    text: &str,
    passages: &'p [PassagePosition],
    line: usize,
) -> Option<&'p PassagePosition> {
    let lines = text.split_inclusive('\n').take(line).map(str::len);
    let end: usize = lines.sum();
    let before = |passage: &&PassagePosition| passage.span.start < end;
    passages.iter().rev().find(before).or(passages.first())
}

/// Returns a heading path without a first heading that repeats the title.
fn without_title<'h>(heading: &'h str, title: &str) -> &'h str {
    match heading.strip_prefix(title) {
        Some("") => "",
        Some(rest) => rest.strip_prefix(" > ").unwrap_or(heading),
        None => heading,
    }
}

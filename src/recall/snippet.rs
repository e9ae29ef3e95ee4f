//! The line of a note that shows why it matches.
//!
//! `search` and `recall` read the file of each shown hit anyway, so the index stores no text. The analyzer is
//! that of the index: highlights are exactly the matches.

use std::collections::HashSet;
use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use crate::note::markdown::lines::{LineRole, lines_of};
use crate::note::markdown::rendered_line::{LineKind, RenderedLine, render_line};
use crate::note::words::analyzer::{AnalysisPurpose, Analyzer, Pattern};
use crate::note::words::language::Language;

/// Maximum number of window starts per line; more occur only in files without line breaks.
const MAX_WINDOW_STARTS: usize = 200;
/// Maximum shift of a cut to a word boundary, in characters; longer words are cut.
const MAX_CUT_SHIFT: usize = 40;

/// A part of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snippet {
    /// Line of the text from 0; in a hit, line of the file from 1.
    pub line: usize,
    /// The visible text, without Markdown syntax, line breaks and outer spaces.
    #[serde(rename = "snippet")]
    pub text: String,
    /// Byte ranges of matches in the snippet, in order, not touching.
    #[serde(skip)]
    pub highlights: Vec<Range<usize>>,
    /// Byte offset in the source line of the first match, else of the snippet.
    #[serde(skip)]
    pub column: usize,
    /// Whether the line has words before the snippet.
    #[serde(skip)]
    pub is_cut_before: bool,
    /// Whether the line has words after the snippet.
    #[serde(skip)]
    pub is_cut_after: bool,
}

/// The terms of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTerms {
    terms: HashSet<String>,
    prefixes: Vec<String>,
}

impl QueryTerms {
    /// Returns the terms of `patterns`.
    #[must_use]
    pub fn new<'a>(
        patterns: impl IntoIterator<Item = &'a Pattern>,
        analyzer: &mut Analyzer,
    ) -> Self {
        let mut query_terms = Self::default();
        for pattern in patterns {
            let (Pattern::Word(text) | Pattern::Phrase(text) | Pattern::Prefix(text)) = pattern;
            let terms = analyzer.terms(text, AnalysisPurpose::Query);
            for term in &terms {
                query_terms.terms.extend(term.stems().map(str::to_owned));
            }
            if matches!(pattern, Pattern::Prefix(_)) {
                let written = Analyzer::new(Language::NONE).terms(text, AnalysisPurpose::Query);
                query_terms
                    .prefixes
                    .extend(written.into_iter().next_back().map(|term| term.text));
            }
        }
        query_terms
    }

    /// Returns how many distinct query terms occur in `text`.
    pub fn count(&self, text: &str, analyzer: &mut Analyzer) -> usize {
        let mut found = HashSet::new();
        let mut term = String::new();
        let mut scan = analyzer.scan(text, AnalysisPurpose::Index);
        while scan.advance(&mut term).is_some() {
            found.extend(self.find(&term));
        }
        found.len()
    }

    /// Returns the query term that matches `term`.
    fn find(&self, term: &str) -> Option<&str> {
        let prefix = || {
            self.prefixes
                .iter()
                .find(|prefix| term.starts_with(&***prefix))
        };
        self.terms.get(term).or_else(prefix).map(String::as_str)
    }
}

/// A query term in a line.
struct Hit<'a> {
    term: &'a str,
    range: Range<usize>,
}

/// A line that could be shown.
struct Candidate<'a> {
    number: usize,
    line: &'a str,
    /// The rendered line; `None` in code.
    seen: Option<RenderedLine>,
    text: String,
    hits: Vec<Hit<'a>>,
    rank: Rank,
    window: Range<usize>,
}

/// How well a line shows why its note matches, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Number of distinct visible terms close together.
    seen: usize,
    /// Without visible terms: number of terms in invisible text, such as link targets and comments.
    hidden: usize,
    content: LineContent,
}

/// How informative a line is, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum LineContent {
    /// Invisible, or the header of a table.
    Nothing,
    Heading,
    Text,
}

/// Returns at most `width` characters of the line of `text` with the most distinct terms close together.
///
/// Ties go to the first line; headings rank lower, table headers lowest. A line with terms in invisible text
/// only ranks below all lines with visible ones. Without any term, the first informative line is used; `None`
/// for a blank text.
pub fn snippet(
    text: &str,
    query_terms: &QueryTerms,
    width: usize,
    analyzer: &mut Analyzer,
) -> Option<Snippet> {
    let mut best: Option<Candidate<'_>> = None;
    for (number, found) in lines_of(text).into_iter().enumerate() {
        let line = text[found.span.clone()].trim_end_matches(['\r', '\n']);
        let trimmed = line.trim();
        if found.role == LineRole::Fence || trimmed.is_empty() {
            continue;
        }
        // The rendered line cannot have more terms than its source.
        let count = query_terms.count(line, analyzer);
        let most = Rank {
            seen: count,
            hidden: 0,
            content: LineContent::Text,
        };
        if best.as_ref().is_some_and(|best| best.rank >= most) {
            continue;
        }
        let seen = (found.role != LineRole::Code).then(|| render_line(line));
        let text = seen.as_ref().map(RenderedLine::text);
        let is_hidden = text.as_ref().is_some_and(String::is_empty);
        if is_hidden && count == 0 {
            continue;
        }
        // An invisible line is shown as source.
        let seen = seen.filter(|_| !is_hidden);
        let visible_text = text.filter(|_| !is_hidden);
        let text = visible_text.unwrap_or_else(|| trimmed.to_owned());
        let hits = hits(&text, query_terms, analyzer);
        let (shown, window) = best_window(&text, &hits, width);
        let shown = if is_hidden { 0 } else { shown };
        let content = match seen.as_ref().map(|seen| seen.kind) {
            _ if is_hidden => LineContent::Nothing,
            Some(LineKind::Heading(_)) => LineContent::Heading,
            Some(_) if found.role == LineRole::TableHead => LineContent::Nothing,
            _ => LineContent::Text,
        };
        let rank = Rank {
            seen: shown,
            hidden: if shown == 0 { count } else { 0 },
            content,
        };
        if best.as_ref().is_none_or(|best| rank > best.rank) {
            best = Some(Candidate {
                number,
                line,
                seen,
                text,
                hits,
                rank,
                window,
            });
        }
    }
    let Candidate {
        number,
        line,
        seen,
        text,
        hits,
        window,
        rank,
    } = best?;
    let piece = range_around(&text, &window, width);
    let at = match hits.iter().find(|hit| hit.range.start >= piece.start) {
        Some(first) => first.range.start,
        None => piece.start,
    };
    let blanks = line.len() - line.trim_start().len();
    let first_hit = self::hits(line, query_terms, analyzer).into_iter().next();
    let hidden = first_hit
        .filter(|_| rank.hidden > 0)
        .map(|hit| hit.range.start);
    let column = || seen.map_or(blanks + at, |seen| seen.origin(line, at));
    Some(Snippet {
        highlights: highlights(&hits, &piece),
        line: number,
        column: hidden.unwrap_or_else(column),
        is_cut_before: !text[..piece.start].trim().is_empty(),
        is_cut_after: !text[piece.end..].trim().is_empty(),
        text: text[piece].to_owned(),
    })
}

/// Returns the query terms in `text`.
fn hits<'s>(text: &str, query_terms: &'s QueryTerms, analyzer: &mut Analyzer) -> Vec<Hit<'s>> {
    let mut hits = Vec::new();
    let mut term = String::new();
    let mut scan = analyzer.scan(text, AnalysisPurpose::Index);
    while let Some(token) = scan.advance(&mut term) {
        if let Some(term) = query_terms.find(&term) {
            hits.push(Hit {
                term,
                range: token.range,
            });
        }
    }
    hits
}

/// Returns the number of distinct terms in the best window of `line`, and the window.
fn best_window(line: &str, hits: &[Hit<'_>], width: usize) -> (usize, Range<usize>) {
    let mut best = (0, 0..0);
    for (first, Hit { range: start, .. }) in hits.iter().enumerate().take(MAX_WINDOW_STARTS) {
        let mut distinct = HashSet::new();
        let mut end = start.start;
        let mut length = 0;
        for Hit { term, range } in &hits[first..] {
            if range.end > end {
                length += line[end..range.end].chars().count();
                if length > width {
                    break;
                }
                end = range.end;
            }
            distinct.insert(term);
        }
        if distinct.len() > best.0 {
            best = (distinct.len(), start.start..end);
        }
    }
    best
}

/// Returns the byte range of `line` to show: `window` and its context, a third of it before.
fn range_around(line: &str, window: &Range<usize>, width: usize) -> Range<usize> {
    let boundaries: Vec<usize> = line
        .char_indices()
        .map(|(at, _)| at)
        .chain(std::iter::once(line.len()))
        .collect();
    let last = boundaries.len() - 1;
    if last <= width {
        return 0..line.len();
    }
    let index = |byte: usize| boundaries.partition_point(|&boundary| boundary < byte);
    let (start, end) = (
        index(window.start),
        index(window.end).min(index(window.start) + width),
    );
    let room = width - (end - start);
    let mut from = start.saturating_sub(room / 3);
    let to = (from + width).min(last);
    from = to - width;
    let begins = (from..=start).find(|&at| is_edge(line, boundaries[at]));
    let ends = (end.max(from + 1)..=to)
        .rev()
        .find(|&at| is_edge(line, boundaries[at]));
    // Longer words are cut.
    let from = begins.unwrap_or(if start - from <= MAX_CUT_SHIFT {
        start
    } else {
        from
    });
    let is_short = end > from && to - end <= MAX_CUT_SHIFT;
    let to = ends.unwrap_or(if is_short { end } else { to });
    let piece = &line[boundaries[from.min(to)]..boundaries[to]];
    let begin = boundaries[from.min(to)] + (piece.len() - piece.trim_start().len());
    begin..begin + piece.trim().len()
}

/// Returns whether a cut at byte `at` splits no word. In a script without spaces every character is a
/// boundary.
fn is_edge(line: &str, at: usize) -> bool {
    let (before, after) = line.split_at(at);
    let sides = [before.chars().next_back(), after.chars().next()];
    let is_free = |c: &Option<char>| c.is_none_or(|c| c.is_whitespace() || c >= '\u{2e80}');
    sides.iter().any(is_free)
}

/// Returns the matches within `piece`, relative to its start, with touching ones merged.
fn highlights(hits: &[Hit<'_>], piece: &Range<usize>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for Hit { range, .. } in hits {
        if range.start < piece.start || range.end > piece.end {
            continue;
        }
        let (start, end) = (range.start - piece.start, range.end - piece.start);
        match joined.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ => joined.push(start..end),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_visible_slot(text: &str, words: &[Pattern], width: usize) -> String {
        let mut analyzer = Analyzer::new(Language::ENGLISH);
        let query_terms = QueryTerms::new(words, &mut analyzer);
        let Some(snippet) = snippet(text, &query_terms, width, &mut analyzer) else {
            return "none".to_owned();
        };
        let mut shown = snippet.text.clone();
        for range in snippet.highlights.iter().rev() {
            shown.replace_range(
                range.clone(),
                &format!("[{}]", &snippet.text[range.clone()]),
            );
        }
        let before = if snippet.is_cut_before { "…" } else { "" };
        let after = if snippet.is_cut_after { "…" } else { "" };
        format!("{}:{before}{shown}{after}", snippet.line)
    }

    fn word(text: &str) -> Pattern {
        Pattern::Word(text.to_owned())
    }

    #[test]
    fn selects_the_best_line() {
        let text = "# Head\n\ntea first\nWe were drinking green tea, and tea again\ngreen";
        let long = "one two three four five six seven eight nine ten eleven tea thirteen fourteen";
        for (text, words, width, expected) in [
            (text, vec![word("tea")], 80, "2:[tea] first"),
            (
                text,
                vec![word("Drinks"), word("tea")],
                80,
                "3:We were [drinking] green [tea], and [tea] again",
            ),
            (text, vec![word("coffee")], 80, "2:tea first"),
            ("# Tea\n\n", vec![word("tea")], 80, "0:[Tea]"),
            (
                "# Tea\n\n- **green** [[a/tea|tea]] and [tea](b.md)",
                vec![word("tea")],
                80,
                "2:green [tea] and [tea]",
            ),
            (
                "one [[tea|leaf]] two\nmore tea",
                vec![word("tea")],
                80,
                "1:more [tea]",
            ),
            (
                "```sh\necho **tea**\n```\n---\nend",
                vec![word("tea")],
                80,
                "1:echo **[tea]**",
            ),
            (
                text,
                vec![Pattern::Prefix("gree".into())],
                80,
                "3:We were drinking [green] tea, and tea again",
            ),
            (
                "x\n昨日の東京都の天気",
                vec![word("東京都")],
                80,
                "1:昨日の[東京都]の天気",
            ),
            (
                "first\nsee [[tea|leaf]]",
                vec![word("tea")],
                80,
                "1:see leaf",
            ),
            (
                "first\n<!-- no tea -->\n%% x",
                vec![word("tea")],
                80,
                "1:<!-- no [tea] -->",
            ),
            (
                "![[tea.png]]\n> ![a tea](b.png)\na tea",
                vec![word("tea")],
                80,
                "2:a [tea]",
            ),
            (
                "![[tea.png|clean]]\n| Tea | Kind |\n|---|---|\n| Oolong | blue |",
                vec![],
                80,
                "3:Oolong · blue",
            ),
            ("  \n ", vec![word("tea")], 80, "none"),
            (
                long,
                vec![word("tea")],
                30,
                "0:…eleven [tea] thirteen fourteen",
            ),
            (long, vec![word("one")], 12, "0:[one] two…"),
            (long, vec![word("fourteen")], 12, "0:…[fourteen]"),
            ("abcdefghijklmnop", vec![], 4, "0:abcd…"),
            ("ééééééé tea", vec![word("tea")], 2, "0:éé…"),
        ] {
            assert_eq!(
                is_visible_slot(text, &words, width),
                expected,
                "{text} {words:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn snippet_is_within_the_line(text in "([a-c ]|[東京é\n]|\\PC){0,60}", width in 0..20_usize) {
            let mut analyzer = Analyzer::new(Language::ENGLISH);
            let query_terms = QueryTerms::new(&[word("a"), word("b c"), word("東京")], &mut analyzer);
            if let Some(snippet) = snippet(&text, &query_terms, width, &mut analyzer) {
                let line = text.lines().nth(snippet.line).unwrap();
                prop_assert!(snippet.column <= line.len());
                prop_assert!(snippet.text.chars().count() <= width);
                for range in &snippet.highlights {
                    prop_assert!(snippet.text.get(range.clone()).is_some());
                }
            }
        }
    }
}

//! The line of a note that shows why it was found.
//!
//! `search` and `recall` read the file anyway when they show a hit, so the index keeps no text for
//! this. The analysis is that of the index: what was found is what gets highlighted.

use std::collections::HashSet;
use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

use crate::note::markdown::lines::{LineRole, lines_of};
use crate::note::markdown::seen::{Kind, Seen, seen};
use crate::note::words::analyzer::{Analyzer, Pattern, Purpose};
use crate::note::words::language::Language;

/// How many places of one line are tried: more is a file without line breaks.
const MOST_STARTS: usize = 200;
/// How far a cut moves, in characters, to fall between two words; a longer one is cut.
const WORD_REACH: usize = 40;

/// A piece of one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snippet {
    /// The line of the text it comes from, from 0; in a hit the line of the file, from 1.
    pub line: usize,
    /// The piece as its reader sees it, without marks of Markdown, line breaks and outer spaces.
    #[serde(rename = "snippet")]
    pub text: String,
    /// Where sought terms stand in it: bytes, in increasing order, not touching.
    #[serde(skip)]
    pub highlights: Vec<Range<usize>>,
    /// Where in that line, as it is written, the first sought term or else the piece stands, in bytes
    /// from 0.
    #[serde(skip)]
    pub column: usize,
    /// Whether words of the line stand before the piece.
    #[serde(skip)]
    pub is_cut_before: bool,
    /// Whether words of the line stand after the piece.
    #[serde(skip)]
    pub is_cut_after: bool,
}

/// The terms that a query looks for.
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
        let mut sought = Self::default();
        for pattern in patterns {
            let (Pattern::Word(text) | Pattern::Phrase(text) | Pattern::Prefix(text)) = pattern;
            let terms = analyzer.terms(text, Purpose::Query);
            for term in &terms {
                sought.terms.extend(term.stems().map(str::to_owned));
            }
            if matches!(pattern, Pattern::Prefix(_)) {
                let written = Analyzer::new(Language::NONE).terms(text, Purpose::Query);
                sought
                    .prefixes
                    .extend(written.into_iter().next_back().map(|term| term.text));
            }
        }
        sought
    }

    /// Returns how many different sought terms `text` holds.
    pub fn count(&self, text: &str, analyzer: &mut Analyzer) -> usize {
        let mut found = HashSet::new();
        let mut term = String::new();
        let mut scan = analyzer.scan(text, Purpose::Index);
        while scan.advance(&mut term).is_some() {
            found.extend(self.find(&term));
        }
        found.len()
    }

    /// Returns which of the sought terms `term` is.
    fn find(&self, term: &str) -> Option<&str> {
        let prefix = || {
            self.prefixes
                .iter()
                .find(|prefix| term.starts_with(&***prefix))
        };
        self.terms.get(term).or_else(prefix).map(String::as_str)
    }
}

/// A sought term in a line.
struct Hit<'a> {
    term: &'a str,
    range: Range<usize>,
}

/// A line that may be shown.
struct Candidate<'a> {
    number: usize,
    line: &'a str,
    /// The line as it is seen; none where it stands in code.
    seen: Option<Seen>,
    text: String,
    hits: Vec<Hit<'a>>,
    rank: Rank,
    window: Range<usize>,
}

/// How well a line shows why its note was found, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// How many different terms a reader sees close together.
    seen: usize,
    /// Where that is none, how many stand where nobody sees them: where a link leads, in a comment.
    hidden: usize,
    says: Says,
}

/// How much a line says by itself, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    /// Nothing is seen of it, or it names the columns of a table.
    Nothing,
    Heading,
    Text,
}

/// Returns at most `width` characters of the line of `text` that holds the most different terms
/// close together.
///
/// Among equals the first one wins, headings behind the others, the head of a table behind these. A line
/// that has terms only where nobody sees them comes behind all that show one. Without any term it is the
/// first line that says something; a blank text has none.
pub fn snippet(
    text: &str,
    sought: &QueryTerms,
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
        // What is seen of a line has no more of the terms than the line.
        let count = sought.count(line, analyzer);
        let most = Rank {
            seen: count,
            hidden: 0,
            says: Says::Text,
        };
        if best.as_ref().is_some_and(|best| best.rank >= most) {
            continue;
        }
        let seen = (found.role != LineRole::Code).then(|| seen(line));
        let text = seen.as_ref().map(Seen::text);
        let is_hidden = text.as_ref().is_some_and(String::is_empty);
        if is_hidden && count == 0 {
            continue;
        }
        // Of what nobody sees the line is shown as it is written.
        let seen = seen.filter(|_| !is_hidden);
        let text = text.filter(|_| !is_hidden);
        let text = text.unwrap_or_else(|| trimmed.to_owned());
        let hits = hits(&text, sought, analyzer);
        let (shown, window) = best_window(&text, &hits, width);
        let shown = if is_hidden { 0 } else { shown };
        let says = match seen.as_ref().map(|seen| seen.kind) {
            _ if is_hidden => Says::Nothing,
            Some(Kind::Heading(_)) => Says::Heading,
            Some(_) if found.role == LineRole::TableHead => Says::Nothing,
            _ => Says::Text,
        };
        let rank = Rank {
            seen: shown,
            hidden: if shown == 0 { count } else { 0 },
            says,
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
    let piece = around(&text, &window, width);
    let at = match hits.iter().find(|hit| hit.range.start >= piece.start) {
        Some(first) => first.range.start,
        None => piece.start,
    };
    let blanks = line.len() - line.trim_start().len();
    let hidden = self::hits(line, sought, analyzer).into_iter().next();
    let hidden = hidden
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

/// Returns where sought terms stand in `text`.
fn hits<'s>(text: &str, sought: &'s QueryTerms, analyzer: &mut Analyzer) -> Vec<Hit<'s>> {
    let mut hits = Vec::new();
    let mut term = String::new();
    let mut scan = analyzer.scan(text, Purpose::Index);
    while let Some(token) = scan.advance(&mut term) {
        if let Some(term) = sought.find(&term) {
            hits.push(Hit {
                term,
                range: token.range,
            });
        }
    }
    hits
}

/// Returns how many different terms the best window of `line` holds, and that window.
fn best_window(line: &str, hits: &[Hit<'_>], width: usize) -> (usize, Range<usize>) {
    let mut best = (0, 0..0);
    for (first, Hit { range: start, .. }) in hits.iter().enumerate().take(MOST_STARTS) {
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

/// Returns the bytes of `line` to show: `window` and what fits around it, a third of it before.
fn around(line: &str, window: &Range<usize>, width: usize) -> Range<usize> {
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
    // A longer word is cut after all.
    let from = begins.unwrap_or(if start - from <= WORD_REACH {
        start
    } else {
        from
    });
    let is_short = end > from && to - end <= WORD_REACH;
    let to = ends.unwrap_or(if is_short { end } else { to });
    let piece = &line[boundaries[from.min(to)]..boundaries[to]];
    let begin = boundaries[from.min(to)] + (piece.len() - piece.trim_start().len());
    begin..begin + piece.trim().len()
}

/// Returns whether no word is cut at the byte `at` of `line`; a script without blanks has an edge at each
/// character.
fn is_edge(line: &str, at: usize) -> bool {
    let (before, after) = line.split_at(at);
    let sides = [before.chars().next_back(), after.chars().next()];
    let is_free = |c: &Option<char>| c.is_none_or(|c| c.is_whitespace() || c >= '\u{2e80}');
    sides.iter().any(is_free)
}

/// Returns the hits that lie in `piece`, counted from its begin and joined where they touch.
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

    fn show(text: &str, words: &[Pattern], width: usize) -> String {
        let mut analyzer = Analyzer::new(Language::ENGLISH);
        let sought = QueryTerms::new(words, &mut analyzer);
        let Some(snippet) = snippet(text, &sought, width, &mut analyzer) else {
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
    fn shows_the_best_line() {
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
            assert_eq!(show(text, &words, width), expected, "{text} {words:?}");
        }
    }

    proptest! {
        #[test]
        fn is_a_piece_of_the_line(text in "([a-c ]|[東京é\n]|\\PC){0,60}", width in 0..20_usize) {
            let mut analyzer = Analyzer::new(Language::ENGLISH);
            let sought = QueryTerms::new(&[word("a"), word("b c"), word("東京")], &mut analyzer);
            if let Some(snippet) = snippet(&text, &sought, width, &mut analyzer) {
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

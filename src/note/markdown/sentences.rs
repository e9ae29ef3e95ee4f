//! Splits a body into sentences.
//!
//! A sentence ends at terminal punctuation or at the end of its paragraph, item or table row. Headings and code are
//! skipped.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::document::{Document, MarkdownNode, NodeKind};
use super::lines::{LineRole, lines};
use crate::note::words::english;
use crate::note::words::english::WordEffect;
use crate::note::words::tokens::words;

/// Returns the spans of the sentences in `text[body]`, without block markers.
pub fn sentences(text: &str, body: Range<usize>) -> Vec<Range<usize>> {
    of(&Document::of(text, body))
}

/// Returns the spans of the sentences of a document, without block markers.
pub fn of(document: &Document<'_>) -> Vec<Range<usize>> {
    let text = document.text();
    let mut found = Vec::new();
    let mut paragraph: Option<Range<usize>> = None;
    let mut block = None;
    for line in lines(document) {
        let is_row = matches!(
            line.role,
            LineRole::TableHead | LineRole::TableRule | LineRole::TableRow
        );
        let is_text = is_row || matches!(line.role, LineRole::Text | LineRole::Html);
        let is_separate = is_row || text[line.content..].starts_with('|');
        if !is_text || is_separate || line.has_mark(text) || line.block != block {
            split(text, paragraph.take(), &mut found);
        }
        block = line.block;
        if !is_text {
            continue;
        }
        let start = paragraph.map_or(line.content, |paragraph| paragraph.start);
        paragraph = Some(start..line.span.end);
        if is_separate {
            split(text, paragraph.take(), &mut found);
        }
    }
    split(text, paragraph, &mut found);
    found
}

/// Returns true if a body contains only paragraphs, lists, quotes and headings, so that its sentences can be moved
/// safely.
pub fn is_running_text(body: &str) -> bool {
    let is_task = |line: &str| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
        let item = line.trim_start_matches(['-', '*', '+']).trim_start();
        item.len() < line.len() && item.starts_with('[') && item[1..].chars().nth(1) == Some(']')
            || line.starts_with("[!")
    };
    let is_other = |node: &MarkdownNode| {
        !matches!(
            node.kind,
            NodeKind::Paragraph
                | NodeKind::Heading(_)
                | NodeKind::Quote
                | NodeKind::List(_)
                | NodeKind::Item
                | NodeKind::Emphasis
                | NodeKind::Strong
                | NodeKind::Link(_)
                | NodeKind::Text(_)
                | NodeKind::Code(_)
                | NodeKind::SoftBreak
                | NodeKind::HardBreak
                | NodeKind::Rule
        )
    };
    !body.lines().any(is_task)
        && !body.contains("%%")
        && !Document::of_body(body).nodes().iter().any(is_other)
}

/// Splits a line without markers into sentences.
pub fn of_line(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    split(line, Some(0..line.len()), &mut found);
    found.into_iter().map(|span| &line[span]).collect()
}

/// Abbreviations that precede a name or a number.
pub(crate) const ABBREVIATIONS: [&str; 12] = [
    "Dr", "Prof", "Mr", "Mrs", "Ms", "St", "Nr", "Sr", "Jr", "vs", "approx", "ca",
];

/// German words before an ordinal, whose period ends no sentence: `am 3. Mai`.
const ORDINAL_LEADS: [&str; 14] = [
    "ab", "am", "beim", "bis", "das", "dem", "den", "der", "des", "die", "im", "seit", "vom", "zum",
];

/// Returns true if `text` ends with a German ordinal without its period.
fn ends_with_ordinal(text: &str) -> bool {
    let before = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let lead = before
        .trim_end()
        .rsplit(|c: char| !c.is_alphanumeric())
        .next();
    (1..=2).contains(&(text.len() - before.len()))
        && lead.is_some_and(|lead| ORDINAL_LEADS.contains(&lead.to_lowercase().as_str()))
}

/// Appends the sentences of a paragraph.
fn split(text: &str, paragraph: Option<Range<usize>>, found: &mut Vec<Range<usize>>) {
    let Some(paragraph) = paragraph else {
        return;
    };
    let mut start = paragraph.start;
    let inner = &text[paragraph.clone()];
    let may_end = |c: char| matches!(c, '.' | '!' | '?' | '。' | '！' | '？');
    let marks = inner.char_indices().filter(|(_, c)| may_end(*c));
    let ends = marks.filter_map(|(at, c)| {
        let end = at + c.len_utf8();
        let closing = |c: char| matches!(c, '"' | '\'' | '”' | '’' | ')' | ']' | '*' | '_' | '»');
        let after = inner[end..].trim_start_matches(closing);
        let is_end = match c {
            '.' | '!' | '?' => after.is_empty() || after.starts_with(char::is_whitespace),
            _ => true,
        };
        // A single letter before the period is an initial.
        let mut back = inner[..at].chars().rev();
        let is_initial = c == '.'
            && back.next().is_some_and(char::is_alphabetic)
            && back.next().is_none_or(|c| matches!(c, ' ' | '.' | '('));
        let word = inner[..at].rsplit(|c: char| !c.is_alphanumeric()).next();
        let is_title = c == '.' && word.is_some_and(|word| ABBREVIATIONS.contains(&word));
        // `no. 10`
        let is_number = c == '.'
            && word.is_some_and(|word| matches!(word, "no" | "No"))
            && after.trim_start().starts_with(|c: char| c.is_ascii_digit());
        let is_ordinal = c == '.' && ends_with_ordinal(&inner[..at]) || is_number;
        (is_end && !is_initial && !is_title && !is_ordinal)
            .then_some(paragraph.start + inner.len() - after.len())
    });
    for end in ends.chain([paragraph.end]) {
        if end <= start {
            continue;
        }
        let sentence = &text[start..end];
        let first = end - sentence.trim_start().len();
        let last = start + sentence.trim_end().len();
        if first < last {
            found.push(first..last);
        }
        start = end;
    }
}

/// Returns the sentence of `text` most similar to the note `other` with title `title`, or the first one without
/// common words. Sentences that also occur in `other` rank last, as they are boilerplate.
pub fn most_similar_sentence(
    text: &str,
    sentences: &[Range<usize>],
    title: &str,
    other: &str,
) -> Option<Range<usize>> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (text, weight) in [(title, TITLE_WORD_WEIGHT), (other, 1)] {
        for stem in stems(text) {
            *counts.entry(stem).or_default() += weight;
        }
    }
    let similarity = |sentence: &Range<usize>| {
        let stems: Vec<String> = stems(&text[sentence.clone()]).collect();
        let length = stems.len() as f64;
        let stems: BTreeSet<String> = stems.into_iter().collect();
        let known = stems.iter().filter_map(|stem| counts.get(stem));
        let shared: f64 = known.map(|count| (*count as f64).ln_1p()).sum();
        shared / (length + LENGTH_SMOOTHING).sqrt()
    };
    // Ties: the first wins.
    let mut best: Option<((bool, f64), &Range<usize>)> = None;
    for sentence in sentences {
        let is_own = !other.contains(&text[sentence.clone()]);
        let similarity = (is_own, similarity(sentence));
        if best.is_none_or(|(most, _)| similarity > most) {
            best = Some((similarity, sentence));
        }
    }
    best.map(|(_, sentence)| sentence.clone())
}

/// Weight of a title word relative to a word of the text.
const TITLE_WORD_WEIGHT: usize = 3;
/// Constant added to the sentence length, so that very short sentences gain no advantage.
const LENGTH_SMOOTHING: f64 = 8.0;

/// Returns the stems of the content words.
fn stems(text: &str) -> impl Iterator<Item = String> {
    let words = words(text).into_iter();
    words
        .filter(|word| english::word(word).content == WordEffect::Full)
        .map(|word| english::stem(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_with_their_block() {
        for (name, text, expected) in [
            (
                "marks",
                "One. Two! \"Three?\" Four",
                vec!["One.", "Two!", "\"Three?\"", "Four"],
            ),
            (
                "no end within a word, an initial or a number",
                "J. Smith uses v3.14 of example.org daily. Yes.",
                vec!["J. Smith uses v3.14 of example.org daily.", "Yes."],
            ),
            (
                "an abbreviation does not end a sentence",
                "Ask Dr. Cole or Prof. Lee. Bye.",
                vec!["Ask Dr. Cole or Prof. Lee.", "Bye."],
            ),
            (
                "a German ordinal does not end a sentence",
                "Der Termin ist am 3. Mai im 2. Stock. Es sind 12. Bis dann.",
                vec![
                    "Der Termin ist am 3. Mai im 2. Stock.",
                    "Es sind 12.",
                    "Bis dann.",
                ],
            ),
            (
                "lines of a paragraph",
                "The key\nhangs here. It\nis old.\n\nOil it",
                vec!["The key\nhangs here.", "It\nis old.", "Oil it"],
            ),
            (
                "blocks",
                "# Tea\nGreen.\n- [ ] one\n  more\n2. two\n> - three\n| a | b |\n",
                vec!["Green.", "one\n  more", "two", "three", "| a | b |"],
            ),
            (
                "code",
                "One.\n```sh\ntwo. three\n~~~\n```\nFour.",
                vec!["One.", "Four."],
            ),
            (
                "no blanks",
                "水は熱い。茶は緑。",
                vec!["水は熱い。", "茶は緑。"],
            ),
            ("*not* an item", "*not* an item", vec!["*not* an item"]),
            ("nothing", " \n\n", vec![]),
        ] {
            let found: Vec<&str> = sentences(text, 0..text.len())
                .into_iter()
                .map(|span| &text[span])
                .collect();
            assert_eq!(found, expected, "{name}");
        }
        let text = "---\na: b. c\n---\nTea.";
        let found = sentences(text, 16..text.len());
        assert_eq!((found.len(), &found[0]), (1, &(16..20)));
    }

    #[test]
    fn finds_the_most_similar_sentence() {
        let text = "Gardens need water. Steep green tea for two minutes. It is hot.";
        for (name, title, other, expected) in [
            ("by its words", "Sencha", "A green tea of Japan.", 1),
            ("by its title", "Watering the garden", "Daily.", 0),
            ("none", "Keys", "Lost.", 0),
            (
                "boilerplate shared with the other note",
                "Tea",
                "Steep green tea for two minutes.",
                0,
            ),
        ] {
            let all = sentences(text, 0..text.len());
            let found = most_similar_sentence(text, &all, title, other);
            assert_eq!(found.as_ref(), Some(&all[expected]), "{name}");
        }
        assert_eq!(most_similar_sentence("", &[], "a", "b"), None);
    }
}

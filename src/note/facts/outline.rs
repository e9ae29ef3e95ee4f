//! Facts of headings over lists of links, definition lists and labels.

use std::ops::Range;

use super::fact::{Fact, FactSource, FactTerm, LineCounter, head_end, links_in};
use super::predicates::{LISTS, canonical_predicate, relates_notes};
use super::words::{Token, tokens, without_emphasis};
use crate::note::Note;
use crate::note::markdown::document::Document;
use crate::note::markdown::lines::{BodyLine, LineRole, lines};
use crate::note::markdown::loss_check::MERGED_FROM;
use crate::note::markdown::{marks, sentences};

/// Maximum words of a label; a longer text is a sentence.
const MAX_LABEL_WORDS: usize = 5;
/// Maximum words of a value; a longer text is an explanation.
const MAX_VALUE_WORDS: usize = 8;
/// Maximum words of a value that begins in lower case.
const MAX_LOWERCASE_VALUE_WORDS: usize = 3;

pub(super) fn facts(text: &str, note: &Note, open: &[BodyLine]) -> Vec<Fact> {
    let mut facts = Vec::new();
    let mut lines = LineCounter::of(text);
    let mut section = Section::default();
    let mut before: Option<Range<usize>> = None;
    for open in open {
        let line = open.span.clone();
        let content = text[line.clone()].trim();
        if content.is_empty() {
            continue;
        }
        let number = lines.line(line.start);
        if let LineRole::Heading(level) = open.role {
            section.end(&mut facts);
            section = Section::of(level, content);
            before = None;
            continue;
        }
        section.line(note, content, &line, number);
        if let (Some(definition), Some(term)) = (content.strip_prefix(": "), before.take()) {
            let term = without_emphasis(text[term].trim());
            if term.split_whitespace().count() <= MAX_LABEL_WORDS && !term.ends_with(['.', ':']) {
                facts.push(definition_fact(&term, definition, number - 1));
            }
        } else {
            before = Some(line.clone());
            add_label_fact(text, note, &line, number, &mut facts);
        }
    }
    section.end(&mut facts);
    facts
}

/// Returns the body lines outside code, comments, quotes and generated blocks.
pub(super) fn open_lines(document: &Document<'_>) -> Vec<BodyLine> {
    let text = document.text();
    let blocks = marks::marked_blocks(text);
    let mut generated = blocks
        .iter()
        .filter(|block| block.is_untouched(text))
        .map(|block| block.inner.clone());
    let mut next = generated.next();
    let mut found = Vec::new();
    let mut is_comment = false;
    for line in lines(document) {
        if !is_comment && (line.is_code() || line.role == LineRole::Underline) {
            continue;
        }
        let start = line.span.start;
        while next.as_ref().is_some_and(|next| next.end <= start) {
            next = generated.next();
        }
        if next.as_ref().is_some_and(|next| next.contains(&start)) {
            continue;
        }
        let inner = text[line.span.clone()].trim();
        let opens = inner.rfind("<!--");
        let closes = inner.rfind("-->");
        let was_comment = is_comment;
        is_comment = match (opens, closes) {
            (Some(opens), closes) => closes.is_none_or(|closes| closes < opens),
            (None, Some(_)) => false,
            (None, None) => is_comment,
        };
        let is_hidden = was_comment || opens.is_some();
        if !is_hidden && line.quotes == 0 && !inner.starts_with(['>', '|', '<']) {
            found.push(line);
        }
    }
    found
}

/// The section being read; it yields facts only if every line is an item that begins with a link.
#[derive(Default)]
struct Section {
    heading: Option<String>,
    items: Vec<(FactTerm, usize)>,
}

impl Section {
    fn of(level: u8, heading: &str) -> Self {
        let title = without_emphasis(heading.trim_matches(['#', ' ', ':']));
        let words = title.split_whitespace().count();
        let is_label = level > 1
            && (1..=MAX_LABEL_WORDS).contains(&words)
            && !title.contains("[[")
            && !title.starts_with(MERGED_FROM)
            && is_relation_heading(&title);
        Self {
            heading: is_label.then_some(title),
            items: Vec::new(),
        }
    }

    fn line(&mut self, note: &Note, content: &str, span: &Range<usize>, number: usize) {
        if self.heading.is_none() {
            return;
        }
        let links = links_in(note, span);
        let item = ["- ", "* ", "+ "]
            .iter()
            .find_map(|mark| content.strip_prefix(mark));
        let first = links
            .first()
            .filter(|_| item.is_some_and(|item| item.starts_with('[')));
        match first {
            Some(link) if !link.target.is_empty() => {
                self.items.push((FactTerm::of_link(link), number));
            }
            _ => *self = Self::default(),
        }
    }

    fn end(&mut self, facts: &mut Vec<Fact>) {
        let Some(heading) = &self.heading else {
            return;
        };
        let (predicate, is_swapped) = canonical_predicate(heading);
        for (term, line) in self.items.drain(..) {
            facts.push(Fact::about_note(
                (&predicate, is_swapped),
                term,
                line,
                FactSource::Heading,
            ));
        }
    }
}

/// Returns true for a heading that relates each item below it to the note: `Depends on`, `Alternative tools`,
/// `Further reading`. `Doubt` and `Module 2` only name a part of the note.
fn is_relation_heading(title: &str) -> bool {
    let (predicate, _) = canonical_predicate(title);
    let words: Vec<&str> = predicate.split(' ').collect();
    let starts_with_noun = !matches!(
        words[0],
        "of" | "by" | "in" | "for" | "on" | "about" | "with"
    );
    let is_plural = |word: &str| word.len() > 3 && word.ends_with('s') && !word.ends_with("ss");
    let is_participle = |word: &str| word.len() > 4 && word.ends_with("ed");
    let has_relation_form = |word: &&str| is_plural(word) || is_participle(word);
    relates_notes(&predicate)
        || starts_with_noun && words.iter().any(has_relation_form)
        || LISTS.has("announces", words[0])
}

/// Adds the fact of `key:: value`, or of `**Key**: value` at the head of a note. Further down, a bold label may
/// concern anything.
fn add_label_fact(
    text: &str,
    note: &Note,
    line: &Range<usize>,
    number: usize,
    facts: &mut Vec<Fact>,
) {
    let trimmed = text[line.clone()].trim();
    let content = ["- ", "* ", "+ "]
        .iter()
        .find_map(|mark| trimmed.strip_prefix(mark))
        .unwrap_or(trimmed);
    let bold = || {
        let (key, rest) = content.strip_prefix("**")?.split_once("**")?;
        match key.trim_end().strip_suffix(':') {
            Some(key) => Some((key, rest)),
            None => Some((key, rest.trim_start().strip_prefix(':')?)),
        }
    };
    let field = || {
        let (key, rest) = content.split_once("::")?;
        let is_key = key
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        (is_key && rest.starts_with(' ')).then_some((key, rest))
    };
    let is_head = line.start < head_end(note);
    let Some((key, value)) = field().or_else(|| is_head.then(bold).flatten()) else {
        return;
    };
    let (name, value) = (without_emphasis(key), value.trim());
    let is_label = (1..=MAX_LABEL_WORDS).contains(&name.split_whitespace().count())
        && name.chars().filter(|c| c.is_alphabetic()).count() > 1;
    if !is_label || value.is_empty() {
        return;
    }
    // `value` is a slice of `text`, so the pointer difference is its offset.
    let start = value.as_ptr() as usize - text.as_ptr() as usize;
    let span = start..start + value.len();
    let (predicate, is_swapped) = canonical_predicate(&name);
    let objects = only_links(text, note, &span).or_else(|| {
        let value = without_emphasis(&without_links(value));
        let words = value.split_whitespace().count();
        // `discuss ideas with stakeholders` explains the label.
        let is_short_or_capitalised =
            words <= MAX_LOWERCASE_VALUE_WORDS || !value.starts_with(char::is_lowercase);
        let is_value = words <= MAX_VALUE_WORDS
            && is_short_or_capitalised
            && value.contains(char::is_alphanumeric)
            && sentences::of_line(&value).len() == 1
            && !value.ends_with([':', ';']);
        is_value.then(|| vec![FactTerm::Value(value.trim_end_matches('.').to_owned())])
    });
    for object in objects.unwrap_or_default() {
        facts.push(Fact::about_note(
            (&predicate, is_swapped),
            object,
            number,
            FactSource::Label,
        ));
    }
}

/// Returns `value` with Markdown links replaced by their text.
fn without_links(value: &str) -> String {
    let mut text = String::new();
    let mut rest = value;
    while let Some((before, after)) = rest.split_once("](") {
        let (Some(open), Some(close)) = (before.rfind('['), after.find(')')) else {
            break;
        };
        text.push_str(&before[..open]);
        text.push_str(&before[open + 1..]);
        rest = &after[close + 1..];
    }
    text + rest
}

/// Returns the links in `span` if it contains nothing else but separators.
fn only_links(text: &str, note: &Note, span: &Range<usize>) -> Option<Vec<FactTerm>> {
    let tokens = tokens(text, links_in(note, span), span.clone());
    let mut terms = Vec::new();
    for token in &tokens {
        match token {
            Token::Link(term) => terms.push(term.clone()),
            Token::Sign(',' | ';' | '.') => {}
            Token::Word(word) if word == "and" => {}
            _ => return None,
        }
    }
    (!terms.is_empty()).then_some(terms)
}

fn definition_fact(term: &str, definition: &str, line: usize) -> Fact {
    let definition = without_emphasis(definition);
    let first = sentences::of_line(&definition)
        .into_iter()
        .next()
        .unwrap_or_default();
    Fact {
        subject: FactTerm::Name(term.to_owned()),
        predicate: "means".to_owned(),
        object: FactTerm::Value(first.trim_end_matches('.').to_owned()),
        line,
        rule: FactSource::Definition,
    }
}

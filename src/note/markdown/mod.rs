//! What is Markdown here, to every reader of a note.

pub mod account;
pub mod append;
pub mod body;
pub mod fences;
pub mod labels;
pub mod link_audit;
pub mod links;
pub mod listing;
pub mod marks;
pub mod parts;
pub mod passages;
pub mod prose;
pub mod sections;
pub mod seen;
pub mod sentences;
pub mod stated;
pub mod tags;
pub mod tasks;
use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::markdown::fences::{Code, Fences};

pub(super) const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_MATH);

/// Returns true if all of `text` is one link or image with this destination.
pub(super) fn is_link_to(text: &str, destination: &str) -> bool {
    let link = Parser::new_ext(text, DIALECT)
        .into_offset_iter()
        .find_map(|(event, span)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(span == (0..text.len()) && *dest_url == *destination)
            }
            _ => None,
        });
    link == Some(true)
}

/// Returns a piece of a line without the marks of code and mathematics.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    if !text.contains(['`', '$']) {
        return Cow::Borrowed(text);
    }
    // Behind a letter nothing begins a block.
    let line = format!("x{text}");
    let mut plain = String::with_capacity(text.len());
    for event in Parser::new_ext(&line, DIALECT) {
        if let Event::Text(piece)
        | Event::Code(piece)
        | Event::InlineMath(piece)
        | Event::DisplayMath(piece) = event
        {
            plain.push_str(&piece);
        }
    }
    plain.remove(0);
    Cow::Owned(plain)
}

/// Returns `text` with the lines of each displayed formula (`$$` to `$$`) joined, byte for byte.
///
/// As in Obsidian, a line of `=` or `#` or a blank line in a formula is part of it; the parser would
/// end the formula there.
pub(super) fn with_joined_formulas(text: &str) -> Cow<'_, str> {
    let formulas = formulas(text);
    if formulas.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut at = 0;
    for formula in formulas {
        joined.push_str(&text[at..formula.start]);
        joined.push_str(&text[formula.clone()].replace(['\n', '\r'], " "));
        at = formula.end;
    }
    joined.push_str(&text[at..]);
    Cow::Owned(joined)
}

/// Returns the displayed formulas of several lines: `$$` begins a line, another one ends its line.
fn formulas(text: &str) -> Vec<Range<usize>> {
    let mut formulas = Vec::new();
    if !text.contains("$$") {
        return formulas;
    }
    let mut fences = Fences::default();
    // Where a formula begins, and whether its first line has a part of it: then no line of it is blank.
    let mut open: Option<(usize, bool)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let content = line.trim_start_matches([' ', '\t', '>']);
        let at = end - content.len();
        let is_outside = fences.next(line) == Code::Outside;
        open = match (open, line.split_once("$$")) {
            _ if !is_outside => None,
            (Some((_, true)), _) if content.trim().is_empty() => None,
            (open @ Some(_), None) => open,
            (Some((first, _)), Some((inside, behind)))
                if !behind
                    .trim_start()
                    .starts_with(|c: char| c.is_alphanumeric() || c == '$') =>
            {
                formulas.push(first..start + inside.len());
                None
            }
            _ => {
                let rest = content.strip_prefix("$$").unwrap_or("$");
                let begins = !rest.starts_with('$') && !rest.contains("$$");
                begins.then_some((at, !rest.trim().is_empty()))
            }
        };
        start = end;
    }
    formulas
}

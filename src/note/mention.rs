//! Where the running text of a note names something that could become a link there.

use std::ops::Range;

use super::letters::folded;
use super::names::Names;
use super::prose::prose;
use super::{Note, hash};

/// Characters that an excerpt shows on each side of a name.
const AROUND: usize = 30;

/// So far away a link is near.
const NEAR: usize = 300;

/// How a name stands in a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Links around it.
    pub near: usize,
    /// The share of its line that it takes.
    pub share: f64,
    /// Whether its line is an item of a list.
    pub in_item: bool,
    /// Whether its line is quoted.
    pub in_quote: bool,
}

/// A note's text, with what of it is running text.
#[derive(Debug)]
pub struct RunningText<'t> {
    text: &'t str,
    note: Note,
    prose: Vec<Range<usize>>,
}

impl<'t> RunningText<'t> {
    /// Finds the running text of a note whose file is called `stem`.
    #[must_use]
    pub fn of(text: &'t str, stem: &str) -> Self {
        let note = super::read(text, stem);
        let prose = prose(text, &note);
        Self { text, note, prose }
    }

    /// Returns the number and the span of each of `names`, in the order of the text.
    pub fn mentions(&self, names: &Names) -> impl Iterator<Item = (u32, Range<usize>)> {
        let start = self.note.body.start;
        // The characters around a stretch decide, too: `Tea` in `Tea[1]`.
        let in_body = names.in_text(&self.text[self.note.body.clone()]);
        in_body.into_iter().filter_map(move |(number, span)| {
            let span = span.start + start..span.end + start;
            let at = self.prose.partition_point(|stretch| stretch.end < span.end);
            let stretch = self.prose.get(at)?;
            let is_prose = stretch.start <= span.start && span.end <= stretch.end;
            (is_prose && !self.is_of_longer_name(&span)).then_some((number, span))
        })
    }

    /// Returns true for one capitalised word in the middle of a longer name: `Gate` in `its Gate of Ashes`,
    /// `Privacy` in `Pretty Good Privacy`; also for the end of the note's own title.
    fn is_of_longer_name(&self, span: &Range<usize>) -> bool {
        let name = &self.text[span.clone()];
        if ends_with_words(&self.note.title, name) {
            return true;
        }
        let is_word = name.chars().all(char::is_alphanumeric);
        let is_short_form = name.chars().filter(|c| c.is_uppercase()).count() > 1;
        if !is_word || is_short_form || !is_capitalised(name) {
            return false;
        }
        let before = self.text[..span.start].strip_suffix(' ');
        let last = before.and_then(|before| before.rsplit(|c: char| !c.is_alphanumeric()).next());
        // The first word of a sentence is capitalised in any case.
        let is_inside = |word: &str| {
            let start = span.start - 1 - word.len();
            self.text[..start].ends_with(' ')
                && !self.text[..start]
                    .trim_end()
                    .ends_with(['.', '!', '?', ':', '-', '*', '>'])
        };
        let behind = self.text[span.end..].strip_prefix(' ').unwrap_or_default();
        let behind = behind.strip_prefix("of ").unwrap_or(behind);
        let next = behind.split(|c: char| !c.is_alphanumeric()).next();
        last.is_some_and(|last| is_capitalised(last) && is_inside(last))
            || next.is_some_and(is_capitalised)
    }

    /// Returns the hash of the line around `span` as a reader sees it: it stays the same when a name on
    /// the line becomes a link.
    #[must_use]
    pub fn line(&self, span: &Range<usize>) -> u64 {
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = self.text[span.end..].find('\n');
        let end = end.map_or(self.text.len(), |at| span.end + at);
        let mut line = String::new();
        let mut at = start;
        let links = &self.note.links;
        let first = links.partition_point(|link| link.span.start < start);
        for link in &links[first..] {
            if link.span.end > end {
                break;
            }
            if link.span.start >= at {
                line.push_str(&self.text[at..link.span.start]);
                line.push_str(&link.unlinked());
                at = link.span.end;
            }
        }
        line.push_str(&self.text[at..end]);
        hash::normal_hash(&line)
    }

    /// Returns how the name at `span` stands there.
    #[must_use]
    pub fn place(&self, span: &Range<usize>) -> Place {
        let body = &self.note.body;
        let start = self.text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let behind = &self.text[span.end..];
        let end = span.end + behind.find('\n').unwrap_or(behind.len());
        let line = self.text[start.max(body.start)..end].trim();
        let links = self.note.links.iter().map(|link| &link.span);
        let around = span.start.saturating_sub(NEAR).max(body.start)..span.start + NEAR;
        Place {
            near: links.filter(|link| around.contains(&link.start)).count(),
            share: span.len() as f64 / line.len().max(1) as f64,
            in_item: is_item(line),
            in_quote: line.starts_with('>'),
        }
    }

    /// Returns `span` with up to [`AROUND`] characters of its line on each side.
    #[must_use]
    pub fn excerpt(&self, span: &Range<usize>) -> String {
        let before = &self.text[self.note.body.start..span.start];
        let before = before.rsplit('\n').next().unwrap_or_default();
        let behind = self.text[span.end..].split('\n').next().unwrap_or_default();
        let skipped = before.chars().count().saturating_sub(AROUND);
        let mut excerpt = String::from(if skipped > 0 { "…" } else { "" });
        excerpt.extend(before.chars().skip(skipped));
        excerpt.push_str(&self.text[span.clone()]);
        excerpt.extend(behind.chars().take(AROUND));
        if behind.chars().nth(AROUND).is_some() {
            excerpt.push('…');
        }
        excerpt.trim().to_owned()
    }
}

/// Returns true for a line of a list: `- a`, `1. a`.
fn is_item(line: &str) -> bool {
    let marker = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered = marker.len() < line.len();
    let mut marker = marker.chars();
    let begins = match marker.next() {
        Some('.' | ')') => is_numbered,
        Some('-' | '*' | '+') => !is_numbered,
        _ => false,
    };
    begins && marker.next().is_some_and(char::is_whitespace)
}

/// Returns true for a word that begins with a capital and goes on with a small letter.
fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
}

/// Returns true if `title` is `name` or ends with it as a word of its own.
fn ends_with_words(title: &str, name: &str) -> bool {
    let (title, name) = (folded(title), folded(name));
    let rest = title.strip_suffix(name.as_str());
    rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

//! Finds mentions: names in the running text of a note that could become links.

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::ops::Range;

use super::Names;
use crate::note::Note;
use crate::note::markdown::document::Document;
use crate::note::markdown::prose::prose;
use crate::note::markdown::rendered_line::item_mark;
use crate::note::splice::{line_around, spliced};
use crate::note::words::english;
use crate::note::words::hash;
use crate::note::words::letters::folded;

/// Characters shown in an excerpt on each side of a name.
const EXCERPT_CHARS: usize = 30;

/// Maximum distance of a nearby link, in bytes.
const MAX_LINK_DISTANCE: usize = 300;

/// Maximum distance of the double braces around a name, in bytes.
const MAX_BRACES_DISTANCE: usize = 200;

/// Minimum words of a name that is a sentence.
const MIN_SENTENCE_WORDS: usize = 3;

/// Maximum length of a line that serves as a heading, in bytes.
const MAX_LABEL_BYTES: usize = 1000;

/// Features of a mention's context.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent features")]
pub struct MentionContext {
    /// Number of links nearby.
    pub near: usize,
    /// Share of its line that the name covers, 0–1.
    pub share: f64,
    /// Whether its line is a list item.
    pub in_item: bool,
    /// Whether its line is quoted.
    pub in_quote: bool,
    /// Whether it begins in lower case.
    pub in_lower: bool,
    /// Whether it is bold.
    pub in_bold: bool,
}

/// A note's text with the spans of its running text.
#[derive(Debug)]
pub struct RunningText<'t> {
    text: &'t str,
    note: Note,
    prose: Vec<Range<usize>>,
    /// Folded headings.
    headings: OnceCell<HashSet<String>>,
    /// Span and hash of the line of the last span: many names may be in one long line.
    last_line: RefCell<(Range<usize>, Option<u64>)>,
}

impl<'t> RunningText<'t> {
    /// Finds the running text of a note with file stem `stem`.
    pub fn of(text: &'t str, stem: &str) -> Self {
        let note = crate::note::read(text, stem);
        let prose = prose(&Document::of(text, note.body.clone()), &note.links);
        Self {
            text,
            note,
            prose,
            headings: OnceCell::new(),
            last_line: RefCell::default(),
        }
    }

    /// Returns the index and the span of each mention of `names`, in document order.
    pub fn mentions(&self, names: &Names) -> impl Iterator<Item = (u32, Range<usize>)> {
        let start = self.note.body.start;
        // Characters around a stretch matter too: `Tea` in `Tea[1]`.
        let in_body = names.in_text(&self.text[self.note.body.clone()]);
        in_body.into_iter().filter_map(move |(number, span)| {
            let span = span.start + start..span.end + start;
            let at = self.prose.partition_point(|stretch| stretch.end < span.end);
            let stretch = self.prose.get(at)?;
            let is_prose = stretch.start <= span.start && span.end <= stretch.end;
            let is_none = || {
                self.is_within_longer_name(&span)
                    || self.is_verb(&span)
                    || self.is_label(&span)
                    || self.is_next_to_markup(&span)
            };
            (is_prose && !is_none()).then_some((number, span))
        })
    }

    /// Returns true for one capitalised word inside a longer name: `Gate` in `its Gate of Ashes`, `Privacy` in
    /// `Pretty Good Privacy`. Also true for the end of the note's own title.
    fn is_within_longer_name(&self, span: &Range<usize>) -> bool {
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
        // The first word of a sentence is always capitalised.
        let is_inside = |word: &str| {
            let start = span.start - 1 - word.len();
            self.text[..start].ends_with(' ')
                && !self.text[..start]
                    .trim_end()
                    .ends_with(['.', '!', '?', ':', '-', '*', '>'])
        };
        let after = self.text[span.end..].strip_prefix(' ').unwrap_or_default();
        let following = after.strip_prefix("of ").unwrap_or(after);
        let next = following.split(|c: char| !c.is_alphanumeric()).next();
        last.is_some_and(|last| is_capitalised(last) && is_inside(last))
            || next.is_some_and(is_capitalised)
    }

    /// Returns true if an adjacent character would change a wikilink here: `!` makes it an embed, `(` or `[` a
    /// Markdown link for other readers. Also true for plurals like `vault(s)`, the key of an inline field
    /// (`Deadline:: 2 May`), and the text of a template or cloze in double braces.
    fn is_next_to_markup(&self, span: &Range<usize>) -> bool {
        let (bytes, after) = (self.text.as_bytes(), &self.text[span.end..]);
        let before = &bytes[span.start.saturating_sub(MAX_BRACES_DISTANCE)..span.start];
        let last = |pair: &[u8; 2]| before.windows(2).rposition(|two| two == pair);
        let is_closed = || {
            let end = (span.end + MAX_BRACES_DISTANCE).min(bytes.len());
            bytes[span.end..end].windows(2).any(|two| two == b"}}")
        };
        before.ends_with(b"!")
            || before.ends_with(b"\\")
            || after.starts_with(['(', '['])
            || after.trim_start_matches(['*', '_', ' ']).starts_with("::")
            || last(b"{{") > last(b"}}") && is_closed()
    }

    /// Returns true for a verb spelled like a name: `identify` in `identify the kind`.
    fn is_verb(&self, span: &Range<usize>) -> bool {
        let last = self.text[span.clone()].rsplit(' ').next();
        let is_lower = last.is_some_and(|last| last.starts_with(char::is_lowercase));
        let after = self.text[span.end..].strip_prefix(' ').unwrap_or_default();
        let next = after.split(|c: char| !c.is_alphanumeric()).next();
        is_lower && next.is_some_and(|next| english::WORDS.has("determiners", &next.to_lowercase()))
    }

    /// Returns true if the name fills its line and the line is about the note itself: a heading, a bold line that
    /// serves as one, a sentence.
    fn is_label(&self, span: &Range<usize>) -> bool {
        let line = self.text[self.line_of(span)].trim();
        let name = &self.text[span.clone()];
        let inner = item(line).unwrap_or(line);
        let bare = inner.trim_matches(['*', '_', ' ']);
        let rest = bare.strip_prefix(name).unwrap_or(bare);
        let headings = || {
            let headings = self.note.headings.iter();
            headings.map(|heading| folded(&heading.text)).collect()
        };
        let is_heading = || self.headings.get_or_init(headings).contains(&folded(bare));
        match rest {
            "" | ":" if inner.len() == line.len() && line.starts_with("**") => true,
            "." | "!" | "?" => name.split_whitespace().count() >= MIN_SENTENCE_WORDS,
            _ => bare.len() <= MAX_LABEL_BYTES && bare.contains(name) && is_heading(),
        }
    }

    /// Returns the span of the line that contains `span`.
    fn line_of(&self, span: &Range<usize>) -> Range<usize> {
        let line = self.whole_line(span);
        line.start.max(self.note.body.start)..line.end
    }

    /// Returns the span of the lines that contain `span`.
    fn whole_line(&self, span: &Range<usize>) -> Range<usize> {
        let mut last = self.last_line.borrow_mut();
        if last.0.start <= span.start && span.end <= last.0.end {
            return last.0.clone();
        }
        let lines = line_around(self.text, span);
        let is_one = !self.text[span.clone()].contains('\n');
        *last = (if is_one { lines.clone() } else { 0..0 }, None);
        lines
    }

    /// Returns true for a bold name.
    fn is_bold(&self, span: &Range<usize>) -> bool {
        let line = self.line_of(span);
        let marks = self.text[line.start..span.start].matches("**").count();
        marks % 2 == 1 && self.text[span.end..line.end].contains("**")
    }

    /// Returns the hash of the rendered line that contains `span`; it does not change when a name there becomes a
    /// link.
    pub fn line(&self, span: &Range<usize>) -> u64 {
        let line = self.whole_line(span);
        if let Some(hash) = self.last_line.borrow().1 {
            return hash;
        }
        let links = &self.note.links;
        let first = links.partition_point(|link| link.span.start < line.start);
        let inside = links[first..]
            .iter()
            .take_while(|link| link.span.end <= line.end);
        let unlinked = inside
            .map(|link| (link.span.clone(), link.unlinked()))
            .collect();
        let hash = hash::normal_hash(&spliced(self.text, line, unlinked));
        self.last_line.borrow_mut().1 = Some(hash);
        hash
    }

    /// Returns the context features of the name at `span`.
    pub fn place(&self, span: &Range<usize>) -> MentionContext {
        let line = self.text[self.line_of(span)].trim();
        let links = self.note.links.iter().map(|link| &link.span);
        let around = span
            .start
            .saturating_sub(MAX_LINK_DISTANCE)
            .max(self.note.body.start)..span.start + MAX_LINK_DISTANCE;
        MentionContext {
            near: links.filter(|link| around.contains(&link.start)).count(),
            share: span.len() as f64 / line.len().max(1) as f64,
            in_item: item(line).is_some(),
            in_quote: line.starts_with('>'),
            in_lower: self.text[span.clone()].starts_with(char::is_lowercase),
            in_bold: self.is_bold(span),
        }
    }

    /// Returns `span` with up to [`EXCERPT_CHARS`] characters of its line on each side.
    pub fn excerpt(&self, span: &Range<usize>) -> String {
        let before = self.text[self.note.body.start..span.start]
            .rsplit('\n')
            .next()
            .unwrap_or_default();
        let after = self.text[span.end..].split('\n').next().unwrap_or_default();
        let skipped = before.chars().count().saturating_sub(EXCERPT_CHARS);
        let mut excerpt = String::from(if skipped > 0 { "…" } else { "" });
        excerpt.extend(before.chars().skip(skipped));
        excerpt.push_str(&self.text[span.clone()]);
        excerpt.extend(after.chars().take(EXCERPT_CHARS));
        if after.chars().nth(EXCERPT_CHARS).is_some() {
            excerpt.push('…');
        }
        excerpt.trim().to_owned()
    }
}

/// Returns a line without its list marker: `a` for `- a` and `1. a`.
fn item(line: &str) -> Option<&str> {
    item_mark(line).map(|length| &line[length..])
}

/// Returns true for a word with an initial capital followed by a lower-case letter.
fn is_capitalised(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_lowercase)
}

/// Returns true if `title` equals `name` or ends with it as separate words.
fn ends_with_words(title: &str, name: &str) -> bool {
    let (title, name) = (folded(title), folded(name));
    let rest = title.strip_suffix(name.as_str());
    rest.is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::names::WordRun;

    #[test]
    fn mentions_exclude_similar_text() {
        for (name, text, is_named) in [
            ("a noun", "Cast identify first.", true),
            ("a verb", "You identify the kind.", false),
            ("with a verb", "Obsidian supports the following.", false),
            ("an item", "* Groundcover\n", true),
            ("a line in bold type", "**Groundcover**\n", false),
            (
                "a line in bold type with a colon",
                "**Groundcover:**\n",
                false,
            ),
            ("an item in bold type", "* **Groundcover**\n", true),
            (
                "a separate heading",
                "- Groundcover\n\n## Groundcover\n",
                false,
            ),
            (
                "a part of a separate heading",
                "- Bake groundcover\n\n## Bake groundcover\n",
                false,
            ),
            ("a sentence", "- Create a vault.\n", false),
            ("an item of three words", "- Create a vault\n", true),
            ("a word with a point", "- Groundcover.\n", true),
            ("one or more", "See groundcover(s).", false),
            ("before a reference", "See groundcover[1].", false),
            ("after an embed marker", "See:!groundcover.", false),
            ("in parentheses", "See (groundcover) (s).", true),
            ("the key of an inline field", "Groundcover:: thyme", false),
            ("in a template", "See {{ groundcover }}.", false),
            ("in a cloze", "It is {{c1::groundcover}} here.", false),
            ("after a template", "{{x}} groundcover {{y}}", true),
        ] {
            let titles = [
                "identify",
                "Obsidian support",
                "Groundcover",
                "Create a vault",
            ];
            let names = Names::of(titles.map(|name| WordRun::of(name).unwrap()));
            let running = RunningText::of(text, "other");
            assert_eq!(running.mentions(&names).count() > 0, is_named, "{name}");
        }
    }

    #[test]
    fn mention_features() {
        for (text, in_lower, in_bold) in [
            ("See tea.", true, false),
            ("See **Tea** and more.", false, true),
            ("**See** Tea **now**.", false, false),
        ] {
            let at = text.to_lowercase().find("tea").unwrap();
            let place = RunningText::of(text, "other").place(&(at..at + 3));
            assert_eq!(
                (place.in_lower, place.in_bold),
                (in_lower, in_bold),
                "{text}"
            );
        }
    }
}

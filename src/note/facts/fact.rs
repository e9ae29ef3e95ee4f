//! The type of a fact, and helpers that locate it.

use std::ops::Range;

use crate::note::names::filename::is_file_or_address;
use crate::note::words::lists::named;
use crate::note::{Link, LinkKind, Note};

/// A statement extracted from a note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub subject: FactTerm,
    /// Lower-case words separated by single spaces: `depends on`.
    pub predicate: String,
    pub object: FactTerm,
    /// Line number in the file, from 1.
    pub line: usize,
    pub rule: FactSource,
}

impl Fact {
    /// Builds a fact with the note as subject, or as object if the predicate is swapped.
    pub(super) fn about_note(
        (predicate, is_swapped): (&str, bool),
        term: FactTerm,
        line: usize,
        rule: FactSource,
    ) -> Self {
        let (subject, object) = if is_swapped {
            (term, FactTerm::Itself)
        } else {
            (FactTerm::Itself, term)
        };
        Self {
            subject,
            predicate: predicate.to_owned(),
            object,
            line,
            rule,
        }
    }

    /// Whether `other` has the same subject, predicate and object, whatever its line.
    pub fn is_same_fact(&self, other: &Self) -> bool {
        self.predicate == other.predicate
            && self.subject == other.subject
            && self.object == other.object
    }
}

/// The subject or object of a fact.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FactTerm {
    /// The note that contains the fact.
    Itself,
    /// The target of a link.
    Link {
        target: String,
        markdown: bool,
        /// The text shown to a reader.
        shown: String,
    },
    /// A named person or thing.
    Name(String),
    /// The note with this number, in the numbering scheme of the note that contains the fact.
    Number(String),
    /// Anything else: an attribute of the subject, not an entity.
    Value(String),
}

/// The kind of text that a fact was extracted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactSource {
    Property,
    Heading,
    Definition,
    Label,
    Sentence,
    /// A judge's reading, backed by a quote from the note.
    Judge,
}

named! { FactSource {
    Property = "property",
    Heading = "heading",
    Definition = "definition",
    Label = "label",
    Sentence = "sentence",
    Judge = "judge",
} }

impl FactTerm {
    /// Whether the term is an attached file, an address, or a list of these, and so no entity.
    pub(super) fn is_file(&self) -> bool {
        let is_file = |text: &str| {
            let text = text.trim_matches(['!', '[', ']', '(', ')', '<', '>', ' ']);
            is_file_or_address(text.split(['|', '#']).next().unwrap_or(text))
        };
        match self {
            Self::Itself | Self::Number(_) => false,
            Self::Link { target, .. } => is_file(target),
            Self::Name(text) | Self::Value(text) => text.split(',').all(is_file),
        }
    }

    pub(super) fn of_link(link: &Link) -> Self {
        Self::Link {
            target: link.target.clone(),
            markdown: link.kind == LinkKind::Markdown,
            shown: link.unlinked(),
        }
    }
}

/// Maps byte offsets to line numbers; fastest for ascending offsets.
pub(super) struct LineCounter<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
        }
    }

    pub(super) fn line(&mut self, at: usize) -> usize {
        if at < self.at {
            *self = Self::of(self.text);
        }
        self.line += self.text[self.at..at].matches('\n').count();
        self.at = at;
        self.line
    }
}

/// Returns the body links inside `span`.
pub(super) fn links_in<'n>(note: &'n Note, span: &Range<usize>) -> &'n [Link] {
    let first = note.links.partition_point(|link| link.property.is_some());
    let links = &note.links[first..];
    let first = links.partition_point(|link| link.span.start < span.start);
    let inside = links[first..]
        .iter()
        .take_while(|link| link.span.end <= span.end);
    &links[first..first + inside.count()]
}

/// Returns where the head of the body ends: at the second heading. Statements in the head are about the note.
pub(super) fn head_end(note: &Note) -> usize {
    note.headings
        .get(1)
        .map_or(note.body.end, |heading| heading.at)
}

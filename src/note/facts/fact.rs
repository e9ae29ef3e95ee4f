//! What a fact is, and where it stands.

use std::ops::Range;

use crate::note::names::filename::is_file_or_address;
use crate::note::words::lists::named;
use crate::note::{Link, LinkKind, Note};

/// One thing that a note states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub subject: Term,
    /// In small letters, its words with blanks between: `depends on`.
    pub predicate: String,
    pub object: Term,
    /// The line on which it stands, from 1.
    pub line: usize,
    pub rule: Rule,
}

impl Fact {
    /// Returns what the note says of `term`, or of itself if the predicate is turned.
    pub(super) fn of_note(
        (predicate, is_turned): (&str, bool),
        term: Term,
        line: usize,
        rule: Rule,
    ) -> Self {
        let (subject, object) = if is_turned {
            (term, Term::Itself)
        } else {
            (Term::Itself, term)
        };
        Self {
            subject,
            predicate: predicate.to_owned(),
            object,
            line,
            rule,
        }
    }

    /// Whether `other` states the same, wherever it stands.
    pub fn says_same(&self, other: &Self) -> bool {
        self.predicate == other.predicate
            && self.subject == other.subject
            && self.object == other.object
    }
}

/// What a fact is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// The note that states it.
    Itself,
    /// What a link leads to.
    Link {
        target: String,
        markdown: bool,
        /// What a reader sees.
        shown: String,
    },
    /// Somebody or something by its name.
    Name(String),
    /// The note that is numbered so as the one that states it is numbered.
    Number(String),
    /// Anything else: it says something of the subject and is nothing of its own.
    Value(String),
}

/// What it was read by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Property,
    Heading,
    Definition,
    Label,
    Sentence,
    /// A judge, in the words of the note.
    Judge,
}

named! { Rule {
    Property = "property",
    Heading = "heading",
    Definition = "definition",
    Label = "label",
    Sentence = "sentence",
    Judge = "judge",
} }

impl Term {
    /// Whether it is an attached file or an address, or a list of them: no thing that a note speaks of.
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

/// Tells the lines on which places of a text stand; asked in the order of the text.
pub(super) struct Lines<'t> {
    text: &'t str,
    at: usize,
    line: usize,
}

impl<'t> Lines<'t> {
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

/// Returns the links of the body that stand in `span`.
pub(super) fn links_in<'n>(note: &'n Note, span: &Range<usize>) -> &'n [Link] {
    let first = note.links.partition_point(|link| link.property.is_some());
    let links = &note.links[first..];
    let first = links.partition_point(|link| link.span.start < span.start);
    let inside = links[first..]
        .iter()
        .take_while(|link| link.span.end <= span.end);
    &links[first..first + inside.count()]
}

/// Returns where the body has no second heading yet: what is said there is said of the note.
pub(super) fn head(note: &Note) -> usize {
    note.headings
        .get(1)
        .map_or(note.body.end, |heading| heading.at)
}

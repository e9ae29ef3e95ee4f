//! Replacement of spans in a text.

use std::cmp::Reverse;
use std::ops::Range;

use super::front_matter::split::line_start;

/// A span of a text and its replacement.
pub type Splice = (Range<usize>, String);

/// A replacement of a span that may contain other replaced spans: a link with a picture as its label.
#[derive(Debug)]
pub struct Outer {
    pub span: Range<usize>,
    pub with: String,
    /// Where the next replacement inside may begin.
    from: usize,
}

impl Outer {
    pub fn new(span: Range<usize>, with: String) -> Self {
        Self {
            span,
            with,
            from: 0,
        }
    }

    /// Applies the replacement of `old` at `span` to the replacement of this span; returns whether it contains `old`.
    ///
    /// The spans are in order of their starts, the longer one first.
    pub fn combine(&mut self, span: &Range<usize>, old: &str, with: &str) -> bool {
        let is_inside = !old.is_empty() && span.end <= self.span.end && *span != self.span;
        let found = self.with.get(self.from..).filter(|_| is_inside);
        let Some(at) = found.and_then(|rest| rest.find(old)) else {
            return false;
        };
        let at = self.from + at;
        self.with.replace_range(at..at + old.len(), with);
        // A replacement inside this one follows, unless it would be found twice.
        self.from = at + if with.contains(old) { with.len() } else { 0 };
        true
    }
}

/// Returns the span of the lines that contain `span`, without the line ending.
pub fn line_around(text: &str, span: &Range<usize>) -> Range<usize> {
    let rest = &text[span.end..];
    line_start(text, span.start)..span.end + rest.find('\n').unwrap_or(rest.len())
}

/// Returns `text[part]` with `splices` applied; one that begins inside another is [combined](Outer) with it if
/// possible, else ignored.
pub fn spliced(text: &str, part: Range<usize>, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(span, _)| (span.start, Reverse(span.end)));
    let mut outer: Vec<Outer> = Vec::with_capacity(splices.len());
    for (span, with) in splices {
        let is_combined = outer
            .last_mut()
            .is_some_and(|outer| outer.combine(&span, &text[span.clone()], &with));
        if !is_combined {
            outer.push(Outer::new(span, with));
        }
    }
    let (mut new, mut at) = (String::with_capacity(part.len()), part.start);
    for Outer { span, with, .. } in outer {
        if span.start >= at && span.end <= part.end {
            new.push_str(&text[at..span.start]);
            new.push_str(&with);
            at = span.end;
        }
    }
    new.push_str(&text[at..part.end]);
    new
}

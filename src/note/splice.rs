//! Replacement of spans in a text.

use std::ops::Range;

use super::front_matter::split::line_start;

/// A span of a text and its replacement.
pub type Splice = (Range<usize>, String);

/// Returns the span of the lines that contain `span`, without the line ending.
pub fn line_around(text: &str, span: &Range<usize>) -> Range<usize> {
    let rest = &text[span.end..];
    line_start(text, span.start)..span.end + rest.find('\n').unwrap_or(rest.len())
}

/// Returns `text[part]` with `splices` applied; a splice that begins inside another is ignored.
pub fn spliced(text: &str, part: Range<usize>, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|(span, _)| (span.start, span.end));
    let (mut new, mut at) = (String::with_capacity(part.len()), part.start);
    for (span, with) in splices {
        if span.start >= at && span.end <= part.end {
            new.push_str(&text[at..span.start]);
            new.push_str(&with);
            at = span.end;
        }
    }
    new.push_str(&text[at..part.end]);
    new
}

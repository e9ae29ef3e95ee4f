//! Spans of a text: something else in their place, the line around one.

use std::ops::Range;

use super::front_matter::split::line_start;

/// A span of a text and what takes its place.
pub type Splice = (Range<usize>, String);

/// Returns the line around a span, without its end.
pub fn line_around(text: &str, span: &Range<usize>) -> Range<usize> {
    let rest = &text[span.end..];
    line_start(text, span.start)..span.end + rest.find('\n').unwrap_or(rest.len())
}

/// Returns `text[part]` with `splices` made; one that begins inside another is left out.
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

//! Reverts a change in a text that was edited since.
//!
//! The change is a diff by lines. Each changed span must occur exactly once in the text after the
//! change and in the edited text, as whole lines and in order. A span that is not unique, or that is
//! empty because lines were deleted, is located together with the lines around it. If one span cannot
//! be located, the whole change is refused, because a half-reverted text never existed.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Maximum number of lines on either side that locate a span.
const MAX_CONTEXT_LINES: usize = 4;

/// Returns `current` with the change from `before` to `after` reverted, if all its spans are found.
pub fn revert_change(before: &str, after: &str, current: &str) -> Option<String> {
    if current == after {
        return Some(before.to_owned());
    }
    let (old, new) = (lines(before), lines(after));
    let (old_lines, new_lines) = (texts(before, &old), texts(after, &new));
    let mut done = String::with_capacity(current.len());
    let mut at = 0;
    for op in capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (was, is) = (op.old_range(), op.new_range());
        let span = locate(current, after, &new, is)?;
        // Out of order: something was moved.
        if span.start < at {
            return None;
        }
        done.push_str(&current[at..span.start]);
        done.push_str(&before[bytes(&old, was, before.len())]);
        at = span.end;
    }
    done.push_str(&current[at..]);
    Some(done)
}

fn lines(text: &str) -> Vec<usize> {
    let starts = text
        .match_indices('\n')
        .map(|(at, _)| at + 1)
        .filter(|at| *at < text.len());
    if text.is_empty() {
        Vec::new()
    } else {
        [0].into_iter().chain(starts).collect()
    }
}

fn texts<'t>(text: &'t str, starts: &[usize]) -> Vec<&'t str> {
    (0..starts.len())
        .map(|line| &text[bytes(starts, line..line + 1, text.len())])
        .collect()
}

/// Returns the byte range of a range of lines.
fn bytes(starts: &[usize], lines: Range<usize>, end: usize) -> Range<usize> {
    let start = |line: usize| starts.get(line).copied().unwrap_or(end);
    start(lines.start)..start(lines.end)
}

/// Returns the unique position in `current` of the lines `is` of `after`.
fn locate(current: &str, after: &str, starts: &[usize], is: Range<usize>) -> Option<Range<usize>> {
    let span = bytes(starts, is.clone(), after.len());
    // The whole text was deleted, so no context exists.
    if after.is_empty() {
        return current.is_empty().then_some(0..0);
    }
    (0..=MAX_CONTEXT_LINES).find_map(|context| {
        let around = is.start.saturating_sub(context)..(is.end + context).min(starts.len());
        let wide = bytes(starts, around, after.len());
        let wanted = &after[wide.clone()];
        // Of two like lines, the one that is left may be the other one.
        unique_position(after, wanted)?;
        let at = unique_position(current, wanted)? + (span.start - wide.start);
        Some(at..at + span.len())
    })
}

/// Returns the position of `wanted` as whole lines, if it occurs exactly once.
fn unique_position(current: &str, wanted: &str) -> Option<usize> {
    let whole = |at: &usize| {
        let end = at + wanted.len();
        let from_start = *at == 0 || current.as_bytes()[at - 1] == b'\n';
        from_start && (end == current.len() || wanted.ends_with('\n'))
    };
    // Overlapping occurrences count, too.
    let mut positions = (0..current.len())
        .filter(|at| current.is_char_boundary(*at) && current[*at..].starts_with(wanted))
        .filter(whole);
    let first = positions.next()?;
    positions.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reverts_changes_found_exactly_once() {
        let cases: [(&str, &str, &str, &str, Option<&str>); 15] = [
            (
                "untouched",
                "a\nb\nc\n",
                "a\nX\nc\n",
                "a\nX\nc\n",
                Some("a\nb\nc\n"),
            ),
            (
                "edited elsewhere",
                "a\nb\nc\n",
                "a\nX\nc\n",
                "a!\nX\nc\nd\n",
                Some("a!\nb\nc\nd\n"),
            ),
            ("edited there", "a\nb\nc\n", "a\nX\nc\n", "a\nX!\nc\n", None),
            ("found twice", "a\nb\nc\n", "a\nX\nc\n", "X\n1\nX\n", None),
            (
                "found twice, told apart by its neighbours",
                "a\nb\nc\n",
                "a\nX\nc\n",
                "a\nX\nc\nX\n",
                Some("a\nb\nc\nX\n"),
            ),
            (
                "another line like it, edited since",
                "b\n\na\n",
                "b\n\nb\n",
                "b\n\nHAND\nb\n",
                None,
            ),
            (
                "one of two like lines is gone",
                "b\na\n",
                "b\nb\n",
                "b\n",
                None,
            ),
            (
                "like lines, edited far from them",
                "1\nb\n2\na\n3\n4\n",
                "1\nb\n2\nb\n3\n4\n",
                "1\nb\n2\nb\n3\n4\n5\n",
                Some("1\nb\n2\na\n3\n4\n5\n"),
            ),
            ("part of a longer line", "a\nb\n", "a\nX\n", "a\nXX\n", None),
            (
                "lines taken away",
                "a\nb\nc\n",
                "a\nc\n",
                "0\na\nc\n",
                Some("0\na\nb\nc\n"),
            ),
            (
                "lines taken away, neighbours edited",
                "a\nb\nc\n",
                "a\nc\n",
                "a!\nc\n",
                None,
            ),
            (
                "lines added",
                "a\nc\n",
                "a\nb\nc\n",
                "a\nb\nc!\n",
                Some("a\nc!\n"),
            ),
            (
                "two spans",
                "a\nb\nc\nd\n",
                "A\nb\nc\nD\n",
                "A\nb\nnew\nc\nD\n",
                Some("a\nb\nnew\nc\nd\n"),
            ),
            (
                "two spans, one gone",
                "a\nb\nc\nd\n",
                "A\nb\nc\nD\n",
                "A\nb\nc\n",
                None,
            ),
            (
                "no newline at the end",
                "a\nb",
                "a\nX",
                "0\na\nX",
                Some("0\na\nb"),
            ),
        ];
        for (name, before, after, current, expected) in cases {
            assert_eq!(
                revert_change(before, after, current).as_deref(),
                expected,
                "{name}"
            );
        }
    }

    proptest! {
        // Few different lines, so that equal ones occur.
        #[test]
        fn reverting_an_unedited_text_gives_the_text_before(
            before in "([ab\u{e9}]{0,1}\n){0,6}[ab]?",
            after in "([ab\u{e9}]{0,1}\n){0,6}[ab]?",
        ) {
            if let Some(back) = revert_change(&before, &after, &after) {
                prop_assert_eq!(back, before);
            }
        }

        #[test]
        fn never_changes_text_outside_the_change(
            before in "([a-c]\n){1,5}",
            after in "([a-c]\n){1,5}",
            head in "([x-z]\n){0,3}",
            tail in "([x-z]\n){0,3}",
        ) {
            let current = format!("{head}{after}{tail}");
            if let Some(back) = revert_change(&before, &after, &current) {
                prop_assert_eq!(back, format!("{head}{before}{tail}"));
            }
        }
    }
}

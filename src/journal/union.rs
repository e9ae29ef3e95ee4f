//! Merges two versions of a JSON Lines file, for git.

use std::collections::HashSet;

use super::lines::SortKey;

/// Returns the lines of both files in order of precedence, each once, without lines of `base`
/// that a side removed.
pub fn union(base: &str, ours: &str, theirs: &str) -> String {
    let [base, ours, theirs] = [base, ours, theirs].map(keyed_lines);
    let [known, in_ours, in_theirs] = [&base, &ours, &theirs].map(|lines| {
        let lines = lines.iter().map(|(_, line)| *line);
        lines.collect::<HashSet<&str>>()
    });
    let mut done = HashSet::new();
    let is_kept =
        |line: &str| !known.contains(line) || in_ours.contains(line) && in_theirs.contains(line);
    let (mut ours, mut theirs) = (ours.into_iter().peekable(), theirs.into_iter().peekable());
    let next = || match (ours.peek(), theirs.peek()) {
        (Some(one), Some(other)) if other < one => theirs.next(),
        (Some(_), _) => ours.next(),
        (None, _) => theirs.next(),
    };
    let lines = std::iter::from_fn(next).filter(|(_, line)| is_kept(line) && done.insert(*line));
    lines.flat_map(|(_, line)| [line, "\n"]).collect()
}

/// Returns the lines with nondecreasing sort keys; an unreadable line has that of the line before it.
fn keyed_lines(text: &str) -> Vec<(SortKey, &str)> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let keyed = lines.scan(SortKey::default(), |last, line| {
        *last = serde_json::from_str(line).map_or(*last, |key: SortKey| key.max(*last));
        Some((*last, line))
    });
    keyed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_joined_in_order() {
        for (name, base, ours, theirs, expected) in [
            ("appended", "1", "1 3", "1 2", "1 2 3"),
            ("the same line", "1", "1 2", "1 2 3", "1 2 3"),
            ("compacted", "1 2", "2 3", "1 2 4", "2 3 4"),
            ("no base", "", "1 3", "2 3", "1 2 3"),
            ("unreadable", "1 x", "1 x y 3", "1 x 2", "1 x y 2 3"),
        ] {
            let text = |numbers: &str| -> String {
                let lines = numbers.split_whitespace().map(|n| match n.parse::<u64>() {
                    Ok(n) => format!("{{\"n\":{n},\"a\":1}}\n"),
                    Err(_) => format!("{n}\n"),
                });
                lines.collect()
            };
            let merged = union(&text(base), &text(ours), &text(theirs));
            assert_eq!(merged, text(expected), "{name}");
            assert_eq!(
                union(&text(base), &text(theirs), &text(ours)),
                merged,
                "{name}"
            );
        }
    }
}

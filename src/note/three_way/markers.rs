//! Conflicts between markers in a note, and the edits that keep one version or both.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::note::front_matter::matter;
use crate::note::{Document, Edit};

/// What to keep of a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Version {
    Both,
    Ours,
    Theirs,
}

/// A conflict between markers, as git or [`super::merge`] writes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedConflict<'t> {
    /// Span of its lines, markers included.
    pub span: Range<usize>,
    /// Reason in the first marker; empty for a conflict of git.
    pub reason: &'t str,
    /// Spans of the lines of both versions.
    versions: [Range<usize>; 2],
    /// Number of lines that may divide the versions; one unless a version has such a line.
    dividers: usize,
    is_in_front_matter: bool,
}

/// Markers in the order of a conflict. The second begins the common ancestor, which git adds on request.
const MARKERS: [&str; 4] = ["<<<<<<<", "|||||||", "=======", ">>>>>>>"];

/// Returns the index in [`MARKERS`] of the marker on `line`. In front matter of mem it is a comment.
fn marker(line: &str) -> Option<usize> {
    let line = line.strip_prefix("# ").unwrap_or(line).trim_end();
    MARKERS.iter().position(|marker| {
        let rest = line.strip_prefix(*marker);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })
}

/// Returns the conflicts of the note `text`. Those within one block of code of `document` are examples.
pub fn conflicts<'t>(text: &'t str, document: &Document<'_>) -> Vec<MarkedConflict<'t>> {
    if !text.contains(MARKERS[0]) {
        return Vec::new();
    }
    let (mut found, mut end) = (Vec::new(), 0);
    let mut open: Option<MarkedConflict<'t>> = None;
    for line in text.split_inclusive('\n') {
        let start = end;
        end += line.len();
        let Some(marker) = marker(line) else { continue };
        if marker == 0 {
            let tail = line
                .split_once("(refused_by: ")
                .map_or("", |(_, tail)| tail);
            let tail = tail.trim_end();
            open = Some(MarkedConflict {
                span: start..end,
                reason: tail.strip_suffix(')').unwrap_or(tail),
                versions: [end..end, end..end],
                dividers: 0,
                is_in_front_matter: start < document.body().start,
            });
            continue;
        }
        let Some(conflict) = &mut open else { continue };
        let has_ancestor = conflict.versions[1].start > conflict.versions[0].start;
        match marker {
            3 => {
                conflict.versions[1].end = start;
                conflict.span.end = end;
                found.extend(open.take().filter(|conflict| conflict.dividers > 0));
            }
            _ if conflict.dividers > 0 => conflict.dividers += usize::from(marker == 2),
            _ => {
                conflict.dividers += usize::from(marker == 2);
                if !has_ancestor {
                    conflict.versions[0].end = start;
                }
                conflict.versions[1] = end..end;
            }
        }
    }
    let is_example = |span: &Range<usize>| {
        let mut code = document.code();
        code.any(|code| code.contains(&span.start) && span.end <= code.end)
    };
    found.retain(|conflict| !is_example(&conflict.span));
    found
}

impl MarkedConflict<'_> {
    /// Returns both versions without comment signs of mem.
    pub fn versions(&self, text: &str) -> [String; 2] {
        let [ours, theirs] = self.versions.clone().map(|span| &text[span]);
        // Their property is a comment beside ours.
        let is_comment = text[self.span.start..].starts_with("# ") && !ours.is_empty();
        let lines = theirs.split_inclusive('\n').map(|line| {
            let bare = line.strip_prefix("# ").filter(|_| is_comment);
            bare.unwrap_or(line)
        });
        [ours.to_owned(), lines.collect()]
    }

    /// Returns the edits that keep `version`; `None` if it is unclear where a version ends.
    ///
    /// A property has one value: with both versions, theirs becomes a comment.
    pub fn edits(&self, text: &str, body_start: usize, version: Version) -> Option<Vec<Edit>> {
        if self.dividers != 1 {
            return None;
        }
        let [ours, theirs] = self.versions(text);
        let is_in_block = |line: Option<&str>| line.is_some_and(|line| !line.trim().is_empty());
        let before = text.get(body_start..self.span.start).unwrap_or_default();
        let after = &text[self.span.end..];
        let is_apart = !self.is_in_front_matter
            && !is_in_block(before.lines().next_back())
            && !is_in_block(after.lines().next());
        let ending = if text[self.span.clone()].contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        };
        let mut span = self.span.clone();
        let mut edits = Vec::new();
        let mut kept = match version {
            Version::Ours => ours,
            Version::Theirs => theirs,
            Version::Both if ours.is_empty() || theirs.is_empty() => ours + &theirs,
            Version::Both if self.is_in_front_matter => {
                let lines = theirs.split_inclusive('\n').map(|line| format!("# {line}"));
                ours + &lines.collect::<String>()
            }
            Version::Both if is_apart && !is_item(&ours) && !is_item(&theirs) => {
                ours + ending + &theirs
            }
            Version::Both => ours + &theirs,
        };
        let removed = self.versions(text).concat();
        if kept.is_empty() && self.is_in_front_matter {
            // One side removed the property.
            let keys = matter::parse(&removed).unwrap_or_default();
            edits.extend(keys.keys().map(|key| Edit::Unset {
                key: key.as_str().into(),
            }));
            kept = removed;
        } else if kept.is_empty() && is_apart {
            // Without the blank line below.
            span.end += after.split_inclusive('\n').next().map_or(0, str::len);
        } else if !text[span.clone()].ends_with('\n') {
            kept.truncate(kept.trim_end_matches(['\r', '\n']).len());
        }
        edits.push(Edit::replace(text, span, kept));
        Some(edits)
    }
}

/// Whether a version is a list or a table, whose rows need no blank line between them.
fn is_item(version: &str) -> bool {
    let first = version.trim_start().chars().next();
    first.is_some_and(|first| "-*+|".contains(first) || first.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::edit;

    fn kept(text: &str, version: Version) -> Option<String> {
        let document = Document::of_note(text);
        let edits = conflicts(text, &document)
            .iter()
            .map(|conflict| conflict.edits(text, document.body().start, version))
            .collect::<Option<Vec<_>>>()?;
        edit::apply(text, &edits.concat()).ok()
    }

    /// `O`, `A`, `D` and `T` stand for the markers of git: ours, the common ancestor, the divider, theirs; `o`, `d` and
    /// `t` for those of mem in front matter. `/` is a line break.
    fn spelled(text: &str) -> String {
        let lines = text.split('/').map(|line| match line {
            "O" => "<<<<<<< HEAD",
            "A" => "||||||| 1a2b3c4",
            "D" => "=======",
            "T" => ">>>>>>> other",
            "o" => "# <<<<<<< ours (refused_by: both sides changed `n`)",
            "d" => "# =======",
            "t" => "# >>>>>>> theirs",
            line => line,
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn each_version_can_be_kept() {
        for (text, both, ours, theirs) in [
            // A blank line separates paragraphs that stand alone, but not lines of one block.
            ("x//O/a/D/b/T//y/", "x//a//b//y/", "x//a//y/", "x//b//y/"),
            ("O/a/D/b/T/", "a//b/", "a/", "b/"),
            ("x/O/a/D/b/T/y/", "x/a/b/y/", "x/a/y/", "x/b/y/"),
            ("O/- a/D/- b/T/", "- a/- b/", "- a/", "- b/"),
            (
                "x//O/| a |/D/| b |/T/",
                "x//| a |/| b |/",
                "x//| a |/",
                "x//| b |/",
            ),
            // One side removed the text.
            ("x//O/D/b/T//y/", "x//b//y/", "x//y/", "x//b//y/"),
            ("x//O/a/D/T//y/", "x//a//y/", "x//a//y/", "x//y/"),
            // The common ancestor is in the history of git.
            ("O/a/A/old/D/b/T/", "a//b/", "a/", "b/"),
            // All of several conflicts.
            ("O/a/D/b/T//O/c/D/e/T/", "a//b//c//e/", "a//c/", "b//e/"),
            // A conflict inside a version of another.
            (
                "O/O/a/D/b/T/D/c/T/",
                "O/a/b/D/c/T/",
                "O/a/D/c/T/",
                "O/b/D/c/T/",
            ),
            // Front matter: a property has one value.
            (
                "---/k: 1/o/n: 1/d/# n: 2/t/---/x/",
                "---/k: 1/n: 1/# n: 2/---/x/",
                "---/k: 1/n: 1/---/x/",
                "---/k: 1/n: 2/---/x/",
            ),
            (
                "---/k: 1/o/d/n: 2/t/---/x/",
                "---/k: 1/n: 2/---/x/",
                "---/k: 1/---/x/",
                "---/k: 1/n: 2/---/x/",
            ),
            (
                "---/k: 1/o/n: 1/d/t/---/x/",
                "---/k: 1/n: 1/---/x/",
                "---/k: 1/n: 1/---/x/",
                "---/k: 1/---/x/",
            ),
            // Markers of git make it unreadable.
            (
                "---/O/n: 1/D/n: 2/T/k: 1/O/m: 1/D/m: 2/T/---/x/",
                "---/n: 1/# n: 2/k: 1/m: 1/# m: 2/---/x/",
                "---/n: 1/k: 1/m: 1/---/x/",
                "---/n: 2/k: 1/m: 2/---/x/",
            ),
        ] {
            let text = spelled(text);
            for ending in ["\n", "\r\n"] {
                let with_ending = |text: &str| text.replace('\n', ending);
                for (version, expected) in [
                    (Version::Both, both),
                    (Version::Ours, ours),
                    (Version::Theirs, theirs),
                ] {
                    let found = kept(&with_ending(&text), version);
                    let expected = with_ending(&spelled(expected));
                    assert_eq!(found, Some(expected), "{version:?} of {text}");
                }
            }
            let trimmed = text.trim_end();
            let expected = spelled(ours);
            assert_eq!(
                kept(trimmed, Version::Ours).as_deref(),
                Some(expected.trim_end()),
                "{trimmed}"
            );
        }
    }

    #[test]
    fn only_conflicts_are_found() {
        for (text, reasons) in [
            ("O/a/D/b/T/", &[""][..]),
            ("---/o/n: 1/d/# n: 2/t/---/", &["both sides changed `n`"]),
            ("O/a/T/D/", &[]),
            ("O//T//D/", &[]),
            ("<<<<<<<<< HEAD/D/T/", &[]),
            ("```/O/a/D/b/T/```/", &[]),
            ("```/O/a/D/b/T/```/O/c/D/e/T/", &[""]),
            ("```/O/a/```/D/b/```/T/", &[""]),
            ("x/=======/y/", &[]),
        ] {
            let text = spelled(text);
            let found = conflicts(&text, &Document::of_note(&text));
            let found: Vec<&str> = found.iter().map(|conflict| conflict.reason).collect();
            assert_eq!(found, reasons, "{text}");
        }
        // The heading may belong to either version.
        let unclear = spelled("O/Title/D/a/D/b/T/");
        assert_eq!(conflicts(&unclear, &Document::of_note(&unclear)).len(), 1);
        assert_eq!(kept(&unclear, Version::Both), None);
    }
}

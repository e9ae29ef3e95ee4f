//! Marked blocks: generated lines of a note between an opening and a closing mark.
//!
//! ```text
//! <!-- mem list tag:open -->
//! - [[Buy tea]]
//! <!-- /mem 1f0c22d9 -->
//! ```
//!
//! The opening mark contains the command. The closing mark contains a hash of the lines that mem wrote. If the hash
//! differs or is missing, a person edited the lines and mem does not overwrite them. A mark is a line of its own,
//! outside code.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::document::Document;
use crate::note::edit::Edit;
use crate::note::front_matter::split::{line_start, split};

/// A marked block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkedBlock {
    /// The content of the opening mark without `mem`: `list tag:open`.
    pub command: Range<usize>,
    /// Line number of the opening mark, from 1.
    pub line: usize,
    /// Span of the lines between the marks.
    pub inner: Range<usize>,
    /// Span of the closing mark.
    closing: Range<usize>,
    /// Span of its hash.
    hash: Option<Range<usize>>,
}

/// All marks of a note.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Complete blocks. Of two consecutive opening marks, the first opens no block.
    pub blocks: Vec<MarkedBlock>,
    /// Line and reason of each mark without a counterpart.
    pub broken: Vec<(usize, &'static str)>,
}

/// Returns the marked blocks of a note's text.
pub fn marked_blocks(text: &str) -> Vec<MarkedBlock> {
    if text.contains("/mem") {
        scan(text).blocks
    } else {
        Vec::new()
    }
}

/// Scans all marks of a note's text.
pub fn scan(text: &str) -> Marks {
    let body = split(text).body;
    let mut marks = Marks::default();
    if !text[body.clone()].contains("<!--") {
        return marks;
    }
    let document = Document::of(text, body.clone());
    let mut code = document.code().peekable();
    // The open mark: its line, its command, and the start of the content.
    let mut open: Option<(usize, Range<usize>, usize)> = None;
    let (mut start, mut number) = (body.start, text[..body.start].lines().count());
    for line in text[body].split_inclusive('\n') {
        let span = start..start + line.len();
        start = span.end;
        number += 1;
        let first = span.end - line.trim_start().len();
        while code.next_if(|code| code.end <= first).is_some() {}
        if code.peek().is_some_and(|code| code.start <= first) {
            continue;
        }
        match (Mark::of(text, &span), open.take()) {
            (Some(Mark::Open(command)), before) => {
                marks
                    .broken
                    .extend(before.map(|(line, ..)| (line, NOT_CLOSED)));
                open = Some((number, command, span.end));
            }
            (
                Some(Mark::Close {
                    span: closing,
                    hash,
                }),
                Some((line, command, from)),
            ) => {
                marks.blocks.push(MarkedBlock {
                    command,
                    line,
                    inner: from..span.start,
                    closing,
                    hash,
                });
            }
            (Some(Mark::Close { .. }), None) => {
                marks
                    .broken
                    .push((number, "this closing mark has no opening mark"));
            }
            (None, before) => {
                open = before;
                let spaced = |line: &str| line.replace("<!--mem", "<!-- mem");
                let forms = ["<!-- mem list", "<!-- mem table", "<!-- mem count"];
                let is_in = |text: &str| forms.iter().any(|form| text.contains(form));
                if is_in(&spaced(&line.to_lowercase())) && !line.contains('`') {
                    let why = if is_in(&spaced(line)) {
                        "a mark must be a line of its own"
                    } else {
                        "a mark must be in lower case"
                    };
                    marks.broken.push((number, why));
                }
            }
        }
    }
    marks
        .broken
        .extend(open.map(|(line, ..)| (line, NOT_CLOSED)));
    marks.broken.sort_unstable();
    marks
}

const NOT_CLOSED: &str = "this mark is not closed; end the list with a line `<!-- /mem -->`";

impl MarkedBlock {
    /// Returns true if the lines are as mem wrote them, or if there are none yet.
    pub fn is_untouched(&self, text: &str) -> bool {
        let lines = &text[self.inner.clone()];
        match &self.hash {
            Some(written) => text[written.clone()] == hash(lines),
            None => lines.trim().is_empty(),
        }
    }

    /// Returns the span of the lines and the closing mark, which depends on them.
    pub fn span(&self) -> Range<usize> {
        self.inner.start..self.closing.end
    }

    /// Returns the edit that replaces the lines with `lines`; `None` if nothing changes or if the block would end
    /// elsewhere.
    pub fn replaced(&self, text: &str, lines: &str) -> Option<Edit> {
        let mut lines = lines.replace('\n', split(text).ending);
        if !lines.is_empty() && !lines.ends_with('\n') {
            lines.push_str(split(text).ending);
        }
        let span = self.inner.start..self.closing.end;
        let indent = &text[self.inner.end..self.closing.start];
        // In a list item the lines are indented like the mark.
        let from = line_start(text, self.command.start);
        let line = &text[from..self.command.start];
        let depth = &line[..line.len() - line.trim_start().len()];
        if !depth.is_empty() {
            let indented = lines
                .split_inclusive('\n')
                .map(|line| format!("{depth}{line}"));
            lines = indented.collect();
        }
        let new = format!("{lines}{indent}<!-- /mem {} -->", hash(&lines));
        let was = &text[span.clone()];
        let after = [&text[..span.start], &new, &text[span.end..]].concat();
        let ends_there = marked_blocks(&after)
            .iter()
            .any(|block| block.command == self.command && after[block.inner.clone()] == *lines);
        (was != new && ends_there).then(|| Edit::replace(text, span.clone(), new))
    }
}

/// Returns a new block with the marks of `command` around `lines`.
pub fn block(command: &str, lines: &str) -> String {
    format!(
        "<!-- mem {command} -->\n{lines}<!-- /mem {} -->\n",
        hash(lines)
    )
}

/// Returns the hash for the closing mark. Carriage returns are ignored, because editors change line endings.
fn hash(lines: &str) -> String {
    format!("{:08x}", xxh3_64(lines.replace('\r', "").as_bytes()) as u32)
}

/// A line that is a mark.
enum Mark {
    /// With the span of its command.
    Open(Range<usize>),
    Close {
        span: Range<usize>,
        hash: Option<Range<usize>>,
    },
}

impl Mark {
    fn of(text: &str, line: &Range<usize>) -> Option<Self> {
        let trimmed = text[line.clone()].trim();
        let inner = trimmed.strip_prefix("<!--")?.strip_suffix("-->")?;
        if inner.contains("--") {
            return None;
        }
        let at = |part: &str| {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            start..start + part.len()
        };
        let words = inner.trim();
        let named = |name: &str| {
            let rest = words.strip_prefix(name)?;
            (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
        };
        if let Some(hash) = named("/mem") {
            let hash = Some(at(hash)).filter(|hash| !hash.is_empty());
            let span = at(trimmed);
            return Some(Self::Close { span, hash });
        }
        let command = named("mem").filter(|command| !command.is_empty())?;
        Some(Self::Open(at(command)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::edit;

    fn found(text: &str) -> Vec<(&str, &str, bool)> {
        let blocks = marked_blocks(text);
        let parts = blocks.iter().map(|block| {
            let (command, inner) = (block.command.clone(), block.inner.clone());
            (&text[command], &text[inner], block.is_untouched(text))
        });
        parts.collect()
    }

    #[test]
    fn finds_blocks_outside_code() {
        for (text, expected) in [
            ("", &[][..]),
            ("a\n<!-- mem list -->\n<!-- /mem -->", &[("list", "", true)]),
            (
                "---\nx: 1\n---\n<!--mem list tag:a-->\r\n- b\r\n  <!-- /mem -->\r\nc",
                &[("list tag:a", "- b\r\n", false)],
            ),
            // The mark ends a list, a table, a paragraph.
            (
                "<!-- mem a -->\n- b\n<!-- /mem -->\n<!-- mem c -->\n| d |\n|---|\n| e |\n<!-- /mem -->\n",
                &[("a", "- b\n", false), ("c", "| d |\n|---|\n| e |\n", false)],
            ),
            (
                "<!-- mem a -->\n<!-- mem b -->\nc\n<!-- /mem -->\n<!-- /mem -->\n",
                &[("b", "c\n", false)],
            ),
            ("```\n<!-- mem a -->\n<!-- /mem -->\n```\n", &[]),
            ("    <!-- mem a -->\n    <!-- /mem -->\n", &[]),
            ("<!-- mem a -->\n```\n<!-- /mem -->\n", &[]),
            ("<!-- mem -->\n<!-- memory a -->\n<!-- /mem -->\n", &[]),
            ("say <!-- mem a -->\n<!-- /mem -->\n", &[]),
            ("<!-- mem a --> <!-- b -->\n<!-- /mem -->\n", &[]),
        ] {
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn broken_marks_are_reported() {
        let open = "this mark is not closed; end the list with a line `<!-- /mem -->`";
        for (text, expected) in [
            ("<!-- mem list -->\n<!-- /mem -->\n", &[][..]),
            ("---\na: 1\n---\n<!-- mem list -->\nx\n", &[(4, open)]),
            (
                "<!-- mem a -->\n<!-- mem b -->\n<!-- /mem -->\n",
                &[(1, open)],
            ),
            (
                "<!-- /mem -->\n",
                &[(1, "this closing mark has no opening mark")],
            ),
            (
                "see <!-- mem list --> <!-- /mem -->\n",
                &[(1, "a mark must be a line of its own")],
            ),
            (
                "write `<!-- mem list -->`\n```\n<!-- mem list -->\n```\n<!-- memory -->\n",
                &[],
            ),
        ] {
            assert_eq!(scan(text).broken, expected, "{text:?}");
        }
    }

    #[test]
    fn lines_are_indented_like_their_mark() {
        let text = "- a\n  <!-- mem list -->\n  <!-- /mem -->\n";
        let new = written(text, "- b\n- c\n").unwrap();
        assert!(
            new.starts_with("- a\n  <!-- mem list -->\n  - b\n  - c\n  <!-- /mem "),
            "{new}"
        );
        assert!(found(&new)[0].2);
        assert_eq!(written(&new, "- b\n- c\n"), None);
    }

    fn written(text: &str, lines: &str) -> Option<String> {
        let edit = marked_blocks(text)[0].replaced(text, lines)?;
        Some(edit::apply(text, &[edit]).unwrap())
    }

    #[test]
    fn written_lines_are_recognised() {
        for text in [
            "<!-- mem list -->\n<!-- /mem -->",
            "---\nx: 1\n---\na\n\n<!-- mem list -->\nold\n<!-- /mem -->\n\nb\n",
            "a\r\n<!-- mem list -->\r\nold\r\n  <!-- /mem 01 -->\r\n",
        ] {
            let once = written(text, "- b\n- c").unwrap();
            let (_, inner, untouched) = found(&once)[0];
            assert_eq!(inner.replace("\r\n", "\n"), "- b\n- c\n", "{once:?}");
            assert_eq!(inner.contains('\r'), text.contains('\r'));
            assert!(untouched, "{once:?}");
            // Unchanged, even if an editor changed the line endings; then edited lines.
            assert_eq!(written(&once, "- b\n- c\n"), None);
            assert!(found(&once.replace('\n', "\r\n"))[0].2);
            assert!(!found(&once.replace("- c", "- d"))[0].2);
            // A new command does not count as an edit of the lines.
            assert!(found(&once.replace("list", "table"))[0].2);
            assert_eq!(
                written(&written(&once, "x").unwrap(), "- b\n- c"),
                Some(once)
            );
        }
    }

    #[test]
    fn lines_that_would_end_the_block_are_refused() {
        let text = "<!-- mem list -->\n<!-- /mem -->\n";
        for lines in [
            "<!-- /mem -->",
            "a\n<!-- mem b -->",
            "```\ncode",
            "<!-- /mem -->\n```",
        ] {
            assert_eq!(written(text, lines), None, "{lines:?}");
        }
        assert!(written(text, "```\n<!-- /mem -->\n```").is_some());
    }

    #[test]
    fn edited_lines_are_distinguished_from_generated_ones() {
        let new = block("list", "- b\n");
        let text = format!("a\n{new}c\n");
        assert!(found(&text)[0].2);
    }
}

//! Splits a body into sections and blocks, which a merge compares and moves.
//!
//! A block is a unit that must stay whole: a paragraph, a list item with its children, an ordered list, a table, a
//! code block, a quote. Some constructs that the Markdown parser splits at blank lines are joined: comments (`%%`,
//! `<!--`), formulas (`$$`) and HTML elements. A `^id` is joined with the block above it.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::document::{Document, NodeKind as Node, WalkStep};
use super::lines::is_closing_fence;
use crate::note::front_matter::split::{line_end, line_start};

/// A body as sections. Every non-blank line is in a heading or in a block.
#[derive(Debug, PartialEq)]
pub struct Sections {
    /// In document order; the first contains the text above all headings.
    pub all: Vec<Section>,
    /// The first construct that never ends.
    pub unclosed: Option<UnclosedConstruct>,
}

/// A heading and its content up to the next heading.
#[derive(Debug, PartialEq)]
pub struct Section {
    /// Heading level 1 to 6; 0 above all headings.
    pub level: u8,
    /// Source text of the heading without its markers.
    pub title: String,
    /// Index of the enclosing section; the first is its own parent.
    pub parent: usize,
    pub blocks: Vec<Block>,
    /// Offset after its last non-blank line.
    pub end: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub kind: BlockKind,
    /// Whole lines without the last line ending.
    pub span: Range<usize>,
    /// Normalised text, equal for equal blocks.
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    Paragraph,
    /// An item of an unordered list.
    Item,
    Ordered,
    /// A footnote or link reference definition, which applies to the whole note.
    Definition,
    Other,
}

/// An unclosed construct, which would swallow text added after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnclosedConstruct {
    /// Its opening delimiter.
    pub what: String,
    /// Line number in the text, from 1.
    pub line: usize,
}

/// A heading or block before joining.
struct Piece {
    level: Option<u8>,
    kind: BlockKind,
    span: Range<usize>,
    /// Code and formulas, in which no other construct begins.
    holes: Vec<Range<usize>>,
    whitespace: SignificantWhitespace,
}

/// Spans in which trailing whitespace is significant.
#[derive(Default)]
struct SignificantWhitespace {
    /// Code and HTML.
    verbatim: Vec<Range<usize>>,
    /// Hard breaks in prose.
    breaks: Vec<Range<usize>>,
}

/// Names of HTML elements with an end tag that can contain blank lines.
const ELEMENTS: &str =
    "details|div|table|section|article|aside|figure|center|blockquote|pre|script|style|ul|ol|dl";

/// Constructs that can contain blank lines: a comment, a formula, an HTML element.
static OPENER: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = format!(r"(?i)%%|\$\$|<!--|<({ELEMENTS})\b[^>]*>");
    Regex::new(&pattern).expect("a valid pattern")
});

/// The beginning of a tag of these elements.
static TAG: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)<(/?)({ELEMENTS})\b")).expect("a valid pattern"));

/// Splits `body`, whose line endings are `\n`.
pub fn read(body: &str) -> Sections {
    of(&Document::of_body(body))
}

/// Splits a parsed body.
pub fn of(document: &Document<'_>) -> Sections {
    let body = document.text();
    let (mut pieces, mut unclosed) = pieces(document);
    unclosed = join(body, &mut pieces).or(unclosed);
    let mut all = vec![Section {
        level: 0,
        title: String::new(),
        parent: 0,
        blocks: Vec::new(),
        end: 0,
    }];
    let mut at = 0;
    for piece in pieces {
        definitions(body, at..piece.span.start, &mut all);
        at = piece.span.end;
        let Some(level) = piece.level else {
            add(body, piece.kind, piece.span, &piece.whitespace, &mut all);
            continue;
        };
        let mut parent = all.len() - 1;
        while all[parent].level >= level {
            parent = all[parent].parent;
        }
        all.push(Section {
            level,
            title: title(&body[piece.span.clone()]),
            parent,
            blocks: Vec::new(),
            end: line_end(body, piece.span.end),
        });
    }
    definitions(body, at..body.len(), &mut all);
    Sections { all, unclosed }
}

/// Returns the headings and blocks of the document, and the unclosed code block.
fn pieces(document: &Document<'_>) -> (Vec<Piece>, Option<UnclosedConstruct>) {
    let body = document.text();
    let mut pieces: Vec<Piece> = Vec::new();
    let mut unclosed = None;
    let (mut depth, mut in_items, mut in_verbatim) = (0, false, false);
    for step in document.walk() {
        let is_whole = depth == 0 || depth == 1 && in_items;
        match step {
            WalkStep::Enter(node) if depth == 0 && matches!(node.kind, Node::List(None)) => {
                (depth, in_items) = (1, true);
            }
            WalkStep::Enter(node) => {
                let span = node.span.clone();
                let (level, kind) = match &node.kind {
                    Node::Heading(level) => (Some(*level), BlockKind::Other),
                    Node::Paragraph => (None, BlockKind::Paragraph),
                    Node::Item => (None, BlockKind::Item),
                    Node::List(Some(_)) => (None, BlockKind::Ordered),
                    Node::Footnote(_) => (None, BlockKind::Definition),
                    _ => (None, BlockKind::Other),
                };
                if depth == 0
                    && matches!(node.kind, Node::CodeBlock(Some(_)))
                    && !is_closed(body[span.clone()].trim())
                {
                    unclosed = Some(UnclosedConstruct::at(body, span.start, "```"));
                }
                if is_whole {
                    pieces.push(Piece::new(body, level, kind, span.clone()));
                }
                let is_code = matches!(node.kind, Node::CodeBlock(_));
                if let (true, Some(piece)) = (is_code, pieces.last_mut()) {
                    piece.holes.push(span);
                }
                in_verbatim |= is_code || matches!(node.kind, Node::HtmlBlock);
                depth += 1;
            }
            WalkStep::Leave(_) => {
                depth -= 1;
                (in_items, in_verbatim) = (in_items && depth > 0, false);
            }
            WalkStep::Leaf(node) => {
                let span = node.span.clone();
                if is_whole && matches!(node.kind, Node::Rule) {
                    pieces.push(Piece::new(body, None, BlockKind::Other, span));
                    continue;
                }
                let Some(piece) = pieces.last_mut() else {
                    continue;
                };
                // The lines of a formula are not joined.
                if matches!(node.kind, Node::DisplayMath(_)) && body[span.clone()].contains('\n') {
                    (piece.level, piece.kind) = (None, BlockKind::Other);
                }
                match node.kind {
                    Node::Code(_) | Node::InlineMath(_) | Node::DisplayMath(_) => {
                        piece.holes.push(span);
                    }
                    Node::Text(_) | Node::Html(_) if in_verbatim => {
                        piece.whitespace.verbatim.push(span);
                    }
                    Node::HardBreak => piece.whitespace.breaks.push(span),
                    _ => {}
                }
            }
        }
    }
    (pieces, unclosed)
}

impl Piece {
    fn new(body: &str, level: Option<u8>, kind: BlockKind, span: Range<usize>) -> Self {
        let start = line_start(body, span.start);
        let text_end = span.start + body[span].trim_end().len();
        // Trailing whitespace of the line belongs to the piece.
        let line_end = line_end(body, text_end);
        let end = line_end - usize::from(body[..line_end].ends_with('\n'));
        Self {
            level,
            kind,
            span: start..end.max(start),
            holes: Vec::new(),
            whitespace: SignificantWhitespace::default(),
        }
    }
}

/// Returns whether a code block has a closing fence.
fn is_closed(code: &str) -> bool {
    code.rsplit_once('\n')
        .is_some_and(|(_, last)| is_closing_fence(code, last.trim()))
}

/// An open construct while the pieces are scanned.
struct OpenConstruct {
    piece: usize,
    at: usize,
    /// Its opening delimiter; the name of an HTML element without attributes.
    what: String,
    /// Nesting depth of elements with this name.
    depth: usize,
}

impl OpenConstruct {
    /// Returns the offset in `text` where it ends.
    fn end(&mut self, text: &str) -> Option<usize> {
        let after = |mark: &str| Some(text.find(mark)? + mark.len());
        let Some(name) = self.what.strip_prefix('<').filter(|name| *name != "!--") else {
            return after(if self.what == "<!--" {
                "-->"
            } else {
                &self.what
            });
        };
        let tags = TAG.captures_iter(text);
        let mut own = tags.filter(|tag| tag[2].eq_ignore_ascii_case(name));
        own.find_map(|tag| {
            if tag[1].is_empty() {
                self.depth += 1;
            } else {
                self.depth -= 1;
            }
            let end = tag.get(0)?.end();
            (self.depth == 0).then_some(end)
        })
    }
}

/// Joins pieces of one construct, and returns the construct that never ends.
fn join(body: &str, pieces: &mut Vec<Piece>) -> Option<UnclosedConstruct> {
    let mut open: Option<OpenConstruct> = None;
    // First piece and end offset of each construct.
    let mut joins: Vec<(usize, usize)> = Vec::new();
    for (number, piece) in pieces.iter().enumerate() {
        let Range { start: mut at, end } = piece.span;
        loop {
            if let Some(opened) = &mut open {
                let Some(length) = opened.end(&body[at..end]) else {
                    break;
                };
                at += length;
                joins.push((opened.piece, end));
                open = None;
            } else {
                let Some((start, what)) = opener(body, at..end, &piece.holes) else {
                    break;
                };
                at = start + what.len();
                open = Some(OpenConstruct {
                    piece: number,
                    at: start,
                    what,
                    depth: 1,
                });
            }
        }
        let id = body[piece.span.clone()].trim().strip_prefix('^');
        let is_id = |id: &str| id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let before = number.checked_sub(1).map(|before| &pieces[before]);
        let is_named = before.is_some_and(|before| {
            let gap = body.get(before.span.end..piece.span.start);
            before.level.is_none()
                && before.kind != BlockKind::Definition
                && gap.is_some_and(|gap| gap.trim().is_empty())
        });
        if is_named && id.is_some_and(is_id) {
            joins.push((number - 1, piece.span.end));
        }
    }
    joins.sort_unstable();
    let mut joins = joins.into_iter().peekable();
    let mut joined: Vec<Piece> = Vec::new();
    // End of the last construct that began.
    let mut end = 0;
    for (number, piece) in std::mem::take(pieces).into_iter().enumerate() {
        // Only the parser ends a line at a lone carriage return, so the pieces share one line.
        let is_of_one_line = |whole: &Piece| piece.span.start < whole.span.end;
        let is_inside = piece.span.start < end || joined.last().is_some_and(is_of_one_line);
        while let Some((_, to)) = joins.next_if(|(first, _)| *first == number) {
            end = end.max(to);
        }
        match joined.last_mut() {
            Some(whole) if is_inside => {
                (whole.level, whole.kind) = (None, BlockKind::Other);
                whole.span.end = piece.span.end;
                whole.whitespace.verbatim.extend(piece.whitespace.verbatim);
                whole.whitespace.breaks.extend(piece.whitespace.breaks);
            }
            _ => joined.push(piece),
        }
    }
    *pieces = joined;
    open.map(|open| UnclosedConstruct::at(body, open.at, &open.what))
}

/// Returns the offset and delimiter of the first construct that begins in `span`.
fn opener(body: &str, span: Range<usize>, holes: &[Range<usize>]) -> Option<(usize, String)> {
    let found = OPENER.captures_iter(&body[span.clone()]);
    found.into_iter().find_map(|found| {
        let whole = found.get(0)?;
        let at = span.start + whole.start();
        let line = body[..at].rsplit('\n').next().unwrap_or_default();
        let starts_line = line
            .chars()
            .all(|c| matches!(c, ' ' | '\t' | '>' | '-' | '*' | '+'));
        let begins = !holes.iter().any(|hole| hole.contains(&at))
            && !whole.as_str().ends_with("/>")
            && (starts_line || whole.as_str() != "$$");
        let what = found.get(1).map_or(whole.as_str().to_owned(), |name| {
            format!("<{}", name.as_str())
        });
        begins.then_some((at, what))
    })
}

impl UnclosedConstruct {
    fn at(body: &str, at: usize, what: &str) -> Self {
        Self {
            what: what.to_owned(),
            line: body[..at].matches('\n').count() + 1,
        }
    }
}

/// Adds link reference definitions, for which the parser emits no event.
fn definitions(body: &str, gap: Range<usize>, all: &mut [Section]) {
    let mut open: Option<(BlockKind, Range<usize>)> = None;
    let mut at = gap.start;
    for line in body[gap].split_inclusive('\n') {
        let end = at + line.trim_end_matches('\n').len();
        let begins = line.trim_start().starts_with('[');
        if (begins || line.trim().is_empty())
            && let Some((kind, span)) = open.take()
        {
            add(body, kind, span, &SignificantWhitespace::default(), all);
        }
        match &mut open {
            Some((_, span)) => span.end = end,
            None if begins => open = Some((BlockKind::Definition, at..end)),
            None if !line.trim().is_empty() => open = Some((BlockKind::Other, at..end)),
            None => {}
        }
        at += line.len();
    }
    if let Some((kind, span)) = open {
        add(body, kind, span, &SignificantWhitespace::default(), all);
    }
}

fn add(
    body: &str,
    kind: BlockKind,
    span: Range<usize>,
    whitespace: &SignificantWhitespace,
    all: &mut [Section],
) {
    let Some(section) = all.last_mut() else {
        return;
    };
    section.end = line_end(body, span.end);
    let is_wrapped = matches!(kind, BlockKind::Paragraph | BlockKind::Definition);
    let (mut text, mut at) = (String::new(), span.start);
    for line in body[span.clone()].split_inclusive('\n') {
        let end = at + line.trim_end_matches('\n').len();
        let line = &body[at..end];
        text.push_str(match (whitespace.is_verbatim(at..end), is_wrapped) {
            (true, _) => line,
            (false, true) => line.trim(),
            (false, false) => line.trim_end(),
        });
        if let Some(mark) = whitespace.breaks(end) {
            // Both forms of a hard break are equivalent.
            if body[mark..].starts_with('\\') {
                text.pop();
            }
            text.push_str(if is_wrapped { "\n" } else { "\\\n" });
        } else if end < span.end {
            text.push(if is_wrapped { ' ' } else { '\n' });
        }
        at = (end + 1).min(span.end);
    }
    if kind == BlockKind::Item {
        text.drain(..text.len() - text.trim_start().len());
    }
    section.blocks.push(Block { kind, span, text });
}

impl SignificantWhitespace {
    fn is_verbatim(&self, line: Range<usize>) -> bool {
        let following = self.verbatim.partition_point(|span| span.end <= line.start);
        let begins = |span: &Range<usize>| span.start < line.end;
        self.verbatim.get(following).is_some_and(begins)
    }

    /// Returns the start of the hard break at the end of a line.
    fn breaks(&self, end: usize) -> Option<usize> {
        let following = self.breaks.partition_point(|span| span.end <= end);
        let span = self.breaks.get(following)?;
        (span.start <= end).then_some(span.start)
    }
}

/// Returns the text of a heading without its markers.
pub(super) fn title(heading: &str) -> String {
    let text = heading.trim();
    if !text.starts_with('#') {
        let mut lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.pop();
        return lines.join(" ");
    }
    let text = text.trim_start_matches('#').trim();
    let open = text.trim_end_matches('#');
    let is_closed = open.is_empty() || open.ends_with([' ', '\t']);
    if is_closed { open.trim_end() } else { text }.to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Formats sections as `level title: block | block`.
    fn shown(body: &str) -> Vec<String> {
        let sections = read(body);
        let shown = sections.all.iter().map(|section| {
            let blocks: Vec<&str> = section
                .blocks
                .iter()
                .map(|block| block.text.as_str())
                .collect();
            format!(
                "{} {}: {}",
                section.level,
                section.title,
                blocks.join(" | ")
            )
        });
        shown.collect()
    }

    #[test]
    fn constructs_form_one_block() {
        for (name, body, expected) in [
            ("nothing", "", &["0 : "][..]),
            (
                "sections",
                "a\n# B\nc\n\nd\n## E #\nF\n=\n",
                &["0 : a", "1 B: c | d", "2 E: ", "1 F: "],
            ),
            ("a wrapped paragraph", "a \n  b\t\nc  ", &["0 : a b c"]),
            (
                "lines that break",
                "a  \nb\\\nc  \n\n- a   \n  b\n- a\\\n  b\n",
                &["0 : a\nb\nc | - a\\\n  b | - a\\\n  b"],
            ),
            ("no break", "a  \n- b  \n  - c\n", &["0 : a | - b\n  - c"]),
            (
                "blanks in code",
                "```  \na  \n   \n```  \n\n    b \n\n- ```\n  c \n  ```\n",
                &["0 : ```\na  \n   \n``` |     b  | - ```\n  c \n  ```"],
            ),
            (
                "blanks in HTML",
                "<pre>\na  \n</pre>\n",
                &["0 : <pre>\na  \n</pre>"],
            ),
            (
                "items with nested content",
                "- a\n  - b\n\n  c\n- d\n",
                &["0 : - a\n  - b\n\n  c | - d"],
            ),
            ("steps", "1. a\n2. b\n", &["0 : 1. a\n2. b"]),
            ("a list after a paragraph", "a\n- b\n", &["0 : a | - b"]),
            (
                "a table",
                "a | b\n--|--\n1 | 2\n",
                &["0 : a | b\n--|--\n1 | 2"],
            ),
            ("code", "```\na\n\n# b\n```\n", &["0 : ```\na\n\n# b\n```"]),
            ("a quote", "> # a\n> b\nc\n", &["0 : > # a\n> b\nc"]),
            (
                "a comment",
                "%%\na\n\n# b\n%% c\n\nd\n",
                &["0 : %%\na\n\n# b\n%% c | d"],
            ),
            (
                "an HTML comment",
                "<!-- a\n\nb -->\nc\n",
                &["0 : <!-- a\n\nb --> | c"],
            ),
            (
                "a comment over items",
                "- a %%\n- b %%\n- c\n",
                &["0 : - a %%\n- b %% | - c"],
            ),
            (
                "a formula",
                "$$\na\n\nb\n$$\nc\n",
                &["0 : $$\na\n\nb\n$$\nc"],
            ),
            (
                "code shows a comment",
                "`%%` a\n\n```\n%%\n```\n",
                &["0 : `%%` a | ```\n%%\n```"],
            ),
            (
                "a formula with an underline",
                "$$\na\n=\n# b\n$$\nc\n",
                &["0 : $$\na\n=\n# b\n$$\nc"],
            ),
            (
                "money",
                "cheap $$ or\n\ndear $$$\n",
                &["0 : cheap $$ or | dear $$$"],
            ),
            (
                "an element",
                "<details>\n<summary>a</summary>\n\n<details>\n\nb\n\n</details>\n\n## c\n\n</details>\n\nd\n",
                &[
                    "0 : <details>\n<summary>a</summary>\n\n<details>\n\nb\n\n</details>\n\n## c\n\n</details> | d",
                ],
            ),
            (
                "a block id",
                "- a\n\n^x\n\nb ^y\n",
                &["0 : - a\n\n^x | b ^y"],
            ),
            (
                "definitions",
                "a [b] c[^1]\n\n[b]: x\n  'y'\n[c]: z\n\n[^1]: d\n\n    e\n",
                &["0 : a [b] c[^1] | [b]: x 'y' | [c]: z | [^1]: d  e"],
            ),
            ("a rule", "a\n\n---\n", &["0 : a | ---"]),
        ] {
            assert_eq!(shown(body), expected, "{name}");
            assert_eq!(read(body).unclosed, None, "{name}");
        }
    }

    #[test]
    fn unclosed_constructs_are_reported() {
        for (body, what, line) in [
            ("a\n\n```\nb\n", "```", 3),
            ("~~~~\n~~~", "```", 1),
            ("a %%\n\nb\n", "%%", 1),
            ("- a\n\n  <!-- b\n", "<!--", 3),
            ("$$\na\n", "$$", 1),
            ("<details>\n\n<details>\n</details>\n", "<details", 1),
        ] {
            let what = what.to_owned();
            assert_eq!(
                read(body).unclosed,
                Some(UnclosedConstruct { what, line }),
                "{body:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn every_line_is_in_a_heading_or_block(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", " ", "\n", "\n\n", "# ", "- ", "1. ", "> ", "```", "%%", "$$", "<!--", "-->", "<div>",
                    "</div>", "|", "|-|", "    ", "[a]: b", "[^1]: c", "^x", "---", "===", "é", "\t", "[^1]",
                ]),
                0..40,
            ),
        ) {
            let body = pieces.concat();
            let sections = read(&body);
            let mut at = 0;
            let titles: Vec<&str> = sections.all.iter().map(|section| section.title.as_str()).collect();
            for block in sections.all.iter().flat_map(|section| &section.blocks) {
                prop_assert!(block.span.start >= at && block.span.end <= body.len(), "{block:?}");
                // Only headings are allowed between blocks.
                let marks = |c: char| c.is_whitespace() || matches!(c, '#' | '=' | '-');
                for line in body[at..block.span.start].lines() {
                    let line = line.trim_matches(marks);
                    prop_assert!(titles.iter().any(|title| title.contains(line)), "{line:?}");
                }
                at = block.span.end;
            }
        }
    }
}

//! Splits a body into paragraphs, list items, table rows and code blocks, grouped by heading.

use std::ops::Range;

use super::{plain, size};
use crate::note::markdown::document;
use crate::note::markdown::document::{NodeKind as Node, WalkStep};

/// Maximum tokens read of a code block or display formula. The beginning identifies it; thousands of lines would
/// outweigh the surrounding prose.
const MAX_CODE_TOKENS: usize = 120;
/// Maximum tokens read of a heading.
const MAX_HEADING_TOKENS: usize = 40;

/// A heading and its content up to the next heading.
#[derive(Debug)]
pub(super) struct PassageSection {
    pub(super) level: u8,
    pub(super) title: String,
    /// Index of the enclosing section; the root is its own parent.
    pub(super) parent: usize,
}

/// A heading, or a piece of prose that is not split further.
#[derive(Debug)]
pub(super) struct PassageBlock {
    pub(super) section: usize,
    /// Whether this is the heading of its section.
    pub(super) is_heading: bool,
    /// Span in the note.
    pub(super) span: Range<usize>,
    /// Span of its plain text in [`PassageDocument::plain`].
    pub(super) plain: Range<usize>,
    /// Size of the source text, which is not smaller than that of the plain text.
    pub(super) size: usize,
}

/// A body split into sections and blocks.
#[derive(Debug)]
pub(super) struct PassageDocument {
    pub(super) plain: String,
    /// The first is the root: content above all headings.
    pub(super) sections: Vec<PassageSection>,
    /// In document order.
    pub(super) blocks: Vec<PassageBlock>,
}

/// Splits a body into blocks of at most `max_tokens` tokens.
pub(super) fn document(document: &document::Document<'_>, max_tokens: usize) -> PassageDocument {
    let mut reading = BlockReader {
        document: PassageDocument {
            plain: String::with_capacity(document.body().len()),
            sections: vec![PassageSection {
                level: 0,
                title: String::new(),
                parent: 0,
            }],
            blocks: Vec::new(),
        },
        draft: Draft::default(),
        max_tokens,
    };
    for step in document.walk() {
        reading.take(document, step);
    }
    reading.finish_block();
    reading.document
}

/// The block being read.
#[derive(Debug, Default)]
struct Draft {
    text: String,
    /// Origins of the pieces of `text`, in ascending order.
    origins: Vec<TextOrigin>,
    /// Span in the note read so far.
    span: Option<Range<usize>>,
    kind: DraftKind,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum DraftKind {
    #[default]
    Prose,
    Heading(u8),
    Code,
    /// With the end delimiter of the open tag or comment.
    Html(Option<&'static str>),
}

#[derive(Debug)]
struct TextOrigin {
    /// Offset in the draft.
    at: usize,
    /// Offset in the note.
    source: usize,
    /// Whether the draft's text equals the note's.
    is_verbatim: bool,
}

struct BlockReader {
    document: PassageDocument,
    draft: Draft,
    max_tokens: usize,
}

impl BlockReader {
    fn take(&mut self, document: &document::Document<'_>, step: WalkStep<'_>) {
        let (WalkStep::Enter(node) | WalkStep::Leave(node) | WalkStep::Leaf(node)) = step;
        let span = node.span.clone();
        match (&node.kind, step) {
            (Node::Heading(level), WalkStep::Enter(_)) => {
                self.begin(DraftKind::Heading(*level), span);
            }
            (Node::CodeBlock(_), WalkStep::Enter(_)) => self.begin(DraftKind::Code, span),
            (Node::HtmlBlock, WalkStep::Enter(_)) => self.begin(DraftKind::Html(None), span),
            (Node::TableCell, WalkStep::Enter(_)) => self.draft.text.push(' '),
            (Node::TableCell, _) => {}
            (Node::Text(content) | Node::Code(content) | Node::InlineMath(content), _) => {
                self.draft.push(document.said(content), span);
            }
            (Node::DisplayMath(content), _) => {
                let content = document.said(content).replace(['\n', '\r'], " ");
                self.draft
                    .push(size::clipped(&content, MAX_CODE_TOKENS), span);
            }
            (Node::Html(content), _) => self.draft.push_html(document.said(content), span.start),
            (Node::InlineHtml(_) | Node::SoftBreak, _) => self.draft.push(" ", span),
            (Node::HardBreak, _) => self.draft.push("\n", span),
            (kind, _) if kind.is_block() || matches!(kind, Node::Rule) => self.finish_block(),
            _ => {}
        }
    }

    fn begin(&mut self, kind: DraftKind, span: Range<usize>) {
        self.finish_block();
        self.draft.kind = kind;
        self.draft.span = Some(span);
    }

    /// Adds the draft to the document and starts a new one.
    fn finish_block(&mut self) {
        let kind = std::mem::take(&mut self.draft.kind);
        if let Some(span) = self.draft.span.take() {
            match kind {
                DraftKind::Heading(level) => self.add_heading(level, span),
                DraftKind::Code => {
                    let code = size::clipped(
                        self.draft.text.trim_start(),
                        MAX_CODE_TOKENS.min(self.max_tokens),
                    );
                    let start = self.document.plain.len();
                    self.document.plain.push_str(code);
                    self.add(start, span, size::size(code), false);
                }
                DraftKind::Prose | DraftKind::Html(_) => self.add_prose(span),
            }
        }
        self.draft.text.clear();
        self.draft.origins.clear();
    }

    fn add_heading(&mut self, level: u8, span: Range<usize>) {
        let sections = &mut self.document.sections;
        let mut parent = sections.len() - 1;
        while sections[parent].level >= level {
            parent = sections[parent].parent;
        }
        let start = self.document.plain.len();
        let raw = self.draft.text.trim();
        plain::push(
            size::clipped(raw, MAX_HEADING_TOKENS.min(self.max_tokens)),
            &mut self.document.plain,
        );
        let title = self.document.plain[start..].trim().to_owned();
        sections.push(PassageSection {
            level,
            title,
            parent,
        });
        let size = size::size(&self.document.plain[start..]);
        self.add(start, span, size, true);
    }

    fn add_prose(&mut self, span: Range<usize>) {
        let text = std::mem::take(&mut self.draft.text);
        for (piece, size) in size::pieces(&text, self.max_tokens) {
            let from = match piece.start {
                0 => span.start,
                at => self.draft.source(at, &span),
            };
            let until = match piece.end {
                end if end == text.len() => span.end,
                end => self.draft.source(end, &span),
            };
            let start = self.document.plain.len();
            plain::push(&text[piece], &mut self.document.plain);
            self.add(start, from..until, size, false);
        }
        self.draft.text = text;
    }

    /// Adds a block at `span` whose plain text begins at `start`.
    fn add(&mut self, start: usize, span: Range<usize>, size: usize, is_heading: bool) {
        let document = &mut self.document;
        let text = &document.plain[start..];
        if text.trim().is_empty() && !is_heading {
            document.plain.truncate(start);
            return;
        }
        document.blocks.push(PassageBlock {
            section: document.sections.len() - 1,
            is_heading,
            span,
            plain: start..document.plain.len(),
            size,
        });
    }
}

impl Draft {
    /// Appends `piece`, the plain text of `span`.
    fn push(&mut self, piece: &str, span: Range<usize>) {
        self.origins.push(TextOrigin {
            at: self.text.len(),
            source: span.start,
            is_verbatim: piece.len() == span.len(),
        });
        self.text.push_str(piece);
        match &mut self.span {
            Some(known) => *known = known.start.min(span.start)..known.end.max(span.end),
            None => self.span = Some(span),
        }
    }

    /// Appends the text between tags and comments of `html`, which begins at `source`.
    fn push_html(&mut self, html: &str, source: usize) {
        let DraftKind::Html(mut open) = self.kind else {
            return;
        };
        let mut at = 0;
        while at < html.len() {
            let rest = &html[at..];
            if let Some(end) = open {
                let Some(length) = rest.find(end) else { break };
                at += length + end.len();
                open = None;
                continue;
            }
            let length = rest.find('<').unwrap_or(rest.len());
            if length > 0 {
                self.push(&rest[..length], source + at..source + at + length);
            }
            at += length;
            let rest = &html[at..];
            if rest.is_empty() {
                break;
            }
            open = tag_end(rest);
            if open.is_none() {
                self.push("<", source + at..source + at + 1);
                at += 1;
            }
        }
        self.kind = DraftKind::Html(open);
    }

    /// Returns the position in the note of draft offset `at`, clamped to `span`.
    fn source(&self, at: usize, span: &Range<usize>) -> usize {
        let origin = self.origins.partition_point(|origin| origin.at <= at);
        let Some(origin) = origin.checked_sub(1).map(|origin| &self.origins[origin]) else {
            return span.start;
        };
        let into = if origin.is_verbatim {
            at - origin.at
        } else {
            0
        };
        (origin.source + into).clamp(span.start, span.end)
    }
}

/// Returns the end delimiter of the tag, comment or script at the start of `html`.
fn tag_end(html: &str) -> Option<&'static str> {
    let begins = |name: &str| {
        html.get(..name.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    if html.starts_with("<!--") {
        Some("-->")
    } else if begins("<script") {
        Some("</script>")
    } else if begins("<style") {
        Some("</style>")
    } else if html[1..]
        .starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'))
    {
        Some(">")
    } else {
        None
    }
}

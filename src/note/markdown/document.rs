//! A lossless model of a body: blocks and inlines with byte spans.
//!
//! All readers of a note query a [`Document`], so they agree on what is code, a heading, a list item or a link.
//! [`loss_check`](super::loss_check) and [`link_audit`](super::link_audit) do not use it, because they check the results of
//! the others.
//!
//! Nodes are those of `pulldown-cmark` in [`DIALECT`], adjusted to Obsidian: a display formula may contain blank
//! lines and lines of `=`, and code or math that starts in a wikilink is part of the link. Nodes hold spans; text is
//! copied only where it differs from the source (`&amp;`). Time and memory are linear in the length of the text.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{Alignment, BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Parser, Tag};

use super::fences::{Code, Fences};
use super::{DIALECT, links};
use crate::note::front_matter::split::split;
use crate::note::splice::spliced;

/// Maximum parses of a body. Two suffice unless code or math starts in one wikilink and ends in another; each further
/// parse resolves one such case per block.
const MAX_PARSES: usize = 6;

/// A parsed body.
#[derive(Debug)]
pub struct Document<'t> {
    text: &'t str,
    body: Range<usize>,
    nodes: Vec<MarkdownNode>,
    definitions: Vec<Definition>,
    undefined: Vec<Range<usize>>,
}

/// A block or an inline.
#[derive(Debug)]
pub struct MarkdownNode {
    pub kind: NodeKind,
    /// Span in the text, including delimiters.
    pub span: Range<usize>,
    /// Index of the enclosing node; `None` at the top level.
    pub parent: Option<usize>,
    /// One past the index of the last descendant.
    pub end: usize,
}

/// The type of a node.
#[derive(Debug)]
pub enum NodeKind {
    Paragraph,
    /// Level 1 to 6.
    Heading(u8),
    Quote,
    /// Number of the first item; `None` for a bullet list.
    List(Option<u64>),
    /// In a tight list its text is not wrapped in a paragraph.
    Item,
    /// The info string; `None` for indented code.
    CodeBlock(Option<NodeText>),
    HtmlBlock,
    /// A footnote definition with its label.
    Footnote(NodeText),
    Table(Vec<Alignment>),
    TableHead,
    TableRow,
    TableCell,
    /// A thematic break.
    Rule,
    Emphasis,
    Strong,
    Strikethrough,
    Link(Box<Target>),
    Image(Box<Target>),
    Text(NodeText),
    Code(NodeText),
    InlineMath(NodeText),
    DisplayMath(NodeText),
    /// A line of an HTML block.
    Html(NodeText),
    /// A tag or comment in a paragraph.
    InlineHtml(NodeText),
    /// A footnote reference with its label.
    FootnoteMark(NodeText),
    /// A line end in a paragraph.
    SoftBreak,
    HardBreak,
    /// `[ ]` or `[x]` of an item; true if checked.
    TaskMark(bool),
}

/// The text of a node without delimiters.
#[derive(Debug)]
pub enum NodeText {
    /// A span of the source.
    Written(Range<usize>),
    /// A copy that differs from the source: an entity, code of several lines.
    Other(Box<str>),
}

/// The destination of a Markdown link or image.
#[derive(Debug)]
pub struct Target {
    pub form: LinkType,
    pub destination: NodeText,
    /// The label of a reference link.
    pub label: NodeText,
    /// The span of the definition of a reference link.
    pub definition: Option<Range<usize>>,
}

/// A link reference definition: `[label]: destination`.
#[derive(Debug)]
pub struct Definition {
    pub label: NodeText,
    pub destination: NodeText,
    pub title: Option<NodeText>,
    /// Starts at the opening bracket.
    pub span: Range<usize>,
}

/// A step of a [walk](Document::walk) over the nodes.
#[derive(Clone, Copy, Debug)]
pub enum WalkStep<'d> {
    /// Enters a node that can have children.
    Enter(&'d MarkdownNode),
    /// Leaves it.
    Leave(&'d MarkdownNode),
    /// A node that cannot have children.
    Leaf(&'d MarkdownNode),
}

impl<'t> Document<'t> {
    /// Parses `text[body]`.
    pub fn of(text: &'t str, body: Range<usize>) -> Self {
        let mut parsed = with_joined_formulas(&text[body.clone()]);
        let mut passes = 1;
        loop {
            let document = Self::parsed(text, body.clone(), &parsed);
            let links = document.masking_links();
            if links.is_empty() || passes == MAX_PARSES {
                return document;
            }
            parsed = masked(&parsed, &links, body.start).into();
            passes += 1;
        }
    }

    /// Parses the body of a note's `text`.
    pub fn of_note(text: &'t str) -> Self {
        Self::of(text, split(text).body)
    }

    /// Parses `text` that has no front matter.
    pub fn of_body(text: &'t str) -> Self {
        Self::of(text, 0..text.len())
    }

    /// Builds the nodes from `parsed`, a copy of `text[body]` with some bytes masked.
    fn parsed(text: &'t str, body: Range<usize>, parsed: &str) -> Self {
        let offsets = OffsetMap {
            parsed,
            offset: body.start,
        };
        let mut undefined = Vec::new();
        let broken = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
            undefined.push(offsets.of(&link.span));
            None
        };
        let parser = Parser::new_with_broken_link_callback(parsed, DIALECT, Some(broken));
        let mut definitions: Vec<Definition> = parser
            .reference_definitions()
            .iter()
            .map(|(label, definition)| Definition {
                label: offsets.content(CowStr::Borrowed(label)),
                destination: offsets.content(definition.dest.clone()),
                title: definition.title.clone().map(|title| offsets.content(title)),
                span: offsets.of(&definition.span),
            })
            .collect();
        definitions.sort_unstable_by_key(|definition| definition.span.start);
        let mut nodes: Vec<MarkdownNode> = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut events = parser.into_offset_iter();
        while let Some((event, span)) = events.next() {
            let kind = match event {
                Event::End(_) => {
                    if let Some(at) = open.pop() {
                        nodes[at].end = nodes.len();
                    }
                    continue;
                }
                Event::Start(tag) => offsets.kind(tag, |label| {
                    let known = events.reference_definitions().get(label)?;
                    Some(offsets.of(&known.span))
                }),
                leaf => offsets.leaf(leaf),
            };
            let parent = open.last().copied();
            if !kind.is_leaf() {
                open.push(nodes.len());
            }
            nodes.push(MarkdownNode {
                kind,
                span: offsets.of(&span),
                parent,
                end: nodes.len() + 1,
            });
        }
        drop(events);
        Self {
            text,
            body,
            nodes,
            definitions,
            undefined,
        }
    }

    /// Returns the text that all spans refer to.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the range of the text that was parsed.
    pub fn body(&self) -> Range<usize> {
        self.body.clone()
    }

    /// Returns all nodes in document order, parents before children.
    pub fn nodes(&self) -> &[MarkdownNode] {
        &self.nodes
    }

    /// Returns the link reference definitions in document order; for duplicate labels only the first.
    pub fn definitions(&self) -> &[Definition] {
        &self.definitions
    }

    /// Returns the spans of brackets that would be reference links if their label was defined.
    pub fn undefined(&self) -> &[Range<usize>] {
        &self.undefined
    }

    /// Returns the text of a content. In a formula of several lines, line ends are as in the source.
    pub fn said<'d>(&'d self, content: &'d NodeText) -> &'d str {
        match content {
            NodeText::Written(span) => &self.text[span.clone()],
            NodeText::Other(text) => text,
        }
    }

    /// Returns the top-level nodes.
    pub fn outermost(&self) -> impl Iterator<Item = &MarkdownNode> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let node = self.nodes.get(next)?;
            next = node.end;
            Some(node)
        })
    }

    /// Walks all nodes in document order.
    pub fn walk(&self) -> impl Iterator<Item = WalkStep<'_>> {
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        std::iter::from_fn(move || {
            if let Some(done) = open.pop_if(|at| self.nodes[*at].end <= next) {
                return Some(WalkStep::Leave(&self.nodes[done]));
            }
            let node = self.nodes.get(next)?;
            next += 1;
            if node.kind.is_leaf() {
                return Some(WalkStep::Leaf(node));
            }
            open.push(next - 1);
            Some(WalkStep::Enter(node))
        })
    }

    /// Returns the spans of code blocks and inline code in document order.
    pub fn code(&self) -> impl Iterator<Item = Range<usize>> {
        let is_code =
            |node: &&MarkdownNode| matches!(node.kind, NodeKind::CodeBlock(_) | NodeKind::Code(_));
        self.nodes
            .iter()
            .filter(is_code)
            .map(|node| node.span.clone())
    }

    /// Returns the spans that are not plain text: code, HTML, math, Markdown links.
    pub(super) fn holes(&self) -> Vec<Range<usize>> {
        let definitions = self.definitions.iter();
        let mut holes: Vec<Range<usize>> = definitions
            .map(|definition| definition.span.clone())
            .collect();
        holes.extend(self.nodes.iter().filter_map(|node| match &node.kind {
            NodeKind::Code(_)
            | NodeKind::CodeBlock(_)
            | NodeKind::HtmlBlock
            | NodeKind::InlineHtml(_) => Some(node.span.clone()),
            // `$5 and C$7` are two amounts of money.
            NodeKind::InlineMath(_) | NodeKind::DisplayMath(_) => {
                let after = &self.text[node.span.end..self.body.end];
                (!after.starts_with(|c: char| c.is_ascii_digit())).then(|| node.span.clone())
            }
            NodeKind::Link(target) | NodeKind::Image(target)
                if !self.is_wikilink(target.form, &node.span) =>
            {
                Some(self.link_span(target.form, &node.span))
            }
            _ => None,
        }));
        holes.sort_unstable_by_key(|hole| (hole.start, hole.end));
        holes
    }

    /// Whether the parser took the inner brackets of `[[a]]` for a reference link, or `[[a]](s)` for a link.
    pub(super) fn is_wikilink(&self, form: LinkType, span: &Range<usize>) -> bool {
        if form == LinkType::Inline {
            return links::is_wikilink_before_text(&self.text[span.clone()]);
        }
        // `[![p][id]]` is a picture in brackets.
        is_by_reference(form)
            && self.text[span.clone()].starts_with('[')
            && self.text[self.body.start..span.start].ends_with('[')
            && self.text[span.end..self.body.end].starts_with(']')
    }

    /// Returns the full span of `[label][]`; the parser omits the empty brackets.
    pub(super) fn link_span(&self, form: LinkType, span: &Range<usize>) -> Range<usize> {
        let is_cut =
            form == LinkType::Collapsed && !self.text[self.body.start..span.end].ends_with("[]");
        let cut = is_cut && self.text[span.end..self.body.end].starts_with("[]");
        span.start..span.end + if cut { "[]".len() } else { 0 }
    }

    /// Returns the spans, from `[[` to `]]`, of wikilinks in which a hole starts.
    ///
    /// A hole that ends after its wikilink makes the rest of the block unreliable, so the search resumes at the
    /// next block.
    fn masking_links(&self) -> Vec<Range<usize>> {
        let markdown = &self.text[..self.body.end];
        let mut links = Vec::new();
        if !markdown[self.body.start..].contains("[[") {
            return links;
        }
        let all_holes = self.holes();
        let mut holes = all_holes.iter().peekable();
        let mut at = self.body.start;
        while let Some(length) = markdown[at..].find("[[") {
            at += length;
            // No later hole can start in a wikilink.
            if holes.peek().is_none() {
                break;
            }
            if let Some(hole) = holes.next_if(|hole| hole.start <= at) {
                at = at.max(hole.end);
                continue;
            }
            let Some(link) = links::wikilink(markdown, at) else {
                at += 1;
                continue;
            };
            let end = link.span.end;
            let mut inside: Option<usize> = None;
            while let Some(hole) = holes.next_if(|hole| hole.start < end) {
                inside = inside.max(Some(hole.end));
            }
            if inside.is_some() {
                links.push(at..end);
            }
            at = match inside {
                Some(inside) if inside > end => {
                    let next = self.nodes.partition_point(|node| node.span.start < end);
                    let mut rest = self.nodes[next..].iter();
                    let next = rest.find(|node| node.kind.is_block());
                    next.map_or(markdown.len(), |next| next.span.start)
                }
                _ => end,
            };
        }
        links
    }
}

impl NodeKind {
    /// Returns whether this is a block, whose start ends any inline code or math.
    pub fn is_block(&self) -> bool {
        matches!(
            self,
            Self::Paragraph
                | Self::Heading(_)
                | Self::Quote
                | Self::List(_)
                | Self::Item
                | Self::CodeBlock(_)
                | Self::HtmlBlock
                | Self::Footnote(_)
                | Self::Table(_)
                | Self::TableHead
                | Self::TableRow
                | Self::TableCell
        )
    }

    /// Returns whether this node cannot have children.
    pub fn is_leaf(&self) -> bool {
        let is_inline_container = matches!(
            self,
            Self::Emphasis | Self::Strong | Self::Strikethrough | Self::Link(_) | Self::Image(_)
        );
        !self.is_block() && !is_inline_container
    }
}

/// Maps offsets of the parsed text to offsets of the document.
struct OffsetMap<'p> {
    parsed: &'p str,
    offset: usize,
}

impl OffsetMap<'_> {
    fn of(&self, span: &Range<usize>) -> Range<usize> {
        span.start + self.offset..span.end + self.offset
    }

    fn content(&self, piece: CowStr<'_>) -> NodeText {
        if let CowStr::Borrowed(piece) = piece {
            // A slice of `parsed`: the pointer difference is its offset. Other texts belong to the parser.
            let at = (piece.as_ptr() as usize).wrapping_sub(self.parsed.as_ptr() as usize);
            if at <= self.parsed.len() && piece.len() <= self.parsed.len() - at {
                return NodeText::Written(self.of(&(at..at + piece.len())));
            }
        }
        NodeText::Other(piece.into_string().into())
    }

    /// Returns the kind of a node with children; `definition` looks up the span of a label.
    fn kind(&self, tag: Tag<'_>, definition: impl Fn(&str) -> Option<Range<usize>>) -> NodeKind {
        let target = |form, destination, label: CowStr<'_>| {
            let is_by_reference = is_by_reference(form);
            Box::new(Target {
                form,
                destination: self.content(destination),
                definition: is_by_reference.then(|| definition(&label)).flatten(),
                label: self.content(label),
            })
        };
        match tag {
            Tag::Heading { level, .. } => NodeKind::Heading(level as u8),
            Tag::BlockQuote(_) => NodeKind::Quote,
            Tag::CodeBlock(CodeBlockKind::Indented) => NodeKind::CodeBlock(None),
            Tag::CodeBlock(CodeBlockKind::Fenced(info)) => {
                NodeKind::CodeBlock(Some(self.content(info)))
            }
            Tag::HtmlBlock => NodeKind::HtmlBlock,
            Tag::List(first) => NodeKind::List(first),
            Tag::Item => NodeKind::Item,
            Tag::FootnoteDefinition(label) => NodeKind::Footnote(self.content(label)),
            Tag::Table(columns) => NodeKind::Table(columns),
            Tag::TableHead => NodeKind::TableHead,
            Tag::TableRow => NodeKind::TableRow,
            Tag::TableCell => NodeKind::TableCell,
            Tag::Emphasis => NodeKind::Emphasis,
            Tag::Strong => NodeKind::Strong,
            Tag::Strikethrough => NodeKind::Strikethrough,
            Tag::Link {
                link_type,
                dest_url,
                id,
                ..
            } => NodeKind::Link(target(link_type, dest_url, id)),
            Tag::Image {
                link_type,
                dest_url,
                id,
                ..
            } => NodeKind::Image(target(link_type, dest_url, id)),
            // The dialect produces no others.
            _ => NodeKind::Paragraph,
        }
    }

    /// Returns the kind of a leaf.
    fn leaf(&self, event: Event<'_>) -> NodeKind {
        match event {
            Event::Code(piece) => NodeKind::Code(self.content(piece)),
            Event::InlineMath(piece) => NodeKind::InlineMath(self.content(piece)),
            Event::DisplayMath(piece) => NodeKind::DisplayMath(self.content(piece)),
            Event::Html(piece) => NodeKind::Html(self.content(piece)),
            Event::InlineHtml(piece) => NodeKind::InlineHtml(self.content(piece)),
            Event::FootnoteReference(label) => NodeKind::FootnoteMark(self.content(label)),
            Event::SoftBreak => NodeKind::SoftBreak,
            Event::HardBreak => NodeKind::HardBreak,
            Event::TaskListMarker(done) => NodeKind::TaskMark(done),
            Event::Text(piece) => NodeKind::Text(self.content(piece)),
            Event::Rule | Event::Start(_) | Event::End(_) => NodeKind::Rule,
        }
    }
}

fn is_by_reference(form: LinkType) -> bool {
    use LinkType::{Collapsed, Reference, Shortcut};
    matches!(form, Reference | Collapsed | Shortcut)
}

/// Returns `parsed`, which starts at `offset`, with markup characters in `links` masked. The length in bytes is
/// unchanged.
fn masked(parsed: &str, links: &[Range<usize>], offset: usize) -> String {
    let masked = links.iter().map(|link| {
        let inner = link.start - offset + "[[".len()..link.end - offset - "]]".len();
        // The table bar and its escape stay: they delimit cells.
        let plain = parsed[inner.clone()].replace(['`', '$', '<', '>', '[', ']', '!'], "x");
        (inner, plain)
    });
    spliced(parsed, 0..parsed.len(), masked.collect())
}

/// Returns `text` with the lines of each display formula (`$$` to `$$`) joined. The length in bytes is unchanged.
///
/// In Obsidian a blank line or a line of `=` or `#` is part of the formula; the parser would end the formula there.
fn with_joined_formulas(text: &str) -> Cow<'_, str> {
    let formulas = formulas(text);
    if formulas.is_empty() {
        return Cow::Borrowed(text);
    }
    let joined = formulas.into_iter().map(|formula| {
        let line = text[formula.clone()].replace(['\n', '\r'], " ");
        (formula, line)
    });
    Cow::Owned(spliced(text, 0..text.len(), joined.collect()))
}

/// Returns the display formulas of several lines: the first `$$` begins a line, the second ends one.
fn formulas(text: &str) -> Vec<Range<usize>> {
    let mut formulas = Vec::new();
    if !text.contains("$$") {
        return formulas;
    }
    let mut fences = Fences::default();
    // Start of the open formula, and whether its first line has content. If so, a blank line ends it.
    let mut open: Option<(usize, bool)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let content = line.trim_start_matches([' ', '\t', '>']);
        let at = end - content.len();
        let is_outside = fences.next(line) == Code::Outside;
        open = match (open, line.split_once("$$")) {
            _ if !is_outside => None,
            (Some((_, true)), _) if content.trim().is_empty() => None,
            (open @ Some(_), None) => open,
            (Some((first, _)), Some((inside, after)))
                if !after
                    .trim_start()
                    .starts_with(|c: char| c.is_alphanumeric() || c == '$') =>
            {
                formulas.push(first..start + inside.len());
                None
            }
            _ => {
                let rest = content.strip_prefix("$$").unwrap_or("$");
                let begins = !rest.starts_with('$') && !rest.contains("$$");
                begins.then_some((at, !rest.trim().is_empty()))
            }
        };
        start = end;
    }
    formulas
}

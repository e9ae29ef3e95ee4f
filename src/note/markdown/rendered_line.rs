//! Renders a line of Markdown as styled pieces without its markers.
//!
//! Each line is rendered separately, so lines of the note stay lines. A marker without a partner on its line is text.
//! The caller handles code blocks, which cannot be recognised from one line.

use std::ops::Range;

use pulldown_cmark::LinkType;

use super::body::BodyOutline;
use super::document::{self, Document, NodeKind as Node, NodeText, WalkStep};
use super::links::{Link, LinkKind};
use super::passages::without_block_id;

/// Maximum bytes of a line that is parsed; searching a longer one for closing markers takes too long.
const MAX_LINE_BYTES: usize = 8192;

/// The type of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// With its level.
    Heading(usize),
    /// A task. Not open means done, dropped or in a custom state.
    Task {
        is_open: bool,
    },
    /// A list item; its bullet or number is kept.
    Item,
    /// A table row.
    Row,
    /// A thematic break, the delimiter row of a table, or a comment.
    Rule,
    Text,
}

/// The style of a piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "looks go together")]
pub struct TextStyle {
    pub strong: bool,
    pub emphasis: bool,
    pub struck: bool,
    pub highlight: bool,
    pub code: bool,
    /// Not rendered: a tag, a comment, a footnote reference or a block id.
    pub hidden: bool,
}

/// The target of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PieceTarget {
    /// A note or file of the vault: a wikilink's target.
    Note(String),
    /// An address or a path, verbatim.
    Address(String),
}

/// A piece of a line with one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    pub text: String,
    /// Byte offset in the source line.
    pub at: usize,
    pub look: TextStyle,
    pub leads: Option<PieceTarget>,
    /// Whether a new table cell begins here.
    pub is_cell: bool,
    /// Whether it is an embed: a picture, a note.
    pub is_embed: bool,
}

impl Piece {
    fn hidden(line: &str, span: Range<usize>) -> Self {
        let look = TextStyle {
            hidden: true,
            ..TextStyle::default()
        };
        Self {
            text: line[span.clone()].to_owned(),
            at: span.start,
            look,
            ..Self::default()
        }
    }

    /// Returns whether it is rendered as text.
    fn is_text(&self) -> bool {
        !self.look.hidden && !self.is_embed
    }
}

/// A rendered line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedLine {
    pub kind: LineKind,
    /// Quote depth.
    pub quoted: usize,
    /// Indentation in columns.
    pub indent: usize,
    pub pieces: Vec<Piece>,
}

impl RenderedLine {
    /// Returns the text, with dots between table cells and without the names of embeds.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for piece in self.pieces.iter().filter(|piece| piece.is_text()) {
            if piece.is_cell && !text.is_empty() {
                text.truncate(text.trim_end().len());
                text.push_str(" · ");
            }
            text.push_str(if piece.is_cell {
                piece.text.trim_start()
            } else {
                &piece.text
            });
        }
        text.trim().to_owned()
    }

    /// Returns whether the line consists of embeds only.
    pub fn is_embed(&self) -> bool {
        self.pieces.iter().any(|piece| piece.is_embed) && self.text().is_empty()
    }

    /// Maps byte `at` of [`Self::text`] to the source line. Positions inside a link's target map to its start.
    pub fn origin(&self, line: &str, at: usize) -> usize {
        let text = self.text();
        let mut rest = text.as_str();
        for piece in self.pieces.iter().filter(|piece| piece.is_text()) {
            let own = piece.text.trim();
            let Some(found) = rest.find(own).filter(|_| !own.is_empty()) else {
                continue;
            };
            let start = text.len() - rest.len() + found;
            if at < start + own.len() {
                let lead = piece.text.len() - piece.text.trim_start().len();
                let inside = piece.at + lead + at.saturating_sub(start);
                let is_verbatim = line
                    .get(piece.at + lead..)
                    .is_some_and(|l| l.starts_with(own));
                return if is_verbatim { inside } else { piece.at };
            }
            rest = &rest[found + own.len()..];
        }
        0
    }
}

/// Renders `line`.
pub fn render_line(line: &str) -> RenderedLine {
    let mut seen = RenderedLine {
        kind: LineKind::Text,
        quoted: 0,
        indent: 0,
        pieces: Vec::new(),
    };
    if line.len() > MAX_LINE_BYTES {
        seen.pieces.push(Piece {
            text: line.to_owned(),
            ..Piece::default()
        });
        return seen;
    }
    let mut at = 0;
    loop {
        let rest = &line[at..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        seen.indent += rest[..blanks]
            .bytes()
            .map(|b| if b == b'\t' { 4 } else { 1 })
            .sum::<usize>();
        at += blanks;
        if !line[at..].starts_with('>') {
            break;
        }
        seen.quoted += 1;
        seen.indent = 0;
        at += 1;
        at += usize::from(line[at..].starts_with(' '));
    }
    let mut end = at + without_block_id(line[at..].trim_end()).len();
    let rest = &line[at..end];
    if is_rule(rest) {
        seen.kind = LineKind::Rule;
        return seen;
    }
    let id = end..line.trim_end().len();
    let hashes = rest.bytes().take_while(|b| *b == b'#').count();
    if (1..=6).contains(&hashes) && rest[hashes..].starts_with([' ', '\t']) {
        seen.kind = LineKind::Heading(hashes);
        at += hashes;
        at += line[at..end].len() - line[at..end].trim_start().len();
        let closed = line[at..end].trim_end_matches('#');
        if closed.ends_with(' ') {
            end = at + closed.trim_end().len();
        }
    } else if let Some(mark) = item_mark(rest) {
        seen.kind = LineKind::Item;
        at += mark;
        if let Some((state, length)) = task_mark(&line[at..end]) {
            let is_open = state == ' ';
            seen.kind = LineKind::Task { is_open };
            at += length;
        } else if rest.as_bytes()[0].is_ascii_digit() {
            // A number is kept in the text.
            at -= mark;
        }
    } else if rest.starts_with('|') {
        seen.kind = LineKind::Row;
    } else if seen.quoted > 0
        && let Some(length) = callout_mark(rest)
    {
        at += length;
    }
    seen.pieces = pieces(&line[at..end], seen.kind == LineKind::Row);
    for piece in &mut seen.pieces {
        piece.at += at;
    }
    if id.start == end && !id.is_empty() {
        seen.pieces.push(Piece::hidden(line, id));
    }
    seen
}

/// Returns whether a line has no content: a thematic break, a delimiter row, a comment.
fn is_rule(line: &str) -> bool {
    let marks = || line.chars().filter(|c| !c.is_whitespace());
    let consists_of = |of: char| marks().count() >= 3 && marks().all(|c| c == of);
    let is_comment =
        line.starts_with("<!--") && line.ends_with("-->") && !line[4..].contains("<!--");
    ['-', '*', '_', '='].into_iter().any(consists_of)
        || is_delimiter(line)
        || is_comment
        || line == "%%"
}

/// Returns whether `line` is the delimiter row of a table.
fn is_delimiter(line: &str) -> bool {
    let is_sign = |c: char| matches!(c, '|' | '-' | ':' | ' ' | '\t');
    line.contains('-') && line.contains('|') && line.chars().all(is_sign)
}

/// Returns the length of a list item marker including the whitespace after it.
pub(crate) fn item_mark(rest: &str) -> Option<usize> {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length = match rest.as_bytes() {
        [b'-' | b'*' | b'+', ..] => 1,
        bytes if (1..=9).contains(&digits) && matches!(bytes.get(digits), Some(b'.' | b')')) => {
            digits + 1
        }
        _ => return None,
    };
    let after = &rest[length..];
    let blanks = after.len() - after.trim_start().len();
    (blanks > 0).then_some(length + blanks)
}

/// Returns the state of a task, `[x] `, and the length of its marker.
fn task_mark(rest: &str) -> Option<(char, usize)> {
    let mut chars = rest.strip_prefix('[')?.chars();
    let state = chars.next()?;
    let after = chars.as_str().strip_prefix(']')?;
    let blanks = after.len() - after.trim_start().len();
    let is_task = blanks > 0 || after.is_empty();
    is_task.then_some((state, rest.len() - after.len() + blanks))
}

/// Returns the length of a callout marker: `[!note]- `.
fn callout_mark(rest: &str) -> Option<usize> {
    let (_, after) = rest.strip_prefix("[!")?.split_once(']')?;
    let after = after.strip_prefix(['-', '+']).unwrap_or(after);
    Some(rest.len() - after.trim_start().len())
}

/// Prepended to a line so that its text does not start a block.
const LINE_PREFIX: &str = "x ";

/// Renders `inner`, a line without its leading markers.
fn pieces(inner: &str, is_row: bool) -> Vec<Piece> {
    let text = format!("{LINE_PREFIX}{inner}");
    let document = Document::of_body(&text);
    let mut reading = LineRenderer::of(&document, is_row);
    for step in document.walk() {
        match step {
            // A single tilde is text, as in Obsidian.
            WalkStep::Enter(node) | WalkStep::Leave(node)
                if matches!(node.kind, Node::Strikethrough)
                    && !text[node.span.clone()].starts_with("~~") =>
            {
                let at = match step {
                    WalkStep::Enter(_) => node.span.start,
                    _ => node.span.end - 1,
                };
                reading.add(at..at + 1, &reading.enclosing_look(node));
            }
            WalkStep::Leaf(node) => reading.leaf(node),
            _ => {}
        }
    }
    reading.pieces
}

/// The state of rendering one line.
struct LineRenderer<'d> {
    document: &'d Document<'d>,
    /// Spans with their replacements; `None` is a cell separator of a table.
    replacements: Vec<(Range<usize>, Option<Vec<Piece>>)>,
    /// Index of the first replacement not yet added.
    next_replacement: usize,
    /// Spans of the labels of reference images.
    labels: Vec<Range<usize>>,
    highlights: Vec<Range<usize>>,
    next_is_cell: bool,
    pieces: Vec<Piece>,
}

impl<'d> LineRenderer<'d> {
    fn of(document: &'d Document<'d>, is_row: bool) -> Self {
        let mut reading = Self {
            document,
            replacements: vec![(0..LINE_PREFIX.len(), Some(Vec::new()))],
            next_replacement: 0,
            labels: Vec::new(),
            highlights: Vec::new(),
            next_is_cell: false,
            pieces: Vec::new(),
        };
        let text = document.text();
        if text.contains("[[") {
            let links = BodyOutline::of(document).links.into_iter();
            links
                .filter(|link| link.kind == LinkKind::Wiki)
                .for_each(|link| reading.wikilink(&link));
        }
        for span in document.undefined() {
            reading.reference(span);
        }
        reading.marks(is_row);
        reading.replacements.sort_by_key(|(span, _)| span.start);
        let mut end = 0;
        reading.replacements.retain(|(span, _)| {
            let is_apart = span.start >= end;
            end = end.max(span.end);
            is_apart
        });
        reading
    }

    fn wikilink(&mut self, link: &Link) {
        let span = link.span.clone();
        let target = match &link.part {
            Some(part) => format!("{}#{part}", link.target),
            None => link.target.clone(),
        };
        let written = &self.document.text()[span.clone()];
        let label = link.label.as_ref().filter(|_| !link.embed);
        let mut shown = match label {
            // The document does not recognise code inside a wikilink.
            Some(label) => pieces(label, false),
            None => vec![Piece {
                text: link_text(link),
                is_embed: link.embed,
                ..Piece::default()
            }],
        };
        let text = label.unwrap_or_else(|| &shown[0].text);
        let at = span.start + written.rfind(text.as_str()).unwrap_or(0);
        for piece in &mut shown {
            piece.at += at;
            piece.leads = Some(PieceTarget::Note(target.clone()));
        }
        self.replacements.push((span, Some(shown)));
    }

    /// Handles a reference link that the line does not define: `[label][id]`.
    fn reference(&mut self, span: &Range<usize>) {
        let written = &self.document.text()[span.clone()];
        let is_image = written.starts_with('!');
        if let Some(at) = written.rfind("][").filter(|_| !written.contains("[[")) {
            let label = span.start + 1 + usize::from(is_image)..span.start + at;
            self.replacements
                .push((span.start..label.start, Some(Vec::new())));
            self.replacements
                .push((label.end..span.end, Some(Vec::new())));
            if is_image {
                self.labels.push(label);
            }
        }
    }

    /// Handles markers that only Obsidian has, cell separators, and footnote references.
    fn marks(&mut self, is_row: bool) {
        let text = self.document.text();
        let mut hidden = 0;
        let mut highlight: Option<usize> = None;
        for span in stretches(self.document) {
            for (at, c) in text[span.clone()].char_indices() {
                let at = span.start + at;
                let rest = &text[at..];
                let is_free = at >= hidden && !text[..at].ends_with('\\');
                let end = match c {
                    '%' if is_free && rest.starts_with("%%") => {
                        rest[2..].find("%%").map(|length| at + length + 4)
                    }
                    '[' if is_free && rest.starts_with("[^") => rest.find(']').map(|length| {
                        // `[^1]: ` begins a footnote definition.
                        let is_first = at == LINE_PREFIX.len() && rest[length..].starts_with("]:");
                        at + length + 1 + usize::from(is_first)
                    }),
                    '=' if is_free && rest.starts_with("==") => {
                        let length = rest.len() - rest.trim_start_matches('=').len();
                        hidden = at + length;
                        let is_blank = |c: Option<char>| c.is_none_or(char::is_whitespace);
                        let closes = !is_blank(text[..at].chars().next_back());
                        match highlight {
                            _ if length != 2 => {}
                            Some(open) if closes => {
                                self.replacements.push((open..open + 2, Some(Vec::new())));
                                self.replacements.push((at..at + 2, Some(Vec::new())));
                                self.highlights.push(open..at);
                                highlight = None;
                            }
                            _ if !is_blank(text[hidden..].chars().next()) => highlight = Some(at),
                            _ => {}
                        }
                        None
                    }
                    '|' if is_row && is_free => {
                        self.replacements.push((at..at + 1, None));
                        None
                    }
                    _ => None,
                };
                if let Some(end) = end {
                    let piece = Piece::hidden(text, at..end);
                    self.replacements.push((at..end, Some(vec![piece])));
                    hidden = end;
                }
            }
        }
    }

    fn leaf(&mut self, node: &document::MarkdownNode) {
        let (text, span) = (self.document.text(), node.span.clone());
        let mut piece = self.enclosing_look(node);
        let content = match &node.kind {
            Node::Text(NodeText::Written(written)) => return self.add(written.clone(), &piece),
            Node::Text(NodeText::Other(content)) => &**content,
            Node::Code(content) => {
                piece.look.code = true;
                let content = self.document.said(content);
                match content.trim() {
                    "" => content,
                    trimmed => trimmed,
                }
            }
            Node::InlineHtml(_) => {
                piece.look.hidden = true;
                &text[span.clone()]
            }
            Node::SoftBreak | Node::HardBreak => return,
            _ => &text[span.clone()],
        };
        self.push_replacements(span.start, &piece);
        let next = self.replacements.get(self.next_replacement);
        if next.is_none_or(|(next, _)| span.start < next.start) {
            piece.at = span.start + text[span].find(content).unwrap_or(0);
            content.clone_into(&mut piece.text);
            self.push(piece);
        }
    }

    /// Returns an empty piece with the style of the nodes that enclose `node`.
    fn enclosing_look(&self, node: &document::MarkdownNode) -> Piece {
        let mut piece = Piece::default();
        let mut above = node.parent;
        while let Some(node) = above.map(|above| &self.document.nodes()[above]) {
            match &node.kind {
                Node::Emphasis => piece.look.emphasis = true,
                Node::Strong => piece.look.strong = true,
                Node::Strikethrough => {
                    piece.look.struck |= self.document.text()[node.span.clone()].starts_with("~~");
                }
                Node::Link(target) if !self.document.is_wikilink(target.form, &node.span) => {
                    let address = self.document.said(&target.destination);
                    piece.leads = (!address.is_empty() && target.form != LinkType::Email)
                        .then(|| PieceTarget::Address(address.to_owned()));
                }
                Node::Image(_) => piece.is_embed = true,
                _ => {}
            }
            above = node.parent;
        }
        piece
    }

    /// Adds the visible parts of `span` in the style of `piece`.
    fn add(&mut self, span: Range<usize>, piece: &Piece) {
        let text = self.document.text();
        let mut at = span.start;
        while at < span.end {
            self.push_replacements(at, piece);
            let next = self
                .replacements
                .get(self.next_replacement)
                .map_or(span.end..span.end, |(next, _)| next.clone());
            if at < next.start {
                let end = next.start.min(span.end);
                self.push(Piece {
                    text: text[at..end].to_owned(),
                    at,
                    ..piece.clone()
                });
                at = end;
            } else {
                at = next.end.max(at + usize::from(next.is_empty()));
            }
        }
    }

    /// Adds the replacements up to `at`, in their own style combined with that of `base`.
    fn push_replacements(&mut self, at: usize, base: &Piece) {
        while let Some((span, replacements)) = self.replacements.get_mut(self.next_replacement)
            && span.start <= at
        {
            let end = span.end;
            let pieces = replacements.as_mut().map(std::mem::take);
            self.next_is_cell |= pieces.is_none();
            for mut piece in pieces.into_iter().flatten() {
                piece.look.strong |= base.look.strong;
                piece.look.emphasis |= base.look.emphasis;
                piece.look.struck |= base.look.struck;
                piece.is_embed |= base.is_embed;
                self.push(piece);
            }
            if at < end {
                break;
            }
            self.next_replacement += 1;
        }
    }

    fn push(&mut self, mut piece: Piece) {
        let at = piece.at;
        piece.is_embed |= self.labels.iter().any(|label| label.contains(&at));
        piece.look.highlight |= self.highlights.iter().any(|span| span.contains(&at));
        if !piece.look.hidden {
            if self.next_is_cell && piece.text.trim().is_empty() {
                return;
            }
            piece.is_cell = std::mem::take(&mut self.next_is_cell);
        }
        piece.at -= LINE_PREFIX.len();
        self.pieces.push(piece);
    }
}

/// Returns the spans of plain text, adjacent ones joined.
fn stretches(document: &Document<'_>) -> Vec<Range<usize>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    let texts = document.nodes().iter();
    for node in texts.filter(|node| matches!(node.kind, Node::Text(_))) {
        match stretches.last_mut() {
            Some(last) if last.end == node.span.start => last.end = node.span.end,
            _ => stretches.push(node.span.clone()),
        }
    }
    stretches
}

/// Returns the rendered text of a wikilink: its label, or the name of its target.
fn link_text(link: &Link) -> String {
    match &link.label {
        // The label of an embed is a size or a class.
        Some(label) if !link.embed => label.clone(),
        _ => Link {
            label: None,
            target: link
                .target
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned(),
            ..link.clone()
        }
        .unlinked(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_not_rendered() {
        for (line, expected) in [
            (
                "plain text, a_b_c and 2 * 3 * 4",
                "plain text, a_b_c and 2 * 3 * 4",
            ),
            ("**bold**, *it*, __b__, _i_ ***x***", "bold, it, b, i x"),
            ("~~gone~~ ==seen== ~one~ a=b==c", "gone seen ~one~ a=b==c"),
            ("a ** b and **open", "a ** b and **open"),
            (
                "see [[a/b|label]] and [[a/b#Part]], ![[photo.png|300]]",
                "see label and b > Part,",
            ),
            ("[text](a.md \"t\") ![alt](x.png) [r][id] [^1]", "text  r "),
            ("![[a/b#^c|clean]] is here", "is here"),
            ("> ![[logo.png]]", ""),
            ("[^1]: a footnote", "a footnote"),
            ("a[^1]: b", "a: b"),
            ("[*a* **b**](c.md)", "a b"),
            ("[[a|the `b` c]] and [[d|**e**]]", "the b c and e"),
            ("[a] b [x", "[a] b [x"),
            ("`a*b*` and ``x`y`` and `open", "a*b* and x`y and `open"),
            (
                "<b>bold</b><br/> a < b > c <https://x.y/z> <!-- no --> d",
                "bold a < b > c https://x.y/z  d",
            ),
            ("a %%hidden%% b 5%% c", "a  b 5%% c"),
            ("\\*not\\* \\[x\\]", "*not* [x]"),
            ("a&nbsp;b &amp; &#8364; &x; &amp", "a\u{a0}b & € &x; &amp"),
            ("`&amp;` AT&T; R&D", "&amp; AT&T; R&D"),
            ("&amp;lt;", "&lt;"),
            ("## Heading ##", "Heading"),
            ("#tag stays", "#tag stays"),
            ("> > quoted **x**", "quoted x"),
            ("> [!note]- Title", "Title"),
            ("- [ ] open", "open"),
            ("  * [x] done", "done"),
            ("- item", "item"),
            ("3. third", "3. third"),
            ("1789. A year", "1789. A year"),
            ("| a | **b** | [[c\\|d]] |", "a · b · d"),
            ("|---|:-:|", ""),
            ("---", ""),
            ("***", ""),
            ("<!-- mem list -->", ""),
            ("the end ^b-1", "the end"),
            ("東京の**天気**は", "東京の天気は"),
            ("", ""),
            ("*", "*"),
            ("[", "["),
            ("\\", "\\"),
        ] {
            assert_eq!(render_line(line).text(), expected.trim(), "{line}");
        }
    }

    #[test]
    fn lines_have_a_kind() {
        for (line, kind, quoted, indent) in [
            ("### Tea", LineKind::Heading(3), 0, 0),
            ("- [ ] x", LineKind::Task { is_open: true }, 0, 0),
            ("\t- [-] x", LineKind::Task { is_open: false }, 0, 4),
            ("  - x", LineKind::Item, 0, 2),
            ("> > x", LineKind::Text, 2, 0),
            ("| x |", LineKind::Row, 0, 0),
            ("- - -", LineKind::Rule, 0, 0),
        ] {
            let seen = render_line(line);
            assert_eq!(
                (seen.kind, seen.quoted, seen.indent),
                (kind, quoted, indent),
                "{line}"
            );
        }
    }

    #[test]
    fn pieces_have_a_look_and_a_target() {
        let pieces = render_line("a **b *c*** [[n|d]] [e](f.md)").pieces;
        let leads = |piece: &Piece| piece.leads.clone();
        let targets: Vec<_> = pieces.iter().filter_map(leads).collect();
        assert_eq!(
            targets,
            [
                PieceTarget::Note("n".into()),
                PieceTarget::Address("f.md".into())
            ]
        );
        let strong: Vec<_> = render_line("a **b _c_**")
            .pieces
            .into_iter()
            .filter(|piece| piece.look.strong)
            .collect();
        assert_eq!(strong.len(), 2);
        assert!(strong[1].look.emphasis && !strong[0].look.emphasis);
        let links = render_line("**[[a]] [[b|c `d`]]**").pieces;
        assert!(links.iter().all(|piece| piece.look.strong));
    }

    #[test]
    fn positions_map_back_to_the_source() {
        for (line, word, column) in [
            ("- see [[a/b|label]] and **tea**", "label", 12),
            ("- see [[a/b|label]] and **tea**", "tea", 26),
            ("| a | tea |", "tea", 6),
            ("plain tea", "tea", 6),
        ] {
            let seen = render_line(line);
            let at = seen.text().find(word).unwrap();
            assert_eq!(seen.origin(line, at), column, "{line}");
            assert!(line[column..].starts_with(word));
        }
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_lines_are_rendered(line in "([-*_~=`\\[\\]()!<>|%#^\\\\ ab東é\t]|\\PC){0,40}") {
            let seen = render_line(&line);
            let text = seen.text();
            for (at, _) in text.char_indices() {
                proptest::prop_assert!(seen.origin(&line, at) <= line.len());
            }
        }
    }
}

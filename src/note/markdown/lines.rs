//! A document as classified lines, for line-oriented readers.

use std::ops::Range;

use super::document::{Document, MarkdownNode, NodeKind};

/// A line of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodyLine {
    /// The whole line including its line ending.
    pub span: Range<usize>,
    /// Offset of its text, after markers of quotes, items, tasks and headings.
    pub content: usize,
    pub role: LineRole,
    /// Quote depth, whether its markers are present or not.
    pub quotes: usize,
    /// Whether a list item begins on this line.
    pub is_item: bool,
    /// Index of the innermost block that contains its text.
    pub block: Option<usize>,
}

/// The type of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRole {
    Blank,
    /// The first or last line of a fenced block of code.
    Fence,
    /// Between fences.
    Code,
    /// Indented code.
    Indented,
    Html,
    /// The level; in an underlined heading, every line above the underline.
    Heading(u8),
    Underline,
    TableHead,
    /// The delimiter row below a table head.
    TableRule,
    TableRow,
    /// A thematic break.
    Rule,
    Text,
    /// A link reference definition, or a marker without content.
    Other,
}

impl BodyLine {
    /// Returns whether quote, item or task markers precede its text.
    pub fn has_mark(&self, text: &str) -> bool {
        !text[self.span.start..self.content].trim().is_empty()
    }

    /// Returns whether it is code or a fence.
    pub fn is_code(&self) -> bool {
        matches!(
            self.role,
            LineRole::Code | LineRole::Indented | LineRole::Fence
        )
    }
}

/// Returns the lines of a document.
pub fn lines(document: &Document<'_>) -> Vec<BodyLine> {
    let mut reading = LineReader::new(document);
    // The innermost block of each node.
    let mut blocks: Vec<Option<usize>> = Vec::with_capacity(document.nodes().len());
    for (number, node) in document.nodes().iter().enumerate() {
        let above = node.parent.and_then(|parent| blocks[parent]);
        blocks.push(if node.kind.is_block() {
            Some(number)
        } else {
            above
        });
        reading.add_node(node, above);
    }
    reading.finish()
}

/// Returns the lines of a text that has no front matter.
pub fn lines_of(body: &str) -> Vec<BodyLine> {
    lines(&Document::of_body(body))
}

struct LineReader<'t> {
    text: &'t str,
    lines: Vec<BodyLine>,
    /// The line on which the last node begins.
    at: usize,
    /// Difference in quote depth from the previous line.
    quotes: Vec<isize>,
    /// Whether the start of the line's text is known.
    is_known: Vec<bool>,
}

impl<'t> LineReader<'t> {
    fn new(document: &Document<'t>) -> Self {
        let (text, body) = (document.text(), document.body());
        let mut start = body.start;
        let mut lines = Vec::new();
        for line in text[body].split_inclusive('\n') {
            let span = start..start + line.len();
            start = span.end;
            let marks = [' ', '\t', '>', '\r', '\n'];
            let is_blank = line.trim_start_matches(marks).is_empty();
            lines.push(BodyLine {
                content: span.end - line.trim_start().len(),
                span,
                role: if is_blank {
                    LineRole::Blank
                } else {
                    LineRole::Other
                },
                quotes: 0,
                is_item: false,
                block: None,
            });
        }
        Self {
            text,
            at: 0,
            quotes: vec![0; lines.len() + 1],
            is_known: vec![false; lines.len()],
            lines,
        }
    }

    fn add_node(&mut self, node: &MarkdownNode, block: Option<usize>) {
        let Some(last) = self.lines.len().checked_sub(1) else {
            return;
        };
        while self.at < last && self.lines[self.at].span.end <= node.span.start {
            self.at += 1;
        }
        let span = self.at..self.line_after(node);
        match &node.kind {
            NodeKind::Quote => {
                self.quotes[span.start] += 1;
                self.quotes[span.end] -= 1;
            }
            NodeKind::Item => self.lines[span.start].is_item = true,
            NodeKind::CodeBlock(info) => {
                if info.is_some() {
                    self.set(span.clone(), LineRole::Code);
                    self.fences(node, &span);
                } else {
                    self.set(span, LineRole::Indented);
                }
            }
            NodeKind::HtmlBlock => self.set(span, LineRole::Html),
            NodeKind::Heading(level) => {
                self.set(span.clone(), LineRole::Heading(*level));
                if span.len() > 1 {
                    self.set(span.end - 1..span.end, LineRole::Underline);
                }
            }
            NodeKind::Table(_) => {
                self.set(span.clone(), LineRole::TableRow);
                self.set(span.start..span.start + 1, LineRole::TableHead);
                let rule = (span.start + 1).min(span.end);
                self.set(rule..(rule + 1).min(span.end), LineRole::TableRule);
            }
            NodeKind::Rule => self.set(span, LineRole::Rule),
            NodeKind::SoftBreak
            | NodeKind::HardBreak
            | NodeKind::TaskMark(_)
            | NodeKind::Html(_) => {}
            kind if !kind.is_block() => self.text(node, span, block),
            _ => {}
        }
    }

    /// Returns the line after the last line of a node.
    fn line_after(&self, node: &MarkdownNode) -> usize {
        let end = node.span.start + self.text[node.span.clone()].trim_end().len();
        let inside = self.lines[self.at..].partition_point(|line| line.span.start < end);
        self.at + inside.max(1)
    }

    fn set(&mut self, lines: Range<usize>, role: LineRole) {
        for line in &mut self.lines[lines] {
            line.role = role;
        }
    }

    fn fences(&mut self, code: &MarkdownNode, lines: &Range<usize>) {
        self.lines[lines.start].role = LineRole::Fence;
        let last = self.text[self.lines[lines.end - 1].span.clone()]
            .trim_start_matches([' ', '\t', '>'])
            .trim_end();
        if lines.len() > 1 && is_closing_fence(self.text[code.span.clone()].trim_start(), last) {
            self.lines[lines.end - 1].role = LineRole::Fence;
        }
    }

    fn text(&mut self, node: &MarkdownNode, lines: Range<usize>, block: Option<usize>) {
        let start = self.lines[lines.start].span.start;
        // A cell missing from its row has no position on its line.
        if !self.is_known[lines.start] && start <= node.span.start {
            self.is_known[lines.start] = true;
            let before = &self.text[start..node.span.start];
            // The parser omits the backslash of an escape.
            let escape = usize::from(before.ends_with('\\'));
            self.lines[lines.start].content = node.span.start - escape;
        }
        if !node.kind.is_leaf() {
            return;
        }
        // Code and formulas can span lines.
        for at in lines.start + 1..lines.end {
            if !std::mem::replace(&mut self.is_known[at], true) {
                self.lines[at].content = self.after_quotes(at);
            }
        }
        for line in &mut self.lines[lines] {
            if matches!(line.role, LineRole::Other) {
                line.role = LineRole::Text;
            }
            line.block = line.block.or(block);
        }
    }

    fn finish(mut self) -> Vec<BodyLine> {
        let mut depth = 0;
        for (at, line) in self.lines.iter_mut().enumerate() {
            depth += self.quotes[at];
            line.quotes = depth.unsigned_abs();
        }
        for at in 0..self.lines.len() {
            if self.lines[at].quotes > 0 && !self.is_known[at] {
                self.lines[at].content = self.after_quotes(at);
            }
        }
        self.lines
    }

    /// Returns the offset after the quote markers of a line.
    fn after_quotes(&self, at: usize) -> usize {
        let span = &self.lines[at].span;
        let line = &self.text[span.clone()];
        span.end - line.trim_start_matches([' ', '\t', '>']).len()
    }
}

/// Returns whether the line `last` is the closing fence of the code block `code`.
pub(super) fn is_closing_fence(code: &str, last: &str) -> bool {
    let sign = code.chars().next().unwrap_or('`');
    let length = code.len() - code.trim_start_matches(sign).len();
    last.len() >= length && last.chars().all(|c| c == sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_missing_cells_are_rows() {
        let roles: Vec<LineRole> = lines_of("|a|b|c|\n|-|-|-|\n|d\n|e|f\n|g\n\nText\n")
            .into_iter()
            .map(|line| line.role)
            .collect();
        assert!(matches!(roles[0], LineRole::TableHead), "{roles:?}");
        assert!(matches!(roles[1], LineRole::TableRule), "{roles:?}");
        let is_row = |role: &LineRole| matches!(role, LineRole::TableRow);
        assert!(roles[2..5].iter().all(is_row), "{roles:?}");
        assert!(matches!(roles[6], LineRole::Text), "{roles:?}");
    }
}

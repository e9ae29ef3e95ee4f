//! Builds a text from whole blocks, separating each one from the text before it.

use crate::note::BlockKind;
use crate::note::markdown::sections::Block;

pub(super) struct BlockWriter {
    pub(super) text: String,
    /// The last block written, or `None` after a heading.
    pub(super) last: Option<LastBlock>,
}

pub(super) struct LastBlock {
    kind: BlockKind,
    /// The first character of its lines.
    mark: Option<char>,
    /// Its end in the source note of moved text.
    end: Option<usize>,
}

impl LastBlock {
    pub(super) fn of(block: &Block, text: &str, end: Option<usize>) -> Self {
        Self {
            kind: block.kind,
            mark: text[block.span.clone()].trim_start().chars().next(),
            end,
        }
    }
}

impl BlockWriter {
    pub(super) fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    pub(super) fn heading(&mut self, level: u8, title: &str) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
        self.text
            .extend(["#".repeat(level.into()).as_str(), " ", title]);
        // Otherwise it would be parsed as a closing sequence of the heading.
        self.text
            .push_str(if title.ends_with('#') { " #\n" } else { "\n" });
        self.last = None;
    }

    /// Writes a block of `source`, separated from the text before it.
    pub(super) fn block(&mut self, block: &Block, source: &str) {
        let lines = &source[block.span.clone()];
        let new = LastBlock::of(block, source, Some(block.span.end));
        let between = self
            .last
            .as_ref()
            .and_then(|last| source.get(last.end?..block.span.start));
        let is_address =
            |line: &str| line.starts_with('[') && !line.starts_with("[^") && line.contains("]:");
        let gap = match &self.last {
            _ if is_address(lines) && self.text.lines().last().is_some_and(is_address) => "",
            Some(_) if between.is_some_and(|between| between.trim().is_empty()) => {
                let lines = between.unwrap_or_default().matches('\n').count();
                if lines > 1 { "\n" } else { "" }
            }
            // Otherwise it would continue the list before it, because it is indented or numbered.
            Some(last)
                if last.kind != BlockKind::Paragraph && lines.starts_with([' ', '\t'])
                    || last.kind == BlockKind::Ordered && block.kind == BlockKind::Ordered =>
            {
                "\n<!-- -->\n\n"
            }
            Some(last)
                if last.kind == block.kind
                    && last.mark == new.mark
                    && block.kind == BlockKind::Item =>
            {
                ""
            }
            _ if self.text.is_empty() || self.text.ends_with("\n\n") => "",
            _ => "\n",
        };
        self.text.extend([gap, lines, "\n"]);
        self.last = Some(new);
    }
}

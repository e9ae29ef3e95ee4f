//! Renders a note for a terminal: styles instead of Markdown marks, aligned tables, clickable
//! links.
//!
//! Each line of the note starts a new row; fences of code blocks are hidden. Markup without a
//! terminal style is written verbatim, faint.

use super::columns::{fill, width};
use super::lines::Line;
use super::{Output, Style, links, sanitised};
use crate::note::markdown::fences::unquoted;
use crate::note::markdown::lines::lines;
use crate::note::markdown::rendered_line::{
    LineKind, Piece, PieceTarget, RenderedLine, TextStyle, render_line,
};
use crate::note::{Document, LineRole};

/// Separator between two cells of a table.
const CELL_SEPARATOR: &str = " │ ";

/// Width in columns of a horizontal rule.
const RULE_WIDTH: usize = 40;

/// Resolves a wikilink or the path of a link to the path of a note.
pub type Resolve<'r> = dyn Fn(&PieceTarget) -> Option<String> + 'r;

/// The state of rendering one note.
struct NoteRenderer<'p> {
    output: &'p Output,
    width: usize,
    resolve: &'p Resolve<'p>,
    /// Targets of the clickable links; [`Style::Link`] holds index + 1.
    targets: Vec<String>,
}

/// A line and the indent of its wrapped rows.
type IndentedLine = (Line, usize);

impl Output {
    /// Writes the note `text`, whose body starts at `body`, in rows no wider than `width`.
    pub fn write_note(&self, text: &str, body: usize, width: usize, resolve: &Resolve<'_>) {
        let mut renderer = NoteRenderer {
            output: self,
            width,
            resolve,
            targets: Vec::new(),
        };
        for line in text[..body].lines() {
            self.line(&self.paint(Style::Faint, line));
        }
        let mut lines = lines(&Document::of(text, body..text.len()))
            .into_iter()
            .map(|line| (text[line.span].trim_end_matches(['\r', '\n']), line.role))
            .peekable();
        while let Some((line, role)) = lines.next() {
            let (quote, inside) = unquoted(line);
            if matches!(role, LineRole::Fence | LineRole::Code) {
                let quote = "│ ".repeat(quote);
                let text = if quote.is_empty() { line } else { inside };
                let (style, text) = match role {
                    LineRole::Fence => (Style::Faint, text.replace(['`', '~'], "")),
                    _ => (Style::Code, text.to_owned()),
                };
                // A fence line is only shown for its language.
                if role == LineRole::Code || !text.trim().is_empty() {
                    self.line(&(self.paint(Style::Faint, &quote) + &self.paint(style, &text)));
                }
                continue;
            }
            let line = without_break(line, lines.peek().map(|(next, _)| *next));
            let first = render_line(line);
            if first.kind != LineKind::Row {
                renderer.write(line, &first);
                continue;
            }
            let mut rows = vec![first];
            while let Some((row, _)) = lines.next_if(|(line, _)| line.trim_start().starts_with('|'))
            {
                rows.push(render_line(row));
            }
            renderer.table(&rows);
        }
    }
}

impl NoteRenderer<'_> {
    /// Writes a line that is not a table row.
    fn write(&mut self, raw: &str, seen: &RenderedLine) {
        let (line, indent) = self.line(raw, seen);
        let quote = "│ ".repeat(seen.quoted);
        for row in line.wrapped_below(indent, self.width.saturating_sub(width(&quote))) {
            self.print(&Line::of(Style::Faint, quote.as_str()).join(row));
        }
    }

    fn line(&mut self, raw: &str, seen: &RenderedLine) -> IndentedLine {
        let mut line = Line::of(None, " ".repeat(seen.indent));
        let mut base = None;
        match seen.kind {
            LineKind::Rule => {
                let raw = raw.trim_start_matches(['>', ' ', '\t']);
                let is_line = raw.bytes().all(|byte| b"-*_= \t".contains(&byte));
                let rule = if is_line {
                    &"─".repeat(RULE_WIDTH.min(self.width))
                } else {
                    raw
                };
                return (line.and(Style::Faint, clean(rule)), 0);
            }
            LineKind::Heading(level) => {
                base = Some(match level {
                    1 => Style::TopHeading,
                    2 => Style::Heading,
                    _ => Style::Title,
                });
            }
            LineKind::Task { is_open: true } => line.push(None, "[ ] "),
            LineKind::Task { is_open: false } => {
                line.push(Some(Style::Faint), "[x] ");
                base = Some(Style::Faint);
            }
            LineKind::Item
                if !raw
                    .trim_start_matches(['>', ' ', '\t'])
                    .starts_with(|c: char| c.is_ascii_digit()) =>
            {
                line.push(None, "• ");
            }
            LineKind::Item | LineKind::Row | LineKind::Text => {}
        }
        if seen.quoted > 0
            && let Some((kind, _)) = raw
                .trim_start_matches(['>', ' '])
                .strip_prefix("[!")
                .and_then(|callout| callout.split_once(']'))
        {
            line.push(Some(Style::Heading), &format!("{} ", clean(kind)));
            base = Some(Style::Title);
        }
        let indent = line.text().chars().count();
        for (number, piece) in seen.pieces.iter().enumerate() {
            self.push(&mut line, piece, seen.pieces.get(number + 1), base);
        }
        (line, indent)
    }

    /// Appends a piece in its own style, or else in `base`.
    fn push(&mut self, line: &mut Line, piece: &Piece, next: Option<&Piece>, base: Option<Style>) {
        let text = clean(&piece.text);
        let Some(leads) = &piece.leads else {
            line.push(style(piece.look).or(base), &text);
            return;
        };
        let is_clicked = self.push_link(line, leads, &text);
        let is_end = next.is_none_or(|next| next.leads.as_ref() != Some(leads));
        if let (PieceTarget::Address(address), false, true) = (leads, is_clicked, is_end)
            && address.contains("://")
            && *address != text
        {
            line.push(Some(Style::Faint), &format!(" <{}>", clean(address)));
        }
    }

    /// Appends a link; returns whether it is clickable.
    fn push_link(&mut self, line: &mut Line, leads: &PieceTarget, text: &str) -> bool {
        let web = match leads {
            PieceTarget::Address(address) => links::web(address),
            PieceTarget::Note(_) => None,
        };
        let target = match (&web, &*self.output.linked_folder.borrow()) {
            (_, None) => None,
            (Some(web), _) => Some(web.clone()),
            (None, Some(folder)) => {
                let path = (self.resolve)(leads);
                path.map(|path| links::file(&folder.join(path)))
            }
        };
        let number = target.map_or(0, |target| {
            self.targets.push(target);
            self.targets.len()
        });
        // Links beyond `u16::MAX` are not clickable.
        let number = u16::try_from(number).unwrap_or(0);
        line.push(Some(Style::Link(number)), text);
        number > 0
    }

    /// Writes the rows of a table, with aligned columns if they fit.
    fn table(&mut self, rows: &[RenderedLine]) {
        let mut lines: Vec<Option<Vec<Line>>> = Vec::new();
        for row in rows {
            if row.kind == LineKind::Rule {
                lines.push(None);
                continue;
            }
            let mut cells: Vec<Line> = Vec::new();
            let is_head =
                lines.is_empty() && rows.get(1).is_some_and(|row| row.kind == LineKind::Rule);
            for (number, piece) in row.pieces.iter().enumerate() {
                if piece.is_cell || cells.is_empty() {
                    cells.push(Line::default());
                }
                if let Some(cell) = cells.last_mut() {
                    let next = row.pieces.get(number + 1);
                    self.push(cell, piece, next, is_head.then_some(Style::Title));
                }
            }
            lines.push(Some(cells.iter().map(trimmed).collect()));
        }
        let mut widths: Vec<usize> = Vec::new();
        for cells in lines.iter().flatten() {
            widths.resize(widths.len().max(cells.len()), 0);
            for (widest, cell) in widths.iter_mut().zip(cells) {
                *widest = cell.width().max(*widest);
            }
        }
        let bars = width(CELL_SEPARATOR) * widths.len().saturating_sub(1);
        let fits = widths.iter().sum::<usize>() + bars <= self.width;
        for cells in &lines {
            let Some(cells) = cells else {
                let rules: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                if fits {
                    self.print(&Line::of(Style::Faint, rules.join("─┼─")));
                }
                continue;
            };
            let mut line = Line::default();
            for (number, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                if number > 0 {
                    line.push(Some(Style::Faint), CELL_SEPARATOR);
                }
                line = line.join(cell.clone());
                if fits && number + 1 < cells.len() {
                    line.push(None, &fill(&cell.text(), *width));
                }
            }
            for row in line.wrapped_below(0, self.width) {
                self.print(&row);
            }
        }
    }

    fn print(&self, line: &Line) {
        let pieces = line.pieces().map(|(style, text)| match style {
            Some(style @ Style::Link(number)) => {
                let text = self.output.paint(style, text);
                let target = usize::from(number).checked_sub(1);
                match target.and_then(|number| self.targets.get(number)) {
                    Some(target) => links::link(target, &text),
                    None => text,
                }
            }
            Some(style) => self.output.paint(style, text),
            None => self.output.clean(text),
        });
        self.output.line(pieces.collect::<String>().trim_end());
    }
}

/// Returns `line` without a backslash that is a hard line break before the next line of its
/// paragraph.
fn without_break<'l>(line: &'l str, next: Option<&str>) -> &'l str {
    let unescaped = line.trim_end_matches('\\');
    let is_break = (line.len() - unescaped.len()) % 2 == 1;
    let goes_on = next.is_some_and(|next| !next.trim().is_empty());
    match line.strip_suffix('\\') {
        Some(rest) if is_break && goes_on && !rest.trim().is_empty() => rest,
        _ => line,
    }
}

/// Returns foreign text sanitised as [`Output::clean`] writes it, so that its width is counted
/// correctly.
fn clean(text: &str) -> String {
    sanitised(text).replace('\t', "    ")
}

fn style(look: TextStyle) -> Option<Style> {
    let mut looks = [
        (look.hidden, Style::Faint),
        (look.code, Style::Code),
        (look.highlight, Style::Match),
        (look.struck, Style::Struck),
        (look.strong, Style::Title),
        (look.emphasis, Style::Emphasis),
    ]
    .into_iter();
    looks.find(|(is_set, _)| *is_set).map(|(_, style)| style)
}

/// Returns a cell without surrounding blanks.
fn trimmed(cell: &Line) -> Line {
    let text = cell.text();
    let (start, end) = (text.len() - text.trim_start().len(), text.trim_end().len());
    let mut trimmed = Line::default();
    let mut at = 0;
    for (style, piece) in cell.pieces() {
        let from = start.saturating_sub(at).min(piece.len());
        let to = end.saturating_sub(at).min(piece.len()).max(from);
        trimmed.push(style, &piece[from..to]);
        at += piece.len();
    }
    trimmed
}

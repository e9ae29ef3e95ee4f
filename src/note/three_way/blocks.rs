//! Splits a body into blocks and list items, and merges two edited bodies.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::inline;
use super::refusal::{Refusal, marked};
use super::sequence::{self, BLOCK_DEPTH, MergePiece, MergedText, Sequence, SequenceLevel, Shape};
use crate::note::Document;
use crate::note::front_matter::split::line_start;
use crate::note::markdown::document::{MarkdownNode, NodeKind};

/// Merges two bodies with `\n` line ends.
pub(super) fn merge(base: &str, sides: [&str; 2]) -> MergedText {
    let (base, sides) = (sequence(base), sides.map(sequence));
    let merged = sequence::merge(&Blocks, &base, sides.each_ref());
    merged.expect("blocks keep their conflicts")
}

struct Blocks;

impl SequenceLevel for Blocks {
    fn merge(
        &self,
        base: Option<&MergePiece<'_>>,
        sides: [&MergePiece<'_>; 2],
    ) -> Result<String, Refusal> {
        match base {
            Some(base) => inline::merge(base, sides),
            // Only the indentation differs.
            None => Ok(sides[0].text.max(sides[1].text).to_owned()),
        }
    }

    fn conflict(&self, refusal: &Refusal, sides: [&str; 2]) -> Option<String> {
        Some(marked(refusal, sides))
    }

    fn gap<'g>(&self, texts: [&str; 2], known: &[(&'g str, &MergePiece<'_>)]) -> &'g str {
        let are_items = texts.into_iter().all(is_item);
        let known = known
            .iter()
            .filter(|(_, neighbour)| !are_items || is_item(neighbour.text));
        let longest = known
            .map(|(gap, _)| *gap)
            .max_by_key(|gap| (gap.len(), *gap));
        match longest.unwrap_or_default() {
            "" if are_items => "\n",
            "" | "\n" if !are_items => "\n\n",
            gap => gap,
        }
    }
}

fn is_item(text: &str) -> bool {
    let marker = text
        .trim_start()
        .split([' ', '\t'])
        .next()
        .unwrap_or_default();
    let number = marker.trim_end_matches(['.', ')']);
    matches!(marker, "-" | "*" | "+")
        || number.len() < marker.len() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a body before each block and list item. Quotes, tables, code and HTML are one piece.
fn sequence(body: &str) -> Sequence<'_> {
    let mut starts: BTreeMap<usize, (u8, Shape)> = BTreeMap::new();
    if let Some(first) = body.find(|c: char| !c.is_whitespace()) {
        starts.insert(line_start(body, first), (BLOCK_DEPTH, Shape::Prose));
    }
    let document = Document::of_body(body);
    let nodes = document.nodes();
    // The depth of each list and item that is split, and whether a list in it has begun.
    let mut open: Vec<(Option<u8>, bool)> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let above = node.parent.map(|parent| open[parent]);
        let is_list = matches!(node.kind, NodeKind::List(_));
        let depth = match (&node.kind, above) {
            (NodeKind::List(_), None) => Some(BLOCK_DEPTH),
            (NodeKind::List(_), Some((depth, _))) => depth.map(|depth| depth.saturating_add(1)),
            (NodeKind::Item, Some((depth, _))) => depth,
            _ => None,
        };
        let is_in_item = node
            .parent
            .is_some_and(|at| matches!(nodes[at].kind, NodeKind::Item));
        let cut = match (depth, above) {
            (Some(_), _) if is_list => None,
            (Some(depth), _) => Some(depth),
            (None, None) => Some(heading_level(node).unwrap_or(BLOCK_DEPTH)),
            (None, Some((Some(depth), true))) if is_in_item && node.kind.is_block() => {
                Some(depth.saturating_add(1))
            }
            _ => None,
        };
        if let (Some(parent), true) = (node.parent, is_list && is_in_item) {
            open[parent].1 = true;
        }
        open.push((depth, false));
        let start = line_start(body, node.span.start);
        if let Some(depth) = cut {
            let at = starts.entry(start).or_insert((depth, shape(node)));
            *at = (depth.min(at.0), shape(node));
        }
    }
    let outermost: Vec<&MarkdownNode> = document.outermost().collect();
    for definition in document.definitions() {
        let at = definition.span.start;
        let next = outermost.partition_point(|node| node.span.end <= at);
        if outermost.get(next).is_none_or(|node| node.span.start > at) {
            starts
                .entry(line_start(body, at))
                .or_insert((BLOCK_DEPTH, Shape::Verbatim));
        }
    }
    let ends = starts.keys().skip(1).copied().chain([body.len()]);
    let pieces = starts
        .iter()
        .zip(ends)
        .map(|((start, (depth, shape)), end)| {
            let whole = &body[*start..end];
            let last = whole.trim_end().len();
            let length = last + whole[last..].find('\n').unwrap_or(whole.len() - last);
            let text = &whole[..length];
            let is_verbatim = *shape == Shape::Prose && has_verbatim_lines(text);
            MergePiece {
                id: unindented(text),
                text,
                gap: &whole[length..],
                depth: *depth,
                shape: if is_verbatim { Shape::Verbatim } else { *shape },
            }
        });
    Sequence {
        lead: &body[..starts.keys().next().copied().unwrap_or(body.len())],
        pieces: pieces.collect(),
    }
}

/// Returns a text without the indentation of its lines: a list that is indented differently is still the same list.
fn unindented(text: &str) -> Cow<'_, str> {
    if !text.lines().any(|line| line.starts_with([' ', '\t'])) {
        return text.into();
    }
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    lines.join("\n").into()
}

fn heading_level(node: &MarkdownNode) -> Option<u8> {
    match node.kind {
        NodeKind::Heading(level) => Some(level),
        _ => None,
    }
}

fn shape(node: &MarkdownNode) -> Shape {
    match node.kind {
        NodeKind::Heading(_) | NodeKind::Rule => Shape::Line,
        NodeKind::Table(_) => Shape::Table,
        NodeKind::CodeBlock(_) | NodeKind::HtmlBlock => Shape::Verbatim,
        _ => Shape::Prose,
    }
}

/// Whether a block contains code, a formula or HTML on lines of their own.
fn has_verbatim_lines(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
        ["```", "~~~", "$$", "<", "|", "%%"]
            .iter()
            .any(|mark| line.starts_with(mark))
    })
}

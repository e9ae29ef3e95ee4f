//! Labels of footnotes and link references (`[^1]`, `[s]: address`), whose scope is the whole note.
//!
//! When text moves to a note that defines the same label differently, [`with_distinct_labels`] renames the label.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::LinkType;
use regex::Regex;

use super::document::{Document, NodeKind};
use crate::note::front_matter::split::{line_end, line_start, split};
use crate::note::splice::spliced;
use crate::note::words::one_line::one_line;

static NOTE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\^[^\]\s]+\]").expect("a valid pattern"));
static DEFINITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t>]*(\[[^\]\n]+\]):").expect("a valid pattern"));

/// An occurrence of a label.
#[derive(Debug)]
struct LabelUse {
    label: Label,
    /// Offset of its opening bracket.
    at: usize,
    /// Span replaced by a new label; empty where one is inserted.
    span: Range<usize>,
}

/// A normalised label: `^1` of a footnote, `s` of a link.
type Label = String;

/// The definition of a label.
#[derive(Debug)]
struct Definition {
    content: String,
    /// Span from its opening bracket.
    span: Range<usize>,
}

/// Changes to definitions when a part leaves a text; spans of whole lines.
#[derive(Debug, Default)]
pub struct DefinitionChanges {
    /// Definitions outside the part that the part needs.
    pub taken: Vec<Range<usize>>,
    /// Definitions in the part that the rest needs.
    pub left: Vec<Range<usize>>,
    /// Definitions on either side that become unused there.
    pub gone: Vec<Range<usize>>,
}

/// Returns the definitions to copy or remove when `part` leaves the note, so that both texts keep their meaning.
pub fn definition_changes(text: &str, part: &Range<usize>) -> DefinitionChanges {
    let body = split(text).body;
    let (uses, defined) = read(&text[body.clone()]);
    // A definition in a quote or a list stays there.
    let lines = |definition: &Definition| {
        let at = body.start + definition.span.start;
        let start = line_start(text, at).max(body.start);
        let content = text[at..body.start + definition.span.end].trim_end();
        let end = line_end(text, at + content.len());
        text[start..at].trim().is_empty().then_some(start..end)
    };
    let definitions: Vec<(&Label, Range<usize>)> = defined
        .iter()
        .filter_map(|(label, definition)| Some((label, lines(definition)?)))
        .collect();
    let is_own = |found: &&LabelUse| defined.values().all(|other| other.span.start != found.at);
    let uses: Vec<(&Label, usize)> = uses
        .iter()
        .filter(is_own)
        .map(|found| (&found.label, body.start + found.at))
        .collect();
    let leaves = |at: usize| part.contains(&at);
    let mut needed: BTreeSet<(&Label, bool)> = BTreeSet::new();
    for (label, at) in &uses {
        if !definitions.iter().any(|(_, lines)| lines.contains(at)) {
            needed.insert((label, leaves(*at)));
        }
    }
    for (label, lines) in &definitions {
        if !uses.iter().any(|(used, _)| used == label) {
            needed.insert((label, leaves(lines.start)));
        }
    }
    // Definitions can refer to other definitions.
    let mut known = 0;
    while known < needed.len() {
        known = needed.len();
        for (label, lines) in &definitions {
            let sides = [true, false].into_iter();
            for side in sides
                .filter(|side| needed.contains(&(label, *side)))
                .collect::<Vec<_>>()
            {
                let inside = uses.iter().filter(|(_, at)| lines.contains(at));
                needed.extend(inside.map(|(used, _)| (*used, side)));
            }
        }
    }
    let mut parting = DefinitionChanges::default();
    for (label, lines) in definitions {
        let side = leaves(lines.start);
        if !needed.contains(&(label, !side)) {
            continue;
        }
        if !needed.contains(&(label, side)) {
            parting.gone.push(lines.clone());
        }
        let copies = if side {
            &mut parting.left
        } else {
            &mut parting.taken
        };
        copies.push(lines);
    }
    for spans in [&mut parting.taken, &mut parting.left, &mut parting.gone] {
        spans.sort_by_key(|span| span.start);
    }
    parting.gone = with_blank_lines(text, part, parting.gone);
    parting
}

/// Joins adjacent spans, and extends them by the blank lines that their removal would leave.
fn with_blank_lines(
    text: &str,
    part: &Range<usize>,
    spans: Vec<Range<usize>>,
) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match joined.last_mut() {
            Some(last) if text[last.end..span.start].trim().is_empty() => last.end = span.end,
            _ => joined.push(span),
        }
    }
    for span in &mut joined {
        let is_inside = part.contains(&span.start);
        let end = if is_inside { part.end } else { text.len() };
        let next = line_end(text, span.end).min(end);
        let mut above = text[..span.start].lines().rev();
        let is_separate = above.next().is_none_or(|line| line.trim().is_empty());
        if is_separate && text[span.end..next].trim().is_empty() {
            span.end = next;
        }
        if span.end == end {
            let content = text[..span.start].trim_end().len();
            span.start = line_end(text, content).min(span.start);
        }
    }
    joined
}

/// Renames the labels of `moved` that `stays` defines differently or uses without a definition. A label defined only in
/// `stays` is escaped in `moved`, where it is text.
pub fn with_distinct_labels(stays: &str, moved: &str) -> String {
    let ((their_uses, known), (our_uses, defined)) = (read(stays), read(moved));
    let used: BTreeSet<&Label> = their_uses.iter().map(|found| &found.label).collect();
    let mut taken: BTreeSet<Label> = their_uses
        .iter()
        .chain(&our_uses)
        .map(|found| found.label.clone())
        .collect();
    let mut renamed: BTreeMap<&Label, String> = BTreeMap::new();
    for found in &our_uses {
        let label = &found.label;
        let collides = match (known.get(label), defined.get(label)) {
            (Some(known), Some(defined)) => known.content != defined.content,
            (None, Some(_)) => used.contains(label),
            (_, None) => false,
        };
        if collides && !renamed.contains_key(label) {
            let names = (2..).map(|number| format!("{label}-{number}"));
            let name = names
                .into_iter()
                .find(|name| !taken.contains(name))
                .unwrap_or_default();
            taken.insert(name.clone());
            renamed.insert(label, name);
        }
    }
    // Plain text must stay plain text.
    let is_plain =
        |found: &&LabelUse| known.contains_key(&found.label) && !defined.contains_key(&found.label);
    let escaped = our_uses
        .iter()
        .filter(is_plain)
        .map(|found| (found.at..found.at, "\\".to_owned()));
    let renamed = our_uses.iter().filter_map(|found| {
        let name = renamed.get(&found.label)?;
        Some((found.span.clone(), format!("[{name}]")))
    });
    // If two readings share a bracket, the first wins.
    spliced(moved, 0..moved.len(), escaped.chain(renamed).collect())
}

/// Returns true if `at` is in one of `spans`, which are sorted and disjoint.
fn is_in(spans: &[Range<usize>], at: usize) -> bool {
    let following = spans.partition_point(|span| span.end <= at);
    spans.get(following).is_some_and(|span| span.contains(&at))
}

/// Returns all occurrences of labels in `text`, including undefined ones, and all definitions.
fn read(text: &str) -> (Vec<LabelUse>, BTreeMap<Label, Definition>) {
    let mut found = Vec::new();
    let mut holes: Vec<Range<usize>> = Vec::new();
    let mut texts: Vec<Range<usize>> = Vec::new();
    let document = Document::of_body(text);
    let addresses = document.definitions().iter().map(|link| {
        let title = link.title.as_ref().map(|title| document.said(title));
        let address = document.said(&link.destination);
        let content = format!("{address} {}", title.unwrap_or_default());
        let span = link.span.clone();
        (
            normalised(document.said(&link.label)),
            Definition { content, span },
        )
    });
    let mut defined: BTreeMap<Label, Definition> = addresses.collect();
    for node in document.nodes() {
        let span = node.span.clone();
        match &node.kind {
            NodeKind::Link(target) | NodeKind::Image(target)
                if !is_other_construct(text, &span) =>
            {
                let label = document.said(&target.label);
                found.extend(reference(text, target.form, label, span));
            }
            NodeKind::Footnote(label) => {
                let (_, raw) = text[span.clone()].split_once("]:").unwrap_or_default();
                let content = one_line(raw);
                // The first definition wins.
                let label = format!("^{}", normalised(document.said(label)));
                defined.entry(label).or_insert(Definition { content, span });
            }
            NodeKind::Text(_) => texts.push(span),
            NodeKind::CodeBlock(_)
            | NodeKind::Code(_)
            | NodeKind::InlineMath(_)
            | NodeKind::DisplayMath(_)
            | NodeKind::Html(_)
            | NodeKind::InlineHtml(_) => holes.push(span),
            _ => {}
        }
    }
    let undefined = document.undefined().iter().cloned();
    for span in undefined.filter(|span| !is_other_construct(text, span)) {
        let written = &text[span.clone()];
        let start = written.rfind('[').unwrap_or(0);
        let label = written[start..].trim_matches(['[', ']']);
        if label.is_empty() || label.starts_with('^') {
            continue;
        }
        // The text before a label could be a label itself.
        for at in [written.find('['), (start > 0).then_some(start)]
            .into_iter()
            .flatten()
        {
            let at = span.start + at;
            found.push(LabelUse {
                label: normalised(label),
                at,
                span: at..at,
            });
        }
    }
    let is_text = |at: usize| {
        let escapes = text[..at].len() - text[..at].trim_end_matches('\\').len();
        escapes % 2 == 1 || is_in(&holes, at)
    };
    // A definition that the parser reads as text is not one.
    let is_read = |at: usize| is_in(&texts, at);
    let links = DEFINITION
        .captures_iter(text)
        .filter_map(|line| line.get(1))
        .filter(|label| !is_read(label.start()) && !label.as_str().starts_with("[^"));
    for label in links.chain(NOTE.find_iter(text)) {
        if !is_text(label.start()) {
            found.push(LabelUse {
                label: normalised(label.as_str().trim_matches(['[', ']'])),
                at: label.start(),
                span: label.range(),
            });
        }
    }
    (found, defined)
}

/// Returns whether the brackets belong to a wikilink, a task or a callout.
fn is_other_construct(text: &str, span: &Range<usize>) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let item = line.trim_matches([' ', '\t', '>', '-', '*', '+', '.', ')']);
    let is_first = item.chars().all(|c| c.is_ascii_digit());
    let written = &text[span.clone()];
    before.ends_with('[') && after.starts_with(']') && written.starts_with('[')
        || is_first && span.len() == 3 && line.contains(['-', '*', '+', '.', ')'])
        || written.starts_with("[!") && !written.starts_with("[![")
}

/// Returns the position of a reference link's label, or where to insert it.
fn reference(text: &str, link_type: LinkType, id: &str, span: Range<usize>) -> Option<LabelUse> {
    let end = span.end;
    let span = match link_type {
        LinkType::Reference => span.start + text[span].rfind('[')?..end,
        // The parser omits the empty brackets.
        LinkType::Collapsed if text[end..].starts_with("[]") => end..end + 2,
        LinkType::Collapsed => end - 2..end,
        LinkType::Shortcut => end..end,
        _ => return None,
    };
    Some(LabelUse {
        label: normalised(id),
        at: span.start,
        span,
    })
}

fn normalised(label: &str) -> Label {
    let words: Vec<String> = label.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn colliding_labels_are_renamed() {
        for (name, stays, moved, expected) in [
            (
                "the same",
                "a[^1]\n\n[^1]: b\n",
                "c[^1]\n\n[^1]:  b\n",
                "c[^1]\n\n[^1]:  b\n",
            ),
            (
                "a footnote",
                "[^1]: b\n",
                "c[^1] `[^1]`\n\n[^1]: d\n",
                "c[^1-2] `[^1]`\n\n[^1-2]: d\n",
            ),
            (
                "two",
                "[^1]: b\n",
                "c[^1-2] [^1]\n\n[^1]: d\n\n[^1-2]: e\n",
                "c[^1-2] [^1-3]\n\n[^1-3]: d\n\n[^1-2]: e\n",
            ),
            (
                "a link",
                "[s]: b\n",
                "[c][s] [S][] [s] ![s] [x](y)\n\n[s]: d\n",
                "[c][s-2] [S][s-2] [s][s-2] ![s][s-2] [x](y)\n\n[s-2]: d\n",
            ),
            (
                "a picture in a link",
                "[s]: b\n[p]: b\n",
                "[![p]][s]\n\n[s]: d\n[p]: e\n",
                "[![p][p-2]][s-2]\n\n[s-2]: d\n[p-2]: e\n",
            ),
            (
                "in a quote",
                "> [^1]: b\n",
                "> c[^1]\n>\n> [^1]: d\n",
                "> c[^1-2]\n>\n> [^1-2]: d\n",
            ),
            (
                "defined only here",
                "a\n",
                "[s] [^1]\n\n[s]: b\n\n[^1]: c\n",
                "[s] [^1]\n\n[s]: b\n\n[^1]: c\n",
            ),
            (
                "meant as text there",
                "- [x] a [s]\n",
                "[s]\n\n[s]: b\n",
                "[s][s-2]\n\n[s-2]: b\n",
            ),
            (
                "a wikilink",
                "[s]: b\n",
                "[[s]] and [[s|t]]\n",
                "[[s]] and [[s|t]]\n",
            ),
            (
                "a task",
                "[x]: b\n",
                "- [x] c\n1. [x] d\n",
                "- [x] c\n1. [x] d\n",
            ),
            (
                "meant as text here",
                "[s]: b\n\n[^1]: c\n",
                "a [s] [t][s] [^1] \\[^1]\n",
                "a \\[s] \\[t]\\[s] \\[^1] \\[^1]\n",
            ),
        ] {
            assert_eq!(with_distinct_labels(stays, moved), expected, "{name}");
        }
    }

    #[test]
    fn definitions_move_with_their_uses() {
        // The part is the section `# S`.
        for (name, text, taken, left, gone) in [
            (
                "used on both sides",
                "a[^1] [p]\n\n[p]: x\n\n# S\n\nb[^1] [t][p]\n\n[^1]: n\n",
                "[p]: x\n",
                "[^1]: n\n",
                "",
            ),
            (
                "used on the other side",
                "a[^1]\n\n[P q]: <x> 'y'\n\n# S\n\n[t][p  Q]\n\n[^1]: n\n    more\n",
                "[P q]: <x> 'y'\n",
                "[^1]: n\n    more\n",
                "[P q]: <x> 'y'\n\n|\n[^1]: n\n    more\n",
            ),
            (
                "used on their own side, or unused",
                "a[p]\n\n[p]: x\n[q]: z\n\n# S\n\nb[^1]\n\n[^1]: n\n[^2]: m\n",
                "",
                "",
                "",
            ),
            (
                "one of two",
                "a[p]\n\n[p]: x\n[q]: z\n\n# S\n\n[b][q]\n",
                "[q]: z\n",
                "",
                "[q]: z\n",
            ),
            (
                "named by another",
                "[p]: x\n[^1]: see [p]\n\n# S\n\nb[^1]\n",
                "[p]: x\n|[^1]: see [p]\n",
                "",
                "[p]: x\n[^1]: see [p]\n\n",
            ),
            (
                "of a quote, or code",
                "> [^1]: n\n\n# S\n\n[^1] [p]\n\n```\n[p]: x\n```\n",
                "",
                "",
                "",
            ),
        ] {
            let start = text.find("# S").unwrap();
            let parting = definition_changes(text, &(start..text.len()));
            let texts = |spans: &[Range<usize>]| {
                let texts: Vec<&str> = spans.iter().map(|span| &text[span.clone()]).collect();
                texts.join("|")
            };
            assert_eq!(texts(&parting.taken), taken, "{name}");
            assert_eq!(texts(&parting.left), left, "{name}");
            assert_eq!(texts(&parting.gone), gone, "{name}");
        }
    }

    proptest! {
        #[test]
        fn text_without_labels_is_unchanged(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", " ", "\n", "\n\n", "[", "]", "![", "[s]", "[s][]", "[a][s]", "[^1]", "[^1]: b", "[s]: c",
                    "[[s]]", "\\", "`", "> ", "- ", "(", ")", "<b>", "$", "|",
                ]),
                0..30,
            ),
        ) {
            let moved = pieces.concat();
            prop_assert_eq!(with_distinct_labels("", &moved), moved.clone());
            // Whatever collides, only labels and backslashes change.
            let new = with_distinct_labels("[s]: x\n\n[^1]: y\n\n[s] [^1]\n", &moved);
            prop_assert!(new.len() >= moved.len(), "{new:?}");
        }
    }
}

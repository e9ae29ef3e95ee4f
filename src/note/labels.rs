//! Labels of footnotes and links (`[^1]`, `[s]: address`), which hold for a whole note.
//!
//! When text moves to a note that means something else by the same label, [`apart`] gives it another one.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use pulldown_cmark::{BrokenLink, CowStr, Event, LinkType, Parser, Tag};
use regex::Regex;

use super::markdown::DIALECT;

static NOTE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[\^[^\]\s]+\]").expect("a valid pattern"));
static DEFINITION: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^[ \t>]*(\[[^\]\n]+\]):").expect("a valid pattern"));

/// What a label is and where it stands.
#[derive(Debug)]
struct Use {
    label: Label,
    /// Where its bracket opens.
    at: usize,
    /// What a new label takes the place of; empty where one is put in.
    span: Range<usize>,
}

/// A label as it is compared: `^1` of a footnote, `s` of a link.
type Label = String;

/// Returns `moved` with other labels for those by which `stays` means something else or nothing; a label
/// that means nothing in `moved` and something in `stays` stays text.
#[must_use]
pub fn apart(stays: &str, moved: &str) -> String {
    let ((theirs, known), (ours, defined)) = (read(stays), read(moved));
    let used: BTreeSet<&Label> = theirs.iter().map(|found| &found.label).collect();
    let mut taken: BTreeSet<Label> = theirs
        .iter()
        .chain(&ours)
        .map(|found| found.label.clone())
        .collect();
    let mut renamed: BTreeMap<&Label, String> = BTreeMap::new();
    for found in &ours {
        let label = &found.label;
        let collides = match (known.get(label), defined.get(label)) {
            (Some(known), Some(defined)) => known != defined,
            (None, Some(_)) => used.contains(label),
            (_, None) => false,
        };
        if collides && !renamed.contains_key(label) {
            let names = (2..).map(|number| format!("{label}-{number}"));
            let name = names.into_iter().find(|name| !taken.contains(name));
            let name = name.unwrap_or_default();
            taken.insert(name.clone());
            renamed.insert(label, name);
        }
    }
    // What was plain text stays plain text.
    let is_plain =
        |found: &&Use| known.contains_key(&found.label) && !defined.contains_key(&found.label);
    let escaped = ours
        .iter()
        .filter(is_plain)
        .map(|found| (found.at..found.at, "\\".to_owned()));
    let renamed = ours.iter().filter_map(|found| {
        let name = renamed.get(&found.label)?;
        Some((found.span.clone(), format!("[{name}]")))
    });
    let mut edits: Vec<(Range<usize>, String)> = escaped.chain(renamed).collect();
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let (mut text, mut at) = (String::with_capacity(moved.len()), 0);
    for (span, new) in edits {
        // Two readings of one bracket.
        let Some(between) = moved.get(at..span.start) else {
            continue;
        };
        text.push_str(between);
        text.push_str(&new);
        at = span.end;
    }
    text.push_str(&moved[at..]);
    text
}

/// Returns true if `at` is in one of `spans`, which are in the order of the text and apart.
fn is_in(spans: &[Range<usize>], at: usize) -> bool {
    let behind = spans.partition_point(|span| span.end <= at);
    spans.get(behind).is_some_and(|span| span.contains(&at))
}

/// Returns every place of `text` where a label stands, also such that nothing defines, and what each is
/// defined as.
fn read(text: &str) -> (Vec<Use>, BTreeMap<Label, String>) {
    let mut found = Vec::new();
    let mut undefined: Vec<Range<usize>> = Vec::new();
    let mut holes: Vec<Range<usize>> = Vec::new();
    let mut texts: Vec<Range<usize>> = Vec::new();
    let broken = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        undefined.push(link.span);
        None
    };
    let parser = Parser::new_with_broken_link_callback(text, DIALECT, Some(broken));
    let definitions = parser.reference_definitions().iter();
    let definitions = definitions.map(|(label, link)| {
        let title = link.title.as_deref().unwrap_or_default();
        (compared(label), format!("{} {title}", link.dest))
    });
    let mut defined: BTreeMap<Label, String> = definitions.collect();
    for (event, span) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::Link { link_type, id, .. } | Tag::Image { link_type, id, .. })
                if !is_other(text, &span) =>
            {
                found.extend(reference(text, link_type, &id, span));
            }
            Event::Start(Tag::FootnoteDefinition(label)) => {
                let said = text[span].split_once("]:").map_or("", |(_, said)| said);
                let said: Vec<&str> = said.split_whitespace().collect();
                // The first one holds.
                let label = format!("^{}", compared(&label));
                defined.entry(label).or_insert_with(|| said.join(" "));
            }
            Event::Text(_) => texts.push(span),
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => holes.push(span),
            Event::InlineMath(_)
            | Event::DisplayMath(_)
            | Event::Html(_)
            | Event::InlineHtml(_) => {
                holes.push(span);
            }
            _ => {}
        }
    }
    for span in undefined.into_iter().filter(|span| !is_other(text, span)) {
        let written = &text[span.clone()];
        let start = written.rfind('[').unwrap_or(0);
        let label = written[start..].trim_matches(['[', ']']);
        if label.is_empty() || label.starts_with('^') {
            continue;
        }
        // The text before a label would be one by itself.
        for at in [written.find('['), (start > 0).then_some(start)]
            .into_iter()
            .flatten()
        {
            let at = span.start + at;
            found.push(Use {
                label: compared(label),
                at,
                span: at..at,
            });
        }
    }
    let is_text = |at: usize| {
        let escapes = text[..at].len() - text[..at].trim_end_matches('\\').len();
        escapes % 2 == 1 || is_in(&holes, at)
    };
    // What is read as text defines nothing.
    let is_read = |at: usize| is_in(&texts, at);
    let links = DEFINITION
        .captures_iter(text)
        .filter_map(|line| line.get(1));
    let links = links.filter(|label| !is_read(label.start()) && !label.as_str().starts_with("[^"));
    for label in links.chain(NOTE.find_iter(text)) {
        if !is_text(label.start()) {
            found.push(Use {
                label: compared(label.as_str().trim_matches(['[', ']'])),
                at: label.start(),
                span: label.range(),
            });
        }
    }
    (found, defined)
}

/// Whether the brackets are those of a wikilink, a task or a callout.
fn is_other(text: &str, span: &Range<usize>) -> bool {
    let (before, after) = (&text[..span.start], &text[span.end..]);
    let line = before.rsplit('\n').next().unwrap_or_default();
    let item = line.trim_matches([' ', '\t', '>', '-', '*', '+', '.', ')']);
    let is_first = item.chars().all(|c| c.is_ascii_digit());
    let written = &text[span.clone()];
    before.ends_with('[') && after.starts_with(']') && written.starts_with('[')
        || is_first && span.len() == 3 && line.contains(['-', '*', '+', '.', ')'])
        || written.starts_with("[!") && !written.starts_with("[![")
}

/// Returns where the label of a link by reference stands, or is to be put.
fn reference(text: &str, link_type: LinkType, id: &str, span: Range<usize>) -> Option<Use> {
    let end = span.end;
    let span = match link_type {
        LinkType::Reference => span.start + text[span].rfind('[')?..end,
        // The parser leaves the empty brackets out.
        LinkType::Collapsed if text[end..].starts_with("[]") => end..end + 2,
        LinkType::Collapsed => end - 2..end,
        LinkType::Shortcut => end..end,
        _ => return None,
    };
    Some(Use {
        label: compared(id),
        at: span.start,
        span,
    })
}

fn compared(label: &str) -> Label {
    let words: Vec<String> = label.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn labels_that_mean_something_else_get_another_name() {
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
            assert_eq!(apart(stays, moved), expected, "{name}");
        }
    }

    proptest! {
        #[test]
        fn text_moves_as_it_is_where_no_label_is(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "a", " ", "\n", "\n\n", "[", "]", "![", "[s]", "[s][]", "[a][s]", "[^1]", "[^1]: b", "[s]: c",
                    "[[s]]", "\\", "`", "> ", "- ", "(", ")", "<b>", "$", "|",
                ]),
                0..30,
            ),
        ) {
            let moved = pieces.concat();
            prop_assert_eq!(apart("", &moved), moved.clone());
            // Whatever collides, nothing but labels and backslashes is new.
            let new = apart("[s]: x\n\n[^1]: y\n\n[s] [^1]\n", &moved);
            prop_assert!(new.len() >= moved.len(), "{new:?}");
        }
    }
}

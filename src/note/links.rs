//! Links of a note: what they point at, and how they are written anew.
//!
//! [`body`](super::body) finds them in the text and [`read`](super::read) collects them; the graph
//! resolves their targets, `mv` and merges re-point them. A link knows its span, so that
//! re-pointing replaces the target alone: label, part, title and quoting stay as written.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};

/// How a link is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target]]`
    Wiki,
    /// `[label](target)`, or by reference: `[label][id]`
    Markdown,
}

/// A link to another note or file of the vault, or to a part of its own note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// How it is written.
    pub kind: LinkKind,
    /// Whether it embeds what it points at: `![[a]]`, `![](a.png)`.
    pub embed: bool,
    /// Name or path without part, percent-encoding and escapes decoded; empty for `[[#part]]`.
    pub target: String,
    /// A heading (`Heading`, `Heading#Below`) or a block (`^id`) of the target.
    pub part: Option<String>,
    /// The text shown instead of the target.
    pub label: Option<String>,
    /// All of the link in the note's text, the `!` included, quotes around a property's not.
    pub span: Range<usize>,
    /// The front matter property of which it is a whole value; `None` in the body.
    pub property: Option<String>,
}

impl Link {
    /// Returns what replaces `span` of `source`, the note's text, when the link shall point at
    /// `target` instead.
    ///
    /// A link by reference becomes one that names its target itself.
    #[must_use]
    pub fn retargeted(&self, source: &str, target: &str) -> String {
        let raw = &source[self.span.clone()];
        match self.kind {
            _ if target == self.target => raw.to_owned(),
            LinkKind::Wiki => {
                let old = wiki_target(raw);
                let quote = match self.property {
                    Some(_) => source[..self.span.start].chars().next_back(),
                    None => None,
                };
                let target: Cow<str> = match quote {
                    Some('\'') => target.replace('\'', "''").into(),
                    Some('"') => target.replace('\\', "\\\\").replace('"', "\\\"").into(),
                    _ => target.into(),
                };
                format!("{}{target}{}", &raw[..old.start], &raw[old.end..])
            }
            LinkKind::Markdown => {
                let Some(form) = MarkdownForm::of(raw) else {
                    return raw.to_owned();
                };
                let (before, old, after) = match form.destination {
                    Some(span) => (&raw[..span.start], &raw[span.clone()], &raw[span.end..]),
                    None => (&raw[..=form.label.end], "", ""),
                };
                let angled = old.starts_with('<');
                let old = old.trim_start_matches('<').trim_end_matches('>');
                let part = match (old.find('#'), &self.part) {
                    (Some(at), _) => old[at..].to_owned(),
                    (None, Some(part)) => format!("#{}", encoded(part, false)),
                    (None, None) => String::new(),
                };
                let target = encoded(target, angled);
                match (form.reference, angled) {
                    (true, _) => format!("{before}({target}{part})"),
                    (false, true) => format!("{before}<{target}{part}>{after}"),
                    (false, false) => format!("{before}{target}{part}{after}"),
                }
            }
        }
    }

    /// Returns the text that a reader saw in place of the link.
    #[must_use]
    pub fn unlinked(&self) -> String {
        match (&self.label, &self.part) {
            (Some(label), _) => label.clone(),
            (None, Some(part)) if self.target.is_empty() => part.clone(),
            (None, Some(part)) if !part.starts_with('^') => format!("{} > {part}", self.target),
            (None, _) => self.target.clone(),
        }
    }
}

/// Returns the wikilink whose `[[` stands at byte `at` of `text`; a `!` before it belongs to it.
///
/// It ends on its line, holds no other `[[` and no bracket in its target.
pub(super) fn wikilink(text: &str, at: usize) -> Option<Link> {
    let start = at + 2;
    let bytes = text.as_bytes();
    let mut end = start;
    loop {
        match (*bytes.get(end)?, bytes.get(end + 1)) {
            (b'\n', _) | (b'[', Some(b'[')) => return None,
            (b']', Some(b']')) => break,
            _ => end += 1,
        }
    }
    let escaped = |at: usize| {
        bytes[..at]
            .iter()
            .rev()
            .take_while(|byte| **byte == b'\\')
            .count()
            % 2
            == 1
    };
    if escaped(at) {
        return None;
    }
    let embed = at > 0 && bytes[at - 1] == b'!' && !escaped(at - 1);
    let inner = &text[start..end];
    let target = wiki_target(&text[at..end + 2]);
    let target = text[at + target.start..at + target.end].trim();
    let (left, label) = match inner.split_once('|') {
        Some((left, label)) => (left.strip_suffix('\\').unwrap_or(left), Some(label.trim())),
        None => (inner, None),
    };
    let part = left
        .split_once('#')
        .map(|(_, part)| part.trim())
        .filter(|part| !part.is_empty());
    if left.contains(['[', ']']) || target.is_empty() && part.is_none() {
        return None;
    }
    Some(Link {
        kind: LinkKind::Wiki,
        embed,
        target: target.to_owned(),
        part: part.map(str::to_owned),
        label: label.filter(|label| !label.is_empty()).map(str::to_owned),
        span: at - usize::from(embed)..end + 2,
        property: None,
    })
}

/// Returns where the target stands in `raw`, a wikilink.
fn wiki_target(raw: &str) -> Range<usize> {
    let start = raw.find("[[").map_or(0, |at| at + 2);
    let inner = raw[start..].strip_suffix("]]").unwrap_or(&raw[start..]);
    let end = inner.find(['|', '#']).unwrap_or(inner.len());
    // In a table the bar is written `\|`.
    let bar = inner[end..].starts_with('|') && inner[..end].ends_with('\\');
    start..start + end - usize::from(bar)
}

/// Returns the link of a Markdown link or image: `raw` is its text, which stands at `at`, and
/// `destination` what the parser took for its destination.
///
/// Addresses with a scheme (`https:`, `mailto:`) or a host are no links to notes.
pub(super) fn markdown(raw: &str, at: usize, destination: &str, embed: bool) -> Option<Link> {
    let scheme = destination
        .split(['/', '#', '?'])
        .next()
        .is_some_and(|head| head.contains(':'));
    if scheme || destination.starts_with("//") {
        return None;
    }
    let (target, part) = match destination.split_once('#') {
        Some((target, part)) => (target, Some(decoded(part)).filter(|part| !part.is_empty())),
        None => (destination, None),
    };
    if target.is_empty() && part.is_none() {
        return None;
    }
    let label = raw[MarkdownForm::of(raw)?.label].to_owned();
    Some(Link {
        kind: LinkKind::Markdown,
        embed,
        target: decoded(target),
        part,
        label: Some(label),
        span: at..at + raw.len(),
        property: None,
    })
}

/// Where the parts of a Markdown link stand in its text.
struct MarkdownForm {
    /// Between the brackets.
    label: Range<usize>,
    /// Behind the parenthesis, angle brackets included; `None` for `[label][id]`.
    destination: Option<Range<usize>>,
    /// Whether the destination is elsewhere.
    reference: bool,
}

impl MarkdownForm {
    fn of(raw: &str) -> Option<Self> {
        let bytes = raw.as_bytes();
        let open = raw.find('[')?;
        let close = closing_bracket(bytes, open)?;
        let label = open + 1..close;
        if bytes.get(close + 1) != Some(&b'(') {
            return Some(Self {
                label,
                destination: None,
                reference: true,
            });
        }
        let inside = &raw[close + 2..];
        let start = close + 2 + (inside.len() - inside.trim_start().len());
        let mut depth = 0_usize;
        let mut at = start;
        let angled = bytes.get(start) == Some(&b'<');
        loop {
            match *bytes.get(at)? {
                b'\\' => at += 1,
                b'>' if angled => {
                    at += 1;
                    break;
                }
                _ if angled => {}
                b'(' => depth += 1,
                b')' if depth == 0 => break,
                b')' => depth -= 1,
                byte if byte.is_ascii_whitespace() => break,
                _ => {}
            }
            at += 1;
        }
        Some(Self {
            label,
            destination: Some(start..at),
            reference: false,
        })
    }
}

/// Returns where the bracket that opens at `open` closes, past escapes, code spans and brackets
/// inside.
fn closing_bracket(bytes: &[u8], open: usize) -> Option<usize> {
    let mut ticks = Vec::new();
    let mut depth = 0_usize;
    let mut at = open;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => depth += 1,
            b']' if depth == 1 => return Some(at),
            b']' => depth -= 1,
            b'`' => {
                if ticks.is_empty() {
                    ticks = tick_runs(bytes, at);
                }
                let run = ticks.partition_point(|run: &Range<usize>| run.end <= at);
                let closing = ticks[run + 1..]
                    .iter()
                    .find(|other| other.len() == ticks[run].len());
                at = closing.unwrap_or(&ticks[run]).end - 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Returns the runs of backticks from `from` on.
fn tick_runs(bytes: &[u8], from: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (from..bytes.len()).filter(|&at| bytes[at] == b'`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Decodes `%20` and its like; what is no UTF-8 then stays as written.
fn decoded(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let digit = |at: usize| {
        bytes
            .get(at)
            .and_then(|byte| char::from(*byte).to_digit(16))
    };
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                plain.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, _, _) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| text.to_owned())
}

/// Encodes what would end or change a destination; between angle brackets blanks may stay.
fn encoded(target: &str, angled: bool) -> String {
    let mut text = String::with_capacity(target.len());
    for c in target.chars() {
        match c {
            '%' | '#' | '<' | '>' | '\\' => text.push_str(&percent(c)),
            ' ' | '(' | ')' if angled => text.push(c),
            c if c.is_ascii_control() || matches!(c, ' ' | '(' | ')') => text.push_str(&percent(c)),
            c => text.push(c),
        }
    }
    text
}

fn percent(ascii: char) -> String {
    format!("%{:02X}", u32::from(ascii))
}

/// Returns the wikilinks that are whole values of `properties`, with their place in
/// `text[yaml]`, from which these were read.
///
/// Only quoted ones: `[[x]]` without quotes is a list in a list. Maps are not searched.
pub(super) fn in_matter(
    text: &str,
    yaml: Range<usize>,
    properties: &Map<String, Value>,
) -> Vec<Link> {
    let mut links = Vec::new();
    if !text[yaml.clone()].contains("[[") {
        return links;
    }
    let mut property = None;
    let mut at = yaml.start;
    for line in text[yaml].split_inclusive('\n') {
        // A list may hang below its key without indentation.
        if !line.starts_with([' ', '\t', '-', '#', '\r', '\n', ']', '[']) {
            let key = line.split(':').next().unwrap_or_default().trim();
            let key = key.trim_matches(['"', '\'']);
            property = properties.get_key_value(key);
        }
        if let Some((key, value)) = property {
            for (span, content) in quoted(line) {
                let is_value = match value {
                    Value::String(text) => *text == content,
                    Value::Array(items) => items.iter().any(|item| item.as_str() == Some(&content)),
                    _ => false,
                };
                let Some(mut link) = is_value.then(|| wikilink(&content, 0)).flatten() else {
                    continue;
                };
                if link.span == (0..content.len()) {
                    link.span = at + span.start..at + span.end;
                    link.property = Some(key.clone());
                    links.push(link);
                }
            }
        }
        at += line.len();
    }
    links
}

/// Returns the wikilinks in quotes on a line of YAML: where each stands, and what it says.
fn quoted(line: &str) -> Vec<(Range<usize>, String)> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let opens = at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'[' | b',');
        match bytes[at] {
            b'#' if opens => break,
            quote @ (b'"' | b'\'') if opens => {
                let start = at + 1;
                let mut end = start;
                while let Some(&byte) = bytes.get(end) {
                    match byte {
                        b'\'' if quote == byte && bytes.get(end + 1) == Some(&quote) => end += 1,
                        b'\\' if quote == b'"' => end += 1,
                        _ if byte == quote => break,
                        _ => {}
                    }
                    end += 1;
                }
                let end = end.min(bytes.len());
                if line[start..].starts_with("[[") && line[..end].ends_with("]]") {
                    let content = &line[start..end];
                    let content = match quote {
                        b'\'' => content.replace("''", "'"),
                        _ => content.replace("\\\"", "\"").replace("\\\\", "\\"),
                    };
                    found.push((start..end, content));
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::read;

    /// The links of a note, as `target#part|label`, with `!` for embeds and the property before.
    fn links(text: &str) -> Vec<String> {
        let shown = |link: &Link| {
            let mut shown = link
                .property
                .as_ref()
                .map(|key| format!("{key}="))
                .unwrap_or_default();
            shown.push_str(if link.embed { "!" } else { "" });
            shown.push_str(&link.target);
            shown.extend(link.part.iter().flat_map(|part| ["#", part]));
            shown.extend(link.label.iter().flat_map(|label| ["|", label]));
            shown
        };
        read(text, "stem").links.iter().map(shown).collect()
    }

    #[test]
    fn finds_links() {
        for (text, expected) in [
            ("[[A]]", &["A"][..]),
            (
                "x [[A|b]], [[A#H]] and ![[A#H|b]]",
                &["A|b", "A#H", "!A#H|b"],
            ),
            ("[[#H]] [[A#^id]] [[A#H#I]]", &["#H", "A#^id", "A#H#I"]),
            ("[[ A # H | b ]]", &["A#H|b"]),
            ("[[a/b c.md]] [[日本|é]]", &["a/b c.md", "日本|é"]),
            ("|x|y|\n|-|-|\n|[[A\\|b]]|[[C#H\\|d]]|\n", &["A|b", "C#H|d"]),
            ("[[A]", &[]),
            ("[[A\n]]", &[]),
            ("[[]] [[|x]] [[ ]] [[#]]", &[]),
            ("[[A [[B]]", &["B"]),
            ("[[[A]]]", &["A"]),
            ("\\[[A]] \\\\[[B]] \\![[C]]", &["B", "C"]),
            ("`[[A]]` ``[[A]] ` `` [[B]]", &["B"]),
            ("```\n[[A]]\n```\n[[B]]\n", &["B"]),
            ("    [[A]]\n\n[[B]]\n", &["B"]),
            ("<!-- [[A]] --> [[B]]\n\n<!--\n[[C]]\n-->\n", &["B"]),
            ("<div>\n[[A]]\n</div>\n\n[[B]]<br>[[C]]", &["B", "C"]),
            (
                "$[[A]]$ $$\n[[B]]\n$$\n[[C]] costs $5, [[D]] C$7",
                &["C", "D"],
            ),
            (
                "# H [[A]]\n> [!note] [[B]]\n> - [ ] [[C]]\n",
                &["A", "B", "C"],
            ),
            ("text[^1] [[A]]\n\n[^1]: see [[B]]\n", &["A", "B"]),
            (
                "[t](a.md) ![](b.png) [x](c.md#H%20I \"title\")",
                &["a.md|t", "!b.png|", "c.md#H I|x"],
            ),
            (
                "[t](<a b.md>) [t](a%20b.md) [t](a\\)b.md) [t](a(b).md)",
                &["a b.md|t", "a b.md|t", "a)b.md|t", "a(b).md|t"],
            ),
            (
                "[t](#H) [t]() [`]`](a.md) [a [b]](c.md)",
                &["#H|t", "a.md|`]`", "c.md|a [b]"],
            ),
            ("[![i](a.png)](b.md)", &["b.md|![i](a.png)", "!a.png|i"]),
            ("- [x](a.md)\n- [ ] b\n", &["a.md|x"]),
            (
                "[t](https://x.y/#z) <https://x.y> [t](//x) [t](mailto:a@b.c) https://x.y/[[a]]",
                &["a"],
            ),
            (
                "[a][r] [r] [r][]\n\n[r]: b.md#H \"t\"\n",
                &["b.md#H|a", "b.md#H|r", "b.md#H|r"],
            ),
            ("[[A]] [B]\n\n[A]: a.md\n[B]: b.md\n", &["A", "b.md|B"]),
            ("[[1]](https://x.y) [[2]](a.md)", &["a.md|[2]"]),
            ("[not a link] [t](a b.md)", &[]),
        ] {
            assert_eq!(links(text), expected, "{text:?}");
        }
    }

    #[test]
    fn finds_links_of_properties() {
        for (yaml, expected) in [
            ("rel: \"[[A]]\"\n", &["rel=A"][..]),
            (
                "rel: ['[[A|b]]', \"[[C#H]]\"] # \"[[D]]\"\n",
                &["rel=A|b", "rel=C#H"],
            ),
            (
                "rel:\n- \"[[A]]\"\n  # '[[B]]'\n- '[[it''s]]'\n",
                &["rel=A", "rel=it's"],
            ),
            ("\"a b\":\r\n  - \"[[A]]\"\r\n", &["a b=A"]),
            ("rel: see [[A]]\n", &[]),
            ("rel: \"see [[A]]\"\n", &[]),
            ("rel: [[A]]\n", &[]),
            ("rel: \"[[A]] [[B]]\"\n", &[]),
            ("map:\n  rel: \"[[A]]\"\n", &[]),
            ("# rel: \"[[A]]\"\nb: \"[[B]]\"\n", &["b=B"]),
        ] {
            let text = format!("---\n{yaml}---\n[[Z]]\n");
            let mut expected = expected.to_vec();
            expected.push("Z");
            assert_eq!(links(&text), expected, "{yaml:?}");
        }
    }

    #[test]
    fn retargets_and_unlinks() {
        // A text with one link, the link pointing at `N (1)`, the link as text.
        for (text, retargeted, unlinked) in [
            ("[[A]]", "[[N (1)]]", "A"),
            ("![[ A#H | b ]]", "![[N (1)#H | b ]]", "b"),
            ("[[#H]]", "[[N (1)#H]]", "H"),
            ("[[A#H]]", "[[N (1)#H]]", "A > H"),
            ("[[A#^id]]", "[[N (1)#^id]]", "A"),
            ("|x|\n|-|\n|[[A\\|b]]|", "[[N (1)\\|b]]", "b"),
            ("[t](a.md \"title\")", "[t](N%20%281%29 \"title\")", "t"),
            ("![](a.md#H%20I)", "![](N%20%281%29#H%20I)", ""),
            ("[t](<a b.md#H>)", "[t](<N (1)#H>)", "t"),
            ("[t](#H)", "[t](N%20%281%29#H)", "t"),
            ("[`]`]( a(b).md )", "[`]`]( N%20%281%29 )", "`]`"),
            ("[t][r]\n\n[r]: a.md#H\n", "[t](N%20%281%29#H)", "t"),
            ("[t]\n\n[t]: <a b.md>\n", "[t](N%20%281%29)", "t"),
        ] {
            let note = read(text, "stem");
            let [link] = note.links.as_slice() else {
                panic!("{text}: {:?}", note.links)
            };
            assert_eq!(link.retargeted(text, "N (1)"), retargeted);
            assert_eq!(link.unlinked(), unlinked, "{text}");
            assert_eq!(link.retargeted(text, &link.target), text[link.span.clone()]);
            let changed = text.replace(&text[link.span.clone()], retargeted);
            let again = &read(&changed, "stem").links[0];
            assert_eq!(
                (again.target.as_str(), &again.part),
                ("N (1)", &link.part),
                "{changed}"
            );
        }
    }

    #[test]
    fn retargets_in_the_quotes_of_a_property() {
        for (value, target, expected) in [
            ("'[[A|it''s]]'", "don't", "'[[don''t|it''s]]'"),
            ("\"[[A]]\"", "a\\b", "\"[[a\\\\b]]\""),
        ] {
            let text = format!("---\nrel: {value}\n---\n");
            let link = &read(&text, "stem").links[0];
            let mut changed = text.clone();
            changed.replace_range(link.span.clone(), &link.retargeted(&text, target));
            assert_eq!(changed, format!("---\nrel: {expected}\n---\n"));
            assert_eq!(read(&changed, "stem").links[0].target, target);
        }
    }
}

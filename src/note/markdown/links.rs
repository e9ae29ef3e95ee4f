//! Links of a note: parsing and retargeting.
//!
//! [`body`](super::body) finds links in the text and [`read`](crate::note::read) collects them. The graph resolves
//! their targets; `mv` and merges retarget them. A link stores spans, so retargeting replaces the target alone and
//! preserves label, part, title and quoting.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use percent_encoding::percent_decode_str;
use pulldown_cmark::{Event, Parser};
use regex::Regex;
use serde_json::{Map, Value};
use yaml_edit::{SyntaxKind, lex};
use yaml_rust2::{Yaml, YamlLoader};

use super::is_link_to;
use crate::note::front_matter::property_names::standard_name;
use crate::note::front_matter::split::line_start;
use crate::note::front_matter::verbatim::toml_parts;

/// The syntax of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkKind {
    /// `[[target]]`
    Wiki,
    /// `[label](target)`, a reference: `[label][id]`, or a tag: `<a href="target">`
    Markdown,
}

/// A link to a note or file of the vault, or to a part of its own note.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The syntax.
    pub kind: LinkKind,
    /// Whether it embeds its target: `![[a]]`, `![](a.png)`.
    pub embed: bool,
    /// Name or path without part, percent-encoding and escapes decoded; empty for `[[#part]]`.
    pub target: String,
    /// A heading (`Heading`, `Heading#Below`) or a block (`^id`) of the target.
    pub part: Option<String>,
    /// The text shown instead of the target.
    pub label: Option<String>,
    /// Span in the note's text, including `!`, excluding quotes around a property value.
    pub span: Range<usize>,
    /// The front matter property whose value is this link; empty if it is text there; `None` in the body.
    pub property: Option<String>,
    /// Span of the destination in the definition of a reference link, which other links may share, or in a tag.
    pub definition: Option<Range<usize>>,
}

/// The `id` of an HTML tag, or the `name` of `<a>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HtmlId {
    pub name: String,
    /// Byte offset of the tag in the note's text.
    pub at: usize,
}

impl Link {
    /// Whether it is text in a property, and not a value of its own.
    pub fn is_property_text(&self) -> bool {
        self.property.as_deref() == Some("")
    }

    /// Returns the span to replace when retargeting: the link, or the destination in its definition.
    pub fn place(&self) -> Range<usize> {
        self.definition.clone().unwrap_or(self.span.clone())
    }

    /// Returns the replacement for [`Self::place`] in `source`, the note's text, that retargets the link to `target`.
    ///
    /// A link that cannot be retargeted safely is returned unchanged.
    pub fn retargeted(&self, source: &str, target: &str) -> String {
        let raw = &source[self.place()];
        match self.kind {
            _ if target == self.target => raw.to_owned(),
            LinkKind::Wiki => {
                let link = self.unescaped(source);
                let old = wiki_target(&link);
                let new = format!("{}{target}{}", &link[..old.start], &link[old.end..]);
                self.escaped(source, &new)
            }
            LinkKind::Markdown => {
                let whole = 0..raw.len();
                let destination = match self.definition {
                    Some(_) => Some(whole),
                    None => MarkdownForm::of(raw).and_then(|form| form.destination),
                };
                let Some(Range { start, end }) = destination else {
                    return raw.to_owned();
                };
                let (before, old, after) = (&raw[..start], &raw[start..end], &raw[end..]);
                let angled = old.starts_with('<');
                let inner = old.strip_prefix('<').and_then(|old| old.strip_suffix('>'));
                let old = inner.unwrap_or(old);
                let is_tag = self.is_tag(source);
                let part = match (old.find('#').filter(|_| !is_tag), &self.part) {
                    (Some(at), _) => old[at..].to_owned(),
                    (None, Some(part)) => format!("#{}", encoded(part, false)),
                    (None, None) => String::new(),
                };
                let mut address = format!("{}{part}", address(target, angled));
                if is_tag {
                    for (c, code) in [('"', "%22"), ('\'', "%27"), ('&', "%26")] {
                        address = address.replace(c, code);
                    }
                }
                let written = if angled {
                    format!("<{address}>")
                } else {
                    address.clone()
                };
                let new = format!("{before}{written}{after}");
                let link = match self.definition {
                    Some(_) => Cow::Owned(format!("[x]({new})")),
                    None => Cow::Borrowed(&new),
                };
                // The parser decides where the label ends: `[$]$](a.md)` is one link.
                if is_link_to(&link, &address) {
                    new
                } else {
                    raw.to_owned()
                }
            }
        }
    }

    /// Returns the replacement for [`Self::place`] in `source` with the part `part`, or without one
    /// if it is empty; `None` if the link has no part or its form is unusual.
    pub fn with_part(&self, source: &str, part: &str) -> Option<String> {
        let raw = &*self.unescaped(source);
        let (span, part) = match (self.kind, &self.definition) {
            (LinkKind::Wiki, _) => {
                let target = wiki_target(raw);
                let bar = label_separator(&raw[target.start..]).map(|bar| target.start + bar);
                let end = bar.unwrap_or(raw.len() - 2);
                let is_escaped = raw[..end].ends_with('\\');
                (target.end..end - usize::from(is_escaped), part.to_owned())
            }
            (LinkKind::Markdown, Some(_)) if self.is_tag(source) => {
                return Some(self.in_tag(source, &self.target, part));
            }
            (LinkKind::Markdown, Some(_)) => (0..raw.len(), encoded(part, false)),
            (LinkKind::Markdown, None) => {
                (MarkdownForm::of(raw)?.destination?, encoded(part, false))
            }
        };
        let written = &raw[span.clone()];
        let start = span.start + written.find('#')? + usize::from(!part.is_empty());
        let end = span.end - usize::from(written.ends_with('>'));
        let new = format!("{}{part}{}", &raw[..start], &raw[end..]);
        Some(self.escaped(source, &new))
    }

    /// Returns this link of `source` in the other syntax, with `target` and `part` in the form of that syntax; `None`
    /// if it would show another text or lose a title.
    pub fn converted(&self, source: &str, target: &str, part: Option<&str>) -> Option<String> {
        if self.property.is_some() || self.definition.is_some() {
            return None;
        }
        let mark = if self.embed { "!" } else { "" };
        let shown = self.unlinked();
        let part_of = |part: &str| format!("#{part}");
        if self.kind == LinkKind::Wiki {
            let part = part.map_or_else(String::new, |part| part_of(&encoded(part, false)));
            let address = destination(target) + &part;
            let link = format!("[{shown}]({address})");
            return is_link_to(&link, &address).then(|| mark.to_owned() + &link);
        }
        let raw = &source[self.span.clone()];
        if raw[MarkdownForm::of(raw)?.destination?.end..] != *")" {
            return None;
        }
        let bare = Self {
            kind: LinkKind::Wiki,
            target: target.to_owned(),
            part: part.map(str::to_owned),
            label: None,
            ..self.clone()
        };
        let part = part.map_or_else(String::new, part_of);
        let start = line_start(source, self.span.start);
        let row = source[start..].lines().next().unwrap_or_default();
        let label = if bare.unlinked() == shown {
            String::new()
        } else if row.trim_start().starts_with('|') {
            // The bar would end the cell.
            format!("\\|{shown}")
        } else {
            format!("|{shown}")
        };
        let link = format!("{mark}[[{target}{part}{label}]]");
        let read = wikilink(&link, mark.len())?;
        let is_same = read.target == target
            && read.part == bare.part
            && read.span == (0..link.len())
            && read.unlinked() == shown;
        is_same.then_some(link)
    }

    /// Returns the replacement for [`Self::place`] in `source` with another target and part.
    pub fn redirected(&self, source: &str, target: &str, part: &str) -> Option<String> {
        if self.is_tag(source) {
            return Some(self.in_tag(source, target, part));
        }
        let new = self.with_part(source, part)?;
        let Range { start, end } = self.place();
        let source = [&source[..start], &new, &source[end..]].concat();
        let place = start..start + new.len();
        let link = Self {
            part: Some(part.to_owned()).filter(|part| !part.is_empty()),
            definition: self.definition.as_ref().map(|_| place.clone()),
            span: place,
            ..self.clone()
        };
        Some(link.retargeted(&source, target))
    }

    /// Whether the link is an attribute of an HTML tag.
    fn is_tag(&self, source: &str) -> bool {
        self.definition.is_some() && source[self.span.clone()].starts_with('<')
    }

    /// Returns the address in a tag of `source` that leads to `part` of `target`.
    fn in_tag(&self, source: &str, target: &str, part: &str) -> String {
        let link = Self {
            target: format!("{target}?"),
            part: Some(part.to_owned()).filter(|part| !part.is_empty()),
            ..self.clone()
        };
        link.retargeted(source, target)
    }

    /// Returns the quote before the link, a value of a property of `source`.
    fn quote(&self, source: &str) -> Option<char> {
        let before = source[..self.span.start].chars().next_back();
        before.filter(|quote| self.property.is_some() && matches!(quote, '"' | '\''))
    }

    /// Returns the text of [`Self::place`] in `source` without the escapes of the quotes around it.
    fn unescaped<'s>(&self, source: &'s str) -> Cow<'s, str> {
        let raw = &source[self.place()];
        let quote = self.quote(source);
        let value = quote.and_then(|quote| quoted_value(&format!("{quote}{raw}{quote}")));
        value.map_or(raw.into(), Cow::Owned)
    }

    /// Escapes text for the quotes around the link.
    fn escaped(&self, source: &str, text: &str) -> String {
        match self.quote(source) {
            Some('\'') => text.replace('\'', "''"),
            Some(_) => {
                let quoted = Value::from(text).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
            None => text.to_owned(),
        }
    }

    /// Returns the text shown to a reader.
    pub fn unlinked(&self) -> String {
        match (&self.label, &self.part) {
            (Some(label), _) => label.clone(),
            (None, Some(part)) if self.target.is_empty() => part.replace('#', " > "),
            (None, Some(part)) if !part.starts_with('^') => {
                format!("{} > {}", self.target, part.replace('#', " > "))
            }
            (None, _) => self.target.clone(),
        }
    }
}

/// Writes the link in its usual form, for messages.
impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (sign, label) = (if self.embed { "!" } else { "" }, self.label.as_deref());
        let part = self.part.iter().map(|part| format!("#{part}"));
        let part: String = part.collect();
        let target = &self.target;
        match (self.kind, label) {
            (LinkKind::Wiki, None) => write!(f, "{sign}[[{target}{part}]]"),
            (LinkKind::Wiki, Some(label)) => write!(f, "{sign}[[{target}{part}|{label}]]"),
            (LinkKind::Markdown, label) => {
                write!(f, "{sign}[{}]({target}{part})", label.unwrap_or_default())
            }
        }
    }
}

/// Parses the wikilink whose `[[` is at byte `at` of `text`; a preceding `!` belongs to it.
///
/// It ends on its line, and contains no other `[[` and no bracket in its target.
pub(crate) fn wikilink(text: &str, at: usize) -> Option<Link> {
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
    let span = wiki_target(&text[at..end + 2]);
    let target = text[at + span.start..at + span.end].trim();
    let (left, label) = match label_separator(inner) {
        Some(bar) => {
            let left = &inner[..bar];
            let label = inner[bar + 1..].trim();
            (left.strip_suffix('\\').unwrap_or(left), Some(label))
        }
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
        definition: None,
    })
}

/// Returns the wikilink if `text` contains nothing else but surrounding whitespace.
pub fn whole_wikilink(text: &str) -> Option<Link> {
    let text = text.trim();
    let link = text.starts_with("[[").then(|| wikilink(text, 0)).flatten();
    link.filter(|link| link.span == (0..text.len()))
}

/// Whether `raw`, a Markdown link to the parser, is a wikilink followed by parenthesised text: `[[vault]](s)`.
///
/// Obsidian always reads `[[1]](address)` as a wikilink and text. Here it stays a Markdown link if the parentheses
/// contain a path or an address, because other tools use this form for footnotes.
pub(crate) fn is_wikilink_before_text(raw: &str) -> bool {
    let raw = raw.strip_prefix('!').unwrap_or(raw);
    if !raw.starts_with("[[") {
        return false;
    }
    let Some(link) = wikilink(raw, 0) else {
        return false;
    };
    let inner = raw[link.span.end..]
        .strip_prefix('(')
        .and_then(|inner| inner.strip_suffix(')'));
    let is_of_path = |c: char| c.is_whitespace() || "./#:%<\\\"".contains(c);
    inner.is_some_and(|inner| !inner.contains(is_of_path))
}

/// Returns the span of the target in `raw`, a wikilink.
fn wiki_target(raw: &str) -> Range<usize> {
    let start = raw.find("[[").map_or(0, |at| at + 2);
    let inner = raw[start..].strip_suffix("]]").unwrap_or(&raw[start..]);
    let bar = label_separator(inner);
    let end = inner
        .find('#')
        .into_iter()
        .chain(bar)
        .min()
        .unwrap_or(inner.len());
    // In a table the bar is written `\|`.
    let escaped = bar == Some(end) && inner[..end].ends_with('\\');
    start..start + end - usize::from(escaped)
}

/// Returns the offset of the bar before a wikilink's label. A bar at the start belongs to the target.
fn label_separator(inner: &str) -> Option<usize> {
    inner
        .match_indices('|')
        .map(|(at, _)| at)
        .find(|at| *at > 0)
}

/// Parses a Markdown link or image with text `raw` at offset `at`. `destination` is the destination according to the
/// parser.
///
/// Addresses with a scheme (`https:`, `mailto:`) or a host are not links to notes.
pub(crate) fn markdown(raw: &str, at: usize, destination: &str, embed: bool) -> Option<Link> {
    let label = raw[MarkdownForm::of(raw)?.label].to_owned();
    to_address(destination, label, at..at + raw.len(), embed)
}

/// Returns a link to an address of the vault.
fn to_address(destination: &str, label: String, span: Range<usize>, embed: bool) -> Option<Link> {
    if has_scheme(destination) || destination.starts_with("//") {
        return None;
    }
    let (target, part) = match destination.split_once('#') {
        Some((target, part)) => (target, Some(decoded(part)).filter(|part| !part.is_empty())),
        None => (destination, None),
    };
    (!target.is_empty() || part.is_some()).then(|| Link {
        kind: LinkKind::Markdown,
        embed,
        target: decoded(target),
        part,
        label: Some(label),
        span,
        property: None,
        definition: None,
    })
}

/// The attributes of tags that contain an address, and whether the tag embeds its target.
const LINK_ATTRIBUTES: [(&str, &str, bool); 13] = [
    ("a", "href", false),
    ("area", "href", false),
    ("audio", "src", true),
    ("embed", "src", true),
    ("iframe", "src", true),
    ("img", "src", true),
    ("img", "srcset", true),
    ("object", "data", true),
    ("source", "src", true),
    ("source", "srcset", true),
    ("track", "src", true),
    ("video", "poster", true),
    ("video", "src", true),
];

/// Endings of the pages of a site.
const PAGES: [&str; 6] = ["", "html", "htm", "xhtml", "php", "asp"];

static TAG_ATTRIBUTE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"\s([A-Za-z][\w:-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+))"#;
    Regex::new(pattern).expect("a valid pattern")
});

/// Returns the links to notes and the embedded files of `html`, tags at offset `at`, without labels.
pub(crate) fn in_html(html: &str, at: usize) -> Vec<Link> {
    let mut links = Vec::new();
    for (start, tag) in tags(html) {
        let name = tag_name(tag);
        if !LINK_ATTRIBUTES
            .iter()
            .any(|(of, ..)| name.eq_ignore_ascii_case(of))
        {
            continue;
        }
        for found in TAG_ATTRIBUTE.captures_iter(tag) {
            let is_entry = |(of, key, _): &&(&str, &str, bool)| {
                name.eq_ignore_ascii_case(of) && found[1].eq_ignore_ascii_case(key)
            };
            let entry = LINK_ATTRIBUTES.iter().find(is_entry);
            let value = (2..5).find_map(|group| found.get(group));
            let (Some((.., embed)), Some(value)) = (entry, value) else {
                continue;
            };
            // Other pages are not part of the vault, nor are pictures of a site.
            let is_file = |link: &Link| {
                let name = link.target.rsplit('/').next().unwrap_or_default();
                let ending = name
                    .rsplit_once('.')
                    .map(|(_, ending)| ending.to_lowercase());
                let is_page = ending.is_none_or(|ending| PAGES.contains(&&*ending));
                name.to_lowercase().ends_with(".md")
                    || !link.target.starts_with('/') && (*embed || !is_page)
            };
            let span = at + start - 1..at + start + tag.len() + 1;
            let is_set = found[1].eq_ignore_ascii_case("srcset");
            for place in addresses(value.as_str(), is_set) {
                let address = &value.as_str()[place.clone()];
                let address = unescape_html(address);
                let link = to_address(&address, String::new(), span.clone(), *embed);
                let offset = at + start + value.start();
                links.extend(link.filter(is_file).map(|link| Link {
                    definition: Some(offset + place.start..offset + place.end),
                    ..link
                }));
            }
        }
    }
    links
}

/// Returns the spans of the addresses in an attribute; `srcset` lists several, each with a size.
fn addresses(value: &str, is_set: bool) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut at = 0;
    let pieces = if is_set {
        value.split_inclusive(", ").collect()
    } else {
        vec![value]
    };
    for piece in pieces {
        let start = at + piece.len() - piece.trim_start().len();
        let address = piece.trim().trim_end_matches(',');
        let end = address.find(char::is_whitespace).filter(|_| is_set);
        spans.push(start..start + end.unwrap_or(address.len()));
        at += piece.len();
    }
    spans
}

/// Decodes the character references in the value of an attribute.
fn unescape_html(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return value.into();
    }
    // A leading letter keeps the value from starting a block.
    let mut line = "x".to_owned();
    for c in value.chars() {
        if c.is_ascii_punctuation() && !"&#;".contains(c) {
            line.push('\\');
        }
        line.push(c);
    }
    let texts = Parser::new(&line).filter_map(|event| match event {
        Event::Text(text) => Some(text.to_string()),
        _ => None,
    });
    let text: String = texts.collect();
    text[1..].to_owned().into()
}

/// Returns the ids in `html`, tags at offset `at`.
pub(crate) fn html_ids(html: &str, at: usize) -> Vec<HtmlId> {
    let mut ids = Vec::new();
    for (start, tag) in tags(html) {
        for found in TAG_ATTRIBUTE.captures_iter(tag) {
            let is_id = found[1].eq_ignore_ascii_case("id")
                || found[1].eq_ignore_ascii_case("name") && tag_name(tag).eq_ignore_ascii_case("a");
            let value = (2..5).find_map(|group| found.get(group));
            ids.extend(value.filter(|_| is_id).map(|value| HtmlId {
                name: value.as_str().to_owned(),
                at: at + start - 1,
            }));
        }
    }
    ids
}

/// Returns the tags of `html` without angle brackets, with the offsets behind the opening ones.
fn tags(html: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_comment = html.trim_start().starts_with("<!");
    let opened = html.match_indices('<').filter(move |_| !is_comment);
    opened.filter_map(|(at, _)| {
        let piece = html[at + 1..].split('<').next().unwrap_or_default();
        Some((at + 1, piece.split_once('>')?.0))
    })
}

fn tag_name(tag: &str) -> &str {
    tag.split_whitespace().next().unwrap_or_default()
}

/// Returns true for an address that begins with a scheme, like `mailto:`.
fn has_scheme(address: &str) -> bool {
    let mut heads = address.split(['/', '#', '?']);
    heads.next().is_some_and(|head| head.contains(':'))
}

/// Returns the span of the destination in `raw`, a link reference definition of `destination`.
pub(crate) fn definition_destination(raw: &str, destination: &str) -> Option<Range<usize>> {
    let close = closing_bracket(raw.as_bytes(), raw.find('[')?)?;
    let following = raw[close + 1..].strip_prefix(':')?;
    // It may be on the next line, even in a quote.
    let following = following.trim_start_matches(|c: char| c.is_whitespace() || c == '>');
    let start = raw.len() - following.len();
    let span = start..destination_end(raw.as_bytes(), start);
    is_link_to(&format!("[x]({})", &raw[span.clone()]), destination).then_some(span)
}

/// Returns the span of the label in the text of a Markdown link.
pub(crate) fn label(raw: &str) -> Range<usize> {
    MarkdownForm::of(raw).map_or(0..0, |form| form.label)
}

/// The spans of a Markdown link's parts.
struct MarkdownForm {
    /// Inside the brackets.
    label: Range<usize>,
    /// Inside the parentheses, including angle brackets; `None` for `[label][id]`.
    destination: Option<Range<usize>>,
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
            });
        }
        let inside = &raw[close + 2..];
        let start = close + 2 + (inside.len() - inside.trim_start().len());
        Some(Self {
            label,
            destination: Some(start..destination_end(bytes, start)),
        })
    }
}

/// Returns the end of the destination that begins at `start`, including angle brackets.
fn destination_end(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    let angled = bytes.get(start) == Some(&b'<');
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'>' if angled => return at + 1,
            _ if angled => {}
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            byte if byte.is_ascii_whitespace() => break,
            _ => {}
        }
        at += 1;
    }
    at.min(bytes.len())
}

/// Returns the bracket that closes the one at `open`, skipping escapes, code spans and nested brackets.
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

/// Returns the runs of backticks after offset `from`.
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

/// Decodes percent-encoding; text that is not UTF-8 when decoded stays unchanged.
pub fn decoded(text: &str) -> String {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.unwrap_or(text.into()).into_owned()
}

/// Characters that GitHub omits from slugs.
static NOT_IN_SLUG: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\- ]").expect("a valid pattern")
});

/// Returns `heading` as the part of a wikilink, which cannot contain `#`, `|`, `^` and brackets.
pub fn part_of_heading(heading: &str) -> String {
    let pieces = heading.split(|c: char| c.is_whitespace() || "#|^[]".contains(c));
    let words: Vec<&str> = pieces.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// Returns the anchor of `heading` on GitHub: `Green tea: how?` becomes `green-tea-how`.
pub fn anchor_of_heading(heading: &str) -> String {
    let lower = heading.trim().to_lowercase();
    NOT_IN_SLUG.replace_all(&lower, "").replace(' ', "-")
}

/// Encodes `target` as the destination of a Markdown link, without angle brackets.
pub fn destination(target: &str) -> String {
    address(target, false)
}

/// Encodes `target` as an address that cannot be mistaken for one with a scheme.
fn address(target: &str, angled: bool) -> String {
    let address = encoded(target, angled);
    if has_scheme(&address) {
        format!("./{address}")
    } else {
        address
    }
}

/// Encodes characters that would end or change a destination; angle brackets permit blanks.
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

/// Returns the wikilinks that are whole values of `properties`, with their spans in the TOML `text[matter]`.
pub(crate) fn in_toml(
    text: &str,
    matter: Range<usize>,
    properties: &Map<String, Value>,
) -> Vec<Link> {
    let mut links = Vec::new();
    if !text[matter.clone()].contains("[[") {
        return links;
    }
    let mut all = HashMap::new();
    for (key, value) in properties {
        add_paths(key, value, &mut all);
    }
    let mut paths_of_key = HashMap::new();
    for part in toml_parts(&text[matter.clone()]) {
        let part = matter.start + part.start..matter.start + part.end;
        let token = &text[part.clone()];
        if token.starts_with('#') {
            continue;
        }
        if !token.starts_with(['"', '\'']) {
            let key = token.rsplit_once('=').map(|(before, _)| before.lines());
            if let Some(key) = key.and_then(Iterator::last).map(str::trim) {
                paths_of_key.clear();
                if let Some(value) = properties.get(key) {
                    add_paths(key, value, &mut paths_of_key);
                }
            }
            continue;
        }
        let content = unquoted(token);
        let path = paths_of_key.get(&*content).or_else(|| all.get(&*content));
        links.extend(path.and_then(|path| whole_value(&content, part, path)));
    }
    links
}

/// Returns the link that is the whole `content` of the value at `part`, quotes included, of the property `path`.
fn whole_value(content: &str, part: Range<usize>, path: &str) -> Option<Link> {
    let link = whole_wikilink(content).filter(|link| link.span.end == content.len())?;
    Some(Link {
        span: part.start + 1..part.end - 1,
        property: Some(with_standard_name(path.to_owned())),
        ..link
    })
}

/// Returns the wikilinks that are whole values of `properties`, with their spans in the YAML or JSON `text[yaml]`.
///
/// The values must be quoted: `[[x]]` without quotes is a nested list. A value inside a map is a link of `key.inner`
/// and therefore not a relation.
pub(crate) fn in_front_matter(
    text: &str,
    yaml: Range<usize>,
    properties: &Map<String, Value>,
) -> Vec<Link> {
    let mut links = Vec::new();
    if !text[yaml.clone()].contains("[[") {
        return links;
    }
    let mut all = HashMap::new();
    if text[yaml.clone()].trim_start().starts_with('{') {
        for (key, value) in properties {
            add_paths(key, value, &mut all);
        }
    }
    let mut paths_of_key = HashMap::new();
    let tokens = lex(&text[yaml.clone()]);
    let mut at = yaml.start;
    for (number, (_, token)) in tokens.iter().enumerate() {
        let start = at;
        at += token.len();
        let is_key = || {
            let mut following = tokens[number + 1..].iter();
            let next = following.find(|(kind, _)| *kind != SyntaxKind::WHITESPACE);
            next.is_some_and(|(kind, _)| *kind == SyntaxKind::COLON)
        };
        let content = unquoted(token);
        if line_start(text, start).max(yaml.start) == start && is_key() {
            paths_of_key.clear();
            if let Some(value) = properties.get(&*content) {
                add_paths(&content, value, &mut paths_of_key);
            }
        }
        let path = paths_of_key.get(&*content).or_else(|| all.get(&*content));
        if token.starts_with(['"', '\'']) {
            links.extend(path.and_then(|path| whole_value(&content, start..at, path)));
        }
    }
    links
}

/// Returns the wikilinks in the front matter `text[matter]` that are not among `links`, except in whole lines of comment.
pub(crate) fn in_property_texts(text: &str, matter: Range<usize>, links: &[Link]) -> Vec<Link> {
    let mut found = Vec::new();
    let mut at = matter.start;
    while let Some(next) = text[at..matter.end].find("[[") {
        at += next;
        let after = links.partition_point(|link| link.span.end <= at);
        if let Some(known) = links.get(after).filter(|link| link.span.start <= at) {
            at = known.span.end;
            continue;
        }
        let link = wikilink(&text[..matter.end], at);
        let is_comment = || text[line_start(text, at)..].trim_start().starts_with('#');
        found.extend(link.iter().filter(|_| !is_comment()).map(|link| {
            let read = without_escapes(&text[link.span.clone()], link);
            Link {
                target: read.target.replace("''", "'"),
                property: Some(String::new()),
                span: link.span.clone(),
                ..read
            }
        }));
        at = link.map_or(at + 1, |link| link.span.end);
    }
    found
}

/// Returns `link` with the escapes of `raw` decoded, unless one of them is a bracket or bar. `raw` is its text, in
/// double quotes.
fn without_escapes(raw: &str, link: &Link) -> Link {
    let has_escape = raw.contains('\\');
    let value = has_escape
        .then(|| quoted_value(&format!("\"{raw}\"")))
        .flatten();
    let read = value.and_then(|value| wikilink(&value, usize::from(link.embed)));
    let form = |link: &Link| (link.part.is_some(), link.label.is_some());
    read.filter(|read| form(read) == form(link))
        .unwrap_or_else(|| link.clone())
}

/// Returns the path of a property with the standard spelling of its first key, by which the graph identifies
/// relations.
fn with_standard_name(path: String) -> String {
    let top = path.split('.').next().unwrap_or_default();
    match standard_name(top) {
        name if name == top => path,
        name => format!("{name}{}", &path[top.len()..]),
    }
}

/// Adds the path of each text value in a property: its key and the keys of enclosing maps. The first of equal texts
/// wins.
fn add_paths<'v>(path: &str, value: &'v Value, paths: &mut HashMap<&'v str, String>) {
    match value {
        Value::String(text) => {
            paths.entry(text).or_insert_with(|| path.to_owned());
        }
        Value::Array(items) => items.iter().for_each(|item| add_paths(path, item, paths)),
        Value::Object(map) => map
            .iter()
            .for_each(|(inner, value)| add_paths(&format!("{path}.{inner}"), value, paths)),
        _ => {}
    }
}

/// Returns the value of a YAML scalar, quoted or not.
fn unquoted(scalar: &str) -> Cow<'_, str> {
    quoted_value(scalar).map_or(scalar.trim().into(), Cow::Owned)
}

/// Returns the value of a scalar of YAML or JSON in quotes.
fn quoted_value(scalar: &str) -> Option<String> {
    if !scalar.starts_with(['"', '\'']) {
        return None;
    }
    // Only JSON has surrogate pairs.
    let json = serde_json::from_str(scalar).ok();
    json.or_else(
        || match YamlLoader::load_from_str(scalar).ok()?.as_slice() {
            [Yaml::String(text)] => Some(text.clone()),
            _ => None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::read;

    /// The links of a note as `target#part|label`, with `!` for embeds and the property before.
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
    fn whole_wikilinks() {
        for (value, expected) in [
            ("[[Tea]]", Some("Tea")),
            (" [[a/Tea#Green|x]] ", Some("a/Tea")),
            ("see [[Tea]]", None),
            ("[[Tea]] and [[Mate]]", None),
            ("[[#here]]", Some("")),
            ("![[Tea]]", None),
            ("[]", None),
            ("", None),
        ] {
            let link = whole_wikilink(value);
            assert_eq!(link.as_ref().map(|link| &*link.target), expected, "{value}");
        }
    }

    #[test]
    fn links_convert_to_the_other_syntax_and_back() {
        let first = |text: &str| read(text, "stem").links[0].clone();
        for (wiki, markdown) in [
            ("[[Tea]]", "[Tea](x/Tea.md)"),
            ("![[Tea]]", "![Tea](x/Tea.md)"),
            ("[[Tea|hot *tea*]]", "[hot *tea*](x/Tea.md)"),
            ("[[Tea#How to]]", "[Tea > How to](x/Tea.md#How%20to)"),
            ("[[Tea#^b1|block]]", "[block](x/Tea.md#^b1)"),
            ("[[#How to]]", "[How to](#How%20to)"),
            ("| [[Tea\\|hot]] | b |", "| [hot](x/Tea.md) | b |"),
        ] {
            for (from, to, target) in [(wiki, markdown, "x/Tea.md"), (markdown, wiki, "Tea")] {
                let link = first(from);
                let target = if link.target.is_empty() { "" } else { target };
                let new_link = link.converted(from, target, link.part.as_deref());
                let new = new_link.unwrap_or_else(|| panic!("{from}"));
                assert_eq!(from.replace(&from[link.span], &new), to);
            }
        }
        for (text, target) in [
            ("[a](x.md \"title\")", "x"),
            ("[a][id]\n\n[id]: x.md", "x"),
            ("[a\nb](x.md)", "x"),
            ("[a|b](x.md)", "x|y"),
            ("[a](x.md)", "x]"),
            ("[[x|a ] b]]", "x.md"),
            ("---\nlink: '[[x]]'\n---\n", "x.md"),
        ] {
            let link = first(text);
            assert_eq!(link.converted(text, target, None), None, "{text}");
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
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
            (
                "<a href=\"a%20b.md#H\">x</a> <img width=1 src='c.png'/> `<a href=\"d.md\">`",
                &["a b.md#H|", "!c.png|"],
            ),
            (
                "<a href=\"Q&amp;A.md#x&#39;s\"> <a href='Q&A.md'> <img srcset=\"a.png 1x, b&amp;c.png 2x\">",
                &["Q&A.md#x's|", "Q&A.md|", "!a.png|", "!b&c.png|"],
            ),
            (
                "<p>\n<a class=\"x\" href=\"a.md\">\n</p>\n\n<!-- <a href=\"b.md\"> -->\n",
                &["a.md|"],
            ),
            (
                "<a href=\"https://x.y/a.md\"> <a href=a.html> <img src=\"/a.png\"> <p src=a.png> <a href=b/> <area href=c.pdf>",
                &["c.pdf|"],
            ),
            (
                "<a href=a.md> <A\tHREF = 'b.md'> <a title=' href=c.md' href=d.md>",
                &["a.md|", "b.md|", "d.md|"],
            ),
            (
                "<video src=a.mp4 poster=\"b.png\"><source\nsrc='c.mp4'></video> <audio SRC=d.mp3>",
                &["!a.mp4|", "!b.png|", "!c.mp4|", "!d.mp3|"],
            ),
            (
                "<iframe src=\"a.md\"> <object data=b.pdf> <embed src=c.svg> <track src=d.vtt> <img data=e>",
                &["!a.md|", "!b.pdf|", "!c.svg|", "!d.vtt|"],
            ),
            (
                "+++\nup = '[[A]]' # \"[[x]]\"\nrel = [\"[[B#C|d]]\",\n  \"[[A]]\"]\ns = \"see [[E]]\"\n[t]\nu = \"[[F]]\"\n+++\n[[G]]",
                &["up=A", "rel=B#C|d", "rel=A", "t.u=F", "G"],
            ),
            ("[[A]", &[]),
            ("[[A\n]]", &[]),
            ("[[]] [[ ]] [[#]]", &[]),
            ("[[|]] [[|x]] [[|#x]] [[|x|y]]", &["|", "|x", "|#x", "|x|y"]),
            ("[[A [[B]]", &["B"]),
            ("[[[A]]]", &["A"]),
            ("\\[[A]] \\\\[[B]] \\![[C]]", &["B", "C"]),
            ("`[[A]]` ``[[A]] ` `` [[B]]", &["B"]),
            ("```\n[[A]]\n```\n[[B]]\n", &["B"]),
            ("    [[A]]\n\n[[B]]\n", &["B"]),
            ("x <!-- [[A]] --> [[B]]\n\n<!--\n[[C]]\n-->\n", &["B"]),
            // A line that begins with a comment is an HTML block.
            ("<!-- a --> [[A]]\n[[B]]\n", &["B"]),
            ("%%[[A]]%%\n\n%%\n[[B]]\n%%\n", &["A", "B"]),
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
            (
                "[[a]](s) ![[b]](s) [[c|d]](en) [[e]]() [[#F]](s) [[`g`]](s)",
                &["a", "!b", "c|d", "e", "#F", "`g`"],
            ),
            (
                "[[a]](s \"t\") [[a]](#s) [[a]](<s>)",
                &["s|[a]", "#s|[a]", "s|[a]"],
            ),
            ("[not a link] [t](a b.md)", &[]),
        ] {
            assert_eq!(links(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_first_construct_wins() {
        for (text, expected) in [
            // Code, math and HTML in a wikilink are part of it.
            ("[[Send|the `Send` trait]]", &["Send|the `Send` trait"][..]),
            ("[[`Send`]] [[T#`a` b]]", &["`Send`", "T#`a` b"]),
            ("[[T#Sec $x$ y|label]] $[[A]]$", &["T#Sec $x$ y|label"]),
            ("![[T#Sec $$x$$|`y`]]", &["!T#Sec $$x$$|`y`"]),
            (
                "[[Vec<T>]] [[A|a <b>c</b> d]]",
                &["Vec<T>", "A|a <b>c</b> d"],
            ),
            (
                "[[A|==b== *c* _d_ ~~e~~ ``f`` &amp;]]",
                &["A|==b== *c* _d_ ~~e~~ ``f`` &amp;"],
            ),
            ("[[A|b <https://x.y> c]]", &["A|b <https://x.y> c"]),
            (
                "[[A|see ![b](c.png) and [d](e.md)]]",
                &["A|see ![b](c.png) and [d](e.md)"],
            ),
            ("[[A|b [c] d]]\n\n[c]: e.md\n", &["A|b [c] d"]),
            // A delimiter in one wikilink does not pair with one in the next, or after it.
            ("[[A`]] and [[B`]]", &["A`", "B`"]),
            ("[[A`]] and `[[B]]` [[C]]", &["A`", "C"]),
            (
                "[[A`]] and [[B`]] `[[C]]` [[D`]] [[E]] `x` [[F`]]",
                &["A`", "B`", "D`", "E", "F`"],
            ),
            ("[[US$]] costs 5, [[Euro$]] too", &["US$", "Euro$"]),
            ("[[A <b]] c> [[D]]", &["A <b", "D"]),
            (
                "- [[A`]]\n- [[B`]] `[[x]]`\n- [[C`]] [[D]]\n",
                &["A`", "B`", "C`", "D"],
            ),
            // An enclosing construct that begins earlier wins.
            ("`a [[b` c]] [[D]]", &["D"]),
            ("`` [[A|`b`]] `` [[C|`d`]]", &["C|`d`"]),
            ("$a [[b$ c]] [[D]]", &["D"]),
            ("<a title=\"[[b\"> c]] [[D]]", &["D"]),
            ("x <!-- [[A|`b`]] --> [[C|`d`]]", &["C|`d`"]),
            ("[a [[B|`c`]] d](e.md)", &["e.md|a [[B|`c`]] d"]),
            ("[[A|`b`]](c.md)", &["c.md|[A|`b`]"]),
            (
                "```\n[[A|`b`]]\n```\n\n    [[C|`d`]]\n\n$$\n[[E|`f`]]\n$$\n",
                &[],
            ),
            // Blocks of every kind.
            (
                "|a|b|\n|-|-|\n|[[A\\|`b`]]|`[[x]]`|\n|[[C#$d$\\|e]]|[[F`]]|\n",
                &["A|`b`", "C#$d$|e", "F`"],
            ),
            (
                "> [!note] [[A|`b`]]\n> - [ ] [[C|$d$]]\n\n# [[E#`f`]]\n\nx[^1]\n\n[^1]: [[G|`h`]]\n",
                &["A|`b`", "C|$d$", "E#`f`", "G|`h`"],
            ),
            // Code ends on its line, and may be escaped.
            ("[[A|`b\nc`]] [[D]]", &["D"]),
            ("[[A|`b`", &[]),
            ("\\[[A|`b`]] \\\\[[C|`d`]]", &["C|`d`"]),
            ("[[A|b [[C|`d`]] [[E|`f [[G|`h`]]", &["C|`d`"]),
            ("[[[A|`b`]]]", &["A|`b`"]),
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
            (
                "rel: [\"[[A]]\",\n  '[[B]]' ,\n  \"[[C]]\"\n  ]\nb: \"[[D]]\"\n",
                &["rel=A", "rel=B", "rel=C", "b=D"],
            ),
            ("'it''s': '[[A]]'\n\"q: \": '[[B]]'\n", &["it's=A", "q: =B"]),
            ("map:\n  rel: \"[[A]]\"\n", &["map.rel=A"]),
            ("rel:\n  - to: \"[[A]]\"\n    weight: 1\n", &["rel.to=A"]),
            ("rel: {to: '[[A]]'}\n", &["rel.to=A"]),
            (
                "{\"rel\":[\"[[A]]\"],\n\"b\":\"[[B]]\"}\n",
                &["rel=A", "b=B"],
            ),
            ("\"[[A]]\": x\n", &[]),
            ("text: |\n  '[[A]]'\nrel: '[[B]]'\n", &["rel=B"]),
            ("# rel: \"[[A]]\"\nb: \"[[B]]\"\n", &["b=B"]),
            (
                "\"\\xFCber\": [\"[[\\xDCb#\\U0001F600|\\u2713]]\", \"[[a\\_b\\x7cc]]\"]\n",
                &["über=Üb#😀|✓", "über=a\u{a0}b|c"],
            ),
            (
                "up: \"[[A b\\\n  \\ c\\\n  d|e]]\"\nrel:\n- '[[it''s\r\n  b]]'\nx: \"see\n  [[C]]\"\n",
                &["up=A b cd|e", "rel=it's b"],
            ),
            ("{\"up\": \"[[\\u00c4|\\/]]\"}\n", &["up=Ä|/"]),
        ] {
            let text = format!("---\n{yaml}---\n[[Z]]\n");
            let mut expected = expected.to_vec();
            expected.push("Z");
            assert_eq!(links(&text), expected, "{yaml:?}");
        }
    }

    #[test]
    fn retargets_and_unlinks() {
        // A text with one link, the text retargeted to `N (1)`, the link as plain text.
        for (text, retargeted, unlinked) in [
            ("[[A]]", "[[N (1)]]", "A"),
            ("![[ A#H | b ]]", "![[N (1)#H | b ]]", "b"),
            ("[[#H]]", "[[N (1)#H]]", "H"),
            ("[[A#H]]", "[[N (1)#H]]", "A > H"),
            ("[[A#H#I]]", "[[N (1)#H#I]]", "A > H > I"),
            ("[[|A]]", "[[N (1)]]", "|A"),
            ("[[A#^id]]", "[[N (1)#^id]]", "A"),
            ("|x|\n|-|\n|[[A\\|b]]|", "[[N (1)\\|b]]", "b"),
            ("[t](a.md \"title\")", "[t](N%20%281%29 \"title\")", "t"),
            ("![](a.md#H%20I)", "![](N%20%281%29#H%20I)", ""),
            ("[t](<a b.md#H>)", "[t](<N (1)#H>)", "t"),
            ("[t](#H)", "[t](N%20%281%29#H)", "t"),
            ("[t](a.md#H>)", "[t](N%20%281%29#H>)", "t"),
            ("[`]`]( a(b).md )", "[`]`]( N%20%281%29 )", "`]`"),
            ("[t][r]\n\n[r]: a.md#H\n", "N%20%281%29#H", "t"),
            ("[t]\n\n[T]: <a b.md>  'x'\n", "<N (1)>", "t"),
            ("[t][]\n\n> [t]:\n> a.md (x)\n", "N%20%281%29", "t"),
            ("[t][ r  s ]\n\n[R s]: a\\_b.md", "N%20%281%29", "t"),
            (
                "[[Send|the `Send` trait]]",
                "[[N (1)|the `Send` trait]]",
                "the `Send` trait",
            ),
            ("![[`A`#Sec $x$ y|b]]", "![[N (1)#Sec $x$ y|b]]", "b"),
            ("|x|\n|-|\n|[[A\\|`b`]]|", "[[N (1)\\|`b`]]", "`b`"),
        ] {
            let note = read(text, "stem");
            let [link] = note.links.as_slice() else {
                panic!("{text}: {:?}", note.links)
            };
            assert_eq!(link.retargeted(text, "N (1)"), retargeted);
            assert_eq!(link.unlinked(), unlinked, "{text}");
            let place = link.place();
            assert_eq!(link.retargeted(text, &link.target), text[place.clone()]);
            let mut changed = text.to_owned();
            changed.replace_range(place, retargeted);
            let again = &read(&changed, "stem").links[0];
            assert_eq!(
                (again.target.as_str(), &again.part),
                ("N (1)", &link.part),
                "{changed}"
            );
        }
    }

    #[test]
    fn unicode_whitespace_does_not_begin_a_property() {
        assert_eq!(read("---\n\u{c}\n[[\n---\n[[A]]\n", "stem").links.len(), 1);
    }

    #[test]
    fn parts_are_replaced_and_removed() {
        // A text with one link, then with the target `N` and the part `P Q`, and without a part.
        for (text, expected, without) in [
            ("[[A#H]]", "[[N#P Q]]", "[[N]]"),
            ("![[A#H|b#c]]", "![[N#P Q|b#c]]", "![[N|b#c]]"),
            ("|x|\n|-|\n|[[A#H\\|b]]|", "[[N#P Q\\|b]]", "[[N\\|b]]"),
            ("[t](a.md#h \"x\")", "[t](N#P%20Q \"x\")", "[t](N \"x\")"),
            ("[t](<a.md#h>)", "[t](<N#P%20Q>)", "[t](<N>)"),
            ("[t][r]\n\n[r]: a.md#h\n", "N#P%20Q", "N"),
            ("<a href=a.md#h>", "N#P%20Q", "N"),
            ("<a href='a&amp;b.md#h&#39;s'>", "N#P%20Q", "N"),
            ("---\nup: '[[A#H]]'\n---\n", "[[N#P Q]]", "[[N]]"),
        ] {
            let link = &read(text, "stem").links[0];
            for (part, expected) in [("P Q", expected), ("", without)] {
                assert_eq!(
                    link.redirected(text, "N", part).as_deref(),
                    Some(expected),
                    "{text}"
                );
            }
        }
        let text = "---\nup: '[[A#H]]'\n---\n";
        let link = &read(text, "stem").links[0];
        let new = link.redirected(text, "N", "It's");
        assert_eq!(new.as_deref(), Some("[[N#It''s]]"));
        for text in ["<a href='a.md'>", "<a href=a.md>"] {
            let link = &read(text, "stem").links[0];
            assert_eq!(
                link.retargeted(text, "It's & \"b\".md"),
                "It%27s%20%26%20%22b%22.md"
            );
        }
    }

    #[test]
    fn unretargetable_links_are_unchanged() {
        for text in ["[$]$](a.md)", "[[$]$]](a.md)", "![a $]$ b](a.md#H \"t\")"] {
            let note = read(text, "stem");
            let [link] = note.links.as_slice() else {
                panic!("{text}: {:?}", note.links)
            };
            assert_eq!(link.retargeted(text, "New"), text);
        }
    }

    #[test]
    fn names_with_colons_do_not_become_schemes() {
        for (text, expected) in [
            ("[t](a.md#x:y)", "[t](./a:%20b.md#x:y)"),
            ("[t](<a.md>)", "[t](<./a: b.md>)"),
            ("[t]\n\n[t]: a.md\n", "./a:%20b.md"),
            ("[[a]]", "[[a: b.md]]"),
        ] {
            let link = &read(text, "stem").links[0];
            let new = link.retargeted(text, "a: b.md");
            assert_eq!(new, expected);
            let mut changed = text.to_owned();
            changed.replace_range(link.place(), &new);
            let target = &read(&changed, "stem").links[0].target;
            assert_eq!(target.trim_start_matches("./"), "a: b.md");
        }
        assert_eq!(destination("x/a:b.md"), "x/a:b.md");
    }

    #[test]
    fn retargets_in_the_quotes_of_a_property() {
        for (value, target, expected) in [
            ("'[[A|it''s]]'", "don't", "'[[don''t|it''s]]'"),
            ("\"[[A]]\"", "a\\b", "\"[[a\\\\b]]\""),
            (
                "\"[[\\xDC#\\xE9|\\u2713 \\\"]]\"",
                "Ä",
                "\"[[Ä#é|✓ \\\"]]\"",
            ),
            ("\"[[a\\x7cb\\\n  \\ c]]\"", "d", "\"[[d|b c]]\""),
            ("'[[it''s\n  b|c\n  d]]'", "d", "'[[d|c d]]'"),
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

//! Locates properties and their values in YAML front matter, and in JSON, a subset of YAML.
//!
//! `yaml-edit` keeps every token, including comments and whitespace, so its tree gives the exact bytes of each key,
//! value and item.

use std::ops::Range;

use yaml_edit::{AsYaml, Mapping, Sequence, SyntaxKind, YamlFile, YamlNode};

use super::layout::{
    EntryLayout, ListLayout, LocationEnd, MapLayout, PropertyLocation, ValueLayout,
};
use super::split::FrontMatterLanguage;

fn list_of(yaml: &str, list: &Sequence) -> Option<ListLayout> {
    let node = list.as_node()?;
    let flow = list.is_flow_style();
    let mut items = Vec::new();
    for entry in node.children() {
        if entry.kind() != SyntaxKind::SEQUENCE_ENTRY {
            continue;
        }
        let mut parts = entry
            .children_with_tokens()
            .filter(|part| !(is_blank(part.kind()) || flow && part.kind() == SyntaxKind::COMMA));
        let first = parts.next()?.text_range();
        let end = parts.last().map_or(first, |end| end.text_range());
        items.push(trimmed(yaml, first.start().into()..end.end().into()));
    }
    let span: Range<usize> = node.text_range().into();
    Some(ListLayout {
        inner: between(yaml, span, flow, ['[', ']'])?,
        items,
    })
}

/// Returns the layout of a map, and the nested map of each entry.
fn map_of(yaml: &str, map: &Mapping) -> Option<(MapLayout, Vec<Option<Mapping>>)> {
    let flow = map.is_flow_style();
    let mut entries = Vec::new();
    let mut below = Vec::new();
    for node in map.as_node()?.children() {
        if node.kind() != SyntaxKind::MAPPING_ENTRY {
            continue;
        }
        let mut entry = EntryLayout {
            start: node.text_range().start().into(),
            key_end: node.text_range().start().into(),
            colon: None,
            value: 0..0,
            explicit: false,
            name: None,
            content: None,
        };
        let mut inner = None;
        for part in node.children_with_tokens() {
            let span: Range<usize> = part.text_range().into();
            match part.kind() {
                SyntaxKind::QUESTION => entry.explicit = true,
                SyntaxKind::COLON if entry.colon.is_none() => entry.colon = Some(span.end),
                SyntaxKind::KEY => {
                    entry.key_end = trimmed(yaml, span).end;
                    let key = part.into_node()?.children().find_map(YamlNode::from_syntax);
                    entry.name = key.and_then(|key| match key {
                        YamlNode::Scalar(key) => Some(key.as_string()),
                        YamlNode::TaggedNode(key) => key.as_string(),
                        _ => None,
                    });
                }
                SyntaxKind::VALUE => {
                    let value = part.into_node()?;
                    let node = value.children().find_map(YamlNode::from_syntax);
                    entry.content = node.as_ref().and_then(|node| content_of(yaml, node));
                    inner = node.as_ref().and_then(mapping);
                    let mut parts = value
                        .children_with_tokens()
                        .filter(|part| !is_blank(part.kind()));
                    if let Some(first) = parts.next().map(|part| part.text_range()) {
                        let last = parts.last().map_or(first, |last| last.text_range());
                        entry.value = trimmed(yaml, first.start().into()..last.end().into());
                    }
                }
                _ => {}
            }
        }
        if entry.value.is_empty() {
            let at = entry.colon.unwrap_or(entry.key_end);
            entry.value = at..at;
        }
        entries.push(entry);
        below.push(inner);
    }
    let span: Range<usize> = map.as_node()?.text_range().into();
    let place = MapLayout {
        inner: between(yaml, span, flow, ['{', '}'])?,
        first: entries.first().map(|entry| entry.start),
        end: entries.last().map(EntryLayout::end),
        entries,
    };
    Some((place, below))
}

/// Returns the map of a node, tagged or not.
fn mapping(node: &YamlNode) -> Option<Mapping> {
    match node {
        YamlNode::Mapping(map) => Some(map.clone()),
        YamlNode::TaggedNode(tagged) => tagged.as_mapping(),
        _ => None,
    }
}

fn content_of(yaml: &str, node: &YamlNode) -> Option<ValueLayout> {
    let list = match node {
        YamlNode::Sequence(list) => list.clone(),
        YamlNode::TaggedNode(tagged) => tagged.as_sequence()?,
        YamlNode::Mapping(map) => return (!map.is_flow_style()).then_some(ValueLayout::BlockMap),
        _ => return None,
    };
    list_of(yaml, &list).map(ValueLayout::List)
}

/// Follows `keys` into the maps of `yaml`; `None` if the layout cannot be determined.
///
/// Without properties the location has no levels.
pub(crate) fn locate(
    yaml: &str,
    keys: &[String],
    language: FrontMatterLanguage,
) -> Option<PropertyLocation> {
    let Some(document) = YamlFile::parse(yaml).tree().document() else {
        return Some(PropertyLocation {
            levels: Vec::new(),
            end: LocationEnd::Missing,
            language,
        });
    };
    PropertyLocation::walk(keys, language, document.as_mapping()?, |map, key| {
        let (place, mut below) = map_of(yaml, map)?;
        let entry = place.entries.iter().position(|entry| entry.is(key));
        let below = entry.and_then(|entry| below.swap_remove(entry));
        Some((place, below))
    })
}

/// Returns the span between the brackets of a list or map in `flow` style.
#[expect(
    clippy::option_option,
    reason = "the outer `None` means that the brackets are missing"
)]
fn between(
    yaml: &str,
    span: Range<usize>,
    flow: bool,
    brackets: [char; 2],
) -> Option<Option<Range<usize>>> {
    if !flow {
        return Some(None);
    }
    let span = trimmed(yaml, span);
    let text = &yaml[span.clone()];
    let whole = text.len() > 1 && text.starts_with(brackets[0]) && text.ends_with(brackets[1]);
    whole.then_some(Some(span.start + 1..span.end - 1))
}

fn is_blank(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::WHITESPACE | SyntaxKind::NEWLINE | SyntaxKind::INDENT | SyntaxKind::COMMENT
    )
}

/// Returns `span` without trailing whitespace.
fn trimmed(yaml: &str, span: Range<usize>) -> Range<usize> {
    span.start..span.start + yaml[span].trim_end().len()
}

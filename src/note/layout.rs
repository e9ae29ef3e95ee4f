//! Where properties and their values stand among the lines of the front matter.
//!
//! TOML has a look of its own in [`layout_toml`]; JSON is YAML.
//!
//! `yaml-edit` keeps every token of the YAML, comments and blanks included, so its tree says
//! exactly which bytes are a key, a value, an item. Used by [`rewrite`](super::rewrite) alone,
//! whose results [`edit`](super::edit) checks against a second parser: where this module misreads
//! a strange layout, the edit is refused, not written.

use std::ops::Range;

use yaml_edit::{AsYaml, Mapping, Sequence, SyntaxKind, YamlFile, YamlNode};

use super::layout_toml;
use super::split::Language;

/// The maps that lead to a property, from the top down.
pub(super) struct Way {
    /// One level for each key that could be followed.
    pub(super) levels: Vec<Level>,
    /// What stands at the end of it.
    pub(super) end: End,
    /// What it is all written in.
    pub(super) language: Language,
}

impl Way {
    /// Returns itself if the property is there.
    pub(super) fn found(&self) -> Option<&Self> {
        (self.end == End::Found).then_some(self)
    }
}

/// What stands where a [`Way`] ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The property.
    Found,
    /// The last level is a map without the key.
    Missing,
    /// The last level's entry has no map as its value.
    NoMap,
}

/// One map on the way.
pub(super) struct Level {
    /// The map.
    pub(super) map: MapPlace,
    /// Which of its entries leads on.
    pub(super) entry: Option<usize>,
}

impl Level {
    /// Returns the entry that leads on.
    pub(super) fn entry(&self) -> Option<&Entry> {
        self.map.entries.get(self.entry?)
    }
}

/// Where a map stands.
pub(super) struct MapPlace {
    /// The bytes between its braces; `None` for a map with a key on each line.
    pub(super) inner: Option<Range<usize>>,
    /// Where its first line starts, behind the indentation.
    pub(super) first: Option<usize>,
    /// Behind its last entry.
    pub(super) end: Option<usize>,
    /// Its entries in their order.
    pub(super) entries: Vec<Entry>,
}

/// Where one entry of a map stands.
pub(super) struct Entry {
    /// Its first byte: of the key, of its anchor, or the `?` before it.
    pub(super) start: usize,
    /// Behind the key.
    pub(super) key_end: usize,
    /// Behind the colon, where there is one.
    pub(super) colon: Option<usize>,
    /// The value with its anchor and tag, without the blanks around; empty when it has none.
    pub(super) value: Range<usize>,
    /// Whether a `?` stands before the key.
    pub(super) explicit: bool,
    /// The key, when it is a single one.
    pub(super) name: Option<String>,
    /// What the value is made of.
    pub(super) content: Option<Content>,
}

/// What a value is made of.
pub(super) enum Content {
    /// Something in YAML.
    Yaml(YamlNode),
    /// A list, in another language.
    List(ListPlace),
}

impl Entry {
    /// Returns an entry whose value does not stand behind its key.
    pub(super) fn elsewhere(name: &str, start: usize) -> Self {
        Self {
            start,
            key_end: start,
            colon: None,
            value: start..start,
            explicit: false,
            name: Some(name.to_owned()),
            content: None,
        }
    }

    /// Returns whether this is its key.
    pub(super) fn is(&self, key: &str) -> bool {
        self.name.as_deref() == Some(key)
    }

    /// Returns where the entry ends.
    pub(super) fn end(&self) -> usize {
        self.value.end.max(self.colon.unwrap_or(self.key_end))
    }

    /// Returns the list that the value is.
    pub(super) fn list(&self, yaml: &str) -> Option<ListPlace> {
        match self.content.as_ref()? {
            Content::List(list) => Some(list.clone()),
            Content::Yaml(YamlNode::Sequence(list)) => ListPlace::of(yaml, list),
            Content::Yaml(YamlNode::TaggedNode(tagged)) => {
                ListPlace::of(yaml, &tagged.as_sequence()?)
            }
            Content::Yaml(_) => None,
        }
    }

    /// Returns whether the value is a map with a key on each line.
    pub(super) fn is_block_map(&self) -> bool {
        matches!(&self.content, Some(Content::Yaml(YamlNode::Mapping(map))) if !map.is_flow_style())
    }
}

/// Where a list stands.
#[derive(Clone)]
pub(super) struct ListPlace {
    /// The bytes between its brackets; `None` for a list with a dash before each item.
    pub(super) inner: Option<Range<usize>>,
    /// Its items in their order, with their dashes but without their commas.
    pub(super) items: Vec<Range<usize>>,
}

impl ListPlace {
    fn of(yaml: &str, list: &Sequence) -> Option<Self> {
        let node = list.as_node()?;
        let flow = list.is_flow_style();
        let mut items = Vec::new();
        for entry in node.children() {
            if entry.kind() != SyntaxKind::SEQUENCE_ENTRY {
                continue;
            }
            let parts = entry.children_with_tokens();
            let mut parts = parts.filter(|part| {
                !(is_blank(part.kind()) || flow && part.kind() == SyntaxKind::COMMA)
            });
            let first = parts.next()?.text_range();
            let end = parts.last().map_or(first, |end| end.text_range());
            items.push(trimmed(yaml, first.start().into()..end.end().into()));
        }
        let span: Range<usize> = node.text_range().into();
        Some(Self {
            inner: between(yaml, span, flow, ['[', ']'])?,
            items,
        })
    }
}

impl MapPlace {
    fn of(yaml: &str, map: &Mapping) -> Option<Self> {
        let flow = map.is_flow_style();
        let mut entries = Vec::new();
        for node in map.as_node()?.children() {
            if node.kind() != SyntaxKind::MAPPING_ENTRY {
                continue;
            }
            let mut entry = Entry {
                start: node.text_range().start().into(),
                key_end: node.text_range().start().into(),
                colon: None,
                value: 0..0,
                explicit: false,
                name: None,
                content: None,
            };
            for part in node.children_with_tokens() {
                let span: Range<usize> = part.text_range().into();
                match part.kind() {
                    SyntaxKind::QUESTION => entry.explicit = true,
                    SyntaxKind::COLON if entry.colon.is_none() => entry.colon = Some(span.end),
                    SyntaxKind::KEY => {
                        entry.key_end = trimmed(yaml, span).end;
                        let key = part.into_node()?;
                        let key = key.children().find_map(YamlNode::from_syntax);
                        entry.name = key.and_then(|key| match key {
                            YamlNode::Scalar(key) => Some(key.as_string()),
                            YamlNode::TaggedNode(key) => key.as_string(),
                            _ => None,
                        });
                    }
                    SyntaxKind::VALUE => {
                        let value = part.into_node()?;
                        let node = value.children().find_map(YamlNode::from_syntax);
                        entry.content = node.map(Content::Yaml);
                        let parts = value.children_with_tokens();
                        let mut parts = parts.filter(|part| !is_blank(part.kind()));
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
        }
        let span: Range<usize> = map.as_node()?.text_range().into();
        Some(Self {
            inner: between(yaml, span, flow, ['{', '}'])?,
            first: entries.first().map(|entry| entry.start),
            end: entries.last().map(Entry::end),
            entries,
        })
    }
}

/// Follows `keys` into the maps of `text`; `None` when its layout cannot be made out.
///
/// Without any property there is no level.
pub(super) fn locate(text: &str, keys: &[String], language: Language) -> Option<Way> {
    match language {
        Language::Toml => layout_toml::locate(text, keys),
        // JSON is YAML too.
        _ => yaml_way(text, keys, language),
    }
}

fn yaml_way(yaml: &str, keys: &[String], language: Language) -> Option<Way> {
    let mut levels: Vec<Level> = Vec::new();
    let Some(document) = YamlFile::parse(yaml).tree().document() else {
        return Some(Way {
            levels,
            end: End::Missing,
            language,
        });
    };
    let mut map = document.as_mapping()?;
    for (depth, key) in keys.iter().enumerate() {
        let place = MapPlace::of(yaml, &map)?;
        let mut named = place
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.is(key));
        let entry = named.next().map(|(index, _)| index);
        let below = entry.and_then(|entry| match place.entries[entry].content.as_ref()? {
            Content::Yaml(YamlNode::Mapping(map)) => Some(map.clone()),
            Content::Yaml(YamlNode::TaggedNode(tagged)) => tagged.as_mapping(),
            _ => None,
        });
        levels.push(Level { map: place, entry });
        let last = depth + 1 == keys.len();
        let end = match (entry, below) {
            (None, _) => End::Missing,
            (Some(_), _) if last => End::Found,
            (Some(_), None) => End::NoMap,
            (Some(_), Some(below)) => {
                map = below;
                continue;
            }
        };
        return Some(Way {
            levels,
            end,
            language,
        });
    }
    None
}

/// Returns what stands between the brackets of a list or map in `flow` style.
#[expect(
    clippy::option_option,
    reason = "the outer one says that the brackets are not there"
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

/// Returns `span` without the blanks at its end.
fn trimmed(yaml: &str, span: Range<usize>) -> Range<usize> {
    span.start..span.start + yaml[span].trim_end().len()
}

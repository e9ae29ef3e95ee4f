//! Locates properties and their values in TOML front matter.
//!
//! The counterpart of [`layout_yaml`](super::layout_yaml), based on the spans of `toml_edit`. Tables with a header
//! count as entries of the enclosing map, but a new property is inserted after the plain lines of its table.

use toml_edit::{Array, Document, InlineTable, Item, Key, Table, Value};

use super::layout::{EntryLayout, ListLayout, MapLayout, PropertyLocation, ValueLayout};
use super::split::{FrontMatterLanguage, line_end};

/// A standard or inline table.
#[derive(Clone, Copy)]
enum TableRef<'a> {
    Lines(&'a Table),
    Inline(&'a InlineTable),
}

/// Follows `keys` into the tables of `text`; `None` if the layout cannot be determined.
pub(crate) fn locate(text: &str, keys: &[String]) -> Option<PropertyLocation> {
    let document = Document::parse(text).ok()?;
    let map = TableRef::Lines(document.as_table());
    PropertyLocation::walk(keys, FrontMatterLanguage::Toml, map, |map, key| {
        layout_of(text, *map, key)
    })
}

/// Returns the layout of `map`, and the map at its `key`.
fn layout_of<'a>(
    text: &str,
    map: TableRef<'a>,
    key: &str,
) -> Option<(MapLayout, Option<TableRef<'a>>)> {
    let mut entries = Vec::new();
    match map {
        TableRef::Lines(table) => {
            for (name, _) in table {
                let (key, item) = table.get_key_value(name)?;
                // A table with its own header has no position among the lines.
                if let Item::Value(value) = item {
                    entries.push(entry(text, key, value)?);
                } else {
                    entries.push(EntryLayout::detached(
                        name,
                        item.span().map_or(0, |span| span.start),
                    ));
                }
            }
        }
        TableRef::Inline(table) => {
            for (name, _) in table {
                let (key, item) = table.get_key_value(name)?;
                entries.push(entry(text, key, item.as_value()?)?);
            }
        }
    }
    entries.sort_by_key(|entry| entry.start);
    let place = match map {
        TableRef::Lines(table) => {
            let mut lines = entries.iter().filter(|entry| entry.colon.is_some());
            let header = table
                .span()
                .filter(|span| text[span.clone()].starts_with('['));
            MapLayout {
                inner: None,
                first: lines.clone().map(|entry| entry.start).next(),
                end: lines
                    .next_back()
                    .map(EntryLayout::end)
                    .or_else(|| Some(line_end(text, header?.start) - 1)),
                entries,
            }
        }
        TableRef::Inline(table) => {
            let span = table.span()?;
            MapLayout {
                inner: Some(span.start + 1..span.end - 1),
                first: None,
                end: entries.last().map(EntryLayout::end),
                entries,
            }
        }
    };
    let below = match map {
        TableRef::Inline(table) => table.get(key).and_then(Value::as_inline_table),
        TableRef::Lines(table) => match table.get(key) {
            Some(Item::Table(table)) => return Some((place, Some(TableRef::Lines(table)))),
            Some(Item::Value(value)) => value.as_inline_table(),
            _ => None,
        },
    };
    Some((place, below.map(TableRef::Inline)))
}

fn entry(text: &str, key: &Key, value: &Value) -> Option<EntryLayout> {
    let name = key.span()?;
    let blanks = text[name.end..].find(|c: char| !c.is_whitespace())?;
    // After a dotted key comes its next part instead of `=`.
    let colon = text[name.end + blanks..].starts_with('=');
    Some(EntryLayout {
        start: name.start,
        key_end: name.end,
        colon: colon.then_some(name.end + blanks + 1),
        value: value.span()?,
        explicit: false,
        name: Some(key.get().to_owned()),
        content: value.as_array().and_then(list).map(ValueLayout::List),
    })
}

fn list(array: &Array) -> Option<ListLayout> {
    let span = array.span()?;
    Some(ListLayout {
        inner: Some(span.start + 1..span.end - 1),
        items: array.iter().map(Value::span).collect::<Option<_>>()?,
    })
}

//! Computes the splices that set, remove or extend a property of the front matter.
//!
//! [`edit`](crate::note::edit) decides the new value, [`layout`](super::layout) locates the property. The splices
//! keep every comment, blank and quote that is not part of the change.
//!
//! Each removal inverts the corresponding insertion, guided by the layout:
//!
//! | before | after `Append` of `x` | after removal of the last item |
//! |---|---|---|
//! | no such property | `k: [x]` | the property is removed |
//! | `k: []` | `k: [ x ]` | `k: []` |
//! | `k:` | `k:` and a line `- x` | `k:` |
//!
//! For a key set inside a map:
//!
//! | before | after `Set` of `k.a` | after removal of the last key |
//! |---|---|---|
//! | no such property | `k:` and a line `a: x` | the property is removed |
//! | `k: {}` | `k: { a: x }` | `k: {}` |
//! | `k:` | `k: {a: x}` | `k:` |
//!
//! Only a `~`, a `null`, and a single value that became a list are not restored.

use std::ops::Range;

use serde_json::Value;

use super::layout::{EntryLayout, LocationEnd, MapLayout, PropertyLocation};
use super::split::{FrontMatterLanguage, line_end, line_start};
use super::write;
use crate::note::splice::Splice;

/// Converts the line endings of splices from `\n` to `ending`.
pub(crate) fn with_ending(mut splices: Vec<Splice>, ending: &str) -> Vec<Splice> {
    for (_, text) in &mut splices {
        *text = text.replace('\n', ending);
    }
    splices
}

/// Splices of a removal, and what they remove.
pub(crate) struct Removal {
    /// Alternatives, best first, if the layout is ambiguous.
    pub(crate) choices: Vec<Vec<Splice>>,
    pub(crate) removed: RemovedPart,
}

/// The extent of a removal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RemovedPart {
    /// The item alone.
    Item,
    /// The property at the first `n` keys of the path.
    Property(usize),
    /// The value of that property.
    Value(usize),
}

/// The value of a new entry.
#[derive(Clone, Copy)]
pub(crate) enum NewValue<'a> {
    Value(&'a Value),
    /// A list of one item.
    Item(&'a Value),
}

impl NewValue<'_> {
    fn flow(self, language: FrontMatterLanguage) -> String {
        match self {
            Self::Value(value) => write::flow_in(language, value),
            Self::Item(item) => format!("[{}]", write::flow_in(language, item)),
        }
    }

    /// Returns the value nested in flow maps for `keys`.
    fn flow_below(self, keys: &[String], language: FrontMatterLanguage) -> String {
        match keys.split_first() {
            None => self.flow(language),
            Some((key, rest)) => format!("{{{}}}", self.flow_entry(key, rest, language)),
        }
    }

    /// Returns the entry `key`, its value nested in flow maps for the keys in `below`.
    fn flow_entry(self, key: &str, below: &[String], language: FrontMatterLanguage) -> String {
        let name = write::key_in(language, key);
        let value = self.flow_below(below, language);
        let between = if language == FrontMatterLanguage::Toml {
            " ="
        } else {
            ":"
        };
        format!("{name}{between} {value}")
    }
}

/// Returns the splices that set the property at `keys` to `new`. `location` is the located prefix of `keys`.
///
/// Returns alternatives, best first, if the layout is ambiguous.
pub(crate) fn set(
    yaml: &str,
    location: &PropertyLocation,
    keys: &[String],
    new: NewValue,
) -> Option<Vec<Vec<Splice>>> {
    let Some(level) = location.levels.last() else {
        let mut text = String::new();
        push_lines(&mut text, 0, keys, new);
        return Some(vec![insertion(content_end(yaml), text)]);
    };
    let (depth, language) = (location.levels.len(), location.language);
    if location.end == LocationEnd::Missing {
        return insert(yaml, &level.map, keys, depth - 1, new, language);
    }
    // A property without a value becomes a map when a key inside it is set.
    let text = new.flow_below(&keys[depth..], language);
    let entry = level.entry()?;
    let plain =
        language == FrontMatterLanguage::Yaml && level.map.inner.is_none() && !entry.explicit;
    let one = match entry.colon {
        Some(colon) if plain => {
            if !starts_line(yaml, entry.start) {
                return None;
            }
            match new {
                NewValue::Value(value) if location.end == LocationEnd::Found => {
                    set_value(yaml, entry, colon, value)
                }
                // Whitespace after the colon is restored when the value is removed.
                _ if entry.value.is_empty() => insertion(colon, format!(" {text}")),
                _ => set_text(yaml, entry, colon, text, String::new()),
            }
        }
        None if language == FrontMatterLanguage::Toml => return None,
        Some(_) if language == FrontMatterLanguage::Toml => {
            let moment = match new {
                NewValue::Value(Value::String(text)) => {
                    write::toml_datetime(text, &yaml[entry.value.clone()])
                }
                _ => None,
            };
            vec![set_inline(entry, moment.unwrap_or(&text))]
        }
        _ => vec![set_inline(entry, &text)],
    };
    Some(vec![one])
}

/// Returns the splices that add the entry `keys[depth]` to `map`.
fn insert(
    yaml: &str,
    map: &MapLayout,
    keys: &[String],
    depth: usize,
    new: NewValue,
    language: FrontMatterLanguage,
) -> Option<Vec<Vec<Splice>>> {
    if let Some(inner) = &map.inner {
        let text = new.flow_entry(&keys[depth], &keys[depth + 1..], language);
        let last = map.entries.last().map(|entry| entry.start..entry.end());
        return Some(vec![vec![add_inline(yaml, inner, last, &text)]]);
    }
    if map.first.is_some_and(|first| !starts_line(yaml, first)) {
        return None;
    }
    let indent = map.first.map_or(0, |first| column(yaml, first));
    let mut text = String::new();
    if language == FrontMatterLanguage::Toml {
        let entry = new.flow_entry(&keys[depth], &keys[depth + 1..], language);
        text.extend([&" ".repeat(indent), &entry, "\n"]);
    } else {
        push_lines(&mut text, indent, &keys[depth..], new);
    }
    // A top-level table without plain lines begins at the start of the block.
    let mut end = map.end.map_or(0, |end| lines_end(yaml, end, indent));
    if depth == 0 && language != FrontMatterLanguage::Toml {
        // Also after comments at the end of the block.
        end = end.max(content_end(yaml));
    }
    // Blank lines after a `|+` text are part of it.
    let after = after_blank_lines(yaml, end);
    Some(vec![insertion(end, text.clone()), insertion(after, text)])
}

/// Returns the start of the line after the last non-blank one.
pub(crate) fn content_end(yaml: &str) -> usize {
    line_end(yaml, yaml.trim_end().len())
}

/// Returns the splices that remove the property at the first `depth` keys of `location`, and each enclosing map that
/// becomes empty.
pub(crate) fn unset(yaml: &str, location: &PropertyLocation, depth: usize) -> Option<Removal> {
    for depth in (1..=depth).rev() {
        let level = &location.levels[depth - 1];
        let entry = level.entry()?;
        let removed = RemovedPart::Property(depth);
        let Some(inner) = &level.map.inner else {
            let yaml_map = location.language == FrontMatterLanguage::Yaml;
            if yaml_map && level.map.entries.len() == 1 && depth > 1 {
                continue;
            }
            if !starts_line(yaml, entry.start) || entry.colon.is_none() && !entry.explicit {
                return None;
            }
            let start = line_start(yaml, entry.start);
            let end = lines_end(yaml, entry.end(), entry.start - start);
            // Remaining blank lines may become part of a `|+` text above.
            let after = after_blank_lines(yaml, end);
            let choices = vec![deletion(start..end), deletion(start..after)];
            return Some(Removal { choices, removed });
        };
        let entries = level.map.entries.iter();
        let spans: Vec<_> = entries.map(|entry| entry.start..entry.end()).collect();
        if let [only] = &spans[..]
            && only == inner
            && depth > 1
        {
            let above = &location.levels[depth - 2];
            let parent = above.entry()?;
            let in_line = above.map.inner.is_some() || parent.explicit;
            if in_line || location.language != FrontMatterLanguage::Yaml {
                continue;
            }
            return Some(Removal {
                choices: vec![deletion(extended_by_blanks(yaml, &parent.value))],
                removed: RemovedPart::Value(depth - 1),
            });
        }
        let choices = vec![deletion(removed_span(yaml, inner, &spans, level.entry?))];
        return Some(Removal { choices, removed });
    }
    None
}

/// Returns the splices that insert `item` into the list at the end of `location`, before index `at`; `None` if the
/// value is not a list, or is an alias of one.
pub(crate) fn insert_item(
    yaml: &str,
    location: &PropertyLocation,
    at: usize,
    item: &Value,
) -> Option<Vec<Vec<Splice>>> {
    let entry = location.levels.last()?.entry()?;
    let list = entry.list()?;
    if let Some(inner) = &list.inner {
        let text = write::flow_in(location.language, item);
        return Some(vec![match list.items.get(at) {
            Some(next) => insertion(next.start, format!("{text}, ")),
            None => vec![add_inline(yaml, inner, list.items.last().cloned(), &text)],
        }]);
    }
    let first = list.items.first()?.start;
    if !starts_line(yaml, first) {
        return None;
    }
    let indent = column(yaml, first);
    let at = match list.items.get(at) {
        Some(next) => line_start(yaml, next.start),
        None => lines_end(yaml, list.items.last()?.end, indent),
    };
    // Blank lines after a `|+` text are part of it.
    let after = after_blank_lines(yaml, at);
    let text = item_lines(indent, item);
    Some(vec![insertion(at, text.clone()), insertion(after, text)])
}

/// Returns the splices that add a comment to item `at` of the list at the end of `location`; `None` unless the item
/// fills a single line.
pub(crate) fn comment_item(
    yaml: &str,
    location: &PropertyLocation,
    at: usize,
    comment: &str,
) -> Option<Vec<Splice>> {
    let list = location.levels.last()?.entry()?.list()?;
    let item = list.items.get(at).filter(|_| list.inner.is_none())?;
    let end = item.start + yaml[item.clone()].trim_end().len();
    let is_line = starts_line(yaml, item.start) && !yaml[item.start..end].contains('\n');
    let is_free = yaml[end..line_end(yaml, end)].trim().is_empty();
    (is_line && is_free).then(|| insertion(end, format!(" {comment}")))
}

/// Returns the splices that turn the empty property at the end of `location` into a list of `item`.
pub(crate) fn first_item(
    yaml: &str,
    location: &PropertyLocation,
    item: &Value,
) -> Option<Vec<Splice>> {
    let level = location.levels.last()?;
    let entry = level.entry()?;
    let is_bare = location.language == FrontMatterLanguage::Yaml
        && entry.value.is_empty()
        && level.map.inner.is_none()
        && !entry.explicit;
    if !is_bare || !starts_line(yaml, entry.start) {
        return None;
    }
    let indent = column(yaml, entry.start) + 2;
    let at = line_end(yaml, entry.end());
    Some(insertion(at, item_lines(indent, item)))
}

/// Returns the splices that remove item `at` of the list at the end of `location`.
pub(crate) fn remove_item(yaml: &str, location: &PropertyLocation, at: usize) -> Option<Removal> {
    let depth = location.levels.len();
    let level = location.levels.last()?;
    let entry = level.entry()?;
    let list = entry.list()?;
    let alone = list.items.len() == 1;
    let Some(inner) = &list.inner else {
        let item = list.items.get(at)?;
        if !starts_line(yaml, item.start) {
            return None;
        }
        let start = line_start(yaml, item.start);
        let end = lines_end(yaml, item.end, item.start - start);
        let after = after_blank_lines(yaml, end);
        return Some(Removal {
            choices: vec![deletion(start..end), deletion(start..after)],
            removed: if alone {
                RemovedPart::Value(depth)
            } else {
                RemovedPart::Item
            },
        });
    };
    let after = &yaml[entry.value.end..];
    let line = &after[..line_end(after, 0)];
    // Removing the line would remove its comment.
    let is_bare = level.map.inner.is_some() || !line.contains('#');
    if alone && list.items[0] == *inner && is_bare {
        return unset(yaml, location, depth);
    }
    Some(Removal {
        choices: vec![deletion(removed_span(yaml, inner, &list.items, at))],
        removed: RemovedPart::Item,
    })
}

/// Returns the splice that adds `text` after the last entry between brackets. It gets its own line if the last entry
/// has one and no comment follows it.
fn add_inline(yaml: &str, inner: &Range<usize>, last: Option<Range<usize>>, text: &str) -> Splice {
    let (at, text) = match last {
        Some(last) => {
            let line = line_start(yaml, last.start);
            let rest = yaml[last.end..line_end(yaml, last.end)].trim();
            let own_line = line > inner.start
                && starts_line(yaml, last.start)
                && matches!(rest, "" | ",")
                && yaml[inner.end..].len() < yaml[last.end..].len() - rest.len();
            let between = if own_line {
                format!(",\n{}", &yaml[line..last.start])
            } else {
                ", ".to_owned()
            };
            (last.end, format!("{between}{text}"))
        }
        None if inner.is_empty() => (inner.start, format!(" {text} ")),
        None => (inner.start, text.to_owned()),
    };
    (at..at, text)
}

/// Returns the span to delete for entry `at` of `spans` between brackets: the entry, its comma, and its line if it is
/// alone there.
fn removed_span(
    yaml: &str,
    inner: &Range<usize>,
    spans: &[Range<usize>],
    at: usize,
) -> Range<usize> {
    let this = &spans[at];
    let after = after_comma(yaml, this.end).unwrap_or(this.end);
    if spans.len() == 1 {
        let padded = inner.start + 1 == this.start && this.end + 1 == inner.end;
        return if padded
            && yaml[inner.clone()].starts_with(' ')
            && yaml[inner.clone()].ends_with(' ')
        {
            inner.clone()
        } else {
            this.start..after
        };
    }
    if let Some(before) = at.checked_sub(1).map(|before| spans[before].end)
        && at + 1 == spans.len()
        && !yaml[before..this.start].contains('#')
    {
        return before..this.end;
    }
    let line = line_start(yaml, this.start);
    let rest = &yaml[after..line_end(yaml, after)];
    let own_line = line > inner.start
        && starts_line(yaml, this.start)
        && (rest.trim().is_empty() || rest.trim_start().starts_with('#'))
        && rest.ends_with('\n');
    if own_line {
        return line..after + rest.len();
    }
    let plain = |gap: Range<usize>| !yaml[gap].contains(['\n', '#']);
    if let Some(before) = at.checked_sub(1).map(|before| spans[before].end) {
        if plain(before..this.start) {
            return before..this.end;
        }
    } else if plain(this.end..spans[1].start) {
        return this.start..spans[1].start;
    }
    this.start..after + blanks(&yaml[after..])
}

/// Returns the offset after the comma that follows an entry ending at `at`.
fn after_comma(yaml: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &yaml[at..];
        match rest.chars().next()? {
            ',' => return Some(at + 1),
            '#' => at = line_end(yaml, at),
            c if c.is_whitespace() => at += c.len_utf8(),
            _ => return None,
        }
    }
}

/// Returns the splice that sets a value between braces or after a `?` key to `text`.
fn set_inline(entry: &EntryLayout, text: &str) -> Splice {
    let span = entry.value.clone();
    let before = match entry.colon {
        None if entry.explicit => "\n: ",
        None => ": ",
        Some(colon) if colon == span.start => " ",
        Some(_) => "",
    };
    (span, format!("{before}{text}"))
}

/// Returns the splices that set the value of a `key: value` line to `wanted`.
fn set_value(yaml: &str, entry: &EntryLayout, colon: usize, wanted: &Value) -> Vec<Splice> {
    let value = &entry.value;
    let below = yaml[colon..value.start].contains('\n');
    let mut lines = String::new();
    // A list or map with one line per entry keeps that form.
    let keeps_form = match wanted {
        Value::Array(items) => {
            !items.is_empty() && entry.list().is_some_and(|list| list.inner.is_none())
        }
        Value::Object(entries) => !entries.is_empty() && entry.is_block_map(),
        _ => false,
    };
    let after = line_end(yaml, value.end);
    if below && keeps_form && starts_line(yaml, value.start) {
        let first = line_start(yaml, value.start);
        write::block(&mut lines, value.start - first, wanted);
        return vec![(first..after, lines)];
    }
    let text = write::inline(wanted).unwrap_or_else(|| {
        write::block(&mut lines, column(yaml, entry.start) + 2, wanted);
        String::new()
    });
    set_text(yaml, entry, colon, text, lines)
}

/// Returns the splices that write `text` after the colon of a `key: value` line and `lines` below it.
fn set_text(
    yaml: &str,
    entry: &EntryLayout,
    colon: usize,
    text: String,
    lines: String,
) -> Vec<Splice> {
    let value = &entry.value;
    let below = yaml[colon..value.start].contains('\n');
    if !below && !value.is_empty() && !text.is_empty() {
        return vec![(value.clone(), text)];
    }
    // After the colon only a comment may remain.
    let old_end = if below { colon } else { value.end };
    let blanks = blanks(&yaml[old_end..]);
    let comment = yaml[old_end + blanks..].starts_with('#');
    let until = if comment { old_end } else { old_end + blanks };
    let text = if text.is_empty() {
        text
    } else {
        format!(" {text}")
    };
    let after = line_end(yaml, value.end);
    let start = if below {
        line_start(yaml, value.start)
    } else {
        after
    };
    vec![(colon..until, text), (start..after, lines)]
}

/// Appends the lines of a property nested in maps of its own.
fn push_lines(out: &mut String, indent: usize, keys: &[String], new: NewValue) {
    let Some((last, maps)) = keys.split_last() else {
        return;
    };
    for (depth, key) in maps.iter().enumerate() {
        write::heading(out, indent + 2 * depth, key);
        out.push('\n');
    }
    let indent = indent + 2 * maps.len();
    match new {
        NewValue::Value(value) => write::entry(out, indent, last, value),
        NewValue::Item(_) => {
            write::heading(out, indent, last);
            out.extend([" ", &new.flow(FrontMatterLanguage::Yaml), "\n"]);
        }
    }
}

fn item_lines(indent: usize, item: &Value) -> String {
    let mut text = String::new();
    write::block(&mut text, indent, &Value::from(vec![item.clone()]));
    text
}

/// Returns the end of the lines that belong to an entry in `column` that ends at `end`. More deeply indented comments
/// belong to it, because they could become text of a `|` value.
fn lines_end(yaml: &str, end: usize, column: usize) -> usize {
    let mut end = line_end(yaml, end);
    loop {
        let indent = blanks(&yaml[end..]);
        if indent <= column || !yaml[end + indent..].starts_with('#') {
            return end;
        }
        end = line_end(yaml, end);
    }
}

fn after_blank_lines(yaml: &str, mut at: usize) -> usize {
    while at < yaml.len() && yaml[at..line_end(yaml, at)].trim().is_empty() {
        at = line_end(yaml, at);
    }
    at
}

/// Extends `span` by the whitespace before it.
fn extended_by_blanks(yaml: &str, span: &Range<usize>) -> Range<usize> {
    yaml[..span.start].trim_end_matches([' ', '\t']).len()..span.end
}

fn insertion(at: usize, text: String) -> Vec<Splice> {
    vec![(at..at, text)]
}

fn deletion(span: Range<usize>) -> Vec<Splice> {
    vec![(span, String::new())]
}

/// Returns the number of blanks and tabs at the start of `text`.
fn blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

fn column(text: &str, at: usize) -> usize {
    at - line_start(text, at)
}

/// Returns whether only whitespace precedes `at` on its line.
fn starts_line(text: &str, at: usize) -> bool {
    text[line_start(text, at)..at].trim().is_empty()
}

//! Lossless edits of a note's text.
//!
//! Jobs and commands describe changes as [`Edit`]s; `change` applies them here and writes the result. `yaml-edit`
//! only locates keys and values. The new text is spliced in, so comments, order, quoting, blank lines and line
//! endings outside the span cannot change. The result is parsed by [`matter::parse`], an independent parser; if any
//! other value changed, the edit is refused.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::front_matter::key::KeyPath;
use super::front_matter::layout::PropertyLocation;
use super::front_matter::locate::locate;
use super::front_matter::matter;
use super::front_matter::matter::MatterError;
use super::front_matter::property_names;
use super::front_matter::reshape;
use super::front_matter::rewrite;
use super::front_matter::rewrite::{NewValue, Removal, RemovedPart, with_ending};
use super::front_matter::split::{FrontMatterLanguage, NoteParts, split};
use super::markdown::tags;
use super::splice::{Splice, spliced};

/// The result of an edit, by default with the reason why it is refused.
pub type Result<T, E = EditError> = std::result::Result<T, E>;

/// One edit of a note's text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "kebab-case")]
pub enum Edit {
    /// Sets a front matter property; creates it, its block and enclosing maps if missing.
    Set { key: KeyPath, value: Value },
    /// Removes a front matter property, and its map if it was the last key.
    Unset { key: KeyPath },
    /// Adds a value at the end of a list property; a missing or null property becomes a list.
    Append { key: KeyPath, value: Value },
    /// Removes all occurrences of a value from a list property.
    Remove { key: KeyPath, value: Value },
    /// Adds lines of YAML at the end of the front matter: comments, and properties that the note lacks.
    Copy { lines: String },
    /// Adds a comment after a list item, or, if the item has no line of its own, as a last line that repeats the
    /// item.
    Comment {
        key: KeyPath,
        item: Value,
        /// Including its `#`.
        comment: String,
    },
    /// Replaces a span of the text; an empty span inserts.
    Replace {
        /// Span of the unedited text: outside the front matter block, or inside one value of it.
        span: Range<usize>,
        /// Current text of the span.
        was: String,
        /// New text of the span.
        text: String,
    },
}

impl Edit {
    /// Returns the edit that sets a property.
    pub fn set(key: impl Into<KeyPath>, value: impl Into<Value>) -> Self {
        let (key, value) = (key.into(), value.into());
        Self::Set { key, value }
    }

    /// Returns the edit that adds a value to a list.
    pub fn append(key: impl Into<KeyPath>, value: impl Into<Value>) -> Self {
        let (key, value) = (key.into(), value.into());
        Self::Append { key, value }
    }

    /// Returns the edit that replaces a span of `text` by `new`.
    pub fn replace(text: &str, span: Range<usize>, new: impl Into<String>) -> Self {
        Self::Replace {
            was: text[span.clone()].to_owned(),
            span,
            text: new.into(),
        }
    }
}

/// Why edits were refused. The note stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The front matter cannot be parsed, so it is not edited.
    #[error(transparent)]
    UnreadableMatter(#[from] MatterError),
    /// The span exceeds the text or splits a character.
    #[error("bytes {}..{} are not in the text", span.start, span.end)]
    NoSuchSpan { span: Range<usize> },
    /// The span contains another text than the edit expects.
    #[error("bytes {}..{} no longer read `{was}`", span.start, span.end)]
    TextDiffers {
        span: Range<usize>,
        /// The expected text.
        was: String,
    },
    /// Two spans overlap; this is the second one.
    #[error("bytes {}..{} would be replaced twice", span.start, span.end)]
    SpansOverlap { span: Range<usize> },
    /// The span overlaps a fence of the front matter.
    #[error("bytes {}..{} belong to a fence of the front matter", span.start, span.end)]
    SpanOnFence { span: Range<usize> },
    /// TOML cannot represent `null`.
    #[error("property `{key}`: TOML has no null")]
    NoNull { key: KeyPath },
    /// A value would be appended to a property that is a map.
    #[error("property `{key}` is not a list")]
    NotAList { key: KeyPath },
    /// A property would be set inside a value that is not a map.
    #[error("property `{key}` is not a map")]
    NotAMap { key: KeyPath },
    /// The property cannot be edited separately: a section of TOML, a dotted key, a list item on the line of its key.
    #[error("property `{key}` is written in a way that cannot be edited")]
    UnusualLayout { key: KeyPath },
    /// After the edit the property would have another value than intended, or another property would change.
    #[error("editing property `{key}` would change more than that")]
    WouldChangeMore { key: KeyPath },
    /// Replacing the span would change more than one property, or add or remove keys.
    #[error("replacing bytes {}..{} would change more than one value", span.start, span.end)]
    SpanWouldChangeMore { span: Range<usize> },
    /// Copied lines would change the values of the front matter.
    #[error("lines from another note would change values of the front matter")]
    CopyWouldChangeMore,
    /// The front matter or the body of the result would begin elsewhere.
    #[error("the edits would move the border between front matter and body")]
    WouldMoveBorder,
}

/// Applies `edits` to `text`.
///
/// `Replace` spans refer to the original `text`. Property edits are applied after them, in order. `Set` creates a
/// missing block, with the text's line ending. `Unset` of a missing property does nothing. `Unset` of the last
/// property removes the block, which inverts `Set`; a block that was empty before keeps its fences.
///
/// # Errors
///
/// If one edit is refused, none is applied.
pub fn apply(text: &str, edits: &[Edit]) -> Result<String> {
    let parts = split(text);
    let yaml_span = match &parts.block {
        Some(block) => block.inner.clone(),
        None => parts.body.start..parts.body.start,
    };
    let mut in_yaml = Vec::new();
    let mut in_body = Vec::new();
    for edit in edits {
        let Edit::Replace {
            span,
            was,
            text: new,
        } = edit
        else {
            continue;
        };
        match text.get(span.clone()) {
            None => return Err(EditError::NoSuchSpan { span: span.clone() }),
            Some(found) if found != was => {
                return Err(EditError::TextDiffers {
                    span: span.clone(),
                    was: was.clone(),
                });
            }
            Some(_) => {}
        }
        let splice = (span.clone(), new.clone());
        if span.start >= parts.body.start {
            in_body.push(splice);
        } else if span.start >= yaml_span.start && span.end <= yaml_span.end {
            in_yaml.push(splice);
        } else {
            return Err(EditError::SpanOnFence { span: span.clone() });
        }
    }
    let body = splice(text, &parts.body, in_body)?;
    let mut yaml = text[yaml_span.clone()].to_owned();
    if !in_yaml.is_empty()
        || edits
            .iter()
            .any(|edit| !matches!(edit, Edit::Replace { .. }))
    {
        if parts.unclosed {
            return Err(MatterError::Unclosed.into());
        }
        let language = parts
            .block
            .as_ref()
            .map_or(FrontMatterLanguage::Yaml, |block| block.language);
        let mut properties = match matter::of(text, &parts) {
            // Nothing was read, so no value can be lost: conflict markers of git are removed.
            Err(error)
                if edits
                    .iter()
                    .all(|edit| matches!(edit, Edit::Replace { .. })) =>
            {
                yaml = splice(text, &yaml_span, std::mem::take(&mut in_yaml))?;
                matter::parse_as(&yaml, language).map_err(|_| error)?
            }
            properties => properties?,
        };
        if !in_yaml.is_empty() {
            (yaml, properties) =
                replace_in_values(text, &yaml_span, in_yaml, properties, language)?;
        }
        let mut matter = FrontMatterEditor {
            yaml,
            language,
            properties,
            ending: parts.ending,
        };
        for edit in edits {
            matter.edit(edit)?;
        }
        yaml = matter.yaml;
    }
    join(text, &parts, &yaml, &body)
}

/// Assembles the note from new front matter and body.
fn join(text: &str, parts: &NoteParts, yaml: &str, body: &str) -> Result<String> {
    let mark = if text.starts_with('\u{feff}') {
        "\u{feff}"
    } else {
        ""
    };
    // A blank line after the first property of an empty block marks that its fences must stay when the last property
    // is removed.
    let block = parts
        .block
        .as_ref()
        .filter(|block| block.language == FrontMatterLanguage::Yaml);
    let old = block.map(|block| &text[block.inner.clone()]);
    let was_empty = old == Some("") && !yaml.is_empty();
    let kept = matches!(yaml, "\n" | "\r\n")
        && old.is_some_and(|old| !old.starts_with(['\r', '\n']) && old != yaml);
    let with_blank = if was_empty {
        format!("{yaml}{}", parts.ending)
    } else {
        String::new()
    };
    let yaml = match (was_empty, kept) {
        (true, _) => with_blank.as_str(),
        (_, true) => "",
        _ => yaml,
    };
    let mut new = String::with_capacity(mark.len() + yaml.len() + body.len() + 10);
    match &parts.block {
        // Removing the last property removes the block.
        Some(_) if yaml.is_empty() && !kept && old.is_some_and(|old| !old.is_empty()) => {
            new.push_str(mark);
        }
        Some(block) => {
            new.push_str(&text[..block.inner.start]);
            new.push_str(yaml);
            new.push_str(&text[block.inner.end..block.whole.end]);
            if !body.is_empty() && !new.ends_with('\n') {
                new.push_str(parts.ending);
            }
        }
        None => {
            new.push_str(mark);
            if !yaml.is_empty() {
                for piece in ["---", parts.ending, yaml, "---", parts.ending] {
                    new.push_str(piece);
                }
            }
        }
    }
    let has_block = new.len() > mark.len();
    new.push_str(body);
    let result = split(&new);
    let is_unmoved = new[result.body.clone()] == *body
        && result.block.is_some() == has_block
        && result.block.is_none_or(|block| new[block.inner] == *yaml)
        && result.unclosed == parts.unclosed;
    if is_unmoved {
        Ok(new)
    } else {
        Err(EditError::WouldMoveBorder)
    }
}

/// Sorts `splices`; adjacent ones are allowed, overlapping ones are an error.
fn in_order(mut splices: Vec<Splice>) -> Result<Vec<Splice>> {
    splices.sort_by_key(|(span, _)| (span.start, span.end));
    let mut pairs = splices.windows(2);
    match pairs.find(|pair| pair[1].0.start < pair[0].0.end) {
        Some(pair) => Err(EditError::SpansOverlap {
            span: pair[1].0.clone(),
        }),
        None => Ok(splices),
    }
}

/// Returns `text[part]` with `splices` applied; their spans refer to `text`.
fn splice(text: &str, part: &Range<usize>, splices: Vec<Splice>) -> Result<String> {
    Ok(spliced(text, part.clone(), in_order(splices)?))
}

/// Replaces spans of the front matter; each replacement may change the value of one property.
fn replace_in_values(
    text: &str,
    part: &Range<usize>,
    splices: Vec<Splice>,
    mut properties: Map<String, Value>,
    language: FrontMatterLanguage,
) -> Result<(String, Map<String, Value>)> {
    let mut yaml = text[part.clone()].to_owned();
    // From the end, so that earlier spans stay valid.
    for (span, with) in in_order(splices)?.into_iter().rev() {
        yaml.replace_range(span.start - part.start..span.end - part.start, &with);
        match matter::parse_as(&yaml, language) {
            Ok(after) if one_value_differs(&properties, &after) => properties = after,
            _ => return Err(EditError::SpanWouldChangeMore { span }),
        }
    }
    Ok((yaml, properties))
}

/// Whether both have the same keys, and at most one value differs.
fn one_value_differs(before: &Map<String, Value>, after: &Map<String, Value>) -> bool {
    before.len() == after.len()
        && before.keys().all(|key| after.contains_key(key))
        && before
            .iter()
            .filter(|(key, value)| after.get(*key) != Some(value))
            .count()
            <= 1
}

/// The front matter during editing.
struct FrontMatterEditor<'a> {
    yaml: String,
    language: FrontMatterLanguage,
    properties: Map<String, Value>,
    ending: &'a str,
}

impl FrontMatterEditor<'_> {
    /// Applies one property edit; a refused one changes nothing.
    fn edit(&mut self, edit: &Edit) -> Result<()> {
        if let Edit::Set { key, value } | Edit::Append { key, value } = edit
            && self.language == FrontMatterLanguage::Toml
            && has_null(value)
        {
            return Err(EditError::NoNull { key: key.clone() });
        }
        let spelled =
            |key: &KeyPath| key.with_top(property_names::spelling(&self.properties, key.top()));
        match edit {
            Edit::Replace { .. } => Ok(()),
            Edit::Set { key, value } => self.set(&spelled(key), value),
            Edit::Unset { key } => self.unset(&spelled(key)),
            Edit::Append { key, value } => self.append(&spelled(key), value),
            Edit::Remove { key, value } => {
                let keys: Vec<KeyPath> = property_names::spelled(&self.properties, key.top())
                    .map(|(top, _)| key.with_top(top))
                    .collect();
                keys.iter().try_for_each(|key| self.remove(key, value))
            }
            Edit::Copy { lines } => self.copy(lines),
            Edit::Comment { key, item, comment } => self.comment(&spelled(key), item, comment),
        }
    }

    fn comment(&mut self, key: &KeyPath, item: &Value, comment: &str) -> Result<()> {
        let items = value_at(&self.properties, key.keys()).and_then(Value::as_array);
        let at = items.and_then(|items| items.iter().rposition(|it| it == item));
        let (location, wanted) = (self.location_of(key)?, self.properties.clone());
        let choices = at
            .filter(|_| self.language == FrontMatterLanguage::Yaml)
            .and_then(|at| rewrite::comment_item(&self.yaml, &location, at, comment));
        if let Some(choice) = choices
            && self
                .apply_first_valid(key, Some(vec![choice]), wanted)
                .is_ok()
        {
            return Ok(());
        }
        self.copy(&format!("# {key}: {item} {comment}\n"))
    }

    fn copy(&mut self, lines: &str) -> Result<()> {
        let added = matter::parse(lines)?;
        let mut wanted = self.properties.clone();
        for (key, value) in added {
            let is_other = self.language != FrontMatterLanguage::Yaml || wanted.contains_key(&key);
            if is_other {
                return Err(EditError::UnusualLayout {
                    key: key.as_str().into(),
                });
            }
            wanted.insert(key, value);
        }
        // In TOML tables come last, so lines go to the start.
        let at = match self.language {
            FrontMatterLanguage::Yaml => rewrite::content_end(&self.yaml),
            _ => 0,
        };
        let text = lines.replace("\r\n", "\n").replace('\n', self.ending);
        let mut yaml = self.yaml.clone();
        yaml.insert_str(at, &text);
        if !self.reads_as(&yaml, &wanted) {
            return Err(EditError::CopyWouldChangeMore);
        }
        (self.yaml, self.properties) = (yaml, wanted);
        Ok(())
    }

    fn set(&mut self, key: &KeyPath, value: &Value) -> Result<()> {
        let old = self.value_to_set(key)?;
        if old == Some(value) {
            return Ok(());
        }
        let mut wanted = self.properties.clone();
        set_value_at(&mut wanted, key.keys(), value.clone());
        // Tries entry by entry first, which keeps comments and positions.
        if let Some(old) = old
            && let Some(yaml) =
                reshape::reshape(&self.yaml, key, old, value, self.ending, self.language)
            && self.reads_as(&yaml, &wanted)
        {
            (self.yaml, self.properties) = (yaml, wanted);
            return Ok(());
        }
        let location = self.location_of(key)?;
        let choices = rewrite::set(&self.yaml, &location, key.keys(), NewValue::Value(value));
        self.apply_first_valid(key, choices, wanted)
    }

    fn unset(&mut self, key: &KeyPath) -> Result<()> {
        if value_at(&self.properties, key.keys()).is_none() {
            return Ok(());
        }
        let location = self.location_of(key)?;
        let removal = location
            .found()
            .and_then(|location| rewrite::unset(&self.yaml, location, key.keys().len()));
        self.apply_removal(key, removal, None)
    }

    fn append(&mut self, key: &KeyPath, value: &Value) -> Result<()> {
        let old = self.value_to_set(key)?;
        let list = with_appended(old, key, value)?;
        let mut wanted = self.properties.clone();
        set_value_at(&mut wanted, key.keys(), list.clone());
        let location = self.location_of(key)?;
        let added = match old {
            Some(Value::Array(items)) => {
                rewrite::insert_item(&self.yaml, &location, items.len(), value)
            }
            Some(Value::Null) => {
                rewrite::first_item(&self.yaml, &location, value).map(|added| vec![added])
            }
            _ => None,
        };
        let new = match old {
            None | Some(Value::Null) => NewValue::Item(value),
            _ => NewValue::Value(&list),
        };
        let choices = match added {
            Some(added) => Some(added),
            None => rewrite::set(&self.yaml, &location, key.keys(), new),
        };
        self.apply_first_valid(key, choices, wanted)
    }

    fn remove(&mut self, key: &KeyPath, value: &Value) -> Result<()> {
        if let Some(Value::String(text)) = value_at(&self.properties, key.keys())
            && tags::is_property(key)
        {
            let tags = tags::in_text(text).map(Value::from);
            let (removed, rest): (Vec<_>, Vec<_>) =
                tags.partition(|tag| tags::is_same_value(key, tag, value));
            return match (removed.is_empty(), rest.is_empty()) {
                (true, _) => Ok(()),
                (_, true) => self.unset(key),
                _ => self.set(key, &rest.into()),
            };
        }
        // Last one first: each removal may move the others.
        while let Some(Value::Array(items)) = value_at(&self.properties, key.keys())
            && let Some(at) = items
                .iter()
                .rposition(|item| tags::is_same_value(key, item, value))
        {
            let mut rest = items.clone();
            rest.remove(at);
            let location = self.location_of(key)?;
            let removal = location
                .found()
                .and_then(|location| rewrite::remove_item(&self.yaml, location, at));
            // An alias of a list, or a tagged list, is rewritten.
            if removal.is_none() || self.apply_removal(key, removal, Some(&rest)).is_err() {
                self.set(key, &Value::from(rest))?;
            }
        }
        Ok(())
    }

    /// Returns the current value of a property to set. Enclosing maps may be missing, but other values there are an
    /// error.
    fn value_to_set(&self, key: &KeyPath) -> Result<Option<&Value>> {
        let (top, rest) = (key.top(), &key.keys()[1..]);
        let mut value = self.properties.get(top);
        for (depth, key_below) in rest.iter().enumerate() {
            value = match value {
                None | Some(Value::Null) => return Ok(None),
                Some(Value::Object(map)) => map.get(key_below),
                Some(_) => {
                    return Err(EditError::NotAMap {
                        key: key.first(depth + 1),
                    });
                }
            };
        }
        Ok(value)
    }

    fn reads_as(&self, inner: &str, wanted: &Map<String, Value>) -> bool {
        matter::parse_as(inner, self.language).is_ok_and(|after| after == *wanted)
    }

    fn location_of(&self, key: &KeyPath) -> Result<PropertyLocation> {
        locate(&self.yaml, key.keys(), self.language)
            .ok_or_else(|| EditError::UnusualLayout { key: key.clone() })
    }

    /// Applies a removal; for a list item, `rest` are the remaining items.
    fn apply_removal(
        &mut self,
        key: &KeyPath,
        removal: Option<Removal>,
        rest: Option<&[Value]>,
    ) -> Result<()> {
        let mut wanted = self.properties.clone();
        let Some(Removal { choices, removed }) = removal else {
            return Err(EditError::UnusualLayout { key: key.clone() });
        };
        match removed {
            RemovedPart::Item => set_value_at(
                &mut wanted,
                key.keys(),
                Value::from(rest.unwrap_or_default().to_vec()),
            ),
            RemovedPart::Value(depth) => {
                set_value_at(&mut wanted, &key.keys()[..depth], Value::Null);
            }
            RemovedPart::Property(depth) => remove_value_at(&mut wanted, &key.keys()[..depth]),
        }
        self.apply_first_valid(key, Some(choices), wanted)
    }

    /// Applies the first of `choices` whose result equals `wanted`.
    fn apply_first_valid(
        &mut self,
        key: &KeyPath,
        choices: Option<Vec<Vec<Splice>>>,
        wanted: Map<String, Value>,
    ) -> Result<()> {
        let Some(choices) = choices else {
            return Err(EditError::UnusualLayout { key: key.clone() });
        };
        for choice in choices {
            let yaml = splice(
                &self.yaml,
                &(0..self.yaml.len()),
                with_ending(choice, self.ending),
            )?;
            if self.reads_as(&yaml, &wanted) {
                (self.yaml, self.properties) = (yaml, wanted);
                return Ok(());
            }
        }
        Err(EditError::WouldChangeMore { key: key.clone() })
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(entries) => entries.values().any(has_null),
        _ => false,
    }
}

/// Returns the value at `keys`.
fn value_at<'a>(properties: &'a Map<String, Value>, keys: &[String]) -> Option<&'a Value> {
    let (first, rest) = keys.split_first()?;
    rest.iter().try_fold(properties.get(first)?, |value, key| {
        value.as_object()?.get(key)
    })
}

/// Sets the value at `keys`, creating maps and replacing other values on the way.
fn set_value_at(properties: &mut Map<String, Value>, keys: &[String], value: Value) {
    let Some((last, maps)) = keys.split_last() else {
        return;
    };
    let mut map = properties;
    for key in maps {
        let below = map.entry(key).or_insert(Value::Null);
        if !below.is_object() {
            *below = Value::Object(Map::new());
        }
        let Value::Object(next) = below else { return };
        map = next;
    }
    map.insert(last.clone(), value);
}

/// Removes the value at `keys`.
fn remove_value_at(properties: &mut Map<String, Value>, keys: &[String]) {
    let Some((last, maps)) = keys.split_last() else {
        return;
    };
    let mut map = properties;
    for key in maps {
        let Some(Value::Object(next)) = map.get_mut(key) else {
            return;
        };
        map = next;
    }
    map.remove(last);
}

/// Returns the list after appending `value` to a property.
fn with_appended(old: Option<&Value>, key: &KeyPath, value: &Value) -> Result<Value> {
    let mut items = match old {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(items)) => items.clone(),
        // Several tags in one text, as in older versions of Obsidian.
        Some(Value::String(text)) if tags::is_property(key) => {
            tags::in_text(text).map(Value::from).collect()
        }
        Some(Value::Object(_)) => {
            return Err(EditError::NotAList { key: key.clone() });
        }
        Some(one) => vec![one.clone()],
    };
    items.push(value.clone());
    Ok(Value::Array(items))
}

#[cfg(test)]
mod tests;

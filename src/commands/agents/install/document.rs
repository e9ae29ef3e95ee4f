//! Configuration files of hosts, edited without changing what others wrote.
//!
//! JSON may have comments, trailing commas and the other extensions of JSON5; each edit keeps all bytes outside
//! of the changed entry.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstContainerNode, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike};

use crate::note::edit::{self, Edit};
use crate::note::front_matter::key::KeyPath;
use crate::note::front_matter::matter;

/// A parsed file.
#[derive(Debug)]
pub(super) enum ConfigDocument {
    Json(CstRootNode),
    Toml(Box<DocumentMut>),
    /// The text between two fences, as the front matter of a note.
    Yaml(String),
}

/// A fence of front matter.
const FENCE: &str = "---\n";

impl ConfigDocument {
    /// Parses the text of a file with this name, or returns why it is malformed.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let ending = path.extension().unwrap_or_default();
        if ending == "toml" {
            let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
                let text = error.to_string();
                let place = text.lines().next().unwrap_or_default();
                format!("{place}: {}", error.message())
            })?;
            return Ok(Self::Toml(Box::new(document)));
        }
        if ending == "yaml" || ending == "yml" {
            matter::parse(text).map_err(|error| error.to_string())?;
            let end = if text.is_empty() || text.ends_with('\n') {
                ""
            } else {
                "\n"
            };
            return Ok(Self::Yaml(format!("{FENCE}{text}{end}{FENCE}")));
        }
        let options = ParseOptions {
            allow_missing_commas: false,
            ..ParseOptions::default()
        };
        let root = CstRootNode::parse(text, &options).map_err(|error| error.to_string())?;
        match root.value() {
            None => {}
            Some(value) if value.as_object().is_some() => {}
            Some(_) => return Err("the file is not a JSON object".to_owned()),
        }
        Ok(Self::Json(root))
    }

    /// Returns the text with all edits.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Json(root) => root.to_string(),
            Self::Toml(document) => document.to_string(),
            Self::Yaml(text) => yaml(text).to_owned(),
        }
    }

    /// Returns the content as data, `null` if there is none.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Json(root) => root.to_serde_value().unwrap_or_default(),
            Self::Toml(document) => toml::from_str(&document.to_string()).unwrap_or_default(),
            Self::Yaml(text) => matter::parse(yaml(text)).map_or(Value::Null, Value::Object),
        }
    }

    /// Sets the value of a key like `mcpServers.mem`. Fails if a key above it has a value of another type.
    pub(super) fn set(&mut self, key: &str, value: &Value) -> Result<(), String> {
        let (parents, name) = split(key);
        match self {
            Self::Json(root) => {
                let object = json_object(root, &parents).ok_or_else(|| not_a_table(key))?;
                match object.get(name) {
                    Some(property) => property.set_value(json_input(value)),
                    None => drop(object.append(name, json_input(value))),
                }
            }
            Self::Toml(document) => {
                let table = toml_table(document, &parents).ok_or_else(|| not_a_table(key))?;
                table.insert(name, toml_item(value));
            }
            Self::Yaml(text) => edit_yaml(text, Edit::set(key_path(key), value.clone()))?,
        }
        Ok(())
    }

    /// Adds an item to the list of a key, which is created if missing.
    pub(super) fn push(&mut self, key: &str, value: &Value) -> Result<(), String> {
        let (parents, name) = split(key);
        let is_no_list = || format!("`{key}` is not a list");
        match self {
            Self::Json(root) => {
                let object = json_object(root, &parents).ok_or_else(|| not_a_table(key))?;
                let list = object.array_value_or_create(name);
                list.ok_or_else(is_no_list)?.append(json_input(value));
            }
            Self::Toml(document) => {
                let table = toml_table(document, &parents).ok_or_else(|| not_a_table(key))?;
                let list = table.entry(name);
                match list.or_insert(Item::ArrayOfTables(ArrayOfTables::new())) {
                    Item::ArrayOfTables(list) => list.push(toml_block(value)),
                    Item::Value(toml_edit::Value::Array(list)) => list.push(toml_value(value)),
                    _ => return Err(is_no_list()),
                }
            }
            Self::Yaml(text) => edit_yaml(text, Edit::append(key_path(key), value.clone()))?,
        }
        Ok(())
    }

    /// Removes a key, or an item of its list, and then the tables above that are empty.
    pub(super) fn remove(&mut self, key: &str, item: Option<usize>) {
        let (parents, name) = split(key);
        match self {
            Self::Json(root) => remove_json(root, &parents, name, item),
            Self::Toml(document) => {
                remove_toml(document.as_table_mut(), &parents, name, item);
            }
            Self::Yaml(_) => self.remove_yaml(key, item),
        }
    }
}

impl ConfigDocument {
    fn remove_yaml(&mut self, key: &str, item: Option<usize>) {
        let content = self.value();
        let found = key.split('.').fold(&content, |value, key| &value[key]);
        let list = found.as_array().map_or(&[][..], Vec::as_slice);
        let path = key_path(key);
        let edit = match item.and_then(|item| list.get(item)) {
            Some(value) if list.len() > 1 => {
                let (key, value) = (path, value.clone());
                Edit::Remove { key, value }
            }
            _ => Edit::Unset { key: path },
        };
        let Self::Yaml(text) = self else { return };
        // A layout that cannot be edited stays; the entry is reported as active.
        let _ = edit_yaml(text, edit);
    }
}

/// Returns the YAML between the fences.
fn yaml(text: &str) -> &str {
    let inner = text.strip_prefix(FENCE).unwrap_or(text);
    inner.strip_suffix(FENCE).unwrap_or(inner)
}

fn edit_yaml(text: &mut String, edit: Edit) -> Result<(), String> {
    *text = edit::apply(text, &[edit]).map_err(|error| error.to_string())?;
    Ok(())
}

fn key_path(key: &str) -> KeyPath {
    key.parse().expect("the keys of the table are valid")
}

fn split(key: &str) -> (Vec<&str>, &str) {
    let mut parts: Vec<&str> = key.split('.').collect();
    let name = parts.pop().unwrap_or_default();
    (parts, name)
}

fn not_a_table(key: &str) -> String {
    format!("a key above `{key}` has a value of another type")
}

/// Returns the object of these keys, created if missing; `None` if a value has another type.
fn json_object(root: &CstRootNode, keys: &[&str]) -> Option<CstObject> {
    let mut object = root.object_value_or_create()?;
    for key in keys {
        object = object.object_value_or_create(key)?;
    }
    Some(object)
}

fn json_input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(json_input).collect()),
        Value::Object(map) => {
            let properties = map
                .iter()
                .map(|(key, value)| (key.clone(), json_input(value)));
            CstInputValue::Object(properties.collect())
        }
    }
}

fn remove_json(root: &CstRootNode, parents: &[&str], name: &str, item: Option<usize>) {
    let mut object = root.object_value();
    for key in parents {
        object = object.and_then(|object| object.object_value(key));
    }
    let Some(property) = object.and_then(|object| object.get(name)) else {
        return;
    };
    let mut emptied = property;
    if let Some(item) = item {
        let Some(list) = emptied.array_value() else {
            return;
        };
        if let Some(element) = list.elements().into_iter().nth(item) {
            element.remove();
        }
        if !is_blank(&list.children()) {
            return;
        }
    }
    loop {
        let Some(CstContainerNode::Object(object)) = emptied.parent() else {
            return;
        };
        emptied.remove();
        let above = object.parent();
        match above {
            Some(CstContainerNode::ObjectProp(above)) if is_blank(&object.children()) => {
                emptied = above;
            }
            _ => return,
        }
    }
}

/// Returns whether a list or object has neither values nor comments.
fn is_blank(children: &[CstNode]) -> bool {
    let is_form = |node: &CstNode| node.is_token() || node.is_whitespace() || node.is_newline();
    children.iter().all(is_form)
}

/// Returns the table of these keys, created if missing; `None` if a value has another type.
fn toml_table<'d>(document: &'d mut DocumentMut, keys: &[&str]) -> Option<&'d mut dyn TableLike> {
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for key in keys {
        let mut created = Table::new();
        created.set_implicit(true);
        let item = table.entry(key).or_insert(Item::Table(created));
        table = item.as_table_like_mut()?;
    }
    Some(table)
}

/// Removes the key or item; returns whether `table` is empty then.
fn remove_toml(
    table: &mut dyn TableLike,
    parents: &[&str],
    name: &str,
    item: Option<usize>,
) -> bool {
    let key = parents.first().copied().unwrap_or(name);
    let is_emptied = match (parents, item, table.get_mut(key)) {
        ([_, rest @ ..], _, Some(child)) => child
            .as_table_like_mut()
            .is_some_and(|child| remove_toml(child, rest, name, item)),
        ([], None, Some(_)) => true,
        ([], Some(at), Some(Item::ArrayOfTables(list))) => {
            list.remove(at);
            list.is_empty()
        }
        ([], Some(at), Some(Item::Value(toml_edit::Value::Array(list)))) => {
            list.remove(at);
            list.is_empty()
        }
        _ => false,
    };
    if is_emptied {
        table.remove(key);
    }
    table.is_empty()
}

fn toml_item(value: &Value) -> Item {
    match value {
        Value::Object(_) => Item::Table(toml_block(value)),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            Item::ArrayOfTables(items.iter().map(toml_block).collect())
        }
        value => Item::Value(toml_value(value)),
    }
}

/// Returns an object as a table with its own header.
fn toml_block(value: &Value) -> Table {
    let none = Map::new();
    let map = value.as_object().unwrap_or(&none);
    map.iter()
        .map(|(key, value)| (key, toml_item(value)))
        .collect()
}

fn toml_value(value: &Value) -> toml_edit::Value {
    match value {
        Value::Null => "".into(),
        Value::Bool(value) => (*value).into(),
        Value::Number(number) => number.as_i64().unwrap_or_default().into(),
        Value::String(text) => text.as_str().into(),
        Value::Array(items) => items.iter().map(toml_value).collect::<Array>().into(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| (key, toml_value(value)));
            pairs.collect::<InlineTable>().into()
        }
    }
}

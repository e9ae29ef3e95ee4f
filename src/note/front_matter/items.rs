//! Items of list properties.

use serde_json::Value;

use super::property::standard_name;
use crate::note::markdown::tags;

/// Returns the items of a list, or of a text that is read as one: `tags: a, b`.
pub fn items(key: &str, value: &Value) -> Vec<Value> {
    match (value, standard_name(key)) {
        (Value::Array(items), _) => items.clone(),
        (Value::Null, _) => Vec::new(),
        (Value::String(text), "tags" | "cssclasses") => {
            tags::in_text(text).map(Value::from).collect()
        }
        (Value::String(text), "aliases") => {
            let names = text.split(',').map(str::trim);
            let names = names.filter(|name| !name.is_empty());
            names.map(Value::from).collect()
        }
        (one, _) => vec![one.clone()],
    }
}

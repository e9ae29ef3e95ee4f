//! Checks whether an edit is already applied to the properties of a note.

use serde_json::{Map, Value};

use super::key::KeyPath;
pub use super::property_names::{is_true, property, spelled, spelled_as, spelling, standard_name};
use crate::note::edit::Edit;
use crate::note::markdown::tags;

/// Returns true if `edit` would change nothing in `properties`; always false for an edit of the text.
pub fn is_applied(edit: &Edit, properties: &Map<String, Value>) -> bool {
    match edit {
        Edit::Set { key, value } => value_at(properties, key) == Some(value),
        Edit::Unset { key } => value_at(properties, key).is_none(),
        Edit::Append { key, value } => contains(properties, key, value),
        Edit::Remove { key, value } => !contains(properties, key, value),
        Edit::Copy { .. } | Edit::Comment { .. } | Edit::Replace { .. } => false,
    }
}

fn value_at<'p>(properties: &'p Map<String, Value>, key: &KeyPath) -> Option<&'p Value> {
    let (top, rest) = key.keys().split_first()?;
    rest.iter()
        .try_fold(property(properties, top)?, |found, key| found.get(key))
}

/// Returns true if the list at `key` already contains `value`; tags match in any spelling.
fn contains(properties: &Map<String, Value>, key: &KeyPath, value: &Value) -> bool {
    match value_at(properties, key) {
        Some(Value::Array(items)) => items
            .iter()
            .any(|item| tags::is_same_value(key, item, value)),
        // Several tags in one text.
        Some(Value::String(text)) if tags::is_property(key) => {
            tags::in_text(text).any(|tag| tags::is_same_value(key, &tag.into(), value))
        }
        Some(one) => tags::is_same_value(key, one, value),
        None => false,
    }
}

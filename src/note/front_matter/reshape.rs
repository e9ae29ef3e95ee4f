//! Converts a list or map into another one entry by entry.
//!
//! [`edit`](crate::note::edit) tries this first when it sets an existing list or map: unchanged entries keep their
//! lines, comments, quotes and positions. The result is checked like any other edit; if it is wrong, the whole value
//! is rewritten.

use serde_json::Value;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::key::KeyPath;
use super::locate::locate;
use super::rewrite::{self, NewValue, with_ending};
use super::split::FrontMatterLanguage;
use crate::note::splice::{Splice, spliced};

/// Returns `yaml` with the list or map at `key` changed from `old` to `new` entry by entry; `None` if they share
/// nothing or too many steps are needed.
pub(crate) fn reshape(
    yaml: &str,
    key: &KeyPath,
    old: &Value,
    new: &Value,
    ending: &str,
    language: FrontMatterLanguage,
) -> Option<String> {
    let mut yaml = yaml.to_owned();
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => {
            for step in steps(old, new)? {
                let located = locate(&yaml, key.keys(), language)?;
                let location = located.found()?;
                let splices = match step {
                    ListStep::Remove(at) => rewrite::remove_item(&yaml, location, at)?
                        .choices
                        .swap_remove(0),
                    ListStep::Insert(at, item) => {
                        rewrite::insert_item(&yaml, location, at, item)?.swap_remove(0)
                    }
                };
                yaml = with_splices(&yaml, splices, ending);
            }
        }
        (Value::Object(old), Value::Object(new)) => {
            if !old.keys().any(|name| new.contains_key(name)) || old.len() + new.len() > MAX_ITEMS {
                return None;
            }
            for (name, value) in new {
                let key = key.below(name);
                let was = old.get(name);
                if was == Some(value) {
                    continue;
                }
                let shaped = was.and_then(|was| reshape(&yaml, &key, was, value, ending, language));
                yaml = if let Some(yaml) = shaped {
                    yaml
                } else {
                    let location = locate(&yaml, key.keys(), language)?;
                    let mut choices =
                        rewrite::set(&yaml, &location, key.keys(), NewValue::Value(value))?;
                    with_splices(&yaml, choices.swap_remove(0), ending)
                };
            }
            for name in old.keys().filter(|name| !new.contains_key(*name)) {
                let key = key.below(name);
                let location = locate(&yaml, key.keys(), language)?;
                let mut removal = rewrite::unset(&yaml, location.found()?, key.keys().len())?;
                yaml = with_splices(&yaml, removal.choices.swap_remove(0), ending);
            }
        }
        _ => return None,
    }
    Some(yaml)
}

/// Maximum items of a list or map that is changed step by step; a larger one is rewritten.
const MAX_ITEMS: usize = 200;

/// A change of one list item.
enum ListStep<'a> {
    Remove(usize),
    Insert(usize, &'a Value),
}

/// Returns the minimal steps from `old` to `new`, last item first; `None` if none or too many are needed.
fn steps<'a>(old: &[Value], new: &'a [Value]) -> Option<Vec<ListStep<'a>>> {
    if old.len() > MAX_ITEMS || new.len() > MAX_ITEMS {
        return None;
    }
    let texts = [old, new].map(|items| items.iter().map(Value::to_string).collect::<Vec<_>>());
    let ops = capture_diff_slices(Algorithm::Lcs, &texts[0], &texts[1]);
    if ops.iter().all(|op| op.tag() != DiffTag::Equal) {
        return None;
    }
    let mut steps = Vec::new();
    for op in ops.iter().rev().filter(|op| op.tag() != DiffTag::Equal) {
        let at = op.old_range().start;
        steps.extend(op.old_range().rev().map(ListStep::Remove));
        steps.extend(op.new_range().rev().map(|j| ListStep::Insert(at, &new[j])));
    }
    Some(steps)
}

/// Returns `yaml` with `splices` applied, which do not overlap.
fn with_splices(yaml: &str, splices: Vec<Splice>, ending: &str) -> String {
    spliced(yaml, 0..yaml.len(), with_ending(splices, ending))
}

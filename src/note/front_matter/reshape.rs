//! A list or map turned into another one entry by entry.
//!
//! [`edit`](crate::note::edit) sets a list or map that exists this way first: the entries that stay
//! keep their lines, and with them their comments, quotes and places. What comes out is checked
//! there like any other edit, and written anew as a whole when it is not what was meant.

use serde_json::Value;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::key::KeyPath;
use super::locate::locate;
use super::rewrite::{self, New, with_ending};
use super::split::Language;
use crate::note::splice::{Splice, spliced};

/// Returns `yaml` with the list or map at `key` turned from `old` into `new` entry by entry;
/// `None` when they have nothing in common or it takes very many steps.
pub(crate) fn reshape(
    yaml: &str,
    key: &KeyPath,
    old: &Value,
    new: &Value,
    ending: &str,
    language: Language,
) -> Option<String> {
    let mut yaml = yaml.to_owned();
    match (old, new) {
        (Value::Array(old), Value::Array(new)) => {
            for step in steps(old, new)? {
                let way = locate(&yaml, key.keys(), language)?;
                let way = way.found()?;
                let splices = match step {
                    Step::Remove(at) => {
                        rewrite::remove_item(&yaml, way, at)?.choices.swap_remove(0)
                    }
                    Step::Insert(at, item) => {
                        rewrite::insert_item(&yaml, way, at, item)?.swap_remove(0)
                    }
                };
                yaml = made(&yaml, splices, ending);
            }
        }
        (Value::Object(old), Value::Object(new)) => {
            if !old.keys().any(|name| new.contains_key(name)) || old.len() + new.len() > MOST_STEPS
            {
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
                    let way = locate(&yaml, key.keys(), language)?;
                    let mut choices = rewrite::set(&yaml, &way, key.keys(), New::Value(value))?;
                    made(&yaml, choices.swap_remove(0), ending)
                };
            }
            for name in old.keys().filter(|name| !new.contains_key(*name)) {
                let key = key.below(name);
                let way = locate(&yaml, key.keys(), language)?;
                let mut removal = rewrite::unset(&yaml, way.found()?, key.keys().len())?;
                yaml = made(&yaml, removal.choices.swap_remove(0), ending);
            }
        }
        _ => return None,
    }
    Some(yaml)
}

/// More steps than this are not worth it: the list or map is written anew.
const MOST_STEPS: usize = 200;

/// A step that turns one list into another.
enum Step<'a> {
    Remove(usize),
    Insert(usize, &'a Value),
}

/// Returns the steps from `old` to `new`, from the back to the front, that leave as many items
/// in their place as possible; `None` when none or too many would change.
fn steps<'a>(old: &[Value], new: &'a [Value]) -> Option<Vec<Step<'a>>> {
    if old.len() > MOST_STEPS || new.len() > MOST_STEPS {
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
        steps.extend(op.old_range().rev().map(Step::Remove));
        steps.extend(op.new_range().rev().map(|j| Step::Insert(at, &new[j])));
    }
    Some(steps)
}

/// Returns `yaml` with splices made that do not overlap.
fn made(yaml: &str, splices: Vec<Splice>, ending: &str) -> String {
    spliced(yaml, 0..yaml.len(), with_ending(splices, ending))
}

//! Converts a list or map into another one entry by entry.
//!
//! [`edit`](crate::note::edit) tries this first when it sets an existing list or map: unchanged entries keep their
//! lines, comments, quotes and positions. The result is checked like any other edit; if it is wrong, the whole value
//! is rewritten.

use serde_json::Value;
use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::key::KeyPath;
use super::locate::locate;
use super::rewrite::{self, New, with_ending};
use super::split::Language;
use crate::note::splice::{Splice, spliced};

/// Returns `yaml` with the list or map at `key` changed from `old` to `new` entry by entry; `None` if they share
/// nothing or too many steps are needed.
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

/// Maximum items of a list that is changed step by step; a longer one is rewritten.
const MOST_STEPS: usize = 200;

/// A change of one list item.
enum Step<'a> {
    Remove(usize),
    Insert(usize, &'a Value),
}

/// Returns the minimal steps from `old` to `new`, last item first; `None` if none or too many are needed.
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

/// Returns `yaml` with `splices` applied, which do not overlap.
fn made(yaml: &str, splices: Vec<Splice>, ending: &str) -> String {
    spliced(yaml, 0..yaml.len(), with_ending(splices, ending))
}

//! An edit changes what it names, or is refused.
//!
//! An input is a note, a line `%%%`, and one edit per line:
//!
//! ```text
//! set KEY JSON
//! unset KEY
//! append KEY JSON
//! remove KEY JSON
//! replace START LENGTH TEXT
//! ```
//!
//! `a.b` is the key `b` in the map `a`. A value that is not JSON is a string. Any other line is
//! `unset LINE`.

#![no_main]

use std::ops::Range;

use libfuzzer_sys::fuzz_target;
use mem::note::edit::{Edit, apply};
use mem::note::front_matter::key::KeyPath;
use mem::note::front_matter::matter;
use mem::note::front_matter::split::split;
use serde_json::{Map, Value};

fuzz_target!(|input: &str| {
    let (text, script) = input.split_once("\n%%%\n").unwrap_or((input, ""));
    let edits: Vec<Edit> = script
        .split('\n')
        .take(8)
        .map(|line| edit(text, line))
        .collect();
    for edit in &edits {
        alone(text, edit);
    }
    // Applying all edits at once equals applying them one by one.
    let mut one_by_one = Ok(text.to_owned());
    for edit in &edits {
        one_by_one = one_by_one.and_then(|text| apply(&text, std::slice::from_ref(edit)));
    }
    if let (Ok(at_once), Ok(one_by_one)) = (apply(text, &edits), one_by_one)
        && !edits
            .iter()
            .any(|edit| matches!(edit, Edit::Replace { .. }))
    {
        assert_eq!(properties(&at_once), properties(&one_by_one));
        assert_eq!(body(&at_once), body(&one_by_one));
    }
});

fn edit(text: &str, line: &str) -> Edit {
    let value = |json: &str| serde_json::from_str(json).unwrap_or_else(|_| Value::from(json));
    let mut words = line.splitn(3, ' ');
    let (what, key, rest) = (words.next(), words.next(), words.next());
    let key = key.unwrap_or_default();
    let at = key;
    let key = KeyPath::dotted(key).unwrap_or_else(|_| KeyPath::from(key));
    match (what, rest) {
        (Some("set"), Some(json)) => Edit::Set {
            key,
            value: value(json),
        },
        (Some("append"), Some(json)) => Edit::Append {
            key,
            value: value(json),
        },
        (Some("remove"), Some(json)) => Edit::Remove {
            key,
            value: value(json),
        },
        (Some("unset"), None) => Edit::Unset { key },
        (Some("replace"), Some(rest)) => {
            let (length, with) = rest.split_once(' ').unwrap_or((rest, ""));
            let start: usize = at.parse().unwrap_or_default();
            let span = start..start.saturating_add(length.parse().unwrap_or_default());
            Edit::Replace {
                was: text.get(span.clone()).unwrap_or_default().to_owned(),
                span,
                text: with.to_owned(),
            }
        }
        _ => Edit::Unset {
            key: KeyPath::from(line),
        },
    }
}

/// Checks the properties of a single edit.
fn alone(text: &str, edit: &Edit) {
    let Ok(new) = apply(text, std::slice::from_ref(edit)) else {
        return;
    };
    if let Edit::Replace {
        span, text: with, ..
    } = edit
    {
        let mut expected = text.to_owned();
        expected.replace_range(span.clone(), with);
        let fence = split(text).block.is_some_and(|block| {
            // If the note ends with its fence, a new body starts on its own line.
            !text[block.whole].ends_with('\n')
        });
        assert!(new == expected || fence, "{new:?} is not {expected:?}");
        return;
    }
    assert_eq!(body(&new), body(text), "the body of {new:?} changed");
    let (before, after) = (properties(text), properties(&new));
    let before = before.expect("an edit of what cannot be read was accepted");
    let after = after.expect("an edit made a note that cannot be read");
    let key = match edit {
        Edit::Set { key, .. }
        | Edit::Append { key, .. }
        | Edit::Remove { key, .. }
        | Edit::Unset { key } => key,
        Edit::Replace { .. } => return,
    };
    assert_eq!(without(&before, key), without(&after, key), "in {new:?}");
    let (was, is) = (get(&before, key), get(&after, key));
    match edit {
        Edit::Set { value, .. } => assert_eq!(is, Some(value)),
        Edit::Unset { .. } => assert_eq!(is, None),
        Edit::Append { value, .. } => {
            let last = is.and_then(Value::as_array).and_then(|items| items.last());
            assert_eq!(last, Some(value));
        }
        Edit::Remove { value, .. } => {
            let left = is.and_then(Value::as_array);
            assert!(left.is_none_or(|items| !items.contains(value)));
        }
        Edit::Replace { .. } => {}
    }
    // Lines of other properties do not change.
    for (line, span) in lines_of_others(text, key.top(), &before) {
        let (start, end) = changed(text, &new);
        assert!(
            span.end <= start || span.start >= end,
            "{line:?} changed in {new:?}"
        );
    }
    // Removing what was added restores the note.
    let made = (1..key.keys().len()).all(|depth| {
        let above = key.keys()[..depth].iter().skip(1);
        let above = above.fold(KeyPath::from(key.top()), |path, key| path.below(key));
        !matches!(get(&before, &above), Some(Value::Null)) && !is_empty(get(&before, &above))
    });
    if was.is_none() && is.is_some() && made {
        // A refusal changes nothing: an open `? key` ends where another line begins.
        if let Ok(back) = apply(&new, &[Edit::Unset { key: key.clone() }]) {
            assert_eq!(back, text, "after {new:?}");
        }
    }
}

fn is_empty(value: Option<&Value>) -> bool {
    value.and_then(Value::as_object).is_some_and(Map::is_empty)
}

fn get<'a>(properties: &'a Map<String, Value>, key: &KeyPath) -> Option<&'a Value> {
    let mut value = properties.get(key.top())?;
    for key in &key.keys()[1..] {
        value = value.as_object()?.get(key)?;
    }
    Some(value)
}

/// Returns all properties except this one and maps that contain nothing else.
fn without(properties: &Map<String, Value>, key: &KeyPath) -> Map<String, Value> {
    fn drop(map: &mut Map<String, Value>, keys: &[String]) {
        let Some((key, rest)) = keys.split_first() else {
            return;
        };
        if let Some(Value::Object(inner)) = map.get_mut(key)
            && !rest.is_empty()
        {
            drop(inner, rest);
            if !inner.is_empty() {
                return;
            }
        } else if !rest.is_empty() && map.get(key).is_some_and(|value| !value.is_null()) {
            return;
        }
        map.remove(key);
    }
    let mut left = properties.clone();
    drop(&mut left, key.keys());
    left
}

fn properties(text: &str) -> Option<Map<String, Value>> {
    matter::properties(text).ok()
}

fn body(text: &str) -> &str {
    &text[split(text).body]
}

/// Returns start and end of the bytes of `text` that differ in `new`.
fn changed(text: &str, new: &str) -> (usize, usize) {
    let same = |a: &mut dyn Iterator<Item = u8>, b: &mut dyn Iterator<Item = u8>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let start = same(&mut text.bytes(), &mut new.bytes());
    let end = same(
        &mut text[start..].bytes().rev(),
        &mut new
            .bytes()
            .skip(start)
            .collect::<Vec<_>>()
            .into_iter()
            .rev(),
    );
    (start, text.len() - end)
}

/// Returns the lines `key: value` of plain properties other than `edited`, without the start of the
/// next line: an insertion may come directly before or after.
fn lines_of_others<'a>(
    text: &'a str,
    edited: &str,
    properties: &Map<String, Value>,
) -> Vec<(&'a str, Range<usize>)> {
    let Some(block) = split(text).block else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = block.inner.start;
    for line in text[block.inner].split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some((key, value)) = line.trim_end().split_once(": ") else {
            continue;
        };
        let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let says_so = properties.get(key).and_then(Value::as_str) == Some(value);
        // A similar line inside a string of the edited property does not count.
        if plain(key) && plain(value) && key != edited && says_so && unquoted(properties, edited) {
            found.push((line, start..start + line.trim_end().len()));
        }
    }
    found
}

/// Whether the value of `key` cannot contain a line that looks like a property.
fn unquoted(properties: &Map<String, Value>, key: &str) -> bool {
    match properties.get(key) {
        None => true,
        Some(value) => !value.to_string().contains(':'),
    }
}

//! Reads exports in JSON and JSON Lines.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::record::{Export, ImportEdge, ImportRecord, text_of};
use super::sources::ImportSource;

/// Keys of lists of records and relations.
const LISTS: &str =
    "memories results nodes topics points entities relationships relations edges data items";

// Keys of a relation.
const FROM: &str = "source_id from source from_id";
const TO: &str = "target_id to target to_id";
const LABEL: &str = "relationType relation_type edge kind type";
const WEIGHT: &str = "weight strength score confidence similarity salience";
const REASON: &str = "reason context";
const OTHERS: &str = "properties edge_type";

use crate::run::prelude::*;

/// Adds the records of a JSON document or of JSON Lines to `export`.
pub(super) fn read(source: &ImportSource, file: &str, text: &str, export: &mut Export) {
    let text = &*with_exact_ids(text);
    let error = match serde_json::from_str(text) {
        Ok(document) => return read_document(source, file, document, export),
        Err(error) => error,
    };
    let numbered = text.lines().enumerate();
    let lines = numbered.filter(|(_, line)| !line.trim().is_empty());
    // A document of several lines has none that is a value at its beginning.
    let is_json = |(_, line): (usize, &str)| serde_json::from_str::<IgnoredAny>(line).is_ok();
    if !lines.clone().take(2).any(is_json) {
        return export.skip_unreadable(file, reason(&error));
    }
    for (number, line) in lines {
        let origin = format!("{file}:{}", number + 1);
        match serde_json::from_str(line) {
            Ok(item) => read_item(source, &origin, item, export),
            Err(error) => export.skip_unreadable(&origin, reason(&error)),
        }
    }
}

/// Returns JSON with whole numbers that 64 bits do not hold as texts. They are ids, and a float loses digits.
fn with_exact_ids(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let (mut exact, mut copied, mut at) = (String::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|byte| *byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'-' | b'0'..=b'9' => {
                let is_part =
                    |byte: &&u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let length = bytes[at..].iter().take_while(is_part).count();
                let number = &text[at..at + length];
                if is_above_64_bits(number) {
                    let _ = write!(exact, "{}\"{number}\"", &text[copied..at]);
                    copied = at + length;
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return text.into();
    }
    exact.push_str(&text[copied..]);
    exact.into()
}

/// Returns whether a whole number of JSON is too large for 64 bits.
fn is_above_64_bits(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    digits.len() > 18
        && !digits.starts_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && number.parse::<i64>().is_err()
        && number.parse::<u64>().is_err()
}

/// Returns why a text is no JSON.
fn reason(error: &serde_json::Error) -> String {
    let problem = if error.is_eof() { "cut off" } else { "no JSON" };
    format!("{problem}: {error}")
}

fn read_document(source: &ImportSource, file: &str, document: Value, export: &mut Export) {
    let lists: Vec<(String, Vec<Value>)> = match document {
        Value::Array(items) => vec![(String::new(), items)],
        Value::Object(mut map) => {
            let lists = LISTS.split(' ').filter_map(|key| match map.remove(key)? {
                Value::Array(items) => Some((format!("{key}."), items)),
                _ => None,
            });
            let lists: Vec<_> = lists.collect();
            if lists.is_empty() {
                return read_item(source, file, Value::Object(map), export);
            }
            lists
        }
        _ => return read_item(source, file, document, export),
    };
    for (key, items) in lists {
        for (number, item) in items.into_iter().enumerate() {
            read_item(source, &format!("{file}#{key}{number}"), item, export);
        }
    }
}

fn read_item(source: &ImportSource, origin: &str, item: Value, export: &mut Export) {
    let Value::Object(mut map) = item else {
        return export.skip_unreadable(origin, "not an object");
    };
    if let Some(edge) = edge(&map) {
        export.edges.push(edge);
        return;
    }
    let labels = map.get("labels").and_then(Value::as_array).cloned();
    if let Some(labels) = labels.filter(|labels| !labels.contains(&"Memory".into())) {
        return export.skip(
            origin,
            format!("a node {}, not a memory", Value::Array(labels)),
        );
    }
    for key in ["properties", "payload"] {
        if let Some(Value::Object(inner)) = map.remove(key) {
            map.remove("labels");
            if inner.contains_key("id") {
                map.remove("id")
                    .map(|id| map.insert("graph_id".to_owned(), id));
            }
            map.extend(inner);
        }
    }
    if source.name == "server-memory" {
        map.remove("type");
    }
    let mut record = ImportRecord::of(map, &source.fields, origin);
    if source.name == "server-memory" {
        record.title = Some(record.id.clone());
        // Programs that append to the file repeat an entity to add observations.
        let next = export.records.len();
        let first = *export.entities.entry(record.id.clone()).or_insert(next);
        if let Some(first) = export.records.get_mut(first) {
            return first.merge(record);
        }
    }
    export.records.push(record);
}

/// Returns the relation that `map` states, if it is one.
pub(super) fn edge(map: &Map<String, Value>) -> Option<ImportEdge> {
    let end = |keys: &str| keys.split(' ').find_map(|key| text_of(map.get(key)?));
    let (from, to) = (end(FROM)?, end(TO)?);
    let inner = map.get("properties").and_then(Value::as_object);
    let of_either = |key: &str| map.get(key).or_else(|| inner?.get(key));
    let own_label = LABEL.split(' ').find_map(|key| map.get(key)?.as_str());
    let label = match own_label {
        // AutoMem's discovered relations have the kind as a property.
        Some("DISCOVERED") => of_either("kind").and_then(Value::as_str),
        label => label,
    };
    let keys = map.keys().chain(inner.into_iter().flat_map(Map::keys));
    let known = [FROM, TO, LABEL, WEIGHT, REASON, OTHERS];
    let is_known = |key: &String| known.iter().any(|keys| keys.split(' ').any(|it| it == key));
    Some(ImportEdge {
        from,
        to,
        has_more: keys.into_iter().any(|key| !is_known(key)),
        label: label.unwrap_or("related_to").to_owned(),
        weight: WEIGHT.split(' ').find_map(|key| of_either(key)?.as_f64()),
        reason: REASON.split(' ').find_map(|key| text_of(of_either(key)?)),
        raw: Value::Object(map.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_above_64_bits_keep_their_digits() {
        for (json, exact) in [
            ("123456789012345678901", r#""123456789012345678901""#),
            (r"[-9223372036854775809,1]", r#"["-9223372036854775809",1]"#),
            ("18446744073709551616", r#""18446744073709551616""#),
        ] {
            assert_eq!(with_exact_ids(json), exact);
        }
        for same in [
            "18446744073709551615",
            "-9223372036854775808",
            "0.12345678901234567890123",
            "123456789012345678901e2",
            "000000000000000000000001",
            r#"{"a\"": "\\", "é": "x 123456789012345678901 \" 123456789012345678901"}"#,
            r#""cut 123456789012345678901\"#,
        ] {
            assert_eq!(with_exact_ids(same), same);
        }
    }
}

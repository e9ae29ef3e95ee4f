//! Checks that a merge loses nothing, by an independent reading
//! ([`loss_check`](crate::note::markdown::loss_check)). A merge with missing content is refused.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::properties::{FrontMatterText, property_line};
use crate::note::front_matter::property;
use crate::note::front_matter::split::FrontMatterLanguage;
use crate::signals::fields::MergeRule;
use crate::signals::property_merge::value_line;
use crate::signals::{Field, moment_of};

/// The properties and front matter of a note to be compared.
pub(super) struct NoteContent<'a> {
    pub(super) properties: &'a Map<String, Value>,
    pub(super) front: FrontMatterText<'a>,
    pub(super) title: &'a str,
    /// Whether this is the keeper, whose own lines a merge never rewrites.
    pub(super) is_keeper: bool,
}

/// Returns a property of a source that is missing from `result`, the changed note with front matter
/// `keeper`.
pub(super) fn missing_property(
    source: &NoteContent<'_>,
    keeper: FrontMatterText<'_>,
    result: &NoteContent<'_>,
) -> Option<String> {
    let spelled = |key: &str| property::spelled(result.properties, key);
    let all = |key: &str| -> Vec<String> {
        let values = spelled(key).map(|(_, value)| value);
        values.flat_map(leaves).collect()
    };
    let mut names = vec![result.title.to_lowercase()];
    names.extend(
        ["aliases", "id", "title"]
            .into_iter()
            .flat_map(all)
            .map(|name| name.trim().to_lowercase()),
    );
    let aside = all("merged");
    for (key, value) in source.properties.iter().filter(|(key, _)| *key != "mem") {
        let here = all(key);
        let name = property::standard_name(key);
        let is_name = matches!(name, "title" | "id" | "aliases");
        // The merge sets a later date because it changes the note.
        let has_later_date = |leaf: &str| {
            let moment = |text: &str| moment_of(&Value::from(text));
            Field::merge_of(key) == MergeRule::Latest
                && here
                    .iter()
                    .any(|later| moment(later) > moment(leaf) && moment(leaf).is_some())
        };
        for leaf in leaves(value) {
            let is_tag = || {
                let known: BTreeSet<String> = here.iter().flat_map(|known| tags(known)).collect();
                name == "tags" && tags(&leaf).is_subset(&known)
            };
            let is_there = here.contains(&leaf)
                || is_name && names.contains(&leaf.trim().to_lowercase())
                || aside
                    .iter()
                    .any(|line| contains_value(line, key, value, &leaf))
                || is_tag()
                || has_later_date(&leaf);
            if !is_there {
                return Some(format!("the property `{key}: {leaf}`"));
            }
            let is_number = matches!(value, Value::Number(_)) && !source.is_keeper;
            if is_number && !source.front.text.contains(&leaf) {
                return Some(format!("the spelling of the property `{key}`"));
            }
        }
        let is_empty = value.is_null() && name != "aliases";
        let has_null = result.front.language != FrontMatterLanguage::Toml;
        if is_empty && has_null && spelled(key).next().is_none() {
            return Some(format!("the property `{key}`"));
        }
    }
    let (ours, kept) = (keeper.spellings(), result.front.spellings());
    for (key, texts) in source.front.spellings() {
        let has = |of: &BTreeMap<_, BTreeSet<_>>, spelled: &(String, bool)| {
            of.get(&key).is_some_and(|texts| texts.contains(spelled))
        };
        for (text, quoted) in texts {
            let other = (text, !quoted);
            let stated = property_line(&key, &other.0, quoted);
            if has(&ours, &other) && !has(&kept, &(other.0, quoted)) && !aside.contains(&stated) {
                return Some(format!("the property `{stated}`"));
            }
        }
    }
    let comments = comment_texts(source.front);
    let kept = comment_texts(result.front);
    // A comment of another property is kept together with its context.
    let is_kept = |lost: &String| {
        let mut kept = kept.iter();
        kept.any(|kept| kept == lost || kept.ends_with(&format!("# {lost}")))
    };
    let mut lost = comments.iter().filter(|comment| !is_kept(comment));
    lost.next()
        .map(|comment| format!("the comment `# {comment}`"))
}

/// Returns the tags in a text: a single one or a list in one string.
fn tags(text: &str) -> BTreeSet<String> {
    let tags = text.split([',', ' ']);
    let bare = tags.map(|tag| tag.trim().trim_start_matches('#').to_lowercase());
    bare.filter(|tag| !tag.is_empty()).collect()
}

/// Whether a line of `merged` contains all of `value`, or its `leaf`, quoted or not.
fn contains_value(line: &str, key: &str, value: &Value, leaf: &str) -> bool {
    let one = [false, true].map(|quoted| property_line(key, leaf, quoted));
    line == value_line(key, value) || one.iter().any(|one| one == line)
}

/// Returns the scalar values in a value, as text.
fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => {
            let of_item = |item: &Value| match item {
                Value::Null => vec!["null".to_owned()],
                item => leaves(item),
            };
            items.iter().flat_map(of_item).collect()
        }
        Value::Object(entries) => entries.values().flat_map(leaves).collect(),
        one => vec![one.to_string()],
    }
}

/// Returns the texts of the comments.
fn comment_texts(front: FrontMatterText<'_>) -> Vec<String> {
    let comments = front.comments().into_iter();
    let texts = comments.map(|(comment, _)| comment.trim_start_matches('#').trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn a_missing_property_is_named() {
        for (name, source, result, missing) in [
            ("nothing", "a: 1", "a: 1", None),
            ("a value", "a: x", "a: y", Some("the property `a: x`")),
            ("aside", "a: x", "a: y\nmerged: ['a: x']", None),
            (
                "a part of what is aside",
                "a: x",
                "a: y\nmerged: ['a: xy']",
                Some("the property `a: x`"),
            ),
            (
                "a map aside",
                "a: {b: x}",
                "a: y\nmerged: ['a: {\"b\":\"x\"}']",
                None,
            ),
            (
                "a part of a tag",
                "tags: [tea]",
                "tags: [green-tea]",
                Some("the property `tags: tea`"),
            ),
            (
                "tags in a row",
                "tags: '#Tea, mug'",
                "tags: [mug, tea]",
                None,
            ),
            (
                "an item",
                "a: [x, y]",
                "a: [y]",
                Some("the property `a: x`"),
            ),
            (
                "the other date",
                "created: 2026-01-02",
                "created: 2026-01-01",
                Some("the property `created: 2026-01-02`"),
            ),
            (
                "the other rating",
                "importance: 0.2",
                "importance: 0.9",
                Some("the property `importance: 0.2`"),
            ),
            (
                "written later",
                "updated: 2026-01-01",
                "updated: 2026-01-02",
                None,
            ),
            (
                "written earlier",
                "updated: 2026-01-02",
                "updated: 2026-01-01",
                Some("the property `updated: 2026-01-02`"),
            ),
            ("a name", "title: Old", "aliases: [old]", None),
            (
                "an end",
                "expires: 2026-01-01",
                "b: 1",
                Some("the property `expires: 2026-01-01`"),
            ),
            (
                "a comment",
                "a: 1 # why",
                "a: 1",
                Some("the comment `# why`"),
            ),
            ("no comment", "a: 'b # c'", "a: \"b # c\"", None),
            (
                "a text of lines",
                "a: |\n  # b\n  c # d\n",
                "a: \"# b\\nc # d\\n\"",
                None,
            ),
            ("nothing said", "a:", "b: 1", Some("the property `a`")),
            (
                "nothing in a list",
                "a: [x, ~]",
                "a: [x]",
                Some("the property `a: null`"),
            ),
            (
                "a number in quotes",
                "a: [x, 007]",
                "a: [x, \"007\"]",
                Some("the property `a: 007`"),
            ),
            (
                "of both kinds",
                "a: \"007\"",
                "a: 007\nmerged: ['a: \"007\"']",
                None,
            ),
        ] {
            let parsed = [source, result]
                .map(|text| crate::note::front_matter::matter::parse(text).unwrap());
            let content = |number: usize, text| NoteContent {
                properties: &parsed[number],
                front: FrontMatterText::yaml(text),
                title: "Key",
                is_keeper: false,
            };
            let keeper = FrontMatterText::yaml(result);
            let found = missing_property(&content(0, source), keeper, &content(1, result));
            assert_eq!(found.as_deref(), missing, "{name}");
        }
    }
}

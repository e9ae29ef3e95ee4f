//! Merges the properties of notes by one rule per attribute, so that no value is lost.
//!
//! | property | merged |
//! |---|---|
//! | `title`, `id`, `aliases` | the keeper's; those of the other become aliases |
//! | `tags`, any list, any link | union as a list, the keeper's first |
//! | a field of [`crate::signals::fields`] | by the field's merge rule; the other value is added to `merged` |
//! | `mem` | counts are summed, times take the latest, strengths the largest |
//! | `updated` | set if the body changes |
//! | any other | the keeper's, or the other's if the keeper has none; a different value, also `007` and `"007"`, is added to the list `merged` as `key: value` |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::note;
use crate::note::front_matter::property;
use crate::note::front_matter::split::FrontMatterLanguage;
use crate::note::front_matter::verbatim;
use crate::note::front_matter::verbatim::PropertySource;
use crate::note::{Edit, Note, number_of, whole_wikilink};
use crate::signals::moment_of;
use crate::signals::property_merge::{dropped_values, is_name, merge_property, union};

type Properties = Map<String, Value>;

/// The property that lists values not kept anywhere else in the keeper.
const MERGED_KEY: &str = "merged";

/// Merges the properties of `other` into the `keeper`'s; `other_title` is its title, if its author
/// set one.
pub(super) fn merge(
    keeper: &Properties,
    keeper_title: &str,
    other: &Properties,
    other_title: Option<&str>,
) -> Properties {
    let other = &*property::spelled_as(other, keeper);
    let mut merged = keeper.clone();
    let keys = other.keys().chain(keeper.keys());
    for key in keys.filter(|key| *key != "mem" && !is_name(key, other)) {
        match merge_property(key, keeper, other).value {
            Some(value) => {
                merged.insert(key.clone(), value);
            }
            // A null stays; an expiry that only one note has is dropped.
            None if keeper.get(key).is_some_and(|value| !value.is_null()) => {
                merged.remove(key);
            }
            None => {}
        }
    }
    if let Some(theirs) = other.get("mem")
        && let Some(state) = merge_learned(keeper.get("mem"), theirs)
    {
        merged.insert("mem".to_owned(), state);
    }
    let id = note::text_of(other, "id").filter(|_| is_name("id", other));
    match (id, keeper.get("id").is_some_and(|id| !id.is_null())) {
        (Some(id), true) => add_aliases(&mut merged, keeper_title, [id].into_iter()),
        (Some(_), false) => {
            merged.insert("id".to_owned(), other["id"].clone());
        }
        (None, _) => {}
    }
    for (key, _) in property::spelled(other, "aliases").filter(|(key, _)| is_name(key, other)) {
        let names = note::list_of(other, key);
        add_aliases(&mut merged, keeper_title, names.into_iter());
    }
    let titles = other_title.map(str::to_owned).into_iter();
    add_aliases(&mut merged, keeper_title, titles);
    let aside = dropped_values(keeper, other);
    add_to_merged(&mut merged, aside.into_iter().map(Value::from).collect());
    merged
}

/// Returns a link in a map of `other` that `merged` has only as text.
pub(super) fn lost_link(other: &Properties, merged: &Properties) -> Option<String> {
    let is_text = |(key, value): &(&String, &Value)| {
        value.is_object() && *key != "mem" && merged.get(*key).is_some_and(|kept| kept != *value)
    };
    other
        .iter()
        .filter(is_text)
        .find_map(|(_, value)| first_link(value))
}

fn first_link(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => whole_wikilink(text).map(|link| link.to_string()),
        Value::Array(items) => items.iter().find_map(first_link),
        Value::Object(map) => map.values().find_map(first_link),
        _ => None,
    }
}

fn add_aliases(
    properties: &mut Properties,
    keeper_title: &str,
    names: impl Iterator<Item = String>,
) {
    let key = property::spelling(properties, "aliases").to_owned();
    let mut aliases = note::list_of(properties, &key);
    let before = aliases.len();
    for name in names {
        let known = aliases.iter().map(String::as_str).chain([keeper_title]);
        if !known
            .into_iter()
            .any(|known| known.eq_ignore_ascii_case(&name))
        {
            aliases.push(name);
        }
    }
    if aliases.len() > before {
        properties.insert(key, aliases.into());
    }
}

/// Merges learned state; `None` if the keeper's stays unchanged.
fn merge_learned(ours: Option<&Value>, theirs: &Value) -> Option<Value> {
    let theirs = theirs.as_object()?;
    let ours = match ours {
        // The author and seal of the other note do not apply to the keeper.
        None => {
            let mut learned = theirs.clone();
            learned.retain(|key, _| !matches!(key.as_str(), "by" | "seal"));
            return (!learned.is_empty()).then_some(Value::Object(learned));
        }
        Some(ours) => ours.as_object()?,
    };
    let mut merged = ours.clone();
    for (key, value) in theirs {
        let Some(mine) = ours.get(key) else {
            merged.insert(key.clone(), value.clone());
            continue;
        };
        let better = match key.as_str() {
            "by" | "seal" => None,
            "accesses" => match (mine.as_i64(), value.as_i64()) {
                (Some(mine), Some(theirs)) => Some((mine + theirs).into()),
                _ => None,
            },
            "last" | "reviewed" => (moment_of(value) > moment_of(mine)).then(|| value.clone()),
            _ if mine.is_array() => Some(union(key, mine, value)),
            _ => (number_of(value) > number_of(mine)).then(|| value.clone()),
        };
        if let Some(better) = better {
            merged.insert(key.clone(), better);
        }
    }
    (merged != *ours).then_some(Value::Object(merged))
}

/// The text of a front matter.
#[derive(Clone, Copy)]
pub(super) struct FrontMatterText<'t> {
    pub(super) text: &'t str,
    pub(super) language: FrontMatterLanguage,
}

impl<'t> FrontMatterText<'t> {
    pub(super) fn of(text: &'t str, note: &Note) -> Self {
        note.block.as_ref().map_or(Self::yaml(""), |block| Self {
            text: &text[block.inner.clone()],
            language: block.language,
        })
    }

    pub(super) fn yaml(text: &'t str) -> Self {
        Self {
            text,
            language: FrontMatterLanguage::Yaml,
        }
    }

    pub(super) fn comments(self) -> Vec<(String, String)> {
        verbatim::comments(self.text, self.language)
    }

    /// Returns the spellings of values that look like numbers.
    pub(super) fn spellings(self) -> BTreeMap<String, BTreeSet<(String, bool)>> {
        match self.language {
            FrontMatterLanguage::Yaml => verbatim::spellings(self.text),
            FrontMatterLanguage::Toml | FrontMatterLanguage::Json | FrontMatterLanguage::Code => {
                BTreeMap::new()
            }
        }
    }
}

/// Returns values that only one of the two notes quotes, as `key: value` in the spelling of
/// `other`.
pub(super) fn quoting_differences(
    keeper: FrontMatterText<'_>,
    other: FrontMatterText<'_>,
) -> Vec<Value> {
    let ours = keeper.spellings();
    let mut quoting_differences = Vec::new();
    for (key, theirs) in other.spellings() {
        let Some(ours) = ours.get(&key) else { continue };
        for (text, quoted) in theirs.difference(ours) {
            if ours.contains(&(text.clone(), !quoted)) {
                quoting_differences.push(Value::from(property_line(&key, text, *quoted)));
            }
        }
    }
    quoting_differences
}

/// Returns a property as one line, with quotes if it is quoted.
pub(super) fn property_line(key: &str, text: &str, quoted: bool) -> String {
    let quote = if quoted { "\"" } else { "" };
    format!("{key}: {quote}{text}{quote}")
}

/// Adds values to the `merged` property.
pub(super) fn add_to_merged(properties: &mut Properties, aside: Vec<Value>) {
    if !aside.is_empty() {
        let kept = properties.get(MERGED_KEY).cloned().unwrap_or_default();
        properties.insert(
            MERGED_KEY.to_owned(),
            union(MERGED_KEY, &kept, &aside.into()),
        );
    }
}

/// Lines of other notes copied unchanged into the keeper's front matter.
#[derive(Debug, Default)]
pub(super) struct CopiedLines {
    lines: String,
    keys: Vec<String>,
    /// Comments on list items.
    comments: Vec<Edit>,
}

impl CopiedLines {
    /// Copies properties and comments from the front matter `other` (values `theirs`) that `keeper`
    /// lacks.
    ///
    /// Copies the lines of properties whose value is unchanged in `after`, with their spelling, and
    /// all comments. Fails with the key of a property that cannot be copied.
    pub(super) fn add(
        &mut self,
        [keeper, other]: [FrontMatterText<'_>; 2],
        [before, theirs, after]: [&Properties; 3],
    ) -> Result<(), String> {
        let theirs = &*property::spelled_as(theirs, before);
        if [keeper.language, other.language] != [FrontMatterLanguage::Yaml; 2] {
            self.add_comments(keeper, other, |_, _| None);
            return Ok(());
        }
        let (properties, rest) = verbatim::properties(other.text);
        for written in properties {
            let PropertySource { key, lines } = &written;
            let key = &property::spelling(before, key).to_owned();
            if written.is_tied() && before.get(key) != theirs.get(key) {
                return Err(key.clone());
            }
            let is_new = !before.contains_key(key) && !self.keys.contains(key);
            let alone = note::front_matter::matter::parse(lines).unwrap_or_default();
            let is_whole = alone.len() == 1 && alone.get(key) == after.get(key);
            if is_new && is_whole && theirs.get(key) == after.get(key) {
                self.keys.push(key.clone());
                self.lines.push_str(lines);
                if !lines.ends_with('\n') {
                    self.lines.push('\n');
                }
            } else {
                let of_item = |comment: &str, line: &str| {
                    let about = line.strip_prefix("# - ")?.strip_suffix(comment)?.trim_end();
                    let item = note::front_matter::matter::parse(&format!("{key}: {about}"))
                        .ok()?
                        .remove(key)?;
                    let items = after.get(key).and_then(Value::as_array)?;
                    items.contains(&item).then(|| Edit::Comment {
                        key: key.as_str().into(),
                        item,
                        comment: comment.to_owned(),
                    })
                };
                self.add_comments(keeper, FrontMatterText::yaml(lines), of_item);
            }
        }
        self.add_comments(keeper, FrontMatterText::yaml(rest), |_, _| None);
        Ok(())
    }

    /// Copies the comments on properties of `keeper` that are not in `after`; those above a property stay.
    pub(super) fn keep_comments(&mut self, keeper: FrontMatterText<'_>, after: &Properties) {
        if keeper.language != FrontMatterLanguage::Yaml {
            return;
        }
        for PropertySource { key, lines } in verbatim::properties(keeper.text).0 {
            let is_above = |line: &&str| line.trim().is_empty() || line.starts_with('#');
            let above = lines.split_inclusive('\n').take_while(is_above);
            let start = above.map(str::len).sum();
            let own = FrontMatterText::yaml(&lines[start..]);
            for (_, line) in own.comments().iter().filter(|_| !after.contains_key(&key)) {
                self.lines.push_str(line);
                self.lines.push('\n');
            }
        }
    }

    /// Adds the comments in `lines` that are not present yet.
    ///
    /// `place` may return an edit with a better position, given the comment alone and with its
    /// context.
    fn add_comments(
        &mut self,
        keeper: FrontMatterText<'_>,
        lines: FrontMatterText<'_>,
        place: impl Fn(&str, &str) -> Option<Edit>,
    ) {
        // JSON has no comments.
        if keeper.language == FrontMatterLanguage::Json {
            return;
        }
        for (comment, line) in lines.comments() {
            let has = |lines: FrontMatterText<'_>| {
                let mut known = lines.comments().into_iter();
                known.any(|(comment, whole)| comment == line || whole == line)
            };
            if has(keeper) || has(FrontMatterText::yaml(&self.lines)) {
                continue;
            }
            if let Some(edit) = place(&comment, &line) {
                self.comments.push(edit);
            } else {
                self.lines.push_str(&line);
                self.lines.push('\n');
            }
        }
    }

    /// Returns the edits that change properties `before` to `after`.
    pub(super) fn edits(self, before: &Properties, after: &Properties) -> Vec<Edit> {
        let mut after = after.clone();
        after.retain(|key, _| !self.keys.contains(key));
        let mut edits = edits(before, &after);
        edits.extend(self.comments);
        if !self.lines.is_empty() {
            edits.push(Edit::Copy { lines: self.lines });
        }
        edits
    }
}

/// Returns the edits that change properties `before` to `after`.
fn edits(before: &Properties, after: &Properties) -> Vec<Edit> {
    let mut edits = Vec::new();
    for key in before.keys().filter(|key| !after.contains_key(*key)) {
        edits.push(Edit::Unset { key: key.into() });
    }
    for (key, value) in after {
        match (before.get(key), value) {
            (Some(old), new) if old == new => {}
            (Some(Value::Array(old)), Value::Array(new)) if new.starts_with(old) => {
                let added = new[old.len()..].iter();
                edits.extend(added.map(|value| Edit::append(key, value.clone())));
            }
            _ => edits.push(Edit::set(key, value.clone())),
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table")]
    fn every_attribute_has_its_rule() {
        for (name, ours, theirs, expected) in [
            (
                "lists unite",
                json!({"tags": ["a"]}),
                json!({"tags": ["b", "a"]}),
                json!({"tags": ["a", "b"]}),
            ),
            (
                "a scalar joins a list",
                json!({"tags": "a"}),
                json!({"tags": ["b"]}),
                json!({"tags": ["a", "b"]}),
            ),
            (
                "names and tags in any case",
                json!({"Tags": ["a"], "Alias": "T"}),
                json!({"tags": "b", "aliases": ["U"]}),
                json!({"Tags": ["a", "b"], "Alias": ["T", "U"]}),
            ),
            (
                "links stay links",
                json!({"project": "[[A]]", "up": "x"}),
                json!({"project": "[[B|b]]", "up": "[[C]]"}),
                json!({"project": ["[[A]]", "[[B|b]]"], "up": ["x", "[[C]]"]}),
            ),
            (
                "unknown is copied",
                json!({}),
                json!({"mood": "calm"}),
                json!({"mood": "calm"}),
            ),
            (
                "unknown differs",
                json!({"mood": "calm"}),
                json!({"mood": "wild"}),
                json!({"mood": "calm", "merged": ["mood: wild"]}),
            ),
            (
                "a key without a value",
                json!({"a": null}),
                json!({"b": null}),
                json!({"a": null, "b": null}),
            ),
            (
                "nothing in a list",
                json!({"a": ["x"]}),
                json!({"a": ["x", null]}),
                json!({"a": ["x", null]}),
            ),
            (
                "the latest statement",
                json!({"created": "2026-01-01"}),
                json!({"created": "2026-02-02"}),
                json!({"created": "2026-02-02", "merged": ["created: 2026-01-01"]}),
            ),
            (
                "later stays",
                json!({"created": "2026-02-02"}),
                json!({"created": "2026-01-01"}),
                json!({"created": "2026-02-02", "merged": ["created: 2026-01-01"]}),
            ),
            (
                "earliest",
                json!({"date created": "2026-02-02"}),
                json!({"date created": "2026-01-01"}),
                json!({"date created": "2026-01-01", "merged": ["date created: 2026-02-02"]}),
            ),
            (
                "largest",
                json!({"importance": 0.2}),
                json!({"importance": 0.9}),
                json!({"importance": 0.9, "merged": ["importance: 0.2"]}),
            ),
            (
                "keep wins",
                json!({"keep": false}),
                json!({"keep": true}),
                json!({"keep": true, "merged": ["keep: false"]}),
            ),
            (
                "no end wins",
                json!({"expires": "2026-01-01"}),
                json!({}),
                json!({"merged": ["expires: 2026-01-01"]}),
            ),
            (
                "no end stays",
                json!({}),
                json!({"expires": "2026-01-01"}),
                json!({"merged": ["expires: 2026-01-01"]}),
            ),
            (
                "later end",
                json!({"expires": "2026-01-01"}),
                json!({"expires": "2027-01-01"}),
                json!({"expires": "2027-01-01", "merged": ["expires: 2026-01-01"]}),
            ),
            (
                "a second id is a name",
                json!({"id": "A"}),
                json!({"id": "B"}),
                json!({"id": "A", "aliases": ["B"]}),
            ),
            (
                "other properties are kept",
                json!({"title": "Keeper"}),
                json!({"title": {"en": "Key"}}),
                json!({"title": "Keeper", "merged": ["title: {\"en\":\"Key\"}"]}),
            ),
            (
                "what was kept stays",
                json!({"mood": "calm", "merged": ["mood: wild"]}),
                json!({"mood": "shy", "merged": ["place: shed"]}),
                json!({"mood": "calm", "merged": ["mood: wild", "place: shed", "mood: shy"]}),
            ),
            (
                "learned",
                json!({"mem": {"by": "x", "accesses": 2, "stability": 3.0}}),
                json!({"mem": {"by": "y", "accesses": 5, "stability": 1.0}}),
                json!({"mem": {"by": "x", "accesses": 7, "stability": 3.0}}),
            ),
            (
                "a person's note is not sealed",
                json!({}),
                json!({"mem": {"by": "x", "seal": "0", "accesses": 2}}),
                json!({"mem": {"accesses": 2}}),
            ),
            (
                "nothing learned",
                json!({}),
                json!({"mem": {"by": "x", "seal": "0"}}),
                json!({}),
            ),
            (
                "aliases",
                json!({"aliases": ["T"]}),
                json!({"aliases": ["t", "U"]}),
                json!({"aliases": ["T", "U"]}),
            ),
        ] {
            let (ours, theirs) = (ours.as_object().unwrap(), theirs.as_object().unwrap());
            let merged = merge(ours, "Keeper", theirs, Some("keeper"));
            assert_eq!(Value::Object(merged), expected, "{name}");
        }
        let [ours, theirs] = [
            "a: 007\nb: [\"01\", 02]\nc: 1e3\n",
            "a: \"007\"\nb: [01, 02]\nd: 1e3\n",
        ]
        .map(FrontMatterText::yaml);
        assert_eq!(quoting_differences(ours, theirs), ["a: \"007\"", "b: 01"]);
        let renamed = merge(&Map::new(), "Keeper", &Map::new(), Some("Old name"));
        assert_eq!(Value::Object(renamed), json!({"aliases": ["Old name"]}));
    }

    #[test]
    fn comments_stay_with_their_items() {
        for (ours, theirs, expected) in [
            (
                "l:\n  - a\n  - c # mine\n",
                "l:\n  - b # why\n  - a # so\n  - c # theirs\n",
                "l:\n  - a # so\n  - c # mine\n  - b # why\n# l: \"c\" # theirs\n",
            ),
            (
                "l: [a]\n",
                "l:\n  - b # why\n",
                "l: [a, b]\n# l: \"b\" # why\n",
            ),
        ] {
            let [before, other] =
                [ours, theirs].map(|text| note::front_matter::matter::parse(text).unwrap());
            let after = merge(&before, "", &other, None);
            let mut copied = CopiedLines::default();
            let fronts = [ours, theirs].map(FrontMatterText::yaml);
            copied.add(fronts, [&before, &other, &after]).unwrap();
            let our_text = format!("---\n{ours}---\n");
            let text = note::edit::apply(&our_text, &copied.edits(&before, &after)).unwrap();
            assert_eq!(text, format!("---\n{expected}---\n"));
        }
    }
}

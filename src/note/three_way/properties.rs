//! Three-way merge of front matter by key.
//!
//! YAML is merged property by property with its comments; other languages, and YAML with anchors, by editing one side.

use std::borrow::Cow;

use jiff::{Timestamp, civil::Date};
use serde_json::{Map, Value};

use super::inline::by_lines;
use super::refusal::{Refusal, TextConflict, marked};
use super::sequence::{self, MergePiece, MergedText, Sequence, SequenceLevel, Shape};
use crate::note::edit;
use crate::note::front_matter::items::items;
use crate::note::front_matter::property::standard_name;
use crate::note::front_matter::split::{FrontMatterBlock, FrontMatterLanguage, NoteParts, split};
use crate::note::front_matter::{matter, seal, verbatim};
use crate::note::{Edit, Relation};

/// Merged front matter.
#[derive(Debug, Default)]
pub(super) struct MergedMatter {
    /// The block with its fences; empty without properties.
    pub block: String,
    pub conflicts: Vec<TextConflict>,
    /// Versions that the front matter cannot contain, for the start of the body.
    pub beside: String,
}

/// Merges the front matter of three notes with `\n` line ends.
pub(super) fn merge(base: &str, sides: [&str; 2]) -> MergedMatter {
    let notes = [base, sides[0], sides[1]];
    let parts = notes.map(split);
    let block = |at: usize| {
        let block = parts[at].block.as_ref();
        block.map_or("", |block| &notes[at][block.whole.clone()])
    };
    let [base_block, ours, theirs] = [block(0), block(1), block(2)];
    if ours == theirs || theirs == base_block {
        return whole(ours);
    }
    if ours == base_block {
        return whole(theirs);
    }
    let are_managed = sides.iter().all(|side| seal::is_sealed(side));
    by_property(&notes, &parts, are_managed)
        .or_else(|| by_edits(&notes, &parts, are_managed))
        .unwrap_or_else(|| {
            let refusal = Refusal::FrontMatter;
            MergedMatter {
                block: if ours.is_empty() { theirs } else { ours }.to_owned(),
                beside: marked(&refusal, ["", if ours.is_empty() { "" } else { theirs }]) + "\n",
                conflicts: vec![TextConflict {
                    refusal,
                    near: "---".to_owned(),
                }],
            }
        })
}

fn whole(block: &str) -> MergedMatter {
    MergedMatter {
        block: block.to_owned(),
        ..MergedMatter::default()
    }
}

/// Merges the source text of YAML properties.
fn by_property(
    notes: &[&str; 3],
    parts: &[NoteParts; 3],
    are_managed: bool,
) -> Option<MergedMatter> {
    let mut maps: [Map<String, Value>; 3] = Default::default();
    let mut sequences: [Sequence<'_>; 3] = Default::default();
    for at in 0..3 {
        maps[at] = match matter::of(notes[at], &parts[at]) {
            Ok(map) => map,
            // Both sides made it readable.
            Err(_) if at == 0 => continue,
            Err(_) => return None,
        };
        let Some(block) = &parts[at].block else {
            continue;
        };
        if block.language != FrontMatterLanguage::Yaml {
            return None;
        }
        sequences[at] = sequence(&notes[at][block.inner.clone()], &maps[at])?;
    }
    let rules = ValueRules::of([&maps[1], &maps[2]], are_managed);
    let [base, ours, theirs] = &sequences;
    let level = Properties { rules, maps: &maps };
    let MergedText { text, conflicts } = sequence::merge(&level, base, [ours, theirs]).ok()?;
    let inner = if text.is_empty() || text.ends_with('\n') {
        text
    } else {
        text + "\n"
    };
    let mut expected = matter::parse(&inner).ok()?;
    for key in maps.iter().skip(1).flat_map(Map::keys) {
        expected.remove(key);
    }
    if !expected.is_empty() {
        return None;
    }
    let fences = [1, 2, 0]
        .into_iter()
        .find_map(|at| Some((at, parts[at].block.as_ref()?)));
    let (at, block) = fences?;
    let is_removed = inner.is_empty() && parts[1..].iter().any(|parts| parts.block.is_none());
    let note = notes[at];
    let (opening, closing) = (
        &note[block.whole.start..block.inner.start],
        &note[block.inner.end..block.whole.end],
    );
    let block = if is_removed {
        String::new()
    } else {
        format!("{opening}{inner}{closing}")
    };
    Some(MergedMatter {
        block,
        conflicts,
        beside: String::new(),
    })
}

/// Returns the properties as pieces; `None` if their lines do not parse alone.
fn sequence<'t>(yaml: &'t str, map: &Map<String, Value>) -> Option<Sequence<'t>> {
    let (properties, rest) = verbatim::properties(yaml);
    let is_whole = properties.len() == map.len()
        && properties
            .iter()
            .all(|property| map.contains_key(&property.key) && !property.is_tied());
    if !is_whole {
        return None;
    }
    let rest = (!rest.is_empty()).then_some((String::new(), rest));
    let lines = properties
        .into_iter()
        .map(|property| (property.key, property.lines));
    let pieces = lines.chain(rest).map(|(key, lines)| {
        let text = lines.strip_suffix('\n').unwrap_or(lines);
        MergePiece {
            id: Cow::Owned(key),
            text,
            gap: "\n",
            depth: 0,
            shape: Shape::Line,
        }
    });
    Some(Sequence {
        lead: "",
        pieces: pieces.collect(),
    })
}

/// The properties of YAML front matter as pieces.
struct Properties<'m> {
    rules: ValueRules,
    maps: &'m [Map<String, Value>; 3],
}

impl SequenceLevel for Properties<'_> {
    const IS_KEYED: bool = true;

    fn merge(
        &self,
        base: Option<&MergePiece<'_>>,
        sides: [&MergePiece<'_>; 2],
    ) -> Result<String, Refusal> {
        let key = &*sides[0].id;
        let refused = || Refusal::Property(key.to_owned());
        let texts = [
            base.map_or("", |base| base.text),
            sides[0].text,
            sides[1].text,
        ];
        let values = self.maps.each_ref().map(|map| map.get(key));
        let merged_value = match values {
            // Comments below the last property.
            [_, None, None] => return by_lines(texts),
            [base, Some(ours), Some(theirs)] => self.rules.value(&[key], base, [ours, theirs]),
            _ => None,
        };
        let value = merged_value.ok_or_else(refused)?;
        let is_right = |lines: &str| {
            matter::parse(lines).is_ok_and(|map| map.len() == 1 && map.get(key) == Some(&value))
        };
        // Lines keep the comments of both sides.
        if let Ok(lines) = by_lines(texts)
            && is_right(&lines)
        {
            return Ok(lines);
        }
        // The text with more comments, and then either, but the same on every machine.
        let comments = |text: &str| verbatim::comments(text, FrontMatterLanguage::Yaml).len();
        let source = sides
            .map(|side| side.text)
            .into_iter()
            .max_by_key(|text| (comments(text), *text));
        let note = format!("---\n{}\n---\n", source.unwrap_or_default());
        let edited = edit::apply(&note, &[Edit::set(key, value.clone())]).map_err(|_| refused())?;
        let yaml = edited
            .strip_prefix("---\n")
            .and_then(|text| text.strip_suffix("\n---\n"));
        let lines = yaml.filter(|lines| is_right(lines)).ok_or_else(refused)?;
        Ok(lost_comments(texts, lines, FrontMatterLanguage::Yaml) + lines)
    }

    /// Keeps the property of one side as it is, and that of the other in comments.
    fn conflict(&self, refusal: &Refusal, [ours, theirs]: [&str; 2]) -> Option<String> {
        // If one side removed the property, the value of the other counts.
        let lines = |text: &str, sign: &str| -> String {
            let lines = text.lines().map(|line| format!("{sign}{line}\n"));
            lines.collect()
        };
        let sign = if ours.is_empty() { "" } else { "# " };
        let (ours, theirs) = (lines(ours, ""), lines(theirs, sign));
        Some(format!(
            "# <<<<<<< ours (refused_by: {refusal})\n{ours}# =======\n{theirs}# >>>>>>> theirs"
        ))
    }
}

/// Returns the comments that a side added and `merged` lacks, each on a line with the text it refers to.
fn lost_comments(
    [base, ours, theirs]: [&str; 3],
    merged: &str,
    language: FrontMatterLanguage,
) -> String {
    let comments = |text: &str| verbatim::comments(text, language);
    let mut sides = [ours, theirs];
    sides.sort_unstable();
    let mut known: Vec<String> = Vec::new();
    for text in [base, merged] {
        known.extend(comments(text).into_iter().map(|(comment, _)| comment));
    }
    let mut lost = String::new();
    for (comment, line) in sides.into_iter().flat_map(comments) {
        if !known.contains(&comment) {
            lost.push_str(&line);
            lost.push('\n');
            known.push(comment);
        }
    }
    lost
}

/// Merges front matter by setting the values of one side in the text of the other.
fn by_edits(notes: &[&str; 3], parts: &[NoteParts; 3], are_managed: bool) -> Option<MergedMatter> {
    let maps = [0, 1, 2].map(|at| matter::of(notes[at], &parts[at]).ok());
    let [base, Some(ours), Some(theirs)] = &maps else {
        return None;
    };
    let rules = ValueRules::of([ours, theirs], are_managed);
    let merged = rules.map(&[], base.as_ref(), [ours, theirs])?;
    let canvas = [1, 2]
        .into_iter()
        .max_by_key(|at| (parts[*at].block.is_some(), notes[*at]))?;
    let known = maps[canvas].as_ref()?;
    let unset_keys = known.keys().filter(|key| !merged.contains_key(*key));
    let unset = unset_keys.map(|key| Edit::Unset {
        key: key.as_str().into(),
    });
    let set = merged
        .iter()
        .filter(|(key, value)| known.get(*key) != Some(value))
        .map(|(key, value)| Edit::set(key.as_str(), value.clone()));
    let block = parts[canvas].block.as_ref()?;
    let text = &notes[canvas][..block.whole.end];
    let mut edits: Vec<Edit> = unset.chain(set).collect();
    let inner = |at: usize| {
        let block: Option<&FrontMatterBlock> = parts[at].block.as_ref();
        block.map_or("", |block| &notes[at][block.inner.clone()])
    };
    let lines = lost_comments([0, 1, 2].map(inner), inner(canvas), block.language);
    if !lines.is_empty() {
        edits.push(Edit::Copy { lines });
    }
    Some(whole(&edit::apply(text, &edits).ok()?))
}

/// Rules for values that differ on all sides.
struct ValueRules {
    /// Which of two managed notes was updated last.
    newer: Option<std::cmp::Ordering>,
}

impl ValueRules {
    /// Compares when managed notes were updated.
    fn of(sides: [&Map<String, Value>; 2], are_managed: bool) -> Self {
        let newer = match sides.map(|map| map.get("updated").and_then(moment)) {
            [Some(ours), Some(theirs)] if are_managed => Some(ours.cmp(&theirs)),
            _ => None,
        };
        Self { newer }
    }

    /// Merges two values at a path of keys; `None` is a conflict.
    fn value(
        &self,
        path: &[&str],
        base: Option<&Value>,
        [ours, theirs]: [&Value; 2],
    ) -> Option<Value> {
        if ours == theirs || base == Some(theirs) {
            return Some(ours.clone());
        }
        if base == Some(ours) {
            return Some(theirs.clone());
        }
        let key = path.last().copied().unwrap_or_default();
        let is_machine = path.first() == Some(&"mem");
        let may_be_list = path.len() == 1
            && (matches!(standard_name(key), "tags" | "aliases" | "cssclasses")
                || Relation::named(key).is_some());
        match (ours, theirs) {
            (Value::Object(ours), Value::Object(theirs)) => {
                let base = base.and_then(Value::as_object);
                self.map(path, base, [ours, theirs]).map(Value::Object)
            }
            (Value::Array(_), Value::Array(_)) => Some(union(key, base, [ours, theirs])),
            _ if may_be_list => Some(union(key, base, [ours, theirs])),
            _ if is_machine || standard_name(key) == "updated" => {
                let text = Value::to_string;
                let greater = match (moment(ours), moment(theirs)) {
                    (Some(one), Some(other)) => one >= other,
                    _ => match (ours.as_f64(), theirs.as_f64()) {
                        (Some(one), Some(other)) => one >= other,
                        _ if is_machine => text(ours) >= text(theirs),
                        _ => return None,
                    },
                };
                Some(if greater { ours } else { theirs }.clone())
            }
            _ => match self.newer? {
                std::cmp::Ordering::Greater => Some(ours.clone()),
                std::cmp::Ordering::Less => Some(theirs.clone()),
                std::cmp::Ordering::Equal => None,
            },
        }
    }

    fn map(
        &self,
        path: &[&str],
        base: Option<&Map<String, Value>>,
        [ours, theirs]: [&Map<String, Value>; 2],
    ) -> Option<Map<String, Value>> {
        let mut merged = Map::new();
        let base = |key: &str| base.and_then(|base| base.get(key));
        for key in ours
            .keys()
            .chain(theirs.keys().filter(|key| !ours.contains_key(*key)))
        {
            let value = match (ours.get(key), theirs.get(key)) {
                (Some(ours), Some(theirs)) => {
                    let path = [path, &[key.as_str()]].concat();
                    Some(self.value(&path, base(key), [ours, theirs])?)
                }
                // The other side removed it.
                (Some(one), None) | (None, Some(one)) if base(key) == Some(one) => None,
                (one, other) => one.or(other).cloned(),
            };
            if let Some(value) = value {
                merged.insert(key.clone(), value);
            }
        }
        Some(merged)
    }
}

/// Returns the items of both lists without those that a side removed.
fn union(key: &str, base: Option<&Value>, sides: [&Value; 2]) -> Value {
    let items = |value: &Value| items(key, value);
    let base = base.map(items).unwrap_or_default();
    let [ours, theirs] = sides.map(items);
    let kept = |side: &[Value]| -> Vec<Value> {
        let is_kept = |item: &&Value| [&base, &ours, &theirs].iter().all(|it| it.contains(item));
        side.iter().filter(is_kept).cloned().collect()
    };
    // The order of the side that changed it; of neither if both did.
    let [unmoved, one, other] = [&base, &ours, &theirs].map(|side| kept(side));
    let mut merged = if one == unmoved {
        other
    } else if other == unmoved || one == other {
        one
    } else {
        unmoved
    };
    let added = |side: &[Value]| -> Vec<Value> {
        side.iter()
            .filter(|item| !base.contains(item))
            .cloned()
            .collect()
    };
    let mut runs = [added(&ours), added(&theirs)];
    runs.sort_by_key(|run| Value::from(run.clone()).to_string());
    for item in runs.into_iter().flatten() {
        if !merged.contains(&item) {
            merged.push(item);
        }
    }
    merged.into()
}

/// Returns the time of a date or timestamp.
fn moment(value: &Value) -> Option<Timestamp> {
    let text = value.as_str()?;
    let time = text.parse::<Timestamp>().ok();
    time.or_else(|| {
        let day = text.parse::<Date>().ok()?;
        Some(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    })
}

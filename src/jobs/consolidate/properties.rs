//! What a digest has beside its text.

use crate::jobs::prelude::*;
use crate::note::front_matter::property::standard_name;

/// What is each note's own, or worked out anew.
const OWN: &str = "id title aliases type tier tags created updated mem confidence importance";

/// Of several types the first one counts, as in Ormah.
const TYPES: [&str; 5] = ["decision", "procedure", "observation", "concept", "fact"];

/// Where what a note says is from: of a digest it is all of that.
const SOURCE: &str = "source";

/// Returns what `values` say, each once; what is one value stays one.
fn all_of(values: &[&Value]) -> Value {
    let mut all: Vec<Value> = Vec::new();
    for value in values {
        let each = value
            .as_array()
            .map_or(std::slice::from_ref(*value), Vec::as_slice);
        for value in each {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
    }
    match all.as_slice() {
        [one] => one.clone(),
        _ => all.into(),
    }
}

/// Returns what a note that says what `entries` say has to state; `None` if they state what one note cannot
/// have: a property with two values, or one that some of them lack, a link that is read from its folder.
pub(super) fn common(view: &View<'_>, entries: &[&Entry]) -> Result<Option<Vec<(String, Value)>>> {
    let mut all: Vec<Map<String, Value>> = Vec::new();
    let mut tags: Vec<String> = Vec::new();
    for entry in entries {
        let details = view.details(entry.slot)?;
        all.push(details.properties());
        for tag in details.tags {
            if !tags.iter().any(|known| known.eq_ignore_ascii_case(&tag)) {
                tags.push(tag);
            }
        }
    }
    let mut stated = Vec::new();
    let kinds: Vec<String> = all.iter().filter_map(|one| text_of(one, "type")).collect();
    let first = TYPES
        .iter()
        .find(|name| kinds.iter().any(|kind| kind == **name));
    if let Some(kind) = first
        .map(|name| (*name).to_owned())
        .or(kinds.first().cloned())
    {
        stated.push(("type".to_owned(), kind.into()));
    }
    if !tags.is_empty() {
        stated.push(("tags".to_owned(), tags.into()));
    }
    let keys: BTreeSet<&String> = all.iter().flat_map(Map::keys).collect();
    for key in keys
        .into_iter()
        .filter(|key| !OWN.split(' ').any(|own| own == standard_name(key)))
    {
        let is_relation = Relation::named(key).is_some();
        let values: Vec<&Value> = all.iter().filter_map(|one| one.get(key)).collect();
        if is_relation {
            // What they say of each other the digest need not say of itself.
            if key == Relation::RelatedTo.name() {
                continue;
            }
            return Ok(None);
        }
        if key == SOURCE {
            stated.push((key.clone(), all_of(&values)));
            continue;
        }
        let is_same = values.len() == all.len() && values.iter().all(|value| *value == values[0]);
        if !is_same {
            return Ok(None);
        }
        stated.push((key.clone(), values[0].clone()));
    }
    Ok(Some(stated))
}

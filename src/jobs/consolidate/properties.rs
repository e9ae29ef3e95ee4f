//! Properties of a digest.

use crate::jobs::prelude::*;
use crate::note::front_matter::property::standard_name;

/// Properties that belong to a single note or are computed.
const OWN_PROPERTIES: &str =
    "id title aliases type tier tags created updated mem confidence importance";

/// Types by precedence, as in Ormah.
const TYPE_PRECEDENCE: [&str; 5] = ["decision", "procedure", "observation", "concept", "fact"];

/// Origin of the statements; a digest lists those of all its sources.
const SOURCE: &str = "source";

/// Returns the distinct values; a single one stays a scalar.
fn distinct_values(values: &[&Value]) -> Value {
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

/// Returns the properties of a digest of `entries`; `None` if theirs do not fit in one note: a property has
/// different values or is missing in some, or is a relation that depends on the note.
pub(super) fn merged_properties(
    view: &View<'_>,
    entries: &[&Entry],
) -> Result<Option<Vec<(String, Value)>>> {
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
    let first = TYPE_PRECEDENCE
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
    for key in keys.into_iter().filter(|key| {
        !OWN_PROPERTIES
            .split(' ')
            .any(|own| own == standard_name(key))
    }) {
        let is_relation = Relation::named(key).is_some();
        let values: Vec<&Value> = all.iter().filter_map(|one| one.get(key)).collect();
        if is_relation {
            // Relations among the sources are dropped.
            if key == Relation::RelatedTo.name() {
                continue;
            }
            return Ok(None);
        }
        if key == SOURCE {
            stated.push((key.clone(), distinct_values(&values)));
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

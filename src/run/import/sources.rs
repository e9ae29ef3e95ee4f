//! The systems that memories can be imported from: names, forms and fields.
//!
//! | source | export |
//! |---|---|
//! | ormah, basic-memory, claude, openclaw | folders of Markdown |
//! | automem | `scripts/backup_automem.py`: nodes and relationships, or points; unpacked |
//! | ownsona | `ownsona dump`: `memories` |
//! | memstate | graph snapshot: nodes or topics, and edges |
//! | server-memory | one entity or relation per line |
//! | mem0 | `results` or `memories` |

use super::record::Fields;
use crate::note::front_matter::relation::Relation;
use crate::run::prelude::*;

/// A system with memories, as in `sources.json`.
#[derive(Debug, Deserialize)]
pub struct ImportSource {
    pub name: &'static str,
    #[serde(default)]
    pub is_markdown: bool,
    pub(super) fields: Fields,
}

/// All sources by name. Importance is a property only where a person or agent states it.
pub static SOURCES: LazyLock<Vec<ImportSource>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("sources.json")).expect("the table of sources is valid")
});

impl ImportSource {
    /// Returns the source named `name`.
    pub fn named(name: &str) -> Option<&'static Self> {
        SOURCES.iter().find(|source| source.name == name)
    }
}

/// Labels of other systems, the relation that they mean, and whether it points the other way.
const LABELS: [(&str, Relation, bool); 13] = [
    ("relates_to", Relation::RelatedTo, false),
    ("related", Relation::RelatedTo, false),
    ("similar_to", Relation::RelatedTo, false),
    ("leads_to", Relation::CausedBy, true),
    ("occurred_before", Relation::PrecededBy, true),
    ("exemplifies", Relation::InstanceOf, false),
    ("reinforces", Relation::Supports, false),
    ("invalidated_by", Relation::EvolvedFrom, true),
    ("evolved_into", Relation::EvolvedFrom, true),
    ("replaced_by", Relation::EvolvedFrom, true),
    ("requires", Relation::DependsOn, false),
    ("supersedes", Relation::EvolvedFrom, false),
    ("extends", Relation::DerivedFrom, false),
];

/// Returns the relation that `label` means, and whether it points the other way.
pub fn relation_of(label: &str) -> Option<(Relation, bool)> {
    if let Some(relation) = Relation::named(label) {
        return Some((relation, false));
    }
    let mut labels = LABELS.iter();
    let known = labels.find(|(name, ..)| name.eq_ignore_ascii_case(label));
    known
        .map(|(_, relation, is_swapped)| (*relation, *is_swapped))
        .or_else(|| Some((Relation::named_from_other_end(&label.to_lowercase())?, true)))
}

/// Returns a label as the name of a property.
pub fn property_name(label: &str) -> String {
    let words: Vec<String> = label
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

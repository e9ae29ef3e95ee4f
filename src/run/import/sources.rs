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

use super::record::{Fields, Meaning};
use crate::note::front_matter::relation::Relation;

/// A system with memories.
#[derive(Debug)]
pub struct Source {
    pub name: &'static str,
    pub is_markdown: bool,
    pub(super) fields: Fields,
}

use Meaning::{
    Accessed, Accesses, Activity, Archived, Confirmed, Date, Deleted, Id, Keep, Kind, Lines,
    OtherId, Property, ReplacedBy, Reviewed, Rewards, Salience, Share, Stability, Tags, Text,
    Title, Uses, Values,
};

/// All sources by name. Importance is a property only where a person or agent states it.
pub static SOURCES: [Source; 9] = [
    Source {
        name: "automem",
        is_markdown: false,
        fields: &[
            ("id", Id),
            ("graph_id", OtherId),
            ("content", Text),
            ("type", Kind),
            ("tags", Tags),
            ("importance", Share("importance")),
            ("confidence", Share("confidence")),
            ("timestamp", Date("created")),
            ("updated_at", Date("updated")),
            ("t_invalid", Date("valid_until")),
            ("last_accessed", Accessed),
            ("archived", Archived),
            ("protected", Keep),
        ],
    },
    Source {
        name: "basic-memory",
        is_markdown: true,
        fields: &[
            ("title", Title),
            ("permalink", Id),
            ("type", Kind),
            ("tags", Tags),
            ("created", Date("created")),
            ("modified", Date("updated")),
        ],
    },
    Source {
        name: "claude",
        is_markdown: true,
        fields: &[
            ("name", Title),
            ("description", Property("description")),
            ("type", Kind),
            ("created", Date("created")),
            ("modified", Date("updated")),
        ],
    },
    Source {
        name: "mem0",
        is_markdown: false,
        fields: &[
            ("id", Id),
            ("memory", Text),
            ("categories", Tags),
            ("created_at", Date("created")),
            ("updated_at", Date("updated")),
            ("expiration_date", Date("valid_until")),
        ],
    },
    Source {
        name: "memstate",
        is_markdown: false,
        fields: &[
            ("id", Id),
            ("title", Title),
            ("summary", Text),
            ("topic_kind", Kind),
            ("fields", Values),
            ("archived", Archived),
            ("salience", Activity),
            ("created_at", Date("created")),
            ("updated_at", Date("updated")),
        ],
    },
    Source {
        name: "openclaw",
        is_markdown: true,
        fields: &[("title", Title), ("tags", Tags)],
    },
    Source {
        name: "ormah",
        is_markdown: true,
        fields: &[
            ("id", Id),
            ("title", Title),
            ("type", Kind),
            ("tier", Meaning::Tier),
            ("source", Property("source")),
            ("space", Property("space")),
            ("space_locked", Property("space_locked")),
            ("tags", Tags),
            ("confidence", Share("confidence")),
            ("created", Date("created")),
            ("updated", Date("updated")),
            ("valid_until", Date("valid_until")),
            ("last_accessed", Accessed),
            ("access_count", Accesses),
            ("last_review", Reviewed),
            ("stability", Stability),
            ("deleted_at", Deleted),
        ],
    },
    Source {
        name: "ownsona",
        is_markdown: false,
        fields: &[
            ("id", Id),
            ("text", Text),
            ("tags", Tags),
            ("kind", Kind),
            ("importance", Share("importance")),
            ("source_provider", Property("source")),
            ("created_at", Date("created")),
            ("updated_at", Date("updated")),
            ("expires_at", Date("valid_until")),
            ("keep", Keep),
            ("deleted_at", Deleted),
            ("replaced_by_id", ReplacedBy),
            ("replaced_by", ReplacedBy),
            ("last_confirmed_at", Confirmed),
            ("last_used_at", Accessed),
            ("salience", Salience),
            ("use_count", Uses),
            ("reward_sum", Rewards),
        ],
    },
    Source {
        name: "server-memory",
        is_markdown: false,
        fields: &[("name", Id), ("entityType", Kind), ("observations", Lines)],
    },
];

impl Source {
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
    let words = label.split(|c: char| !c.is_alphanumeric());
    let words: Vec<String> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join("_")
}

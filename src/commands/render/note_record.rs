//! The record of a note, for every command that lists notes.

use crate::cache::Details;
use crate::commands::prelude::*;
use crate::note::text_of;

/// The stable part of a note's JSON record.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NoteRecord {
    pub(crate) path: VaultPath,
    pub(crate) title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(crate) kind: Option<String>,
    pub(crate) tier: Tier,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) space: Option<String>,
    pub(crate) tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) aliases: Vec<String>,
    pub(crate) created: Option<Timestamp>,
    pub(crate) words: u32,
    pub(crate) managed: bool,
    /// Why its front matter is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) problem: Option<String>,
}

impl NoteRecord {
    /// Returns the title, unless it equals the file name.
    pub(crate) fn own_title(&self) -> Option<&str> {
        Some(&*self.title).filter(|title| *title != self.path.stem())
    }

    /// All keys of the record.
    pub(crate) const KEYS: &str =
        "path title id type tier space tags aliases created words managed problem";

    pub(crate) fn new(entry: &Entry, details: Details) -> Self {
        let properties = details.properties();
        Self {
            path: entry.path.clone(),
            kind: text_of(&properties, "type"),
            space: text_of(&properties, "space"),
            title: details.title,
            id: details.id,
            tier: entry.row.flags.tier(),
            tags: details.tags,
            aliases: details.aliases,
            created: Timestamp::from_second(entry.row.created).ok(),
            words: entry.row.words,
            managed: entry.row.flags.has(Flags::MANAGED),
            problem: details.problem,
        }
    }
}

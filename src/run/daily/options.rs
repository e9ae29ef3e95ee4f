//! The settings of notes of a day.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust};

/// Where the note of a day is and what it begins with; what is empty is as Obsidian is told in
/// `.obsidian/daily-notes.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DailyOptions {
    pub folder: String,
    /// In the language of `strftime`.
    pub name: String,
    /// A note whose text a new one begins with.
    pub template: String,
}

impl Section for DailyOptions {
    const NAME: &'static str = "daily";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "folder",
                Trust::Sets,
                "a folder inside the vault",
                "folder for notes of a day; empty for what Obsidian is told, else the root",
            ),
            Key::new(
                "name",
                Trust::Sets,
                "a path like \"%Y/%Y-%m-%d\", in the language of `date`",
                "name of notes of a day; empty for what Obsidian is told, else \"%Y-%m-%d\"",
            ),
            Key::new(
                "template",
                Trust::Sets,
                "a note of the vault",
                "what a new note of a day begins with; empty for what Obsidian is told, else nothing",
            ),
        ]
    }
}

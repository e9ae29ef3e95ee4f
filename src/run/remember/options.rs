//! The settings of `mem remember`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::note::path::{OutsideVault, VaultPath};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RememberOptions {
    /// Where new notes go.
    #[serde(with = "values::text")]
    pub folder: Folder,
    #[serde(deserialize_with = "values::any_case")]
    pub link: LinkNew,
    /// Where templates are.
    #[serde(with = "values::text")]
    pub templates: Folder,
}

/// What is done about notes that a new one belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkNew {
    #[default]
    Off,
    /// They are named.
    Propose,
    /// It is stated in the new note.
    On,
}

impl Section for RememberOptions {
    const NAME: &'static str = "remember";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "folder",
                Trust::Sets,
                "a folder inside the vault",
                "folder for new notes of `mem remember`; empty for the root",
            ),
            Key::new(
                "link",
                Trust::Sets,
                "\"off\", \"propose\" or \"on\"",
                "whether `mem remember` relates a new note to similar ones: not at all, as a suggestion, or in the note",
            ),
            Key::new(
                "templates",
                Trust::Sets,
                "a folder inside the vault",
                "folder of templates; empty for what Obsidian is told, else `templates`",
            ),
        ]
    }
}

/// A folder of the vault; none for its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder(pub Option<VaultPath>);

impl FromStr for Folder {
    type Err = OutsideVault;

    fn from_str(text: &str) -> Result<Self, OutsideVault> {
        match text.trim_matches('/') {
            "" | "." => Ok(Self(None)),
            folder => VaultPath::new(folder).map(|folder| Self(Some(folder))),
        }
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_ref().map_or("", VaultPath::as_str))
    }
}

//! The settings of `mem remember`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::config::section;
use crate::config::values::ParsedText;
use crate::note::VaultPath;
use crate::note::path::OutsideVault;

section! {
    #[derive(Eq)]
    pub struct RememberOptions: "remember", everyday [folder, link, templates] {
        /// folder for new notes of `mem remember`; empty for the root
        folder: FolderArg, ParsedText("a folder inside the vault");
        /// whether `mem remember` relates a new note to similar notes: not at all, as suggestions,
        /// or at once
        link: LinkNew, "\"off\", \"propose\" or \"on\"";
        /// folder of templates; empty for Obsidian's setting, else `templates`
        templates: FolderArg, ParsedText("a folder inside the vault");
    }
}

/// How related notes of a new note are handled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LinkNew {
    #[default]
    Off,
    /// They are reported.
    Propose,
    /// The new note links to them.
    On,
}

/// A folder in the vault; none for its root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderArg(pub Option<VaultPath>);

impl FromStr for FolderArg {
    type Err = OutsideVault;

    fn from_str(text: &str) -> Result<Self, OutsideVault> {
        match text.trim_matches('/') {
            "" | "." => Ok(Self(None)),
            folder => VaultPath::new(folder).map(|folder| Self(Some(folder))),
        }
    }
}

impl fmt::Display for FolderArg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_ref().map_or("", VaultPath::as_str))
    }
}

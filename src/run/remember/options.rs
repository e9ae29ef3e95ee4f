//! The settings of `mem remember`.

use std::fmt;
use std::str::FromStr;

use crate::config::section;
use crate::config::values::ParsedText;
use crate::note::VaultPath;
use crate::note::path::OutsideVault;

section! {
    #[derive(Eq)]
    pub struct RememberOptions: "remember", everyday [folder, templates] {
        /// folder for new notes of `mem remember`; empty for the root
        folder: FolderArg, ParsedText("a folder inside the vault");
        /// folder of templates; empty for Obsidian's setting, else `templates`
        templates: FolderArg, ParsedText("a folder inside the vault");
    }
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

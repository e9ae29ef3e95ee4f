//! Paths of notes relative to the working directory, for other programs.

use crate::commands::prelude::*;

/// Converts paths of the vault to paths relative to the working directory.
#[derive(Debug)]
pub(crate) struct RelativePaths<'v> {
    vault: &'v Vault,
    here: Option<PathBuf>,
}

impl<'v> RelativePaths<'v> {
    pub(crate) fn new(vault: &'v Vault) -> Self {
        let here = std::env::current_dir().and_then(|here| here.canonicalize());
        Self {
            vault,
            here: here.ok(),
        }
    }

    /// Returns the path of a note, given by its path in the vault or an absolute one: relative if it is below the working directory, else absolute.
    pub(crate) fn path(&self, note: &str) -> PathBuf {
        let path = self.vault.root().join(note);
        let here = self.here.as_deref().unwrap_or(Path::new(""));
        path.strip_prefix(here).map(Path::to_owned).unwrap_or(path)
    }

    /// Writes the path of a note followed by a NUL.
    pub(crate) fn write_null(&self, output: &Output, note: &str) {
        output.raw(self.path(note).as_os_str().as_encoded_bytes());
        output.raw(b"\0");
    }
}

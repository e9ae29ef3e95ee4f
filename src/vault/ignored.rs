//! Ignore files for git and Syncthing that exclude machine-local files of a vault.

use std::io;

use super::{Vault, own_files};

/// The ignore files in `.mem`.
pub const IGNORE_FILES: [&str; 2] = [".gitignore", ".stignore"];
pub const IGNORE_TEXT: &str = "cache/\nid\n.~mem-*\n";
/// The texts that earlier versions wrote.
const OLD_TEXTS: [&str; 2] = ["cache/\n", "cache/\n.~mem-*\n"];

impl Vault {
    /// Updates these files if they still have the text of an earlier version.
    pub(crate) fn update_ignore_files(&self) -> io::Result<()> {
        for name in IGNORE_FILES {
            let path = self.own_path(name);
            if own_files::read(&path).is_ok_and(|text| OLD_TEXTS.contains(&text.as_str())) {
                own_files::write_atomically(&path, IGNORE_TEXT.as_bytes())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_files_written_by_mem_are_updated() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".mem")).unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        for (before, after) in [
            (OLD_TEXTS[0], IGNORE_TEXT),
            (OLD_TEXTS[1], IGNORE_TEXT),
            (IGNORE_TEXT, IGNORE_TEXT),
            ("cache/\nmine\n", "cache/\nmine\n"),
        ] {
            fs::write(vault.own_path(".gitignore"), before).unwrap();
            vault.update_ignore_files().unwrap();
            assert_eq!(
                own_files::read(&vault.own_path(".gitignore")).unwrap(),
                after
            );
        }
        // A deleted file is not created again.
        assert!(!vault.own_path(".stignore").exists());
    }
}

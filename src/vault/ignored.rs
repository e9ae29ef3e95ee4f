//! What git and Syncthing leave out of a vault: what belongs to one machine.

use std::io;

use super::{Vault, own};

/// The files in mem's own folder that say so.
pub const FILES: [&str; 2] = [".gitignore", ".stignore"];
pub const TEXT: &str = "cache/\n.~mem-*\n";
/// What an older mem wrote there.
const BEFORE: &str = "cache/\n";

impl Vault {
    /// Brings these files up to date where they are as an older mem wrote them.
    pub(crate) fn tend_ignored(&self) -> io::Result<()> {
        for name in FILES {
            let path = self.own_path(name);
            if own::read(&path).is_ok_and(|text| text == BEFORE) {
                own::write_atomically(&path, TEXT.as_bytes())?;
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
    fn only_what_mem_wrote_is_brought_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".mem")).unwrap();
        let vault = Vault::open(folder.path()).unwrap();
        for (before, after) in [
            (BEFORE, TEXT),
            (TEXT, TEXT),
            ("cache/\nmine\n", "cache/\nmine\n"),
        ] {
            fs::write(vault.own_path(".gitignore"), before).unwrap();
            vault.tend_ignored().unwrap();
            assert_eq!(own::read(&vault.own_path(".gitignore")).unwrap(), after);
        }
        // One that was taken away stays away.
        assert!(!vault.own_path(".stignore").exists());
    }
}

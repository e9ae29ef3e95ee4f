//! The optional cache inside the vault: `.mem/cache`.
//!
//! The vault may come from a stranger and contain a crafted database, or symlinks under the names that mem
//! writes to. So mem uses only a cache that this machine made. A token, stored in the cache and in the state
//! folder, identifies it. Any other cache is removed, symlinks included, and rebuilt.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::error::{CacheError, Result};
use super::home::LOCK_TIMEOUT;
use crate::vault::{CACHE, Holder, Homes, Lock, Vault, own_files};

/// Name of the token file, in the cache and in the state folder.
const TOKEN: &str = "made-here";

/// Returns the cache folder inside `vault`, emptied unless this machine made it. `seed` generates the token.
pub fn claim(vault: &Vault, homes: &Homes, holder: &Holder, seed: u64) -> Result<PathBuf> {
    let folder = vault.own_path(CACHE);
    if is_made_here(&folder, &homes.state) {
        return Ok(folder);
    }
    let _lock = Lock::wait(&homes.lock(), holder, LOCK_TIMEOUT)?;
    if is_made_here(&folder, &homes.state) {
        return Ok(folder);
    }
    let cleared = clear(vault, &homes.state, seed);
    cleared.map_err(CacheError::at(folder))
}

/// Creates an empty folder with a new token.
fn clear(vault: &Vault, state: &Path, seed: u64) -> io::Result<PathBuf> {
    fs::remove_dir_all(vault.own_folder(CACHE)?)?;
    let folder = vault.own_folder(CACHE)?;
    let token = format!("{seed:016x}\n");
    fs::write(state.join(TOKEN), &token)?;
    fs::File::create_new(folder.join(TOKEN))?.write_all(token.as_bytes())?;
    Ok(folder)
}

fn is_made_here(folder: &Path, state: &Path) -> bool {
    let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
    let token = own_files::read(&state.join(TOKEN));
    is_folder
        && token.is_ok_and(|token| {
            own_files::read(&folder.join(TOKEN)).is_ok_and(|found| found == token)
        })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn uses_only_a_cache_made_on_this_machine() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        let outside = dir.path().join("outside");
        fs::create_dir_all(root.join(".mem/cache/text")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        for name in ["lock", "CACHEDIR.TAG", "current", TOKEN] {
            symlink(outside.join("secret"), root.join(".mem/cache").join(name)).unwrap();
        }
        symlink(&outside, root.join(".mem/cache/0123456789abcdef")).unwrap();
        let vault = Vault::open(&root).unwrap();
        let homes = Homes::of(&vault, &dir.path().join("state"), &dir.path().join("c"));
        let holder = Holder {
            pid: 1,
            command: "test".to_owned(),
            since: String::new(),
        };
        let claim = |seed| claim(&vault, &homes, &holder, seed).unwrap();
        let names = |folder: &Path| -> Vec<String> {
            let entries = fs::read_dir(folder).unwrap();
            let mut names: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            names
        };
        let folder = claim(1);
        assert_eq!(names(&folder), [TOKEN]);
        assert_eq!(names(&outside), ["secret"]);
        assert_eq!(
            fs::read_to_string(outside.join("secret")).unwrap(),
            "secret"
        );
        fs::write(folder.join("mine"), "").unwrap();
        assert_eq!(names(&claim(2)), [TOKEN, "mine"]);
        fs::write(folder.join(TOKEN), "0000000000000003\n").unwrap();
        assert_eq!(names(&claim(3)), [TOKEN]);
    }
}

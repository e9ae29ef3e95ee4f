//! The cache inside the vault, for those who want it there: `.mem/cache`.
//!
//! The vault may be a stranger's, who put a cache into it: a database that was never meant to be
//! read by a careful reader, and links in the places where mem writes. So only a cache that this
//! machine made is used, which a word tells that lies in it and in the state folder; any other is
//! removed, links and all, and built afresh.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{CacheError, PATIENCE};
use crate::vault::lock::{Holder, Lock};
use crate::vault::{Homes, Vault, own};

/// The file with the word, in the cache and in the state folder.
const WORD: &str = "made-here";

/// Returns the folder for the caches inside `vault`, emptied unless this machine made what is in it;
/// `seed` makes up the word.
pub fn claim(
    vault: &Vault,
    homes: &Homes,
    holder: &Holder,
    seed: u64,
) -> Result<PathBuf, CacheError> {
    let place = vault.root().join(".mem/cache");
    if is_ours(&place, &homes.state) {
        return Ok(place);
    }
    let io = |source| CacheError::Io {
        path: place.clone(),
        source,
    };
    let _lock = Lock::wait(&homes.lock(), holder, PATIENCE)?;
    if is_ours(&place, &homes.state) {
        return Ok(place);
    }
    let folder = vault.own_folder("cache").map_err(io)?;
    fs::remove_dir_all(&folder).map_err(io)?;
    let folder = vault.own_folder("cache").map_err(io)?;
    let word = format!("{seed:016x}\n");
    fs::write(homes.state.join(WORD), &word).map_err(io)?;
    let mut file = fs::File::create_new(folder.join(WORD)).map_err(io)?;
    file.write_all(word.as_bytes()).map_err(io)?;
    Ok(folder)
}

/// Whether the word in the cache is the one that this machine put there.
fn is_ours(place: &Path, state: &Path) -> bool {
    let is_folder = fs::symlink_metadata(place).is_ok_and(|found| found.is_dir());
    let word = own::read(&state.join(WORD));
    is_folder
        && word.is_ok_and(|word| own::read(&place.join(WORD)).is_ok_and(|found| found == word))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn only_what_this_machine_made_is_used() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        let outside = dir.path().join("outside");
        fs::create_dir_all(root.join(".mem/cache/text")).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("secret"), "secret").unwrap();
        for name in ["lock", "CACHEDIR.TAG", "current", WORD] {
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
        assert_eq!(names(&folder), [WORD]);
        assert_eq!(names(&outside), ["secret"]);
        assert_eq!(
            fs::read_to_string(outside.join("secret")).unwrap(),
            "secret"
        );
        fs::write(folder.join("mine"), "").unwrap();
        assert_eq!(names(&claim(2)), [WORD, "mine"]);
        fs::write(folder.join(WORD), "0000000000000003\n").unwrap();
        assert_eq!(names(&claim(3)), [WORD]);
    }
}

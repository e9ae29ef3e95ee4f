//! A copy of a vault to try a sleep on: `mem sleep --to DIR`.
//!
//! The vault itself is only read. The copy is made under a temporary name and renamed when it is
//! complete on
//! disk, so a power failure leaves no partial copy that looks complete. Files of the state home
//! that influence
//! a sleep are copied, too: unrecorded usage, questions of the day. Undo history is not copied, and
//! caches are
//! rebuilt.

use std::ffi::OsString;
use std::fs::{DirBuilder, File};
use std::os::unix::fs::DirBuilderExt as _;

use crate::run::prelude::*;
use crate::vault::copy::{CopyError, copy};
use crate::vault::{self, if_found};

/// Files of the state folder that influence a sleep.
const COPIED_STATE: &str = "events events.taken raised asked review scores";

/// Files of the state folder that cannot be restored.
const IRREPLACEABLE_STATE: [&str; 3] = ["history", "unfinished", "events"];

/// A finished copy.
#[derive(Debug)]
pub struct VaultCopy {
    /// The vault that was copied.
    pub original: PathBuf,
    pub root: PathBuf,
    /// Paths that could not be copied, with the reason.
    pub left_out: Vec<(String, String)>,
}

/// Copies the vault to `to`, which must be missing or an empty folder outside of any vault.
pub fn copy_to(env: &Environment, to: &Path) -> Result<VaultCopy> {
    let vault = Vault::find(&env.start)?;
    let root = destination(&vault, to)?;
    let [from, homes] =
        [vault.root(), &root].map(|root| Homes::at(root, &env.folders.state, &env.folders.cache));
    let runs = runs(&from);
    if !is_empty(&from.unfinished()) {
        return Err(run_in_progress(&vault));
    }
    remove_old_state(&root, &homes)?;

    let unfinished = temporary_path(&root);
    let begun = DirBuilder::new().mode(0o700).create(&unfinished);
    begun.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => {
            let shown = unfinished.display();
            let words = format!("`{shown}` is an unfinished copy, or is being written");
            Error::new(words).hint(format!("`rm -r {shown}` deletes it"))
        }
        _ => Error::io("make", &unfinished, &error),
    })?;
    let made = copy_files(env, &vault, &unfinished).and_then(|left_out| {
        if self::runs(&from) != runs {
            return Err(run_in_progress(&vault));
        }
        copy_state(&vault, &from, &homes)?;
        // Another vault, whose folders on this machine are named by its path alone.
        let id = unfinished.join(OWN_FOLDER).join(vault::ID);
        if_found(fs::remove_file(&id)).map_err(|error| Error::io("delete", &id, &error))?;
        fs::rename(&unfinished, &root).map_err(|error| {
            let failed = Error::io("make", &root, &error);
            match error.kind() {
                // The root of a file system has no name.
                io::ErrorKind::CrossesDevices | io::ErrorKind::ResourceBusy => {
                    failed.hint("name a folder in it")
                }
                _ => failed,
            }
        })?;
        Ok(left_out)
    });
    let left_out = made.inspect_err(|_| {
        let _ = fs::remove_dir_all(&unfinished);
        let _ = fs::remove_dir_all(&homes.state);
    })?;
    if let Some(above) = root.parent() {
        let _ = File::open(above).and_then(|above| above.sync_all());
    }
    Ok(VaultCopy {
        original: vault.root().to_owned(),
        root,
        left_out,
    })
}

/// Returns the canonical destination. It is outside of the vault because it must be empty.
fn destination(vault: &Vault, to: &Path) -> Result<PathBuf> {
    let shown = to.display();
    let elsewhere = "name a folder that does not exist yet, or an empty one, outside of any vault";
    let root = match fs::metadata(to) {
        Ok(found) if !found.is_dir() => {
            return Err(Error::new(format!("`{shown}` is not a folder")).hint(elsewhere));
        }
        Ok(_) => {
            let root = to.canonicalize();
            let root = root.map_err(|error| Error::io("find", to, &error))?;
            let mut entries = fs::read_dir(&root).map_err(|error| Error::io("list", to, &error))?;
            if entries.next().is_some() {
                return Err(Error::new(format!("`{shown}` is not empty")).hint(elsewhere));
            }
            root
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let Some(name) = to.file_name().filter(|_| fs::symlink_metadata(to).is_err()) else {
                return Err(Error::io("make", to, &error).hint(elsewhere));
            };
            let parent = to.parent().filter(|above| !above.as_os_str().is_empty());
            let above = parent.unwrap_or(Path::new("."));
            let canonical = above.canonicalize().map_err(|error| {
                let above = above.display();
                Error::io("make", to, &error).hint(format!("create its folder: `mkdir -p {above}`"))
            })?;
            canonical.join(name)
        }
        Err(error) => return Err(Error::io("use", to, &error)),
    };
    match Vault::find(root.parent().unwrap_or(&root)) {
        Ok(outer) => {
            let which = if outer.root() == vault.root() {
                "the vault"
            } else {
                "another vault,"
            };
            let outer = outer.root().display();
            Err(Error::new(format!("`{shown}` is in {which} `{outer}`")).hint(elsewhere))
        }
        Err(_) => Ok(root),
    }
}

/// Returns the temporary path of the copy.
fn temporary_path(root: &Path) -> PathBuf {
    let mut name = root.file_name().unwrap_or_default().to_owned();
    name.push(".unfinished");
    root.with_file_name(name)
}

fn is_empty(path: &Path) -> bool {
    match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(_) => fs::metadata(path).map_or(0, |found| found.len()) == 0,
    }
}

/// Returns the names of all known runs.
fn runs(homes: &Homes) -> BTreeSet<OsString> {
    let folders = [homes.history(), homes.unfinished()];
    let entries = folders.iter().flat_map(fs::read_dir).flatten().flatten();
    entries.map(|entry| entry.file_name()).collect()
}

/// A copy of a vault that is changing would be inconsistent.
fn run_in_progress(vault: &Vault) -> Error {
    let shown = vault.root().display();
    Error::new(format!(
        "a run in `{shown}` is in progress or was interrupted"
    ))
    .hint(format!(
        "try again when it has ended; `mem -C {shown} doctor` reports an interrupted run"
    ))
}

/// Removes the state of an earlier copy at the same path, which belongs to other notes. State of a
/// vault that was
/// not a copy, perhaps on an unmounted disk, is kept.
fn remove_old_state(root: &Path, homes: &Homes) -> Result<()> {
    let is_kept = |name: &&str| !is_empty(&homes.state.join(name));
    if !homes.copy_of().exists() && IRREPLACEABLE_STATE.iter().any(is_kept) {
        let state = homes.state.display();
        let root = root.display();
        let words = format!("`{root}` was a vault with an undo history");
        let hint = format!("name another folder, or delete that history: `rm -r {state}`");
        return Err(Error::new(words).hint(hint));
    }
    for folder in [&homes.state, &homes.cache] {
        if_found(fs::remove_dir_all(folder))
            .map_err(|error| Error::io("delete", folder, &error))?;
    }
    Ok(())
}

/// Copies the files of the vault.
fn copy_files(env: &Environment, vault: &Vault, to: &Path) -> Result<Vec<(String, String)>> {
    let progress = Progress::new(&env.output, "copying");
    let stop = env.stop.clone();
    let on_progress = |done, all| {
        progress.at(done, all);
        !stop.is_requested()
    };
    match copy(vault.root(), to, &on_progress) {
        Ok(left_out) => Ok(left_out),
        Err(CopyError::Io { path, source }) => Err(Error::io("copy", &path, &source)),
        Err(error @ CopyError::Stopped) => Err(Error::new(error.to_string())),
    }
}

/// Copies this machine's state of the vault.
fn copy_state(vault: &Vault, from: &Homes, to: &Homes) -> Result<()> {
    let of = format!("{}\n", vault.root().display());
    let marked = own_files::write_atomically(&to.copy_of(), of.as_bytes());
    marked.map_err(|error| Error::io("write", &to.copy_of(), &error))?;
    for name in COPIED_STATE.split(' ') {
        let (from, to) = (from.state.join(name), to.state.join(name));
        if_found(fs::copy(&from, &to)).map_err(|error| Error::io("copy", &from, &error))?;
    }
    Ok(())
}

//! Moves the work tree from one commit to another, so that a kill at any moment loses nothing.
//!
//! The target is recorded before. The next sync after a kill restores each file that is equal to
//! that of the target, so the move can begin again; other files were saved since and stay.

use std::ffi::OsStr;

use walkdir::WalkDir;

use super::synced_files::is_synced;
use crate::run::prelude::*;
use crate::vault::if_found;

const TARGET: &str = "refs/mem/target";
const RESCUE: &str = "refs/mem/rescue";
const MAX_RESCUE_REFS: usize = 10;

/// How long to wait for the lock of another git, or of one that outlives a killed sync.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Moves work tree, index and branch to `commit`, which contains the current one.
///
/// Returns false if a file was saved meanwhile, so that git refuses; nothing has changed then.
pub(super) fn move_to(git: &Git, commit: &str, now: &Zoned) -> Result<bool> {
    let name = now.strftime("%Y%m%d-%H%M%S");
    git.set_ref(&format!("{RESCUE}/{name}"), "HEAD")?;
    git.set_ref(TARGET, commit)?;
    let merge = "merge --quiet --ff-only --no-autostash --no-overwrite-ignore";
    if let Err(error) = git.text(merge, &[commit]) {
        restore(git, commit)?;
        if is_dirty(git, commit)? {
            return Ok(false);
        }
        return Err(error.hint("if it names a file, move or commit that, and sync again"));
    }
    git.delete_ref(TARGET)?;
    let list = "for-each-ref --sort=-refname --format=%(refname)";
    for old in git.text(list, &[RESCUE])?.lines().skip(MAX_RESCUE_REFS) {
        git.delete_ref(old)?;
    }
    Ok(true)
}

/// Whether a file that differs in `commit` has changes that a sync commits.
fn is_dirty(git: &Git, commit: &str) -> Result<bool> {
    let changed = git.changed(".")?;
    let prefix = &git.prefix;
    let diff = git.text("diff --name-only -z --no-renames HEAD", &[commit])?;
    let mut names = diff
        .split('\0')
        .filter_map(|path| path.strip_prefix(prefix.as_str()));
    Ok(names.any(|path| is_synced(path) && changed.contains_key(path)))
}

/// Completes what a killed sync left: removes the locks of its git, also in a remote that is a folder, and takes back a
/// move that it began.
pub(super) fn recover(git: &Git, was_killed: bool) -> Result<()> {
    let since = Instant::now();
    loop {
        let mut locks = locks(git)?;
        if was_killed {
            for folder in remote_folders(git)? {
                locks.extend(locks_of_refs(&folder));
            }
        }
        let Some(lock) = locks.first() else { break };
        if since.elapsed() < LOCK_TIMEOUT {
            thread::sleep(Duration::from_millis(50));
        } else if was_killed && locks.iter().any(|lock| is_stale(lock)) {
            for lock in locks.iter().filter(|lock| is_stale(lock)) {
                if_found(fs::remove_file(lock)).map_err(|it| Error::io("remove", lock, &it))?;
            }
        } else {
            let message = format!("`{}` exists: another git is running", lock.display());
            return Err(Error::new(message).hint("remove the file if none is"));
        }
    }
    if was_killed {
        remove_merge_files(git)?;
    }
    let Some(target) = git.commit_id(TARGET)? else {
        return Ok(());
    };
    if git.contains("HEAD", &target)? {
        return git.delete_ref(TARGET);
    }
    restore(git, &target)
}

/// Returns whether a lock is too old for a running git. Other machines push to the folder of a remote, too.
fn is_stale(lock: &Path) -> bool {
    let modified = fs::metadata(lock).and_then(|meta| meta.modified());
    let age = modified.ok().and_then(|at| at.elapsed().ok());
    age.is_some_and(|age| age >= LOCK_TIMEOUT)
}

/// Removes the files that a killed git wrote for a merge driver.
fn remove_merge_files(git: &Git) -> Result<()> {
    let output = git.text("rev-parse --show-toplevel", &[])?;
    let root = Path::new(output.trim_end_matches('\n'));
    let entries = fs::read_dir(root).map_err(|it| Error::io("read", root, &it))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        if name
            .strip_prefix(".merge_file_")
            .is_some_and(|it| it.len() == 6)
        {
            if_found(fs::remove_file(&path)).map_err(|it| Error::io("remove", &path, &it))?;
        }
    }
    Ok(())
}

/// Returns the lock files of git in this clone.
fn locks(git: &Git) -> Result<Vec<PathBuf>> {
    let output = git.text("rev-parse --path-format=absolute --git-common-dir", &[])?;
    let common = PathBuf::from(output.trim_end_matches('\n'));
    let names = ["index.lock", "HEAD.lock", "ORIG_HEAD.lock"].map(|name| git.own_folder.join(name));
    let mut locks: Vec<PathBuf> = names.into_iter().collect();
    locks.retain(|lock| lock.exists());
    locks.extend(locks_of_refs(&common));
    Ok(locks)
}

/// Returns the lock files of refs in the folder of a repository.
fn locks_of_refs(folder: &Path) -> Vec<PathBuf> {
    // A push to the branch of HEAD locks HEAD, too.
    let possible = ["packed-refs.lock", "HEAD.lock"].map(|name| folder.join(name));
    let files = possible.into_iter().filter(|lock| lock.exists());
    let entries = WalkDir::new(folder.join("refs")).into_iter().flatten();
    let paths = entries.map(walkdir::DirEntry::into_path);
    let refs = paths.filter(|path| path.extension().is_some_and(|it| it == "lock"));
    files.chain(refs).collect()
}

/// Returns the folders of the remotes on this machine; a kill of `git push` ends the git that writes there, too.
fn remote_folders(git: &Git) -> Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for name in git.text("remote", &[])?.lines() {
        let output = git.text("remote get-url --push", &[name])?;
        let url = output.trim_end_matches('\n');
        let folder = Path::new(url.strip_prefix("file://").unwrap_or(url));
        folders.extend([folder.join(".git"), folder.to_owned()]);
    }
    folders.retain(|folder| folder.is_absolute() && folder.join("refs").is_dir());
    Ok(folders)
}

/// Restores the files that were already moved to `target`, and forgets the target.
fn restore(git: &Git, target: &str) -> Result<()> {
    let git = &git.of_whole_work_tree()?;
    let diff = git.text("diff --raw -z --no-renames --no-abbrev HEAD", &[target])?;
    let mut fields = diff.split('\0');
    let (mut old, mut new) = (String::new(), String::new());
    // `:<mode> <mode> <id> <id> <letter>`, then the path.
    while let (Some(change), Some(path)) = (fields.next(), fields.next()) {
        let [_, _, before, after, _] = change.split(' ').collect::<Vec<_>>()[..] else {
            continue;
        };
        let is_none = |id: &str| id.bytes().all(|byte| byte == b'0');
        let found = git.answer("hash-object --", &[path])?;
        let is_moved = found.map_or(is_none(after), |found| found == after);
        if is_moved {
            let paths = if is_none(before) { &mut new } else { &mut old };
            let _ = write!(paths, ":(literal){path}\0");
        }
    }
    if !old.is_empty() {
        git.run_on_paths("checkout -q HEAD", &old)?;
    }
    if !new.is_empty() {
        git.run_on_paths("add -f", &new)?;
        git.run_on_paths("rm -q -f", &new)?;
    }
    git.delete_ref(TARGET)
}

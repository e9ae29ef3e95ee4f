//! Replaces the bytes of a note if they are still those that were read.
//!
//! `change` stages the new text next to the note under a hidden name ([`temp_name`]), syncs it, and
//! swaps. The swap exchanges the two files, so the displaced text ends up under the hidden name and
//! is checked. This includes a text that an editor saved at that moment. If it is not the text that
//! was read, it is swapped back. Three gaps remain, each as small as the platform permits. Without
//! an exchange, a save between the last check and the rename is overwritten (the run record has the
//! text before). A writer that opened the file before the swap and writes after the run's second
//! check loses that write. The note's birth time and inode number change.

use std::io;
use std::path::Path;

use super::fs::{FileMeta, Fs, is_same_name};
use crate::note::ContentHash;

/// Prefix of staged files; the walk, Dropbox and Nextcloud skip such names.
pub const TEMP_PREFIX: &str = ".~mem-";

/// Maximum number of consecutive saves within one swap that are put back.
const MAX_SWAP_ROUNDS: usize = 16;

/// Returns the hidden name of staged file `number` of a run.
pub fn temp_name(run: &str, number: usize) -> String {
    format!("{TEMP_PREFIX}{run}-{number}")
}

/// The displaced text after a swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisplacedText {
    /// It is in the staged file, which had this metadata when verified.
    Staged(FileMeta),
    /// The file system cannot exchange files: it no longer exists.
    Gone,
}

/// The reason why a swap failed; the note contains the editor's last save.
#[derive(Debug, thiserror::Error)]
pub enum SwapError {
    /// The note changed since it was read.
    #[error("changed since it was read")]
    Changed,
    /// No file, or no regular file, exists there any more.
    #[error("no longer exists")]
    Missing,
    /// A file already exists at the target.
    #[error("something is already there")]
    Exists,
    /// The target is on another file system.
    #[error("its destination is on another file system")]
    OtherFileSystem,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Writes `bytes` to the new staged file `temp` with the attributes of `like`.
///
/// Not synced. Removes an incomplete file.
pub fn stage(fs: &dyn Fs, temp: &Path, bytes: &[u8], like: Option<&Path>) -> io::Result<()> {
    let written = fs.write_new(temp, bytes);
    let done = match like {
        Some(like) => written.and_then(|()| fs.copy_attributes(like, temp)),
        None => written,
    };
    if let Err(err) = &done
        && err.kind() != io::ErrorKind::AlreadyExists
    {
        let _ = fs.remove_file(temp);
    }
    done
}

/// Replaces `note`, which must contain `expected`, by the file `temp`.
///
/// On an error the note is as its editor left it and `temp` contains text that may be removed,
/// unless other saves kept the text of a concurrent save from being put back.
pub fn swap_in(
    fs: &dyn Fs,
    note: &Path,
    temp: &Path,
    expected: ContentHash,
) -> Result<DisplacedText, SwapError> {
    // An exchange that is reverted would briefly show editors a wrong text.
    if hash(fs, note)?.0 != expected {
        return Err(SwapError::Changed);
    }
    let (mut ours, _) = hash(fs, temp)?;
    match fs.exchange(temp, note) {
        Ok(()) => {}
        Err(err) if err.kind() == io::ErrorKind::Unsupported => {
            // Gap: a save between this check and the rename is overwritten.
            if hash(fs, note)?.0 != expected {
                return Err(SwapError::Changed);
            }
            fs.rename(temp, note)?;
            return Ok(DisplacedText::Gone);
        }
        Err(err) => return Err(swap_error(err)),
    }
    if let Ok((out, meta)) = hash(fs, temp)
        && out == expected
    {
        return Ok(DisplacedText::Staged(meta));
    }
    // Another program saved in between. Put its text back; if a different text comes out, it is a
    // newer save and is put back in turn.
    for _ in 0..MAX_SWAP_ROUNDS {
        let put_back = hash(fs, temp).map_or(ContentHash(0), |(hash, _)| hash);
        match fs.exchange(temp, note) {
            Ok(()) => {}
            // The new text was removed or renamed meanwhile, so the save takes the free name.
            Err(err) if err.kind() == io::ErrorKind::NotFound => match fs.rename_new(temp, note) {
                Err(err) if err.kind() == io::ErrorKind::AlreadyExists => continue,
                _ => return Err(SwapError::Changed),
            },
            Err(_) => return Err(SwapError::Changed),
        }
        if hash(fs, temp).is_ok_and(|(out, _)| out == ours) {
            return Err(SwapError::Changed);
        }
        ours = put_back;
    }
    Err(SwapError::Changed)
}

/// Moves a staged file to the path of a new note, which must be free.
pub fn move_into_place(fs: &dyn Fs, temp: &Path, note: &Path) -> Result<(), SwapError> {
    fs.rename_new(temp, note).map_err(swap_error)
}

/// Moves a note that must contain `expected` to the free path `to`.
pub fn move_if_unchanged(
    fs: &dyn Fs,
    note: &Path,
    to: &Path,
    expected: ContentHash,
) -> Result<FileMeta, SwapError> {
    if hash(fs, note)?.0 != expected {
        return Err(SwapError::Changed);
    }
    fs.rename_new(note, to).map_err(swap_error)?;
    match hash(fs, to) {
        Ok((out, meta)) if out == expected => Ok(meta),
        // A save happened in between. If its editor created another file since, that file stays,
        // and this one remains at `to`, where it is listed.
        _ => match fs.rename_new(to, note) {
            Err(err) if err.kind() != io::ErrorKind::AlreadyExists => Err(err.into()),
            _ => Err(SwapError::Changed),
        },
    }
}

/// Moves a note that must contain `expected` to another path, which must be free.
///
/// A different spelling of the same name goes through `via`, because Linux ignores such a direct
/// rename.
pub fn rename_if_unchanged(
    fs: &dyn Fs,
    from: &Path,
    to: &Path,
    via: &Path,
    expected: ContentHash,
) -> Result<(), SwapError> {
    if !is_same_name(fs, from, to) {
        return move_if_unchanged(fs, from, to, expected).map(|_| ());
    }
    move_if_unchanged(fs, from, via, expected)?;
    move_into_place(fs, via, to).inspect_err(|_| {
        // Otherwise it stays under the hidden name, which the record of the run contains.
        let _ = fs.rename_new(via, from);
    })
}

/// Returns the hash and metadata of a file.
pub(crate) fn hash(fs: &dyn Fs, path: &Path) -> Result<(ContentHash, FileMeta), SwapError> {
    let (bytes, meta) = fs.read(path).map_err(swap_error)?;
    Ok((ContentHash::of(&bytes), meta))
}

fn swap_error(err: io::Error) -> SwapError {
    match err.kind() {
        io::ErrorKind::NotFound => SwapError::Missing,
        io::ErrorKind::AlreadyExists => SwapError::Exists,
        io::ErrorKind::CrossesDevices => SwapError::OtherFileSystem,
        _ => SwapError::Io(err),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::vault::tests::{FaultFs, HookPhase};

    fn staged() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let (note, temp) = (dir.path().join("a.md"), dir.path().join(temp_name("r", 0)));
        fs::write(&note, "old").unwrap();
        fs::write(&temp, "new").unwrap();
        (dir, note, temp)
    }

    fn swap(disk: &FaultFs, note: &Path, temp: &Path) -> Result<DisplacedText, SwapError> {
        swap_in(disk, note, temp, ContentHash::of(b"old"))
    }

    #[test]
    fn swaps_only_the_text_that_was_read() {
        let (_dir, note, temp) = staged();
        assert!(matches!(
            swap(&FaultFs::default(), &note, &temp),
            Ok(DisplacedText::Staged(_))
        ));
        assert_eq!(fs::read_to_string(&note).unwrap(), "new");
        assert_eq!(fs::read_to_string(&temp).unwrap(), "old");
        let again = swap(&FaultFs::default(), &note, &temp);
        assert!(matches!(again, Err(SwapError::Changed)));

        let (_dir, note, temp) = staged();
        let disk = FaultFs::default().without_exchange();
        assert!(matches!(swap(&disk, &note, &temp), Ok(DisplacedText::Gone)));
        assert_eq!(fs::read_to_string(&note).unwrap(), "new");
    }

    /// The editor saves `saves[i]` right before or after exchange number `i`.
    fn with_saves(
        when: HookPhase,
        saves: &'static [Option<&str>],
        atomically: bool,
    ) -> (String, String) {
        let (_dir, note, temp) = staged();
        let mut round = 0;
        let target = note.clone();
        let disk = FaultFs::default().with_hook(move |op, at| {
            if op.name != "exchange" || at != when {
                return;
            }
            if let Some(Some(save)) = saves.get(round) {
                if atomically {
                    let swap_file = target.with_extension("swp");
                    fs::write(&swap_file, save).unwrap();
                    fs::rename(&swap_file, &target).unwrap();
                } else {
                    fs::write(&target, save).unwrap();
                }
            }
            round += 1;
        });
        let result = swap(&disk, &note, &temp);
        (fs::read_to_string(&note).unwrap(), format!("{result:?}"))
    }

    #[test]
    fn a_save_during_the_swap_wins() {
        for atomically in [false, true] {
            let (text, result) = with_saves(HookPhase::Before, &[Some("mine")], atomically);
            assert_eq!((text.as_str(), result.as_str()), ("mine", "Err(Changed)"));
            // A second save while the first one is put back: the newer one wins.
            let (text, result) = with_saves(
                HookPhase::Before,
                &[Some("mine"), Some("newer")],
                atomically,
            );
            assert_eq!((text.as_str(), result.as_str()), ("newer", "Err(Changed)"));
            let (text, _) = with_saves(
                HookPhase::Before,
                &[Some("1"), Some("2"), Some("3")],
                atomically,
            );
            assert_eq!(text, "3");
        }
    }

    #[test]
    fn a_save_right_after_the_swap_wins() {
        let (text, result) = with_saves(HookPhase::After, &[Some("mine")], false);
        assert_eq!(text, "mine");
        assert!(result.starts_with("Ok"), "{result}");
    }

    #[test]
    fn a_removed_note_is_not_created_again() {
        let (_dir, note, temp) = staged();
        fs::remove_file(&note).unwrap();
        assert!(matches!(
            swap(&FaultFs::default(), &note, &temp),
            Err(SwapError::Missing)
        ));
        assert!(!note.exists());
    }

    #[test]
    fn moving_away_returns_a_concurrent_save() {
        let (dir, note, _) = staged();
        let to = dir.path().join("trash.md");
        let target = note.clone();
        let disk = FaultFs::default().with_hook(move |op, when| {
            if op.name == "rename-new" && when == HookPhase::Before && op.path.ends_with("trash.md")
            {
                fs::write(&target, "mine").unwrap();
            }
        });
        let result = move_if_unchanged(&disk, &note, &to, ContentHash::of(b"old"));
        assert!(matches!(result, Err(SwapError::Changed)));
        assert_eq!(fs::read_to_string(&note).unwrap(), "mine");
        assert!(!to.exists());
    }
}

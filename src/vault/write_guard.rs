//! Decides which paths mem may write: only notes inside the vault that the walk could report.
//!
//! A path may come from a job, a model or a stranger's vault, so every writer checks it here first.
//! The checks see links as they are at this moment. A program that swaps folders for links while
//! mem runs already has write access to the vault.

use std::io;
use std::path::Path;

use super::fs::{FileKind, FileMeta, if_found, is_same_name};
use super::{OWN_FOLDER, Vault};
use crate::note::VaultPath;

/// The reason why mem does not write a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteRefusal {
    /// Not the name of a note: no `.md`, a hidden component, or control characters.
    #[error("not the name of a note")]
    NotANoteName,
    /// A symbolic link in the path leads out of the vault.
    #[error("points outside the vault")]
    Outside,
    #[error("not found")]
    Missing,
    /// A file already exists at the path of a new note.
    #[error("something is already there")]
    Exists,
    /// A folder, device or pipe, or a file in place of a folder.
    #[error("not a regular file in a folder")]
    NotAFile,
    /// It is a symbolic link to another note.
    #[error("a symbolic link")]
    Link,
    /// Its owner protected it, or this process may not write it.
    #[error("read-only; `chmod u+w` allows changes")]
    ReadOnly,
    /// It has other names, which a swap would disconnect.
    #[error("has {0} hard links")]
    HardLinked(u64),
    #[error("{0}")]
    Io(String),
}

impl From<io::Error> for WriteRefusal {
    fn from(err: io::Error) -> Self {
        match err.kind() {
            io::ErrorKind::NotFound => Self::Missing,
            _ => Self::Io(err.to_string()),
        }
    }
}

/// Whether the walk could report this name: `.md`, not hidden, printable.
pub fn is_note_name(path: &str) -> bool {
    let ending = path.len().checked_sub(3).and_then(|cut| path.get(cut..));
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(".md"))
        && !path.split('/').any(|part| part.starts_with('.'))
        && !path.chars().any(char::is_control)
}

impl Vault {
    /// Returns the resolved path and metadata of a note that mem may write.
    pub fn writable(&self, path: &VaultPath) -> Result<(VaultPath, FileMeta), WriteRefusal> {
        if !is_note_name(path.as_str()) {
            return Err(WriteRefusal::NotANoteName);
        }
        // A link inside the vault may still point to `.git/config` or to mem's own files.
        let real = self.note_at(&self.fs.canonical(&self.absolute(path))?)?;
        let absolute = self.absolute(&real);
        let meta = self.fs.stat(&absolute)?;
        if meta.kind != FileKind::File {
            return Err(WriteRefusal::NotAFile);
        }
        if meta.links > 1 {
            return Err(WriteRefusal::HardLinked(meta.links));
        }
        if self.is_read_only(real.as_str()) {
            return Err(WriteRefusal::ReadOnly);
        }
        Ok((real, meta))
    }

    /// Whether the file at `path` is read-only; links are not followed.
    pub fn is_read_only(&self, path: &str) -> bool {
        let absolute = self.root.join(path);
        // Root may write anything, so the owner's permission bit decides.
        let meta = self.fs.stat(&absolute);
        meta.is_ok_and(|meta| {
            meta.kind == FileKind::File
                && (meta.mode & 0o200 == 0 || !self.fs.is_writable(&absolute))
        })
    }

    /// Returns the resolved path for a new note, if it is free and mem may write there.
    ///
    /// Missing folders are allowed.
    pub fn vacant(&self, path: &VaultPath) -> Result<VaultPath, WriteRefusal> {
        self.vacant_for(path, None)
    }

    /// Like [`Vault::vacant`], for moving the note `from`.
    ///
    /// On a file system that ignores case or Unicode normalisation, the note's own name counts as
    /// free.
    pub fn vacant_for(
        &self,
        path: &VaultPath,
        from: Option<&VaultPath>,
    ) -> Result<VaultPath, WriteRefusal> {
        if !is_note_name(path.as_str()) {
            return Err(WriteRefusal::NotANoteName);
        }
        let (folder, name) = path
            .as_str()
            .rsplit_once('/')
            .unwrap_or(("", path.as_str()));
        let mut target = self.root.clone();
        let mut missing = Vec::new();
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            let next = target.join(part);
            match self.fs.stat(&next) {
                _ if !missing.is_empty() => missing.push(part),
                Ok(meta) if meta.kind == FileKind::Folder => target = next,
                Ok(meta) if meta.kind == FileKind::Symlink => {
                    target = self.fs.canonical(&next)?;
                    if !target.starts_with(&self.root) {
                        return Err(WriteRefusal::Outside);
                    }
                    if self.fs.stat(&target)?.kind != FileKind::Folder {
                        return Err(WriteRefusal::NotAFile);
                    }
                }
                Ok(_) => return Err(WriteRefusal::NotAFile),
                Err(err) if err.kind() == io::ErrorKind::NotFound => missing.push(part),
                Err(err) => return Err(err.into()),
            }
        }
        target.extend(missing);
        target.push(name);
        let is_there = if_found(self.fs.stat(&target))?.is_some();
        let is_own = |from: &VaultPath| is_same_name(self.fs(), &self.absolute(from), &target);
        if is_there && !from.is_some_and(is_own) {
            return Err(WriteRefusal::Exists);
        }
        self.note_at(&target)
    }

    /// Returns the path of the note at `absolute`, which contains no links.
    fn note_at(&self, absolute: &Path) -> Result<VaultPath, WriteRefusal> {
        let relative = absolute.strip_prefix(&self.root);
        let inside = relative.map_err(|_| WriteRefusal::Outside)?.to_str();
        let path = inside.and_then(|inside| VaultPath::new(inside).ok());
        path.filter(|path| is_note_name(path.as_str()))
            .ok_or(WriteRefusal::NotANoteName)
    }

    /// Creates the folders of `below` under `.mem` as real folders, and returns the last one.
    ///
    /// Refuses symbolic links, because the vault may be a stranger's.
    pub(crate) fn own_folder(&self, below: &str) -> io::Result<std::path::PathBuf> {
        let mut folder = self.root.join(OWN_FOLDER);
        for part in below.split('/').filter(|part| !part.is_empty()) {
            folder.push(part);
            match if_found(self.fs.stat(&folder))? {
                Some(meta) if meta.kind == FileKind::Folder => {}
                Some(_) => return Err(io::ErrorKind::NotADirectory.into()),
                None => self.fs.create_folder(&folder, 0o777)?,
            }
        }
        Ok(folder)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn path(text: &str) -> VaultPath {
        VaultPath::new(text).unwrap()
    }

    #[test]
    fn only_notes_inside_the_vault_are_writable() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        for folder in [".mem", ".git", "sub", "../out"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in [
            "a.md",
            ".hidden.md",
            ".git/x.md",
            "sub/b.md",
            "ro.md",
            "h1.md",
            "../out/o.md",
        ] {
            fs::write(root.join(file), file).unwrap();
        }
        fs::write(root.join("plain.txt"), "").unwrap();
        fs::create_dir(root.join("folder.md")).unwrap();
        fs::hard_link(root.join("h1.md"), root.join("h2.md")).unwrap();
        fs::set_permissions(root.join("ro.md"), fs::Permissions::from_mode(0o444)).unwrap();
        symlink("../out", root.join("away")).unwrap();
        symlink("sub", root.join("near")).unwrap();
        symlink("../out/o.md", root.join("away.md")).unwrap();
        symlink(".git/x.md", root.join("sneaky.md")).unwrap();
        symlink("sub/b.md", root.join("link.md")).unwrap();
        let vault = Vault::open(&root).unwrap();
        for (name, expected) in [
            ("a.md", Ok("a.md")),
            ("near/b.md", Ok("sub/b.md")),
            ("link.md", Ok("sub/b.md")),
            (".hidden.md", Err(WriteRefusal::NotANoteName)),
            (".git/x.md", Err(WriteRefusal::NotANoteName)),
            ("sneaky.md", Err(WriteRefusal::NotANoteName)),
            ("plain.txt", Err(WriteRefusal::NotANoteName)),
            ("a\n.md", Err(WriteRefusal::NotANoteName)),
            ("away/o.md", Err(WriteRefusal::Outside)),
            ("away.md", Err(WriteRefusal::Outside)),
            ("none.md", Err(WriteRefusal::Missing)),
            ("folder.md", Err(WriteRefusal::NotAFile)),
            ("ro.md", Err(WriteRefusal::ReadOnly)),
            ("h1.md", Err(WriteRefusal::HardLinked(2))),
        ] {
            let got = vault.writable(&path(name)).map(|(real, _)| real);
            assert_eq!(got, expected.map(path), "{name}");
        }
        for (name, expected) in [
            ("new.md", Ok("new.md")),
            ("x/y/new.md", Ok("x/y/new.md")),
            ("near/x/new.md", Ok("sub/x/new.md")),
            ("a.md", Err(WriteRefusal::Exists)),
            ("away.md", Err(WriteRefusal::Exists)),
            ("away/new.md", Err(WriteRefusal::Outside)),
            ("a.md/new.md", Err(WriteRefusal::NotAFile)),
            (".obsidian/new.md", Err(WriteRefusal::NotANoteName)),
            ("new.sh", Err(WriteRefusal::NotANoteName)),
        ] {
            assert_eq!(vault.vacant(&path(name)), expected.map(path), "{name}");
        }
    }

    #[test]
    fn own_folders_must_not_be_links() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("vault");
        fs::create_dir_all(root.join(".mem")).unwrap();
        fs::create_dir(dir.path().join("out")).unwrap();
        symlink("../../out", root.join(".mem/trash")).unwrap();
        let vault = Vault::open(&root).unwrap();
        assert!(vault.own_folder("trash/run").is_err());
        assert!(
            fs::read_dir(dir.path().join("out"))
                .unwrap()
                .next()
                .is_none()
        );
        assert!(vault.own_folder("other/run").unwrap().is_dir());
    }
}

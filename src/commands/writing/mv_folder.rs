//! `mem mv FOLDER NEW`: moves all notes of a folder.

use walkdir::WalkDir;

use crate::commands::prelude::*;

/// A folder to move, relative to the vault, without a slash at the end.
pub(super) struct FolderMove {
    pub(super) from: String,
    pub(super) to: String,
}

impl FolderMove {
    /// Returns the move if `name` is a folder of the vault; an error if a note is called so, too.
    pub(super) fn of(
        session: &Session,
        view: &View<'_>,
        names: &[String],
        dest: &str,
    ) -> Result<Option<Self>> {
        let [name] = names else { return Ok(None) };
        let Some(from) = folder_in_vault(session, name) else {
            return Ok(None);
        };
        if !name.ends_with('/')
            && let Some(note) = view.named_whole(name)?.first()
        {
            let path = &note.path;
            let error = Error::new(format!("`{name}` is a folder and the name of `{path}`"));
            return Err(error.hint(format!(
                "write `{name}/` for the folder or `{path}` for the note"
            )));
        }
        let dest = format!("{}/", dest.trim_end_matches('/'));
        let Destination::Folder(mut to) = Destination::of(session, &dest)? else {
            return Ok(None);
        };
        // As `mv` does, into a folder that exists.
        if session.vault.root().join(&to).is_dir() {
            let name = from.rsplit('/').next().unwrap_or(&from);
            to = if to.is_empty() {
                name.to_owned()
            } else {
                format!("{to}/{name}")
            };
        }
        if format!("{to}/").starts_with(&format!("{from}/")) {
            return Err(Error::new(format!("cannot move `{from}/` into itself"))
                .hint("name a folder outside of it"));
        }
        if session.vault.root().join(&to).exists() {
            return Err(Error::new(format!("`{to}` already exists"))
                .hint(format!("move its notes with `mem mv NOTE … {to}/`")));
        }
        Ok(Some(Self { from, to }))
    }

    /// Returns the notes of the folder and their new paths.
    pub(super) fn moves(&self, view: &View<'_>) -> Result<Vec<(Entry, VaultPath)>> {
        let mut moves = Vec::new();
        for entry in view.entries()? {
            let path = entry.path.as_str();
            let rest = path.strip_prefix(&self.from);
            if let Some(rest) = rest.and_then(|rest| rest.strip_prefix('/')) {
                let to = VaultPath::new(&format!("{}/{rest}", self.to))?;
                moves.push((entry, to));
            }
        }
        if moves.is_empty() {
            let error = Error::new(format!("`{}/` contains no notes", self.from));
            return Err(error.hint("rename it with `mv`; mem moves notes"));
        }
        Ok(moves)
    }

    /// Removes the empty folders that are left. Returns a warning about other files, which stay.
    pub(super) fn clean_up(&self, session: &Session) -> Option<Message> {
        let left = WalkDir::new(session.vault.root().join(&self.from)).contents_first(true);
        let mut files = 0;
        for entry in left.into_iter().flatten() {
            if entry.file_type().is_dir() {
                // Fails if the folder is not empty.
                let _ = std::fs::remove_dir(entry.path());
            } else {
                files += 1;
            }
        }
        (files > 0).then(|| {
            Message::Warning(format!(
                "{} that mem does not read as a note stay in `{}/`; links to them were updated",
                count(files, "file"),
                self.from
            ))
        })
    }
}

/// Returns the path of the folder called `name`, relative to the current folder or the vault.
fn folder_in_vault(session: &Session, name: &str) -> Option<String> {
    let root = session.vault.root();
    let bases = [session.env.start.as_path(), root];
    let mut folders = bases.iter().map(|base| base.join(name));
    let existing = folders.find(|folder| folder.is_dir())?;
    let folder = existing.canonicalize().ok()?;
    let inside = folder.strip_prefix(root).ok()?.to_str()?;
    (!inside.is_empty() && !inside.starts_with('.')).then(|| inside.to_owned())
}

//! Destinations of notes: a new name, or a folder.

use std::path::Component;

use crate::change::acts::ActError;
use crate::commands::prelude::*;
use crate::vault::WriteRefusal;
use crate::view::NoteTextError;
use crate::view::remap::RemapError;

/// Characters that file names on Windows or in Obsidian cannot contain.
const UNUSUAL_CHARACTERS: [char; 8] = ['*', '"', '\\', '<', '>', ':', '|', '?'];

/// The destination of notes.
pub(crate) enum Destination {
    /// A folder; empty for the root.
    Folder(String),
    /// A path for a single note.
    Name(VaultPath),
}

impl Destination {
    /// Resolves `dest` relative to the current folder, or else to the root of the vault.
    pub(crate) fn of(session: &Session, dest: &str) -> Result<Self> {
        if dest.trim().is_empty() {
            return Err(Error::new("the destination is empty")
                .hint("name a note, or a folder of the vault; `.` is the current folder"));
        }
        let root = session.vault.root();
        let start = session.env.start.canonicalize();
        let here = start.unwrap_or_else(|_| root.to_owned());
        let wants_folder =
            dest.ends_with('/') || matches!(dest, "." | "..") || dest.ends_with("/..");
        let from = |base: &Path| lexical(&base.join(dest));
        // First as a shell resolves it, then as mem prints paths.
        let above = |whole: &PathBuf| {
            whole.is_dir() || !wants_folder && whole.parent().is_some_and(Path::is_dir)
        };
        let found = [from(&here), from(root)].into_iter().find(above);
        let whole = found.unwrap_or_else(|| from(&here));
        let inside = whole.strip_prefix(root).ok().and_then(Path::to_str);
        let outside = || {
            Error::new(format!("`{dest}` is outside the vault")).hint(format!(
                "the vault is `{}`; mem does not move notes out of it",
                root.display()
            ))
        };
        let inside = inside.ok_or_else(outside)?;
        if wants_folder || whole.is_dir() {
            return Ok(Self::Folder(inside.to_owned()));
        }
        let suffix = inside.get(inside.len().saturating_sub(3)..);
        let ending = suffix.is_some_and(|ending| ending.eq_ignore_ascii_case(".md"));
        if !ending && whole.is_file() {
            let error = Error::new(format!("`{inside}` exists and is not a note"));
            return Err(error.hint("choose another name"));
        }
        let name = if ending {
            inside.to_owned()
        } else {
            format!("{inside}.md")
        };
        VaultPath::new(&name).map(Self::Name).map_err(|_| outside())
    }

    /// Like [`Self::of`], for the note that was named `name`.
    ///
    /// If `name` is not a path, the note is renamed in its own folder.
    pub(crate) fn for_note(
        session: &Session,
        dest: &str,
        name: &str,
        note: &VaultPath,
    ) -> Result<Self> {
        let is_path = name.contains('/') || session.env.start.join(name).exists();
        match Self::of(session, dest)? {
            Self::Name(new) if !is_path && !dest.contains('/') => {
                Self::Folder(note.folder().to_owned()).of_note(&new, false)
            }
            goal => return Ok(goal),
        }
        .map(Self::Name)
    }

    /// Returns the new path of `note`; `many` if several notes are moved.
    pub(crate) fn of_note(&self, note: &VaultPath, many: bool) -> Result<VaultPath> {
        match self {
            Self::Name(path) if many => Err(Error::new(format!(
                "`{}` is not a folder, and several notes were given",
                path.without_ending()
            ))
            .hint("end it with `/` to create a folder")),
            Self::Name(path) => Ok(path.clone()),
            Self::Folder(folder) => {
                let name = note.as_str().rsplit('/').next().unwrap_or_default();
                VaultPath::new(format!("{folder}/{name}").trim_start_matches('/'))
                    .map_err(|error| Error::new(error.to_string()))
            }
        }
    }
}

/// Warns about characters in a new name that other systems refuse.
pub(crate) fn warn_of_unusual_characters(output: &Output, from: &VaultPath, to: &VaultPath) {
    let parts = to.as_str().split('/');
    let new = parts.filter(|part| !from.as_str().split('/').any(|known| known == *part));
    let signs: BTreeSet<char> = new
        .flat_map(str::chars)
        .filter(|c| UNUSUAL_CHARACTERS.contains(c))
        .collect();
    if signs.is_empty() {
        return;
    }
    let signs: Vec<String> = signs.iter().map(|sign| format!("`{sign}`")).collect();
    output.warn(&format!(
        "Windows and Obsidian do not allow {} in a name: `{to}`",
        signs.join(", ")
    ));
}

/// Resolves `.` and `..` in a path without reading the file system.
fn lexical(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts
}

/// The error if nothing can be written to `to`.
pub(crate) fn move_error(from: &VaultPath, to: &VaultPath, why: &WriteRefusal) -> Error {
    let error = Error::new(format!("cannot move `{from}` to `{to}`: {why}"));
    match why {
        WriteRefusal::Exists => {
            error.hint("choose another name, or remove the existing note with `mem rm`")
        }
        WriteRefusal::NotANoteName => {
            error.hint("note names must not be hidden or contain control characters")
        }
        _ => error,
    }
}

/// The error if links cannot be updated.
pub(crate) fn link_update_error(error: ActError) -> Error {
    let hint = match &error {
        ActError::Cache(_) => return error.into(),
        ActError::Text(NoteTextError::Changed(_)) => "run `mem index`, then move again",
        ActError::Remap(RemapError::Unreadable(_)) => "fix its front matter, then move again",
        ActError::Remap(RemapError::Unnameable { .. }) => {
            "wikilinks cannot express `#`, `|`, `[`, `]` or a difference in case only; choose another name"
        }
        ActError::Remap(RemapError::UncertainPart { .. }) => {
            "give one of the headings another name, or change the link, then move again"
        }
        ActError::Remap(RemapError::Unwritable { .. }) => {
            "change the link by hand, then move again"
        }
        _ => return Error::new(format!("nothing was moved: {error}")),
    };
    Error::new(format!("nothing was moved: {error}")).hint(hint)
}

//! Maps a file system event to the paths it may have changed.
//!
//! Event kinds are unreliable. An editor that renames the old file, writes the new one and deletes
//! the backup
//! causes events for three files; a folder moved in is reported without its notes. So only the path
//! of an
//! event counts, and its state is looked up later. Which paths are notes is decided by the walk at
//! the start
//! of every pass. Pure.

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};

use super::pending::DirtyPath;
use crate::run::prelude::*;
use crate::vault::walk::{IGNORE_FILES, is_markdown};

/// Obsidian's folder, which contains a file with excluded paths.
pub const OBSIDIAN: &str = ".obsidian";

/// Returns the paths that `event` may have changed in the vault at `root`.
pub fn dirty_paths(root: &Path, event: &notify::Event) -> Vec<DirtyPath> {
    if event.need_rescan() {
        return vec![DirtyPath::Everything];
    }
    match event.kind {
        // Every reader of a note, mem included, causes an open event.
        EventKind::Access(kind) if kind != AccessKind::Close(AccessMode::Write) => {
            return Vec::new();
        }
        _ => {}
    }
    // Only files have content.
    let is_content_event = matches!(
        event.kind,
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Data(_))
    );
    let paths = event.paths.iter().filter_map(|path| dirty_path(root, path));
    let is_relevant =
        |path: &DirtyPath| !(is_content_event && matches!(path, DirtyPath::Folder(_)));
    paths.filter(is_relevant).collect()
}

/// Returns the changed note or folder, or `None` if the path is irrelevant.
fn dirty_path(root: &Path, path: &Path) -> Option<DirtyPath> {
    let path = path.strip_prefix(root).ok()?;
    // A note's path is UTF-8; the next full scan warns about others.
    let text = path.to_str()?;
    if text.is_empty() {
        return Some(DirtyPath::Everything);
    }
    let (folder, name) = text.rsplit_once('/').unwrap_or(("", text));
    let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
    if is_hidden(folder) {
        return (text == ".obsidian/app.json").then_some(DirtyPath::Everything);
    }
    if IGNORE_FILES.contains(&name) || text == OBSIDIAN {
        return Some(DirtyPath::Everything);
    }
    if is_hidden(name) {
        return None;
    }
    if is_markdown(name.as_bytes()) {
        return VaultPath::new(text).ok().map(DirtyPath::Note);
    }
    Some(DirtyPath::Folder(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use notify::Event;
    use notify::event::{CreateKind, DataChange, Flag, MetadataKind, RemoveKind, RenameMode};

    use super::*;

    fn found(kind: EventKind, path: &str) -> String {
        let root = Path::new("/v");
        let paths = dirty_paths(root, &Event::new(kind).add_path(root.join(path)));
        let names = paths.iter().map(|path| match path {
            DirtyPath::Everything => "everything".to_owned(),
            DirtyPath::Folder(folder) => format!("folder {folder}"),
            DirtyPath::Note(note) => format!("note {note}"),
        });
        names.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_path_is_classified_by_its_name() {
        for (path, expected) in [
            ("a.md", "note a.md"),
            ("x/y/Tea Time.MD", "note x/y/Tea Time.MD"),
            ("日記/茶.md", "note 日記/茶.md"),
            (
                "x.sync-conflict-20260101-1200.md",
                "note x.sync-conflict-20260101-1200.md",
            ),
            ("x", "folder x"),
            ("x/tea.jpg", "folder x/tea.jpg"),
            ("a.md~", "folder a.md~"),
            ("x/4913", "folder x/4913"),
            ("x.md.part", "folder x.md.part"),
            ("", "everything"),
            (".memignore", "everything"),
            ("x/y/.gitignore", "everything"),
            ("x/.ignore", "everything"),
            (".obsidian", "everything"),
            (".obsidian/app.json", "everything"),
            (".obsidian/workspace.json", ""),
            (".obsidian/x/.gitignore", ""),
            (".hidden.md", ""),
            (".mem", ""),
            (".mem/trash/r/a.md", ""),
            (".git/a.md", ""),
            ("x/.~mem-20261121-055900-k3f9-0", ""),
            ("x/.a.md.swp", ""),
            ("x/.#a.md", ""),
            ("x/.syncthing.a.md.tmp", ""),
            ("x/.a.md.AbC123", ""),
        ] {
            assert_eq!(found(EventKind::Any, path), expected, "{path}");
        }
    }

    #[test]
    fn event_kinds_are_ignored() {
        let rename = |mode| EventKind::Modify(ModifyKind::Name(mode));
        for kind in [
            EventKind::Any,
            EventKind::Other,
            EventKind::Create(CreateKind::Folder),
            EventKind::Create(CreateKind::File),
            EventKind::Remove(RemoveKind::File),
            EventKind::Remove(RemoveKind::Folder),
            EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any)),
            rename(RenameMode::From),
            rename(RenameMode::To),
            rename(RenameMode::Any),
        ] {
            assert_eq!(found(kind, "a.md"), "note a.md", "{kind:?}");
            assert_eq!(found(kind, "x"), "folder x", "{kind:?}");
        }
        let written = EventKind::Access(AccessKind::Close(AccessMode::Write));
        let data = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        for kind in [written, data] {
            assert_eq!(found(kind, "a.md"), "note a.md", "{kind:?}");
            assert_eq!(found(kind, "tea.jpg"), "", "{kind:?}");
            assert_eq!(found(kind, ".gitignore"), "everything", "{kind:?}");
        }
        for kind in [
            AccessKind::Any,
            AccessKind::Read,
            AccessKind::Open(AccessMode::Any),
            AccessKind::Close(AccessMode::Read),
        ] {
            assert_eq!(found(EventKind::Access(kind), "a.md"), "", "{kind:?}");
        }
    }

    #[test]
    fn a_rename_is_about_both_ends_and_an_overflow_about_all() {
        let root = Path::new("/v");
        let both = EventKind::Modify(ModifyKind::Name(RenameMode::Both));
        let event = Event::new(both)
            .add_path(root.join("a.md"))
            .add_path(root.join("b.md"));
        assert_eq!(dirty_paths(root, &event).len(), 2);
        let elsewhere = Event::new(EventKind::Any).add_path("/elsewhere/a.md".into());
        assert_eq!(dirty_paths(root, &elsewhere), []);
        let lost = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        assert_eq!(dirty_paths(root, &lost), [DirtyPath::Everything]);
    }
}

//! Computes the new content of every file of a plan, without writing.
//!
//! [`preview`] returns all that a dry run shows and all that [`super::apply`] writes. Several
//! groups of a plan may edit one note. All edits refer to the text that the planner read, so the
//! edits of all accepted groups are applied to that text together. A group whose edits overlap
//! those of an earlier one is dropped and planned again next time.
//!
//! A move is an optional edit under the old path, an arrival at the new path, and a departure from
//! the old one. Later groups use the new path, and their edits still refer to the text as read.
//! Folders that a move empties stay, because they belong to the person.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use super::file_op::{CompiledGroup, FileOp, FileWrite};
use super::link_check::{self, EditedNote};
use super::{DropReason, trash};
use crate::finding::{Change, Group, Plan};
use crate::note::front_matter::{matter, seal};
use crate::note::{ContentHash, Edit, VaultPath, edit};
use crate::vault::{ReadError, Vault, WriteRefusal, is_same_name};

/// The result of drafting a change, by default with the reason why its group is dropped.
type Result<T, E = DropReason> = std::result::Result<T, E>;

/// The compiled form of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompileOutcome {
    Ready(CompiledGroup),
    /// All files already have the wanted state.
    Unchanged,
    Dropped {
        /// The note that prevents the change.
        path: VaultPath,
        reason: DropReason,
    },
}

/// Returns what each group of the plan would write, given the groups before it.
pub fn preview(vault: &Vault, plan: &Plan) -> Vec<CompileOutcome> {
    let mut overlay = Overlay::new(vault);
    plan.groups
        .iter()
        .map(|group| match compile(&mut overlay, group) {
            Ok(writes) if writes.is_empty() => CompileOutcome::Unchanged,
            Ok(writes) => CompileOutcome::Ready(CompiledGroup {
                title: group.title.clone(),
                reason: group.reason.clone(),
                undoes: None,
                question: group.question,
                writes,
            }),
            Err((path, reason)) => CompileOutcome::Dropped { path, reason },
        })
        .collect()
}

fn compile(
    overlay: &mut Overlay,
    group: &Group,
) -> Result<Vec<FileWrite>, (VaultPath, DropReason)> {
    let mut draft = GroupDraft::new(overlay);
    for change in &group.changes {
        draft
            .add(change)
            .map_err(|reason| (change.path().clone(), reason))?;
    }
    draft
        .add_unedited_keepers(group)
        .map_err(|(path, reason)| (path.clone(), reason))?;
    link_check::check(group, &draft.edited, &draft.writes)
        .map_err(|(path, damage)| (path, damage.into()))?;
    Ok(draft.accept())
}

/// The notes as they will be after all groups accepted so far.
pub(super) struct Overlay<'a> {
    vault: &'a Vault,
    notes: HashMap<VaultPath, PendingNote>,
}

#[derive(Clone, Default)]
struct PendingNote {
    /// The text that `edits` refer to, and its hash.
    original: Option<(Arc<str>, ContentHash)>,
    edits: Vec<Edit>,
    current: Option<Arc<str>>,
    mode: Option<u32>,
    attributes_from: Option<PathBuf>,
}

impl PendingNote {
    fn with_text(text: Arc<str>, hash: ContentHash, mode: Option<u32>) -> Self {
        Self {
            current: Some(Arc::clone(&text)),
            original: Some((text, hash)),
            mode,
            ..Self::default()
        }
    }

    /// Returns the change of the note to `after` by `edits`, if it changes.
    fn edited(&self, path: &VaultPath, after: &Arc<str>, edits: &[Edit]) -> Option<EditedNote> {
        let (original, _) = self.original.as_ref()?;
        let before = self.current.as_ref()?;
        let is_changed = before != after;
        is_changed.then(|| EditedNote::new(path, original, [before, after], &self.edits, edits))
    }

    fn write(
        &self,
        path: VaultPath,
        op: FileOp,
        before: Option<Arc<str>>,
        after: Option<Arc<str>>,
    ) -> FileWrite {
        FileWrite {
            path,
            op,
            before,
            after,
            mode: self.mode,
            attributes_from: self.attributes_from.clone(),
            folders: Vec::new(),
        }
    }
}

impl<'a> Overlay<'a> {
    pub(super) fn new(vault: &'a Vault) -> Self {
        Self {
            vault,
            notes: HashMap::new(),
        }
    }
}

/// A group being compiled; without [`GroupDraft::accept`] it has no effect.
pub(super) struct GroupDraft<'o, 'a> {
    overlay: &'o mut Overlay<'a>,
    changed: HashMap<VaultPath, PendingNote>,
    edited: Vec<EditedNote>,
    writes: Vec<FileWrite>,
}

impl<'o, 'a> GroupDraft<'o, 'a> {
    pub(super) fn new(overlay: &'o mut Overlay<'a>) -> Self {
        Self {
            overlay,
            changed: HashMap::new(),
            edited: Vec::new(),
            writes: Vec::new(),
        }
    }

    /// Returns the writes, and makes later groups build on them.
    pub(super) fn accept(mut self) -> Vec<FileWrite> {
        self.overlay.notes.extend(self.changed);
        self.writes.sort_by_key(|write| write.after.is_none());
        self.writes
    }

    /// Returns the resolved path of a note and its future text; `None` if it will not exist.
    pub(super) fn current(&mut self, path: &VaultPath) -> Result<(VaultPath, Option<Arc<str>>)> {
        match self.slot(path) {
            Ok((path, slot)) => Ok((path, slot.current)),
            Err(DropReason::Refused(WriteRefusal::Missing)) => Ok((path.clone(), None)),
            Err(reason) => Err(reason),
        }
    }

    fn slot(&mut self, path: &VaultPath) -> Result<(VaultPath, PendingNote)> {
        if let Some(slot) = self.overlay.notes.get(path) {
            return Ok((path.clone(), slot.clone()));
        }
        let (path, meta) = self.overlay.vault.writable(path)?;
        if let Some(slot) = self.overlay.notes.get(&path) {
            return Ok((path, slot.clone()));
        }
        let read = self.overlay.vault.read(&path).map_err(|err| match err {
            ReadError::Missing { .. } => DropReason::Refused(WriteRefusal::Missing),
            ReadError::Outside { .. } => DropReason::Refused(WriteRefusal::Outside),
            ReadError::NotText { .. } => DropReason::NotText,
            ReadError::Io { source, .. } => DropReason::Io(source.to_string()),
        })?;
        let mut slot = PendingNote::with_text(read.text.into(), read.hash, Some(meta.mode));
        slot.attributes_from = Some(self.overlay.vault.absolute(&path));
        // A second group on this note need not read it again.
        self.overlay.notes.insert(path.clone(), slot.clone());
        Ok((path, slot))
    }

    fn put(&mut self, write: FileWrite, slot: PendingNote) -> Result<()> {
        if self.changed.insert(write.path.clone(), slot).is_some() {
            return Err(DropReason::Twice);
        }
        if write.before != write.after {
            self.writes.push(write);
        }
        Ok(())
    }

    /// Adds keepers of merges that have no edit to the notes that `link_check` checks.
    fn add_unedited_keepers<'g>(
        &mut self,
        group: &'g Group,
    ) -> Result<(), (&'g VaultPath, DropReason)> {
        for change in &group.changes {
            if let Change::Trash {
                keeper: Some(keeper),
                ..
            } = change
                && !self.edited.iter().any(|note| note.path == *keeper)
            {
                let (_, slot) = self.slot(keeper).map_err(|reason| (keeper, reason))?;
                let text = slot.current.ok_or((keeper, DropReason::TakenAway))?;
                self.edited.push(EditedNote::unedited(keeper, text));
            }
        }
        Ok(())
    }

    fn add(&mut self, change: &Change) -> Result<()> {
        match change {
            Change::Create { path, text } => {
                self.create(path, FileOp::Create, text.as_str().into(), None)
            }
            Change::Edit { path, base, edits } => {
                let (path, slot) = self.slot(path)?;
                let text = apply_edits(&slot, *base, edits)?;
                self.edited.extend(slot.edited(change.path(), &text, edits));
                self.edit(path, slot, text, edits)
            }
            Change::Move {
                path,
                base,
                to,
                edits,
            } => {
                let (real, mut slot) = self.slot(path)?;
                let text = if edits.is_empty() {
                    // Also valid for a note that mem could not edit.
                    unchanged(&slot, *base)?
                } else {
                    apply_edits(&slot, *base, edits)?
                };
                // A symbolic link: unclear whether the link or its target should move.
                if real != *path {
                    return Err(DropReason::Refused(WriteRefusal::Link));
                }
                self.edited.extend(slot.edited(path, &text, edits));
                slot.edits.extend_from_slice(edits);
                self.relocate(real, slot, to, text, Vec::new())
            }
            Change::Trash {
                path,
                base,
                reason,
                keeper,
            } => {
                let (real, slot) = self.slot(path)?;
                if slot.original.as_ref().is_none_or(|(_, hash)| hash != base) {
                    return Err(DropReason::Changed);
                }
                // A symbolic link: unclear whether the link or its target should be removed.
                if real != *path {
                    return Err(DropReason::Refused(WriteRefusal::Link));
                }
                let op = FileOp::Trash {
                    reason: reason.clone(),
                    keeper: keeper.clone(),
                };
                self.trash(&real, op, Vec::new())
            }
        }
    }

    fn edit(
        &mut self,
        path: VaultPath,
        mut slot: PendingNote,
        text: Arc<str>,
        edits: &[Edit],
    ) -> Result<()> {
        let before = slot.current.replace(Arc::clone(&text));
        slot.edits.extend_from_slice(edits);
        let write = slot.write(path, FileOp::Edit, before, Some(text));
        self.put(write, slot)
    }

    /// Replaces the whole text of a note.
    pub(super) fn rewrite(&mut self, path: &VaultPath, text: Arc<str>) -> Result<()> {
        let (path, old) = self.slot(path)?;
        let hash = ContentHash::of(text.as_bytes());
        let slot = PendingNote {
            attributes_from: old.attributes_from,
            ..PendingNote::with_text(Arc::clone(&text), hash, old.mode)
        };
        let write = slot.write(path, FileOp::Edit, old.current, Some(text));
        self.put(write, slot)
    }

    /// Moves a note to a path that will be free, with a new text.
    pub(super) fn move_to(
        &mut self,
        path: &VaultPath,
        to: &VaultPath,
        text: Arc<str>,
        folders: Vec<String>,
    ) -> Result<()> {
        let (path, slot) = self.slot(path)?;
        self.relocate(path, slot, to, text, folders)
    }

    fn relocate(
        &mut self,
        path: VaultPath,
        mut slot: PendingNote,
        to: &VaultPath,
        text: Arc<str>,
        folders: Vec<String>,
    ) -> Result<()> {
        let before = slot.current.replace(Arc::clone(&text));
        if before.is_none() {
            return Err(DropReason::TakenAway);
        }
        let to = self.free_path(to, Some(&path))?;
        if before.as_deref() != Some(&*text) {
            let after = Some(Arc::clone(&text));
            let edit = slot.write(path.clone(), FileOp::Edit, before, after);
            self.writes.push(edit);
        }
        let arrive = FileOp::Arrive { from: path.clone() };
        let after = Some(Arc::clone(&text));
        self.writes
            .push(slot.write(to.clone(), arrive, None, after));
        let depart = FileOp::Depart { to: to.clone() };
        self.writes.push(FileWrite {
            folders,
            ..slot.write(path.clone(), depart, Some(text), None)
        });
        let twice = self.changed.insert(path, PendingNote::default()).is_some()
            | self.changed.insert(to, slot).is_some();
        if twice {
            return Err(DropReason::Twice);
        }
        Ok(())
    }

    pub(super) fn trash(
        &mut self,
        path: &VaultPath,
        op: FileOp,
        folders: Vec<String>,
    ) -> Result<()> {
        let (path, slot) = self.slot(path)?;
        let before = slot.current.clone().ok_or(DropReason::TakenAway)?;
        let write = FileWrite {
            folders,
            ..slot.write(path, op, Some(before), None)
        };
        self.put(write, PendingNote::default())
    }

    /// Creates a note at a path that will be free.
    pub(super) fn create(
        &mut self,
        path: &VaultPath,
        op: FileOp,
        text: Arc<str>,
        mode: Option<u32>,
    ) -> Result<()> {
        let path = self.free_path(path, None)?;
        let mut slot =
            PendingNote::with_text(Arc::clone(&text), ContentHash::of(text.as_bytes()), mode);
        if let FileOp::Restore { from } = &op {
            slot.attributes_from = Some(trash::location(self.overlay.vault, from, &path));
        }
        let write = slot.write(path, op, None, Some(text));
        self.put(write, slot)
    }

    /// Returns the resolved target path, if no note will exist there.
    fn free_path(&self, path: &VaultPath, from: Option<&VaultPath>) -> Result<VaultPath> {
        let vault = self.overlay.vault;
        let is_respelled = |from: &VaultPath| {
            let [from, to] = [from, path].map(|path| vault.absolute(path));
            is_same_name(vault.fs(), &from, &to)
        };
        if from.is_some_and(is_respelled) {
            return Ok(vault.vacant_for(path, from)?);
        }
        let taken_away = |slot: &PendingNote| slot.current.is_none();
        let path = match self.overlay.notes.get(path) {
            Some(slot) if taken_away(slot) => path.clone(),
            Some(_) => return Err(DropReason::Refused(WriteRefusal::Exists)),
            None => vault.vacant(path)?,
        };
        match self.overlay.notes.get(&path) {
            Some(slot) if !taken_away(slot) => Err(DropReason::Refused(WriteRefusal::Exists)),
            _ => Ok(path),
        }
    }
}

/// Returns the current text, if the note was read as `base`.
fn unchanged(slot: &PendingNote, base: ContentHash) -> Result<Arc<str>> {
    match (&slot.original, &slot.current) {
        (Some((_, hash)), Some(text)) if *hash == base => Ok(Arc::clone(text)),
        (Some(_), Some(_)) => Err(DropReason::Changed),
        _ => Err(DropReason::TakenAway),
    }
}

/// Applies the edits of the accepted groups and these together.
fn apply_edits(slot: &PendingNote, base: ContentHash, edits: &[Edit]) -> Result<Arc<str>> {
    let (text, hash) = slot.original.as_ref().ok_or(DropReason::TakenAway)?;
    if *hash != base {
        return Err(DropReason::Changed);
    }
    if slot.current.is_none() {
        return Err(DropReason::TakenAway);
    }
    let all: Vec<Edit> = slot.edits.iter().chain(edits).cloned().collect();
    let after = edit::apply(text, &all).map_err(|err| DropReason::Edit(err.to_string()))?;
    // Unreadable front matter is only edited to make it readable.
    if let Some(problem) = matter::problem(text).filter(|_| matter::problem(&after).is_some()) {
        return Err(DropReason::Edit(problem.to_string()));
    }
    // An edit by mem keeps the note managed if no person edited it.
    if seal::is_sealed(text) {
        return Ok(seal::reseal(&after).into());
    }
    Ok(after.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn path(text: &str) -> VaultPath {
        VaultPath::new(text).unwrap()
    }

    fn replace(text: &str, was: &str, new: &str) -> Edit {
        let start = text.find(was).unwrap();
        Edit::Replace {
            span: start..start + was.len(),
            was: was.to_owned(),
            text: new.to_owned(),
        }
    }

    fn group(changes: Vec<Change>) -> Group {
        Group {
            title: "t".to_owned(),
            reason: "r".to_owned(),
            changes,
            ..Group::default()
        }
    }

    fn edit(name: &str, text: &str, was: &str, new: &str) -> Change {
        let base = ContentHash::of(text.as_bytes());
        Change::Edit {
            path: path(name),
            base,
            edits: vec![replace(text, was, new)],
        }
    }

    fn trash(name: &str, text: &str) -> Change {
        let base = ContentHash::of(text.as_bytes());
        Change::Trash {
            path: path(name),
            base,
            reason: "why".to_owned(),
            keeper: None,
        }
    }

    fn create(name: &str, text: &str) -> Change {
        Change::Create {
            path: path(name),
            text: text.to_owned(),
        }
    }

    /// Returns each group as `path: before -> after` lines, or the reason why it was dropped.
    fn preview_lines(groups: Vec<Vec<Change>>) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".mem")).unwrap();
        for (name, text) in [("a.md", "one two three"), ("b.md", "bee")] {
            fs::write(dir.path().join(name), text).unwrap();
        }
        fs::write(dir.path().join("bytes.md"), b"\xff").unwrap();
        std::os::unix::fs::symlink("b.md", dir.path().join("link.md")).unwrap();
        let vault = Vault::open(dir.path()).unwrap();
        let plan = Plan {
            job: "test".to_owned(),
            groups: groups.into_iter().map(group).collect(),
        };
        let show = |text: &Option<Arc<str>>| text.as_deref().unwrap_or("nothing").to_owned();
        preview(&vault, &plan)
            .iter()
            .map(|compiled| match compiled {
                CompileOutcome::Ready(ready) => ready
                    .writes
                    .iter()
                    .map(|w| format!("{}: {} -> {}", w.path, show(&w.before), show(&w.after)))
                    .collect::<Vec<_>>()
                    .join("; "),
                CompileOutcome::Unchanged => "unchanged".to_owned(),
                CompileOutcome::Dropped { path, reason } => format!("dropped {path}: {reason}"),
            })
            .collect()
    }

    fn moved(name: &str, text: &str, to: &str, edits: Vec<Edit>) -> Change {
        Change::Move {
            path: path(name),
            base: ContentHash::of(text.as_bytes()),
            to: path(to),
            edits,
        }
    }

    type Case = (&'static str, Vec<Vec<Change>>, &'static [&'static str]);

    #[test]
    fn moves() {
        let a = "one two three";
        let cases: [Case; 7] = [
            (
                "edited on the way, then again under the new name, in the text as read",
                vec![
                    vec![moved("a.md", a, "x/y.md", vec![replace(a, "two", "2")])],
                    vec![edit("x/y.md", a, "three", "3")],
                    vec![trash("x/y.md", a)],
                ],
                &[
                    "a.md: one two three -> one 2 three; x/y.md: nothing -> one 2 three; \
                     a.md: one 2 three -> nothing",
                    "x/y.md: one 2 three -> one 2 3",
                    "x/y.md: one 2 3 -> nothing",
                ],
            ),
            (
                "with the links to it, and a note that takes the free name",
                vec![
                    vec![
                        moved("a.md", a, "c.md", vec![]),
                        edit("b.md", "bee", "b", "B"),
                    ],
                    vec![create("a.md", "new")],
                ],
                &[
                    "c.md: nothing -> one two three; b.md: bee -> Bee; a.md: one two three -> nothing",
                    "a.md: nothing -> new",
                ],
            ),
            (
                "on and on, and back",
                vec![
                    vec![moved("a.md", a, "c.md", vec![])],
                    vec![moved("c.md", a, "a.md", vec![replace(a, "one", "1")])],
                ],
                &[
                    "c.md: nothing -> one two three; a.md: one two three -> nothing",
                    "c.md: one two three -> 1 two three; a.md: nothing -> 1 two three; \
                     c.md: 1 two three -> nothing",
                ],
            ),
            (
                "the old name is gone",
                vec![
                    vec![moved("a.md", a, "c.md", vec![])],
                    vec![edit("a.md", a, "one", "1")],
                    vec![moved("a.md", a, "d.md", vec![])],
                ],
                &[
                    "c.md: nothing -> one two three; a.md: one two three -> nothing",
                    "dropped a.md: removed by an earlier change of this run",
                    "dropped a.md: removed by an earlier change of this run",
                ],
            ),
            (
                "never over anything",
                vec![
                    vec![moved("a.md", a, "b.md", vec![])],
                    vec![moved("a.md", a, "a.md", vec![])],
                ],
                &[
                    "dropped a.md: something is already there",
                    "dropped a.md: something is already there",
                ],
            ),
            (
                "twice in one group",
                vec![vec![
                    edit("a.md", a, "one", "1"),
                    moved("a.md", a, "c.md", vec![]),
                ]],
                &["dropped a.md: changed twice in one group"],
            ),
            (
                "what does not fit",
                vec![
                    vec![moved("a.md", "other", "c.md", vec![])],
                    vec![moved("link.md", "bee", "c.md", vec![])],
                    vec![moved("none.md", "bee", "c.md", vec![])],
                    vec![moved("b.md", "bee", "b.txt", vec![])],
                    vec![moved("b.md", "bee", ".mem/b.md", vec![])],
                ],
                &[
                    "dropped a.md: changed since it was read",
                    "dropped link.md: a symbolic link",
                    "dropped none.md: not found",
                    "dropped b.md: not the name of a note",
                    "dropped b.md: not the name of a note",
                ],
            ),
        ];
        for (name, groups, expected) in cases {
            assert_eq!(preview_lines(groups), expected, "{name}");
        }
    }

    #[test]
    fn groups_build_on_each_other() {
        let a = "one two three";
        let cases: [Case; 6] = [
            (
                "two groups edit one note in its original coordinates",
                vec![
                    vec![edit("a.md", a, "one", "1111")],
                    vec![edit("a.md", a, "three", "3")],
                ],
                &[
                    "a.md: one two three -> 1111 two three",
                    "a.md: 1111 two three -> 1111 two 3",
                ],
            ),
            (
                "overlapping edits drop the later group, and a third still fits",
                vec![
                    vec![edit("a.md", a, "one two", "x")],
                    vec![create("n.md", "n"), edit("a.md", a, "two three", "y")],
                    vec![create("n.md", "n")],
                ],
                &[
                    "a.md: one two three -> x three",
                    "dropped a.md: bytes 4..13 would be replaced twice",
                    "n.md: nothing -> n",
                ],
            ),
            (
                "what is taken away goes last",
                vec![vec![trash("b.md", "bee"), edit("a.md", a, "one", "1")]],
                &["a.md: one two three -> 1 two three; b.md: bee -> nothing"],
            ),
            (
                "edited, then taken away, then no more",
                vec![
                    vec![edit("b.md", "bee", "b", "B")],
                    vec![trash("b.md", "bee")],
                    vec![edit("b.md", "bee", "e", "E")],
                ],
                &[
                    "b.md: bee -> Bee",
                    "b.md: Bee -> nothing",
                    "dropped b.md: removed by an earlier change of this run",
                ],
            ),
            (
                "created, then edited",
                vec![
                    vec![create("n.md", "new")],
                    vec![edit("n.md", "new", "n", "N")],
                ],
                &["n.md: nothing -> new", "n.md: new -> New"],
            ),
            (
                "nothing to do",
                vec![vec![edit("a.md", a, "one", "one")], vec![]],
                &["unchanged", "unchanged"],
            ),
        ];
        for (name, groups, expected) in cases {
            assert_eq!(preview_lines(groups), expected, "{name}");
        }
    }

    #[test]
    fn invalid_changes_are_dropped() {
        let cases: [Case; 3] = [
            (
                "one note twice, also by its other name",
                vec![
                    vec![edit("b.md", "bee", "b", "B"), edit("b.md", "bee", "e", "E")],
                    vec![
                        edit("b.md", "bee", "b", "B"),
                        edit("link.md", "bee", "bee", "E"),
                    ],
                ],
                &[
                    "dropped b.md: changed twice in one group",
                    "dropped link.md: changed twice in one group",
                ],
            ),
            (
                "a link is edited where it leads, and never taken away",
                vec![
                    vec![edit("link.md", "bee", "b", "B")],
                    vec![trash("link.md", "bee")],
                ],
                &["b.md: bee -> Bee", "dropped link.md: a symbolic link"],
            ),
            (
                "what does not fit",
                vec![
                    vec![edit("a.md", "one", "one", "1")],
                    vec![trash("a.md", "one")],
                    vec![edit("none.md", "x", "x", "y")],
                    vec![create("a.md", "x")],
                    vec![create(".git/hooks/x.md", "x")],
                    vec![edit("bytes.md", "x", "x", "y")],
                ],
                &[
                    "dropped a.md: changed since it was read",
                    "dropped a.md: changed since it was read",
                    "dropped none.md: not found",
                    "dropped a.md: something is already there",
                    "dropped .git/hooks/x.md: not the name of a note",
                    "dropped bytes.md: not UTF-8 text",
                ],
            ),
        ];
        for (name, groups, expected) in cases {
            assert_eq!(preview_lines(groups), expected, "{name}");
        }
    }
}

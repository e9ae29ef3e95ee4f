//! Settles runs that a crash cut short, without a person.
//!
//! Every writer calls [`recover`] under the lock before it begins; readers only ask
//! [`History::is_unfinished`]. The record of a run was on disk before it changed anything, with
//! every text before and after, so that what each file holds now tells how far the run came, in
//! whatever order the disk kept its last steps. Per group:
//!
//! - all files new: it is finished; all old: it was never begun;
//! - some of each: it is finished from the images, for nothing but power was in its way;
//! - a file that holds neither was edited by a person since: it is left alone and reported. If a
//!   later file of the group is new, the person edited the new text, and that file counts as new;
//!   else the files that are new are put back, and with them every later group that builds on one.
//!
//! A note that was moved counts as such under its new name, whatever was written into it since, and
//! what stands under its old name by then is another note. If the run got as far as writing its
//! outcome, all of it was on the disk before, so that only the record is filed. What an editor saved
//! at the moment of a swap, and the crash left under the hidden name, goes back to its note first.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::compile::Act;
use super::execute::{remove_temp, sync_many, tidy};
use super::history::{Concluded, GroupEnd, History, Image, Run, RunFile};
use super::run_id::RunId;
use super::{ChangeError, Why, at, trash};
use crate::note::hash::ContentHash;
use crate::note::path::VaultPath;
use crate::vault::Vault;
use crate::vault::fs::{Kind, Meta};
use crate::vault::swap::{
    SwapError, carry, hash, is_same_name, put_new, stage, swap_in, take_away,
};

/// What an interrupted run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The run.
    pub run: RunId,
    /// One per group of its record; empty if the record cannot be used.
    pub groups: Vec<Settled>,
    /// Notes that somebody edited since, and that were left as they are.
    pub left_alone: Vec<VaultPath>,
    /// Why its record cannot be used, and stays where it is.
    pub problem: Option<String>,
}

/// What a group of an interrupted run came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// It is applied.
    Finished,
    /// Its files are as they were before.
    RolledBack,
}

impl From<&GroupEnd> for Settled {
    fn from(end: &GroupEnd) -> Self {
        match end {
            GroupEnd::Applied => Self::Finished,
            GroupEnd::Dropped { .. } => Self::RolledBack,
        }
    }
}

/// Settles every interrupted run, oldest first; the caller holds the lock.
pub fn recover(vault: &Vault, history: &History<'_>) -> Result<Vec<Recovered>, ChangeError> {
    let mut settled = Vec::new();
    for id in history.cut_short()? {
        let unusable = |problem: String| Recovered {
            run: id.clone(),
            groups: Vec::new(),
            left_alone: Vec::new(),
            problem: Some(problem),
        };
        match history.load_cut_short(&id) {
            // It had not begun to change anything.
            Ok(None) => {
                history.discard(&id)?;
            }
            Ok(Some((run, end))) => {
                match Recovery::new(vault, history, &run).settle(end.as_ref()) {
                    Ok(recovered) => settled.push(recovered),
                    Err(err @ ChangeError::Record { .. }) => {
                        settled.push(unusable(err.to_string()));
                    }
                    Err(err) => return Err(err),
                }
            }
            Err(err @ ChangeError::Record { .. }) => settled.push(unusable(err.to_string())),
            Err(err) => return Err(err),
        }
    }
    Ok(settled)
}

/// What a note holds; nothing if it is not there.
type Content = Option<ContentHash>;

/// What stands there cannot be read, or is no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unclear;

struct Recovery<'a> {
    vault: &'a Vault,
    history: &'a History<'a>,
    run: &'a Run,
    /// Per note, what it held before the run and after each of its changes.
    chains: HashMap<&'a VaultPath, Vec<Content>>,
    /// Where notes were moved to, by their old names, and the other way round.
    moves: HashMap<&'a VaultPath, &'a VaultPath>,
    touched: BTreeSet<PathBuf>,
    left_alone: BTreeSet<VaultPath>,
}

/// Where a file of a group stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It has not had this change; `true` if it is just before it.
    Old(bool),
    /// It has had this change; `true` if it is just after it.
    New(bool),
    /// Somebody else changed it.
    Other,
}

/// A file of a group and which of the changes of its note it is.
type Step<'a> = (&'a RunFile, usize);

impl<'a> Recovery<'a> {
    fn new(vault: &'a Vault, history: &'a History<'a>, run: &'a Run) -> Self {
        let mut chains: HashMap<&VaultPath, Vec<Content>> = HashMap::new();
        let mut moves = HashMap::new();
        for file in run.groups.iter().flat_map(|group| &group.files) {
            let chain = chains
                .entry(&file.path)
                .or_insert_with(|| vec![file.before.map(|image| image.hash)]);
            chain.push(file.after.map(|image| image.hash));
            if let Act::Arrive { from: other } | Act::Depart { to: other } = &file.act {
                moves.insert(&file.path, other);
            }
        }
        Self {
            vault,
            history,
            run,
            chains,
            moves,
            touched: BTreeSet::new(),
            left_alone: BTreeSet::new(),
        }
    }

    fn settle(mut self, end: Option<&Concluded>) -> Result<Recovered, ChangeError> {
        let groups = match end {
            // All of it was on the disk: notes that differ now were changed by their owner since.
            Some(end) => end.groups.iter().map(Settled::from).collect(),
            None => self.settle_notes()?,
        };
        self.close(end, &groups)?;
        Ok(Recovered {
            run: self.run.id.clone(),
            groups,
            left_alone: self.left_alone.into_iter().collect(),
            problem: None,
        })
    }

    fn settle_notes(&mut self) -> Result<Vec<Settled>, ChangeError> {
        self.give_back();
        let groups = self.steps();
        let mut settled: Vec<Settled> = Vec::with_capacity(groups.len());
        let mut put_back: HashSet<&VaultPath> = HashSet::new();
        for steps in &groups {
            let places: Vec<Place> = steps.iter().map(|step| self.place(*step)).collect();
            let builds_on = steps.iter().any(|(file, _)| put_back.contains(&file.path));
            let finish = places.is_empty() || should_finish(&places) && !builds_on;
            settled.push(if finish {
                Settled::Finished
            } else {
                put_back.extend(steps.iter().map(|(file, _)| &file.path));
                Settled::RolledBack
            });
        }
        for (steps, settled) in groups.iter().zip(&settled).rev() {
            for step in steps
                .iter()
                .rev()
                .filter(|_| *settled == Settled::RolledBack)
            {
                let done = match (&step.0.act, self.place(*step)) {
                    (_, Place::Other) => Err(SwapError::Changed),
                    (_, Place::New(true)) => self.back(step.0),
                    (Act::Arrive { from }, Place::Old(true)) => self.bring_back(step.0, from),
                    _ => Ok(()),
                };
                self.done(step.0, done)?;
            }
        }
        for (steps, settled) in groups.iter().zip(&settled) {
            for step in steps.iter().filter(|_| *settled == Settled::Finished) {
                let done = match self.place(*step) {
                    Place::Other => Err(SwapError::Changed),
                    Place::Old(true) => self.forward(step.0),
                    _ => Ok(()),
                };
                self.done(step.0, done)?;
            }
        }
        Ok(settled)
    }

    fn steps(&self) -> Vec<Vec<Step<'a>>> {
        let mut next: HashMap<&VaultPath, usize> = HashMap::new();
        let mut step = |file: &'a RunFile| {
            let next = next.entry(&file.path).or_insert(0);
            *next += 1;
            (file, *next - 1)
        };
        let groups = self.run.groups.iter();
        groups
            .map(|group| group.files.iter().map(&mut step).collect())
            .collect()
    }

    fn done(&mut self, file: &RunFile, done: Result<(), SwapError>) -> Result<(), ChangeError> {
        match done {
            Ok(()) => {}
            Err(SwapError::Io(err)) => return Err(at(self.vault.place(&file.path))(err)),
            // Somebody was at it, or is right now.
            Err(
                SwapError::Changed
                | SwapError::Missing
                | SwapError::Exists
                | SwapError::OtherFileSystem
                | SwapError::Contended,
            ) => {
                self.left_alone.insert(file.path.clone());
            }
        }
        Ok(())
    }

    /// Puts what an editor saved at the moment of a swap or a move back to its note.
    fn give_back(&mut self) {
        let fs = self.vault.fs();
        for file in self.run.groups.iter().flat_map(|group| &group.files) {
            let note = self.vault.place(&file.path);
            let [before, after] = [file.before, file.after].map(|image| image.map(|i| i.hash));
            let is_ours = |content: ContentHash| [before, after].contains(&Some(content));
            match &file.act {
                Act::Edit => {
                    let temp = note.with_file_name(&file.temp);
                    let displaced = hash(fs, &temp).is_ok_and(|(found, _)| !is_ours(found));
                    if let Some(after) = after
                        && displaced
                        && swap_in(fs, &note, &temp, after).is_ok()
                    {
                        self.touched.extend(note.parent().map(Path::to_owned));
                    }
                }
                Act::Trash { .. } => {
                    let away = trash::place(self.vault, &self.run.id, &file.path);
                    if hash(fs, &away).is_ok_and(|(found, _)| !is_ours(found)) {
                        let _ = fs.rename_new(&away, &note);
                        self.touch(&away, &note);
                    }
                }
                // A note that moved keeps what was saved into it, under its new name.
                Act::Create | Act::Restore { .. } | Act::Arrive { .. } | Act::Depart { .. } => {}
            }
        }
    }

    fn touch(&mut self, one: &Path, other: &Path) {
        self.touched.extend(
            [one, other]
                .into_iter()
                .filter_map(Path::parent)
                .map(Path::to_owned),
        );
    }

    /// Returns where a note stands with respect to one change of it.
    fn place(&self, (file, step): Step<'_>) -> Place {
        let Ok(content) = self.content(&file.path) else {
            return Place::Other;
        };
        let chain = &self.chains[&file.path];
        // A text that comes twice may be either; that it is the later one is as good.
        let known = |content: Content| chain.iter().rposition(|known| *known == content);
        let at = known(content).or_else(|| match &file.act {
            // Moved, and edited since.
            Act::Arrive { from } if self.content(from) == Ok(None) => Some(step + 1),
            // Moved, and somebody put another note under its old name.
            _ if self.has_left(&file.path) => known(None),
            _ => None,
        });
        match at {
            None => Place::Other,
            Some(at) if at <= step => Place::Old(at == step),
            Some(at) => Place::New(at == step + 1),
        }
    }

    /// Returns what stands under exactly this name; an error if it cannot be told.
    fn content(&self, path: &VaultPath) -> Result<Content, Unclear> {
        let place = self.vault.place(path);
        match hash(self.vault.fs(), &place) {
            Ok(_) if self.is_other_spelling(path, &place) => Ok(None),
            Ok((found, _)) => Ok(Some(found)),
            Err(SwapError::Missing) => Ok(None),
            Err(_) => Err(Unclear),
        }
    }

    /// Tells whether what stands at `path` is the note that was moved from or to there, and goes by
    /// its other name, as it may where case does not count.
    fn is_other_spelling(&self, path: &VaultPath, place: &Path) -> bool {
        let fs = self.vault.fs();
        let other = self.moves.get(path).map(|other| self.vault.place(other));
        let (Some(other), Some(folder)) = (other, place.parent()) else {
            return false;
        };
        let name = place.file_name().unwrap_or_default();
        is_same_name(fs, place, &other)
            && fs
                .list(folder)
                .is_ok_and(|names| names.iter().all(|listed| listed != name))
    }

    /// Tells whether a note that was to be moved stands under its new name.
    fn has_left(&self, path: &VaultPath) -> bool {
        let is_known = |to: &VaultPath| match self.content(to) {
            Ok(Some(found)) => self.chains[to].contains(&Some(found)),
            _ => false,
        };
        self.moves.get(path).is_some_and(|to| is_known(to))
    }

    fn image(&self, image: Option<Image>) -> Result<String, SwapError> {
        let image = image.ok_or_else(|| io::Error::other("the record holds no text"))?;
        self.history
            .image(&self.run.id, image)
            .map_err(|err| io::Error::other(err).into())
    }

    /// Sees to it that the staged file of a note holds a text of the run.
    fn restage(&self, file: &RunFile, image: Option<Image>) -> Result<PathBuf, SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.place(&file.path);
        let temp = note.with_file_name(&file.temp);
        let wanted = image.map(|image| image.hash);
        if hash(fs, &temp).is_ok_and(|(found, _)| Some(found) == wanted) {
            return Ok(temp);
        }
        let text = self.image(image)?;
        remove_temp(self.vault, self.run, file, Some(self.history));
        let like = fs.stat(&note).is_ok_and(|meta| meta.kind == Kind::File);
        stage(fs, &temp, text.as_bytes(), like.then_some(&note))?;
        if let Some(mode) = file.mode.filter(|_| !like) {
            fs.set_mode(&temp, mode)?;
        }
        fs.sync(&temp)?;
        Ok(temp)
    }

    /// Gives a file that is just before its change that change.
    fn forward(&mut self, file: &RunFile) -> Result<(), SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.place(&file.path);
        match (&file.act, file.before) {
            (Act::Edit, Some(before)) => {
                let temp = self.restage(file, file.after)?;
                self.touch(&temp, &note);
                swap_in(fs, &note, &temp, before.hash).map(|_| ())
            }
            (Act::Trash { .. }, Some(before)) => {
                trash::make_room(self.vault, &self.run.id, &file.path)?;
                let to = trash::place(self.vault, &self.run.id, &file.path);
                self.touch(&to, &note);
                take_away(fs, &note, &to, before.hash).map(|_| ())
            }
            (Act::Arrive { from }, _) => {
                let old = self.vault.place(from);
                match self.content(from) {
                    Ok(Some(now)) => {
                        self.make_folders(file)?;
                        self.touch(&old, &note);
                        carry(fs, &old, &note, &note.with_file_name(&file.temp), now)
                    }
                    // On its way by the hidden name, or lost.
                    Ok(None) => self.bring(file, file.after),
                    Err(Unclear) => Err(SwapError::Changed),
                }
            }
            // It has arrived and is still here: under both names, or a copy.
            (Act::Depart { to }, _) => {
                let new = self.vault.place(to);
                let is_one_file =
                    |one: Meta, other: Meta| (one.device, one.inode) == (other.device, other.inode);
                self.touch(&note, &new);
                if is_one_file(fs.stat(&note)?, fs.stat(&new)?) {
                    return Ok(fs.remove_file(&note)?);
                }
                Err(SwapError::Exists)
            }
            _ => self.bring(file, file.after),
        }
    }

    /// Takes its change from a file that is just after it.
    fn back(&mut self, file: &RunFile) -> Result<(), SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.place(&file.path);
        let temp = note.with_file_name(&file.temp);
        match (&file.act, file.after) {
            (Act::Edit, Some(after)) => {
                let temp = self.restage(file, file.before)?;
                self.touch(&temp, &note);
                swap_in(fs, &note, &temp, after.hash).map(|_| ())
            }
            (Act::Trash { .. }, _) => self.bring(file, file.before),
            (Act::Restore { from }, Some(after)) => {
                trash::make_room(self.vault, from, &file.path)?;
                let to = trash::place(self.vault, from, &file.path);
                self.touch(&to, &note);
                take_away(fs, &note, &to, after.hash).map(|_| ())
            }
            (Act::Arrive { from }, _) => {
                let old = self.vault.place(from);
                self.touch(&old, &note);
                // Whatever it holds by now: that is the note.
                let (now, _) = hash(fs, &note)?;
                carry(fs, &note, &old, &temp, now)
            }
            (_, Some(after)) => {
                remove_temp(self.vault, self.run, file, Some(self.history));
                self.touch(&temp, &note);
                take_away(fs, &note, &temp, after.hash).map(|_| ())
            }
            (_, None) => Ok(()),
        }
    }

    fn make_folders(&self, file: &RunFile) -> io::Result<()> {
        for folder in &file.made {
            let made = self
                .vault
                .fs()
                .create_folder(&self.vault.root().join(folder), 0o777);
            match made {
                Err(err) if err.kind() != io::ErrorKind::AlreadyExists => return Err(err),
                _ => {}
            }
        }
        Ok(())
    }

    /// Gives a note its old name again that stands under neither.
    fn bring_back(&mut self, file: &RunFile, from: &VaultPath) -> Result<(), SwapError> {
        if self.content(from) != Ok(None) {
            return Ok(());
        }
        let temp = self.restage(file, file.after)?;
        let old = self.vault.place(from);
        self.touch(&temp, &old);
        put_new(self.vault.fs(), &temp, &old)
    }

    /// Makes a note stand where none does: from the trash if it is there, else from its image.
    fn bring(&mut self, file: &RunFile, image: Option<Image>) -> Result<(), SwapError> {
        let fs = self.vault.fs();
        let note = self.vault.place(&file.path);
        self.make_folders(file)?;
        let away = match &file.act {
            Act::Restore { from } => Some(trash::place(self.vault, from, &file.path)),
            Act::Trash { .. } => Some(trash::place(self.vault, &self.run.id, &file.path)),
            Act::Create | Act::Edit | Act::Arrive { .. } | Act::Depart { .. } => None,
        };
        if let (Some(away), Some(image)) = (away, image)
            && hash(fs, &away).is_ok_and(|(found, _)| found == image.hash)
        {
            self.touch(&away, &note);
            return take_away(fs, &away, &note, image.hash).map(|_| ());
        }
        let temp = self.restage(file, image)?;
        self.touch(&temp, &note);
        put_new(fs, &temp, &note)
    }

    /// Removes what lies about, syncs, and files the record.
    fn close(&mut self, end: Option<&Concluded>, groups: &[Settled]) -> Result<(), ChangeError> {
        let applied = |group: usize| groups[group] == Settled::Finished;
        let tidied = tidy(self.vault, self.run, applied, Some(self.history));
        self.touched.extend(tidied);
        let fs = self.vault.fs();
        let folders: Vec<&Path> = self
            .touched
            .iter()
            .map(PathBuf::as_path)
            .filter(|folder| fs.stat(folder).is_ok())
            .collect();
        sync_many(fs, self.vault.root(), &folders).map_err(at(self.vault.root()))?;
        if end.is_none() {
            if !groups.contains(&Settled::Finished) {
                return self.history.discard(&self.run.id);
            }
            let ends = self
                .run
                .groups
                .iter()
                .zip(groups)
                .map(|(group, settled)| match settled {
                    Settled::Finished => GroupEnd::Applied,
                    Settled::RolledBack => GroupEnd::Dropped {
                        path: group.files[0].path.clone(),
                        why: Why::Interrupted.to_string(),
                    },
                });
            self.history.conclude(&self.run.id, ends.collect(), true)?;
        }
        self.history.finish(&self.run.id)
    }
}

/// Tells from where its files stand whether a group is to be finished or put back.
fn should_finish(places: &[Place]) -> bool {
    let last_new = places
        .iter()
        .rposition(|place| matches!(place, Place::New(_)));
    let Some(last_new) = last_new else {
        return false;
    };
    let unknown = places
        .iter()
        .skip(last_new)
        .any(|place| *place == Place::Other);
    let edited = places.contains(&Place::Other);
    let old = places.iter().any(|place| matches!(place, Place::Old(_)));
    let far = places.contains(&Place::Old(false));
    let stops = unknown || far || edited && old;
    !stops
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;
    use crate::change::Outcome;
    use crate::change::apply::{RunReport, apply};
    use crate::change::scene::{Scene, State, create, plan};
    use crate::change::undo::{Target, undo};
    use crate::vault::fault::{Fault, FaultFs};
    use crate::view::plan::{Change, Plan};

    #[test]
    fn groups_are_finished_or_put_back() {
        use Place::{New, Old, Other};
        for (places, finish) in [
            (&[New(true), New(false)][..], true),
            (&[Old(true), Old(false)], false),
            (&[New(true), Old(true)], true),
            (&[Old(true), New(true)], true),
            (&[New(true), Old(false)], false),
            (&[Other, New(true)], true),
            (&[New(true), Other], false),
            (&[Other, New(true), Old(true)], false),
            (&[Other, Other], false),
            (&[Other, Old(true)], false),
        ] {
            assert_eq!(should_finish(places), finish, "{places:?}");
        }
    }

    /// A merge: the keeper learns, two notes are re-pointed, the other goes to the trash; and a
    /// second group that builds on it.
    fn merge() -> (Scene, Plan) {
        let scene = Scene::new(&[
            ("keeper.md", "keeper: one two"),
            ("sub/link1.md", "see [[dup]]"),
            ("link2.md", "also [[dup]]"),
            ("sub/dup.md", "dup"),
            ("other.md", "not concerned"),
        ]);
        scene.set_mode("keeper.md", 0o640);
        let changes = plan(vec![
            vec![
                scene.edit("keeper.md", "one", "one and dup"),
                scene.edit("sub/link1.md", "dup", "keeper"),
                scene.edit("link2.md", "dup", "keeper"),
                scene.trash("sub/dup.md"),
            ],
            vec![
                create("new/n.md", "a new note"),
                scene.edit("keeper.md", "two", "2"),
            ],
        ]);
        (scene, changes)
    }

    /// A note moves, with its own text and a link to it; and a second group that edits it under its
    /// new name and moves another one into its old place.
    fn relocate() -> (Scene, Plan) {
        let scene = Scene::new(&[
            ("x/note.md", "note: one two"),
            ("link.md", "see [[note]]"),
            ("other.md", "other"),
        ]);
        scene.set_mode("x/note.md", 0o640);
        let mut changes = plan(vec![
            vec![
                scene.move_to("x/note.md", "new/deep/n.md", "one", "1"),
                scene.edit("link.md", "note", "n"),
            ],
            vec![
                scene.edit("x/note.md", "two", "2"),
                scene.move_to("other.md", "x/note.md", "other", "other"),
            ],
        ]);
        if let Change::Edit { path, .. } = &mut changes.groups[1].changes[0] {
            *path = crate::change::scene::path("new/deep/n.md");
        }
        (scene, changes)
    }

    type Setup = fn() -> (Scene, Plan);

    const SETUPS: [Setup; 2] = [merge, relocate];

    fn run(scene: &Scene, plan: &Plan, disk: FaultFs) -> (Result<RunReport, ChangeError>, usize) {
        let (vault, disk) = scene.vault_on(disk);
        let report = apply(&vault, &scene.homes(), plan, &scene.info());
        (report, disk.ops().len())
    }

    fn settle(scene: &Scene, fault: Fault) -> (Result<Vec<Recovered>, ChangeError>, usize) {
        let (vault, disk) = scene.vault_on(FaultFs::new(fault));
        let homes = scene.homes();
        let settled = recover(&vault, &History::new(vault.fs(), &homes));
        (settled, disk.ops().len())
    }

    /// The vault after no group, after one, after both; and the files in its trash.
    type Stages = [(State, usize); 3];

    fn stages(setup: Setup) -> Stages {
        [0, 1, 2].map(|groups| {
            let (scene, mut changes) = setup();
            changes.groups.truncate(groups);
            run(&scene, &changes, FaultFs::default()).0.unwrap();
            (scene.state(), scene.own_files().len())
        })
    }

    /// The vault is at one of the stages, nothing lies about, and everything can be undone.
    fn is_whole(scene: &Scene, stages: &Stages, name: &str) -> usize {
        let now = scene.state();
        let stage = stages.iter().position(|stage| stage.0 == now);
        let Some(stage) = stage else {
            panic!("{name}: half a group: {now:#?}")
        };
        let vault = scene.vault();
        let homes = scene.homes();
        let history = History::new(vault.fs(), &homes);
        assert!(!history.is_unfinished(), "{name}");
        let trash = scene.own_files();
        assert_eq!(trash.len(), stages[stage].1, "{name}: {trash:?}");
        let (entries, problems) = history.list().unwrap();
        assert_eq!(problems, [], "{name}");
        let applied: usize = entries.iter().map(|entry| entry.applied().count()).sum();
        assert_eq!(applied, stage, "{name}: the record says otherwise");
        if stage > 0 {
            undo(&vault, &homes, &Target::Last, None, &scene.info()).unwrap();
        }
        assert_eq!(scene.state(), stages[0].0, "{name}: undone");
        stage
    }

    #[test]
    fn after_a_crash_at_any_operation_every_group_is_whole() {
        for (setup, exchange) in SETUPS.into_iter().flat_map(|s| [(s, true), (s, false)]) {
            let stages = stages(setup);
            for fault in [Fault::Stop as fn(usize) -> Fault, Fault::Tear] {
                let mut seen = [0; 3];
                for at in 0.. {
                    let (scene, changes) = setup();
                    let mut disk = FaultFs::new(fault(at));
                    if !exchange {
                        disk = disk.without_exchange();
                    }
                    let (report, ops) = run(&scene, &changes, disk);
                    let (settled, _) = settle(&scene, Fault::None);
                    assert_eq!(
                        settled.unwrap().iter().flat_map(|r| &r.left_alone).count(),
                        0
                    );
                    seen[is_whole(&scene, &stages, &format!("{:?} {exchange}", fault(at)))] += 1;
                    if report.is_ok() && ops <= at {
                        break;
                    }
                }
                assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
            }
        }
    }

    #[test]
    fn after_one_failed_operation_the_report_tells_the_truth() {
        for setup in SETUPS {
            let stages = stages(setup);
            for at in 0.. {
                let (scene, changes) = setup();
                let (report, ops) = run(&scene, &changes, FaultFs::new(Fault::Fail(at)));
                let reported = report.as_ref().ok().map(|report| {
                    let applied = |outcome: &&Outcome| **outcome == Outcome::Applied;
                    report.outcomes.iter().filter(applied).count()
                });
                if reported.is_none() {
                    settle(&scene, Fault::None).0.unwrap();
                }
                let temps = scene
                    .state()
                    .keys()
                    .filter(|name| name.contains(".~mem-"))
                    .count();
                // The one operation that failed was the removal.
                if temps > 0 {
                    assert!(temps == 1 && reported == Some(2), "{at}");
                    continue;
                }
                let stage = is_whole(&scene, &stages, &format!("{at}"));
                assert_eq!(reported.unwrap_or(stage), stage, "{at}");
                if ops <= at {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_crash_while_settling_is_settled() {
        for setup in SETUPS {
            let stages = stages(setup);
            for first in (0..).step_by(4) {
                let mut is_over = false;
                for second in 0.. {
                    let (scene, changes) = setup();
                    let (report, _) = run(&scene, &changes, FaultFs::new(Fault::Tear(first)));
                    is_over = report.is_ok();
                    let (settled, ops) = settle(&scene, Fault::Tear(second));
                    settle(&scene, Fault::None).0.unwrap();
                    is_whole(&scene, &stages, &format!("{first} {second}"));
                    if settled.is_ok() && ops <= second {
                        break;
                    }
                }
                if is_over {
                    break;
                }
            }
        }
    }

    /// Crashes the merge at every operation, lets `person` act, settles; returns what was found.
    fn with_a_person(person: impl Fn(&Scene), check: impl Fn(&Scene, &State, &str)) {
        for at in 0.. {
            let (scene, changes) = merge();
            let (report, _) = run(&scene, &changes, FaultFs::new(Fault::Stop(at)));
            person(&scene);
            settle(&scene, Fault::None).0.unwrap();
            let state = scene.state();
            check(&scene, &state, &format!("{at}"));
            assert!(
                !state.keys().any(|name| name.contains(".~mem-")),
                "{at}: {state:?}"
            );
            let vault = scene.vault();
            assert!(
                !History::new(vault.fs(), &scene.homes()).is_unfinished(),
                "{at}"
            );
            if report.is_ok() {
                break;
            }
        }
    }

    #[test]
    fn a_note_that_a_person_edited_after_the_crash_is_left_alone() {
        with_a_person(
            |scene| scene.write("link2.md", "mine"),
            |_, state, name| {
                assert_eq!(state["link2.md"].0, "mine", "{name}");
                // The rest of its group is whole, and nothing is lost.
                let merged = state["keeper.md"].0.contains("dup");
                assert_eq!(state["sub/link1.md"].0.contains("keeper"), merged, "{name}");
                assert_eq!(!state.contains_key("sub/dup.md"), merged, "{name}");
            },
        );
    }

    #[test]
    fn a_keeper_edited_after_the_crash_keeps_both() {
        with_a_person(
            |scene| {
                let text = scene.read("keeper.md");
                scene.write("keeper.md", &format!("{text}, and mine"));
            },
            |_, state, name| {
                let text = &state["keeper.md"].0;
                assert!(text.ends_with("and mine"), "{name}");
                assert!(
                    state.contains_key("sub/dup.md") || text.contains("dup"),
                    "{name}: lost"
                );
            },
        );
    }

    #[test]
    fn a_save_caught_in_the_swap_by_the_crash_comes_back() {
        let mut caught = 0;
        for at in 0.. {
            let (scene, changes) = merge();
            let target = scene.place("link2.md");
            let saved = Arc::new(AtomicBool::new(false));
            let has_saved = Arc::clone(&saved);
            let disk = FaultFs::new(Fault::Stop(at)).with_hook(move |op, _| {
                let is_swap = op.name == "exchange" && op.path.ends_with("link2.md");
                if is_swap && !saved.swap(true, Relaxed) {
                    fs::write(&target, "mine").unwrap();
                }
            });
            let (report, _) = run(&scene, &changes, disk);
            settle(&scene, Fault::None).0.unwrap();
            let state = scene.state();
            if has_saved.load(Relaxed) {
                assert_eq!(state["link2.md"].0, "mine", "{at}");
                assert_eq!(state["keeper.md"].0, "keeper: one two", "{at}");
                caught += 1;
            }
            assert!(
                !state.keys().any(|name| name.contains(".~mem-")),
                "{at}: {state:?}"
            );
            if report.is_ok() {
                break;
            }
        }
        assert!(caught > 3, "{caught}");
    }

    #[test]
    fn an_undo_cut_short_is_settled_too() {
        for setup in SETUPS {
            let stages = stages(setup);
            for at in 0.. {
                let (scene, changes) = setup();
                let done = run(&scene, &changes, FaultFs::default())
                    .0
                    .unwrap()
                    .run
                    .unwrap();
                let (vault, disk) = scene.vault_on(FaultFs::new(Fault::Tear(at)));
                let homes = scene.homes();
                let report = undo(&vault, &homes, &Target::Last, None, &scene.info());
                let ops = disk.ops().len();
                settle(&scene, Fault::None).0.unwrap();
                let state = scene.state();
                assert!(
                    stages.iter().any(|stage| stage.0 == state),
                    "{at}: {state:#?}"
                );
                // Whatever it came to, it can be taken further.
                if state != stages[0].0 {
                    undo(
                        &scene.vault(),
                        &homes,
                        &Target::Run(done),
                        None,
                        &scene.info(),
                    )
                    .unwrap();
                    assert_eq!(scene.state(), stages[0].0, "{at}");
                }
                if report.is_ok() && ops <= at {
                    break;
                }
            }
        }
    }

    #[test]
    fn a_record_that_cannot_be_used_stays_and_stops_nobody() {
        let scene = Scene::new(&[("a.md", "one")]);
        let folder = scene.homes().state.join("unfinished/20200101-000000-0000");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("run.json"), r#"{"version":9}"#).unwrap();
        let changes = plan(vec![vec![scene.edit("a.md", "one", "1")]]);
        let report = run(&scene, &changes, FaultFs::default()).0.unwrap();
        assert_eq!(report.outcomes, [Outcome::Applied]);
        assert!(
            report.recovered[0]
                .problem
                .as_ref()
                .unwrap()
                .contains("format 9")
        );
        assert!(folder.exists());
        // One that had not begun to write is just removed.
        fs::remove_file(folder.join("run.json")).unwrap();
        fs::write(folder.join("images"), "half").unwrap();
        assert_eq!(settle(&scene, Fault::None).0.unwrap(), []);
        assert!(!folder.exists());
    }
}

//! The chronological changes of a vault, and the state of each note without some of them.
//!
//! Changes are listed in the order in which they were made, including edits by hand. The state of a
//! note is the replay of all changes in effect, oldest first. A change is exact if its note has the
//! recorded text. After an earlier change was reverted, later ones are located by lines (`splice`),
//! and a replay fails if one cannot be located. The state therefore depends only on which changes
//! are in effect, never on the order of undoing. Without any change it is the initial state.
//!
//! An undo is blocked by a later change in effect. Without the last change a replay is one step
//! shorter, so one run can always be undone. A redo may need earlier changes to be restored first,
//! but no undo needs a redo, so two runs never block each other. A change that only removes notes is
//! redone whatever earlier changes are in effect: its record then contains what it removed last.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::file_op::FileOp;
use super::history::{FinishedRun, History, Image, RunFile};
use super::run_id::RunId;
use super::splice::revert_change;
use super::{ChangeError, Result};
use crate::note::{ContentHash, VaultPath};

/// A group of a run.
pub type GroupKey = (RunId, usize);

/// Index of a note in [`ChangeTimeline::notes`].
pub(super) type NoteIndex = usize;
/// Index of a change in [`ChangeTimeline::changes`].
pub(super) type ChangeIndex = usize;

/// All changes, oldest first, and the notes after the last of them.
#[derive(Debug)]
pub struct ChangeTimeline<'a> {
    history: &'a History<'a>,
    changes: Vec<Change>,
    /// The change that each recorded group made, reverted or redid.
    records: HashMap<GroupKey, ChangeIndex>,
    notes: Vec<Note>,
    /// All notes that ever had a path.
    named: HashMap<VaultPath, Vec<NoteIndex>>,
    /// The note that has a path now.
    now: HashMap<VaultPath, NoteIndex>,
    /// Number of recorded groups so far.
    time: usize,
}

#[derive(Debug)]
struct Change {
    /// `None` for an edit by hand.
    key: Option<GroupKey>,
    steps: Vec<NoteStep>,
    made: usize,
    toggles: Vec<Toggle>,
}

/// An undo or redo of a change.
#[derive(Debug)]
struct Toggle {
    time: usize,
    /// `None` for the undo being planned.
    key: Option<GroupKey>,
}

impl Change {
    fn is_applied(&self) -> bool {
        self.toggles.len().is_multiple_of(2)
    }

    /// The group that made it or last undid or redid it.
    fn last_key(&self) -> Option<&GroupKey> {
        let last = self.toggles.last();
        last.map_or(self.key.as_ref(), |toggle| toggle.key.as_ref())
    }

    /// Whether it only removes notes.
    fn is_removal(&self) -> bool {
        let mut steps = self.steps.iter();
        self.key.is_some() && steps.all(|step| step.before.is_some() && step.after.is_none())
    }

    fn was_applied_at(&self, time: usize) -> bool {
        let before = self.toggles.iter().filter(|toggle| toggle.time < time);
        self.made < time && before.count().is_multiple_of(2)
    }
}

/// The effect of a change on one note: its state before and after, `None` where it does not exist.
///
/// Both are `None` for a note removed by hand, which is inferred when another note gets its path.
#[derive(Debug)]
pub(super) struct NoteStep {
    pub(super) note: NoteIndex,
    before: Option<NoteState>,
    after: Option<NoteState>,
}

#[derive(Debug)]
struct Note {
    state: Option<NoteState>,
    names: Vec<VaultPath>,
    changes: Vec<ChangeIndex>,
}

#[derive(Clone, Debug)]
pub(super) struct NoteState {
    pub(super) path: VaultPath,
    pub(super) text: StoredText,
}

impl NoteState {
    fn of(path: &VaultPath, text: &StoredText) -> Self {
        let (path, text) = (path.clone(), text.clone());
        Self { path, text }
    }
}

/// A text that may not be loaded yet.
#[derive(Clone, Debug)]
pub(super) enum StoredText {
    InHistory(RunId, Image),
    Loaded(Arc<str>, ContentHash),
}

impl From<Arc<str>> for StoredText {
    fn from(text: Arc<str>) -> Self {
        let hash = ContentHash::of(text.as_bytes());
        Self::Loaded(text, hash)
    }
}

impl StoredText {
    pub(super) fn hash(&self) -> ContentHash {
        match self {
            Self::InHistory(_, image) => image.hash,
            Self::Loaded(_, hash) => *hash,
        }
    }

    pub(super) fn read(&self, history: &History<'_>) -> Result<Arc<str>> {
        match self {
            Self::InHistory(run, image) => Ok(history.image(run, *image)?.into()),
            Self::Loaded(text, _) => Ok(Arc::clone(text)),
        }
    }
}

/// A file of a recorded group.
struct RecordedFile<'e> {
    path: &'e VaultPath,
    op: &'e FileOp,
    before: Option<StoredText>,
    after: Option<StoredText>,
}

/// The change that cannot be replayed, and its note.
#[derive(Debug)]
pub(super) struct ReplayConflict {
    change: ChangeIndex,
    pub(super) path: VaultPath,
}

/// The reason why an undo is blocked.
#[derive(Debug)]
pub(super) enum Obstacle {
    /// This change must be toggled first, and can be.
    Change(ChangeIndex),
    /// A change by hand.
    Edited,
    /// A note that was moved or created at the path by hand.
    Occupied,
}

impl<'a> ChangeTimeline<'a> {
    /// Returns the timeline of these runs.
    pub fn new(history: &'a History<'a>, newest_first: &[FinishedRun]) -> Self {
        let mut timeline = Self::empty(history);
        for entry in newest_first.iter().rev() {
            let run = &entry.run;
            let kept = |image: Option<Image>| {
                image.map(|image| StoredText::InHistory(run.id.clone(), image))
            };
            for (number, group) in entry.applied() {
                let files = group.files.iter().map(|file: &RunFile| RecordedFile {
                    path: &file.path,
                    op: &file.op,
                    before: kept(file.before),
                    after: kept(file.after),
                });
                let reverted = run
                    .reverted(group)
                    .map(|(run, number)| (run.clone(), number));
                timeline.add(
                    (run.id.clone(), number),
                    reverted,
                    &files.collect::<Vec<_>>(),
                );
            }
        }
        timeline
    }

    fn empty(history: &'a History<'a>) -> Self {
        Self {
            history,
            changes: Vec::new(),
            records: HashMap::new(),
            notes: Vec::new(),
            named: HashMap::new(),
            now: HashMap::new(),
            time: 0,
        }
    }

    /// Whether the group is in effect: neither undone nor an undo that was undone.
    pub fn is_in_effect(&self, key: &GroupKey) -> bool {
        self.records.get(key).is_some_and(|change| {
            let change = &self.changes[*change];
            match change.toggles.last() {
                None => change.key.as_ref() == Some(key),
                Some(last) if change.key.as_ref() != Some(key) => last.key.as_ref() == Some(key),
                Some(_) => change.is_applied(),
            }
        })
    }

    /// Returns the undo that ended the effect of the group.
    pub fn taken_back_by(&self, key: &GroupKey) -> Option<&RunId> {
        let change = &self.changes[*self.records.get(key)?];
        let last = change.toggles.last()?.key.as_ref()?;
        (!self.is_in_effect(key)).then_some(&last.0)
    }

    pub(super) fn change_of(&self, key: &GroupKey) -> Option<ChangeIndex> {
        self.records.get(key).copied()
    }

    pub(super) fn steps(&self, change: ChangeIndex) -> &[NoteStep] {
        &self.changes[change].steps
    }

    pub(super) fn state(&self, note: NoteIndex) -> Option<&NoteState> {
        self.notes[note].state.as_ref()
    }

    /// Returns the last path of a note.
    pub(super) fn last_name(&self, note: NoteIndex) -> &VaultPath {
        let names = &self.notes[note].names;
        names.last().expect("a note has a name")
    }

    /// Adds a recorded group.
    fn add(&mut self, key: GroupKey, undoes: Option<GroupKey>, files: &[RecordedFile<'_>]) {
        self.time += 1;
        let undoes = undoes.or_else(|| self.removal(files));
        let undone = undoes.and_then(|undoes| self.change_of(&undoes));
        let steps = self.apply_files(files, undone);
        let change = if let Some(change) = undone {
            let (time, key) = (self.time, Some(key.clone()));
            self.changes[change].toggles.push(Toggle { time, key });
            for step in steps.into_iter().filter(|step| step.after.is_none()) {
                self.record_removed(change, step.note, step.before);
            }
            change
        } else {
            self.push(Some(key.clone()), steps)
        };
        self.records.insert(key, change);
    }

    /// Returns the removal that these files revert exactly, if they only restore one note; that is
    /// an undo. Otherwise the note is a new one, for example if another had its path in between.
    fn removal(&self, files: &[RecordedFile<'_>]) -> Option<GroupKey> {
        let [back] = files else { return None };
        let FileOp::Restore { from } = back.op else {
            return None;
        };
        let notes = self.named.get(back.path)?;
        let mut changes = notes.iter().flat_map(|note| &self.notes[*note].changes);
        let removal = changes.find(|index| {
            let change = &self.changes[**index];
            let is_of_run = change.last_key().is_some_and(|(run, _)| run == from);
            let [step] = &change.steps[..] else {
                return false;
            };
            let gone = step.before.as_ref();
            is_of_run
                && change.is_removal()
                && change.is_applied()
                && gone.is_some_and(|gone| gone.path == *back.path)
        })?;
        let change = &self.changes[*removal];
        let states = self.toggled(*removal).ok()?.ok()?;
        let state = states.get(&change.steps[0].note)?;
        let text = back.after.as_ref()?;
        let is_same = state.path == *back.path && state.text.hash() == text.hash();
        change.key.clone().filter(|_| is_same)
    }

    fn push(&mut self, key: Option<GroupKey>, steps: Vec<NoteStep>) -> ChangeIndex {
        let change = self.changes.len();
        for step in &steps {
            let changes = &mut self.notes[step.note].changes;
            if changes.last() != Some(&change) {
                changes.push(change);
            }
        }
        self.changes.push(Change {
            key,
            steps,
            made: self.time,
            toggles: Vec::new(),
        });
        change
    }

    /// Returns the effect of a group on notes and applies it; earlier edits by hand become changes.
    fn apply_files(
        &mut self,
        files: &[RecordedFile<'_>],
        undone: Option<ChangeIndex>,
    ) -> Vec<NoteStep> {
        let departs = |path: &VaultPath| {
            let is_departure = |file: &RecordedFile<'_>| matches!(file.op, FileOp::Depart { .. });
            files
                .iter()
                .any(|file| file.path == path && is_departure(file))
        };
        let mut steps = Vec::new();
        for file in files {
            let here = |text: &StoredText| NoteState::of(file.path, text);
            let (note, before, after) = match (file.op, &file.before, &file.after) {
                (FileOp::Edit, ..) if departs(file.path) => continue,
                (FileOp::Edit, Some(before), Some(after)) => {
                    let note = self.note_at(file.path, before);
                    (note, Some(here(before)), Some(here(after)))
                }
                (FileOp::Arrive { from }, _, Some(after)) => {
                    let is_edit = |file: &&RecordedFile<'_>| {
                        *file.op == FileOp::Edit && file.path == from && file.before.is_some()
                    };
                    let edit = files.iter().find(is_edit);
                    let before = edit.and_then(|edit| edit.before.as_ref()).unwrap_or(after);
                    let note = self.note_at(from, before);
                    if self.now.get(file.path) != Some(&note) {
                        self.record_loss(file.path);
                    }
                    let before = NoteState::of(from, before);
                    (note, Some(before), Some(here(after)))
                }
                (FileOp::Create | FileOp::Restore { .. }, _, Some(after)) => {
                    self.record_loss(file.path);
                    let note = undone
                        .and_then(|change| self.missing_note(change, file.path))
                        .unwrap_or_else(|| self.new_note());
                    (note, None, Some(here(after)))
                }
                (FileOp::Trash { .. }, Some(before), _) => {
                    (self.note_at(file.path, before), Some(here(before)), None)
                }
                _ => continue,
            };
            self.put(note, after.clone());
            steps.push(NoteStep {
                note,
                before,
                after,
            });
        }
        steps
    }

    fn new_note(&mut self) -> NoteIndex {
        self.notes.push(Note {
            state: None,
            names: Vec::new(),
            changes: Vec::new(),
        });
        self.notes.len() - 1
    }

    /// Returns the missing note that a change created or removed under this path.
    fn missing_note(&self, change: ChangeIndex, path: &VaultPath) -> Option<NoteIndex> {
        let mut steps = self.changes[change].steps.iter();
        let step = steps.find(|step| match (&step.before, &step.after) {
            (None, Some(state)) | (Some(state), None) => state.path == *path,
            _ => false,
        });
        let note = step?.note;
        self.state(note).is_none().then_some(note)
    }

    /// Returns the note at this path with `text`; records an edit by hand if it had another text.
    fn note_at(&mut self, path: &VaultPath, text: &StoredText) -> NoteIndex {
        let Some(note) = self.now.get(path).copied() else {
            let note = self.new_note();
            self.record_manual_change(note, None, Some(NoteState::of(path, text)));
            return note;
        };
        self.record_manual_edit(note, text);
        note
    }

    /// Records an edit by hand if the text of a note is not `text`.
    pub(super) fn record_manual_edit(&mut self, note: NoteIndex, text: &StoredText) {
        if let Some(state) = self.state(note).cloned()
            && state.text.hash() != text.hash()
        {
            let after = NoteState::of(&state.path, text);
            self.record_manual_change(note, Some(state), Some(after));
        }
    }

    fn record_manual_change(
        &mut self,
        note: NoteIndex,
        before: Option<NoteState>,
        after: Option<NoteState>,
    ) {
        self.put(note, after.clone());
        self.push(
            None,
            vec![NoteStep {
                note,
                before,
                after,
            }],
        );
    }

    /// Records that the note at this path, if any, was removed by hand.
    fn record_loss(&mut self, path: &VaultPath) {
        if let Some(note) = self.now.get(path).copied() {
            self.record_manual_change(note, None, None);
        }
    }

    fn put(&mut self, note: NoteIndex, state: Option<NoteState>) {
        if let Some(old) = self.notes[note].state.take()
            && self.now.get(&old.path) == Some(&note)
        {
            self.now.remove(&old.path);
        }
        if let Some(state) = &state {
            self.now.insert(state.path.clone(), note);
            if !self.notes[note].names.contains(&state.path) {
                let named = self.named.entry(state.path.clone()).or_default();
                named.push(note);
                self.notes[note].names.push(state.path.clone());
            }
        }
        self.notes[note].state = state;
    }

    /// Returns the states of a change's notes with the change undone, or redone if it was undone.
    pub(super) fn toggled(
        &self,
        change: ChangeIndex,
    ) -> Result<Result<HashMap<NoteIndex, NoteState>, ReplayConflict>> {
        self.replay(change, &[change])
    }

    /// Records that the undo being planned toggled a change, with these resulting states.
    pub(super) fn toggle(
        &mut self,
        change: ChangeIndex,
        mut states: HashMap<NoteIndex, NoteState>,
    ) {
        self.time += 1;
        let (time, key) = (self.time, None);
        self.changes[change].toggles.push(Toggle { time, key });
        let notes: Vec<NoteIndex> = self.steps(change).iter().map(|step| step.note).collect();
        for note in notes {
            let removed = self.state(note).cloned();
            let state = states.remove(&note);
            self.record_removed(change, note, removed.filter(|_| state.is_none()));
            self.put(note, state);
        }
    }

    /// Records what a repeated removal removed: earlier changes may have been undone in between.
    fn record_removed(&mut self, change: ChangeIndex, note: NoteIndex, removed: Option<NoteState>) {
        let change = &mut self.changes[change];
        if removed.is_some() && change.is_removal() {
            let mut steps = change.steps.iter_mut();
            if let Some(step) = steps.find(|step| step.note == note) {
                step.before = removed;
            }
        }
    }

    /// Replays the notes of a change as if the `toggled` changes were toggled once more.
    ///
    /// Includes all notes that ever shared a path with them.
    fn replay(
        &self,
        of: ChangeIndex,
        toggled: &[ChangeIndex],
    ) -> Result<Result<HashMap<NoteIndex, NoteState>, ReplayConflict>> {
        let notes = self.notes_with_shared_names(of);
        let mut states: HashMap<NoteIndex, NoteState> = HashMap::new();
        let mut taken: HashMap<&VaultPath, NoteIndex> = HashMap::new();
        for index in self.changes_of(&notes) {
            let change = &self.changes[index];
            if change.is_applied() == toggled.contains(&index) {
                continue;
            }
            for step in change
                .steps
                .iter()
                .filter(|step| notes.contains(&step.note))
            {
                let before = states.remove(&step.note);
                let now = self.state(step.note).map(|state| &state.path);
                let path = now.unwrap_or_else(|| self.last_name(step.note));
                let conflict = ReplayConflict {
                    change: index,
                    path: path.clone(),
                };
                if let Some(state) = &before {
                    taken.remove(&state.path);
                }
                let by_hand = change.key.is_none();
                // A removal is repeated whatever earlier changes are in effect.
                let is_repeated =
                    before.is_some() && toggled.contains(&index) && change.is_removal();
                let after = match self.step(before, step, by_hand)? {
                    Some(after) => after,
                    None if is_repeated => None,
                    None => return Ok(Err(conflict)),
                };
                let Some(after) = after else { continue };
                let name = self.notes[step.note]
                    .names
                    .iter()
                    .find(|name| **name == after.path)
                    .expect("a name that it had");
                if taken.insert(name, step.note).is_some() {
                    let path = after.path;
                    return Ok(Err(ReplayConflict { path, ..conflict }));
                }
                states.insert(step.note, after);
            }
        }
        Ok(Ok(states))
    }

    /// Returns the notes of a change and all that ever shared a path with them.
    fn notes_with_shared_names(&self, change: ChangeIndex) -> HashSet<NoteIndex> {
        let mut open: Vec<NoteIndex> = self.steps(change).iter().map(|step| step.note).collect();
        let (mut notes, mut names) = (HashSet::new(), HashSet::new());
        while let Some(note) = open.pop() {
            if notes.insert(note) {
                let new = self.notes[note]
                    .names
                    .iter()
                    .filter(|name| names.insert(*name));
                open.extend(new.flat_map(|name| &self.named[name]));
            }
        }
        notes
    }

    fn changes_of(&self, notes: &HashSet<NoteIndex>) -> BTreeSet<ChangeIndex> {
        let changes = notes.iter().flat_map(|note| &self.notes[*note].changes);
        changes.copied().collect()
    }

    /// Returns the state of a note after a step; `None` if the step does not apply.
    #[expect(clippy::option_option, reason = "a note that is not there is a state")]
    fn step(
        &self,
        state: Option<NoteState>,
        step: &NoteStep,
        by_hand: bool,
    ) -> Result<Option<Option<NoteState>>> {
        Ok(match (&step.before, &step.after, state) {
            // A note that is only edited may have another path by now.
            (Some(before), Some(after), Some(NoteState { path, text }))
                if before.path == after.path || before.path == path =>
            {
                let text = self.edit(text, &before.text, &after.text, by_hand)?;
                let is_moved = before.path != after.path;
                let path = if is_moved { after.path.clone() } else { path };
                text.map(|text| Some(NoteState { path, text }))
            }
            (None, Some(new), None) => Some(Some(new.clone())),
            (Some(gone), None, Some(state)) => {
                let is_same = state.path == gone.path && state.text.hash() == gone.text.hash();
                is_same.then_some(None)
            }
            (None, None, _) => Some(None),
            _ => None,
        })
    }

    /// Returns `text` with the change from `before` to `after`, if it can be located.
    fn edit(
        &self,
        text: StoredText,
        before: &StoredText,
        after: &StoredText,
        by_hand: bool,
    ) -> Result<Option<StoredText>> {
        if text.hash() == before.hash() {
            return Ok(Some(after.clone()));
        }
        // The change was also reverted by hand.
        if before.hash() == after.hash() || by_hand && text.hash() == after.hash() {
            return Ok(Some(text));
        }
        let read = |text: &StoredText| match text.read(self.history) {
            Err(ChangeError::Purged(_)) => Ok(None),
            text => text.map(Some),
        };
        let (Some(now), Some(before), Some(after)) = (read(&text)?, read(before)?, read(after)?)
        else {
            return Ok(None);
        };
        // The difference from the record is usually smaller than the person's edit.
        let placed =
            revert_change(&now, &before, &after).or_else(|| revert_change(&after, &before, &now));
        Ok(placed.map(|text| StoredText::from(Arc::<str>::from(text))))
    }

    /// Returns what blocks toggling a change, at the end of the chain of blocking changes.
    ///
    /// `reread` is called for each change on the way, to record edits by hand.
    pub(super) fn obstacle(
        &mut self,
        change: ChangeIndex,
        conflict: ReplayConflict,
        mut reread: impl FnMut(&mut Self, ChangeIndex),
    ) -> Result<(VaultPath, Obstacle)> {
        let path = conflict.path.clone();
        let (mut at, mut conflict) = (change, conflict);
        loop {
            let Some(next) = self.blocking_change(at, &conflict)? else {
                let mut steps = self.steps(conflict.change).iter();
                let came = |step: &NoteStep| step.before.is_none() && step.after.is_some();
                let obstacle = if steps.any(came) {
                    Obstacle::Occupied
                } else {
                    Obstacle::Edited
                };
                return Ok((conflict.path, obstacle));
            };
            at = next;
            reread(self, at);
            match self.toggled(at)? {
                Err(next) => conflict = next,
                Ok(_) => break,
            }
        }
        Ok((path, Obstacle::Change(at)))
    }

    /// Returns the run whose undo toggles a change.
    pub(super) fn run_to_undo(&self, change: ChangeIndex) -> Option<&RunId> {
        let change = &self.changes[change];
        let key = if change.is_applied() {
            change.key.as_ref()
        } else {
            change.last_key()
        };
        key.map(|(run, _)| run)
    }

    /// Returns the run that made a change, if the change is undone.
    pub(super) fn undone_run(&self, change: ChangeIndex) -> Option<&RunId> {
        let change = &self.changes[change];
        let key = change.key.as_ref().filter(|_| !change.is_applied());
        key.map(|(run, _)| run)
    }

    /// Returns the change to toggle first; `None` if an edit by hand blocks it.
    fn blocking_change(
        &self,
        change: ChangeIndex,
        conflict: &ReplayConflict,
    ) -> Result<Option<ChangeIndex>> {
        if conflict.change != change {
            let is_recorded = self.changes[conflict.change].key.is_some();
            return Ok(is_recorded.then_some(conflict.change));
        }
        // A redo: other earlier changes are in effect than when it was made.
        let made = self.changes[change].made;
        let notes = self.notes_with_shared_names(change);
        let mut earlier = self.changes_of(&notes);
        earlier.retain(|index| {
            let other = &self.changes[*index];
            *index < change
                && other.key.is_some()
                && other.is_applied() != other.was_applied_at(made)
        });
        for other in earlier.iter().rev().take(MAX_SINGLE_CAUSES) {
            let is_cause = match self.replay(change, &[change, *other])? {
                Ok(_) => true,
                Err(conflict) => conflict.change > change,
            };
            if is_cause {
                return Ok(Some(*other));
            }
        }
        Ok(earlier.last().copied())
    }

    /// Whether a change edits or moves a note that was removed by hand.
    pub(super) fn is_lost(&self, change: ChangeIndex, note: NoteIndex) -> bool {
        let step = self.steps(change).iter().find(|step| step.note == note);
        step.is_some_and(|step| step.before.is_some() && step.after.is_some())
    }
}

/// Number of earlier changes tried one by one as the cause of a failed redo.
const MAX_SINGLE_CAUSES: usize = 32;

#[cfg(test)]
mod tests;

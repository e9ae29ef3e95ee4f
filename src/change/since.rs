//! What happened to a note since a change, so that changes can be taken back in any order.
//!
//! A text is taken back from what the note holds now. First come the undos that the note still shows:
//! they are rewound, and what they took back is taken back again together with the change in question,
//! the newest first. So a text depends on which changes are taken back and not on the order of undoing,
//! and when all of them are, every step is exact:
//!
//! ```text
//! runs  A  B  undo→A      undo of B:  rewind undo→A, take back B, take back A
//! ```
//!
//! What a later run changed on top, and still stands, may be in the way: it is named.

use std::collections::HashSet;
use std::sync::Arc;

use super::ChangeError;
use super::file_op::{FileOp, FileWrite};
use super::history::{FinishedRun, History, Image, RunGroup};
use super::run_id::RunId;
use super::splice::take_back;
use crate::note::hash::ContentHash;
use crate::note::path::VaultPath;

/// A group of a run.
pub(super) type Key = (RunId, usize);

/// All that was ever done, the oldest first, each group an event.
pub(super) struct Since<'a> {
    history: &'a History<'a>,
    events: Vec<Event>,
    /// What is taken back by an undo that stands.
    taken: HashSet<Key>,
}

struct Event {
    /// None for what the undo in the making takes back.
    key: Option<Key>,
    undoes: Option<Key>,
    files: Vec<EventFile>,
}

struct EventFile {
    path: VaultPath,
    op: FileOp,
    before: Option<Text>,
    after: Option<Text>,
}

/// A text that may still have to be read.
#[derive(Clone)]
enum Text {
    Kept(RunId, Image),
    Held(Arc<str>),
}

impl Text {
    fn hash(&self) -> ContentHash {
        match self {
            Self::Kept(_, image) => image.hash,
            Self::Held(text) => ContentHash::of(text.as_bytes()),
        }
    }

    fn read(&self, history: &History<'_>) -> Result<Arc<str>, ChangeError> {
        match self {
            Self::Kept(run, image) => Ok(history.image(run, *image)?.into()),
            Self::Held(text) => Ok(Arc::clone(text)),
        }
    }
}

/// What an event did to one note.
struct Step<'e> {
    /// Where the note was before.
    from: &'e VaultPath,
    before: Option<&'e Text>,
    after: Option<&'e Text>,
}

impl Event {
    fn of(entry: &FinishedRun, number: usize, group: &RunGroup) -> Self {
        let run = &entry.run;
        let kept = |image: Option<Image>| image.map(|image| Text::Kept(run.id.clone(), image));
        let files = group.files.iter().map(|file| EventFile {
            path: file.path.clone(),
            op: file.op.clone(),
            before: kept(file.before),
            after: kept(file.after),
        });
        let undoes = run.undoes.as_ref().zip(group.undoes);
        Self {
            key: Some((run.id.clone(), number)),
            undoes: undoes.map(|(undoes, number)| (undoes.run.clone(), number)),
            files: files.collect(),
        }
    }

    /// Returns what took a note away, if all that this did was to bring it back as it was: that is an undo.
    fn removal(&self, before: &[Self]) -> Option<Key> {
        let [back] = &self.files[..] else { return None };
        let FileOp::Restore { from } = &back.op else {
            return None;
        };
        let removal = before.iter().rev().find(|event| match &event.files[..] {
            [gone] => {
                let is_of_run = event.key.as_ref().is_some_and(|(run, _)| run == from);
                let is_removal = matches!(gone.op, FileOp::Trash { .. }) && gone.path == back.path;
                is_of_run && is_removal && hash(gone.before.as_ref()) == hash(back.after.as_ref())
            }
            _ => false,
        });
        removal?.key.clone()
    }

    /// Returns what it did to the note that it left at `path`.
    fn at(&self, path: &VaultPath) -> Option<Step<'_>> {
        let departs = |file: &&EventFile| file.path == *path && file.is_departure();
        let has_left = self.files.iter().any(|file| departs(&file));
        let file = self.files.iter().find(|file| {
            file.path == *path && !file.is_departure() && !(has_left && file.op == FileOp::Edit)
        })?;
        let (before, after) = (file.before.as_ref(), file.after.as_ref());
        let FileOp::Arrive { from } = &file.op else {
            return Some(Step {
                from: &file.path,
                before,
                after,
            });
        };
        let is_edit = |file: &&EventFile| file.path == *from && file.op == FileOp::Edit;
        let edit = self.files.iter().find(is_edit);
        Some(Step {
            from,
            before: edit.map_or(after, |edit| edit.before.as_ref()),
            after,
        })
    }
}

impl EventFile {
    fn is_departure(&self) -> bool {
        matches!(self.op, FileOp::Depart { .. })
    }
}

fn hash(text: Option<&Text>) -> Option<ContentHash> {
    text.map(Text::hash)
}

impl<'a> Since<'a> {
    pub(super) fn new(history: &'a History<'a>, newest_first: &[FinishedRun]) -> Self {
        let events = newest_first.iter().rev().flat_map(|entry| {
            let groups = entry.applied();
            groups.map(|(number, group)| Event::of(entry, number, group))
        });
        let mut events: Vec<Event> = events.collect();
        for at in 0..events.len() {
            let (before, rest) = events.split_at_mut(at);
            rest[0].undoes = rest[0].undoes.take().or_else(|| rest[0].removal(before));
        }
        let mut taken = HashSet::new();
        for event in events.iter().rev() {
            if let (Some(key), Some(undoes)) = (&event.key, &event.undoes)
                && !taken.contains(key)
            {
                taken.insert(undoes.clone());
            }
        }
        Self {
            history,
            events,
            taken,
        }
    }

    /// Adds what the undo in the making takes back.
    pub(super) fn push(&mut self, undoes: Key, writes: &[FileWrite]) {
        let held = |text: &Option<Arc<str>>| text.clone().map(Text::Held);
        let files = writes.iter().map(|write| EventFile {
            path: write.path.clone(),
            op: write.op.clone(),
            before: held(&write.before),
            after: held(&write.after),
        });
        self.taken.insert(undoes.clone());
        self.events.push(Event {
            key: None,
            undoes: Some(undoes),
            files: files.collect(),
        });
    }

    /// Tells whether an undo that stands took back the group of this key.
    pub(super) fn is_taken_back(&self, key: Option<&Key>) -> bool {
        key.is_some_and(|key| self.taken.contains(key))
    }

    /// Tells whether it was neither an undo nor taken back by one.
    fn stands(&self, event: &Event) -> bool {
        event.undoes.is_none() && !self.is_taken_back(event.key.as_ref())
    }

    /// Returns what later runs did, the oldest first.
    fn later<'s>(&'s self, key: &Key) -> impl Iterator<Item = (&'s Key, &'s Event)> {
        let run = key.0.clone();
        let keyed = self
            .events
            .iter()
            .filter_map(|event| Some((event.key.as_ref()?, event)));
        keyed.filter(move |((later, _), _)| *later > run)
    }

    /// Returns the name that a note has now, or had last, which had this one when `key` was done, and the
    /// newest run that changed it since and stands.
    fn follow<'s>(&'s self, key: &Key, path: &'s VaultPath) -> (&'s VaultPath, Option<&'s RunId>) {
        let (mut path, mut newest) = (path, None);
        // What took it away.
        let mut gone: Option<&Key> = None;
        for (key, event) in self.later(key) {
            let mut files = event.files.iter().filter(|file| file.path == *path);
            if let Some(away) = gone {
                let is_return = |file: &EventFile| match &file.op {
                    FileOp::Restore { from } => *from == away.0,
                    _ => event.undoes.as_ref() == Some(away),
                };
                if !files.any(is_return) {
                    continue;
                }
                gone = None;
            } else {
                match files.next_back().map(|file| &file.op) {
                    None => continue,
                    Some(FileOp::Depart { to }) => path = to,
                    Some(FileOp::Trash { .. }) => gone = Some(key),
                    Some(_) => {}
                }
            }
            if self.stands(event) {
                newest = Some(&key.0);
            }
        }
        (path, newest)
    }

    /// Returns the name that a note has now, or had last, which had this one when `key` was done.
    pub(super) fn path_now(&self, key: &Key, path: &VaultPath) -> VaultPath {
        self.follow(key, path).0.clone()
    }

    /// Returns the newest run after `key` that changed the note that was called `path` then, or brought
    /// or took another of that name, and stands.
    pub(super) fn changed_by(&self, key: &Key, path: &VaultPath) -> Option<RunId> {
        let (_, changed) = self.follow(key, path);
        changed.max(self.taken_by(key, path)).cloned()
    }

    /// Returns the newest run after `key` by which a note came to this name or left it, and that stands.
    pub(super) fn taken_by(&self, key: &Key, path: &VaultPath) -> Option<&RunId> {
        let comes_or_goes = |file: &EventFile| file.path == *path && file.op != FileOp::Edit;
        let standing = self.later(key).filter(|(_, event)| self.stands(event));
        let taking = standing.filter(|(_, event)| event.files.iter().any(comes_or_goes));
        taking.last().map(|((run, _), _)| run)
    }

    /// Returns the newest undo of something older than `key` that still shows in the note at `path`: it
    /// may have left nothing by which to tell what `key` changed.
    pub(super) fn undone_before(&self, key: &Key, path: &VaultPath) -> Option<RunId> {
        let undos = self.later(key).filter(|(_, event)| {
            let is_older = event.undoes.as_ref().is_some_and(|(run, _)| *run < key.0);
            is_older && !self.is_taken_back(event.key.as_ref()) && event.at(path).is_some()
        });
        undos.last().map(|((run, _), _)| run.clone())
    }

    /// Tells whether the last change of the note at `path` left this text there.
    pub(super) fn left(&self, path: &VaultPath, text: Option<ContentHash>) -> bool {
        let last = self.events.iter().rev().find_map(|event| event.at(path));
        last.is_some_and(|step| hash(step.after) == text)
    }

    /// Returns the text at `path`, `current` now, without what `key` did; nothing if that cannot be
    /// told from what was changed since.
    pub(super) fn without(
        &self,
        key: &Key,
        path: &VaultPath,
        current: &Arc<str>,
    ) -> Result<Option<Arc<str>>, ChangeError> {
        match self.walk(key, path, current, true) {
            Ok(Some(text)) => Ok(Some(text)),
            // Of what was purged the undos need nothing.
            Ok(None) | Err(ChangeError::Purged(_)) => self.walk(key, path, current, false),
            Err(err) => Err(err),
        }
    }

    fn walk(
        &self,
        key: &Key,
        path: &VaultPath,
        current: &Arc<str>,
        rewinds: bool,
    ) -> Result<Option<Arc<str>>, ChangeError> {
        let mut text = Some(Text::Held(Arc::clone(current)));
        let (mut path, mut wanted) = (path, vec![key]);
        for event in self.events.iter().rev() {
            let Some(step) = event.at(path) else {
                continue;
            };
            let at = wanted
                .iter()
                .position(|key| event.key.as_ref() == Some(key));
            if at.is_none() && text.is_none() && step.after.is_some() {
                // Another note, of the name that this one had before it was taken away.
                continue;
            }
            path = step.from;
            let is_last = hash(text.as_ref()) == hash(step.after);
            if let Some(at) = at {
                wanted.swap_remove(at);
                text = if is_last {
                    step.before.cloned()
                } else {
                    let (Some(before), Some(after), Some(now)) = (step.before, step.after, &text)
                    else {
                        return Ok(None);
                    };
                    let [before, after, now] = [before, after, now].map(|t| t.read(self.history));
                    match take_back(&before?, &after?, &now?) {
                        Some(text) => Some(Text::Held(text.into())),
                        None => return Ok(None),
                    }
                };
            } else if let Some(undoes) = &event.undoes
                && rewinds
                && is_last
                && !self.is_taken_back(event.key.as_ref())
            {
                text = step.before.cloned();
                wanted.push(undoes);
            } else if self.stands(event) && step.before.is_some() != step.after.is_some() {
                // Another note since then.
                return Ok(None);
            }
            if wanted.is_empty() {
                return text.map(|text| text.read(self.history)).transpose();
            }
        }
        Ok(None)
    }
}

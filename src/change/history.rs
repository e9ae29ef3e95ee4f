//! Records of runs for undo and recovery, on this machine only.
//!
//! ```text
//! <state>/unfinished/<run>/    during the run, and after a crash until the next writer
//! <state>/history/<run>/       the same folder, renamed when the run is finished
//!     images                   all texts before and after, concatenated, each once
//!     run.json                 the planned changes (format 1, below)
//!     outcome.json             the outcome of each group; missing if the run was interrupted
//! ```
//!
//! ```json
//! {"version":1,"id":"20261121-055900-k3f9","at":"2026-11-21T05:59:00Z","job":"dedupe",
//!  "command":"mem sleep","undoes":null,"groups":[{"title":"…","reason":"…","undoes":null,"files":[
//!   {"path":"a.md","act":"edit","temp":".~mem-20261121-055900-k3f9-0","mode":420,
//!    "before":{"hash":"…","offset":0,"length":12},"after":{"hash":"…","offset":12,"length":14}}]}]}
//! ```
//!
//! A moved note has up to three entries: `edit` under its old path, `arrive` with `from` under the
//! new one, and `depart` with `to` under the old one.
//!
//! `run.json` is renamed into place after everything it refers to is synced, and before anything in
//! the vault changes. A folder without it is a run that did nothing. Damaged records and those of
//! newer versions are reported and skipped. Each image has a hash and is rejected if it does not
//! match. Records are only removed on request; purged texts are overwritten with NULs. Folders are
//! accessible to the user only, because images are copies of notes.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::file_op::{CompiledGroup, FileOp};
use super::run_id::RunId;
use super::{ChangeError, Result, RunInfo, at};
use crate::finding::QuestionKey;
use crate::note::{ContentHash, VaultPath};
use crate::vault::fs::Fs;
use crate::vault::swap::temp_name;
use crate::vault::{Homes, if_found};

/// The format version that is written; greater ones are not read.
const FORMAT_VERSION: u32 = 1;

/// The files of a run.
pub const FILES: [&str; 3] = [RUN, OUTCOME, IMAGES];
const RUN: &str = "run.json";
const OUTCOME: &str = "outcome.json";
const IMAGES: &str = "images";

/// The file in the state folder with the newest run whose record was deleted.
const PURGED: &str = "purged";

/// Prefix of a run's folder while it is deleted; no run id starts with it.
const DELETING_PREFIX: &str = ".forgotten-";

/// The planned changes of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    version: u32,
    pub id: RunId,
    pub at: Timestamp,
    pub job: String,
    /// The command line that started it.
    pub command: String,
    /// The run that it undoes, if it is an undo; of several runs, the newest.
    pub undoes: Option<Undoes>,
    /// The groups that were ready to be written, in order.
    pub groups: Vec<RunGroup>,
}

impl Run {
    /// Returns the group that `group` of this run reverts.
    pub fn reverted<'r>(&'r self, group: &'r RunGroup) -> Option<(&'r RunId, usize)> {
        let newest = self.undoes.as_ref().map(|undoes| &undoes.run);
        Some((group.undoes_run.as_ref().or(newest)?, group.undoes?))
    }

    /// Whether it undoes more than one run.
    pub fn undoes_several(&self) -> bool {
        self.groups.iter().any(|group| group.undoes_run.is_some())
    }

    /// Whether both are one run, or runs of one sleep: a process reads the clock once.
    pub fn is_same_sleep(&self, other: &Self) -> bool {
        let is_sleep = self.command.split(' ').any(|word| word == "sleep");
        self.id == other.id || is_sleep && (self.at, &self.command) == (other.at, &other.command)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undoes {
    pub run: RunId,
    /// Limits the undo to groups that touch this note.
    pub note: Option<VaultPath>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunGroup {
    pub title: String,
    pub reason: String,
    /// Number of the group in the undone run that it reverts.
    pub undoes: Option<usize>,
    /// The undone run, if it is not the one of [`Run::undoes`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    undoes_run: Option<RunId>,
    /// The question whether to apply the group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionKey>,
    /// Its files in order of writing.
    pub files: Vec<RunFile>,
}

impl RunGroup {
    /// Returns the paths of the notes it touches, without duplicates.
    #[must_use = "an iterator does nothing by itself"]
    pub fn notes(&self) -> impl Iterator<Item = &VaultPath> {
        let mut seen = HashSet::new();
        let paths = self.files.iter().map(|file| &file.path);
        paths.filter(move |path| seen.insert(*path))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFile {
    pub path: VaultPath,
    #[serde(flatten)]
    pub op: FileOp,
    /// Name of the staged file next to it.
    pub temp: String,
    /// Its permission bits before, if it existed.
    pub mode: Option<u32>,
    /// Its text before; `None` if it did not exist.
    pub before: Option<Image>,
    /// Its text after; `None` if it was removed.
    pub after: Option<Image>,
    /// Folders that did not exist before, deepest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub made: Vec<String>,
    /// Folders to remove with the note if that empties them, deepest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<String>,
}

/// Position of a text in `images`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    pub hash: ContentHash,
    offset: u64,
    length: usize,
}

/// The outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutcome {
    version: u32,
    /// Whether the run was interrupted and recovered later.
    pub recovered: bool,
    /// One per group of the run.
    pub groups: Vec<RecordedOutcome>,
    /// Number of notes or pairs that the job examined; absent for other runs and in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processed: Option<u64>,
    /// Duration in milliseconds; absent for interrupted runs and in old records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
}

/// The recorded outcome of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum RecordedOutcome {
    /// Its files contained their new text at the end of the run.
    Applied,
    /// Its files stayed unchanged or were restored.
    Dropped {
        /// The note that prevented the change.
        path: VaultPath,
        #[serde(rename = "why")]
        reason: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedRun {
    /// The planned changes.
    pub run: Run,
    pub end: RunOutcome,
}

impl FinishedRun {
    /// Returns the applied groups with their numbers.
    #[must_use = "an iterator does nothing by itself"]
    pub fn applied(&self) -> impl DoubleEndedIterator<Item = (usize, &RunGroup)> {
        self.run
            .groups
            .iter()
            .enumerate()
            .filter(|(number, _)| self.end.groups.get(*number) == Some(&RecordedOutcome::Applied))
    }
}

/// Runs with unreadable records, and the errors.
pub type UnreadableRuns = Vec<(RunId, String)>;

/// The run records of one vault.
#[derive(Clone, Copy, Debug)]
pub struct History<'a> {
    fs: &'a dyn Fs,
    homes: &'a Homes,
}

impl<'a> History<'a> {
    /// Returns the history in a vault's state folder.
    pub fn new(fs: &'a dyn Fs, homes: &'a Homes) -> Self {
        Self { fs, homes }
    }

    /// Whether a run was interrupted or is in progress; reads one folder.
    pub fn is_unfinished(&self) -> bool {
        self.fs
            .list(&self.homes.unfinished())
            .is_ok_and(|names| !names.is_empty())
    }

    /// Returns the interrupted runs, oldest first. While the lock is held no others are in
    /// progress.
    pub(super) fn interrupted(&self) -> Result<Vec<RunId>> {
        self.ids(&self.homes.unfinished())
    }

    fn ids(&self, folder: &Path) -> Result<Vec<RunId>> {
        let list = if_found(self.fs.list(folder)).map_err(at(folder))?;
        let names = list.unwrap_or_default();
        // Other names belong to other programs.
        let mut ids: Vec<RunId> = names
            .iter()
            .filter_map(|name| name.to_str()?.parse().ok())
            .collect();
        ids.sort_unstable();
        Ok(ids)
    }

    /// Returns the ids of all runs, including interrupted ones.
    pub fn known(&self) -> Result<Vec<RunId>> {
        let mut known = self.ids(&self.homes.history())?;
        known.extend(self.interrupted()?);
        Ok(known)
    }

    /// Returns the finished runs, newest first, and the unreadable ones.
    pub fn list(&self) -> Result<(Vec<FinishedRun>, UnreadableRuns)> {
        Ok(self.load_all(self.ids(&self.homes.history())?))
    }

    fn load_all(&self, oldest_first: Vec<RunId>) -> (Vec<FinishedRun>, UnreadableRuns) {
        let (mut entries, mut problems) = (Vec::new(), Vec::new());
        for id in oldest_first.into_iter().rev() {
            match self.load(&id) {
                Ok(entry) => entries.push(entry),
                Err(err) => problems.push((id, err.to_string())),
            }
        }
        (entries, problems)
    }

    /// Returns the paths of notes that the last run with that note removed, or was about to remove.
    ///
    /// Runs without a readable record are left out.
    pub fn removed_notes(&self) -> HashSet<String> {
        let mut is_removed: HashMap<VaultPath, bool> = HashMap::new();
        let mut add = |group: &RunGroup| {
            for file in group.files.iter().rev() {
                let gone = matches!(file.op, FileOp::Trash { .. } | FileOp::Depart { .. });
                is_removed.entry(file.path.clone()).or_insert(gone);
            }
        };
        for id in self.interrupted().unwrap_or_default().iter().rev() {
            if let Ok(Some((run, _))) = self.load_interrupted(id) {
                run.groups.iter().rev().for_each(&mut add);
            }
        }
        let finished = self.list().map(|(runs, _)| runs).unwrap_or_default();
        for entry in &finished {
            entry.applied().rev().for_each(|(_, group)| add(group));
        }
        let removed = is_removed.into_iter().filter(|(_, gone)| *gone);
        removed.map(|(path, _)| path.to_string()).collect()
    }

    pub fn load(&self, id: &RunId) -> Result<FinishedRun, ChangeError> {
        let folder = self.homes.history().join(id.as_str());
        if let Ok(None) = if_found(self.fs.stat(&folder)) {
            return Err(ChangeError::NoSuchRun(id.clone()));
        }
        let missing = |name| ChangeError::Record {
            run: id.clone(),
            reason: format!("no {name}"),
        };
        let run = self.read_run(&folder, id)?.ok_or_else(|| missing(RUN))?;
        let end: Option<RunOutcome> = self.read_json(&folder, id, OUTCOME)?;
        Ok(FinishedRun {
            run,
            end: end.ok_or_else(|| missing(OUTCOME))?,
        })
    }

    /// Returns an unfinished run and, if it was recorded, its outcome.
    pub(super) fn load_interrupted(&self, id: &RunId) -> Result<Option<(Run, Option<RunOutcome>)>> {
        let folder = self.homes.unfinished().join(id.as_str());
        let Some(run) = self.read_run(&folder, id)? else {
            return Ok(None);
        };
        // One sync of the folder makes both names durable, so `run.json` alone was not durable.
        if let Ok(None) = if_found(self.fs.stat(&folder.join(IMAGES))) {
            return Ok(None);
        }
        Ok(Some((run, self.read_json(&folder, id, OUTCOME)?)))
    }

    fn read_run(&self, folder: &Path, id: &RunId) -> Result<Option<Run>> {
        let run: Option<Run> = self.read_json(folder, id, RUN)?;
        match run {
            Some(run) if run.id != *id => {
                let reason = format!("it belongs to run {}", run.id);
                Err(ChangeError::Record {
                    run: id.clone(),
                    reason,
                })
            }
            run => Ok(run),
        }
    }

    fn read_json<T: for<'de> Deserialize<'de>>(
        &self,
        folder: &Path,
        id: &RunId,
        name: &str,
    ) -> Result<Option<T>> {
        #[derive(Deserialize)]
        struct VersionField {
            version: u32,
        }
        let path = folder.join(name);
        let Some(meta) = if_found(self.fs.stat(&path)).map_err(at(&path))? else {
            return Ok(None);
        };
        let bytes = self
            .fs
            .read_span(&path, 0, meta.size as usize)
            .map_err(at(path))?;
        let refuse = |reason: String| ChangeError::Record {
            run: id.clone(),
            reason,
        };
        let bad = |err: serde_json::Error| refuse(format!("{name}: {err}"));
        let versioned: VersionField = serde_json::from_slice(&bytes).map_err(bad)?;
        if versioned.version > FORMAT_VERSION {
            let reason = format!(
                "{name} has format {}, this mem reads {FORMAT_VERSION}",
                versioned.version
            );
            return Err(refuse(reason));
        }
        serde_json::from_slice(&bytes).map(Some).map_err(bad)
    }

    /// Returns a text that a run kept.
    pub fn image(&self, id: &RunId, image: Image) -> Result<String> {
        let finished = self.homes.history().join(id.as_str());
        let folder = match self.fs.stat(&finished) {
            Ok(_) => finished,
            Err(_) => self.homes.unfinished().join(id.as_str()),
        };
        let path = folder.join(IMAGES);
        let bytes = self
            .fs
            .read_span(&path, image.offset, image.length)
            .map_err(at(path))?;
        let damaged = || ChangeError::Record {
            run: id.clone(),
            reason: format!("image {} is damaged", image.hash),
        };
        if ContentHash::of(&bytes) != image.hash {
            return Err(if bytes.iter().all(|byte| *byte == 0) {
                ChangeError::Purged(id.clone())
            } else {
                damaged()
            });
        }
        String::from_utf8(bytes).map_err(|_| damaged())
    }

    /// Whether a text that a run kept was purged.
    pub(super) fn is_purged(&self, id: &RunId, image: Image) -> Result<bool> {
        match self.image(id, image) {
            Err(ChangeError::Purged(_)) => Ok(true),
            Err(err @ ChangeError::Io { .. }) => Err(err),
            _ => Ok(false),
        }
    }

    /// Overwrites texts of a finished run with NULs, and its command line, which may quote them.
    ///
    /// The texts come last, in one rename: until then a crash leaves the purge visibly incomplete.
    pub(super) fn purge_images(&self, id: &RunId, images: &[Image]) -> Result<()> {
        let folder = self.homes.history().join(id.as_str());
        let mut run = self.load(id)?.run;
        let command: Vec<&str> = run.command.split_whitespace().take(2).collect();
        run.command = format!("{} (purged)", command.join(" "));
        self.write_json(&folder, RUN, &run)?;
        let path = folder.join(IMAGES);
        let length = self.fs.stat(&path).map_err(at(&path))?.size as usize;
        let mut bytes = self.fs.read_span(&path, 0, length).map_err(at(&path))?;
        for image in images {
            let start = image.offset as usize;
            if let Some(span) = bytes.get_mut(start..start + image.length) {
                span.fill(0);
            }
        }
        self.write_whole(&folder, IMAGES, &bytes)
    }

    /// Returns the newest run whose record was deleted on request.
    pub(super) fn last_purged(&self) -> Option<RunId> {
        let (bytes, _) = self.fs.read(&self.homes.state.join(PURGED)).ok()?;
        String::from_utf8(bytes).ok()?.parse().ok()
    }

    /// Removes the records of these runs with all their texts.
    pub(super) fn delete_all(&self, runs: &[RunId]) -> Result<()> {
        if let Some(last) = self.last_purged().iter().chain(runs).max() {
            self.write_whole(&self.homes.state, PURGED, last.as_str().as_bytes())?;
        }
        runs.iter().try_for_each(|run| self.delete(run))
    }

    /// Removes the record of a finished run with all its texts.
    pub(super) fn delete(&self, id: &RunId) -> Result<()> {
        let finished = self.homes.history();
        let away = finished.join(format!("{DELETING_PREFIX}{id}"));
        let renamed = if_found(self.fs.rename(&finished.join(id.as_str()), &away));
        let renamed = renamed.map_err(at(&away))?;
        renamed.ok_or_else(|| ChangeError::NoSuchRun(id.clone()))?;
        self.fs.sync(&finished).map_err(at(&finished))?;
        self.finish_deletions()
    }

    /// Removes remains of interrupted deletions.
    pub(super) fn finish_deletions(&self) -> Result<()> {
        let finished = self.homes.history();
        // An unreadable history has no deletions to finish.
        for name in self.fs.list(&finished).unwrap_or_default() {
            if !name.to_string_lossy().starts_with(DELETING_PREFIX) {
                continue;
            }
            let folder = finished.join(name);
            for file in self.fs.list(&folder).map_err(at(&folder))? {
                let file = folder.join(file);
                self.fs.remove_file(&file).map_err(at(&file))?;
            }
            self.fs.remove_folder(&folder).map_err(at(&folder))?;
        }
        Ok(())
    }

    /// Returns the id for a run that begins now.
    pub(super) fn next_id(&self, info: &RunInfo) -> Result<RunId> {
        let mut known = self.ids(&self.homes.history())?;
        known.extend(self.ids(&self.homes.unfinished())?);
        known.extend(self.last_purged());
        Ok(RunId::next(info.at, info.seed, &known))
    }

    /// Durably records the planned changes of a run.
    pub(super) fn begin(
        &self,
        id: RunId,
        info: &RunInfo,
        job: &str,
        undoes: Option<Undoes>,
        ready: &[CompiledGroup],
        made: impl Fn(&VaultPath) -> Vec<String>,
    ) -> Result<Run> {
        let mut images = Images::default();
        let mut number = 0;
        let mut groups = Vec::with_capacity(ready.len());
        for group in ready {
            let mut files = Vec::with_capacity(group.writes.len());
            for write in &group.writes {
                files.push(RunFile {
                    path: write.path.clone(),
                    op: write.op.clone(),
                    temp: temp_name(id.as_str(), number),
                    mode: write.mode,
                    before: write.before.as_deref().map(|text| images.add(text)),
                    after: write.after.as_deref().map(|text| images.add(text)),
                    made: if write.before.is_none() {
                        made(&write.path)
                    } else {
                        Vec::new()
                    },
                    folders: write.folders.clone(),
                });
                number += 1;
            }
            let (title, reason) = (group.title.clone(), group.reason.clone());
            let (undone, number_of_undone) = group.undoes.clone().unzip();
            let newest = undoes.as_ref().map(|undoes| &undoes.run);
            groups.push(RunGroup {
                title,
                reason,
                undoes: number_of_undone,
                undoes_run: undone.filter(|run| newest != Some(run)),
                question: group.question,
                files,
            });
        }
        let run = Run {
            version: FORMAT_VERSION,
            id,
            at: info.at,
            job: job.to_owned(),
            command: info.command.clone(),
            undoes,
            groups,
        };
        let unfinished = self.homes.unfinished();
        for folder in [self.homes.history(), unfinished.clone()] {
            self.create_folders(&folder)?;
        }
        let folder = unfinished.join(run.id.as_str());
        self.fs.create_folder(&folder, 0o700).map_err(at(&folder))?;
        let path = folder.join(IMAGES);
        self.fs.write_new(&path, &images.bytes).map_err(at(&path))?;
        self.fs.sync(&path).map_err(at(&path))?;
        // First the name of the run's folder: `run.json` must not survive without it.
        self.fs.sync(&unfinished).map_err(at(&unfinished))?;
        self.write_json(&folder, RUN, &run)?;
        Ok(run)
    }

    fn create_folders(&self, folder: &Path) -> Result<()> {
        if self.fs.stat(folder).is_ok() {
            return Ok(());
        }
        if let Some(above) = folder.parent() {
            self.create_folders(above)?;
            self.fs.create_folder(folder, 0o700).map_err(at(folder))?;
            self.fs.sync(above).map_err(at(above))?;
        }
        Ok(())
    }

    /// Writes a file so that it is complete and durable, or absent.
    fn write_json(&self, folder: &Path, name: &str, value: &impl Serialize) -> Result<()> {
        let bytes = serde_json::to_vec(value).map_err(|err| at(folder.join(name))(err.into()))?;
        self.write_whole(folder, name, &bytes)
    }

    fn write_whole(&self, folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
        let path = folder.join(name);
        let draft = folder.join(format!("{name}.new"));
        // Left by a crash.
        if self.fs.stat(&draft).is_ok() {
            self.fs.remove_file(&draft).map_err(at(&draft))?;
        }
        self.fs.write_new(&draft, bytes).map_err(at(&draft))?;
        self.fs.sync(&draft).map_err(at(&draft))?;
        self.fs.rename(&draft, &path).map_err(at(&path))?;
        self.fs.sync(folder).map_err(at(folder))
    }

    /// Durably records the outcome of each group; `info` is `None` for an interrupted run.
    pub(super) fn record_outcome(
        &self,
        id: &RunId,
        groups: Vec<RecordedOutcome>,
        info: Option<&RunInfo>,
    ) -> Result<()> {
        let duration = info.map(|info| info.began.elapsed().as_millis());
        let end = RunOutcome {
            version: FORMAT_VERSION,
            recovered: info.is_none(),
            groups,
            processed: info.and_then(|info| info.processed),
            duration_ms: duration.and_then(|millis| u64::try_from(millis).ok()),
        };
        self.write_json(&self.homes.unfinished().join(id.as_str()), OUTCOME, &end)
    }

    /// Moves a finished run to the history.
    pub(super) fn archive(&self, id: &RunId) -> Result<()> {
        let (from, to) = (self.homes.unfinished(), self.homes.history());
        let there = to.join(id.as_str());
        self.fs
            .rename(&from.join(id.as_str()), &there)
            .map_err(at(there))?;
        self.fs.sync(&to).map_err(at(&to))?;
        self.fs.sync(&from).map_err(at(&from))
    }

    /// Deletes the record of an unfinished run that changed nothing.
    pub(super) fn discard(&self, id: &RunId) -> Result<()> {
        let folder = self.homes.unfinished().join(id.as_str());
        let remove = |name: &str| {
            let path = folder.join(name);
            let removed = if_found(self.fs.remove_file(&path)).map(drop);
            removed.map_err(at(path))
        };
        // Durably removed first: without `run.json` the other files mean nothing, and it means
        // nothing without them.
        remove(RUN)?;
        self.fs.sync(&folder).map_err(at(&folder))?;
        for name in ["run.json.new", OUTCOME, "outcome.json.new", IMAGES] {
            remove(name)?;
        }
        self.fs.remove_folder(&folder).map_err(at(folder))
    }
}

/// The texts of a run, each stored once.
#[derive(Default)]
struct Images {
    bytes: Vec<u8>,
    known: HashMap<ContentHash, Image>,
}

impl Images {
    fn add(&mut self, text: &str) -> Image {
        let hash = ContentHash::of(text.as_bytes());
        *self.known.entry(hash).or_insert_with(|| {
            let offset = self.bytes.len() as u64;
            self.bytes.extend_from_slice(text.as_bytes());
            Image {
                hash,
                offset,
                length: text.len(),
            }
        })
    }
}

/// Returns, for each run, the undo in effect that reverted it as a whole.
pub(super) fn undone_runs(newest_first: &[FinishedRun]) -> BTreeMap<&RunId, &RunId> {
    let mut undone = BTreeMap::new();
    for entry in newest_first {
        if let Some(Undoes { note: None, .. }) = &entry.run.undoes
            && !undone.contains_key(&entry.run.id)
        {
            for (run, _) in entry
                .applied()
                .filter_map(|(_, group)| entry.run.reverted(group))
            {
                undone.entry(run).or_insert(&entry.run.id);
            }
        }
    }
    undone
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::change::file_op::FileWrite;
    use crate::change::stop::Stop;
    use crate::vault::fs::RealFs;
    use std::time::Duration;

    fn info() -> RunInfo {
        RunInfo {
            at: "2026-11-21T05:59:00Z".parse().unwrap(),
            began: std::time::Instant::now(),
            processed: None,
            seed: 7,
            command: "mem test".to_owned(),
            patience: Duration::ZERO,
            stop: Stop::default(),
        }
    }

    fn recorded(history: &History<'_>, finish: bool) -> Run {
        let write = FileWrite {
            path: VaultPath::new("a.md").unwrap(),
            op: FileOp::Trash {
                reason: "why".to_owned(),
                keeper: None,
            },
            before: Some("bee".into()),
            after: Some("bee".into()),
            mode: Some(0o644),
            attributes_from: None,
            folders: Vec::new(),
        };
        let ready = CompiledGroup {
            title: "t".into(),
            reason: "r".into(),
            undoes: None,
            question: None,
            writes: vec![write],
        };
        let id = history.next_id(&info()).unwrap();
        let run = history
            .begin(id, &info(), "job", None, &[ready], |_| Vec::new())
            .unwrap();
        history
            .record_outcome(&run.id, vec![RecordedOutcome::Applied], Some(&info()))
            .unwrap();
        if finish {
            history.archive(&run.id).unwrap();
        }
        run
    }

    #[test]
    fn records_are_listed_newest_first() {
        let dir = tempfile::tempdir().unwrap();
        let homes = Homes {
            state: dir.path().join("s"),
            cache: PathBuf::new(),
        };
        let disk = RealFs::default();
        let history = History::new(&disk, &homes);
        assert_eq!(history.list().unwrap(), (vec![], vec![]));
        assert!(!history.is_unfinished());
        let first = recorded(&history, true);
        let second = recorded(&history, true);
        assert!(second.id > first.id);
        let (entries, problems) = history.list().unwrap();
        assert_eq!(problems, []);
        let runs: Vec<&Run> = entries.iter().map(|entry| &entry.run).collect();
        assert_eq!(runs, [&second, &first]);
        assert_eq!(entries[0].applied().count(), 1);
        let image = first.groups[0].files[0].before.unwrap();
        assert_eq!(history.image(&first.id, image).unwrap(), "bee");
        assert_eq!(
            first.groups[0].files[0].after,
            Some(image),
            "equal texts are kept once"
        );
        assert!(!history.is_unfinished());
        recorded(&history, false);
        assert!(history.is_unfinished());
    }

    #[test]
    fn damaged_records_are_reported_and_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let homes = Homes {
            state: dir.path().to_owned(),
            cache: PathBuf::new(),
        };
        let disk = RealFs::default();
        let history = History::new(&disk, &homes);
        let good = recorded(&history, true);
        let damages: [(&str, &[u8]); 5] = [
            ("run.json", b"{"),
            ("run.json", br#"{"version":2}"#),
            ("outcome.json", b"\xff"),
            (
                "run.json",
                br#"{"version":1,"id":"../../x","at":"2026-11-21T05:59:00Z"}"#,
            ),
            ("images", b"be"),
        ];
        for (name, bytes) in damages {
            let run = recorded(&history, true);
            let file = dir.path().join("history").join(run.id.as_str()).join(name);
            fs::write(&file, bytes).unwrap();
            let image = run.groups[0].files[0].before.unwrap();
            assert!(history.image(&run.id, image).is_err() == (name == "images"));
        }
        fs::create_dir(dir.path().join("history/20990101-000000-0000")).unwrap();
        fs::write(dir.path().join("history/notes.txt"), "").unwrap();
        let (entries, problems) = history.list().unwrap();
        assert_eq!(problems.len(), 5, "{problems:?}");
        assert_eq!(entries.last().map(|entry| &entry.run), Some(&good));
        let newer = problems
            .iter()
            .find(|(_, reason)| reason.contains("format 2"))
            .unwrap();
        assert!(newer.1.contains("this mem reads 1"), "{newer:?}");
    }
}

//! Traces the origin of every file after a race: a text that an editor saved, or one that mem
//! recorded as derived from it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use mem::change::file_op::FileOp;
use mem::change::history::{FinishedRun, History, RunFile};
use mem::note::words::hash::ContentHash;
use mem::vault::swap::TEMP_PREFIX;
use mem::vault::{Homes, Vault};
use walkdir::WalkDir;

use super::{Failure, OTHERS, Race, Report, Saving};

/// Content of a note before and after a step of mem; `None` where it did not exist.
type Step = [Option<ContentHash>; 2];

/// All texts of a race.
#[derive(Default)]
struct Trace {
    /// Texts that editors saved.
    saved: HashSet<ContentHash>,
    /// Texts that mem found, with path.
    found: Vec<(ContentHash, String)>,
    /// Texts that mem wrote.
    left: HashSet<ContentHash>,
    /// Steps of mem by note.
    steps: HashMap<String, Vec<Step>>,
    /// Notes that mem moved to the trash and did not restore.
    in_trash: BTreeMap<PathBuf, ContentHash>,
    /// All texts stored anywhere.
    texts: String,
    broken: Vec<String>,
}

impl Race<'_> {
    /// Traces every file; `last` are the last saves of each editor.
    pub(super) fn check(&self, last: &[Vec<usize>], report: &mut Report) -> Result<(), Failure> {
        let root = self.vault();
        let vault = Vault::open(&root)?;
        let homes = Homes::of(&vault, &self.home("state"), &self.home("cache"));
        let history = History::new(vault.fs(), &homes);
        let mut trace = Trace::default();
        if history.is_unfinished() {
            trace.broken.push("a run is left unfinished".to_owned());
        }
        for place in (0..last.len()).flat_map(Self::places) {
            for save in 0..=self.saves {
                let text = place.text(save);
                trace.saved.insert(ContentHash::of(text.as_bytes()));
            }
        }
        for number in 0..OTHERS {
            let text = Self::other(number);
            trace.saved.insert(ContentHash::of(text.as_bytes()));
        }
        let (entries, problems) = history.list()?;
        for (run, why) in problems {
            trace.broken.push(format!("run {run}: {why}"));
        }
        for entry in entries.iter().rev() {
            trace.follow(entry, &history, &root, report);
        }
        trace.look(&root, report)?;
        self.last_saves(last, &mut trace, report);
        for number in 0..report.remembered {
            if !trace.texts.contains(Self::remembered(number).trim_end()) {
                let words = format!("what was remembered as number {number} is nowhere");
                trace.broken.push(words);
            }
        }
        report.broken.append(&mut trace.broken);
        Ok(())
    }

    /// Checks that each last save exists or that mem's changes are based on it.
    fn last_saves(&self, last: &[Vec<usize>], trace: &mut Trace, report: &mut Report) {
        for (editor, last) in last.iter().enumerate() {
            for (place, save) in Self::places(editor).into_iter().zip(last) {
                let path = place.path();
                let text = ContentHash::of(place.text(*save).as_bytes());
                let now = fs::read(self.vault().join(&path)).ok();
                let now = now.map(|bytes| ContentHash::of(&bytes));
                let steps = trace.steps.get(&path).map_or(&[][..], Vec::as_slice);
                if now == Some(text) {
                    report.last[0] += 1;
                } else if leads_to(steps, Some(text), now) {
                    report.last[1] += 1;
                } else {
                    let there = match now {
                        Some(now) if trace.saved.contains(&now) => "an earlier one",
                        Some(_) => "mem's edit of an earlier one",
                        None => "nothing",
                    };
                    let by = Saving::ALL[editor];
                    let words = format!("{path}: the last save of {by:?} is lost for {there}");
                    trace.broken.push(words);
                }
            }
        }
    }
}

impl Trace {
    /// Records what a run did.
    fn follow(
        &mut self,
        entry: &FinishedRun,
        history: &History<'_>,
        root: &Path,
        report: &mut Report,
    ) {
        let run = &entry.run.id;
        for (_, group) in entry.applied() {
            report.applied += 1;
            for file in &group.files {
                for image in [file.before, file.after].into_iter().flatten() {
                    match history.image(run, image) {
                        Ok(text) => self.texts.push_str(&text),
                        Err(error) => self.broken.push(format!("run {run}: {error}")),
                    }
                }
                report.writes[self.step(file, run.as_str(), root)] += 1;
            }
        }
    }

    /// Records the change of a file; returns 0 if it was changed, 1 if created, 2 if removed.
    fn step(&mut self, file: &RunFile, run: &str, root: &Path) -> usize {
        let step = [file.before, file.after].map(|image| image.map(|image| image.hash));
        let path = file.path.as_str();
        self.steps.entry(path.to_owned()).or_default().push(step);
        self.left.extend(step[1]);
        let place = format!("{path} in run {run}");
        self.found.extend(step[0].map(|hash| (hash, place)));
        let trash = |run: &str| root.join(".mem/trash").join(run).join(path);
        match &file.op {
            FileOp::Trash { .. } => {
                self.in_trash.extend(step[0].map(|hash| (trash(run), hash)));
            }
            FileOp::Restore { from } => {
                self.in_trash.remove(&trash(from.as_str()));
            }
            _ => {}
        }
        match step {
            [None, _] => 1,
            [_, None] => 2,
            _ => 0,
        }
    }

    /// Checks the files in the vault.
    fn look(&mut self, root: &Path, report: &mut Report) -> Result<(), Failure> {
        let found: HashSet<ContentHash> = self.found.iter().map(|(hash, _)| *hash).collect();
        report.taken_over = found.intersection(&self.saved).count();
        for (hash, place) in &self.found {
            if !self.saved.contains(hash) && !self.left.contains(hash) {
                let words = format!("{place}: mem read an unfinished text");
                self.broken.push(words);
            }
        }
        for entry in WalkDir::new(root) {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy();
            let path = entry.path().strip_prefix(root)?;
            if name.starts_with(TEMP_PREFIX) {
                self.broken.push(format!("{} is left over", path.display()));
            }
            let is_note = entry.path().extension().is_some_and(|end| end == "md");
            if !entry.file_type().is_file() || !is_note || path.starts_with("others") {
                continue;
            }
            let bytes = fs::read(entry.path())?;
            let text = String::from_utf8_lossy(&bytes);
            let hash = ContentHash::of(&bytes);
            if !self.saved.contains(&hash) && !self.left.contains(&hash) {
                self.broken
                    .push(format!("{} is torn: {text:?}", path.display()));
            }
            self.texts.push_str(&text);
            if path.starts_with(".mem/trash") {
                match self.in_trash.remove(entry.path()) {
                    Some(expected) if expected == hash => {}
                    Some(_) => report.late += 1,
                    None => {
                        let words = format!("{} is in the trash for no reason", path.display());
                        self.broken.push(words);
                    }
                }
            }
        }
        let gone = self.in_trash.keys();
        self.broken
            .extend(gone.map(|path| format!("{} is gone", path.display())));
        Ok(())
    }
}

/// Whether steps of mem lead from one text of a note to another.
fn leads_to(steps: &[Step], from: Option<ContentHash>, to: Option<ContentHash>) -> bool {
    let mut reached = HashSet::from([from]);
    let mut open = vec![from];
    while let Some(text) = open.pop() {
        for [before, after] in steps {
            if *before == text && reached.insert(*after) {
                open.push(*after);
            }
        }
    }
    reached.contains(&to)
}

//! Random runs on notes in memory, undone and redone in random order.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;
use crate::change::tests::{Chance, path};
use crate::vault::Homes;
use crate::vault::fs::RealFs;

type Files = BTreeMap<VaultPath, Arc<str>>;
type FileRecord = (VaultPath, FileOp, Option<Arc<str>>, Option<Arc<str>>);

struct Event {
    key: GroupKey,
    undoes: Option<GroupKey>,
    files: Vec<FileRecord>,
}

/// The result of an undo.
#[derive(Debug, PartialEq)]
enum UndoOutcome {
    All,
    /// The blocking run, and the number of undone groups.
    Named(RunId, usize),
    Kept,
}

struct World {
    files: Files,
    events: Vec<Event>,
    runs: usize,
}

impl World {
    fn new() -> Self {
        let files = [
            ("a.md", "---\nk: 1\n---\none\ntwo\nthree\n"),
            ("b.md", "one\n\n[[a]]\ntwo\n"),
            ("c.md", "---\ntier: working\nk: 1\n---\nfive\n"),
        ]
        .map(|(name, text)| (path(name), text.into()));
        Self {
            files: files.into_iter().collect(),
            events: Vec::new(),
            runs: 0,
        }
    }

    fn next_run(&mut self) -> RunId {
        self.runs += 1;
        format!("20260101-000000-{:04}", self.runs).parse().unwrap()
    }

    fn timeline<'a>(&self, history: &'a History<'a>) -> ChangeTimeline<'a> {
        let mut timeline = ChangeTimeline::empty(history);
        for event in &self.events {
            let text = |text: &Option<Arc<str>>| text.clone().map(StoredText::from);
            let files: Vec<_> = event
                .files
                .iter()
                .map(|(path, op, before, after)| RecordedFile {
                    path,
                    op,
                    before: text(before),
                    after: text(after),
                })
                .collect();
            timeline.add(event.key.clone(), event.undoes.clone(), &files);
        }
        timeline
    }

    fn write(&mut self, key: GroupKey, undoes: Option<GroupKey>, mut files: Vec<FileRecord>) {
        files.sort_by_key(|(_, _, _, after)| after.is_none());
        for (path, _, before, after) in &files {
            assert_eq!(self.files.get(path), before.as_ref(), "{path}");
            match after {
                Some(text) => self.files.insert(path.clone(), Arc::clone(text)),
                None => self.files.remove(path),
            };
        }
        self.events.push(Event { key, undoes, files });
    }

    fn edit(name: &VaultPath, before: &Arc<str>, after: String) -> FileRecord {
        let after = Some(after.into());
        (name.clone(), FileOp::Edit, Some(Arc::clone(before)), after)
    }

    fn rename(
        from: &VaultPath,
        to: &VaultPath,
        now: &Arc<str>,
        text: &Arc<str>,
    ) -> Vec<FileRecord> {
        let mut files = Vec::new();
        if now != text {
            files.push(Self::edit(from, now, text.to_string()));
        }
        let text = Some(Arc::clone(text));
        let arrive = FileOp::Arrive { from: from.clone() };
        files.push((to.clone(), arrive, None, text.clone()));
        files.push((from.clone(), FileOp::Depart { to: to.clone() }, text, None));
        files
    }

    fn remove(name: &VaultPath, text: &Arc<str>) -> FileRecord {
        let op = FileOp::Trash {
            reason: String::new(),
            keeper: None,
        };
        (name.clone(), op, Some(Arc::clone(text)), None)
    }

    /// Applies a run of one or two groups: a property, a body, a merge, a move, a new or a removed
    /// note.
    fn random_run(&mut self, chance: &mut Chance) -> Option<RunId> {
        let run = self.next_run();
        let mut is_empty = true;
        for number in 0..=chance.below(2) {
            let mut names: Vec<VaultPath> = self.files.keys().cloned().collect();
            if names.is_empty() {
                continue;
            }
            let name = names.swap_remove(chance.below(names.len()));
            let text = Arc::clone(&self.files[&name]);
            let paths = ["a.md", "b.md", "c.md", "d.md", "x/e.md"].map(path);
            let free: Vec<&VaultPath> = paths
                .iter()
                .filter(|name| !self.files.contains_key(*name))
                .collect();
            let files = match chance.below(8) {
                0..=3 => vec![Self::edit(&name, &text, changed(&text, chance))],
                4 if !names.is_empty() => {
                    let other = names.swap_remove(chance.below(names.len()));
                    let merged = format!("{}{}", self.files[&other], changed(&text, chance));
                    let keeper = Self::edit(&other, &self.files[&other], merged);
                    vec![keeper, Self::remove(&name, &text)]
                }
                5 if !free.is_empty() => {
                    let new = match chance.below(2) {
                        0 => Arc::clone(&text),
                        _ => changed(&text, chance).into(),
                    };
                    Self::rename(&name, free[chance.below(free.len())], &text, &new)
                }
                6 if !free.is_empty() => {
                    let new = Some(changed("", chance).into());
                    let name = free[chance.below(free.len())].clone();
                    vec![(name, FileOp::Create, None, new)]
                }
                _ => vec![Self::remove(&name, &text)],
            };
            if files
                .iter()
                .any(|(_, op, before, after)| *op != FileOp::Edit || before != after)
            {
                let is_change =
                    |(_, op, before, after): &FileRecord| *op != FileOp::Edit || before != after;
                let files = files.into_iter().filter(is_change).collect();
                self.write((run.clone(), number), None, files);
                is_empty = false;
            }
        }
        (!is_empty).then_some(run)
    }

    /// Restores a removed note, as `restore` does: an undo without a record of what it undoes.
    fn restore(&mut self, chance: &mut Chance) -> Option<RunId> {
        let homes = Homes {
            state: PathBuf::new(),
            cache: PathBuf::new(),
        };
        let disk = RealFs::default();
        let history = History::new(&disk, &homes);
        let timeline = self.timeline(&history);
        let is_removal = |event: &&Event| {
            let made = &timeline.changes[timeline.records[&event.key]];
            let is_last = made.last_key() == Some(&event.key);
            is_last && made.is_applied() && made.is_removal() && made.steps.len() == 1
        };
        let removals = self.events.iter().filter(is_removal).map(|event| {
            let (path, _, before, _) = &event.files[0];
            (event.key.0.clone(), path.clone(), before.clone())
        });
        let mut removals: Vec<_> = removals
            .filter(|(_, path, _)| !self.files.contains_key(path))
            .collect();
        if removals.is_empty() {
            return None;
        }
        let (from, path, text) = removals.swap_remove(chance.below(removals.len()));
        let run = self.next_run();
        let file = (path, FileOp::Restore { from }, None, text);
        self.write((run.clone(), 0), None, vec![file]);
        Some(run)
    }

    /// Undoes a run as `undo` does, its last group first.
    fn undo(&mut self, of: &RunId) -> UndoOutcome {
        let homes = Homes {
            state: PathBuf::new(),
            cache: PathBuf::new(),
        };
        let disk = RealFs::default();
        let history = History::new(&disk, &homes);
        let mut timeline = self.timeline(&history);
        let undo = self.next_run();
        let keys: Vec<GroupKey> = self
            .events
            .iter()
            .map(|event| event.key.clone())
            .filter(|(run, _)| run == of)
            .collect();
        let mut named;
        let mut count = 0;
        let mut open: Vec<GroupKey> = keys.into_iter().rev().collect();
        loop {
            let before = count;
            named = None::<RunId>;
            let mut kept = Vec::new();
            for key in open {
                let change = timeline.change_of(&key).unwrap();
                if !timeline.is_in_effect(&key) {
                    continue;
                }
                let states = match timeline.toggled(change).unwrap() {
                    Ok(states) => states,
                    Err(conflict) => {
                        match timeline.obstacle(change, conflict, |_, _| {}).unwrap() {
                            (_, Obstacle::Change(other)) => {
                                named = named.or(timeline.run_to_undo(other).cloned());
                            }
                            _ => return UndoOutcome::Kept,
                        }
                        kept.push(key);
                        continue;
                    }
                };
                let files = files_for_states(&timeline, &history, change, &states);
                timeline.toggle(change, states);
                self.write((undo.clone(), count), Some(key), files);
                count += 1;
            }
            open = kept;
            if count == before {
                break;
            }
        }
        match named {
            Some(run) => UndoOutcome::Named(run, count),
            None => UndoOutcome::All,
        }
    }

    /// Returns the changes in effect.
    fn applied_groups(&self) -> Vec<GroupKey> {
        let homes = Homes {
            state: PathBuf::new(),
            cache: PathBuf::new(),
        };
        let disk = RealFs::default();
        let history = History::new(&disk, &homes);
        let timeline = self.timeline(&history);
        let standing = timeline.changes.iter().filter(|change| change.is_applied());
        standing.filter_map(|change| change.key.clone()).collect()
    }
}

/// Returns the files that give the notes of a change these states.
fn files_for_states(
    timeline: &ChangeTimeline<'_>,
    history: &History<'_>,
    change: ChangeIndex,
    states: &HashMap<NoteIndex, NoteState>,
) -> Vec<FileRecord> {
    let mut files = Vec::new();
    for step in timeline.steps(change).iter().rev() {
        let read = |state: &NoteState| state.text.read(history).unwrap();
        match (timeline.state(step.note), states.get(&step.note)) {
            (None, None) => {}
            (Some(now), Some(wanted)) if now.path == wanted.path => {
                files.push(World::edit(&now.path, &read(now), read(wanted).to_string()));
            }
            (Some(now), Some(wanted)) => {
                files.extend(World::rename(
                    &now.path,
                    &wanted.path,
                    &read(now),
                    &read(wanted),
                ));
            }
            (Some(now), None) => files.push(World::remove(&now.path, &read(now))),
            (None, Some(wanted)) => {
                let text = Some(read(wanted));
                files.push((wanted.path.clone(), FileOp::Create, None, text));
            }
        }
    }
    files
}

/// Changes a line, using few words and values so that equal ones occur.
fn changed(text: &str, chance: &mut Chance) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let value = chance.of(&["k: 1\n", "k: 2\n", "k: 3\n"]);
    let property = lines.iter().position(|line| line.starts_with("k:"));
    let tier = lines.iter().position(|line| line.starts_with("tier:"));
    match (chance.below(4), property, tier) {
        (0, Some(at), _) => lines[at] = (*value).to_owned(),
        (1, _, Some(at)) => {
            lines[at] =
                (*chance.of(&["tier: working\n", "tier: archival\n", "tier: core\n"])).to_owned();
        }
        (2, ..) if !lines.is_empty() => {
            lines.remove(chance.below(lines.len()));
        }
        _ => {
            let line = chance.of(&["one\n", "two\n", "three\n", "k: 1\n"]);
            lines.insert(chance.below(lines.len() + 1), (*line).to_owned());
        }
    }
    lines.concat()
}

#[test]
fn undoing_all_runs_in_any_order_restores_every_note() {
    let (mut named, mut redone, mut restored) = (0, 0, 0);
    for seed in 0..4_000 {
        let chance = &mut Chance(seed);
        let mut world = World::new();
        let start = world.files.clone();
        let mut runs: Vec<RunId> = Vec::new();
        let mut known: HashMap<Vec<GroupKey>, Files> = HashMap::new();
        let mut all: Vec<RunId> = Vec::new();
        for _ in 0..4 + chance.below(24) {
            let before = world.runs;
            if all.is_empty() || chance.below(2) == 0 {
                let run = world.random_run(chance);
                runs.extend(run.clone());
                all.extend(run);
            } else if chance.below(4) == 0 {
                let run = world.restore(chance);
                restored += usize::from(run.is_some());
                all.extend(run);
            } else {
                // An undo, or an undo of an undo.
                let run = chance.of(&all).clone();
                redone += usize::from(!runs.contains(&run));
                if let UndoOutcome::Named(other, _) = undo(&mut world, &run, seed) {
                    named += 1;
                    let next = world.undo(&other);
                    let progress = matches!(next, UndoOutcome::All | UndoOutcome::Named(_, 1..));
                    assert!(progress, "seed {seed}: {run} names {other}: {next:?}");
                }
                let mut new: Vec<RunId> = world
                    .events
                    .iter()
                    .map(|event| event.key.0.clone())
                    .filter(|run| run.as_str() > format!("20260101-000000-{before:04}").as_str())
                    .collect();
                new.dedup();
                all.extend(new);
            }
            let files = known
                .entry(world.applied_groups())
                .or_insert_with(|| world.files.clone());
            assert_eq!(
                *files, world.files,
                "seed {seed}: the order of undoing shows"
            );
        }
        while !runs.is_empty() {
            let mut wanted = vec![runs.swap_remove(chance.below(runs.len()))];
            while let Some(run) = wanted.pop() {
                assert!(
                    wanted.len() < 50,
                    "seed {seed}: the undo loop does not terminate"
                );
                if let UndoOutcome::Named(other, _) = undo(&mut world, &run, seed) {
                    assert_ne!(other, run, "seed {seed}");
                    wanted.extend([run, other]);
                }
            }
        }
        assert_eq!(world.files, start, "seed {seed}");
    }
    let counts = [named, redone, restored];
    assert!(counts.iter().all(|count| *count > 1_000), "{counts:?}");
}

fn undo(world: &mut World, run: &RunId, seed: u64) -> UndoOutcome {
    let undone = world.undo(run);
    assert_ne!(undone, UndoOutcome::Kept, "seed {seed}: {run}");
    undone
}

//! Simulates power failures at every operation of every kind of run, followed by recovery.
//!
//! For each [`Scenario`] and each number N, the run stops after N operations. The disk keeps what
//! one of several [`Loss`]es leaves (`vault::tests::Platter` documents the disk model). A person
//! may edit a note, then recovery runs. Afterwards every note must match a set of whole groups, and
//! the records must agree. No temporary file may remain, and an undo must restore the first state.
//!
//! The suite tries a few seeds. A full run takes some minutes:
//!
//! ```text
//! MEM_FAULT_SEEDS=200 cargo test --release --lib change::tests
//! ```
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::apply::{RunReport, apply};
use super::file_op::FileOp;
use super::history::{FinishedRun, History};
use super::recover::{RecoveryReport, recover};
use super::run_id::RunId;
use super::undo::{UndoTarget, undo};
use super::{Outcome, Result, RunInfo, trash};
use crate::finding::{Change, Group, Plan};
use crate::note::{ContentHash, Edit, VaultPath};
use crate::vault::tests::{Fault, FaultFs, Loss, write_vault};
use crate::vault::{Homes, Vault, is_note_name};

/// Every file of a vault outside `.mem`, and every folder: text and mode.
pub(super) type State = BTreeMap<String, (String, u32)>;

pub(super) fn path(text: &str) -> VaultPath {
    VaultPath::new(text).unwrap()
}

pub(super) struct TestVault {
    dir: tempfile::TempDir,
    runs: Cell<u64>,
    folds: bool,
}

/// In memory if possible, because thousands of small folders are created and removed.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm")
        .or_else(|_| tempfile::tempdir())
        .unwrap()
}

impl TestVault {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let fixture = Self {
            dir: folder(),
            runs: Cell::new(0),
            folds: false,
        };
        write_vault(&fixture.absolute(""), files.iter().copied());
        fixture
    }

    /// The folder that contains vault, state and caches.
    pub(super) fn root(&self) -> &std::path::Path {
        self.dir.path()
    }

    pub(super) fn absolute(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join("vault").join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        write_vault(&self.absolute(""), [(name, text)]);
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.absolute(name)).unwrap()
    }

    pub(super) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.absolute(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Puts the vault on a case-insensitive disk.
    pub(super) fn case_insensitive(mut self) -> Self {
        self.folds = true;
        self
    }

    /// Opens the vault on a disk that only records operations.
    pub(super) fn vault(&self) -> Vault {
        self.vault_on(FaultFs::default()).0
    }

    pub(super) fn vault_on(&self, disk: FaultFs) -> (Vault, Arc<FaultFs>) {
        let root = self.absolute("").canonicalize().unwrap();
        let base = disk.beneath(&root);
        let disk = Arc::new(if self.folds {
            base.case_insensitive()
        } else {
            base
        });
        (Vault::at(root, Arc::clone(&disk) as _).unwrap(), disk)
    }

    pub(super) fn homes(&self) -> Homes {
        Homes {
            state: self.dir.path().join("state"),
            cache: self.dir.path().join("cache"),
        }
    }

    pub(super) fn apply(&self, plan: &Plan) -> RunReport {
        apply(&self.vault(), &self.homes(), plan, &self.info()).unwrap()
    }

    pub(super) fn info(&self) -> RunInfo {
        self.runs.set(self.runs.get() + 1);
        RunInfo {
            at: "2026-11-21T05:59:00Z".parse().unwrap(),
            began: std::time::Instant::now(),
            processed: None,
            seed: self.runs.get(),
            command: "mem test".to_owned(),
            patience: Duration::ZERO,
            stop: crate::change::stop::Stop::default(),
        }
    }

    /// Replaces the one occurrence of `was` in a note.
    pub(super) fn edit(&self, name: &str, was: &str, new: &str) -> Change {
        let text = self.read(name);
        let start = text.find(was).unwrap();
        let edit = Edit::Replace {
            span: start..start + was.len(),
            was: was.to_owned(),
            text: new.to_owned(),
        };
        Change::Edit {
            path: path(name),
            base: ContentHash::of(text.as_bytes()),
            edits: vec![edit],
        }
    }

    /// Moves a note, replacing the one occurrence of `was` in it, if there is one.
    pub(super) fn move_to(&self, name: &str, to: &str, was: &str, new: &str) -> Change {
        let Change::Edit { path, base, edits } = self.edit(name, was, new) else {
            unreachable!("an edit");
        };
        Change::Move {
            path,
            base,
            to: self::path(to),
            edits: if was == new { Vec::new() } else { edits },
        }
    }

    pub(super) fn trash(&self, name: &str) -> Change {
        let base = ContentHash::of(self.read(name).as_bytes());
        Change::Trash {
            path: path(name),
            base,
            reason: "a duplicate".to_owned(),
            keeper: None,
        }
    }

    /// Removes a note merged into `keeper`.
    pub(super) fn merge_into(&self, name: &str, keeper: &str) -> Change {
        let mut change = self.trash(name);
        if let Change::Trash { keeper: into, .. } = &mut change {
            *into = Some(path(keeper));
        }
        change
    }

    pub(super) fn state(&self) -> State {
        walkdir::WalkDir::new(self.absolute(""))
            .min_depth(1)
            .into_iter()
            .filter_entry(|entry| entry.file_name() != ".mem")
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.path().strip_prefix(self.absolute("")).unwrap();
                let is_file = entry.file_type().is_file();
                let text = is_file.then(|| fs::read_to_string(entry.path()).unwrap());
                let mode = entry.metadata().unwrap().permissions().mode();
                (
                    name.to_str().unwrap().to_owned(),
                    (text.unwrap_or_default(), mode),
                )
            })
            .collect()
    }

    /// Returns all files under `.mem`, to check that no trace remains.
    pub(super) fn own_files(&self) -> Vec<String> {
        walkdir::WalkDir::new(self.absolute(".mem"))
            .into_iter()
            .map(Result::unwrap)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                entry
                    .path()
                    .strip_prefix(self.absolute(".mem"))
                    .unwrap()
                    .display()
                    .to_string()
            })
            .collect()
    }
}

pub(super) fn create(name: &str, text: &str) -> Change {
    Change::Create {
        path: path(name),
        text: text.to_owned(),
    }
}

pub(super) fn plan(groups: Vec<Vec<Change>>) -> Plan {
    let group = |(number, changes)| Group {
        title: format!("group {number}"),
        reason: "a reason".to_owned(),
        changes,
        ..Group::default()
    };
    Plan {
        job: "dedupe".to_owned(),
        groups: groups.into_iter().enumerate().map(group).collect(),
    }
}

/// A seeded random generator: the same seed gives the same vault, runs and order of undoing.
pub(super) struct Chance(pub(super) u64);

impl Chance {
    pub(super) fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((self.0 >> 33) % end as u64) as usize
    }

    pub(super) fn of<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
        &choices[self.below(choices.len())]
    }
}

/// The operation that is interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Apply,
    /// Of an applied plan.
    Undo,
    /// Of such an undo.
    Redo,
}

struct Scenario {
    name: &'static str,
    fixture: fn() -> TestVault,
    plan: fn(&TestVault) -> Plan,
    operation: Operation,
    /// Notes that a person edits or creates after the crash.
    notes: &'static [&'static str],
}

const SCENARIOS: [Scenario; 12] = [
    Scenario {
        name: "merge",
        fixture: merge_vault,
        plan: merge,
        operation: Operation::Apply,
        notes: &["keeper.md", "link2.md", "sub/dup.md", "new/n.md"],
    },
    Scenario {
        name: "undo of merge",
        operation: Operation::Undo,
        ..MERGE
    },
    Scenario {
        name: "redo of merge",
        operation: Operation::Redo,
        ..MERGE
    },
    MOVE,
    Scenario {
        name: "undo of move",
        operation: Operation::Undo,
        ..MOVE
    },
    Scenario {
        name: "redo of move",
        operation: Operation::Redo,
        ..MOVE
    },
    Scenario {
        name: "edit",
        fixture: || TestVault::new(&[("a.md", "one two"), ("x/b.md", "bee")]),
        plan: |fixture| {
            plan(vec![
                vec![fixture.edit("a.md", "one", "1")],
                vec![
                    fixture.edit("a.md", "two", "2"),
                    fixture.edit("x/b.md", "b", "B"),
                ],
            ])
        },
        operation: Operation::Apply,
        notes: &["a.md", "x/b.md"],
    },
    RESPELL,
    Scenario {
        name: "undo of respell",
        operation: Operation::Undo,
        ..RESPELL
    },
    TRASH,
    Scenario {
        name: "undo of trash",
        operation: Operation::Undo,
        ..TRASH
    },
    Scenario {
        name: "create",
        fixture: || TestVault::new(&[("x/a.md", "one")]),
        plan: |_| {
            plan(vec![
                vec![create("x/y/b.md", "b"), create("x/y/z/c.md", "c")],
                vec![create("d.md", "d")],
            ])
        },
        operation: Operation::Apply,
        notes: &["x/y/b.md", "d.md"],
    },
];

const MERGE: Scenario = Scenario {
    name: "merge",
    fixture: merge_vault,
    plan: merge,
    operation: Operation::Apply,
    notes: &["keeper.md", "link2.md", "sub/dup.md", "new/n.md"],
};

const MOVE: Scenario = Scenario {
    name: "move",
    fixture: move_vault,
    plan: relocate,
    operation: Operation::Apply,
    notes: &["x/note.md", "new/deep/n.md", "link.md", "other.md"],
};

/// A note gets a different spelling of its path on a case-insensitive disk.
const RESPELL: Scenario = Scenario {
    name: "respell",
    fixture: || {
        TestVault::new(&[("x/tea.md", "tea\none"), ("link.md", "see [[tea]]")]).case_insensitive()
    },
    plan: |fixture| {
        plan(vec![vec![
            fixture.edit("link.md", "tea", "Tea"),
            fixture.move_to("x/tea.md", "x/Tea.md", "one", "1"),
        ]])
    },
    operation: Operation::Apply,
    notes: &["link.md"],
};

const TRASH: Scenario = Scenario {
    name: "trash",
    fixture: || TestVault::new(&[("a.md", "one"), ("x/b.md", "bee"), ("x/c.md", "sea")]),
    plan: |fixture| {
        plan(vec![
            vec![fixture.trash("a.md"), fixture.trash("x/b.md")],
            vec![fixture.trash("x/c.md")],
        ])
    },
    operation: Operation::Apply,
    notes: &["a.md", "x/c.md"],
};

fn merge_vault() -> TestVault {
    let fixture = TestVault::new(&[
        ("keeper.md", "keeper: one two"),
        ("sub/link1.md", "see [[dup]]"),
        ("link2.md", "also [[dup]]"),
        ("sub/dup.md", "dup"),
        ("other.md", "not concerned"),
    ]);
    fixture.set_mode("keeper.md", 0o640);
    fixture
}

/// A merge: the keeper gains text, two notes are re-pointed, the other goes to the trash. A second
/// group builds on it.
fn merge(fixture: &TestVault) -> Plan {
    plan(vec![
        vec![
            fixture.edit("keeper.md", "one", "one and dup"),
            fixture.edit("sub/link1.md", "dup", "keeper"),
            fixture.edit("link2.md", "dup", "keeper"),
            fixture.merge_into("sub/dup.md", "keeper.md"),
        ],
        vec![
            create("new/n.md", "a new note"),
            fixture.edit("keeper.md", "two", "2"),
        ],
    ])
}

fn move_vault() -> TestVault {
    let fixture = TestVault::new(&[
        ("x/note.md", "note: one\ntwo"),
        ("link.md", "see [[note]]"),
        ("other.md", "other"),
    ]);
    fixture.set_mode("x/note.md", 0o640);
    fixture
}

/// A note moves with an edit and a link to it. A second group edits it under its new path and moves
/// another note to its old path.
fn relocate(fixture: &TestVault) -> Plan {
    let mut changes = plan(vec![
        vec![
            fixture.move_to("x/note.md", "new/deep/n.md", "one", "1"),
            fixture.edit("link.md", "note", "n"),
        ],
        vec![
            fixture.edit("x/note.md", "two", "2"),
            fixture.move_to("other.md", "x/note.md", "other", "other"),
        ],
    ]);
    if let Change::Edit { path: at, .. } = &mut changes.groups[1].changes[0] {
        *at = path("new/deep/n.md");
    }
    changes
}

fn disk(fault: Fault, exchange: bool) -> FaultFs {
    let disk = FaultFs::new(fault);
    if exchange {
        disk
    } else {
        disk.without_exchange()
    }
}

/// Number of seeds of each kind to try.
fn seeds() -> u64 {
    let seeds = std::env::var("MEM_FAULT_SEEDS").ok();
    seeds.map_or(1, |text| text.parse().expect("a number"))
}

fn losses(at: usize) -> impl Iterator<Item = Loss> {
    let seed = move |seed: u64| at as u64 * 1000 + seed;
    let by_chance = (0..seeds()).flat_map(move |s| [Loss::Tail(seed(s)), Loss::Some(seed(s))]);
    // With few seeds, alternates between the two.
    let by_chance = by_chance
        .enumerate()
        .filter(move |(number, _)| seeds() > 1 || (at + number).is_multiple_of(2))
        .map(|(_, loss)| loss);
    [Loss::Nothing, Loss::Everything]
        .into_iter()
        .chain(by_chance)
}

impl Scenario {
    /// Returns the fixture right before the interrupted operation, and the run to undo.
    fn begin(&self) -> (TestVault, Option<RunId>) {
        let fixture = (self.fixture)();
        let (vault, homes) = (fixture.vault(), fixture.homes());
        if self.operation == Operation::Apply {
            return (fixture, None);
        }
        let changes = (self.plan)(&fixture);
        let mut run = apply(&vault, &homes, &changes, &fixture.info())
            .unwrap()
            .run;
        if self.operation == Operation::Redo {
            run = undo(
                &vault,
                [&homes; 2],
                &UndoTarget::Last,
                None,
                &fixture.info(),
            )
            .unwrap()
            .run;
        }
        assert!(run.is_some());
        (fixture, run)
    }

    /// Runs the operation on a failing disk; true if it reported success.
    fn interrupted(
        &self,
        fixture: &TestVault,
        of: Option<&RunId>,
        fault: FaultFs,
    ) -> (bool, Arc<FaultFs>) {
        let (vault, disk) = fixture.vault_on(fault);
        let homes = fixture.homes();
        let done = match of {
            None => {
                let changes = (self.plan)(fixture);
                apply(&vault, &homes, &changes, &fixture.info()).is_ok()
            }
            Some(run) => {
                let target = UndoTarget::Run(run.clone());
                undo(&vault, [&homes; 2], &target, None, &fixture.info()).is_ok()
            }
        };
        (done, disk)
    }

    /// Returns the vault after each set of groups that can be applied alone; the last is all of
    /// them.
    fn stages(&self) -> Vec<(State, usize)> {
        let groups = (self.plan)(&(self.fixture)()).groups.len();
        let stage = |chosen: usize| {
            let fixture = (self.fixture)();
            let mut changes = (self.plan)(&fixture);
            let mut number = 0;
            changes.groups.retain(|_| {
                number += 1;
                chosen >> (number - 1) & 1 == 1
            });
            let count = changes.groups.len();
            let report = fixture.apply(&changes);
            (report.applied() == count).then(|| (fixture.state(), count))
        };
        (0..1 << groups).filter_map(stage).collect()
    }

    fn known(&self) -> KnownStages {
        KnownStages {
            stages: self.stages(),
            texts: self.texts(),
        }
    }

    /// Returns every text that a note may contain at any moment.
    fn texts(&self) -> BTreeSet<String> {
        let (fixture, of) = self.begin();
        let mut texts: BTreeSet<String> = notes(&fixture).into_values().collect();
        self.interrupted(&fixture, of.as_ref(), FaultFs::default());
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let history = History::new(vault.fs(), &homes);
        for entry in history.list().unwrap().0 {
            let files = entry.run.groups.iter().flat_map(|group| &group.files);
            for image in files.flat_map(|file| [file.before, file.after]).flatten() {
                texts.insert(history.image(&entry.run.id, image).unwrap());
            }
        }
        texts
    }
}

/// Returns the notes that a reader sees, without staged files.
fn notes(fixture: &TestVault) -> BTreeMap<String, String> {
    let is_note = |name: &String| is_note_name(name) && !name.contains(".~mem-");
    let notes = fixture
        .state()
        .into_iter()
        .filter(|(name, _)| is_note(name));
    notes.map(|(name, (text, _))| (name, text)).collect()
}

fn settle(fixture: &TestVault, fault: FaultFs) -> (Result<Vec<RecoveryReport>>, Arc<FaultFs>) {
    let (vault, disk) = fixture.vault_on(fault);
    let settled = recover(&vault, &History::new(vault.fs(), &fixture.homes()));
    (settled, disk)
}

/// Checks that no temporary file remains and all records are readable; returns finished runs,
/// newest first.
fn assert_tidy(fixture: &TestVault, name: &str) -> Vec<FinishedRun> {
    let (vault, homes) = (fixture.vault(), fixture.homes());
    let history = History::new(vault.fs(), &homes);
    assert!(!history.is_unfinished(), "{name}: not settled");
    let state = fixture.state();
    assert!(
        !state.keys().any(|name| name.contains(".~mem-")),
        "{name}: {state:#?}"
    );
    let (entries, problems) = history.list().unwrap();
    assert_eq!(problems, [], "{name}");
    for entry in &entries {
        for file in entry.run.groups.iter().flat_map(|group| &group.files) {
            for image in [file.before, file.after].into_iter().flatten() {
                let read = history.image(&entry.run.id, image);
                assert!(read.is_ok(), "{name}: {read:?}");
            }
        }
    }
    entries
}

/// Checks that every note in the trash has a run and a reason.
fn assert_trash_has_reasons(fixture: &TestVault, entries: &[FinishedRun], name: &str) {
    let own = fixture.own_files();
    let trashed = trash::list(&fixture.vault()).unwrap();
    let lists: BTreeSet<&RunId> = trashed.iter().map(|trashed| &trashed.run).collect();
    assert_eq!(own.len(), trashed.len() + lists.len(), "{name}: {own:?}");
    for trashed in &trashed {
        let entry = entries
            .iter()
            .find(|entry| entry.run.id == trashed.run)
            .unwrap_or_else(|| panic!("{name}: {trashed:?} of no run"));
        let mut files = entry.applied().flat_map(|(_, group)| &group.files);
        let is_known =
            files.any(|file| file.path == trashed.path && matches!(file.op, FileOp::Trash { .. }));
        assert!(is_known && trashed.record.is_some(), "{name}: {trashed:?}");
    }
}

impl Scenario {
    /// Checks that the vault matches a stage and its records, and that the run can be undone.
    fn assert_whole(
        &self,
        fixture: &TestVault,
        of: Option<&RunId>,
        stages: &[(State, usize)],
        name: &str,
    ) -> usize {
        let now = fixture.state();
        let stage = stages.iter().position(|stage| stage.0 == now);
        let Some(stage) = stage else {
            panic!("{name}: half a group: {now:#?}")
        };
        let entries = assert_tidy(fixture, name);
        assert_trash_has_reasons(fixture, &entries, name);
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let take_back =
            |target: &UndoTarget| undo(&vault, [&homes; 2], target, None, &fixture.info()).unwrap();
        match (self.operation, of) {
            (Operation::Apply, _) => {
                let applied: usize = entries.iter().map(|entry| entry.applied().count()).sum();
                assert_eq!(
                    applied, stages[stage].1,
                    "{name}: the record says otherwise"
                );
                if applied > 0 {
                    take_back(&UndoTarget::Last);
                }
                assert_eq!(fixture.state(), stages[0].0, "{name}: undone");
            }
            // Any outcome can be recovered further.
            (_, Some(run)) => {
                let end = if self.operation == Operation::Undo {
                    0
                } else {
                    stages.len() - 1
                };
                if stage != end {
                    take_back(&UndoTarget::Run(run.clone()));
                }
                assert_eq!(fixture.state(), stages[end].0, "{name}: taken further");
            }
            (_, None) => unreachable!("an undo is of a run"),
        }
        let entries = assert_tidy(fixture, name);
        assert_trash_has_reasons(fixture, &entries, name);
        stage
    }

    /// Simulates a power failure at operation `at`; false if the run finished before.
    fn fails_at(
        &self,
        known: &KnownStages,
        at: usize,
        exchange: bool,
        tally: &mut OutcomeCounts,
    ) -> bool {
        let (fixture, of) = self.begin();
        let disk = disk(Fault::Tear(at), exchange).with_platter(fixture.root());
        let (done, disk) = self.interrupted(&fixture, of.as_ref(), disk);
        for loss in losses(at) {
            let name = format!("{}, {at}, {exchange}, {loss:?}", self.name);
            disk.power_fails(loss);
            for (note, text) in notes(&fixture) {
                assert!(known.texts.contains(&text), "{name}: {note}: {text:?}");
            }
            let (settled, _) = settle(&fixture, self::disk(Fault::None, exchange));
            let settled = settled.unwrap().into_iter();
            let left: Vec<VaultPath> = settled.flat_map(|run| run.left_alone).collect();
            assert_eq!(left, [], "{name}");
            let stage = self.assert_whole(&fixture, of.as_ref(), &known.stages, &name);
            if done {
                assert_eq!(stage, self.end(known), "{name}: reported as done");
            }
            tally.stages.insert(stage);
            tally.failures += 1;
        }
        !done || disk.ops().len() > at
    }

    /// Returns the stage at which the operation ends.
    fn end(&self, known: &KnownStages) -> usize {
        match self.operation {
            Operation::Undo => 0,
            Operation::Apply | Operation::Redo => known.stages.len() - 1,
        }
    }
}

struct KnownStages {
    stages: Vec<(State, usize)>,
    texts: BTreeSet<String>,
}

#[derive(Default)]
struct OutcomeCounts {
    failures: usize,
    stages: BTreeSet<usize>,
}

#[test]
fn after_a_power_failure_at_any_operation_every_group_is_whole() {
    let mut failures = 0;
    for scenario in &SCENARIOS {
        let known = scenario.known();
        for exchange in [true, false] {
            let mut tally = OutcomeCounts::default();
            let over = (0..1000).find(|at| !scenario.fails_at(&known, *at, exchange, &mut tally));
            assert!(over.is_some_and(|operations| operations > 20), "{over:?}");
            assert!(
                tally.stages.len() > 1,
                "{}: {:?}",
                scenario.name,
                tally.stages
            );
            failures += tally.failures;
        }
    }
    assert!(failures > 2000, "{failures}");
}

/// An edit by a person between the crash and the recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PersonEdit {
    Saves,
    SavesByRename,
    Deletes,
    /// With arbitrary content.
    Replaces,
}

impl PersonEdit {
    /// Applies the edit and returns the new content; `None` if the note does not exist.
    fn apply_to(self, fixture: &TestVault, note: &str) -> Option<String> {
        let path = fixture.absolute(note);
        let text = match self {
            Self::Deletes => {
                let _ = fs::remove_file(path);
                return None;
            }
            Self::Replaces => "another note\nof mine".to_owned(),
            _ if !path.exists() => return None,
            _ => fixture.read(note) + "\nmine\n",
        };
        if self == Self::SavesByRename {
            fs::write(path.with_extension("swp"), &text).unwrap();
            fs::rename(path.with_extension("swp"), &path).unwrap();
        } else {
            fixture.write(note, &text);
        }
        Some(text)
    }
}

const PERSON_EDITS: [PersonEdit; 4] = [
    PersonEdit::Saves,
    PersonEdit::SavesByRename,
    PersonEdit::Deletes,
    PersonEdit::Replaces,
];

impl Scenario {
    /// Simulates an edit of `note` after the crash, and checks that it survives and groups are
    /// whole.
    fn with_a_person(
        &self,
        known: &KnownStages,
        fixture: &TestVault,
        (person, note): (PersonEdit, &str),
        exchange: bool,
        name: &str,
    ) {
        let wrote = person.apply_to(fixture, note);
        let (settled, _) = settle(fixture, disk(Fault::None, exchange));
        settled.unwrap();
        let entries = assert_tidy(fixture, name);
        // A moved note has two paths.
        let other_names: Vec<String> = (self.plan)(&(self.fixture)())
            .groups
            .iter()
            .flat_map(|group| &group.changes)
            .map(|change| change.paths().map(ToString::to_string).collect::<Vec<_>>())
            .filter(|names| names.iter().any(|name| name == note))
            .flatten()
            .collect();
        let concerns = |name: &str| name == note || other_names.iter().any(|other| other == name);
        let now = notes(fixture);
        if let Some(text) = &wrote {
            let survives = |now: &BTreeMap<String, String>| {
                now.iter().any(|(name, now)| concerns(name) && now == text)
            };
            assert!(survives(&now), "{name}: lost {text:?}: {now:#?}");
        }
        for (note, text) in &now {
            let is_known = wrote.as_ref() == Some(text) || known.texts.contains(text);
            assert!(is_known, "{name}: {note}: {text:?}");
        }
        let is_stage = |stage: &(State, usize)| {
            let names = now.keys().chain(stage.0.keys());
            names
                .filter(|name| is_note_name(name) && !concerns(name))
                .all(|name| now.get(name) == stage.0.get(name).map(|(text, _)| text))
        };
        assert!(known.stages.iter().any(is_stage), "{name}: half: {now:#?}");
        assert_trash_has_reasons(fixture, &entries, name);
        let is_in = |note: &str, word: &str| now.get(note).is_some_and(|text| text.contains(word));
        if known.texts.contains("dup") && note != "sub/dup.md" && !is_in("sub/dup.md", "dup") {
            let gone = note == "keeper.md"
                && person != PersonEdit::Saves
                && person != PersonEdit::SavesByRename;
            assert!(
                gone || is_in("keeper.md", "dup"),
                "{name}: its text is lost: {now:#?}"
            );
        }
    }
}

#[test]
fn edits_by_a_person_after_a_crash_survive() {
    let mut count = 0;
    for scenario in &SCENARIOS {
        let known = scenario.known();
        for exchange in [true, false] {
            for at in 0.. {
                let (fixture, of) = scenario.begin();
                let disk = disk(Fault::Stop(at), exchange).with_platter(fixture.root());
                let (done, disk) = scenario.interrupted(&fixture, of.as_ref(), disk);
                let acts = PERSON_EDITS
                    .iter()
                    .flat_map(|person| scenario.notes.iter().map(|note| (*person, *note)));
                for (number, act) in acts.enumerate() {
                    for (kind, loss) in losses(at * 100 + number).enumerate() {
                        // Tries one of many, a different one for each operation.
                        if seeds() == 1 && !(at + number * 3 + kind * 2).is_multiple_of(32) {
                            continue;
                        }
                        disk.power_fails(loss);
                        let name =
                            format!("{}, {at}, {exchange}, {loss:?}, {act:?}", scenario.name);
                        scenario.with_a_person(&known, &fixture, act, exchange, &name);
                        count += 1;
                    }
                }
                if done && disk.ops().len() <= at {
                    break;
                }
            }
        }
    }
    assert!(count > 1000, "{count}");
}

#[test]
fn a_crash_during_recovery_is_recovered() {
    let mut count = 0;
    let few = if seeds() == 1 { 7 } else { 1 };
    for scenario in [&MERGE, &MOVE] {
        let known = scenario.known();
        for first in (0..).step_by(few) {
            let (fixture, of) = scenario.begin();
            let disk = FaultFs::new(Fault::Tear(first)).with_platter(fixture.root());
            let (done, disk) = scenario.interrupted(&fixture, of.as_ref(), disk);
            for second in (first % 3..).step_by(few.min(3)) {
                let seed = (first * 1000 + second) as u64;
                disk.power_fails([Loss::Some(seed), Loss::Nothing, Loss::Tail(seed)][second % 3]);
                let again = FaultFs::new(Fault::Tear(second)).with_platter(fixture.root());
                let (settled, again) = settle(&fixture, again);
                again.power_fails(Loss::Some(seed));
                settle(&fixture, FaultFs::default()).0.unwrap();
                let name = format!("{}, {first}, {second}", scenario.name);
                scenario.assert_whole(&fixture, of.as_ref(), &known.stages, &name);
                count += 1;
                if settled.is_ok() && again.ops().len() <= second {
                    break;
                }
            }
            if done {
                break;
            }
        }
    }
    assert!(count > 50, "{count}");
}

/// Runs on a disk with a fault other than a crash; returns the groups reported as applied.
fn with_a_fault(scenario: &Scenario, known: &KnownStages, fault: Fault) -> (usize, Vec<Outcome>) {
    let (fixture, _) = scenario.begin();
    let (vault, disk) = fixture.vault_on(FaultFs::new(fault));
    let changes = (scenario.plan)(&fixture);
    let report = apply(&vault, &fixture.homes(), &changes, &fixture.info());
    let name = format!("{}, {fault:?}", scenario.name);
    if report.is_err() {
        settle(&fixture, FaultFs::default()).0.unwrap();
    }
    let temps = fixture
        .state()
        .into_keys()
        .filter(|name| name.contains(".~mem-"));
    let outcomes = report.map(|report| report.outcomes).unwrap_or_default();
    let applied = outcomes.iter().filter(|o| **o == Outcome::Applied).count();
    // The operation that failed was the removal.
    if temps.count() > 0 {
        assert!(matches!(fault, Fault::Fail(_)) && applied == 2, "{name}");
        return (disk.ops().len(), outcomes);
    }
    let stage = scenario.assert_whole(&fixture, None, &known.stages, &name);
    if !outcomes.is_empty() {
        assert_eq!(applied, known.stages[stage].1, "{name}");
    }
    (disk.ops().len(), outcomes)
}

#[test]
fn after_one_failed_operation_the_report_is_correct() {
    for scenario in [&MERGE, &MOVE] {
        let known = scenario.known();
        let over = (0..10_000).find(|at| with_a_fault(scenario, &known, Fault::Fail(*at)).0 <= *at);
        assert!(over.is_some_and(|over| over > 20), "{over:?}");
    }
}

#[test]
fn on_a_full_disk_groups_are_dropped_with_the_reason() {
    let mut reasons = BTreeSet::new();
    for scenario in [&MERGE, &MOVE, &TRASH] {
        let known = scenario.known();
        for at in 0.. {
            let (ops, outcomes) = with_a_fault(scenario, &known, Fault::Full(at));
            for outcome in outcomes {
                if let Outcome::Dropped { reason, stuck, .. } = outcome {
                    assert_eq!(stuck, []);
                    reasons.insert(reason.to_string());
                }
            }
            if ops <= at {
                break;
            }
        }
    }
    let reasons: Vec<String> = reasons.into_iter().collect();
    assert_eq!(reasons, ["no storage space"]);
}

#[test]
fn a_save_during_a_swap_survives_the_crash() {
    let mut caught = 0;
    for (scenario, note) in [
        (&MERGE, "link2.md"),
        (&MOVE, "link.md"),
        (&MOVE, "x/note.md"),
    ] {
        for at in 0.. {
            let (fixture, of) = scenario.begin();
            let target = fixture.absolute(note);
            let saved = Arc::new(AtomicBool::new(false));
            let has_saved = Arc::clone(&saved);
            let disk = FaultFs::new(Fault::Stop(at)).with_hook(move |op, _| {
                let is_swap = op.name == "exchange" && op.path == target;
                if is_swap && !saved.swap(true, Relaxed) {
                    fs::write(&target, "mine").unwrap();
                }
            });
            let (done, _) = scenario.interrupted(&fixture, of.as_ref(), disk);
            settle(&fixture, FaultFs::default()).0.unwrap();
            let name = format!("{}, {at}", scenario.name);
            assert_tidy(&fixture, &name);
            let now = notes(&fixture);
            if has_saved.load(Relaxed) {
                assert_eq!(
                    now.get(note).map(String::as_str),
                    Some("mine"),
                    "{name}: {now:#?}"
                );
                // The rest of its group is unchanged.
                let before = notes(&scenario.begin().0);
                let rest = before.iter().filter(|(name, _)| *name != note);
                assert!(
                    rest.into_iter().all(|(name, text)| now[name] == *text),
                    "{name}: {now:#?}"
                );
                caught += 1;
            }
            if done {
                break;
            }
        }
    }
    assert!(caught > 9, "{caught}");
}

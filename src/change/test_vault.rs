//! What the tests of this folder share: a small vault, plans for it, and its whole state.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use super::RunInfo;
use super::apply::{RunReport, apply};
use crate::finding::plan::{Change, Group, Plan};
use crate::note::edit::Edit;
use crate::note::path::VaultPath;
use crate::note::words::hash::ContentHash;
use crate::vault::fault::FaultFs;
use crate::vault::{Homes, Vault};

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

/// Thousands of small folders are made and removed: in memory where that can be had.
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
        fs::create_dir_all(fixture.absolute(".mem")).unwrap();
        for (name, text) in files {
            fixture.write(name, text);
        }
        fixture
    }

    /// The folder that holds vault, state and caches.
    pub(super) fn root(&self) -> &std::path::Path {
        self.dir.path()
    }

    pub(super) fn absolute(&self, name: &str) -> std::path::PathBuf {
        self.dir.path().join("vault").join(name)
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        fs::create_dir_all(self.absolute(name).parent().unwrap()).unwrap();
        fs::write(self.absolute(name), text).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.absolute(name)).unwrap()
    }

    pub(super) fn set_mode(&self, name: &str, mode: u32) {
        fs::set_permissions(self.absolute(name), fs::Permissions::from_mode(mode)).unwrap();
    }

    /// Puts it on a disk to which case does not count.
    pub(super) fn folding(mut self) -> Self {
        self.folds = true;
        self
    }

    /// The vault on a disk that only counts.
    pub(super) fn vault(&self) -> Vault {
        self.vault_on(FaultFs::default()).0
    }

    pub(super) fn vault_on(&self, disk: FaultFs) -> (Vault, Arc<FaultFs>) {
        let root = self.absolute("").canonicalize().unwrap();
        let disk = disk.beneath(&root);
        let disk = Arc::new(if self.folds { disk.folding() } else { disk });
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

    /// Replaces the one `was` in a note as it stands now.
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

    /// Moves a note as it stands now, replacing the one `was` in it, if there is one.
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

    /// Removes a note that `keeper` takes in.
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

    /// Every file under `.mem`, for what must leave no trace there.
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

/// Chance as a value: the same seed, the same vault, runs and order of undoing.
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

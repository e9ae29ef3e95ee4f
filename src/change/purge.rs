//! Permanent deletion: emptying the trash on request, and purging texts from the history.
//!
//! All other code moves notes to the trash and keeps images of changes. This module removes a
//! secret for good. It changes no note. Purged texts cannot be restored, and an undo that needs one
//! reports this. After a crash all records are readable and the purge can be repeated. Disk blocks
//! are freed, not overwritten. Copies on other machines, in git or in backups remain.

use std::collections::{BTreeMap, BTreeSet};

use super::cleanup::sync_folders;
use super::file_op::FileOp;
use super::history::{FinishedRun, History, Image};
use super::recover::lock_and_recover;
use super::run_id::RunId;
use super::trash::{self, TrashRecord, TrashedNote, keeper_of};
use super::{Result, RunInfo};
use crate::note::VaultPath;
use crate::vault::{Homes, Lock, Vault};

/// The copies of one note that mem keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NoteCopies {
    /// The texts of the note by run, newest first.
    pub texts: Vec<(RunId, Vec<Image>)>,
    pub trashed: Vec<TrashedNote>,
    /// Whether another machine trashed one of them; its history then contains texts, too.
    pub is_elsewhere: bool,
}

impl NoteCopies {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.trashed.is_empty()
    }
}

/// Returns the copies of the note at `path`.
///
/// Includes copies under earlier paths, of notes merged into it, and of notes it was merged into.
pub fn note_copies(vault: &Vault, homes: &Homes, path: &VaultPath) -> Result<NoteCopies> {
    find_copies(vault, &History::new(vault.fs(), homes), path)
}

fn find_copies(vault: &Vault, history: &History<'_>, path: &VaultPath) -> Result<NoteCopies> {
    let (entries, _) = history.list()?;
    let names = names_by_run(&entries, path);
    let mut copies = NoteCopies::default();
    for entry in &entries {
        let run = &entry.run;
        let mut images: Vec<Image> = Vec::new();
        for file in run.groups.iter().flat_map(|group| &group.files) {
            if !names[&run.id].contains(&file.path) {
                continue;
            }
            for image in [file.before, file.after].into_iter().flatten() {
                if !images.contains(&image) && !history.is_purged(&run.id, image)? {
                    images.push(image);
                }
            }
        }
        if !images.is_empty() {
            copies.texts.push((run.id.clone(), images));
        }
    }
    let all_names: BTreeSet<VaultPath> = names.values().flatten().cloned().collect();
    let mut all = if entries.is_empty() {
        BTreeSet::from([path.clone()])
    } else {
        all_names
    };
    let mut trashed = trash::list(vault)?;
    // For runs of other machines, the trash itself records merges.
    loop {
        let is_copy = |one: &TrashedNote| {
            if let Some(names) = names.get(&one.run) {
                return names.contains(&one.path);
            }
            let record = one.record.as_ref();
            let keeper = record.and_then(TrashRecord::absorbing_note);
            all.contains(&one.path) || keeper.is_some_and(|keeper| all.contains(&keeper))
        };
        let (meant, others): (Vec<TrashedNote>, Vec<TrashedNote>) =
            trashed.into_iter().partition(is_copy);
        if meant.is_empty() {
            break;
        }
        all.extend(meant.iter().map(|one| one.path.clone()));
        copies.trashed.extend(meant);
        trashed = others;
    }
    let runs = history.known()?;
    copies.is_elsewhere = copies.trashed.iter().any(|one| !runs.contains(&one.run));
    copies
        .trashed
        .sort_by(|a, b| (&a.run, &a.path).cmp(&(&b.run, &b.path)));
    Ok(copies)
}

/// Returns, for each run, the paths under which it stored the text of the note at `path`.
///
/// These are the note's own path at the time, the paths of notes merged into it, and those of notes
/// it was merged into.
fn names_by_run(
    newest_first: &[FinishedRun],
    path: &VaultPath,
) -> BTreeMap<RunId, BTreeSet<VaultPath>> {
    let files = |entry: &FinishedRun| -> Vec<(VaultPath, FileOp)> {
        let files = entry.applied().flat_map(|(_, group)| &group.files);
        files
            .map(|file| (file.path.clone(), file.op.clone()))
            .collect()
    };
    let mut by_run = BTreeMap::new();
    let mut names = BTreeSet::from([path.clone()]);
    for entry in newest_first {
        let (mut here, mut before) = (names.clone(), names);
        for (path, op) in files(entry) {
            match op {
                FileOp::Arrive { from } if here.contains(&path) => {
                    before.remove(&path);
                    before.insert(from.clone());
                    here.insert(from);
                }
                FileOp::Trash { reason, keeper }
                    if keeper_of(keeper.as_ref(), &reason, &entry.run.job)
                        .is_some_and(|keeper| here.contains(&keeper)) =>
                {
                    before.insert(path.clone());
                    here.insert(path);
                }
                _ => {}
            }
        }
        by_run.insert(entry.run.id.clone(), here);
        names = before;
    }
    let mut takers: BTreeSet<VaultPath> = BTreeSet::new();
    for entry in newest_first.iter().rev() {
        let here = by_run.entry(entry.run.id.clone()).or_default();
        for (path, op) in files(entry) {
            match op {
                FileOp::Arrive { from } if takers.contains(&from) => {
                    takers.insert(path);
                }
                FileOp::Trash { reason, keeper }
                    if here.contains(&path) || takers.contains(&path) =>
                {
                    takers.extend(keeper_of(keeper.as_ref(), &reason, &entry.run.job));
                }
                _ => {}
            }
        }
        here.extend(takers.iter().cloned());
    }
    by_run
}

/// Removes the copies of the note at `path`, and returns them.
pub fn purge_note(
    vault: &Vault,
    homes: &Homes,
    path: &VaultPath,
    info: &RunInfo,
) -> Result<NoteCopies> {
    let (_lock, history) = begin(vault, homes, info)?;
    let copies = find_copies(vault, &history, path)?;
    for (run, images) in &copies.texts {
        history.purge_images(run, images)?;
    }
    remove(vault, &copies.trashed)?;
    Ok(copies)
}

/// Removes the records of these runs with all their texts.
pub fn purge_runs(vault: &Vault, homes: &Homes, runs: &[RunId], info: &RunInfo) -> Result<()> {
    let (_lock, history) = begin(vault, homes, info)?;
    history.delete_all(runs)
}

/// Removes these notes from the trash.
pub fn empty_trash(
    vault: &Vault,
    homes: &Homes,
    notes: &[TrashedNote],
    info: &RunInfo,
) -> Result<()> {
    let (_lock, _) = begin(vault, homes, info)?;
    remove(vault, notes)
}

/// Removes notes from the trash durably, so that a power failure cannot restore them.
fn remove(vault: &Vault, notes: &[TrashedNote]) -> Result<()> {
    let mut to_sync = BTreeSet::new();
    for trashed in notes {
        to_sync.extend(trash::remove(vault, trashed)?);
    }
    sync_folders(vault, &to_sync)
}

fn begin<'a>(vault: &'a Vault, homes: &'a Homes, info: &RunInfo) -> Result<(Lock, History<'a>)> {
    let (lock, history, _) = lock_and_recover(vault, homes, info)?;
    // Left by a purge that a crash interrupted.
    history.finish_deletions()?;
    Ok((lock, history))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::ChangeError;
    use super::*;
    use crate::change::apply::apply;
    use crate::change::tests::{TestVault, create, path, plan};
    use crate::change::undo::{KeepReason, UndoTarget, UndoVerdict, undo};
    use crate::finding::plan::Change;
    use crate::note::words::hash::ContentHash;
    use crate::vault::tests::{Fault, FaultFs};

    /// Returns all bytes in the state folder and the trash.
    fn kept(fixture: &TestVault) -> String {
        let mut all = String::new();
        for root in [fixture.homes().state, fixture.absolute(".mem")] {
            for file in walkdir::WalkDir::new(root).into_iter().map(Result::unwrap) {
                if file.file_type().is_file() {
                    all.push_str(&String::from_utf8_lossy(&fs::read(file.path()).unwrap()));
                }
            }
        }
        all
    }

    /// Returns a vault with two runs that contain the secret of `a.md`: an edit and a removal.
    fn secret() -> (TestVault, RunId, RunId) {
        let fixture = TestVault::new(&[("a.md", "hunter2\n"), ("b.md", "bee\n")]);
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let edits = plan(vec![
            vec![fixture.edit("a.md", "\n", " it is\n")],
            vec![fixture.edit("b.md", "bee", "b")],
        ]);
        let mut info = fixture.info();
        info.command = "mem remember hunter2".to_owned();
        let first = apply(&vault, &homes, &edits, &info).unwrap().run.unwrap();
        let away = plan(vec![vec![fixture.trash("a.md")]]);
        let second = apply(&vault, &homes, &away, &fixture.info()).unwrap().run;
        (fixture, first, second.unwrap())
    }

    #[test]
    fn a_purge_removes_all_copies_of_one_note_only() {
        let (fixture, first, second) = secret();
        let (vault, homes) = (fixture.vault(), fixture.homes());
        assert!(kept(&fixture).contains("hunter2"));
        let found = note_copies(&vault, &homes, &path("a.md")).unwrap();
        let texts: usize = found.texts.iter().map(|(_, images)| images.len()).sum();
        assert_eq!((texts, found.trashed.len()), (3, 1));
        let purged = purge_note(&vault, &homes, &path("a.md"), &fixture.info()).unwrap();
        assert_eq!(purged, found);
        assert!(!kept(&fixture).contains("hunter2"));
        assert!(
            note_copies(&vault, &homes, &path("a.md"))
                .unwrap()
                .is_empty()
        );
        let take_back = |run: &RunId| {
            let target = UndoTarget::Run(run.clone());
            let report = undo(&vault, [&homes; 2], &target, None, &fixture.info()).unwrap();
            let groups = report.groups.into_iter();
            groups.map(|group| group.verdict).collect::<Vec<_>>()
        };
        let purged = |reason| UndoVerdict::Kept {
            path: path("a.md"),
            reason,
        };
        assert_eq!(take_back(&second), [purged(KeepReason::Purged)]);
        assert_eq!(
            take_back(&first),
            [UndoVerdict::Undone, purged(KeepReason::Purged)],
            "the other note comes back"
        );
        assert_eq!(fixture.read("b.md"), "bee\n");
    }

    #[test]
    fn a_purged_run_does_not_block_undoing_others() {
        let (fixture, first, second) = secret();
        let (vault, homes) = (fixture.vault(), fixture.homes());
        purge_note(&vault, &homes, &path("a.md"), &fixture.info()).unwrap();
        let take_back = |target| undo(&vault, [&homes; 2], &target, None, &fixture.info());
        let error = take_back(UndoTarget::Last).unwrap_err();
        assert!(
            matches!(&error, ChangeError::LastPurged { run, next } if [run, next] == [&second, &first]),
            "an older one needs its id: {error}"
        );
        take_back(UndoTarget::Run(first.clone())).unwrap();
        assert_eq!(fixture.read("b.md"), "bee\n");
    }

    #[test]
    fn an_undo_does_not_pass_over_a_deleted_run() {
        let (fixture, first, second) = secret();
        let (vault, homes) = (fixture.vault(), fixture.homes());
        purge_runs(
            &vault,
            &homes,
            std::slice::from_ref(&second),
            &fixture.info(),
        )
        .unwrap();
        let take_back = || {
            undo(
                &vault,
                [&homes; 2],
                &UndoTarget::Last,
                None,
                &fixture.info(),
            )
        };
        let error = take_back().unwrap_err();
        assert!(
            matches!(&error, ChangeError::LastPurged { run, next } if [run, next] == [&second, &first]),
            "{error}"
        );
        let edit = plan(vec![vec![fixture.edit("b.md", "b", "c")]]);
        let third = apply(&vault, &homes, &edit, &fixture.info()).unwrap().run;
        assert_eq!(
            take_back().unwrap().of,
            [third.unwrap()],
            "newer ones need none"
        );
    }

    #[test]
    fn a_run_is_newer_than_one_purged_in_the_same_second() {
        for seed in 0..8 {
            let fixture = TestVault::new(&[("a.md", "a\n")]);
            let (vault, homes) = (fixture.vault(), fixture.homes());
            let mut info = fixture.info();
            let run = |was: &str, new: &str, info: &RunInfo| {
                let edit = plan(vec![vec![fixture.edit("a.md", was, new)]]);
                apply(&vault, &homes, &edit, info).unwrap().run.unwrap()
            };
            let purged = run("a", "b", &info);
            purge_runs(&vault, &homes, std::slice::from_ref(&purged), &info).unwrap();
            info.seed = seed;
            let newer = run("b", "c", &info);
            assert!(newer > purged, "{newer} {purged}");
            let report = undo(
                &vault,
                [&homes; 2],
                &UndoTarget::Last,
                None,
                &fixture.info(),
            );
            assert_eq!(report.unwrap().of, [newer]);
        }
    }

    #[test]
    fn the_run_before_a_purged_one_of_a_sleep_is_named() {
        let fixture = TestVault::new(&[("a.md", "a\n"), ("b.md", "b\n"), ("c.md", "c\n")]);
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let mut info = fixture.info();
        info.command = "mem sleep".to_owned();
        let mut runs = Vec::new();
        for (name, was) in [("a.md", "a"), ("b.md", "b"), ("c.md", "c")] {
            let edit = plan(vec![vec![fixture.edit(name, was, "x")]]);
            runs.extend(apply(&vault, &homes, &edit, &info).unwrap().run);
        }
        purge_runs(&vault, &homes, std::slice::from_ref(&runs[1]), &info).unwrap();
        let target = UndoTarget::Last;
        let note = path("a.md");
        let error = undo(&vault, [&homes; 2], &target, Some(&note), &fixture.info()).unwrap_err();
        assert!(
            matches!(&error, ChangeError::LastPurged { run, next } if [run, next] == [&runs[1], &runs[0]]),
            "{error:?}"
        );
    }

    #[test]
    fn earlier_paths_of_a_note_are_purged() {
        let fixture = TestVault::new(&[("a.md", "hunter2"), ("b.md", "bee")]);
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let run = |changes| apply(&vault, &homes, &plan(vec![changes]), &fixture.info()).unwrap();
        run(vec![fixture.edit("a.md", "2", "3")]);
        let from = Change::Move {
            path: path("a.md"),
            base: ContentHash::of(b"hunter3"),
            to: path("x/c.md"),
            edits: Vec::new(),
        };
        run(vec![from]);
        // Another note with the old path.
        run(vec![create("a.md", "other")]);
        purge_note(&vault, &homes, &path("x/c.md"), &fixture.info()).unwrap();
        assert!(!kept(&fixture).contains("hunter"));
        assert!(kept(&fixture).contains("other"));
        assert_eq!(fixture.read("x/c.md"), "hunter3");
    }

    /// In both directions, over several merges, and when only the trash has records.
    #[test]
    fn copies_in_merged_notes_are_purged() {
        let merged = |fixture: &TestVault, from: &str, into: &str, text: &str| {
            let was = fixture.read(into);
            let Change::Trash { path, base, .. } = fixture.trash(from) else {
                unreachable!("a removal");
            };
            let (reason, keeper) = ("a duplicate".to_owned(), Some(self::path(into)));
            let changes = vec![
                fixture.edit(into, &was, &format!("{was}{text}")),
                Change::Trash {
                    path,
                    base,
                    reason,
                    keeper,
                },
                fixture.edit("links.md", from, into),
            ];
            fixture.apply(&plan(vec![changes]));
        };
        for (purged, has_history) in [
            ("copy.md", true),
            ("first.md", true),
            ("second.md", true),
            ("copy.md", false),
            ("second.md", false),
        ] {
            let fixture = TestVault::new(&[
                ("first.md", "hunter2\n"),
                ("second.md", "bee\n"),
                ("copy.md", "sea\n"),
                ("links.md", "first.md stays\n"),
            ]);
            merged(&fixture, "first.md", "second.md", "hunter2\n");
            merged(&fixture, "second.md", "copy.md", "hunter2\n");
            fixture.apply(&plan(vec![vec![fixture.edit("copy.md", "hunter2", "…")]]));
            let (vault, homes) = (fixture.vault(), fixture.homes());
            if !has_history {
                fs::remove_dir_all(homes.history()).unwrap();
            }
            assert!(kept(&fixture).contains("hunter2"));
            let found = purge_note(&vault, &homes, &path(purged), &fixture.info()).unwrap();
            assert!(
                !kept(&fixture).contains("hunter2"),
                "{purged} {has_history}"
            );
            assert_eq!(kept(&fixture).contains("stays"), has_history, "{purged}");
            assert_eq!(found.is_elsewhere, !has_history, "{purged}");
        }
    }

    #[test]
    fn purged_runs_are_deleted_with_their_texts() {
        let (fixture, first, second) = secret();
        let (vault, homes) = (fixture.vault(), fixture.homes());
        purge_runs(
            &vault,
            &homes,
            std::slice::from_ref(&first),
            &fixture.info(),
        )
        .unwrap();
        let history = History::new(vault.fs(), &homes);
        let (entries, problems) = history.list().unwrap();
        assert_eq!((entries.len(), problems.len()), (1, 0));
        assert_eq!(entries[0].run.id, second);
        let again = purge_runs(&vault, &homes, &[first], &fixture.info());
        assert!(matches!(again, Err(ChangeError::NoSuchRun(_))), "{again:?}");
    }

    #[test]
    fn emptying_the_trash_keeps_images() {
        let (fixture, _, second) = secret();
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let list = trash::list(&vault).unwrap();
        empty_trash(&vault, &homes, &list, &fixture.info()).unwrap();
        assert_eq!(fixture.own_files(), [""; 0]);
        undo(
            &vault,
            [&homes; 2],
            &UndoTarget::Run(second),
            None,
            &fixture.info(),
        )
        .unwrap();
        assert_eq!(fixture.read("a.md"), "hunter2 it is\n");
    }

    /// A stranger's vault may contain anything as its trash.
    #[test]
    fn a_link_in_the_trash_is_not_followed() {
        let (fixture, _, second) = secret();
        // A folder above the vault itself.
        let outside = fixture.absolute("..").canonicalize().unwrap();
        fs::write(outside.join("mine.md"), "mine").unwrap();
        let link = fixture.absolute(".mem/trash/20990101-000000-0000");
        std::os::unix::fs::symlink(&outside, link).unwrap();
        let list = trash::list(&fixture.vault()).unwrap();
        assert_eq!(list.len(), 1, "{list:?}");
        let lie = TrashedNote {
            run: "20990101-000000-0000".parse().unwrap(),
            path: path("mine.md"),
            record: None,
        };
        empty_trash(&fixture.vault(), &fixture.homes(), &[lie], &fixture.info()).unwrap();
        assert!(outside.join("mine.md").exists());
        assert!(trash::list(&fixture.vault()).unwrap()[0].run == second);
    }

    #[test]
    fn an_interrupted_purge_can_be_repeated() {
        let operations = {
            let (fixture, ..) = secret();
            let (vault, disk) = fixture.vault_on(FaultFs::default());
            purge_note(&vault, &fixture.homes(), &path("a.md"), &fixture.info()).unwrap();
            disk.ops().len()
        };
        assert!(operations > 8, "{operations}");
        for crash in 0..operations {
            let (fixture, first, second) = secret();
            let (vault, _) = fixture.vault_on(FaultFs::new(Fault::Stop(crash)));
            let homes = fixture.homes();
            let _cut = purge_note(&vault, &homes, &path("a.md"), &fixture.info());
            let vault = fixture.vault();
            let (entries, problems) = History::new(vault.fs(), &homes).list().unwrap();
            assert_eq!((entries.len(), problems.len()), (2, 0), "{crash}");
            purge_note(&vault, &homes, &path("a.md"), &fixture.info()).unwrap();
            assert!(!kept(&fixture).contains("hunter2"), "{crash}");
            purge_runs(&vault, &homes, &[first, second], &fixture.info()).unwrap();
        }
        for crash in 0..12 {
            let (fixture, first, second) = secret();
            let (vault, _) = fixture.vault_on(FaultFs::new(Fault::Stop(crash)));
            let homes = fixture.homes();
            let runs = [first, second];
            purge_runs(&vault, &homes, &runs, &fixture.info()).unwrap_err();
            let vault = fixture.vault();
            let (entries, problems) = History::new(vault.fs(), &homes).list().unwrap();
            assert_eq!(problems.len(), 0, "{crash}");
            let left: Vec<RunId> = entries.into_iter().map(|entry| entry.run.id).collect();
            purge_runs(&vault, &homes, &left, &fixture.info()).unwrap();
            let kept = walkdir::WalkDir::new(homes.state.join("history"));
            assert_eq!(kept.min_depth(1).into_iter().count(), 0, "{crash}");
        }
    }
}

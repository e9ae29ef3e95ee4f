use std::fs;

use super::*;
use crate::change::apply::apply;
use crate::change::tests::{Chance, TestVault, create, path, plan};
use crate::finding::Change;
use crate::vault::tests::{Fault, FaultFs};

fn run(fixture: &TestVault, groups: Vec<Vec<Change>>) -> RunId {
    let report = apply(
        &fixture.vault(),
        &fixture.homes(),
        &plan(groups),
        &fixture.info(),
    )
    .unwrap();
    assert!(
        report
            .outcomes
            .iter()
            .all(|outcome| *outcome == Outcome::Applied),
        "{report:?}"
    );
    report.run.unwrap()
}

fn undo_run(fixture: &TestVault, target: &UndoTarget) -> UndoReport {
    undo(
        &fixture.vault(),
        [&fixture.homes(); 2],
        target,
        None,
        &fixture.info(),
    )
    .unwrap()
}

fn verdicts(report: &UndoReport) -> Vec<&UndoVerdict> {
    report.groups.iter().map(|group| &group.verdict).collect()
}

fn kept(name: &str, reason: KeepReason) -> UndoVerdict {
    UndoVerdict::Kept {
        path: path(name),
        reason,
    }
}

#[test]
fn restores_every_byte_and_mode() {
    let fixture = TestVault::new(&[
        ("a.md", "\u{feff}---\r\ntitle: 'x' # why\r\n---\r\nbody"),
        ("x/b.md", "bee\n"),
        ("x/c.md", ""),
    ]);
    fixture.set_mode("a.md", 0o600);
    fixture.set_mode("x/b.md", 0o664);
    let before = fixture.state();
    run(
        &fixture,
        vec![
            vec![
                fixture.edit("a.md", "'x'", "y"),
                fixture.trash("x/b.md"),
                create("n/m/o.md", "n"),
            ],
            vec![
                fixture.edit("a.md", "body", "BODY"),
                fixture.edit("x/c.md", "", "full"),
            ],
            vec![create("x/d.md", "d")],
        ],
    );
    let after = fixture.state();
    let report = undo_run(&fixture, &UndoTarget::Last);
    assert_eq!(verdicts(&report), [&UndoVerdict::Undone; 3]);
    assert_eq!(report.groups[0].title, "group 2", "newest first");
    assert_eq!(fixture.state(), before);
    // An undo is a run: undoing it by id restores the state after the first run.
    let redone = undo_run(&fixture, &UndoTarget::Run(report.run.unwrap()));
    assert_eq!(verdicts(&redone), [&UndoVerdict::Undone; 3]);
    assert_eq!(fixture.state(), after);
    // The first run can be undone once more.
    undo_run(&fixture, &UndoTarget::Last);
    assert_eq!(fixture.state(), before);
    let none = undo(
        &fixture.vault(),
        [&fixture.homes(); 2],
        &UndoTarget::Last,
        None,
        &fixture.info(),
    );
    assert!(matches!(none, Err(ChangeError::NothingToUndo)), "{none:?}");
}

#[test]
fn two_calls_undo_two_runs() {
    let fixture = TestVault::new(&[("a.md", "one\n")]);
    let first = run(&fixture, vec![vec![fixture.edit("a.md", "one", "two")]]);
    let second = run(&fixture, vec![vec![fixture.edit("a.md", "two", "three")]]);
    assert_eq!(undo_run(&fixture, &UndoTarget::Last).of, [second]);
    assert_eq!(fixture.read("a.md"), "two\n");
    assert_eq!(undo_run(&fixture, &UndoTarget::Last).of, [first]);
    assert_eq!(fixture.read("a.md"), "one\n");
}

#[test]
fn a_sleep_is_undone_and_redone_at_once() {
    let fixture = TestVault::new(&[("a.md", "one\n"), ("b.md", "one\n")]);
    let before = fixture.state();
    let by = |command: &str, name, was, new| {
        let mut info = fixture.info();
        info.command = command.to_owned();
        let plan = plan(vec![vec![fixture.edit(name, was, new)]]);
        let report = apply(&fixture.vault(), &fixture.homes(), &plan, &info).unwrap();
        report.run.unwrap()
    };
    let first = by("mem test", "b.md", "one", "0");
    let runs =
        [("one", "two"), ("two", "three")].map(|(was, new)| by("mem sleep", "a.md", was, new));
    let after = fixture.state();
    let report = undo_run(&fixture, &UndoTarget::Last);
    assert_eq!(report.of, [runs[1].clone(), runs[0].clone()]);
    assert_eq!(verdicts(&report), [&UndoVerdict::Undone; 2]);
    assert_eq!(fixture.read("a.md"), "one\n");
    undo_run(&fixture, &UndoTarget::Run(report.run.unwrap()));
    assert_eq!(fixture.state(), after, "one redo for all");
    let one = undo_run(&fixture, &UndoTarget::Run(runs[1].clone()));
    assert_eq!(one.of, [runs[1].clone()], "one run by id");
    assert_eq!(
        undo_run(&fixture, &UndoTarget::Last).of,
        [runs[0].clone()],
        "then the rest"
    );
    assert_eq!(undo_run(&fixture, &UndoTarget::Last).of, [first]);
    assert_eq!(fixture.state(), before);
}

#[test]
fn an_interrupted_run_is_the_only_one_undone() {
    let fixture = TestVault::new(&[("a.md", "one\n"), ("b.md", "one\n")]);
    let first = run(&fixture, vec![vec![fixture.edit("a.md", "one", "two")]]);
    let (vault, homes) = (fixture.vault(), fixture.homes());
    let edit = plan(vec![vec![fixture.edit("b.md", "one", "two")]]);
    // Stopped as soon as it is recorded, before a note is swapped.
    let stop = (0..99).find(|operation| {
        let (broken, _) = fixture.vault_on(FaultFs::new(Fault::Stop(*operation)));
        let _cut = apply(&broken, &homes, &edit, &fixture.info());
        let history = History::new(vault.fs(), &homes);
        let ids = history.interrupted().unwrap();
        let mut runs = ids.iter().map(|id| history.load_interrupted(id).unwrap());
        runs.any(|run| run.is_some())
    });
    assert!(stop.is_some());
    let last = || {
        undo(
            &vault,
            [&homes; 2],
            &UndoTarget::Last,
            None,
            &fixture.info(),
        )
    };
    let report = last().unwrap();
    assert_eq!((report.of, report.before), (vec![], Some(first.clone())));
    assert_eq!(fixture.read("a.md"), "two\n", "not undone, too");
    assert_eq!(last().unwrap().of, [first]);
}

#[test]
fn an_interrupted_undo_is_completed_and_no_other_run_undone() {
    let fixture = TestVault::new(&[("a.md", "one\n"), ("b.md", "one\n")]);
    let first = run(&fixture, vec![vec![fixture.edit("a.md", "one", "two")]]);
    run(&fixture, vec![vec![fixture.edit("b.md", "one", "two")]]);
    let (vault, homes) = (fixture.vault(), fixture.homes());
    let undo_on = |vault: &Vault| {
        let info = fixture.info();
        undo(vault, [&homes; 2], &UndoTarget::Last, None, &info)
    };
    // Stopped after the swap of the note.
    let stop = (0..999).find(|operation| {
        let (broken, _) = fixture.vault_on(FaultFs::new(Fault::Stop(*operation)));
        let _cut = undo_on(&broken);
        fixture.read("b.md") == "one\n"
    });
    assert!(stop.is_some());
    assert!(
        !History::new(vault.fs(), &homes)
            .interrupted()
            .unwrap()
            .is_empty()
    );
    let report = undo_on(&vault).unwrap();
    assert_eq!((report.of, report.before), (vec![], Some(first.clone())));
    assert_eq!(fixture.read("a.md"), "two\n", "not undone, too");
    assert_eq!(undo_on(&vault).unwrap().of, [first]);
}

#[test]
fn runs_can_be_undone_out_of_order() {
    let fixture = TestVault::new(&[("a.md", "1\n2\n3\n")]);
    let first = run(&fixture, vec![vec![fixture.edit("a.md", "1", "one")]]);
    let later = run(&fixture, vec![vec![fixture.edit("a.md", "3", "three")]]);
    undo_run(&fixture, &UndoTarget::Run(first.clone()));
    assert_eq!(fixture.read("a.md"), "1\n2\nthree\n");
    // Again: nothing is left to undo.
    let again = undo_run(&fixture, &UndoTarget::Run(first));
    assert_eq!(
        (verdicts(&again), &again.run),
        (vec![&UndoVerdict::NothingLeft], &None)
    );
    assert_eq!(undo_run(&fixture, &UndoTarget::Last).of, [later]);
    assert_eq!(fixture.read("a.md"), "1\n2\n3\n");
}

#[test]
fn a_removal_is_redone_after_an_undo_of_earlier_runs() {
    let fixture = TestVault::new(&[("a.md", "1\n2\n")]);
    let before = fixture.state();
    let edited = run(&fixture, vec![vec![fixture.edit("a.md", "1", "one")]]);
    let moved = run(
        &fixture,
        vec![vec![fixture.move_to("a.md", "b.md", "2", "two")]],
    );
    let removed = run(&fixture, vec![vec![fixture.trash("b.md")]]);
    let undo_one = |id: &RunId| {
        let report = undo_run(&fixture, &UndoTarget::Run(id.clone()));
        assert_eq!(verdicts(&report), [&UndoVerdict::Undone], "{id}");
        report.run.unwrap()
    };
    let restored = undo_one(&removed);
    undo_one(&edited);
    let moved_back = undo_one(&moved);
    let redone = undo_one(&restored);
    assert!(fixture.state().is_empty(), "removed under its old path");
    // The move of a missing note cannot be redone.
    let report = undo_run(&fixture, &UndoTarget::Run(moved_back.clone()));
    assert_eq!(
        verdicts(&report),
        [&kept("b.md", KeepReason::ChangedBy(removed.clone()))]
    );
    // By the removal or by its redo.
    let again = undo_one(&removed);
    assert_eq!(fixture.state(), before);
    undo_one(&again);
    assert!(fixture.state().is_empty());
    let report = undo_run(&fixture, &UndoTarget::Run(redone));
    assert_eq!(verdicts(&report), [&UndoVerdict::NothingLeft]);
    undo_one(&removed);
    undo_one(&moved_back);
    assert_eq!(fixture.read("b.md"), "1\ntwo\n");
    undo_one(&moved);
    assert_eq!(fixture.state(), before);
}

#[test]
fn a_redo_names_the_undone_run_that_it_builds_on() {
    let fixture = TestVault::new(&[("a.md", "1\n")]);
    let first = run(&fixture, vec![vec![fixture.edit("a.md", "1", "2")]]);
    let second = run(&fixture, vec![vec![fixture.edit("a.md", "2", "3")]]);
    let undo_one = |id: &RunId| undo_run(&fixture, &UndoTarget::Run(id.clone()));
    let undo_second = undo_one(&second).run.unwrap();
    let undo_first = undo_one(&first).run.unwrap();
    let reason = KeepReason::BuildsOn(first, undo_first.clone());
    let report = undo_one(&undo_second);
    assert_eq!(verdicts(&report), [&kept("a.md", reason)]);
    for id in [&undo_first, &undo_second] {
        assert_eq!(verdicts(&undo_one(id)), [&UndoVerdict::Undone]);
    }
    assert_eq!(fixture.read("a.md"), "3\n");
}

#[test]
fn the_last_redone_run_is_undone_first() {
    let fixture = TestVault::new(&[("a.md", "1\n"), ("b.md", "1\n")]);
    let first = run(&fixture, vec![vec![fixture.edit("a.md", "1", "2")]]);
    let second = run(&fixture, vec![vec![fixture.edit("b.md", "1", "2")]]);
    let undo = undo_run(&fixture, &UndoTarget::Run(first.clone()))
        .run
        .unwrap();
    undo_run(&fixture, &UndoTarget::Run(undo));
    assert_eq!(fixture.read("a.md"), "2\n");
    assert_eq!(undo_run(&fixture, &UndoTarget::Last).of, [first]);
    assert_eq!(undo_run(&fixture, &UndoTarget::Last).of, [second]);
}

#[test]
fn later_edits_by_a_person_are_kept() {
    let text = "---\ntier: working\n---\nbody\n";
    let fixture = TestVault::new(&[("a.md", text), ("b.md", text), ("c.md", "sea\n")]);
    run(
        &fixture,
        vec![
            vec![fixture.edit("a.md", "working", "archival")],
            vec![
                fixture.edit("b.md", "working", "archival"),
                fixture.edit("c.md", "sea", "see"),
            ],
        ],
    );
    fixture.write(
        "a.md",
        "---\ntier: archival\nmine: true\n---\nbody, and more\n",
    );
    fixture.write("b.md", "---\ntier: core\n---\nbody\n");
    let report = undo_run(&fixture, &UndoTarget::Last);
    assert_eq!(
        verdicts(&report),
        [&kept("b.md", KeepReason::Edited), &UndoVerdict::Undone]
    );
    assert_eq!(
        fixture.read("a.md"),
        "---\ntier: working\nmine: true\n---\nbody, and more\n"
    );
    assert_eq!(fixture.read("b.md"), "---\ntier: core\n---\nbody\n");
    assert_eq!(
        fixture.read("c.md"),
        "see\n",
        "its group is kept as a whole"
    );
}

#[test]
fn created_and_removed_notes_are_reverted() {
    let fixture = TestVault::new(&[("away.md", "a"), ("gone.md", "g"), ("odd.md", "o")]);
    let groups = vec![
        vec![fixture.trash("away.md")],
        vec![fixture.trash("gone.md")],
        vec![fixture.trash("odd.md")],
        vec![create("new.md", "n")],
        vec![create("kept.md", "k")],
    ];
    fixture.set_mode("gone.md", 0o600);
    let id = run(&fixture, groups);
    let in_trash = |name: &str| fixture.absolute(&format!(".mem/trash/{id}/{name}"));
    fixture.write("away.md", "another");
    fs::remove_file(in_trash("gone.md")).unwrap();
    fs::write(in_trash("odd.md"), "changed").unwrap();
    fs::remove_file(fixture.absolute("new.md")).unwrap();
    fixture.write("kept.md", "k, edited");
    let report = undo_run(&fixture, &UndoTarget::Last);
    let expected = [
        &kept("kept.md", KeepReason::Edited),
        &UndoVerdict::NothingLeft,
        &kept("odd.md", KeepReason::TrashChanged),
        &UndoVerdict::Undone,
        &kept("away.md", KeepReason::Occupied),
    ];
    assert_eq!(verdicts(&report), expected);
    assert_eq!(fixture.read("away.md"), "another");
    assert_eq!(fs::read_to_string(in_trash("away.md")).unwrap(), "a");
    assert_eq!(fixture.state()["gone.md"].0, "g", "from its image");
    assert_eq!(fixture.state()["gone.md"].1 & 0o777, 0o600);
    assert_eq!(fixture.read("kept.md"), "k, edited");
    assert!(!fixture.absolute("odd.md").exists());
}

#[test]
fn undo_of_one_note_undoes_its_whole_groups() {
    let fixture = TestVault::new(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
    let before = fixture.state();
    let id = run(
        &fixture,
        vec![
            vec![
                fixture.edit("a.md", "a", "A"),
                fixture.edit("b.md", "b", "B"),
            ],
            vec![fixture.edit("c.md", "c", "C")],
        ],
    );
    let note = path("b.md");
    let (vault, homes) = (fixture.vault(), fixture.homes());
    let (planned, ready) = plan_undo(&vault, &homes, &UndoTarget::Last, Some(&note)).unwrap();
    assert_eq!((planned.groups.len(), ready[0].writes.len()), (1, 2));
    assert_eq!(fixture.read("b.md"), "B", "planning writes nothing");
    undo(
        &vault,
        [&homes; 2],
        &UndoTarget::Last,
        Some(&note),
        &fixture.info(),
    )
    .unwrap();
    assert_eq!(
        ["a.md", "b.md", "c.md"].map(|name| fixture.read(name)),
        ["a", "b", "C"].map(str::to_owned)
    );
    let again = undo(
        &vault,
        [&homes; 2],
        &UndoTarget::Last,
        Some(&note),
        &fixture.info(),
    );
    assert!(
        matches!(again, Err(ChangeError::NothingToUndo)),
        "{again:?}"
    );
    // The rest of the run can still be undone.
    let report = undo_run(&fixture, &UndoTarget::Last);
    assert_eq!(
        (&report.of, verdicts(&report)),
        (
            &vec![id],
            vec![&UndoVerdict::Undone, &UndoVerdict::NothingLeft]
        )
    );
    assert_eq!(fixture.state(), before);
}

#[test]
fn a_moved_note_returns_to_its_old_path() {
    let fixture = TestVault::new(&[("a.md", "one\ntwo\n"), ("b.md", "see [[a]]")]);
    fixture.set_mode("a.md", 0o600);
    let before = fixture.state();
    let moved = |fixture: &TestVault| {
        let link = fixture.edit("b.md", "a", "c");
        run(
            fixture,
            vec![vec![link, fixture.move_to("a.md", "x/c.md", "one", "1")]],
        )
    };
    moved(&fixture);
    let after = fixture.state();
    let report = undo_run(&fixture, &UndoTarget::Last);
    assert_eq!(verdicts(&report), [&UndoVerdict::Undone]);
    assert_eq!(
        report.groups[0].notes,
        ["b.md", "a.md", "x/c.md"].map(path),
        "under both names"
    );
    assert_eq!(fixture.state(), before, "and the folder is gone");
    // Redo, and undo again.
    let redo = undo_run(&fixture, &UndoTarget::Run(report.run.unwrap()));
    assert_eq!((fixture.state(), redo.is_redo), (after, true));
    undo_run(&fixture, &UndoTarget::Run(redo.run.unwrap()));
    assert_eq!(fixture.state(), before);
    // With either path, and with an edit in between, which is kept.
    for name in ["a.md", "x/c.md"] {
        moved(&fixture);
        fixture.write("x/c.md", "1\ntwo\nmine\n");
        let note = path(name);
        let (vault, homes) = (fixture.vault(), fixture.homes());
        undo(
            &vault,
            [&homes; 2],
            &UndoTarget::Last,
            Some(&note),
            &fixture.info(),
        )
        .unwrap();
        assert_eq!(fixture.read("a.md"), "one\ntwo\nmine\n");
        assert_eq!(fixture.read("b.md"), "see [[a]]");
        assert!(!fixture.absolute("x").exists());
        fixture.write("a.md", "one\ntwo\n");
    }
}

#[test]
fn a_moved_note_that_cannot_return_is_kept() {
    type Act = fn(&TestVault);
    let cases: [(&str, Act, UndoVerdict); 5] = [
        (
            "another note under the old name",
            |fixture| fixture.write("a.md", "new"),
            kept("a.md", KeepReason::Occupied),
        ),
        (
            "removed",
            |fixture| fs::remove_file(fixture.absolute("c.md")).unwrap(),
            kept("c.md", KeepReason::Missing),
        ),
        (
            "renamed",
            |fixture| fs::rename(fixture.absolute("c.md"), fixture.absolute("d.md")).unwrap(),
            kept("c.md", KeepReason::Missing),
        ),
        (
            "its change edited",
            |fixture| fixture.write("c.md", "11\ntwo\n"),
            kept("c.md", KeepReason::Edited),
        ),
        (
            "renamed back by hand",
            |fixture| fs::rename(fixture.absolute("c.md"), fixture.absolute("a.md")).unwrap(),
            UndoVerdict::Undone,
        ),
    ];
    for (name, act, verdict) in cases {
        let fixture = TestVault::new(&[("a.md", "one\ntwo\n"), ("b.md", "see [[a]]")]);
        let link = fixture.edit("b.md", "a", "c");
        run(
            &fixture,
            vec![vec![link, fixture.move_to("a.md", "c.md", "one", "1")]],
        );
        act(&fixture);
        let state = fixture.state();
        let report = undo_run(&fixture, &UndoTarget::Last);
        assert_eq!(verdicts(&report), [&verdict], "{name}");
        if verdict == UndoVerdict::Undone {
            assert_eq!(fixture.read("a.md"), "one\ntwo\n", "{name}");
            assert_eq!(fixture.read("b.md"), "see [[a]]", "{name}");
        } else {
            assert_eq!(fixture.state(), state, "{name}");
        }
    }
}

#[test]
fn changes_are_reverted_under_the_current_path() {
    let fixture = TestVault::new(&[("a.md", "one\ntwo\n"), ("b.md", "b")]);
    let before = fixture.state();
    let first = run(&fixture, vec![vec![fixture.edit("a.md", "one", "1")]]);
    let second = run(
        &fixture,
        vec![vec![fixture.move_to("a.md", "c.md", "two", "2")]],
    );
    let third = run(
        &fixture,
        vec![vec![
            fixture.edit("c.md", "2", "2\nthree"),
            fixture.edit("b.md", "b", "B"),
        ]],
    );
    let undo_one =
        |id: &RunId| verdicts(&undo_run(&fixture, &UndoTarget::Run(id.clone())))[0].clone();
    assert_eq!(undo_one(&first), UndoVerdict::Undone);
    assert_eq!(fixture.read("c.md"), "one\n2\nthree\n");
    assert_eq!(undo_one(&second), UndoVerdict::Undone);
    assert_eq!(fixture.read("a.md"), "one\ntwo\nthree\n");
    assert_eq!(undo_one(&third), UndoVerdict::Undone);
    assert_eq!(fixture.state(), before);
    // The move first, then later changes.
    let moved = run(
        &fixture,
        vec![vec![fixture.move_to("a.md", "c.md", "two", "2")]],
    );
    let edited = run(&fixture, vec![vec![fixture.edit("c.md", "one", "1")]]);
    assert_eq!(undo_one(&moved), UndoVerdict::Undone);
    assert_eq!(fixture.read("a.md"), "1\ntwo\n");
    assert_eq!(undo_one(&edited), UndoVerdict::Undone);
    assert_eq!(fixture.state(), before);
}

/// Applies a run of random edits, merges, moves, new and removed notes; `None` if it has no effect.
fn random_run(fixture: &TestVault, chance: &mut Chance) -> Option<RunId> {
    let state = fixture.state();
    let mut notes: Vec<&String> = state.keys().filter(|name| name.contains('.')).collect();
    let names = ["a.md", "b.md", "c.md", "d.md", "x/e.md", "x/f.md"];
    let mut free: Vec<&&str> = names
        .iter()
        .filter(|name| !state.contains_key(**name))
        .collect();
    let mut groups = Vec::new();
    for _ in 0..=chance.below(2) {
        let mut group = Vec::new();
        for _ in 0..=chance.below(2) {
            if notes.is_empty() {
                break;
            }
            let note = notes.swap_remove(chance.below(notes.len()));
            let text = &state[note.as_str()].0;
            // Few words, so that equal lines occur.
            let line = format!("{}\n", chance.of(&["one", "two", "three", "four", "five"]));
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            let old = lines
                .get(chance.below(lines.len() + 1))
                .copied()
                .unwrap_or("");
            let new = match chance.below(3) {
                0 => String::new(),
                1 => line,
                _ => format!("{line}{old}"),
            };
            group.push(match (chance.below(6), free.pop()) {
                (0, Some(to)) => fixture.move_to(note, to, old, &new),
                (1, Some(to)) => fixture.move_to(note, to, "", ""),
                (2, Some(name)) => create(name, &new),
                (3, _) => fixture.trash(note),
                _ => fixture.edit(note, old, &new),
            });
        }
        groups.push(group);
    }
    let (vault, homes) = (fixture.vault(), fixture.homes());
    apply(&vault, &homes, &plan(groups), &fixture.info())
        .unwrap()
        .run
}

/// Undoes runs in random order, each after the runs that it reports as blocking; returns the number
/// of those.
fn undo_all(fixture: &TestVault, chance: &mut Chance, mut runs: Vec<RunId>) -> usize {
    let mut named = Vec::new();
    let mut count = 0;
    while let Some(run) = named
        .pop()
        .or_else(|| (!runs.is_empty()).then(|| runs.swap_remove(chance.below(runs.len()))))
    {
        assert!(count < 200, "the undo loop does not terminate");
        let report = undo_run(fixture, &UndoTarget::Run(run.clone()));
        let kept = report.groups.iter().find_map(|group| match &group.verdict {
            UndoVerdict::Kept { reason, .. } => Some(reason),
            _ => None,
        });
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let history = History::new(vault.fs(), &homes);
        match kept {
            // The blocking run is an undo, so its target is in effect again.
            None => runs.extend(history.load(&run).unwrap().run.undoes.map(|of| of.run)),
            Some(KeepReason::ChangedBy(other) | KeepReason::BuildsOn(_, other)) => {
                count += 1;
                named.extend([run, other.clone()]);
            }
            Some(reason) => panic!("{run}: {reason}"),
        }
    }
    count
}

#[test]
fn undoing_all_runs_in_any_order_restores_every_byte() {
    let (mut in_order, mut named) = (0, 0);
    for seed in 0..150 {
        let chance = &mut Chance(seed);
        let fixture = TestVault::new(&[
            ("a.md", "one\ntwo\nthree\nfour\n"),
            ("b.md", "one\n\n[[a]]\ntwo\n"),
            ("x/e.md", "five\r\nsix"),
        ]);
        let before = fixture.state();
        let runs: Vec<RunId> = (0..3 + chance.below(6))
            .filter_map(|_| random_run(&fixture, chance))
            .collect();
        match undo_all(&fixture, chance, runs) {
            0 => in_order += 1,
            some => named += some,
        }
        assert_eq!(fixture.state(), before, "seed {seed}");
    }
    // Both cases occur often.
    assert!(in_order > 10 && named > 50, "{in_order} {named}");
}

#[test]
fn unknown_runs_are_errors() {
    let fixture = TestVault::new(&[("a.md", "a")]);
    let id: RunId = "20200101-000000-0000".parse().unwrap();
    let none = undo(
        &fixture.vault(),
        [&fixture.homes(); 2],
        &UndoTarget::Run(id),
        None,
        &fixture.info(),
    );
    assert!(matches!(none, Err(ChangeError::NoSuchRun(_))), "{none:?}");
}

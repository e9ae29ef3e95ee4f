//! Applies a plan.

use super::compile::{CompileOutcome, preview};
use super::execute::execute;
use super::history::History;
use super::recover::{RecoveryReport, lock_and_recover};
use super::run_id::RunId;
use super::{Outcome, Result, RunInfo};
use crate::finding::Plan;
use crate::vault::{Homes, Vault};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunReport {
    /// The id of the run, for `undo`; `None` if nothing was written.
    pub run: Option<RunId>,
    /// One outcome per group of the plan.
    pub outcomes: Vec<Outcome>,
    /// Results of recovering earlier, interrupted runs.
    pub recovered: Vec<RecoveryReport>,
}

impl RunReport {
    /// Returns the number of applied groups.
    pub fn applied(&self) -> usize {
        self.outcomes
            .iter()
            .filter(|outcome| **outcome == Outcome::Applied)
            .count()
    }
}

/// Applies a plan, each group as a whole.
///
/// A plan without groups touches nothing, not even the lock. A dropped group is not an error. After
/// an error the vault may contain some of the groups. The record of the run lists them, and the
/// next writer completes or rolls back unfinished ones.
pub fn apply(vault: &Vault, homes: &Homes, plan: &Plan, info: &RunInfo) -> Result<RunReport> {
    if plan.groups.is_empty() {
        return Ok(RunReport::default());
    }
    let (_lock, history, recovered) = lock_and_recover(vault, homes, info)?;
    let (run, outcomes) = write(vault, &history, info, &plan.job, preview(vault, plan))?;
    Ok(RunReport {
        run,
        outcomes,
        recovered,
    })
}

/// Writes the groups that are ready; returns the run and one outcome per group.
pub(super) fn write(
    vault: &Vault,
    history: &History<'_>,
    info: &RunInfo,
    job: &str,
    groups: Vec<CompileOutcome>,
) -> Result<(Option<RunId>, Vec<Outcome>)> {
    let mut outcomes = Vec::with_capacity(groups.len());
    let (mut numbers, mut ready) = (Vec::new(), Vec::new());
    for group in groups {
        outcomes.push(match group {
            CompileOutcome::Unchanged => Outcome::Unchanged,
            CompileOutcome::Dropped { path, reason } => Outcome::Dropped {
                path,
                reason,
                stuck: Vec::new(),
            },
            CompileOutcome::Ready(group) => {
                numbers.push(outcomes.len());
                ready.push(group);
                Outcome::Applied
            }
        });
    }
    if ready.is_empty() {
        return Ok((None, outcomes));
    }
    let (run, written) = execute(vault, history, info, (job, None), &ready)?;
    for (number, outcome) in numbers.into_iter().zip(written) {
        outcomes[number] = outcome;
    }
    Ok((run, outcomes))
}

/// Recovers runs interrupted by a crash, and does nothing else.
pub fn recover_only(vault: &Vault, homes: &Homes, info: &RunInfo) -> Result<Vec<RecoveryReport>> {
    let (_lock, _, recovered) = lock_and_recover(vault, homes, info)?;
    Ok(recovered)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::super::ChangeError;
    use super::*;
    use crate::change::DropReason;
    use crate::change::tests::{TestVault, create, path, plan};
    use crate::change::trash;
    use crate::change::undo::{UndoTarget, undo};
    use crate::vault::lock::Lock;
    use crate::vault::tests::{FaultFs, HookPhase};
    use crate::vault::write_guard::WriteRefusal;

    fn dropped(outcome: &Outcome) -> (&str, &DropReason) {
        match outcome {
            Outcome::Dropped {
                path,
                reason,
                stuck,
            } if stuck.is_empty() => (path.as_str(), reason),
            _ => panic!("not dropped: {outcome:?}"),
        }
    }

    fn temps(fixture: &TestVault) -> usize {
        fixture
            .state()
            .keys()
            .filter(|name| name.contains(".~mem-"))
            .count()
    }

    #[test]
    fn writes_exactly_the_planned_changes() {
        let fixture =
            TestVault::new(&[("a.md", "one\r\ntwo"), ("x/b.md", "bee"), ("x/c.md", "sea")]);
        fixture.set_mode("a.md", 0o640);
        let plan = plan(vec![
            vec![fixture.edit("a.md", "one", "1"), fixture.trash("x/b.md")],
            vec![create("new/deep/n.md", "new")],
            vec![fixture.edit("a.md", "two", "2")],
        ]);
        let vault = fixture.vault();
        let report = apply(&vault, &fixture.homes(), &plan, &fixture.info()).unwrap();
        assert_eq!(report.outcomes, vec![Outcome::Applied; 3]);
        let texts: Vec<(String, String)> = fixture
            .state()
            .into_iter()
            .filter(|(_, (text, _))| !text.is_empty())
            .map(|(name, (text, _))| (name, text))
            .collect();
        let expected = [
            ("a.md", "1\r\n2"),
            ("new/deep/n.md", "new"),
            ("x/c.md", "sea"),
        ];
        assert_eq!(
            texts,
            expected.map(|(name, text)| (name.to_owned(), text.to_owned()))
        );
        assert_eq!(fixture.state()["a.md"].1 & 0o777, 0o640);
        assert_eq!(temps(&fixture), 0);
        let trashed = trash::list(&vault).unwrap();
        assert_eq!(trashed.len(), 1);
        assert_eq!(trashed[0].path, path("x/b.md"));
        assert_eq!(trashed[0].record.as_ref().unwrap().reason, "a duplicate");
        assert_eq!(Some(&trashed[0].run), report.run.as_ref());
    }

    #[test]
    fn a_moved_note_stays_the_same_file() {
        use std::os::unix::fs::MetadataExt;
        let fixture =
            TestVault::new(&[("a.md", "one"), ("x/b.md", "see [[a]]"), ("x/c.md", "sea")]);
        fixture.set_mode("a.md", 0o640);
        fixture.set_mode("x/c.md", 0o600);
        let inode = |name: &str| fs::metadata(fixture.absolute(name)).unwrap().ino();
        let was = inode("a.md");
        let plan = plan(vec![
            vec![
                fixture.move_to("a.md", "new/deep/A.md", "one", "one"),
                fixture.edit("x/b.md", "a", "A"),
            ],
            vec![fixture.move_to("x/c.md", "c.md", "sea", "See")],
        ]);
        let report = fixture.apply(&plan);
        assert_eq!(report.outcomes, vec![Outcome::Applied; 2]);
        let state = fixture.state();
        let texts = |name: &str| (state[name].0.as_str(), state[name].1 & 0o777);
        assert_eq!(texts("new/deep/A.md"), ("one", 0o640));
        assert_eq!(texts("c.md"), ("See", 0o600));
        assert_eq!(texts("x/b.md").0, "see [[A]]");
        assert_eq!(inode("new/deep/A.md"), was);
        let mut names: Vec<&str> = state.keys().map(String::as_str).collect();
        names.retain(|name| !name.starts_with("new"));
        assert_eq!(names, ["c.md", "x", "x/b.md"]);
    }

    #[test]
    fn a_path_can_change_its_case_on_a_case_insensitive_disk() {
        let fixture = TestVault::new(&[("x/tea.md", "tea"), ("x/b.md", "b")]).case_insensitive();
        let before = fixture.state();
        let changes = plan(vec![
            vec![fixture.move_to("x/tea.md", "x/Tea.md", "tea", "TEA")],
            vec![fixture.move_to("x/b.md", "x/TEA.md", "b", "b")],
            vec![create("x/B.md", "over")],
        ]);
        let report = fixture.apply(&changes);
        assert_eq!(report.outcomes[0], Outcome::Applied);
        for outcome in &report.outcomes[1..] {
            assert_eq!(
                dropped(outcome).1,
                &DropReason::Refused(WriteRefusal::Exists)
            );
        }
        let state = fixture.state();
        let names: Vec<&str> = state.keys().map(String::as_str).collect();
        assert_eq!(names, ["x", "x/Tea.md", "x/b.md"]);
        assert_eq!(state["x/Tea.md"].0, "TEA");
        undo(
            &fixture.vault(),
            [&fixture.homes(); 2],
            &UndoTarget::Last,
            None,
            &fixture.info(),
        )
        .unwrap();
        assert_eq!(fixture.state(), before);
    }

    /// All attributes of a note besides its text: mode, owner, group, extended attributes.
    fn attributes(path: &std::path::Path) -> (u32, u32, u32, Vec<(String, Vec<u8>)>) {
        use std::os::unix::fs::MetadataExt;
        let mut names = vec![0; 4096];
        let length = rustix::fs::llistxattr(path, names.as_mut_slice()).unwrap_or(0);
        let names = names[..length].split(|byte| *byte == 0);
        let mut found: Vec<(String, Vec<u8>)> = names
            .filter(|name| !name.is_empty())
            .map(|name| {
                let mut value = vec![0; 4096];
                let length = rustix::fs::lgetxattr(path, name, value.as_mut_slice()).unwrap();
                let name = String::from_utf8_lossy(name).into_owned();
                (name, value[..length].to_vec())
            })
            .collect();
        found.sort();
        let meta = fs::symlink_metadata(path).unwrap();
        (meta.mode() & 0o7777, meta.uid(), meta.gid(), found)
    }

    #[test]
    fn a_note_keeps_all_its_attributes() {
        use rustix::fs::{Gid, Uid, XattrFlags, lsetxattr};
        let fixture = TestVault::new(&[("a.md", "one"), ("link.md", "l")]);
        let note = fixture.absolute("a.md");
        // ACL: user::rw, user 1234 read, group::r, mask rw, other nothing.
        let acl: Vec<u8> = [2, 0, 0, 0]
            .into_iter()
            .chain(
                [
                    (1_u16, 6_u16, !0_u32),
                    (2, 4, 1234),
                    (4, 4, !0),
                    (16, 6, !0),
                    (32, 0, !0),
                ]
                .into_iter()
                .flat_map(|(tag, may, who)| {
                    [
                        &tag.to_le_bytes()[..],
                        &may.to_le_bytes(),
                        &who.to_le_bytes(),
                    ]
                    .concat()
                }),
            )
            .collect();
        for mode in [0o600, 0o604, 0o751, 0o777, 0o200, 0o1644, 0o2654] {
            // As far as this system and this user permit.
            let _ = rustix::fs::chown(&note, Some(Uid::from_raw(1000)), Some(Gid::from_raw(1001)));
            let _ = lsetxattr(&note, "user.tag", b"red", XattrFlags::empty());
            let _ = lsetxattr(&note, "user.empty", b"", XattrFlags::empty());
            fixture.set_mode("a.md", mode);
            if mode == 0o604 {
                let _ = lsetxattr(&note, "system.posix_acl_access", &acl, XattrFlags::empty());
            } else {
                let _ = rustix::fs::lremovexattr(&note, "system.posix_acl_access");
            }
            let before = attributes(&note);
            let moved = fixture.absolute("x/b.md");
            let changes = plan(vec![
                vec![fixture.edit("a.md", "one", "1")],
                vec![fixture.move_to("a.md", "x/b.md", "one", "one")],
            ]);
            let report = fixture.apply(&changes);
            if mode == 0o200 && report.outcomes[0] != Outcome::Applied {
                // Not even readable, except by root.
                continue;
            }
            assert_eq!(
                report.outcomes,
                [Outcome::Applied, Outcome::Applied],
                "{mode:o}"
            );
            assert_eq!(attributes(&moved), before, "{mode:o}");
            undo(
                &fixture.vault(),
                [&fixture.homes(); 2],
                &UndoTarget::Last,
                None,
                &fixture.info(),
            )
            .unwrap();
            assert_eq!(
                (attributes(&note), fixture.read("a.md")),
                (before, "one".to_owned()),
                "{mode:o}"
            );
        }
    }

    #[test]
    fn a_link_stays_a_link_and_its_note_is_edited() {
        let fixture = TestVault::new(&[("x/a.md", "one"), ("h.md", "h")]);
        std::os::unix::fs::symlink("x/a.md", fixture.absolute("link.md")).unwrap();
        fs::hard_link(fixture.absolute("h.md"), fixture.absolute("i.md")).unwrap();
        let changes = plan(vec![
            vec![fixture.edit("link.md", "one", "1")],
            vec![fixture.edit("h.md", "h", "H")],
            vec![fixture.move_to("i.md", "j.md", "h", "h")],
        ]);
        let report = fixture.apply(&changes);
        assert_eq!(report.outcomes[0], Outcome::Applied);
        for outcome in &report.outcomes[1..] {
            assert_eq!(
                dropped(outcome).1,
                &DropReason::Refused(WriteRefusal::HardLinked(2))
            );
        }
        let link = fs::read_link(fixture.absolute("link.md")).unwrap();
        assert_eq!(
            (link.to_str(), fixture.read("x/a.md")),
            (Some("x/a.md"), "1".to_owned())
        );
        undo(
            &fixture.vault(),
            [&fixture.homes(); 2],
            &UndoTarget::Last,
            None,
            &fixture.info(),
        )
        .unwrap();
        assert_eq!(fixture.read("link.md"), "one");
    }

    #[test]
    fn paths_of_maximum_length_work() {
        let long = "n".repeat(252) + ".md";
        let other = "o".repeat(252) + ".md";
        let fixture = TestVault::new(&[(&long, "one"), ("b.md", "bee")]);
        let before = fixture.state();
        let changes = plan(vec![
            vec![fixture.edit(&long, "one", "1")],
            vec![
                fixture.move_to(&long, &format!("x/{other}"), "one", "one"),
                fixture.trash("b.md"),
            ],
            vec![create(&format!("y/{long}"), "new")],
        ]);
        let report = fixture.apply(&changes);
        assert_eq!(report.outcomes, vec![Outcome::Applied; 3]);
        assert_eq!(fixture.read(&format!("x/{other}")), "1");
        undo(
            &fixture.vault(),
            [&fixture.homes(); 2],
            &UndoTarget::Last,
            None,
            &fixture.info(),
        )
        .unwrap();
        assert_eq!(fixture.state(), before);
    }

    /// Moves `a.md` while an editor saves it right before or after the move.
    fn moved_with_a_save(when: HookPhase, atomic: bool) -> (TestVault, RunReport) {
        let fixture = TestVault::new(&[("a.md", "one"), ("b.md", "see [[a]]")]);
        let changes = plan(vec![vec![
            fixture.edit("b.md", "a", "c"),
            fixture.move_to("a.md", "c.md", "one", "1"),
        ]]);
        let target = fixture.absolute("a.md");
        let disk = FaultFs::default().with_hook(move |at, moment| {
            if at.name == "rename-new" && moment == when && at.path.ends_with("c.md") {
                if atomic {
                    fs::write(target.with_extension("swp"), "mine").unwrap();
                    fs::rename(target.with_extension("swp"), &target).unwrap();
                } else {
                    fs::write(&target, "mine").unwrap();
                }
            }
        });
        let (vault, _) = fixture.vault_on(disk);
        let report = apply(&vault, &fixture.homes(), &changes, &fixture.info()).unwrap();
        assert_eq!(temps(&fixture), 0);
        (fixture, report)
    }

    #[test]
    fn a_folder_swapped_for_a_link_is_never_followed() {
        let outside = [("a.md", "o"), ("b.md", "o"), ("c.md", "o")];
        for swapped in ["sub", ".mem/trash"] {
            for moment in 0.. {
                let fixture =
                    TestVault::new(&[("sub/a.md", "a"), ("sub/b.md", "b"), ("c.md", "c")]);
                let out = fixture.root().join("out");
                fs::create_dir(&out).unwrap();
                for (name, text) in outside {
                    fs::write(out.join(name), text).unwrap();
                }
                let changes = plan(vec![
                    vec![
                        fixture.edit("sub/a.md", "a", "A"),
                        fixture.move_to("c.md", "sub/d.md", "c", "C"),
                    ],
                    vec![fixture.trash("sub/b.md")],
                ]);
                let (folder, link) = (fixture.absolute(swapped), out.clone());
                let mut number = 0;
                let disk = FaultFs::default().with_hook(move |_, when| {
                    if when == HookPhase::Before {
                        if number == moment {
                            let _ = fs::rename(&folder, folder.with_extension("away"));
                            symlink(&link, &folder).unwrap();
                        }
                        number += 1;
                    }
                });
                let (vault, disk) = fixture.vault_on(disk);
                let _ = apply(&vault, &fixture.homes(), &changes, &fixture.info());
                let mut found: Vec<_> = fs::read_dir(&out)
                    .unwrap()
                    .map(|entry| entry.unwrap().path())
                    .map(|path| (path.clone(), fs::read_to_string(path).unwrap()))
                    .collect();
                found.sort_unstable();
                let expected = outside.map(|(name, text)| (out.join(name), text.to_owned()));
                assert_eq!(found, expected, "{swapped} before operation {moment}");
                if disk.ops().len() <= moment {
                    break;
                }
            }
        }
    }

    #[test]
    fn an_editor_that_saves_while_its_note_is_moved_wins() {
        for atomic in [true, false] {
            let (fixture, report) = moved_with_a_save(HookPhase::Before, atomic);
            let Outcome::Dropped {
                path: at,
                reason,
                stuck,
            } = &report.outcomes[0]
            else {
                panic!("{report:?}");
            };
            // The edit under the old name cannot be reverted in the text that the editor saved.
            assert_eq!((at.as_str(), reason), ("c.md", &DropReason::Changed));
            assert_eq!(stuck, &[path("a.md")]);
            let texts: Vec<String> = fixture
                .state()
                .into_values()
                .map(|(text, _)| text)
                .collect();
            assert_eq!(texts, ["mine", "see [[a]]"], "{atomic}");
            // A save under the old name after the move creates a separate note.
            let (fixture, report) = moved_with_a_save(HookPhase::After, atomic);
            assert_eq!(report.outcomes, [Outcome::Applied]);
            let texts: Vec<String> = fixture
                .state()
                .into_values()
                .map(|(text, _)| text)
                .collect();
            assert_eq!(texts, ["mine", "see [[c]]", "1"], "{atomic}");
        }
    }

    #[test]
    fn a_stop_request_takes_effect_between_groups() {
        let fixture = TestVault::new(&[("a.md", "one"), ("b.md", "bee"), ("c.md", "sea")]);
        let before = fixture.state();
        let changes = plan(vec![
            vec![
                fixture.edit("a.md", "one", "1"),
                fixture.edit("b.md", "bee", "b"),
            ],
            vec![fixture.edit("c.md", "sea", "see")],
            vec![fixture.trash("b.md")],
        ]);
        let info = fixture.info();
        let stop = info.stop.clone();
        // Ctrl-C while the first note of the first group is swapped in.
        let disk = FaultFs::default().with_hook(move |at, moment| {
            if at.name == "exchange" && moment == HookPhase::Before && at.path.ends_with("a.md") {
                stop.request();
            }
        });
        let (vault, _) = fixture.vault_on(disk);
        let report = apply(&vault, &fixture.homes(), &changes, &info).unwrap();
        assert_eq!(report.outcomes[0], Outcome::Applied);
        for outcome in &report.outcomes[1..] {
            assert_eq!(dropped(outcome).1, &DropReason::Stopped);
        }
        let texts: Vec<String> = fixture
            .state()
            .into_values()
            .map(|(text, _)| text)
            .collect();
        assert_eq!(texts, ["1", "b", "sea"]);
        assert_eq!(
            (temps(&fixture), trash::list(&vault).unwrap().len()),
            (0, 0)
        );
        undo(
            &vault,
            [&fixture.homes(); 2],
            &UndoTarget::Last,
            None,
            &fixture.info(),
        )
        .unwrap();
        assert_eq!(fixture.state(), before);
        // A stop requested before the start leaves no trace.
        let info = fixture.info();
        info.stop.request();
        let report = apply(&vault, &fixture.homes(), &changes, &info).unwrap();
        assert_eq!((report.run, report.outcomes.len()), (None, 3));
        assert_eq!(fixture.state(), before);
    }

    #[test]
    fn a_plan_without_changes_writes_nothing() {
        let fixture = TestVault::new(&[("a.md", "one")]);
        for (plan, outcomes) in [
            (plan(vec![]), vec![]),
            (
                plan(vec![vec![fixture.edit("a.md", "one", "one")]]),
                vec![Outcome::Unchanged],
            ),
        ] {
            let (vault, disk) = fixture.vault_on(FaultFs::default());
            let report = apply(&vault, &fixture.homes(), &plan, &fixture.info()).unwrap();
            assert_eq!((report.run, report.outcomes), (None, outcomes));
            assert_eq!(disk.ops(), []);
            assert_eq!(
                fixture.homes().state.exists(),
                !plan.groups.is_empty(),
                "only the lock"
            );
        }
    }

    #[test]
    fn a_dropped_group_leaves_no_trace() {
        let fixture = TestVault::new(&[
            ("a.md", "one"),
            ("b.md", "two"),
            ("c.md", "three"),
            ("ro.md", "r"),
        ]);
        fixture.set_mode("ro.md", 0o444);
        let plan = plan(vec![
            vec![
                fixture.edit("a.md", "one", "1"),
                fixture.edit("ro.md", "r", "R"),
            ],
            vec![fixture.edit("a.md", "one", "x"), fixture.trash("b.md")],
            vec![fixture.edit("c.md", "three", "3")],
            vec![create("c.md", "over"), create("d.md", "d")],
        ]);
        // The second note of the second group changed after planning.
        fixture.write("b.md", "mine");
        let report = fixture.apply(&plan);
        assert_eq!(
            dropped(&report.outcomes[0]),
            ("ro.md", &DropReason::Refused(WriteRefusal::ReadOnly))
        );
        assert_eq!(dropped(&report.outcomes[1]), ("b.md", &DropReason::Changed));
        assert_eq!(report.outcomes[2], Outcome::Applied);
        assert_eq!(
            dropped(&report.outcomes[3]),
            ("c.md", &DropReason::Refused(WriteRefusal::Exists))
        );
        let texts: Vec<String> = fixture
            .state()
            .into_values()
            .map(|(text, _)| text)
            .collect();
        assert_eq!(texts, ["one", "mine", "3", "r"]);
        assert_eq!(fixture.own_files(), [""; 0]);
    }

    /// Applies two groups, the second based on the first, while an editor saves `b.md` right before
    /// or after the operation `op`.
    fn with_a_save(
        op: &'static str,
        when: HookPhase,
        atomic: bool,
        exchange: bool,
    ) -> (TestVault, RunReport) {
        let fixture = TestVault::new(&[
            ("a.md", "one two"),
            ("b.md", "bee"),
            ("c.md", "sea"),
            ("d.md", "d"),
        ]);
        let changes = plan(vec![
            vec![
                fixture.edit("a.md", "one", "1"),
                fixture.edit("b.md", "b", "B"),
                fixture.edit("c.md", "s", "S"),
                create("new/n.md", "n"),
            ],
            vec![fixture.edit("a.md", "two", "2"), fixture.trash("d.md")],
            vec![fixture.edit("c.md", "a", "A")],
        ]);
        let target = fixture.absolute("b.md");
        let mut saved = false;
        let mut disk = FaultFs::default().with_hook(move |at, moment| {
            if !saved && at.name == op && moment == when && at.path.ends_with("b.md") {
                saved = true;
                if atomic {
                    fs::write(target.with_extension("swp"), "mine").unwrap();
                    fs::rename(target.with_extension("swp"), &target).unwrap();
                } else {
                    fs::write(&target, "mine").unwrap();
                }
            }
        });
        if !exchange {
            disk = disk.without_exchange();
        }
        let (vault, _) = fixture.vault_on(disk);
        let report = apply(&vault, &fixture.homes(), &changes, &fixture.info()).unwrap();
        (fixture, report)
    }

    #[test]
    fn an_editor_that_saves_at_the_moment_of_the_swap_wins() {
        for atomic in [true, false] {
            let (fixture, report) = with_a_save("exchange", HookPhase::Before, atomic, true);
            assert_eq!(dropped(&report.outcomes[0]), ("b.md", &DropReason::Changed));
            assert_eq!(
                dropped(&report.outcomes[1]),
                ("a.md", &DropReason::EarlierDropped)
            );
            assert_eq!(
                dropped(&report.outcomes[2]),
                ("c.md", &DropReason::EarlierDropped)
            );
            let texts: Vec<String> = fixture
                .state()
                .into_values()
                .map(|(text, _)| text)
                .collect();
            assert_eq!(texts, ["one two", "mine", "sea", "d"], "{atomic}");
            assert_eq!((report.run, fixture.own_files().len()), (None, 0));
        }
    }

    #[test]
    fn a_save_after_the_swap_wins_and_the_run_continues() {
        let (fixture, report) = with_a_save("exchange", HookPhase::After, true, true);
        assert_eq!(report.outcomes, vec![Outcome::Applied; 3]);
        assert_eq!(fixture.read("b.md"), "mine");
        assert_eq!(fixture.read("a.md"), "1 2");
    }

    #[test]
    fn without_exchange_a_change_before_the_last_check_is_detected() {
        // The editor saved while the new texts were staged.
        let fixture = TestVault::new(&[("a.md", "one"), ("b.md", "bee")]);
        let changes = plan(vec![vec![
            fixture.edit("a.md", "one", "1"),
            fixture.edit("b.md", "b", "B"),
        ]]);
        let target = fixture.absolute("b.md");
        let disk = FaultFs::default()
            .without_exchange()
            .with_hook(move |at, _| {
                if at.name == "attributes" {
                    fs::write(&target, "mine").unwrap();
                }
            });
        let (vault, _) = fixture.vault_on(disk);
        let report = apply(&vault, &fixture.homes(), &changes, &fixture.info()).unwrap();
        assert_eq!(dropped(&report.outcomes[0]), ("b.md", &DropReason::Changed));
        assert_eq!(
            (fixture.read("a.md"), fixture.read("b.md")),
            ("one".to_owned(), "mine".to_owned())
        );
        assert_eq!(temps(&fixture), 0);
    }

    #[test]
    fn a_writer_with_the_file_open_wins_until_the_second_check() {
        let fixture = TestVault::new(&[("a.md", "one"), ("b.md", "bee")]);
        let changes = plan(vec![vec![
            fixture.edit("a.md", "one", "1"),
            fixture.edit("b.md", "b", "B"),
        ]]);
        let file = fs::OpenOptions::new()
            .write(true)
            .open(fixture.absolute("a.md"))
            .unwrap();
        let mut open = Some(file);
        let disk = FaultFs::default().with_hook(move |at, when| {
            if at.name == "exchange"
                && at.path.ends_with("b.md")
                && when == HookPhase::Before
                && let Some(mut open) = open.take()
            {
                std::io::Write::write_all(&mut open, b"mine").unwrap();
            }
        });
        let (vault, _) = fixture.vault_on(disk);
        let report = apply(&vault, &fixture.homes(), &changes, &fixture.info()).unwrap();
        assert_eq!(dropped(&report.outcomes[0]), ("a.md", &DropReason::Changed));
        assert_eq!(
            (fixture.read("a.md"), fixture.read("b.md")),
            ("mine".to_owned(), "bee".to_owned())
        );
        assert_eq!(temps(&fixture), 0);
    }

    #[test]
    fn images_are_synced_before_notes_change_and_texts_before_they_are_swapped() {
        let names: Vec<String> = (0..40).map(|n| format!("f{n}/n.md")).collect();
        for count in [2, 40] {
            let files: Vec<(&str, &str)> = names[..count]
                .iter()
                .map(|name| (name.as_str(), "old"))
                .collect();
            let fixture = TestVault::new(&files);
            let groups = files
                .iter()
                .map(|(name, _)| vec![fixture.edit(name, "old", "new")]);
            let changes = plan(groups.collect());
            let (vault, disk) = fixture.vault_on(FaultFs::default());
            apply(&vault, &fixture.homes(), &changes, &fixture.info()).unwrap();
            let ops = disk.ops();
            let at = |name: &str, ending: &str| {
                ops.iter()
                    .position(|op| op.name == name && op.path.to_string_lossy().contains(ending))
                    .unwrap_or_else(|| panic!("no {name} of {ending}"))
            };
            let recorded = at("rename", "run.json");
            assert!(at("sync", "images") < recorded && at("sync", "run.json.new") < recorded);
            assert!(recorded < at("write", ".~mem-"));
            let swapped = at("exchange", "");
            let staged = ops.iter().rposition(|op| op.name == "attributes").unwrap();
            let synced = &ops[staged..swapped];
            let syncs = synced
                .iter()
                .filter(|op| op.name.starts_with("sync"))
                .count();
            assert_eq!(
                syncs,
                if count < 16 { count } else { 1 },
                "one by one, or all at once"
            );
            let all = ops.iter().filter(|op| op.name.starts_with("sync")).count();
            assert!(all < 20, "{all} syncs for {count} notes");
        }
    }

    #[test]
    fn one_writer_at_a_time() {
        let fixture = TestVault::new(&[("a.md", "one")]);
        let plan = plan(vec![vec![fixture.edit("a.md", "one", "1")]]);
        let info = fixture.info();
        let homes = fixture.homes();
        let _lock = Lock::acquire(&homes.lock(), &info.holder()).unwrap();
        let refused = apply(&fixture.vault(), &homes, &plan, &info);
        assert!(matches!(refused, Err(ChangeError::Lock(_))), "{refused:?}");
        assert_eq!(fixture.read("a.md"), "one");
    }
}

//! Takes a run back, group by group, newest first.
//!
//! A file that still equals what the run left is given its old text; one that was edited since has
//! the change taken out of it if that is possible without doubt (`since`, `splice`); else its whole
//! group is kept and listed, with the later run to undo first if one is in the way. A note that the run moved is carried back with what was written into it
//! since; one that a later run moved is looked for where that put it. An undo is a run: it is
//! recorded, can be undone in turn by naming it, and all it wrote has images. Without a name the newest run is meant that is no undo and is not
//! undone, so that calling undo twice takes back two runs:
//!
//! ```text
//! A  B  undo→B  undo→A  undo(undo→A)   the last one, named, brings A's changes back;
//!                                      a further undo without a name takes A back again
//! ```

use std::sync::Arc;

use super::compile::{GroupDraft, Overlay};
use super::execute::{Header, execute};
use super::file_op::{CompiledGroup, FileOp, FileWrite};
use super::history::{FinishedRun, History, RunFile, RunGroup, Undoes, undone};
use super::recover::{Recovered, lock_and_recover};
use super::run_id::RunId;
use super::since::{Key, Since};
use super::{ChangeError, DropReason, Outcome, RunInfo, trash};
use crate::finding::question::QuestionKey;
use crate::note::hash::ContentHash;
use crate::note::path::VaultPath;
use crate::vault::fs::is_same_name;
use crate::vault::{Homes, Vault};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The newest that is no undo and not undone.
    Last,
    Run(RunId),
}

/// Why a group is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeepReason {
    /// Its change cannot be told from what was edited since.
    #[error("edited since")]
    Edited,
    /// It is not there any more.
    #[error("no longer exists")]
    Missing,
    /// Another note stands where it was.
    #[error("another note is there now")]
    Occupied,
    /// A later run, which stands, built on it.
    #[error("changed since by run {0}; undo that first")]
    ChangedBy(RunId),
    /// Its copy in the trash was changed.
    #[error("its copy in the trash changed")]
    TrashChanged,
    /// The text that it held was purged.
    #[error("its text was purged")]
    Purged,
    /// mem may not write it, or it changed at the last moment.
    #[error(transparent)]
    Other(#[from] DropReason),
}

/// What undoing a group comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UndoVerdict {
    /// It can be taken back, or was.
    Undone,
    /// Nothing of it is left to take back.
    NothingLeft,
    Kept {
        /// The note that stands in the way.
        path: VaultPath,
        reason: KeepReason,
    },
}

/// What an undo would do, or did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoReport {
    /// The run that is taken back.
    pub of: RunId,
    /// The undo itself; none if nothing was written.
    pub run: Option<RunId>,
    /// Whether that run was an undo itself, so that this does its changes again.
    pub is_redo: bool,
    /// Per group, in the order of undoing.
    pub groups: Vec<UndoneGroup>,
    /// What earlier, interrupted runs came to.
    pub recovered: Vec<Recovered>,
}

/// A group of the run that is taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoneGroup {
    pub title: String,
    /// The question whether to do it.
    pub question: Option<QuestionKey>,
    /// The notes that it touched.
    pub notes: Vec<VaultPath>,
    /// What taking it back comes to.
    pub verdict: UndoVerdict,
}

/// An undo worked out: what to write, and where in the report its groups are.
struct UndoPlan {
    report: UndoReport,
    ready: Vec<CompiledGroup>,
    numbers: Vec<usize>,
}

/// Returns what [`undo`] would do, and what it would write, without writing.
pub fn plan_undo(
    vault: &Vault,
    homes: &Homes,
    target: &Target,
    note: Option<&VaultPath>,
) -> Result<(UndoReport, Vec<CompiledGroup>), ChangeError> {
    let plan = plan(vault, &History::new(vault.fs(), homes), target, note)?;
    Ok((plan.report, plan.ready))
}

/// Takes a run back, or those of its groups that touch `note`.
pub fn undo(
    vault: &Vault,
    homes: &Homes,
    target: &Target,
    note: Option<&VaultPath>,
    info: &RunInfo,
) -> Result<UndoReport, ChangeError> {
    let (_lock, history, recovered) = lock_and_recover(vault, homes, info)?;
    let UndoPlan {
        mut report,
        ready,
        numbers,
    } = plan(vault, &history, target, note)?;
    report.recovered = recovered;
    if ready.is_empty() {
        return Ok(report);
    }
    let undoes = Some(Undoes {
        run: report.of.clone(),
        note: note.cloned(),
    });
    let (run, outcomes) = execute(
        vault,
        &history,
        Header {
            info,
            job: "undo",
            undoes,
        },
        &ready,
    )?;
    report.run = run;
    for (number, outcome) in numbers.into_iter().zip(outcomes) {
        if let Outcome::Dropped { path, reason, .. } = outcome {
            report.groups[number].verdict = UndoVerdict::Kept {
                path,
                reason: reason.into(),
            };
        }
    }
    Ok(report)
}

fn plan(
    vault: &Vault,
    history: &History<'_>,
    target: &Target,
    note: Option<&VaultPath>,
) -> Result<UndoPlan, ChangeError> {
    let (entries, _) = history.list()?;
    if let Target::Run(id) = target {
        return invert(vault, history, &entries, &history.load(id)?, note);
    }
    let undone = undone(&entries);
    let mut purged = None;
    for entry in &entries {
        let takes_part = entry.applied().any(|(_, group)| {
            note.is_none_or(|note| group.files.iter().any(|file| file.path == *note))
        });
        if entry.run.undoes.is_some() || undone.contains_key(&entry.run.id) || !takes_part {
            continue;
        }
        let plan = invert(vault, history, &entries, entry, note)?;
        // Taken back by hand, or note by note.
        let left = |group: &&UndoneGroup| group.verdict != UndoVerdict::NothingLeft;
        let mut left = plan.report.groups.iter().filter(left).peekable();
        if left.peek().is_none() {
            continue;
        }
        // What can never be taken back must not stand before what can.
        let lost = |group: &UndoneGroup| matches!(&group.verdict, UndoVerdict::Kept { reason, .. } if *reason == KeepReason::Purged);
        if left.all(lost) {
            purged.get_or_insert(plan);
        } else {
            return Ok(plan);
        }
    }
    purged.ok_or(ChangeError::NothingToUndo)
}

fn invert(
    vault: &Vault,
    history: &History<'_>,
    newest_first: &[FinishedRun],
    entry: &FinishedRun,
    note: Option<&VaultPath>,
) -> Result<UndoPlan, ChangeError> {
    let mut overlay = Overlay::new(vault);
    let mut since = Since::new(history, newest_first);
    let (mut groups, mut ready, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (number, group) in entry.applied().rev() {
        if note.is_some_and(|note| group.files.iter().all(|file| file.path != *note)) {
            continue;
        }
        let key = (entry.run.id.clone(), number);
        let inverted = if since.is_taken_back(&key) {
            Ok(Vec::new())
        } else {
            let inversion = Inversion {
                vault,
                history,
                entry,
                since: &since,
                key: key.clone(),
            };
            inversion.group(group, &mut overlay)?
        };
        let verdict = match inverted {
            Err((path, reason)) => UndoVerdict::Kept { path, reason },
            Ok(writes) if writes.is_empty() => UndoVerdict::NothingLeft,
            Ok(writes) => {
                since.push(key, &writes);
                numbers.push(groups.len());
                ready.push(CompiledGroup {
                    title: group.title.clone(),
                    reason: format!("undoes `{}` of {}", entry.run.job, entry.run.id),
                    undoes: Some(number),
                    question: group.question,
                    writes,
                });
                UndoVerdict::Undone
            }
        };
        groups.push(UndoneGroup {
            title: group.title.clone(),
            question: group.question,
            notes: group.notes().cloned().collect(),
            verdict,
        });
    }
    if groups.is_empty() {
        return Err(ChangeError::NoSuchRun(entry.run.id.clone()));
    }
    let of = entry.run.id.clone();
    let report = UndoReport {
        of,
        run: None,
        is_redo: entry.run.undoes.is_some(),
        groups,
        recovered: Vec::new(),
    };
    Ok(UndoPlan {
        report,
        ready,
        numbers,
    })
}

/// What one group is taken back with.
struct Inversion<'a> {
    vault: &'a Vault,
    history: &'a History<'a>,
    entry: &'a FinishedRun,
    since: &'a Since<'a>,
    key: Key,
}

impl Inversion<'_> {
    /// Returns what takes the group back, or the note that stands in the way; the outer error is about
    /// mem's own record.
    fn group(
        &self,
        group: &RunGroup,
        overlay: &mut Overlay<'_>,
    ) -> Result<Result<Vec<FileWrite>, (VaultPath, KeepReason)>, ChangeError> {
        let mut draft = GroupDraft::new(overlay);
        let departed = group.departed();
        for file in group.files.iter().rev() {
            let inverse = Inverse {
                of: self,
                file,
                // What was taken away cannot have been moved.
                path: match file.after {
                    Some(_) => self.since.path_now(&self.key, &file.path),
                    None => file.path.clone(),
                },
            };
            let added = match &file.op {
                FileOp::Arrive { from } => {
                    let is_edit = |file: &&RunFile| file.path == *from && file.op == FileOp::Edit;
                    let edit = group.files.iter().find(is_edit);
                    inverse.carry_back(&mut draft, from, edit)
                }
                // Taken back with the arrival.
                FileOp::Depart { .. } => Ok(Ok(())),
                FileOp::Edit if departed.contains(&file.path) => Ok(Ok(())),
                _ => inverse.add_to(&mut draft),
            };
            match added {
                Ok(Ok(())) => {}
                Ok(Err((path, reason))) => {
                    let reason = self.named(file, &path, reason);
                    return Ok(Err((path, reason)));
                }
                Err(ChangeError::Purged(_)) => {
                    return Ok(Err((file.path.clone(), KeepReason::Purged)));
                }
                Err(err) => return Err(err),
            }
        }
        Ok(Ok(draft.accept()))
    }

    /// Names the later run that is in the way, if there is one, so that a person knows what to undo first.
    fn named(&self, file: &RunFile, path: &VaultPath, reason: KeepReason) -> KeepReason {
        if !matches!(
            reason,
            KeepReason::Edited | KeepReason::Missing | KeepReason::Occupied
        ) {
            return reason;
        }
        let from = match &file.op {
            FileOp::Arrive { from } => Some(from),
            _ => None,
        };
        let names = [Some(&file.path), from].into_iter().flatten();
        let later = names.filter_map(|name| self.since.changed_by(&self.key, name));
        let in_the_way = later.max();
        let in_the_way = in_the_way.or_else(|| self.since.undone_before(&self.key, path));
        in_the_way.map_or(reason, KeepReason::ChangedBy)
    }
}

/// One file of the group.
struct Inverse<'a> {
    of: &'a Inversion<'a>,
    file: &'a RunFile,
    /// Its name now, as far as mem moved it since.
    path: VaultPath,
}

impl<'a> Inverse<'a> {
    /// Adds what carries a moved note back to its old name, `edit` being the change of its text.
    ///
    /// The outer error is about mem's own record.
    fn carry_back(
        &self,
        draft: &mut GroupDraft<'_, '_>,
        from: &VaultPath,
        edit: Option<&'a RunFile>,
    ) -> Result<Result<(), (VaultPath, KeepReason)>, ChangeError> {
        let to = &self.file.path;
        let edit = edit.map(|file| Self {
            file,
            path: from.clone(),
            ..*self
        });
        // What came to one of the names since, or left it, is another note than the two would show.
        for name in [to, from] {
            if let Some(run) = self.of.since.taken_by(&self.of.key, name) {
                return Ok(Err((name.clone(), KeepReason::ChangedBy(run.clone()))));
            }
        }
        let [current, old] = match (draft.current(to), draft.current(from)) {
            (Ok((_, current)), Ok((_, old))) => [current, old],
            (Err(reason), _) => return Ok(Err((to.clone(), reason.into()))),
            (_, Err(reason)) => return Ok(Err((from.clone(), reason.into()))),
        };
        let current = match (current, old) {
            (Some(_), Some(_)) if !self.is_respelling(from) => {
                return Ok(Err((from.clone(), KeepReason::Occupied)));
            }
            (Some(current), _) => current,
            (None, old) => {
                let now = old.map(|text| ContentHash::of(text.as_bytes()));
                let known = [self.file.after, edit.as_ref().and_then(|e| e.file.before)];
                let is_back = known.into_iter().flatten().any(|i| Some(i.hash) == now);
                if !is_back {
                    return Ok(Err((to.clone(), KeepReason::Missing)));
                }
                let Some(edit) = edit.filter(|_| self.file.after.map(|i| i.hash) == now) else {
                    return Ok(Ok(()));
                };
                let written = draft.rewrite(from, edit.text_before()?);
                return Ok(written.map_err(|reason| (from.clone(), reason.into())));
            }
        };
        let text = match edit {
            None => Some(current),
            Some(_) => self.of.since.without(&self.of.key, to, &current)?,
        };
        let Some(text) = text else {
            return Ok(Err((to.clone(), KeepReason::Edited)));
        };
        let moved = draft.move_to(to, from, text, self.file.made.clone());
        Ok(moved.map_err(|reason| (from.clone(), reason.into())))
    }

    /// Tells whether the old name is another spelling of the new one to the file system.
    fn is_respelling(&self, from: &VaultPath) -> bool {
        let vault = self.of.vault;
        let [from, to] = [from, &self.file.path].map(|path| vault.absolute(path));
        is_same_name(vault.fs(), &from, &to)
    }

    /// Adds what gives the file its old text; the outer error is about mem's own record.
    fn add_to(
        &self,
        draft: &mut GroupDraft<'_, '_>,
    ) -> Result<Result<(), (VaultPath, KeepReason)>, ChangeError> {
        let path = &self.path;
        let current = match draft.current(path) {
            Ok((_, current)) => current,
            Err(reason) => return Ok(Err((path.clone(), reason.into()))),
        };
        let now = current
            .as_deref()
            .map(|text| ContentHash::of(text.as_bytes()));
        let [before, after] = [self.file.before, self.file.after].map(|i| i.map(|i| i.hash));
        let since = self.of.since;
        let is_free = since.changed_by(&self.of.key, &self.file.path).is_none();
        // With others taken back it may read the same without its change being taken back.
        let is_by_hand = || before.is_none() || after.is_none() || !since.left(path, now);
        if now == before && is_free && is_by_hand() {
            return Ok(Ok(()));
        }
        let added = match (before, after) {
            (Some(_), Some(_)) => match current {
                None => Err(KeepReason::Missing),
                Some(current) => match self.of.since.without(&self.of.key, path, &current)? {
                    None => Err(KeepReason::Edited),
                    Some(text) => draft.rewrite(path, text).map_err(KeepReason::from),
                },
            },
            // Others would have nothing left that they could be taken back from.
            _ if !is_free => Err(KeepReason::Edited),
            (None, _) if now != after => Err(KeepReason::Edited),
            (None, _) => {
                let (run, folders) = (&self.of.entry.run, self.file.made.clone());
                let reason = format!("undid `{}` of {}", run.job, run.id);
                draft.trash(path, reason, folders).map_err(KeepReason::from)
            }
            (Some(_), None) if current.is_some() => Err(KeepReason::Occupied),
            (Some(before), None) => match self.op_of_return(before) {
                Err(kept) => Err(kept),
                Ok((op, mode)) => {
                    let text = self.text_before()?;
                    draft.create(path, op, text, mode).map_err(KeepReason::from)
                }
            },
        };
        Ok(added.map_err(|kept| (path.clone(), kept)))
    }

    fn text_before(&self) -> Result<Arc<str>, ChangeError> {
        let run = &self.of.entry.run.id;
        let missing = || ChangeError::Record {
            run: run.clone(),
            reason: "a text is missing".into(),
        };
        let image = self.file.before.ok_or_else(missing)?;
        Ok(self.of.history.image(run, image)?.into())
    }

    /// Returns how a note that was taken away comes back: out of the trash, or, if that was
    /// emptied, from its image.
    fn op_of_return(&self, before: ContentHash) -> Result<(FileOp, Option<u32>), KeepReason> {
        let (vault, run) = (self.of.vault, &self.of.entry.run.id);
        let kept = trash::location(vault, run, &self.file.path);
        match vault.fs().read(&kept) {
            Ok((bytes, _)) if ContentHash::of(&bytes) == before => {
                Ok((FileOp::Restore { from: run.clone() }, None))
            }
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => {
                Ok((FileOp::Create, self.file.mode))
            }
            _ => Err(KeepReason::TrashChanged),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::change::apply::apply;
    use crate::change::test_vault::{TestVault, create, path, plan};
    use crate::finding::plan::Change;

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

    fn take_back(fixture: &TestVault, target: &Target) -> UndoReport {
        undo(
            &fixture.vault(),
            &fixture.homes(),
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
        let report = take_back(&fixture, &Target::Last);
        assert_eq!(verdicts(&report), [&UndoVerdict::Undone; 3]);
        assert_eq!(report.groups[0].title, "group 2", "newest first");
        assert_eq!(fixture.state(), before);
        // An undo is a run: undone by name, everything is as the first run left it.
        let redone = take_back(&fixture, &Target::Run(report.run.unwrap()));
        assert_eq!(verdicts(&redone), [&UndoVerdict::Undone; 3]);
        assert_eq!(fixture.state(), after);
        // And the first run can be taken back once more.
        take_back(&fixture, &Target::Last);
        assert_eq!(fixture.state(), before);
        let none = undo(
            &fixture.vault(),
            &fixture.homes(),
            &Target::Last,
            None,
            &fixture.info(),
        );
        assert!(matches!(none, Err(ChangeError::NothingToUndo)), "{none:?}");
    }

    #[test]
    fn twice_takes_back_two_runs() {
        let fixture = TestVault::new(&[("a.md", "one\n")]);
        let first = run(&fixture, vec![vec![fixture.edit("a.md", "one", "two")]]);
        let second = run(&fixture, vec![vec![fixture.edit("a.md", "two", "three")]]);
        assert_eq!(take_back(&fixture, &Target::Last).of, second);
        assert_eq!(fixture.read("a.md"), "two\n");
        assert_eq!(take_back(&fixture, &Target::Last).of, first);
        assert_eq!(fixture.read("a.md"), "one\n");
    }

    #[test]
    fn out_of_order() {
        let fixture = TestVault::new(&[("a.md", "1\n2\n3\n")]);
        let first = run(&fixture, vec![vec![fixture.edit("a.md", "1", "one")]]);
        let later = run(&fixture, vec![vec![fixture.edit("a.md", "3", "three")]]);
        take_back(&fixture, &Target::Run(first.clone()));
        assert_eq!(fixture.read("a.md"), "1\n2\nthree\n");
        // Again: nothing of it is left.
        let again = take_back(&fixture, &Target::Run(first));
        assert_eq!(
            (verdicts(&again), &again.run),
            (vec![&UndoVerdict::NothingLeft], &None)
        );
        assert_eq!(take_back(&fixture, &Target::Last).of, later);
        assert_eq!(fixture.read("a.md"), "1\n2\n3\n");
    }

    #[test]
    fn what_a_person_wrote_since_stays() {
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
        let report = take_back(&fixture, &Target::Last);
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
    fn notes_that_came_and_went() {
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
        let report = take_back(&fixture, &Target::Last);
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
    fn of_one_note_takes_its_whole_groups() {
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
        let (planned, ready) = plan_undo(&vault, &homes, &Target::Last, Some(&note)).unwrap();
        assert_eq!((planned.groups.len(), ready[0].writes.len()), (1, 2));
        assert_eq!(fixture.read("b.md"), "B", "planning writes nothing");
        undo(&vault, &homes, &Target::Last, Some(&note), &fixture.info()).unwrap();
        assert_eq!(
            ["a.md", "b.md", "c.md"].map(|name| fixture.read(name)),
            ["a", "b", "C"].map(str::to_owned)
        );
        let again = undo(&vault, &homes, &Target::Last, Some(&note), &fixture.info());
        assert!(
            matches!(again, Err(ChangeError::NothingToUndo)),
            "{again:?}"
        );
        // The rest of the run is still there to be taken back.
        let report = take_back(&fixture, &Target::Last);
        assert_eq!(
            (&report.of, verdicts(&report)),
            (&id, vec![&UndoVerdict::Undone, &UndoVerdict::NothingLeft])
        );
        assert_eq!(fixture.state(), before);
    }

    #[test]
    fn a_moved_note_is_carried_back() {
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
        let report = take_back(&fixture, &Target::Last);
        assert_eq!(verdicts(&report), [&UndoVerdict::Undone]);
        assert_eq!(
            report.groups[0].notes,
            ["b.md", "a.md", "x/c.md"].map(path),
            "under both names"
        );
        assert_eq!(fixture.state(), before, "and the folder is gone");
        // Again, and back again.
        let redo = take_back(&fixture, &Target::Run(report.run.unwrap()));
        assert_eq!((fixture.state(), redo.is_redo), (after, true));
        take_back(&fixture, &Target::Run(redo.run.unwrap()));
        assert_eq!(fixture.state(), before);
        // By either name; edited since; what the person wrote stays.
        for name in ["a.md", "x/c.md"] {
            moved(&fixture);
            fixture.write("x/c.md", "1\ntwo\nmine\n");
            let note = path(name);
            let (vault, homes) = (fixture.vault(), fixture.homes());
            undo(&vault, &homes, &Target::Last, Some(&note), &fixture.info()).unwrap();
            assert_eq!(fixture.read("a.md"), "one\ntwo\nmine\n");
            assert_eq!(fixture.read("b.md"), "see [[a]]");
            assert!(!fixture.absolute("x").exists());
            fixture.write("a.md", "one\ntwo\n");
        }
    }

    #[test]
    fn a_moved_note_that_cannot_be_carried_back_is_kept() {
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
            let report = take_back(&fixture, &Target::Last);
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
    fn changes_are_found_where_the_note_was_moved_to_since() {
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
            |id: &RunId| verdicts(&take_back(&fixture, &Target::Run(id.clone())))[0].clone();
        assert_eq!(undo_one(&first), UndoVerdict::Undone);
        assert_eq!(fixture.read("c.md"), "one\n2\nthree\n");
        assert_eq!(undo_one(&second), UndoVerdict::Undone);
        assert_eq!(fixture.read("a.md"), "one\ntwo\nthree\n");
        assert_eq!(undo_one(&third), UndoVerdict::Undone);
        assert_eq!(fixture.state(), before);
        // The move first, then what came after it.
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

    /// Chance as a value: the same seed, the same vault, runs and order of undoing.
    struct Chance(u64);

    impl Chance {
        fn below(&mut self, end: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            ((self.0 >> 33) % end as u64) as usize
        }

        fn of<'t, T>(&mut self, choices: &'t [T]) -> &'t T {
            &choices[self.below(choices.len())]
        }
    }

    /// Applies a run of some edits, merges, moves, new and removed notes; nothing if nothing came of it.
    fn random_run(fixture: &TestVault, chance: &mut Chance) -> Option<RunId> {
        let state = fixture.state();
        let notes = state.keys().filter(|name| name.contains('.'));
        let mut notes: Vec<&String> = notes.collect();
        let names = ["a.md", "b.md", "c.md", "d.md", "x/e.md", "x/f.md"];
        let free = names.iter().filter(|name| !state.contains_key(**name));
        let mut free: Vec<&&str> = free.collect();
        let mut groups = Vec::new();
        for _ in 0..=chance.below(2) {
            let mut group = Vec::new();
            for _ in 0..=chance.below(2) {
                if notes.is_empty() {
                    break;
                }
                let note = notes.swap_remove(chance.below(notes.len()));
                let text = &state[note.as_str()].0;
                // Of few words, so that equal lines meet.
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

    /// Takes runs back in an order that chance decides, and before each what it says to take back before;
    /// returns how often that was.
    fn take_back_all(fixture: &TestVault, chance: &mut Chance, mut runs: Vec<RunId>) -> usize {
        let mut named = Vec::new();
        let mut count = 0;
        while let Some(run) = named
            .pop()
            .or_else(|| (!runs.is_empty()).then(|| runs.swap_remove(chance.below(runs.len()))))
        {
            assert!(count < 200, "there is no end to what is named");
            let report = take_back(fixture, &Target::Run(run.clone()));
            let kept = report.groups.iter().find_map(|group| match &group.verdict {
                UndoVerdict::Kept { reason, .. } => Some(reason),
                _ => None,
            });
            let history = (fixture.vault(), fixture.homes());
            let history = History::new(history.0.fs(), &history.1);
            match kept {
                // An undo that was in the way: what it took back is there again.
                None => runs.extend(history.load(&run).unwrap().run.undoes.map(|of| of.run)),
                Some(KeepReason::ChangedBy(other)) => {
                    count += 1;
                    named.extend([run, other.clone()]);
                }
                Some(reason) => panic!("{run}: {reason}"),
            }
        }
        count
    }

    #[test]
    fn one_pass_in_any_order_brings_every_byte_back() {
        let (mut in_order, mut named) = (0, 0);
        for seed in 0..150 {
            let chance = &mut Chance(seed);
            let fixture = TestVault::new(&[
                ("a.md", "one\ntwo\nthree\nfour\n"),
                ("b.md", "one\n\n[[a]]\ntwo\n"),
                ("x/e.md", "five\r\nsix"),
            ]);
            let before = fixture.state();
            let runs = (0..3 + chance.below(6)).filter_map(|_| random_run(&fixture, chance));
            let runs: Vec<RunId> = runs.collect();
            match take_back_all(&fixture, chance, runs) {
                0 => in_order += 1,
                some => named += some,
            }
            assert_eq!(fixture.state(), before, "seed {seed}");
        }
        // Neither is rare.
        assert!(in_order > 10 && named > 50, "{in_order} {named}");
    }

    #[test]
    fn unknown_runs() {
        let fixture = TestVault::new(&[("a.md", "a")]);
        let id: RunId = "20200101-000000-0000".parse().unwrap();
        let none = undo(
            &fixture.vault(),
            &fixture.homes(),
            &Target::Run(id),
            None,
            &fixture.info(),
        );
        assert!(matches!(none, Err(ChangeError::NoSuchRun(_))), "{none:?}");
    }
}

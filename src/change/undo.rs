//! Takes a run back, group by group, newest first.
//!
//! A file that still equals what the run left is given its old text; one that was edited since has
//! the change taken out of it if that is possible without doubt (`splice`); else its whole group
//! is kept and listed. An undo is a run: it is recorded, can be undone in turn by naming it, and
//! whatever it wrote has images. Without a name the newest run is meant that is no undo and is not
//! undone, so that calling undo twice takes back two runs:
//!
//! ```text
//! A  B  undo→B  undo→A  undo(undo→A)   the last one, named, brings A's changes back;
//!                                      a further undo without a name takes A back again
//! ```

use std::sync::Arc;

use super::compile::{Act, Draft, Overlay, Ready};
use super::execute::{Header, execute};
use super::history::{Entry, History, RunFile, Undoes, undone};
use super::recover::{Recovered, recover};
use super::run_id::RunId;
use super::splice::take_back;
use super::{ChangeError, Outcome, RunInfo, Why, trash};
use crate::note::hash::ContentHash;
use crate::note::path::VaultPath;
use crate::vault::lock::Lock;
use crate::vault::{Homes, Vault};
use crate::view::question::QuestionKey;

/// Which run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The newest that is no undo and not undone.
    Last,
    /// This one.
    Run(RunId),
}

/// Why a group is kept as it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Kept {
    /// Its change cannot be told from what was edited since.
    #[error("edited since")]
    Edited,
    /// It is not there any more.
    #[error("no longer there")]
    Missing,
    /// Another note stands where it was.
    #[error("another note stands there now")]
    Occupied,
    /// Its copy in the trash was changed.
    #[error("its copy in the trash was changed")]
    TrashChanged,
    /// mem may not write it, or it changed at the last moment.
    #[error(transparent)]
    Other(#[from] Why),
}

/// What undoing a group comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It can be taken back, or was.
    Undone,
    /// Nothing of it is left to take back.
    Already,
    /// It stays.
    Kept {
        /// The note that stands in the way.
        path: VaultPath,
        /// Why.
        why: Kept,
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
    /// What it did.
    pub title: String,
    /// The question whether to do it.
    pub question: Option<QuestionKey>,
    /// The notes that it touched.
    pub notes: Vec<VaultPath>,
    /// What taking it back comes to.
    pub verdict: Verdict,
}

/// An undo worked out: what to write, and where in the report its groups are.
struct UndoPlan {
    report: UndoReport,
    ready: Vec<Ready>,
    numbers: Vec<usize>,
}

/// Returns what [`undo`] would do, and what it would write, without writing.
pub fn plan_undo(
    vault: &Vault,
    homes: &Homes,
    target: &Target,
    note: Option<&VaultPath>,
) -> Result<(UndoReport, Vec<Ready>), ChangeError> {
    let plan = work_out(vault, &History::new(vault.fs(), homes), target, note)?;
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
    let _lock = Lock::wait(&homes.state.join("lock"), &info.holder(), info.patience)?;
    let history = History::new(vault.fs(), homes);
    let recovered = recover(vault, &history)?;
    let UndoPlan {
        mut report,
        ready,
        numbers,
    } = work_out(vault, &history, target, note)?;
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
        if let Outcome::Dropped { path, why, .. } = outcome {
            report.groups[number].verdict = Verdict::Kept {
                path,
                why: why.into(),
            };
        }
    }
    Ok(report)
}

fn work_out(
    vault: &Vault,
    history: &History<'_>,
    target: &Target,
    note: Option<&VaultPath>,
) -> Result<UndoPlan, ChangeError> {
    if let Target::Run(id) = target {
        return invert(vault, history, &history.load(id)?, note);
    }
    let (entries, _) = history.list()?;
    let undone = undone(&entries);
    for entry in &entries {
        let takes_part = entry.applied().any(|(_, group)| {
            note.is_none_or(|note| group.files.iter().any(|file| file.path == *note))
        });
        if entry.run.undoes.is_some() || undone.contains_key(&entry.run.id) || !takes_part {
            continue;
        }
        let plan = invert(vault, history, entry, note)?;
        // Taken back by hand, or note by note.
        if plan
            .report
            .groups
            .iter()
            .any(|group| group.verdict != Verdict::Already)
        {
            return Ok(plan);
        }
    }
    Err(ChangeError::NothingToUndo)
}

fn invert(
    vault: &Vault,
    history: &History<'_>,
    entry: &Entry,
    note: Option<&VaultPath>,
) -> Result<UndoPlan, ChangeError> {
    let mut overlay = Overlay::new(vault);
    let (mut groups, mut ready, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (number, group) in entry.applied().rev() {
        if note.is_some_and(|note| group.files.iter().all(|file| file.path != *note)) {
            continue;
        }
        let mut draft = Draft::new(&mut overlay);
        let mut kept = None;
        for file in group.files.iter().rev() {
            let inverse = Inverse {
                vault,
                history,
                entry,
                file,
            };
            if let Err(why) = inverse.add_to(&mut draft)? {
                kept = Some((file.path.clone(), why));
                break;
            }
        }
        let verdict = if let Some((path, why)) = kept {
            Verdict::Kept { path, why }
        } else {
            let writes = draft.accept();
            if writes.is_empty() {
                Verdict::Already
            } else {
                numbers.push(groups.len());
                let reason = format!("undoes `{}` of {}", entry.run.job, entry.run.id);
                let title = group.title.clone();
                ready.push(Ready {
                    title,
                    reason,
                    undoes: Some(number),
                    question: group.question,
                    writes,
                });
                Verdict::Undone
            }
        };
        groups.push(UndoneGroup {
            title: group.title.clone(),
            question: group.question,
            notes: group.files.iter().map(|file| file.path.clone()).collect(),
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

/// One file of the run to be undone.
struct Inverse<'a> {
    vault: &'a Vault,
    history: &'a History<'a>,
    entry: &'a Entry,
    file: &'a RunFile,
}

impl Inverse<'_> {
    /// Adds what takes the file's change back; the outer error is about mem's own record.
    fn add_to(&self, draft: &mut Draft<'_, '_>) -> Result<Result<(), Kept>, ChangeError> {
        let path = &self.file.path;
        let current = match draft.current(path) {
            Ok((_, current)) => current,
            Err(why) => return Ok(Err(why.into())),
        };
        let now = current
            .as_deref()
            .map(|text| ContentHash::of(text.as_bytes()));
        let [before, after] = [self.file.before, self.file.after].map(|i| i.map(|i| i.hash));
        if now == before {
            return Ok(Ok(()));
        }
        Ok(match (before, after) {
            (Some(_), Some(_)) => match current {
                None => Err(Kept::Missing),
                Some(current) => match self.old_text(&current, now == after)? {
                    None => Err(Kept::Edited),
                    Some(text) => draft.rewrite(path, text).map_err(Kept::from),
                },
            },
            (None, _) if now != after => Err(Kept::Edited),
            (None, _) => {
                let reason = format!("undid `{}` of {}", self.entry.run.job, self.entry.run.id);
                draft
                    .trash(path, reason, self.file.made.clone())
                    .map_err(Kept::from)
            }
            (Some(_), None) if current.is_some() => Err(Kept::Occupied),
            (Some(before), None) => match self.act_of_return(before) {
                Err(kept) => Err(kept),
                Ok((act, mode)) => {
                    let text = self.text(self.file.before)?;
                    draft.create(path, act, text, mode).map_err(Kept::from)
                }
            },
        })
    }

    fn text(&self, image: Option<super::history::Image>) -> Result<Arc<str>, ChangeError> {
        let run = &self.entry.run.id;
        let missing = || ChangeError::Record {
            run: run.clone(),
            why: "a text is missing".into(),
        };
        Ok(self.history.image(run, image.ok_or_else(missing)?)?.into())
    }

    /// Returns what an edited note shall hold; nothing if the edit cannot be taken out of it.
    fn old_text(&self, current: &str, untouched: bool) -> Result<Option<Arc<str>>, ChangeError> {
        let before = self.text(self.file.before)?;
        if untouched {
            return Ok(Some(before));
        }
        let after = self.text(self.file.after)?;
        Ok(take_back(&before, &after, current).map(Arc::from))
    }

    /// Returns how a note that was taken away comes back: out of the trash, or, if that was
    /// emptied, from its image.
    fn act_of_return(&self, before: ContentHash) -> Result<(Act, Option<u32>), Kept> {
        let run = &self.entry.run.id;
        let place = trash::place(self.vault, run, &self.file.path);
        match self.vault.fs().read(&place) {
            Ok((bytes, _)) if ContentHash::of(&bytes) == before => {
                Ok((Act::Restore { from: run.clone() }, None))
            }
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => {
                Ok((Act::Create, self.file.mode))
            }
            _ => Err(Kept::TrashChanged),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::change::apply::apply;
    use crate::change::scene::{Scene, create, path, plan};
    use crate::view::plan::Change;

    fn run(scene: &Scene, groups: Vec<Vec<Change>>) -> RunId {
        let report = apply(&scene.vault(), &scene.homes(), &plan(groups), &scene.info()).unwrap();
        assert!(
            report
                .outcomes
                .iter()
                .all(|outcome| *outcome == Outcome::Applied),
            "{report:?}"
        );
        report.run.unwrap()
    }

    fn take_back(scene: &Scene, target: &Target) -> UndoReport {
        undo(&scene.vault(), &scene.homes(), target, None, &scene.info()).unwrap()
    }

    fn verdicts(report: &UndoReport) -> Vec<&Verdict> {
        report.groups.iter().map(|group| &group.verdict).collect()
    }

    fn kept(name: &str, why: Kept) -> Verdict {
        Verdict::Kept {
            path: path(name),
            why,
        }
    }

    #[test]
    fn restores_every_byte_and_mode() {
        let scene = Scene::new(&[
            ("a.md", "\u{feff}---\r\ntitle: 'x' # why\r\n---\r\nbody"),
            ("x/b.md", "bee\n"),
            ("x/c.md", ""),
        ]);
        scene.set_mode("a.md", 0o600);
        scene.set_mode("x/b.md", 0o664);
        let before = scene.state();
        run(
            &scene,
            vec![
                vec![
                    scene.edit("a.md", "'x'", "y"),
                    scene.trash("x/b.md"),
                    create("n/m/o.md", "n"),
                ],
                vec![
                    scene.edit("a.md", "body", "BODY"),
                    scene.edit("x/c.md", "", "full"),
                ],
                vec![create("x/d.md", "d")],
            ],
        );
        let after = scene.state();
        let report = take_back(&scene, &Target::Last);
        assert_eq!(verdicts(&report), [&Verdict::Undone; 3]);
        assert_eq!(report.groups[0].title, "group 2", "newest first");
        assert_eq!(scene.state(), before);
        // An undo is a run: undone by name, everything is as the first run left it.
        let redone = take_back(&scene, &Target::Run(report.run.unwrap()));
        assert_eq!(verdicts(&redone), [&Verdict::Undone; 3]);
        assert_eq!(scene.state(), after);
        // And the first run can be taken back once more.
        take_back(&scene, &Target::Last);
        assert_eq!(scene.state(), before);
        let none = undo(
            &scene.vault(),
            &scene.homes(),
            &Target::Last,
            None,
            &scene.info(),
        );
        assert!(matches!(none, Err(ChangeError::NothingToUndo)), "{none:?}");
    }

    #[test]
    fn twice_takes_back_two_runs() {
        let scene = Scene::new(&[("a.md", "one\n")]);
        let first = run(&scene, vec![vec![scene.edit("a.md", "one", "two")]]);
        let second = run(&scene, vec![vec![scene.edit("a.md", "two", "three")]]);
        assert_eq!(take_back(&scene, &Target::Last).of, second);
        assert_eq!(scene.read("a.md"), "two\n");
        assert_eq!(take_back(&scene, &Target::Last).of, first);
        assert_eq!(scene.read("a.md"), "one\n");
    }

    #[test]
    fn out_of_order() {
        let scene = Scene::new(&[("a.md", "1\n2\n3\n")]);
        let first = run(&scene, vec![vec![scene.edit("a.md", "1", "one")]]);
        let later = run(&scene, vec![vec![scene.edit("a.md", "3", "three")]]);
        take_back(&scene, &Target::Run(first.clone()));
        assert_eq!(scene.read("a.md"), "1\n2\nthree\n");
        // Again: nothing of it is left.
        let again = take_back(&scene, &Target::Run(first));
        assert_eq!(
            (verdicts(&again), &again.run),
            (vec![&kept("a.md", Kept::Edited)], &None)
        );
        assert_eq!(take_back(&scene, &Target::Last).of, later);
        assert_eq!(scene.read("a.md"), "1\n2\n3\n");
    }

    #[test]
    fn what_a_person_wrote_since_stays() {
        let text = "---\ntier: working\n---\nbody\n";
        let scene = Scene::new(&[("a.md", text), ("b.md", text), ("c.md", "sea\n")]);
        run(
            &scene,
            vec![
                vec![scene.edit("a.md", "working", "archival")],
                vec![
                    scene.edit("b.md", "working", "archival"),
                    scene.edit("c.md", "sea", "see"),
                ],
            ],
        );
        scene.write(
            "a.md",
            "---\ntier: archival\nmine: true\n---\nbody, and more\n",
        );
        scene.write("b.md", "---\ntier: core\n---\nbody\n");
        let report = take_back(&scene, &Target::Last);
        assert_eq!(
            verdicts(&report),
            [&kept("b.md", Kept::Edited), &Verdict::Undone]
        );
        assert_eq!(
            scene.read("a.md"),
            "---\ntier: working\nmine: true\n---\nbody, and more\n"
        );
        assert_eq!(scene.read("b.md"), "---\ntier: core\n---\nbody\n");
        assert_eq!(scene.read("c.md"), "see\n", "its group is kept as a whole");
    }

    #[test]
    fn notes_that_came_and_went() {
        let scene = Scene::new(&[("away.md", "a"), ("gone.md", "g"), ("odd.md", "o")]);
        let groups = vec![
            vec![scene.trash("away.md")],
            vec![scene.trash("gone.md")],
            vec![scene.trash("odd.md")],
            vec![create("new.md", "n")],
            vec![create("kept.md", "k")],
        ];
        scene.set_mode("gone.md", 0o600);
        let id = run(&scene, groups);
        let in_trash = |name: &str| scene.place(&format!(".mem/trash/{id}/{name}"));
        scene.write("away.md", "another");
        fs::remove_file(in_trash("gone.md")).unwrap();
        fs::write(in_trash("odd.md"), "changed").unwrap();
        fs::remove_file(scene.place("new.md")).unwrap();
        scene.write("kept.md", "k, edited");
        let report = take_back(&scene, &Target::Last);
        let expected = [
            &kept("kept.md", Kept::Edited),
            &Verdict::Already,
            &kept("odd.md", Kept::TrashChanged),
            &Verdict::Undone,
            &kept("away.md", Kept::Occupied),
        ];
        assert_eq!(verdicts(&report), expected);
        assert_eq!(scene.read("away.md"), "another");
        assert_eq!(fs::read_to_string(in_trash("away.md")).unwrap(), "a");
        assert_eq!(scene.state()["gone.md"].0, "g", "from its image");
        assert_eq!(scene.state()["gone.md"].1 & 0o777, 0o600);
        assert_eq!(scene.read("kept.md"), "k, edited");
        assert!(!scene.place("odd.md").exists());
    }

    #[test]
    fn of_one_note_takes_its_whole_groups() {
        let scene = Scene::new(&[("a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
        let before = scene.state();
        let id = run(
            &scene,
            vec![
                vec![scene.edit("a.md", "a", "A"), scene.edit("b.md", "b", "B")],
                vec![scene.edit("c.md", "c", "C")],
            ],
        );
        let note = path("b.md");
        let (vault, homes) = (scene.vault(), scene.homes());
        let (planned, ready) = plan_undo(&vault, &homes, &Target::Last, Some(&note)).unwrap();
        assert_eq!((planned.groups.len(), ready[0].writes.len()), (1, 2));
        assert_eq!(scene.read("b.md"), "B", "planning writes nothing");
        undo(&vault, &homes, &Target::Last, Some(&note), &scene.info()).unwrap();
        assert_eq!(
            ["a.md", "b.md", "c.md"].map(|name| scene.read(name)),
            ["a", "b", "C"].map(str::to_owned)
        );
        let again = undo(&vault, &homes, &Target::Last, Some(&note), &scene.info());
        assert!(
            matches!(again, Err(ChangeError::NothingToUndo)),
            "{again:?}"
        );
        // The rest of the run is still there to be taken back.
        let report = take_back(&scene, &Target::Last);
        assert_eq!(
            (&report.of, verdicts(&report)),
            (&id, vec![&Verdict::Undone, &Verdict::Already])
        );
        assert_eq!(scene.state(), before);
    }

    #[test]
    fn unknown_runs() {
        let scene = Scene::new(&[("a.md", "a")]);
        let id: RunId = "20200101-000000-0000".parse().unwrap();
        let none = undo(
            &scene.vault(),
            &scene.homes(),
            &Target::Run(id),
            None,
            &scene.info(),
        );
        assert!(matches!(none, Err(ChangeError::NoSuchRun(_))), "{none:?}");
    }
}

//! Restores notes from the trash, as a run that can be undone.
//!
//! A note returns to its old path by a move, or to another path as a new file. In the second case
//! its copy in the trash is removed once the file exists. A crash in between leaves two copies,
//! never none.

use super::apply::{RunReport, write};
use super::compile::{CompileOutcome, GroupDraft, Overlay};
use super::file_op::{CompiledGroup, FileOp};
use super::recover::lock_and_recover;
use super::trash::{self, TrashedNote};
use super::{DropReason, Outcome, Result, RunInfo};
use crate::note::VaultPath;
use crate::vault::{Homes, ReadError, Vault};

/// A note to restore and its target path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restoration {
    pub from: TrashedNote,
    pub to: VaultPath,
}

impl Restoration {
    /// Returns a one-line description for a person.
    pub fn title(&self) -> String {
        let Self { from, to } = self;
        if from.path == *to {
            format!("restore {to}")
        } else {
            format!("restore {} as {to}", from.path)
        }
    }

    /// Returns the reason in one line for a person.
    pub fn reason(&self) -> String {
        match &self.from.record {
            Some(record) => format!("removed because: {}", record.reason),
            None => "requested".to_owned(),
        }
    }
}

/// Returns the writes that would restore each note.
pub fn plan_restore(vault: &Vault, returns: &[Restoration]) -> Vec<CompileOutcome> {
    let mut overlay = Overlay::new(vault);
    returns
        .iter()
        .map(|wanted| match compile(vault, &mut overlay, wanted) {
            Ok(ready) => CompileOutcome::Ready(ready),
            Err(reason) => CompileOutcome::Dropped {
                path: wanted.to.clone(),
                reason,
            },
        })
        .collect()
}

fn compile(
    vault: &Vault,
    overlay: &mut Overlay<'_>,
    wanted: &Restoration,
) -> Result<CompiledGroup, DropReason> {
    let Restoration { from, to } = wanted;
    let text = trash::read(vault, from).map_err(|error| match error {
        ReadError::NotText { .. } => DropReason::NotText,
        error => DropReason::Io(error.to_string()),
    })?;
    // Moved only to its old path without links on the way; otherwise it is copied.
    let moves = vault.vacant(to).is_ok_and(|real| real == from.path);
    let op = if moves {
        FileOp::Restore {
            from: from.run.clone(),
        }
    } else {
        FileOp::Create
    };
    let mut draft = GroupDraft::new(overlay);
    draft.create(to, op, text.text.into(), None)?;
    Ok(CompiledGroup {
        title: wanted.title(),
        reason: wanted.reason(),
        undoes: None,
        question: None,
        writes: draft.accept(),
    })
}

/// Restores notes, each in its own group; the outcomes are in the order of `returns`.
pub fn restore(
    vault: &Vault,
    homes: &Homes,
    returns: &[Restoration],
    info: &RunInfo,
) -> Result<RunReport> {
    let (_lock, history, recovered) = lock_and_recover(vault, homes, info)?;
    let compiled = plan_restore(vault, returns);
    let copies: Vec<bool> = compiled.iter().map(is_copy).collect();
    let (run, outcomes) = write(vault, &history, info, "restore", compiled)?;
    for ((wanted, outcome), is_copy) in returns.iter().zip(&outcomes).zip(copies) {
        if is_copy && *outcome == Outcome::Applied {
            // If this fails, a redundant copy stays visible in the trash.
            let _ = trash::remove(vault, &wanted.from);
        }
    }
    Ok(RunReport {
        run,
        outcomes,
        recovered,
    })
}

/// Whether the note becomes a new file and its file in the trash stays for now.
fn is_copy(compiled: &CompileOutcome) -> bool {
    matches!(compiled, CompileOutcome::Ready(group) if group.writes[0].op == FileOp::Create)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::change::apply::apply;
    use crate::change::tests::{TestVault, path, plan};
    use crate::change::undo::{UndoTarget, undo};
    use crate::vault::write_guard::WriteRefusal;

    fn trashed(fixture: &TestVault) -> Vec<String> {
        let list = trash::list(&fixture.vault()).unwrap();
        list.iter().map(|found| found.path.to_string()).collect()
    }

    #[test]
    fn restored_notes_can_be_undone() {
        let fixture = TestVault::new(&[("x/a.md", "a"), ("b.md", "b"), ("c.md", "c")]);
        fixture.set_mode("x/a.md", 0o600);
        let before = fixture.state();
        let (vault, homes) = (fixture.vault(), fixture.homes());
        let away = plan(vec![vec![
            fixture.trash("x/a.md"),
            fixture.trash("b.md"),
            fixture.trash("c.md"),
        ]]);
        apply(&vault, &homes, &away, &fixture.info()).unwrap();
        fixture.write("c.md", "another");
        let found = trash::list(&vault).unwrap();
        let destinations = ["elsewhere/b.md", "c.md", "x/a.md"];
        let returns: Vec<Restoration> = found
            .into_iter()
            .zip(destinations)
            .map(|(from, to)| Restoration { from, to: path(to) })
            .collect();
        let report = restore(&vault, &homes, &returns, &fixture.info()).unwrap();
        let exists = Outcome::Dropped {
            path: path("c.md"),
            reason: DropReason::Refused(WriteRefusal::Exists),
            stuck: Vec::new(),
        };
        assert_eq!(
            report.outcomes,
            [Outcome::Applied, exists, Outcome::Applied]
        );
        assert_eq!(fixture.state()["x/a.md"], before["x/a.md"]);
        assert_eq!(fixture.read("elsewhere/b.md"), "b");
        assert_eq!(fixture.read("c.md"), "another");
        assert_eq!(trashed(&fixture), ["c.md"]);
        undo(
            &vault,
            [&homes; 2],
            &UndoTarget::Last,
            None,
            &fixture.info(),
        )
        .unwrap();
        assert!(!fixture.absolute("elsewhere").exists());
        assert_eq!(trashed(&fixture), ["c.md", "elsewhere/b.md", "x/a.md"]);
    }
}

//! Records edits made in an editor that mem opened, so they can be undone like any run.

use super::file_op::{CompiledGroup, FileOp, FileWrite};
use super::history::RecordedOutcome;
use super::recover::{RecoveryReport, lock_and_recover};
use super::run_id::RunId;
use super::{Result, RunInfo};
use crate::note::VaultPath;
use crate::vault::{Homes, Vault};

/// Records the current texts of notes as a finished run; returns the run, if a text changed, and
/// recovered runs.
///
/// If the run `made` created the note and is the newest, it is merged into this run, so one undo
/// reverts both.
///
/// Skips notes that no longer exist or that mem may not write, because they could not be undone.
/// After a crash all notes of the run hold the new text, so the next writer completes it.
pub fn record(
    vault: &Vault,
    homes: &Homes,
    before: Vec<(VaultPath, String)>,
    made: Option<&RunId>,
    info: &RunInfo,
) -> Result<(Option<RunId>, Vec<RecoveryReport>)> {
    let (_lock, history, recovered) = lock_and_recover(vault, homes, info)?;
    let mut groups: Vec<CompiledGroup> = before
        .into_iter()
        .filter_map(|(path, before)| edit_group(vault, &path, before))
        .collect();
    if groups.is_empty() {
        return Ok((None, recovered));
    }
    let id = history.next_id(info)?;
    let newest = history.known()?.into_iter().max();
    let made = made
        .filter(|made| newest.as_ref() == Some(made))
        .map(|made| history.load(made))
        .transpose()?;
    let (mut job, mut folders) = ("edit", &Vec::new());
    if let Some(made) = made.as_ref().map(|made| &made.run)
        && let ([first], [group]) = (&made.groups[..], &mut groups[..])
        && let [file] = &first.files[..]
    {
        (job, folders) = (&made.job, &file.made);
        (group.title, group.reason) = (first.title.clone(), first.reason.clone());
        for write in &mut group.writes {
            (write.op, write.before) = (FileOp::Create, None);
            (write.mode, write.attributes_from) = (None, None);
        }
    }
    let run = history.begin(id, info, job, None, &groups, |_| folders.clone())?;
    history.record_outcome(
        &run.id,
        vec![RecordedOutcome::Applied; groups.len()],
        Some(info),
    )?;
    history.archive(&run.id)?;
    if let Some(made) = made {
        history.delete(&made.run.id)?;
    }
    Ok((Some(run.id), recovered))
}

fn edit_group(vault: &Vault, path: &VaultPath, before: String) -> Option<CompiledGroup> {
    let (path, meta) = vault.writable(path).ok()?;
    let after = vault.read(&path).ok()?.text;
    (after != before).then(|| CompiledGroup {
        title: format!("edit {path}"),
        reason: "in an editor".to_owned(),
        undoes: None,
        question: None,
        writes: vec![FileWrite {
            attributes_from: Some(vault.absolute(&path)),
            path,
            op: FileOp::Edit,
            before: Some(before.into()),
            after: Some(after.into()),
            mode: Some(meta.mode),
            folders: Vec::new(),
        }],
    })
}

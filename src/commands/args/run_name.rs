//! How a run of the history is called: by its short id or its id, by what it did to which note.

use super::lookup::by_part;
use crate::change::file_op::FileOp;
use crate::change::history::{FinishedRun, History};
use crate::change::run_id::{RunId, short as short_id};
use crate::error::Error;
use crate::note::path::VaultPath;
use crate::output::count;

/// Returns the one of the `known` runs that `name` means: its short id, its id, or the beginning of it.
pub(crate) fn find_run<'r>(
    known: impl IntoIterator<Item = &'r RunId>,
    name: &str,
) -> Result<&'r RunId, Error> {
    let known: Vec<&RunId> = known.into_iter().collect();
    let mut short = known.iter().filter(|id| id.short() == name);
    if let (Some(run), None) = (short.next(), short.next()) {
        return Ok(run);
    }
    let none = Error::new(format!("no run `{name}`")).hint("list runs with `mem history`");
    let fits = |id: &str| id.starts_with(name) || short_id(id) == name;
    by_part(known, ToString::to_string, name, fits).one(name, "runs", none)
}

/// Returns what a run did, in the words of a command line: `rm a.md`, `mv a.md to b.md`, `dedupe 12 notes`;
/// of an undo what it took back.
pub(crate) fn what(entry: &FinishedRun, history: &History<'_>) -> String {
    let Some(mut undoes) = entry.run.undoes.clone() else {
        return done(entry);
    };
    let mut is_redo = false;
    loop {
        let verb = if is_redo { "redo" } else { "undo" };
        let Ok(undone) = history.load(&undoes.run) else {
            return format!("{verb} {}", undoes.run);
        };
        match undone.run.undoes {
            None => return format!("{verb} {}", done(&undone)),
            Some(next) => (undoes, is_redo) = (next, !is_redo),
        }
    }
}

/// Returns what a run did that is no undo.
fn done(entry: &FinishedRun) -> String {
    let job = &entry.run.job;
    let groups: Vec<_> = entry.applied().map(|(_, group)| group).collect();
    let notes = notes(entry);
    let files = groups.iter().flat_map(|group| &group.files);
    let mut moves = files.filter_map(|file| match &file.op {
        FileOp::Depart { to } => Some((&file.path, to)),
        _ => None,
    });
    match (
        notes.as_slice(),
        groups.as_slice(),
        (moves.next(), moves.next()),
    ) {
        ([], ..) => job.clone(),
        ([note], ..) => format!("{job} {note}"),
        (_, _, (Some((from, to)), None)) => format!("{job} {from} to {to}"),
        (_, [group], _) => format!("{job}: {}", group.title),
        _ => format!("{job} {}", count(notes.len(), "note")),
    }
}

/// Returns the notes that a run changed, under each of their names.
pub(crate) fn notes(entry: &FinishedRun) -> Vec<&VaultPath> {
    let mut notes: Vec<&VaultPath> = entry
        .applied()
        .flat_map(|(_, group)| group.notes())
        .collect();
    notes.sort_unstable();
    notes.dedup();
    notes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_one_run() {
        let ids = [
            "20260401-120000-757x",
            "20260402-083000-757x",
            "20260402-083000-757y",
            "20260402-093000-2026",
            "1",
        ];
        let ids: Vec<RunId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        let find = |name| find_run(&ids, name).ok().map(RunId::as_str);
        for (name, found) in [
            ("757y", Some(2)),
            ("757x", None),
            ("2026", Some(3)),
            ("20260402-083000-757x", Some(1)),
            ("20260401", Some(0)),
            ("20260402", None),
            ("1", Some(4)),
            ("083000-757y", None),
            ("z", None),
        ] {
            assert_eq!(
                find(name),
                found.map(|at: usize| ids[at].as_str()),
                "{name}"
            );
        }
    }
}

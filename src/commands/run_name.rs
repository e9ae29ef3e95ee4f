//! How a run of the history is called: by a short id, by when it was, by what it did to which note.

use jiff::{Timestamp, Zoned};

use super::lookup::find_run;
use crate::change::file_op::FileOp;
use crate::change::history::{FinishedRun, History};
use crate::change::run_id::RunId;
use crate::note::path::VaultPath;
use crate::output::count;

/// From how long ago on a day says more than a number of days.
const DAYS: i64 = 30;

/// Returns the end of a run's id that means no other of the `known` runs.
pub(super) fn short(id: &RunId, known: &[&RunId]) -> String {
    let text = id.as_str();
    let starts = text.rmatch_indices('-').map(|(at, _)| at + 1);
    let mut ends = starts.map(|start| &text[start..]);
    let is_known = |end: &&str| find_run(known.iter().copied(), end).is_ok();
    ends.find(is_known).unwrap_or(text).to_owned()
}

/// Returns what a run did, in the words of a command line: `rm a.md`, `mv a.md to b.md`, `dedupe 12 notes`;
/// of an undo what it took back.
pub(super) fn what(entry: &FinishedRun, history: &History<'_>) -> String {
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
pub(super) fn notes(entry: &FinishedRun) -> Vec<&VaultPath> {
    let mut notes: Vec<&VaultPath> = entry
        .applied()
        .flat_map(|(_, group)| group.notes())
        .collect();
    notes.sort_unstable();
    notes.dedup();
    notes
}

/// Returns how long ago a moment was, in words; a day where that says more.
pub(super) fn when(at: Timestamp, now: &Zoned) -> String {
    let seconds = now.timestamp().as_second() - at.as_second();
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        -60..60 => "just now".to_owned(),
        _ if (1..60).contains(&minutes) => format!("{minutes} min ago"),
        _ if (1..24).contains(&hours) => format!("{hours} h ago"),
        _ if (1..2).contains(&days) => "a day ago".to_owned(),
        _ if (2..DAYS).contains(&days) => format!("{days} days ago"),
        _ => {
            let at = at.to_zoned(now.time_zone().clone());
            at.strftime("%Y-%m-%d").to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_by_how_long_ago_it_was() {
        let now: Zoned = "2026-04-02T12:00:00Z[UTC]".parse().unwrap();
        for (at, expected) in [
            ("2026-04-02T12:00:30Z", "just now"),
            ("2026-04-02T11:59:01Z", "just now"),
            ("2026-04-02T11:58:00Z", "2 min ago"),
            ("2026-04-02T11:00:00Z", "1 h ago"),
            ("2026-04-01T12:00:01Z", "23 h ago"),
            ("2026-04-01T12:00:00Z", "a day ago"),
            ("2026-03-29T12:00:00Z", "4 days ago"),
            ("2026-02-01T12:00:00Z", "2026-02-01"),
            ("2027-01-01T00:00:00Z", "2027-01-01"),
        ] {
            assert_eq!(when(at.parse().unwrap(), &now), expected, "{at}");
        }
    }

    #[test]
    fn a_short_id_means_one_run() {
        let ids = [
            "20260401-120000-757x",
            "20260402-083000-757x",
            "20260402-083000-757y",
            "20260402-093000-2026",
            "1",
        ];
        let ids: Vec<RunId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        let known: Vec<&RunId> = ids.iter().collect();
        let found: Vec<String> = ids.iter().map(|id| short(id, &known)).collect();
        assert_eq!(
            found,
            ["120000-757x", "083000-757x", "757y", "093000-2026", "1"]
        );
        for (id, short) in ids.iter().zip(&found) {
            assert_eq!(find_run(known.iter().copied(), short).unwrap(), id);
        }
    }
}

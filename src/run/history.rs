//! Records of runs in the history, and how they are found and described.

use crate::run::lookup::by_part;
use crate::run::prelude::*;

use crate::change::FileOp;
use crate::change::history::RecordedOutcome;
use crate::change::run_id::short as short_id;
use crate::change::timeline::ChangeTimeline;

/// Returns the run of `known` with this short id, id or id prefix.
pub fn find_run<'r>(known: impl IntoIterator<Item = &'r RunId>, name: &str) -> Result<&'r RunId> {
    let known: Vec<&RunId> = known.into_iter().collect();
    let mut short = known.iter().filter(|id| id.short() == name);
    if let (Some(run), None) = (short.next(), short.next()) {
        return Ok(run);
    }
    let none = Error::new(format!("no run `{name}`")).hint("list runs with `mem history`");
    let fits = |id: &str| id.starts_with(name) || short_id(id) == name;
    by_part(known, ToString::to_string, name, fits).one(name, "runs", none)
}

/// Describes a run like a command: `rm a.md`, `mv a.md to b.md`, `dedupe 12 notes`. For an undo,
/// the undone run
/// is described.
pub fn describe_run(entry: &FinishedRun, history: &History<'_>) -> String {
    let Some(mut undoes) = entry.run.undoes.clone() else {
        return describe_changes(entry);
    };
    let (mut is_redo, mut is_of_sleep) = (false, entry.run.undoes_several());
    loop {
        let verb = if is_redo { "redo" } else { "undo" };
        let Ok(undone) = history.load(&undoes.run) else {
            return format!("{verb} {}", undoes.run);
        };
        match undone.run.undoes {
            None if is_of_sleep => return format!("{verb} sleep"),
            None => return format!("{verb} {}", describe_changes(&undone)),
            Some(ref next) => {
                (is_redo, is_of_sleep) = (!is_redo, undone.run.undoes_several());
                undoes = next.clone();
            }
        }
    }
}

/// Describes a run that is not an undo.
fn describe_changes(entry: &FinishedRun) -> String {
    let job = &entry.run.job;
    let groups: Vec<_> = entry.applied().map(|(_, group)| group).collect();
    let notes = notes(entry);
    let files = groups.iter().flat_map(|group| &group.files);
    let mut moves = files.filter_map(|file| match &file.op {
        FileOp::Depart { to } => Some((&file.path, to)),
        _ => None,
    });
    let first_two = (moves.next(), moves.next());
    match (notes.as_slice(), groups.as_slice(), first_two) {
        ([], ..) => job.clone(),
        ([note], ..) => format!("{job} {note}"),
        (_, _, (Some((from, to)), None)) => format!("{job} {from} to {to}"),
        (_, [group], _) => format!("{job}: {}", group.title),
        _ => format!("{job} {}", count(notes.len(), "note")),
    }
}

/// Returns the notes that a run changed, under all their names.
fn notes(entry: &FinishedRun) -> Vec<&VaultPath> {
    let notes = entry.applied().flat_map(|(_, group)| group.notes());
    notes.collect::<BTreeSet<_>>().into_iter().collect()
}

/// A run of the history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunRecord {
    pub run: String,
    /// Unique suffix of the id.
    pub short: String,
    pub at: String,
    pub job: String,
    /// Description of the run for a person.
    pub what: String,
    /// Number of changed notes.
    pub notes: usize,
    pub command: String,
    /// Notes or pairs examined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<String>,
    /// The last undo, if all changes are undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_by: Option<String>,
    /// Number of changes, and of those not undone.
    pub changes: usize,
    pub standing: usize,
    pub groups: Vec<GroupRecord>,
}

/// A group of changes, applied or dropped.
#[derive(Debug, Serialize, JsonSchema)]
pub struct GroupRecord {
    pub title: String,
    pub reason: String,
    pub applied: bool,
    /// Whether it was applied and is not undone.
    pub stands: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub files: Vec<String>,
}

/// Selects runs of the history.
#[derive(Debug, Default)]
pub struct RunFilter {
    /// One run.
    pub run: Option<RunId>,
    /// Runs of this job.
    pub job: Option<String>,
    /// Runs that changed this note, under any of its names.
    pub note: Option<VaultPath>,
    pub limit: usize,
}

impl RunFilter {
    /// Returns the matching runs of the history in `source` with their times, newest first; warns
    /// about unreadable records.
    pub fn records(
        mut self,
        session: &Session,
        source: &Homes,
    ) -> Result<Vec<(Timestamp, RunRecord)>> {
        let history = History::new(session.vault.fs(), source);
        let (entries, problems) = history.list()?;
        for (run, why) in problems {
            let why = format!("cannot read the record of run {run}: {why}");
            session.env.output.warn(&why);
        }
        let timeline = ChangeTimeline::new(&history, &entries);
        let matches = |entry: &&FinishedRun| match &self.run {
            Some(id) => entry.run.id == *id,
            None => {
                self.note
                    .as_mut()
                    .is_none_or(|note| follow_renames(note, entry))
                    && self.job.as_ref().is_none_or(|job| entry.run.job == *job)
            }
        };
        let limit = self.run.as_ref().map_or(self.limit, |_| 1);
        let entries = entries.iter().filter(matches).take(limit);
        let records = entries.map(|entry| (entry.run.at, record(entry, &history, &timeline)));
        Ok(records.collect())
    }
}

/// Whether a run changed the note that was called `note` afterwards; sets `note` to its earlier
/// name.
fn follow_renames(note: &mut VaultPath, entry: &FinishedRun) -> bool {
    let mut changed = false;
    for (_, group) in entry.applied() {
        let mut was = None;
        for file in group.files.iter().filter(|file| file.path == *note) {
            changed = true;
            if let FileOp::Arrive { from } = &file.op {
                was = Some(from.clone());
            }
        }
        *note = was.unwrap_or_else(|| note.clone());
    }
    changed
}

/// Returns the record of a run, including which changes are still in effect.
fn record(entry: &FinishedRun, history: &History<'_>, timeline: &ChangeTimeline<'_>) -> RunRecord {
    let run = &entry.run;
    let mut stands: HashSet<usize> = entry.applied().map(|(number, _)| number).collect();
    stands.retain(|number| timeline.is_in_effect(&(run.id.clone(), *number)));
    let numbered = run.groups.iter().zip(&entry.end.groups).enumerate();
    let groups = numbered.map(|(number, (group, end))| GroupRecord {
        title: group.title.clone(),
        reason: group.reason.clone(),
        applied: *end == RecordedOutcome::Applied,
        stands: stands.contains(&number),
        why: match end {
            RecordedOutcome::Applied => None,
            RecordedOutcome::Dropped { path, reason } => Some(format!("{path}: {reason}")),
        },
        files: group.notes().map(ToString::to_string).collect(),
    });
    let applied = entry.applied();
    let undos = applied.filter_map(|(number, _)| timeline.taken_back_by(&(run.id.clone(), number)));
    let undone_by = undos.max().filter(|_| stands.is_empty());
    RunRecord {
        run: run.id.to_string(),
        at: run.at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        job: run.job.clone(),
        command: run.command.clone(),
        processed: entry.end.processed,
        duration_seconds: entry.end.duration_ms.map(|millis| millis as f64 / 1000.0),
        undoes: run.undoes.as_ref().map(|undoes| undoes.run.to_string()),
        undone_by: undone_by.map(ToString::to_string),
        changes: entry.applied().count(),
        standing: stands.len(),
        short: run.id.short().to_owned(),
        what: describe_run(entry, history),
        notes: notes(entry).len(),
        groups: groups.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_resolves_to_one_run() {
        let texts = [
            "20260401-120000-757x",
            "20260402-083000-757x",
            "20260402-083000-757y",
            "20260402-093000-2026",
            "1",
        ];
        let ids: Vec<RunId> = texts.iter().map(|id| id.parse().unwrap()).collect();
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

//! `mem undo`

use crate::change::undo::{UndoneGroup, plan_undo};
use crate::change::{FinishedRun, History, UndoTarget, UndoVerdict};
use crate::commands::args::note_lookup::find_note_or_past;
use crate::commands::prelude::*;
use crate::output::time_ago;
use crate::run::history::describe_run;
use crate::run::sync::published::RecordedRun;
use crate::run::undo::undo_run;
use crate::vault::Homes;

/// Undo a run
///
/// Without RUN, undoes the newest run not yet undone, so repeating it goes further back. A sleep
/// makes one run per job: without RUN all of them are undone, with RUN one of them. Later edits
/// are kept where they can be separated; otherwise the note is left unchanged and reported, and the
/// exit code is 1. An undo is a run, too: undoing it is a redo. Runs can be undone in any order,
/// except those that moved one note: the last first.
#[derive(Debug, clap::Args)]
pub struct UndoRequest {
    /// The run, by short id, id or prefix of an id
    pub run: Option<String>,
    /// Undo only the groups of changes that contain this note
    #[arg(long, value_name = "NOTE")]
    pub note: Option<String>,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct UndoneRun {
    dry_run: bool,
    /// The undone run; of several, the newest.
    undoes: RunId,
    /// All undone runs, newest first.
    runs: Vec<RunId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunId>,
    groups: Vec<GroupRecord>,
    /// The changes as a unified diff; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    #[serde(skip)]
    subject: Subject,
    /// Whether it undoes an undo.
    #[serde(skip)]
    is_redo: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct GroupRecord {
    title: String,
    outcome: GroupOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GroupOutcome {
    Undone,
    #[serde(rename = "nothing left")]
    NothingLeft,
    Kept,
}

impl Request for UndoRequest {
    type Reply<'s> = UndoneRun;

    fn answer(&self, session: &Session) -> Result<UndoneRun> {
        let found = self.run.as_ref().map(|run| RecordedRun::find(session, run));
        let named = found.transpose()?;
        let source = named.as_ref().map_or(&session.homes, |run| &run.homes);
        let target = match &named {
            Some(run) => UndoTarget::Run(run.id.clone()),
            None => UndoTarget::Last,
        };
        let name = self.note.as_ref();
        let note = name
            .map(|name| find_note_or_past(session, name))
            .transpose()?;
        let (report, diff) = if self.dry_run {
            let (report, ready) = plan_undo(&session.vault, source, &target, note.as_ref())?;
            let diff = ready.iter().map(diff::of_ready).collect();
            (report, Some(diff))
        } else {
            (undo_run(session, source, &target, note.as_ref())?, None)
        };
        Ok(UndoneRun {
            dry_run: self.dry_run,
            subject: Subject::of(session, source, &report.of)?,
            undoes: report.of[0].clone(),
            runs: report.of,
            run: report.run,
            groups: report.groups.iter().map(GroupRecord::of).collect(),
            diff,
            is_redo: report.is_redo,
        })
    }
}

impl UndoneRun {
    fn count(&self, outcome: GroupOutcome) -> usize {
        let groups = self.groups.iter();
        groups.filter(|group| group.outcome == outcome).count()
    }
}

impl Reply for UndoneRun {
    fn show(&self, page: &Page<'_>) {
        let (what, changes) = (&self.subject.what, self.subject.changes);
        let verb = match (self.dry_run, self.subject.is_again) {
            (true, false) => "would undo",
            (true, true) => "would redo",
            (false, false) => "undid",
            (false, true) => "redid",
        };
        let undone = self.count(GroupOutcome::Undone);
        let part = match undone {
            0 => "nothing of ".to_owned(),
            some if some < changes => format!("{some} of {} of ", count(changes, "change")),
            _ => String::new(),
        };
        page.row(&format!("{verb} {part}{}", page.clean(what)));
        for group in &self.groups {
            let outcome = match group.outcome {
                // After a partial undo, earlier undone groups are not mentioned.
                GroupOutcome::NothingLeft if undone == 0 => "nothing left",
                GroupOutcome::Kept => "kept",
                GroupOutcome::Undone | GroupOutcome::NothingLeft => continue,
            };
            let why = page.clean(group.why.as_deref().unwrap_or_default());
            page.line(&format!(
                "  {outcome}: {} ({why})",
                page.clean(&group.title)
            ));
        }
        if let Some(diff) = &self.diff {
            diff::print(page, diff);
        }
    }

    fn messages(&self) -> Vec<Message> {
        let again = if self.is_redo { "undo" } else { "redo" };
        let run = self.run.iter();
        let hint = |run: &RunId| Message::Hint(format!("{again} with `mem undo {}`", run.short()));
        run.map(hint).collect()
    }

    fn exit(&self) -> Result<Exit> {
        let [undone, kept] = [GroupOutcome::Undone, GroupOutcome::Kept].map(|it| self.count(it));
        Ok(Exit::found(kept == 0 && undone > 0))
    }
}

impl GroupRecord {
    fn of(group: &UndoneGroup) -> Self {
        let (outcome, why) = match &group.verdict {
            UndoVerdict::Undone => (GroupOutcome::Undone, None),
            UndoVerdict::NothingLeft => {
                let why = match &group.undone_by {
                    Some(run) => format!("undone already by run {run}"),
                    None => "the notes already have their earlier text".to_owned(),
                };
                (GroupOutcome::NothingLeft, Some(why))
            }
            UndoVerdict::Kept { path, reason } => {
                (GroupOutcome::Kept, Some(format!("{path}: {reason}")))
            }
        };
        Self {
            title: group.title.clone(),
            outcome,
            why,
        }
    }
}

/// The undone run, described for a person.
#[derive(Debug)]
struct Subject {
    /// Whether undoing it redoes something.
    is_again: bool,
    /// Its description, as in `mem history`.
    what: String,
    /// The number of its changes.
    changes: usize,
}

impl Subject {
    fn of(session: &Session, source: &Homes, runs: &[RunId]) -> Result<Self> {
        let history = History::new(session.vault.fs(), source);
        let loaded = runs.iter().map(|run| history.load(run));
        let entries: Vec<FinishedRun> = loaded.collect::<Result<_, _>>()?;
        let entry = &entries[0];
        let when = time_ago(entry.run.at, &session.env.now);
        let what = match entries.len() {
            1 => describe_run(entry, &history),
            several => format!("sleep: {several} runs"),
        };
        let (is_again, what) = match (what.strip_prefix("undo "), what.strip_prefix("redo ")) {
            (Some(undone), _) => (true, undone),
            (None, Some(redone)) => (false, redone),
            (None, None) => (false, what.as_str()),
        };
        Ok(Self {
            is_again,
            what: format!("{what} ({when})"),
            changes: entries.iter().map(|entry| entry.applied().count()).sum(),
        })
    }
}

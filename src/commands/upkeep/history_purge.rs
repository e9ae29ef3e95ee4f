//! `mem history purge`

use crate::cache::RebuildReason;
use crate::change::purge::{NoteCopies, note_copies, purge_note, purge_runs};
use crate::change::{FinishedRun, History};
use crate::commands::args::property_value::moment_ago;
use crate::commands::prelude::*;
use crate::run::history::find_run;
use crate::run::report::stored;

/// Permanently delete undo history
///
/// Deletes runs by id or age; they can no longer be undone. `--note` removes a secret instead: all
/// copies of a note's text in runs, trash, reports and index, under earlier names too. It does not
/// change the note, so remove the secret first. Other notes, git, backups and other machines are
/// not touched; see `mem help files`.
#[derive(Debug, clap::Args)]
pub struct PurgeRequest {
    /// Runs, by short id, id or prefix of an id
    #[arg(value_name = "RUN", conflicts_with = "note")]
    pub runs: Vec<String>,
    /// Delete every copy of this note (its name, or the path of a removed note)
    #[arg(long, value_name = "NOTE", conflicts_with = "older_than")]
    pub note: Option<String>,
    /// Only runs older than this: `90d`, `6m`, `1y`
    #[arg(long, value_name = "AGE")]
    pub older_than: Option<String>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
    /// Preview what would be deleted
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct PurgeReport {
    dry_run: bool,
    /// The runs whose records were deleted.
    runs: Vec<RunId>,
    /// The note whose copies were deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<VaultPath>,
    /// The number of its texts in each run.
    texts: Vec<RunTexts>,
    /// Its copies in the trash, as `run/path`.
    trashed: Vec<String>,
    /// Whether the note still exists.
    #[serde(skip)]
    is_there: bool,
    /// Whether another machine has texts of the note.
    #[serde(skip)]
    is_on_other_machines: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct RunTexts {
    run: RunId,
    texts: usize,
}

/// The records to delete.
enum Target {
    Runs(Vec<RunId>),
    Note(VaultPath, NoteCopies),
}

const PURGE_CONSEQUENCE: Option<&str> = Some("this cannot be undone");

impl Request for PurgeRequest {
    type Reply<'s> = PurgeReport;

    fn answer(&self, session: &Session) -> Result<PurgeReport> {
        self.purge(session, self.target(session)?)
    }

    fn run(&self, env: &Environment) -> Result<Exit> {
        let session = env.open()?;
        let target = self.target(&session)?;
        let what = match &target {
            Target::Runs(runs) => {
                let what = format!("delete the records of {}", count(runs.len(), "run"));
                Some(what).filter(|_| !runs.is_empty())
            }
            Target::Note(path, copies) => {
                let reply = self.reply(path, copies);
                if reply.is_without_copies() {
                    let words = format!("no run or trash entry contains text of `{path}`");
                    env.output.say(&words);
                }
                Some(format!("delete {}", reply.summary(path)))
            }
        };
        if let Some(what) = what.filter(|_| !self.dry_run)
            && !confirmed(env, self.yes, &what, PURGE_CONSEQUENCE)?
        {
            env.output.say("nothing was deleted");
            return Ok(Exit::Done);
        }
        session.env.print(&self.purge(&session, target)?)
    }
}

impl PurgeRequest {
    fn target(&self, session: &Session) -> Result<Target> {
        match &self.note {
            Some(name) => {
                let path = path_of_name(session, name)?;
                let copies = note_copies(&session.vault, &session.homes, &path)?;
                Ok(Target::Note(path, copies))
            }
            None if self.runs.is_empty() && self.older_than.is_none() => {
                Err(Error::new("specify what to delete")
                    .hint("name runs, or an age (`--older-than 1y`), or a note (`--note NOTE`)"))
            }
            None => Ok(Target::Runs(self.chosen_runs(session)?)),
        }
    }

    fn chosen_runs(&self, session: &Session) -> Result<Vec<RunId>> {
        let history = History::new(session.vault.fs(), &session.homes);
        let (entries, problems) = history.list()?;
        let mut known: Vec<RunId> = entries.iter().map(|entry| entry.run.id.clone()).collect();
        // Unreadable records are deleted, too.
        known.extend(problems.into_iter().map(|(run, _)| run));
        let mut runs: Vec<RunId> = Vec::new();
        if self.runs.is_empty() {
            runs.clone_from(&known);
        }
        for run in &self.runs {
            runs.push(find_run(&known, run)?.clone());
        }
        if let Some(age) = &self.older_than {
            let until = moment_ago(&session.env, age)?;
            let at = |run: &RunId| {
                let mut entries = entries.iter();
                let entry = entries.find(|entry: &&FinishedRun| entry.run.id == *run);
                entry.map(|entry| entry.run.at).or_else(|| run.at())
            };
            runs.retain(|run| at(run).is_some_and(|at| at < until));
        }
        runs.sort_unstable();
        runs.dedup();
        Ok(runs)
    }

    fn purge(&self, session: &Session, target: Target) -> Result<PurgeReport> {
        let (vault, homes, info) = (&session.vault, &session.homes, session.env.run_info());
        let (path, mut copies) = match target {
            Target::Note(path, copies) => (path, copies),
            Target::Runs(runs) => {
                if !self.dry_run && !runs.is_empty() {
                    purge_runs(vault, homes, &runs, &info)?;
                }
                return Ok(PurgeReport {
                    dry_run: self.dry_run,
                    runs,
                    ..PurgeReport::default()
                });
            }
        };
        if !self.dry_run {
            // Before the copies, which identify the note after a crash.
            session.forget_uses(std::slice::from_ref(&path))?;
            copies = purge_note(vault, homes, &path, &info)?;
            stored::delete_all(session).map_err(|error| {
                Error::io("delete the reports of sleeps in", &homes.state, &error)
            })?;
            // Deleted words remain in index segments until a merge, so the index is always rebuilt.
            session.rebuild(&RebuildReason::Wanted)?;
        }
        Ok(PurgeReport {
            is_there: vault.absolute(&path).exists(),
            ..self.reply(&path, &copies)
        })
    }

    fn reply(&self, path: &VaultPath, copies: &NoteCopies) -> PurgeReport {
        let texts = copies.texts.iter().map(|(run, images)| RunTexts {
            run: run.clone(),
            texts: images.len(),
        });
        let files = copies.trashed.iter();
        let trashed = files.map(|one| format!("{}/{}", one.run, one.path));
        PurgeReport {
            dry_run: self.dry_run,
            note: Some(path.clone()),
            texts: texts.collect(),
            trashed: trashed.collect(),
            is_on_other_machines: copies.is_elsewhere,
            ..PurgeReport::default()
        }
    }
}

impl PurgeReport {
    fn is_without_copies(&self) -> bool {
        self.texts.is_empty() && self.trashed.is_empty()
    }

    /// Returns the number of copies of the note.
    fn summary(&self, path: &VaultPath) -> String {
        if self.is_without_copies() {
            return "the reports of sleeps".to_owned();
        }
        let total = self.texts.iter().map(|run| run.texts).sum();
        let texts = count(total, "text");
        let runs = count(self.texts.len(), "run");
        let whole = format!("{texts} of `{path}` from {runs}");
        match self.trashed.len() {
            0 => whole,
            1 => format!("{whole} and 1 copy from the trash"),
            many => format!("{whole} and {many} copies from the trash"),
        }
    }
}

impl Reply for PurgeReport {
    fn show(&self, page: &Page<'_>) {
        let done = |what: &str| act::outcome(&format!("delete {what}"), self.dry_run);
        let Some(path) = &self.note else {
            for run in &self.runs {
                page.line(&page.paint(Style::Title, run.as_str()));
            }
            let records = format!("the records of {}", count(self.runs.len(), "run"));
            page.say(&match (self.runs.is_empty(), self.dry_run) {
                (true, _) => "nothing to delete".to_owned(),
                (_, true) => done(&records),
                (_, false) => done(&records) + "; they can no longer be undone",
            });
            return;
        };
        page.line(&done(&self.summary(path)));
        if self.dry_run {
            return;
        }
        page.say("rebuilt the index");
        if self.is_on_other_machines {
            page.warn(&format!(
                "another machine removed some of it and has texts of its own; run `mem history purge \
                 --note` for `{path}` there too"
            ));
        }
        if self.is_there {
            page.hint(&format!("`{path}` itself was not changed"));
        }
    }
}

/// Returns the path that `name` names: of an existing note, or of one in history or trash.
fn path_of_name(session: &Session, name: &str) -> Result<VaultPath> {
    let (_cache, view) = session.fresh_view()?;
    let stands = view.at_file(&session.env.start.join(name))?;
    if stands.is_none() && view.named_whole(name)?.is_empty() {
        for text in [name.to_owned(), format!("{name}.md")] {
            if let Ok(path) = VaultPath::new(&text)
                && !note_copies(&session.vault, &session.homes, &path)?.is_empty()
            {
                return Ok(path);
            }
        }
    }
    Ok(find_note(&session.env, &view, name)?.path)
}

//! `mem trash`

use crate::change::purge::empty_trash;
use crate::change::trash::{list, read};
use crate::change::{History, TrashedNote};
use crate::commands::args::output_rows::keys;
use crate::commands::args::prompt::select_trashed;
use crate::commands::args::property_value::moment_ago;
use crate::commands::prelude::*;
use crate::output::size;
use crate::vault::{NoteText, ReadError};

/// List or empty the trash
///
/// Notes removed by a job or `mem rm` stay in `.mem/trash` until `mem trash empty`; `mem restore
/// NOTE` restores one.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TrashArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the notes in the trash with date, job, size and reason
    List(RowArgs),
    /// Permanently delete notes from the trash
    ///
    /// Asks for confirmation; without a terminal, pass `--yes`. On the machine that removed a note,
    /// `mem undo RUN` can still restore it until `mem history purge`.
    ///
    /// Example: `mem trash empty --older-than 30d` deletes old entries.
    Empty(EmptyTrashRequest),
}

#[derive(Debug, clap::Args)]
pub struct EmptyTrashRequest {
    /// Files of the trash, or the runs that removed them
    #[arg(value_name = "FILE|RUN")]
    pub names: Vec<String>,
    /// Only notes removed longer ago than this: `30d`, `2w`, `6m`, `1y`
    #[arg(long, value_name = "AGE")]
    pub older_than: Option<String>,
    /// Do not ask for confirmation
    #[arg(short, long)]
    pub yes: bool,
    /// Preview what would be deleted
    #[arg(long)]
    pub dry_run: bool,
}

/// All keys of a [`TrashedRecord`].
const KEYS: &str = "path run at job reason bytes";

#[derive(Debug, Serialize, JsonSchema)]
pub struct TrashedRecord {
    path: VaultPath,
    run: RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    bytes: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TrashList {
    notes: Vec<TrashedRecord>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct EmptiedTrash {
    dry_run: bool,
    deleted: Vec<TrashedRecord>,
    /// Number of notes that an undo on this machine can still restore.
    #[serde(skip)]
    restorable: usize,
}

impl TrashArgs {
    /// Lists or empties the trash.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        let rows = match &self.action {
            Some(Action::List(rows)) => rows,
            Some(Action::Empty(request)) => return request.run(env),
            None => &self.rows,
        };
        TrashListRequest {}.run(&rows.environment(env, keys(KEYS))?)
    }
}

/// The request for the content of the trash.
#[derive(Debug)]
pub struct TrashListRequest {}

impl Request for TrashListRequest {
    type Reply<'s> = TrashList;

    fn answer(&self, session: &Session) -> Result<TrashList> {
        let all = list(&session.vault)?;
        let notes = all.iter().map(|one| TrashedRecord::of(session, one));
        Ok(TrashList {
            notes: notes.collect(),
        })
    }
}

impl Reply for TrashList {
    fn show(&self, page: &Page<'_>) {
        for note in &self.notes {
            note.show(page);
        }
        if !self.notes.is_empty() {
            page.hint("restore one with `mem restore NOTE`");
        }
    }

    list!(notes, "the trash is empty");
}

/// Trashed notes to delete.
struct Selection {
    notes: Vec<TrashedNote>,
    /// Number of those that an undo on this machine can still restore.
    restorable: usize,
}

impl EmptyTrashRequest {
    fn select(&self, session: &Session) -> Result<Selection> {
        let all = list(&session.vault)?;
        let mut notes = Vec::new();
        for name in &self.names {
            let found = select_trashed(&session.env, &all, name)?;
            if found.is_empty() {
                return Err(Error::new(format!("no note `{name}` in the trash"))
                    .hint("`mem trash` lists the trash"));
            }
            for one in found {
                if !notes.contains(&one) {
                    notes.push(one);
                }
            }
        }
        if self.names.is_empty() {
            notes = all;
        }
        if let Some(age) = &self.older_than {
            let until = moment_ago(&session.env, age)?;
            // Without a recorded date, the time of the run counts.
            notes.retain(|one| {
                let record = one.record.as_ref();
                let at: Option<Timestamp> = record.and_then(|record| record.at.parse().ok());
                at.or_else(|| one.run.at()).is_some_and(|at| at < until)
            });
        }
        // Only the machine that removed a note can undo that.
        let runs = History::new(session.vault.fs(), &session.homes).known()?;
        let restorable = notes.iter().filter(|one| runs.contains(&one.run)).count();
        Ok(Selection { notes, restorable })
    }

    fn delete(&self, session: &Session, selection: &Selection) -> Result<EmptiedTrash> {
        let Selection { notes, restorable } = selection;
        let records = notes.iter().map(|one| TrashedRecord::of(session, one));
        let deleted: Vec<TrashedRecord> = records.collect();
        if !self.dry_run && !notes.is_empty() {
            let mut gone: Vec<VaultPath> = notes.iter().map(|one| one.path.clone()).collect();
            // The usage of an existing note at the same path is kept.
            gone.retain(|path| !session.vault.absolute(path).exists());
            // Before the notes, which identify the usage records after a crash.
            session.forget_uses(&gone)?;
            let info = session.env.run_info();
            empty_trash(&session.vault, &session.homes, notes, &info)?;
        }
        Ok(EmptiedTrash {
            dry_run: self.dry_run,
            deleted,
            restorable: *restorable,
        })
    }
}

impl Request for EmptyTrashRequest {
    type Reply<'s> = EmptiedTrash;

    fn answer(&self, session: &Session) -> Result<EmptiedTrash> {
        self.delete(session, &self.select(session)?)
    }

    fn run(&self, env: &Environment) -> Result<Exit> {
        let session = env.open()?;
        let selection = self.select(&session)?;
        let Selection { notes, restorable } = &selection;
        if !self.dry_run && !notes.is_empty() {
            let what = format!("delete {} from the trash", count(notes.len(), "note"));
            let then = match *restorable {
                0 => "afterwards they cannot be restored, except on the machine that removed them"
                    .to_owned(),
                all if all == notes.len() => {
                    "afterwards only `mem undo RUN` can restore them".to_owned()
                }
                some => format!(
                    "afterwards only `mem undo RUN` can restore them, {some} here and the others on the machine \
                     that removed them"
                ),
            };
            if !confirmed(env, self.yes, &what, Some(&then))? {
                env.output.say("nothing was deleted");
                return Ok(Exit::Done);
            }
        }
        session.env.print(&self.delete(&session, &selection)?)
    }
}

impl Reply for EmptiedTrash {
    fn show(&self, page: &Page<'_>) {
        if self.deleted.is_empty() {
            page.say("nothing to delete");
            return;
        }
        for note in &self.deleted {
            note.show(page);
        }
        let notes = count(self.deleted.len(), "note");
        let title = format!("delete {notes} from the trash");
        page.say(&act::outcome(&title, self.dry_run));
        if self.dry_run {
            return;
        }
        if self.restorable > 0 {
            page.hint("`mem undo RUN` can still restore them until `mem history purge RUN`");
        }
        if self.restorable < self.deleted.len() {
            let elsewhere = count(self.deleted.len() - self.restorable, "note");
            page.hint(&format!(
                "{elsewhere} can be restored only on the machine that removed them"
            ));
        }
    }
}

impl TrashedRecord {
    fn of(session: &Session, trashed: &TrashedNote) -> Self {
        let TrashedNote { run, path, record } = trashed;
        let record = record.as_ref();
        Self {
            path: path.clone(),
            run: run.clone(),
            at: record.map(|record| record.at.clone()),
            job: record.map(|record| record.job.clone()),
            reason: record.map(|record| record.reason.clone()),
            bytes: match read(&session.vault, trashed) {
                Ok(NoteText { stat, .. }) | Err(ReadError::NotText { stat, .. }) => stat.size,
                Err(_) => 0,
            },
        }
    }

    fn show(&self, page: &Page<'_>) {
        let time = self.at.as_ref().and_then(|at| at.parse().ok());
        let at = time.map_or_else(|| "unknown date".to_owned(), |at| page.local_time(at));
        page.line(&format!(
            "{}  {at}  {}  {}  {}",
            page.paint(Style::Title, self.run.as_str()),
            page.clean(self.job.as_deref().unwrap_or("?")),
            size(self.bytes),
            page.paint(Style::Place, self.path.as_str()),
        ));
        if let Some(reason) = &self.reason {
            page.row(&format!("  {}", page.clean(reason)));
        }
    }
}

//! `mem tasks`

use crate::commands::prelude::*;
use crate::note::markdown::tasks::{Task, tasks};

/// List tasks, or toggle one
///
/// Accepts queries as in `mem search`; without one, lists the tasks of all notes. A task is a list
/// item that begins with `[ ]`. Tasks with a due date, as `📅 2026-01-31` or `[due:: 2026-01-31]`,
/// come first. Exits with 1 if there are none.
#[derive(Debug, clap::Args)]
pub struct TasksRequest {
    /// Query for the notes
    #[arg(value_parser = query_text())]
    pub query: Vec<String>,
    #[command(flatten)]
    pub(crate) only: NoteFilter,
    /// List done tasks instead of open ones
    #[arg(long, conflicts_with = "all")]
    pub done: bool,
    /// List both open and done tasks
    #[arg(long)]
    pub all: bool,
    /// List at most N
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
    /// Toggle the task in this line; `mem undo` reverts it
    #[arg(
        long,
        value_name = "NOTE:LINE",
        conflicts_with_all = ["query", "tags", "types", "folders", "done", "all", "limit"]
    )]
    pub toggle: Option<String>,
    /// Fail unless the text of the task is TEXT
    #[arg(long, value_name = "TEXT", requires = "toggle")]
    pub text: Option<String>,
    /// Preview the change without making it
    #[arg(long, requires = "toggle")]
    pub dry_run: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct TaskList {
    tasks: Vec<TaskRecord>,
    #[serde(skip)]
    empty_message: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct TaskRecord {
    path: VaultPath,
    line: usize,
    done: bool,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    due: Option<String>,
}

impl Request for TasksRequest {
    type Reply<'s> = Either<TaskList, ChangeReport>;

    fn answer(&self, session: &Session) -> Result<Self::Reply<'_>> {
        Ok(match &self.toggle {
            Some(place) => Either::Right(toggle(session, self, place)?),
            None => Either::Left(list(session, self)?),
        })
    }
}

impl Reply for TaskList {
    fn show(&self, page: &Page<'_>) {
        for task in &self.tasks {
            let place = page.place_at(task.path.as_str(), task.line);
            let sign = if task.done { "[x] " } else { "" };
            page.row(&format!("{place}  {sign}{}", page.clean(&task.text)));
        }
    }

    list!(tasks);

    fn empty_message(&self) -> &'static str {
        self.empty_message
    }
}

fn list(session: &Session, request: &TasksRequest) -> Result<TaskList> {
    let selection = selected(session, &request.only.with(&request.query))?;
    let (open, done) = (!request.done, request.done || request.all);
    let mut found: Vec<(VaultPath, Task)> = Vec::new();
    for entry in selection.entries {
        // The catalog stores which notes have tasks.
        let flags = entry.row.flags;
        let has_any = open && flags.has(Flags::OPEN_TASK) || done && flags.has(Flags::DONE_TASK);
        if !has_any {
            continue;
        }
        let Ok(file) = session.vault.read(&entry.path) else {
            continue;
        };
        let body = note::front_matter::split::split(&file.text).body.start;
        let all_tasks = tasks(&file.text, body).into_iter();
        let wanted = all_tasks.filter(|task| if task.done { done } else { open });
        found.extend(wanted.map(|task| (entry.path.clone(), task)));
    }
    found.sort_by_key(|(_, task)| (task.due.is_none(), task.due));
    let limit = request.limit.unwrap_or(usize::MAX);
    let tasks = found
        .into_iter()
        .take(limit)
        .map(|(path, task)| TaskRecord {
            path,
            line: task.line,
            done: task.done,
            text: task.text,
            due: task.due.map(|due| due.to_string()),
        });
    Ok(TaskList {
        tasks: tasks.collect(),
        empty_message: match (request.done, request.all) {
            (true, _) => "no completed tasks",
            (_, true) => "no tasks",
            _ => "no open tasks",
        },
    })
}

fn toggle(session: &Session, request: &TasksRequest, place: &str) -> Result<ChangeReport> {
    let pair = place.rsplit_once(':');
    let parts = pair.and_then(|(name, line)| Some((name, line.parse::<usize>().ok()?)));
    let Some((name, line)) = parts else {
        let error = Error::new(format!("`{place}` does not name a line of a note"));
        return Err(error.hint("`mem tasks` shows them as NOTE:LINE"));
    };
    let (cache, view) = session.fresh_view()?;
    let note = find_note(&session.env, &view, name)?.path;
    let file = session.vault.read(&note)?;
    let body = note::front_matter::split::split(&file.text).body.start;
    let mut tasks = tasks(&file.text, body).into_iter();
    let Some(task) = tasks.find(|task| task.line == line) else {
        let error = Error::new(format!("no task in line {line} of `{note}`"));
        return Err(error.hint("the note may have changed; `mem tasks` shows where they are now"));
    };
    if let Some(text) = request.text.as_deref().map(str::trim)
        && text != task.text
    {
        let text = &task.text;
        let error = Error::new(format!(
            "the task in line {line} of `{note}` reads `{text}`"
        ));
        return Err(error.hint("the note changed; `mem tasks` shows where they are now"));
    }
    let mark = if task.done { " " } else { "x" };
    let edits = vec![Edit::replace(&file.text, task.mark, mark)];
    let did = if task.done { "untick" } else { "tick" };
    let title = format!("{did} line {line} of {note}");
    let group = acts::manual_group(&view, did, &[Act::Edit { note, edits }])?;
    drop(view);
    let groups = vec![Group { title, ..group }];
    change_report::make(session, cache, "tasks", groups, request.dry_run)
}

//! `mem history`

use super::history_purge::PurgeRequest;
use crate::commands::args::note_lookup::find_note_or_past;
use crate::commands::args::output_rows::keys;
use crate::commands::prelude::*;
use crate::output::time_ago;
use crate::run::history::{RunFilter, RunRecord};
use crate::run::sync::published::RecordedRun;

/// List the runs that changed notes, or show one
///
/// `mem undo RUN` undoes a run. If several runs changed the same text, undo the newest first. A run
/// is named by its short id, its id or a prefix of its id.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HistoryArgs {
    #[command(subcommand)]
    action: Option<Action>,
    #[command(flatten)]
    request: HistoryRequest,
    #[command(flatten)]
    rows: RowArgs,
}

#[derive(Debug, clap::Args)]
pub struct HistoryRequest {
    /// The run to show
    pub run: Option<String>,
    /// Only runs of this job
    #[arg(long, value_name = "JOB")]
    pub job: Option<String>,
    /// Only runs that changed this note, under any of its names
    #[arg(long, value_name = "NOTE")]
    pub note: Option<String>,
    /// List at most N [default: 20]
    #[arg(short = 'n', long, value_name = "N")]
    pub limit: Option<usize>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    Purge(PurgeRequest),
}

/// Maximum number of listed runs without `--limit`.
const MAX_RUNS: usize = 20;

/// All keys of a [`RunRecord`].
const KEYS: &str = "run short at job what notes command processed duration_seconds undoes undone_by changes standing groups";

#[derive(Debug, Serialize, JsonSchema)]
pub struct RunList {
    runs: Vec<RunRecord>,
    /// The time of each run.
    #[serde(skip)]
    times: Vec<Timestamp>,
    /// Whether a single run is shown in full.
    #[serde(skip)]
    is_whole: bool,
    #[serde(skip)]
    job: Option<String>,
    /// Whether older runs are left out.
    #[serde(skip)]
    has_more: bool,
}

impl HistoryArgs {
    /// Lists runs, or purges them.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        match &self.action {
            Some(Action::Purge(request)) => request.run(env),
            None => self.request.run(&self.rows.environment(env, keys(KEYS))?),
        }
    }
}

impl Request for HistoryRequest {
    type Reply<'s> = RunList;

    fn answer(&self, session: &Session) -> Result<RunList> {
        let note = self.note.as_ref();
        let found = self.run.as_ref().map(|run| RecordedRun::find(session, run));
        let named = found.transpose()?;
        let source = named.as_ref().map_or(&session.homes, |run| &run.homes);
        let filter = RunFilter {
            run: named.as_ref().map(|run| run.id.clone()),
            job: self.job.clone(),
            note: note
                .map(|name| find_note_or_past(session, name))
                .transpose()?,
            limit: self.limit.unwrap_or(MAX_RUNS + 1),
        };
        let (mut times, mut runs): (Vec<_>, Vec<_>) =
            filter.records(session, source)?.into_iter().unzip();
        let has_more = self.limit.is_none() && runs.len() > MAX_RUNS;
        if has_more {
            times.truncate(MAX_RUNS);
            runs.truncate(MAX_RUNS);
        }
        Ok(RunList {
            runs,
            times,
            is_whole: self.run.is_some(),
            job: self.job.clone(),
            has_more,
        })
    }
}

impl Reply for RunList {
    fn show(&self, page: &Page<'_>) {
        if self.is_whole {
            return self.runs.iter().for_each(|run| show_run(page, run));
        }
        let lines = self.times.iter().zip(&self.runs).map(|(at, run)| {
            let mark = match (&run.undone_by, run.standing) {
                (Some(_), _) => String::from(" (undone)"),
                (None, standing) if standing < run.changes => {
                    format!(" (undone except {})", count(standing, "change"))
                }
                (None, _) => String::new(),
            };
            [
                run.short.clone(),
                time_ago(*at, page.now),
                format!("{}{mark}", run.what),
            ]
        });
        show_columns(page, &lines.collect::<Vec<_>>());
        if self.has_more {
            page.hint("older runs are not shown: `mem history -n 100`");
        }
        if self.runs.is_empty() {
            match &self.job {
                Some(job) => {
                    page.say(&format!("no runs of `{job}`"));
                    page.hint("`mem history` lists all runs, `mem help jobs` the jobs");
                }
                None => page.say("no changes yet"),
            }
        }
    }

    list!(runs);
}

/// Writes a line per run in columns; on a terminal each line is cut to one row.
fn show_columns(output: &Output, lines: &[[String; 3]]) {
    let widest = |column: usize| lines.iter().map(|line| width(&line[column])).max();
    let [ids, times] = [0, 1].map(|column| widest(column).unwrap_or(0));
    let [screen, _] = Terminal::size();
    let room = screen.saturating_sub(ids + times + 2 * GAP.len());
    for [id, when, what] in lines {
        let what = output.clean(what);
        output.line(&format!(
            "{}{}{GAP}{when}{}{GAP}{}",
            output.paint(Style::Title, id),
            fill(id, ids),
            fill(when, times),
            if output.stdout_is_terminal {
                cut(&what, room, CutSide::End)
            } else {
                what
            }
        ));
    }
}

/// Shows a run in full.
fn show_run(output: &Page<'_>, record: &RunRecord) {
    let parsed = record.at.parse();
    let at = parsed.map_or_else(|_| record.at.clone(), |at| output.local_time(at));
    let mut line = format!(
        "{}{GAP}{at}{GAP}{}{GAP}{}",
        output.paint(Style::Title, &record.run),
        record.job,
        count(record.changes, "change"),
    );
    if let Some(by) = &record.undone_by {
        line.push_str(&output.paint(Style::Faint, &format!("  undone by {by}")));
    } else if record.standing < record.changes {
        let undone = format!("  {} undone", record.changes - record.standing);
        line.push_str(&output.paint(Style::Faint, &undone));
    }
    if let Some(run) = &record.undoes {
        line.push_str(&output.paint(Style::Faint, &format!("  undoes {run}")));
    }
    output.line(&line);
    output.line(&format!("  {}", output.clean(&record.command)));
    if let (Some(processed), Some(seconds)) = (record.processed, record.duration_seconds) {
        let job = JOBS.iter().find(|job| job.name == record.job);
        let (noun, verb) = job.map_or(("note", "checked"), |job| job.looks);
        let processed = count(processed as usize, noun);
        output.line(&format!("  {processed} {verb} in {seconds:.1} s"));
    }
    for group in &record.groups {
        output.line(&format!(
            "  {}{} ({})",
            match (group.applied, group.stands) {
                (false, _) => "not done: ",
                (true, false) if record.undone_by.is_none() => "undone: ",
                _ => "",
            },
            output.clean(&group.title),
            output.clean(group.why.as_ref().unwrap_or(&group.reason))
        ));
        for file in &group.files {
            output.line(&format!("    {}", output.place(file)));
        }
    }
}

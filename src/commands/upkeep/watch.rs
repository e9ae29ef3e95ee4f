//! `mem watch`

use indicatif::HumanCount;

use crate::commands::prelude::*;
use crate::run::watch::watch_event::{SyncMethod, WatchEvent};
use crate::run::watch::watcher::watch;

// No request: it prints events as they happen until it is stopped.
/// Update the index as you write
///
/// Runs until stopped and prints each changed note; with `--jsonl` or `--json` one object per line.
/// After `watch.quiet` without changes it also runs due jobs, as `mem sleep` does. It is optional:
/// every command updates the index itself. Run one per vault. On network drives it polls all notes
/// every few seconds.
#[derive(Debug, clap::Args)]
pub struct WatchArgs {
    /// Run no jobs, only update the index
    #[arg(long)]
    no_sleep: bool,
}

/// Maximum number of notes named per batch.
const MAX_NAMED_NOTES: usize = 5;

impl WatchArgs {
    /// Watches the vault.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        let mut env = env.clone();
        if env.output.form == Form::Json {
            // A single document would never end.
            env.output.form = Form::JsonLines;
        }
        watch(env.open()?, !self.no_sleep, &show)?;
        Ok(Exit::Done)
    }
}

/// Prints an event immediately.
fn show(env: &Environment, event: &WatchEvent<'_>) -> Result<()> {
    let output = &env.output;
    if output.form != Form::Human {
        output.record(event);
    } else if !output.quiet {
        for line in lines(event, env) {
            output.line(&line);
        }
    }
    output.flush()
}

fn lines(event: &WatchEvent<'_>, env: &Environment) -> Vec<String> {
    let output = &env.output;
    let now = env.now.strftime("%H:%M:%S").to_string();
    let time = output.paint(Style::Faint, &now);
    match event {
        WatchEvent::Started {
            notes,
            folders,
            how,
        } => {
            let (notes, folders) = (count(*notes, "note"), count(*folders, "folder"));
            vec![match how {
                SyncMethod::Events => format!("{time}  watching {notes} in {folders}"),
                SyncMethod::Polling => format!("{time}  watching {notes}"),
            }]
        }
        WatchEvent::Indexed {
            added,
            changed,
            moved,
            removed,
            ..
        } => {
            let place = |path: &str| output.place(path);
            let all = added.len() + changed.len() + moved.len() + removed.len();
            let named = (added.iter().map(|path| ("added  ", path)))
                .chain(changed.iter().map(|path| ("changed", path)))
                .map(|(what, path)| format!("{time}  {what} {}", place(path.as_str())))
                .chain(moved.iter().map(|(from, to)| {
                    format!("{time}  moved   {} to {}", place(from), place(to.as_str()))
                }))
                .chain(
                    removed
                        .iter()
                        .map(|path| format!("{time}  removed {}", place(path))),
                );
            let mut lines: Vec<String> = named.take(MAX_NAMED_NOTES).collect();
            if all > lines.len() {
                lines.push(format!(
                    "{time}  and {} more",
                    HumanCount((all - lines.len()) as u64)
                ));
            }
            lines
        }
        WatchEvent::Slept { jobs, open, .. } => jobs
            .iter()
            .filter_map(|job| {
                let words = match (&job.error, job.changed, &job.run) {
                    (Some(error), _, _) => format!("failed: {}", output.clean(error)),
                    (None, 0, _) => return None,
                    (None, number, Some(run)) => {
                        let changes = count(number, "change");
                        format!("{changes} (undo: mem undo {})", output.clean(short_id(run)))
                    }
                    (None, number, None) => count(number, "change"),
                };
                Some(format!("{time}  {} {words}", output.clean(&job.name)))
            })
            .chain(open.hint().map(|words| format!("{time}  {words}")))
            .collect(),
        // Already reported by the rebuild.
        WatchEvent::Rebuilt { .. } => Vec::new(),
        WatchEvent::Polling { why } => {
            vec![format!("{time}  polling all notes: {}", output.clean(why))]
        }
        WatchEvent::Stopped => vec![format!("{time}  stopped")],
    }
}

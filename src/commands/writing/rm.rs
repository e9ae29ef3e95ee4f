//! `mem rm`

use serde::Serialize;

use crate::cache::row::Flags;
use crate::change::acts;
use crate::commands::args::by_hand;
use crate::commands::args::by_hand::Done;
use crate::commands::args::note_lookup::find_note;
use crate::error::{Error, Exit};
use crate::finding::act::Act;
use crate::finding::plan::Group;
use crate::output::{Form, count, shell_word};
use crate::session::Environment;
use crate::view::{Entry, View};

/// Move notes to the trash
///
/// The note goes to `.mem/trash` unchanged, with the reason; nothing is deleted. `mem restore NOTE`
/// restores it, `mem trash` lists the trash, `mem trash empty` empties it. Links to the note are reported
/// and stay as they are.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The notes
    #[arg(required = true, value_name = "NOTE")]
    notes: Vec<String>,
    /// Reason, shown in the trash
    #[arg(long, value_name = "TEXT", default_value = "removed by hand")]
    reason: String,
    /// Also remove notes marked `keep: true`
    #[arg(short, long)]
    force: bool,
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    done: &'a Done,
    /// The notes whose links to a removed one lead nowhere now.
    still_linked: &'a [Linked],
}

#[derive(Debug, Serialize)]
struct Linked {
    note: String,
    from: Vec<String>,
}

/// How many linking notes a warning names.
const NAMED: usize = 5;

/// Moves them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let session = env.open()?;
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let mut entries: Vec<Entry> = Vec::new();
    for name in &args.notes {
        let entry = find_note(env, &view, name)?;
        if entry.row.flags.has(Flags::KEEP) && !args.force {
            return Err(
                Error::new(format!("`{}` is marked `keep: true`", entry.path)).hint(format!(
                    "`mem rm --force` removes it anyway; `mem edit --no-keep {}` removes the mark",
                    shell_word(entry.path.as_str())
                )),
            );
        }
        if !entries.iter().any(|known| known.slot == entry.slot) {
            entries.push(entry);
        }
    }
    let still_linked = still_linked(&view, &entries)?;
    let groups = entries.iter().map(|entry| {
        let (note, reason) = (entry.path.clone(), args.reason.clone());
        acts::by_hand(&view, &args.reason, &[Act::Trash { note, reason }])
    });
    let groups = groups.collect::<Result<Vec<Group>, _>>()?;
    drop(view);
    let done = by_hand::make(&session, cache, "rm", groups, args.dry_run)?;
    let output = &env.output;
    if output.form == Form::Human {
        done.show(output)?;
    } else {
        output.record(&Record {
            done: &done,
            still_linked: &still_linked,
        })?;
    }
    for Linked { note, from } in &still_linked {
        let mut names = from
            .iter()
            .take(NAMED)
            .cloned()
            .collect::<Vec<_>>()
            .join(", ");
        if from.len() > NAMED {
            names = format!("{names} and {} more", from.len() - NAMED);
        }
        let link = if from.len() == 1 { "links" } else { "link" };
        let notes = count(from.len(), "note");
        output.warn(&format!("{notes} still {link} to `{note}`: {names}"));
    }
    done.end(output)
}

/// For each of the notes, those that link to it and stay.
fn still_linked(view: &View<'_>, entries: &[Entry]) -> Result<Vec<Linked>, Error> {
    let mut still = Vec::new();
    for entry in entries {
        let mut from = view.linking_to(entry)?;
        from.retain(|source| entries.iter().all(|gone| gone.slot != source.slot));
        if !from.is_empty() {
            still.push(Linked {
                note: entry.path.to_string(),
                from: from.iter().map(|source| source.path.to_string()).collect(),
            });
        }
    }
    Ok(still)
}

//! `mem mv`

use serde::Serialize;

use super::by_hand::{self, Done};
use super::goal::Goal;
use super::which_note::which_note;
use crate::error::{Error, Exit};
use crate::finding::plan::{Change, Group};
use crate::note::edit::Edit;
use crate::note::path::VaultPath;
use crate::output::{Form, count};
use crate::session::{Environment, Session};
use crate::vault::guard::Refused;
use crate::view::repoint::{RepointError, Shift};
use crate::view::{Entry, TextError};

/// Rename a note, or move notes into a folder, and every link with them
///
/// Links, embeds and relations of other notes follow, in the form in which they were written, with
/// their labels and headings; so do the relative links and pictures of the note itself, and links that
/// the new name would catch keep their goal. All of it is one change: it is made as a whole or not at
/// all. `mem mv 'Chose SQLite' 'decisions/Chose Postgres'` renames, `mem mv a.md b.md archive/` moves.
///
/// DEST is taken from the folder you are in if that leads to an existing folder, else from the vault's
/// root; `.md` may be left out. Titles and headings stay as they are.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The notes, then the new name, or the folder to move them into
    #[arg(required = true, num_args = 2.., value_names = ["NOTE", "DEST"])]
    names: Vec<String>,
    /// Show what would change, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Record<'a> {
    #[serde(flatten)]
    done: &'a Done,
    moved: &'a [Moved],
    /// How many links were written anew, and in how many notes.
    links: usize,
    linking: usize,
}

#[derive(Debug, Serialize)]
struct Moved {
    from: String,
    to: String,
}

/// Moves them.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let (dest, notes) = args
        .names
        .split_last()
        .ok_or_else(|| Error::new("name a note and where it goes"))?;
    let session = env.open()?;
    // Every link counts, also one that was written a moment ago.
    let cache = if env.no_sync {
        session.cache()?
    } else {
        session.index()?.0
    };
    let view = session.view(&cache)?;
    let mut entries: Vec<Entry> = Vec::new();
    for name in notes {
        let entry = which_note(env, &view, name)?;
        if !entries.iter().any(|known| known.slot == entry.slot) {
            entries.push(entry);
        }
    }
    let goal = Goal::of(&session, dest)?;
    let mut moves: Vec<(Entry, VaultPath)> = Vec::new();
    for entry in entries {
        let to = goal.of_note(&entry.path, notes.len() > 1)?;
        if let Some((other, _)) = moves.iter().find(|(_, taken)| *taken == to) {
            return Err(Error::new(format!(
                "`{}` and `{}` cannot both become `{to}`",
                other.path, entry.path
            )));
        }
        if to == entry.path {
            env.output.say(&format!("`{to}` is there already"));
            continue;
        }
        // Through a link on the way it is another place: that is the one that links name.
        let to = session
            .vault
            .vacant_for(&to, Some(&entry.path))
            .map_err(|why| refused(&entry.path, &to, &why))?;
        moves.push((entry, to));
    }
    let edits = Shift::moving(&view, &moves)
        .edits()
        .map_err(cannot_follow)?;
    let (links, linking) = (
        edits.iter().map(|(_, edits)| edits.len()).sum(),
        edits.len(),
    );
    let names: Vec<Moved> = moves
        .iter()
        .map(|(entry, to)| Moved {
            from: entry.path.to_string(),
            to: to.to_string(),
        })
        .collect();
    let groups = group(moves, edits).into_iter().collect();
    drop(view);
    let done = by_hand::make(&session, cache, "mv", groups, args.dry_run)?;
    let (links, linking) = if done.is_any() {
        (links, linking)
    } else {
        (0, 0)
    };
    let output = &env.output;
    if output.form == Form::Human {
        done.tell(output)?;
        if links > 0 {
            let follow = if args.dry_run {
                "would follow"
            } else {
                "followed"
            };
            let (links, notes) = (count(links, "link"), count(linking, "note"));
            output.say(&format!("{links} in {notes} {follow}"));
        }
    } else {
        output.record(&Record {
            done: &done,
            moved: &names,
            links,
            linking,
        })?;
    }
    if !args.dry_run {
        warn_of_hidden(&session, &names)?;
    }
    done.end(output)
}

/// Says which of the notes the index does not see in their new place.
fn warn_of_hidden(session: &Session, moved: &[Moved]) -> Result<(), Error> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    for Moved { to, .. } in moved {
        let path = VaultPath::new(to).map_err(|error| Error::new(error.to_string()))?;
        if session.vault.absolute(&path).exists() && view.at(&path)?.is_none() {
            session.env.output.warn(&format!(
                "`{to}` lies where `.gitignore`, `.memignore` or Obsidian's settings keep notes out: \
                 mem does not see it any more"
            ));
        }
    }
    Ok(())
}

/// The one group of all of it; none if nothing moves.
fn group(moves: Vec<(Entry, VaultPath)>, edits: Vec<(Entry, Vec<Edit>)>) -> Option<Group> {
    let title = match moves.as_slice() {
        [] => return None,
        [(entry, to)] if entry.path.folder() == to.folder() => {
            format!("rename {} to {to}", entry.path)
        }
        [(entry, to)] => format!("move {} to {to}", entry.path),
        [(_, to), ..] => {
            let notes = count(moves.len(), "note");
            format!("move {notes} to {}/", to.folder())
        }
    };
    let mut changes: Vec<Change> = moves
        .into_iter()
        .map(|(entry, to)| Change::Move {
            path: entry.path,
            base: entry.row.content,
            to,
            edits: Vec::new(),
        })
        .collect();
    for (entry, made) in edits {
        let own = changes
            .iter_mut()
            .find(|change| change.path() == &entry.path);
        if let Some(Change::Move { edits, .. }) = own {
            *edits = made;
        } else {
            changes.push(Change::Edit {
                path: entry.path,
                base: entry.row.content,
                edits: made,
            });
        }
    }
    Some(Group {
        title,
        reason: "asked to".to_owned(),
        question: None,
        edges: Vec::new(),
        changes,
    })
}

fn refused(from: &VaultPath, to: &VaultPath, why: &Refused) -> Error {
    let error = Error::new(format!("cannot move `{from}` to `{to}`: {why}"));
    match why {
        Refused::Exists => error.hint("choose another name, or `mem rm` what stands there"),
        Refused::NotANoteName => {
            error.hint("hidden names and control characters are not for notes")
        }
        _ => error,
    }
}

fn cannot_follow(error: RepointError) -> Error {
    match error {
        RepointError::Cache(error) => error.into(),
        RepointError::Text(error @ TextError::Changed(_)) => {
            Error::new(format!("nothing was moved: {error}"))
                .hint("`mem index` takes it in; then move again")
        }
        RepointError::Text(error) => Error::new(format!("nothing was moved: {error}")),
        error @ RepointError::Unreadable(_) => Error::new(format!("nothing was moved: {error}"))
            .hint("mend its front matter, then move again"),
        error @ RepointError::Unnameable { .. } => {
            Error::new(format!("nothing was moved: {error}"))
                .hint("a wikilink knows no `#`, `|`, `[` and `]` in a name, and no difference in case: choose another")
        }
    }
}

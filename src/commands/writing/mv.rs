//! `mem mv`

use serde::Serialize;

use super::mv_section;
use crate::change::acts;
use crate::commands::args::by_hand;
use crate::commands::args::by_hand::Done;
use crate::commands::args::destination::{Destination, cannot_follow, refused, warn_of_signs};
use crate::commands::args::note_lookup::find_note;
use crate::error::{Error, Exit};
use crate::finding::act::Act;
use crate::finding::plan::{Change, Group};
use crate::note::path::VaultPath;
use crate::output::{Form, count};
use crate::session::{Environment, Session};
use crate::view::{Entry, View};

/// Rename a note, or move notes, and every link with them
///
/// Links, embeds and relations of other notes follow, in the form in which they were written, with
/// their labels and headings; so do the relative links and pictures of the note itself. Links that the
/// new name would capture still lead where they did. All of it is one change, made whole or not at all.
///
/// A note that you call by its name is renamed in its folder: `mem mv attention 'Paying attention'`. Otherwise
/// DEST is taken from the folder you are in if that leads to an existing folder, else from the vault's root;
/// `.md` may be left out. Titles and headings stay as they are.
///
/// `NOTE#HEADING` makes a note of the section with this heading and all below it, byte for byte but for links; a
/// link stands in its place, and links to what it holds follow.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The notes, then the new name, or the folder to move them into
    #[arg(required = true, num_args = 2.., value_names = ["NOTE", "DEST"])]
    names: Vec<String>,
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Of a section: show it where it was
    #[arg(long)]
    embed: bool,
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
    let (dest, notes) = args.names.split_last().expect("two or more are required");
    let session = env.open()?;
    if let Some((note, heading)) = section(&session, notes) {
        let wanted = mv_section::Wanted {
            note,
            heading,
            dest,
            embed: args.embed,
            dry_run: args.dry_run,
        };
        return mv_section::run(&session, &wanted);
    }
    if args.embed {
        return Err(
            Error::new("`--embed` is for a section").hint("`mem mv NOTE#HEADING NEW --embed`")
        );
    }
    let (cache, report) = session.whole_cache()?;
    let view = session.view(&cache)?;
    let mut entries: Vec<Entry> = Vec::new();
    for name in notes {
        let entry = find_note(env, &view, name)?;
        if !entries.iter().any(|known| known.slot == entry.slot) {
            entries.push(entry);
        }
    }
    let stems: Vec<&str> = entries.iter().map(|entry| entry.path.stem()).collect();
    session.warn_of_unread(report, &stems);
    let goal = match (&entries[..], notes) {
        ([entry], [name]) => Destination::beside(&session, dest, name, &entry.path)?,
        _ => Destination::of(&session, dest)?,
    };
    let mut moves: Vec<(Entry, VaultPath)> = Vec::new();
    for entry in entries {
        let to = goal.of_note(&entry.path, notes.len() > 1)?;
        if let Some((other, _)) = moves.iter().find(|(_, taken)| *taken == to) {
            return Err(Error::new(format!(
                "`{}` and `{}` cannot both become `{to}`",
                other.path, entry.path
            ))
            .hint("rename one of them first"));
        }
        if to == entry.path {
            env.output
                .say(&format!("`{to}` is there already; nothing was moved"));
            continue;
        }
        // Through a link on the way it is another place: that is the one that links name.
        let to = session
            .vault
            .vacant_for(&to, Some(&entry.path))
            .map_err(|why| refused(&entry.path, &to, &why))?;
        warn_of_signs(&env.output, &entry.path, &to);
        moves.push((entry, to));
    }
    let names: Vec<Moved> = moves
        .iter()
        .map(|(entry, to)| Moved {
            from: entry.path.to_string(),
            to: to.to_string(),
        })
        .collect();
    let group = group(&view, moves)?;
    let changes = group.iter().flat_map(|group| &group.changes);
    let edits = changes.filter_map(|change| match change {
        Change::Edit { edits, .. } | Change::Move { edits, .. } if !edits.is_empty() => {
            Some(edits.len())
        }
        _ => None,
    });
    let (links, linking) = edits.fold((0, 0), |(links, notes), some| (links + some, notes + 1));
    let groups = group.into_iter().collect();
    drop(view);
    let done = by_hand::make(&session, cache, "mv", groups, args.dry_run)?;
    let (links, linking) = if done.is_any() {
        (links, linking)
    } else {
        (0, 0)
    };
    show(env, args, &done, &names, (links, linking))?;
    if !args.dry_run {
        warn_of_hidden(&session, &names)?;
    }
    done.end(&env.output)
}

/// Tells what moved, and how many links in how many notes followed.
fn show(
    env: &Environment,
    args: &Args,
    done: &Done,
    names: &[Moved],
    (links, linking): (usize, usize),
) -> Result<(), Error> {
    let output = &env.output;
    if output.form == Form::Human {
        done.show(output)?;
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
            done,
            moved: names,
            links,
            linking,
        })?;
    }
    Ok(())
}

/// Returns note and heading if a section alone is named.
fn section<'n>(session: &Session, names: &'n [String]) -> Option<(&'n str, &'n str)> {
    let [name] = names else { return None };
    let is_file = session.env.start.join(name).exists();
    name.split_once('#').filter(|_| !is_file)
}

/// Says which of the notes the index does not see in their new place.
fn warn_of_hidden(session: &Session, moved: &[Moved]) -> Result<(), Error> {
    let cache = session.cache()?;
    let view = session.view(&cache)?;
    for Moved { to, .. } in moved {
        let path = VaultPath::new(to)?;
        if session.vault.absolute(&path).exists() && view.at(&path)?.is_none() {
            session.env.output.warn(&format!(
                "`{to}` is excluded by `.gitignore`, `.memignore` or Obsidian's settings; mem no longer sees it"
            ));
        }
    }
    Ok(())
}

/// The one group of all of it; none if nothing moves.
fn group(view: &View<'_>, moves: Vec<(Entry, VaultPath)>) -> Result<Option<Group>, Error> {
    let Some((_, to)) = moves.first() else {
        return Ok(None);
    };
    let folder = to.folder().to_owned();
    let moves: Vec<Act> = moves
        .into_iter()
        .map(|(entry, to)| Act::Move {
            note: entry.path,
            to,
        })
        .collect();
    let mut group = acts::by_hand(view, "requested", &moves).map_err(cannot_follow)?;
    if moves.len() > 1 {
        group.title = format!("move {} to {folder}/", count(moves.len(), "note"));
    }
    Ok(Some(group))
}

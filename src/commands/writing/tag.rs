//! `mem tag`

use std::collections::{BTreeMap, BTreeSet};

use clap::Subcommand;
use serde::Serialize;

use crate::change::acts;
use crate::commands::args::by_hand;
use crate::commands::args::property_value::{new_tag, tag};
use crate::error::{Error, Exit};
use crate::finding::act::Act;
use crate::finding::plan::Group;
use crate::note::retag::{edits, renamed};
use crate::note::words::letters::folded;
use crate::output::{Form, Output, Style, count};
use crate::session::Environment;
use crate::view::Entry;

/// List the tags, or rename one
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List the tags with the number of their notes
    ///
    /// A note with `#tea/green` counts for `#tea`, too. Exits with 1 if there are none.
    #[command(alias = "ls")]
    List,
    /// Rename a tag and those below it, in front matter and text
    ///
    /// Code and comments are left alone, and case does not matter. If there is a tag of the new name, both become
    /// one. It is one run, which `mem undo` takes back.
    #[command(alias = "rename")]
    Mv(MvArgs),
}

#[derive(Debug, clap::Args)]
struct MvArgs {
    /// The tag as it is
    #[arg(value_name = "TAG", value_parser = tag)]
    old: String,
    /// Its new name
    #[arg(value_name = "NEW", value_parser = new_tag)]
    new: String,
    /// Preview the changes without making them
    #[arg(short = 'n', long)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct Record {
    tag: String,
    notes: usize,
}

/// Lists them, or renames one.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    match &args.action {
        Some(Action::Mv(args)) => rename(env, args),
        Some(Action::List) | None => list(env),
    }
}

fn list(env: &Environment) -> Result<Exit, Error> {
    let session = env.open()?;
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    // By the name in small letters, in the spelling that comes first.
    let mut counted: BTreeMap<String, Record> = BTreeMap::new();
    for entry in view.entries()? {
        let tags = view.details(entry.slot)?.tags;
        let mut seen = BTreeSet::new();
        for name in tags.iter().flat_map(|tag| parts(tag)) {
            let key = folded(name);
            if seen.insert(key.clone()) {
                let record = counted.entry(key).or_insert_with(|| Record {
                    tag: name.to_owned(),
                    notes: 0,
                });
                record.notes += 1;
            }
        }
    }
    let records: Vec<Record> = counted.into_values().collect();
    env.page(&session.settings)?;
    show(&env.output, &records)?;
    Ok(Exit::found(!records.is_empty()))
}

/// A tag and those above it.
fn parts(tag: &str) -> impl Iterator<Item = &str> {
    let ends = tag.match_indices('/').map(|(at, _)| at);
    ends.map(|end| &tag[..end]).chain([tag])
}

fn show(output: &Output, records: &[Record]) -> Result<(), Error> {
    if output.form != Form::Human {
        return output.records("tags", records);
    }
    let most = records.iter().map(|record| record.notes).max();
    let width = most.unwrap_or_default().to_string().len();
    for Record { tag, notes } in records {
        let notes = output.paint(Style::Faint, &format!("{notes:>width$}"));
        output.line(&format!("{notes}  #{}", output.clean(tag)))?;
    }
    if records.is_empty() {
        output.say("no tags");
    }
    Ok(())
}

fn rename(env: &Environment, args: &MvArgs) -> Result<Exit, Error> {
    let MvArgs { old, new, dry_run } = args;
    let session = env.open()?;
    let cache = session.fresh_cache()?;
    let view = session.view(&cache)?;
    let mut notes: Vec<(Entry, Vec<String>)> = Vec::new();
    let mut known = 0;
    for entry in view.entries()? {
        let tags = view.details(entry.slot)?.tags;
        known += usize::from(tags.iter().any(|tag| renamed(tag, new, new).is_some()));
        if tags.iter().any(|tag| renamed(tag, old, new).is_some()) {
            notes.push((entry, tags));
        }
    }
    if notes.is_empty() {
        return Err(
            Error::new(format!("no note has the tag `#{old}`")).hint("`mem tag list` lists them")
        );
    }
    let is_inside = renamed(new, old, "").is_some() || renamed(old, new, "").is_some();
    if known > 0 && !is_inside {
        let notes = count(known, "note");
        env.output.say(&format!(
            "`#{new}` is a tag of {notes} already: both become one"
        ));
    }
    let (mut groups, mut is_named) = (Vec::new(), false);
    for (Entry { path: note, .. }, tags) in notes {
        let Ok(file) = session.vault.read(&note) else {
            env.output.warn(&format!("cannot read `{note}`"));
            continue;
        };
        let edits = edits(&file.text, old, new);
        let mut tags = tags.iter();
        if edits.is_empty() && tags.all(|tag| renamed(tag, old, new).is_none_or(|new| new == *tag))
        {
            is_named = true;
            continue;
        }
        if edits.is_empty() {
            env.output.warn(&format!(
                "`{note}` has the tag where it cannot be renamed: see `mem doctor`"
            ));
            continue;
        }
        let title = format!("rename #{old} to #{new} in {note}");
        let group = acts::by_hand(&view, "requested", &[Act::Edit { note, edits }])?;
        groups.push(Group { title, ..group });
    }
    if groups.is_empty() && is_named {
        return Err(Error::new(format!("`#{new}` already has this name"))
            .hint("name the tag as it is, then as it should be: `mem tag mv tea drink/tea`"));
    }
    drop(view);
    let done = by_hand::make(&session, cache, "tag", groups, *dry_run)?;
    done.tell(&env.output)
}

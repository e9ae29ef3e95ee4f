//! What a sleep changed, as a commit of its own in a vault that git keeps.
//!
//! Only what mem changed is committed, and only notes that held nothing uncommitted of a person's before:
//! mem's text before the change has to be the one of the last commit, its text after it has to stand there
//! still, and nothing may be staged. Other notes are left and named; those that git does not know, or is
//! to ignore, stay unknown to it. What a person has staged stays staged.

mod git;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::change::file_op::FileOp;
use crate::change::history::{FinishedRun, History, Image};
use crate::change::run_id::RunId;
use crate::error::Error;
use crate::note::hash::ContentHash;
use crate::note::path::VaultPath;
use crate::output::count;
use crate::run::options::{Commit, SleepOptions};
use crate::session::Session;
use crate::vault::OWN_FOLDER;
use clap::builder::TypedValueParser;
use git::Git;

use super::super::choice::choice;

/// How many notes a message names, and how many changes a commit lists.
const NAMED: usize = 3;
const LISTED: usize = 100;

#[derive(Debug, clap::Args)]
pub(super) struct CommitArgs {
    /// Commit what was changed, if the vault lies in a git work tree; `clean` changes nothing at all
    /// while notes hold uncommitted changes [default: the setting `sleep.commit`]
    #[arg(
        long,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        value_parser = when()
    )]
    commit: Option<Commit>,
}

fn when() -> impl TypedValueParser<Value = Commit> {
    choice([
        ("never", "Never"),
        (
            "always",
            "Always: all that was changed, except notes that held uncommitted changes before",
        ),
        (
            "clean",
            "Always, and nothing is changed while a note holds uncommitted changes",
        ),
    ])
}

impl CommitArgs {
    fn when(&self, session: &Session) -> Commit {
        self.commit
            .unwrap_or(session.settings.of::<SleepOptions>().commit)
    }
}

/// Returns true if what is changed may have to be committed.
pub(super) fn is_wanted(session: &Session, args: &CommitArgs) -> bool {
    args.when(session) != Commit::Never && git::may_be_in_work_tree(session.vault.root())
}

/// Refuses a sleep that may not change anything: outside of a work tree if a flag asks for a commit, and
/// with `clean` in one that is not.
pub(super) fn before(session: &Session, args: &CommitArgs) -> Result<(), Error> {
    let when = args.when(session);
    let root = session.vault.root();
    if when == Commit::Never {
        return Ok(());
    }
    if !git::may_be_in_work_tree(root) {
        // The setting is for all vaults; not each of them is git's.
        return match args.commit {
            Some(_) => Err(Error::new(format!(
                "nothing was done: `{}` is in no git work tree",
                root.display()
            ))
            .hint("`git init` makes it one; without `--commit` it sleeps without git")),
            None => Ok(()),
        };
    }
    if when == Commit::Clean {
        let not_done = |why: &str| Error::new(format!("nothing was done: {why}"));
        let git = Git::of(root).map_err(|error| not_done(&error.message()))?;
        if let Some(obstacle) = git.obstacle()? {
            return Err(not_done(&obstacle));
        }
        let mut notes = git.uncommitted()?;
        notes.retain(|path| is_note(path));
        if !notes.is_empty() {
            let what = format!("{} not committed as it stands", named(&notes));
            return Err(not_done(&what)
                .hint("commit it first; with `--commit=always` such notes are tidied, too"));
        }
    }
    Ok(())
}

/// Commits what this process changed in the vault, if that is wanted.
pub(super) fn after(session: &Session, args: &CommitArgs) -> Result<(), Error> {
    let runs = session.written.borrow().runs.clone();
    if runs.is_empty() || !is_wanted(session, args) {
        return Ok(());
    }
    let done = commit(session, &runs).map_err(|error| {
        let mut whole = Error::new(format!(
            "the notes are tidied, but not committed: {}",
            error.message()
        ));
        for run in &runs {
            whole = whole.hint(format!("`mem undo {run}` takes back what was done"));
        }
        whole
    })?;
    let output = &session.env.output;
    if let Some((id, subject)) = done.committed {
        output.say(&format!("committed as {id}: {subject}"));
    }
    if !done.left.is_empty() {
        output.say(&format!(
            "left out of the commit, for there is something of yours in it: {}",
            done.left.join(", ")
        ));
    }
    Ok(())
}

struct Done {
    /// The name of the commit and its first line.
    committed: Option<(String, String)>,
    /// Notes that hold something uncommitted of a person's.
    left: Vec<String>,
}

/// What became of a note in all runs.
struct Change {
    /// Its text before the first of them, and which that was.
    before: Option<(RunId, Image)>,
    /// The hash of its text after the last; nothing if it was taken away.
    after: Option<ContentHash>,
    /// The runs in whose trash it lies.
    trash: Vec<RunId>,
}

/// What git has to do with a note.
#[derive(PartialEq)]
enum Standing {
    /// The last commit had it as mem found it, or mem made it.
    Ours { is_new: bool },
    /// A person's.
    Theirs,
    /// Not git's, or as it was.
    Nothing,
}

fn commit(session: &Session, runs: &[RunId]) -> Result<Done, Error> {
    let git = Git::of(session.vault.root())?;
    if let Some(obstacle) = git.obstacle()? {
        return Err(Error::new(obstacle));
    }
    let history = History::new(session.vault.fs(), &session.homes);
    let entries = runs.iter().map(|run| history.load(run));
    let entries: Vec<FinishedRun> = entries.collect::<Result<_, _>>()?;
    let changes = changes(&entries);
    let standings = standings(session, &git, &history, &changes)?;
    let mut left = Vec::new();
    let (mut known, mut new, mut trash) = (Vec::new(), Vec::new(), Vec::new());
    for ((path, change), standing) in changes.iter().zip(&standings) {
        match standing {
            Standing::Ours { is_new: true } => new.push(path.to_string()),
            Standing::Ours { is_new: false } => {
                known.push(path.to_string());
                let places = change.trash.iter();
                trash.extend(places.map(|run| format!("{OWN_FOLDER}/trash/{run}/{path}")));
            }
            Standing::Theirs => left.push(path.to_string()),
            Standing::Nothing => {}
        }
    }
    new = git.not_ignored(new)?;
    if known.is_empty() && new.is_empty() {
        return Ok(Done {
            committed: None,
            left,
        });
    }
    let device = session.env.device()?;
    let mut own = files_below(session, &format!("journal/{}", device.name()));
    own.push(format!("{OWN_FOLDER}/state/{}.json", device.name()));
    own.extend(trash);
    own.extend(lists_of_trash(&changes, &standings));
    own.retain(|path| session.vault.root().join(path).is_file());
    let staged = git.staged()?;
    own.retain(|path| !staged.contains(path));
    new.extend(git.not_ignored(own)?);
    let is_ours = |path: &VaultPath| {
        let path = path.as_str();
        [&known, &new]
            .iter()
            .any(|paths| paths.iter().any(|ours| ours == path))
    };
    let (subject, body) = message(&entries, is_ours);
    let id = git.commit(&known, &new, &format!("{subject}\n\n{body}"))?;
    Ok(Done {
        committed: Some((id, subject)),
        left,
    })
}

/// Returns what became of each note.
fn changes(entries: &[FinishedRun]) -> BTreeMap<&VaultPath, Change> {
    let mut changes: BTreeMap<&VaultPath, Change> = BTreeMap::new();
    for entry in entries {
        let groups = entry.applied().map(|(_, group)| group);
        for file in groups.flat_map(|group| &group.files) {
            let run = &entry.run.id;
            let change = changes.entry(&file.path).or_insert_with(|| Change {
                before: file.before.map(|image| (run.clone(), image)),
                after: None,
                trash: Vec::new(),
            });
            change.after = file.after.map(|image| image.hash);
            if matches!(file.op, FileOp::Trash { .. }) {
                change.trash.push(run.clone());
            }
        }
    }
    changes
}

fn standings(
    session: &Session,
    git: &Git,
    history: &History<'_>,
    changes: &BTreeMap<&VaultPath, Change>,
) -> Result<Vec<Standing>, Error> {
    let paths: Vec<&VaultPath> = changes.keys().copied().collect();
    let staged = git.staged()?;
    let committed = git.committed(&paths)?;
    let mut standings = Vec::with_capacity(changes.len());
    for ((path, change), committed) in changes.iter().zip(committed) {
        let is_as_left = match (
            session.vault.fs().read(&session.vault.absolute(path)),
            change.after,
        ) {
            (Ok((bytes, _)), Some(after)) => ContentHash::of(&bytes) == after,
            (found, after) => found.is_err() && after.is_none(),
        };
        let standing = match (&committed, &change.before) {
            _ if staged.contains(path.as_str()) => Standing::Theirs,
            (Some(blob), _) if Some(ContentHash::of(&blob.bytes)) == change.after => {
                Standing::Nothing
            }
            (Some(blob), Some((run, image))) => {
                let text = history.image(run, *image)?;
                let was_committed =
                    text.as_bytes() == blob.bytes || git.id_of(path, &text)? == blob.id;
                if was_committed && is_as_left {
                    Standing::Ours { is_new: false }
                } else {
                    Standing::Theirs
                }
            }
            // Taken away by a person, and the name is used again.
            (Some(_), None) => Standing::Theirs,
            (None, None) if is_as_left && change.after.is_some() => Standing::Ours { is_new: true },
            (None, _) => Standing::Nothing,
        };
        standings.push(standing);
    }
    Ok(standings)
}

/// Returns the lists of those trashes of which every note is committed: they name them all.
fn lists_of_trash(changes: &BTreeMap<&VaultPath, Change>, standings: &[Standing]) -> Vec<String> {
    let mut whole: BTreeMap<&RunId, bool> = BTreeMap::new();
    for (change, standing) in changes.values().zip(standings) {
        for run in &change.trash {
            *whole.entry(run).or_insert(true) &= *standing == Standing::Ours { is_new: false };
        }
    }
    let whole = whole.into_iter().filter(|(_, is_whole)| *is_whole);
    whole
        .map(|(run, _)| format!("{OWN_FOLDER}/trash/{run}/trash.jsonl"))
        .collect()
}

/// Returns the files in a folder of mem's own, as the vault calls them.
fn files_below(session: &Session, folder: &str) -> Vec<String> {
    let folder = Path::new(OWN_FOLDER).join(folder);
    let entries = std::fs::read_dir(session.vault.root().join(&folder));
    let names = entries.into_iter().flatten().flatten();
    let mut files: Vec<String> = names
        .filter_map(|entry| folder.join(entry.file_name()).to_str().map(str::to_owned))
        .collect();
    files.sort_unstable();
    files
}

/// Returns true for what the vault takes for a note: nothing hidden, and by its ending.
fn is_note(path: &str) -> bool {
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    let ending = path.len().checked_sub(3).and_then(|at| path.get(at..));
    !is_hidden && ending.is_some_and(|ending| ending.eq_ignore_ascii_case(".md"))
}

/// Names some notes and says how many more there are.
fn named(notes: &[String]) -> String {
    let shown: Vec<String> = notes
        .iter()
        .take(NAMED)
        .map(|note| format!("`{note}`"))
        .collect();
    let more = notes.len() - shown.len();
    let shown = shown.join(", ");
    match (notes.len(), more) {
        (1, _) => format!("{shown} is"),
        (_, 0) => format!("{shown} are"),
        (_, more) => format!("{shown} and {} are", count(more, "more note")),
    }
}

/// Returns what the commit says: its first line, and what was done with how to take it back.
fn message(entries: &[FinishedRun], is_ours: impl Fn(&VaultPath) -> bool) -> (String, String) {
    let (mut counts, mut body) = (Vec::new(), String::new());
    for entry in entries {
        let groups = entry.applied().map(|(_, group)| group);
        let groups: Vec<_> = groups
            .filter(|group| group.files.iter().any(|file| is_ours(&file.path)))
            .collect();
        if groups.is_empty() {
            continue;
        }
        let job = &entry.run.job;
        counts.push(format!("{} {}", groups.len(), super::night::done(job)));
        let _ = writeln!(body, "{job} ({}):", entry.run.id);
        for group in groups.iter().take(LISTED) {
            let _ = writeln!(body, "- {}", group.title);
        }
        if let Some(more) = groups.len().checked_sub(LISTED).filter(|more| *more > 0) {
            let _ = writeln!(body, "- and {more} more");
        }
        let _ = writeln!(body, "Undo: mem undo {}\n", entry.run.id);
    }
    (format!("mem sleep: {}", counts.join(", ")), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_told_from_other_files() {
        for (path, expected) in [
            ("a.md", true),
            ("a/b.MD", true),
            (".mem/trash/x/a.md", false),
            ("a/.obsidian/b.md", false),
            ("a.txt", false),
            ("md", false),
            ("日記.md", true),
        ] {
            assert_eq!(is_note(path), expected, "{path}");
        }
    }

    #[test]
    fn a_few_are_named() {
        let notes: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).to_vec();
        for (number, expected) in [
            (1, "`a` is"),
            (3, "`a`, `b`, `c` are"),
            (4, "`a`, `b`, `c` and 1 more note are"),
            (5, "`a`, `b`, `c` and 2 more notes are"),
        ] {
            assert_eq!(named(&notes[..number]), expected);
        }
    }
}

//! What a sleep changed, as a commit of its own in a vault that git keeps.
//!
//! Only notes are committed that mem changed, that did not differ from the last commit when the sleep
//! began, and that are still as mem left them. Other notes are left and named. What git does not know
//! or ignores stays unknown to it; what a person has staged stays staged.

use crate::change::file_op::FileOp;
use crate::change::history::{FinishedRun, Image};
use crate::change::trash::REASONS;
use crate::note::words::hash::ContentHash;
use crate::run::adapters::git::{self, WorkTree};
use crate::run::options::{Commit, SleepOptions};
use crate::run::prelude::*;
use crate::vault::{JOURNAL, OWN_FOLDER, STATE, TRASH};

/// How many notes a message names, and how many changes a commit lists.
const NAMED: usize = 3;
const LISTED: usize = 100;

fn when(session: &Session, flag: Option<Commit>) -> Commit {
    flag.unwrap_or_else(|| session.settings.of::<SleepOptions>().commit)
}

/// Returns true if what is changed may have to be committed; `flag` goes before the setting.
pub fn is_wanted(session: &Session, flag: Option<Commit>) -> bool {
    when(session, flag) != Commit::Never && git::may_be_in_work_tree(session.vault.root())
}

/// The work tree before the jobs; why there is none is told once there is something to commit.
pub type Before = Option<Result<WorkTree>>;

/// Refuses the flag outside of a work tree; the setting is for all vaults, and not each of them is git's.
pub fn check_flag(session: &Session, flag: Option<Commit>) -> Result<()> {
    let root = session.vault.root();
    if flag.is_none_or(|when| when == Commit::Never) || git::may_be_in_work_tree(root) {
        return Ok(());
    }
    let message = format!("`{}` is not inside a git work tree", root.display());
    Err(Error::new(message).hint("run `git init` there, or sleep without `--commit`"))
}

/// Looks at the work tree before anything is changed; refuses one that is not clean if it has to be.
pub fn before(session: &Session, flag: Option<Commit>) -> Result<Before> {
    let root = session.vault.root();
    match when(session, flag) {
        Commit::Never => Ok(None),
        _ if !git::may_be_in_work_tree(root) => Ok(None),
        Commit::Clean => clean(root).map(|tree| Some(Ok(tree))),
        Commit::Always => Ok(Some(WorkTree::of(root))),
    }
}

/// Returns the work tree if a commit can be made in it and holds every note as it stands.
fn clean(root: &Path) -> Result<WorkTree> {
    let not_done = |why: &str| Error::new(format!("nothing was done: {why}"));
    let tree = WorkTree::of(root).map_err(|error| not_done(&error.message()))?;
    if let Some(obstacle) = tree.git.obstacle()? {
        return Err(not_done(&obstacle));
    }
    let changed = tree.changed.keys().filter(|path| is_note(path));
    let changed: Vec<&String> = changed.collect();
    if changed.is_empty() {
        return Ok(tree);
    }
    let message = format!("{} not committed", named(&changed));
    Err(not_done(&message).hint("commit it first, or use `--commit=always`"))
}

/// A commit, or none if nothing was left to commit.
#[derive(Debug, Default)]
pub struct Committed {
    /// The short name of the commit and its first line.
    pub commit: Option<(String, String)>,
    /// Notes that hold something uncommitted of a person's.
    pub left: Vec<String>,
}

/// Commits what this process changed in the vault.
pub fn commit(session: &Session, before: Before) -> Result<Committed> {
    let runs = session.written.borrow().runs.clone();
    let Some(tree) = before.filter(|_| !runs.is_empty()) else {
        return Ok(Committed::default());
    };
    let committed = tree.and_then(|tree| commit_runs(session, &tree, &runs));
    committed.map_err(|error| {
        let why = error.message();
        let whole = Error::new(format!("maintenance ran, but the commit failed: {why}"));
        runs.iter().fold(whole, |whole, run| {
            whole.hint(format!("undo with `mem undo {}`", run.short()))
        })
    })
}

fn commit_runs(session: &Session, tree: &WorkTree, runs: &[RunId]) -> Result<Committed> {
    if let Some(obstacle) = tree.git.obstacle()? {
        return Err(Error::new(obstacle));
    }
    let history = History::new(session.vault.fs(), &session.homes);
    let entries = runs.iter().map(|run| history.load(run));
    let entries: Vec<FinishedRun> = entries.collect::<Result<_, _>>()?;
    let changes = changes(&entries);
    let sorted = sort(session, tree, &history, &changes)?;
    let (known, mut new, left) = (sorted.known, sorted.new, sorted.left);
    if known.is_empty() && new.is_empty() {
        return Ok(Committed { commit: None, left });
    }
    let committed: HashSet<String> = known.iter().chain(&new).cloned().collect();
    let (subject, body) = message(&entries, |path| committed.contains(path.as_str()));
    let mut own = own_files(session)?;
    own.extend(trash_of(&changes, &known));
    own.retain(|path| session.vault.root().join(path).is_file() && !tree.is_staged(path));
    new.extend(tree.git.not_ignored(own)?);
    let message = format!("{subject}\n\n{body}");
    let id = tree.git.commit(&known, &new, &message)?;
    Ok(Committed {
        commit: Some((id, subject)),
        left,
    })
}

/// What became of a note in all runs.
struct NoteChange {
    /// Its text before the first of them, and which that was.
    before: Option<(RunId, Image)>,
    /// The hash of its text after the last.
    after: Option<ContentHash>,
    /// The runs in whose trash it lies.
    trash: Vec<RunId>,
}

/// Returns what became of each note.
fn changes(entries: &[FinishedRun]) -> BTreeMap<&VaultPath, NoteChange> {
    let mut changes: BTreeMap<&VaultPath, NoteChange> = BTreeMap::new();
    for entry in entries {
        let groups = entry.applied().map(|(_, group)| group);
        for file in groups.flat_map(|group| &group.files) {
            let change = changes.entry(&file.path).or_insert_with(|| NoteChange {
                before: file.before.map(|image| (entry.run.id.clone(), image)),
                after: None,
                trash: Vec::new(),
            });
            change.after = file.after.map(|image| image.hash);
            if matches!(file.op, FileOp::Trash { .. }) {
                change.trash.push(entry.run.id.clone());
            }
        }
    }
    changes
}

/// The changed notes, by what git has to do with them.
#[derive(Default)]
struct Sorted {
    known: Vec<String>,
    /// To be added.
    new: Vec<String>,
    /// A person's.
    left: Vec<String>,
}

fn sort(
    session: &Session,
    tree: &WorkTree,
    history: &History<'_>,
    changes: &BTreeMap<&VaultPath, NoteChange>,
) -> Result<Sorted> {
    let mut sorted = Sorted::default();
    for (path, change) in changes {
        let is_dirty = tree.is_dirty(path.as_str());
        let is_known = is_dirty || tree.tracked.contains(path.as_str());
        let is_unknown = !is_known && change.before.is_some();
        let before = change.before.as_ref();
        if before.map(|(_, image)| image.hash) == change.after || is_unknown {
            continue;
        }
        // It may have been saved after the look at the work tree and before the jobs.
        let was_committed = match before {
            Some((run, image)) if !is_dirty => {
                let text = history.image(run, *image)?;
                tree.git.has_committed(path.as_str(), &text)?
            }
            _ => !is_dirty,
        };
        let notes = if !was_committed || !is_as_left(session, path, change) {
            &mut sorted.left
        } else if is_known {
            &mut sorted.known
        } else {
            &mut sorted.new
        };
        notes.push(path.to_string());
    }
    sorted.new = tree.git.not_ignored(sorted.new)?;
    Ok(sorted)
}

fn is_as_left(session: &Session, path: &VaultPath, change: &NoteChange) -> bool {
    let found = session.vault.fs().read(&session.vault.absolute(path)).ok();
    found.map(|(bytes, _)| ContentHash::of(&bytes)) == change.after
}

/// Returns the files of this device's journal and record, as the vault calls them.
fn own_files(session: &Session) -> Result<Vec<String>> {
    let device = session.env.device()?;
    let journal = Path::new(OWN_FOLDER).join(JOURNAL).join(device.name());
    let entries = std::fs::read_dir(session.vault.root().join(&journal));
    let names = entries.into_iter().flatten().flatten();
    let mut files: Vec<String> = names
        .filter_map(|entry| journal.join(entry.file_name()).to_str().map(str::to_owned))
        .collect();
    files.sort_unstable();
    files.push(format!("{OWN_FOLDER}/{STATE}/{}.json", device.name()));
    Ok(files)
}

/// Returns the copies in the trash of those notes that are committed, and the lists of those trashes
/// of which every note is: they name them all.
fn trash_of(changes: &BTreeMap<&VaultPath, NoteChange>, known: &[String]) -> Vec<String> {
    let known: HashSet<&str> = known.iter().map(String::as_str).collect();
    let mut whole: BTreeMap<&RunId, bool> = BTreeMap::new();
    let mut files = Vec::new();
    for (path, change) in changes {
        let is_committed = known.contains(path.as_str());
        for run in &change.trash {
            *whole.entry(run).or_insert(true) &= is_committed;
            if is_committed {
                files.push(format!("{OWN_FOLDER}/{TRASH}/{run}/{path}"));
            }
        }
    }
    let whole = whole.into_iter().filter(|(_, is_whole)| *is_whole);
    files.extend(whole.map(|(run, _)| format!("{OWN_FOLDER}/{TRASH}/{run}/{REASONS}")));
    files
}

/// Returns true for what the vault takes for a note: nothing hidden, and by its ending.
fn is_note(path: &str) -> bool {
    let is_hidden = path.split('/').any(|part| part.starts_with('.'));
    let ending = path.len().checked_sub(3).and_then(|at| path.get(at..));
    !is_hidden && ending.is_some_and(|ending| ending.eq_ignore_ascii_case(".md"))
}

/// Names some notes and says how many more there are.
fn named(notes: &[&String]) -> String {
    let shown = notes.iter().take(NAMED).map(|note| format!("`{note}`"));
    let shown = shown.collect::<Vec<_>>().join(", ");
    match notes.len() {
        1 => format!("{shown} is"),
        ..=NAMED => format!("{shown} are"),
        all => format!("{shown} and {} are", count(all - NAMED, "more note")),
    }
}

/// Returns what the commit says: its first line, and what was done with how to take it back.
fn message(entries: &[FinishedRun], is_committed: impl Fn(&VaultPath) -> bool) -> (String, String) {
    let (mut counts, mut body) = (Vec::new(), String::new());
    for entry in entries {
        let groups = entry.applied().map(|(_, group)| group);
        let groups: Vec<_> = groups
            .filter(|group| group.files.iter().any(|file| is_committed(&file.path)))
            .collect();
        if groups.is_empty() {
            continue;
        }
        let job = &entry.run.job;
        let done = jobs::named(job).map_or("changed", |job| job.done);
        counts.push(format!("{} {done}", groups.len()));
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
        let notes = ["a", "b", "c", "d", "e"].map(str::to_owned);
        let notes: Vec<&String> = notes.iter().collect();
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

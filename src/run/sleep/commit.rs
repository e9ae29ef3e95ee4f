//! Commits the changes of a sleep in a vault under git.
//!
//! Commits only notes that mem changed, that equalled the last commit when the sleep began, and
//! that were not edited since. Other notes are left uncommitted and named. Untracked and ignored
//! files stay so, and staged changes stay staged. Journal and state of this device and
//! `.mem/.gitignore` are committed, too: other machines need answers, and the times of the last runs.

use crate::change::FileOp;
use crate::change::history::Image;
use crate::change::trash::REASONS_FILE;
use crate::note::ContentHash;
use crate::run::adapters::git::{self, WorkTree};
use crate::run::options::{Commit, SleepOptions};
use crate::run::prelude::*;
use crate::vault::{STATE, TRASH, is_note_name};

/// Number of notes named in a message, and of changes listed in a commit.
const MAX_NAMED_NOTES: usize = 3;
const MAX_LISTED_CHANGES: usize = 100;

/// The trailer that names a run in the commit with its changes.
pub const RUN_TRAILER: &str = "Mem-Run";

fn commit_mode(session: &Session, flag: Option<Commit>) -> Commit {
    flag.unwrap_or_else(|| session.settings.of::<SleepOptions>().commit)
}

/// Whether changes may have to be committed; `flag` overrides the setting.
pub fn is_wanted(session: &Session, flag: Option<Commit>) -> bool {
    commit_mode(session, flag) != Commit::Never && git::may_be_in_work_tree(session.vault.root())
}

/// The work tree before the jobs. An error is reported only if there is something to commit.
pub type InitialWorkTree = Option<Result<WorkTree>>;

/// Rejects the flag outside of a work tree. The setting applies to all vaults, even without git.
pub fn check_flag(session: &Session, flag: Option<Commit>) -> Result<()> {
    let root = session.vault.root();
    if flag.is_none_or(|when| when == Commit::Never) || git::may_be_in_work_tree(root) {
        return Ok(());
    }
    let message = format!("`{}` is not in a git work tree", root.display());
    Err(Error::new(message).hint("run `git init` there, or sleep without `--commit`"))
}

/// Reads the work tree before any change; rejects a dirty one if it must be clean.
pub fn read_work_tree(session: &Session, flag: Option<Commit>) -> Result<InitialWorkTree> {
    let root = session.vault.root();
    match commit_mode(session, flag) {
        Commit::Never => Ok(None),
        _ if !git::may_be_in_work_tree(root) => Ok(None),
        Commit::Clean => clean_work_tree(root).map(|tree| Some(Ok(tree))),
        Commit::Always => Ok(Some(WorkTree::of(root))),
    }
}

/// Returns the work tree if a commit is possible and all notes are committed.
fn clean_work_tree(root: &Path) -> Result<WorkTree> {
    let failure = |why: &str| Error::new(format!("nothing was done: {why}"));
    let tree = WorkTree::of(root).map_err(|error| failure(&error.message()))?;
    if let Some(obstacle) = tree.git.obstacle()? {
        return Err(failure(&obstacle));
    }
    let notes = tree.changed.keys().filter(|path| is_note_name(path));
    let changed: Vec<&String> = notes.collect();
    if changed.is_empty() {
        return Ok(tree);
    }
    let message = format!("{} not committed", name_first(&changed));
    Err(failure(&message).hint("commit it first, or use `--commit=always`"))
}

/// The result of a commit; empty if there was nothing to commit.
#[derive(Debug, Default)]
pub struct CommitResult {
    /// Abbreviated hash and subject of the commit.
    pub commit: Option<(String, String)>,
    /// Notes with uncommitted changes of a person.
    pub left: Vec<String>,
}

/// Commits what this process changed in the vault: notes, journal, state and trash.
pub fn commit(
    session: &Session,
    flag: Option<Commit>,
    before: InitialWorkTree,
) -> Result<CommitResult> {
    let runs = session.written.borrow().runs.clone();
    if !is_wanted(session, flag) {
        return Ok(CommitResult::default());
    }
    let tree = before.unwrap_or_else(|| WorkTree::of_own_files(session.vault.root()));
    let committed = tree.and_then(|tree| commit_runs(session, &tree, &runs));
    match committed {
        // Records alone can wait for the next sleep.
        Err(_) if runs.is_empty() => Ok(CommitResult::default()),
        committed => committed.map_err(|error| {
            let why = error.message();
            let error = Error::new(format!("maintenance ran, but the commit failed: {why}"));
            runs.iter().fold(error, |error, run| {
                error.hint(format!("undo with `mem undo {}`", run.short()))
            })
        }),
    }
}

fn commit_runs(session: &Session, tree: &WorkTree, runs: &[RunId]) -> Result<CommitResult> {
    if let Some(obstacle) = tree.git.obstacle()? {
        return Err(Error::new(obstacle));
    }
    let history = History::new(session.vault.fs(), &session.homes);
    let loaded = runs.iter().map(|run| history.load(run));
    let entries: Vec<FinishedRun> = loaded.collect::<Result<_, _>>()?;
    let changes = changes(&entries);
    let NotesByGitState {
        mut known,
        mut new,
        left,
    } = sort_by_git_state(session, tree, &history, &changes)?;
    let committed: HashSet<String> = known.iter().chain(&new).cloned().collect();
    let (subject, body) = message(&entries, |path| committed.contains(path.as_str()));
    let copies = trash_of(&changes, &known);
    for (path, letters) in tree.git.changed(OWN_FOLDER)? {
        let is_new = letters == "??";
        let is_own = is_own_file(session, &path, is_new)? || is_new && copies.contains(&path);
        if is_own && (is_new || letters.starts_with(' ')) {
            if is_new { &mut new } else { &mut known }.push(path);
        }
    }
    if known.is_empty() && new.is_empty() {
        return Ok(CommitResult { commit: None, left });
    }
    let id = tree
        .git
        .commit(&known, &new, &format!("{subject}\n\n{body}"))?;
    Ok(CommitResult {
        commit: Some((id, subject)),
        left,
    })
}

/// Whether a changed file of `.mem` is a record of this device, a tracked record of any, or the new file
/// that keeps caches out of git.
fn is_own_file(session: &Session, path: &str, is_new: bool) -> Result<bool> {
    let device = session.env.device()?;
    let is_record = |name: &str| path.starts_with(&format!("{OWN_FOLDER}/{name}"));
    Ok(is_record(&format!("{JOURNAL}/{}/", device.name()))
        || is_record(&format!("{STATE}/{}.json", device.name()))
        || is_new && is_record(".gitignore")
        || !is_new && [JOURNAL, STATE, TRASH].iter().any(|name| is_record(name)))
}

/// The combined change of a note over all runs.
struct NoteChange {
    /// The text before the first run, and that run.
    before: Option<(RunId, Image)>,
    /// Hash of the text after the last run.
    after: Option<ContentHash>,
    /// The runs that moved it to their trash.
    trash: Vec<RunId>,
}

/// Returns the combined change of each note.
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

/// The changed notes, by their state in git.
#[derive(Default)]
struct NotesByGitState {
    known: Vec<String>,
    /// Untracked notes to add.
    new: Vec<String>,
    /// Notes with changes of a person.
    left: Vec<String>,
}

fn sort_by_git_state(
    session: &Session,
    tree: &WorkTree,
    history: &History<'_>,
    changes: &BTreeMap<&VaultPath, NoteChange>,
) -> Result<NotesByGitState> {
    let mut by_state = NotesByGitState::default();
    for (path, change) in changes {
        let is_dirty = tree.is_dirty(path.as_str());
        let is_known = is_dirty || tree.tracked.contains(path.as_str());
        let is_unknown = !is_known && change.before.is_some();
        let before = change.before.as_ref();
        if before.map(|(_, image)| image.hash) == change.after || is_unknown {
            continue;
        }
        // The note may have been saved between reading the work tree and the jobs.
        let was_committed = match before {
            Some((run, image)) if !is_dirty => {
                let text = history.image(run, *image)?;
                tree.git.has_committed(path.as_str(), &text)?
            }
            _ => !is_dirty,
        };
        let notes = if !was_committed || !is_unedited(session, path, change) {
            &mut by_state.left
        } else if is_known {
            &mut by_state.known
        } else {
            &mut by_state.new
        };
        notes.push(path.to_string());
    }
    by_state.new = tree.git.not_ignored(by_state.new)?;
    Ok(by_state)
}

fn is_unedited(session: &Session, path: &VaultPath, change: &NoteChange) -> bool {
    let found = session.vault.fs().read(&session.vault.absolute(path)).ok();
    found.map(|(bytes, _)| ContentHash::of(&bytes)) == change.after
}

/// Returns the trash copies of committed notes. Includes the `trash.jsonl` of runs whose notes are
/// all
/// committed, because it names them all.
fn trash_of(changes: &BTreeMap<&VaultPath, NoteChange>, known: &[String]) -> HashSet<String> {
    let known: HashSet<&str> = known.iter().map(String::as_str).collect();
    let mut is_complete: BTreeMap<&RunId, bool> = BTreeMap::new();
    let mut files = HashSet::new();
    for (path, change) in changes {
        let is_committed = known.contains(path.as_str());
        for run in &change.trash {
            *is_complete.entry(run).or_insert(true) &= is_committed;
            if is_committed {
                files.insert(format!("{OWN_FOLDER}/{TRASH}/{run}/{path}"));
            }
        }
    }
    let complete = is_complete.into_iter().filter(|(_, all)| *all);
    files.extend(complete.map(|(run, _)| format!("{OWN_FOLDER}/{TRASH}/{run}/{REASONS_FILE}")));
    files
}

/// Names the first notes and the number of the rest.
fn name_first(notes: &[&String]) -> String {
    let quoted = notes
        .iter()
        .take(MAX_NAMED_NOTES)
        .map(|note| format!("`{note}`"));
    let shown = quoted.collect::<Vec<_>>().join(", ");
    match notes.len() {
        1 => format!("{shown} is"),
        ..=MAX_NAMED_NOTES => format!("{shown} are"),
        all => format!(
            "{shown} and {} are",
            count(all - MAX_NAMED_NOTES, "more note")
        ),
    }
}

/// Returns subject and body of the commit: what was done and how to undo it, with a trailer per run.
fn message(entries: &[FinishedRun], is_committed: impl Fn(&VaultPath) -> bool) -> (String, String) {
    let (mut counts, mut body, mut trailers) = (Vec::new(), String::new(), String::new());
    for entry in entries {
        let applied = entry.applied().map(|(_, group)| group);
        let groups: Vec<_> = applied
            .filter(|group| group.files.iter().any(|file| is_committed(&file.path)))
            .collect();
        if groups.is_empty() {
            continue;
        }
        let job = &entry.run.job;
        let done = jobs::named(job).map_or("changed", |job| job.done);
        counts.push(format!("{} {done}", groups.len()));
        let _ = writeln!(body, "{job} ({}):", entry.run.id);
        for group in groups.iter().take(MAX_LISTED_CHANGES) {
            let _ = writeln!(body, "- {}", group.title);
        }
        if let Some(more) = groups
            .len()
            .checked_sub(MAX_LISTED_CHANGES)
            .filter(|more| *more > 0)
        {
            let _ = writeln!(body, "- and {more} more");
        }
        let _ = writeln!(body, "Undo: mem undo {}\n", entry.run.id);
        let _ = writeln!(trailers, "{RUN_TRAILER}: {}", entry.run.id);
    }
    if counts.is_empty() {
        counts.push("records of this device".to_owned());
    }
    let subject = format!("mem sleep: {}", counts.join(", "));
    (subject, body + &trailers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_notes_are_named() {
        let names = ["a", "b", "c", "d", "e"].map(str::to_owned);
        let notes: Vec<&String> = names.iter().collect();
        for (number, expected) in [
            (1, "`a` is"),
            (3, "`a`, `b`, `c` are"),
            (4, "`a`, `b`, `c` and 1 more note are"),
            (5, "`a`, `b`, `c` and 2 more notes are"),
        ] {
            assert_eq!(name_first(&notes[..number]), expected);
        }
    }
}

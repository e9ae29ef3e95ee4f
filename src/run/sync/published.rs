//! The records of runs in git, so that other machines can undo them.
//!
//! Each device has a branch `refs/mem/runs/<device>` on the remote with a folder per run: the files
//! of its record in the history. It only grows, and only its device pushes to it. The texts of a
//! note that git ignores are never published.

use tempfile::TempDir;

use super::remote::Remote;
use crate::change::history::{FILES, RunGroup};
use crate::run::adapters::git;
use crate::run::history::find_run;
use crate::run::prelude::*;

/// Maximum number of runs published at once, the newest.
const MAX_RUNS: usize = 200;

/// Returns the runs of this machine that are newer than the last published one, oldest first.
pub fn pending(session: &Session, remote: &Remote<'_>) -> Result<Vec<FinishedRun>> {
    let record = remote.record(&name(session)?);
    let last = runs_in(remote.git, &record)?.into_iter().max();
    let history = History::new(session.vault.fs(), &session.homes);
    let mut newest_first = history.list()?.0;
    newest_first.retain(|entry| last.as_ref().is_none_or(|last| entry.run.id > *last));
    newest_first.truncate(MAX_RUNS);
    newest_first.reverse();
    let mut runs = Vec::new();
    for entry in newest_first {
        let paths = entry.run.groups.iter().flat_map(RunGroup::notes);
        let notes: Vec<String> = paths.map(ToString::to_string).collect();
        if remote.git.not_ignored(notes.clone())?.len() == notes.len() {
            runs.push(entry);
        }
    }
    Ok(runs)
}

fn name(session: &Session) -> Result<String> {
    Ok(format!("runs/{}", session.env.device()?.name()))
}

/// Publishes `runs` of this machine.
pub fn publish(session: &Session, remote: &Remote<'_>, runs: &[FinishedRun]) -> Result<()> {
    if runs.is_empty() {
        return Ok(());
    }
    let (git, name) = (remote.git, name(session)?);
    let local = format!("refs/mem/{name}");
    let seconds = session.env.now.timestamp().as_second();
    let mut stream =
        format!("commit {local}\ncommitter mem <mem@localhost> {seconds} +0000\ndata 0\n\n");
    git.delete_ref(&local)?;
    if let Some(parent) = git.commit_id(&remote.record(&name))? {
        let _ = writeln!(stream, "from {parent}");
    }
    for entry in runs {
        let folder = session.homes.history().join(entry.run.id.as_str());
        for file in FILES {
            let path = folder.join(file);
            let text = fs::read_to_string(&path);
            let text = text.map_err(|error| Error::io("read", &path, &error))?;
            let (id, length) = (&entry.run.id, text.len());
            let _ = write!(
                stream,
                "M 100644 inline {id}/{file}\ndata {length}\n{text}\n"
            );
        }
    }
    git.succeed("fast-import --quiet", &[], &stream)?;
    let commit = git.commit_id(&local)?.unwrap_or_default();
    remote.push_record(&commit, &name)
}

/// Returns the runs below a published branch.
fn runs_in(git: &Git, branch: &str) -> Result<Vec<RunId>> {
    let listing = git.answer("ls-tree --full-tree --name-only", &[branch])?;
    let list = listing.unwrap_or_default();
    Ok(list.lines().filter_map(|id| id.parse().ok()).collect())
}

/// A run and the history that contains it.
#[derive(Debug)]
pub struct RecordedRun {
    pub id: RunId,
    /// The folders of this machine, or a copy of another one's history since this run, with the
    /// undos of its runs on this machine.
    pub homes: Homes,
    _folder: Option<TempDir>,
}

impl RecordedRun {
    /// Finds the run with this name in the history of this machine, else in the published ones.
    pub fn find(session: &Session, name: &str) -> Result<Self> {
        let known = History::new(session.vault.fs(), &session.homes).known()?;
        match find_run(&known, name) {
            Ok(id) => Ok(Self {
                id: id.clone(),
                homes: session.homes.clone(),
                _folder: None,
            }),
            Err(error) => Self::published(session, name)?.ok_or(error),
        }
    }

    fn published(session: &Session, name: &str) -> Result<Option<Self>> {
        let root = session.vault.root();
        if !git::may_be_in_work_tree(root) {
            return Ok(None);
        }
        let git = Git::of(root)?;
        let branches = git.text("for-each-ref --format=%(refname) refs/mem/from", &[])?;
        for branch in branches.lines().filter(|it| it.contains("/runs/")) {
            let mut runs = runs_in(&git, branch)?;
            let Ok(run) = find_run(&runs, name).cloned() else {
                continue;
            };
            runs.retain(|id| *id >= run);
            return Self::extract(session, &git, branch, run, &runs).map(Some);
        }
        Ok(None)
    }

    fn extract(
        session: &Session,
        git: &Git,
        branch: &str,
        run: RunId,
        runs: &[RunId],
    ) -> Result<Self> {
        let failed = |error: io::Error| Error::new("cannot extract runs").caused_by(&error);
        let folder = tempfile::tempdir().map_err(failed)?;
        let homes = Homes {
            state: folder.path().to_owned(),
            ..session.homes.clone()
        };
        for id in runs {
            let to = homes.history().join(id.as_str());
            fs::create_dir_all(&to).map_err(failed)?;
            for file in FILES {
                let text = git.text("cat-file blob", &[&format!("{branch}:{id}/{file}")])?;
                fs::write(to.join(file), text).map_err(failed)?;
            }
        }
        let history = History::new(session.vault.fs(), &session.homes);
        let mut known: HashSet<RunId> = runs.iter().cloned().collect();
        for entry in history.list()?.0.iter().rev() {
            let undoes = entry.run.undoes.as_ref();
            if undoes.is_some_and(|undoes| known.contains(&undoes.run)) {
                let id = entry.run.id.as_str();
                let [from, to] = [&session.homes, &homes].map(|homes| homes.history().join(id));
                fs::create_dir_all(&to).map_err(failed)?;
                for file in FILES {
                    fs::copy(from.join(file), to.join(file)).map_err(failed)?;
                }
                known.insert(entry.run.id.clone());
            }
        }
        Ok(Self {
            id: run,
            homes,
            _folder: Some(folder),
        })
    }
}

//! Syncs a vault with other machines through a git remote.
//!
//! Commits own changes, fetches, merges without the work tree, moves the work tree, runs the due
//! jobs under a lease, and pushes; repeated if another machine pushes first. Nothing is forced. A
//! kill at any moment leaves a state that the next sync completes.

mod lease;
mod merge;
pub mod published;
mod remote;
mod synced_files;
mod work_tree;

use super::sleep::{self, SleepRequest};
use crate::change::apply::recover_only;
use crate::run::adapters::git::may_be_in_work_tree;
use crate::run::history::describe_run;
use crate::run::options::Commit;
use crate::run::plan::apply::record_recovered;
use crate::run::plan::open::count_merge_conflicts;
use crate::run::prelude::*;
use crate::run::sleep::commit::RUN_TRAILER;
use crate::vault::is_note_name;
use remote::{PushResult, Remote};
use synced_files::is_synced;

pub use merge::{Conflict, ConflictResult};

/// How often a sync tries again after another machine pushed first.
const MAX_ATTEMPTS: u32 = 8;

#[derive(Clone, Debug, Default)]
pub struct SyncRequest {
    pub dry_run: bool,
    pub no_sleep: bool,
    /// Subject of the commit with own changes.
    pub message: Option<String>,
}

/// The result of a sync, or its preview.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SyncReport {
    pub dry_run: bool,
    /// The remote and its branch.
    pub remote: String,
    /// The files committed before the merge.
    pub committed: Vec<String>,
    /// Number of merged commits of other machines.
    pub received: usize,
    /// Number of pushed commits.
    pub sent: usize,
    /// Files that git could not merge; both versions were kept.
    pub conflicts: Vec<Conflict>,
    /// Number of open questions about conflicts in notes, of earlier merges too. 0 without an index.
    pub merge_conflicts: usize,
    /// Whether jobs ran.
    pub sleep: SleepVerdict,
    /// Number of changes that jobs made.
    pub changes: usize,
    /// Changed files that are neither notes nor attachments, and stay uncommitted.
    pub left: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SleepVerdict {
    /// No job is due.
    #[default]
    NotDue,
    /// Jobs are due, and run after the merge unless this is a preview.
    Due,
    /// The due jobs ran.
    Done,
    /// Not run, because of `--no-sleep`, another sleep, or the lease of another machine.
    Skipped,
}

/// Syncs the vault.
pub fn sync(session: &Session, request: &SyncRequest) -> Result<SyncReport> {
    let root = session.vault.root();
    if !may_be_in_work_tree(root) {
        let message = format!("`{}` is not in a git work tree", root.display());
        return Err(Error::new(message).hint("run `git init` there, or clone a vault"));
    }
    let git = Git::of(root)?;
    let begun = session.homes.syncing();
    let _lock = if request.dry_run {
        None
    } else {
        let lock = Lock::acquire(&session.homes.sync_lock(), &session.env.holder())?;
        let was_killed = begun.exists();
        work_tree::recover(&git, was_killed)?;
        if was_killed {
            unstage(&git)?;
        }
        Some(lock)
    };
    if let Some(obstacle) = git.obstacle()? {
        return Err(Error::new(format!("nothing was synced: {obstacle}"))
            .hint("see `git status`; finish or abort it first"));
    }
    let remote = Remote::of(&git)?;
    let mut sync = Sync {
        session,
        request,
        git: &git,
        remote: &remote,
        report: SyncReport {
            dry_run: request.dry_run,
            remote: remote.title(),
            committed: Vec::new(),
            received: 0,
            sent: 0,
            conflicts: Vec::new(),
            merge_conflicts: 0,
            sleep: SleepVerdict::NotDue,
            changes: 0,
            left: Vec::new(),
        },
    };
    if request.dry_run {
        sync.preview()?;
        return Ok(sync.report);
    }
    let failed = |error: io::Error| Error::io("write to", &begun, &error);
    own_files::write_atomically(&begun, b"").map_err(failed)?;
    let synced = sync.run();
    let _ = fs::remove_file(&begun);
    synced?;
    let mut report = sync.report;
    // The sync is complete, whatever the state of the index.
    report.merge_conflicts = count_merge_conflicts(session).unwrap_or_default();
    Ok(report)
}

struct Sync<'s> {
    session: &'s Session,
    request: &'s SyncRequest,
    git: &'s Git,
    remote: &'s Remote<'s>,
    report: SyncReport,
}

impl Sync<'_> {
    fn run(&mut self) -> Result<()> {
        self.exchange()?;
        if self.request.no_sleep || !is_sleep_due(self.session)? {
            return Ok(());
        }
        let (device, now) = (self.session.env.device()?, || {
            self.session.env.now.timestamp() + self.session.env.started.elapsed()
        });
        self.report.sleep = SleepVerdict::Skipped;
        let output = &self.session.env.output;
        match lease::take(self.remote, device.name(), now()) {
            Ok(None) => {}
            Ok(Some(held)) => {
                let until = self.session.env.local_time(held.until);
                output.say(&format!(
                    "machine {} runs the jobs until {until}",
                    held.device
                ));
                return Ok(());
            }
            Err(error) => {
                let why = error.message();
                output.warn(&format!("no job was run: cannot take the lease: {why}"));
                return Ok(());
            }
        }
        let slept = self.sleep_and_push();
        let released = lease::release(self.remote, device.name(), now());
        slept.and(released)
    }

    fn sleep_and_push(&mut self) -> Result<()> {
        // The previous holder may have pushed after the last fetch.
        self.exchange()?;
        if !is_sleep_due(self.session)? {
            self.report.sleep = SleepVerdict::NotDue;
            return Ok(());
        }
        if self.sleep()? {
            self.report.sleep = SleepVerdict::Done;
            self.exchange()?;
        }
        Ok(())
    }

    /// Runs the due jobs and commits their changes; false if another sleep is running.
    fn sleep(&mut self) -> Result<bool> {
        // Settings may have changed with the merge.
        let session = &self.session.env.open()?;
        let Ok(_lock) = sleep::lock(session, false) else {
            return Ok(false);
        };
        let env = &session.env;
        if let Some(deadline) = Instant::now().checked_add(lease::LEASE_TIME * 4 / 5) {
            env.stop.set_deadline(deadline);
        }
        let request = SleepRequest {
            commit: Some(Commit::Always),
            ..SleepRequest::default()
        };
        let slept = sleep::sleep(session, &request, &|_| {})?;
        for error in slept.errors {
            env.output.warn(&error.message());
        }
        let steps = slept.report.jobs.iter();
        let jobs = steps.filter(|job| job.job != Step::Index.name());
        self.report.changes += jobs.map(|job| job.changed).sum::<usize>();
        slept.committed.map(|_| true)
    }

    /// Commits, merges and pushes until the remote has all commits.
    fn exchange(&mut self) -> Result<()> {
        let mut last = None;
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                thread::sleep(Duration::from_millis(50 << attempt));
            }
            self.commit()?;
            self.remote.fetch()?;
            let tip = self.remote.tip()?;
            if let Some(tip) = &tip
                && !self.merge(tip)?
            {
                continue;
            }
            let sent = self.count(tip.as_deref(), "HEAD")?;
            if sent > 0 {
                match self.remote.push()? {
                    PushResult::Done => self.report.sent += sent,
                    // Without a new commit there, the server refuses for another reason.
                    PushResult::Failed(error) if attempt > 1 && last == Some(tip.clone()) => {
                        return Err(error);
                    }
                    PushResult::Failed(_) => {
                        last = Some(tip);
                        continue;
                    }
                }
            }
            return self.publish();
        }
        Err(Error::new(format!(
            "other machines pushed to `{}` first, {MAX_ATTEMPTS} times; all changes are committed",
            self.report.remote
        ))
        .hint("run `mem sync` again later"))
    }

    /// Publishes runs for undo elsewhere. A server may refuse these refs.
    fn publish(&self) -> Result<()> {
        let runs = published::pending(self.session, self.remote)?;
        if let Err(error) = published::publish(self.session, self.remote, &runs) {
            let why = error.message();
            let output = &self.session.env.output;
            output.warn(&format!("other machines cannot undo these runs: {why}"));
        }
        Ok(())
    }

    /// Commits own changes. Interrupted runs are recovered first, and the lock keeps others away.
    fn commit(&mut self) -> Result<()> {
        let session = self.session;
        let recovered = recover_only(&session.vault, &session.homes, &session.env.run_info())?;
        record_recovered(session, &recovered);
        let _lock = self.lock()?;
        let (known, new) = self.changed()?;
        if known.is_empty() && new.is_empty() {
            return Ok(());
        }
        let runs = published::pending(session, self.remote)?;
        let all: Vec<String> = [known.clone(), new.clone()].concat();
        let message = self.message(&all, &runs);
        self.git.commit(&known, &new, &message)?;
        self.report.committed.extend(all);
        Ok(())
    }

    fn lock(&self) -> Result<Lock> {
        let env = &self.session.env;
        let (path, patience) = (self.session.homes.lock(), env.run_info().patience);
        Ok(Lock::wait(&path, &env.holder(), patience)?)
    }

    /// Returns the changed files to commit: tracked and untracked ones.
    fn changed(&mut self) -> Result<(Vec<String>, Vec<String>)> {
        let (mut known, mut new) = (Vec::new(), Vec::new());
        self.report.left.clear();
        for (path, letters) in self.git.changed(".")? {
            let is_new = letters == "??";
            let is_staged = !is_new && !letters.starts_with(' ');
            let exists = self.session.vault.root().join(&path).exists();
            if !is_synced(&path) {
                self.report.left.extend((!is_new).then_some(path));
            } else if is_staged && (!letters.ends_with(' ') || letters == "D " && exists) {
                let message =
                    format!("nothing was synced: `{path}` is staged and was edited since");
                return Err(Error::new(message).hint("commit it, or unstage it with `git reset`"));
            } else if is_new {
                new.push(path);
            } else {
                known.push(path);
            }
        }
        Ok((known, new))
    }

    fn message(&self, files: &[String], runs: &[FinishedRun]) -> String {
        let identity = self.session.env.device();
        let device = identity.map_or_else(|_| String::new(), |it| format!(" of {}", it.name()));
        let notes = files.iter().filter(|path| is_note_name(path)).count();
        let mut message = match &self.request.message {
            Some(message) => message.clone(),
            None if notes == 0 => format!("mem sync: records{device}"),
            None => format!("mem sync: {}{device}", count(notes, "note")),
        };
        let history = History::new(self.session.vault.fs(), &self.session.homes);
        message.push_str("\n\n");
        for entry in runs {
            let _ = writeln!(message, "- {}", describe_run(entry, &history));
        }
        message.push('\n');
        for entry in runs {
            let _ = writeln!(message, "{RUN_TRAILER}: {}", entry.run.id);
        }
        message
    }

    /// Merges `tip` and moves the work tree; false if a note was saved meanwhile.
    fn merge(&mut self, tip: &str) -> Result<bool> {
        if self.git.contains("HEAD", tip)? {
            self.remote.set_seen(tip)?;
            return Ok(true);
        }
        let received = self.count(Some("HEAD"), tip)?;
        let (commit, conflicts) = self.merged(tip, received)?;
        let _lock = self.lock()?;
        if !work_tree::move_to(self.git, &commit, &self.session.env.now)? {
            return Ok(false);
        }
        self.report.received += received;
        self.report.conflicts.extend(conflicts);
        self.remote.set_seen(tip)?;
        Ok(true)
    }

    /// Returns a commit that contains HEAD and `tip`.
    fn merged(&self, tip: &str, received: usize) -> Result<(String, Vec<Conflict>)> {
        if self.git.contains(tip, "HEAD")? {
            return Ok((tip.to_owned(), Vec::new()));
        }
        let received = count(received, "commit");
        let title = format!("mem sync: merge {received} of {}", self.report.remote);
        merge::merge(self.git, &self.report.remote, &title)
    }

    /// Returns the number of commits of `newer` that `older` lacks.
    fn count(&self, older: Option<&str>, newer: &str) -> Result<usize> {
        let range = older.map_or_else(|| newer.to_owned(), |older| format!("{older}..{newer}"));
        let number = self.git.text("rev-list --count", &[&range])?;
        Ok(number.trim_end().parse().unwrap_or_default())
    }

    /// Fetches, and computes what a sync would do; changes neither notes nor branches.
    fn preview(&mut self) -> Result<()> {
        let (known, new) = self.changed()?;
        self.report.committed = [known, new].concat();
        self.remote.fetch()?;
        let tip = self.remote.tip()?;
        self.report.sent = self.count(tip.as_deref(), "HEAD")?;
        if let Some(tip) = tip {
            self.report.received = self.count(Some("HEAD"), &tip)?;
            if self.report.received > 0 {
                self.report.conflicts = self.merged(&tip, self.report.received)?.1;
            }
        }
        if !self.request.no_sleep && is_sleep_due(self.session)? {
            self.report.sleep = SleepVerdict::Due;
        }
        Ok(())
    }
}

/// Removes files from the index that a killed `git commit` staged.
fn unstage(git: &Git) -> Result<()> {
    let mut staged = String::new();
    for (path, letters) in git.changed(".")? {
        if !letters.starts_with([' ', '?']) && is_synced(&path) {
            let _ = write!(staged, ":(literal){path}\0");
        }
    }
    if staged.is_empty() {
        return Ok(());
    }
    git.run_on_paths("reset -q", &staged)
}

/// Whether a job other than the index pass is due, on any machine.
fn is_sleep_due(session: &Session) -> Result<bool> {
    let state = SleepState::load(&session.state_folder(), &session.env.device()?);
    let cache = Cache::open(&session.homes.cache, session.index.language).ok();
    let due = sleep::due(session, &state, cache.as_ref(), &[], None)?;
    let mut jobs = due.iter().filter(|(step, _)| *step != Step::Index);
    Ok(jobs.any(|(_, due)| *due == DueTime::Now))
}

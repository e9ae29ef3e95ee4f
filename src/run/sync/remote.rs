//! The branch of a remote with which a vault is synced.
//!
//! Records of mem are refs that git neither shows nor fetches by itself:
//!
//! ```text
//! refs/mem/seen/<remote>/<branch>  the last commit of the branch that was merged or pushed
//! refs/mem/rescue/<time>           the commit of the work tree before a merge, for the last ten
//! refs/mem/target                  the commit that the work tree is being moved to
//! refs/mem/lease                   on the remote: the machine that runs the jobs
//! refs/mem/runs/<device>           on the remote: the records of runs, for `mem undo` elsewhere
//! refs/mem/from/<remote>/          the last two as fetched
//! ```

use crate::run::prelude::*;

pub struct Remote<'g> {
    pub git: &'g Git,
    name: String,
    branch: String,
}

/// The result of a push.
pub enum PushResult {
    Done,
    /// Others may have pushed first.
    Failed(Error),
}

impl<'g> Remote<'g> {
    /// Returns the upstream of the current branch, or the branch of the same name on the only
    /// remote or on `origin`.
    pub fn of(git: &'g Git) -> Result<Self> {
        let head = git.text("symbolic-ref --short HEAD", &[])?;
        let local = head.trim_end();
        let upstream = |key| git.answer("config", &[&format!("branch.{local}.{key}")]);
        let listing = git.text("remote", &[])?;
        let mut remotes: Vec<&str> = listing.lines().collect();
        if remotes.len() > 1 {
            remotes.retain(|name| *name == "origin");
        }
        let configured = upstream("remote")?.or(remotes.first().map(|name| (*name).to_owned()));
        let name = configured.ok_or_else(|| {
            Error::new("the repository has no remote to sync with")
                .hint("add one with `git remote add origin URL`")
        })?;
        let reference = upstream("merge")?.unwrap_or_default();
        let branch = reference.strip_prefix("refs/heads/").unwrap_or(local);
        Ok(Self {
            git,
            name,
            branch: branch.to_owned(),
        })
    }

    /// Returns remote and branch for a person.
    pub fn title(&self) -> String {
        format!("{}/{}", self.name, self.branch)
    }

    /// The ref with the last fetched commit of the branch.
    fn tracking(&self) -> String {
        format!("refs/remotes/{}", self.title())
    }

    fn seen(&self) -> String {
        format!("refs/mem/seen/{}", self.title())
    }

    /// The ref with a fetched record of mem.
    pub fn record(&self, name: &str) -> String {
        format!("refs/mem/from/{}/{name}", self.name)
    }

    /// Fetches the branch and the records of mem.
    pub fn fetch(&self) -> Result<()> {
        let Self { git, name, branch } = self;
        // Git may have fetched or pushed commits since the last sync.
        if let Some(known) = git.commit_id(&self.tracking())? {
            let seen = git.commit_id(&self.seen())?;
            if seen.map_or(Ok(true), |seen| git.contains(&known, &seen))? {
                git.set_ref(&self.seen(), &known)?;
            }
        }
        // A pattern may match nothing: a new remote has no branch yet.
        let refs = [
            format!("+refs/heads/{branch}*:refs/remotes/{name}/{branch}*"),
            format!("+refs/mem/lease*:{}*", self.record("lease")),
            format!("+refs/mem/runs/*:{}/*", self.record("runs")),
        ];
        let [branch, lease, runs] = refs.each_ref().map(String::as_str);
        let fetched = git.transfer("fetch --quiet --prune", &[name, branch, lease, runs]);
        fetched.map(drop)
    }

    /// Returns the fetched commit of the branch; refuses one that does not contain the last seen.
    pub fn tip(&self) -> Result<Option<String>> {
        let tip = self.git.commit_id(&self.tracking())?;
        let Some(seen) = self.git.commit_id(&self.seen())? else {
            return Ok(tip);
        };
        if let Some(tip) = &tip
            && self.git.contains(tip, &seen)?
        {
            return Ok(Some(tip.clone()));
        }
        let (title, seen_ref) = (self.title(), self.seen());
        let what = tip.map_or("was removed", |_| "was rewritten");
        Err(Error::new(format!(
            "`{title}` {what}: it no longer contains {seen:.10}, which this machine has seen there; nothing was merged or pushed"
        ))
        .hint(format!("compare with `git log {seen:.10} {title}`, and restore the branch there"))
        .hint(format!("to accept it as it is, run `git update-ref -d {seen_ref}` and sync again")))
    }

    /// Records that the work tree contains `commit` of the branch.
    pub fn set_seen(&self, commit: &str) -> Result<()> {
        self.git.set_ref(&self.seen(), commit)
    }

    /// Pushes the current commit to the branch, without force.
    pub fn push(&self) -> Result<PushResult> {
        let Self { git, name, branch } = self;
        let to = format!("HEAD:refs/heads/{branch}");
        match git.transfer("push --quiet", &[name, &to]) {
            Ok(_) => {
                let pushed = git.text("rev-parse HEAD", &[])?;
                self.set_seen(pushed.trim_end())?;
                Ok(PushResult::Done)
            }
            Err(error) => Ok(PushResult::Failed(error)),
        }
    }

    /// Pushes `commit` to a record of mem on the remote, without force.
    pub fn push_record(&self, commit: &str, record: &str) -> Result<()> {
        let to = format!("{commit}:refs/mem/{record}");
        self.git.transfer("push --quiet", &[&self.name, &to])?;
        self.git.set_ref(&self.record(record), commit)
    }
}

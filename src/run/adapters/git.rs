//! Runs the `git` program.
//!
//! Paths are literal and NUL-terminated, and git never prompts on the terminal.

use std::io::Write as _;
use std::process::{Command, Output};

use super::{failed, run};
use crate::run::prelude::*;

/// Files in git's folder that exist while an operation is in progress.
const IN_PROGRESS_FILES: [(&str, &str); 6] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisect"),
];

/// Prefix for literal pathspecs. Unlike the environment variable, hooks do not inherit it.
const LITERAL_PREFIX: &str = ":(literal)";

/// Whether `folder` may be in a work tree; does not need git.
pub fn may_be_in_work_tree(folder: &Path) -> bool {
    let mut above = folder.ancestors();
    above.any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// State of the work tree below a vault; paths are relative to the vault.
#[derive(Debug)]
pub struct WorkTree {
    pub git: Git,
    pub tracked: HashSet<String>,
    /// Files that differ from the last commit, untracked ones included, with the two status letters
    /// of `git status`:
    /// index against commit, and file against index.
    pub changed: BTreeMap<String, String>,
}

impl WorkTree {
    /// Reads the work tree that contains `folder`.
    pub fn of(folder: &Path) -> Result<Self> {
        let git = Git::of(folder)?;
        Ok(Self {
            tracked: git.tracked()?,
            changed: git.changed(".")?,
            git,
        })
    }

    /// Reads only the state of mem's own files.
    pub fn of_own_files(folder: &Path) -> Result<Self> {
        Ok(Self {
            git: Git::of(folder)?,
            tracked: HashSet::new(),
            changed: BTreeMap::new(),
        })
    }

    /// Whether the file at `path` is tracked and differs from the last commit.
    pub fn is_dirty(&self, path: &str) -> bool {
        let letters = self.changed.get(path);
        letters.is_some_and(|letters| letters != "??")
    }
}

/// The `git` program in a vault.
#[derive(Clone, Debug)]
pub struct Git {
    /// The root of the vault.
    folder: PathBuf,
    /// Path of the vault in the work tree: empty, or ending in `/`.
    pub prefix: String,
    /// The `.git` folder.
    pub own_folder: PathBuf,
    /// The index file, if not that of the work tree.
    pub index: Option<PathBuf>,
}

/// Name of the merge driver in git's configuration and attributes.
const DRIVER: &str = "merge.mem";

impl Git {
    /// Finds the work tree that contains `folder`.
    pub fn of(folder: &Path) -> Result<Self> {
        let mut git = Self {
            folder: folder.to_owned(),
            prefix: String::new(),
            own_folder: PathBuf::new(),
            index: None,
        };
        let output = git.text("rev-parse --absolute-git-dir --show-prefix", &[])?;
        let mut lines = output.split('\n');
        git.own_folder = lines.next().unwrap_or_default().into();
        lines.next().unwrap_or_default().clone_into(&mut git.prefix);
        Ok(git)
    }

    /// Returns git at the root of the work tree, which may be above the vault.
    pub fn of_whole_work_tree(&self) -> Result<Self> {
        let root = self.text("rev-parse --show-toplevel", &[])?;
        Self::of(Path::new(root.trim_end_matches('\n')))
    }

    fn command(&self, command: &str, more: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.arg("-C")
            .arg(&self.folder)
            .args(["-c", "core.quotepath=off"])
            .args(command.split(' '))
            .args(more)
            .env("GIT_TERMINAL_PROMPT", "0");
        // Set when git runs mem, for example in a hook; the vault may be in another work tree.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            git.env_remove(name);
        }
        if let Some(index) = &self.index {
            git.env("GIT_INDEX_FILE", index);
        }
        git
    }

    /// Runs git with `input` on stdin; the exit status is not checked.
    ///
    /// `command` is split at blanks; the arguments in `more` may contain them.
    pub fn run(&self, command: &str, more: &[&str], input: &str) -> Result<Output> {
        Self::ended(&mut self.command(command, more), input)
    }

    fn ended(git: &mut Command, input: &str) -> Result<Output> {
        let ended = run(git, input.as_bytes());
        let ended = ended.map_err(|error| Error::new("cannot run `git`").caused_by(&error))?;
        Ok(ended.0)
    }

    /// Runs git with `input` on stdin; returns its output, or the error that it prints.
    pub fn succeed(&self, command: &str, more: &[&str], input: &str) -> Result<String> {
        checked(command, &self.run(command, more, input)?)
    }

    pub fn text(&self, command: &str, more: &[&str]) -> Result<String> {
        self.succeed(command, more, "")
    }

    /// Runs a command that talks to a remote. A remote that does not answer for a minute is an error, unless git's
    /// settings have other limits.
    pub fn transfer(&self, command: &str, more: &[&str]) -> Result<String> {
        let mut git = self.command(command, more);
        let limits = ["^(http.*lowspeedtime|core.sshcommand)$"];
        let set = self.answer("config --name-only --get-regexp", &limits)?;
        let set = set.unwrap_or_default();
        if !set.contains("http.") {
            git.env("GIT_HTTP_LOW_SPEED_LIMIT", "1");
            git.env("GIT_HTTP_LOW_SPEED_TIME", "60");
        }
        let is_unset = |name| std::env::var_os(name).is_none();
        if !set.contains("core.") && ["GIT_SSH_COMMAND", "GIT_SSH"].into_iter().all(is_unset) {
            let ssh = "ssh -o ConnectTimeout=60 -o ServerAliveInterval=20";
            git.env("GIT_SSH_COMMAND", ssh);
        }
        checked(command, &Self::ended(&mut git, "")?)
    }

    /// Runs git on NUL-terminated pathspecs.
    pub fn run_on_paths(&self, command: &str, paths: &str) -> Result<()> {
        let from_stdin = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        self.succeed(command, &from_stdin, paths).map(drop)
    }

    /// Returns the latest committed texts of the file at `path`, newest first.
    pub fn versions(&self, path: &str, most: usize) -> Result<Vec<String>> {
        let pathspec = format!("{LITERAL_PREFIX}{path}");
        let commits = self.text(&format!("log -{most} --format=%H --"), &[&pathspec])?;
        let text = |commit: &str| self.text("show", &[&format!("{commit}:./{path}")]).ok();
        Ok(commits.lines().filter_map(text).collect())
    }

    /// Returns the command of the merge driver in the configuration of this clone, if there is one.
    pub fn driver(&self) -> Result<Option<String>> {
        let key = format!("{DRIVER}.driver");
        let found = self.run("config --local --get", &[&key], "")?;
        let command = String::from_utf8_lossy(&found.stdout).trim_end().to_owned();
        Ok((!command.is_empty()).then_some(command))
    }

    /// Sets the command of the merge driver in the configuration of this clone, or removes it.
    pub fn set_driver(&self, command: Option<&str>) -> Result<()> {
        let Some(command) = command else {
            let remove = "config --local --remove-section";
            return self.text(remove, &[DRIVER]).map(drop);
        };
        for (key, value) in [("name", "notes by structure (mem)"), ("driver", command)] {
            self.text("config --local", &[&format!("{DRIVER}.{key}"), value])?;
        }
        Ok(())
    }

    /// Returns the output without the last line break; `None` if git fails.
    pub fn answer(&self, command: &str, more: &[&str]) -> Result<Option<String>> {
        let ended = self.run(command, more, "")?;
        let output = String::from_utf8_lossy(&ended.stdout);
        let is_success = ended.status.success();
        Ok(is_success.then(|| output.trim_end().to_owned()))
    }

    /// Returns the id of a commit; `None` if it does not exist.
    pub fn commit_id(&self, name: &str) -> Result<Option<String>> {
        self.answer("rev-parse -q --verify", &[&format!("{name}^{{commit}}")])
    }

    /// Whether `newer` contains the commit `older`.
    pub fn contains(&self, newer: &str, older: &str) -> Result<bool> {
        let answer = self.answer("merge-base --is-ancestor", &[older, newer])?;
        Ok(answer.is_some())
    }

    pub fn set_ref(&self, name: &str, id: &str) -> Result<()> {
        self.text("update-ref", &[name, id]).map(drop)
    }

    pub fn delete_ref(&self, name: &str) -> Result<()> {
        self.text("update-ref -d", &[name]).map(drop)
    }

    /// Returns why no commit should be made now, as a clause; none if it may.
    pub fn obstacle(&self) -> Result<Option<String>> {
        let in_progress = IN_PROGRESS_FILES
            .iter()
            .find(|(name, _)| self.own_folder.join(name).exists());
        if let Some((_, operation)) = in_progress {
            return Ok(Some(format!("{operation} is in progress")));
        }
        Ok(if self.answer("symbolic-ref -q HEAD", &[])?.is_none() {
            Some("no branch is checked out".to_owned())
        } else if self.commit_id("HEAD")?.is_none() {
            Some("the repository has no commits".to_owned())
        } else {
            None
        })
    }

    fn tracked(&self) -> Result<HashSet<String>> {
        let output = self.text("ls-files -z", &[])?;
        Ok(output.split('\0').map(str::to_owned).collect())
    }

    /// Returns the files below `folder` that differ from the last commit.
    pub fn changed(&self, folder: &str) -> Result<BTreeMap<String, String>> {
        let status =
            "--no-optional-locks status --porcelain -z --no-renames --untracked-files=all --";
        let output = self.text(status, &[folder])?;
        let mut changed = BTreeMap::new();
        for entry in output.split('\0') {
            let (letters, path) = (entry.get(..2), entry.get(3..));
            let path = path.and_then(|path| path.strip_prefix(self.prefix.as_str()));
            if let (Some(letters), Some(path)) = (letters, path) {
                // A file that is deleted in the index but exists is listed a second time as
                // untracked.
                let known = changed.entry(path.to_owned());
                known.or_insert_with(|| letters.to_owned());
            }
        }
        Ok(changed)
    }

    /// Whether the last commit has `text` at `path`, after the conversions that git attributes
    /// require.
    pub fn has_committed(&self, path: &str, text: &str) -> Result<bool> {
        let blob = format!("HEAD:./{path}");
        let committed = self.run("rev-parse -q --verify", &[&blob], "")?;
        let as_path = format!("--path={path}");
        let id = self.succeed("hash-object --stdin", &[&as_path], text)?;
        Ok(committed.status.success() && committed.stdout == id.as_bytes())
    }

    /// Returns the `paths` that git does not ignore.
    pub fn not_ignored(&self, mut paths: Vec<String>) -> Result<Vec<String>> {
        if paths.is_empty() {
            return Ok(paths);
        }
        let ended = self.run("check-ignore -z --stdin", &[], &nul_ended(&paths, ""))?;
        // Exit status 1 means that no path is ignored.
        if ended.status.code().is_none_or(|code| code > 1) {
            return Err(failed("git check-ignore", &ended));
        }
        let output = String::from_utf8_lossy(&ended.stdout);
        let ignored: HashSet<&str> = output.split('\0').collect();
        paths.retain(|path| !ignored.contains(path.as_str()));
        Ok(paths)
    }

    /// Commits only the `known` and `new` files; other staged changes stay staged.
    ///
    /// Returns the abbreviated hash. If the commit fails, the index is restored.
    pub fn commit(&self, known: &[String], new: &[String], message: &str) -> Result<String> {
        let new = nul_ended(new, LITERAL_PREFIX);
        if !new.is_empty() {
            self.run_on_paths("add", &new)?;
        }
        let committed = self.commit_only(&(nul_ended(known, LITERAL_PREFIX) + &new), message);
        if committed.is_err() && !new.is_empty() {
            self.run_on_paths("reset -q", &new)?;
        }
        committed?;
        // Git reads each file twice: a note that is saved between is older in the index than in the commit.
        let all = nul_ended(known, LITERAL_PREFIX) + &new;
        // The commit is made, whether or not this works.
        let _ = self.run_on_paths("reset -q --no-refresh", &all);
        let id = self.text("rev-parse --short HEAD", &[])?;
        Ok(id.trim_end().to_owned())
    }

    fn commit_only(&self, paths: &str, message: &str) -> Result<()> {
        let cannot = |error: io::Error| Error::new("cannot write a file for git").caused_by(&error);
        let mut file = tempfile::NamedTempFile::new().map_err(cannot)?;
        file.write_all(paths.as_bytes()).map_err(cannot)?;
        let from = format!("--pathspec-from-file={}", file.path().display());
        let commit = "commit --only --quiet --file=- --pathspec-file-nul";
        self.succeed(commit, &[&from], message).map(drop)
    }
}

/// Returns the output of git, or the error that it prints.
fn checked(command: &str, ended: &Output) -> Result<String> {
    if ended.status.success() {
        return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
    }
    let name = command.split(' ').find(|word| !word.starts_with('-'));
    Err(failed(&format!("git {}", name.unwrap_or("")), ended))
}

fn nul_ended(paths: &[String], before: &str) -> String {
    let paths = paths.iter().map(|path| format!("{before}{path}\0"));
    paths.collect()
}

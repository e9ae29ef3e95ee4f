//! Git as a program.
//!
//! Names are taken literally and end with NUL; nothing may ask at a terminal.

use std::io::Write as _;
use std::process::{Command, Output};

use super::{failed, run};
use crate::run::prelude::*;

/// What lies in git's own folder while it waits for a person to go on.
const UNDER_WAY: [(&str, &str); 6] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_LOG", "a bisect"),
];

/// What makes git take a name for nothing but a name; hooks do not see it, as they would a variable.
const LITERAL: &str = ":(literal)";

const FROM_STDIN: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];

/// Returns true if a folder may lie in a work tree; git need not be there to tell.
pub fn may_be_in_work_tree(folder: &Path) -> bool {
    let mut above = folder.ancestors();
    above.any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// The part of a work tree that a vault is, at one moment; paths are the vault's.
#[derive(Debug)]
pub struct WorkTree {
    pub git: Git,
    pub tracked: HashSet<String>,
    /// The files that differ from the last commit, untracked ones included, each with its two letters of
    /// `git status`: how the index differs from the commit, and how the file differs from the index.
    pub changed: BTreeMap<String, String>,
}

impl WorkTree {
    /// Looks at the work tree that `folder` lies in.
    pub fn of(folder: &Path) -> Result<Self> {
        let git = Git::of(folder)?;
        Ok(Self {
            tracked: git.tracked()?,
            changed: git.changed()?,
            git,
        })
    }

    /// Returns true if something of the file at `path` was staged.
    pub fn is_staged(&self, path: &str) -> bool {
        let letters = self.changed.get(path);
        letters.is_some_and(|letters| !letters.starts_with([' ', '?']))
    }

    /// Returns true if git knows the file at `path` and it differs from the last commit.
    pub fn is_dirty(&self, path: &str) -> bool {
        let letters = self.changed.get(path);
        letters.is_some_and(|letters| letters != "??")
    }
}

/// Git, called for a vault.
#[derive(Debug)]
pub struct Git {
    /// The root of the vault.
    folder: PathBuf,
    /// Where that lies in the work tree: empty, or ending in `/`.
    prefix: String,
    /// Git's own folder.
    own_folder: PathBuf,
}

impl Git {
    fn of(folder: &Path) -> Result<Self> {
        let mut git = Self {
            folder: folder.to_owned(),
            prefix: String::new(),
            own_folder: PathBuf::new(),
        };
        let output = git.text(&["rev-parse", "--absolute-git-dir", "--show-prefix"])?;
        let mut lines = output.split('\n');
        git.own_folder = lines.next().unwrap_or_default().into();
        lines.next().unwrap_or_default().clone_into(&mut git.prefix);
        Ok(git)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(&self.folder)
            .args(["-c", "core.quotepath=off"])
            .args(arguments)
            .env("GIT_TERMINAL_PROMPT", "0");
        // Set where git itself calls mem; the vault may lie in another work tree.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs it with `input`, however it ends.
    fn run(&self, arguments: &[&str], input: &str) -> Result<Output> {
        let ended = run(&mut self.command(arguments), input.as_bytes());
        Ok(ended
            .map_err(|error| Error::new("cannot run `git`").caused_by(&error))?
            .0)
    }

    fn succeed(&self, arguments: &[&str], input: &str) -> Result<String> {
        let ended = self.run(arguments, input)?;
        if ended.status.success() {
            return Ok(String::from_utf8_lossy(&ended.stdout).into_owned());
        }
        let command = arguments.iter().find(|word| !word.starts_with('-'));
        Err(failed(&format!("git {}", command.unwrap_or(&"")), &ended))
    }

    fn text(&self, arguments: &[&str]) -> Result<String> {
        self.succeed(arguments, "")
    }

    /// Returns why nothing should be committed now, in words after "because" or "while".
    pub fn obstacle(&self) -> Result<Option<String>> {
        let under_way = UNDER_WAY
            .iter()
            .find(|(name, _)| self.own_folder.join(name).exists());
        if let Some((_, operation)) = under_way {
            return Ok(Some(format!("{operation} is in progress")));
        }
        let is_so =
            |question: &[&str]| -> Result<bool> { Ok(self.run(question, "")?.status.success()) };
        Ok(if !is_so(&["symbolic-ref", "-q", "HEAD"])? {
            Some("no branch is checked out".to_owned())
        } else if !is_so(&["rev-parse", "-q", "--verify", "HEAD^{commit}"])? {
            Some("there is no commit yet".to_owned())
        } else {
            None
        })
    }

    fn tracked(&self) -> Result<HashSet<String>> {
        let output = self.text(&["ls-files", "-z"])?;
        Ok(output.split('\0').map(str::to_owned).collect())
    }

    fn changed(&self) -> Result<BTreeMap<String, String>> {
        let status = [
            "--no-optional-locks",
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--",
            ".",
        ];
        let output = self.text(&status)?;
        let mut changed = BTreeMap::new();
        for entry in output.split('\0') {
            let (letters, path) = (entry.get(..2), entry.get(3..));
            let path = path.and_then(|path| path.strip_prefix(self.prefix.as_str()));
            if let (Some(letters), Some(path)) = (letters, path) {
                // A file that was taken out of the index and is still there comes again as untracked.
                let known = changed.entry(path.to_owned());
                known.or_insert_with(|| letters.to_owned());
            }
        }
        Ok(changed)
    }

    /// Returns true if the last commit has `text` as the file at `path`, after all that the attributes
    /// of the work tree do to it.
    pub fn has_committed(&self, path: &str, text: &str) -> Result<bool> {
        let blob = format!("HEAD:./{path}");
        let committed = self.run(&["rev-parse", "-q", "--verify", &blob], "")?;
        let as_path = format!("--path={path}");
        let id = self.succeed(&["hash-object", "--stdin", &as_path], text)?;
        Ok(committed.status.success() && committed.stdout == id.as_bytes())
    }

    /// Returns those of `paths` that git is not told to ignore.
    pub fn not_ignored(&self, mut paths: Vec<String>) -> Result<Vec<String>> {
        if paths.is_empty() {
            return Ok(paths);
        }
        let ended = self.run(&["check-ignore", "-z", "--stdin"], &nul_ended(&paths, ""))?;
        // 1 is for none.
        if ended.status.code().is_none_or(|code| code > 1) {
            return Err(failed("git check-ignore", &ended));
        }
        let output = String::from_utf8_lossy(&ended.stdout);
        let ignored: HashSet<&str> = output.split('\0').collect();
        paths.retain(|path| !ignored.contains(path.as_str()));
        Ok(paths)
    }

    /// Commits the work tree's `known` and `new` files, and nothing else: what is staged stays so.
    ///
    /// Returns the short name of the commit. If git refuses, the index is as it was.
    pub fn commit(&self, known: &[String], new: &[String], message: &str) -> Result<String> {
        let new = nul_ended(new, LITERAL);
        if !new.is_empty() {
            self.succeed(&[&["add"], &FROM_STDIN[..]].concat(), &new)?;
        }
        let committed = self.commit_only(&(nul_ended(known, LITERAL) + &new), message);
        if committed.is_err() && !new.is_empty() {
            self.succeed(&[&["reset", "-q"], &FROM_STDIN[..]].concat(), &new)?;
        }
        committed?;
        let id = self.text(&["rev-parse", "--short", "HEAD"])?;
        Ok(id.trim_end().to_owned())
    }

    fn commit_only(&self, paths: &str, message: &str) -> Result<()> {
        let cannot = |error: io::Error| Error::new("cannot write a file for git").caused_by(&error);
        let mut file = tempfile::NamedTempFile::new().map_err(cannot)?;
        file.write_all(paths.as_bytes()).map_err(cannot)?;
        let from = format!("--pathspec-from-file={}", file.path().display());
        let commit = [
            "commit",
            "--only",
            "--quiet",
            "--file=-",
            &from,
            "--pathspec-file-nul",
        ];
        self.succeed(&commit, message).map(|_| ())
    }
}

fn nul_ended(paths: &[String], before: &str) -> String {
    let paths = paths.iter().map(|path| format!("{before}{path}\0"));
    paths.collect()
}

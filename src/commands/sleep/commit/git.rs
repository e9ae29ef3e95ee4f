//! Git as a program: how it is called, and what it says.
//!
//! Names are taken literally and end with NUL; nothing may ask at a terminal.

use std::collections::HashSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::error::Error;
use crate::note::path::VaultPath;

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

/// The work tree that a vault lies in.
pub(super) struct Git {
    /// The root of the vault.
    folder: PathBuf,
    /// Where that lies in the work tree: empty, or ending in `/`.
    prefix: String,
    /// Git's own folder.
    own: PathBuf,
}

/// A file as the last commit has it.
pub(super) struct Blob {
    /// Its name there.
    pub(super) id: String,
    pub(super) bytes: Vec<u8>,
}

/// Returns true if a folder may lie in a work tree; git need not be there to tell.
pub(super) fn may_be_in_work_tree(folder: &Path) -> bool {
    let mut above = folder.ancestors();
    above.any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

impl Git {
    /// Returns the work tree that `folder` lies in.
    pub(super) fn of(folder: &Path) -> Result<Self, Error> {
        let mut git = Self {
            folder: folder.to_owned(),
            prefix: String::new(),
            own: PathBuf::new(),
        };
        let said = git.text(&["rev-parse", "--absolute-git-dir", "--show-prefix"])?;
        let mut lines = said.split('\n');
        git.own = lines.next().unwrap_or_default().into();
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
            .env("GIT_TERMINAL_PROMPT", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        // Set where git itself calls mem; the vault may lie in another work tree.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs it with `input`, as it ends.
    fn run(&self, arguments: &[&str], input: &[u8]) -> Result<Output, Error> {
        let cannot = |error: io::Error| Error::new("cannot run `git`").caused_by(&error);
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .map_err(cannot)?;
        let stdin = child.stdin.take();
        std::thread::scope(|scope| {
            // Git may begin to answer before it has read all; who does not read closes.
            scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input)));
            child.wait_with_output()
        })
        .map_err(cannot)
    }

    fn succeed(&self, arguments: &[&str], input: &[u8]) -> Result<Vec<u8>, Error> {
        let ended = self.run(arguments, input)?;
        if ended.status.success() {
            return Ok(ended.stdout);
        }
        let said = [&ended.stderr, &ended.stdout].map(|said| String::from_utf8_lossy(said));
        let lines = said.iter().flat_map(|said| said.lines());
        let lines: Vec<&str> = lines.filter(|line| !line.trim().is_empty()).collect();
        Err(Error::new(format!(
            "`git {}` failed ({}): {}",
            arguments.first().unwrap_or(&""),
            ended.status,
            lines.join("; ")
        )))
    }

    fn text(&self, arguments: &[&str]) -> Result<String, Error> {
        let said = self.succeed(arguments, b"")?;
        Ok(String::from_utf8_lossy(&said).into_owned())
    }

    /// Returns why nothing should be committed now, in words after "because" or "while".
    pub(super) fn obstacle(&self) -> Result<Option<String>, Error> {
        let under_way = UNDER_WAY
            .iter()
            .find(|(name, _)| self.own.join(name).exists());
        if let Some((_, what)) = under_way {
            return Ok(Some(format!("{what} is under way")));
        }
        if !self
            .run(&["symbolic-ref", "-q", "HEAD"], b"")?
            .status
            .success()
        {
            return Ok(Some("no branch is checked out".to_owned()));
        }
        let head = ["rev-parse", "-q", "--verify", "HEAD^{commit}"];
        if !self.run(&head, b"")?.status.success() {
            return Ok(Some("there is no commit yet".to_owned()));
        }
        Ok(None)
    }

    /// Returns what in the vault differs from the last commit, untracked files included.
    pub(super) fn uncommitted(&self) -> Result<Vec<String>, Error> {
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
        let said = self.text(&status)?;
        let paths = said.split('\0').filter_map(|entry| entry.get(3..));
        Ok(self.inside(paths).map(str::to_owned).collect())
    }

    /// Returns what in the vault is staged for the next commit.
    pub(super) fn staged(&self) -> Result<HashSet<String>, Error> {
        let diff = [
            "diff-index",
            "--cached",
            "-z",
            "--name-only",
            "--no-renames",
        ];
        let said = self.text(&[&diff[..], &["HEAD", "--"]].concat())?;
        Ok(self.inside(said.split('\0')).map(str::to_owned).collect())
    }

    /// Returns those paths of the work tree that lie in the vault, as the vault calls them.
    fn inside<'p>(&self, paths: impl Iterator<Item = &'p str>) -> impl Iterator<Item = &'p str> {
        paths
            .filter_map(|path| path.strip_prefix(self.prefix.as_str()))
            .filter(|path| !path.is_empty())
    }

    /// Returns what the last commit has of each of `paths`.
    pub(super) fn committed(&self, paths: &[&VaultPath]) -> Result<Vec<Option<Blob>>, Error> {
        let asked: Vec<String> = paths
            .iter()
            .map(|path| format!("HEAD:{}{path}\n", self.prefix))
            .collect();
        let said = self.succeed(&["cat-file", "--batch"], asked.concat().as_bytes())?;
        let strange = || Error::new("git answered what mem cannot read");
        let (mut rest, mut blobs) = (said.as_slice(), Vec::with_capacity(paths.len()));
        for _ in paths {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let (head, after) = rest.split_at(end.ok_or_else(strange)?);
            rest = &after[1..];
            if head.ends_with(b" missing") {
                blobs.push(None);
                continue;
            }
            let head = std::str::from_utf8(head).map_err(|_| strange())?;
            let mut words = head.split(' ');
            let (id, kind, size) = (words.next(), words.next(), words.next());
            let size: usize = size
                .and_then(|size| size.parse().ok())
                .ok_or_else(strange)?;
            let bytes = rest.get(..size).ok_or_else(strange)?.to_vec();
            rest = rest.get(size + 1..).ok_or_else(strange)?;
            let blob = id.filter(|_| kind == Some("blob")).map(|id| Blob {
                id: id.to_owned(),
                bytes,
            });
            blobs.push(blob);
        }
        Ok(blobs)
    }

    /// Returns the name that `text` would have as the file at `path`, with all that the work tree's
    /// attributes do to it.
    pub(super) fn id_of(&self, path: &VaultPath, text: &str) -> Result<String, Error> {
        let as_path = format!("--path={path}");
        let said = self.succeed(&["hash-object", "--stdin", &as_path], text.as_bytes())?;
        Ok(String::from_utf8_lossy(&said).trim_end().to_owned())
    }

    /// Returns those of `paths` that git is not told to ignore.
    pub(super) fn not_ignored(&self, paths: Vec<String>) -> Result<Vec<String>, Error> {
        if paths.is_empty() {
            return Ok(paths);
        }
        let ended = self.run(
            &["check-ignore", "-z", "--stdin"],
            nul_ended(&paths, "").as_bytes(),
        )?;
        // 1 is for none.
        if ended.status.code().is_none_or(|code| code > 1) {
            let said = String::from_utf8_lossy(&ended.stderr).into_owned();
            return Err(Error::new(format!("`git check-ignore` failed: {said}")));
        }
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        let ignored: HashSet<&str> = said.split('\0').collect();
        let kept = paths.into_iter();
        Ok(kept
            .filter(|path| !ignored.contains(path.as_str()))
            .collect())
    }

    /// Commits the work tree's `known` and `new` files, and nothing else: what is staged stays so.
    ///
    /// Returns the name of the commit. If git refuses, what is staged is as it was.
    pub(super) fn commit(
        &self,
        known: &[String],
        new: &[String],
        message: &str,
    ) -> Result<String, Error> {
        const FROM_STDIN: [&str; 2] = ["--pathspec-from-file=-", "--pathspec-file-nul"];
        let new = nul_ended(new, LITERAL);
        if !new.is_empty() {
            self.succeed(&[&["add"], &FROM_STDIN[..]].concat(), new.as_bytes())?;
        }
        let committed = self.commit_added(&(nul_ended(known, LITERAL) + &new), message);
        if committed.is_err() && !new.is_empty() {
            // They were not there before.
            let forget = [&["reset", "-q"], &FROM_STDIN[..]].concat();
            self.succeed(&forget, new.as_bytes())?;
        }
        committed?;
        let id = self.text(&["rev-parse", "--short", "HEAD"])?;
        Ok(id.trim_end().to_owned())
    }

    fn commit_added(&self, paths: &str, message: &str) -> Result<(), Error> {
        let cannot = |error: io::Error| Error::new("cannot write a file for git").caused_by(&error);
        let mut file = tempfile::NamedTempFile::new().map_err(cannot)?;
        file.write_all(paths.as_bytes()).map_err(cannot)?;
        file.flush().map_err(cannot)?;
        let from = format!("--pathspec-from-file={}", file.path().display());
        let commit = [
            "commit",
            "--quiet",
            "--file=-",
            &from,
            "--pathspec-file-nul",
        ];
        self.succeed(&commit, message.as_bytes()).map(|_| ())
    }
}

fn nul_ended(paths: &[String], before: &str) -> String {
    let paths = paths.iter().map(|path| format!("{before}{path}\0"));
    paths.collect()
}

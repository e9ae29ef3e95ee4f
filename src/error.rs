//! Error messages and exit codes.
//!
//! Lower layers have specific error types. Here they become user messages: what failed, why, and
//! what to do next. [`run`](crate::run) prints them once.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;

use crate::cache::CacheError;
use crate::change::ChangeError;
use crate::change::acts::ActError;
use crate::embed::EmbedError;
use crate::note::path::OutsideVault;
use crate::vault::walk::WalkError;
use crate::vault::{LockError, OpenError, ReadError};

/// Exit code that shells report for a process ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Hint while another process has the lock.
const WAIT: &str = "it is safe to wait and run the command again";

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Done, or found.
    Done,
    /// Nothing found, or a check found problems.
    Nothing,
    /// Ctrl-C at a prompt.
    Interrupted,
}

impl Exit {
    /// Returns [`Exit::Done`] if `found`.
    pub fn found(found: bool) -> Self {
        if found { Self::Done } else { Self::Nothing }
    }

    /// Returns [`Exit::Done`] if both are.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self::found(self == Self::Done && other == Self::Done)
    }
}

/// Result with [`Error`] as the default error type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error for the user.
#[derive(Clone, Debug)]
#[must_use]
pub struct Error {
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    quiet: bool,
}

impl Error {
    /// Creates an error with `message`, which has no final period.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            causes: Vec::new(),
            hints: Vec::new(),
            quiet: false,
        }
    }

    /// Adds a hint what to do next.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds the cause and its own causes.
    pub fn caused_by(mut self, cause: &dyn StdError) -> Self {
        let mut next = Some(cause);
        while let Some(cause) = next {
            let message = cause.to_string();
            if self.causes.last() != Some(&message) && self.message != message {
                self.causes.push(message);
            }
            next = cause.source();
        }
        self
    }

    /// The reader of stdout closed it; not reported.
    pub fn broken_pipe() -> Self {
        Self {
            quiet: true,
            ..Self::new("broken pipe")
        }
    }

    /// Whether it ends the run silently and with success.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// An I/O error with `path`.
    pub fn io(doing: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(format!("cannot {doing} `{}`", path.display())).caused_by(error)
    }

    /// Prefixes the message with the failed activity, for runs with several.
    pub fn during(mut self, activity: &str) -> Self {
        self.message = format!("{activity}: {}", self.message);
        self
    }

    /// Returns the message without causes and hints.
    pub fn message(&self) -> String {
        self.message.clone()
    }

    /// Returns the hints what to do next.
    pub fn hints(&self) -> impl Iterator<Item = &str> {
        self.hints.iter().map(String::as_str)
    }

    /// Returns the lines to print; names in them may contain line breaks.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        let causes = self
            .causes
            .iter()
            .map(|cause| format!("caused by: {cause}"));
        let hints = self.hints.iter().map(|hint| format!("hint: {hint}"));
        let message = format!("error: {}", self.message);
        std::iter::once(message).chain(causes).chain(hints)
    }

    /// Returns the error as a JSON document.
    pub fn to_json(&self) -> String {
        serde_json::json!({
            "error": { "message": self.message, "causes": self.causes, "hints": self.hints }
        })
        .to_string()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for line in self.lines() {
            writeln!(f, "{line}")?;
        }
        Ok(())
    }
}

/// Wraps an error with its own text as message.
fn wrapped(error: &dyn StdError) -> Error {
    Error::new(error.to_string()).caused_by(error)
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Self {
        match &error {
            OpenError::NoVault { .. } => {
                wrapped(&error).hint("create one here with `mem init`, or pass `-C DIR`")
            }
            OpenError::Io { path, source } if source.kind() == io::ErrorKind::NotFound => {
                Self::new(format!("no folder `{}`", path.display()))
                    .hint("`-C` or `MEM_VAULT` names it")
            }
            _ => wrapped(&error),
        }
    }
}

impl From<CacheError> for Error {
    fn from(error: CacheError) -> Self {
        match &error {
            CacheError::SuddenlyEmpty { .. } => wrapped(&error)
                .hint("is the disk mounted? `mem index --rebuild` accepts the vault as it is now"),
            CacheError::Io { source, .. } if source.kind() == io::ErrorKind::OutOfMemory => {
                Self::new("cannot map the index").caused_by(&error).hint(
                    "the index needs address space, not memory; `ulimit -v unlimited` allows it",
                )
            }
            CacheError::Lock(LockError::Io { .. }) | CacheError::Io { .. } => {
                Self::new("cannot use the index")
                    .caused_by(&error)
                    .hint("the index is in your cache folder; `XDG_CACHE_HOME` moves it")
            }
            CacheError::Lock(LockError::Held { .. }) => wrapped(&error).hint(WAIT),
            _ => Self::new("the index is unusable")
                .caused_by(&error)
                .hint("`mem index --rebuild` rebuilds it; notes are not touched"),
        }
    }
}

impl From<EmbedError> for Error {
    fn from(error: EmbedError) -> Self {
        Self::new(error.to_string()).hint(error.hint())
    }
}

impl From<LockError> for Error {
    fn from(error: LockError) -> Self {
        match &error {
            LockError::Held { .. } => wrapped(&error).hint(WAIT),
            LockError::Io { .. } => wrapped(&error),
        }
    }
}

/// Errors without a hint.
macro_rules! from_without_hint {
    ($($kind:ty),+) => {
        $(impl From<$kind> for Error {
            fn from(error: $kind) -> Self {
                wrapped(&error)
            }
        })+
    };
}

from_without_hint!(WalkError, ReadError, OutsideVault);

impl From<ActError> for Error {
    fn from(error: ActError) -> Self {
        match error {
            ActError::Cache(error) => error.into(),
            error => wrapped(&error),
        }
    }
}

impl From<ChangeError> for Error {
    fn from(error: ChangeError) -> Self {
        match &error {
            ChangeError::Lock(LockError::Held { .. }) => wrapped(&error).hint(WAIT),
            ChangeError::Lock(LockError::Io { .. })
            | ChangeError::NothingToUndo
            | ChangeError::Unfinished(_)
            | ChangeError::Purged(_) => wrapped(&error),
            ChangeError::LastPurged { next, .. } => {
                let next = next.short();
                wrapped(&error).hint(format!("undo the run before it with `mem undo {next}`"))
            }
            ChangeError::NoSuchRun(_) | ChangeError::Record { .. } => {
                wrapped(&error).hint("list runs that can be undone with `mem history`")
            }
            ChangeError::Io { .. } => {
                wrapped(&error).hint("the next command that writes completes it or rolls it back")
            }
        }
    }
}

impl From<io::Error> for Error {
    /// For stdout; other I/O errors name their path.
    fn from(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Self::broken_pipe()
        } else {
            Self::new("cannot write to stdout").caused_by(&error)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_print_message_causes_and_hints() {
        let inner = io::Error::new(io::ErrorKind::PermissionDenied, "permission denied");
        let error = Error::io("read", Path::new("a.md"), &inner).hint("look at its mode");
        assert_eq!(
            error.to_string(),
            "error: cannot read `a.md`\ncaused by: permission denied\nhint: look at its mode\n"
        );
    }
}

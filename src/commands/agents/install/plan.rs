//! The change of one file of a host: computed, then written.

use super::document::ConfigDocument;
use super::host::{Command, Host, HostEntry, HostFile, is_sealed};
use crate::commands::prelude::*;
use crate::vault::own_files::{self, write_atomically};

/// A change of a file.
#[derive(Debug)]
pub(super) struct FilePlan {
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    /// None if the file is removed.
    pub(super) after: Option<String>,
}

/// The state of a part of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum PartState {
    Missing,
    /// Written by mem, but incomplete or with another vault or program.
    Outdated,
    Active,
}

/// Maximum bytes of a file of a host.
const MAX_BYTES: u64 = 32 << 20;

impl FilePlan {
    /// Computes what to write into a file; with `command` the entries are installed, else removed.
    pub(super) fn of(path: PathBuf, file: &HostFile, command: Option<&Command>) -> Result<Self> {
        let before = read(&path)?;
        let after = match (file.whole, command) {
            (Some(whole), _) => {
                check_sealed(&path, before.as_deref())?;
                command.map(|command| command.whole(whole))
            }
            (None, Some(command)) => Some(installed(&path, file, before.as_deref(), command)?),
            (None, None) => match &before {
                Some(text) => removed(&path, file, text)?,
                None => None,
            },
        };
        Ok(Self {
            path,
            before,
            after,
        })
    }

    pub(super) fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// Writes the file below `home`, unless it changed since it was read.
    pub(super) fn write(&self, home: &Path) -> Result<()> {
        let failed = |error: &io::Error| Error::io("write", &self.path, error);
        let target = target(&self.path)?;
        if read(&self.path)? != self.before {
            let shown = self.path.display();
            return Err(
                Error::new(format!("`{shown}` changed meanwhile; it was not written"))
                    .hint("run the command again"),
            );
        }
        if let Some(text) = &self.after {
            write_atomically(&target, text.as_bytes()).map_err(|error| failed(&error))?;
        } else {
            fs::remove_file(&target).map_err(|error| failed(&error))?;
            // Of the host's folders, those that are empty now.
            let mut folders = target.ancestors().skip(1).take_while(|folder| {
                folder.ends_with("mem") || folder.starts_with(home) && *folder != home
            });
            while folders
                .next()
                .is_some_and(|folder| fs::remove_dir(folder).is_ok())
            {}
        }
        Ok(())
    }
}

/// Returns the file that a path with links leads to.
fn target(path: &Path) -> Result<PathBuf> {
    match fs::canonicalize(path) {
        Ok(target) => Ok(target),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            Ok(path.to_owned())
        }
        Err(error) => Err(Error::io("follow the link", path, &error)),
    }
}

fn read(path: &Path) -> Result<Option<String>> {
    match own_files::read_up_to(MAX_BYTES, &target(path)?) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(Error::new(format!("`{}` is not UTF-8", path.display()))),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path, &error)),
    }
}

/// Refuses a file of mem with edits of others.
fn check_sealed(path: &Path, before: Option<&str>) -> Result<()> {
    if before.is_some_and(|text| !is_sealed(text)) {
        let shown = path.display();
        let words = format!("`{shown}` was edited or comes from elsewhere; nothing was changed");
        return Err(Error::new(words).hint("move the file away and run the command again"));
    }
    Ok(())
}

/// Returns the text with all entries.
fn installed(
    path: &Path,
    file: &HostFile,
    before: Option<&str>,
    command: &Command,
) -> Result<String> {
    let text = before.unwrap_or_default();
    let mut document = parse(path, text)?;
    let refused = |why: String| refusal(path, &why);
    if document.value().as_object().is_none_or(Map::is_empty) {
        for (key, value) in &file.base {
            document.set(key, value).map_err(refused)?;
        }
    }
    for entry in &file.entries {
        let key = entry.key();
        let value = entry.value(command);
        let content = document.value();
        let found = at(&content, key);
        if entry.is_item() {
            let own = entry.own_items(found);
            if let [at] = own[..]
                && found[at] == value
            {
                continue;
            }
            check_separate(path, entry, found, &own)?;
            document.push(key, &value).map_err(refused)?;
            own.iter()
                .rev()
                .for_each(|at| document.remove(key, Some(*at)));
        } else if *found != value {
            if !found.is_null() && !entry.is_own(found) {
                let why = format!("`{key}` does not run mem; rename it and run the command again");
                return Err(refused(why));
            }
            document.set(key, &value).map_err(refused)?;
        }
    }
    Ok(document.text())
}

/// Returns the text without entries of mem; `None` if nothing else is left.
fn removed(path: &Path, file: &HostFile, text: &str) -> Result<Option<String>> {
    let mut document = parse(path, text)?;
    let mut is_changed = false;
    for entry in &file.entries {
        let key = entry.key();
        let content = document.value();
        let found = at(&content, key);
        if entry.is_item() {
            let own = entry.own_items(found);
            check_separate(path, entry, found, &own)?;
            is_changed |= !own.is_empty();
            own.iter()
                .rev()
                .for_each(|at| document.remove(key, Some(*at)));
        } else if entry.is_own(found) {
            is_changed = true;
            document.remove(key, None);
        }
    }
    if !is_changed {
        return Ok(Some(text.to_owned()));
    }
    let left = document.value();
    let is_empty = left
        .as_object()
        .is_none_or(|left| left.is_empty() || *left == file.base);
    let rest = document.text();
    let has_comment = rest.contains(['#', '/']);
    Ok((!is_empty || has_comment || path.is_symlink()).then_some(rest))
}

/// Refuses a group of hooks that contains those of others, too.
fn check_separate(path: &Path, entry: &HostEntry, found: &Value, own: &[usize]) -> Result<()> {
    let has_others = |at: &usize| {
        let hooks = found[at]["hooks"].as_array();
        hooks.is_some_and(|hooks| hooks.len() > 1)
    };
    if own.iter().any(has_others) {
        let key = entry.key();
        let why =
            format!("an item of `{key}` has hooks of mem and others; give each an item of its own");
        return Err(refusal(path, &why));
    }
    Ok(())
}

/// Returns the state of each entry of a file. Without `command` every entry of mem is active.
pub(super) fn states(
    path: &Path,
    file: &HostFile,
    command: Option<&Command>,
) -> Result<Vec<PartState>> {
    let Some(text) = read(path)? else {
        return Ok(vec![PartState::Missing; file.entries.len().max(1)]);
    };
    let of = |is_own: bool, is_same: bool| match (is_own, is_same) {
        (false, _) => PartState::Missing,
        (true, true) => PartState::Active,
        (true, false) => PartState::Outdated,
    };
    if let Some(whole) = file.whole {
        let is_same = command.is_none_or(|command| command.whole(whole) == text);
        return Ok(vec![of(is_sealed(&text), is_same)]);
    }
    let content = parse(path, &text)?.value();
    let states = file.entries.iter().map(|entry| {
        let found = at(&content, entry.key());
        let own = entry.own_items(found);
        let found = match own[..] {
            [at] if entry.is_item() => &found[at],
            _ => found,
        };
        let is_own = if entry.is_item() {
            !own.is_empty()
        } else {
            entry.is_own(found)
        };
        let is_same = command.is_none_or(|command| entry.value(command) == *found);
        of(is_own, is_same)
    });
    Ok(states.collect())
}

/// Returns whether Codex recorded that a person approved this hook.
pub(super) fn is_trusted(env: &Environment, home: Option<&Path>, host: &Host, event: &str) -> bool {
    let files = host.files.iter().filter(|file| !file.entries.is_empty());
    let mut texts = files.filter_map(|file| {
        let path = host.path(env, home, file);
        Some((read(&path).ok()??, path))
    });
    texts.any(|(text, path)| {
        let content = parse(&path, &text).map_or(Value::Null, |document| document.value());
        let states = content["hooks"]["state"].as_object();
        states.into_iter().flatten().any(|(key, state)| {
            key.starts_with(&format!("{}:{event}:", path.display()))
                && !state["trusted_hash"].is_null()
        })
    })
}

fn parse(path: &Path, text: &str) -> Result<ConfigDocument> {
    ConfigDocument::parse(path, text)
        .map_err(|why| refusal(path, &format!("the file is malformed: {why}")))
}

fn refusal(path: &Path, why: &str) -> Error {
    Error::new(format!("cannot edit `{}`: {why}", path.display()))
        .hint("nothing was changed; correct the file and run the command again")
}

/// Returns the value of a key like `mcpServers.mem`, or `null`.
fn at<'v>(content: &'v Value, key: &str) -> &'v Value {
    key.split('.')
        .fold(content, |value, key| value.get(key).unwrap_or(&Value::Null))
}

//! The tool `memory`: the commands and replies of Anthropic's memory tool, on a folder of notes.
//!
//! Models are trained on these replies, so they are the documented ones word for word. Only notes can be written:
//! the file `a.txt` of the model is the note `a.txt.md`. Every change is a run that `mem undo` reverts.

use crate::commands::prelude::*;
use crate::finding::plan::Change;
use crate::note::words::hash::ContentHash;
use crate::run::remember::batch::requested;
use crate::vault::write_guard::is_note_name;
use crate::vault::{NoteText, ReadError};

/// The folder of the model.
const ROOT: &str = "/memories";
/// Maximum number of lines of a file that is shown.
const MAX_LINES: usize = 999_999;
/// Number of lines before and after a replacement in its reply.
const SNIPPET_LINES: usize = 2;

/// A call of the tool.
#[derive(Debug, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
enum MemoryCommand {
    View {
        path: String,
        view_range: Option<[i64; 2]>,
    },
    Create {
        path: String,
        file_text: String,
    },
    StrReplace {
        path: String,
        old_str: String,
        #[serde(default)]
        new_str: String,
    },
    Insert {
        path: String,
        insert_line: i64,
        insert_text: String,
    },
    Delete {
        path: String,
    },
    Rename {
        old_path: String,
        new_path: String,
    },
}

/// The notes of the tool.
struct MemoryFolder<'s> {
    session: &'s Session,
    /// The folder in the vault with a slash at the end; empty for the whole vault.
    prefix: String,
}

/// A path of the model.
struct MemoryPath {
    /// The path as the model wrote it.
    shown: String,
    /// The note, if the path is a file.
    note: VaultPath,
    /// The beginning of the paths of its notes, if the path is a folder.
    folder: String,
}

/// Whether a call with these arguments changes notes.
pub(super) fn would_write(arguments: &Map<String, Value>) -> bool {
    let command = arguments.get("command");
    command.is_none_or(|command| command != "view")
}

/// Returns the prefix of the notes in `folder`, a folder of the vault; `.` is the vault.
fn prefix(folder: &str) -> Result<String> {
    match folder.trim_matches('/') {
        "." => Ok(String::new()),
        folder => Ok(format!("{}/", VaultPath::new(folder)?)),
    }
}

/// Returns the reply to a call on the notes in `folder`; the message of an error is for the model.
pub(super) fn call(
    env: &Environment,
    folder: &str,
    arguments: &Map<String, Value>,
) -> Result<String> {
    let command: MemoryCommand = serde_json::from_value(arguments.clone().into())
        .map_err(|error| Error::new(format!("Error: invalid arguments: {error}")))?;
    let session = env.open()?;
    let memory = MemoryFolder {
        session: &session,
        prefix: prefix(folder)?,
    };
    match command {
        MemoryCommand::View { path, view_range } => memory.view(&memory.place(&path)?, view_range),
        MemoryCommand::Create { path, file_text } => memory.create(&path, file_text),
        MemoryCommand::StrReplace {
            path,
            old_str,
            new_str,
        } => memory.replace(&memory.place(&path)?, &old_str, &new_str),
        MemoryCommand::Insert {
            path,
            insert_line,
            insert_text,
        } => memory.insert(&memory.place(&path)?, insert_line, &insert_text),
        MemoryCommand::Delete { path } => memory.delete(&memory.place(&path)?),
        MemoryCommand::Rename { old_path, new_path } => {
            memory.rename(&memory.place(&old_path)?, &memory.place(&new_path)?)
        }
    }
}

impl MemoryFolder<'_> {
    /// Reads a path of the model; an error for a path outside of its folder.
    fn place(&self, path: &str) -> Result<MemoryPath> {
        let rest = path
            .strip_prefix(ROOT)
            .filter(|rest| rest.is_empty() || rest.starts_with('/'))
            .ok_or_else(|| Error::new(format!("Path must start with {ROOT}, got: {path}")))?;
        let outside = || Error::new(format!("Path {path} would escape {ROOT} directory"));
        let rest = match rest.trim_matches('/') {
            "" => String::new(),
            rest => VaultPath::new(rest).map_err(|_| outside())?.to_string(),
        };
        let slash = if rest.is_empty() { "" } else { "/" };
        let folder = format!("{}{rest}{slash}", self.prefix);
        let ending = if is_note_name(&rest) { "" } else { ".md" };
        let note = format!("{}{rest}{ending}", self.prefix);
        if !rest.is_empty() && !is_note_name(&note) {
            return Err(outside());
        }
        Ok(MemoryPath {
            shown: path.to_owned(),
            note: VaultPath::new(&note).map_err(|_| outside())?,
            folder,
        })
    }

    /// Returns the text of a file; `None` if it does not exist.
    fn text(&self, path: &MemoryPath) -> Result<Option<NoteText>> {
        match self.session.vault.read(&path.note) {
            _ if path.folder == self.prefix => Ok(None),
            Ok(text) => Ok(Some(text)),
            Err(ReadError::Missing { .. } | ReadError::Outside { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the notes at a path: the file, or those of the folder.
    fn entries(&self, view: &View<'_>, path: &MemoryPath) -> Result<Vec<Entry>> {
        let mut entries = view.entries()?;
        if self.text(path)?.is_some() {
            entries.retain(|entry| entry.path == path.note);
        } else {
            entries.retain(|entry| entry.path.as_str().starts_with(&path.folder));
        }
        Ok(entries)
    }

    fn view(&self, path: &MemoryPath, range: Option<[i64; 2]>) -> Result<String> {
        let shown = &path.shown;
        if let Some(file) = self.text(path)? {
            let lines: Vec<&str> = file.text.lines().collect();
            if lines.len() > MAX_LINES {
                return failure(format!(
                    "File {shown} exceeds maximum line limit of 999,999 lines."
                ));
            }
            let [first, last] = range.unwrap_or([1, -1]);
            let last = usize::try_from(last).unwrap_or(lines.len());
            let shown_lines = numbered(&lines, first.max(1) as usize, last);
            return Ok(format!(
                "Here's the content of {shown} with line numbers:\n{shown_lines}"
            ));
        }
        let cache = self.session.fresh_cache()?;
        let view = self.session.view(&cache)?;
        let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
        let mut total = 0;
        for entry in self.entries(&view, path)? {
            let rest = &entry.path.as_str()[path.folder.len()..];
            let size = entry.row.stat.size;
            total += size;
            let parts: Vec<&str> = rest.split('/').collect();
            for depth in 1..=parts.len().min(2) {
                let mut name = parts[..depth].join("/");
                let last = parts[depth - 1];
                if depth == parts.len() && note::path::without_ending(last).contains('.') {
                    name.truncate(name.len() - ".md".len());
                }
                *sizes.entry(name).or_default() += size;
            }
        }
        if sizes.is_empty() && path.folder != self.prefix {
            return Err(missing(path, " Please provide a valid path.", ""));
        }
        let folder = shown.trim_end_matches('/');
        let mut lines = vec![
            format!(
                "Here're the files and directories up to 2 levels deep in {folder}, excluding hidden items and node_modules:"
            ),
            format!("{}\t{folder}", size_text(total)),
        ];
        let files = sizes.iter();
        lines.extend(files.map(|(name, size)| format!("{}\t{folder}/{name}", size_text(*size))));
        Ok(lines.join("\n"))
    }

    fn create(&self, path: &str, text: String) -> Result<String> {
        let path = &self.place(path)?;
        let shown = &path.shown;
        check_secrets(&text)?;
        if path.folder == self.prefix || self.session.vault.exists(&path.note) {
            return failure(format!("Error: File {shown} already exists"));
        }
        change_report::create(self.session, "memory", &path.note, text)?;
        Ok(format!("File created successfully at: {shown}"))
    }

    fn replace(&self, path: &MemoryPath, old: &str, new: &str) -> Result<String> {
        let shown = &path.shown;
        let valid = " Please provide a valid path.";
        let content = self.text(path)?;
        let file = content.ok_or_else(|| missing(path, valid, "Error: "))?;
        let text = &file.text;
        let line_of = |at: usize| text[..at].matches('\n').count() + 1;
        let found: Vec<usize> = match old {
            "" => Vec::new(),
            old => text.match_indices(old).map(|(at, _)| at).collect(),
        };
        let [at] = found[..] else {
            let lines: Vec<String> = found.iter().map(|at| line_of(*at).to_string()).collect();
            return Err(Error::new(if found.is_empty() {
                format!(
                    "No replacement was performed, old_str `{old}` did not appear verbatim in {shown}."
                )
            } else {
                format!(
                    "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
                    lines.join(", ")
                )
            }));
        };
        check_secrets(new)?;
        let after = text.replacen(old, new, 1);
        let edit = Edit::Replace {
            span: at..at + old.len(),
            was: old.to_owned(),
            text: new.to_owned(),
        };
        self.edit(path, file.hash, edit)?;
        let line = line_of(at);
        let last = line + new.lines().count().max(1) - 1 + SNIPPET_LINES;
        let lines: Vec<&str> = after.lines().collect();
        let first = line.saturating_sub(SNIPPET_LINES).max(1);
        Ok(format!(
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{}",
            numbered(&lines, first, last)
        ))
    }

    fn insert(&self, path: &MemoryPath, line: i64, added: &str) -> Result<String> {
        let content = self.text(path)?;
        let file = content.ok_or_else(|| missing(path, "", "Error: "))?;
        let text = &file.text;
        let lines = text.lines().count();
        let Some(line) = usize::try_from(line).ok().filter(|line| *line <= lines) else {
            return failure(format!(
                "Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the file: [0, {lines}]"
            ));
        };
        check_secrets(added)?;
        let at: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let is_open = at > 0 && !text[..at].ends_with('\n');
        let edit = Edit::Replace {
            span: at..at,
            was: String::new(),
            text: format!(
                "{}{}\n",
                if is_open { "\n" } else { "" },
                added.strip_suffix('\n').unwrap_or(added)
            ),
        };
        self.edit(path, file.hash, edit)?;
        Ok(format!("The file {} has been edited.", path.shown))
    }

    fn edit(&self, path: &MemoryPath, base: ContentHash, edit: Edit) -> Result<()> {
        let change = Change::Edit {
            path: path.note.clone(),
            base,
            edits: vec![edit],
        };
        let group = requested(format!("edit {}", path.note), change);
        change_report::make(self.session, None, "memory", vec![group], false)?.exit()?;
        Ok(())
    }

    fn delete(&self, path: &MemoryPath) -> Result<String> {
        if path.folder == self.prefix {
            return failure(format!("Cannot delete the {ROOT} directory itself"));
        }
        self.act(path, "memory", |entry| {
            let (note, reason) = (entry.path.clone(), "removed by an agent".to_owned());
            if entry.row.flags.has(Flags::KEEP) {
                return failure(format!("`{note}` is marked `keep: true`"));
            }
            Ok(Act::Trash { note, reason })
        })?;
        Ok(format!("Successfully deleted {}", path.shown))
    }

    fn rename(&self, from: &MemoryPath, to: &MemoryPath) -> Result<String> {
        if from.folder == self.prefix {
            return failure(format!("Cannot rename the {ROOT} directory itself"));
        }
        let vault = &self.session.vault;
        let is_taken = |path: &MemoryPath| {
            vault.exists(&path.note) || vault.root().join(&path.folder).exists()
        };
        if is_taken(to) {
            return failure(format!(
                "Error: The destination {} already exists",
                to.shown
            ));
        }
        self.act(from, "mv", |entry| {
            let note = entry.path.clone();
            let new = match note.as_str().strip_prefix(&from.folder) {
                Some(rest) => VaultPath::new(&format!("{}{rest}", to.folder))?,
                None => to.note.clone(),
            };
            let to = vault
                .vacant_for(&new, Some(&note))
                .map_err(|why| Error::new(format!("cannot write {new}: {why}")))?;
            Ok(Act::Move { note, to })
        })?;
        Ok(format!(
            "Successfully renamed {} to {}",
            from.shown, to.shown
        ))
    }

    /// Applies an act to each note of a path, as one group.
    fn act(&self, path: &MemoryPath, job: &str, act: impl Fn(&Entry) -> Result<Act>) -> Result<()> {
        // Links to a note must be known to follow it.
        let (cache, _) = self.session.whole_cache()?;
        let view = self.session.view(&cache)?;
        let entries = self.entries(&view, path)?;
        if entries.is_empty() {
            return Err(missing(path, "", "Error: "));
        }
        let acts = entries.iter().map(act).collect::<Result<Vec<Act>>>()?;
        let group = acts::manual_group(&view, "requested", &acts)?;
        drop(view);
        change_report::make(self.session, cache, job, vec![group], false)?.exit()?;
        Ok(())
    }
}

fn missing(path: &MemoryPath, advice: &str, prefix: &str) -> Error {
    let (shown, stop) = (&path.shown, if advice.is_empty() { "" } else { "." });
    Error::new(format!(
        "{prefix}The path {shown} does not exist{stop}{advice}"
    ))
}

fn failure<T>(message: String) -> Result<T> {
    Err(Error::new(message))
}

fn check_secrets(text: &str) -> Result<()> {
    SecretCheck::default().check("the text", text)
}

/// Returns lines with their numbers, counted from 1; both ends are included.
fn numbered(lines: &[&str], first: usize, last: usize) -> String {
    let range = lines.iter().enumerate().take(last).skip(first - 1);
    let lines = range.map(|(at, line)| format!("{:>6}\t{line}", at + 1));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a size like `5.5K`.
fn size_text(bytes: u64) -> String {
    let mut size = bytes as f64;
    let mut units = ["B", "K", "M", "G"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    while size >= 1024.0 {
        let Some(next) = units.next() else { break };
        (size, unit) = (size / 1024.0, next);
    }
    let digits = usize::from(size.fract() > 0.0);
    format!("{size:.digits$}{unit}")
}

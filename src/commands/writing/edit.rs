//! `mem edit`

use crate::change::edited;
use crate::commands::args::property_value::{date, pair, value};
use crate::commands::prelude::*;
use crate::note::front_matter::property::spelling;
use crate::note::retag::is_in_body;
use crate::note::{KeyPath, folded};
use crate::run::plan::apply::{record_recovered, reindex};
use crate::signals::dates::unread;

/// Open a note in your editor, or set properties
///
/// Opens the file in `$VISUAL` or `$EDITOR` and indexes what you saved. With flags, changes
/// properties in place, in one or many notes, in the order set, unset, remove, append; every other
/// byte stays as it is. Numbers, `true` and JSON values keep their type; other values, and `"7"` in
/// quotes, are text. `a.b` names property `b` inside `a`. `mem undo` reverts both.
#[derive(Debug, clap::Args)]
pub struct EditRequest {
    /// The notes; `path:12`, as printed by `mem search`, opens at this line
    #[arg(required = true, value_name = "NOTE")]
    pub notes: Vec<String>,
    #[command(flatten)]
    pub(crate) properties: Properties,
    #[command(flatten)]
    pub(crate) touch: UsageFlag,
    /// Preview the changes without making them
    #[arg(long, requires = "properties")]
    pub dry_run: bool,
}

#[derive(Debug, clap::Args)]
#[group(id = "properties", multiple = true)]
pub(crate) struct Properties {
    /// Set a property; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Remove a property; repeatable
    #[arg(long, value_name = "PROPERTY")]
    unset: Vec<String>,
    /// Add a value to a list unless present; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    append: Vec<(String, String)>,
    /// Remove a value from a list; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = pair)]
    remove: Vec<(String, String)>,
    /// Add tags; repeatable
    #[arg(short, long = "tag", value_name = "TAG,...", value_delimiter = ',', value_parser = new_tag)]
    tags: Vec<String>,
    /// Remove tags from the front matter; repeatable
    #[arg(long = "untag", value_name = "TAG,...", value_delimiter = ',', value_parser = tag)]
    untags: Vec<String>,
    /// Protect the note from merging and forgetting
    #[arg(long)]
    keep: bool,
    /// Remove the protection
    #[arg(long, conflicts_with = "keep")]
    no_keep: bool,
    /// Mark the note as no longer valid, from DATE [default: now]
    #[arg(
        long,
        value_name = "DATE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = NOW,
        value_parser = until
    )]
    outdated: Option<String>,
}

/// The value of `--outdated` without a date.
const NOW: &str = "now";

fn until(text: &str) -> Result<String, String> {
    if text == NOW {
        Ok(text.to_owned())
    } else {
        date(text)
    }
}

/// Notes that were opened in an editor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OpenedNotes {
    /// None if no change can be undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    notes: Vec<OpenedNote>,
    /// Whether a note was created to be opened.
    #[serde(skip)]
    is_created: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
struct OpenedNote {
    path: VaultPath,
    changed: bool,
    /// Whether it no longer exists.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    removed: bool,
    /// Why the saved front matter is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Request for EditRequest {
    type Reply<'s> = ChangeReport;

    fn open(&self, env: &Environment) -> Result<Session> {
        self.touch.open(env)
    }

    /// Changes properties.
    fn answer(&self, session: &Session) -> Result<ChangeReport> {
        let env = &session.env;
        let edits = self.properties.edits(env)?;
        let given = self.properties.set.iter();
        let given: Map<_, _> = given
            .map(|(name, text)| (name.clone(), value(text)))
            .collect();
        for (_, why) in unread(&given) {
            env.output.hint(&why);
        }
        let (cache, view) = session.fresh_view()?;
        let entries = find_notes(env, &view, &self.notes)?.into_iter();
        let paths: Vec<VaultPath> = entries.map(|entry| entry.path).collect();
        let reason: Vec<String> = edits.iter().map(describe).collect();
        for path in &paths {
            if let Ok(file) = session.vault.read(path) {
                check_spelling(path, &file.text, &edits)?;
                warn_of_body(env, path, &file.text, &self.properties.untags);
            }
        }
        let groups = paths.into_iter().map(|note| {
            let (title, edits) = (format!("edit {note}"), edits.clone());
            let group = acts::manual_group(&view, &reason.join(", "), &[Act::Edit { note, edits }]);
            Ok(Group { title, ..group? })
        });
        let groups = groups.collect::<Result<Vec<Group>>>()?;
        drop(view);
        change_report::make(session, cache, "edit", groups, self.dry_run)
    }

    fn run(&self, env: &Environment) -> Result<Exit> {
        let session = self.open(env)?;
        if !self.properties.edits(env)?.is_empty() {
            return session.env.print(&self.answer(&session)?);
        }
        let (cache, view) = session.fresh_view()?;
        let mut paths: Vec<VaultPath> = Vec::new();
        let mut line = None;
        for name in &self.notes {
            let (name, at) = place(env, name);
            if paths.is_empty() {
                line = at;
            }
            // Opening is harmless, so part of a name is enough.
            let path = find_note_to_show(env, &view, name)?.path;
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        drop(view);
        drop(cache);
        open(&session, &paths, line, None)
    }
}

/// Fails if the note has the property in another case, since it would then have both.
fn check_spelling(path: &VaultPath, text: &str, edits: &[Edit]) -> Result<()> {
    let properties = note::read(text, "").properties;
    for edit in edits {
        let (Edit::Set { key, .. } | Edit::Append { key, .. } | Edit::Remove { key, .. }) = edit
        else {
            continue;
        };
        // Some keys are written in the spelling of the note.
        let key = spelling(&properties, key.top());
        let mut names = properties.keys();
        let same = names.find(|name| folded(name) == folded(key));
        if let Some(name) = same.filter(|_| !properties.contains_key(key)) {
            let edit = format!("mem edit {}", shell_word(path.as_str()));
            let error = Error::new(format!("`{path}` writes the property `{key}` as `{name}`"));
            return Err(error.hint(format!("name it `{name}`, or rename it first: `{edit}`")));
        }
    }
    Ok(())
}

/// Warns about tags in the text, which flags do not remove.
fn warn_of_body(env: &Environment, path: &VaultPath, text: &str, tags: &[String]) {
    for tag in tags.iter().filter(|tag| is_in_body(text, tag)) {
        env.output.warn(&format!(
            "`{path}` has `#{tag}` in its text; `--untag` removes tags from front matter only"
        ));
    }
}

/// Splits `path:12` or `path:12:3`, as printed by `mem search`, into note and line.
fn place<'n>(env: &Environment, name: &'n str) -> (&'n str, Option<usize>) {
    let mut place = (name, None);
    while let Some((note, number)) = place.0.rsplit_once(':')
        && let Ok(number) = number.parse()
        && !env.start.join(place.0).exists()
    {
        place = (note, Some(number));
    }
    place
}

impl Properties {
    /// Returns the edits of the flags in their order.
    fn edits(&self, env: &Environment) -> Result<Vec<Edit>> {
        let key = |text: &str| -> Result<KeyPath> {
            let key: KeyPath = text
                .parse()
                .map_err(|error| Error::new(format!("`{text}` is not a property: {error}")))?;
            if key.top() == "mem" {
                return Err(Error::new("the property `mem` is managed by mem")
                    .hint("it records who wrote the note; change it in your editor"));
            }
            Ok(key)
        };
        let mut edits = Vec::new();
        let mut set = |key: KeyPath, value: Value| edits.push(Edit::Set { key, value });
        for (name, text) in &self.set {
            set(key(name)?, value(text));
        }
        if self.keep {
            set("keep".into(), true.into());
        }
        if let Some(date) = &self.outdated {
            let date = if date == NOW {
                let now = env.now.timestamp();
                now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
            } else {
                date.clone()
            };
            set("valid_until".into(), date.into());
        }
        for name in &self.unset {
            edits.push(Edit::Unset { key: key(name)? });
        }
        if self.no_keep {
            edits.push(Edit::Unset { key: "keep".into() });
        }
        for (name, text) in &self.remove {
            let (key, value) = (key(name)?, value(text));
            edits.push(Edit::Remove { key, value });
        }
        edits.extend(self.untags.iter().map(|name| Edit::Remove {
            key: "tags".into(),
            value: name.as_str().into(),
        }));
        for (name, text) in &self.append {
            let (key, value) = (key(name)?, value(text));
            edits.push(Edit::Append { key, value });
        }
        edits.extend(
            self.tags
                .iter()
                .map(|name| Edit::append("tags", name.as_str())),
        );
        Ok(edits)
    }
}

/// Returns an edit in a few words.
fn describe(edit: &Edit) -> String {
    match edit {
        Edit::Set { key, .. } => format!("set {key}"),
        Edit::Unset { key } => format!("unset {key}"),
        Edit::Append { key, .. } => format!("append to {key}"),
        Edit::Remove { key, .. } => format!("remove from {key}"),
        Edit::Copy { .. } | Edit::Comment { .. } | Edit::Replace { .. } => String::new(),
    }
}

/// Records saved changes in the history. A failure is only a warning, since they are saved.
fn record(
    session: &Session,
    paths: &[VaultPath],
    before: Vec<Option<String>>,
    created_by: Option<&str>,
) -> Option<String> {
    let texts = paths.iter().cloned().zip(before);
    let before = texts.filter_map(|(path, text)| Some((path, text?)));
    let info = session.env.run_info();
    let output = &session.env.output;
    let (vault, homes) = (&session.vault, &session.homes);
    let run = created_by.and_then(|created_by| created_by.parse().ok());
    match edited::record(vault, homes, before.collect(), run.as_ref(), &info) {
        Ok((run, recovered)) => {
            record_recovered(session, &recovered);
            run.map(|run| run.to_string())
                .or(created_by.map(str::to_owned))
        }
        Err(error) => {
            let why = Error::from(error).message();
            output.warn(&format!("saved, but `mem undo` cannot revert it: {why}"));
            None
        }
    }
}

impl NotePath {
    /// Opens the note in an editor; what is saved and its creation become one run.
    pub(crate) fn edit(self, session: &Session) -> Result<Exit> {
        let run = self.created.as_ref().and_then(ChangeReport::run);
        open(session, &[self.path], self.line, run)
    }
}

/// Opens files in the editor, the first at `line`, counted from 1.
///
/// Changes of the run `created_by`, which created a file, and saved changes become one run.
pub(crate) fn open(
    session: &Session,
    paths: &[VaultPath],
    line: Option<usize>,
    created_by: Option<&str>,
) -> Result<Exit> {
    let output = &session.env.output;
    if !editor::can_open(output) {
        let error = Error::new("no editor is set in `VISUAL` or `EDITOR`");
        return Err(error.hint(
            "`export EDITOR=nano`, or change a property: `mem edit NOTE --set status=done`",
        ));
    }
    let text = |path: &VaultPath| session.vault.read(path).map(|file| file.text).ok();
    let before: Vec<Option<String>> = paths.iter().map(text).collect();
    let absolute = paths.iter().map(|path| session.vault.absolute(path));
    let files: Vec<PathBuf> = absolute.collect();
    let status = editor::open(&files, line)?;
    reindex(session, paths);
    let mut notes = Vec::new();
    for (path, before) in paths.iter().zip(&before) {
        let text = text(path);
        let changed = text != *before;
        let removed = changed && text.is_none();
        let problem = text.filter(|_| changed).and_then(|text| {
            let problem = note::read(&text, path.stem()).problem;
            problem.map(|problem| problem.to_string())
        });
        notes.push(OpenedNote {
            path: path.clone(),
            changed,
            removed,
            problem,
        });
    }
    session.note_use(EventKind::Edited, paths);
    let run = record(session, paths, before, created_by);
    session.env.print(&OpenedNotes {
        run,
        notes,
        is_created: created_by.is_some(),
    })?;
    if status.success() {
        return Ok(Exit::Done);
    }
    let error = Error::new(format!("`{}` ended with {status}", editor::name()));
    Err(error.hint("the saved text was indexed"))
}

impl Reply for OpenedNotes {
    fn show(&self, page: &Page<'_>) {
        for note in &self.notes {
            let path = page.place(note.path.as_str());
            let done = match note {
                OpenedNote { removed: true, .. } => "removed",
                OpenedNote { changed: true, .. } => "edited",
                _ if self.is_created => "created",
                _ => "unchanged:",
            };
            page.line(&format!("{done} {path}"));
        }
    }

    fn messages(&self) -> Vec<Message> {
        let problems = self.notes.iter().filter_map(|note| {
            let (path, problem) = (&note.path, note.problem.as_ref()?);
            let words = format!("`{path}` was saved with an error: {problem}");
            Some(Message::Warning(words))
        });
        let undo = self.run.as_deref().map(Message::undo);
        problems.chain(undo).collect()
    }
}

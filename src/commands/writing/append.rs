//! `mem append`

use crate::commands::args::note_lookup::find_note_unindexed;
use crate::commands::args::text_input::{AUTHOR, TextInput};
use crate::commands::prelude::*;
use crate::finding::Change;
use crate::note::front_matter::seal;
use crate::note::markdown::append::{Addition, AdditionError, addition};
use crate::note::{ContentHash, edit};
use crate::run::daily;
use crate::run::remember::batch::requested;

/// Add text to a note
///
/// Adds the text at the end of the note, or of a section, after a blank line. A list item or table
/// row continues the list or table there. Every other byte stays as it is. The text comes from the
/// arguments, from stdin with `-`, or from your editor. A missing heading is created; `'## Log'`
/// sets its level.
#[derive(Debug, clap::Args)]
pub struct AppendArgs {
    /// The note; none with `--daily`
    #[arg(required_unless_present = "daily")]
    note: Option<String>,
    /// The text; `-` reads stdin; without TEXT, your editor opens
    text: Vec<String>,
    #[command(flatten)]
    request: AppendRequest,
}

#[derive(Debug, clap::Args)]
pub struct AppendRequest {
    /// The note; none with `daily`.
    #[arg(skip)]
    pub note: Option<String>,
    #[arg(skip)]
    pub text: String,
    /// Whether a person typed the text, which makes the note theirs.
    #[arg(skip)]
    pub by_hand: bool,
    /// Add to today's note, which is created if missing; see `mem daily`
    #[arg(short, long)]
    pub daily: bool,
    /// Add at the end of the section with this heading
    #[arg(short, long, value_name = "HEADING")]
    pub under: Option<String>,
    #[command(flatten)]
    pub secrets: SecretCheck,
    /// Preview the changes without making them
    #[arg(long)]
    pub dry_run: bool,
}

/// The note that the text is added to.
struct Target {
    path: VaultPath,
    text: String,
    /// None for a note that does not exist yet.
    hash: Option<ContentHash>,
}

/// Maximum number of attempts if the note changes meanwhile; concurrent appends are brief.
const MAX_ATTEMPTS: usize = 20;

impl AppendArgs {
    /// Reads the text and adds it.
    pub fn run(mut self, env: &Environment) -> Result<Exit> {
        let session = env.open()?;
        let request = &mut self.request;
        if request.daily {
            // Without a note, the first word belongs to the text.
            self.text.splice(0..0, self.note.take());
        }
        request.note = self.note;
        let path = request.path(&session)?;
        if self.text.is_empty() {
            // Fails before the editor opens.
            let target = request.target(&session, &path)?;
            group(&target, request.under.as_deref(), "text", false)?;
        }
        let author = std::env::var(AUTHOR).ok();
        let place = Some((&session.vault, path.folder()));
        let given = TextInput::take(env, &self.text, (place, ""), author.as_deref())?;
        if given.text.trim().is_empty() {
            return Err(if given.from_editor {
                Error::new("nothing was saved in the editor; the note is unchanged")
            } else {
                Error::new("nothing to add: the text is empty")
                    .hint("`mem append NOTE TEXT`, or `mem append NOTE -` to read stdin")
            });
        }
        request.text.clone_from(&given.text);
        request.by_hand = given.by_hand;
        let done = request.add(&session, &path);
        given.or_save_text(done.and_then(|done| session.env.print(&done)))
    }
}

impl Request for AppendRequest {
    type Reply<'s> = ChangeReport;

    fn answer(&self, session: &Session) -> Result<ChangeReport> {
        self.add(session, &self.path(session)?)
    }
}

impl AppendRequest {
    fn path(&self, session: &Session) -> Result<VaultPath> {
        if self.daily {
            daily::path(session, session.env.now.date())
        } else {
            find_note_unindexed(session, self.note.as_deref().unwrap_or_default())
        }
    }

    fn add(&self, session: &Session, path: &VaultPath) -> Result<ChangeReport> {
        self.secrets.check("the text", &self.text)?;
        let mut attempts = 1;
        loop {
            let target = self.target(session, path)?;
            let group = group(&target, self.under.as_deref(), &self.text, self.by_hand)?;
            let done = change_report::make(session, None, "append", vec![group], self.dry_run)?;
            if done.is_any() || attempts == MAX_ATTEMPTS || !has_changed(session, &target) {
                return Ok(done);
            }
            attempts += 1;
        }
    }

    fn target(&self, session: &Session, path: &VaultPath) -> Result<Target> {
        let path = path.clone();
        if self.daily && !session.vault.exists(&path) {
            let text = daily::template(session, session.env.now.date(), &path)?.text;
            let hash = None;
            return Ok(Target { path, text, hash });
        }
        let file = session.vault.read(&path)?;
        let (text, hash) = (file.text, Some(file.hash));
        Ok(Target { path, text, hash })
    }
}

fn has_changed(session: &Session, target: &Target) -> bool {
    let now = session.vault.read(&target.path);
    now.is_ok_and(|now| Some(now.hash) != target.hash)
}

/// Returns the change of the note.
fn group(target: &Target, under: Option<&str>, added: &str, by_hand: bool) -> Result<Group> {
    let addition = addition(&target.text, added, under).map_err(|why| {
        let under = under.unwrap_or_default();
        let exact = format!("--under {}", shell_word(&format!("## {under}")));
        placement_error(&target.path, under, why, &exact)
    })?;
    let title = title(&target.path, under, &addition);
    let mut edits = vec![addition.edit()];
    if by_hand && seal::is_sealed(&target.text) {
        // Text typed by a person makes the note theirs.
        edits.push(Edit::Unset { key: seal::key() });
    }
    let path = target.path.clone();
    let change = match target.hash {
        Some(base) => Change::Edit { path, base, edits },
        None => Change::Create {
            path,
            text: edit::apply(&target.text, &edits)
                .map_err(|error| Error::new(format!("cannot {title}: {error}")))?,
        },
    };
    Ok(requested(title, change))
}

fn title(note: &VaultPath, under: Option<&str>, addition: &Addition) -> String {
    match (&addition.heading, under) {
        (Some(heading), _) => format!("add to {note} under the new heading `{heading}`"),
        (None, Some(under)) => {
            let name = under.trim().trim_start_matches('#').trim_start();
            format!("add to {note} under `{name}`")
        }
        (None, None) => format!("add to {note}"),
    }
}

/// The error if text cannot be added under the heading `under`.
///
/// `exact` is an example of naming a heading with its level.
pub(crate) fn placement_error(
    note: &VaultPath,
    under: &str,
    why: AdditionError,
    exact: &str,
) -> Error {
    let edit = format!("`mem edit {}`", shell_word(note.as_str()));
    match why {
        AdditionError::Ambiguous(lines) => {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            let error = Error::new(format!(
                "`{note}` has {} headings `{under}`: lines {}",
                lines.len(),
                lines.join(", ")
            ));
            if under.trim_start().starts_with('#') {
                error.hint(format!("rename one in your editor: {edit}"))
            } else {
                error.hint(format!("if their levels differ, add the level: `{exact}`"))
            }
        }
        AdditionError::Unclosed { what, line } => Error::new(format!(
            "`{note}` opens {what} in line {line} and never closes it; the text would become part of it"
        ))
        .hint(format!("close it: {edit}")),
        AdditionError::Open { what } => Error::new(format!(
            "the text opens {what} and never closes it; the rest of `{note}` would become part of it"
        ))
        .hint("close it, or leave out `--under` to add the text at the end"),
        AdditionError::NoHeading => Error::new(format!("`{under}` is not a heading"))
            .hint("write it as in the note: `--under Log`, `--under '## Log'`"),
    }
}

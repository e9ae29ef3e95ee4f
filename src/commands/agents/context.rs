//! `mem context`

use crate::commands::prelude::*;
use crate::note::list_of;
use crate::note::markdown::document::Document;
use crate::note::markdown::prose;
use crate::note::secrets;
use crate::note::words::one_line::one_line;
use crate::recall::budget::truncate_at_word;
use crate::run::plan::open::stored_questions;
use crate::run::plan::open_conflicts::OpenConflicts;
use crate::run::template::remove_templates;

/// Print what a session should begin with
///
/// Prints core notes, valid preferences and decisions, and changes of the last week, one line each,
/// up to a token budget. Omits replaced, expired and forgotten notes; marks a note if a question is
/// open whether another one replaces it. Exits with 1 without such notes. `mem help agents` explains
/// the use by agents.
#[derive(Debug, clap::Args)]
pub struct ContextRequest {
    /// Print at most about this many tokens (1 token is about 4 bytes)
    #[arg(long, value_name = "TOKENS", default_value_t = DEFAULT_BUDGET)]
    pub budget: usize,
    /// Only notes of this space (project), and notes without one
    #[arg(long, value_name = "SPACE")]
    pub space: Option<String>,
    /// Number of days in which a change counts
    #[arg(long, value_name = "DAYS", default_value_t = DEFAULT_DAYS)]
    pub days: u32,
    #[command(flatten)]
    pub(crate) touch: UsageFlag,
}

/// Default tokens of the text.
const DEFAULT_BUDGET: usize = 300;
/// Default number of days in which a change counts.
const DEFAULT_DAYS: u32 = 7;
/// A day in seconds.
const SECONDS_PER_DAY: i64 = 86_400;
/// Bytes per token.
const BYTES_PER_TOKEN: usize = 4;
/// Maximum bytes of the text of one note.
const MAX_BYTES_PER_NOTE: usize = 240;

/// Number of notes in a row that did not fit after which no more are read: a new clone of a large vault has changed
/// as a whole.
const MAX_MISSES: usize = 50;

/// Types of notes that are listed without a change.
const DECIDED: [&str; 2] = ["preference", "decision"];

/// Why a note is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Section {
    Core,
    /// A preference or decision.
    Decided,
    Changed,
}

impl Section {
    const ALL: [Self; 3] = [Self::Core, Self::Decided, Self::Changed];

    fn of(view: &View<'_>, entry: &Entry) -> Result<Self> {
        if entry.row.flags.tier() == Tier::Core {
            return Ok(Self::Core);
        }
        if DECIDED.iter().any(|kind| entry.row.may_have_type(kind)) {
            let types = list_of(&view.details(entry.slot)?.properties(), "type");
            let is_decided = |kind: &String| DECIDED.iter().any(|it| kind.eq_ignore_ascii_case(it));
            if types.iter().any(is_decided) {
                return Ok(Self::Decided);
            }
        }
        Ok(Self::Changed)
    }

    /// Returns the time that dates a note. A clone of a vault has new file times, and jobs write into their own notes.
    fn time(self, entry: &Entry) -> i64 {
        let is_by_jobs = entry.is_managed() && entry.row.stated().is_some();
        if entry.row.updated == i64::MIN && (self != Self::Changed || is_by_jobs) {
            entry.row.created
        } else {
            entry.row.updated_or_saved()
        }
    }

    fn heading(self) -> &'static str {
        match self {
            Self::Core => "Core notes:",
            Self::Decided => "Preferences and decisions:",
            Self::Changed => "Changed lately:",
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionContext {
    notes: Vec<ContextNote>,
    /// Number of further notes that did not fit, or were not read because many before them did not.
    left_out: usize,
    #[serde(skip)]
    budget: usize,
    /// Number of questions of today about these notes or others.
    questions: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ContextNote {
    section: Section,
    path: VaultPath,
    /// The stated day of its last change, else that of its creation; without either, that of its file. Under
    /// `changed`, the day of its last change.
    date: String,
    /// The first statements of the note.
    text: String,
    /// The newer note, if a question is open whether it replaces this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    maybe_outdated_by: Option<VaultPath>,
    /// The same as text.
    #[serde(skip)]
    outdated: Option<OutdatedReason>,
}

impl Default for ContextRequest {
    fn default() -> Self {
        Self {
            budget: DEFAULT_BUDGET,
            space: None,
            days: DEFAULT_DAYS,
            touch: UsageFlag::default(),
        }
    }
}

impl SessionContext {
    pub(super) fn is_empty(&self) -> bool {
        self.notes.is_empty()
    }
}

impl Request for ContextRequest {
    type Reply<'s> = SessionContext;

    fn open(&self, env: &Environment) -> Result<Session> {
        self.touch.open(env)
    }

    fn answer(&self, session: &Session) -> Result<SessionContext> {
        let mut context = SessionContext {
            notes: Vec::new(),
            left_out: 0,
            budget: self.budget,
            questions: stored_questions(session).len(),
        };
        let mut remaining = self.budget.saturating_mul(BYTES_PER_TOKEN);
        let space = self
            .space
            .as_deref()
            .map(|space| format!("(space:\"{}\" OR -has:space)", space.replace('"', "")));
        let conflicts = OpenConflicts::load(session);
        // One query for all sections: each reads the rows of the whole vault.
        let text = format!(
            "(tier:core OR type:{} OR updated:<{}d) -is:superseded -is:expired -is:upcoming",
            DECIDED.join(" OR type:"),
            self.days
        );
        let query: Vec<String> = [text].into_iter().chain(space).collect();
        let Selection {
            mut entries, view, ..
        } = selected(session, &query)?;
        remove_templates(session, &mut entries);
        let days = i64::from(self.days) * SECONDS_PER_DAY;
        let start = session.env.now.timestamp().as_second() - days;
        let mut by_section: [Vec<&Entry>; 3] = Default::default();
        for entry in &entries {
            let section = Section::of(&view, entry)?;
            if section != Section::Changed || section.time(entry) > start {
                by_section[section as usize].push(entry);
            }
        }
        for (section, mut entries) in Section::ALL.into_iter().zip(by_section) {
            entries.sort_by(|a, b| {
                let newer = section.time(b).cmp(&section.time(a));
                newer.then_with(|| a.path.cmp(&b.path))
            });
            let mut misses = 0;
            for entry in entries {
                if misses == MAX_MISSES {
                    context.left_out += 1;
                    continue;
                }
                let Some(text) = first_statements(&view, entry, MAX_BYTES_PER_NOTE) else {
                    continue;
                };
                let outdated = match &conflicts {
                    Some(conflicts) => conflicts.replacement(&view, entry)?,
                    None => None,
                };
                let note = ContextNote {
                    section,
                    maybe_outdated_by: match &outdated {
                        Some(OutdatedReason::NewerStatement { newer, .. }) => Some(newer.clone()),
                        _ => None,
                    },
                    outdated,
                    date: day(section.time(entry)),
                    path: entry.path.clone(),
                    text,
                };
                let size = note.line().len() + 1;
                if size > remaining {
                    context.left_out += 1;
                    misses += 1;
                    continue;
                }
                misses = 0;
                remaining -= size;
                context.notes.push(note);
            }
        }
        Ok(context)
    }
}

impl ContextNote {
    fn line(&self) -> String {
        let outdated = self.outdated.as_ref();
        let outdated = outdated.map_or_else(String::new, |reason| format!("; {reason}"));
        format!("- {} ({}, {}{outdated})", self.text, self.path, self.date)
    }
}

fn day(second: i64) -> String {
    let at = Timestamp::from_second(second).unwrap_or_default();
    at.strftime("%Y-%m-%d").to_string()
}

/// Returns the first paragraph of a note on one line of at most `max` bytes; `None` if it has none,
/// contains a secret or cannot be read.
pub(super) fn first_statements(view: &View<'_>, entry: &Entry, max: usize) -> Option<String> {
    let text = view.text(entry).ok()?;
    let document = Document::of_note(&text);
    let span = prose::lead(&document).into_iter().next()?;
    let lead = &document.text()[span];
    if !secrets::find(lead).is_empty() {
        return None;
    }
    let mut line = one_line(lead);
    truncate_at_word(&mut line, max);
    Some(line).filter(|line| !line.is_empty())
}

impl Reply for SessionContext {
    fn show(&self, page: &Page<'_>) {
        for section in Section::ALL {
            let mut notes = self
                .notes
                .iter()
                .filter(|note| note.section == section)
                .peekable();
            if notes.peek().is_some() {
                page.line(section.heading());
            }
            for note in notes {
                page.write_wrapped(&Line::from(note.line().as_str()));
            }
        }
        if self.questions > 0 && !self.notes.is_empty() {
            page.line(&format!(
                "{} open: `mem review`",
                count(self.questions, "question")
            ));
        }
        if self.left_out > 0 && !self.notes.is_empty() {
            page.say(&format!(
                "{} did not fit",
                count(self.left_out, "more note")
            ));
        }
    }

    list!(notes);

    fn messages(&self) -> Vec<Message> {
        let message = match (self.notes.is_empty(), self.left_out) {
            (false, _) => return Vec::new(),
            (true, 0) => "no core note, preference, decision or recent change".to_owned(),
            (true, notes) => format!(
                "none of {} fits into {}; raise `--budget`",
                count(notes, "note"),
                count(self.budget, "token")
            ),
        };
        vec![Message::status(&message)]
    }
}

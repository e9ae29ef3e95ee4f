//! `mem timeline`

use crate::commands::args::vaults::{Vaults, in_each_vault};
use crate::commands::prelude::*;
use crate::note;
use crate::note::words::one_line::shortened_at_word;
use crate::recall::statements::AnswerReader;
use crate::run::plan::open_conflicts::OpenConflicts;
use crate::session::search::SearchAnswer;
use crate::signals::dates::{moment, starts};

/// Maximum length of a statement in characters.
const MAX_STATEMENT_CHARS: usize = 240;

/// Show what notes state about a subject over time
///
/// Lists the statements that `mem recall` finds, those that they replaced and those that replace them
/// later, oldest first. Marks statements with a recorded replacement or correction, and those with a newer statement of
/// another value or an open question whether one replaces them.
#[derive(Debug, clap::Args)]
pub struct TimelineRequest {
    #[command(flatten)]
    pub(crate) query: QueryArgs,
    /// Begin with at most N notes; notes that they replaced are added
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub limit: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Timeline {
    query: String,
    /// Statements in order of their dates.
    statements: Vec<DatedStatement>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct DatedStatement {
    path: VaultPath,
    /// The folder of its vault, if several were searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    vault: Option<PathBuf>,
    /// The folder before paths in the text output: that of a further vault.
    #[serde(skip)]
    folder: Option<PathBuf>,
    title: String,
    /// The date of the note, in UTC.
    date: String,
    /// The first date of a statement that was repeated later, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_stated: Option<String>,
    /// The sentences and list items that answer the query, on one line.
    text: String,
    /// The note recorded as its replacement.
    #[serde(skip_serializing_if = "Option::is_none")]
    replaced_by: Option<VaultPath>,
    /// Whether the replacement states that this was wrong.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    corrected: bool,
    /// A newer statement with another value. No replacement is recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    newer_statement: Option<VaultPath>,
    /// The day from which it is valid, in UTC, if that has not come.
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<String>,
    /// Whether the statement has ended by its own dates, or is struck out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    expired: bool,
}

impl Request for TimelineRequest {
    type Reply<'s> = Timeline;

    fn answer(&self, session: &Session) -> Result<Timeline> {
        let (mut timeline, further) = in_each_vault(session, |session| self.timeline(session))?;
        let Some(vaults) = Vaults::of(&session.vault, &further) else {
            return Ok(timeline);
        };
        timeline.place(session.vault.root(), &vaults, false);
        for (vault, mut other) in further {
            other.place(&vault, &vaults, true);
            timeline.statements.append(&mut other.statements);
        }
        timeline
            .statements
            .sort_by(|one, other| one.date.cmp(&other.date));
        Ok(timeline)
    }
}

impl TimelineRequest {
    /// Lists the statements of one vault.
    fn timeline(&self, session: &Session) -> Result<Timeline> {
        let options = SearchOptions {
            limit: self.limit,
            only_relevant: true,
            learned: Some(session.settings.of()),
            ..SearchOptions::default()
        };
        let SearchAnswer { query, results } = self.query.search(session, &options)?;
        let (cache, view) = session.fresh_view()?;
        let index = cache.text.reader().map_err(CacheError::from)?;
        let mut reader = AnswerReader::new(&query.words(), &index.languages);
        let conflicts = OpenConflicts::load(session);
        let hits = results.hits.into_iter();
        let mut pending: Vec<_> = hits
            .map(|hit| (hit.entry, hit.excerpt.text, hit.outdated))
            .collect();
        // Hits come first, so that their passages and marks are kept.
        pending.reverse();
        let mut statements = BTreeMap::new();
        let mut related = Vec::new();
        let mut known = HashSet::new();
        while let Some((entry, passage, mut outdated)) = pending.pop() {
            if known.insert(entry.slot) {
                if let Some(conflicts) = conflicts.as_ref().filter(|_| outdated.is_none()) {
                    outdated = conflicts.replacement(&view, &entry)?;
                }
                related.extend(view.linked_by(&entry, Relation::EvolvedFrom)?);
                // A replacement that is not valid yet is not found.
                related.extend(view.replaced_by(&entry)?);
                let order = (entry.row.created, entry.path.clone());
                let text = if passage.is_empty() {
                    let text = view.text(&entry).unwrap_or_default();
                    reader.answer(&text[split(&text).body], MAX_STATEMENT_CHARS)
                } else {
                    reader.answer(&passage, MAX_STATEMENT_CHARS)
                };
                statements.insert(order, statement(&view, &entry, &text, outdated)?);
            }
            if pending.is_empty() {
                let others = related.drain(..);
                pending.extend(others.map(|entry| (entry, String::new(), None)));
            }
        }
        Ok(Timeline {
            query: self.query.text(),
            statements: statements.into_values().collect(),
        })
    }
}

/// Returns the statement of a note with its marks.
fn statement(
    view: &View<'_>,
    entry: &Entry,
    text: &str,
    outdated: Option<OutdatedReason>,
) -> Result<DatedStatement> {
    let replaced_by = view.replaced_by(entry)?.map(|newer| newer.path);
    let mut corrections = view.related_to(entry, "corrects")?;
    let (newer_statement, expired) = match outdated {
        Some(OutdatedReason::NewerStatement { newer, .. }) => (Some(newer), false),
        Some(_) => (None, true),
        None => (None, false),
    };
    let details = view.details(entry.slot)?;
    let starts = starts(&details.properties()).filter(|_| view.is_upcoming(entry).unwrap_or(false));
    // Merges and repetitions keep earlier dates in this list.
    let merged = note::list_of(&details.properties(), "merged");
    let dates = merged
        .iter()
        .filter_map(|line| line.strip_prefix("created: "));
    let first = dates.filter_map(moment).min().map(day);
    let date = day(entry.row.created);
    Ok(DatedStatement {
        path: entry.path.clone(),
        vault: None,
        folder: None,
        title: details.title,
        first_stated: first.filter(|first| *first < date),
        date,
        text: shortened_at_word(text, MAX_STATEMENT_CHARS),
        corrected: corrections.any(|newer| Some(&newer.path) == replaced_by.as_ref()),
        newer_statement: newer_statement.filter(|_| replaced_by.is_none()),
        replaced_by,
        valid_from: starts.map(day),
        expired,
    })
}

/// Returns the day of a time in seconds since 1970, in UTC.
fn day(at: i64) -> String {
    let at = Timestamp::from_second(at).unwrap_or_default();
    at.strftime("%Y-%m-%d").to_string()
}

impl Timeline {
    /// Makes the statements those of the vault `own`, one of `vaults`, without those that a vault inside of it has.
    fn place(&mut self, own: &Path, vaults: &Vaults, is_further: bool) {
        self.statements
            .retain(|statement| !vaults.has_inner(own, &statement.path));
        for statement in &mut self.statements {
            statement.vault = Some(own.to_owned());
            statement.folder = is_further.then(|| own.to_owned());
        }
    }
}

impl DatedStatement {
    /// Returns a path of its vault as printed: in the first vault, or absolute.
    fn shown(&self, path: &VaultPath) -> String {
        let folder = self.folder.as_deref().unwrap_or(Path::new(""));
        folder.join(path.as_str()).to_string_lossy().into_owned()
    }

    /// Returns when it was stated first, and why it does not hold now, if that applies.
    fn mark(&self) -> String {
        let first = self.first_stated.iter();
        let first = first.map(|date| format!(" (first stated {date})"));
        let upcoming = self.valid_from.iter();
        let upcoming = upcoming.map(|date| format!(" (valid from {date})"));
        let state = match (&self.replaced_by, &self.newer_statement) {
            (Some(newer), _) if self.corrected => format!(" (corrected by {})", self.shown(newer)),
            (Some(newer), _) => format!(" (replaced by {})", self.shown(newer)),
            (None, Some(newer)) => format!(" (newer statement: {})", self.shown(newer)),
            (None, None) if self.expired => " (has ended)".to_owned(),
            (None, None) => String::new(),
        };
        first.chain(upcoming).chain([state]).collect()
    }
}

impl Reply for Timeline {
    fn show(&self, page: &Page<'_>) {
        for statement in &self.statements {
            let DatedStatement {
                path, date, text, ..
            } = statement;
            let head = format!("{date} {}{}", statement.shown(path), statement.mark());
            page.write_wrapped(&Line::of(Style::Title, &*head));
            page.write_wrapped(&format!("  {text}").as_str().into());
        }
    }

    list!(statements);

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(!self.statements.is_empty()))
    }
}

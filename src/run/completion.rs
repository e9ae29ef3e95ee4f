//! Shell completion of notes, tags, properties, questions, runs and settings.
//!
//! Runs on every key press: reads existing caches, waits for no lock, writes and prints nothing.

use crate::cache::{CatalogReader, PrefixKind};
use crate::change::run_id::short as short_id;
use crate::change::trash;
use crate::config::Schema;
use crate::note::folded;
use crate::output::{Color, Form};
use crate::recall::query::STATES;
use crate::run::plan::open;
use crate::run::prelude::*;
use crate::run::presets::PRESETS;
use crate::run::template;
use crate::session::settings::SAVED_QUERIES;
use crate::signals::{FIELDS, Field, Tier};

/// Maximum number of candidates; more letters narrow them down.
const MAX_CANDIDATES: usize = 200;
/// Number of notes among which faded ones are looked for.
const MAX_SCANNED_NOTES: usize = 2000;

/// Returns the values that start with the given text.
pub type Complete = fn(&CompletionCandidates, &str) -> Vec<String>;

/// Completion candidates of a vault.
#[derive(Clone)]
pub struct CompletionCandidates {
    /// The vault, if given on the command line.
    pub vault: Option<PathBuf>,
    pub schema: &'static Schema,
}

impl CompletionCandidates {
    /// Returns the completion for values called `name` in the help.
    pub fn of(name: &str) -> Option<Complete> {
        let complete: Complete = match name {
            "NOTE" | "NOTES" => Self::notes,
            "NOTE|QUERY" => |candidates, current| {
                let found = candidates.notes(current).into_iter();
                with_prefix(current, found.chain(candidates.query(current)))
            },
            "TAG" | "TAG,..." => Self::last_tag,
            "QUERY" => Self::query,
            "KEY=VALUE" => |candidates, current| {
                let names = candidates.property_names();
                with_prefix(current, names.map(|name| format!("{name}=")))
            },
            "PROPERTY" => |candidates, current| with_prefix(current, candidates.property_names()),
            "KEY" => |candidates, current| {
                let settings = candidates.schema.all();
                with_prefix(current, settings.map(|setting| &*setting.key))
            },
            "NOTE|RUN" => Self::removed,
            "FILE|RUN" => Self::trashed,
            "RUN" => Self::runs,
            "QUESTION" => Self::questions,
            "PRESET" => |_, current| with_prefix(current, PRESETS.iter().map(|(name, _)| *name)),
            "TEMPLATE" => Self::templates,
            _ => return None,
        };
        Some(complete)
    }

    /// Completes titles, aliases and paths.
    fn notes(&self, current: &str) -> Vec<String> {
        let names = self.named(PrefixKind::Name, current);
        let paths = (!current.is_empty()).then(|| self.named(PrefixKind::Path, current));
        with_prefix(current, names.into_iter().chain(paths.unwrap_or_default()))
    }

    /// Completes the tag after the last comma.
    fn last_tag(&self, current: &str) -> Vec<String> {
        self.tags_behind(current, current.rfind(',').map_or(0, |comma| comma + 1))
    }

    /// Completes the tag that starts at `at`.
    fn tags_behind(&self, current: &str, at: usize) -> Vec<String> {
        let (before, tag) = current.split_at(at);
        let found = with_prefix(tag, self.named(PrefixKind::Tag, tag)).into_iter();
        found.map(|tag| format!("{before}{tag}")).collect()
    }

    fn named(&self, kind: PrefixKind, current: &str) -> Vec<String> {
        let found = self.read_catalog(|reading| reading.beginning(kind, current, MAX_CANDIDATES));
        found.unwrap_or_default()
    }

    fn property_names(&self) -> impl Iterator<Item = String> + use<> {
        let meta = self.read_catalog(CatalogReader::meta);
        meta.unwrap_or_default().properties.into_keys()
    }

    /// Completes fields with their values, properties, tags and saved queries.
    fn query(&self, current: &str) -> Vec<String> {
        if let Some(name) = current.strip_prefix('@') {
            let session = self.session();
            let saved = session.map(|session| session.settings.texts_by_name(SAVED_QUERIES));
            let found = with_prefix(name, saved.unwrap_or_default().into_keys());
            return found.iter().map(|name| format!("@{name}")).collect();
        }
        if current.starts_with('#') {
            return self.tags_behind(current, 1);
        }
        let Some((field, value)) = current.split_once(':') else {
            let built_in = FIELDS.iter().map(|field| field.name.to_owned());
            let fields = built_in.chain(self.property_names());
            return with_prefix(current, fields.map(|name| format!("{name}:")));
        };
        let values = match field {
            "tag" => return self.tags_behind(current, "tag:".len()),
            "is" => with_prefix(value, STATES.map(|(_, name, _)| name)),
            "tier" => with_prefix(value, Tier::ALL.map(Tier::name)),
            "has" => with_prefix(value, self.property_names().chain(["conflict".to_owned()])),
            "sort" => with_prefix(value, Field::sort_keys()),
            _ => return Vec::new(),
        };
        values.iter().map(|it| format!("{field}:{it}")).collect()
    }

    fn templates(&self, current: &str) -> Vec<String> {
        let names = self.session().map(|session| template::names(&session));
        with_prefix(current, names.unwrap_or_default())
    }

    /// Completes the questions of today.
    fn questions(&self, current: &str) -> Vec<String> {
        let asked = self
            .session()
            .map(|session| open::stored_questions(&session));
        let ids = asked.unwrap_or_default().into_iter();
        with_prefix(current, ids.map(|id| id.to_string()))
    }

    /// Completes undoable runs.
    fn runs(&self, current: &str) -> Vec<String> {
        let session = self.session();
        let folder = session.map(|session| session.homes.state.join("history"));
        let listing = folder.and_then(|folder| folder.read_dir().ok());
        let entries = listing.into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let ids: Vec<String> = names.collect();
        let whole = ids.iter().filter(|_| !current.is_empty());
        let short = ids.iter().map(|id| short_id(id));
        with_prefix(current, short.chain(whole.map(String::as_str)))
    }

    /// Completes notes in the trash.
    fn trashed(&self, current: &str) -> Vec<String> {
        let listing = self.session().map(|session| trash::list(&session.vault));
        let trash = listing.and_then(Result::ok).unwrap_or_default();
        with_prefix(current, trash.iter().map(|trashed| trashed.path.as_str()))
    }

    /// Completes notes in the trash and faded notes.
    fn removed(&self, current: &str) -> Vec<String> {
        let faded = self.read_catalog(|reading| {
            let mut paths = reading.beginning(PrefixKind::Path, current, MAX_SCANNED_NOTES)?;
            paths.retain(|path| tier(reading, path).is_some_and(|tier| tier < Tier::Working));
            Ok(paths)
        });
        let trashed = self.trashed(current).into_iter();
        with_prefix(current, trashed.chain(faded.unwrap_or_default()))
    }

    /// Reads from the existing catalog; none if it is missing.
    fn read_catalog<T>(
        &self,
        look: impl FnOnce(&CatalogReader) -> Result<T, CacheError>,
    ) -> Option<T> {
        let catalog = Cache::catalog(&self.session()?.homes.cache)?;
        look(&catalog.read().ok()?).ok()
    }

    fn session(&self) -> Option<Session> {
        let output = Output::new(Form::Human, true, Color::Never);
        output.mute();
        let vault = self.vault.clone();
        let env = Environment::new(output, vault, true, String::new(), self.schema).ok()?;
        env.open().ok()
    }
}

fn tier(reading: &CatalogReader, path: &str) -> Option<Tier> {
    let slot = reading.at(&VaultPath::new(path).ok()?).ok()??;
    Some(reading.fields(slot).ok()??.flags.tier())
}

/// Returns the distinct `values` that start with `current`, ignoring case, in order.
///
/// A shell shortens the input to the common prefix of ambiguous candidates. So if their spelling
/// differs, all
/// of them start with the input as typed.
fn with_prefix<T: AsRef<str>>(current: &str, values: impl IntoIterator<Item = T>) -> Vec<String> {
    let values = values.into_iter();
    let found: BTreeSet<(String, String)> = values
        .filter_map(|value| {
            let (start, rest) = value
                .as_ref()
                .split_at(prefix_length(value.as_ref(), current)?);
            Some((start.to_owned(), rest.to_owned()))
        })
        .collect();
    let starts: BTreeSet<&String> = found.iter().map(|(start, _)| start).collect();
    let is_one = starts.len() == 1;
    let found = found.iter().map(|(start, rest)| {
        let start = if is_one { start } else { current };
        format!("{start}{rest}")
    });
    let found: BTreeSet<String> = found.collect();
    found.into_iter().take(MAX_CANDIDATES).collect()
}

/// Returns the length of the prefix of `value` that equals `current`, ignoring case.
fn prefix_length(value: &str, current: &str) -> Option<usize> {
    // Folding trims surrounding blanks; the delimiters prevent this.
    let whole = |text: &str| folded(&format!("|{text}|"));
    let wanted = whole(current);
    let near = current.len() / 3..=current.len() * 3;
    let mut ends = (0..=value.len()).filter(|end| value.is_char_boundary(*end));
    ends.find(|end| near.contains(end) && whole(&value[..*end]) == wanted)
}

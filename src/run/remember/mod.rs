//! Stores a text as a new note, unless a note already states it.
//!
//! Notes that were replaced, expired or forgotten do not count, nor those that are not valid yet. If a current note has the text, it
//! is stated
//! again: on a later day (UTC), or if another note was dated in between, it gets the later date,
//! and the
//! earlier date moves to its list `merged`, as in a merge. Events on different days are different
//! events. A
//! note that mem may not re-date (a person's, or one with `keep`) stays, and a new note is written.

pub mod batch;
pub mod findings;
pub mod options;

use self::findings::NoteFindings;
use super::plan::apply::reindex;
use crate::cache::Flags;
use crate::cache::key::IndexKey;
use crate::change::ChangeError;
use crate::change::apply::apply;
use crate::note::front_matter::property::{property, spelled};
use crate::note::front_matter::seal;
use crate::note::words::hash;
use crate::note::{Note, new_note};
use crate::run::prelude::*;
use crate::signals::property_merge::value_line;
use crate::signals::{Tier, moment_of};

/// A note to create.
#[derive(Debug)]
pub struct NewNote<'a> {
    pub title: String,
    pub properties: Vec<(String, Value)>,
    pub body: String,
    pub given: GivenMetadata<'a>,
    /// None is the root of the vault.
    pub folder: Option<VaultPath>,
}

/// Title and properties given with the text. A note without them is a different note.
#[derive(Debug)]
pub struct GivenMetadata<'a> {
    pub title: Option<&'a str>,
    pub properties: Vec<(String, Value)>,
}

impl GivenMetadata<'_> {
    fn matches(
        &self,
        title: &str,
        aliases: &[String],
        tags: &[String],
        properties: &Map<String, Value>,
    ) -> bool {
        let is_named = |given: &str| title == given || aliases.iter().any(|alias| alias == given);
        let has_value = |(key, given): &(String, Value)| match (key.as_str(), given) {
            ("tags", Value::Array(given)) => given.iter().all(|given| {
                let mut tags = tags.iter();
                tags.any(|tag| given.as_str() == Some(tag))
            }),
            (key, Value::Array(given)) => {
                let mut known = spelled(properties, key).filter_map(|(_, value)| value.as_array());
                known.any(|known| given.iter().all(|given| known.contains(given)))
            }
            // A different date does not make a different note.
            ("created", _) => true,
            (key, given) => property(properties, key) == Some(given),
        };
        self.title.is_none_or(is_named) && self.properties.iter().all(has_value)
    }
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct RememberedNote {
    pub path: VaultPath,
    id: Option<String>,
    title: String,
    /// False if the text was already known.
    pub created: bool,
    #[serde(flatten)]
    pub asked: NoteFindings,
    /// Outdated notes with this text; if there are any, also the current ones.
    pub earlier: Vec<EarlierNote>,
    /// The earlier date of a re-dated note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_date: Option<String>,
    /// The run id for `mem undo`.
    #[serde(skip)]
    pub run: Option<RunId>,
}

impl RememberedNote {
    /// Returns the result for a note that already states the text.
    fn known(path: VaultPath, id: Option<String>, title: String) -> Self {
        Self {
            path,
            id,
            title,
            created: false,
            asked: NoteFindings::default(),
            earlier: Vec::new(),
            previous_date: None,
            run: None,
        }
    }
}

/// A note with the text of the new one, usually not current.
#[derive(Debug, Serialize, JsonSchema)]
pub struct EarlierNote {
    pub path: VaultPath,
    pub state: EarlierState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<VaultPath>,
}

/// Why a note is not current.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EarlierState {
    Replaced,
    Expired,
    Forgotten,
    /// It is not valid yet.
    Upcoming,
    /// It is current but has a date, title or property of its own.
    Standing,
}

/// Writes `new`, unless a note already states it.
pub fn remember(session: &Session, cache: Cache, new: NewNote<'_>) -> Result<RememberedNote> {
    let view = session.view(&cache)?;
    let (current, mut earlier) = same_text(&view, &new)?;
    if !earlier.is_empty() {
        // List current notes, too: otherwise readers assume that none exists.
        earlier.extend(current.iter().map(|entry| EarlierNote {
            path: entry.path.clone(),
            state: EarlierState::Standing,
            replaced_by: None,
        }));
    }
    let known = notes_stating(&view, current, &new)?;
    for known in &known {
        if known.is_stated_until(&view, &new)? {
            return Ok(known.result());
        }
    }
    for known in known.iter().filter(|known| known.may_be_restated(&new)) {
        let Some(group) = restatement(&view, known, &new) else {
            continue;
        };
        let report = apply_group(session, group)?;
        let is_done = report.applied() > 0;
        let Some(run) = report.run.filter(|_| is_done) else {
            continue;
        };
        drop(view);
        drop(cache);
        return Ok(RememberedNote {
            asked: findings_about(session, std::slice::from_ref(&known.entry.path))
                .pop()
                .unwrap_or_default(),
            previous_date: Some(known.date()),
            run: Some(run),
            ..known.result()
        });
    }
    let (path, run) = match write(session, &view, &new)? {
        WriteResult::New(path, run) => (path, run),
        WriteResult::Known(path, known) => {
            let id = note::text_of(&known.properties, "id");
            return Ok(RememberedNote::known(path, id, known.title));
        }
    };
    drop(view);
    drop(cache);
    let asked = findings_about(session, std::slice::from_ref(&path))
        .pop()
        .unwrap_or_default();
    let id = new
        .property("id")
        .and_then(Value::as_str)
        .map(str::to_owned);
    Ok(RememberedNote {
        created: true,
        asked,
        earlier,
        run,
        ..RememberedNote::known(path, id, new.title)
    })
}

/// Indexes the notes `paths` and returns what the jobs would ask about each.
fn findings_about(session: &Session, paths: &[VaultPath]) -> Vec<NoteFindings> {
    // The jobs compare vectors, and those of the encoder are not computed with the index.
    let cache = reindex(session, paths).map(|cache| session.embed_few(cache));
    let asked = cache.map(|cache| NoteFindings::of_each(session, &cache?, paths));
    asked
        .transpose()
        .unwrap_or_else(|error| {
            // The note is written; the jobs report their questions later.
            let why = error.message();
            let output = &session.env.output;
            output.warn(&format!("cannot look for similar notes: {why}"));
            None
        })
        .unwrap_or_default()
}

/// Returns the current and the earlier notes with the same text, except for surrounding white space.
/// Case and inner
/// white space must match, because they matter in code, addresses and units.
fn same_text(view: &View<'_>, new: &NewNote<'_>) -> Result<(Vec<Entry>, Vec<EarlierNote>)> {
    let (mut current, mut earlier) = (Vec::new(), Vec::new());
    for entry in with_text(view, &new.body)? {
        match earlier_note(view, &entry, new)? {
            Some(note) => earlier.push(note),
            None => current.push(entry),
        }
    }
    Ok((current, earlier))
}

/// Returns the notes with this text, with or without a full stop at the end.
pub fn with_text(view: &View<'_>, body: &str) -> Result<Vec<Entry>, CacheError> {
    let body = body.trim();
    let mut notes = Vec::new();
    for written in std::iter::once(body.to_owned()).chain(with_other_end(body)) {
        let hash = hash::normal_hash(&written);
        for slot in view.reading().find(IndexKey::body(hash))? {
            let entry = view.entry(slot)?;
            notes.extend(entry.filter(|entry| {
                let text = view.text(entry);
                entry.row.body == hash
                    && text.is_ok_and(|text| text.trim_end().ends_with(&*written))
            }));
        }
    }
    Ok(notes)
}

/// Returns `text` without the full stop at its end, or with one; `None` if it ends with another sign.
fn with_other_end(text: &str) -> Option<String> {
    let is_word_end =
        |text: &str| text.ends_with(|c: char| c.is_alphanumeric() || ")]\"'`”’»".contains(c));
    match text.strip_suffix('.') {
        Some(bare) => is_word_end(bare).then(|| bare.to_owned()),
        None => is_word_end(text).then(|| format!("{text}.")),
    }
}

/// Returns why a note is not current when `new` is written; none if it is.
fn earlier_note(view: &View<'_>, entry: &Entry, new: &NewNote<'_>) -> Result<Option<EarlierNote>> {
    let replaced_by = view.replaced_by(entry)?.map(|newer| newer.path);
    let now = view.now.timestamp().as_second();
    let state = if replaced_by.is_some() {
        EarlierState::Replaced
    } else if entry.row.expires <= now {
        EarlierState::Expired
    } else if entry.row.flags.tier() == Tier::Forgotten {
        EarlierState::Forgotten
    } else if !new.is_upcoming(now) && view.is_upcoming(entry)? {
        EarlierState::Upcoming
    } else {
        return Ok(None);
    };
    Ok(Some(EarlierNote {
        path: entry.path.clone(),
        state,
        replaced_by,
    }))
}

/// A day, in seconds.
const SECONDS_PER_DAY: i64 = 86_400;

impl NewNote<'_> {
    /// Returns the day of its date: days since 1970 in UTC.
    fn day(&self) -> i64 {
        let created = self.property("created").and_then(moment_of);
        created.map_or(i64::MIN, |at| at.div_euclid(SECONDS_PER_DAY))
    }

    /// Returns whether it is not valid at `now`, in seconds since 1970.
    fn is_upcoming(&self, now: i64) -> bool {
        let start = self.property("valid_from").and_then(moment_of);
        start.is_some_and(|start| start > now)
    }

    fn property(&self, name: &str) -> Option<&Value> {
        let mut properties = self.properties.iter();
        properties.find_map(|(key, value)| (key == name).then_some(value))
    }
}

/// A note with the text, title and properties of a new one.
struct KnownNote {
    entry: Entry,
    id: Option<String>,
    title: String,
    properties: Map<String, Value>,
    /// The day of its date; the maximum if it has none.
    day: i64,
}

/// Returns the notes that state `new`, latest first.
fn notes_stating(view: &View<'_>, notes: Vec<Entry>, new: &NewNote<'_>) -> Result<Vec<KnownNote>> {
    let mut known = Vec::new();
    for entry in notes {
        let details = view.details(entry.slot)?;
        let properties = details.properties();
        let (title, aliases, tags) = (&details.title, &details.aliases, &details.tags);
        if new.given.matches(title, aliases, tags, &properties) {
            let dated = entry.row.stated();
            known.push(KnownNote {
                day: dated.map_or(i64::MAX, |at| at.as_second().div_euclid(SECONDS_PER_DAY)),
                id: details.id,
                title: details.title,
                properties,
                entry,
            });
        }
    }
    known.sort_by(|a, b| (b.day, &a.entry.path).cmp(&(a.day, &b.entry.path)));
    Ok(known)
}

impl KnownNote {
    /// Whether it may get the later date of `new`.
    fn may_be_restated(&self, new: &NewNote<'_>) -> bool {
        let is_by_hand = new.property("mem").is_none();
        let kind = note::text_of(&self.properties, "type").unwrap_or_default();
        (self.entry.is_managed() || is_by_hand)
            && !self.entry.row.flags.has(Flags::KEEP)
            && !kind.trim().eq_ignore_ascii_case("event")
    }

    /// Whether its date is as late as that of `new`, without another note dated in between.
    fn is_stated_until(&self, view: &View<'_>, new: &NewNote<'_>) -> Result<bool> {
        let is_later = self.may_be_restated(new) && has_later_note(view, self, new)?;
        Ok(self.day > new.day() || self.day == new.day() && !is_later)
    }

    /// Returns its date as text.
    fn date(&self) -> String {
        let created = note::text_of(&self.properties, "created");
        created.unwrap_or_else(|| {
            let at = jiff::Timestamp::from_second(self.entry.row.created);
            at.map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d").to_string())
        })
    }

    fn result(&self) -> RememberedNote {
        RememberedNote::known(self.entry.path.clone(), self.id.clone(), self.title.clone())
    }
}

/// Whether a note is dated between a known one and `new`: stating it again may then supersede that
/// note.
fn has_later_note(view: &View<'_>, known: &KnownNote, new: &NewNote<'_>) -> Result<bool> {
    let now = new.property("created").and_then(moment_of);
    let between = known.entry.row.created.saturating_add(1)..now.unwrap_or(i64::MIN);
    let entries = view.entries()?;
    let mut dated = entries.iter().filter(|entry| entry.row.stated().is_some());
    Ok(dated.any(|entry| between.contains(&entry.row.created)))
}

/// Returns the group that gives a note the later date of `new`; `None` if it changed meanwhile.
fn restatement(view: &View<'_>, known: &KnownNote, new: &NewNote<'_>) -> Option<Group> {
    let path = &known.entry.path;
    let mut edits = Vec::new();
    if let Some(date) = new.property("created") {
        edits.push(Edit::set("created", date.clone()));
    }
    // Keep only the first date: a note stated every day would collect many.
    let merged = known.properties.get("merged").and_then(Value::as_array);
    let has_first = merged.is_some_and(|merged| {
        let mut texts = merged.iter().filter_map(Value::as_str);
        texts.any(|text| text.starts_with("created: "))
    });
    if !has_first && let Some(date) = property(&known.properties, "created") {
        edits.push(Edit::append("merged", value_line("created", date)));
    }
    let act = Act::Edit {
        note: path.clone(),
        edits,
    };
    acts::automatic_group(view, "stated again", &[act]).ok()
}

/// The result of writing a note.
enum WriteResult {
    /// A new note, written by this run.
    New(VaultPath, Option<RunId>),
    /// This note already states the text.
    Known(VaultPath, Box<Note>),
}

/// Writes the note under the first free name made from its title.
fn write(session: &Session, view: &View<'_>, new: &NewNote<'_>) -> Result<WriteResult> {
    let text = seal::reseal(&new_note(&new.properties, &new.body));
    let parent = new.folder.as_ref();
    let folder = parent.map_or_else(String::new, |folder| format!("{folder}/"));
    let naming = view.naming(&folder)?;
    for number in 1.. {
        let name = naming.name(&new.title, number);
        let path = VaultPath::new(&format!("{folder}{name}.md"))
            .map_err(|error| Error::from(error).hint("give it another `--title`"))?;
        if session.vault.exists(&path) {
            // An indexed note with that name is not current or has another date.
            if view.at(&path)?.is_none()
                && let Some(known) = read_same_note(session, &path, &text, &new.given)
            {
                return Ok(WriteResult::Known(path, Box::new(known)));
            }
            continue;
        }
        let create = Act::Create {
            path: path.clone(),
            text: text.clone(),
        };
        let group = Group {
            title: format!("remember {path}"),
            ..acts::manual_group(view, "requested", &[create])?
        };
        let report = apply_group(session, group)?;
        match report.outcomes.first() {
            // Another process took the name, perhaps for the same text; otherwise try the next
            // name.
            Some(Outcome::Dropped { .. }) if session.vault.absolute(&path).exists() => {
                if let Some(known) = read_same_note(session, &path, &text, &new.given) {
                    return Ok(WriteResult::Known(path, Box::new(known)));
                }
            }
            Some(Outcome::Dropped { reason, .. }) => {
                return Err(Error::new(format!("cannot write `{path}`: {reason}")));
            }
            _ => {
                session.note_ingest();
                if number > 1 && new.given.title.is_some() {
                    let taken = format!("{folder}{}.md", naming.name(&new.title, 1));
                    let message = format!("`{taken}` already exists; the new note is `{path}`");
                    session.env.output.say(&message);
                }
                return Ok(WriteResult::New(path, report.run));
            }
        }
    }
    unreachable!("there is always a greater number")
}

fn apply_group(session: &Session, group: Group) -> Result<RunReport, ChangeError> {
    let (plan, info) = (Plan::new("remember", vec![group]), session.env.run_info());
    apply(&session.vault, &session.homes, &plan, &info)
}

/// Returns the note at `path` if it has the body of `text` and the given properties: another
/// process may have
/// remembered the same text at the same moment.
fn read_same_note(
    session: &Session,
    path: &VaultPath,
    text: &str,
    given: &GivenMetadata<'_>,
) -> Option<Note> {
    let there = session.vault.read(path).ok()?.text;
    let [known, new] = [&there, text].map(|text| note::read(text, path.stem()));
    let is_same = there[known.body.clone()].trim() == text[new.body.clone()].trim()
        && given.matches(&known.title, &known.aliases, &known.tags, &known.properties);
    is_same.then_some(known)
}

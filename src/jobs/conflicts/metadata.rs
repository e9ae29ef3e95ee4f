//! Metadata of a note that decides whether two notes have the same subject.

use jiff::Timestamp;

use super::lexicon::LEXICON_LISTS;
use super::options::ConflictsOptions;
use super::pair::{PairContext, TagOverlap};
use super::parsed_note::{ParsedNote, speaker, speaker_hash};
use super::topic::TitleTopic;
use crate::jobs::find::is_evidence;
use crate::jobs::prelude::*;
use crate::note::facts::validity::{StatementLabel, is_draft, is_title_word, label};
use crate::note::markdown::prose::stated;

/// Metadata of a note, for comparing it with another.
#[derive(Debug)]
pub(super) struct Metadata {
    pub(super) title: String,
    /// False if the title is only the file name.
    is_titled: bool,
    /// True if the note has content and its type takes part.
    pub(super) is_candidate: bool,
    pub(super) space: Option<String>,
    /// Speaker or subject person, as hashed by [`speaker_hash`].
    speaker: Option<u64>,
    /// Lower-case tags.
    pub(super) tags: Vec<String>,
    /// True if mem or an agent wrote it.
    by_agent: bool,
    stated: Option<Timestamp>,
}

impl Metadata {
    pub(super) fn of(view: &View<'_>, entry: &Entry, options: &ConflictsOptions) -> Result<Self> {
        let details = view.details(entry.slot)?;
        let language = entry.row.flags.language();
        let properties = details.properties();
        let status = text_of(&properties, "status").unwrap_or_default();
        let speaker = ["speaker", "person"]
            .into_iter()
            .find_map(|key| properties.get(key).and_then(Value::as_str));
        Ok(Self {
            // Words for change and negation exist for few languages. Prose needs more of them than a memory does.
            is_candidate: is_evidence(entry)
                && !is_draft(&details.title, &details.tags, &status)
                && (language.is_english()
                    || entry.is_managed() && LEXICON_LISTS.has("languages", language.name()))
                && options.types.has(&note_type(&properties)),
            space: text_of(&properties, "space").filter(|space| !space.is_empty()),
            speaker: speaker.map(speaker_hash),
            by_agent: entry.is_managed(),
            stated: entry.row.stated(),
            is_titled: details.titled,
            tags: details.tags.iter().map(|tag| tag.to_lowercase()).collect(),
            title: details.title,
        })
    }

    /// Replaces the title by the file name, because the heading names only a part of the note.
    pub(super) fn replace_title(&mut self, stem: &str) {
        stem.clone_into(&mut self.title);
        self.is_titled = false;
    }

    /// Parses the statements of the note.
    pub(super) fn parse(&self, text: &str) -> ParsedNote {
        let written = &text[split::split(text).body];
        let body = stated(written);
        // `remember` makes a title from the text: the beginning of a long one, which may name the speaker.
        let beginning = written.trim_start_matches(['-', '~', ' ', '\n']);
        let begins_with = |start: &str| beginning.starts_with(start);
        let several = self.title.contains(". ").then_some(self.title.as_str());
        let start = self.title.strip_suffix('…').or(several);
        let title = match (start, label(&self.title), speaker(&self.title)) {
            (Some(start), ..) if begins_with(start) => "",
            _ if begins_with(&self.title) && !body.contains(&self.title) => "",
            (_, Some(StatementLabel::News), _) => {
                self.title.split_once(':').map_or("", |(_, news)| news)
            }
            (_, _, Some((name, rest))) if begins_with(name) => rest,
            _ => &self.title,
        };
        let mut note = ParsedNote::of(title, &body);
        // A person's notes of different days may be a series.
        let subject = self.by_agent.then(|| without_occasion(title));
        let subject = subject.as_deref().unwrap_or(title);
        note.topic = TitleTopic::of(subject, self.is_titled, &note.statements);
        note.by_agent = self.by_agent;
        note.stated = self.stated;
        note.speaker = self.speaker.or(note.speaker);
        note
    }

    /// Compares the metadata of two notes.
    pub(super) fn context(&self, other: &Self) -> PairContext {
        PairContext {
            tags: if !self.tags.is_empty() && self.tags == other.tags {
                TagOverlap::All
            } else if self.shares_tag(other) {
                TagOverlap::Some
            } else {
                TagOverlap::None
            },
            is_asked: true,
            is_same_space: self.space.is_some() && self.space == other.space,
            ..PairContext::default()
        }
    }

    /// Returns true if they share a tag, or one tag specialises another: `location`, `location_update`.
    fn shares_tag(&self, other: &Self) -> bool {
        let within = |a: &str, b: &str| {
            a.strip_prefix(b)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-', '/']))
        };
        self.tags
            .iter()
            .any(|a| other.tags.iter().any(|b| within(a, b) || within(b, a)))
    }
}

/// Returns `title` without words that name no subject: `Standup 2026-02-05`, `Lead update`.
fn without_occasion(title: &str) -> String {
    let is_subject = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        !is_title_word(&word.to_lowercase())
    };
    let words: Vec<&str> = title.split_whitespace().filter(is_subject).collect();
    words.join(" ")
}

/// Returns the type of a note in lower case; empty if it has none.
pub(super) fn note_type(properties: &Map<String, Value>) -> String {
    let note_type = text_of(properties, "type").unwrap_or_default();
    note_type.trim().to_lowercase()
}

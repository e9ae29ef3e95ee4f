//! Metadata of a note that decides whether two notes have the same subject.

use super::account::{Account, speaker_hash};
use super::options::Options;
use super::pair::{Common, Ground};
use super::topic::Topic;
use crate::jobs::find::is_evidence;
use crate::jobs::prelude::*;

/// Metadata of a note, for comparing it with another.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) title: String,
    /// False if the title is only the file name.
    titled: bool,
    /// True if the note has content and its type takes part.
    pub(super) takes_part: bool,
    pub(super) space: Option<String>,
    /// Speaker or subject person, as hashed by [`speaker_hash`].
    speaker: Option<u64>,
    /// Lower-case tags.
    pub(super) tags: Vec<String>,
    /// True if mem or an agent wrote it.
    by_agent: bool,
}

impl Facts {
    pub(super) fn of(view: &View<'_>, entry: &Entry, options: &Options) -> Result<Self> {
        let details = view.details(entry.slot)?;
        let properties = details.properties();
        let speaker = ["speaker", "person"]
            .into_iter()
            .find_map(|key| properties.get(key).and_then(Value::as_str));
        Ok(Self {
            takes_part: is_evidence(entry) && options.types.has(&kind(&properties)),
            space: text_of(&properties, "space").filter(|space| !space.is_empty()),
            speaker: speaker.map(speaker_hash),
            by_agent: entry.is_managed(),
            titled: details.titled,
            tags: details.tags.iter().map(|tag| tag.to_lowercase()).collect(),
            title: details.title,
        })
    }

    /// Replaces the title by the file name, because the heading names only a part of the note.
    pub(super) fn rename(&mut self, stem: &str) {
        stem.clone_into(&mut self.title);
        self.titled = false;
    }

    /// Parses the statements of the note.
    pub(super) fn account(&self, text: &str) -> Account {
        let body = &text[split::split(text).body];
        let mut account = Account::of(&self.title, body);
        account.topic = Topic::of(&self.title, self.titled, &account.statements);
        account.by_agent = self.by_agent;
        account.speaker = self.speaker.or(account.speaker);
        account
    }

    /// Compares the metadata of two notes.
    pub(super) fn ground(&self, other: &Self) -> Ground {
        Ground {
            tags: if !self.tags.is_empty() && self.tags == other.tags {
                Common::All
            } else if self.shares_tag(other) {
                Common::Some
            } else {
                Common::Nothing
            },
            is_asked: true,
            same_space: self.space.is_some() && self.space == other.space,
            ..Ground::default()
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

/// Returns the type of a note in lower case; empty if it has none.
pub(super) fn kind(properties: &Map<String, Value>) -> String {
    let kind = text_of(properties, "type").unwrap_or_default();
    kind.trim().to_lowercase()
}

//! What has been learned of notes from their use: what the journal knows, else what the note itself says.

use super::learned::LearnedNotes;
use super::{Entry, View};
use crate::cache::CacheError;
use crate::cache::row::Flags;
use crate::signals::helped::ContextOptions;
use crate::signals::snapshot;
use crate::signals::usage::Usage;
use crate::vault::JOURNAL;

impl View<'_> {
    /// Returns what has been learned of a note.
    pub fn usage(&self, entry: &Entry) -> Result<Usage, CacheError> {
        let mut usage = self.feedback(entry)?.unwrap_or_default();
        let learned = self.learned()?;
        learned.add_waiting(entry.path.as_str(), &mut usage)?;
        Ok(usage)
    }

    /// Returns what has been learned of a note as far as the journal has it, if anything.
    pub fn feedback(&self, entry: &Entry) -> Result<Option<Usage>, CacheError> {
        let known = self.learned()?.get(entry.path.as_str(), entry.row.body)?;
        known.map_or_else(|| self.snapshot(entry), |usage| Ok(Some(usage)))
    }

    /// Returns what the questions count that a note helped with.
    #[must_use]
    pub fn context_options(&self) -> ContextOptions {
        let source = self.uses.as_ref();
        source.map_or_else(ContextOptions::default, |source| {
            source.how.parameters.context
        })
    }

    /// Returns what has been learned of each of `entries`, read in one go.
    pub fn usages(&self, entries: &[Entry]) -> Result<Vec<Usage>, CacheError> {
        self.learned()?.read_all();
        entries.iter().map(|entry| self.usage(entry)).collect()
    }

    /// Returns the snapshot in a note, if it has one.
    pub fn snapshot(&self, entry: &Entry) -> Result<Option<Usage>, CacheError> {
        if !entry.row.flags.has(Flags::LEARNED) {
            return Ok(None);
        }
        let properties = self.details(entry.slot)?.properties();
        Ok(properties.get("mem").and_then(snapshot::read))
    }

    fn learned(&self) -> Result<&LearnedNotes, CacheError> {
        if let Some(learned) = self.learned.get() {
            return Ok(learned);
        }
        let learned = LearnedNotes::open(self.vault.own_path(JOURNAL), self.uses.clone())?;
        Ok(self.learned.get_or_init(|| learned))
    }
}

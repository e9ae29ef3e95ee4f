//! What has been learned of notes from their use: what the journal knows, else what the note itself says.

use super::learned::LearnedNotes;
use crate::signals::helped::ContextOptions;
use crate::signals::snapshot;
use crate::signals::usage::Usage;
use crate::vault::JOURNAL;
use crate::view::prelude::*;

/// Where something was learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearnedFrom {
    /// The journal, or what is not in it yet.
    Journal,
    /// The note itself.
    Snapshot,
}

impl View<'_> {
    /// Returns what has been learned of a note.
    pub fn usage(&self, entry: &Entry) -> Result<Usage> {
        Ok(self.usage_and_source(entry)?.0)
    }

    /// Returns what has been learned of a note, and where.
    pub fn usage_and_source(&self, entry: &Entry) -> Result<(Usage, LearnedFrom)> {
        let (learned, path) = (self.learned(), entry.path.as_str());
        let known = learned.get(path, entry.row.body);
        let is_known = known.is_some();
        let mut usage = match known {
            Some(usage) => usage,
            None => self.snapshot_by_now(entry)?.unwrap_or_default(),
        };
        let source = if learned.add_waiting(path, Some(entry.row.created), &mut usage) || is_known {
            LearnedFrom::Journal
        } else {
            LearnedFrom::Snapshot
        };
        Ok((usage, source))
    }

    /// Returns what has been learned of a note as far as the journal has it, if anything.
    pub fn feedback(&self, entry: &Entry) -> Result<Option<Usage>> {
        let known = self.learned().get(entry.path.as_str(), entry.row.body);
        known.map_or_else(|| self.snapshot_by_now(entry), |usage| Ok(Some(usage)))
    }

    /// Returns what the questions count that a note helped with.
    pub fn context_options(&self) -> ContextOptions {
        let source = self.uses.as_ref();
        source.map_or_else(ContextOptions::default, |source| {
            source.how.parameters.context
        })
    }

    /// Returns what has been learned of each of `entries`, read in one go.
    pub fn usages(&self, entries: &[Entry]) -> Result<Vec<Usage>> {
        self.read_usages();
        entries.iter().map(|entry| self.usage(entry)).collect()
    }

    /// Reads what has been learned of all notes at once, for whoever asks it of most of them.
    pub fn read_usages(&self) {
        self.learned().read_all();
    }

    /// Returns the snapshot in a note, if it has one.
    pub fn snapshot(&self, entry: &Entry) -> Result<Option<Usage>> {
        if !entry.row.flags.has(Flags::LEARNED) {
            return Ok(None);
        }
        let properties = self.details(entry.slot)?.properties();
        Ok(properties.get("mem").and_then(snapshot::read))
    }

    fn snapshot_by_now(&self, entry: &Entry) -> Result<Option<Usage>> {
        let mut snapshot = self.snapshot(entry)?;
        if let Some(usage) = &mut snapshot {
            usage.forget_after(self.now.timestamp().as_second());
        }
        Ok(snapshot)
    }

    fn learned(&self) -> &LearnedNotes {
        self.learned.get_or_init(|| {
            let now = self.now.timestamp().as_second();
            LearnedNotes::open(self.vault.own_path(JOURNAL), self.uses.clone(), now)
        })
    }
}

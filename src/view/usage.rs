//! Learned usage of notes: from the journal, else from the snapshot in the note.

use super::learned::LearnedNotes;
use crate::signals::usage::Usage;
use crate::signals::{ContextOptions, snapshot};
use crate::vault::JOURNAL;
use crate::view::prelude::*;

/// Source of learned usage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LearnedFrom {
    /// The journal or the events that are not in it yet.
    Journal,
    /// The snapshot in the note.
    Snapshot,
}

impl View<'_> {
    /// Returns the learned usage of a note.
    pub fn usage(&self, entry: &Entry) -> Result<Usage> {
        Ok(self.usage_and_source(entry)?.0)
    }

    /// Returns the learned usage of a note and its source.
    pub fn usage_and_source(&self, entry: &Entry) -> Result<(Usage, LearnedFrom)> {
        let (learned, path) = (self.learned(), entry.path.as_str());
        let known = learned.get(path, entry.row.body);
        let is_known = known.is_some();
        let mut usage = match known {
            Some(usage) => usage,
            None => self.snapshot_by_now(entry)?.unwrap_or_default(),
        };
        let source =
            if learned.add_pending_events(path, Some(entry.row.created), &mut usage) || is_known {
                LearnedFrom::Journal
            } else {
                LearnedFrom::Snapshot
            };
        Ok((usage, source))
    }

    /// Returns the learned usage of a note without events that are not in the journal yet.
    pub fn feedback(&self, entry: &Entry) -> Result<Option<Usage>> {
        let known = self.learned().get(entry.path.as_str(), entry.row.body);
        known.map_or_else(|| self.snapshot_by_now(entry), |usage| Ok(Some(usage)))
    }

    /// Returns how the context vector weighs the questions that a note answered.
    pub fn context_options(&self) -> ContextOptions {
        let source = self.uses.as_ref();
        source.map_or_else(ContextOptions::default, |source| {
            source.how.parameters.context
        })
    }

    /// Returns the learned usage of all `entries`.
    pub fn usages(&self, entries: &[Entry]) -> Result<Vec<Usage>> {
        entries.iter().map(|entry| self.usage(entry)).collect()
    }

    /// Returns the usage snapshot in a note, if it has one.
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
            LearnedNotes::open(&self.vault.own_path(JOURNAL), self.uses.clone(), now)
        })
    }
}

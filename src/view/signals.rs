//! The signals of notes: what was learned of them, their links and dates, put together.

use std::sync::atomic::Ordering;

use schemars::JsonSchema;
use serde::Serialize;

use crate::journal::adoption::{self, Adopted};
use crate::signals::fields::{CONFIDENCE, IMPORTANCE, Signal};
use crate::signals::importance::Stated;
use crate::signals::measure::Known;
use crate::signals::options::Options;
use crate::signals::usage::Usage;
use crate::view::prelude::*;

/// So many notes have their links counted one by one; then all of them at once, which costs as much.
const ONE_BY_ONE: usize = 256;

impl View<'_> {
    /// Returns this view, which works signals out by these options.
    #[must_use]
    pub fn with_signals(mut self, options: Options) -> Self {
        self.signals.options = options;
        self
    }

    pub fn signal_options(&self) -> &Options {
        &self.signals.options
    }

    /// Returns since when mem has known a note, in seconds since 1970: now if it is new to it.
    pub fn adopted(&self, entry: &Entry) -> Result<i64> {
        let now = self.now.timestamp().as_second();
        let known = self.moments()?.get(entry.path.as_str());
        Ok(known.map_or(now, |at| now.min(*at)))
    }

    /// Returns the notes that are new to mem.
    pub fn unknown(&self, counts: impl Fn(&Entry) -> bool) -> Result<Vec<Adopted>> {
        let (known, at) = (self.moments()?, self.now.timestamp().as_second());
        let mut entries = self.entries()?;
        entries.retain(|entry| counts(entry) && !known.contains_key(entry.path.as_str()));
        let notes = entries.into_iter().map(|entry| entry.path.to_string());
        Ok(notes.map(|note| Adopted { note, at }).collect())
    }

    fn moments(&self) -> Result<&HashMap<String, i64>> {
        self.journaled(&self.adopted, adoption::load)
    }

    /// Returns what the signals of a note are worked out from. `usage` is what was learned of it.
    pub fn known<'u>(&self, entry: &Entry, usage: &'u Usage) -> Result<Known<'u>> {
        Ok(Known {
            tags: self.tags(entry)?,
            ..self.linked(entry, self.dated(entry, usage))?
        })
    }

    /// The same without links and tags, for which more has to be read.
    pub fn dated<'u>(&self, entry: &Entry, usage: &'u Usage) -> Known<'u> {
        let row = &entry.row;
        Known {
            now: self.now.timestamp().as_second(),
            since: i64::MIN,
            created: row.created,
            written: written(row).0,
            importance: IMPORTANCE.stated(&row.ratings).map(f64::from),
            is_rescored: self.signals.options.importance.stated == Stated::People
                && entry.is_managed(),
            confidence: f64::from(CONFIDENCE.of(&row.ratings)),
            links: 0,
            summaries: 0,
            tags: 0,
            tier: row.flags.tier(),
            usage,
        }
    }

    /// Returns a signal of a note.
    pub fn signal(&self, entry: &Entry, signal: Signal) -> Result<f64> {
        let usage = self.usage(entry)?;
        let known = self.known_for(entry, &usage, &[signal])?;
        Ok(known.signal(signal, &self.signals.options))
    }

    /// Returns these signals of each of `entries`, of which `usages` were learned.
    pub fn measured(
        &self,
        entries: &[Entry],
        usages: &[Usage],
        signals: &[Signal],
    ) -> Result<Vec<Vec<f64>>> {
        let counts = |signal: &Signal| signal.counts_links() || *signal == Signal::Promotion;
        if entries.len() > ONE_BY_ONE && signals.iter().any(counts) {
            self.counts()?;
        }
        let mut measured = Vec::with_capacity(entries.len());
        for (entry, usage) in entries.iter().zip(usages) {
            let known = self.known_for(entry, usage, signals)?;
            let options = &self.signals.options;
            let values = signals.iter().map(|signal| known.signal(*signal, options));
            measured.push(values.collect());
        }
        Ok(measured)
    }

    /// Reads of a note what `signals` need.
    fn known_for<'u>(
        &self,
        entry: &Entry,
        usage: &'u Usage,
        signals: &[Signal],
    ) -> Result<Known<'u>> {
        let mut known = self.dated(entry, usage);
        if signals.iter().any(|signal| signal.counts_links()) {
            known = self.linked(entry, known)?;
        }
        if signals.contains(&Signal::Promotion) {
            known.tags = self.tags(entry)?;
        }
        Ok(known)
    }

    /// Returns when a note was last used, or else written, in seconds since 1970.
    pub fn last_used(&self, entry: &Entry) -> Result<i64> {
        let usage = self.usage(entry)?;
        Ok(self.dated(entry, &usage).last_used())
    }

    /// Returns `known` with the links to and from the note.
    pub fn linked<'u>(&self, entry: &Entry, known: Known<'u>) -> Result<Known<'u>> {
        let (links, summaries) = self.links(entry)?;
        Ok(Known {
            links,
            summaries,
            ..known
        })
    }

    /// Returns how many notes a note links to and how many link to it. That a summary names it does not
    /// count: it says nothing new of it.
    pub fn degree(&self, entry: &Entry) -> Result<u32> {
        Ok(self.links(entry)?.0)
    }

    /// Returns the degree of a note, and how many summaries link to it.
    pub(super) fn links(&self, entry: &Entry) -> Result<(u32, u32)> {
        let is_few = || self.signals.counted.fetch_add(1, Ordering::Relaxed) < ONE_BY_ONE;
        if self.signals.counts.get().is_none() && is_few() {
            let others = self.linking_to(entry)?;
            let is_summary = |other: &&Entry| other.row.flags.has(Flags::DERIVED);
            let summaries = others.iter().filter(is_summary).count();
            let degree = self.linked_from(entry)?.len() + others.len() - summaries;
            let number = |count| u32::try_from(count).unwrap_or(u32::MAX);
            return Ok((number(degree), number(summaries)));
        }
        let counts = self.counts()?.get(entry.slot);
        Ok((counts.links, counts.summaries))
    }

    pub(super) fn tags(&self, entry: &Entry) -> Result<u32> {
        if self.signals.counts.get().is_some() {
            return Ok(self.counts()?.get(entry.slot).tags);
        }
        let tags = self.details(entry.slot)?.tags.len();
        Ok(u32::try_from(tags).unwrap_or(u32::MAX))
    }
}

/// What says when a note was written last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WrittenFrom {
    /// Its property `updated`.
    Updated,
    /// Whatever says when it was created.
    Created,
    /// When its file was saved.
    FileTime,
}

/// Returns when a note was written last, in seconds since 1970, and what says so.
///
/// When its file was saved counts only if nothing in the note or its name says a date: jobs, checkouts and
/// copies save files that nobody wrote, and what a person saves is noticed as a use.
pub fn written(row: &Row) -> (i64, WrittenFrom) {
    if row.updated > row.created {
        (row.updated, WrittenFrom::Updated)
    } else if row.flags.has(Flags::UNDATED) {
        (row.saved(), WrittenFrom::FileTime)
    } else {
        (row.created, WrittenFrom::Created)
    }
}

/// Returns when a note was written last, for ordering. The time of its file does not count: checkouts and copies
/// set it.
pub fn recency(row: &Row) -> Option<i64> {
    let (at, from) = written(row);
    (from != WrittenFrom::FileTime).then_some(at)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use crate::journal;
    use crate::vault::JOURNAL;
    use crate::view::tests::Scene;

    #[test]
    fn a_note_is_known_since_it_was_seen_first() {
        let scene = Scene::new([("a.md", "one"), ("b.md", "two")]);
        let device = scene.vault.own_path(JOURNAL).join("x");
        std::fs::create_dir_all(&device).unwrap();
        let view = |days: i64| {
            let mut view = scene.view(false);
            view.now = view.now.checked_add(days.days()).unwrap();
            view
        };
        let ages = |days| -> Vec<i64> {
            let view = view(days);
            let now = view.now.timestamp().as_second();
            let entries = view.entries().unwrap();
            let ages = entries
                .iter()
                .map(|entry| now - view.adopted(entry).unwrap());
            ages.map(|age| age / 86_400).collect()
        };
        assert_eq!(ages(0), [0, 0]);
        let one = view(0).unknown(|entry| entry.path.as_str() == "a.md");
        journal::append(&device, &one.unwrap()).unwrap();
        assert_eq!(ages(9), [9, 0]);
        let others = view(9).unknown(|_| true).unwrap();
        assert_eq!(others.len(), 1);
        journal::append(&device, &others).unwrap();
        assert_eq!(ages(10), [10, 1]);
        // By a clock that was ahead.
        assert_eq!(ages(-5), [0, 0]);
    }
}

//! Computes signals of notes from usage, links and dates.

use std::sync::atomic::Ordering;

use schemars::JsonSchema;
use serde::Serialize;

use crate::journal::adoption::{self, Adoption};
use crate::signals::fields::CONFIDENCE;
use crate::signals::importance::TrustedAuthors;
use crate::signals::options::SignalFormulaOptions;
use crate::signals::usage::Usage;
use crate::signals::{IMPORTANCE, Signal, SignalInputs};
use crate::view::prelude::*;

/// Number of notes whose links are counted individually; beyond it, counting all is as cheap.
const MAX_SINGLE_COUNTS: usize = 256;

impl View<'_> {
    /// Sets the options of the signals.
    pub fn with_signals(mut self, options: SignalFormulaOptions) -> Self {
        self.signals.options = options;
        self
    }

    pub fn signal_options(&self) -> &SignalFormulaOptions {
        &self.signals.options
    }

    /// Returns when mem adopted a note, in seconds since 1970; now if it has not yet.
    pub fn adopted(&self, entry: &Entry) -> Result<i64> {
        let now = self.now.timestamp().as_second();
        let known = self.adoption_times()?.get(entry.path.as_str());
        Ok(known.map_or(now, |at| now.min(*at)))
    }

    /// Returns the notes that mem has not adopted yet.
    pub fn unknown(&self, counts: impl Fn(&Entry) -> bool) -> Result<Vec<Adoption>> {
        let (known, at) = (self.adoption_times()?, self.now.timestamp().as_second());
        let mut entries = self.entries()?;
        entries.retain(|entry| counts(entry) && !known.contains_key(entry.path.as_str()));
        let notes = entries.into_iter().map(|entry| entry.path.to_string());
        Ok(notes.map(|note| Adoption { note, at }).collect())
    }

    fn adoption_times(&self) -> Result<&HashMap<String, i64>> {
        self.journaled(&self.adopted, adoption::load)
    }

    /// Returns the inputs of a note's signals, given its learned `usage`.
    pub fn known<'u>(&self, entry: &Entry, usage: &'u Usage) -> Result<SignalInputs<'u>> {
        Ok(SignalInputs {
            tags: self.tags(entry)?,
            ..self.linked(entry, self.dated(entry, usage))?
        })
    }

    /// Like [`Self::known`], without links and tags, which need more reading.
    pub fn dated<'u>(&self, entry: &Entry, usage: &'u Usage) -> SignalInputs<'u> {
        let row = &entry.row;
        SignalInputs {
            now: self.now.timestamp().as_second(),
            since: i64::MIN,
            created: row.created,
            written: written(row).0,
            importance: IMPORTANCE.stated(&row.ratings).map(f64::from),
            is_rescored: self.signals.options.importance.stated == TrustedAuthors::People
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
        let known = self.inputs_for(entry, &usage, &[signal])?;
        Ok(known.signal(signal, &self.signals.options))
    }

    /// Returns the `signals` of each of `entries`, given their `usages`.
    pub fn measured(
        &self,
        entries: &[Entry],
        usages: &[Usage],
        signals: &[Signal],
    ) -> Result<Vec<Vec<f64>>> {
        let counts = |signal: &Signal| signal.counts_links() || *signal == Signal::Promotion;
        if entries.len() > MAX_SINGLE_COUNTS && signals.iter().any(counts) {
            self.counts()?;
        }
        let mut measured = Vec::with_capacity(entries.len());
        for (entry, usage) in entries.iter().zip(usages) {
            let known = self.inputs_for(entry, usage, signals)?;
            let options = &self.signals.options;
            let values = signals.iter().map(|signal| known.signal(*signal, options));
            measured.push(values.collect());
        }
        Ok(measured)
    }

    /// Reads only the inputs that `signals` need.
    fn inputs_for<'u>(
        &self,
        entry: &Entry,
        usage: &'u Usage,
        signals: &[Signal],
    ) -> Result<SignalInputs<'u>> {
        let mut known = self.dated(entry, usage);
        if signals.iter().any(|signal| signal.counts_links()) {
            known = self.linked(entry, known)?;
        }
        if signals.contains(&Signal::Promotion) {
            known.tags = self.tags(entry)?;
        }
        Ok(known)
    }

    /// Returns when a note was last used, else last written, in seconds since 1970.
    pub fn last_used(&self, entry: &Entry) -> Result<i64> {
        let usage = self.usage(entry)?;
        Ok(self.dated(entry, &usage).last_used())
    }

    /// Adds the link counts of the note to `known`.
    pub fn linked<'u>(&self, entry: &Entry, known: SignalInputs<'u>) -> Result<SignalInputs<'u>> {
        let (links, summaries) = self.links(entry)?;
        Ok(SignalInputs {
            links,
            summaries,
            ..known
        })
    }

    /// Returns the number of notes that a note links to plus those that link to it. Links from
    /// summaries do not count: they add no information.
    pub fn degree(&self, entry: &Entry) -> Result<u32> {
        Ok(self.links(entry)?.0)
    }

    /// Returns the degree of a note and the number of summaries that link to it.
    pub(super) fn links(&self, entry: &Entry) -> Result<(u32, u32)> {
        let is_few = || self.signals.counted.fetch_add(1, Ordering::Relaxed) < MAX_SINGLE_COUNTS;
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

/// Source of the date when a note was last written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WrittenFrom {
    /// Property `updated`.
    Updated,
    /// Source of the creation date.
    Created,
    /// Modification time of the file.
    FileTime,
}

/// Returns when a note was last written, in seconds since 1970, and the source of the date.
///
/// The file time counts only for notes without any date: jobs, checkouts and copies change it
/// without an author, and a person's save is recorded as a use.
pub fn written(row: &Row) -> (i64, WrittenFrom) {
    if row.updated > row.created {
        (row.updated, WrittenFrom::Updated)
    } else if row.flags.has(Flags::UNDATED) {
        (row.saved(), WrittenFrom::FileTime)
    } else {
        (row.created, WrittenFrom::Created)
    }
}

/// Returns when a note was last written, for sorting. File times are ignored because checkouts and
/// copies set them.
pub fn recency(row: &Row) -> Option<i64> {
    let (at, from) = written(row);
    (from != WrittenFrom::FileTime).then_some(at)
}

#[cfg(test)]
mod tests {
    use jiff::ToSpan as _;

    use crate::journal;
    use crate::vault::JOURNAL;
    use crate::view::tests::IndexedVault;

    #[test]
    fn adoption_time_is_first_sight() {
        let scene = IndexedVault::new([("a.md", "one"), ("b.md", "two")]);
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
        // Dated by a clock that was ahead.
        assert_eq!(ages(-5), [0, 0]);
    }
}

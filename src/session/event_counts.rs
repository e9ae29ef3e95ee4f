//! Counts rule events on this machine. Counters, unlike timestamps, survive clock changes.
//!
//! A command only appends to the events of the vault. The file `raised` counts those already added
//! to the journal, one event type per line.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::Session;
use crate::finding::RuleEvent;
use crate::journal::{EventKind, UsageEvent};
use crate::vault::own_files;

/// The number of occurrences of each event.
pub type EventCounts = BTreeMap<RuleEvent, u64>;

/// Returns the rule event for a journal event, if there is one.
fn rule_event(kind: EventKind) -> Option<RuleEvent> {
    match kind {
        EventKind::Ingested => Some(RuleEvent::Ingest),
        EventKind::Recalled => Some(RuleEvent::Recall),
        _ => None,
    }
}

fn add(raised: &mut EventCounts, events: &[UsageEvent]) {
    for event in events {
        if let Some(trigger) = rule_event(event.kind) {
            *raised.entry(trigger).or_default() += 1;
        }
    }
}

impl Session {
    fn raised_file(&self) -> PathBuf {
        self.homes.state.join("raised")
    }

    fn saved_counts(&self) -> EventCounts {
        let text = fs::read_to_string(self.raised_file()).unwrap_or_default();
        let lines = text.lines().filter_map(|line| {
            let (name, times) = line.split_once(' ')?;
            Some((RuleEvent::named(name)?, times.parse().ok()?))
        });
        lines.collect()
    }

    /// Returns the number of occurrences of each event; unreadable ones count as zero.
    pub fn raised(&self) -> EventCounts {
        let mut raised = self.saved_counts();
        add(&mut raised, &self.events().waiting().unwrap_or_default());
        raised
    }

    /// Counts these events, which are about to be added to the journal.
    ///
    /// If the count cannot be saved, the next event of the same kind triggers the rule.
    pub(super) fn save_counts(&self, events: &[UsageEvent]) {
        let before = self.saved_counts();
        let mut raised = before.clone();
        add(&mut raised, events);
        if raised != before {
            let mut text = String::new();
            for (trigger, times) in raised {
                let _ = writeln!(text, "{} {times}", trigger.name());
            }
            let _ = own_files::write_atomically(&self.raised_file(), text.as_bytes());
        }
    }

    /// Records that a note was added or rewritten.
    pub fn note_ingest(&self) {
        if !self.env.no_touch {
            let at = self.env.now.timestamp().as_second();
            let _ = self
                .events()
                .append(&[UsageEvent::new(EventKind::Ingested, at, [])]);
        }
    }
}

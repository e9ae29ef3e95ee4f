//! Events that rules wait for: how often each was raised on this machine, which no clock that jumps makes false.
//!
//! A command only appends what happened to the events of the vault; how many of them were taken into the journal
//! is remembered in `raised`, one line an event.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::Session;
use crate::finding::trigger::Trigger;
use crate::journal::events::{Event, Kind};
use crate::vault::own;

/// How often each event was raised.
pub type Raised = BTreeMap<Trigger, u64>;

/// Returns the event that rules know by what happened.
fn trigger(kind: Kind) -> Option<Trigger> {
    match kind {
        Kind::Ingested => Some(Trigger::Ingest),
        Kind::Recalled => Some(Trigger::Recall),
        _ => None,
    }
}

fn add(raised: &mut Raised, events: &[Event]) {
    for event in events {
        if let Some(trigger) = trigger(event.kind) {
            *raised.entry(trigger).or_default() += 1;
        }
    }
}

impl Session {
    fn raised_file(&self) -> PathBuf {
        self.homes.state.join("raised")
    }

    fn remembered(&self) -> Raised {
        let text = fs::read_to_string(self.raised_file()).unwrap_or_default();
        let lines = text.lines().filter_map(|line| {
            let (name, times) = line.split_once(' ')?;
            Some((Trigger::named(name)?, times.parse().ok()?))
        });
        lines.collect()
    }

    /// Returns how often each event was raised; what cannot be read was not.
    pub fn raised(&self) -> Raised {
        let mut raised = self.remembered();
        add(&mut raised, &self.events().waiting().unwrap_or_default());
        raised
    }

    /// Remembers what these events raised, which are about to be taken in. What cannot be kept is raised by the next
    /// of its kind.
    pub(super) fn remember_raised(&self, events: &[Event]) {
        let before = self.remembered();
        let mut raised = before.clone();
        add(&mut raised, events);
        if raised != before {
            let mut text = String::new();
            for (trigger, times) in raised {
                let _ = writeln!(text, "{} {times}", trigger.name());
            }
            let _ = own::write_atomically(&self.raised_file(), text.as_bytes());
        }
    }

    /// Notes that a note came in or was written anew.
    pub fn note_ingest(&self) {
        if !self.env.no_touch {
            let at = self.env.now.timestamp().as_second();
            let _ = self.events().append(&[Event::new(Kind::Ingested, at, [])]);
        }
    }
}

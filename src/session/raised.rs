//! Events that rules wait for: when each was raised last on this machine.
//!
//! A command only appends what happened to the events of the vault; what of them was taken into the journal since
//! is remembered in `raised`, one line an event.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use super::Session;
use crate::finding::trigger::Trigger;
use crate::journal::events::{Event, Kind};
use crate::vault::own;

/// When each event was raised last, in seconds since 1970.
pub type Raised = BTreeMap<Trigger, i64>;

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
            let at = raised.entry(trigger).or_insert(event.at);
            *at = event.at.max(*at);
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
            let (name, at) = line.split_once(' ')?;
            Some((Trigger::named(name)?, at.parse().ok()?))
        });
        lines.collect()
    }

    /// Returns when each event was raised last; what cannot be read was not.
    #[must_use]
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
            for (trigger, at) in raised {
                let _ = writeln!(text, "{} {at}", trigger.name());
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

//! Records the use of notes, and adds it to the journal.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use super::Session;
use crate::cache::sync::ChangedNotes;
use crate::cache::{Cache, CacheError};
use crate::error::{Error, Result};
use crate::journal::events::{Events, MAX_PENDING_BYTES};
use crate::journal::usage::{self, TallyBaseline, UsageOptions};
use crate::journal::{EventKind, TextHash, UsageEvent, moves};
use crate::note::{ContentHash, VaultPath};
use crate::signals::options::{CountedUse, SignalOptions};
use crate::signals::usage::Parameters;
use crate::vault::if_found;
use crate::view::View;
use crate::view::learned::UsageFiles;

/// Above this number of changed notes between two passes, the cause is a script or checkout, not
/// editing by hand.
const MAX_CHANGED_BY_HAND: usize = 1000;

/// The kind of a move, the note, and its new path if it has one.
pub type NoteMove = (EventKind, VaultPath, Option<VaultPath>);

fn text_hash(content: ContentHash) -> TextHash {
    TextHash(content.0 as u64)
}

impl Session {
    /// Returns the uses of notes that are not in the journal yet.
    pub fn events(&self) -> Events {
        Events::of(&self.homes.state)
    }

    /// Returns the settings for counting uses and computing usage.
    pub fn usage_options(&self) -> UsageOptions {
        let settings = &self.settings;
        UsageOptions {
            is_listed_enough: settings.of::<SignalOptions>().counts == CountedUse::Listed,
            parameters: Parameters {
                stability: settings.of(),
                salience: settings.of(),
                activity: settings.of(),
                context: settings.of(),
            },
        }
    }

    /// Returns where views read the usage of notes.
    pub(super) fn usage_files(&self) -> UsageFiles {
        let output = self.env.output.clone();
        let has_warned = Rc::clone(&self.has_warned_of_uses);
        UsageFiles {
            fold: self.homes.cache.join("learned"),
            events: self.events(),
            how: self.usage_options(),
            warn: Rc::new(move |why| {
                if !has_warned.replace(true) {
                    output.warn(&format!("cannot read note usage: {why}"));
                }
            }),
        }
    }

    fn now(&self) -> i64 {
        self.env.now.timestamp().as_second()
    }

    /// Records a use of these notes.
    ///
    /// Errors are ignored without a message, because the use is a side effect of reading.
    pub fn note_use<'n>(&self, kind: EventKind, notes: impl IntoIterator<Item = &'n VaultPath>) {
        let counts = kind != EventKind::Listed || self.usage_options().is_listed_enough;
        if self.env.no_touch || !counts {
            return;
        }
        let event = UsageEvent::new(kind, self.now(), notes);
        if !event.notes.is_empty() {
            let _ = self.events().append(&[event]);
        }
    }

    /// Records external changes found by an index pass.
    pub(super) fn record_external_changes(&self, cache: &Cache, changed: &ChangedNotes) {
        if !changed.added.is_empty() || !changed.rewritten.is_empty() {
            self.note_ingest();
        }
        if let Ok(events) = self.external_events(cache, changed) {
            let _ = self.events().append(&events);
        }
    }

    fn external_events(
        &self,
        cache: &Cache,
        changed: &ChangedNotes,
    ) -> Result<Vec<UsageEvent>, CacheError> {
        let now = self.now();
        let ChangedNotes {
            moved,
            rewritten,
            linked,
            ..
        } = changed;
        let moved = moved.iter().filter_map(|(from, to)| {
            let from = VaultPath::new(from).ok()?;
            let event = UsageEvent::new(EventKind::Moved, now, [&from]);
            Some(UsageEvent {
                to: Some(to.to_string()),
                ..event
            })
        });
        let mut events: Vec<UsageEvent> = moved.collect();
        let by_hand = rewritten.len().max(linked.len()) <= MAX_CHANGED_BY_HAND;
        if self.env.no_touch || !by_hand || (rewritten.is_empty() && linked.is_empty()) {
            return Ok(events);
        }
        let view = self.view(cache)?;
        let mut note =
            |kind, note: &VaultPath, from: &VaultPath, content| -> Result<(), CacheError> {
                // The time of the save, which may be days ago.
                let saved = view.at(from)?.map_or(now, |entry| entry.row.saved());
                events.push(UsageEvent {
                    texts: vec![text_hash(content)],
                    ..UsageEvent::new(kind, saved.min(now), [note])
                });
                Ok(())
            };
        for (path, content) in rewritten {
            note(EventKind::Changed, path, path, *content)?;
        }
        for (from, content, link) in linked {
            let to = view.resolve(from, &link.target, link.markdown)?;
            if let Some(to) = to.filter(|to| to.path != *from) {
                note(EventKind::Linked, &to.path, from, *content)?;
            }
        }
        Ok(events)
    }

    /// Returns each former path of a note with its current path, including pending moves.
    pub fn renamed(&self) -> Result<Vec<(String, VaultPath)>> {
        let moves = self
            .read_journal(|journal| moves::load_with_pending(journal, &self.events().waiting()?))?;
        let renamed = moves
            .renamed()
            .filter_map(|(was, now)| Some((was.to_owned(), VaultPath::new(&now).ok()?)));
        Ok(renamed.collect())
    }

    /// Records that mem itself wrote these notes, so that a watch does not count it as a use.
    pub fn note_written(&self, cache: &Cache, paths: &[VaultPath]) {
        let texts = || -> Result<Vec<TextHash>, CacheError> {
            let reading = cache.read()?;
            let mut texts = Vec::new();
            for path in paths {
                if let Some(slot) = reading.at(path)?
                    && let Some(row) = reading.fields(slot)?
                {
                    texts.push(text_hash(row.content));
                }
            }
            Ok(texts)
        };
        let Ok(texts) = texts() else {
            return;
        };
        if !texts.is_empty() {
            let event = UsageEvent::new(EventKind::Wrote, self.now(), []);
            let _ = self.events().append(&[UsageEvent { texts, ..event }]);
        }
    }

    /// Records moves of notes by a run, and adds them to the journal, which stores usage by path.
    pub fn note_moves(&self, cache: &Cache, moves: &[NoteMove]) {
        if !moves.is_empty() {
            self.note_moved(moves);
            // On an error the events stay pending.
            let _ = self.fold_uses(cache);
        }
    }

    /// Records moves of notes by a run.
    pub fn note_moved(&self, moves: &[NoteMove]) {
        let events: Vec<UsageEvent> = moves
            .iter()
            .map(|(kind, note, to)| UsageEvent {
                to: to.as_ref().map(ToString::to_string),
                ..UsageEvent::new(*kind, self.now(), [note])
            })
            .collect();
        let _ = self.events().append(&events);
    }

    /// Deletes the usage of these notes, which were permanently deleted.
    pub fn forget_uses(&self, notes: &[VaultPath]) -> Result<()> {
        if notes.is_empty() {
            return Ok(());
        }
        let notes: Vec<String> = notes.iter().map(ToString::to_string).collect();
        self.write_journal(|folder| usage::purge(folder, &self.events(), &notes, self.now()))?;
        // It is rebuilt on demand.
        let fold = self.usage_files().fold;
        let removed = if_found(std::fs::remove_file(&fold)).map(drop);
        removed.map_err(|error| Error::io("delete", &fold, &error))
    }

    /// Adds pending uses to the journal if there are many.
    pub fn fold_many_uses(&self, cache: &Cache) {
        if self.events().bytes() > MAX_PENDING_BYTES {
            let _ = self.fold_uses(cache);
        }
    }

    /// Adds pending uses to the journal.
    pub fn fold_uses(&self, cache: &Cache) -> Result<()> {
        let events = self.events();
        if events.bytes() == 0 {
            return Ok(());
        }
        let view = self.view(cache)?;
        let mut standing: HashMap<String, TallyBaseline> = HashMap::new();
        let waiting = events
            .waiting()
            .map_err(|error| Error::io("read", &self.homes.state, &error))?;
        self.save_counts(&waiting);
        for note in waiting.into_iter().flat_map(|event| event.notes) {
            if let Entry::Vacant(vacant) = standing.entry(note) {
                let now = note_state(&view, vacant.key())?;
                vacant.insert(now);
            }
        }
        let of_note = |note: &str| standing.get(note).cloned().unwrap_or_default();
        let how = self.usage_options();
        self.write_journal(|folder| {
            usage::update_tallies(folder, &events, &how, self.now(), &of_note)
        })
    }
}

/// Returns the state of the note at this path in the vault.
fn note_state(view: &View<'_>, note: &str) -> Result<TallyBaseline, CacheError> {
    let Ok(path) = VaultPath::new(note) else {
        return Ok(TallyBaseline::default());
    };
    let Some(entry) = view.at(&path)? else {
        return Ok(TallyBaseline::default());
    };
    Ok(TallyBaseline {
        body: TextHash(entry.row.body),
        created: Some(entry.row.created),
        snapshot: view.snapshot(&entry)?,
    })
}

//! Usage statistics of notes: `usage.jsonl`, one [`UsageTally`] per line.
//!
//! A process that holds the lock of its device's folder adds the [events](super::events) of this
//! machine to the tallies of this device. The usage of a note is the merge of its tallies on all
//! devices ([`tally`]), under its current path ([`moves`](super::moves)). A note without a tally
//! has the usage of its own snapshot, which starts its first tally. Losing the journal therefore
//! costs only what came after the snapshot.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;

use super::events::{EventKind, Events, TextHash, UsageEvent};
use super::lines::{self, DeviceRecord};
use super::moves::{self, Move, Moves, TallyLocation};
use super::tally::{self, Reward, UsageTally};
use crate::signals::usage::{Parameters, Usage};

/// Seconds for which mem remembers texts it wrote; a watch may see the change later.
const OWN_WRITE_SECONDS: i64 = 3600;

/// The usage of one note.
#[derive(Clone, Debug, PartialEq)]
pub struct NoteUsage {
    /// Hash of its body when it was last used.
    pub body: TextHash,
    pub usage: Usage,
}

/// The state of a note when its tally begins.
#[derive(Clone, Debug, Default)]
pub struct TallyBaseline {
    /// Hash of its body.
    pub body: TextHash,
    /// When it was created.
    pub created: Option<i64>,
    /// The snapshot in its front matter.
    pub snapshot: Option<Usage>,
}

/// Options for counting uses and computing usage.
#[derive(Clone, Debug, Default)]
pub struct UsageOptions {
    /// Whether a result of a search or recall counts as read by a person.
    pub is_listed_enough: bool,
    pub parameters: Parameters,
}

/// Returns whether an event is a confirmed use; `None` for other events.
fn use_confirmation(kind: EventKind, how: &UsageOptions) -> Option<bool> {
    match kind {
        EventKind::Listed => how.is_listed_enough.then_some(true),
        EventKind::Recalled => Some(how.is_listed_enough),
        EventKind::Shown | EventKind::Edited | EventKind::Changed | EventKind::Linked => Some(true),
        _ => None,
    }
}

/// Applies an event to the tally of one of its notes.
fn apply(tally: &mut UsageTally, event: &UsageEvent, how: &UsageOptions) {
    if let Some(is_confirmed) = use_confirmation(event.kind, how) {
        tally.record_use(event.at, is_confirmed);
    }
    if event.kind == EventKind::Confirmed {
        tally.confirmed = tally.confirmed.max(Some(event.at));
    }
    if let Some(reward) = event.reward {
        // A positive reward is also a use.
        if reward > 0.0 {
            tally.record_use(event.at, true);
        }
        let question = event
            .question
            .clone()
            .filter(|_| how.parameters.context.keep);
        tally.record_reward(Reward {
            at: event.at,
            n: 0,
            reward,
            question,
        });
    }
}

/// The usage of all notes.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageFold {
    /// By the current path of each note.
    pub notes: HashMap<String, NoteUsage>,
    /// The range of clock times with the same result: beyond it other entries count.
    pub holds: RangeInclusive<i64>,
}

/// Folds the tallies of all devices, as of the clock time `now`.
pub fn fold(
    tallies: impl IntoIterator<Item = (usize, UsageTally)>,
    moves: &Moves,
    parameters: &Parameters,
    now: i64,
) -> UsageFold {
    let (mut from, mut to) = (i64::MIN, i64::MAX);
    let mut joined: BTreeMap<(String, i64, usize), UsageTally> = BTreeMap::new();
    for (device, tally) in tallies {
        let mut tally = tally.bounded();
        tally.moments(|at| {
            if *at <= now {
                from = from.max(*at);
            } else {
                to = to.min(*at - 1);
            }
        });
        let key = (tally.note.clone(), tally.since, device);
        match joined.get_mut(&key) {
            Some(known) => known.join(tally),
            None => drop(joined.insert(key, tally)),
        }
    }
    let mut lineages: BTreeMap<TallyLocation, Vec<UsageTally>> = BTreeMap::new();
    for tally in joined.into_values() {
        if let Some(found) = moves.find(&tally.note, tally.since) {
            lineages.entry(found).or_default().push(tally);
        }
    }
    let mut learned: HashMap<String, NoteUsage> = HashMap::with_capacity(lineages.len());
    for (TallyLocation { note, lineage }, tallies) in lineages {
        let usage = tally::replay(&tallies, parameters, now);
        let is_own = note == lineage;
        let latest = tallies
            .iter()
            .max_by_key(|tally| (tally.last_use_until(now), tally.body.0));
        let body = latest.map_or(TextHash(0), |tally| tally.body);
        match learned.remove(&note) {
            None => drop(learned.insert(note, NoteUsage { body, usage })),
            Some(known) => {
                let body = if is_own { body } else { known.body };
                let mut all = known.usage;
                all.merge(&usage);
                learned.insert(note, NoteUsage { body, usage: all });
            }
        }
    }
    UsageFold {
        notes: learned,
        holds: from..=to,
    }
}

/// Reads the usage recorded by all devices.
pub fn load(journal: &Path, parameters: &Parameters, now: i64) -> io::Result<UsageFold> {
    let moves = moves::load(journal)?;
    let tallies = lines::load_by_device(journal)?;
    Ok(fold(tallies, &moves, parameters, now))
}

/// Returns a number that changes whenever the result of [`load`] may change.
pub fn stamp(journal: &Path) -> u64 {
    lines::stamp(journal, &[UsageTally::FILE, Move::FILE])
}

/// Adds pending events to the usage of a note that was `created` then.
pub fn add(
    usage: &mut Usage,
    events: &[UsageEvent],
    created: Option<i64>,
    how: &UsageOptions,
    now: i64,
) {
    let since = events.iter().map(|event| event.at).min().unwrap_or(0);
    let mut tally = UsageTally::new("", TextHash(0), since, Some(std::mem::take(usage)));
    tally.created = created;
    for event in events {
        apply(&mut tally, event, how);
    }
    *usage = tally::replay(&[tally], &how.parameters, now);
}

/// Drops events about changes that mem itself made.
pub fn without_own_writes(mut events: Vec<UsageEvent>) -> Vec<UsageEvent> {
    let wrote = events.iter().filter(|event| event.kind == EventKind::Wrote);
    let own: HashSet<TextHash> = wrote
        .flat_map(|event| event.texts.iter().copied())
        .collect();
    for event in &mut events {
        if !matches!(event.kind, EventKind::Changed | EventKind::Linked) {
            continue;
        }
        let texts = std::mem::take(&mut event.texts).into_iter();
        let mut is_own = texts.map(|text| own.contains(&text));
        event.notes.retain(|_| !is_own.next().unwrap_or(false));
    }
    events.retain(|event| event.kind != EventKind::Wrote && !event.notes.is_empty());
    events
}

/// Adds the pending events to the tallies in `folder`, this device's; `standing` returns the state
/// of a note.
///
/// A crash loses nothing and counts nothing twice, because each tally names the batch it contains.
pub fn update_tallies(
    folder: &Path,
    events: &Events,
    how: &UsageOptions,
    now: i64,
    standing: &dyn Fn(&str) -> TallyBaseline,
) -> io::Result<()> {
    let lock = lines::lock(folder)?;
    lines::compact_if_needed::<UsageTally>(&lock, folder, false)?;
    // First a batch left by a crash, then what came since.
    for _ in 0..=usize::from(events.has_batch()) {
        let Some(batch) = events.take()? else {
            break;
        };
        let recent = now - OWN_WRITE_SECONDS..=now;
        let is_recent =
            |event: &&UsageEvent| event.kind == EventKind::Wrote && recent.contains(&event.at);
        let wrote = batch.events.iter().rev().filter(is_recent);
        let mut known = HashSet::new();
        let mut is_new = |event: &&UsageEvent| {
            let new = event.texts.iter().filter(|text| known.insert(**text));
            new.count() > 0
        };
        let mut wrote: Vec<UsageEvent> = wrote.filter(&mut is_new).cloned().collect();
        wrote.reverse();
        let happened = without_own_writes(batch.events.clone());
        let (moved, used): (Vec<UsageEvent>, Vec<UsageEvent>) = happened
            .into_iter()
            .partition(|event| Move::of(event).is_some());
        let moved: Vec<Move> = moved.iter().filter_map(Move::of).collect();
        lines::append_locked(&lock, folder, &moved)?;
        if !used.is_empty() {
            let tallies = changed_tallies(folder, &used, batch.id, how, standing)?;
            lines::append_locked(&lock, folder, &tallies)?;
        }
        // Before the batch is removed; a crash in between repeats them.
        events.append_synced(&wrote)?;
        batch.done()?;
    }
    Ok(())
}

/// Returns the tallies of this device that `events`, the batch `id`, change.
fn changed_tallies(
    folder: &Path,
    events: &[UsageEvent],
    id: TextHash,
    how: &UsageOptions,
    standing: &dyn Fn(&str) -> TallyBaseline,
) -> io::Result<Vec<UsageTally>> {
    let journal = folder.parent().unwrap_or(folder);
    let moves = moves::load(journal)?;
    let own = own_tallies(folder)?;
    let mut known = HashSet::new();
    for (_, tally) in lines::load_by_device::<UsageTally>(journal)? {
        known.extend(moves.find(&tally.note, tally.since).map(|found| found.note));
    }
    let mut changed: BTreeMap<&str, UsageTally> = BTreeMap::new();
    for event in events {
        for note in &event.notes {
            let tally = changed.entry(note).or_insert_with(|| {
                let standing = standing(note);
                let open = own
                    .get(note)
                    .filter(|tally| moves.next(note, tally.since, 0).is_none());
                let mut tally = open.cloned().unwrap_or_else(|| {
                    let snapshot = standing.snapshot.filter(|_| !known.contains(note));
                    UsageTally::new(note, standing.body, event.at, snapshot)
                });
                tally.created = tally.created.or(standing.created);
                if standing.body != TextHash(0) {
                    tally.body = standing.body;
                }
                tally
            });
            if tally.taken != Some(id) {
                apply(tally, event, how);
            }
        }
    }
    let mut changed: Vec<UsageTally> = changed.into_values().collect();
    changed.retain(|tally| tally.taken != Some(id));
    for tally in &mut changed {
        tally.taken = Some(id);
        tally.trim(&how.parameters);
    }
    Ok(changed)
}

/// Reads the open tallies of this device: the last one of each note.
fn own_tallies(folder: &Path) -> io::Result<HashMap<String, UsageTally>> {
    let mut own: HashMap<String, UsageTally> = HashMap::new();
    for tally in lines::load_own::<UsageTally>(folder)? {
        let tally = tally.bounded();
        match own.get_mut(&tally.note) {
            Some(known) if known.since == tally.since => known.join(tally),
            Some(known) if known.since > tally.since => {}
            _ => drop(own.insert(tally.note.clone(), tally)),
        }
    }
    Ok(own)
}

/// Forgets the usage of `notes`: removes the lines of this device and invalidates those of others.
pub fn purge(folder: &Path, events: &Events, notes: &[String], now: i64) -> io::Result<()> {
    let mut at = now;
    let lock = lines::lock(folder)?;
    let journal = folder.parent().unwrap_or(folder);
    let moves = moves::load(journal)?;
    // Also under earlier paths.
    let mut notes: HashSet<String> = notes.iter().cloned().collect();
    for (_, tally) in lines::load_by_device::<UsageTally>(journal)? {
        let found = moves.find(&tally.note, tally.since);
        if found.is_some_and(|found| notes.contains(&found.note) || notes.contains(&found.lineage))
        {
            // Also tallies of a device whose clock is ahead.
            at = at.max(tally.since);
            notes.insert(tally.note);
        }
    }
    let mut forgotten: Vec<Move> = notes
        .iter()
        .map(|note| Move {
            was: note.clone(),
            kind: moves::MoveKind::Purged,
            to: None,
            at,
        })
        .collect();
    forgotten.sort();
    // First, so that nothing left behind by a power cut counts.
    lines::append_locked(&lock, folder, &forgotten)?;
    events.forget(|note| notes.contains(note))?;
    lines::compact(&lock, folder, |tally: &UsageTally| {
        !notes.contains(&tally.note)
    })
}

impl DeviceRecord for UsageTally {
    const FILE: &'static str = "usage.jsonl";
    type Key = (String, i64);

    fn key(&self) -> Self::Key {
        (self.note.clone(), self.since)
    }

    fn join_earlier(&mut self, earlier: Self) -> bool {
        let last = self.clone();
        self.join(earlier);
        *self != last
    }
}

#[cfg(test)]
mod tests;

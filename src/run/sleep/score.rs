//! Changes of signals since the last `mem score`, and signals written into notes.
//!
//! Signals are computed on demand. Their last values are in the state home (`scores`); without it
//! no changes
//! are reported.

use crate::note::KeyPath;
use crate::run::prelude::*;
use crate::signals::Signal;
use crate::signals::measure::exceeds_dead_band;

/// The signals that are compared.
pub const COMPARED_SIGNALS: [Signal; 5] = {
    use Signal::{Importance, Promotion, Relevance, Retrievability, Salience};
    [Importance, Retrievability, Relevance, Salience, Promotion]
};

/// Signal values of notes, by path.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Scores {
    pub notes: HashMap<String, SignalSnapshot>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SignalSnapshot {
    /// When they were computed, in seconds since 1970; not every call computes all notes.
    at: i64,
    values: [f32; COMPARED_SIGNALS.len()],
    accesses: u64,
    feedback: u64,
    links: u32,
}

/// Signal changes of one note.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct SignalChanges {
    pub path: String,
    pub changes: Vec<SignalChange>,
    pub why: Vec<ChangeCause>,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
pub struct SignalChange {
    pub signal: &'static str,
    pub from: f64,
    pub to: f64,
}

/// The cause of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeCause {
    Use(u64),
    Feedback(u64),
    /// Number of added or removed links.
    Links(i64),
    /// Only time and edits by the author.
    Time,
}

impl Scores {
    /// Computes the scores of `entries`.
    pub fn of(view: &View<'_>, entries: &[Entry]) -> Result<Self, CacheError> {
        let usages = view.usages(entries)?;
        let measured = view.measured(entries, &usages, &COMPARED_SIGNALS)?;
        let mut notes = HashMap::with_capacity(entries.len());
        for ((entry, values), usage) in entries.iter().zip(measured).zip(usages) {
            let mut score = SignalSnapshot {
                at: view.now.timestamp().as_second(),
                values: [0.0; COMPARED_SIGNALS.len()],
                accesses: usage.accesses,
                feedback: usage.uses,
                links: view.degree(entry)?,
            };
            for (stored, value) in score.values.iter_mut().zip(values) {
                *stored = value as f32;
            }
            notes.insert(entry.path.to_string(), score);
        }
        Ok(Self { notes })
    }

    fn file(session: &Session) -> PathBuf {
        session.homes.state.join("scores")
    }

    /// Returns the stored scores; empty if missing or unreadable.
    pub fn load(session: &Session) -> Self {
        let bytes = own_files::read_bytes(&Self::file(session)).unwrap_or_default();
        postcard::from_bytes(&bytes).unwrap_or_default()
    }

    /// Stores the scores for the next comparison.
    pub fn keep(&self, session: &Session) -> Result<()> {
        let file = Self::file(session);
        let bytes = postcard::to_stdvec(self).unwrap_or_default();
        own_files::write_atomically(&file, &bytes)
            .map_err(|error| Error::io("write", &file, &error))
    }

    /// Returns the earliest time at which `old` has scores of these notes; none if it has none.
    pub fn since(&self, old: &Self) -> Option<Timestamp> {
        let known = self.notes.keys().filter_map(|path| old.notes.get(path));
        let since = known.map(|score| score.at).min()?;
        Timestamp::from_second(since).ok()
    }

    /// Returns the changes since `old`, largest first.
    pub fn moved_since(&self, old: &Self) -> Vec<SignalChanges> {
        let mut all: Vec<(f64, SignalChanges)> = Vec::new();
        for (path, new) in &self.notes {
            let Some(old) = old.notes.get(path) else {
                continue;
            };
            let mut changes = Vec::new();
            let mut most = 0.0;
            for (at, signal) in COMPARED_SIGNALS.iter().enumerate() {
                let [from, to] = [old.values[at], new.values[at]].map(f64::from);
                if exceeds_dead_band(from, to) {
                    most = f64::max(most, (to - from).abs());
                    let signal = signal.name();
                    changes.push(SignalChange { signal, from, to });
                }
            }
            if !changes.is_empty() {
                let (path, why) = (path.clone(), why(old, new));
                all.push((most, SignalChanges { path, changes, why }));
            }
        }
        all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.path.cmp(&b.1.path)));
        all.into_iter().map(|(_, moved)| moved).collect()
    }
}

fn why(old: &SignalSnapshot, new: &SignalSnapshot) -> Vec<ChangeCause> {
    let mut why = Vec::new();
    if new.accesses > old.accesses {
        why.push(ChangeCause::Use(new.accesses - old.accesses));
    }
    if new.feedback > old.feedback {
        why.push(ChangeCause::Feedback(new.feedback - old.feedback));
    }
    if new.links != old.links {
        why.push(ChangeCause::Links(
            i64::from(new.links) - i64::from(old.links),
        ));
    }
    if why.is_empty() {
        why.push(ChangeCause::Time);
    }
    why
}

/// Returns changes that write the signals `persist` into the property `mem` of managed notes among
/// `entries`, where
/// they differ.
pub fn persist(view: &View<'_>, entries: &[Entry], persist: &[Signal]) -> Result<Vec<Group>> {
    let mut groups = Vec::new();
    if persist.is_empty() {
        return Ok(groups);
    }
    let mut managed = entries.to_vec();
    managed.retain(Entry::is_managed);
    let measured = view.measured(&managed, &view.usages(&managed)?, persist)?;
    for (entry, values) in managed.into_iter().zip(measured) {
        let properties = view.details(entry.slot)?.properties();
        let mut edits = Vec::new();
        for (signal, value) in persist.iter().zip(values) {
            let mem = properties.get("mem");
            let stored = mem.and_then(|mem| mem.get(signal.name())?.as_f64());
            if stored.is_none_or(|stored| exceeds_dead_band(stored, value)) {
                let rounded = (value * 1e4).round() / 1e4;
                edits.push(Edit::set(
                    KeyPath::from("mem").below(signal.name()),
                    rounded,
                ));
            }
        }
        if !edits.is_empty() {
            let note = entry.path;
            let act = Act::Edit { note, edits };
            groups.push(acts::manual_group(view, "scored", &[act])?);
        }
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scores(notes: &[(&str, [f32; 5], u64, u32)]) -> Scores {
        let score = |(path, values, accesses, links): &(&str, [f32; 5], u64, u32)| {
            let score = SignalSnapshot {
                at: 0,
                values: *values,
                accesses: *accesses,
                feedback: 0,
                links: *links,
            };
            ((*path).to_owned(), score)
        };
        Scores {
            notes: notes.iter().map(score).collect(),
        }
    }

    #[test]
    fn changes_are_reported_with_their_cause() {
        let old = scores(&[
            ("a.md", [0.5, 0.9, 0.5, 0.5, 0.0], 1, 2),
            ("b.md", [0.5, 0.5, 0.5, 0.5, 0.0], 1, 2),
            ("c.md", [0.5, 0.5, 0.5, 0.5, 0.0], 1, 2),
        ]);
        let new = scores(&[
            ("a.md", [0.5, 0.88, 0.5, 0.5, 0.0], 1, 2),
            ("b.md", [0.7, 0.5, 0.505, 0.5, 0.0], 3, 1),
            ("c.md", [0.504, 0.5, 0.5, 0.5, 0.0], 2, 2),
            ("new.md", [0.1; 5], 0, 0),
        ]);
        let moved = new.moved_since(&old);
        let reported: Vec<_> = moved
            .iter()
            .map(|moved| {
                (
                    &*moved.path,
                    moved.changes[0].signal,
                    moved.changes.len(),
                    &*moved.why,
                )
            })
            .collect();
        let expected: [(&str, &str, usize, &[ChangeCause]); 2] = [
            (
                "b.md",
                "importance",
                1,
                &[ChangeCause::Use(2), ChangeCause::Links(-1)],
            ),
            ("a.md", "retrievability", 1, &[ChangeCause::Time]),
        ];
        assert_eq!(reported, expected);
    }
}

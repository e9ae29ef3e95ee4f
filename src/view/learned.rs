//! Usage of notes from the journal and from events not in it yet.
//!
//! The folded journal is cached next to the catalog and rebuilt when the journal changes. Later
//! events of this machine are added on top.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::cache::learned::LearnedFile;
use crate::journal::UsageEvent;
use crate::journal::events::Events;
use crate::journal::usage::{self, UsageOptions};
use crate::signals::usage::Usage;

/// Files that record usage, and how it is computed.
#[derive(Clone)]
pub struct UsageFiles {
    /// Cache of the folded journal; may be deleted.
    pub fold: PathBuf,
    pub events: Events,
    pub how: UsageOptions,
    /// Receives read errors, which do not stop a query.
    pub warn: Rc<dyn Fn(&str)>,
}

/// Usage of all notes.
pub(super) struct LearnedNotes {
    files: Option<UsageFiles>,
    fold: LearnedFile,
    /// Current time; later events do not change when a note was last used.
    now: i64,
    /// Events not in the journal yet, by note; loaded on demand.
    pending: OnceCell<HashMap<String, Vec<UsageEvent>>>,
}

impl LearnedNotes {
    /// Opens the usage recorded in the folder `journal`.
    pub(super) fn open(journal: &Path, files: Option<UsageFiles>, now: i64) -> Self {
        Self {
            fold: fold(journal, files.as_ref(), now),
            files,
            now,
            pending: OnceCell::new(),
        }
    }

    /// Returns the usage of the note at `path`, or of the note that had this body.
    pub(super) fn get(&self, path: &str, body: u64) -> Option<Usage> {
        self.fold.get(path, body)
    }

    /// Adds events that are not in the journal yet; returns whether there were any.
    pub(super) fn add_pending_events(
        &self,
        path: &str,
        created: Option<i64>,
        usage: &mut Usage,
    ) -> bool {
        let Some(files) = &self.files else {
            return false;
        };
        let pending = self.pending.get_or_init(|| waiting(files));
        let events = pending.get(path);
        if let Some(events) = events {
            usage::add(usage, events, created, &files.how, self.now);
        }
        events.is_some()
    }
}

/// Returns the events that are not in the journal yet, by note.
fn waiting(files: &UsageFiles) -> HashMap<String, Vec<UsageEvent>> {
    let waiting = files.events.waiting().unwrap_or_else(|error| {
        (files.warn)(&error.to_string());
        Vec::new()
    });
    let mut pending: HashMap<String, Vec<UsageEvent>> = HashMap::new();
    for event in usage::without_own_writes(waiting) {
        for note in &event.notes {
            let of_note = pending.entry(note.clone()).or_default();
            of_note.push(event.clone());
        }
    }
    pending
}

/// Returns the folded journal, from the cache file if it is valid.
fn fold(journal: &Path, files: Option<&UsageFiles>, now: i64) -> LearnedFile {
    let configured = files.map(|files| files.how.parameters.clone());
    let parameters = configured.unwrap_or_default();
    let seed = usage::stamp(journal);
    let stamp = xxh3_64_with_seed(format!("{parameters:?}").as_bytes(), seed);
    let path = files.map(|files| &files.fold);
    if let Some(file) = path.and_then(|path| LearnedFile::open(path, stamp, now)) {
        return file;
    }
    let (learned, is_whole) = match usage::load(journal, &parameters, now) {
        Ok(learned) => (learned, true),
        Err(error) => {
            if let Some(files) = files {
                (files.warn)(&error.to_string());
            }
            let nothing = usage::UsageFold {
                notes: HashMap::new(),
                holds: now..=now,
            };
            (nothing, false)
        }
    };
    let usage::UsageFold { notes, holds } = learned;
    let usages = notes
        .iter()
        .map(|(path, known)| (path.as_str(), known.body.0, &known.usage));
    let fold = LearnedFile::encode(stamp, &holds, usages);
    if let Some(path) = path.filter(|_| is_whole && !notes.is_empty()) {
        // Without the file the next process folds the journal again.
        let _ = fold.write(path);
    }
    fold
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::journal::events::EventKind;
    use crate::journal::usage::TallyBaseline;
    use crate::note::path::VaultPath;

    const DAY: i64 = 86_400;
    /// Clocks of the commands on one day: correct (twice), slow, fast.
    const CLOCKS: [i64; 4] = [20_000 * DAY, 20_000 * DAY, 18_000 * DAY, 29_000 * DAY];

    /// What a command does before it reads the usage.
    #[derive(Clone, Debug)]
    enum Step {
        Use(EventKind),
        Reward(i8),
        TakeIn,
        Nothing,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            3 => prop::sample::select(vec![EventKind::Recalled, EventKind::Shown]).prop_map(Step::Use),
            2 => (-1..=1_i8).prop_map(Step::Reward),
            2 => Just(Step::TakeIn),
            1 => Just(Step::Nothing),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Whatever the clocks of earlier commands, a correct clock gets the same usage from the
        /// cached fold as from the journal.
        #[test]
        fn cached_fold_equals_fresh_fold_despite_other_clocks(
            commands in prop::collection::vec((0..CLOCKS.len(), step()), 1..30),
        ) {
            let home = tempfile::tempdir().unwrap();
            let journal = home.path().join("journal");
            let device = journal.join("a");
            fs::create_dir_all(&device).unwrap();
            let path = VaultPath::new("a.md").unwrap();
            let files = |fold: &str| UsageFiles {
                fold: home.path().join(fold),
                events: Events::of(home.path()),
                how: UsageOptions::default(),
                warn: Rc::new(|why| panic!("{why}")),
            };
            let events = Events::of(home.path());
            let known = |fold: &str, now: i64| {
                let learned = LearnedNotes::open(&journal, Some(files(fold)), now);
                let mut usage = learned.get(path.as_str(), 0).unwrap_or_default();
                learned.add_pending_events(path.as_str(), None, &mut usage);
                usage
            };
            let mut used: Vec<i64> = Vec::new();
            for (minute, (clock, step)) in (0..).zip(&commands) {
                let now = CLOCKS[*clock] + minute * 60;
                match step {
                    Step::Use(kind) => {
                        events.append(&[UsageEvent::new(*kind, now, [&path])]).unwrap();
                        used.push(now);
                    }
                    Step::Reward(reward) => {
                        let event = UsageEvent::new(EventKind::Reinforced, now, [&path]);
                        let reward = f64::from(*reward);
                        events.append(&[UsageEvent { reward: Some(reward), ..event }]).unwrap();
                        used.extend((reward > 0.0).then_some(now));
                    }
                    Step::TakeIn => {
                        let standing = |_: &str| TallyBaseline::default();
                        usage::update_tallies(&device, &events, &UsageOptions::default(), now, &standing).unwrap();
                    }
                    Step::Nothing => {}
                }
                known("kept", now);
                let right = CLOCKS[0] + minute * 60;
                let usage = known("kept", right);
                prop_assert_eq!(&usage, &known(&format!("new-{minute}"), right));
                let last = used.iter().copied().filter(|at| *at <= right).max();
                prop_assert_eq!(usage.last_accessed, last);
                prop_assert_eq!(usage.accesses, used.len() as u64);
            }
        }
    }
}

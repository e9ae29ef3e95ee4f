//! Collects changed paths and decides when to process them.
//!
//! Events come in bursts: an editor's save causes five, a checkout tens of thousands. They are
//! reduced to
//! paths, which are handed out as one batch after a quiet period or a maximum delay. Pure: time is
//! passed in
//! as a value.

use crate::run::prelude::*;

/// Quiet period after the last event before a batch is ready.
pub const QUIET_PERIOD: Duration = Duration::from_millis(100);

/// Maximum delay of the first path of a batch.
pub const MAX_DELAY: Duration = Duration::from_millis(500);

/// Above this number of paths a full scan is as fast and needs less memory.
pub const MAX_PATHS: usize = 4096;

/// A path that may have changed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DirtyPath {
    /// The whole vault.
    Everything,
    /// Possibly a folder, with everything below it.
    Folder(String),
    /// Possibly a note.
    Note(VaultPath),
}

/// Paths to process together: [`DirtyPath::Everything`] alone, or others.
pub type Batch = BTreeSet<DirtyPath>;

/// The pending paths.
#[derive(Debug, Default)]
pub struct PendingPaths {
    batch: Batch,
    /// When the first and the last pending path arrived.
    times: Option<(Instant, Instant)>,
}

impl PendingPaths {
    pub fn add(&mut self, path: DirtyPath, now: Instant) {
        self.insert(path);
        let first = self.times.map_or(now, |(first, _)| first);
        self.times = Some((first, now));
    }

    fn insert(&mut self, path: DirtyPath) {
        let everything = DirtyPath::Everything;
        if self.batch.contains(&everything) {
            return;
        }
        let is_everything = path == everything;
        self.batch.insert(path);
        if is_everything || self.batch.len() > MAX_PATHS {
            self.batch = Batch::from([everything]);
        }
    }

    /// Returns a batch that could not be processed.
    pub fn put_back(&mut self, batch: Batch, now: Instant) {
        for path in batch {
            self.insert(path);
            self.times.get_or_insert((now, now));
        }
    }

    /// Whether no path is pending.
    pub fn is_empty(&self) -> bool {
        self.times.is_none()
    }

    /// Returns when the pending paths are ready, if there are any.
    pub fn ready_at(&self) -> Option<Instant> {
        let (first, last) = self.times?;
        Some((last + QUIET_PERIOD).min(first + MAX_DELAY))
    }

    /// Returns the pending paths if they are ready.
    pub fn take(&mut self, now: Instant) -> Option<Batch> {
        self.ready_at().filter(|ready| *ready <= now)?;
        self.times = None;
        Some(std::mem::take(&mut self.batch))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn note(name: &str) -> DirtyPath {
        DirtyPath::Note(VaultPath::new(name).unwrap())
    }

    #[test]
    fn a_batch_is_ready_after_a_quiet_period_or_the_maximum_delay() {
        // Times of the events and of the first ready batch, in milliseconds.
        for (events, expected) in [
            (&[0][..], 100),
            (&[0, 99], 199),
            (&[0, 90, 180, 270], 370),
            (&[0, 90, 180, 270, 360, 450], 500),
            (&[40, 530], 540),
        ] {
            let start = Instant::now();
            let at = |ms| start + Duration::from_millis(ms);
            let mut pending = PendingPaths::default();
            assert_eq!(pending.ready_at(), None);
            for event in events {
                pending.add(note("a.md"), at(*event));
            }
            assert_eq!(pending.ready_at(), Some(at(expected)), "{events:?}");
            assert_eq!(pending.take(at(expected - 1)), None, "{events:?}");
            let batch = pending.take(at(expected)).unwrap();
            assert_eq!(batch.len(), 1, "{events:?}");
            assert!(pending.is_empty());
            assert_eq!(pending.take(at(expected + 1000)), None);
        }
    }

    #[test]
    fn a_full_scan_replaces_paths() {
        let now = Instant::now();
        let later = now + MAX_DELAY;
        let mut pending = PendingPaths::default();
        pending.add(note("a.md"), now);
        pending.add(DirtyPath::Everything, now);
        pending.add(DirtyPath::Folder("b".to_owned()), now);
        assert_eq!(
            pending.take(later),
            Some(Batch::from([DirtyPath::Everything]))
        );
        for number in 0..=MAX_PATHS {
            pending.add(note(&format!("{number}.md")), now);
        }
        assert_eq!(
            pending.take(later),
            Some(Batch::from([DirtyPath::Everything]))
        );
    }

    proptest! {
        /// Every path is handed out once, at most [`MAX_DELAY`] after it arrived, even if a batch is
        /// put back. Nothing
        /// else is handed out.
        #[test]
        fn every_path_is_handed_out_once(
            events in prop::collection::vec((0_u64..300, 0_u8..20, any::<bool>()), 1..60),
        ) {
            let mut pending = PendingPaths::default();
            let mut now = Instant::now();
            let mut waiting: Vec<(DirtyPath, Instant)> = Vec::new();
            for (pause, name, fails) in events {
                let next = now + Duration::from_millis(pause);
                while let Some(ready) = pending.ready_at().filter(|ready| *ready <= next) {
                    for (_, came) in &waiting {
                        prop_assert!(ready <= *came + MAX_DELAY);
                    }
                    let batch = pending.take(ready).unwrap();
                    let mut paths: Vec<DirtyPath> = waiting.drain(..).map(|(path, _)| path).collect();
                    paths.sort();
                    paths.dedup();
                    let handed: Vec<DirtyPath> = batch.iter().cloned().collect();
                    prop_assert_eq!(&handed, &paths);
                    if fails && ready < next {
                        waiting = handed.into_iter().map(|path| (path, next)).collect();
                        pending.put_back(batch, next);
                    }
                }
                now = next;
                let path = if name < 5 {
                    DirtyPath::Folder(name.to_string())
                } else {
                    note(&format!("{name}.md"))
                };
                pending.add(path.clone(), now);
                waiting.push((path, now));
            }
            let batch = pending.take(now + MAX_DELAY).unwrap();
            let paths: BTreeSet<DirtyPath> = waiting.into_iter().map(|(path, _)| path).collect();
            prop_assert_eq!(batch, paths);
        }
    }
}

//! The main loop of `mem watch`: keeps the index up to date and runs due jobs in quiet periods.

use std::os::unix::fs::MetadataExt as _;

use super::Inbox;
use super::folders::WatchFolders;
use super::pending::{Batch, DirtyPath};
use super::sleeper::{SleepResult, SleepScheduler, SleepTask};
use super::unwatchable::remote_file_system;
use super::watch_event::{SyncMethod, Warnings, WatchEvent};
use crate::jobs::views;
use crate::run::interrupt;
use crate::run::options::WatchOptions;
use crate::run::prelude::*;
use crate::run::sleep;
use crate::run::sleep::schedule::WakePeriod;
use crate::session::settings::settings_file;
use crate::session::upgrade::EncoderState;
use crate::session::watched::{IndexUpdate, PassKind};

/// Receives events in order.
pub type Listener<'l> = dyn Fn(&Environment, &WatchEvent<'_>) -> Result<()> + 'l;

/// Difference between two clocks above which the machine was suspended.
const MIN_SUSPENSION: Duration = Duration::from_secs(60);

/// How long to wait for the lock, which `mem status` holds briefly when no watch is running.
const LOCK_PATIENCE: Duration = Duration::from_millis(200);

/// Interval between full scans while events are available.
const RESCAN_INTERVAL: Duration = Duration::from_secs(600);

/// Minimum interval between full scans without events.
const MIN_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Minimum ratio of pause to duration of full scans without events.
const POLL_PAUSE_RATIO: u32 = 10;

/// Maximum number of consecutive scans because of new folders.
const MAX_PASSES: usize = 5;

/// Interval between checks for the vault's root and for due jobs.
const CHECK_INTERVAL: Duration = Duration::from_secs(2);

/// How long to wait for a running command that changes notes, so that it reports its own changes.
const MAX_WAIT_FOR_WRITER: Duration = Duration::from_secs(5);

/// First and longest delay after a failed batch.
const BACK_OFF: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

/// Follows the vault of `session` until a signal stops it; runs due jobs if `runs_jobs`.
///
/// Fails if another watch runs in the vault, or if a newer mem has taken over its index.
pub fn watch(mut session: Session, runs_jobs: bool, listener: &Listener<'_>) -> Result<()> {
    // After an upgrade the path may name another program, which is the one to run, or may be
    // unknown.
    let program = std::env::current_exe()
        .map_err(|error| Error::new("cannot locate the mem executable").caused_by(&error))?;
    let root = session.vault.root().to_owned();
    let lock = session.homes.watch_lock();
    let _lock = Lock::wait(&lock, &session.env.holder(), LOCK_PATIENCE).map_err(already_running)?;
    let inbox = Arc::new(Inbox::default());
    stop_on_signals(&inbox)?;
    let folders = folders(&inbox, &root);
    // The starting folder may be renamed while the watch runs.
    session.env.start.clone_from(&root);
    let now = Instant::now();
    let mut watcher = Watcher {
        settings: stamps(&session),
        root: identity(&root),
        awake_since: session.env.now.timestamp(),
        ticked: now,
        session,
        listener,
        inbox,
        folders: None,
        warnings: Warnings::default(),
        not_before: now,
        back_off: BACK_OFF.0,
        waiting_since: None,
        next_full_scan: now + RESCAN_INTERVAL,
        is_outdated: false,
        scheduler: runs_jobs.then(|| SleepScheduler::new(program)),
        has_vector_work: true,
        encoder_state: None,
        lists: ListState::default(),
    };
    match folders {
        Ok(folders) => watcher.folders = Some(folders),
        Err(why) => watcher.poll(why)?,
    }
    watcher.start()?;
    while !watcher.inbox.is_stopped() {
        watcher.step()?;
    }
    watcher.session.env.tick()?;
    if let Some(last) = watcher.scheduler.as_mut().and_then(SleepScheduler::stop) {
        watcher.report_sleep(last)?;
    }
    watcher.report(&WatchEvent::Stopped)
}

/// State of the lists in notes.
#[derive(Debug, Default)]
struct ListState {
    /// Whether notes changed since the lists were written.
    are_outdated: bool,
    /// Number of notes with lists that the last sleep wrote. Their changes do not make lists
    /// outdated: two lists
    /// of each other, sorted by modification time, would be updated for ever.
    own_writes: usize,
}

impl ListState {
    /// Marks lists as outdated, unless the changes are its own.
    fn changed(&mut self, taken_in: &IndexUpdate) {
        let notes = &taken_in.report.changed_notes;
        let changed = notes.changed.len();
        let others = notes.added.len() + notes.moved.len() + notes.removed.len();
        if others == 0 && (1..=self.own_writes).contains(&changed) {
            self.own_writes -= changed;
        } else {
            self.are_outdated = true;
        }
    }
}

/// Returns watches for the vault at `root` that report to `inbox`.
fn folders(inbox: &Arc<Inbox>, root: &Path) -> Result<WatchFolders, String> {
    if let Some(kind) = remote_file_system(root) {
        return Err(format!(
            "the vault is on {kind}, which does not report remote changes"
        ));
    }
    let (inbox, vault) = (inbox.clone(), root.to_owned());
    WatchFolders::new(root, move |event| inbox.event(&vault, &event))
}

/// Returns the error for a second watch.
fn already_running(error: LockError) -> Error {
    match error {
        LockError::Held { holder } => {
            let who = holder.as_ref().map_or_else(String::new, |holder| {
                format!(" by process {}, since {}", holder.pid, holder.since)
            });
            let hint = match holder {
                Some(holder) => format!("stop it with `kill {}`", holder.pid),
                None => "stop the other one first".to_owned(),
            };
            let message = format!("another watch is already running in this vault{who}");
            Error::new(message).hint(hint)
        }
        LockError::Io { .. } => error.into(),
    }
}

/// Stops the watch on the first signal and exits on the second.
fn stop_on_signals(inbox: &Arc<Inbox>) -> Result<()> {
    let mut signals = interrupt::listen()?;
    let inbox = inbox.clone();
    thread::spawn(move || {
        for signal in signals.forever() {
            if inbox.is_stopped() {
                // Writes are atomic, so exiting at any moment is safe.
                signal_hook::low_level::exit(128 + signal);
            }
            inbox.stop();
        }
    });
    Ok(())
}

/// Identifies versions of the user's and the vault's settings file.
type SettingsStamps = [Option<(i64, i64, u64)>; 2];

fn stamps(session: &Session) -> SettingsStamps {
    [session.env.user_settings(), settings_file(&session.vault)].map(|file| {
        let metadata = fs::metadata(file).ok()?;
        Some((metadata.mtime(), metadata.mtime_nsec(), metadata.ino()))
    })
}

/// Identifies the folder at `root`, which changes when a disk is mounted or unmounted.
fn identity(root: &Path) -> Option<(u64, u64)> {
    let metadata = fs::symlink_metadata(root).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// State of a running watch.
struct Watcher<'l> {
    session: Session,
    listener: &'l Listener<'l>,
    settings: SettingsStamps,
    root: Option<(u64, u64)>,
    inbox: Arc<Inbox>,
    /// None if events are unavailable.
    folders: Option<WatchFolders>,
    warnings: Warnings,
    /// When the next batch may be processed, after a failure.
    not_before: Instant,
    back_off: Duration,
    /// Since when a batch waits for a running command.
    waiting_since: Option<Instant>,
    /// When the next full scan is due.
    next_full_scan: Instant,
    /// Whether a newer mem uses its own index.
    is_outdated: bool,
    /// None if only the index is maintained.
    scheduler: Option<SleepScheduler>,
    /// Whether vectors of the encoder may be missing that a sleep can compute.
    has_vector_work: bool,
    /// The state of the encoder after the last sleep that computed some.
    encoder_state: Option<EncoderState>,
    lists: ListState,
    /// When the watch started or the machine last resumed.
    awake_since: Timestamp,
    /// When the clock was last read.
    ticked: Instant,
}

impl Watcher<'_> {
    /// Passes an event to the listener.
    fn report(&self, event: &WatchEvent<'_>) -> Result<()> {
        (self.listener)(&self.session.env, event)
    }

    /// Updates the index and reports that the watch has started.
    fn start(&mut self) -> Result<()> {
        let passes = self.index_batch(&Batch::from([DirtyPath::Everything]))?;
        let Some((last, _)) = passes.last() else {
            return Ok(());
        };
        let (folders, how) = match &self.folders {
            Some(folders) => (folders.watched.len(), SyncMethod::Events),
            None => (0, SyncMethod::Polling),
        };
        self.report(&WatchEvent::Started {
            notes: last.report.notes,
            folders,
            how,
        })?;
        // A rebuilt index at start is not reported.
        let is_news = |(taken_in, _): &(IndexUpdate, _)| taken_in.how != PassKind::Afresh;
        self.report_passes(passes.into_iter().filter(is_news).collect())
    }

    /// Waits for one thing to do, and does it.
    fn step(&mut self) -> Result<()> {
        let next_check = Instant::now() + CHECK_INTERVAL;
        self.inbox
            .wait(next_check.min(self.next_full_scan), self.not_before);
        let now = Instant::now();
        let root = identity(self.session.vault.root());
        if root != self.root {
            self.root = root;
            self.not_before = now;
            self.inbox.request_full_scan();
        }
        if now >= self.next_full_scan {
            self.next_full_scan = now + RESCAN_INTERVAL;
            self.inbox.request_full_scan();
        }
        if now < self.not_before {
            return Ok(());
        }
        let Some(batch) = self.inbox.take() else {
            return self.sleep_if_quiet(now);
        };
        if self.should_wait(now) {
            self.inbox.put_back(batch);
            return Ok(());
        }
        self.tick()?;
        match self.index_batch(&batch) {
            Ok(passes) => {
                self.back_off = BACK_OFF.0;
                self.has_vector_work = true;
                self.report_passes(passes)?;
            }
            Err(error) if error.is_quiet() || self.is_outdated => return Err(error),
            Err(error) => {
                self.warnings.failed(&self.session.env, &error);
                self.not_before = Instant::now() + self.back_off;
                self.back_off = (self.back_off * 2).min(BACK_OFF.1);
                self.inbox.put_back(batch);
            }
        }
        Ok(())
    }

    /// Runs due jobs after a quiet period; reports the result of the last run.
    fn sleep_if_quiet(&mut self, now: Instant) -> Result<()> {
        let Some(scheduler) = &mut self.scheduler else {
            return Ok(());
        };
        if let Some(result) = scheduler.take_result() {
            self.tick()?;
            let has_failed = result.is_locked_out || result.jobs.is_none();
            if result.task == SleepTask::Vectors && !has_failed {
                // Without progress, vectors wait for the next change.
                self.has_vector_work = result.encoder.is_some_and(|encoder| {
                    !encoder.is_used && self.encoder_state.replace(encoder) != Some(encoder)
                });
                return Ok(());
            }
            if result.task == SleepTask::Lists {
                self.lists.are_outdated = has_failed;
                self.lists.own_writes = result.changed();
            }
            // If jobs are still due, they would be started again and again.
            if has_failed || result.task == SleepTask::Due && !self.due().is_empty() {
                self.scheduler.iter_mut().for_each(SleepScheduler::postpone);
            }
            if result.is_unchanged() {
                return Ok(());
            }
            return self.report_sleep(result);
        }
        let settings = &self.session.settings;
        let Some(quiet) = settings.of::<WatchOptions>().quiet.duration() else {
            return Ok(());
        };
        if !scheduler.is_check_due(now, self.inbox.last_event(), quiet) {
            return Ok(());
        }
        let idle = quiet.max(settings.of::<SleepOptions>().idle);
        self.tick()?;
        // Changes from now on were not made by the last sleep.
        self.lists.own_writes = 0;
        let (task, steps) = if std::mem::take(&mut self.lists.are_outdated) && self.has_lists() {
            (SleepTask::Lists, Vec::new())
        } else {
            let due = self.due();
            if !due.is_empty() {
                let only = self.wake_period().map_or_else(Vec::new, |_| due);
                (SleepTask::Due, only)
            } else if self.has_vector_work && self.session.has_encoder_work() {
                (SleepTask::Vectors, Vec::new())
            } else {
                return Ok(());
            }
        };
        if let Some(scheduler) = &mut self.scheduler {
            let root = self.session.vault.root();
            let begun = scheduler.start(root, task, &steps, idle, &self.inbox);
            if let Err(error) = begun {
                self.warnings
                    .sleep_failed(&self.session.env, error.to_string());
            }
        }
        Ok(())
    }

    /// Whether a note has a list to keep up to date.
    fn has_lists(&self) -> bool {
        let is_enabled = jobs::enabled(&self.session.settings).contains(&&views::JOB);
        let any = |cache: &Cache| -> Result<bool, CacheError> {
            let view = self.session.view(cache)?;
            views::may_have_lists(&view.with_text_index(cache.text.reader()?))
        };
        // Without a cache the next sleep decides.
        let cache = self.session.cache();
        is_enabled && cache.is_ok_and(|cache| any(&cache).unwrap_or(false))
    }

    /// Returns the start of the current waking period, if earlier missed jobs are skipped.
    fn wake_period(&self) -> Option<WakePeriod> {
        let options: WatchOptions = self.session.settings.of();
        let since = self.awake_since;
        let grace = options.grace.duration()?;
        Some(WakePeriod { since, grace })
    }

    /// Reads the clock. Detects a suspended machine: wall time passed, monotonic time did not.
    fn tick(&mut self) -> Result<()> {
        let before = self.session.env.now.timestamp();
        self.session.env.tick()?;
        let now = self.session.env.now.timestamp();
        let elapsed = now.as_second() - before.as_second();
        let monotonic = self.ticked.elapsed() + MIN_SUSPENSION;
        if i64::try_from(monotonic.as_secs()).is_ok_and(|monotonic| elapsed > monotonic) {
            self.awake_since = now;
        }
        self.ticked = Instant::now();
        Ok(())
    }

    /// Returns the due jobs that change notes.
    fn due(&self) -> Vec<Step> {
        let Ok(device) = self.session.env.device() else {
            return Vec::new();
        };
        let state = SleepState::load(&self.session.state_folder(), &device);
        let schedule = sleep::due(&self.session, &state, None, &[], self.wake_period());
        let steps = schedule.into_iter().flatten();
        let due = steps.filter(|(step, due)| *step != Step::Index && *due == DueTime::Now);
        due.map(|(step, _)| step).collect()
    }

    fn report_sleep(&mut self, result: SleepResult) -> Result<()> {
        match result.jobs {
            Some(jobs) => {
                self.warnings.sleep_succeeded();
                let seconds = (result.took.as_secs_f64() * 1000.0).round() / 1000.0;
                self.report(&WatchEvent::Slept {
                    open: result.open,
                    jobs: &jobs,
                    seconds,
                })
            }
            None if result.is_locked_out => Ok(()),
            None => {
                let words = result.stderr.replace('\n', "; ");
                self.warnings.sleep_failed(&self.session.env, words);
                Ok(())
            }
        }
    }

    /// Whether to wait, for a limited time, for another process that changes notes.
    fn should_wait(&mut self, now: Instant) -> bool {
        let is_held = Lock::is_held(&self.session.homes.lock());
        let since = *self.waiting_since.get_or_insert(now);
        if is_held && now.duration_since(since) < MAX_WAIT_FOR_WRITER {
            return true;
        }
        self.waiting_since = None;
        false
    }

    /// Indexes the changes in `batch`.
    fn index_batch(&mut self, batch: &Batch) -> Result<Vec<(IndexUpdate, Duration)>> {
        let mut passes = Vec::new();
        // An unmounted disk may leave an empty folder.
        Vault::open(self.session.vault.root())?;
        let settings = stamps(&self.session);
        if settings != self.settings {
            self.session = self.session.env.open()?;
            self.settings = settings;
        }
        let mut whole = self.unwatch_moved(batch);
        let dirty = batch.iter().filter_map(|path| match path {
            DirtyPath::Note(note) => Some(note.clone()),
            _ => None,
        });
        let notes: Vec<VaultPath> = dirty.collect();
        if !whole && notes.is_empty() {
            return Ok(passes);
        }
        for _ in 0..MAX_PASSES {
            let began = Instant::now();
            let taken_in = self.session.index_watched((!whole).then_some(&notes[..]))?;
            let Some(taken_in) = taken_in else {
                self.is_outdated = true;
                return Err(Error::new("a newer mem now uses this vault")
                    .hint("start `mem watch` of the newer version"));
            };
            let took = began.elapsed();
            let stored = taken_in.meta.folders.iter();
            let known = stored.map(|(folder, _)| folder.as_str());
            let watched = if let Some(folders) = &mut self.folders {
                folders.watch_only(known)
            } else {
                self.next_full_scan =
                    Instant::now() + (took * POLL_PAUSE_RATIO).max(MIN_POLL_INTERVAL);
                Ok(false)
            };
            passes.push((taken_in, took));
            match watched {
                Ok(false) => return Ok(passes),
                // Another pass covers changes made before the folder was watched.
                Ok(true) => whole = true,
                Err(why) => {
                    self.poll(why)?;
                    return Ok(passes);
                }
            }
        }
        // Folders appear faster than they can be watched.
        self.inbox.request_full_scan();
        Ok(passes)
    }

    /// Removes the watches of possibly moved folders. Returns true if a full scan is needed.
    fn unwatch_moved(&mut self, batch: &Batch) -> bool {
        let Some(folders) = &mut self.folders else {
            return true;
        };
        if batch.contains(&DirtyPath::Everything) {
            folders.unwatch_below("");
            return true;
        }
        let root = self.session.vault.root();
        let is_folder = |path: &str| {
            let found = fs::symlink_metadata(root.join(path));
            found.is_ok_and(|found| found.is_dir())
        };
        let paths = batch.iter().filter_map(|path| match path {
            DirtyPath::Folder(path) if folders.watched.contains(path) || is_folder(path) => {
                Some(path.as_str())
            }
            DirtyPath::Note(path) if folders.watched.contains(path.as_str()) => Some(path.as_str()),
            _ => None,
        });
        let moved: Vec<&str> = paths.collect();
        for folder in &moved {
            folders.unwatch_below(folder);
        }
        !moved.is_empty()
    }

    /// Reports the indexed changes.
    fn report_passes(&mut self, passes: Vec<(IndexUpdate, Duration)>) -> Result<()> {
        for (taken_in, took) in &passes {
            if let Some(event) = WatchEvent::of_pass(taken_in, *took) {
                self.lists.changed(taken_in);
                self.report(&event)?;
            }
        }
        if let Some((last, _)) = passes.into_iter().next_back() {
            self.warnings
                .succeeded(&self.session.env, last.report.problems);
        }
        Ok(())
    }

    /// Continues with periodic scans.
    fn poll(&mut self, why: String) -> Result<()> {
        self.folders = None;
        self.next_full_scan = Instant::now() + MIN_POLL_INTERVAL;
        self.report(&WatchEvent::Polling { why })
    }
}

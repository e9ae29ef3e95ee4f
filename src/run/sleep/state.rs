//! The last outcome of each job on this device: `.mem/state/<device>.json`.
//!
//! Each device writes only its own file, so sync tools have nothing to merge. A job's due time
//! depends on the
//! newest success of all devices.

use crate::cache::sync::IndexSyncReport;
use crate::journal::Device;
use crate::run::prelude::*;

/// Maximum number of stored runs.
const MAX_STORED_RUNS: usize = 20;

/// Stored states of all jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SleepState {
    pub jobs: BTreeMap<String, JobState>,
    /// The latest runs, newest first.
    pub history: Vec<RunState>,
}

impl SleepState {
    /// Returns the newer state of each job and the latest runs of both.
    #[must_use]
    pub fn merge_with(mut self, other: Self) -> Self {
        for (name, job) in other.jobs {
            let known = self.jobs.entry(name).or_default();
            if (job.last_start, job.runs) > (known.last_start, known.runs) {
                *known = job;
            }
        }
        self.history.extend(other.history);
        self.history
            .sort_by(|a, b| (b.at, &b.job, &b.run).cmp(&(a.at, &a.job, &a.run)));
        self.history
            .dedup_by(|a, b| (a.at, &a.job, &a.run) == (b.at, &b.job, &b.run));
        self.history.truncate(MAX_STORED_RUNS);
        self
    }
}

/// Stored state of one job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct JobState {
    /// Start of the last run.
    pub last_start: Option<Timestamp>,
    /// Start of the last successful run; a failure does not change it.
    pub last_success: Option<Timestamp>,
    /// Error of the last run; absent after a success.
    pub last_error: Option<String>,
    /// Number of runs.
    pub runs: u64,
    /// Number of failed runs.
    pub errors: u64,
    /// Failed runs since the last success.
    #[serde(skip_serializing_if = "is_default")]
    pub failures: u32,
    /// Duration of the last run.
    pub duration_seconds: f64,
    /// Notes or pairs examined in the last run.
    pub processed: u64,
    /// Groups applied in the last run.
    pub changed: u64,
    /// Notes left unprocessed or in use in the last run.
    #[serde(skip_serializing_if = "is_default")]
    pub left: u64,
    /// Whether an accepted answer could not be applied; the next sleep runs the job.
    #[serde(skip_serializing_if = "is_default")]
    pub has_waiting_answer: bool,
    /// Event count of a rule at its last run.
    #[serde(skip_serializing_if = "is_default")]
    pub heard: u64,
    /// Notices of rules in the last run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Process id of the running job, if its end is not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running: Option<u32>,
}

/// Whether a number is the default, which is omitted.
fn is_default<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// One run of one job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunState {
    pub job: String,
    /// Start of the run.
    pub at: Timestamp,
    /// Notes or pairs examined; absent for interrupted runs and in old records.
    #[serde(default)]
    pub processed: Option<u64>,
    /// Duration of the run; absent likewise.
    #[serde(default)]
    pub duration_seconds: Option<f64>,
    /// Groups applied.
    pub changed: u64,
    /// Run id for `mem undo`, if anything changed.
    pub run: Option<String>,
    /// Error of a failed run.
    pub error: Option<String>,
}

/// Result of a successful run of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct JobOutcome {
    /// Notes or pairs examined.
    pub processed: usize,
    /// Groups applied.
    pub changed: usize,
    /// Notes left unprocessed or in use.
    pub left: usize,
    /// Run id for `mem undo`.
    pub run: Option<String>,
}

impl JobOutcome {
    /// Returns the outcome of an index pass.
    pub fn of_index(report: &IndexSyncReport) -> Self {
        Self {
            processed: report.notes,
            changed: report.changes(),
            left: 0,
            run: None,
        }
    }
}

/// The recorded error of an interrupted run.
const INTERRUPTED: &str = "interrupted";

impl SleepState {
    /// Reads the state of `device` in `folder`. A missing or damaged file, or a symlink instead of
    /// the folder,
    /// counts as empty.
    pub fn load(folder: &Path, device: &Device) -> Self {
        if !is_folder(folder) {
            return Self::default();
        }
        read(&file(folder, device)).unwrap_or_default()
    }

    /// Records that process `pid` starts `job`. If the previous run did not end and its process is
    /// not alive, that
    /// run has failed.
    pub fn begin(&mut self, job: &str, at: Timestamp, pid: u32, is_alive: impl Fn(u32) -> bool) {
        let before = self.jobs.get(job);
        let interrupted = before.and_then(|state| {
            let pid = state.running.filter(|pid| !is_alive(*pid))?;
            Some((pid, state.last_start?))
        });
        if let Some((_, began)) = interrupted {
            self.note(job, began, 0.0, &Err(INTERRUPTED.to_owned()));
        }
        let state = self.jobs.entry(job.to_owned()).or_default();
        state.last_start = Some(at);
        state.running = Some(pid);
    }

    /// Records that `job` was stopped on request, which is neither success nor failure. If it
    /// changed something,
    /// `changed` has the number of groups and the run id.
    pub fn stop(&mut self, job: &str, at: Timestamp, changed: Option<(u64, String)>) {
        let state = self.jobs.entry(job.to_owned()).or_default();
        state.running = None;
        if let Some((changed, run)) = changed {
            state.changed = changed;
            self.push_run(RunState {
                job: job.to_owned(),
                at,
                changed,
                run: Some(run),
                ..RunState::default()
            });
        }
    }

    /// Records that process `pid` was stopped on request, whatever step it was running.
    pub fn stop_all(&mut self, pid: u32, at: Timestamp) {
        let jobs = self.jobs.iter().filter(|(_, job)| job.running == Some(pid));
        let running: Vec<String> = jobs.map(|(name, _)| name.clone()).collect();
        for job in running {
            self.stop(&job, at, None);
        }
    }

    /// Records a finished run of `job` that started `at`.
    pub fn note(
        &mut self,
        job: &str,
        at: Timestamp,
        seconds: f64,
        ended: &Result<JobOutcome, String>,
    ) {
        let state = self.jobs.entry(job.to_owned()).or_default();
        state.last_start = Some(at);
        state.running = None;
        state.runs += 1;
        let seconds = (seconds * 1000.0).round() / 1000.0;
        state.duration_seconds = seconds;
        match ended {
            Ok(outcome) => {
                state.last_success = Some(at);
                state.last_error = None;
                state.failures = 0;
                state.processed = outcome.processed as u64;
                state.changed = outcome.changed as u64;
                state.left = outcome.left as u64;
                state.has_waiting_answer = false;
            }
            Err(error) => {
                state.errors += 1;
                state.failures = state.failures.saturating_add(1);
                state.last_error = Some(error.clone());
            }
        }
        let run = ended.as_ref().ok();
        self.push_run(RunState {
            job: job.to_owned(),
            at,
            processed: run.map(|run| run.processed as u64),
            duration_seconds: Some(seconds),
            changed: run.map_or(0, |run| run.changed as u64),
            run: run.and_then(|run| run.run.clone()),
            error: ended.as_ref().err().cloned(),
        });
    }

    fn push_run(&mut self, run: RunState) {
        self.history.insert(0, run);
        if self.history.len() > MAX_STORED_RUNS {
            // Drop runs without changes or errors first.
            let is_idle = |run: &RunState| run.run.is_none() && run.error.is_none();
            let oldest = self.history.iter().rposition(is_idle);
            self.history.remove(oldest.unwrap_or(MAX_STORED_RUNS));
        }
    }

    /// Writes the state of `device` in `folder` atomically.
    pub fn save(&self, folder: &Path, device: &Device) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        own_files::write_atomically(&file(folder, device), &text)
    }
}

/// Returns the last success of each job on other devices.
pub fn successes_elsewhere(folder: &Path, device: &Device) -> BTreeMap<String, Timestamp> {
    let mut newest: BTreeMap<String, Timestamp> = BTreeMap::new();
    let own = file(folder, device);
    let files = if is_folder(folder) {
        documents(folder)
    } else {
        Vec::new()
    };
    let others = files.iter().filter(|path| **path != own);
    for state in others.filter_map(|path| read(path)) {
        for (job, state) in state.jobs {
            if let Some(at) = state.last_success {
                let known = newest.entry(job).or_insert(at);
                *known = at.max(*known);
            }
        }
    }
    newest
}

fn read(file: &Path) -> Option<SleepState> {
    serde_json::from_str(&own_files::read(file).ok()?).ok()
}

/// Returns the JSON files in a folder.
pub(crate) fn documents(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|it| it == "json"));
    files
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_dir())
}

fn file(folder: &Path, device: &Device) -> PathBuf {
    folder.join(format!("{}.json", device.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn done() -> JobOutcome {
        JobOutcome {
            processed: 5,
            changed: 1,
            left: 0,
            run: Some("r".to_owned()),
        }
    }

    #[test]
    fn a_failure_keeps_the_last_success() {
        let mut state = SleepState::default();
        state.note("dedupe", at(1), 0.5, &Ok(done()));
        state.note("dedupe", at(2), 0.1, &Err("disk full".to_owned()));
        let job = &state.jobs["dedupe"];
        assert_eq!(
            (job.last_start, job.last_success),
            (Some(at(2)), Some(at(1)))
        );
        assert_eq!((job.runs, job.errors, job.changed), (2, 1, 1));
        assert_eq!(job.last_error.as_deref(), Some("disk full"));
        state.note("link", at(3), 0.0, &Ok(done()));
        for second in 3..40 {
            state.note("dedupe", at(second), 0.0, &Err(String::new()));
        }
        assert_eq!(state.jobs["dedupe"].failures, 38);
        assert_eq!(state.history.len(), MAX_STORED_RUNS);
        assert_eq!(state.history[0].at, at(39));
        let last = &state.history[0];
        assert_eq!((last.processed, last.duration_seconds), (None, Some(0.0)));
        state.note("dedupe", at(50), 0.0, &Ok(done()));
        let job = &state.jobs["dedupe"];
        assert_eq!((job.failures, job.errors, &job.last_error), (0, 38, &None));
        assert_eq!(state.history[0].processed, Some(5));
    }

    #[test]
    fn runs_without_changes_are_dropped_first() {
        let mut state = SleepState::default();
        state.note("dedupe", at(0), 0.0, &Ok(done()));
        let idle = JobOutcome {
            run: None,
            ..done()
        };
        for second in 1..100 {
            state.note("index", at(second), 0.0, &Ok(idle.clone()));
        }
        let jobs: Vec<&str> = state.history.iter().map(|run| run.job.as_str()).collect();
        assert_eq!(
            (jobs.len(), jobs[MAX_STORED_RUNS - 1]),
            (MAX_STORED_RUNS, "dedupe")
        );
        assert_eq!(state.history[0].at, at(99));
        for second in 100..200 {
            state.note("link", at(second), 0.0, &Ok(done()));
        }
        assert_eq!(state.history[MAX_STORED_RUNS - 1].at, at(180));
    }

    #[test]
    fn an_interrupted_run_counts_as_failed() {
        let mut state = SleepState::default();
        state.begin("link", at(1), 7, |_| true);
        assert_eq!(state.jobs["link"].running, Some(7));
        // Process 7 is still running.
        state.begin("link", at(2), 8, |pid| pid == 7);
        assert_eq!((state.jobs["link"].errors, state.history.len()), (0, 0));
        // The process ended without recording it.
        state.begin("link", at(3), 9, |_| false);
        let job = &state.jobs["link"];
        assert_eq!((job.errors, job.failures, job.runs), (1, 1, 1));
        assert_eq!(job.last_error.as_deref(), Some(INTERRUPTED));
        assert_eq!((job.last_start, job.running), (Some(at(3)), Some(9)));
        assert_eq!(state.history[0].at, at(2));
        state.note("link", at(3), 0.0, &Ok(done()));
        assert_eq!(state.jobs["link"].running, None);
        // Stopped by Ctrl-C: not a failure, and still due.
        state.begin("link", at(4), 9, |_| false);
        state.stop("link", at(4), Some((2, "s".to_owned())));
        let job = &state.jobs["link"];
        assert_eq!((job.failures, job.running), (0, None));
        assert_eq!(job.last_success, Some(at(3)));
        assert_eq!(state.history[0].run.as_deref(), Some("s"));
    }

    #[test]
    fn the_state_round_trips() {
        let folder = tempfile::tempdir().unwrap();
        let device = Device::of(folder.path(), 1).unwrap();
        let mut state = SleepState::default();
        state.note("index", Timestamp::UNIX_EPOCH, 0.25, &Err("x".to_owned()));
        state.save(folder.path(), &device).unwrap();
        assert_eq!(SleepState::load(folder.path(), &device), state);
        fs::write(file(folder.path(), &device), "{").unwrap();
        assert_eq!(
            SleepState::load(folder.path(), &device),
            SleepState::default()
        );
        // Records of older versions are readable.
        let old = r#"{"jobs":{"link":{"runs":3}},"history":[
            {"job":"link","at":"2026-01-01T00:00:00Z","changed":2,"run":"r","error":null}]}"#;
        fs::write(file(folder.path(), &device), old).unwrap();
        let state = SleepState::load(folder.path(), &device);
        assert_eq!(state.jobs["link"].runs, 3);
        let run = &state.history[0];
        assert_eq!(
            (run.changed, run.processed, run.duration_seconds),
            (2, None, None)
        );
    }

    #[test]
    fn the_newest_success_of_other_devices_is_found() {
        let [one, two, three] = [1, 2, 3].map(|seed| {
            let home = tempfile::tempdir().unwrap();
            Device::of(home.path(), seed).unwrap()
        });
        let folder = tempfile::tempdir().unwrap();
        for (device, second) in [(&one, 30), (&two, 10), (&three, 20)] {
            let mut state = SleepState::default();
            state.note("dedupe", at(second), 0.0, &Ok(done()));
            state.note("link", at(second), 0.0, &Err(String::new()));
            state.save(folder.path(), device).unwrap();
        }
        fs::write(folder.path().join("broken.json"), "[").unwrap();
        let newest = successes_elsewhere(folder.path(), &one);
        assert_eq!(newest, BTreeMap::from([("dedupe".to_owned(), at(20))]));
        assert_eq!(
            successes_elsewhere(&folder.path().join("none"), &one),
            BTreeMap::new()
        );
    }
}

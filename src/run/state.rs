//! What each job did last, on this device: `.mem/state/<device>.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::journal::device::Device;
use crate::vault::own;

/// How many runs are remembered.
const HISTORY: usize = 20;

/// What is known of all jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// By job.
    pub jobs: BTreeMap<String, JobState>,
    /// The latest runs, newest first.
    pub history: Vec<RunState>,
}

/// What is known of one job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobState {
    /// When it began last.
    pub last_start: Option<Timestamp>,
    /// When it last ended well; a failure does not move it.
    pub last_success: Option<Timestamp>,
    /// What the last run said when it failed; gone after a success.
    pub last_error: Option<String>,
    /// Runs so far.
    pub runs: u64,
    /// Failed runs so far.
    pub errors: u64,
    /// How long the last run took.
    pub duration_seconds: f64,
    /// Notes or pairs looked at in the last run.
    pub processed: u64,
    /// Groups carried out in the last run.
    pub changed: u64,
    /// Questions that were open after the last run.
    pub needs_answer: u64,
}

/// One run of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The job.
    pub job: String,
    /// When.
    pub at: Timestamp,
    /// Groups carried out.
    pub changed: u64,
    /// The id by which it is undone, if it changed anything.
    pub run: Option<String>,
    /// What it said when it failed.
    pub error: Option<String>,
}

/// How a run of a job ended: never a success by omission.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Notes or pairs looked at.
    pub processed: usize,
    /// Groups carried out.
    pub changed: usize,
    /// Questions left open.
    pub needs_answer: usize,
    /// The id by which it is undone.
    pub run: Option<String>,
}

impl State {
    /// Reads the state of `device` under `folder`; none or a damaged one, or a link in the place of
    /// the folder, is an empty one.
    #[must_use]
    pub fn load(folder: &Path, device: &Device) -> Self {
        let is_folder = fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
        is_folder
            .then(|| own::read(&file(folder, device)).ok())
            .flatten()
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    /// Notes a run of `job`.
    pub fn note(
        &mut self,
        job: &str,
        at: Timestamp,
        seconds: f64,
        ended: &Result<Outcome, String>,
    ) {
        let state = self.jobs.entry(job.to_owned()).or_default();
        state.last_start = Some(at);
        state.runs += 1;
        state.duration_seconds = (seconds * 1000.0).round() / 1000.0;
        match ended {
            Ok(outcome) => {
                state.last_success = Some(at);
                state.last_error = None;
                state.processed = outcome.processed as u64;
                state.changed = outcome.changed as u64;
                state.needs_answer = outcome.needs_answer as u64;
            }
            Err(error) => {
                state.errors += 1;
                state.last_error = Some(error.clone());
            }
        }
        let run = ended.as_ref().ok();
        self.history.insert(
            0,
            RunState {
                job: job.to_owned(),
                at,
                changed: run.map_or(0, |run| run.changed as u64),
                run: run.and_then(|run| run.run.clone()),
                error: ended.as_ref().err().cloned(),
            },
        );
        self.history.truncate(HISTORY);
    }

    /// Writes the state of `device` under `folder`, whole or not at all.
    pub fn save(&self, folder: &Path, device: &Device) -> io::Result<()> {
        fs::create_dir_all(folder)?;
        let mut temp = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut temp, self)?;
        temp.write_all(b"\n")?;
        temp.as_file().sync_data()?;
        temp.persist(file(folder, device))
            .map_err(|error| error.error)?;
        Ok(())
    }
}

fn file(folder: &Path, device: &Device) -> std::path::PathBuf {
    folder.join(format!("{}.json", device.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_keeps_the_last_success() {
        let mut state = State::default();
        let at = |second| Timestamp::from_second(second).unwrap();
        let done = Outcome {
            processed: 5,
            changed: 1,
            needs_answer: 2,
            run: Some("r".to_owned()),
        };
        state.note("dedupe", at(1), 0.5, &Ok(done));
        state.note("dedupe", at(2), 0.1, &Err("disk full".to_owned()));
        let job = &state.jobs["dedupe"];
        assert_eq!(
            (job.last_start, job.last_success),
            (Some(at(2)), Some(at(1)))
        );
        assert_eq!((job.runs, job.errors, job.needs_answer), (2, 1, 2));
        assert_eq!(job.last_error.as_deref(), Some("disk full"));
        for second in 3..40 {
            state.note("dedupe", at(second), 0.0, &Err(String::new()));
        }
        assert_eq!(state.history.len(), HISTORY);
        assert_eq!(state.history[0].at, at(39));
    }

    #[test]
    fn it_survives_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let device = Device::of(folder.path(), 1).unwrap();
        let mut state = State::default();
        state.note("index", Timestamp::UNIX_EPOCH, 0.25, &Err("x".to_owned()));
        state.save(folder.path(), &device).unwrap();
        assert_eq!(State::load(folder.path(), &device), state);
        fs::write(file(folder.path(), &device), "{").unwrap();
        assert_eq!(State::load(folder.path(), &device), State::default());
    }
}

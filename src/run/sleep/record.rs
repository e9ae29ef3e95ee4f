//! The stored job states, updated by one process at a time.

use crate::journal::Device;
use crate::run::prelude::*;
use crate::vault::{Holder, STATE};

/// How long to wait for another process, which holds the lock only briefly.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Location of the job states of one vault on this device.
#[derive(Clone, Debug)]
pub struct JobStateLocation {
    /// The folder of all devices' files.
    pub folder: PathBuf,
    /// The device whose file it is.
    pub device: Device,
    /// The lock file, on this machine.
    pub lock: PathBuf,
    /// This process, as shown to others that wait.
    pub holder: Holder,
}

/// Updates the job states. A failure, for example in a read-only vault, is only a warning.
pub fn update(session: &Session, change: impl FnOnce(&mut SleepState)) {
    let result = JobStateLocation::of(session).and_then(|record| record.change(change));
    if let Err(error) = result
        && !std::mem::replace(&mut session.written.borrow_mut().is_unrecorded, true)
    {
        let why = error.message();
        let output = &session.env.output;
        output.warn(&format!("could not record this run: {why}"));
    }
}

impl JobStateLocation {
    /// Returns the job states of `session` on this machine.
    pub fn of(session: &Session) -> Result<Self> {
        Ok(Self {
            folder: session.own_folder(STATE)?,
            device: session.env.device()?,
            lock: session.homes.record_lock(),
            holder: session.env.holder(),
        })
    }

    /// Reads the current states, applies `change`, and writes them.
    pub fn change(&self, change: impl FnOnce(&mut SleepState)) -> Result<()> {
        let _lock = Lock::wait(&self.lock, &self.holder, LOCK_TIMEOUT)?;
        let mut state = SleepState::load(&self.folder, &self.device);
        change(&mut state);
        let saved = state.save(&self.folder, &self.device);
        saved.map_err(|error| Error::io("write to", &self.folder, &error))
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::run::sleep::state::JobOutcome;

    #[test]
    fn concurrent_updates_are_all_kept() {
        let home = tempfile::tempdir().unwrap();
        let record = JobStateLocation {
            folder: home.path().join("state"),
            device: Device::of(home.path(), 1).unwrap(),
            lock: home.path().join("lock"),
            holder: Holder {
                pid: 1,
                command: "mem".to_owned(),
                since: String::new(),
            },
        };
        let done = JobOutcome {
            processed: 0,
            changed: 0,
            left: 0,
            run: None,
        };
        std::thread::scope(|scope| {
            for job in 0..8 {
                let (record, done) = (&record, &done);
                scope.spawn(move || {
                    let note = |state: &mut SleepState| {
                        let name = format!("job{job}");
                        state.note(&name, Timestamp::UNIX_EPOCH, 0.0, &Ok(done.clone()));
                    };
                    record.change(note).unwrap();
                });
            }
        });
        let state = SleepState::load(&record.folder, &record.device);
        assert_eq!(state.jobs.len(), 8);
    }
}

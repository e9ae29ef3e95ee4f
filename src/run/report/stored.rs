//! Stored reports of recent sleeps: `<state home>/mem/<vault>/sleeps/<time>.json`.

use super::SleepReport;
use crate::run::prelude::*;
use crate::run::sleep::state::documents;
use crate::vault::if_found;

/// Number of reports to keep.
const MAX_STORED_REPORTS: usize = 20;

fn folder(session: &Session) -> PathBuf {
    session.homes.sleeps()
}

/// Stores `report`, replacing an earlier one of the same sleep, and deletes the oldest.
///
/// A failure is only a warning.
pub fn store(session: &Session, report: &SleepReport) {
    // `mem status` shows what the index step did.
    let mut jobs = report.jobs.iter();
    if report.dry_run || jobs.all(|job| job.job == Step::Index.name()) {
        return;
    }
    let folder = folder(session);
    let name = report.at.strftime("%Y%m%d-%H%M%S-%9f.json").to_string();
    if let Err(error) = write(&folder.join(name), report) {
        session.env.output.warn(&format!(
            "cannot store the report of this sleep in `{}`: {error}",
            folder.display()
        ));
        return;
    }
    for old in files(session).into_iter().skip(MAX_STORED_REPORTS) {
        let _ = fs::remove_file(old);
    }
}

fn write(file: &Path, report: &SleepReport) -> io::Result<()> {
    own_files::write_atomically(file, &serde_json::to_vec(report)?)
}

/// Deletes all reports, because they quote notes.
pub fn delete_all(session: &Session) -> io::Result<()> {
    if_found(fs::remove_dir_all(folder(session))).map(drop)
}

/// Returns the files of all reports, newest first.
pub fn files(session: &Session) -> Vec<PathBuf> {
    let mut files = documents(&folder(session));
    files.sort_unstable_by(|a, b| b.cmp(a));
    files
}

/// Reads one of [`files`].
pub fn load(file: &Path) -> Result<SleepReport> {
    let text = fs::read(file).map_err(|error| Error::io("read", file, &error))?;
    serde_json::from_slice(&text).map_err(|error| {
        let file = file.display();
        Error::new(format!("`{file}` was not written by this version of mem")).caused_by(&error)
    })
}

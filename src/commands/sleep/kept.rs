//! The reports of the latest sleeps: `<state home>/mem/<vault>/sleeps/<time>.json`.

use std::fs;
use std::path::{Path, PathBuf};

use super::night::Night;
use crate::error::{Error, Exit};
use crate::output::Form;
use crate::session::{Environment, Session};
use crate::vault::own;

/// How many sleeps are remembered.
const KEPT: usize = 20;

fn folder(session: &Session) -> PathBuf {
    session.homes.state.join("sleeps")
}

/// Keeps the report of a sleep, in the place of an earlier one of the same sleep, and drops the oldest.
///
/// A sleep that cannot be told of later is still a sleep: that is worth a word, no failure.
pub(super) fn keep(session: &Session, night: &Night) {
    if !night.is_worth_keeping() {
        return;
    }
    let folder = folder(session);
    let name = night.at.strftime("%Y%m%d-%H%M%S-%9f.json").to_string();
    if let Err(error) = write(&folder, &name, night) {
        session.env.output.warn(&format!(
            "the report of this sleep was not kept in `{}`: {error}",
            folder.display()
        ));
        return;
    }
    for old in all(&folder).into_iter().skip(KEPT) {
        let _ = fs::remove_file(old);
    }
}

/// Deletes all reports: they quote notes.
pub(in crate::commands) fn forget_reports(session: &Session) -> std::io::Result<()> {
    match fs::remove_dir_all(folder(session)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn write(folder: &Path, name: &str, night: &Night) -> std::io::Result<()> {
    own::write_atomically(&folder.join(name), &serde_json::to_vec(night)?)
}

/// Returns the files of all reports, newest first.
fn all(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = listed.map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort_unstable_by(|a, b| b.cmp(a));
    files
}

/// Shows the report of the sleep that is `number` back, 1 for the latest.
pub(super) fn show(env: &Environment, number: usize) -> Result<Exit, Error> {
    let session = env.open()?;
    let output = &env.output;
    let files = all(&folder(&session));
    let Some(file) = number.checked_sub(1).and_then(|number| files.get(number)) else {
        output.say(&match files.len() {
            0 => "no sleep has done anything here yet".to_owned(),
            known => format!("only the latest {known} are remembered"),
        });
        return Ok(Exit::Nothing);
    };
    let text = fs::read(file).map_err(|error| Error::io("read", file, &error))?;
    let night: Night = serde_json::from_slice(&text).map_err(|error| {
        Error::new(format!("`{}` is no report of this mem", file.display())).caused_by(&error)
    })?;
    if output.form != Form::Human {
        output.record(&night)?;
        return Ok(Exit::Done);
    }
    let at = night.at.to_zoned(env.now.time_zone().clone());
    let end = if night.complete {
        ""
    } else {
        ", not to its end"
    };
    output.line(&format!("{}{end}", at.strftime("%Y-%m-%d %H:%M")))?;
    night.show(output)?;
    for (job, run) in night.runs() {
        output.line(&format!("`mem undo {run}` takes back what {job} did"))?;
    }
    Ok(Exit::Done)
}

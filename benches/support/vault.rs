//! Opens vaults inside this process, where thousands of queries take seconds.

use std::fs;
use std::path::{Path, PathBuf};

use mem::commands::setup::settings::SCHEMA;
use mem::error::Error;
use mem::output::{Color, Form, Output};
use mem::session::{Environment, Session};

use super::{AtPath, Outcome};

/// The home folders of a bench's sessions.
#[derive(Clone)]
pub(crate) struct Homes(PathBuf);

impl Homes {
    pub(crate) fn below(scratch: &Path) -> Self {
        Self(scratch.join("homes"))
    }
}

/// Opens a vault with its current index.
pub(crate) fn opened(homes: &Homes, vault: &Path) -> Outcome<Session> {
    let output = Output::new(Form::Human, true, Color::Never);
    let mut env = Environment::new(
        output,
        Some(vault.to_owned()),
        true,
        "bench".to_owned(),
        &SCHEMA,
    )
    .map_err(|error| words(&error))?;
    let folder = |name: &str| homes.0.join(name);
    env.folders.cache = folder("cache");
    env.folders.state = folder("state");
    env.folders.config = folder("config");
    Ok(env.open().map_err(|error| words(&error))?)
}

/// Makes a folder of notes a vault with a complete index, including vectors.
pub(crate) fn indexed(homes: &Homes, vault: &Path) -> Outcome<Session> {
    let own = vault.join(".mem");
    fs::create_dir_all(&own).at(&own)?;
    let session = opened(homes, vault)?;
    let (cache, _) = session.index().map_err(|error| words(&error))?;
    session.embed(cache).map_err(|error| words(&error))?;
    Ok(session)
}

/// Returns the text of an error.
pub(crate) fn words(error: &Error) -> String {
    error.message()
}

//! `mem init`

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use crate::error::{Error, Exit};
use crate::output::{Form, count};
use crate::session::Environment;
use crate::vault::walk::{WalkedNote, walk};
use crate::vault::{self, OWN_FOLDER, Vault, ignored};

/// Turn a folder of notes into a vault
///
/// Adds a `.mem` folder and changes no note. Safe to run again. Deleting `.mem` turns it back into
/// a plain folder; only the trash, answers and undo history are lost.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder [default: the current one, or that of -C]
    folder: Option<PathBuf>,
    /// Allow a folder inside a vault, a home folder, or the root
    #[arg(long)]
    force: bool,
}

const CONFIG: &str = "\
# Settings of this vault. Yours for all vaults are in ~/.config/mem/config.toml.

# [index]
# language = \"english\"   # whose word forms are one word in a search; \"none\" for as written

# [remember]
# folder = \"\"            # where `mem remember` puts notes

# [sleep]
# apply = \"managed\"      # what is changed unattended: \"managed\" or \"none\"
";

#[derive(Debug, Serialize)]
struct Record {
    vault: String,
    created: bool,
    notes: usize,
}

/// Makes the vault.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let folder = args.folder.as_ref().unwrap_or(&env.start);
    check(env, folder, args.force)?;
    let own = folder.join(OWN_FOLDER);
    let created = !own.exists();
    fs::create_dir_all(&own).map_err(|error| Error::io("make", &own, &error))?;
    let vault = Vault::open(folder)?;
    for (name, text) in [
        (vault::CONFIG, CONFIG),
        (ignored::FILES[0], ignored::TEXT),
        (ignored::FILES[1], ignored::TEXT),
    ] {
        write_if_missing(&vault, name, text)?;
    }
    let notes = walk(&vault)?.notes;
    // The index leaves out what is no text.
    let is_readable = |note: &&WalkedNote| vault.read(&note.path).is_ok();
    let notes = notes.par_iter().filter(is_readable).count();
    let output = &env.output;
    if output.form != Form::Human {
        output.record(&Record {
            vault: vault.root().display().to_string(),
            created,
            notes,
        })?;
        return Ok(Exit::Done);
    }
    let place = vault.root().display().to_string();
    let notes = count(notes, "note");
    output.line(&if created {
        format!("created vault {} ({notes})", output.clean(&place))
    } else {
        format!("{} is already a vault ({notes})", output.clean(&place))
    })?;
    if created {
        output.hint("`mem search WORDS` finds notes; `mem sleep --dry-run` previews maintenance");
    }
    Ok(Exit::Done)
}

/// Refuses what is no folder and, unless it is a vault already, what is hardly a folder of notes.
fn check(env: &Environment, folder: &Path, force: bool) -> Result<(), Error> {
    let shown = folder.display();
    if !folder.is_dir() {
        let error = Error::new(format!("`{shown}` is not a folder"));
        return Err(if folder.exists() {
            error.hint("name the folder that your notes are in")
        } else {
            error.hint(format!("create it with `mkdir -p {shown}`"))
        });
    }
    let folder = folder
        .canonicalize()
        .map_err(|error| Error::io("find", folder, &error))?;
    if force || folder.join(OWN_FOLDER).exists() {
        return Ok(());
    }
    if folder.parent().is_none() || folder == env.folders.home {
        let message = format!("every Markdown file below `{shown}` would become a note");
        return Err(Error::new(message)
            .hint("name the folder that your notes are in, or pass `--force` to use this one"));
    }
    match Vault::find(&folder) {
        Ok(outer) => Err(Error::new(format!(
            "`{shown}` is a folder of the vault `{}`, which has its notes already",
            outer.root().display()
        ))
        .hint("`--force` makes it a vault of its own; its notes are then in both")),
        Err(_) => Ok(()),
    }
}

fn write_if_missing(vault: &Vault, name: &str, text: &str) -> Result<(), Error> {
    let path = vault.own_path(name);
    match vault.fs().write_new(&path, text.as_bytes()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io("write", &path, &error)),
    }
}

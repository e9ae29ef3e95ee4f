//! `mem init`

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Serialize;

use super::prompt::asked;
use super::settings::SCHEMA;
use crate::config::{Origin, values};
use crate::error::{Error, Exit};
use crate::jobs::rules;
use crate::output::{Form, count};
use crate::session::Environment;
use crate::session::settings::{settings_file, write};
use crate::vault::walk::walk;
use crate::vault::{self, OWN_FOLDER, ReadError, Vault, ignored};

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
    /// Begin with the settings and rules of these presets; `mem help presets` lists them
    #[arg(long, value_name = "NAME[,NAME]")]
    preset: Option<String>,
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

/// What stands above a preset in a new file.
const PRESET: &str = "
# Settings and rules to begin with; `mem help presets` lists them, what this file sets comes first.
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
    if !may_be_a_vault(env, folder, args.force)? {
        return Ok(Exit::Nothing);
    }
    let preset = args.preset.as_deref().map(checked).transpose()?;
    let own = folder.join(OWN_FOLDER);
    let created = !own.exists();
    fs::create_dir_all(&own).map_err(|error| Error::io("make", &own, &error))?;
    let vault = Vault::open(folder)?;
    let heading = if preset.is_some() { PRESET } else { "" };
    for (name, text) in [
        (vault::CONFIG, &*format!("{CONFIG}{heading}")),
        (ignored::FILES[0], ignored::TEXT),
        (ignored::FILES[1], ignored::TEXT),
    ] {
        write_if_missing(&vault, name, text)?;
    }
    let before: rules::Options = env.settings(Some(&vault)).of();
    if let Some(preset) = &preset {
        let file = Origin::Vault(settings_file(&vault));
        write(&file, rules::Options::PRESET, Some(&preset.as_str().into()))
            .map_err(|error| Error::new(error.to_string()))?;
    }
    let notes = walk(&vault)?.notes;
    // A file that is not UTF-8 is not a note.
    let skipped = notes.par_iter().map(|note| vault.read(&note.path));
    let skipped: Vec<ReadError> = skipped.filter_map(Result::err).collect();
    let notes = notes.len() - skipped.len();
    let output = &env.output;
    for error in skipped {
        output.warn(&format!("skipped `{}`: {}", error.path(), error.reason()));
    }
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
    if let Some(preset) = preset.filter(|preset| !created && *preset != before.preset) {
        let was = match before.preset.as_str() {
            "" => "none".to_owned(),
            before => format!("`{before}`"),
        };
        output.say(&format!(
            "its preset is now `{preset}`, before it was {was}"
        ));
    }
    if created {
        output.hint("`mem search WORDS` finds notes; `mem sleep --dry-run` previews maintenance");
    }
    Ok(Exit::Done)
}

/// Returns the names of presets as they are written; refuses one that is none.
fn checked(names: &str) -> Result<String, Error> {
    let names: Vec<&str> = values::names(names).collect();
    for name in &names {
        if SCHEMA.preset(name).is_none() {
            return Err(super::presets::unknown(name));
        }
    }
    Ok(names.join(", "))
}

/// Returns true for a folder of notes. Asks about what hardly is one, or refuses it without a terminal; refuses
/// what is no folder.
fn may_be_a_vault(env: &Environment, folder: &Path, force: bool) -> Result<bool, Error> {
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
        return Ok(true);
    }
    let (doubt, hint) = if folder.parent().is_none() || folder == env.folders.home {
        (
            format!("every Markdown file below `{shown}` would become a note"),
            "name the folder that your notes are in, or pass `--force` to use this one",
        )
    } else if let Ok(outer) = Vault::find(&folder) {
        (
            format!(
                "`{shown}` is a folder of the vault `{}`, which has its notes already",
                outer.root().display()
            ),
            "`--force` makes it a vault of its own; its notes are then in both",
        )
    } else {
        return Ok(true);
    };
    let question = format!(
        "{}; make it a vault all the same?",
        env.output.clean(&doubt)
    );
    asked(env, &question, false).ok_or_else(|| Error::new(doubt).hint(hint))
}

fn write_if_missing(vault: &Vault, name: &str, text: &str) -> Result<(), Error> {
    let path = vault.own_path(name);
    match vault.fs().write_new(&path, text.as_bytes()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::io("write", &path, &error)),
    }
}

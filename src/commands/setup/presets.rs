//! `mem presets`

use serde::Serialize;

use crate::error::{Error, Exit};
use crate::output::{Form, Style};
use crate::run::presets::{PRESETS, about, help};
use crate::session::Environment;

/// List presets, or print one to read and copy
///
/// A preset is settings and rules that make mem look after a vault as another system does, or at another pace. `mem
/// init --preset automem` or `mem config rules.preset automem` names one, `automem, busy` two, of which the later
/// wins; what the same file sets itself comes first. `mem presets automem` prints it, with what it reproduces and
/// what it does not; to change one, copy what you want of it into your `config.toml` and `rules.toml`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help())]
pub struct Args {
    /// The preset to print
    name: Option<String>,
}

#[derive(Debug, Serialize)]
struct Record {
    name: &'static str,
    about: &'static str,
    text: &'static str,
}

pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let output = &env.output;
    let record = |(name, text): (&'static str, &'static str)| Record {
        name,
        about: about(text),
        text,
    };
    if let Some(name) = &args.name {
        let found = PRESETS.iter().find(|(known, _)| known == name);
        let preset = *found.ok_or_else(|| unknown(name))?;
        if output.form == Form::Human {
            output.raw(preset.1.as_bytes())?;
        } else {
            output.record(&record(preset))?;
        }
        return Ok(Exit::Done);
    }
    let records: Vec<Record> = PRESETS.iter().copied().map(record).collect();
    if output.form != Form::Human {
        output.records("presets", &records)?;
        return Ok(Exit::Done);
    }
    for Record { name, about, .. } in records {
        let padded = format!("{name:13}");
        output.line(&format!("{} {about}", output.paint(Style::Title, &padded)))?;
    }
    Ok(Exit::Done)
}

/// Returns what is said of a name that no preset has.
pub(crate) fn unknown(name: &str) -> Error {
    let error = Error::new(format!("unknown preset `{name}`"));
    match super::settings::SCHEMA.nearest_preset(name) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`mem presets` lists them"),
    }
}

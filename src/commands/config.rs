//! `mem config`

use std::path::Path;

use serde::Serialize;
use toml::Value;

use crate::config::file::{FileError, write};
use crate::config::setting::{SETTINGS, Setting, help};
use crate::config::{Loaded, Origin, SettingError};
use crate::error::{Error, Exit};
use crate::output::{Form, Style};
use crate::session::{Environment, settings_file};
use crate::vault::{OpenError, Vault};

/// Show the settings, or change one
///
/// `mem config` lists every setting with its value and who set it: mem itself, your file, the vault's
/// file or the environment; flags of a command come on top. `mem config sleep.apply` prints one value,
/// `mem config sleep.apply none` writes it into your file, `--vault` into the vault's, and `--unset`
/// takes it out again; comments and all else in the file stay.
///
/// A vault's file is not trusted: it may say how its notes are searched and where new ones go, and
/// lower what is done unattended. Anything else in it is ignored, with a warning: where texts are
/// sent to become vectors is for you alone to say.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help())]
pub struct Args {
    /// The setting
    key: Option<String>,
    /// What to set it to
    #[arg(requires = "key")]
    value: Option<String>,
    /// In the vault's own file instead of yours
    #[arg(long, requires = "key")]
    vault: bool,
    /// Take it out of the file
    #[arg(long, requires = "key", conflicts_with = "value")]
    unset: bool,
}

#[derive(Debug, Serialize)]
struct Record<'a> {
    settings: Vec<SettingRecord<'a>>,
}

#[derive(Debug, Serialize)]
struct SettingRecord<'a> {
    key: &'static str,
    value: Value,
    origin: OriginRecord<'a>,
    default: Value,
    takes: String,
    /// What a vault's own file may do: `set`, `lower` or `not set`.
    vault_may: &'static str,
    about: &'static str,
    /// Who else sets it, and why that does not hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<String>,
}

/// Who set a value.
#[derive(Debug, Serialize)]
#[serde(tag = "from", content = "place", rename_all = "kebab-case")]
enum OriginRecord<'a> {
    BuiltIn,
    User(&'a Path),
    Vault(&'a Path),
    Environment(&'a str),
}

/// Shows or sets.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    let vault = match Vault::find(&env.start) {
        Ok(vault) => Some(vault),
        Err(OpenError::NoVault { .. }) if !args.vault => None,
        Err(error) => return Err(error.into()),
    };
    let loaded = env.settings(vault.as_ref());
    let Some(key) = &args.key else {
        return list(env, &loaded);
    };
    let setting = Setting::named(key).ok_or_else(|| unknown(key))?;
    let value = args.value.as_ref().map(|text| setting.typed(text));
    if value.is_none() && !args.unset {
        return get(env, &loaded, setting);
    }
    let origin = match &vault {
        Some(vault) if args.vault => Origin::Vault(settings_file(vault)),
        _ => Origin::User(env.user_settings()),
    };
    if let Some(value) = &value {
        // What is below the vault's layer decides what it may.
        let below = match origin {
            Origin::Vault(_) => env.settings(None).settings,
            _ => loaded.settings,
        };
        below
            .with(setting, value, &origin)
            .map_err(|error| refused(&error))?;
    }
    let changed = write(&origin, setting.key, value.as_ref()).map_err(|error| match &error {
        FileError::Io { .. } => Error::new(error.to_string()).caused_by(&error),
        _ => Error::new(error.to_string()).hint("mend it in an editor first"),
    })?;
    let now = env.settings(vault.as_ref());
    let output = &env.output;
    if output.form != Form::Human {
        output.record(&record(&now, setting))?;
        return Ok(Exit::Done);
    }
    let said = setting.value(&now.settings);
    let holds = format!("`{}` is {said}", setting.key);
    output.say(&match now.origin(setting) {
        by if *by == origin && changed => format!("{holds} now, in {by}"),
        by if *by == origin => format!("{holds} already, in {by}"),
        Origin::BuiltIn => format!("{holds} now, as built in"),
        by if args.unset => format!("{holds} now, set by {by}"),
        by => format!("{origin} is written, but {holds}: {by} comes after it"),
    });
    Ok(Exit::Done)
}

fn unknown(key: &str) -> Error {
    let error = Error::new(format!("there is no setting `{key}`"));
    match Setting::nearest(key) {
        Some(setting) => error.hint(format!("did you mean `{}`?", setting.key)),
        None => error.hint("`mem config` lists them all"),
    }
}

fn refused(error: &SettingError) -> Error {
    match error {
        SettingError::Value {
            key, value, takes, ..
        } => Error::new(format!("`{key}` cannot be {value}; it takes {takes}")),
        SettingError::Forbidden { key, .. } => Error::new(format!(
            "a vault cannot set `{key}`: only your own settings may"
        ))
        .hint(format!(
            "without `--vault` it goes into your file: `mem config {key} …`"
        )),
        SettingError::Raised { key, value, .. } => Error::new(format!(
            "a vault cannot set `{key}` to {value}: it may only lower what your own settings say"
        ))
        .hint(format!(
            "without `--vault` it goes into your file: `mem config {key} …`"
        )),
        error => Error::new(error.to_string()),
    }
}

fn get(env: &Environment, loaded: &Loaded, setting: &'static Setting) -> Result<Exit, Error> {
    let output = &env.output;
    if output.form == Form::Human {
        let value = setting.value(&loaded.settings);
        let text = value.as_str().map(str::to_owned);
        output.line(&text.unwrap_or_else(|| value.to_string()))?;
    } else {
        output.record(&record(loaded, setting))?;
    }
    Ok(Exit::Done)
}

fn list(env: &Environment, loaded: &Loaded) -> Result<Exit, Error> {
    let output = &env.output;
    let records: Vec<SettingRecord<'_>> = SETTINGS
        .iter()
        .map(|setting| record(loaded, setting))
        .collect();
    for problem in loaded
        .problems
        .iter()
        .filter(|problem| problem.about().is_none())
    {
        output.warn(&problem.to_string());
    }
    match output.form {
        Form::Json => output.record(&Record { settings: records })?,
        Form::JsonLines => records
            .iter()
            .try_for_each(|record| output.record(record))?,
        Form::Human => {
            let wide = |of: fn(&SettingRecord<'_>) -> usize| records.iter().map(of).max();
            let key = wide(|record| record.key.len()).unwrap_or(0);
            let value = wide(|record| record.value.to_string().len()).unwrap_or(0);
            for (setting, record) in SETTINGS.iter().zip(&records) {
                let origin = output.clean(&loaded.origin(setting).to_string());
                let name = output.paint(Style::Title, record.key);
                let pad = key - record.key.len();
                let said = output.clean(&record.value.to_string());
                output.line(&format!(
                    "{name}{:pad$} = {said:value$}  {}",
                    "",
                    output.paint(Style::Faint, &origin)
                ))?;
                for why in &record.ignored {
                    let why = format!("  ignored: {}", output.clean(why));
                    output.line(&output.paint(Style::Warning, &why))?;
                }
            }
        }
    }
    Ok(Exit::Done)
}

fn record<'a>(loaded: &'a Loaded, setting: &'static Setting) -> SettingRecord<'a> {
    let problems = loaded.problems.iter();
    SettingRecord {
        key: setting.key,
        value: setting.value(&loaded.settings),
        origin: match loaded.origin(setting) {
            Origin::BuiltIn => OriginRecord::BuiltIn,
            Origin::User(path) => OriginRecord::User(path),
            Origin::Vault(path) => OriginRecord::Vault(path),
            Origin::Environment(name) => OriginRecord::Environment(name),
        },
        default: setting.default(),
        takes: setting.takes(),
        vault_may: setting.vault.name(),
        about: setting.about,
        ignored: problems
            .filter(|problem| problem.about().is_some_and(|(key, _)| key == setting.key))
            .map(ToString::to_string)
            .collect(),
    }
}

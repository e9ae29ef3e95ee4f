//! `mem config`

use toml::Value;

use crate::commands::prelude::*;
use crate::commands::reading::saved_queries::{self, SavedQueries};
use crate::config::{Origin, Setting, SettingError, Settings};
use crate::session::settings::{SAVED_QUERIES, WriteError, settings_file, write};
use crate::vault::OpenError;

/// Show or change settings
///
/// Without arguments, lists everyday and changed settings with values and origins; with a section,
/// like `sleep`, its settings; with a key its value; with a value, sets it. Writes your file, or the
/// vault's with --vault, and preserves comments. `queries.NAME` saves a query. A vault's file is not
/// trusted; it may set few keys and lower some others; see `mem help settings`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the setting, or of a section to list
    key: Option<String>,
    /// New value
    #[arg(requires = "key")]
    value: Option<String>,
    /// Also list expert settings
    #[arg(long, conflicts_with = "key")]
    all: bool,
    /// Use the vault's file instead of yours
    #[arg(long, requires = "key")]
    vault: bool,
    /// Remove the setting from the file
    #[arg(long, requires = "key", conflicts_with = "value")]
    unset: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingList<'a> {
    settings: Vec<SettingRecord<'a>>,
    /// Number of expert settings that are not listed.
    #[serde(skip)]
    left_out: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingRecord<'a> {
    key: &'a str,
    #[schemars(with = "serde_json::Value")]
    value: &'a Value,
    origin: OriginRecord<'a>,
    #[schemars(with = "serde_json::Value")]
    default: &'a Value,
    takes: &'a str,
    /// What a vault's own file may do: `set`, `lower` or `not set`.
    vault_may: &'static str,
    about: &'a str,
    /// Whether it is listed without `--all`.
    everyday: bool,
    /// Other origins that set it and are ignored, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    ignored: Vec<String>,
    /// The origin as text.
    #[serde(skip)]
    origin_text: String,
}

/// The origin of a value.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "from", content = "place", rename_all = "kebab-case")]
enum OriginRecord<'a> {
    BuiltIn,
    User(&'a Path),
    Vault(&'a Path),
    Preset(&'a str),
    Environment(&'a str),
}

impl Args {
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        let vault = match Vault::find(&env.start) {
            Ok(vault) => Some(vault),
            Err(OpenError::NoVault { .. }) if !self.vault => None,
            Err(error) => return Err(error.into()),
        };
        let settings = env.settings(vault.as_ref());
        let Some(key) = &self.key else {
            let ignored: Vec<&str> = settings
                .problems
                .iter()
                .filter_map(SettingError::key)
                .collect();
            let is_listed = |setting: &&Setting| {
                let is_set = *settings.origin(setting) != Origin::BuiltIn;
                self.all || setting.is_everyday || is_set || ignored.contains(&setting.key.as_str())
            };
            let listed: Vec<&Setting> = SCHEMA.all().filter(is_listed).collect();
            let left_out = SCHEMA.all().count() - listed.len();
            return list(env, &settings, &listed, left_out);
        };
        let section: Vec<&Setting> = SCHEMA.all().filter(|of| of.parts().0 == key).collect();
        if !section.is_empty() && self.value.is_none() && !self.unset {
            return list(env, &settings, &section, 0);
        }
        if key == SAVED_QUERIES && self.value.is_none() && !self.unset {
            return env.print(&settings, &SavedQueries::of(&settings));
        }
        if let Some(name) = saved_queries::named(key) {
            return saved_query(env, self, name, vault.as_ref());
        }
        let setting = SCHEMA.named(key).ok_or_else(|| unknown(key))?;
        let value = self.value.as_ref().map(|text| setting.typed(text));
        if value.is_none() && !self.unset {
            return env.print(&settings, &record(&settings, setting));
        }
        let origin = match &vault {
            Some(vault) if self.vault => Origin::Vault(settings_file(vault)),
            _ => Origin::User(env.user_settings()),
        };
        if let Some(value) = &value {
            // A vault's value is checked against the layers below it.
            let below = match origin {
                Origin::Vault(_) => env.settings(None),
                _ => settings,
            };
            below
                .check(setting, value, &origin)
                .map_err(|error| refused(&error))?;
        }
        let changed =
            write(&origin, &setting.key, value.as_ref()).map_err(|error| unwritten(&error))?;
        let now = env.settings(vault.as_ref());
        env.print_as(&now, &record(&now, setting), |_, page| {
            page.say(&outcome(&now, setting, &origin, changed, self.unset));
            Ok(())
        })
    }
}

fn unwritten(error: &WriteError) -> Error {
    match error {
        WriteError::Io { .. } => Error::new(error.to_string()).caused_by(error),
        WriteError::Edit { .. } => Error::new(error.to_string()).hint("fix it in an editor first"),
    }
}

/// Shows, saves or removes the query `name`.
fn saved_query(env: &Environment, args: &Args, name: &str, vault: Option<&Vault>) -> Result<Exit> {
    if args.value.is_none() && !args.unset {
        let now = env.settings(vault);
        return env.print(&now, &SavedQueries::of(&now).named(name)?);
    }
    let origin = match vault {
        Some(vault) if args.vault => Origin::Vault(settings_file(vault)),
        _ => Origin::User(env.user_settings()),
    };
    if let Some(query) = &args.value {
        saved_queries::check(name, query)?;
    }
    let value = args.value.as_deref().map(Value::from);
    let key = format!("{SAVED_QUERIES}.{name}");
    let changed = write(&origin, &key, value.as_ref()).map_err(|error| unwritten(&error))?;
    let now = env.settings(vault);
    let queries = SavedQueries::of(&now);
    let tell = |page: &Page<'_>| {
        page.say(&saved_queries::outcome(&now, name, &origin, changed));
        Ok(())
    };
    if !args.unset {
        return env.print_as(&now, &queries.named(name)?, |_, page| tell(page));
    }
    let exit = env.print_as(&now, &queries, |_, page| tell(page))?;
    Ok(match env.output.form {
        Form::Human => Exit::Done,
        _ => exit,
    })
}

/// Returns the message after the file `written` was written.
fn outcome(
    now: &Settings,
    setting: &Setting,
    written: &Origin,
    changed: bool,
    is_unset: bool,
) -> String {
    let line = format!("`{} = {}`", setting.key, now.value(setting));
    match now.origin(setting) {
        by if by == written && changed => format!("set {line} in {by}"),
        by if by == written => format!("{line} is already set in {by}"),
        Origin::BuiltIn => format!("{line} applies (built-in default)"),
        by if is_unset => format!("{line} applies, set by {by}"),
        by => format!("wrote {written}, but {by} overrides it with {line}"),
    }
}

fn unknown(key: &str) -> Error {
    let error = Error::new(format!("unknown setting `{key}`"));
    let nearest = SCHEMA.nearest(key);
    let table = key.split('.').next().unwrap_or_default();
    let own = SCHEMA.all().filter(|setting| setting.parts().0 == table);
    let own: Vec<String> = own.map(|setting| format!("`{}`", setting.key)).collect();
    // If the section is right, a setting of another section is not suggested.
    if !own.is_empty() && nearest.is_none_or(|nearest| nearest.parts().0 != table) {
        return error.hint(format!("settings of `{table}`: {}", own.join(", ")));
    }
    match nearest {
        Some(setting) => error.hint(format!("did you mean `{}`?", setting.key)),
        None => error.hint("`mem config --all` lists all settings"),
    }
}

fn refused(error: &SettingError) -> Error {
    let message = match error {
        SettingError::Value {
            key, value, takes, ..
        } => return Error::new(format!("`{key}` cannot be {value}; it takes {takes}")),
        SettingError::Forbidden { key, .. } => {
            format!("a vault cannot set `{key}`; only your own settings can")
        }
        SettingError::Raised { key, value, .. } => {
            format!("a vault cannot set `{key}` to {value}; it may only lower your own setting")
        }
        error => return Error::new(error.to_string()),
    };
    let key = error.key().unwrap_or_default();
    Error::new(message).hint(format!(
        "drop `--vault` to set it in your own file: `mem config {key} …`"
    ))
}

fn list(
    env: &Environment,
    settings: &Settings,
    listed: &[&Setting],
    left_out: usize,
) -> Result<Exit> {
    let problems = settings.problems.iter();
    for problem in problems.filter(|problem| problem.key().is_none()) {
        env.output.warn(&problem.to_string());
    }
    let listed = listed.iter().map(|setting| record(settings, setting));
    let list = SettingList {
        settings: listed.collect(),
        left_out,
    };
    env.print(settings, &list)
}

impl Reply for SettingList<'_> {
    fn show(&self, page: &Page<'_>) -> Result<()> {
        lines(page, &self.settings)
    }

    fn messages(&self) -> Vec<Message> {
        let hint = format!("{} more expert settings: `mem config --all`", self.left_out);
        let hint = (self.left_out > 0).then_some(Message::Hint(hint));
        hint.into_iter().collect()
    }

    list!(settings);
}

/// The value; on a terminal with its meaning.
impl Reply for SettingRecord<'_> {
    fn show(&self, page: &Page<'_>) -> Result<()> {
        if !page.stdout_is_terminal {
            let text = self.value.as_str().map(str::to_owned);
            return page.line(&text.unwrap_or_else(|| self.value.to_string()));
        }
        lines(page, std::slice::from_ref(self))?;
        page.line(&format!("  {}", self.about))?;
        page.line(&format!("  takes {}; default {}", self.takes, self.default))
    }
}

/// Longest value in characters that widens the column; longer ones shift their origin.
const MAX_ALIGNED_VALUE: usize = 24;

fn lines(output: &Output, records: &[SettingRecord<'_>]) -> Result<()> {
    let widest = |of: fn(&SettingRecord<'_>) -> usize, most| {
        let widths = records.iter().map(of).filter(|width| *width <= most);
        widths.max().unwrap_or(0)
    };
    let key_width = widest(|record| record.key.len(), usize::MAX);
    let value_width = widest(|record| record.value.to_string().len(), MAX_ALIGNED_VALUE);
    for record in records {
        let name = output.paint(Style::Title, record.key);
        let pad = key_width - record.key.len();
        let value = output.clean(&record.value.to_string());
        let origin = output.paint(Style::Faint, &record.origin_text);
        output.line(&format!(
            "{name}{:pad$} = {value:value_width$}  {origin}",
            ""
        ))?;
        for why in &record.ignored {
            let why = format!("  ignored: {}", output.clean(why));
            output.line(&output.paint(Style::Warning, &why))?;
        }
    }
    Ok(())
}

fn record<'a>(settings: &'a Settings, setting: &'a Setting) -> SettingRecord<'a> {
    let problems = settings.problems.iter();
    SettingRecord {
        key: &setting.key,
        value: settings.value(setting),
        origin: match settings.origin(setting) {
            Origin::BuiltIn => OriginRecord::BuiltIn,
            Origin::User(path) => OriginRecord::User(path),
            Origin::Vault(path) => OriginRecord::Vault(path),
            Origin::Preset { name, .. } => OriginRecord::Preset(name),
            Origin::Environment(name) => OriginRecord::Environment(name),
        },
        default: &setting.default,
        takes: &setting.takes,
        vault_may: setting.vault.name(),
        about: setting.about,
        everyday: setting.is_everyday,
        ignored: problems
            .filter(|problem| problem.key() == Some(&setting.key))
            .map(ToString::to_string)
            .collect(),
        origin_text: settings.origin(setting).to_string(),
    }
}

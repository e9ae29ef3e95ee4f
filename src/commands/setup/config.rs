//! `mem config`

use toml::Value;

use super::presets;
use crate::commands::prelude::*;
use crate::commands::reading::saved_queries::{self, SavedQueries, SavedQuery};
use crate::config::{Setting, SettingError};
use crate::recall::query::parse_with;
use crate::session::settings::{SAVED_QUERIES, settings_file, write};
use crate::vault::OpenError;

/// Show or change settings
///
/// Without arguments, lists everyday and changed settings with values and origins; with a section,
/// like `sleep`, its settings; with a key its value; with a value, sets it. Writes your file, or the
/// vault's with --vault, and preserves comments. `queries.NAME` saves a query. A vault's file is not
/// trusted; it may set few keys and lower some others; see `mem help settings`.
#[derive(Debug, clap::Args)]
pub struct ConfigRequest {
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
pub struct SettingList {
    settings: Vec<SettingRecord>,
    /// Number of expert settings that are not listed.
    #[serde(skip)]
    left_out: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingRecord {
    key: &'static str,
    #[schemars(with = "serde_json::Value")]
    value: Value,
    origin: OriginRecord,
    #[schemars(with = "serde_json::Value")]
    default: &'static Value,
    takes: &'static str,
    /// What a vault's own file may do: `set`, `lower` or `not set`.
    vault_may: &'static str,
    about: &'static str,
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
enum OriginRecord {
    BuiltIn,
    User(PathBuf),
    Vault(PathBuf),
    Preset(String),
    Environment(String),
}

/// Settings, a setting, saved queries or one of them.
type ConfigContent = Either<Either<SettingList, SettingRecord>, Either<SavedQueries, SavedQuery>>;

#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ConfigReply {
    shown: ConfigContent,
    /// The result of a change; the text form of the reply.
    #[serde(skip)]
    outcome: Option<String>,
}

impl Reply for ConfigReply {
    fn show(&self, page: &Page<'_>) {
        match &self.outcome {
            Some(outcome) => page.say(outcome),
            None => self.shown.show(page),
        }
    }

    fn records(&self) -> Option<Records<'_>> {
        self.shown.records()
    }

    fn messages(&self) -> Vec<Message> {
        if self.outcome.is_some() {
            return Vec::new();
        }
        self.shown.messages()
    }

    fn exit(&self) -> Result<Exit> {
        if self.outcome.is_some() {
            return Ok(Exit::Done);
        }
        self.shown.exit()
    }
}

impl Request<Environment> for ConfigRequest {
    type Reply<'s> = ConfigReply;

    fn answer(&self, env: &Environment) -> Result<ConfigReply> {
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
            return Ok(list(env, &settings, &listed, left_out));
        };
        let section: Vec<&Setting> = SCHEMA.all().filter(|of| of.parts().0 == key).collect();
        if !section.is_empty() && self.value.is_none() && !self.unset {
            return Ok(list(env, &settings, &section, 0));
        }
        if key == SAVED_QUERIES && self.value.is_none() && !self.unset {
            let queries = SavedQueries::of(&settings);
            return Ok(reply(Either::Right(Either::Left(queries)), None));
        }
        if let Some(name) = saved_queries::named(key) {
            return self.saved_query(env, name, vault.as_ref());
        }
        let setting = SCHEMA.named(key).ok_or_else(|| unknown(key))?;
        let value = self.value.as_ref().map(|text| setting.typed(text));
        if value.is_none() && !self.unset {
            let record = record(&settings, setting);
            return Ok(reply(Either::Left(Either::Right(record)), None));
        }
        let origin = self.origin(env, vault.as_ref());
        if let Some(value) = &value {
            if let Some(name) = SCHEMA.unknown_preset(setting, value) {
                return Err(presets::unknown(name));
            }
            // A vault's value is checked against the layers below it.
            let below = match origin {
                Origin::Vault(_) => env.settings(None),
                _ => settings,
            };
            below
                .check(setting, value, &origin)
                .map_err(|error| refused(&error))?;
        }
        let changed = write(&origin, &setting.key, value.as_ref())?;
        let now = env.settings(vault.as_ref());
        let outcome = outcome(&now, setting, &origin, changed, self.unset);
        let record = record(&now, setting);
        Ok(reply(Either::Left(Either::Right(record)), Some(outcome)))
    }
}

fn reply(shown: ConfigContent, outcome: Option<String>) -> ConfigReply {
    ConfigReply { shown, outcome }
}

impl ConfigRequest {
    /// Returns the file to write.
    fn origin(&self, env: &Environment, vault: Option<&Vault>) -> Origin {
        match vault {
            Some(vault) if self.vault => Origin::Vault(settings_file(vault)),
            _ => Origin::User(env.user_settings()),
        }
    }

    /// Shows, saves or removes the query `name`.
    fn saved_query(
        &self,
        env: &Environment,
        name: &str,
        vault: Option<&Vault>,
    ) -> Result<ConfigReply> {
        let mut outcome = None;
        if self.value.is_some() || self.unset {
            if let Some(query) = &self.value {
                saved_queries::check(name, query)?;
            }
            let origin = self.origin(env, vault);
            let value = self.value.as_deref().map(Value::from);
            let key = format!("{SAVED_QUERIES}.{name}");
            let changed = write(&origin, &key, value.as_ref())?;
            let now = env.settings(vault);
            let saved = now.texts_by_name(SAVED_QUERIES);
            let query = parse_with(self.value.as_deref().unwrap_or_default(), &env.now, &saved);
            for hint in &query.hints {
                env.output.warn(&format!("`@{name}`: {hint}"));
            }
            outcome = Some(saved_queries::outcome(&now, name, &origin, changed));
        }
        let queries = SavedQueries::of(&env.settings(vault));
        let shown = if self.unset {
            Either::Left(queries)
        } else {
            Either::Right(queries.named(name)?)
        };
        Ok(reply(Either::Right(shown), outcome))
    }
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
    let listed = SCHEMA.all().filter(|setting| setting.parts().0 == table);
    let own: Vec<String> = listed.map(|setting| format!("`{}`", setting.key)).collect();
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
    listed: &[&'static Setting],
    left_out: usize,
) -> ConfigReply {
    let problems = settings.problems.iter();
    for problem in problems.filter(|problem| problem.key().is_none()) {
        env.output.warn(&problem.to_string());
    }
    let settings = listed.iter().map(|setting| record(settings, setting));
    let list = SettingList {
        settings: settings.collect(),
        left_out,
    };
    reply(Either::Left(Either::Left(list)), None)
}

impl Reply for SettingList {
    fn show(&self, page: &Page<'_>) {
        lines(page, &self.settings);
    }

    fn messages(&self) -> Vec<Message> {
        let text = format!("{} more expert settings: `mem config --all`", self.left_out);
        let hint = (self.left_out > 0).then_some(Message::Hint(text));
        hint.into_iter().collect()
    }

    list!(settings);
}

/// The value; on a terminal with its meaning.
impl Reply for SettingRecord {
    fn show(&self, page: &Page<'_>) {
        if !page.stdout_is_terminal {
            let text = self.value.as_str().map(str::to_owned);
            return page.line(&text.unwrap_or_else(|| self.value.to_string()));
        }
        lines(page, std::slice::from_ref(self));
        page.line(&format!("  {}", self.about));
        page.line(&format!("  takes {}; default {}", self.takes, self.default));
    }
}

/// Longest value in characters that widens the column; longer ones shift their origin.
const MAX_ALIGNED_VALUE: usize = 24;

fn lines(output: &Output, records: &[SettingRecord]) {
    let widest = |of: fn(&SettingRecord) -> usize, most| {
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
        ));
        for why in &record.ignored {
            let why = format!("  ignored: {}", output.clean(why));
            output.line(&output.paint(Style::Warning, &why));
        }
    }
}

fn record(settings: &Settings, setting: &'static Setting) -> SettingRecord {
    let problems = settings.problems.iter();
    SettingRecord {
        key: &setting.key,
        value: settings.value(setting).clone(),
        origin: match settings.origin(setting) {
            Origin::BuiltIn => OriginRecord::BuiltIn,
            Origin::User(path) => OriginRecord::User(path.clone()),
            Origin::Vault(path) => OriginRecord::Vault(path.clone()),
            Origin::Preset { name, .. } => OriginRecord::Preset((*name).to_owned()),
            Origin::Environment(name) => OriginRecord::Environment((*name).clone()),
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

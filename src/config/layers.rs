//! Loads the layers of settings and merges them.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::PathBuf;

use toml::{Table, Value};

use super::{Interval, Schema, Setting, SettingsSection, Trust, syntax_error};

/// Origin of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built-in default.
    BuiltIn,
    /// The user's file.
    User(PathBuf),
    /// The vault's file.
    Vault(PathBuf),
    /// A preset; `vault` is true if the vault's file names it.
    Preset {
        name: &'static str,
        vault: bool,
    },
    Environment(String),
}

impl Origin {
    /// Whether the vault is the origin, which may come from a stranger.
    pub fn is_vault(&self) -> bool {
        matches!(self, Self::Vault(_) | Self::Preset { vault: true, .. })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn => f.write_str("built in"),
            Self::User(path) | Self::Vault(path) => write!(f, "`{}`", path.display()),
            Self::Preset { name, .. } => write!(f, "preset `{name}`"),
            Self::Environment(name) => write!(f, "`{name}`"),
        }
    }
}

/// A problem with a setting.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The file cannot be read or is not TOML.
    #[error("{origin} is ignored: {cause}")]
    Unreadable { origin: Origin, cause: String },
    #[error("{origin} sets unknown key `{key}`{}", suggestion(nearest.as_deref()))]
    Unknown {
        origin: Origin,
        key: String,
        nearest: Option<String>,
    },
    #[error("{origin} names unknown preset `{name}`{}", suggestion(*nearest))]
    UnknownPreset {
        origin: Origin,
        name: String,
        nearest: Option<&'static str>,
    },
    #[error("{origin} sets {more} more unknown keys")]
    More { origin: Origin, more: usize },
    /// The value is not accepted.
    #[error("{origin} sets `{key}` to {value}; it takes {takes}")]
    Value {
        origin: Origin,
        key: String,
        value: String,
        takes: String,
    },
    /// A vault sets what only the user may set.
    #[error("{origin} sets `{key}`; only your own settings can")]
    Forbidden { origin: Origin, key: String },
    /// A vault requests more than the user allows.
    #[error("{origin} sets `{key}` to {value}; a vault may only lower it")]
    Raised {
        origin: Origin,
        key: String,
        value: String,
    },
}

impl SettingError {
    /// Returns the setting concerned, if there is one.
    pub fn key(&self) -> Option<&str> {
        match self {
            Self::Value { key, .. } | Self::Forbidden { key, .. } | Self::Raised { key, .. } => {
                Some(key)
            }
            _ => None,
        }
    }
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest
        .map(|nearest| format!("; did you mean `{nearest}`?"))
        .unwrap_or_default()
}

/// The settings of one process and their origins.
#[derive(Debug)]
pub struct Settings {
    schema: &'static Schema,
    /// Values other than defaults.
    set: BTreeMap<&'static str, (Value, Origin)>,
    /// User-named texts, by table and name.
    texts: BTreeMap<String, (String, Origin)>,
    /// Problems; the settings concerned are skipped.
    pub problems: Vec<SettingError>,
    /// Rules from presets and rules files, in layer order.
    pub rules: Vec<(Origin, Result<String, String>)>,
}

/// Key of the rules in a preset.
const RULES_KEY: &str = "rule";

/// Maximum number of unknown settings reported per file.
const MAX_UNKNOWN_KEYS_REPORTED: usize = 5;

impl Settings {
    /// Loads files in the given order, then the environment. Invalid settings are reported and
    /// skipped: a typo must not lock users out of their notes.
    pub fn load(
        schema: &'static Schema,
        files: impl IntoIterator<Item = (Origin, io::Result<String>)>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut settings = Self {
            schema,
            set: BTreeMap::new(),
            texts: BTreeMap::new(),
            problems: Vec::new(),
            rules: Vec::new(),
        };
        for (origin, text) in files {
            match parse_file(text) {
                Ok(table) => {
                    settings.apply_presets(&origin, preset_names(&table, schema));
                    settings.apply_table(&origin, &table);
                }
                Err(cause) => {
                    let unreadable = SettingError::Unreadable { origin, cause };
                    settings.problems.push(unreadable);
                }
            }
        }
        if let Some(setting) = schema.preset_setting() {
            let name = setting.variable();
            let names = environment(&name).unwrap_or_default();
            settings.apply_presets(&Origin::Environment(name), &names);
        }
        for setting in schema.all() {
            let name = setting.variable();
            if let Some(text) = environment(&name) {
                settings.set(setting, &setting.typed(&text), &Origin::Environment(name));
            }
        }
        settings
    }

    /// Returns the settings of an owner.
    pub fn of<S: SettingsSection>(&self) -> S {
        let mut section = S::default();
        let mut tables = self.set.keys().filter_map(|key| key.split_once('.'));
        if tables.any(|(table, _)| table == S::NAME) {
            for (setting, set) in S::keys() {
                if let Some((value, _)) = self.set.get(setting.key.as_str()) {
                    assert!(set(&mut section, value), "each value was checked");
                }
            }
        }
        section
    }

    /// Whether something is ignored that may disable a job or restrict it: a whole file, a preset,
    /// or a setting of a job or one of the `shared` sections.
    pub fn may_lose_restriction(&self, shared: &[&str]) -> bool {
        self.problems.iter().any(|problem| match problem {
            SettingError::Unreadable { .. } | SettingError::UnknownPreset { .. } => true,
            SettingError::Value { key, .. } => {
                let section = key.split('.').next().unwrap_or_default();
                let is_job = self.schema.named(&format!("{section}.every")).is_some();
                is_job || shared.contains(&section)
            }
            _ => false,
        })
    }

    /// Returns the interval of the job `name`.
    pub fn every(&self, name: &str) -> Interval {
        let setting = self.schema.named(&format!("{name}.every"));
        let text = setting.and_then(|setting| self.value(setting).as_str());
        text.and_then(|text| text.parse().ok())
            .unwrap_or(Interval::Never)
    }

    /// Returns the list of all settings.
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// Returns the effective value.
    pub fn value<'s>(&'s self, setting: &'s Setting) -> &'s Value {
        let set = self.set.get(setting.key.as_str());
        set.map_or(&setting.default, |(value, _)| value)
    }

    /// Returns the origin of the effective value.
    pub fn origin(&self, setting: &Setting) -> &Origin {
        let set = self.set.get(setting.key.as_str());
        set.map_or(&Origin::BuiltIn, |(_, origin)| origin)
    }

    /// Returns `value` in canonical form, if `origin` may set it over these settings.
    pub fn check(
        &self,
        setting: &Setting,
        value: &Value,
        origin: &Origin,
    ) -> Result<Value, SettingError> {
        let (origin, key) = (origin.clone(), setting.key.clone());
        let trust = if origin.is_vault() {
            setting.vault
        } else {
            Trust::Sets
        };
        if matches!(trust, Trust::Nothing) {
            return Err(SettingError::Forbidden { origin, key });
        }
        let Some(canonical) = (setting.canonical)(value) else {
            return Err(SettingError::Value {
                origin,
                key,
                value: setting.shown(value),
                takes: setting.takes.clone(),
            });
        };
        match trust {
            Trust::Lowers(is_above) if is_above(&canonical, self.value(setting)) => {
                let value = value.to_string();
                Err(SettingError::Raised { origin, key, value })
            }
            _ => Ok(canonical),
        }
    }

    fn set(&mut self, setting: &'static Setting, value: &Value, origin: &Origin) {
        match self.check(setting, value, origin) {
            Ok(value) => {
                self.set.insert(&setting.key, (value, origin.clone()));
            }
            Err(problem) => self.problems.push(problem),
        }
    }

    /// Returns name, text and origin of each entry in a table of user-named texts.
    pub fn texts<'s>(
        &'s self,
        section: &'s str,
    ) -> impl Iterator<Item = (&'s str, &'s str, &'s Origin)> {
        self.texts.iter().filter_map(move |(key, (text, origin))| {
            let name = key.strip_prefix(section)?.strip_prefix('.')?;
            Some((name, text.as_str(), origin))
        })
    }

    /// Returns the texts of a table by name.
    pub fn texts_by_name(&self, section: &str) -> BTreeMap<String, String> {
        let texts = self.texts(section);
        texts
            .map(|(name, text, _)| (name.to_owned(), text.to_owned()))
            .collect()
    }

    /// Stores user-named texts. A vault cannot replace the user's, on which the user's rules
    /// depend.
    fn set_texts(&mut self, texts: &super::TextTable, values: &Table, origin: &Origin) {
        for (name, value) in values {
            let key = format!("{}.{name}", texts.section);
            let known = self.texts.get(&key);
            if origin.is_vault() && known.is_some_and(|(_, by)| !by.is_vault()) {
                continue;
            }
            let text = value.as_str().filter(|text| (texts.is_taken)(name, text));
            if let Some(text) = text {
                self.texts.insert(key, (text.to_owned(), origin.clone()));
                continue;
            }
            self.problems.push(SettingError::Value {
                origin: origin.clone(),
                key: format!("{}.{}", texts.section, name.escape_debug()),
                value: value.to_string(),
                takes: texts.takes.to_owned(),
            });
        }
    }

    /// Adds rules or the error of reading them. Presets come first, then the user's file, which can
    /// override presets, then the vault's. Presets of the vault follow those of the user.
    pub fn add_rules(&mut self, origin: Origin, read: Result<String, String>) {
        let place = |origin: &Origin| (!matches!(origin, Origin::Preset { .. }), origin.is_vault());
        let behind = self
            .rules
            .iter()
            .position(|(other, _)| place(other) > place(&origin));
        self.rules
            .insert(behind.unwrap_or(self.rules.len()), (origin, read));
    }

    /// Applies the presets that `origin` names, in order; its own settings override them.
    fn apply_presets(&mut self, origin: &Origin, names: &str) {
        for name in super::values::names(names) {
            let Some((name, text)) = self.schema.preset(name) else {
                self.problems.push(SettingError::UnknownPreset {
                    origin: origin.clone(),
                    name: name.escape_debug().to_string(),
                    nearest: self.schema.nearest_preset(name),
                });
                continue;
            };
            let vault = origin.is_vault();
            let preset = Origin::Preset { name, vault };
            let mut table: Table = text.parse().expect("a preset is TOML");
            if let Some(rules) = table.remove(RULES_KEY) {
                let rules = Table::from_iter([(RULES_KEY.to_owned(), rules)]);
                self.add_rules(preset.clone(), Ok(rules.to_string()));
            }
            self.apply_table(&preset, &table);
        }
    }

    fn apply_table(&mut self, origin: &Origin, table: &Table) {
        let mut unknown = Vec::new();
        for (section, values) in table {
            match values {
                // An unknown table counts as one unknown key.
                Value::Table(values) if self.schema.has_section(section) => {
                    for (name, value) in values {
                        let key = format!("{section}.{name}");
                        match self.schema.named(&key) {
                            Some(setting) => self.set(setting, value, origin),
                            None => unknown.push(key),
                        }
                    }
                }
                Value::Table(values) if let Some(texts) = self.schema.texts_of(section) => {
                    self.set_texts(texts, values, origin);
                }
                _ => unknown.push(section.clone()),
            }
        }
        self.report_unknown(origin, &unknown);
    }

    fn report_unknown(&mut self, origin: &Origin, unknown: &[String]) {
        for key in unknown.iter().take(MAX_UNKNOWN_KEYS_REPORTED) {
            self.problems.push(SettingError::Unknown {
                origin: origin.clone(),
                key: key.escape_debug().to_string(),
                nearest: self.schema.nearest(key).map(|near| near.key.clone()),
            });
        }
        let more = unknown.len().saturating_sub(MAX_UNKNOWN_KEYS_REPORTED);
        if more > 0 {
            let origin = origin.clone();
            self.problems.push(SettingError::More { origin, more });
        }
    }
}

/// Returns the preset names in a file.
fn preset_names<'t>(table: &'t Table, schema: &Schema) -> &'t str {
    let setting = schema.preset_setting().map(Setting::parts);
    let names = setting.and_then(|(section, name)| table.get(section)?.get(name)?.as_str());
    names.unwrap_or_default()
}

/// Parses a file; a missing one gives an empty table.
fn parse_file(text: io::Result<String>) -> Result<Table, String> {
    let text = match text {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Table::new()),
        text => text.map_err(|error| error.to_string())?,
    };
    toml::from_str(&text).map_err(|error| syntax_error(&text, error.span(), error.message()))
}

//! The list of all settings, from which checks, help and manual are generated.

use serde::de::DeserializeOwned;
use toml::Value;

use super::Interval;
use super::values::{self, Domain as _};

/// Returns the similarity of two names, 0–1, for suggestions.
pub fn name_similarity(a: &str, b: &str) -> f64 {
    similar::TextDiff::from_chars(a, b).ratio().into()
}

/// Returns the most similar of the `known` names, ignoring case, if it is similar enough.
pub fn nearest<K: AsRef<str>>(name: &str, known: impl IntoIterator<Item = K>) -> Option<K> {
    let known = known.into_iter();
    let name = name.to_lowercase();
    let rated = known.map(|known| {
        (
            name_similarity(&name, &known.as_ref().to_lowercase()),
            known,
        )
    });
    let best = rated.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness > 0.7)
        .map(|(_, known)| known)
}

/// Returns "; did you mean …?" with the most similar of the `known` names, or an empty string.
pub fn did_you_mean<K: AsRef<str>>(name: &str, known: impl IntoIterator<Item = K>) -> String {
    nearest(name, known).map_or_else(String::new, |known| {
        format!("; did you mean `{}`?", known.as_ref())
    })
}

/// The settings of one owner: a table in settings files. [`section!`](crate::config::section)
/// implements it.
pub trait SettingsSection: Default + 'static {
    /// The name of the table.
    const NAME: &'static str;

    /// Returns its settings, in display order.
    fn keys() -> Vec<SettingBinding<Self>>;
}

/// A setting and a function that stores its value; it returns false if the value is not accepted.
pub type SettingBinding<S> = (Setting, fn(&mut S, &Value) -> bool);

/// What a vault's own file may do with a setting.
#[derive(Clone, Copy, Debug)]
pub enum Trust {
    Sets,
    /// May restrict unattended changes, never extend them. The function tells whether the first
    /// value exceeds the second.
    Lowers(fn(&Value, &Value) -> bool),
    /// May not set it; only the user may.
    Nothing,
}

impl Trust {
    /// A vault may lower a value of type `T`.
    pub fn may_lower<T: DeserializeOwned + Ord>() -> Self {
        Self::Lowers(|new, old| {
            let [new, old] = [new, old].map(|value| value.clone().try_into::<T>().ok());
            new > old
        })
    }

    /// Returns what a vault may do, as in the manual.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sets => "set",
            Self::Lowers(_) => "lower",
            Self::Nothing => "not set",
        }
    }
}

#[derive(Debug)]
pub struct Setting {
    /// Table and key, joined by a dot.
    pub key: String,
    /// Description in one line.
    pub about: &'static str,
    /// Accepted values, for messages.
    pub takes: String,
    /// What a vault's file may do.
    pub vault: Trust,
    /// The default.
    pub default: Value,
    /// Whether it is listed by default; expert settings are constants that presets set.
    pub is_everyday: bool,
    /// Whether messages must hide rejected values.
    pub is_secret: bool,
    /// Returns a value in canonical form; `None` if it is not accepted.
    pub canonical: fn(&Value) -> Option<Value>,
}

impl Setting {
    /// Returns the table and the key in it.
    pub fn parts(&self) -> (&str, &str) {
        self.key.split_once('.').unwrap_or(("", &self.key))
    }

    /// Returns the environment variable of the setting.
    pub fn variable(&self) -> String {
        format!("MEM_{}", self.key.replace(['.', '-'], "_").to_uppercase())
    }

    /// Parses a value from the command line or the environment.
    pub fn typed(&self, text: &str) -> Value {
        let number = || {
            let whole = text.parse().map(Value::Integer);
            whole.or_else(|_| text.parse().map(Value::Float)).ok()
        };
        let typed = match self.default {
            Value::Boolean(_) => text.parse().map(Value::Boolean).ok(),
            Value::Integer(_) | Value::Float(_) => number(),
            _ => None,
        };
        typed.unwrap_or_else(|| text.into())
    }

    /// Returns a rejected value for a message.
    pub(super) fn shown(&self, value: &Value) -> String {
        let text = value.to_string();
        // A URL may contain a password before its `@`.
        if self.is_secret || text.contains('@') {
            "a hidden value".to_owned()
        } else {
            text
        }
    }
}

/// All settings, in display order.
#[derive(Debug, Default)]
#[must_use]
pub struct Schema {
    settings: Vec<Setting>,
    /// Tables whose keys users choose.
    texts: Vec<TextTable>,
    /// The setting that lists presets.
    preset_key: Option<&'static str>,
    presets: &'static [PresetText],
}

/// A table of texts under names that users choose.
#[derive(Debug)]
pub struct TextTable {
    pub section: &'static str,
    /// Requirements for names and texts, for messages.
    pub takes: &'static str,
    pub is_taken: fn(&str, &str) -> bool,
}

/// Name and text of a preset, which contains settings and rules.
pub type PresetText = (&'static str, &'static str);

impl Schema {
    /// Adds the settings of an owner.
    pub fn section<S: SettingsSection>(mut self) -> Self {
        let settings = S::keys().into_iter().map(|(setting, _)| setting);
        self.settings.extend(settings);
        self
    }

    /// Adds the setting `every`, the interval of a job, to its section.
    pub fn interval(mut self, job: &'static str, about: &'static str, default: Interval) -> Self {
        self.settings.push(Setting {
            key: format!("{job}.every"),
            about,
            takes: Interval::TAKES.to_owned(),
            vault: Trust::Sets,
            default: Interval::DOMAIN.write(&default),
            is_everyday: true,
            is_secret: false,
            canonical: |value| values::canonical::<Interval>(&Interval::DOMAIN, value),
        });
        self
    }

    /// Adds a table whose keys users choose.
    pub fn texts(mut self, texts: TextTable) -> Self {
        self.texts.push(texts);
        self
    }

    /// Returns the table with user-chosen keys called `section`.
    pub fn texts_of(&self, section: &str) -> Option<&TextTable> {
        self.texts.iter().find(|texts| texts.section == section)
    }

    /// Adds presets, which the setting `key` lists.
    pub fn presets(self, key: &'static str, presets: &'static [PresetText]) -> Self {
        let preset_key = Some(key);
        Self {
            preset_key,
            presets,
            ..self
        }
    }

    /// Returns the setting that lists presets.
    pub(super) fn preset_setting(&self) -> Option<&Setting> {
        self.named(self.preset_key?)
    }

    /// Returns the first unknown preset in `value`, if `setting` lists presets.
    pub fn unknown_preset<'v>(&self, setting: &Setting, value: &'v Value) -> Option<&'v str> {
        let names = value
            .as_str()
            .filter(|_| self.preset_key == Some(&setting.key))?;
        super::values::names(names).find(|name| self.preset(name).is_none())
    }

    /// Returns the preset called `name`.
    pub fn preset(&self, name: &str) -> Option<PresetText> {
        let mut presets = self.presets.iter().copied();
        presets.find(|(known, _)| *known == name)
    }

    /// Returns the most similar preset name, if it is similar enough.
    pub fn nearest_preset(&self, name: &str) -> Option<&'static str> {
        nearest(name, self.presets.iter().map(|(known, _)| *known))
    }

    pub fn all(&self) -> std::slice::Iter<'_, Setting> {
        self.settings.iter()
    }

    /// Returns the setting called `key`.
    pub fn named(&self, key: &str) -> Option<&Setting> {
        self.all().find(|setting| setting.key == key)
    }

    /// Returns the setting with the most similar name, if it is similar enough.
    pub fn nearest(&self, key: &str) -> Option<&Setting> {
        let name = key.rsplit('.').next().unwrap_or_default();
        self.all()
            .map(|setting| {
                let part = name_similarity(name, setting.parts().1);
                (name_similarity(key, &setting.key), part, setting)
            })
            .filter(|(whole, part, _)| *whole > 0.7 || *part > 0.75)
            // Many settings are called `every`, so the table decides.
            .max_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)))
            .map(|(.., setting)| setting)
    }

    /// Whether a table with this name contains settings.
    pub(super) fn has_section(&self, name: &str) -> bool {
        self.all().any(|setting| setting.parts().0 == name)
    }
}

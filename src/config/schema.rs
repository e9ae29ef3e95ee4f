//! Every setting there is: checks, help and the manual are made from this list.

use std::fmt::Write as _;

use serde::de::DeserializeOwned;
use toml::Value;

use super::Every;
use super::values::{self, Domain as _};

/// Returns how much two names have in common, 0–1, to suggest one for the other.
pub fn likeness(a: &str, b: &str) -> f64 {
    similar::TextDiff::from_chars(a, b).ratio().into()
}

/// Returns the one of `known` that is most like `name`, in any case, if one is.
pub fn nearest<K: AsRef<str>>(name: &str, known: impl IntoIterator<Item = K>) -> Option<K> {
    let known = known.into_iter();
    let name = name.to_lowercase();
    let rated = known.map(|known| (likeness(&name, &known.as_ref().to_lowercase()), known));
    let best = rated.max_by(|a, b| a.0.total_cmp(&b.0));
    best.filter(|(likeness, _)| *likeness > 0.7)
        .map(|(_, known)| known)
}

/// Returns the question whether the one of `known` that is most like `name` was meant; nothing if none is.
pub fn meant<K: AsRef<str>>(name: &str, known: impl IntoIterator<Item = K>) -> String {
    nearest(name, known).map_or_else(String::new, |known| {
        format!("; did you mean `{}`?", known.as_ref())
    })
}

/// The settings of one owner: a table of the settings files. [`section!`](crate::config::section) implements it.
pub trait Section: Default + 'static {
    /// The name of the table.
    const NAME: &'static str;

    /// Returns its keys, in the order in which they are shown.
    fn keys() -> Vec<Key<Self>>;
}

/// A setting of a [`Section`], and what sets its field; that returns false if the value is not taken.
pub type Key<S> = (Setting, fn(&mut S, &Value) -> bool);

/// What a vault's own file may do with a setting.
#[derive(Clone, Copy, Debug)]
pub enum Trust {
    Sets,
    /// Lower what is done unattended, never raise it: whether the first value is above the second.
    Lowers(fn(&Value, &Value) -> bool),
    /// Nothing: it is the user's alone.
    Nothing,
}

impl Trust {
    /// A vault may lower a value that is a `T`.
    #[must_use]
    pub fn lowers<T: DeserializeOwned + Ord>() -> Self {
        Self::Lowers(|new, old| {
            let [new, old] = [new, old].map(|value| value.clone().try_into::<T>().ok());
            new > old
        })
    }

    /// Returns what a vault may do with it, in a word.
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
    /// Its name: the table and the key in it.
    pub key: String,
    /// What it decides, in one line.
    pub about: &'static str,
    /// What it takes, for a message.
    pub takes: String,
    /// How far a vault's own file is trusted with it.
    pub vault: Trust,
    /// Its default.
    pub default: Value,
    /// Whether a value that it does not take is not repeated.
    pub is_secret: bool,
    /// Returns a value as it is shown; `None` if it is not taken.
    pub canonical: fn(&Value) -> Option<Value>,
}

impl Setting {
    /// Returns the table and the key in it.
    pub fn parts(&self) -> (&str, &str) {
        self.key.split_once('.').unwrap_or(("", &self.key))
    }

    /// Returns the environment variable that sets it.
    pub fn variable(&self) -> String {
        format!("MEM_{}", self.key.replace('.', "_").to_uppercase())
    }

    /// Returns what a text, as it is typed or stands in the environment, sets it to.
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

    /// Returns a value that it does not take, for a message.
    pub(super) fn shown(&self, value: &Value) -> String {
        let text = value.to_string();
        // An address may have a password before its `@`.
        if self.is_secret || text.contains('@') {
            "a hidden value".to_owned()
        } else {
            text
        }
    }
}

/// All settings, in the order in which they are shown.
#[derive(Debug, Default)]
pub struct Schema {
    settings: Vec<Setting>,
    /// Tables whose keys a person names.
    texts: Vec<Texts>,
    /// The setting that names presets.
    naming: Option<&'static str>,
    presets: &'static [Preset],
}

/// A table of texts under names that a person chooses.
#[derive(Debug)]
pub struct Texts {
    pub section: &'static str,
    /// What a name and a text have to be, for messages.
    pub takes: &'static str,
    pub is_taken: fn(&str, &str) -> bool,
}

/// The name of a preset and its text: settings as in a file, and rules.
pub type Preset = (&'static str, &'static str);

impl Schema {
    /// Adds the settings of an owner.
    #[must_use]
    pub fn section<S: Section>(mut self) -> Self {
        let settings = S::keys().into_iter().map(|(setting, _)| setting);
        self.settings.extend(settings);
        self
    }

    /// Adds `every`, how often a job is due, to the section of that job.
    #[must_use]
    pub fn interval(mut self, job: &'static str, about: &'static str, default: Every) -> Self {
        self.settings.push(Setting {
            key: format!("{job}.every"),
            about,
            takes: Every::TAKES.to_owned(),
            vault: Trust::Sets,
            default: Every::DOMAIN.write(&default),
            is_secret: false,
            canonical: |value| values::canonical::<Every>(&Every::DOMAIN, value),
        });
        self
    }

    /// Adds a table whose keys a person names.
    #[must_use]
    pub fn texts(mut self, texts: Texts) -> Self {
        self.texts.push(texts);
        self
    }

    /// Returns the table of this name whose keys a person names.
    pub fn texts_of(&self, section: &str) -> Option<&Texts> {
        self.texts.iter().find(|texts| texts.section == section)
    }

    /// Adds presets, which the setting `key` names.
    #[must_use]
    pub fn presets(self, key: &'static str, presets: &'static [Preset]) -> Self {
        let naming = Some(key);
        Self {
            naming,
            presets,
            ..self
        }
    }

    /// Returns the setting that names presets.
    pub(super) fn naming_presets(&self) -> Option<&Setting> {
        self.named(self.naming?)
    }

    /// Returns the preset of this name.
    pub fn preset(&self, name: &str) -> Option<Preset> {
        let mut presets = self.presets.iter().copied();
        presets.find(|(known, _)| *known == name)
    }

    /// Returns the name of a preset that is most like `name`, if one is.
    pub fn nearest_preset(&self, name: &str) -> Option<&'static str> {
        nearest(name, self.presets.iter().map(|(known, _)| *known))
    }

    pub fn all(&self) -> std::slice::Iter<'_, Setting> {
        self.settings.iter()
    }

    /// Returns the setting of this name.
    pub fn named(&self, key: &str) -> Option<&Setting> {
        self.all().find(|setting| setting.key == key)
    }

    /// Returns the setting whose name is most like `key`, if one is.
    pub fn nearest(&self, key: &str) -> Option<&Setting> {
        let name = key.rsplit('.').next().unwrap_or_default();
        self.all()
            .map(|setting| {
                let part = likeness(name, setting.parts().1);
                (likeness(key, &setting.key), part, setting)
            })
            .filter(|(whole, part, _)| whole.max(*part) > 0.7)
            // Many settings are called `every`: which one is meant the table says.
            .max_by(|a, b| (a.0 + a.1).total_cmp(&(b.0 + b.1)))
            .map(|(.., setting)| setting)
    }

    /// Returns whether a table of this name holds settings.
    pub(super) fn has_section(&self, name: &str) -> bool {
        self.all().any(|setting| setting.parts().0 == name)
    }

    /// Returns the settings with what they take, for the help.
    pub fn help(&self) -> String {
        let mut help = "Settings:".to_owned();
        for Setting {
            key, about, takes, ..
        } in self.all()
        {
            let _ = write!(help, "\n  {key}\n          {about} (takes {takes})");
        }
        help
    }

    /// Returns the settings as a table for the manual, in Markdown.
    pub fn manual(&self) -> String {
        let mut table =
            "| setting | default | meaning | a vault may |\n|---|---|---|---|\n".to_owned();
        for Setting {
            key,
            about,
            default,
            vault,
            ..
        } in self.all()
        {
            let may = vault.name();
            let _ = writeln!(table, "| `{key}` | `{default}` | {about} | {may} it |");
        }
        table
    }
}

//! Every setting there is, in one table: checks, help and the manual are made from it.

use std::fmt::Write as _;

use toml::Value;

use super::{Apply, Settings};
use crate::note::path::VaultPath;
use crate::note::words::Language;

/// A setting.
#[derive(Debug)]
pub struct Setting {
    /// Its name: the table and the key in it.
    pub key: &'static str,
    /// What it decides, in one line.
    pub about: &'static str,
    /// How far a vault's own file is trusted with it.
    pub vault: Trust,
    takes: fn() -> String,
    read: fn(&Settings) -> Value,
    write: fn(&mut Settings, &Value) -> Option<()>,
}

/// What a vault's own file may do with a setting.
#[derive(Clone, Copy, Debug)]
pub enum Trust {
    /// Set it.
    Sets,
    /// Lower what is done unattended, which this measures, never raise it.
    Lowers(fn(&Settings) -> Apply),
}

impl Trust {
    /// Returns what a vault may do with it, in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sets => "set",
            Self::Lowers(_) => "lower",
        }
    }
}

/// All settings, in the order in which they are shown.
pub static SETTINGS: [Setting; 4] = [
    Setting {
        key: "index.language",
        about: "whose word forms are one word in a search; `none` for as written",
        vault: Trust::Sets,
        takes: || {
            let names: Vec<&str> = Language::names().collect();
            format!("one of {}", names.join(", "))
        },
        read: |settings| settings.language.name().into(),
        write: |settings, value| {
            settings.language = value.as_str()?.parse().ok()?;
            Some(())
        },
    },
    Setting {
        key: "remember.folder",
        about: "where `mem remember` puts notes; empty for the root",
        vault: Trust::Sets,
        takes: || "a folder inside the vault".to_owned(),
        read: |settings| {
            let folder = settings.remember_folder.as_ref();
            folder.map_or("", VaultPath::as_str).into()
        },
        write: |settings, value| {
            settings.remember_folder = match value.as_str()?.trim_matches('/') {
                "" | "." => None,
                folder => Some(VaultPath::new(folder).ok()?),
            };
            Some(())
        },
    },
    Setting {
        key: "sleep.apply",
        about: "which certain changes are made unattended: to what mem and agents wrote, all or none",
        vault: Trust::Lowers(|settings| settings.apply),
        takes: || "\"managed\", \"all\" or \"none\"".to_owned(),
        read: |settings| {
            let name = match settings.apply {
                Apply::None => "none",
                Apply::Managed => "managed",
                Apply::All => "all",
            };
            name.into()
        },
        write: |settings, value| {
            settings.apply = <Apply as clap::ValueEnum>::from_str(value.as_str()?, true).ok()?;
            Some(())
        },
    },
    Setting {
        key: "cache.inside",
        about: "keep the index in the vault's `.mem/cache` instead of your account's cache folder",
        vault: Trust::Sets,
        takes: || "true or false".to_owned(),
        read: |settings| settings.cache_inside.into(),
        write: |settings, value| {
            settings.cache_inside = value.as_bool()?;
            Some(())
        },
    },
];

impl Setting {
    /// Returns the setting of this name.
    #[must_use]
    pub fn named(key: &str) -> Option<&'static Self> {
        SETTINGS.iter().find(|setting| setting.key == key)
    }

    /// Returns the setting whose name is most like `key`, if one is.
    #[must_use]
    pub fn nearest(key: &str) -> Option<&'static Self> {
        fn name(key: &str) -> &str {
            key.rsplit('.').next().unwrap_or_default()
        }
        let likeness = |a: &str, b: &str| f64::from(similar::TextDiff::from_chars(a, b).ratio());
        SETTINGS
            .iter()
            .map(|setting| {
                let whole = likeness(key, setting.key);
                let part = likeness(name(key), name(setting.key));
                (whole.max(part), setting)
            })
            .filter(|(likeness, _)| *likeness > 0.7)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, setting)| setting)
    }

    /// Returns whether a table of this name holds settings.
    pub(super) fn is_table(name: &str) -> bool {
        SETTINGS
            .iter()
            .any(|setting| setting.key.split('.').next() == Some(name))
    }

    /// Returns what it takes, for a message.
    #[must_use]
    pub fn takes(&self) -> String {
        (self.takes)()
    }

    /// Returns the environment variable that sets it.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("MEM_{}", self.key.replace('.', "_").to_uppercase())
    }

    /// Returns its value in `settings`.
    #[must_use]
    pub fn value(&self, settings: &Settings) -> Value {
        (self.read)(settings)
    }

    /// Returns its value where nobody sets it.
    #[must_use]
    pub fn default(&self) -> Value {
        self.value(&Settings::default())
    }

    /// Returns what a text, as it is typed or stands in the environment, sets it to.
    #[must_use]
    pub fn typed(&self, text: &str) -> Value {
        match text.parse() {
            Ok(truth) if self.default().is_bool() => Value::Boolean(truth),
            _ => text.into(),
        }
    }

    /// Sets it in `settings`, which stay as they are if the value is none that it takes.
    pub fn set(&self, settings: &mut Settings, value: &Value) -> Option<()> {
        (self.write)(settings, value)
    }
}

/// Returns the settings with what they take, for the help.
#[must_use]
pub fn help() -> String {
    let mut help = "Settings:\n".to_owned();
    for setting in &SETTINGS {
        let (key, about, takes) = (setting.key, setting.about, setting.takes());
        let _ = writeln!(help, "  {key}\n          {about} (takes {takes})");
    }
    help
}

/// Returns the settings as a table for the manual, in Markdown.
#[must_use]
pub fn table() -> String {
    let mut table =
        "| setting | default | what it decides | a vault may |\n|---|---|---|---|\n".to_owned();
    for setting in &SETTINGS {
        let (key, about) = (setting.key, setting.about);
        let (default, trust) = (setting.default(), setting.vault.name());
        let _ = writeln!(table, "| `{key}` | `{default}` | {about} | {trust} it |");
    }
    table
}

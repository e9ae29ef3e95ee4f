//! Every setting there is, in one table: checks, help and the manual are made from it.

use std::fmt::Write as _;
use std::time::Duration;

use jiff::SignedDuration;
use toml::Value;

use super::{Apply, Commit, Hnsw, LinkNew, Provider, Quiet, Settings};
use crate::embed::Endpoint;
use crate::jobs::conflicts;
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
    /// Nothing: it is the user's alone.
    Nothing,
}

impl Trust {
    /// Returns what a vault may do with it, in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sets => "set",
            Self::Lowers(_) => "lower",
            Self::Nothing => "not set",
        }
    }
}

/// All settings, in the order in which they are shown.
pub static SETTINGS: [Setting; 29] = [
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
        key: "index.hnsw",
        about: "whether a graph over the vectors answers: `auto` is from 200,000 passages on",
        vault: Trust::Sets,
        takes: || "\"auto\", \"always\" or \"never\"".to_owned(),
        read: |settings| settings.hnsw.name().into(),
        write: |settings, value| {
            let name = value.as_str()?;
            settings.hnsw = Hnsw::ALL.into_iter().find(|when| when.name() == name)?;
            Some(())
        },
    },
    Setting {
        key: "index.every",
        about: "how often `mem sleep` looks at the whole vault, though nothing else is due",
        vault: Trust::Sets,
        takes: interval_takes,
        read: |settings| settings.every.index.to_string().into(),
        write: |settings, value| {
            settings.every.index = value.as_str()?.parse().ok()?;
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
        key: "remember.link",
        about: "whether a new note is related at once to what it belongs to: no, by name, or in the note",
        vault: Trust::Sets,
        takes: || "\"off\", \"propose\" or \"on\"".to_owned(),
        read: |settings| settings.remember_link.name().into(),
        write: |settings, value| {
            let name = value.as_str()?;
            settings.remember_link = LinkNew::ALL.into_iter().find(|how| how.name() == name)?;
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
        key: "sleep.idle",
        about: "how long ago a note has to be saved for a sleep to touch it, for editors that leave no sign",
        vault: Trust::Sets,
        takes: || "a time like \"10m\", or \"0s\"".to_owned(),
        read: |settings| {
            let time = SignedDuration::try_from(settings.idle).unwrap_or_default();
            format!("{time:#}").into()
        },
        write: |settings, value| {
            let time: SignedDuration = value.as_str()?.parse().ok()?;
            settings.idle = Duration::try_from(time).ok()?;
            Some(())
        },
    },
    Setting {
        key: "sleep.commit",
        about: "whether a sleep commits what it changed, in vaults that git keeps; hooks of git run then",
        vault: Trust::Nothing,
        takes: || "\"never\", \"always\" or \"clean\"".to_owned(),
        read: |settings| settings.commit.name().into(),
        write: |settings, value| {
            settings.commit = <Commit as clap::ValueEnum>::from_str(value.as_str()?, true).ok()?;
            Some(())
        },
    },
    Setting {
        key: "dedupe.every",
        about: "how often `mem sleep` merges what says the same",
        vault: Trust::Sets,
        takes: interval_takes,
        read: |settings| settings.every.dedupe.to_string().into(),
        write: |settings, value| {
            settings.every.dedupe = value.as_str()?.parse().ok()?;
            Some(())
        },
    },
    Setting {
        key: "dedupe.certain",
        about: "how much of the longer text the shorter one has to say, in order, to be merged unasked",
        vault: Trust::Nothing,
        takes: || "a number from 0.5 to 1".to_owned(),
        read: |settings| settings.dedupe.certain.into(),
        write: |settings, value| {
            settings.dedupe.certain = share(value).filter(|share| *share >= 0.5)?;
            Some(())
        },
    },
    Setting {
        key: "dedupe.ask",
        about: "how alike two notes have to be for the question whether they are the same",
        vault: Trust::Sets,
        takes: || "a number from 0 to 1".to_owned(),
        read: |settings| settings.dedupe.ask.into(),
        write: |settings, value| {
            settings.dedupe.ask = share(value)?;
            Some(())
        },
    },
    Setting {
        key: "conflicts.every",
        about: "how often `mem sleep` looks for what cannot both be true",
        vault: Trust::Sets,
        takes: interval_takes,
        read: |settings| settings.every.conflicts.to_string().into(),
        write: |settings, value| {
            settings.every.conflicts = value.as_str()?.parse().ok()?;
            Some(())
        },
    },
    Setting {
        key: "conflicts.types",
        about: "which types of notes are held against each other for what cannot both be true",
        vault: Trust::Sets,
        takes: || "\"usual\", \"ormah\" or types like \"fact, decision, untyped\"".to_owned(),
        read: |settings| {
            if settings.conflicts.types == conflicts::Options::default().types {
                return "usual".into();
            }
            let named = |kind: &String| if kind.is_empty() { "untyped" } else { kind }.to_owned();
            let types: Vec<String> = settings.conflicts.types.iter().map(named).collect();
            types.join(", ").into()
        },
        write: |settings, value| {
            let text = value.as_str()?;
            let types = match text.trim() {
                "usual" => conflicts::Options::default().types,
                "ormah" => conflicts::Options::ORMAH.map(str::to_owned).to_vec(),
                text => {
                    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
                    let words = words.map(|word| if word == "untyped" { "" } else { word });
                    words.map(str::to_lowercase).collect()
                }
            };
            settings.conflicts.types = Some(types).filter(|types| !types.is_empty())?;
            Some(())
        },
    },
    Setting {
        key: "conflicts.resolve",
        about: "whether a note that another one replaced gets a `valid_until`, so that it is no longer found",
        vault: Trust::Sets,
        takes: || "true or false".to_owned(),
        read: |settings| settings.conflicts.resolve.into(),
        write: |settings, value| {
            settings.conflicts.resolve = value.as_bool()?;
            Some(())
        },
    },
    Setting {
        key: "link.every",
        about: "how often `mem sleep` links what belongs together",
        vault: Trust::Sets,
        takes: interval_takes,
        read: |settings| settings.every.link.to_string().into(),
        write: |settings, value| {
            settings.every.link = value.as_str()?.parse().ok()?;
            Some(())
        },
    },
    Setting {
        key: "link.least",
        about: "the cosine from which on two notes belong together; 0 for what the model says",
        vault: Trust::Sets,
        takes: || "a number from 0 to 1".to_owned(),
        read: |settings| f64::from(settings.link.least.unwrap_or(0.0)).into(),
        write: |settings, value| {
            let least = share(value)? as f32;
            settings.link.least = (least > 0.0).then_some(least);
            Some(())
        },
    },
    Setting {
        key: "link.per_note",
        about: "how many notes are related to one at most, unasked",
        vault: Trust::Sets,
        takes: || "a number from 0 to 50".to_owned(),
        read: |settings| Value::Integer(settings.link.per_note as i64),
        write: |settings, value| {
            let most = value.as_integer()?;
            settings.link.per_note = (0..=50).contains(&most).then_some(most as usize)?;
            Some(())
        },
    },
    Setting {
        key: "link.mentions",
        about: "whether a note's name in another note's text is proposed as a link",
        vault: Trust::Sets,
        takes: || "true or false".to_owned(),
        read: |settings| settings.link.mentions.into(),
        write: |settings, value| {
            settings.link.mentions = value.as_bool()?;
            Some(())
        },
    },
    Setting {
        key: "watch.quiet",
        about: "for how long nothing may have changed before `mem watch` runs the jobs that are due",
        vault: Trust::Sets,
        takes: interval_takes,
        read: |settings| settings.watch_quiet.0.to_string().into(),
        write: |settings, value| {
            settings.watch_quiet = Quiet(value.as_str()?.parse().ok()?);
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
    Setting {
        key: "embed.provider",
        about: "what makes vectors of texts: the model in mem, a server or nothing",
        vault: Trust::Nothing,
        takes: || "\"embedded\", \"endpoint\" or \"off\"".to_owned(),
        read: |settings| {
            let name = match settings.embedding.provider {
                Provider::Embedded => "embedded",
                Provider::Endpoint => "endpoint",
                Provider::Off => "off",
            };
            name.into()
        },
        write: |settings, value| {
            settings.embedding.provider =
                <Provider as clap::ValueEnum>::from_str(value.as_str()?, true).ok()?;
            Some(())
        },
    },
    Setting {
        key: "embed.url",
        about: "where the server is that answers `/v1/embeddings` as OpenAI does",
        vault: Trust::Nothing,
        takes: || "an address like http://localhost:11434".to_owned(),
        read: |settings| settings.embedding.url.as_str().into(),
        write: |settings, value| {
            let text = value
                .as_str()
                .filter(|url| url.is_empty() || Endpoint::takes(url))?;
            text.clone_into(&mut settings.embedding.url);
            Some(())
        },
    },
    Setting {
        key: "embed.model",
        about: "the name of the model there",
        vault: Trust::Nothing,
        takes: || "a text".to_owned(),
        read: |settings| settings.embedding.model.as_str().into(),
        write: |settings, value| {
            let text = value.as_str()?;
            text.clone_into(&mut settings.embedding.model);
            Some(())
        },
    },
    Setting {
        key: "embed.key_env",
        about: "which environment variable has the key, if the server wants one",
        vault: Trust::Nothing,
        takes: || "the name of an environment variable".to_owned(),
        read: |settings| settings.embedding.key_env.as_str().into(),
        write: |settings, value| {
            let text = value.as_str().filter(|name| is_variable(name))?;
            text.clone_into(&mut settings.embedding.key_env);
            Some(())
        },
    },
    Setting {
        key: "embed.query_prefix",
        about: "what the model wants to stand before a query",
        vault: Trust::Nothing,
        takes: || "a text".to_owned(),
        read: |settings| settings.embedding.query_prefix.as_str().into(),
        write: |settings, value| {
            let text = value.as_str()?;
            text.clone_into(&mut settings.embedding.query_prefix);
            Some(())
        },
    },
    Setting {
        key: "embed.passage_prefix",
        about: "what the model wants to stand before a passage",
        vault: Trust::Nothing,
        takes: || "a text".to_owned(),
        read: |settings| settings.embedding.passage_prefix.as_str().into(),
        write: |settings, value| {
            let text = value.as_str()?;
            text.clone_into(&mut settings.embedding.passage_prefix);
            Some(())
        },
    },
    Setting {
        key: "embed.batch",
        about: "how many passages are sent in one request",
        vault: Trust::Nothing,
        takes: || "a number from 1 to 2048".to_owned(),
        read: |settings| Value::Integer(settings.embedding.batch as i64),
        write: |settings, value| {
            let batch = value.as_integer()?;
            settings.embedding.batch = (1..=2048).contains(&batch).then_some(batch as usize)?;
            Some(())
        },
    },
    Setting {
        key: "embed.timeout",
        about: "how long such a request may take",
        vault: Trust::Nothing,
        takes: || "seconds, like 60 or 0.5".to_owned(),
        read: |settings| seconds(settings.embedding.timeout),
        write: |settings, value| {
            settings.embedding.timeout = duration(value)?;
            Some(())
        },
    },
    Setting {
        key: "embed.patience",
        about: "how long a query may take before it goes by words alone",
        vault: Trust::Nothing,
        takes: || "seconds, like 60 or 0.5".to_owned(),
        read: |settings| seconds(settings.embedding.patience),
        write: |settings, value| {
            settings.embedding.patience = duration(value)?;
            Some(())
        },
    },
];

/// What stands for how often a job is due.
fn interval_takes() -> String {
    "a time like \"1d\", \"12h\" or \"30m\", or \"off\"".to_owned()
}

/// Returns whether an environment variable can have this name, or whether it is empty.
fn is_variable(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the share that a number is, 0–1.
fn share(value: &Value) -> Option<f64> {
    let whole = value.as_integer().map(|whole| whole as f64);
    let share = whole.or(value.as_float())?;
    (0.0..=1.0).contains(&share).then_some(share)
}

fn seconds(time: Duration) -> Value {
    if time.subsec_nanos() == 0 {
        Value::Integer(time.as_secs() as i64)
    } else {
        Value::Float(time.as_secs_f64())
    }
}

/// Returns the time that a number of seconds is, up to a day.
fn duration(value: &Value) -> Option<Duration> {
    let whole = value.as_integer().map(|seconds| seconds as f64);
    let seconds = whole.or(value.as_float())?;
    (0.001..=86_400.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

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
            _ if self.default().is_integer() || self.default().is_float() => {
                let whole = text.parse().map(Value::Integer).ok();
                let number = whole.or_else(|| text.parse().map(Value::Float).ok());
                number.unwrap_or_else(|| text.into())
            }
            _ => text.into(),
        }
    }

    /// Returns a value that it does not take for a message.
    pub(super) fn shown(&self, value: &Value) -> String {
        let text = value.to_string();
        // Somebody may have put the key itself there.
        let is_secret =
            self.key == "embed.key_env" || self.key == "embed.url" && text.contains('@');
        if is_secret {
            "what is not shown".to_owned()
        } else {
            text
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

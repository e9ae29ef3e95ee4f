//! Settings in layers: built in, then the user's file, then the vault's, then the environment, then
//! flags.
//!
//! ```toml
//! [index]
//! language = "english"      # whose word forms are one word in a search; "none" for as written
//! [remember]
//! folder = ""               # where `mem remember` puts notes
//! [sleep]
//! apply = "managed"         # which changes are made unattended: "managed", "all" or "none"
//! [cache]
//! inside = false            # keep the index in the vault's .mem/cache
//! ```
//!
//! A vault's own file is not trusted: it can lower what is done unattended, never raise it above
//! what the user set.

use std::fs;
use std::path::{Path, PathBuf};

use crate::note::path::VaultPath;
use crate::note::words::Language;
use crate::vault::own;

/// Which certain changes a job makes without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Apply {
    /// None: everything is proposed
    None,
    /// Those that touch only notes written by mem or an agent and not edited since
    #[default]
    Managed,
    /// All that rules alone decide
    All,
}

/// The settings of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whose word forms are one word.
    pub language: Language,
    /// Where new notes go; `None` for the root.
    pub remember_folder: Option<VaultPath>,
    /// What is done unattended.
    pub apply: Apply,
    /// Whether the caches lie inside the vault.
    pub cache_inside: bool,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The user's file.
    User(PathBuf),
    /// The vault's file.
    Vault(PathBuf),
    /// An environment variable.
    Environment(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::User(path) | Self::Vault(path) => write!(f, "`{}`", path.display()),
            Self::Environment(name) => write!(f, "`{name}`"),
        }
    }
}

/// What is wrong with a setting.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    /// The file cannot be read.
    #[error("cannot read {origin}: {cause}")]
    Unreadable {
        /// The file.
        origin: Origin,
        /// What the system or the parser said.
        cause: String,
    },
    /// There is no such setting.
    #[error("{origin} sets `{key}`, which mem does not know{}", hint(*.nearest))]
    Unknown {
        /// Who sets it.
        origin: Origin,
        /// What.
        key: String,
        /// What may be meant.
        nearest: Option<&'static str>,
    },
    /// The value is of the wrong kind.
    #[error("{origin} sets `{key}` to {value}; it takes {takes}")]
    Value {
        /// Who sets it.
        origin: Origin,
        /// What.
        key: &'static str,
        /// To what.
        value: String,
        /// What it could be.
        takes: String,
    },
    /// A vault asks for more than the user allows.
    #[error("{origin} sets `{key}` to {value}; a vault may only lower it")]
    Raised {
        /// The vault's file.
        origin: Origin,
        /// What.
        key: &'static str,
        /// To what.
        value: String,
    },
}

fn hint(nearest: Option<&str>) -> String {
    nearest
        .map(|nearest| format!("; did you mean `{nearest}`?"))
        .unwrap_or_default()
}

const KEYS: [&str; 4] = [
    "index.language",
    "remember.folder",
    "sleep.apply",
    "cache.inside",
];

impl Settings {
    /// Reads the layers below the flags. What is wrong with a layer is reported and left out: one
    /// typo must not keep a person from their notes.
    pub fn load(
        user_file: &Path,
        vault_file: &Path,
        environment: impl Fn(&str) -> Option<String>,
    ) -> (Self, Vec<SettingError>) {
        let mut settings = Self::default();
        let mut problems = Vec::new();
        for origin in [
            Origin::User(user_file.to_owned()),
            Origin::Vault(vault_file.to_owned()),
        ] {
            settings.file(&origin, &mut problems);
        }
        for key in KEYS {
            let name = format!("MEM_{}", key.replace('.', "_").to_uppercase());
            if let Some(value) = environment(&name) {
                let value = value
                    .parse::<bool>()
                    .map_or(value.into(), toml::Value::Boolean);
                settings.set(key, &value, &Origin::Environment(name), &mut problems);
            }
        }
        (settings, problems)
    }

    fn file(&mut self, origin: &Origin, problems: &mut Vec<SettingError>) {
        let (Origin::User(path) | Origin::Vault(path)) = origin else {
            return;
        };
        let unreadable = |cause: String| SettingError::Unreadable {
            origin: origin.clone(),
            cause,
        };
        // Yours may be a link to where you keep such files; a vault's may lead anywhere.
        let read = match origin {
            Origin::Vault(_) => own::read(path),
            _ => fs::read_to_string(path),
        };
        let table: toml::Table = match read {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return problems.push(unreadable(error.to_string())),
            Ok(text) => match toml::from_str(&text) {
                Ok(table) => table,
                Err(error) => {
                    let before = error.span().and_then(|span| text.get(..span.start));
                    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
                    let cause = format!("line {line}: {}", error.message());
                    return problems.push(unreadable(cause));
                }
            },
        };
        for (section, values) in &table {
            match values {
                toml::Value::Table(values) => {
                    for (key, value) in values {
                        self.set(&format!("{section}.{key}"), value, origin, problems);
                    }
                }
                value => self.set(section, value, origin, problems),
            }
        }
    }

    fn set(
        &mut self,
        key: &str,
        value: &toml::Value,
        origin: &Origin,
        problems: &mut Vec<SettingError>,
    ) {
        let Some(key) = KEYS.into_iter().find(|known| *known == key) else {
            return problems.push(SettingError::Unknown {
                origin: origin.clone(),
                key: key.to_owned(),
                nearest: nearest(key),
            });
        };
        let wrong = |takes: String| SettingError::Value {
            origin: origin.clone(),
            key,
            value: value.to_string(),
            takes,
        };
        let problem = match (key, value.as_str(), value.as_bool()) {
            ("index.language", Some(text), _) => {
                if let Ok(language) = text.parse() {
                    self.language = language;
                    None
                } else {
                    let names: Vec<&str> = Language::names().collect();
                    Some(wrong(format!("one of {}", names.join(", "))))
                }
            }
            ("remember.folder", Some(text), _) => match text.trim_matches('/') {
                "" | "." => {
                    self.remember_folder = None;
                    None
                }
                folder => match VaultPath::new(folder) {
                    Ok(folder) => {
                        self.remember_folder = Some(folder);
                        None
                    }
                    Err(_) => Some(wrong("a folder inside the vault".to_owned())),
                },
            },
            ("sleep.apply", Some(text), _) => {
                match <Apply as clap::ValueEnum>::from_str(text, true) {
                    Ok(apply) if matches!(origin, Origin::Vault(_)) && apply > self.apply => {
                        Some(SettingError::Raised {
                            origin: origin.clone(),
                            key,
                            value: value.to_string(),
                        })
                    }
                    Ok(apply) => {
                        self.apply = apply;
                        None
                    }
                    Err(_) => Some(wrong("\"managed\", \"all\" or \"none\"".to_owned())),
                }
            }
            ("cache.inside", _, Some(inside)) => {
                self.cache_inside = inside;
                None
            }
            ("cache.inside", ..) => Some(wrong("true or false".to_owned())),
            _ => Some(wrong("a text".to_owned())),
        };
        problems.extend(problem);
    }
}

/// The known key that is most like `key`, if one is.
fn nearest(key: &str) -> Option<&'static str> {
    fn name(key: &str) -> &str {
        key.rsplit('.').next().unwrap_or_default()
    }
    KEYS.into_iter()
        .map(|known| {
            let whole = f64::from(similar::TextDiff::from_chars(key, known).ratio());
            let part = f64::from(similar::TextDiff::from_chars(name(key), name(known)).ratio());
            (whole.max(part), known)
        })
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(user: &str, vault: &str, environment: &[(&str, &str)]) -> (Settings, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let (user_file, vault_file) = (folder.path().join("user"), folder.path().join("vault"));
        fs::write(&user_file, user).unwrap();
        fs::write(&vault_file, vault).unwrap();
        let (settings, problems) = Settings::load(&user_file, &vault_file, |name| {
            environment
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        });
        let place = folder.path().to_str().unwrap().to_owned() + "/";
        (
            settings,
            problems
                .iter()
                .map(|problem| problem.to_string().replace(&place, ""))
                .collect(),
        )
    }

    #[test]
    fn later_layers_win_but_a_vault_cannot_raise() {
        for (user, vault, environment, apply, problems) in [
            ("", "", vec![], Apply::Managed, vec![]),
            ("sleep.apply = 'all'", "", vec![], Apply::All, vec![]),
            (
                "sleep.apply = 'all'",
                "sleep.apply = 'none'",
                vec![],
                Apply::None,
                vec![],
            ),
            (
                "",
                "[sleep]\napply = \"all\"",
                vec![],
                Apply::Managed,
                vec!["`vault` sets `sleep.apply` to \"all\"; a vault may only lower it"],
            ),
            ("", "", vec![("MEM_SLEEP_APPLY", "all")], Apply::All, vec![]),
        ] {
            let (settings, found) = load(user, vault, &environment);
            assert_eq!(
                (settings.apply, found),
                (apply, problems.into_iter().map(str::to_owned).collect())
            );
        }
    }

    #[test]
    fn a_wrong_setting_is_named() {
        for (user, problem) in [
            (
                "sleep.aply = 'all'",
                "`user` sets `sleep.aply`, which mem does not know; did you mean `sleep.apply`?",
            ),
            (
                "colour = 1",
                "`user` sets `colour`, which mem does not know",
            ),
            (
                "sleep.apply = 'some'",
                "`user` sets `sleep.apply` to \"some\"; it takes \"managed\", \"all\" or \"none\"",
            ),
            (
                "cache.inside = 'x'",
                "`user` sets `cache.inside` to \"x\"; it takes true or false",
            ),
            (
                "remember.folder = '../x'",
                "`user` sets `remember.folder` to \"../x\"; it takes a folder inside the vault",
            ),
        ] {
            assert_eq!(load(user, "", &[]).1, [problem]);
        }
        assert!(load("a = ", "", &[]).1[0].starts_with("cannot read `user`: line 1: "));
    }
}

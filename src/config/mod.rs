//! Settings in layers: built in, then the user's file, then the vault's, then the environment, then
//! flags.
//!
//! ```toml
//! [index]
//! language = "english"      # whose word forms are one word in a search; "none" for as written
//! [remember]
//! folder = ""               # where `mem remember` puts notes
//! link = "off"              # whether they are related to others at once: "off", "propose" or "on"
//! [sleep]
//! apply = "managed"         # which changes are made unattended: "managed", "all" or "none"
//! idle = "0s"               # notes saved so shortly ago are left alone
//! commit = "never"          # whether git commits what was changed: "never", "always" or "clean"
//! [cache]
//! inside = false            # keep the index in the vault's .mem/cache
//! [embed]
//! provider = "embedded"     # what makes vectors of texts: the model in mem, an endpoint, nothing
//! ```
//!
//! A vault's own file is not trusted: it can lower what is done unattended, never raise it above
//! what the user set, and it cannot say where texts are sent or that git is run.

pub mod file;
pub mod setting;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::jobs::{conflicts, dedupe, link};
use crate::note::path::VaultPath;
use crate::note::words::Language;
use crate::run::schedule::{Every, Intervals};
use crate::vault::own;
use setting::{SETTINGS, Setting, Trust};

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

/// When a sleep commits what it changed, in a vault that git keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Commit {
    /// Never
    #[default]
    Never,
    /// Always: all that was changed, except notes that held uncommitted changes before
    Always,
    /// Always, and nothing is changed while a note holds uncommitted changes
    Clean,
}

impl Commit {
    /// Returns how it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Always => "always",
            Self::Clean => "clean",
        }
    }
}

/// What `mem remember` does about notes that a new one belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LinkNew {
    /// Nothing.
    #[default]
    Off,
    /// Names them.
    Propose,
    /// States it in the new note.
    On,
}

impl LinkNew {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Off, Self::Propose, Self::On];

    /// Returns how it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Propose => "propose",
            Self::On => "on",
        }
    }
}

/// For how long nothing may have changed before a watch runs the jobs that are due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet(pub Every);

impl Default for Quiet {
    fn default() -> Self {
        Self(Every::After {
            days: 0,
            seconds: 120,
        })
    }
}

impl Quiet {
    /// Returns the time; `None` if a watch never runs jobs.
    #[must_use]
    pub fn time(self) -> Option<Duration> {
        match self.0 {
            Every::Never => None,
            Every::After { days, seconds } => {
                let seconds = i64::from(days) * 86_400 + seconds;
                Some(Duration::from_secs(seconds.unsigned_abs()))
            }
        }
    }
}

/// When an HNSW graph over the vectors is made and used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hnsw {
    /// From so many passages on that it is faster than looking at all of them.
    #[default]
    Auto,
    /// From the first passage on.
    Always,
    /// Never.
    Never,
}

impl Hnsw {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    /// Returns how it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// What makes vectors of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Provider {
    /// The model in mem
    #[default]
    Embedded,
    /// A server
    Endpoint,
    /// Nothing: searches go by words alone
    Off,
}

/// How texts become vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    /// What makes them.
    pub provider: Provider,
    /// Where the endpoint is; empty where none is set.
    pub url: String,
    /// The name of the model there.
    pub model: String,
    /// The name of the environment variable with the key; empty where none is needed.
    pub key_env: String,
    /// What stands before a query.
    pub query_prefix: String,
    /// What stands before a passage.
    pub passage_prefix: String,
    /// The most texts in one request.
    pub batch: usize,
    /// How long a request for passages may take.
    pub timeout: Duration,
    /// How long a query may take.
    pub patience: Duration,
}

impl Default for Embedding {
    fn default() -> Self {
        Self {
            provider: Provider::default(),
            url: String::new(),
            model: String::new(),
            key_env: String::new(),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            batch: 32,
            timeout: Duration::from_secs(60),
            patience: Duration::from_secs(2),
        }
    }
}

/// The settings of one run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// Whose word forms are one word.
    pub language: Language,
    /// Where new notes go; `None` for the root.
    pub remember_folder: Option<VaultPath>,
    /// What is done about notes that a new one belongs to.
    pub remember_link: LinkNew,
    /// What is done unattended.
    pub apply: Apply,
    /// A sleep leaves alone what was saved so shortly ago.
    pub idle: Duration,
    /// When a sleep commits what it changed.
    pub commit: Commit,
    /// How often each job is due.
    pub every: Intervals,
    /// When a watch runs the jobs that are due.
    pub watch_quiet: Quiet,
    /// Whether the caches lie inside the vault.
    pub cache_inside: bool,
    /// When the vectors get a graph.
    pub hnsw: Hnsw,
    /// How texts become vectors.
    pub embedding: Embedding,
    /// What the job goes by that merges what says the same.
    pub dedupe: dedupe::Options,
    /// What the job goes by that looks for conflicts.
    pub conflicts: conflicts::Options,
    /// What the job goes by that links notes.
    pub link: link::Options,
}

/// Where a value came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// mem itself.
    BuiltIn,
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
            Self::BuiltIn => f.write_str("built in"),
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
    /// There are more of these.
    #[error("{origin} sets {more} more that mem does not know")]
    More {
        /// Who sets them.
        origin: Origin,
        /// How many.
        more: usize,
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
    /// A vault sets what is the user's alone.
    #[error("{origin} sets `{key}`; only your own settings may")]
    Forbidden {
        /// The vault's file.
        origin: Origin,
        /// What.
        key: &'static str,
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

impl SettingError {
    /// Returns the setting that it is about, and who set it, if it is about one.
    #[must_use]
    pub fn about(&self) -> Option<(&str, &Origin)> {
        match self {
            Self::Unreadable { .. } | Self::Unknown { .. } | Self::More { .. } => None,
            Self::Value { origin, key, .. }
            | Self::Forbidden { origin, key }
            | Self::Raised { origin, key, .. } => Some((key, origin)),
        }
    }
}

fn hint(nearest: Option<&str>) -> String {
    nearest
        .map(|nearest| format!("; did you mean `{nearest}`?"))
        .unwrap_or_default()
}

/// The settings of one run, and whence.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What holds.
    pub settings: Settings,
    /// Who set what is not built in, by the names of settings.
    pub origins: BTreeMap<&'static str, Origin>,
    /// What was left out, and why.
    pub problems: Vec<SettingError>,
}

/// How many settings of one file that mem does not know are named.
const NAMED: usize = 5;

impl Loaded {
    /// Reads the layers below the flags. What is wrong with a layer is reported and left out: one
    /// typo must not keep a person from their notes.
    pub fn of(
        user_file: &Path,
        vault_file: Option<&Path>,
        environment: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let mut loaded = Self::default();
        loaded.file(&Origin::User(user_file.to_owned()));
        if let Some(vault_file) = vault_file {
            loaded.file(&Origin::Vault(vault_file.to_owned()));
        }
        for setting in &SETTINGS {
            let name = setting.variable();
            if let Some(text) = environment(&name) {
                loaded.set(setting, &setting.typed(&text), &Origin::Environment(name));
            }
        }
        loaded
    }

    /// Returns who set it.
    #[must_use]
    pub fn origin(&self, setting: &Setting) -> &Origin {
        self.origins.get(setting.key).unwrap_or(&Origin::BuiltIn)
    }

    fn file(&mut self, origin: &Origin) {
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
            Err(error) => return self.problems.push(unreadable(error.to_string())),
            Ok(text) => match toml::from_str(&text) {
                Ok(table) => table,
                Err(error) => {
                    let before = error.span().and_then(|span| text.get(..span.start));
                    let line = before.map_or(1, |before| before.matches('\n').count() + 1);
                    let cause = format!("line {line}: {}", error.message());
                    return self.problems.push(unreadable(cause));
                }
            },
        };
        let mut unknown = Vec::new();
        for (section, values) in &table {
            match values {
                // A table that mem does not know is one thing it does not know.
                toml::Value::Table(values) if Setting::is_table(section) => {
                    for (name, value) in values {
                        let key = format!("{section}.{name}");
                        match Setting::named(&key) {
                            Some(setting) => self.set(setting, value, origin),
                            None => unknown.push(key),
                        }
                    }
                }
                _ => unknown.push(section.clone()),
            }
        }
        let more = unknown.len().saturating_sub(NAMED);
        self.problems
            .extend(unknown.into_iter().take(NAMED).map(|key| {
                let nearest = Setting::nearest(&key).map(|setting| setting.key);
                SettingError::Unknown {
                    origin: origin.clone(),
                    key: key.escape_debug().to_string(),
                    nearest,
                }
            }));
        if more > 0 {
            let origin = origin.clone();
            self.problems.push(SettingError::More { origin, more });
        }
    }

    fn set(&mut self, setting: &'static Setting, value: &toml::Value, origin: &Origin) {
        match self.settings.with(setting, value, origin) {
            Ok(settings) => {
                self.settings = settings;
                self.origins.insert(setting.key, origin.clone());
            }
            Err(problem) => self.problems.push(problem),
        }
    }
}

impl Settings {
    /// Returns these settings with one of them set by `origin`, if it may.
    pub fn with(
        &self,
        setting: &'static Setting,
        value: &toml::Value,
        origin: &Origin,
    ) -> Result<Self, SettingError> {
        let mut settings = self.clone();
        let (origin, key) = (origin.clone(), setting.key);
        if let (Origin::Vault(_), Trust::Nothing) = (&origin, setting.vault) {
            return Err(SettingError::Forbidden { origin, key });
        }
        if setting.set(&mut settings, value).is_none() {
            return Err(SettingError::Value {
                origin,
                key,
                value: setting.shown(value),
                takes: setting.takes(),
            });
        }
        match (&origin, setting.vault) {
            (Origin::Vault(_), Trust::Lowers(done)) if done(&settings) > done(self) => {
                Err(SettingError::Raised {
                    origin,
                    key,
                    value: value.to_string(),
                })
            }
            _ => Ok(settings),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(user: &str, vault: &str, environment: &[(&str, &str)]) -> (Settings, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let (user_file, vault_file) = (folder.path().join("user"), folder.path().join("vault"));
        fs::write(&user_file, user).unwrap();
        fs::write(&vault_file, vault).unwrap();
        let loaded = Loaded::of(&user_file, Some(&vault_file), |name| {
            environment
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        });
        let (settings, problems) = (loaded.settings, loaded.problems);
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
    fn a_vault_does_not_say_where_texts_go() {
        let all = "provider = 'endpoint'\nurl = 'http://evil'\nkey_env = 'HOME'\nbatch = 1\n";
        let (settings, problems) = load("embed.model = 'mine'", &format!("[embed]\n{all}"), &[]);
        let expected = Embedding {
            model: "mine".to_owned(),
            ..Embedding::default()
        };
        assert_eq!(settings.embedding, expected);
        let forbidden = ["batch", "key_env", "provider", "url"]
            .map(|key| format!("`vault` sets `embed.{key}`; only your own settings may"));
        assert_eq!(problems, forbidden);
        let (settings, problems) = load(&format!("[embed]\n{all}timeout = 1.5"), "", &[]);
        assert_eq!(problems, [""; 0]);
        let expected = Embedding {
            provider: Provider::Endpoint,
            url: "http://evil".to_owned(),
            key_env: "HOME".to_owned(),
            batch: 1,
            timeout: Duration::from_millis(1500),
            ..Embedding::default()
        };
        assert_eq!(settings.embedding, expected);
        let variables = [("MEM_EMBED_BATCH", "64"), ("MEM_EMBED_PATIENCE", "0.5")];
        let (settings, problems) = load("", "", &variables);
        assert_eq!((settings.embedding.batch, problems.len()), (64, 0));
        assert_eq!(settings.embedding.patience, Duration::from_millis(500));
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
            (
                "embed.url = 'localhost:11434'",
                "`user` sets `embed.url` to \"localhost:11434\"; it takes an address like \
                 http://localhost:11434",
            ),
            (
                "embed.key_env = 'sk-1234'",
                "`user` sets `embed.key_env` to what is not shown; it takes the name of an \
                 environment variable",
            ),
            (
                "embed.batch = 0",
                "`user` sets `embed.batch` to 0; it takes a number from 1 to 2048",
            ),
            (
                "embed.timeout = -1",
                "`user` sets `embed.timeout` to -1; it takes seconds, like 60 or 0.5",
            ),
        ] {
            assert_eq!(load(user, "", &[]).1, [problem]);
        }
        // What a stranger's vault would like to run, and much of it.
        let tables: String = (0..30).fold(String::new(), |text, n| {
            text + &format!("[\"t{n:02}\\n\"]\ncommand = 'rm -r'\nendpoint = 'x'\n")
        });
        let problems = load("", &tables, &[]).1;
        assert_eq!(problems.len(), 6);
        assert_eq!(
            problems[0],
            "`vault` sets `t00\\n`, which mem does not know"
        );
        assert_eq!(problems[5], "`vault` sets 25 more that mem does not know");
        assert!(load("a = ", "", &[]).1[0].starts_with("cannot read `user`: line 1: "));
    }
}

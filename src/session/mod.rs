//! An open vault: its folders, settings, updated caches, view and embedder, and the [`Environment`]
//! of the process.

mod caches;
pub mod embedder;
pub mod environment;
pub mod event_counts;
pub mod key;
pub mod search;
pub mod settings;
pub mod shell;
mod space;
pub mod ui;
pub mod upgrade;
pub mod usage;
mod vectors;
pub mod watched;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::cache::meta::CacheMeta;
use crate::cache::options::{CacheOptions, IndexOptions};
use crate::cache::sync::{self, SyncSource};
use crate::cache::{self, CacheError, faults};
use crate::change::RunId;
use crate::config::Settings;
use crate::embed::Embedder;
use crate::error::{Error, Result};
use crate::finding::Answers;
use crate::journal::{check, decisions};
use crate::note::VaultPath;
use crate::output;
use crate::vault::{Homes, JOURNAL, STATE, Stat, Vault, if_found};
use embedder::SelectedEmbedder;
pub use environment::Environment;
use ui::{Hyperlinks, UiOptions};

/// An open vault with its settings.
#[derive(Debug)]
pub struct Session {
    /// The environment of the process.
    pub env: Environment,
    pub vault: Vault,
    /// The machine-local folders of the vault.
    pub homes: Homes,
    pub settings: Settings,
    /// The settings for indexing.
    pub index: IndexOptions,
    /// The changes made by this command.
    pub written: RefCell<RunChanges>,
    embedder: SelectedEmbedder,
    /// Whether the warning about unreadable usage data was printed.
    has_warned_of_uses: Rc<Cell<bool>>,
}

/// The changes made by one command.
#[derive(Debug, Default)]
pub struct RunChanges {
    /// The ids of its runs in order, for undo.
    pub runs: Vec<RunId>,
    /// The changed notes with their state afterwards.
    pub notes: HashMap<VaultPath, Stat>,
    /// Whether the warning that a run cannot be recorded was printed.
    pub is_unrecorded: bool,
}

impl Environment {
    /// Finds the vault and reads its settings.
    pub fn open(&self) -> Result<Session> {
        let vault = Vault::find(&self.start)?;
        let settings = self.settings(Some(&vault));
        for problem in &settings.problems {
            self.output.warn(&problem.to_string());
        }
        let links = settings.of::<UiOptions>().hyperlinks;
        if links != Hyperlinks::Never {
            let always = links == Hyperlinks::Always;
            self.output.link_notes(vault.root(), always);
        }
        let mut homes = Homes::of(&vault, &self.folders.state, &self.folders.cache);
        if settings.of::<CacheOptions>().inside {
            let claimed = cache::in_vault::claim(&vault, &homes, &self.holder(), self.seed);
            homes.cache = claimed.map_err(|error| match error {
                CacheError::Io { path, source } => Error::io("use", &path, &source),
                error => error.into(),
            })?;
        }
        let fault = Error::new("the index is damaged and was taken out of use")
            .hint("run the command again to rebuild the index");
        // Without this handler such a fault ends the process without a message.
        let words = self.output.failure(&fault) + "\n";
        let _ = faults::watch(&homes.cache, move || output::write_to_stderr(&words));
        let variable = |name: &str| std::env::var(name).ok();
        let embedder = SelectedEmbedder::of(&settings.of(), &self.failures(), variable)
            .unwrap_or_else(|error| {
                let why = error.message();
                self.output.warn(&format!("semantic search is off: {why}"));
                error.hints().for_each(|hint| self.output.hint(hint));
                SelectedEmbedder::Off
            });
        Ok(Session {
            env: self.clone(),
            vault,
            homes,
            index: settings.of(),
            settings,
            written: RefCell::default(),
            embedder,
            has_warned_of_uses: Rc::default(),
        })
    }
}

impl Session {
    /// Refuses to run a job while settings are ignored that may restrict it.
    pub fn require_settings(&self) -> Result<()> {
        if !self
            .settings
            .may_lose_restriction(&["lifecycle", "rules", "sleep"])
        {
            return Ok(());
        }
        let error =
            Error::new("no job runs while settings are ignored, because they may disable it");
        Err(error.hint("correct what the warning names; `mem config NAME` describes a setting"))
    }

    /// Returns the embedder, unless embedding is off.
    ///
    /// The built-in model is that of the index opened last.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.embedder.embedder()
    }

    /// Returns the embedder for an index with this metadata.
    pub fn embedder_of(&self, meta: &CacheMeta) -> Option<&dyn Embedder> {
        let file = meta.vectors.as_ref();
        self.embedder.follow(file.map(|file| file.model.as_str()));
        self.embedder()
    }

    /// Returns the inputs of an index pass without progress output.
    fn quiet_source(&self) -> SyncSource<'_> {
        SyncSource::quiet(&self.vault, self.embedder())
    }

    /// Returns the inputs of an index pass.
    fn source<'p>(&'p self, progress: sync::ProgressCallback<'p>) -> SyncSource<'p> {
        SyncSource {
            vault: &self.vault,
            embedder: self.embedder(),
            progress,
        }
    }

    /// Returns the folder that records the last runs of each device's jobs.
    pub fn state_folder(&self) -> PathBuf {
        self.vault.own_path(STATE)
    }

    /// Returns a folder below `.mem`, created if missing.
    ///
    /// Refuses symbolic links, because the vault may be a stranger's.
    pub fn own_folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.vault.own_folder(name);
        folder.map_err(|error| Error::io("use", &self.vault.own_path(name), &error))
    }

    /// Returns the journal folder of this device, created if missing.
    pub fn journal_folder(&self) -> Result<PathBuf> {
        self.own_folder(&format!("{JOURNAL}/{}", self.env.device()?.name()))
    }

    /// Calls `write` with the journal folder of this device.
    pub fn write_journal(&self, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<()> {
        let folder = self.journal_folder()?;
        write(&folder).map_err(|error| Error::io("write to", &folder, &error))
    }

    /// Compacts the journal of this device, if it has one.
    pub fn tidy_journal(&self) -> Result<()> {
        let journal = self.vault.own_path(JOURNAL);
        let folder = journal.join(self.env.device()?.name());
        let tidied = if_found(check::tidy(&folder)).map(drop);
        tidied.map_err(|error| Error::io("write to", &folder, &error))
    }

    /// Returns all answers so far.
    pub fn answers(&self) -> Result<Answers> {
        self.read_journal(decisions::load)
    }

    /// Returns the result of `read` on the journal of all devices.
    pub fn read_journal<T>(&self, read: impl FnOnce(&Path) -> io::Result<T>) -> Result<T> {
        let journal = self.vault.own_path(JOURNAL);
        read(&journal).map_err(|error| Error::io("read", &journal, &error))
    }
}

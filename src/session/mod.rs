//! An open vault: its folders, its settings, caches that are fresh, a view, the embedder; and the
//! surroundings of the run, [`Environment`].

mod caches;
pub mod embedder;
pub mod environment;
pub mod key;
pub mod raised;
pub mod search;
pub mod settings;
mod space;
pub mod ui;
pub mod usage;
mod vectors;
pub mod watched;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::cache::options::{CacheOptions, IndexOptions};
use crate::cache::sync::{self, Source};
use crate::cache::{self, CacheError, faults};
use crate::change::run_id::RunId;
use crate::config::Settings;
use crate::embed::Embedder;
use crate::error::{Error, Exit};
use crate::finding::question::Answers;
use crate::journal::{check, decisions};
use crate::note::path::VaultPath;
use crate::output;
use crate::output::reply::Reply;
use crate::vault::fs::if_found;
use crate::vault::{Homes, JOURNAL, STATE, Stat, Vault};
use embedder::Chosen;
pub use environment::Environment;
use ui::{Hyperlinks, UiOptions};

/// A vault with its settings, ready for work.
#[derive(Debug)]
pub struct Session {
    /// The surroundings of the run.
    pub env: Environment,
    pub vault: Vault,
    /// Where this machine keeps what belongs to them.
    pub homes: Homes,
    pub settings: Settings,
    /// How notes are indexed, as the settings say.
    pub index: IndexOptions,
    /// What this run wrote.
    pub written: RefCell<Written>,
    embedder: Chosen,
    /// Whether it was said that the use of notes cannot be read.
    has_warned_of_uses: Rc<Cell<bool>>,
}

/// What one run wrote.
#[derive(Debug, Default)]
pub struct Written {
    /// The runs, by which it is undone, in order.
    pub runs: Vec<RunId>,
    /// The notes, as they were afterwards.
    pub notes: HashMap<VaultPath, Stat>,
}

impl Environment {
    /// Finds the vault and reads its settings.
    pub fn open(&self) -> Result<Session, Error> {
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
            .hint("run the command again: it builds the index anew");
        // Without it such a fault ends the process without a word.
        let words = self.output.failure(&fault) + "\n";
        let _ = faults::watch(&homes.cache, move || output::say_at_once(&words));
        let variable = |name: &str| std::env::var(name).ok();
        let embedder =
            Chosen::of(&settings.of(), &self.failures(), variable).unwrap_or_else(|error| {
                let why = error.message();
                self.output.warn(&format!("semantic search is off: {why}"));
                Chosen::Off
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
    /// Prints a reply in the form of the output, and returns its exit status.
    pub fn print(&self, reply: &impl Reply) -> Result<Exit, Error> {
        self.env.print(&self.settings, reply)
    }

    /// What makes vectors here, unless nothing should.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.embedder.embedder()
    }

    /// What an index pass works with in the background.
    fn quiet_source(&self) -> Source<'_> {
        Source::quiet(&self.vault, self.embedder())
    }

    /// What an index pass works with.
    fn source<'p>(&'p self, progress: sync::Progress<'p>) -> Source<'p> {
        Source {
            vault: &self.vault,
            embedder: self.embedder(),
            progress,
        }
    }

    /// The folder that keeps what each device's jobs did last.
    pub fn state_folder(&self) -> PathBuf {
        self.vault.own_path(STATE)
    }

    /// Returns a folder of mem's own in the vault, made if missing; a link on the way is refused,
    /// because the vault may be a stranger's.
    pub fn own_folder(&self, name: &str) -> Result<PathBuf, Error> {
        let folder = self.vault.own_folder(name);
        folder
            .and_then(|folder| self.vault.tend_ignored().map(|()| folder))
            .map_err(|error| Error::io("use", &self.vault.own_path(name), &error))
    }

    /// Returns the folder of this device in the journal, made if missing.
    pub fn journal_folder(&self) -> Result<PathBuf, Error> {
        self.own_folder(&format!("{JOURNAL}/{}", self.env.device()?.name()))
    }

    /// Lets `write` add to the journal of this device.
    pub fn write_journal(&self, write: impl FnOnce(&Path) -> io::Result<()>) -> Result<(), Error> {
        let folder = self.journal_folder()?;
        write(&folder).map_err(|error| Error::io("write to", &folder, &error))
    }

    /// Leaves out of the journal of this device what does not hold any more, if it has one.
    pub fn tidy_journal(&self) -> Result<(), Error> {
        let journal = self.vault.own_path(JOURNAL);
        let folder = journal.join(self.env.device()?.name());
        let tidied = if_found(check::tidy(&folder)).map(drop);
        tidied.map_err(|error| Error::io("write to", &folder, &error))
    }

    /// Everything that was answered so far.
    pub fn answers(&self) -> Result<Answers, Error> {
        self.read_journal(decisions::load)
    }

    /// Returns what `read` finds in the journal of all devices.
    pub fn read_journal<T>(&self, read: impl FnOnce(&Path) -> io::Result<T>) -> Result<T, Error> {
        let journal = self.vault.own_path(JOURNAL);
        read(&journal).map_err(|error| Error::io("read", &journal, &error))
    }
}

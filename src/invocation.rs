//! What one run knows: where it is, what time it is, how it was called. Read once, passed down.

mod vectors;
pub mod watched;

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use etcetera::BaseStrategy as _;
use jiff::{Timestamp, Zoned, tz::TimeZone};

use crate::cache::catalog::cannot_write;
use crate::cache::freshness::{self, Freshness};
use crate::cache::sync::{self, Source, SyncReport};
use crate::cache::{self, Cache, CacheError, Rebuild};
use crate::change::RunInfo;
use crate::change::run_id::RunId;
use crate::change::stop::Stop;
use crate::commands::embedder::{Chosen, Failures};
use crate::config::{Loaded, Settings};
use crate::embed::Embedder;
use crate::error::Error;
use crate::finding::question::Answers;
use crate::journal::decisions;
use crate::journal::device::Device;
use crate::note::path::VaultPath;
use crate::output::progress::Progress;
use crate::output::{Output, count};
use crate::run::busy::Watchful;
use crate::run::record::Record;
use crate::run::state::State;
use crate::run::watch::heartbeat;
use crate::vault::editors::Editors;
use crate::vault::lock::{Holder, LockError};
use crate::vault::{Homes, Stat, Vault};
use crate::view::View;

/// One run of the program.
#[derive(Debug)]
pub struct Invocation {
    /// Where words and data go.
    pub output: Output,
    /// The moment of the run, in the user's zone.
    pub now: Zoned,
    /// When the run began, by a clock that nobody puts back.
    pub started: Instant,
    /// What chance is made of.
    pub seed: u64,
    /// The folder to look for a vault in.
    pub start: PathBuf,
    /// Whether to answer from the index as it is.
    pub no_sync: bool,
    /// Who may want the run to end early.
    pub stop: Stop,
    /// How the program was called, for the record.
    pub command: String,
    places: Places,
}

/// The folders of the user's account.
#[derive(Debug)]
struct Places {
    cache: PathBuf,
    state: PathBuf,
    config: PathBuf,
    /// Where vims keep their swap files, if not beside the file: neovim's own folder, now and before
    /// 0.8, and the one that people most often choose.
    swaps: Vec<PathBuf>,
}

/// A vault with its settings, ready for work.
#[derive(Debug)]
pub struct Workplace {
    /// The notes.
    pub vault: Vault,
    /// Where this machine keeps what belongs to them.
    pub homes: Homes,
    /// The settings.
    pub settings: Settings,
    /// What this run wrote.
    pub written: RefCell<Written>,
    embedder: Chosen,
}

/// What one run wrote.
#[derive(Debug, Default)]
pub struct Written {
    /// The runs, by which it is undone, in order.
    pub runs: Vec<RunId>,
    /// The notes, as they were afterwards.
    pub notes: HashMap<VaultPath, Stat>,
}

impl Workplace {
    /// What makes vectors here, unless nothing should.
    #[must_use]
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.embedder.embedder()
    }

    /// What an index pass works with that nobody waits for.
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
    #[must_use]
    pub fn state_folder(&self) -> PathBuf {
        self.vault.root().join(".mem/state")
    }

    /// Returns a folder of mem's own in the vault, made if missing; a link on the way is refused,
    /// because the vault may be a stranger's.
    pub fn own_folder(&self, name: &str) -> Result<PathBuf, Error> {
        self.vault
            .own_folder(name)
            .map_err(|error| Error::io("use", &self.vault.root().join(".mem").join(name), &error))
    }
}

/// The settings file of a vault.
#[must_use]
pub fn settings_file(vault: &Vault) -> PathBuf {
    vault.root().join(".mem/config.toml")
}

/// How often caches that turn out damaged, or are deleted while they are used, are built again.
const PERSISTENCE: usize = 5;

/// How long to wait for another writer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Reads the clock, in the user's zone, and what chance is made of.
fn clock_and_seed() -> Result<(Zoned, u64), Error> {
    let now = match std::env::var("MEM_NOW") {
        Ok(text) => text.parse::<Timestamp>().map_err(|error| {
            Error::new(format!("`MEM_NOW` is `{text}`, which is no time"))
                .caused_by(&error)
                .hint("write it like 2026-01-31T12:00:00Z")
        })?,
        Err(_) => Timestamp::now(),
    };
    let seed = match std::env::var("MEM_SEED") {
        Ok(text) => text
            .parse()
            .map_err(|_| Error::new(format!("`MEM_SEED` is `{text}`, which is no whole number")))?,
        Err(_) => now.as_nanosecond() as u64 ^ u64::from(std::process::id()).rotate_left(40),
    };
    Ok((now.to_zoned(TimeZone::system()), seed))
}

impl Invocation {
    /// Reads clock, seed and environment.
    pub fn new(
        output: Output,
        start: Option<PathBuf>,
        no_sync: bool,
        command: String,
    ) -> Result<Self, Error> {
        let (now, seed) = clock_and_seed()?;
        let start = match start.filter(|start| !start.as_os_str().is_empty()) {
            Some(start) => start,
            None => std::env::current_dir()
                .map_err(|error| Error::io("find", Path::new("."), &error))?,
        };
        let base = etcetera::base_strategy::Xdg::new()
            .map_err(|error| Error::new("cannot find your home folder").caused_by(&error))?;
        let places = Places {
            cache: base.cache_dir(),
            state: base.state_dir().unwrap_or_else(|| base.data_dir()),
            config: base.config_dir().join("mem"),
            swaps: [base.state_dir(), Some(base.data_dir())]
                .into_iter()
                .flatten()
                .map(|folder| folder.join("nvim/swap"))
                .chain([base.home_dir().join(".vim/swap")])
                .collect(),
        };
        Ok(Self {
            output,
            now,
            started: Instant::now(),
            seed,
            start,
            no_sync,
            stop: Stop::default(),
            command,
            places,
        })
    }

    /// Reads clock and seed again, for a run that goes on for days.
    pub fn tick(&mut self) -> Result<(), Error> {
        (self.now, self.seed) = clock_and_seed()?;
        Ok(())
    }

    /// Finds the vault and reads its settings.
    pub fn workplace(&self) -> Result<Workplace, Error> {
        let vault = Vault::find(&self.start)?;
        let Loaded {
            settings, problems, ..
        } = self.settings(Some(&vault));
        for problem in problems {
            self.output.warn(&problem.to_string());
        }
        let mut homes = Homes::of(&vault, &self.places.state, &self.places.cache);
        if settings.cache_inside {
            let claimed = cache::inside::claim(&vault, &homes, &self.holder(), self.seed);
            homes.cache = claimed.map_err(|error| match error {
                CacheError::Io { path, source } => Error::io("use", &path, &source),
                error => error.into(),
            })?;
        }
        let variable = |name: &str| std::env::var(name).ok();
        let embedder =
            Chosen::of(&settings.embedding, &self.failures(), variable).unwrap_or_else(|error| {
                let why = error.message();
                self.output
                    .warn(&format!("searching by words alone: {why}"));
                Chosen::Off
            });
        Ok(Workplace {
            vault,
            homes,
            settings,
            written: RefCell::default(),
            embedder,
        })
    }

    /// Which endpoint kept a query waiting.
    fn failures(&self) -> Failures {
        Failures {
            file: self.places.state.join("mem/endpoint"),
            now: self.now.timestamp(),
        }
    }

    /// Reads the settings that hold in a vault, or outside of any.
    #[must_use]
    pub fn settings(&self, vault: Option<&Vault>) -> Loaded {
        let vault_file = vault.map(settings_file);
        Loaded::of(&self.user_settings(), vault_file.as_deref(), |name| {
            std::env::var(name).ok()
        })
    }

    /// The user's settings file.
    #[must_use]
    pub fn user_settings(&self) -> PathBuf {
        self.places.config.join("config.toml")
    }

    /// The folder of the settings of all programs of the user.
    #[must_use]
    pub fn config_home(&self) -> PathBuf {
        let home = self.places.config.parent();
        home.unwrap_or(&self.places.config).to_owned()
    }

    /// Opens the caches as they are, building them if there are none that can be used.
    pub fn cache(&self, place: &Workplace) -> Result<Cache, Error> {
        match Cache::open(&place.homes.cache, place.settings.language) {
            Ok(cache) => Ok(cache),
            Err(why) => Ok(self.rebuild(place, &why)?.0),
        }
    }

    /// Opens the caches and brings them to where the vault is, as far as a quick look can tell; a watch
    /// that says that they are there spares the look.
    pub fn fresh_cache(&self, place: &Workplace) -> Result<Cache, Error> {
        // Asked before the caches are opened: what is in them then is what the answer is about.
        let Homes { state, cache } = &place.homes;
        let is_current = !self.no_sync && heartbeat::is_current(state, cache, SystemTime::now());
        let cache = self.cache(place)?;
        if self.no_sync || is_current {
            return Ok(cache);
        }
        match freshness::look(&place.vault, &cache.read()?, &[])? {
            Freshness::Fresh => Ok(cache),
            Freshness::Few(_) | Freshness::Many => Ok(self.catch_up(place, cache, &[])?.0),
        }
    }

    /// Takes in what changed since, `paths` among it, having seen that something did.
    fn catch_up(
        &self,
        place: &Workplace,
        cache: Cache,
        paths: &[VaultPath],
    ) -> Result<(Cache, SyncReport), Error> {
        let Some(_lock) = self.lock_unless_read_only(place)? else {
            return Ok((cache, SyncReport::default()));
        };
        // Whoever held the lock may have done it, or put another cache in the place of this one.
        let mut cache = self.reopened(place, cache)?;
        let reading = cache.read()?;
        let report = match freshness::look(&place.vault, &reading, paths)? {
            Freshness::Fresh => SyncReport::default(),
            Freshness::Few(changes) => {
                freshness::take_in(place.quiet_source(), &mut cache, &reading, changes)?
            }
            Freshness::Many => {
                let progress = Progress::new(&self.output, "indexing");
                let at = |done, all| progress.at(done, all);
                let report = sync::whole(place.source(&at), &mut cache)?;
                cache.passed(self.now.timestamp());
                drop(progress);
                let changed = report.changes();
                if changed > freshness::ON_THE_SPOT {
                    self.output
                        .say(&format!("indexed {}", count(changed, "changed note")));
                }
                report
            }
        };
        Ok((cache, report))
    }

    /// Takes in these notes, which the run saw or made change.
    pub fn take_in(
        &self,
        place: &Workplace,
        cache: Cache,
        paths: &[VaultPath],
    ) -> Result<Cache, Error> {
        Ok(self.catch_up(place, cache, paths)?.0)
    }

    /// As [`Self::take_in`], with what changed in the index.
    pub fn take_in_reporting(
        &self,
        place: &Workplace,
        cache: Cache,
        paths: &[VaultPath],
    ) -> Result<(Cache, SyncReport), Error> {
        let (cache, mut report) = self.catch_up(place, cache, paths)?;
        let meta = cache.read()?.meta()?;
        report.notes = meta.notes as usize;
        report.problems = meta.problems;
        Ok((cache, report))
    }

    /// What a run that changes notes has to know.
    #[must_use]
    pub fn run_info(&self) -> RunInfo {
        RunInfo {
            at: self.now.timestamp(),
            seed: self.seed,
            command: format!("mem {}", self.command),
            patience: PATIENCE,
            stop: self.stop.clone(),
        }
    }

    /// What tells which notes somebody is at work on; `idle` is how long ago a note has to be saved.
    #[must_use]
    pub fn watchful<'p>(&self, place: &'p Workplace, idle: Duration) -> Watchful<'p> {
        let now = self.now.timestamp();
        Watchful {
            vault: &place.vault,
            editors: Editors::new(now, self.places.swaps.clone()),
            now,
            idle,
            written: place.written.borrow().notes.clone(),
        }
    }

    /// Who is at work, for whoever has to wait.
    #[must_use]
    pub fn holder(&self) -> Holder {
        Holder {
            pid: std::process::id(),
            command: format!("mem {}", self.command),
            since: self.now.timestamp().to_string(),
        }
    }

    /// The name of this machine in the journal.
    pub fn device(&self) -> Result<Device, Error> {
        let folder = self.places.state.join("mem");
        Device::of(&folder, self.seed).map_err(|error| Error::io("use", &folder, &error))
    }

    /// Everything that was answered so far.
    pub fn answers(&self, place: &Workplace) -> Result<Answers, Error> {
        let journal = place.vault.root().join(".mem/journal");
        decisions::load(&journal).map_err(|error| Error::io("read", &journal, &error))
    }

    /// Returns what is recorded of the jobs on this machine, to be changed.
    pub fn record(&self, place: &Workplace) -> Result<Record, Error> {
        Ok(Record {
            folder: place.own_folder("state")?,
            device: self.device()?,
            lock: place.homes.state.join("record"),
            holder: self.holder(),
        })
    }

    /// Changes what is recorded of the jobs. A vault that cannot be written to loses only this.
    pub fn keep_record(&self, place: &Workplace, change: impl FnOnce(&mut State)) {
        let kept = self
            .record(place)
            .and_then(|record| Ok(record.change(change)?));
        if let Err(error) = kept {
            self.output.warn(&format!(
                "the record of this run was not kept: {}",
                error.message()
            ));
        }
    }

    /// Asks the caches something. If that shows that they are damaged, they are built afresh, with a
    /// line that says so, and asked again.
    pub fn ask<T>(
        &self,
        place: &Workplace,
        cache: Cache,
        question: impl Fn(&Cache) -> Result<T, CacheError>,
    ) -> Result<(T, Cache), Error> {
        let mut cache = cache;
        for _ in 0..PERSISTENCE {
            let error = match question(&cache) {
                Err(error) if error.is_damage() => error,
                answer => return Ok((answer?, cache)),
            };
            if let CacheError::Vectors(_) = &error {
                cache = self.mended(place, cache)?;
                continue;
            }
            let damaged = cache.folder().to_owned();
            drop(cache);
            let why = if damaged.exists() {
                let _lock = cache::lock(&place.homes.cache, &self.holder())?;
                cache::discard(&place.homes.cache, &damaged);
                Rebuild::Damaged(error.to_string())
            } else {
                Rebuild::Missing
            };
            cache = self.rebuild(place, &why)?.0;
        }
        Ok((question(&cache)?, cache))
    }

    /// The whole index pass.
    pub fn index(&self, place: &Workplace) -> Result<(Cache, SyncReport), Error> {
        let lock = cache::lock(&place.homes.cache, &self.holder())?;
        match Cache::open_locked(&place.homes.cache, place.settings.language) {
            Ok(mut cache) => {
                let progress = Progress::new(&self.output, "indexing");
                let at = |done, all| progress.at(done, all);
                let report = sync::whole(place.source(&at), &mut cache)?;
                cache.passed(self.now.timestamp());
                Ok((cache, report))
            }
            Err(why) => {
                drop(lock);
                self.rebuild(place, &why)
            }
        }
    }

    /// Builds the caches afresh, saying why.
    pub fn rebuild(&self, place: &Workplace, why: &Rebuild) -> Result<(Cache, SyncReport), Error> {
        let lock = cache::lock(&place.homes.cache, &self.holder())?;
        // Somebody else may have built it while this run waited for the lock.
        if *why != Rebuild::Wanted
            && let Ok(mut cache) = Cache::open_locked(&place.homes.cache, place.settings.language)
        {
            let report = sync::whole(place.quiet_source(), &mut cache)?;
            return Ok((cache, report));
        }
        let because = match why {
            Rebuild::Missing | Rebuild::Wanted => String::new(),
            Rebuild::Format(found) if *found > cache::catalog::FORMAT => {
                "the index was made by a newer mem; ".to_owned()
            }
            Rebuild::Format(_) => "the index was made by an older mem; ".to_owned(),
            Rebuild::Language(language) => format!("the index was made for {language}; "),
            Rebuild::Damaged(why) => format!("the index could not be used ({why}); "),
            Rebuild::Interrupted => "the last index run was interrupted; ".to_owned(),
        };
        drop(lock);
        let (cache, report) = self.build(place)?;
        if *why != Rebuild::Wanted {
            let notes = count(report.notes, "note");
            self.output.say(&if because.is_empty() {
                format!("indexed {notes}")
            } else {
                format!("{because}indexed {notes} afresh")
            });
        }
        Ok((cache, report))
    }

    /// Builds the caches, again if somebody deletes them meanwhile.
    fn build(&self, place: &Workplace) -> Result<(Cache, SyncReport), CacheError> {
        let progress = Progress::new(&self.output, "indexing");
        let mut patience = PERSISTENCE;
        let at = |done, all| progress.at(done, all);
        loop {
            // The lock may be deleted with all the rest.
            let _lock = cache::lock(&place.homes.cache, &self.holder())?;
            let built = sync::rebuild(
                place.source(&at),
                &place.homes.cache,
                self.seed,
                place.settings.language,
            );
            match built {
                Err(error) if error.is_damage() && patience > 0 => patience -= 1,
                built => {
                    let (cache, report) = built?;
                    cache.passed(self.now.timestamp());
                    return Ok((cache, report));
                }
            }
        }
    }

    /// Returns a view of the vault as the caches know it.
    pub fn view<'p>(&self, place: &'p Workplace, cache: &Cache) -> Result<View<'p>, Error> {
        Ok(View::new(&place.vault, cache.read()?, self.now.clone()))
    }

    /// The right to write the caches; `None` where nothing can be written there.
    fn lock_unless_read_only(
        &self,
        place: &Workplace,
    ) -> Result<Option<crate::vault::lock::Lock>, Error> {
        let (path, source) = match cache::lock(&place.homes.cache, &self.holder()) {
            Ok(lock) => return Ok(Some(lock)),
            Err(
                CacheError::Io { path, source } | CacheError::Lock(LockError::Io { path, source }),
            ) => (path, source),
            Err(error) => return Err(error.into()),
        };
        if !cannot_write(&source) {
            return Err(CacheError::Io { path, source }.into());
        }
        self.output.warn(&format!(
            "answering from an old index: `{}` cannot be written",
            place.homes.cache.display()
        ));
        Ok(None)
    }

    /// The cache in use now, with the lock held; LMDB opens a file only once per process, so the one
    /// at hand is kept while it is still that.
    fn reopened(&self, place: &Workplace, cache: Cache) -> Result<Cache, Error> {
        if cache.is_in_use(&place.homes.cache) {
            return Ok(cache);
        }
        drop(cache);
        match Cache::open_locked(&place.homes.cache, place.settings.language) {
            Ok(cache) => Ok(cache),
            Err(_) => Ok(sync::rebuild(
                place.quiet_source(),
                &place.homes.cache,
                self.seed,
                place.settings.language,
            )?
            .0),
        }
    }
}

//! The environment of a run: clock, random seed, output, and the user's folders. Read once and
//! passed down.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use etcetera::BaseStrategy as _;
use jiff::{Timestamp, Zoned, tz::TimeZone};

use super::embedder::EndpointFailures;
use crate::change::RunInfo;
use crate::change::stop::Stop;
use crate::config::Schema;
use crate::error::{Error, Result};
use crate::journal::Device;
use crate::output::{self, Output};
use crate::vault::Holder;

/// The environment of one run of the program.
#[derive(Clone, Debug)]
pub struct Environment {
    /// The output for messages and data.
    pub output: Output,
    /// The time of the run, in the user's time zone.
    pub now: Zoned,
    /// The start of the run on a monotonic clock.
    pub started: Instant,
    /// The random seed.
    pub seed: u64,
    /// The folder from which to search for a vault.
    pub start: PathBuf,
    /// The folders from which to search for further vaults, which are only read.
    pub further: Vec<PathBuf>,
    /// Whether to use the index without an update.
    pub no_sync: bool,
    /// Whether to print long output without a pager.
    pub no_pager: bool,
    /// Whether the command does not count as a use of notes.
    pub no_touch: bool,
    /// Signals a request to end the run early.
    pub stop: Stop,
    /// The command line, for the record.
    pub command: String,
    pub folders: UserFolders,
    /// The schema of all settings.
    pub schema: &'static Schema,
}

/// The folders of the user's account.
#[derive(Clone, Debug)]
pub struct UserFolders {
    /// The canonical path of the home folder.
    pub home: PathBuf,
    pub cache: PathBuf,
    pub state: PathBuf,
    pub config: PathBuf,
    /// Folders for vim swap files outside the note's folder: those of neovim since and before 0.8,
    /// and the most common custom one.
    pub swaps: Vec<PathBuf>,
}

/// Maximum time to wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the current time in the user's time zone and a random seed.
fn clock_and_seed() -> Result<(Zoned, u64)> {
    let now = match std::env::var("MEM_NOW") {
        Ok(text) => text.parse::<Timestamp>().map_err(|error| {
            Error::new(format!("invalid time in `MEM_NOW`: `{text}`"))
                .caused_by(&error)
                .hint("expected a time like 2026-01-31T12:00:00Z")
        })?,
        Err(_) => Timestamp::now(),
    };
    let seed = match std::env::var("MEM_SEED") {
        Ok(text) => text.parse().map_err(|_| {
            Error::new(format!("invalid integer in `MEM_SEED`: `{text}`"))
                .hint("expected a number like 7, or no `MEM_SEED`")
        })?,
        Err(_) => now.as_nanosecond() as u64 ^ u64::from(std::process::id()).rotate_left(40),
    };
    Ok((now.to_zoned(time_zone()), seed))
}

/// Returns the time zone of the system. `jiff` lists all zones to find one by name; the link to it suffices.
fn time_zone() -> TimeZone {
    let local = Path::new("/etc/localtime");
    let is_default = ["TZ", "TZDIR"]
        .iter()
        .all(|name| std::env::var_os(name).is_none());
    let zone = || {
        let link = std::fs::read_link(local).ok().filter(|_| is_default)?;
        let name = link.to_str()?.rsplit_once("zoneinfo/")?.1;
        TimeZone::tzif(name, &std::fs::read(local).ok()?).ok()
    };
    zone().unwrap_or_else(TimeZone::system)
}

/// Returns the folders in `list`, which are separated as in `PATH`. A folder can have such a sign in its name.
pub fn folders_of(list: &Path) -> Vec<PathBuf> {
    let folders: Vec<PathBuf> = if list.is_dir() {
        vec![list.to_owned()]
    } else {
        std::env::split_paths(list).collect()
    };
    let is_named = |folder: &PathBuf| !folder.as_os_str().is_empty();
    folders.into_iter().filter(is_named).collect()
}

impl Environment {
    /// Reads clock, seed and environment variables.
    pub fn new(
        output: Output,
        start: Option<PathBuf>,
        no_sync: bool,
        command: String,
        schema: &'static Schema,
    ) -> Result<Self> {
        let (now, seed) = clock_and_seed()?;
        let start = match start {
            Some(start) => start,
            None => std::env::current_dir()
                .map_err(|error| Error::io("find", Path::new("."), &error))?,
        };
        let base = etcetera::base_strategy::Xdg::new()
            .map_err(|error| Error::new("cannot find your home directory").caused_by(&error))?;
        let home = base.home_dir();
        let folders = UserFolders {
            home: home.canonicalize().unwrap_or_else(|_| home.to_owned()),
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
            further: Vec::new(),
            no_sync,
            no_pager: false,
            no_touch: std::env::var("MEM_NO_TOUCH")
                .is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")),
            stop: Stop::default(),
            command,
            folders,
            schema,
        })
    }

    /// Returns an environment with all folders below `home` that prints only warnings.
    #[cfg(test)]
    pub(crate) fn of_test(home: &Path, now: Zoned, schema: &'static Schema) -> Self {
        use crate::output::{Color, Form};

        let output = Output::new(Form::Human, true, Color::Never);
        output.mute();
        let folder = |name: &str| home.join(name);
        // A debug build takes seconds for a passage.
        let settings = folder("config").join("config.toml");
        crate::vault::own_files::write_atomically(&settings, b"[embed]\nencoder = \"off\"\n")
            .unwrap();
        Self {
            output,
            now,
            started: Instant::now(),
            seed: 1,
            start: folder("notes"),
            further: Vec::new(),
            no_sync: false,
            no_pager: false,
            no_touch: false,
            stop: Stop::default(),
            command: "sleep".to_owned(),
            folders: UserFolders {
                home: home.to_owned(),
                cache: folder("cache"),
                state: folder("state"),
                config: folder("config"),
                swaps: Vec::new(),
            },
            schema,
        }
    }

    /// Reads clock and seed again, for a process that runs for days.
    pub fn tick(&mut self) -> Result<()> {
        (self.now, self.seed) = clock_and_seed()?;
        Ok(())
    }

    /// Returns the environment for a further vault, in which nothing counts as a use.
    pub(crate) fn of_further(&self, start: &Path) -> Self {
        Self {
            start: start.to_owned(),
            further: Vec::new(),
            no_touch: true,
            ..self.clone()
        }
    }

    /// Returns the record of embedding endpoints that timed out.
    pub(super) fn failures(&self) -> EndpointFailures {
        EndpointFailures {
            file: self.folders.state.join("mem/endpoint"),
            now: self.now.timestamp(),
        }
    }

    /// Returns the folder with the settings of all of the user's programs.
    pub fn config_home(&self) -> PathBuf {
        let home = self.folders.config.parent();
        home.unwrap_or(&self.folders.config).to_owned()
    }

    /// Returns the inputs of a run that changes notes.
    pub fn run_info(&self) -> RunInfo {
        RunInfo {
            at: self.now.timestamp(),
            began: Instant::now(),
            processed: None,
            seed: self.seed,
            command: format!("mem {}", self.command),
            patience: LOCK_TIMEOUT,
            stop: self.stop.clone(),
        }
    }

    /// Formats a time for a person: in the user's time zone, to the minute.
    pub fn local_time(&self, at: Timestamp) -> String {
        output::format_time(at, &self.now, output::MINUTE_FORMAT)
    }

    /// Returns this process as a lock holder, for messages to waiting processes.
    pub fn holder(&self) -> Holder {
        Holder::new(format!("mem {}", self.command), self.now.timestamp())
    }

    /// Returns the name of this machine in the journal.
    pub fn device(&self) -> Result<Device> {
        let folder = self.folders.state.join("mem");
        Device::of(&folder, self.seed).map_err(|error| Error::io("use", &folder, &error))
    }
}

//! `mem sleep --install` and `--uninstall`: an hourly timer.
//!
//! [`adapters`](crate::run::adapters) makes the text and passes it to `crontab` or `systemctl`;
//! this module shows it and asks for confirmation.

use crate::commands::prelude::*;
use crate::embed::{self, Provider};
use crate::output::reply::print;
use crate::run::adapters::cron;
use crate::run::adapters::systemd::Units;
use crate::run::adapters::timer::SleepTimer;

/// Environment variables that determine the folders of lock, history, index and settings.
const FOLDER_VARIABLES: [&str; 3] = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/// Flags of a single sleep; the timer uses settings instead.
const SLEEP_FLAGS: [&str; 11] = [
    "all", "only", "skip", "apply", "max_time", "wait", "check", "verbose", "report", "idle",
    "commit",
];

#[derive(Debug, clap::Args)]
pub(super) struct InstallArgs {
    /// Schedule an hourly sleep; shows what it adds and asks first
    #[arg(long, value_name = "WHERE", group = "timer", conflicts_with_all = SLEEP_FLAGS)]
    install: Option<InstallTarget>,
    /// Remove what `--install` added
    #[arg(long, value_name = "WHERE", group = "timer", conflicts_with_all = SLEEP_FLAGS)]
    uninstall: Option<UninstallTarget>,
    /// Install or uninstall without confirmation
    #[arg(short, long, requires = "timer")]
    yes: bool,
}

/// The hint if the vault of a timer does not exist.
pub(super) const MISSING_VAULT_HINT: &str = "is the disk mounted? if the vault was removed, `crontab -e` or `systemctl --user list-timers 'mem-*'` shows what starts this";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum InstallTarget {
    /// A line in your crontab
    Cron,
    /// A systemd user timer
    Systemd,
    /// Only print the crontab line and the units
    Print,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum UninstallTarget {
    /// From your crontab
    Cron,
    /// The systemd user timer
    Systemd,
}

/// The result for a program; a person has seen the text before.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TimerRecord {
    /// `cron` or `systemd`; null if only printed.
    place: Option<&'static str>,
    /// Whether anything was added or removed.
    changed: bool,
    /// The text that was added, removed or printed.
    text: String,
}

impl Reply for TimerRecord {
    fn show(&self, page: &Page<'_>) {
        if self.place.is_none() {
            show(page, &self.text);
        }
    }
}

type Make<'a> = Box<dyn FnOnce() -> Result<()> + 'a>;

/// A change of a timer, with its prompt and messages.
struct Change<'a> {
    place: &'static str,
    text: String,
    what: &'static str,
    done: &'static str,
    hints: &'static [&'static str],
    /// Applies the change; or the reason why there is none.
    make: Result<Make<'a>, &'static str>,
}

/// Installs or uninstalls the timer; `None` if neither was requested.
pub(super) fn run(env: &Environment, args: &InstallArgs, dry_run: bool) -> Result<Option<Exit>> {
    if args.install.is_none() && args.uninstall.is_none() {
        return Ok(None);
    }
    let session = env.open()?;
    let timer = timer(&session)?;
    let units = timer.units();
    let folder = env.config_home().join("systemd/user");
    let change = match (args.install, args.uninstall) {
        (Some(InstallTarget::Cron), _) => install_in_crontab(&timer)?,
        (Some(InstallTarget::Systemd), _) => install_units(&units, &folder),
        (None, Some(UninstallTarget::Cron)) => uninstall_from_crontab(&timer)?,
        (None, Some(UninstallTarget::Systemd)) => uninstall_units(&units, &folder),
        (Some(InstallTarget::Print), _) | (None, None) => {
            let text = format!("{}\n{}", timer.block()?, units.text(&folder));
            return print_record(env, None, false, text);
        }
    };
    if args.install.is_some() {
        warn_of_environment(&session, change.place);
    }
    let (place, text) = (Some(change.place), change.text.clone());
    let changed = change.make(env, args.yes, dry_run)?;
    print_record(env, place, changed, text)
}

fn print_record(
    env: &Environment,
    place: Option<&'static str>,
    changed: bool,
    text: String,
) -> Result<Option<Exit>> {
    let record = TimerRecord {
        place,
        changed,
        text,
    };
    let page = Page::new(&env.output, &env.now);
    print(&page, &record, Reply::show).map(Some)
}

/// Returns the timer for the current program, vault and folders.
fn timer(session: &Session) -> Result<SleepTimer> {
    let vault = text(session.vault.root())?;
    let homes = FOLDER_VARIABLES.into_iter().filter_map(|name| {
        let value = std::env::var(name).ok()?;
        // Relative paths are invalid and ignored, as the XDG specification requires.
        Path::new(&value).is_absolute().then_some((name, value))
    });
    SleepTimer::new(&program()?, &vault, &session.vault.key(), homes.collect())
}

/// Returns the path of this program: the one in `PATH` if that is a link to it.
///
/// The target of such a link may be another file after an update.
pub(crate) fn program() -> Result<String> {
    let program = std::env::current_exe()
        .map_err(|error| Error::new("cannot locate the mem executable").caused_by(&error))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("mem"))
        .find(|named| named.canonicalize().is_ok_and(|found| found == program));
    text(&named.unwrap_or(program))
}

/// Returns a path as text for a command line.
pub(crate) fn text(path: &Path) -> Result<String> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| Error::new(format!("`{}` is not UTF-8 text", path.display())))
}

/// Shows a text to a person.
fn show(output: &Output, text: &str) {
    if output.form == Form::Human {
        for line in text.lines() {
            output.line(&output.clean(line));
        }
    }
}

impl Change<'_> {
    /// Shows the text, asks for confirmation and applies the change.
    fn make(self, env: &Environment, yes: bool, dry_run: bool) -> Result<bool> {
        let output = &env.output;
        let make = match self.make {
            Ok(make) => make,
            Err(why) => {
                output.say(why);
                return Ok(false);
            }
        };
        show(output, &self.text);
        output.flush()?;
        if dry_run {
            output.say(&format!("would {}", self.what));
            return Ok(false);
        }
        if !confirmed(env, yes, self.what, None)? {
            output.say("nothing was changed");
            return Ok(false);
        }
        make()?;
        output.say(self.done);
        self.hints.iter().for_each(|hint| output.hint(hint));
        Ok(true)
    }
}

/// Warns about environment variables that the timer will not have.
fn warn_of_environment(session: &Session, scheduler: &str) {
    for setting in session.settings.schema().all() {
        let (key, variable) = (&setting.key, setting.variable());
        if std::env::var_os(&variable).is_some() {
            session.env.output.warn(&format!(
                "`{variable}` is set in this shell but {scheduler} will not see it; make it permanent with `mem config {key} VALUE`"
            ));
        }
    }
    let embedding: embed::EmbedOptions = session.settings.of();
    let key = &embedding.key_env;
    if embedding.provider == Provider::Endpoint && !key.is_empty() {
        session.env.output.warn(&format!(
            "`embed.key_env` names `{key}`, which {scheduler} will not see; new notes are embedded by the next command you run yourself"
        ));
    }
}

fn install_in_crontab(timer: &SleepTimer) -> Result<Change<'_>> {
    let table = cron::read()?;
    let new = timer.installed(&table)?;
    Ok(Change {
        place: "cron",
        text: timer.block()?,
        what: "add this to your crontab",
        done: "added to your crontab",
        hints: &["remove it with `mem sleep --uninstall cron`"],
        make: if new == table {
            Err("already installed in your crontab")
        } else {
            Ok(Box::new(move || cron::write(&new)))
        },
    })
}

fn uninstall_from_crontab(timer: &SleepTimer) -> Result<Change<'_>> {
    let (new, text) = timer.uninstalled(&cron::read()?)?.unzip();
    Ok(Change {
        place: "cron",
        text: text.unwrap_or_default(),
        what: "remove this from your crontab",
        done: "removed from your crontab",
        hints: &[],
        make: match new {
            Some(new) => Ok(Box::new(move || cron::write(&new))),
            None => Err("mem is not installed in your crontab for this vault"),
        },
    })
}

fn install_units<'a>(units: &'a Units, folder: &'a Path) -> Change<'a> {
    Change {
        place: "systemd",
        text: units.text(folder),
        what: "write these units and enable the timer",
        done: "enabled the timer",
        hints: &[
            "`loginctl enable-linger` also runs it while you are logged out",
            "remove it with `mem sleep --uninstall systemd`",
        ],
        make: Ok(Box::new(move || units.install(folder))),
    }
}

fn uninstall_units<'a>(units: &'a Units, folder: &Path) -> Change<'a> {
    let files = units.installed(folder);
    let names = files.iter().map(|file| file.display().to_string());
    Change {
        place: "systemd",
        text: names.collect::<Vec<_>>().join("\n"),
        what: "disable the timer and remove these files",
        done: "removed the timer and its files",
        hints: &[],
        make: if files.is_empty() {
            Err("mem has no systemd timer for this vault")
        } else {
            Ok(Box::new(move || units.uninstall(&files)))
        },
    }
}

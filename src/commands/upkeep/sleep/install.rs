//! `mem sleep --install` and `--uninstall`: what starts it once an hour.
//!
//! The text is made, and handed to `crontab` or `systemctl`, by [`adapters`](crate::run::adapters); here
//! it is shown and asked about.

use crate::commands::args::prompt::confirmed;
use crate::commands::prelude::*;
use crate::embed::{self, Provider};
use crate::run::adapters::cron;
use crate::run::adapters::timer::{SleepTimer, TimerError};

/// What decides where the lock, the history, the index and the settings lie.
const HOMES: [&str; 3] = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/// Flags that say how to sleep: the line is without any, settings are for good.
const OF_A_SLEEP: [&str; 12] = [
    "to", "all", "only", "skip", "apply", "max_time", "wait", "check", "verbose", "report", "idle",
    "commit",
];

#[derive(Debug, clap::Args)]
pub(super) struct InstallArgs {
    /// Schedule an hourly sleep; shows what it adds and asks first
    #[arg(long, value_name = "WHERE", group = "timer", conflicts_with_all = OF_A_SLEEP)]
    install: Option<Target>,
    /// Remove what `--install` added
    #[arg(long, value_name = "WHERE", group = "timer", conflicts_with_all = OF_A_SLEEP)]
    uninstall: Option<Added>,
    /// Install or uninstall without confirmation
    #[arg(short, long, requires = "timer")]
    yes: bool,
}

/// What to do about a sleep that is started where there is no vault any more.
pub(super) const LINE: &str = "is the disk mounted? if the vault was removed, `crontab -e` or `systemctl --user list-timers 'mem-*'` shows what starts this";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Target {
    /// A line in your crontab
    Cron,
    /// A systemd user timer
    Systemd,
    /// Only print the crontab line and the units
    Print,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Added {
    /// From your crontab
    Cron,
    /// The systemd user timer
    Systemd,
}

#[derive(Debug, Serialize)]
struct Record<'r> {
    /// `cron` or `systemd`; nothing if it is only printed.
    place: Option<&'static str>,
    /// Whether anything was added or taken out.
    changed: bool,
    /// What was added, taken out or printed.
    text: &'r str,
}

/// Adds or takes out what starts the sleep; `None` if neither was asked for.
pub(super) fn run(
    env: &Environment,
    args: &InstallArgs,
    dry_run: bool,
) -> Result<Option<Exit>, Error> {
    if args.install.is_none() && args.uninstall.is_none() {
        return Ok(None);
    }
    let session = env.open()?;
    let timer = timer(&session)?;
    let asking = Asking {
        env,
        yes: args.yes,
        dry_run,
    };
    match (args.install, args.uninstall) {
        (Some(Target::Print), _) => print(env, &timer)?,
        (Some(Target::Cron), _) => install_in_crontab(&asking, &session, &timer)?,
        (Some(Target::Systemd), _) => install_units(&asking, &session, &timer)?,
        (None, Some(Added::Cron)) => uninstall_from_crontab(&asking, &timer)?,
        (None, Some(Added::Systemd)) => uninstall_units(&asking, &timer)?,
        (None, None) => {}
    }
    Ok(Some(Exit::Done))
}

/// What is to be started, as it is started now.
fn timer(session: &Session) -> Result<SleepTimer, Error> {
    let text = |path: &Path| {
        let text = path.to_str().map(str::to_owned);
        text.ok_or_else(|| Error::new(format!("`{}` is not UTF-8 text", path.display())))
    };
    let program = text(&program()?)?;
    let vault = text(session.vault.root())?;
    let homes = HOMES.into_iter().filter_map(|name| {
        let value = std::env::var(name).ok()?;
        // Others do not hold.
        Path::new(&value).is_absolute().then_some((name, value))
    });
    SleepTimer::new(&program, &vault, &session.vault.key(), homes.collect())
        .map_err(|error| refused(&error))
}

fn refused(error: &TimerError) -> Error {
    let message = error.to_string();
    match error {
        TimerError::ControlCharacter { .. } => Error::new(message),
        TimerError::TooLong { .. } => Error::new(message).hint("use `--install systemd` instead"),
        TimerError::Torn { .. } => {
            Error::new(message).hint("remove it with `crontab -e`; nothing was changed")
        }
    }
}

/// Returns where this program lies: by the name in `PATH` if that is it, for what lies behind such a
/// name is another file after the next update.
fn program() -> Result<PathBuf, Error> {
    let program = std::env::current_exe()
        .map_err(|error| Error::new("cannot locate the mem executable").caused_by(&error))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("mem"))
        .find(|named| named.canonicalize().is_ok_and(|found| found == program));
    Ok(named.unwrap_or(program))
}

fn print(env: &Environment, timer: &SleepTimer) -> Result<(), Error> {
    let units = timer.units();
    let text = format!(
        "{}\n{}",
        timer.block().map_err(|error| refused(&error))?,
        units.text(&folder_of_units(env))
    );
    report(env, None, false, &text)
}

fn report(
    env: &Environment,
    place: Option<&'static str>,
    changed: bool,
    text: &str,
) -> Result<(), Error> {
    let output = &env.output;
    if output.form == Form::Human {
        show(env, text)
    } else {
        output.record(&Record {
            place,
            changed,
            text,
        })
    }
}

/// Shows a text to a person.
fn show(env: &Environment, text: &str) -> Result<(), Error> {
    let output = &env.output;
    if output.form == Form::Human {
        for line in text.lines() {
            output.line(&output.clean(line))?;
        }
    }
    output.flush()
}

/// Who asks, and whether.
struct Asking<'a> {
    env: &'a Environment,
    yes: bool,
    dry_run: bool,
}

impl Asking<'_> {
    /// Shows a text and asks whether to do `what` with it.
    fn may(&self, what: &str, text: &str) -> Result<bool, Error> {
        let output = &self.env.output;
        show(self.env, text)?;
        if self.dry_run {
            output.say(&format!("would {what}"));
            return Ok(false);
        }
        let may = confirmed(self.env, self.yes, what, None)?;
        if !may {
            output.say("nothing was changed");
        }
        Ok(may)
    }

    /// Tells what was done to a program; a person saw it already.
    fn record(&self, place: &'static str, changed: bool, text: &str) -> Result<(), Error> {
        if self.env.output.form == Form::Human {
            return Ok(());
        }
        report(self.env, Some(place), changed, text)
    }
}

/// Warns of what holds in this shell and will not hold where the sleep is started.
fn warn_of_environment(session: &Session, who: &str) {
    for setting in session.settings.schema().all() {
        let (key, variable) = (&setting.key, setting.variable());
        if std::env::var_os(&variable).is_some() {
            session.env.output.warn(&format!(
                "`{variable}` is set in this shell but {who} will not see it; make it permanent with `mem config {key} VALUE`"
            ));
        }
    }
    let embedding: embed::Options = session.settings.of();
    let key = &embedding.key_env;
    if embedding.provider == Provider::Endpoint && !key.is_empty() {
        session.env.output.warn(&format!(
            "`embed.key_env` names `{key}`, which {who} will not see; new notes are embedded by the next command you run yourself"
        ));
    }
}

fn install_in_crontab(
    asking: &Asking<'_>,
    session: &Session,
    timer: &SleepTimer,
) -> Result<(), Error> {
    let output = &asking.env.output;
    let table = cron::read()?;
    let new = timer.installed(&table).map_err(|error| refused(&error))?;
    let block = timer.block().map_err(|error| refused(&error))?;
    warn_of_environment(session, "cron");
    if new == table {
        output.say("already installed in your crontab");
        return asking.record("cron", false, &block);
    }
    let may = asking.may("add this to your crontab", &block)?;
    if may {
        cron::write(&new)?;
        output.say("added to your crontab");
        output.hint("remove it with `mem sleep --uninstall cron`");
    }
    asking.record("cron", may, &block)
}

fn uninstall_from_crontab(asking: &Asking<'_>, timer: &SleepTimer) -> Result<(), Error> {
    let output = &asking.env.output;
    let table = cron::read()?;
    let Some((new, taken)) = timer.uninstalled(&table).map_err(|error| refused(&error))? else {
        output.say("mem is not installed in your crontab for this vault");
        return asking.record("cron", false, "");
    };
    let may = asking.may("remove this from your crontab", &taken)?;
    if may {
        cron::write(&new)?;
        output.say("removed from your crontab");
    }
    asking.record("cron", may, &taken)
}

fn folder_of_units(env: &Environment) -> PathBuf {
    env.config_home().join("systemd/user")
}

fn install_units(asking: &Asking<'_>, session: &Session, timer: &SleepTimer) -> Result<(), Error> {
    let output = &asking.env.output;
    let folder = folder_of_units(asking.env);
    let units = timer.units();
    let text = units.text(&folder);
    warn_of_environment(session, "systemd");
    let may = asking.may("write these units and enable the timer", &text)?;
    if may {
        units.install(&folder)?;
        output.say("enabled the timer");
        output.hint("`loginctl enable-linger` also runs it while you are logged out");
        output.hint("remove it with `mem sleep --uninstall systemd`");
    }
    asking.record("systemd", may, &text)
}

fn uninstall_units(asking: &Asking<'_>, timer: &SleepTimer) -> Result<(), Error> {
    let output = &asking.env.output;
    let units = timer.units();
    let files = units.installed(&folder_of_units(asking.env));
    if files.is_empty() {
        output.say("mem has no systemd timer for this vault");
        return asking.record("systemd", false, "");
    }
    let names = files.iter().map(|file| file.display().to_string());
    let text = names.collect::<Vec<_>>().join("\n");
    let may = asking.may("disable the timer and remove these files", &text)?;
    if may {
        units.uninstall(&files)?;
        output.say("removed the timer and its files");
    }
    asking.record("systemd", may, &text)
}

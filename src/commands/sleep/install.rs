//! `mem sleep --install` and `--uninstall`: what starts it once an hour.
//!
//! The text is made by [`crate::run::hourly`]; here it is shown, asked about and handed to `crontab` or
//! `systemctl`. A failure says what was done already and what is left to do by hand.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output as Ended, Stdio};

use dialoguer::Confirm;
use serde::Serialize;

use crate::embed::{self, Provider};
use crate::error::{Error, Exit};
use crate::output::Form;
use crate::run::hourly::systemd::Units;
use crate::run::hourly::{Hourly, HourlyError};
use crate::session::{Environment, Session};

/// What decides where the lock, the history, the index and the settings lie.
const HOMES: [&str; 3] = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"];

/// Flags that say how to sleep: the line is without any, settings are for good.
const OF_A_SLEEP: [&str; 11] = [
    "all", "only", "skip", "apply", "max_time", "wait", "check", "verbose", "report", "idle",
    "commit",
];

#[derive(Debug, clap::Args)]
pub(super) struct InstallArgs {
    /// Have it started once an hour: shows what is added where, and asks
    #[arg(long, value_name = "WHERE", group = "timer", conflicts_with_all = OF_A_SLEEP)]
    install: Option<Where>,
    /// Take out what `--install` added
    #[arg(long, value_name = "WHERE", group = "timer", conflicts_with_all = OF_A_SLEEP)]
    uninstall: Option<Added>,
    /// Install or uninstall without asking
    #[arg(short, long, requires = "timer")]
    yes: bool,
}

/// What to do about a sleep that is started where there is no vault any more.
pub(super) const LINE: &str = "is the disk mounted? if this vault is no more, `crontab -e` or \
                               `systemctl --user list-timers 'mem-*'` shows what starts this";

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Where {
    /// A line in your crontab
    Cron,
    /// A timer of your own systemd
    Systemd,
    /// Nowhere: prints the line and the units
    Print,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Added {
    /// From your crontab
    Cron,
    /// From your own systemd
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
    let hourly = hourly(&session)?;
    let asking = Asking {
        env,
        yes: args.yes,
        dry_run,
    };
    match (args.install, args.uninstall) {
        (Some(Where::Print), _) => print(env, &hourly)?,
        (Some(Where::Cron), _) => install_in_crontab(&asking, &session, &hourly)?,
        (Some(Where::Systemd), _) => install_units(&asking, &session, &hourly)?,
        (None, Some(Added::Cron)) => uninstall_from_crontab(&asking, &hourly)?,
        (None, Some(Added::Systemd)) => uninstall_units(&asking, &hourly)?,
        (None, None) => {}
    }
    Ok(Some(Exit::Done))
}

/// What is to be started, as it is started now.
fn hourly(session: &Session) -> Result<Hourly, Error> {
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
    Hourly::new(&program, &vault, &session.vault.key(), homes.collect())
        .map_err(|error| refused(&error))
}

fn refused(error: &HourlyError) -> Error {
    let message = error.to_string();
    match error {
        HourlyError::ControlCharacter { .. } => Error::new(message),
        HourlyError::TooLong { .. } => Error::new(message).hint("`--install systemd` has room"),
        HourlyError::Torn { .. } => {
            Error::new(message).hint("`crontab -e` lets you take it out; nothing was changed")
        }
    }
}

/// Returns where this program lies: by the name in `PATH` if that is it, for what lies behind such a
/// name is another file after the next update.
fn program() -> Result<PathBuf, Error> {
    let program = std::env::current_exe()
        .map_err(|error| Error::new("cannot find out where mem lies").caused_by(&error))?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let named = std::env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("mem"))
        .find(|named| named.canonicalize().is_ok_and(|found| found == program));
    Ok(named.unwrap_or(program))
}

fn print(env: &Environment, hourly: &Hourly) -> Result<(), Error> {
    let units = hourly.units();
    let text = format!(
        "{}\n{}",
        hourly.block().map_err(|error| refused(&error))?,
        both(&units, &folder_of_units(env))
    );
    tell(env, None, false, &text)
}

/// Returns the units, each below its file's name.
fn both(units: &Units, folder: &Path) -> String {
    let Units {
        service_name,
        service,
        timer_name,
        timer,
    } = units;
    let folder = folder.display();
    format!("# {folder}/{service_name}\n{service}\n# {folder}/{timer_name}\n{timer}")
}

fn tell(
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
        if self.yes {
            return Ok(true);
        }
        if !output.stderr_is_terminal || !io::stdin().is_terminal() {
            return Err(Error::new(format!("not done without being asked: {what}"))
                .hint("`--yes` says that it is meant, `--dry-run` only shows it"));
        }
        let asked = Confirm::new()
            .with_prompt(format!("{what}?"))
            .default(true)
            .interact_opt();
        let may = matches!(asked, Ok(Some(true)));
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
        tell(self.env, Some(place), changed, text)
    }
}

/// Warns of what holds in this shell and will not hold where the sleep is started.
fn warn_of_environment(session: &Session, who: &str) {
    for setting in session.settings.schema().iter() {
        let (key, variable) = (&setting.key, setting.variable());
        if std::env::var_os(&variable).is_some() {
            session.env.output.warn(&format!(
                "`{variable}` is set here; {who} does not know it: `mem config {key} VALUE` is for good"
            ));
        }
    }
    let embedding: embed::Options = session.settings.of();
    let key = &embedding.key_env;
    if embedding.provider == Provider::Endpoint && !key.is_empty() {
        session.env.output.warn(&format!(
            "`embed.key_env` names `{key}`, which {who} does not know: new notes get their vectors \
             from the next command that you run yourself"
        ));
    }
}

fn install_in_crontab(
    asking: &Asking<'_>,
    session: &Session,
    hourly: &Hourly,
) -> Result<(), Error> {
    let output = &asking.env.output;
    let table = crontab()?;
    let new = hourly.installed(&table).map_err(|error| refused(&error))?;
    let block = hourly.block().map_err(|error| refused(&error))?;
    warn_of_environment(session, "cron");
    if new == table {
        output.say("your crontab has it already");
        return asking.record("cron", false, &block);
    }
    let may = asking.may("write this into your crontab", &block)?;
    if may {
        write_crontab(&new)?;
        output.say("your crontab has it now");
        output.hint("`mem sleep --uninstall cron` takes it out");
    }
    asking.record("cron", may, &block)
}

fn uninstall_from_crontab(asking: &Asking<'_>, hourly: &Hourly) -> Result<(), Error> {
    let output = &asking.env.output;
    let table = crontab()?;
    let Some((new, taken)) = hourly
        .uninstalled(&table)
        .map_err(|error| refused(&error))?
    else {
        output.say("your crontab has nothing of mem for this vault");
        return asking.record("cron", false, "");
    };
    let may = asking.may("take this out of your crontab", &taken)?;
    if may {
        write_crontab(&new)?;
        output.say("your crontab is without it now");
    }
    asking.record("cron", may, &taken)
}

/// Returns the person's crontab; an empty one if there is none yet.
fn crontab() -> Result<Vec<u8>, Error> {
    let ended = Command::new("crontab")
        .arg("-l")
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| no_crontab(&error))?;
    if ended.status.success() {
        return Ok(ended.stdout);
    }
    let said = String::from_utf8_lossy(&ended.stderr);
    // Only what surely means that there is none: the new one takes the place of all there was.
    let is_none = said.contains("no crontab for") || said.contains("No such file or directory");
    if is_none && ended.stdout.is_empty() {
        return Ok(Vec::new());
    }
    Err(failed("crontab -l", &ended).hint("nothing was changed"))
}

fn no_crontab(error: &io::Error) -> Error {
    Error::new("cannot run `crontab`; nothing was changed")
        .caused_by(error)
        .hint("`mem sleep --install systemd` needs no cron; `--install print` shows both")
}

/// Hands a whole new table to cron.
fn write_crontab(table: &[u8]) -> Result<(), Error> {
    let mut child = Command::new("crontab")
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| no_crontab(&error))?;
    let written = match child.stdin.take() {
        Some(mut stdin) => stdin.write_all(table),
        None => Ok(()),
    };
    let ended = child
        .wait_with_output()
        .map_err(|error| no_crontab(&error))?;
    let by_hand = "the crontab is as it was; `mem sleep --install print` shows the lines for \
                   `crontab -e`";
    if !ended.status.success() {
        return Err(failed("crontab -", &ended).hint(by_hand));
    }
    written.map_err(|error| {
        Error::new("`crontab -` did not read the whole table")
            .caused_by(&error)
            .hint("look at it with `crontab -l`")
    })
}

/// Returns a failure in the words of the program that failed.
fn failed(command: &str, ended: &Ended) -> Error {
    let said = [&ended.stderr, &ended.stdout].map(|said| String::from_utf8_lossy(said));
    let said: Vec<&str> = said.iter().flat_map(|said| said.lines()).collect();
    let said = said.join("; ");
    Error::new(format!(
        "`{command}` failed ({}){}{said}",
        ended.status,
        if said.is_empty() { "" } else { ": " }
    ))
}

fn folder_of_units(env: &Environment) -> PathBuf {
    env.config_home().join("systemd/user")
}

fn install_units(asking: &Asking<'_>, session: &Session, hourly: &Hourly) -> Result<(), Error> {
    let output = &asking.env.output;
    let folder = folder_of_units(asking.env);
    let units = hourly.units();
    let text = both(&units, &folder);
    warn_of_environment(session, "systemd");
    let may = asking.may("write these units and enable the timer", &text)?;
    if may {
        fs::create_dir_all(&folder).map_err(|error| Error::io("make", &folder, &error))?;
        for (name, text) in [
            (&units.service_name, &units.service),
            (&units.timer_name, &units.timer),
        ] {
            let file = folder.join(name);
            fs::write(&file, text).map_err(|error| Error::io("write", &file, &error))?;
        }
        let timer = &units.timer_name;
        for arguments in [&["daemon-reload"][..], &["enable", "--now", timer]] {
            systemctl(arguments).map_err(|error| {
                error
                    .hint(format!(
                        "the units are written to `{}`, the timer does not run yet",
                        folder.display()
                    ))
                    .hint(format!(
                        "by hand: `systemctl --user daemon-reload && systemctl --user enable --now {timer}`"
                    ))
            })?;
        }
        output.say("the timer runs now");
        output.hint("`loginctl enable-linger` lets it run while you are logged out, too");
        output.hint("`mem sleep --uninstall systemd` takes it out");
    }
    asking.record("systemd", may, &text)
}

fn uninstall_units(asking: &Asking<'_>, hourly: &Hourly) -> Result<(), Error> {
    let output = &asking.env.output;
    let folder = folder_of_units(asking.env);
    let units = hourly.units();
    let timer = &units.timer_name;
    let files = [timer, &units.service_name].map(|name| folder.join(name));
    let files: Vec<&PathBuf> = files.iter().filter(|file| is_there(file)).collect();
    if files.is_empty() {
        output.say("systemd has nothing of mem for this vault");
        return asking.record("systemd", false, "");
    }
    let names: Vec<String> = files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let text = names.join("\n");
    let may = asking.may("disable the timer and remove these files", &text)?;
    if may {
        systemctl(&["disable", "--now", timer]).map_err(|error| {
            error.hint("nothing was removed").hint(format!(
                "by hand: `systemctl --user disable --now {timer}`, then remove the files"
            ))
        })?;
        for file in files {
            fs::remove_file(file).map_err(|error| Error::io("remove", file, &error))?;
        }
        systemctl(&["daemon-reload"]).map_err(|error| {
            error
                .hint("the timer is disabled and its files are removed")
                .hint("by hand: `systemctl --user daemon-reload`")
        })?;
        output.say("the timer and its files are gone");
    }
    asking.record("systemd", may, &text)
}

fn is_there(file: &Path) -> bool {
    file.symlink_metadata().is_ok()
}

fn systemctl(arguments: &[&str]) -> Result<(), Error> {
    let command = format!("systemctl --user {}", arguments.join(" "));
    let ended = Command::new("systemctl")
        .arg("--user")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::new(format!("cannot run `{command}`")).caused_by(&error))?;
    if ended.status.success() {
        Ok(())
    } else {
        Err(failed(&command, &ended))
    }
}

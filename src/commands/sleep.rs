//! `mem sleep`

mod install;
mod tell;

use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::SignedDuration;

use super::choice::choice;
use crate::error::{Error, Exit};
use crate::output::{Form, count};
use crate::run::options::{Apply, Commit};
use crate::run::record::Record;
use crate::run::signals::exit_on_signal;
use crate::run::sleep::{self, SleepRequest, Slept, sleep};
use crate::run::state::State;
use crate::run::step::Step;
use crate::run::{commit, report::SleepReport};
use crate::session::{Environment, Session};
use crate::vault::lock::{Holder, Lock, LockError};

/// Do the maintenance that is due: index, then dedupe, conflicts and link
///
/// Made for cron: `mem sleep --install cron` or a line like `17 * * * * mem -C ~/notes sleep`. Each job
/// has an interval of its own (`mem config dedupe.every`), so a sleep with nothing due costs nothing;
/// what was missed is run once, and a job that failed is tried again after a pause. Where nobody watches
/// nothing is said unless something failed.
///
/// What is certain and touches only notes that mem or an agent wrote is done; everything else waits for
/// `mem review`. `--dry-run` shows every change and its reason first; `mem undo` takes a run back,
/// `mem sleep --report` tells later what was done.
///
/// Ends with 1 if another sleep is at work, or if `--check` finds open questions, and with 2 if a job
/// failed; the other jobs are run nevertheless.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Args {
    /// Show what would change, and change nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    /// Run all jobs, due or not
    #[arg(short, long)]
    all: bool,
    /// Of the jobs, consider only these
    #[arg(long, value_name = "JOB,...", value_delimiter = ',', value_parser = steps())]
    only: Vec<Step>,
    /// Leave these jobs out
    #[arg(long, value_name = "JOB,...", value_delimiter = ',', value_parser = steps())]
    skip: Vec<Step>,
    /// Which certain changes to make without asking [default: the setting `sleep.apply`]
    #[arg(long, value_name = "WHICH", value_parser = super::maintenance::apply())]
    apply: Option<Apply>,
    /// Begin no further job or change after this time, like 10m or 90s
    #[arg(long, value_name = "TIME", value_parser = time)]
    max_time: Option<Duration>,
    /// Wait if another sleep is at work, instead of leaving the work to it
    #[arg(long)]
    wait: bool,
    /// Say so, and end with 1, if questions wait for an answer
    #[arg(long)]
    check: bool,
    /// Say what each job does as it begins and ends, also where nobody watches
    #[arg(short, long)]
    verbose: bool,
    /// Only show what an earlier sleep did: the latest, or the one so many back
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "1",
        conflicts_with_all = ["dry_run", "all", "only", "skip", "apply", "max_time", "wait", "check", "verbose"]
    )]
    report: Option<usize>,
    /// Leave notes alone that were saved within this time, like 10m [default: the setting `sleep.idle`]
    #[arg(long, value_name = "TIME", value_parser = time)]
    idle: Option<Duration>,
    /// Commit what was changed, if the vault lies in a git work tree; `clean` changes nothing at all
    /// while notes hold uncommitted changes [default: the setting `sleep.commit`]
    #[arg(
        long,
        value_name = "WHEN",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "always",
        value_parser = when()
    )]
    commit: Option<Commit>,
    #[command(flatten)]
    install: install::InstallArgs,
}

/// Reads `--commit`.
fn when() -> impl TypedValueParser<Value = Commit> {
    choice([
        ("never", "Never"),
        (
            "always",
            "Always: all that was changed, except notes that held uncommitted changes before",
        ),
        (
            "clean",
            "Always, and nothing is changed while a note holds uncommitted changes",
        ),
    ])
}

/// Reads the name of what a sleep runs.
fn steps() -> impl TypedValueParser<Value = Step> {
    PossibleValuesParser::new(Step::all().map(Step::name))
        .map(|name| Step::named(&name).expect("clap lets only these names pass"))
}

/// Reads a time like `90s` or `1h 30m`.
fn time(text: &str) -> Result<Duration, String> {
    let time: SignedDuration = text
        .parse()
        .map_err(|_| "write it like 10m, 90s or 1h 30m".to_owned())?;
    Duration::try_from(time).map_err(|_| "it lies in the past".to_owned())
}

/// What a person who stops a sleep is told.
const STOPPED: &str = "stopped; what was done is kept, the next sleep does the rest";

impl Args {
    fn request(&self) -> SleepRequest {
        SleepRequest {
            dry_run: self.dry_run,
            all: self.all,
            only: self.only.clone(),
            skip: self.skip.clone(),
            apply: self.apply,
            idle: self.idle,
            commit: self.commit,
        }
    }
}

/// Runs what is due.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    if let Some(exit) = install::run(env, &args.install, args.dry_run)? {
        return Ok(exit);
    }
    if let Some(number) = args.report {
        return tell::stored(env, number);
    }
    let output = &env.output;
    let is_hushed =
        output.form == Form::Human && !args.verbose && !args.dry_run && !output.is_watched();
    if is_hushed {
        output.hush();
    }
    let opened = env.open();
    let session = opened.map_err(|error| match is_hushed {
        true => error.hint(install::LINE),
        false => error,
    })?;
    let Some(_lock) = lock(&session, args)? else {
        return Ok(Exit::Nothing);
    };
    if let Some(deadline) = args.max_time.and_then(|time| env.started.checked_add(time)) {
        env.stop.set_deadline(deadline);
    }
    if !args.dry_run {
        listen(&session, is_hushed)?;
    }
    let Slept {
        report,
        errors,
        committed,
    } = run_jobs(&session, args)?;
    tell(env, &report, is_hushed)?;
    let committed = committed.map(|committed| tell::committed(output, &committed));
    fail(&session, errors, committed)?;
    check(&session, args)
}

/// Takes the right to sleep, unless nothing will be changed; `None` if another sleep has it.
fn lock(session: &Session, args: &Args) -> Result<Option<Option<Lock>>, Error> {
    if args.dry_run {
        return Ok(Some(None));
    }
    let holder = match sleep::lock(session, args.wait) {
        Err(LockError::Held { holder }) => holder,
        lock => return Ok(Some(Some(lock?))),
    };
    let describe = |holder: Holder| {
        let Holder {
            pid,
            command,
            since,
        } = holder;
        format!(": `{command}`, process {pid}, since {since}")
    };
    session.env.output.warn(&format!(
        "another sleep is at work in `{}`{}; `--wait` waits for it",
        session.vault.root().display(),
        holder.map_or_else(String::new, describe)
    ));
    Ok(None)
}

/// Ends the process between two groups if a signal asks for it, with a word in the record.
fn listen(session: &Session, is_hushed: bool) -> Result<(), Error> {
    let record = Record::of(session).ok();
    let (pid, now) = (std::process::id(), session.env.now.timestamp());
    let is_watched = !is_hushed && !session.env.output.quiet;
    let last = move || {
        if let Some(record) = &record {
            let _ = record.change(|state| state.stop_all(pid, now));
        }
        if is_watched {
            let mut stderr = io::stderr();
            // In the place of what shows how far it is.
            let erased = if stderr.is_terminal() { "\r\x1b[K" } else { "" };
            let _ = writeln!(stderr, "{erased}{STOPPED}");
        }
    };
    exit_on_signal(&session.env.stop, last)
        .map_err(|error| Error::new("cannot listen to signals").caused_by(&error))
}

/// Runs what is due; after a signal, only until what was done is committed.
fn run_jobs(session: &Session, args: &Args) -> Result<Slept, Error> {
    let env = &session.env;
    // What is to be committed is not left without it.
    let work = commit::is_wanted(session, args.commit).then(|| env.stop.critical_section());
    let slept = sleep(session, &args.request(), &|event| {
        if args.verbose {
            tell::event(env, &event);
        }
    });
    if !env.stop.is_requested() {
        return slept;
    }
    match slept.and_then(|slept| slept.committed) {
        Ok(committed) => tell::committed(&env.output, &committed),
        Err(error) => env.output.fail(&error),
    }
    drop(work);
    // The signal ends the process, in a moment and with a word.
    loop {
        std::thread::park();
    }
}

/// Tells what was done.
fn tell(env: &Environment, report: &SleepReport, is_hushed: bool) -> Result<(), Error> {
    let output = &env.output;
    if output.form != Form::Human {
        output.record(report)?;
    }
    if is_hushed {
        return Ok(());
    }
    let problems = report.index.iter().flat_map(|index| &index.problems);
    for (path, why) in problems {
        output.warn(&format!("left out `{path}`: {why}"));
    }
    if output.form == Form::Human {
        tell::show(output, report)?;
    }
    if report.jobs.is_empty() {
        tell::nothing_due(env, report);
    }
    tell::ends(output, report);
    Ok(())
}

/// Fails if a job did or the commit did, having told of all but the last failure.
fn fail(
    session: &Session,
    mut errors: Vec<Error>,
    committed: Result<(), Error>,
) -> Result<(), Error> {
    let Some(last) = errors.pop() else {
        return committed;
    };
    for error in committed.err().iter().chain(&errors) {
        session.env.output.fail(error);
    }
    let folder = session.vault.root().display();
    Err(last.hint(format!(
        "it is tried again after a pause; `mem -C {folder} status` says when, `mem -C {folder} sleep --all` tries at once"
    )))
}

/// Says so if questions wait for an answer and that is to be checked.
fn check(session: &Session, args: &Args) -> Result<Exit, Error> {
    let state = State::load(&session.state_folder(), &session.env.device()?);
    let open: u64 = state.jobs.values().map(|job| job.needs_answer).sum();
    if !args.check || open == 0 {
        return Ok(Exit::Done);
    }
    session.env.output.warn(&format!(
        "{} in `{}`: `mem review` answers them",
        count(open as usize, "open question"),
        session.vault.root().display()
    ));
    Ok(Exit::Nothing)
}

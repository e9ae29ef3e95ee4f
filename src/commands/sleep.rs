//! `mem sleep`

mod commit;
mod due;
mod install;
mod interrupt;
mod jobs;
mod kept;
mod night;

use std::time::Duration;

use jiff::SignedDuration;

use crate::error::{Error, Exit};
use crate::output::{Form, count};
use crate::run::options::Apply;
use crate::run::record::Record;
use crate::run::state::State;
use crate::session::{Environment, Session};
use crate::vault::lock::{Lock, LockError};
pub(super) use due::{JOBS, due};
pub(super) use kept::forget_reports;
use night::Night;

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
    #[arg(long, value_name = "JOB,...", value_delimiter = ',', value_parser = JOBS)]
    only: Vec<String>,
    /// Leave these jobs out
    #[arg(long, value_name = "JOB,...", value_delimiter = ',', value_parser = JOBS)]
    skip: Vec<String>,
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
    #[command(flatten)]
    commit: commit::CommitArgs,
    #[command(flatten)]
    install: install::InstallArgs,
}

/// Reads a time like `90s` or `1h 30m`.
fn time(text: &str) -> Result<Duration, String> {
    let time: SignedDuration = text
        .parse()
        .map_err(|_| "write it like 10m, 90s or 1h 30m".to_owned())?;
    Duration::try_from(time).map_err(|_| "it lies in the past".to_owned())
}

/// Runs what is due.
pub fn run(env: &Environment, args: &Args) -> Result<Exit, Error> {
    if let Some(exit) = install::run(env, &args.install, args.dry_run)? {
        return Ok(exit);
    }
    if let Some(number) = args.report {
        return kept::show(env, number);
    }
    let output = &env.output;
    let is_hushed =
        output.form == Form::Human && !args.verbose && !args.dry_run && !output.is_watched();
    if is_hushed {
        output.hush();
    }
    let session = env.open().map_err(|error| {
        if is_hushed {
            error.hint(install::LINE)
        } else {
            error
        }
    })?;
    let _lock = if args.dry_run {
        None
    } else {
        match lock(&session, args.wait) {
            Err(LockError::Held { holder }) => {
                let who = holder.map_or_else(String::new, |holder| {
                    format!(
                        ": `{}`, process {}, since {}",
                        holder.command, holder.pid, holder.since
                    )
                });
                output.warn(&format!(
                    "another sleep is at work in `{}`{who}; `--wait` waits for it",
                    session.vault.root().display()
                ));
                return Ok(Exit::Nothing);
            }
            lock => Some(lock?),
        }
    };
    let deadline = args.max_time;
    if let Some(deadline) = deadline.and_then(|time| env.started.checked_add(time)) {
        env.stop.set_deadline(deadline);
    }
    if !args.dry_run {
        listen(&session, is_hushed)?;
    }
    // What is to be committed is not left without it.
    let work = commit::is_wanted(&session, &args.commit).then(|| env.stop.critical_section());
    let slept = jobs::run(&session, args);
    if env.stop.is_requested() {
        if let Err(error) = commit::after(&session, &args.commit) {
            output.fail(&error);
        }
        drop(work);
        // The signal ends the process, in a moment and with a word.
        loop {
            std::thread::park();
        }
    }
    let (night, errors) = slept?;
    tell(env, &night, is_hushed)?;
    let committed = commit::after(&session, &args.commit);
    let mut errors = errors.into_iter().rev();
    if let Some(last) = errors.next() {
        if let Err(error) = &committed {
            output.fail(error);
        }
        errors.rev().for_each(|error| output.fail(&error));
        let folder = session.vault.root().display();
        return Err(last.hint(format!(
            "it is tried again after a pause; `mem -C {folder} status` says when, `mem -C {folder} sleep --all` tries at once"
        )));
    }
    committed?;
    let state = State::load(&session.state_folder(), &env.device()?);
    let open: u64 = state.jobs.values().map(|job| job.needs_answer).sum();
    if args.check && open > 0 {
        output.warn(&format!(
            "{} in `{}`: `mem review` answers them",
            count(open as usize, "open question"),
            session.vault.root().display()
        ));
        return Ok(Exit::Nothing);
    }
    Ok(Exit::Done)
}

/// Takes the right to sleep.
fn lock(session: &Session, waits: bool) -> Result<Lock, LockError> {
    let patience = if waits { Duration::MAX } else { Duration::ZERO };
    Lock::wait(
        &session.homes.state.join("sleep"),
        &session.env.holder(),
        patience,
    )
}

/// Ends the process between two groups if a signal asks for it, with a word in the record.
fn listen(session: &Session, is_hushed: bool) -> Result<(), Error> {
    let record = Record::of(&session).ok();
    let (pid, now) = (std::process::id(), session.env.now.timestamp());
    let is_watched = !is_hushed && !session.env.output.quiet;
    let last = move || {
        if let Some(record) = &record {
            let _ = record.change(|state| state.stop_all(pid, now));
        }
    };
    interrupt::listen(&session.env.stop, is_watched, last)
        .map_err(|error| Error::new("cannot listen to signals").caused_by(&error))
}

/// Tells what was done.
fn tell(env: &Environment, night: &Night, is_hushed: bool) -> Result<(), Error> {
    let output = &env.output;
    if output.form != Form::Human {
        output.record(night)?;
    }
    if is_hushed {
        return Ok(());
    }
    let problems = night.index.iter().flat_map(|index| &index.problems);
    for (path, why) in problems {
        output.warn(&format!("left out `{path}`: {why}"));
    }
    if output.form == Form::Human {
        night.show(output)?;
    }
    if night.jobs.is_empty() {
        output.say(&match night.next() {
            Some((at, job)) => {
                let at = at.to_zoned(env.now.time_zone().clone());
                let at = at.strftime("%Y-%m-%d %H:%M");
                format!("nothing is due before {at} ({job}); `--all` does not wait")
            }
            None => "nothing is due; `--all` runs all jobs".to_owned(),
        });
    }
    night.say_ends(output);
    Ok(())
}

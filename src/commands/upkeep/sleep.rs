//! `mem sleep`

pub(crate) mod install;
mod show;

use std::io::{IsTerminal as _, Write as _};
use std::sync::OnceLock;

use clap::builder::PossibleValue;
use jiff::SignedDuration;

use super::rules::warn_of_problems;
use crate::commands::args::choice::choice;
use crate::commands::prelude::*;
use crate::jobs::rules::{self, Rules};
use crate::run::interrupt::exit_on_signal;
use crate::run::options::{Apply, Commit};
use crate::run::plan::open;
use crate::run::report::SleepReport;
use crate::run::report::group::{all_dropped, fail_if_system_failed};
use crate::run::sleep::commit;
use crate::run::sleep::record::JobStateLocation;
use crate::run::sleep::{self, SleepOutcome, SleepRequest, sleep};
use crate::vault::{Holder, Lock, LockError};

pub use install::TimerRecord;

/// Run the maintenance jobs that are due
///
/// Made for cron: see `--install`. Each job has its own interval (`mem config dedupe.every`).
/// Certain changes are applied to notes written by mem or an agent; all others wait for `mem
/// review`. `mem undo` reverts a run. Exits with 1 if another sleep is running, if no change of a
/// job could be made, or if `--check` finds questions; with 2 if a job failed. See `mem help
/// schedule`.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct SleepArgs {
    /// Preview the changes without making them
    #[arg(long)]
    dry_run: bool,
    /// Run all jobs, due or not, except those whose `every` is off
    #[arg(short, long)]
    all: bool,
    /// Only these jobs, even if they are not due or their `every` is off
    #[arg(long, value_name = "JOB,...", value_delimiter = ',', value_parser = steps())]
    only: Vec<Step>,
    /// Skip these jobs
    #[arg(long, value_name = "JOB,...", value_delimiter = ',', value_parser = steps())]
    skip: Vec<Step>,
    /// Raise an event for rules by hand
    #[arg(long, value_name = "EVENT,...", value_delimiter = ',', value_parser = named(RuleEvent::ALL, RuleEvent::name))]
    event: Vec<RuleEvent>,
    /// Which changes to apply without asking [default: setting `sleep.apply`]
    #[arg(long, value_name = "WHICH", value_parser = super::maintenance::apply())]
    apply: Option<Apply>,
    /// Start no job or change after this time, like 10m or 90s
    #[arg(long, value_name = "TIME", value_parser = time)]
    max_time: Option<Duration>,
    /// Wait for another running sleep instead of exiting
    #[arg(long)]
    wait: bool,
    /// Report today's questions and exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Report each job as it starts and finishes, even without a terminal
    #[arg(short, long)]
    verbose: bool,
    /// Show the report of an earlier sleep: the latest, or the Nth latest
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        default_missing_value = "1",
        conflicts_with_all = ["dry_run", "all", "only", "skip", "apply", "max_time", "wait", "check", "verbose"]
    )]
    report: Option<usize>,
    /// Skip notes saved within this time, like 10m [default: setting `sleep.idle`]
    #[arg(long, value_name = "TIME", value_parser = time)]
    idle: Option<Duration>,
    /// Commit the changes if the vault is in a git work tree; `clean` refuses to run while notes
    /// have uncommitted changes [default: setting `sleep.commit`]
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

/// Parses `--commit`.
fn when() -> impl TypedValueParser<Value = Commit> {
    choice([
        ("never", "Never"),
        (
            "always",
            "Commit every changed note, except those that already had uncommitted changes",
        ),
        (
            "clean",
            "The same, and refuse to run while any note has uncommitted changes",
        ),
    ])
}

/// Parses the name of a job or step.
fn steps() -> impl TypedValueParser<Value = Step> {
    let names = Step::all().map(|step| PossibleValue::new(step.name()).aliases(step.aliases()));
    PossibleValuesParser::new(names)
        .map(|name| Step::named(&name).expect("clap lets only these names pass"))
}

/// Parses a duration like `90s` or `1h 30m`.
fn time(text: &str) -> Result<Duration, String> {
    let time: SignedDuration = text
        .parse()
        .map_err(|_| "expected a duration like 10m, 90s or 1h 30m".to_owned())?;
    Duration::try_from(time).map_err(|_| "a duration cannot be negative".to_owned())
}

/// The messages for a person who interrupts a sleep.
const STOPPED: &str = "interrupted; finished work is kept, the next sleep continues";
const STOPPED_BEFORE: &str = "interrupted before the sleep began";

impl SleepArgs {
    fn request(&self) -> SleepRequest {
        SleepRequest {
            dry_run: self.dry_run,
            all: self.all,
            only: self.only.clone(),
            skip: self.skip.clone(),
            apply: self.apply,
            idle: self.idle,
            commit: self.commit,
            events: self.event.clone(),
        }
    }

    /// Runs the jobs that are due.
    pub fn run(&self, env: &Environment) -> Result<Exit> {
        if let Some(exit) = install::run(env, &self.install, self.dry_run)? {
            return Ok(exit);
        }
        if let Some(number) = self.report {
            return show::StoredReportRequest { number }.run(env);
        }
        if !Step::all().any(|step| self.request().considers(step)) {
            return Err(Error::new("no job selected: `--skip` excludes all of them"));
        }
        let output = &env.output;
        let is_hushed =
            output.form == Form::Human && !self.verbose && !self.dry_run && !output.is_watched();
        if is_hushed {
            output.mute();
        }
        let record: Arc<SleepRecord> = Arc::default();
        let session = env.open().map_err(|error| {
            if is_hushed {
                error.hint(install::MISSING_VAULT_HINT)
            } else {
                error
            }
        })?;
        commit::check_flag(&session, self.commit)?;
        // A dry run changes nothing and needs no lock.
        let lock = if self.dry_run {
            None
        } else {
            lock(&session, self)?
        };
        if lock.is_none() && !self.dry_run {
            return Ok(Exit::Nothing);
        }
        if let Some(deadline) = self.max_time.and_then(|time| env.started.checked_add(time)) {
            env.stop.set_deadline(deadline);
        }
        if !self.dry_run {
            let _ = record.set(JobStateLocation::of(&session).ok());
            handle_signals(env, &record, is_hushed)?;
        }
        let SleepOutcome {
            report,
            mut errors,
            committed,
        } = run_jobs(&session, self)?;
        env.page()?;
        show_report(&session, &report, is_hushed);
        let committed = committed.map(|committed| show::committed(output, &committed));
        let without_changes = report.jobs.iter().map(|job| (&*job.job, &*job.groups));
        errors.extend(
            without_changes.filter_map(|(job, groups)| fail_if_system_failed(job, groups).err()),
        );
        fail(&session, errors, committed)?;
        // A report that cannot be printed must not hide the failure of a job.
        output.check()?;
        let idle_jobs = report.jobs.iter().filter(|job| all_dropped(&job.groups));
        let without_changes: Vec<&str> = idle_jobs.map(|job| job.job.as_str()).collect();
        if !without_changes.is_empty() {
            output.warn(&format!(
                "no change of {} could be applied; see `mem sleep --report`",
                without_changes.join(", ")
            ));
        }
        Ok(check(&session, self)?.and(Exit::found(without_changes.is_empty())))
    }
}

/// Takes the sleep lock; warns and returns `None` if another sleep holds it.
fn lock(session: &Session, args: &SleepArgs) -> Result<Option<Lock>> {
    let holder = match sleep::lock(session, args.wait) {
        Err(LockError::Held { holder }) => holder,
        lock => return Ok(Some(lock?)),
    };
    let describe =
        |it: Holder| format!(": `{}`, process {}, since {}", it.command, it.pid, it.since);
    session.env.output.warn(&format!(
        "another sleep is already running in `{}`{}; `--wait` waits for it",
        session.vault.root().display(),
        holder.map_or_else(String::new, describe)
    ));
    Ok(None)
}

/// The record of the running sleep; unset before it begins.
type SleepRecord = OnceLock<Option<JobStateLocation>>;

/// On a signal, records the interruption and ends the process between two groups.
fn handle_signals(env: &Environment, begun: &Arc<SleepRecord>, is_hushed: bool) -> Result<()> {
    let begun = Arc::clone(begun);
    let (pid, now) = (std::process::id(), env.now.timestamp());
    let is_watched = !is_hushed && !env.output.quiet;
    let last = move || {
        let record = begun.get();
        if let Some(Some(record)) = record {
            let _ = record.change(|state| state.stop_all(pid, now));
        }
        if is_watched {
            let mut stderr = io::stderr();
            // Overwrites the progress line.
            let erased = if stderr.is_terminal() { "\r\x1b[K" } else { "" };
            let words = record.map_or(STOPPED_BEFORE, |_| STOPPED);
            let _ = writeln!(stderr, "{erased}{words}");
        }
    };
    exit_on_signal(&env.stop, last)
}

/// Runs the jobs; after a signal, applied changes are committed first.
fn run_jobs(session: &Session, args: &SleepArgs) -> Result<SleepOutcome> {
    let env = &session.env;
    // Holds signals back until changes are committed.
    let work = commit::is_wanted(session, args.commit).then(|| env.stop.critical_section());
    let slept = sleep(session, &args.request(), &|event| {
        if args.verbose {
            show::event(env, &event);
        }
    });
    if !env.stop.is_requested() {
        return slept;
    }
    match slept.and_then(|slept| slept.committed) {
        Ok(committed) => show::committed(&env.output, &committed),
        Err(error) => env.output.fail(&error),
    }
    // The signal ends the process.
    drop(work);
    loop {
        std::thread::park();
    }
}

/// Prints the report.
fn show_report(session: &Session, report: &SleepReport, is_hushed: bool) {
    let output = &session.env.output;
    if output.form != Form::Human {
        output.record(report);
    }
    if is_hushed {
        if report.jobs.iter().any(|job| job.job == rules::JOB.name) {
            warn_of_problems(output, &Rules::of(&session.settings));
        }
        // Cron sends output by mail, so its lines pass `--quiet`.
        if !output.quiet {
            let line = show::one_line(session, report);
            output.raw(format!("{}\n", output.clean(&line)).as_bytes());
        }
        return;
    }
    let problems = report.index.iter().flat_map(|index| &index.problems);
    for (path, why) in problems {
        output.warn(&format!("skipped `{path}`: {why}"));
    }
    if output.form == Form::Human {
        show::jobs(output, report);
    }
    if report.jobs.is_empty() {
        output.say(&show::nothing_due(session, report));
    }
    for message in show::closing_messages(session, report) {
        output.print_message(&message);
    }
}

/// Fails if a job or the commit failed; prints all errors but the last.
fn fail(session: &Session, mut errors: Vec<Error>, committed: Result<()>) -> Result<()> {
    let Some(last) = errors.pop() else {
        return committed;
    };
    for error in committed.err().iter().chain(&errors) {
        session.env.output.fail(error);
    }
    let folder = session.vault.root().display();
    Err(last.hint(format!(
        "will retry later (see `mem -C {folder} status`); `mem -C {folder} sleep --all` retries now"
    )))
}

/// Warns about open questions if `--check` is given.
fn check(session: &Session, args: &SleepArgs) -> Result<Exit> {
    if !args.check {
        return Ok(Exit::Done);
    }
    let open = open::count_open(session, session.cache()?, true)?
        .map_or(0, |open| open.tally.all.questions);
    if open == 0 {
        return Ok(Exit::Done);
    }
    session.env.output.warn(&format!(
        "{} in `{}`; run `mem review`",
        count(open, "question"),
        session.vault.root().display()
    ));
    Ok(Exit::Nothing)
}

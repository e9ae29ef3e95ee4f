//! Prints the report of a sleep for a person.

use indicatif::HumanCount;

use super::super::index::summary;
use super::super::maintenance;
use crate::commands::prelude::*;
use crate::jobs::{self, rules};
use crate::run::report::{JobEnd, JobReport, SleepReport, stored};
use crate::run::sleep::commit::CommitResult;
use crate::run::sleep::{self, SleepEvent, SleepRequest};

impl Request for SleepRequest {
    type Reply<'s> = SleepReport;

    /// Runs the due jobs; fails if one failed.
    fn answer(&self, session: &Session) -> Result<SleepReport> {
        let _lock = if self.dry_run {
            None
        } else {
            Some(sleep::lock(session, false)?)
        };
        let slept = sleep::sleep(session, self, &|_| ())?;
        match slept.errors.into_iter().next_back() {
            Some(error) => Err(error),
            None => slept.committed.map(|_| slept.report),
        }
    }
}

impl Reply for SleepReport {
    fn show(&self, page: &Page<'_>) {
        jobs(page, self);
    }
}

/// Reports an event as it happens.
pub(super) fn event(env: &Environment, event: &SleepEvent<'_>) {
    let words = match event {
        SleepEvent::Begins(job) => format!("{job} started"),
        SleepEvent::Ended(report) => match report.jobs.last() {
            Some(job) => format!(
                "{} finished: {} ({:.2} s)",
                job.job,
                summary_of_job(job, report),
                job.duration_seconds
            ),
            None => return,
        },
    };
    let now = env.now.clone() + env.started.elapsed();
    let time = now.strftime("%H:%M:%S");
    env.output.say(&format!("{time} {words}"));
}

/// Returns the result of a job in one line.
fn summary_of_job(job: &JobReport, report: &SleepReport) -> String {
    if let Some(error) = &job.error {
        return format!("failed: {error}");
    }
    if let Some(index) = report
        .index
        .as_ref()
        .filter(|_| job.job == Step::Index.name())
    {
        return summary(index);
    }
    let (made, made_words) = if report.dry_run {
        (job.groups.len(), format!("{} to be", job.groups.len()))
    } else {
        (job.changed, job.changed.to_string())
    };
    if job.job == Step::Settle.name() {
        let notes = count(job.processed, "note");
        return format!("{notes} checked: {made_words} settled");
    }
    if job.job == Step::Judge.name() {
        let calls = count(job.processed, "call");
        return if report.dry_run {
            let about = job
                .tokens
                .map(|tokens| format!(", about {}", count(tokens, "token")));
            format!("{calls} to make{}", about.unwrap_or_default())
        } else {
            format!("{calls}: {made_words} changed, {}", open(job.needs_answer))
        };
    }
    // Reports of older versions may contain unknown jobs.
    let known = jobs::named(&job.job);
    let (unit, looked) = known.map_or(("note", "checked"), |job| job.looks);
    let done = known.map_or("changed", |job| job.done);
    let phrases = [
        (made > 0).then(|| format!("{made_words} {done}")),
        (job.needs_answer > 0).then(|| open(job.needs_answer)),
    ];
    let present: Vec<String> = phrases.into_iter().flatten().collect();
    let parts = if present.is_empty() {
        "nothing to do".to_owned()
    } else {
        present.join(", ")
    };
    let words = format!("{} {looked}: {parts}", count(job.processed, unit));
    match job.outcome {
        JobEnd::Stopped => format!("{words}, interrupted"),
        JobEnd::Done | JobEnd::Failed => words,
    }
}

/// Returns the number of open findings.
fn open(findings: usize) -> String {
    format!("{} open", HumanCount(findings as u64))
}

/// Shows the results of all jobs.
pub(super) fn jobs(output: &Output, report: &SleepReport) {
    let (quiet, busy): (Vec<_>, Vec<_>) = report.jobs.iter().partition(|job| is_quiet(job));
    for job in busy {
        show_job(output, job, report);
    }
    if !quiet.is_empty() {
        let jobs: Vec<&str> = quiet.iter().map(|job| job.job.as_str()).collect();
        let names = output.clean(&jobs.join(", "));
        let line = Line::of(Style::Title, "nothing").and(None, " to do for ");
        output.write_wrapped(&line.and(Style::Faint, names));
    }
    let before = report.jobs.iter().flat_map(|job| &job.questions);
    let asked = report.open.iter().flat_map(|open| &open.asked);
    for asked in before.chain(asked) {
        let id = &asked.id[..8.min(asked.id.len())];
        // Reports of older versions have no question mark.
        let question = format!("{}?", asked.question.trim_end_matches('?'));
        render::show_question(output, id, &question, &asked.reason);
    }
    if !report.left.is_empty() {
        let left = output.clean(&report.left.join(", "));
        output.line(&format!("not run: {left}"));
    }
}

/// Whether a job has no changes, questions or messages.
fn is_quiet(job: &JobReport) -> bool {
    job.job != Step::Index.name()
        && job.error.is_none()
        && matches!(job.outcome, JobEnd::Done)
        && (job.changed, job.needs_answer, job.groups.len()) == (0, 0, 0)
        && job.notices.is_empty()
        && (job.job != Step::Judge.name() || job.processed == 0)
}

/// Width of the column of job names: the longest name.
pub(super) const JOB_COLUMN_WIDTH: usize = 11;

fn show_job(output: &Output, job: &JobReport, report: &SleepReport) {
    let padding = " ".repeat(JOB_COLUMN_WIDTH.saturating_sub(job.job.len()));
    let title = output.paint(Style::Title, &job.job);
    let words = output.clean(&summary_of_job(job, report));
    output.line(&format!("{title}{padding} {words}"));
    for notice in &job.notices {
        output.line(&output.clean(&format!("  {notice}")));
    }
    render::show_groups(output, &job.groups);
}

/// Returns messages: skipped notes, how to undo, how to answer.
pub(super) fn closing_messages(session: &Session, report: &SleepReport) -> Vec<Message> {
    let skipped: BTreeSet<&String> = report.jobs.iter().flat_map(|job| &job.skipped).collect();
    let mut messages = maintenance::in_use_messages(report.jobs.iter().flat_map(|job| &job.busy));
    let runs: Vec<_> = report.runs().collect();
    messages.extend(maintenance::closing_messages(skipped, &runs));
    let with_questions = report.jobs.iter().filter(|job| !job.questions.is_empty());
    messages.extend(with_questions.map(|job| {
        let more = match job.needs_answer.saturating_sub(job.questions.len()) {
            0 => String::new(),
            more => format!("; `mem {} --dry-run` lists {more} more", job.job),
        };
        Message::Hint(format!(
            "{}{more}",
            maintenance::answer_by_id(session, &job.job)
        ))
    }));
    let encoder = report.encoder.filter(|encoder| encoder.is_used);
    if let Some(encoder) = encoder {
        messages.push(Message::Status(encoder.summary()));
        let hint = "jobs compare notes by these vectors, too, so other suggestions may be open now; \
                    `mem config embed.encoder off` goes back";
        messages.push(Message::Hint(hint.to_owned()));
    }
    let open = report.open.as_ref();
    messages.extend(
        open.and_then(|open| open.tally.merge_conflicts())
            .map(Message::Hint),
    );
    messages.extend(
        open.and_then(|open| open.tally.all.hint())
            .map(Message::Hint),
    );
    messages
}

/// Returns the result of a sleep in one line, for a pipe.
pub(super) fn one_line(session: &Session, report: &SleepReport) -> String {
    let open = report.open.as_ref();
    let conflicts = open.and_then(|open| open.tally.merge_conflicts());
    let conflicts = conflicts.map_or_else(String::new, |conflicts| format!("; {conflicts}"));
    result_line(session, report) + &conflicts
}

fn result_line(session: &Session, report: &SleepReport) -> String {
    if report.jobs.is_empty() {
        return nothing_due(session, report);
    }
    let jobs = report
        .jobs
        .iter()
        .filter(|job| job.job != Step::Index.name());
    let changed: usize = jobs.map(|job| job.changed).sum();
    // Findings of jobs that were not due are open, too.
    let found = || report.jobs.iter().map(|job| job.needs_answer).sum();
    let counts = report.open.as_ref().map(|open| open.tally.all);
    let questions = counts.map_or_else(found, |all| all.questions + all.suggestions);
    format!(
        "ran {}: {}, {}; `mem sleep --report` lists them",
        count(report.jobs.len(), "job"),
        count(changed, "change"),
        open(questions)
    )
}

/// Returns that no job was due, and when the next one is.
pub(super) fn nothing_due(session: &Session, report: &SleepReport) -> String {
    let env = &session.env;
    let is_maintained = session.settings.of::<rules::RulesOptions>().enabled;
    match report.next_due() {
        _ if !is_maintained => "all maintenance is off: `rules.enabled` is false".to_owned(),
        Some((at, job)) => {
            let at = env.local_time(at);
            format!("nothing due until {at} ({job}); `--all` runs anyway")
        }
        None => {
            "no job is ever due: each `every` is off, or only rules run the job; see `mem config`"
                .to_owned()
        }
    }
}

/// Reports the commit.
pub(super) fn committed(output: &Output, committed: &CommitResult) {
    if let Some((id, subject)) = &committed.commit {
        output.say(&format!("committed as {id}: {subject}"));
    }
    if !committed.left.is_empty() {
        output.say(&format!(
            "not committed (contains your own changes): {}",
            committed.left.join(", ")
        ));
    }
}

/// Requests the `number`th latest stored report, counted from 1.
pub(super) struct StoredReportRequest {
    pub(super) number: usize,
}

impl Request for StoredReportRequest {
    type Reply<'s> = Option<SleepReport>;

    fn answer(&self, session: &Session) -> Result<Option<SleepReport>> {
        let files = stored::files(session);
        if let Some(file) = self.number.checked_sub(1).and_then(|at| files.get(at)) {
            return stored::load(file).map(Some);
        }
        session.env.output.say(&match files.len() {
            0 => "no sleep reports yet".to_owned(),
            known => format!(
                "{} stored; `--report 1` is the latest",
                count(known, "report")
            ),
        });
        Ok(None)
    }
}

/// A stored report, if there is one of the requested number.
impl Reply for Option<SleepReport> {
    fn show(&self, page: &Page<'_>) {
        if let Some(report) = self {
            show_stored(report, page);
        }
    }

    fn exit(&self) -> Result<Exit> {
        Ok(Exit::found(self.is_some()))
    }
}

fn show_stored(report: &SleepReport, output: &Page<'_>) {
    let end = if report.complete { "" } else { " (incomplete)" };
    output.line(&format!("{}{end}", output.local_time(report.at)));
    jobs(output, report);
    let skipped: BTreeSet<&String> = report.jobs.iter().flat_map(|job| &job.skipped).collect();
    for skipped in skipped {
        output.line(&output.clean(&format!("skipped {skipped}")));
    }
    for (job, run) in report.runs() {
        output.line(&format!("undo {job} with `mem undo {}`", short_id(run)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::tests::TestVault;

    #[test]
    fn sleep_request_needs_no_process() {
        let vault = TestVault::new(&[("a.md", "Tea is green.\n"), ("b.md", "Tea is green.\n")]);
        let request = SleepRequest {
            dry_run: true,
            ..SleepRequest::default()
        };
        let report = vault.json(&request).unwrap();
        let jobs = report["jobs"].as_array().unwrap();
        assert_eq!(
            (&jobs[0]["job"], &jobs[0]["processed"]),
            (&"index".into(), &2.into())
        );
        assert!(vault.text(&request).unwrap().0.starts_with("index "));
    }
}

//! Arguments and replies of the maintenance jobs.

use crate::cache::Slot;
use crate::commands::args::choice::choice;
use crate::commands::prelude::*;
use crate::jobs::find::NoteScope;
use crate::jobs::job::{ConfiguredJob, Job};
use crate::jobs::{self, rules};
use crate::run::options::{Apply, SleepOptions};
use crate::run::plan::in_use::InUse;
use crate::run::plan::perform::{JobRequest, MAX_FOLLOW_UPS, perform};
use crate::run::plan::queue::Scope;
use crate::run::report::group::{all_dropped, fail_if_system_failed};

/// The arguments of every job.
#[derive(Debug, clap::Args)]
pub(crate) struct JobArgs {
    /// Only this note, or the notes that match this query
    #[arg(value_name = "NOTE|QUERY", value_parser = query_text())]
    notes: Vec<String>,
    /// Preview the changes without making them
    #[arg(long)]
    dry_run: bool,
    /// Which changes to apply without asking [default: setting `sleep.apply`]
    #[arg(long, value_name = "WHICH", value_parser = apply())]
    apply: Option<Apply>,
    /// Check all notes, not only those changed since the last run
    #[arg(long, conflicts_with = "notes")]
    full: bool,
    /// Make at most N changes and show at most N questions
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Refuse to change anything if more than N changes would be made
    #[arg(long, value_name = "N")]
    expect: Option<usize>,
}

/// Parses `--apply`.
pub(crate) fn apply() -> impl TypedValueParser<Value = Apply> {
    choice([
        ("none", "Apply nothing; ask about everything"),
        (
            "managed",
            "Certain changes to notes written by mem or an agent and not edited since",
        ),
        ("all", "Certain changes to your own notes too"),
    ])
}

/// Returns the selected notes.
fn among(session: &Session, words: &[String]) -> Result<(HashSet<Slot>, Cache)> {
    let Selection { entries, cache, .. } = named_or_selected(session, words)?;
    Ok((entries.iter().map(|entry| entry.slot).collect(), cache))
}

/// The result of a job.
#[derive(Debug, Serialize, JsonSchema)]
pub struct JobReply {
    dry_run: bool,
    compared: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    /// Follow-up runs, which processed the results of the run before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    followed_by: Vec<String>,
    groups: Vec<GroupReport>,
    questions: Vec<QuestionReport>,
    /// Number of findings that need an answer, listed or not.
    needs_answer: usize,
    skipped: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notices: Vec<String>,
    /// Notes in use, left for the next run.
    busy: Vec<InUse>,
    #[serde(skip)]
    job: &'static Job,
    /// Whether any note was selected.
    #[serde(skip)]
    is_any: bool,
    /// The hint how to answer the questions.
    #[serde(skip)]
    answering: String,
    /// The hint how to include more notes, if none were examined.
    #[serde(skip)]
    hint: Option<String>,
}

/// Runs a job as a command.
pub(crate) fn answer(session: &Session, job: &'static Job, args: &JobArgs) -> Result<JobReply> {
    let job = job.configured(&session.settings);
    let (scope, cache) = if args.notes.is_empty() {
        let cache = session.fresh_cache()?;
        let scope = if args.full {
            Scope::Full
        } else {
            Scope::Incremental
        };
        (scope, cache)
    } else {
        let (among, cache) = among(session, &args.notes)?;
        (Scope::Only(among), cache)
    };
    let is_any = !matches!(&scope, Scope::Only(notes) if notes.is_empty());
    let output = &session.env.output;
    if !is_any {
        let words = args.notes.join(" ");
        output.say(&format!("no note matches `{words}`"));
    }
    let cache = session.embed_at_once(cache)?;
    let mut request = JobRequest {
        scope,
        apply: args
            .apply
            .unwrap_or_else(|| session.settings.of::<SleepOptions>().apply),
        dry_run: args.dry_run,
        limit: args.limit,
        expect: args.expect,
        idle: Duration::ZERO,
        with_questions: true,
        follows_up: false,
    };
    // An explicit bound excludes follow-up runs.
    let is_bounded = matches!(request.scope, Scope::Only(_))
        || request.limit.is_some()
        || request.expect.is_some();
    let mut done = perform(session, cache, &job, &request).0?;
    let run = done.run_id();
    let mut followed_by = Vec::new();
    for _ in 0..MAX_FOLLOW_UPS {
        let next = request.following(job.job, &done);
        let Some(next) = next.filter(|_| !is_bounded) else {
            break;
        };
        let cache = session.embed_at_once(session.cache()?)?;
        let mut more = perform(session, cache, &job, &next).0?;
        followed_by.extend(more.run_id());
        more.planned.processed += done.planned.processed;
        more.groups.splice(0..0, done.groups);
        (done, request) = (more, next);
    }
    let (planned, groups) = (done.planned, done.groups);
    let mut reply = JobReply {
        dry_run: args.dry_run,
        compared: planned.processed,
        run,
        followed_by,
        groups,
        questions: done.questions,
        needs_answer: planned.decided.waiting.len(),
        skipped: planned.skipped,
        notices: planned.notices,
        busy: planned.decided.busy,
        job: job.job,
        is_any,
        answering: answering(session, job.job),
        hint: None,
    };
    if reply.is_quiet() && reply.compared == 0 {
        reply.hint = managed_only_hint(session, &job)?;
    }
    Ok(reply)
}

impl JobReply {
    /// Whether all lists of the reply are empty, including skipped notes.
    fn is_quiet(&self) -> bool {
        self.groups.is_empty()
            && self.needs_answer == 0
            && self.notices.is_empty()
            && self.busy.is_empty()
            && self.skipped.is_empty()
            && self.is_any
    }
}

impl Reply for JobReply {
    fn show(&self, page: &Page<'_>) {
        for notice in &self.notices {
            page.row(&page.clean(notice));
        }
        render::show_groups(page, &self.groups);
        for question in &self.questions {
            render::show_open_question(page, question);
        }
        let more = self.needs_answer - self.questions.len();
        if more > 0 {
            page.line(&format!("... and {more} more"));
        }
        if self.is_quiet() {
            page.line(self.job.nothing);
            if let Some(hint) = &self.hint {
                page.hint(hint);
            }
        }
    }

    fn messages(&self) -> Vec<Message> {
        let name = self.job.name;
        let ids = self.followed_by.iter().rev().chain(&self.run);
        let runs: Vec<_> = ids.map(|run| (name, run.as_str())).collect();
        let mut messages = in_use_messages(&self.busy);
        messages.extend(closing_messages(self.skipped.iter().collect(), &runs));
        if self.needs_answer > 0 {
            messages.push(Message::Hint(self.answering.clone()));
        }
        messages
    }

    fn exit(&self) -> Result<Exit> {
        fail_if_system_failed(self.job.name, &self.groups)?;
        Ok(Exit::found(self.is_any && !all_dropped(&self.groups)))
    }
}

fn answering(session: &Session, job: &Job) -> String {
    if !jobs::enabled(&session.settings).contains(&job) {
        return answer_by_id(session, job.name);
    }
    let kinds: Vec<&str> = job.kinds.iter().map(|kind| kind.name()).collect();
    format!("answer with `mem review --kind {}`", kinds.join(" --kind "))
}

/// Returns the hint how to answer questions of a disabled job.
pub(crate) fn answer_by_id(session: &Session, job: &str) -> String {
    let why = why_disabled(session, job);
    format!(
        "{why}: `mem review` omits these questions; answer with `mem review accept ID` or `mem review reject ID`"
    )
}

/// Returns the setting that disables a job.
pub(crate) fn why_disabled(session: &Session, job: &str) -> String {
    if session.settings.of::<rules::RulesOptions>().enabled {
        format!("`{job}.every` is off")
    } else {
        "`rules.enabled` is false".to_owned()
    }
}

/// Returns a hint if the job only processes managed notes and there are none.
fn managed_only_hint(session: &Session, job: &ConfiguredJob) -> Result<Option<String>> {
    if job.find.notes() == NoteScope::All {
        return Ok(None);
    }
    let cache = session.cache()?;
    let entries = session.view(&cache)?.entries()?;
    let is_meant = !entries.is_empty() && !entries.iter().any(Entry::is_managed);
    Ok(is_meant.then(|| {
        format!(
            "no note was written by mem or an agent; `mem config {}.notes all` includes yours",
            job.job.name
        )
    }))
}

/// Returns a message for each note in use, without duplicates.
pub(crate) fn in_use_messages<'b>(busy: impl IntoIterator<Item = &'b InUse>) -> Vec<Message> {
    let busy: BTreeMap<_, _> = busy.into_iter().map(|busy| (&busy.path, busy)).collect();
    let files = busy.values();
    let messages = files.map(|busy| Message::Status(format!("skipped for now: {busy}")));
    messages.collect()
}

/// Returns warnings about skipped notes and hints to undo runs.
///
/// `done` are jobs and runs, newest first, since later runs may depend on earlier ones.
pub(crate) fn closing_messages(skipped: BTreeSet<&String>, done: &[(&str, &str)]) -> Vec<Message> {
    let entries = skipped.into_iter();
    let skipped = entries.map(|skipped| Message::Warning(format!("skipped {skipped}")));
    let undo = done.iter().map(|(job, run)| match done {
        [_] => Message::undo(run),
        _ => Message::Hint(format!("undo {job} with `mem undo {}`", short_id(run))),
    });
    skipped.chain(undo).collect()
}

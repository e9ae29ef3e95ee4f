//! Changes that a person asked for by name: shown or made, and told in the same words by every command.

use schemars::JsonSchema;
use serde::Serialize;

use crate::cache::Cache;
use crate::change::apply::RunReport;
use crate::error::{Error, Exit};
use crate::finding::act;
use crate::finding::plan::{Change, Group, Plan};
use crate::note::path::VaultPath;
use crate::output::reply::{Message, Page, Reply};
use crate::output::{Form, Output, diff};
use crate::run::plan::apply::{apply, apply_unindexed};
use crate::run::report::group::{GroupOutcome, GroupReport, all_dropped};
use crate::session::Session;

/// What became of what was asked for; part of the JSON record of each of these commands.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Done {
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: Vec<GroupReport>,
}

/// Makes the changes of `job`, or shows what they would be.
pub(crate) fn make(
    session: &Session,
    cache: Cache,
    job: &str,
    groups: Vec<Group>,
    dry_run: bool,
) -> Result<Done, Error> {
    make_by(session, job, groups, dry_run, |plan| {
        apply(session, cache, plan)
    })
}

/// As [`make`], without the index: the next command that needs it takes in what changed, as it does what an
/// editor saved.
pub(crate) fn make_unindexed(
    session: &Session,
    job: &str,
    groups: Vec<Group>,
    dry_run: bool,
) -> Result<Done, Error> {
    make_by(session, job, groups, dry_run, |plan| {
        apply_unindexed(session, plan)
    })
}

fn make_by(
    session: &Session,
    job: &str,
    groups: Vec<Group>,
    dry_run: bool,
    apply: impl FnOnce(&Plan) -> Result<RunReport, Error>,
) -> Result<Done, Error> {
    let plan = Plan {
        job: job.to_owned(),
        groups,
    };
    if dry_run {
        session.env.page(&session.settings)?;
        let previews = GroupReport::previews(&session.vault, &plan);
        return Ok(Done::new(true, None, previews));
    }
    let report = apply(&plan)?;
    let run = report.run.as_ref().map(ToString::to_string);
    Ok(Done::new(false, run, GroupReport::of_run(&plan, &report)))
}

/// Makes the note at `path`, which can be undone as a run of `job`.
pub(crate) fn create(
    session: &Session,
    job: &str,
    path: &VaultPath,
    text: String,
) -> Result<Done, Error> {
    let group = Group {
        title: format!("create {path}"),
        reason: "requested".to_owned(),
        changes: vec![Change::Create {
            path: path.clone(),
            text,
        }],
        ..Group::default()
    };
    let done = make_unindexed(session, job, vec![group], false)?;
    if !done.is_any() {
        done.end(&session.env.output)?;
    }
    Ok(done)
}

impl Done {
    pub(crate) fn new(dry_run: bool, run: Option<String>, groups: Vec<GroupReport>) -> Self {
        Self {
            dry_run,
            run,
            groups,
        }
    }

    /// Returns the id of the run, if anything was written.
    pub(crate) fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// Tells all of it, to a person or as a record.
    pub(crate) fn tell(&self, output: &Output) -> Result<Exit, Error> {
        if output.form == Form::Human {
            self.show(output)?;
        } else {
            output.record(self)?;
        }
        self.end(output)
    }

    /// Tells a person, a line for each, and the diff of what is only shown.
    pub(crate) fn show(&self, output: &Output) -> Result<(), Error> {
        for group in &self.groups {
            let title = output.clean(&group.title);
            match group.outcome {
                GroupOutcome::Planned => output.line(&format!("would {title}"))?,
                GroupOutcome::Applied => output.line(&act::done(&title))?,
                GroupOutcome::Unchanged => output.line(&format!("unchanged: {title}"))?,
                // Told as a failure.
                GroupOutcome::Dropped => {}
            }
            if let Some(diff) = &group.diff {
                diff::print(output, diff)?;
            }
        }
        Ok(())
    }

    /// Whether any of it was made, or would be.
    pub(crate) fn is_any(&self) -> bool {
        let mut outcomes = self.groups.iter().map(|group| group.outcome);
        outcomes.any(|outcome| matches!(outcome, GroupOutcome::Applied | GroupOutcome::Planned))
    }

    /// Says how to take it back and what could not be done; that alone is an error.
    pub(crate) fn end(&self, output: &Output) -> Result<Exit, Error> {
        let messages = self.messages();
        messages.iter().for_each(|message| output.tell(message));
        self.exit()
    }

    /// Returns whether there was something to do, and nothing of it could be done.
    fn is_failure(&self) -> bool {
        all_dropped(&self.groups)
    }

    /// Returns why each change that could not be made was not.
    fn failures(&self) -> impl Iterator<Item = String> {
        let failed = self.groups.iter();
        let failed = failed.filter(|group| group.outcome == GroupOutcome::Dropped);
        failed.map(|group| {
            let why = group.why.as_deref().unwrap_or_default();
            // Of the one note that the title names, it need not be said again.
            let note = group.files.first().map(|path| format!("{path}: "));
            let bare = note.and_then(|note| why.strip_prefix(&note));
            let title = &group.title;
            format!(
                "cannot {title}: {}",
                bare.filter(|_| group.files.len() == 1).unwrap_or(why)
            )
        })
    }
}

impl Reply for Done {
    fn show(&self, page: &Page<'_>) -> Result<(), Error> {
        Done::show(self, page)
    }

    fn messages(&self) -> Vec<Message> {
        // The first failure is the error then.
        let told = usize::from(self.is_failure());
        let mut messages: Vec<Message> = self
            .failures()
            .skip(told)
            .take(TOLD)
            .map(Message::Warning)
            .collect();
        let more = self.failures().count() - told - messages.len();
        if more > 0 {
            let words = format!("{more} more like these; `--json` has all");
            messages.push(Message::Warning(words));
        }
        if !self.is_failure() {
            messages.extend(self.run.as_deref().map(Message::undo));
        }
        messages
    }

    fn exit(&self) -> Result<Exit, Error> {
        match self.failures().next() {
            Some(first) if self.is_failure() => Err(Error::new(first)),
            failure => Ok(Exit::found(failure.is_none())),
        }
    }
}

/// As many failures are told one by one; of a hundred nobody reads each.
const TOLD: usize = 10;

//! Changes that a person requests by name: applied or previewed, with the same output in every
//! command.

use crate::commands::prelude::*;
use crate::finding::{Plan, act};
use crate::run::plan::apply::{apply, apply_unindexed};
use crate::run::remember::batch::creation;

/// The result of a requested change; part of the JSON record of each such command.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct ChangeReport {
    dry_run: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    groups: Vec<GroupReport>,
    /// The message for an empty list of groups.
    #[serde(skip)]
    pub(crate) if_empty: &'static str,
    /// The hint of the error if nothing could be done.
    #[serde(skip)]
    pub(crate) error_hint: Option<&'static str>,
}

/// Applies the changes of `job`, or previews them. Without `cache` nothing is reindexed: the next command that needs
/// the index updates it.
pub(crate) fn make(
    session: &Session,
    cache: impl Into<Option<Cache>>,
    job: &str,
    groups: Vec<Group>,
    dry_run: bool,
) -> Result<ChangeReport> {
    let plan = Plan::new(job, groups);
    if dry_run {
        let previews = GroupReport::previews(&session.vault, &plan);
        return Ok(ChangeReport::new(true, None, previews));
    }
    let report = match cache.into() {
        Some(cache) => apply(session, cache, &plan)?,
        None => apply_unindexed(session, &plan)?,
    };
    let run = report.run.as_ref().map(ToString::to_string);
    let groups = GroupReport::of_run(&plan, &report);
    Ok(ChangeReport::new(false, run, groups))
}

/// Creates the note at `path` in an undoable run of `job`.
pub(crate) fn create(
    session: &Session,
    job: &str,
    path: &VaultPath,
    text: String,
) -> Result<ChangeReport> {
    let group = creation(path.clone(), text);
    let done = make(session, None, job, vec![group], false)?;
    if !done.is_any() {
        done.exit()?;
    }
    Ok(done)
}

impl ChangeReport {
    pub(crate) fn new(dry_run: bool, run: Option<String>, groups: Vec<GroupReport>) -> Self {
        Self {
            dry_run,
            run,
            groups,
            if_empty: "",
            error_hint: None,
        }
    }

    /// Returns the id of the run, if anything was written.
    pub(crate) fn run(&self) -> Option<&str> {
        self.run.as_deref()
    }

    /// Returns whether any group was applied, or would be.
    pub(crate) fn is_any(&self) -> bool {
        let mut outcomes = self.groups.iter().map(|group| group.outcome);
        outcomes.any(|outcome| matches!(outcome, GroupOutcome::Applied | GroupOutcome::Planned))
    }

    /// Returns the dropped groups with their reasons.
    fn failures(&self) -> Vec<String> {
        let groups = self.groups.iter();
        let failed = groups.filter(|group| group.outcome == GroupOutcome::Dropped);
        let failures = failed.map(|group| {
            let why = group.why.as_deref().unwrap_or_default();
            // The title already contains the path of a single note.
            let note = group.files.first().map(|path| format!("{path}: "));
            let rest = note.and_then(|note| why.strip_prefix(&note));
            let bare = rest.filter(|_| group.files.len() == 1);
            format!("cannot {}: {}", group.title, bare.unwrap_or(why))
        });
        failures.collect()
    }
}

impl Reply for ChangeReport {
    /// Writes a line per change, with diffs of planned ones.
    fn show(&self, page: &Page<'_>) {
        if self.groups.is_empty() && !self.if_empty.is_empty() {
            page.say(self.if_empty);
        }
        for group in &self.groups {
            let title = page.clean(&group.title);
            match group.outcome {
                GroupOutcome::Planned => page.row(&format!("would {title}")),
                GroupOutcome::Applied => page.row(&act::done(&title)),
                GroupOutcome::Unchanged => {
                    let note = title.strip_prefix("edit ").unwrap_or(&title);
                    page.row(&format!("unchanged: {note}"));
                }
                // Reported as a failure.
                GroupOutcome::Dropped => {}
            }
            if let Some(diff) = &group.diff {
                diff::print(page, diff);
            }
        }
    }

    /// The failures and the hint to undo the rest.
    fn messages(&self) -> Vec<Message> {
        let mut failures = self.failures();
        if failures.len() == self.groups.len() && !failures.is_empty() {
            // The first is the error returned by `exit`.
            failures.remove(0);
        }
        let more = failures.len().saturating_sub(MAX_WARNINGS);
        failures.truncate(MAX_WARNINGS);
        if more > 0 {
            failures.push(format!("{more} more like these; `--json` has all"));
        }
        let failures = failures.into_iter().map(Message::Warning);
        failures.chain(self.run().map(Message::undo)).collect()
    }

    fn exit(&self) -> Result<Exit> {
        let mut failures = self.failures().into_iter();
        match failures.next() {
            Some(first) if failures.len() + 1 == self.groups.len() => {
                let error = Error::new(first);
                Err(match self.error_hint {
                    Some(hint) => error.hint(hint),
                    None => error,
                })
            }
            failure => Ok(Exit::found(failure.is_none())),
        }
    }
}

/// Maximum number of failures that are listed.
const MAX_WARNINGS: usize = 10;

/// The path of a note, and the changes that created it, if any.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotePath {
    pub(crate) path: VaultPath,
    #[serde(skip)]
    pub(crate) created: Option<ChangeReport>,
    /// The line of the cursor in a template, counted from 1.
    #[serde(skip)]
    pub(crate) line: Option<usize>,
}

impl Reply for NotePath {
    fn show(&self, page: &Page<'_>) {
        page.line(&page.place(self.path.as_str()));
    }

    fn messages(&self) -> Vec<Message> {
        self.created.iter().flat_map(Reply::messages).collect()
    }
}

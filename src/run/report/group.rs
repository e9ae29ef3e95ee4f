//! Outcomes of groups of changes, in records and stored reports.

use crate::change::compile::preview;
use crate::change::{CompileOutcome, DropReason};
use crate::finding::OmittedBlocks;
use crate::note::words::lists::named;
use crate::output::diff;
use crate::run::prelude::*;

named! {
    /// Outcome of a group of changes.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum GroupOutcome {
        /// It would be applied.
        #[default]
        Planned = "planned",
        Applied = "applied",
        /// Nothing had to be changed.
        Unchanged = "unchanged",
        Dropped = "dropped",
    }
}

/// A group of changes.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[must_use]
pub struct GroupReport {
    pub title: String,
    pub reason: String,
    pub outcome: GroupOutcome,
    /// Why it was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether it was dropped because of a system error, not because a note must not be written.
    #[serde(skip)]
    pub is_failure: bool,
    pub files: Vec<String>,
    /// Changes to files as a unified diff; only in a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// What a merge omits because the remaining note already has it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<OmittedBlocks>,
}

/// Fails with the first system error that prevented a change, and reports how many changes were
/// made.
pub fn fail_if_system_failed(job: &str, groups: &[GroupReport]) -> Result<()> {
    let mut failed = groups.iter().filter(|group| group.is_failure);
    let Some(first) = failed.next() else {
        return Ok(());
    };
    let why = first.why.as_deref().unwrap_or_default();
    let again = format!("`mem {job} --full` retries");
    let made = groups
        .iter()
        .filter(|group| group.outcome == GroupOutcome::Applied);
    Err(match made.count() {
        0 => Error::new(format!("no change of {job} could be made: {why}"))
            .hint(format!("nothing was changed; then {again}")),
        made => {
            let failed = count(1 + failed.count(), "change");
            let message = format!("{failed} of {job} could not be made: {why}");
            let made = count(made, "change");
            Error::new(message).hint(format!("{made} made; then {again}"))
        }
    })
}

/// Whether there were changes and all of them were dropped.
pub fn all_dropped(groups: &[GroupReport]) -> bool {
    let mut outcomes = groups.iter().map(|group| group.outcome);
    !groups.is_empty() && outcomes.all(|outcome| outcome == GroupOutcome::Dropped)
}

impl GroupReport {
    /// Returns the preview of each group of `plan`.
    pub fn previews(vault: &Vault, plan: &Plan) -> Vec<Self> {
        let compiled = preview(vault, plan);
        let reports = plan
            .groups
            .iter()
            .zip(&compiled)
            .map(|(group, compiled)| Self {
                diff: Some(diff::of_compiled(compiled)),
                ..Self::new(group).compiled(compiled)
            });
        reports.collect()
    }

    /// Returns the outcome of each group of `plan`.
    pub fn of_run(plan: &Plan, report: &RunReport) -> Vec<Self> {
        let groups = plan.groups.iter().zip(&report.outcomes);
        let reports = groups.map(|(group, outcome)| Self::new(group).done(outcome));
        reports.collect()
    }

    /// Returns the report with the result of compiling.
    pub fn compiled(self, compiled: &CompileOutcome) -> Self {
        match compiled {
            CompileOutcome::Ready(_) => self,
            CompileOutcome::Unchanged => self.with_outcome(GroupOutcome::Unchanged),
            CompileOutcome::Dropped { path, reason } => self.dropped(path, reason),
        }
    }

    /// Returns the report with the result of applying.
    pub fn done(self, outcome: &Outcome) -> Self {
        match outcome {
            Outcome::Applied => self.with_outcome(GroupOutcome::Applied),
            Outcome::Unchanged => self.with_outcome(GroupOutcome::Unchanged),
            Outcome::Dropped { path, reason, .. } => Self {
                is_failure: matches!(reason, DropReason::Io(_)),
                ..self.dropped(path, reason)
            },
        }
    }

    fn with_outcome(self, outcome: GroupOutcome) -> Self {
        Self { outcome, ..self }
    }

    fn dropped(self, path: &VaultPath, reason: &DropReason) -> Self {
        Self {
            why: Some(format!("{path}: {reason}")),
            ..self.with_outcome(GroupOutcome::Dropped)
        }
    }

    fn new(group: &Group) -> Self {
        let paths = group.changes.iter().flat_map(Change::paths);
        Self {
            title: group.title.clone(),
            reason: group.reason.clone(),
            files: paths.map(ToString::to_string).collect(),
            left_out: group.left_out.clone(),
            ..Self::default()
        }
    }
}

//! Which proposals are carried out unattended, and which wait for an answer.
//!
//! One rule for all jobs. What rules alone decide is done if the setting allows it: for `managed`,
//! only if every note that it touches was written by mem or an agent and not edited since. What was
//! answered "yes" is done. Everything else is a question.

use crate::cache::CacheError;
use crate::config::Apply;
use crate::view::View;
use crate::view::plan::{Change, Group, Plan, Proposal};
use crate::view::question::{Answer, Answers};

/// Proposals, sorted by what becomes of them.
#[derive(Debug, Default)]
pub struct Decided {
    /// What is carried out.
    pub plan: Plan,
    /// What waits for an answer.
    pub waiting: Vec<Proposal>,
}

/// Sorts the proposals of `job`.
pub fn decide(
    view: &View<'_>,
    job: &str,
    proposals: Vec<Proposal>,
    answers: &Answers,
    apply: Apply,
) -> Result<Decided, CacheError> {
    let mut decided = Decided {
        plan: Plan {
            job: job.to_owned(),
            groups: Vec::new(),
        },
        waiting: Vec::new(),
    };
    for proposal in proposals {
        let allowed = match apply {
            Apply::None => false,
            Apply::Managed => proposal.certain && is_managed(view, &proposal.group)?,
            Apply::All => proposal.certain,
        };
        if allowed || answers.get(proposal.key) == Some(Answer::Yes) {
            decided.plan.groups.push(proposal.group);
        } else {
            decided.waiting.push(proposal);
        }
    }
    Ok(decided)
}

/// Returns true if every note that `group` touches belongs to mem or an agent.
fn is_managed(view: &View<'_>, group: &Group) -> Result<bool, CacheError> {
    for change in &group.changes {
        let managed = match change {
            Change::Create { .. } => true,
            Change::Edit { path, .. } | Change::Move { path, .. } | Change::Trash { path, .. } => {
                view.at(path)?.is_some_and(|entry| entry.is_managed())
            }
        };
        if !managed {
            return Ok(false);
        }
    }
    Ok(true)
}

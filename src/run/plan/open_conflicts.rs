//! The open questions of `conflicts`, as its last run or `mem remember` stored them, for replies that quote notes.

use std::cell::OnceCell;
use std::time::SystemTime;

use super::queue::{DatedFinding, last_findings};
use crate::cache::row::Flags;
use crate::jobs::conflicts;
use crate::note::front_matter::relation::Relation;
use crate::recall::outdated::OutdatedReason;
use crate::run::prelude::*;

/// The findings of the last run of `conflicts` and of `mem remember` since, if the job is on.
#[derive(Debug)]
pub struct OpenConflicts<'s> {
    session: &'s Session,
    pub findings: Vec<DatedFinding>,
    answers: OnceCell<Answers>,
}

impl<'s> OpenConflicts<'s> {
    /// Loads the stored findings; `None` without any, or if the job is off.
    pub fn load(session: &'s Session) -> Option<Self> {
        let is_conflicts = |job: &&Job| job.name == conflicts::JOB.name;
        if !jobs::enabled(&session.settings).iter().any(is_conflicts) {
            return None;
        }
        let findings = last_findings(&session.homes.cache, conflicts::JOB.name);
        (!findings.is_empty()).then(|| Self {
            session,
            findings,
            answers: OnceCell::new(),
        })
    }

    /// Whether a finding has no answer.
    pub fn is_open(&self, finding: &Finding) -> Result<bool> {
        if self.answers.get().is_none() {
            let _ = self.answers.set(self.session.answers()?);
        }
        let is_unanswered = |answers: &Answers| finding.answer(answers).is_none();
        Ok(self.answers.get().is_none_or(is_unanswered))
    }

    /// Returns the open question whether `entry` is replaced, and the newer note.
    pub fn replacement(&self, view: &View<'_>, entry: &Entry) -> Result<Option<OutdatedReason>> {
        let is_older = |dated: &&DatedFinding| {
            dated.finding.notes.get(1) == Some(&entry.path)
                && dated.finding.relation() == Some(Relation::EvolvedFrom)
        };
        for dated in self.findings.iter().filter(is_older) {
            let newer = view.at(&dated.finding.notes[0])?;
            let is_valid = newer.is_some_and(|newer| dated.is_unchanged(&newer));
            if is_valid && dated.may_replace(entry) && self.is_open(&dated.finding)? {
                return Ok(Some(questioned(&dated.finding)));
            }
        }
        Ok(None)
    }
}

impl DatedFinding {
    /// Whether a note was not changed after the finding was stored.
    pub fn is_unchanged(&self, entry: &Entry) -> bool {
        let modified = u64::try_from(entry.row.stat.mtime_ns).unwrap_or_default();
        SystemTime::UNIX_EPOCH + Duration::from_nanos(modified) <= self.stored_at
    }

    /// Whether `entry` may be called replaced by the finding: a kept note is not.
    pub fn may_replace(&self, entry: &Entry) -> bool {
        !entry.row.flags.has(Flags::KEEP) && self.is_unchanged(entry)
    }
}

/// Returns the mark of a note that the open question `finding` calls replaced.
pub fn questioned(finding: &Finding) -> OutdatedReason {
    OutdatedReason::NewerStatement {
        newer: finding.notes[0].clone(),
        question: Some(finding.key.to_string()[..8].to_owned()),
    }
}

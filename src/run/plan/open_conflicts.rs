//! The open questions of `conflicts`, as its last run stored them, for replies that quote notes.

use std::cell::OnceCell;
use std::time::SystemTime;

use super::queue::last_findings;
use crate::cache::row::Flags;
use crate::finding::Answers;
use crate::jobs::conflicts;
use crate::note::front_matter::relation::Relation;
use crate::recall::outdated::OutdatedReason;
use crate::run::prelude::*;

/// The findings of the last run of `conflicts`, if the job is on.
#[derive(Debug)]
pub struct OpenConflicts<'s> {
    session: &'s Session,
    pub findings: Vec<Finding>,
    stored_at: SystemTime,
    answers: OnceCell<Answers>,
}

impl<'s> OpenConflicts<'s> {
    /// Loads the stored findings; `None` without any, or if the job is off.
    pub fn load(session: &'s Session) -> Option<Self> {
        let is_conflicts = |job: &&Job| job.name == conflicts::JOB.name;
        if !jobs::enabled(&session.settings).iter().any(is_conflicts) {
            return None;
        }
        let (findings, stored_at) = last_findings(&session.homes.cache, conflicts::JOB.name)?;
        Some(Self {
            session,
            findings,
            stored_at,
            answers: OnceCell::new(),
        })
    }

    /// Whether a note was not changed after the findings were stored.
    pub fn is_unchanged(&self, entry: &Entry) -> bool {
        let modified = u64::try_from(entry.row.stat.mtime_ns).unwrap_or_default();
        SystemTime::UNIX_EPOCH + Duration::from_nanos(modified) <= self.stored_at
    }

    /// Whether a note may be called replaced by a finding: a kept note is not.
    pub fn may_be_replaced(&self, entry: &Entry) -> bool {
        !entry.row.flags.has(Flags::KEEP) && self.is_unchanged(entry)
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
        let is_older = |finding: &&Finding| {
            finding.notes.get(1) == Some(&entry.path)
                && finding.relation() == Some(Relation::EvolvedFrom)
        };
        for finding in self.findings.iter().filter(is_older) {
            let newer = view.at(&finding.notes[0])?;
            let is_valid = newer.is_some_and(|newer| self.is_unchanged(&newer));
            if is_valid && self.may_be_replaced(entry) && self.is_open(finding)? {
                return Ok(Some(questioned(finding)));
            }
        }
        Ok(None)
    }
}

/// Returns the mark of a note that the open question `finding` calls replaced.
pub fn questioned(finding: &Finding) -> OutdatedReason {
    OutdatedReason::NewerStatement {
        newer: finding.notes[0].clone(),
        question: Some(finding.key.to_string()[..8].to_owned()),
    }
}

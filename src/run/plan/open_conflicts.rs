//! The open questions of `conflicts`, as its last run or `mem remember` stored them, for replies that quote notes.

use std::cell::OnceCell;

use super::queue::last_findings;
use crate::cache::row::Flags;
use crate::jobs::conflicts;
use crate::note::front_matter::relation::Relation;
use crate::recall::outdated::OutdatedReason;
use crate::run::prelude::*;

/// The findings of the last run of `conflicts` and of `mem remember` since, if the job is on.
#[derive(Debug)]
pub struct OpenConflicts<'s> {
    session: &'s Session,
    pub findings: Vec<Finding>,
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

    /// Whether a finding is about `newer` and the older note with these content keys, and has no answer.
    pub fn is_open(
        &self,
        finding: &Finding,
        newer: &Entry,
        content_keys: [u64; 2],
    ) -> Result<bool> {
        let key = QuestionKey::new(finding.kind(), &content_keys);
        // A repeated statement makes a new question.
        if ![key, key.again(newer.row.created)].contains(&finding.key) {
            return Ok(false);
        }
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
                && may_be_replaced(entry)
        };
        for finding in self.findings.iter().filter(is_older) {
            // A statement that a later note repeats holds.
            let is_newer = |newer: &Entry| newer.row.created >= entry.row.created;
            let Some(newer) = view.at(&finding.notes[0])?.filter(is_newer) else {
                continue;
            };
            let keys = [view.content_key(&newer)?, view.content_key(entry)?];
            if self.is_open(finding, &newer, keys)? {
                return Ok(Some(questioned(finding)));
            }
        }
        Ok(None)
    }
}

/// Whether a question may call `entry` replaced: not a kept note.
pub fn may_be_replaced(entry: &Entry) -> bool {
    !entry.row.flags.has(Flags::KEEP)
}

/// Returns the mark of a note that the open question `finding` calls replaced.
pub fn questioned(finding: &Finding) -> OutdatedReason {
    OutdatedReason::NewerStatement {
        newer: finding.notes[0].clone(),
        question: Some(finding.key.to_string()[..8].to_owned()),
    }
}

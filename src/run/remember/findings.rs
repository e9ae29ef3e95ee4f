//! Duplicates and contradictions of a new note, as the jobs would find them.
//!
//! Runs the jobs themselves, if enabled, with the options and answers of a normal run. So the
//! result matches
//! what they ask later.

use crate::jobs::find::Seeds;
use crate::jobs::{conflicts, dedupe};
use crate::run::prelude::*;

/// Maximum number of reported notes per kind.
const MAX_NOTES: usize = 5;

/// A note that a job would ask about together with the new one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelatedFinding {
    pub path: VaultPath,
    title: String,
    /// The reason, on one line.
    pub reason: String,
    /// Quotes of the new note and of the other, if the reason is in their text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quotes: Vec<String>,
}

/// Findings of the jobs about a new note, most likely first.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct NoteFindings {
    /// Probable duplicates.
    pub near: Vec<RelatedFinding>,
    /// Contradicting notes.
    pub conflicts: Vec<RelatedFinding>,
}

impl NoteFindings {
    /// Returns the findings about the indexed note at `path`.
    pub fn of(session: &Session, cache: &Cache, path: &VaultPath) -> Result<Self> {
        let view = session.view_with_near(cache)?;
        let enabled = jobs::enabled(&session.settings);
        let asked = |job| {
            if enabled.contains(&job) {
                asked_by(job, session, &view, path)
            } else {
                Ok(Vec::new())
            }
        };
        Ok(Self {
            near: asked(&dedupe::JOB)?,
            conflicts: asked(&conflicts::JOB)?,
        })
    }
}

fn asked_by(
    job: &'static Job,
    session: &Session,
    view: &View<'_>,
    path: &VaultPath,
) -> Result<Vec<RelatedFinding>> {
    let Some(entry) = view.at(path)? else {
        return Ok(Vec::new());
    };
    let seeds = Seeds::Of([entry.slot].into());
    let find = job.configured(&session.settings).find;
    let mut found = find.find(view, &session.answers()?, &seeds)?.found;
    found.retain(|finding| finding.notes.contains(path));
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut notes = Vec::new();
    for finding in &found {
        for (at, other) in finding.notes.iter().enumerate() {
            if other != path && notes.len() < MAX_NOTES {
                notes.push(asked_note(view, finding, at)?);
            }
        }
    }
    Ok(notes)
}

/// Returns the report of the note with index `at` of a finding.
fn asked_note(view: &View<'_>, finding: &Finding, at: usize) -> Result<RelatedFinding, CacheError> {
    let path = finding.notes[at].clone();
    let title = match view.at(&path)? {
        Some(entry) => view.details(entry.slot)?.title,
        None => path.stem().to_owned(),
    };
    let mut quotes = finding.quotes.clone();
    if at == 0 {
        quotes.reverse();
    }
    Ok(RelatedFinding {
        path,
        title,
        reason: finding.reason.clone(),
        quotes,
    })
}

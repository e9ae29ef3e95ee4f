//! Duplicates and contradictions of a new note, as the jobs would find them.
//!
//! Runs the jobs themselves, if enabled, with the options and answers of a normal run. So the
//! result matches what they ask later. It is stored: `mem recall` marks what a question calls replaced.

use crate::jobs::find::Seeds;
use crate::jobs::{conflicts, dedupe};
use crate::output::shell_word;
use crate::run::plan::queue::add_findings;
use crate::run::prelude::*;

/// Maximum number of reported notes per kind.
const MAX_NOTES: usize = 5;
/// Number of digits of a question's id in a command, as `mem review` shows it.
const SHOWN_DIGITS: usize = 8;

/// A note that a job would ask about together with the new one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RelatedFinding {
    pub path: VaultPath,
    title: String,
    /// The id of the question.
    id: QuestionKey,
    /// The question, as in `mem review`.
    pub question: String,
    /// The reason, on one line.
    pub reason: String,
    /// The command that says yes.
    pub command: String,
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
    // Jobs ask nothing that cannot be applied, such as to replace a kept note.
    found.retain(|finding| {
        finding.notes.contains(path) && acts::group(view, finding, Answer::Yes).is_ok()
    });
    // Of alike findings the one about the latest statement comes first: the others are older.
    let mut stated = HashMap::new();
    for finding in &found {
        let older = finding.notes.iter().find(|note| *note != path);
        let entry = older.map(|older| view.at(older)).transpose()?.flatten();
        stated.insert(finding.key, entry.map(|entry| entry.row.created));
    }
    found.sort_by(|a, b| {
        let by_weight = b.weight.total_cmp(&a.weight);
        by_weight.then_with(|| stated[&b.key].cmp(&stated[&a.key]))
    });
    if job.name == conflicts::JOB.name && !found.is_empty() {
        add_findings(&session.homes.cache, job.name, &found);
    }
    let mut notes = Vec::new();
    for finding in &found {
        for (at, other) in finding.notes.iter().enumerate() {
            if other != path && notes.len() < MAX_NOTES {
                notes.push(asked_note(job, view, finding, at)?);
            }
        }
    }
    Ok(notes)
}

/// Returns the report of the note with index `at` of a finding.
fn asked_note(
    job: &Job,
    view: &View<'_>,
    finding: &Finding,
    at: usize,
) -> Result<RelatedFinding, CacheError> {
    let path = finding.notes[at].clone();
    let title = match view.at(&path)? {
        Some(entry) => view.details(entry.slot)?.title,
        None => path.stem().to_owned(),
    };
    let mut quotes = finding.quotes.clone();
    if at == 0 {
        quotes.reverse();
    }
    // The job itself applies a certain finding, without a question.
    let command = if finding.certain {
        let note = shell_word(finding.notes[1 - at.min(1)].as_str());
        format!("mem {} {note}", job.name)
    } else {
        format!(
            "mem review accept {}",
            &finding.key.to_string()[..SHOWN_DIGITS]
        )
    };
    Ok(RelatedFinding {
        path,
        title,
        id: finding.key,
        question: finding.question(),
        command,
        reason: finding.reason.clone(),
        quotes,
    })
}

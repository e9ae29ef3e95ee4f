//! Duplicates and contradictions of new notes, as the jobs would find them.
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
#[derive(Clone, Debug, Serialize, JsonSchema)]
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
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct NoteFindings {
    /// Probable duplicates.
    pub near: Vec<RelatedFinding>,
    /// Contradicting notes.
    pub conflicts: Vec<RelatedFinding>,
}

impl NoteFindings {
    /// Returns the findings about each of the indexed notes `paths`.
    pub fn of_each(session: &Session, cache: &Cache, paths: &[VaultPath]) -> Result<Vec<Self>> {
        let view = session.view_with_near(cache)?;
        let near = found_by(&dedupe::JOB, session, &view, paths)?;
        let conflicts = found_by(&conflicts::JOB, session, &view, paths)?;
        if !conflicts.is_empty() {
            add_findings(&session.homes.cache, conflicts::JOB.name, &conflicts);
        }
        let of_note = |path| {
            Ok(Self {
                near: asked_about(path, &dedupe::JOB, &view, &near)?,
                conflicts: asked_about(path, &conflicts::JOB, &view, &conflicts)?,
            })
        };
        paths.iter().map(of_note).collect()
    }
}

/// Returns what `job` would ask about the notes `paths`, if it is on.
fn found_by(
    job: &'static Job,
    session: &Session,
    view: &View<'_>,
    paths: &[VaultPath],
) -> Result<Vec<Finding>> {
    if !jobs::enabled(&session.settings).contains(&job) {
        return Ok(Vec::new());
    }
    let entries = paths.iter().map(|path| view.at(path));
    let entries = entries.collect::<Result<Vec<_>, _>>()?.into_iter();
    let seeds = Seeds::Of(entries.flatten().map(|entry| entry.slot).collect());
    let find = job.configured(&session.settings).find;
    let mut found = find.find(view, &session.answers()?, &seeds)?.found;
    // Jobs ask nothing that cannot be applied, such as to replace a kept note.
    found.retain(|finding| {
        let is_about = finding.notes.iter().any(|note| paths.contains(note));
        is_about && acts::group(view, finding, Answer::Yes).is_ok()
    });
    Ok(found)
}

/// Returns those of the findings of `job` about the note at `path`, most likely first.
fn asked_about(
    path: &VaultPath,
    job: &Job,
    view: &View<'_>,
    found: &[Finding],
) -> Result<Vec<RelatedFinding>> {
    let about = found.iter().filter(|finding| finding.notes.contains(path));
    let mut found: Vec<&Finding> = about.collect();
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
    let mut notes = Vec::new();
    for finding in found {
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

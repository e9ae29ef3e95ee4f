//! What the jobs would ask about a new note: which notes say the same, and which say otherwise.
//!
//! The jobs themselves look, if they are enabled, with the options and answers they would have in a run, so that nothing is
//! told here that they do not ask afterwards, and nothing is left out.

use crate::jobs::find::Seeds;
use crate::jobs::{conflicts, dedupe};
use crate::run::prelude::*;

/// How many notes of a kind are told.
const TOLD: usize = 5;

/// A note that a job would ask about beside the new one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AskedNote {
    pub path: VaultPath,
    title: String,
    /// Why, in one line for a person.
    pub reason: String,
    /// What the new note says, and what the other does, where the reason is in their words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    quotes: Vec<String>,
}

/// What the jobs would ask about a new note, the likeliest first.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Asked {
    /// Notes that say nearly the same.
    pub near: Vec<AskedNote>,
    /// Notes that say otherwise.
    pub conflicts: Vec<AskedNote>,
}

impl Asked {
    /// Looks at the note at `path`, which the cache knows.
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
) -> Result<Vec<AskedNote>> {
    let Some(entry) = view.at(path)? else {
        return Ok(Vec::new());
    };
    let seeds = Seeds::Of([entry.slot].into());
    let find = job.configured(&session.settings).find;
    let mut found = find.find(view, &session.answers()?, &seeds)?.found;
    found.retain(|finding| finding.notes.contains(path));
    found.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    let mut told = Vec::new();
    for finding in &found {
        for (at, other) in finding.notes.iter().enumerate() {
            if other != path && told.len() < TOLD {
                told.push(asked_note(view, finding, at)?);
            }
        }
    }
    Ok(told)
}

/// Returns the note at `at` of a finding, as it is told.
fn asked_note(view: &View<'_>, finding: &Finding, at: usize) -> Result<AskedNote, CacheError> {
    let path = finding.notes[at].clone();
    let title = match view.at(&path)? {
        Some(entry) => view.details(entry.slot)?.title,
        None => path.stem().to_owned(),
    };
    let mut quotes = finding.quotes.clone();
    if at == 0 {
        quotes.reverse();
    }
    Ok(AskedNote {
        path,
        title,
        reason: finding.reason.clone(),
        quotes,
    })
}

//! Unanswerable questions: each vault gets the questions of other corpora. Names, games and
//! standards of one corpus are unknown in the others, so any hit is wrong.
//!
//! * `silent`: share of questions without a hit;
//! * `notes`: mean number of hits, of at most twenty.

use std::fmt::Write as _;
use std::path::Path;

use mem::recall::SearchOptions;

use crate::sets::{self, Set};
use crate::support::vault::{self, Homes, words};
use crate::support::{Outcome, process};

/// Number of questions per vault, from all of the other sets.
const QUESTIONS_PER_VAULT: usize = 40;

/// Sets without common topics. Only conversations ask for a person by name, and questions about
/// users fit any user.
const UNRELATED_SETS: [&str; 6] = ["garden", "manual", "proposals", "wiki", "rules", "locomo"];

/// Returns the table for the existing corpora.
pub(crate) fn table(corpora: &Path, scratch: &Path) -> Outcome<String> {
    let mut apart: Vec<Set> = Vec::new();
    for load in sets::ALL {
        apart.extend(load(corpora)?.filter(|set| UNRELATED_SETS.contains(&set.name)));
    }
    let homes = Homes::below(&scratch.join("silence"));
    let mut table = String::from(
        "| vault | asked | search, silent | notes | recall, silent | notes |\n|---|---:|---:|---:|---:|---:|\n",
    );
    let users = sets::ALL.iter().map(|load| load(corpora));
    let users: Vec<Set> = users
        .collect::<Outcome<Vec<_>>>()?
        .into_iter()
        .flatten()
        .collect();
    let users = users.iter().filter(|set| set.name == "memorybench");
    for set in apart.iter().filter(|set| set.name != "locomo").chain(users) {
        let copy = scratch.join("silence-vaults").join(set.name);
        process::copy_folder(&set.vaults[0], &copy)?;
        let session = vault::indexed(&homes, &copy)?;
        let mut row = format!("| {} |", set.name);
        let mut asked = Vec::new();
        for other in apart.iter().filter(|other| other.name != set.name) {
            let step = (other.questions.len() / QUESTIONS_PER_VAULT).max(1);
            asked.extend(
                other
                    .questions
                    .iter()
                    .step_by(step)
                    .take(QUESTIONS_PER_VAULT),
            );
        }
        let _ = write!(row, " {} |", asked.len());
        for only_relevant in [false, true] {
            let (mut silent, mut notes) = (0, 0);
            for question in &asked {
                let options = SearchOptions {
                    limit: 20,
                    snippet_width: 0,
                    only_relevant,
                    ..SearchOptions::default()
                };
                let answer = session.search(&question.text, &options);
                let hits = answer.map_err(|error| words(&error))?.results.hits;
                silent += usize::from(hits.is_empty());
                notes += hits.len();
            }
            let mean = |count: usize| count as f64 / asked.len() as f64;
            let _ = write!(row, " {:.3} | {:.1} |", mean(silent), mean(notes));
        }
        let _ = writeln!(table, "{row}");
    }
    Ok(table)
}

//! `link`: finds notes that belong together and are strangers to each other.
//!
//! | what | what happens |
//! |---|---|
//! | two notes mean something like it, each of the other's nearest, and nothing joins them ([`near`]) | the newer one states `related_to`, for want of anything better: certain |
//! | the same, and one of them has `keep` | question |
//! | the same, and mem joined them before and somebody took it out since | question, again only once |
//! | a text names another note by its title or an alias and does not link to it ([`mentions`]) | question |
//!
//! A pair that anything joins is left alone, whatever its words say, and so is one that may be the same
//! (`dedupe`).

mod mentions;
mod near;
mod options;
#[cfg(test)]
mod scene;
#[cfg(test)]
mod tests;

pub use near::is_known;
pub use options::Options;

use super::{Findings, Seeds, living};
use crate::cache::CacheError;
use crate::finding::Finding;
use crate::finding::question::Answers;
use crate::view::View;

/// Finds pairs that belong together, the strongest first, then mentions in the order of paths.
pub fn find(
    view: &View<'_>,
    answers: &Answers,
    seeds: &Seeds,
    options: &Options,
) -> Result<Findings, CacheError> {
    let entries = living(view)?;
    let mut findings = Findings::default();
    near::find(view, &entries, answers, seeds, options, &mut findings)?;
    if options.mentions {
        mentions::find(view, &entries, answers, seeds, &mut findings)?;
    }
    Ok(findings)
}

/// Returns true if what `finding` says stood in a note since it was found and was taken out again: then
/// it is another question.
pub(super) fn is_outdated(view: &View<'_>, finding: &Finding) -> Result<bool, CacheError> {
    near::is_outdated(view, finding)
}

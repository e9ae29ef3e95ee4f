//! `link`: finds related notes that are not linked.
//!
//! | condition | result |
//! |---|---|
//! | two notes are similar and mutual nearest neighbours, have no link or relation, and the newer one is managed or the settings include all ([`near`]) | the newer one states `related_to`, the most general relation: certain |
//! | the same, and one of them has `keep` | question |
//! | the same, and a person removed a relation that mem had stated | question, at most once more |
//! | a text names another note by title or alias without a link ([`mentions`]) | question |
//!
//! Pairs with any link or relation are skipped, as are possible duplicates (`dedupe`) and templates.

mod mentions;
mod near;
mod options;
#[cfg(test)]
mod tests;

pub use options::LinkOptions;

use super::find::living;
use super::pool::Pool;
use crate::jobs::prelude::*;
use crate::note::is_in_templates_folder;

/// Job table entry.
pub static JOB: Job = Job {
    name: LinkOptions::NAME,
    aliases: &["auto_linker"],
    about: "Link related notes",
    help: include_str!("help.txt"),
    looks: ("pair", "compared"),
    done: "linked",
    nothing: "nothing to link",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs link",
    kinds: &[QuestionKind::Link, QuestionKind::Mention],
    options: job::JobOptions::of::<LinkOptions>(),
};

impl Find for LinkOptions {
    /// Finds mentions and related pairs, most likely first.
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let mut entries = living(view)?;
        entries.retain(|entry| !is_in_templates_folder(entry.path.as_str()));
        let mut findings = Findings::default();
        let pool = Pool::new(view, entries);
        near::find(&pool, answers, seeds, self, &mut findings)?;
        if self.mentions {
            let anchors = view.anchors(&pool)?;
            mentions::find(&pool, &anchors, answers, seeds, &mut findings)?;
        }
        findings.found.sort_by(|a, b| {
            let order = b.weight.total_cmp(&a.weight);
            order.then_with(|| a.notes.cmp(&b.notes))
        });
        Ok(findings)
    }

    /// Returns true if the relation of a finding was stated and removed since.
    fn is_outdated(&self, view: &View<'_>, finding: &Finding) -> Result<bool> {
        Ok(finding.kind() == QuestionKind::Link && near::is_outdated(view, finding)?)
    }
}

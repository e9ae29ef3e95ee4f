//! `link`: finds related notes that are not linked.
//!
//! | what | what happens |
//! |---|---|
//! | two notes mean something like it, each of the other's nearest, nothing joins them, and the newer one is managed or the settings ask for all ([`near`]) | the newer one states `related_to`, for want of anything better: certain |
//! | the same, and one of them has `keep` | question |
//! | the same, and mem joined them before and a person took it out since | question, again only once |
//! | a text names another note by its title or an alias and does not link to it ([`mentions`]) | question |
//!
//! A pair that anything joins is left alone, regardless of its text, and so is one that may be the same
//! (`dedupe`). Templates are left out.

mod mentions;
mod near;
mod options;
#[cfg(test)]
mod tests;

pub use near::is_known;
pub use options::Options;

use super::find::living;
use super::pool::Pool;
use crate::jobs::prelude::*;
use crate::note::names::filename::is_among_templates;

/// The entry of the job.
pub static JOB: Job = Job {
    name: Options::NAME,
    aliases: &["auto_linker"],
    about: "Link related notes",
    help: include_str!("help.txt"),
    looks: ("pair", "compared"),
    done: "linked",
    nothing: "nothing to link",
    every: Every::days(1),
    every_about: "how often `mem sleep` runs link",
    kinds: &[Kind::Link, Kind::Mention],
    options: job::Options::of::<Options>(),
};

impl Find for Options {
    /// Finds mentions and pairs that belong together, the likeliest first.
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let mut entries = living(view)?;
        entries.retain(|entry| !is_among_templates(entry.path.as_str()));
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

    /// What a finding says may have stood in a note since it was found, and was taken out again.
    fn is_outdated(&self, view: &View<'_>, finding: &Finding) -> Result<bool> {
        Ok(finding.kind() == Kind::Link && near::is_outdated(view, finding)?)
    }
}

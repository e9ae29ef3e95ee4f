//! `forget`: archival notes of low relevance become forgotten, and forgotten ones may go to the trash.
//!
//! The lower steps of the [ladder](super::ladder). Corresponds to AutoMem's forget, which uses "archive" for
//! notes excluded from answers.

mod options;

pub use options::Options;

use super::ladder::{self, Climber, Rule, Step};
use crate::jobs::prelude::*;
use crate::signals::fate::{Fate, fate};
use crate::signals::fields::Signal;
use crate::signals::stability::DAY;

/// Job table entry.
pub static JOB: Job = Job {
    name: Options::NAME,
    aliases: &[],
    about: "Forget archival notes that do not matter any more",
    help: include_str!("help.txt"),
    looks: ("note", "checked"),
    done: "moved",
    nothing: "nothing to forget",
    every: Every::Never,
    every_about: "how often `mem sleep` runs forget; off: archival notes stay archival",
    kinds: &[Kind::Forget],
    options: job::Options::of::<Options>(),
};

impl Find for Options {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let tiers = [Tier::Working, Tier::Archival, Tier::Forgotten];
        let tiers: Vec<Tier> = tiers
            .into_iter()
            .filter(|tier| *tier == Tier::Forgotten || self.takes(*tier))
            .collect();
        let climbers = ladder::climbers(view, seeds, self.notes, &tiers)?;
        let compared = climbers.len();
        let mut steps = Vec::new();
        for climber in climbers {
            steps.extend(match climber.tier() {
                tier if self.takes(tier) => forgotten(view, climber)?,
                _ => self.after(view, climber)?,
            });
        }
        ladder::findings(view, answers, Kind::Forget, steps, compared)
    }

    fn notes(&self) -> Notes {
        self.notes
    }

    fn ages(&self) -> bool {
        true
    }
}

/// Returns the step of a note that is not forgotten yet.
fn forgotten(view: &View<'_>, climber: Climber<'_>) -> Result<Option<Step>> {
    let options = view.signal_options();
    let known = climber.known()?;
    let standing = climber.standing()?;
    let from = ladder::quiet_since(&known, &standing);
    let age = ladder::days(from, known.now);
    if climber.shield(&standing, age).is_some() {
        return Ok(None);
    }
    let known = climber.linked(known)?;
    let relevance = known.signal(Signal::Relevance, options);
    if fate(relevance, &options.fate) == Fate::Preserve {
        return Ok(None);
    }
    let due = from.saturating_add((options.fate.grace * DAY) as i64);
    let reason = format!(
        "not used for {}, relevance {relevance:.2}",
        ladder::in_days(known.idle_days())
    );
    Ok(Some(climber.step(
        Rule::Forget,
        Tier::Forgotten,
        due,
        reason,
    )))
}

impl Options {
    /// Returns the time at which a note forgotten at `forgotten` goes to the trash, if ever.
    pub(super) fn due(&self, forgotten: i64) -> Option<i64> {
        let wait = self.trash.duration()?;
        Some(forgotten.saturating_add(i64::try_from(wait.as_secs()).unwrap_or(i64::MAX)))
    }

    /// Returns the step of a forgotten note.
    fn after(&self, view: &View<'_>, climber: Climber<'_>) -> Result<Option<Step>> {
        let standing = climber.standing()?;
        let Some(moved) = standing.moved else {
            return Ok(None);
        };
        let now = view.now.timestamp().as_second();
        let Some(due) = self.due(moved) else {
            return Ok(None);
        };
        // Protection may have been added since, and used notes move up instead.
        let is_used = climber.used_since(&standing).is_some();
        if now < due || is_used || climber.shield(&standing, f64::INFINITY).is_some() {
            return Ok(None);
        }
        let forgotten = ladder::in_days(ladder::days(moved, now));
        Ok(Some(
            climber.removal(due, format!("forgotten for {forgotten}")),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::ladder::tests::moved_after;
    use crate::signals::options::Options as SignalOptions;

    fn moved(days: i64, trash: Every, signals: &SignalOptions, notes: &[&str]) -> Vec<String> {
        let all = Options {
            notes: Notes::All,
            trash,
            ..Options::default()
        };
        moved_after(days, &all, signals, notes)
    }

    #[test]
    fn what_is_forgotten_and_what_stays() {
        let notes = [
            "tier: archival\n",
            "tier: archival\nkeep: true\n",
            "tier: archival\nimportance: 0.8\n",
            "tier: archival\ntype: insight\n",
            "tier: archival\nderived_from: \"[[4]]\"\n",
            // Minimum relevance.
            "tier: archival\nimportance: 0.69\n",
            "tier: archival\nmem: {moved: 2060-04-28T00:00:00Z}\n",
            "",
            "tier: core\n",
        ];
        let options = SignalOptions::default();
        let of = |days, options: &SignalOptions| moved(days, Every::Never, options, &notes);
        assert!(of(89, &options).is_empty());
        assert_eq!(of(125, &options), ["set tier of 0.md to forgotten"]);
        let later = [
            "set tier of 0.md to forgotten",
            "set tier of 6.md to forgotten",
        ];
        assert_eq!(of(200, &options), later);
        let with = |archive, grace, protect| {
            let mut options = options.clone();
            options.fate.archive = archive;
            (options.fate.grace, options.fate.protect) = (grace, protect);
            of(125, &options).len()
        };
        assert_eq!(with(0.0, 90.0, 0.7), 0);
        assert_eq!(with(1.0, 90.0, 0.7), 2);
        assert_eq!(with(1.0, 90.0, 0.9), 3);
        assert_eq!(with(0.2, 1000.0, 0.7), 0);
    }

    #[test]
    fn without_a_tier_between_working_notes_are_forgotten() {
        let notes = ["", "tier: core\n", "tier: archival\n"];
        let options = SignalOptions::default();
        let working = Options {
            notes: Notes::All,
            from: super::options::From::Working,
            ..Options::default()
        };
        let expected = [
            "set tier of 0.md to forgotten",
            "set tier of 2.md to forgotten",
        ];
        assert_eq!(moved_after(125, &working, &options, &notes), expected);
        let archival = [expected[1]];
        assert_eq!(moved(125, Every::Never, &options, &notes), archival);
    }

    #[test]
    fn only_what_mem_forgot_goes_to_the_trash() {
        let notes = [
            "tier: forgotten\n",
            "tier: forgotten\nmem: {moved: 2060-03-05T00:00:00Z}\n",
            "tier: forgotten\nmem: {moved: 2060-03-05T00:00:00Z}\nkeep: true\n",
            "tier: forgotten\nmem: {moved: long ago}\n",
        ];
        let options = SignalOptions::default();
        for (days, trash, expected) in [
            (1000, Every::Never, &[][..]),
            (60, Every::days(90), &[]),
            (125, Every::days(90), &["remove 1.md"]),
        ] {
            assert_eq!(moved(days, trash, &options, &notes), expected);
        }
    }
}

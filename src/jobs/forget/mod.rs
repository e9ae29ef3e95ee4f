//! `forget`: archival notes of low relevance become forgotten, and forgotten ones may go to the trash.
//!
//! The lower steps of the [ladder](super::ladder). Corresponds to AutoMem's forget, which uses "archive" for
//! notes excluded from answers.

mod options;

pub use options::ForgetOptions;

use super::ladder::{self, LadderMove, LadderNote, LadderRule};
use crate::jobs::prelude::*;
use crate::signals::lifecycle::disposition;
use crate::signals::{DAY, Disposition, Signal};

/// Job table entry.
pub static JOB: Job = Job {
    name: ForgetOptions::NAME,
    aliases: &[],
    about: "Forget archival notes of low relevance",
    help: include_str!("help.txt"),
    looks: ("note", "checked"),
    done: "moved",
    nothing: "nothing to forget",
    every: Interval::Never,
    every_about: "how often `mem sleep` runs forget; off: archival notes stay archival",
    kinds: &[QuestionKind::Forget],
    options: job::JobOptions::of::<ForgetOptions>(),
};

impl Find for ForgetOptions {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let tiers: Vec<Tier> = [Tier::Working, Tier::Archival, Tier::Forgotten]
            .into_iter()
            .filter(|tier| *tier == Tier::Forgotten || self.takes(*tier))
            .collect();
        let ladder_notes = ladder::ladder_notes(view, seeds, self.notes, &tiers)?;
        let next = |note: LadderNote<'_>| {
            if self.takes(note.tier()) {
                forget_move(view, note)
            } else {
                self.removal(view, note)
            }
        };
        ladder::findings(view, answers, QuestionKind::Forget, ladder_notes, next)
    }

    fn notes(&self) -> NoteScope {
        self.notes
    }

    fn depends_on_time(&self) -> bool {
        true
    }
}

/// Returns the step of a note that is not forgotten yet.
fn forget_move(view: &View<'_>, note: LadderNote<'_>) -> Result<Option<LadderMove>> {
    let options = view.signal_options();
    let known = note.known()?;
    let details = note.details()?;
    let from = ladder::unused_since(&known, &details);
    let age = ladder::days(from, known.now);
    if note.protection(&details, age).is_some() {
        return Ok(None);
    }
    let known = note.linked(known)?;
    let relevance = known.signal(Signal::Relevance, options);
    if disposition(relevance, &options.lifecycle) == Disposition::Preserve {
        return Ok(None);
    }
    let due = from.saturating_add((options.lifecycle.grace_days * DAY) as i64);
    let reason = format!(
        "not used for {}, relevance {relevance:.2}",
        ladder::format_days(known.idle_days())
    );
    Ok(Some(note.tier_move(
        LadderRule::Forget,
        Tier::Forgotten,
        due,
        reason,
    )))
}

impl ForgetOptions {
    /// Returns the time at which a note forgotten at `forgotten` goes to the trash, if ever.
    pub(super) fn trash_time(&self, forgotten: i64) -> Option<i64> {
        let wait = self.trash.duration()?;
        Some(forgotten.saturating_add(i64::try_from(wait.as_secs()).unwrap_or(i64::MAX)))
    }

    /// Returns the step of a forgotten note.
    fn removal(&self, view: &View<'_>, note: LadderNote<'_>) -> Result<Option<LadderMove>> {
        let details = note.details()?;
        let Some(moved) = details.moved else {
            return Ok(None);
        };
        let now = view.now.timestamp().as_second();
        let Some(due) = self.trash_time(moved) else {
            return Ok(None);
        };
        // Protection may have been added since, and used notes move up instead.
        let is_used = note.used_since(&details).is_some();
        if now < due || is_used || note.protection(&details, f64::INFINITY).is_some() {
            return Ok(None);
        }
        let forgotten = ladder::format_days(ladder::days(moved, now));
        Ok(Some(
            note.trash_move(due, format!("forgotten for {forgotten}")),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::ladder::tests::moved_after;
    use crate::signals::options::SignalFormulaOptions;

    fn moved(
        days: i64,
        trash: Interval,
        signals: &SignalFormulaOptions,
        notes: &[&str],
    ) -> Vec<String> {
        let all = ForgetOptions {
            notes: NoteScope::All,
            trash,
            ..ForgetOptions::default()
        };
        moved_after(days, &all, signals, notes)
    }

    #[test]
    fn forgets_unprotected_irrelevant_notes() {
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
        let options = SignalFormulaOptions::default();
        let of =
            |days, options: &SignalFormulaOptions| moved(days, Interval::Never, options, &notes);
        assert!(of(89, &options).is_empty());
        assert_eq!(of(125, &options), ["set tier of 0.md to forgotten"]);
        let later = [
            "set tier of 0.md to forgotten",
            "set tier of 6.md to forgotten",
        ];
        assert_eq!(of(200, &options), later);
        let with = |archive, grace, protect| {
            let mut options = options.clone();
            options.lifecycle.min_relevance = archive;
            (
                options.lifecycle.grace_days,
                options.lifecycle.protected_importance,
            ) = (grace, protect);
            of(125, &options).len()
        };
        assert_eq!(with(0.0, 90.0, 0.7), 0);
        assert_eq!(with(1.0, 90.0, 0.7), 2);
        assert_eq!(with(1.0, 90.0, 0.9), 3);
        assert_eq!(with(0.2, 1000.0, 0.7), 0);
    }

    #[test]
    fn working_notes_can_be_forgotten_directly() {
        let notes = ["", "tier: core\n", "tier: archival\n"];
        let options = SignalFormulaOptions::default();
        let working = ForgetOptions {
            notes: NoteScope::All,
            from: super::options::ForgettableTiers::Working,
            ..ForgetOptions::default()
        };
        let expected = [
            "set tier of 0.md to forgotten",
            "set tier of 2.md to forgotten",
        ];
        assert_eq!(moved_after(125, &working, &options, &notes), expected);
        let archival = [expected[1]];
        assert_eq!(moved(125, Interval::Never, &options, &notes), archival);
    }

    #[test]
    fn only_notes_forgotten_by_mem_are_trashed() {
        let notes = [
            "tier: forgotten\n",
            "tier: forgotten\nmem: {moved: 2060-03-05T00:00:00Z}\n",
            "tier: forgotten\nmem: {moved: 2060-03-05T00:00:00Z}\nkeep: true\n",
            "tier: forgotten\nmem: {moved: long ago}\n",
        ];
        let options = SignalFormulaOptions::default();
        for (days, trash, expected) in [
            (1000, Interval::Never, &[][..]),
            (60, Interval::days(90), &[]),
            (125, Interval::days(90), &["remove 1.md"]),
        ] {
            assert_eq!(moved(days, trash, &options, &notes), expected);
        }
    }
}

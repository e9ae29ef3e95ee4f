//! `decay`: demotes fading working notes to archival and restores used ones.
//!
//! The upper steps of the [ladder](super::ladder). Corresponds to Ormah's decay manager.

use super::ladder::{self, LadderMove, LadderNote, LadderRule};
use crate::jobs::prelude::*;
use crate::signals::lifecycle::is_fading;
use crate::signals::{Signal, SignalInputs};

/// Job table entry.
pub static JOB: Job = Job {
    name: DecayOptions::NAME,
    aliases: &["decay_manager"],
    about: "Archive unused notes and restore those used again",
    help: include_str!("help.txt"),
    looks: ("note", "checked"),
    done: "moved",
    nothing: "nothing fades",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs decay",
    kinds: &[QuestionKind::Decay],
    options: job::JobOptions::of::<DecayOptions>(),
};

section! {
    /// Which notes fade.
    pub struct DecayOptions: "decay", everyday [notes] {
        /// which notes are archived: those written by mem or an agent, or yours too, as one question a month
        notes: NoteScope, "managed or all";
    }
}

impl Find for DecayOptions {
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let tiers = [Tier::Working, Tier::Archival, Tier::Forgotten];
        let ladder_notes = ladder::ladder_notes(view, seeds, self.notes, &tiers)?;
        ladder::findings(view, answers, QuestionKind::Decay, ladder_notes, next_move)
    }

    fn notes(&self) -> NoteScope {
        self.notes
    }

    fn depends_on_time(&self) -> bool {
        true
    }
}

/// Returns the step of a note, if any.
fn next_move(note: LadderNote<'_>) -> Result<Option<LadderMove>> {
    let (up, reason) = match note.tier() {
        Tier::Archival => (Tier::Working, "used since it was archived"),
        Tier::Forgotten => (Tier::Archival, "used since it was forgotten"),
        _ => return fading(note),
    };
    if note.usage.last_reviewed.is_none() {
        return Ok(None);
    }
    let used = note.used_since(&note.details()?);
    Ok(used.map(|used| note.tier_move(LadderRule::Return, up, used, reason.to_owned())))
}

/// Returns the step of a fading working note.
fn fading(note: LadderNote<'_>) -> Result<Option<LadderMove>> {
    let options = note.view.signal_options();
    let fades = |known: &SignalInputs<'_>| {
        let gate = options.lifecycle.max_importance;
        // The cheaper signals suffice if importance does not exempt a note.
        let importance = if gate > 1.0 {
            0.0
        } else {
            known.signal(Signal::Importance, options)
        };
        is_fading(
            known.signal(Signal::Retrievability, options),
            importance,
            &options.lifecycle,
        )
    };
    let mut known = note.known()?;
    // Links only raise importance, and a later move only delays fading.
    if !fades(&known) {
        return Ok(None);
    }
    let details = note.details()?;
    known.since = known.since.max(details.moved.unwrap_or(i64::MIN));
    if options.lifecycle.max_importance <= 1.0 {
        known = note.linked(known)?;
    }
    if !fades(&known) || note.protection(&details, f64::INFINITY).is_some() {
        return Ok(None);
    }
    let due = known.fades_at(options.lifecycle.min_retrievability, options);
    let reason = format!(
        "not used for {}, retrievability {:.2}",
        ladder::format_days(known.idle_days()),
        known.signal(Signal::Retrievability, options)
    );
    Ok(Some(note.tier_move(
        LadderRule::Archive,
        Tier::Archival,
        due,
        reason,
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::ladder::tests::moved_after;
    use crate::signals::options::SignalFormulaOptions;

    fn archived(days: i64, signals: &SignalFormulaOptions, notes: &[&str]) -> Vec<String> {
        let all = DecayOptions {
            notes: NoteScope::All,
        };
        moved_after(days, &all, signals, notes)
    }

    #[test]
    fn archives_unprotected_fading_notes() {
        let notes = [
            "",
            "keep: true\n",
            "tier: core\n",
            "importance: 0.7\n",
            "importance: 0.6\n",
            "type: Decision\n",
            "type: fact\n",
            "derived_from: \"[[0]]\"\n",
            "summarizes: \"[[0]]\"\n",
            "tier: archival\n",
            "tier: forgotten\n",
            "mem: {moved: 2060-04-28T00:00:00Z}\n",
        ];
        let options = SignalFormulaOptions::default();
        let expected =
            ["0.md", "4.md", "6.md"].map(|note| format!("set tier of {note} to archival"));
        // Faded on the eighth day after its adoption; asked after the end of that month.
        assert!(archived(30, &options, &notes).is_empty());
        assert_eq!(archived(62, &options, &notes), expected);
        let gated = |fading, important| {
            let mut options = options.clone();
            (
                options.lifecycle.min_retrievability,
                options.lifecycle.max_importance,
            ) = (fading, important);
            archived(62, &options, &notes).len()
        };
        assert_eq!(gated(0.3, 0.6), 2);
        assert_eq!((gated(0.0, 2.0), gated(1.0, 2.0)), (0, 4));
        assert!(archived(62, &options, &[]).is_empty());
        assert_eq!(archived(62, &options, &[""]).len(), 1);
        let own = DecayOptions::default();
        assert!(moved_after(62, &own, &options, &notes).is_empty());
    }
}

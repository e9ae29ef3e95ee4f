//! Predicts what `decay` and `forget` will do to an unused note, and when.

use schemars::JsonSchema;

use super::ladder::{LadderNote, unused_since};
use super::{decay, enabled, forget};
use crate::config::Settings;
use crate::jobs::prelude::*;
use crate::signals::lifecycle::{Protection, disposition};
use crate::signals::usage::Usage;
use crate::signals::{DAY, Disposition, Signal, SignalInputs};

/// The next step of a note on the ladder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum NextStep {
    /// No step is due.
    Stays,
    /// The note is protected from demotion.
    Protected { by: Protection },
    /// It was used since its demotion and will be restored.
    Returns { job: &'static str },
    /// It will be demoted or removed.
    Goes {
        job: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<Tier>,
        /// Earliest time, in seconds since 1970.
        at: i64,
        /// Whether a sleep does it unasked, or the setting `notes` of the job excludes this note.
        is_on: bool,
    },
}

/// Prediction horizon in days.
const HORIZON_DAYS: i64 = 365 * 50;

/// Options of the jobs that move notes along the ladder; `None` for a disabled job.
#[derive(Clone, Debug, Default)]
pub struct LadderJobs {
    decay: Option<decay::DecayOptions>,
    forget: Option<forget::ForgetOptions>,
}

impl LadderJobs {
    pub fn of(settings: &Settings) -> Self {
        let enabled = enabled(settings);
        Self {
            decay: enabled.contains(&&decay::JOB).then(|| settings.of()),
            forget: enabled.contains(&&forget::JOB).then(|| settings.of()),
        }
    }
}

/// Returns the next step of a note with this `usage`.
pub fn next_step(
    view: &View<'_>,
    entry: &Entry,
    usage: &Usage,
    jobs: &LadderJobs,
) -> Result<NextStep> {
    let (entry, usage) = (entry.clone(), usage.clone());
    let note = LadderNote { view, entry, usage };
    let (details, options) = (note.details()?, view.signal_options());
    let tier = note.tier();
    let is_used = tier < Tier::Working && note.used_since(&details).is_some();
    if is_used && jobs.decay.is_some() {
        let job = decay::JOB.name;
        return Ok(NextStep::Returns { job });
    }
    let is_removed = tier == Tier::Forgotten && !is_used;
    let forget_options = jobs.forget.as_ref();
    let forget = forget_options.filter(|forget| is_removed || forget.takes(tier));
    let decay = jobs.decay.as_ref().filter(|_| tier == Tier::Working);
    let (job, notes) = match (forget, decay) {
        (Some(forget), _) => (forget::JOB.name, forget.notes),
        (None, Some(decay)) => (decay::JOB.name, decay.notes),
        (None, None) => return Ok(NextStep::Stays),
    };
    if let Some(by) = note.protection(&details, f64::INFINITY) {
        return Ok(NextStep::Protected { by });
    }
    let mut known = note.linked(note.known()?)?;
    let (to, at) = match (tier, forget) {
        (Tier::Working, None) => {
            known.since = known.since.max(details.moved.unwrap_or(i64::MIN));
            let important = options.lifecycle.max_importance;
            let small = first_time_without(&known, |later| {
                later.signal(Signal::Importance, options) >= important
            });
            let fades = known.fades_at(options.lifecycle.min_retrievability, options);
            (Some(Tier::Archival), small.map(|small| small.max(fades)))
        }
        (Tier::Working | Tier::Archival, _) => {
            let grace = (options.lifecycle.grace_days * DAY) as i64;
            let quiet = unused_since(&known, &details).saturating_add(grace);
            let small = first_time_without(&known, |later| {
                disposition(later.signal(Signal::Relevance, options), &options.lifecycle)
                    == Disposition::Preserve
            });
            (Some(Tier::Forgotten), small.map(|small| small.max(quiet)))
        }
        (_, forget) => {
            let due = forget.zip(details.moved);
            (
                None,
                due.and_then(|(forget, moved)| forget.trash_time(moved)),
            )
        }
    };
    let is_on = notes.has(&note.entry);
    Ok(at.map_or(NextStep::Stays, |at| NextStep::Goes { job, to, at, is_on }))
}

/// Returns the first day on which `keeps` fails, if any. Binary search works because relevance and importance
/// only fall with time.
fn first_time_without(
    known: &SignalInputs<'_>,
    keeps: impl Fn(&SignalInputs<'_>) -> bool,
) -> Option<i64> {
    let is_kept = |day: i64| {
        keeps(&SignalInputs {
            now: known.now.saturating_add(day * DAY as i64),
            ..*known
        })
    };
    if is_kept(HORIZON_DAYS) {
        return None;
    }
    let (mut still, mut not) = (-1, HORIZON_DAYS);
    while not - still > 1 {
        let middle = i64::midpoint(still, not);
        if is_kept(middle) {
            still = middle;
        } else {
            not = middle;
        }
    }
    Some(known.now.saturating_add(not * DAY as i64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Interval;
    use crate::finding::question::Answers;
    use crate::jobs::find::{Find, NoteScope, Seeds};
    use crate::jobs::ladder::tests::{adopted, note};

    #[test]
    fn important_note_moves_once_importance_fades() {
        let decay = decay::DecayOptions {
            notes: NoteScope::All,
        };
        let jobs = LadderJobs {
            decay: Some(decay.clone()),
            forget: Some(forget::ForgetOptions::default()),
        };
        let scene = adopted(&[note("")]);
        let mut signals = crate::signals::options::SignalFormulaOptions::default();
        for (important, days) in [(2.0, Some(6)), (0.05, Some(39)), (0.0, None)] {
            signals.lifecycle.max_importance = important;
            let view = |days| scene.view(days).with_signals(signals.clone());
            let today = view(0);
            let entry = today.entries().unwrap().remove(0);
            let said = next_step(&today, &entry, &Usage::default(), &jobs).unwrap();
            let NextStep::Goes { at, .. } = said else {
                assert_eq!((said, days), (NextStep::Stays, None));
                continue;
            };
            let day = (at - today.now.timestamp().as_second()).div_euclid(DAY as i64);
            assert_eq!(Some(day), days);
            for (days, expected) in [(day - 1, 0), (day + 62, 1)] {
                let found = decay.find(&view(days), &Answers::default(), &Seeds::All);
                assert_eq!(found.unwrap().found.len(), expected, "{important} {days}");
            }
        }
    }

    #[test]
    fn prediction_matches_the_jobs() {
        let decay = decay::DecayOptions {
            notes: NoteScope::All,
        };
        let forget = forget::ForgetOptions {
            notes: NoteScope::All,
            trash: Interval::days(30),
            ..forget::ForgetOptions::default()
        };
        let notes = [
            "",
            "tier: archival\n",
            "tier: archival\nimportance: 0.69\n",
            "tier: archival\nkeep: true\n",
            "tier: core\n",
            "tier: forgotten\n",
            "tier: forgotten\nmem: {moved: 2060-03-05T00:00:00Z}\n",
        ];
        let scene = adopted(&notes.map(note));
        let today = scene.view(0);
        let mut dates = Vec::new();
        for entry in today.entries().unwrap() {
            let predict = |decay: Option<&decay::DecayOptions>,
                           forget: Option<&forget::ForgetOptions>| {
                let jobs = LadderJobs {
                    decay: decay.cloned(),
                    forget: forget.cloned(),
                };
                next_step(&today, &entry, &Usage::default(), &jobs).unwrap()
            };
            assert_eq!(predict(None, None), NextStep::Stays);
            let said = predict(Some(&decay), Some(&forget));
            let NextStep::Goes { at, .. } = said else {
                dates.push(None);
                continue;
            };
            let now = today.now.timestamp().as_second();
            let day = (at - now).div_euclid(DAY as i64);
            dates.push(Some(day));
            // The question about notes of people comes after the end of the month.
            for (days, expected) in [(day - 1, 0), (day + 32, 1)] {
                let later = scene.view(days);
                let found = |find: &dyn Find| {
                    let found = find.find(&later, &Answers::default(), &Seeds::All).unwrap();
                    let notes = found.found.into_iter().flat_map(|finding| finding.notes);
                    notes.filter(|note| *note == entry.path).count()
                };
                assert_eq!(
                    found(&decay) + found(&forget),
                    expected,
                    "{} {days}",
                    entry.path
                );
            }
            let own = decay::DecayOptions::default();
            let NextStep::Goes { is_on, .. } = predict(Some(&own), Some(&forget)) else {
                panic!("{}", entry.path);
            };
            assert_eq!(is_on, entry.path.as_str() != "0.md");
            // A disabled job moves nothing.
            let is_working = entry.path.as_str() == "0.md";
            let by_decay = predict(Some(&decay), None);
            assert_eq!(by_decay == said, is_working);
            assert!(is_working || by_decay == NextStep::Stays);
            assert_eq!(predict(None, Some(&forget)) == said, !is_working);
        }
        assert_eq!(dates, [Some(6), Some(90), None, None, None, None, Some(33)]);
    }
}

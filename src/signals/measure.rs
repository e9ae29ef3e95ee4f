//! Computes the signals of a note from its data and the current time.

use super::activity;
use super::fields::Signal;
use super::importance::{self, ImportanceInputs};
use super::options::SignalFormulaOptions;
use super::promotion::{self, PromotionInputs};
use super::relevance::{self, RelevanceInputs};
use super::stability::{DAY, retrievability};
use super::tier::Tier;
use super::usage::Usage;

/// Inputs of a note's signals. Times are seconds since 1970.
#[derive(Clone, Copy, Debug)]
pub struct SignalInputs<'u> {
    pub now: i64,
    /// Earlier times count as this one.
    pub since: i64,
    pub created: i64,
    /// When it was last written, by its own dates or its file's.
    pub written: i64,
    /// As stated by its author.
    pub importance: Option<f64>,
    /// Whether the stated importance is recomputed.
    pub is_rescored: bool,
    pub confidence: f64,
    /// Links to and from it, without `summaries`.
    pub links: u32,
    /// Links to it from summaries that mem wrote.
    pub summaries: u32,
    pub tags: u32,
    pub tier: Tier,
    pub usage: &'u Usage,
}

/// A number and its terms.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedSignal {
    pub value: f64,
    pub made: TermCombination,
    pub terms: Vec<(&'static str, f64)>,
}

/// How the terms combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TermCombination {
    /// They are added.
    Sum,
    /// They are multiplied.
    Product,
    /// Without terms: stated by the author, or counted.
    Stated,
}

/// Minimum change of a stored number: Ormah's dead band.
const DEAD_BAND: f64 = 0.01;

/// Whether a number changed enough to be stored.
pub fn exceeds_dead_band(old: f64, new: f64) -> bool {
    (new - old).abs() >= DEAD_BAND
}

impl SignalInputs<'_> {
    fn days_since(&self, at: i64) -> f64 {
        (self.now - at.max(self.since)).max(0) as f64 / DAY
    }

    /// Returns when the note was last used according to events, else last written.
    pub fn last_used(&self) -> i64 {
        self.usage.anchor().unwrap_or(self.written)
    }

    pub fn age_days(&self) -> f64 {
        self.days_since(self.created)
    }

    pub fn idle_days(&self) -> f64 {
        self.days_since(self.last_used())
    }

    /// Returns the stability of the note in days.
    pub fn stability(&self, options: &SignalFormulaOptions) -> f64 {
        self.usage.stability.unwrap_or(options.stability.initial)
    }

    /// Returns when retrievability falls below `share`.
    pub fn fades_at(&self, share: f64, options: &SignalFormulaOptions) -> i64 {
        let days = self.stability(options) * -share.max(f64::MIN_POSITIVE).ln();
        let from = self.last_used().max(self.since);
        from.saturating_add((days * DAY) as i64)
    }

    fn importance_inputs(&self, options: &SignalFormulaOptions) -> ImportanceInputs {
        ImportanceInputs {
            accesses: self.usage.accesses,
            links: self.links,
            idle_days: Some(self.idle_days()),
            stability: self.stability(options),
        }
    }

    fn relevance_inputs(&self) -> RelevanceInputs {
        RelevanceInputs {
            age_days: self.age_days(),
            idle_days: self.usage.anchor().map(|at| self.days_since(at)),
            // AutoMem counts the edges of summaries, too.
            links: self.links.saturating_add(self.summaries),
            importance: self.stated_importance(),
            confidence: self.confidence,
        }
    }

    fn promotion_inputs(&self) -> PromotionInputs {
        let usage = self.usage;
        let span = usage.last_accessed.zip(usage.first_accessed);
        PromotionInputs {
            accesses: usage.accesses,
            feedback: if usage.uses > 0 {
                usage.rewards / usage.uses as f64
            } else {
                0.0
            },
            questions: usage.helped.len() as u64,
            days: usage.days,
            span_days: span.map_or(0.0, |(last, first)| (last - first) as f64 / DAY),
            idle_days: usage.last_accessed.map(|at| self.days_since(at)),
            tags: self.tags,
        }
    }

    /// Returns the stated importance, or .5.
    pub fn stated_importance(&self) -> f64 {
        self.importance.unwrap_or(0.5)
    }

    /// Returns the stated importance unless it is recomputed.
    pub fn fixed_importance(&self) -> Option<f64> {
        self.importance.filter(|_| !self.is_rescored)
    }

    /// Returns a signal of the note.
    pub fn signal(&self, signal: Signal, options: &SignalFormulaOptions) -> f64 {
        match signal {
            Signal::Importance => self.fixed_importance().unwrap_or_else(|| {
                importance::terms(self.importance_inputs(options), &options.importance)
                    .iter()
                    .sum()
            }),
            Signal::Retrievability => retrievability(self.idle_days(), self.stability(options)),
            Signal::Stability => self.stability(options),
            Signal::Relevance => relevance::relevance(self.relevance_inputs(), &options.relevance),
            Signal::Salience => self.usage.salience.of(self.stated_importance()),
            Signal::Activity => activity::in_tier(self.usage.activity, self.tier),
            Signal::Promotion => promotion::terms(self.promotion_inputs(), &options.promotion)
                .iter()
                .sum(),
            Signal::Questions => self.usage.helped.len() as f64,
            Signal::Accesses => self.usage.accesses as f64,
        }
    }

    /// Returns a signal of the note with its terms.
    pub fn explained(&self, signal: Signal, options: &SignalFormulaOptions) -> ExplainedSignal {
        let terms = |names: &[&'static str], values: &[f64]| -> Vec<(&'static str, f64)> {
            names.iter().copied().zip(values.iter().copied()).collect()
        };
        let (made, terms) = match signal {
            Signal::Importance if self.fixed_importance().is_none() => {
                let values =
                    importance::terms(self.importance_inputs(options), &options.importance);
                (TermCombination::Sum, terms(&importance::TERMS, &values))
            }
            Signal::Promotion => {
                let values = promotion::terms(self.promotion_inputs(), &options.promotion);
                (TermCombination::Sum, terms(&promotion::TERMS, &values))
            }
            Signal::Relevance => {
                let values = relevance::factors(self.relevance_inputs(), &options.relevance);
                (
                    TermCombination::Product,
                    terms(&relevance::FACTORS, &values),
                )
            }
            _ => (TermCombination::Stated, Vec::new()),
        };
        ExplainedSignal {
            value: self.signal(signal, options),
            made,
            terms,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signals::fields::SIGNALS;
    use crate::signals::usage::Parameters;

    const DAYS: i64 = 86_400;

    fn known(usage: &Usage) -> SignalInputs<'_> {
        SignalInputs {
            now: 100 * DAYS,
            since: i64::MIN,
            created: 40 * DAYS,
            written: 90 * DAYS,
            importance: None,
            is_rescored: false,
            confidence: 1.0,
            links: 4,
            summaries: 0,
            tags: 2,
            tier: Tier::Working,
            usage,
        }
    }

    #[test]
    fn unused_notes_count_from_when_written() {
        let (usage, options) = (Usage::default(), SignalFormulaOptions::default());
        let known = known(&usage);
        assert_eq!((known.age_days(), known.idle_days()), (60.0, 10.0));
        let faded = known.fades_at(0.3, &options) - 90 * DAYS;
        assert!((faded as f64 / DAY - 7.0).abs() < 1e-3);
        // A note adopted late counts from its adoption.
        let late = SignalInputs {
            since: 97 * DAYS,
            ..known
        };
        assert_eq!((late.age_days(), late.idle_days()), (3.0, 3.0));
        assert_eq!(
            late.fades_at(0.3, &options) - known.fades_at(0.3, &options),
            7 * DAYS
        );
        // Saved in the future, by a clock that is ahead.
        let early = SignalInputs { now: 0, ..known };
        assert_eq!((early.age_days(), early.idle_days()), (0.0, 0.0));
    }

    #[test]
    fn terms_combine_to_the_signal() {
        let mut usage = Usage::default();
        let options = SignalFormulaOptions::default();
        for day in [50, 70, 95] {
            usage.reinforced(day * DAYS, 0.5, Some("why?"), &Parameters::default());
        }
        for importance in [None, Some(0.4)] {
            let known = SignalInputs {
                importance,
                ..known(&usage)
            };
            for signal in SIGNALS {
                let explained = known.explained(signal, &options);
                let values = explained.terms.iter().map(|(_, value)| value);
                let made: f64 = match explained.made {
                    TermCombination::Sum => values.sum(),
                    TermCombination::Product => values.product(),
                    TermCombination::Stated => explained.value,
                };
                assert!((made - explained.value).abs() < 1e-9, "{signal:?}");
                assert_eq!(
                    explained.terms.is_empty(),
                    explained.made == TermCombination::Stated
                );
            }
        }
        let stated = SignalInputs {
            importance: Some(0.9),
            ..known(&usage)
        };
        let rescored = SignalInputs {
            is_rescored: true,
            ..stated
        };
        let computed = known(&usage).signal(Signal::Importance, &options);
        assert!((rescored.signal(Signal::Importance, &options) - computed).abs() < 1e-9);
        for (signal, expected) in [
            (Signal::Importance, 0.9),
            (Signal::Questions, 1.0),
            (Signal::Accesses, 3.0),
        ] {
            assert!(
                (stated.signal(signal, &options) - expected).abs() < 1e-9,
                "{signal:?}"
            );
        }
    }

    #[test]
    fn links_of_summaries_affect_only_relevance() {
        let (usage, options) = (Usage::default(), SignalFormulaOptions::default());
        let of = |links, summaries| SignalInputs {
            links,
            summaries,
            ..known(&usage)
        };
        let same = |a: SignalInputs<'_>, b: SignalInputs<'_>, signal| {
            (a.signal(signal, &options) - b.signal(signal, &options)).abs() < 1e-9
        };
        assert!(same(of(4, 2), of(6, 0), Signal::Relevance));
        assert!(!same(of(4, 2), of(4, 0), Signal::Relevance));
        assert!(same(of(4, 2), of(4, 0), Signal::Importance));
    }

    #[test]
    fn changes_within_dead_band_are_ignored() {
        for (old, new, expected) in [(0.5, 0.505, false), (0.5, 0.511, true), (0.5, 0.48, true)] {
            assert_eq!(exceeds_dead_band(old, new), expected, "{old} {new}");
        }
    }
}

//! Estimates the probability of a yes, and the value of the question.
//!
//! Logistic regression per kind of question. The general weights are in [`KindSpec`]; the minimum
//! probability
//! of a question was chosen with them. The answers of a vault adapt the weights: they maximise the
//! posterior
//! under a normal prior around the general ones, so three answers change little and twenty change
//! much.

use super::features::{self, Features, NAMES, chance};
use crate::finding::kind::KindSpec;
use crate::run::prelude::*;

/// Log odds that a judge's answer adds: it is assumed to be right six times in seven. With judges
/// that err once in
/// ten the order of the queue is the same at 3; with worse ones it is worse (benches/RESULTS.md).
const JUDGE_LOG_ODDS: f32 = 1.8;

/// Prior variances of a vault's weights: of the base and of the features.
const BASE_VARIANCE: f32 = 0.3;
const FEATURE_VARIANCES: Features = [0.03, 0.15, 0.15, 0.15, 0.15, 0.05];

/// Prior variances of the weights of a note and of a folder.
const NOTE_VARIANCE: f32 = 0.5;
const FOLDER_VARIANCE: f32 = 0.1;

/// Age in seconds, relative to the newest answer, at which an answer counts half: preferences
/// change. Time
/// alone changes nothing, so a muted kind stays muted until a person accepts one of its
/// suggestions.
const HALF_LIFE_SECONDS: f32 = 180.0 * 86_400.0;

/// Maximum number of answers per kind to learn from; the newest are used.
const MAX_EXAMPLES: usize = 400;

/// Iterations of coordinate-wise Newton's method; more change no displayed digit.
const NEWTON_ITERATIONS: usize = 20;

/// An answer to learn from.
#[derive(Clone, Debug)]
pub struct Example {
    pub kind: QuestionKind,
    /// All zero for answers older than the recording of features.
    pub features: Features,
    /// The paths of the notes.
    pub about: Vec<String>,
    pub is_yes: bool,
    pub at: Timestamp,
}

/// Weights of one kind learned from the answers of a vault.
#[derive(Clone, Debug, Default, PartialEq)]
struct LearnedWeights {
    base: f32,
    features: Features,
    /// Weights of notes and folders, keyed as in [`place_keys`].
    places: HashMap<u64, f32>,
    /// Number of answers, and of rejections among them.
    answers: usize,
    noes: usize,
}

/// Estimates for one finding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Probability of a yes, 0–1.
    pub chance: f32,
    /// The probability without the answers of this vault.
    pub unlearned: f32,
    /// The probability times the value of a yes.
    pub worth: f32,
    /// Information gained by an answer: its variance times the value of a yes.
    pub information_gain: f32,
}

/// One term of the log odds of a yes.
#[derive(Clone, Debug, PartialEq, serde::Serialize, JsonSchema)]
pub struct LogOddsTerm {
    pub name: &'static str,
    pub log_odds: f32,
}

/// The learned model: probabilities of a yes for all kinds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chances {
    learned: [LearnedWeights; QuestionKind::ALL.len()],
    /// Yes minus no answers of judges per question.
    judges: HashMap<QuestionKey, i32>,
}

impl Chances {
    /// Learns from `answers`, oldest first.
    pub fn of(answers: &[Example]) -> Self {
        let mut chances = Self::default();
        for kind in QuestionKind::ALL {
            let of_kind = answers.iter().rev().filter(|answer| answer.kind == kind);
            let newest: Vec<&Example> = of_kind.take(MAX_EXAMPLES).collect();
            chances.learned[kind as usize] = learn(kind.spec(), &newest);
        }
        chances
    }

    /// Adds the opinions of judges.
    #[must_use]
    pub fn with(self, opinions: &Opinions) -> Self {
        let judges = opinions.all().map(|(key, opinions)| {
            let answers = opinions.iter().filter_map(|opinion| opinion.answer);
            let more = answers.map(|answer| if answer.is_yes() { 1 } else { -1 });
            // At most two judges must agree; more opinions in the journal do not weigh more.
            (key, more.sum::<i32>().clamp(-2, 2))
        });
        let judges = judges.collect();
        Self { judges, ..self }
    }

    pub fn judge(&self, finding: &Finding) -> Estimate {
        let notes = finding.notes.iter().map(VaultPath::as_str);
        let shift = self.shift_by_judges(finding);
        self.judge_features(finding.kind(), &features::of(finding), notes, shift)
    }

    /// Returns the log odds that judges add.
    fn shift_by_judges(&self, finding: &Finding) -> f32 {
        let more = self.judges.get(&finding.key);
        JUDGE_LOG_ODDS * more.map_or(0.0, |more| *more as f32)
    }

    /// Estimates a finding by kind, features and note paths; `judges` is added to the log odds.
    pub fn judge_features<'n>(
        &self,
        kind: QuestionKind,
        features: &Features,
        notes: impl Iterator<Item = &'n str>,
        judges: f32,
    ) -> Estimate {
        let (prior, learned) = self.about(kind);
        let general = prior_log_odds(prior, features) + judges;
        let shift = learned.shift(features) + learned.shift_of(notes);
        let (unlearned, chance) = (chance(general), chance(general + shift));
        Estimate {
            chance,
            unlearned,
            worth: chance * prior.worth,
            information_gain: chance * (1.0 - chance) * prior.worth,
        }
    }

    /// Returns the terms of the log odds of a yes.
    pub fn terms(&self, finding: &Finding) -> Vec<LogOddsTerm> {
        let features = features::of(finding);
        let (prior, learned) = self.about(finding.kind());
        let mut terms = Vec::new();
        let mut add = |name, log_odds| terms.push(LogOddsTerm { name, log_odds });
        add(finding.kind().name(), prior.base);
        for ((name, weight), value) in NAMES.iter().zip(prior.weights).zip(features) {
            add(name, weight * value);
        }
        add("answers", learned.shift(&features));
        let notes = finding.notes.iter().map(VaultPath::as_str);
        add("answers about them", learned.shift_of(notes));
        add("judges", self.shift_by_judges(finding));
        terms.retain(|term| term.log_odds.abs() >= 0.005);
        terms
    }

    /// Returns the numbers of answers and of rejections of `kind`.
    pub fn answers(&self, kind: QuestionKind) -> (usize, usize) {
        let learned = &self.learned[kind as usize];
        (learned.answers, learned.noes)
    }

    fn about(&self, kind: QuestionKind) -> (&'static KindSpec, &LearnedWeights) {
        let at = kind as usize;
        (kind.spec(), &self.learned[at])
    }
}

/// Returns the value of a yes to `kind`, in links.
pub fn worth(kind: QuestionKind) -> f32 {
    kind.spec().worth
}

/// Explains the probability and the worth of a finding.
pub fn explanation(finding: &Finding, estimate: &Estimate, terms: &[LogOddsTerm]) -> String {
    let sum: f32 = terms.iter().map(|term| term.log_odds).sum();
    let Estimate { worth, chance, .. } = estimate;
    let of_yes = self::worth(finding.kind());
    let mut text = format!("worth {worth:.2} = {chance:.2} × {of_yes}, ");
    let _ = write!(text, "chance {chance:.2} from log odds {sum:+.2} =");
    for LogOddsTerm { name, log_odds } in terms {
        let _ = write!(text, " {name} {log_odds:+.2}");
    }
    text
}

/// Returns the log odds of a yes by the general weights.
fn prior_log_odds(spec: &KindSpec, features: &Features) -> f32 {
    spec.base + dot(&spec.weights, features)
}

impl LearnedWeights {
    /// Returns the log odds that answers about these notes and their folders add.
    fn shift_of<'n>(&self, notes: impl Iterator<Item = &'n str>) -> f32 {
        if self.places.is_empty() {
            return 0.0;
        }
        let places = place_keys(notes).filter_map(|(place, _)| self.places.get(&place));
        places.sum()
    }

    fn shift(&self, features: &Features) -> f32 {
        self.base + dot(&self.features, features)
    }
}

fn dot(weights: &Features, features: &Features) -> f32 {
    let products = weights.iter().zip(features);
    products.map(|(weight, value)| weight * value).sum()
}

/// Returns the weights with the highest posterior probability, given `answers`.
fn learn(prior: &KindSpec, answers: &[&Example]) -> LearnedWeights {
    let newest = answers.iter().map(|answer| answer.at.as_second()).max();
    let weight_of = |answer: &Example| {
        let age = newest.map_or(0, |newest| newest.saturating_sub(answer.at.as_second()));
        0.5_f32.powf(age as f32 / HALF_LIFE_SECONDS)
    };
    let observations = answers.iter().map(|answer| Observation {
        log_odds: prior_log_odds(prior, &answer.features),
        label: f32::from(u8::from(answer.is_yes)),
        weight: weight_of(answer),
    });
    let mut rows: Vec<Observation> = observations.collect();
    let mut base = Coefficient::new(BASE_VARIANCE);
    let mut features = FEATURE_VARIANCES.map(Coefficient::new);
    let mut places: BTreeMap<u64, Coefficient> = BTreeMap::new();
    for (row, answer) in answers.iter().enumerate() {
        base.uses.push((row, 1.0));
        for (weight, value) in features.iter_mut().zip(answer.features) {
            weight.uses.push((row, value));
        }
        for (place, variance) in place_keys(answer.about.iter().map(String::as_str)) {
            let entry = places.entry(place);
            let weight = entry.or_insert_with(|| Coefficient::new(variance));
            weight.uses.push((row, 1.0));
        }
    }
    for _ in 0..NEWTON_ITERATIONS {
        base.improve(&mut rows);
        for weight in features.iter_mut().chain(places.values_mut()) {
            weight.improve(&mut rows);
        }
    }
    let places = places
        .into_iter()
        .map(|(place, weight)| (place, weight.value));
    LearnedWeights {
        base: base.value,
        features: features.map(|weight| weight.value),
        places: places.collect(),
        answers: answers.len(),
        noes: answers.iter().filter(|answer| !answer.is_yes).count(),
    }
}

/// An answer in the regression: current log odds, label, and weight.
struct Observation {
    log_odds: f32,
    label: f32,
    weight: f32,
}

/// A coefficient with its prior variance and its factor in each row.
struct Coefficient {
    value: f32,
    variance: f32,
    uses: Vec<(usize, f32)>,
}

impl Coefficient {
    fn new(variance: f32) -> Self {
        Self {
            value: 0.0,
            variance,
            uses: Vec::new(),
        }
    }

    /// Takes one step of Newton's method.
    fn improve(&mut self, rows: &mut [Observation]) {
        let (mut slope, mut curvature) = (-self.value / self.variance, 1.0 / self.variance);
        for (row, x) in &self.uses {
            let row = &rows[*row];
            let chance = chance(row.log_odds);
            slope += row.weight * (row.label - chance) * x;
            curvature += row.weight * chance * (1.0 - chance) * x * x;
        }
        let step = slope / curvature;
        self.value += step;
        for (row, x) in &self.uses {
            rows[*row].log_odds += step * x;
        }
    }
}

/// Returns the keys of each note and its folder, with the prior variance of their weights.
fn place_keys<'n>(notes: impl Iterator<Item = &'n str>) -> impl Iterator<Item = (u64, f32)> {
    notes.flat_map(|note| {
        let folder = note.rsplit_once('/').map_or("", |(folder, _)| folder);
        [
            (xxh3_64(note.as_bytes()), NOTE_VARIANCE),
            (xxh3_64(format!("{folder}/").as_bytes()), FOLDER_VARIANCE),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::attention::tests::{link, mention};

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn answers(kind: QuestionKind, given: &[(bool, usize)], features: Features) -> Vec<Example> {
        let example = |is_yes| Example {
            kind,
            features,
            about: Vec::new(),
            is_yes,
            at: NOW,
        };
        let given = given.iter();
        given
            .flat_map(|(is_yes, times)| std::iter::repeat_n(example(*is_yes), *times))
            .collect()
    }

    #[test]
    fn three_answers_change_little_and_twenty_much() {
        let asked = mention(0.8, "a.md", "b/b.md", "Green tea");
        let features = features::of(&asked);
        let chance = |given: &[(bool, usize)]| {
            let chances = Chances::of(&answers(QuestionKind::Mention, given, features));
            chances.judge(&asked).chance
        };
        let before = chance(&[]);
        assert!((before - 0.8).abs() < 1e-6, "{before}");
        assert!(chance(&[(false, 3)]) > 0.6, "{}", chance(&[(false, 3)]));
        assert!(chance(&[(false, 16), (true, 4)]) < 0.5);
        assert!(chance(&[(false, 20)]) < 0.35);
        assert!(chance(&[(true, 5)]) > before);
        // Answers about mentions do not affect links.
        let chances = Chances::of(&answers(QuestionKind::Mention, &[(false, 20)], features));
        let linked = link(0.8, "a.md", "b.md");
        assert_eq!(chances.judge(&linked), Chances::default().judge(&linked));
        assert_eq!(chances.answers(QuestionKind::Mention), (20, 20));
    }

    #[test]
    fn common_features_of_answers_are_learned() {
        let [near, far] = [
            link(0.8, "films/a.md", "films/b.md"),
            link(0.8, "films/a.md", "people/b.md"),
        ];
        let mut given = answers(QuestionKind::Link, &[(false, 10)], features::of(&near));
        given.extend(answers(
            QuestionKind::Link,
            &[(true, 10)],
            features::of(&far),
        ));
        let chances = Chances::of(&given);
        let [near, far] = [near, far].map(|asked| chances.judge(&asked));
        assert!(near.chance + 0.1 < far.chance, "{near:?} {far:?}");
        assert!((near.unlearned - far.unlearned).abs() < 1e-6);
    }

    #[test]
    fn answers_about_a_note_affect_only_that_note() {
        let about = |to: &str| mention(0.8, "a.md", to, "Green tea");
        let mut given = answers(
            QuestionKind::Mention,
            &[(false, 4)],
            features::of(&about("b.md")),
        );
        for answer in &mut given {
            answer.about = vec!["c.md".to_owned(), "b.md".to_owned()];
        }
        let chances = Chances::of(&given);
        let [same, other] = ["b.md", "d.md"].map(|to| chances.judge(&about(to)).chance);
        assert!(same + 0.1 < other, "{same} {other}");
    }

    #[test]
    fn an_older_answer_counts_for_less() {
        let asked = mention(0.8, "a.md", "b/b.md", "Green tea");
        let year = Timestamp::from_second(365 * 86_400).unwrap();
        let chance = |noes: Timestamp, yeses: Timestamp| {
            let mut given = answers(QuestionKind::Mention, &[(false, 10)], features::of(&asked));
            given.extend(answers(
                QuestionKind::Mention,
                &[(true, 5)],
                features::of(&asked),
            ));
            for answer in &mut given {
                answer.at = if answer.is_yes { yeses } else { noes };
            }
            Chances::of(&given).judge(&asked).chance
        };
        assert!(chance(NOW, NOW) + 0.1 < chance(NOW, year));
        // Time alone changes nothing.
        assert!((chance(NOW, NOW) - chance(year, year)).abs() < 1e-6);
    }

    #[test]
    fn the_terms_add_up() {
        let asked = link(0.9, "a/x y.md", "a/y z.md");
        let given = answers(QuestionKind::Link, &[(true, 4)], features::of(&asked));
        let chances = Chances::of(&given);
        let estimate = chances.judge(&asked);
        let sum: f32 = chances.terms(&asked).iter().map(|term| term.log_odds).sum();
        assert!((chance(sum) - estimate.chance).abs() < 0.01);
        assert!((estimate.worth - estimate.chance * worth(QuestionKind::Link)).abs() < 1e-6);
    }
}

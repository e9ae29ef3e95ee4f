//! Drops notes that do not belong to a question.
//!
//! Only a note's own score is used, without its context. A note is kept under two conditions.
//!
//! The best score exceeds chance: among many notes one is near to anything. The best of `n` unrelated notes
//! scores like the largest of `n` random numbers, which grows with the root of the logarithm of `n`. (The
//! deviation of a cosine from the others in the vault does not help: over eight corpora it separates own
//! questions from foreign ones no better than a coin.)
//!
//! The required margin is larger if no note mentions the subject of the question. If none of the best notes has a
//! name of the question, `UMAP` or `Caroline`, one of them must have most of its other words. On four vaults with
//! 150 questions and their 60 neighbours without an answer, this loses no right note, and `recall` is silent on 43
//! instead of 27 of the 60.
//!
//! The best notes are near in meaning: words alone find a cat in a code example for `why do cats purr?`. The constants
//! lose none of 110 answerable questions of three vaults and silence 12 more of their 120 unanswerable ones. They were
//! chosen on these: factors from .95 to 1.05 lose at most one per vault.
//!
//! The note's score is near to the best: half of it among few notes, less among many, where more notes answer
//! together and the budget cuts. If the best is hardly related to the question, the share is lower still,
//! since the third may be the answer as well as the first.
//!
//! `benches/RESULTS.md` lists what this keeps and drops per corpus, also with constants fitted on the other
//! corpora. The metric that keeps most favours a softer cut (`SURE_RATIO` of 3). The stricter value serves the
//! precision on `PrecisionMemBench`.

use super::mode::Mode;
use super::ranking::RankedHit;
use crate::embed::{Embedder as _, embedded};
use crate::note::words::english::is_calendar_word;
use crate::note::words::language::Language;

/// The best of `n` unrelated notes scores `CHANCE_SPREAD * sqrt(2 ln n) - CHANCE_OFFSET`.
const CHANCE_SPREAD: f32 = 0.1;
const CHANCE_OFFSET: f32 = 0.1;

/// Minimum share of the best score, for `FEW_NOTES` notes and for very many, if the best scores `SURE_RATIO` times
/// chance.
const MIN_SHARE_OF_BEST: f32 = 0.5;
const MIN_SHARE_OF_BEST_OF_MANY: f32 = 0.3;
const FEW_NOTES: f32 = 50.0;
const SURE_RATIO: f32 = 2.2;

/// Notes whose mean cosine must exceed chance, unless one of them is nearer than `FAR_RATIO` times chance.
const NEAREST: usize = 3;
const FAR_RATIO: f32 = 1.2;

/// Margin over chance that the best needs if no note mentions the subject of the question.
const UNKNOWN_SUBJECT_MARGIN: f32 = 0.1;

/// Notes that are searched for the names of a query.
pub(super) const BEST: usize = 5;
/// Share of the words of a query, weighted by rarity, that a note must have if none has a name of the query.
const MIN_SHARE_WITHOUT_NAME: f32 = 0.6;

/// Properties of the query and vault that decide relevance.
#[derive(Clone, Copy, Debug)]
pub(super) struct RelevanceInput {
    pub(super) mode: Mode,
    /// Number of notes in the vault.
    pub(super) notes: u32,
    /// Whether no note mentions the subject; see [`is_subject_unknown`].
    pub(super) is_subject_unknown: bool,
    /// Whether a name of the query is in none of the best notes; see [`names`].
    pub(super) lacks_name: bool,
    /// Factor of the cosine in scores compared with chance: the constants are fitted with the default weight.
    pub(super) semantic_factor: f32,
}

/// Removes and returns notes that do not belong to the question.
pub(super) fn keep_relevant(ranked: &mut Vec<RankedHit>, input: RelevanceInput) -> Vec<RankedHit> {
    // Lexical scores have no absolute scale.
    if input.mode == Mode::Lexical {
        return Vec::new();
    }
    let scored = |candidate: &RankedHit| {
        let score = &candidate.score;
        (score.text + input.semantic_factor * score.semantic) * score.weight
    };
    let best = ranked.iter().map(scored).fold(0.0, f32::max);
    if input.lacks_name
        && ranked
            .iter()
            .take(BEST)
            .all(|candidate| candidate.share < MIN_SHARE_WITHOUT_NAME)
    {
        return std::mem::take(ranked);
    }
    let chance_score = chance_score(input.notes);
    if is_far(ranked, chance_score) {
        return std::mem::take(ranked);
    }
    let least = min_share_of_best(input.notes) * reference_score(best, chance_score);
    let enough = chance_score
        + if input.is_subject_unknown {
            UNKNOWN_SUBJECT_MARGIN
        } else {
            0.0
        };
    // A note with all words is relevant, even if common words score low.
    let is_relevant = |candidate: &RankedHit| {
        scored(candidate) >= least && (best >= enough || candidate.is_complete)
    };
    let dropped = ranked.extract_if(.., |candidate| !is_relevant(candidate));
    dropped.collect()
}

/// Returns whether the best notes are as far from the question as unrelated ones, and none has all its words.
fn is_far(ranked: &[RankedHit], chance_score: f32) -> bool {
    let best = &ranked[..ranked.len().min(NEAREST)];
    let cosines: Option<Vec<f32>> = best.iter().map(|candidate| candidate.cosine).collect();
    let Some(cosines) = cosines.filter(|cosines| cosines.len() == NEAREST) else {
        return false;
    };
    let mean = cosines.iter().sum::<f32>() / cosines.len() as f32;
    let nearest = cosines.into_iter().fold(0.0, f32::max);
    let is_known = |candidate: &RankedHit| candidate.is_complete || candidate.name_match.is_some();
    mean < chance_score && nearest < FAR_RATIO * chance_score && !ranked.iter().any(is_known)
}

/// Returns whether no note mentions the subject of a query. In a question the subject is a name (a capital
/// after the first word, unless all nouns have one), in keywords at least half of the words. `unknown` are words
/// of `typed` that occur in no note.
pub(super) fn is_subject_unknown(
    typed: &str,
    unknown: &[String],
    is_question: bool,
    language: Language,
) -> bool {
    let words = typed.split_whitespace();
    if is_question {
        let is_name = |word: &str| {
            let capitals = word.starts_with(char::is_uppercase);
            let is_i = word.starts_with("I'") || word.starts_with("I’");
            capitals && !is_i && unknown.iter().any(|unknown| unknown == word)
        };
        !language.capitalises_nouns() && words.skip(1).any(is_name)
    } else {
        unknown.len() * 2 >= words.count() && !unknown.is_empty()
    }
}

/// Returns the names in `words`, which are those of a query in order: words with a capital or a digit inside, and
/// words with a capital after the first. Common words are none, whatever their letters: `PC`.
pub(super) fn names<'w>(words: &[&'w str], language: Language) -> Vec<&'w str> {
    let is_lower = |word: &&str| word.starts_with(char::is_lowercase);
    // German nouns and titles have capitals, too.
    let tells_names = !language.capitalises_nouns() && words.iter().skip(1).any(is_lower);
    let is_name = |&(at, word): &(usize, &'w str)| {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let owner = bare.strip_suffix("'s").or_else(|| bare.strip_suffix("’s"));
        let stem = owner.unwrap_or(bare);
        let lower = stem.to_lowercase();
        let has_letter = stem.contains(char::is_alphabetic);
        let is_marked = |c: char| c.is_uppercase() || c.is_ascii_digit();
        if stem.chars().skip(1).any(is_marked) {
            return has_letter && embedded().knows(&lower) == Some(false);
        }
        let is_i = lower == "i" || lower.starts_with("i'") || lower.starts_with("i’");
        tells_names
            && at > 0
            && stem.starts_with(char::is_uppercase)
            && !is_i
            && !is_calendar_word(&lower)
    };
    let words = words.iter().copied().enumerate();
    words.filter(is_name).map(|(_, word)| word).collect()
}

/// Returns the score of a candidate without its context.
pub(super) fn own_score(candidate: &RankedHit) -> f32 {
    let score = &candidate.score;
    (score.text + score.semantic) * score.weight
}

/// Returns the expected best score among `notes` unrelated notes.
fn chance_score(notes: u32) -> f32 {
    CHANCE_SPREAD * (2.0 * (notes.max(2) as f32).ln()).sqrt() - CHANCE_OFFSET
}

/// Returns the minimum share of the best score in a vault with `notes` notes.
fn min_share_of_best(notes: u32) -> f32 {
    let of_many = MIN_SHARE_OF_BEST * (FEW_NOTES / notes.max(1) as f32).powf(0.3);
    of_many.clamp(MIN_SHARE_OF_BEST_OF_MANY, MIN_SHARE_OF_BEST)
}

/// Returns the score that others are compared with: `best`, or less if it hardly exceeds chance.
fn reference_score(best: f32, chance_score: f32) -> f32 {
    best * (best / (SURE_RATIO * chance_score)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_score_grows_with_the_vault() {
        for (notes, expected) in [(0, 0.02), (15, 0.13), (1_000, 0.27), (100_000, 0.38)] {
            assert!(
                (chance_score(notes) - expected).abs() < 0.01,
                "{notes} {}",
                chance_score(notes)
            );
        }
    }

    #[test]
    fn detects_an_unknown_subject() {
        let english = Language::default();
        let german = "german".parse().unwrap();
        for (typed, unknown, is_question, expected) in [
            (
                "What does Caroline say about tea",
                &["Caroline"][..],
                true,
                true,
            ),
            ("Caroline is who", &["Caroline"], true, false),
            (
                "What does the kettle cost",
                &["kettle", "cost"],
                true,
                false,
            ),
            ("bake bread", &["bake"], false, true),
            ("bake brown bread", &["bake"], false, false),
            ("bread", &[], false, false),
        ] {
            let unknown: Vec<String> = unknown.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(
                is_subject_unknown(typed, &unknown, is_question, english),
                expected,
                "{typed}"
            );
        }
        for typed in ["welche Suppe mit Ingwer", "welche suppe mit ingwer"] {
            let unknown = [typed.split(' ').nth(1).unwrap_or_default().to_owned()];
            assert!(
                !is_subject_unknown(typed, &unknown, true, german),
                "{typed}"
            );
        }
    }

    #[test]
    fn names_are_told_from_other_words() {
        let english = Language::default();
        let german = "german".parse().unwrap();
        for (query, language, expected) in [
            (
                "what does Hannah Arendt say about labour",
                english,
                &["Hannah", "Arendt"][..],
            ),
            (
                "how does Spanner's TrueTime bound clocks",
                english,
                &["Spanner's", "TrueTime"],
            ),
            ("UMAP neighbours", english, &["UMAP"]),
            ("running TES3MP on my PC", english, &["TES3MP"]),
            ("Do I see Ana on Monday or in May", english, &["Ana"]),
            ("Best Restaurants Rome", english, &[]),
            ("¿Qué base usa el almacén", "spanish".parse().unwrap(), &[]),
            ("“Where is \"Ana\" now", english, &["\"Ana\""]),
            ("802.11 frames", english, &[]),
            ("wo ist der Schlüssel der Garage", german, &[]),
            ("wie startet man TES3MP", german, &["TES3MP"]),
        ] {
            let words: Vec<&str> = query.split(' ').collect();
            assert_eq!(names(&words, language), expected, "{query}");
        }
    }

    #[test]
    fn a_weak_best_score_lowers_the_cut() {
        for (best, expected) in [(0.1, 0.045), (0.2, 0.18), (0.5, 0.5), (1.0, 1.0)] {
            let reference_score = reference_score(best, 0.1);
            assert!(
                (reference_score - expected).abs() < 0.01,
                "{best} {reference_score}"
            );
        }
        for (notes, expected) in [(0, 0.5), (50, 0.5), (100, 0.41), (1_000, 0.3)] {
            let share = min_share_of_best(notes);
            assert!((share - expected).abs() < 0.01, "{notes} {share}");
        }
    }
}

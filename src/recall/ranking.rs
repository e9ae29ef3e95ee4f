//! Ranks candidates.
//!
//! Combines lexical and semantic scores. Every candidate gets both, whichever index retrieved it. Scores are
//! summed; equal-weight rank fusion loses to words alone on every set measured. [`Ranking::by_ranks`]
//! implements Ormah's order for users who configure it.
//!
//! Lexical scores are relative to the maximum possible score, not to the best note. If the best note mentions
//! the query in passing, has half of it, or only common words, the cosine decides.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::Serialize;

use super::candidates::Candidate;
use super::mode::Mode;
use super::names::NameMatch;
use super::numbered::{NumberedCandidate, neighbour_scores};
use super::outdated::OutdatedReason;
use super::semantic::SemanticQuery;
use super::space::Space;
use super::speaker;
use crate::cache::CacheError;
use crate::cache::row::{Flags, Row, Slot};
use crate::embed::TokenQuery;
use crate::note::front_matter::split::split;
use crate::note::path::VaultPath;
use crate::signals::fields::CONFIDENCE;
use crate::signals::folder_context::folder_scores;
use crate::signals::fusion;
use crate::signals::recall_options::RecallOptions;
use crate::signals::weight::weight;
use crate::view::signals::recency;
use crate::view::{Entry, View};

/// Weight of words in a question, at the maximum possible text score.
const QUESTION_TEXT_WEIGHT: f32 = 0.8;
/// Weight of words in a keyword query, and the rarity at which it halves. A word that every fifth note has is
/// no evidence.
const KEYWORD_TEXT_WEIGHT: f32 = 0.4;
const RARITY_AT_HALF_WEIGHT: f32 = 4.0;
/// Bonus for a note with all keywords, and the number of such notes at which it halves.
const COMPLETE_BONUS: f32 = 0.05;
const NOTES_AT_HALF_BONUS: f32 = 5.0;
/// Maximum number of notes with all keywords, or with them adjacent, that are moved up behind the best.
const MAX_RAISED: usize = 3;

/// Minimum cosine of a note without any query word. A question seldom uses the words of the notes, and its
/// cosines are low.
const MIN_COSINE_KEYWORDS: f32 = 0.15;
const MIN_COSINE_QUESTION: f32 = 0.0;
/// Minimum cosine as a share of that of the nearest note with some of the keywords.
const MIN_COSINE_SHARE: f32 = 0.75;

/// Weight of the cosine with the title.
const TITLE_WEIGHT: f32 = 0.1;
/// Weight of the similarity token by token; see [`TokenQuery`].
const TOKEN_WEIGHT: f32 = 0.4;
/// Number of best candidates whose titles and tokens are compared. More find no more.
const MAX_RESCORED: usize = 40;

/// The terms of a score: `(words + meaning + tokens + context) × weight × voice × space × (1 + salience + helped) +
/// name`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "ExplainRecord")]
pub struct Score {
    /// Lexical score.
    #[serde(rename = "words")]
    pub text: f32,
    /// Semantic score.
    #[serde(rename = "meaning")]
    pub semantic: f32,
    /// Similarity token by token, above that of the lowest of the candidates compared.
    pub tokens: f32,
    /// Score gained from neighbouring notes.
    pub context: f32,
    /// Factor for tier and confidence.
    pub weight: f32,
    /// Factor for the speaker.
    pub voice: f32,
    /// Factor for the note's project.
    pub space: f32,
    /// Feedback on the note, and similarity to questions it helped with.
    #[serde(skip_serializing_if = "is_zero")]
    pub salience: f32,
    #[serde(skip_serializing_if = "is_zero")]
    pub helped: f32,
    /// Bonus for a name that equals the query.
    pub name: f32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(term: &f32) -> bool {
    *term == 0.0
}

impl Score {
    /// Returns the total that orders the hits.
    pub fn total(&self) -> f32 {
        (self.text + self.semantic + self.tokens + self.context) * self.factor() + self.name
    }

    /// Returns the factor of the feedback terms.
    pub fn learned(&self) -> f32 {
        (1.0 + self.salience + self.helped).max(0.0)
    }

    /// Returns the factor on words, meaning, tokens and context.
    fn factor(&self) -> f32 {
        self.weight * self.voice * self.space * self.learned()
    }

    /// Returns the amount to add to words, meaning or context to raise the total by `more`.
    pub(super) fn unscaled(&self, more: f32) -> f32 {
        more / self.factor().max(f32::MIN_POSITIVE)
    }
}

/// A candidate with its score.
#[derive(Debug)]
pub(super) struct RankedHit {
    pub(super) entry: Entry,
    pub(super) is_complete: bool,
    pub(super) score: Score,
    pub(super) cosine: Option<f32>,
    pub(super) passage: Option<u32>,
    pub(super) name_match: Option<NameMatch>,
    /// Share of the query's words in the note, weighted by rarity.
    pub(super) share: f32,
    /// Whether the words are adjacent.
    pub(super) is_phrase: bool,
    /// The superseded note that this one replaces in the results.
    pub(super) replaces: Option<VaultPath>,
    /// Why its statement may not be valid any more.
    pub(super) outdated: Option<OutdatedReason>,
}

/// Parameters of the ranking.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranking<'s> {
    /// Number of clauses in the text part of the query.
    pub(super) clauses: usize,
    pub(super) mode: Mode,
    /// Weight of the cosine.
    pub(super) semantic_weight: f32,
    /// Whether the query consists of plain words.
    pub(super) is_plain: bool,
    /// Whether the query is a question and not keywords.
    pub(super) asks: bool,
    /// Whether replies of an assistant are wanted as well.
    pub(super) includes_replies: bool,
    /// The project of the caller.
    pub(super) space: Option<&'s Space>,
    /// Maximum possible text score.
    pub(super) bound: f32,
    /// Number of notes with all words.
    pub(super) complete: usize,
}

impl RankedHit {
    /// Orders candidates of equal score: newer first, then by path. Neither depends on the order of indexing.
    pub(super) fn newer_first(&self, other: &Self) -> Ordering {
        let [own, others] = [self, other].map(|ranked| recency(&ranked.entry.row));
        let by_recency = others.cmp(&own);
        by_recency.then_with(|| self.entry.path.cmp(&other.entry.path))
    }

    /// Returns whether it has some of the words, or a name that equals the query.
    fn has_words(&self) -> bool {
        self.score.text > 0.0 || self.name_match.is_some()
    }

    /// A note that matched filters only.
    pub(super) fn unscored(entry: Entry) -> Self {
        Self {
            entry,
            is_complete: true,
            score: Score::default(),
            cosine: None,
            passage: None,
            name_match: None,
            share: 1.0,
            is_phrase: false,
            replaces: None,
            outdated: None,
        }
    }
}

impl Ranking<'_> {
    /// Returns the candidates that match, best first.
    pub(super) fn ranked(
        self,
        view: &View<'_>,
        candidates: HashMap<Slot, Candidate>,
        semantic: Option<&SemanticQuery<'_>>,
        tokens: Option<TokenQuery>,
    ) -> Result<Vec<RankedHit>, CacheError> {
        let mut ranked = self.scored(view, candidates)?;
        if self.mode == Mode::Hybrid && !self.asks {
            drop_distant(&mut ranked);
        }
        if let Some(space) = self.space {
            let slots = ranked.iter().map(|candidate| candidate.entry.slot);
            let factors = space.factors(view, slots)?.into_iter().flatten();
            for (candidate, factor) in ranked.iter_mut().zip(factors) {
                candidate.score.space = factor;
            }
        }
        if self.mode == Mode::Hybrid
            && let Some(semantic) = semantic
        {
            self.sort(&mut ranked);
            let best = ranked.len().min(MAX_RESCORED);
            add_titles(view, semantic, ranked[..best].iter_mut())?;
            if let Some(tokens) = tokens {
                add_tokens(view, tokens, &mut ranked[..best])?;
            }
        }
        // Keywords look for a note, a question for information.
        if self.mode == Mode::Hybrid && self.asks {
            add_contexts(&mut ranked);
            if !self.includes_replies {
                lower_replies(&mut ranked);
            }
        }
        add_names(&mut ranked);
        self.sort(&mut ranked);
        if self.mode == Mode::Hybrid && !self.asks && self.clauses > 0 {
            raise_complete(&mut ranked, self.complete);
        }
        demote_empty(&mut ranked);
        Ok(ranked)
    }

    fn scored(
        self,
        view: &View<'_>,
        candidates: HashMap<Slot, Candidate>,
    ) -> Result<Vec<RankedHit>, CacheError> {
        let mut ranked = Vec::with_capacity(candidates.len());
        for (slot, candidate) in candidates {
            if self.counts(&candidate)
                && let Some(entry) = view.entry(slot)?
            {
                ranked.push(RankedHit {
                    is_complete: candidate.name_match.is_some()
                        || usize::from(candidate.coverage) == self.clauses,
                    score: self.score(&candidate, &entry.row),
                    cosine: candidate.cosine,
                    passage: candidate.passage,
                    name_match: candidate.name_match,
                    share: candidate.share,
                    is_phrase: candidate.is_phrase,
                    replaces: None,
                    outdated: None,
                    entry,
                });
            }
        }
        Ok(ranked)
    }

    fn score(self, candidate: &Candidate, row: &Row) -> Score {
        let cosine = candidate.cosine.unwrap_or_default().max(0.0);
        let (text, semantic) = match self.mode {
            Mode::Lexical => (candidate.text, 0.0),
            Mode::Semantic => (0.0, cosine),
            Mode::Hybrid => (self.words(candidate), self.semantic_weight * cosine),
        };
        Score {
            text,
            semantic,
            voice: 1.0,
            space: 1.0,
            weight: weight(row.flags.tier(), CONFIDENCE.of(&row.ratings)),
            ..Score::default()
        }
    }

    /// Returns the weighted lexical score.
    fn words(self, candidate: &Candidate) -> f32 {
        if self.asks {
            return QUESTION_TEXT_WEIGHT * candidate.text / self.bound.max(f32::MIN_POSITIVE);
        }
        let words = KEYWORD_TEXT_WEIGHT * candidate.text / (self.bound + RARITY_AT_HALF_WEIGHT);
        let is_complete = self.clauses > 1 && usize::from(candidate.coverage) == self.clauses;
        if is_complete {
            words
                + COMPLETE_BONUS * NOTES_AT_HALF_BONUS
                    / (NOTES_AT_HALF_BONUS + self.complete as f32)
        } else {
            words
        }
    }

    /// Sorts candidates by score, newer first among equals.
    fn sort(self, ranked: &mut [RankedHit]) {
        ranked.sort_by(|a, b| self.order(a, b).then_with(|| a.newer_first(b)));
    }

    /// Rescores and sorts candidates by reciprocal rank fusion of words and meaning, scaled so that first in
    /// both gives 1.
    pub(super) fn by_ranks(self, options: &RecallOptions, ranked: &mut [RankedHit]) {
        let score = |at: usize| ranked[at].score;
        let places = |of: fn(Score) -> f32| {
            let mut places: Vec<usize> = (0..ranked.len()).collect();
            places.retain(|&at| of(score(at)) > 0.0);
            places.sort_by(|&a, &b| of(score(b)).total_cmp(&of(score(a))));
            places
        };
        let (words, meaning) = (places(|score| score.text), places(|score| score.semantic));
        let of_words = options.rrf_words;
        let share = |places: &[usize], weight: f64| {
            let first = weight * (options.rrf_k + 1.0);
            fusion::by_places(&[(places, first)], options.rrf_k)
        };
        let (words, meaning) = (share(&words, of_words), share(&meaning, 1.0 - of_words));
        for (at, candidate) in ranked.iter_mut().enumerate() {
            let place =
                |places: &BTreeMap<usize, f64>| places.get(&at).copied().unwrap_or_default() as f32;
            candidate.score.text = place(&words);
            candidate.score.semantic = place(&meaning);
            candidate.score.tokens = 0.0;
            candidate.score.context = 0.0;
        }
        add_names(ranked);
        self.sort(ranked);
    }

    /// Sorts candidates again after scores changed; stable among equals.
    pub(super) fn resort(self, ranked: &mut [RankedHit]) {
        ranked.sort_by(|a, b| self.order(a, b));
    }

    fn order(self, a: &RankedHit, b: &RankedHit) -> Ordering {
        let complete = if self.is_plain {
            Ordering::Equal
        } else {
            b.is_complete.cmp(&a.is_complete)
        };
        complete.then(b.score.total().total_cmp(&a.score.total()))
    }

    /// Returns whether a candidate matches the query.
    fn counts(self, candidate: &Candidate) -> bool {
        let floor = if self.asks {
            MIN_COSINE_QUESTION
        } else {
            MIN_COSINE_KEYWORDS
        };
        match self.mode {
            _ if candidate.name_match.is_some() => true,
            Mode::Lexical => candidate.coverage > 0,
            Mode::Semantic => candidate.cosine.is_some_and(|cosine| cosine > 0.0),
            Mode::Hybrid => {
                let is_near = candidate.cosine.is_some_and(|cosine| cosine >= floor);
                candidate.coverage > 0 || self.is_plain && is_near
            }
        }
    }
}

/// Drops notes without any of the words that are much farther than the nearest note with some. A rare keyword
/// means the note that has it.
fn drop_distant(ranked: &mut Vec<RankedHit>) {
    let with_words = ranked.iter().filter(|candidate| candidate.has_words());
    let nearest = with_words.filter_map(|candidate| candidate.cosine);
    let floor = MIN_COSINE_SHARE * nearest.fold(0.0, f32::max);
    ranked.retain(|candidate| {
        candidate.has_words() || candidate.cosine.is_some_and(|cosine| cosine >= floor)
    });
}

/// Adds the cosines of titles, if the model is immediate.
///
/// A passage's vector dilutes the title; a title near the query is stronger evidence.
fn add_titles<'r>(
    view: &View<'_>,
    semantic: &SemanticQuery<'_>,
    ranked: impl Iterator<Item = &'r mut RankedHit>,
) -> Result<(), CacheError> {
    for candidate in ranked {
        let title = view.details(candidate.entry.slot)?.title;
        let Some(cosine) = semantic.cosine_of_text(&title) else {
            break;
        };
        candidate.score.semantic += TITLE_WEIGHT * cosine.max(0.0);
    }
    Ok(())
}

/// Adds the similarities token by token. Candidates that were not compared count as the lowest, so that they
/// keep their distance from it.
fn add_tokens(
    view: &View<'_>,
    mut tokens: TokenQuery,
    ranked: &mut [RankedHit],
) -> Result<(), CacheError> {
    let mut lowest = 1.0_f32;
    for candidate in ranked.iter_mut() {
        // A note that changed meanwhile is searched for again.
        let text = view.text(&candidate.entry).unwrap_or_default();
        let title = view.details(candidate.entry.slot)?.title;
        let body = split(&text).body;
        candidate.score.tokens = tokens.similarity(&title, &text[body]);
        lowest = lowest.min(candidate.score.tokens);
    }
    for candidate in ranked {
        candidate.score.tokens = TOKEN_WEIGHT * (candidate.score.tokens - lowest);
    }
    Ok(())
}

/// Adds scores from the best notes of the same folder and from numbered neighbours.
fn add_contexts(ranked: &mut [RankedHit]) {
    let folders: Vec<(&str, f32)> = ranked
        .iter()
        .map(|candidate| (candidate.entry.path.folder(), candidate.score.total()))
        .collect();
    let contexts = folder_scores(&folders);
    let scored: Vec<NumberedCandidate<'_>> = ranked
        .iter()
        .map(|candidate| {
            let Entry { path, row, .. } = &candidate.entry;
            (path, row.created, candidate.score.total())
        })
        .collect();
    let beside = neighbour_scores(&scored);
    for ((candidate, context), beside) in ranked.iter_mut().zip(contexts).zip(beside) {
        candidate.score.context = context + beside;
    }
}

/// Lowers replies, which are nearer to a question than the statements they reply to.
fn lower_replies(ranked: &mut [RankedHit]) {
    for candidate in ranked {
        if candidate.entry.row.flags.has(Flags::REPLY) {
            candidate.score.voice = speaker::REPLY_FACTOR;
        }
    }
}

/// Moves notes whose name equals the query before all others, the most exact first.
fn add_names(ranked: &mut [RankedHit]) {
    let totals = ranked.iter().map(|candidate| candidate.score.total());
    let step = 1.0 + totals.fold(0.0, f32::max);
    let name_matches: BTreeSet<Reverse<NameMatch>> = ranked
        .iter()
        .filter_map(|candidate| candidate.name_match.map(Reverse))
        .collect();
    for candidate in ranked {
        let above = |name_match| name_matches.range(..=Reverse(name_match)).count();
        candidate.score.name = step * candidate.name_match.map_or(0, above) as f32;
    }
}

/// Moves the few notes with all words, or with the words adjacent, up behind the best.
fn raise_complete(ranked: &mut Vec<RankedHit>, complete: usize) {
    let is_complete = |candidate: &RankedHit| candidate.is_complete;
    let is_phrase = |candidate: &RankedHit| candidate.is_phrase;
    let is_raised: &dyn Fn(&RankedHit) -> bool = if complete <= MAX_RAISED {
        &is_complete
    } else if ranked
        .iter()
        .filter(|candidate| is_phrase(candidate))
        .count()
        <= MAX_RAISED
    {
        &is_phrase
    } else if ranked.iter().take(MAX_RAISED).any(is_complete) {
        return;
    } else {
        // At least one note with all words is among the first.
        let complete_hit = ranked.iter().find(|candidate| is_complete(candidate));
        let best = complete_hit.map(|candidate| candidate.entry.slot);
        &move |candidate: &RankedHit| Some(candidate.entry.slot) == best
    };
    let mut rest = ranked.split_off(ranked.len().min(1));
    let above = rest.first().map_or(0.0, |second| second.score.total());
    for mut raised in rest.extract_if(.., |candidate| is_raised(candidate)) {
        let score = &mut raised.score;
        score.text += score.unscaled((above - score.total()).max(0.0));
        ranked.push(raised);
    }
    ranked.append(&mut rest);
}

/// Moves notes with an empty body from the first place, unless their name equals the query.
fn demote_empty(ranked: &mut [RankedHit]) {
    if let Some(first) = ranked
        .iter()
        .position(|candidate| candidate.entry.row.body != 0 || candidate.name_match.is_some())
    {
        ranked[..=first].rotate_right(1);
        let best = ranked[0].score.total();
        for empty in &mut ranked[1..=first] {
            empty.score.name += (best - empty.score.total()).min(0.0);
        }
    }
}

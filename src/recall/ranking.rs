//! From candidates to an order.
//!
//! Words and meaning are two opinions on each candidate, and each is asked about what the other
//! one found: a note that only its words brought has a cosine, too. The opinions are added up (the
//! best score of the words counts as one), not the places in two lists: equal-weight rank fusion
//! loses to words alone on every set measured.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use super::candidates::Candidate;
use super::mode::Mode;
use super::names::Call;
use super::semantic::SemanticQuery;
use crate::cache::CacheError;
use crate::cache::row::{Row, Slot};
use crate::signals::context::contexts;
use crate::signals::fields::CONFIDENCE;
use crate::signals::weight::weight;
use crate::view::{Entry, View};

/// What meaning counts beside words, of one.
const MEANING: f32 = 0.5;

/// How near a note has to be that only its meaning brings: a query whose words all stand somewhere is
/// answered by them, one in other words by what comes close; that nothing was found is an answer, too.
///
/// Who asks in a sentence wants an answer, and its words are seldom those of the note: over
/// `memorybench` recall at 10 is .909 with this bound and .700 with those of keywords.
const WITH_SOME_WORDS: f32 = 0.2;
const WITH_ALL_WORDS_OR_NONE: f32 = 0.25;
const ASKED: f32 = 0.1;

/// What a title counts whose meaning is that of the question.
const TITLE: f32 = 0.1;
/// How many of the best candidates are looked at for their titles.
const TITLES: usize = 40;

/// How a score comes about: `(words + meaning + context) × weight + name`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// What its words count.
    pub text: f32,
    /// What its meaning counts.
    pub semantic: f32,
    /// What the notes beside it count.
    pub context: f32,
    /// What the author's word on it does to that.
    pub weight: f32,
    /// What it counts that the note is called what was typed.
    pub name: f32,
}

impl Score {
    /// Returns the number that orders the hits.
    #[must_use]
    pub fn total(&self) -> f32 {
        (self.text + self.semantic + self.context) * self.weight + self.name
    }
}

/// A candidate in its place.
#[derive(Debug)]
pub(super) struct Ranked {
    pub(super) entry: Entry,
    pub(super) is_complete: bool,
    pub(super) score: Score,
    pub(super) cosine: Option<f32>,
    pub(super) passage: Option<u32>,
    pub(super) call: Option<Call>,
}

/// How candidates are ordered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranking {
    /// How many clauses the words have.
    pub(super) clauses: usize,
    pub(super) mode: Mode,
    /// Whether all that is asked for is plain words.
    pub(super) is_plain: bool,
    /// Whether it is asked in a sentence, not in keywords.
    pub(super) asks: bool,
}

impl Ranked {
    /// A note that only filters brought.
    pub(super) fn unscored(entry: Entry) -> Self {
        Self {
            entry,
            is_complete: true,
            score: Score::default(),
            cosine: None,
            passage: None,
            call: None,
        }
    }
}

impl Ranking {
    /// Returns the candidates that count, best first.
    pub(super) fn ranked(
        self,
        view: &View<'_>,
        candidates: HashMap<Slot, Candidate>,
        semantic: Option<&SemanticQuery<'_>>,
    ) -> Result<Vec<Ranked>, CacheError> {
        let mut ranked = self.scored(view, candidates)?;
        if self.mode == Mode::Hybrid
            && let Some(semantic) = semantic
        {
            self.sort(&mut ranked);
            add_titles(view, semantic, ranked.iter_mut().take(TITLES))?;
        }
        // Keywords look for a note, a question for what is known.
        if self.mode == Mode::Hybrid && self.asks {
            add_contexts(&mut ranked);
        }
        add_names(&mut ranked);
        self.sort(&mut ranked);
        put_empty_behind(&mut ranked);
        Ok(ranked)
    }

    fn scored(
        self,
        view: &View<'_>,
        candidates: HashMap<Slot, Candidate>,
    ) -> Result<Vec<Ranked>, CacheError> {
        let best = candidates
            .values()
            .map(|candidate| candidate.text)
            .fold(f32::MIN_POSITIVE, f32::max);
        let floor = self.floor(candidates.values());
        let mut ranked = Vec::with_capacity(candidates.len());
        for (slot, candidate) in candidates {
            if self.counts(&candidate, floor)
                && let Some(entry) = view.entry(slot)?
            {
                ranked.push(Ranked {
                    is_complete: candidate.call.is_some()
                        || usize::from(candidate.coverage) == self.clauses,
                    score: self.score(&candidate, &entry.row, best),
                    cosine: candidate.cosine,
                    passage: candidate.passage,
                    call: candidate.call,
                    entry,
                });
            }
        }
        Ok(ranked)
    }

    /// Returns the least cosine of a candidate without any of the words.
    fn floor<'c>(self, candidates: impl Iterator<Item = &'c Candidate>) -> f32 {
        let most = candidates.map(|candidate| usize::from(candidate.coverage));
        match most.max() {
            _ if self.asks => ASKED,
            Some(most) if (1..self.clauses).contains(&most) => WITH_SOME_WORDS,
            _ => WITH_ALL_WORDS_OR_NONE,
        }
    }

    fn score(self, candidate: &Candidate, row: &Row, best: f32) -> Score {
        let cosine = candidate.cosine.unwrap_or_default().max(0.0);
        let (text, semantic) = match self.mode {
            Mode::Lexical => (candidate.text, 0.0),
            Mode::Semantic => (0.0, cosine),
            Mode::Hybrid => ((1.0 - MEANING) * candidate.text / best, MEANING * cosine),
        };
        Score {
            text,
            semantic,
            context: 0.0,
            name: 0.0,
            weight: weight(row.flags.tier(), CONFIDENCE.of(&row.ratings)),
        }
    }

    /// Sorts candidates, the best first; ties break by path, so that the order does not depend on
    /// what was indexed when.
    fn sort(self, ranked: &mut [Ranked]) {
        ranked.sort_by(|a, b| {
            let by_words = self.mode == Mode::Lexical || !self.is_plain;
            let complete = if by_words {
                b.is_complete.cmp(&a.is_complete)
            } else {
                std::cmp::Ordering::Equal
            };
            complete
                .then(b.score.total().total_cmp(&a.score.total()))
                .then_with(|| a.entry.path.cmp(&b.entry.path))
        });
    }

    /// Returns whether a candidate is an answer; `floor` is the least cosine of one without words.
    fn counts(self, candidate: &Candidate, floor: f32) -> bool {
        match self.mode {
            _ if candidate.call.is_some() => true,
            Mode::Lexical => candidate.coverage > 0,
            Mode::Semantic => candidate.cosine.is_some_and(|cosine| cosine > 0.0),
            Mode::Hybrid => {
                let is_near = candidate.cosine.is_some_and(|cosine| cosine >= floor);
                candidate.coverage > 0 || self.is_plain && is_near
            }
        }
    }
}

/// Adds what their titles mean, if the model says so at once.
///
/// A passage tells its title with all the rest; that a note is called what is asked for says more.
/// MRR over a garden is .750 instead of .722 with this.
fn add_titles<'r>(
    view: &View<'_>,
    semantic: &SemanticQuery<'_>,
    ranked: impl Iterator<Item = &'r mut Ranked>,
) -> Result<(), CacheError> {
    for candidate in ranked {
        let title = view.details(candidate.entry.slot)?.title;
        let Some(cosine) = semantic.cosine_of_text(&title) else {
            break;
        };
        candidate.score.semantic += TITLE * cosine.max(0.0);
    }
    Ok(())
}

/// Adds what the best of the same folder say.
fn add_contexts(ranked: &mut [Ranked]) {
    let folders: Vec<(&str, f32)> = ranked
        .iter()
        .map(|candidate| (candidate.entry.path.folder(), candidate.score.total()))
        .collect();
    let contexts = contexts(&folders);
    for (candidate, context) in ranked.iter_mut().zip(contexts) {
        candidate.score.context = context;
    }
}

/// Puts those that are called what was typed before all others, the most exact first.
fn add_names(ranked: &mut [Ranked]) {
    let totals = ranked.iter().map(|candidate| candidate.score.total());
    let step = 1.0 + totals.fold(0.0, f32::max);
    let calls: BTreeSet<Reverse<Call>> = ranked
        .iter()
        .filter_map(|candidate| candidate.call.map(Reverse))
        .collect();
    for candidate in ranked {
        let above = |call| calls.range(..=Reverse(call)).count();
        candidate.score.name = step * candidate.call.map_or(0, above) as f32;
    }
}

/// Takes a note that says nothing from the first place.
fn put_empty_behind(ranked: &mut [Ranked]) {
    if let Some(first) = ranked
        .iter()
        .position(|candidate| candidate.entry.row.body != 0)
    {
        ranked[..=first].rotate_right(1);
        let best = ranked[0].score.total();
        for empty in &mut ranked[1..=first] {
            empty.score.name += (best - empty.score.total()).min(0.0);
        }
    }
}

//! Selects the open questions for `mem review`, and answers several of them at once.

use crate::run::answers::lines::find;
use crate::run::answers::valid_answers::{applied_run, by_ids, has_id, valid};
use crate::run::answers::{GivenAnswer, give};
use crate::run::attention::ReviewBatch;
use crate::run::attention::options::ReviewOptions;
use crate::run::lookup::Match;
use crate::run::plan::open::{self, QuestionTally};
use crate::run::prelude::*;

/// Selects questions or answers.
#[derive(Debug, Default)]
pub struct QuestionFilter {
    /// Of these kinds; all if empty.
    pub kinds: Vec<QuestionKind>,
    /// About at least one of these notes.
    pub paths: Option<HashSet<String>>,
    /// Minimum probability of a yes, 0–1.
    pub min_chance: f32,
    pub limit: Option<usize>,
}

impl QuestionFilter {
    /// Keeps only matching findings.
    pub fn narrow(&self, offer: &mut ReviewBatch) {
        offer.retain(|asked, judged| {
            let notes = asked.notes.iter().map(VaultPath::as_str);
            judged.chance >= self.min_chance && self.matches(asked.kind(), notes)
        });
        offer.truncate(self.limit.unwrap_or(usize::MAX));
    }

    fn matches<'n>(&self, kind: QuestionKind, mut notes: impl Iterator<Item = &'n str>) -> bool {
        let is_kind = self.kinds.is_empty() || self.kinds.contains(&kind);
        let paths = self.paths.as_ref();
        is_kind && paths.is_none_or(|paths| notes.any(|note| paths.contains(note)))
    }

    /// Returns the valid answers that match, by anyone or only `by`, newest first.
    pub fn past(&self, session: &Session, by: Option<&str>) -> Result<Vec<Decision>> {
        let mut past = valid(session, |decision| {
            let about = decision.about.iter().map(String::as_str);
            by.is_none_or(|by| decision.is_by(by)) && self.matches(decision.kind, about)
        })?;
        past.truncate(self.limit.unwrap_or(usize::MAX));
        Ok(past)
    }
}

/// Options of a review.
#[derive(Debug, Default)]
pub struct ReviewRequest<'r> {
    pub filter: QuestionFilter,
    /// Ids or id prefixes of questions, including those answered by a judge.
    pub ids: Vec<&'r str>,
    /// Whether to include suggestions.
    pub with_suggestions: bool,
    /// Whether to sort by information gain.
    pub most_informative: bool,
}

/// Open findings of the requested kinds that are not offered.
#[derive(Clone, Copy, Debug)]
pub struct LeftOut {
    /// Suggestions, if only questions of today were requested.
    pub suggestions: usize,
    /// Excluded by probability or notes.
    pub others: usize,
}

/// The selected open questions.
pub struct Review {
    pub offer: ReviewBatch,
    /// Counts of all open findings.
    pub tally: QuestionTally,
    pub left_out: LeftOut,
    /// Answers to requested questions that are not open.
    pub answered: Vec<Decision>,
    /// Number of further questions that fit today's limit.
    pub room: usize,
}

impl Review {
    /// Collects the open findings and selects from them.
    pub fn open(
        session: &Session,
        cache: Cache,
        request: &ReviewRequest<'_>,
    ) -> Result<(Self, Cache)> {
        let (mut offer, mut cache) = open::collect_open(session, cache)?;
        let mut named = request.ids.clone();
        named.retain(|id| !id.is_empty() && matches!(find(&offer.findings, id), Match::None));
        let answered = by_ids(session, &named)?;
        named.retain(|id| {
            let mut answers = answered.iter().filter(|known| has_id(known.key, id));
            answers.all(Decision::is_by_judge)
        });
        if !named.is_empty() {
            (offer, cache) = open::collect_open_and_named(session, cache, &named)?;
        }
        let tally = QuestionTally::of(&offer);
        let daily = session.settings.of::<ReviewOptions>().daily;
        if request.most_informative {
            offer.sort_by_information_gain(daily.saturating_sub(offer.answered));
        }
        let kinds = &request.filter.kinds;
        let of_kind = |offer: &ReviewBatch| {
            let findings = offer.findings.iter();
            findings
                .filter(|finding| kinds.contains(&finding.kind()))
                .count()
        };
        let open_of_kind = of_kind(&offer);
        if !request.with_suggestions {
            offer.truncate(offer.questions);
        }
        let left_out = LeftOut {
            suggestions: open_of_kind - of_kind(&offer),
            others: of_kind(&offer),
        };
        request.filter.narrow(&mut offer);
        let review = Self {
            room: daily.saturating_sub(offer.answered + tally.all.questions),
            offer,
            tally,
            left_out,
            answered,
        };
        Ok((review, cache))
    }

    /// Gives one answer to the questions with these ids, or to all.
    pub fn answer(
        &self,
        session: &Session,
        cache: Cache,
        ids: &[String],
        answer: Answer,
        is_dry: bool,
    ) -> Result<Vec<AnswerRecord>> {
        let open = &self.offer.findings;
        let chosen: Vec<&Finding> = if ids.is_empty() {
            open.iter().collect()
        } else {
            let ids = ids.iter();
            let chosen =
                ids.map(|id| find(open, id).one(id, "questions", self.not_open(session, id)?));
            chosen.collect::<Result<_, _>>()?
        };
        let given = chosen
            .into_iter()
            .map(|asked| Ok(GivenAnswer::by_hand(asked, answer, None)));
        give(session, cache, REVIEW, given.collect(), is_dry)
    }

    /// Returns the error that no open question has the id `id`.
    fn not_open(&self, session: &Session, id: &str) -> Result<Error> {
        let error = Error::new(format!("no open question `{id}`"));
        let mut answered = self.answered.iter();
        Ok(match answered.find(|known| has_id(known.key, id)) {
            Some(known) => {
                let answer = known
                    .answer
                    .map_or_else(String::new, |answer| answer.to_string());
                let back = match applied_run(session, known.key)? {
                    Some(run) => revert_hint(&run),
                    None => format!("`mem review forget {id}` reopens the question"),
                };
                error.hint(format!("it was answered {answer} by {}; {back}", known.by))
            }
            None => error
                .hint("list open questions with `mem review`; the notes may have changed since"),
        })
    }
}

/// Returns the hint that names the command which takes an applied answer back.
pub fn revert_hint(run: &RunId) -> String {
    format!(
        "`mem undo {}` reverts the change and reopens the question",
        run.short()
    )
}

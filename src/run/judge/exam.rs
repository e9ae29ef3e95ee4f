//! The exam of a model: questions with known answers, asked once before it sees notes of the vault.
//!
//! A model that is too small gives the same answer to every question. Each wrong no would hide a
//! question from
//! a person, and each wrong yes would merge or relate notes written by an agent.

use super::budget::Budget;
use super::call::PlannedQuestion;
use super::call_context::CallRequest as _;
use super::judges::Judge;
use super::prompts::Prompts;
use super::request::{QuestionRequest, SourceNote};
use crate::journal::opinions::MAX_FAILURES;
use crate::note::Relation;
use crate::run::prelude::*;

/// An exam question with its correct answer.
#[derive(Deserialize)]
struct ExamQuestion {
    kind: QuestionKind,
    reason: String,
    /// Title and text of each note.
    notes: [(String, String); 2],
    is_yes: bool,
}

static QUESTIONS: LazyLock<Vec<ExamQuestion>> = LazyLock::new(|| {
    let questions: HashMap<String, Vec<ExamQuestion>> =
        toml::from_str(include_str!("exam.toml")).expect("the exam is TOML");
    questions.into_values().flatten().collect()
});

/// Returns the number of correct answers that pass; one mistake is allowed.
fn min_correct() -> usize {
    QUESTIONS.len() - 1
}

impl ExamQuestion {
    fn key(&self) -> QuestionKey {
        let hash = |(name, text): &(String, String)| xxh3_64(format!("{name}\n{text}").as_bytes());
        QuestionKey::new(self.kind, &self.notes.each_ref().map(hash))
    }

    fn finding(&self) -> Finding {
        let paths = self.notes.iter().map(|(name, _)| format!("exam/{name}.md"));
        let notes: Vec<VaultPath> = paths
            .filter_map(|path| VaultPath::new(&path).ok())
            .collect();
        let relation = match self.kind {
            QuestionKind::Conflict => Relation::EvolvedFrom,
            _ => Relation::RelatedTo,
        };
        let act = match self.kind {
            QuestionKind::Merge => Act::Merge {
                keeper: notes[0].clone(),
                others: notes[1..].to_vec(),
                body: None,
            },
            _ => Act::relate(&notes[0], relation, &notes[1], relation.weight()),
        };
        Finding::new(self.key(), notes, vec![act], 1.0, self.reason.clone())
    }

    /// Whether `answer` is correct; which of several affirmative answers it is does not matter.
    fn is_right(&self, answer: Answer) -> bool {
        answer.is_yes() == self.is_yes
    }
}

/// Returns all exam questions as findings.
pub(super) fn findings() -> Vec<Finding> {
    QUESTIONS.iter().map(ExamQuestion::finding).collect()
}

/// Returns the questions that `judge` has not answered, within the budget. Fails if one exceeds
/// `judge.tokens`.
pub(super) fn questions<'j>(
    findings: &'j [Finding],
    judge: &'j Judge,
    prompts: &Prompts,
    options: &JudgeOptions,
    opinions: &Opinions,
    budget: &mut Budget,
) -> Result<Vec<PlannedQuestion<'j>>> {
    let mut planned = Vec::new();
    for (known, about) in QUESTIONS.iter().zip(findings) {
        let opinion = opinion_of(opinions, about, judge);
        if opinion.is_some_and(is_final) {
            continue;
        }
        let pairs = about.notes.iter().zip(&known.notes);
        let sources = pairs.map(|(path, (title, text))| SourceNote {
            path: path.to_string(),
            title: title.clone(),
            text: text.clone(),
        });
        let request = QuestionRequest::about(about, sources.collect(), prompts, options);
        let Ok(request) = request else {
            continue;
        };
        let tokens = request.tokens();
        if !Budget::of(options).reserve(request.kind(), 1, tokens) {
            let message =
                format!("a question takes about {tokens} tokens, more than `judge.tokens`");
            return Err(Error::new(message).hint("raise it: `mem config judge.tokens NUMBER`"));
        }
        if budget.reserve(request.kind(), 1, tokens) {
            planned.push(PlannedQuestion {
                about,
                judge,
                failures: opinion.map_or(0, |opinion| opinion.failures),
                request,
            });
        }
    }
    Ok(planned)
}

/// Returns true if `judge` has passed, false if answers are missing; fails if it has failed.
pub(super) fn is_passed(findings: &[Finding], judge: &Judge, opinions: &Opinions) -> Result<bool> {
    let all = QUESTIONS.iter().zip(findings);
    let answered =
        all.filter_map(|(known, about)| Some((known, opinion_of(opinions, about, judge)?)));
    let (mut right, mut wrong) = (0, 0);
    for (known, opinion) in answered {
        match opinion.answer {
            Some(answer) if known.is_right(answer) => right += 1,
            None if !is_final(opinion) => {}
            _ => wrong += 1,
        }
    }
    if wrong + min_correct() > QUESTIONS.len() {
        let all = right + wrong;
        let message = format!(
            "`{}` answered {right} of {all} exam questions correctly; it is not asked about your notes",
            judge.base_name()
        );
        return Err(Error::new(message)
            .hint("a model needs 5 of 6; set a larger one: `mem config judge.model NAME`"));
    }
    Ok(right >= min_correct())
}

fn opinion_of<'o>(opinions: &'o Opinions, about: &Finding, judge: &Judge) -> Option<&'o Opinion> {
    let mut opinions = opinions.on(about.key).iter();
    let name = judge.name(about.kind().name());
    opinions.find(|opinion| opinion.judge == name)
}

/// Whether the question is not asked again.
fn is_final(opinion: &Opinion) -> bool {
    opinion.answer.is_some() || opinion.failures >= MAX_FAILURES
}

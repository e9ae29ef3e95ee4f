//! Answers to open questions: accepted changes are applied in one run, and every answer is
//! recorded.

pub mod edited_text;
pub mod lines;
pub mod outcome;
pub mod skipped;
pub mod valid_answers;
pub mod walk;

use self::edited_text::edited_acts;
use self::skipped::SkippedQuestions;
use self::valid_answers::valid;
use super::attention::features;
use super::plan::apply::apply;
use super::report::group::{GroupOutcome, GroupReport};
use crate::run::prelude::*;
use crate::run::sleep::record;

/// How long to wait for another process that records answers.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);

/// An answer to an open question.
#[derive(Clone, Debug)]
pub struct GivenAnswer<'q> {
    pub asked: &'q Finding,
    pub answer: Answer,
    /// Who decided; recorded.
    pub by: String,
    /// The body of a merged note, or the line that gets a link.
    pub text: Option<String>,
}

impl<'q> GivenAnswer<'q> {
    /// Returns the answer of a person at this terminal.
    pub fn by_hand(asked: &'q Finding, answer: Answer, text: Option<&str>) -> Self {
        Self {
            asked,
            answer,
            by: REVIEW.to_owned(),
            text: text.map(str::to_owned),
        }
    }
}

/// The result of one answer.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct AnswerRecord {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    #[schemars(with = "String")]
    pub outcome: AnswerOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Changes to files as a unified diff; only in a dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Description of the change.
    #[serde(skip)]
    pub title: Option<String>,
    /// Who decided.
    #[serde(skip)]
    pub by: String,
}

/// The outcome of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AnswerOutcome {
    /// The answer required no change.
    #[default]
    Remembered,
    /// The question is not open.
    Stale,
    /// The answer does not fit the question.
    Invalid,
    /// The outcome of the change.
    #[serde(untagged)]
    Group(GroupOutcome),
}

impl AnswerOutcome {
    /// Returns the recorded name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Group(outcome) => outcome.name(),
            Self::Remembered => "remembered",
            Self::Stale => "stale",
            Self::Invalid => "invalid",
        }
    }
}

impl AnswerRecord {
    /// Returns the record of a rejected answer.
    fn refused(id: String, outcome: AnswerOutcome, why: String) -> Self {
        Self {
            id,
            outcome,
            why: Some(why),
            ..Self::default()
        }
    }

    /// Whether the answer was accepted.
    pub fn is_well(&self) -> bool {
        use AnswerOutcome::{Group, Invalid, Stale};
        !matches!(self.outcome, Group(GroupOutcome::Dropped) | Stale | Invalid)
    }

    /// Returns the applied change for the report of a sleep, if there is one.
    pub fn group(&self) -> Option<GroupReport> {
        let AnswerOutcome::Group(outcome) = self.outcome else {
            return None;
        };
        if outcome == GroupOutcome::Planned {
            return None;
        }
        Some(GroupReport {
            title: self.title.clone()?,
            reason: format!("{} by {}", self.answer?, self.by),
            outcome,
            why: self.why.clone(),
            ..GroupReport::default()
        })
    }

    /// Whether the answer is recorded, even if it was not applied.
    pub fn is_kept(&self) -> bool {
        self.answer.is_some()
    }
}

/// Applies accepted answers in one run, records every answer and reports each. A dry run only
/// previews the changes.
pub fn give(
    session: &Session,
    cache: Cache,
    job: &str,
    answers: Vec<Result<GivenAnswer<'_>, Box<AnswerRecord>>>,
    is_dry: bool,
) -> Result<Vec<AnswerRecord>> {
    // Answers of several processes are given one after the other; of two to one question the second is refused.
    let lock = (!is_dry)
        .then(|| {
            let holder = session.env.holder();
            Lock::wait(&session.homes.record_lock(), &holder, LOCK_TIMEOUT)
        })
        .transpose()?;
    // Another process may have applied answers about these notes.
    let known = content_keys(session, &cache, &answers)?;
    drop(cache);
    let cache = session.fresh_cache()?;
    let current = content_keys(session, &cache, &answers)?;
    let view = session.view(&cache)?;
    let standing = valid(session, |decision| !decision.is_by_judge())?;
    let mut records: Vec<AnswerRecord> = Vec::new();
    let mut decided: Vec<Decision> = Vec::new();
    // The index of the record that each group of the plan belongs to.
    let mut owners = Vec::new();
    for given in answers {
        let evaluated = match given {
            Ok(given) => match answered_meanwhile(&given, &standing) {
                Some(refused) => Err(Box::new(refused)),
                None if given.asked.notes.iter().any(|it| known[it] != current[it]) => {
                    let (id, why) = (given.asked.key.to_string(), "its notes changed meanwhile");
                    let stale = AnswerOutcome::Stale;
                    Err(Box::new(AnswerRecord::refused(id, stale, why.to_owned())))
                }
                None => evaluate(&view, &given, &decided)?.map(|group| (given, group)),
            },
            Err(refused) => Err(refused),
        };
        let (given, group) = match evaluated {
            Ok(evaluated) => evaluated,
            Err(refused) => {
                records.push(*refused);
                continue;
            }
        };
        let answered = decision(session, &given);
        decided.extend(part_answers(given.asked, &answered));
        decided.push(answered);
        let title = group.as_ref().map(|group| group.title.clone());
        if let Some(group) = group {
            let is_merge = given.asked.kind() == QuestionKind::Merge;
            let job = jobs::job_of_kind(given.asked.kind());
            owners.push((is_merge, (records.len(), job), group));
        }
        records.push(AnswerRecord {
            id: given.asked.key.to_string(),
            answer: Some(given.answer),
            title,
            by: given.by,
            ..AnswerRecord::default()
        });
    }
    drop(view);
    // Supersessions must be applied before their notes are merged.
    owners.sort_by_key(|(is_merge, ..)| *is_merge);
    let owners = owners.into_iter().map(|(_, place, group)| (place, group));
    let (owners, groups): (Vec<(usize, Option<&Job>)>, Vec<Group>) = owners.unzip();
    let plan = Plan::new(job, groups);
    if is_dry {
        for record in records.iter_mut().filter(|record| record.is_well()) {
            record.outcome = AnswerOutcome::Group(GroupOutcome::Planned);
        }
        for ((owner, _), group) in owners
            .into_iter()
            .zip(GroupReport::previews(&session.vault, &plan))
        {
            let record = &mut records[owner];
            record.outcome = AnswerOutcome::Group(group.outcome);
            (record.why, record.diff) = (group.why, group.diff);
        }
        return Ok(records);
    }
    remember(session, &decided)?;
    let report = apply(session, cache, &plan)?;
    drop(lock);
    let mut waiting = Vec::new();
    for ((owner, job), group) in owners.into_iter().zip(GroupReport::of_run(&plan, &report)) {
        if group.outcome == GroupOutcome::Dropped {
            waiting.extend(job.map(|job| job.name));
        }
        records[owner].outcome = AnswerOutcome::Group(group.outcome);
        records[owner].why = group.why;
        records[owner].run = report.run.as_ref().map(ToString::to_string);
    }
    if !waiting.is_empty() {
        record::update(session, |state| {
            for job in waiting {
                let state = state.jobs.entry(job.to_owned()).or_default();
                state.has_waiting_answer = true;
            }
        });
    }
    Ok(records)
}

/// Returns the content keys of the notes that are asked about; `None` for a note that does not exist.
fn content_keys(
    session: &Session,
    cache: &Cache,
    answers: &[Result<GivenAnswer<'_>, Box<AnswerRecord>>],
) -> Result<HashMap<VaultPath, Option<u64>>> {
    let view = session.view(cache)?;
    let given = answers.iter().flatten();
    let notes = given.flat_map(|given| &given.asked.notes);
    let keyed = notes.map(|note| {
        let entry = view.at(note)?;
        let key = entry.map(|entry| view.content_key(&entry)).transpose()?;
        Ok((note.clone(), key))
    });
    keyed.collect()
}

/// Returns why an answer is refused if the question has one in `standing`: it was open when this command
/// read it. A merge conflict that comes back is a new question.
fn answered_meanwhile(given: &GivenAnswer<'_>, standing: &[Decision]) -> Option<AnswerRecord> {
    let key = given.asked.key;
    let known = standing.iter().find(|known| known.key == key)?;
    let answer = known.answer?;
    if key.kind() == QuestionKind::MergeConflict {
        return None;
    }
    let why = format!("answered {answer} by {} meanwhile", known.by);
    let id = key.to_string();
    Some(AnswerRecord::refused(id, AnswerOutcome::Stale, why))
}

/// Returns the change that an answer asks for, or why it is refused, given the earlier answers `decided`.
fn evaluate(
    view: &View<'_>,
    given: &GivenAnswer<'_>,
    decided: &[Decision],
) -> Result<Result<Option<Group>, Box<AnswerRecord>>> {
    let GivenAnswer { asked, answer, .. } = *given;
    let refused = |outcome, why: String| {
        let id = asked.key.to_string();
        Ok(Err(Box::new(AnswerRecord::refused(id, outcome, why))))
    };
    if decided.iter().any(|decision| decision.key == asked.key) {
        let why = "already answered by an earlier line";
        return refused(AnswerOutcome::Stale, why.to_owned());
    }
    let possible = asked.kind().answers();
    if !possible.contains(&answer) {
        let possible: Vec<String> = possible.iter().map(ToString::to_string).collect();
        let why = format!("this question takes {}", possible.join(", "));
        return refused(AnswerOutcome::Invalid, why);
    }
    let takes_text = asked.kind().spec().edit.is_text();
    if given.text.is_some() && !(takes_text && answer == Answer::Yes) {
        let why = "only `yes` to a merge or a mention takes a text";
        return refused(AnswerOutcome::Invalid, why.to_owned());
    }
    if answer == Answer::No {
        return Ok(Ok(None));
    }
    let acts = match given.text.clone() {
        Some(text) => edited_acts(view, asked, text),
        None => Ok(asked.answered(answer)),
    };
    match acts.and_then(|acts| acts::group_of_acts(view, asked, &acts)) {
        Ok(group) => Ok(Ok(Some(group))),
        Err(ActError::Cache(error)) => Err(error.into()),
        Err(error) => {
            let dropped = AnswerOutcome::Group(GroupOutcome::Dropped);
            refused(dropped, error.to_string())
        }
    }
}

/// Returns the answer as recorded in the journal.
pub fn decision(session: &Session, given: &GivenAnswer<'_>) -> Decision {
    let asked = given.asked;
    let (answered, about) = asked.stored(given.answer);
    Decision {
        key: asked.key,
        kind: asked.kind(),
        answer: Some(answered),
        at: session.env.now.timestamp(),
        by: given.by.clone(),
        about: about.into_iter().map(ToString::to_string).collect(),
        features: features::record(&features::of(asked)),
    }
}

/// Returns the answers to the parts of a combined question. A "no" applies to each of them; a "yes"
/// is applied
/// and undone as a whole.
pub fn part_answers(asked: &Finding, given: &Decision) -> Vec<Decision> {
    if given.answer.is_some_and(Answer::is_yes) {
        return Vec::new();
    }
    let notes = asked.parts.iter().zip(&asked.notes);
    let answers = notes.map(|(key, note)| Decision {
        key: *key,
        about: vec![note.to_string()],
        features: BTreeMap::new(),
        ..given.clone()
    });
    answers.collect()
}

/// Forgets the decisions, so that the questions are open again.
pub fn forget(session: &Session, decisions: &[Decision]) -> Result<()> {
    forget_judges(session, decisions)?;
    let forgotten = decisions.iter().map(|decision| Decision {
        answer: None,
        at: session.env.now.timestamp(),
        by: REVIEW.to_owned(),
        ..decision.clone()
    });
    remember(session, &forgotten.collect::<Vec<_>>())
}

/// Invalidates opinions of judges on these questions, so that judges may be asked again.
fn forget_judges(session: &Session, decisions: &[Decision]) -> Result<()> {
    let of_judges: Vec<&Decision> = decisions.iter().filter(|it| it.is_by_judge()).collect();
    if of_judges.is_empty() {
        return Ok(());
    }
    let opinions = session.read_journal(Opinions::load)?;
    for decision in of_judges {
        for opinion in opinions.on(decision.key) {
            let forgotten = [Opinion {
                answer: None,
                why: "forgotten".to_owned(),
                at: session.env.now.timestamp(),
                failures: 0,
                ..opinion.clone()
            }];
            session.write_journal(|device| journal::append(device, &forgotten))?;
        }
    }
    Ok(())
}

/// Records the decisions and removes their questions from the skipped ones.
fn remember(session: &Session, decided: &[Decision]) -> Result<()> {
    if decided.is_empty() {
        return Ok(());
    }
    session.write_journal(|journal| journal::append(journal, decided))?;
    let keys: Vec<QuestionKey> = decided.iter().map(|decision| decision.key).collect();
    SkippedQuestions::load(session).remove(&keys);
    Ok(())
}

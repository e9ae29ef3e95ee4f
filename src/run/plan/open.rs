//! The open findings of all enabled jobs, and their counts.
//!
//! A disabled job contributes nothing. Its findings stay in the cache and its questions in the file
//! of this
//! machine, so both return when the job is enabled again.
//!
//! The questions of today are stored on this machine, so that they stay the same all day, whatever
//! a sleep
//! finds. Answers of all devices count. Without the file the same questions are selected again.

use jiff::civil::Date;

use super::job::{self, PlanOptions};
use super::policy;
use super::queue::{self, Scope};
use crate::cache::MAX_NOTES_INDEXED_BY_READ;
use crate::jobs::{JOBS, doctor};
use crate::journal::decisions;
use crate::run::attention::choice::{MAX_QUESTIONS_PER_NOTE, MIN_CHANCE, QuestionHistory};
use crate::run::attention::options::ReviewOptions;
use crate::run::attention::{AnswerHistory, ReviewBatch};
use crate::run::prelude::*;

/// Number of open questions and suggestions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionTally {
    #[serde(flatten)]
    pub all: Counts,
    pub kinds: BTreeMap<QuestionKind, Counts>,
    /// Suggestions whose probability is too low for a question.
    #[serde(default)]
    pub unlikely: usize,
    /// Suggestions that are not asked because a note is read-only.
    #[serde(default)]
    pub read_only: usize,
    /// Kinds that are muted because most answers were no.
    pub silent: Vec<MutedKind>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Questions of today.
    pub questions: usize,
    pub suggestions: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MutedKind {
    pub kind: QuestionKind,
    pub answers: usize,
    pub noes: usize,
}

impl QuestionTally {
    pub fn of(offer: &ReviewBatch) -> Self {
        let mut all = Counts::default();
        let mut kinds: BTreeMap<QuestionKind, Counts> = BTreeMap::new();
        for (at, finding) in offer.findings.iter().enumerate() {
            let is_asked = at < offer.questions;
            all.add(is_asked);
            kinds.entry(finding.kind()).or_default().add(is_asked);
        }
        let silent = offer.silent.iter().map(|kind| {
            let (answers, noes) = offer.chances.answers(*kind);
            MutedKind {
                kind: *kind,
                answers,
                noes,
            }
        });
        let judged = offer.findings.iter().zip(&offer.judged);
        let suggested = judged.skip(offer.questions);
        let (unlikely, likely): (Vec<_>, Vec<_>) =
            suggested.partition(|(_, judged)| judged.chance < MIN_CHANCE);
        let read_only = likely
            .iter()
            .filter(|(finding, _)| offer.read_only.contains(&finding.key));
        Self {
            all,
            kinds,
            unlikely: unlikely.len(),
            read_only: read_only.count(),
            silent: silent.collect(),
        }
    }

    /// Returns the hint about open merge conflicts.
    pub fn merge_conflicts(&self) -> Option<String> {
        let counts = self.kinds.get(&QuestionKind::MergeConflict)?;
        merge_conflict_hint(counts.all())
    }

    /// Keeps only the kinds that these jobs ask about.
    fn retain(&mut self, jobs: &[&Job]) {
        let has = |kind: QuestionKind| jobs::is_asked(kind, jobs);
        self.kinds.retain(|kind, _| has(*kind));
        self.silent.retain(|silent| has(silent.kind));
        let kinds = self.kinds.values();
        self.all = kinds.fold(Counts::default(), |all, kind| Counts {
            questions: all.questions + kind.questions,
            suggestions: all.suggestions + kind.suggestions,
        });
    }

    /// Explains why suggestions are not asked although `room` more questions fit; none if no room
    /// or reason exists.
    pub fn unasked(&self, room: usize) -> Option<String> {
        let known = self.unlikely + self.read_only;
        let others = self.all.suggestions - known.min(self.all.suggestions);
        let read_only = format!("{} about read-only notes", self.read_only);
        let unlikely = format!("{} below a chance of {MIN_CHANCE}", self.unlikely);
        let others_why = format!(
            "{others} about notes with {MAX_QUESTIONS_PER_NOTE} questions each, or skipped"
        );
        let counts = [
            (self.read_only, read_only),
            (self.unlikely, unlikely),
            (others, others_why),
        ];
        let non_zero = counts.into_iter().filter(|(number, _)| *number > 0);
        let reasons: Vec<String> = non_zero.map(|(_, why)| why).collect();
        (room > 0 && !reasons.is_empty()).then(|| format!("not asked: {}", reasons.join(", ")))
    }
}

impl Counts {
    fn add(&mut self, is_asked: bool) {
        self.questions += usize::from(is_asked);
        self.suggestions += usize::from(!is_asked);
    }

    pub fn all(self) -> usize {
        self.questions + self.suggestions
    }

    /// Returns the counts as text: `7 questions, 364 suggestions`.
    pub fn words(self) -> String {
        let questions = count(self.questions, "question");
        let suggestions = count(self.suggestions, "suggestion");
        format!("{questions}, {suggestions}")
    }

    /// Returns the counts with the command to use; none if nothing is open.
    pub fn hint(self) -> Option<String> {
        let command = match (self.questions, self.suggestions) {
            (0, 0) => return None,
            (0, _) => "see `mem review --all`",
            _ => "run `mem review`",
        };
        Some(format!("{}; {command}", self.words()))
    }
}

impl MutedKind {
    /// Explains that a kind is muted, and how to unmute it.
    pub fn words(&self) -> String {
        let (kind, noes) = (self.kind.name(), self.noes);
        let were = if self.answers == 1 { "was" } else { "were" };
        let answers = count(self.answers, "answer");
        format!(
            "mem stopped asking {kind} questions ({noes} of {answers} {were} no); accept one from `mem review --kind {kind}` to resume"
        )
    }
}

/// The inputs of a count. If one differs, the count is outdated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct CountBasis {
    cache: u64,
    generation: u64,
    /// Size of all answers in bytes, those of judges included.
    answers: u64,
    daily: usize,
    learn: bool,
    /// A hash of the enabled jobs and their options.
    #[serde(default)]
    jobs: u64,
}

/// The contents of this machine's file.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct StoredQuestions {
    day: Date,
    /// The questions selected on that day.
    asked: Vec<QuestionKey>,
    basis: CountBasis,
    tally: QuestionTally,
}

impl StoredQuestions {
    fn load(file: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(file).ok()?).ok()
    }
}

/// Returns the questions of today as last selected, those answered since included.
pub fn stored_questions(session: &Session) -> Vec<QuestionKey> {
    let stored = StoredQuestions::load(&session.homes.asked());
    let mut asked = stored.map_or_else(Vec::new, |stored| stored.asked);
    let enabled = jobs::enabled(&session.settings);
    asked.retain(|key| jobs::is_asked(key.kind(), &enabled));
    asked
}

/// A count, and whether it reflects the current notes and answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OpenCounts {
    #[serde(flatten)]
    pub tally: QuestionTally,
    pub current: bool,
}

/// Collects all open findings and stores the questions of today.
pub fn collect_open(session: &Session, cache: Cache) -> Result<(ReviewBatch, Cache)> {
    collect(session, cache, true, &[])
}

/// Collects all open findings without storing anything. Includes questions whose ids start with one
/// of `named`,
/// even if a judge answered them or their job is disabled, because a person may still answer them.
pub fn collect_open_and_named(
    session: &Session,
    cache: Cache,
    named: &[&str],
) -> Result<(ReviewBatch, Cache)> {
    collect(session, cache, false, named)
}

fn collect(
    session: &Session,
    cache: Cache,
    store: bool,
    named: &[&str],
) -> Result<(ReviewBatch, Cache)> {
    let is_named = |key: QuestionKey| {
        let id = key.to_string();
        named.iter().any(|start| id.starts_with(start))
    };
    let mut decisions = session.read_journal(decisions::all)?;
    decisions.retain(|known| !(known.is_by_judge() && is_named(known.key)));
    let answers = session.read_journal(|journal| decisions::fold(&decisions, journal))?;
    let ask = |cache: &Cache| -> Result<_, CacheError> {
        let view = session.view_with_near(cache)?;
        let plan_options = PlanOptions {
            scope: Scope::IncrementalWithoutBacklog,
            apply: Apply::None,
            folder: cache.folder(),
            save: true,
            probe: None,
        };
        let sleep: SleepOptions = session.settings.of();
        let enabled = jobs::enabled(&session.settings);
        let mut open = Vec::new();
        for job in JOBS {
            let is_enabled = enabled.contains(job);
            if !is_enabled && named.is_empty() {
                continue;
            }
            let job = job.configured(&session.settings);
            let mut waiting = job::plan(&view, &job, &answers, &plan_options)?
                .decided
                .waiting;
            waiting.retain(|finding| is_enabled || is_named(finding.key));
            for finding in waiting {
                // Sleep applies rules to managed notes by itself.
                let is_automatic =
                    finding.kind() == QuestionKind::Rule && sleep.apply != Apply::None;
                if !(is_automatic && finding.certain && policy::is_own(&view, &finding)?) {
                    open.push(finding);
                }
            }
        }
        open.extend(merge_conflicts(&view, &answers)?);
        Ok(open)
    };
    let (open, cache) = session.ask(cache, ask)?;
    let options: ReviewOptions = session.settings.of();
    let file = session.homes.asked();
    let stored = StoredQuestions::load(&file).unwrap_or_default();
    let today = session.env.now.date();
    let asked = question_history(session, &stored, &open);
    let history = history(session, &decisions)?;
    let mut keys = asked.today.clone();
    let offer = ReviewBatch::of(open, history, asked, options.daily);
    for finding in &offer.findings[..offer.questions] {
        if !keys.contains(&finding.key) {
            keys.push(finding.key);
        }
    }
    let now = StoredQuestions {
        day: today,
        asked: keys,
        basis: basis(session, &cache)?,
        tally: QuestionTally::of(&offer),
    };
    if store
        && now != stored
        && let Ok(bytes) = serde_json::to_vec(&now)
    {
        // If the file cannot be written, the same questions are selected again.
        let _ = own_files::write_atomically(&file, &bytes);
    }
    Ok((offer, cache))
}

/// Returns the offer for the findings `open` of jobs, without storing anything.
pub fn preview(session: &Session, cache: &Cache, open: Vec<Finding>) -> Result<ReviewBatch> {
    let conflicts = merge_conflicts(&session.view(cache)?, &session.answers()?)?;
    let open = [open, conflicts].concat();
    let stored = StoredQuestions::load(&session.homes.asked()).unwrap_or_default();
    let options: ReviewOptions = session.settings.of();
    let history = history(session, &session.read_journal(decisions::all)?)?;
    let asked = question_history(session, &stored, &open);
    Ok(ReviewBatch::of(open, history, asked, options.daily))
}

/// Returns the number of merge conflicts and the command to use; `None` if there are none.
pub fn merge_conflict_hint(number: usize) -> Option<String> {
    let conflicts = count(number, "merge conflict");
    (number > 0).then(|| format!("{conflicts}; see `mem review --kind merge-conflict`"))
}

/// Returns the number of open merge conflicts. Does not build a missing index.
pub fn count_merge_conflicts(session: &Session) -> Result<usize> {
    let Ok(cache) = session.open_cache() else {
        return Ok(0);
    };
    drop(cache);
    let answers = session.answers()?;
    let count = |cache: &Cache| merge_conflicts(&session.view(cache)?, &answers);
    Ok(session.ask(session.fresh_cache()?, count)?.0.len())
}

/// Returns the open questions about merge conflicts, whatever jobs are enabled. A conflict that is back after a yes
/// is open again.
fn merge_conflicts(view: &View<'_>, answers: &Answers) -> Result<Vec<Finding>, CacheError> {
    let mut found = doctor::merge_conflicts(view)?;
    found.retain(|finding| finding.answer(answers) != Some(Answer::No));
    Ok(found)
}

fn history(session: &Session, decisions: &[Decision]) -> Result<AnswerHistory> {
    let opinions = session.read_journal(Opinions::load)?;
    let options: ReviewOptions = session.settings.of();
    Ok(AnswerHistory::of(
        decisions,
        opinions,
        options,
        &session.env.now,
    ))
}

/// Returns which questions were asked before, from this machine's files, and which cannot be asked.
fn question_history(
    session: &Session,
    stored: &StoredQuestions,
    open: &[Finding],
) -> QuestionHistory {
    let text = fs::read_to_string(session.homes.skipped()).unwrap_or_default();
    let skipped = text.lines().filter_map(|line| line.parse().ok());
    let keys = stored.asked.clone();
    let (today, before) = if stored.day == session.env.now.date() {
        (keys, Vec::new())
    } else {
        (Vec::new(), keys)
    };
    QuestionHistory {
        today,
        before,
        skipped: skipped.collect(),
        answers: 0,
        read_only: read_only_findings(&session.vault, open),
    }
}

/// Returns the findings with a change of a read-only note.
fn read_only_findings(vault: &Vault, open: &[Finding]) -> HashSet<QuestionKey> {
    let mut known: HashMap<&VaultPath, bool> = HashMap::new();
    let mut found = HashSet::new();
    for finding in open {
        for act in &finding.acts {
            let others = match act {
                Act::Merge { others, .. } => others.as_slice(),
                _ => &[],
            };
            for note in act.changes().into_iter().chain(others) {
                let is_read_only = || vault.is_read_only(note.as_str());
                if *known.entry(note).or_insert_with(is_read_only) {
                    found.insert(finding.key);
                }
            }
        }
    }
    found
}

/// Returns the number of open findings, or none if they were never counted. Recounts only if the
/// cache
/// `is_fresh` and few notes changed; otherwise returns the stored count.
pub fn count_open(session: &Session, cache: Cache, is_fresh: bool) -> Result<Option<OpenCounts>> {
    let Some(stored) = StoredQuestions::load(&session.homes.asked()) else {
        return Ok(None);
    };
    let is_current =
        stored.day == session.env.now.date() && stored.basis == basis(session, &cache)?;
    if !is_current && is_fresh && has_little_backlog(session, &cache)? {
        let (offer, _) = collect(session, cache, false, &[])?;
        return Ok(Some(OpenCounts {
            tally: QuestionTally::of(&offer),
            current: true,
        }));
    }
    let mut tally = stored.tally;
    tally.retain(&jobs::enabled(&session.settings));
    Ok(Some(OpenCounts {
        tally,
        current: is_current && is_fresh,
    }))
}

/// Whether every job has few enough new notes to examine them immediately.
fn has_little_backlog(session: &Session, cache: &Cache) -> Result<bool> {
    let answers = session.answers()?;
    let view = session.view_with_near(cache)?;
    for job in jobs::enabled(&session.settings) {
        let job = job.configured(&session.settings);
        if queue::count_unprocessed(&view, &job, &answers, cache.folder())?
            > MAX_NOTES_INDEXED_BY_READ
        {
            return Ok(false);
        }
    }
    Ok(true)
}

fn basis(session: &Session, cache: &Cache) -> Result<CountBasis> {
    let meta = cache.read()?.meta()?;
    let journal = session.vault.own_path(JOURNAL);
    let ReviewOptions { daily, learn } = session.settings.of();
    let specs = jobs::enabled(&session.settings).into_iter();
    let jobs: Vec<_> = specs.map(|job| job.configured(&session.settings)).collect();
    Ok(CountBasis {
        cache: meta.instance,
        generation: meta.generation,
        answers: journal::bytes::<Decision>(&journal) + journal::bytes::<Opinion>(&journal),
        daily,
        learn,
        jobs: xxh3_64(format!("{jobs:?}").as_bytes()),
    })
}

//! Judges: who answers open questions in a person's place, and what follows from what they say.
//!
//! A judge is asked about what is worth most, questions and suggestions alike, once about each text. What so
//! many of them as `judge.agree` asks for say alike is an answer; whether it is carried out is the rule of
//! everything unattended: a note of a person's is changed by a person's answer only. What nobody settles stays
//! open.

pub mod command;
pub mod options;
pub mod reply;
pub mod request;

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread;

use serde::Serialize;

use self::command::Failure;
use self::options::JudgeOptions;
use self::request::Request;
use super::answers::{self, AnswerRecord, Given};
use super::attention::Offer;
use super::options::SleepOptions;
use super::policy;
use crate::cache::Cache;
use crate::error::Error;
use crate::finding::Finding;
use crate::finding::question::{Answer, QuestionKey};
use crate::journal::decisions::JUDGE;
use crate::journal::opinions::{self, MOST_FAILURES, Opinion, Opinions};
use crate::output::progress::Progress;
use crate::session::Session;
use crate::vault::JOURNAL;
use crate::vault::lock::{Lock, LockError};

/// After so many failed calls in a row no more are made in a run.
const GIVE_UP: usize = 3;

/// What a judge is to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgeRequest {
    /// Whether only to say whom it would ask what.
    pub dry_run: bool,
    /// At most so many questions.
    pub limit: Option<usize>,
}

/// What came of it.
#[derive(Debug, Default, Serialize)]
pub struct JudgeReport {
    pub calls: Vec<Call>,
    /// Calls that failed.
    pub failed: usize,
    /// Answers that followed, and what became of them.
    pub answers: Vec<AnswerRecord>,
    /// What judges say yes to and a person has to.
    pub proposed: Vec<QuestionKey>,
    /// Questions whose calls the cap left for the next run.
    pub left: usize,
    /// Questions that no judge can be asked, and why.
    pub unasked: Vec<Unasked>,
}

/// A question that no judge can be asked.
#[derive(Debug, Serialize)]
pub struct Unasked {
    pub id: QuestionKey,
    pub why: String,
}

/// One question to one judge.
#[derive(Clone, Debug, Serialize)]
pub struct Call {
    pub id: QuestionKey,
    pub question: String,
    pub judge: String,
    /// None in a dry run, and where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// Why, or why it failed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// The bytes of the question.
    pub bytes: usize,
}

impl JudgeReport {
    /// Returns the id by which what was carried out is undone.
    #[must_use]
    pub fn run(&self) -> Option<&str> {
        self.answers.iter().find_map(|answer| answer.run.as_deref())
    }
}

/// Someone to ask.
struct Judge {
    name: String,
    command: String,
}

/// Returns the judges that are set up, in the order in which they are asked.
fn judges(options: &JudgeOptions) -> Result<Vec<Judge>, Error> {
    let commands = [&options.command, &options.second].into_iter();
    let commands = commands.filter(|command| !command.trim().is_empty());
    let judges: Vec<Judge> = commands
        .map(|command| Judge {
            name: command::name(command),
            command: command.clone(),
        })
        .collect();
    if judges.is_empty() {
        return Err(Error::new("no judge is set up").hint(
            "set a command that reads a question as JSON and prints the answer: `mem config judge.command 'llm -m MODEL'`",
        ));
    }
    if let [first, second] = judges.as_slice()
        && first.name == second.name
    {
        return Err(
            Error::new("`judge.command` and `judge.second` are the same judge")
                .hint("set another one: `mem config judge.second COMMAND`"),
        );
    }
    if (1..options.agree).contains(&options.calls) {
        return Err(Error::new("`judge.calls` is less than one question takes")
            .hint("set it to 2 or more, or `judge.agree` to 1"));
    }
    if judges.len() < options.agree {
        return Err(
            Error::new("`judge.agree` asks for two judges, and there is one")
                .hint("set another one: `mem config judge.second COMMAND`"),
        );
    }
    Ok(judges)
}

/// Keeps a second run from paying for the same.
fn lock(session: &Session) -> Result<Lock, Error> {
    Lock::acquire(&session.homes.judge_lock(), &session.env.holder()).map_err(|error| match error {
        LockError::Held { .. } => Error::new("another `mem judge` is running in this vault")
            .hint("run this again when it is done; no question is asked twice"),
        error @ LockError::Io { .. } => Error::new("cannot lock").caused_by(&error),
    })
}

/// A call that is to be made.
struct Planned<'o> {
    finding: &'o Finding,
    judge: &'o Judge,
    failures: u32,
    body: Vec<u8>,
}

/// Asks the judges about what is offered, and carries out what follows.
pub fn judge(
    session: &Session,
    cache: Cache,
    offer: &Offer,
    request: JudgeRequest,
) -> Result<JudgeReport, Error> {
    let options: JudgeOptions = session.settings.of();
    let judges = judges(&options)?;
    let _lock = (!request.dry_run).then(|| lock(session)).transpose()?;
    let journal = session.vault.own_path(JOURNAL);
    let device = journal.join(session.env.device()?.name());
    let mut opinions =
        Opinions::of_device(&device).map_err(|error| Error::io("read", &device, &error))?;
    let progress = Progress::spinner(&session.env.output, JUDGE);
    let mut report = JudgeReport::default();
    let mut room = options.calls;
    // What was asked in this run, of whom: a failure waits for a later one.
    let mut asked: HashSet<(QuestionKey, &str)> = HashSet::new();
    let mut questions: HashSet<QuestionKey> = HashSet::new();
    let mut worth: Vec<usize> = (0..offer.findings.len()).collect();
    worth.sort_by(|a, b| offer.judged[*b].worth.total_cmp(&offer.judged[*a].worth));
    let by_worth: Vec<&Finding> = worth.into_iter().map(|at| &offer.findings[at]).collect();
    // Another one is asked where the first have not settled it.
    for _ in 0..judges.len() {
        let view = session.view(&cache)?;
        let mut planned = Vec::new();
        report.left = 0;
        for finding in by_worth.iter().copied() {
            let known = opinions.on(finding.key);
            let is_new = |judge: &Judge| !asked.contains(&(finding.key, judge.name.as_str()));
            let wanted = wanted(known, &judges, options.agree, is_new);
            if wanted.is_empty() || report.unasked.iter().any(|known| known.id == finding.key) {
                continue;
            }
            if room < planned.len() + wanted.len() {
                report.left += 1;
                continue;
            }
            let is_full = request.limit.is_some_and(|most| questions.len() >= most);
            if is_full && !questions.contains(&finding.key) {
                continue;
            }
            questions.insert(finding.key);
            let body = match Request::of(&view, finding, options.bytes)? {
                Ok(body) => serde_json::to_vec(&body).unwrap_or_default(),
                Err(why) => {
                    let id = finding.key;
                    report.unasked.push(Unasked { id, why });
                    continue;
                }
            };
            asked.extend(
                wanted
                    .iter()
                    .map(|judge| (finding.key, judge.name.as_str())),
            );
            planned.extend(wanted.into_iter().map(|judge| {
                let known = known.iter().find(|known| known.judge == judge.name);
                Planned {
                    finding,
                    judge,
                    failures: known.map_or(0, |known| known.failures),
                    body: body.clone(),
                }
            }));
        }
        drop(view);
        if planned.is_empty() {
            break;
        }
        if request.dry_run {
            report.calls.extend(planned.iter().map(Planned::call));
            break;
        }
        call_all(session, &options, &planned, &mut opinions, &mut report)?;
        room = options.calls.saturating_sub(report.calls.len());
        if session.env.stop.is_due() {
            break;
        }
    }
    drop(progress);
    if request.dry_run {
        return Ok(report);
    }
    // Who is no judge any more has no vote.
    opinions.retain(|opinion| judges.iter().any(|judge| judge.name == opinion.judge));
    follow(
        session,
        cache,
        &by_worth,
        &opinions,
        options.agree,
        &mut report,
    )?;
    Ok(report)
}

/// Returns who of those that are `free` is to be asked about a question of which this is known: as many as it
/// takes to settle it.
fn wanted<'j>(
    known: &[Opinion],
    judges: &'j [Judge],
    agree: usize,
    free: impl Fn(&Judge) -> bool,
) -> Vec<&'j Judge> {
    // Who is no judge any more has no vote.
    let is_judge = |known: &&Opinion| judges.iter().any(|judge| judge.name == known.judge);
    let votes = votes(known.iter().filter(is_judge));
    let most = votes.values().copied().max().unwrap_or(0);
    let can_say = |judge: &&Judge| {
        let known = known.iter().find(|known| known.judge == judge.name);
        let fails = |known: &Opinion| known.answer.is_none() && known.failures < MOST_FAILURES;
        known.is_none_or(fails) && free(judge)
    };
    let others = judges.iter().filter(can_say);
    others.take(agree.saturating_sub(most)).collect()
}

/// Counts who says what.
fn votes<'o>(known: impl Iterator<Item = &'o Opinion>) -> HashMap<String, usize> {
    let mut votes = HashMap::new();
    for answer in known.filter_map(|known| known.answer) {
        *votes.entry(answer.to_string()).or_default() += 1;
    }
    votes
}

/// Returns what enough judges say, and more than say anything else, as `finding` names its notes.
fn settled(finding: &Finding, known: &[Opinion], agree: usize) -> Option<Answer> {
    let votes = votes(known.iter());
    let most = votes
        .values()
        .copied()
        .max()
        .filter(|most| *most >= agree)?;
    let mut first = known.iter().filter_map(|known| known.answer);
    let stored = first.find(|answer| votes[&answer.to_string()] == most)?;
    let is_alone = votes.values().filter(|number| **number == most).count() == 1;
    is_alone.then(|| finding.named(stored))
}

impl Planned<'_> {
    fn call(&self) -> Call {
        Call {
            id: self.finding.key,
            question: self.finding.question(),
            judge: self.judge.name.clone(),
            answer: None,
            why: String::new(),
            bytes: self.body.len(),
        }
    }
}

/// The calls that nobody makes yet.
struct Waiting<'p, I: Iterator<Item = (usize, &'p Planned<'p>)>> {
    calls: I,
    /// How many failed since one was answered.
    failed: usize,
}

impl<'p, I: Iterator<Item = (usize, &'p Planned<'p>)>> Waiting<'p, I> {
    /// Who is not there at all is not asked again and again.
    fn next(&mut self) -> Option<(usize, &'p Planned<'p>)> {
        if self.failed < GIVE_UP {
            self.calls.next()
        } else {
            None
        }
    }

    fn ended(&mut self, is_answered: bool) {
        self.failed = if is_answered { 0 } else { self.failed + 1 };
    }
}

/// Makes the calls, a few at a time, and keeps each reply at once.
fn call_all(
    session: &Session,
    options: &JudgeOptions,
    planned: &[Planned<'_>],
    opinions: &mut Opinions,
    report: &mut JudgeReport,
) -> Result<(), Error> {
    let device = session.journal_folder()?;
    let (stop, vault) = (&session.env.stop, session.vault.root());
    let waiting = Mutex::new(Waiting {
        calls: planned.iter().enumerate(),
        failed: 0,
    });
    let (send, replies) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..options.parallel.min(planned.len()) {
            let (send, waiting) = (send.clone(), &waiting);
            scope.spawn(move || {
                loop {
                    let next = waiting.lock().ok().and_then(|mut waiting| waiting.next());
                    let Some((at, call)) = next.filter(|_| !stop.is_due()) else {
                        break;
                    };
                    let command = &call.judge.command;
                    let said = command::ask(command, vault, &call.body, options.timeout, stop);
                    let reply = said.and_then(|text| {
                        let read = reply::read(&text, call.finding.key);
                        read.map_err(Failure::Failed)
                    });
                    if let Ok(mut waiting) = waiting.lock() {
                        waiting.ended(reply.is_ok());
                    }
                    if send.send((at, call, reply)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        let mut done = Vec::new();
        let mut failed = 0;
        for (at, call, reply) in replies {
            let (answer, why, is_absent) = match reply {
                Ok(reply) => (Some(reply.answer), reply.why, false),
                Err(_) if stop.is_due() => continue,
                Err(Failure::Failed(why)) => (None, why, false),
                Err(Failure::Absent(why)) => (None, why, true),
            };
            failed += usize::from(answer.is_none());
            let (stored, about) = match answer {
                Some(answer) => {
                    let (stored, about) = call.finding.stored(answer);
                    (Some(stored), about)
                }
                None => (None, call.finding.notes.iter().collect()),
            };
            let opinion = Opinion {
                key: call.finding.key,
                judge: call.judge.name.clone(),
                answer: stored,
                why: why.clone(),
                at: session.env.now.timestamp(),
                about: about.into_iter().map(ToString::to_string).collect(),
                failures: call.failures + u32::from(answer.is_none()),
            };
            // Who was not there said nothing of this question.
            if !is_absent {
                opinions::append(&device, &opinion)
                    .map_err(|error| Error::io("write to", &device, &error))?;
                opinions.add(opinion);
            }
            let call = Call {
                answer,
                why,
                ..call.call()
            };
            done.push((at, call));
        }
        report.failed += failed;
        done.sort_unstable_by_key(|(at, _)| *at);
        report.calls.extend(done.into_iter().map(|(_, call)| call));
        Ok(())
    })
}

/// Takes what enough judges say as answers, as far as it may be done unasked.
fn follow(
    session: &Session,
    cache: Cache,
    asked: &[&Finding],
    opinions: &Opinions,
    agree: usize,
    report: &mut JudgeReport,
) -> Result<(), Error> {
    let apply = session.settings.of::<SleepOptions>().apply;
    // What a person answered while judges were asked is theirs.
    let answered = session.answers()?;
    let view = session.view(&cache)?;
    let mut given = Vec::new();
    for &finding in asked {
        let known = opinions.on(finding.key);
        let Some(answer) = settled(finding, known, agree) else {
            continue;
        };
        if answered.get(finding.key).is_some() {
            continue;
        }
        if answer.is_yes() && !policy::allows(&view, finding, answer, apply)? {
            report.proposed.push(finding.key);
            continue;
        }
        let (stored, _) = finding.stored(answer);
        let who = known.iter().filter(|known| known.answer == Some(stored));
        let who: Vec<&str> = who.map(|known| known.judge.as_str()).collect();
        given.push(Ok(Given {
            asked: finding,
            answer,
            by: format!("{JUDGE} {}", who.join(" ")),
            text: None,
        }));
    }
    drop(view);
    if !given.is_empty() {
        report.answers = answers::give(session, cache, JUDGE, given, false)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(name: &str) -> Judge {
        Judge {
            name: name.to_owned(),
            command: String::new(),
        }
    }

    #[test]
    fn as_many_are_asked_as_it_takes() {
        let judges = [judge("a"), judge("b")];
        let said = |judge: &str, answer: Option<Answer>, failures| Opinion {
            key: QuestionKey::new(crate::finding::question::Kind::Merge, &[1]),
            judge: judge.to_owned(),
            answer,
            why: String::new(),
            at: jiff::Timestamp::UNIX_EPOCH,
            about: Vec::new(),
            failures,
        };
        let (yes, no) = (Some(Answer::Yes), Some(Answer::No));
        let cases: [(&[Opinion], usize, &[&str]); 9] = [
            (&[], 1, &["a"]),
            (&[], 2, &["a", "b"]),
            (&[said("a", yes, 0)], 1, &[]),
            (&[said("a", yes, 0)], 2, &["b"]),
            (&[said("a", yes, 0), said("b", yes, 0)], 2, &[]),
            // They disagree: a person decides.
            (&[said("a", yes, 0), said("b", no, 0)], 2, &[]),
            (&[said("a", None, 1)], 1, &["a"]),
            (&[said("a", None, 3)], 1, &["b"]),
            // One that is no judge any more has no vote.
            (&[said("gone", yes, 0)], 1, &["a"]),
        ];
        for (known, agree, expected) in cases {
            let found = wanted(known, &judges, agree, |_| true);
            let found: Vec<&str> = found.iter().map(|judge| judge.name.as_str()).collect();
            assert_eq!(found, expected, "{known:?} {agree}");
        }
    }
}

//! Puts the newest of short statements about one subject first.
//!
//! An agent's memory contains outdated facts beside current ones. Scores cannot separate them: the older
//! statement is often shorter and closer to the words of the question. Statements that answer one question
//! about one subject are therefore grouped, whether or not a replacement is recorded. The newest valid one
//! moves to the front of its group, even if its score is below the cut. Older ones with another value are
//! marked.
//!
//! A group contains only direct matches of its best or of its newest statement. Chains of pairs join whole
//! conversations through common names: with them recall@10 on `LoCoMo` falls from .76 to .25. At most one
//! note per group moves up, so everything else keeps its place or loses one.

mod statement;
mod words;

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use regex::Regex;
use ulid::Ulid;

use self::statement::{Question, Statement};
use super::candidates::Sources;
use super::outdated::OutdatedReason;
use super::ranking::RankedHit;
use super::relevance::own_score;
use crate::cache::CacheError;
use crate::cache::row::{Flags, Slot};
use crate::cache::text::clause::Clause;
use crate::note::facts::departures::{completed_change, departure_words, reports_cancellation};
use crate::note::facts::validity::{Validity, is_draft, reports_change, validity};
use crate::note::front_matter::matter::text_of;
use crate::note::front_matter::split::split;
use crate::note::markdown::prose::stated;
use crate::note::markdown::sentences;
use crate::note::words::analyzer::Pattern;
use crate::note::words::language::Language;
use crate::note::words::one_line::one_line;
use crate::note::words::speaker::is_chat_turn;
use crate::view::{Entry, View};

/// A sentence that only refers to other notes, which is not about them: `See [[Ines]].`
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(?im)(^\s*|[.!?]\s+)(?:(?:see|siehe|voir|vedi|ver|véase)(?: (?:also|auch|aussi|anche|também|también))?|vgl\.|cf\.) (?:\[\[[^\]]+\]\](?:, | and | und | et | e | y )?)+\.?\s*$";
    Regex::new(pattern).expect("a valid pattern")
});

/// Minimum score of a statement, as a share of the best of its group. Over 120 scenarios of facts it keeps .92 of the
/// statements that answer the question, and .11 of the others.
const MIN_SCORE_SHARE: f32 = 0.55;
/// Minimum share of the better score from which the newer of two statements comes first, whatever they state. In two sets
/// of 220 pairs, half of them without a change, it is right in 6 and wrong in 1.
const NEAR_SCORE_SHARE: f32 = 0.85;
/// Maximum size of its note in bytes, front matter included.
const MAX_BYTES: u64 = 4096;
/// Maximum number of lines in its note; of a longer note only the sentences that answer the question are read.
const MAX_LINES: usize = 3;
/// Maximum number of steps from the best statement to the newest, by direct matches.
const MAX_HOPS: usize = 2;
/// Number of best candidates to examine.
const MAX_CANDIDATES: usize = 60;
/// Number of best statements before which a newer one from below the cut is put.
const MAX_UPDATED: usize = 3;
/// Number of best statements whose values may have been left for others.
const MAX_VALUED_STATEMENTS: usize = 3;
/// Minimum length of a first name.
const MIN_NAME_CHARS: usize = 3;
/// Number of notes to read for each of their values, and number of texts for the news of each statement.
const MAX_MENTIONS: usize = 30;

/// A candidate with its statement, if it is one.
struct Member {
    candidate: RankedHit,
    statement: Option<Statement>,
    /// The file name without its ending.
    stem: String,
}

/// Groups the statements of candidates for one question.
pub(super) struct StatementGroups<'v> {
    view: &'v View<'v>,
    sources: &'v Sources<'v>,
    question: Question<'v>,
}

impl<'v> StatementGroups<'v> {
    pub(super) fn new(view: &'v View<'v>, sources: &'v Sources<'v>) -> Self {
        Self {
            view,
            sources,
            question: Question::new(sources.question, &sources.reader.languages),
        }
    }

    /// Moves the newest valid statement of each group in `ranked` before the best of the group. It may come
    /// from `dropped`, the candidates below the cut. Marks older statements with another value.
    pub(super) fn newest_first(
        &mut self,
        ranked: Vec<RankedHit>,
        dropped: Vec<RankedHit>,
    ) -> Result<Vec<RankedHit>, CacheError> {
        let kept = ranked.len();
        let all = ranked
            .into_iter()
            .chain(dropped)
            .take(kept.max(MAX_CANDIDATES));
        let members: Vec<Member> = all
            .enumerate()
            .map(|(rank, candidate)| {
                let is_read = rank < MAX_CANDIDATES;
                let statement = is_read.then(|| self.read(&candidate)).flatten();
                Member::new(candidate, statement)
            })
            .collect();
        let mut members = self.with_departures(members, kept)?;
        for member in &mut members {
            let validity = member
                .statement
                .as_ref()
                .map(|statement| statement.validity);
            member.candidate.outdated = match validity {
                Some(Validity::Ended) => Some(OutdatedReason::Ended),
                Some(Validity::Struck) => Some(OutdatedReason::Struck),
                _ => member.candidate.outdated.take(),
            };
        }
        yield_to_better(&mut members[..kept]);
        let mut order: Vec<usize> = Vec::with_capacity(members.len());
        let mut is_grouped = vec![false; members.len()];
        for best in 0..kept {
            if order.contains(&best) {
                continue;
            }
            // A statement of another time brings in what holds now, unless it is shown already.
            let is_taken = |at: usize| {
                if members[best].statement.is_none() || members[best].is_valid() {
                    is_grouped[at]
                } else {
                    order.contains(&at)
                }
            };
            if !is_taken(best)
                && let Some((newest, group)) = self.group(&members, is_taken, (best, kept))?
            {
                for &member in &group {
                    is_grouped[member] = true;
                    let is_near = is_near(&members, best, member);
                    let is_refused = |newer: usize| {
                        let [newer, replaced] =
                            [newer, member].map(|at| &members[at].candidate.entry);
                        self.view
                            .refused_replacement(newer, replaced)
                            .unwrap_or(false)
                            || self.is_confirmed_since(replaced, newer)
                    };
                    let replaces = |newer: usize| {
                        members[newer].replaces_value_of(&members[member], is_near)
                            && !is_refused(newer)
                    };
                    let is_repeated =
                        members[newest].compare(&members[member], Statement::repeats_value_of);
                    let mut others = group.iter().copied().filter(|_| !is_repeated);
                    // A, then B, then A again: B is outdated.
                    let is_withdrawn = || {
                        member != newest
                            && !is_refused(newest)
                            && group.iter().any(|&first| {
                                members[newest].compare(&members[first], Statement::restates)
                                    && members[member].replaces_value_of(&members[first], true)
                            })
                    };
                    let newer = Some(newest)
                        .filter(|&newest| replaces(newest))
                        .or_else(|| others.find(|&other| replaces(other)))
                        .or_else(|| is_withdrawn().then_some(newest));
                    if let Some(newer) = newer {
                        let outdated = OutdatedReason::NewerStatement {
                            newer: members[newer].candidate.entry.path.clone(),
                            question: None,
                        };
                        members[member].candidate.outdated.get_or_insert(outdated);
                    }
                }
                if newest != best {
                    order.push(newest);
                }
            }
            order.push(best);
        }
        self.put_newer_first(&mut order, &members, &is_grouped)?;
        let mut news = self.news_of_values(&members, &order)?;
        let mut members: Vec<Option<RankedHit>> =
            members.into_iter().map(|one| Some(one.candidate)).collect();
        let hits = order.iter().flat_map(|&at| {
            let told = news.remove(&at);
            members[at].take().into_iter().chain(told)
        });
        Ok(hits.collect())
    }

    /// Returns whether a person confirmed after `newer` that `older` is true.
    fn is_confirmed_since(&self, older: &Entry, newer: &Entry) -> bool {
        let usage = self.view.usage(older).ok();
        let confirmed = usage.and_then(|usage| usage.last_confirmed);
        confirmed.is_some_and(|confirmed| confirmed >= newer.row.created)
    }

    /// Returns the newest note that reports a change and mentions the value of each of the best statements in `order`. It
    /// may have no word of the question: `Dr. Behrens has retired. We all go to Dr. Yilmaz now`.
    fn news_of_values(
        &self,
        members: &[Member],
        order: &[usize],
    ) -> Result<BTreeMap<usize, RankedHit>, CacheError> {
        let mut known: BTreeSet<Slot> = order
            .iter()
            .map(|&at| members[at].candidate.entry.slot)
            .collect();
        let mut news = BTreeMap::new();
        for &at in order.iter().take(MAX_UPDATED) {
            let member = &members[at];
            let statement = member.statement.as_ref();
            let is_asked = member.candidate.outdated.is_none() && !member.is_long();
            let Some(statement) = statement.filter(|_| is_asked) else {
                continue;
            };
            let is_news = |entry: &Entry| {
                entry.row.stated().is_some_and(|at| at > statement.at)
                    && entry.row.stat.size <= MAX_BYTES
                    && !entry.row.flags.has(Flags::DERIVED)
            };
            let mut newest: Option<Entry> = None;
            let mut unread = MAX_MENTIONS;
            // `Miriam Osei` is called Miriam later.
            let values = statement.named_values().flat_map(|value| {
                let first = value.split_once(' ').map(|(first, _)| first);
                let is_name = |first: &&str| {
                    first.chars().count() >= MIN_NAME_CHARS
                        && first.chars().all(char::is_alphabetic)
                };
                [Some(value), first.filter(is_name)].into_iter().flatten()
            });
            for value in values {
                for slot in self.reported_mentions(value.to_owned())? {
                    let entry = self.view.entry(slot)?.filter(is_news);
                    let is_newest = |entry: &Entry| {
                        let stated = newest.as_ref().map(|newest| newest.row.created);
                        Some(entry.row.created) > stated
                    };
                    let Some(entry) = entry.filter(is_newest) else {
                        continue;
                    };
                    let is_shown = known.contains(&slot) || !self.sources.filters.admits(slot)?;
                    if is_shown || unread == 0 || self.view.replaced_now(&entry)?.is_some() {
                        continue;
                    }
                    unread -= 1;
                    if self.reports_news_of(&entry, value) {
                        newest = Some(entry);
                    }
                }
            }
            if let Some(entry) = newest {
                known.insert(entry.slot);
                news.insert(at, RankedHit::unscored(entry));
            }
        }
        Ok(news)
    }

    /// Returns whether a sentence of the note mentions `value`, and it or the next one reports a change.
    fn reports_news_of(&self, entry: &Entry, value: &str) -> bool {
        let Ok(text) = self.view.text(entry) else {
            return false;
        };
        let body = text[split(&text).body].trim();
        let said = stated(body);
        let sentences = sentences::sentences(&said, 0..said.len());
        let sentences: Vec<&str> = sentences.into_iter().map(|span| &said[span]).collect();
        (0..sentences.len()).any(|at| {
            let told = sentences[at..sentences.len().min(at + 2)].join(" ");
            let begins = || {
                let stated = entry.row.stated().unwrap_or_default();
                let day = stated.to_zoned(self.view.now.time_zone().clone()).date();
                validity(&told, day, self.view.now.date()) == Validity::Since
            };
            sentences[at].contains(value)
                && (reports_change(&told)
                    || reports_cancellation(&told)
                    || !completed_change(&told).is_empty()
                    || begins())
        })
    }

    /// Adds newer statements that the values of the best `kept` members were left for others. They may have no word of
    /// the question: `The switch from Slack to Teams is complete`.
    fn with_departures(
        &mut self,
        mut members: Vec<Member>,
        kept: usize,
    ) -> Result<Vec<Member>, CacheError> {
        let mut known: BTreeSet<Slot> =
            members.iter().map(|one| one.candidate.entry.slot).collect();
        let best = members
            .iter()
            .take(kept)
            .filter_map(|one| one.statement.as_ref());
        let mut values: BTreeMap<String, Timestamp> = BTreeMap::new();
        for best in best.take(MAX_VALUED_STATEMENTS) {
            for value in best.named_values() {
                let oldest = values.entry(value.to_owned()).or_insert(best.at);
                *oldest = best.at.min(*oldest);
            }
        }
        for (value, older) in values {
            for slot in self.reported_mentions(value)? {
                if known.contains(&slot) || !self.sources.filters.admits(slot)? {
                    continue;
                }
                let entry = self.view.entry(slot)?;
                let is_newer = |entry: &Entry| entry.row.stated().is_some_and(|at| at > older);
                let Some(entry) = entry.filter(is_newer) else {
                    continue;
                };
                known.insert(slot);
                let candidate = RankedHit::unscored(entry);
                let statement = self.read(&candidate).filter(Statement::reports_departure);
                if statement.is_some() {
                    members.push(Member::new(candidate, statement));
                }
            }
        }
        Ok(members)
    }

    /// Puts the newest statement that may be about the same thing in other words before each statement in `order`, outside
    /// of groups. For the best statements one may come from below the cut.
    fn put_newer_first(
        &self,
        order: &mut Vec<usize>,
        members: &[Member],
        is_grouped: &[bool],
    ) -> Result<(), CacheError> {
        let mut updated = BTreeSet::new();
        for at in 0..order.len() {
            let one = order[at];
            let mut newer: Vec<usize> = order[at + 1..].to_vec();
            if at < MAX_UPDATED && !updated.contains(&one) {
                let is_below = |other: &usize| !order.contains(other);
                let are_long = |other: usize| members[one].is_long() && members[other].is_long();
                let below = (0..members.len()).filter(is_below);
                newer.extend(below.filter(|&other| !are_long(other)));
            }
            newer.retain(|&other| {
                !is_grouped[one]
                    && !is_grouped[other]
                    && members[one].yields_to_newer(&members[other])
            });
            newer.sort_by_key(|&other| Reverse(members[other].time()));
            for other in newer {
                let entry = &members[other].candidate.entry;
                let place = order.iter().position(|&member| member == other);
                if let Some(place) = place {
                    order[at..=place].rotate_right(1);
                } else if self.view.replaced_now(entry)?.is_some() {
                    continue;
                } else {
                    order.insert(at, other);
                    updated.insert(one);
                }
                break;
            }
        }
        Ok(())
    }

    /// Returns the last notes that mention `name`. Where many do, only those with a word that reports a departure.
    fn reported_mentions(&self, name: String) -> Result<Vec<Slot>, CacheError> {
        let reader = self.sources.reader;
        let mut mentions = reader.matches(&Clause::of(Pattern::Phrase(name)))?;
        if mentions.len() > MAX_MENTIONS {
            let mut reports: BTreeSet<u64> = BTreeSet::new();
            for word in departure_words() {
                reports.extend(reader.matches(&Clause::of(Pattern::Word(word.to_owned())))?);
            }
            mentions.retain(|key| reports.contains(key));
        }
        let last = mentions.into_iter().rev().take(MAX_MENTIONS);
        Ok(last.map(|key| key as Slot).collect())
    }

    /// Returns the newest valid statement about the subject of `best`, and the group of both. `None` if no
    /// other statement belongs to it. Below the cut (from `kept` on) a cosine brings in much that only resembles the
    /// question: there a statement must score near the best one, or
    /// correct it.
    fn group(
        &self,
        members: &[Member],
        is_taken: impl Fn(usize) -> bool,
        (best, kept): (usize, usize),
    ) -> Result<Option<(usize, Vec<usize>)>, CacheError> {
        if members[best].statement.is_none() {
            return Ok(None);
        }
        let free: Vec<(usize, bool)> = (0..members.len())
            .filter(|&other| !is_taken(other))
            .map(|other| (other, is_near(members, best, other)))
            .collect();
        let matches_of = |one: usize| -> Vec<usize> {
            let is_match = |&&(other, is_near): &&(usize, bool)| {
                let has_cosine = members[other].candidate.cosine.is_some();
                let are_long = members[other].is_long() && members[one].is_long();
                let is_similar = other < kept || !are_long && (is_near || !has_cosine);
                let corrects =
                    || !are_long && members[other].compare(&members[one], Statement::corrects);
                (is_similar || corrects())
                    && members[one].may_share_subject(&members[other])
                    && members[one].compare(&members[other], |one, other| {
                        one.has_subject_of(other, is_near)
                    })
            };
            free.iter()
                .filter(is_match)
                .map(|(other, _)| *other)
                .collect()
        };
        let of_best = matches_of(best);
        let (mut newest, mut of_newest) = (best, of_best.clone());
        for _ in 0..MAX_HOPS {
            let Some(newer) = self.newest_of(members, newest, of_newest.iter().copied())? else {
                break;
            };
            if members[newest].is_valid() && members[newer].time() <= members[newest].time() {
                break;
            }
            newest = newer;
            of_newest = matches_of(newest);
        }
        // `Living room back at 20 degrees` has the subject of the first of three statements.
        let is_older = |at: &&usize| members[**at].time() < members[newest].time();
        let first: Vec<usize> = of_newest.iter().filter(is_older).copied().collect();
        let returned = free.iter().map(|(at, _)| *at).filter(|&at| {
            let mut first = first.iter();
            members[newest].time() < members[at].time()
                && first.any(|&first| {
                    members[at].compare(&members[first], |again, first| {
                        again.returns_to(first) || again.says_again(first)
                    })
                })
        });
        if let Some(newer) = self.newest_of(members, newest, returned)? {
            newest = newer;
            of_newest = matches_of(newest);
        }
        let group: BTreeSet<usize> = of_best.into_iter().chain(of_newest).collect();
        let is_group = group.len() > 1 && members[newest].is_valid();
        Ok(is_group.then(|| (newest, group.into_iter().collect())))
    }

    /// Returns the newest of `matches` to `one` that is valid, not recorded as replaced and not only a denial.
    fn newest_of(
        &self,
        members: &[Member],
        one: usize,
        matches: impl Iterator<Item = usize>,
    ) -> Result<Option<usize>, CacheError> {
        let mut newest: Option<usize> = None;
        for at in matches.filter(|&at| members[at].is_valid()) {
            if members[at].compare(&members[one], Statement::denies_other_value) {
                continue;
            }
            let is_newer = newest.is_none_or(|newest| members[newest].time() < members[at].time());
            if is_newer
                && self
                    .view
                    .replaced_now(&members[at].candidate.entry)?
                    .is_none()
            {
                newest = Some(at);
            }
        }
        Ok(newest)
    }

    /// Reads the statement of a dated note, if the note contains a single short one.
    fn read(&mut self, candidate: &RankedHit) -> Option<Statement> {
        let row = &candidate.entry.row;
        // Summaries repeat what other notes state.
        let is_read = row.stat.size <= MAX_BYTES && !row.flags.has(Flags::DERIVED);
        let at = row.stated().filter(|_| is_read)?;
        let details = self.view.details(candidate.entry.slot).ok()?;
        let properties = details.properties();
        if is_chat_turn(&properties) {
            return None;
        }
        let text = self.view.text(&candidate.entry).ok()?;
        let body = text[split(&text).body].trim();
        let stated = stated(body);
        let is_withdrawn = stated.trim().is_empty() && stated != body;
        let said = if is_withdrawn { body } else { stated.trim() };
        let lines = said.lines().filter(|line| !line.trim().is_empty());
        let is_excerpt = !is_withdrawn && lines.count() > MAX_LINES;
        let said = if is_withdrawn {
            said.into()
        } else {
            without_headings(said)
        };
        let said = REFERENCE.replace_all(&said, "$1");
        let mut statement = self
            .question
            .statement(&said, at, &self.view.now, is_excerpt)?;
        if let Some(id) = &details.id {
            statement.at = within_second(at, id);
        }
        // Of a longer note another sentence may have changed.
        if let Ok(updated) = Timestamp::from_second(row.updated)
            && !is_excerpt
        {
            statement.at = statement.at.max(updated);
        }
        self.question.add_title(&mut statement, &details.title);
        statement.space = text_of(&properties, "space");
        statement.is_of_long_note = is_excerpt;
        let status = text_of(&properties, "status").unwrap_or_default();
        if is_withdrawn && body.contains("~~") {
            statement.validity = Validity::Struck;
        } else if is_withdrawn || is_draft(&details.title, &details.tags, &status) {
            statement.validity = Validity::Tentative;
        }
        Some(statement)
    }
}

/// Reads the parts of notes that answer one query.
pub struct AnswerReader<'l>(Question<'l>);

impl<'l> AnswerReader<'l> {
    pub fn new(query: &str, languages: &'l [Language]) -> Self {
        Self(Question::new(query, languages))
    }

    /// Returns the sentences and list items of `body` that answer the query, on one line without headings and list
    /// markers. Returns all of them if they fit into `max_chars` or none contains a word of the query.
    pub fn answer(&mut self, body: &str, max_chars: usize) -> String {
        let spans = sentences::sentences(body, 0..body.len());
        let parts: Vec<String> = spans
            .into_iter()
            .map(|span| with_mark(body, &span))
            .collect();
        let all: Vec<&str> = parts.iter().map(String::as_str).collect();
        let whole = joined(&all);
        if whole.chars().count() <= max_chars {
            // Code and headings have no sentences.
            return if whole.is_empty() {
                one_line(body)
            } else {
                whole
            };
        }
        match self.0.answering(all, true).as_slice() {
            [] => whole,
            answering => joined(answering),
        }
    }
}

/// Returns a sentence of `body` on one line, with the mark of a task or quotation: without it a plan is a fact.
fn with_mark(body: &str, sentence: &Range<usize>) -> String {
    let line = body[..sentence.start].rfind('\n').map_or(0, |at| at + 1);
    let is_list_marker = |c: char| c.is_whitespace() || c.is_ascii_digit() || "-*+.)".contains(c);
    let mark = body[line..sentence.start].trim_start_matches(is_list_marker);
    let is_mark = mark.starts_with('>') || mark.len() == "[ ] ".len() && mark.starts_with('[');
    let start = if is_mark && !mark.contains(". ") {
        sentence.start - mark.len()
    } else {
        sentence.start
    };
    one_line(&body[start..sentence.end])
}

/// Returns sentences on one line; a dot separates list items without a period.
fn joined(sentences: &[&str]) -> String {
    sentences.iter().fold(String::new(), |line, sentence| {
        let gap = match line.chars().next_back() {
            None => "",
            Some(c) if c.is_alphanumeric() => " · ",
            Some(_) => " ",
        };
        line + gap + sentence
    })
}

/// Returns the sentences of `body`, one per line, without its headings; all of it if it has nothing else.
fn without_headings(body: &str) -> Cow<'_, str> {
    if !body.contains('#') && body.lines().count() < 2 {
        return body.into();
    }
    let sentences = sentences::sentences(body, 0..body.len());
    let lines = sentences.into_iter().map(|span| one_line(&body[span]));
    let lines: Vec<String> = lines.filter(|line| !line.is_empty()).collect();
    if lines.is_empty() {
        body.into()
    } else {
        lines.join("\n").into()
    }
}

/// Returns `at` with the order of the id, if the id is a ULID of that second: statements of one script differ in nothing
/// else. The next id of a batch is greater by one. A given date is not ordered by the id of its note.
fn within_second(at: Timestamp, id: &str) -> Timestamp {
    let Ok(id) = Ulid::from_string(id) else {
        return at;
    };
    let ms = i64::try_from(id.timestamp_ms()).unwrap_or_default();
    if ms.div_euclid(1000) != at.as_second() {
        return at;
    }
    // Less than a millisecond in nanoseconds.
    let order = i64::try_from(id.random() & 0x7_FFFF).unwrap_or_default();
    let nanoseconds = SignedDuration::from_nanos(ms.rem_euclid(1000) * 1_000_000 + order);
    at.checked_add(nanoseconds).unwrap_or(at)
}

/// Moves each statement behind the first one that answers the question better, or its newest twin.
fn yield_to_better(members: &mut [Member]) {
    // `Ben's number` comes after `my number` if the question does not contain Ben, a plan after what holds.
    for at in 0..members.len() {
        let is_valid = |other: &usize| members[*other].is_valid();
        let mut others = (at + 1..members.len()).filter(is_valid);
        let better = others.clone().find(|&other| {
            !(members[at].is_long() && members[other].is_long())
                && members[at].compare(&members[other], Statement::yields_to)
        });
        let twin = |&other: &usize| {
            members[at].may_share_subject(&members[other])
                && members[at].compare(&members[other], Statement::has_newer_twin)
        };
        let twins = others.by_ref().filter(twin);
        let newest = twins.max_by_key(|&other| members[other].time());
        if let Some(better) = better.or(newest) {
            members[at..=better].rotate_right(1);
        }
    }
}

/// Returns whether the scores of two members are similar.
fn is_near(members: &[Member], best: usize, other: usize) -> bool {
    let [best, other] = [best, other].map(|at| own_score(&members[at].candidate));
    other >= MIN_SCORE_SHARE * best
}

impl Member {
    fn new(candidate: RankedHit, statement: Option<Statement>) -> Self {
        Self {
            stem: candidate.entry.path.stem().to_owned(),
            candidate,
            statement,
        }
    }

    fn is_valid(&self) -> bool {
        let statement = self.statement.as_ref();
        statement.is_some_and(|statement| statement.validity.is_current())
    }

    fn time(&self) -> Option<Timestamp> {
        Some(self.statement.as_ref()?.at)
    }

    /// Returns whether both have statements that compare so.
    fn compare(&self, other: &Self, is: impl Fn(&Statement, &Statement) -> bool) -> bool {
        let pair = self.statement.as_ref().zip(other.statement.as_ref());
        pair.is_some_and(|(one, other)| is(one, other))
    }

    fn is_long(&self) -> bool {
        let statement = self.statement.as_ref();
        statement.is_some_and(|statement| statement.is_of_long_note)
    }

    /// Returns whether their places allow one subject: not two projects, and not `Ann/Likes.md` and `Ben/Likes.md`. Two
    /// longer notes are articles as often as reports: there the sentence of the newer one must report a change.
    fn may_share_subject<'s>(&'s self, other: &'s Self) -> bool {
        let [one, two] = [self, other].map(|member| member.candidate.entry.slot);
        let is_namesake = one != two && self.stem == other.stem;
        let reports =
            |newer: &Statement, older: &Statement| newer.at > older.at && newer.reports_event;
        if self.is_long()
            && other.is_long()
            && !self.compare(other, reports)
            && !other.compare(self, reports)
        {
            return false;
        }
        let space = |member: &'s Self| member.statement.as_ref()?.space.as_deref();
        let spaces = space(self).zip(space(other));
        !is_namesake && spaces.is_none_or(|(one, other)| one == other)
    }

    /// Returns whether `other` is newer, scores nearly as well, and may be about the same thing in other words. The score of
    /// a longer note is that of all its sentences.
    fn yields_to_newer(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|member| own_score(&member.candidate));
        let is_excerpt =
            |member: &Self| member.statement.as_ref().is_some_and(Statement::is_excerpt);
        (others >= NEAR_SCORE_SHARE * own || is_excerpt(self) || is_excerpt(other))
            && self.may_share_subject(other)
            && self.compare(other, Statement::may_be_outdated_by)
    }

    /// Returns whether this is newer than `older` and has another value.
    fn replaces_value_of(&self, older: &Self, is_near: bool) -> bool {
        self.compare(older, |newer, older| {
            newer.replaces_value_of(older, is_near)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_without_headings_and_markers() {
        let filler =
            "The meeting was long and many people spoke about the summer party. ".repeat(4);
        let body = format!(
            "# Shop\n\n{filler}\n\n## Stack\n\n- Cache in Redis\n- The shop runs on Postgres 16\n- [ ] the shop runs on Fly\n"
        );
        let mut reader = AnswerReader::new("What does the shop run on?", &[Language::ENGLISH]);
        assert_eq!(
            reader.answer(&body, 240),
            "The shop runs on Postgres 16 · [ ] the shop runs on Fly"
        );
        let short = "# Shop\n\n1. Cache in Redis\n2. Runs on Fly.\n\n> Runs on Azure.\n";
        assert_eq!(
            reader.answer(short, 240),
            "Cache in Redis · Runs on Fly. > Runs on Azure."
        );
        assert!(reader.answer(&filler, 240).starts_with("The meeting was"));
        assert_eq!(
            reader.answer("```\nrun shop\n```\n", 240),
            "``` run shop ```"
        );
    }

    #[test]
    fn ids_order_statements_of_their_own_second() {
        let at = Timestamp::from_second(1_780_000_000).unwrap();
        let id = Ulid::from_parts(1_780_000_000_250, 7);
        let next = id.increment().unwrap();
        let [first, second] = [id, next].map(|id| within_second(at, &id.to_string()));
        assert!(at < first && first < second && second.as_second() == at.as_second());
        let given = Timestamp::from_second(1_700_000_000).unwrap();
        assert_eq!(within_second(given, &id.to_string()), given);
        assert_eq!(within_second(at, "k-1"), at);
    }
}

//! What is proposed of two notes that disagree: which is the later one, whether it is certain, and why.

use super::options::Options;
use super::pair::Sign;
use crate::cache::CacheError;
use crate::cache::key::Key;
use crate::cache::row::Flags;
use crate::finding::Finding;
use crate::finding::act::Act;
use crate::finding::plan::Edge;
use crate::finding::question::{Answer, Answers, Kind, QuestionKey};
use crate::jobs::find::about_pair;
use crate::note::front_matter::relation::Relation;
use crate::view::{Entry, View};

/// Characters of a sentence that are quoted.
const QUOTED: usize = 160;
/// Notes whose dates are so far apart, in seconds, were not written in one go.
const APART: u64 = 86_400;

/// Returns what is proposed of two notes that disagree by `sign`.
///
/// The wording says first which is the later one, then the dates; where neither does, it is a tension. A
/// statement made again after the other note had replaced it is the later one by its date, and an answer
/// about its first time is none about this.
pub(super) fn finding(
    view: &View<'_>,
    [first, second]: [&Entry; 2],
    sign: &Sign,
    options: &Options,
    answers: &Answers,
) -> Result<Finding, CacheError> {
    let (older, newer) = (first.row.created, second.row.created);
    let by_date = (first.row.stated().is_some()
        && second.row.stated().is_some()
        && older.abs_diff(newer) >= APART)
        .then_some(older > newer);
    let restated = match by_date {
        Some(is_first) => {
            let (newer, older) = if is_first {
                (first, second)
            } else {
                (second, first)
            };
            let is_again =
                is_stated_again(view, newer)? || were_answered(view, newer, older, answers)?;
            is_again.then_some(newer)
        }
        None => None,
    };
    let first_is_newer = if sign.dates_decide || restated.is_some() {
        by_date.or(sign.first_is_newer)
    } else {
        sign.first_is_newer.or(by_date)
    };
    let pair = if first_is_newer == Some(false) {
        [second, first]
    } else {
        [first, second]
    };
    let relation = if first_is_newer.is_some() {
        Relation::EvolvedFrom
    } else {
        Relation::Contradicts
    };
    let keep = pair.iter().any(|entry| entry.row.flags.has(Flags::KEEP));
    let act = Act::Relate {
        edge: Edge {
            from: pair[0].path.clone(),
            relation,
            to: pair[1].path.clone(),
            weight: relation.weight(),
        },
        supersedes: options.resolve && !keep && relation == Relation::EvolvedFrom,
    };
    let mut finding = about_pair(view, Kind::Conflict, pair, act)?;
    if let Some(newer) = restated {
        finding.key = finding.key.again(newer.row.created);
    }
    finding.weight = sign.weight();
    finding.quotes = sign.quotes.iter().map(|quote| brief(quote)).collect();
    if first_is_newer == Some(false) {
        finding.quotes.reverse();
    }
    // Both are dated, and the one that is named as the older is not the later one.
    finding.certain = sign.is_certain
        && !keep
        && pair.iter().all(|entry| entry.row.stated().is_some())
        && pair[0].row.created >= pair[1].row.created;
    let reason = sign.reason(first_is_newer);
    let [day, other] = pair.map(day);
    finding.reason = match by_date {
        Some(_) if by_date == first_is_newer => format!("{reason}; {day} is newer than {other}"),
        Some(_) => format!("{reason}; though {day} is older than {other}"),
        None => reason,
    };
    Ok(finding)
}

/// Returns whether a replaced note has the same text.
fn is_stated_again(view: &View<'_>, entry: &Entry) -> Result<bool, CacheError> {
    for slot in view.reading().find(Key::body(entry.row.body))? {
        let twin = view.entry(slot)?;
        let twin = twin.filter(|twin| twin.slot != entry.slot && twin.row.body == entry.row.body);
        if let Some(twin) = twin
            && view.replaced_by(&twin)?.is_some()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether an answer says that the older of two notes replaced the newer one.
fn were_answered(
    view: &View<'_>,
    newer: &Entry,
    older: &Entry,
    answers: &Answers,
) -> Result<bool, CacheError> {
    let keys = [view.content_key(newer)?, view.content_key(older)?];
    let answer = answers.get(QuestionKey::new(Kind::Conflict, &keys));
    let replaced = Answer::Inverse(Relation::EvolvedFrom);
    Ok(answer
        == Some(if keys[0] > keys[1] {
            replaced.turned()
        } else {
            replaced
        }))
}

/// Returns the day of a note's date, in UTC.
fn day(entry: &Entry) -> String {
    jiff::Timestamp::from_second(entry.row.created)
        .map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d").to_string())
}

/// Returns the beginning of a sentence, up to a word.
fn brief(sentence: &str) -> String {
    let Some((cut, _)) = sentence.char_indices().nth(QUOTED) else {
        return sentence.to_owned();
    };
    let cut = sentence[..cut].rfind(' ').unwrap_or(cut);
    format!("{} …", &sentence[..cut])
}

//! Builds the finding for two notes that disagree: order, certainty and reason.

use super::options::ConflictsOptions;
use super::pair::Evidence;
use crate::cache::key::IndexKey;
use crate::finding::plan::RelationEdge;
use crate::jobs::find::about_pair;
use crate::jobs::prelude::*;
use crate::note::words::one_line::shortened_at_word;
use crate::signals::dates::moment_of;

/// Maximum length of a quoted sentence in characters.
const MAX_QUOTE_CHARS: usize = 160;
/// A day in seconds.
const SECONDS_PER_DAY: i64 = 86_400;

/// Builds the finding for two notes that disagree by `sign`.
///
/// Wording and dates order the notes. If they contradict each other, or neither gives an order, the finding is
/// a tension, which hides nothing. A note that names the other as replaced is the newer one regardless of dates.
/// A statement that was repeated after the other note is the newer one. Answers about its first occurrence do
/// not apply then, so the finding has another key.
pub(super) fn finding(
    view: &View<'_>,
    [first, second]: [&Entry; 2],
    evidence: &Evidence,
    options: &ConflictsOptions,
    answers: &Answers,
) -> Result<Finding> {
    let by_date = is_later(first, second);
    let orders = match by_date {
        Some(true) => vec![[first, second]],
        Some(false) => vec![[second, first]],
        None => vec![[first, second], [second, first]],
    };
    let mut restated = None;
    for [newer, older] in orders {
        let is_answered =
            by_date.is_some() && is_answered_as_replaced(view, newer, older, answers)?;
        if is_answered || is_restated(view, newer, older)? {
            restated = Some(newer);
        }
    }
    let first_is_newer = match (evidence.first_is_newer, by_date) {
        _ if restated.is_some() => by_date,
        (wording, Some(_)) if evidence.is_ordered_by_dates || wording.is_none() => by_date,
        (wording, Some(date)) if !evidence.is_named && wording != Some(date) => None,
        (wording, _) => wording,
    };
    let pair = if first_is_newer.or(by_date) == Some(false) {
        [second, first]
    } else {
        [first, second]
    };
    let older = usize::from(pair[1].slot == second.slot);
    let relation = if first_is_newer.is_some() && !evidence.states_more[older] {
        Relation::EvolvedFrom
    } else {
        Relation::Contradicts
    };
    let keep = pair.iter().any(|entry| entry.row.flags.has(Flags::KEEP));
    let act = Act::Relate {
        edge: RelationEdge {
            from: pair[0].path.clone(),
            relation,
            to: pair[1].path.clone(),
            weight: relation.weight(),
        },
        supersedes: options.resolve && !keep && relation == Relation::EvolvedFrom,
    };
    let mut finding = about_pair(view, QuestionKind::Conflict, pair, act)?;
    if let Some(newer) = restated {
        finding.key = finding.key.again(newer.row.created);
    }
    finding.weight = evidence.weight();
    finding.quotes = evidence
        .quotes
        .iter()
        .map(|quote| shortened_at_word(quote, MAX_QUOTE_CHARS))
        .collect();
    if pair[0].slot == second.slot {
        finding.quotes.reverse();
    }
    // Both are dated, and the dates do not contradict the claimed order.
    finding.certain = evidence.is_certain
        && !keep
        && pair.iter().all(|entry| entry.row.stated().is_some())
        && pair[0].row.created >= pair[1].row.created;
    let reason = evidence.reason(first_is_newer);
    let [ours, theirs] = pair.map(day);
    finding.reason = match is_later(pair[0], pair[1]) {
        Some(_) if ours == theirs => format!("{reason}; the later one of {ours}"),
        Some(true) => format!("{reason}; {ours} is newer than {theirs}"),
        Some(false) => format!("{reason}; though {ours} is older than {theirs}"),
        None => reason,
    };
    Ok(finding)
}

/// Returns whether the first note is newer by the dates in the notes; `None` if the dates give no order.
/// Compares by day if either date has no time.
fn is_later(first: &Entry, second: &Entry) -> Option<bool> {
    let (first, second) = (first.row.stated()?, second.row.stated()?);
    let (first, second) = (first.as_second(), second.as_second());
    let is_day = |at: i64| at.rem_euclid(SECONDS_PER_DAY) == 0;
    let is_one_day = first.div_euclid(SECONDS_PER_DAY) == second.div_euclid(SECONDS_PER_DAY);
    if first == second || is_one_day && (is_day(first) || is_day(second)) {
        return None;
    }
    Some(first > second)
}

/// Returns whether `newer` repeats a text that was valid before `older`.
///
/// Either it got a new date in a merge, or another note with the same text was replaced or is dated before
/// `older`.
fn is_restated(view: &View<'_>, newer: &Entry, older: &Entry) -> Result<bool> {
    let is_between =
        |first: i64| first < older.row.created && older.row.created < newer.row.created;
    let properties = view.details(newer.slot)?.properties();
    let mut merged = properties
        .get("merged")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let is_redated = merged.any(|line| {
        let date = line.strip_prefix("created: ");
        let date = date.and_then(|date| moment_of(&date.into()));
        date.is_some_and(is_between)
    });
    if is_redated {
        return Ok(true);
    }
    for slot in view.reading().find(IndexKey::body(newer.row.body))? {
        let note = view.entry(slot)?;
        let twin = note.filter(|twin| twin.slot != newer.slot && twin.row.body == newer.row.body);
        if let Some(twin) = twin
            && (is_between(twin.row.created) || view.replaced_by(&twin)?.is_some())
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether an earlier answer states that `older` replaced `newer`.
fn is_answered_as_replaced(
    view: &View<'_>,
    newer: &Entry,
    older: &Entry,
    answers: &Answers,
) -> Result<bool> {
    let keys = [view.content_key(newer)?, view.content_key(older)?];
    let answer = answers.get(QuestionKey::new(QuestionKind::Conflict, &keys));
    let replaced = Answer::Inverse(Relation::EvolvedFrom);
    Ok(answer
        == Some(if keys[0] > keys[1] {
            replaced.swapped()
        } else {
            replaced
        }))
}

/// Returns the date of a note in UTC.
fn day(entry: &Entry) -> String {
    jiff::Timestamp::from_second(entry.row.created)
        .map_or_else(|_| String::new(), |at| at.strftime("%Y-%m-%d").to_string())
}

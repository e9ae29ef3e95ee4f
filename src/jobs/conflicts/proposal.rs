//! What is proposed of two notes that disagree: which is the later one, whether it is certain, and why.

use super::options::Options;
use super::pair::Sign;
use crate::cache::CacheError;
use crate::cache::row::Flags;
use crate::finding::Finding;
use crate::finding::act::Act;
use crate::finding::plan::Edge;
use crate::finding::question::Kind;
use crate::jobs::find::about_pair;
use crate::note::relation::Relation;
use crate::view::{Entry, View};

/// Characters of a sentence that are quoted.
const QUOTED: usize = 160;
/// Notes whose dates are so far apart, in seconds, were not written in one go.
const APART: u64 = 86_400;

/// Returns what is proposed of two notes that disagree by `sign`.
///
/// The wording says first which is the later one, then the dates; where neither does, it is a tension.
pub(super) fn finding(
    view: &View<'_>,
    [first, second]: [&Entry; 2],
    sign: &Sign,
    options: &Options,
) -> Result<Finding, CacheError> {
    let (older, newer) = (first.row.created, second.row.created);
    let by_date = (first.row.stated().is_some()
        && second.row.stated().is_some()
        && older.abs_diff(newer) >= APART)
        .then_some(older > newer);
    let first_is_newer = if sign.dates_decide {
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
    finding.weight = sign.weight();
    finding.quotes = sign.quotes.iter().map(|quote| brief(quote)).collect();
    if first_is_newer == Some(false) {
        finding.quotes.reverse();
    }
    finding.certain = sign.is_explicit
        && !keep
        && by_date.is_some()
        && by_date == first_is_newer
        && by_date == sign.first_is_newer;
    let reason = sign.reason(first_is_newer);
    let [day, other] = pair.map(day);
    finding.reason = match by_date {
        Some(_) if by_date == first_is_newer => format!("{reason}; {day} is newer than {other}"),
        Some(_) => format!("{reason}; though {day} is older than {other}"),
        None => reason,
    };
    Ok(finding)
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

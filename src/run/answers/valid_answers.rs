//! Recorded answers that are still valid.

use crate::journal::decisions;
use crate::run::lookup::{Match, by_prefix};
use crate::run::prelude::*;

/// Returns the valid answers that match, newest first.
pub fn valid(session: &Session, matches: impl Fn(&Decision) -> bool) -> Result<Vec<Decision>> {
    let mut decisions = session.read_journal(decisions::all)?;
    decisions.reverse();
    let mut known = HashSet::new();
    decisions.retain(|decision| known.insert(decision.key) && decision.answer.is_some());
    decisions.retain(matches);
    Ok(decisions)
}

/// Returns the answers to the questions with these ids.
pub fn by_ids(session: &Session, ids: &[&str]) -> Result<Vec<Decision>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let standing = valid(session, |_| true)?;
    let key = |known: &&Decision| known.key.to_string();
    let answered = ids
        .iter()
        .filter_map(|id| match by_prefix(&standing, key, id) {
            Match::One(known) => Some(known.clone()),
            Match::None | Match::Several(_) => None,
        });
    Ok(answered.collect())
}

/// Whether `id` is the id of the question or a prefix.
pub fn has_id(key: QuestionKey, id: &str) -> bool {
    key.to_string().starts_with(id)
}

/// Returns the answers in `past` to the questions `ids`; all if `ids` is empty.
pub fn chosen(mut past: Vec<Decision>, ids: &[String]) -> Result<Vec<Decision>> {
    if ids.is_empty() {
        return Ok(past);
    }
    let mut keys = HashSet::new();
    for id in ids {
        let key = |decision: &&Decision| decision.key.to_string();
        let none = Error::new(format!("no answer `{id}`"))
            .hint("list answers with `mem review --decided`");
        keys.insert(by_prefix(&past, key, id).one(id, "answers", none)?.key);
    }
    past.retain(|decision| keys.contains(&decision.key));
    Ok(past)
}

//! Recorded answers that are still valid.

use crate::change::undo::plan_undo;
use crate::change::{UndoTarget, UndoVerdict};
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

/// Returns the run that made the change of a question, if an undo of it would revert something.
pub fn applied_run(session: &Session, key: QuestionKey) -> Result<Option<RunId>> {
    let history = History::new(session.vault.fs(), &session.homes);
    let is_of_question = |entry: &&FinishedRun| {
        let mut groups = entry.applied();
        entry.run.undoes.is_none() && groups.any(|(_, group)| group.question == Some(key))
    };
    let runs = history.list()?.0;
    let Some(entry) = runs.iter().find(is_of_question) else {
        return Ok(None);
    };
    let target = UndoTarget::Run(entry.run.id.clone());
    let (report, _) = plan_undo(&session.vault, &session.homes, &target, None)?;
    let is_in_effect = report.groups.iter().any(|group| {
        group.question == Some(key) && !matches!(group.verdict, UndoVerdict::NothingLeft)
    });
    Ok(is_in_effect.then(|| entry.run.id.clone()))
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

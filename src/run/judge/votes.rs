//! Decides which judges to ask and when they agree.

use crate::journal::opinions::MAX_FAILURES;
use crate::run::prelude::*;

/// Returns the indices of the judges still needed for `agree` equal answers, given the opinions so
/// far.
pub(super) fn missing_judges(known: &[Opinion], judges: &[&str], agree: usize) -> Vec<usize> {
    // Opinions of judges removed from the settings do not count.
    let is_judge = |known: &&Opinion| judges.contains(&known.judge.as_str());
    let votes = votes(known.iter().filter(is_judge));
    let most = votes.values().copied().max().unwrap_or(0);
    let may_be_asked = |at: &usize| {
        let judge = judges[*at];
        let known = known.iter().find(|known| known.judge == judge);
        let may_retry = |known: &Opinion| known.answer.is_none() && known.failures < MAX_FAILURES;
        known.is_none_or(may_retry)
    };
    let candidates = (0..judges.len()).filter(may_be_asked);
    candidates.take(agree.saturating_sub(most)).collect()
}

/// Counts votes by answer.
fn votes<'o>(known: impl Iterator<Item = &'o Opinion>) -> HashMap<String, usize> {
    let mut votes = HashMap::new();
    for answer in known.filter_map(|known| known.answer) {
        *votes.entry(answer.to_string()).or_default() += 1;
    }
    votes
}

/// Returns the answer with at least `agree` votes and more than any other, in terms of `finding`'s
/// notes.
pub(super) fn consensus(finding: &Finding, known: &[Opinion], agree: usize) -> Option<Answer> {
    let votes = votes(known.iter());
    let most = votes
        .values()
        .copied()
        .max()
        .filter(|most| *most >= agree)?;
    let mut first = known.iter().filter_map(|known| known.answer);
    let stored = first.find(|answer| votes[&answer.to_string()] == most)?;
    let is_unique = votes.values().filter(|number| **number == most).count() == 1;
    is_unique.then(|| finding.named(stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::question::{QuestionKey, QuestionKind};

    #[test]
    fn only_missing_judges_are_asked() {
        let opinion = |judge: &str, answer: Option<Answer>, failures| Opinion {
            key: QuestionKey::new(QuestionKind::Merge, &[1]),
            judge: judge.to_owned(),
            answer,
            why: String::new(),
            text: None,
            at: jiff::Timestamp::UNIX_EPOCH,
            about: Vec::new(),
            failures,
        };
        let (yes, no) = (Some(Answer::Yes), Some(Answer::No));
        let cases: [(&[Opinion], usize, &[usize]); 9] = [
            (&[], 1, &[0]),
            (&[], 2, &[0, 1]),
            (&[opinion("a", yes, 0)], 1, &[]),
            (&[opinion("a", yes, 0)], 2, &[1]),
            (&[opinion("a", yes, 0), opinion("b", yes, 0)], 2, &[]),
            // Disagreement is left to a person.
            (&[opinion("a", yes, 0), opinion("b", no, 0)], 2, &[]),
            (&[opinion("a", None, 1)], 1, &[0]),
            (&[opinion("a", None, 3)], 1, &[1]),
            // The only opinion comes from a removed judge.
            (&[opinion("gone", yes, 0)], 1, &[0]),
        ];
        for (known, agree, expected) in cases {
            let found = missing_judges(known, &["a", "b"], agree);
            assert_eq!(found, expected, "{known:?} {agree}");
        }
    }
}

//! Decides which judges to ask and when they agree.

use crate::journal::opinions::{MOST_FAILURES, Opinion};
use crate::run::prelude::*;

/// Returns the indices of the judges still needed for `agree` equal answers, given the opinions so
/// far.
pub(super) fn wanted(known: &[Opinion], judges: &[&str], agree: usize) -> Vec<usize> {
    // Opinions of judges removed from the settings do not count.
    let is_judge = |known: &&Opinion| judges.contains(&known.judge.as_str());
    let votes = votes(known.iter().filter(is_judge));
    let most = votes.values().copied().max().unwrap_or(0);
    let can_say = |at: &usize| {
        let judge = judges[*at];
        let known = known.iter().find(|known| known.judge == judge);
        let fails = |known: &Opinion| known.answer.is_none() && known.failures < MOST_FAILURES;
        known.is_none_or(fails)
    };
    let others = (0..judges.len()).filter(can_say);
    others.take(agree.saturating_sub(most)).collect()
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
pub(super) fn settled(finding: &Finding, known: &[Opinion], agree: usize) -> Option<Answer> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::question::{Kind, QuestionKey};

    #[test]
    fn as_many_are_asked_as_it_takes() {
        let said = |judge: &str, answer: Option<Answer>, failures| Opinion {
            key: QuestionKey::new(Kind::Merge, &[1]),
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
            (&[said("a", yes, 0)], 1, &[]),
            (&[said("a", yes, 0)], 2, &[1]),
            (&[said("a", yes, 0), said("b", yes, 0)], 2, &[]),
            // Disagreement is left to a person.
            (&[said("a", yes, 0), said("b", no, 0)], 2, &[]),
            (&[said("a", None, 1)], 1, &[0]),
            (&[said("a", None, 3)], 1, &[1]),
            // The only opinion comes from a removed judge.
            (&[said("gone", yes, 0)], 1, &[0]),
        ];
        for (known, agree, expected) in cases {
            let found = wanted(known, &["a", "b"], agree);
            assert_eq!(found, expected, "{known:?} {agree}");
        }
    }
}

//! Who is asked, and what follows from what they say.

use crate::journal::opinions::{MOST_FAILURES, Opinion};
use crate::run::prelude::*;

/// Returns which of the `judges` are to be asked about a question of which this is known: as many as it takes to
/// settle it.
pub(super) fn wanted(known: &[Opinion], judges: &[&str], agree: usize) -> Vec<usize> {
    // Who is no judge any more has no vote.
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

/// Counts who says what.
fn votes<'o>(known: impl Iterator<Item = &'o Opinion>) -> HashMap<String, usize> {
    let mut votes = HashMap::new();
    for answer in known.filter_map(|known| known.answer) {
        *votes.entry(answer.to_string()).or_default() += 1;
    }
    votes
}

/// Returns what enough judges say, and more than say anything else, as `finding` names its notes.
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
            // They disagree: a person decides.
            (&[said("a", yes, 0), said("b", no, 0)], 2, &[]),
            (&[said("a", None, 1)], 1, &[0]),
            (&[said("a", None, 3)], 1, &[1]),
            // One that is no judge any more has no vote.
            (&[said("gone", yes, 0)], 1, &[0]),
        ];
        for (known, agree, expected) in cases {
            let found = wanted(known, &["a", "b"], agree);
            assert_eq!(found, expected, "{known:?} {agree}");
        }
    }
}

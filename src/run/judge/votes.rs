//! Decides which judges to ask and when they agree.

use crate::journal::opinions::MAX_FAILURES;
use crate::run::prelude::*;

/// Returns the indices of the judges without a usable opinion that may be asked.
pub(super) fn missing_judges(known: &[Opinion], judges: &[&str]) -> Vec<usize> {
    let is_missing = |at: &usize| {
        let known = known.iter().find(|known| known.judge == judges[*at]);
        known.is_none_or(|known| known.answer.is_none() && known.failures < MAX_FAILURES)
    };
    (0..judges.len()).filter(is_missing).collect()
}

/// Returns the answer that all judges gave, at least `agree`, in terms of `finding`'s notes.
pub(super) fn consensus(finding: &Finding, known: &[Opinion], agree: usize) -> Option<Answer> {
    let mut answers = known.iter().filter_map(|known| known.answer);
    let (number, first) = (answers.clone().count(), answers.next()?);
    let is_agreed = number >= agree && answers.all(|answer| answer == first);
    is_agreed.then(|| finding.named(first))
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
        let cases: [(&[Opinion], &[&str], &[usize]); 9] = [
            (&[], &["a"], &[0]),
            (&[], &["a", "b"], &[0, 1]),
            (&[opinion("a", yes, 0)], &["a"], &[]),
            (&[opinion("a", yes, 0)], &["a", "b"], &[1]),
            (
                &[opinion("a", yes, 0), opinion("b", yes, 0)],
                &["a", "b"],
                &[],
            ),
            // Disagreement is left to a person.
            (
                &[opinion("a", yes, 0), opinion("b", no, 0)],
                &["a", "b"],
                &[],
            ),
            (&[opinion("a", None, 1)], &["a"], &[0]),
            (&[opinion("a", None, 3)], &["a", "b"], &[1]),
            // The only opinion comes from a removed judge.
            (&[opinion("gone", yes, 0)], &["a"], &[0]),
        ];
        for (known, judges, expected) in cases {
            let found = missing_judges(known, judges);
            assert_eq!(found, expected, "{known:?} {judges:?}");
        }
    }
}

//! Features of a finding that predict whether a person accepts it.

use crate::run::prelude::*;

/// Names of the features in `--explain` and in the journal.
pub const NAMES: [&str; 6] = ["certainty", "rules", "names", "distinct", "folder", "words"];

/// The values of [`NAMES`] for one finding.
pub type Features = [f32; NAMES.len()];

/// Lower bound of a finding's weight, to limit its log odds; the upper bound is symmetric.
const MIN_WEIGHT: f32 = 0.02;

/// Returns the features of `finding`:
///
/// * `certainty`: log odds of its weight
/// * `rules`: whether fixed rules alone decide it
/// * `names`: share of words common to the file names of its first two notes
/// * `distinct`: whether each of these names has a word that the other lacks, except for numbers; false for copies,
///   whose text is the same whatever their names
/// * `folder`: whether both are in the same folder
/// * `words`: for a mention, the logarithm of the number of words in its name
pub fn of(finding: &Finding) -> Features {
    let pair = finding.notes.first().zip(finding.notes.get(1));
    let folder = pair.is_some_and(|(a, b)| a.folder() == b.folder());
    let words = finding.acts.iter().find_map(|act| match act {
        Act::LinkMention { name, .. } => Some(name.split_whitespace().count().max(1)),
        _ => None,
    });
    let (shared, is_distinct) = pair.map_or((0.0, false), |(a, b)| compare_names(a, b));
    let is_copy = finding.kind() == QuestionKind::Merge && finding.weight >= 1.0;
    [
        log_odds(finding.weight.clamp(MIN_WEIGHT, 1.0 - MIN_WEIGHT)),
        f32::from(u8::from(finding.certain)),
        shared,
        f32::from(u8::from(is_distinct && !is_copy)),
        f32::from(u8::from(folder)),
        words.map_or(0.0, |words| (words as f32).ln()),
    ]
}

/// Returns the log odds of a probability.
pub fn log_odds(chance: f32) -> f32 {
    (chance / (1.0 - chance)).ln()
}

/// Returns the probability of log odds.
pub fn chance(log_odds: f32) -> f32 {
    1.0 / (1.0 + (-log_odds).exp())
}

/// Returns the share of common words in two file names, and whether each has a word that the other
/// lacks. Words
/// with digits do not count, because they distinguish versions and days.
fn compare_names(a: &VaultPath, b: &VaultPath) -> (f32, bool) {
    let words = |path: &VaultPath| -> BTreeSet<String> {
        let stem = path.stem().to_lowercase();
        let words = stem.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (a, b) = (words(a), words(b));
    let shared = a.intersection(&b).count();
    let lacks = |a: &BTreeSet<String>, b: &BTreeSet<String>| {
        let mut own = a.difference(b);
        own.any(|word| !word.contains(|c: char| c.is_ascii_digit()))
    };
    let is_distinct = lacks(&a, &b) && lacks(&b, &a);
    (
        shared as f32 / a.union(&b).count().max(1) as f32,
        is_distinct,
    )
}

/// Returns the features as recorded with an answer: by name, in hundredths.
pub fn record(features: &Features) -> BTreeMap<String, i32> {
    let hundredths = features.iter().map(|value| (value * 100.0).round() as i32);
    let named = NAMES.iter().map(|name| (*name).to_owned()).zip(hundredths);
    named.filter(|(_, value)| *value != 0).collect()
}

/// Parses recorded features; names of other versions are ignored.
pub fn recorded(record: &BTreeMap<String, i32>) -> Features {
    let value = |name: &str| record.get(name).map_or(0.0, |value| *value as f32 / 100.0);
    NAMES.map(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::attention::tests::{link, mention, merge};

    /// Compares with the precision of the record.
    fn assert_same(found: &Features, expected: &Features) {
        let pairs = || found.iter().zip(expected);
        assert!(
            pairs().all(|(found, expected)| (found - expected).abs() < 0.006),
            "{found:?} {expected:?}"
        );
    }

    #[test]
    fn features_of_findings() {
        for (finding, expected) in [
            (
                link(0.5, "a/Green tea.md", "a/Black tea.md"),
                [0.0, 0.0, 1.0 / 3.0, 1.0, 1.0, 0.0],
            ),
            (
                link(1.0, "Tea.md", "a/tea.md"),
                [log_odds(0.98), 0.0, 1.0, 0.0, 0.0, 0.0],
            ),
            (
                link(0.5, "Tea.md", "a/green tea.md"),
                [0.0, 0.0, 0.5, 0.0, 0.0, 0.0],
            ),
            (
                link(0.5, "tea-1.md", "tea-2.md"),
                [0.0, 0.0, 1.0 / 3.0, 0.0, 1.0, 0.0],
            ),
            (
                merge(1.0, "chairs.md", "a/order.md"),
                [log_odds(0.98), 0.0, 0.0, 0.0, 0.0, 0.0],
            ),
            (
                merge(0.99, "chairs.md", "a/order.md"),
                [log_odds(0.98), 0.0, 0.0, 1.0, 0.0, 0.0],
            ),
            (
                mention(0.5, "a.md", "b.md", "Green tea"),
                [0.0, 0.0, 0.0, 1.0, 1.0, 2.0_f32.ln()],
            ),
        ] {
            assert_same(&of(&finding), &expected);
            assert_same(&recorded(&record(&expected)), &expected);
        }
        assert!((chance(log_odds(0.3)) - 0.3).abs() < 1e-6);
        let unknown = BTreeMap::from([("age".to_owned(), 7), ("folder".to_owned(), 100)]);
        assert_same(&recorded(&unknown), &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }
}

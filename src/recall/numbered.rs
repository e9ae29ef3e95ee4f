//! Raises notes whose numbered neighbours match.
//!
//! Chats, logs and journals number their notes, and an answer does not repeat its question: one note has the
//! words of the question and the next one has the answer.

use std::collections::HashMap;

use crate::note::path::VaultPath;

/// Weight of the better neighbour. `LoCoMo` alone would give twice as much, which costs `memorybench` .015 of
/// its recall at 10. This value costs no corpus anything.
const NEIGHBOUR_WEIGHT: f32 = 0.2;

/// Maximum time between neighbours in seconds. Notes farther apart are numbered but unrelated.
const MAX_SECONDS_APART: i64 = 24 * 60 * 60;

/// A candidate: path, creation time, score.
pub(super) type NumberedCandidate<'c> = (&'c VaultPath, i64, f32);

/// Returns the score that each candidate gains from its neighbours.
pub(super) fn neighbour_scores(candidates: &[NumberedCandidate<'_>]) -> Vec<f32> {
    let positions: Vec<Option<SeriesPosition<'_>>> = candidates
        .iter()
        .map(|(path, ..)| SeriesPosition::of(path))
        .collect();
    let mut at: HashMap<SeriesPosition<'_>, usize> = HashMap::new();
    for (number, position) in positions.iter().enumerate() {
        if let Some(position) = position {
            at.entry(*position).or_insert(number);
        }
    }
    let own = candidates.iter().zip(&positions);
    let best = own.map(|((_, created, _), position)| {
        let numbers = position.iter().flat_map(SeriesPosition::neighbours);
        let series = numbers.filter_map(|position| Some(candidates[*at.get(&position)?]));
        let neighbours =
            series.filter(|(_, other, _)| (other - created).abs() <= MAX_SECONDS_APART);
        NEIGHBOUR_WEIGHT * neighbours.map(|(.., score)| score).fold(0.0, f32::max)
    });
    best.collect()
}

/// Position in a numbered series: the leading or trailing number of a file name, and the text before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct SeriesPosition<'p> {
    folder: &'p str,
    before: &'p str,
    number: u32,
}

impl<'p> SeriesPosition<'p> {
    fn of(path: &'p VaultPath) -> Option<Self> {
        let stem = path.stem();
        let is_digit = |c: char| c.is_ascii_digit();
        let before = stem.trim_end_matches(is_digit);
        let (before, number) = if before.len() < stem.len() {
            (before, &stem[before.len()..])
        } else {
            let after = stem.trim_start_matches(is_digit);
            ("", &stem[..stem.len() - after.len()])
        };
        Some(Self {
            folder: path.folder(),
            before,
            number: number.parse().ok()?,
        })
    }

    fn neighbours(&self) -> impl Iterator<Item = Self> + use<'p> {
        let Self { folder, before, .. } = *self;
        let numbers = [self.number.checked_sub(1), self.number.checked_add(1)];
        numbers.into_iter().flatten().map(move |number| Self {
            folder,
            before,
            number,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raises_a_note_by_its_numbered_neighbour() {
        for (path, other, created, expected) in [
            ("a/0001-user.md", "a/0002-assistant.md", 60, 0.2),
            ("a/D15-9.md", "a/D15-8.md", 60, 0.2),
            ("2024-05-12.md", "2024-05-13.md", MAX_SECONDS_APART, 0.2),
            ("eip-1559.md", "eip-1560.md", MAX_SECONDS_APART * 30, 0.0),
            ("a/1.md", "b/2.md", 0, 0.0),
            ("a/1.md", "a/3.md", 0, 0.0),
            ("tea.md", "teas.md", 0, 0.0),
            ("99999999999.md", "0.md", 0, 0.0),
        ] {
            let [one, two] = [path, other].map(|path| VaultPath::new(path).unwrap());
            let found = neighbour_scores(&[(&one, 0, 0.5), (&two, created, 1.0)]);
            assert!(
                (found[0] - expected).abs() < 1e-6,
                "{path} {other} {found:?}"
            );
        }
    }
}

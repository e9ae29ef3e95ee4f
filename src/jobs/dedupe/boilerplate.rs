//! Lines that many notes share: the questions of a form, an infobox, navigation, a licence.
//!
//! They say nothing of the one note, so two notes are compared without them as well. Which lines they are
//! is learned from the notes at hand; copies of one note count once.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

/// So many notes that are no copies of each other do not say the same line by chance.
const MANY: usize = 4;

/// The lines that many notes share.
#[derive(Debug, Default)]
pub(super) struct Boilerplate(HashSet<u64>);

impl Boilerplate {
    /// Learns them from the lines of each note, with a hash of the name that copies have in common.
    pub(super) fn of<'l>(notes: impl Iterator<Item = (u64, &'l [u64])>) -> Self {
        let mut lines: Vec<(u64, u64)> = notes
            .flat_map(|(name, lines)| lines.iter().map(move |line| (*line, name)))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        let shared = lines.chunk_by(|a, b| a.0 == b.0);
        let many = shared.filter(|notes| notes.len() >= MANY);
        Self(many.map(|notes| notes[0].0).collect())
    }

    /// Returns the body without them; nothing if it has none.
    pub(super) fn without(&self, body: &str) -> Option<String> {
        let is_own = |line: &&str| hash(line).is_none_or(|hash| !self.0.contains(&hash));
        let own: String = body.split_inclusive('\n').filter(is_own).collect();
        (own.len() < body.len()).then_some(own)
    }
}

/// Returns a hash of each line of the body that says something.
pub(super) fn lines(body: &str) -> Vec<u64> {
    body.lines().filter_map(hash).collect()
}

fn hash(line: &str) -> Option<u64> {
    let line = line.trim();
    let is_fence = line.starts_with("```") || line.starts_with("~~~");
    let says = !is_fence && line.contains(char::is_alphanumeric);
    says.then(|| xxh3_64(line.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_many_notes_share_is_nobodys() {
        let notes = |names: [u64; 4]| {
            let bodies = ["form\na\n", "form\nb\n", "form\n```\n", "- form\nform\n"];
            let lines = bodies.map(lines);
            let named = names.into_iter().zip(&lines);
            Boilerplate::of(named.map(|(name, lines)| (name, lines.as_slice())))
        };
        let learned = notes([1, 2, 3, 4]);
        assert_eq!(learned.without("form\na\n").as_deref(), Some("a\n"));
        assert_eq!(learned.without("- form\n```\n"), None);
        // Copies of one note.
        assert_eq!(notes([1, 1, 1, 4]).without("form\na\n"), None);
    }
}

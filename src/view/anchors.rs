//! In what words the notes of a vault link to each other: what its author makes a link, and how often.

use super::graph::Stems;
use super::{Entry, View};
use crate::cache::CacheError;
use crate::cache::row::LinkTo;

/// What the notes among which it was looked are called and how they link to each other. A note is named
/// by its place among them.
#[derive(Debug, Default)]
pub struct Anchors {
    /// The title of each and its aliases.
    pub names: Vec<Vec<String>>,
    /// The links of each, in the order of its text.
    pub links: Vec<Vec<Anchor>>,
    /// Whom each links to, ascending, each once.
    to: Vec<Vec<usize>>,
    /// Whom a link joins each with, whichever way, ascending, each once.
    joined: Vec<Vec<usize>>,
}

/// A link to another note.
#[derive(Debug)]
pub struct Anchor {
    pub to: usize,
    pub link: LinkTo,
}

impl Anchors {
    /// Returns whom `note` links to, ascending.
    #[must_use]
    pub fn to(&self, note: usize) -> &[usize] {
        &self.to[note]
    }

    /// Returns whom a link joins `note` with, ascending.
    #[must_use]
    pub fn joined(&self, note: usize) -> &[usize] {
        &self.joined[note]
    }

    #[must_use]
    pub fn has(&self, from: usize, to: usize) -> bool {
        self.to[from].binary_search(&to).is_ok()
    }

    /// Returns how many links there are between two notes.
    #[must_use]
    pub fn count(&self) -> usize {
        self.to.iter().map(Vec::len).sum()
    }

    /// Returns what joins two notes by others: the sum over these of what each says, less the more notes
    /// it is joined with (Adamic and Adar).
    #[must_use]
    pub fn common(&self, a: usize, b: usize) -> f64 {
        let (a, b) = (&self.joined[a], &self.joined[b]);
        let (few, many) = if a.len() < b.len() { (a, b) } else { (b, a) };
        let common = few.iter().filter(|note| many.binary_search(note).is_ok());
        common
            .map(|note| 1.0 / (1.0 + self.joined[*note].len() as f64).ln())
            .sum()
    }
}

impl View<'_> {
    /// Returns the names of `entries` and the links between them.
    pub fn anchors(&self, entries: &[Entry]) -> Result<Anchors, CacheError> {
        let stems = Stems::of(entries);
        let mut anchors = Anchors {
            joined: vec![Vec::new(); entries.len()],
            ..Anchors::default()
        };
        for (from, entry) in entries.iter().enumerate() {
            let known = self.reading().names_and_links(entry.slot)?;
            let links = known.links.into_iter().filter_map(|link| {
                let to = stems.resolve(entries, &entry.path, &link.target, link.markdown)?;
                (to != from).then_some(Anchor { to, link })
            });
            let links: Vec<Anchor> = links.collect();
            let mut to: Vec<usize> = links.iter().map(|link| link.to).collect();
            to.sort_unstable();
            to.dedup();
            for other in &to {
                anchors.joined[from].push(*other);
                anchors.joined[*other].push(from);
            }
            anchors.names.push(known.names);
            anchors.links.push(links);
            anchors.to.push(to);
        }
        for joined in &mut anchors.joined {
            joined.sort_unstable();
            joined.dedup();
        }
        Ok(anchors)
    }
}

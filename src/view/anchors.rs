//! In what words the notes of a vault link to each other: what its author makes a link, and how often.

use super::graph::Stems;
use crate::view::prelude::*;

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
    /// The same without relations: these are stated by jobs, too, and say nothing of how an author links.
    written: Vec<Vec<usize>>,
    /// Whom such a link joins each with, whichever way, ascending, each once.
    joined: Vec<Vec<usize>>,
}

/// A link to another note.
#[derive(Debug)]
pub struct Anchor {
    pub to: usize,
    pub link: LinkTo,
}

impl Anchor {
    fn is_relation(&self) -> bool {
        let property = self.link.property.as_deref();
        property.and_then(Relation::named).is_some()
    }
}

/// Returns where `links` lead, ascending, each once.
fn targets<'a>(links: impl Iterator<Item = &'a Anchor>) -> Vec<usize> {
    let mut to: Vec<usize> = links.map(|link| link.to).collect();
    to.sort_unstable();
    to.dedup();
    to
}

impl Anchors {
    /// Returns whom `note` links to but for relations, ascending.
    pub fn written(&self, note: usize) -> &[usize] {
        &self.written[note]
    }

    /// Returns true if `from` links to `to`, by a relation or otherwise.
    pub fn has(&self, from: usize, to: usize) -> bool {
        self.to[from].binary_search(&to).is_ok()
    }

    /// Returns between how many notes there are links but for relations.
    pub fn count(&self) -> usize {
        self.written.iter().map(Vec::len).sum()
    }

    /// Returns what joins two notes by others: the sum over these of what each says, less the more notes
    /// it is joined with (Adamic and Adar). Relations do not count.
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
    pub fn anchors(&self, entries: &[Entry]) -> Result<Anchors> {
        let stems = Stems::of(entries);
        let mut anchors = Anchors {
            joined: vec![Vec::new(); entries.len()],
            ..Anchors::default()
        };
        let slots: Vec<Slot> = entries.iter().map(|entry| entry.slot).collect();
        let named = self.reading().all_names_and_links(&slots, |from, known| {
            let source = &entries[from].path;
            let links = known.links.into_iter().filter_map(|link| {
                let to = stems.resolve(entries, source, &link.target, link.markdown)?;
                (to != from).then_some(Anchor { to, link })
            });
            let links: Vec<Anchor> = links.collect();
            let written = targets(links.iter().filter(|anchor| !anchor.is_relation()));
            (known.names, targets(links.iter()), links, written)
        })?;
        for (from, (names, to, links, written)) in named.into_iter().enumerate() {
            for other in &written {
                anchors.joined[from].push(*other);
                anchors.joined[*other].push(from);
            }
            anchors.names.push(names);
            anchors.to.push(to);
            anchors.links.push(links);
            anchors.written.push(written);
        }
        for joined in &mut anchors.joined {
            joined.sort_unstable();
            joined.dedup();
        }
        Ok(anchors)
    }
}

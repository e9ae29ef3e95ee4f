//! Link texts of a vault: which words its author links, and how often.

use super::graph::Stems;
use crate::view::prelude::*;

/// Names of notes and the links between them. Notes are identified by their index.
#[derive(Debug, Default)]
pub struct Anchors {
    /// Title and aliases of each note.
    pub names: Vec<Vec<String>>,
    /// Links of each note, in text order.
    pub links: Vec<Vec<Anchor>>,
    /// Targets of each note, ascending, without duplicates.
    to: Vec<Vec<usize>>,
    /// Targets without relations. Jobs state relations, too, so they tell nothing about the
    /// author's habits.
    written: Vec<Vec<usize>>,
    /// Notes joined to each note by such a link in either direction, ascending, without duplicates.
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

/// Returns the targets of `links`, ascending, without duplicates.
fn targets<'a>(links: impl Iterator<Item = &'a Anchor>) -> Vec<usize> {
    let mut to: Vec<usize> = links.map(|link| link.to).collect();
    to.sort_unstable();
    to.dedup();
    to
}

impl Anchors {
    /// Returns the targets of `note` without relations, ascending.
    pub fn written(&self, note: usize) -> &[usize] {
        &self.written[note]
    }

    /// Whether `from` links to `to`, by a relation or otherwise.
    pub fn has(&self, from: usize, to: usize) -> bool {
        self.to[from].binary_search(&to).is_ok()
    }

    /// Whether `from` links to `to`, not counting relations.
    pub fn has_written(&self, from: usize, to: usize) -> bool {
        self.written[from].binary_search(&to).is_ok()
    }

    /// Returns the number of linked pairs of notes, not counting relations.
    pub fn count(&self) -> usize {
        self.written.iter().map(Vec::len).sum()
    }

    /// Returns the Adamic–Adar index of two notes: common neighbours, weighted by the inverse
    /// logarithm of their degree. Relations do not count.
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
        let named = self.reading().each_head(&slots, |from, head| {
            let source = &entries[from].path;
            let links = head.tags_and_links()?.1.into_iter().filter_map(|link| {
                let to = stems.resolve(entries, source, link.target, link.markdown)?;
                (to != from).then(|| Anchor {
                    to,
                    link: link.into(),
                })
            });
            let links: Vec<Anchor> = links.collect();
            let written = targets(links.iter().filter(|anchor| !anchor.is_relation()));
            let texts = [head.title].into_iter().chain(head.aliases);
            let names = texts.map(str::to_owned).collect();
            Ok((names, targets(links.iter()), links, written))
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

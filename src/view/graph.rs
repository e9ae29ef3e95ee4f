//! The links and relations of a vault as one graph.
//!
//! A body link is an edge without a label. A property whose values are links is an edge with the
//! property's name as label; mem understands those that are a [`Relation`]. An edge leads from the
//! note that states it to the note that it names. Broken links and links to the own note are no
//! edges.
//!
//! `mem graph` prints the graph, and `jobs::link` finds unconnected notes in it. The whole graph
//! resolves all links in memory; the neighbourhood of a note reads only the notes it needs.

use std::fmt;
use std::iter;

use super::links::best_match;
use crate::cache::target_stem;
use crate::journal::RelationOrigin;
use crate::view::prelude::*;

/// Label of an edge.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EdgeLabel {
    /// A link in the text, without a label.
    Link,
    /// A relation that mem understands.
    Relation(Relation),
    /// A property of the author's own.
    Property(String),
}

impl EdgeLabel {
    fn of(link: &LinkTo) -> Self {
        let Some(property) = &link.property else {
            return Self::Link;
        };
        // A relation may be a map with more keys: `{to: "[[Tea]]", weight: 0.7}`.
        let name = property.strip_suffix(".to").unwrap_or(property);
        match Relation::named(name) {
            Some(relation) => Self::Relation(relation),
            None => Self::Property(property.clone()),
        }
    }

    /// Returns the relation, if the label is one.
    pub fn relation(&self) -> Option<Relation> {
        match self {
            Self::Relation(relation) => Some(*relation),
            Self::Link | Self::Property(_) => None,
        }
    }

    /// Returns the name of the label; `None` for a link in the text.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Link => None,
            Self::Relation(relation) => Some(relation.name()),
            Self::Property(name) => Some(name),
        }
    }

    /// Whether `name` is the name of the label: a relation or its inverse, a property, or `link`.
    pub fn is_called(&self, name: &str) -> bool {
        match self {
            Self::Link => name == "link",
            Self::Relation(relation) => name == relation.name() || name == relation.inverse(),
            Self::Property(property) => name == property,
        }
    }
}

impl fmt::Display for EdgeLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name().unwrap_or("link"))
    }
}

/// A node of a graph.
#[derive(Clone, Debug)]
pub struct Node {
    pub entry: Entry,
    /// Title of the note.
    pub title: String,
    /// Number of edges from the start note; 0 in a graph without one.
    pub distance: usize,
}

/// An edge of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Index of the node that states it.
    pub from: usize,
    /// Index of the node that it names.
    pub to: usize,
    /// Label of the edge.
    pub label: EdgeLabel,
}

/// Notes and the edges between them.
#[derive(Debug, Default)]
pub struct Graph {
    /// In breadth-first order for a neighbourhood, by path for a vault.
    pub nodes: Vec<Node>,
    /// Without duplicates. Ordered by stating note and position in its text; for a neighbourhood,
    /// in traversal order.
    pub edges: Vec<Edge>,
}

/// A filter for edges.
#[derive(Debug, Default)]
pub struct EdgeFilter {
    /// Labels to include, see [`EdgeLabel::is_called`]; empty for all.
    pub names: Vec<String>,
    /// Include only edges that this job stated.
    pub by: Option<String>,
    /// Include only edges between these notes.
    pub among: Option<HashSet<Slot>>,
}

impl EdgeFilter {
    /// Whether the filter includes every edge.
    pub fn is_all(&self) -> bool {
        self.names.is_empty() && self.by.is_none() && self.among.is_none()
    }

    fn includes_label(&self, label: &EdgeLabel) -> bool {
        self.names.is_empty() || self.names.iter().any(|name| label.is_called(name))
    }

    fn includes_note(&self, slot: Slot) -> bool {
        let among = self.among.as_ref();
        among.is_none_or(|among| among.contains(&slot))
    }

    fn includes_origin(
        &self,
        view: &View<'_>,
        from: &Entry,
        label: &EdgeLabel,
        to: &Entry,
    ) -> Result<bool> {
        let Some(by) = &self.by else {
            return Ok(true);
        };
        let origin = view.origin(from, label, to)?;
        Ok(origin.is_some_and(|origin| origin.by == *by))
    }
}

impl View<'_> {
    /// Returns the provenance of an edge, if mem stated it.
    pub fn origin(
        &self,
        from: &Entry,
        label: &EdgeLabel,
        to: &Entry,
    ) -> Result<Option<&RelationOrigin>> {
        let Some(relation) = label.relation() else {
            return Ok(None);
        };
        self.origin_of(from, relation, to)
    }

    /// Returns the provenance of the relation that `from` states about `to`, if mem stated it.
    pub fn origin_of(
        &self,
        from: &Entry,
        relation: Relation,
        to: &Entry,
    ) -> Result<Option<&RelationOrigin>> {
        let is_note = |path: &str| self.is_note(path);
        let provenance = self.provenance()?;
        Ok(provenance.origin(from.end(), relation, to.end(), &is_note))
    }

    /// Returns the last relation that mem stated between the two notes, even if it was removed
    /// since.
    pub fn origin_between(&self, a: &Entry, b: &Entry) -> Result<Option<&RelationOrigin>> {
        let is_note = |path: &str| self.is_note(path);
        Ok(self.provenance()?.between(a.end(), b.end(), &is_note))
    }

    fn is_note(&self, path: &str) -> bool {
        let at = |path| self.reading().at(&path).is_ok_and(|slot| slot.is_some());
        VaultPath::new(path).is_ok_and(at)
    }

    /// Returns all notes and the edges that pass `filter`.
    pub fn graph(&self, filter: &EdgeFilter) -> Result<Graph> {
        let entries = self.entries()?;
        let stems = Stems::of(&entries);
        let mut edges = Vec::new();
        let mut titles = Vec::with_capacity(entries.len());
        let mut seen = HashSet::new();
        for (from, entry) in entries.iter().enumerate() {
            let details = self.details(entry.slot)?;
            titles.push(details.title);
            if !filter.includes_note(entry.slot) {
                continue;
            }
            seen.clear();
            for link in &details.links {
                let label = EdgeLabel::of(link);
                if filter.includes_label(&label)
                    && let Some(to) =
                        stems.resolve(&entries, &entry.path, &link.target, link.markdown)
                    && to != from
                    && filter.includes_note(entries[to].slot)
                    && !seen.contains(&(to, label.clone()))
                    && filter.includes_origin(self, entry, &label, &entries[to])?
                {
                    seen.insert((to, label.clone()));
                    edges.push(Edge { from, to, label });
                }
            }
        }
        let nodes_with_titles = entries.into_iter().zip(titles);
        let nodes = nodes_with_titles.map(|(entry, title)| Node {
            entry,
            title,
            distance: 0,
        });
        Ok(Graph {
            nodes: nodes.collect(),
            edges,
        })
    }

    /// Returns the notes at most `hops` edges away from `middle`, in either direction, and the
    /// edges on the way. `middle` is the first node.
    pub fn neighbourhood(&self, middle: &Entry, hops: usize, filter: &EdgeFilter) -> Result<Graph> {
        let mut edge_cache = EdgeCache {
            view: self,
            filter,
            known: HashMap::new(),
        };
        let mut graph = Graph::default();
        let mut indices = HashMap::from([(middle.slot, 0)]);
        graph.nodes.push(Node {
            title: self.details(middle.slot)?.title,
            entry: middle.clone(),
            distance: 0,
        });
        let mut at = 0;
        while at < graph.nodes.len() && graph.nodes[at].distance < hops {
            let Node {
                entry, distance, ..
            } = graph.nodes[at].clone();
            let mut met: Vec<(Slot, EdgeLabel, bool)> = Vec::new();
            for (label, to) in edge_cache.edges_from(&entry)? {
                met.push((*to, label.clone(), true));
            }
            for source in edge_cache.possible_sources(&entry)? {
                let edges = edge_cache.edges_from(&source)?.iter();
                let inbound = edges.filter(|(_, to)| *to == entry.slot);
                met.extend(inbound.map(|(label, _)| (source.slot, label.clone(), false)));
            }
            for (slot, label, leads_there) in met {
                let index = match indices.get(&slot) {
                    // Each edge is reached from both ends; the first visit adds it.
                    Some(index) if *index < at => continue,
                    Some(index) => *index,
                    None => {
                        let Some(entry) = self.entry(slot)? else {
                            continue;
                        };
                        indices.insert(slot, graph.nodes.len());
                        graph.nodes.push(Node {
                            title: self.details(slot)?.title,
                            entry,
                            distance: distance + 1,
                        });
                        graph.nodes.len() - 1
                    }
                };
                let (from, to) = if leads_there {
                    (at, index)
                } else {
                    (index, at)
                };
                graph.edges.push(Edge { from, to, label });
            }
            at += 1;
        }
        Ok(graph)
    }
}

/// Memoises the edges that notes state: a note with a thousand links is visited a thousand times.
struct EdgeCache<'a, 'v> {
    view: &'a View<'v>,
    filter: &'a EdgeFilter,
    known: HashMap<Slot, Vec<(EdgeLabel, Slot)>>,
}

impl EdgeCache<'_, '_> {
    /// Returns the edges that `source` states, in text order and without duplicates.
    fn edges_from(&mut self, source: &Entry) -> Result<&[(EdgeLabel, Slot)]> {
        if !self.known.contains_key(&source.slot) {
            let mut stated: Vec<(EdgeLabel, Slot)> = Vec::new();
            let mut seen = HashSet::new();
            for link in self.view.details(source.slot)?.links {
                let label = EdgeLabel::of(&link);
                if self.filter.includes_label(&label)
                    && let Some(target) =
                        self.view
                            .resolve(&source.path, &link.target, link.markdown)?
                    && target.slot != source.slot
                    && self.filter.includes_note(target.slot)
                    && seen.insert((label.clone(), target.slot))
                    && self
                        .filter
                        .includes_origin(self.view, source, &label, &target)?
                {
                    stated.push((label, target.slot));
                }
            }
            self.known.insert(source.slot, stated);
        }
        Ok(&self.known[&source.slot])
    }

    /// Returns the notes that may have an edge to `target`, ordered by path.
    fn possible_sources(&self, target: &Entry) -> Result<Vec<Entry>> {
        let mut naming = Vec::new();
        for slot in self
            .view
            .reading()
            .find(IndexKey::link(target.path.stem()))?
        {
            if slot != target.slot && self.filter.includes_note(slot) {
                naming.extend(self.view.entry(slot)?);
            }
        }
        naming.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(naming)
    }
}

/// Index of entries by the stem that links use.
pub(super) struct Stems {
    last: HashMap<IndexKey, LastEntry>,
    /// For each entry, the previous one with the same stem.
    previous: Vec<Option<usize>>,
}

/// The last entry with a stem.
struct LastEntry {
    index: usize,
    /// Whether the bare stem is unambiguous. Stored here because every link needs it.
    is_unique: bool,
}

impl Stems {
    pub(super) fn of(entries: &[Entry]) -> Self {
        let mut last = HashMap::with_capacity(entries.len());
        let mut previous = Vec::with_capacity(entries.len());
        for (index, entry) in entries.iter().enumerate() {
            let stem = entry.path.stem();
            let (is_unique, key) = (stem.trim() == stem, IndexKey::stem(stem));
            let other = last.insert(key, LastEntry { index, is_unique });
            previous.push(other.as_ref().map(|other| other.index));
            if other.is_some() {
                last.entry(key).and_modify(|last| last.is_unique = false);
            }
        }
        Self { last, previous }
    }

    /// Returns the index of the note that a link at `source` means, as [`View::resolve`] does.
    pub(super) fn resolve(
        &self,
        entries: &[Entry],
        source: &VaultPath,
        target: &str,
        markdown: bool,
    ) -> Option<usize> {
        let last = self.last.get(&IndexKey::stem(target_stem(target)))?;
        if last.is_unique && !target.contains(['/', '\\']) {
            return Some(last.index);
        }
        let previous = |index: &usize| self.previous[*index];
        let named: Vec<usize> = iter::successors(Some(last.index), previous).collect();
        let paths = named.iter().map(|index| &entries[*index].path);
        best_match(source, target, markdown, paths).map(|at| named[at])
    }
}

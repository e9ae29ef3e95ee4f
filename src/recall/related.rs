//! What stands near a note: notes that mean something like it, and notes that name it without a link.

use std::collections::HashSet;

use super::failure::Failure;
use super::snippet::{QueryTerms, Snippet, snippet};
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::index::TextIndex;
use crate::cache::text::schema::Column;
use crate::cache::vectors::file::Vectors;
use crate::cache::vectors::hnsw::graph::Graph;
use crate::note;
use crate::note::analyzer::{Analyzer, Pattern};
use crate::signals::tier::Tier;
use crate::view::near::mean;
use crate::view::{Entry, View};

/// Passages that are looked at for each note that is wanted.
const PASSAGES: usize = 4;

/// Names that are shorter are words like any other.
const SHORTEST_NAME: usize = 4;

/// A note that means something like another.
#[derive(Clone, Debug)]
pub struct Neighbour {
    pub entry: Entry,
    /// Between the means of their passages.
    pub cosine: f32,
}

/// A line in which a note is named and not linked to.
#[derive(Clone, Debug)]
pub struct Mention {
    /// The note that names it.
    pub entry: Entry,
    pub name: String,
    /// Where.
    pub snippet: Snippet,
}

/// Returns the notes nearest to `entry`, at most `limit` and none below `least`, best first.
pub fn neighbours(
    view: &View<'_>,
    vectors: &Vectors,
    graph: Option<&Graph>,
    entry: &Entry,
    limit: usize,
    least: f32,
) -> Result<Vec<Neighbour>, CacheError> {
    match mean(vectors, &entry.row) {
        Some(own) => around(view, vectors, graph, (&own, Some(entry.slot)), limit, least),
        None => Ok(Vec::new()),
    }
}

/// Returns the notes nearest to a vector that may be that of a note, as [`neighbours`].
pub fn around(
    view: &View<'_>,
    vectors: &Vectors,
    graph: Option<&Graph>,
    (own, of): (&[f32], Option<Slot>),
    limit: usize,
    least: f32,
) -> Result<Vec<Neighbour>, CacheError> {
    let failure = Failure::default();
    let is_other = |row: u32, slot: Slot| -> Result<bool, CacheError> {
        let now = view.now.timestamp().as_second();
        let is_shown = view.reading().fields(slot)?.is_some_and(|note| {
            note.rows.has(row) && note.flags.tier() != Tier::Forgotten && note.expires > now
        });
        Ok(Some(slot) != of && is_shown)
    };
    let accept = |row: u32, slot: Slot| failure.or_default(is_other(row, slot));
    let found = vectors.nearest(own, limit.saturating_mul(PASSAGES), Some(&accept), graph);
    let mut seen = HashSet::new();
    let mut neighbours = Vec::new();
    for near in failure.or(found)? {
        if seen.insert(near.slot)
            && let Some(entry) = view.entry(near.slot)?
            && let Some(other) = mean(vectors, &entry.row)
        {
            let cosine = own.iter().zip(&other).map(|(a, b)| a * b).sum();
            neighbours.push(Neighbour { entry, cosine });
        }
    }
    neighbours.retain(|neighbour| neighbour.cosine >= least);
    neighbours.sort_by(|a, b| {
        let order = b.cosine.total_cmp(&a.cosine);
        order.then_with(|| a.entry.path.cmp(&b.entry.path))
    });
    neighbours.truncate(limit);
    Ok(neighbours)
}

/// Returns the notes that have a name of `entry` in their text and no link to it, in the order of
/// paths.
pub fn mentions(
    view: &View<'_>,
    index: &TextIndex,
    entry: &Entry,
) -> Result<Vec<Mention>, CacheError> {
    let reader = index.reader()?;
    let details = view.details(entry.slot)?;
    let mut known: HashSet<Slot> = view
        .linking_to(entry)?
        .iter()
        .map(|source| source.slot)
        .collect();
    known.insert(entry.slot);
    let mut analyzer = Analyzer::new(index.language());
    let mut mentions = Vec::new();
    let names = std::iter::once(&details.title).chain(&details.aliases);
    for name in names.filter(|name| name.chars().count() >= SHORTEST_NAME) {
        let pattern = Pattern::Phrase(name.clone());
        let sought = QueryTerms::new([&pattern], &mut analyzer);
        let clause = Clause::Text {
            pattern,
            column: Some(Column::Body),
        };
        for key in reader.matches(&clause)? {
            let slot = key as Slot;
            if known.contains(&slot) {
                continue;
            }
            let Some(entry) = view.entry(slot)? else {
                continue;
            };
            // What changed since it was indexed is told by the next look.
            let Ok(text) = view.text(&entry) else {
                continue;
            };
            let body = note::split::split(&text).body;
            let above = text[..body.start].lines().count();
            let Some(mut snippet) = snippet(&text[body], &sought, 160, &mut analyzer) else {
                continue;
            };
            snippet.line += above + 1;
            known.insert(slot);
            mentions.push(Mention {
                entry,
                name: name.clone(),
                snippet,
            });
        }
    }
    mentions.sort_by(|a, b| a.entry.path.cmp(&b.entry.path));
    Ok(mentions)
}

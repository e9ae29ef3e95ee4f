//! What stands near a note: notes that mean something like it, and notes that name it without a link.

use std::collections::{HashMap, HashSet};

use super::failure::Failure;
use super::snippet::{QueryTerms, Snippet, snippet};
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::index::TextIndex;
use crate::cache::text::schema::Column;
use crate::cache::vectors::file::Vectors;
use crate::cache::vectors::hnsw::graph::Graph;
use crate::note::analyzer::{Analyzer, Pattern};
use crate::note::mention::RunningText;
use crate::note::names::{Name, Names};
use crate::signals::tier::Tier;
use crate::view::chance::Evidence;
use crate::view::near::mean;
use crate::view::{Entry, View};

/// Passages that are looked at for each note that is wanted.
const PASSAGES: usize = 4;

/// Notes that are looked at more closely for each that is wanted.
const RERANKED: usize = 4;

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
    vectors.confirm()?;
    Ok(neighbours)
}

/// Returns the notes nearest to `entry` that no link joins it with, at most `limit` and none below
/// `least`. One that the text of `entry` names comes before those that are only alike.
pub fn unlinked_neighbours(
    view: &View<'_>,
    vectors: &Vectors,
    graph: Option<&Graph>,
    entry: &Entry,
    limit: usize,
    least: f32,
) -> Result<Vec<Neighbour>, CacheError> {
    let joined = joined(view, entry)?;
    let wanted = limit.saturating_mul(RERANKED).saturating_add(joined.len());
    let mut near = neighbours(view, vectors, graph, entry, wanted, least)?;
    near.retain(|near| !joined.contains(&near.entry.slot));
    let mut names = Vec::new();
    for (place, near) in near.iter().enumerate() {
        let details = view.details(near.entry.slot)?;
        let own = [details.title.as_str(), near.entry.path.stem()].into_iter();
        let own = own.chain(details.aliases.iter().map(String::as_str));
        names.extend(own.filter_map(Name::of).map(|name| (name, place)));
    }
    let index = Names::of(names.iter().map(|(name, _)| name.run()));
    let mut in_text = HashSet::new();
    // What changed since it was indexed is told by the next look.
    if let Ok(text) = view.text(entry) {
        let running = RunningText::of(&text, entry.path.stem());
        for (number, span) in running.mentions(&index) {
            let (name, place) = &names[number as usize];
            if name.is_written(&text[span]) {
                in_text.insert(near[*place].entry.slot);
            }
        }
    }
    near.sort_by_key(|near| !in_text.contains(&near.entry.slot));
    near.truncate(limit);
    Ok(near)
}

/// Returns `entry` and the notes that a link joins it with.
fn joined(view: &View<'_>, entry: &Entry) -> Result<HashSet<Slot>, CacheError> {
    let sources = view.linking_to(entry)?.into_iter();
    let mut joined: HashSet<Slot> = sources.map(|source| source.slot).collect();
    let targets = view.linked_from(entry)?.into_iter();
    joined.extend(targets.map(|(_, target)| target.slot));
    joined.insert(entry.slot);
    Ok(joined)
}

/// The names of one note, and how many links show each.
fn names_of(
    view: &View<'_>,
    entry: &Entry,
) -> Result<(Vec<Name>, HashMap<u64, usize>), CacheError> {
    let details = view.details(entry.slot)?;
    let own = [details.title.as_str(), entry.path.stem()].into_iter();
    let own = own.chain(details.aliases.iter().map(String::as_str));
    let forms = own.clone().flat_map(Name::number_forms);
    let forms: Vec<String> = forms.collect();
    let own = own.chain(forms.iter().map(String::as_str));
    let mut names: Vec<Name> = own.filter_map(Name::of).collect();
    let mut shown: HashMap<u64, usize> = HashMap::new();
    for source in view.linking_to(entry)? {
        for (link, target) in view.linked_from(&source)? {
            if target.slot == entry.slot
                && link.property.is_none()
                && let Some(name) = Name::used(link.shown())
            {
                *shown.entry(name.key()).or_default() += 1;
                names.push(name);
            }
        }
    }
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.key()));
    Ok((names, shown))
}

/// Returns the notes that name `entry` in running text and that no link joins it with, the likeliest to be
/// meant first.
pub fn mentions(
    view: &View<'_>,
    index: &TextIndex,
    entry: &Entry,
) -> Result<Vec<Mention>, CacheError> {
    let joined = joined(view, entry)?;
    let (names, shown) = names_of(view, entry)?;
    let reader = index.reader()?;
    let mut holding: HashMap<Slot, Entry> = HashMap::new();
    let mut plain = Vec::new();
    for name in &names {
        let keys = reader.matches(&Clause::Text {
            pattern: Pattern::Phrase(name.text.clone()),
            column: Some(Column::Body),
        })?;
        let mut slots: Vec<Slot> = keys.into_iter().map(|key| key as Slot).collect();
        slots.retain(|slot| !joined.contains(slot));
        plain.push(slots.len());
        for slot in slots {
            if let Some(other) = view.entry(slot)? {
                holding.insert(slot, other);
            }
        }
    }
    let mut holding: Vec<Entry> = holding.into_values().collect();
    holding.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut out = HashMap::new();
    for other in &holding {
        out.insert(other.slot, view.details(other.slot)?.links.len());
    }
    let sought = Names::of(names.iter().map(Name::run));
    let found = view.each_text(&holding, |other, text| {
        let running = RunningText::of(text, other.path.stem());
        let is_shown = |name: &Name| shown.get(&name.key()).copied();
        let (number, span) = running.mentions(&sought).find(|(number, span)| {
            let name = &names[*number as usize];
            is_shown(name).is_some() || name.is_written(&text[span.clone()])
        })?;
        let name = &names[number as usize];
        let links = is_shown(name).unwrap_or_default();
        let written = text[span.clone()].to_owned();
        let evidence = Evidence {
            links,
            all_links: links,
            plain: plain[number as usize].saturating_sub(1),
            is_exact: name.text == written,
            is_capital: entry.path.stem().starts_with(char::is_uppercase),
            common: 0.0,
            same_folder: other.path.folder() == entry.path.folder(),
            links_back: false,
            cosine: None,
            out: out[&other.slot],
            length: other.row.length as usize,
            place: Some(running.place(&span)),
            vault_links: shown.values().sum(),
        };
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[span.end..]
            .find('\n')
            .map_or(text.len(), |at| span.end + at);
        let number = text[..start].lines().count();
        Some((
            evidence.chance(),
            written,
            text[start..end].to_owned(),
            number,
        ))
    });
    let mut analyzer = Analyzer::new(index.language());
    let mut mentions = Vec::new();
    for (other, found) in holding.into_iter().zip(found) {
        // What changed since it was indexed is told by the next look.
        let Ok(Some((chance, name, line, number))) = found else {
            continue;
        };
        let pattern = Pattern::Phrase(name.clone());
        let sought = QueryTerms::new([&pattern], &mut analyzer);
        if let Some(mut snippet) = snippet(&line, &sought, 160, &mut analyzer) {
            snippet.line = number + 1;
            let mention = Mention {
                entry: other,
                name,
                snippet,
            };
            mentions.push((chance, mention));
        }
    }
    mentions.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    Ok(mentions.into_iter().map(|(_, mention)| mention).collect())
}

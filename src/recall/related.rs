//! Notes related to a note: neighbours in meaning, and unlinked mentions.

use std::collections::{HashMap, HashSet};

use super::failure::FirstError;
use super::snippet::{QueryTerms, Snippet, snippet};
use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::index::TextIndex;
use crate::cache::text::schema::Column;
use crate::cache::vectors::file::Vectors;
use crate::cache::vectors::hnsw::graph::HnswGraph;
use crate::embed::dot;
use crate::note::names::mention::RunningText;
use crate::note::names::{Name, Names};
use crate::note::words::analyzer::{Analyzer, Pattern};
use crate::signals::tier::Tier;
use crate::view::lexicon::is_common_word;
use crate::view::link_probability::{LinkFeatures, MentionContext};
use crate::view::similarity::mean;
use crate::view::{Entry, View};

/// Passages retrieved per requested note.
const PASSAGES_PER_NOTE: usize = 4;

/// Notes reranked per requested note.
const RERANKED_PER_NOTE: usize = 4;

/// Minimum probability of a mention. Lower than the `link` job's, since a list for one note can show more.
const MIN_MENTION_CHANCE: f64 = 0.3;

/// A note with similar meaning.
#[derive(Clone, Debug)]
pub struct Neighbour {
    pub entry: Entry,
    /// Cosine between the means of their passages.
    pub cosine: f32,
}

/// A line that names a note without linking to it.
#[derive(Clone, Debug)]
pub struct Mention {
    /// The note that contains the line.
    pub entry: Entry,
    pub name: String,
    /// Where the name occurs.
    pub snippet: Snippet,
}

/// Returns at most `limit` nearest notes with a cosine of at least `least`, best first.
pub fn neighbours(
    view: &View<'_>,
    vectors: &Vectors,
    graph: Option<&HnswGraph>,
    entry: &Entry,
    limit: usize,
    least: f32,
) -> Result<Vec<Neighbour>, CacheError> {
    match mean(vectors, &entry.row) {
        Some(own) => {
            neighbours_of_vector(view, vectors, graph, (&own, Some(entry.slot)), limit, least)
        }
        None => Ok(Vec::new()),
    }
}

/// As [`neighbours`], for a vector and the note it belongs to, if any.
pub fn neighbours_of_vector(
    view: &View<'_>,
    vectors: &Vectors,
    graph: Option<&HnswGraph>,
    (own, of): (&[f32], Option<Slot>),
    limit: usize,
    least: f32,
) -> Result<Vec<Neighbour>, CacheError> {
    let failure = FirstError::default();
    let is_other = |row: u32, slot: Slot| -> Result<bool, CacheError> {
        let now = view.now.timestamp().as_second();
        let is_shown = view.reading().fields(slot)?.is_some_and(|note| {
            note.rows.has(row) && note.flags.tier() != Tier::Forgotten && note.expires > now
        });
        Ok(Some(slot) != of && is_shown)
    };
    let accept = |row: u32, slot: Slot| failure.or_default(is_other(row, slot));
    let found = vectors.nearest(
        own,
        limit.saturating_mul(PASSAGES_PER_NOTE),
        Some(&accept),
        graph,
    );
    let mut seen = HashSet::new();
    let mut neighbours = Vec::new();
    for near in failure.or(found)? {
        if seen.insert(near.slot)
            && let Some(entry) = view.entry(near.slot)?
            && let Some(other) = mean(vectors, &entry.row)
        {
            let cosine = dot(own, &other);
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

/// As [`neighbours`], without the notes linked to or from `entry`. Notes named in its text come first.
pub fn unlinked_neighbours(
    view: &View<'_>,
    vectors: &Vectors,
    graph: Option<&HnswGraph>,
    entry: &Entry,
    limit: usize,
    least: f32,
) -> Result<Vec<Neighbour>, CacheError> {
    let linked_slots = linked_slots(view, entry)?;
    let wanted = limit
        .saturating_mul(RERANKED_PER_NOTE)
        .saturating_add(linked_slots.len());
    let mut near = neighbours(view, vectors, graph, entry, wanted, least)?;
    near.retain(|near| !linked_slots.contains(&near.entry.slot));
    let mut names = Vec::new();
    for (place, near) in near.iter().enumerate() {
        let details = view.details(near.entry.slot)?;
        let main_names = [details.title.as_str(), near.entry.path.stem()].into_iter();
        let own = main_names.chain(details.aliases.iter().map(String::as_str));
        names.extend(own.filter_map(Name::of).map(|name| (name, place)));
    }
    let index = Names::of(names.iter().map(|(name, _)| name.run()));
    let mut in_text = HashSet::new();
    // A note changed since indexing is handled after the next index pass.
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

/// Returns `entry` and all notes linked to or from it.
fn linked_slots(view: &View<'_>, entry: &Entry) -> Result<HashSet<Slot>, CacheError> {
    let sources = view.linking_to(entry)?.into_iter();
    let mut linked_slots: HashSet<Slot> = sources.map(|source| source.slot).collect();
    let targets = view.linked_from(entry)?.into_iter();
    linked_slots.extend(targets.map(|(_, target)| target.slot));
    linked_slots.insert(entry.slot);
    Ok(linked_slots)
}

/// A name by which the note can be mentioned.
struct MentionName {
    name: Name,
    /// Number of notes that link to it with this text.
    links: usize,
    /// Number of other notes with a link of this text to elsewhere.
    elsewhere: usize,
    /// Number of other notes that contain the name.
    held: usize,
}

/// Returns the names of `entry`: its own, and link texts that at least two notes use. A link text used once
/// is only part of a sentence.
fn names_of(view: &View<'_>, entry: &Entry) -> Result<Vec<MentionName>, CacheError> {
    let details = view.details(entry.slot)?;
    let main_names = [details.title.as_str(), entry.path.stem()].into_iter();
    let own = main_names.chain(details.aliases.iter().map(String::as_str));
    let forms: Vec<String> = own.clone().flat_map(Name::number_forms).collect();
    let own: Vec<&str> = own.chain(forms.iter().map(String::as_str)).collect();
    let mut shown: Vec<(Name, usize)> = Vec::new();
    for source in view.linking_to(entry)? {
        let mut seen = HashSet::new();
        for (link, target) in view.linked_from(&source)? {
            if target.slot == entry.slot
                && link.property.is_none()
                && let Some(name) = Name::used(link.shown())
                && seen.insert(name.key())
            {
                match shown
                    .iter_mut()
                    .find(|(known, _)| known.key() == name.key())
                {
                    Some((_, links)) => *links += 1,
                    None => shown.push((name, 1)),
                }
            }
        }
    }
    let links = |name: &Name| {
        let mut shown = shown.iter();
        let known = shown.find(|(known, _)| known.key() == name.key());
        known.map_or(0, |(_, links)| *links)
    };
    let used = own.iter().filter_map(|name| Name::used(name));
    let mut names: Vec<Name> = own.iter().filter_map(|name| Name::of(name)).collect();
    names.extend(used.filter(|name| links(name) > 0));
    let labels = shown.iter().filter(|(_, links)| *links > 1);
    names.extend(labels.map(|(name, _)| name.clone()));
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.key()));
    let mut sought = Vec::new();
    for name in names {
        let links = links(&name);
        // A name that several notes share and no link disambiguates is dropped.
        if links > 0 || view.named_exactly(&name.text)?.len() <= 1 {
            sought.push(MentionName {
                name,
                links,
                elsewhere: 0,
                held: 0,
            });
        }
    }
    Ok(sought)
}

/// An occurrence of a name in a text.
struct Occurrence {
    /// Index of the name.
    name: usize,
    written: String,
    line: String,
    /// Line number, from 0.
    number: usize,
    place: MentionContext,
}

/// Occurrences of the names in one text.
#[derive(Default)]
struct TextOccurrences {
    /// The first acceptable occurrence of each name.
    found: Vec<Occurrence>,
    /// Names that also occur in another spelling.
    otherwise: HashSet<usize>,
}

impl TextOccurrences {
    fn of(text: &str, stem: &str, (sought, index): (&[MentionName], &Names)) -> Self {
        let running = RunningText::of(text, stem);
        let mut held = Self::default();
        for (number, span) in running.mentions(index) {
            let (number, written) = (number as usize, &text[span.clone()]);
            let MentionName { name, links, .. } = &sought[number];
            if *links == 0 && !name.is_written(written) {
                held.otherwise.insert(number);
            } else if held.found.iter().all(|known| known.name != number) {
                let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
                let end = text[span.end..]
                    .find('\n')
                    .map_or(text.len(), |at| span.end + at);
                held.found.push(Occurrence {
                    name: number,
                    written: written.to_owned(),
                    line: text[start..end].to_owned(),
                    number: text[..start].lines().count(),
                    place: running.place(&span),
                });
            }
        }
        held
    }
}

/// Returns the unlinked notes that name `entry` in running text, by probability of a mention.
pub fn mentions(
    view: &View<'_>,
    index: &TextIndex,
    entry: &Entry,
) -> Result<Vec<Mention>, CacheError> {
    let linked_slots = linked_slots(view, entry)?;
    let mut sought = names_of(view, entry)?;
    let reader = index.reader()?;
    let mut containing: HashMap<Slot, Entry> = HashMap::new();
    for one in &mut sought {
        let keys = reader.matches(&Clause::Text {
            pattern: Pattern::Phrase(one.name.text.clone()),
            column: Some(Column::Body),
        })?;
        for slot in keys.into_iter().map(|key| key as Slot) {
            if linked_slots.contains(&slot) {
                continue;
            }
            one.held += 1;
            if let Some(other) = view.entry(slot)? {
                containing.insert(slot, other);
            }
        }
    }
    let mut containing: Vec<Entry> = containing.into_values().collect();
    containing.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    let mut out = Vec::new();
    for other in &containing {
        let links = view.details(other.slot)?.links;
        let text_links = links.iter().filter(|link| link.property.is_none());
        let shown_names = text_links.filter_map(|link| Name::used(link.shown()));
        let shown: HashSet<u64> = shown_names.map(|name| name.key()).collect();
        for one in &mut sought {
            one.elsewhere += usize::from(shown.contains(&one.name.key()));
        }
        out.push(links.len());
    }
    let names = Names::of(sought.iter().map(|one| one.name.run()));
    let held = view.each_text(&containing, |other, text| {
        TextOccurrences::of(text, other.path.stem(), (&sought, &names))
    });
    // A note changed since indexing is handled after the next index pass.
    let held: Vec<TextOccurrences> = held.into_iter().map(Result::unwrap_or_default).collect();
    let notes = view.entries()?.len();
    let is_common = |(number, one): (usize, &MentionName)| {
        let is_otherwise = |held: &&TextOccurrences| held.otherwise.contains(&number);
        let otherwise = held.iter().filter(is_otherwise).count();
        one.links == 0 && is_common_word(&one.name, one.held, otherwise, notes)
    };
    let common: Vec<bool> = sought.iter().enumerate().map(is_common).collect();
    let to_it: usize = sought.iter().map(|one| one.links).sum();
    let vault_links = to_it + out.iter().sum::<usize>();
    let mut analyzer = Analyzer::new(index.language());
    let mut mentions = Vec::new();
    for ((other, held), out) in containing.into_iter().zip(held).zip(out) {
        let told = held.found.into_iter().filter(|found| !common[found.name]);
        let rated = told.map(|found| {
            let MentionName {
                name,
                links,
                elsewhere,
                held,
            } = &sought[found.name];
            let evidence = LinkFeatures {
                links: *links,
                all_links: links + elsewhere,
                plain: held.saturating_sub(1),
                is_exact: name.text == found.written,
                is_capital: entry.path.stem().starts_with(char::is_uppercase),
                common: 0.0,
                same_folder: other.path.folder() == entry.path.folder(),
                links_back: false,
                cosine: view.near().and_then(|near| near.cosine(&other, entry)),
                out,
                length: other.row.length as usize,
                place: Some(found.place),
                vault_links,
            };
            (evidence.chance(), found)
        });
        let Some((chance, found)) = rated.max_by(|(a, _), (b, _)| a.total_cmp(b)) else {
            continue;
        };
        if chance < MIN_MENTION_CHANCE {
            continue;
        }
        let pattern = Pattern::Phrase(found.written.clone());
        analyzer.set_language(other.row.flags.language());
        let terms = QueryTerms::new([&pattern], &mut analyzer);
        if let Some(mut snippet) = snippet(&found.line, &terms, 160, &mut analyzer) {
            snippet.line = found.number + 1;
            let mention = Mention {
                entry: other,
                name: found.written,
                snippet,
            };
            mentions.push((chance, mention));
        }
    }
    mentions.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    Ok(mentions.into_iter().map(|(_, mention)| mention).collect())
}

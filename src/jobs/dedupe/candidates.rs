//! Pairs of notes worth comparing, without comparing every note with every other.

use std::collections::hash_map;

use super::folders::Folders;
use super::keeper::{Standing, better};
use super::likeness::is_short;
use super::options::Options;
use crate::jobs::boilerplate::{Boilerplate, FEW};
use crate::jobs::prelude::*;
use crate::note::front_matter::split::split;
use crate::note::front_matter::written::tell_apart;
use crate::note::names::filename::{
    day_of, ids, is_copy_of, is_daily, is_machine_made, is_template, telling_beside,
};
use crate::note::words::hash::normal_hash;
use crate::note::words::segments::Segment;
use crate::note::words::wording::is_placeholder;
use crate::signals::differing::agree;

/// In a crowd of look-alikes each note is compared with so many others: enough to find a copy next
/// to it in the order of bodies, and never all pairs of a thousand notes from one template.
const CROWD: usize = 8;

/// Words from which on two notes without titles do not have the same text by chance.
const TELLING: u32 = 8;

/// So many sentences two notes have in common for one to be compared as a part of the other.
const FEWEST_SHARED: usize = 4;

/// Pairs of indices into the notes, the smaller first, with their cosine where it is known.
pub(super) type Pairs = BTreeMap<(usize, usize), Option<f32>>;

/// Notes that have text, title, properties and day in common: one of them stands for all.
#[derive(Debug, Default)]
pub(super) struct Twins {
    others: BTreeMap<usize, Vec<usize>>,
    hidden: HashSet<usize>,
}

impl Twins {
    /// Returns those that `at` stands for.
    pub(super) fn of(&self, at: usize) -> &[usize] {
        self.others.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Returns each note that stands for others, and those.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &[usize])> {
        self.others
            .iter()
            .map(|(at, others)| (*at, others.as_slice()))
    }

    /// Returns the number of pairs of which it was seen, from a seed on, that they are the same.
    pub(super) fn compared(&self, entries: &[Entry], seeds: &Seeds) -> usize {
        let classes = self.all();
        let begun = classes.filter(|(at, _)| self.has_seed(*at, entries, seeds));
        begun.map(|(_, others)| others.len()).sum()
    }

    fn has_seed(&self, at: usize, entries: &[Entry], seeds: &Seeds) -> bool {
        let mut all = self.of(at).iter().chain([&at]);
        all.any(|at| seeds.has(entries[*at].slot))
    }
}

/// Finds the twins among `entries`; none that somebody wants to keep apart.
pub(super) fn twins(
    view: &View<'_>,
    entries: &[Entry],
    folders: &Folders<'_>,
    answers: &Answers,
) -> Result<Twins> {
    let same = |at: &usize| (entries[*at].row.body, entries[*at].row.title);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.retain(|at| {
        let row = &entries[*at].row;
        let tells = row.title != 0 || row.words >= TELLING;
        row.body != 0 && tells && !row.flags.has(Flags::KEEP)
    });
    order.sort_unstable_by_key(|at| (same(at), *at));
    let mut found = Vec::new();
    for alike in order.chunk_by(|a, b| same(a) == same(b)) {
        if alike.len() < 2 {
            continue;
        }
        // The hashes even out case, which may be all that two texts differ by.
        let mut classes: BTreeMap<_, Vec<(usize, Map<String, Value>)>> = BTreeMap::new();
        for at in alike {
            let entry = &entries[*at];
            let stem = entry.path.stem();
            let details = view.details(entry.slot)?;
            let name = telling_beside(stem, &details.title);
            let ids = if entry.row.title == 0 && !name.is_empty() {
                ids(stem)
            } else {
                String::new()
            };
            let written = day_written(entry);
            let day = day_of(stem).unwrap_or_default();
            let Ok(text) = view.text(entry) else { continue };
            if is_daily(stem)
                || is_template(entry.path.as_str())
                || is_placeholder(&text)
                || view.replaced_by(entry)?.is_some()
            {
                continue;
            }
            // Blanks before the first line may make it code.
            let body = text[split(&text).body].trim_start_matches(['\r', '\n']);
            let body = xxh3_64(body.trim_end().as_bytes());
            let mut properties = details.properties();
            tell_apart(&mut properties, &text);
            let id = details.id.filter(|id| !is_machine_made(id));
            let title = details.titled.then_some(details.title);
            let event = is_event(&properties).then(|| day_of_statement(entry));
            let class = (title, name, ids, id, day, written.or(event), body);
            classes.entry(class).or_default().push((*at, properties));
        }
        let classes = classes.into_values();
        let classes = classes.flat_map(|class| agreeing(class, entries, folders));
        for class in classes.filter(|class| class.len() > 1) {
            let meaning = view.content_key(&entries[class[0]])?;
            let key = QuestionKey::new(Kind::Merge, &vec![meaning; class.len()]);
            if answers.get(key) != Some(Answer::No) {
                found.push(class);
            }
        }
    }
    let mut twins = Twins::default();
    for class in with_own_text(view, entries, found)? {
        twins.add(entries, class);
    }
    Ok(twins)
}

/// Returns those of `classes` whose text is not shared by many other notes.
fn with_own_text(
    view: &View<'_>,
    entries: &[Entry],
    classes: Vec<Vec<usize>>,
) -> Result<Vec<Vec<usize>>> {
    let mut read = Vec::new();
    for class in classes {
        // A note that changed since it was indexed is looked at in the next run.
        if let Ok(text) = view.text(&entries[class[0]]) {
            read.push((class, text[split(&text).body].to_owned()));
        }
    }
    let bodies = read.iter().map(|(_, body)| body.as_str());
    let boilerplate = Boilerplate::learn(view, bodies)?;
    read.retain(|(_, body)| boilerplate.is_own(body));
    Ok(read.into_iter().map(|(class, _)| class).collect())
}

/// Returns the day on which a person wrote the note, if it is stated: a memory of an agent may state
/// the same on another day.
pub(super) fn day_written(entry: &Entry) -> Option<i64> {
    let stated = entry.row.stated().filter(|_| !entry.is_managed())?;
    Some(stated.as_second().div_euclid(86_400))
}

/// Leaves out the pairs with a note that another one replaced.
pub(super) fn retain_holding(view: &View<'_>, entries: &[Entry], pairs: &mut Pairs) -> Result<()> {
    let mut replaced: HashMap<usize, bool> = HashMap::new();
    for at in pairs.keys().flat_map(|(a, b)| [*a, *b]) {
        if let hash_map::Entry::Vacant(place) = replaced.entry(at) {
            place.insert(view.replaced_by(&entries[at])?.is_some());
        }
    }
    pairs.retain(|(a, b), _| !replaced[a] && !replaced[b]);
    Ok(())
}

/// Returns whether both notes are events, of different days.
pub(super) fn are_two_events(view: &View<'_>, a: &Entry, b: &Entry) -> Result<bool> {
    let is_event =
        |entry: &Entry| Ok(is_event(&view.details(entry.slot)?.properties())) as Result<_>;
    Ok(day_of_statement(a) != day_of_statement(b) && is_event(a)? && is_event(b)?)
}

pub(super) fn is_event(properties: &Map<String, Value>) -> bool {
    text_of(properties, "type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("event"))
}

/// Returns the day of a note's date, in UTC since 1970.
pub(super) fn day_of_statement(entry: &Entry) -> i64 {
    entry.row.created.div_euclid(86_400)
}

/// Divides notes into those that one note can stand for: by their properties and folders.
fn agreeing(
    notes: Vec<(usize, Map<String, Value>)>,
    entries: &[Entry],
    folders: &Folders<'_>,
) -> Vec<Vec<usize>> {
    let mut classes: Vec<(Map<String, Value>, Vec<usize>)> = Vec::new();
    for (at, properties) in notes {
        let agrees = |(first, class): &&mut (Map<String, Value>, Vec<usize>)| {
            agree(first, &properties) && !folders.are_parallel(&entries[class[0]], &entries[at])
        };
        match classes.iter_mut().find(agrees) {
            Some((_, class)) => class.push(at),
            None => classes.push((properties, vec![at])),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

impl Twins {
    fn add(&mut self, entries: &[Entry], class: Vec<usize>) {
        let name = |at: &&usize| (entries[**at].path.stem().len(), **at);
        let Some(plain) = class.iter().min_by_key(name).copied() else {
            return;
        };
        // Of one text, and so of one length.
        let standing = |at: &usize| Standing {
            entry: &entries[*at],
            is_copy: is_copy_of(entries[*at].path.stem(), entries[plain].path.stem()),
            words: 0,
        };
        let first = class.iter().min_by(|a, b| better(standing(a), standing(b)));
        let first = first.copied().unwrap_or(plain);
        let others: Vec<usize> = class.into_iter().filter(|at| *at != first).collect();
        self.hidden.extend(&others);
        self.others.insert(first, others);
    }
}

/// Returns the pairs of `entries` of which one is a seed.
///
/// Two notes are a pair if they share a given title or a band of their sketch, or if they are short
/// and near each other. Within a crowd that shares one, notes are ordered by the hash of the body, so
/// that equal bodies stand together.
pub(super) fn pairs(
    view: &View<'_>,
    entries: &[Entry],
    twins: &Twins,
    seeds: &Seeds,
    options: &Options,
) -> Result<Pairs> {
    let mut pairs = sharing(entries, twins, seeds);
    near(view, entries, twins, seeds, options, &mut pairs);
    containing(view, entries, twins, seeds, &mut pairs)?;
    Ok(pairs)
}

/// Adds pairs of longer notes of which one has most sentences of the other that hardly another note has.
fn containing(
    view: &View<'_>,
    entries: &[Entry],
    twins: &Twins,
    seeds: &Seeds,
    pairs: &mut Pairs,
) -> Result<()> {
    let mut places: HashMap<Slot, usize> = HashMap::new();
    let mut has_seed = false;
    for (at, entry) in entries.iter().enumerate() {
        if !is_short(entry.row.words as usize) && !twins.hidden.contains(&at) {
            has_seed = has_seed || twins.has_seed(at, entries, seeds);
            places.insert(entry.slot, at);
        }
    }
    if !has_seed {
        return Ok(());
    }
    let mut holders: Vec<(Segment, usize)> = Vec::new();
    let mut counts: HashMap<usize, usize> = HashMap::new();
    view.reading().scan_segments(|slot, segment| {
        if let Some(at) = places.get(&slot) {
            holders.push((segment, *at));
            *counts.entry(*at).or_default() += 1;
        }
    })?;
    holders.sort_unstable();
    let mut shared: HashMap<(usize, usize), usize> = HashMap::new();
    for holders in holders.chunk_by(|a, b| a.0 == b.0) {
        if holders.len() <= FEW {
            for (place, (_, a)) in holders.iter().enumerate() {
                for (_, b) in &holders[place + 1..] {
                    *shared.entry((*a, *b)).or_default() += 1;
                }
            }
        }
    }
    for ((a, b), count) in shared {
        let most = counts[&a].min(counts[&b]);
        let begins = twins.has_seed(a, entries, seeds) || twins.has_seed(b, entries, seeds);
        if begins && count >= FEWEST_SHARED && count * 2 >= most {
            pairs.entry((a, b)).or_insert(None);
        }
    }
    Ok(())
}

/// Pairs that share a title or a band.
fn sharing(entries: &[Entry], twins: &Twins, seeds: &Seeds) -> Pairs {
    let standing = || (0..entries.len()).filter(|at| !twins.hidden.contains(at));
    let of_seeds: Option<HashSet<(usize, u64)>> = match seeds {
        Seeds::All => None,
        Seeds::Of(_) => {
            let begun = standing().filter(|at| twins.has_seed(*at, entries, seeds));
            Some(begun.flat_map(|at| marks(&entries[at])).collect())
        }
    };
    let mut crowds: Vec<(usize, u64, u64, usize)> = Vec::new();
    for at in standing() {
        let marks =
            marks(&entries[at]).filter(|mark| of_seeds.as_ref().is_none_or(|of| of.contains(mark)));
        crowds.extend(marks.map(|(place, value)| (place, value, entries[at].row.body, at)));
    }
    crowds.sort_unstable();
    let mut pairs = Pairs::new();
    for crowd in crowds.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for (place, (_, _, _, a)) in crowd.iter().enumerate() {
            for (_, _, _, b) in crowd.iter().skip(place + 1).take(CROWD) {
                let begins = |at: &usize| twins.has_seed(*at, entries, seeds);
                if (begins(a) || begins(b)) && fit(&entries[*a], &entries[*b]) {
                    pairs.insert((*a.min(b), *a.max(b)), None);
                }
            }
        }
    }
    pairs
}

/// What two notes may share: the bands, and behind them the name.
fn marks(entry: &Entry) -> impl Iterator<Item = (usize, u64)> {
    let bands = entry.row.bands.map(u64::from).into_iter();
    let marks = bands.chain([name(entry)]).enumerate();
    marks.filter(|(_, value)| *value != 0)
}

/// The title that its author gave it, or the name of its file.
fn name(entry: &Entry) -> u64 {
    match entry.row.title {
        0 => normal_hash(entry.path.stem()),
        title => title,
    }
}

/// Returns true if neither is so much longer that it cannot be the same text.
fn fit(a: &Entry, b: &Entry) -> bool {
    let is_titled = a.row.title != 0 || b.row.title != 0;
    let same_name = is_titled && name(a) == name(b);
    let (a, b) = (&a.row, &b.row);
    same_name || a.words.min(b.words) * 2 >= a.words.max(b.words)
}

/// Adds pairs of short notes that are near each other, and the cosines of all pairs of short notes.
fn near(
    view: &View<'_>,
    entries: &[Entry],
    twins: &Twins,
    seeds: &Seeds,
    options: &Options,
    pairs: &mut Pairs,
) {
    let Some(vectors) = view.near() else {
        return;
    };
    let thresholds = vectors.thresholds();
    let least = f32::midpoint(thresholds.related, thresholds.cluster_short);
    let is_near = |entry: &Entry| entry.row.words > 0 && is_short(entry.row.words as usize);
    let mut short = Vec::new();
    let mut places: HashMap<Slot, usize> = HashMap::new();
    let mut of = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if is_near(entry) && !twins.hidden.contains(&at) {
            if twins.has_seed(at, entries, seeds) {
                of.push(entry.slot);
            }
            places.insert(entry.slot, at);
            short.push(entry.clone());
        }
    }
    for note in vectors.neighbours(&short, &of, options.neighbours, least) {
        for near in note.near {
            let (a, b) = (places[&note.slot], places[&near.slot]);
            if fit(&entries[a], &entries[b]) {
                pairs.insert((a.min(b), a.max(b)), Some(near.cosine));
            }
        }
    }
    for ((a, b), cosine) in pairs.iter_mut().filter(|(_, cosine)| cosine.is_none()) {
        let (a, b) = (&entries[*a], &entries[*b]);
        if is_near(a) && is_near(b) {
            *cosine = vectors.cosine(a, b);
        }
    }
}

//! Candidate pairs: notes worth comparing, found without comparing all pairs.

use std::collections::hash_map;

use super::folders::FolderIndex;
use super::keeper::{KeeperCandidate, KeeperMeasure, compare_keepers};
use super::options::DedupeOptions;
use super::similarity::is_short;
use crate::jobs::boilerplate::{Boilerplate, MAX_SHARED_OWN_TEXT};
use crate::jobs::prelude::*;
use crate::note::front_matter::split::split;
use crate::note::front_matter::verbatim::mark_quoted_numbers;
use crate::note::names::filename::{
    conflict_original, day_of, is_machine_made, machine_made_words, meaningful_words_besides,
};
use crate::note::words::segments::SegmentHash;
use crate::note::{is_copy_of, is_daily, is_placeholder, is_template, normal_hash};
use crate::signals::property_merge::are_equivalent;

/// Maximum number of comparisons per note within a group of similar notes. Enough to find a copy, which is
/// adjacent in the order of body hashes, without all pairs of a thousand notes from one template.
pub(super) const MAX_COMPARISONS_PER_GROUP: usize = 8;

/// Minimum number of words; shorter untitled notes may have equal texts by chance.
const MIN_UNTITLED_WORDS: u32 = 8;

/// Minimum number of common rare sentences for a containment candidate.
const MIN_SHARED_SENTENCES: usize = 4;

/// Pairs of note positions, the smaller first, with their cosine where it is known.
pub(super) type Pairs = BTreeMap<(usize, usize), Option<f32>>;

/// Groups of notes with identical text, title, properties and day, each with one representative.
#[derive(Debug, Default)]
pub(super) struct Twins {
    others: BTreeMap<usize, Vec<usize>>,
    hidden: HashSet<usize>,
}

impl Twins {
    /// Returns the notes that `at` represents.
    pub(super) fn represented_by(&self, at: usize) -> &[usize] {
        self.others.get(&at).map_or(&[], Vec::as_slice)
    }

    /// Returns each representative with the notes that it represents.
    pub(super) fn groups(&self) -> impl Iterator<Item = (usize, &[usize])> {
        self.others
            .iter()
            .map(|(at, others)| (*at, others.as_slice()))
    }

    /// Returns the number of notes found equal to their representative in groups that contain a seed.
    pub(super) fn compared(&self, entries: &[Entry], seeds: &Seeds) -> usize {
        let classes = self.groups();
        let begun = classes.filter(|(at, _)| self.has_seed(*at, entries, seeds));
        begun.map(|(_, others)| others.len()).sum()
    }

    fn has_seed(&self, at: usize, entries: &[Entry], seeds: &Seeds) -> bool {
        let mut all = self.represented_by(at).iter().chain([&at]);
        all.any(|at| seeds.has(entries[*at].slot))
    }
}

/// Finds the twins among `entries`, except pairs that an answer keeps apart.
pub(super) fn twins(
    view: &View<'_>,
    entries: &[Entry],
    folders: &FolderIndex<'_>,
    answers: &Answers,
) -> Result<Twins> {
    let same = |at: &usize| (entries[*at].row.body, entries[*at].row.title);
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.retain(|at| {
        let row = &entries[*at].row;
        let is_distinctive = row.title != 0 || row.words >= MIN_UNTITLED_WORDS;
        row.body != 0 && is_distinctive && !row.flags.has(Flags::KEEP)
    });
    order.sort_unstable_by_key(|at| (same(at), *at));
    let mut found = Vec::new();
    for alike in order.chunk_by(|a, b| same(a) == same(b)) {
        if alike.len() < 2 {
            continue;
        }
        // The hashes ignore case, which may be the only difference of two texts.
        let mut classes: BTreeMap<_, Vec<(usize, Map<String, Value>)>> = BTreeMap::new();
        for at in alike {
            let entry = &entries[*at];
            let stem = entry.path.stem();
            let details = view.details(entry.slot)?;
            let name = meaningful_words_besides(stem, &details.title);
            let ids = if entry.row.title == 0 && !name.is_empty() {
                machine_made_words(stem)
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
            // Leading blanks may make the first line code.
            let body_text = text[split(&text).body].trim_start_matches(['\r', '\n']);
            let body = xxh3_64(body_text.trim_end().as_bytes());
            let mut properties = details.properties();
            mark_quoted_numbers(&mut properties, &text);
            let id = details.id.filter(|id| !is_machine_made(id));
            let title = details.titled.then_some(details.title);
            let event = is_event(&properties).then(|| day_of_statement(entry));
            let class = (title, name, ids, id, day, written.or(event), body);
            classes.entry(class).or_default().push((*at, properties));
        }
        let classes = classes
            .into_values()
            .flat_map(|class| split_by_properties(class, entries, folders));
        for class in classes.filter(|class| class.len() > 1) {
            let meaning = view.content_key(&entries[class[0]])?;
            let key = QuestionKey::new(QuestionKind::Merge, &vec![meaning; class.len()]);
            if answers.get(key) != Some(Answer::No) {
                found.push(class);
            }
        }
    }
    let mut twins = Twins::default();
    for class in without_boilerplate(view, entries, found)? {
        twins.add(view, entries, class)?;
    }
    Ok(twins)
}

/// Returns the groups whose text is not boilerplate.
fn without_boilerplate(
    view: &View<'_>,
    entries: &[Entry],
    classes: Vec<Vec<usize>>,
) -> Result<Vec<Vec<usize>>> {
    let mut read = Vec::new();
    for class in classes {
        // The next run handles a note that changed since it was indexed.
        if let Ok(text) = view.text(&entries[class[0]]) {
            read.push((class, text[split(&text).body].to_owned()));
        }
    }
    let bodies = read.iter().map(|(_, body)| body.as_str());
    let boilerplate = Boilerplate::learn(view, bodies)?;
    read.retain(|(_, body)| boilerplate.is_own(body));
    Ok(read.into_iter().map(|(class, _)| class).collect())
}

/// Returns the stated day on which a person wrote the note. `None` for notes by agents, which may record the
/// same fact on different days.
pub(super) fn day_written(entry: &Entry) -> Option<i64> {
    let stated = entry.row.stated().filter(|_| !entry.is_managed())?;
    Some(stated.as_second().div_euclid(86_400))
}

/// Removes the pairs that contain a replaced note.
pub(super) fn remove_replaced(view: &View<'_>, entries: &[Entry], pairs: &mut Pairs) -> Result<()> {
    let mut replaced: HashMap<usize, bool> = HashMap::new();
    for at in pairs.keys().flat_map(|(a, b)| [*a, *b]) {
        if let hash_map::Entry::Vacant(place) = replaced.entry(at) {
            place.insert(view.replaced_by(&entries[at])?.is_some());
        }
    }
    pairs.retain(|(a, b), _| !replaced[a] && !replaced[b]);
    Ok(())
}

/// Returns true if both notes are events of different days.
pub(super) fn are_events_of_different_days(view: &View<'_>, a: &Entry, b: &Entry) -> Result<bool> {
    let is_event =
        |entry: &Entry| Ok(is_event(&view.details(entry.slot)?.properties())) as Result<_>;
    Ok(day_of_statement(a) != day_of_statement(b) && is_event(a)? && is_event(b)?)
}

pub(super) fn is_event(properties: &Map<String, Value>) -> bool {
    text_of(properties, "type").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("event"))
}

/// Returns the date of a note as days since 1970, in UTC.
pub(super) fn day_of_statement(entry: &Entry) -> i64 {
    entry.row.created.div_euclid(86_400)
}

/// Splits notes into groups with compatible properties and no parallel folders.
fn split_by_properties(
    notes: Vec<(usize, Map<String, Value>)>,
    entries: &[Entry],
    folders: &FolderIndex<'_>,
) -> Vec<Vec<usize>> {
    let mut classes: Vec<(Map<String, Value>, Vec<usize>)> = Vec::new();
    for (at, properties) in notes {
        let agrees = |(first, class): &&mut (Map<String, Value>, Vec<usize>)| {
            are_equivalent(first, &properties)
                && !folders.are_parallel(&entries[class[0]], &entries[at])
        };
        match classes.iter_mut().find(agrees) {
            Some((_, class)) => class.push(at),
            None => classes.push((properties, vec![at])),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

impl Twins {
    fn add(&mut self, view: &View<'_>, entries: &[Entry], class: Vec<usize>) -> Result<()> {
        let name = |at: &&usize| (entries[**at].path.stem().len(), **at);
        let Some(plain) = class.iter().min_by_key(name).copied() else {
            return Ok(());
        };
        let mut linking = HashMap::new();
        for &at in &class {
            linking.insert(at, view.linking_to(&entries[at])?.len());
        }
        // All have the same text, so the word count does not matter.
        let candidate = |at: &usize| KeeperCandidate {
            entry: &entries[*at],
            is_copy: is_copy_of(entries[*at].path.stem(), entries[plain].path.stem()),
            measure: KeeperMeasure {
                words: 0,
                linking: linking[at],
            },
        };
        let first = class
            .iter()
            .min_by(|a, b| compare_keepers(candidate(a), candidate(b)))
            .copied()
            .unwrap_or(plain);
        let others: Vec<usize> = class.into_iter().filter(|at| *at != first).collect();
        self.hidden.extend(&others);
        self.others.insert(first, others);
        Ok(())
    }
}

/// Returns the candidate pairs of `entries` that contain a seed.
///
/// Two notes are candidates if they share a title, a band of their sketch or most of their rare sentences, if
/// both are short and near each other, or if a sync tool made one a copy of the other. Groups with a common band are
/// ordered by body hash, so that equal bodies are adjacent.
pub(super) fn pairs(
    view: &View<'_>,
    entries: &[Entry],
    twins: &Twins,
    seeds: &Seeds,
    options: &DedupeOptions,
) -> Result<Pairs> {
    let mut pairs = pairs_with_common_key(entries, twins, seeds);
    add_near_pairs(view, entries, twins, seeds, options, &mut pairs);
    add_containment_pairs(view, entries, twins, seeds, &mut pairs)?;
    add_conflict_copies(entries, twins, seeds, &mut pairs);
    Ok(pairs)
}

/// Adds the pairs in which a sync tool made one note as a copy of the other.
fn add_conflict_copies(entries: &[Entry], twins: &Twins, seeds: &Seeds, pairs: &mut Pairs) {
    let shown = || (0..entries.len()).filter(|at| !twins.hidden.contains(at));
    let mut copies: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for at in shown() {
        let path = &entries[at].path;
        if let Some(name) = conflict_original(path.stem()) {
            copies.entry((path.folder(), name)).or_default().push(at);
        }
    }
    for at in shown() {
        let path = &entries[at].path;
        for copy in copies
            .get(&(path.folder(), path.stem()))
            .into_iter()
            .flatten()
        {
            let has_seed = |at| twins.has_seed(at, entries, seeds);
            if has_seed(at) || has_seed(*copy) {
                pairs.entry((at.min(*copy), at.max(*copy))).or_insert(None);
            }
        }
    }
}

/// Returns true if a sync tool made `copy` of another version of `note`.
pub(super) fn is_conflict_copy(copy: &Entry, note: &Entry) -> bool {
    let (copy, note) = (&copy.path, &note.path);
    copy.folder() == note.folder() && conflict_original(copy.stem()) == Some(note.stem())
}

/// Adds pairs of longer notes in which one contains most rare sentences of the other.
fn add_containment_pairs(
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
    let mut holders: Vec<(SegmentHash, usize)> = Vec::new();
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
        if holders.len() <= MAX_SHARED_OWN_TEXT {
            for (place, (_, a)) in holders.iter().enumerate() {
                for (_, b) in &holders[place + 1..] {
                    *shared.entry((*a, *b)).or_default() += 1;
                }
            }
        }
    }
    for ((a, b), count) in shared {
        let most = counts[&a].min(counts[&b]);
        let is_seeded = twins.has_seed(a, entries, seeds) || twins.has_seed(b, entries, seeds);
        if is_seeded && count >= MIN_SHARED_SENTENCES && count * 2 >= most {
            pairs.entry((a, b)).or_insert(None);
        }
    }
    Ok(())
}

/// Returns the pairs with a common title or sketch band.
fn pairs_with_common_key(entries: &[Entry], twins: &Twins, seeds: &Seeds) -> Pairs {
    let representatives = || (0..entries.len()).filter(|at| !twins.hidden.contains(at));
    let of_seeds: Option<HashSet<(usize, u64)>> = match seeds {
        Seeds::All => None,
        Seeds::Of(_) => {
            let begun = representatives().filter(|at| twins.has_seed(*at, entries, seeds));
            Some(begun.flat_map(|at| match_keys(&entries[at])).collect())
        }
    };
    // All copies of a seed are compared, so that they are one question in every run.
    let seeded_bodies: HashSet<u64> = representatives()
        .filter(|at| twins.has_seed(*at, entries, seeds))
        .map(|at| entries[at].row.body)
        .collect();
    let mut crowds: Vec<(usize, u64, u64, usize)> = Vec::new();
    for at in representatives() {
        let marks = match_keys(&entries[at])
            .filter(|mark| of_seeds.as_ref().is_none_or(|of| of.contains(mark)));
        crowds.extend(marks.map(|(place, value)| (place, value, entries[at].row.body, at)));
    }
    crowds.sort_unstable();
    let mut pairs = Pairs::new();
    for crowd in crowds.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for (place, (_, _, _, a)) in crowd.iter().enumerate() {
            for (_, _, _, b) in crowd.iter().skip(place + 1).take(MAX_COMPARISONS_PER_GROUP) {
                let is_seed = |at: &usize| twins.has_seed(*at, entries, seeds);
                let [first, second] = [a, b].map(|at| &entries[*at]);
                let is_copy =
                    first.row.body == second.row.body && seeded_bodies.contains(&first.row.body);
                if (is_copy || is_seed(a) || is_seed(b)) && have_similar_length(first, second) {
                    pairs.insert((*a.min(b), *a.max(b)), None);
                }
            }
        }
    }
    pairs
}

/// Returns the keys on which two notes may match: the sketch bands and the name.
fn match_keys(entry: &Entry) -> impl Iterator<Item = (usize, u64)> {
    let bands = entry.row.bands.map(u64::from).into_iter();
    let marks = bands.chain([name_hash(entry)]).enumerate();
    marks.filter(|(_, value)| *value != 0)
}

/// Returns the hash of the explicit title, else of the file name.
fn name_hash(entry: &Entry) -> u64 {
    match entry.row.title {
        0 => normal_hash(entry.path.stem()),
        title => title,
    }
}

/// Returns false if the lengths differ too much for the same text.
fn have_similar_length(a: &Entry, b: &Entry) -> bool {
    let is_titled = a.row.title != 0 || b.row.title != 0;
    let same_name = is_titled && name_hash(a) == name_hash(b);
    let (a, b) = (&a.row, &b.row);
    same_name || a.words.min(b.words) * 2 >= a.words.max(b.words)
}

/// Adds pairs of near short notes, and the cosines of all pairs of short notes.
fn add_near_pairs(
    view: &View<'_>,
    entries: &[Entry],
    twins: &Twins,
    seeds: &Seeds,
    options: &DedupeOptions,
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
            if have_similar_length(&entries[a], &entries[b]) {
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

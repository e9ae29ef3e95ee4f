//! Texts that name another note and do not link to it.
//!
//! A name is a title or an alias that one note alone goes by; one that says little, as a single word
//! does, must stand there as it is written. It is no mention where it stands all over the vault, as a
//! common word does, or where the same word is often written in another way. Only the first place in a
//! text is proposed, and only as a question: that a word is the name of a note does not say that the note
//! is meant.
//!
//! All texts are looked through for all names at once. Where only some notes are new, their texts are
//! looked through for all names, and for their names the texts that have them by the text index.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::cache::CacheError;
use crate::cache::row::Slot;
use crate::finding::Finding;
use crate::finding::act::Act;
use crate::finding::question::{Answer, Answers, Kind, QuestionKey};
use crate::jobs::find::{Findings, Seeds};
use crate::note::mention::RunningText;
use crate::note::names::{Name, Names};
use crate::note::{hash, split};
use crate::view::remap::is_wikilink_target;
use crate::view::{Entry, TextError, View};

/// A name that stands in a larger share of the notes, and in more than [`FEW`], is a common word.
const COMMON: f64 = 0.02;

/// In how many notes any name may stand.
const FEW: usize = 5;

/// A word that is written otherwise in so many of the notes that have it is a common word.
const OTHERWISE: f64 = 0.25;

/// Notes by which it is told how a word is usually written, where not all are read.
const SAMPLE: usize = 40;

/// How likely it is that a telling name means the note, and that one does which says little.
const WEIGHTS: [f32; 2] = [0.7, 0.5];

/// Mentions in one text that are told at a time.
const MOST: usize = 50;

/// All names of the vault and whose they are.
struct NameIndex {
    names: Vec<(Name, Slot)>,
    index: Names,
    /// Names that several notes go by.
    ambiguous: HashSet<u32>,
}

impl NameIndex {
    fn of(view: &View<'_>, entries: &[Entry]) -> Result<Self, CacheError> {
        let mut names = Vec::new();
        for entry in entries {
            let own = view.reading().names(entry.slot)?;
            let own = own.iter().filter_map(|name| Name::of(name));
            names.extend(own.map(|name| (name, entry.slot)));
        }
        let index = Names::of(names.iter().map(|(name, _)| name.text.as_str()));
        let mut ambiguous = HashSet::new();
        for (number, first) in index.repeated() {
            if names[*number as usize].1 != names[*first as usize].1 {
                ambiguous.insert(*first);
            }
        }
        Ok(Self {
            names,
            index,
            ambiguous,
        })
    }

    fn get(&self, number: u32) -> (&Name, Slot) {
        let (name, owner) = &self.names[number as usize];
        (name, *owner)
    }
}

/// How a name stands in a text.
#[derive(Clone, Copy, Debug, Default)]
struct Spelling {
    as_written: bool,
    otherwise: bool,
}

/// How many notes have a name, and how many only or also in another spelling.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    held: usize,
    otherwise: usize,
}

impl Spread {
    fn is_common(self, name: &Name, most: usize) -> bool {
        self.held > most
            || name.is_literal() && self.otherwise as f64 > OTHERWISE * self.held as f64
    }
}

/// Returns the names in a text with how they stand there.
fn spelling(known: &NameIndex, text: &str) -> BTreeMap<u32, Spelling> {
    let body = &text[split::split(text).body];
    let mut found: BTreeMap<u32, Spelling> = BTreeMap::new();
    for (number, span) in known.index.in_text(body) {
        let (name, _) = known.get(number);
        let spelling = found.entry(number).or_default();
        if name.is_written(&body[span]) {
            spelling.as_written = true;
        } else {
            spelling.otherwise = true;
        }
    }
    found
}

/// Adds the mentions in and of `entries` to `findings`, in the order of paths.
pub(super) fn find(
    view: &View<'_>,
    entries: &[Entry],
    answers: &Answers,
    seeds: &Seeds,
    findings: &mut Findings,
) -> Result<(), CacheError> {
    let known = NameIndex::of(view, entries)?;
    let indices: HashMap<Slot, usize> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| (entry.slot, index))
        .collect();
    let most = FEW.max((entries.len() as f64 * COMMON) as usize);
    let mentions = match seeds {
        Seeds::Of(_) if view.has_text_index() => {
            some(view, entries, &known, seeds, most, findings)?
        }
        _ => all(view, entries, &known, seeds, most, findings),
    };
    // A note may be named by several of its names: the one that stands first counts.
    let mut sought: BTreeMap<(usize, Slot), Vec<u32>> = BTreeMap::new();
    for (slot, number) in mentions {
        let (_, owner) = known.get(number);
        let is_begun = seeds.has(slot) || seeds.has(owner);
        if let Some(index) = indices.get(&slot)
            && is_begun
            && owner != slot
            && !known.ambiguous.contains(&number)
        {
            sought.entry((*index, owner)).or_default().push(number);
        }
    }
    findings.compared += sought.len();
    let mut wanted: BTreeMap<usize, Vec<Sought>> = BTreeMap::new();
    for ((index, owner), numbers) in sought {
        let (entry, target) = (&entries[index], &entries[indices[&owner]]);
        if !view.links_to(entry, target)? && is_wikilink_target(&view.wikilink_target(target)?) {
            let names = numbers.iter().map(|number| known.get(*number).0).collect();
            let sought = Sought { target, names };
            wanted.entry(index).or_default().push(sought);
        }
    }
    let texts: Vec<Entry> = wanted.keys().map(|index| entries[*index].clone()).collect();
    let sought: Vec<&[Sought]> = wanted.values().map(Vec::as_slice).collect();
    let indices: HashMap<Slot, usize> = texts
        .iter()
        .enumerate()
        .map(|(index, entry)| (entry.slot, index))
        .collect();
    let found = view.each_text(&texts, |entry, text| {
        found(text, entry, sought[indices[&entry.slot]])
    });
    for (entry, found) in texts.iter().zip(found) {
        let found: Vec<Found> = read_or_skipped(found, &mut findings.skipped).unwrap_or_default();
        for found in found {
            let finding = finding(view, entry, &found)?;
            if finding.answer(answers) != Some(Answer::No) {
                findings.found.push(finding);
            }
        }
    }
    Ok(())
}

/// A note that a text may name.
struct Sought<'n> {
    target: &'n Entry,
    /// Those of its names that are said to stand there.
    names: Vec<&'n Name>,
}

/// A name of a note in running text.
struct Found<'n> {
    target: &'n Entry,
    name: &'n Name,
    /// The hash of its line, as a reader sees it.
    line: u64,
    /// The name with what stands around it.
    around: String,
}

/// Looks for all names in all texts.
fn all(
    view: &View<'_>,
    entries: &[Entry],
    known: &NameIndex,
    seeds: &Seeds,
    most: usize,
    findings: &mut Findings,
) -> Vec<(Slot, u32)> {
    let texts = view.each_text(entries, |_, text| spelling(known, text));
    let mut spread = vec![Spread::default(); known.names.len()];
    let mut found = Vec::new();
    for (entry, text) in entries.iter().zip(texts) {
        for (number, spelling) in read_or_skipped(text, &mut findings.skipped).unwrap_or_default() {
            let spread = &mut spread[number as usize];
            spread.held += 1;
            spread.otherwise += usize::from(spelling.otherwise);
            let (_, owner) = known.get(number);
            if spelling.as_written && (seeds.has(entry.slot) || seeds.has(owner)) {
                found.push((entry.slot, number));
            }
        }
    }
    found.retain(|(_, number)| !spread[*number as usize].is_common(known.get(*number).0, most));
    found
}

/// Looks for all names in the texts of the seeds, and for their names in all texts.
fn some(
    view: &View<'_>,
    entries: &[Entry],
    known: &NameIndex,
    seeds: &Seeds,
    most: usize,
    findings: &mut Findings,
) -> Result<Vec<(Slot, u32)>, CacheError> {
    let begun: Vec<Entry> = entries
        .iter()
        .filter(|entry| seeds.has(entry.slot))
        .cloned()
        .collect();
    let texts = view.each_text(&begun, |_, text| spelling(known, text));
    let mut found = Vec::new();
    for (entry, text) in begun.iter().zip(texts) {
        for (number, spelling) in read_or_skipped(text, &mut findings.skipped).unwrap_or_default() {
            if spelling.as_written && known.get(number).1 != entry.slot {
                found.push((entry.slot, number));
            }
        }
    }
    let mut numbers: Vec<u32> = found.iter().map(|(_, number)| *number).collect();
    let own = known.names.iter().enumerate();
    numbers.extend(
        own.filter(|(_, (_, owner))| seeds.has(*owner))
            .map(|(number, _)| number as u32),
    );
    numbers.sort_unstable();
    numbers.dedup();
    let mut common = HashSet::new();
    for number in numbers {
        let (name, owner) = known.get(number);
        let holding = view.with_phrase(&name.text)?;
        let mut spread = Spread {
            held: holding.len(),
            otherwise: 0,
        };
        let is_own = seeds.has(owner);
        if !spread.is_common(name, most) && (name.is_literal() || is_own) {
            let mut holding = holding;
            if !is_own {
                holding.truncate(SAMPLE);
            }
            let mut held = Vec::new();
            for slot in holding {
                held.extend(view.entry(slot)?);
            }
            let texts = view.each_text(&held, |_, text| spelling(known, text));
            spread.held = 0;
            for (entry, text) in held.iter().zip(texts) {
                let spelling = text.ok().and_then(|mut spelling| spelling.remove(&number));
                if let Some(spelling) = spelling {
                    spread.held += 1;
                    spread.otherwise += usize::from(spelling.otherwise);
                    if is_own && spelling.as_written {
                        found.push((entry.slot, number));
                    }
                }
            }
        }
        if spread.is_common(name, most) {
            common.insert(number);
        }
    }
    found.retain(|(_, number)| !common.contains(number));
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn read_or_skipped<T>(read: Result<T, TextError>, skipped: &mut Vec<String>) -> Option<T> {
    read.map_err(|error| skipped.extend(error.skipped())).ok()
}

/// Returns the notes of `sought` that the text names, in its order, where each is first.
fn found<'n>(text: &str, entry: &Entry, sought: &[Sought<'n>]) -> Vec<Found<'n>> {
    let running = RunningText::of(text, entry.path.stem());
    let names: Vec<(&Name, usize)> = sought
        .iter()
        .enumerate()
        .flat_map(|(at, sought)| sought.names.iter().map(move |name| (*name, at)))
        .collect();
    let index = Names::of(names.iter().map(|(name, _)| name.text.as_str()));
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for (number, span) in running.mentions(&index) {
        let (name, at) = names[number as usize];
        if name.is_written(&text[span.clone()]) && seen.insert(at) {
            found.push(Found {
                target: sought[at].target,
                name,
                line: running.line(&span),
                around: running.excerpt(&span),
            });
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// Returns the question whether `line` of `entry` means `target`, regardless of what else is written or linked
/// around it.
fn question(
    view: &View<'_>,
    entry: &Entry,
    line: u64,
    target: &Entry,
) -> Result<QuestionKey, CacheError> {
    let title = |entry: &Entry| -> Result<u64, CacheError> {
        Ok(hash::normal_hash(&view.details(entry.slot)?.title))
    };
    // Turned by different amounts, the two are never taken for each other.
    let meanings = [
        title(entry)?.rotate_left(1) ^ line,
        title(target)?.rotate_left(2),
    ];
    Ok(QuestionKey::new(Kind::Mention, &meanings))
}

fn finding(view: &View<'_>, entry: &Entry, found: &Found<'_>) -> Result<Finding, CacheError> {
    Ok(Finding {
        key: question(view, entry, found.line, found.target)?,
        notes: vec![entry.path.clone(), found.target.path.clone()],
        acts: vec![Act::LinkMention {
            note: entry.path.clone(),
            to: found.target.path.clone(),
            name: found.name.text.clone(),
            line: found.line,
        }],
        weight: WEIGHTS[usize::from(found.name.is_literal())],
        certain: false,
        reason: format!("text: \"{}\"", found.around),
        quotes: Vec::new(),
        turned: false,
    })
}

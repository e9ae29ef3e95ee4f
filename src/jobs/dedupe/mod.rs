//! `dedupe`: finds notes that say the same and merges them into one.
//!
//! Candidates share a band of their wording's sketch or an explicit title; then the texts decide:
//!
//! | pair | what happens |
//! |---|---|
//! | wording overlaps by ≥ 0.9, same numbers, same negations, no two different given titles | certain |
//! | the same with two different given titles, or a note with `keep` | question |
//! | wording overlaps by ≥ 0.6, same numbers, same negations | question |
//! | equal given titles, and most of the one is contained in the other, however much that adds | question |
//! | alike but for numbers or negations | left alone: a revision or a contradiction, not a copy |
//!
//! Each note takes part in one merge per run, so that nothing is decided about a text that is about
//! to change. The keeper: one with `keep`, then the higher tier, then the one of which the other is
//! named a copy, then more words, then the later change, then the path. What the merge keeps is in
//! [`merge`].

mod candidates;
mod merge;
mod properties;

use std::collections::{HashMap, HashSet};

use crate::cache::CacheError;
use crate::cache::row::{Flags, Row, Slot, Tier};
use crate::note;
use crate::note::wording::Wording;
use crate::view::plan::Proposal;
use crate::view::question::{Answer, Answers, Kind, QuestionKey};
use crate::view::{Entry, TextError, View};

/// Wording that overlaps by this much is the same text.
const SAME: f64 = 0.9;

/// Wording that overlaps by this much is worth a question.
const ALIKE: f64 = 0.6;

/// With equal titles, a text whose wording is this far contained in the other is worth a question.
const CONTAINED: f64 = 0.7;

/// A shorter body than this says too little to be known by its wording; a title must agree.
const TELLING: u32 = 8;

/// What to look at.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only pairs of which one is here; `None` for all.
    pub among: Option<HashSet<Slot>>,
    /// Propose at most so many groups.
    pub limit: Option<usize>,
}

/// What the job found.
#[derive(Debug, Default)]
pub struct Findings {
    /// What it proposes, in the order of the keepers' paths.
    pub proposals: Vec<Proposal>,
    /// Pairs that were compared.
    pub compared: usize,
    /// Notes that could not be read, and why; they take no part.
    pub skipped: Vec<String>,
}

/// How two notes relate.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// Rules alone say that they are the same.
    Certain(f64),
    /// Somebody has to look.
    Likely(f64),
    /// Most of the one, by this share, stands in the other: somebody has to look.
    Contained(f64),
    Different,
}

/// A note that is a candidate, with its text read.
struct Candidate {
    entry: Entry,
    text: String,
    wording: Wording,
}

/// Proposes merges.
pub fn plan(view: &View<'_>, answers: &Answers, options: &Options) -> Result<Findings, CacheError> {
    let entries: Vec<Entry> = view
        .entries()?
        .into_iter()
        .filter(|entry| entry.row.flags.tier() != Tier::Forgotten)
        .filter(|entry| !entry.row.flags.has(Flags::UNREADABLE))
        .collect();
    let mut pairs = candidates::pairs(&entries);
    if let Some(among) = &options.among {
        pairs.retain(|(a, b)| {
            among.contains(&entries[*a].slot) || among.contains(&entries[*b].slot)
        });
    }
    let mut findings = Findings::default();
    let mut read: HashMap<usize, Option<Candidate>> = HashMap::new();
    let mut judged = Vec::new();
    for (a, b) in pairs {
        for at in [a, b] {
            read.entry(at)
                .or_insert_with(|| candidate(view, &entries[at], &mut findings.skipped));
        }
        let (Some(Some(first)), Some(Some(second))) = (read.get(&a), read.get(&b)) else {
            continue;
        };
        findings.compared += 1;
        let key = QuestionKey::new(
            Kind::Merge,
            &[view.meaning(&first.entry)?, view.meaning(&second.entry)?],
        );
        match (verdict(first, second), answers.get(key)) {
            (Verdict::Different, _) | (_, Some(Answer::No)) => {}
            (verdict, _) => judged.push((a, b, verdict)),
        }
    }
    for cluster in clusters(&entries, &judged) {
        if options
            .limit
            .is_some_and(|limit| findings.proposals.len() >= limit)
        {
            break;
        }
        let find = |at: &usize| read.get(at).and_then(Option::as_ref);
        let (Some(keeper), losers) = (
            find(&cluster.keeper),
            cluster.losers.iter().filter_map(find).collect::<Vec<_>>(),
        ) else {
            continue;
        };
        let mut meanings = vec![view.meaning(&keeper.entry)?];
        for loser in &losers {
            meanings.push(view.meaning(&loser.entry)?);
        }
        let key = QuestionKey::new(Kind::Merge, &meanings);
        if answers.get(key) == Some(Answer::No) {
            continue;
        }
        let notes = std::iter::once(keeper).chain(losers.iter().copied());
        let notes = notes.map(|note| note.entry.path.clone()).collect();
        match merge::group(view, keeper, &losers, &cluster.reason, key) {
            Ok(group) => findings.proposals.push(Proposal {
                key,
                kind: Kind::Merge,
                notes,
                group,
                certain: cluster.certain,
            }),
            Err(merge::MergeError::Cache(error)) => return Err(error),
            Err(error) => findings.skipped.push(error.to_string()),
        }
    }
    findings.proposals.sort_by(|a, b| a.notes.cmp(&b.notes));
    Ok(findings)
}

fn candidate(view: &View<'_>, entry: &Entry, skipped: &mut Vec<String>) -> Option<Candidate> {
    match view.text(entry) {
        Ok(text) => {
            let body = note::read(&text, entry.path.stem()).body;
            let wording = Wording::of(&text[body]);
            Some(Candidate {
                entry: entry.clone(),
                text,
                wording,
            })
        }
        Err(error) => {
            // A note that is being edited right now is looked at next time, without a word.
            if !matches!(error, TextError::Changed(_)) {
                skipped.push(error.to_string());
            }
            None
        }
    }
}

fn verdict(a: &Candidate, b: &Candidate) -> Verdict {
    let (first, second) = (&a.entry.row, &b.entry.row);
    let same_title = first.title != 0 && first.title == second.title;
    let other_title = first.title != 0 && second.title != 0 && first.title != second.title;
    let keep = u8::from(first.flags.has(Flags::KEEP)) + u8::from(second.flags.has(Flags::KEEP));
    if keep == 2 || (!same_title && first.words.min(second.words) < TELLING) {
        return Verdict::Different;
    }
    let overlap = a.wording.overlap(&b.wording);
    let facts = a.wording.agrees_on_facts(&b.wording);
    if facts && overlap >= SAME && !other_title && keep == 0 {
        Verdict::Certain(overlap)
    } else if overlap >= ALIKE {
        // Alike texts of one title may add facts; what contradicts is no copy.
        if facts || same_title && a.wording.nests_facts(&b.wording) {
            Verdict::Likely(overlap)
        } else {
            Verdict::Different
        }
    } else {
        let contained = a.wording.containment(&b.wording);
        if same_title && contained >= CONTAINED {
            Verdict::Contained(contained)
        } else {
            Verdict::Different
        }
    }
}

/// Notes that become one.
#[derive(Debug)]
struct Cluster {
    keeper: usize,
    losers: Vec<usize>,
    certain: bool,
    reason: String,
}

/// Forms merges so that each note takes part in at most one: first the certain pairs, gathered
/// around the best keeper, then the likely ones among the notes that are left.
fn clusters(entries: &[Entry], judged: &[(usize, usize, Verdict)]) -> Vec<Cluster> {
    let mut taken = vec![false; entries.len()];
    let mut clusters = Vec::new();
    let mut certain: HashMap<usize, Vec<(usize, f64)>> = HashMap::new();
    for (a, b, verdict) in judged {
        if let Verdict::Certain(overlap) = verdict {
            certain.entry(*a).or_default().push((*b, *overlap));
            certain.entry(*b).or_default().push((*a, *overlap));
        }
    }
    let mut keepers: Vec<(bool, usize)> = certain
        .iter()
        .map(|(at, others)| {
            let is_copy = others
                .iter()
                .any(|(other, _)| is_copy_of(&entries[*at], &entries[*other]));
            (is_copy, *at)
        })
        .collect();
    keepers.sort_by(|(a_is_copy, a), (b_is_copy, b)| {
        better((&entries[*a], *a_is_copy), (&entries[*b], *b_is_copy))
    });
    for (_, keeper) in keepers {
        if taken[keeper] {
            continue;
        }
        let mut losers: Vec<(usize, f64)> = certain[&keeper]
            .iter()
            .filter(|(loser, _)| !taken[*loser])
            .copied()
            .collect();
        if losers.is_empty() {
            continue;
        }
        losers.sort_unstable_by_key(|(loser, _)| *loser);
        let least = losers
            .iter()
            .map(|(_, overlap)| *overlap)
            .fold(1.0, f64::min);
        let losers: Vec<usize> = losers.into_iter().map(|(loser, _)| loser).collect();
        for note in losers.iter().chain([&keeper]) {
            taken[*note] = true;
        }
        let reason = reason(entries, keeper, &losers, least);
        clusters.push(Cluster {
            keeper,
            losers,
            certain: true,
            reason,
        });
    }
    let mut likely: Vec<(usize, usize, f64, bool)> = judged
        .iter()
        .filter_map(|(a, b, verdict)| match verdict {
            Verdict::Likely(overlap) => Some((*a, *b, *overlap, false)),
            Verdict::Contained(share) => Some((*a, *b, *share, true)),
            Verdict::Certain(_) | Verdict::Different => None,
        })
        .collect();
    // The most alike first; what is only contained after them.
    likely.sort_by(|(a, b, x, within), (c, d, y, other)| {
        within
            .cmp(other)
            .then(y.total_cmp(x))
            .then((a, b).cmp(&(c, d)))
    });
    for (a, b, share, contained) in likely {
        if taken[a] || taken[b] {
            continue;
        }
        (taken[a], taken[b]) = (true, true);
        let (first, second) = (&entries[a], &entries[b]);
        let order = better(
            (first, is_copy_of(first, second)),
            (second, is_copy_of(second, first)),
        );
        let (keeper, loser) = if order.is_le() { (a, b) } else { (b, a) };
        let reason = if entries[keeper].row.words.min(entries[loser].row.words) == 0 {
            "same title, and one of them is empty".to_owned()
        } else if contained {
            let share = (share * 100.0).floor();
            format!("same title, {share:.0} % of the shorter one stands in the longer one")
        } else {
            reason(entries, keeper, &[loser], share)
        };
        clusters.push(Cluster {
            keeper,
            losers: vec![loser],
            certain: false,
            reason,
        });
    }
    clusters
}

fn reason(entries: &[Entry], keeper: usize, losers: &[usize], overlap: f64) -> String {
    let keeper = &entries[keeper].row;
    let all = |same: &dyn Fn(&Row) -> bool| losers.iter().all(|loser| same(&entries[*loser].row));
    if all(&|loser| loser.body == keeper.body) {
        return "same text".to_owned();
    }
    let same_title = all(&|loser| loser.title == keeper.title) && keeper.title != 0;
    let titles = if same_title { "same title, " } else { "" };
    let share = (overlap * 100.0).floor();
    format!("{titles}{share:.0} % of the wording is the same")
}

/// Orders notes, each with whether it is named like a copy of another, by who is kept: the better
/// one first.
fn better((a, a_is_copy): (&Entry, bool), (b, b_is_copy): (&Entry, bool)) -> std::cmp::Ordering {
    let keep = |entry: &Entry| std::cmp::Reverse(entry.row.flags.has(Flags::KEEP));
    let tier = |entry: &Entry| std::cmp::Reverse(entry.row.flags.tier());
    let words = |entry: &Entry| std::cmp::Reverse(entry.row.words);
    let time = |entry: &Entry| std::cmp::Reverse(entry.row.stat.mtime_ns);
    keep(a)
        .cmp(&keep(b))
        .then_with(|| tier(a).cmp(&tier(b)))
        .then(a_is_copy.cmp(&b_is_copy))
        .then_with(|| words(a).cmp(&words(b)))
        .then_with(|| time(a).cmp(&time(b)))
        .then_with(|| a.path.as_str().len().cmp(&b.path.as_str().len()))
        .then_with(|| a.path.cmp(&b.path))
}

/// Returns true if `a` is named like a copy of `b`: `Tea (conflicted copy …)`, `Tea 1`, `Tea copy`.
fn is_copy_of(a: &Entry, b: &Entry) -> bool {
    a.path
        .stem()
        .strip_prefix(b.path.stem())
        .is_some_and(|rest| {
            rest.starts_with([' ', '(', '-', '.', '_', '~']) && !rest.trim().is_empty()
        })
}

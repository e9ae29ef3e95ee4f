//! Combines judged pairs into merges of several notes and questions about two.

use super::keeper::{KeeperCandidate, KeeperMeasure, compare_keepers};
use super::similarity::SimilarityVerdict;
use crate::cache::Row;
use crate::jobs::prelude::*;
use crate::note::names::filename;

use super::candidates::{MAX_COMPARISONS_PER_GROUP, Twins};

/// Two notes that are not different.
#[derive(Clone, Copy, Debug)]
pub(super) struct JudgedPair {
    /// Positions of the notes.
    pub(super) notes: (usize, usize),
    /// Relation of the two notes.
    pub(super) verdict: SimilarityVerdict,
    /// Whether the texts are the same.
    pub(super) are_copies: bool,
    /// True if an answer confirms that they are the same.
    pub(super) is_confirmed: bool,
}

/// Similarity of two versions that a sync tool kept; their texts may differ in everything.
const WEIGHT_OF_VERSIONS: f64 = 0.5;

/// Maximum similarity of notes with different texts; only copies have 1.
const MAX_WEIGHT_OF_SIMILAR: f64 = 0.99;

/// Notes to merge into one.
#[derive(Debug)]
pub(super) struct Cluster {
    /// Position of the note that is kept.
    pub(super) keeper: usize,
    /// Positions of the notes that are merged into it.
    pub(super) losers: Vec<usize>,
    /// True if fixed rules alone decide the merge.
    pub(super) certain: bool,
    /// Similarity, 0–1.
    pub(super) weight: f32,
    /// Reason in one line.
    pub(super) reason: String,
    /// Key of the question; `None` derives it from the texts of the notes.
    pub(super) key: Option<QuestionKey>,
}

impl Cluster {
    /// Returns the keeper, then the others.
    pub(super) fn notes(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.keeper).chain(self.losers.iter().copied())
    }
}

/// Forms certain merges around the best keepers, then questions about likely pairs of the remaining notes.
///
/// Questions form a spanning forest, so that no answer is redundant. Similarity to a third note never merges
/// notes that are `apart` or whose pair needs a question.
pub(super) fn clusters(
    entries: &[Entry],
    twins: &Twins,
    seeds: &Seeds,
    pairs: &[JudgedPair],
    apart: &HashSet<(usize, usize)>,
    is_rejected: impl Fn(usize, usize) -> bool,
    measure: impl Fn(usize) -> KeeperMeasure,
) -> Vec<Cluster> {
    let mut builder = ClusterBuilder {
        entries,
        measure: &measure,
        twins,
        apart,
        is_rejected: &is_rejected,
        taken: vec![false; entries.len()],
        clusters: Vec::new(),
    };
    builder.add_certain(seeds, pairs);
    let joined = builder.add_copies(pairs);
    builder.add_likely(pairs, joined);
    builder.clusters
}

struct ClusterBuilder<'a> {
    entries: &'a [Entry],
    measure: &'a dyn Fn(usize) -> KeeperMeasure,
    twins: &'a Twins,
    apart: &'a HashSet<(usize, usize)>,
    /// Whether an answer keeps two notes apart, also if they are not compared in this run.
    is_rejected: &'a dyn Fn(usize, usize) -> bool,
    /// Notes that already take part in a merge.
    taken: Vec<bool>,
    clusters: Vec<Cluster>,
}

impl ClusterBuilder<'_> {
    fn keeper_candidate(&self, at: usize, is_copy: bool) -> KeeperCandidate<'_> {
        KeeperCandidate {
            entry: &self.entries[at],
            is_copy,
            measure: (self.measure)(at),
        }
    }

    fn add_certain(&mut self, seeds: &Seeds, pairs: &[JudgedPair]) {
        let mut certain: HashMap<usize, Vec<(usize, f64)>> = HashMap::new();
        let mut unsure = HashSet::new();
        for pair in pairs {
            let (a, b) = pair.notes;
            if let SimilarityVerdict::Certain(overlap) = pair.verdict {
                certain.entry(a).or_default().push((b, overlap));
                certain.entry(b).or_default().push((a, overlap));
            } else {
                unsure.insert(pair.notes);
            }
        }
        for (first, others) in self.twins.groups() {
            let all = || others.iter().chain([&first]);
            if all().any(|at| seeds.has(self.entries[*at].slot)) {
                certain.entry(first).or_default();
            }
        }
        let is_copy = |at: usize, of: usize| is_marked(&self.entries[at], &self.entries[of]);
        let mut keepers: Vec<(bool, usize)> = certain
            .iter()
            .map(|(at, others)| {
                let mut others = others.iter();
                (others.any(|(other, _)| is_copy(*at, *other)), *at)
            })
            .collect();
        keepers.sort_by(|(a_is_copy, a), (b_is_copy, b)| {
            compare_keepers(
                self.keeper_candidate(*a, *a_is_copy),
                self.keeper_candidate(*b, *b_is_copy),
            )
        });
        for (_, keeper) in keepers {
            if self.taken[keeper] {
                continue;
            }
            let mut free = certain[&keeper].clone();
            free.retain(|(at, _)| !self.taken[*at]);
            free.sort_unstable_by_key(|(at, _)| *at);
            let mut others: Vec<(usize, f64)> = Vec::new();
            for (at, overlap) in free {
                let is_apart = |(other, _): &(usize, f64)| {
                    let pair = (at.min(*other), at.max(*other));
                    // `Tea 1` and `Tea 2` are both copies of `Tea`, even if they are only likely to be the same.
                    let [a, b] = [at, *other].map(|copy| &self.entries[copy]);
                    let kept = &self.entries[keeper];
                    let are_copies = is_copy_of(a, kept) && is_copy_of(b, kept);
                    self.apart.contains(&pair) || unsure.contains(&pair) && !are_copies
                };
                if !others.iter().any(is_apart) {
                    others.push((at, overlap));
                }
            }
            let overlaps = others.iter().map(|(_, overlap)| *overlap);
            let least = overlaps.fold(1.0, f64::min);
            let mut losers: Vec<usize> = self.twins.represented_by(keeper).to_vec();
            for (at, _) in others {
                losers.push(at);
                losers.extend(self.twins.represented_by(at));
            }
            if losers.is_empty() {
                continue;
            }
            losers.sort_unstable();
            for note in losers.iter().chain([&keeper]) {
                self.taken[*note] = true;
            }
            let reason = reason(
                self.entries,
                keeper,
                &losers,
                SimilarityVerdict::Certain(least),
            );
            self.clusters.push(Cluster {
                keeper,
                losers,
                certain: true,
                weight: least as f32,
                reason,
                key: None,
            });
        }
    }

    /// Adds one question for each group of three or more copies; returns the notes that are joined.
    ///
    /// More than [`MAX_COMPARISONS_PER_GROUP`] copies are notes of a template, and are not asked about.
    fn add_copies(&mut self, pairs: &[JudgedPair]) -> UnionFind {
        let mut groups = UnionFind::default();
        for pair in pairs
            .iter()
            .filter(|pair| pair.are_copies && !pair.is_confirmed)
        {
            let (a, b) = pair.notes;
            if !self.taken[a] && !self.taken[b] {
                groups.join(a, b);
            }
        }
        let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let grouped = pairs.iter().flat_map(|pair| [pair.notes.0, pair.notes.1]);
        for at in grouped.collect::<BTreeSet<usize>>() {
            members.entry(groups.root(at)).or_default().push(at);
        }
        let mut joined = UnionFind::default();
        for group in members.into_values().filter(|group| group.len() > 2) {
            let is_template = group.len() > MAX_COMPARISONS_PER_GROUP;
            let mut places = group.iter().enumerate();
            let is_apart = places.any(|(place, a)| {
                let mut others = group[place + 1..].iter();
                others.any(|b| {
                    self.apart.contains(&(*a, *b)) || !is_template && (self.is_rejected)(*a, *b)
                })
            });
            if is_apart {
                continue;
            }
            for other in &group[1..] {
                joined.join(group[0], *other);
            }
            if is_template {
                continue;
            }
            let is_copy = |at: usize| {
                let mut others = group.iter().filter(|other| **other != at);
                others.any(|other| is_marked(&self.entries[at], &self.entries[*other]))
            };
            let candidate = |at: usize| self.keeper_candidate(at, is_copy(at));
            let best = group
                .iter()
                .copied()
                .min_by(|a, b| compare_keepers(candidate(*a), candidate(*b)));
            let Some(keeper) = best else { continue };
            let losers: Vec<usize> = group.into_iter().filter(|at| *at != keeper).collect();
            self.clusters.push(Cluster {
                reason: reason(self.entries, keeper, &losers, SimilarityVerdict::Copy),
                keeper,
                losers,
                certain: false,
                weight: 1.0,
                key: None,
            });
        }
        joined
    }

    fn add_likely(&mut self, pairs: &[JudgedPair], mut joined: UnionFind) {
        let mut likely: Vec<(&JudgedPair, u8, f64)> = pairs
            .iter()
            .filter_map(|pair| match pair.verdict {
                SimilarityVerdict::Copy => Some((pair, 0, 1.0)),
                SimilarityVerdict::Likely(share) => Some((pair, 0, share)),
                SimilarityVerdict::Alike(share) => Some((pair, 1, share)),
                SimilarityVerdict::Contained(share) => Some((pair, 2, share)),
                SimilarityVerdict::Versions => Some((pair, 3, WEIGHT_OF_VERSIONS)),
                SimilarityVerdict::Certain(_) | SimilarityVerdict::Different => None,
            })
            .collect();
        // Confirmed pairs first, then the most similar ones; contained ones last.
        likely.sort_by(|(a, a_rank, x), (b, b_rank, y)| {
            let order = (b.is_confirmed, a_rank).cmp(&(a.is_confirmed, b_rank));
            order.then(y.total_cmp(x)).then(a.notes.cmp(&b.notes))
        });
        for (pair, _, share) in likely {
            let (a, b) = pair.notes;
            if self.taken[a] || self.taken[b] || !joined.join(a, b) {
                continue;
            }
            if pair.is_confirmed {
                (self.taken[a], self.taken[b]) = (true, true);
            }
            let (first, second) = (&self.entries[a], &self.entries[b]);
            let order = compare_keepers(
                self.keeper_candidate(a, is_marked(first, second)),
                self.keeper_candidate(b, is_marked(second, first)),
            );
            let (keeper, loser) = if order.is_le() { (a, b) } else { (b, a) };
            self.clusters.push(Cluster {
                keeper,
                losers: vec![loser],
                certain: false,
                weight: if pair.verdict == SimilarityVerdict::Copy
                    || are_copies(&first.row, &second.row)
                {
                    1.0
                } else {
                    share.min(MAX_WEIGHT_OF_SIMILAR) as f32
                },
                reason: reason(self.entries, keeper, &[loser], pair.verdict),
                key: None,
            });
        }
    }
}

/// Returns whether two notes have the same text and the same title, whatever their case and blanks.
fn are_copies(a: &Row, b: &Row) -> bool {
    a.body != 0 && a.body == b.body && a.title == b.title
}

fn is_copy_of(a: &Entry, b: &Entry) -> bool {
    filename::is_copy_of(a.path.stem(), b.path.stem())
}

/// Returns whether the file name marks `a` as a copy, of `b` or of a note with another name than `b`.
fn is_marked(a: &Entry, b: &Entry) -> bool {
    let is_copy = |entry: &Entry| filename::original(entry.path.stem()).is_some();
    is_copy_of(a, b) || is_copy(a) && !is_copy(b)
}

/// Union-find over notes connected by questions.
#[derive(Debug, Default)]
struct UnionFind(HashMap<usize, usize>);

impl UnionFind {
    /// Joins two sets; returns false if they were joined before.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        if a == b {
            return false;
        }
        self.0.insert(a.max(b), a.min(b));
        true
    }

    fn root(&self, mut at: usize) -> usize {
        while let Some(next) = self.0.get(&at) {
            at = *next;
        }
        at
    }
}

fn reason(
    entries: &[Entry],
    keeper: usize,
    losers: &[usize],
    verdict: SimilarityVerdict,
) -> String {
    let keeper = &entries[keeper].row;
    let all = |same: &dyn Fn(&Row) -> bool| losers.iter().all(|loser| same(&entries[*loser].row));
    if all(&|loser| loser.body == keeper.body) {
        // The body hash ignores case and blanks.
        let is_same = all(&|loser| loser.authored == keeper.authored);
        return match verdict {
            SimilarityVerdict::Certain(_) => "same text",
            _ if is_same => "same text",
            _ => "same text except for case, blanks, line breaks or properties",
        }
        .to_owned();
    }
    let same_title = all(&|loser| loser.title == keeper.title) && keeper.title != 0;
    let titles = if same_title { "same title, " } else { "" };
    let percent = |share: f64| format!("{titles}{:.0} %", (share * 100.0).floor());
    match verdict {
        SimilarityVerdict::Contained(share) => {
            percent(share) + " of the shorter note is in the longer one"
        }
        SimilarityVerdict::Alike(share) => percent(share) + " similar in meaning and words",
        SimilarityVerdict::Certain(overlap) if overlap < MIN_OVERLAP_OF_SAME_WORDING => {
            format!("{titles}one contains all of the other")
        }
        SimilarityVerdict::Copy => "same text below the titles".to_owned(),
        // An exact match would be certain, so other things differ.
        SimilarityVerdict::Likely(share) if share >= 1.0 => {
            format!("{titles}same words; signs, names or properties differ")
        }
        SimilarityVerdict::Certain(share) | SimilarityVerdict::Likely(share) => {
            percent(share) + " of the wording is the same"
        }
        SimilarityVerdict::Versions => format!("{titles}a sync tool kept both versions"),
        SimilarityVerdict::Different => String::new(),
    }
}

/// Below this overlap, containment is the reason for a certain pair.
const MIN_OVERLAP_OF_SAME_WORDING: f64 = 0.8;

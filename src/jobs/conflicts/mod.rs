//! `conflicts`: finds pairs of notes that cannot both be true now.
//!
//! Three sources of evidence:
//!
//! * A note states that it replaces another note or is replaced by it ([`claims`]).
//! * Statements of two short notes, or of two notes by agents, contradict each other ([`pair`]): a negation,
//!   another number or date, mutually exclusive values, another name in otherwise equal words, or a change away
//!   from the value in the other note. Both notes must have the same subject: [`topic`], speaker or words.
//! * In longer notes by people numbers differ and negations occur without any conflict. There only a sentence
//!   that reports a change counts, unless it is boilerplate. Two such notes of the same title (or two longer
//!   notes by agents) also conflict if they differ in a single number.
//!
//! Similarity alone is never evidence. Candidates are the nearest notes by vectors, or by words of titles and
//! tags if vectors are missing.
//!
//! | order | proposal |
//! |---|---|
//! | the wording (`switched from`) or the dates tell which note is newer | the newer `evolved_from` the older |
//! | neither does, or the older statement has further values | one `contradicts` the other |
//!
//! Statements that are not valid now (`until 6 January`, `in 2019`, `if the budget allows`), and the words of others
//! in quotation marks, do not count.
//!
//! A finding is certain only if one note names the other as replacing or replaced ([`claims`]), both are dated,
//! the dates do not contradict the claim, and the older one is not a person's note with several other statements.
//! All others are questions. A note with `keep` takes part, but its findings are never certain and it is never superseded. Pairs that either relation already joins are skipped,
//! as are notes that another note evolved from. A provisional `related_to` does not count as a relation here.
//!
//! A first pass reads each note once and keeps its [`outline`], which excludes nearly all pairs. Only the rest
//! are compared in full. A run compares at most [`ConflictsOptions::cap`] pairs and reports the unprocessed seeds.

mod candidates;
pub(super) mod claims;
mod judge;
mod lexicon;
mod metadata;
mod options;
mod outline;
mod pair;
mod parsed_note;
mod proposal;
mod spelling;
mod state_change;
mod statement;
mod token;
mod topic;

use jiff::civil::Date;
use rayon::prelude::*;

use super::boilerplate::Boilerplate;
use super::find::living;
use super::pool::Pool;
use crate::jobs::prelude::*;
use candidates::CandidateSearch;
use metadata::Metadata;
pub use options::{ConflictsOptions, TypeFilter};
use outline::ConflictOutline;
use pair::{Evidence, PairContext};
use parsed_note::ParsedNote;
use proposal::finding;

/// Number of pairs whose texts are in memory at once.
const PAIRS_PER_BATCH: usize = 4096;

/// Statements that weigh less are boilerplate.
const MAX_BOILERPLATE_WEIGHT: f32 = 0.6;

/// Pairs of note positions with the evidence that they disagree.
type JudgedPairs = Vec<((usize, usize), Evidence)>;

/// Result of comparing two texts that disagree.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// Strength of the evidence, 0–1.
    pub score: f32,
    /// A short description of the disagreement.
    pub cue: String,
    /// `Some(true)` if the first text is the newer one by its wording, `None` if the wording gives no order.
    pub first_is_newer: Option<bool>,
}

/// Returns the strongest evidence that two texts disagree, without any context.
pub fn compare(first: &str, second: &str) -> Option<Disagreement> {
    let [first, second] = [first, second].map(|text| ParsedNote::of("", text));
    let evidence = judge::judge(&first, &second, PairContext::default())?;
    Some(Disagreement {
        score: evidence.score,
        cue: evidence.reason(evidence.first_is_newer),
        first_is_newer: evidence.first_is_newer,
    })
}

/// Job table entry.
pub static JOB: Job = Job {
    name: ConflictsOptions::NAME,
    aliases: &["conflict_detector", "find_conflicts"],
    about: "Find notes that contradict or replace each other",
    help: include_str!("help.txt"),
    looks: ("pair", "compared"),
    done: "settled",
    nothing: "no conflicts",
    every: Interval::days(1),
    every_about: "how often `mem sleep` runs conflicts",
    kinds: &[QuestionKind::Conflict],
    options: job::JobOptions::of::<ConflictsOptions>(),
};

impl Find for ConflictsOptions {
    /// Finds pairs of notes that cannot both be true now, strongest evidence first.
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let now = view.now.timestamp().as_second();
        let mut entries = living(view)?;
        entries.retain(|entry| entry.row.expires > now);
        let general_titles = view.general_titles(&entries)?;
        let entries = Pool::new(view, entries);
        let mut search = Search {
            view,
            options: self,
            entries: &entries,
            metadata: HashMap::new(),
            general_titles,
            claimed: HashMap::new(),
            findings: Findings::default(),
        };
        let pairs = search.pairs(&entries.seeds(seeds))?;
        search.findings.compared = pairs.len();
        let mut judged = search.judge_pairs(&pairs)?;
        judged.retain(|(pair, _)| !search.claimed.contains_key(pair));
        judged.extend(search.claimed.drain());
        judged.sort_unstable_by(|(a, x), (b, y)| y.weight().total_cmp(&x.weight()).then(a.cmp(b)));
        for ((a, b), evidence) in judged {
            let finding = finding(view, [&entries[a], &entries[b]], &evidence, self, answers)?;
            if finding.answer(answers) == Some(Answer::No)
                || view.are_done(&finding.acts)?
                || view.replaced_by(&entries[a])?.is_some()
                || view.replaced_by(&entries[b])?.is_some()
            {
                continue;
            }
            search.findings.found.push(finding);
        }
        Ok(search.findings)
    }

    fn why_no_candidates(&self, view: &View<'_>) -> Result<Option<String>> {
        if self.types == TypeFilter::default() {
            return Ok(None);
        }
        let mut types_found = BTreeSet::new();
        for entry in living(view)? {
            let kind = metadata::note_type(&view.details(entry.slot)?.properties());
            if self.types.has(&kind) {
                return Ok(None);
            }
            types_found.insert(kind);
        }
        let types_found = TypeFilter(types_found.into_iter().collect());
        Ok((!types_found.0.is_empty()).then(|| {
            let wanted = &self.types;
            format!(
                "no note has a type in `conflicts.types` ({wanted}); existing types: {types_found}"
            )
        }))
    }
}

/// Shared state for judging pairs in parallel.
struct PairJudge<'s> {
    entries: &'s [Entry],
    metadata: &'s HashMap<Slot, Metadata>,
    ask: f32,
    today: Date,
}

impl PairJudge<'_> {
    /// Returns the evidence that the notes of a pair disagree, if it is strong enough for a question.
    fn evidence(
        &self,
        (a, b): (usize, usize),
        notes: &HashMap<usize, ParsedNote>,
    ) -> Option<Evidence> {
        let (first, second) = (notes.get(&a)?, notes.get(&b)?);
        let [ours, theirs] = [a, b].map(|at| &self.metadata[&self.entries[at].slot]);
        let context = PairContext {
            today: Some(self.today),
            ..ours.context(theirs)
        };
        let evidence = judge::judge(first, second, context)?;
        (evidence.score >= self.ask).then_some(evidence)
    }
}

struct Search<'s, 'v> {
    view: &'s View<'v>,
    options: &'s ConflictsOptions,
    entries: &'s Pool<'s, 'v>,
    metadata: HashMap<Slot, Metadata>,
    general_titles: HashSet<Slot>,
    /// Pairs in which one note claims to replace the other or to be replaced by it.
    claimed: HashMap<(usize, usize), Evidence>,
    findings: Findings,
}

impl Search<'_, '_> {
    /// Returns the pairs to compare, without duplicates, the smaller position first.
    fn pairs(&mut self, seeds: &[usize]) -> Result<Vec<(usize, usize)>> {
        let mut pairs = Vec::new();
        let candidates = CandidateSearch::new(self.entries, self.options)?;
        // A batch yields at most about as many pairs as the cap still allows.
        let batch = self.options.cap / self.options.near.max(1) + 1;
        let all = seeds.len() == self.entries.len();
        let claimants = claims::possible_claimants(self.view, self.entries)?;
        for seeds in seeds.chunks(batch) {
            if pairs.len() >= self.options.cap {
                let left = seeds.iter().map(|seed| self.entries[*seed].slot);
                self.findings.left.extend(left);
                continue;
            }
            self.read_claims(seeds, all, claimants.as_ref())?;
            // The neighbour search takes most of the time, so skip notes that are not compared.
            let mut compared = Vec::new();
            for &seed in seeds {
                if self.metadata(seed)?.is_candidate {
                    compared.push(seed);
                }
            }
            let mut near = candidates.near(&compared);
            for seed in compared {
                for other in near.remove(&seed).unwrap_or_default() {
                    let pair = (seed.min(other), seed.max(other));
                    if other != seed && self.may_conflict(pair)? {
                        pairs.push(pair);
                    }
                }
            }
            pairs.sort_unstable();
            pairs.dedup();
        }
        Ok(pairs)
    }

    /// Records the replacement claims of `seeds` and of the notes that link to them.
    fn read_claims(
        &mut self,
        seeds: &[usize],
        all: bool,
        claimants: Option<&BTreeSet<Slot>>,
    ) -> Result<()> {
        let mut read: BTreeSet<usize> = seeds.iter().copied().collect();
        for seed in seeds.iter().filter(|_| !all) {
            let linking = self.view.linking_to(&self.entries[*seed])?;
            let positions = linking
                .iter()
                .filter_map(|entry| self.entries.position(entry.slot));
            read.extend(positions);
        }
        read.retain(|at| claimants.is_none_or(|slots| slots.contains(&self.entries[*at].slot)));
        let can_contain_claim =
            |_, _: &Entry, text: &str| claims::can_contain_claim(text).then(|| text.to_owned());
        // Unreadable notes are reported when their texts are compared.
        let texts = self.entries.texts(read, &mut Vec::new(), can_contain_claim);
        for (at, text) in texts {
            let Some(text) = text else {
                continue;
            };
            for claim in claims::claims(self.view, &self.entries[at], &text)? {
                let Some(other) = self.entries.position(claim.other) else {
                    continue;
                };
                let pair = (at.min(other), at.max(other));
                if !self.are_in_different_spaces(pair)? {
                    let title = self.metadata(other)?.title.clone();
                    let mut claimed = Evidence::claimed(claim, title);
                    claimed.is_certain =
                        claimed.is_certain && !self.hides_statements(other, (at, &text))?;
                    let evidence = if at < other {
                        claimed
                    } else {
                        claimed.swapped()
                    };
                    let order = evidence.first_is_newer;
                    let known = self.claimed.entry(pair).or_insert(evidence);
                    // Two notes that each claim to replace the other.
                    known.is_certain &= known.first_is_newer == order;
                }
            }
        }
        Ok(())
    }

    /// Returns true if the note at `older` is by a person and states much that the other one, with its text, lacks.
    fn hides_statements(&mut self, older: usize, newer: (usize, &str)) -> Result<bool> {
        let Ok(text) = self.view.text(&self.entries[older]) else {
            return Ok(true);
        };
        let newer = self.metadata(newer.0)?.parse(newer.1);
        Ok(self
            .metadata(older)?
            .parse(&text)
            .states_much_beyond(&newer))
    }

    /// Returns the metadata of a note.
    fn metadata(&mut self, at: usize) -> Result<&Metadata> {
        let entry = &self.entries[at];
        if !self.metadata.contains_key(&entry.slot) {
            let mut metadata = Metadata::of(self.view, entry, self.options)?;
            if self.general_titles.contains(&entry.slot) {
                metadata.replace_title(entry.path.stem());
            }
            self.metadata.insert(entry.slot, metadata);
        }
        Ok(&self.metadata[&entry.slot])
    }

    /// Returns true if the statements of two notes may be compared.
    fn may_conflict(&mut self, pair: (usize, usize)) -> Result<bool> {
        let is_candidate =
            self.metadata(pair.0)?.is_candidate && self.metadata(pair.1)?.is_candidate;
        Ok(is_candidate && !self.are_in_different_spaces(pair)? && self.have_required_tag(pair)?)
    }

    /// Returns true if the notes share a tag or need none.
    fn have_required_tag(&mut self, (a, b): (usize, usize)) -> Result<bool> {
        if !self.options.same_tag {
            return Ok(true);
        }
        let first = self.metadata(a)?.tags.clone();
        let second = &self.metadata(b)?.tags;
        Ok(first.iter().any(|tag| second.contains(tag)))
    }

    /// Returns true if the notes belong to different spaces.
    fn are_in_different_spaces(&mut self, (a, b): (usize, usize)) -> Result<bool> {
        let first = self.metadata(a)?.space.clone();
        let second = &self.metadata(b)?.space;
        Ok(matches!((&first, second), (Some(a), Some(b)) if a != b))
    }

    /// Returns the pairs that disagree, with the evidence.
    fn judge_pairs(&mut self, pairs: &[(usize, usize)]) -> Result<JudgedPairs> {
        let outlines = self.map_notes(pairs, |metadata, text| {
            ConflictOutline::of(&metadata.parse(text))
        });
        let mut candidates = pairs.to_vec();
        candidates.retain(|(a, b)| match (outlines.get(a), outlines.get(b)) {
            (Some(a), Some(b)) => a.can_disagree(b),
            _ => false,
        });
        drop(outlines);
        let (mut judged, mut notes) = (Vec::new(), HashMap::new());
        for some in candidates.chunks(PAIRS_PER_BATCH) {
            let mut read = self.map_notes(some, Metadata::parse);
            let judge = self.judge();
            let asked: Vec<(usize, usize)> = some
                .par_iter()
                .filter(|pair| judge.evidence(**pair, &read).is_some())
                .copied()
                .collect();
            for at in asked.iter().flat_map(|(a, b)| [*a, *b]) {
                notes.extend(read.remove_entry(&at));
            }
            judged.extend(asked);
        }
        // Boilerplate is computed only for the notes of these few pairs.
        let mut notes_of_people: Vec<&mut ParsedNote> =
            notes.values_mut().filter(|note| !note.by_agent).collect();
        let texts = notes_of_people.iter().map(|note| note.text.as_str());
        let boilerplate = Boilerplate::learn(self.view, texts)?;
        for note in &mut notes_of_people {
            let weights = boilerplate.weights(&note.text);
            note.mark_boilerplate(&weights, MAX_BOILERPLATE_WEIGHT);
        }
        let judge = self.judge();
        let evidence = judged
            .into_iter()
            .filter_map(|pair| Some((pair, judge.evidence(pair, &notes)?)));
        Ok(evidence.collect())
    }

    /// Maps the notes of `pairs` through `each`; records unreadable notes as skipped.
    fn map_notes<T: Send>(
        &mut self,
        pairs: &[(usize, usize)],
        each: impl Fn(&Metadata, &str) -> T + Sync,
    ) -> HashMap<usize, T> {
        let positions = pairs.iter().flat_map(|(a, b)| [*a, *b]);
        let metadata = &self.metadata;
        let made = self
            .entries
            .texts(positions, &mut self.findings.skipped, |_, entry, text| {
                metadata
                    .get(&entry.slot)
                    .map(|metadata| each(metadata, text))
            })
            .into_iter();
        made.filter_map(|(at, made)| Some((at, made?))).collect()
    }

    fn judge(&self) -> PairJudge<'_> {
        PairJudge {
            entries: self.entries,
            metadata: &self.metadata,
            ask: self.options.ask,
            today: self.view.now.date(),
        }
    }
}

#[cfg(test)]
mod tests;

//! `conflicts`: finds pairs of notes that cannot both be true now.
//!
//! Three sources of evidence:
//!
//! * A note states that it replaces another note or is replaced by it ([`claims`]).
//! * Statements of two short notes, or of two notes by agents, contradict each other ([`pair`]): a negation,
//! another number or date, mutually exclusive values, another value of a single-valued [`attribute`], or a
//! change away from the value in the other note. Both notes must have the same subject: [`topic`], speaker
//! or words.
//! * In longer notes by people numbers differ and negations occur without any conflict. There only a sentence
//! that reports a change counts, unless it is boilerplate. Two such notes of the same title (or two longer
//! notes by agents) also conflict if they differ in a single number.
//!
//! Similarity alone is never evidence. Candidates are the nearest notes by vectors, or by words of titles and
//! tags if vectors are missing.
//!
//! | order | proposal |
//! |---|---|
//! | the wording (`switched from`) or the dates tell which note is newer | the newer `evolved_from` the older |
//! | neither does | one `contradicts` the other |
//!
//! A finding is certain only if one note names the other as replacing or replaced ([`claims`]), both are dated,
//! and the dates do not contradict the claim. All others are questions. A note with `keep` takes part, but its
//! findings are never certain and it is never superseded. Pairs that either relation already joins are skipped,
//! as are notes that another note evolved from. A provisional `related_to` does not count as a relation here.
//!
//! A first pass reads each note once and keeps its [`outline`], which excludes nearly all pairs. Only the rest
//! are compared in full. A run compares at most [`Options::cap`] pairs and reports the unprocessed seeds.

mod account;
mod attribute;
mod candidates;
pub(super) mod claims;
mod facts;
mod frame;
mod judge;
mod lexicon;
mod options;
mod outline;
mod pair;
mod proposal;
mod spelling;
mod statement;
mod token;
mod topic;
mod turn;

use rayon::prelude::*;

use super::boilerplate::Boilerplate;
use super::find::living;
use super::pool::Pool;
use crate::jobs::prelude::*;
use account::Account;
use candidates::Candidates;
use facts::Facts;
pub use options::{Options, Types};
use outline::Outline;
use pair::{Ground, Sign};
use proposal::finding;

/// Number of pairs whose texts are in memory at once.
const AT_ONCE: usize = 4096;

/// Statements that weigh less are boilerplate.
const FORM: f32 = 0.6;

/// Pairs of note positions with the evidence that they disagree.
type Signs = Vec<((usize, usize), Sign)>;

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
    let [first, second] = [first, second].map(|text| Account::of("", text));
    let sign = judge::judge(&first, &second, Ground::default())?;
    Some(Disagreement {
        score: sign.score,
        cue: sign.reason(sign.first_is_newer),
        first_is_newer: sign.first_is_newer,
    })
}

/// Job table entry.
pub static JOB: Job = Job {
    name: Options::NAME,
    aliases: &["conflict_detector", "find_conflicts"],
    about: "Find notes that contradict or replace each other",
    help: include_str!("help.txt"),
    looks: ("pair", "compared"),
    done: "settled",
    nothing: "no conflicts",
    every: Every::days(1),
    every_about: "how often `mem sleep` runs conflicts",
    kinds: &[Kind::Conflict],
    options: job::Options::of::<Options>(),
};

impl Find for Options {
    /// Finds pairs of notes that cannot both be true now, strongest evidence first.
    fn find(&self, view: &View<'_>, answers: &Answers, seeds: &Seeds) -> Result<Findings> {
        let now = view.now.timestamp().as_second();
        let mut entries = living(view)?;
        // The words that say what changed, or deny it, are known in English only.
        entries.retain(|entry| entry.row.expires > now && entry.row.flags.language().is_english());
        let general_titles = view.general_titles(&entries)?;
        let entries = Pool::new(view, entries);
        let mut search = Search {
            view,
            options: self,
            entries: &entries,
            facts: HashMap::new(),
            general_titles,
            claimed: HashMap::new(),
            findings: Findings::default(),
        };
        let pairs = search.pairs(&entries.seeds(seeds))?;
        search.findings.compared = pairs.len();
        let mut judged = search.judged(&pairs)?;
        judged.retain(|(pair, _)| !search.claimed.contains_key(pair));
        judged.extend(search.claimed.drain());
        judged.sort_unstable_by(|(a, x), (b, y)| y.weight().total_cmp(&x.weight()).then(a.cmp(b)));
        for ((a, b), sign) in judged {
            let finding = finding(view, [&entries[a], &entries[b]], &sign, self, answers)?;
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

    fn misfit(&self, view: &View<'_>) -> Result<Option<String>> {
        if self.types == Types::default() {
            return Ok(None);
        }
        let mut there = BTreeSet::new();
        for entry in living(view)? {
            let kind = facts::kind(&view.details(entry.slot)?.properties());
            if self.types.has(&kind) {
                return Ok(None);
            }
            there.insert(kind);
        }
        let there = Types(there.into_iter().collect());
        Ok((!there.0.is_empty()).then(|| {
            let wanted = &self.types;
            format!("no note is of a type in `conflicts.types` ({wanted}); notes are: {there}")
        }))
    }
}

/// Shared state for judging pairs in parallel.
struct Parties<'s> {
    entries: &'s [Entry],
    facts: &'s HashMap<Slot, Facts>,
    ask: f32,
}

impl Parties<'_> {
    /// Returns the evidence that the notes of a pair disagree, if it is strong enough for a question.
    fn sign(&self, (a, b): (usize, usize), accounts: &HashMap<usize, Account>) -> Option<Sign> {
        let (first, second) = (accounts.get(&a)?, accounts.get(&b)?);
        let [ours, theirs] = [a, b].map(|at| &self.facts[&self.entries[at].slot]);
        let sign = judge::judge(first, second, ours.ground(theirs))?;
        (sign.score >= self.ask).then_some(sign)
    }
}

struct Search<'s, 'v> {
    view: &'s View<'v>,
    options: &'s Options,
    entries: &'s Pool<'s, 'v>,
    facts: HashMap<Slot, Facts>,
    general_titles: HashSet<Slot>,
    /// Pairs in which one note claims to replace the other or to be replaced by it.
    claimed: HashMap<(usize, usize), Sign>,
    findings: Findings,
}

impl Search<'_, '_> {
    /// Returns the pairs to compare, without duplicates, the smaller position first.
    fn pairs(&mut self, seeds: &[usize]) -> Result<Vec<(usize, usize)>> {
        let mut pairs = Vec::new();
        let candidates = Candidates::new(self.entries, self.options)?;
        // A batch yields at most about as many pairs as the cap still allows.
        let batch = self.options.cap / self.options.near.max(1) + 1;
        let all = seeds.len() == self.entries.len();
        let claiming = claims::claiming(self.view, self.entries)?;
        let claiming = claiming.as_ref();
        for seeds in seeds.chunks(batch) {
            if pairs.len() >= self.options.cap {
                let left = seeds.iter().map(|seed| self.entries[*seed].slot);
                self.findings.left.extend(left);
                continue;
            }
            self.read_claims(seeds, all, claiming)?;
            // The neighbour search takes most of the time, so skip notes that are not compared.
            let mut compared = Vec::new();
            for &seed in seeds {
                if self.facts(seed)?.takes_part {
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
        claiming: Option<&BTreeSet<Slot>>,
    ) -> Result<()> {
        let mut read: BTreeSet<usize> = seeds.iter().copied().collect();
        for seed in seeds.iter().filter(|_| !all) {
            let linking = self.view.linking_to(&self.entries[*seed])?;
            let linking = linking
                .iter()
                .map(|entry| self.entries.position(entry.slot));
            read.extend(linking.flatten());
        }
        read.retain(|at| claiming.is_none_or(|slots| slots.contains(&self.entries[*at].slot)));
        let may_claim = |_, _: &Entry, text: &str| claims::may_claim(text).then(|| text.to_owned());
        // Unreadable notes are reported when their texts are compared.
        let texts = self.entries.texts(read, &mut Vec::new(), may_claim);
        for (at, text) in texts {
            let Some(text) = text else {
                continue;
            };
            for claim in claims::claims(self.view, &self.entries[at], &text)? {
                let Some(other) = self.entries.position(claim.other) else {
                    continue;
                };
                let pair = (at.min(other), at.max(other));
                if !self.are_apart(pair)? {
                    let title = self.facts(other)?.title.clone();
                    let sign = Sign::claimed(claim, title);
                    let sign = if at < other { sign } else { sign.turned() };
                    self.claimed.entry(pair).or_insert(sign);
                }
            }
        }
        Ok(())
    }

    /// Returns the metadata of a note.
    fn facts(&mut self, at: usize) -> Result<&Facts> {
        let entry = &self.entries[at];
        if !self.facts.contains_key(&entry.slot) {
            let mut facts = Facts::of(self.view, entry, self.options)?;
            if self.general_titles.contains(&entry.slot) {
                facts.rename(entry.path.stem());
            }
            self.facts.insert(entry.slot, facts);
        }
        Ok(&self.facts[&entry.slot])
    }

    /// Returns true if the statements of two notes may be compared.
    fn may_conflict(&mut self, pair: (usize, usize)) -> Result<bool> {
        let takes_part = self.facts(pair.0)?.takes_part && self.facts(pair.1)?.takes_part;
        Ok(takes_part && !self.are_apart(pair)? && self.are_tagged(pair)?)
    }

    /// Returns true if the notes share a tag or need none.
    fn are_tagged(&mut self, (a, b): (usize, usize)) -> Result<bool> {
        if !self.options.same_tag {
            return Ok(true);
        }
        let first = self.facts(a)?.tags.clone();
        let second = &self.facts(b)?.tags;
        Ok(first.iter().any(|tag| second.contains(tag)))
    }

    /// Returns true if the notes belong to different spaces.
    fn are_apart(&mut self, (a, b): (usize, usize)) -> Result<bool> {
        let first = self.facts(a)?.space.clone();
        let second = &self.facts(b)?.space;
        Ok(matches!((&first, second), (Some(a), Some(b)) if a != b))
    }

    /// Returns the pairs that disagree, with the evidence.
    fn judged(&mut self, pairs: &[(usize, usize)]) -> Result<Signs> {
        let outlines = self.read(pairs, |facts, text| Outline::of(&facts.account(text)));
        let mut may = pairs.to_vec();
        may.retain(|(a, b)| match (outlines.get(a), outlines.get(b)) {
            (Some(a), Some(b)) => a.may_disagree(b),
            _ => false,
        });
        drop(outlines);
        let (mut judged, mut accounts) = (Vec::new(), HashMap::new());
        for some in may.chunks(AT_ONCE) {
            let mut read = self.read(some, Facts::account);
            let parties = self.parties();
            let asked: Vec<(usize, usize)> = some
                .par_iter()
                .filter(|pair| parties.sign(**pair, &read).is_some())
                .copied()
                .collect();
            for at in asked.iter().flat_map(|(a, b)| [*a, *b]) {
                accounts.extend(read.remove_entry(&at));
            }
            judged.extend(asked);
        }
        // Boilerplate is computed only for the notes of these few pairs.
        let forms = accounts.values_mut().filter(|account| !account.by_agent);
        let mut forms: Vec<&mut Account> = forms.collect();
        let texts = forms.iter().map(|account| account.text.as_str());
        let boilerplate = Boilerplate::learn(self.view, texts)?;
        for account in &mut forms {
            let weights = boilerplate.weights(&account.text);
            account.mark_forms(&weights, FORM);
        }
        let parties = self.parties();
        let signs = judged
            .into_iter()
            .filter_map(|pair| Some((pair, parties.sign(pair, &accounts)?)));
        Ok(signs.collect())
    }

    /// Maps the notes of `pairs` through `each`; records unreadable notes as skipped.
    fn read<T: Send>(
        &mut self,
        pairs: &[(usize, usize)],
        each: impl Fn(&Facts, &str) -> T + Sync,
    ) -> HashMap<usize, T> {
        let positions = pairs.iter().flat_map(|(a, b)| [*a, *b]);
        let facts = &self.facts;
        let made = self
            .entries
            .texts(positions, &mut self.findings.skipped, |_, entry, text| {
                facts.get(&entry.slot).map(|facts| each(facts, text))
            });
        let made = made.into_iter();
        made.filter_map(|(at, made)| Some((at, made?))).collect()
    }

    fn parties(&self) -> Parties<'_> {
        Parties {
            entries: self.entries,
            facts: &self.facts,
            ask: self.options.ask,
        }
    }
}

#[cfg(test)]
mod tests;

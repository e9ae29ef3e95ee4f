//! `conflicts`: finds pairs of notes about the same that cannot both be true now.
//!
//! A note that says of itself that it replaces another one, or is replaced by it, is taken at its word
//! ([`claims`]). All else takes two notes on one subject: the same [`topic`], person or words. Candidates
//! are the nearest notes by vectors, or by words of titles and tags where there are none. The texts of
//! short notes, and of agents, are held against each other statement by statement ([`pair`]): one says that
//! something gave way which the other says to be so, a number or date differs, one denies what the other
//! affirms, two values exclude each other, or each names another value of something that there is one of
//! at a time ([`attribute`]). In longer texts that people write numbers differ and things
//! are denied without end, so there only a sentence that says what changed counts, and nothing that
//! many notes say; and two notes of one title, or of an agent, that say the same but for one number.
//! Nearness alone never makes a conflict.
//!
//! | pair | what is proposed |
//! |---|---|
//! | the wording says which is later (`switched from`), or their dates do | the later `evolved_from` the earlier |
//! | neither does | the one `contradicts` the other |
//!
//! It is certain only where one note names the other as what it replaces or what replaced it ([`claims`]),
//! and both are dated and the dates do not deny it. All else is a question. A note with `keep` takes part, but nothing about it is certain and nothing
//! supersedes it. Pairs that are joined by either relation already, and notes that another one evolved
//! from, are left alone; a provisional `related_to` is no answer.
//!
//! Each note is read once, for its [`outline`], by which nearly all pairs drop out; only what is left is held
//! against each other. A run compares at most [`Options::cap`] pairs and says at which seeds it did not arrive.

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

/// Pairs whose texts are held in memory at once.
const AT_ONCE: usize = 4096;

/// A statement that weighs less is a form that many notes fill in.
const FORM: f32 = 0.6;

/// Pairs that disagree, and how.
type Signs = Vec<((usize, usize), Sign)>;

/// Two texts that disagree.
#[derive(Clone, Debug, PartialEq)]
pub struct Disagreement {
    /// How far the signs carry, 0–1.
    pub score: f32,
    /// What disagrees, in a few words.
    pub cue: String,
    /// True if the first says that it is the later one, false if the second does; `None` if neither.
    pub first_is_newer: Option<bool>,
}

/// Returns the strongest sign that two texts disagree, of which nothing else is known.
pub fn compare(first: &str, second: &str) -> Option<Disagreement> {
    let [first, second] = [first, second].map(|text| Account::of("", text));
    let sign = judge::judge(&first, &second, Ground::default())?;
    Some(Disagreement {
        score: sign.score,
        cue: sign.reason(sign.first_is_newer),
        first_is_newer: sign.first_is_newer,
    })
}

/// The entry of the job.
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
    /// Finds pairs of notes that cannot both be true now, those that are the likeliest first.
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

/// What threads need for judging side by side.
struct Parties<'s> {
    entries: &'s [Entry],
    facts: &'s HashMap<Slot, Facts>,
    ask: f32,
}

impl Parties<'_> {
    /// Returns how the notes of a pair disagree, if that is worth a question.
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
    /// The pairs of which one note says that it replaces the other or is replaced by it.
    claimed: HashMap<(usize, usize), Sign>,
    findings: Findings,
}

impl Search<'_, '_> {
    /// Returns the pairs to compare, the smaller index first, each once.
    fn pairs(&mut self, seeds: &[usize]) -> Result<Vec<(usize, usize)>> {
        let mut pairs = Vec::new();
        let candidates = Candidates::new(self.entries, self.options)?;
        // So many seeds at once as may fill what the cap leaves.
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
            // Looking for what is near takes most of the time: not for notes that are not compared.
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

    /// Keeps what `seeds`, and notes that link to them, say to have replaced or to be replaced by.
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
        // What cannot be read is reported where notes are compared.
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

    /// Returns what is known of a note beside its text.
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

    /// Returns true if the notes of a pair may be compared sentence by sentence.
    fn may_conflict(&mut self, pair: (usize, usize)) -> Result<bool> {
        let takes_part = self.facts(pair.0)?.takes_part && self.facts(pair.1)?.takes_part;
        Ok(takes_part && !self.are_apart(pair)? && self.are_tagged(pair)?)
    }

    /// Returns true if the notes of a pair have a tag in common, or need none.
    fn are_tagged(&mut self, (a, b): (usize, usize)) -> Result<bool> {
        if !self.options.same_tag {
            return Ok(true);
        }
        let first = self.facts(a)?.tags.clone();
        let second = &self.facts(b)?.tags;
        Ok(first.iter().any(|tag| second.contains(tag)))
    }

    /// Returns true if the notes of a pair are of two spaces.
    fn are_apart(&mut self, (a, b): (usize, usize)) -> Result<bool> {
        let first = self.facts(a)?.space.clone();
        let second = &self.facts(b)?.space;
        Ok(matches!((&first, second), (Some(a), Some(b)) if a != b))
    }

    /// Returns those of `pairs` that disagree, with the signs.
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
        // What many notes say is looked up for these few only.
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

    /// Returns what `each` makes of the notes of `pairs`, and keeps why one could not be read.
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

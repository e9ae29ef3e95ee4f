//! `conflicts`: finds pairs of notes about the same that cannot both be true now.
//!
//! Candidates are the nearest notes by vectors, or by words of titles and tags where there are none.
//! Then the texts are held against each other, statement by statement ([`pair`]): one says that
//! something gave way which the other says to be so, a number or date differs, one denies what the other
//! affirms, or two values exclude each other. Nearness alone never makes a conflict.
//!
//! | pair | what is proposed |
//! |---|---|
//! | the wording says which is later (`switched from`), or their dates do | the later `evolved_from` the earlier |
//! | neither does | the one `contradicts` the other |
//!
//! It is certain only where the wording says what gave way to what, the subject is the same, both are
//! dated and the dates agree. A note with `keep` takes part, but nothing about it is certain and nothing
//! supersedes it. Pairs that are joined by either relation already, and notes that another one evolved
//! from, are left alone; a provisional `related_to` is no answer.
//!
//! A run compares at most [`Options::cap`] pairs and says at which seeds it did not arrive.

mod candidates;
mod facts;
mod judge;
mod lexicon;
mod options;
mod pair;
mod proposal;
mod statement;
mod token;
mod turn;

use std::collections::{BTreeSet, HashMap, HashSet};

use rayon::prelude::*;

use super::find::{Find, Findings, Seeds, living};
use super::job::{self, Job};
use crate::cache::CacheError;
use crate::cache::key::Key;
use crate::cache::row::Slot;
use crate::config::{Every, Section as _};
use crate::finding::question::{Answer, Answers, Kind};
use crate::note::relation::Relation;
use crate::view::{Entry, View};
use candidates::Candidates;
use facts::Facts;
use lexicon::Lexicon;
pub use options::{Options, Types};
use pair::{Ground, Sign};
use proposal::finding;
use statement::Account;

/// Pairs whose texts are held in memory at once.
const AT_ONCE: usize = 4096;

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

/// Holds texts against each other without anything else being known of them.
#[derive(Debug)]
pub struct Judge(Lexicon);

impl Default for Judge {
    fn default() -> Self {
        Self(Lexicon::new())
    }
}

impl Judge {
    /// Returns the strongest sign that two texts disagree.
    #[must_use]
    pub fn compare(&self, first: &str, second: &str) -> Option<Disagreement> {
        let [first, second] = [first, second].map(|text| Account::of(&self.0, "", text));
        let sign = judge::judge(&first, &second, Ground::default())?;
        Some(Disagreement {
            score: sign.score,
            cue: sign.cue,
            first_is_newer: sign.first_is_newer,
        })
    }
}

/// The entry of the job.
pub static JOB: Job = Job {
    name: Options::NAME,
    origin: "conflict_detector",
    about: "Find notes that contradict or replace each other",
    help: "Compares what two notes on the same subject say: replacements, numbers, dates, versions, \
           negations and values that exclude each other. If one is newer, it states `evolved_from` \
           about the older; otherwise one states `contradicts`. Cases mem is sure of are applied to notes written by mem or an agent; the rest waits for `mem review`. With the setting \
           `conflicts.resolve = true` the older note also gets a `valid_until`, which hides it from \
           searches. `mem conflicts NOTE` checks one note.",
    done: "settled",
    nothing: "no conflicts",
    every: Every::days(1),
    every_about: "how often `mem sleep` runs conflicts",
    kinds: &[Kind::Conflict],
    options: job::Options::of::<Options>(),
};

impl Find for Options {
    /// Finds pairs of notes that cannot both be true now, those that are the likeliest first.
    fn find(
        &self,
        view: &View<'_>,
        answers: &Answers,
        seeds: &Seeds,
    ) -> Result<Findings, CacheError> {
        let now = view.now.timestamp().as_second();
        let mut entries = living(view)?;
        entries.retain(|entry| entry.row.expires > now);
        let begin: Vec<usize> = (0..entries.len())
            .filter(|at| seeds.has(entries[*at].slot))
            .collect();
        let mut search = Search {
            view,
            options: self,
            entries: &entries,
            facts: HashMap::new(),
            findings: Findings::default(),
        };
        let pairs = search.pairs(&begin)?;
        search.findings.compared = pairs.len();
        let lexicon = Lexicon::new();
        let mut judged = Vec::new();
        for some in pairs.chunks(AT_ONCE) {
            judged.extend(search.judged(&lexicon, some));
        }
        judged.sort_unstable_by(|(a, x), (b, y)| y.score.total_cmp(&x.score).then(a.cmp(b)));
        for ((a, b), sign) in judged {
            let finding = finding(view, [&entries[a], &entries[b]], &sign, self)?;
            if finding.answer(answers) == Some(Answer::No)
                || view.are_done(&finding.acts)?
                || search.is_superseded(a)?
                || search.is_superseded(b)?
            {
                continue;
            }
            search.findings.found.push(finding);
        }
        Ok(search.findings)
    }

    fn misfit(&self, view: &View<'_>) -> Result<Option<String>, CacheError> {
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

struct Search<'s, 'v> {
    view: &'s View<'v>,
    options: &'s Options,
    entries: &'s [Entry],
    facts: HashMap<Slot, Facts>,
    findings: Findings,
}

impl Search<'_, '_> {
    /// Returns the pairs to compare, the smaller index first, each once.
    fn pairs(&mut self, seeds: &[usize]) -> Result<Vec<(usize, usize)>, CacheError> {
        let mut seen = HashSet::new();
        let mut pairs = Vec::new();
        let candidates = Candidates::new(self.view, self.entries, self.options)?;
        // So many seeds at once as may fill what the cap leaves.
        let batch = self.options.cap / self.options.near.max(1) + 1;
        for seeds in seeds.chunks(batch) {
            if pairs.len() >= self.options.cap {
                let left = seeds.iter().map(|seed| self.entries[*seed].slot);
                self.findings.left.extend(left);
                continue;
            }
            let mut near = candidates.near(seeds);
            for &seed in seeds {
                let mut others = near.remove(&seed).unwrap_or_default();
                for text in self.facts(seed)?.notices.clone() {
                    let named = self.named_in(&text)?;
                    others.extend(
                        named
                            .into_iter()
                            .filter_map(|slot| candidates.position(slot)),
                    );
                }
                for other in others {
                    let pair = (seed.min(other), seed.max(other));
                    if other != seed && seen.insert(pair) && self.may_conflict(pair)? {
                        pairs.push(pair);
                    }
                }
            }
        }
        Ok(pairs)
    }

    /// Returns the notes whose file names stand in `text` as words.
    fn named_in(&self, text: &str) -> Result<Vec<Slot>, CacheError> {
        let mut named = Vec::new();
        let words = text.split(|c: char| !c.is_alphanumeric() && c != '-' && c != '_');
        for word in words.filter(|word| word.chars().count() >= facts::SHORTEST) {
            named.extend(self.view.reading().find(Key::stem(word))?);
        }
        Ok(named)
    }

    /// Returns what is known of a note beside its text.
    fn facts(&mut self, at: usize) -> Result<&Facts, CacheError> {
        let entry = &self.entries[at];
        if !self.facts.contains_key(&entry.slot) {
            let facts = Facts::of(self.view, entry, self.options)?;
            self.facts.insert(entry.slot, facts);
        }
        Ok(&self.facts[&entry.slot])
    }

    fn may_conflict(&mut self, (a, b): (usize, usize)) -> Result<bool, CacheError> {
        if !self.facts(a)?.takes_part || !self.facts(b)?.takes_part {
            return Ok(false);
        }
        let (first, second) = (
            &self.facts[&self.entries[a].slot],
            &self.facts[&self.entries[b].slot],
        );
        let other_space = matches!((&first.space, &second.space), (Some(a), Some(b)) if a != b);
        Ok(!other_space)
    }

    /// Returns those of `pairs` that disagree, with the signs.
    fn judged(
        &mut self,
        lexicon: &Lexicon,
        pairs: &[(usize, usize)],
    ) -> Vec<((usize, usize), Sign)> {
        let mut positions: Vec<usize> = pairs.iter().flat_map(|(a, b)| [*a, *b]).collect();
        positions.sort_unstable();
        positions.dedup();
        let facts = &self.facts;
        let notes: Vec<Entry> = positions
            .iter()
            .map(|at| self.entries[*at].clone())
            .collect();
        let read = self.view.each_text(&notes, |entry, text| {
            facts
                .get(&entry.slot)
                .map(|facts| facts.account(lexicon, text))
        });
        let mut accounts: HashMap<usize, Account<'_>> = HashMap::with_capacity(notes.len());
        for (at, account) in positions.into_iter().zip(read) {
            match account {
                Ok(account) => accounts.extend(account.map(|account| (at, account))),
                Err(error) => {
                    let why = error.skipped();
                    let why = why.filter(|why| !self.findings.skipped.contains(why));
                    self.findings.skipped.extend(why);
                }
            }
        }
        let slot = |at: &usize| self.entries[*at].slot;
        pairs
            .par_iter()
            .filter_map(|(a, b)| {
                let (first, second) = (accounts.get(a)?, accounts.get(b)?);
                let ground = facts[&slot(a)].ground(&facts[&slot(b)]);
                let sign = judge::judge(first, second, ground)?;
                (sign.score >= self.options.ask).then_some(((*a, *b), sign))
            })
            .collect()
    }

    /// Returns true if another note says what became of this one.
    fn is_superseded(&self, at: usize) -> Result<bool, CacheError> {
        let relation = Relation::EvolvedFrom.name();
        let mut newer = self.view.related_to(&self.entries[at], relation)?;
        Ok(newer.next().is_some())
    }
}

#[cfg(test)]
mod tests;

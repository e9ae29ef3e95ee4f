//! Compares two statements and finds evidence that they contradict each other.
//!
//! Kinds of evidence: [`change`] (reported changes), [`value`] (numbers, dates, exclusive values),
//! [`attribute`] (single-valued attributes), [`name`] (other people or places), [`denial`] (negations, other
//! definitions).
//!
//! Scores combine a few shares: common words, indications of one subject, the strength of the evidence itself.
//! The weights were chosen on labelled sentence pairs, so that a single threshold fits all kinds of evidence.

mod attribute;
mod change;
mod denial;
mod name;
mod value;

use std::ops::Range;

use super::account::Account;
use super::claims::Claim;
use super::lexicon::Role;
use super::statement::Statement;
use super::token::{Form, Word};

/// Factor for evidence from a single sentence of a long note.
const PART: f32 = 0.8;

/// Minimum overlap of two sentences; below it they differ in more than a value.
const SAME: f32 = 0.5;

/// Context of two notes besides their texts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    /// Whether both have the same speaker; `None` if a speaker is unknown.
    pub(super) same_speaker: Option<bool>,
    /// Overlap of their tags.
    pub(super) tags: Common,
    /// True if both are in the same space.
    pub(super) same_space: bool,
    /// Which statements may be compared.
    pub(super) reading: Reading,
    /// True if the result is shown as a question; then sentences with little overlap are ignored.
    pub(super) is_asked: bool,
}

/// Extent of the overlap of two tag sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Common {
    #[default]
    Nothing,
    Some,
    All,
}

/// Which statements of two notes may be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reading {
    /// Two short notes on one subject: all statements.
    #[default]
    Brief,
    /// Longer notes on one subject: only nearly identical sentences.
    Alike,
    /// Prose or two subjects: only reported changes.
    Told,
}

/// Evidence that two statements contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sign {
    /// Strength, 0–1.
    pub(super) score: f32,
    /// Quoted words of a reported change; empty if only the values differ.
    cue: String,
    /// Value in each statement, if both have one.
    values: Option<[String; 2]>,
    /// The contradicting sentences.
    pub(super) quotes: [String; 2],
    /// Share of all content words that both have.
    pub(super) overlap: f32,
    /// `Some(true)` if the wording makes the first statement the newer one, `None` if it gives no order.
    pub(super) first_is_newer: Option<bool>,
    /// True if dates override the wording: it names a new value but not the old one.
    pub(super) dates_decide: bool,
    /// True if one note unambiguously names the other as replacing or replaced.
    pub(super) is_certain: bool,
    /// True if one note names the other as replacing or replaced.
    pub(super) is_named: bool,
}

impl Sign {
    fn new(score: f32, cue: String) -> Self {
        Self {
            score: score.clamp(0.0, 1.0),
            cue,
            values: None,
            quotes: <[String; 2]>::default(),
            overlap: 0.0,
            first_is_newer: None,
            dates_decide: false,
            is_certain: false,
            is_named: false,
        }
    }

    /// Evidence of two different values.
    fn of_values(score: f32, values: [String; 2]) -> Self {
        Self {
            values: Some(values),
            ..Self::new(score, String::new())
        }
    }

    /// Returns a short description: the words of the change, or both values with the newer first.
    pub(super) fn reason(&self, first_is_newer: Option<bool>) -> String {
        let is_told = first_is_newer.is_none() || first_is_newer == self.first_is_newer;
        match &self.values {
            Some([ours, theirs]) if self.cue.is_empty() || !is_told => {
                let (later, earlier) = match first_is_newer {
                    Some(false) => (theirs, ours),
                    _ => (ours, theirs),
                };
                format!("\u{201c}{later}\u{201d} / \u{201c}{earlier}\u{201d}")
            }
            _ => self.cue.clone(),
        }
    }

    /// Evidence from a claim.
    pub(super) fn claimed(claim: Claim, other: String) -> Self {
        Self {
            quotes: [claim.quote, other],
            first_is_newer: Some(claim.is_newer),
            is_certain: claim.is_certain,
            is_named: true,
            ..Self::new(
                1.0,
                if claim.is_newer {
                    "replaces"
                } else {
                    "replaced by"
                }
                .to_owned(),
            )
        }
    }

    /// Returns the same evidence for the two in reverse order.
    pub(super) fn turned(mut self) -> Self {
        self.quotes.reverse();
        if let Some(values) = &mut self.values {
            values.reverse();
        }
        self.first_is_newer = self.first_is_newer.map(|first| !first);
        self
    }

    /// Returns the priority of the question, 0–1; reported changes come first.
    pub(super) fn weight(&self) -> f32 {
        let told = if self.first_is_newer.is_some() {
            0.5
        } else {
            0.0
        };
        told + self.score / 2.0
    }
}

/// Two statements to compare.
pub(super) struct Pair<'a> {
    accounts: [&'a Account; 2],
    a: &'a Statement,
    b: &'a Statement,
    ground: Ground,
    /// Stems of the content words that both have.
    shared: Vec<u64>,
}

impl<'a> Pair<'a> {
    /// Pairs the statements at `at` of two notes; `None` if they have too little in common to contradict.
    pub(super) fn new(accounts: [&'a Account; 2], at: [usize; 2], ground: Ground) -> Option<Self> {
        let (a, b) = (
            &accounts[0].statements[at[0]],
            &accounts[1].statements[at[1]],
        );
        let has = |stem: &&u64| b.has(**stem);
        let shared: Vec<u64> = a.content.iter().filter(has).copied().collect();
        let all = a.content.len() + b.content.len() - shared.len();
        let may = match ground.reading {
            Reading::Brief => {
                !shared.is_empty()
                    || meet(a, b)
                    || ground.tags > Common::Nothing
                    || ground.same_space
            }
            Reading::Alike => shared.len() > 2 && shared.len() * 20 >= all * 9,
            Reading::Told => !shared.is_empty(),
        };
        (may && !a.is_form && !b.is_form).then_some(Self {
            accounts,
            a,
            b,
            ground,
            shared,
        })
    }

    /// Returns true if both notes have the same speaker, or both are by agents.
    fn is_known(&self) -> bool {
        self.ground.same_speaker == Some(true)
            || self.accounts.iter().all(|account| account.by_agent)
    }

    /// Returns true if each statement has words before its value that the other lacks: the values then belong to
    /// two things.
    fn is_of_two(&self, [at, other]: [usize; 2]) -> bool {
        let lacks = |words: &[Word], by: &Statement| {
            words
                .iter()
                .any(|word| word.is_content() && !by.has(word.stem))
        };
        lacks(&self.a.words[..at], self.b) && lacks(&self.b.words[..other], self.a)
    }

    /// Returns true if the statements differ in names, kinds or numbers other than the words at `at`.
    fn differs_beside(&self, at: [usize; 2]) -> bool {
        let differs = |ours: &Statement, but: usize, theirs: &Statement| {
            ours.words.iter().enumerate().any(|(at, word)| {
                at != but
                    && match &word.number {
                        Some(number) => !theirs.words.iter().any(|other| {
                            other
                                .number
                                .as_ref()
                                .is_some_and(|other| other.digits == number.digits)
                        }),
                        None if word.values.iter().any(|value| value.is_kind) => {
                            !theirs.has_like(word)
                        }
                        None => word.is_name && !word.is_date() && !theirs.has(word.stem),
                    }
            })
        };
        differs(self.a, at[0], self.b) && differs(self.b, at[1], self.a)
    }

    /// Returns true if one of the statements reports an action, which may be repeated.
    fn is_deed(&self) -> bool {
        [self.a, self.b].iter().any(|statement| {
            let first = statement.words.first();
            first.is_some_and(|word| word.form == Form::Past && word.role == Role::Plain)
        })
    }

    /// Returns true if all statements of the two notes may be compared.
    fn is_brief(&self) -> bool {
        self.ground.reading == Reading::Brief
    }

    /// Returns the strongest evidence.
    pub(super) fn sign(&self) -> Option<Sign> {
        let back = Self {
            accounts: [self.accounts[1], self.accounts[0]],
            a: self.b,
            b: self.a,
            ground: self.ground,
            shared: self.shared.clone(),
        };
        if self.ground.reading == Reading::Told {
            let told = [self.gave_way(), back.gave_way().map(Sign::turned)];
            let told = told.into_iter().flatten();
            let sign = told.max_by(|a, b| a.score.total_cmp(&b.score));
            return sign.map(|sign| self.quoted(sign));
        }
        let ours = [self.gave_way(), self.came(), self.began()];
        let theirs =
            [back.gave_way(), back.came(), back.began()].map(|sign| sign.map(Sign::turned));
        let changes = ours.into_iter().chain(theirs).flatten();
        let change = changes.max_by(|a, b| a.score.total_cmp(&b.score));
        let least = if self.ground.is_asked { SAME } else { 0.0 };
        let alike = [
            self.negation(),
            back.negation(),
            self.class(),
            back.class(),
            self.name(),
        ];
        let alike = alike.into_iter().filter(|_| self.overlap() >= least);
        // Exclusive values always differ, so leave them out of the overlap.
        let all = self.a.content.len() + self.b.content.len() - self.shared.len();
        let beside = self.shared.len() as f32 / all.saturating_sub(2).max(1) as f32;
        let exclusive = self.exclusive().filter(|_| beside >= least);
        let counted = self.quantity();
        let counted = counted.filter(|_| self.is_known() || self.overlap() >= least);
        let mut sign = alike
            .chain([
                exclusive,
                counted,
                self.attribute(),
                self.never(),
                back.never(),
                change.clone(),
            ])
            .flatten()
            .max_by(|a, b| a.score.total_cmp(&b.score))?;
        // A reported change gives the order even if other evidence is stronger.
        if let (None, Some(change)) = (sign.first_is_newer, change) {
            sign.first_is_newer = change.first_is_newer;
            sign.dates_decide = change.dates_decide;
        }
        // A single sentence of many may have another subject.
        if self.ground.reading == Reading::Alike {
            sign.score *= PART;
        }
        Some(self.quoted(sign))
    }

    /// Adds the quoted statements to the evidence.
    fn quoted(&self, sign: Sign) -> Sign {
        let quote = |account: &Account, statement: &Statement| {
            let (start, end) = statement.span;
            let sentence = account.text.get(start as usize..end as usize);
            let sentence = sentence.unwrap_or_default();
            sentence.strip_suffix('.').unwrap_or(sentence).to_owned()
        };
        let [first, second] = self.accounts;
        Sign {
            quotes: [quote(first, self.a), quote(second, self.b)],
            overlap: self.overlap(),
            ..sign
        }
    }

    /// Returns source text of the first statement.
    fn ours(&self, range: Range<usize>) -> &str {
        self.accounts[0].written(&self.a.words[range])
    }

    /// Returns source text of the second statement.
    fn theirs(&self, range: Range<usize>) -> &str {
        self.accounts[1].written(&self.b.words[range])
    }

    /// Returns source text of both statements.
    fn written(&self, ours: Range<usize>, theirs: Range<usize>) -> [String; 2] {
        [self.ours(ours).to_owned(), self.theirs(theirs).to_owned()]
    }

    /// Returns the number of common words relative to the shorter statement.
    fn cover(&self) -> f32 {
        let least = self.a.content.len().min(self.b.content.len());
        self.shared.len() as f32 / least.max(1) as f32
    }

    /// Returns the share of all content words that both have.
    fn overlap(&self) -> f32 {
        let all = self.a.content.len() + self.b.content.len() - self.shared.len();
        self.shared.len() as f32 / all.max(1) as f32
    }

    fn is_name(&self, stem: u64) -> bool {
        let is = |word: &Word| {
            word.stem == stem && (word.is_name || word.may_be_name && word.role == Role::Plain)
        };
        self.a.words.iter().any(is) || self.b.words.iter().any(is)
    }

    /// Returns true if a word is a name other than by its position at the start of a sentence.
    fn is_surely_name(&self, stem: u64) -> bool {
        let is = |word: &Word| word.stem == stem && word.is_name;
        self.a.words.iter().any(is) || self.b.words.iter().any(is)
    }

    /// Returns the strength of indications of one subject, 0–1, ignoring the words `but` of the evidence itself.
    fn subject(&self, but: &[u64]) -> f32 {
        let others = self.shared.iter().filter(|stem| !but.contains(stem));
        let names = others.clone().filter(|stem| self.is_name(**stem)).count();
        let mut subject = 0.3 * others.count().min(3) as f32 + 0.25 * names.min(2) as f32;
        if self.ground.same_speaker == Some(true) {
            subject += 0.35;
        }
        if self.ground.tags > Common::Nothing {
            subject += 0.3;
        }
        if self.ground.same_space {
            subject += 0.15;
        }
        subject.min(1.0)
    }
}

/// Returns true if two statements name a value of the same attribute.
fn meet(a: &Statement, b: &Statement) -> bool {
    a.attributes.iter().any(|ours| {
        let mut theirs = b.attributes.iter();
        theirs.any(|theirs| ours.name == theirs.name)
    })
}

/// Returns true if the words are exclusive values.
fn exclude(a: &Word, b: &Word) -> bool {
    a.values.iter().any(|ours| {
        let mut theirs = b.values.iter();
        theirs.any(|theirs| ours.group == theirs.group && ours.member != theirs.member)
    })
}

/// Returns the stems of the content words.
pub(super) fn stems(words: &[Word]) -> Vec<u64> {
    let content = words.iter().filter(|word| word.is_content());
    content.map(|word| word.stem).collect()
}

/// Returns the stem of the nearest content word along `positions`.
fn neighbour(words: &[Word], positions: impl Iterator<Item = usize>) -> Option<u64> {
    let mut positions = positions.map(|at| &words[at]);
    positions
        .find(|word| word.is_content())
        .map(|word| word.stem)
}

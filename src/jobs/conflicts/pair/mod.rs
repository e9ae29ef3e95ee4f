//! Two statements, held against each other: what in them cannot both be so.
//!
//! The kinds of signs: [`change`] reads what gave way to what, [`value`] what has another value,
//! [`attribute`] what there is one of at a time, [`name`] who or where it is by name, [`denial`] what is
//! denied or is something else.
//!
//! How far is made of a few shares: of one statement's words that the other has, of what speaks for one
//! subject, of the sign itself. The numbers were chosen on labelled pairs of sentences so that one bound
//! serves all signs.

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

/// A sentence of a long note carries so much of what a note of its own does.
const PART: f32 = 0.8;

/// Sentences that share fewer of their words differ in more than a value.
const SAME: f32 = 0.5;

/// What is known of two notes beside their texts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ground {
    /// Whether the same person speaks or is spoken of; `None` if no person is named.
    pub(super) same_speaker: Option<bool>,
    /// How many of their tags both have.
    pub(super) tags: Common,
    /// True if both are in one space.
    pub(super) same_space: bool,
    /// Which sentences may be held against each other.
    pub(super) reading: Reading,
    /// True if who reads it is to be asked: sentences that share little differ in more than a value.
    pub(super) is_asked: bool,
}

/// How much two notes have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Common {
    #[default]
    Nothing,
    Some,
    All,
}

/// Which sentences of two notes may be held against each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reading {
    /// Both have few words on one subject: each of their statements is what they are about.
    #[default]
    Brief,
    /// They have many: only sentences that are nearly the same.
    Alike,
    /// Prose, or two subjects: only what one says of itself to have changed.
    Told,
}

/// A sign that two statements disagree.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sign {
    /// How far it carries, 0–1.
    pub(super) score: f32,
    /// The words of one side that say what changed; empty if the values alone disagree.
    cue: String,
    /// What each says, if both say a value.
    values: Option<[String; 2]>,
    /// The sentences that disagree.
    pub(super) quotes: [String; 2],
    /// The share of all their words that both have.
    pub(super) overlap: f32,
    /// True if the first statement says that it is the later one, false if the second.
    pub(super) first_is_newer: Option<bool>,
    /// True if the dates know better: the one says that something came, not what it took the place of.
    pub(super) dates_decide: bool,
    /// True if one note names the other as what it replaces, or what replaced it, beyond doubt.
    pub(super) is_certain: bool,
    /// True if one note names the other as what it replaces, or what replaced it.
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

    /// The two say different values.
    fn of_values(score: f32, values: [String; 2]) -> Self {
        Self {
            values: Some(values),
            ..Self::new(score, String::new())
        }
    }

    /// Returns what disagrees, in a few words: the words of the later one, or what both say, the later
    /// first.
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

    /// A note says that it took the place of the other, or the other way round.
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

    /// The same of the two in the other order.
    pub(super) fn turned(mut self) -> Self {
        self.quotes.reverse();
        if let Some(values) = &mut self.values {
            values.reverse();
        }
        self.first_is_newer = self.first_is_newer.map(|first| !first);
        self
    }

    /// Returns how soon it is asked about, 0–1: what says of itself that it changed comes first.
    pub(super) fn weight(&self) -> f32 {
        let told = if self.first_is_newer.is_some() {
            0.5
        } else {
            0.0
        };
        told + self.score / 2.0
    }
}

/// Two statements, held against each other.
pub(super) struct Pair<'a> {
    accounts: [&'a Account; 2],
    a: &'a Statement,
    b: &'a Statement,
    ground: Ground,
    /// Stems of words that say something in both.
    shared: Vec<u64>,
}

impl<'a> Pair<'a> {
    /// Takes the statements at `at` of two notes; `None` if they have too little in common to disagree.
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

    /// Returns true if it is known that one person or agent's master is spoken of.
    fn is_known(&self) -> bool {
        self.ground.same_speaker == Some(true)
            || self.accounts.iter().all(|account| account.by_agent)
    }

    /// Returns true if words before the values at `at` are missing in the other, on both sides: two
    /// things that each have their own.
    fn is_of_two(&self, [at, other]: [usize; 2]) -> bool {
        let lacks = |words: &[Word], by: &Statement| {
            words
                .iter()
                .any(|word| word.is_content() && !by.has(word.stem))
        };
        lacks(&self.a.words[..at], self.b) && lacks(&self.b.words[..other], self.a)
    }

    /// Returns true if the statements differ in names, kinds or numbers beside the words at `at`.
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

    /// Returns true if one of the statements tells of something that somebody did: it may be done again.
    fn is_deed(&self) -> bool {
        [self.a, self.b].iter().any(|statement| {
            let first = statement.words.first();
            first.is_some_and(|word| word.form == Form::Past && word.role == Role::Plain)
        })
    }

    /// Returns true if each statement of the two notes is what they are about.
    fn is_brief(&self) -> bool {
        self.ground.reading == Reading::Brief
    }

    /// Returns the strongest sign.
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
        // The values themselves differ by what they are.
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
        // What tells of a change tells the way of it, even where something else carries further.
        if let (None, Some(change)) = (sign.first_is_newer, change) {
            sign.first_is_newer = change.first_is_newer;
            sign.dates_decide = change.dates_decide;
        }
        // One sentence of many: it may be about something else.
        if self.ground.reading == Reading::Alike {
            sign.score *= PART;
        }
        Some(self.quoted(sign))
    }

    /// Returns the sign with the statements it was found in.
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

    /// Returns words of the first statement as they are written.
    fn ours(&self, range: Range<usize>) -> &str {
        self.accounts[0].written(&self.a.words[range])
    }

    /// Returns words of the second statement as they are written.
    fn theirs(&self, range: Range<usize>) -> &str {
        self.accounts[1].written(&self.b.words[range])
    }

    /// Returns words of each as they are written.
    fn written(&self, ours: Range<usize>, theirs: Range<usize>) -> [String; 2] {
        [self.ours(ours).to_owned(), self.theirs(theirs).to_owned()]
    }

    /// Returns the share of the words of the shorter statement that the other has.
    fn cover(&self) -> f32 {
        let least = self.a.content.len().min(self.b.content.len());
        self.shared.len() as f32 / least.max(1) as f32
    }

    /// Returns the share of all words that both have.
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

    /// Returns true if a word is a name even where it does not begin a sentence.
    fn is_surely_name(&self, stem: u64) -> bool {
        let is = |word: &Word| word.stem == stem && word.is_name;
        self.a.words.iter().any(is) || self.b.words.iter().any(is)
    }

    /// Returns how much speaks for one subject, 0–1, beside the words `but` of the sign itself.
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

/// Returns true if a thing that is the one is not the other.
fn exclude(a: &Word, b: &Word) -> bool {
    a.values.iter().any(|ours| {
        let mut theirs = b.values.iter();
        theirs.any(|theirs| ours.group == theirs.group && ours.member != theirs.member)
    })
}

/// Returns the stems of those of `words` that say something.
pub(super) fn stems(words: &[Word]) -> Vec<u64> {
    let content = words.iter().filter(|word| word.is_content());
    content.map(|word| word.stem).collect()
}

/// Returns the nearest word that says something, along `positions`.
fn neighbour(words: &[Word], positions: impl Iterator<Item = usize>) -> Option<u64> {
    let mut positions = positions.map(|at| &words[at]);
    positions
        .find(|word| word.is_content())
        .map(|word| word.stem)
}

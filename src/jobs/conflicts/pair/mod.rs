//! Compares two statements and finds evidence that they contradict each other.
//!
//! Kinds of evidence: [`change`] (reported changes), [`value`] (numbers, dates, exclusive values),
//! [`name`] (other people or places), [`denial`] (negations, other definitions).
//!
//! Scores combine a few shares: common words, indications of one subject, the strength of the evidence itself.
//! The weights were chosen on labelled sentence pairs, so that a single threshold fits all kinds of evidence.

mod change;
mod denial;
mod name;
mod value;

use std::ops::Range;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::claims::Claim;
use super::lexicon::Role;
use super::parsed_note::ParsedNote;
use super::statement::ConflictStatement;
use super::token::{VerbForm, WordToken};
use crate::note::facts::coexistence::StatementFeatures;
use crate::note::facts::limits::limits;
use crate::note::facts::quantity::{quantities, share_quantity};
use crate::note::facts::validity::{quotations, takes_back, validity};

/// Factor for evidence from a single sentence of a long note.
const SINGLE_SENTENCE_FACTOR: f32 = 0.8;

/// Number of characters after a statement in its line that may take it back: a line can be as long as a note.
const MAX_CHARS_OF_WITHDRAWAL: usize = 200;

/// Minimum overlap of two sentences; below it they differ in more than a value.
const MIN_OVERLAP: f32 = 0.5;

/// Context of two notes besides their texts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PairContext {
    /// Whether both have the same speaker; `None` if a speaker is unknown.
    pub(super) is_same_speaker: Option<bool>,
    /// Overlap of their tags.
    pub(super) tags: TagOverlap,
    /// True if both are in the same space.
    pub(super) is_same_space: bool,
    /// Which statements may be compared.
    pub(super) mode: ComparisonMode,
    /// True if the result is shown as a question; then sentences with little overlap are ignored.
    pub(super) is_asked: bool,
    /// The current day. If it is known, statements about another time are ignored.
    pub(super) today: Option<Date>,
}

/// Extent of the overlap of two tag sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TagOverlap {
    #[default]
    None,
    Some,
    All,
}

/// Which statements of two notes may be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ComparisonMode {
    /// Two short notes on one subject: all statements.
    #[default]
    All,
    /// Longer notes on one subject: only nearly identical sentences.
    NearlyIdentical,
    /// Prose or two subjects: only reported changes.
    ChangesOnly,
}

/// Evidence that two statements contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
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
    pub(super) is_ordered_by_dates: bool,
    /// True if one note unambiguously names the other as replacing or replaced.
    pub(super) is_certain: bool,
    /// True if one note names the other as replacing or replaced.
    pub(super) is_named: bool,
    /// Whether the other changes only a part of each: its statement has further values that the other lacks, or its note has
    /// other statements.
    pub(super) states_more: [bool; 2],
}

impl Evidence {
    fn new(score: f32, cue: String) -> Self {
        Self {
            score: score.clamp(0.0, 1.0),
            cue,
            values: None,
            quotes: <[String; 2]>::default(),
            overlap: 0.0,
            first_is_newer: None,
            is_ordered_by_dates: false,
            is_certain: false,
            is_named: false,
            states_more: [false; 2],
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
    pub(super) fn swapped(mut self) -> Self {
        self.quotes.reverse();
        self.states_more.reverse();
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
    notes: [&'a ParsedNote; 2],
    a: &'a ConflictStatement,
    b: &'a ConflictStatement,
    context: PairContext,
    /// Stems of the content words that both have.
    shared: Vec<u64>,
}

impl<'a> Pair<'a> {
    /// Pairs the statements at `at` of two notes; `None` if they have too little in common to contradict.
    pub(super) fn new(
        notes: [&'a ParsedNote; 2],
        at: [usize; 2],
        context: PairContext,
    ) -> Option<Self> {
        let (a, b) = (&notes[0].statements[at[0]], &notes[1].statements[at[1]]);
        let has = |stem: &&u64| b.has(**stem);
        let shared: Vec<u64> = a.content.iter().filter(has).copied().collect();
        let all = a.content.len() + b.content.len() - shared.len();
        let may = match context.mode {
            ComparisonMode::All => {
                !shared.is_empty() || context.tags > TagOverlap::None || context.is_same_space
            }
            ComparisonMode::NearlyIdentical => shared.len() > 2 && shared.len() * 20 >= all * 9,
            ComparisonMode::ChangesOnly => !shared.is_empty(),
        };
        let pair = Self {
            notes,
            a,
            b,
            context,
            shared,
        };
        let is_said = may && !a.is_boilerplate && !b.is_boilerplate;
        (is_said && !pair.has_other_owner()).then_some(pair)
    }

    /// Returns true if one statement begins with a thing of what the other is about: `Ann's cousin moved to Ulm`, `Ann lives
    /// in Kiel`.
    fn has_other_owner(&self) -> bool {
        let sides = [(0, self.a, self.b), (1, self.b, self.a)];
        sides.into_iter().any(|(at, ours, theirs)| {
            let content = ours.words.iter().enumerate();
            let mut content = content.filter(|(_, word)| word.is_content());
            let Some(((start, owner), (end, thing))) = content.next().zip(content.next()) else {
                return false;
            };
            let source = self.notes[at].source(&ours.words[start..=end]);
            let is_owner = source.contains("'s ") || source.contains("\u{2019}s ");
            is_owner && theirs.has(owner.stem) && !theirs.has(thing.stem)
        })
    }

    /// Returns true if both notes have the same speaker, or both are by agents.
    fn is_same_person(&self) -> bool {
        self.context.is_same_speaker == Some(true) || self.notes.iter().all(|note| note.by_agent)
    }

    /// Returns true if each statement has words before its value that the other lacks: the values then belong to
    /// two things.
    fn has_two_subjects(&self, [at, other]: [usize; 2]) -> bool {
        let lacks = |words: &[WordToken], by: &ConflictStatement| {
            words
                .iter()
                .any(|word| word.is_content() && !by.has(word.stem))
        };
        lacks(&self.a.words[..at], self.b) && lacks(&self.b.words[..other], self.a)
    }

    /// Returns true if the statements differ in names, kinds or numbers other than the words at `at`.
    fn has_other_differences(&self, at: [usize; 2]) -> bool {
        let differs = |ours: &ConflictStatement, but: usize, theirs: &ConflictStatement| {
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
                            !theirs.has_synonym(word)
                        }
                        None => word.is_name && !word.is_date() && !theirs.has(word.stem),
                    }
            })
        };
        differs(self.a, at[0], self.b) && differs(self.b, at[1], self.a)
    }

    /// Returns true if one of the statements reports an action, which may be repeated.
    fn has_action(&self) -> bool {
        [self.a, self.b].iter().any(|statement| {
            let first = statement.words.first();
            first.is_some_and(|word| word.form == VerbForm::Past && word.role == Role::Plain)
        })
    }

    /// Returns true if all statements of the two notes may be compared.
    fn compares_all(&self) -> bool {
        self.context.mode == ComparisonMode::All
    }

    /// Returns the strongest evidence.
    pub(super) fn strongest(&self) -> Option<Evidence> {
        let back = Self {
            notes: [self.notes[1], self.notes[0]],
            a: self.b,
            b: self.a,
            context: self.context,
            shared: self.shared.clone(),
        };
        if self.context.mode == ComparisonMode::ChangesOnly {
            let old_values = [self.old_value(), back.old_value().map(Evidence::swapped)];
            let told = old_values.into_iter().flatten();
            let evidence = told.max_by(|a, b| a.score.total_cmp(&b.score));
            return self.with_quotes(evidence?);
        }
        let ours = [self.old_value(), self.new_value(), self.new_place()];
        let theirs = [back.old_value(), back.new_value(), back.new_place()]
            .map(|evidence| evidence.map(Evidence::swapped));
        let changes = ours.into_iter().chain(theirs).flatten();
        let change = changes.max_by(|a, b| a.score.total_cmp(&b.score));
        let least = if self.context.is_asked {
            MIN_OVERLAP
        } else {
            0.0
        };
        let candidates = [
            self.denial(),
            back.denial(),
            self.other_definition(),
            back.other_definition(),
            self.other_name(),
        ];
        let alike = candidates.into_iter().filter(|_| self.overlap() >= least);
        // Exclusive values always differ, so leave them out of the overlap.
        let all = self.a.content.len() + self.b.content.len() - self.shared.len();
        let beside = self.shared.len() as f32 / all.saturating_sub(2).max(1) as f32;
        let exclusive = self.exclusive_values().filter(|_| beside >= least);
        let counted = self
            .other_number()
            .filter(|_| self.is_same_person() || self.overlap() >= least);
        let mut evidence = alike
            .chain([
                exclusive,
                counted,
                self.never_happened(),
                back.never_happened(),
                change.clone(),
            ])
            .flatten()
            .max_by(|a, b| a.score.total_cmp(&b.score))?;
        // A reported change gives the order even if other evidence is stronger.
        if let (None, Some(change)) = (evidence.first_is_newer, change) {
            evidence.first_is_newer = change.first_is_newer;
            evidence.is_ordered_by_dates = change.is_ordered_by_dates;
        }
        // A single sentence of many may have another subject.
        if self.context.mode == ComparisonMode::NearlyIdentical {
            evidence.score *= SINGLE_SENTENCE_FACTOR;
        }
        self.with_quotes(evidence)
    }

    /// Adds the quoted statements to the evidence; `None` if a statement is not valid now, or reports the words
    /// of others.
    fn with_quotes(&self, evidence: Evidence) -> Option<Evidence> {
        let sides = [(self.notes[0], self.a), (self.notes[1], self.b)];
        let sentences = sides.map(|(note, statement)| note.sentence(statement));
        let [ours, theirs] = sentences.map(quantities);
        let are_lasting = || {
            let mut sides = sides.iter();
            sides.all(|(note, statement)| self.is_lasting(note, statement))
        };
        let [first, second] = sentences.map(StatementFeatures::of);
        let [newer, older] = match evidence.first_is_newer {
            Some(false) => [&second, &first],
            _ => [&first, &second],
        };
        if share_quantity(&ours, &theirs)
            || newer.may_hold_with(older)
            || self.has_other_scope()
            || !are_lasting()
        {
            return None;
        }
        let quotes = sentences.map(|text| text.strip_suffix('.').unwrap_or(text).to_owned());
        Some(Evidence {
            quotes,
            overlap: self.overlap(),
            states_more: [
                self.has_more_values(self.a, self.b)
                    || self.notes[0].states_much_beyond(self.notes[1]),
                self.has_more_values(self.b, self.a)
                    || self.notes[1].states_much_beyond(self.notes[0]),
            ],
            ..evidence
        })
    }

    /// Returns true if one statement is limited to a place, an occasion or an owner that the other lacks:
    /// `In staging, …`, `Ben's number` and `my number`.
    fn has_other_scope(&self) -> bool {
        let limits_of =
            |note: &ParsedNote, statement: &ConflictStatement, other: &ConflictStatement| {
                let is_shared = |at: usize| {
                    let start = statement.span.0 + at as u32;
                    let mut words = statement.words.iter();
                    words.any(|word| word.span.0 == start && other.has(word.stem))
                };
                limits(note.sentence(statement), &is_shared)
            };
        let ours = limits_of(self.notes[0], self.a, self.b);
        let theirs = limits_of(self.notes[1], self.b, self.a);
        let mut all = ours.iter().chain(&theirs);
        all.any(|limit| limit.is_strong) || !ours.is_empty() && !theirs.is_empty()
    }

    /// Returns true if a statement is valid now without a stated end, its subject is not in quotation marks, and what
    /// follows in its line does not take it back.
    fn is_lasting(&self, note: &ParsedNote, statement: &ConflictStatement) -> bool {
        let rest = note.text.get(statement.span.1 as usize..);
        let next: String = rest
            .into_iter()
            .flat_map(str::chars)
            .take_while(|c| *c != '\n')
            .take(MAX_CHARS_OF_WITHDRAWAL)
            .collect();
        let is_taken_back = takes_back(&next);
        let Some(today) = self.context.today.filter(|_| !is_taken_back) else {
            return !is_taken_back;
        };
        let sentence = note.sentence(statement);
        let stated = note.stated.map(|at| at.to_zoned(TimeZone::UTC).date());
        let mut shared = statement
            .words
            .iter()
            .filter(|word| self.shared.contains(&word.stem));
        let quoted = quotations(sentence);
        let is_quoted = |word: &WordToken| {
            let at = (word.span.0 - statement.span.0) as usize;
            quoted.iter().any(|range| range.contains(&at))
        };
        !shared.any(is_quoted) && validity(sentence, stated.unwrap_or(today), today).is_lasting()
    }

    /// Returns true if a clause of `ours` about the common subject has more than one name or number that `theirs`
    /// lacks: `trains with AdamW and a batch size of 256`.
    fn has_more_values(&self, ours: &ConflictStatement, theirs: &ConflictStatement) -> bool {
        let is_name = |word: &WordToken| word.is_name && !word.is_date();
        let old_spans = ours.changes.iter().filter_map(|change| change.old.clone());
        let ended: Vec<&WordToken> = old_spans.flat_map(|old| &ours.words[old]).collect();
        let is_ended = |word: &WordToken| ended.iter().any(|ended| ended.span == word.span);
        let is_more = |value: &&[WordToken]| match &value[0].number {
            _ if is_ended(&value[0]) => false,
            Some(number) => {
                let mut theirs = theirs.words.iter();
                let is_counted = !number.is_year && !number.digits.contains('-');
                is_counted && !theirs.any(|word| word.number.as_ref() == Some(number))
            }
            None => is_name(&value[0]) && !value.iter().any(|word| theirs.has(word.stem)),
        };
        // A name of several words is one value, and so is `Postgres 15`.
        let is_one = |word: &WordToken, next: &WordToken| {
            is_name(word) && (is_name(next) || next.number.is_some())
        };
        let has_common =
            |clause: &[WordToken]| clause.iter().any(|word| self.shared.contains(&word.stem));
        let mut clauses = ours.words.chunk_by(|_, next| !next.is_after_break);
        clauses
            .any(|clause| has_common(clause) && clause.chunk_by(is_one).filter(is_more).count() > 1)
    }

    /// Returns source text of the first statement.
    fn first_source(&self, range: Range<usize>) -> &str {
        self.notes[0].source(&self.a.words[range])
    }

    /// Returns source text of the second statement.
    fn second_source(&self, range: Range<usize>) -> &str {
        self.notes[1].source(&self.b.words[range])
    }

    /// Returns source text of both statements.
    fn sources(&self, ours: Range<usize>, theirs: Range<usize>) -> [String; 2] {
        [
            self.first_source(ours).to_owned(),
            self.second_source(theirs).to_owned(),
        ]
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
        let is = |word: &WordToken| {
            word.stem == stem && (word.is_name || word.may_be_name && word.role == Role::Plain)
        };
        self.a.words.iter().any(is) || self.b.words.iter().any(is)
    }

    /// Returns true if a word is a name other than by its position at the start of a sentence.
    fn is_surely_name(&self, stem: u64) -> bool {
        let is = |word: &WordToken| word.stem == stem && word.is_name;
        self.a.words.iter().any(is) || self.b.words.iter().any(is)
    }

    /// Returns the strength of indications of one subject, 0–1, ignoring the words `but` of the evidence itself.
    fn subject_score(&self, but: &[u64]) -> f32 {
        let others = self.shared.iter().filter(|stem| !but.contains(stem));
        let names = others.clone().filter(|stem| self.is_name(**stem)).count();
        let mut subject = 0.3 * others.count().min(3) as f32 + 0.25 * names.min(2) as f32;
        if self.context.is_same_speaker == Some(true) {
            subject += 0.35;
        }
        if self.context.tags > TagOverlap::None {
            subject += 0.3;
        }
        if self.context.is_same_space {
            subject += 0.15;
        }
        subject.min(1.0)
    }
}

/// Returns true if the words are exclusive values.
fn are_exclusive(a: &WordToken, b: &WordToken) -> bool {
    a.values.iter().any(|ours| {
        let mut theirs = b.values.iter();
        theirs.any(|theirs| ours.group == theirs.group && ours.member != theirs.member)
    })
}

/// Returns the stems of the content words.
pub(super) fn stems(words: &[WordToken]) -> Vec<u64> {
    let content = words.iter().filter(|word| word.is_content());
    content.map(|word| word.stem).collect()
}

/// Returns the stem of the nearest content word along `positions`.
fn neighbour(words: &[WordToken], positions: impl Iterator<Item = usize>) -> Option<u64> {
    let mut positions = positions.map(|at| &words[at]);
    positions
        .find(|word| word.is_content())
        .map(|word| word.stem)
}

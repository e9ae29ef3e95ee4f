//! Tests whether one text contains all statements of another, unchanged.

use std::collections::HashSet;

use super::{Sentence, Token, Wording};
use crate::note::markdown::document::Document;
use crate::note::words::english;
use crate::note::words::english::WordEffect;

/// Words that are optional in a sentence.
const OPTIONAL_WORDS: [&str; 3] = ["the", "is", "are"];
/// Words that are optional at its beginning; elsewhere `a manager` and `the manager` differ.
const OPTIONAL_FIRST_WORDS: [&str; 3] = ["a", "an", "to"];
/// Exceptions: `few` and `a few` differ.
const AMOUNTS: [&str; 6] = ["bit", "couple", "few", "little", "lot", "number"];

/// Minimum words of an added sentence; a shorter one may revoke the text before: `Cancelled.`
const MIN_WORDS_ADDED: usize = 2;

impl Wording {
    /// Returns the share of this text that the other has too, 0–1. `None` unless this text has all sentences
    /// of the other in order, and adds only whole sentences that do not change them.
    pub fn restated_share(&self, other: &Self) -> Option<f64> {
        let keys = |text: &Self| text.sentences.iter().map(|it| it.key).collect::<Vec<_>>();
        let (ours, theirs) = (keys(self), keys(other));
        let ops = similar::capture_diff_slices(similar::Algorithm::Myers, &theirs, &ours);
        let mut shared = 0;
        let mut is_added = vec![false; ours.len()];
        for op in ops {
            let mut theirs = other.sentences[op.old_range()].iter().peekable();
            for at in op.new_range() {
                let sentence = &self.sentences[at];
                let is_said = |theirs: &&Sentence| {
                    op.tag() == similar::DiffTag::Equal || self.restates(sentence, other, theirs)
                };
                if theirs.next_if(is_said).is_some() {
                    shared += sentence.tokens.len();
                } else {
                    is_added[at] = true;
                }
            }
            if theirs.next().is_some() {
                return None;
            }
        }
        let (mut added, known): (Vec<usize>, Vec<usize>) =
            (0..ours.len()).partition(|at| is_added[*at]);
        let whole = |at: &usize| self.sentences[*at].whole;
        let known: HashSet<usize> = known.iter().map(whole).filter(|whole| *whole > 0).collect();
        // A list with an added item is a different list: its members, its tasks.
        let is_other = added.iter().any(|at| known.contains(&whole(at)));
        added.retain(|at| !self.is_harmless_addition(*at, &is_added));
        (added.is_empty() && !is_other).then(|| {
            let all = self.len();
            if all == 0 {
                1.0
            } else {
                shared as f64 / all as f64
            }
        })
    }

    /// Returns whether both texts have the same meaning.
    pub fn is_same(&self, other: &Self) -> bool {
        self.sentences.len() == other.sentences.len() && self.restated_share(other).is_some()
    }

    /// Returns whether the sentence at `at` does not change the sentences that both have.
    fn is_harmless_addition(&self, at: usize, is_added: &[bool]) -> bool {
        let sentence = &self.sentences[at];
        // It says how to read the next sentence.
        if sentence.governs && is_added.get(at + 1) == Some(&false) {
            return false;
        }
        let words = sentence
            .tokens
            .iter()
            .filter(|token| !matches!(token, Token::Sign(_)));
        let least = if sentence.is_block {
            1
        } else {
            MIN_WORDS_ADDED
        };
        words.count() >= least && !sentence.tokens.iter().any(may_revoke)
    }

    /// Returns whether two sentences are equal except for optional words and inflections. An additional word
    /// within a sentence can change its subject: `the staging key`.
    fn restates(&self, ours: &Sentence, other: &Self, theirs: &Sentence) -> bool {
        let is_headline = self.is_headline || other.is_headline;
        let [a, b] = [ours, theirs].map(required_tokens);
        a.len() == b.len() && (0..a.len()).all(|at| is_same(&a, &b, at, is_headline))
    }
}

/// Minimum words of a restated text; fewer words can occur in a longer text by chance.
const MIN_WORDS_RESTATED: usize = 5;

/// Returns whether `long` makes the paragraph or item `short` redundant. It must contain all of `short` by
/// [`Wording::restated_share`], with its numbers and markup verbatim.
pub fn is_restated(short: &str, long: &str) -> bool {
    let mut kept = as_written(long);
    let [short_wording, mut long_wording] =
        [short, long].map(|text| Wording::of(&Document::of_body(text), false));
    // In a few words capitals mark names.
    long_wording.is_headline = false;
    let short_wording = Wording {
        is_headline: false,
        ..short_wording
    };
    as_written(short).all(|chunk| kept.any(|known| known == chunk))
        && !short_wording.is_empty()
        && long_wording.restated_share(&short_wording).is_some()
        && (short_wording.sentences.len() == long_wording.sentences.len()
            || short_wording.len() >= MIN_WORDS_RESTATED)
}

/// Returns the chunks of a text that are not plain words: links, tags, emphasis, code, numbers.
fn as_written(text: &str) -> impl Iterator<Item = &str> {
    let says = |c: char| c.is_numeric() || "[]<>`$%^#\\*_~=|@{}/".contains(c);
    let chunks = text.split_whitespace().filter(move |it| it.contains(says));
    chunks.map(|chunk| chunk.trim_end_matches(['.', ',', ';', ':', '!']))
}

/// Returns the tokens of a sentence without the optional ones.
fn required_tokens(sentence: &Sentence) -> Vec<&Token> {
    let tokens = &sentence.tokens;
    let is_silent = |at: usize| {
        let Token::Word(word) = &tokens[at] else {
            return false;
        };
        let is_amount = |next: &str| AMOUNTS.contains(&next);
        let is_silent = OPTIONAL_WORDS.contains(&word.as_str())
            || at == 0 && OPTIONAL_FIRST_WORDS.contains(&word.as_str());
        match tokens.get(at + 1) {
            Some(Token::Word(next)) => is_silent && !is_amount(next),
            Some(Token::Number(_)) => is_silent,
            _ => false,
        }
    };
    let required_tokens = (0..tokens.len()).filter(|at| !is_silent(*at));
    required_tokens.map(|at| &tokens[at]).collect()
}

/// Returns whether the tokens at `at` are equal, or a progressive and a simple form: `is running`, `runs`.
fn is_same(a: &[&Token], b: &[&Token], at: usize, is_headline: bool) -> bool {
    let (Token::Word(x), Token::Word(y)) = (a[at], b[at]) else {
        return a[at] == b[at];
    };
    let is_plain = |word: &str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    x == y
        || is_headline && uncapitalised(x) == uncapitalised(y)
        || is_plain(x)
            && is_plain(y)
            && is_progressive(a, at) != is_progressive(b, at)
            && english::stem_keeping_past(x) == english::stem_keeping_past(y)
}

fn uncapitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// Returns whether the word at `at` is a progressive: it ends with `ing` and follows a content word. `the
/// training` is not a form of `the train`.
fn is_progressive(tokens: &[&Token], at: usize) -> bool {
    let is_plain = |token: &Token| matches!(token, Token::Word(word) if english::word(word).class == english::Class::Plain);
    matches!(tokens[at], Token::Word(word) if word.ends_with("ing"))
        && at
            .checked_sub(1)
            .is_some_and(|before| is_plain(tokens[before]))
}

/// Returns whether a sentence with this token may revoke another.
fn may_revoke(token: &Token) -> bool {
    match token {
        Token::Word(word) => {
            let word = word.to_lowercase();
            english::is_negation(&word) || english::word(&word).content == WordEffect::Qualifies
        }
        Token::Number(_) | Token::Sign(_) | Token::Verbatim(_) => false,
    }
}

//! A note as statements: what can be held against what another note states.
//!
//! A statement is a line or a sentence of it. Questions, quotes, code and tables state nothing. A line that
//! begins with a name and a colon (`Sarah Chen: uses Vim`) is by or about whom it names.

use super::attribute::attributes;
use super::frame::WORDS;
use super::lexicon::{Part, Role};
use super::statement::Statement;
use super::token::{Form, Word, words};
use super::topic::Topic;
use super::turn::{Turn, turns};
use crate::jobs::prelude::*;
use crate::note::markdown::lines::{LineRole, lines};
use crate::note::markdown::links::whole_wikilink;
use crate::note::markdown::sentences;
use crate::note::words::segments::Weights;

/// A note is read up to here: what comes later seldom decides what it is about.
const STATEMENTS: usize = 300;

/// A note of so many words says one thing.
pub(super) const BRIEF: usize = 60;

/// What a note states.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    /// Title and body, as they were read.
    pub(super) text: String,
    pub(super) statements: Vec<Statement>,
    /// What the note is about.
    pub(super) topic: Topic,
    /// True if mem or an agent wrote it.
    pub(super) by_agent: bool,
    /// Who speaks or is spoken of: hash of the name before a colon.
    pub(super) speaker: Option<u64>,
    /// Stem and statement, for finding statements that share words.
    pub(super) index: Vec<(u64, u32)>,
    /// Words of all statements.
    pub(super) words: usize,
}

impl Account {
    /// Reads a note of this title and body.
    pub(super) fn of(title: &str, body: &str) -> Self {
        let mut text = String::with_capacity(title.len() + 1 + body.len());
        text.push_str(title);
        text.push('\n');
        text.push_str(body);
        let mut account = Self::default();
        let name = text[..title.len()].trim();
        account.line(&text, name.trim_start_matches(['-', '*', '+', ' ']), true);
        let mut is_first = true;
        for line in lines(&Document::of(&text, title.len() + 1..text.len())) {
            if account.statements.len() >= STATEMENTS {
                break;
            }
            let written = text[line.span].trim();
            let may_state =
                matches!(line.role, LineRole::Text | LineRole::Html) && line.quotes == 0;
            if !may_state || written.starts_with(['#', '|', '>', '<']) || is_link(written) {
                continue;
            }
            // What stands before a colon further down, or in a list, is a label.
            let may_speak = std::mem::take(&mut is_first) && !written.starts_with(['-', '+']);
            let mut said = written.trim_start_matches(['-', '*', '+', ' ']);
            if may_speak && let Some((name, rest)) = speaker(said) {
                account.speaker = Some(speaker_hash(name));
                said = rest;
            }
            account.line(&text, said, false);
        }
        // A title that the body begins with says nothing twice.
        if let [title, first, ..] = account.statements.as_slice()
            && title.is_title
            && !first.is_title
            && title
                .content
                .iter()
                .all(|stem| first.content.contains(stem))
        {
            account.statements.remove(0);
        }
        for (index, statement) in account.statements.iter().enumerate() {
            account.words += statement.words.len();
            let stems = statement.content.iter();
            account
                .index
                .extend(stems.map(|stem| (*stem, index as u32)));
        }
        account.index.sort_unstable();
        account.text = text;
        account
    }

    /// Adds what a line of `text` states.
    fn line(&mut self, text: &str, line: &str, is_title: bool) {
        for sentence in sentences::of_line(line) {
            let sentence = stated(sentence);
            if !sentence.is_empty() {
                // A part of `text`, so the distance fits: files of 4 GB are no notes.
                let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
                self.push((sentence, text), start as u32, is_title);
            }
        }
    }

    /// Returns true if a word of this stem says something in it.
    pub(super) fn says(&self, stem: u64) -> bool {
        let at = self.index.partition_point(|(other, _)| *other < stem);
        self.index.get(at).is_some_and(|(other, _)| *other == stem)
    }

    /// Returns neighbouring words as they are written, with what stands between them.
    pub(super) fn written(&self, words: &[Word]) -> &str {
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => self
                .text
                .get(first.span.0 as usize..last.span.1 as usize)
                .unwrap_or_default(),
            _ => "",
        }
    }

    /// Returns true if `statement` says what gave way to what, and as of something that happened: `was
    /// replaced`, not `is replaced`.
    pub(super) fn tells(&self, statement: &Statement, turn: &Turn) -> bool {
        let before = turn.at.checked_sub(1);
        let is_general = before.is_some_and(|at| {
            let word = self.written(&statement.words[at..=at]).to_lowercase();
            matches!(
                word.as_str(),
                "is" | "are" | "be" | "being" | "get" | "gets"
            )
        });
        let says_all = turn.old.is_some() && turn.new.is_some();
        says_all && statement.words[turn.at].form == Form::Past && !is_general
    }

    /// Returns true if a statement tells of the affairs of who writes it, by a name or number of what gave
    /// way: `We moved from SQLite to Postgres`.
    ///
    /// `TLS replaced SSL` is a change of the world, which makes no note outdated, and `we will have to push,
    /// since we replaced the old one` an example. An agent writes of nothing else.
    pub(super) fn is_of_writer(&self, statement: &Statement, turn: &Turn) -> bool {
        let words = &statement.words;
        let is_supposed = |word: &Word| {
            word.role == Role::Hedge
                || matches!(word.class, Class::Will | Class::May)
                || word.part == Part::AtTimes
        };
        let breaks = (1..=turn.at).rev().find(|at| words[*at].breaks);
        let mut before = words[breaks.unwrap_or(0)..turn.at].iter();
        let speaks =
            turn.at == 0 || before.any(|word| matches!(word.part, Part::Writer | Part::Owner));
        let is_value = |word: &Word| {
            word.is_name || word.may_be_name || word.number.is_some() || !word.values.is_empty()
        };
        let old = turn.old.clone().unwrap_or_default();
        let names = words[old].iter().any(is_value);
        self.by_agent || speaks && names && !words.iter().any(is_supposed)
    }

    /// Marks the statements of which all parts weigh less than `least`.
    pub(super) fn mark_forms(&mut self, weights: &Weights, least: f32) {
        for statement in &mut self.statements {
            let mut words = statement.words.iter().filter(|word| word.is_content());
            statement.is_form = words.all(|word| weights.at(word.span.0 as usize) < least);
        }
    }

    fn push(&mut self, (sentence, text): (&str, &str), start: u32, is_title: bool) {
        let words = words(sentence, start);
        let content = words.iter().filter(|word| word.is_content());
        let mut content: Vec<u64> = content.map(|word| word.stem).collect();
        content.sort_unstable();
        content.dedup();
        let positions = |is: &dyn Fn(&Word) -> bool| -> Vec<usize> {
            (0..words.len()).filter(|at| is(&words[*at])).collect()
        };
        // Numbers and dates in a title name one of a series more often than they state anything.
        let numbers = positions(&|word| word.number.is_some() && !is_title);
        let negations = positions(&|word| word.role == Role::Negation);
        // A statement of one word is an answer or an outcry.
        if content.is_empty() || content.len() + numbers.len() + negations.len() < 2 {
            return;
        }
        self.statements.push(Statement {
            span: (start, start + sentence.len() as u32),
            attributes: attributes(&words, text),
            turns: turns(&words),
            negation: match negations.as_slice() {
                [at] => Some(*at),
                _ => None,
            },
            is_negated: !negations.is_empty(),
            valued: positions(&|word| {
                word.values
                    .iter()
                    .any(|value| !is_title || !value.is_calendar())
            }),
            numbers,
            content,
            is_title,
            is_form: false,
            words,
        });
    }
}

/// Returns the hash by which a speaker is known.
pub(super) fn speaker_hash(name: &str) -> u64 {
    xxh3_64(name.trim().to_lowercase().as_bytes())
}

/// Returns the name before a colon that a line begins with, and the rest.
fn speaker(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(": ")?;
    let name = name.trim_matches('*');
    let words: Vec<&str> = name.split(' ').collect();
    let is_name = words.len() <= 3
        && words.iter().all(|word| {
            word.starts_with(char::is_uppercase)
                && word
                    .chars()
                    .all(|c| c.is_alphabetic() || c == '.' || c == '-')
        });
    is_name.then_some((name, rest))
}

/// Returns what a sentence states: of a question only what stands before it is asked.
fn stated(sentence: &str) -> &str {
    if !sentence.ends_with('?') {
        return sentence;
    }
    let asks = |(at, _): &(usize, &str)| {
        let mut words = sentence[at + 2..].split_whitespace();
        let mut first = words.next().unwrap_or_default();
        if matches!(first, "and" | "so" | "but" | "-") {
            first = words.next().unwrap_or_default();
        }
        WORDS.has("asks", first)
    };
    let asked = [", ", "- ", "; "]
        .into_iter()
        .flat_map(|sign| sentence.match_indices(sign));
    let asked = asked.filter(asks).map(|(at, _)| at).min();
    asked.map_or("", |at| sentence[..at].trim_end())
}

/// Returns true if a line only says where to look: one link, with a label before it perhaps.
fn is_link(line: &str) -> bool {
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    whole_wikilink(line).is_some()
}

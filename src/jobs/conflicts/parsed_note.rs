//! A note as a list of statements, the unit of comparison.
//!
//! A statement is a line or a sentence. Questions, quotes, code and tables are excluded. A line that begins
//! with a name and a colon (`Sarah Chen: uses Vim`) is by or about that person.

use super::lexicon::{LEXICON_LISTS, Marker, Role};
use super::state_change::{StateChange, state_changes};
use super::statement::ConflictStatement;
use super::token::{VerbForm, WordToken, words};
use super::topic::TitleTopic;
use jiff::Timestamp;

use crate::jobs::prelude::*;
use crate::note::facts::validity::{StatementLabel, label};
use crate::note::markdown::lines::{LineRole, lines};
use crate::note::markdown::links::whole_wikilink;
use crate::note::markdown::sentences;
use crate::note::words::segments::TextWeights;

/// Number of statements read per note; later text rarely decides the subject.
const MAX_STATEMENTS: usize = 300;

/// Maximum number of words of a short note, which has a single subject.
pub(super) const MAX_SHORT_NOTE_WORDS: usize = 60;

/// Maximum number of words of one or two statements that are compared like those of an agent.
const MAX_MEMORY_WORDS: usize = 30;

/// Maximum number of statements in a note by a person that another note can replace unasked.
const MAX_REPLACED_STATEMENTS: usize = 2;

/// The statements of a note.
#[derive(Clone, Debug, Default)]
pub(super) struct ParsedNote {
    /// Title and body that the spans refer to.
    pub(super) text: String,
    pub(super) statements: Vec<ConflictStatement>,
    /// Subject of the note.
    pub(super) topic: TitleTopic,
    /// True if mem or an agent wrote it.
    pub(super) by_agent: bool,
    /// The stated time of the note.
    pub(super) stated: Option<Timestamp>,
    /// Hash of the name before a colon: the speaker or the person addressed.
    pub(super) speaker: Option<u64>,
    /// Pairs of stem and statement number, sorted, to find statements with common words.
    pub(super) index: Vec<(u64, u32)>,
    /// Number of words in all statements.
    pub(super) words: usize,
}

impl ParsedNote {
    /// Parses the statements of a title and a body.
    pub(super) fn of(title: &str, body: &str) -> Self {
        let mut text = String::with_capacity(title.len() + 1 + body.len());
        text.push_str(title);
        text.push('\n');
        text.push_str(body);
        let mut note = Self::default();
        let name = text[..title.len()].trim();
        note.add_line(&text, name.trim_start_matches(['-', '*', '+', ' ']), true);
        let mut is_first = true;
        for line in lines(&Document::of(&text, title.len() + 1..text.len())) {
            if note.statements.len() >= MAX_STATEMENTS {
                break;
            }
            let written = text[line.span].trim();
            let may_state =
                matches!(line.role, LineRole::Text | LineRole::Html) && line.quotes == 0;
            if !may_state || written.starts_with(['#', '|', '>', '<']) || is_single_link(written) {
                continue;
            }
            // Further down, or in a list, the text before a colon is a label.
            let may_speak = std::mem::take(&mut is_first) && !written.starts_with(['-', '+']);
            let mut said = written.trim_start_matches(['-', '*', '+', ' ']);
            match label(said) {
                Some(StatementLabel::Draft) => continue,
                Some(StatementLabel::News) => {
                    said = said.split_once(':').map_or(said, |(_, news)| news);
                }
                None => {}
            }
            if may_speak && let Some((name, rest)) = speaker(said) {
                note.speaker = Some(speaker_hash(name));
                said = rest;
            }
            note.add_line(&text, said, false);
        }
        // Drop a title that the body repeats at its beginning.
        if let [title, first, ..] = note.statements.as_slice()
            && title.is_title
            && !first.is_title
            && title
                .content
                .iter()
                .all(|stem| first.content.contains(stem))
        {
            note.statements.remove(0);
        }
        for (index, statement) in note.statements.iter().enumerate() {
            note.words += statement.words.len();
            let stems = statement.content.iter();
            note.index.extend(stems.map(|stem| (*stem, index as u32)));
        }
        note.index.sort_unstable();
        note.text = text;
        note
    }

    /// Adds the statements of a line of `text`.
    fn add_line(&mut self, text: &str, line: &str, is_title: bool) {
        for sentence in sentences::of_line(line) {
            let sentence = statement_part(sentence);
            if !sentence.is_empty() {
                // The sentence is a slice of `text`; the offset fits because notes are smaller than 4 GB.
                let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
                self.push_statement(sentence, start as u32, is_title);
            }
        }
    }

    /// Returns true if an agent wrote the note, or it consists of one or two statements like a note by an agent.
    pub(super) fn is_memory(&self) -> bool {
        let stated = self
            .statements
            .iter()
            .filter(|statement| !statement.is_title);
        self.by_agent || self.words <= MAX_MEMORY_WORDS && (1..=2).contains(&stated.count())
    }

    /// Returns true if the note is by a person and has several statements that `other` lacks: a replacement would hide
    /// those, too.
    pub(super) fn states_much_beyond(&self, other: &Self) -> bool {
        let is_repeated = |one: &&ConflictStatement| {
            let mut theirs = other.statements.iter();
            theirs.any(|theirs| other.sentence(theirs) == self.sentence(one))
        };
        let own = self.statements.iter();
        let own = own.filter(|one| !one.is_title && !is_repeated(one));
        !self.by_agent && own.count() > MAX_REPLACED_STATEMENTS
    }

    /// Returns the text of a statement.
    pub(super) fn sentence(&self, statement: &ConflictStatement) -> &str {
        let (start, end) = statement.span;
        let span = start as usize..end as usize;
        self.text.get(span).unwrap_or_default()
    }

    /// Returns the source text from the first to the last of `words`.
    pub(super) fn source(&self, words: &[WordToken]) -> &str {
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => self
                .text
                .get(first.span.0 as usize..last.span.1 as usize)
                .unwrap_or_default(),
            _ => "",
        }
    }

    /// Returns true if `statement` reports a completed change with old and new value: `was replaced`, not
    /// `is replaced`.
    pub(super) fn is_completed_change(
        &self,
        statement: &ConflictStatement,
        change: &StateChange,
    ) -> bool {
        let before = change.at.checked_sub(1);
        let is_general = before.is_some_and(|at| {
            let word = self.source(&statement.words[at..=at]).to_lowercase();
            matches!(
                word.as_str(),
                "is" | "are" | "be" | "being" | "get" | "gets"
            )
        });
        let restated_share = change.old.is_some() && change.new.is_some();
        restated_share && statement.words[change.at].form == VerbForm::Past && !is_general
    }

    /// Returns true if a change concerns the writer and the old value is a name or number: `We moved from SQLite
    /// to Postgres`.
    ///
    /// `TLS replaced SSL` is general knowledge and outdates no note. `We will have to push, since we replaced the
    /// old one` is hypothetical. Notes by agents always qualify.
    pub(super) fn is_about_writer(
        &self,
        statement: &ConflictStatement,
        change: &StateChange,
    ) -> bool {
        let words = &statement.words;
        let is_supposed = |word: &WordToken| {
            word.role == Role::Hedge
                || matches!(word.class, Class::Will | Class::May)
                || word.marker == Marker::AtTimes
        };
        let breaks = (1..=change.at).rev().find(|at| words[*at].is_after_break);
        let mut before = words[breaks.unwrap_or(0)..change.at].iter();
        let speaks = change.at == 0
            || before.any(|word| matches!(word.marker, Marker::Writer | Marker::Owner));
        let is_value = |word: &WordToken| {
            word.is_name || word.may_be_name || word.number.is_some() || !word.values.is_empty()
        };
        let old = change.old.clone().unwrap_or_default();
        let names = words[old].iter().any(is_value);
        self.by_agent || speaks && names && !words.iter().any(is_supposed)
    }

    /// Marks statements whose content words all weigh less than `least`.
    pub(super) fn mark_boilerplate(&mut self, weights: &TextWeights, least: f32) {
        for statement in &mut self.statements {
            let mut words = statement.words.iter().filter(|word| word.is_content());
            statement.is_boilerplate = words.all(|word| weights.at(word.span.0 as usize) < least);
        }
    }

    fn push_statement(&mut self, sentence: &str, start: u32, is_title: bool) {
        let words = words(sentence, start);
        let mut content: Vec<u64> = words
            .iter()
            .filter(|word| word.is_content())
            .map(|word| word.stem)
            .collect();
        content.sort_unstable();
        content.dedup();
        let positions = |is: &dyn Fn(&WordToken) -> bool| -> Vec<usize> {
            (0..words.len()).filter(|at| is(&words[*at])).collect()
        };
        // Numbers and dates in a title usually identify a member of a series.
        let numbers = positions(&|word| word.number.is_some() && !is_title);
        let negations = positions(&|word| word.role == Role::Negation);
        // A statement of one word is an answer or an exclamation.
        if content.is_empty() || content.len() + numbers.len() + negations.len() < 2 {
            return;
        }
        self.statements.push(ConflictStatement {
            span: (start, start + sentence.len() as u32),
            changes: state_changes(&words),
            negation: match negations.as_slice() {
                [at] => Some(*at),
                _ => None,
            },
            is_negated: !negations.is_empty(),
            value_words: positions(&|word| {
                word.values
                    .iter()
                    .any(|value| !is_title || !value.is_calendar())
            }),
            numbers,
            content,
            is_title,
            is_boilerplate: false,
            words,
        });
    }
}

/// Returns the hash that identifies a speaker.
pub(super) fn speaker_hash(name: &str) -> u64 {
    xxh3_64(name.trim().to_lowercase().as_bytes())
}

/// Splits a leading `Name: ` from a line.
pub(super) fn speaker(line: &str) -> Option<(&str, &str)> {
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
    // `Password: hunter2`
    let is_attribute = |word: &&str| LEXICON_LISTS.has("single", &word.to_lowercase());
    let is_label = words.last().is_some_and(is_attribute);
    (is_name && !is_label).then_some((name, rest))
}

/// Returns the part of a sentence before a question; all of it if it is not a question.
fn statement_part(sentence: &str) -> &str {
    if !sentence.ends_with('?') {
        return sentence;
    }
    let asks = |(at, _): &(usize, &str)| {
        let mut words = sentence[at + 2..].split_whitespace();
        let mut first = words.next().unwrap_or_default();
        if matches!(first, "and" | "so" | "but" | "-") {
            first = words.next().unwrap_or_default();
        }
        LEXICON_LISTS.has("asks", first)
    };
    let signs = [", ", "- ", "; "]
        .into_iter()
        .flat_map(|sign| sentence.match_indices(sign));
    let asked = signs.filter(asks).map(|(at, _)| at).min();
    asked.map_or("", |at| sentence[..at].trim_end())
}

/// Returns true if a line consists of a single link, optionally after a label.
fn is_single_link(line: &str) -> bool {
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    whole_wikilink(line).is_some()
}

//! A note as statements: what can be held against what another note states.
//!
//! A statement is a line or a sentence of it, as words with what they do (see [`words`](super::words)).
//! Questions, quotes, code and tables state nothing. A line that begins with a name and a colon
//! (`Sarah Chen: uses Vim`) is by or about whom it names.

use xxhash_rust::xxh3::xxh3_64;

use super::turn::{Turn, turns};
use super::words::{Known, Lexicon, Mark, Role, Value, stem};

/// A sentence is read up to so many words: a longer one is a list or no prose.
const WORDS: usize = 80;

/// A note is read up to here: what comes later seldom decides what it is about.
const STATEMENTS: usize = 300;

/// A word of a statement.
#[derive(Clone, Debug)]
pub(super) struct Word<'l> {
    /// Where it stands in the text that was read.
    pub(super) span: (u32, u32),
    /// Hash of its stem.
    pub(super) stem: u64,
    pub(super) role: Role,
    pub(super) mark: Mark,
    pub(super) values: &'l [Value],
    /// Written like a name: with a capital in the middle of a sentence, or within.
    pub(super) is_name: bool,
    /// Begins a sentence with a capital: a name perhaps.
    pub(super) may_be_name: bool,
    /// The number it is, and the unit that is written with it.
    pub(super) number: Option<Box<Number>>,
    /// True if a comma, a bracket or the like stands before it.
    pub(super) breaks: bool,
    pub(super) form: Form,
}

/// What the ending of a word says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Nothing.
    Bare,
    /// It is under way: `switching`.
    UnderWay,
    /// It is done: `replaced`.
    Past,
    /// It is said of something: `is`, `were`.
    Finite,
}

impl Form {
    fn of(word: &str) -> Self {
        if matches!(word, "is" | "are" | "was" | "were") {
            Self::Finite
        } else if word.ends_with("ing") {
            Self::UnderWay
        } else if word.ends_with("ed") {
            Self::Past
        } else {
            Self::Bare
        }
    }
}

/// A number as it is written in a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    /// The digits, without separators of thousands.
    pub(super) digits: String,
    /// What is written with it: `ms`, `%`, `$`; empty if nothing is.
    pub(super) unit: String,
    /// True for what reads as a year.
    pub(super) is_year: bool,
}

impl Word<'_> {
    /// Returns true for a month and a day of the week.
    pub(super) fn is_date(&self) -> bool {
        self.values.iter().any(|value| value.is_calendar())
    }

    /// Returns true if it says something of its own.
    pub(super) fn is_content(&self) -> bool {
        !matches!(self.role, Role::Function | Role::Negation) && self.number.is_none()
    }
}

/// A sentence or line.
#[derive(Clone, Debug)]
pub(super) struct Statement<'l> {
    pub(super) words: Vec<Word<'l>>,
    /// Stems of the words that say something, each once, in order of their hashes.
    pub(super) content: Vec<u64>,
    /// What it says to have changed.
    pub(super) turns: Vec<Turn>,
    /// Where its negation stands, if it has exactly one.
    pub(super) negation: Option<usize>,
    /// True if it has any.
    pub(super) is_negated: bool,
    /// Where its numbers stand.
    pub(super) numbers: Vec<usize>,
    /// Where words of sets of values stand.
    pub(super) valued: Vec<usize>,
    /// True for the title of the note.
    pub(super) is_title: bool,
}

impl Statement<'_> {
    /// Returns true if a word of this stem says something in it.
    pub(super) fn has(&self, stem: u64) -> bool {
        self.content.binary_search(&stem).is_ok()
    }
}

/// What a note states.
#[derive(Clone, Debug, Default)]
pub(super) struct Account<'l> {
    /// Title and body, as they were read.
    pub(super) text: String,
    pub(super) statements: Vec<Statement<'l>>,
    /// By which names others speak of the note, in small letters.
    pub(super) names: Vec<String>,
    /// Who speaks or is spoken of: hash of the name before a colon.
    pub(super) speaker: Option<u64>,
    /// Stem and statement, for finding statements that share words.
    pub(super) index: Vec<(u64, u32)>,
    /// Words of all statements.
    pub(super) words: usize,
}

impl<'l> Account<'l> {
    /// Reads a note of this title and body.
    pub(super) fn of(lexicon: &'l Lexicon, title: &str, body: &str) -> Self {
        let mut text = String::with_capacity(title.len() + 1 + body.len());
        text.push_str(title);
        text.push('\n');
        text.push_str(body);
        let mut account = Self::default();
        let mut fence: Option<&str> = None;
        let mut is_title = true;
        for whole in text.lines() {
            if account.statements.len() >= STATEMENTS {
                break;
            }
            let mut line = whole.trim();
            let mark = ["```", "~~~"]
                .into_iter()
                .find(|mark| line.starts_with(mark));
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if open == mark => fence = None,
                (None, None)
                    if is_title || !line.starts_with(['#', '|', '>', '<']) && !is_link(line) =>
                {
                    line = line.trim_start_matches(['-', '*', '+', ' ']);
                    if !is_title
                        && account.speaker.is_none()
                        && let Some((name, rest)) = speaker(line)
                    {
                        account.speaker = Some(speaker_hash(name));
                        line = rest;
                    }
                    for sentence in sentences(line) {
                        if !sentence.ends_with('?') {
                            // A part of `text`, so the distance fits: files of 4 GB are no notes.
                            let start = sentence.as_ptr() as usize - text.as_ptr() as usize;
                            account.push(lexicon, sentence, start as u32, is_title);
                        }
                    }
                }
                _ => {}
            }
            is_title = false;
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
        for (place, statement) in account.statements.iter().enumerate() {
            account.words += statement.words.len();
            let stems = statement.content.iter();
            account
                .index
                .extend(stems.map(|stem| (*stem, place as u32)));
        }
        account.index.sort_unstable();
        account.text = text;
        account
    }

    /// Returns neighbouring words as they are written, with what stands between them.
    pub(super) fn written(&self, words: &[Word<'_>]) -> &str {
        match (words.first(), words.last()) {
            (Some(first), Some(last)) => self
                .text
                .get(first.span.0 as usize..last.span.1 as usize)
                .unwrap_or_default(),
            _ => "",
        }
    }

    fn push(&mut self, lexicon: &'l Lexicon, sentence: &str, start: u32, is_title: bool) {
        let words = words(lexicon, sentence, start);
        let mut content: Vec<u64> = words
            .iter()
            .filter(|word| word.is_content())
            .map(|word| word.stem)
            .collect();
        content.sort_unstable();
        content.dedup();
        let places = |is: &dyn Fn(&Word<'_>) -> bool| -> Vec<usize> {
            (0..words.len()).filter(|at| is(&words[*at])).collect()
        };
        // Numbers and dates in a title name one of a series more often than they state anything.
        let numbers = places(&|word| word.number.is_some() && !is_title);
        // A statement of one word is an answer or an outcry.
        if content.is_empty() || content.len() + numbers.len() < 2 {
            return;
        }
        let negations = places(&|word| word.role == Role::Negation);
        self.statements.push(Statement {
            turns: turns(&words),
            negation: match negations.as_slice() {
                [at] => Some(*at),
                _ => None,
            },
            is_negated: !negations.is_empty(),
            valued: places(&|word| {
                word.values
                    .iter()
                    .any(|value| !is_title || !value.is_calendar())
            }),
            numbers,
            content,
            is_title,
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

/// Returns true if a line only says where to look: one link, with a label before it perhaps.
fn is_link(line: &str) -> bool {
    let line = line.split_once(": ").map_or(line, |(_, rest)| rest);
    line.starts_with("[[") && line.ends_with("]]") && line.matches("[[").count() == 1
}

/// Splits a line into sentences.
fn sentences(line: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, mark) in line.match_indices(['.', '!', '?']) {
        let end = at + mark.len();
        let next = line[end..].chars().next();
        // A single letter before the point is an initial, and a point within a word is no end.
        let mut back = line[start..at].chars().rev();
        let is_initial = mark == "."
            && back.next().is_some_and(char::is_uppercase)
            && back.next().is_none_or(|c| matches!(c, ' ' | '.' | '('));
        if next.is_none_or(char::is_whitespace) && !is_initial {
            sentences.push(line[start..end].trim());
            start = end;
        }
    }
    sentences.push(line[start..].trim());
    sentences.retain(|sentence| !sentence.is_empty());
    sentences
}

/// Reads the words of a sentence.
fn words<'l>(lexicon: &'l Lexicon, sentence: &str, base: u32) -> Vec<Word<'l>> {
    let mut words: Vec<Word<'l>> = Vec::new();
    let mut breaks = false;
    let mut chars = sentence.char_indices().peekable();
    let mut currency = false;
    while let Some((start, c)) = chars.next().filter(|_| words.len() < WORDS) {
        if c == ']' && sentence[start + 1..].starts_with('(') {
            // Where a link leads says nothing.
            for (_, c) in chars.by_ref() {
                if c == ')' {
                    break;
                }
            }
            breaks = true;
            continue;
        }
        if !c.is_alphanumeric() {
            currency = matches!(c, '$' | '€' | '£');
            breaks |= matches!(
                c,
                ',' | '(' | ')' | ':' | ';' | '"' | '“' | '”' | '—' | '–' | '/' | '|' | '→'
            );
            continue;
        }
        let mut end = start + c.len_utf8();
        while let Some((at, c)) = chars.peek().copied() {
            let after = sentence[at + c.len_utf8()..].chars().next();
            let goes_on = c.is_alphanumeric()
                || matches!(c, '\'' | '’' | '-' | '.' | ',' | ':' | '_' | '+' | '&')
                    && after.is_some_and(char::is_alphanumeric)
                    && (!matches!(c, ',' | ':' | '.')
                        || sentence[..at].ends_with(|c: char| c.is_ascii_digit())
                            && after.is_some_and(|next| next.is_ascii_digit())
                        || c == '.' && after.is_some_and(char::is_lowercase));
            if !goes_on {
                break;
            }
            end = at + c.len_utf8();
            chars.next();
        }
        let mut text = &sentence[start..end];
        if text.starts_with("http") || text.starts_with("www.") {
            while chars.next_if(|(_, c)| !c.is_whitespace()).is_some() {}
            breaks = true;
            continue;
        }
        // `turn-based` is one word, `2024-01-05` is one number, `San-Francisco-based` is not looked into.
        let percent = sentence[end..].starts_with('%') || sentence[end..].starts_with(" %");
        text = text.trim_end_matches("'s").trim_end_matches("’s");
        let mut written = start + text.len();
        if sentence[written..].starts_with('%') {
            written += 1;
        }
        let number = number(
            text,
            if percent {
                "%"
            } else if currency {
                "$"
            } else {
                ""
            },
        );
        let lower = text.to_lowercase().replace('’', "'");
        let mut plain = lower.as_str();
        for ending in ["'m", "'re", "'ve", "'ll", "'d"] {
            plain = plain.strip_suffix(ending).unwrap_or(plain);
        }
        let stem = stem(plain);
        let known = lexicon.get(plain, &stem);
        let role = known.map_or(Role::Plain, |known| known.role);
        let capital = c.is_uppercase();
        let inner = text.chars().skip(1).any(char::is_uppercase);
        let is_first = words.is_empty();
        words.push(Word {
            stem: xxh3_64(stem.as_bytes()),
            role,
            mark: known.map_or(Mark::None, |known| known.mark),
            values: known.map_or(&[], |known: &Known| known.values.as_slice()),
            is_name: number.is_none() && (capital && !is_first && role != Role::Function || inner),
            may_be_name: capital && is_first && role != Role::Function,
            number: number.map(Box::new),
            breaks,
            form: Form::of(&lower),
            span: (base + start as u32, base + written as u32),
        });
        breaks = false;
        currency = false;
    }
    words
}

/// Reads a number with what is written before and after it.
fn number(text: &str, unit: &str) -> Option<Number> {
    const WORDS: [(&str, &str); 14] = [
        ("two", "2"),
        ("three", "3"),
        ("four", "4"),
        ("five", "5"),
        ("six", "6"),
        ("seven", "7"),
        ("eight", "8"),
        ("nine", "9"),
        ("ten", "10"),
        ("eleven", "11"),
        ("twelve", "12"),
        ("twenty", "20"),
        ("thirty", "30"),
        ("hundred", "100"),
    ];
    if let Some((_, digits)) = WORDS
        .iter()
        .find(|(word, _)| text.eq_ignore_ascii_case(word))
    {
        return Some(Number {
            digits: (*digits).to_owned(),
            unit: unit.to_owned(),
            is_year: false,
        });
    }
    let end = text
        .find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',' | ':' | '-'))
        .unwrap_or(text.len());
    let digits = text[..end].trim_end_matches(['.', ',', ':', '-']);
    let suffix = text[digits.len()..].to_lowercase();
    if digits.is_empty()
        || !suffix.chars().all(|c| c.is_alphabetic() || c == '+')
        || suffix.len() > 3
    {
        return None;
    }
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_year = plain
        && digits.len() == 4
        && matches!(&digits[..2], "17" | "18" | "19" | "20")
        && suffix.is_empty()
        && unit.is_empty();
    let ordinal = matches!(suffix.as_str(), "st" | "nd" | "rd" | "th");
    let unit = if unit.is_empty() && !ordinal {
        suffix
    } else {
        unit.to_owned()
    };
    Some(Number {
        digits: digits.replace(',', ""),
        unit,
        is_year,
    })
}

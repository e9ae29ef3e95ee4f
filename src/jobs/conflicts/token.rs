//! Words of a sentence with their role and spelling.

use std::ops::Range;

use super::lexicon::{ExclusiveValue, Marker, Role};
use super::spelling::Spelling;
pub(super) use super::spelling::{Noun, Number, VerbForm};
use crate::note::markdown::links::wikilink;
use crate::note::names::filename::is_file_or_address;
use crate::note::words::english::Class;
use crate::note::words::tokens::runs;

/// Maximum number of words read per sentence; longer ones are lists rather than prose.
const MAX_WORDS: usize = 80;

#[derive(Clone, Debug)]
pub(super) struct WordToken {
    /// Byte span in the text of the note.
    pub(super) span: (u32, u32),
    /// Hash of its stem.
    pub(super) stem: u64,
    pub(super) role: Role,
    pub(super) class: Class,
    pub(super) marker: Marker,
    pub(super) values: &'static [ExclusiveValue],
    /// Spelled like a name: a capital in mid-sentence or within the word.
    pub(super) is_name: bool,
    pub(super) noun: Noun,
    /// First word of a sentence with a capital: possibly a name.
    pub(super) may_be_name: bool,
    /// The number, if it is one, with its unit.
    pub(super) number: Option<Box<Number>>,
    /// True if a comma, a bracket or a similar sign precedes it.
    pub(super) is_after_break: bool,
    pub(super) form: VerbForm,
}

impl WordToken {
    /// Returns true for weekdays and months.
    pub(super) fn is_date(&self) -> bool {
        self.values.iter().any(|value| value.is_calendar())
    }

    /// Returns true for content words other than numbers.
    pub(super) fn is_content(&self) -> bool {
        !matches!(self.role, Role::Function | Role::Negation) && self.number.is_none()
    }
}

/// Reads the words of `sentence`, which starts at byte `base` of the text of the note.
pub(super) fn words(sentence: &str, base: u32) -> Vec<WordToken> {
    let mut words: Vec<WordToken> = Vec::new();
    let mut end = 0;
    let mut is_after_break = false;
    for run in runs(sentence, joins) {
        if words.len() == MAX_WORDS {
            break;
        }
        // Skip the target of a Markdown link.
        if let Some(link) = sentence[end..run.start.max(end)].find("](") {
            let target = &sentence[end + link..];
            end += link + target.find(')').map_or(target.len(), |close| close + 1);
            is_after_break = true;
        }
        // Skip embeds and file names.
        if let Some(link) = embedded(&sentence[end..run.start.max(end)], &sentence[end..]) {
            end += link;
            is_after_break = true;
        }
        if run.start < end {
            continue;
        }
        let written = &sentence[run.clone()];
        if is_file_or_address(written) || written.starts_with("http") {
            let address = &sentence[run.start..];
            end = run.start + address.find(char::is_whitespace).unwrap_or(address.len());
            is_after_break = true;
            continue;
        }
        let before = &sentence[end..run.start];
        end = run.end;
        is_after_break |= before.contains(CLAUSE_BREAKS);
        let mut word = WordToken::of(sentence, run, words.is_empty());
        word.is_after_break = is_after_break;
        word.span = (word.span.0 + base, word.span.1 + base);
        words.push(word);
        is_after_break = false;
    }
    words
}

/// Returns the end of an embed or a link to a file that starts in `before`, a prefix of `rest`.
fn embedded(before: &str, rest: &str) -> Option<usize> {
    let open = before.find("[[")?;
    let link = wikilink(rest, open)?;
    (link.embed || is_file_or_address(&link.target)).then_some(link.span.end)
}

/// Signs that separate clauses.
const CLAUSE_BREAKS: [char; 13] = [
    ',', '(', ')', ':', ';', '"', '“', '”', '—', '–', '/', '|', '→',
];

/// Decides whether a sign joins two runs: `turn-based`, `3.5` and `2024-01-05` are one word each.
fn joins(before: char, sign: char, behind: Option<char>) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let is_inner = behind.is_some_and(char::is_alphanumeric);
    match sign {
        '\'' | '’' | '-' | '_' | '+' | '&' => is_inner,
        ',' | ':' => is_digit(before) && behind.is_some_and(is_digit),
        '.' => {
            is_digit(before) && behind.is_some_and(is_digit)
                || behind.is_some_and(char::is_lowercase)
        }
        _ => false,
    }
}

impl WordToken {
    fn of(sentence: &str, run: Range<usize>, is_first: bool) -> Self {
        let known = Spelling::of(&sentence[run.clone()]);
        let end = run.start + known.length;
        let number = (known.is_number)
            .then(|| Number::parse(&sentence[run.start..end], unit(sentence, &run)))
            .flatten();
        let end = end + usize::from(sentence[end..].starts_with('%'));
        let is_capital = known.is_capital && known.lexeme.role != Role::Function;
        Self {
            span: (run.start as u32, end as u32),
            stem: known.stem,
            role: known.lexeme.role,
            class: known.lexeme.class,
            marker: known.lexeme.marker,
            values: known.lexeme.values,
            is_name: number.is_none() && (is_capital && !is_first || known.has_inner_capital),
            noun: known.noun,
            may_be_name: is_capital && is_first,
            number: number.map(Box::new),
            is_after_break: false,
            form: known.form,
        }
    }
}

/// Returns the unit sign before or after a number.
fn unit(sentence: &str, run: &Range<usize>) -> &'static str {
    let behind = &sentence[run.end..];
    if behind.starts_with('%') || behind.starts_with(" %") {
        "%"
    } else if sentence[..run.start].ends_with(['$', '€', '£']) {
        "$"
    } else {
        ""
    }
}

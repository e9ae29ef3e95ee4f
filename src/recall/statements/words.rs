//! The words of a statement that tell what it is about.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::note::facts::departures::target_end;
use crate::note::facts::limits::limits;
use crate::note::facts::validity::{
    calendar_kinds, change_cues, is_determiner, is_function_word, is_owner, is_plural_verb,
    is_size, leads_noun, month, negates, quotations,
};
use crate::note::words::analyzer::{AnalysisPurpose, Analyzer};
use crate::note::words::english::{self, Class, WordEffect};
use crate::note::words::language::{Language, likely_languages};
use crate::note::words::tokens::each_word;

/// Letters of a word that identify it. Statements in one vault can have several languages.
const PREFIX_LETTERS: usize = 5;
/// Minimum length of a word that its derivations begin with.
const MIN_STEM_BYTES: usize = 3;

/// A content word.
pub(super) struct ContentWord {
    pub(super) prefix: String,
    /// Whether it is a name or has a digit. The unit after a number is neither.
    pub(super) is_value: bool,
    pub(super) range: Range<usize>,
}

/// Returns the content words of `text`.
pub(super) fn content_words(
    text: &str,
    analyzer: &mut Analyzer,
    languages: &[Language],
) -> Vec<ContentWord> {
    let mut number_at = None;
    let mut words: Vec<ContentWord> = Vec::new();
    let cues = change_cues(text);
    for term in analyzer.terms(text, AnalysisPurpose::Index) {
        let written = &text[term.range.clone()];
        if cues.iter().any(|cue| cue.contains(&term.range.start)) {
            continue;
        }
        // `10:00`, `3.12`, `555-1234` and `611 222 333` are one number each.
        if let Some(last) = words.last_mut()
            && number_at.is_some_and(|at: usize| at + 1 == term.position)
            && written.starts_with(|c: char| c.is_ascii_digit())
            && matches!(
                &text[last.range.end..term.range.start],
                "." | "," | ":" | "-" | "/" | " "
            )
        {
            last.prefix.push('.');
            last.prefix.push_str(&term.text);
            last.range.end = term.range.end;
            number_at = Some(term.position);
            continue;
        }
        let lower = written.to_lowercase();
        let is_stop_word = languages
            .iter()
            .any(|language| language.is_stop_word(&lower));
        let has_digit = written.contains(|c: char| c.is_ascii_digit());
        // Digits are stop words in Spanish.
        let is_empty = is_stop_word
            || is_function_word(&lower)
            || english::word(&lower).content == WordEffect::Empty;
        if is_empty && !is_size(&lower) && !has_digit {
            continue;
        }
        let is_unit = number_at.is_some_and(|at: usize| at + 1 == term.position) && !has_digit;
        if has_digit {
            number_at = Some(term.position);
        }
        words.push(ContentWord {
            is_value: has_digit
                || month(&lower).is_some()
                || written.starts_with(char::is_uppercase) && !is_unit,
            prefix: match (english::number(&lower), month(&lower)) {
                (Some(number), _) if !has_digit => number.to_owned(),
                (_, Some(month)) => format!("{month}."),
                _ => prefix(&term.text).to_owned(),
            },
            range: term.range,
        });
    }
    words
}

/// Returns the first letters of a word, which its forms share in most languages; a number is kept whole.
fn prefix(term: &str) -> &str {
    let is_word = term.chars().all(char::is_alphabetic);
    let end = term.char_indices().nth(PREFIX_LETTERS).filter(|_| is_word);
    end.map_or(term, |(end, _)| &term[..end])
}

/// Returns the prefixes of the names in `text`. German nouns have capitals, too: there only the first word is certain.
pub(super) fn names(text: &str, words: &[ContentWord]) -> BTreeSet<String> {
    let languages = likely_languages(text);
    let has_nouns = languages
        .iter()
        .any(|language| language.capitalises_nouns());
    let is_name = |word: &&ContentWord| {
        let written = &text[word.range.clone()];
        let lower = written.to_lowercase();
        let is_common = || {
            let mut languages = languages.iter();
            languages.any(|language| language.is_stop_word(&lower)) || is_plural_verb(&lower)
        };
        let is_first = text[..word.range.start].trim().is_empty();
        written.starts_with(char::is_uppercase)
            && calendar_kinds(&lower).next().is_none()
            && if is_first { !is_common() } else { !has_nouns }
    };
    let names = words.iter().filter(is_name);
    names.map(|word| word.prefix.clone()).collect()
}

/// A name, which can have several words.
#[derive(Debug)]
pub(super) struct NameRun {
    pub(super) words: Vec<String>,
    pub(super) text: String,
}

/// Returns the names in `text` that are not in the question. Months, days and numbers are none.
pub(super) fn name_runs(
    text: &str,
    words: &[ContentWord],
    asked: &BTreeSet<String>,
) -> Vec<NameRun> {
    let is_value = |word: &&ContentWord| word.is_value && !asked.contains(&word.prefix);
    let values: Vec<&ContentWord> = words.iter().filter(is_value).collect();
    let is_joined = |first: &&ContentWord, second: &&ContentWord| {
        let gap = text.get(first.range.end..second.range.start);
        gap.is_some_and(|gap| gap.trim().is_empty())
    };
    let is_name = |word: &&ContentWord| {
        let written = &text[word.range.clone()];
        written.starts_with(char::is_alphabetic) && calendar_kinds(written).next().is_none()
    };
    let runs = values.chunk_by(is_joined);
    let names = runs.filter(|run| run.iter().any(&is_name));
    let whole = |run: &[&ContentWord]| NameRun {
        words: run.iter().map(|word| word.prefix.clone()).collect(),
        text: text[run[0].range.start..run[run.len() - 1].range.end].to_owned(),
    };
    names.map(whole).collect()
}

/// What a word does in its sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordRole {
    /// A preposition, an auxiliary, a pronoun.
    Function,
    Negation,
    Content,
    Name,
    Number,
}

/// Returns all words of `text` but determiners with their roles, and the number of those before the first content word.
pub(super) fn told_words(text: &str, content: &[ContentWord]) -> (Vec<(String, WordRole)>, usize) {
    let first = content.first().map_or(0, |word| word.range.start);
    let (mut told, mut lead) = (Vec::new(), 0);
    each_word(text, |word, range| {
        if !is_determiner(word) {
            lead += usize::from(range.start < first);
            let found = content
                .iter()
                .find(|word| word.range.contains(&range.start));
            let role = match found {
                None if negates(&text[range], text) => WordRole::Negation,
                None => WordRole::Function,
                Some(word) if word.prefix.starts_with(|c: char| c.is_ascii_digit()) => {
                    WordRole::Number
                }
                Some(word) if word.is_value => WordRole::Name,
                Some(_) => WordRole::Content,
            };
            told.push((word.to_owned(), role));
        }
    });
    (told, lead)
}

/// Returns the words after the first preposition that follows a verb of change, up to the end of the clause.
pub(super) fn new_value(
    text: &str,
    words: &[ContentWord],
    verbs: &[Range<usize>],
) -> BTreeSet<String> {
    let Some(verb) = verbs.iter().map(|verb| verb.end).max() else {
        return BTreeSet::new();
    };
    let Some(start) = target_end(&text[verb..]).map(|start| verb + start) else {
        return BTreeSet::new();
    };
    let length = text[start..].find([',', ';', ':', '(']);
    let clause = start..length.map_or(text.len(), |length| start + length);
    let inside = words
        .iter()
        .filter(|word| clause.contains(&word.range.start));
    inside.map(|word| word.prefix.clone()).collect()
}

/// Returns the prefixes of English words after `re`: `painted` in `repainted`.
pub(super) fn redone_words(text: &str, words: &[ContentWord]) -> BTreeSet<String> {
    let after = |word: &ContentWord| {
        let written = text[word.range.clone()].to_lowercase();
        let rest = written.strip_prefix("re")?.trim_start_matches('-');
        let is_past = rest.ends_with("ed") && rest.len() > MIN_STEM_BYTES + 2;
        is_past.then(|| prefix(&english::stem(rest)).to_owned())
    };
    words.iter().filter_map(after).collect()
}

/// Returns whether `word` of a question may be its verb: it is in lower case, and no article, preposition or word such
/// as `which` leads it.
pub(super) fn may_be_verb(question: &str, word: &ContentWord) -> bool {
    let before = question[..word.range.start].split_whitespace().next_back();
    let before = before.map(str::to_lowercase).unwrap_or_default();
    let before = before.trim_matches(|c: char| !c.is_alphanumeric());
    !word.is_value && !before.is_empty() && !is_function_word(before) && !leads_noun(before)
}

/// Returns the prefixes of the words that limit a statement to an owner, a place or an occasion.
pub(super) fn limiting_words(
    text: &str,
    asked: &BTreeSet<String>,
    words: &[ContentWord],
) -> BTreeSet<String> {
    // `owner` and `own`
    let is_akin = |prefix: &str| {
        let mut asked = asked.iter();
        asked.any(|word| {
            prefix == word || word.len() >= MIN_STEM_BYTES && prefix.starts_with(word.as_str())
        })
    };
    let is_asked = |at: usize| {
        let mut words = words.iter();
        words.any(|word| word.range.start == at && is_akin(&word.prefix))
    };
    let found = limits(text, &is_asked);
    let inside = |word: &&ContentWord| {
        let mut found = found.iter();
        found.any(|limit| limit.range.contains(&word.range.start))
    };
    let limiting = words.iter().filter(inside);
    limiting.map(|word| word.prefix.clone()).collect()
}

/// Returns the possessives before a word of the question if none of its words precedes them: `Her doctor is …` is about
/// a person whom another sentence names.
pub(super) fn other_owners(
    text: &str,
    asked: &BTreeSet<String>,
    words: &[ContentWord],
) -> BTreeSet<String> {
    let mut asked = words.iter().filter(|word| asked.contains(&word.prefix));
    let Some(first) = asked.next() else {
        return BTreeSet::new();
    };
    let before = words
        .iter()
        .filter(|word| word.range.end <= first.range.start);
    let start = before.map(|word| word.range.end).max().unwrap_or_default();
    let mut owners = BTreeSet::new();
    each_word(&text[start..first.range.start], |word, _| {
        if is_owner(word) {
            owners.insert(word.to_owned());
        }
    });
    owners
}

/// Returns whether a word of the question is in quotation marks: the statement reports the words of others.
pub(super) fn quotes_any(text: &str, asked: &BTreeSet<String>, words: &[ContentWord]) -> bool {
    quotations(text).into_iter().any(|inside| {
        let mut quoted = words
            .iter()
            .filter(|word| inside.contains(&word.range.start));
        quoted.any(|word| asked.contains(&word.prefix))
    })
}

/// Returns the end of the first negation in `text`.
pub(super) fn negation_end(text: &str) -> Option<usize> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
    let word = words.find(|word| negates(word, text))?;
    Some(word.as_ptr() as usize - text.as_ptr() as usize + word.len())
}

/// Returns whether a negation that ends at `end` is in a clause after one with a value and a word of the question: `Tickets
/// are in Linear, do not look in Jira`.
pub(super) fn follows_statement(
    text: &str,
    end: usize,
    content: &[ContentWord],
    asked: &BTreeSet<String>,
) -> bool {
    let Some(comma) = text[..end].rfind([',', ';', '.']) else {
        return false;
    };
    let mut before = content.iter().filter(|word| word.range.end <= comma);
    let is_asked = |word: &ContentWord| asked.contains(&word.prefix);
    before.clone().any(is_asked) && before.any(|word| word.is_value && !is_asked(word))
}

/// Returns the words after a negation, up to the end of its clause, that are not in the question.
pub(super) fn denied_words(
    text: &str,
    content: &[ContentWord],
    asked: &BTreeSet<String>,
) -> BTreeSet<String> {
    let Some(start) = negation_end(text) else {
        return BTreeSet::new();
    };
    let length = text[start..].find([',', ';', ':', '.', '(']);
    let clause = start..length.map_or(text.len(), |length| start + length);
    let is_denied = |word: &&ContentWord| {
        let written = text[word.range.clone()].to_lowercase();
        clause.contains(&word.range.start)
            && english::word(&written).class == Class::Plain
            && !asked.contains(&word.prefix)
    };
    let denied = content.iter().filter(is_denied);
    denied.map(|word| word.prefix.clone()).collect()
}

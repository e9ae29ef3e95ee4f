//! Distinguishes punctuation of prose from signs with meaning.

use crate::note::words::english;
use crate::note::words::english::Class;

/// Returns whether `c`, at `at` in `line` and outside of words, has a meaning: an operator, a unit, an emoji.
/// False for typography.
pub(super) fn has_meaning(line: &str, at: usize, c: char) -> bool {
    let (before, behind) = around(line, at, c);
    let is_silent = match c {
        _ if c.is_whitespace() => true,
        // Invisible characters.
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{fe0f}' => true,
        ',' => ends(before) && begins(behind) && leads_conjunction(&line[at + 1..]),
        // `no. 5` and `no 5` differ. A semicolon or colon is never silent.
        '.' => {
            let is_last = line[at + 1..].trim().is_empty();
            ends(before) && begins(behind) && (is_last || is_sentence_end(line, at, c))
        }
        '…' => ends(before) && begins(behind),
        // `5!` is a number.
        '!' => ends(before) && begins(behind) && !is_operand(&line[..at]),
        // `users'`; the opening quote decides about a quotation. `5'` is a length.
        '‘' | '’' | '\'' => before.is_some_and(char::is_alphabetic),
        '-' | '–' | '—' => is_dash(line, at, c),
        '(' => {
            !before.is_some_and(|c| !c.is_whitespace() && c != '"')
                && encloses_words(&line[at + 1..])
        }
        ')' => line[..at]
            .rfind('(')
            .is_some_and(|open| !has_meaning(line, open, '(')),
        '[' => before == Some('[') || behind == Some('['),
        ']' => before == Some(']') || behind == Some(']'),
        _ => false,
    };
    !is_silent
}

/// Returns the normal form of a sign: quotes have many variants.
pub(super) fn folded(c: char) -> char {
    match c {
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' => '\'',
        c => c,
    }
}

/// Returns whether a sentence ends with `c`.
pub(super) fn is_sentence_end(line: &str, at: usize, c: char) -> bool {
    if matches!(c, '。' | '！' | '？') {
        return true;
    }
    let (_, behind) = around(line, at, c);
    if !behind.is_none_or(char::is_whitespace) {
        return false;
    }
    match c {
        '?' | '!' | ';' => true,
        '.' => {
            // `Dr. Smith` and `e.g. tea` do not end a sentence.
            let last_part = line[..at].rsplit(|c: char| !c.is_alphanumeric()).next();
            let word = last_part.unwrap_or_default();
            let is_capital = word.starts_with(char::is_uppercase);
            let least = if is_capital { 5 } else { 3 };
            let is_long = word.chars().count() >= least
                || !matches!(english::word(word).class, Class::Plain | Class::No);
            let next = line[at + 1..].trim_start().chars().next();
            is_long && !next.is_some_and(char::is_lowercase)
        }
        _ => false,
    }
}

/// Returns whether `rest` begins with a word before which a comma is a matter of style: `a, b, and c`. Others can change
/// the meaning: `No, more tests are needed`.
fn leads_conjunction(rest: &str) -> bool {
    let word = rest.trim_start().split(|c: char| !c.is_alphabetic()).next();
    let word = word.unwrap_or_default();
    let is_conjunction = matches!(
        english::word(word).class,
        Class::And | Class::Or | Class::Instead
    );
    is_conjunction || matches!(word, "und" | "oder" | "y" | "e" | "et" | "ou" | "o")
}

fn around(line: &str, at: usize, c: char) -> (Option<char>, Option<char>) {
    let before = line[..at].chars().next_back();
    (before, line[at + c.len_utf8()..].chars().next())
}

/// Returns whether a sign after `c` can end a clause.
fn ends(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || ")\"”’'»].!?%".contains(c))
}

fn begins(c: Option<char>) -> bool {
    c.is_none_or(|c| c.is_whitespace() || ")\"”’'».!?~".contains(c))
}

/// Returns whether `text` ends with a number or a single letter, which can be an operand.
fn is_operand(text: &str) -> bool {
    let word = text
        .trim_end()
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    word.chars().count() == 1 || word.ends_with(|c: char| c.is_numeric())
}

/// Returns whether `c` is a dash between words or their parts, and not a minus.
fn is_dash(line: &str, at: usize, c: char) -> bool {
    let (before, behind) = around(line, at, c);
    let rest = &line[at + c.len_utf8()..];
    // `re-sign` and `re sign` are different words.
    if before.is_some_and(char::is_alphabetic) && behind.is_some_and(char::is_alphabetic) {
        return c == '—' && !is_operand(&line[..at]) && !begins_operand(rest);
    }
    before.is_some_and(char::is_whitespace)
        && behind.is_some_and(char::is_whitespace)
        && !is_operand(&line[..at])
        && !begins_operand(rest)
}

fn begins_operand(text: &str) -> bool {
    let mut word = text
        .trim_start()
        .chars()
        .take_while(|c| c.is_alphanumeric());
    word.next().is_none_or(char::is_numeric) || word.next().is_none()
}

/// Returns whether the parenthesis at the start of `rest` is closed and contains words.
fn encloses_words(rest: &str) -> bool {
    let Some(end) = rest.find(')') else {
        return false;
    };
    let inner = &rest[..end];
    let behind = rest[end + 1..].chars().next();
    !inner.contains('(')
        && inner
            .split(|c: char| !c.is_alphabetic())
            .any(|word| word.chars().count() > 1)
        && !behind.is_some_and(char::is_alphanumeric)
}

//! Which signs between words are the punctuation of prose, and which say something.

use crate::note::words::english;
use crate::note::words::english::Class;

/// Returns true if `c`, at `at` in `line` and outside of words, says something: an operator, a unit, an
/// emoji; false if it only tells how the words around it are set.
pub(super) fn says(line: &str, at: usize, c: char) -> bool {
    let (before, behind) = around(line, at, c);
    let is_silent = match c {
        _ if c.is_whitespace() => true,
        // Nobody sees them.
        '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}' | '\u{fe0f}' => true,
        '.' | ',' | ';' | ':' | '…' => ends(before) && begins(behind),
        // `5!` is a number.
        '!' => ends(before) && begins(behind) && !is_operand(&line[..at]),
        // `users'`; what is in quotes is told by the first of them. `5'` is a length.
        '‘' | '’' | '\'' => before.is_some_and(char::is_alphabetic),
        '-' | '–' | '—' => is_dash(line, at, c),
        '(' => {
            !before.is_some_and(|c| !c.is_whitespace() && c != '"')
                && encloses_words(&line[at + 1..])
        }
        ')' => line[..at]
            .rfind('(')
            .is_some_and(|open| !says(line, open, '(')),
        '[' => before == Some('[') || behind == Some('['),
        ']' => before == Some(']') || behind == Some(']'),
        _ => false,
    };
    !is_silent
}

/// Returns a sign as it is compared: quotes are set in many ways.
pub(super) fn folded(c: char) -> char {
    match c {
        '“' | '”' | '„' | '«' | '»' => '"',
        '‘' | '’' => '\'',
        c => c,
    }
}

/// Returns true if a sentence ends with `c`.
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
            // `Dr. Smith` and `e.g. tea` are no ends.
            let word = line[..at].rsplit(|c: char| !c.is_alphanumeric()).next();
            let word = word.unwrap_or_default();
            let is_capital = word.starts_with(char::is_uppercase);
            let is_long = word.chars().count() >= if is_capital { 5 } else { 3 };
            let is_long = is_long || !matches!(english::word(word).class, Class::Plain | Class::No);
            let next = line[at + 1..].trim_start().chars().next();
            is_long && !next.is_some_and(char::is_lowercase)
        }
        _ => false,
    }
}

fn around(line: &str, at: usize, c: char) -> (Option<char>, Option<char>) {
    let before = line[..at].chars().next_back();
    (before, line[at + c.len_utf8()..].chars().next())
}

/// Returns true if a sign behind `c` may close what was said.
fn ends(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_alphanumeric() || ")\"”’'»].!?%".contains(c))
}

fn begins(c: Option<char>) -> bool {
    c.is_none_or(|c| c.is_whitespace() || ")\"”’'».!?~".contains(c))
}

/// Returns true if `text` ends with a number or a single letter, which a sign may belong to.
fn is_operand(text: &str) -> bool {
    let word = text
        .trim_end()
        .rsplit(|c: char| !c.is_alphanumeric())
        .next();
    let word = word.unwrap_or_default();
    word.chars().count() == 1 || word.ends_with(|c: char| c.is_numeric())
}

/// Returns true if the dash divides words, or parts of one, and is no minus.
fn is_dash(line: &str, at: usize, c: char) -> bool {
    let (before, behind) = around(line, at, c);
    let rest = &line[at + c.len_utf8()..];
    // `re-sign` is another word than `re sign`.
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

/// Returns true if the parenthesis that `rest` begins in is closed and holds words.
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

//! Tokens of a text, except for the text index, whose terms [`analyzer`](super::analyzer) makes.

use std::iter;
use std::ops::Range;

/// Returns the runs of letters and digits in `text`, in order.
///
/// `joins` gets the preceding character, the sign and the next character, and decides whether the sign
/// belongs to the run. Examples: the apostrophe of `don't`, the point of `3.14`.
pub fn runs<'t>(
    text: &'t str,
    joins: impl Fn(char, char, Option<char>) -> bool + 't,
) -> impl Iterator<Item = Range<usize>> + 't {
    let mut chars = text.char_indices().peekable();
    iter::from_fn(move || {
        let (start, mut last) = chars.by_ref().find(|(_, c)| c.is_alphanumeric())?;
        let mut end = start + last.len_utf8();
        while let Some((_, c)) = chars.peek().copied() {
            let behind = end + c.len_utf8();
            if !c.is_alphanumeric() && !joins(last, c, text[behind..].chars().next()) {
                break;
            }
            (last, end) = (c, behind);
            chars.next();
        }
        Some(start..end)
    })
}

/// Calls `each` with the lower-case words of `text` and their ranges.
///
/// Inner apostrophes belong to a word. Points, commas, colons and slashes between digits belong to a number,
/// as does a leading minus: -3 differs from 3. A character of a script without spaces is a word.
pub fn each_word(text: &str, mut each: impl FnMut(&str, Range<usize>)) {
    let mut word = String::new();
    let mut last = None;
    for run in runs(text, joins_words) {
        let is_negative = text[run.clone()].starts_with(|c: char| c.is_ascii_digit())
            && text[..run.start].ends_with('-')
            && last.is_none_or(|last| last + 1 != run.start);
        last = Some(run.end);
        let start = run.start - usize::from(is_negative);
        let written = &text[start..run.end];
        word.clear();
        if written.is_ascii() {
            word.push_str(written);
            word.make_ascii_lowercase();
            each(&word, start..run.end);
        } else {
            each_part(written, &mut word, |word, span| {
                each(word, start + span.start..start + span.end);
            });
        }
    }
}

/// Returns the words of `text` in lower case.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |word, _| words.push(word.to_owned()));
    words
}

/// Splits a run at characters of scripts without spaces.
fn each_part(run: &str, word: &mut String, mut each: impl FnMut(&str, Range<usize>)) {
    let mut start = 0;
    for (at, c) in run.char_indices() {
        let end = at + c.len_utf8();
        if is_spaceless(c) {
            if start < at {
                each(word, start..at);
            }
            each(&run[at..end], at..end);
            word.clear();
            start = end;
        } else if c == '’' {
            word.push('\'');
        } else {
            word.extend(c.to_lowercase());
        }
    }
    if start < run.len() {
        each(word, start..run.len());
    }
}

/// Articles, prepositions and pronouns that lose their vowel before another one, in French, Italian and Catalan.
const ELIDED_WORDS: [&str; 24] = [
    "l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "un",
    "dell", "all", "dall", "nell", "sull", "coll", "quest", "quell", "gl", "v",
];

/// Returns a word without an elided one before it: `eau` of `l'eau` and `d’eau`. It begins with a vowel or `h`.
pub fn without_elision(word: &str) -> &str {
    let Some((elided, rest)) = word.split_once(['\'', '’']) else {
        return word;
    };
    let first = rest.chars().next().map(|c| c.to_lowercase().to_string());
    let is_vowel = |letter: &str| "aeiouyhàáâäæèéêëìíîïòóôöœùúûü".contains(letter);
    let is_elided = ELIDED_WORDS.contains(&elided.to_lowercase().as_str());
    if is_elided && first.is_some_and(|first| is_vowel(&first)) {
        rest
    } else {
        word
    }
}

fn joins_words(before: char, sign: char, behind: Option<char>) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    match sign {
        '\'' | '’' => !is_spaceless(before) && behind.is_some_and(char::is_alphabetic),
        '.' | ',' | ':' | '/' => is_digit(before) && behind.is_some_and(is_digit),
        _ => false,
    }
}

/// Returns whether `c` belongs to a script without spaces between words.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{2e80}'..='\u{2fdf}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' | '\u{e00}'..='\u{eff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elided_words_are_removed() {
        for (word, expected) in [
            ("l'albero", "albero"),
            ("L'eau", "eau"),
            ("d’eau", "eau"),
            ("dell'acqua", "acqua"),
            ("qu'il", "il"),
            ("l'església", "església"),
            ("don't", "don't"),
            ("John's", "John's"),
            ("O'Brien", "O'Brien"),
            ("c'mon", "c'mon"),
            ("aujourd'hui", "aujourd'hui"),
            ("l'", "l'"),
        ] {
            assert_eq!(without_elision(word), expected, "{word}");
        }
    }

    #[test]
    fn words() {
        for (text, expected) in [
            ("Don't stop, now", "don't|stop|now"),
            ("port 8080, π≈3.14 at 12:30", "port|8080|π|3.14|at|12:30"),
            ("from -3 to 3, 4-5", "from|-3|to|3|4|5"),
            ("-3", "-3"),
            ("緑茶 tea x緑y don’t", "緑|茶|tea|x|緑|y|don't"),
            ("- [ ] a_b", "a|b"),
            ("", ""),
        ] {
            let mut words = Vec::new();
            each_word(text, |word, span| {
                assert_eq!(text[span].to_lowercase().replace('’', "'"), word);
                words.push(word.to_owned());
            });
            assert_eq!(words.join("|"), expected, "{text}");
        }
    }
}

//! Words of a text, and how similar two texts are.

use std::collections::HashMap;

/// Whether a token is a word.
pub(super) fn is_word(token: &str) -> bool {
    token.starts_with(char::is_alphanumeric)
}

/// Splits a text into words, runs of blanks and signs. In scripts without blanks each letter is a word.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let is_alone = |c: char| c >= '\u{2e80}' || !(c.is_alphanumeric() || c.is_whitespace());
    let mut found = Vec::new();
    let mut start = 0;
    let mut before: Option<char> = None;
    for (at, c) in text.char_indices() {
        let continues = before.is_some_and(|before| {
            !is_alone(before) && !is_alone(c) && before.is_whitespace() == c.is_whitespace()
        });
        if !continues && at > 0 {
            found.push(&text[start..at]);
            start = at;
        }
        before = Some(c);
    }
    found.extend((!text.is_empty()).then(|| &text[start..]));
    found
}

/// Returns twice the number of common words over the number of all words; of signs if a text has no words.
pub(super) fn similarity(a: &str, b: &str) -> f64 {
    let (a, b) = (tokens(a), tokens(b));
    let has_words = a.iter().any(|it| is_word(it)) && b.iter().any(|it| is_word(it));
    let counted = |token: &&&str| !has_words || is_word(token);
    let mut counts: HashMap<&str, usize> = HashMap::new();
    a.iter()
        .filter(counted)
        .for_each(|word| *counts.entry(word).or_default() += 1);
    let common = b.iter().filter(counted).filter(|word| {
        let count = counts.get_mut(**word).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    });
    let common = common.count();
    let all = a.iter().filter(counted).count() + b.iter().filter(counted).count();
    if all == 0 {
        1.0
    } else {
        2.0 * common as f64 / all as f64
    }
}

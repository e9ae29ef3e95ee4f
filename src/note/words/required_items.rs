//! Items of a text that an edit must preserve: numbers, dates, names, links and symbols. Pure.

use std::collections::BTreeSet;

use super::english::{self, WordEffect};

/// Characters trimmed from both ends of a word.
const TRIMMED_CHARS: &[char] = &[
    '.', ',', ';', ':', '!', '?', '(', ')', '"', '\'', '“', '”', '‘', '’', '*', '«', '»', '…',
];

/// Words that some text writes in lower case, so that a capital at the start of a sentence does not make them
/// names.
#[derive(Debug, Default)]
pub struct LowerCaseWords(BTreeSet<String>);

impl LowerCaseWords {
    pub fn add(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphabetic());
        let small = words.filter(|word| word.starts_with(char::is_lowercase));
        self.0.extend(small.map(str::to_owned));
    }

    fn has(&self, word: &str) -> bool {
        let small = word.to_lowercase();
        english::word(&small).content != WordEffect::Full || self.0.contains(&small)
    }
}

/// Returns the items of `text` that must be preserved, as written.
pub fn items(text: &str, common: &LowerCaseWords) -> BTreeSet<String> {
    let mut items = BTreeSet::new();
    for line in text.lines() {
        let mut starts = true;
        for written in line.split_whitespace() {
            let word = written.trim_matches(TRIMMED_CHARS);
            let is_mark =
                matches!(written, "-" | "+" | "*" | ">") || written.chars().all(|c| c == '#');
            if is_item(word, starts, common) && !is_mark {
                items.extend(parts(word).map(str::to_owned));
            }
            starts = is_mark || starts && word.is_empty() || written.ends_with(['.', '!', '?']);
        }
    }
    items
}

fn is_item(word: &str, starts: bool, common: &LowerCaseWords) -> bool {
    let is_plain = |c: char| c.is_alphabetic() || matches!(c, '\'' | '’' | '-');
    if word.is_empty() {
        return false;
    }
    if !word.chars().all(is_plain) {
        return true;
    }
    let mut capitals = word.chars().enumerate().filter(|(_, c)| c.is_uppercase());
    match capitals.next() {
        None => false,
        Some((0, _)) if starts && capitals.next().is_none() => !common.has(word),
        Some(_) => word != "I",
    }
}

/// Splits a link into its target and the words that it shows.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let pieces = word.split(['[', ']', '|', '(', ')']);
    let parts = pieces.map(|part| part.trim_matches(TRIMMED_CHARS));
    parts.filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_names_links_and_symbols_count() {
        let mut common = LowerCaseWords::default();
        common.add("we keep the port open");
        for (text, expected) in [
            (
                "Keep port 5432 open. Ada agreed on 2026-01-02.",
                &["2026-01-02", "5432", "Ada"][..],
            ),
            ("- Port of call: Port Said", &["Port", "Said"]),
            (
                "See [[ops/Backup plan|the plan]] (https://x.org/a?b=1).",
                &["See", "https://x.org/a?b=1", "ops/Backup", "plan", "the"],
            ),
            (
                "load >= 80% of `max_load`, iPhone, C++ and C#",
                &["80%", ">=", "C#", "C++", "`max_load`", "iPhone"],
            ),
            ("nothing of the kind, and I know", &[]),
        ] {
            let found = items(text, &common);
            assert_eq!(
                found.iter().map(String::as_str).collect::<Vec<_>>(),
                expected,
                "{text}"
            );
        }
    }
}

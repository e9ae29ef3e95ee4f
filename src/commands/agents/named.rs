//! Notes that a request names.
//!
//! A person who names a note in a request wants its content; other prompts need none. A name is a title or an
//! alias as a whole, or the last word of a title of several capitalised words, such as a surname. A word of a
//! longer name is not a name: `Ann Lee` does not name the note `Ann Smith` with the alias `Ann`.

use crate::note::words::english::{self, WordEffect};

/// A word of a text.
#[derive(Debug)]
struct Word {
    lower: String,
    is_capitalised: bool,
    /// Whether it begins a sentence.
    is_first: bool,
}

/// First words of requests without a question mark. The list may be incomplete, but not wrong.
const REQUESTS: &str = "what where when who whom whose which why how draft write prepare summarize summarise sum catch \
    remind status tell show find pull give list explain check look update compare review brief recap search recall \
    remember lookup outline describe was wer wo wann warum wie zeig zeige fasse suche finde erkläre qué dónde cuándo \
    quién cómo muestra busca resume explica que où quand qui comment montre cherche résume explique cosa dove quando \
    chi come mostra cerca riassumi spiega onde quem mostre busque resuma explique";

/// Returns whether `prompt` asks for something: a question or an instruction, not a statement.
pub(super) fn is_request(prompt: &str) -> bool {
    if prompt.contains(['?', '？']) {
        return true;
    }
    let first = words(prompt).into_iter().next();
    first.is_some_and(|word| {
        REQUESTS
            .split_whitespace()
            .any(|request| request == word.lower)
    })
}

/// Returns the words to search for notes that `prompt` may name, at most `max`.
pub(super) fn search_words(prompt: &str, max: usize) -> String {
    let words = words(prompt);
    let chosen = words.iter().filter(|word| {
        english::word(&word.lower).content == WordEffect::Full
            && english::query_weight(&word.lower) >= 1.0
    });
    let content: Vec<&str> = chosen.take(max).map(|word| word.lower.as_str()).collect();
    content.join(" ")
}

/// Returns the position in `prompt` where it names a note with this title and these aliases. `is_unique` tells
/// whether no other note has a word in its title.
pub(super) fn named_at(
    prompt: &str,
    title: &str,
    aliases: &[String],
    is_unique: impl Fn(&str) -> bool,
) -> Option<usize> {
    let prompt = words(prompt);
    let names = [title]
        .into_iter()
        .chain(aliases.iter().map(String::as_str));
    let whole = names.filter_map(|name| {
        let name = words(name);
        let starts = 0..prompt.len();
        starts.into_iter().find(|&at| is_named(&prompt, at, &name))
    });
    let surname = || {
        let title = words(title);
        let last = title.last()?;
        let is_name =
            (2..=3).contains(&title.len()) && title.iter().all(|word| word.is_capitalised);
        let at = prompt
            .iter()
            .position(|word| word.lower == last.lower && !word.is_first)?;
        (is_name && is_alone(&prompt, at) && is_unique(&last.lower)).then_some(at)
    };
    whole.min().or_else(surname)
}

/// Returns whether `prompt` contains the name at this word.
fn is_named(prompt: &[Word], at: usize, name: &[Word]) -> bool {
    let Some(part) = prompt.get(at..at + name.len()) else {
        return false;
    };
    let is_equal = part
        .iter()
        .zip(name)
        .all(|(word, name)| word.lower == name.lower);
    match name {
        [] => false,
        [word] => {
            let is_general =
                english::word(&word.lower).content != WordEffect::Full || word.lower.len() < 3;
            let is_written_as_name = part
                .iter()
                .any(|word| word.is_capitalised && !word.is_first);
            // An alias in lower case is a name that people type so.
            is_equal
                && !is_general
                && (is_written_as_name || !word.is_capitalised && word.lower.len() > 3)
                && is_alone(prompt, at)
        }
        _ => is_equal,
    }
}

/// Returns whether no other capitalised word is next to this one, which would be another name.
fn is_alone(prompt: &[Word], at: usize) -> bool {
    let is_other = |word: Option<&Word>| {
        word.is_some_and(|word| word.is_capitalised && !word.is_first && word.lower.len() > 1)
    };
    let before = at.checked_sub(1).and_then(|before| prompt.get(before));
    let is_first = prompt.get(at).is_some_and(|word| word.is_first);
    !(is_other(prompt.get(at + 1)) || !is_first && is_other(before))
}

fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut is_first = true;
    let mut last_end = 0;
    for part in text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’') {
        let unquoted = part.trim_matches(['\'', '’']);
        let part = unquoted
            .strip_suffix("'s")
            .or_else(|| unquoted.strip_suffix("’s"))
            .unwrap_or(unquoted);
        if part.is_empty() {
            continue;
        }
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        is_first |= text[last_end..start].contains(['.', '?', '!', '\n', ':']);
        last_end = start + part.len();
        words.push(Word {
            lower: part.to_lowercase(),
            is_capitalised: part.starts_with(char::is_uppercase),
            is_first: std::mem::take(&mut is_first),
        });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognises_requests() {
        for (prompt, expected) in [
            ("Where did we land on Widget Co?", true),
            ("Summarize where Widget Co stands.", true),
            ("remind me what cosmo said", true),
            ("¿Dónde vive Ana?", true),
            ("We decided to pass on Widget Co.", false),
            ("Ann prefers async updates. Noted.", false),
            ("Great, thanks. That covers it.", false),
            ("", false),
        ] {
            assert_eq!(is_request(prompt), expected, "{prompt}");
        }
    }

    #[test]
    fn finds_names_as_a_whole() {
        let named = |prompt: &str, title: &str, alias: &str| {
            named_at(prompt, title, &[alias.to_owned()], |_| true).is_some()
        };
        for (prompt, title, alias, expected) in [
            ("Where did we land on Widget Co?", "Widget Co", "", true),
            ("what about widget co?", "Widget Co", "", true),
            ("I'm meeting Tobias tomorrow?", "Tobias Lee", "tobias", true),
            ("remind me what cosmo said", "Cosmo Lee", "cosmo", true),
            (
                "Did Galewright follow up?",
                "Emrys Galewright",
                "emrys",
                true,
            ),
            ("What is Ann's plan?", "Ann Lee", "ann", true),
            (
                "Did Mireille Coppersmither write?",
                "Mireille Coppersmith",
                "mireille",
                false,
            ),
            ("What is the plan?", "Plan", "", false),
            ("What does the Plan say?", "Plan", "", true),
            ("Does it work for Lee?", "Tea with Lee", "", false),
            ("What time is it?", "Time", "", false),
        ] {
            assert_eq!(named(prompt, title, alias), expected, "{prompt}");
        }
    }
}

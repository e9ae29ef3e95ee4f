//! Reads reports of a departure, from one thing to another: `The switch from Slack to Teams is complete`.
//!
//! `departures.txt` lists the words of several languages.

use std::ops::Range;
use std::sync::LazyLock;

use super::validity::{is_determiner, words_of};
use crate::note::words::lists::Lists;

const LISTS_TEXT: &str = include_str!("departures.txt");
static LISTS: LazyLock<Lists> = LazyLock::new(|| Lists::of(LISTS_TEXT));

/// A report of a move from one thing to another, with the byte ranges of its parts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Departure {
    /// Names: the old thing, and perhaps the subject: `Ana left Atom for Zed`. Without its number if the new thing has
    /// its name: `moved to Postgres 16`.
    pub old: Vec<Range<usize>>,
    /// The name of the new thing.
    pub new: Range<usize>,
    /// The words that report the change.
    pub reports: Vec<Range<usize>>,
}

/// Returns the completed departure that `text` reports.
pub fn departure(text: &str) -> Option<Departure> {
    let found = words_of(text);
    let has = |section: &str, at: usize| LISTS.has(section, &found[at].0);
    let with = |section: &'static str| (0..found.len()).filter(move |&at| has(section, at));
    if with("unfinished").next().is_some() {
        return None;
    }
    // A name, and the position after it.
    let name = |start: usize| {
        let is_led = found
            .get(start)
            .is_some_and(|(word, _)| is_determiner(word));
        let start = start + usize::from(is_led);
        let is_name = |at: &usize| {
            let range = &found[*at].1;
            let is_joined = *at == start || {
                let gap = text.get(found[*at - 1].1.end..range.start);
                gap.is_some_and(|gap| gap.chars().all(|c| matches!(c, ' ' | '.' | '-')))
            };
            is_joined
                && text[range.clone()].starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
        };
        let end = (start..found.len()).take_while(is_name).last()?;
        Some((found[start].1.start..found[end].1.end, end + 1))
    };
    let ranges = |section: &'static str| with(section).map(|at| found[at].1.clone());
    let moves = || {
        let any = |section| with(section).next().is_some();
        if !(any("verbs") || any("nouns") && any("completions")) {
            return None;
        }
        let words = ["verbs", "nouns", "completions", "sources", "targets"];
        let pair = with("sources").find_map(|at| {
            let (old, end) = name(at + 1)?;
            let new = (end..found.len()).find(|&at| has("targets", at))?;
            Some((old, name(new + 1)?.0))
        });
        // `We moved to Postgres 16`: from another Postgres.
        let upgrade = || {
            let mut targets = with("targets");
            let (new, end) = targets.find_map(|at| name(at + 1))?;
            let is_number = |at: &usize| found[*at].0.starts_with(|c: char| c.is_ascii_digit());
            let is_in = |at: &usize| new.contains(&found[*at].1.start);
            let last = (0..end).rev().find(|at| !is_number(at)).filter(is_in)?;
            let old = new.start..found[last].1.end;
            (old.end < new.end).then_some((old, new))
        };
        let (old, new) = pair.or_else(upgrade)?;
        Some(Departure {
            old: vec![old],
            new,
            reports: words.into_iter().flat_map(ranges).collect(),
        })
    };
    let exchange = || {
        with("exchanges").next()?;
        let (before, new) = with("exchanged_for").find_map(|at| Some((at, name(at + 1)?.0)))?;
        let mut old = Vec::new();
        let mut at = 0;
        while at < before {
            match name(at).filter(|_| !has("exchanges", at)) {
                Some((range, end)) => {
                    old.push(range);
                    at = end;
                }
                None => at += 1,
            }
        }
        let words = ["exchanges", "exchanged_for"];
        Some(Departure {
            old,
            new,
            reports: words.into_iter().flat_map(ranges).collect(),
        })
    };
    moves().or_else(exchange)
}

/// Returns the words that report a departure; each report has one.
pub fn departure_words() -> impl Iterator<Item = &'static str> {
    let sections = ["verbs", "nouns", "exchanges"].into_iter();
    sections.flat_map(|section| LISTS.words(section).iter().copied())
}

/// Returns the byte ranges of the words that report a completed change: `The move to Notion is complete`.
pub fn completed_change(text: &str) -> Vec<Range<usize>> {
    let found = words_of(text);
    let with = |section: &str| {
        let words = found.iter().filter(|(word, _)| LISTS.has(section, word));
        words.map(|(_, range)| range.clone()).collect::<Vec<_>>()
    };
    let [mut nouns, completions] = ["nouns", "completions"].map(with);
    if nouns.is_empty() || completions.is_empty() || !with("unfinished").is_empty() {
        return Vec::new();
    }
    nouns.extend(completions);
    nouns
}

/// Returns the end of the first preposition in `text` that leads to a new place or thing.
pub fn target_end(text: &str) -> Option<usize> {
    let mut found = words_of(text).into_iter();
    let target = found.find(|(word, _)| LISTS.has("targets", word) || LISTS.has("places", word))?;
    Some(target.1.end)
}

/// Returns whether `text` reports that the use of what it names has ended: `We cancelled Volta`.
pub fn reports_cancellation(text: &str) -> bool {
    let found = words_of(text);
    let has = |section: &str| found.iter().any(|(word, _)| LISTS.has(section, word));
    has("cancellations") && !has("unfinished")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::words::lists;

    #[test]
    fn reads_what_was_left_for_what() {
        for (text, expected) in [
            (
                "The switch from Slack to Teams is complete.",
                Some(("Slack", "Teams")),
            ),
            (
                "We went from Postgres 15 to Postgres 16.",
                Some(("Postgres 15", "Postgres 16")),
            ),
            ("The switch from Slack to Teams costs 900 euros.", None),
            ("The switch from Slack to Teams is not complete.", None),
            ("The switch from Slack to Teams is almost done.", None),
            ("The switch to Teams is complete.", None),
            (
                "We moved to Postgres 16.2.",
                Some(("Postgres", "Postgres 16.2")),
            ),
            ("We moved to 12 Harbour Lane.", None),
            ("Ana has left Atom for Zed.", Some(("Ana|Atom", "Zed"))),
            (
                "We replaced Jenkins with Buildkite.",
                Some(("We|Jenkins", "Buildkite")),
            ),
            ("Trocámos o Moloni pelo Vendus.", Some(("Moloni", "Vendus"))),
            (
                "Der Umstieg von Slack auf Teams ist abgeschlossen.",
                Some(("Slack", "Teams")),
            ),
            (
                "Wir haben Slack durch Teams ersetzt.",
                Some(("Wir|Slack", "Teams")),
            ),
            (
                "La migration d'OVH vers Gandi est achevée.",
                Some(("OVH", "Gandi")),
            ),
            (
                "El cambio de Slack a Teams está completado.",
                Some(("Slack", "Teams")),
            ),
            (
                "La migrazione da Aruba a Hetzner è terminata.",
                Some(("Aruba", "Hetzner")),
            ),
            (
                "A mudança do Slack para o Teams está concluída.",
                Some(("Slack", "Teams")),
            ),
        ] {
            let found = departure(text).map(|found| {
                let old: Vec<&str> = found.old.iter().map(|range| &text[range.clone()]).collect();
                (old.join("|"), &text[found.new])
            });
            let expected = expected.map(|(old, new)| (old.to_owned(), new));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn uses_every_word_list() {
        let sections = "verbs nouns completions sources targets places exchanges exchanged_for unfinished cancellations";
        lists::assert_read_whole(LISTS_TEXT, &sections.split(' ').collect::<Vec<_>>());
    }
}

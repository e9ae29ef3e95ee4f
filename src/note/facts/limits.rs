//! Words that limit a statement to an owner, a place or an occasion.
//!
//! | limit | example |
//! |---|---|
//! | opening phrase | `In staging the level is debug` |
//! | phrase beside `only` | `We use NATS in staging only`, `only in staging` |
//! | group of people | `250 requests for internal clients` |
//! | part | `the tests of the shop` |
//! | scope | `Locally we use SQLite` |
//! | owner or place of an asked noun | `Ben's number is …`, `The temperature for bread is …` |
//! | noun of an asked name | `The birthday of Ann's cousin is …` |
//! | purpose of a number | `It needs 240 degrees for bread` |

use std::collections::BTreeMap;
use std::ops::Range;

use super::validity::{WORDS, month, negates, words_of};
use crate::note::words::english::{self, Class};

/// Maximum number of words before a comma in an opening phrase.
const MAX_OPENING_WORDS: usize = 6;
/// Maximum number of words from a preposition to the group that it leads to.
const MAX_WORDS_BEFORE_GROUP: usize = 3;
/// Minimum length of a noun in characters.
const MIN_NOUN_CHARS: usize = 2;

/// A word that limits a statement.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The bytes of the word.
    pub range: Range<usize>,
    /// Whether it limits a statement that is compared with one without limits. Others may only add detail:
    /// `The cache of the shop`, `Ann's job title`.
    pub is_strong: bool,
}

/// Returns the words that limit `text`, in order.
///
/// `is_asked` returns whether the word at a byte offset occurs in the question, or in the statement to compare with.
/// Such words do not limit.
pub fn limits(text: &str, is_asked: &dyn Fn(usize) -> bool) -> Vec<Limit> {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    let sentence = Sentence {
        text,
        found: &found,
        is_asked,
    };
    let scopes = WORDS.scopes.positions(&words).map(|phrase| phrase.end - 1);
    let phrases = sentence
        .opening()
        .into_iter()
        .chain(sentence.only())
        .chain(sentence.parts())
        .chain(scopes);
    let mut strengths: BTreeMap<usize, bool> = phrases.map(|at| (at, true)).collect();
    strengths.extend(sentence.group());
    for noun in (0..found.len()).filter(|at| sentence.is_noun(*at)) {
        if let Some((at, is_strong)) = sentence.limit_beside(noun) {
            *strengths.entry(at).or_default() |= is_strong;
        }
    }
    strengths.retain(|at, _| !sentence.is_asked(*at));
    let limits = strengths.into_iter().map(|(at, is_strong)| Limit {
        range: found[at].1.clone(),
        is_strong,
    });
    limits.collect()
}

struct Sentence<'s> {
    text: &'s str,
    found: &'s [(String, Range<usize>)],
    is_asked: &'s dyn Fn(usize) -> bool,
}

impl Sentence<'_> {
    fn is(&self, section: &str, at: usize) -> bool {
        let word = self.found.get(at);
        word.is_some_and(|(word, _)| WORDS.lists.has(section, word))
    }

    fn is_asked(&self, at: usize) -> bool {
        (self.is_asked)(self.found[at].1.start)
    }

    fn is_capitalised(&self, at: usize) -> bool {
        self.text[self.found[at].1.clone()].starts_with(char::is_uppercase)
    }

    fn is_number(&self, at: usize) -> bool {
        self.found[at].0.starts_with(|c: char| c.is_ascii_digit())
    }

    fn is_time(&self, at: usize) -> bool {
        let word = self.found[at].0.as_str();
        self.is_number(at) || month(word).is_some() || self.is("times", at)
    }

    fn is_noun(&self, at: usize) -> bool {
        let word = self.found[at].0.as_str();
        let is_other = ["determiners", "of", "places", "only", "finite"]
            .iter()
            .any(|section| self.is(section, at));
        !is_other
            && !self.is_time(at)
            && word.chars().count() >= MIN_NOUN_CHARS
            && english::word(word).class == Class::Plain
    }

    /// Returns whether the word at `at` may be a verb in the middle of a sentence.
    fn is_verb(&self, at: usize) -> bool {
        self.is_noun(at) && !self.is_capitalised(at) && at + 1 < self.found.len()
    }

    /// Returns the text between two words.
    fn between(&self, first: usize, second: usize) -> &str {
        &self.text[self.found[first].1.end..self.found[second].1.start]
    }

    /// Returns the words of an opening phrase: up to a comma or a colon, else its first noun.
    fn opening(&self) -> Vec<usize> {
        if !self.is("places", 0) {
            // `Under Linux the limit is 9`, `Over in Ely we use Redis`
            let at = 1 + usize::from(self.is("places", 1));
            let is_named = self.is("name_prepositions", 0) && at < self.found.len();
            let is_name = is_named && self.is_noun(at) && self.is_capitalised(at);
            let name = at..at + usize::from(is_name);
            return name.collect();
        }
        let comma = self.text.find([',', ':']).unwrap_or(0);
        let inside = self.found.partition_point(|(_, range)| range.start < comma);
        if (2..=MAX_OPENING_WORDS).contains(&inside) {
            let is_limit = !(1..inside).any(|at| self.is_time(at));
            return (1..inside)
                .filter(|at| is_limit && self.is_noun(*at))
                .collect();
        }
        // The Spanish `no` is a negation.
        let is_opening = !negates(&self.text[self.found[0].1.clone()], self.text);
        let skipped = |at: &usize| self.is("determiners", *at) || self.is("of", *at);
        let first = (1..self.found.len()).find(|at| !skipped(at));
        // `In the new year we moved`
        let is_limit = |at: &usize| {
            let next = at + 1;
            let may_follow = || self.is_number(next) || !self.is_time(next);
            self.is_noun(*at) && next < self.found.len() && may_follow()
        };
        let noun = first.filter(|at| is_opening && is_limit(at));
        noun.into_iter().collect()
    }

    /// Returns the words of a phrase before `only`, or else after it.
    fn only(&self) -> Vec<usize> {
        // `PC-only`
        let is_joined = |at: usize| self.text[..self.found[at].1.start].ends_with('-');
        let only = (1..self.found.len()).find(|at| self.is("only", *at) && !is_joined(*at));
        let after = only.filter(|only| self.is("places", only + 1));
        if let Some(only) = after {
            let noun = self.after_preposition(only + 1);
            return noun.into_iter().collect();
        }
        let phrase = only.and_then(|only| {
            let start = (0..only).rev().find(|at| self.is("places", *at))?;
            (!(start..only).any(|at| self.is_time(at))).then_some(start + 1..only)
        });
        phrase.into_iter().flatten().collect()
    }

    /// Returns the first group of people and whether a preposition leads to it: `for internal clients`, but not `Clients
    /// call`.
    fn group(&self) -> Option<(usize, bool)> {
        let group = (0..self.found.len()).find(|at| self.is("groups", *at))?;
        let mut before = group.saturating_sub(MAX_WORDS_BEFORE_GROUP)..group;
        let is_led = before.any(|at| self.is("purposes", at));
        (is_led || group < 2).then_some((group, is_led))
    }

    /// Returns the words for parts before what they belong to: `tests` in `the tests of the shop`.
    fn parts(&self) -> Vec<usize> {
        let is_part = |at: &usize| {
            let next = at + 1;
            self.is("parts", *at) && next < self.found.len() && self.is("of", next)
        };
        (0..self.found.len()).filter(is_part).collect()
    }

    /// Returns the noun that limits the one at `at`, or that it limits, and whether it is strong.
    fn limit_beside(&self, at: usize) -> Option<(usize, bool)> {
        if let Some(head) = self.owned(at) {
            let limit = self.limit_of(head, at).filter(|_| self.is_subject(head))?;
            return Some((limit, limit == at || self.count_asked(at, head) > 1));
        }
        let noun = self.after_preposition(at + 1)?;
        if self.is_genitive(at + 1) {
            let limit = self.limit_of(at, noun).filter(|_| self.is_subject(noun))?;
            return Some((limit, self.count_asked(at, noun) > 1));
        }
        let is_purpose = at > 1 && self.is_number(at - 1) && self.is("purposes", at + 1);
        // `the rice for sushi boils`: a noun has a determiner, a verb has none.
        let is_verb = |next: usize| {
            self.is("finite", next) || at == 1 && self.is("determiners", 0) && self.is_verb(next)
        };
        let mut after = noun + 1..self.found.len().min(noun + 3);
        let is_place = self.is_asked(at) && after.any(is_verb);
        (is_purpose || is_place).then_some((noun, false))
    }

    /// Returns the limit of a noun and its owner.
    fn limit_of(&self, head: usize, owner: usize) -> Option<usize> {
        match (self.is_asked(head), self.is_asked(owner)) {
            (true, false) => Some(owner),
            (false, true) if self.is_capitalised(owner) => Some(head),
            _ => None,
        }
    }

    /// Returns the number of asked words among two linked nouns and the nouns before and after them: 2 of
    /// `birthday of Ann's cousin`.
    fn count_asked(&self, first: usize, second: usize) -> usize {
        let before = (0..first).rev().find(|at| self.is_noun(*at));
        let before = before.filter(|at| self.after_preposition(at + 1) == Some(first));
        let nouns = [before, Some(first), Some(second), self.belongs_to(second)];
        let nouns = nouns.into_iter().flatten();
        nouns.filter(|at| self.is_asked(*at)).count()
    }

    /// Returns whether the word at `at` leads to an owner. A German article does so only after a noun.
    fn is_genitive(&self, at: usize) -> bool {
        self.is("of", at) && (!self.is("articles_of", at) || self.is_capitalised(at - 1))
    }

    /// Returns the noun that the one at `at` belongs to, or that belongs to it.
    fn belongs_to(&self, at: usize) -> Option<usize> {
        let owned = self.owned(at);
        owned.or_else(|| self.after_preposition(at + 1))
    }

    /// Returns the noun after the possessive at `at`: `Ben's number`, `Lukas' Prüfung`, `Ankes Bruder`.
    fn owned(&self, at: usize) -> Option<usize> {
        let word = &self.found[at];
        let behind = &self.text[word.1.end..];
        let next = if behind.starts_with(['\'', '’']) {
            at + if self.found.get(at + 1)?.0 == "s" {
                2
            } else {
                1
            }
        } else {
            let is_genitive = word.0.ends_with('s') && self.is_asked(at) && self.is_capitalised(at);
            let next = at + 1;
            let is_name = next < self.found.len() && self.is_capitalised(next);
            (is_genitive && is_name && self.between(at, next) == " ").then_some(next)?
        };
        (next < self.found.len() && self.is_noun(next)).then_some(next)
    }

    /// Returns the noun after the preposition at `at` and further determiners.
    fn after_preposition(&self, at: usize) -> Option<usize> {
        if at >= self.found.len() || !self.is_genitive(at) && !self.is("places", at) {
            return None;
        }
        let skipped = |at: &usize| self.is("determiners", *at) || self.is("of", *at);
        let noun = (at + 1..self.found.len()).find(|at| !skipped(at))?;
        let is_phrase = !self
            .between(at - 1, noun)
            .contains([',', ';', ':', '.', '(']);
        (is_phrase && self.is_noun(noun)).then_some(noun)
    }

    /// Returns whether a verb may follow the noun at `at` and its own owners.
    fn is_subject(&self, at: usize) -> bool {
        let mut last = at;
        while let Some(next) = self.belongs_to(last) {
            last = next;
        }
        let next = last + 1;
        let is_phrase = |at| {
            let mut sections = ["determiners", "of", "places", "only"].iter();
            sections.any(|section| self.is(section, at)) || self.is_time(at)
        };
        next < self.found.len()
            && !self.between(last, next).contains(['.', ','])
            && (!is_phrase(next) || self.between(last, next).contains(':'))
            && !matches!(
                english::word(&self.found[next].0).class,
                Class::And | Class::Or
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_limits() {
        for (asked, text, expected) in [
            ("", "In staging only, we use Redis.", "staging"),
            ("Redis", "We use Redis in staging only.", "staging"),
            ("", "For the blog, we use Hugo.", "blog"),
            ("", "In May, we moved to Hugo.", ""),
            ("", "On Monday, we moved to Hugo.", ""),
            ("", "We use Redis in May.", ""),
            ("", "The only cache is Redis.", ""),
            ("", "We use Redis, but only in Berlin.", "Berlin"),
            ("", "Dropped Switch, now PC-only for launch.", ""),
            ("limit", "Under Linux the limit is 9.", "Linux"),
            ("", "Under pressure the limit is 9.", ""),
            ("entry", "Members pay 3 euros for entry.", "Members"),
            ("roof", "One of the roofs is of tin.", "One"),
            ("limit", "The limit is 250 for internal clients.", "clients"),
            ("shop", "We moved the tests of the shop to Redis.", "tests"),
            ("oven", "For bread the oven needs 240 degrees.", "bread"),
            ("port", "Locally the port is 80.", "Locally"),
            ("port", "En préproduction le port est 80.", "préproduction"),
            ("", "In the new year we moved to Hugo.", ""),
            ("", "No usamos Redis.", ""),
            ("number", "Ben's number is 555.", "Ben"),
            ("number Ben", "Ben's number is 555.", ""),
            (
                "birthday Ann",
                "The birthday of Ann's cousin is in May.",
                "cousin",
            ),
            ("live Ann", "Ann's cousin lives in York.", "cousin"),
            ("lead Ann", "The lead is Ann's cousin.", ""),
            (
                "Geburtstag Ankes",
                "Der Geburtstag von Ankes Cousine ist im Mai.",
                "Cousine",
            ),
            (
                "prueba Ana",
                "La prueba de la prima de Ana es el 3 de mayo.",
                "prima",
            ),
            (
                "piso calefacción",
                "El piso tiene calefacción de gas en las salas.",
                "",
            ),
            ("teléfono Ana", "El número de teléfono de Ana es 555.", ""),
            (
                "temperature",
                "The temperature for bread is 240 degrees.",
                "bread",
            ),
            ("works Petra", "Petra works for Acme since May.", ""),
            ("rice", "The rice for sushi boils 12 minutes.", "sushi"),
            (
                "kiln",
                "The kiln needs 1240 degrees for stoneware.",
                "stoneware",
            ),
        ] {
            let is_asked = |at: usize| {
                let word = text[at..].split(|c: char| !c.is_alphanumeric()).next();
                asked.split(' ').any(|asked| Some(asked) == word)
            };
            let found: Vec<&str> = limits(text, &is_asked)
                .into_iter()
                .map(|limit| &text[limit.range])
                .collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}

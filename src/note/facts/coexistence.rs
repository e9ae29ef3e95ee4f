//! Whether two statements that differ may both hold: several values, other cases, repeated events.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::civil::Date;

use super::phrases::Phrases;
use super::validity::{
    LISTS, WORDS, day_of, instead_of, is_past_state, negates, opening_date, person, reports_change,
    reports_event, words_of,
};
use crate::note::words::english::{self, Class, WordEffect};
use crate::note::words::lists;

/// Number of words that open a sentence.
const OPENING_WORDS: usize = 3;

/// A predicate that may have several values at once.
struct MultivaluedPredicate {
    forms: Phrases,
    /// Whether the forms end with an indefinite article.
    is_indefinite: bool,
}

static PREDICATES: LazyLock<Vec<MultivaluedPredicate>> = LazyLock::new(|| {
    let rows = lists::rows(LISTS, "several").map(|row| {
        let indefinite = row.strip_prefix('+');
        let forms = indefinite.unwrap_or(row).split(", ");
        MultivaluedPredicate {
            forms: Phrases::of(forms),
            is_indefinite: indefinite.is_some(),
        }
    });
    rows.collect()
});

/// The words of `[cases]` and `[sizes]` by dimension, and whether only the opening counts.
static CASES: LazyLock<Vec<(Vec<&'static str>, bool)>> = LazyLock::new(|| {
    let sections = ["cases", "sizes"].into_iter();
    let rows = sections.flat_map(|section| lists::rows(LISTS, section));
    let rows = rows.map(|row| {
        let opening = row.strip_prefix("^ ");
        (
            opening.unwrap_or(row).split(' ').collect(),
            opening.is_some(),
        )
    });
    rows.collect()
});

/// The rows of `[cases]` with recurring days, in any place of a sentence.
const DAYS: Range<usize> = 1..3;

/// Features of a statement that tell whether another one may hold at the same time.
#[derive(Clone, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub struct StatementFeatures {
    /// Words of a case, with their dimension.
    cases: BTreeSet<(usize, String)>,
    /// Those of them before a noun, with the noun: `left knee`.
    described: BTreeSet<(usize, String, String)>,
    /// The person whom it is about, if it begins with one.
    person: Option<String>,
    /// The name with which it begins, and the verb.
    doer: Option<(String, String)>,
    /// What it reports to be left for another thing: `instead of Trello`.
    left: Option<String>,
    /// Whether it begins with a word of the person who states it: `my`.
    is_own: bool,
    /// All words.
    words: BTreeSet<String>,
    /// The word after `outside`.
    outside: Option<String>,
    /// Subject, predicate and first word of the value if there may be several values.
    several: Option<(String, usize, Option<String>)>,
    /// Verbs in the past that report no change.
    past: BTreeSet<String>,
    /// Noun and number of the subject: `Room 101`.
    numbered: Option<(String, String)>,
    /// Noun and number or letter of the place of the subject: `The heater in room B`.
    placed: Option<(String, String)>,
    /// Words that may be values: names, numbers and longer words.
    values: BTreeSet<String>,
    reports_change: bool,
    is_negated: bool,
    /// Whether it adds a value: `Antoine also sings`.
    is_added: bool,
    /// Whether it states a wish by `should`: `The server should have 64 GB`.
    is_advised: bool,
}

impl StatementFeatures {
    /// Reads the features of `text`.
    pub fn of(text: &str) -> Self {
        let found = words_of(text);
        let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
        let is_content = |word: &&&str| english::word(word).content != WordEffect::Empty;
        let cases = words.iter().enumerate().flat_map(|(at, word)| {
            let in_row = move |(row, (cases, is_opening)): (usize, &(Vec<&str>, bool))| {
                let is_case = cases.contains(word) && (!is_opening || at < OPENING_WORDS);
                is_case.then(|| (row, (*word).to_owned()))
            };
            CASES.iter().enumerate().filter_map(in_row)
        });
        let mut cases: BTreeSet<(usize, String)> = cases.collect();
        let described = words.windows(2).flat_map(|pair| {
            let is_word = pair[1].chars().all(char::is_alphabetic);
            let is_noun =
                is_word && pair[1].chars().count() >= MIN_VALUE_LETTERS && is_content(&&pair[1]);
            let rows = cases
                .iter()
                .filter(move |(_, case)| is_noun && case == pair[0]);
            rows.map(|(row, case)| (*row, case.clone(), pair[1].to_owned()))
        });
        let mut described: BTreeSet<(usize, String, String)> = described.collect();
        // `Weight on 9 March: 70 kg`
        let (date, dated) = opening_date(text, &found).unzip();
        // `Meeting with Olga on 3 March`
        let event =
            event_date(&words).map(|date| (CASES.len(), date.to_string(), words[0].to_owned()));
        described.extend(event);
        cases.extend(date.map(|date| (CASES.len(), date.to_string())));
        let dated = dated.unwrap_or_default();
        let is_outside = |word: &&str| WORDS.lists.has("outside", word);
        let outside = words.iter().position(is_outside);
        // `was paid` and `are sold` do not report events.
        let is_event = |at: usize| {
            let is_led = at > 0 && english::word(words[at - 1]).class == Class::Be;
            WORDS.lists.has("past_events", words[at]) && !is_led
        };
        let is_past = |at: &usize| is_past_state(text, &found, *at) || is_event(*at);
        let reports_change = reports_change(text);
        let past = (0..words.len()).filter(|at| !reports_change && is_past(at));
        let is_value = |at: &usize| {
            let (word, range) = &found[*at];
            let is_name = *at > 0 && text[range.clone()].starts_with(char::is_uppercase);
            let is_long = word.chars().count() >= MIN_VALUE_LETTERS && is_content(&&word.as_str());
            let has_digit = word.contains(|c: char| c.is_ascii_digit());
            let is_case = cases.iter().any(|(_, case)| case == word);
            !is_case && !dated.contains(at) && (is_name || is_long || has_digit)
        };
        let first = words.first();
        let has = |list: &str| words.iter().any(|word| WORDS.lists.has(list, word));
        Self {
            described,
            person: person(text),
            doer: doer(text, &found),
            left: instead_of(text).and_then(|start| {
                let left = found.iter().find(|(_, range)| range.start == start);
                left.map(|(word, _)| word.clone())
            }),
            is_own: first.is_some_and(|word| WORDS.lists.has("own", word)),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            outside: outside.and_then(|at| {
                let mut behind = words[at + 1..].iter().filter(is_content);
                let noun = behind.find(|word| word.chars().count() >= MIN_VALUE_LETTERS);
                noun.map(|noun| (*noun).to_owned())
            }),
            several: several(&words),
            past: past.map(|at| words[at].to_owned()).collect(),
            numbered: numbered(&words),
            placed: placed(&words),
            values: (0..words.len())
                .filter(is_value)
                .map(|at| words[at].to_owned())
                .collect(),
            is_added: !reports_event(text) && has("also"),
            is_advised: has("advised"),
            reports_change,
            is_negated: found
                .iter()
                .any(|(_, range)| negates(&text[range.clone()], text)),
            cases,
        }
    }

    /// Returns whether this and the older `other` may both hold although they differ.
    pub fn may_hold_with(&self, other: &Self) -> bool {
        let is_numbered = is_other_number(self.numbered.as_ref(), other.numbered.as_ref());
        if self.has_other_subject(other)
            || is_numbered && self.has_other_predicate(other)
            || self.is_added && self.is_negated == other.is_negated
            || self.is_advised != other.is_advised
        {
            return true;
        }
        if self.reports_change || other.reports_change {
            return false;
        }
        is_numbered
            || !self.past.is_disjoint(&other.past) && self.is_negated == other.is_negated
            || self.has_several_values_with(other)
            || self.is_outside(other)
            || other.is_outside(self)
            || self.is_other_case(other)
            || self.is_on_some_days(other)
            || other.is_on_some_days(self)
    }

    /// Returns whether this gives another number for some days of the week: `The shop opens at 9`, `The shop opens at 10 on
    /// Sundays`.
    fn is_on_some_days(&self, other: &Self) -> bool {
        let numbers = |one: &Self| {
            let values = one.values.iter();
            let numbers = values.filter(|value| value.starts_with(|c: char| c.is_ascii_digit()));
            numbers.count()
        };
        let is_day = |(row, _): &(usize, String)| DAYS.contains(row);
        self.cases.iter().any(is_day)
            && !other
                .words
                .iter()
                .any(|word| WORDS.lists.has("weekdays", word))
            && numbers(self) > 0
            && numbers(other) > 0
    }

    /// Returns whether the subjects are two, also if one changed: `The heater in room A is broken`, `The heater in room B
    /// works again`; `My left knee hurts`, `My right knee no longer hurts`; `I drink tea`, `Jo no longer drinks tea`.
    pub fn has_other_subject(&self, other: &Self) -> bool {
        let is_of_other_person = |one: &Self, other: &Self| {
            let person = one
                .person
                .as_ref()
                .filter(|person| !other.words.contains(*person));
            person.is_some() && (other.is_own || one.owns() && other.person.is_none())
        };
        let is_opposite = |(row, case, noun): &(usize, String, String)| {
            let mut theirs = other.described.iter();
            theirs.any(|their| their.0 == *row && their.1 != *case && their.2 == *noun)
        };
        is_other_number(self.placed.as_ref(), other.placed.as_ref())
            || self.is_of_other_doer(other)
            || is_of_other_person(self, other)
            || is_of_other_person(other, self)
            || self.described.iter().any(is_opposite)
    }

    /// Returns whether this reports that another one left what `other` tells of its subject: `Eva now uses Jira instead of
    /// Trello`, `Tom uses Trello`.
    fn is_of_other_doer(&self, other: &Self) -> bool {
        let pair = self.doer.as_ref().zip(other.doer.as_ref());
        pair.is_some_and(|((name, verb), (theirs, same))| {
            let mut left = self.left.iter();
            name != theirs
                && verb == same
                && !self.words.contains(theirs)
                && left.any(|left| left != theirs && other.words.contains(left))
        })
    }

    /// Returns whether it has a possessive of another person: `Acme moved its shop`.
    fn owns(&self) -> bool {
        self.words
            .iter()
            .any(|word| word == "its" || WORDS.lists.has("owners", word))
    }

    /// Returns whether each predicate has a word that the other lacks: `Bed 2 is free`, `Bed 4 no longer squeaks`, but not
    /// `Room 2 is the office`, `Room 4 is now the office`.
    fn has_other_predicate(&self, other: &Self) -> bool {
        let rest = |one: &Self| -> BTreeSet<String> {
            let number = one.numbered.as_ref().map(|(_, number)| number);
            let words = one.values.iter().filter(|word| Some(*word) != number);
            words.cloned().collect()
        };
        let (ours, theirs) = (rest(self), rest(other));
        !ours.is_subset(&theirs) && !theirs.is_subset(&ours)
    }

    /// Returns whether one predicate of one subject has two of several values.
    fn has_several_values_with(&self, other: &Self) -> bool {
        let (Some((subject, predicate, value)), Some((theirs, same, theirs_value))) =
            (&self.several, &other.several)
        else {
            return false;
        };
        let is_denied = self.is_negated || other.is_negated;
        let is_other = PREDICATES[*predicate].is_indefinite || value != theirs_value;
        !is_denied && subject == theirs && predicate == same && is_other
    }

    /// Returns whether this is about the outside of a place that `other` names.
    fn is_outside(&self, other: &Self) -> bool {
        let place = self.outside.as_ref().filter(|_| other.outside.is_none());
        place.is_some_and(|place| other.values.contains(place))
    }

    /// Returns whether both concern different cases and have different values: `On Sundays … at 9`.
    fn is_other_case(&self, other: &Self) -> bool {
        let lacks = |ours: &Self, theirs: &Self, row: usize| {
            let mut cases = ours.cases.iter().filter(|(of, _)| *of == row);
            cases.any(|case| !theirs.cases.contains(case))
        };
        let all_rows = self.cases.iter().map(|(row, _)| *row);
        let mut rows = all_rows.filter(|row| lacks(self, other, *row) && lacks(other, self, *row));
        rows.next().is_some()
            && !self.values.is_subset(&other.values)
            && !other.values.is_subset(&self.values)
    }
}

/// Minimum length of a word that may be a value; shorter ones are articles in some language.
const MIN_VALUE_LETTERS: usize = 4;

/// Returns the name with which `text` begins, and the next word that adds no time or value: `Eva now uses`.
fn doer(text: &str, words: &[(String, Range<usize>)]) -> Option<(String, String)> {
    let (name, range) = words.first()?;
    let is_name = text[range.clone()].starts_with(char::is_uppercase)
        && english::word(name).class == Class::Plain;
    let is_skipped = |word: &str| {
        ["now", "also"]
            .iter()
            .any(|list| WORDS.lists.has(list, word))
    };
    let mut rest = words[1..].iter().map(|(word, _)| word);
    let verb = rest.find(|word| !is_skipped(word))?;
    is_name.then(|| (name.clone(), verb.clone()))
}

/// Returns subject, predicate and first word of the value of a predicate that may have several.
fn several(words: &[&str]) -> Option<(String, usize, Option<String>)> {
    PREDICATES.iter().enumerate().find_map(|(row, predicate)| {
        let phrase = predicate.forms.positions(words).next()?;
        let mut before = words[..phrase.start].iter();
        let is_between = |word: &str| {
            let mut lists = ["also", "clitics"].iter();
            lists.any(|list| WORDS.lists.has(list, word))
        };
        let subject = before.rfind(|word| !is_between(word))?;
        let next = words.get(phrase.end)?;
        let is_number = next.starts_with(|c: char| c.is_ascii_digit());
        let is_object = !is_number && !WORDS.lists.has("several_not", next);
        // `trinkt morgens den Tee`
        let is_skipped = |word: &&&str| {
            let mut sections = ["determiners", "of"].iter();
            sections.any(|section| WORDS.lists.has(section, word))
                || CASES.iter().any(|(cases, _)| cases.contains(*word))
                || english::word(word).content == WordEffect::Empty
        };
        let value = words[phrase.end..]
            .iter()
            .find(|word| !is_skipped(word))
            .map(|word| (*word).to_owned());
        is_object.then(|| ((*subject).to_owned(), row, value))
    })
}

/// Returns whether both are one noun with two numbers.
fn is_other_number(one: Option<&(String, String)>, other: Option<&(String, String)>) -> bool {
    let pair = one.zip(other);
    pair.is_some_and(|(one, other)| one.0 == other.0 && one.1 != other.1)
}

fn is_determiner_at(words: &[&str], at: usize) -> bool {
    let word = words.get(at);
    word.is_some_and(|word| WORDS.lists.has("determiners", word))
}

fn is_number_or_letter(word: &str) -> bool {
    word.contains(|c: char| c.is_ascii_digit()) || word.chars().count() == 1
}

/// Returns the date in an entry about an occasion: `Meeting with Olga on 3 March`. A sentence with a verb may give it a new
/// date.
fn event_date(words: &[&str]) -> Option<Date> {
    let is = |section: &str, word: &str| WORDS.lists.has(section, word);
    let is_entry = is("occasions", words.first()?) && !words.iter().any(|word| is("finite", word));
    let mut dates = (1..words.len()).filter_map(|at| day_of(&words[at..]));
    dates.next().filter(|_| is_entry)
}

/// Returns the noun and the number that name the subject: `Room 101 is booked`.
fn numbered(words: &[&str]) -> Option<(String, String)> {
    let at = usize::from(is_determiner_at(words, 0));
    let (noun, number) = (words.get(at)?, words.get(at + 1)?);
    let is_number = is_number_or_letter(number);
    (is_number && words.len() > at + 2 && WORDS.lists.has("numbered", noun))
        .then(|| ((*noun).to_owned(), (*number).to_owned()))
}

/// Returns the noun and the number or letter of a place right after the subject: `Heater in room B is on`, but not `We
/// meet in room B at 9`.
fn placed(words: &[&str]) -> Option<(String, String)> {
    let is_in = |sections: &[&str], word: &str| {
        let mut sections = sections.iter();
        sections.any(|section| WORDS.lists.has(section, word))
    };
    let subject = usize::from(is_determiner_at(words, 0));
    if !is_in(&["places"], words.get(subject + 1)?) {
        return None;
    }
    let noun = subject + 2 + usize::from(is_determiner_at(words, subject + 2));
    let (number, next) = (words.get(noun + 1)?, words.get(noun + 2)?);
    let is_number = is_number_or_letter(number);
    let is_predicate = !is_in(&["places", "since", "of", "times"], next);
    (is_number && is_predicate && words[noun].chars().all(char::is_alphabetic))
        .then(|| (words[noun].to_owned(), (*number).to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn tells_whether_both_statements_may_hold() {
        for (older, newer, expected) in [
            ("Olga speaks Czech.", "Olga speaks Greek.", true),
            ("Olga speaks Czech.", "Igor speaks Czech.", false),
            ("My desk is in room 3.", "Nils has moved to room 4.", true),
            ("My desk is in room 3.", "I have moved to room 4.", false),
            ("I take 75 mg.", "My mother takes 100 mg.", true),
            (
                "The shop uses SQLite.",
                "Acme moved its shop to MySQL.",
                true,
            ),
            (
                "My left knee hurts.",
                "My right knee no longer hurts.",
                true,
            ),
            ("Recipe A needs salt.", "Recipe B needs sugar.", true),
            (
                "The shop opens at 9.",
                "The shop opens at 10 on Sundays.",
                true,
            ),
            ("The shop opens at 9.", "The shop opens at 10.", false),
            (
                "Meeting with Olga on 3 March",
                "Meeting with Olga on 7 April",
                true,
            ),
            (
                "The meeting is on 3 March.",
                "The meeting is on 7 April.",
                false,
            ),
            ("Olga speaks Czech.", "Olga also speaks Greek.", true),
            ("Olga drinks cocoa.", "Olga drinks tea.", true),
            ("Ida trinkt morgens Tee.", "Ida trinkt morgens Saft.", true),
            ("Olga drinks 2 cups.", "Olga drinks 3 cups.", false),
            (
                "Weight on 9 March: 70 kg.",
                "Weight on 2 April: 71 kg.",
                true,
            ),
            ("The exam is on 9 March.", "The exam is on 2 April.", false),
            ("I like my tea hot.", "I like my tea iced.", false),
            (
                "The heater in room A is broken.",
                "The heater in room B works again.",
                true,
            ),
            (
                "The heater in room A is broken.",
                "The heater in room A works again.",
                false,
            ),
            (
                "The choir is in room 2.",
                "The choir is now in room 5.",
                false,
            ),
            (
                "Olga has a dog named Rex.",
                "Olga has a dog named Bello.",
                true,
            ),
            ("Olga likes opera.", "Olga no longer likes opera.", false),
            ("Mia plays for Leeds.", "Mia plays for York.", false),
            ("Inés habla catalán.", "Inés habla euskera.", true),
            (
                "Mia ist allergisch gegen Nüsse.",
                "Mia ist allergisch gegen Milben.",
                true,
            ),
            (
                "On weekdays the pool opens at 7.",
                "On Sundays the pool opens at 9.",
                true,
            ),
            ("We meet on Mondays.", "We meet on Fridays.", false),
            (
                "Werktags ist um 7 Uhr offen.",
                "Sonntags ist um 9 Uhr offen.",
                true,
            ),
            ("The live API is on 80.", "The test API is on 90.", true),
            ("The lamp is upstairs.", "The lamp is downstairs.", false),
            (
                "Parking in town costs 3.",
                "Parking outside of town costs 1.",
                true,
            ),
            (
                "The keys are in the drawer.",
                "The keys are outside under the mat.",
                false,
            ),
            ("The walk took 3 hours.", "The walk took 4 hours.", true),
            ("La gita è durata 3 ore.", "La gita è durata 4 ore.", true),
            ("The walk takes 3 hours.", "The walk takes 4 hours.", false),
            (
                "The office moved to Leeds.",
                "The office moved to York.",
                false,
            ),
            ("Room 101 is booked.", "Room 102 is booked.", true),
            (
                "The class is in room 101.",
                "The class is in room 102.",
                false,
            ),
            ("Node 18 is required.", "Node 22 is required.", false),
        ] {
            let [older, newer] = [older, newer].map(StatementFeatures::of);
            assert_eq!(newer.may_hold_with(&older), expected, "{newer:?}");
        }
    }
}

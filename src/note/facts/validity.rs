//! Reads when a statement is valid: `until 6 January`, `from 1 July 2026`, `in 2019`.
//!
//! `validity.txt` lists the words of several languages. A statement without a time is valid.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::phrases::{Phrases, matches_part};
use crate::note::words::english::{self, Class};
use crate::note::words::lists::{self, Lists};
use crate::note::words::tokens::each_word;

pub(super) const LISTS: &str = include_str!("validity.txt");

/// A date without a year that is more than this many days before its statement belongs to the next year.
const MAX_DAYS_BEHIND: i32 = 60;

/// Maximum number of words before a comma that open a clause: `Before, we lived in Rome`.
const MAX_OPENING_WORDS: usize = 3;
/// Maximum number of words up to the body of people that a sentence begins with.
const MAX_WORDS_OF_BODY: usize = 2;
/// Maximum number of words from a negation to the end of the change that it denies.
const MAX_WORDS_OF_DENIAL: usize = 3;
/// Minimum length of a verb that its ending marks as past: `parlait`, but not `lait`.
const MIN_LETTERS_OF_IMPERFECT: usize = 6;

/// Validity of a statement on a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    Valid,
    /// Its first day has passed.
    Since,
    /// It is valid, but ends on a stated day or soon.
    Temporary,
    /// Its last day has passed.
    Ended,
    /// It is struck out.
    Struck,
    /// It describes an earlier time: `in 2019`, `at the time`.
    Past,
    /// Its first day is still to come.
    NotYet,
    /// A question, proposal, wish or condition.
    Tentative,
}

impl Validity {
    /// Returns whether it is valid without a stated end.
    pub fn is_lasting(self) -> bool {
        matches!(self, Self::Valid | Self::Since)
    }

    pub fn is_current(self) -> bool {
        matches!(self, Self::Valid | Self::Since | Self::Temporary)
    }
}

/// Relation between a statement and the time after a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Until,
    From,
    Since,
    In,
}

pub(super) struct TimeWords {
    /// Phrases as words.
    bounds: Vec<(Vec<&'static str>, Bound)>,
    past: Phrases,
    changes: Phrases,
    change_verbs: Phrases,
    /// Changes to come, in the future tense.
    coming: Phrases,
    /// Changes to come if a later day is stated.
    announced: Phrases,
    /// Reports of these changes after their days.
    reports: Vec<(&'static str, Phrases)>,
    tentative_phrases: Phrases,
    withdrawals: Phrases,
    instead_of: Phrases,
    pub(super) scopes: Phrases,
    next_periods: Vec<(&'static str, Phrases)>,
    this_day: Phrases,
    this_period: Phrases,
    transitions: Vec<(&'static str, Phrases)>,
    pub(super) lists: Lists,
    months: HashMap<&'static str, i8>,
    days: HashMap<&'static str, Weekday>,
}

pub(super) static WORDS: LazyLock<TimeWords> = LazyLock::new(|| {
    let phrases_of = |section| Phrases::of(lists::rows(LISTS, section));
    let split_rows = |section| {
        let rows = lists::rows(LISTS, section);
        rows.map(|row| row.split([' ', '\'']).collect::<Vec<_>>())
    };
    let phrases = |section, bound| split_rows(section).map(move |row| (row, bound));
    let bounds = phrases("until", Bound::Until)
        .chain(phrases("from", Bound::From))
        .chain(lists::words(LISTS, "since").map(|word| (vec![word], Bound::Since)))
        .chain(phrases("in", Bound::In));
    let months = lists::pairs(LISTS, "months");
    let days = lists::pairs(LISTS, "days").filter_map(|(name, number)| {
        let day = Weekday::from_monday_one_offset(number.parse().ok()?);
        Some((name, day.ok()?))
    });
    let split_columns = |section| {
        let rows = lists::rows(LISTS, section).map(lists::columns);
        rows.map(|[name, phrases]| (name, Phrases::of(phrases.split(", "))))
            .collect()
    };
    let announcements = |column: fn([&'static str; 3]) -> &'static str| {
        let rows = lists::rows(LISTS, "announcements").map(lists::columns);
        phrases_in(rows.map(column))
    };
    TimeWords {
        bounds: bounds.collect(),
        past: phrases_of("past"),
        changes: phrases_of("changes"),
        change_verbs: phrases_of("change_verbs"),
        coming: announcements(|[_, coming, _]| coming),
        announced: announcements(|[_, _, announced]| announced),
        reports: lists::rows(LISTS, "announcements")
            .map(lists::columns)
            .map(|[report, coming, announced]| (report, phrases_in([coming, announced])))
            .collect(),
        tentative_phrases: phrases_of("tentative_phrases"),
        withdrawals: phrases_of("withdrawals"),
        instead_of: phrases_of("instead_of"),
        scopes: phrases_of("scopes"),
        next_periods: split_columns("next_periods"),
        this_day: phrases_of("this_day"),
        this_period: phrases_of("this_period"),
        transitions: split_columns("transitions"),
        lists: Lists::of(LISTS),
        months: months
            .filter_map(|(name, number)| Some((name, number.parse().ok()?)))
            .collect(),
        days: days.collect(),
    }
});

/// Returns the phrases of lists separated by commas.
fn phrases_in(lists: impl IntoIterator<Item = &'static str>) -> Phrases {
    let phrases = lists.into_iter().flat_map(|list| list.split(", "));
    Phrases::of(phrases.filter(|phrase| !phrase.is_empty()))
}

/// Returns the change to come that `text` announces as a report, without the words before its day: `From 1 July the rent
/// will rise to 950` becomes `1 July the rent went up to 950`.
pub fn report_of_announced(text: &str) -> String {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    let place = |range: Range<usize>| found[range.start].1.start..found[range.end - 1].1.end;
    let reports = WORDS.reports.iter().filter_map(|(report, phrases)| {
        let range = phrases.positions(&words).next()?;
        Some((range.start, Reverse(range.end), *report))
    });
    let report = reports.min().map(|(start, Reverse(end), report)| {
        let has_target = end - start > 1 && WORDS.lists.has("target_prepositions", words[end - 1]);
        (place(start..end - usize::from(has_target)), report)
    });
    let bounds = WORDS.bounds.iter().filter_map(|(phrase, bound)| {
        let starts = |at: &usize| *bound == Bound::From && words[*at..].starts_with(phrase);
        let at = (0..words.len()).find(starts)?;
        Some((at, at + phrase.len()))
    });
    let bound = bounds.max_by_key(|(start, end)| (Reverse(*start), *end));
    let bound = bound.map(|(start, end)| (place(start..end), ""));
    let mut edits: Vec<(Range<usize>, &str)> = report.into_iter().chain(bound).collect();
    edits.sort_by_key(|(range, _)| Reverse(range.start));
    let mut told = text.to_owned();
    for (range, with) in edits {
        told.replace_range(range, with);
    }
    told
}

/// Returns whether `text`, stated on the day `stated`, is valid on the day `today`.
pub fn validity(text: &str, stated: Date, today: Date) -> Validity {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    if is_tentative(text, &words) {
        return Validity::Tentative;
    }
    // `Before, we met on Mondays; now on Fridays`
    let is_of_past = WORDS.past.are_in(&words) || states_past(text, &found);
    if has_former_subject(&words) || is_of_past && change_cues(text).is_empty() {
        return Validity::Past;
    }
    match next_period(&words, stated) {
        Some(start) if start > today => return Validity::NotYet,
        Some(_) => return Validity::Since,
        None => {}
    }
    stated_bound(&words, stated, today)
        .or_else(|| is_passing(text, &words, stated).then_some(Validity::Temporary))
        .or_else(|| coming(&words, stated, today))
        .unwrap_or(Validity::Valid)
}

/// Returns whether a statement is about one occasion or a short period: `The shop closes at 16:00 this week`, `The meeting on
/// 14 May is on Thursday`, `While the pool is repaired the gym opens at 7`.
fn is_passing(text: &str, words: &[&str], stated: Date) -> bool {
    let has = |section: &str, at: usize| {
        let word = words.get(at);
        word.is_some_and(|word| WORDS.lists.has(section, word))
    };
    let is_change = reports_change(text);
    let is_timed = || {
        let mut clock = text.as_bytes().windows(3);
        clock.any(|part| part[0].is_ascii_digit() && part[1] == b':' && part[2].is_ascii_digit())
            || words.iter().any(|word| weekday(word).is_some())
    };
    let is_period = |phrases: &Phrases, is_day: bool| {
        phrases.positions(words).any(|phrase| {
            let before = phrase.start.checked_sub(1).map(|at| words[at]);
            let begins = |(bound, kind): &(Vec<&str>, Bound)| {
                *kind != Bound::In && bound.last().copied() == before
            };
            // `Today we moved the meeting to Thursday`, `Walked over the bridge today`
            let is_report = is_change && (is_day || phrase.start == 0);
            let is_news = (is_change || is_day) && !is_timed();
            !is_report && !is_news && !WORDS.bounds.iter().any(begins)
        })
    };
    let is_date_part = |word: &&&str| {
        month(word).is_some() || read_day(word).is_some() || WORDS.lists.has("fillers", word)
    };
    let is_occasion = |at: usize| {
        let length = words[at..].iter().take_while(is_date_part).count();
        let date = &words[at..at + length];
        length > 1
            && has("finite", at + length)
            && !has("past_states", at + length)
            && (has("places", at - 1) || has("of", at - 1))
            && matches!(read_time(date, stated), Some(Time::Day(_)))
    };
    let is_exception = |at: usize| {
        let is_last = at > 0 && at + 1 == words.len() && !has("past_states", at - 1);
        has("exceptions", at) || is_last && has("last_words", at)
    };
    has("meanwhile", 0) && !is_change
        || change_cues(text).is_empty()
            && (is_period(&WORDS.this_day, true) || is_period(&WORDS.this_period, false))
        || (0..words.len()).any(|at| is_exception(at) || at > 1 && is_occasion(at))
}

/// Returns the validity by a stated first or last day: `until 6 January`.
fn stated_bound(words: &[&str], stated: Date, today: Date) -> Option<Validity> {
    let is_calendar = |word: &&str| {
        let has_digit = word.contains(|c: char| c.is_ascii_digit());
        has_digit || month(word).is_some() || weekday(word).is_some()
    };
    if !words.iter().any(is_calendar) {
        return None;
    }
    for at in 0..words.len() {
        for (phrase, bound) in &WORDS.bounds {
            if !words[at..].starts_with(phrase) {
                continue;
            }
            let rest = &words[at + phrase.len()..];
            let day = || first_weekday(rest, stated).filter(|_| *bound == Bound::From);
            let Some(time) = read_time(rest, stated).or_else(|| day().map(Time::Day)) else {
                continue;
            };
            let day_or_year = match time {
                Time::Day(day) => day.cmp(&today),
                Time::Year(year) => year.cmp(&today.year()),
            };
            let validity = match (bound, time) {
                (Bound::Until, _) if day_or_year.is_lt() => Validity::Ended,
                (Bound::Until, _) => Validity::Temporary,
                (Bound::From, _) if day_or_year.is_gt() => Validity::NotYet,
                (Bound::Since, Time::Year(_)) => continue,
                (Bound::From | Bound::Since, _) => Validity::Since,
                (Bound::In, Time::Year(year)) if year < stated.year() => Validity::Past,
                (Bound::In, Time::Year(_)) if day_or_year.is_gt() => Validity::NotYet,
                (Bound::In, _) => continue,
            };
            return Some(validity);
        }
    }
    None
}

/// Returns the validity of a change to come: `will rise to 950 in August`, `takes over on 3 August`.
fn coming(words: &[&str], stated: Date, today: Date) -> Option<Validity> {
    let is_future = WORDS.coming.are_in(words);
    if !is_future && !WORDS.announced.are_in(words) {
        return None;
    }
    let time = |at: usize| Some((at, read_time(&words[at..], stated)?));
    let found = (0..words.len()).find_map(time);
    let is_value = |at: usize| at > 0 && WORDS.lists.has("date_targets", words[at - 1]);
    let is_later = match found {
        Some((at, _)) if is_value(at) => return None,
        Some((_, Time::Day(day))) => day > today,
        Some((_, Time::Year(year))) => year > today.year(),
        None if is_future && !words.iter().any(|word| weekday(word).is_some()) => true,
        None => return None,
    };
    Some(if is_later {
        Validity::NotYet
    } else {
        Validity::Since
    })
}

/// Returns the first day of the period that a phrase such as `next year` names.
fn next_period(words: &[&str], stated: Date) -> Option<Date> {
    let mut periods = WORDS.next_periods.iter();
    let (period, _) = periods.find(|(_, phrases)| phrases.are_in(words))?;
    match *period {
        "year" => stated.checked_add(1.year()).map(Date::first_of_year),
        "month" => stated.checked_add(1.month()).map(Date::first_of_month),
        "season" => stated.checked_add(3.months()),
        "week" => stated.checked_add(1.week()),
        _ => stated.tomorrow(),
    }
    .ok()
}

/// Returns whether a statement is a question, a proposal, a wish, a condition, or did not quite happen.
fn is_tentative(text: &str, words: &[&str]) -> bool {
    let has = |section: &str, word: &str| WORDS.lists.has(section, word);
    let is_past_form = |word: &str| word.ends_with("ed") || has("past_forms", word);
    // `We almost used Redis`, but not `It is almost finished`.
    let is_unreal = |at: usize| {
        let is_state = at > 0 && english::word(words[at - 1]).class == Class::Be;
        has("nearly", words[at])
            && !is_state
            && words.get(at + 1).is_some_and(|next| is_past_form(next))
    };
    let is_condition = || has("conditions", words[0]) && text.contains(',');
    // `None of us moved`, `It was not moved`, but not `None of us uses Redis anymore`
    let denies_change = |at: usize| {
        let behind = &words[at + 1..words.len().min(at + 1 + MAX_WORDS_OF_DENIAL)];
        negates(words[at], text) && WORDS.change_verbs.are_in(behind)
    };
    let is_denied = || {
        (has("none", words[0]) || (0..words.len()).any(denies_change))
            && change_cues(text).is_empty()
    };
    // `Ana will in Rom wohnen`
    let is_wish = || {
        let is_english = |word: &&str| {
            let class = english::word(word).class;
            matches!(class, Class::Article | Class::Be)
        };
        let ends_with_verb = words.last().is_some_and(|last| last.ends_with("en"));
        ends_with_verb
            && words.iter().any(|word| has("wishes", word))
            && !words.iter().any(is_english)
    };
    text.trim_end().ends_with(['?', '？'])
        || is_wish()
        || words.iter().any(|word| has("tentative", word))
        || !words.is_empty() && (is_condition() || is_denied())
        || WORDS.tentative_phrases.are_in(words)
        || WORDS.withdrawals.are_in(words)
        || (0..words.len()).any(is_unreal)
        || label(text) == Some(StatementLabel::Draft)
}

/// Returns whether the main verb states something of the past: `The rent was …`, but not `The rent was raised`.
fn states_past(text: &str, found: &[(String, Range<usize>)]) -> bool {
    let has = |section: &str, at: usize| WORDS.lists.has(section, &found[at].0);
    // `We use NATS because Redis was slow`: only the main clause counts.
    let begins_clause = |at: &usize| {
        let between = &text[found[at - 1].1.end..found[*at].1.start];
        *at > MAX_OPENING_WORDS && between.contains([',', ';', ':', '(', '–', '—'])
            || has("clauses", *at)
    };
    let end = (1..found.len()).find(begins_clause).unwrap_or(found.len());
    let is_lasting = |at| has("lasting", at) || has("present", at);
    (0..end).any(|at| is_past_state(text, found, at))
        && !(0..found.len()).any(is_lasting)
        && !is_participle(found, found.len() - 1)
        && !reports_change(text)
        && !reports_return(text)
}

/// Returns whether the word at `at` ends like a participle.
fn is_participle(found: &[(String, Range<usize>)], at: usize) -> bool {
    let mut endings = WORDS.lists.words("participles").iter();
    let word = found.get(at);
    word.is_some_and(|(word, _)| endings.any(|part| matches_part(part, word)))
}

/// Returns whether the word at `at` is a verb of state in a past tense (`lived`, `vivait`, `used to live`), not an
/// auxiliary and no participle (`was moved`, `has lived`, `is owned`).
pub(super) fn is_past_state(text: &str, found: &[(String, Range<usize>)], at: usize) -> bool {
    let (word, range) = &found[at];
    let before = at.checked_sub(1).map(|at| found[at].0.as_str());
    let is_led = before.is_some_and(|before| {
        WORDS.lists.has("perfect", before) || english::word(before).class == Class::Be
    });
    let is_name = text[range.clone()].starts_with(char::is_uppercase) && range.start > 0;
    let is_imperfect = || {
        let mut endings = WORDS.lists.words("past_endings").iter();
        !is_name
            && word.chars().count() >= MIN_LETTERS_OF_IMPERFECT
            && !WORDS.lists.has("no_past", word)
            && endings.any(|part| matches_part(part, word))
    };
    let next = found.get(at + 1).map(|(next, _)| next.as_str());
    let is_habit = word == "used" && next == Some("to");
    let is_past = WORDS.lists.has("past_states", word) || is_imperfect() || is_habit;
    is_past && !is_led && !is_participle(found, at + 1)
}

/// Returns whether the subject is a thing of the past: `My old number is …`.
fn has_former_subject(words: &[&str]) -> bool {
    let is = |section: &str, at: usize| {
        words
            .get(at)
            .is_some_and(|word| WORDS.lists.has(section, word))
    };
    is("determiners", 0) && is("former", 1)
}

/// Returns whether `text` contains a phrase of change, such as `no longer`, `switched` or `Update:`.
pub fn reports_change(text: &str) -> bool {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    WORDS.change_verbs.are_in(&words) || !change_cues(text).is_empty()
}

/// Returns whether `text` reports a change by more than a word such as `now`, which articles have, too.
pub fn reports_event(text: &str) -> bool {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    let is_weak = |cue: &Range<usize>| WORDS.lists.has("now", &text[cue.clone()].to_lowercase());
    WORDS.change_verbs.are_in(&words) || !change_cues(text).iter().all(is_weak)
}

/// Returns the start of the thing that was left for another: `Trello` in `instead of Trello`. `Findet statt, weil …` leaves
/// nothing.
pub fn instead_of(text: &str) -> Option<usize> {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    let phrase = WORDS.instead_of.positions(&words).next()?;
    let end = found[phrase.end - 1].1.end;
    let mut behind = found[phrase.end..].iter();
    let (_, thing) = behind.find(|(word, _)| !is_determiner(word))?;
    let is_joined = !text[end..thing.start].contains([',', '.', ';', ':']);
    is_joined.then_some(thing.start)
}

/// Returns whether `text` takes a change back: `We reverted that`.
pub fn takes_back(text: &str) -> bool {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    WORDS.withdrawals.are_in(&words)
}

/// Returns the words of `question` for a state that begins in `text`: `live`, `moved to Exeter`.
pub fn begun_states(question: &str, text: &str) -> Vec<String> {
    let [asked, reported] = [question, text].map(words_of);
    let has = |words: &[(String, Range<usize>)], wanted: &str| {
        words.iter().any(|(word, _)| word == wanted)
    };
    let all_rows = lists::rows(LISTS, "beginnings").map(lists::columns);
    let rows = all_rows.filter(|[_, verbs]| verbs.split(' ').any(|verb| has(&reported, verb)));
    let candidates = rows.flat_map(|[states, _]| states.split(' '));
    let states = candidates.filter(|state| has(&asked, state));
    states.map(str::to_owned).collect()
}

/// Returns whether `word` is for a state that only certain verbs begin: `live`.
pub fn is_state(word: &str) -> bool {
    let mut rows = lists::rows(LISTS, "beginnings").map(lists::columns);
    rows.any(|[states, _]| states.split(' ').any(|state| state == word))
}

/// Returns words for the opposite state of `word`: `closed` for `open`, `unblocked` for `blocked`.
pub fn opposites(word: &str) -> Vec<String> {
    let has = |words: &str| words.split(' ').any(|other| other == word);
    let rows = lists::rows(LISTS, "opposites").map(lists::columns);
    let listed = rows.flat_map(|[one, other]| {
        let found = [(one, other), (other, one)]
            .into_iter()
            .filter(|(own, _)| has(own));
        found.flat_map(|(_, opposite)| opposite.split(' '))
    });
    let undone = word.strip_prefix("un").filter(|rest| rest.ends_with("ed"));
    let done = || word.ends_with("ed").then(|| format!("un{word}"));
    let derived = undone.map(str::to_owned).or_else(done);
    listed.map(str::to_owned).chain(derived).collect()
}

/// A report that something has another owner, place, tool or name now: `We migrated the blog to Hetzner`.
#[derive(Debug, Default)]
pub struct Transition {
    /// The words of the question for the changed state: `who`, `called`.
    pub asked: Vec<&'static str>,
    /// The byte ranges of the words that report it.
    pub verbs: Vec<Range<usize>>,
}

/// Returns the change reported by `text` that `question` is about; `completed` are the words that report a completed
/// change of anything.
pub fn transition(question: &str, text: &str, completed: &[Range<usize>]) -> Option<Transition> {
    let [asked, reported] = [question, text].map(words_of);
    let words: Vec<&str> = reported.iter().map(|(word, _)| word.as_str()).collect();
    let mut found = Transition::default();
    for (states, phrases) in &WORDS.transitions {
        let states = states.split(' ');
        let states: Vec<&str> = states
            .filter(|state| asked.iter().any(|(word, _)| word == state))
            .collect();
        if !states.is_empty() {
            found.asked.extend(states);
            let verbs = phrases.positions(&words).flatten();
            found.verbs.extend(verbs.map(|at| reported[at].1.clone()));
            found.verbs.extend_from_slice(completed);
        }
    }
    (!found.verbs.is_empty()).then_some(found)
}

/// Returns whether `word` is an article or a preposition in some language.
pub fn is_function_word(word: &str) -> bool {
    let mut sections = ["determiners", "of", "places", "purposes", "since"].iter();
    sections.any(|section| WORDS.lists.has(section, word))
}

/// Returns whether `text` is an article or a possessive.
pub fn is_determiner(text: &str) -> bool {
    WORDS.lists.has("determiners", &text.trim().to_lowercase())
}

/// Returns whether `text` contains a word of the person who asks or states: `my`, `we`.
pub fn is_own(text: &str) -> bool {
    let mut words = words_of(text).into_iter();
    words.any(|(word, _)| WORDS.lists.has("own", &word))
}

/// Returns the relative, body of people or name with which `text` begins. A verb of persons or a possessive must follow a
/// name: `Jo has a new number`, `Jo no longer sits there`, `Acme moved its shop`, but not `Jo has taken over`.
pub fn person(text: &str) -> Option<String> {
    let words = words_of(text);
    let has = |section: &str, word: &str| WORDS.lists.has(section, word);
    let (name, range) = words.first()?;
    // `The finance department moved to Teams`
    let mut subject = words
        .iter()
        .skip(1)
        .take(MAX_WORDS_OF_BODY)
        .map(|(word, _)| word);
    // `My mother takes 100 mg`
    let relative = subject.clone().next();
    if let Some(relative) =
        relative.filter(|word| has("relatives", word) && has("determiners", name))
    {
        return Some(relative.clone());
    }
    let body = subject.find(|word| has("bodies", word));
    if let Some(body) = body.filter(|_| has("determiners", name) && !is_own(text)) {
        return Some(body.clone());
    }
    let is_name = text[range.clone()].starts_with(char::is_uppercase)
        && english::word(name).class == Class::Plain
        && !is_function_word(name)
        && !has("subjects", name);
    let cues = change_cues(text);
    let is_cue = |at: &Range<usize>| cues.iter().any(|cue| cue.contains(&at.start));
    let mut rest = words[1..].iter().filter(|(_, range)| !is_cue(range));
    let verb = rest.next().map(|(word, _)| word.as_str());
    let is_succession = rest.next().is_some_and(|(word, _)| has("succeeds", word));
    let owns = |(word, _): &(String, Range<usize>)| word == "its" || has("owners", word);
    let is_person = verb.is_some_and(|verb| has("personal", verb)) || words.iter().any(owns);
    (is_name && is_person && !is_succession && !is_own(text)).then(|| name.clone())
}

/// Returns whether `word` is the possessive of a third person: `her`.
pub fn is_owner(word: &str) -> bool {
    WORDS.lists.has("owners", word)
}

/// Returns whether `word` names a time: `today`, `week`, `Monday`, `March`.
pub fn is_time(word: &str) -> bool {
    let mut sections = ["times", "weekdays"].iter();
    sections.any(|section| WORDS.lists.has(section, word)) || month(word).is_some()
}

/// Returns whether `word` of a title names no subject: `update`, a year, a date, `q1`.
pub fn is_title_word(word: &str) -> bool {
    let is_quarter = matches!(word, "q1" | "q2" | "q3" | "q4");
    let mut numbers = word.split(['-', '.', '/']);
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|c| c.is_ascii_digit());
    let is_dated = numbers.clone().any(|part| read_year(part).is_some());
    let is_date = is_dated && numbers.all(is_number);
    WORDS.lists.has("title_words", word) || is_quarter || is_date
}

/// Returns whether `word` of a title names an occasion: `call`.
pub fn is_occasion(word: &str) -> bool {
    WORDS.lists.has("occasions", word)
}

/// Returns whether `word` is an adjective of size, which tells two things apart.
pub fn is_size(word: &str) -> bool {
    WORDS.lists.has("sizes", word)
}

/// Returns whether `word` ends like a verb of `we` in a Romance language: `usamos`, `usiamo`, `utilisons`.
pub fn is_plural_verb(word: &str) -> bool {
    let endings = ["mos", "iamo", "ons"];
    endings.into_iter().any(|ending| word.ends_with(ending))
}

/// Returns the word before the first verb, if the text begins with it or with its article: `Paula` in `Paula is …`.
fn subject(words: &[(String, Range<usize>)]) -> Option<&str> {
    let at = usize::from(is_determiner(&words.first()?.0));
    let (subject, verb) = (&words.get(at)?.0, &words.get(at + 1)?.0);
    WORDS.lists.has("finite", verb).then_some(subject.as_str())
}

/// Returns whether each text begins with a subject that the other does not mention: `Paula is the product owner`, `Bruno
/// has taken over as product owner`.
pub fn have_different_subjects(texts: [&str; 2]) -> bool {
    let [first, second] = texts.map(words_of);
    let lacks = |words: &[(String, Range<usize>)], subject: &str| {
        words.iter().all(|(word, _)| word != subject)
    };
    let subjects = subject(&first).zip(subject(&second));
    subjects.is_some_and(|(ours, theirs)| lacks(&second, ours) && lacks(&first, theirs))
}

/// Returns whether `question` asks for a place.
pub fn asks_for_place(question: &str) -> bool {
    words_of(question)
        .first()
        .is_some_and(|(word, _)| WORDS.lists.has("where", word))
}

/// Returns whether `word` leads a noun: `which`.
pub fn leads_noun(word: &str) -> bool {
    WORDS.lists.has("which", word)
}

/// Returns how the words of `question` at two byte ranges belong together: whether the first describes the second
/// (`small heater`), and whether the second describes the first (`heater of the studio`).
pub fn links(question: &str, [first, second]: [&Range<usize>; 2]) -> [bool; 2] {
    let found = words_of(question);
    let has = |section: &str, word: Option<&(String, Range<usize>)>| {
        word.is_some_and(|(word, _)| WORDS.lists.has(section, word))
    };
    // `C++` is also `c`: the words overlap.
    let gap = question.get(first.end..second.start);
    if gap.is_none_or(|gap| gap.contains([',', ';', ':', '.', '?', '('])) {
        return [false; 2];
    }
    let before = found.iter().rfind(|(_, range)| range.end <= first.start);
    let inside = |range: &Range<usize>| first.end <= range.start && range.end <= second.start;
    let between: Vec<_> = found.iter().filter(|(_, range)| inside(range)).collect();
    if between.is_empty() {
        let is_verb = is_plural_verb(&question[second.clone()]);
        let is_phrase = !is_verb && !has("before_verbs", before) && !has("which", before);
        return [is_phrase, is_phrase && has_word_of("romance", question)];
    }
    if !between.iter().all(|(word, _)| is_function_word(word)) {
        return [false; 2];
    }
    let is_article = |word| has("determiners", Some(word)) && !has("of", Some(word));
    let is_phrase = !between.into_iter().all(is_article);
    // `works on the parser`: a noun has a determiner, a verb has none.
    [is_phrase && has("determiners", before), is_phrase]
}

/// Returns the byte ranges of the adverbs and labels that report a change: `now`, `Correction`.
pub fn change_cues(text: &str) -> Vec<Range<usize>> {
    let found = words_of(text);
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    // `ne fume plus`: the verb belongs to the subject.
    let is_cue = |at: &usize| WORDS.changes.contain(words[*at]);
    let cues = WORDS.changes.positions(&words).flatten().filter(is_cue);
    let is_news = label(text) == Some(StatementLabel::News);
    cues.chain(is_news.then_some(0))
        .map(|at| found[at].1.clone())
        .collect()
}

/// A word before a colon that tells how to read the statement after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementLabel {
    /// `Draft: …`
    Draft,
    /// `Update: …`
    News,
}

/// Returns the label that `text` begins with, if it is one of a few: `Update: …`, `DRAFT …`, `[draft] …`.
pub fn label(text: &str) -> Option<StatementLabel> {
    let bare = |name: &str| {
        let name = name.trim_matches(|c: char| !c.is_alphanumeric());
        name.to_lowercase()
    };
    let is_mark = |word: &&str| {
        let is_upper = word.len() > 1 && !word.contains(char::is_lowercase);
        is_upper || word.starts_with(['[', '(']) && word.ends_with([']', ')'])
    };
    let mut words = text.split_whitespace();
    let ends = [words.next(), words.next_back()].into_iter().flatten();
    let mut marks = ends.filter(is_mark).map(bare);
    let name = text.split_once(':').map(|(name, _)| bare(name));
    let is = |section: &str| {
        let name = name.as_ref();
        name.is_some_and(|name| WORDS.lists.has(section, name))
    };
    match () {
        () if is("drafts") || marks.any(|mark| WORDS.lists.has("drafts", &mark)) => {
            Some(StatementLabel::Draft)
        }
        () if is("news") => Some(StatementLabel::News),
        () => None,
    }
}

/// Returns whether a note is a draft by its title, its tags or its property `status`.
pub fn is_draft(title: &str, tags: &[String], status: &str) -> bool {
    let has = |section: &str, word: &str| WORDS.lists.has(section, &word.trim().to_lowercase());
    let first = title.split_whitespace().next().unwrap_or_default();
    let is_titled = has("draft_marks", first.trim_end_matches(':'));
    is_titled
        || label(&format!("{title}:")) == Some(StatementLabel::Draft)
        || label(title) == Some(StatementLabel::Draft)
        || has("draft_statuses", status)
        || tags.iter().any(|tag| has("draft_marks", tag))
}

/// Returns whether `text` joins facts by a word such as `and`, or by a semicolon.
pub fn joins_facts(text: &str) -> bool {
    text.contains(';') || has_word_of("joins", text)
}

/// Returns whether `text` reports a return to an earlier value: `went back to Black`.
pub fn reports_return(text: &str) -> bool {
    // `Volta` is a name, `volta` a return.
    let is_name = |range: &Range<usize>| {
        range.start > 0 && text[range.clone()].starts_with(char::is_uppercase)
    };
    let mut words = words_of(text).into_iter();
    words.any(|(word, range)| WORDS.lists.has("returns", &word) && !is_name(&range))
}

/// Returns whether a sentence begins with a pronoun, or a word that reports a change: `It now runs on …`.
pub fn continues(sentence: &str) -> bool {
    let words = words_of(sentence);
    let is_pronoun = |word: &str| {
        let mut lists = ["before_verbs", "subjects"].iter();
        lists.any(|list| WORDS.lists.has(list, word))
    };
    let first = words.first();
    first.is_none_or(|(word, _)| is_pronoun(word)) || begins_with_change(sentence)
}

/// Returns whether a sentence begins with a word that reports a change, and has a name or number: `Moved to Rome`,
/// `Disregard the 91 %`, but not `Moved the sofa`.
pub fn begins_with_change(sentence: &str) -> bool {
    let words = words_of(sentence);
    let first = words.first().map(|(word, _)| word.as_str());
    let is_value = |c: char| c.is_uppercase() || c.is_ascii_digit();
    let mut rest = words.iter().skip(1);
    rest.any(|(_, range)| sentence[range.clone()].starts_with(is_value))
        && (first.is_some_and(|word| WORDS.change_verbs.are_in(&[word]))
            || change_cues(sentence).iter().any(|cue| cue.start == 0))
}

/// Returns whether `word` reports a return: `back`, `again`.
pub fn is_return(word: &str) -> bool {
    WORDS.lists.has("returns", word)
}

/// Returns whether `text` is about everything.
pub fn is_universal(text: &str) -> bool {
    has_word_of("universal", text)
}

/// Returns `month` or `weekday`, or both, if `text` has such a word.
pub fn calendar_kinds(text: &str) -> impl Iterator<Item = &'static str> {
    let has_month = words_of(text).iter().any(|(word, _)| month(word).is_some());
    let has_weekday = has_word_of("weekdays", text);
    let kinds = [
        has_month.then_some("month"),
        has_weekday.then_some("weekday"),
    ];
    kinds.into_iter().flatten()
}

fn has_word_of(section: &str, text: &str) -> bool {
    words_of(text)
        .iter()
        .any(|(word, _)| WORDS.lists.has(section, word))
}

/// Returns whether `word` of `text` negates. The German `Mai` is a month, and the Portuguese `no` a preposition.
pub fn negates(word: &str, text: &str) -> bool {
    let is_other = match word {
        "Mai" => !text.starts_with(word),
        "no" | "No" => has_word_of("portuguese", text),
        _ => false,
    };
    english::is_negation(&word.to_lowercase()) && !is_other
}

/// Returns the byte ranges of `text` in quotation marks.
pub fn quotations(text: &str) -> Vec<Range<usize>> {
    let quotes = text.match_indices(['"', '“', '”', '„', '«', '»']);
    let marks: Vec<usize> = quotes.map(|(at, _)| at).collect();
    marks.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Returns the lower-case words of `text` with their byte ranges; an apostrophe separates two.
pub(super) fn words_of(text: &str) -> Vec<(String, Range<usize>)> {
    let mut words = Vec::new();
    each_word(text, |_, range| {
        for part in text[range].split(['\'', '’']) {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            words.push((part.to_lowercase(), start..start + part.len()));
        }
    });
    words
}

enum Time {
    Day(Date),
    Year(i16),
}

/// Returns the date that opens `text` or its label, with the positions of the words up to its end: `On 9 March …`,
/// `Weight on 9 March: 70 kg`. Not the first or last day of a period.
pub(super) fn opening_date(
    text: &str,
    found: &[(String, Range<usize>)],
) -> Option<(Date, Range<usize>)> {
    let words: Vec<&str> = found.iter().map(|(word, _)| word.as_str()).collect();
    let label = text.find(": ").or_else(|| text.find(" : ")).unwrap_or(0);
    let labelling = found.partition_point(|(_, range)| range.start < label);
    let is_period = |at: usize| {
        let mut bounds = WORDS.bounds.iter();
        bounds.any(|(phrase, bound)| *bound != Bound::In && words[..at].ends_with(phrase))
    };
    let end = labelling.max(MAX_OPENING_WORDS).min(words.len());
    let dates = (0..end).filter_map(|at| {
        let in_label = labelling
            .saturating_sub(at)
            .max(usize::from(at < 2) * MAX_OPENING_WORDS);
        let date = words.get(at..(at + in_label).min(words.len()))?;
        match read_time(date, Date::constant(2000, 1, 1))? {
            Time::Day(day) if !is_period(at) => Some((day, at..at + date.len())),
            _ => None,
        }
    });
    dates.into_iter().next()
}

/// Returns the day of a year that `words` begin with: `3 March`.
pub(super) fn day_of(words: &[&str]) -> Option<Date> {
    match read_time(words, Date::constant(2000, 1, 1))? {
        Time::Day(day) => Some(day),
        Time::Year(_) => None,
    }
}

/// Reads the time that `words` begin with: `6 January`, `January 6, 2026`, `2026-01-06`, `March 2026`, `2021`.
fn read_time(words: &[&str], stated: Date) -> Option<Time> {
    let is_filler = |word: &&&str| WORDS.lists.has("fillers", word);
    let mut words = words
        .iter()
        .filter(|word| !is_filler(word))
        .take(3)
        .copied();
    let first = words.next()?;
    if let Some(year) = read_year(first) {
        let rest: Vec<i8> = words.map_while(|word| word.parse().ok()).collect();
        let date = match rest[..] {
            [month, day] => Date::new(year, month, day).ok(),
            _ => None,
        };
        return Some(date.map_or(Time::Year(year), Time::Day));
    }
    let mut rest = words.peekable();
    let (month, day) = match (month(first), read_day(first)) {
        (Some(month), _) => {
            let day = rest.next_if(|word| read_day(word).is_some());
            (month, day.and_then(read_day))
        }
        (None, Some(day)) => (month(rest.next()?)?, Some(day)),
        (None, None) => return None,
    };
    let in_year = |year| Date::new(year, month, day.unwrap_or(1)).ok();
    if let Some(year) = rest.next().and_then(read_year) {
        return Some(Time::Day(in_year(year)?));
    }
    let date = in_year(stated.year())?;
    let is_next_year = (stated - date).get_days() > MAX_DAYS_BEHIND;
    Some(Time::Day(if is_next_year {
        in_year(date.year() + 1)?
    } else {
        date
    }))
}

/// Returns the first day after `stated` with the weekday that `words` begin with: `Starting Monday`. `None` if they have
/// another one: `from Monday to Friday`.
fn first_weekday(words: &[&str], stated: Date) -> Option<Date> {
    let mut rest = words
        .iter()
        .skip_while(|word| WORDS.lists.has("fillers", word));
    let day = weekday(rest.next()?)?;
    let is_only = rest.all(|word| weekday(word).is_none());
    is_only.then(|| stated.nth_weekday(1, day).ok()).flatten()
}

/// Returns the weekday that a lower-case `word` names.
fn weekday(word: &str) -> Option<Weekday> {
    WORDS.days.get(word).copied()
}

/// Returns the number of the month that a lower-case `word` names.
pub fn month(word: &str) -> Option<i8> {
    WORDS.months.get(word).copied()
}

fn read_year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
    is_year.then(|| word.parse().ok()).flatten()
}

/// Reads `6`, `6th` and `primo`.
fn read_day(word: &str) -> Option<i8> {
    if WORDS.lists.has("first", word) {
        return Some(1);
    }
    let digits = word.trim_end_matches(|c: char| !c.is_ascii_digit());
    let day: i8 = digits.parse().ok()?;
    (word.len() <= digits.len() + 2 && (1..=31).contains(&day)).then_some(day)
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn announcements_become_reports() {
        for (text, expected) in [
            (
                "From 1 July the rent will rise to 950 euros.",
                " 1 July the rent went up to 950 euros.",
            ),
            (
                "The choir moves into the hall on 1 July.",
                "The choir moved into the hall on 1 July.",
            ),
            (
                "À partir du 1er juillet, le loyer sera de 950 euros.",
                " 1er juillet, le loyer est maintenant de 950 euros.",
            ),
            (
                "The desk opens at 9 on 1 July.",
                "The desk opens at 9 on 1 July.",
            ),
        ] {
            assert_eq!(report_of_announced(text), expected);
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn reads_when_a_statement_is_valid() {
        use Validity::{Ended, NotYet, Past, Since, Temporary, Tentative, Valid};
        for (text, expected) in [
            ("The desk opens at 8:00.", Valid),
            ("Could the desk open at 9:00?", Tentative),
            ("At the time the desk had one clerk.", Past),
            ("Before the merger the desk was in Bath.", Past),
            ("Ann proposed to open the desk at 9:00.", Tentative),
            ("It is not true that the desk moved to Ely.", Tentative),
            ("The desk moved to Ely, but reverted that.", Tentative),
            ("The desk moved to Ely, then went back.", Tentative),
            ("The desk has not moved to Ely.", Tentative),
            ("El mostrador no ha cambiado de sitio.", Tentative),
            ("Nobody moved the desk to Ely.", Tentative),
            ("Nobody sits at the desk anymore.", Valid),
            ("We will have moved the desk to Ely by 2028.", Tentative),
            ("Der Schalter wäre fast nach Ulm gezogen.", Tentative),
            (
                "Tom says the desk opens at 9, but he is mistaken.",
                Tentative,
            ),
            ("The desk opens at 9:30 this week.", Temporary),
            ("The desk moved from Monday to Friday this week.", Temporary),
            ("This week the desk moved to Friday.", Valid),
            ("From this week the desk opens at 9:30.", Valid),
            ("Walked to the desk today.", Valid),
            ("The meeting on 14 May is on Thursday.", Temporary),
            ("The note of 14 May was wrong.", Valid),
            ("While the lobby is painted the desk opens at 9.", Temporary),
            ("The desk moved to Ely once.", Temporary),
            ("Vielleicht öffnet der Schalter um 9 Uhr.", Tentative),
            ("Draft: the desk opens at 9:00.", Tentative),
            ("We almost used Redis for the desk.", Tentative),
            ("It is almost finished.", Valid),
            ("Wenn es regnet, ist der Schalter im Keller.", Tentative),
            ("Si llueve, el mostrador está dentro.", Tentative),
            ("On pourrait peut-être ouvrir à 9 heures.", Tentative),
            ("My old desk is in the attic.", Past),
            ("À l'époque, le guichet ouvrait à 8 heures.", Past),
            ("We sold the old desk.", Valid),
            ("Last year the desk was in the lobby.", Past),
            ("The desk used to be in the lobby.", Past),
            ("The key is used to open the desk.", Valid),
            ("The desk was moved to the lobby.", Valid),
            ("The desk opens early because the lobby was full.", Valid),
            ("Ann has lived in Rome since May.", Since),
            ("Letztes Jahr war der Schalter im Keller.", Past),
            ("Avant, le guichet ouvrait à 8 heures.", Past),
            (
                "Avant, le guichet ouvrait à 8 heures, maintenant à 9.",
                Valid,
            ),
            ("El mostrador estaba en el sótano.", Past),
            ("Lo sportello apriva alle 8.", Past),
            ("O balcão ficava na cave.", Past),
            ("Ann wants to live in Rome.", Tentative),
            ("Ann will in Rom wohnen.", Tentative),
            ("Ann will meet us in the garden.", Valid),
            ("Ana quiere vivir en Roma.", Tentative),
            ("Anne veut vivre à Rome.", Tentative),
            ("Anna vorrebbe vivere a Roma.", Tentative),
            ("The fee will rise to 9 pounds on 1 March.", NotYet),
            ("The fee will rise to 9 pounds on 1 February.", Since),
            ("The fee will rise to 9 pounds.", NotYet),
            ("The exam will move to 3 March.", Valid),
            ("The course will move to Friday.", Valid),
            ("Marco takes over the desk on 3 March.", NotYet),
            ("Marco takes over the desk on 3 February.", Since),
            ("Marco takes over the desk until 3 March.", Temporary),
            ("The desk is moving to Bath on 3 March.", NotYet),
            ("Marco takes over the desk.", Valid),
            ("Frau Adler übernimmt am 3. März den Schalter.", NotYet),
            ("La tarifa subirá a 9 euros en marzo.", NotYet),
            ("Le tarif passera à 9 euros.", NotYet),
            ("A taxa vai subir para 9 euros em março.", NotYet),
            ("Starting Monday, Ada runs the desk.", Since),
            ("The desk is open from Monday to Friday.", Valid),
            ("DRAFT the desk opens at 9:00.", Tentative),
            ("[draft] The desk opens at 9:00.", Tentative),
            ("We drafted the plan for the desk.", Valid),
            ("Until 6 January 2026 the desk opens at 10:00.", Ended),
            ("Until January 6, 2026 the desk opens at 10:00.", Ended),
            ("Until 30 June the desk is in the lobby.", Temporary),
            ("Erik takes two tablets until 16 February.", Temporary),
            ("Erik took two tablets until 2 February.", Ended),
            ("From 1 July 2026 the plan costs 22 dollars.", NotYet),
            ("The plan costs 22 dollars from 2026-07-01.", NotYet),
            ("Starting 1 March, the freeze is on Wednesdays.", NotYet),
            ("From January 2026 staff park in Lock Street.", Since),
            ("Back in 2021 Teasel ran on MongoDB.", Past),
            ("Until 2022 the team was led by Oswald.", Ended),
            ("We use Windows Server 2022.", Valid),
            ("Since 2019 the rent is 940 pounds.", Valid),
            ("In 2026 the rent is 940 pounds.", Valid),
            ("It takes from 5 to 10 minutes.", Valid),
            ("Next year the desk will be in Ely.", NotYet),
            ("From next month on Ivo leads the desk.", Since),
            ("Ab nächster Woche öffnet der Schalter um 9.", Since),
            ("L'an prochain, le guichet sera à Lille.", NotYet),
            ("In 2027 the desk will be in Ely.", NotYet),
            (
                "A partir del 1 de julio la biblioteca abrirá a las 8.",
                NotYet,
            ),
            ("Bis zum 31. Januar findet es im Raum Elbe statt.", Ended),
            ("Dal primo gennaio 2026 l'ufficio usa Zucchetti.", Since),
            ("Em 2018 o armazém ficava no Barreiro.", Past),
            (
                "À partir du 1er septembre, Zoé en sera responsable.",
                NotYet,
            ),
        ] {
            let validity = validity(text, date(2026, 1, 10), date(2026, 2, 10));
            assert_eq!(validity, expected, "{text}");
        }
    }

    #[test]
    fn finds_the_person_whom_a_statement_is_about() {
        for (text, expected) in [
            ("Jo has a new number.", Some("jo")),
            ("Jo no longer drinks tea.", Some("jo")),
            ("Acme moved its shop to Ely.", Some("acme")),
            ("The sales department moved to Ely.", Some("department")),
            ("My mother takes 100 mg.", Some("mother")),
            ("Karin hat einen neuen Spind.", Some("karin")),
            ("Jo has taken over the desk.", None),
            ("Tom moved our backups to Ely.", None),
            ("Postgres replaced MySQL.", None),
            ("We have a new desk.", None),
        ] {
            assert_eq!(person(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn recognises_drafts() {
        let tagged = ["draft".to_owned()];
        for (title, tags, status, expected) in [
            ("Opening hours", &[][..], "", false),
            ("Opening hours", &[][..], "Draft", true),
            ("Opening hours", &tagged, "", true),
            ("Draft opening hours", &[][..], "", true),
            ("Opening hours (draft)", &[][..], "", true),
            ("Entwurf", &[][..], "", true),
            ("The drafting table", &[][..], "final", false),
        ] {
            assert_eq!(is_draft(title, tags, status), expected, "{title} {status}");
        }
    }

    #[test]
    fn reads_cues() {
        let cues = |text: &str| {
            let cues = change_cues(text)
                .into_iter()
                .map(|cue| text[cue].to_owned());
            cues.collect::<Vec<_>>().join("|")
        };
        for (text, expected) in [
            ("The lead is Jonas now.", "now"),
            ("Correction: the lead is Jonas.", "Correction"),
            ("Update: the lead is Jonas.", "Update"),
            ("Update the lead.", ""),
            ("Luc n'est plus là.", "n|plus"),
            (
                "El responsable ya no es Luis, ahora es Pablo.",
                "ya|no|ahora",
            ),
        ] {
            assert_eq!(cues(text), expected, "{text}");
        }
    }

    #[test]
    fn the_lists_are_read_whole() {
        let december = WORDS.months.values().filter(|month| **month == 12);
        assert_eq!(december.count(), 7);
        let rows = LISTS.lines().filter(|row| row.contains('='));
        let pairs: usize = rows.map(|row| row.split(' ').count()).sum();
        assert_eq!(WORDS.months.len() + WORDS.days.len(), pairs);
    }
}

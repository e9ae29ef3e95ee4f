//! A short statement, compared with others as far as a question asks.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::{Timestamp, Zoned};

use super::words::{
    ContentWord, NameRun, WordRole, content_words, denied_words, follows_statement, limiting_words,
    may_be_verb, name_runs, names, negation_end, new_value, other_owners, quotes_any, redone_words,
    told_words,
};
use crate::note::facts::coexistence::StatementFeatures;
use crate::note::facts::departures::{completed_change, departure, reports_cancellation};
use crate::note::facts::quantity::{Quantity, quantities, share_quantity};
use crate::note::facts::validity::{
    Validity, asks_for_place, begins_with_change, begun_states, calendar_kinds, continues,
    instead_of, is_determiner, is_function_word, is_occasion, is_own, is_owner, is_plural_verb,
    is_return, is_state, is_time, is_title_word, is_universal, joins_facts, links, opposites,
    person, report_of_announced, reports_change, reports_event, reports_return, transition,
    validity,
};
use crate::note::markdown::sentences;
use crate::note::words::analyzer::Analyzer;
use crate::note::words::language::Language;

/// Minimum share of common words in statements about one subject: of all words of both, or of the shorter one if their
/// scores are similar.
const MIN_SHARE_OF_ALL: f32 = 0.3;
const MIN_SHARE_OF_SHORTER: f32 = 0.33;
/// Number of common words of the question from which two statements answer the same question.
const MIN_WORDS_OF_SAME_QUESTION: usize = 3;
/// Maximum number of content words in a statement, and of a question that are read.
const MAX_WORDS: usize = 40;
/// Maximum number of words by which two statements of one form may differ.
const MAX_WORDS_OF_VALUE: usize = 3;
/// Maximum number of words that tell a place.
const MAX_WORDS_OF_PLACE: usize = 7;
/// Minimum length of an id, and of one without letters.
const MIN_ID_BYTES: usize = 4;
const MIN_TIMESTAMP_DIGITS: usize = 8;

/// A question to which statements are compared.
pub(super) struct Question<'l> {
    analyzer: Analyzer,
    languages: &'l [Language],
    words: BTreeSet<String>,
    /// Pairs of a describing and a described word: `small`, `heater`.
    links: Vec<(String, String)>,
    /// Words that are probably verbs.
    verbs: BTreeSet<String>,
    /// Words of states that only certain verbs begin: `live`, `moved`.
    states: BTreeSet<String>,
    /// The word of the question for each opposite of it, as written: `closed`, `open`.
    opposites: BTreeMap<String, String>,
    text: String,
}

impl<'l> Question<'l> {
    pub(super) fn new(text: &str, languages: &'l [Language]) -> Self {
        let mut analyzer = Analyzer::of(languages);
        let mut words = content_words(text, &mut analyzer, languages);
        words.truncate(MAX_WORDS);
        let pairs = words.windows(2).flat_map(|pair| {
            let [first, second] = [&pair[0].prefix, &pair[1].prefix];
            let [is_led, is_followed] = links(text, [&pair[0].range, &pair[1].range]);
            let led = is_led.then(|| (first.clone(), second.clone()));
            let followed = is_followed.then(|| (second.clone(), first.clone()));
            led.into_iter().chain(followed)
        });
        let verbs = words.iter().filter(|word| may_be_verb(text, word));
        let opposites = words.iter().flat_map(|word| {
            let written = text[word.range.clone()].to_lowercase();
            let opposites = opposites(&written).into_iter();
            opposites.map(|opposite| (opposite, word.prefix.clone()))
        });
        let is_state = |word: &&ContentWord| is_state(&text[word.range.clone()].to_lowercase());
        let states = words.iter().filter(is_state);
        Self {
            states: states.map(|word| word.prefix.clone()).collect(),
            opposites: opposites.collect(),
            links: pairs.collect(),
            verbs: verbs.map(|word| word.prefix.clone()).collect(),
            words: words.into_iter().map(|word| word.prefix).collect(),
            analyzer,
            languages,
            text: text.to_owned(),
        }
    }

    /// Reads `text`, stated at `at`; `None` if it is too long for one statement. If it `is_excerpt` of a longer text, the
    /// sentences that do not answer the question are about other things.
    pub(super) fn statement(
        &mut self,
        text: &str,
        at: Timestamp,
        now: &Zoned,
        is_excerpt: bool,
    ) -> Option<Statement> {
        let stated = at.to_zoned(now.time_zone().clone()).date();
        // `We use Redis. Previously we used SQLite.`
        let sentences = text.lines().flat_map(sentences::of_line);
        let is_past = |sentence: &&str| validity(sentence, stated, now.date()) == Validity::Past;
        let current: Vec<&str> = sentences.filter(|sentence| !is_past(sentence)).collect();
        let whole = current.join(" ");
        let answering = self.answering(current, is_excerpt).join(" ");
        if is_excerpt && answering.is_empty() {
            return None;
        }
        let text = if answering.is_empty() {
            text
        } else {
            &answering
        };
        // What was announced has happened: `From 1 July the choir meets …`.
        let validity_on = |day| validity(text, stated, day);
        let validity = validity_on(now.date());
        let is_past_announcement =
            validity == Validity::Since && validity_on(stated) == Validity::NotYet;
        let report = is_past_announcement.then(|| report_of_announced(text));
        let text = report.as_deref().unwrap_or(text);
        let mut words = content_words(text, &mut self.analyzer, self.languages);
        // `Ankes Bruder` and `der Bruder von Anke`
        for word in words.iter_mut().filter(|word| word.is_value) {
            let other = word.prefix.strip_suffix('s').map(str::to_owned);
            let other = other.unwrap_or_else(|| format!("{}s", word.prefix));
            if !self.words.contains(&word.prefix) && self.words.contains(&other) {
                word.prefix = other;
            }
        }
        if words.len() > MAX_WORDS {
            return None;
        }
        let completed = completed_change(text);
        let change = transition(&self.text, text, &completed).unwrap_or_default();
        let is_changed = !change.verbs.is_empty();
        let in_change = |word: &ContentWord| {
            let mut verbs = change.verbs.iter();
            verbs.any(|verb| verb.contains(&word.range.start))
        };
        // `Trasladamos las copias`: a capital does not make a verb a name.
        for word in words.iter_mut().filter(|word| in_change(word)) {
            word.is_value = false;
        }
        let verbs = words.iter().filter(|word| in_change(word));
        let verbs: BTreeSet<String> = verbs.map(|word| word.prefix.clone()).collect();
        let new_value = new_value(text, &words, &change.verbs);
        let runs = name_runs(text, &words, &self.words);
        let departure = Departure::of(text, &words);
        let left = left_things(text, &words, departure.as_ref());
        let names = names(text, &words);
        let opposite = self.opposite_in(text, &words);
        let mut statement = Statement::new(text, words, at, validity, &self.words);
        if whole.len() > text.len() {
            self.add_context(&mut statement, &whole);
        }
        if let Some(word) = opposite {
            statement.is_negated = !statement.is_negated;
            statement.asked.insert(word.clone());
            statement.words.insert(word);
        }
        statement.left = left;
        statement.departure = departure.filter(|_| !statement.is_negated);
        statement.optional.clone_from(&self.verbs);
        // `Tom is my manager now`, `Lena lives in Rome now`: of a person's life, not of an article.
        statement.reports_event |= statement.reports_change
            && (is_own(text) || names.iter().any(|name| self.words.contains(name)));
        statement.names = names;
        statement.states = self.opposites.values().cloned().collect();
        statement.asks_for_place = asks_for_place(&self.text);
        let is_of_person = is_own(&self.text) && !is_own(text) && person(text).is_some();
        statement.person = statement.first.clone().filter(|_| is_of_person);
        let described = |word: &&String| {
            let mut links = self.links.iter();
            links.any(|(modifier, head)| {
                modifier == *word
                    && statement.words.contains(head)
                    && !statement.words.contains(modifier)
            })
        };
        statement.omitted = self.words.iter().filter(described).cloned().collect();
        statement.runs = runs;
        if is_changed && !statement.is_negated {
            statement.new_value = new_value;
            self.add_transition(&mut statement, verbs, &change.asked);
        }
        if !statement.is_negated {
            self.add_begun_states(&mut statement, text);
        }
        if statement.transition.is_none() {
            statement.words.extend(statement.begun.iter().cloned());
            statement.asked.extend(statement.begun.iter().cloned());
            statement.reports_change |= !statement.begun.is_empty();
        }
        Some(statement)
    }

    /// Adds the change that the `verbs` report, and the words of the question that it answers: those `asked` for such a
    /// change, and words that a report leaves out. `The user switched to tea` answers one verb; `We moved to Rome` leaves
    /// out its subject, too.
    fn add_transition(
        &mut self,
        statement: &mut Statement,
        verbs: BTreeSet<String>,
        asked: &[&str],
    ) {
        let asked = content_words(&asked.join(" "), &mut self.analyzer, self.languages);
        let is_missing =
            |word: &String| !statement.omitted.contains(word) && !statement.words.contains(word);
        let is_name = |first: &String| statement.names.contains(first) && !verbs.contains(first);
        let names_subject =
            statement.subject.is_some() || statement.first.as_ref().is_some_and(is_name);
        let is_verb = |word: &&String| is_missing(word) && !self.states.contains(*word);
        let mut missing = self.verbs.iter().filter(is_verb);
        let verb = missing.next().filter(|_| missing.next().is_none());
        let is_begun = |word: &&String| {
            asked.iter().any(|asked| asked.prefix == **word)
                || is_missing(word) && (!names_subject || verb == Some(*word))
        };
        let begun = self.words.iter().filter(is_begun).cloned().collect();
        statement.transition = Some(verbs);
        statement.begun = begun;
    }

    /// Adds the words of the whole note, `text`, that the statement is an excerpt from.
    fn add_context(&mut self, statement: &mut Statement, text: &str) {
        let words = content_words(text, &mut self.analyzer, self.languages);
        statement.context = words.into_iter().map(|word| word.prefix).collect();
        // `Met Ella. Her lesson is on Monday` answers a question about Ella.
        let mut others = statement.context.difference(&statement.asked);
        if others.any(|word| self.words.contains(word)) {
            statement.limits.retain(|limit| !is_owner(limit));
        }
    }

    /// Adds the states of the question that begin in `text`: `moved to Exeter` answers `Where does she live?`.
    fn add_begun_states(&mut self, statement: &mut Statement, text: &str) {
        let verbs = begun_states(&self.text, text).join(" ");
        let words = content_words(&verbs, &mut self.analyzer, self.languages);
        let verbs = words.into_iter().map(|word| word.prefix);
        let verbs: BTreeSet<String> = verbs.filter(|word| self.words.contains(word)).collect();
        if !verbs.is_empty() {
            statement.begun = verbs;
            statement.transition = None;
        }
    }

    /// Returns the sentence with all words of the question that `sentences` have, and those that continue it. The rest is
    /// about other things: `Phoned Ines. Robert brought the key back`. If no sentence has all the words, returns all, or of
    /// an excerpt the first sentence with most.
    pub(super) fn answering<'t>(
        &mut self,
        sentences: Vec<&'t str>,
        is_excerpt: bool,
    ) -> Vec<&'t str> {
        if sentences.len() < 2 {
            return sentences;
        }
        let asked: Vec<BTreeSet<String>> = sentences
            .iter()
            .map(|sentence| {
                let words = content_words(sentence, &mut self.analyzer, self.languages);
                let opposite = self.opposite_in(sentence, &words);
                let words = words.into_iter().map(|word| word.prefix);
                let mut asked: BTreeSet<String> =
                    words.filter(|word| self.words.contains(word)).collect();
                asked.extend(opposite);
                // `Moved the sofa` begins no state of a person.
                if !asked.is_empty() {
                    asked.extend(begun_states(&self.text, sentence));
                }
                asked
            })
            .collect();
        let all = asked.iter().map(BTreeSet::len).max().unwrap_or_default();
        let is_best = |at: &usize| all > 0 && asked[*at].len() == all;
        let Some(best) = (0..sentences.len()).find(is_best) else {
            return if is_excerpt { Vec::new() } else { sentences };
        };
        if !asked.iter().all(|words| words.is_subset(&asked[best])) {
            return if is_excerpt {
                vec![sentences[best]]
            } else {
                sentences
            };
        }
        let mut is_continued = false;
        let kept = sentences.iter().zip(&asked).filter(|(sentence, words)| {
            // `Disregard the 91 %. Done properly, it is 84 %.`
            let is_report = begins_with_change(sentence);
            is_continued = words.len() == all || is_continued && continues(sentence);
            is_continued || is_report
        });
        kept.map(|(sentence, _)| *sentence).collect()
    }

    /// Returns the word of the question whose opposite `text` with the content `words` states: `open`, if `text` is `The
    /// pool is closed`. `Closed on Mondays` leaves it open.
    fn opposite_in(&self, text: &str, words: &[ContentWord]) -> Option<String> {
        let opposite =
            |word: &ContentWord| self.opposites.get(&text[word.range.clone()].to_lowercase());
        let asked = words.iter().find_map(opposite)?;
        let is_limited = calendar_kinds(text).next().is_some();
        let is_stated = || words.iter().any(|word| word.prefix == *asked);
        (!is_limited && !is_stated()).then(|| asked.clone())
    }

    /// Adds the words of the title that its text does not have. They tell subjects apart: `Flat Bonn`, `Flat Kiel`.
    pub(super) fn add_title(&mut self, statement: &mut Statement, title: &str) {
        statement.title = title.to_lowercase();
        let words = content_words(title, &mut self.analyzer, self.languages);
        let is_id = is_id(title);
        // `Meeting 3`, `Untitled 1`
        let mut written = words
            .iter()
            .map(|word| title[word.range.clone()].to_lowercase());
        let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
        let is_counted =
            written.all(|word| is_number(&word) || is_occasion(&word) || is_title_word(&word));
        let mut prefixes = words.iter().map(|word| &word.prefix);
        let names_subject = prefixes.any(|prefix| statement.words.contains(prefix));
        // The title names the whole note, not each of its sentences.
        let is_excerpt = statement.is_excerpt();
        let is_new = |word: &ContentWord| {
            let written = title[word.range.clone()].to_lowercase();
            let is_letter =
                written.len() == 1 && !written.starts_with(|c: char| c.is_ascii_digit());
            let is_occasion = names_subject && is_occasion(&written);
            let names_nothing = is_occasion
                || is_time(&written)
                || is_title_word(&written)
                || (is_id || is_counted && is_number(&written))
                    && !self.words.contains(&word.prefix);
            let is_told =
                statement.words.contains(&word.prefix) || statement.context.contains(&word.prefix);
            !is_told && !is_letter && !names_nothing
        };
        let new: Vec<String> = words
            .into_iter()
            .filter(is_new)
            .map(|word| word.prefix)
            .collect();
        for word in new {
            if self.words.contains(&word) {
                statement.asked.insert(word.clone());
                statement.title_asked.insert(word.clone());
            } else if is_excerpt {
                continue;
            } else {
                statement.limits.insert(word.clone());
                statement.title_limits.insert(word.clone());
            }
            statement.words.insert(word);
        }
        statement.answers_all = self.words.is_subset(&statement.asked);
    }
}

/// Returns whether `title` is an id or a time stamp, which names no subject: `b41f`, `202603011200`.
fn is_id(title: &str) -> bool {
    let digits = title.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = |c: char| c.is_ascii_hexdigit() || matches!(c, '-' | '_');
    title.chars().all(is_hex)
        && digits > 0
        && title.len() >= MIN_ID_BYTES
        && (digits < title.len() || digits >= MIN_TIMESTAMP_DIGITS)
}

/// The words of a report of a move from one thing to another, as prefixes.
#[derive(Debug)]
struct Departure {
    /// Names: the old thing, and perhaps the subject.
    old: Vec<BTreeSet<String>>,
    new: BTreeSet<String>,
    /// All other words but times and those that report the change.
    rest: BTreeSet<String>,
}

impl Departure {
    /// Returns the departure that `text` with the content `words` reports.
    fn of(text: &str, words: &[ContentWord]) -> Option<Self> {
        let found = departure(text)?;
        let inside = |range: &Range<usize>| -> BTreeSet<String> {
            let words = words
                .iter()
                .filter(|word| range.contains(&word.range.start));
            words.map(|word| word.prefix.clone()).collect()
        };
        let dated = calendar_kinds(text).next().is_some();
        let is_rest = |word: &&ContentWord| {
            let written = text[word.range.clone()].to_lowercase();
            let mut known = found.reports.iter().chain(&found.old).chain([&found.new]);
            let is_date = dated && written.starts_with(|c: char| c.is_ascii_digit());
            !known.any(|range| range.contains(&word.range.start)) && !is_date && !is_time(&written)
        };
        let rest = words.iter().filter(is_rest);
        Some(Self {
            rest: rest.map(|word| word.prefix.clone()).collect(),
            old: found
                .old
                .iter()
                .map(inside)
                .filter(|name| !name.is_empty())
                .collect(),
            new: inside(&found.new),
        })
    }
}

/// Returns the names that `text` with the content `words` reports to be left: `from Trello`, `instead of Trello`.
fn left_things(
    text: &str,
    words: &[ContentWord],
    departure: Option<&Departure>,
) -> Vec<BTreeSet<String>> {
    // `Moved to Postgres 16` leaves a Postgres, `moved to Dock Road 3` no Dock Road.
    let is_other = |name: &&BTreeSet<String>| {
        departure.is_some_and(|departure| !name.is_subset(&departure.new))
    };
    let old = departure.iter().flat_map(|departure| &departure.old);
    let mut left: Vec<BTreeSet<String>> = old.filter(is_other).cloned().collect();
    if let Some(at) = instead_of(text) {
        let name = words.iter().skip_while(|word| word.range.start < at);
        let name = name
            .take_while(|word| word.is_value)
            .map(|word| word.prefix.clone());
        left.push(name.collect());
    }
    left.retain(|name| !name.is_empty());
    left
}

/// A short text that states one thing.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a property of its own"
)]
pub(super) struct Statement {
    pub(super) at: Timestamp,
    /// The project of its note.
    pub(super) space: Option<String>,
    /// Whether its note has further lines.
    pub(super) is_of_long_note: bool,
    /// The title of its note in lower case.
    title: String,
    /// Those of `asked` that only the title has.
    title_asked: BTreeSet<String>,
    /// Those of `limits` that are from the title.
    title_limits: BTreeSet<String>,
    /// All words but determiners, and the number of those before the first content word.
    text: Vec<String>,
    lead: usize,
    /// The role of each word of `text`.
    roles: Vec<WordRole>,
    /// Content words, as prefixes.
    words: BTreeSet<String>,
    /// Those of its note, if only some of its sentences answer the question.
    context: BTreeSet<String>,
    /// Those of the question.
    asked: BTreeSet<String>,
    /// Whether it has all words of the question.
    answers_all: bool,
    /// Names and numbers that are not in the question.
    values: BTreeSet<String>,
    /// Words that limit it to another place, occasion or owner than the question: `in staging only`, `Ben's`.
    limits: BTreeSet<String>,
    quantities: Vec<Quantity>,
    /// Kinds of values: units, months, weekdays.
    kinds: BTreeSet<&'static str>,
    features: StatementFeatures,
    /// Words of the question for a state whose beginning it reports: `live`, `moved to Exeter`.
    begun: BTreeSet<String>,
    /// Words that report a change of what the question asks for, without the old value: `handed over`.
    transition: Option<BTreeSet<String>>,
    /// Words of the new value after such a word: `basement` in `moved the key to the basement`.
    new_value: BTreeSet<String>,
    /// Words of the question that describe a word of this, and that it lacks: another thing.
    omitted: BTreeSet<String>,
    /// Names that are not in the question.
    runs: Vec<NameRun>,
    /// Words of the question that a report of a change may leave out.
    optional: BTreeSet<String>,
    /// Words after the prefix `re`: `painted` in `repainted`.
    redone: BTreeSet<String>,
    /// Whether it reports the end of a contract or use.
    cancels: bool,
    /// What it reports to be left for another thing.
    departure: Option<Departure>,
    /// Names of what it reports to be left.
    left: Vec<BTreeSet<String>>,
    /// Words of the question for a state that has an opposite: `open`.
    states: BTreeSet<String>,
    /// Whether the question asks for a place.
    asks_for_place: bool,
    /// The name with which it begins, if the question is about the one who asks: `Jo has a new number`.
    person: Option<String>,
    /// Its names, also those of the question.
    names: BTreeSet<String>,
    /// The first content word, if no pronoun or preposition precedes it: `Tom` in `Tom moved to Rome`.
    first: Option<String>,
    /// The word after an article or owner at the beginning: `supplier` in `Our supplier moved to York`.
    subject: Option<String>,
    pub(super) validity: Validity,
    is_negated: bool,
    /// Words after a negation that are not in the question: `not allergic to eggs`.
    denied: BTreeSet<String>,
    reports_change: bool,
    /// Whether it does so by more than `now`, or reports that something was left.
    pub(super) reports_event: bool,
    reports_return: bool,
    /// Words that report the return.
    returns: BTreeSet<String>,
    /// Whether it joins several facts by `and`.
    is_compound: bool,
    /// Whether it is about everything: `We rerun everything on release 2`.
    is_universal: bool,
}

impl Statement {
    fn new(
        text: &str,
        content: Vec<ContentWord>,
        at: Timestamp,
        validity: Validity,
        asked: &BTreeSet<String>,
    ) -> Self {
        let (told, lead) = told_words(text, &content);
        let first = content.first().filter(|_| lead == 0);
        let first = first.map(|word| word.prefix.clone());
        let mut statement = Self {
            at,
            first,
            space: None,
            is_of_long_note: false,
            title: String::new(),
            title_asked: BTreeSet::new(),
            title_limits: BTreeSet::new(),
            roles: told.iter().map(|(_, role)| *role).collect(),
            text: told.into_iter().map(|(word, _)| word).collect(),
            lead,
            words: BTreeSet::new(),
            context: BTreeSet::new(),
            asked: BTreeSet::new(),
            answers_all: false,
            values: BTreeSet::new(),
            limits: BTreeSet::new(),
            quantities: quantities(text),
            kinds: BTreeSet::new(),
            features: StatementFeatures::of(text),
            begun: BTreeSet::new(),
            transition: None,
            new_value: BTreeSet::new(),
            omitted: BTreeSet::new(),
            runs: Vec::new(),
            optional: BTreeSet::new(),
            redone: redone_words(text, &content),
            cancels: reports_cancellation(text),
            departure: None,
            left: Vec::new(),
            states: BTreeSet::new(),
            asks_for_place: false,
            person: None,
            names: BTreeSet::new(),
            subject: content
                .first()
                .filter(|word| !word.is_value && is_determiner(&text[..word.range.start]))
                .map(|word| word.prefix.clone()),
            validity,
            is_negated: negation_end(text)
                .is_some_and(|end| !follows_statement(text, end, &content, asked)),
            denied: denied_words(text, &content, asked),
            reports_change: reports_change(text) || !completed_change(text).is_empty(),
            reports_event: reports_event(text)
                || reports_cancellation(text)
                || !completed_change(text).is_empty(),
            reports_return: reports_return(text),
            returns: content
                .iter()
                .filter(|word| is_return(&text[word.range.clone()].to_lowercase()))
                .map(|word| word.prefix.clone())
                .collect(),
            is_compound: joins_facts(text),
            is_universal: is_universal(text),
        };
        for owner in other_owners(text, asked, &content) {
            statement.limits.insert(owner.clone());
            statement.words.insert(owner);
        }
        if quotes_any(text, asked, &content) {
            statement.validity = Validity::Tentative;
        }
        statement
            .limits
            .extend(limiting_words(text, asked, &content));
        let units = statement.quantities.iter().map(Quantity::dimension);
        statement.kinds = units.chain(calendar_kinds(text)).collect();
        for word in content {
            let ContentWord {
                prefix, is_value, ..
            } = word;
            if asked.contains(&prefix) {
                statement.asked.insert(prefix.clone());
            } else if is_value {
                statement.values.insert(prefix.clone());
            }
            statement.words.insert(prefix);
        }
        // `relicensed` answers `Which licence …?`
        for word in statement.redone.iter().filter(|word| asked.contains(*word)) {
            statement.asked.insert(word.clone());
            statement.words.insert(word.clone());
            statement.reports_change = true;
        }
        // A stated first or last day is news, too.
        statement.reports_change |=
            matches!(statement.validity, Validity::Since | Validity::Temporary);
        statement
    }

    /// Returns the names that answer the question, without numbers at their ends.
    pub(super) fn named_values(&self) -> impl Iterator<Item = &str> {
        let names = self.runs.iter();
        names.map(|run| run.text.trim_end_matches(|c: char| !c.is_alphabetic()))
    }

    /// Returns whether it is one of several sentences of its note.
    pub(super) fn is_excerpt(&self) -> bool {
        !self.context.is_empty()
    }

    /// Returns whether it reports that something was left for another.
    pub(super) fn reports_departure(&self) -> bool {
        self.departure.is_some()
    }

    /// Returns whether both are about the same subject, as far as the question asks. Both name a value that is
    /// not asked for, or the newer one has all words of the question that the older one has, and enough other
    /// words of it. `is_near` tells whether their scores are similar.
    pub(super) fn has_subject_of(&self, other: &Self, is_near: bool) -> bool {
        let (older, newer) = if self.at <= other.at {
            (self, other)
        } else {
            (other, self)
        };
        if newer.has_new_answer_to(older) {
            return true;
        }
        if older.asked.is_disjoint(&newer.asked)
            || newer.has_other_attribute(older)
            || newer.has_other_subject(older)
            || newer.changes_part_of(older)
            || newer.is_parallel_to(older)
            || newer.adds_phrase_to(older)
            || older.adds_phrase_to(newer)
            || newer.features.may_hold_with(&older.features)
            || !newer.limits.is_subset(&older.words)
            || !older.limits.is_subset(&newer.words)
        {
            return false;
        }
        if !newer.values.is_disjoint(&older.values)
            || newer.begins_state_of(older)
            || newer.changes_kind_of(older)
            || newer.changes_only_value_of(older)
            || newer.is_at_other_place(older)
        {
            return true;
        }
        let mut common = older.words.intersection(&newer.words);
        let has_other_words = common.any(|word| !newer.asked.contains(word));
        let is_same_question = newer.answers_question_of(older)
            || older.asked == newer.asked && older.asked.len() == 2 && newer.reports_change;
        newer.covers_question_of(older)
            && (newer.share_of_all(older) >= MIN_SHARE_OF_ALL
                || newer.differs_in_value(older)
                || is_near && newer.reports_news_under_title_of(older)
                || is_near
                    && (has_other_words || is_same_question)
                    && newer.share_of_shorter(older) >= MIN_SHARE_OF_SHORTER)
    }

    /// Returns whether this names a subject that `older` lacks, and lacks one that the question asks for:
    /// `Our supplier moved from Leeds to York` is not about `My brother lives in Leeds`. A report of a departure must
    /// name a person in `older`.
    fn has_other_subject(&self, older: &Self) -> bool {
        let is_told = |word: &String| {
            self.asked.contains(word) || self.begun.contains(word) || self.optional.contains(word)
        };
        let mut subject = self.subject.iter();
        // `The stand-up moved to 10:00` does not answer `Where do we live?`
        let has_common = || !self.asked.is_subset(&self.begun);
        let is_other = subject
            .any(|word| !older.words.contains(word) && !self.asked.contains(word))
            && !(has_common() && older.asked.iter().all(is_told));
        // `We moved the print server from Bonn to Kiel` is not about `The backup server is in Bonn`, whichever is asked
        // for.
        let is_other_thing = |departure: &Departure| {
            let is_own = |word: &String| {
                let is_told = older.asked.contains(word) || older.values.contains(word);
                !is_told && !self.words.contains(word)
            };
            !self.omitted.is_disjoint(&older.asked) && !departure.rest.is_subset(&older.words)
                || !older.omitted.is_disjoint(&self.asked) && older.words.iter().any(is_own)
        };
        let mut departure = self.departure.iter();
        is_other
            || self.is_of_other_person(older)
            || self.begins_with_other(older)
            || departure.any(|left| self.lacks_person_of(older) || is_other_thing(left))
    }

    /// Returns whether this begins with a person who is not in `older`, nor the one who asks.
    fn is_of_other_person(&self, older: &Self) -> bool {
        self.person
            .as_ref()
            .is_some_and(|person| !older.words.contains(person))
    }

    /// Returns whether both say the same about two things, and this reports no change: `Bed 1 is planted with leeks`, `Bed
    /// 4 is planted with beans`. They differ in two places, and the first is followed by a verb or noun. `On Monday`
    /// and `In 2025` tell no things apart.
    fn is_parallel_to(&self, older: &Self) -> bool {
        if self.reports_change || self.transition.is_some() || self.text.len() != older.text.len() {
            return false;
        }
        let differs = |at: &usize| self.text[*at] != older.text[*at];
        let Some(start) = (0..self.text.len()).find(differs) else {
            return false;
        };
        // `The insurance of the car is with A, policy 4`: the subject is the same.
        let is_named = |asked: &String| {
            let mut before = self.text[..start].iter();
            before.any(|word| word.starts_with(asked.as_str()))
        };
        let is_number = self.text[start].starts_with(|c: char| c.is_ascii_digit());
        if !is_number && self.asked.len() > 1 && self.asked.iter().all(is_named) {
            return false;
        }
        // `The lead is Maria`, `Jo is the lead`
        let mut theirs = older.text[start..].iter().take(1);
        if theirs.any(|word| self.text.contains(word)) {
            return false;
        }
        let end = (start..self.text.len()).find(|at| !differs(at));
        let Some(end) = end.filter(|&end| (end..self.text.len()).any(|at| differs(&at))) else {
            return false;
        };
        let is_date = |word: &String| is_time(word) || is_title_word(word);
        // `on 3 March at 10`, `on 17 March at 9`
        let is_told_by_time = self.text[start..=end].iter().any(is_date);
        // `We use Redis 6`, `We run Redis 7`
        let is_verb = start == self.lead && (start > 0 || is_plural_verb(&self.text[start]));
        !is_told_by_time && !is_verb && !is_function_word(&self.text[end])
    }

    /// Returns whether this limits the subject of `other` by a phrase, and reports no change: `Parking for members costs 1
    /// euro`, `Parking costs 3 euros`.
    fn adds_phrase_to(&self, other: &Self) -> bool {
        let [subject, first, .., _] = self.text.as_slice() else {
            return false;
        };
        let reports_change = self.reports_change || other.reports_change;
        if reports_change || self.lead > 0 || other.text.first() != Some(subject) {
            return false;
        }
        let verb = other.text.get(1).filter(|verb| !is_function_word(verb));
        let behind = self.text.iter().skip(3).take(MAX_WORDS_OF_VALUE);
        is_function_word(first)
            && verb.is_some_and(|verb| behind.into_iter().any(|word| word == verb))
    }

    /// Returns whether this lacks a name in `older` besides its answers, or its person: `We moved from Leeds to York` is not
    /// about `Ana lives in Leeds` and `My sister lives in Leeds`.
    fn lacks_person_of(&self, older: &Self) -> bool {
        let is_lacking = |word: &String| !self.words.contains(word);
        let mut subjects = older.names.difference(&older.values);
        let begins_state = self.transition.is_none() && !self.begun.is_empty();
        subjects.any(is_lacking) || begins_state && older.subject.iter().any(is_lacking)
    }

    /// Returns whether this is newer than `older`, answers the same question and has another value.
    pub(super) fn replaces_value_of(&self, older: &Self, is_near: bool) -> bool {
        let is_older = older.at < self.at && older.validity.is_current();
        if !is_older || !self.validity.is_lasting() {
            return false;
        }
        let is_like = self.share_of_all(older) >= MIN_SHARE_OF_ALL;
        if self.denies_other_value(older) || older.denies_other_word(self) {
            return false;
        }
        if self.has_new_answer_to(older) {
            return true;
        }
        let reports_change = self.reports_change_of(older);
        let is_as_near = older.asked.len() + usize::from(is_like) >= self.asked.len();
        if !is_as_near || !self.has_subject_of(older, is_near) {
            return false;
        }
        let names_value = !older.values.is_disjoint(&self.values);
        if (self.reports_change || self.cancels) && names_value && !self.reports_return {
            return true;
        }
        let is_repeated = self.repeats_answer_of(older);
        let is_other_place = self.is_at_other_place(older);
        let is_other_value = !is_repeated
            && (!names_value
                || self.reports_return
                || self.has_other_numbers(older)
                || is_other_place);
        let is_same_question = is_like
            || self.changes_kind_of(older)
            || older.differs_in_value(self)
            || older.asked.len() >= MIN_WORDS_OF_SAME_QUESTION
            || self.answers_question_of(older)
            || self.reports_news_under_title_of(older)
            || self.changes_only_value_of(older)
            || self.begins_state_of(older)
            || is_other_place;
        let is_changed =
            self.is_negated != older.is_negated || reports_change && !self.reports_return;
        self.covers_question_of(older) && is_same_question && (is_other_value || is_changed)
    }

    /// Returns whether this only denies a value, and `other` has another one: `The deadline is not Friday`.
    pub(super) fn denies_other_value(&self, other: &Self) -> bool {
        let denies = self.is_negated && !self.reports_change && !self.reports_return;
        let is_other_value = !self.values.is_empty()
            && !other.values.is_empty()
            && self.values.is_disjoint(&other.values);
        denies && !other.is_negated && (is_other_value || self.denies_other_word(other))
    }

    /// Returns whether the denied words are not asked for, and `other` has none of them.
    fn denies_other_word(&self, other: &Self) -> bool {
        !self.denied.is_empty()
            && !self.reports_change
            && !other.is_negated
            && self.denied.is_disjoint(&other.words)
    }

    /// Returns whether `other` answers the question better: it has the same words of the question without a limit,
    /// or it holds and this only mentions its value or subject as planned, past or ended.
    pub(super) fn yields_to(&self, other: &Self) -> bool {
        let is_narrower = !self.limits.is_subset(&other.words)
            && other.limits.is_empty()
            && self.asked == other.asked;
        let is_about = || {
            let is_unlimited = other.limits.is_empty() && self.asked.is_subset(&other.asked);
            is_unlimited || !self.values.is_disjoint(&other.values)
        };
        is_narrower || self.denies_other_value(other) || !self.validity.is_current() && is_about()
    }

    /// Returns whether `other` gives a newer value in the same words, under a title that the question does not ask for
    /// either: `todo.md` and `inbox.md` with `Standup is at 9:15` and `Standup is at 10:00`.
    pub(super) fn has_newer_twin(&self, other: &Self) -> bool {
        self.at < other.at
            && self.asked == other.asked
            && other.is_reworded_in_one_place(self)
            && self.text_limits().eq(other.text_limits())
    }

    /// Returns the limits that are not from the title, in order.
    fn text_limits(&self) -> impl Iterator<Item = &String> {
        self.limits.difference(&self.title_limits)
    }

    /// Returns whether `other` is newer and answers the question as fully: it may give a new value in other words.
    pub(super) fn may_be_outdated_by(&self, other: &Self) -> bool {
        // `Is the bridge open?` is answered by `Walked over the bridge today`, too.
        let has_question = || {
            let mut missing = self.asked.difference(&other.asked);
            let has_enough = other.asked.len() > 1 || other.answers_all;
            // `# Choir`, `The treasurer is Birgit`: a report need not name the choir.
            let mut told = self.asked.difference(&self.title_asked);
            let is_told =
                told.clone().next().is_some() && told.all(|word| other.asked.contains(word));
            has_enough && missing.all(|word| self.states.contains(word))
                || self.answers_all && other.reports_event && is_told
                || other.changes_end_of(self)
        };
        self.at < other.at
            && other.validity.is_lasting()
            && has_question()
            && other.text_limits().all(|limit| self.words.contains(limit))
            && !other.denies_other_value(self)
            && !other.features.has_other_subject(&self.features)
            && !other.has_other_subject(self)
            && !other.is_parallel_to(self)
            && !other.has_other_attribute(self)
    }

    /// Returns whether this states something else about the subject of `older` and reports no change: both begin with the
    /// same words and go on with another predicate or kind of value. `The shop is in Rome`, `The shop costs 10 euros`; `The
    /// club meets at the library`, `The club meets at seven`. So does a report that something was left that `older` lacks.
    fn has_other_attribute(&self, older: &Self) -> bool {
        let is_unknown = |left: &BTreeSet<String>| left.is_disjoint(&older.words);
        if !self.left.is_empty() && self.left.iter().all(is_unknown) {
            return true;
        }
        if self.reports_change
            || self.reports_return
            || self.transition.is_some()
            || self.departure.is_some()
            || self.is_negated != older.is_negated
            || self.is_excerpt()
            || older.is_excerpt()
            || !self.values.is_disjoint(&older.values)
        {
            return false;
        }
        let pairs = self.text.iter().zip(&older.text);
        let start = pairs.take_while(|(ours, theirs)| ours == theirs).count();
        let [Some(ours), Some(theirs)] = [self, older].map(|one| one.roles.get(start)) else {
            return false;
        };
        let Some(last) = start.checked_sub(1).map(|last| self.roles[last]) else {
            return false;
        };
        let [kinds, older_kinds] = [self, older].map(Self::kinds_of_value);
        if !kinds.is_empty() || !older_kinds.is_empty() {
            return kinds.is_disjoint(&older_kinds);
        }
        let roles = [*ours, *theirs];
        if roles.contains(&WordRole::Negation) {
            return false;
        }
        let only_one_is = |role: WordRole| roles.contains(&role) && roles != [role; 2];
        if last == WordRole::Function {
            return only_one_is(WordRole::Function) || only_one_is(WordRole::Number);
        }
        // `Mr. Yilmaz is the caretaker`, `Mr. Yilmaz retired and Ms. Novak is the caretaker`
        let is_restated = || {
            let is_predicate = |word: &&String| {
                let mut subject = self.text[..start].iter();
                !older.values.contains(*word)
                    && !subject.any(|told| told.starts_with(word.as_str()))
            };
            let mut predicate = older.words.iter().filter(is_predicate).peekable();
            predicate.peek().is_some() && predicate.all(|word| self.words.contains(word))
        };
        let is_value = roles.contains(&WordRole::Name) || roles.contains(&WordRole::Number);
        roles != [WordRole::Function; 2] && !is_value && !is_restated()
    }

    /// Returns the kinds of its values, without those of the days from or until which it holds.
    fn kinds_of_value(&self) -> BTreeSet<&'static str> {
        let is_dated = self.validity != Validity::Valid;
        let kinds = self.kinds.iter().copied();
        kinds.filter(|kind| !is_dated || *kind != "month").collect()
    }

    /// Returns whether this has all words of the question that `older` has. A report of a change may leave out one
    /// of several: `Correction: the proxy listens on 9443` omits the word port. A statement about everything may omit more.
    fn covers_question_of(&self, older: &Self) -> bool {
        let common = older.asked.intersection(&self.asked).count();
        let has_most = common >= MIN_WORDS_OF_SAME_QUESTION;
        // `The ferry to Dieppe leaves at 11 now` is about another ferry than the one to Calais.
        let is_other = !self.omitted.is_disjoint(&older.asked);
        let is_change = self.reports_change_of(older) && !self.reports_return && !is_other;
        // `The train was moved to 9:40` answers `When does the train leave?`
        let mut missing = older.asked.difference(&self.asked);
        let verb = missing.next().filter(|_| missing.next().is_none());
        let lacks_verb = common > 0 && verb.is_some_and(|verb| self.optional.contains(verb));
        let is_shortened = is_change && has_most;
        common + usize::from(is_shortened) >= older.asked.len()
            || is_change && lacks_verb
            || self.is_universal && has_most
    }

    /// Returns whether both have the same words of the question, and enough of them.
    fn answers_question_of(&self, older: &Self) -> bool {
        // Another predicate of the subject answers another question: `The store reads barcodes`, `The store is now
        // deployed on Monday`.
        let has_predicate = self.transition.is_some()
            || !self.redone.is_disjoint(&older.words)
            || self.reports_change && self.has_numbers() && older.has_numbers();
        let is_change = has_predicate && !older.is_compound;
        let enough = MIN_WORDS_OF_SAME_QUESTION - usize::from(is_change);
        older.asked == self.asked && older.asked.len() >= enough
    }

    /// Returns whether both only give a value for the words of the question, and this reports a change: `Our landlord is Frau Brandt`,
    /// `Our landlord is now Meyer`.
    fn changes_only_value_of(&self, older: &Self) -> bool {
        let is_value_only = |one: &Self| {
            let mut words = one.words.iter();
            let is_told = |word: &String| {
                one.asked.contains(word) || one.values.contains(word) || is_time(word)
            };
            !one.values.is_empty() && !one.is_negated && words.all(is_told)
        };
        // The month may belong to the day of the change.
        let is_dated = self.validity == Validity::Since;
        let kinds = self
            .kinds
            .iter()
            .filter(|kind| !is_dated || **kind != "month");
        let is_same_kind = self.kinds == older.kinds
            || kinds.copied().eq(older.kinds.iter().copied())
            || !older.kinds.is_empty() && older.kinds.is_subset(&self.kinds);
        self.reports_change
            && !self.reports_return
            && !older.asked.is_empty()
            && self.asked == older.asked
            && self.values.is_disjoint(&older.values)
            && is_same_kind
            && is_value_only(self)
            && is_value_only(older)
    }

    /// Returns whether both are the same words up to a place, for which the question asks: `The office is in Rue Hugo 12`,
    /// `The office is in Quai Tilsitt 4`.
    fn is_at_other_place(&self, older: &Self) -> bool {
        let pairs = self.text.iter().zip(&older.text);
        let start = pairs.take_while(|(ours, theirs)| ours == theirs).count();
        let [ours, theirs] = [&self.text, &older.text].map(|text| &text[start..]);
        let preposition = |rest: &[String]| rest.first().is_some_and(|word| is_function_word(word));
        let is_led = start > 0 && is_function_word(&self.text[start - 1])
            || preposition(ours) && preposition(theirs);
        // `The bank is in …` names its subject before the place.
        let names_subject = |one: &Self| {
            let mut rest = one.text[start..].iter();
            !rest.any(|word| {
                one.asked
                    .iter()
                    .any(|asked| word.starts_with(asked.as_str()))
            })
        };
        self.asks_for_place
            && is_led
            && !ours.is_empty()
            && !theirs.is_empty()
            && ours.len().max(theirs.len()) <= MAX_WORDS_OF_PLACE
            && !self.asked.is_empty()
            && self.asked == older.asked
            && names_subject(self)
            && names_subject(older)
    }

    /// Returns whether this reports a change in a note with the title of `older`, which tells the subject: `# Office` with
    /// `We are now at Lindenweg 9`.
    fn reports_news_under_title_of(&self, older: &Self) -> bool {
        self.reports_change
            && !self.title.is_empty()
            && self.title == older.title
            && self.asked == older.asked
    }

    /// Returns whether this reports a change, also by a verb that `older` has without `re`: `repainted`, `painted`.
    fn reports_change_of(&self, older: &Self) -> bool {
        self.reports_change || self.transition.is_some() || !self.redone.is_disjoint(&older.words)
    }

    /// Returns whether this reports a change of `older` or a return from it, and mentions its value, or begins
    /// another state of its subject.
    pub(super) fn corrects(&self, older: &Self) -> bool {
        self.has_new_answer_to(older)
            || (self.reports_change || self.reports_return || self.cancels)
                && self.at > older.at
                && (!self.values.is_disjoint(&older.values)
                    || self.begins_state_of(older)
                    || self.changes_kind_of(older))
    }

    /// Returns whether this reports a change, with a value of the same kind for the same words of the question:
    /// `moved to Friday`.
    fn changes_kind_of(&self, older: &Self) -> bool {
        let mut missing = older.asked.difference(&self.asked);
        let is_same = !self.asked.is_empty()
            && self.asked.is_subset(&older.asked)
            && missing.all(|word| self.optional.contains(word));
        self.reports_change && is_same && !self.kinds.is_disjoint(&older.kinds)
    }

    /// Returns whether this reports the beginning of the state in `older`, of the same subject.
    fn begins_state_of(&self, older: &Self) -> bool {
        !self.begun.is_disjoint(&older.asked) && older.asked == self.asked
    }

    /// Returns whether this reports a change of the answer in `older`, and has no other subject.
    fn has_new_answer_to(&self, older: &Self) -> bool {
        !self.begins_with_other(older)
            && !self.features.has_other_subject(&older.features)
            && self.text_limits().all(|limit| older.words.contains(limit))
            && (self.changes_answer_of(older) || self.leaves_value_of(older))
    }

    /// Returns whether this begins with another thing than the one asked for, with which `older` begins, and mentions
    /// nothing else of `older`: `Staging moved to Kubernetes 1.31` is not about `Production runs on Kubernetes 1.29`.
    fn begins_with_other(&self, older: &Self) -> bool {
        let Some((ours, theirs)) = self.first.as_ref().zip(older.first.as_ref()) else {
            return false;
        };
        // `Mudámos para Ubuntu 24.04` begins with its verb.
        let verbs = self.transition.iter().flatten();
        let is_verb = verbs.chain(&self.redone).any(|verb| verb == ours)
            || [self, older]
                .iter()
                .any(|one| one.text.first().is_some_and(|word| is_plural_verb(word)));
        // `Brevo replaced Mailchimp` is about the newsletter; `Eva uses Jira instead of Trello` not about `Tom uses Trello`.
        let mut values = older.values.iter().filter(|value| *value != ours);
        let mentions_value = values.any(|value| self.words.contains(value));
        let is_about_value = mentions_value && self.asked.is_disjoint(&older.asked);
        !is_verb
            && !is_about_value
            && older.asked.contains(theirs)
            && !self.words.contains(theirs)
            && !self.asked.contains(ours)
    }

    /// Returns whether this reports that the value of `older` was left for another, and says no more than that:
    /// `The switch from Slack to Teams is complete` outdates `We use Slack for chat`, but not `Rosa likes Slack`.
    fn leaves_value_of(&self, older: &Self) -> bool {
        let Some(departure) = self.departure.as_ref().filter(|_| self.at > older.at) else {
            return false;
        };
        let was_left = |name: &&BTreeSet<String>| {
            let is_value = match &older.departure {
                Some(earlier) => earlier.new == **name,
                None => name.is_subset(&older.values),
            };
            let mut others = departure.old.iter().filter(|other| other != name);
            is_value && others.all(|other| other.is_subset(&older.words))
        };
        let is_upgrade = departure
            .old
            .iter()
            .any(|old| old.is_subset(&departure.new));
        self.validity.is_lasting()
            && older.validity.is_current()
            && !self.lacks_person_of(older)
            && (!is_upgrade || self.has_other_numbers(older))
            && departure.rest.is_subset(&older.words)
            && !departure.new.is_subset(&older.words)
            && departure.old.iter().any(|name| was_left(&name))
    }

    /// Returns whether this only names the subject of `older` and one new name or number, by a verb of change that
    /// fits the question: `We migrated the blog to Hetzner`, `We moved to Postgres 16`.
    fn changes_answer_of(&self, older: &Self) -> bool {
        let Some(verbs) = self.transition.as_ref().filter(|_| self.at > older.at) else {
            return false;
        };
        let is_known = |word: &String| older.words.contains(word);
        // `Mira switched to another dentist` only has the person in common with `Mira trains in Harbour Lane`.
        let mut common = self.asked.intersection(&older.asked);
        let has_thing = common.any(|word| !older.names.contains(word));
        let is_subject = |word: &&String| {
            let is_place = has_thing && self.new_value.contains(*word);
            let is_value = self.values.contains(*word) || is_place;
            !is_value && !verbs.contains(*word)
        };
        let mut subject = self.words.iter().filter(is_subject);
        let is_new = |run: &&NameRun| !run.words.iter().any(is_known);
        let has_subject = older.asked.iter().any(|word| self.asked.contains(word));
        // `to Torstraße 12 in Hamburg` is one value.
        let is_of_value =
            |run: &&NameRun| run.words.iter().all(|word| self.new_value.contains(word));
        let (inside, outside): (Vec<&NameRun>, Vec<&NameRun>) =
            self.runs.iter().filter(is_new).partition(is_of_value);
        let new_names = outside.len() + usize::from(!inside.is_empty());
        has_subject
            && subject.all(is_known)
            && older
                .asked
                .iter()
                .all(|word| self.asked.contains(word) || self.begun.contains(word))
            && self.asked.is_subset(&older.asked)
            && self.validity.is_current()
            && older.transition.is_none()
            && match (older.runs.is_empty(), new_names) {
                (false, 1) => true,
                (true, _) if self.runs.is_empty() && self.has_other_numbers(older) => true,
                // `Jule moved to Ulm` gives no other instrument than `Jule plays the cello`.
                (is_unnamed, _) if is_unnamed != (new_names == 0) => false,
                _ => new_names < 2 && !self.new_value.iter().all(is_known),
            }
    }

    fn has_numbers(&self) -> bool {
        let mut values = self.values.iter();
        values.any(|value| value.starts_with(|c: char| c.is_ascii_digit()))
    }

    /// Returns whether each names a number that the other lacks: `Postgres 15`, `Postgres 16`.
    fn has_other_numbers(&self, older: &Self) -> bool {
        let numbers = |statement: &Self| -> BTreeSet<String> {
            let values = statement.values.iter();
            let numbers = values.filter(|value| value.starts_with(|c: char| c.is_ascii_digit()));
            numbers.cloned().collect()
        };
        let (newer, older) = (numbers(self), numbers(older));
        !newer.is_subset(&older) && !older.is_subset(&newer)
    }

    fn repeats_answer_of(&self, older: &Self) -> bool {
        if share_quantity(&self.quantities, &older.quantities) {
            return true;
        }
        let mut answer = older.words.difference(&older.asked);
        answer.all(|word| self.words.contains(word))
    }

    /// Returns whether this states the value of `older` again, by a word such as `back` or without another value.
    pub(super) fn restates(&self, older: &Self) -> bool {
        self.repeats_value_of(older)
            && (self.reports_return || self.values.is_subset(&older.values))
    }

    /// Returns whether this only reports a return to the value of `first`, and may leave out the verb of the question:
    /// `Living room back at 20 degrees`.
    pub(super) fn returns_to(&self, first: &Self) -> bool {
        if !self.reports_return || self.at <= first.at {
            return false;
        }
        let has_value = !self.values.is_disjoint(&first.values)
            || share_quantity(&self.quantities, &first.quantities);
        let common = first.asked.intersection(&self.asked).count();
        let mut words = self.words.difference(&self.returns);
        self.validity.is_lasting()
            && self.is_negated == first.is_negated
            && has_value
            && self.limits.is_subset(&first.words)
            && common > 0
            && common * 2 >= first.asked.len()
            && words.all(|word| first.words.contains(word))
    }

    /// Returns whether this says again what `first` says, of a subject that its text names.
    pub(super) fn says_again(&self, first: &Self) -> bool {
        self.at > first.at
            && self.text == first.text
            && self.asked.intersection(&first.asked).count() >= MIN_WORDS_OF_SAME_QUESTION
            && self.validity.is_lasting()
    }

    /// Returns whether this has the value of `older`, or mentions it.
    pub(super) fn repeats_value_of(&self, older: &Self) -> bool {
        !older.values.is_disjoint(&self.values) || self.repeats_answer_of(older)
    }

    /// Returns whether this is about one of several facts in `older`: a common word that is neither asked for
    /// nor a value belongs to that fact.
    fn changes_part_of(&self, older: &Self) -> bool {
        let mut common = older.words.intersection(&self.words);
        older.is_compound
            && !self.is_reworded_in_one_place(older)
            && common.any(|word| !older.asked.contains(word) && !self.values.contains(word))
    }

    /// Returns whether both are the same words but for a short run: `The office is on floor 3 and has a balcony`, `The
    /// office is on floor 5 and has a balcony`.
    fn is_reworded_in_one_place(&self, older: &Self) -> bool {
        let common = |pairs: &mut dyn Iterator<Item = (&String, &String)>| {
            pairs.take_while(|(ours, theirs)| ours == theirs).count()
        };
        let start = common(&mut self.text.iter().zip(&older.text));
        let [ours, theirs] = [&self.text, &older.text].map(|text| &text[start..]);
        let end = common(&mut ours.iter().rev().zip(theirs.iter().rev()));
        (start > 0 || end > 1) && ours.len().max(theirs.len()) - end <= MAX_WORDS_OF_VALUE
    }

    /// Returns whether both are the same words up to the value, and the question contains the one in `older`: `Is the car on
    /// level 2?`, `The car is on level 2`, `The car is on level 4`.
    fn changes_end_of(&self, older: &Self) -> bool {
        let pairs = self.text.iter().zip(&older.text);
        let start = pairs.take_while(|(ours, theirs)| ours == theirs).count();
        let [ours, theirs] = [&self.text, &older.text].map(|text| &text[start..]);
        let is_short = |end: &[String]| (1..=MAX_WORDS_OF_VALUE).contains(&end.len());
        let is_asked = |word: &String| {
            let mut asked = older.asked.iter();
            asked.any(|asked| word.starts_with(asked.as_str()))
        };
        is_short(ours)
            && is_short(theirs)
            && ours.len().max(theirs.len()) < start
            && theirs.iter().all(is_asked)
            && self.text[..start].iter().any(is_asked)
    }

    /// Returns whether both have the same words except for names and numbers, and several words of the question.
    fn differs_in_value(&self, other: &Self) -> bool {
        let rest = |statement: &Self| -> BTreeSet<String> {
            statement
                .words
                .difference(&statement.values)
                .cloned()
                .collect()
        };
        self.asked.len() > 1 && self.asked == other.asked && rest(self) == rest(other)
    }

    fn common_words(&self, other: &Self) -> f32 {
        self.words.intersection(&other.words).count() as f32
    }

    fn share_of_all(&self, other: &Self) -> f32 {
        self.common_words(other) / self.words.union(&other.words).count().max(1) as f32
    }

    fn share_of_shorter(&self, other: &Self) -> f32 {
        self.common_words(other) / self.words.len().min(other.words.len()).max(1) as f32
    }
}

#[cfg(test)]
mod tests;

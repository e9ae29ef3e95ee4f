//! Single-valued attributes in a statement (see [`frame`](super::frame)).

use std::ops::Range;

use super::frame::{CUES, Multiplicity, Tense, ValueKind, VerbFrame};
use super::lexicon::{LEXICON, Marker, Role};
use super::state_change::{is_open, phrase};
use super::token::{Form, Noun, Word};
use crate::note::words::english::Class;

/// Maximum distance in words between a verb and the preposition that introduces the value.
const MAX_PREPOSITION_DISTANCE: usize = 3;
/// Maximum number of words in the holder of an attribute.
const MAX_HOLDER_WORDS: usize = 5;

/// A single-valued attribute with the value that a statement gives it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Attribute {
    /// Name of the attribute.
    pub(super) name: &'static str,
    /// Stems of the qualifying words: `billing` in `uses Postgres for billing`.
    pub(super) of: Vec<u64>,
    /// Stem of the last qualifying word: `tests` in `end-to-end tests`.
    pub(super) head: Option<u64>,
    /// Stems of the words that name the holder; empty if it is the writer.
    pub(super) holder: Vec<u64>,
    pub(super) value: Range<usize>,
    /// True if the statement reports that the value is new.
    pub(super) is_new: bool,
}

/// Returns the attributes that a statement gives a current value; no past, planned or occasional ones.
pub(super) fn attributes(words: &[Word], text: &str) -> Vec<Attribute> {
    let is_at_times = words.iter().any(|word| word.marker == Marker::AtTimes);
    if is_at_times || words.iter().any(|word| word.role == Role::Negation) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for at in 0..words.len() {
        let is_plan = at > 0 && words[at - 1].class == Class::To;
        if is_plan || is_open(words, at) {
            continue;
        }
        // A change in the past has a lasting result.
        let is_past = is_past(words, at);
        let frames = LEXICON
            .frames
            .of_verb(words[at].stem)
            .iter()
            .filter(|frame| frame.tense == Tense::Beginning || !is_past);
        found.extend(frames.filter_map(|frame| by_verb(words, at, frame)));
        if is_past {
            continue;
        }
        found.extend(job_title(words, at));
        found.extend(tool_for_purpose(words, at));
        found.extend(tool_of_activity(words, at));
        found.extend(preference(words, at));
        found.extend(by_copula(words, at, text));
        found.extend(by_reversed_copula(words, at));
        found.extend(location(words, at));
    }
    found
}

/// Returns true if the verb at `at` refers to the past.
fn is_past(words: &[Word], at: usize) -> bool {
    let before = &words[at.saturating_sub(2)..at];
    let mut words = before.iter().chain([&words[at]]);
    words.any(|word| word.marker == Marker::Was)
}

/// `lives in Lisbon`
fn by_verb(words: &[Word], at: usize, frame: &VerbFrame) -> Option<Attribute> {
    let lasts = || words[at..].iter().any(|word| word.stem == CUES.since);
    if words[at].form == Form::Past && frame.tense == Tense::Present && !lasts() {
        return None;
    }
    // `has a dog named Rex`: there may be several.
    if frame.attribute == "name" && words[..at].iter().any(is_indefinite) {
        return None;
    }
    let start = match frame.lead {
        None => at + 1,
        Some(lead) => {
            let end = words.len().min(at + 1 + MAX_PREPOSITION_DISTANCE);
            let place = (at + 1..end).find(|place| words[*place].stem == lead)?;
            let between = &words[at + 1..place];
            let says = |word: &Word| word.is_content() && !word.is_date();
            if between.iter().any(|word| word.is_after_break || says(word)) {
                return None;
            }
            place + 1
        }
    };
    Some(Attribute {
        name: frame.attribute,
        holder: holder(words, at),
        value: value(words, start, frame.kind)?,
        is_new: frame.tense == Tense::Beginning,
        ..Attribute::default()
    })
}

/// `Software engineer at Initech`
fn job_title(words: &[Word], at: usize) -> Option<Attribute> {
    let word = &words[at];
    let is_post = word.noun == Noun::Post
        && words[..at]
            .iter()
            .all(|word| !word.is_after_break && word.is_content());
    if !is_post || words.get(at + 1)?.stem != CUES.at {
        return None;
    }
    Some(Attribute {
        name: "work",
        value: value(words, at + 2, ValueKind::Name)?,
        ..Attribute::default()
    })
}

/// `uses Postgres for billing`, `runs Vim as editor`
fn tool_for_purpose(words: &[Word], at: usize) -> Option<Attribute> {
    let is_use = matches!(words[at].role, Role::Use | Role::Choose);
    if !is_use || words[at].form == Form::Past && words[at].role == Role::Use {
        return None;
    }
    let value = value(words, at + 1, ValueKind::Name)?;
    let led = words.get(value.end)?;
    if led.is_after_break || led.class != Class::For && led.stem != CUES.r#as {
        return None;
    }
    let purpose = &words[phrase(words, value.end + 1)?];
    Some(Attribute {
        name: "used",
        of: content(purpose),
        head: purpose.last().map(|word| word.stem),
        holder: holder(words, at),
        value,
        is_new: words[at].role == Role::Choose,
    })
}

/// `deploys with Jenkins`
fn tool_of_activity(words: &[Word], at: usize) -> Option<Attribute> {
    let verb = &words[at];
    let is_done = LEXICON
        .frames
        .has_multiplicity(verb.stem, Multiplicity::Tooled)
        && verb.form != Form::Past;
    if !is_done || !CUES.with.contains(&words.get(at + 1)?.stem) {
        return None;
    }
    Some(Attribute {
        name: "used",
        of: vec![verb.stem],
        head: Some(verb.stem),
        holder: holder(words, at),
        value: value(words, at + 2, ValueKind::Name)?,
        ..Attribute::default()
    })
}

/// `prefers dark mode`: the value `dark` of the attribute `mode`.
fn preference(words: &[Word], at: usize) -> Option<Attribute> {
    if !CUES.prefer.contains(&words[at].stem) || words[at].form == Form::Past {
        return None;
    }
    let whole = phrase(words, at + 1)?;
    // `prefers tea over coffee`
    if let Some(over) = (whole.clone()).find(|at| words[*at].marker == Marker::Over) {
        return Some(Attribute {
            name: "preferred",
            of: content(&words[whole.clone()]),
            holder: holder(words, at),
            value: whole.start..over,
            ..Attribute::default()
        });
    }
    let (head, value) = (&words[whole.end - 1], whole.start..whole.end - 1);
    let is_whole = words
        .get(whole.end)
        .is_none_or(|next| next.class != Class::And);
    (is_whole && head.is_content() && !content(&words[value.clone()]).is_empty()).then(|| {
        Attribute {
            name: "preferred",
            of: vec![head.stem],
            head: Some(head.stem),
            holder: holder(words, at),
            value,
            ..Attribute::default()
        }
    })
}

/// `The default branch is trunk`, `Status: blocked`
fn by_copula(words: &[Word], at: usize, text: &str) -> Option<Attribute> {
    let is_label = || {
        let between = words[at - 1].span.1 as usize..words[at].span.0 as usize;
        text.get(between)
            .is_some_and(|signs| signs.starts_with(": "))
    };
    let is_be = words[at].class == Class::Be && words[at].form == Form::Finite;
    if at == 0 || !is_be && !is_label() {
        return None;
    }
    let subject = &words[..at];
    let of = content(subject);
    let last = subject.iter().rposition(|word| word.class == Class::Of);
    let head = subject[..last.unwrap_or(at)]
        .iter()
        .rfind(|word| word.is_content())?;
    let counts = |count: Multiplicity| {
        let mut subject = subject.iter();
        subject.any(|word| LEXICON.frames.has_multiplicity(word.stem, count))
    };
    if of.len() > MAX_HOLDER_WORDS || !is_noun_phrase(subject) || counts(Multiplicity::OneOf) {
        return None;
    }
    let is_single = LEXICON
        .frames
        .has_multiplicity(head.stem, Multiplicity::Single)
        || counts(Multiplicity::Sole);
    if !is_single
        && LEXICON
            .frames
            .has_multiplicity(head.stem, Multiplicity::Several)
    {
        return None;
    }
    let start = if is_be { at + 1 } else { at };
    let kind = if is_single {
        ValueKind::Any
    } else {
        ValueKind::Name
    };
    let value = value(words, start, kind)?;
    let ends = words.get(value.end).is_none_or(|next| {
        next.is_after_break || next.class != Class::And && next.role == Role::Function
    });
    // `Jon is Ann's friend`: not exclusive.
    let is_named = head.is_name || head.may_be_name && at == 1;
    let is_one = is_single
        || is_be
            && !is_named
            && words[start..value.start].is_empty()
            && words[value.clone()].iter().all(|word| word.is_name);
    if !ends || !is_one {
        return None;
    }
    Some(from_noun(head.stem, is_be, of, value))
}

/// `Ann is the owner of the shop`, as `The owner of the shop is Ann`.
fn by_reversed_copula(words: &[Word], at: usize) -> Option<Attribute> {
    let is_name = |word: &Word| (word.is_name || word.may_be_name) && !word.is_date();
    let article = words.get(at + 1)?;
    if at == 0
        || words[at].class != Class::Be
        || words[at].form != Form::Finite
        || !words[..at].iter().all(is_name)
        || words[1..=at + 1].iter().any(|word| word.is_after_break)
        || article.class != Class::Article
        || is_indefinite(article)
    {
        return None;
    }
    let ends = |at: &usize| words[*at].is_after_break;
    let end = (at + 2..words.len()).find(ends).unwrap_or(words.len());
    let noun = &words[at + 2..end];
    let last = noun.iter().position(|word| word.class == Class::Of);
    let head = noun[..last.unwrap_or(noun.len())]
        .iter()
        .rfind(|word| word.is_content())?;
    let of = content(noun);
    let is_single = LEXICON
        .frames
        .has_multiplicity(head.stem, Multiplicity::Single);
    (is_single && of.len() <= MAX_HOLDER_WORDS && is_noun_phrase(noun))
        .then(|| from_noun(head.stem, true, of, 0..at))
}

/// Builds the attribute for the noun `head` with the words `of`. `Ann's employer is Initech` becomes the
/// attribute of `Ann works at Initech`.
fn from_noun(head: u64, is_be: bool, of: Vec<u64>, value: Range<usize>) -> Attribute {
    let attribute = LEXICON.frames.attribute_of_noun(head).filter(|_| is_be);
    let (name, of, holder) = match attribute {
        Some(name) => {
            let is_other = |stem: &u64| LEXICON.frames.attribute_of_noun(*stem) != attribute;
            (name, Vec::new(), of.into_iter().filter(is_other).collect())
        }
        None => ("is", of, Vec::new()),
    };
    Attribute {
        name,
        of,
        holder,
        value,
        ..Attribute::default()
    }
}

/// `The office is in Munich`, `Das Büro ist nach Wien umgezogen`
fn location(words: &[Word], at: usize) -> Option<Attribute> {
    if words[at].class != Class::Be || words[at].form != Form::Finite {
        return None;
    }
    let subject = &words[..at];
    let first = subject.first()?;
    let head = subject.iter().rfind(|word| word.is_content())?;
    // A person's location is short-lived, and `a shop` is one of many.
    let is_definite = first.class == Class::Article && !is_indefinite(first)
        || first.marker == Marker::Owner
        || first.may_be_name && !head.is_name && !head.may_be_name;
    let counts =
        |word: &Word, count: Multiplicity| LEXICON.frames.has_multiplicity(word.stem, count);
    let has_moved = words[at..]
        .iter()
        .any(|word| CUES.moved.contains(&word.stem));
    if !(is_definite || has_moved)
        || !is_noun_phrase(subject)
        || counts(head, Multiplicity::Event)
        || subject.iter().any(|word| counts(word, Multiplicity::OneOf))
    {
        return None;
    }
    let skipped = words[at + 1..]
        .iter()
        .take_while(|word| word.class == Class::Now && !word.is_after_break);
    let lead = at + 1 + skipped.count();
    let went = CUES.nach;
    if ![CUES.r#in, went].contains(&words.get(lead)?.stem) {
        return None;
    }
    let value = value(words, lead + 1, ValueKind::Name)?;
    let ends = words.get(value.end).is_none_or(|next| {
        next.is_after_break
            || next.class == Class::Now
            || words[lead].stem == went && next.is_content()
    });
    ends.then(|| Attribute {
        name: "home",
        holder: content(subject),
        value,
        is_new: words[lead].stem == went,
        ..Attribute::default()
    })
}

/// Returns true if the words can name a single thing: no number, no verb, no conjunction.
fn is_noun_phrase(words: &[Word]) -> bool {
    words.iter().all(|word| {
        let is_noun = matches!(word.role, Role::Plain | Role::Function) || word.values.is_empty();
        is_noun
            && !word.is_after_break
            && word.class != Class::And
            && word.class != Class::Be
            && word.number.is_none()
    })
}

/// Returns true for an indefinite article.
fn is_indefinite(word: &Word) -> bool {
    word.class == Class::Article && CUES.any.contains(&word.stem)
}

/// Returns the value phrase at `start`, after an article; `None` if it is part of a list.
fn value(words: &[Word], start: usize, kind: ValueKind) -> Option<Range<usize>> {
    let mut value = phrase(words, start)?;
    if words[start..value.start]
        .iter()
        .any(|word| word.is_after_break)
    {
        return None;
    }
    if let Some(end) = (value.clone()).find(|at| words[*at].stem == CUES.r#as) {
        value.end = end;
    }
    if kind == ValueKind::Name {
        let is_name = |at: &usize| {
            let word = &words[*at];
            // A word of a known kind, such as `npm`, counts as a name in any spelling.
            let is_known = word.values.iter().any(|value| value.is_kind);
            (word.is_name || is_known) && !word.is_date() || word.class == Class::Of
        };
        let length = value.clone().take_while(is_name).count();
        value.end = value.start + length;
    }
    let next = words.get(value.end);
    let is_listed = next.is_some_and(|next| matches!(next.class, Class::And | Class::Or));
    let says = words[value.clone()].iter().any(Word::is_content);
    (says && !is_listed).then_some(value)
}

/// Returns the stems of the subject of the verb at `at`.
fn holder(words: &[Word], at: usize) -> Vec<u64> {
    let starts = |at: &usize| {
        words[*at].is_after_break || matches!(words[*at].class, Class::And | Class::Or)
    };
    let clause = (1..=at).rev().find(starts).unwrap_or(0);
    // `As of March I live in Porto`: words before the writer give the time.
    let mut before = (clause..at).rev();
    let writer = before.find(|at| words[*at].marker == Marker::Writer);
    let said = words[writer.unwrap_or(clause)..at].iter();
    let holds =
        |word: &&Word| word.is_content() && word.marker != Marker::Writer && !word.is_date();
    let mut holder: Vec<u64> = said.filter(holds).map(|word| word.stem).collect();
    holder.sort_unstable();
    holder.dedup();
    if holder.is_empty() && clause > 0 {
        // `Ann works at Initech and lives in Lisbon`
        let named = words
            .iter()
            .take_while(|word| word.is_name || word.may_be_name);
        holder = named.map(|word| word.stem).collect();
        holder.sort_unstable();
    }
    holder
}

/// Returns the sorted, distinct stems of the content words.
fn content(words: &[Word]) -> Vec<u64> {
    let says = |word: &&Word| word.is_content() && word.marker != Marker::Writer;
    let mut stems: Vec<u64> = words.iter().filter(says).map(|word| word.stem).collect();
    stems.sort_unstable();
    stems.dedup();
    stems
}

//! Facts of simple sentences: name, verb, name, with verbs whose meaning does not depend on their arguments.
//!
//! A sentence is parsed from its beginning. Everything before the verb must be the subject, which excludes
//! conditions, questions and quoted thoughts. After the object the sentence must end or continue with a word that
//! cannot belong to the object's name.

use std::collections::HashSet;
use std::ops::Range;

use super::fact::{Fact, FactSource, FactTerm, LineCounter, head_end, links_in};
use super::predicates::{LISTS, Verb, verbs_starting_with};
use super::words::{Token, tokens};
use crate::note::Note;
use crate::note::markdown::document::Document;
use crate::note::markdown::lines::BodyLine;
use crate::note::markdown::prose::prose;
use crate::note::markdown::sentences;
use crate::note::words::english;
use crate::note::words::english::Class;

/// Maximum words of a name.
const MAX_NAME_WORDS: usize = 6;
/// Maximum words of an object that is a phrase.
const MAX_PHRASE_WORDS: usize = 6;

/// The context of a sentence.
#[derive(Clone, Copy)]
struct SentenceContext<'s> {
    /// Stem of the note's file.
    stem: &'s str,
    /// Whether the sentence is in the note's head, where a missing subject means the note.
    is_head: bool,
}

/// Returns the facts of a text located on `line`.
pub(super) fn facts_of_text(text: &str, stem: &str, line: usize) -> Vec<Fact> {
    let context = SentenceContext {
        stem,
        is_head: true,
    };
    let tokens = tokens(text, &[], 0..text.len());
    let read = triples(&tokens, context).into_iter();
    read.map(|triple| fact(triple, line)).collect()
}

fn fact((subject, predicate, object): Triple, line: usize) -> Fact {
    Fact {
        subject,
        predicate,
        object,
        line,
        rule: FactSource::Sentence,
    }
}

pub(super) fn facts(
    document: &Document<'_>,
    note: &Note,
    stem: &str,
    open: &[BodyLine],
) -> Vec<Fact> {
    let text = document.text();
    let mut facts = Vec::new();
    let head = head_end(note);
    let mut lines = LineCounter::of(text);
    let common = LowercaseWords::of(document, note, stem);
    for span in sentences::of(document) {
        let at = open.partition_point(|line| line.span.end <= span.start);
        let is_open = open
            .get(at)
            .is_some_and(|line| line.span.contains(&span.start));
        // `**Properties:** Requires Attunement` is a label, `**Cup** is a tool` is not.
        let bold = text[span.clone()]
            .strip_prefix("**")
            .and_then(|bold| bold.split_once("**"));
        let is_label = bold.is_some_and(|(key, rest)| key.ends_with(':') || rest.starts_with(':'));
        if !is_open || is_label || text[span.clone()].ends_with('?') {
            continue;
        }
        let tokens = tokens(text, links_in(note, &span), span.clone());
        let context = SentenceContext {
            stem,
            is_head: span.start < head,
        };
        let mut read = triples(&tokens, context);
        if let Some(Token::Word(first)) = tokens.first() {
            let first = FactTerm::Name(first.clone());
            read.retain(|(subject, _, object)| {
                ![subject, object].contains(&&first) || !common.has(&tokens[0].lower())
            });
        }
        if !read.is_empty() {
            let line = lines.line(span.start);
            facts.extend(read.into_iter().map(|triple| fact(triple, line)));
        }
    }
    facts
}

/// Words that the note also writes in lower case. At the start of a sentence they are not names, except the note's
/// own names.
struct LowercaseWords(HashSet<String>);

impl LowercaseWords {
    fn of(document: &Document<'_>, note: &Note, stem: &str) -> Self {
        let text = document.text();
        let mut common = HashSet::new();
        for stretch in prose(document, &note.links) {
            // `obsidian` in `obsidian.md` does not count.
            let words = text[stretch]
                .split(|c: char| c.is_whitespace() || matches!(c, '(' | ')'))
                .map(|word| word.trim_matches(|c: char| c.is_ascii_punctuation()));
            let is_small = |word: &&str| word.chars().all(|c| c.is_lowercase() || c == '-');
            common.extend(words.filter(is_small).map(str::to_owned));
        }
        let own = note.aliases.iter().map(String::as_str);
        for name in own.chain([note.title.as_str(), stem]) {
            common.remove(&name.to_lowercase());
        }
        Self(common)
    }

    fn has(&self, word: &str) -> bool {
        self.0.contains(word)
    }
}

type Triple = (FactTerm, String, FactTerm);

fn triples(tokens: &[Token], context: SentenceContext<'_>) -> Vec<Triple> {
    let (speaker, tokens) = speaker(tokens);
    possessive(tokens)
        .or_else(|| by_verb(speaker.as_ref(), tokens, context))
        .or_else(|| copula(tokens, context))
        .unwrap_or_default()
}

/// Splits off a leading speaker, the subject of the rest: `Ann Lee: works at Acme`.
fn speaker(tokens: &[Token]) -> (Option<FactTerm>, &[Token]) {
    let colon = tokens
        .iter()
        .take(MAX_NAME_WORDS)
        .position(|token| *token == Token::Sign(':'));
    let Some(colon) = colon else {
        return (None, tokens);
    };
    match leading_name(&tokens[..colon]) {
        Some((term, length)) if length == colon => (Some(term), &tokens[colon + 1..]),
        _ => (None, tokens),
    }
}

/// Parses `Ann's favourite drink is green tea`.
fn possessive(tokens: &[Token]) -> Option<Vec<Triple>> {
    let apostrophe = tokens.iter().take(MAX_NAME_WORDS).position(
        |token| matches!(token, Token::Word(word) if word.ends_with("'s") || word.ends_with("’s")),
    )?;
    let mut owner = tokens[..=apostrophe].to_vec();
    if let Token::Word(word) = &mut owner[apostrophe] {
        let cut = word.rfind(['\'', '’'])?;
        word.truncate(cut);
    }
    let (subject, length) = leading_name(&owner)?;
    if length != owner.len() {
        return None;
    }
    let rest = &tokens[apostrophe + 1..];
    let be = rest.iter().position(is_be)?;
    let what: Vec<String> = rest[..be].iter().map(Token::lower).collect();
    if !(1..=3).contains(&what.len()) || what.iter().any(|word| !is_plain(word)) {
        return None;
    }
    // Read to the end: `Ann's work is often used by Bo` has another meaning.
    let rest = &rest[be + 1..];
    let end = rest.iter().position(|token| *token == Token::Sign('.'));
    let rest = &rest[..end.unwrap_or(rest.len())];
    let object = object(rest, true)?;
    let words = match &object {
        FactTerm::Value(words) | FactTerm::Name(words) => words.split_whitespace().count(),
        _ => 1,
    };
    (words == rest.len()).then(|| vec![(subject, what.join(" "), object)])
}

/// Parses a verb of the table between two names.
fn by_verb(
    speaker: Option<&FactTerm>,
    tokens: &[Token],
    context: SentenceContext<'_>,
) -> Option<Vec<Triple>> {
    let words: Vec<String> = tokens
        .iter()
        .take(2 * MAX_NAME_WORDS + 3)
        .map(Token::lower)
        .collect();
    for at in 0..words.len().min(2 * MAX_NAME_WORDS) {
        // `Philosophical Studies 156` is a name.
        if at > 0
            && matches!(&tokens[at], Token::Word(word) if word.starts_with(char::is_uppercase))
        {
            continue;
        }
        for verb in verbs_starting_with(&words[at]) {
            let active = verb
                .active
                .iter()
                .find_map(|form| length_at(&words, at, form));
            if let Some(length) = active
                && let Some(found) =
                    triples_around_verb(speaker, tokens, at..at + length, verb, false, context)
            {
                return Some(found);
            }
            let passive = (!verb.passive.is_empty()).then(|| length_at(&words, at, verb.passive));
            if let Some(Some(length)) = passive
                && let Some(found) =
                    triples_around_verb(speaker, tokens, at..at + length, verb, true, context)
            {
                return Some(found);
            }
        }
    }
    None
}

/// Returns the number of words of `form` if they occur at `at`.
fn length_at(words: &[String], at: usize, form: &str) -> Option<usize> {
    let mut length = 0;
    for word in form.split(' ') {
        if words.get(at + length)? != word {
            return None;
        }
        length += 1;
    }
    Some(length)
}

fn triples_around_verb(
    speaker: Option<&FactTerm>,
    tokens: &[Token],
    span: Range<usize>,
    verb: &Verb,
    passive: bool,
    context: SentenceContext<'_>,
) -> Option<Vec<Triple>> {
    let mut until = span.start;
    // `has now`, `was also`.
    while until > 0 && is_neutral_adverb(&tokens[until - 1]) {
        until -= 1;
    }
    let mut has_be = false;
    while until > 0 && is_auxiliary(&tokens[until - 1]) {
        has_be |= is_be(&tokens[until - 1]) || tokens[until - 1].lower() == "been";
        until -= 1;
    }
    while until > 0 && is_neutral_adverb(&tokens[until - 1]) {
        until -= 1;
    }
    let subjects = match until {
        0 => {
            let itself = || is_about_note(tokens, span.start, verb, passive, context);
            let subject = speaker
                .cloned()
                .or_else(|| itself().then_some(FactTerm::Itself));
            vec![subject?]
        }
        _ if speaker.is_some() => return None,
        // `Ann superseded by Bo` lacks its verb; `Ann was founded` is not the active `founded`.
        _ if has_be != passive => return None,
        _ => all_names(&tokens[..until], context)?,
    };
    let rest = &tokens[span.end..];
    let objects = if verb.takes_words {
        vec![object(rest, true)?]
    } else {
        complete_names(rest)?
    };
    let mut found = Vec::new();
    for subject in &subjects {
        for object in &objects {
            let (doer, done) = if passive {
                (object, subject)
            } else {
                (subject, object)
            };
            found.push((doer.clone(), verb.name.to_owned(), done.clone()));
        }
    }
    Some(found)
}

/// Returns true if a sentence that begins with its verb is about the note: `Superseded by …` anywhere, `Requires …`
/// at the head. A past tense may belong to a headline.
fn is_about_note(
    tokens: &[Token],
    at: usize,
    verb: &Verb,
    passive: bool,
    context: SentenceContext<'_>,
) -> bool {
    let word = tokens[at].lower();
    let is_present = verb.active[0].starts_with(&word) && word.ends_with('s');
    at == 0 && (passive && verb.invalidates_object || context.is_head && (passive || is_present))
}

/// Parses `X is a Y` and `X is the Y of Z`.
fn copula(tokens: &[Token], context: SentenceContext<'_>) -> Option<Vec<Triple>> {
    let be = tokens.iter().take(MAX_NAME_WORDS + 2).position(is_be)?;
    if !matches!(tokens[be].lower().as_str(), "is" | "was") {
        return None;
    }
    let subject = all_names(&tokens[..be], context)?;
    let [subject] = subject.as_slice() else {
        return None;
    };
    if *subject == FactTerm::Itself {
        return None;
    }
    let rest = &tokens[be + 1..];
    let article = rest.first()?.lower();
    let rest = &rest[1..];
    match article.as_str() {
        "a" | "an" => {
            let object = object(rest, true)?;
            Some(vec![(subject.clone(), "is a".to_owned(), object)])
        }
        "the" => {
            let of = rest
                .iter()
                .take(5)
                .position(|token| token.lower() == "of")?;
            let role: Vec<String> = rest[..of].iter().map(Token::lower).collect();
            if role.is_empty() || role.iter().any(|word| !is_plain(word)) {
                return None;
            }
            let objects = complete_names(&rest[of + 1..])?;
            let predicate = format!("is the {} of", role.join(" "));
            let each = objects.into_iter();
            Some(
                each.map(|object| (subject.clone(), predicate.clone(), object))
                    .collect(),
            )
        }
        _ => None,
    }
}

/// Returns the names if `tokens` consist of nothing else: `This note`, `Ann`, `Ann and Bo`.
fn all_names(tokens: &[Token], context: SentenceContext<'_>) -> Option<Vec<FactTerm>> {
    if let [this, what] = tokens
        && this.lower() == "this"
    {
        let what = what.lower();
        // `This EIP` in `eip-20.md`.
        let own = context
            .stem
            .split(['-', '_', ' '])
            .next()
            .unwrap_or_default();
        let is_own = LISTS.has("texts", &what) || own.to_lowercase() == what;
        return (!what.is_empty() && is_own).then(|| vec![FactTerm::Itself]);
    }
    let (names, length) = name_list(tokens)?;
    (length == tokens.len()).then_some(names)
}

/// Returns the leading names if the next token cannot belong to them.
fn complete_names(tokens: &[Token]) -> Option<Vec<FactTerm>> {
    let (names, length) = name_list(tokens)?;
    let ends = match tokens.get(length) {
        None | Some(Token::Sign('.' | ',' | ';' | ':' | '!' | '(' | '–' | '—' | ')')) => true,
        Some(Token::Word(word)) => {
            let word = word.to_lowercase();
            english::word(&word).class != Class::Plain && !english::is_negation(&word)
                || word.ends_with("ly")
        }
        Some(_) => false,
    };
    ends.then_some(names)
}

fn name_list(tokens: &[Token]) -> Option<(Vec<FactTerm>, usize)> {
    let (first, mut length) = leading_name(tokens)?;
    let mut names = vec![first];
    loop {
        let mut at = length;
        while matches!(tokens.get(at), Some(Token::Sign(',' | '/')))
            || tokens.get(at).is_some_and(|token| token.lower() == "and")
        {
            at += 1;
        }
        if at == length {
            break;
        }
        let Some((term, more)) = tokens.get(at..).and_then(leading_name) else {
            break;
        };
        // `Ann founded Acme, and Bo left`: the next name has a verb of its own.
        let is_next = matches!(tokens.get(at + more), Some(Token::Word(word)) if english::word(&word.to_lowercase()).class == Class::Plain || is_auxiliary(&tokens[at + more]));
        if is_next {
            break;
        }
        names.push(term);
        length = at + more;
    }
    Some((names, length))
}

/// Returns the leading name and its number of tokens.
fn leading_name(tokens: &[Token]) -> Option<(FactTerm, usize)> {
    let skip = usize::from(is_article(tokens.first()?));
    match tokens.get(skip)? {
        Token::Link(term) => return Some((term.clone(), skip + 1)),
        // `n`, `X`: symbols of a formula.
        Token::Code(code) if code.len() < 3 || code.starts_with('<') => return None,
        Token::Code(code) => return Some((FactTerm::Name(code.clone()), skip + 1)),
        _ => {}
    }
    let mut words: Vec<&str> = Vec::new();
    for token in &tokens[skip..] {
        let Token::Word(word) = token else {
            break;
        };
        let joins = !words.is_empty() && LISTS.has("joins_names", word);
        if !(is_written_like_name(word) || joins) {
            break;
        }
        words.push(word);
    }
    while words.last().is_some_and(|word| !is_written_like_name(word)) {
        words.pop();
    }
    let first = words.first()?;
    // A bare number, or a word capitalised only as the first of its sentence, is not a name.
    let says = words.iter().any(|word| word.contains(char::is_alphabetic));
    let begins = english::word(&first.to_lowercase()).class != Class::Plain
        || LISTS.has("openers", &first.to_lowercase())
        // `Originally was a compromise`.
        || words.len() == 1 && first.ends_with("ly");
    if !says || begins || words.len() > MAX_NAME_WORDS {
        return None;
    }
    Some((FactTerm::Name(words.join(" ")), skip + words.len()))
}

/// Returns true if a word is written like a name: an initial capital, a digit, or an inner capital.
fn is_written_like_name(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
        || word.contains(|c: char| c.is_ascii_digit())
        || word.chars().skip(1).any(char::is_uppercase)
}

/// Returns the object: a name, or with `takes_words` the words up to the end of the phrase.
fn object(tokens: &[Token], takes_words: bool) -> Option<FactTerm> {
    if let Some([one]) = complete_names(tokens).as_deref() {
        return Some(one.clone());
    }
    if !takes_words {
        return None;
    }
    let words = phrase(tokens)?.join(" ");
    words
        .contains(char::is_alphabetic)
        .then_some(FactTerm::Value(words))
}

/// Returns the words of a complete phrase. A phrase that continues with unsupported syntax yields nothing, because
/// its first words have another meaning: `proponent of free` from `proponent of free will`.
fn phrase(tokens: &[Token]) -> Option<Vec<String>> {
    let skip = usize::from(is_article(tokens.first()?));
    let tokens = &tokens[skip..];
    let mut words: Vec<String> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let word = match token {
            Token::Word(word) => word.clone(),
            Token::Code(code) => code.clone(),
            Token::Link(FactTerm::Link { shown, .. }) => shown.clone(),
            Token::Sign('.' | '(' | ';' | ':' | '!' | '—') => break,
            // `a city, which` ends the phrase; `short, focused code` continues it.
            Token::Sign(',') if tokens.get(at + 1).is_some_and(is_relative) => break,
            _ => return None,
        };
        let lower = word.to_lowercase();
        if english::is_negation(&lower) || LISTS.has("cuts", &lower) {
            return None;
        }
        let is_followed = tokens.get(at + 1).is_some_and(is_word_or_link);
        // `a timer designed to tick`, but `a batch processing tool`.
        let is_participle =
            lower.ends_with("ed") || lower.ends_with("ing") || LISTS.has("behind_nouns", &lower);
        let is_begun = words.last().is_some_and(|word| word != "of");
        let class = english::word(&lower).class;
        match class {
            _ if is_participle && !is_followed && is_begun => break,
            Class::Plain => words.push(word),
            Class::Of if is_begun => words.push(word),
            Class::Article if words.last().is_some_and(|word| word == "of") => words.push(word),
            // A prepositional or relative clause after the noun is not part of the phrase.
            Class::For | Class::From | Class::With | Class::By | Class::At if is_begun => break,
            _ if lower == "over" && is_begun => break,
            _ if (is_relative(token) || is_pronoun(&lower)) && is_begun => break,
            _ => return None,
        }
    }
    let is_whole = words
        .last()
        .is_some_and(|word| english::word(&word.to_lowercase()).class == Class::Plain);
    // `X is a decentralized` lacks its noun.
    let is_noun = words.len() > 1 || !words.iter().any(|word| word.ends_with("ed"));
    (is_whole && is_noun && words.len() <= MAX_PHRASE_WORDS).then_some(words)
}

fn is_article(token: &Token) -> bool {
    matches!(token.lower().as_str(), "the" | "a" | "an")
}

fn is_relative(token: &Token) -> bool {
    LISTS.has("relative", &token.lower())
}

/// Returns true for a subject pronoun: in `a view you can use` the phrase is `a view`.
fn is_pronoun(word: &str) -> bool {
    matches!(word, "i" | "you" | "he" | "she" | "it" | "we" | "they")
}

/// Returns true for a token that can continue a noun phrase.
fn is_word_or_link(token: &Token) -> bool {
    match token {
        Token::Word(word) => is_plain(&word.to_lowercase()),
        Token::Link(_) | Token::Code(_) => true,
        Token::Sign(_) => false,
    }
}

fn is_be(token: &Token) -> bool {
    matches!(token.lower().as_str(), "is" | "was" | "are" | "were")
}

fn is_auxiliary(token: &Token) -> bool {
    is_be(token) || matches!(token.lower().as_str(), "has" | "have" | "been" | "had")
}

/// Returns true for an adverb next to a verb that does not change its meaning.
fn is_neutral_adverb(token: &Token) -> bool {
    LISTS.has("beside", &token.lower())
}

fn is_plain(word: &str) -> bool {
    !word.is_empty() && english::word(word).class == Class::Plain && !english::is_negation(word)
}

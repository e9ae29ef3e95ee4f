//! Facts that a judge extracted, accepted only if the note's text supports them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::fact::{Fact, FactSource, FactTerm, LineCounter, links_in};
use super::predicates::{LISTS, canonical_predicate};
use crate::note::Note;
use crate::note::markdown::sentences::sentences;
use crate::note::words::english;
use crate::note::words::english::{Class, WordEffect};
use crate::note::words::letters::folded;
use crate::note::words::tokens::{each_word, words};

/// Maximum characters of a subject, predicate or object.
pub const MAX_FACT_PART_CHARS: usize = 200;

/// Minimum content words that make a clause independent of the statement before it.
const MIN_OWN_WORDS: usize = 2;

/// Maximum words of a predicate.
const MAX_PREDICATE_WORDS: usize = 5;

/// A fact in the form that a judge returns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgedFact {
    pub subject: String,
    pub predicate: String,
    pub object: String,
    /// The supporting passage, copied from the note.
    pub quote: String,
}

impl JudgedFact {
    /// Returns the validated fact, or the reason for rejecting it. The quote must occur in the body; subject and
    /// object must occur in the quote, or be the note's title or file stem.
    pub fn fact(&self, text: &str, note: &Note, stem: &str) -> Result<Fact, String> {
        let parts = [&self.subject, &self.predicate, &self.object];
        let is_invalid =
            |part: &&&String| part.trim().is_empty() || part.chars().count() > MAX_FACT_PART_CHARS;
        if let Some(part) = parts.iter().find(is_invalid) {
            return Err(format!(
                "`{}` is empty or too long for a fact",
                shortened(part)
            ));
        }
        let Some(at) = find(&text[note.body.clone()], &self.quote) else {
            return Err(format!(
                "“{}” does not occur in the note",
                shortened(&self.quote)
            ));
        };
        let span = note.body.start + at.start..note.body.start + at.end;
        if let Some(why) = find_doubt(text, note, &span) {
            return Err(format!("“{}” {why}", shortened(&self.quote)));
        }
        let quote = folded(&text[span.clone()]);
        let names_note = |name: &str| {
            let name = folded(name);
            name == folded(&note.title) || name == folded(stem)
        };
        let links = links_in(note, &span);
        let term = |name: &str| {
            let name = name.trim().trim_start_matches("[[").trim_end_matches("]]");
            if names_note(name) {
                return Ok(FactTerm::Itself);
            }
            let key = folded(name);
            if let Some(link) = links
                .iter()
                .find(|link| folded(&link.unlinked()) == key || folded(&link.target) == key)
            {
                return Ok(FactTerm::of_link(link));
            }
            let has_content = |word: &str| english::word(word).content != WordEffect::Empty;
            if !key.split(' ').any(has_content) {
                return Err(format!("`{}` has no content words", shortened(name)));
            }
            if !quote.contains(&key) || !contains_name(&quote, &key) {
                return Err(format!("`{}` does not occur in the quote", shortened(name)));
            }
            Ok(if name.chars().any(char::is_uppercase) {
                FactTerm::Name(name.to_owned())
            } else {
                FactTerm::Value(name.to_owned())
            })
        };
        let (subject, object) = (term(&self.subject)?, term(&self.object)?);
        let (predicate, is_swapped) = canonical_predicate(self.predicate.trim());
        if predicate.split(' ').count() > MAX_PREDICATE_WORDS {
            return Err(format!(
                "`{}` is too long for a predicate",
                shortened(&predicate)
            ));
        }
        let (subject, object) = if is_swapped {
            (object, subject)
        } else {
            (subject, object)
        };
        Ok(Fact {
            subject,
            predicate,
            object,
            line: LineCounter::of(text).line(span.start),
            rule: FactSource::Judge,
        })
    }
}

/// Returns why the sentences that overlap `span` do not assert it: a question, a negation or a hedge, even outside
/// the quote. A later clause about other things does not count.
fn find_doubt(text: &str, note: &Note, span: &Range<usize>) -> Option<&'static str> {
    let sentences = sentences(text, note.body.clone()).into_iter();
    let overlapping = sentences.filter(|one| one.start < span.end && span.start < one.end);
    for sentence in overlapping {
        if text[sentence.clone()].trim_end().ends_with('?') {
            return Some("is a question in the note");
        }
        let end = span.end.min(sentence.end);
        let (inside, after) = text[sentence.clone()].split_at(end - sentence.start);
        let mut clauses = clauses(after).into_iter();
        let rest = clauses.next().unwrap_or_default();
        let is_negated_or_hedged = |text: &str| {
            let words = words(text);
            (0..words.len())
                .any(|at| negates_or_hedges(&words[at]) && !is_past_passive(&words[at..]))
        };
        let has_condition = |clause: &String| {
            let words = words(clause);
            words.iter().any(|word| LISTS.has("conditions", word))
        };
        let later: Vec<String> = clauses.collect();
        if is_negated_or_hedged(inside)
            || is_negated_or_hedged(&rest)
            || later.iter().any(has_condition)
            || is_denied_later(&later)
        {
            return Some("is negated or uncertain in the note");
        }
    }
    None
}

/// Returns true if a negation or hedge in later `clauses` refers to the statement, not to a subject of its own.
fn is_denied_later(clauses: &[String]) -> bool {
    let mut own_words = 0;
    for clause in clauses {
        let words = words(clause);
        let is_own = |word: &str| {
            let known = english::word(word);
            (known.class, known.content) == (Class::Plain, WordEffect::Full)
                && !negates_or_hedges(word)
        };
        let refers = |word: &String| english::refers_back(word) || word == "which";
        let is_about_statement = words.iter().any(refers) || !words.iter().any(|word| is_own(word));
        for word in &words {
            if negates_or_hedges(word) && (is_about_statement || own_words < MIN_OWN_WORDS) {
                return true;
            }
            own_words += usize::from(is_own(word));
        }
    }
    false
}

/// Splits the rest of a sentence into clauses; the first continues the statement.
fn clauses(text: &str) -> Vec<String> {
    let mut clauses = Vec::new();
    for part in text.split([',', ';', ':', '(', ')', '–', '—']) {
        clauses.push(String::new());
        for word in part.split_whitespace() {
            if ["and", "but"].contains(&word.to_lowercase().as_str()) {
                clauses.push(String::new());
            } else if let Some(clause) = clauses.last_mut() {
                clause.push_str(word);
                clause.push(' ');
            }
        }
    }
    clauses
}

/// Returns true if `words` begin with a past passive.
fn is_past_passive(words: &[String]) -> bool {
    let [was, done, ..] = words else {
        return false;
    };
    let is_participle =
        done.ends_with("ed") || done.ends_with("en") || LISTS.has("participles", done);
    LISTS.has("was", was) && is_participle && !LISTS.has("hearsay", done)
}

/// Returns true if a lower-case `word` negates or hedges a statement.
fn negates_or_hedges(word: &str) -> bool {
    english::is_negation(word)
        || english::denies(word)
        || english::word(word).content == WordEffect::Qualifies && !LISTS.has("sure", word)
        || LISTS.has("modal", word)
}

/// Returns true if the words of `name` occur consecutively in `quote`, possibly in the genitive. Whole words only:
/// Anna does not match Joanna.
fn contains_name(quote: &str, name: &str) -> bool {
    let (quote, name) = (words(quote), words(name));
    let matches = |(part, word): (&String, &String)| {
        part == word
            || ["'s", "’s"]
                .iter()
                .any(|end| part.strip_suffix(end) == Some(word))
    };
    name.is_empty()
        || quote
            .windows(name.len())
            .any(|part| part.iter().zip(&name).all(matches))
}

/// Returns the span of `quote` in `text`, matching whole words and ignoring differences in whitespace.
fn find(text: &str, quote: &str) -> Option<Range<usize>> {
    let mut spans = Vec::new();
    each_word(text, |_, span| spans.push(span));
    let is_within = |at: usize| {
        let word = spans.partition_point(|span| span.end <= at);
        spans.get(word).is_some_and(|span| span.start < at)
    };
    let mut words = quote.split_whitespace();
    let first = words.next()?;
    let rest: Vec<&str> = words.collect();
    text.match_indices(first).find_map(|(start, _)| {
        let mut at = start + first.len();
        for word in &rest {
            let following = text[at..].trim_start();
            if following.len() == text.len() - at || !following.starts_with(word) {
                return None;
            }
            at = text.len() - following.len() + word.len();
        }
        (!is_within(start) && !is_within(at)).then_some(start..at)
    })
}

fn shortened(text: &str) -> String {
    text.trim().chars().take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_need_support_in_the_note() {
        let text = "---\ntype: person\n---\n# Anna Roth\n\nShe works for [[Acme]] since\n  2019, and leads the garden team.\n";
        let note = crate::note::read(text, "anna");
        let of = |subject: &str, predicate: &str, object: &str, quote: &str| {
            let judged = JudgedFact {
                subject: subject.to_owned(),
                predicate: predicate.to_owned(),
                object: object.to_owned(),
                quote: quote.to_owned(),
            };
            judged.fact(text, &note, "anna")
        };
        let good = of(
            "Anna Roth",
            "Works for",
            "Acme",
            "She works for [[Acme]] since 2019",
        )
        .unwrap();
        assert_eq!(
            (good.subject, good.predicate.as_str(), good.line),
            (FactTerm::Itself, "works at", 6)
        );
        assert!(matches!(good.object, FactTerm::Link { ref target, .. } if target == "Acme"));
        let value = of("anna", "leads", "the garden team", "leads the garden team").unwrap();
        assert_eq!(
            (value.object, value.line),
            (FactTerm::Value("the garden team".to_owned()), 7)
        );
        for (subject, predicate, object, quote, why) in [
            (
                "Anna Roth",
                "works for",
                "Acme",
                "She works for Acme",
                "does not occur in the note",
            ),
            (
                "Anna Roth",
                "works for",
                "Acme",
                "type: person",
                "does not occur in the note",
            ),
            (
                "Anna Roth",
                "works for",
                "Acme",
                "",
                "does not occur in the note",
            ),
            (
                "Bo",
                "leads",
                "the garden team",
                "leads the garden team",
                "`Bo` does not occur in the quote",
            ),
            (
                "anna",
                "leads",
                "the tea team",
                "leads the garden team",
                "does not occur in the quote",
            ),
            (
                "anna",
                " ",
                "the garden team",
                "leads the garden team",
                "is empty or too long for a fact",
            ),
            (
                "anna",
                "a b c d e f",
                "the garden team",
                "leads the garden team",
                "too long for a predicate",
            ),
        ] {
            let found = of(subject, predicate, object, quote).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }

    #[test]
    fn negated_and_questioned_statements_are_rejected() {
        let text = "Ann did not found Acme. Bob might join Zeta next year. Is Fred the boss of Gert? \
             Ann founded a firm.\n";
        let note = crate::note::read(text, "x");
        for (subject, object, quote, why) in [
            ("Ann", "Acme", "found Acme", "negated or uncertain"),
            ("Bob", "Zeta", "join Zeta", "negated or uncertain"),
            (
                "Fred",
                "Gert",
                "Fred the boss of Gert",
                "is a question in the note",
            ),
            ("Ann", "a", "Ann founded a firm", "`a` has no content words"),
        ] {
            let judged = JudgedFact {
                subject: subject.to_owned(),
                predicate: "knows".to_owned(),
                object: object.to_owned(),
                quote: quote.to_owned(),
            };
            let found = judged.fact(text, &note, "x").unwrap_err();
            assert!(found.contains(why), "{quote}: {found}");
        }
    }

    #[test]
    fn names_match_whole_words() {
        let text =
            "Joanna works for Acmegraph since 2020. Anna's boss is Bo-Ann. 王小明住在柏林。\n";
        let note = crate::note::read(text, "x");
        let long = "Joanna works for Acmegraph";
        for (subject, object, quote, why) in [
            ("Joanna", "Acmegraph", long, None),
            ("Joanna", "2020", "Acmegraph since 2020", Some("`Joanna`")),
            ("Anna", "Acmegraph", long, Some("`Anna` does not")),
            ("Joanna", "Acme", long, Some("`Acme` does not")),
            ("Joanna", "Acme", "Joanna works for Acme", Some("occur")),
            (
                "Anna",
                "Acmegraph",
                "anna works for Acmegraph",
                Some("occur"),
            ),
            ("Anna", "Bo-Ann", "Anna's boss is Bo-Ann", None),
            ("王小明", "柏林", "王小明住在柏林", None),
        ] {
            let judged = JudgedFact {
                subject: subject.to_owned(),
                predicate: "knows".to_owned(),
                object: object.to_owned(),
                quote: quote.to_owned(),
            };
            match (judged.fact(text, &note, "x"), why) {
                (Err(found), Some(why)) => assert!(found.contains(why), "{found}"),
                (found, why) => assert_eq!(found.err().as_deref(), why, "{quote}"),
            }
        }
    }

    #[test]
    fn unrelated_negations_do_not_count() {
        let of = |text: &str, quote: &str| {
            let note = crate::note::read(text, "x");
            let at = find(text, quote).unwrap();
            find_doubt(text, &note, &at)
        };
        let open = Some("is negated or uncertain in the note");
        for (text, quote, expected) in [
            (
                "Grows gladioli in straight lines, answers every mail within the hour and never after six.",
                "Grows gladioli in straight lines",
                None,
            ),
            (
                "Ann leads Acme and drinks coffee never.",
                "Ann leads Acme",
                None,
            ),
            (
                "Ann comes from Bern, but Bob Miller does not.",
                "Ann comes from Bern",
                None,
            ),
            ("Acme was founded by Ann.", "Acme was founded by Ann", None),
            (
                "Dune has been written by Frank.",
                "Dune has been written by Frank",
                None,
            ),
            (
                "Ann was the boss of Acme.",
                "Ann was the boss of Acme",
                open,
            ),
            (
                "Ann was supposed to lead Acme.",
                "Ann was supposed to lead Acme",
                open,
            ),
            ("Acme was never founded by Ann.", "founded by Ann", open),
            ("Acme was almost founded by Ann.", "founded by Ann", open),
            ("Ann leads Acme, but not any more.", "Ann leads Acme", open),
            ("Ann leads Acme no longer.", "Ann leads Acme", open),
            (
                "Ann leads Acme and Zeta in Ulm, but no longer.",
                "Ann leads Acme",
                open,
            ),
            (
                "Ann leads Acme, said Bob Miller, but that is wrong.",
                "Ann leads Acme",
                open,
            ),
            (
                "Ann leads Acme, which Bob Miller found to be false.",
                "Ann leads Acme",
                open,
            ),
            (
                "Ann leads Acme, the firm of Carl leads Zeta, if Bob pays.",
                "Ann leads Acme",
                open,
            ),
            (
                "It is not so that Ann leads Acme, and Bob sings.",
                "Ann leads Acme",
                open,
            ),
            (
                "It was never said, and Ann leads Acme.",
                "Ann leads Acme",
                open,
            ),
            (
                "Ann leads Acme: never believe that Bob sings.",
                "Ann leads Acme",
                open,
            ),
        ] {
            assert_eq!(of(text, quote), expected, "{text}");
        }
    }
}

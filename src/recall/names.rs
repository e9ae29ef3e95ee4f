//! Matches the query against names of notes; a note with that name comes first.

use std::collections::HashMap;

use super::filters::Filters;
use crate::cache::CacheError;
use crate::cache::key::{Key, target_stem};
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::cache::text::schema::Column;
use crate::note::names::name_forms::NameForms;
use crate::note::path::without_ending;
use crate::note::words::analyzer::{Analyzer, Pattern, Purpose};
use crate::note::words::language::Language;
use crate::view::View;

/// How a name matches the query, most exact first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// Equal, ignoring case.
    Same,
    /// Equal, ignoring the characters between words.
    Joined,
    /// Equal after stemming.
    Inflected,
    /// The only file name that ends in the number: `1559` for `eip-1559`.
    Number,
    /// The subject of a definition question: `what is SSL`.
    Asked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Title,
    Alias,
    Stem,
    Path,
    Id,
}

/// How a note's name matches the query, most exact first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Call {
    form: Form,
    kind: Kind,
}

/// The query, interpreted as a name.
pub(super) struct Names<'n> {
    view: &'n View<'n>,
    filters: &'n Filters<'n>,
    /// The whole query, including possible syntax.
    whole: Wording,
    /// The words of the query, without filters.
    words: Wording,
    /// The subject of a definition question.
    asked: Option<Wording>,
    analyzer: Analyzer,
}

impl<'n> Names<'n> {
    /// `typed` is the query as entered; `words` excludes its filters.
    pub(super) fn new(
        view: &'n View<'n>,
        filters: &'n Filters<'n>,
        (typed, words): (&str, &str),
        language: Language,
    ) -> Self {
        let mut analyzer = Analyzer::new(language);
        Self {
            view,
            filters,
            whole: Wording::of(typed, &mut analyzer),
            words: Wording::of(words, &mut analyzer),
            asked: asked(words).map(|name| Wording::of(name, &mut analyzer)),
            analyzer,
        }
    }

    /// Returns the notes that the catalog lists under such a name.
    pub(super) fn known(&mut self, reader: &TextReader) -> Result<HashMap<Slot, Call>, CacheError> {
        let NameForms { folded, joined } = &self.words.forms;
        let mut ways = vec![
            self.whole.forms.folded.clone(),
            folded.clone(),
            singular(folded).to_owned(),
            format!("{folded}s"),
        ];
        for joined in [joined, &self.words.forms.apart()] {
            ways.extend([" ", "-", "_"].map(|sign| joined.replace(' ', sign)));
        }
        if let Some(Wording { forms, .. }) = &self.asked {
            let name = &forms.folded;
            let one = name.strip_suffix('s').unwrap_or(name);
            ways.extend([name.clone(), one.to_owned(), format!("{name}s")]);
        }
        let mut slots = Vec::new();
        for name in &ways {
            slots.extend(self.view.reading().find(Key::name(name))?);
            slots.extend(self.view.reading().find(Key::stem(target_stem(name)))?);
        }
        let mut calls = self.among(slots)?;
        if let Some(slot) = self.numbered(reader)? {
            let (form, kind) = (Form::Number, Kind::Stem);
            calls.entry(slot).or_insert(Call { form, kind });
        }
        Ok(calls)
    }

    /// Returns those of `slots` with a matching name.
    pub(super) fn among(
        &mut self,
        slots: impl IntoIterator<Item = Slot>,
    ) -> Result<HashMap<Slot, Call>, CacheError> {
        let mut calls = HashMap::new();
        for slot in slots {
            if !calls.contains_key(&slot)
                && let Some(call) = self.call(slot)?
            {
                calls.insert(slot, call);
            }
        }
        Ok(calls)
    }

    fn call(&mut self, slot: Slot) -> Result<Option<Call>, CacheError> {
        let Some(entry) = self.view.entry(slot)? else {
            return Ok(None);
        };
        let details = self.view.details(slot)?;
        let mut names = vec![
            (Kind::Title, details.title.as_str()),
            (Kind::Stem, entry.path.stem()),
            (Kind::Path, entry.path.as_str()),
        ];
        names.extend(
            details
                .aliases
                .iter()
                .map(|alias| (Kind::Alias, alias.as_str())),
        );
        names.extend(details.id.as_deref().map(|id| (Kind::Id, id)));
        let (mut as_whole, mut by_words) = (None, None);
        for (kind, name) in names {
            let name = Wording::of(name, &mut self.analyzer);
            let like = |form: Option<Form>| form.map(|form| Call { form, kind });
            let whole = self.whole.form(&name).filter(|&form| form == Form::Same);
            as_whole = [as_whole, like(whole)].into_iter().flatten().min();
            let asked = self.asked.as_ref().and_then(|asked| asked.form(&name));
            let ways = [self.words.form(&name), asked.and(Some(Form::Asked))];
            by_words = ways.map(like).into_iter().flatten().chain(by_words).min();
        }
        // If the whole query is a name, nothing in it is a filter.
        if as_whole.is_some() && self.filters.show(slot)? {
            Ok(as_whole)
        } else if by_words.is_some() && self.filters.admit(slot)? {
            Ok(by_words)
        } else {
            Ok(None)
        }
    }

    /// Returns the note if exactly one file name ends in the number of the query.
    fn numbered(&self, reader: &TextReader) -> Result<Option<Slot>, CacheError> {
        let typed = &self.words.forms;
        let Some(number) = typed.number().filter(|number| *number == typed.folded) else {
            return Ok(None);
        };
        let clause = Clause::Text {
            pattern: Pattern::Word(number.to_owned()),
            column: Some(Column::Path),
        };
        let mut found = None;
        for key in reader.matches(&clause)? {
            let slot = key as Slot;
            let Some(entry) = self.view.entry(slot)? else {
                continue;
            };
            let name = NameForms::of(entry.path.stem());
            if typed.is_number_of(&name) && self.filters.admit(slot)? {
                if found.is_some() {
                    return Ok(None);
                }
                found = Some(slot);
            }
        }
        Ok(found)
    }
}

/// Beginnings of definition questions.
const ASKED: [&str; 14] = [
    "what is",
    "what's",
    "what are",
    "what was",
    "who is",
    "who's",
    "who are",
    "who was",
    "who wrote",
    "where is",
    "define",
    "explain",
    "tell me about",
    "meaning of",
];

/// Returns the subject of a definition question; often no name at all.
fn asked(words: &str) -> Option<&str> {
    let words = words.trim().trim_end_matches(['?', '.', '!']).trim_end();
    let mut ways = ASKED.iter();
    let name = ways.find_map(|way| behind(words, way))?;
    let mut articles = ["a", "an", "the"].iter();
    Some(articles.find_map(|way| behind(name, way)).unwrap_or(name))
}

/// Returns the text after the words `first`, ignoring case.
fn behind<'w>(words: &'w str, first: &str) -> Option<&'w str> {
    let begins = words.get(..first.len())?.eq_ignore_ascii_case(first);
    let rest = words.get(first.len()..).filter(|_| begins)?;
    let name = rest.trim_start();
    (name.len() < rest.len() && !name.is_empty()).then_some(name)
}

/// A name in its comparable forms.
struct Wording {
    forms: NameForms,
    terms: Vec<String>,
}

impl Wording {
    /// Normalises `name`, which can be a file name.
    fn of(name: &str, analyzer: &mut Analyzer) -> Self {
        let terms = analyzer.terms(without_ending(name.trim()), Purpose::Query);
        Self {
            forms: NameForms::of(name),
            terms: terms.into_iter().map(|term| term.text).collect(),
        }
    }

    /// Returns how the query `self` matches the name `other`.
    fn form(&self, other: &Self) -> Option<Form> {
        let (own, others) = (&self.forms, &other.forms);
        if own.folded.is_empty() {
            None
        } else if own.folded == others.folded {
            Some(Form::Same)
        } else if own.is_joined_as(others) {
            Some(Form::Joined)
        } else if !self.terms.is_empty() && self.terms == other.terms
            || singular(&own.folded) == singular(&others.folded)
        {
            Some(Form::Inflected)
        } else {
            None
        }
    }
}

/// Returns `name` without a plural ending, which the stemmer leaves on words without vowels.
fn singular(name: &str) -> &str {
    let has_vowel = |rest: &str| rest.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    let rest = name.strip_suffix('s').filter(|rest| !rest.is_empty());
    rest.filter(|rest| !has_vowel(rest)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_asks_for_a_name() {
        for (words, expected) in [
            ("what is SSL", Some("SSL")),
            ("What are the CRDTs?", Some("CRDTs")),
            ("who is Ann Lee ?", Some("Ann Lee")),
            ("tell me about  an agent", Some("agent")),
            ("define", None),
            ("what island", None),
            ("whatis x", None),
            ("SSL what is", None),
        ] {
            assert_eq!(asked(words), expected, "{words}");
        }
    }

    #[test]
    fn a_name_is_known_in_other_forms() {
        for (typed, name, expected) in [
            ("EIP-1559", "eip-1559", Some(Form::Same)),
            ("CRDT.md", "CRDT", Some(Form::Same)),
            ("posts/a.md", "posts/a.md", Some(Form::Same)),
            ("C++", "c++", Some(Form::Same)),
            ("eip 1559", "EIP_1559", Some(Form::Joined)),
            ("eip1559", "EIP-1559", Some(Form::Joined)),
            ("CRDTs", "CRDT", Some(Form::Inflected)),
            ("news", "New", None),
            ("in group bias", "In-group bias", Some(Form::Joined)),
            ("incentivizes", "incentivize", Some(Form::Inflected)),
            ("whats next", "What's next?", Some(Form::Inflected)),
            ("staff", "Staff of Fire", None),
            ("...", "…", None),
            ("", "", None),
        ] {
            let mut analyzer = Analyzer::new(Language::ENGLISH);
            let typed = Wording::of(typed, &mut analyzer);
            let found = typed.form(&Wording::of(name, &mut analyzer));
            assert_eq!(found, expected, "{} {name}", typed.forms.folded);
        }
    }
}

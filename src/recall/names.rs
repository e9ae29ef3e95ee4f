//! Matches the query against names of notes; a note with that name comes first.

use std::collections::HashMap;

use super::filters::Filters;
use crate::cache::CacheError;
use crate::cache::key::{IndexKey, target_stem};
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::cache::text::schema::Column;
use crate::note::names::name_forms::NameForms;
use crate::note::path::without_ending;
use crate::note::words::analyzer::{AnalysisPurpose, Analyzer, Pattern};
use crate::note::words::language::Language;
use crate::view::View;

/// How a name matches the query, most exact first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum MatchForm {
    /// Equal, ignoring case.
    Same,
    /// Equal, ignoring the characters between words.
    Joined,
    /// Equal after stemming.
    Inflected,
    /// The only file name that ends in the number: `1559` for `eip-1559`.
    Number,
    /// The subject of a definition question: `what is SSL`.
    DefinitionSubject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum NameKind {
    Title,
    Alias,
    Stem,
    Path,
    Id,
}

/// How a note's name matches the query, most exact first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameMatch {
    form: MatchForm,
    kind: NameKind,
}

/// The query, interpreted as a name.
pub(super) struct NameMatcher<'n> {
    view: &'n View<'n>,
    filters: &'n Filters<'n>,
    /// The whole query, including possible syntax.
    whole: NormalizedName,
    /// The words of the query, without filters.
    words: NormalizedName,
    /// The subject of a definition question.
    subject: Option<NormalizedName>,
    analyzer: Analyzer,
}

impl<'n> NameMatcher<'n> {
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
            whole: NormalizedName::of(typed, &mut analyzer),
            words: NormalizedName::of(words, &mut analyzer),
            subject: definition_subject(words).map(|name| NormalizedName::of(name, &mut analyzer)),
            analyzer,
        }
    }

    /// Returns the notes that the catalog lists under such a name.
    pub(super) fn matching_in_catalog(
        &mut self,
        reader: &TextReader,
    ) -> Result<HashMap<Slot, NameMatch>, CacheError> {
        let NameForms { folded, joined } = &self.words.forms;
        let mut variants = vec![
            self.whole.forms.folded.clone(),
            folded.clone(),
            singular(folded).to_owned(),
            format!("{folded}s"),
        ];
        for joined in [joined, &self.words.forms.apart()] {
            variants.extend([" ", "-", "_"].map(|sign| joined.replace(' ', sign)));
        }
        if let Some(NormalizedName { forms, .. }) = &self.subject {
            let name = &forms.folded;
            let one = name.strip_suffix('s').unwrap_or(name);
            variants.extend([name.clone(), one.to_owned(), format!("{name}s")]);
        }
        let mut slots = Vec::new();
        for name in &variants {
            slots.extend(self.view.reading().find(IndexKey::name(name))?);
            slots.extend(
                self.view
                    .reading()
                    .find(IndexKey::stem(target_stem(name)))?,
            );
        }
        let mut name_matches = self.matching(slots)?;
        if let Some(slot) = self.numbered(reader)? {
            let (form, kind) = (MatchForm::Number, NameKind::Stem);
            name_matches.entry(slot).or_insert(NameMatch { form, kind });
        }
        Ok(name_matches)
    }

    /// Returns those of `slots` with a matching name.
    pub(super) fn matching(
        &mut self,
        slots: impl IntoIterator<Item = Slot>,
    ) -> Result<HashMap<Slot, NameMatch>, CacheError> {
        let mut name_matches = HashMap::new();
        for slot in slots {
            if !name_matches.contains_key(&slot)
                && let Some(name_match) = self.name_match(slot)?
            {
                name_matches.insert(slot, name_match);
            }
        }
        Ok(name_matches)
    }

    fn name_match(&mut self, slot: Slot) -> Result<Option<NameMatch>, CacheError> {
        let Some(entry) = self.view.entry(slot)? else {
            return Ok(None);
        };
        let details = self.view.details(slot)?;
        let mut names = vec![
            (NameKind::Title, details.title.as_str()),
            (NameKind::Stem, entry.path.stem()),
            (NameKind::Path, entry.path.as_str()),
        ];
        names.extend(
            details
                .aliases
                .iter()
                .map(|alias| (NameKind::Alias, alias.as_str())),
        );
        names.extend(details.id.as_deref().map(|id| (NameKind::Id, id)));
        let (mut as_whole, mut by_words) = (None, None);
        for (kind, name) in names {
            let name = NormalizedName::of(name, &mut self.analyzer);
            let like = |form: Option<MatchForm>| form.map(|form| NameMatch { form, kind });
            let whole = self
                .whole
                .form(&name)
                .filter(|&form| form == MatchForm::Same);
            as_whole = [as_whole, like(whole)].into_iter().flatten().min();
            let subject = self
                .subject
                .as_ref()
                .and_then(|subject| subject.form(&name));
            let variants = [
                self.words.form(&name),
                subject.and(Some(MatchForm::DefinitionSubject)),
            ];
            by_words = variants
                .map(like)
                .into_iter()
                .flatten()
                .chain(by_words)
                .min();
        }
        // If the whole query is a name, nothing in it is a filter.
        if as_whole.is_some() && self.filters.is_visible_slot(slot)? {
            Ok(as_whole)
        } else if by_words.is_some() && self.filters.admits(slot)? {
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
            if typed.is_number_of(&name) && self.filters.admits(slot)? {
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
const DEFINITION_PREFIXES: [&str; 14] = [
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
fn definition_subject(words: &str) -> Option<&str> {
    let words = words.trim().trim_end_matches(['?', '.', '!']).trim_end();
    let mut variants = DEFINITION_PREFIXES.iter();
    let name = variants.find_map(|way| text_after(words, way))?;
    let mut articles = ["a", "an", "the"].iter();
    Some(
        articles
            .find_map(|way| text_after(name, way))
            .unwrap_or(name),
    )
}

/// Returns the text after the words `first`, ignoring case.
fn text_after<'w>(words: &'w str, first: &str) -> Option<&'w str> {
    let begins = words.get(..first.len())?.eq_ignore_ascii_case(first);
    let rest = words.get(first.len()..).filter(|_| begins)?;
    let name = rest.trim_start();
    (name.len() < rest.len() && !name.is_empty()).then_some(name)
}

/// A name in its comparable forms.
struct NormalizedName {
    forms: NameForms,
    terms: Vec<String>,
}

impl NormalizedName {
    /// Normalises `name`, which can be a file name.
    fn of(name: &str, analyzer: &mut Analyzer) -> Self {
        let terms = analyzer.terms(without_ending(name.trim()), AnalysisPurpose::Query);
        Self {
            forms: NameForms::of(name),
            terms: terms.into_iter().map(|term| term.text).collect(),
        }
    }

    /// Returns how the query `self` matches the name `other`.
    fn form(&self, other: &Self) -> Option<MatchForm> {
        let (own, others) = (&self.forms, &other.forms);
        if own.folded.is_empty() {
            None
        } else if own.folded == others.folded {
            Some(MatchForm::Same)
        } else if own.is_joined_as(others) {
            Some(MatchForm::Joined)
        } else if !self.terms.is_empty() && self.terms == other.terms
            || singular(&own.folded) == singular(&others.folded)
        {
            Some(MatchForm::Inflected)
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
    fn extracts_the_subject_of_a_definition_question() {
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
            assert_eq!(definition_subject(words), expected, "{words}");
        }
    }

    #[test]
    fn matches_other_forms_of_a_name() {
        for (typed, name, expected) in [
            ("EIP-1559", "eip-1559", Some(MatchForm::Same)),
            ("CRDT.md", "CRDT", Some(MatchForm::Same)),
            ("posts/a.md", "posts/a.md", Some(MatchForm::Same)),
            ("C++", "c++", Some(MatchForm::Same)),
            ("eip 1559", "EIP_1559", Some(MatchForm::Joined)),
            ("eip1559", "EIP-1559", Some(MatchForm::Joined)),
            ("CRDTs", "CRDT", Some(MatchForm::Inflected)),
            ("news", "New", None),
            ("in group bias", "In-group bias", Some(MatchForm::Joined)),
            ("incentivizes", "incentivize", Some(MatchForm::Inflected)),
            ("whats next", "What's next?", Some(MatchForm::Inflected)),
            ("staff", "Staff of Fire", None),
            ("...", "…", None),
            ("", "", None),
        ] {
            let mut analyzer = Analyzer::new(Language::ENGLISH);
            let typed = NormalizedName::of(typed, &mut analyzer);
            let found = typed.form(&NormalizedName::of(name, &mut analyzer));
            assert_eq!(found, expected, "{} {name}", typed.forms.folded);
        }
    }
}

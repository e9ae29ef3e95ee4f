//! What the notes of a vault say: many texts at once, and which of them have certain words.

use rayon::prelude::*;

use super::{Entry, TextError, View};
use crate::cache::Result;
use crate::cache::row::Slot;
use crate::cache::text::clause::Clause;
use crate::cache::text::reader::TextReader;
use crate::cache::text::schema::Column;
use crate::note::markdown::listing;
use crate::note::words::analyzer::Pattern;

impl View<'_> {
    /// Returns this view, which can tell from now on which notes have certain words.
    #[must_use]
    pub fn with_text_index(mut self, reader: TextReader) -> Self {
        self.words = Some(reader);
        self
    }

    /// Returns what tells which notes have certain words, if this view knows.
    pub fn text_reader(&self) -> Option<&TextReader> {
        self.words.as_ref()
    }

    /// Returns whether [`Self::with_phrase`] knows anything.
    pub fn has_text_index(&self) -> bool {
        self.words.is_some()
    }

    /// Returns the notes in whose bodies the words of `phrase` stand side by side, regardless of their
    /// endings, ascending; none without the text index.
    pub fn with_phrase(&self, phrase: &str) -> Result<Vec<Slot>> {
        self.with_phrase_in(phrase, Some(Column::Body))
    }

    /// As [`Self::with_phrase`], of many phrases on all cores.
    pub fn with_phrases(&self, phrases: &[&str]) -> Result<Vec<Vec<Slot>>> {
        let Some(reader) = &self.words else {
            return Ok(vec![Vec::new(); phrases.len()]);
        };
        let holding = |phrase: &&str| holding(reader, phrase, Some(Column::Body));
        phrases.par_iter().map(holding).collect()
    }

    /// As [`Self::with_phrase`], in another column or in any.
    pub fn with_phrase_in(&self, phrase: &str, column: Option<Column>) -> Result<Vec<Slot>> {
        let reader = self.words.as_ref();
        reader.map_or(Ok(Vec::new()), |reader| holding(reader, phrase, column))
    }

    /// Returns the notes that have one of `words` anywhere, regardless of their endings, ascending; none
    /// without the text index.
    pub fn with_any(&self, words: &[&str]) -> Result<Vec<Slot>> {
        let Some(reader) = &self.words else {
            return Ok(Vec::new());
        };
        let words = words.iter().map(|word| Pattern::Phrase((*word).to_owned()));
        let keys = reader.matches(&Clause::Any(words.map(Clause::of).collect()))?;
        Ok(keys.into_iter().map(|key| key as Slot).collect())
    }

    /// Reads the texts of `entries` on all cores and returns what `each` makes of them, in their order; what
    /// lists copied into them is blank.
    pub fn each_text<T: Send>(
        &self,
        entries: &[Entry],
        each: impl Fn(&Entry, &str) -> T + Sync,
    ) -> Vec<Result<T, TextError>> {
        let vault = self.vault;
        let read = |entry: &Entry| -> Result<T, TextError> {
            let file = vault.read(&entry.path)?;
            if file.hash == entry.row.content {
                Ok(each(entry, &listing::blanked(&file.text)))
            } else {
                Err(TextError::Changed(entry.path.clone()))
            }
        };
        entries.par_iter().map(read).collect()
    }
}

fn holding(reader: &TextReader, phrase: &str, column: Option<Column>) -> Result<Vec<Slot>> {
    let keys = reader.matches(&Clause::Text {
        pattern: Pattern::Phrase(phrase.to_owned()),
        column,
    })?;
    Ok(keys.into_iter().map(|key| key as Slot).collect())
}

//! Reads many note texts in parallel and finds notes by words.

use std::borrow::Cow;
use std::collections::HashMap;

use rayon::prelude::*;

use super::{Entry, NoteTextError, View};
use crate::cache::text::schema::Column;
use crate::cache::{Clause, Result, Slot, TextReader};
use crate::note::Pattern;
use crate::note::markdown::listing;
use crate::note::path::VaultPath;
use crate::vault::Vault;

impl View<'_> {
    /// Adds the text index, which word queries need.
    pub fn with_text_index(mut self, reader: TextReader) -> Self {
        self.text_index = Some(reader);
        self
    }

    /// Returns the text index, if the view has one.
    pub fn text_reader(&self) -> Option<&TextReader> {
        self.text_index.as_ref()
    }

    /// Whether the view has a text index. Without one, [`Self::with_phrase`] finds nothing.
    pub fn has_text_index(&self) -> bool {
        self.text_index.is_some()
    }

    /// Returns the notes whose bodies contain `phrase`, stemmed, in ascending order; none without a
    /// text index.
    pub fn with_phrase(&self, phrase: &str) -> Result<Vec<Slot>> {
        self.with_phrase_in(phrase, Some(Column::Body))
    }

    /// Like [`Self::with_phrase`], for many phrases in parallel.
    pub fn with_phrases(&self, phrases: &[&str]) -> Result<Vec<Vec<Slot>>> {
        let Some(reader) = &self.text_index else {
            return Ok(vec![Vec::new(); phrases.len()]);
        };
        let slots_with_phrase =
            |phrase: &&str| slots_with_phrase(reader, phrase, Some(Column::Body));
        phrases.par_iter().map(slots_with_phrase).collect()
    }

    /// Like [`Self::with_phrase`], in another column or in all.
    pub fn with_phrase_in(&self, phrase: &str, column: Option<Column>) -> Result<Vec<Slot>> {
        let reader = self.text_index.as_ref();
        reader.map_or(Ok(Vec::new()), |reader| {
            slots_with_phrase(reader, phrase, column)
        })
    }

    /// Returns the notes that contain any of `words`, stemmed, in any column and ascending order;
    /// none without a text index.
    pub fn with_any(&self, words: &[&str]) -> Result<Vec<Slot>> {
        let Some(reader) = &self.text_index else {
            return Ok(Vec::new());
        };
        let words = words.iter().map(|word| Pattern::Phrase((*word).to_owned()));
        let keys = reader.matches(&Clause::Any(words.map(Clause::of).collect()))?;
        Ok(keys.into_iter().map(|key| key as Slot).collect())
    }

    /// Reads `entries` in parallel and returns the results of `each` in their order. Text copied
    /// into generated lists is blanked.
    pub fn each_text<T: Send>(
        &self,
        entries: &[Entry],
        each: impl Fn(&Entry, &str) -> T + Sync,
    ) -> Vec<Result<T, NoteTextError>> {
        let texts = self.texts();
        let read = |entry| Ok(each(entry, &listing::blanked(&texts.of(entry)?)));
        entries.par_iter().map(read).collect()
    }

    /// Returns the texts of notes, which other threads can read.
    pub fn texts(&self) -> NoteTexts<'_> {
        NoteTexts {
            vault: self.vault,
            unsaved: &self.unsaved,
        }
    }

    /// Returns the unsaved text of a note, or that of its file; an error if the file no longer
    /// matches the catalog.
    pub fn text(&self, entry: &Entry) -> Result<String, NoteTextError> {
        self.texts().of(entry).map(Cow::into_owned)
    }
}

/// Texts of notes: unsaved ones, and those of files.
#[derive(Clone, Copy)]
pub struct NoteTexts<'v> {
    vault: &'v Vault,
    unsaved: &'v HashMap<VaultPath, String>,
}

impl<'v> NoteTexts<'v> {
    /// Returns the text of a note; an error if its file no longer matches the catalog.
    pub fn of(self, entry: &Entry) -> Result<Cow<'v, str>, NoteTextError> {
        if let Some(text) = self.unsaved.get(&entry.path) {
            return Ok(text.into());
        }
        let file = self.vault.read(&entry.path)?;
        if file.hash == entry.row.content {
            Ok(file.text.into())
        } else {
            Err(NoteTextError::Changed(entry.path.clone()))
        }
    }
}

fn slots_with_phrase(
    reader: &TextReader,
    phrase: &str,
    column: Option<Column>,
) -> Result<Vec<Slot>> {
    let keys = reader.matches(&Clause::Text {
        pattern: Pattern::Phrase(phrase.to_owned()),
        column,
    })?;
    Ok(keys.into_iter().map(|key| key as Slot).collect())
}

#[cfg(test)]
mod tests {
    use crate::note::path::VaultPath;
    use crate::view::tests::IndexedVault;

    #[test]
    fn unsaved_texts_count_instead_of_files() {
        let scene = IndexedVault::of([("a.md", "tea"), ("b.md", "pot")], None);
        let mut view = scene.view(false);
        let path = VaultPath::new("a.md").unwrap();
        view.unsaved.insert(path, "green tea".to_owned());
        let entries = view.entries().unwrap();
        let results = view.each_text(&entries, |_, text| text.to_owned());
        let read: Vec<String> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(read, ["green tea", "pot"]);
        let read = entries.iter().map(|entry| view.text(entry).unwrap());
        assert_eq!(read.collect::<Vec<_>>(), ["green tea", "pot"]);
    }
}

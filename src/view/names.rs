//! Finds the note that a user names: by path, id, title, alias, stem, a variant of these, or an
//! unambiguous prefix.

use crate::note::names::name_forms::NameForms;
use crate::vault::ReadError;
use crate::view::prelude::*;

impl View<'_> {
    /// Returns the notes that `name` may mean, ordered by path.
    ///
    /// The first rule with a result decides: path; id, title, alias or stem; one of these with
    /// words joined differently; the number at the end of a file name; prefix. Several results mean
    /// that the name is ambiguous.
    pub fn named(&self, name: &str) -> Result<Vec<Entry>> {
        self.named_approximately(name, 3)
    }

    /// Like [`Self::named`], but without numbers and prefixes.
    pub fn named_whole(&self, name: &str) -> Result<Vec<Entry>> {
        self.named_approximately(name, 1)
    }

    /// Returns the exact matches, or those of the first of `kinds` kinds of approximate ones that has any.
    fn named_approximately(&self, name: &str, kinds: usize) -> Result<Vec<Entry>> {
        let exact = self.named_exactly(name)?;
        let bare = without_brackets(name);
        if !exact.is_empty() || bare.is_empty() {
            return Ok(exact);
        }
        let mut found = self.approximate_matches(bare)?.into_iter().take(kinds);
        self.sorted(found.find(|slots| !slots.is_empty()).unwrap_or_default())
    }

    /// Like [`Self::named`], but only by exact path, id, title, alias or stem, ignoring case.
    pub fn named_exactly(&self, name: &str) -> Result<Vec<Entry>> {
        let bare = without_brackets(name);
        for path in [bare.to_owned(), format!("{bare}.md")] {
            if let Ok(path) = VaultPath::new(&path)
                && let Some(entry) = self.at(&path)?
            {
                return Ok(vec![entry]);
            }
        }
        self.namesakes(bare)
    }

    /// Returns all notes with this id, title, alias or stem, ignoring case.
    pub fn namesakes(&self, name: &str) -> Result<Vec<Entry>> {
        let mut slots = self.reading().find(IndexKey::name(name))?;
        slots.extend(self.reading().find(IndexKey::stem(name))?);
        self.sorted(slots)
    }

    /// Returns the note for the file `file`, following symbolic links.
    pub fn at_file(&self, file: &Path) -> Result<Option<Entry>> {
        match self.vault.path_of(file) {
            Some(path) => self.at(&path),
            None => Ok(None),
        }
    }

    /// Returns why `file`, which is inside the vault, is not a note.
    pub fn refused(&self, file: &Path) -> Option<ReadError> {
        let path = self.vault.path_of(file)?;
        self.vault.read(&path).err()
    }

    /// Returns approximate matches: words joined differently, number at the end of the stem,
    /// prefix.
    fn approximate_matches(&self, name: &str) -> Result<[Vec<Slot>; 3]> {
        let typed = NameForms::of(name);
        let prefix = folded(name);
        let (mut joined, mut numbered, mut begun) = (Vec::new(), Vec::new(), Vec::new());
        for entry in self.entries()? {
            let details = self.details(entry.slot)?;
            let title_and_stem = [details.title.as_str(), entry.path.stem()];
            let names = title_and_stem
                .into_iter()
                .chain(details.id.as_deref())
                .chain(details.aliases.iter().map(String::as_str));
            if names
                .clone()
                .any(|name| typed.is_joined_as(&NameForms::of(name)))
            {
                joined.push(entry.slot);
            } else if typed.is_number_of(&NameForms::of(entry.path.stem())) {
                numbered.push(entry.slot);
            } else if names
                .chain([entry.path.as_str()])
                .any(|name| folded(name).starts_with(&prefix))
            {
                begun.push(entry.slot);
            }
        }
        Ok([joined, numbered, begun])
    }

    /// Returns the notes in `slots`, each once, ordered by path.
    pub fn sorted(&self, mut slots: Vec<Slot>) -> Result<Vec<Entry>> {
        slots.sort_unstable();
        slots.dedup();
        let mut entries = Vec::new();
        for slot in slots {
            entries.extend(self.entry(slot)?);
        }
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }
}

/// Removes the brackets of a wikilink.
fn without_brackets(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix("[[")
        .and_then(|name| name.strip_suffix("]]"))
        .unwrap_or(name)
}

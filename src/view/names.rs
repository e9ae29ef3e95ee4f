//! Which note a person means: by path, id, title, alias or stem, in other forms of these, or by an
//! unambiguous prefix.

use crate::note::names::name_forms::NameForms;
use crate::vault::ReadError;
use crate::view::prelude::*;

impl View<'_> {
    /// Returns the notes that `name` may mean, in the order of paths.
    ///
    /// The first way of naming that finds any decides: path, then id, title, alias or stem, then one of
    /// these with its words joined otherwise, the number that a file name ends in, a prefix. More than
    /// one note means that the name is ambiguous.
    pub fn named(&self, name: &str) -> Result<Vec<Entry>> {
        let exact = self.named_exactly(name)?;
        if !exact.is_empty() || bare(name).is_empty() {
            return Ok(exact);
        }
        let mut found = self.alike(bare(name))?.into_iter();
        self.sorted(found.find(|slots| !slots.is_empty()).unwrap_or_default())
    }

    /// As [`Self::named`], by nothing less than a whole name: its words may be joined otherwise.
    pub fn named_whole(&self, name: &str) -> Result<Vec<Entry>> {
        let exact = self.named_exactly(name)?;
        if !exact.is_empty() || bare(name).is_empty() {
            return Ok(exact);
        }
        let [joined, ..] = self.alike(bare(name))?;
        self.sorted(joined)
    }

    /// As [`Self::named`], by a path, id, title, alias or stem as it is, but for case.
    pub fn named_exactly(&self, name: &str) -> Result<Vec<Entry>> {
        let bare = bare(name);
        for path in [bare.to_owned(), format!("{bare}.md")] {
            if let Ok(path) = VaultPath::new(&path)
                && let Some(entry) = self.at(&path)?
            {
                return Ok(vec![entry]);
            }
        }
        self.namesakes(bare)
    }

    /// Returns all notes of this id, title, alias or stem, but for case.
    pub fn namesakes(&self, name: &str) -> Result<Vec<Entry>> {
        let mut slots = self.reading().find(Key::name(name))?;
        slots.extend(self.reading().find(Key::stem(name))?);
        self.sorted(slots)
    }

    /// Returns the note that `file` is, or leads to as a link.
    pub fn at_file(&self, file: &Path) -> Result<Option<Entry>> {
        match self.vault.path_of(file) {
            Some(path) => self.at(&path),
            None => Ok(None),
        }
    }

    /// Returns why `file` is no note though it lies where one would.
    pub fn refused(&self, file: &Path) -> Option<ReadError> {
        let path = self.vault.path_of(file)?;
        self.vault.read(&path).err()
    }

    /// Returns the notes that are called almost so: those whose words are joined otherwise, that end in
    /// this number, that begin so.
    fn alike(&self, name: &str) -> Result<[Vec<Slot>; 3]> {
        let typed = NameForms::of(name);
        let prefix = folded(name);
        let (mut joined, mut numbered, mut begun) = (Vec::new(), Vec::new(), Vec::new());
        for entry in self.entries()? {
            let details = self.details(entry.slot)?;
            let names = [details.title.as_str(), entry.path.stem()].into_iter();
            let names = names
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

    pub(super) fn sorted(&self, mut slots: Vec<Slot>) -> Result<Vec<Entry>> {
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

/// The name without the brackets of a wikilink.
fn bare(name: &str) -> &str {
    let name = name.trim();
    name.strip_prefix("[[")
        .and_then(|name| name.strip_suffix("]]"))
        .unwrap_or(name)
}

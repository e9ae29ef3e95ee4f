//! The names of all notes, and how often the author links each name.
//!
//! Names are titles, aliases, file names and paths, number forms (`EIP 1559` for `eip-1559.md`),
//! and the texts of links to a note. An unspecific word is a name only if a link uses it.

use std::collections::HashSet;

use rayon::prelude::*;

use super::Entry;
use super::anchors::{Anchor, Anchors};
use crate::note::names::{Name, Names};
use crate::note::words::hash::ByHash;

/// Maximum spellings stored per name.
const MAX_SPELLINGS: usize = 8;

/// Notes whose names are computed in parallel per batch.
const NOTES_PER_BATCH: usize = 4096;

/// Maximum share of notes that contain an unlinked name.
///
/// Above it, and above [`MIN_NAME_LIMIT`] notes, the name is a common word.
const MAX_NAME_SHARE: f64 = 0.02;

/// Minimum of that limit: any name may occur in as many notes.
const MIN_NAME_LIMIT: usize = 5;

/// Maximum share of occurrences in another spelling; above it the name is a common word.
const MAX_VARIANT_SHARE: f64 = 0.25;

/// Whether an unlinked name is an ordinary word.
///
/// `containing` of all `notes` contain it, `variants` of these in another spelling.
pub fn is_common_word(name: &Name, containing: usize, variants: usize, notes: usize) -> bool {
    let max = MIN_NAME_LIMIT.max((notes as f64 * MAX_NAME_SHARE) as usize);
    containing > max || name.is_literal() && variants as f64 > MAX_VARIANT_SHARE * containing as f64
}

/// All names. Notes are identified by their index.
#[derive(Debug, Default)]
pub struct Lexicon {
    pub forms: Vec<LexiconEntry>,
    /// Finds the forms in a text, by their index.
    pub index: Names,
}

/// A name in all its spellings.
#[derive(Debug)]
pub struct LexiconEntry {
    pub name: Name,
    /// Links with this text to any note, at most one per source and target.
    pub links: usize,
    /// Notes with this name, ascending.
    pub owners: Vec<NamedNote>,
}

/// A note with a certain name.
#[derive(Debug)]
pub struct NamedNote {
    pub note: usize,
    /// Links to it with this text, at most one per source.
    pub links: usize,
    spellings: Vec<String>,
}

impl NamedNote {
    /// Whether the note or a link to it spells the name like this.
    pub fn spells(&self, written: &str) -> bool {
        self.spellings.iter().any(|known| known == written)
    }
}

impl LexiconEntry {
    /// Whether no link uses the name.
    pub fn is_untried(&self) -> bool {
        self.links == 0
    }

    /// Whether `written`, found in a text, means this name.
    pub fn is_written(&self, written: &str) -> bool {
        !self.is_untried() || self.name.is_written(written)
    }
}

/// The forms under construction.
#[derive(Default)]
struct Forms {
    forms: Vec<LexiconEntry>,
    indices: ByHash<usize>,
}

impl Forms {
    /// Returns the link count of the form `name` and its owner `note`; adds both if missing.
    fn owner(&mut self, name: Name, note: usize) -> (&mut usize, &mut NamedNote) {
        let index = *self.indices.entry(name.key()).or_insert_with(|| {
            self.forms.push(LexiconEntry {
                name: name.clone(),
                links: 0,
                owners: Vec::new(),
            });
            self.forms.len() - 1
        });
        let form = &mut self.forms[index];
        let found = form.owners.binary_search_by_key(&note, |owner| owner.note);
        let at = found.unwrap_or_else(|at| {
            let spellings = Vec::new();
            form.owners.insert(
                at,
                NamedNote {
                    note,
                    links: 0,
                    spellings,
                },
            );
            at
        });
        let owner = &mut form.owners[at];
        if owner.spellings.len() < MAX_SPELLINGS && !owner.spells(&name.text) {
            owner.spellings.push(name.text);
        }
        (&mut form.links, owner)
    }

    /// Counts the links per link text.
    fn add_links(&mut self, anchors: &Anchors) {
        for links in anchors.links.chunks(NOTES_PER_BATCH) {
            let shown: Vec<_> = links.par_iter().map(|links| link_texts(links)).collect();
            for LinkText { name, to } in shown.into_iter().flatten() {
                let (all, owner) = self.owner(name, to);
                *all += 1;
                owner.links += 1;
            }
        }
    }

    /// Adds titles, aliases and file names.
    fn add_own(&mut self, entries: &[Entry], names: &[Vec<String>]) {
        let mut note = 0;
        for (entries, names) in entries
            .chunks(NOTES_PER_BATCH)
            .zip(names.chunks(NOTES_PER_BATCH))
        {
            let notes = entries.par_iter().zip(names);
            let own: Vec<_> = notes
                .map(|(entry, names)| own_names(entry, names))
                .collect();
            for own in own {
                for OwnName { name, is_specific } in own {
                    let known = self.indices.get(&name.key());
                    if is_specific || known.is_some_and(|index| self.forms[*index].links > 0) {
                        self.owner(name, note);
                    }
                }
                note += 1;
            }
        }
    }
}

/// A name used as link text.
struct LinkText {
    name: Name,
    to: usize,
}

/// Returns the link texts of a note, once per target.
fn link_texts(links: &[Anchor]) -> Vec<LinkText> {
    let mut names: Vec<LinkText> = Vec::new();
    let mut known = HashSet::new();
    for anchor in links.iter().filter(|anchor| anchor.link.property.is_none()) {
        let (link, to) = (&anchor.link, anchor.to);
        // Without a label, some programs show the path and some only the name.
        let path = (link.label.is_none() && link.target.contains('/'))
            .then(|| link.target.trim_end_matches(".md"));
        for shown in [Some(link.shown()), path].into_iter().flatten() {
            if let Some(name) = Name::used(shown)
                && known.insert((name.key(), to))
            {
                names.push(LinkText { name, to });
            }
        }
    }
    names
}

/// A name from the note itself.
struct OwnName {
    name: Name,
    /// Whether it is a name even without links.
    is_specific: bool,
}

impl OwnName {
    fn of(text: &str) -> Option<Self> {
        let telling = Name::of(text);
        let is_specific = telling.is_some();
        let name = telling.or_else(|| Name::used(text))?;
        Some(Self { name, is_specific })
    }
}

/// Returns the names of a note from its file and from `names`.
fn own_names(entry: &Entry, names: &[String]) -> Vec<OwnName> {
    let mut own = Vec::new();
    for name in names.iter().map(String::as_str).chain([entry.path.stem()]) {
        own.extend(OwnName::of(name));
        own.extend(
            Name::number_forms(name)
                .iter()
                .filter_map(|form| OwnName::of(form)),
        );
    }
    if !entry.path.folder().is_empty() {
        own.extend(OwnName::of(entry.path.without_ending()));
    }
    own
}

impl Lexicon {
    /// Returns the names of `entries`, whose links are `anchors`.
    pub fn of(entries: &[Entry], anchors: &Anchors) -> Self {
        let mut forms = Forms::default();
        forms.add_links(anchors);
        forms.add_own(entries, &anchors.names);
        let mut forms = forms.forms;
        // A name of several notes that no link uses is ambiguous and means none of them.
        forms.retain(|form| form.owners.len() == 1 || !form.is_untried());
        let index = Names::of(forms.iter().map(|form| form.name.run()));
        Self { forms, index }
    }
}

//! The names by which a vault speaks of its notes, and how often its author makes a link of each.
//!
//! A note goes by its title, its aliases, its file's name and path, the ways in which a number is written
//! (`EIP 1559` for `eip-1559.md`), and by every text that a link to it shows somewhere. A word that says
//! little is a name only if it was shown by a link.

use rayon::prelude::*;

use super::Entry;
use super::anchors::{Anchor, Anchors};
use crate::note::names::{Name, Names};
use crate::note::words::hash::ByHash;

/// Spellings of one name that are kept.
const SPELLINGS: usize = 8;

/// Notes whose names are worked out on all cores before they are added.
const AT_ONCE: usize = 4096;

/// A name that no link shows and that stands in a larger share of the notes, and in more than [`FEW`],
/// is a common word.
const COMMON: f64 = 0.02;

/// In how many notes any name may stand.
const FEW: usize = 5;

/// A word that is written otherwise in so many of the notes that have it is a common word.
const OTHERWISE: f64 = 0.25;

/// Returns true if a name that no link shows is a word like any other: `held` of all `notes` have it,
/// `otherwise` of these in another spelling.
pub fn is_common_word(name: &Name, held: usize, otherwise: usize, notes: usize) -> bool {
    let most = FEW.max((notes as f64 * COMMON) as usize);
    held > most || name.is_literal() && otherwise as f64 > OTHERWISE * held as f64
}

/// All names; a note is named by its place among those that the names are of.
#[derive(Debug, Default)]
pub struct Lexicon {
    pub forms: Vec<Form>,
    /// Finds the forms in a text, by their place.
    pub index: Names,
}

/// A name, however it is spelled.
#[derive(Debug)]
pub struct Form {
    pub name: Name,
    /// Links that show it, whatever they lead to: one a note.
    pub links: usize,
    /// Who goes by it.
    pub owners: Vec<Owner>,
}

/// A note that goes by a name.
#[derive(Debug)]
pub struct Owner {
    pub note: usize,
    /// Links to it that show the name: one a note.
    pub links: usize,
    spellings: Vec<String>,
}

impl Owner {
    /// Returns true if the note itself or a link to it writes the name so.
    pub fn spells(&self, written: &str) -> bool {
        self.spellings.iter().any(|known| known == written)
    }
}

impl Form {
    /// Returns true if no link shows it, so that the name itself must say that it is one.
    pub fn is_untried(&self) -> bool {
        self.links == 0
    }

    /// Returns true if `written`, which stands for it in a text, means it.
    pub fn is_written(&self, written: &str) -> bool {
        !self.is_untried() || self.name.is_written(written)
    }
}

/// The forms while they are collected.
#[derive(Default)]
struct Forms {
    forms: Vec<Form>,
    places: ByHash<usize>,
}

impl Forms {
    /// Returns the owner `note` of the form that `name` is.
    fn owner(&mut self, name: Name, note: usize) -> (&mut usize, &mut Owner) {
        let place = *self.places.entry(name.key()).or_insert_with(|| {
            self.forms.push(Form {
                name: name.clone(),
                links: 0,
                owners: Vec::new(),
            });
            self.forms.len() - 1
        });
        let form = &mut self.forms[place];
        let owners = &mut form.owners;
        let at = owners.iter().position(|owner| owner.note == note);
        let at = at.unwrap_or_else(|| {
            owners.push(Owner {
                note,
                links: 0,
                spellings: Vec::new(),
            });
            owners.len() - 1
        });
        let owner = &mut owners[at];
        if owner.spellings.len() < SPELLINGS && !owner.spells(&name.text) {
            owner.spellings.push(name.text);
        }
        (&mut form.links, owner)
    }

    /// Counts the links that show each text.
    fn add_links(&mut self, anchors: &Anchors) {
        for links in anchors.links.chunks(AT_ONCE) {
            let shown: Vec<_> = links.par_iter().map(|links| shown_names(links)).collect();
            for Shown { name, to } in shown.into_iter().flatten() {
                let (all, owner) = self.owner(name, to);
                *all += 1;
                owner.links += 1;
            }
        }
    }

    /// Adds what notes go by of themselves.
    fn add_own(&mut self, entries: &[Entry], names: &[Vec<String>]) {
        let mut note = 0;
        for (entries, names) in entries.chunks(AT_ONCE).zip(names.chunks(AT_ONCE)) {
            let notes = entries.par_iter().zip(names);
            let own: Vec<_> = notes
                .map(|(entry, names)| own_names(entry, names))
                .collect();
            for own in own {
                for Own { name, is_telling } in own {
                    let known = self.places.get(&name.key());
                    if is_telling || known.is_some_and(|place| self.forms[*place].links > 0) {
                        self.owner(name, note);
                    }
                }
                note += 1;
            }
        }
    }
}

/// A name that a link shows.
struct Shown {
    name: Name,
    to: usize,
}

/// Returns the names that the links of a note show, each once for each note that they lead to.
fn shown_names(links: &[Anchor]) -> Vec<Shown> {
    let mut names: Vec<Shown> = Vec::new();
    for anchor in links.iter().filter(|anchor| anchor.link.property.is_none()) {
        let (link, to) = (&anchor.link, anchor.to);
        // Without a label some programs show the path, some the name alone.
        let path = (link.label.is_none() && link.target.contains('/'))
            .then(|| link.target.trim_end_matches(".md"));
        for shown in [Some(link.shown()), path].into_iter().flatten() {
            if let Some(name) = Name::used(shown)
                && !names
                    .iter()
                    .any(|known| (known.name.key(), known.to) == (name.key(), to))
            {
                names.push(Shown { name, to });
            }
        }
    }
    names
}

/// A name that a note has of itself.
struct Own {
    name: Name,
    /// Whether it is a name even if no link shows it.
    is_telling: bool,
}

impl Own {
    fn of(text: &str) -> Option<Self> {
        let telling = Name::of(text);
        let is_telling = telling.is_some();
        let name = telling.or_else(|| Name::used(text))?;
        Some(Self { name, is_telling })
    }
}

/// Returns what a note with these `names` goes by of itself.
fn own_names(entry: &Entry, names: &[String]) -> Vec<Own> {
    let mut own = Vec::new();
    for name in names.iter().map(String::as_str).chain([entry.path.stem()]) {
        own.extend(Own::of(name));
        own.extend(
            Name::number_forms(name)
                .iter()
                .filter_map(|form| Own::of(form)),
        );
    }
    if !entry.path.folder().is_empty() {
        own.extend(Own::of(entry.path.without_ending()));
    }
    own
}

impl Lexicon {
    /// Returns the names of `entries`, whose links are `anchors`.
    #[must_use]
    pub fn of(entries: &[Entry], anchors: &Anchors) -> Self {
        let mut forms = Forms::default();
        forms.add_links(anchors);
        forms.add_own(entries, &anchors.names);
        let mut forms = forms.forms;
        // A name that several go by and no link tells apart means none of them.
        forms.retain(|form| form.owners.len() == 1 || !form.is_untried());
        let index = Names::of(forms.iter().map(|form| form.name.run()));
        Self { forms, index }
    }
}

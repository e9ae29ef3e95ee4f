//! The names by which a vault speaks of its notes, and how often its author makes a link of each.
//!
//! A note goes by its title, its aliases, its file's name and path, the ways in which a number is written
//! (`EIP 1559` for `eip-1559.md`), and by every text that a link to it shows somewhere. A word that says
//! little is a name only if it was shown by a link.

use std::collections::HashMap;

use super::Entry;
use super::anchors::Anchors;
use crate::note::names::{Name, Names};

/// Spellings of one name that are kept.
const SPELLINGS: usize = 8;

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
    #[must_use]
    pub fn spells(&self, written: &str) -> bool {
        self.spellings.iter().any(|known| known == written)
    }
}

impl Form {
    /// Returns true if no link shows it, so that the name itself must say that it is one.
    #[must_use]
    pub fn is_untried(&self) -> bool {
        self.links == 0
    }

    /// Returns true if `written`, which stands for it in a text, means it.
    #[must_use]
    pub fn is_written(&self, written: &str) -> bool {
        !self.is_untried() || self.name.is_written(written)
    }
}

/// The forms while they are collected.
#[derive(Default)]
struct Forms {
    forms: Vec<Form>,
    places: HashMap<u64, usize>,
}

impl Forms {
    /// Returns the owner `note` of the form that `name` is.
    fn owner(&mut self, key: u64, name: Name, note: usize) -> (&mut usize, &mut Owner) {
        let place = *self.places.entry(key).or_insert_with(|| {
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
        for links in &anchors.links {
            let mut seen: Vec<(u64, usize)> = Vec::new();
            for anchor in links.iter().filter(|anchor| anchor.link.property.is_none()) {
                let (link, to) = (&anchor.link, anchor.to);
                // Without a label some programs show the path, some the name alone.
                let path = (link.label.is_none() && link.target.contains('/'))
                    .then(|| link.target.trim_end_matches(".md"));
                for shown in [Some(link.shown()), path].into_iter().flatten() {
                    if let Some(name) = Name::used(shown)
                        && let Some(key) = Names::key(&name.text)
                        && !seen.contains(&(key, to))
                    {
                        seen.push((key, to));
                        let (all, owner) = self.owner(key, name, to);
                        *all += 1;
                        owner.links += 1;
                    }
                }
            }
        }
    }

    fn add_own(&mut self, note: usize, text: &str) {
        let Some(used) = Name::used(text) else {
            return;
        };
        let Some(key) = Names::key(&used.text) else {
            return;
        };
        let shown = self.places.get(&key);
        let is_shown = shown.is_some_and(|place| self.forms[*place].links > 0);
        let telling = Name::of(text);
        if is_shown || telling.is_some() {
            self.owner(key, telling.unwrap_or(used), note);
        }
    }
}

impl Lexicon {
    /// Returns the names of `entries`, whose links are `anchors`.
    #[must_use]
    pub fn of(entries: &[Entry], anchors: &Anchors) -> Self {
        let mut forms = Forms::default();
        forms.add_links(anchors);
        for (note, entry) in entries.iter().enumerate() {
            let names = anchors.names[note].iter().map(String::as_str);
            for name in names.chain([entry.path.stem()]) {
                forms.add_own(note, name);
                for number in Name::number_forms(name) {
                    forms.add_own(note, &number);
                }
            }
            if !entry.path.folder().is_empty() {
                forms.add_own(note, entry.path.without_ending());
            }
        }
        let mut forms = forms.forms;
        // A name that several go by and no link tells apart means none of them.
        forms.retain(|form| form.owners.len() == 1 || !form.is_untried());
        let index = Names::of(forms.iter().map(|form| form.name.text.as_str()));
        Self { forms, index }
    }
}

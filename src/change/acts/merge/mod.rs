//! The changes that make one note of several.
//!
//! The keeper gains what the others knew: their properties by the rules of [`properties`], and below a
//! heading every line of theirs that it lacks ([`lines`]). The others go to the trash. Every link to
//! them, in bodies and in relations, leads to the keeper afterwards; a link of the keeper to one of them
//! becomes plain text, a relation is dropped, so that nothing links to itself.

mod lines;
mod properties;

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::tz::TimeZone;
use serde_json::{Map, Value};

use super::draft::Draft;
use super::error::ActError;
use crate::cache::CacheError;
use crate::cache::row::{Flags, Slot};
use crate::finding::plan::Change;
use crate::note::edit::Edit;
use crate::note::path::VaultPath;
use crate::note::{self, Link, Note, TitleSource};
use crate::view::Entry;
use crate::view::remap::{Remap, is_markdown, replace};
use lines::missing_lines;

/// A note that takes part in a merge.
struct Part {
    entry: Entry,
    text: String,
}

/// Adds the changes that merge `others` into `keeper`; its body is `body` afterwards, if one is given.
pub(super) fn compile(
    draft: &mut Draft<'_, '_>,
    keeper: &VaultPath,
    others: &[VaultPath],
    body: Option<&str>,
) -> Result<(), ActError> {
    let part = |path: &VaultPath| -> Result<Part, ActError> {
        let entry = draft.entry(path)?;
        let text = draft.view.text(&entry)?;
        Ok(Part { entry, text })
    };
    let keeper = part(keeper)?;
    let others: Vec<Part> = others.iter().map(part).collect::<Result<_, _>>()?;
    let removed: Vec<Slot> = others.iter().map(|other| other.entry.slot).collect();
    let merge = Merge {
        draft,
        remap: Remap::replacing(draft.view, removed.clone(), &keeper.entry),
        keeper: &keeper,
        removed,
    };
    let edits = merge.keeper_edits(&others, body)?;
    let repointed = merge.repointed(&others)?;
    if !edits.is_empty() {
        draft.edit(&keeper.entry.path, keeper.entry.row.content, edits);
    }
    for Part { entry, .. } in others {
        draft.push(Change::Trash {
            path: entry.path,
            base: entry.row.content,
            reason: format!("merged into {}", keeper.entry.path),
        });
    }
    for (entry, edits) in repointed {
        draft.edit(&entry.path, entry.row.content, edits);
    }
    Ok(())
}

struct Merge<'m, 'a, 'v> {
    draft: &'m Draft<'a, 'v>,
    keeper: &'m Part,
    /// The notes that go.
    removed: Vec<Slot>,
    /// The vault without them.
    remap: Remap<'a, 'v>,
}

impl Merge<'_, '_, '_> {
    /// Returns the edits of the keeper; none if it gains nothing.
    fn keeper_edits(&self, others: &[Part], body: Option<&str>) -> Result<Vec<Edit>, ActError> {
        let (keeper, text) = (&self.keeper.entry, self.keeper.text.as_str());
        let own = note::read(text, keeper.path.stem());
        let mut properties = own.properties.clone();
        let gained = self.gained(&own, &mut properties, others)?;
        self.drop_own_relations(&mut properties)?;
        if !gained.is_empty() && (keeper.is_managed() || properties.contains_key("updated")) {
            let now = self.draft.view.now.with_time_zone(TimeZone::UTC);
            let now = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
            properties.insert("updated".to_owned(), now.into());
        }
        let mut edits = properties::edits(&own.properties, &properties);
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        if let Some(body) = body {
            edits.push(Edit::Replace {
                was: text[own.body.clone()].to_owned(),
                span: own.body,
                text: body.replace("\r\n", "\n").replace('\n', newline),
            });
            return Ok(edits);
        }
        for link in own.links.iter().filter(|link| link.property.is_none()) {
            if self.leads_to_removed(keeper, link)? {
                edits.push(replace(text, link, link.unlinked()));
            }
        }
        if !gained.is_empty() {
            let is_open = !text.is_empty() && !text.ends_with('\n');
            let gap = if is_open { "\n" } else { "" };
            edits.push(Edit::Replace {
                span: text.len()..text.len(),
                was: String::new(),
                text: format!("{gap}{gained}").replace('\n', newline),
            });
        }
        Ok(edits)
    }

    /// Adds what the others know to `properties`, the keeper's, and returns what its body gains.
    fn gained(
        &self,
        own: &Note,
        properties: &mut Map<String, Value>,
        others: &[Part],
    ) -> Result<String, ActError> {
        // What the keeper says after each of them, so that the next one adds nothing twice.
        let mut body = self.body_in_keeper(self.keeper, own)?;
        let mut gained = String::new();
        for other in others {
            let theirs = note::read(&other.text, other.entry.path.stem());
            let title = (theirs.title_from != TitleSource::Stem).then_some(theirs.title.as_str());
            *properties = properties::merge(properties, &own.title, &theirs.properties, title);
            let missing = missing_lines(&body, &self.body_in_keeper(other, &theirs)?);
            if !missing.is_empty() {
                let section = section(&other.entry.path, &missing);
                body.push_str(&section);
                gained.push('\n');
                gained.push_str(&section);
            }
        }
        Ok(gained)
    }

    /// Returns the body of a note of the merge, with its links as they must read in the keeper.
    fn body_in_keeper(&self, part: &Part, note: &Note) -> Result<String, ActError> {
        let (from, text) = (&part.entry.path, &part.text);
        let mut body = String::new();
        let mut at = note.body.start;
        for link in note.links.iter().filter(|link| link.property.is_none()) {
            let Range { start, end } = link.span;
            if start < at || link.target.is_empty() {
                continue;
            }
            let view = self.draft.view;
            let target = view.resolve(from, &link.target, is_markdown(link))?;
            let replacement = if target.is_some_and(|target| self.is_merged(&target)) {
                link.unlinked()
            } else {
                match self.remap.target(link, from, &self.keeper.entry.path)? {
                    Some(target) => link.retargeted(text, &target),
                    None => continue,
                }
            };
            body.push_str(&text[at..start]);
            body.push_str(&replacement);
            at = end;
        }
        body.push_str(&text[at..note.body.end]);
        Ok(body.replace("\r\n", "\n"))
    }

    /// Removes relations of the keeper that would lead to itself.
    fn drop_own_relations(&self, properties: &mut Map<String, Value>) -> Result<(), CacheError> {
        for (key, value) in properties.clone() {
            let items = match value {
                Value::Array(items) => items,
                Value::String(_) => vec![value],
                _ => continue,
            };
            let mut kept = Vec::new();
            for item in &items {
                let target = self.draft.linked(&self.keeper.entry.path, item)?;
                if !target.is_some_and(|target| self.is_merged(&target)) {
                    kept.push(item.clone());
                }
            }
            if kept.len() < items.len() && kept.is_empty() {
                properties.remove(&key);
            } else if kept.len() < items.len() {
                properties.insert(key, Value::Array(kept));
            }
        }
        Ok(())
    }

    /// Returns the other notes with links to those that go, in the order of paths, and the edits that
    /// make these lead to the keeper.
    fn repointed(&self, others: &[Part]) -> Result<Vec<(Entry, Vec<Edit>)>, ActError> {
        let mut sources: BTreeMap<VaultPath, Entry> = BTreeMap::new();
        for other in others {
            for source in self.draft.view.linking_to(&other.entry)? {
                if !self.is_merged(&source) {
                    sources.insert(source.path.clone(), source);
                }
            }
        }
        let mut repointed = Vec::new();
        for source in sources.into_values() {
            let text = self.draft.view.text(&source)?;
            if source.row.flags.has(Flags::UNREADABLE) {
                return Err(ActError::Unreadable {
                    gone: others[0].entry.path.clone(),
                    linking: source.path,
                });
            }
            let edits = self.repointing(&source, &text)?;
            if !edits.is_empty() {
                repointed.push((source, edits));
            }
        }
        Ok(repointed)
    }

    fn repointing(&self, source: &Entry, text: &str) -> Result<Vec<Edit>, ActError> {
        let note = note::read(text, source.path.stem());
        let mut edits = Vec::new();
        for link in &note.links {
            if !self.leads_to_removed(source, link)? {
                continue;
            }
            if let Some(property) = &link.property
                && let Some(edit) = self.without_repeat(source, &note, property)?
            {
                if !edits.contains(&edit) {
                    edits.push(edit);
                }
            } else if let Some(target) = self.remap.target(link, &source.path, &source.path)? {
                edits.push(replace(text, link, link.retargeted(text, &target)));
            }
        }
        Ok(edits)
    }

    /// For a relation that names the keeper already: the edit that drops the notes that go from it.
    fn without_repeat(
        &self,
        source: &Entry,
        note: &Note,
        property: &str,
    ) -> Result<Option<Edit>, CacheError> {
        let Some(Value::Array(items)) = note.properties.get(property) else {
            return Ok(None);
        };
        let mut names_keeper = false;
        let mut kept = Vec::new();
        for item in items {
            let target = self.draft.linked(&source.path, item)?;
            let slot = target.map(|target| target.slot);
            names_keeper |= slot == Some(self.keeper.entry.slot);
            if !slot.is_some_and(|slot| self.removed.contains(&slot)) {
                kept.push(item.clone());
            }
        }
        Ok(names_keeper.then(|| Edit::Set {
            key: property.into(),
            value: Value::Array(kept),
        }))
    }

    fn leads_to_removed(&self, source: &Entry, link: &Link) -> Result<bool, CacheError> {
        if link.target.is_empty() {
            return Ok(false);
        }
        let view = self.draft.view;
        let target = view.resolve(&source.path, &link.target, is_markdown(link))?;
        Ok(target.is_some_and(|target| self.removed.contains(&target.slot)))
    }

    fn is_merged(&self, entry: &Entry) -> bool {
        entry.slot == self.keeper.entry.slot || self.removed.contains(&entry.slot)
    }
}

/// Returns what the keeper's body gains from the note at `path`.
fn section(path: &VaultPath, missing: &str) -> String {
    format!("## Merged from {path}\n\n{missing}")
}

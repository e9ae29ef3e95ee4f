//! Merges several notes into one.
//!
//! The keeper receives the properties of the others by the rules of [`properties`]. It receives
//! their blocks that it lacks at the positions chosen by [`insertion`]. Then [`check`] verifies
//! that the result contains all their content. The others go to the trash. All links to them, in
//! bodies and relations, then point to the keeper. Links between the notes to a heading or block stay
//! links. Other links between them become plain text and such relations are dropped, so that no
//! note links to its own top.

mod check;
mod insertion;
mod outline;
mod paragraphs;
mod properties;
mod writing;

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use similar::{Algorithm, DiffTag};

use super::draft::Draft;
use super::error::{ActError, Result};
use crate::cache::{CacheError, Flags, Slot};
use crate::finding::{Change, OmittedBlocks};
use crate::note;
use crate::note::front_matter::split::{Language, split};
use crate::note::markdown::loss_check;
use crate::note::markdown::parts::Parts;
use crate::note::{Edit, Link, Note, TitleSource, VaultPath, edit, spliced};
use crate::view::Entry;
use crate::view::remap::{Remap, is_markdown, repointed, without_repetitions};
use check::NoteContent;
use insertion::{InsertError, insert};
use properties::{CopiedLines, FrontMatterText, quoting_differences};

/// A note that takes part in a merge.
struct MergedNote {
    entry: Entry,
    text: String,
}

/// Adds the changes that merge `others` into `keeper`; `body`, if given, replaces its body.
pub(super) fn compile(
    draft: &mut Draft<'_, '_>,
    keeper: &VaultPath,
    others: &[VaultPath],
    body: Option<&str>,
) -> Result<()> {
    let part = |path: &VaultPath| -> Result<MergedNote> {
        let entry = draft.entry(path)?;
        let text = draft.view.text(&entry)?;
        Ok(MergedNote { entry, text })
    };
    let keeper = part(keeper)?;
    let others: Vec<MergedNote> = others.iter().map(part).collect::<Result<_, _>>()?;
    let removed: Vec<Slot> = others.iter().map(|other| other.entry.slot).collect();
    let parts = match body {
        Some(body) => vec![Parts::of(&note::read(body, ""), body)],
        None => all_parts(&keeper, &others),
    };
    let merge = MergeCompiler {
        draft,
        remap: Remap::replacing(draft.view, removed.clone(), &keeper.entry),
        keeper: &keeper,
        removed,
        parts,
    };
    let (edits, left_out) = merge.keeper_edits(&others, body)?;
    let repointed = merge.repointed(&others)?;
    draft.left_out.extend(left_out);
    if !edits.is_empty() {
        draft.edit(&keeper.entry.path, keeper.entry.row.content, edits);
    }
    for MergedNote { entry, .. } in others {
        draft.push(Change::Trash {
            path: entry.path,
            base: entry.row.content,
            reason: format!("merged into {}", keeper.entry.path),
            keeper: Some(keeper.entry.path.clone()),
        });
    }
    for (entry, edits) in repointed {
        draft.edit(&entry.path, entry.row.content, edits);
    }
    Ok(())
}

struct MergeCompiler<'m, 'a, 'v> {
    draft: &'m Draft<'a, 'v>,
    keeper: &'m MergedNote,
    /// The notes to be removed.
    removed: Vec<Slot>,
    /// Redirects links from the removed notes to the keeper.
    remap: Remap<'a, 'v>,
    /// The link targets in the merged note, by the note that they come from.
    parts: Vec<Parts>,
}

/// Returns the link targets in the text of each note that the merge keeps.
fn all_parts(keeper: &MergedNote, others: &[MergedNote]) -> Vec<Parts> {
    let own = note::read(&keeper.text, keeper.entry.path.stem());
    let of_other = |other: &MergedNote| {
        let mut note = note::read(&other.text, other.entry.path.stem());
        let titles = [own.title.clone(), note.title.clone()];
        let first = note.headings.first();
        // `insert` leaves it out.
        if first.is_some_and(|first| first.level == 1 && titles.contains(&first.text)) {
            note.headings.remove(0);
        }
        Parts::of(&note, &other.text)
    };
    let theirs = others.iter().map(of_other);
    std::iter::once(Parts::of(&own, &keeper.text))
        .chain(theirs)
        .collect()
}

impl MergeCompiler<'_, '_, '_> {
    /// Returns the keeper's edits, empty if it gains nothing, and the omitted blocks.
    fn keeper_edits(
        &self,
        others: &[MergedNote],
        body: Option<&str>,
    ) -> Result<(Vec<Edit>, Vec<OmittedBlocks>)> {
        let (keeper, text) = (&self.keeper.entry, self.keeper.text.as_str());
        let own = note::read(text, keeper.path.stem());
        let theirs: Vec<Note> = others
            .iter()
            .map(|other| note::read(&other.text, other.entry.path.stem()))
            .collect();
        let mut properties = own.properties.clone();
        for (other, note) in others.iter().zip(&theirs) {
            if note.problem.is_some() {
                return Err(ActError::UnreadableMatter(other.entry.path.clone()));
            }
            let title = (note.title_from != TitleSource::Stem).then_some(note.title.as_str());
            properties = properties::merge(&properties, &own.title, &note.properties, title);
        }
        self.drop_own_relations(&mut properties)?;
        let front = FrontMatterText::of(text, &own);
        if front.language == Language::Toml {
            properties.retain(|key, value| !value.is_null() || own.properties.contains_key(key));
        }
        let mut copied = CopiedLines::default();
        for (other, note) in others.iter().zip(&theirs) {
            let fronts = [front, FrontMatterText::of(&other.text, note)];
            properties::add_to_merged(&mut properties, quoting_differences(front, fronts[1]));
            let said = [&own.properties, &note.properties, &properties];
            let tied = |key| ActError::NotCopyable {
                note: other.entry.path.clone(),
                key,
            };
            copied.add(fronts, said).map_err(tied)?;
        }
        let before = self.body_in_keeper(self.keeper, &own)?;
        let (after, left_out) = match body {
            Some(body) => (body.replace("\r\n", "\n"), Vec::new()),
            None => self.body_with_additions(&own, &before, others, &theirs)?,
        };
        let gains = body.is_none() && after != before;
        if gains && (keeper.is_managed() || properties.contains_key("updated")) {
            let now = self
                .draft
                .view
                .now
                .with_time_zone(TimeZone::UTC)
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string();
            properties.insert("updated".to_owned(), now.into());
        }
        let mut edits = copied.edits(&own.properties, &properties);
        edits.extend(line_edits(text, &own.body, &after));
        self.check(&own, others, &theirs, &edits, body.is_none())?;
        Ok((edits, left_out))
    }

    /// Checks that the keeper after `edits` contains all content of the notes.
    ///
    /// Checks the text only if `checks_text`, because a supplied body replaces it.
    fn check(
        &self,
        own: &Note,
        others: &[MergedNote],
        theirs: &[Note],
        edits: &[Edit],
        checks_text: bool,
    ) -> Result<()> {
        let keeper = &self.keeper.entry.path;
        let loses = |what| ActError::ContentLost {
            keeper: keeper.clone(),
            what,
        };
        let result = edit::apply(&self.keeper.text, edits)
            .map_err(|error| loses(format!("something ({error})")))?;
        let read = note::read(&result, keeper.stem());
        let found = NoteContent {
            properties: &read.properties,
            front: FrontMatterText::of(&result, &read),
            title: &read.title,
            is_keeper: true,
        };
        // A link to one of two blocks with the same id would lead to the other.
        let count = |note: &Note, id: &str| {
            let ids = note.blocks.iter().map(|block| &block.id);
            ids.filter(|other| other.eq_ignore_ascii_case(id)).count()
        };
        let is_new = |id: &&str| {
            let mut sources = theirs.iter().chain([own]);
            sources.all(|source| count(source, id) < count(&read, id))
        };
        if let Some(id) = read
            .blocks
            .iter()
            .map(|block| block.id.as_str())
            .find(is_new)
        {
            return Err(loses(format!(
                "the block id `^{id}`, which two blocks have"
            )));
        }
        let front = FrontMatterText::of(&self.keeper.text, own);
        let mut bodies = Vec::new();
        let parts = others.iter().zip(theirs).chain([(self.keeper, own)]);
        for (part, note) in parts {
            let mut properties = note.properties.clone();
            self.drop_own_relations(&mut properties)?;
            let content = NoteContent {
                properties: &properties,
                front: FrontMatterText::of(&part.text, note),
                title: &note.title,
                is_keeper: std::ptr::eq(part, self.keeper),
            };
            if let Some(what) = check::missing_property(&content, front, &found) {
                return Err(loses(what));
            }
            bodies.push(self.body_in_keeper(part, note)?);
        }
        let titles: Vec<&str> = theirs
            .iter()
            .chain([own])
            .map(|note| note.title.as_str())
            .collect();
        let bodies: Vec<&str> = bodies.iter().map(String::as_str).collect();
        let text = result[read.body].replace("\r\n", "\n");
        match loss_check::missing_text(&bodies, &titles, &text).filter(|_| checks_text) {
            Some(what) => Err(loses(what)),
            None => Ok(()),
        }
    }

    /// Returns the keeper's body with the additions of the others, and the omitted blocks.
    fn body_with_additions(
        &self,
        own: &Note,
        before: &str,
        others: &[MergedNote],
        notes: &[Note],
    ) -> Result<(String, Vec<OmittedBlocks>)> {
        let keeper = &self.keeper.entry.path;
        let mut body = before.to_owned();
        let mut left_out = Vec::new();
        // Accumulated over all notes, so that no block is added twice.
        for (other, note) in others.iter().zip(notes) {
            let path = &other.entry.path;
            let text = self.body_in_keeper(other, note)?;
            let titles = [own.title.as_str(), note.title.as_str()];
            let inserted = insert(&body, &text, path.as_str(), titles)
                .map_err(|error| self.insert_error(other, error))?;
            body = inserted.body;
            if !inserted.omitted.is_empty() {
                left_out.push(OmittedBlocks {
                    note: path.clone(),
                    keeper: keeper.clone(),
                    blocks: inserted.omitted,
                });
            }
        }
        Ok((body, left_out))
    }

    /// Converts the reason why the text of `other` cannot be inserted.
    fn insert_error(&self, other: &MergedNote, error: InsertError) -> ActError {
        let (part, unclosed) = match error {
            InsertError::InKeeper(unclosed) => (self.keeper, unclosed),
            InsertError::InOther(unclosed) => (other, unclosed),
            InsertError::Torn(line) => {
                return ActError::ContextDependent {
                    note: other.entry.path.clone(),
                    keeper: self.keeper.entry.path.clone(),
                    line,
                };
            }
        };
        let start = split(&part.text).body.start;
        ActError::Unclosed {
            note: part.entry.path.clone(),
            what: unclosed.what,
            line: unclosed.line + part.text[..start].matches('\n').count(),
        }
    }

    /// Returns the body of a merged note, with its links adapted to the keeper.
    fn body_in_keeper(&self, part: &MergedNote, note: &Note) -> Result<String> {
        let (from, text) = (&part.entry.path, &part.text);
        let mut new = Vec::new();
        for link in note.links.iter().filter(|link| link.property.is_none()) {
            if link.target.is_empty() {
                continue;
            }
            let view = self.draft.view;
            let target = view.resolve(from, &link.target, is_markdown(link))?;
            if target.is_some_and(|target| self.becomes_text(link, part, &target)) {
                new.push((link.span.clone(), link.unlinked()));
            } else if let Some(target) = self.remap.target(link, from, &self.keeper.entry.path)? {
                new.push((link.place(), link.retargeted(text, &target)));
            }
        }
        let body = spliced(text, note.body.clone(), new);
        Ok(body.replace("\r\n", "\n"))
    }

    /// Removes relations of the keeper that would point to itself.
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

    /// Returns the notes that link to removed notes, sorted by path, with the edits that redirect
    /// these links to the keeper.
    fn repointed(&self, others: &[MergedNote]) -> Result<Vec<(Entry, Vec<Edit>)>> {
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

    fn repointing(&self, source: &Entry, text: &str) -> Result<Vec<Edit>> {
        let note = note::read(text, source.path.stem());
        let mut edits = Vec::new();
        for link in &note.links {
            if !self.leads_to_removed(source, link)? {
                continue;
            }
            if let Some(property) = &link.property
                && let Some(edit) = self.without_repeated_target(source, &note, property)?
            {
                edits.push(edit);
            } else if let Some(target) = self.remap.target(link, &source.path, &source.path)? {
                edits.push(repointed(text, link, &target));
            }
        }
        Ok(without_repetitions(edits))
    }

    /// Returns the edit that removes merged notes from a relation that already names the keeper.
    fn without_repeated_target(
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
        Ok(names_keeper.then(|| Edit::set(property, Value::Array(kept))))
    }

    fn leads_to_removed(&self, source: &Entry, link: &Link) -> Result<bool, CacheError> {
        if link.target.is_empty() {
            return Ok(false);
        }
        let view = self.draft.view;
        let target = view.resolve(&source.path, &link.target, is_markdown(link))?;
        Ok(target.is_some_and(|target| self.removed.contains(&target.slot)))
    }

    /// Whether the link of a merged note to `target` would lead from the keeper to its own top.
    fn becomes_text(&self, link: &Link, from: &MergedNote, target: &Entry) -> bool {
        let is_kept = |part: &String| self.parts.iter().any(|all| all.missing(part).is_none());
        let is_tag = from.text[link.span.clone()].starts_with('<');
        let is_own = [from.entry.slot, target.slot] == [self.keeper.entry.slot; 2];
        self.is_merged(target) && !is_tag && !is_own && !link.part.as_ref().is_some_and(is_kept)
    }

    fn is_merged(&self, entry: &Entry) -> bool {
        entry.slot == self.keeper.entry.slot || self.removed.contains(&entry.slot)
    }
}

/// Returns the edits that change the `body` of `text` to `after` line by line, so equal lines stay
/// unchanged.
fn line_edits(text: &str, body: &Range<usize>, after: &str) -> Vec<Edit> {
    let ending = split(text).ending;
    let old: Vec<&str> = text[body.clone()].split_inclusive('\n').collect();
    let new: Vec<&str> = after.split_inclusive('\n').collect();
    let bare = |lines: &[&str]| -> Vec<String> {
        let lines = lines.iter().map(|line| line.trim_end_matches(['\r', '\n']));
        lines.map(str::to_owned).collect()
    };
    let (old_lines, new_lines) = (bare(&old), bare(&new));
    let start = |line: usize| body.start + old[..line].iter().map(|line| line.len()).sum::<usize>();
    let mut edits = Vec::new();
    for op in similar::capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let span = start(op.old_range().start)..start(op.old_range().end);
        let mut text_now = new[op.new_range()].concat().replace('\n', ending);
        let is_open = span.start > body.start && !text[..span.start].ends_with('\n');
        if is_open {
            text_now.insert_str(0, ending);
        }
        edits.push(Edit::replace(text, span, text_now));
    }
    edits
}

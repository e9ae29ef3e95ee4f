//! Merges several notes into one.
//!
//! The keeper receives the properties of the others by the rules of [`properties`]. It receives
//! their blocks that it lacks at the positions chosen by [`insertion`]. Then [`check`] verifies
//! that the result contains all their content. The others go to the trash. All links to them, in
//! bodies and relations, then point to the keeper. Links to a heading or block of any of them lead
//! to the same one in the result ([`parts`]), else the merge is refused. Other links between the
//! notes become plain text and such relations are dropped, so that no note links to its own top.

mod check;
mod insertion;
mod outline;
mod paragraphs;
mod parts;
mod properties;
mod writing;

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::tz::TimeZone;
use serde_json::{Map, Value};
use similar::{Algorithm, DiffTag};

use super::draft::Draft;
use super::error::{ActError, Result};
use crate::cache::{Flags, Slot};
use crate::finding::{Change, OmittedBlocks};
use crate::note;
use crate::note::front_matter::split::{FrontMatterLanguage, split};
use crate::note::markdown::links::in_property_texts;
use crate::note::markdown::loss_check;
use crate::note::{Edit, Link, Note, TitleSource, VaultPath, edit, spliced, whole_wikilink};
use crate::view::Entry;
use crate::view::remap::{
    MAX_ROUNDS_OF_HEADINGS, Remap, RemapError, is_markdown, without_overlaps,
};
use check::NoteContent;
use insertion::{InsertError, insert};
use parts::{MergedParts, NewPart};
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
    let read = |part: &MergedNote| note::read(&part.text, part.entry.path.stem());
    let own = read(&keeper);
    let theirs: Vec<Note> = others.iter().map(read).collect();
    let notes: Vec<(&MergedNote, &Note)> = std::iter::once((&keeper, &own))
        .chain(others.iter().zip(&theirs))
        .collect();
    let sources: Vec<(Slot, &Note, &str)> = notes
        .iter()
        .map(|(part, note)| (part.entry.slot, *note, part.text.as_str()))
        .collect();
    let mut merge = MergeCompiler {
        draft,
        remap: Remap::replacing(draft.view, removed.clone(), &keeper.entry),
        keeper: &keeper,
        removed,
        parts: MergedParts::of(&sources, body.is_some()),
        has_result: false,
    };
    for _ in 0..MAX_ROUNDS_OF_HEADINGS {
        let repointed = merge.repointed(&others)?;
        if !merge.remap.rename_headings(&repointed)? {
            break;
        }
    }
    let (mut edits, mut left_out) = merge.keeper_edits(&own, &others, &theirs, body)?;
    merge.set_result(&own, &theirs, &edits)?;
    // The parts of links depend on the headings of the result.
    if merge.may_change_parts(&notes)? {
        (edits, left_out) = merge.keeper_edits(&own, &others, &theirs, body)?;
        merge.set_result(&own, &theirs, &edits)?;
    }
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
    /// The headings and blocks of the notes and of the result.
    parts: MergedParts,
    /// Whether `parts` contains those of the result.
    has_result: bool,
}

impl MergeCompiler<'_, '_, '_> {
    /// Returns the keeper's edits, empty if it gains nothing, and the omitted blocks.
    fn keeper_edits(
        &self,
        own: &Note,
        others: &[MergedNote],
        theirs: &[Note],
        body: Option<&str>,
    ) -> Result<(Vec<Edit>, Vec<OmittedBlocks>)> {
        let (keeper, text) = (&self.keeper.entry, self.keeper.text.as_str());
        let mut properties = self.properties_in_keeper(self.keeper, own)?;
        for (other, note) in others.iter().zip(theirs) {
            if note.problem.is_some() {
                return Err(ActError::UnreadableMatter(other.entry.path.clone()));
            }
            let title = (note.title_from != TitleSource::Stem).then_some(note.title.as_str());
            let adapted = self.properties_in_keeper(other, note)?;
            properties = properties::merge(&properties, &own.title, &adapted, title);
            if let Some(link) = properties::lost_link(&adapted, &properties) {
                let what = format!(
                    "the link `{link}` in the properties of `{}`",
                    other.entry.path
                );
                let keeper = keeper.path.clone();
                return Err(ActError::ContentLost { keeper, what });
            }
        }
        let front = FrontMatterText::of(text, own);
        if front.language == FrontMatterLanguage::Toml {
            properties.retain(|key, value| !value.is_null() || own.properties.contains_key(key));
        }
        let mut copied = CopiedLines::default();
        for (other, note) in others.iter().zip(theirs) {
            let fronts = [front, FrontMatterText::of(&other.text, note)];
            properties::add_to_merged(&mut properties, quoting_differences(front, fronts[1]));
            let said = [&own.properties, &note.properties, &properties];
            let tied = |key| ActError::NotCopyable {
                note: other.entry.path.clone(),
                key,
            };
            copied.add(fronts, said).map_err(tied)?;
        }
        copied.keep_comments(front, &properties);
        let before = self.body_in_keeper(self.keeper, own)?;
        let (after, left_out) = match body {
            Some(body) => (body.replace("\r\n", "\n"), Vec::new()),
            None => self.body_with_additions(own, &before, others, theirs)?,
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
        self.check(own, others, theirs, &edits, body.is_none())?;
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
        let result = self.applied(edits)?;
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
            let properties = self.properties_in_keeper(part, note)?;
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
            .map(Note::title_heading)
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
            let titles = [own.title_heading(), note.title_heading()];
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
    fn body_in_keeper(&self, source: &MergedNote, note: &Note) -> Result<String> {
        let (from, text) = (&source.entry.path, &source.text);
        let mut new = Vec::new();
        for link in note.links.iter().filter(|link| link.property.is_none()) {
            let (target, part) = self.redirection(link, from)?;
            if target.is_some_and(|target| self.becomes_text(link, source, &target, &part)) {
                new.push((link.span.clone(), link.unlinked()));
            } else if let Some(written) = self.redirected(link, text, from, &part)? {
                new.push((link.place(), written));
            }
        }
        let body = spliced(text, note.body.clone(), new);
        Ok(body.replace("\r\n", "\n"))
    }

    /// Sets the headings and blocks of the result: the keeper after `edits`.
    fn set_result(&mut self, own: &Note, theirs: &[Note], edits: &[Edit]) -> Result<()> {
        let result = self.applied(edits)?;
        let notes = std::iter::once(own).chain(theirs);
        let titles: Vec<&str> = notes.map(Note::title_heading).collect();
        let note = note::read(&result, self.keeper.entry.path.stem());
        self.parts.set_result(&note, &result, &titles);
        self.has_result = true;
        Ok(())
    }

    /// Returns the text of the keeper after `edits`.
    fn applied(&self, edits: &[Edit]) -> Result<String> {
        edit::apply(&self.keeper.text, edits).map_err(|error| ActError::ContentLost {
            keeper: self.keeper.entry.path.clone(),
            what: format!("something ({error})"),
        })
    }

    /// Whether a link between the notes needs another part in the result.
    fn may_change_parts(&self, notes: &[(&MergedNote, &Note)]) -> Result<bool> {
        for (part, note) in notes {
            for link in note.links.iter().filter(|link| link.part.is_some()) {
                let (_, new) = self.redirection(link, &part.entry.path)?;
                if new != NewPart::Same {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Returns the merged note that a link in the note at `from` leads to, and its part in the
    /// result.
    fn redirection(&self, link: &Link, from: &VaultPath) -> Result<(Option<Entry>, NewPart)> {
        let view = self.draft.view;
        let target = if link.target.is_empty() {
            view.at(from)?
        } else {
            view.resolve(from, &link.target, is_markdown(link))?
        };
        let Some(target) = target.filter(|target| self.is_merged(target)) else {
            return Ok((None, NewPart::Same));
        };
        let new_part = if self.has_result {
            self.parts.after(link, target.slot)
        } else {
            Some(NewPart::Same)
        };
        let part = new_part.ok_or_else(|| ActError::UncertainPart {
            note: from.clone(),
            link: link.to_string(),
            keeper: self.keeper.entry.path.clone(),
        })?;
        Ok((Some(target), part))
    }

    /// Returns the replacement of the place of `link` in `text`, a note at `from`; `None` if it stays.
    ///
    /// In a merged note the link moves to the keeper.
    fn redirected(
        &self,
        link: &Link,
        text: &str,
        from: &VaultPath,
        part: &NewPart,
    ) -> Result<Option<String>> {
        let entry = self.draft.view.at(from)?;
        let is_merged = entry.is_some_and(|entry| self.is_merged(&entry));
        let to = if is_merged {
            &self.keeper.entry.path
        } else {
            from
        };
        let part = match part {
            NewPart::Same => return Ok(self.remap.rewritten(text, link, from, to)?),
            NewPart::Top => "",
            NewPart::Other(part) => part,
        };
        let target = self.remap.target(link, from, to)?;
        let new = link.redirected(text, target.as_ref().unwrap_or(&link.target), part);
        let unwritable = || RemapError::unwritable(link, from).into();
        new.map(Some).ok_or_else(unwritable)
    }

    /// Returns the properties of a merged note, with its links adapted to the keeper, and without
    /// relations of the keeper to itself.
    fn properties_in_keeper(&self, part: &MergedNote, note: &Note) -> Result<Map<String, Value>> {
        let mut properties = Map::new();
        for (key, value) in &note.properties {
            let value = self.value_in_keeper(part, value, false)?;
            properties.extend(value.map(|value| (key.clone(), value)));
        }
        Ok(properties)
    }

    /// Returns the value with links adapted to the keeper; `None` if only links to itself are left.
    ///
    /// In a map, which states another relation, those stay links.
    fn value_in_keeper(
        &self,
        part: &MergedNote,
        value: &Value,
        is_in_map: bool,
    ) -> Result<Option<Value>> {
        Ok(Some(match value {
            Value::Array(items) => {
                if let Some(link) = nested_link(items)
                    && self
                        .value_in_keeper(part, &link.into(), is_in_map)?
                        .is_none()
                {
                    return Ok(None);
                }
                let mut kept = Vec::new();
                for item in items {
                    kept.extend(self.value_in_keeper(part, item, is_in_map)?);
                }
                if kept.is_empty() && !items.is_empty() {
                    return Ok(None);
                }
                Value::Array(kept)
            }
            Value::String(text) => {
                let from = &part.entry.path;
                let Some(link) = whole_wikilink(text) else {
                    return Ok(Some(self.text_in_keeper(from, text)?.into()));
                };
                let (target, new) = self.redirection(&link, from)?;
                let is_part = new != NewPart::Top && self.parts.contain(&link);
                if target.is_some() && !is_part && !is_in_map {
                    return Ok(None);
                }
                let new = self.redirected(&link, text.trim(), from, &new)?;
                new.map_or_else(|| value.clone(), Value::from)
            }
            Value::Object(entries) => {
                let mut adapted = entries.clone();
                for value in adapted.values_mut() {
                    if let Some(new) = self.value_in_keeper(part, value, true)? {
                        *value = new;
                    }
                }
                Value::Object(adapted)
            }
            value => value.clone(),
        }))
    }

    /// Returns the text of a property of the note at `from`, with its links adapted to the keeper.
    fn text_in_keeper(&self, from: &VaultPath, text: &str) -> Result<String> {
        let mut new = Vec::new();
        for mut link in in_property_texts(text, 0..text.len(), &[]) {
            link.property = None;
            let (target, part) = self.redirection(&link, from)?;
            let is_part = part != NewPart::Top && self.parts.contain(&link);
            if target.is_some() && !is_part {
                new.push((link.span.clone(), link.unlinked()));
            } else if let Some(written) = self.redirected(&link, text, from, &part)? {
                new.push((link.span.clone(), written));
            }
        }
        Ok(spliced(text, 0..text.len(), new))
    }

    /// Returns the notes that link to merged notes, sorted by path, with the edits that keep these
    /// links.
    fn repointed(&self, others: &[MergedNote]) -> Result<Vec<(Entry, Vec<Edit>)>> {
        let mut sources: BTreeMap<VaultPath, Entry> = BTreeMap::new();
        let captures = self.parts.may_capture_links();
        let keeper = Some(self.keeper).filter(|_| captures).into_iter();
        for part in others.iter().chain(keeper) {
            for source in self.draft.view.affected_by(&part.entry)? {
                if !self.is_merged(&source) {
                    sources.insert(source.path.clone(), source);
                }
            }
        }
        for source in self.remap.linking_to_headings()? {
            if !self.is_merged(&source) {
                sources.insert(source.path.clone(), source);
            }
        }
        let mut repointed = Vec::new();
        for source in sources.into_values() {
            let text = self.draft.view.text(&source)?;
            let edits = self.repointing(&source, &text)?;
            if edits.is_empty() {
                continue;
            }
            if source.row.flags.has(Flags::UNREADABLE) {
                return Err(ActError::Unreadable {
                    gone: others[0].entry.path.clone(),
                    linking: source.path,
                });
            }
            repointed.push((source, edits));
        }
        Ok(repointed)
    }

    fn repointing(&self, source: &Entry, text: &str) -> Result<Vec<Edit>> {
        let note = note::read(text, source.path.stem());
        let mut edits = Vec::new();
        for link in note.maintained_links() {
            let (target, part) = self.redirection(link, &source.path)?;
            let is_removed = target.is_some_and(|target| self.removed.contains(&target.slot));
            if let Some(property) = link.property.as_ref().filter(|_| is_removed)
                && let Some(edit) = self.without_repeated_target(source, &note, property)?
            {
                edits.push(edit);
            } else if let Some(written) = self.redirected(link, text, &source.path, &part)? {
                edits.push(Edit::replace(text, link.place(), written));
            }
        }
        Ok(without_overlaps(edits))
    }

    /// Returns the edit that removes merged notes from a relation that already names the keeper.
    fn without_repeated_target(
        &self,
        source: &Entry,
        note: &Note,
        property: &str,
    ) -> Result<Option<Edit>> {
        let Some(Value::Array(items)) = note.properties.get(property) else {
            return Ok(None);
        };
        let mut names_keeper = false;
        let mut kept = Vec::new();
        for item in items {
            let text = item.as_str().unwrap_or_default().trim();
            let Some(link) = whole_wikilink(text).filter(|link| !link.target.is_empty()) else {
                kept.push(item.clone());
                continue;
            };
            let (target, part) = self.redirection(&link, &source.path)?;
            let slot = target.map(|target| target.slot);
            let is_whole = link.part.is_none() || part == NewPart::Top;
            names_keeper |= slot == Some(self.keeper.entry.slot) && is_whole;
            if slot.is_some_and(|slot| self.removed.contains(&slot) && is_whole) {
                continue;
            }
            let new = self.redirected(&link, text, &source.path, &part)?;
            kept.push(new.map_or_else(|| item.clone(), Value::from));
        }
        let is_shorter = kept.len() < items.len();
        Ok((names_keeper && is_shorter).then(|| Edit::set(property, Value::Array(kept))))
    }

    /// Whether the link of a merged note to `target` would lead from the keeper to its own top.
    fn becomes_text(&self, link: &Link, from: &MergedNote, target: &Entry, part: &NewPart) -> bool {
        let is_tag = from.text[link.span.clone()].starts_with('<');
        let is_own = [from.entry.slot, target.slot] == [self.keeper.entry.slot; 2];
        let is_part = *part != NewPart::Top && self.parts.contain(link);
        // A broken link of a note to itself stays.
        let is_broken = link.target.is_empty() && *part != NewPart::Top;
        !is_tag && !is_own && !is_part && !is_broken
    }

    fn is_merged(&self, entry: &Entry) -> bool {
        entry.slot == self.keeper.entry.slot || self.removed.contains(&entry.slot)
    }
}

/// Returns the wikilink of `[[target]]` without quotes, which is a list in a list.
fn nested_link(items: &[Value]) -> Option<String> {
    match items {
        [Value::Array(inner)] => match &inner[..] {
            [Value::String(target)] => Some(format!("[[{target}]]")),
            _ => None,
        },
        _ => None,
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

#[cfg(test)]
mod tests;

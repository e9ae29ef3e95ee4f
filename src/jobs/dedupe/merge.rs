//! The changes that make one note of several: one group, all of it or nothing.
//!
//! The keeper gains what the others knew: their properties by the rules of
//! [`properties`](super::properties), and below a heading every line of theirs that it lacks. The
//! others go to the trash. Every link to them, in bodies and in relations, leads to the keeper
//! afterwards; a link of the keeper to one of them becomes plain text, a relation is dropped, so that
//! nothing links to itself.

use std::collections::BTreeMap;
use std::ops::Range;

use jiff::tz::TimeZone;
use serde_json::Value;

use super::properties;
use crate::cache::CacheError;
use crate::cache::row::{Flags, Slot};
use crate::finding::Finding;
use crate::finding::plan::{Change, Group};
use crate::jobs::GroupError;
use crate::note::edit::Edit;
use crate::note::path::VaultPath;
use crate::note::{self, Link, Note, TitleSource};
use crate::view::repoint::{Shift, is_markdown, replace};
use crate::view::{Entry, View};

/// A note that takes part in a merge, with its text.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) entry: Entry,
    pub(super) text: String,
}

/// Returns the group that carries out `finding`.
pub(super) fn group(view: &View<'_>, finding: &Finding) -> Result<Group, GroupError> {
    let mut parts = Vec::new();
    for path in &finding.notes {
        let entry = view
            .at(path)?
            .ok_or_else(|| GroupError::Gone(path.clone()))?;
        let text = view.text(&entry)?;
        parts.push(Part { entry, text });
    }
    let [keeper, losers @ ..] = parts.as_slice() else {
        return Ok(Group::default());
    };
    let gone: Vec<Slot> = losers.iter().map(|loser| loser.entry.slot).collect();
    let merge = Merge {
        view,
        keeper,
        shift: Shift::replacing(view, gone.clone(), &keeper.entry),
        gone,
    };
    let mut changes = merge.keeper_change(losers)?;
    for loser in losers {
        changes.push(Change::Trash {
            path: loser.entry.path.clone(),
            base: loser.entry.row.content,
            reason: format!("merged into {}", keeper.entry.path),
        });
    }
    let mut sources: BTreeMap<Slot, Entry> = BTreeMap::new();
    for loser in losers {
        for source in view.linking_to(&loser.entry)? {
            if source.slot != keeper.entry.slot && !merge.gone.contains(&source.slot) {
                sources.insert(source.slot, source);
            }
        }
    }
    let mut sources: Vec<Entry> = sources.into_values().collect();
    sources.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    for source in sources {
        let text = view.text(&source)?;
        if source.row.flags.has(Flags::UNREADABLE) {
            let gone = losers[0].entry.path.clone();
            return Err(GroupError::Unreadable {
                gone,
                linking: source.path,
            });
        }
        let edits = merge.repointed(&source, &text)?;
        if !edits.is_empty() {
            changes.push(Change::Edit {
                path: source.path,
                base: source.row.content,
                edits,
            });
        }
    }
    Ok(Group {
        title: finding.title(),
        reason: finding.reason.clone(),
        question: Some(finding.key),
        changes,
        edges: Vec::new(),
    })
}

/// Returns `group` with `body` as what the note at `keeper` says afterwards, whatever it gained.
pub(super) fn with_body(
    view: &View<'_>,
    mut group: Group,
    keeper: &VaultPath,
    body: &str,
) -> Result<Group, GroupError> {
    let entry = view
        .at(keeper)?
        .ok_or_else(|| GroupError::Gone(keeper.clone()))?;
    let text = view.text(&entry)?;
    let span = note::read(&text, keeper.stem()).body;
    let own = group
        .changes
        .iter()
        .position(|change| matches!(change, Change::Edit { path, .. } if path == keeper));
    let mut edits = match own.map(|at| group.changes.remove(at)) {
        Some(Change::Edit { edits, .. }) => edits,
        _ => Vec::new(),
    };
    edits
        .retain(|edit| !matches!(edit, Edit::Replace { span: own, .. } if own.start >= span.start));
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    edits.push(Edit::Replace {
        was: text[span.clone()].to_owned(),
        span,
        text: body.replace("\r\n", "\n").replace('\n', newline),
    });
    let change = Change::Edit {
        path: entry.path,
        base: entry.row.content,
        edits,
    };
    group.changes.insert(0, change);
    Ok(group)
}

struct Merge<'a, 'v> {
    view: &'a View<'v>,
    keeper: &'a Part,
    /// The notes that go.
    gone: Vec<Slot>,
    /// The vault without them.
    shift: Shift<'a, 'v>,
}

impl Merge<'_, '_> {
    /// The edit of the keeper; empty if it gains nothing.
    fn keeper_change(&self, losers: &[Part]) -> Result<Vec<Change>, GroupError> {
        let keeper = &self.keeper.entry;
        let text = &self.keeper.text;
        let own = note::read(text, keeper.path.stem());
        let mut properties = own.properties.clone();
        let mut appended = String::new();
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        // What the keeper says after each loser, so that the next one adds nothing twice.
        let mut said = self.moved_body(keeper, text, &own)?;
        for loser in losers {
            let theirs = note::read(&loser.text, loser.entry.path.stem());
            let title = (theirs.title_from != TitleSource::Stem).then_some(theirs.title.as_str());
            let merged = properties::merge(&properties, &own.title, &theirs.properties, title);
            properties = merged.properties;
            let body = self.moved_body(&loser.entry, &loser.text, &theirs)?;
            let missing = missing_lines(&said, &body);
            if missing.is_empty() && merged.differing.is_empty() {
                continue;
            }
            let mut section = format!("## Merged from {}\n\n", loser.entry.path);
            for differing in &merged.differing {
                section.push_str("- ");
                section.push_str(differing);
                section.push('\n');
            }
            if !merged.differing.is_empty() && !missing.is_empty() {
                section.push('\n');
            }
            section.push_str(&missing);
            if !section.ends_with('\n') {
                section.push('\n');
            }
            said.push_str(&section);
            appended.push('\n');
            appended.push_str(&section);
        }
        self.drop_own_relations(&mut properties)?;
        if !appended.is_empty() && (keeper.is_managed() || properties.contains_key("updated")) {
            let now = self
                .view
                .now
                .with_time_zone(TimeZone::UTC)
                .strftime("%Y-%m-%dT%H:%M:%SZ");
            properties.insert("updated".to_owned(), Value::from(now.to_string()));
        }
        let mut edits = properties::edits(&own.properties, &properties);
        for link in own.links.iter().filter(|link| link.property.is_none()) {
            if self.leads_to_gone(keeper, link)? {
                edits.push(replace(text, link, link.unlinked()));
            }
        }
        if !appended.is_empty() {
            if !text.is_empty() && !text.ends_with('\n') {
                appended.insert(0, '\n');
            }
            edits.push(Edit::Replace {
                span: text.len()..text.len(),
                was: String::new(),
                text: appended.replace('\n', newline),
            });
        }
        Ok(if edits.is_empty() {
            Vec::new()
        } else {
            vec![Change::Edit {
                path: keeper.path.clone(),
                base: keeper.row.content,
                edits,
            }]
        })
    }

    /// The body of a note that goes, with its links as they must read in the keeper.
    fn moved_body(&self, loser: &Entry, text: &str, note: &Note) -> Result<String, GroupError> {
        let mut body = String::new();
        let mut at = note.body.start;
        for link in note.links.iter().filter(|link| link.property.is_none()) {
            let Range { start, end } = link.span;
            if start < at || link.target.is_empty() {
                continue;
            }
            let target = self
                .view
                .resolve(&loser.path, &link.target, is_markdown(link))?;
            let replacement = if target.is_some_and(|target| self.is_merged(&target)) {
                link.unlinked()
            } else {
                match self
                    .shift
                    .target(link, &loser.path, &self.keeper.entry.path)?
                {
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
    fn drop_own_relations(
        &self,
        properties: &mut serde_json::Map<String, Value>,
    ) -> Result<(), CacheError> {
        for (key, value) in properties.clone() {
            let mut kept = Vec::new();
            let items = match &value {
                Value::Array(items) => items.clone(),
                Value::String(_) => vec![value.clone()],
                _ => continue,
            };
            for item in &items {
                let target = item.as_str().and_then(whole_wikilink);
                let to_itself = match target {
                    Some(target) => self
                        .view
                        .resolve(&self.keeper.entry.path, target, false)?
                        .is_some_and(|target| self.is_merged(&target)),
                    None => false,
                };
                if !to_itself {
                    kept.push(item.clone());
                }
            }
            if kept.is_empty() && !items.is_empty() {
                properties.remove(&key);
            } else if kept.len() < items.len() {
                properties.insert(key, Value::Array(kept));
            }
        }
        Ok(())
    }

    /// Edits of another note that turn its links to the notes that go into links to the keeper.
    fn repointed(&self, source: &Entry, text: &str) -> Result<Vec<Edit>, GroupError> {
        let note = note::read(text, source.path.stem());
        let mut edits = Vec::new();
        for link in &note.links {
            if !self.leads_to_gone(source, link)? {
                continue;
            }
            if let Some(property) = &link.property
                && let Some(edit) = self.without_repeat(source, &note, property)?
            {
                if !edits.contains(&edit) {
                    edits.push(edit);
                }
            } else if let Some(target) = self.shift.target(link, &source.path, &source.path)? {
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
            let target = match item.as_str().and_then(whole_wikilink) {
                Some(target) => self.view.resolve(&source.path, target, false)?,
                None => None,
            };
            let slot = target.map(|target| target.slot);
            names_keeper |= slot == Some(self.keeper.entry.slot);
            if !slot.is_some_and(|slot| self.gone.contains(&slot)) {
                kept.push(item.clone());
            }
        }
        Ok(names_keeper.then(|| Edit::Set {
            key: property.into(),
            value: Value::Array(kept),
        }))
    }

    fn leads_to_gone(&self, source: &Entry, link: &Link) -> Result<bool, CacheError> {
        if link.target.is_empty() {
            return Ok(false);
        }
        let target = self
            .view
            .resolve(&source.path, &link.target, is_markdown(link))?;
        Ok(target.is_some_and(|target| self.gone.contains(&target.slot)))
    }

    fn is_merged(&self, entry: &Entry) -> bool {
        entry.slot == self.keeper.entry.slot || self.gone.contains(&entry.slot)
    }
}

/// The target of a value that is one wikilink and nothing else.
fn whole_wikilink(value: &str) -> Option<&str> {
    let inner = value.trim().strip_prefix("[[")?.strip_suffix("]]")?;
    let target = inner.split(['|', '#']).next()?;
    (!target.is_empty() && !inner.contains("[[")).then_some(target)
}

/// Returns the lines of `theirs` that `ours` does not say, in their order; a fenced block or a table
/// of which a line is missing is taken whole, because its lines mean nothing alone.
fn missing_lines(ours: &str, theirs: &str) -> String {
    // Spaces at both ends, so that only whole words are found: `tea` is not said by `steam`.
    let ours = format!(" {} ", collapsed(ours));
    let is_missing = |line: &str| {
        let line = collapsed(line);
        !line.is_empty() && !ours.contains(&format!(" {line} "))
    };
    let mut missing = String::new();
    let mut gap = false;
    for block in blocks(theirs) {
        let whole = is_unit(block);
        if whole && !block.lines().any(is_missing) {
            continue;
        }
        for line in block.lines() {
            if line.trim().is_empty() && !whole {
                gap = true;
            } else if whole || is_missing(line) {
                if gap && !missing.is_empty() {
                    missing.push('\n');
                }
                gap = false;
                missing.push_str(line);
                missing.push('\n');
            }
        }
    }
    missing
}

/// Splits a text into fenced blocks, tables and the rest.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut fence: Option<&str> = None;
    let mut table = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| trimmed.starts_with(marker));
        let in_table = fence.is_none() && trimmed.starts_with('|');
        match (fence, marker) {
            (None, Some(opened)) => {
                blocks.push(&text[start..at]);
                start = at;
                fence = Some(opened);
            }
            (Some(open), Some(closed)) if open == closed => {
                blocks.push(&text[start..at + line.len()]);
                start = at + line.len();
                fence = None;
            }
            _ if fence.is_none() && in_table != table => {
                blocks.push(&text[start..at]);
                start = at;
            }
            _ => {}
        }
        table = in_table;
        at += line.len();
    }
    blocks.push(&text[start..]);
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn is_unit(block: &str) -> bool {
    let block = block.trim_start();
    block.starts_with("```") || block.starts_with("~~~") || block.starts_with('|')
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_said_is_missing() {
        for (name, ours, theirs, expected) in [
            ("nothing", "a b\nc\n", "a  b\nc", ""),
            ("a part of a word", "steam\n", "tea\n", "tea\n"),
            ("a line", "one\nthree\n", "one\ntwo\nthree\n", "two\n"),
            (
                "wrapped otherwise",
                "a long line here",
                "a long\nline here",
                "",
            ),
            (
                "paragraphs apart",
                "x\n",
                "one\n\nx\n\ntwo\n",
                "one\n\ntwo\n",
            ),
            (
                "fence whole",
                "```\na\n```\n",
                "```\na\nb\n```\n",
                "```\na\nb\n```\n",
            ),
            ("fence known", "```\na\n```\n", "x\n```\na\n```\n", "x\n"),
            (
                "table whole",
                "| a |\n|---|\n| 1 |\n",
                "| a |\n|---|\n| 2 |\n",
                "| a |\n|---|\n| 2 |\n",
            ),
        ] {
            assert_eq!(missing_lines(ours, theirs), expected, "{name}");
        }
    }

    #[test]
    fn whole_wikilinks() {
        for (value, expected) in [
            ("[[Tea]]", Some("Tea")),
            (" [[a/Tea#Green|x]] ", Some("a/Tea")),
            ("see [[Tea]]", None),
            ("[[Tea]] and [[Mate]]", None),
            ("[[#here]]", None),
        ] {
            assert_eq!(whole_wikilink(value), expected, "{value}");
        }
    }
}

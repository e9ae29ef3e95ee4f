//! Adds a relation between two notes, as a property of the note that states it.
//!
//! A `related_to` added by `link` or `remember` is provisional: a group that states a more specific
//! relation removes it. One that a person wrote stays.
//!
//! If the later note supersedes the earlier one, the same group ends the validity of the earlier
//! note. Its text stays unchanged, and searches exclude it.

use serde_json::Value;

use super::draft::Draft;
use super::error::{ActError, Result};
use crate::cache::{CacheError, Flags};
use crate::finding::RelationEdge;
use crate::journal::RelationOrigin;
use crate::note::front_matter::property::property;
use crate::note::{self, Edit, Note, Relation, VaultPath};
use crate::signals::property_merge::is_wikilink;
use crate::view::{Entry, View};

/// Adds the changes that state `edge` and, if it is superseded, end the validity of its target.
pub(super) fn compile(
    draft: &mut Draft<'_, '_>,
    edge: &RelationEdge,
    supersedes: bool,
) -> Result<()> {
    let (from, to) = (draft.entry(&edge.from)?, draft.entry(&edge.to)?);
    let text = draft.view.text(&from)?;
    let note = note::read(&text, from.path.stem());
    let link = Value::from(format!("[[{}]]", draft.view.wikilink_target(&to)?));
    let mut stated = vec![relation_edit(&from.path, &note, edge.relation, link)?];
    let mut other = Vec::new();
    if edge.relation != Relation::RelatedTo {
        stated.extend(without_provisional(draft, (&from, &note), &to)?);
        other = provisional_removal(draft, &to, &from)?;
    }
    if supersedes {
        other.extend(expiry_edit(draft.view, &to, &from));
    }
    draft.edit(&from.path, from.row.content, stated);
    if !other.is_empty() {
        draft.edit(&to.path, to.row.content, other);
    }
    draft.edges.push(edge.clone());
    Ok(())
}

/// Returns the edit that ends the validity of `older` at the beginning of `newer`.
///
/// Returns `None` if it ends before, if its front matter cannot be read or if it has `keep`.
fn expiry_edit(view: &View<'_>, older: &Entry, newer: &Entry) -> Option<Edit> {
    let flags = older.row.flags;
    if flags.has(Flags::KEEP) || flags.has(Flags::UNREADABLE) {
        return None;
    }
    let begins = newer.row.stated().unwrap_or_else(|| view.now.timestamp());
    (older.row.expires > begins.as_second()).then(|| {
        Edit::set(
            "valid_until",
            begins.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        )
    })
}

/// Returns the edits that remove a provisional relation of `from` to `to`.
fn provisional_removal(draft: &Draft<'_, '_>, from: &Entry, to: &Entry) -> Result<Vec<Edit>> {
    if !is_provisional(draft.view, from, to)? {
        return Ok(Vec::new());
    }
    let text = draft.view.text(from)?;
    let note = note::read(&text, from.path.stem());
    without_provisional(draft, (from, &note), to)
}

/// Returns the edits that remove a provisional relation of the note to `to`.
fn without_provisional(
    draft: &Draft<'_, '_>,
    (from, note): (&Entry, &Note),
    to: &Entry,
) -> Result<Vec<Edit>> {
    // A note with unreadable front matter is never written.
    if note.problem.is_some() || !is_provisional(draft.view, from, to)? {
        return Ok(Vec::new());
    }
    let key = Relation::RelatedTo.name();
    let leads_there = |value: &Value| -> Result<bool, CacheError> {
        let target = draft.linked(&from.path, value)?;
        Ok(target.is_some_and(|target| target.slot == to.slot))
    };
    let mut edits = Vec::new();
    match property(&note.properties, key) {
        Some(Value::Array(items)) => {
            for value in items {
                if leads_there(value)? {
                    let (key, value) = (key.into(), value.clone());
                    edits.push(Edit::Remove { key, value });
                }
            }
        }
        Some(one) if leads_there(one)? => edits.push(Edit::Unset { key: key.into() }),
        _ => {}
    }
    Ok(edits)
}

fn is_provisional(view: &View<'_>, from: &Entry, to: &Entry) -> Result<bool, CacheError> {
    let origin = view.origin_of(from, Relation::RelatedTo, to)?;
    Ok(origin.is_some_and(RelationOrigin::is_provisional))
}

/// Returns the edit that adds `link` to the values of `relation` in the note.
fn relation_edit(path: &VaultPath, note: &Note, relation: Relation, link: Value) -> Result<Edit> {
    let key = relation.name();
    let is_free = match property(&note.properties, key) {
        None | Some(Value::Null) => true,
        Some(Value::Array(items)) => items.iter().all(is_wikilink),
        Some(one) => is_wikilink(one),
    };
    // Appended, so that several groups of one run can each add a link.
    if is_free {
        Ok(Edit::append(key, link))
    } else {
        Err(ActError::NotARelation {
            note: path.clone(),
            relation,
        })
    }
}

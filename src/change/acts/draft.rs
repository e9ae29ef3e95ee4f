//! A group while its acts are compiled one after the other.

use serde_json::Value;

use super::error::{ActError, Result};
use crate::cache::CacheError;
use crate::finding::{Act, Change, Group, OmittedBlocks, RelationEdge, act};
use crate::note::{ContentHash, Edit, VaultPath, whole_wikilink};
use crate::view::{Entry, View};

/// The version of a note that an act refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextVersion {
    /// The indexed version; a note that changed since is an error.
    Indexed,
    /// The current content of the file.
    Current,
}

/// The changes compiled so far, at most one per note.
pub(super) struct Draft<'a, 'v> {
    pub(super) view: &'a View<'v>,
    basis: TextVersion,
    changes: Vec<Change>,
    pub(super) edges: Vec<RelationEdge>,
    pub(super) left_out: Vec<OmittedBlocks>,
    /// Notes in which an act replaces text that it specifies.
    pub(super) rewritten: Vec<VaultPath>,
}

impl<'a, 'v> Draft<'a, 'v> {
    pub(super) fn new(view: &'a View<'v>, basis: TextVersion) -> Self {
        Self {
            view,
            basis,
            changes: Vec::new(),
            edges: Vec::new(),
            left_out: Vec::new(),
            rewritten: Vec::new(),
        }
    }

    pub(super) fn group(self, acts: &[Act], reason: &str) -> Group {
        Group {
            title: act::title(acts),
            reason: reason.to_owned(),
            question: None,
            changes: self.changes,
            edges: self.edges,
            left_out: self.left_out,
            rewritten: self.rewritten,
        }
    }

    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Adds edits to those of a note whose text has the hash `base`.
    pub(super) fn edit(&mut self, note: &VaultPath, base: ContentHash, made: Vec<Edit>) {
        let mut changes = self.changes.iter_mut();
        match changes.find(|change| change.path() == note) {
            Some(Change::Edit { edits, .. } | Change::Move { edits, .. }) => edits.extend(made),
            _ => self.push(Change::Edit {
                path: note.clone(),
                base,
                edits: made,
            }),
        }
    }

    /// Returns the note at `path`.
    pub(super) fn entry(&self, path: &VaultPath) -> Result<Entry> {
        let entry = self.view.at(path)?;
        entry.ok_or_else(|| ActError::Missing(path.clone()))
    }

    /// Returns the text of a note in the version the act refers to, and its hash.
    pub(super) fn read(&self, path: &VaultPath) -> Result<(String, ContentHash)> {
        if self.basis == TextVersion::Current {
            let file = self.view.file(path)?;
            return Ok((file.text, file.hash));
        }
        let entry = self.entry(path)?;
        Ok((self.view.text(&entry)?, entry.row.content))
    }

    /// Returns the note that a property's value links to, if the value is a single wikilink.
    pub(super) fn linked(
        &self,
        from: &VaultPath,
        value: &Value,
    ) -> Result<Option<Entry>, CacheError> {
        let link = value.as_str().and_then(whole_wikilink);
        match link.filter(|link| !link.target.is_empty()) {
            Some(link) => self.view.resolve(from, &link.target, false),
            None => Ok(None),
        }
    }
}

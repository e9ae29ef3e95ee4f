//! A catalog entry: slot, path and row of a note.

use crate::cache::{Flags, Row, Slot};
use crate::journal::provenance::RelationEnd;
use crate::note::VaultPath;
use crate::note::words::hash;

/// A note in the catalog, without its details.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Number of the note in this cache.
    pub slot: Slot,
    /// Path in the vault.
    pub path: VaultPath,
    /// Fixed-size catalog record.
    pub row: Row,
}

impl Entry {
    /// Returns the content key of the note with this title; see [`super::View::content_key`].
    pub fn content_key_with(&self, title: &str) -> u64 {
        hash::normal_hash(title).rotate_left(1) ^ self.row.body
    }

    /// Whether mem or an agent wrote the note and no person edited it since.
    pub fn is_managed(&self) -> bool {
        self.row.flags.has(Flags::MANAGED)
    }

    /// Returns the key under which the journal stores this note.
    pub fn end(&self) -> RelationEnd<'_> {
        RelationEnd {
            path: &self.path,
            body: self.row.body,
        }
    }
}

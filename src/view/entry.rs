//! A catalog entry: slot, path and row of a note.

use crate::cache::{Flags, Row, Slot};
use crate::journal::provenance::RelationEnd;
use crate::note::VaultPath;

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

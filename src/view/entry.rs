//! A note as views list it.

use crate::cache::row::{Flags, Row, Slot};
use crate::journal::provenance::End;
use crate::note::path::VaultPath;

/// A note as the catalog knows it, without its details.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its number in this cache.
    pub slot: Slot,
    /// Where it lies.
    pub path: VaultPath,
    /// What is known of it.
    pub row: Row,
}

impl Entry {
    /// Returns true if mem or an agent wrote it and no person edited it since.
    pub fn is_managed(&self) -> bool {
        self.row.flags.has(Flags::MANAGED)
    }

    /// Returns what the journal knows it by.
    pub fn end(&self) -> End<'_> {
        End {
            path: &self.path,
            body: self.row.body,
        }
    }
}

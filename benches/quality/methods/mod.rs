//! Ways to answer a question with paths, one per file.

mod bm25;
mod search;

use std::path::Path;

use crate::sets::{Question, Set};
use crate::support::Outcome;
use crate::support::process::Mem;

/// Prepares a method for the vaults of a set; the last argument is a scratch folder.
type Make = fn(&Set, &Mem, &Path) -> Outcome<Box<dyn Method>>;

/// All methods, in the order of the table.
pub(crate) const ALL: &[Make] = &[bm25::prepare, search::prepare];

/// Something that finds notes.
pub(crate) trait Method {
    /// Returns its name in the table.
    fn name(&self) -> &'static str;

    /// Returns up to `limit` paths in the question's vault, best first.
    fn answer(&mut self, question: &Question, limit: usize) -> Outcome<Vec<String>>;
}

//! Search methods, one per file.

mod bm25;
mod mem;
pub(crate) mod teacher;

use std::path::Path;

use crate::sets::{Question, Set};
use crate::support::Outcome;

/// A search method.
pub(crate) trait Method: Sync {
    /// Returns its name in the table.
    fn name(&self) -> &'static str;

    /// Returns up to `limit` paths in the question's vault, best first.
    fn answer(&self, question: &Question, limit: usize) -> Outcome<Vec<String>>;
}

/// Prepares all methods for the vaults of a set, in table order.
///
/// A method that fails is reported on stderr and skipped.
pub(crate) fn all(set: &Set, scratch: &Path, teacher: Option<&Path>) -> Vec<Box<dyn Method>> {
    let taught = teacher.map(|folder| teacher::prepare(set, folder));
    let prepared = [
        Some(bm25::prepare(set)),
        Some(mem::prepare(set, scratch)),
        taught,
    ];
    let mut methods = Vec::new();
    for outcome in prepared.into_iter().flatten() {
        match outcome {
            Ok(prepared) => methods.extend(prepared),
            Err(error) => eprintln!("{}: left out a method: {error}", set.name),
        }
    }
    methods
}

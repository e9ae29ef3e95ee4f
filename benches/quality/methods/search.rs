//! `mem search`, one process per question.

use std::path::{Path, PathBuf};

use super::Method;
use crate::sets::{Question, Set};
use crate::support::Outcome;
use crate::support::process::{self, Mem};

/// Copies of a set's vaults, indexed once.
struct Search {
    mem: Mem,
    vaults: Vec<PathBuf>,
}

/// Copies every vault of the set and indexes the copies.
pub(super) fn prepare(set: &Set, mem: &Mem, scratch: &Path) -> Outcome<Box<dyn Method>> {
    let mut vaults = Vec::new();
    for (at, vault) in set.vaults.iter().enumerate() {
        let copy = scratch
            .join("vaults")
            .join(set.name.replace([' ', ','], ""))
            .join(at.to_string());
        process::copy_folder(vault, &copy)?;
        mem.init_and_index(&copy)?;
        vaults.push(copy);
    }
    Ok(Box::new(Search {
        mem: mem.clone(),
        vaults,
    }))
}

impl Method for Search {
    fn name(&self) -> &'static str {
        "search"
    }

    fn answer(&mut self, question: &Question, limit: usize) -> Outcome<Vec<String>> {
        let (hits, _) = self
            .mem
            .search(&self.vaults[question.vault], &question.text, limit)?;
        Ok(hits)
    }
}

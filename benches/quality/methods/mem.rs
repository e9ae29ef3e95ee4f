//! `mem search` in its three modes and `mem recall`, one process per question.

use std::path::{Path, PathBuf};

use super::Method;
use crate::sets::{Question, Set};
use crate::support::Outcome;
use crate::support::process::{self, Mem};

/// Name in the table and command line of each.
const COMMANDS: [(&str, &[&str]); 4] = [
    ("lexical", &["search", "--mode", "lexical"]),
    ("semantic", &["search", "--mode", "semantic"]),
    ("hybrid", &["search", "--mode", "hybrid"]),
    ("recall", &["recall", "--budget", "1000000"]),
];

/// A command over copies of a set's vaults.
struct Command {
    name: &'static str,
    arguments: &'static [&'static str],
    mem: Mem,
    vaults: Vec<PathBuf>,
}

/// Copies every vault of the set, indexes the copies once and asks them in every way.
pub(super) fn prepare(set: &Set, mem: &Mem, scratch: &Path) -> Outcome<Vec<Box<dyn Method>>> {
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
    let command = |(name, arguments)| -> Box<dyn Method> {
        Box::new(Command {
            name,
            arguments,
            mem: mem.clone(),
            vaults: vaults.clone(),
        })
    };
    Ok(COMMANDS.into_iter().map(command).collect())
}

impl Method for Command {
    fn name(&self) -> &'static str {
        self.name
    }

    fn answer(&self, question: &Question, limit: usize) -> Outcome<Vec<String>> {
        let vault = &self.vaults[question.vault];
        let (hits, _) = self.mem.ask(vault, self.arguments, &question.text, limit)?;
        Ok(hits)
    }
}

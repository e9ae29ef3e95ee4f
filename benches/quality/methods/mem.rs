//! `mem search` in its three modes and `mem recall`, inside this process.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use mem::recall::SearchOptions;
use mem::recall::mode::Mode;
use mem::session::Session;

use super::Method;
use crate::sets::{Question, Set};
use crate::support::vault::{self, Homes};
use crate::support::{Outcome, process};

/// Name in the table, mode, and whether irrelevant hits are cut.
const METHODS: [(&str, Mode, bool); 4] = [
    ("lexical", Mode::Lexical, false),
    ("semantic", Mode::Semantic, false),
    ("hybrid", Mode::Hybrid, false),
    ("recall", Mode::Hybrid, true),
];

/// A search method over copies of a set's vaults.
struct Search {
    name: &'static str,
    mode: Mode,
    only_relevant: bool,
    homes: Homes,
    vaults: Vec<PathBuf>,
}

thread_local! {
    /// A session writes to streams that belong to one thread.
    static OPEN: RefCell<HashMap<PathBuf, Rc<Session>>> = RefCell::default();
}

/// Copies every vault of the set, indexes the copies once, and returns all methods over them.
pub(super) fn prepare(set: &Set, scratch: &Path) -> Outcome<Vec<Box<dyn Method>>> {
    let homes = Homes::below(scratch);
    let mut vaults = Vec::new();
    for (at, vault) in set.vaults.iter().enumerate() {
        let copy = scratch
            .join("vaults")
            .join(set.name.replace([' ', ','], ""))
            .join(at.to_string());
        process::copy_folder(vault, &copy)?;
        vault::indexed(&homes, &copy)?;
        vaults.push(copy);
    }
    let search = |(name, mode, only_relevant)| -> Box<dyn Method> {
        Box::new(Search {
            name,
            mode,
            only_relevant,
            homes: homes.clone(),
            vaults: vaults.clone(),
        })
    };
    Ok(METHODS.into_iter().map(search).collect())
}

impl Method for Search {
    fn name(&self) -> &'static str {
        self.name
    }

    fn answer(&self, question: &Question, limit: usize) -> Outcome<Vec<String>> {
        let vault = &self.vaults[question.vault];
        let session = OPEN.with_borrow_mut(|open| -> Outcome<Rc<Session>> {
            if !open.contains_key(vault) {
                open.insert(vault.clone(), Rc::new(vault::opened(&self.homes, vault)?));
            }
            Ok(Rc::clone(&open[vault]))
        })?;
        let options = SearchOptions {
            mode: self.mode,
            limit,
            snippet_width: 0,
            only_relevant: self.only_relevant,
            ..SearchOptions::default()
        };
        let answer = session.search(&question.text, &options);
        let answer = answer.map_err(|error| error.message())?;
        let hits = answer.results.hits.iter();
        Ok(hits.map(|hit| hit.entry.path.to_string()).collect())
    }
}

//! Labelled questions, one corpus per file.

mod anchors;
pub(crate) mod conversations;
mod links;
pub(crate) mod memorybench;
mod no_stem;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{AtPath, Outcome};

/// Reads a set from the folder of corpora; `None` if its corpus is missing.
type Load = fn(&Path) -> Outcome<Option<Set>>;

/// All sets, in table order.
pub(crate) const ALL: &[Load] = &[
    links::garden,
    links::manual,
    anchors::proposals,
    anchors::wiki,
    anchors::rules,
    memorybench::load,
    conversations::merged,
    conversations::own,
    conversations::beam,
    no_stem::garden,
    no_stem::manual,
    no_stem::memorybench,
    no_stem::locomo,
    no_stem::locomo_bodies,
];

/// One corpus with its questions.
pub(crate) struct Set {
    /// Name in the table.
    pub(crate) name: &'static str,
    /// Name of the corpus in the teacher's vectors.
    pub(crate) corpus: &'static str,
    /// The vaults.
    pub(crate) vaults: Vec<PathBuf>,
    /// Prefix of each vault's paths in the corpus: empty, or a folder and `/`.
    pub(crate) inside: Vec<String>,
    /// All questions.
    pub(crate) questions: Vec<Question>,
    /// Remark for the progress output, such as what was omitted.
    pub(crate) remark: String,
}

/// One question with its answer key.
#[derive(Clone)]
pub(crate) struct Question {
    /// Key in the teacher's vectors.
    pub(crate) key: String,
    /// The question as in the corpus.
    pub(crate) text: String,
    /// Index of its vault.
    pub(crate) vault: usize,
    /// Paths of the relevant notes in that vault.
    pub(crate) relevant: Vec<String>,
    /// Part of the set in which it is reported.
    pub(crate) group: String,
    /// Whether it counts in the row `all`.
    pub(crate) counts: bool,
}

/// Reads a JSON Lines file; `None` if it does not exist.
pub(crate) fn json_lines(file: &Path) -> Outcome<Option<Vec<Value>>> {
    if !file.is_file() {
        return Ok(None);
    }
    let text = fs::read_to_string(file).at(file)?;
    let values = text
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>();
    values
        .map(Some)
        .map_err(|error| format!("{}: {error}", file.display()).into())
}

/// Returns a text field of a line, or an empty string.
pub(crate) fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

//! Questions whose right notes are known, one corpus per file.

mod anchors;
pub(crate) mod conversations;
mod links;
pub(crate) mod memorybench;
mod no_stem;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{AtPath, Outcome};

/// Reads a set from the folder of corpora; none when its corpus is not there.
type Load = fn(&Path) -> Outcome<Option<Set>>;

/// All sets, in the order of the table.
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
    /// What the teacher's vectors of the corpus are called.
    pub(crate) corpus: &'static str,
    /// The vaults the questions are asked of.
    pub(crate) vaults: Vec<PathBuf>,
    /// What stands before the paths of each vault in the corpus: nothing, or a folder and `/`.
    pub(crate) inside: Vec<String>,
    /// All questions.
    pub(crate) questions: Vec<Question>,
    /// What a reader of the progress should know, such as what was left out.
    pub(crate) remark: String,
}

/// One question with its answer key.
#[derive(Clone)]
pub(crate) struct Question {
    /// What the teacher's vectors call it.
    pub(crate) key: String,
    /// The words asked, as they stand in the corpus.
    pub(crate) text: String,
    /// Which of the set's vaults is asked.
    pub(crate) vault: usize,
    /// Paths of the right notes in that vault.
    pub(crate) relevant: Vec<String>,
    /// Part of the set it is reported under.
    pub(crate) group: String,
    /// Whether it belongs to the row `all`.
    pub(crate) counts: bool,
}

/// Reads a file of one JSON value per line; none when there is no such file.
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

/// Returns a text field of a line, empty when it is not there.
pub(crate) fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

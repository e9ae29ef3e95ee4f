//! Questions whose right notes are known, one corpus per file.

mod garden;
mod locomo;
mod memorybench;

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{AtPath, Outcome};

/// Reads a set from the folder of corpora; none when its corpus is not there.
type Load = fn(&Path) -> Outcome<Option<Set>>;

/// All sets, in the order of the table.
pub(crate) const ALL: &[Load] = &[garden::load, memorybench::load, locomo::merged, locomo::own];

/// One corpus with its questions.
pub(crate) struct Set {
    /// Name in the table.
    pub(crate) name: &'static str,
    /// The vaults the questions are asked of.
    pub(crate) vaults: Vec<PathBuf>,
    /// All questions.
    pub(crate) questions: Vec<Question>,
    /// What a reader of the progress should know, such as what was left out.
    pub(crate) remark: String,
}

/// One question with its answer key.
pub(crate) struct Question {
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
fn json_lines(file: &Path) -> Outcome<Option<Vec<Value>>> {
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
fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}

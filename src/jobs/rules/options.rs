//! The settings of rules.

use serde::{Deserialize, Serialize};

use super::condition::VaultNumbers;
use crate::config::{Key, Section, Trust};

/// Whether there is maintenance, and from when on a vault is under pressure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Options {
    pub enabled: bool,
    /// Which presets hold, below what the same file sets itself.
    pub preset: String,
    /// No limit is 0.
    pub most_notes: u64,
    pub most_bytes: u64,
    pub most_tokens: u64,
    pub detached: bool,
    /// Whether rules of a vault are trusted like those of the user.
    pub trust_vault: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            enabled: true,
            preset: String::new(),
            most_notes: 0,
            most_bytes: 0,
            most_tokens: 0,
            detached: false,
            trust_vault: false,
        }
    }
}

impl Options {
    /// The setting that names presets.
    pub const PRESET: &str = "rules.preset";

    /// Returns true if there is more than there should be.
    pub(super) fn are_exceeded(&self, numbers: &VaultNumbers) -> bool {
        let is_over = |most: u64, number: u64| most > 0 && number > most;
        is_over(self.most_notes, numbers.notes)
            || is_over(self.most_bytes, numbers.bytes)
            || is_over(self.most_tokens, numbers.tokens())
    }
}

impl Section for Options {
    const NAME: &'static str = "rules";

    fn keys() -> Vec<Key> {
        let whole = "a whole number, 0 for no limit";
        vec![
            Key::new(
                "enabled",
                Trust::Sets,
                "true or false",
                "whether `mem sleep` and `mem watch` do more than index; `false` stops all maintenance",
            ),
            Key::new(
                "preset",
                Trust::Sets,
                "names of presets, like \"automem\" or \"automem, busy\"",
                "settings and rules to begin with, later presets over earlier ones; `mem presets` lists them",
            ),
            Key::new(
                "most_notes",
                Trust::Sets,
                whole,
                "notes, without forgotten ones, above which a vault is under `pressure`, which rules can ask for",
            ),
            Key::new(
                "most_bytes",
                Trust::Sets,
                whole,
                "bytes of all notes, without forgotten ones, above which a vault is under `pressure`",
            ),
            Key::new(
                "most_tokens",
                Trust::Sets,
                whole,
                "tokens of all notes, without forgotten ones, above which a vault is under `pressure`; four bytes are about one",
            ),
            Key::new(
                "detached",
                Trust::Nothing,
                "true or false",
                "whether `mem recall` and `mem remember` start a `mem sleep` behind them if a rule waits for that event; else it waits for the next sleep",
            ),
            Key::new(
                "trust_vault",
                Trust::Nothing,
                "true or false",
                "whether rules in `.mem/rules.toml` of a vault forget, trash, untag and overwrite properties without a question, as your own rules do",
            ),
        ]
    }
}

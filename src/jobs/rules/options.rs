//! The settings of rules.

use super::condition::VaultNumbers;
use crate::config::{Trust, section, values};

section! {
    /// Whether there is maintenance, and from when on a vault is under pressure.
    pub struct Options: "rules" {
        /// whether `mem sleep` and `mem watch` do more than index; `false` stops all maintenance
        enabled: bool = true, values::BOOLEAN;
        /// settings and rules to begin with, later presets over earlier ones; `mem presets` lists them
        preset: String, "names of presets, like \"automem\" or \"automem, busy\"";
        /// notes, without forgotten ones, above which a vault is under `pressure`, which rules can ask for
        most_notes: u64 = 0, "a whole number, 0 for no limit";
        /// bytes of all notes, without forgotten ones, above which a vault is under `pressure`
        most_bytes: u64 = 0, "a whole number, 0 for no limit";
        /// tokens of all notes, without forgotten ones, above which a vault is under `pressure`; four bytes are about
        /// one
        most_tokens: u64 = 0, "a whole number, 0 for no limit";
        /// whether `mem recall` and `mem remember` start a `mem sleep` behind them if a rule waits for that event;
        /// else it waits for the next sleep
        detached: bool = false, values::BOOLEAN, Trust::Nothing;
        /// whether rules in `.mem/rules.toml` of a vault forget, trash, untag and overwrite properties without a
        /// question, as your own rules do
        trust_vault: bool = false, values::BOOLEAN, Trust::Nothing;
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

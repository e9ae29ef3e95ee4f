//! Settings of rules.

use super::condition::VaultTotals;
use crate::config::{Trust, section, values};

section! {
    /// Whether maintenance runs, and when a vault is under pressure.
    pub struct RulesOptions: "rules", everyday [enabled, preset] {
        /// whether `mem sleep` and `mem watch` run jobs other than index; `false` stops all
        /// maintenance
        enabled: bool = true, values::BOOLEAN;
        /// presets that provide settings and rules; later ones override earlier ones, `mem presets`
        /// lists them
        preset: String, "names of presets, like \"automem\" or \"automem, busy\"";
        /// number of notes, without forgotten ones, above which rules on `pressure` apply
        max_notes: u64 = 0, "a whole number, 0 for no limit";
        /// bytes of all notes, without forgotten ones, above which rules on `pressure` apply
        max_bytes: u64 = 0, "a whole number, 0 for no limit";
        /// tokens of all notes, without forgotten ones, above which rules on `pressure` apply; a
        /// token is about four bytes
        max_tokens: u64 = 0, "a whole number, 0 for no limit";
        /// whether `mem recall` and `mem remember` start `mem sleep` in the background for rules on
        /// these events; otherwise the next sleep runs them
        detached: bool = false, values::BOOLEAN, Trust::Nothing;
        /// whether rules in a vault's `.mem/rules.toml` may forget, trash, untag and overwrite
        /// properties without a question, like your own rules
        trust_vault: bool = false, values::BOOLEAN, Trust::Nothing;
    }
}

impl RulesOptions {
    /// Name of the setting that lists presets.
    pub const PRESET: &str = "rules.preset";

    /// Returns true if a limit is exceeded.
    pub(super) fn are_exceeded(&self, numbers: &VaultTotals) -> bool {
        let is_over = |most: u64, number: u64| most > 0 && number > most;
        is_over(self.max_notes, numbers.notes)
            || is_over(self.max_bytes, numbers.bytes)
            || is_over(self.max_tokens, numbers.tokens())
    }
}

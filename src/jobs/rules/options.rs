//! Settings of rules.

use super::condition::VaultNumbers;
use crate::config::{Trust, section, values};

section! {
    /// Whether maintenance runs, and when a vault is under pressure.
    pub struct Options: "rules", everyday [enabled, preset] {
        /// whether `mem sleep` and `mem watch` do more than index; `false` stops all maintenance
        enabled: bool = true, values::BOOLEAN;
        /// settings and rules to start with, later presets override earlier ones; `mem presets` lists them
        preset: String, "names of presets, like \"automem\" or \"automem, busy\"";
        /// maximum number of notes, without forgotten ones, before rules on `pressure` apply
        most_notes: u64 = 0, "a whole number, 0 for no limit";
        /// maximum bytes of all notes, without forgotten ones, before rules on `pressure` apply
        most_bytes: u64 = 0, "a whole number, 0 for no limit";
        /// maximum tokens of all notes, without forgotten ones, before rules on `pressure` apply; about four bytes per token
        most_tokens: u64 = 0, "a whole number, 0 for no limit";
        /// whether `mem recall` and `mem remember` start `mem sleep` in the background if a rule waits for that event;
        /// otherwise it waits for the next sleep
        detached: bool = false, values::BOOLEAN, Trust::Nothing;
        /// whether rules in the `.mem/rules.toml` of a vault forget, trash, untag and overwrite properties without a
        /// question, as your own rules do
        trust_vault: bool = false, values::BOOLEAN, Trust::Nothing;
    }
}

impl Options {
    /// Name of the setting that lists presets.
    pub const PRESET: &str = "rules.preset";

    /// Returns true if a limit is exceeded.
    pub(super) fn are_exceeded(&self, numbers: &VaultNumbers) -> bool {
        let is_over = |most: u64, number: u64| most > 0 && number > most;
        is_over(self.most_notes, numbers.notes)
            || is_over(self.most_bytes, numbers.bytes)
            || is_over(self.most_tokens, numbers.tokens())
    }
}

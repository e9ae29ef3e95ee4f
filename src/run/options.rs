//! The settings of what happens unattended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::config::{Every, Key, Section, Trust, values};

/// How a sleep does its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SleepOptions {
    #[serde(deserialize_with = "values::any_case")]
    pub apply: Apply,
    /// Notes that were saved within this time are left alone.
    #[serde(with = "jiff::fmt::serde::unsigned_duration::friendly::compact::required")]
    pub idle: Duration,
    #[serde(deserialize_with = "values::any_case")]
    pub commit: Commit,
}

/// Which of the changes that rules are sure of a job makes without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Apply {
    /// Everything is proposed.
    None,
    /// Those that touch only notes written by mem or an agent and not edited since.
    #[default]
    Managed,
    /// All that rules alone decide.
    All,
}

/// When a sleep commits what it changed, in a vault that git keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Commit {
    #[default]
    Never,
    /// All that was changed, except notes that held uncommitted changes before.
    Always,
    /// Always, and nothing is changed while a note holds uncommitted changes.
    Clean,
}

impl Section for SleepOptions {
    const NAME: &'static str = "sleep";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "apply",
                Trust::lowers::<Apply>(),
                "\"managed\", \"all\" or \"none\"",
                "which changes are applied without asking: those mem is sure of in notes written by mem or agents, those in all notes, or none",
            ),
            Key::new(
                "idle",
                Trust::Sets,
                "a time like \"10m\", or \"0s\"",
                "skip notes saved more recently than this, for editors that leave no lock or swap file",
            ),
            Key::new(
                "commit",
                Trust::Nothing,
                "\"never\", \"always\" or \"clean\"",
                "whether `mem sleep` commits its changes to git; git hooks run then",
            ),
        ]
    }
}

/// How a watch does its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WatchOptions {
    /// For how long nothing may have changed before the jobs are run that are due.
    #[serde(with = "values::text")]
    pub quiet: Every,
}

impl Default for WatchOptions {
    fn default() -> Self {
        let quiet = Every::minutes(2);
        Self { quiet }
    }
}

impl Section for WatchOptions {
    const NAME: &'static str = "watch";

    fn keys() -> Vec<Key> {
        let quiet = Key::new(
            "quiet",
            Trust::Sets,
            Every::TAKES,
            "how long the vault must be unchanged before `mem watch` runs due jobs",
        );
        vec![quiet]
    }
}

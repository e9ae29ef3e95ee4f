//! Search modes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which scores a search uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Lexical and semantic scores.
    #[default]
    Hybrid,
    /// Lexical scores only.
    Lexical,
    /// Semantic scores only.
    Semantic,
}

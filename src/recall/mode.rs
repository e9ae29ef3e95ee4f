//! What a search goes by.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a search goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words and meaning.
    #[default]
    Hybrid,
    /// Words alone.
    Lexical,
    /// Meaning alone.
    Semantic,
}

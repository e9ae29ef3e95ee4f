//! The settings of the caches.

use serde::{Deserialize, Serialize};

use crate::config::{Key, Section, Trust, values};
use crate::note::words::analyzer::Language;

/// How notes are indexed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IndexOptions {
    #[serde(with = "values::text")]
    pub language: Language,
    #[serde(deserialize_with = "values::any_case")]
    pub hnsw: Hnsw,
}

/// When an HNSW graph over the vectors is made and used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hnsw {
    /// From so many passages on that it is faster than looking at all of them.
    #[default]
    Auto,
    /// From the first passage on.
    Always,
    Never,
}

impl Section for IndexOptions {
    const NAME: &'static str = "index";

    fn keys() -> Vec<Key> {
        let languages: Vec<&str> = Language::names().collect();
        vec![
            Key::new(
                "language",
                Trust::Sets,
                format!("one of {}", languages.join(", ")),
                "stemming language; `none` matches words as written",
            ),
            Key::new(
                "hnsw",
                Trust::Sets,
                "\"auto\", \"always\" or \"never\"",
                "whether searches use an HNSW graph; `auto` does from 500,000 passages",
            ),
        ]
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CacheOptions {
    /// Inside the vault, not in the cache folder of the account.
    pub inside: bool,
}

impl Section for CacheOptions {
    const NAME: &'static str = "cache";

    fn keys() -> Vec<Key> {
        let inside = Key::new(
            "inside",
            Trust::Sets,
            "true or false",
            "keep the index in the vault's `.mem/cache` instead of your cache folder",
        );
        vec![inside]
    }
}

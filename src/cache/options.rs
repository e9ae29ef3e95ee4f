//! Settings of the caches.

use serde::{Deserialize, Serialize};

use crate::config::values::ParsedText;
use crate::config::{section, values};
use crate::note::{Language, LanguageSetting};

section! {
    /// How notes are indexed.
    #[derive(Copy)]
    pub struct IndexOptions: "index", everyday [language] {
        /// language of stems and stop words; `auto` detects it for each note, `none` matches words
        /// as written
        language: LanguageSetting, ParsedText(languages());
        /// whether searches use an HNSW graph; `auto` uses one above 500,000 passages
        hnsw: Hnsw, "\"auto\", \"always\" or \"never\"";
    }
}

/// When an HNSW graph over the vectors is built and used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hnsw {
    /// If the number of passages makes it faster than a full scan.
    #[default]
    Auto,
    /// From the first passage.
    Always,
    Never,
}

section! {
    #[derive(Copy, Eq)]
    pub struct CacheOptions: "cache", everyday [inside] {
        /// keep the index in the vault's `.mem/cache` instead of your cache folder
        inside: bool, values::BOOLEAN;
    }
}

fn languages() -> String {
    let languages: Vec<&str> = Language::all().map(Language::name).collect();
    format!("one of auto, {}", languages.join(", "))
}

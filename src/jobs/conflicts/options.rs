//! Options of the job.

use std::fmt;
use std::str::FromStr;

use crate::config::values::ParsedText;
use crate::config::{section, values};

section! {
    pub struct ConflictsOptions: "conflicts" {
        /// types of notes that are compared for conflicts
        types: TypeFilter, ParsedText("\"usual\", \"ormah\", \"all\" or types like \"fact, decision, untyped\"");
        /// minimum cosine of two notes that are compared
        min_cosine: f32 = 0.2, 0.0..=1.0;
        /// whether two notes need a common tag to be compared
        same_tag: bool = false, values::BOOLEAN;
        /// whether a replaced note gets a `valid_until`, which hides it from searches
        resolve: bool = false, values::BOOLEAN;
    }
    fixed {
        /// Number of nearest notes that each note is compared with.
        near: usize = 15;
        /// Minimum score for a question, 0–1.
        ask: f32 = 0.4;
        /// Maximum number of pairs per run; further seeds stay unprocessed.
        cap: usize = 2_000_000;
    }
}

/// Note types that take part; the empty string matches notes without a type, `*` matches all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeFilter(pub Vec<String>);

impl TypeFilter {
    pub(super) fn has(&self, kind: &str) -> bool {
        let mut wanted = self.0.iter();
        wanted.any(|wanted| wanted == "*" || wanted.eq_ignore_ascii_case(kind))
    }

    /// All types, including none.
    fn all() -> Self {
        Self(vec!["*".to_owned()])
    }

    /// The types that Ormah checks for conflicts.
    #[must_use]
    pub fn ormah() -> Self {
        Self(
            ["preference", "fact", "observation", "goal"]
                .map(str::to_owned)
                .to_vec(),
        )
    }
}

impl Default for TypeFilter {
    fn default() -> Self {
        let Self(mut types) = Self::ormah();
        types.extend(["decision", ""].map(str::to_owned));
        Self(types)
    }
}

/// The text names no type.
#[derive(Debug, thiserror::Error)]
#[error("no types")]
pub struct NoTypes;

impl FromStr for TypeFilter {
    type Err = NoTypes;

    fn from_str(text: &str) -> Result<Self, NoTypes> {
        let list = || {
            let names = text
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .map(|name| if name == "untyped" { "" } else { name });
            Self(names.map(str::to_lowercase).collect())
        };
        match text.trim() {
            "usual" => Ok(Self::default()),
            "ormah" => Ok(Self::ormah()),
            "all" | "*" => Ok(Self::all()),
            _ => Some(list())
                .filter(|types| !types.0.is_empty())
                .ok_or(NoTypes),
        }
    }
}

impl fmt::Display for TypeFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::default() {
            return f.write_str("usual");
        }
        if *self == Self::all() {
            return f.write_str("all");
        }
        let types: Vec<&str> = self
            .0
            .iter()
            .map(|name| if name.is_empty() { "untyped" } else { name })
            .collect();
        f.write_str(&types.join(", "))
    }
}

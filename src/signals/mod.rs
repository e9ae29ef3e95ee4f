//! Fields of notes for queries, sorting and merging, and the formulas of ranking.
//!
//! Pure functions. The catalog stores what [`dates`], [`fields::ratings`] and [`tier`] read from
//! front matter. Queries, `mem list --sort` and merges look fields up in [`fields::FIELDS`], from
//! which README's table is generated.

pub mod activity;
pub mod dates;
pub mod fields;
pub mod folder_context;
pub mod fusion;
pub mod helped;
pub mod importance;
pub mod lifecycle;
pub mod measure;
pub mod options;
pub mod promotion;
pub mod property_merge;
pub mod recall_options;
pub mod relevance;
pub mod salience;
pub mod snapshot;
pub mod stability;
#[cfg(test)]
pub(crate) mod tests;
pub mod tier;
pub mod usage;
pub mod weight;

pub use self::dates::moment_of;
pub use self::fields::{
    DateField, FIELDS, Field, FieldType, IMPORTANCE, NameField, NumberField, Signal, TextField,
};
pub use self::helped::ContextOptions;
pub use self::lifecycle::Disposition;
pub use self::measure::SignalInputs;
pub use self::recall_options::RecallOptions;
pub use self::stability::DAY;
pub use self::tier::Tier;

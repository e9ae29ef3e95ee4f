//! Fields of notes for queries, sorting and merging, and the formulas of ranking.
//!
//! Pure functions. The catalog stores what [`dates`], [`fields::ratings`] and [`tier`] read from
//! front matter. Queries, `mem list --sort` and merges look fields up in [`fields::FIELDS`], from
//! which README's table is generated.

pub mod activity;
pub mod context;
pub mod dates;
pub mod differing;
pub mod fate;
pub mod fields;
pub mod fusion;
pub mod helped;
pub mod importance;
pub mod learned;
pub mod measure;
pub mod options;
pub mod promotion;
pub mod relevance;
pub mod salience;
pub mod snapshot;
pub mod stability;
#[cfg(test)]
pub(crate) mod tests;
pub mod tier;
pub mod usage;
pub mod weight;

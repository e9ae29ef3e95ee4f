//! What notes are found, ordered and merged by: one table of fields, and the formulas of ranking.
//!
//! Pure. The catalog keeps what [`dates`], [`fields::ratings`] and [`tier`] read from a front matter; a
//! query, `mem list --sort` and a merge look a field up in [`fields::FIELDS`], and README's table of
//! fields is written from it.

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

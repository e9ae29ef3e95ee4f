//! The HNSW graph over the vectors: its file, how it is built, pruned and searched.

mod beam;
mod build;
pub mod graph;
mod prune;
pub(super) mod search;

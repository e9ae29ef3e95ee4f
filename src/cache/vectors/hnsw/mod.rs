//! The HNSW graph over the vectors: file format, construction, pruning and search.

mod beam;
mod build;
pub mod graph;
mod prune;
pub(super) mod search;

//! The nearest rows to a query: through the graph if that is faster, else by a scan.

use super::file::Vectors;
use super::hnsw::graph::HnswGraph;
use super::query::VectorQuery;
use super::{Accept, NearRow, hnsw, scan};

impl Vectors {
    /// Returns the `k` accepted rows nearest to `query`, best first, ties by row.
    ///
    /// Scans every row. With a `graph` it scans only the rows that the graph does not cover, and may miss a
    /// few others. Calls `accept` for the best rows only, about as many as needed to find `k`, for some of
    /// them twice. A query of another width than the rows matches none.
    pub fn nearest(
        &self,
        query: &[f32],
        k: usize,
        accept: Option<Accept>,
        graph: Option<&HnswGraph>,
    ) -> Vec<NearRow> {
        if query.len() != self.dims() {
            return Vec::new();
        }
        let query = VectorQuery::new(query);
        graph
            .and_then(|graph| hnsw::search::nearest(self, graph, &query, k, accept))
            .unwrap_or_else(|| scan::nearest(self, 0..self.rows(), &query, k, accept))
    }
}

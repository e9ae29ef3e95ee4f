//! When to rebuild the graph over the vectors, and over which rows.

use super::super::vectors::hnsw::graph::HnswGraph;
use super::super::{Cache, Result};

/// Minimum number of passages for an automatic graph.
///
/// Over 400,000 passages one search in a new process takes 11.4 ms of processor time instead of 14.4, and
/// building takes eight minutes: more than 150,000 searches save. Over a million passages a search takes 36
/// ms instead of 59.
pub const MIN_ROWS_FOR_GRAPH: u32 = 500_000;

/// Returns whether the vectors have at least `from` rows and the graph is missing or covers less than nine
/// tenths of them; with `exactly`, less than all.
pub fn is_due(cache: &Cache, from: u32, exactly: bool) -> Result<bool> {
    let meta = cache.read()?.meta()?;
    let Some(file) = meta.vectors.filter(|file| file.living >= from.max(1)) else {
        return Ok(false);
    };
    let vectors = cache.vectors(&file)?;
    let built = cache.graph(&vectors).map_or(0, |graph| graph.covered());
    let tail = file.rows - built;
    Ok(built == 0 || tail > file.rows / 10 || exactly && tail > 0)
}

/// Builds the graph over all current passages. Takes minutes for some hundred thousand.
///
/// Needs no lock: rows never change, and no reader opens a graph over a replaced file.
pub fn build(cache: &Cache, seed: u64) -> Result<()> {
    let reading = cache.read()?;
    let Some(file) = reading.meta()?.vectors else {
        return Ok(());
    };
    let mut living = vec![false; file.rows as usize];
    reading.scan(|_, row, _| {
        // `PENDING` has no rows.
        for row in row.rows.range() {
            if let Some(living) = living.get_mut(row as usize) {
                *living = true;
            }
        }
    })?;
    // Releases the catalog while the graph is built.
    drop(reading);
    let vectors = cache.vectors(&file)?;
    let is_living = |row: u32, _: u32| living[row as usize];
    HnswGraph::build(&vectors, &is_living, seed, cache.folder())?;
    Ok(())
}

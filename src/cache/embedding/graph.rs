//! When the graph over the vectors is made anew, and over which of them.

use super::super::vectors::hnsw::graph::Graph;
use super::super::{Cache, CacheError};

/// Passages from which on the graph is made unasked.
///
/// Over 400,000 passages a process that asks once takes 11.4 ms of processor time instead of 14.4, and
/// making the graph eight minutes of it: more than 150,000 searches save. Over a million a search takes
/// 36 ms instead of 59.
pub const PAYS_FROM: u32 = 500_000;

/// Returns true if the vectors are at least `from` and there is no graph over them, or over less than
/// nine tenths of them, or, `exactly`, not over all.
pub fn is_due(cache: &Cache, from: u32, exactly: bool) -> Result<bool, CacheError> {
    let meta = cache.read()?.meta()?;
    let Some(file) = meta.vectors.filter(|file| file.living >= from.max(1)) else {
        return Ok(false);
    };
    let vectors = cache.vectors(&file)?;
    let built = cache.graph(&vectors).map_or(0, |graph| graph.covered());
    let tail = file.rows - built;
    Ok(built == 0 || tail > file.rows / 10 || exactly && tail > 0)
}

/// Makes the graph over all passages that notes have now. Minutes for some hundred thousand.
///
/// Needs no lock: the rows never change, and a graph over a file that is replaced meanwhile is one
/// that no reader opens.
pub fn build(cache: &Cache, seed: u64) -> Result<(), CacheError> {
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
    // The catalog is not held up while the graph is made.
    drop(reading);
    let vectors = cache.vectors(&file)?;
    let is_living = |row: u32, _: u32| living[row as usize];
    Graph::build(&vectors, &is_living, seed, cache.folder())?;
    Ok(())
}

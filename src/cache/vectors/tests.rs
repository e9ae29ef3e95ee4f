//! Synthetic vectors and vector files for tests.

use std::path::Path;

use super::file::Vectors;
use super::writer::VectorWriter;

pub(super) const MODEL: &str = "test";

/// Returns `count` loosely clustered vectors, deterministic for `seed`.
pub(super) fn vectors(count: usize, dims: usize, seed: u64) -> Vec<Vec<f32>> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1 << 23) as f32 - 1.0
    };
    let mut vector = || (0..dims).map(|_| number()).collect::<Vec<f32>>();
    let centroids: Vec<_> = (0..count.div_ceil(50)).map(|_| vector()).collect();
    let around = |index: usize, off: Vec<f32>| {
        let centroid = &centroids[index % centroids.len()];
        centroid
            .iter()
            .zip(off)
            .map(|(x, off)| x + off * 0.5)
            .collect()
    };
    (0..count).map(|index| around(index, vector())).collect()
}

/// Creates vector file `number` in `folder`, with two rows per note.
pub(super) fn vector_file(folder: &Path, number: u32, vectors: &[Vec<f32>]) -> Vectors {
    let mut writer = VectorWriter::create(folder, number, MODEL, vectors[0].len()).unwrap();
    for (row, vector) in (0..).zip(vectors) {
        assert_eq!(writer.push(row / 2, u64::from(row) * 10, vector), row);
    }
    let rows = writer.finish().unwrap();
    Vectors::open(folder, number, rows, MODEL).unwrap()
}

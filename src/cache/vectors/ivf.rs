//! Inverted lists: vectors assigned to the nearest of a few k-means centroids.

use std::ops::Range;

use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSlice as _;

use super::candidate::RowCandidate;
use super::kernel::Kernel;
use super::quantized::{QuantizedTable, QuantizedVector, quantize_unit};
use crate::cache::top_k::TopK;

/// Number of k-means iterations.
const ITERATIONS: usize = 4;
/// Vectors per centroid in the k-means sample.
const SAMPLE_PER_CENTROID: usize = 32;
/// Number of lists compared per vector.
pub(super) const PROBES: usize = 16;
/// Factor that converts a scale to an integer: integer sums do not depend on the order of threads.
const FIXED_POINT: f32 = (1 << 24) as f32;

/// The vectors of a table, list by list. Vectors are identified by their index in that table.
#[derive(Debug)]
pub(super) struct InvertedLists {
    /// The nearest lists of each vector, nearest first.
    probes: Vec<Vec<u32>>,
    vectors: QuantizedTable,
    members: Vec<u32>,
    /// Offset of each list, and the end of the last.
    offsets: Vec<usize>,
}

impl InvertedLists {
    /// Sorts `vectors` into lists, about twice the square root of their number.
    pub(super) fn build(vectors: &QuantizedTable, kernel: Kernel, seed: u64) -> Self {
        let count = (2.0 * (vectors.len() as f64).sqrt()) as usize;
        let centroids = k_means(vectors, kernel, count.max(PROBES), seed);
        let probes: Vec<Vec<u32>> = (0..vectors.len())
            .into_par_iter()
            .map(|index| nearest(&centroids, kernel, vectors.get(index), PROBES))
            .collect();
        let mut offsets = vec![0; centroids.len() + 1];
        for lists in &probes {
            offsets[lists[0] as usize + 1] += 1;
        }
        for list in 1..offsets.len() {
            offsets[list] += offsets[list - 1];
        }
        let mut members: Vec<u32> = (0..vectors.len() as u32).collect();
        members.sort_by_key(|index| probes[*index as usize][0]);
        let mut sorted = QuantizedTable::new(vectors.width());
        for index in &members {
            sorted.push(vectors.get(*index as usize));
        }
        Self {
            probes,
            vectors: sorted,
            members,
            offsets,
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// Returns the list of the vector `index`.
    pub(super) fn home(&self, index: u32) -> u32 {
        self.probes[index as usize][0]
    }

    /// Returns the lists nearest to the vector `index`, its own first.
    pub(super) fn probes(&self, index: u32) -> &[u32] {
        &self.probes[index as usize]
    }

    /// Returns all vectors, in the order of [`InvertedLists::members`].
    pub(super) fn vectors(&self) -> &QuantizedTable {
        &self.vectors
    }

    /// Returns the indexes of all vectors, list by list.
    pub(super) fn members(&self) -> &[u32] {
        &self.members
    }

    /// Returns the range of members in `list`.
    pub(super) fn list(&self, list: u32) -> Range<usize> {
        self.offsets[list as usize]..self.offsets[list as usize + 1]
    }
}

/// Returns the `count` centroids nearest to `vector`, nearest first.
fn nearest(
    centroids: &QuantizedTable,
    kernel: Kernel,
    vector: QuantizedVector<'_>,
    count: usize,
) -> Vec<u32> {
    let mut cosines = vec![0.0; centroids.len()];
    kernel.cosines(vector, centroids.range(0..centroids.len()), &mut cosines);
    let mut best = TopK::new(count);
    for (cosine, list) in cosines.iter().zip(0..) {
        best.offer(RowCandidate::new(*cosine, list));
    }
    best.into_sorted()
        .into_iter()
        .map(RowCandidate::row)
        .collect()
}

/// Returns `count` centroids, or one per vector if there are fewer.
fn k_means(vectors: &QuantizedTable, kernel: Kernel, count: usize, seed: u64) -> QuantizedTable {
    // Every nth vector, from an offset given by the seed: adjacent notes in a vault are often similar.
    let every_nth = |count: usize| {
        let step = (vectors.len() / count).max(1);
        (seed as usize % step..vectors.len())
            .step_by(step)
            .take(count)
    };
    let mut centroids = QuantizedTable::new(vectors.width());
    for index in every_nth(count) {
        centroids.push(vectors.get(index));
    }
    let sample: Vec<usize> = every_nth(centroids.len() * SAMPLE_PER_CENTROID).collect();
    let mut components = vec![0; vectors.width()];
    for _ in 0..ITERATIONS {
        let sums = sums(vectors, kernel, &centroids, &sample);
        for (list, sum) in sums.chunks_exact(vectors.width()).enumerate() {
            let average: Vec<f32> = sum.iter().map(|sum| *sum as f32).collect();
            let mean = quantize_unit(&average, &mut components);
            // An empty centroid keeps its position.
            if mean.scale > 0.0 {
                centroids.set(list, mean);
            }
        }
    }
    centroids
}

/// Returns the sum of the vectors of `sample` that are nearest to each centroid.
fn sums(
    vectors: &QuantizedTable,
    kernel: Kernel,
    centroids: &QuantizedTable,
    sample: &[usize],
) -> Vec<i64> {
    let width = vectors.width();
    let zeros = || vec![0i64; centroids.len() * width];
    let parts = sample.par_chunks(1024).map(|indexes| {
        let mut sums = zeros();
        for index in indexes {
            let vector = vectors.get(*index);
            let home = nearest(centroids, kernel, vector, 1)[0] as usize;
            let weight = (vector.scale * FIXED_POINT) as i64;
            let sum = &mut sums[home * width..][..width];
            for (sum, component) in sum.iter_mut().zip(vector.components) {
                *sum += i64::from(*component) * weight;
            }
        }
        sums
    });
    parts.reduce(zeros, |mut sums, more| {
        for (sum, more) in sums.iter_mut().zip(more) {
            *sum += more;
        }
        sums
    })
}

//! Exact search: a scan of every row.
//!
//! A first pass computes rough cosines from the quantised rows. Candidates are then rescored exactly from the
//! best down, if accepted, until no other row can be among the best `k`. The result equals a full comparison,
//! bit for bit, on every processor and with any number of threads.

use std::collections::BinaryHeap;
use std::ops::Range;
use std::thread;

use super::candidate::RowCandidate;
use super::file::Vectors;
use super::query::VectorQuery;
use super::rescore::Rescorer;
use super::{Accept, NearRow};
use crate::cache::top_k::TopK;

/// Minimum rows per thread at which another thread saves time.
const ROWS_PER_THREAD: usize = 40_000;
/// Rows whose cosines stay in the L1 cache until they are offered.
const BLOCK_ROWS: usize = 1024;
/// Number of candidates in the first wave, in addition to `k`, and the growth factor of each further wave.
const FIRST_WAVE: usize = 128;
const WAVE_GROWTH: usize = 8;

/// Returns the `k` accepted of `rows` that are nearest to `query`, best first.
pub(super) fn nearest(
    vectors: &Vectors,
    rows: Range<u32>,
    query: &VectorQuery,
    k: usize,
    accept: Option<Accept>,
) -> Vec<NearRow> {
    if k == 0 || rows.is_empty() {
        return Vec::new();
    }
    RoughScan::of(vectors, rows, query.clone(), k).nearest(vectors, k, accept)
}

/// The rough cosine of each row before any filter. Another thread can compute it while the accepted rows are
/// still unknown.
#[derive(Debug)]
pub struct RoughScan {
    query: VectorQuery,
    rows: Range<u32>,
    cosines: Vec<f32>,
    /// Number of rows in `best`.
    size: usize,
    best: BinaryHeap<RowCandidate>,
}

impl RoughScan {
    /// Compares all rows with `query`, for the `k` nearest.
    pub fn new(vectors: &Vectors, query: &[f32], k: usize) -> Self {
        let is_answerable = query.len() == vectors.dims() && k > 0;
        let rows = if is_answerable { vectors.rows() } else { 0 };
        Self::of(vectors, 0..rows, VectorQuery::new(query), k)
    }

    fn of(vectors: &Vectors, rows: Range<u32>, query: VectorQuery, k: usize) -> Self {
        let size = FIRST_WAVE + k.saturating_mul(2);
        let mut cosines = vec![0.0; rows.len()];
        let best = scan(vectors, &rows, &query, size, &mut cosines).into_vec();
        Self {
            query,
            rows,
            cosines,
            size,
            best: best.into(),
        }
    }

    /// Returns the `k` accepted rows that are nearest, best first.
    pub fn nearest(self, vectors: &Vectors, k: usize, accept: Option<Accept>) -> Vec<NearRow> {
        let Self {
            query,
            rows,
            cosines,
            mut size,
            best: mut wave,
        } = self;
        let mut rescorer = Rescorer::new(vectors, &query, k, accept);
        loop {
            let taken = wave.len();
            let mut last = None;
            while let Some(candidate) = wave.pop() {
                if rescorer.is_done_below(candidate.cosine()) {
                    return rescorer.into_sorted();
                }
                rescorer.offer(candidate.row());
                last = Some(candidate);
            }
            let Some(last) = last.filter(|_| taken == size) else {
                return rescorer.into_sorted();
            };
            size = size.saturating_mul(WAVE_GROWTH).min(rows.len());
            let mut next = TopK::new(size);
            for (cosine, row) in cosines.iter().zip(rows.clone()) {
                let candidate = RowCandidate::new(*cosine, row);
                if candidate < last {
                    next.offer(candidate);
                }
            }
            wave = next.into_vec().into();
        }
    }
}

/// Writes the rough cosine of each row to `cosines`, on several threads if faster, and returns the best
/// `size`.
fn scan(
    vectors: &Vectors,
    rows: &Range<u32>,
    query: &VectorQuery,
    size: usize,
    cosines: &mut [f32],
) -> TopK<RowCandidate> {
    let length = cosines.len().div_ceil(threads(cosines.len()));
    let scan = |start, part: &mut [f32]| scan_part(vectors, start, query, size, part);
    let starts = (rows.start..).step_by(length.max(1));
    let mut parts = cosines.chunks_mut(length.max(1)).zip(starts);
    let own = parts.next();
    thread::scope(|scope| {
        let others: Vec<_> = parts
            .map(|(part, start)| scope.spawn(move || scan(start, part)))
            .collect();
        let mut best = own.map_or_else(|| TopK::new(size), |(part, start)| scan(start, part));
        for other in others {
            match other.join() {
                Ok(other) => best.merge(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        best
    })
}

fn threads(rows: usize) -> usize {
    if rows < 2 * ROWS_PER_THREAD {
        return 1;
    }
    let cores = thread::available_parallelism().map_or(1, usize::from);
    cores.min(rows / ROWS_PER_THREAD)
}

fn scan_part(
    vectors: &Vectors,
    start: u32,
    query: &VectorQuery,
    size: usize,
    cosines: &mut [f32],
) -> TopK<RowCandidate> {
    vectors.populate(start..start + cosines.len() as u32);
    let mut best = TopK::new(size);
    let mut row = start;
    for block in cosines.chunks_mut(BLOCK_ROWS) {
        let end = row + block.len() as u32;
        vectors.rough(row..end, query, block);
        for cosine in block {
            best.offer(RowCandidate::new(*cosine, row));
            row += 1;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::super::kernel::Kernel;
    use super::super::quantized::QuantizedVector;
    use super::*;
    use crate::cache::vectors::tests::{vector_file, vectors};

    /// Reference: compares all rows exactly.
    fn compared(vectors: &Vectors, query: &[f32], k: usize, accept: Accept) -> Vec<NearRow> {
        let query = VectorQuery::new(query);
        let rows = (0..vectors.rows()).filter(|row| accept(*row, vectors.slot(*row)));
        let mut all: Vec<NearRow> = rows
            .map(|row| NearRow {
                row,
                slot: vectors.slot(row),
                cosine: vectors.cosine(row, &query),
            })
            .collect();
        all.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.row.cmp(&b.row)));
        all.truncate(k);
        all
    }

    /// Vectors of few distinct components: many are equal, and some are zero.
    fn coarse() -> impl Strategy<Value = Vec<Vec<f32>>> {
        (1usize..70).prop_flat_map(|dims| {
            let number = prop_oneof![Just(0.0f32), Just(1.0), Just(-1.0), -1.0f32..1.0];
            let vector = prop_oneof![
                1 => Just(vec![0.0; dims]),
                3 => proptest::collection::vec(number, dims),
                3 => (0..dims).prop_map(move |at| {
                    let mut vector = vec![0.0; dims];
                    vector[at] = 2.0;
                    vector
                }),
            ];
            proptest::collection::vec(vector, 1..120)
        })
    }

    proptest! {
        #[test]
        fn equals_a_full_comparison(
            rows in coarse(),
            asked in 0usize..120,
            k in 0usize..130,
            modulus in 1u32..9,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let file = vector_file(dir.path(), 1, &rows);
            let query = &rows[asked % rows.len()];
            let accept = |row: u32, slot: u32| (row ^ slot).is_multiple_of(modulus);
            prop_assert_eq!(
                file.nearest(query, k, Some(&accept), None),
                compared(&file, query, k, &accept)
            );
            prop_assert_eq!(file.nearest(query, k, None, None), compared(&file, query, k, &|_, _| true));
        }

        #[test]
        fn all_kernels_agree(rows in coarse(), asked in 0usize..120) {
            let dir = tempfile::tempdir().unwrap();
            let file = vector_file(dir.path(), 1, &rows);
            let query = VectorQuery::new(&rows[asked % rows.len()]);
            let about = |kernel| {
                let mut cosines = vec![0.0; rows.len()];
                let query = query.clone().with(kernel);
                file.rough(0..file.rows(), &query, &mut cosines);
                file.confirm().unwrap();
                cosines
            };
            let fastest = about(Kernel::detect());
            prop_assert_eq!(&fastest, &about(Kernel::Portable));
            for (row, rough) in (0..).zip(fastest) {
                let exact = file.cosine(row, &query);
                prop_assert!((exact - rough).abs() <= query.error(), "{exact} {rough}");
            }
        }
    }

    fn quantized(components: &[i8]) -> QuantizedVector<'_> {
        let scale = 1e-15;
        QuantizedVector { components, scale }
    }

    #[test]
    fn kernels_agree_on_components_that_no_row_has() {
        let rows: Vec<i8> = (i8::MIN..=i8::MAX).cycle().take(4 * 64).collect();
        let query: Vec<i8> = (0..64)
            .map(|x| if x % 3 == 0 { 127 } else { -127 })
            .collect();
        let about = |kernel: Kernel, rows: &[i8]| {
            let mut cosines = [0.0; 4];
            let rows = rows.chunks(64).map(quantized);
            kernel.cosines(quantized(&query), rows, &mut cosines);
            cosines.map(f32::to_bits)
        };
        for rows in [&rows[..], &[i8::MIN; 64]] {
            assert_eq!(about(Kernel::detect(), rows), about(Kernel::Portable, rows));
        }
    }

    #[test]
    fn scans_many_rows_on_several_threads() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(3 * ROWS_PER_THREAD + 17, 8, 1);
        let file = vector_file(dir.path(), 1, &all);
        for (query, share) in all.iter().step_by(50_000).zip([1, 10, 1_000]) {
            let asked = AtomicUsize::new(0);
            let accept = |row: u32, _: u32| {
                asked.fetch_add(1, Ordering::Relaxed);
                row.is_multiple_of(share)
            };
            let found = file.nearest(query, 10, Some(&accept), None);
            let asked = asked.into_inner();
            assert_eq!(
                found,
                compared(&file, query, 10, &|row, _| row % share == 0)
            );
            assert!(asked < all.len() / 4, "asked for {asked} rows");
        }
    }

    #[test]
    fn equal_rows_keep_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let file = vector_file(dir.path(), 1, &vec![vec![0.5, -0.5, 0.1]; 3_000]);
        let found = file.nearest(&[0.5, -0.5, 0.1], 20, None, None);
        let rows: Vec<u32> = found.iter().map(|near| near.row).collect();
        assert_eq!(rows, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn invalid_queries_match_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = vector_file(dir.path(), 1, &vectors(30, 40, 1));
        assert_eq!(file.nearest(&[1.0; 41], 10, None, None), []);
        assert_eq!(file.nearest(&[1.0; 40], 0, None, None), []);
        assert_eq!(file.nearest(&[1.0; 40], 10, Some(&|_, _| false), None), []);
        let none = file.nearest(&[0.0; 40], 3, None, None);
        assert!(none.iter().all(|near| near.cosine == 0.0) && none.len() == 3);
    }
}

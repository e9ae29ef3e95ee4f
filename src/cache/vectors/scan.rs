//! The search that looks at every row.
//!
//! A first pass over the small numbers gives about the cosine of every row. Then the rows are taken
//! from the best down: those that are accepted get their cosine by the question as it was asked, and
//! once no further row can be better than the `k` found, that is the answer. It is what comparing all
//! rows in full would give, to the last bit, on every processor and with any number of threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;
use std::thread;

use super::best::{Key, Sieve};
use super::file::Vectors;
use super::query::Query;
use super::{Accept, Near};

/// Rows per thread from which a further one is faster than its start takes.
const ROWS_PER_THREAD: usize = 40_000;
/// Rows whose cosines stay in the nearest cache until they are looked at.
const BLOCK: usize = 1024;
/// How many rows are taken from the best down at first, beside those asked for, and by how much
/// more each time these were not enough.
const WAVE: usize = 128;
const GROWTH: usize = 8;

/// Returns the `k` accepted of `rows` that are nearest to `query`, best first.
pub(super) fn nearest(
    vectors: &Vectors,
    rows: Range<u32>,
    query: &Query,
    k: usize,
    accept: Option<Accept>,
) -> Vec<Near> {
    if k == 0 || rows.is_empty() {
        return Vec::new();
    }
    Measured::of(vectors, rows, query.clone(), k).nearest(vectors, k, accept)
}

/// About the cosine of each row, before anybody is asked which rows count.
#[derive(Debug)]
pub struct Measured {
    query: Query,
    rows: Range<u32>,
    cosines: Vec<f32>,
    /// How many of the best are in `best`.
    size: usize,
    best: BinaryHeap<Key>,
}

impl Measured {
    /// Compares `rows` with `query`, to take the `k` nearest.
    pub(super) fn of(vectors: &Vectors, rows: Range<u32>, query: Query, k: usize) -> Self {
        let size = WAVE + k.saturating_mul(2);
        let mut cosines = vec![0.0; rows.len()];
        let best = measure(vectors, &rows, &query, size, &mut cosines).into_heap();
        Self {
            query,
            rows,
            cosines,
            size,
            best,
        }
    }

    /// Returns the `k` accepted rows that are nearest, best first.
    pub(super) fn nearest(self, vectors: &Vectors, k: usize, accept: Option<Accept>) -> Vec<Near> {
        let Self {
            query,
            rows,
            cosines,
            mut size,
            best: mut wave,
        } = self;
        let mut found = Found::new(vectors, &query, k, accept);
        loop {
            let taken = wave.len();
            let mut last = None;
            while let Some(key) = wave.pop() {
                if found.is_settled(key.cosine()) {
                    return found.into_sorted();
                }
                found.look_at(key.row());
                last = Some(key);
            }
            let Some(last) = last.filter(|_| taken == size) else {
                return found.into_sorted();
            };
            size = size.saturating_mul(GROWTH).min(rows.len());
            let mut sieve = Sieve::new(size);
            for (cosine, row) in cosines.iter().zip(rows.clone()) {
                let key = Key::new(*cosine, row);
                if key < last {
                    sieve.offer(key);
                }
            }
            wave = sieve.into_heap();
        }
    }
}

/// Writes about the cosine of each row to `cosines` and returns the best `size`.
fn measure(
    vectors: &Vectors,
    rows: &Range<u32>,
    query: &Query,
    size: usize,
    cosines: &mut [f32],
) -> Sieve {
    let parts = if cosines.len() < 2 * ROWS_PER_THREAD {
        1
    } else {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        cores.min(cosines.len() / ROWS_PER_THREAD)
    };
    let length = cosines.len().div_ceil(parts);
    let starts = (rows.start..).step_by(length);
    let mut parts = cosines.chunks_mut(length).zip(starts);
    let own = parts.next();
    thread::scope(|scope| {
        let others: Vec<_> = parts
            .map(|(part, start)| {
                scope.spawn(move || measure_part(vectors, start, query, size, part))
            })
            .collect();
        let mut best = own.map_or_else(
            || Sieve::new(size),
            |(part, start)| measure_part(vectors, start, query, size, part),
        );
        for other in others {
            match other.join() {
                Ok(other) => best.join(other),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        best
    })
}

fn measure_part(
    vectors: &Vectors,
    start: u32,
    query: &Query,
    size: usize,
    cosines: &mut [f32],
) -> Sieve {
    let mut best = Sieve::new(size);
    let mut row = start;
    for block in cosines.chunks_mut(BLOCK) {
        let end = row + block.len() as u32;
        query.rough(vectors.each(row..end), block);
        for cosine in block {
            best.offer(Key::new(*cosine, row));
            row += 1;
        }
    }
    best
}

/// The best rows so far, by their full cosines.
pub(super) struct Found<'a> {
    vectors: &'a Vectors,
    query: &'a Query,
    k: usize,
    accept: Option<Accept<'a>>,
    /// The worst of them is on top.
    best: BinaryHeap<Reverse<Key>>,
}

impl<'a> Found<'a> {
    pub(super) fn new(
        vectors: &'a Vectors,
        query: &'a Query,
        k: usize,
        accept: Option<Accept<'a>>,
    ) -> Self {
        Self {
            vectors,
            query,
            k,
            accept,
            best: BinaryHeap::new(),
        }
    }

    /// Returns true if a row of about this cosine, or a lower one, cannot change the answer.
    pub(super) fn is_settled(&self, rough: f32) -> bool {
        let worst = self.best.peek().filter(|_| self.best.len() >= self.k);
        worst.is_some_and(|Reverse(key)| key.cosine() > rough + self.query.error())
    }

    /// Takes `row` in if it is accepted and among the best; returns false if it is not as near as
    /// those found.
    pub(super) fn look_at(&mut self, row: u32) -> bool {
        let key = Key::new(self.query.exact(self.vectors.row(row)), row);
        let is_full = self.best.len() >= self.k;
        // What cannot enter is not asked for.
        if is_full && self.best.peek().is_some_and(|Reverse(worst)| key < *worst) {
            return false;
        }
        if let Some(accept) = self.accept
            && !accept(row, self.vectors.slot(row))
        {
            return true;
        }
        self.best.push(Reverse(key));
        if is_full {
            self.best.pop();
        }
        true
    }

    /// Returns how many were found.
    pub(super) fn len(&self) -> usize {
        self.best.len()
    }

    /// Returns the answer, best first.
    pub(super) fn into_sorted(self) -> Vec<Near> {
        let vectors = self.vectors;
        let keys = self.best.into_sorted_vec().into_iter();
        keys.map(|Reverse(key)| Near {
            row: key.row(),
            slot: vectors.slot(key.row()),
            cosine: key.cosine(),
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use proptest::prelude::*;

    use super::super::kernel::Kernel;
    use super::super::made::{self, vectors};
    use super::*;

    /// Compares everything with everything.
    fn compared(vectors: &Vectors, query: &[f32], k: usize, accept: Accept) -> Vec<Near> {
        let query = Query::new(query);
        let rows = (0..vectors.rows()).filter(|row| accept(*row, vectors.slot(*row)));
        let mut all: Vec<Near> = rows
            .map(|row| Near {
                row,
                slot: vectors.slot(row),
                cosine: vectors.cosine(row, &query),
            })
            .collect();
        all.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.row.cmp(&b.row)));
        all.truncate(k);
        all
    }

    /// Vectors of few different numbers: many are equal, and some are zero.
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
        fn the_answer_is_that_of_comparing_all(
            rows in coarse(),
            asked in 0usize..120,
            k in 0usize..130,
            modulus in 1u32..9,
        ) {
            let dir = tempfile::tempdir().unwrap();
            let file = made::file(dir.path(), 1, &rows);
            let query = &rows[asked % rows.len()];
            let accept = |row: u32, slot: u32| (row ^ slot).is_multiple_of(modulus);
            prop_assert_eq!(
                file.nearest(query, k, Some(&accept), None),
                compared(&file, query, k, &accept)
            );
            prop_assert_eq!(file.nearest(query, k, None, None), compared(&file, query, k, &|_, _| true));
        }

        #[test]
        fn every_kernel_gives_the_same(rows in coarse(), asked in 0usize..120) {
            let dir = tempfile::tempdir().unwrap();
            let file = made::file(dir.path(), 1, &rows);
            let query = Query::new(&rows[asked % rows.len()]);
            let about = |kernel| {
                let mut cosines = vec![0.0; rows.len()];
                let query = query.clone().with(kernel);
                query.rough(file.each(0..file.rows()), &mut cosines);
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

    #[test]
    fn kernels_agree_on_numbers_that_no_row_has() {
        let rows: Vec<u8> = (0..=255u8).cycle().take(4 * (64 + 4)).collect();
        let query: Vec<u8> = (0..64)
            .map(|x| if x % 3 == 0 { 127 } else { 129 })
            .collect();
        let about = |kernel: Kernel| {
            let mut cosines = [0.0; 4];
            kernel.cosines(&query, 1e-30, rows.chunks(68), &mut cosines);
            cosines
        };
        let bits = |cosines: [f32; 4]| cosines.map(f32::to_bits);
        assert_eq!(bits(about(Kernel::detect())), bits(about(Kernel::Portable)));
        let lowest = [0x80; 64 + 4];
        let mut sum = [0.0];
        Kernel::detect().cosines(&query, 1e-30, lowest.chunks(68), &mut sum);
        let mut expected = [0.0];
        Kernel::Portable.cosines(&query, 1e-30, lowest.chunks(68), &mut expected);
        assert_eq!(sum.map(f32::to_bits), expected.map(f32::to_bits));
    }

    #[test]
    fn many_rows_are_shared_between_threads_and_few_are_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let all = vectors(3 * ROWS_PER_THREAD + 17, 8, 1);
        let file = made::file(dir.path(), 1, &all);
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
    fn equal_rows_come_in_their_order() {
        let dir = tempfile::tempdir().unwrap();
        let file = made::file(dir.path(), 1, &vec![vec![0.5, -0.5, 0.1]; 3_000]);
        let found = file.nearest(&[0.5, -0.5, 0.1], 20, None, None);
        let rows: Vec<u32> = found.iter().map(|near| near.row).collect();
        assert_eq!(rows, (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_compared_finds_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let file = made::file(dir.path(), 1, &vectors(30, 40, 1));
        assert_eq!(file.nearest(&[1.0; 41], 10, None, None), []);
        assert_eq!(file.nearest(&[1.0; 40], 0, None, None), []);
        assert_eq!(file.nearest(&[1.0; 40], 10, Some(&|_, _| false), None), []);
        let none = file.nearest(&[0.0; 40], 3, None, None);
        assert!(none.iter().all(|near| near.cosine == 0.0) && none.len() == 3);
    }
}

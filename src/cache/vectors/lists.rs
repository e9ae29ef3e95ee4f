//! Notes sorted into lists of what is alike, around centres that a few rounds of k-means find.

use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};

use super::best::{Key, Sieve};
use super::kernel::Kernel;
use super::notes::NoteVectors;
use super::query::{quantise, scale};

/// How often the centres are moved to the middle of their lists.
const ROUNDS: usize = 4;
/// Notes per centre that these rounds look at.
const SAMPLE: usize = 32;
/// How many lists a note is compared with.
pub(super) const NEAR: usize = 16;
/// What a scale is multiplied with to become a whole number: sums of whole numbers do not depend on
/// the order in which threads add them up.
const WHOLE: f32 = (1 << 24) as f32;

/// The lists.
pub(super) struct Lists {
    stride: usize,
    /// Per note the lists nearest to it, nearest first.
    near: Vec<Vec<u32>>,
    /// The rows of all notes, list by list.
    rows: Vec<u8>,
    /// Their places.
    members: Vec<u32>,
    /// Where each list begins, and where the last one ends.
    starts: Vec<usize>,
}

impl Lists {
    /// Sorts `notes` into about twice as many lists as the root of their number.
    pub(super) fn of(notes: &NoteVectors, kernel: Kernel, seed: u64) -> Self {
        let count = (2.0 * (notes.len() as f64).sqrt()) as usize;
        let centres = centres(notes, kernel, count.max(NEAR), seed);
        let lists = |place| {
            let nearest = nearest(notes, kernel, &centres, place, NEAR);
            nearest.into_iter().map(Key::row).collect()
        };
        let near: Vec<Vec<u32>> = (0..notes.len()).into_par_iter().map(lists).collect();
        let mut starts = vec![0; centres.len() / notes.stride() + 1];
        for lists in &near {
            starts[lists[0] as usize + 1] += 1;
        }
        for list in 1..starts.len() {
            starts[list] += starts[list - 1];
        }
        let mut members: Vec<u32> = (0..notes.len() as u32).collect();
        members.sort_by_key(|place| near[*place as usize][0]);
        let mut rows = vec![0; notes.rows().len()];
        rows.par_chunks_exact_mut(notes.stride())
            .zip(&members)
            .for_each(|(row, place)| row.copy_from_slice(notes.row(*place as usize)));
        Self {
            stride: notes.stride(),
            near,
            rows,
            members,
            starts,
        }
    }

    /// Returns how many lists there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Returns the list that the note at `place` is in.
    pub(super) fn home(&self, place: u32) -> u32 {
        self.near[place as usize][0]
    }

    /// Returns the lists nearest to the note at `place`, its own first.
    pub(super) fn near(&self, place: u32) -> &[u32] {
        &self.near[place as usize]
    }

    /// Returns the rows of a list and the places of its notes.
    pub(super) fn list(&self, list: u32) -> (&[u8], &[u32]) {
        let [start, end] = [list as usize, list as usize + 1].map(|list| self.starts[list]);
        (
            &self.rows[start * self.stride..end * self.stride],
            &self.members[start..end],
        )
    }
}

/// Returns the `count` centres nearest to the note at `place`, nearest first.
fn nearest(
    notes: &NoteVectors,
    kernel: Kernel,
    centres: &[u8],
    place: usize,
    count: usize,
) -> Vec<Key> {
    let (numbers, rest) = notes.row(place).split_at(notes.width());
    let mut cosines = vec![0.0; centres.len() / notes.stride()];
    let rows = centres.chunks_exact(notes.stride());
    kernel.cosines(numbers, scale(rest), rows, &mut cosines);
    let mut sieve = Sieve::new(count);
    for (cosine, list) in cosines.iter().zip(0..) {
        sieve.offer(Key::new(*cosine, list));
    }
    sieve.into_best()
}

/// Returns `count` centres, as rows.
fn centres(notes: &NoteVectors, kernel: Kernel, count: usize, seed: u64) -> Vec<u8> {
    // Every so many notes from a place that the seed decides: notes that lie together in the vault
    // are often alike.
    let every = |count: usize| {
        let step = (notes.len() / count).max(1);
        (seed as usize % step..notes.len())
            .step_by(step)
            .take(count)
    };
    let mut centres: Vec<u8> = every(count)
        .flat_map(|place| notes.row(place).to_vec())
        .collect();
    let count = centres.len() / notes.stride();
    let sample: Vec<usize> = every(count * SAMPLE).collect();
    for _ in 0..ROUNDS {
        let width = notes.width();
        let sums = sample.par_chunks(1024).map(|places| {
            let mut sums = vec![0i64; count * width];
            for place in places {
                let home = nearest(notes, kernel, &centres, *place, 1)[0].row() as usize;
                let (numbers, rest) = notes.row(*place).split_at(width);
                let weight = (scale(rest) * WHOLE) as i64;
                let sum = &mut sums[home * width..][..width];
                for (sum, number) in sum.iter_mut().zip(numbers) {
                    *sum += i64::from(*number as i8) * weight;
                }
            }
            sums
        });
        let sums = sums.reduce(Vec::new, |mut sums, more| {
            if sums.is_empty() {
                return more;
            }
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += more;
            }
            sums
        });
        let middles = sums
            .chunks_exact(width)
            .zip(centres.chunks_exact_mut(notes.stride()));
        for (sum, centre) in middles {
            let middle: Vec<f32> = sum.iter().map(|sum| *sum as f32).collect();
            let mut small = vec![0; width];
            let scale = quantise(&middle, &mut small);
            // A centre that nobody is near to stays where it is.
            if scale > 0.0 {
                centre[..width].copy_from_slice(&small);
                centre[width..].copy_from_slice(&scale.to_le_bytes());
            }
        }
    }
    centres
}

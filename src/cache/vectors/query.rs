//! Vectors as small whole numbers: how a row is made of a vector, and what a search asks with.
//!
//! A row holds the direction of a vector in steps of 1/127 of its largest number, and the scale that
//! makes it a unit vector again, so that no cosine of two rows is above 1. The question stays as it
//! is: its small form only decides which rows are worth a second look, and by how much that form is
//! off at most is known, so that nothing is missed.

use super::kernel::Kernel;

/// The largest of the whole numbers; -128 is not used.
const LARGEST: f32 = 127.0;

/// How many sums are added to by turns in [`exact`]: the same on every machine, so that the last
/// digit is, too.
const LANES: usize = 16;

/// Returns how many numbers a row of `dims` is padded to.
pub(super) fn padded(dims: usize) -> usize {
    dims.next_multiple_of(32)
}

/// Writes the small form of `vector` to `small`, padded with zeros, and returns the size of a step.
///
/// A vector of zeros, or one with a number that is none, becomes zeros with a step of 0.
fn shrink(vector: &[f32], small: &mut [u8]) -> f32 {
    small.fill(0);
    let largest = vector
        .iter()
        .fold(0.0, |largest: f32, x| x.abs().max(largest));
    let is_usable = vector.iter().all(|x| x.is_finite());
    if largest < f32::MIN_POSITIVE || !is_usable {
        return 0.0;
    }
    for (small, x) in small.iter_mut().zip(vector) {
        *small = (x / largest * LARGEST).round() as i8 as u8;
    }
    largest / LARGEST
}

/// Writes the row of `vector` to `small`, padded with zeros, and returns its scale.
pub(super) fn quantise(vector: &[f32], small: &mut [u8]) -> f32 {
    if shrink(vector, small) == 0.0 {
        return 0.0;
    }
    let square: i32 = small.iter().map(|x| i32::from(*x as i8).pow(2)).sum();
    1.0 / (square as f32).sqrt()
}

/// What is searched for.
#[derive(Clone, Debug)]
pub struct Query {
    /// The unit vector, padded with zeros.
    whole: Vec<f32>,
    /// Its small form.
    small: Vec<u8>,
    /// The size of a step of the small form.
    step: f32,
    /// How far a cosine by the small form is from the true one at most.
    error: f32,
    kernel: Kernel,
}

impl Query {
    /// Prepares the search for `vector`, whose length does not matter.
    #[must_use]
    pub fn new(vector: &[f32]) -> Self {
        let mut whole = vec![0.0; padded(vector.len())];
        let square: f32 = vector.iter().map(|x| x * x).sum();
        if square.is_finite() && square > 0.0 {
            let length = square.sqrt();
            for (whole, x) in whole.iter_mut().zip(vector) {
                *whole = x / length;
            }
        }
        let mut small = vec![0; whole.len()];
        let step = shrink(&whole, &mut small);
        let lost = whole.iter().zip(&small);
        let lost: f32 = lost
            .map(|(x, s)| (x - f32::from(*s as i8) * step).powi(2))
            .sum();
        Self {
            // A row is a unit vector: its product with what was lost is no longer than that. The rest
            // is for what is lost in adding up.
            error: lost.sqrt() * 1.001 + 1e-4,
            whole,
            small,
            step,
            kernel: Kernel::detect(),
        }
    }

    /// Returns the padded width.
    pub(super) fn width(&self) -> usize {
        self.small.len()
    }

    /// Returns how far a cosine of [`Query::rough`] is from that of [`Query::exact`] at most.
    pub(super) fn error(&self) -> f32 {
        self.error
    }

    /// Writes about the cosine of each of `rows` to `cosines`.
    pub(super) fn rough<'r>(&self, rows: impl Iterator<Item = &'r [u8]>, cosines: &mut [f32]) {
        self.kernel.cosines(&self.small, self.step, rows, cosines);
    }

    /// Returns the cosine with `row`, from -1 to 1.
    pub(super) fn exact(&self, row: &[u8]) -> f32 {
        let (numbers, rest) = row.split_at(self.width());
        let mut sums = [0.0; LANES];
        let (whole, _) = self.whole.as_chunks::<LANES>();
        let (numbers, _) = numbers.as_chunks::<LANES>();
        for (whole, numbers) in whole.iter().zip(numbers) {
            for ((sum, x), number) in sums.iter_mut().zip(whole).zip(numbers) {
                *sum += x * f32::from(*number as i8);
            }
        }
        within(sums.iter().sum::<f32>() * scale(rest))
    }

    #[cfg(test)]
    pub(super) fn with(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }
}

/// Returns the scale of a row from the bytes that follow its numbers.
pub(super) fn scale(rest: &[u8]) -> f32 {
    rest.first_chunk()
        .map_or(0.0, |scale| f32::from_le_bytes(*scale))
}

/// Returns `cosine` within its bounds; what a damaged row makes of it is no number and becomes -1.
pub(super) fn within(cosine: f32) -> f32 {
    if cosine >= -1.0 {
        cosine.min(1.0)
    } else {
        -1.0
    }
}

//! A query vector, as given and quantised, with a bound on the quantisation error.
//!
//! The quantised form only selects the rows that need an exact cosine. Since its maximum error is known, no
//! row is missed.

use super::kernel::Kernel;
use super::quantized::{QuantizedVector, clamp_cosine, padded, quantize};

/// Number of partial sums in [`VectorQuery::exact`]: fixed, so that all machines give the same last digit.
const LANES: usize = 16;

#[derive(Clone, Debug)]
pub struct VectorQuery {
    /// The unit vector, padded with zeros.
    unit: Vec<f32>,
    components: Vec<i8>,
    scale: f32,
    /// Maximum difference between a rough and an exact cosine.
    error: f32,
    pub(super) kernel: Kernel,
}

impl VectorQuery {
    /// Prepares `vector`, of any length.
    pub fn new(vector: &[f32]) -> Self {
        let mut unit = vec![0.0; padded(vector.len())];
        let square: f32 = vector.iter().map(|x| x * x).sum();
        if square.is_finite() && square > 0.0 {
            let length = square.sqrt();
            for (unit, x) in unit.iter_mut().zip(vector) {
                *unit = x / length;
            }
        }
        let mut components = vec![0; unit.len()];
        let scale = quantize(&unit, &mut components);
        let both = unit.iter().zip(&components);
        let lost: f32 = both.map(|(x, c)| (x - f32::from(*c) * scale).powi(2)).sum();
        Self {
            // A row is a unit vector, so its product with the lost part is at most that part's length. The
            // rest covers rounding of the sum.
            error: lost.sqrt() * 1.001 + 1e-4,
            unit,
            components,
            scale,
            kernel: Kernel::detect(),
        }
    }

    pub(super) fn width(&self) -> usize {
        self.unit.len()
    }

    /// Returns the maximum difference between a rough cosine and [`VectorQuery::exact`].
    pub(super) fn error(&self) -> f32 {
        self.error
    }

    /// Returns the quantised form, for rough cosines.
    pub(super) fn quantized(&self) -> QuantizedVector<'_> {
        QuantizedVector {
            components: &self.components,
            scale: self.scale,
        }
    }

    /// Returns the cosine with `row`, from -1 to 1.
    pub(super) fn exact(&self, row: QuantizedVector<'_>) -> f32 {
        let mut sums = [0.0; LANES];
        let (unit, _) = self.unit.as_chunks::<LANES>();
        let (components, _) = row.components.as_chunks::<LANES>();
        for (unit, components) in unit.iter().zip(components) {
            for ((sum, x), component) in sums.iter_mut().zip(unit).zip(components) {
                *sum += x * f32::from(*component);
            }
        }
        clamp_cosine(sums.iter().sum::<f32>() * row.scale)
    }

    #[cfg(test)]
    pub(super) fn with(mut self, kernel: Kernel) -> Self {
        self.kernel = kernel;
        self
    }
}

//! A query vector, prepared: as it was given, and quantised with a bound on what that loses.
//!
//! The quantised form only decides which rows are worth an exact cosine, and by how much it is off at
//! most is known, so that nothing is missed.

use super::kernel::Kernel;
use super::quantized::{Quantized, clamp_cosine, padded, quantize};

/// How many partial sums [`Query::exact`] adds to in turn: the same on every machine, so that the
/// last digit is, too.
const LANES: usize = 16;

#[derive(Clone, Debug)]
pub struct Query {
    /// The unit vector, padded with zeros.
    unit: Vec<f32>,
    components: Vec<i8>,
    scale: f32,
    /// How far a rough cosine is from the exact one at most.
    error: f32,
    pub(super) kernel: Kernel,
}

impl Query {
    /// Prepares `vector`, of any length.
    #[must_use]
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
            // A row is a unit vector: its product with what was lost is no longer than that. The rest
            // is for what is lost in adding up.
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

    /// How far a rough cosine is from that of [`Query::exact`] at most.
    pub(super) fn error(&self) -> f32 {
        self.error
    }

    /// What rough cosines are made with.
    pub(super) fn quantized(&self) -> Quantized<'_> {
        Quantized {
            components: &self.components,
            scale: self.scale,
        }
    }

    /// Returns the cosine with `row`, from -1 to 1.
    pub(super) fn exact(&self, row: Quantized<'_>) -> f32 {
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

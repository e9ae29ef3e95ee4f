//! Vectors as signed bytes: scalar quantisation, one scale per vector.
//!
//! Components are in steps of 1/127 of the largest one. The scale restores the unit vector, so that no cosine
//! of two vectors exceeds 1.

/// The largest component; -128 is not used.
const MAX_COMPONENT: f32 = 127.0;

/// Returns the width to which vectors of `dims` components are padded with zeros: the kernels read 32 bytes
/// at a time.
pub(super) fn padded(dims: usize) -> usize {
    dims.next_multiple_of(32)
}

/// A quantised vector, borrowed from a file, a table or a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct QuantizedVector<'v> {
    /// Padded components.
    pub(super) components: &'v [i8],
    /// Factor on the components.
    pub(super) scale: f32,
}

/// Writes `vector` to `components`, padded with zeros, and returns the step size.
///
/// A zero vector, or one with a component that is not finite, becomes zeros with step 0.
pub(super) fn quantize(vector: &[f32], components: &mut [i8]) -> f32 {
    components.fill(0);
    let largest = vector.iter().fold(0.0, |most: f32, x| x.abs().max(most));
    if largest < f32::MIN_POSITIVE || !vector.iter().all(|x| x.is_finite()) {
        return 0.0;
    }
    for (component, x) in components.iter_mut().zip(vector) {
        *component = (x / largest * MAX_COMPONENT).round() as i8;
    }
    largest / MAX_COMPONENT
}

/// As [`quantize`], and returns `components` as a unit vector.
pub(super) fn quantize_unit<'c>(vector: &[f32], components: &'c mut [i8]) -> QuantizedVector<'c> {
    let is_zero = quantize(vector, components) == 0.0;
    let square: i32 = components.iter().map(|x| i32::from(*x).pow(2)).sum();
    let length = (square as f32).sqrt();
    QuantizedVector {
        components,
        scale: if is_zero { 0.0 } else { 1.0 / length },
    }
}

/// Returns the sum of the components as unsigned bytes.
pub(super) fn component_sum(components: &[i8]) -> u32 {
    components.iter().map(|byte| u32::from(*byte as u8)).sum()
}

/// Clamps `cosine`; NaN, the result of a damaged row, becomes -1.
pub(super) fn clamp_cosine(cosine: f32) -> f32 {
    if cosine >= -1.0 {
        cosine.min(1.0)
    } else {
        -1.0
    }
}

/// Quantised unit vectors in memory, in insertion order.
#[derive(Clone, Debug, Default)]
pub(super) struct QuantizedTable {
    width: usize,
    components: Vec<i8>,
    scales: Vec<f32>,
}

impl QuantizedTable {
    pub(super) fn new(dims: usize) -> Self {
        Self {
            width: padded(dims),
            ..Self::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Returns the padded width of a vector.
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn get(&self, index: usize) -> QuantizedVector<'_> {
        QuantizedVector {
            components: &self.components[index * self.width..][..self.width],
            scale: self.scales[index],
        }
    }

    /// Returns the vectors of `range` in order.
    pub(super) fn range(
        &self,
        range: std::ops::Range<usize>,
    ) -> impl ExactSizeIterator<Item = QuantizedVector<'_>> {
        let components = &self.components[range.start * self.width..range.end * self.width];
        let vectors = components.chunks_exact(self.width).zip(&self.scales[range]);
        vectors.map(|(components, scale)| QuantizedVector {
            components,
            scale: *scale,
        })
    }

    pub(super) fn push(&mut self, vector: QuantizedVector<'_>) {
        self.components.extend_from_slice(vector.components);
        self.scales.push(vector.scale);
    }

    pub(super) fn set(&mut self, index: usize, vector: QuantizedVector<'_>) {
        self.components[index * self.width..][..self.width].copy_from_slice(vector.components);
        self.scales[index] = vector.scale;
    }
}

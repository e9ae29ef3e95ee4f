//! The forward pass: BERT and the mean of its last layer (Reimers and Gurevych, 2019).
//!
//! Functions are inlined into one function per instruction set. None of them reorders sums or fuses
//! operations, so that all give the same result.

#![expect(
    clippy::inline_always,
    reason = "a function is compiled for the instructions of its caller"
)]

use super::matmul::{Activations, TOKENS, Tile, TokenGroup, portable_tile};
use super::weights::{EncoderWeights, INNER, Layer, Norm, WIDTH};
use crate::embed::normalise;

const HEADS: usize = 12;
/// Components of a head.
const HEAD_WIDTH: usize = WIDTH / HEADS;
/// Numbers computed together.
const LANES: usize = 16;

/// The instructions of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Vnni,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl Instructions {
    /// Returns all that this processor has, the fastest first.
    pub(super) fn available() -> Vec<Self> {
        let mut available = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            let has_vnni = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni");
            if has_vnni {
                available.push(Self::Vnni);
            }
            if is_x86_feature_detected!("avx2") {
                available.push(Self::Avx2);
            }
        }
        available.push(Self::Portable);
        available
    }

    /// Returns the vector of a text, of length 1.
    pub(super) fn vector(self, weights: &EncoderWeights, tokens: &[u32]) -> Vec<f32> {
        match self {
            // SAFETY: `available` returns these on processors that have the instructions.
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            Self::Vnni => unsafe { with_vnni(weights, tokens) },
            #[cfg(target_arch = "x86_64")]
            #[expect(unsafe_code, reason = "instructions that not every processor has")]
            Self::Avx2 => unsafe { with_avx2(weights, tokens) },
            Self::Portable => vector(weights, tokens, portable_tile),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512vnni")]
fn with_vnni(weights: &EncoderWeights, tokens: &[u32]) -> Vec<f32> {
    vector(weights, tokens, |group, tiles| {
        super::matmul::x86::vnni_tile(group, tiles)
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2(weights: &EncoderWeights, tokens: &[u32]) -> Vec<f32> {
    vector(weights, tokens, |group, tiles| {
        super::matmul::x86::avx2_tile(group, tiles)
    })
}

#[inline(always)]
fn vector(
    weights: &EncoderWeights,
    tokens: &[u32],
    tile: impl Fn(TokenGroup<'_>, [&[[i8; 64]]; 2]) -> Tile,
) -> Vec<f32> {
    let rows = tokens.len().next_multiple_of(TOKENS);
    let mut hidden = vec![0.0; rows * WIDTH];
    let states = hidden.as_chunks_mut::<WIDTH>().0;
    for ((state, token), position) in states.iter_mut().zip(tokens).zip(weights.positions) {
        *state = weights.rows[*token as usize].components();
        for (number, position) in state.iter_mut().zip(position) {
            *number += position.get();
        }
    }
    let mut pass = Pass {
        tokens: tokens.len(),
        activations: Activations::default(),
        qkv: vec![0.0; rows * 3 * WIDTH],
        attended: vec![0.0; rows * WIDTH],
        inner: vec![0.0; rows * INNER],
        keys: vec![[[0.0; LANES]; HEAD_WIDTH]; rows.div_ceil(LANES)],
        scores: std::array::from_fn(|_| vec![[0.0; LANES]; rows.div_ceil(LANES)]),
        hidden,
    };
    pass.normalise(&weights.norm);
    for layer in &weights.layers {
        pass.apply(layer, &tile);
    }
    let mut mean = vec![0.0; WIDTH];
    for state in &pass.hidden.as_chunks::<WIDTH>().0[..tokens.len()] {
        for (sum, number) in mean.iter_mut().zip(state) {
            *sum += number;
        }
    }
    normalise(&mut mean);
    mean
}

/// The numbers of a pass. Rows are filled up to a multiple of [`TOKENS`].
struct Pass {
    tokens: usize,
    hidden: Vec<f32>,
    activations: Activations,
    qkv: Vec<f32>,
    attended: Vec<f32>,
    inner: Vec<f32>,
    /// The keys of a head: each component of 16 tokens.
    keys: Vec<[[f32; LANES]; HEAD_WIDTH]>,
    /// Query times key, then the softmax of that, for all keys.
    scores: [Vec<[f32; LANES]>; TOKENS],
}

impl Pass {
    #[inline(always)]
    fn apply(&mut self, layer: &Layer, tile: &impl Fn(TokenGroup<'_>, [&[[i8; 64]]; 2]) -> Tile) {
        self.activations.set(WIDTH, &self.hidden);
        self.activations.multiply(&layer.qkv, tile, &mut self.qkv);
        self.attend();
        self.activations.set(WIDTH, &self.attended);
        self.activations
            .multiply(&layer.out, tile, &mut self.attended);
        self.add(&layer.attention_norm);
        self.activations.set(WIDTH, &self.hidden);
        self.activations
            .multiply(&layer.wide, tile, &mut self.inner);
        for number in &mut self.inner {
            *number = gelu(*number);
        }
        self.activations.set(INNER, &self.inner);
        self.activations
            .multiply(&layer.narrow, tile, &mut self.attended);
        self.add(&layer.norm);
    }

    /// Adds the result of a block and normalises.
    #[inline(always)]
    fn add(&mut self, norm: &Norm) {
        for (sum, number) in self.hidden.iter_mut().zip(&self.attended) {
            *sum += number;
        }
        self.normalise(norm);
    }

    #[inline(always)]
    fn normalise(&mut self, norm: &Norm) {
        for state in self.hidden.as_chunks_mut::<WIDTH>().0 {
            let mean = sum(state, |number| number) / WIDTH as f32;
            let variance = sum(state, |number| (number - mean) * (number - mean)) / WIDTH as f32;
            let factor = 1.0 / (variance + 1e-12).sqrt();
            for (at, number) in state.iter_mut().enumerate() {
                *number = (*number - mean) * factor * norm.scale[at].get() + norm.shift[at].get();
            }
        }
    }

    /// Each head: mean of the values, weighted by the softmax of query times key.
    #[inline(always)]
    fn attend(&mut self) {
        let (rows, _) = self.qkv.as_chunks::<{ 3 * WIDTH }>();
        for head in 0..HEADS {
            let [queries, keys, values] = [0, WIDTH, 2 * WIDTH].map(|at| at + head * HEAD_WIDTH);
            for (token, row) in rows.iter().enumerate() {
                for (component, key) in row[keys..][..HEAD_WIDTH].iter().enumerate() {
                    self.keys[token / LANES][component][token % LANES] = *key;
                }
            }
            let out = self.attended.as_chunks_mut::<{ TOKENS * WIDTH }>().0;
            for (out, rows_of_group) in out.iter_mut().zip(rows.as_chunks::<TOKENS>().0) {
                for (block, keys) in self.keys.iter().enumerate() {
                    let mut sums = [[0.0; LANES]; TOKENS];
                    for (component, keys) in keys.iter().enumerate() {
                        let factors = rows_of_group.each_ref().map(|row| row[queries + component]);
                        add_multiples(&mut sums, factors, keys);
                    }
                    for (scores, sums) in self.scores.iter_mut().zip(sums) {
                        scores[block] = sums;
                    }
                }
                for scores in &mut self.scores {
                    softmax(&mut scores.as_flattened_mut()[..self.tokens]);
                }
                for at in (0..HEAD_WIDTH).step_by(LANES) {
                    let mut sums = [[0.0; LANES]; TOKENS];
                    for (token, row) in rows[..self.tokens].iter().enumerate() {
                        let values = row[values + at..].first_chunk().expect("inside the row");
                        let factors = self
                            .scores
                            .each_ref()
                            .map(|scores| scores[token / LANES][token % LANES]);
                        add_multiples(&mut sums, factors, values);
                    }
                    for (out, sums) in out.as_chunks_mut::<WIDTH>().0.iter_mut().zip(&sums) {
                        out[head * HEAD_WIDTH + at..][..LANES].copy_from_slice(sums);
                    }
                }
            }
        }
    }
}

/// Adds `numbers` times the factor of each token.
#[inline(always)]
fn add_multiples(
    sums: &mut [[f32; LANES]; TOKENS],
    factors: [f32; TOKENS],
    numbers: &[f32; LANES],
) {
    for token in 0..TOKENS {
        for lane in 0..LANES {
            sums[token][lane] += factors[token] * numbers[lane];
        }
    }
}

/// Returns the sum of a function of each component.
#[inline(always)]
fn sum(state: &[f32; WIDTH], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0; LANES];
    for lanes in state.as_chunks::<LANES>().0 {
        for lane in 0..LANES {
            sums[lane] += of(lanes[lane]);
        }
    }
    sums.iter().sum()
}

#[inline(always)]
fn softmax(weights: &mut [f32]) {
    let mut largest = f32::MIN;
    for weight in &*weights {
        largest = if *weight > largest { *weight } else { largest };
    }
    for weight in &mut *weights {
        *weight = exp(*weight - largest);
    }
    let total: f32 = weights.iter().sum();
    for weight in weights {
        *weight /= total;
    }
}

/// Returns e to the power of `x`, relative error below 1e-6, for `x` up to 0.
///
/// Platforms differ in their own `exp`.
#[inline(always)]
fn exp(x: f32) -> f32 {
    /// A float of this size has no fraction; its lowest bits are the integer added to it.
    const ROUNDING: f32 = 12_582_912.0;
    let x = if x < -87.0 { -87.0 } else { x };
    let power = x * std::f32::consts::LOG2_E + ROUNDING;
    let whole = power - ROUNDING;
    // The logarithm of 2 in two parts, the first exact when multiplied.
    let rest = x - whole * 0.693_359_4 + whole * 2.121_944_4e-4;
    let mut value = 1.0 / 720.0;
    for coefficient in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        value = value * rest + coefficient;
    }
    f32::from_bits(value.to_bits().wrapping_add(power.to_bits() << 23))
}

/// Gaussian error linear unit, with the error function of Abramowitz and Stegun, 7.1.26.
#[inline(always)]
fn gelu(x: f32) -> f32 {
    let z = x.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * z);
    let mut tail = 1.061_405_4;
    for coefficient in [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6] {
        tail = tail * t + coefficient;
    }
    let erf = 1.0 - tail * t * exp(-z * z);
    0.5 * (x + x.abs() * erf)
}

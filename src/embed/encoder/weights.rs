//! The file of an encoder, used in place in the binary, so that a query reads only the pages it needs.
//!
//! `model/pack_encoder.py` writes it and describes its format. A unit test reads the whole file, so reading
//! it cannot fail at run time.

#![expect(
    clippy::inline_always,
    reason = "a function is compiled for the instructions of its caller"
)]

use zerocopy::little_endian::{F32, U32};
use zerocopy_derive::{FromBytes, Immutable, KnownLayout, Unaligned};

use crate::embed::embedder::Thresholds;
use crate::embed::model_file::ModelSections;

/// Components of a hidden state and of a vector.
pub(super) const WIDTH: usize = 384;
/// Components between the two halves of a feed-forward network.
pub(super) const INNER: usize = 1536;

/// Inputs whose weights share a scale.
const BLOCK: usize = 32;

/// Alignment of sections: one vector register.
const ALIGNMENT: usize = 64;

#[repr(align(64))]
pub(super) struct AlignedBytes<T: ?Sized>(T);

pub(super) static ENGLISH: &AlignedBytes<[u8]> =
    &AlignedBytes(*include_bytes!("../../../model/mem-encoder-english.bin"));
pub(super) static EUROPEAN: &AlignedBytes<[u8]> =
    &AlignedBytes(*include_bytes!("../../../model/mem-encoder-european.bin"));

#[derive(Debug)]
pub(super) struct EncoderWeights {
    pub(super) thresholds: Thresholds,
    /// Without pieces the tokens are those of the token table.
    pub(super) pieces: Pieces,
    /// A row for each token, then for an unknown one, the start and the end.
    pub(super) rows: &'static [TokenRow],
    pub(super) positions: &'static [[F32; WIDTH]],
    /// What is taken away from the vectors of passages and of queries.
    pub(super) centres: [&'static [F32; WIDTH]; 2],
    pub(super) norm: Norm,
    pub(super) layers: Vec<Layer>,
}

/// The embedding of a token.
#[derive(Debug, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct TokenRow {
    scale: F32,
    scales: [i8; WIDTH / BLOCK],
    numbers: [PackedTile; WIDTH / 64],
}

impl TokenRow {
    /// Returns the components of the embedding.
    #[inline(always)]
    pub(super) fn components(&self) -> [f32; WIDTH] {
        let mut components = [0.0; WIDTH];
        let tiles = components.as_chunks_mut::<64>().0;
        for ((tile, numbers), scales) in tiles
            .iter_mut()
            .zip(&self.numbers)
            .zip(self.scales.as_chunks::<2>().0)
        {
            let scales = std::array::from_fn(|at| i16::from(scales[at / BLOCK]));
            for (component, number) in tile.iter_mut().zip(weights(numbers, &scales)) {
                *component = self.scale.get() * f32::from(number);
            }
        }
        components
    }
}

/// 64 numbers of 4 bits: byte i has number i in its lower half and number i + 32 in its upper one.
type PackedTile = [u8; 32];

/// Returns 64 weights of 8 bits from their numbers and the scales of their blocks.
#[inline(always)]
fn weights(numbers: &PackedTile, scales: &[i16; 64]) -> [i8; 64] {
    let mut weights = [0; 64];
    let (lower, upper) = weights.split_at_mut(32);
    for at in 0..32 {
        let [low, high] = [numbers[at] & 15, numbers[at] >> 4].map(|number| i16::from(number) - 8);
        lower[at] = ((low * scales[at] + 4) >> 3) as i8;
        upper[at] = ((high * scales[at + 32] + 4) >> 3) as i8;
    }
    weights
}

/// Scale and shift of a layer norm.
#[derive(Debug)]
pub(super) struct Norm {
    pub(super) scale: &'static [F32; WIDTH],
    pub(super) shift: &'static [F32; WIDTH],
}

#[derive(Debug)]
pub(super) struct Layer {
    /// Queries, keys and values side by side.
    pub(super) qkv: Matrix,
    pub(super) out: Matrix,
    pub(super) attention_norm: Norm,
    pub(super) wide: Matrix,
    pub(super) narrow: Matrix,
    pub(super) norm: Norm,
}

/// A linear map.
#[derive(Debug)]
pub(super) struct Matrix {
    pub(super) scales: &'static [F32],
    pub(super) biases: &'static [F32],
    pub(super) tiles: Tiles,
}

/// For each 16 outputs and each 4 inputs: the weights of these.
#[derive(Debug)]
pub(super) enum Tiles {
    /// Weights of 8 bits.
    Whole(&'static [[i8; 64]]),
    /// Weights of 4 bits, and for each 16 outputs and each block of inputs: the scales of these.
    Packed {
        blocks: &'static [[i8; 16]],
        tiles: &'static [PackedTile],
    },
}

impl Matrix {
    /// Returns the number of outputs.
    pub(super) fn outputs(&self) -> usize {
        self.scales.len()
    }

    /// Returns the weights of 32 outputs, those of the first 16 first. `decoded` is where packed ones go.
    #[inline(always)]
    pub(super) fn tiles<'t>(&self, pair: usize, decoded: &'t mut Vec<[i8; 64]>) -> &'t [[i8; 64]] {
        const TILES: usize = BLOCK / 4;
        let pairs = self.outputs() / 32;
        let part = |length: usize| pair * (length / pairs)..(pair + 1) * (length / pairs);
        match self.tiles {
            Tiles::Whole(tiles) => &tiles[part(tiles.len())],
            Tiles::Packed { blocks, tiles } => {
                decoded.clear();
                let part = part(blocks.len());
                let tiles = &tiles.as_chunks::<TILES>().0[part.clone()];
                for (scales, tiles) in blocks[part].iter().zip(tiles) {
                    let scales = std::array::from_fn(|at| i16::from(scales[at / 4]));
                    decoded.extend(tiles.iter().map(|tile| weights(tile, &scales)));
                }
                decoded
            }
        }
    }
}

/// The pieces of words, sorted by their bytes.
#[derive(Debug)]
pub(super) struct Pieces {
    starts: &'static [U32],
    /// Log probability of each piece.
    scores: &'static [F32],
    text: &'static [u8],
}

impl Pieces {
    /// Returns the number of pieces.
    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    pub(super) fn score(&self, piece: usize) -> f32 {
        self.scores[piece].get()
    }

    pub(super) fn text(&self, piece: usize) -> &'static [u8] {
        &self.text[self.starts[piece].get() as usize..self.starts[piece + 1].get() as usize]
    }
}

#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: U32,
    layers: U32,
    bits: U32,
    rows: U32,
    positions: U32,
    pieces: U32,
    text: U32,
    related: F32,
    cluster_short: F32,
    cluster_note: F32,
    duplicate: F32,
}

impl EncoderWeights {
    /// Splits a file into sections; `None` if it does not match the format.
    pub(super) fn of_file(file: &'static AlignedBytes<[u8]>) -> Option<Self> {
        let mut rest = ModelSections(&file.0);
        let header: &Header = rest.take::<Header>(1)?.first()?;
        if header.magic != *b"MEMENCOD" || header.version.get() != 2 {
            return None;
        }
        let count = |number: U32| number.get() as usize;
        let positions = rest.take(count(header.positions))?;
        let centres = rest.centres()?;
        let norm = rest.norm()?;
        let layers = (0..header.layers.get()).map(|_| rest.layer(header.bits.get()));
        let layers = layers.collect::<Option<_>>()?;
        let rows = rest.take(count(header.rows))?;
        let pieces = count(header.pieces);
        let starts = if pieces > 0 { pieces + 1 } else { 0 };
        let weights = Self {
            thresholds: Thresholds {
                related: header.related.get(),
                cluster_short: header.cluster_short.get(),
                cluster_note: header.cluster_note.get(),
                duplicate: header.duplicate.get(),
            },
            positions,
            centres,
            norm,
            layers,
            rows,
            pieces: Pieces {
                starts: rest.take(starts)?,
                scores: rest.take(pieces)?,
                text: rest.take(count(header.text))?,
            },
        };
        rest.0.is_empty().then_some(weights)
    }
}

impl ModelSections<ALIGNMENT> {
    fn norm(&mut self) -> Option<Norm> {
        Some(Norm {
            scale: self.take(1)?.first()?,
            shift: self.take(1)?.first()?,
        })
    }

    fn centres(&mut self) -> Option<[&'static [F32; WIDTH]; 2]> {
        Some([self.take(1)?.first()?, self.take(1)?.first()?])
    }

    fn matrix(&mut self, bits: u32, inputs: usize, outputs: usize) -> Option<Matrix> {
        let (scales, biases) = (self.take(outputs)?, self.take(outputs)?);
        let tiles = inputs * outputs / 64;
        let tiles = match bits {
            8 => Tiles::Whole(self.take(tiles)?),
            4 => Tiles::Packed {
                blocks: self.take(inputs / BLOCK * outputs / 16)?,
                tiles: self.take(tiles)?,
            },
            _ => return None,
        };
        Some(Matrix {
            scales,
            biases,
            tiles,
        })
    }

    fn layer(&mut self, bits: u32) -> Option<Layer> {
        Some(Layer {
            qkv: self.matrix(bits, WIDTH, 3 * WIDTH)?,
            out: self.matrix(bits, WIDTH, WIDTH)?,
            attention_norm: self.norm()?,
            wide: self.matrix(bits, WIDTH, INNER)?,
            narrow: self.matrix(bits, INNER, WIDTH)?,
            norm: self.norm()?,
        })
    }
}

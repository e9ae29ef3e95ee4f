//! The file of the encoder, used in place in the binary, so that a query reads only the pages it needs.
//!
//! `model/pack_encoder.py` writes it and describes its format. A unit test reads the whole file, so reading
//! it cannot fail at run time.

use zerocopy::little_endian::{F32, U32};
use zerocopy_derive::{FromBytes, Immutable, KnownLayout, Unaligned};

use crate::embed::embedder::Thresholds;
use crate::embed::model_file::Sections;

/// Components of a hidden state and of a vector.
pub(super) const WIDTH: usize = 384;
/// Components between the two halves of a feed-forward network.
pub(super) const INNER: usize = 1536;

const LAYERS: usize = 6;

/// Alignment of sections: one vector register.
const ALIGNMENT: usize = 64;

#[repr(align(64))]
struct AlignedBytes<T: ?Sized>(T);

static BYTES: &AlignedBytes<[u8]> =
    &AlignedBytes(*include_bytes!("../../../model/mem-encoder.bin"));

#[derive(Debug)]
pub(super) struct Weights {
    pub(super) thresholds: Thresholds,
    pub(super) words: &'static [WordRow],
    pub(super) positions: &'static [[F32; WIDTH]],
    pub(super) norm: Norm,
    pub(super) layers: [Layer; LAYERS],
}

/// The embedding of a token.
#[derive(Debug, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub(super) struct WordRow {
    pub(super) scale: F32,
    pub(super) components: [i8; WIDTH],
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

/// A linear map with 8-bit weights.
#[derive(Debug)]
pub(super) struct Matrix {
    pub(super) scales: &'static [F32],
    pub(super) biases: &'static [F32],
    /// For each 16 outputs and each 4 inputs: the weights of these.
    pub(super) tiles: &'static [[i8; 64]],
}

#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: U32,
    tokens: U32,
    positions: U32,
    related: F32,
    cluster_short: F32,
    cluster_note: F32,
    duplicate: F32,
}

impl Weights {
    /// Splits the file into sections; `None` if it does not match the format.
    pub(super) fn of_file() -> Option<Self> {
        let mut rest = Sections(&BYTES.0);
        let header: &Header = rest.take::<Header>(1)?.first()?;
        if header.magic != *b"MEMENCOD" || header.version.get() != 1 {
            return None;
        }
        let weights = Self {
            thresholds: Thresholds {
                related: header.related.get(),
                cluster_short: header.cluster_short.get(),
                cluster_note: header.cluster_note.get(),
                duplicate: header.duplicate.get(),
            },
            positions: rest.take(header.positions.get() as usize)?,
            norm: rest.norm()?,
            layers: [
                rest.layer()?,
                rest.layer()?,
                rest.layer()?,
                rest.layer()?,
                rest.layer()?,
                rest.layer()?,
            ],
            words: rest.take(header.tokens.get() as usize)?,
        };
        rest.0.is_empty().then_some(weights)
    }
}

impl Sections<ALIGNMENT> {
    fn norm(&mut self) -> Option<Norm> {
        Some(Norm {
            scale: self.take(1)?.first()?,
            shift: self.take(1)?.first()?,
        })
    }

    fn matrix(&mut self, inputs: usize, outputs: usize) -> Option<Matrix> {
        Some(Matrix {
            scales: self.take(outputs)?,
            biases: self.take(outputs)?,
            tiles: self.take(inputs * outputs / ALIGNMENT)?,
        })
    }

    fn layer(&mut self) -> Option<Layer> {
        Some(Layer {
            qkv: self.matrix(WIDTH, 3 * WIDTH)?,
            out: self.matrix(WIDTH, WIDTH)?,
            attention_norm: self.norm()?,
            wide: self.matrix(WIDTH, INNER)?,
            narrow: self.matrix(INNER, WIDTH)?,
            norm: self.norm()?,
        })
    }
}

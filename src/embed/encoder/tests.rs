//! Comparison with the original model, and of the instruction sets with each other.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use zerocopy::little_endian::F32;

#[cfg(target_arch = "x86_64")]
use super::matmul::x86;
use super::matmul::{Activations, portable_tile};
use super::pass::Instructions;
use super::weights::{Matrix, Tiles, WIDTH};
use super::{Encoder, english, european, spelling};
use crate::embed::embedder::{Embedder as _, EmbeddingPurpose, normalise};

/// Vectors of the original models, computed by `model/pack_encoder.py`, and their texts.
const REFERENCES: [&str; 2] = [
    include_str!("../../../fixtures/encoder/english.tsv"),
    include_str!("../../../fixtures/encoder/european.tsv"),
];

fn encoders() -> [&'static Encoder; 2] {
    [english(), european()]
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn vectors_match_the_original_model() {
    for (encoder, reference) in encoders().into_iter().zip(REFERENCES) {
        let lines = reference.lines().map(|line| line.split_once('\t').unwrap());
        let (originals, texts): (Vec<&str>, Vec<&str>) = lines.unzip();
        assert!(texts.len() >= 10);
        let vectors = encoder.embed(&texts, EmbeddingPurpose::Passage).unwrap();
        for ((original, text), vector) in originals.iter().zip(&texts).zip(vectors) {
            let bytes = BASE64_STANDARD.decode(original).unwrap();
            let numbers = bytes.iter().map(|byte| f32::from(byte.cast_signed()));
            let mut original: Vec<f32> = numbers.collect();
            assert!(normalise(&mut original));
            let cosine = cosine(&original, &vector);
            let least = if encoder.is_european() { 0.97 } else { 0.985 };
            assert!(cosine >= least, "{cosine} for {text}");
        }
    }
}

#[test]
fn instruction_sets_give_the_same_vector() {
    let Encoder { weights, .. } = english();
    let tokens = english().tokens("Tea", EmbeddingPurpose::Passage);
    let by = |instructions: Instructions| instructions.vector(weights, &tokens);
    let expected = by(Instructions::Portable);
    for instructions in Instructions::available() {
        assert_eq!(by(instructions), expected, "{instructions:?}");
    }
}

#[test]
fn instruction_sets_give_the_same_products() {
    type Numbers = fn(usize) -> i32;
    // The largest sums, with both signs, and a mixture. Numbers are from 0 to 15.
    let mixed = |at: usize| (at * 89 % 255) as i32 - 127;
    let cases: [(&str, Numbers, Numbers, Numbers); 4] = [
        ("largest", |_| 127, |_| 0, |_| -127),
        ("smallest", |_| 127, |_| 0, |_| 127),
        (
            "both",
            |_| -127,
            |_| 0,
            |at| if at % 2 == 0 { 127 } else { -127 },
        ),
        ("mixed", mixed, |at| (at * 57 % 16) as i32, mixed),
    ];
    for (case, input, number, scale) in cases {
        let inputs: Vec<f32> = (0..8 * WIDTH).map(|at| input(at) as f32).collect();
        let mut activations = Activations::default();
        activations.set(WIDTH, &inputs);
        // Of output and input: the number, and the scale of its block.
        let number = |output: usize, input: usize| number(output * WIDTH + input);
        let scale = |output: usize, input: usize| scale(output * 12 + input / 32);
        let tile = |tile: usize, at: usize| {
            let output = tile / (WIDTH / 4) * 16 + at / 4;
            number(output, tile % (WIDTH / 4) * 4 + at % 4) as u8
        };
        let tiles: Vec<[u8; 32]> = (0..32 * WIDTH / 64)
            .map(|at| std::array::from_fn(|byte| tile(at, byte) | tile(at, byte + 32) << 4))
            .collect();
        let blocks: Vec<[i8; 16]> = (0..2 * 12)
            .map(|block| {
                std::array::from_fn(|lane| scale(block / 12 * 16 + lane, block % 12 * 32) as i8)
            })
            .collect();
        let matrix = Matrix {
            scales: Vec::leak(vec![F32::new(1.0); 32]),
            biases: Vec::leak(vec![F32::new(0.5); 32]),
            tiles: Tiles::Packed {
                blocks: Vec::leak(blocks),
                tiles: Vec::leak(tiles),
            },
        };
        let by = |instructions: Instructions| {
            let mut out = vec![0.0; 8 * 32];
            match instructions {
                #[cfg(target_arch = "x86_64")]
                #[expect(unsafe_code, reason = "this processor has the instructions")]
                // SAFETY: `available` returned them.
                Instructions::Vnni => activations.multiply(
                    &matrix,
                    |group, tiles| unsafe { x86::vnni_tile(group, tiles) },
                    &mut out,
                ),
                #[cfg(target_arch = "x86_64")]
                #[expect(unsafe_code, reason = "this processor has the instructions")]
                // SAFETY: `available` returned them.
                Instructions::Avx2 => activations.multiply(
                    &matrix,
                    |group, tiles| unsafe { x86::avx2_tile(group, tiles) },
                    &mut out,
                ),
                Instructions::Portable => {
                    activations.multiply(&matrix, portable_tile, &mut out);
                }
            }
            out
        };
        let expected = by(Instructions::Portable);
        let product = |token: usize, output: usize| -> i32 {
            let weight = |k| ((number(output, k) - 8) * scale(output, k) + 4) >> 3;
            let products = (0..WIDTH).map(|k| input(token * WIDTH + k) * weight(k));
            products.sum()
        };
        let simple = (0..8 * 32).map(|at| product(at / 32, at % 32) as f32 + 0.5);
        assert_eq!(expected, simple.collect::<Vec<_>>(), "{case}");
        for instructions in Instructions::available() {
            assert_eq!(by(instructions), expected, "{case}, {instructions:?}");
        }
    }
}

#[test]
fn vectors_depend_on_the_text_alone() {
    let embed = |texts: &[&str]| european().embed(texts, EmbeddingPurpose::Passage).unwrap();
    let texts = ["", "Tea.", "Coffee!", "Tea."];
    let together = embed(&texts);
    let alone: Vec<_> = texts.iter().flat_map(|text| embed(&[text])).collect();
    assert_eq!(together, alone);
    assert_eq!(together[1], together[3]);
    assert_ne!(together[1], together[2]);
    for vector in &together {
        assert!((cosine(vector, vector) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn tokens_fill_at_most_all_positions() {
    for encoder in encoders() {
        let tokens = |text: &str| encoder.tokens(text, EmbeddingPurpose::Query);
        let long = "one two three four five six seven ".repeat(60);
        assert_eq!(tokens(&long).len(), encoder.weights.positions.len());
        assert_eq!(tokens(&long), tokens(&format!("{long} and more")));
        assert_eq!(tokens(&long).last(), tokens("tea").last());
    }
}

/// The pieces that `model/pack_encoder.py` finds.
#[test]
fn pieces_have_the_largest_score() {
    let Encoder { weights, .. } = european();
    for (text, expected) in [
        ("", "▁"),
        ("Tea with milk", "▁Tea|▁with|▁mil|k"),
        ("  a\t b\n\nc ", "▁a|▁b|▁c|▁"),
        ("ﬁne ½ Ａ", "▁fine|▁1|?|2|▁A"),
        ("東京 tea 👩", "▁|?|?|▁tea|▁|?"),
        ("Straßenbahnhaltestelle", "▁Stra|ßen|bah|n|halt|e|stelle"),
        ("Ελλάδα и Россия", "▁Ελλάδα|▁и|▁Россия"),
        ("zero\u{200B}width\u{7}bell", "▁zero|▁|wid|th|be|ll"),
        ("e\u{301}te\u{301}", "▁été"),
    ] {
        let pieces = spelling::pieces(&weights.pieces, text).into_iter();
        let texts = pieces.map(|piece| {
            let text = |piece| std::str::from_utf8(weights.pieces.text(piece as usize)).unwrap();
            piece.map_or("?", text)
        });
        assert_eq!(texts.collect::<Vec<_>>().join("|"), expected, "{text}");
    }
}

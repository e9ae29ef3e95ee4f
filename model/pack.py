"""Packs a token table into the flat file that `mem` carries and reads in place.

    python pack.py --table table.npz --thresholds thresholds.json --id NAME --out mem-embed.bin

`thresholds.json` has the cosines `related`, `cluster_short`, `cluster_note` and `duplicate`.

The file is little endian and found by counting, without alignment:

    magic "MEMEMBED" | version 1 | dims | 4 | words | tokens | slots | text bytes | pages
        | spellings | spelling bytes | longest | id bytes | four thresholds      u32s, f32s
    id            UTF-8
    blocks        u8 for each 256 code points of Unicode: which page describes them
    pages         u16[256] each: what a code point becomes, see below
    spellings     u32 each: length | start << 8 in the next; or, alone, the token | 1 << 31
    spelling text UTF-8
    slots         3 bytes each: token + 1 | upper byte of its hash << 16; 0 where there is none
    starts        u32 for each token and one more, in the next
    token text    UTF-8, without "##"
    rows          for each token: f32 scale | dims numbers of 4 bits

Tokens below `words` begin a word, the others go on with one. A token's slot is the lower bits of
the FNV-1a hash of its text (begun anew for tokens that go on with a word), or the next that is
free. Tokens that no text can give, like "[CLS]", are left out; so "[UNK]" has no number.

A code point becomes: 0 a letter that no token has, 1 nothing, 2 a space, 3 a word of its own that
is no token, 4 a syllable of Hangul (decomposed by arithmetic), else a spelling, counted from 5.
That is asked of the reference tokenizer, so its tables of Unicode are the ones that hold.

Numbers have 8 added; the lower half of byte i is number i, the upper half number dims / 2 + i.
"""

import argparse
import json
import pathlib
import struct

import numpy as np
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

UNKNOWN, NOTHING, SPACE, ALONE_UNKNOWN, SYLLABLE, SPELLED = range(6)
BLOCK = 256
SYLLABLES = range(0xAC00, 0xD7A4)
SURROGATES = range(0xD800, 0xE000)
BEGIN, GO_ON, PRIME = 0x811C9DC5, 0x7B9D4D63, 0x01000193


def pieces(text):
    """The words of a text as the reference sees them."""
    normal = BertNormalizer().normalize_str(text)
    return [piece for piece, _ in BertPreTokenizer().pre_tokenize_str(normal)]


def reachable(tokens):
    """The numbers of the tokens that a text can give: those that begin words, and the others."""
    words = [n for n, token in enumerate(tokens) if not token.startswith("##") and pieces(token) == [token]]
    others = [n for n, token in enumerate(tokens) if token.startswith("##") and pieces("a" + token[2:]) == ["a" + token[2:]]]
    return words, others


class Spellings:
    """What code points become."""

    def __init__(self, words, letters):
        self.words = words
        self.letters = letters
        self.entries = {}
        self.text = bytearray()

    def code(self, character):
        found = pieces("a" + character + "a")
        if found == ["aa"]:
            return NOTHING
        if found == ["a", "a"]:
            return SPACE
        if len(found) == 3 and found[0] == found[2] == "a":
            token = self.words.get(found[1])
            return ALONE_UNKNOWN if token is None else self.number(1 << 31 | token)
        if len(found) != 1:
            raise ValueError(f"{character!r} becomes {found}")
        spelling = found[0][1:-1]
        if not all(letter in self.letters for letter in spelling):
            return UNKNOWN
        spelling = spelling.encode()
        start = self.text.find(spelling)
        if start < 0:
            start = len(self.text)
            self.text += spelling
        return self.number(start << 8 | len(spelling))

    def number(self, entry):
        return SPELLED + self.entries.setdefault(entry, len(self.entries))


def blocks(spellings):
    """The page of each block of code points, and the pages."""
    pages = {}
    index = []
    for first in range(0, 0x110000, BLOCK):
        page = []
        for point in range(first, first + BLOCK):
            if point in SYLLABLES:
                page.append(SYLLABLE)
            elif point in SURROGATES:
                page.append(NOTHING)
            else:
                page.append(spellings.code(chr(point)))
        index.append(pages.setdefault(tuple(page), len(pages)))
    return bytes(index), list(pages)


def hashed(text, start):
    value = start
    for byte in text:
        value = (value ^ byte) * PRIME & 0xFFFFFFFF
    return value


def table_of(texts, words):
    """The hash table: a power of two of slots, less than half of them taken."""
    slots = [0] * (1 << (2 * len(texts)).bit_length())
    for token, text in enumerate(texts):
        value = hashed(text, BEGIN if token < words else GO_ON)
        slot = value & len(slots) - 1
        while slots[slot]:
            slot = slot + 1 & len(slots) - 1
        slots[slot] = token + 1 | value >> 24 << 16
    return slots


def packed_rows(rows):
    """Each row rounded to whole multiples of its largest value over 7, behind that scale."""
    scale = np.abs(rows).max(axis=1, keepdims=True) / np.float32(7)
    whole = np.round(rows / np.where(scale > 0, scale, 1)).astype(np.int8)
    low, high = np.split((whole + 8).astype(np.uint8), 2, axis=1)
    return np.concatenate([scale.astype("<f4").view(np.uint8), low | high << 4], axis=1).tobytes()


def pack(tokens, rows, thresholds, name):
    begin, go_on = reachable(tokens)
    kept = begin + go_on
    texts = [tokens[n].encode() for n in begin] + [tokens[n][2:].encode() for n in go_on]
    spellings = Spellings(
        {tokens[n]: token for token, n in enumerate(begin)},
        {letter for text in texts for letter in text.decode()},
    )
    index, pages = blocks(spellings)
    slots = table_of(texts, len(begin))
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    counts = [1, rows.shape[1], 4, len(begin), len(kept), len(slots), starts[-1], len(pages)]
    counts += [len(spellings.entries), len(spellings.text), max(map(len, texts)), len(name.encode())]
    cosines = [thresholds[key] for key in ("related", "cluster_short", "cluster_note", "duplicate")]
    return b"".join([
        b"MEMEMBED",
        struct.pack("<12I4f", *counts, *cosines),
        name.encode(),
        index,
        np.array(pages, "<u2").tobytes(),
        np.array(list(spellings.entries), "<u4").tobytes(),
        bytes(spellings.text),
        b"".join(slot.to_bytes(3, "little") for slot in slots),
        starts.astype("<u4").tobytes(),
        b"".join(texts),
        packed_rows(rows[kept]),
    ])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", type=pathlib.Path, required=True)
    parser.add_argument("--thresholds", type=pathlib.Path, required=True)
    parser.add_argument("--id", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    asked = parser.parse_args()
    with np.load(asked.table) as arrays:
        tokens, rows = [str(token) for token in arrays["tokens"]], arrays["rows"]
    thresholds = json.loads(asked.thresholds.read_text())
    data = pack(tokens, rows, thresholds, asked.id)
    asked.out.write_bytes(data)
    print(f"{asked.out}: {len(data)} bytes")


if __name__ == "__main__":
    main()

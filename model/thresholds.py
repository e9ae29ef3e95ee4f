"""Where the cosines of a table lie, and the thresholds that follow from them.

The teacher's thresholds are known from use; a table's threshold is the cosine that selects as many
pairs as the teacher's does, over scored sentence pairs (short) and over all pairs of sections that
were held out of the training (notes).

    python thresholds.py --wheel W.whl --texts texts.jsonl --vectors teacher/texts --pairs pairs.jsonl
                         --held-out SOURCE... --corpora DIR --teacher teacher-eval --table table.npz --out thresholds.json
"""

import argparse
import json
import pathlib

import numpy as np

from evaluate import Pairs, teacher_embedder
from table import Table
from teacher import read_shards, read_wheel

# What the teacher's cosine has to be: for a link worth suggesting, a group, a second copy.
RELATED, CLUSTER, DUPLICATE = 0.50, 0.75, 0.90
SHOWN = (0.50, 0.60, 0.70, 0.75, 0.80, 0.85, 0.90)


def same_count(teacher, table, threshold):
    """The table's cosine that as many pairs reach as reach the threshold by the teacher."""
    count = int((teacher >= threshold).sum())
    return float(np.sort(table)[::-1][max(count, 1) - 1]), count


def overlap(teacher, table, threshold, found):
    """Share of the teacher's pairs that the table's threshold selects too."""
    chosen = teacher >= threshold
    return (chosen & (table >= found)).sum() / max(chosen.sum(), 1)


def spread(cosines):
    return " / ".join(f"{value:.2f}" for value in np.percentile(cosines, [5, 50, 95, 99]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--texts", required=True)
    parser.add_argument("--vectors", required=True)
    parser.add_argument("--pairs", required=True)
    parser.add_argument("--held-out", nargs="+", required=True)
    parser.add_argument("--corpora", type=pathlib.Path, required=True)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--bits", type=int, choices=[4, 8, 32], default=4)
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()

    table = Table.read(read_wheel(arguments.wheel)[1], arguments.table)
    if arguments.bits < 32:
        table = table.quantised(arguments.bits)
    with open(arguments.texts, encoding="utf-8") as lines:
        lines = [json.loads(line) for line in lines]
    with open(arguments.pairs, encoding="utf-8") as pairs:
        pairs = [json.loads(line) for line in pairs]
    teacher_all = read_shards(arguments.vectors)
    # Short sections are sentences; notes of the size the threshold is for have some hundred characters.
    bodies = [pair for pair in pairs if lines[pair["body"]]["source"] in arguments.held_out]
    bodies = [pair for pair in bodies if pair["body"] < len(teacher_all)]
    notes = sorted({pair["body"] for pair in bodies if len(lines[pair["body"]]["text"]) >= 300})
    note_texts = [lines[number]["text"] for number in notes]
    upper = np.triu_indices(len(notes), 1)
    vectors = table.embed(note_texts)
    of_notes = (teacher_all[notes] @ teacher_all[notes].T)[upper], (vectors @ vectors.T)[upper]

    sts = Pairs("sts", arguments.corpora / "pairs/sts.jsonl")
    duplicates = Pairs("duplicates", arguments.corpora / "pairs/duplicates.jsonl")

    def cosines(pairs):
        vectors = table.embed(pairs.texts)
        teacher = teacher_embedder(arguments.teacher)(pairs, "pairs", None)
        return (teacher[0::2] * teacher[1::2]).sum(1), (vectors[0::2] * vectors[1::2]).sum(1)

    of_sts, of_duplicates = cosines(sts), cosines(duplicates)

    print(f"{arguments.bits} bits; {len(notes)} sections, {len(upper[0])} pairs of them\n")
    print("| cosines, p5 / p50 / p95 / p99 | teacher | table |\n|---|---|---|")

    def row(name, teacher, found):
        print(f"| {name} | {spread(teacher)} | {spread(found)} |")

    row("sections, random", *of_notes)
    asked, answers = [pair["heading"] for pair in bodies], [pair["body"] for pair in bodies]
    left, right = (table.embed([lines[number]["text"] for number in part]) for part in (asked, answers))
    row("heading and its section", (teacher_all[asked] * teacher_all[answers]).sum(1), (left * right).sum(1))
    for low, high in ((0, 0.5), (0.5, 1.5), (1.5, 2.5), (2.5, 3.5), (3.5, 4.5), (4.5, 5.01)):
        part = (sts.scores >= low) & (sts.scores < high)
        row(f"STS {low} to {min(high, 5)}", of_sts[0][part], of_sts[1][part])
    row("labelled distinct", *(part[~duplicates.labels] for part in of_duplicates))
    row("labelled duplicate", *(part[duplicates.labels] for part in of_duplicates))

    print("\n| teacher | table, sentences (pairs, overlap) | table, sections (pairs, overlap) |\n|---|---|---|")
    for threshold in SHOWN:
        cells = []
        for teacher, found in (of_sts, of_notes):
            value, count = same_count(teacher, found, threshold)
            cells.append(f"{value:.2f} ({count}, {overlap(teacher, found, threshold, value):.2f})")
        print(f"| {threshold:.2f} | {cells[0]} | {cells[1]} |")

    print("\n| cosine at least | labelled pairs: precision / recall by teacher | by table |\n|---|---|---|")
    for threshold in (0.75, 0.80, 0.85, 0.90, 0.92, 0.95):
        cells = []
        for found in of_duplicates:
            chosen = found >= threshold
            right = (chosen & duplicates.labels).sum()
            cells.append(f"{right / max(chosen.sum(), 1):.2f} / {right / duplicates.labels.sum():.2f}")
        print(f"| {threshold:.2f} | {cells[0]} | {cells[1]} |")

    found = {
        "related": same_count(*of_notes, RELATED)[0],
        "cluster_short": same_count(*of_sts, CLUSTER)[0],
        "cluster_note": same_count(*of_notes, CLUSTER)[0],
        "duplicate": same_count(*of_sts, DUPLICATE)[0],
    }
    found = {name: round(value, 2) for name, value in found.items()}
    print(f"\n{json.dumps(found)}")
    if arguments.out:
        arguments.out.write_text(json.dumps(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

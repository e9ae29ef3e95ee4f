#!/usr/bin/env python3
"""Which weights of meaning and tokens rank best, each vault left out in turn?

    python3 benches/weights.py MEM NAME=VAULT=QUESTIONS.jsonl ...

A line of QUESTIONS has "query", "path" (the right note) and "words" ("far": few words in common). `mem search
--explain` gives the terms of the first 60 notes; they are scored again with each pair of weights. Printed:
MRR of all and of far questions, now, with the pair that is best in the mean of the other vaults, and with
each pair. Neighbours within a day are not scored again. Vaults are copied, homes are in a temporary folder.
"""
import itertools, json, os, pathlib, shutil, subprocess, sys, tempfile

MEANING, TOKENS = 1.05, 0.4  # weights in the program
PAIRS = list(itertools.product((0.5, 0.8, 1.05, 1.3, 1.6), (0.0, 0.2, 0.4, 0.6, 0.8)))

def answers(mem, vault, questions):
    """Pairs of a question and its hits."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = pathlib.Path(scratch) / "vault"
        shutil.copytree(vault, copy)
        homes = {name: scratch + "/" + name for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
        def run(*arguments):
            return subprocess.run([mem, "-q", *arguments], env=dict(os.environ, HOME=scratch, MEM_NO_TOUCH="1", **homes),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
        run("init", str(copy))
        run("-C", str(copy), "index")
        for question in map(json.loads, open(questions)):
            found = run("-C", str(copy), "search", "-n", "60", "--explain", "--json", "--", question["query"])
            yield question, json.loads(found)["hits"] if found else []

def ranked(hits, meaning, tokens):
    """The paths by the score with other weights."""
    def own(hit):
        terms = hit["explain"]
        parts = terms["words"] + terms["meaning"] * meaning / MEANING + terms["tokens"] * tokens / TOKENS
        return parts * terms["weight"] * terms["voice"]
    is_question = any(hit["explain"]["context"] for hit in hits)
    folders = {}
    for hit in hits:
        folders.setdefault(os.path.dirname(hit["path"]), []).append(own(hit))
    def total(hit):
        around = sum(sorted(folders[os.path.dirname(hit["path"])])[-2:]) * 0.3 if is_question else 0
        return own(hit) + around * hit["explain"]["weight"] * hit["explain"]["voice"] + hit["explain"]["name"]
    # Keywords have rules besides the score.
    return [hit["path"] for hit in (sorted(hits, key=total, reverse=True) if is_question else hits)]

def figures(answered, order):
    """MRR of all questions, and of far ones."""
    def rank(question, hits):
        paths = order(hits)
        return 1 / (paths.index(question["path"]) + 1) if question["path"] in paths else 0
    ranks = [(rank(question, hits), question["words"]) for question, hits in answered]
    far = [rank for rank, words in ranks if words == "far"]
    return sum(rank for rank, _ in ranks) / len(ranks), sum(far) / max(1, len(far))

def main():
    mem = os.path.abspath(sys.argv[1])
    vaults = {name: list(answers(mem, vault, questions)) for name, vault, questions in (text.split("=") for text in sys.argv[2:])}
    table = {pair: {name: figures(answered, lambda hits: ranked(hits, *pair)) for name, answered in vaults.items()} for pair in PAIRS}
    show = lambda pair: " ".join(f"{name} {all:.3f}/{far:.3f}" for name, (all, far) in pair.items())
    print("now          ", show({name: figures(answered, lambda hits: [hit["path"] for hit in hits]) for name, answered in vaults.items()}))
    for left_out in vaults:
        best = max(PAIRS, key=lambda pair: sum(table[pair][name][0] for name in vaults if name != left_out))
        print(f"without {left_out}: {best}", show({left_out: table[best][left_out]}))
    for pair in PAIRS:
        print(*pair, show(table[pair]))

main()

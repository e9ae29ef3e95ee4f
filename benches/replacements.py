#!/usr/bin/env python3
"""Pairs of statements of which the newer one does not replace the older one, and some of which it does.

    benches/replacements.py target/release/mem

Both are remembered by an agent, then all due jobs run unattended. Prints how many of the first kind got a
relation or were merged (wanted: 0), and how many of the second were recorded.
"""

import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SUBJECTS = ["search service", "payroll portal", "invoice worker", "mobile app", "chat gateway", "garden sensor",
            "staging cluster"]
VALUES = [("SQLite", "Postgres"), ("Redis", "Memcached"), ("Kafka", "NATS"), ("Jenkins", "GitLab CI"),
          ("Heroku", "Hetzner")]
# Another subject, a denial without a value, a plan, a quotation, a condition, a task, another scope, a part.
OTHERS = [
    "We switched the {other} from {old} to {new}.",
    "We moved the {other} from {old} to {new}.",
    "The {other} was migrated from {old} to {new}.",
    "The {other} no longer uses {old}.",
    "The {other} now uses {new} instead of {old}.",
    "We replaced {old} with {new} in the {other}.",
    "We might move the {subject} from {old} to {new}.",
    "\"The {subject} uses {new}\", says the brochure.",
    "If the budget allows, the {subject} uses {new}.",
    "- [ ] move the {subject} from {old} to {new}",
    "In staging the {subject} uses {new}.",
    "Some parts of the {subject} use {new}.",
    "Next year the {subject} will use {new}.",
    "The {subject} does not use {new}.",
]


def notes_after(mem, subject, old, newer):
    """The texts of the vault after both statements and a sleep."""
    with tempfile.TemporaryDirectory() as home:
        vault = pathlib.Path(home, "vault")
        vault.mkdir()
        environment = dict(os.environ, MEM_EMBED_ENCODER="off", HOME=home, XDG_CACHE_HOME=f"{home}/cache", XDG_CONFIG_HOME=f"{home}/config",
                           XDG_STATE_HOME=f"{home}/state")

        def run(*arguments):
            subprocess.run([mem, "-q", "-C", vault, *arguments], env=environment, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, check=True)

        run("init", vault)
        remember = ["remember", "--by", "agent", "--created"]
        run(*remember, "2026-01-05", "--title", f"{subject} facts", f"The {subject} uses {old}.")
        run(*remember, "2026-05-05", newer)
        run("sleep", "--all")
        return [path.read_text() for path in vault.glob("*.md")]


def main():
    mem = os.path.abspath(sys.argv[1])
    chance = random.Random(7)
    pairs = wrong = recorded = certain = 0
    for subject, (old, new), form in itertools.product(SUBJECTS, VALUES, OTHERS):
        if chance.random() < 0.5:
            continue
        other = chance.choice([name for name in SUBJECTS if name != subject])
        notes = notes_after(mem, subject, old, form.format(subject=subject, other=other, old=old, new=new))
        pairs += 1
        if len(notes) < 2 or any("evolved_from" in note or "contradicts" in note for note in notes):
            wrong += 1
            print("wrong:", subject, form)
    for subject, (old, new) in itertools.product(SUBJECTS, VALUES):
        newer = f"The {subject} uses {new}. Supersedes [[{subject} facts]]."
        certain += 1
        recorded += any("evolved_from" in note for note in notes_after(mem, subject, old, newer))
    print(f"wrong relations or merges unasked: {wrong} of {pairs}")
    print(f"named replacements recorded: {recorded} of {certain}")


main()

#!/usr/bin/env python3
"""Does git merge notes without conflicts and without losing a line?

    benches/git_merge.py HISTORY [--mem PATH] [--seeds N] [--mergiraf PATH] [--weave-driver PATH]

HISTORY is a folder with the notes of the first commit in `base/`, and the changes of later ones in `steps.jsonl`. Each modified note of the history is
changed by two people: a changed block is one person's, or the changed words of its lines are divided; an added block of
several lines is divided in two parts. Every pair of clones is merged four times: by git, with `merge=union`, with the
driver of mem, and with the sides swapped; and by other drivers that are given.

`conflicts` are conflicting regions, `notes` the notes that have one. `lost` are lines that a side added, or that both
kept, and the result lacks; words are compared where a line was merged by words. `stale` are lines in clean results that a side
removed. `torn` are results with an open code
fence or front matter that a simple reader refuses, though both sides were whole. `swapped` are clean merges whose
result depends on the side. The four clones at the end append to one note and push in turns. Before them, some of the
pairs are rebased, cherry-picked, and popped from the stash, with and without the driver.
"""

import argparse
import collections
import difflib
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

project = Path(__file__).resolve().parent.parent
parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("history", type=Path)
parser.add_argument("--mem", type=Path, default=project / "target/release/mem")
parser.add_argument("--seeds", type=int, default=5)
parser.add_argument("--mergiraf", type=Path, help="the program mergiraf")
parser.add_argument("--weave-driver", type=Path, help="the merge driver of weave")
parser.add_argument("--show", action="store_true", help="print what was lost, and conflicts of mem")
options = parser.parse_args()
mem = str(options.mem.resolve())


def revisions():
    """Yields the old and new text of each modification."""
    texts = {str(p.relative_to(options.history / "base")): p.read_text(errors="replace")
             for p in (options.history / "base").rglob("*.md")}
    for line in open(options.history / "steps.jsonl"):
        for change in json.loads(line)["changes"]:
            old = texts.get(change["path"])
            if change["op"] == "modify" and old is not None and old != change["content"]:
                yield change["path"], old, change["content"]
            if "content" in change:
                texts[change["path"]] = change["content"]


def divided(old, new, chance):
    """Divides the change from old to new between two people."""
    old, new = old.splitlines(True), new.splitlines(True)
    body = old.index("---\n", 1) if "---\n" in old[1:] else -1
    sides = [[], []]
    for tag, i, j, k, l in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            for side in sides:
                side += old[i:j]
            continue
        blanks = [at for at in range(k + 1, l) if not new[at - 1].strip()] or list(range(k + 1, l))
        if tag == "insert" and blanks:
            middle = chance.choice(blanks)
            first = chance.randrange(2)
            sides[first] += new[k:middle]
            sides[1 - first] += new[middle:l]
            continue
        alike = difflib.SequenceMatcher(None, "".join(old[i:j]), "".join(new[k:l]), autojunk=False).ratio()
        if tag == "replace" and i > body and j - i == l - k and alike > 0.8:
            for before, after in zip(old[i:j], new[k:l]):
                for side, line in zip(sides, divided_words(before, after, chance)):
                    side.append(line)
            continue
        author = chance.randrange(2)
        sides[author] += new[k:l]
        sides[1 - author] += old[i:j]
    return ["".join(side) for side in sides]


def divided_words(old, new, chance):
    """Divides the changed words of a line: those before some word, and those after it."""
    old, new = re.findall(r"\w+|\s+|.", old, re.S), re.findall(r"\w+|\s+|.", new, re.S)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    first, cut = chance.randrange(2), chance.randrange(len(codes) + 1)
    sides = ["", ""]
    for at, (_, i, j, k, l) in enumerate(codes):
        author = first if at < cut else 1 - first
        sides[author] += "".join(new[k:l])
        sides[1 - author] += "".join(old[i:j])
    return sides


def stale(base, ours, theirs, result):
    """Returns the lines that a side removed and the result contains."""
    counts = [collections.Counter(filter(None, map(str.strip, text.splitlines()))) for text in (base, ours, theirs, result)]
    back = []
    for line, count in counts[3].items():
        b, o, t = (count[line] for count in counts[:3])
        allowed = o + t - b if min(o, t) < b else o + t - b if o > b and t > b else max(o, t)
        if b and count > allowed:
            back.append(line)
    return back


def lost(base, ours, theirs, result):
    """Returns the lines that are missing in a result."""
    counts = [collections.Counter(filter(None, map(str.strip, text.splitlines()))) for text in (base, ours, theirs, result)]
    words = re.compile(r"\w+")
    all_words = collections.Counter(words.findall(result))
    missing = []
    for line in set().union(*counts[:3]):
        b, o, t, r = (count[line] for count in counts)
        expected = max(o, t) if o >= b and t >= b else max(0, o + t - b)
        if r < expected:
            new = collections.Counter(words.findall(line)) - collections.Counter(words.findall(base))
            if not line.startswith(("tags:", "updated:")) and (new - all_words or not (o > b or t > b)):
                missing.append(line)
    return missing


def is_torn(text):
    """Returns whether a fence is open or the front matter is broken."""
    text = re.sub(r"(?ms)^<<<<<<< .*?^=======\n(.*?)^>>>>>>> [^\n]*\n?", r"\1", text)
    fence = None
    for line in text.splitlines():
        mark = re.match(r"\s*(```+|~~~+)", line)
        if mark and fence is None:
            fence = mark[1]
        elif mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = None
    matter = re.match(r"---\n(.*?)\n---\n", text, re.S)
    lines = matter[1].splitlines() if matter else []
    keys = [line.split(":")[0] for line in lines if re.match(r"\w+:", line)]
    broken = len(keys) != len(set(keys)) or any(not re.match(r"(\w[\w -]*:|[ #-]|$)", line) for line in lines)
    return fence is not None or broken or (text.startswith("---\n") and not matter)


def merged(folder, how, base, ours, theirs):
    """Merges three texts; returns the result and the number of conflicts."""
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_text(text, newline="")
    if how == "mem":
        command = [mem, "merge-file", "base", "ours", "theirs", "note.md"]
    elif how == "mergiraf":
        command = [options.mergiraf.resolve(), "merge", "base", "ours", "theirs", "-p", "note.md", "-o", "ours"]
    elif how == "weave":
        command = [options.weave_driver.resolve(), "base", "ours", "theirs", "7", "note.md"]
    else:
        command = ["git", "merge-file", *(["--union"] if how == "union" else []), "ours", "base", "theirs"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert ended.returncode in (0, 1) or how != "mem", ended.stderr
    text = (folder / "ours").read_bytes().decode()
    return text, text.count("<<<<<<< "), ended.stderr


def replay(folder):
    others = {"mergiraf": options.mergiraf, "weave": options.weave_driver}
    drivers = ["git", "union", *filter(others.get, others), "mem"]
    totals = {how: collections.Counter() for how in drivers}
    for path, old, new in revisions():
        for seed in range(options.seeds):
            ours, theirs = divided(old, new, random.Random(f"{path}{seed}"))
            if old in (ours, theirs):
                continue
            for how, total in totals.items():
                text, conflicts, said = merged(folder, how, old, ours, theirs)
                total["merges"] += 1
                total["conflicts"] += conflicts
                total["notes"] += conflicts > 0
                missing = lost(old, ours, theirs, text)
                total["lost"] += len(missing)
                total["stale"] += len(stale(old, ours, theirs, text)) if not conflicts else 0
                total["torn"] += is_torn(text) and not any(map(is_torn, (ours, theirs)))
                if how == "mem":
                    total["by lines"] += "merged by lines" in said
                    if not conflicts:
                        other, _, _ = merged(folder, how, old, theirs, ours)
                        total["swapped"] += other != text
                    back = stale(old, ours, theirs, text) if not conflicts else []
                    if options.show and (missing or conflicts or back or said):
                        print(path, seed, said.strip(), missing, back, sep="\n  ")
    print(f"{'':8}{'merges':>8}{'notes':>8}{'conflicts':>11}{'lost':>6}{'stale':>7}{'torn':>6}{'swapped':>9}{'by lines':>10}")
    for how, total in totals.items():
        row = [total[key] for key in ("merges", "notes", "conflicts", "lost", "stale", "torn", "swapped", "by lines")]
        print(f"{how:8}{row[0]:8}{row[1]:8}{row[2]:11}{row[3]:6}{row[4]:7}{row[5]:6}{row[6]:9}{row[7]:10}")
    fewer = 1 - totals["mem"]["notes"] / max(1, totals["git"]["notes"])
    regions = 1 - totals["mem"]["conflicts"] / max(1, totals["git"]["conflicts"])
    print(f"mem: {fewer:.1%} fewer notes with conflicts than git, {regions:.1%} fewer conflicts")


def operations(folder, most=40):
    """Rebases, cherry-picks and pops divided changes, by git and by the driver."""
    environment = dict(os.environ, HOME=str(folder), GIT_CONFIG_NOSYSTEM="1", GIT_EDITOR="true")
    (folder / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n")

    def run(where, command):
        return subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True).returncode

    pairs = [(old, *divided(old, new, random.Random(path))) for path, old, new in revisions()]
    pairs = [pair for pair in pairs if pair[0] not in pair[1:]]
    for how in ("git", "mem"):
        totals = collections.defaultdict(collections.Counter)
        for number, (old, ours, theirs) in enumerate(random.Random(3).sample(pairs, min(most, len(pairs)))):
            clone = folder / f"{how} {number}"
            (clone / ".mem").mkdir(parents=True)
            (clone / ".mem/.gitignore").write_text("cache/\n")

            def git(words, text=None):
                if text is not None:
                    (clone / "note.md").write_text(text, newline="")
                    run(clone, ["git", "add", "-A"])
                return run(clone, ["git", *words.split()])

            git("init -q")
            if how == "mem":
                assert run(clone, [mem, "git", "install"]) == 0
            git("commit -qm base", old)
            git("branch start")
            git("checkout -qb theirs")
            git("commit -qm theirs", theirs)
            git("checkout -qb ours start")
            git("commit -qm ours", ours)
            for operation, first, second in (("rebase -q theirs", theirs, ours), ("cherry-pick theirs", ours, theirs),
                                             ("stash pop", ours, theirs)):
                if operation == "stash pop":
                    git("checkout -q start")
                    git("stash -q", theirs)
                git("checkout -qB work ours")
                failed = git(operation) != 0
                text = (clone / "note.md").read_bytes().decode()
                total = totals[operation.split(" -q")[0].split(" theirs")[0]]
                total["conflicts"] += failed
                total["lost"] += len(lost(old, first, second, text))
                total["torn"] += is_torn(text) and not any(map(is_torn, (ours, theirs)))
                total["unmarked"] += failed != ("<<<<<<< " in text)
                git("rebase --abort")
                git("cherry-pick --abort")
                git("reset -q --hard")
        for operation, total in totals.items():
            shown = ", ".join(f"{total[key]} {key}" for key in ("conflicts", "lost", "torn", "unmarked"))
            print(f"{how}: {min(most, len(pairs))} × {operation}: {shown}")


def append(folder):
    """Four clones append to one note, pull and push."""
    environment = dict(os.environ, HOME=str(folder), GIT_CONFIG_NOSYSTEM="1")
    (folder / ".gitconfig").write_text("[user]\nname = A\nemail = a@example.org\n[init]\ndefaultBranch = main\n"
                                       "[pull]\nrebase = false\n")

    def run(where, *command, check=True):
        ended = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True)
        assert not check or ended.returncode == 0, (command, ended.stdout, ended.stderr)
        return ended

    run(folder, "git", "init", "-q", "--bare", "remote")
    for number in range(4):
        clone = folder / f"clone {number}"
        run(folder, "git", "clone", "-q", "remote", clone.name)
        if number == 0:
            (clone / ".mem").mkdir()
            (clone / ".mem/.gitignore").write_text("cache/\n")
            (clone / "log.md").write_text("---\ntags: [log]\n---\n# Log\n")
        run(clone, mem, "git", "install")
        if number == 0:
            run(clone, "git", "add", ".")
            run(clone, "git", "commit", "-qm", "start")
            run(clone, "git", "push", "-q", "origin", "main")
    chance, conflicts, entries = random.Random(1), 0, []
    for turn in range(200):
        number = chance.randrange(4)
        clone = folder / f"clone {number}"
        if chance.random() < 0.7:
            entry = f"- 2026-01-{1 + turn // 24:02}T{turn % 24:02}:00 clone {number} did {turn}"
            entries.append(entry)
            text = (clone / "log.md").read_text()
            (clone / "log.md").write_text(text + ("\n" if "- " not in text else "") + entry + "\n")
            run(clone, "git", "commit", "-qam", entry)
        else:
            conflicts += run(clone, "git", "pull", "-q", "--no-edit", check=False).returncode != 0
            run(clone, "git", "push", "-q")
    for _ in range(2):
        for number in range(4):
            clone = folder / f"clone {number}"
            conflicts += run(clone, "git", "pull", "-q", "--no-edit", check=False).returncode != 0
            run(clone, "git", "push", "-q")
    texts = {(folder / f"clone {number}/log.md").read_text() for number in range(4)}
    missing = [entry for entry in entries if any(text.count(entry + "\n") != 1 for text in texts)]
    print(f"four clones: {len(entries)} entries, {conflicts} conflicts, {len(missing)} lost or doubled, "
          f"{len(texts)} different results")


with tempfile.TemporaryDirectory() as name:
    replay(Path(name))
with tempfile.TemporaryDirectory() as name:
    operations(Path(name))
with tempfile.TemporaryDirectory() as name:
    append(Path(name))

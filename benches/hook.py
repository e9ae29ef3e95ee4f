#!/usr/bin/env python3
"""Does `mem hook prompt` bring up the right notes, and only then?

    benches/hook.py target/release/mem BRAINBENCH_DIR [-v]

BRAINBENCH_DIR has `fixtures` and `gold` of BrainBench (garrytan/gbrain, MIT). Each fixture gets a vault with its
pages in a temporary folder, and one hook process per turn of the user. Turns of readers, whose pages another
fixture writes, are left out. Prints the shares of false fires and of failures to retrieve, precision and recall
of the notes, tokens and milliseconds.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

mem, corpus = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
verbose = "-v" in sys.argv
silent = fired = asked = failed = right = wrong = missed = 0
tokens, times = [], []


def show(kind, fixture, turn, notes):
    if verbose:
        print(kind, fixture["fixture_id"], turn["turn_id"], turn["text"], notes)


for path in sorted((corpus / "fixtures").iterdir()):
    fixture = json.loads(path.read_text())
    gold = json.loads((corpus / "gold" / path.name.replace(".fixture", ".gold")).read_text())["turns"]
    if fixture.get("continuity", {}).get("pair_role") == "reader":
        continue
    with tempfile.TemporaryDirectory() as scratch:
        env = {"PATH": os.environ["PATH"], "HOME": scratch, "LANG": "C.UTF-8"}
        env |= {f"XDG_{name}_HOME": f"{scratch}/{name}" for name in ("CONFIG", "STATE", "CACHE")}
        vault = Path(scratch) / "vault"
        vault.mkdir()
        source = fixture.get("active_source", "default")
        for page in fixture.get("seed_pages", []):
            if page.get("source_id", "default") == source:
                note = vault / f"{page['slug']}.md"
                note.parent.mkdir(parents=True, exist_ok=True)
                note.write_text(page["content"])

        def run(*arguments, text=None):
            command = [mem, "-C", str(vault), *arguments]
            return subprocess.run(command, env=env, input=text or "", text=True, capture_output=True)

        run("-q", "init", str(vault))
        run("-q", "index")
        for turn in fixture["turns"]:
            if turn["role"] != "user":
                continue
            event = {"session_id": fixture["fixture_id"], "prompt": turn["text"]}
            start = time.monotonic()
            done = run("hook", "prompt", "--host", "plain", text=json.dumps(event))
            times.append((time.monotonic() - start) * 1000)
            assert done.returncode == 0 and not done.stderr, done
            lines = [line for line in done.stdout.splitlines() if line.startswith("- ")]
            notes = {line.rsplit("(", 1)[1].removesuffix(".md)") for line in lines}
            expected = gold.get(str(turn["turn_id"]))
            if expected is None:
                continue
            if not expected["should_retrieve"]:
                silent += 1
                fired += bool(notes)
                if notes:
                    show("false fire", fixture, turn, notes)
                continue
            best = set(expected.get("gold_slugs", []))
            fine = best | set(expected.get("acceptable_slugs", []))
            asked += 1
            failed += not notes & fine
            right, wrong, missed = right + len(notes & fine), wrong + len(notes - fine), missed + len(best - notes)
            tokens.append(len(done.stdout) / 4)
            if notes != best:
                show("differs", fixture, turn, notes)

print(f"false fires {fired} of {silent}, failures {failed} of {asked}")
print(f"precision {right / max(1, right + wrong):.3f}, recall {right / max(1, right + missed):.3f}")
print(f"tokens {sum(tokens) / max(1, len(tokens)):.0f} on average, {max(tokens):.0f} at most")
print(f"{sorted(times)[len(times) // 2]:.0f} ms p50")

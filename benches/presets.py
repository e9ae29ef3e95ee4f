#!/usr/bin/env python3
"""Do disabled jobs of a preset appear anywhere?

    benches/presets.py target/release/mem VAULT [PRESET...]

VAULT is only read. A copy gets the notes of fixtures/vaults/every-job, about which each job has a question, and
settings that widen each job to all notes. For each preset the jobs that its text enables are compared with the jobs and
kinds in `sleep --dry-run --all -v`, `review --all`, `judge --dry-run`, `status` and `why`. The first row enables every job, so that a
missing job there means that the bench tests nothing about it. Exit code 1 if a disabled job appears, or if the first
row lacks one.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

mem, source = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
FIXTURE = Path(__file__).resolve().parent.parent / "fixtures/vaults/every-job"
KINDS = {"merge": "dedupe", "conflict": "conflicts", "mention": "link", "space": "spaces", "association": "associate",
         "rule": "rules", "view": "views"}
WIDE = {"spaces": {"notes": "all"}, "associate": {"notes": "all", "relevance": 0},
        "cluster": {"notes": "all", "relevance": 0, "min_cosine": 0.6}, "consolidate": {"notes": "all"},
        "decay": {"notes": "all"}, "forget": {"notes": "all"}, "judge": {"command": "false"}}
RULE = "[[rule]]\nname = 'old harbours'\neach = 'path:Harbour.md'\ndo = { tag = 'old' }\n"
TITLE = "The user drinks green tea at four"
FACTS = "The user drinks green tea at four.\n\nPostgres listens on port 5432.\n\nAda was born in Basel."

scratch = tempfile.TemporaryDirectory()
vault, home = Path(scratch.name) / "vault", Path(scratch.name) / "home"
shutil.copytree(source, vault, ignore=shutil.ignore_patterns(".mem", ".git"))
shutil.copytree(FIXTURE, vault / "every-job")
(vault / ".mem").mkdir()
(home / "config/mem").mkdir(parents=True)
env = {"PATH": os.environ["PATH"], "MEM_EMBED_ENCODER": "off", "HOME": str(home), "LANG": "C.UTF-8", "MEM_SEED": "1"}
env |= {f"XDG_{name}_HOME": f"{home}/{name.lower()}" for name in ("CONFIG", "STATE", "CACHE")}


def run(*args, now="2060-09-01T12:00:00Z"):
    return subprocess.run([mem, *args], cwd=vault, env=env | {"MEM_NOW": now}, capture_output=True, text=True)


def document(*args):
    done = run(*args)
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        sys.exit(f"mem {' '.join(args)}: {done.stderr or done.stdout}")


def settings(more):
    merged = {section: dict(values) for section, values in WIDE.items()}
    for section, values in more.items():
        merged.setdefault(section, {}).update(values)
    lines = [f"[{section}]\n" + "".join(f"{key} = {json.dumps(value)}\n" for key, value in values.items())
             for section, values in merged.items()]
    (home / "config/mem/config.toml").write_text("\n".join(lines))


def job_of(kind):
    return KINDS.get(kind, kind)


def shown():
    """The jobs in each place."""
    asked = [json.loads(line) for line in run("-q", "review", "--all", "--jsonl").stdout.splitlines()]
    kinds = {question["id"]: question["kind"] for question in asked}
    judged = document("-q", "judge", "--dry-run", "--json")["calls"]
    status = document("status", "--json")
    sleep = document("-q", "sleep", "--dry-run", "--all", "--json")
    log = run("sleep", "--dry-run", "--all", "-v").stderr
    why = [run("why", note).stdout.splitlines()[-1] for note in ("Oak", "Old quay", TITLE)]
    return len(asked), {
        "review": {job_of(kind) for kind in kinds.values()},
        "judge": {job_of(kinds.get(call["id"], "unknown")) for call in judged},
        "status": set(status["jobs"]) | {job_of(kind) for kind in (status["review"] or {"kinds": {}})["kinds"]},
        "sleep": {job["job"] for job in sleep["jobs"] + sleep["not_due"]}
        | {job_of(kind) for kind in (sleep["open"] or {"kinds": {}})["kinds"]},
        "sleep -v": set(re.findall(r"(\S+) started", log)),
        "why": {job for line in why for job in re.findall(r"`mem (\w+)`", line)},
    }


settings({})
run("-q", "index")
run("-q", "remember", "--title", TITLE, FACTS, now="2059-12-01T12:00:00Z")
run("-q", "sleep", "--only", "decay,forget", "--apply", "none", now="2060-01-01T12:00:00Z")
presets = {preset["name"]: tomllib.loads(preset["text"]) for preset in document("presets", "--json")["presets"]}
every = sorted(set(document("status", "--json")["jobs"]) | {"forget", "rules"})
default = {job: run("config", f"{job}.every").stdout.strip().strip('"') for job in every}
print(f"{document('status', '--json')['notes']} notes, jobs: {' '.join(every)}\n")
print("| preset | jobs that are off | open | disabled jobs that appear |\n|---|---|---:|---|")
failed = False
for name in ["every job on", *(sys.argv[3:] or presets)]:
    preset = presets.get(name, {})
    runs = {rule.get("run") for rule in preset.get("rule", []) if rule.get("enabled", True)}
    intervals = {job: preset.get(job, {}).get("every", default[job]) for job in every}
    is_all = name not in presets
    off = set() if is_all else {job for job in every if intervals[job] == "off" and job not in runs}
    more = {job: {"every": "1d"} for job in every if job not in ("index", "settle")} if is_all else {}
    settings(more | ({} if is_all else {"rules": {"preset": name}}))
    (vault / ".mem/rules.toml").write_text(RULE)
    open_count, places = shown()
    wrong = {place: jobs & off for place, jobs in places.items() if jobs & off}
    if is_all:
        missing = set(every) - {"index", "settle"} - places["review"]
        wrong = {"missing in review": missing} if missing else {}
    failed |= bool(wrong)
    words = "; ".join(f"{place}: {' '.join(sorted(jobs))}" for place, jobs in wrong.items())
    print(f"| {name} | {' '.join(sorted(off)) or 'none'} | {open_count} | {words or 'none'} |", flush=True)
sys.exit(failed)

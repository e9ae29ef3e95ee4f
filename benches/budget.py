#!/usr/bin/env python3
"""What does a cold search cost, phase by phase, next to `rg` and a process that does nothing?

    benches/budget.py target/release/mem VAULT [--rg PATH] [--runs 20] [--words "green tea"] [--home DIR]

VAULT is only read; its index is built in a temporary folder, or in DIR, which is kept. Each row is a process: the mean of its processor time, page
faults and system calls (with `strace`), and the difference to an earlier row, which is the cost of the phase. The rows
are measured alternately, so that the load of the machine affects all of them. The bars of the last column are those of
`mem search`: 12 ms and 900 page faults.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
parser.add_argument("mem")
parser.add_argument("vault")
parser.add_argument("--rg", default=shutil.which("rg"))
parser.add_argument("--runs", type=int, default=20)
parser.add_argument("--words", default="green tea")
parser.add_argument("--home")
given = parser.parse_args()
mem, words = os.path.abspath(given.mem), given.words.split()

scratch = tempfile.mkdtemp()
env = {"PATH": os.environ["PATH"], "HOME": given.home or scratch, "LANG": "C.UTF-8", "MEM_NO_TOUCH": "1"}
prefix = [mem, "-C", given.vault]
subprocess.run([*prefix, "index", "-q"], env=env, check=True)

# The command of each row and the row that it extends by one phase.
ROWS = {
    "a bare process": (["/bin/true"], None),
    "start": ([mem, "--version"], "a bare process"),
    "settings": ([*prefix, "config", "sleep.apply"], "start"),
    "words, one hit": ([*prefix, "search", "--no-sync", "--mode", "lexical", "-n", "1", *words], "settings"),
    "vectors": ([*prefix, "search", "--no-sync", "-n", "1", *words], "words, one hit"),
    "nine more hits": ([*prefix, "search", "--no-sync", *words], "vectors"),
    "freshness, so a search": ([*prefix, "search", *words], "nine more hits"),
}
if given.rg:
    ROWS["rg -l"] = ([given.rg, "-l", "-i", words[0], given.vault], None)


def cost(command):
    """Milliseconds of processor time and page faults of a process."""
    process = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, 1), command
    return 1000 * (used.ru_utime + used.ru_stime), used.ru_minflt + used.ru_majflt


def system_calls(command):
    if not shutil.which("strace"):
        return 0
    log = os.path.join(scratch, "calls")
    subprocess.run(["strace", "-f", "-c", "-o", log, *command], env=env, stdin=subprocess.DEVNULL, capture_output=True)
    with open(log) as lines:
        # percent, seconds, microseconds a call, calls, perhaps errors, "total"
        return int(lines.read().strip().split("\n")[-1].split()[3])


sums = {row: (0.0, 0) for row in ROWS}
for run in range(given.runs + 1):
    for row, (command, _) in ROWS.items():
        time, faults = cost(command)
        # The first run warms the page cache.
        if run > 0:
            sums[row] = (sums[row][0] + time, sums[row][1] + faults)
costs = {row: (time / given.runs, faults / given.runs, system_calls(ROWS[row][0])) for row, (time, faults) in sums.items()}
print("| up to | ms | page faults | system calls | its phase: ms | page faults | system calls |\n|---|" + "---:|" * 6)
for row, own in costs.items():
    before = ROWS[row][1]
    phase = [mine - other for mine, other in zip(own, costs[before])] if before else [0, 0, 0]
    shown = [f"{number:.1f}" if at == 0 else f"{number:.0f}" for numbers in (own, phase) for at, number in enumerate(numbers)]
    print(f"| {row} | " + " | ".join(shown) + " |")
shutil.rmtree(scratch)
time, faults, _ = costs["freshness, so a search"]
sys.exit(time > 12 or faults > 900)

#!/usr/bin/env python3
"""What does one long note cost each command? Processor seconds, and the factor when the note is twice as long.

    benches/long.py target/release/mem [--size N] [--case NAME]… [--command NAME]… [--over SECONDS] [-v]

Each case is a vault of a few small notes and one long one: 1 and 10 MB of prose, N headings, links, list items and so on
(100,000), constructs that are nested or never end. Every command runs once, and again on a note of half the size if it
took more than a fifth of the bound (2 seconds); a factor of about 2 is linear, one of 4 quadratic. Prints a table of
what is over the bound or grows faster than the note, with -v everything. The exit code is 1 if something is. Processor
time hardly depends on the load of the machine.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("mem")
parser.add_argument("--size", type=int, default=100_000)
parser.add_argument("--case", action="append")
parser.add_argument("--command", action="append")
parser.add_argument("--over", type=float, default=2.0)
parser.add_argument("--limit", type=int, default=60, help="seconds of processor time after which a command is killed")
parser.add_argument("-v", action="store_true")
given = parser.parse_args()

WORDS = "the kettle boils slowly while green leaves open in warm water and Anna writes down what she tasted".split()


def prose(size, sentence=12):
    """Paragraphs of different sentences, `size` bytes of them."""
    lines, length, number = [], 0, 0
    while length < size:
        words = [WORDS[(number * 7 + at * (1 + number % 5)) % len(WORDS)] for at in range(sentence)]
        line = f"Sentence {number} of it: {' '.join(words)}." + ("\n" if number % 5 == 4 else "")
        lines.append(line)
        length, number = length + len(line) + 1, number + 1
    return "# Long\n\n" + "\n".join(lines) + "\n"


def repeated(piece, start="# Long\n\n", end=""):
    """A note of `n` pieces; `{}` in a piece is its number."""
    return lambda n: start + "".join(piece.replace("{}", str(at)) for at in range(n)) + end


def nested(mark, size=1):
    """Lines of a depth that grows up to `n / 100` levels: the text has about n marks."""
    return lambda n: "# Long\n\n" + "".join(f"{mark * depth}item {depth}\n" for depth in range(int((2 * n) ** 0.5) * size))


CASES = {
    "1 MB": lambda n: prose(10 * n),
    "10 MB": lambda n: prose(100 * n),
    "one paragraph": lambda n: prose(10 * n).replace("\n\n", "\n"),
    "one line": lambda n: prose(10 * n).replace("\n", " "),
    "no spaces": lambda n: "a1" * 5 * n,
    "headings": repeated("## Heading {}\n\nText {}.\n\n"),
    "equal headings": repeated("## Heading\n\nText.\n\n"),
    "heading levels": lambda n: "".join(f"{'#' * (1 + at % 6)} Part {at}\n" for at in range(n)),
    "links": repeated("- see [[Note {}]] and so on\n"),
    "links to one note": repeated("- see [[tea]] and so on\n"),
    "links in one line": repeated("[[tea|{}]] "),
    "Markdown links": repeated("A [tea {}](tea.md) here.\n\n"),
    "addresses": repeated("A page at https://example.com/{} here.\n\n"),
    "items": repeated("- item {}\n"),
    "ordered items": repeated("1. item {}\n"),
    "tasks": repeated("- [ ] do {}\n"),
    "tags": repeated("#tag{} "),
    "table": repeated("| {} | b |\n", "# Long\n\n| a | b |\n|---|---|\n"),
    "definitions": repeated("[d{}]: tea.md\n"),
    "footnotes": repeated("Text[^{}].\n\n[^{}]: note {}\n\n"),
    "block ids": repeated("Block {} ^b{}\n\n"),
    "code blocks": repeated("```\ncode {}\n```\n\n"),
    "comments": repeated("%% a {} %%\n\n<!-- b -->\n\n"),
    "unclosed comments": repeated("<!-- b {}\n\n"),
    "formulas": repeated("$$\n{}\n$$\n\n"),
    "elements": repeated("<details>\n\n{}\n\n</details>\n\n"),
    "unclosed elements": repeated("<details>\n\n"),
    "nested quotes": nested("> "),
    "nested items": nested("  ", 1),
    "nested list marks": lambda n: "# Long\n\n" + "- " * n + "item\n",
    "nested quote marks": lambda n: "# Long\n\n" + "> " * n + "text\n",
    "brackets": lambda n: "# Long\n\n" + "[" * n + "tea" + "]" * n + "\n",
    "open brackets": repeated("[[a {} "),
    "stars": repeated("*a **b "),
    "backticks": lambda n: "# Long\n\n" + "".join("`" * (1 + at % 300) + "a " for at in range(n // 100)) + "\n",
    "facts": repeated("Anna{} likes tea. Its port is {}.\n\n"),
    "dates": repeated("- 2026-01-02 Anna bought {} cups for 3 euros\n"),
    "values": repeated("port {}: 8080\n\n"),
    "mentions": repeated("Green tea {} and the pot.\n\n"),
    "mentions in one line": repeated("Green tea {} and the pot. "),
    "blank lines": lambda n: "# Long\n\na\n" + "\n" * 5 * n + "b\n",
    "CRLF": lambda n: prose(10 * n).replace("\n", "\r\n"),
    "property list": lambda n: "---\ntags:\n" + "".join(f"  - t{at}\n" for at in range(n // 20)) + "---\n# Long\n",
    "properties": lambda n: "---\n" + "".join(f"key{at}: {at}\n" for at in range(n // 25)) + "---\n# Long\n",
}

SMALL = {
    "tea.md": "# Tea\n\nGreen tea is warm. See [[long]] and [[long#Heading 7]].\n",
    "cup.md": "# Cup\n\nA cup of green tea, from [the long note](long.md).\n",
    "pot.md": "---\ntags: [kitchen]\n---\n# Pot\n\nThe kettle boils slowly while green leaves open.\n",
}

# In this order on one vault; each change is taken back by the `undo` after it.
COMMANDS = {
    "index": ["index"],
    "outline": ["outline", "long"],
    "show": ["show", "long", "--no-touch"],
    "show --json": ["show", "long", "--json", "--no-touch"],
    "search": ["search", "kettle boils item heading"],
    "recall": ["recall", "what did Anna write about the kettle?"],
    "list": ["list", "--json"],
    "tasks": ["tasks"],
    "timeline": ["timeline", "Anna"],
    "related": ["related", "long"],
    "graph": ["graph", "--json"],
    "extract": ["extract", "long"],
    "why": ["why", "long"],
    "why tea": ["why", "tea"],
    "doctor": ["doctor"],
    "status": ["status"],
    "tag": ["tag"],
    "edit --set": ["edit", "long", "--set", "status=done"],
    "undo edit --set": ["undo"],
    "append": ["append", "long", "- one more"],
    "undo append": ["undo"],
    "append --under": ["append", "long", "more", "--under", "Heading 7"],
    "undo append --under": ["undo"],
    "mv": ["mv", "long", "longer"],
    "undo mv": ["undo"],
    "mv tea": ["mv", "tea", "chai"],
    "undo mv tea": ["undo"],
    "mv section": ["mv", "long#Heading 7", "seventh"],
    "undo mv section": ["undo"],
    "merge": ["merge", "tea", "long"],
    "undo merge": ["undo"],
    "merge into": ["merge", "long", "tea"],
    "undo merge into": ["undo"],
    "tag rename": ["tag", "mv", "tag7", "tag-seven"],
    "undo tag rename": ["undo"],
    "rm": ["rm", "long"],
    "undo rm": ["undo"],
    "rm tea": ["rm", "tea"],
    "undo rm tea": ["undo"],
    "remember": ["remember", "Anna drank green tea from the blue pot.", "--quiet"],
    "undo remember": ["undo"],
    "dedupe": ["dedupe", "--dry-run"],
    "conflicts": ["conflicts", "--dry-run"],
    "link": ["link", "--dry-run"],
    "cluster": ["cluster", "--dry-run"],
    "consolidate": ["consolidate", "--dry-run"],
    "split": ["split", "--dry-run"],
    "associate": ["associate", "--dry-run"],
    "views": ["views", "--dry-run"],
    "rules": ["rules", "--dry-run"],
    "score": ["score"],
    "review": ["review", "--all", "--jsonl"],
    "sleep": ["sleep", "--all", "--apply", "none"],
    "hook": ["hook", "prompt"],
    "lsp": ["lsp"],
}


def lsp_input(root, text):
    """What an editor sends: open the note, type at its end, and ask everything once."""
    uri = (root / "long.md").as_uri()
    lines = text.split("\n")
    end = {"line": len(lines) - 1, "character": len(lines[-1])}
    at = {"textDocument": {"uri": uri}, "position": {"line": min(3, len(lines) - 1), "character": 8}}
    typed = {"textDocument": {"uri": uri}, "position": {"line": end["line"] + 1, "character": 3}}
    whole = {"start": {"line": 0, "character": 0}, "end": end}
    messages = [
        ("initialize", {"capabilities": {}, "rootUri": root.as_uri()}),
        ("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "markdown", "version": 1, "text": text}}),
        ("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2},
                                    "contentChanges": [{"range": {"start": end, "end": end}, "text": "\n[[t"}]}),
        ("textDocument/completion", typed),
        ("textDocument/hover", at),
        ("textDocument/definition", at),
        ("textDocument/references", at | {"context": {"includeDeclaration": True}}),
        ("textDocument/documentSymbol", typed),
        ("textDocument/documentLink", typed),
        ("textDocument/foldingRange", typed),
        ("textDocument/codeAction", typed | {"range": whole, "context": {"diagnostics": []}}),
        ("textDocument/prepareRename", at),
        ("workspace/symbol", {"query": "hea"}),
        ("shutdown", None),
        ("exit", None),
    ]
    out = b""
    for number, (method, params) in enumerate(messages):
        is_note = method.startswith("textDocument/did") or method == "exit"
        message = {"jsonrpc": "2.0", "method": method} | ({} if is_note else {"id": number})
        body = json.dumps(message | ({} if params is None else {"params": params})).encode()
        out += b"Content-Length: %d\r\n\r\n" % len(body) + body
    return out


def measure(case, size, wanted):
    """Returns the processor seconds of each command in `wanted`, and its exit code, on a new vault."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "vault"
        root.mkdir()
        text = CASES[case](size)
        for name, content in (SMALL | {"long.md": text}).items():
            (root / name).write_bytes(content.encode())
        env = {"PATH": os.environ["PATH"], "MEM_EMBED_ENCODER": "off", "HOME": scratch, "LANG": "C.UTF-8"}
        subprocess.run([given.mem, "-C", root, "init", "-q"], env=env, capture_output=True, check=True)
        seconds = {}
        for name, command in COMMANDS.items():
            change = name.removeprefix("undo ")
            if not {name, change, "undo " + name} & {"index", *wanted}:
                continue
            if change != name and seconds[change][1] != 0:
                continue
            entry = b""
            if name == "lsp":
                entry = lsp_input(root, text)
            elif name == "hook":
                entry = json.dumps({"prompt": "What did Anna write about the kettle?", "session_id": name}).encode()
            with tempfile.TemporaryFile() as stdin, open(Path(scratch) / "err", "w+b") as err:
                stdin.write(entry)
                stdin.seek(0)
                process = subprocess.Popen(
                    [given.mem, "-C", root, *command], env=env, stdin=stdin, stdout=subprocess.DEVNULL, stderr=err,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (given.limit, given.limit)))
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                err.seek(0)
                message = err.read(2000).decode(errors="replace").strip().split("\n")[0]
            seconds[name] = (used.ru_utime + used.ru_stime, process.returncode, message)
        return seconds


slow = 0
print("| case | command | seconds | factor | exit |\n|---|---|---:|---:|---|", flush=True)
for case in given.case or CASES:
    full = measure(case, given.size, given.command or COMMANDS)
    doubtful = [name for name, (time, _, _) in full.items() if time > given.over / 5]
    half = measure(case, given.size // 2, doubtful) if doubtful else {}
    for name, (time, code, message) in full.items():
        factor = time / half[name][0] if name in half and name in doubtful else 0
        is_slow = time > given.over or factor > 3.2
        slow += is_slow
        if is_slow or given.v or code not in (0, 1, 2):
            print(f"| {case} | {name} | {time:.2f} | {factor:.1f} | {code} {message if code not in (0, 1) else ''} |",
                  flush=True)
sys.exit(slow > 0)

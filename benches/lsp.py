#!/usr/bin/env python3
"""How long does an editor wait for `mem lsp`, and how much memory does it take?

    benches/lsp.py target/release/mem VAULT [--edits N]

Copies VAULT into a temporary folder, indexes it, opens its longest note of less than 50 kB and prints the time
to the first problems, then the median and the maximum of 50 calls of each method and their mean processor time, in
milliseconds. Waiting times depend on the other processes of the machine, processor time hardly does. With --edits,
types N characters, asks for a completion after each, and prints the resident memory at both ends.
"""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

mem, vault = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
edits = int(sys.argv[4]) if "--edits" in sys.argv else 0
scratch = tempfile.mkdtemp()
root = Path(scratch) / "vault"
shutil.copytree(vault, root, ignore=shutil.ignore_patterns(".git", ".mem"))
env = {"PATH": os.environ["PATH"], "HOME": scratch, "LANG": "C.UTF-8"}
subprocess.run([mem, "-C", root, "init", "-q"], env=env, capture_output=True, check=True)
subprocess.run([mem, "-C", root, "index", "-q"], env=env, capture_output=True, check=True)
notes = [path for path in root.rglob("*.md") if path.stat().st_size < 50_000]
note = max(notes, key=lambda path: path.stat().st_size)
server = subprocess.Popen([mem, "lsp"], env=env, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
last = 0


def send(message):
    body = json.dumps({"jsonrpc": "2.0"} | message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive():
    length = int(server.stdout.readline().split(b":")[1])
    server.stdout.readline()
    return json.loads(server.stdout.read(length))


def call(method, params):
    global last
    last += 1
    send({"id": last, "method": method, "params": params})
    while (reply := receive()).get("id") != last:
        pass
    assert "error" not in reply, reply
    return reply["result"]


def processor():
    """Returns the milliseconds that the server has run."""
    threads = Path(f"/proc/{server.pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e6


def memory():
    lines = Path(f"/proc/{server.pid}/status").read_text().splitlines()
    sizes = dict(line.split(":") for line in lines)
    return f"{int(sizes['RssAnon'].split()[0]) // 1024} MB (with mapped files {int(sizes['VmRSS'].split()[0]) // 1024} MB)"


call("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-8"]}}, "rootUri": root.as_uri()})
send({"method": "initialized", "params": {}})
text, uri = note.read_text(), note.as_uri()
begin = time.perf_counter()
send({"method": "textDocument/didOpen", "params": {"textDocument": {
    "uri": uri, "languageId": "markdown", "version": 1, "text": text}}})
while receive().get("method") != "textDocument/publishDiagnostics":
    pass
waited = 1000 * (time.perf_counter() - begin)
print(f"{len(list(root.rglob('*.md')))} notes; first problems {waited:.0f} ms, processor time since the start {processor():.0f} ms")
time.sleep(5)
end = {"line": text.count("\n") + 1, "character": 0}
send({"method": "textDocument/didChange", "params": {"textDocument": {"uri": uri, "version": 2},
      "contentChanges": [{"range": {"start": end, "end": end}, "text": "\n\n[[the"}]}})
place = {"textDocument": {"uri": uri}, "position": {"line": end["line"] + 2, "character": 5}}
line = next((at for at, line in enumerate(text.splitlines()) if "[[" in line or "](" in line), 0)
link = {"line": line, "character": text.splitlines()[line].find("[") + 2}
at_link = {"textDocument": {"uri": uri}, "position": link}
for method, params in {
    "textDocument/completion": place,
    "textDocument/hover": at_link,
    "textDocument/definition": at_link,
    "textDocument/references": at_link,
    "textDocument/documentSymbol": place,
    "textDocument/codeAction": place | {"range": {"start": link, "end": link}, "context": {}},
    "workspace/symbol": {"query": "the"},
}.items():
    times, began = [], processor()
    for _ in range(50):
        begin = time.perf_counter()
        call(method, params)
        times.append(1000 * (time.perf_counter() - begin))
    print(f"{method:30} {statistics.median(times):6.1f} {max(times):6.1f} {(processor() - began) / 50:6.1f}")
print("memory", memory())
for number in range(edits):
    end = {"line": text.count("\n") + 3, "character": 5 + number % 40}
    change = {"range": {"start": end, "end": end}, "text": "e"} if number % 40 else {
        "range": {"start": place["position"], "end": {"line": end["line"], "character": 99}}, "text": "e"}
    send({"method": "textDocument/didChange", "params": {"textDocument": {"uri": uri, "version": 3 + number},
          "contentChanges": [change]}})
    call("textDocument/completion", place)
if edits:
    print(f"memory after {edits} edits", memory())
call("shutdown", None)
send({"method": "exit"})
print("exit", server.wait())
shutil.rmtree(scratch)

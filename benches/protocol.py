#!/usr/bin/env python3
"""Does `mem mcp` answer each example message of the specification in a valid form?

    pip install jsonschema
    benches/protocol.py target/release/mem SPECIFICATION/schema/2026-07-28

The folder has `schema.json` and `examples` (modelcontextprotocol/modelcontextprotocol). Sends every example as a line
to one server. A request of a supported method gets a result, any other line with an id or without a method an
error, and a notification or a response nothing; each reply is checked against the schema. Prints the numbers, and
exits with 1 on a wrong reply.
"""
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from jsonschema import Draft202012Validator

mem, folder = os.path.abspath(sys.argv[1]), Path(sys.argv[2])
schema = json.loads((folder / "schema.json").read_text())
RESULTS = {"server/discover": "DiscoverResultResponse", "tools/list": "ListToolsResultResponse"}


def problems(reply, definition):
    validator = Draft202012Validator({"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]})
    return [error.message for error in validator.iter_errors(reply)]


with tempfile.TemporaryDirectory() as home:
    (Path(home) / "vault/.mem").mkdir(parents=True)
    environment = {"PATH": os.environ["PATH"], "HOME": home}
    command = [mem, "-C", f"{home}/vault", "mcp", "--allow-writes"]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    counts, wrong = Counter(), []
    probe = {"jsonrpc": "2.0", "id": "probe", "method": "ping"}

    def replies(message):
        """Returns the replies to a message: all lines before that to a ping."""
        for line in (message, probe):
            server.stdin.write(json.dumps(line) + "\n")
        server.stdin.flush()
        found = []
        while (reply := json.loads(server.stdout.readline())).get("id") != "probe":
            found.append(reply)
        return found

    for path in sorted((folder / "examples").rglob("*.json")):
        message = json.loads(path.read_text())
        found = replies(message)
        is_message = isinstance(message, dict) and message.get("jsonrpc") == "2.0"
        method = message.get("method") if is_message else None
        if method is not None and "id" not in message:
            counts["notifications without a reply"] += 1
            bad = found
        elif is_message and method is None and ("result" in message or "error" in message):
            counts["responses without a reply"] += 1
            bad = found
        elif len(found) != 1:
            bad = [f"{len(found)} replies"]
        elif method in RESULTS:
            counts["results"] += 1
            bad = problems(found[0], RESULTS[method])
        else:
            counts["errors"] += 1
            bad = problems(found[0], "JSONRPCErrorResponse")
            if method is not None and found[0]["id"] != message["id"]:
                bad.append("another id")
        if bad:
            wrong.append(f"{path.relative_to(folder)}: {bad}")
    server.stdin.close()
    code = server.wait(10)
print(", ".join(f"{number} {what}" for what, number in sorted(counts.items())), f"exit {code}, wrong {len(wrong)}")
print("\n".join(wrong))
sys.exit(bool(wrong) or code)

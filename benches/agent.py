#!/usr/bin/env python3
"""An agent that uses `mem mcp` through the official client: remember, sleep, review, recall.

    pip install mcp
    benches/agent.py target/release/mem facts FACTS.jsonl [--legacy] [--limit N]
    benches/agent.py target/release/mem memorybench DIR [--legacy]

Each scenario gets a vault in a temporary folder and one server per day with the clock at that day, as an agent has
a session per day. The agent remembers the statements in the order of their dates. It answers each question about a
contradiction, in the reply of `remember` and in `review` after `mem sleep --all`, from the labels: yes if the newer
statement replaces the older one there, else no. A week later it calls `recall` with each question. Prints the shares
of questions whose first passage is right, whose passages have a right one, and whose passages have no outdated one
unmarked before a right one, then the numbers of answers, of calls and of failed calls.
"""
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path

from mcp import Client, StdioServerParameters

mem, kind, source = os.path.abspath(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
mode = "legacy" if "--legacy" in sys.argv else "auto"
limit = int(sys.argv[sys.argv.index("--limit") + 1]) if "--limit" in sys.argv else None


def words(text):
    return set(re.findall(r"\w+", text.casefold()))


def facts():
    for line in source.read_text().splitlines():
        scene = json.loads(line)
        pairs = {(new, old) for new in scene["current"] for old in scene["outdated"]}
        question = (scene["question"], set(scene["current"]), set(scene["outdated"]))
        yield [(one["at"], one["text"]) for one in scene["statements"]], pairs, [question]


def memorybench():
    replaced = [json.loads(line) for line in (source / "supersessions.jsonl").read_text().splitlines()]
    queries = [json.loads(line) for line in (source / "queries.jsonl").read_text().splitlines()]
    for user in sorted(path for path in (source / "vault").iterdir() if path.is_dir()):
        notes = sorted(user.glob("*.md"))
        texts = [note.read_text() for note in notes]
        ids = {note.stem: at for at, note in enumerate(notes)}
        days = [re.search(r"^created: (\S{10})", text, re.M)[1] for text in texts]
        bodies = [text.split("---\n", 2)[2].strip() for text in texts]
        pairs = {(ids[pair["new_id"]], ids[pair["old_id"]]) for pair in replaced if pair["user"] == user.name}
        questions = []
        for query in (query for query in queries if query["user"] == user.name):
            wanted = set()
            for memory in map(words, query["required_memories"]):
                share = [len(memory & words(body)) / len(memory) for body in bodies]
                if max(share) >= 0.5:
                    wanted.add(share.index(max(share)))
            if wanted:
                questions.append((query["query"], wanted, {old for new, old in pairs if new in wanted}))
        yield list(zip(days, bodies)), pairs, questions


class Agent:
    def __init__(self, home):
        self.home, self.calls, self.failed, self.answers = home, 0, 0, defaultdict(int)
        self.paths = {}

    def environment(self, day):
        names = {f"XDG_{name}_HOME": f"{self.home}/{name}" for name in ("CONFIG", "STATE", "CACHE")}
        clock = {"MEM_NOW": f"{day}T12:00:00Z", "MEM_SEED": "1"}
        return {"PATH": os.environ["PATH"], "MEM_EMBED_ENCODER": "off", "HOME": self.home, "LANG": "C.UTF-8", **names, **clock}

    def session(self, day):
        arguments = ["-C", f"{self.home}/vault", "mcp", "--allow-writes"]
        server = StdioServerParameters(command=mem, args=arguments, env=self.environment(day))
        return Client(server, mode=mode)

    async def call(self, client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        self.calls += 1
        self.failed += bool(result.is_error)
        return result.content[0].text

    async def answer(self, client, text, pairs):
        """Answers each question in a reply of `remember` or `review`."""
        for line in text.splitlines():
            id = re.search(r"mem review accept ([0-9a-f]+)", line) or re.match(r"([0-9a-f]{4,})\s", line)
            named = [at for path, at in self.paths.items() if path in line]
            if not id or len(named) < 2:
                continue
            is_right = any({new, old} <= set(named) for new, old in pairs)
            verb = "accept" if is_right else "reject"
            self.answers[verb] += 1
            await self.call(client, "review", **{verb: [id[1]]})


async def play(statements, pairs, questions):
    with tempfile.TemporaryDirectory() as home:
        agent = Agent(home)
        os.makedirs(f"{home}/vault/.mem")
        days = defaultdict(list)
        for at, (day, text) in enumerate(statements):
            days[day].append((at, text))
        for day in sorted(days):
            async with agent.session(day) as client:
                for at, text in days[day]:
                    reply = await agent.call(client, "remember", text=text)
                    path = next((line for line in reply.splitlines() if line.endswith(".md")), None)
                    agent.paths.setdefault(path, at)
                    await agent.answer(client, reply, pairs)
        later = date.fromisoformat(max(days)) + timedelta(days=7)
        command = [mem, "-C", f"{home}/vault", "-q", "sleep", "--all"]
        subprocess.run(command, env=agent.environment(later), check=True, stdout=subprocess.DEVNULL)
        scores = []
        async with agent.session(later) as client:
            await agent.answer(client, await agent.call(client, "review", limit=20), pairs)
            for question, right, outdated in questions:
                reply = await agent.call(client, "recall", query=question)
                shown = []
                for heading in (line for line in reply.splitlines() if line.startswith("## ")):
                    at = next((at for path, at in agent.paths.items() if heading.startswith(f"## {path}:")), None)
                    shown.append((at, "out of date" in heading))
                found = [at for at, _ in shown]
                first_right = min((found.index(at) for at in right if at in found), default=len(found))
                unmarked = [at for at, marked in shown[:first_right] if at in outdated and not marked]
                scores.append((found[:1] and found[0] in right, first_right < len(found), not unmarked))
        return agent, scores


async def main():
    scores, answers, calls, failed = [], defaultdict(int), 0, 0
    scenarios = list(facts() if kind == "facts" else memorybench())[:limit]
    for scenario in scenarios:
        agent, found = await play(*scenario)
        scores += found
        calls, failed = calls + agent.calls, failed + agent.failed
        for verb, number in agent.answers.items():
            answers[verb] += number
    share = [sum(map(bool, column)) / len(scores) for column in zip(*scores)]
    print(f"{len(scenarios)} scenarios, {len(scores)} questions, protocol {mode}")
    print("first {:.2f}  found {:.2f}  no outdated before {:.2f}".format(*share))
    print(f"accepted {answers['accept']}, rejected {answers['reject']}, calls {calls}, failed {failed}")


asyncio.run(main())

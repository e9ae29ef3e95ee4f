#!/usr/bin/env python3
"""An hour of an agent: 40 facts are remembered, 17 of them change, then 30 questions are asked.

    benches/hour.py target/release/mem [-v]

An answer is right if the first statement of `mem recall` is the current one, without a mark, and each outdated one is
marked. Changes are told with and without words of change, with and without flags, in six languages. Flags that MEM
does not have are left out.
"""

import json
import os
import subprocess
import sys
import tempfile

FACTS = {
    "ledger-db": "The ledger service stores its data in MariaDB.",
    "ledger-port": "The ledger service listens on port 6120.",
    "ledger-owner": "Ines Falk owns the ledger service.",
    "courier-queue": "Courier uses RabbitMQ as its queue.",
    "courier-retry": "Courier retries a failed delivery 4 times.",
    "courier-host": "Courier runs on Linode.",
    "atlas-lang": "Atlas is written in Kotlin.",
    "atlas-release": "Atlas is released every second Tuesday.",
    "atlas-lead": "The lead of Atlas is Moritz Adeyemi.",
    "beacon-alerts": "Beacon sends its alerts to the channel ops-red.",
    "beacon-keep": "Beacon keeps metrics for 90 days.",
    "vault-backup": "The photo archive is backed up to a disk in the cellar.",
    "office-day": "The team meets in the office on Wednesdays.",
    "office-place": "Our office is at 14 Quay Street.",
    "office-wifi": "The guest network of the office is called Maple.",
    "office-plants": "Tamsin waters the plants in the office.",
    "standup": "The standup of the Atlas team is at 9:45.",
    "budget": "The training budget is 1200 euros per person.",
    "laptop": "New colleagues get a Framework laptop.",
    "holiday": "Holidays are requested from Rohan.",
    "dentist": "Mira's dentist is Dr Okafor.",
    "school": "Mira's daughter attends the Linden school.",
    "car": "Mira drives a Skoda.",
    "coffee": "Mira drinks her coffee black.",
    "gym": "Mira trains at the gym in Harbour Lane.",
    "editor": "Mira writes code in Helix.",
    "theme": "Mira prefers a dark theme in her editor.",
    "phone": "Mira's phone number ends in 4471.",
    "bank": "Mira has her account at Triodos.",
    "doctor": "Mira's physiotherapist is Jonas Wolf.",
    "alquiler": "El alquiler del piso de la calle Olmo es de 840 euros.",
    "gestor": "La contabilidad de la asociación la lleva Nuria.",
    "riego": "El huerto se riega los lunes.",
    "heizung": "Die Heizung im Gartenhaus wird von der Firma Brandl gewartet.",
    "treffen": "Der Chor probt donnerstags im Gemeindehaus.",
    "medico": "Il pediatra di Luca è il dottor Serra.",
    "palestra": "Il corso di yoga è nella sala Aurora.",
    "boulanger": "Le pain de la cantine vient de la boulangerie Morel.",
    "code": "Le code du portail est 5582.",
    "turma": "A turma de cerâmica encontra-se no ateliê da Rua Nova.",
}

# The fact, its new statement, and flags; `FACT` stands for the note of the fact.
CHANGES = [
    ("ledger-db", "We moved the ledger service from MariaDB to Postgres.", []),
    ("ledger-owner", "The ledger service is owned by Pavel Brandt.", ["--replaces", "FACT"]),
    ("courier-queue", "Courier uses NATS as its queue.", []),
    ("courier-retry", "Correction: Courier retries a failed delivery 6 times.", ["--corrects", "FACT"]),
    ("atlas-release", "Atlas is now released every Monday.", []),
    ("atlas-lead", "Farida Lund took over from Moritz Adeyemi as the lead of Atlas.", []),
    ("beacon-keep", "Beacon keeps metrics for 30 days.", ["--valid-from", "2026-03-02"]),
    ("office-wifi", "The guest network of the office is called Copper.", []),
    ("standup", "From now on the standup of the Atlas team is at 10:15.", []),
    ("dentist", "Mira switched to another dentist: Dr Lindqvist.", []),
    ("editor", "Mira writes code in Zed instead of Helix.", []),
    ("alquiler", "El alquiler del piso de la calle Olmo ahora es de 910 euros.", []),
    ("gestor", "La contabilidad de la asociación la lleva Teresa.", ["--replaces", "FACT"]),
    ("heizung", "Die Heizung im Gartenhaus wird jetzt von der Firma Kessler gewartet.", []),
    ("palestra", "Il corso di yoga non è più nella sala Aurora ma nella sala Ginestra.", []),
    ("code", "Le code du portail est désormais 9037.", []),
    ("turma", "A turma de cerâmica encontra-se agora no ateliê da Rua do Forno.", []),
]

QUESTIONS = [
    ("ledger-db", "Which database does the ledger service use?"),
    ("ledger-owner", "Who owns the ledger service?"),
    ("courier-queue", "What does Courier use as a queue?"),
    ("courier-retry", "How often does Courier retry a failed delivery?"),
    ("atlas-release", "When is Atlas released?"),
    ("atlas-lead", "Who is the lead of Atlas?"),
    ("beacon-keep", "How long does Beacon keep metrics?"),
    ("office-wifi", "What is the guest network of the office called?"),
    ("standup", "What time is the standup of the Atlas team?"),
    ("dentist", "Who is Mira's dentist?"),
    ("editor", "Which editor does Mira write code in?"),
    ("alquiler", "¿Cuánto cuesta el alquiler del piso de la calle Olmo?"),
    ("gestor", "¿Quién lleva la contabilidad de la asociación?"),
    ("heizung", "Welche Firma wartet die Heizung im Gartenhaus?"),
    ("palestra", "In quale sala è il corso di yoga?"),
    ("code", "Quel est le code du portail ?"),
    ("turma", "Onde se encontra a turma de cerâmica?"),
    ("ledger-port", "On which port does the ledger service listen?"),
    ("courier-host", "Where does Courier run?"),
    ("atlas-lang", "Which language is Atlas written in?"),
    ("beacon-alerts", "Where does Beacon send its alerts?"),
    ("office-day", "On which day does the team meet in the office?"),
    ("budget", "How large is the training budget per person?"),
    ("holiday", "From whom are holidays requested?"),
    ("gym", "Where does Mira train?"),
    ("theme", "Does Mira prefer a dark theme?"),
    ("riego", "¿Cuándo se riega el huerto?"),
    ("treffen", "Wann probt der Chor?"),
    ("medico", "Chi è il pediatra di Luca?"),
    ("boulanger", "D'où vient le pain de la cantine ?"),
]


def is_marked_outdated(hit):
    return bool(hit.get("maybe_outdated_by") or hit.get("expired") or hit.get("replaced_by"))


def main():
    mem, is_verbose = os.path.abspath(sys.argv[1]), "-v" in sys.argv
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": os.environ["PATH"], "MEM_EMBED_ENCODER": "off", "HOME": home, "LANG": "C.UTF-8", "MEM_SEED": "1", "TZ": "UTC"}
        environment |= {f"XDG_{name}_HOME": f"{home}/{name}" for name in ("CONFIG", "STATE", "CACHE")}
        vault = f"{home}/vault"
        os.mkdir(vault)
        minute = 0

        def run(*arguments):
            nonlocal minute
            minute += 1
            now = f"2026-03-02T{9 + minute // 60:02}:{minute % 60:02}:00Z"
            command = [mem, "-q", "-C", vault, *arguments]
            done = subprocess.run(command, env=environment | {"MEM_NOW": now}, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True)
            assert done.returncode in (0, 1), done
            return done.stdout

        run("init", vault)
        flags_of_mem = run("remember", "--help")

        def remember(text, *flags):
            return json.loads(run("remember", "--json", "--by", "agent", text, *flags))

        first = {fact: remember(text)["path"] for fact, text in FACTS.items()}
        current, questions = dict(first), 0
        for fact, text, flags in CHANGES:
            known = [flag.replace("FACT", first[fact]) for flag in flags if flags[0] in flags_of_mem]
            note = remember(text, *known)
            current[fact] = note["path"]
            questions += bool(note.get("conflicts"))
        right = marked = first_right = 0
        for fact, question in QUESTIONS:
            found = run("recall", "--json", question)
            hits = json.loads(found)["hits"] if found.strip() else []
            is_outdated = [is_marked_outdated(hit) for hit in hits]
            is_first = bool(hits) and hits[0]["path"] == current[fact] and not is_outdated[0]
            is_old = first[fact] != current[fact]
            is_marked = all(mark for hit, mark in zip(hits, is_outdated) if is_old and hit["path"] == first[fact])
            first_right += is_first
            marked += is_marked
            right += is_first and is_marked
            if is_verbose and not (is_first and is_marked):
                print(question, [hit["path"] for hit in hits[:3]], "" if is_marked else "outdated without a mark")
    count = len(QUESTIONS)
    print(f"{len(FACTS)} facts, {len(CHANGES)} changes, {count} questions")
    print(f"right answers: {right}; current statement first: {first_right}; nothing outdated without a mark: {marked}")
    print(f"changes that remember asks about at once: {questions}")


main()

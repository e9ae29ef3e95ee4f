//! Facts stated explicitly in a note, as subject, predicate and object.
//!
//! | module | input |
//! |---|---|
//! | [`properties`] | `requires: 20`, `author: Ann Lee`, relations |
//! | [`outline`] | a heading over a list of links, definition lists, `key:: value`, `**Key**: value` at the head |
//! | [`sentences`] | `Ann Lee founded Acme`, `This note supersedes [[Plan]]`, `Rust is a language` |
//!
//! Extraction is conservative: denied, planned, questioned and hedged statements are ignored. Facts are not stored
//! but extracted from the text each time, so they cannot go stale.

pub mod coexistence;
pub mod departures;
mod fact;
mod judged;
pub mod limits;
mod outline;
mod phrases;
mod predicates;
mod properties;
pub mod quantity;
mod sentences;
pub mod validity;
mod words;

use std::collections::HashSet;

use super::Note;
use super::markdown::document::Document;
pub use fact::{Fact, FactSource, FactTerm};
pub use judged::{JudgedFact, MAX_FACT_PART_CHARS};
pub use predicates::canonical_predicate;

/// Returns the facts of `note` in the order of `text`, without duplicates. `stem` is the file's stem.
pub fn extract(text: &str, note: &Note, stem: &str) -> Vec<Fact> {
    let mut facts = properties::facts(text, note, stem);
    let document = Document::of(text, note.body.clone());
    let open = outline::open_lines(&document);
    let mut body = outline::facts(text, note, &open);
    body.extend(sentences::facts(&document, note, stem, &open));
    body.sort_by_key(|fact| fact.line);
    facts.extend(body);
    facts.retain(|fact| !fact.subject.is_file() && !fact.object.is_file());
    let mut seen = HashSet::new();
    facts.retain(|fact| {
        let triple = (&fact.subject, &fact.predicate, &fact.object);
        seen.insert((triple.0.clone(), triple.1.clone(), triple.2.clone()))
    });
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(term: &FactTerm) -> String {
        match term {
            FactTerm::Itself => "*".to_owned(),
            FactTerm::Link { target, .. } => format!("[[{target}]]"),
            FactTerm::Name(name) => name.clone(),
            FactTerm::Number(number) => format!("#{number}"),
            FactTerm::Value(value) => format!("'{value}'"),
        }
    }

    fn facts(text: &str) -> Vec<String> {
        let note = super::super::read(text, "plan-7");
        let facts = extract(text, &note, "plan-7");
        facts
            .iter()
            .map(|fact| {
                let (subject, object) = (shown(&fact.subject), shown(&fact.object));
                format!("{}: {subject} | {} | {object}", fact.line, fact.predicate)
            })
            .collect()
    }

    #[test]
    fn property_facts() {
        for (yaml, expected) in [
            ("status: Final\n", &["2: * | status | 'Final'"][..]),
            ("superseded-by: 9\n", &["2: #9 | supersedes | *"]),
            (
                "requires: 20, 165\n",
                &["2: * | requires | #20", "2: * | requires | #165"],
            ),
            (
                "requires: [3]\npages: 12\n",
                &["2: * | requires | #3", "3: * | pages | '12'"],
            ),
            (
                "title: T\ncreated: 2026-01-01\nauthors: Ann Lee (@ann), Bo Ray <bo@x.org>\n",
                &["4: * | authors | Ann Lee", "4: * | authors | Bo Ray"],
            ),
            (
                "place: Paris, France\n",
                &["2: * | place | 'Paris, France'"],
            ),
            (
                "depends_on: [\"[[Tea]]\"]\nup: '[[Home|home]]'\n",
                &["2: * | depends on | [[Tea]]", "3: * | up | [[Home]]"],
            ),
            (
                "merged: ['status: open']\ntags: [a]\nid: x\nmem: {by: a}\nempty:\nlong: {a: b}\nnoindex: true\nsource: Ann Lee\ncost: ⏤\n",
                &[],
            ),
        ] {
            assert_eq!(facts(&format!("---\n{yaml}---\n")), expected, "{yaml}");
        }
    }

    #[test]
    fn outline_facts() {
        for (body, expected) in [
            (
                "## Depends on\n\n- [[Tea]]\n- [Cup](Cup.md): blue\n",
                &[
                    "3: * | depends on | [[Tea]]",
                    "4: * | depends on | [[Cup.md]]",
                ][..],
            ),
            ("## Steps\n\n- [[Tea]]\n- boil it\n", &[]),
            // Headings that name a part of the note do not describe the links below them.
            ("## Doubt\n\n- [[Tea]]\n", &[]),
            ("## Of the self\n\n- [[Tea]]\n", &[]),
            ("## Merged from Cups\n\n- [[Tea]]\n", &[]),
            (
                "## Schools of thought:\n\n- [[Tea]]\n",
                &["3: * | schools of thought | [[Tea]]"],
            ),
            (
                "## Declined for inclusion\n\n- [[Tea]]\n",
                &["3: * | declined for inclusion | [[Tea]]"],
            ),
            (
                "## Further reading\n\n- [[Tea]]\n",
                &["3: * | further reading | [[Tea]]"],
            ),
            ("# All\n\n- [[Tea]]\n", &[]),
            ("status:: done\n", &["1: * | status | 'done'"]),
            (
                "- **Casting time:** 1 action\n",
                &["1: * | casting time | '1 action'"],
            ),
            (
                "**Owner**: [[Ann]], [[Bo]]\n",
                &["1: * | owner | [[Ann]]", "1: * | owner | [[Bo]]"],
            ),
            (
                "- **Website:** [Tea (all)](https://tea.org) and [x](y\n",
                &["1: * | website | 'Tea (all) and [x](y'"],
            ),
            ("- **Kept by** Ann\n", &[]),
            (
                "- **Gas**: the unit in which all of the work is counted. It costs.\n",
                &[],
            ),
            ("# T\n\n## Keys\n\n**macOS**: Cmd\n", &[]),
            (
                "Sencha\n: a green tea\n",
                &["1: Sencha | means | 'a green tea'"],
            ),
            // A definition in a glossary, or a drawing, is not a value of the note.
            (
                "- **Prototyping**: discuss ideas with stakeholders\n- **Cost:** ⏤\n",
                &[],
            ),
            (
                "- **Components:** V, S, a prayer wheel and holy water\n",
                &["1: * | components | 'V, S, a prayer wheel and holy water'"],
            ),
            (
                "- **Properties:** Requires EIP-20\n",
                &["1: * | properties | 'Requires EIP-20'"],
            ),
            ("# T\n\n## Module 2\n\n- [[Tea]]\n", &[]),
            ("```\nstatus:: done\n```\n", &[]),
            ("````\n```\nstatus:: done\n```\nstatus:: open\n````\n", &[]),
            ("Tea.\n\n    status:: done\n", &[]),
            ("<!-- status:: done -->\n", &[]),
        ] {
            assert_eq!(facts(body), expected, "{body}");
        }
    }

    #[test]
    fn files_and_addresses_are_not_values() {
        for text in [
            "---\nimage: cover.png\nbanner: '![[b.webp]]'\nurl: https://x.y/z\nfile: '[[a b.pdf]]'\n---\n",
            "**Cover**: ![[Tea-2025.webp|300]]\n**Scans**: a.png, b.png\n",
            "logo:: [x](tea.png)\nsite:: <https://example.com/tea>\n",
            "Atlas uses plan-2025.pdf.\n\nAtlas depends on [[spec.pdf#page=2]].\n\nAnn prefers photo.png.\n",
            "## Depends on\n\n- [[tea.pdf]]\n- [d](file.pdf)\n",
        ] {
            assert_eq!(facts(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn generated_lines_are_ignored() {
        let block = crate::note::markdown::marks::block("list", "status:: done\n");
        let text = format!("{block}status:: open\n");
        assert_eq!(facts(&text), ["4: * | status | 'open'"]);
        let edited = text.replace("done", "gone");
        assert_eq!(facts(&edited).len(), 2);
    }

    #[test]
    fn phrases_are_whole_and_sentence_starts_are_not_names() {
        for (body, expected) in [
            // A phrase is read whole or not at all: a truncated one has another meaning.
            (
                "Descartes is a proponent of free will. Hopper is a book unlike any other. Cup is a relation \
                 between two things. Cup is a fast and simple tool. Cup is a decentralized [thing].",
                &[][..],
            ),
            (
                "Cup is an instance of the principle. Tea is a drink, which is hot. Sam is a poet with a hat.",
                &[
                    "1: Cup | is a | 'instance of the principle'",
                    "1: Tea | is a | 'drink'",
                    "1: Sam | is a | 'poet'",
                ],
            ),
            (
                "Cards is a view you can use. Kafka is a publish–subscribe system.",
                &["1: Cards | is a | 'view'"],
            ),
            // A word capitalised only at the start of a sentence is a name only if it is the note's own.
            (
                "Acme is a shop. See acme.com.",
                &["1: Acme | is a | 'shop'"],
            ),
            ("Trust is a factor. What trust is.", &[]),
            (
                "The Web is a tool. On the web.",
                &["1: Web | is a | 'tool'"],
            ),
            (
                "Plan-7 is a scheme of plan-7.",
                &["1: Plan-7 | is a | 'scheme of plan-7'"],
            ),
            ("Philosophical Studies 156.", &[]),
        ] {
            assert_eq!(facts(body), expected, "{body}");
        }
    }

    #[test]
    fn sentence_facts() {
        for (body, expected) in [
            (
                "This note supersedes [[Plan]].",
                &["1: * | supersedes | [[Plan]]"][..],
            ),
            ("Superseded by EIP-8141.", &["1: EIP-8141 | supersedes | *"]),
            ("This EIP replaces the original EIP-1283 value.", &[]),
            ("It replaces EIP-20. This variant replaces EIP-20.", &[]),
            (
                "# T\n\n## Part\n\nUses STUN. Superseded by EIP-20.",
                &["5: EIP-20 | supersedes | *"],
            ),
            (
                "This plan uses STUN. Requires EIP-20.",
                &["1: * | uses | STUN", "1: * | requires | EIP-20"],
            ),
            (
                "Below is a table. Pairings are an addition. `X` is a type.",
                &[],
            ),
            (
                "Ann prefers short, focused code. Ann's work is often used by Bo.",
                &[],
            ),
            (
                "Cup is a timer designed to tick. Ann is a timer made by Bo.",
                &["1: Cup | is a | 'timer'", "1: Ann | is a | 'timer'"],
            ),
            ("Gossip is a [[b|batch]]-based tool.", &[]),
            // The rest of the sentence changes the meaning of the word.
            ("Taste is a commitment to craft. This is an approach.", &[]),
            (
                "**Sencha** is a tea. `<id>` is a type.",
                &["1: Sencha | is a | 'tea'"],
            ),
            (
                "Sencha is a kind of tea from Japan. Cup is a command-line tool written in C.",
                &[
                    "1: Sencha | is a | 'kind of tea'",
                    "1: Cup | is a | 'command-line tool'",
                ],
            ),
            (
                "Sam lives in St. Louis. J. R. Lee founded Acme.",
                &[
                    "1: Sam | lives in | St. Louis",
                    "1: J. R. Lee | founded | Acme",
                ],
            ),
            (
                "Ann Lee founded Acme in 1999.",
                &["1: Ann Lee | founded | Acme"],
            ),
            (
                "Acme was founded by Ann Lee and [[Bo]].",
                &["1: Ann Lee | founded | Acme", "1: [[Bo]] | founded | Acme"],
            ),
            ("Ann Lee: works at Acme.", &["1: Ann Lee | works at | Acme"]),
            (
                "Ann now lives in New York City.",
                &["1: Ann | lives in | New York City"],
            ),
            ("Ann does not live in Rome. Ann never worked at Acme.", &[]),
            ("Will Ann replace [[Bo]]? Ann may replace Bo.", &[]),
            ("If Ann manages Bo, fine.", &[]),
            (
                "Rust is a systems language that compiles.",
                &["1: Rust | is a | 'systems language'"],
            ),
            (
                "Bern is the capital of Switzerland.",
                &["1: Bern | is the capital of | Switzerland"],
            ),
            ("This is a list. There is a way. Everything is a file.", &[]),
            (
                "Bo's favourite drink is green tea.",
                &["1: Bo | favourite drink | 'green tea'"],
            ),
            (
                "Ann prefers dark mode over light.",
                &["1: Ann | prefers | 'dark mode'"],
            ),
            ("> Ann founded Acme.\n", &[]),
            ("# Ann founded Acme\n", &[]),
            (
                "- Ann founded Acme\n- Ann founded Acme\n",
                &["1: Ann | founded | Acme"],
            ),
        ] {
            assert_eq!(facts(body), expected, "{body}");
        }
    }
}

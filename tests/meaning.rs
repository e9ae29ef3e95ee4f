//! Semantic search: the built-in model, the vector file, the graph.

use std::fs;
use std::path::PathBuf;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Recall, RelatedReply, Search, Status};

/// Notes that share no word with the questions below.
fn notes() -> TestVault {
    TestVault::of([
        (
            "animals/Whiskers.md",
            "The cat sleeps on the sofa all afternoon and wakes up for her dinner.\n",
        ),
        (
            "work/Deploys.md",
            "# Deploys\n\n## On Fridays\n\nNobody ships software before the weekend.\n",
        ),
        (
            "home/Boiler.md",
            "The plumber repaired the heating; the radiators are warm again.\n",
        ),
        (
            "work/Lunch.md",
            "Noodles with Ada and Grace, near the station.\n",
        ),
    ])
}

fn search(vault: &TestVault, arguments: &[&str]) -> Search {
    let arguments = ["-q", "search", "--json"].iter().chain(arguments);
    vault.run(arguments).json(0)
}

fn paths(answer: &Search) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.path.as_str()).collect()
}

#[test]
fn semantic_search_needs_no_common_word() {
    let vault = notes();
    for (question, path) in [
        ("kitten", "animals/Whiskers.md"),
        ("release management", "work/Deploys.md"),
        ("central heater", "home/Boiler.md"),
    ] {
        let lexical = vault.run(["search", "--mode", "lexical", question]).raw();
        assert!(lexical.code == 1 && lexical.stderr.starts_with("no matches"));
        for mode in ["hybrid", "semantic"] {
            let answer = search(&vault, &["--mode", mode, question]);
            assert_eq!(answer.mode, mode);
            assert_eq!(answer.hits[0].path, path, "{question}");
            assert!(answer.hits[0].cosine.unwrap() > 0.2);
        }
    }
    let answer = search(&vault, &["release management"]);
    let hit = &answer.hits[0];
    assert_eq!(
        (hit.heading.as_str(), hit.line, hit.snippet.as_deref()),
        (
            "On Fridays",
            Some(5),
            Some("Nobody ships software before the weekend.")
        )
    );
}

#[test]
fn literal_queries_are_not_semantic() {
    let vault = notes();
    for query in ["\"release management\"", "managem*", "title:kitten"] {
        vault
            .run(["search", query])
            .stderr(expect!["no matches"])
            .code(1);
    }
    let answer = search(&vault, &["--mode", "semantic", "cold rooms path:work"]);
    assert!(paths(&answer).iter().all(|path| path.starts_with("work/")));
    vault
        .run(["search", "--min-cosine", "0.99", "cat"])
        .stderr(expect!["no matches"])
        .code(1);
}

#[test]
fn score_terms_add_up() {
    let vault = TestVault::indexed("sample");
    for mode in ["hybrid", "lexical", "semantic"] {
        let answer = search(
            &vault,
            &["--explain", "--mode", mode, "how hot should the water be"],
        );
        assert!(answer.hits.len() > 3);
        for hit in &answer.hits {
            let explain = hit.explain.as_ref().unwrap();
            let sum = (explain.words + explain.meaning + explain.tokens + explain.context)
                * explain.weight
                * explain.voice
                * explain.space
                + explain.name;
            assert!((sum - hit.score).abs() < 1e-5, "{hit:?}");
            assert!(explain.words == 0.0 || mode != "semantic", "{hit:?}");
            assert!(explain.meaning == 0.0 || mode != "lexical", "{hit:?}");
        }
    }
}

/// Returns everything that orders or explains an answer.
fn answers(vault: &TestVault) -> Vec<(String, f64, Option<f64>)> {
    let mut answers = Vec::new();
    for question in [
        "warm drink",
        "what to cook tonight",
        "travel plans",
        "kettle",
    ] {
        for mode in ["hybrid", "semantic"] {
            let answer = search(vault, &["-n", "20", "--mode", mode, question]);
            answers.extend(
                answer
                    .hits
                    .into_iter()
                    .map(|hit| (hit.path, hit.score, hit.cosine)),
            );
        }
    }
    answers
}

fn set(vault: &TestVault, key: &str, value: &str) {
    let outcome = vault.run(["config", key, value]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

fn status(vault: &TestVault) -> Status {
    vault.run(["status", "--json"]).json(0)
}

#[test]
fn graph_and_exact_search_agree() {
    let vault = TestVault::indexed("sample");
    let one_by_one = answers(&vault);
    assert!(status(&vault).vectors.unwrap().graph.is_none());
    set(&vault, "index.hnsw", "always");
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
    let vectors = status(&vault).vectors.unwrap();
    let graph = vectors.graph.unwrap();
    assert!(graph.bytes > 0 && graph.passages == vectors.passages);
    assert_eq!(answers(&vault), one_by_one);

    // Includes notes created, changed and deleted since.
    vault.write("new.md", "A hot beverage for travellers.\n");
    vault.write("tea/Oolong.md", "Something for supper.\n");
    fs::remove_file(vault.path("recipes/Ochazuke.md")).unwrap();
    let by_graph = answers(&vault);
    assert!(by_graph.iter().any(|(path, ..)| path == "new.md"));
    assert!(
        by_graph
            .iter()
            .all(|(path, ..)| path != "recipes/Ochazuke.md")
    );
    set(&vault, "index.hnsw", "never");
    assert_eq!(answers(&vault), by_graph);
    assert!(status(&vault).vectors.unwrap().graph.is_none());
}

/// Returns the file of the current index with this prefix.
fn file(vault: &TestVault, name: &str) -> PathBuf {
    let entries = fs::read_dir(vault.index()).unwrap();
    let mut found = entries.map(|entry| entry.unwrap().path());
    found
        .find(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(name)
        })
        .unwrap()
}

type Harm = fn(Vec<u8>) -> Vec<u8>;

#[test]
fn damaged_vectors_and_graphs_are_rebuilt() {
    let vault = TestVault::indexed("sample");
    set(&vault, "index.hnsw", "always");
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
    let whole = answers(&vault);
    let harms: [(&str, Harm); 5] = [
        ("cut in the middle", |bytes| {
            bytes[..bytes.len() / 2].to_vec()
        }),
        ("empty", |_| Vec::new()),
        ("zeroed", |bytes| vec![0; bytes.len()]),
        ("older", |mut bytes| {
            bytes[8] = 0;
            bytes
        }),
        ("newer", |mut bytes| {
            bytes[8] = 99;
            bytes
        }),
    ];
    for (name, harm) in harms {
        let graph = file(&vault, "graph.");
        fs::write(&graph, harm(fs::read(&graph).unwrap())).unwrap();
        assert_eq!(answers(&vault), whole, "{name} graph");
        vault
            .run(["--quiet", "index"])
            .stdout(expect!["41 notes, no changes"])
            .code(0);
        assert!(status(&vault).vectors.unwrap().graph.is_some(), "{name}");

        let vectors = file(&vault, "vectors.");
        fs::write(&vectors, harm(fs::read(&vectors).unwrap())).unwrap();
        let first = vault.run(["search", "--json", "kettle"]).raw();
        assert!(
            first.stderr.starts_with("the vectors are unusable ("),
            "{name}: {}",
            first.stderr
        );
        assert_eq!((first.stderr.lines().count(), first.code), (1, 0), "{name}");
        assert_eq!(answers(&vault), whole, "{name} vectors");

        // An index pass detects it, too.
        let vectors = file(&vault, "vectors.");
        fs::write(&vectors, harm(fs::read(&vectors).unwrap())).unwrap();
        let pass = vault.run(["index"]).raw();
        assert!(
            pass.stderr.starts_with("the vectors are unusable ("),
            "{name}"
        );
        assert_eq!((pass.stderr.lines().count(), pass.code), (1, 0), "{name}");
        assert_eq!(answers(&vault), whole, "{name} vectors, by a pass");
        vault
            .run(["--quiet", "index"])
            .stdout(expect!["41 notes, no changes"])
            .code(0);
    }
}

#[test]
fn recall_respects_its_budget() {
    let vault = TestVault::indexed("sample");
    let ask = |budget: &str| -> Recall {
        vault
            .run([
                "recall",
                "--json",
                "--budget",
                budget,
                "how hot should the water be",
            ])
            .json(0)
    };
    let (little, much) = (ask("100"), ask("3000"));
    assert!(little.tokens <= 100 && little.hits.len() < much.hits.len());
    assert!(little.left_out > 0 && much.tokens <= 3000);
    let whole = |text: &str| text.trim_end_matches(" …").to_owned();
    for few in &little.hits {
        let many = much.hits.iter().find(|many| many.path == few.path).unwrap();
        assert!(many.text.starts_with(&whole(&few.text)), "{few:?}");
    }
    for hit in &much.hits {
        let note = vault.read(&hit.path);
        assert!(note.contains(&whole(&hit.text)), "{}", hit.path);
        assert!(hit.tokens >= hit.text.len() / 4);
        // The citation is on the stated line.
        let cited = note.lines().nth(hit.text_line - 1).unwrap();
        assert!(
            !cited.is_empty() && hit.text.starts_with(cited.trim()),
            "{hit:?}"
        );
    }
    let all = vault.run([
        "recall",
        "--json",
        "--all",
        "--budget",
        "3000",
        "how hot is it",
    ]);
    let all: Recall = all.json(0);
    assert!(all.hits.len() > 1);
    vault
        .run(["recall", "what does the neighbour's lawyer charge"])
        .stderr(expect![[r#"
            nothing relevant (no note contains `lawyer`, `charge`); `--all` prints weak matches
        "#]])
        .code(1);
    let nothing = vault.run(["recall", "--budget", "0", "tea"]).raw();
    assert_eq!(nothing.code, 2, "{nothing:?}");
    let shown = vault.run(["recall", "--budget", "300", "yabukita"]).raw();
    assert!(shown.stdout.starts_with("## "), "{}", shown.stdout);
    assert!(shown.stdout.contains("Yabukita"), "{}", shown.stdout);
}

#[test]
fn related_notes_are_linked_near_or_mentioned() {
    let vault = TestVault::of([
        (
            "Oolong.md",
            "A tea between green and black, from [[Taiwan]].\n",
        ),
        ("Taiwan.md", "An island.\n"),
        ("Black tea.md", "A tea that is dark, from Assam.\n"),
        ("Diary.md", "Rain all day.\n\nDrank oolong with Mei.\n"),
        ("Shop.md", "They have [[Oolong]].\n"),
        ("Bicycle.md", "The chain needs oil and the brakes squeak.\n"),
    ]);
    let related: RelatedReply = vault.run(["related", "--json", "oolong"]).json(0);
    let links: Vec<_> = related
        .links
        .iter()
        .map(|link| (link.path.as_str(), link.direction.as_str()))
        .collect();
    assert_eq!(links, [("Taiwan.md", "to"), ("Shop.md", "from")]);
    assert_eq!(related.near[0].path, "Black tea.md");
    assert!(related.near.iter().all(|near| near.path != "Bicycle.md"));
    let mentions: Vec<_> = related
        .mentions
        .iter()
        .map(|mention| {
            (
                mention.path.as_str(),
                mention.line,
                mention.snippet.as_str(),
            )
        })
        .collect();
    assert_eq!(mentions, [("Diary.md", 3, "Drank oolong with Mei.")]);
    vault
        .run(["related", "Bicycle", "--min-cosine", "0.9"])
        .stderr(expect!["no links, mentions or similar notes"])
        .code(1);
}

#[test]
fn person_outranks_an_assistants_repetition() {
    let said = "My first sprint ends on Friday, and the garden shed is not painted yet.";
    let reply =
        "Your first sprint ends on Friday, as you say! When your first sprint ends, plan the next.";
    let note = |source: &str, text: &str| format!("---\nsource: {source}\n---\n{text}\n");
    let vault = TestVault::of([
        ("chat/0001-a.md", &note("user", said)),
        ("chat/0002-b.md", &note("assistant", reply)),
        (
            "chat/0003-a.md",
            &note("user", "The shed needs a new roof."),
        ),
    ]);
    let first = |question: &str| {
        let answer = search(&vault, &["--explain", question]);
        let adds_up = answer.hits.iter().all(|hit| {
            let explain = hit.explain.as_ref().unwrap();
            let own = explain.words + explain.meaning + explain.tokens + explain.context;
            let sum = own * explain.weight * explain.voice * explain.space + explain.name;
            (sum - hit.score).abs() < 1e-5
        });
        assert!(adds_up, "{question}");
        answer.hits[0].path.clone()
    };
    assert_eq!(first("When does my first sprint end?"), "chat/0001-a.md");
    // The question is about the assistant's statement.
    assert_eq!(
        first("What did you say about when my first sprint ends?"),
        "chat/0002-b.md"
    );
}

#[test]
fn best_hits_add_related_notes() {
    let related = |relation: &str, to: &str, text: &str| {
        format!("---\n{relation}: [\"[[{to}]]\"]\n---\n{text}\n")
    };
    let vault = TestVault::of([
        (
            "Invoices.md",
            &*related(
                "depends_on",
                "Kestrel",
                "The invoice service listens on port 8080.",
            ),
        ),
        ("Kestrel.md", "Anna restarts it on Mondays.\n"),
        (
            "Osprey.md",
            &related("evolved_from", "Kestrel", "Bob restarts it on Sundays."),
        ),
        ("Boiler.md", "The plumber repaired the radiators.\n"),
    ]);
    let recalled = |arguments: &[&str]| -> Vec<(String, Option<String>)> {
        let arguments = ["-q", "recall", "--json"].iter().chain(arguments);
        let answer: Recall = vault.run(arguments).json(0);
        let hits = answer.hits.into_iter();
        hits.map(|hit| (hit.path, hit.replaces)).collect()
    };
    let question = "which port does the invoice service listen on";
    let paths = |found: Vec<(String, Option<String>)>| -> Vec<String> {
        found.into_iter().map(|(path, _)| path).collect()
    };
    // The replacement of the related note is returned, only if it passes all filters.
    assert_eq!(paths(recalled(&[question])), ["Invoices.md", "Osprey.md"]);
    assert_eq!(
        paths(recalled(&[question, "-path:Osprey"])),
        ["Invoices.md", "Kestrel.md"]
    );
}

#[test]
fn current_space_is_preferred() {
    let note = |space: &str, text: &str| format!("---\nspace: {space}\n---\n{text}\n");
    let port = |port: &str| format!("The server listens on port {port}.");
    let vault = TestVault::of([
        ("a.md", &*note("heron", &port("8080"))),
        ("b.md", &note("osprey", &port("9090"))),
        ("c.md", "The port of the server is set in a file.\n"),
    ]);
    let question = "which port does the server listen on";
    let first = |arguments: &[&str]| {
        let asked = ["-q", "recall", "--json", "--explain", question];
        let answer: Recall = vault.run(asked.iter().chain(arguments)).json(0);
        let hit = &answer.hits[0];
        let explain = hit.explain.as_ref().unwrap();
        let own = explain.words + explain.meaning + explain.tokens + explain.context;
        let factors = explain.weight * explain.voice * explain.space;
        assert!((own * factors + explain.name - hit.score).abs() < 1e-5);
        let last = answer
            .hits
            .iter()
            .map(|hit| hit.explain.as_ref().unwrap().space);
        (hit.path.clone(), last.fold(1.0, f64::min))
    };
    assert_eq!(first(&[]), ("a.md".to_owned(), 1.0));
    assert_eq!(first(&["--space", "Heron"]), ("a.md".to_owned(), 0.6));
    assert_eq!(first(&["--space", "osprey"]), ("b.md".to_owned(), 0.6));
    // A space without notes has no effect.
    assert_eq!(first(&["--space", "kestrel"]), ("a.md".to_owned(), 1.0));
    let said = |space: &str| {
        vault
            .run(["search", "-n", "1", "port", "--space", space])
            .raw()
            .stderr
    };
    assert_eq!(said("heron"), "");
    assert_eq!(
        said("my \"kestrel"),
        "no note has the space `my \"kestrel`; it has no effect\n"
    );
    set(&vault, "recall.other_space", "0.9");
    assert_eq!(first(&["--space", "osprey"]), ("b.md".to_owned(), 0.9));
}

#[test]
fn rank_fusion_is_optional() {
    let vault = TestVault::of([
        (
            "Tea.md",
            "Green tea is brewed at eighty degrees, black tea hotter.\n",
        ),
        (
            "Kettle.md",
            "The kettle brews tea at a temperature that is set on its handle.\n",
        ),
        (
            "Ferns.md",
            "Ferns like shade, and tea leaves at their roots.\n",
        ),
    ]);
    let recalled = || -> Vec<(f64, f64, f64)> {
        let question = "how hot is green tea brewed";
        let answer: Recall = vault
            .run(["-q", "recall", "--json", "--explain", question])
            .json(0);
        let explained = answer.hits.iter().map(|hit| {
            let explain = hit.explain.as_ref().unwrap();
            (explain.words, explain.meaning, explain.context)
        });
        explained.collect()
    };
    let before = recalled();
    set(&vault, "recall.fusion", "ranks");
    let near = |found: (f64, f64, f64), expected: [f64; 2]| {
        let (words, meaning, context) = found;
        (words - expected[0]).abs() < 1e-6 && (meaning - expected[1]).abs() < 1e-6 && context == 0.0
    };
    let found = recalled();
    assert_eq!(found.len(), before.len());
    assert!(near(found[0], [0.4, 0.6]), "{found:?}");
    assert!(
        near(found[1], [0.4 * 61.0 / 62.0, 0.6 * 61.0 / 62.0]),
        "{found:?}"
    );
    set(&vault, "recall.rrf_k", "0");
    assert!(near(recalled()[1], [0.2, 0.3]));
    set(&vault, "recall.rrf_words", "1");
    assert!(near(recalled()[1], [0.5, 0.0]));
    set(&vault, "recall.fusion", "scores");
    assert_eq!(recalled(), before);
}

#[test]
fn recall_may_return_nothing() {
    let vault = TestVault::of([
        ("Kettle.md", "The kettle is descaled with vinegar.\n"),
        ("Ferns.md", "Ferns like shade, and the base of a wall.\n"),
        (
            "Build.md",
            "The parser is written in C++ and tested at night.\n",
        ),
        ("Grades.md", "Grade C is enough to pass, c is not.\n"),
    ]);
    for (query, why) in [
        ("the", "no matches: the query has no meaningful words\n"),
        ("!!!", "no matches: the query has no meaningful words\n"),
        (
            "kettle -Kettles",
            "no matches: the query excludes its own matches with `-`\n",
        ),
        (
            "bake bread",
            "no matches: no note contains `bake`, `bread`\n",
        ),
        (
            "What did Caroline say about the wall?",
            "nothing relevant (no note contains `Caroline`); `--all` prints weak matches\n",
        ),
    ] {
        let outcome = vault.run(["-q", "recall", query]).raw();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""), "{query}");
        let outcome = vault.run(["recall", query]).raw();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (1, why), "{query}");
    }
    for query in ["C++", "is the c++ parser tested"] {
        let answer: Recall = vault.run(["-q", "recall", "--json", query]).json(0);
        assert_eq!(answer.hits[0].path, "Build.md", "{query}");
    }
    let by_words = search(&vault, &["--mode", "lexical", "C++"]);
    assert_eq!(paths(&by_words), ["Build.md"]);
}

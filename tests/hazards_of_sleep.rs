//! Known ways in which similar systems lost data while summarising or forgetting. See `hazards.rs`
//! for others.

use std::fs;

use serde_json::Value;

use crate::support::TestVault;
use crate::support::records::{List, Search};

/// A vault in which `sleep` writes summaries and digests.
fn vault(notes: &[(&str, &str)]) -> TestVault {
    let vault = TestVault::of([("Mine.md", "Tea at four.\n")]);
    for setting in ["cluster.min_cosine", "consolidate.min_cosine"] {
        vault.run(["-q", "config", setting, "0.5"]).raw();
    }
    for (title, text) in notes {
        remember(&vault, title, text);
    }
    vault
}

fn remember(vault: &TestVault, title: &str, text: &str) {
    let outcome = vault
        .run(["-q", "remember", "--title", title, "--", text])
        .raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

fn sleep(vault: &TestVault) {
    let outcome = vault.run(["-q", "sleep", "--all", "--apply", "all"]).raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
}

fn accept(vault: &TestVault) {
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .raw();
}

fn listed(vault: &TestVault, query: &str) -> Vec<String> {
    let list: List =
        serde_json::from_str(&vault.run(["-q", "list", "--json", query]).raw().stdout).unwrap();
    list.notes.into_iter().map(|note| note.path).collect()
}

const BACKUPS: [(&str, &str); 4] = [
    (
        "Where",
        "The nightly backup of the Postgres database is stored on the server in Basel.",
    ),
    (
        "Key",
        "The nightly backup of the Postgres database is encrypted and stored on the server.",
    ),
    (
        "Again",
        "The nightly backup of the Postgres database is stored on the server once more in Bern.",
    ),
    (
        "Long",
        "The nightly backup of the Postgres database is stored on the server for thirty days.",
    ),
];

const TEAS: [(&str, &str); 3] = [
    (
        "Green",
        "Green tea from Japan wants water of eighty degrees and two minutes.",
    ),
    (
        "White",
        "White tea from Japan wants water of eighty degrees and four minutes.",
    ),
    (
        "Black",
        "Black tea from Japan wants water of ninety degrees and two minutes.",
    ),
];

#[test]
fn text_truncated_before_summary_then_the_original_hidden() {
    // The relevant sentence comes after more text than other systems show a model.
    let filler =
        "The old harbour crane lifts barrels of salted herring from the boats. ".repeat(30);
    let texts = ["The brake holds 4711 kilos.", "Ask Quentin before use."]
        .map(|last| format!("{filler}{last}"));
    let vault = vault(&[("Crane", &texts[0]), ("Lift", &texts[1])]);
    vault.run(["-q", "consolidate"]).raw();
    accept(&vault);
    let [digest] = &listed(&vault, "has:derived_from")[..] else {
        panic!("{:?}", listed(&vault, ""))
    };
    let text = vault.read(digest);
    assert!(text.contains("4711") && text.contains("Quentin"), "{text}");
    // The originals are complete and can be found.
    for (note, text) in ["crane.md", "lift.md"].into_iter().zip(&texts) {
        assert!(vault.read(note).contains(text));
        let search: Search = vault
            .run(["-q", "search", "--json", "harbour crane"])
            .json(0);
        assert!(search.hits.iter().any(|hit| hit.path == note), "{search:?}");
    }
}

#[test]
fn summary_of_summaries() {
    let vault = vault(&[&BACKUPS[..], &TEAS].concat());
    let derived = || {
        let mut derived = listed(&vault, "type:meta");
        derived.extend(listed(&vault, "has:derived_from"));
        derived
    };
    for setting in ["managed", "all"] {
        for job in ["cluster", "consolidate", "associate", "link"] {
            let notes = if job == "link" { "similar" } else { "notes" };
            vault
                .run(["-q", "config", &format!("{job}.{notes}"), setting])
                .raw();
        }
        for _ in 0..2 {
            sleep(&vault);
            accept(&vault);
            // Each summary is made only of notes that have an author, whatever else is similar.
            let derived = derived();
            assert!(derived.len() > 1, "{derived:?}");
            for note in &derived {
                let text = vault.read(note);
                for other in &derived {
                    let name = format!("[[{}]]", other.trim_end_matches(".md"));
                    assert!(!text.contains(&name), "{note}: {text}");
                }
            }
        }
    }
}

#[test]
fn new_meta_note_each_run() {
    let vault = vault(&BACKUPS[..3]);
    sleep(&vault);
    let [summary] = &listed(&vault, "type:meta")[..] else {
        panic!("{:?}", listed(&vault, ""))
    };
    let still = |why: &str| {
        for _ in 0..2 {
            sleep(&vault);
            assert_eq!(listed(&vault, "type:meta"), [summary.as_str()], "{why}");
        }
        vault.read(summary)
    };
    assert!(still("nothing happened").contains("cluster_size: 3\n"));
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    assert!(still("without a cache").contains("cluster_size: 3\n"));
    remember(&vault, BACKUPS[3].0, BACKUPS[3].1);
    assert!(still("one note more").contains("cluster_size: 4\n"));
    fs::remove_file(vault.path("key.md")).unwrap();
    assert!(!still("one note less").contains("[[key]]"));
    vault.edit("where.md", "in Basel", "in Lausanne");
    sleep(&vault);
    assert!(listed(&vault, "type:meta").is_empty(), "two are no group");
}

#[test]
fn a_second_sleep_finds_nothing_to_do() {
    let vault = vault(&[&BACKUPS[..], &TEAS].concat());
    sleep(&vault);
    accept(&vault);
    sleep(&vault);
    let (before, open) = (vault.tree(), vault.run(["-q", "review", "--all"]).raw());
    assert!(!listed(&vault, "type:meta").is_empty());
    sleep(&vault);
    before.assert_same(&vault.tree());
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    sleep(&vault);
    before.assert_same(&vault.tree());
    assert_eq!(vault.run(["-q", "review", "--all"]).raw(), open);
}

#[test]
fn inverse_decay_filter() {
    let vault = vault(&[]);
    for (note, importance) in [
        ("None", ""),
        ("Low", "0.1"),
        ("Some", "0.5"),
        ("High", "0.8"),
    ] {
        remember(&vault, note, &format!("The quay has a bollard, {note}."));
        if !importance.is_empty() {
            let set = format!("importance={importance}");
            vault.run(["-q", "edit", note, "--set", &set]).raw();
        }
    }
    vault
        .run(["-q", "config", "lifecycle.max_importance", "0.4"])
        .raw();
    for month in ["04", "06"] {
        vault.at(&format!("2060-{month}-01T12:00:00Z"));
        vault.run(["-q", "decay"]).raw();
    }
    // The least important notes fade first.
    assert_eq!(listed(&vault, "tier:archival"), ["low.md", "none.md"]);
}

#[test]
fn dead_constants() {
    let vault = vault(&[]);
    for (title, text) in BACKUPS {
        remember(&vault, title, text);
    }
    for (note, property) in [
        ("where", "related_to=[[key]]"),
        ("where", "tags=db"),
        ("key", "importance=0.6"),
        ("again", "confidence=0.5"),
    ] {
        vault.run(["-q", "edit", note, "--set", property]).raw();
    }
    for (at, note, reward) in [
        ("2026-04-02", "where", "1"),
        ("2026-04-05", "where", "1"),
        ("2026-04-09", "key", "-1"),
        ("2026-04-15", "key", "1"),
        ("2026-04-15", "again", "1"),
    ] {
        vault.at(&format!("{at}T12:00:00Z"));
        let reward = format!("--reward={reward}");
        let outcome = vault
            .run(["-q", "reinforce", note, &reward, "--query", "backup"])
            .raw();
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
    vault.at("2026-05-10T12:00:00Z");
    // Returns what happens to these notes under a setting; `None` if the value is not accepted.
    let said = |setting: &str, value: f64| -> Option<String> {
        let name = format!("MEM_{}", setting.to_uppercase().replace('.', "_"));
        let mut said = String::new();
        for note in ["where", "key", "again", "long"] {
            let run = vault.command(["-q", "why", "--json", note]);
            let outcome = run.env(&name, value.to_string()).run().raw();
            said.push_str(&outcome.stdout);
            if outcome.code != 0 {
                return None;
            }
        }
        Some(said)
    };
    let config: Value = vault.run(["-q", "config", "--all", "--json"]).json(0);
    let (mut looked, mut dead) = (0, Vec::new());
    for setting in config["settings"].as_array().unwrap() {
        let key = setting["key"].as_str().unwrap();
        let of = [
            "stability",
            "salience",
            "activity",
            "importance",
            "relevance",
            "promotion",
        ];
        let is_signal = of
            .iter()
            .any(|section| key.starts_with(&format!("{section}.")));
        let Some(number) = setting["value"].as_f64().filter(|_| is_signal) else {
            continue;
        };
        looked += 1;
        let plain = said(key, number).unwrap();
        let other = [0.02, 2.0, 10.0].map(|times| said(key, number * times));
        if other.into_iter().flatten().all(|other| other == plain) {
            dead.push(key);
        }
    }
    assert_eq!((looked > 30, dead), (true, Vec::<&str>::new()));
}

//! Known ways in which similar systems lost data, each with a test that mem does not.
//!
//! Hazards of summaries and time are in `hazards_of_sleep.rs`. Hazards of features that mem lacks
//! so far:
//!
//! | hazard | feature |
//! |---|---|
//! | marked done on a garbage reply | questions to a model |
//! | pressure gate counts archived notes | rules |

use std::fs;

use expect_test::expect;
use serde_json::Value;

use crate::support::records::{Dedupe, List, Search, Show, Sleep};
use crate::support::tree::Tree;
use crate::support::{Outcome, TestVault};

const BODY: &str = "The spare key of the garden shed hangs behind the rain barrel, on the left side, \
                    where Anna put it after the storm, wrapped in a yellow bag so that it stays dry.";

/// Returns the complete answers of the vault about its notes.
fn answers(vault: &TestVault) -> Vec<Outcome> {
    [
        &["list", "--json"][..],
        &["search", "--json", "key OR tea OR tomatoes"],
        &["graph", "Green tea"],
        &["show", "--json", "Tomatoes"],
        &["list", "linked-from:garden"],
        &["list", "tag:tea"],
    ]
    .iter()
    .map(|arguments| vault.run([&["-q"], *arguments].concat()).raw())
    .collect()
}

fn backlinks(vault: &TestVault, note: &str) -> Vec<String> {
    let show: Show = vault.run(["-q", "show", "--json", note]).json(0);
    show.backlinks
}

fn dedupe_all(vault: &TestVault) -> Dedupe {
    vault
        .run(["-q", "dedupe", "--json", "--apply", "all"])
        .json(0)
}

/// Adds a note by an agent.
fn remembered(vault: &TestVault, text: &str, title: &str) -> String {
    let outcome = vault
        .run(["-q", "remember", "--title", title, "--", text])
        .raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    outcome.stdout.split('\t').next().unwrap().trim().to_owned()
}

#[test]
fn re_index_drops_edges_owned_by_other_files() {
    let vault = TestVault::of([
        ("a.md", "---\nsupports: \"[[b]]\"\n---\nSee [[b]].\n"),
        ("b.md", "The target.\n"),
        ("c.md", "Also [[b]].\n"),
    ]);
    assert_eq!(backlinks(&vault, "b.md"), ["a.md", "c.md"]);
    vault.write("b.md", "The target, changed, with a link to [[c]].\n");
    vault.run(["-q", "index", "b.md"]).raw();
    assert_eq!(backlinks(&vault, "b.md"), ["a.md", "c.md"]);
    vault.edit("c.md", "Also [[b]].", "No more.");
    assert_eq!(backlinks(&vault, "b.md"), ["a.md"]);
    // Deleted and restored.
    fs::remove_file(vault.path("b.md")).unwrap();
    vault.run(["-q", "index"]).raw();
    vault.write("b.md", "Back.\n");
    assert_eq!(backlinks(&vault, "b.md"), ["a.md"]);
}

#[test]
fn facts_that_exist_only_in_the_database() {
    let vault = TestVault::from("sample");
    remembered(
        &vault,
        "The invoice service listens on port 8080.",
        "Invoice port",
    );
    vault.run(["-q", "sleep", "--all", "--apply", "all"]).raw();
    let before = answers(&vault);
    assert!(before.iter().any(|outcome| outcome.code == 0), "{before:?}");
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    assert_eq!(answers(&vault), before);
    // Journal, state, trash and history contain no knowledge either.
    fs::remove_dir_all(vault.path(".mem")).unwrap();
    fs::create_dir(vault.path(".mem")).unwrap();
    fs::remove_dir_all(vault.home(".local")).unwrap();
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    assert_eq!(answers(&vault), before);
}

#[test]
fn own_rewrites_look_like_user_edits() {
    let vault = TestVault::empty();
    let first = remembered(&vault, BODY, "Shed key");
    let second = remembered(&vault, &format!("{BODY} Oil it."), "Shed key");
    assert_ne!(first, second);
    let managed = |vault: &TestVault| -> Vec<(String, bool)> {
        let list: List = vault.run(["-q", "list", "--json"]).json(0);
        list.notes
            .into_iter()
            .map(|note| (note.path, note.managed))
            .collect()
    };
    let sleep: Sleep = vault.run(["-q", "sleep", "--all", "--json"]).json(0);
    assert_eq!(
        (sleep.groups().len(), sleep.job("dedupe").needs_answer),
        (1, 0),
        "{sleep:?}"
    );
    let kept = managed(&vault);
    assert_eq!(kept.len(), 1);
    assert!(kept[0].1, "mem's own merge made the note somebody else's");
    // There is nothing new to process either.
    let sleep: Sleep = vault.run(["-q", "sleep", "--all", "--json"]).json(0);
    assert_eq!(
        (sleep.groups().len(), sleep.index.as_ref().unwrap().changed),
        (0, 0),
        "{sleep:?}"
    );
    // A person's edit is.
    let text = vault.read(&kept[0].0);
    vault.write(&kept[0].0, &text.replace("yellow", "green"));
    assert!(!managed(&vault)[0].1);
}

#[test]
fn parse_error_is_deletion() {
    let good = format!("---\ntitle: Shed key\ntags: [garden]\n---\n{BODY} See [[shed]].\n");
    let vault = TestVault::of([
        ("key.md", &good),
        ("shed.md", "The shed.\n"),
        ("copy.md", &format!("{BODY} See [[shed]].\n")),
    ]);
    let found = |query: &str| -> Vec<String> {
        let outcome = vault.run(["-q", "search", "--json", "--", query]).raw();
        let search: Search = serde_json::from_str(&outcome.stdout).unwrap();
        search.hits.into_iter().map(|hit| hit.path).collect()
    };
    // With broken front matter the note is still found by all its text and never written.
    let broken = good.replace("title: Shed key", "title: [Shed key");
    vault.write("key.md", &broken);
    assert!(found("yellow bag").contains(&"key.md".to_owned()));
    assert_eq!(backlinks(&vault, "shed.md"), ["copy.md", "key.md"]);
    let list: List = vault.run(["-q", "list", "--json"]).json(0);
    let key = list
        .notes
        .iter()
        .find(|note| note.path == "key.md")
        .unwrap();
    assert!(key.problem.is_some());
    assert_eq!(key.tags, ["garden"]);
    vault.run(["-q", "sleep", "--all", "--apply", "all"]).raw();
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .raw();
    assert_eq!(vault.read("key.md"), broken);
    // The file is no longer text: the last good version stays indexed, and a warning names it.
    fs::write(vault.path("key.md"), b"\xff\xfe torn").unwrap();
    let outcome = vault.run(["-q", "index"]).raw();
    assert_eq!(
        outcome.stderr,
        "warning: skipped `key.md`: it is not UTF-8 text (byte 0)\n"
    );
    assert!(found("yellow bag").contains(&"key.md".to_owned()));
    vault.run(["-q", "sleep", "--all", "--apply", "all"]).raw();
    assert_eq!(fs::read(vault.path("key.md")).unwrap(), b"\xff\xfe torn");
    vault.write("key.md", &good);
    vault
        .run(["-q", "index"])
        .stdout(expect!["3 notes: 1 changed"])
        .code(0);
}

#[test]
fn keeper_not_snapshotted() {
    let vault = TestVault::of([
        (
            "a.md",
            &format!("---\ntitle: Key\ntags: [a]\n---\n{BODY} Oil it.\n"),
        ),
        (
            "b.md",
            &format!("---\ntitle: Key\nstatus: open\n---\n{BODY} Grease it, too.\n"),
        ),
        (
            "links.md",
            "---\nsupports: [\"[[b]]\"]\n---\n[[a]] [[b|the key]]\n",
        ),
    ]);
    let before = vault.tree();
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .raw();
    let merged = vault.tree();
    assert_eq!(
        before.changes(&merged).len(),
        3,
        "{:?}",
        before.changes(&merged)
    );
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    // Undoing the undo needs the images of all three.
    let outcome = vault.run(["history"]).raw();
    let undo = outcome.stdout.split_whitespace().next().unwrap();
    vault.run(["-q", "undo", undo]).raw();
    merged.assert_same(&vault.tree());
}

#[test]
fn dry_run_that_writes() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["-q", "remember", "Something to take back."])
        .raw();
    vault.run(["-q", "index"]).raw();
    // Today's questions are stored once.
    vault.run(["-q", "review"]).raw();
    let everything = || {
        let mut trees = vec![Tree::of(&vault.path(""), &[])];
        trees.extend([".local", ".config"].map(|home| {
            fs::create_dir_all(vault.home(home)).unwrap();
            Tree::of(&vault.home(home), &[])
        }));
        trees
    };
    let before = everything();
    for arguments in [
        &["sleep", "--all", "--dry-run"][..],
        &["sleep", "--all", "--dry-run", "--apply", "all", "--json"],
        &["dedupe", "--dry-run", "--apply", "all"],
        &["undo", "--dry-run"],
        &["review", "--json", "--all"],
        &["history"],
        &["status"],
    ] {
        let outcome = vault.run(arguments).raw();
        assert!(outcome.code < 2, "{arguments:?}: {outcome:?}");
        for (before, after) in before.iter().zip(everything()) {
            assert_eq!(
                before.changes(&after),
                Vec::<String>::new(),
                "{arguments:?}"
            );
        }
    }
}

#[test]
fn different_defaults_manual_vs_scheduled() {
    let vault = TestVault::indexed("sample");
    for setting in ["none", "managed", "all"] {
        let run = |command: &str| {
            vault
                .command(["-q", command, "--json", "--dry-run"])
                .env("MEM_SLEEP_APPLY", setting)
                .run()
        };
        let by_hand: Dedupe = run("dedupe").json(0);
        let at_night: Sleep = run("sleep").json(0);
        let at_night_groups = at_night.groups();
        let (merged, other) = at_night_groups.split_at(by_hand.groups.len());
        assert_eq!(format!("{:?}", by_hand.groups), format!("{merged:?}"));
        assert!(!other.iter().any(|group| group.title.starts_with("merge")));
        assert_eq!(by_hand.needs_answer, at_night.job("dedupe").needs_answer);
    }
}

#[test]
fn failure_recorded_as_success() {
    let vault = TestVault::empty();
    for number in 0..60 {
        vault.write(
            &format!("notes/{number}.md"),
            &format!("Note number {number}.\n"),
        );
    }
    vault.run(["-q", "sleep", "--all"]).raw();
    let state = || -> Value {
        let mut files = fs::read_dir(vault.path(".mem/state")).unwrap();
        let file = files.next().unwrap().unwrap().path();
        serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
    };
    let good = state();
    assert!(good["jobs"]["index"]["last_error"].is_null());
    // An unmounted disk.
    fs::rename(vault.path("notes"), vault.home("elsewhere")).unwrap();
    vault.at("2026-04-02T12:00:00Z");
    let outcome = vault.run(["-q", "sleep", "--all"]).raw();
    assert_eq!(outcome.code, 2, "{outcome:?}");
    let bad = state();
    let job = |state: &Value, field: &str| state["jobs"]["index"][field].clone();
    assert_eq!(job(&bad, "last_success"), job(&good, "last_success"));
    assert_eq!(job(&bad, "last_start"), "2026-04-02T12:00:00Z");
    assert_eq!(job(&bad, "errors"), 1);
    assert!(job(&bad, "last_error").is_string(), "{bad}");
    // A job that did not start did not succeed.
    assert_eq!(bad["jobs"]["dedupe"], good["jobs"]["dedupe"]);
    fs::rename(vault.home("elsewhere"), vault.path("notes")).unwrap();
    vault.at("2026-04-03T12:00:00Z");
    vault.run(["-q", "sleep", "--all"]).raw();
    assert_eq!(job(&state(), "last_success"), "2026-04-03T12:00:00Z");
    assert!(job(&state(), "last_error").is_null());
}

#[test]
fn pair_stale_after_earlier_merge_in_same_run() {
    // The first note resembles the second and the second the third; each has a note that links to
    // it.
    let vault = TestVault::of([
        ("1.md", &format!("---\ntitle: Key\n---\n{BODY}\n")),
        ("2.md", &format!("---\ntitle: Key\n---\n{BODY} Oil it.\n")),
        (
            "3.md",
            &format!("---\ntitle: Key\n---\n{BODY} Oil it. Soon.\n"),
        ),
        ("to 1.md", "[[1]] and [[2]]\n"),
        (
            "to 2.md",
            "---\nsupports: [\"[[2]]\", \"[[3]]\"]\n---\n[[2|two]]\n",
        ),
        ("to 3.md", "[three](3.md) and [one](1.md)\n"),
    ]);
    let before = vault.tree();
    let dedupe = dedupe_all(&vault);
    assert!(
        dedupe.groups.iter().all(|group| group.outcome == "applied"),
        "{dedupe:?}"
    );
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .raw();
    let left: Vec<&str> = ["1.md", "2.md", "3.md"]
        .into_iter()
        .filter(|note| vault.path(note).exists())
        .collect();
    let [kept] = left[..] else { panic!("{left:?}") };
    for part in ["rain barrel", "Oil it.", "Soon."] {
        assert!(vault.read(kept).contains(part), "{}", vault.read(kept));
    }
    assert_eq!(backlinks(&vault, kept), ["to 1.md", "to 2.md", "to 3.md"]);
    let all = ["to 1.md", "to 2.md", "to 3.md"]
        .map(|note| vault.read(note))
        .concat();
    for gone in ["1", "2", "3"]
        .iter()
        .filter(|name| **name != kept.trim_end_matches(".md"))
    {
        assert!(!all.contains(&format!("[[{gone}")), "{all}");
        assert!(!all.contains(&format!("({gone}.md")), "{all}");
    }
    loop {
        let outcome = vault.run(["-q", "undo"]).raw();
        if outcome.code != 0 || vault.tree() == before {
            break;
        }
    }
    before.assert_same(&vault.tree());
}

#[test]
fn learned_signals_lost_at_merge() {
    let vault = TestVault::of([
        (
            "a.md",
            &format!(
                "---\ntitle: Key\nimportance: 0.3\nconfidence: 0.9\ncreated: 2026-02-01\n\
                 valid_until: 2027-01-01\nmem: {{accesses: 4, last: 2026-03-01, stability: 2.5}}\n---\n\
                 {BODY} Oil it. It is by the door.\n"
            ),
        ),
        (
            "b.md",
            &format!(
                "---\ntitle: Key\nimportance: 0.8\ncreated: 2026-01-01\nvalid_until: 2028-01-01\n\
                 keep: false\nmem: {{accesses: 3, last: 2026-03-20, stability: 1.5, salience: 0.7}}\n---\n\
                 {BODY} Oil it.\n"
            ),
        ),
    ]);
    vault
        .run(["-q", "review", "accept", "--all", "--min-chance", "0"])
        .raw();
    let kept = if vault.path("a.md").exists() {
        "a.md"
    } else {
        "b.md"
    };
    let show: Show = vault.run(["-q", "show", "--json", kept]).json(0);
    let text = |key: &str| show.properties[key].as_str().unwrap_or_default().to_owned();
    assert_eq!(show.properties["importance"], 0.8);
    assert_eq!(show.properties["confidence"], 0.9);
    assert_eq!(text("created"), "2026-02-01");
    assert_eq!(text("valid_until"), "2028-01-01");
    let learned = &show.properties["mem"];
    assert_eq!(learned["accesses"], 7);
    assert_eq!(learned["last"], "2026-03-20");
    assert_eq!(learned["stability"], 2.5);
    assert_eq!(learned["salience"], 0.7);
}

#[test]
fn verdict_re_asked_forever() {
    let vault = TestVault::of([
        ("a.md", &format!("---\ntitle: Key\n---\n{BODY}\n")),
        (
            "b.md",
            &format!("---\ntitle: Key\n---\n{BODY} Oil it, and more than once.\n"),
        ),
    ]);
    let open = || -> usize {
        let sleep: Sleep = vault
            .run(["-q", "sleep", "--all", "--json", "--apply", "none"])
            .json(0);
        sleep.job("dedupe").needs_answer
    };
    assert_eq!(open(), 1);
    vault
        .run(["-q", "review", "reject", "--all", "--min-chance", "0"])
        .raw();
    assert_eq!(open(), 0);
    // Neither without the cache, nor under other names, nor with other properties.
    fs::remove_dir_all(vault.home(".cache")).unwrap();
    assert_eq!(open(), 0);
    fs::create_dir(vault.path("moved")).unwrap();
    fs::rename(vault.path("b.md"), vault.path("moved/c.md")).unwrap();
    assert_eq!(open(), 0);
    vault.edit("a.md", "title: Key", "title: Key\ntags: [garden]");
    assert_eq!(open(), 0);
    // Other words make another question.
    vault.edit("a.md", "yellow", "green");
    assert_eq!(open(), 1);
}

#[test]
fn random_sampling_without_seed() {
    let vault = TestVault::indexed("sample");
    let plan = |seed: &str| {
        vault
            .command([
                "-q",
                "sleep",
                "--all",
                "--json",
                "--dry-run",
                "--apply",
                "all",
            ])
            .env("MEM_SEED", seed)
            .run()
            .raw()
    };
    let first = plan("1");
    assert_eq!(first.code, 0);
    for seed in ["1", "2", "18446744073709551615"] {
        assert_eq!(plan(seed), first, "seed {seed}");
    }
}

#[test]
fn title_weight_misplaced() {
    // The same word once in each field, in notes of equal length.
    let filler = "one two three four five six seven eight nine ten";
    let vault = TestVault::of([
        (
            "1.md",
            &format!("---\ntitle: Samovar\n---\n{filler} eleven\n"),
        ),
        (
            "2.md",
            &format!("---\naliases: [Samovar]\ntitle: Two\n---\n{filler} eleven\n"),
        ),
        (
            "3.md",
            &format!("---\ntitle: Three\n---\n# Samovar\n{filler} eleven\n"),
        ),
        (
            "4.md",
            &format!("---\ntitle: Four\n---\n{filler} samovar\n"),
        ),
        (
            "5.md",
            &format!("---\ntitle: Five\nvendor: samovar\n---\n{filler} eleven\n"),
        ),
        ("6.md", &format!("---\ntitle: Six\n---\n{filler} eleven\n")),
    ]);
    let search: Search = vault.run(["-q", "search", "--json", "samovar"]).json(0);
    let hits: Vec<(&str, f64)> = search
        .hits
        .iter()
        .map(|hit| (hit.path.as_str(), hit.score))
        .collect();
    assert_eq!(hits[0].0, "1.md", "{hits:?}");
    assert!(hits[0].1 > hits[1].1, "{hits:?}");
    let score = |path: &str| {
        hits.iter()
            .find(|hit| hit.0 == path)
            .map_or(0.0, |hit| hit.1)
    };
    assert!(
        score("1.md") > score("4.md") && score("3.md") > score("4.md"),
        "{hits:?}"
    );
    assert!(hits.iter().all(|hit| hit.0 != "6.md"), "{hits:?}");
}

/// A vault with an old decision and its replacement, both by an agent.
fn decided() -> TestVault {
    let vault = TestVault::empty();
    for (day, title, text) in [
        (
            "2026-01-01",
            "Chose SQLite",
            "We chose SQLite for Ormah: one file, no server to run.",
        ),
        (
            "2026-03-01",
            "Switched to Postgres",
            "We switched Ormah from SQLite to Postgres: two writers kept locking each other out. \
             Replaces \"Chose SQLite\".",
        ),
    ] {
        let arguments = [
            "-q", "remember", text, "--title", title, "--type", "decision",
        ];
        let more = ["--created", day, "--tag", "database", "--by", "claude"];
        let outcome = vault.run(arguments.into_iter().chain(more)).raw();
        assert_eq!(outcome.code, 0, "{outcome:?}");
    }
    vault
}

#[test]
fn replaced_note_answers_with_its_successor() {
    let vault = decided();
    let recalled = || vault.run(["-q", "recall", "which database"]).raw().stdout;
    assert!(recalled().contains("## chose-sqlite.md"), "{}", recalled());
    vault.run(["-q", "conflicts"]).raw();
    let answer = recalled();
    assert!(
        answer.contains("Switched to Postgres (2026-03-01), replaces chose-sqlite.md\n")
            && !answer.contains("## chose-sqlite.md"),
        "{answer}"
    );
    // Removing it from the answers is an explicit act that an undo reverts.
    vault.run(["-q", "undo"]).raw();
    vault.run(["-q", "review", "forget", "--all"]).raw();
    vault
        .command(["-q", "conflicts"])
        .env("MEM_CONFLICTS_RESOLVE", "true")
        .run()
        .raw();
    assert!(
        vault
            .read("chose-sqlite.md")
            .contains("valid_until: 2026-03-01")
    );
    assert!(!recalled().contains("chose-sqlite.md"), "{}", recalled());
    vault.run(["-q", "undo"]).raw();
    assert!(recalled().contains("chose-sqlite.md"), "{}", recalled());
}

#[test]
fn inline_weak_edge_blocks_a_better_label() {
    let vault = decided();
    let relations = || {
        let text = vault.read("switched-to-postgres.md");
        let lines = text.lines().filter(|line| line.contains("[["));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let related = "related_to: [\"[[chose-sqlite]]\"]";
    let link = vault.command(["-q", "link"]).env("MEM_LINK_LEAST", "0.3");
    link.run().raw();
    assert_eq!(relations(), [related]);
    // The actual relation of the two replaces it,
    vault.run(["-q", "conflicts"]).raw();
    assert_eq!(relations(), ["evolved_from: [\"[[chose-sqlite]]\"]"]);
    vault.run(["-q", "undo"]).raw();
    assert_eq!(relations(), [related]);
    // but never a relation that a person wrote.
    let vault = decided();
    vault
        .run([
            "-q",
            "edit",
            "switched-to-postgres",
            "--set",
            "related_to=[[chose-sqlite]]",
        ])
        .raw();
    let before = vault.read("switched-to-postgres.md");
    assert!(before.contains("related_to"), "{before}");
    vault.run(["-q", "conflicts", "--apply", "all"]).raw();
    let after = vault.read("switched-to-postgres.md");
    assert!(
        after.contains("related_to") && after.contains("evolved_from"),
        "{after}"
    );
}

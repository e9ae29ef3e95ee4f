//! Learning from use: `mem reinforce`, `mem confirm`, `mem settle`.

use std::fs;
use std::process::{Command, Stdio};

use expect_test::expect;
use serde_json::Value;

use crate::support::{MEM, TestVault};

/// Number of concurrent processes per kind.
const EACH: usize = 20;

/// Two notes by an agent and one by a person.
fn vault() -> TestVault {
    let vault = TestVault::of([("Tea.md", "# Tea\n\nGreen tea wants 70 degrees.\n")]);
    for (title, text) in [
        ("Invoice port", "The invoice service listens on port 8080."),
        ("Backup", "The backup of the wiki runs on Sunday night."),
    ] {
        vault
            .run(["-q", "remember", "--by", "claude", "--title", title, text])
            .raw();
    }
    vault
}

/// Returns the recorded usage of a note; a reward of 0 prints it.
fn known(vault: &TestVault, note: &str) -> Value {
    let record: Value = vault
        .run(["-q", "reinforce", "--reward", "0", "--json", note])
        .json(0);
    record["notes"][0].clone()
}

/// Runs a command that must succeed.
fn done(vault: &TestVault, arguments: &[&str]) {
    let outcome = vault.run(arguments).raw();
    assert_eq!(outcome.code, 0, "{arguments:?}: {}", outcome.stderr);
}

fn accesses(vault: &TestVault, note: &str) -> u64 {
    known(vault, note)["accesses"].as_u64().unwrap()
}

#[test]
fn reading_changes_no_note() {
    let vault = TestVault::indexed("sample");
    let before = vault.whole_tree();
    for command in [
        &["search", "green tea"][..],
        &["recall", "green tea"],
        &["show", "Green tea"],
        &["list", "tag:tea"],
        &["related", "Green tea"],
        &["search", "--json", "ochazuke"],
    ] {
        assert_eq!(vault.run(command).raw().code, 0, "{command:?}");
    }
    before.assert_same(&vault.whole_tree());
}

#[test]
fn helpful_notes_are_reinforced() {
    let vault = vault();
    vault
        .run([
            "reinforce",
            "Invoice port",
            "Backup",
            "--query",
            "which port?",
        ])
        .stdout(expect![[r#"
            reinforced invoice-port.md  salience 0.775, 1 time
            reinforced backup.md  salience 0.775, 1 time
        "#]])
        .code(0);
    vault
        .run(["reinforce", "Invoice port", "--reward", "-1"])
        .stdout(expect![[r#"
            reinforced invoice-port.md  salience 0.436, 2 times
        "#]])
        .code(0);
    vault
        .run(["confirm", "Tea"])
        .stdout(expect!["confirmed Tea.md  salience 0.775, 1 time"])
        .code(0);
    vault
        .run(["reinforce", "--json", "Tea", "nowhere"])
        .stdout(expect![[r#"
            {
              "reward": 1.0,
              "notes": [
                {
                  "path": "Tea.md",
                  "accesses": 2,
                  "uses": 2,
                  "rewards": 2.0,
                  "salience": 1.036,
                  "stability": 7.02
                }
              ],
              "unknown": [
                "nowhere"
              ],
              "kept": []
            }
        "#]])
        .stderr(expect![[r#"
            warning: no note matches `nowhere`
            hint: search the notes with `mem search nowhere`
        "#]])
        .code(1);
    vault.write("Kept.md", "---\nkeep: true\n---\nMine.\n");
    vault
        .run(["reinforce", "Kept"])
        .stderr(expect![[r#"
            `Kept.md` is marked `keep` and is unchanged
        "#]])
        .code(0);
}

/// Returns path, score and feedback terms of each recalled note; checks that scores add up.
fn recalled(vault: &TestVault, arguments: &[&str]) -> Vec<(String, f64, [f64; 2])> {
    let recall = ["recall", "--json", "--explain", "--budget", "2000"];
    let answer: Value = vault.run([&recall, arguments].concat()).json(0);
    let hits = answer["hits"].as_array().unwrap().iter().map(|hit| {
        let term = |name: &str| hit["explain"][name].as_f64().unwrap_or(0.0);
        let learned = [term("salience"), term("helped")];
        let own = (term("words") + term("meaning") + term("tokens") + term("context"))
            * (term("weight") * term("voice") * (1.0 + learned[0] + learned[1]));
        let score = hit["score"].as_f64().unwrap();
        assert!((own + term("name") - score).abs() < 1e-5, "{hit}");
        (hit["path"].as_str().unwrap().to_owned(), score, learned)
    });
    hits.collect()
}

#[test]
fn recall_counts_as_use_and_search_does_not() {
    const QUESTION: &str = "how hot should the water for tea be";
    let vault = TestVault::indexed("sample");
    let search = || vault.run(["search", "--json", "--explain", QUESTION]).raw();
    let (before, found) = (recalled(&vault, &[QUESTION]), search());
    let is_any = |(.., learned): &(String, f64, [f64; 2])| learned.iter().any(|term| *term != 0.0);
    assert!(before.len() > 2 && !before.iter().any(is_any));
    let last = before.last().unwrap().0.clone();
    let place = |hits: &[(String, f64, [f64; 2])]| {
        hits.iter()
            .position(|(path, ..)| *path == last)
            .expect("it is recalled")
    };
    // Lexical recall compares no questions.
    let helped = "how hot should water for tea be";
    done(&vault, &["reinforce", &last, "--query", helped]);
    let after = recalled(&vault, &[QUESTION]);
    assert!(place(&after) < before.len() - 1, "{after:?}");
    let [salience, context] = after[place(&after)].2;
    assert!(salience > 0.0 && context > 0.0, "{after:?}");
    let by_words = recalled(&vault, &["--mode", "lexical", QUESTION]);
    let [salience, context] = by_words[place(&by_words)].2;
    assert!(salience > 0.0 && context == 0.0, "{by_words:?}");
    assert_eq!(search().stdout, found.stdout);
    // Negative feedback ranks it lower.
    for _ in 0..3 {
        done(&vault, &["reinforce", &before[0].0, "--reward", "-1"]);
    }
    let misled = recalled(&vault, &[QUESTION]);
    let first = misled.iter().find(|(path, ..)| *path == before[0].0);
    assert!(first.is_some_and(|(_, score, learned)| *score < before[0].1 && learned[0] < 0.0));
    // Each setting has an effect.
    for (key, value, at) in [
        ("recall.min_context_cosine", "1", 1),
        ("recall.context", "0", 1),
        ("recall.salience", "0", 0),
    ] {
        done(&vault, &["config", key, value]);
        let hits = recalled(&vault, &[QUESTION]);
        assert!(hits[place(&hits)].2[at].abs() < f64::EPSILON, "{key}");
    }
    assert_eq!(recalled(&vault, &[QUESTION]), before);
}

#[test]
fn reward_range_is_checked() {
    let vault = vault();
    for wrong in ["1.5", "-2", "much", "NaN"] {
        let outcome = vault.run(["reinforce", "Tea", "--reward", wrong]).raw();
        assert_eq!(outcome.code, 2, "{wrong}");
    }
}

#[test]
fn counted_uses_are_configurable() {
    let vault = vault();
    for command in [
        &["recall", "which port does the invoice service use"][..],
        &[
            "recall",
            "--no-touch",
            "which port does the invoice service use",
        ],
        &["search", "invoice"],
        &["show", "Invoice port"],
        &["show", "--no-touch", "Invoice port"],
        &["list"],
    ] {
        vault.run(command).raw();
    }
    let hushed = vault
        .command(["show", "Invoice port"])
        .env("MEM_NO_TOUCH", "1");
    hushed.run().raw();
    // Recalled once and shown to a program once; neither counts as confirmed use.
    let known = known(&vault, "Invoice port");
    assert_eq!(
        (&known["accesses"], &known["stability"]),
        (&2.into(), &Value::Null)
    );
    vault.run(["config", "signals.use", "listed"]).raw();
    vault.run(["search", "invoice"]).raw();
    let known = self::known(&vault, "Invoice port");
    assert_eq!(known["accesses"], 3);
    assert!(known["stability"].as_f64().unwrap() > 5.8, "{known}");
}

#[test]
fn external_changes_count_as_use_and_own_writes_do_not() {
    let vault = vault();
    vault.at("2026-04-02T12:00:00Z");
    vault.write("Log.md", "Made [[Tea]] today.\n");
    vault.edit("Tea.md", "70", "75");
    done(&vault, &["-q", "index"]);
    let tea = known(&vault, "Tea");
    assert_eq!(tea["accesses"], 2, "{tea}");
    assert!(tea["stability"].is_number());
    // A changed property is not a body change, and mem's writes are not uses.
    vault.write(
        "Tea.md",
        "---\nstatus: done\n---\n# Tea\n\nGreen tea wants 75 degrees.\n",
    );
    done(&vault, &["-q", "index"]);
    done(&vault, &["-q", "mv", "Tea", "drinks/Green"]);
    done(&vault, &["-q", "edit", "Tea", "--set", "status=again"]);
    done(&vault, &["-q", "index"]);
    assert_eq!(accesses(&vault, "Tea"), 2);
}

#[test]
fn usage_follows_renames() {
    let vault = vault();
    vault
        .run(["recall", "which port does the invoice service use"])
        .raw();
    done(&vault, &["-q", "mv", "Invoice port", "work/Billing"]);
    assert_eq!(accesses(&vault, "work/Billing.md"), 1);
    done(&vault, &["-q", "undo"]);
    assert_eq!(accesses(&vault, "invoice-port.md"), 1);
    // Renamed outside mem.
    fs::rename(vault.path("invoice-port.md"), vault.path("port.md")).unwrap();
    assert_eq!(accesses(&vault, "port.md"), 1);
    done(&vault, &["-q", "rm", "port.md"]);
    vault.write("port.md", "Another thing of that name.\n");
    assert_eq!(accesses(&vault, "port.md"), 0);
    fs::remove_file(vault.path("port.md")).unwrap();
    done(&vault, &["-q", "restore", "port.md"]);
    assert_eq!(accesses(&vault, "port.md"), 1);
}

#[test]
fn usage_follows_renames_of_a_crashed_run() {
    let vault = vault();
    done(&vault, &["-q", "reinforce", "Invoice port"]);
    vault.at("2026-04-01T13:00:00Z");
    done(&vault, &["-q", "mv", "Invoice port", "port"]);
    // A power failure before the run ended, which recorded no move.
    let state = only_folder(&vault);
    let runs = fs::read_dir(state.join("history")).unwrap().flatten();
    let run = runs.map(|run| run.file_name()).max().unwrap();
    fs::create_dir_all(state.join("unfinished")).unwrap();
    let unfinished = state.join("unfinished").join(&run);
    fs::rename(state.join("history").join(&run), &unfinished).unwrap();
    fs::remove_file(unfinished.join("outcome.json")).unwrap();
    let device = fs::read_dir(vault.path(".mem/journal")).unwrap().next();
    fs::remove_file(device.unwrap().unwrap().path().join("moves.jsonl")).unwrap();
    done(&vault, &["-q", "edit", "Backup", "--set", "status=old"]);
    // A note with a known body needs no name; the change is a use.
    vault.edit("port.md", "8080", "8081");
    assert_eq!(accesses(&vault, "port.md"), 2);
}

#[test]
fn unreadable_journal_does_not_block_search() {
    let vault = vault();
    done(&vault, &["-q", "reinforce", "Invoice port"]);
    // Larger than the read limit.
    let other = vault.path(".mem/journal/other");
    fs::create_dir(&other).unwrap();
    let file = fs::File::create(other.join("usage.jsonl")).unwrap();
    file.set_len((64 << 20) + 1).unwrap();
    let outcome = vault
        .run(["recall", "which port does the invoice service use"])
        .raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert!(outcome.stdout.contains("8080"), "{}", outcome.stdout);
    let warnings = outcome
        .stderr
        .lines()
        .filter(|line| line.starts_with("warning"));
    assert_eq!(
        warnings.collect::<Vec<_>>(),
        ["warning: cannot read note usage: `usage.jsonl` is larger than 64 MiB"]
    );
}

#[test]
fn wrong_clock_does_not_change_last_use() {
    let vault = vault();
    let why = || vault.run(["why", "Invoice port"]).raw().stdout;
    for now in [
        "2026-04-01T13:00:00Z",
        "2020-01-01T00:00:00Z",
        "2050-01-01T00:00:00Z",
    ] {
        vault.at(now);
        done(&vault, &["-q", "reinforce", "Invoice port"]);
        // The cache stays as that clock wrote it.
        why();
    }
    vault.at("2026-04-11T13:00:00Z");
    let kept = why();
    fs::remove_file(vault.cache().join("learned")).unwrap();
    assert_eq!(kept, why());
    for line in [
        "last used       2026-04-01 13:00, 10 days ago (journal)\n",
        "used            3 times on 3 days; feedback 3 times, sum 3.00\n",
    ] {
        assert!(kept.contains(line), "{kept}");
    }
}

#[test]
fn merge_and_undo_keep_usage() {
    let vault = vault();
    let text = vault.read("backup.md");
    vault.write("backup copy.md", &text.replace("id: ", "id: 9"));
    done(
        &vault,
        &["-q", "reinforce", "backup.md", "--query", "when?"],
    );
    done(
        &vault,
        &[
            "-q",
            "reinforce",
            "backup copy.md",
            "--query",
            "which night?",
        ],
    );
    vault.at("2026-04-01T12:01:00Z");
    let outcome = vault.run(["dedupe", "--apply", "all", "--json"]).raw();
    assert!(!vault.path("backup copy.md").exists(), "{}", outcome.stdout);
    let merged = known(&vault, "backup.md");
    assert_eq!(
        (&merged["accesses"], &merged["rewards"]),
        (&2.into(), &2.0.into())
    );
    vault.at("2026-04-01T12:02:00Z");
    done(&vault, &["-q", "undo"]);
    for note in ["backup.md", "backup copy.md"] {
        assert_eq!(accesses(&vault, note), 1, "{note}");
    }
}

#[test]
fn settled_usage_survives_the_journal() {
    let vault = vault();
    done(
        &vault,
        &[
            "-q",
            "reinforce",
            "Invoice port",
            "Tea",
            "--query",
            "which port?",
        ],
    );
    vault.at("2026-04-03T12:00:00Z");
    let before = vault.tree();
    let outcome = vault.run(["sleep", "--all", "--skip", "index"]).raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    // The person's note is unchanged.
    assert_eq!(before.changes(&vault.tree()), ["~ invoice-port.md"]);
    vault.assert_text(
        "invoice-port.md",
        expect![[r#"
            ---
            id: 01KN4EMBG0TM61Y0YDGW823PJK
            title: Invoice port
            created: 2026-04-01T12:00:00Z
            mem:
              by: claude
              seal: "57cebf7d1852c457"
              accesses: 1
              activity: 1.1
              days: 1
              helped: [2026-04-01T12:00:00Z 1 which port?]
              last: 2026-04-01T12:00:00Z
              reviewed: 2026-04-01T12:00:00Z
              rewards: 1.0
              salience: 0.775
              stability: 7.02
              uses: 1
            ---
            The invoice service listens on port 8080.
        "#]],
    );
    let settled = vault.tree();
    vault.at("2026-04-05T12:00:00Z");
    done(&vault, &["-q", "sleep", "--all"]);
    settled.assert_same(&vault.tree());
    vault
        .run(["settle"])
        .stderr(expect!["nothing to settle"])
        .code(0);
    // It is not an edit by hand, and a plain `undo` skips it.
    let list = vault.run(["list", "is:managed"]).raw();
    assert!(list.stdout.contains("invoice-port.md"));
    let undo = vault.run(["undo", "--dry-run"]).raw();
    assert!(!undo.stdout.contains("learned"), "{}", undo.stdout);
    let known_before = known(&vault, "Invoice port");
    fs::remove_dir_all(vault.cache()).unwrap();
    assert_eq!(
        known(&vault, "Invoice port")["accesses"],
        known_before["accesses"]
    );
    fs::remove_dir_all(vault.path(".mem/journal")).unwrap();
    let after = known(&vault, "Invoice port");
    for key in ["accesses", "salience", "stability"] {
        let [one, two] = [&known_before, &after].map(|known| known[key].as_f64().unwrap());
        // Each read is a reward of 0, which lowers salience.
        assert!((one - two).abs() < 0.1, "{key}: {known_before} {after}");
    }
}

#[test]
fn purge_removes_secret_questions() {
    let vault = vault();
    done(
        &vault,
        &["-q", "reinforce", "Backup", "--query", "tangerine?"],
    );
    let holds = || {
        let folders = [
            vault.path(".mem"),
            vault.home(".local/state"),
            vault.home(".cache"),
        ];
        let files = folders.iter().flat_map(walkdir::WalkDir::new).flatten();
        let mut files = files.filter(|entry| entry.file_type().is_file());
        files.any(|entry| {
            let bytes = fs::read(entry.path()).unwrap();
            bytes.windows(9).any(|part| part == b"tangerine")
        })
    };
    assert!(holds());
    done(
        &vault,
        &["-q", "history", "purge", "--note", "Backup", "--yes"],
    );
    assert!(!holds());
    vault.run(["config", "context.keep", "false"]).raw();
    done(
        &vault,
        &["-q", "reinforce", "Backup", "--query", "tangerine?"],
    );
    assert!(!holds());
}

/// Uses in the journal, later events and those of another run on one day count as one day.
#[test]
fn uses_on_one_day_count_as_one_day() {
    let vault = vault();
    let days = || {
        let why: serde_json::Value = vault.run(["-q", "why", "Tea", "--json"]).json(0);
        why["days"].clone()
    };
    vault.run(["-q", "reinforce", "Tea"]).raw();
    vault.run(["-q", "show", "Tea"]).raw();
    assert_eq!(days(), 1);
    vault.run(["-q", "sleep", "--all"]).raw();
    assert_eq!(days(), 1);
    vault.run(["-q", "show", "Tea"]).raw();
    assert_eq!(days(), 1);
    vault.at("2026-04-02T12:00:00Z");
    vault.run(["-q", "show", "Tea"]).raw();
    assert_eq!(days(), 2);
}

#[test]
fn concurrent_processes_lose_no_use() {
    let vault = vault();
    let start = |arguments: &[&str]| {
        let mut command = Command::new(MEM);
        vault.prepare(
            command
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null()),
        );
        command.spawn().unwrap()
    };
    let mut children = Vec::new();
    for _ in 0..EACH {
        children.push(start(&["show", "Tea"]));
        children.push(start(&["reinforce", "Backup"]));
        children.push(start(&["show", "Backup"]));
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(accesses(&vault, "Tea"), EACH as u64);
    let backup = known(&vault, "Backup");
    assert_eq!(backup["accesses"], 2 * EACH);
    assert_eq!(backup["rewards"], EACH as f64);
}

#[test]
fn read_only_home_does_not_block_reading() {
    let vault = vault();
    // A folder blocks the file.
    let state = only_folder(&vault);
    let _ = fs::remove_file(state.join("events"));
    fs::create_dir(state.join("events")).unwrap();
    vault
        .run(["show", "Tea"])
        .stdout(expect![[r#"
            # Tea

            Green tea wants 70 degrees.
        "#]])
        .code(0);
    let failure = vault.run(["reinforce", "Tea"]).raw();
    assert_eq!(failure.code, 2);
}

fn only_folder(vault: &TestVault) -> std::path::PathBuf {
    let entries = fs::read_dir(vault.home(".local/state/mem")).unwrap();
    let mut folders = entries.flatten().filter(|entry| entry.path().is_dir());
    folders.next().unwrap().path()
}

#[test]
fn feedback_on_a_replaced_note_names_its_successor() {
    let vault = TestVault::of([
        ("old.md", "The gate is green.\n"),
        (
            "new.md",
            "---\nevolved_from: [\"[[old]]\"]\n---\nThe gate is red.\n",
        ),
    ]);
    for command in ["confirm", "reinforce"] {
        let ended = vault.run([command, "old"]).raw();
        let warning = "warning: `old.md` was replaced by `new.md`, which searches return instead\n";
        assert!(ended.stderr.contains(warning), "{ended:?}");
        let ended = vault.run([command, "--json", "old"]).raw();
        assert!(
            ended.stdout.contains("\"replaced_by\": \"new.md\""),
            "{ended:?}"
        );
    }
}

#[test]
fn chain_of_replacements_is_reported() {
    let vault = TestVault::of([
        ("a.md", "The gate is green.\n"),
        (
            "b.md",
            "---\nevolved_from: \"[[a]]\"\n---\nThe gate is red.\n",
        ),
        (
            "c.md",
            "---\nevolved_from: \"[[b]]\"\n---\nThe gate is white.\n",
        ),
    ]);
    let told = vault.run(["confirm", "a"]).raw().stderr;
    let warning = "warning: `a.md` was replaced by `b.md`; searches return `c.md` instead\n";
    assert!(told.contains(warning), "{told}");
    let recalled = vault.run(["recall", "green gate"]).raw().stdout;
    assert!(recalled.contains("c.md:4, replaces b.md"), "{recalled}");
}

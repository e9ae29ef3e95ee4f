//! The sentence encoder: computed in the background, used once it covers the vault.

use std::thread;
use std::time::{Duration, Instant};

use expect_test::expect;
use serde_json::Value;

use crate::support::TestVault;
use crate::support::watching::Watch;

/// Returns a vault of three notes that uses the encoder.
fn vault() -> TestVault {
    let vault = TestVault::of([
        ("dog.md", "The dog barks.\n"),
        ("kettle.md", "A kettle boils.\n"),
        ("rain.md", "It rains.\n"),
    ]);
    vault.encoder.set("auto");
    vault
}

/// Returns the model of the index and the state of the encoder.
fn state(vault: &TestVault) -> (String, Value) {
    let status: Value = vault.run(["status", "--json"]).json(0);
    let model = status["vectors"]["model"].as_str().unwrap().to_owned();
    (model, status["encoder"].clone())
}

#[test]
fn sleep_computes_vectors_and_then_the_index_uses_them() {
    let vault = vault();
    let (table, waiting) = state(&vault);
    assert_eq!(
        (&waiting["passages"], &waiting["covered"]),
        (&3.into(), &0.into())
    );
    vault
        .run(["status"])
        .stdout(expect![[r#"
        vault       $VAULT
        index       3 notes, fresh; last full scan 2026-04-01 12:00
        vectors     3 passages by all-MiniLM-L6-v2/static-256-int4/1, exact search
        encoder     0 of 3 passages, less than a minute of computing left on two idle cores
        jobs        never run, due
    "#]])
        .code(0);
    let _: Value = vault.run(["sleep", "--dry-run", "--json"]).json(0);
    assert_eq!(state(&vault), (table.clone(), waiting));

    let slept = vault.run(["sleep", "--json"]).stderr(expect![[r#"
        computing vectors of the sentence encoder for at most 60 s (`embed.encoder_time`): 0 of 3 passages, less than a minute of computing left on two idle cores
        the sentence encoder is used now: 3 passages
        hint: jobs compare notes by these vectors, too, so other suggestions may be open now; `mem config embed.encoder off` goes back
    "#]]);
    assert_eq!(slept.json::<Value>(0)["encoder"]["is_used"], true);
    let (encoder, waiting) = state(&vault);
    assert!(encoder != table && waiting.is_null());

    // A changed note is embedded before the answer.
    vault.write("rain.md", "Its cat purrs.\n");
    vault
        .run(["search", "--mode", "semantic", "-n", "1", "feline"])
        .stdout(expect![[r#"
        rain.md:1
          Its cat purrs.
    "#]])
        .code(0);
    let slept: Value = vault.run(["sleep", "--all", "--json"]).json(0);
    assert!(slept["encoder"].is_null());

    // The setting selects the table at once.
    vault.encoder.set("off");
    let _: Value = vault.run(["index", "--json"]).json(0);
    assert_eq!(state(&vault).0, table);
}

/// The vectors of a new note were missing when the jobs looked for contradictions.
#[test]
fn remember_asks_about_a_new_note_after_a_sleep() {
    let vault = TestVault::of([(
        "home/Parking.md",
        "---\ncreated: 2026-01-10\n---\nOur parking space is number 14.\n",
    )]);
    vault.encoder.set("auto");
    vault.run(["-q", "sleep", "--only", "index"]).raw();
    vault
        .run(["-q", "remember", "Our parking space is number 21."])
        .stdout(expect![[r#"
            our-parking-space-is-number-21.md
            Does our-parking-space-is-number-21.md replace home/Parking.md? (“21” / “14”; 2026-04-01 is newer than 2026-01-10) Yes: mem review accept 2f6e0eb1
        "#]])
        .code(0);
}

#[test]
fn index_computes_all_vectors_or_tells_why_not() {
    let vault = vault();
    vault.encoder.set("off");
    vault
        .run(["index", "--encoder"])
        .stderr(expect![[r#"
            error: `embed.encoder` is "off"
            hint: `mem config embed.encoder auto`
        "#]])
        .code(2);
    vault.encoder.set("auto");
    vault
        .run(["index", "--encoder"])
        .stdout(expect![[r#"
            3 notes, no changes
            the sentence encoder is used now: 3 passages
        "#]])
        .code(0);
    vault
        .run(["index", "--encoder"])
        .stdout(expect!["3 notes, no changes"])
        .code(0);
}

#[test]
fn many_changed_notes_bring_the_table_back() {
    let vault = TestVault::empty();
    vault.encoder.set("auto");
    let write = |text: &str| {
        for number in 0..17 {
            vault.write(&format!("{number}.md"), &format!("{text} {number}\n"));
        }
    };
    write("first");
    let _: Value = vault.run(["-q", "index", "--encoder", "--json"]).json(0);
    let (encoder, _) = state(&vault);
    write("second");
    vault.run(["search", "-n", "1", "second 3"])
        .stdout(expect![[r#"
            3.md:1
              second 3
        "#]])
        .stderr(expect![[r#"
            17 notes without vectors of the encoder: the token table is used until `mem sleep`, `mem watch` or `mem index --encoder` has computed them
        "#]])
        .code(0);
    let (table, waiting) = state(&vault);
    assert_ne!(table, encoder);
    assert_eq!(waiting["covered"], 0);
}

#[test]
fn a_watch_computes_vectors_if_no_job_is_due() {
    let vault = vault();
    vault.encoder.set("off");
    vault.run(["-q", "sleep"]).raw();
    vault.run(["-q", "config", "watch.quiet", "1s"]).raw();
    vault.encoder.set("auto");
    let table = state(&vault).0;
    let watch = Watch::start(&vault);
    let deadline = Instant::now() + Duration::from_secs(300);
    while state(&vault).0 == table {
        assert!(Instant::now() < deadline);
        thread::sleep(Duration::from_millis(200));
    }
    // A new index would use the table.
    drop(watch);
}

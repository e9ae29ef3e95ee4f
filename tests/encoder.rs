//! The sentence encoder: computed in the background, used once it covers the vault.

use expect_test::expect;
#[cfg(feature = "encoder")]
use serde_json::Value;

use crate::support::{Run, TestVault};

/// Three notes, because a debug build takes seconds for a passage.
fn vault() -> TestVault {
    TestVault::of([
        ("dog.md", "The dog barks.\n"),
        ("kettle.md", "A kettle boils.\n"),
        ("rain.md", "It rains.\n"),
    ])
}

fn auto<const N: usize>(vault: &TestVault, arguments: [&str; N]) -> Run {
    let command = vault.command(arguments);
    command.env("MEM_EMBED_ENCODER", "auto").run()
}

/// Returns the model of the index and the state of the encoder.
#[cfg(feature = "encoder")]
fn state(vault: &TestVault) -> (String, Value) {
    let status: Value = auto(vault, ["status", "--json"]).json(0);
    let model = status["vectors"]["model"].as_str().unwrap().to_owned();
    (model, status["encoder"].clone())
}

#[cfg(feature = "encoder")]
#[test]
fn sleep_computes_vectors_and_then_the_index_uses_them() {
    let vault = vault();
    let (table, waiting) = state(&vault);
    assert_eq!(
        (&waiting["passages"], &waiting["covered"]),
        (&3.into(), &0.into())
    );
    auto(&vault, ["status"]).stdout(expect![[r#"
        vault       $VAULT
        index       3 notes, fresh; last full scan 2026-04-01 12:00
        vectors     3 passages by all-MiniLM-L6-v2/static-256-int4/1, exact search
        encoder     0 of 3 passages, less than a minute of computing left
        jobs        never run, due
                    dedupe, conflicts, link, spaces, associate, cluster, consolidate, split, decay, views, settle
    "#]]).code(0);
    let _: Value = auto(&vault, ["sleep", "--dry-run", "--json"]).json(0);
    assert_eq!(state(&vault), (table.clone(), waiting));

    let slept = auto(&vault, ["sleep", "--json"]).stderr(expect![[r#"
        the sentence encoder is used now: 3 passages
    "#]]);
    assert_eq!(slept.json::<Value>(0)["encoder"]["is_used"], true);
    let (encoder, waiting) = state(&vault);
    assert!(encoder != table && waiting.is_null());

    // A changed note is embedded before the answer.
    vault.write("rain.md", "Its cat purrs.\n");
    auto(
        &vault,
        ["search", "--mode", "semantic", "-n", "1", "feline"],
    )
    .stdout(expect![[r#"
        rain.md:1
          Its cat purrs.
    "#]])
    .code(0);
    let slept: Value = auto(&vault, ["sleep", "--all", "--json"]).json(0);
    assert!(slept["encoder"].is_null());

    // The setting selects the table at once.
    let _: Value = vault.run(["index", "--json"]).json(0);
    assert_eq!(state(&vault).0, table);
}

#[test]
fn index_computes_all_vectors_or_tells_why_not() {
    let vault = vault();
    vault
        .run(["index", "--encoder"])
        .stderr(expect![[r#"
            error: `embed.encoder` is "off"
            hint: `mem config embed.encoder auto`
        "#]])
        .code(2);
    let computed = auto(&vault, ["index", "--encoder"]);
    if cfg!(feature = "encoder") {
        computed
            .stdout(expect![[r#"
                3 notes, no changes
                the sentence encoder is used now: 3 passages
            "#]])
            .code(0);
        auto(&vault, ["index", "--encoder"])
            .stdout(expect!["3 notes, no changes"])
            .code(0);
    } else {
        computed
            .stderr(expect![[r#"
                error: this mem was built without the sentence encoder
                hint: build it with the feature `encoder`
            "#]])
            .code(2);
    }
}

#[cfg(feature = "encoder")]
#[test]
fn many_changed_notes_bring_the_table_back() {
    let vault = TestVault::empty();
    let write = |text: &str| {
        for number in 0..17 {
            vault.write(&format!("{number}.md"), &format!("{text} {number}\n"));
        }
    };
    write("first");
    let _: Value = auto(&vault, ["-q", "index", "--encoder", "--json"]).json(0);
    let (encoder, _) = state(&vault);
    write("second");
    auto(&vault, ["search", "-n", "1", "second 3"])
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
    vault.run(["status"]).stdout(expect![[r#"
        vault       $VAULT
        index       17 notes, fresh; last full scan 2026-04-01 12:00
        vectors     17 passages by all-MiniLM-L6-v2/static-256-int4/1, exact search
        jobs        never run, due
                    dedupe, conflicts, link, spaces, associate, cluster, consolidate, split, decay, views, settle
    "#]]).code(0);
}

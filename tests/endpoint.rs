//! A user's embedding endpoint: working, failing and changing.

use std::time::{Duration, Instant};

use expect_test::expect;

use crate::support::TestVault;
use crate::support::endpoint::{Endpoint, Manner};
use crate::support::records::{Search, Status};

fn waiting(vault: &TestVault) -> (String, u32) {
    let status: Status = vault.run(["status", "--json"]).json(0);
    let vectors = status.vectors.unwrap();
    (vectors.model, vectors.notes_waiting)
}

#[test]
fn vectors_are_requested_once_and_searched() {
    let vault = TestVault::from("sample");
    let endpoint = Endpoint::new(Manner::Answers(96));
    endpoint.choose(&vault, "nomic");
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes: 41 added"])
        .code(0);
    assert_eq!(waiting(&vault), ("endpoint:nomic".to_owned(), 0));
    assert!(endpoint.asked() > 30);
    let answer: Search = vault.run(["search", "--json", "warm drinks"]).json(0);
    assert_eq!((answer.mode.as_str(), endpoint.asked()), ("hybrid", 1));
    vault
        .run(["--quiet", "index", "--rebuild"])
        .stdout(expect!["41 notes: 41 added"])
        .code(0);
    assert_eq!(endpoint.asked(), 0, "what was paid for is kept");
}

#[test]
fn search_falls_back_to_words() {
    let vault = TestVault::from("sample");
    let endpoint = Endpoint::new(Manner::Answers(96));
    endpoint.choose(&vault, "nomic");
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes: 41 added"])
        .code(0);
    for (manner, why, hint) in [
        (Manner::Garbage, "unexpected reply from", "/v1/embeddings"),
        (Manner::TooMany, "429", "run the command again later"),
        (
            Manner::Answers(64),
            "returns vectors of 64 dimensions, the index has 96",
            "`mem index --rebuild`",
        ),
        (
            Manner::Hangs,
            "did not answer within 500ms",
            "`embed.patience`",
        ),
        (Manner::Hangs, "backing off from", "`embed.patience`"),
    ] {
        endpoint.behave(manner);
        let started = Instant::now();
        let outcome = vault.run(["search", "--json", "kettle"]).raw();
        assert!(started.elapsed() < Duration::from_secs(30), "{manner:?}");
        assert_eq!(outcome.code, 0, "{manner:?}");
        let said: Vec<&str> = outcome.stderr.lines().collect();
        let [warning, advice] = said[..] else {
            panic!("{manner:?}: {}", outcome.stderr);
        };
        let is_warning = warning.starts_with("warning: semantic search is off: ");
        assert!(is_warning && warning.contains(why), "{manner:?}: {warning}");
        let is_hint = advice.starts_with("hint: ");
        assert!(is_hint && advice.contains(hint), "{manner:?}: {advice}");
        let answer: Search = serde_json::from_str(&outcome.stdout).unwrap();
        assert_eq!(
            (answer.mode.as_str(), answer.hits.is_empty()),
            ("lexical", false)
        );
    }
}

#[test]
fn unreachable_endpoint_causes_no_delay() {
    let vault = TestVault::from("sample");
    let gone = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    std::fs::create_dir_all(vault.home(".config/mem")).unwrap();
    std::fs::write(
        vault.home(".config/mem/config.toml"),
        format!(
            "[embed]\nprovider = \"endpoint\"\nurl = \"http://127.0.0.1:{gone}\"\nmodel = \"m\"\n"
        ),
    )
    .unwrap();
    let first = vault.run(["--quiet", "index"]).raw();
    let outcome = vault.run(["index"]).raw();
    assert_eq!((first.code, outcome.code), (0, 0));
    assert_eq!(outcome.stderr.lines().count(), 2, "{}", outcome.stderr);
    assert!(outcome.stderr.contains("41 notes not embedded yet"));
    assert!(outcome.stderr.contains("hint: is it running?"));
    let answer: Search = vault
        .run(["search", "--json", "kettle"])
        .stderr(expect![[r#"
            searching by words only: no note has vectors of `endpoint:m` yet; `mem index` creates them
        "#]])
        .json(0);
    assert_eq!(answer.mode, "lexical");
}

#[test]
fn changed_model_rebuilds_vectors() {
    let vault = TestVault::indexed("sample");
    let (own, _) = waiting(&vault);
    let endpoint = Endpoint::new(Manner::Answers(96));
    endpoint.choose(&vault, "one");
    // A search does not send all notes; the next index pass does.
    let answer: Search = vault
        .run(["search", "--json", "kettle"])
        .stderr(expect![[r#"
            searching by words only: no note has vectors of `endpoint:one` yet; `mem index` creates them
        "#]])
        .json(0);
    assert_eq!((answer.mode.as_str(), endpoint.asked()), ("lexical", 0));
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
    assert_eq!(waiting(&vault), ("endpoint:one".to_owned(), 0));
    // It becomes unavailable during a pass of the next model, and returns.
    endpoint.choose(&vault, "two");
    endpoint.behave(Manner::Garbage);
    let outcome = vault.run(["index"]).raw();
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.stderr.contains("41 notes not embedded yet"),
        "{}",
        outcome.stderr
    );
    endpoint.behave(Manner::Answers(64));
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes, no changes"])
        .code(0);
    assert_eq!(waiting(&vault), ("endpoint:two".to_owned(), 0));
    // Any search returns to the built-in model by itself.
    std::fs::remove_file(vault.home(".config/mem/config.toml")).unwrap();
    let answer: Search = vault.run(["search", "--json", "kettle"]).json(0);
    assert_eq!(answer.mode, "hybrid");
    assert_eq!(waiting(&vault), (own, 0));
}

#[test]
fn vault_cannot_set_an_endpoint() {
    let vault = TestVault::indexed("sample");
    let endpoint = Endpoint::new(Manner::Answers(96));
    let settings = format!(
        "[embed]\nprovider = \"endpoint\"\nurl = \"{}\"\nmodel = \"m\"\n",
        endpoint.url()
    );
    vault.write(".mem/config.toml", &settings);
    let outcome = vault.run(["search", "kettle"]).raw();
    assert_eq!(outcome.code, 0);
    assert!(outcome.stderr.contains("embed."), "{}", outcome.stderr);
    assert_eq!(endpoint.asked(), 0);
}

#[test]
fn incomplete_settings_come_with_a_hint() {
    let vault = TestVault::indexed("sample");
    std::fs::create_dir_all(vault.home(".config/mem")).unwrap();
    let settings = "[embed]\nprovider = \"endpoint\"\nmodel = \"m\"\n";
    std::fs::write(vault.home(".config/mem/config.toml"), settings).unwrap();
    let outcome = vault.run(["search", "kettle"]).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    expect![[r#"
        warning: semantic search is off: `embed.provider` is "endpoint", but `embed.url` is not set
        hint: `mem config embed.url http://localhost:11434`
    "#]]
    .assert_eq(&outcome.stderr);
}

//! `mem help TOPIC`

use expect_test::expect;
use mem::commands::setup::help::conventions::{DOCUMENTS, RECORDS, terms};
use serde_json::Value;

use crate::support::TestVault;
use crate::support::terminal::Terminal;

#[test]
fn topics_are_shown_and_suggested() {
    let vault = TestVault::empty();
    let shown = vault.run(["help", "query"]).raw();
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    assert!(shown.stdout.starts_with("Queries: "), "{}", shown.stdout);
    let shown = vault.run(["help", "presets", "--no-pager"]).raw();
    assert_eq!((shown.code, shown.stderr.as_str()), (0, ""));
    let record: Value = vault.run(["help", "files", "--json"]).json(0);
    let lines: Vec<Value> = vault.run(["help", "files", "--jsonl"]).jsonl(0);
    assert_eq!(lines, std::slice::from_ref(&record));
    assert_eq!(record["topic"], "files");
    vault
        .run(["help", "qeury"])
        .stderr(expect![[r#"
            error: unrecognized subcommand 'qeury'

              tip: a similar subcommand exists: 'query'

            Usage: mem [OPTIONS] [COMMAND]

            For more information, try '--help'.
        "#]])
        .code(2);
}

#[test]
fn records_have_the_documented_keys() {
    let vault = TestVault::indexed("sample");
    let _ = vault.run(["edit", "Oolong", "--set", "a=b"]).raw();
    let _ = vault.run(["rm", "Tomasz"]).raw();
    let record = |command: &str| -> Value {
        let more: &[&str] = match command {
            "search" | "recall" | "timeline" => &["tea"],
            "show" | "why" | "related" | "outline" => &["Oolong"],
            "daily" => &["--print"],
            _ => &[],
        };
        let words: Vec<&str> = command.split(' ').chain(more.iter().copied()).collect();
        let outcome = vault.run([&words[..], &["--json"]].concat()).raw();
        serde_json::from_str(&outcome.stdout).expect(command)
    };
    for (list, keys) in terms(RECORDS) {
        let (command, list) = list.split_once(": ").unwrap();
        let record = record(command);
        let first = &record[list][0];
        assert!(first.is_object(), "{command}: {record}");
        for key in keys.split(' ') {
            assert!(first.get(key).is_some(), "{command}: {key}");
        }
    }
    for (command, keys) in terms(DOCUMENTS) {
        let record = record(command);
        for key in keys.split(' ') {
            assert!(record.get(key).is_some(), "{command}: {key}");
        }
    }
}

#[test]
fn topic_is_printed_without_pager_on_request() {
    let vault = TestVault::empty();
    let variables = [("PAGER", "cat > /dev/null; echo paged")];
    for (arguments, last) in [
        (&["help", "query"][..], "paged"),
        (
            &["--no-pager", "help", "query"],
            "tier:forgotten, is:expired, is:upcoming.",
        ),
    ] {
        let mut terminal = Terminal::with(&vault, [80, 24], arguments, &variables);
        assert_eq!(terminal.end(), 0);
        assert!(
            terminal.contents().contains(last),
            "{}",
            terminal.contents()
        );
    }
}

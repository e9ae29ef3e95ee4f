//! `mem sleep`

use crate::support::TestVault;
use crate::support::records::Sleep;

#[test]
fn only_notes_of_agents_are_changed_unattended() {
    let vault = TestVault::from("sample");
    let before = vault.tree();
    vault
        .run(["sleep"])
        .stdout(
            "
            index   41 notes: 41 added
            dedupe  10 pairs compared: 1 merged, 2 open questions
            did merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              because: same title, 97 % of the wording is the same
            1be7e61f merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 95 % of the wording is the same)
            ed2f0e78 merge garden/2025/Tomatoes.md into garden/Tomatoes.md? (same title, 80 % of the shorter one stands in the longer one)
            ",
        )
        .stderr(
            "
            indexed 41 notes
            hint: `mem undo 20260401-120000-757x` takes it back
            hint: `mem review` answers 2 open questions
            ",
        )
        .code(0);
    assert_eq!(
        before.changes(&vault.tree()),
        [
            "- agents/Anna prefers short release notes 2.md",
            "- agents/Anna prefers short release notes 3.md",
            "~ agents/Anna prefers short release notes.md",
        ]
    );
}

#[test]
fn a_dry_run_shows_every_change_and_its_reason() {
    let body = "The spare key of the garden shed hangs behind the rain barrel, on the left.";
    let vault = TestVault::of([
        ("key 1.md", &format!("{body}\n")),
        ("key.md", &format!("---\ntags: [garden]\n---\n{body}\n")),
        ("shed.md", "See [[key 1|the key]].\n"),
    ]);
    vault
        .run(["sleep", "--dry-run", "--apply", "all"])
        .stdout(
            "
            index   3 notes, nothing changed
            dedupe  1 pair compared: 1 to merge, 0 open questions
            would merge key 1.md into key.md
              because: same text
            --- a/shed.md
            +++ b/shed.md
            @@ -1 +1 @@
            -See [[key 1|the key]].
            +See [[key|the key]].
            --- a/key 1.md
            +++ /dev/null
            @@ -1 +0,0 @@
            -The spare key of the garden shed hangs behind the rain barrel, on the left.
            ",
        )
        .code(0);
}

#[test]
fn a_setting_says_what_is_done_unattended() {
    let vault = TestVault::indexed("sample");
    let groups = |setting: Option<&str>, flag: Option<&str>, stderr: &str| {
        let mut arguments = vec!["-q", "sleep", "--json", "--dry-run"];
        arguments.extend(flag.map(|flag| ["--apply", flag]).into_iter().flatten());
        let mut command = vault.command(arguments);
        if let Some(setting) = setting {
            command = command.env("MEM_SLEEP_APPLY", setting);
        }
        let sleep: Sleep = command.run().stderr(stderr).json(0);
        (sleep.groups.len(), sleep.questions.len())
    };
    assert_eq!(groups(None, None, ""), (1, 2));
    assert_eq!(groups(Some("all"), None, ""), (2, 1));
    assert_eq!(groups(Some("all"), Some("none"), ""), (0, 3));
    vault.write(".mem/config.toml", "[sleep]\napply = \"none\"\n");
    assert_eq!(groups(None, None, ""), (0, 3));

    // A vault cannot ask for more than the user allows.
    vault.write(".mem/config.toml", "[sleep]\napply = \"all\"\n");
    let warning = "warning: `$VAULT/.mem/config.toml` sets `sleep.apply` to \"all\"; a vault may only lower it\n";
    assert_eq!(groups(None, None, warning), (1, 2));
    std::fs::create_dir_all(vault.home(".config/mem")).unwrap();
    std::fs::write(
        vault.home(".config/mem/config.toml"),
        "[sleep]\napply = \"all\"\n",
    )
    .unwrap();
    assert_eq!(groups(None, None, ""), (2, 1));
}

#[test]
fn an_empty_vault_has_nothing_to_do() {
    let vault = TestVault::empty();
    vault
        .run(["sleep"])
        .stdout(
            "
            index   0 notes, nothing changed
            dedupe  0 pairs compared: 0 merged, 0 open questions
            ",
        )
        .stderr("indexed 0 notes\n")
        .code(0);
    let vault = TestVault::of([("a.md", "Alone.\n")]);
    let sleep: Sleep = vault.run(["sleep", "--json"]).json(0);
    assert_eq!(
        (sleep.index.notes, sleep.jobs.len(), sleep.run),
        (1, 2, None)
    );
    let sleep: Vec<Sleep> = vault.run(["sleep", "--jsonl"]).jsonl(0);
    assert_eq!(sleep.len(), 1);
    vault
        .run(["sleep", "--apply", "some"])
        .stderr(
            "
            error: invalid value 'some' for '--apply <WHICH>'
              [possible values: none, managed, all]

            For more information, try '--help'.
            ",
        )
        .code(2);
}

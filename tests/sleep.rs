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
            index     41 notes: 41 added
            dedupe    10 pairs compared: 1 merged, 2 open questions
            did merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              because: same title, 97 % of the wording is the same
            1990932d merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 95 % of the wording is the same)
            1666cfbb merge garden/2025/Tomatoes.md into garden/Tomatoes.md? (same title, 80 % of the shorter one stands in the longer one)
            conflicts 94 pairs compared: 0 settled, 2 open questions
            2588cd37 say that work/Sessions after the cleanup.md replaced work/Sessions.md? (“not use Redis to”; 2026-03-01 is newer than 2025-10-02)
            2a184324 say that inbox/Dev server.md replaced work/Dev server.md? (“9090” / “8080”; 2026-03-11 is newer than 2025-11-03)
            link      9 pairs compared: 0 linked, 5 open questions
            38b42e6d link garden/Tomatoes.md to garden/2025/Tomatoes.md? (cosine 0.88, both tagged #garden #vegetables)
            3936cb24 link work/meetings/2026-03-19 weekly.md to work/meetings/2026-03-05 weekly.md? (cosine 0.84, both tagged #meeting #weekly)
            312e01f1 link work/meetings/2026-03-12 weekly.md to work/meetings/2026-03-05 weekly.md? (cosine 0.68, both tagged #meeting #weekly)
            3e8d0ebe link work/meetings/2026-03-19 weekly.md to work/meetings/2026-03-12 weekly.md? (cosine 0.65, both tagged #meeting #weekly)
            4bf81143 make \"Tomasz\" in work/meetings/2026-03-12 weekly.md a link to people/Tomasz.md? (it says \"- [ ] ask Tomasz about the translation\")
            ",
        )
        .stderr(
            "
            indexed 41 notes
            hint: `mem undo 20260401-120000-757x` takes it back
            hint: `mem review` answers 9 open questions
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
            index     3 notes, nothing changed
            dedupe    1 pair compared: 1 to be merged, 0 open questions
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
            conflicts 3 pairs compared: 0 to be settled, 0 open questions
            link      0 pairs compared: 0 to be linked, 0 open questions
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
        let merges = sleep
            .groups
            .iter()
            .filter(|group| group.title.starts_with("merge"));
        (merges.count(), sleep.job("dedupe").needs_answer)
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
            index     0 notes, nothing changed
            dedupe    0 pairs compared: 0 merged, 0 open questions
            conflicts 0 pairs compared: 0 settled, 0 open questions
            link      0 pairs compared: 0 linked, 0 open questions
            ",
        )
        .stderr("indexed 0 notes\n")
        .code(0);
    let vault = TestVault::of([("a.md", "Alone.\n")]);
    let sleep: Sleep = vault.run(["sleep", "--json"]).json(0);
    assert_eq!(
        (
            sleep.index.notes,
            sleep.jobs.len(),
            sleep.job("dedupe").run.clone()
        ),
        (1, 4, None)
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

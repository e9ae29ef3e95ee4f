//! `mem init`

use expect_test::expect;

use crate::support::records::Init;
use crate::support::terminal::Terminal;
use crate::support::{TestVault, tree::Tree};

#[test]
fn init_changes_only_the_mem_folder() {
    let vault = TestVault::folder("sample");
    let before = vault.tree();
    vault
        .run(["init"])
        .stdout(expect!["created vault $VAULT (41 notes)"])
        .stderr(expect![[r#"
            hint: `mem search WORDS` finds notes; `mem sleep --dry-run` previews maintenance
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
    let own = Tree::of(&vault.path(".mem"), &[]);
    assert_eq!(
        Tree::default().changes(&own),
        ["+ .gitignore", "+ .stignore", "+ config.toml", "+ id"]
    );

    vault
        .run(["init"])
        .stdout(expect!["$VAULT is already a vault (41 notes)"])
        .code(0);
    own.assert_same(&Tree::of(&vault.path(".mem"), &[]));
}

#[test]
fn a_new_vault_has_no_history_of_a_deleted_one() {
    let vault = TestVault::folder("sample");
    let done = |command: &[&str]| vault.run(command.iter().copied()).raw();
    done(&["-q", "init"]);
    done(&["-q", "rm", "Oolong"]);
    std::fs::remove_dir_all(vault.path(".mem")).unwrap();
    // The id contains the time.
    vault.at("2026-04-02T08:30:00Z");
    done(&["-q", "init"]);
    vault
        .run(["undo"])
        .stderr(expect!["error: nothing to undo"])
        .code(2);
}

#[test]
fn folder_argument_and_existing_settings() {
    let vault = TestVault::folder("sample");
    vault.write("tea/.mem/config.toml", "# mine\n");
    let record: Init = vault.run(["--json", "init", "tea"]).json(0);
    assert_eq!(
        record,
        Init {
            vault: "$VAULT/tea".to_owned(),
            created: false,
            notes: 3
        }
    );
    vault.assert_text("tea/.mem/config.toml", expect!["# mine"]);
    assert!(!vault.path(".mem").exists());

    let record: Init = vault.run(["--json", "-C", "garden", "init"]).json(0);
    assert_eq!(
        record,
        Init {
            vault: "$VAULT/garden".to_owned(),
            created: true,
            notes: 7
        }
    );
}

#[test]
fn written_settings_equal_the_defaults() {
    let vault = TestVault::folder("sample");
    vault
        .run(["--quiet", "init"])
        .stdout(expect!["created vault $VAULT (41 notes)"])
        .code(0);
    // With every line of the proposed settings enabled, there is no warning.
    let config = vault.read(".mem/config.toml");
    let on = config
        .lines()
        .map(|line| {
            line.strip_prefix("# ")
                .filter(|line| line.contains(['[', '=']))
                .unwrap_or("")
        })
        .collect::<Vec<_>>()
        .join("\n");
    assert!(on.contains("[sleep]\napply = \"managed\""), "{on}");
    vault.write(".mem/config.toml", &on);
    vault
        .run(["--quiet", "index"])
        .stdout(expect!["41 notes: 41 added"])
        .code(0);
}

#[test]
fn init_requires_a_folder() {
    let vault = TestVault::folder("sample");
    vault
        .run(["init", "new"])
        .stderr(expect![[r#"
            error: `new` is not a folder
            hint: create it with `mkdir -p new`
        "#]])
        .code(2);
    vault.write(".mem", "");
    vault
        .run(["init"])
        .stderr(expect![[r#"
            error: cannot make `$VAULT/.mem`
            caused by: File exists (os error 17)
        "#]])
        .code(2);
}

#[test]
fn unlikely_folder_needs_force() {
    let vault = TestVault::from("sample");
    vault
        .run(["init", "tea"])
        .stderr(expect![[r#"
        error: `tea` is a folder of the vault `$VAULT`, which already contains its notes
        hint: `--force` makes it a vault of its own; its notes are then in both
    "#]])
        .code(2);
    vault
        .run(["-C", "/", "init"])
        .stderr(expect![[r#"
        error: every Markdown file below `/` would become a note
        hint: name the folder that your notes are in, or pass `--force` to use this one
    "#]])
        .code(2);
    vault
        .run(["init", vault.home("").to_str().unwrap()])
        .stderr(expect![[r#"
            error: every Markdown file below `$HOME/` would become a note
            hint: name the folder that your notes are in, or pass `--force` to use this one
        "#]])
        .code(2);
    vault
        .run(["init", "Green tea.md"])
        .stderr(expect![[r#"
            error: `Green tea.md` is not a folder
            hint: name the folder that your notes are in
        "#]])
        .code(2);
    assert!(!vault.path("tea/.mem").exists() && !vault.home(".mem").exists());
    vault
        .run(["-q", "init", "tea", "--force"])
        .stdout(expect!["created vault $VAULT/tea (3 notes)"])
        .code(0);
}

#[test]
fn unlikely_folder_is_confirmed_at_a_terminal() {
    let vault = TestVault::from("sample");
    for (keys, code, is_made) in [
        ("\r", 1, false),
        ("x?\r", 1, false),
        ("\x1b", 1, false),
        ("y\r\r", 0, true),
    ] {
        let mut terminal = Terminal::start(&vault, [80, 24], &["init", "tea"]);
        terminal.wait("make it a vault anyway? [y/N]");
        terminal.press(keys);
        assert_eq!(terminal.end(), code);
        assert_eq!(vault.path("tea/.mem").exists(), is_made);
    }
}

#[test]
fn folder_above_vaults_is_confirmed_at_a_terminal() {
    let vault = TestVault::folder("sample");
    for folder in ["tea", "garden/2025", "work", ".hidden"] {
        vault.run(["-q", "init", folder, "--force"]).raw();
    }
    let ask = |flags: &[&str]| Terminal::start(&vault, [80, 24], &[&["init"], flags].concat());
    for key in ["\r", "\x03"] {
        let mut terminal = ask(&[]);
        terminal.wait("anyway? [y/N]");
        let asked = "`$VAULT` contains the vaults `garden/2025`, `tea`, `work`; make it";
        let screen = terminal.contents().replace('\n', " ");
        assert!(screen.starts_with(asked), "{screen}");
        terminal.press(key);
        assert_eq!(terminal.end(), if key == "\r" { 1 } else { 130 });
        assert!(!vault.path(".mem").exists());
    }
    for flags in [&["--yes"][..], &["-q"]] {
        assert_eq!(ask(flags).end(), 2, "{flags:?}");
        assert!(!vault.path(".mem").exists());
    }
    for flags in [&["--force", "-q"][..], &["--force", "--yes"]] {
        assert_eq!(ask(flags).end(), 0, "{flags:?}");
        std::fs::remove_dir_all(vault.path(".mem")).unwrap();
    }
    // A script is refused.
    vault
        .run(["init"])
        .stderr(expect![[r#"
            error: `$VAULT` contains the vaults `garden/2025`, `tea`, `work`
            hint: `--force` makes it a vault too; their notes are then in both
        "#]])
        .code(2);
    assert!(!vault.path(".mem").exists());
}

#[test]
fn settings_are_chosen_at_a_terminal() {
    let vault = TestVault::folder("sample");
    let own = vault.path(".mem");
    let start = |flags: &[&str]| Terminal::start(&vault, [80, 24], &[&["init"], flags].concat());
    for keys in ["\x1b", "\r\x1b", "q", "\x03"] {
        let mut terminal = start(&[]);
        terminal.wait_for("Which preset?");
        terminal.press(keys);
        assert_eq!(terminal.end(), if keys == "\x03" { 130 } else { 1 });
        assert!(!own.exists(), "{keys:?}");
    }
    let settings = |keys: &str, flags: &[&str]| {
        let mut terminal = start(flags);
        terminal.wait_for("(arrows and Enter; Esc cancels)");
        terminal.press(keys);
        assert_eq!(terminal.end(), 0);
        let text = vault.read(".mem/config.toml");
        std::fs::remove_dir_all(&own).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(settings("\r\r", &[]), "", "the defaults");
    let expected = "[rules] preset = \"ormah\" [sleep] apply = \"none\"";
    assert_eq!(settings("j\rj\r", &[]), expected);
    let expected = "[rules] preset = \"small\"";
    assert_eq!(settings("\r", &["--preset", "small"]), expected);
    // A user who allows no changes anywhere is not asked.
    vault.run(["config", "sleep.apply", "none"]).raw();
    assert_eq!(settings("\r", &[]), "");
    // An existing vault is not asked about.
    vault.run(["-q", "init"]).raw();
    let mut terminal = start(&[]);
    assert_eq!(terminal.end(), 0);
    assert!(terminal.contents().contains("is already a vault"));
}

#[test]
fn excluded_notes_are_not_counted() {
    let vault = TestVault::folder("sample");
    std::fs::write(vault.path("latin.md"), b"caf\xe9 [[Oolong]]").unwrap();
    vault
        .run(["-q", "init"])
        .stdout(expect!["created vault $VAULT (41 notes)"])
        .stderr(expect![[r#"
            warning: skipped `latin.md`: it is not UTF-8 text (byte 3)
        "#]])
        .code(0);
    let moved = vault
        .run(["-q", "mv", "Oolong", "Blue tea", "--dry-run"])
        .raw();
    let warning = "warning: skipped `latin.md`: it is not UTF-8 text (byte 3)\n";
    assert_eq!(moved.stderr, warning);
    vault
        .run(["-q", "index"])
        .stdout(expect!["41 notes, no changes"])
        .stderr(expect![[r#"
            warning: skipped `latin.md`: it is not UTF-8 text (byte 3)
        "#]])
        .code(0);
}

//! Common behaviour of all commands: choice of vault, output formats, closed streams, read-only
//! places.

use std::fs::{self, Permissions};
use std::io::Read as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use expect_test::{Expect, expect};

use crate::support::records::Sleep;
use crate::support::{MEM, TestVault};

fn no_vault() -> Expect {
    expect![[r#"
        error: no vault at `$HOME` or above
        hint: create one here with `mem init`, or pass `-C DIR`
    "#]]
}

#[test]
fn vault_is_given_or_found_in_parent_folders() {
    let vault = TestVault::indexed("sample");
    let listed = || {
        expect![[r#"
            people/Anna.md
            people/Grandmother.md
            people/Tomasz.md
        "#]]
    };
    let list = ["list", "path:people"];
    let away = vault.home("");
    let root = vault.path("");

    vault
        .command(list)
        .in_folder(&vault.path("garden/2025"))
        .run()
        .stdout(listed())
        .code(0);
    vault
        .command(list)
        .in_folder(&away)
        .env("MEM_VAULT", &root)
        .run()
        .stdout(listed())
        .code(0);
    let named = [&["-C", root.to_str().unwrap()], &list[..]].concat();
    vault
        .command(&named)
        .in_folder(&away)
        .run()
        .stdout(listed())
        .code(0);
    // The command line takes precedence over the environment.
    vault
        .command(&named)
        .in_folder(&away)
        .env("MEM_VAULT", &away)
        .run()
        .stdout(listed())
        .code(0);
    vault
        .command(list)
        .in_folder(&away)
        .run()
        .stderr(no_vault())
        .code(2);
    vault
        .command(list)
        .env("MEM_VAULT", &away)
        .run()
        .stderr(no_vault())
        .code(2);
    vault
        .run(["-C", "nowhere", "list"])
        .stderr(expect![[r#"
            error: no folder `nowhere`
            hint: `-C` or `MEM_VAULT` names it
        "#]])
        .code(2);
}

#[test]
fn several_vaults_are_searched_and_only_the_first_is_written() {
    let own = TestVault::of([("Tea.md", "# Tea\n\nGreen tea steeps for two minutes.\n")]);
    let team = TestVault::of([(
        "brewing/Water.md",
        "# Water\n\nGreen tea wants water of 70 degrees.\n",
    )]);
    let team_before = team.whole_tree();
    let own_root = own.path("");
    let both = std::env::join_paths([&own_root, &team.path("")]).unwrap();
    let run = |arguments: &[&str]| {
        let command = own.command(arguments).in_folder(&own.home(""));
        let run = command.env("MEM_VAULT", &both).run();
        run.naming(
            team.path("").to_str().unwrap().trim_end_matches('/'),
            "$TEAM",
        )
    };

    run(&["search", "green", "tea", "--mode", "lexical"])
        .stdout(expect![[r#"
            Tea.md:3
              Green tea steeps for two minutes.
            $TEAM/brewing/Water.md:3
              Green tea wants water of 70 degrees.
        "#]])
        .code(0);
    // A status message of the first vault does not count if another one has an answer.
    run(&["search", "degrees", "--mode", "lexical", "--vimgrep"])
        .stdout(expect![[r#"
            $TEAM/brewing/Water.md:3:29:Green tea wants water of 70 degrees.
        "#]])
        .code(0);
    run(&["recall", "water", "for", "green", "tea"])
        .stdout(expect![[r#"
            ## $TEAM/brewing/Water.md:1
            # Water

            Green tea wants water of 70 degrees.

            ## Tea.md:1
            # Tea

            Green tea steeps for two minutes.
        "#]])
        .code(0);
    let listed = run(&["timeline", "water", "for", "green", "tea"])
        .raw()
        .stdout;
    let [own_note, further] = [" Tea.md\n", " $TEAM/brewing/Water.md\n"];
    assert!(
        listed.contains(own_note) && listed.contains(further),
        "{listed}"
    );
    run(&["search", "xylophone", "--mode", "lexical"])
        .stderr(expect!["no matches: no note contains `xylophone`"])
        .code(1);
    run(&["append", "Tea", "- Sencha"])
        .stdout(expect!["added to Tea.md"])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    assert_eq!(team.whole_tree(), team_before);

    let flags = [
        "-C",
        own_root.to_str().unwrap(),
        "-C",
        "nowhere",
        "search",
        "-n1",
        "sencha",
    ];
    own.command(flags)
        .in_folder(&own.home(""))
        .run()
        .stdout(expect![[r#"
            Tea.md:5
              Sencha
        "#]])
        .stderr(expect![[r#"
            warning: `nowhere` is left out: no folder `nowhere`
        "#]])
        .code(0);
}

#[test]
fn records_of_several_vaults_name_them_and_a_vault_in_a_vault_has_its_notes_alone() {
    let outer = TestVault::of([
        ("Tea.md", "# Tea\n\nGreen tea steeps.\n"),
        ("team/Water.md", "# Water\n\nGreen tea wants water.\n"),
        ("team/.mem/.gitignore", "cache/\n"),
    ]);
    let roots = [outer.path(""), outer.path("team"), outer.path("team")];
    let both = std::env::join_paths(&roots).unwrap();
    let run = |arguments: &[&str]| {
        let command = outer.command(arguments).in_folder(&outer.home(""));
        command.env("MEM_VAULT", &both).run()
    };
    let search = ["search", "green", "tea", "--mode", "lexical"];
    run(&[&search[..], &["--format", "{{ vault }} {{ path }}"]].concat())
        .stdout(expect![[r#"
            $VAULT/team $VAULT/team/Water.md
            $VAULT $VAULT/Tea.md
        "#]])
        .code(0);
    let found = run(&[&search[..], &["--json"]].concat()).raw();
    let found: serde_json::Value = serde_json::from_str(&found.stdout).unwrap();
    assert_eq!(found["total"], 2, "{found}");
    let recalled = run(&["recall", "green", "tea", "water", "--json"]).raw();
    let recalled: serde_json::Value = serde_json::from_str(&recalled.stdout).unwrap();
    let hits = recalled["hits"].as_array().unwrap();
    assert_eq!(hits.len(), 2, "{recalled}");
    assert!(
        hits.iter().all(|hit| hit["vault"].is_string()),
        "{recalled}"
    );
    let listed = run(&["timeline", "green", "tea", "water", "--jsonl"]).raw();
    let listed = listed.stdout.lines();
    let listed: Vec<serde_json::Value> = listed
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(listed.len(), 2, "{listed:?}");
    assert!(listed.iter().all(|one| one["vault"].is_string()));
}

#[test]
fn missing_vault_is_reported_by_every_command() {
    let vault = TestVault::empty();
    for arguments in [
        &["dedupe"][..],
        &["history"],
        &["index"],
        &["list"],
        &["remember", "x"],
        &["review"],
        &["search", "x"],
        &["show", "x"],
        &["sleep"],
        &["status"],
        &["undo"],
    ] {
        let run = vault.command(arguments).in_folder(&vault.home("")).run();
        // Without a terminal, cron must learn of the failure.
        let expected = if arguments == ["sleep"] {
            expect![[r#"
                error: no vault at `$HOME` or above
                hint: create one here with `mem init`, or pass `-C DIR`
                hint: is the disk mounted? if the vault was removed, `crontab -e` or `systemctl --user list-timers 'mem-*'` shows what starts this
            "#]]
        } else {
            no_vault()
        };
        run.stderr(expected).code(2);
        let json = [&["--json"], arguments].concat();
        let failure = vault
            .command(json)
            .in_folder(&vault.home(""))
            .run()
            .failure();
        assert_eq!(
            failure.message, "no vault at `$HOME` or above",
            "{arguments:?}"
        );
    }
}

#[test]
fn broken_pipe_is_no_error() {
    let vault = TestVault::indexed("sample");
    for number in 0..200 {
        vault.write(
            &format!("many/{number}.md"),
            &format!("# Note {number}\n{}\n", "tea ".repeat(90)),
        );
    }
    vault
        .run(["index"])
        .stdout(expect!["241 notes: 200 added"])
        .code(0);
    for arguments in [
        &["list"][..],
        &["list", "--json"],
        &["list", "--jsonl"],
        &["list", "-0"],
        &["search", "tea", "-n", "500"],
        &["completions", "bash"],
        &["show", "Home"],
    ] {
        let mut command = Command::new(MEM);
        command.args(arguments);
        vault.prepare(&mut command);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut stderr)
            .unwrap();
        let status = child.wait().unwrap();
        assert_eq!(
            (status.code(), stderr.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn usage_errors_exit_with_2() {
    let vault = TestVault::empty();
    let outcome = vault.run::<&str>([]).raw();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(
        outcome.stderr.contains("Usage: mem [OPTIONS] [COMMAND]"),
        "{}",
        outcome.stderr
    );
    vault
        .run(["remembr", "x"])
        .stderr(expect![[r#"
            error: unrecognized subcommand 'remembr'

              tip: some similar subcommands exist: 'remember', 'merge', 'rm'

            Usage: mem [OPTIONS] [COMMAND]

            For more information, try '--help'.
        "#]])
        .code(2);
    let failure = vault.run(["--json", "remembr", "x"]).failure();
    assert_eq!(failure.message, "unrecognized subcommand 'remembr'");
    let failure = vault
        .run(["search", "--jsonl", "x", "-n", "many"])
        .failure();
    assert!(
        failure
            .message
            .starts_with("invalid value 'many' for '--limit <N>'"),
        "{failure:?}"
    );
    let failure = vault.run(["--json", "--jsonl", "list"]).failure();
    assert_eq!(
        failure.message,
        "the argument '--json' cannot be used with '--jsonl'"
    );
}

#[test]
fn every_command_has_help() {
    let vault = TestVault::empty();
    for command in mem::cli::definition().get_subcommands() {
        let name = command.get_name();
        let about = command.get_about().unwrap().to_string();
        let outcome = vault
            .command([name, "--help"])
            .in_folder(&vault.home(""))
            .run()
            .raw();
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{name}");
        assert!(
            outcome.stdout.starts_with(&format!("{about}\n\n")),
            "{name}: {}",
            outcome.stdout
        );
        assert!(
            outcome.stdout.contains(&format!("Usage: mem {name} ")),
            "{}",
            outcome.stdout
        );
        assert!(
            outcome
                .stdout
                .lines()
                .all(|line| line.chars().count() <= 100),
            "{name}"
        );
    }
}

#[test]
fn concurrent_commands_lose_nothing() {
    let vault = TestVault::indexed("sample");
    let threads: Vec<_> = (0..8)
        .map(|number| {
            let text = format!("Thought number {number}");
            let prepared = match number % 4 {
                0 => vault.command(["-q", "search", "--jsonl", "thought"]),
                1 => vault.command(["-q", "index"]),
                _ => vault.command(["-q", "remember", &text, "--title", "Thought"]),
            };
            std::thread::spawn(move || prepared.run().raw())
        })
        .collect();
    for thread in threads {
        let outcome = thread.join().unwrap();
        assert!(matches!(outcome.code, 0 | 1), "{outcome:?}");
        assert_eq!(outcome.stderr.replace("no matches\n", ""), "");
    }
    vault
        .run(["list", "path:thought"])
        .stdout(expect![[r#"
            Thought 2.md
            Thought 3.md
            Thought 4.md
            Thought.md
        "#]])
        .code(0);
    vault
        .run(["index"])
        .stdout(expect!["45 notes, no changes"])
        .code(0);
}

#[test]
fn invalid_clock_or_seed_is_refused() {
    let vault = TestVault::indexed("sample");
    vault
        .command(["list"])
        .env("MEM_NOW", "tomorrow")
        .run()
        .stderr(expect![[r#"
            error: invalid time in `MEM_NOW`: `tomorrow`
            caused by: failed to parse four digit integer as year: invalid digit, expected 0-9 but got t
            hint: expected a time like 2026-01-31T12:00:00Z
        "#]])
        .code(2);
    vault
        .command(["list"])
        .env("MEM_SEED", "-1")
        .run()
        .stderr(expect![[r#"
            error: invalid integer in `MEM_SEED`: `-1`
            hint: expected a number like 7, or no `MEM_SEED`
        "#]])
        .code(2);
}

#[test]
fn colour_follows_flags_and_environment() {
    let vault = TestVault::indexed("sample");
    let plain = || expect!["people/Grandmother.md"];
    let list = ["list", "path:people/Grand"];
    vault.run(list).stdout(plain()).code(0);
    let always = ["--color", "always", "list", "path:people/Grand"];
    vault
        .run(always)
        .stdout(expect!["␛[36mpeople/Grandmother.md␛[0m"])
        .code(0);
    let never = ["--color", "never", "list", "path:people/Grand"];
    vault.run(never).stdout(plain()).code(0);
}

#[test]
fn invalid_settings_are_reported_and_skipped() {
    let vault = TestVault::indexed("sample");
    vault.write(
        ".mem/config.toml",
        "[sleep]\naply = \"none\"\napply = 3\n[index]\nlanguage = \"elvish\"\n",
    );
    let outcome = vault.run(["list", "path:people/Grand"]).raw();
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "people/Grandmother.md\n")
    );
    let warnings: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(warnings.len(), 3, "{warnings:?}");
    for wanted in [
        "unknown key `sleep.aply`; did you mean `sleep.apply`?",
        "`sleep.apply` to 3; it takes",
        "`index.language` to \"elvish\"; it takes one of",
    ] {
        assert!(
            warnings.iter().any(|warning| warning
                .starts_with("warning: `$VAULT/.mem/config.toml` sets ")
                && warning.contains(wanted)),
            "{wanted}: {warnings:?}"
        );
    }
    vault.write(".mem/config.toml", "[sleep\n");
    let outcome = vault.run(["list", "path:people/Grand"]).raw();
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "people/Grandmother.md\n")
    );
    assert!(
        outcome
            .stderr
            .starts_with("warning: `$VAULT/.mem/config.toml` is ignored: "),
        "{}",
        outcome.stderr
    );
}

/// Makes a folder read-only recursively, until dropped.
struct ReadOnly<'p>(&'p Path);

impl<'p> ReadOnly<'p> {
    fn new(folder: &'p Path) -> Self {
        Self::set(folder, 0o555, 0o444);
        Self(folder)
    }

    fn set(folder: &Path, folders: u32, files: u32) {
        for entry in walkdir::WalkDir::new(folder).contents_first(true) {
            let entry = entry.unwrap();
            let mode = if entry.file_type().is_dir() {
                folders
            } else {
                files
            };
            fs::set_permissions(entry.path(), Permissions::from_mode(mode)).unwrap();
        }
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        Self::set(self.0, 0o755, 0o644);
    }
}

/// Permissions do not bind root, so they cannot be tested as root.
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn read_only_vault_can_be_searched() {
    if is_root() {
        return;
    }
    let vault = TestVault::from("sample");
    let root = vault.path("");
    let _read_only = ReadOnly::new(&root);
    vault
        .run(["index"])
        .stdout(expect!["41 notes: 41 added"])
        .stderr(expect![[r#"
            indexed 41 notes
            warning: could not record this run: cannot use `$VAULT/.mem/state`
        "#]])
        .code(0);
    vault
        .run(["list", "path:people/Grand"])
        .stdout(expect!["people/Grandmother.md"])
        .code(0);
    vault
        .run(["search", "-0", "tieguanyin"])
        .stdout(expect![[r#"
            tea/Oolong.md␀
            [no newline at the end]
        "#]])
        .code(0);
    vault
        .run(["remember", "x"])
        .stderr(expect![[r#"
            error: cannot write `x.md`: permission denied; allow mem to write to its folder
        "#]])
        .code(2);
    let slept: Sleep = vault
        .run(["-q", "sleep", "--all", "--json"])
        .stderr(expect![[r#"
            warning: could not record this run: cannot use `$VAULT/.mem/state`
            warning: could not record this run: cannot use `$VAULT/.mem/state`
            warning: could not record this run: cannot use `$VAULT/.mem/state`
            warning: could not record this run: cannot use `$VAULT/.mem/state`
            warning: no change of dedupe could be applied; see `mem sleep --report`
        "#]])
        .json(1);
    assert_eq!(
        (
            slept.job("dedupe").run.clone(),
            slept.groups()[0].outcome.as_str()
        ),
        (None, "dropped")
    );
    let why = "agents/Anna prefers short release notes.md: read-only; `chmod u+w` allows changes";
    assert_eq!(slept.groups()[0].why.as_deref(), Some(why));
}

#[test]
fn unreadable_note_keeps_its_last_row() {
    if is_root() {
        return;
    }
    let vault = TestVault::of([("a.md", "Old words.\n"), ("folder/b.md", "Other words.\n")]);
    vault.write("a.md", "New words, never read.\n");
    let mode = |path: &str, mode| {
        fs::set_permissions(vault.path(path), Permissions::from_mode(mode)).unwrap();
    };
    mode("a.md", 0o000);
    mode("folder", 0o000);
    let outcome = vault.run(["index"]).raw();
    assert_eq!(
        (outcome.code, outcome.stdout.as_str()),
        (0, "2 notes, no changes\n")
    );
    let warnings: Vec<&str> = outcome.stderr.lines().collect();
    let denied = |name| format!("warning: skipped `{name}`: cannot read it (permission denied)");
    assert_eq!(warnings, [denied("a.md"), denied("folder")]);
    vault
        .run(["list", "words"])
        .stdout(expect![[r#"
            a.md
            folder/b.md
        "#]])
        .code(0);
    vault
        .run(["show", "a"])
        .stderr(expect![[r#"
            error: cannot read `a.md`
            caused by: Permission denied (os error 13)
            hint: run `mem index` to scan the vault again
        "#]])
        .code(2);
    mode("folder", 0o755);
    mode("a.md", 0o644);
    vault
        .run(["index"])
        .stdout(expect!["2 notes: 1 changed"])
        .code(0);
}

#[test]
fn read_only_caches_are_used() {
    if is_root() {
        return;
    }
    let vault = TestVault::indexed("sample");
    let caches = vault.home(".cache");
    let _read_only = ReadOnly::new(&caches);
    vault
        .run(["list", "path:people/Grand"])
        .stdout(expect!["people/Grandmother.md"])
        .code(0);
    vault.write("people/Grandfather.md", "New.\n");
    vault
        .run(["list", "path:people/Grand"])
        .stdout(expect!["people/Grandmother.md"])
        .stderr(expect![[r#"
            warning: answering from a stale index: cannot write to `$CACHE/vault`
        "#]])
        .code(0);
}

#[test]
fn missing_cache_folder_is_named() {
    let vault = TestVault::from("sample");
    fs::write(vault.home(".cache"), "").unwrap();
    vault
        .run(["list"])
        .stderr(expect![[r#"
            error: cannot use the index
            caused by: $CACHE/vault
            caused by: Not a directory (os error 20)
            hint: the index is in your cache folder; `XDG_CACHE_HOME` moves it
        "#]])
        .code(2);
    vault
        .run(["status"])
        .stdout(expect![[r#"
            vault       $VAULT
            index       not built yet: the next search builds it
            jobs        never run, due
        "#]])
        .code(0);
}

#[test]
fn commands_of_other_programs_get_a_tip() {
    let vault = TestVault::empty();
    for (words, tip) in [
        (&["backlinks", "x"][..], "mem related NOTE"),
        (&["-C", ".", "redo"], "mem undo RUN"),
        (&["tag", "rm", "seed"], "mem edit QUERY --untag TAG"),
        (&["todo"], "mem tasks"),
    ] {
        let said = vault.run(words.iter().copied()).raw().stderr;
        assert!(said.contains(&format!("  tip: `{tip}`")), "{said}");
        assert!(!said.contains("similar"), "{said}");
    }
}

#[test]
fn state_folder_may_be_named_through_the_vault() {
    for name in [
        "../state",
        "notes/../../state/new",
        "link",
        "link/../state",
        ".hidden",
    ] {
        let vault = TestVault::indexed("sample");
        fs::create_dir_all(vault.home("elsewhere/state")).unwrap();
        std::os::unix::fs::symlink("../home/elsewhere", vault.path("link")).unwrap();
        let before = vault.tree();
        for change in [&["edit", "Oolong", "--set", "rating=4"][..], &["undo"]] {
            let command = vault.command([&["-q"], change].concat());
            let homes = command.env("XDG_STATE_HOME", vault.path(name));
            let homes = homes.env("XDG_CACHE_HOME", vault.path(name));
            let run = homes.run().raw();
            assert_eq!(
                (run.code, run.stderr.as_str()),
                (0, ""),
                "{name} {change:?}"
            );
        }
        if name != ".hidden" {
            before.assert_same(&vault.tree());
        }
    }
}

#[test]
fn tips_about_flags_and_values_help() {
    let vault = TestVault::indexed("sample");
    for (arguments, tip) in [
        (
            &["edit", "Oolong", "--status", "done"][..],
            "tip: a property is set with `mem edit NOTE --set status=VALUE`",
        ),
        (
            &["rm", "Oolong", "-n"],
            "tip: `--dry-run` previews the changes",
        ),
        (&["dedupe", "-n"], "tip: `--dry-run` previews the changes"),
        (
            &["history", "purge", "1", "-n"],
            "tip: `--dry-run` previews the changes",
        ),
        (
            &["list", "--limt", "3"],
            "tip: a similar argument exists: '--limit'",
        ),
        (
            &["list", "--sort", "creatd"],
            "tip: a similar value exists: 'created'",
        ),
        (
            &["search", "-l"],
            "tip: to pass '-l' as a value, use '-- -l'",
        ),
        (&["list", "--sort", "due"], ""),
        (&["search", "--sort", "title", "tea"], ""),
        (&["undo", "--list"], ""),
    ] {
        let outcome = vault.run(arguments).raw();
        assert_eq!(outcome.code, 2, "{arguments:?}");
        let tips: Vec<&str> = outcome
            .stderr
            .lines()
            .filter(|line| line.contains("tip:"))
            .collect();
        let found = tips.first().map_or("", |line| line.trim());
        assert_eq!((found, tips.len() < 2), (tip, true), "{arguments:?}");
    }
}

//! `mem sync` between clones, with real git over `file://`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use expect_test::expect;

use crate::git::{git, git_in, has_identity, status};
use crate::support::tree::Tree;
use crate::support::{Outcome, TestVault};

const KEY: &str = "The spare key hangs behind the rain barrel.\n\nIt is for the shed.\n";

/// A vault with a remote, on the machine `aaaaaaaa`.
fn first() -> TestVault {
    let vault = TestVault::of([("key.md", KEY), ("other.md", "Nothing.\n"), ("p.png", "0")]);
    machine(&vault, "aaaaaaaa");
    git(&vault, &["init", "-q"]);
    git(&vault, &["add", "."]);
    git(&vault, &["commit", "-q", "-m", "notes"]);
    let remote = vault.home("remote.git");
    let path = remote.to_str().unwrap();
    git(&vault, &["init", "-q", "--bare", path]);
    git(&vault, &["remote", "add", "origin", &url(&vault)]);
    assert_eq!(sync(&vault).code, 0);
    vault
}

fn url(first: &TestVault) -> String {
    format!("file://{}", first.home("remote.git").display())
}

/// A clone on the machine `name`, an hour later.
fn clone_of(first: &TestVault, name: &str) -> TestVault {
    let vault = TestVault::empty();
    machine(&vault, name);
    vault.at("2026-04-01T13:00:00Z");
    fs::remove_dir(vault.path(".mem")).unwrap();
    git(&vault, &["clone", "-q", &url(first), "."]);
    vault
}

fn machine(vault: &TestVault, name: &str) {
    has_identity(vault);
    let state = vault.home(".local/state/mem");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("device"), name).unwrap();
}

fn sync(vault: &TestVault) -> Outcome {
    vault.run(["sync", "--no-sleep"]).raw()
}

/// The files of a vault without those of git and mem.
fn notes(vault: &TestVault) -> Tree {
    Tree::of(&vault.path(""), &[".mem", ".git"])
}

#[track_caller]
fn synced(vault: &TestVault) {
    let ended = sync(vault);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(status(vault).is_empty(), "{:?}", status(vault));
}

#[track_caller]
fn converged(first: &TestVault, second: &TestVault) {
    for vault in [first, second, first] {
        synced(vault);
    }
    let head = |vault| git(vault, &["rev-parse", "HEAD"]);
    assert_eq!(head(first), head(second));
}

#[test]
fn clones_exchange_notes() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    first.edit("key.md", "shed", "garden shed");
    second.write("new.md", "New.\n");
    second.write("two\nlines.md", "Two.\n");
    second.write("main.c", "int main;\n");
    first
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"
            committed 1 file
            pushed 1 commit to origin/main
        "#]])
        .code(0);
    let before = git(&second, &["rev-parse", "HEAD"]);
    second
        .run(["sync", "--no-sleep", "--dry-run"])
        .stdout(expect![[r#"
            would commit 2 files
            would merge 1 commit of origin/main
        "#]])
        .code(0);
    assert_eq!(git(&second, &["rev-parse", "HEAD"]), before);
    second
        .run(["sync", "--no-sleep", "--message", "From the garden"])
        .stdout(expect![[r#"
            committed 2 files
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .code(0);
    // Code stays as it is.
    assert_eq!(status(&second), ["?? main.c"]);
    fs::remove_file(second.path("main.c")).unwrap();
    first
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"merged 2 commits of origin/main"#]])
        .code(0);
    first
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"up to date with origin/main"#]])
        .code(0);
    let log = git(&first, &["log", "--format=%s", "-4"]);
    expect![[r#"
        mem sync: merge 1 commit of origin/main
        From the garden
        mem sync: 1 note of aaaaaaaa
        notes
    "#]]
    .assert_eq(&log);
    converged(&first, &second);
}

#[test]
fn jobs_run_on_one_machine_under_a_lease() {
    let first = first();
    let text = "Sencha is forgiving about the leaf and merciless about the water.\n";
    first.write("tea.md", text);
    first.write("tea 1.md", text);
    first
        .run(["config", "sleep.apply", "all"])
        .stderr(expect![[r#"
            set `sleep.apply = "all"` in `$HOME/.config/mem/config.toml`
        "#]])
        .code(0);
    first
        .run(["sync"])
        .stdout(expect![[r#"
            committed 2 files
            ran the due jobs: 1 change
            pushed 2 commits to origin/main
        "#]])
        .stderr(expect![""])
        .code(0);
    // Nothing is due on the other machine, nor was anything done twice.
    let second = clone_of(&first, "bbbbbbbb");
    second
        .run(["sync"])
        .stdout(expect!["up to date with origin/main"])
        .code(0);
    assert_eq!(
        first.path("tea 1.md").exists(),
        second.path("tea 1.md").exists()
    );
    // A day later all is due; another machine holds the lease.
    second.at("2026-04-02T14:00:00Z");
    let lease = r#"{"device":"cccccccc","until":"2026-04-02T14:10:00Z"}"#;
    let old = git(&second, &["rev-parse", "refs/mem/from/origin/lease"]);
    let tree = git(&second, &["rev-parse", &format!("{}^{{tree}}", old.trim())]);
    let commit = ["commit-tree", tree.trim(), "-p", old.trim(), "-m", lease];
    let commit = git(&second, &commit);
    let to = format!("{}:refs/mem/lease", commit.trim());
    git(&second, &["push", "-q", "origin", &to]);
    second
        .run(["sync"])
        .stdout(expect!["up to date with origin/main"])
        .stderr(expect![[r#"
            machine cccccccc runs the jobs until 2026-04-02 14:10
        "#]])
        .code(0);
    second.at("2026-04-02T14:11:00Z");
    let ended = second.run(["sync", "--json"]).raw();
    assert!(ended.stdout.contains(r#""sleep": "done""#), "{ended:?}");
    converged(&first, &second);
}

#[test]
fn conflicts_keep_both_versions() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    for (vault, name) in [(&first, "Anna"), (&second, "Bert")] {
        vault.edit("key.md", "the shed", &format!("the shed of {name}"));
        vault.write("p.png", &format!("\0{name}"));
        vault.write("both.md", &format!("{name}\n"));
    }
    fs::remove_file(first.path("other.md")).unwrap();
    second.write("other.md", "Something.\n");
    synced(&first);
    second
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"
            committed 4 files
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .stderr(expect![[r#"
            warning: `both.md` has both versions between conflict markers
            warning: `key.md` has both versions between conflict markers
            warning: `other.md` was kept: it was removed or renamed on one side only
            warning: the other version of `p.png` is `p.conflict-b5bd586.png`
            hint: `mem review --kind merge-conflict` asks which version to keep
        "#]])
        .code(0);
    converged(&first, &second);
    first.assert_text(
        "key.md",
        expect![[r#"
            The spare key hangs behind the rain barrel.

            <<<<<<< HEAD
            It is for the shed of Bert.
            =======
            It is for the shed of Anna.
            >>>>>>> origin/main
        "#]],
    );
    assert_eq!(first.read("other.md"), "Something.\n");
    assert_eq!(first.read("p.png"), "\0Bert");
    assert_eq!(first.read("p.conflict-b5bd586.png"), "\0Anna");
    first
        .run(["doctor"])
        .stdout(expect![[r#"
            both.md:1: conflict-markers: contains both versions of a merge; keep one with `mem review` or by hand
            key.md:3: conflict-markers: contains both versions of a merge; keep one with `mem review` or by hand
        "#]])
        .stderr(expect!["2 problems in 2 files"])
        .code(1);
}

#[test]
fn a_conflict_of_a_merge_is_a_question() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    second.run(["-q", "git", "install"]).raw();
    second.run(["-q", "index"]).raw();
    for (vault, name) in [(&first, "Anna"), (&second, "Bert")] {
        vault.edit("key.md", "the shed", &format!("the shed of {name}"));
    }
    synced(&first);
    // No job is enabled.
    second.run(["-q", "config", "rules.enabled", "false"]).raw();
    second
        .run(["sync"])
        .stdout(expect![[r#"
            committed 3 files
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .stderr(expect![[r#"
            warning: `key.md` has both versions between conflict markers
            hint: 1 merge conflict; see `mem review --kind merge-conflict`
        "#]])
        .code(0);
    second
        .run(["sleep"])
        .stdout(expect![[r#"
            all maintenance is off: `rules.enabled` is false; 1 merge conflict; see `mem review --kind merge-conflict`
        "#]])
        .stderr(expect![])
        .code(0);
    second
        .run(["review"])
        .stdout(expect![[r#"
            eacb520e Keep both versions in key.md? (line 3: both sides changed the same words)
              ours: “It is for the shed of Bert.”
              theirs: “It is for the shed of Anna.”
        "#]])
        .stderr(expect![[r#"
            1 question: 1 merge-conflict
            hint: answer one with `mem review accept ID` or `mem review reject ID`
            hint: keep one version with `mem review accept ID --as ours`, or `theirs`
        "#]])
        .code(0);
    let conflict = second.read("key.md");
    let question = second.run(["review", "--json"]).raw().stdout;
    let id = question.split('"').nth(5).unwrap().to_owned();
    // An answer to another text than the one asked about.
    let longer = conflict.replace("of Bert", "of Bertram");
    second.write("key.md", &longer);
    second
        .run(["review", "accept", &id])
        .naming(&id, "$ID")
        .stderr(expect![[r#"
            error: no open question `$ID`
            hint: list open questions with `mem review`; the notes may have changed since
        "#]])
        .code(2);
    assert_eq!(second.read("key.md"), longer);
    second.write("key.md", &conflict);
    let accepted = second.run(["review", "accept", &id, "--as", "theirs"]);
    accepted
        .stdout(expect!["kept theirs in key.md"])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    second.assert_text(
        "key.md",
        expect![[r#"
        The spare key hangs behind the rain barrel.

        It is for the shed of Anna.
    "#]],
    );
    second.run(["undo"]).raw();
    assert_eq!(second.read("key.md"), conflict);
    second
        .run(["review", "accept", &id])
        .stdout(expect!["kept both versions in key.md"])
        .stderr(expect!["hint: undo with `mem undo 757z`"])
        .code(0);
    second
        .run(["review"])
        .stderr(expect!["no open questions"])
        .code(1);
    second
        .run(["sync"])
        .stdout(expect![[r#"
        committed 3 files
        pushed 1 commit to origin/main
    "#]])
        .code(0);
    converged(&first, &second);
    first.assert_text(
        "key.md",
        expect![[r#"
        The spare key hangs behind the rain barrel.

        It is for the shed of Bert.

        It is for the shed of Anna.
    "#]],
    );
}

/// A server that accepts the connection and is silent.
#[test]
fn connections_have_time_limits() {
    let vault = first();
    let bin = vault.home("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(
        bin.join("ssh"),
        "#!/bin/sh\necho \"$@\" > \"$HOME/asked\"\nexit 1\n",
    )
    .unwrap();
    fs::set_permissions(bin.join("ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    git(
        &vault,
        &["remote", "set-url", "origin", "ssh://nowhere/notes"],
    );
    let asked = || {
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let command = vault.command(["sync", "--no-sleep"]);
        assert_eq!(command.env("PATH", path).run().raw().code, 2);
        fs::read_to_string(vault.home("asked")).unwrap()
    };
    let limits = "-o ConnectTimeout=60 -o ServerAliveInterval=20";
    assert!(asked().contains(limits), "{}", asked());
    // The user's command counts.
    git(&vault, &["config", "core.sshCommand", "ssh -x"]);
    assert!(asked().starts_with("-x "), "{}", asked());
    assert!(!asked().contains(limits));
    // A local server; git's own limit is the user's.
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/notes", server.local_addr().unwrap());
    git(&vault, &["remote", "set-url", "origin", &url]);
    git(&vault, &["config", "http.lowSpeedTime", "1"]);
    git(&vault, &["config", "http.lowSpeedLimit", "1"]);
    let ended = sync(&vault);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("Operation too slow"), "{ended:?}");
}

/// The vault is a folder of the repository, and a merge driver prints something.
#[test]
fn conflicts_of_a_vault_below_the_root_keep_both_versions() {
    let first = TestVault::of([("notes/.mem/config.toml", ""), ("notes/key.md", KEY)]);
    machine(&first, "aaaaaaaa");
    fs::remove_dir_all(first.path(".mem")).unwrap();
    first.write("notes/p.png", "\0");
    first.write("notes/main.c", "int main;\n");
    first.write("code.c", "int code;\n");
    first.write("d.csv", "0\n");
    first.write(".gitattributes", "*.csv merge=noisy\n");
    git(&first, &["init", "-q"]);
    git(&first, &["add", "."]);
    git(&first, &["commit", "-q", "-m", "notes"]);
    let remote = first.home("remote.git");
    git(
        &first,
        &["clone", "-q", "--bare", ".", remote.to_str().unwrap()],
    );
    git(&first, &["remote", "add", "origin", &url(&first)]);
    let second = clone_of(&first, "bbbbbbbb");
    let sync = |vault: &TestVault| {
        let ended = vault.run(["-C", "notes", "sync", "--no-sleep"]).raw();
        assert_eq!(ended.code, 0, "{ended:?}");
        assert!(status(vault).is_empty(), "{:?}", status(vault));
        ended
    };
    for (vault, name) in [(&first, "Anna"), (&second, "Bert")] {
        git(
            vault,
            &["config", "merge.noisy.driver", "echo merging; cat %B >> %A"],
        );
        for path in ["notes/p.png", "notes/main.c", "code.c", "d.csv"] {
            vault.edit(path, &vault.read(path), &format!("\0{name}\n"));
        }
        vault.edit("notes/key.md", "the shed", &format!("the shed of {name}"));
        git(vault, &["commit", "-q", "-a", "-m", name]);
    }
    sync(&first);
    expect![[r#"
        warning: the other version of `code.c` is `code.conflict-d54407b.c`
        warning: `key.md` has both versions between conflict markers
        warning: the other version of `main.c` is `main.conflict-d54407b.c`
        warning: the other version of `p.png` is `p.conflict-d54407b.png`
        hint: `mem review --kind merge-conflict` asks which version to keep
    "#]]
    .assert_eq(&sync(&second).stderr);
    sync(&first);
    for path in ["notes/p.png", "notes/main.c", "code.c"] {
        assert_eq!(first.read(path), "\0Bert\n", "{path}");
        let (name, ending) = path.split_once('.').unwrap();
        let copy = format!("{name}.conflict-d54407b.{ending}");
        assert_eq!(first.read(&copy), "\0Anna\n", "{path}");
    }
}

#[test]
fn a_new_note_stays_in_a_folder_whose_only_note_was_removed() {
    let first = first();
    first.write("garden/old.md", "Old.\n");
    synced(&first);
    let second = clone_of(&first, "bbbbbbbb");
    first.run(["-q", "rm", "garden/old.md"]).raw();
    second.write("garden/new.md", "New.\n");
    converged(&first, &second);
    let text = fs::read_to_string(first.path("garden/new.md"));
    assert_eq!(text.unwrap(), "New.\n");
}

#[test]
fn an_edit_follows_a_note_that_was_merged_elsewhere() {
    let first = first();
    first.write("shed.md", "The shed is green.\n");
    synced(&first);
    let second = clone_of(&first, "bbbbbbbb");
    first.run(["-q", "merge", "key", "shed"]).raw();
    assert!(!first.path("shed.md").exists());
    second.edit("shed.md", "green", "red");
    synced(&first);
    second
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"
            committed 1 file
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .stderr(expect![[r#"
            warning: the edit of `shed.md` was made in `key.md`, which absorbed it
        "#]])
        .code(0);
    converged(&first, &second);
    assert!(first.read("key.md").contains("The shed is red.\n"));
    assert!(!first.read("key.md").contains("green"));
    assert!(!first.path("shed.md").exists());
}

#[test]
fn an_edit_follows_a_note_into_one_that_was_removed_elsewhere() {
    let first = first();
    first.write("barn.md", "The barn is green.\n");
    synced(&first);
    let second = clone_of(&first, "bbbbbbbb");
    first.run(["-q", "merge", "key", "barn"]).raw();
    synced(&first);
    second.edit("barn.md", "green", "red");
    fs::remove_file(second.path("key.md")).unwrap();
    second
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"
            committed 2 files
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .stderr(expect![[r#"
            warning: the edit of `barn.md` was made in `key.md`, which absorbed it
            warning: `key.md` was kept: it was removed or renamed on one side only
        "#]])
        .code(0);
    converged(&first, &second);
    assert!(first.read("key.md").contains("The barn is red.\n"));
    assert!(!first.path("barn.md").exists());
}

#[test]
fn a_rewritten_remote_is_refused() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    synced(&second);
    let seen = git(&second, &["rev-parse", "--short=10", "HEAD"]);
    git(&first, &["checkout", "-q", "--orphan", "new"]);
    git(&first, &["commit", "-q", "-m", "rewritten"]);
    git(&first, &["push", "-q", "-f", "origin", "new:main"]);
    second.write("key.md", "Mine.\n");
    let before = notes(&second);
    let refused = |what: &str| {
        let ended = second.run(["sync", "--json"]).failure();
        assert!(
            ended.message.starts_with(&format!("`origin/main` {what}")),
            "{ended:?}"
        );
        let log = format!("compare with `git log {} origin/main`", seen.trim());
        assert!(ended.hints[0].starts_with(&log), "{ended:?}");
        before.assert_same(&notes(&second));
    };
    refused("was rewritten: it no longer contains ");
    let remove = ["update-ref", "-d", "refs/heads/main"];
    git_in(&first, &first.home("remote.git"), &remove);
    refused("was removed: it no longer contains ");
    // The hint restores it.
    let hint = ["update-ref", "-d", "refs/mem/seen/origin/main"];
    git(&second, &hint);
    synced(&second);
    assert_eq!(second.read("key.md"), "Mine.\n");
}

#[test]
fn a_commit_that_only_git_fetched_counts_as_seen() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    synced(&second);
    first.edit("key.md", "shed", "hut");
    synced(&first);
    git(&second, &["pull", "-q"]);
    git(&first, &["rm", "-q", "other.md"]);
    git(&first, &["commit", "-q", "--amend", "-m", "rewritten"]);
    git(&first, &["push", "-q", "-f", "origin", "HEAD:main"]);
    for _ in 0..2 {
        let message = second.run(["sync", "--json"]).failure().message;
        assert!(
            message.starts_with("`origin/main` was rewritten"),
            "{message}"
        );
    }
    assert_eq!(second.read("other.md"), "Nothing.\n");
}

#[test]
fn files_in_the_way_are_named_and_stay() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    second.write("mine.md", "Of the second.\n");
    synced(&second);
    first.write("mine.md", "My only copy.\n");
    fs::write(first.path(".git/info/exclude"), "mine.md\n").unwrap();
    let stopped = |name: &str| {
        let message = first.run(["sync", "--json"]).failure().message;
        assert!(message.starts_with("`git merge` failed"), "{message}");
        assert!(message.contains(&format!("\t{name};")), "{message}");
    };
    stopped("mine.md");
    assert_eq!(first.read("mine.md"), "My only copy.\n");
    fs::remove_file(first.path("mine.md")).unwrap();
    second.write("run.sh", "second\n");
    git(&second, &["add", "run.sh"]);
    git(&second, &["commit", "-q", "-m", "run"]);
    synced(&second);
    first.write("run.sh", "first\n");
    stopped("run.sh");
    fs::remove_file(first.path("run.sh")).unwrap();
    synced(&first);
}

/// `git commit` reads a file for the index and again for the commit.
#[test]
fn a_note_saved_during_the_commit_is_not_left_staged() {
    let first = first();
    fs::write(first.path(".git/info/attributes"), "*.md filter=late\n").unwrap();
    let save = "cat; if test -e .git/index.lock && ! test -e .git/late; \
        then touch .git/late; echo Late. >> key.md; fi";
    git(&first, &["config", "filter.late.clean", save]);
    first.edit("key.md", "shed", "hut");
    synced(&first);
    assert!(first.path(".git/late").exists());
    assert!(git(&first, &["show", "HEAD:key.md"]).ends_with("Late.\n"));
}

#[test]
fn a_shallow_clone_without_a_common_commit_is_named() {
    let first = first();
    let second = TestVault::empty();
    machine(&second, "bbbbbbbb");
    fs::remove_dir(second.path(".mem")).unwrap();
    git(&second, &["clone", "-q", "--depth=1", &url(&first), "."]);
    for text in ["One.\n", "Two.\n"] {
        first.write("key.md", text);
        synced(&first);
    }
    git(&second, &["fetch", "-q", "--depth=1"]);
    second.write("other.md", "Something.\n");
    let failure = second.run(["sync", "--json"]).failure();
    let hint = "the clone is shallow; `git fetch --unshallow` completes it";
    assert_eq!(failure.hints, [hint], "{failure:?}");
    git(&second, &["fetch", "-q", "--unshallow"]);
    converged(&first, &second);
}

#[test]
fn work_of_the_user_in_git_is_respected() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    first.edit("key.md", "shed", "hut");
    synced(&first);
    // Staged and edited since.
    second.write("other.md", "Staged.\n");
    git(&second, &["add", "other.md"]);
    second.write("other.md", "Edited.\n");
    second
        .run(["sync"])
        .stderr(expect![[r#"
            error: nothing was synced: `other.md` is staged and was edited since
            hint: commit it, or unstage it with `git reset`
        "#]])
        .code(2);
    git(&second, &["add", "other.md"]);
    // Other staged files stay staged.
    second.write("main.c", "int main;\n");
    git(&second, &["add", "main.c"]);
    second
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"
            committed 1 file
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .stderr(expect![[r#"
            hint: not notes, so not committed: `main.c`
        "#]])
        .code(0);
    assert_eq!(status(&second), ["A  main.c"]);
    git(&second, &["rm", "-q", "-f", "main.c"]);
    // A merge of the user.
    git(&second, &["checkout", "-q", "-b", "topic"]);
    second.write("other.md", "Topic.\n");
    git(&second, &["commit", "-q", "-m", "topic", "other.md"]);
    git(&second, &["checkout", "-q", "main"]);
    second.write("other.md", "Main.\n");
    git(&second, &["commit", "-q", "-m", "main", "other.md"]);
    let merge = ["merge", "-q", "topic"];
    assert_eq!(git_in(&second, &second.path(""), &merge).code, 1);
    let before = notes(&second);
    second
        .run(["sync"])
        .stderr(expect![[r#"
            error: nothing was synced: a merge is in progress
            hint: see `git status`; finish or abort it first
        "#]])
        .code(2);
    before.assert_same(&notes(&second));
}

fn hook(vault: &TestVault, name: &str, script: &str) -> PathBuf {
    let hook = vault.path(".git/hooks").join(name);
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    hook
}

#[test]
fn hooks_races_and_unreachable_remotes() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    first.write("new.md", "New.\n");
    let failing = hook(&first, "pre-commit", "echo 'too long' >&2; exit 1");
    first
        .run(["sync"])
        .stderr(expect![[r#"
            error: `git commit` failed (exit status: 1): too long
        "#]])
        .code(2);
    assert_eq!(status(&first), ["?? new.md"]);
    fs::remove_file(failing).unwrap();
    // Another machine pushes between merge and push, once.
    second.write("other.md", "Second.\n");
    git(&second, &["commit", "-q", "-am", "second"]);
    let folder = second.path("");
    let push = format!(
        "test -e .git/pushed || {{ touch .git/pushed; unset GIT_DIR; cd {} && git push -q; }}",
        folder.display()
    );
    hook(&first, "pre-push", &push);
    first
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"
            committed 1 file
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .code(0);
    converged(&first, &second);
    fs::rename(first.home("remote.git"), first.home("away")).unwrap();
    first.edit("other.md", "Second", "Third");
    let failure = first.run(["sync", "--json"]).failure();
    assert!(
        failure.message.starts_with("`git fetch` failed"),
        "{failure:?}"
    );
    // Own changes are committed already.
    assert!(status(&first).is_empty());
}

/// A kill while the work tree is moved: some files have their new text, and git's lock is left.
#[test]
fn a_killed_sync_is_completed() {
    let first = first();
    let second = clone_of(&first, "bbbbbbbb");
    synced(&second);
    first.edit("key.md", "shed", "hut");
    first.write("new.md", "New.\n");
    first.write("x/deep.md", "Deep.\n");
    fs::remove_file(first.path("other.md")).unwrap();
    synced(&first);
    git(&second, &["fetch", "-q"]);
    git(&second, &["update-ref", "refs/mem/target", "origin/main"]);
    for path in ["key.md", "new.md"] {
        fs::copy(first.path(path), second.path(path)).unwrap();
    }
    fs::remove_file(second.path("other.md")).unwrap();
    // Staged by a killed `git commit`, and changed since.
    second.write("own.md", "Begun.\n");
    git(&second, &["add", "own.md"]);
    second.write("own.md", "Done.\n");
    // Saved by a person since.
    second.write("x/deep.md", "Mine.\n");
    let vaults = fs::read_dir(second.home(".local/state/mem")).unwrap();
    let mut vaults = vaults.map(|entry| entry.unwrap().path());
    let vault = vaults.find(|path| path.is_dir()).unwrap();
    fs::write(vault.join("syncing"), "").unwrap();
    second.write(".git/index.lock", "");
    second.write(".git/refs/mem/target.lock", "");
    // Of the git that the killed one ran in the remote.
    let locks = ["HEAD.lock", "refs/heads/main.lock"];
    let locks = locks.map(|lock| first.home("remote.git").join(lock));
    for lock in &locks {
        fs::write(lock, "").unwrap();
    }
    second
        .run(["sync", "--no-sleep"])
        .stdout(expect![[r#"
            committed 2 files
            merged 1 commit of origin/main
            pushed 2 commits to origin/main
        "#]])
        .stderr(expect![[r#"
            warning: `x/deep.md` has both versions between conflict markers
            hint: `mem review --kind merge-conflict` asks which version to keep
        "#]])
        .code(0);
    assert!(!locks.iter().any(|lock| lock.exists()));
    converged(&first, &second);
    assert!(!first.path("other.md").exists());
    let deep = first.read("x/deep.md");
    assert!(
        deep.contains("Mine.\n") && deep.contains("Deep.\n"),
        "{deep}"
    );
    // Without a killed sync the lock may belong to another git.
    second.write(".git/index.lock", "");
    let failure = second.run(["sync", "--json"]).failure();
    assert_eq!(
        failure.message,
        "`$VAULT/.git/index.lock` exists: another git is running"
    );
}

#[test]
fn a_run_can_be_undone_on_another_machine() {
    let first = first();
    first.write("shed.md", "The shed is green.\n");
    synced(&first);
    let before = notes(&first);
    first.run(["-q", "merge", "key", "shed"]).raw();
    let run = first.run(["history", "--json"]).raw().stdout;
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    let run = run["runs"][0]["run"].as_str().unwrap().to_owned();
    synced(&first);
    let log = git(
        &first,
        &["log", "-1", "--format=%(trailers:key=Mem-Run,valueonly)"],
    );
    assert_eq!(log.trim(), run);
    let second = clone_of(&first, "bbbbbbbb");
    synced(&second);
    assert_eq!(second.run(["history", &run]).raw().code, 0);
    // Edited where the merge put its text: refused, and elsewhere: kept.
    let merged = second.read("key.md");
    second.edit("key.md", "green", "blue");
    second
        .run(["undo", &run])
        .stdout(expect![[r#"
            undid nothing of merge: merge shed.md into key.md (1 h ago)
              kept: merge shed.md into key.md (key.md: edited since)
        "#]])
        .code(1);
    second.write("key.md", &merged.replace("spare", "second"));
    let ended = second.run(["undo", &run]).raw();
    assert_eq!(ended.code, 0, "{ended:?}");
    assert!(second.read("key.md").contains("second key"));
    second.edit("key.md", "second", "spare");
    before.assert_same(&notes(&second));
    // It is undone there as well, and not twice.
    converged(&first, &second);
    assert_eq!(second.run(["undo", &run]).raw().code, 1);
}

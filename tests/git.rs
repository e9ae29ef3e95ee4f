//! `mem sleep --commit`, with real git. Without git these tests fail: they must not pass by omission.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use expect_test::expect;

use crate::sleep::{BackgroundSleep, held, only_home};
use crate::support::records::{Sleep, Status};
use crate::support::{MEM, Outcome, TestVault};

const KEY: &str = "The spare key of the garden shed hangs behind the rain barrel, on the left.";
const TEA: &str =
    "Sencha is forgiving about the leaf and merciless about the water, so watch it well.";

pub(crate) fn git_in(vault: &TestVault, folder: &Path, arguments: &[&str]) -> Outcome {
    let mut command = Command::new("git");
    vault.prepare(&mut command);
    command
        .current_dir(folder)
        .args(["-c", "core.quotepath=off"])
        .args(arguments);
    let ended = command.output().expect("these tests need git");
    Outcome {
        code: ended.status.code().unwrap(),
        stdout: vault.shown(ended.stdout),
        stderr: vault.shown(ended.stderr),
    }
}

/// Runs git in the vault and returns its output.
pub(crate) fn git(vault: &TestVault, arguments: &[&str]) -> String {
    let ended = git_in(vault, &vault.path(""), arguments);
    assert_eq!(ended.code, 0, "{arguments:?}: {ended:?}");
    ended.stdout
}

pub(crate) fn has_identity(vault: &TestVault) {
    let config = "[user]\nname = Anna\nemail = anna@example.org\n[init]\ndefaultBranch = main\n";
    fs::write(vault.home(".gitconfig"), config).unwrap();
}

/// A vault in git with two pairs of duplicates, all committed.
fn vault() -> TestVault {
    let vault = TestVault::of([
        ("key 1.md", &format!("---\ntags: [shed]\n---\n{KEY}\n")),
        ("key.md", &format!("---\ntags: [garden]\n---\n{KEY}\n")),
        ("shed.md", "See [[key 1|the key]].\n"),
        (
            "tea/[leaf]* 1.md",
            &format!("---\ntitle: Leaf\ntags: [leaf]\n---\n{TEA}\n"),
        ),
        (
            "tea/[leaf]*.md",
            &format!("---\ntitle: Leaf\ntags: [tea]\n---\n{TEA}\n"),
        ),
        ("other.md", "Nothing like the others.\n"),
    ]);
    has_identity(&vault);
    git(&vault, &["init", "-q"]);
    git(&vault, &["add", "."]);
    git(&vault, &["commit", "-q", "-m", "notes"]);
    vault
}

fn sleep(vault: &TestVault, flags: &[&str]) -> Outcome {
    let sleep = ["sleep", "--all", "--apply", "all", "--json"];
    let ended = vault.run([&sleep, flags].concat()).raw();
    Outcome {
        stderr: evened(&ended.stderr),
        ..ended
    }
}

/// Returns the messages about git, with hashes normalised.
fn evened(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !(line.starts_with("hint: ") && line.contains("`mem ")));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let names = regex::Regex::new(r"committed as [0-9a-f]{7,}").unwrap();
    names.replace_all(&text, "committed as ID").into_owned()
}

/// Returns differences of work tree and index to the last commit.
pub(crate) fn status(vault: &TestVault) -> Vec<String> {
    let said = git(
        vault,
        &["status", "--porcelain", "-z", "--no-renames", "-uall"],
    );
    let entries = said.split('\0').filter(|entry| !entry.is_empty());
    entries.map(str::to_owned).collect()
}

/// Returns the files that a commit changed.
fn files_of(vault: &TestVault, commit: &str) -> Vec<String> {
    let show = [
        "show",
        "--no-renames",
        "--format=",
        "--name-status",
        "-z",
        commit,
    ];
    let said = git(vault, &show);
    let parts: Vec<&str> = said.split('\0').filter(|part| !part.is_empty()).collect();
    let device = regex::Regex::new(r"/[0-9a-f]{8}([./])").unwrap();
    let mut files: Vec<String> = parts
        .chunks(2)
        .map(|pair| device.replace(&pair.join(" "), "/DEVICE$1").into_owned())
        .collect();
    files.sort_unstable();
    files
}

fn commits(vault: &TestVault) -> usize {
    git(vault, &["rev-list", "--count", "HEAD"])
        .trim()
        .parse()
        .unwrap()
}

#[test]
fn sleep_commits_its_changes_with_undo_instructions() {
    let vault = vault();
    let ended = sleep(&vault, &["--commit"]);
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (0, "committed as ID: mem sleep: 2 merged\n")
    );
    let said: Sleep = serde_json::from_str(&ended.stdout).unwrap();
    let run = said.job("dedupe").run.clone().unwrap();
    assert_eq!(
        git(&vault, &["log", "-1", "--format=%an <%ae>%n%B"]),
        format!(
            "Anna <anna@example.org>\n\
             mem sleep: 2 merged\n\n\
             dedupe ({run}):\n\
             - merge key 1.md into key.md\n\
             - merge tea/[leaf]* 1.md into tea/[leaf]*.md\n\
             Undo: mem undo {run}\n\n\
             Mem-Run: {run}\n\n"
        )
    );
    assert_eq!(
        files_of(&vault, "HEAD"),
        [
            "A .mem/journal/DEVICE/moves.jsonl".to_owned(),
            format!("A .mem/trash/{run}/key 1.md"),
            format!("A .mem/trash/{run}/tea/[leaf]* 1.md"),
            format!("A .mem/trash/{run}/trash.jsonl"),
            "D key 1.md".to_owned(),
            "D tea/[leaf]* 1.md".to_owned(),
            "M .mem/state/DEVICE.json".to_owned(),
            "M key.md".to_owned(),
            "M shed.md".to_owned(),
            "M tea/[leaf]*.md".to_owned(),
        ]
    );
    assert!(status(&vault).is_empty(), "{:?}", status(&vault));
    // Without changed notes only records are committed, and without those nothing.
    let ended = sleep(&vault, &["--commit=always"]);
    assert_eq!(
        (ended.code, ended.stderr.as_str(), commits(&vault)),
        (0, "committed as ID: mem sleep: records of this device\n", 3)
    );
    assert!(status(&vault).is_empty(), "{:?}", status(&vault));
    vault.run(["sleep", "--commit"]).raw();
    assert_eq!(commits(&vault), 3);
    // Uses of notes are in the journal.
    vault.run(["-q", "show", "shed"]).raw();
    vault.run(["sleep", "--commit"]).raw();
    assert_eq!((status(&vault), commits(&vault)), (Vec::new(), 4));
    // Without the flag git is not used.
    vault.write("key 2.md", &format!("{KEY}\n"));
    assert_eq!(sleep(&vault, &[]).code, 0);
    assert!(!vault.path("key 2.md").exists());
    assert_eq!(commits(&vault), 4);
}

#[test]
fn sleep_commits_the_file_that_keeps_caches_out() {
    let vault = vault();
    vault.write(".mem/.gitignore", "cache/\n");
    assert_eq!(sleep(&vault, &["--commit"]).code, 0);
    let files = files_of(&vault, "HEAD");
    assert!(files.contains(&"A .mem/.gitignore".to_owned()), "{files:?}");
}

#[test]
fn uncommitted_work_of_a_person_is_not_committed() {
    let vault = vault();
    vault.edit("key.md", "tags: [garden]", "tags: [winter]");
    vault.write("other.md", "Staged.\n");
    vault.write("new.md", "Elderberries ripen in August.\n");
    git(&vault, &["add", "other.md", "new.md"]);
    vault.write("other.md", "Begun.\n");
    // The file equals the commit, but another version of it is staged.
    let leaf = vault.read("tea/[leaf]*.md");
    vault.write("tea/[leaf]*.md", "Half of it.\n");
    git(&vault, &["add", "tea/[leaf]*.md"]);
    vault.write("tea/[leaf]*.md", &leaf);
    let before = git(&vault, &["diff", "--cached"]);
    let ended = sleep(&vault, &["--commit"]);
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (
            0,
            "committed as ID: mem sleep: 2 merged\n\
             not committed (contains your own changes): key.md, tea/[leaf]*.md\n"
        )
    );
    assert_eq!(
        status(&vault),
        ["A  new.md", "MM other.md", " M key.md", "MM tea/[leaf]*.md"]
            .iter()
            .map(|entry| (*entry).to_owned())
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
    assert_eq!(git(&vault, &["diff", "--cached"]), before);
    let files = files_of(&vault, "HEAD");
    let notes: Vec<&String> = files.iter().filter(|file| !file.contains(".mem")).collect();
    assert_eq!(notes, ["D key 1.md", "D tea/[leaf]* 1.md", "M shed.md"]);
}

#[test]
fn note_saved_during_the_commit_is_excluded() {
    let vault = vault();
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.exists())
        .expect("these tests need git");
    let script = format!(
        "#!/bin/sh\ntest -e \"$HOME/called\" || echo More. >> {}\n: > \"$HOME/called\"\nexec {} \"$@\"\n",
        vault.path("shed.md").display(),
        real.display()
    );
    let bin = vault.home("bin");
    fs::create_dir_all(&bin).unwrap();
    fs::write(bin.join("git"), script).unwrap();
    fs::set_permissions(bin.join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let command = vault.command(["sleep", "--all", "--apply", "all", "--json", "--commit"]);
    let ended = command.env("PATH", path).run().raw();
    assert_eq!(ended.code, 0, "{ended:?}");
    let left = "not committed (contains your own changes): shed.md\n";
    assert!(ended.stderr.ends_with(left), "{}", ended.stderr);
    assert_eq!(status(&vault), [" M shed.md"]);
    assert!(vault.read("shed.md").ends_with("More.\n"));
}

#[test]
fn untracked_files_stay_untracked() {
    let vault = vault();
    // An ignored copy, an untracked one, and all of mem's own files.
    vault.write(".gitignore", "/.mem\n");
    vault.write(".git/info/exclude", "/00*\n");
    git(&vault, &["rm", "-rq", "--cached", ".mem"]);
    git(&vault, &["add", ".gitignore"]);
    git(&vault, &["commit", "-q", "-m", "ignore"]);
    vault.write("00.md", &format!("{KEY} Oil it in spring.\n"));
    vault.write(
        "tea/[leaf]* 3.md",
        &format!("---\ntitle: Leaf\n---\n{TEA}\n"),
    );
    let ended = sleep(&vault, &["--commit"]);
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (0, "committed as ID: mem sleep: 2 merged\n")
    );
    // The ignored one was kept and received the content of the others; git sees only removals.
    assert_eq!(
        files_of(&vault, "HEAD"),
        [
            "D key 1.md",
            "D key.md",
            "D tea/[leaf]* 1.md",
            "M shed.md",
            "M tea/[leaf]*.md"
        ]
    );
    assert!(!vault.path("tea/[leaf]* 3.md").exists());
    assert!(status(&vault).is_empty(), "{:?}", status(&vault));
    // If the trash is tracked, notes unknown to git are not added there either.
    let vault = self::vault();
    vault.write(
        "tea/[leaf]* 3.md",
        &format!("---\ntitle: Leaf\n---\n{TEA}\n"),
    );
    assert_eq!(sleep(&vault, &["--commit"]).code, 0);
    let files = files_of(&vault, "HEAD").join("\n");
    assert!(files.contains("/key 1.md"), "{files}");
    assert!(
        !files.contains("* 3") && !files.contains("trash.jsonl"),
        "{files}"
    );
}

#[test]
fn clean_mode_requires_a_committed_vault() {
    for (name, prepare) in [
        (
            "other.md",
            (|vault: &TestVault| vault.write("other.md", "Changed.\n")) as fn(&TestVault),
        ),
        ("new 日記.md", |vault| {
            vault.write("new 日記.md", "New.\n");
        }),
        ("other.md", |vault| {
            git(vault, &["rm", "-q", "--cached", "other.md"]);
            vault.write(".git/info/exclude", "other.md\n");
        }),
    ] {
        let vault = vault();
        prepare(&vault);
        let before = vault.tree();
        let ended = vault.run(["sleep", "--all", "--apply", "all", "--commit=clean"]);
        ended
            .naming(name, "$NOTE")
            .stderr(expect![[r#"
                error: nothing was done: `$NOTE` is not committed
                hint: commit it first, or use `--commit=always`
            "#]])
            .code(2);
        before.assert_same(&vault.tree());
        // The warning is repeated after a pause, not every hour.
        let status: Status = vault.run(["status", "--json"]).json(0);
        let dedupe = &status.jobs["dedupe"];
        assert_eq!(dedupe.next_due.as_deref(), Some("2026-04-01T12:10:00Z"));
        assert!(
            dedupe.last_error.as_ref().unwrap().contains(name),
            "{dedupe:?}"
        );
    }
    // Files that are not notes do not matter.
    let vault = vault();
    vault.write("picture.svg", "<svg/>");
    vault.write(".obsidian/x.md", "x");
    let ended = sleep(&vault, &["--commit=clean"]);
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (0, "committed as ID: mem sleep: 2 merged\n")
    );
}

#[test]
fn changes_before_a_signal_are_committed() {
    let vault = vault();
    vault.run(["-q", "sleep", "--only", "index"]).raw();
    let writing = held(&only_home(&vault).join("lock"));
    let mut command = Command::new(MEM);
    command.args(["sleep", "--all", "--apply", "all", "--commit"]);
    let mut sleeping = BackgroundSleep::begin(&vault, command);
    // It merges, and is told to end before it can record the result.
    let recording = held(&only_home(&vault).join("record"));
    drop(writing);
    let is_merged = |_| {
        std::thread::sleep(std::time::Duration::from_millis(5));
        let copies = ["key 1.md", "tea/[leaf]* 1.md"];
        !copies.iter().any(|copy| vault.path(copy).exists())
    };
    assert!((0..2000).any(is_merged));
    sleeping.signal(rustix::process::Signal::TERM);
    drop(recording);
    assert_eq!(sleeping.ended(), Some(143));
    let last = git(&vault, &["log", "-1", "--format=%s"]);
    assert_eq!(last.trim(), "mem sleep: 2 merged");
    let status: Status = vault.run(["status", "--json"]).json(0);
    assert_eq!(status.jobs["conflicts"].runs, 0);
}

#[test]
fn only_the_user_may_enable_commits() {
    let vault = vault();
    vault.write(".mem/config.toml", "[sleep]\ncommit = \"always\"\n");
    let ended = sleep(&vault, &["--dry-run"]);
    assert_eq!(
        ended.stderr,
        "warning: `$VAULT/.mem/config.toml` sets `sleep.commit`; only your own settings can\n"
    );
    fs::remove_file(vault.path(".mem/config.toml")).unwrap();
    fs::create_dir_all(vault.home(".config/mem")).unwrap();
    fs::write(
        vault.home(".config/mem/config.toml"),
        "[sleep]\ncommit = \"always\"\n",
    )
    .unwrap();
    assert_eq!(sleep(&vault, &["--dry-run"]).stderr, "");
    let ended = sleep(&vault, &[]);
    assert_eq!(ended.stderr, "committed as ID: mem sleep: 2 merged\n");
    // The setting is global: a vault outside git is not a problem.
    fs::remove_dir_all(vault.path(".git")).unwrap();
    vault.run(["-q", "undo"]).raw();
    let ended = sleep(&vault, &[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    vault.run(["-q", "undo"]).raw();
    let before = vault.tree();
    let jobs = || vault.run(["status", "--json"]).json::<Status>(0).jobs;
    let runs = || {
        jobs()
            .into_iter()
            .map(|(name, job)| (name, job.runs, job.errors))
            .collect::<Vec<_>>()
    };
    let counted = runs();
    vault
        .run(["sleep", "--all", "--apply", "all", "--commit"])
        .stderr(expect![[r#"
            error: `$VAULT` is not in a git work tree
            hint: run `git init` there, or sleep without `--commit`
        "#]])
        .code(2);
    before.assert_same(&vault.tree());
    assert_eq!(runs(), counted);
}

/// A case: name, preparation of the repository, expected message.
type Case = (&'static str, fn(&TestVault), &'static str);

#[test]
fn no_commit_during_merge_or_rebase() {
    let cases: [Case; 5] = [
        (
            "a rebase",
            |vault| {
                git(vault, &["checkout", "-q", "-b", "topic"]);
                vault.write("other.md", "Mine.\n");
                git(vault, &["commit", "-q", "-am", "mine"]);
                git(vault, &["checkout", "-q", "main"]);
                vault.write("other.md", "Theirs.\n");
                git(vault, &["commit", "-q", "-am", "theirs"]);
                let ended = git_in(vault, &vault.path(""), &["rebase", "-q", "topic"]);
                assert_ne!(ended.code, 0);
            },
            "a rebase is in progress",
        ),
        (
            "a merge",
            |vault| {
                git(vault, &["checkout", "-q", "-b", "topic"]);
                vault.write("new.md", "Mine.\n");
                git(vault, &["add", "new.md"]);
                git(vault, &["commit", "-q", "-m", "mine"]);
                git(vault, &["checkout", "-q", "main"]);
                vault.write("other.md", "Theirs.\n");
                git(vault, &["commit", "-q", "-am", "theirs"]);
                git(vault, &["merge", "-q", "--no-commit", "topic"]);
            },
            "a merge is in progress",
        ),
        (
            "no branch",
            |vault| {
                git(vault, &["checkout", "-q", "--detach"]);
            },
            "no branch is checked out",
        ),
        (
            "no commit",
            |vault| {
                git(vault, &["checkout", "-q", "--orphan", "new"]);
            },
            "the repository has no commits",
        ),
        (
            "a hook that refuses",
            |vault| {
                let hook = vault.path(".git/hooks/pre-commit");
                fs::create_dir_all(hook.parent().unwrap()).unwrap();
                fs::write(&hook, "#!/bin/sh\necho 'too long a line' >&2\nexit 1\n").unwrap();
                fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
            },
            "`git commit` failed (exit status: 1): too long a line",
        ),
    ];
    for (name, prepare, why) in cases {
        let vault = vault();
        prepare(&vault);
        let (head, staged) = (
            git_in(&vault, &vault.path(""), &["rev-parse", "HEAD"]).stdout,
            git(&vault, &["ls-files", "-s"]),
        );
        let ended = vault
            .run(["sleep", "--apply", "all", "--json", "--commit"])
            .raw();
        assert_eq!(ended.code, 2, "{name}: {ended:?}");
        let said = ended.stderr.lines().find(|line| line.starts_with('{'));
        let said: serde_json::Value = serde_json::from_str(said.unwrap()).unwrap();
        assert_eq!(
            said["error"]["message"],
            format!("maintenance ran, but the commit failed: {why}"),
            "{name}"
        );
        let hint = said["error"]["hints"][0].as_str().unwrap();
        assert!(hint.starts_with("undo with `mem undo "), "{hint}");
        // The sleep was applied, and the repository is unchanged.
        assert!(!vault.path("key 1.md").exists(), "{name}");
        assert_eq!(
            (
                git_in(&vault, &vault.path(""), &["rev-parse", "HEAD"]).stdout,
                git(&vault, &["ls-files", "-s"])
            ),
            (head, staged),
            "{name}"
        );
    }
}

#[test]
fn missing_git_or_identity_is_reported() {
    let vault = vault();
    fs::write(vault.home(".gitconfig"), "[user]\nuseConfigOnly = true\n").unwrap();
    let ended = sleep(&vault, &["--commit"]);
    assert_eq!(ended.code, 2);
    assert!(
        ended
            .stderr
            .contains("but the commit failed: `git commit` failed (exit status: 128): "),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("Please tell me who you are"),
        "{}",
        ended.stderr
    );
    assert!(git(&vault, &["diff", "--cached", "--name-only"]).is_empty());
    let vault = self::vault();
    let before = vault.tree();
    for (flag, message) in [
        ("--commit=clean", "nothing was done: cannot run `git`"),
        (
            "--commit",
            "maintenance ran, but the commit failed: cannot run `git`",
        ),
    ] {
        before.assert_same(&vault.tree());
        let command = vault.command(["-q", "sleep", "--all", "--apply", "all", "--json", flag]);
        let ended = command.env("PATH", vault.home("nothing")).run().raw();
        assert_eq!(ended.code, 2, "{ended:?}");
        assert!(ended.stderr.contains(message), "{}", ended.stderr);
    }
    assert!(!vault.path("key 1.md").exists());
}

#[test]
fn vault_can_be_a_subfolder_or_submodule() {
    // The vault is a subfolder of the work tree, which contains other files.
    let vault = TestVault::empty();
    has_identity(&vault);
    let notes = vault.path("docs/my notes");
    for (name, text) in [
        ("a.md", "tags: [x]"),
        ("a 1.md", "tags: [x]"),
        ("b.md", "x: 1"),
    ] {
        let text = if name == "b.md" {
            "See [[a 1]].\n".to_owned()
        } else {
            format!("---\n{text}\n---\n{KEY}\n")
        };
        vault.write(&format!("docs/my notes/{name}"), &text);
    }
    fs::create_dir(notes.join(".mem")).unwrap();
    vault.write("main.c", "int main;\n");
    git(&vault, &["init", "-q"]);
    git(&vault, &["add", "main.c", "docs"]);
    git(&vault, &["commit", "-q", "-m", "all"]);
    vault.write("main.c", "int main(void);\n");
    let sleep = |flag| {
        let command = vault.command(["sleep", "--all", "--apply", "all", "--json", flag]);
        let ended = command.in_folder(&notes).run().raw();
        assert_eq!(ended.code, 0, "{ended:?}");
        evened(&ended.stderr)
    };
    let said = sleep("--commit=clean");
    assert!(
        said.ends_with("committed as ID: mem sleep: 1 merged\n"),
        "{said}"
    );
    let files = files_of(&vault, "HEAD");
    let files: Vec<&String> = files.iter().filter(|file| !file.contains(".mem")).collect();
    assert_eq!(files, ["D docs/my notes/a 1.md", "M docs/my notes/b.md"]);
    assert_eq!(status(&vault), [" M main.c"]);

    // The vault is a submodule: the commit belongs to it, not to the outer repository.
    let vault = self::vault();
    let around = vault.home("around");
    fs::create_dir_all(&around).unwrap();
    let from = vault.path("").to_str().unwrap().to_owned();
    for arguments in [
        &["init", "-q"][..],
        &[
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "--quiet",
            "add",
            &from,
            "sub",
        ],
        &["commit", "-q", "-m", "sub"],
    ] {
        let ended = git_in(&vault, &around, arguments);
        assert_eq!(ended.code, 0, "{ended:?}");
    }
    let sub = around.join("sub");
    let command = vault.command(["sleep", "--apply", "all", "--json", "--commit"]);
    let ended = command.in_folder(&sub).run().raw();
    assert_eq!(ended.code, 0, "{ended:?}");
    let log = git_in(&vault, &sub, &["log", "-1", "--format=%s"]).stdout;
    assert_eq!(log, "mem sleep: 2 merged\n");
    let log = git_in(&vault, &around, &["log", "-1", "--format=%s"]).stdout;
    assert_eq!(log, "sub\n");
}

/// Line endings that git converts do not count as a person's edit.
#[test]
fn line_ending_conversion_by_git_is_recognised() {
    let vault = TestVault::of([
        ("key 1.md", &format!("{KEY}\r\n")),
        (
            "key.md",
            &format!("---\r\ntags: [garden]\r\n---\r\n{KEY}\r\n"),
        ),
    ]);
    has_identity(&vault);
    vault.write(".gitattributes", "*.md text eol=crlf\n");
    git(&vault, &["init", "-q"]);
    git(&vault, &["add", "."]);
    git(&vault, &["commit", "-q", "-m", "notes"]);
    let ended = sleep(&vault, &["--commit=clean"]);
    assert_eq!(
        (ended.code, ended.stderr.as_str()),
        (0, "committed as ID: mem sleep: 1 merged\n")
    );
    assert!(status(&vault).is_empty(), "{:?}", status(&vault));
}

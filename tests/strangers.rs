//! A vault from a stranger: mem reads, writes and waits for nothing outside it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use expect_test::expect;
use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};
use walkdir::WalkDir;

use crate::support::records::{List, Sleep};
use crate::support::{Outcome, TestVault};

/// A folder outside the vault that must not be accessed: files whose access times reveal reads, and
/// a pipe that blocks every reader.
struct Outside {
    folder: PathBuf,
    before: Vec<String>,
}

/// Access time of the files outside.
const LONG_AGO: Duration = Duration::from_secs(1_000_000_000);

impl Outside {
    fn new(vault: &TestVault) -> Self {
        let folder = vault.home("outside");
        for (path, text) in [
            ("secret.md", "The xylophone is outside.\n"),
            ("deep/secret.md", "Another xylophone.\n"),
            ("decisions.jsonl", "xylophone\n"),
            ("data", "xylophone\n"),
        ] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            // An access is recorded if the previous one is older than the last change.
            let times = fs::FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH + LONG_AGO);
            fs::File::options()
                .write(true)
                .open(&path)
                .unwrap()
                .set_times(times)
                .unwrap();
        }
        pipe(&folder.join("pipe.md"));
        Self {
            before: Self::look(&folder),
            folder,
        }
    }

    /// Lists the folder without reading files.
    fn look(folder: &Path) -> Vec<String> {
        WalkDir::new(folder)
            .sort_by_file_name()
            .into_iter()
            .map(|entry| {
                let entry = entry.unwrap();
                let found = entry.metadata().unwrap();
                let changed = found.modified().unwrap();
                let accessed = found.is_file().then(|| found.accessed().unwrap());
                let path = entry.path().display();
                format!("{path} {} {changed:?} {accessed:?}", found.len())
            })
            .collect()
    }

    /// Fails if a file was written or read.
    #[track_caller]
    fn assert_untouched(&self) {
        assert_eq!(Self::look(&self.folder), self.before);
    }
}

fn pipe(path: &Path) {
    let mode = Mode::RUSR | Mode::WUSR;
    mknodat(CWD, path, FileType::Fifo, mode, 0).unwrap();
}

/// All commands that a person may run in a received vault.
pub(crate) const COMMANDS: [&[&str]; 32] = [
    &["index"],
    &["status"],
    &["doctor"],
    &["doctor", "--json"],
    &["doctor", "--fix", "--dry-run"],
    &["list"],
    &["list", "--json"],
    &["search", "xylophone"],
    &["search", "--json", "link:secret"],
    &["show", "a.md"],
    &["show", "--json", "a.md"],
    &["sleep", "--all", "--dry-run"],
    &["sleep", "--all", "--apply", "all"],
    &["dedupe", "--apply", "all"],
    &["conflicts", "--dry-run", "--apply", "all"],
    &["link", "--dry-run", "--json", "--apply", "all"],
    &["graph"],
    &["graph", "a.md", "--json"],
    &["review", "--json", "--all"],
    &["remember", "A fact for a stranger's vault"],
    &["undo"],
    &["edit", "a.md", "--set", "status=seen"],
    &["undo"],
    &["mv", "a.md", "other/a.md"],
    &["undo"],
    &["rm", "a.md"],
    &["trash"],
    &["trash", "--json"],
    &["restore", "a.md"],
    &["history"],
    &["trash", "empty", "--yes"],
    &["index", "--rebuild"],
];

/// Runs everything; each command must end, and fail only with a message.
fn run_everything(vault: &TestVault) -> Vec<Outcome> {
    COMMANDS
        .iter()
        .map(|arguments| {
            let outcome = vault.run(*arguments).raw();
            assert!(
                (0..=2).contains(&outcome.code),
                "{arguments:?}: {outcome:?}"
            );
            assert!(
                !outcome.stderr.contains("panicked"),
                "{arguments:?}: {outcome:?}"
            );
            assert!(
                !outcome.stdout.contains("The xylophone is"),
                "{arguments:?}: {outcome:?}"
            );
            outcome
        })
        .collect()
}

pub(crate) const SAME: &str =
    "The spare key of the garden shed hangs behind the rain barrel, on the left.";

/// Two notes that `sleep` merges, and one that links to them.
pub(crate) fn with_duplicates() -> TestVault {
    TestVault::of([
        ("a.md", &format!("# Key\n\n{SAME}\n")),
        (
            "b.md",
            &format!("---\ntitle: Spare key\n---\n{SAME} Oil it.\n"),
        ),
        ("c.md", "See [[a]] and [[b]].\n"),
    ])
}

#[test]
fn vault_settings_run_nothing_and_access_nothing_outside() {
    let vault = with_duplicates();
    let outside = Outside::new(&vault);
    let pwned = vault.home("pwned");
    let settings = format!(
        "command = \"touch {pwned}\"\n\
         [sleep]\napply = \"all\"\n\
         [remember]\nfolder = \"../home/outside\"\neditor = \"touch {pwned}\"\n\
         [cache]\npath = \"{outside}\"\n\
         [model]\ncommand = \"touch {pwned}\"\nendpoint = \"http://127.0.0.1:9/\"\nkey = \"k\"\n\
         [state]\nhome = \"{outside}\"\n\
         [[hooks]]\nrun = \"touch {pwned}\"\n",
        pwned = pwned.display(),
        outside = outside.folder.display(),
    );
    vault.write(".mem/config.toml", &settings);
    vault.write(
        ".mem/rules.toml",
        &format!("[[rule]]\nrun = \"touch {}\"\n", pwned.display()),
    );
    let outcomes = run_everything(&vault);
    for setting in [
        "sleep.apply",
        "remember.folder",
        "remember.editor",
        "cache.path",
        "model",
    ] {
        assert!(
            outcomes[0].stderr.contains(&format!("`{setting}`")),
            "{outcomes:?}"
        );
    }
    // The vault's setting has no effect: the merge is a question.
    let outcome = vault.run(["-q", "sleep", "--all", "--json"]).raw();
    let sleep: Sleep = serde_json::from_str(&outcome.stdout).unwrap();
    assert_eq!(
        (sleep.groups().len(), sleep.job("dedupe").needs_answer),
        (0, 1)
    );
    assert!(!pwned.exists());
    outside.assert_untouched();
}

#[test]
fn any_settings_file_is_handled() {
    let vault = with_duplicates();
    let outside = Outside::new(&vault);
    let file = vault.path(".mem/config.toml");
    let put: [&dyn Fn(); 6] = [
        &|| symlink(outside.folder.join("data"), &file).unwrap(),
        &|| symlink(outside.folder.join("pipe.md"), &file).unwrap(),
        &|| pipe(&file),
        &|| fs::create_dir(&file).unwrap(),
        &|| fs::write(&file, b"\xff\xfe[sleep]\napply = \"all\"").unwrap(),
        // A terabyte of zeros.
        &|| fs::File::create(&file).unwrap().set_len(1 << 40).unwrap(),
    ];
    for (number, put) in put.into_iter().enumerate() {
        put();
        let outcome = vault.run(["list"]).raw();
        assert_eq!(outcome.code, 0, "{number}: {outcome:?}");
        assert_eq!(outcome.stdout.lines().count(), 3, "{number}: {outcome:?}");
        assert!(
            outcome
                .stderr
                .contains("warning: `$VAULT/.mem/config.toml` is ignored: "),
            "{number}: {outcome:?}"
        );
        let removed = if file.is_dir() {
            fs::remove_dir(&file)
        } else {
            fs::remove_file(&file)
        };
        removed.unwrap();
    }
    outside.assert_untouched();
}

#[test]
fn symlinked_mem_folders_are_not_used() {
    for name in [
        "journal",
        "trash",
        "state",
        "cache",
        "config.toml",
        "journal/0123abcd",
    ] {
        let vault = with_duplicates();
        let outside = Outside::new(&vault);
        if let Some((folder, _)) = name.split_once('/') {
            fs::create_dir(vault.path(".mem").join(folder)).unwrap();
        }
        if name == "cache" {
            vault.write(".mem/config.toml", "[cache]\ninside = true\n");
        }
        // The name of this machine in the journal.
        vault.command(["list"]).run().raw();
        let device = vault.home(".local/state/mem/device");
        fs::create_dir_all(device.parent().unwrap()).unwrap();
        fs::write(device, "0123abcd\n").unwrap();
        let own = vault.path(".mem").join(name);
        let _ = fs::remove_dir_all(&own);
        symlink(&outside.folder, own).unwrap();
        run_everything(&vault);
        // An answer is the only entry in the journal.
        vault
            .run(["review", "reject", "--all", "--min-chance", "0"])
            .raw();
        outside.assert_untouched();
        for note in ["a.md", "b.md", "c.md"] {
            assert!(vault.path(note).exists(), "{name}: {note} is gone");
        }
    }
}

#[test]
fn cache_shipped_with_the_vault_is_not_used() {
    let vault = with_duplicates();
    vault.write(".mem/config.toml", "[cache]\ninside = true\n");
    let cache = vault.path(".mem/cache");
    let outside = Outside::new(&vault);
    // A stranger's files where mem writes, and another vault of theirs.
    let theirs = TestVault::indexed("sample");
    let name = theirs.index().file_name().unwrap().to_owned();
    copy(&theirs.cache(), &cache);
    for file in ["lock", "CACHEDIR.TAG"] {
        fs::remove_file(cache.join(file)).unwrap();
        symlink(outside.folder.join("data"), cache.join(file)).unwrap();
    }
    let boot = cache.join(&name).join("boot");
    let _ = fs::remove_file(&boot);
    symlink(outside.folder.join("new"), boot).unwrap();
    vault
        .run(["list"])
        .stdout(expect![[r#"
            a.md
            b.md
            c.md
        "#]])
        .stderr(expect!["indexed 3 notes"])
        .code(0);
    // This one is mem's own, and is used.
    vault
        .run(["list"])
        .stdout(expect![[r#"
            a.md
            b.md
            c.md
        "#]])
        .code(0);
    run_everything(&vault);
    outside.assert_untouched();
}

/// Copies a folder of files.
fn copy(from: &Path, to: &Path) {
    for entry in WalkDir::new(from) {
        let entry = entry.unwrap();
        let target = to.join(entry.path().strip_prefix(from).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(target).unwrap();
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn links_ids_and_titles_stay_in_the_vault() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\nid: ../../home/outside/evil\ntitle: ../../home/outside/secret\n\
             aliases: [/etc/passwd, \"file:///etc/passwd\"]\n\
             related_to: [\"[[../home/outside/secret]]\", \"[[/etc/passwd]]\"]\n\
             mem: {by: ../../home/outside, seal: 0000000000000000}\n---\n\
             [[../home/outside/secret]] ![](../home/outside/secret.md) [x](file:///etc/passwd)\n\
             [y](http://127.0.0.1:9/) ![[../home/outside/pipe.md]] [z](../../../../etc/passwd)\n",
        ),
        (
            "copy of a.md",
            "---\nid: ../../home/outside/evil\ntitle: ../../home/outside/secret\n---\n\
             [[../home/outside/secret]] ![](../home/outside/secret.md) [x](file:///etc/passwd)\n\
             [y](http://127.0.0.1:9/) ![[../home/outside/pipe.md]] [z](../../../../etc/passwd)\n",
        ),
    ]);
    let outside = Outside::new(&vault);
    for (link, to) in [
        ("out", ""),
        ("linked.md", "secret.md"),
        ("pipe.md", "pipe.md"),
    ] {
        symlink(outside.folder.join(to), vault.path(link)).unwrap();
    }
    run_everything(&vault);
    for name in [
        "out/secret.md",
        "linked.md",
        "linked",
        "pipe.md",
        "../home/outside/secret.md",
        "../home/outside/pipe.md",
    ] {
        let outcome = vault.run(["show", name]).raw();
        assert!(
            !outcome.stdout.contains("is outside"),
            "{name}: {outcome:?}"
        );
        let outcome = vault.run(["index", name]).raw();
        assert!(!outcome.stdout.contains("added"), "{name}: {outcome:?}");
    }
    for arguments in [
        &["remember", "One", "--title", "../../home/outside/new"][..],
        &["remember", "Two", "--title", "/etc/passwd"],
        &["remember", "Three", "--in", "out"],
        &["remember", "Four", "--in", "out/deep"],
        &["remember", "Five", "--set", "id=../../x", "--alias", "../x"],
        &["mv", "a.md", "out/new.md"],
        &["mv", "a.md", "../home/outside/new.md"],
        &["mv", "a.md", "/tmp/new.md"],
        &["rm", "out/secret.md"],
        &["rm", "linked.md"],
        &["edit", "linked.md", "--set", "a=b"],
        &["edit", "out/secret.md", "--set", "a=b"],
        &["restore", "../home/outside/secret.md"],
    ] {
        vault.run(arguments).raw();
    }
    outside.assert_untouched();
    // They are found by name, in the vault.
    vault.run(["-q", "show", "--json", "/etc/passwd"]).raw();
}

#[test]
fn special_files_are_reported_and_never_opened() {
    let vault = TestVault::of([("a.md", "A xylophone inside.\n")]);
    let outside = Outside::new(&vault);
    let at = |name: &str| vault.path(name);
    fs::create_dir_all(at("d")).unwrap();
    fs::create_dir_all(at(".obsidian")).unwrap();
    for name in ["pipe.md", ".gitignore", "d/.ignore", ".obsidian/app.json"] {
        pipe(&at(name));
    }
    symlink(outside.folder.join("data"), at(".memignore")).unwrap();
    for (name, to) in [
        ("loop 1.md", "loop 2.md"),
        ("loop 2.md", "loop 1.md"),
        ("d/up", ".."),
        ("self", "."),
        ("passwd.md", "/etc/passwd"),
        ("none.md", "nowhere"),
    ] {
        symlink(to, at(name)).unwrap();
    }
    let _socket = std::os::unix::net::UnixListener::bind(at("socket.md")).unwrap();
    let mut named = vec![
        (".gitignore", "cannot read it (not a regular file)"),
        (".memignore", "cannot read it (not a regular file)"),
        (".obsidian/app.json", "cannot read it (not a regular file)"),
        ("d/.ignore", "cannot read it (not a regular file)"),
        ("d/up", "it is a symbolic link"),
        ("loop 1.md", "it is a symbolic link"),
        ("loop 2.md", "it is a symbolic link"),
        ("none.md", "it is a symbolic link"),
        ("passwd.md", "it is a symbolic link"),
        ("pipe.md", "it is not a regular file"),
        ("self", "it is a symbolic link"),
        ("socket.md", "it is not a regular file"),
    ];
    // Only root may create devices.
    let mode = Mode::RUSR | Mode::WUSR;
    if mknodat(
        CWD,
        at("zero.md"),
        FileType::CharacterDevice,
        mode,
        makedev(1, 5),
    )
    .is_ok()
    {
        named.push(("zero.md", "it is not a regular file"));
    }
    let expected: Vec<String> = named
        .iter()
        .map(|(name, why)| format!("warning: skipped `{name}`: {why}\n"))
        .collect();
    vault
        .run(["-q", "index"])
        .stdout(expect!["1 note, no changes"])
        .stderr(expected.concat())
        .code(0);
    run_everything(&vault);
    outside.assert_untouched();
}

#[test]
fn names_are_sanitised_on_screen_and_exact_in_json() {
    use std::os::unix::ffi::OsStrExt as _;
    let names = [
        "bidi\u{202e}gnp.md",
        "zero\u{200b}width.md",
        "line\u{2028}separator.md",
        "\u{feff}mark.md",
        "-n.md",
        "--help.md",
        "a`b$(touch x)'\".md",
    ];
    let vault = TestVault::empty();
    for name in names {
        vault.write(name, &format!("A note called {} letters.\n", name.len()));
    }
    for name in [
        &b"bad\xff\xfe.md"[..],
        b"esc\x1b[31m.md",
        b"line\nerror: faked.md",
        b"del\x7f.md",
    ] {
        fs::write(
            vault.path("").join(std::ffi::OsStr::from_bytes(name)),
            "Hidden.\n",
        )
        .unwrap();
    }
    vault
        .run(["-q", "index"])
        .stdout(expect!["7 notes: 7 added"])
        .stderr(expect![[r#"
            warning: skipped `bad��.md`: its name is not UTF-8
            warning: skipped `del\u{7f}.md`: its name contains control characters
            warning: skipped `esc\u{1b}[31m.md`: its name contains control characters
            warning: skipped `line\u{a}error: faked.md`: its name contains control characters
        "#]])
        .code(0);
    let mut expected: Vec<&str> = names.to_vec();
    expected.sort_unstable();
    let list: List = vault.run(["list", "--json"]).json(0);
    let found: Vec<&str> = list.notes.iter().map(|note| note.path.as_str()).collect();
    assert_eq!(found, expected);
    let zeros = vault.run(["list", "-0"]).raw();
    let found: Vec<&str> = zeros.stdout.split_terminator('\0').collect();
    assert_eq!(found, expected);
    for name in names {
        let outcome = vault.run(["show", "--", name]).raw();
        assert_eq!(outcome.stdout, vault.read(name), "{name}: {outcome:?}");
    }
    // A requested name appears in the error, on one line.
    let outcome = vault.run(["show", "no\nwarning: faked\u{1b}[31m"]).raw();
    assert!(!outcome.stderr.contains('\u{1b}'), "{outcome:?}");
    assert!(
        !outcome
            .stderr
            .lines()
            .any(|line| line.starts_with("warning")),
        "{outcome:?}"
    );
}

#[test]
fn any_journal_and_trash_content_is_handled() {
    use std::os::unix::ffi::OsStrExt as _;
    let vault = with_duplicates();
    let outside = Outside::new(&vault);
    let own = vault.path(".mem");
    let evil = own
        .join("journal")
        .join(std::ffi::OsStr::from_bytes(b"evil\xff\n\x1b[31m"));
    for folder in [&evil, &own.join("journal/dev"), &own.join("journal/big")] {
        fs::create_dir_all(folder).unwrap();
    }
    pipe(&evil.join("decisions.jsonl"));
    symlink(&outside.folder, own.join("journal/link")).unwrap();
    let long = "x".repeat(1_000_000);
    let lines: [&[u8]; 6] = [
        b"\xff\xfe\x00\n",
        b"{\"key\":\"../../x\",\"kind\":\"merge\"}\n",
        b"{\"key\":\"0000000000000001\",\"kind\":\"merge\",\"answer\":\"yes\",\"at\":\"2026-01-01T00:00:00Z\",\"by\":\"x\",\"about\":[\"../../home/outside/secret.md\"]}\n",
        long.as_bytes(),
        b"\n",
        b"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
    ];
    fs::write(own.join("journal/dev/decisions.jsonl"), lines.concat()).unwrap();
    let nested = "[".repeat(100_000) + "\n{\"key\":";
    fs::write(own.join("journal/big/decisions.jsonl"), nested).unwrap();
    fs::create_dir_all(own.join("state")).unwrap();
    fs::write(own.join("state/0123abcd.json"), "{{{").unwrap();
    let run = own.join("trash/20260101-000000-aaaa");
    fs::create_dir_all(&run).unwrap();
    fs::write(
        run.join("trash.jsonl"),
        "{\"path\":\"../../../home/outside/secret.md\",\"reason\":\"\",\"at\":\"\",\"job\":\"\"}\n\u{0}",
    )
    .unwrap();
    symlink(&outside.folder, run.join("folder")).unwrap();
    symlink(&outside.folder, own.join("trash/20260101-000000-bbbb")).unwrap();
    fs::write(run.join(std::ffi::OsStr::from_bytes(b"\xff\x1b.md")), "x").unwrap();
    let before = vault.tree();
    let outcomes = run_everything(&vault);
    for outcome in outcomes {
        assert!(outcome.code < 2, "{outcome:?}");
    }
    outside.assert_untouched();
    before.assert_same(&vault.tree());
}

#[test]
fn vault_settings_remove_no_forgotten_note() {
    let vault = TestVault::of([(
        ".mem/config.toml",
        "[forget]\nevery = \"1h\"\nfrom = \"working\"\ntrash = \"1d\"\n",
    )]);
    vault
        .run(["config", "forget.trash"])
        .stdout(expect!["off"])
        .stderr(expect![])
        .code(0);
}

//! Unattended runs skip notes that are being edited.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, SystemTime};

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Dedupe, Sleep, Status};
use crate::support::terminal::Terminal;

const BODY: &str = "The spare key of the garden shed hangs behind the rain barrel, on the left.";

/// Two duplicates, a note that links to the removed one, and two other duplicates.
fn vault() -> TestVault {
    let tea = "Sencha is forgiving about the leaf and merciless about the water, so watch it well.";
    TestVault::of([
        ("key 1.md", &format!("{BODY}\n")),
        ("key.md", &format!("---\ntags: [garden]\n---\n{BODY}\n")),
        ("shed.md", "See [[key 1|the key]].\n"),
        ("tea/leaf 2.md", &format!("{tea}\n")),
        ("tea/leaf.md", &format!("---\ntags: [tea]\n---\n{tea}\n")),
    ])
}

/// Writes the beginning of a vim swap file with process id and host.
fn swap_file(place: &Path, process: u32, host: &str) {
    let mut bytes = b"b0VIM 9.0\0\0\0\0\x10\0\0\x21\xe1\x01\x6b\xf5\xc1\x98\0".to_vec();
    bytes.extend(process.to_le_bytes());
    bytes.extend(b"anna");
    bytes.resize(68, 0);
    bytes.extend(host.as_bytes());
    bytes.resize(4096, 0);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, bytes).unwrap();
}

fn host() -> String {
    let name = rustix::system::uname();
    name.nodename().to_str().unwrap().to_owned()
}

/// Returns the id of a process that ended.
fn dead() -> u32 {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

const SLEEP: [&str; 6] = ["-q", "sleep", "--all", "--json", "--apply", "all"];

/// Returns the removed notes and those postponed.
fn sleep(vault: &TestVault, flags: &[&str]) -> (Vec<String>, Vec<String>) {
    let before = vault.tree();
    let sleep: Sleep = vault.run([&SLEEP, flags].concat()).json(0);
    let changes = before.changes(&vault.tree()).into_iter();
    let gone = changes.filter(|change| change.starts_with("- ")).collect();
    let busy = sleep.jobs.iter().flat_map(|job| &job.busy);
    let words = busy.map(|busy| match (&busy.open_in, busy.saved_seconds_ago) {
        (Some(editor), None) => format!("{}: {editor}", busy.path),
        (None, Some(seconds)) => format!("{}: {seconds} s", busy.path),
        _ => panic!("{busy:?}"),
    });
    (gone, words.collect::<BTreeSet<_>>().into_iter().collect())
}

#[test]
fn merge_waits_for_the_editor() {
    let vault = vault();
    // For each note involved: the removed one, the kept one, the linking one.
    for note in ["key 1", "key", "shed"] {
        let swap = vault.path(&format!(".{note}.md.swp"));
        swap_file(&swap, std::process::id(), &host());
        let (gone, left) = sleep(&vault, &["--dry-run"]);
        assert_eq!((gone.len(), left), (0, vec![format!("{note}.md: vim")]));
        let dedupe: Dedupe = vault
            .run(["-q", "dedupe", "--json", "--dry-run", "--apply", "all"])
            .json(0);
        assert_eq!((dedupe.groups.len(), dedupe.busy.len()), (1, 1), "{note}");
        fs::remove_file(swap).unwrap();
    }
    let swap = vault.path(".shed.md.swp");
    swap_file(&swap, std::process::id(), &host());
    assert_eq!(
        sleep(&vault, &[]),
        (
            vec!["- tea/leaf 2.md".to_owned()],
            vec!["shed.md: vim".to_owned()]
        )
    );
    vault
        .run(["dedupe", "--apply", "all"])
        .stderr(expect!["skipped for now: shed.md is open in vim"])
        .code(0);
    fs::remove_file(swap).unwrap();
    // Not in a day, but as soon as a sleep that resumes may be due.
    let status: Status = vault.run(["status", "--json"]).json(0);
    let dedupe = &status.jobs["dedupe"];
    assert_eq!(dedupe.next_due.as_deref(), Some("2026-04-01T12:30:00Z"));
    // It was found before and is applied now, although no note changed since.
    assert_eq!(
        sleep(&vault, &[]),
        (vec!["- key 1.md".to_owned()], Vec::new())
    );
}

#[test]
fn swap_file_of_a_crashed_editor_is_ignored() {
    let vault = vault();
    swap_file(&vault.path(".key.md.swp"), dead(), &host());
    symlink(
        format!("anna@{}.{}:1", host(), dead()),
        vault.path("tea/.#leaf.md"),
    )
    .unwrap();
    assert_eq!(
        sleep(&vault, &[]),
        (
            vec!["- key 1.md".to_owned(), "- tea/leaf 2.md".to_owned()],
            Vec::new()
        )
    );
}

#[test]
fn swap_folder_of_neovim_is_checked() {
    let vault = vault();
    let name = vault.path("key.md").to_str().unwrap().replace('/', "%");
    let folder = vault.home(".local/state/nvim/swap");
    swap_file(&folder.join(name + ".swp"), std::process::id(), &host());
    symlink(
        format!("anna@{}.{}:1", host(), std::process::id()),
        vault.path("tea/.#leaf.md"),
    )
    .unwrap();
    assert_eq!(
        sleep(&vault, &[]),
        (
            Vec::new(),
            vec!["key.md: vim".to_owned(), "tea/leaf.md: emacs".to_owned()]
        )
    );
}

/// Saves a note with a time this many seconds before the tests' now.
fn saved(vault: &TestVault, note: &str, seconds: u64) {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_775_044_800);
    let file = fs::File::options().write(true).open(vault.path(note));
    let then = now - Duration::from_secs(seconds);
    file.unwrap().set_modified(then).unwrap();
}

#[test]
fn recently_saved_note_is_skipped_by_setting() {
    let vault = vault();
    for note in ["key 1.md", "key.md", "shed.md", "tea/leaf 2.md"] {
        saved(&vault, note, 3600);
    }
    saved(&vault, "tea/leaf.md", 150);
    assert_eq!(
        sleep(&vault, &["--idle", "5m"]),
        (
            vec!["- key 1.md".to_owned()],
            vec!["tea/leaf.md: 150 s".to_owned()]
        )
    );
    vault.write(".mem/config.toml", "[sleep]\nidle = \"1h 30m\"\n");
    let busy = vec!["tea/leaf.md: 150 s".to_owned()];
    assert_eq!(sleep(&vault, &[]), (Vec::new(), busy));
    assert_eq!(
        sleep(&vault, &["--idle", "2m"]),
        (vec!["- tea/leaf 2.md".to_owned()], Vec::new())
    );
    vault
        .run(["sleep", "--idle", "soon"])
        .stderr(expect![[r#"
            error: invalid value 'soon' for '--idle <TIME>': expected a duration like 10m, 90s or 1h 30m

            For more information, try '--help'.
        "#]])
        .code(2);
}

#[test]
fn explicit_decision_warns_about_open_note() {
    let vault = vault();
    swap_file(&vault.path(".key.md.swp"), std::process::id(), &host());
    let arguments = ["review", "--where", "path:key"];
    let mut terminal = Terminal::start(&vault, [80, 24], &arguments);
    terminal.wait("[y n e d s u a q ?]");
    let screen = terminal.contents();
    assert!(
        screen.contains("\nnote: key.md is open in vim\n"),
        "{screen}"
    );
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}

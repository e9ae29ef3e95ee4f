//! `mem sleep`

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use expect_test::{Expect, expect};
use rustix::process::{Pid, Signal, kill_process};

use crate::support::records::{Search, Sleep, Status};
use crate::support::{MEM, TestVault, job_names};

#[test]
fn unattended_runs_change_only_managed_notes() {
    let vault = TestVault::from("sample");
    let before = vault.tree();
    vault
        .run(["sleep", "-v"])
        .stdout(expect![[r#"
            index       41 notes: 41 added
            dedupe      10 pairs compared: 1 merged, 2 open
            merged agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              reason: same title, 100 % of the wording is the same
            conflicts   100 pairs compared: 2 open
            link        11 pairs compared: 2 open
            nothing to do for spaces, associate, cluster, consolidate, split, decay, views, settle
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
            2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md? (“not use Redis to”; 2026-03-01 is newer than 2025-10-02)
            2a184324 Does inbox/Dev server.md replace work/Dev server.md? (“9090” / “8080”; 2026-03-11 is newer than 2025-11-03)
        "#]])
        .stderr(expect![[r#"
            $TIME index started
            indexed 41 notes
            $TIME index finished: 41 notes: 41 added ($SECONDS s)
            $TIME dedupe started
            $TIME dedupe finished: 10 pairs compared: 1 merged, 2 open ($SECONDS s)
            $TIME conflicts started
            $TIME conflicts finished: 100 pairs compared: 2 open ($SECONDS s)
            $TIME link started
            $TIME link finished: 11 pairs compared: 2 open ($SECONDS s)
            $TIME spaces started
            $TIME spaces finished: 39 notes checked: nothing to do ($SECONDS s)
            $TIME associate started
            $TIME associate finished: 1 pair compared: nothing to do ($SECONDS s)
            $TIME cluster started
            $TIME cluster finished: 2 notes checked: nothing to do ($SECONDS s)
            $TIME consolidate started
            $TIME consolidate finished: 0 clusters looked at: nothing to do ($SECONDS s)
            $TIME split started
            $TIME split finished: 2 notes looked at: nothing to do ($SECONDS s)
            $TIME decay started
            $TIME decay finished: 2 notes checked: nothing to do ($SECONDS s)
            $TIME views started
            $TIME views finished: 0 lists checked: nothing to do ($SECONDS s)
            $TIME settle started
            $TIME settle finished: 2 notes checked: 0 settled ($SECONDS s)
            hint: undo with `mem undo 757x`
            hint: 3 questions, 3 suggestions; run `mem review`
        "#]])
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
fn dry_run_shows_changes_and_reasons() {
    let body = "The spare key of the garden shed hangs behind the rain barrel, on the left.";
    let vault = TestVault::of([
        ("key 1.md", &format!("{body}\n")),
        ("key.md", &format!("---\ntags: [garden]\n---\n{body}\n")),
        ("shed.md", "See [[key 1|the key]].\n"),
    ]);
    vault
        .run(["sleep", "--dry-run", "--apply", "all"])
        .stdout(expect![[r#"
            index       3 notes, no changes
            dedupe      1 pair compared: 1 to be merged
            would merge key 1.md into key.md
              reason: same text
            --- a/shed.md
            +++ b/shed.md
            @@ -1 +1 @@
            -See [[key 1|the key]].
            +See [[key|the key]].
            --- a/key 1.md
            +++ /dev/null
            @@ -1 +0,0 @@
            -The spare key of the garden shed hangs behind the rain barrel, on the left.
            already in key.md: 1 block of key 1.md
              The spare key of the garden shed hangs behind the rain barrel, on the left.
            nothing to do for conflicts, link, spaces, associate, cluster, consolidate, split, decay, views, settle
        "#]])
        .code(0);
}

#[test]
fn no_job_runs_while_settings_are_ignored() {
    let vault = TestVault::indexed("sample");
    let refusal = "error: no job runs while settings are ignored, because they may disable it\n\
                   hint: correct what the warning names; `mem config NAME` describes a setting\n";
    for (text, warning) in [
        (
            "sleep.apply = \"none\"\nreview.daily = ten\n",
            "`$VAULT/.mem/config.toml` is ignored: line 2: invalid value; a text needs quotes",
        ),
        (
            "sleep.apply = none\n",
            "`$VAULT/.mem/config.toml` is ignored: line 1: invalid value; a text needs quotes",
        ),
        (
            "sleep.apply = \"non\"\n",
            "`$VAULT/.mem/config.toml` sets `sleep.apply` to \"non\"; it takes \"managed\", \"all\" or \"none\"",
        ),
    ] {
        vault.write(".mem/config.toml", text);
        for job in ["sleep", "dedupe", "decay", "settle", "judge"] {
            let outcome = vault.run([job]).raw();
            let expected = (2, "", format!("warning: {warning}\n{refusal}"));
            let seen = (
                outcome.code,
                outcome.stdout.as_str(),
                outcome.stderr.clone(),
            );
            assert_eq!(seen, expected, "{text}: {job}");
        }
        // A preview and other commands only warn.
        for command in [&["-q", "sleep", "--all", "--dry-run"][..], &["list"]] {
            let outcome = vault.run(command.iter().copied()).raw();
            let seen = (outcome.code, outcome.stderr.as_str());
            assert_eq!(seen, (0, &*format!("warning: {warning}\n")), "{text}");
        }
    }
    vault.write(".mem/config.toml", "sleep.apply = \"none\"\n");
    vault.run(["-q", "sleep"]).stderr(expect![]).code(0);
}

#[test]
fn setting_limits_unattended_changes() {
    let vault = TestVault::indexed("sample");
    let groups = |setting: Option<&str>, flag: Option<&str>, stderr: Expect| {
        let mut arguments = vec!["-q", "sleep", "--json", "--dry-run"];
        arguments.extend(flag.map(|flag| ["--apply", flag]).into_iter().flatten());
        let mut command = vault.command(arguments);
        if let Some(setting) = setting {
            command = command.env("MEM_SLEEP_APPLY", setting);
        }
        let sleep: Sleep = command.run().stderr(stderr).json(0);
        let groups = sleep.groups();
        let merges = groups
            .iter()
            .filter(|group| group.title.starts_with("merge"));
        (merges.count(), sleep.job("dedupe").needs_answer)
    };
    assert_eq!(groups(None, None, expect![]), (1, 2));
    assert_eq!(groups(Some("all"), None, expect![]), (2, 1));
    assert_eq!(groups(Some("all"), Some("none"), expect![]), (0, 3));
    vault.write(".mem/config.toml", "[sleep]\napply = \"none\"\n");
    assert_eq!(groups(None, None, expect![]), (0, 3));

    // A vault cannot request more than the user allows.
    vault.write(".mem/config.toml", "[sleep]\napply = \"all\"\n");
    let warning = expect![[r#"
        warning: `$VAULT/.mem/config.toml` sets `sleep.apply` to "all"; a vault may only lower it
    "#]];
    assert_eq!(groups(None, None, warning), (1, 2));
    std::fs::create_dir_all(vault.home(".config/mem")).unwrap();
    std::fs::write(
        vault.home(".config/mem/config.toml"),
        "[sleep]\napply = \"all\"\n",
    )
    .unwrap();
    assert_eq!(groups(None, None, expect![]), (2, 1));
}

#[test]
fn empty_vault_needs_no_work() {
    let vault = TestVault::empty();
    let report: Option<Sleep> = vault.run(["-q", "sleep", "--report", "--json"]).json(1);
    assert!(report.is_none());
    vault.run(["-q", "sleep"]).code(0);
    vault
        .run(["sleep", "--report"])
        .stdout(expect![[r#"
            2026-04-01 12:00
            index       0 notes, no changes
            nothing to do for dedupe, conflicts, link, spaces, associate, cluster, consolidate, split, decay, views, settle
        "#]])
        .code(0);
    let vault = TestVault::of([("a.md", "Alone.\n")]);
    let sleep: Sleep = vault.run(["sleep", "--json"]).json(0);
    assert_eq!(sleep.index.as_ref().unwrap().notes, 1);
    assert_eq!(sleep.jobs.len(), job_names().len() + 1);
    assert_eq!(sleep.job("dedupe").run, None);
    let sleep: Vec<Sleep> = vault.run(["sleep", "--all", "--jsonl"]).jsonl(0);
    assert_eq!(sleep.len(), 1);
    // Names of these jobs in other systems.
    let elsewhere = "index_updater,duplicate_merger,auto_linker";
    let sleep: Sleep = vault
        .run(["sleep", "--json", "--all", "--only", elsewhere])
        .json(0);
    let jobs: Vec<&str> = sleep.jobs.iter().map(|job| job.job.as_str()).collect();
    assert_eq!(jobs, ["index", "dedupe", "link"]);
    assert_eq!(vault.run(["auto_linker", "--json"]).raw().code, 0);
    vault
        .run(["sleep", "--apply", "some"])
        .stderr(expect![[r#"
            error: invalid value 'some' for '--apply <WHICH>'
              [possible values: none, managed, all]

            For more information, try '--help'.
        "#]])
        .code(2);
}

/// Returns the jobs that a sleep ran, without the index, and whether it scanned the whole vault.
fn ran(vault: &TestVault, arguments: &[&str]) -> (Vec<String>, bool) {
    let arguments = ["-q", "sleep", "--json"].iter().chain(arguments);
    let sleep: Sleep = vault.run(arguments).json(0);
    let jobs = sleep.ran().into_iter().map(str::to_owned).collect();
    (jobs, sleep.index.is_some())
}

#[test]
fn jobs_run_when_due() {
    let vault = TestVault::from("sample");
    let user = vault.home(".config/mem");
    std::fs::create_dir_all(&user).unwrap();
    let all = job_names();
    let off = all[2..].iter().map(|job| format!("{job}.every = 'off'\n"));
    let settings = format!("conflicts.every = '6h'\n{}", off.collect::<String>());
    std::fs::write(user.join("config.toml"), settings).unwrap();
    for (at, arguments, jobs, index) in [
        ("2026-04-01T12:00:00Z", &[][..], &all[..2], true),
        ("2026-04-01T12:30:00Z", &[], &[], false),
        ("2026-04-01T13:00:00Z", &[], &[], true),
        ("2026-04-01T17:59:00Z", &["--skip", "index"], &[], false),
        (
            "2026-04-01T18:00:00Z",
            &["--skip", "index"],
            &all[1..2],
            false,
        ),
        // A disabled job runs only by name.
        ("2026-04-01T18:01:00Z", &["--all"], &all[..2], true),
        (
            "2026-04-01T18:01:00Z",
            &["--all", "--only", "link,dedupe"],
            &["dedupe", "link"],
            false,
        ),
        (
            "2026-04-01T18:01:30Z",
            &["--only", "link"],
            &["link"],
            false,
        ),
        ("2026-04-01T18:02:00Z", &["--only", "index"], &[], true),
        // A sleep that reads notes indexes changed ones first.
        (
            "2026-04-02T18:00:59Z",
            &["--skip", "conflicts"],
            &["dedupe"],
            true,
        ),
        // Weeks later everything runs once, and a wrong clock does no harm.
        ("2026-05-11T03:00:00Z", &[], &all[..2], true),
        ("2026-05-11T03:01:00Z", &[], &[], false),
        ("2026-04-03T03:00:00Z", &[], &all[..2], true),
    ] {
        vault.at(at);
        let jobs: Vec<String> = jobs.iter().map(|job| (*job).to_owned()).collect();
        assert_eq!(ran(&vault, arguments), (jobs, index), "{at} {arguments:?}");
    }
    vault.at("2026-04-03T03:00:30Z");
    vault
        .run(["sleep", "-v"])
        .stderr(expect![[r#"
            nothing due until 2026-04-03 04:00 (index); `--all` runs anyway
        "#]])
        .code(0);
    let status: Status = vault.run(["status", "--json"]).json(0);
    let next = |job: &str| status.jobs[job].next_due.as_deref();
    assert_eq!(next("index"), Some("2026-04-03T04:00:00Z"));
    assert_eq!(next("dedupe"), Some("2026-04-04T03:00:00Z"));
    assert_eq!(next("conflicts"), Some("2026-04-03T09:00:00Z"));
    assert!(!status.jobs.contains_key("link"), "it is off");
    // A manual run counts as done; one over a few notes does not.
    vault.at("2026-04-05T03:00:00Z");
    vault.run(["-q", "dedupe"]).raw();
    vault.run(["-q", "conflicts", "oolong"]).raw();
    assert_eq!(ran(&vault, &[]), (vec!["conflicts".to_owned()], true));
}

#[test]
fn jobs_run_on_another_device_are_not_due() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep", "--only", "dedupe"]).raw();
    vault
        .run(["sleep", "--only", "link", "--skip", "link"])
        .stderr(expect![[r#"
            error: no job selected: `--skip` excludes all of them
        "#]])
        .code(2);
    let state = vault.path(".mem/state");
    let mut files = std::fs::read_dir(&state).unwrap();
    let own = files.next().unwrap().unwrap().path();
    // As a sync tool copies it to another machine.
    std::fs::rename(own, state.join("0badcafe.json")).unwrap();
    vault.at("2026-04-01T20:00:00Z");
    assert_eq!(ran(&vault, &["--skip", "index"]).0, job_names()[1..]);
    vault.at("2026-04-02T12:00:00Z");
    assert_eq!(ran(&vault, &[]).0, ["dedupe"]);
}

/// Returns the local state folder of the vault.
pub(crate) fn only_home(vault: &TestVault) -> PathBuf {
    let homes = std::fs::read_dir(vault.home(".local/state/mem")).unwrap();
    let mut homes = homes.map(|entry| entry.unwrap().path());
    homes.find(|path| path.is_dir()).unwrap()
}

/// Makes every change fail, like a full disk, by blocking the history folder.
fn without_history(vault: &TestVault) -> impl Fn(bool) {
    let place = only_home(vault).join("unfinished");
    move |broken| {
        if broken {
            std::fs::write(&place, "").unwrap();
        } else {
            std::fs::remove_file(&place).unwrap();
        }
    }
}

#[test]
fn failed_job_is_reported_once_and_retried() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep", "--only", "index"]).raw();
    let break_history = without_history(&vault);
    break_history(true);
    let failed = vault.run(["-q", "sleep"]).raw();
    assert_eq!((failed.code, failed.stdout.as_str()), (2, ""), "{failed:?}");
    let lines: Vec<&str> = failed.stderr.lines().collect();
    assert!(
        lines[0].starts_with("error: dedupe: cannot write `"),
        "{failed:?}"
    );
    assert!(
        lines
            .last()
            .unwrap()
            .ends_with("(see `mem -C $VAULT status`); `mem -C $VAULT sleep --all` retries now"),
        "{failed:?}"
    );
    let status: Status = vault.run(["status", "--json"]).json(0);
    let dedupe = &status.jobs["dedupe"];
    assert_eq!((dedupe.errors, dedupe.failures), (1, 1));
    assert_eq!(dedupe.last_success, None);
    assert_eq!(dedupe.next_due.as_deref(), Some("2026-04-01T12:10:00Z"));
    // The other jobs ran.
    assert_eq!(
        status.jobs["link"].last_success.as_deref(),
        Some("2026-04-01T12:00:00Z")
    );
    break_history(false);
    vault.at("2026-04-01T12:05:00Z");
    assert!(ran(&vault, &[]).0.is_empty());
    vault.at("2026-04-01T12:10:00Z");
    assert_eq!(ran(&vault, &[]).0, ["dedupe"]);
    let status: Status = vault.run(["status", "--json"]).json(0);
    let dedupe = &status.jobs["dedupe"];
    assert_eq!(
        (dedupe.errors, dedupe.failures, &dedupe.last_error),
        (1, 0, &None)
    );
}

#[test]
fn crash_counts_as_failure() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep"]).raw();
    let mut files = std::fs::read_dir(vault.path(".mem/state")).unwrap();
    let file = files.next().unwrap().unwrap().path();
    // The state after a power failure a week later, before `link` ended.
    let mut state: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    state["jobs"]["link"]["last_start"] = "2026-04-09T12:00:00Z".into();
    state["jobs"]["link"]["running"] = 4_000_000_000_u32.into();
    std::fs::write(&file, state.to_string()).unwrap();
    vault.at("2026-04-09T13:00:00Z");
    assert_eq!(ran(&vault, &[]).0, job_names());
    let status: Status = vault.run(["status", "--json"]).json(0);
    let link = &status.jobs["link"];
    assert_eq!(
        (link.runs, link.errors, link.failures, link.running),
        (3, 1, 0, None)
    );
    let errors: Vec<_> = status
        .history
        .iter()
        .filter_map(|run| run.error.as_deref())
        .collect();
    assert_eq!(errors, ["interrupted"]);
}

#[test]
fn sleeps_do_not_overlap() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep", "--only", "index"]).raw();
    let lock = only_home(&vault).join("sleep");
    let other = std::fs::File::options().write(true).open(lock).unwrap();
    other.lock().unwrap();
    let outcome = vault.run(["sleep"]).raw();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (1, ""));
    assert!(
        outcome
            .stderr
            .starts_with("warning: another sleep is already running in `$VAULT`: `mem"),
        "{outcome:?}"
    );
    // A dry run changes nothing and waits for no lock.
    vault.run(["-q", "sleep", "--dry-run"]).raw();
    let soon = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(200));
        drop(other);
    });
    let waited: Sleep = vault.run(["-q", "sleep", "--wait", "--json"]).json(0);
    soon.join().unwrap();
    assert_eq!(waited.ran(), job_names());
}

#[test]
fn sleep_prints_one_line_without_a_terminal() {
    let vault = TestVault::from("sample");
    vault.write("latin.md", "caf\u{e9}");
    std::fs::write(vault.path("latin.md"), b"caf\xe9").unwrap();
    vault
        .run(["sleep"])
        .stdout(expect![[r#"
            ran 12 jobs: 1 change, 6 open; `mem sleep --report` lists them
        "#]])
        .code(0);
    vault.at("2026-04-01T13:00:00Z");
    vault.run(["-q", "sleep"]).code(0);
    // `--check` reports questions.
    vault
        .run(["-q", "sleep", "--check"])
        .stderr(expect![[r#"
            warning: 3 questions in `$VAULT`; run `mem review`
        "#]])
        .code(1);
    vault
        .run(["-q", "review", "reject", "--all", "--min-chance", "0"])
        .raw();
    vault.run(["-q", "sleep", "--check"]).code(0);
    vault
        .run(["sleep", "--report"])
        .stdout(expect![[r#"
            2026-04-01 12:00
            index       41 notes: 41 added
            dedupe      10 pairs compared: 1 merged, 2 open
            merged agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              reason: same title, 100 % of the wording is the same
            conflicts   100 pairs compared: 2 open
            link        11 pairs compared: 2 open
            nothing to do for spaces, associate, cluster, consolidate, split, decay, views, settle
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
            2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md? (“not use Redis to”; 2026-03-01 is newer than 2025-10-02)
            2a184324 Does inbox/Dev server.md replace work/Dev server.md? (“9090” / “8080”; 2026-03-11 is newer than 2025-11-03)
            undo dedupe with `mem undo 757x`
        "#]])
        .code(0);
    vault
        .run(["sleep", "--report", "2"])
        .stderr(expect![[r#"
            1 report stored; `--report 1` is the latest
        "#]])
        .code(1);
    let night: Sleep = vault.run(["sleep", "--report", "--json"]).json(0);
    assert!(night.complete && night.at == "2026-04-01T12:00:00Z");
}

#[test]
fn sleep_indexes_changes_even_if_nothing_is_due() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep"]).raw();
    vault.write("new.md", "A pangolin.\n");
    vault.at("2026-04-01T12:01:00Z");
    vault
        .run(["sleep"])
        .stdout(expect![[r#"
            nothing due until 2026-04-01 13:00 (index); `--all` runs anyway
        "#]])
        .code(0);
    let found: Search = vault
        .run(["search", "--no-sync", "--json", "pangolin"])
        .json(0);
    assert_eq!(found.hits.len(), 1);
}

#[test]
fn max_time_is_respected() {
    let vault = TestVault::from("sample");
    let sleep: Sleep = vault
        .run(["-q", "sleep", "--json", "--max-time", "0s"])
        .json(0);
    assert!(!sleep.complete);
    assert_eq!(sleep.left, job_names());
    // They are still due.
    assert_eq!(ran(&vault, &["--max-time", "10m"]).0, job_names());
    vault
        .run(["sleep", "--max-time", "soon"])
        .stderr(expect![[r#"
            error: invalid value 'soon' for '--max-time <TIME>': expected a duration like 10m, 90s or 1h 30m

            For more information, try '--help'.
        "#]])
        .code(2);
}

/// A running sleep in the background; killed on drop.
pub(crate) struct BackgroundSleep(std::process::Child);

impl Drop for BackgroundSleep {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Holds a lock, like another mem.
pub(crate) fn held(lock: &Path) -> std::fs::File {
    let mut options = std::fs::File::options();
    options.write(true).create(true).truncate(false);
    let lock = options.open(lock).unwrap();
    lock.lock().unwrap();
    lock
}

impl BackgroundSleep {
    /// Starts a sleep with `command` and waits until its first change is imminent.
    pub(crate) fn begin(vault: &TestVault, mut command: std::process::Command) -> Self {
        vault.prepare(&mut command);
        let command = command.stdin(Stdio::null());
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let sleeping = Self(command.spawn().unwrap());
        let is_at_it = |_| {
            let status: Status = vault.run(["status", "--json"]).json(0);
            status.jobs["dedupe"].running == Some(sleeping.0.id())
        };
        assert!((0..2000).any(is_at_it), "it never began");
        std::thread::sleep(Duration::from_millis(300));
        sleeping
    }

    pub(crate) fn signal(&mut self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let ended = self.0.try_wait().unwrap();
        assert!(ended.is_none(), "ended in the middle of a change");
    }

    /// Waits for its end.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        self.0.wait().unwrap().code()
    }
}

#[test]
fn signal_stops_between_two_changes() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep", "--only", "index"]).raw();
    let before = vault.tree();
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        // Another process writes to the vault, so the first change must wait.
        let other = held(&only_home(&vault).join("lock"));
        let mut command = std::process::Command::new(MEM);
        command.arg("sleep");
        let mut sleeping = BackgroundSleep::begin(&vault, command);
        sleeping.signal(signal);
        drop(other);
        assert_eq!(sleeping.ended(), Some(code), "{signal:?}");
        before.assert_same(&vault.tree());
        let status: Status = vault.run(["status", "--json"]).json(0);
        let dedupe = &status.jobs["dedupe"];
        assert_eq!(
            (dedupe.running, dedupe.errors, &dedupe.last_success),
            (None, 0, &None)
        );
    }
    assert_eq!(ran(&vault, &[]).0, job_names());
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep", "--only", "index"]).raw();
    // Another process writes to the vault, so the first change must wait.
    let other = held(&only_home(&vault).join("lock"));
    let mut command = std::process::Command::new("sh");
    // As `nohup` does.
    command.args(["-c", "trap '' HUP; exec \"$0\" sleep", MEM]);
    let mut sleeping = BackgroundSleep::begin(&vault, command);
    sleeping.signal(Signal::HUP);
    drop(other);
    assert_eq!(sleeping.ended(), Some(0));
}

#[test]
fn sleep_without_successful_changes_fails() {
    let vault = TestVault::from("sample");
    for name in ["2.md", "3.md"] {
        let file = vault.path(&format!("agents/Anna prefers short release notes {name}"));
        let read_only = std::os::unix::fs::PermissionsExt::from_mode(0o444);
        std::fs::set_permissions(file, read_only).unwrap();
    }
    vault
        .run(["sleep", "-v", "--only", "dedupe"])
        .stdout(expect![[r#"
            dedupe      10 pairs compared: 2 open
            skipped: merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              reason: same title, 100 % of the wording is the same
              not done: agents/Anna prefers short release notes 2.md: read-only; `chmod u+w` allows changes
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
            2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md? (“not use Redis to”; 2026-03-01 is newer than 2025-10-02)
            2a184324 Does inbox/Dev server.md replace work/Dev server.md? (“9090” / “8080”; 2026-03-11 is newer than 2025-11-03)
        "#]])
        .stderr(expect![[r#"
            indexed 41 notes
            $TIME dedupe started
            $TIME dedupe finished: 10 pairs compared: 2 open ($SECONDS s)
            hint: 3 questions, 8 suggestions; run `mem review`
            warning: no change of dedupe could be applied; see `mem sleep --report`
        "#]])
        .code(1);
    vault
        .run(["dedupe", "--full"])
        .stdout(expect![[r#"
            skipped: merge agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
              reason: same title, 100 % of the wording is the same
              not done: agents/Anna prefers short release notes 2.md: read-only; `chmod u+w` allows changes
            1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
            1666cfbb Merge garden/2025/Tomatoes.md into garden/Tomatoes.md? (same title, 80 % of the shorter note is in the longer one)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind merge`
        "#]])
        .code(1);
}

#[test]
fn report_of_another_version_is_shown_partially() {
    let vault = TestVault::from("sample");
    vault.run(["-q", "sleep", "--only", "dedupe"]).raw();
    let homes = std::fs::read_dir(vault.home(".local/state/mem")).unwrap();
    let mut homes = homes.map(|home| home.unwrap().path().join("sleeps"));
    let sleeps = homes.find(|sleeps| sleeps.is_dir()).unwrap();
    let file = std::fs::read_dir(sleeps)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let report = std::fs::read_to_string(&file).unwrap();
    let other = report
        .replace("\"dedupe\"", "\"tidy\"")
        .replace(".md?\"", ".md\"");
    assert_ne!(report, other);
    std::fs::write(&file, other).unwrap();
    vault.run(["sleep", "--report"]).stdout(expect![[r#"
        2026-04-01 12:00
        tidy        10 notes checked: 1 changed, 2 open
        merged agents/Anna prefers short release notes 2.md, agents/Anna prefers short release notes 3.md into agents/Anna prefers short release notes.md
          reason: same title, 100 % of the wording is the same
        1c5e1859 Merge tea/Green tea (conflicted copy 2026-03-02).md into Green tea.md? (same title, 91 % of the wording is the same)
        2588cd37 Does work/Sessions after the cleanup.md replace work/Sessions.md? (“not use Redis to”; 2026-03-01 is newer than 2025-10-02)
        2a184324 Does inbox/Dev server.md replace work/Dev server.md? (“9090” / “8080”; 2026-03-11 is newer than 2025-11-03)
        undo tidy with `mem undo 757x`
    "#]]).code(0);
}

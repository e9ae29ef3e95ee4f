//! `mem sleep --install`, and a sleep started by cron.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use expect_test::expect;

use crate::support::{MEM, PreparedCommand, TestVault};

/// Adds a program to `PATH` that records its input in the home folder.
fn fake(vault: &TestVault, name: &str, script: &str) {
    let folder = vault.home("bin");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A crontab like Debian's: it stores the table in a file and requires a final line break.
fn with_crontab() -> TestVault {
    let vault = TestVault::from("sample");
    // A variable would be reported, because cron does not see it.
    vault.encoder.set("");
    fake(
        &vault,
        "crontab",
        r#"
        case "$*" in
        -l) cat "$HOME/table" 2>/dev/null || { echo "no crontab for anna" >&2; exit 1; } ;;
        -) cat > "$HOME/new"
           [ -z "$(tail -c 1 "$HOME/new")" ] || { echo "missing newline before EOF" >&2; exit 1; }
           mv "$HOME/new" "$HOME/table" ;;
        *) echo "usage error" >&2; exit 1 ;;
        esac
        "#,
    );
    vault
}

fn run(vault: &TestVault, arguments: &[&str]) -> PreparedCommand {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", vault.home("bin").display());
    vault.command(arguments).env("PATH", path)
}

fn table(vault: &TestVault) -> String {
    let table = fs::read(vault.home("table")).unwrap();
    vault.shown(table)
}

/// Normalises key and minute of a vault's block.
fn evened(text: &str) -> String {
    let key = regex::Regex::new(r"\b(vault|mine)-[0-9a-f]{16}").unwrap();
    let text = key.replace_all(text, "$1-KEY");
    let minute = regex::Regex::new(r"(?m)^[0-9]{1,2} \*|\*:[0-9]{2}$").unwrap();
    let text = minute.replace_all(&text, "MINUTE");
    text.replace(MEM, "MEM")
}

const BLOCK: &str = "\
# begin mem sleep vault-KEY: $VAULT
MINUTE * * * env XDG_CACHE_HOME=$HOME/.cache XDG_CONFIG_HOME=$HOME/.config XDG_STATE_HOME=$HOME/.local/state nice -n 19 MEM -q -C $VAULT sleep
# end mem sleep vault-KEY
";

#[test]
fn crontab_block_is_added_and_removed() {
    let vault = with_crontab();
    let install = ["sleep", "--install", "cron", "--yes"];
    let uninstall = ["sleep", "--uninstall", "cron", "--yes"];
    let done = run(&vault, &install).run().raw();
    assert_eq!((done.code, evened(&done.stdout).as_str()), (0, BLOCK));
    assert_eq!(
        done.stderr,
        "added to your crontab\nhint: remove it with `mem sleep --uninstall cron`\n"
    );
    assert_eq!(evened(&table(&vault)), BLOCK);
    // A second time: never twice.
    run(&vault, &install)
        .run()
        .stderr(expect!["already installed in your crontab"])
        .code(0);
    assert_eq!(evened(&table(&vault)), BLOCK);
    // Among other lines, changed by hand meanwhile.
    let block = table(&vault);
    let others = [
        "MAILTO=anna\n\n# \u{e9}\n5 4 * * 0 echo 100\\%\n",
        "@reboot x\t\n\n",
    ];
    let edited = block.replace(" * * * env", " * * 1-5 env");
    assert_ne!(edited, block);
    let raw = |text: &str| text.replace("$VAULT", vault.path("").to_str().unwrap());
    fs::write(
        vault.home("table"),
        raw(&[others[0], &edited, others[1]].concat()),
    )
    .unwrap();
    assert_eq!(run(&vault, &install).run().raw().code, 0);
    assert_eq!(
        evened(&table(&vault)),
        [others[0], BLOCK, others[1]].concat()
    );
    let done = run(&vault, &uninstall).run().raw();
    assert_eq!((done.code, evened(&done.stdout).as_str()), (0, BLOCK));
    assert_eq!(done.stderr, "removed from your crontab\n");
    assert_eq!(
        fs::read_to_string(vault.home("table")).unwrap(),
        others.concat()
    );
    run(&vault, &uninstall)
        .run()
        .stderr(expect![[r#"
            mem is not installed in your crontab for this vault
        "#]])
        .code(0);
}

#[test]
fn nothing_is_installed_without_the_flag() {
    let vault = with_crontab();
    for (flags, code, stderr) in [
        (
            &["--install", "cron"][..],
            2,
            "error: refusing to add this to your crontab without confirmation\n\
             hint: pass `--yes` to confirm, or `--dry-run` to preview\n",
        ),
        (
            &["--install", "cron", "--dry-run"],
            0,
            "would add this to your crontab\n",
        ),
        (
            &["--install", "systemd"],
            2,
            "error: refusing to write these units and enable the timer without confirmation\n\
             hint: pass `--yes` to confirm, or `--dry-run` to preview\n",
        ),
        (&["--install", "print"], 0, ""),
    ] {
        let done = run(&vault, &[&["sleep"], flags].concat()).run().raw();
        assert_eq!((done.code, done.stderr.as_str()), (code, stderr));
        assert!(done.stdout.contains("$VAULT"), "{}", done.stdout);
    }
    assert!(!vault.home("table").exists());
    assert!(!vault.home(".config/systemd").exists());
    run(&vault, &["sleep", "--yes"])
        .run()
        .stderr(expect![[r#"
            error: the following required arguments were not provided:
              <--install <WHERE>|--uninstall <WHERE>>

            Usage: mem sleep --yes <--install <WHERE>|--uninstall <WHERE>>

            For more information, try '--help'.
        "#]])
        .code(2);
}

#[test]
fn variables_missing_in_cron_are_reported() {
    let vault = with_crontab();
    let done = run(&vault, &["sleep", "--install", "cron", "--yes"])
        .env("MEM_SLEEP_APPLY", "all")
        .run()
        .raw();
    assert_eq!(
        done.stderr,
        "warning: `MEM_SLEEP_APPLY` is set in this shell but cron will not see it; make it permanent with `mem config sleep.apply VALUE`\n\
         added to your crontab\n\
         hint: remove it with `mem sleep --uninstall cron`\n"
    );
}

#[test]
fn failing_crontab_is_left_unchanged() {
    let vault = with_crontab();
    let install = ["sleep", "--install", "cron", "--yes"];
    fs::write(vault.home("table"), "1 2 3 4 5 x\n").unwrap();
    fake(
        &vault,
        "crontab",
        "[ $1 = -l ] && cat $HOME/table && exit; cat >/dev/null; echo 'bad minute' >&2; exit 1",
    );
    let done = run(&vault, &install).run().raw();
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (
            2,
            "error: `crontab -` failed (exit status: 1): bad minute\n\
             hint: the crontab is unchanged; `mem sleep --install print` shows the lines for `crontab -e`\n"
        )
    );
    // An unreadable table does not count as empty.
    fake(&vault, "crontab", "echo 'not allowed' >&2; exit 1");
    let done = run(&vault, &install).run().raw();
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (
            2,
            "error: `crontab -l` failed (exit status: 1): not allowed\nhint: nothing was changed\n"
        )
    );
    vault
        .command(install)
        .env("PATH", vault.home("nothing"))
        .run()
        .stderr(expect![[r#"
            error: cannot run `crontab`; nothing was changed
            caused by: No such file or directory (os error 2)
            hint: `mem sleep --install systemd` needs no cron; `--install print` shows both
        "#]])
        .code(2);
    fs::write(vault.home("table"), format!("{}\n", evened_begin(&vault))).unwrap();
    fake(&vault, "crontab", "cat $HOME/table");
    run(&vault, &install)
        .run()
        .stderr(expect![[r#"
            error: the crontab has an incomplete mem block for this vault
            hint: remove it with `crontab -e`; nothing was changed
        "#]])
        .code(2);
}

/// Returns the first line of this vault's block.
fn evened_begin(vault: &TestVault) -> String {
    let shown = run(vault, &["sleep", "--install", "print"]).run().raw();
    shown.stdout.lines().next().unwrap().to_owned()
}

#[test]
fn cron_line_works_for_any_vault_path() {
    let vault = with_crontab();
    let name = r"it's 100% \% mine";
    let moved = vault.path(name);
    fs::create_dir_all(moved.join(".mem")).unwrap();
    fs::write(moved.join("a.md"), "Tea.\n").unwrap();
    let install = ["-C", name, "sleep", "--install", "cron", "--yes"];
    assert_eq!(run(&vault, &install).run().raw().code, 0);
    let table = fs::read_to_string(vault.home("table")).unwrap();
    let line = table.lines().nth(1).unwrap();
    let command = line.splitn(6, ' ').nth(5).unwrap().replace("\\%", "%");
    assert_eq!(by_cron(&vault, &command), (0, String::new()));
    let states: Vec<_> = fs::read_dir(moved.join(".mem/state")).unwrap().collect();
    assert_eq!(states.len(), 1, "it kept the record of its run");
}

/// Runs a command with cron's environment; returns its exit code and the output that cron would
/// mail.
fn by_cron(vault: &TestVault, command: &str) -> (i32, String) {
    let ended = Command::new("/bin/sh")
        .args(["-c", command])
        .env_clear()
        .env("HOME", vault.home(""))
        .env("LOGNAME", "anna")
        .env("SHELL", "/bin/sh")
        .env("PATH", "/usr/bin:/bin")
        .current_dir(vault.home(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mail = vault.shown([ended.stdout, ended.stderr].concat());
    (ended.status.code().unwrap(), mail)
}

#[test]
fn cron_mails_only_failures() {
    let vault = TestVault::from("sample");
    // A variable would be reported, because cron does not see it.
    vault.encoder.set("");
    vault.write("broken.md", "---\n[\n---\nx\n");
    let place = vault.path(".mem").parent().unwrap().to_owned();
    let command = format!("{MEM} -q -C {} sleep", place.display());
    let silent = (0, String::new());
    let merged = "agents/Anna prefers short release notes 2.md";
    assert_eq!(by_cron(&vault, &command), silent);
    assert!(!vault.path(merged).exists(), "it did its work");
    assert_eq!(by_cron(&vault, &command), silent);
    assert_eq!(by_cron(&vault, &format!("{command} --all")), silent);

    // A job that fails: the history folder is blocked.
    vault.run(["-q", "undo"]).raw();
    vault.write(
        "key.md",
        "---\nmem: {by: agent}\n---\nThe key hangs behind the barrel.\n",
    );
    vault.write(
        "key 1.md",
        "---\nmem: {by: agent}\n---\nThe key hangs behind the barrel.\n",
    );
    let state = fs::read_dir(vault.home(".local/state/mem")).unwrap();
    let mut folders = state.map(|entry| entry.unwrap().path());
    let unfinished = folders
        .find(|path| path.is_dir())
        .unwrap()
        .join("unfinished");
    let _ = fs::remove_dir_all(&unfinished);
    fs::write(&unfinished, "").unwrap();
    let (code, mail) = by_cron(&vault, &format!("{command} --all --apply all"));
    let lines: Vec<&str> = mail.lines().collect();
    assert_eq!(code, 2, "{mail}");
    assert!(
        lines[0].starts_with("error: dedupe: cannot write `"),
        "{mail}"
    );
    assert!(mail.contains("`mem -C $VAULT status`"), "{mail}");

    // The vault is missing.
    fs::rename(&place, vault.home("elsewhere")).unwrap();
    let gone = "\
        error: no folder `$VAULT`\n\
        hint: `-C` or `MEM_VAULT` names it\n\
        hint: is the disk mounted? if the vault was removed, `crontab -e` or \
        `systemctl --user list-timers 'mem-*'` shows what starts this\n";
    assert_eq!(by_cron(&vault, &command), (2, gone.to_owned()));
    fs::create_dir(&place).unwrap();
    let (code, mail) = by_cron(&vault, &command);
    assert_eq!(code, 2);
    assert!(
        mail.starts_with("error: no vault at `$VAULT` or above\n"),
        "{mail}"
    );
}

/// A systemctl that records its calls and fails for `$FAILS`.
fn with_systemctl() -> TestVault {
    let vault = TestVault::from("sample");
    // A variable would be reported, because cron does not see it.
    vault.encoder.set("");
    fake(
        &vault,
        "systemctl",
        r#"
        echo "$@" >> "$HOME/calls"
        case "$*" in *"$FAILS"*) echo "Failed to connect to bus" >&2; exit 1 ;; esac
        "#,
    );
    vault
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names.iter().map(|name| evened(name)).collect()
}

#[test]
fn systemd_units_are_added_and_removed() {
    let vault = with_systemctl();
    let units = vault.home(".config/systemd/user");
    let calls = || evened(&fs::read_to_string(vault.home("calls")).unwrap());
    let install = ["sleep", "--install", "systemd", "--yes"];
    let uninstall = ["sleep", "--uninstall", "systemd", "--yes"];
    let run = |arguments: &[&str], fails: &str| {
        let _ = fs::remove_file(vault.home("calls"));
        run(&vault, arguments).env("FAILS", fails).run().raw()
    };
    let done = run(&install, "nothing");
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (
            0,
            "enabled the timer\n\
             hint: `loginctl enable-linger` also runs it while you are logged out\n\
             hint: remove it with `mem sleep --uninstall systemd`\n"
        )
    );
    assert_eq!(
        names(&units),
        ["mem-vault-KEY.service", "mem-vault-KEY.timer"]
    );
    assert_eq!(
        calls(),
        "--user daemon-reload\n--user enable --now mem-vault-KEY.timer\n"
    );
    assert_eq!(
        evened(&done.stdout),
        r#"# $HOME/.config/systemd/user/mem-vault-KEY.service
[Unit]
Description=mem sleep in $VAULT

[Service]
Type=oneshot
Environment="XDG_CACHE_HOME=$HOME/.cache"
Environment="XDG_CONFIG_HOME=$HOME/.config"
Environment="XDG_STATE_HOME=$HOME/.local/state"
ExecStart="MEM" -C "$VAULT" sleep
Nice=19
IOSchedulingClass=idle

# $HOME/.config/systemd/user/mem-vault-KEY.timer
[Unit]
Description=mem sleep in $VAULT, once an hour

[Timer]
OnCalendar=MINUTE
Persistent=true
RandomizedDelaySec=2min

[Install]
WantedBy=timers.target
"#
    );
    // Nothing is removed while the timer may still run.
    let failed = run(&uninstall, "disable");
    assert_eq!(failed.code, 2);
    assert_eq!(
        evened(&failed.stderr),
        "error: `systemctl --user disable --now mem-vault-KEY.timer` failed (exit status: 1): Failed to connect to bus\n\
         hint: nothing was removed\n\
         hint: by hand: `systemctl --user disable --now mem-vault-KEY.timer`, then remove the files\n"
    );
    assert_eq!(names(&units).len(), 2);
    let done = run(&uninstall, "nothing");
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (0, "removed the timer and its files\n")
    );
    assert!(names(&units).is_empty());
    assert_eq!(
        calls(),
        "--user disable --now mem-vault-KEY.timer\n--user daemon-reload\n"
    );
    let done = run(&uninstall, "nothing");
    assert_eq!(
        (done.code, done.stderr.as_str()),
        (0, "mem has no systemd timer for this vault\n")
    );
    // A partial installation is reported.
    let failed = run(&install, "daemon-reload");
    assert_eq!(failed.code, 2);
    assert_eq!(
        evened(&failed.stderr),
        "error: `systemctl --user daemon-reload` failed (exit status: 1): Failed to connect to bus\n\
         hint: wrote the units to `$HOME/.config/systemd/user`, but the timer is not running\n\
         hint: by hand: `systemctl --user daemon-reload && systemctl --user enable --now mem-vault-KEY.timer`\n"
    );
    assert_eq!(names(&units).len(), 2);
}

#[test]
fn installation_is_confirmed_at_a_terminal() {
    let vault = with_crontab();
    let asked = |answer: &str| {
        let mut command = Command::new(MEM);
        vault.prepare(&mut command);
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", vault.home("bin").display());
        command
            .env("PATH", path)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1");
        command.args(["sleep", "--install", "cron"]);
        let mut terminal = rexpect::session::spawn_command(command, Some(20_000)).unwrap();
        terminal.exp_string("# begin mem sleep vault-").unwrap();
        terminal.exp_string("add this to your crontab?").unwrap();
        terminal.send_line(answer).unwrap();
        terminal
    };
    let mut terminal = asked("n");
    terminal.exp_string("nothing was changed").unwrap();
    terminal.exp_eof().unwrap();
    assert!(!vault.home("table").exists());
    let mut terminal = asked("y");
    terminal.exp_string("added to your crontab").unwrap();
    terminal.exp_eof().unwrap();
    assert_eq!(evened(&table(&vault)), BLOCK);
}

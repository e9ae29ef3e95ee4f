//! Full disks and shell limits. Every failure prints a message.

use std::process::{Command, Stdio};

use crate::strangers::{COMMANDS, with_duplicates};
use crate::support::{MEM, TestVault};

/// Runs a shell script with `$MEM`, `$VAULT` and `$SPARE` in its own namespace, where it may mount.
/// Returns `None` with a message on systems without namespaces.
#[expect(clippy::print_stderr, reason = "the test harness shows it")]
fn in_namespace(vault: &TestVault, script: &str) -> Option<String> {
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["-Urm", "sh", "-c", script]);
        vault.prepare(&mut command);
        command.env("MEM", MEM).env("VAULT", vault.path(""));
        command.env("SPARE", vault.home("spare"));
        command.stdin(Stdio::null()).output()
    };
    std::fs::create_dir_all(vault.home("spare")).unwrap();
    let probe = unshare("mount -t tmpfs none \"$SPARE\"");
    if !probe.is_ok_and(|probe| probe.status.success()) {
        eprintln!("not tested: no user namespace in which to mount a small disk");
        return None;
    }
    let output = unshare(script).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{}\n{text}{stderr}", output.status);
    Some(text)
}

/// Returns the exit codes that a script reported as `name code`.
fn codes(text: &str) -> Vec<(&str, i32)> {
    text.lines()
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(name, code)| (name, code.parse().unwrap()))
        .collect()
}

#[test]
fn full_cache_disk_answers_from_the_old_index() {
    let vault = TestVault::from("sample");
    let script = r#"
        mkdir -p "$XDG_CACHE_HOME" && mount -t tmpfs -o size=12M none "$XDG_CACHE_HOME" || exit 9
        say() { name=$1; shift; "$MEM" "$@" >"$SPARE/out" 2>"$SPARE/err"; echo "$name $?"; cat "$SPARE/err" >&2; }
        cd "$VAULT"
        say index index
        number=0
        for free in 0 4 16 64 256 1024; do
            number=$((number + 1))
            rm -f "$XDG_CACHE_HOME/fill"
            dd if=/dev/zero of="$XDG_CACHE_HOME/fill" bs=1k 2>/dev/null
            size=$(stat -c %s "$XDG_CACHE_HOME/fill")
            truncate -s $((size - free * 1024)) "$XDG_CACHE_HOME/fill"
            echo "xylophone$number" >> tea/Oolong.md
            say search search oolong
            say list list
            say show show tea/Oolong.md
            say edit edit tea/Oolong.md --set status=$number
            say remember remember "The spare key number $number hangs behind the rain barrel"
            say doctor doctor
            say rebuild index --rebuild
            say sleep sleep --all
            say purge history purge --note tea/Oolong.md --yes
        done
        rm "$XDG_CACHE_HOME/fill"
        say fresh search xylophone6
    "#;
    let Some(text) = in_namespace(&vault, script) else {
        return;
    };
    let codes = codes(&text);
    assert_eq!(codes.len(), 2 + 6 * 9, "{text}");
    for (number, (name, code)) in codes.into_iter().enumerate() {
        match name {
            "rebuild" | "purge" | "sleep" => {
                assert!((0..=2).contains(&code), "{number}: {name} {code}\n{text}");
            }
            // It finds problems.
            "doctor" => assert_eq!(code, 1, "{number}: {name}\n{text}"),
            _ => assert_eq!(code, 0, "{number}: {name}\n{text}"),
        }
    }
}

#[test]
fn jobs_on_a_full_disk_fail_with_the_cause() {
    let vault = TestVault::from("sample");
    let script = r#"
        cp -a "$VAULT" "$SPARE/copy" && mount -t tmpfs -o size=4M none "$VAULT" || exit 9
        cp -a "$SPARE/copy/." "$VAULT" && cd "$VAULT" || exit 9
        "$MEM" -q index >"$SPARE/out"
        dd if=/dev/zero of=fill bs=1k 2>/dev/null
        for command in "dedupe --apply managed" "sleep --all"; do
            "$MEM" $command >"$SPARE/out" 2>"$SPARE/err"
            echo "$command $?"
            grep -q "No space left" "$SPARE/err" && echo "cause 0"
        done
    "#;
    let Some(text) = in_namespace(&vault, script) else {
        return;
    };
    assert_eq!(
        codes(&text),
        [
            ("dedupe --apply managed", 2),
            ("cause", 0),
            ("sleep --all", 2),
            ("cause", 0)
        ]
    );
}

#[test]
fn partial_job_on_a_full_disk_reports_its_changes() {
    let vault = TestVault::empty();
    for pair in 0..40 {
        // Copies of no other pair.
        let letter = |at: u8| char::from(b'a' + at);
        let word = |at: u8| -> String {
            [pair / 26, pair % 26, at / 26, at % 26]
                .map(letter)
                .iter()
                .collect()
        };
        let words: Vec<String> = (0..=255).map(word).collect();
        let words = [words.join(" "), words.join(" and ")].join(" ");
        for copy in ["", " 1"] {
            vault.write(
                &format!("Pair p{pair}{copy}.md"),
                &format!("---\ntags: [t{copy}]\n---\n# Pair p{pair}\n\n{words}\n"),
            );
        }
    }
    let script = r#"
        cp -a "$VAULT" "$SPARE/copy" && mount -t tmpfs -o size=8M none "$VAULT" || exit 9
        cp -a "$SPARE/copy/." "$VAULT" && cd "$VAULT" || exit 9
        "$MEM" -q index >"$SPARE/out"
        # Room for some of the merges.
        dd if=/dev/zero of=fill bs=1k 2>/dev/null
        size=$(stat -c %s fill)
        truncate -s $((size - 40 * 1024)) fill
        "$MEM" dedupe --apply all >"$SPARE/out" 2>"$SPARE/err"
        echo "dedupe $?"
        grep -q "could not be made: .*No space left" "$SPARE/err" && echo "cause 0"
        grep -Eq "^hint: [0-9]+ changes? made; " "$SPARE/err" && echo "done 0"
        cat "$SPARE/err" >&2
    "#;
    let Some(text) = in_namespace(&vault, script) else {
        return;
    };
    assert_eq!(codes(&text), [("dedupe", 2), ("cause", 0), ("done", 0)]);
}

/// Runs everything under a shell limit; every command must end by itself.
fn ends_under(limit: &str) -> Vec<i32> {
    let vault = with_duplicates();
    let run = |arguments: &&[&str]| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit {limit}; exec \"$0\" \"$@\""), MEM]);
        command.args(*arguments).stdin(Stdio::null());
        vault.prepare(&mut command);
        let output = command.output().unwrap();
        let code = output.status.code();
        let stderr = String::from_utf8_lossy(&output.stderr);
        let code =
            code.unwrap_or_else(|| panic!("{limit} {arguments:?}: {} {stderr}", output.status));
        assert!(
            (0..=2).contains(&code),
            "{limit} {arguments:?}: {code} {stderr}"
        );
        assert!(
            code != 2 || stderr.contains("error"),
            "{arguments:?}: {stderr}"
        );
        code
    };
    COMMANDS.iter().map(run).collect()
}

#[test]
fn small_stack_suffices() {
    assert_eq!(ends_under("-s 64"), ends_under("-s 8192"));
}

#[test]
fn file_size_limit_gives_an_error_message() {
    for blocks in [0, 1, 16, 100, 1000] {
        ends_under(&format!("-f {blocks}"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn address_space_limits_never_abort() {
    let vault = TestVault::indexed("sample");
    for limit in [45_000, 60_000, 100_000, 190_000, 250_000] {
        for arguments in [
            "search tea",
            "init",
            "undo",
            "--help",
            "config",
            "index --rebuild",
        ] {
            let mut command = Command::new("sh");
            let line = format!("ulimit -v {limit}; exec \"$0\" {arguments}");
            command.args(["-c", &line, MEM]);
            vault.prepare(&mut command);
            let output = command.stdin(Stdio::null()).output().unwrap();
            let stderr = String::from_utf8(output.stderr).unwrap();
            // A large debug build may not even load.
            if stderr.contains("shared object") || stderr.is_empty() && limit <= 100_000 {
                continue;
            }
            let code = output.status.code();
            let is_told = code == Some(2) && stderr.contains("address space");
            assert!(
                is_told || limit > 200_000 && code.is_some_and(|code| code <= 2),
                "{limit} {arguments}: {} {stderr}",
                output.status
            );
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn address_space_limit_is_reported() {
    let vault = TestVault::indexed("sample");
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 4000000; exec \"$0\" search tea", MEM]);
    vault.prepare(&mut command);
    let output = command.stdin(Stdio::null()).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("`ulimit -v unlimited`"), "{stderr}");
}

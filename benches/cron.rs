//! Whether a real cron runs the line of `mem sleep --install cron`, and what it mails.
//!
//! ```text
//! cargo bench --bench cron -- run [--mem PATH]
//! ```
//!
//! Needs root and cron with its `crontab`; otherwise it prints so and does nothing. Uses a running
//! cron, else starts one for the duration. Takes up to three minutes.
//!
//! The path of the vault contains a space, `'`, `%` and `\`. `mem` writes its own block into the
//! crontab, with separate homes; the bench changes only the schedule, to every minute. The `SHELL`
//! of the table passes the command to `/bin/sh` and stores the environment, the output (which cron
//! would mail) and the exit code. Three results are required: the sleep works; it prints nothing on
//! success; once the vault is gone, it prints what failed and what to do. At the end the crontab is
//! restored. The exit code is 1 if any of that fails.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a bench talks on its streams"
)]

mod support;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::flags::{self, Flags};
use support::process::Mem;
use support::{AtPath, Outcome};

const USAGE: &str = "cargo bench --bench cron -- run [--mem PATH]";

/// Timeout for a line that is due every minute.
const TIMEOUT: Duration = Duration::from_secs(130);

fn main() -> ExitCode {
    flags::run(USAGE, &["--mem"], cron)
}

fn cron(flags: &Flags) -> Outcome<ExitCode> {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: cron can only be started by root");
        return Ok(ExitCode::SUCCESS);
    }
    if Command::new("crontab").arg("-l").output().is_err() {
        println!("skipped: there is no `crontab` here");
        return Ok(ExitCode::SUCCESS);
    }
    let scratch = tempfile::tempdir()?;
    let vault = scratch.path().join(r"it's 100% \% mine");
    fs::create_dir(&vault).at(&vault)?;
    for name in ["key.md", "key 1.md"] {
        let text = "The spare key of the shed hangs behind the rain barrel, on the left.\n";
        fs::write(vault.join(name), text)?;
    }
    let mem = Mem::new(flags, scratch.path())?;
    mem.run(&vault, &["init"])?;
    let config = scratch.path().join("config/mem");
    fs::create_dir_all(&config)?;
    fs::write(config.join("config.toml"), "[sleep]\napply = \"all\"\n")?;

    let _table = Table::now()?;
    let Some(_daemon) = Daemon::running()? else {
        println!("skipped: cron cannot be started");
        return Ok(ExitCode::SUCCESS);
    };
    mem.run(&vault, &["sleep", "--install", "cron", "--yes"])?;
    let seen = ShellRecord {
        folder: scratch.path().join("seen"),
    };
    let table = String::from_utf8(crontab(&["-l"], b"")?.stdout)?;
    let table = every_minute(&table, &seen.shell()?)?;
    println!("{table}");
    crontab(&["-"], table.as_bytes())?;

    let mut failures = Vec::new();
    let (code, mail) = seen.next()?;
    println!("ended with {code}, said {mail:?}\n{}", seen.environment()?);
    if code != 0 || !mail.is_empty() {
        failures.push("it was not silent, or did not end well");
    }
    if vault.join("key 1.md").exists() {
        failures.push("it did not do its work");
    }
    fs::rename(&vault, scratch.path().join("elsewhere")).at(&vault)?;
    let (code, mail) = seen.next()?;
    println!("without the vault: ended with {code}, said\n{mail}");
    if code != 2 || !mail.starts_with("error: cannot open `") || !mail.contains("hint: ") {
        failures.push("it did not report the missing vault and the remedy");
    }
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    Ok(ExitCode::from(u8::from(!failures.is_empty())))
}

/// Runs `crontab` with `table` on its stdin.
fn crontab(arguments: &[&str], table: &[u8]) -> Outcome<Output> {
    let mut child = Command::new("crontab")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(table)?;
    }
    Ok(child.wait_with_output()?)
}

/// Returns only the block of `mem`, due every minute and run by `shell`.
fn every_minute(table: &str, shell: &Path) -> Outcome<String> {
    let from = table.find("# begin mem sleep").ok_or("no block of mem")?;
    let block = &table[from..];
    let line = block.lines().nth(1).ok_or("no line in the block")?;
    let (minute, _) = line.split_once(' ').ok_or("no schedule in the line")?;
    let due = block.replacen(&format!("\n{minute} "), "\n* ", 1);
    Ok(format!("MAILTO=\"\"\nSHELL={}\n{due}", shell.display()))
}

/// The original crontab; restored on drop.
struct Table(Option<Vec<u8>>);

impl Table {
    fn now() -> Outcome<Self> {
        let ended = crontab(&["-l"], b"")?;
        Ok(Self(ended.status.success().then_some(ended.stdout)))
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        let restored = match &self.0 {
            Some(table) => crontab(&["-"], table),
            None => crontab(&["-r"], b""),
        };
        if let Err(error) = restored {
            eprintln!("error: the crontab was not restored: {error}");
        }
    }
}

/// A cron in the foreground; `None` if one runs already.
struct Daemon(Option<Child>);

impl Daemon {
    /// Returns the running cron, started if necessary; `None` if it exits at once.
    fn running() -> Outcome<Option<Self>> {
        let pid = fs::read_to_string("/var/run/crond.pid").unwrap_or_default();
        let comm = fs::read_to_string(format!("/proc/{}/comm", pid.trim())).unwrap_or_default();
        if comm.starts_with("cron") {
            return Ok(Some(Self(None)));
        }
        let Ok(mut child) = Command::new("cron").arg("-f").spawn() else {
            return Ok(None);
        };
        thread::sleep(Duration::from_secs(1));
        let has_ended = child.try_wait()?.is_some();
        Ok((!has_ended).then_some(Self(Some(child))))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Files that the shell of the crontab stores.
struct ShellRecord {
    folder: PathBuf,
}

impl ShellRecord {
    /// Writes that shell.
    fn shell(&self) -> Outcome<PathBuf> {
        fs::create_dir(&self.folder).at(&self.folder)?;
        let (shell, folder) = (self.folder.join("shell"), self.folder.display());
        let script = format!(
            "#!/bin/sh\nenv > {folder}/env\n/bin/sh \"$@\" > {folder}/mail 2>&1\n\
             echo $? > {folder}/new && mv {folder}/new {folder}/code\n"
        );
        fs::write(&shell, script).at(&shell)?;
        fs::set_permissions(&shell, fs::Permissions::from_mode(0o755)).at(&shell)?;
        Ok(shell)
    }

    /// Waits for the next run and returns its exit code and output.
    fn next(&self) -> Outcome<(i32, String)> {
        let code = self.folder.join("code");
        let _ = fs::remove_file(&code);
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            if let Ok(text) = fs::read_to_string(&code) {
                let mail = fs::read(self.folder.join("mail"))?;
                let mail = String::from_utf8_lossy(&mail).into_owned();
                return Ok((text.trim().parse()?, mail));
            }
            thread::sleep(Duration::from_millis(200));
        }
        Err("cron ran nothing within two minutes".into())
    }

    /// Returns the environment from cron, without the shell's additions.
    fn environment(&self) -> Outcome<String> {
        let place = self.folder.join("env");
        let text = fs::read_to_string(&place).at(&place)?;
        let mut lines: Vec<&str> = text.lines().collect();
        lines.retain(|line| {
            !["PWD=", "_=", "SHLVL="]
                .iter()
                .any(|own| line.starts_with(own))
        });
        lines.sort_unstable();
        Ok(lines.join("\n"))
    }
}

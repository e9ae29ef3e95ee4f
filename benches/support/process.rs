//! Runs `mem` as a process with arguments, streams and an exit code.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use walkdir::WalkDir;

use super::flags::Flags;
use super::{AtPath, Outcome};

/// The binary and its homes, so that a bench never touches the user's own.
#[derive(Clone)]
pub(crate) struct Mem {
    binary: PathBuf,
    homes: PathBuf,
    cache_home: PathBuf,
    now: Option<String>,
}

/// Result of a timed run.
pub(crate) struct TimedRun {
    /// Streams and exit code.
    pub(crate) output: Output,
    /// From before process start to its end.
    pub(crate) time: Duration,
}

/// Returns the binary of `--mem`, else the release build.
pub(crate) fn binary(flags: &Flags) -> Outcome<PathBuf> {
    let binary = flags
        .text("--mem")
        .map_or_else(released, |path| Ok(path.into()))?;
    fs::canonicalize(&binary).at(&binary)
}

/// Builds mem in release mode. The binary next to the benches is linked without optimisation across
/// crates and with features that test crates enable.
fn released() -> Outcome<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--bin", "mem"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    let messages = String::from_utf8(output.stdout)?;
    let mut built = messages.lines().filter_map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        message["executable"].as_str().map(PathBuf::from)
    });
    built.next_back().ok_or_else(|| "cargo built no mem".into())
}

impl Mem {
    /// Uses the binary that [`binary`] chooses.
    pub(crate) fn new(flags: &Flags, homes: &Path) -> Outcome<Self> {
        let binary = binary(flags)?;
        let cache_home = homes.join("cache");
        Ok(Self {
            binary,
            homes: homes.to_owned(),
            cache_home,
            now: None,
        })
    }

    /// Returns the same `mem` with other caches.
    pub(crate) fn with_cache_home(&self, name: &str) -> Self {
        Self {
            cache_home: self.homes.join(name),
            ..self.clone()
        }
    }

    /// Returns the same `mem` with a fixed clock.
    pub(crate) fn at_time(&self, now: &str) -> Self {
        Self {
            now: Some(now.to_owned()),
            ..self.clone()
        }
    }

    /// Returns a command in `vault` with its own environment.
    pub(crate) fn command(&self, vault: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.homes.join("home"))
            .env("XDG_CACHE_HOME", &self.cache_home)
            .env("XDG_STATE_HOME", self.homes.join("state"))
            .env("XDG_CONFIG_HOME", self.homes.join("config"))
            .env("MEM_EMBED_ENCODER", "off")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null())
            .arg("-C")
            .arg(vault)
            .args(arguments);
        if let Some(now) = &self.now {
            command.env("MEM_NOW", now);
        }
        command
    }

    /// Runs a command to its end; exit code 2 or a signal is an error with the last lines of
    /// stderr.
    pub(crate) fn run(&self, vault: &Path, arguments: &[&str]) -> Outcome<TimedRun> {
        let start = Instant::now();
        let output = self.command(vault, arguments).output().at(&self.binary)?;
        let timed = TimedRun {
            time: start.elapsed(),
            output,
        };
        if matches!(timed.output.status.code(), Some(0 | 1)) {
            return Ok(timed);
        }
        Err(format!(
            "`mem {}` ended with {}: {}",
            arguments.join(" "),
            timed.output.status,
            String::from_utf8_lossy(&timed.output.stderr).trim()
        )
        .into())
    }

    /// Runs a command and also returns its peak resident memory in bytes.
    ///
    /// The peak is the kernel's high-water mark, polled every millisecond: growth in the last
    /// millisecond can be missed.
    pub(crate) fn run_measuring_memory(
        &self,
        vault: &Path,
        arguments: &[&str],
    ) -> Outcome<(TimedRun, u64)> {
        let start = Instant::now();
        let mut child = self
            .command(vault, arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .at(&self.binary)?;
        let mut words = child.stderr.take().ok_or("the child's stderr was piped")?;
        let reader = thread::spawn(move || {
            let mut stderr = Vec::new();
            // An unreadable stderr is only missing from the error text.
            let _ = words.read_to_end(&mut stderr);
            stderr
        });
        let status_file = PathBuf::from(format!("/proc/{}/status", child.id()));
        let mut peak = 0;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            peak = peak.max(high_water_mark(&status_file).unwrap_or(0));
            thread::sleep(Duration::from_millis(1));
        };
        let time = start.elapsed();
        let stderr = reader.join().map_err(|_| "reading stderr panicked")?;
        if !status.success() {
            let words = String::from_utf8_lossy(&stderr);
            return Err(
                format!("`mem {}`: {status}: {}", arguments.join(" "), words.trim()).into(),
            );
        }
        Ok((
            TimedRun {
                output: Output {
                    status,
                    stdout: Vec::new(),
                    stderr,
                },
                time,
            },
            peak,
        ))
    }

    /// Makes `vault` a vault of mem and indexes it.
    pub(crate) fn init_and_index(&self, vault: &Path) -> Outcome<()> {
        self.run(vault, &["init"])?;
        self.run(vault, &["index"])?;
        Ok(())
    }

    /// Returns the paths of a search's hits, best first, and the time of the process.
    pub(crate) fn search(
        &self,
        vault: &Path,
        query: &str,
        limit: usize,
    ) -> Outcome<(Vec<String>, Duration)> {
        self.ask(vault, &["search"], query, limit)
    }

    /// Like [`Mem::search`], with any command that answers a query.
    pub(crate) fn ask(
        &self,
        vault: &Path,
        command: &[&str],
        query: &str,
        limit: usize,
    ) -> Outcome<(Vec<String>, Duration)> {
        let limit = limit.to_string();
        let asked = ["--json", "--limit", &limit, "--", query];
        let timed = self.run(vault, &[command, &asked].concat())?;
        let document: Value = serde_json::from_slice(&timed.output.stdout)
            .map_err(|error| format!("{command:?} `{query}`: stdout is not JSON: {error}"))?;
        let hits = document["hits"]
            .as_array()
            .ok_or("the document has no `hits`")?;
        let paths = hits
            .iter()
            .map(|hit| {
                hit["path"]
                    .as_str()
                    .map(str::to_owned)
                    .ok_or("a hit has no `path`")
            })
            .collect::<Result<_, _>>()?;
        Ok((paths, timed.time))
    }
}

/// Returns `VmHWM` of a running process in bytes.
fn high_water_mark(status_file: &Path) -> Option<u64> {
    let status = fs::read_to_string(status_file).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Copies a folder recursively and creates `to`. Symbolic links and permissions are not copied:
/// read-only notes could not be changed.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Outcome<()> {
    for entry in WalkDir::new(from) {
        let entry = entry?;
        let target = to.join(entry.path().strip_prefix(from)?);
        if entry.file_type().is_dir() {
            fs::create_dir_all(&target).at(&target)?;
        } else if entry.file_type().is_file() {
            let bytes = fs::read(entry.path()).at(entry.path())?;
            fs::write(&target, bytes).at(&target)?;
        }
    }
    Ok(())
}

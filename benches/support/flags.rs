//! Command line of a bench: words and `--name VALUE` pairs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;

use super::Outcome;

/// A parsed command line. Flags may repeat; every flag takes a value.
pub(crate) struct Flags {
    words: Vec<String>,
    values: BTreeMap<String, Vec<String>>,
}

impl Flags {
    /// Parses this process's arguments; only flags in `known` (with their `--`) are accepted.
    ///
    /// Ignores the `--bench` that cargo adds.
    pub(crate) fn read(known: &[&str]) -> Outcome<Self> {
        let mut flags = Self {
            words: Vec::new(),
            values: BTreeMap::new(),
        };
        let mut arguments = std::env::args()
            .skip(1)
            .filter(|argument| argument != "--bench");
        while let Some(argument) = arguments.next() {
            if !argument.starts_with("--") {
                flags.words.push(argument);
            } else if known.contains(&argument.as_str()) {
                let value = arguments
                    .next()
                    .ok_or(format!("`{argument}` needs a value"))?;
                flags.values.entry(argument).or_default().push(value);
            } else {
                return Err(
                    format!("unknown flag `{argument}`; known are {}", known.join(" ")).into(),
                );
            }
        }
        Ok(flags)
    }

    /// Whether the arguments are empty, as when `cargo test --all-targets` runs every bench.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty() && self.values.is_empty()
    }

    /// Returns all words, in order.
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the only word, the path called `what`.
    pub(crate) fn path(&self, what: &str) -> Outcome<PathBuf> {
        match self.words.as_slice() {
            [word] => Ok(PathBuf::from(word)),
            _ => Err(format!("exactly one {what} is needed").into()),
        }
    }

    /// Returns all values of a flag, in order.
    pub(crate) fn all(&self, name: &str) -> &[String] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// Returns the last value of a flag.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.all(name).last().map(String::as_str)
    }

    /// Returns the last value of a flag as a number, or `default`.
    pub(crate) fn number<T: FromStr>(&self, name: &str, default: T) -> Outcome<T> {
        self.text(name).map_or(Ok(default), |text| {
            text.parse()
                .map_err(|_| format!("`{name} {text}` is not a number").into())
        })
    }
}

/// Runs a bench. Without arguments it prints the usage; an error is printed with exit code 2.
pub(crate) fn run(
    usage: &str,
    known: &[&str],
    bench: impl FnOnce(&Flags) -> Outcome<ExitCode>,
) -> ExitCode {
    let outcome = Flags::read(known).and_then(|flags| {
        if flags.is_empty() {
            eprintln!("{usage}");
            return Ok(ExitCode::SUCCESS);
        }
        bench(&flags)
    });
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}\n{usage}");
        ExitCode::from(2)
    })
}

/// Returns the command line as typed, for reports.
pub(crate) fn command_line(bench: &str) -> String {
    let mut line = format!("cargo bench --bench {bench} --");
    for argument in std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
    {
        line.push(' ');
        if argument.contains(char::is_whitespace) {
            let _ = write!(line, "{argument:?}");
        } else {
            line.push_str(&argument);
        }
    }
    line
}

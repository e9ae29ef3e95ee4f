//! Standard streams that fail: full, closed, or a pipe without a reader.
//!
//! The effect of a command on notes does not depend on its streams.

use std::fs::File;
use std::io;
use std::process::{Command, Stdio};

use crate::strangers::{COMMANDS, with_duplicates};
use crate::support::tree::Tree;
use crate::support::{MEM, TestVault};

/// Commands that print without a vault, or print a lot.
const MORE: [&[&str]; 9] = [
    &["--help"],
    &["--version"],
    &["no-such-command"],
    &["completions", "bash"],
    &["config"],
    &["recall", "key"],
    &["related", "a.md"],
    &["sleep", "--all", "-v"],
    &["show", "no such note"],
];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Stream {
    Stdout,
    Stderr,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    Closed,
    Full,
    BrokenPipe,
}

impl Trouble {
    /// Returns the stream to use; the shell closes streams.
    fn stdio(self) -> Stdio {
        match self {
            Self::Closed => Stdio::null(),
            Self::Full => File::options()
                .write(true)
                .open("/dev/full")
                .unwrap()
                .into(),
            Self::BrokenPipe => io::pipe().unwrap().1.into(),
        }
    }
}

/// Runs everything; returns each exit code and whether stdout was written.
fn run_all(vault: &TestVault, trouble: Option<(Stream, Trouble)>) -> Vec<(i32, bool)> {
    let run = |arguments: &&[&str]| {
        let closing = match trouble {
            Some((Stream::Stdout, Trouble::Closed)) => " >&-",
            Some((Stream::Stderr, Trouble::Closed)) => " 2>&-",
            _ => "",
        };
        let mut command = Command::new("sh");
        command.args(["-c", &format!("exec \"$0\" \"$@\"{closing}"), MEM]);
        command.args(*arguments);
        vault.prepare(&mut command);
        command.stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        match trouble {
            Some((Stream::Stdout, trouble)) => command.stdout(trouble.stdio()),
            Some((Stream::Stderr, trouble)) => command.stderr(trouble.stdio()),
            None => &mut command,
        };
        let output = command.output().unwrap();
        let code = output.status.code();
        let code = code.unwrap_or_else(|| panic!("{arguments:?} {trouble:?}: {}", output.status));
        let stderr = String::from_utf8(output.stderr).unwrap();
        if code == 2 && trouble.is_none_or(|(stream, _)| stream == Stream::Stdout) {
            assert!(stderr.contains("error"), "{arguments:?}: {stderr}");
        }
        (code, !output.stdout.is_empty())
    };
    MORE.iter().chain(&COMMANDS).map(run).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn commands_finish_despite_broken_streams() {
    let quiet = with_duplicates();
    let usual = run_all(&quiet, None);
    let trees = |vault: &TestVault| [vault.tree(), Tree::of(&vault.path(".mem/trash"), &[])];
    let expected_trees = trees(&quiet);
    for stream in [Stream::Stdout, Stream::Stderr] {
        for trouble in [Trouble::Closed, Trouble::Full, Trouble::BrokenPipe] {
            let vault = with_duplicates();
            let ends = run_all(&vault, Some((stream, trouble)));
            let all = MORE.iter().chain(&COMMANDS);
            for ((arguments, (code, _)), (usual, prints)) in all.zip(&ends).zip(&usual) {
                let expected = match (stream, trouble) {
                    (Stream::Stdout, Trouble::Full) if *prints => 2,
                    (Stream::Stdout, Trouble::BrokenPipe) if *prints => 0,
                    // The runtime replaces closed streams by `/dev/null`.
                    _ => *usual,
                };
                assert_eq!(*code, expected, "{arguments:?} with {stream:?} {trouble:?}");
            }
            for (expected, found) in expected_trees.iter().zip(trees(&vault)) {
                expected.assert_same(&found);
            }
        }
    }
}

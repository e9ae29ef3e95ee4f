//! A judge that is a program: question on stdin, answer on stdout.
//!
//! The command line comes from the user's settings. It gets a process group of its own.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;

use super::call_context::{CallContext, CallFailure};
use crate::run::prelude::*;
use crate::session::shell::{CommandLimits, finish, shell};

/// Returns the recorded name of the judge: program name and hash, because arguments may contain
/// secrets.
pub(super) fn name(command: &str, prompts: &str) -> String {
    let is_plain = |word: &&str| !word.contains(['"', '\'', '$', '`', '\\']);
    // A quoted argument may contain blanks, so nothing after a quote can be split reliably.
    let mut words = command.split_whitespace().take_while(is_plain);
    let word = words.find(|word| !word.contains('='));
    let file_name = word.and_then(|program| Path::new(program).file_name());
    let program = file_name.map_or_else(|| "sh".into(), |program| program.to_string_lossy());
    let printable = program.chars().filter(|c| !c.is_control()).take(20);
    let short: String = printable.collect();
    let hash = xxh3_64(format!("{command}{prompts}").as_bytes()) as u32;
    format!("{short}-{hash:08x}")
}

/// Exit codes of a shell that cannot find or run the command.
const NOT_RUN_CODES: [i32; 2] = [126, 127];

/// Runs the command; returns its output or why there is none.
pub(super) fn ask(
    command: &str,
    question: &[u8],
    context: &CallContext<'_>,
) -> Result<String, CallFailure> {
    let started = shell(command)
        .env("MEM_VAULT", context.vault)
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn();
    let absent = |error| CallFailure::Absent(format!("it cannot be started: {error}"));
    let mut child = started.map_err(absent)?;
    if let Some(mut stdin) = child.stdin.take() {
        let question = question.to_vec();
        // The program may close stdin early.
        thread::spawn(move || stdin.write_all(&question));
    }
    let limits = CommandLimits {
        timeout: context.timeout,
        stop: context.stop,
        leads_group: true,
    };
    let (status, printed, errors) = finish(child, &limits, |_| ()).map_err(CallFailure::Failed)?;
    if status.success() {
        return Ok(printed);
    }
    let last_line = errors.lines().map(str::trim).rfind(|line| !line.is_empty());
    let why: String = last_line.unwrap_or_default().chars().take(200).collect();
    let message = match (status.code(), why.as_str()) {
        (Some(code), "") => format!("it ended with {code}"),
        (Some(code), why) => format!("it ended with {code}: {why}"),
        (None, _) => "it was killed".to_owned(),
    };
    let is_not_run = status.code().is_some_and(|it| NOT_RUN_CODES.contains(&it));
    // A program that fails without output did not evaluate the question.
    Err(if is_not_run || printed.trim().is_empty() {
        CallFailure::Absent(message)
    } else {
        CallFailure::Failed(message)
    })
}

#[cfg(test)]
mod tests {
    use super::super::budget::Budget;
    use super::super::options::JudgeOptions;
    use super::*;

    fn ask_command(command: &str, seconds: f64) -> Result<String, String> {
        let timeout = Duration::from_secs_f64(seconds);
        let vault = Path::new("/tmp");
        let context = CallContext {
            vault,
            timeout,
            stop: &Stop::default(),
            budget: &Mutex::new(Budget::of(&JudgeOptions::default())),
            patience: &Mutex::default(),
            report_wait: &|_| (),
        };
        let result = ask(command, b"{\"id\":1}", &context);
        result.map_err(|failure| match failure {
            CallFailure::Absent(why) => format!("absent: {why}"),
            failure => failure.why().to_owned(),
        })
    }

    #[test]
    fn a_program_answers_or_fails_with_a_reason() {
        let large = "head -c 1000000 /dev/zero | tr '\\0' x";
        for (command, expected) in [
            ("cat", Ok("{\"id\":1}")),
            ("printf '%s' \"$MEM_VAULT\"; pwd", Ok("/tmp/\n")),
            ("echo yes; exec 0<&-; sleep 0.05", Ok("yes\n")),
            (
                "echo >&2 first; echo >&2 no key; exit 3",
                Err("absent: it ended with 3: no key"),
            ),
            ("exit 7", Err("absent: it ended with 7")),
            ("echo yes; exit 7", Err("it ended with 7")),
            ("kill -9 $$", Err("absent: it was killed")),
        ] {
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(ask_command(command, 20.0), expected, "{command}");
        }
        assert_eq!(
            ask_command(large, 20.0).map(|text| text.len()),
            Ok(64 << 10)
        );
        assert!(ask_command("no-such-judge-anywhere", 20.0).is_err_and(|why| why.contains("127")));
        let began = Instant::now();
        let slow = ask_command("echo yes; sleep 600 & sleep 600", 0.1);
        assert_eq!(slow, Err("it took longer than 0.1 s".to_owned()));
        for leaves in ["sleep 600", "setsid sleep 30"] {
            let left = ask_command(&format!("{leaves} & echo yes"), 20.0);
            assert_eq!(left, Ok("yes\n".to_owned()), "{leaves}");
        }
        assert!(began.elapsed() < Duration::from_secs(60));
    }

    #[test]
    fn a_name_is_unique_and_hides_secrets() {
        let (a, b) = (
            name("KEY=sk-1 llm -m small", ""),
            name("KEY=sk-2 llm -m small", ""),
        );
        assert!(
            a.starts_with("llm-") && a != b && !a.contains("sk-"),
            "{a} {b}"
        );
        assert!(name("/usr/bin/ollama run", "").starts_with("ollama-"));
        for hidden in [
            "A=b",
            "AUTH=\"Bearer sk-9\" llm",
            "K='a sk-9' llm",
            "K=$(cat sk-9) llm",
        ] {
            let name = name(hidden, "");
            assert!(name.starts_with("sh-") && !name.contains("sk-9"), "{name}");
        }
    }
}

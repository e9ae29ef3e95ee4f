//! Settings of judges.

use std::time::Duration;

use crate::change::stop::Stop;
use crate::config::values::Seconds;
use crate::config::{Interval, Trust, section, values};
use crate::error::Result;
use crate::http::address;
use crate::output::Output;
use crate::session::key;

/// Path of the endpoint on the server.
pub(super) const PATH: &str = "/chat/completions";

section! {
    /// A vault may set nothing here: it could run commands or spend the user's money.
    #[derive(Eq)]
    pub struct JudgeOptions: "judge", everyday [command, url, model, key_env, key_command, every, calls] {
        /// command that answers questions in `mem judge`: reads JSON on stdin, prints the answer
        command: String, values::secret("a command for sh", |_| true), Trust::Nothing;
        /// command of a second judge, used if `judge.agree` is 2
        second: String, values::secret("a command for sh", |_| true), Trust::Nothing;
        /// base URL of a server with an OpenAI-compatible `/v1/chat/completions`
        url: String, values::text("an address like http://localhost:11434", is_url), Trust::Nothing;
        /// model on the server of `judge.url` that answers questions in `mem judge`
        model: String, "text", Trust::Nothing;
        /// model of a second judge on the server of `judge.url`, used if `judge.agree` is 2
        second_model: String, "text", Trust::Nothing;
        /// environment variable that holds the server's API key, if any
        key_env: String, values::secret("the name of an environment variable", values::is_variable), Trust::Nothing;
        /// command that prints the server's API key
        key_command: String, values::secret("a command for sh", |_| true), Trust::Nothing;
        /// how often `mem sleep` runs `mem judge`, with the same limits
        every: Interval = Interval::Never, Interval::DOMAIN, Trust::Nothing;
        /// number of judges that must give the same answer: the first of `judge.command`,
        /// `judge.model`, `judge.second`, `judge.second_model`
        agree: usize = 1, 1..=2, Trust::Nothing;
        /// maximum number of calls in one run
        calls: usize = 100, 0..=10_000, Trust::Nothing;
        /// maximum number of calls about one kind of question in one run
        calls_per_kind: usize = 25, 0..=10_000, Trust::Nothing;
        /// maximum number of tokens in one run, estimated where the server does not count them
        tokens: usize = 200_000, 0..=1_000_000_000, Trust::Nothing;
        /// number of parallel calls
        parallel: usize = 2, 1..=32, Trust::Nothing;
        /// timeout of a call, in seconds
        timeout: Duration = Duration::from_secs(120), Seconds, Trust::Nothing;
        /// whether a judge may write the text of merged notes; it must contain every sentence of
        /// the notes and no new words
        rewrite: bool = false, values::BOOLEAN, Trust::Nothing;
        /// maximum number of facts that `mem extract --judge` takes from a note
        facts: usize = 32, 1..=1000, Trust::Nothing;
        /// maximum bytes of notes in one question; longer questions are left to you
        bytes: usize = 64 << 10, 1..=16 << 20, Trust::Nothing;
    }
}

impl JudgeOptions {
    /// Whether a judge is configured, even if incompletely.
    pub fn is_set_up(&self) -> bool {
        !self.set_up().is_empty() || !self.url.is_empty()
    }

    /// Returns the configured judges in order: whether it is a command, and the command or model.
    pub(super) fn set_up(&self) -> Vec<(bool, &str)> {
        let all = [
            (true, &self.command),
            (false, &self.model),
            (true, &self.second),
            (false, &self.second_model),
        ]
        .into_iter()
        .map(|(is_command, name)| (is_command, name.as_str()));
        all.filter(|(_, name)| !name.trim().is_empty()).collect()
    }

    /// Returns the API key of the server, if one is configured.
    pub fn key(&self, output: &Output, stop: &Stop) -> Result<Option<String>> {
        let environment = |name: &str| std::env::var(name).ok();
        let key = key::from_environment("judge.key_env", &self.key_env, environment)?;
        match key {
            Some(key) => Ok(Some(key)),
            None => key::from_command("judge.key_command", &self.key_command, output, stop),
        }
    }
}

/// Whether `url` is empty or the address of a server.
fn is_url(url: &str) -> bool {
    url.is_empty() || address(url, PATH).is_ok()
}

//! The settings of who is asked instead of a person.

use std::time::Duration;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::change::stop::Stop;
use crate::config::{Every, Key, Section, Trust, values};
use crate::error::Error;
use crate::http::address;
use crate::output::Output;
use crate::session::key;

/// Where on the server.
pub(super) const PATH: &str = "/chat/completions";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeOptions {
    /// A command line for `sh`; empty where there is no judge.
    pub command: String,
    /// Another one.
    pub second: String,
    /// The address of a server with models, with or without `/v1` or `/v1/chat/completions`.
    #[serde(deserialize_with = "url")]
    pub url: String,
    /// The name of a model there; empty where it is no judge.
    pub model: String,
    /// Another one.
    pub second_model: String,
    /// The name of the environment variable with the key; empty where none is needed.
    #[serde(deserialize_with = "values::variable")]
    pub key_env: String,
    /// A command line for `sh` that prints the key.
    pub key_command: String,
    /// How often a sleep asks them.
    #[serde(with = "values::text")]
    pub every: Every,
    /// How many judges must say the same before it counts as an answer.
    #[serde(deserialize_with = "agree")]
    pub agree: usize,
    /// At most so many calls in one run.
    #[serde(deserialize_with = "calls")]
    pub calls: usize,
    /// At most so many of these about one kind of question.
    #[serde(deserialize_with = "calls")]
    pub calls_per_kind: usize,
    /// At most about so many tokens in one run, there and back.
    #[serde(deserialize_with = "tokens")]
    pub tokens: usize,
    /// Calls at one time.
    #[serde(deserialize_with = "parallel")]
    pub parallel: usize,
    #[serde(with = "values::seconds")]
    pub timeout: Duration,
    /// Whether they may write the body that a merge leaves.
    pub rewrite: bool,
    /// The most facts that are read out of a note, or a part of a long one.
    #[serde(deserialize_with = "facts")]
    pub facts: usize,
    /// The most bytes of notes in one question; about more nobody but a person is asked.
    #[serde(deserialize_with = "bytes")]
    pub bytes: usize,
}

impl Default for JudgeOptions {
    fn default() -> Self {
        Self {
            command: String::new(),
            second: String::new(),
            url: String::new(),
            model: String::new(),
            second_model: String::new(),
            key_env: String::new(),
            key_command: String::new(),
            every: Every::Never,
            agree: 1,
            calls: 100,
            calls_per_kind: 25,
            tokens: 200_000,
            parallel: 2,
            timeout: Duration::from_secs(120),
            rewrite: false,
            facts: 32,
            bytes: 64 << 10,
        }
    }
}

impl JudgeOptions {
    /// Returns true if a judge is set up, be it not wholly.
    #[must_use]
    pub fn is_set_up(&self) -> bool {
        !self.set_up().is_empty() || !self.url.is_empty()
    }

    /// Returns the judges in the order in which they are asked: whether it is a command, and the command or model.
    pub(super) fn set_up(&self) -> Vec<(bool, &str)> {
        let all = [
            (true, &self.command),
            (false, &self.model),
            (true, &self.second),
            (false, &self.second_model),
        ];
        let all = all
            .into_iter()
            .map(|(is_command, name)| (is_command, name.as_str()));
        all.filter(|(_, name)| !name.trim().is_empty()).collect()
    }

    /// Returns the key of the server, if it wants one.
    pub fn key(&self, output: &Output, stop: &Stop) -> Result<Option<String>, Error> {
        let environment = |name: &str| std::env::var(name).ok();
        let key = key::from_environment("judge.key_env", &self.key_env, environment)?;
        match key {
            Some(key) => Ok(Some(key)),
            None => key::from_command("judge.key_command", &self.key_command, output, stop),
        }
    }
}

/// A vault says nothing here: it would run commands, or spend the user's money.
impl Section for JudgeOptions {
    const NAME: &'static str = "judge";

    fn keys() -> Vec<Key> {
        let key = |name, takes, about| Key::new(name, Trust::Nothing, takes, about);
        vec![
            key(
                "command",
                "a command for sh",
                "who answers questions in `mem judge`: reads one as JSON on stdin, prints the answer",
            )
            .secret(),
            key(
                "second",
                "a command for sh",
                "another judge, asked where `judge.agree` wants two",
            )
            .secret(),
            key(
                "url",
                "an address like http://localhost:11434",
                "base URL of a server with an OpenAI-compatible `/v1/chat/completions`",
            ),
            key("model", "text", "model on that server that answers questions in `mem judge`"),
            key(
                "second_model",
                "text",
                "another model there, asked where `judge.agree` wants two",
            ),
            key(
                "key_env",
                "the name of an environment variable",
                "environment variable that holds the server's API key, if any",
            )
            .secret(),
            key(
                "key_command",
                "a command for sh",
                "command that prints the server's API key",
            )
            .secret(),
            key(
                "every",
                Every::TAKES,
                "how often `mem sleep` asks the judges about what is open, within the same caps",
            ),
            key(
                "agree",
                "1 or 2",
                "how many judges are asked, and must give the same answer before it counts: the first of `judge.command`, `judge.model`, `judge.second`, `judge.second_model`",
            ),
            key(
                "calls",
                "a number from 0 to 10000",
                "maximum number of calls in one run",
            ),
            key(
                "calls_per_kind",
                "a number from 0 to 10000",
                "maximum number of calls about one kind of question in one run",
            ),
            key(
                "tokens",
                "a number from 0 to 1000000000",
                "maximum number of tokens in one run, estimated where the server does not count them",
            ),
            key(
                "parallel",
                "a number from 1 to 32",
                "how many calls run at the same time",
            ),
            key(
                "timeout",
                "seconds, like 60 or 0.5",
                "timeout of a call, in seconds",
            ),
            key(
                "rewrite",
                "true or false",
                "whether a judge may write the text of merged notes; it is used if it says every sentence of the notes and brings no word that they do not have",
            ),
            key(
                "facts",
                "a number from 1 to 1000",
                "maximum number of facts that `mem extract --judge` takes from a note",
            ),
            key(
                "bytes",
                "a number from 1 to 16777216",
                "maximum bytes of notes in one question; longer ones are left to a person, never cut",
            ),
        ]
    }
}

fn agree<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 1..=2)
}

fn calls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 0..=10_000)
}

fn facts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 1..=1000)
}

fn tokens<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 0..=1_000_000_000)
}

fn url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let url = String::deserialize(deserializer)?;
    if !url.is_empty() {
        address(&url, PATH).map_err(D::Error::custom)?;
    }
    Ok(url)
}

fn parallel<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 1..=32)
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 1..=16 << 20)
}

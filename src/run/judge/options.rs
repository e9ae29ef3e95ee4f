//! The settings of who is asked instead of a person.

use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust, values};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JudgeOptions {
    /// A command line for `sh`; empty where there is no judge.
    pub command: String,
    /// Another one.
    pub second: String,
    /// How many judges must say the same before it counts as an answer.
    #[serde(deserialize_with = "agree")]
    pub agree: usize,
    /// At most so many calls in one run.
    #[serde(deserialize_with = "calls")]
    pub calls: usize,
    /// Calls at one time.
    #[serde(deserialize_with = "parallel")]
    pub parallel: usize,
    #[serde(with = "values::seconds")]
    pub timeout: Duration,
    /// The most bytes of notes in one question; about more nobody but a person is asked.
    #[serde(deserialize_with = "bytes")]
    pub bytes: usize,
}

impl Default for JudgeOptions {
    fn default() -> Self {
        Self {
            command: String::new(),
            second: String::new(),
            agree: 1,
            calls: 25,
            parallel: 2,
            timeout: Duration::from_secs(120),
            bytes: 64 << 10,
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
                "agree",
                "1 or 2",
                "how many judges must give the same answer before it counts",
            ),
            key(
                "calls",
                "a number from 0 to 10000",
                "maximum number of calls in one run",
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

fn parallel<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 1..=32)
}

fn bytes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    values::within(deserializer, 1..=16 << 20)
}

//! Who is asked: the commands and models of the user's settings.

use super::asking::{Around, Asked, Asks, Failure};
use super::command;
use super::model::Model;
use super::options::JudgeOptions;
use super::prompts::Prompts;
use crate::error::Error;

/// Someone to ask.
#[derive(Debug)]
pub(super) struct Judge {
    /// As in records; another command, model or prompt is another judge.
    pub name: String,
    via: Via,
}

#[derive(Debug)]
enum Via {
    Command(String),
    Model(Model),
}

impl Judge {
    /// Whether it is asked questions with known answers first: a program may have rules of its own.
    pub(super) fn is_examined(&self) -> bool {
        matches!(self.via, Via::Model(_))
    }

    /// Asks; who replies with what cannot be used is told so once, if it can be told.
    pub(super) fn ask<A: Asks>(&self, asks: &A, around: &Around<'_>) -> Asked<A::Reply> {
        match &self.via {
            Via::Command(command) => {
                let said = command::ask(command, &asks.document(), around);
                Asked {
                    reply: said.and_then(|text| asks.read(&text).map_err(Failure::Failed)),
                    tokens: None,
                    repairs: 0,
                }
            }
            Via::Model(model) => model.ask(asks, around),
        }
    }
}

/// Returns the judges that are set up, in the order in which they are asked. `key` finds the key of the server; it
/// is looked for only where there is one to ask.
pub(super) fn judges(
    options: &JudgeOptions,
    prompts: &Prompts,
    key: impl Fn() -> Result<Option<String>, Error>,
) -> Result<Vec<Judge>, Error> {
    let own = prompts
        .own()
        .map_or_else(String::new, |own| own.to_string());
    let mut judges = Vec::new();
    for (command, model) in [
        (&options.command, &options.model),
        (&options.second, &options.second_model),
    ] {
        if !command.trim().is_empty() {
            judges.push(Judge {
                name: command::name(command, &own),
                via: Via::Command(command.clone()),
            });
        }
        if !model.trim().is_empty() {
            if options.url.is_empty() {
                let message =
                    format!("the judge is the model `{model}`, but `judge.url` is not set");
                return Err(Error::new(message)
                    .hint("`mem config judge.url http://localhost:11434` (Ollama)"));
            }
            let model = Model::new(&options.url, model, key()?)
                .map_err(|error| Error::new(error.to_string()))?;
            judges.push(Judge {
                name: model.name(&own),
                via: Via::Model(model),
            });
        }
    }
    if judges.is_empty() {
        return Err(Error::new("no judge is set up").hint(
            "a model: `mem config judge.url http://localhost:11434` and `mem config judge.model NAME`; \
             a program: `mem config judge.command 'llm -m MODEL'`",
        ));
    }
    let mut names: Vec<&str> = judges.iter().map(|judge| judge.name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(
            Error::new("the second judge is the same as the first").hint(
                "set another one: `mem config judge.second COMMAND` or `mem config judge.second_model NAME`",
            ),
        );
    }
    let least = options.calls.min(options.calls_per_kind);
    if (1..options.agree).contains(&least) {
        return Err(Error::new(
            "`judge.calls` or `judge.calls_per_kind` is less than one question takes",
        )
        .hint("set it to 2 or more, or `judge.agree` to 1"));
    }
    if judges.len() < options.agree {
        return Err(
            Error::new("`judge.agree` asks for two judges, and there is one").hint(
                "set another one: `mem config judge.second COMMAND` or `mem config judge.second_model NAME`",
            ),
        );
    }
    Ok(judges)
}

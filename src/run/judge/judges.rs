//! Who is asked: the commands and models of the user's settings, as many as have to agree.

use super::asking::{Around, Asked, Asks, Failure};
use super::command;
use super::model::Model;
use super::options::JudgeOptions;
use super::prompts::{FACTS, Prompts, told};
use crate::run::prelude::*;

/// Someone to ask.
#[derive(Debug)]
pub(super) struct Judge {
    /// What it is called in records, by the kind of what is asked: what it is told of others changes nothing there.
    names: BTreeMap<&'static str, String>,
    via: Via,
}

#[derive(Debug)]
enum Via {
    Command(String),
    Model(Model),
}

impl Judge {
    fn new(via: Via, prompts: &Prompts, rewrite: bool) -> Self {
        let kinds = Kind::ALL.iter().map(|kind| kind.name()).chain([FACTS]);
        let name = |kind| {
            let own = prompts.own(&told(kind, rewrite));
            let own = own.map_or_else(String::new, |own| own.to_string());
            match &via {
                Via::Command(command) => command::name(command, &own),
                Via::Model(model) => model.name(&own),
            }
        };
        let names = kinds.map(|kind| (kind, name(kind))).collect();
        Self { names, via }
    }

    /// Returns what it is called in records where it is asked about `kind`; another command, model or prompt is
    /// another judge.
    pub(super) fn name(&self, kind: &str) -> &str {
        self.names.get(kind).map_or("", String::as_str)
    }

    /// Returns what it is called in records where it is told nothing of the user's own.
    pub(super) fn called(&self) -> String {
        match &self.via {
            Via::Command(command) => command::name(command, ""),
            Via::Model(model) => model.name(""),
        }
    }

    /// Says where what it is asked goes.
    pub(super) fn place(&self) -> String {
        match &self.via {
            Via::Command(_) => format!("the command {}", self.called()),
            Via::Model(model) => model.place(),
        }
    }

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

/// Returns the judges to ask: of those that are set up, the first `judge.agree`. Nobody else reads a word. The key of
/// a server is looked for in `env`; without one nothing is asked.
pub(super) fn judges(
    options: &JudgeOptions,
    prompts: &Prompts,
    env: Option<&Environment>,
) -> Result<Vec<Judge>> {
    let key = || match env {
        Some(env) => options.key(&env.output, &env.stop),
        None => Ok(None),
    };
    let model = |model: &str| {
        if options.url.is_empty() {
            let message = format!("the judge is the model `{model}`, but `judge.url` is not set");
            let error = Error::new(message);
            return Err(error.hint("`mem config judge.url http://localhost:11434` (Ollama)"));
        }
        let model = Model::new(&options.url, model, key()?);
        model.map_err(Error::new)
    };
    let set_up = options.set_up();
    let mut judges = Vec::new();
    for (is_command, name) in set_up.into_iter().take(options.agree) {
        let via = if is_command {
            Via::Command(name.to_owned())
        } else {
            Via::Model(model(name)?)
        };
        judges.push(Judge::new(via, prompts, options.rewrite));
    }
    if judges.is_empty() && !options.url.is_empty() {
        let message = format!(
            "`judge.url` is `{}`, but `judge.model` is not set",
            options.url
        );
        let error = Error::new(message);
        return Err(error.hint("name a model on that server: `mem config judge.model NAME`"));
    }
    if judges.is_empty() {
        return Err(Error::new("no judge is set up").hint(
            "a model: `mem config judge.url http://localhost:11434` and `mem config judge.model NAME`; \
             a program: `mem config judge.command 'llm -m MODEL'`",
        ));
    }
    if let [first, second] = judges.as_slice()
        && first.names == second.names
    {
        let error = Error::new("the second judge is the same as the first");
        return Err(error.hint("set another one: `mem config judge.second COMMAND` or `mem config judge.second_model NAME`"));
    }
    let least = options.calls.min(options.calls_per_kind);
    if (1..options.agree).contains(&least) {
        return Err(Error::new(
            "`judge.calls` or `judge.calls_per_kind` is less than one question takes",
        )
        .hint("set it to 2 or more, or `judge.agree` to 1"));
    }
    if judges.len() < options.agree {
        let error = Error::new("`judge.agree` asks for two judges, and there is one");
        return Err(error.hint("set another one: `mem config judge.second COMMAND` or `mem config judge.second_model NAME`"));
    }
    Ok(judges)
}

//! The configured judges: commands and models, as many as must agree.

use super::call_context::{CallContext, CallFailure, CallRequest, CallResult};
use super::command;
use super::model::JudgeModel;
use super::prompts::{FACTS, Prompts, prompt_names};
use crate::run::prelude::*;

/// A command or model that answers questions.
#[derive(Debug)]
pub(super) struct Judge {
    /// Recorded names by kind of question. A prompt changes only the names of the kinds that use
    /// it.
    names: BTreeMap<&'static str, String>,
    backend: Backend,
}

#[derive(Debug)]
enum Backend {
    Command(String),
    Model(JudgeModel),
}

impl Judge {
    fn new(backend: Backend, prompts: &Prompts, rewrite: bool) -> Self {
        let kinds = QuestionKind::ALL
            .iter()
            .map(|kind| kind.name())
            .chain([FACTS]);
        let name = |kind| {
            let own = prompts.own(&prompt_names(kind, rewrite));
            let own = own.map_or_else(String::new, |own| own.to_string());
            match &backend {
                Backend::Command(command) => command::name(command, &own),
                Backend::Model(model) => model.name(&own),
            }
        };
        let names = kinds.map(|kind| (kind, name(kind))).collect();
        Self { names, backend }
    }

    /// Returns the recorded name for questions of `kind`. It changes with the command, model or
    /// prompt.
    pub(super) fn name(&self, kind: &str) -> &str {
        self.names.get(kind).map_or("", String::as_str)
    }

    /// Returns the name without the influence of user prompts.
    pub(super) fn base_name(&self) -> String {
        match &self.backend {
            Backend::Command(command) => command::name(command, ""),
            Backend::Model(model) => model.name(""),
        }
    }

    /// Describes where questions are sent.
    pub(super) fn location(&self) -> String {
        match &self.backend {
            Backend::Command(_) => format!("the command {}", self.base_name()),
            Backend::Model(model) => model.location(),
        }
    }

    /// Whether the exam is required. A program may have rules of its own, so it is exempt.
    pub(super) fn is_examined(&self) -> bool {
        matches!(self.backend, Backend::Model(_))
    }

    /// Sends the request. A model may repair an unusable reply once; a command may not.
    pub(super) fn ask<A: CallRequest>(
        &self,
        request: &A,
        context: &CallContext<'_>,
    ) -> CallResult<A::Reply> {
        match &self.backend {
            Backend::Command(command) => {
                let said = command::ask(command, &request.document(), context);
                CallResult {
                    reply: said.and_then(|text| request.read(&text).map_err(CallFailure::Failed)),
                    tokens: None,
                    repairs: 0,
                }
            }
            Backend::Model(model) => model.ask(request, context),
        }
    }
}

/// Returns the first `judge.agree` configured judges; no other judge reads any note. The API key
/// comes from
/// `env`; without `env` nothing can be sent.
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
        let model = JudgeModel::new(&options.url, model, key()?);
        model.map_err(Error::new)
    };
    let set_up = options.set_up();
    let mut judges = Vec::new();
    for (is_command, name) in set_up.into_iter().take(options.agree) {
        let backend = if is_command {
            Backend::Command(name.to_owned())
        } else {
            Backend::Model(model(name)?)
        };
        judges.push(Judge::new(backend, prompts, options.rewrite));
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
            "`judge.calls` or `judge.calls_per_kind` is too low for one question",
        )
        .hint("set it to 2 or more, or `judge.agree` to 1"));
    }
    if judges.len() < options.agree {
        let error = Error::new("`judge.agree` is 2, but only one judge is set up");
        return Err(error.hint("set another one: `mem config judge.second COMMAND` or `mem config judge.second_model NAME`"));
    }
    Ok(judges)
}

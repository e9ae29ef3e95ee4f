//! A judge that is a model on an OpenAI-compatible server: Ollama, llama.cpp, `OpenAI`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use super::call_context::{CallContext, CallFailure, CallRequest, CallResult, POLL_INTERVAL};
use super::options::PATH;
use crate::http::{HttpError, RequestLimits, Server, with_retries};
use crate::run::prelude::*;

/// Timeout of name resolution and of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Upper bound of the average token length in any language and model.
const MAX_BYTES_PER_TOKEN: usize = 8;

/// Maximum number of bytes read of a reply.
const MAX_REPLY_BYTES: usize = 1 << 20;

/// Maximum number of characters of an unusable reply that a repair quotes.
const MAX_QUOTED_CHARS: usize = 2_000;

/// Ways to request structured output, strictest first. Some servers support no length limits,
/// llama-cpp-python only the third form, some none at all.
const RESPONSE_FORMATS: [fn(Value) -> Option<Value>; 4] = [
    |schema| Some(json_schema_format(&schema)),
    |schema| Some(json_schema_format(&without_limits(schema))),
    |schema| Some(json!({"type": "json_object", "schema": schema})),
    |_| None,
];

fn json_schema_format(schema: &Value) -> Value {
    let schema = json!({"name": "answer", "strict": true, "schema": schema});
    json!({"type": "json_schema", "json_schema": schema})
}

/// Returns `schema` without length limits.
fn without_limits(mut schema: Value) -> Value {
    if let Some(object) = schema.as_object_mut() {
        object.remove("maxLength");
        object.remove("maxItems");
        let values = object.values_mut();
        values.for_each(|value| *value = without_limits(value.take()));
    }
    schema
}

#[derive(Debug)]
pub(super) struct JudgeModel {
    server: Arc<Server>,
    /// Name of the model on the server.
    name: String,
    /// Index in [`RESPONSE_FORMATS`]; the server rejected the forms before it.
    form: AtomicUsize,
}

/// The server's response; other fields are ignored.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    content: Option<Content>,
    refusal: Option<String>,
}

/// Message content: plain text, or parts of several types.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    #[serde(default, rename = "type")]
    kind: String,
    #[serde(default)]
    text: Option<String>,
}

impl Content {
    /// Returns the concatenated text parts; others, such as reasoning, are dropped.
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => {
                let reply = parts.into_iter().filter(|part| part.kind.ends_with("text"));
                reply.filter_map(|part| part.text).collect()
            }
        }
    }
}

#[derive(Default, Deserialize)]
struct Usage {
    prompt_tokens: Option<usize>,
    total_tokens: Option<usize>,
}

/// The text of a reply, and the tokens sent and received, if the server counts them.
type ModelReply = (String, Option<usize>);

impl JudgeModel {
    pub(super) fn new(url: &str, model: &str, key: Option<String>) -> Result<Self, String> {
        Ok(Self {
            server: Arc::new(Server::new(url, PATH, key)?),
            name: model.to_owned(),
            form: AtomicUsize::new(0),
        })
    }

    /// Returns the recorded name: the model and a hash of the user's prompts. The server's address
    /// does not matter.
    pub(super) fn name(&self, prompts: &str) -> String {
        let hash = xxh3_64(format!("{}\n{prompts}", self.name).as_bytes()) as u32;
        let chars = self.name.chars();
        let letters = chars.filter(|c| !c.is_control() && !c.is_whitespace());
        format!("{}-{hash:08x}", letters.take(40).collect::<String>())
    }

    /// Describes where questions are sent.
    pub(super) fn location(&self) -> String {
        format!("{} at {}", self.name, self.server.url())
    }

    /// Sends the request. An unusable reply is sent back once if the budget allows.
    pub(super) fn ask<A: CallRequest>(
        &self,
        request: &A,
        context: &CallContext<'_>,
    ) -> CallResult<A::Reply> {
        let mut messages = vec![
            json!({"role": "system", "content": request.instructions()}),
            json!({"role": "user", "content": request.question()}),
        ];
        let (mut tokens, mut repairs) = (None, 0);
        let reply = loop {
            let (text, used) = match self.complete(&messages, request, context) {
                Ok(replied) => replied,
                Err(failure) => break Err(failure),
            };
            if let Some(used) = used {
                *tokens.get_or_insert_default() += used;
            }
            let why = match request.read(&text) {
                Ok(reply) => break Ok(reply),
                Err(why) => why,
            };
            let reserve = || (context.budget()).reserve(request.kind(), 1, request.tokens());
            if repairs > 0 || !reserve() {
                break Err(CallFailure::Failed(why));
            }
            repairs = 1;
            let quoted: String = text.chars().take(MAX_QUOTED_CHARS).collect();
            messages.push(json!({"role": "assistant", "content": quoted}));
            let instruction = "Reply with one JSON object as instructed, and nothing else.";
            let correction = format!("That cannot be used: {why}. {instruction}");
            messages.push(json!({"role": "user", "content": correction}));
        };
        CallResult {
            reply,
            tokens,
            repairs,
        }
    }

    /// Makes a call; falls back to a simpler form of structured output if the server rejects it.
    fn complete(
        &self,
        messages: &[Value],
        request: &impl CallRequest,
        context: &CallContext<'_>,
    ) -> Result<ModelReply, CallFailure> {
        let known = self.form.load(Ordering::Relaxed);
        let mut form = known;
        let body = loop {
            let mut body = json!({"model": self.name, "messages": messages, "stream": false});
            if let Some(format) = RESPONSE_FORMATS[form](request.schema()) {
                body["temperature"] = json!(0);
                body["response_format"] = format;
            }
            match self.post(&body, context) {
                Err(HttpError::Refused {
                    status: 400 | 422 | 500,
                    ..
                }) if form + 1 < RESPONSE_FORMATS.len() => form += 1,
                replied => break replied,
            }
        };
        if body.is_ok() && form != known {
            self.form.store(form, Ordering::Relaxed);
        }
        let sent: usize = messages
            .iter()
            .map(|message| message.to_string().len())
            .sum();
        self.read(&body.map_err(failure)?, sent)
    }

    /// Sends a request; retries while the server is busy.
    fn post(&self, body: &Value, context: &CallContext<'_>) -> Result<Vec<u8>, HttpError> {
        let waits = |time| context.wait_for_server(time, self.server.url());
        with_retries(waits, || self.post_once(body, context))
    }

    /// Sends a request in a thread, so that stopping a run does not wait for the reply.
    fn post_once(&self, body: &Value, context: &CallContext<'_>) -> Result<Vec<u8>, HttpError> {
        let limits = RequestLimits {
            resolve: CONNECT_TIMEOUT,
            connect: CONNECT_TIMEOUT,
            whole: context.timeout,
            bytes: MAX_REPLY_BYTES,
        };
        let stopped = || HttpError::Disconnected {
            url: self.server.url().to_owned(),
            cause: "stopped".to_owned(),
        };
        let (send, replies) = mpsc::channel();
        let (server, body) = (self.server.clone(), body.clone());
        thread::spawn(move || send.send(server.post(&body, &limits)));
        loop {
            match replies.recv_timeout(POLL_INTERVAL) {
                Ok(reply) => return reply.map_err(refusal),
                Err(RecvTimeoutError::Timeout) if !context.stop.is_due() => {}
                Err(_) => return Err(stopped()),
            }
        }
    }

    /// Parses the response to messages of `sent` bytes.
    fn read(&self, body: &[u8], sent: usize) -> Result<ModelReply, CallFailure> {
        let unexpected = |why: &str| {
            let (url, why) = (self.server.url(), self.server.reason(why.as_bytes()));
            let why = format!("unexpected reply from `{url}`: {why}");
            // A body that is not JSON comes from another service on that port.
            if body.trim_ascii_start().starts_with(b"{") {
                CallFailure::Refused(why)
            } else {
                CallFailure::Absent(why)
            }
        };
        let completion: Completion =
            serde_json::from_slice(body).map_err(|error| unexpected(&error.to_string()))?;
        let usage = completion.usage.unwrap_or_default();
        // Some servers truncate input beyond their context without an error.
        if let Some(read) = usage.prompt_tokens
            && read * MAX_BYTES_PER_TOKEN < sent
        {
            return Err(CallFailure::Failed(format!(
                "the server read {read} tokens of {sent} bytes: give it a larger context, or lower `judge.bytes`"
            )));
        }
        let Some(choice) = completion.choices.into_iter().next() else {
            return Err(unexpected("no choices"));
        };
        if choice.finish_reason.as_deref() == Some("length") {
            return Err(CallFailure::Failed("its reply was cut off".to_owned()));
        }
        let Message { content, refusal } = choice.message;
        let text = content.map(Content::text).or(refusal).unwrap_or_default();
        // Text before `</think>` is reasoning, not the reply.
        let reply = text.rsplit("</think>").next().unwrap_or_default();
        let text = self.server.without_key(reply.trim());
        Ok((text, usage.total_tokens))
    }
}

/// Converts a 500 that rejects `response_format` to a refusal.
fn refusal(error: HttpError) -> HttpError {
    match error {
        HttpError::Busy {
            url,
            status: status @ 500,
            message,
            ..
        } if message.contains("response_format") => HttpError::Refused {
            url,
            status,
            message,
        },
        error => error,
    }
}

fn failure(error: HttpError) -> CallFailure {
    match error {
        HttpError::TimedOut {
            limit,
            is_connected: true,
            ..
        } => CallFailure::Failed(format!("it took longer than {} s", limit.as_secs_f64())),
        // Too long or not acceptable; the next question may be.
        HttpError::Refused {
            status: 400 | 413 | 422,
            ..
        }
        | HttpError::TooLarge { .. } => CallFailure::Refused(error.to_string()),
        error => CallFailure::Absent(error.to_string()),
    }
}

//! `mem mcp`

use std::collections::VecDeque;
use std::io::{BufRead, Read as _, Write as _};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Mutex, PoisonError};

use super::memory;
use super::protocol::{self, Incoming, MessageLine, ProtocolError};
use super::tools::{self, IDEMPOTENCY_KEY, Tool};
use crate::change::stop::Stop;
use crate::commands::prelude::*;
use crate::recall::budget::truncate_at_word;

/// Serve the notes to agents over the Model Context Protocol
///
/// Reads requests from stdin and writes replies to stdout, one JSON object per line; a host starts
/// it. Each call reads the notes as they are then. Without `--allow-writes` no call changes a note.
/// See `docs/agents.md`.
#[derive(Debug, clap::Args)]
pub struct McpArgs {
    /// Offer tools that change notes; every change can be undone
    #[arg(long)]
    allow_writes: bool,
    /// Also offer Anthropic's memory tool on the notes of a folder [default: memories]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = "memories")]
    memory_tool: Option<String>,
}

/// Runs a command line in an environment.
pub type Execute = fn(Vec<OsString>, &Environment) -> Result<Exit>;

/// The server, with the function that runs commands.
pub struct McpServer {
    arguments: McpArgs,
    execute: Execute,
}

impl McpArgs {
    pub fn of(self, execute: Execute) -> McpServer {
        let arguments = self;
        McpServer { arguments, execute }
    }
}

/// Maximum bytes of a message; longer ones are refused.
const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// Maximum bytes of a reply of a tool. Hosts cut at about 25,000 tokens.
const MAX_TEXT_BYTES: usize = 80_000;
/// Number of idempotency keys to keep.
const MAX_KEYS: usize = 1000;

/// Requests that the client cancelled, and the one in progress.
#[derive(Debug, Default)]
struct Cancellations {
    ids: HashSet<String>,
    current: Option<(String, Stop)>,
}

/// The state of a connection.
#[derive(Debug, Default)]
struct Connection {
    /// The name of the client, for the notes that it writes.
    client: Option<String>,
    /// Whether a line may have several messages.
    has_batches: bool,
    /// The arguments and replies of calls by idempotency key.
    replies: HashMap<String, (Map<String, Value>, Value)>,
    /// The keys, oldest first.
    keys: VecDeque<String>,
}

impl McpServer {
    pub fn run(self, env: &Environment) -> Result<Exit> {
        let cancelled = Arc::new(Mutex::new(Cancellations::default()));
        let mut connection = Connection::default();
        for line in read_lines(Arc::clone(&cancelled)) {
            let is_refused = line.is_batch && !connection.has_batches;
            let line = if is_refused {
                MessageLine::invalid(
                    protocol::INVALID_REQUEST,
                    "this protocol version has no batches",
                )
            } else {
                line
            };
            let messages = line.messages.into_iter();
            let texts = messages.filter_map(|message| match message {
                Err((id, failure)) => Some(protocol::reply(id.as_deref(), Err(failure), false)),
                Ok(message) => self.reply(env, &message, &cancelled, &mut connection),
            });
            let replies: Vec<String> = texts.collect();
            let reply = match replies.join(",") {
                empty if empty.is_empty() => continue,
                replies if line.is_batch => format!("[{replies}]"),
                reply => reply,
            };
            let mut stdout = io::stdout().lock();
            let written = writeln!(stdout, "{reply}").and_then(|()| stdout.flush());
            if written.is_err() {
                break;
            }
        }
        Ok(Exit::Done)
    }

    /// Returns the reply to a message; `None` for notifications and cancelled requests.
    fn reply(
        &self,
        env: &Environment,
        message: &Incoming,
        cancelled: &Mutex<Cancellations>,
        connection: &mut Connection,
    ) -> Option<String> {
        let id = message.id.as_ref()?;
        let stop = Stop::default();
        {
            let mut cancelled = lock(cancelled);
            if cancelled.ids.remove(id) {
                return None;
            }
            cancelled.current = Some((id.clone(), stop.clone()));
        }
        let era = message.is_stateless();
        let is_stateless = *era.as_ref().unwrap_or(&false);
        let result = era.and_then(|_| self.result(env, message, is_stateless, stop, connection));
        let mut cancelled = lock(cancelled);
        cancelled.current = None;
        let is_cancelled = cancelled.ids.remove(id);
        (!is_cancelled).then(|| protocol::reply(Some(id), result, is_stateless))
    }

    fn result(
        &self,
        env: &Environment,
        message: &Incoming,
        is_stateless: bool,
        stop: Stop,
        connection: &mut Connection,
    ) -> Result<Value, ProtocolError> {
        let instructions = include_str!("instructions.txt");
        if let Some(client) = message.client() {
            connection.client = Some(client);
        }
        match message.method.as_str() {
            "initialize" => {
                let result = protocol::initialized(&message.params, instructions);
                connection.has_batches = protocol::has_batches(&result);
                Ok(result)
            }
            "server/discover" => Ok(protocol::discovered(instructions)),
            "ping" => Ok(Value::Object(Map::new())),
            "tools/list" => {
                let McpArgs {
                    allow_writes,
                    memory_tool,
                } = &self.arguments;
                let tools = tools::listed(*allow_writes, memory_tool.is_some());
                Ok(protocol::tool_list(&tools, is_stateless))
            }
            "tools/call" => self.call(env, &message.params, stop, connection),
            method => Err(ProtocolError::new(
                protocol::METHOD_NOT_FOUND,
                format!("Method not found: {method}"),
            )),
        }
    }

    fn call(
        &self,
        env: &Environment,
        params: &Value,
        stop: Stop,
        connection: &mut Connection,
    ) -> Result<Value, ProtocolError> {
        let invalid = |why: String| ProtocolError::new(protocol::INVALID_PARAMS, why);
        let name = params["name"].as_str().unwrap_or_default();
        let memory_folder = self.arguments.memory_tool.as_deref();
        let found = tools::named(name).filter(|tool| !tool.is_memory || memory_folder.is_some());
        let tool = found.ok_or_else(|| invalid(format!("Unknown tool: {name}")))?;
        let none = Map::new();
        let arguments = match &params["arguments"] {
            Value::Null => &none,
            Value::Object(arguments) => arguments,
            _ => return Err(invalid("`arguments` must be an object".to_owned())),
        };
        if tool.would_write(arguments) && !self.arguments.allow_writes {
            let text =
                "this server only reads: start it with `mem mcp --allow-writes` to change notes";
            return Ok(protocol::tool_result(text, true));
        }
        if let Some(folder) = memory_folder.filter(|_| tool.is_memory) {
            let reply =
                environment(env, tool, stop).and_then(|env| memory::call(&env, folder, arguments));
            let (mut text, is_error) = match reply {
                Ok(text) => (text, false),
                Err(error) => (error.message(), true),
            };
            truncate_at_word(&mut text, MAX_TEXT_BYTES);
            return Ok(protocol::tool_result(&text, is_error));
        }
        let author = connection.client.as_deref().unwrap_or("mcp");
        // The model that sees this text corrects itself; a protocol error ends the call at the client.
        let line = match tool.command_line(arguments, author) {
            Ok(line) => line,
            Err(why) => return Ok(protocol::tool_result(&why, true)),
        };
        let key = arguments.get(IDEMPOTENCY_KEY).and_then(Value::as_str);
        if let Some((first, reply)) = key.and_then(|key| connection.replies.get(key)) {
            if first == arguments {
                return Ok(reply.clone());
            }
            let text = "this `idempotency_key` belongs to an earlier call with other arguments; \
                nothing was written: use a new key";
            return Ok(protocol::tool_result(text, true));
        }
        let (text, is_error) = self.execute(env, tool, line, stop);
        let result = protocol::tool_result(&text, is_error);
        if let Some(key) = key.filter(|_| !is_error) {
            connection.keep(key, arguments, &result);
        }
        Ok(result)
    }

    /// Runs the command of a tool; returns its text and whether it failed.
    fn execute(
        &self,
        env: &Environment,
        tool: &Tool,
        line: Vec<String>,
        stop: Stop,
    ) -> (String, bool) {
        let call = match environment(env, tool, stop) {
            Ok(call) => call,
            Err(error) => return (error.message(), true),
        };
        let line = line.into_iter().map(OsString::from).collect();
        let ended = (self.execute)(line, &call);
        let output = &call.output;
        let failure = ended.as_ref().err().map(|error| output.failure(error));
        let (data, messages) = output.take();
        let texts = [data].into_iter().chain(messages).chain(failure);
        let mut parts: Vec<String> = texts.map(|part| part.trim_end().to_owned()).collect();
        parts.retain(|part| !part.is_empty());
        let mut text = parts.join("\n");
        if text.is_empty() {
            "nothing found".clone_into(&mut text);
        }
        truncate_at_word(&mut text, MAX_TEXT_BYTES);
        (text, ended.is_err())
    }
}

/// Returns the environment of a call; the clock is read once per call.
fn environment(env: &Environment, tool: &Tool, stop: Stop) -> Result<Environment> {
    let output = Output::buffered(Form::Human);
    let start = Some(env.start.clone());
    let command = format!("mcp {}", tool.name);
    let call = Environment::new(output, start, env.no_sync, command, env.schema)?;
    let no_pager = true;
    Ok(Environment {
        no_pager,
        stop,
        further: env.further.clone(),
        ..call
    })
}

impl Connection {
    fn keep(&mut self, key: &str, arguments: &Map<String, Value>, reply: &Value) {
        self.keys.push_back(key.to_owned());
        let call = (arguments.clone(), reply.clone());
        self.replies.insert(key.to_owned(), call);
        if self.keys.len() > MAX_KEYS
            && let Some(oldest) = self.keys.pop_front()
        {
            self.replies.remove(&oldest);
        }
    }
}

fn lock(cancelled: &Mutex<Cancellations>) -> std::sync::MutexGuard<'_, Cancellations> {
    cancelled.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads lines in a thread, so that a cancellation arrives during a call. Ends with stdin.
fn read_lines(cancelled: Arc<Mutex<Cancellations>>) -> Receiver<MessageLine> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        while let Ok(Some(line)) = read_line(&mut stdin) {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line = match line.len() {
                0..=MAX_MESSAGE_BYTES => MessageLine::parse(&line),
                _ => MessageLine::invalid(protocol::INVALID_REQUEST, "message of more than 4 MiB"),
            };
            let messages = line.messages.iter().flatten();
            for message in messages.filter(|message| message.method == "notifications/cancelled") {
                let id = message.params["requestId"].to_string();
                let mut cancelled = lock(&cancelled);
                if let Some((current, stop)) = &cancelled.current
                    && *current == id
                {
                    stop.request();
                }
                cancelled.ids.insert(id);
            }
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Reads a line and keeps at most one byte more than [`MAX_MESSAGE_BYTES`]; `None` at the end.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = MAX_MESSAGE_BYTES as u64 + 1;
    if input.by_ref().take(most).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.ends_with(b"\n") {
        line.pop();
    } else {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_and_skipped() {
        let full = "a".repeat(MAX_MESSAGE_BYTES);
        let text = format!("{full}\n\n{full}bcd\nend");
        let mut input = text.as_bytes();
        let bytes = std::iter::from_fn(|| read_line(&mut input).unwrap());
        let lines: Vec<String> = bytes.map(|line| String::from_utf8(line).unwrap()).collect();
        assert_eq!(
            lines,
            [full.clone(), String::new(), full + "b", "end".to_owned()]
        );
    }
}

//! `mem lsp`

mod actions;
mod completion;
mod context;
mod diagnostics;
mod document;
mod names;
mod navigation;
mod rename;
mod transport;
mod workspace_edit;

use std::process::{Command, Stdio};
use std::time::Instant;

use lsp_server::{Connection, ErrorCode, Message, Notification, Request as Call, Response};

use crate::commands::prelude::*;
use crate::output::reply::Message as Notice;
use context::{Client, LspContext, NoteRequest};
use document::{Documents, EditorDocument, Encoding, Lines, file};

/// Serve an editor over the Language Server Protocol
///
/// An editor starts it and speaks through stdin and stdout. It completes links, tags and
/// properties, follows and renames links, and shows dead links, replaced notes and the questions of
/// today, each with an action. Unsaved text counts. See `docs/editors.md`.
#[derive(Debug, clap::Args)]
pub struct LspArgs {
    /// Accepted because some editors pass it
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Pause after the last change before problems are shown again.
const TYPING_PAUSE: Duration = Duration::from_secs(1);

/// Pause between two reviews, in durations of the last one: reviews take at most a tenth of a processor.
const REVIEW_PAUSE: u32 = 9;

/// The request for edits before a save.
const WILL_SAVE: &str = "textDocument/willSaveWaitUntil";

/// The notification with which a review of this server ends.
const REVIEWED: &str = "mem/reviewed";

/// A server for one editor. Every request reads the vault as it is then, which takes milliseconds,
/// so other editors, `mem watch` and commands need no coordination with it.
struct Server {
    env: Environment,
    connection: Connection,
    /// The end of the connection by which this server sends messages to itself.
    own: Arc<Connection>,
    client: Client,
    /// Files that the editor may have written since the last request. The check before each request misses an old
    /// note that was written in place.
    written: Vec<PathBuf>,
    /// Received messages that wait for earlier ones.
    waiting: Vec<Message>,
    /// When the current review began.
    review_start: Option<Instant>,
    /// When to review notes that changed since the last review began.
    review_at: Option<Instant>,
    /// When the next review may begin.
    next_review: Instant,
    /// When to show problems again.
    check_at: Option<Instant>,
    phase: Phase,
}

/// How far the dialogue with the editor is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Started,
    Initialized,
    ShutDown,
}

impl LspArgs {
    pub fn run(self, env: &Environment) -> Result<Exit> {
        let (connection, own, writer) = transport::connect();
        let mut server = Server {
            env: Environment {
                output: Output::buffered(Form::Human),
                ..env.clone()
            },
            connection,
            own,
            client: Client {
                capabilities: Value::Null,
                encoding: Encoding::Utf16,
                documents: Documents::new(),
                questions: Vec::new(),
            },
            written: Vec::new(),
            waiting: Vec::new(),
            review_start: None,
            review_at: None,
            next_review: Instant::now(),
            check_at: None,
            phase: Phase::Started,
        };
        let reason = server.serve();
        let exit = Exit::found(server.phase == Phase::ShutDown);
        drop(server);
        // Writes the last reply.
        let _ = writer.join();
        match reason.as_str() {
            Some(reason) => Err(Error::new(reason)),
            None => Ok(exit),
        }
    }
}

/// Returns the first folder in a vault that the editor opened.
fn root(params: &Value) -> Option<PathBuf> {
    let folders = params["workspaceFolders"].as_array().into_iter().flatten();
    let uris = folders.map(|folder| &folder["uri"]);
    let mut uris = uris.chain([&params["rootUri"]]).filter_map(Value::as_str);
    uris.find_map(|uri| file(uri).filter(|folder| Vault::find(folder).is_ok()))
}

impl Server {
    /// Returns what the server offers.
    fn initialize(&mut self, params: &Value) -> Value {
        self.phase = Phase::Initialized;
        self.client.capabilities = params["capabilities"].clone();
        self.client.encoding = Encoding::negotiated(&self.client.capabilities);
        if let Some(root) = root(params) {
            self.env.start = root;
        }
        let text = include_str!("capabilities.json");
        let mut capabilities: Value = serde_json::from_str(text).expect("the file is JSON");
        capabilities["positionEncoding"] = json!(self.client.encoding.name());
        let updates_lists = params["initializationOptions"]["updateListsOnSave"] == true;
        capabilities["textDocumentSync"]["willSaveWaitUntil"] = json!(updates_lists);
        let server = json!({"name": "mem", "version": env!("CARGO_PKG_VERSION")});
        json!({"serverInfo": server, "capabilities": capabilities})
    }

    /// Answers messages until the editor ends; returns the error that ended it.
    fn serve(&mut self) -> Value {
        loop {
            match self.next() {
                Message::Request(call) => {
                    let reply = self.reply(call);
                    self.send(reply);
                }
                Message::Notification(note) if note.method == "exit" => return note.params,
                Message::Notification(note) if self.phase == Phase::Initialized => {
                    self.notified(&note.method, note.params);
                }
                Message::Notification(_) | Message::Response(_) => {}
            }
        }
    }

    /// Sends a message unless the editor has ended.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn notify(&self, method: &str, params: Value) {
        self.send(Notification::new(method.to_owned(), params));
    }

    /// Returns the next message, and does what is due in the meantime.
    fn next(&mut self) -> Message {
        loop {
            self.waiting.extend(self.connection.receiver.try_iter());
            if !self.waiting.is_empty() {
                let message = self.waiting.remove(0);
                if !self.is_cancelled(&message) {
                    return message;
                }
                continue;
            }
            let review_at = self.review_at.filter(|_| self.review_start.is_none());
            let next = self.check_at.into_iter().chain(review_at).min();
            let messages = &self.connection.receiver;
            let received = match next {
                Some(at) => messages.recv_deadline(at).ok(),
                None => messages.recv().ok(),
            };
            if let Some(message) = received {
                self.waiting.push(message);
            } else if self.check_at == next {
                self.check_at = None;
                self.check();
            } else {
                self.review_at = None;
                self.review();
            }
        }
    }

    /// Answers a request that the editor cancelled before its turn.
    fn is_cancelled(&self, message: &Message) -> bool {
        let Message::Request(call) = message else {
            return false;
        };
        let is_cancellation = |later: &Message| match later {
            Message::Notification(note) => {
                note.method == "$/cancelRequest" && note.params["id"] == json!(call.id)
            }
            _ => false,
        };
        let is_cancelled = self.waiting.iter().any(is_cancellation);
        if is_cancelled {
            let code = ErrorCode::RequestCanceled as i32;
            let why = "cancelled".to_owned();
            self.send(Response::new_err(call.id.clone(), code, why));
        }
        is_cancelled
    }

    fn reply(&mut self, call: Call) -> Response {
        let Call { id, method, params } = call;
        let result = match method.as_str() {
            "initialize" if self.phase == Phase::Started => Ok(Some(self.initialize(&params))),
            _ if self.phase != Phase::Initialized || method == "initialize" => {
                let (code, why) = match self.phase {
                    Phase::Started => (ErrorCode::ServerNotInitialized, "expected `initialize`"),
                    Phase::Initialized => (ErrorCode::InvalidRequest, "already initialized"),
                    Phase::ShutDown => (ErrorCode::InvalidRequest, "the server is shut down"),
                };
                return Response::new_err(id, code as i32, why.to_owned());
            }
            "shutdown" => {
                self.phase = Phase::ShutDown;
                Ok(Some(Value::Null))
            }
            // Nothing is known about notes outside a vault.
            _ if Vault::find(&self.env.start).is_err() => Ok(Some(Value::Null)),
            "workspace/executeCommand" if params["command"] == "mem.show" => {
                self.show(&params["arguments"][0]).map(Some)
            }
            "workspace/executeCommand" => self.execute(&params).map(Some),
            "workspace/symbol" => self.symbols(&params).map(Some),
            // A list may have any query.
            WILL_SAVE => self.within_index(true, |context| request(context, WILL_SAVE, &params)),
            _ => self.within(|context| request(context, &method, &params)),
        };
        match result {
            Ok(Some(result)) => Response::new_ok(id, result),
            Ok(None) => {
                let code = ErrorCode::MethodNotFound as i32;
                Response::new_err(id, code, format!("{method} is not supported"))
            }
            Err(error) => Response::new_err(id, ErrorCode::RequestFailed as i32, error.message()),
        }
    }

    /// Calls `answer` with the vault as it is now. Messages go to the log of the editor.
    fn within<T>(&mut self, answer: impl FnOnce(&LspContext<'_>) -> Result<T>) -> Result<T> {
        self.within_index(false, answer)
    }

    /// Like [`Self::within`], with or without the text index.
    fn within_index<T>(
        &mut self,
        has_text: bool,
        answer: impl FnOnce(&LspContext<'_>) -> Result<T>,
    ) -> Result<T> {
        self.env.tick()?;
        let written = std::mem::take(&mut self.written);
        let (result, messages) = self.env.output.collect(|| {
            let session = self.env.open()?;
            let mut cache = session.fresh_cache()?;
            let paths = written
                .iter()
                .filter_map(|file| session.vault.path_of(file));
            let paths: Vec<VaultPath> = paths.collect();
            if !paths.is_empty() {
                cache = session.reindex(cache, &paths)?;
            }
            let mut view = session.view(&cache)?;
            if has_text {
                let reader = cache.text.reader().map_err(CacheError::from)?;
                view = view.with_text_index(reader);
            }
            answer(&LspContext::new(
                &self.client,
                &session,
                view,
                &self.env.start,
            ))
        });
        for message in messages {
            let (level, text) = match message {
                Notice::Warning(text) => (2, text),
                Notice::Status(text) | Notice::Hint(text) => (4, text),
            };
            self.notify("window/logMessage", json!({"type": level, "message": text}));
        }
        result
    }

    fn notified(&mut self, method: &str, mut params: Value) {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "textDocument/didOpen" => {
                let content = document["text"].as_str().unwrap_or_default().to_owned();
                let text = Lines::new(content, self.client.encoding);
                let version = document["version"].clone();
                // The folder of the editor may be in no vault.
                if let Some(file) = file(&uri).filter(|_| Vault::find(&self.env.start).is_err()) {
                    let folder = file.parent().unwrap_or(&file);
                    folder.clone_into(&mut self.env.start);
                }
                self.client
                    .documents
                    .insert(uri, EditorDocument { version, text });
                self.changed_files();
            }
            "textDocument/didChange" => {
                document::change(&mut self.client.documents, &params);
                self.check_at = Some(Instant::now() + TYPING_PAUSE);
            }
            "textDocument/didSave" => {
                self.written.extend(file(&uri));
                self.changed_files();
            }
            "textDocument/didClose" => {
                self.written.extend(file(&uri));
                self.client.documents.remove(&uri);
                self.publish(&uri, &json!([]));
            }
            REVIEWED => {
                if let Some(start) = self.review_start.take() {
                    self.next_review = Instant::now() + start.elapsed() * REVIEW_PAUSE;
                }
                if let Value::Array(questions) = params["questions"].take() {
                    self.client.questions = questions;
                }
                // Typing delays them.
                self.check_at.get_or_insert_with(Instant::now);
            }
            _ => {}
        }
    }

    /// Shows problems and looks for questions after a note was opened or saved.
    fn changed_files(&mut self) {
        self.check_at = Some(Instant::now());
        self.review_at = Some(self.next_review.max(Instant::now()));
    }

    /// Shows the problems of all open notes.
    fn check(&mut self) {
        let checked = self.within(|context| {
            let mut found = Vec::new();
            for uri in context.client.documents.keys() {
                if let Some(source) = context.source(&json!({"textDocument": {"uri": uri}}))? {
                    let defects = diagnostics::of(context, &source)?;
                    let problems = defects.iter().map(|problem| problem.shown(&source));
                    found.push((uri.clone(), problems.collect()));
                }
            }
            Ok(found)
        });
        // Without a vault nothing is wrong.
        for (uri, problems) in checked.unwrap_or_default() {
            self.publish(&uri, &problems);
        }
    }

    fn publish(&self, uri: &str, problems: &Value) {
        let version = self
            .client
            .documents
            .get(uri)
            .map(|document| &document.version);
        let params = json!({"uri": uri, "version": version, "diagnostics": problems});
        self.notify("textDocument/publishDiagnostics", params);
    }

    /// Returns a command of this program in the vault.
    fn mem(&self, arguments: &[&str]) -> Result<Command> {
        let program = std::env::current_exe()
            .map_err(|error| Error::new("cannot locate the mem executable").caused_by(&error))?;
        let mut command = Command::new(program);
        command.arg("-C").arg(&self.env.start).args(arguments);
        command.stdin(Stdio::null());
        Ok(command)
    }

    /// Looks for questions in another process, because jobs may take longer than an editor waits.
    fn review(&mut self) {
        if Vault::find(&self.env.start).is_err() {
            return;
        }
        let Ok(mut command) = self.mem(&["--json", "review"]) else {
            return;
        };
        self.review_start = Some(Instant::now());
        let own = Arc::clone(&self.own);
        thread::spawn(move || {
            let output = command.output().ok();
            let list = output.and_then(|output| serde_json::from_slice(&output.stdout).ok());
            let params: Value = list.unwrap_or_default();
            own.sender
                .send(Notification::new(REVIEWED.to_owned(), params).into())
        });
    }

    /// Shows the change that a yes to a question makes.
    fn show(&mut self, id: &Value) -> Result<Value> {
        let mut questions = self.client.questions.iter();
        let question = questions.find(|question| question["id"] == *id);
        let text = question.and_then(|question| question["diff"].as_str());
        let diff = text.ok_or_else(|| Error::new("this question was answered or has changed"))?;
        if self.client.capabilities["window"]["showDocument"]["support"] == true {
            let file = self.env.open()?.homes.cache.join("preview.diff");
            own_files::write_atomically(&file, diff.as_bytes())
                .map_err(|error| Error::io("write to", &file, &error))?;
            let params = json!({"uri": document::uri(&file), "takeFocus": true});
            let call = (format!("mem.show {id}"), "window/showDocument".to_owned());
            self.send(Call::new(call.0.into(), call.1, params));
        } else {
            self.notify("window/showMessage", json!({"type": 3, "message": diff}));
        }
        Ok(Value::Null)
    }

    /// Answers a question of today, as a run of its own.
    fn execute(&mut self, params: &Value) -> Result<Value> {
        let arguments = &params["arguments"];
        let (Some(id), Some(answer)) = (arguments[0].as_str(), arguments[1].as_str()) else {
            return Err(Error::new("expected a question and an answer"));
        };
        self.within(|context| refuse_unsaved(context, id))?;
        let line = match answer {
            "yes" => vec!["review", "accept", "--", id],
            "no" => vec!["review", "reject", "--", id],
            relation => vec!["review", "accept", "--as", relation, "--", id],
        };
        let output = self.mem(&line)?.output();
        let output = output.map_err(|error| Error::new("cannot run mem").caused_by(&error))?;
        let bytes = [output.stdout, output.stderr].concat();
        let words = String::from_utf8_lossy(&bytes).trim().to_owned();
        if !output.status.success() {
            return Err(Error::new(words));
        }
        self.notify("window/showMessage", json!({"type": 3, "message": words}));
        self.client
            .questions
            .retain(|question| question["id"] != id);
        self.changed_files();
        Ok(Value::Null)
    }

    /// Finds notes by name; if none match, by words and meaning.
    fn symbols(&mut self, params: &Value) -> Result<Value> {
        let query = params["query"].as_str().unwrap_or_default();
        let named = self.within(|context| navigation::symbols(context, query))?;
        if !named.is_empty() || query.is_empty() {
            return Ok(json!(named));
        }
        let session = self.env.open()?;
        let options = SearchOptions::default();
        let (found, _) = self.env.output.collect(|| session.search(query, &options));
        let hits = found?.results.hits;
        self.within(|context| {
            let found = hits.iter().map(|hit| {
                let (title, path) = (&hit.details.title, &hit.entry.path);
                navigation::symbol(title, &context.uri(path), path)
            });
            Ok(found.collect())
        })
    }
}

/// Fails if a note of the question has unsaved text, which the editor would write over the answer.
fn refuse_unsaved(context: &LspContext<'_>, id: &str) -> Result<()> {
    let mut questions = context.client.questions.iter();
    let question = questions.find(|question| question["id"] == id);
    let notes = question.and_then(|question| question["notes"].as_array());
    for (path, text) in &context.view.unsaved {
        let is_meant = notes.is_some_and(|notes| notes.contains(&json!(path)));
        if is_meant && context.session.vault.read(path)?.text != *text {
            return Err(Error::new(format!(
                "`{path}` has unsaved changes: save it first"
            )));
        }
    }
    Ok(())
}

/// Answers a request about the vault; `None` for an unknown method.
fn request(context: &LspContext<'_>, method: &str, params: &Value) -> Result<Option<Value>> {
    let answer = match method {
        "workspace/willRenameFiles" => return rename::moved_files(context, params).map(Some),
        "textDocument/completion" => completion::complete,
        "textDocument/hover" => navigation::hover,
        "textDocument/definition" => navigation::definition,
        "textDocument/references" => navigation::references,
        "textDocument/documentSymbol" => navigation::outline,
        "textDocument/documentLink" => navigation::document_links,
        "textDocument/foldingRange" => navigation::folds,
        "textDocument/prepareRename" => rename::prepare,
        "textDocument/rename" => rename::rename,
        "textDocument/codeAction" => actions::actions,
        WILL_SAVE => actions::updated_lists,
        _ => return Ok(None),
    };
    let Some(source) = &context.source(params)? else {
        return Ok(Some(Value::Null));
    };
    let request = NoteRequest {
        context,
        source,
        params,
    };
    answer(request).map(Some)
}

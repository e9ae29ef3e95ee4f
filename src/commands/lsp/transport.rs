//! Messages of an editor over stdin and stdout. Unlike `Connection::stdio`, an invalid message does not end the
//! connection, and no length is allocated before its bytes arrive.

use std::io::{BufRead, Read as _, Write};
use std::thread::{self, JoinHandle};

use lsp_server::{Connection, ErrorCode, Message, Notification};

use crate::commands::prelude::*;
use crate::vault::fs::MAX_FILE_BYTES;

/// Maximum bytes of a message: a note in which JSON escapes every byte.
const MAX_MESSAGE_BYTES: u64 = 6 * MAX_FILE_BYTES;
/// Maximum bytes of a header line; the rest of a longer line counts as the next line.
const MAX_LINE_BYTES: u64 = 4096;

/// Code, id and message of an error that answers no request.
type Refusal = (ErrorCode, Value, String);

/// Returns the server's end of a connection to the editor, the editor's end, and the thread that writes. When
/// reading or writing ends, the server receives `exit`, with the error as the parameter.
pub(super) fn connect() -> (Connection, Arc<Connection>, JoinHandle<()>) {
    let (server, editor) = Connection::memory();
    let editor = Arc::new(editor);
    let exit = |reason| Message::from(Notification::new("exit".to_owned(), reason));
    let reader = Arc::clone(&editor);
    thread::spawn(move || {
        let send = |message| reader.sender.send(message).is_ok();
        let reason = match read(&mut io::stdin().lock(), send, refuse) {
            Ok(()) => Value::Null,
            Err(error) => json!(error.to_string()),
        };
        send(exit(reason))
    });
    let writer = Arc::clone(&editor);
    let writer = thread::spawn(move || {
        let mut messages = writer.receiver.iter();
        let written = messages.try_for_each(|message| message.write(&mut io::stdout().lock()));
        if written.is_err() {
            let _ = writer.sender.send(exit(Value::Null));
        }
    });
    (server, editor, writer)
}

/// Writes an error that answers no request.
fn refuse((code, id, message): Refusal) {
    let error = json!({"code": code as i32, "message": message});
    let text = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
    let mut stdout = io::stdout().lock();
    // A closed pipe ends the writer.
    let _ = write!(stdout, "Content-Length: {}\r\n\r\n{text}", text.len());
    let _ = stdout.flush();
}

/// Passes on messages up to `exit` or the end of `input`, and refuses anything else.
fn read(
    input: &mut impl BufRead,
    mut send: impl FnMut(Message) -> bool,
    mut refuse: impl FnMut(Refusal),
) -> io::Result<()> {
    while let Some(length) = length(input)? {
        let message = match length {
            Ok(length) => parse(&body(input, length)?),
            Err(refusal) => Err(refusal),
        };
        match message {
            Ok(Some(message)) => {
                let is_exit =
                    matches!(&message, Message::Notification(note) if note.method == "exit");
                if !send(message) || is_exit {
                    break;
                }
            }
            Ok(None) => {}
            Err(refusal) => refuse(refusal),
        }
    }
    Ok(())
}

/// Reads a header and returns its `Content-Length`; `None` at the end of the input.
///
/// The name may follow other text on its line, so that the end of an unread body hides no header.
fn length(input: &mut impl BufRead) -> io::Result<Option<Result<u64, Refusal>>> {
    let (mut length, mut is_begun, mut line) = (None, false, Vec::new());
    loop {
        line.clear();
        let limited = &mut input.take(MAX_LINE_BYTES);
        if limited.read_until(b'\n', &mut line)? == 0 {
            return if is_begun { Err(cut_off()) } else { Ok(None) };
        }
        if is_begun && matches!(&*line, b"\n" | b"\r\n") {
            let why = "expected a header with `Content-Length`".to_owned();
            return Ok(Some(length.ok_or((
                ErrorCode::ParseError,
                Value::Null,
                why,
            ))));
        }
        let text = String::from_utf8_lossy(&line).to_ascii_lowercase();
        is_begun |= !text.trim().is_empty();
        if let Some((_, number)) = text.rsplit_once("content-length:") {
            length = number.trim().parse().ok();
        }
    }
}

fn body(input: &mut impl BufRead, length: u64) -> io::Result<Vec<u8>> {
    if length > MAX_MESSAGE_BYTES {
        let why =
            format!("a message of {length} bytes exceeds the limit of {MAX_MESSAGE_BYTES} bytes");
        return Err(io::Error::other(why));
    }
    let mut body = Vec::new();
    input.take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Err(cut_off());
    }
    Ok(body)
}

fn cut_off() -> io::Error {
    io::Error::other("the input ends within a message")
}

/// Parses a message; `None` for an invalid response, which gets no reply.
fn parse(body: &[u8]) -> Result<Option<Message>, Refusal> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let why = format!("invalid JSON: {error}");
        (ErrorCode::ParseError, Value::Null, why)
    })?;
    let (id, is_request) = (value["id"].clone(), value["method"].is_string());
    let is_reply = !is_request && (value.get("result").is_some() || value.get("error").is_some());
    match serde_json::from_value(value) {
        // Without its invalid id a request would be a notification.
        Ok(Message::Notification(_)) if !id.is_null() => {}
        Ok(message) => return Ok(Some(message)),
        Err(_) if is_reply => return Ok(None),
        Err(_) => {}
    }
    let id = Some(id).filter(|id| id.is_string() || id.is_number());
    let why = "expected one request, notification or response".to_owned();
    Err((ErrorCode::InvalidRequest, id.unwrap_or_default(), why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn invalid_messages_are_refused_and_the_next_one_is_read() {
        let note = frame(r#"{"jsonrpc":"2.0","method":"next"}"#);
        let deep = format!(r#"{{"method":"x","params":{}}}"#, "[".repeat(1000));
        for (name, bytes, refusals) in [
            (
                "JSON cut off",
                frame(r#"{"id":1,"#),
                &[(-32700, "null")][..],
            ),
            ("deep JSON", frame(&deep), &[(-32700, "null")]),
            ("no body", frame(""), &[(-32700, "null")]),
            ("a batch", frame("[]"), &[(-32600, "null")]),
            ("no method", frame(r#"{"id":"a"}"#), &[(-32600, "\"a\"")]),
            (
                "fraction as id",
                frame(r#"{"id":1.5,"method":"x"}"#),
                &[(-32600, "1.5")],
            ),
            ("error without id", frame(r#"{"id":null,"error":{}}"#), &[]),
            (
                "header without name",
                "Hello\r\n\r\n".to_owned(),
                &[(-32700, "null")],
            ),
            (
                "header without length",
                "Content-Type: x\r\n\r\n".to_owned(),
                &[(-32700, "null")],
            ),
            (
                "length without number, then its body",
                "Content-Length: x\r\n\r\n{\"id\":1}".to_owned(),
                &[(-32700, "null")],
            ),
            (
                "long line",
                "x".repeat(10_000) + "\r\n\r\n",
                &[(-32700, "null")],
            ),
            ("blank lines", "\r\n\n".to_owned(), &[]),
            ("type", "Content-Type: x; charset=utf-8\r\n".to_owned(), &[]),
        ] {
            let bytes = [bytes.as_str(), &note].concat().into_bytes();
            let (mut messages, mut refused) = (Vec::new(), Vec::new());
            let ended = read(
                &mut &*bytes,
                |message| {
                    messages.push(json!(message)["method"].clone());
                    true
                },
                |(code, id, _)| refused.push((code as i32, id.to_string())),
            );
            assert!(ended.is_ok(), "{name}: {ended:?}");
            assert_eq!(messages, ["next"], "{name}");
            let refusals = refusals.iter().map(|(code, id)| (*code, (*id).to_owned()));
            assert_eq!(refused, refusals.collect::<Vec<_>>(), "{name}");
        }
    }

    #[test]
    fn a_header_is_read_as_editors_write_it() {
        for (header, expected) in [
            ("Content-Length: 2\r\n\r\n", Some(2)),
            ("content-length:2\n\n", Some(2)),
            ("\r\n{}Content-Length: 2\r\n\r\n", Some(2)),
            ("Content-Length: -2\r\n\r\n", None),
            ("X: \u{fffd}\r\n\r\n", None),
        ] {
            let length = length(&mut header.as_bytes()).unwrap().unwrap();
            assert_eq!(length.ok(), expected, "{header:?}");
        }
    }

    #[test]
    fn an_incomplete_or_too_long_message_is_an_error() {
        for (bytes, expected) in [
            (&b""[..], None),
            (b"Content-Len", Some("within a message")),
            (b"Content-Length: 9\r\n\r\n{", Some("within a message")),
            (
                b"Content-Length: 99999999999999\r\n\r\n{",
                Some("exceeds the limit"),
            ),
            (b"Content-Length: 2\r\n\r\n\xff\xff", None),
        ] {
            let ended = read(&mut &*bytes, |_| true, |_| {});
            let error = ended
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default();
            let is_expected = expected.is_none_or(|expected| error.contains(expected));
            assert!(
                is_expected && error.is_empty() == expected.is_none(),
                "{error}"
            );
        }
    }
}

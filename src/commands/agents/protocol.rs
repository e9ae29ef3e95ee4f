//! Messages of the Model Context Protocol over stdio.
//!
//! Two eras are served: the handshake of 2025-11-25 and before (`initialize`), and the stateless requests of
//! 2026-07-28, whose `_meta` names the version.

use serde_json::{Value, json};

pub(super) const PARSE_ERROR: i64 = -32700;
pub(super) const INVALID_REQUEST: i64 = -32600;
pub(super) const METHOD_NOT_FOUND: i64 = -32601;
pub(super) const INVALID_PARAMS: i64 = -32602;
const UNSUPPORTED_VERSION: i64 = -32022;

/// Version of stateless requests.
const STATELESS: &str = "2026-07-28";
/// Versions of the handshake, newest first.
const HANDSHAKE: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// Key of the version in `_meta`.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Time in milliseconds for which clients may keep lists.
const TTL: u64 = 3_600_000;

/// A request or notification of the client.
#[derive(Debug)]
pub(super) struct Incoming {
    /// JSON text; `None` for a notification.
    pub(super) id: Option<String>,
    pub(super) method: String,
    pub(super) params: Value,
}

/// A message of the client, or why it is invalid with the id of the request, if it is known.
pub(super) type MessageResult = Result<Incoming, (Option<String>, ProtocolError)>;

/// The messages of a line, without responses: the server sends no requests.
#[derive(Debug)]
pub(super) struct MessageLine {
    pub(super) messages: Vec<MessageResult>,
    pub(super) is_batch: bool,
}

/// An error of the protocol.
#[derive(Debug)]
pub(super) struct ProtocolError {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl ProtocolError {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            data: None,
        }
    }
}

impl MessageLine {
    pub(super) fn parse(line: &[u8]) -> Self {
        match serde_json::from_slice(line) {
            Ok(Value::Array(items)) if !items.is_empty() => Self {
                messages: items.iter().filter_map(message).collect(),
                is_batch: true,
            },
            Ok(item) => Self {
                messages: message(&item).into_iter().collect(),
                is_batch: false,
            },
            Err(error) => Self::invalid(PARSE_ERROR, format!("invalid JSON: {error}")),
        }
    }

    pub(super) fn invalid(code: i64, why: impl Into<String>) -> Self {
        Self {
            messages: vec![Err((None, ProtocolError::new(code, why)))],
            is_batch: false,
        }
    }
}

/// Returns the message that `item` is; `None` for a response.
fn message(item: &Value) -> Option<MessageResult> {
    let is_given = |key: &str| item.get(key).is_some();
    if !is_given("method") && (is_given("result") || is_given("error")) {
        return None;
    }
    let id = match item.get("id") {
        Some(id) if id.is_string() || id.is_number() => Some(id.to_string()),
        _ => None,
    };
    let invalid = |code, why: &str| Some(Err((id.clone(), ProtocolError::new(code, why))));
    if item["jsonrpc"] != "2.0" {
        return invalid(INVALID_REQUEST, "expected one JSON-RPC 2.0 object per line");
    }
    if is_given("id") && id.is_none() {
        return invalid(INVALID_REQUEST, "`id` must be a string or a number");
    }
    let Some(method) = item["method"].as_str() else {
        return invalid(INVALID_REQUEST, "`method` is missing");
    };
    let params = match item.get("params") {
        None => json!({}),
        Some(params) if params.is_object() => params.clone(),
        Some(_) => return invalid(INVALID_PARAMS, "`params` must be an object"),
    };
    let method = method.to_owned();
    Some(Ok(Incoming { id, method, params }))
}

impl Incoming {
    /// Returns whether the request is stateless; an error for an unknown version.
    pub(super) fn is_stateless(&self) -> Result<bool, ProtocolError> {
        let version = &self.params["_meta"][VERSION_KEY];
        if version.is_null() {
            return Ok(false);
        }
        if version == STATELESS {
            return Ok(true);
        }
        Err(ProtocolError {
            data: Some(json!({"supported": supported(), "requested": version})),
            ..ProtocolError::new(UNSUPPORTED_VERSION, "Unsupported protocol version")
        })
    }

    /// Returns the name of the client, in letters, digits and hyphens.
    pub(super) fn client(&self) -> Option<String> {
        let info = match &self.params["clientInfo"] {
            Value::Null => &self.params["_meta"]["io.modelcontextprotocol/clientInfo"],
            info => info,
        };
        let name = info["name"].as_str()?.to_lowercase();
        let pieces = name.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = pieces.filter(|word| !word.is_empty()).collect();
        Some(words.join("-")).filter(|name| !name.is_empty())
    }
}

fn supported() -> Vec<&'static str> {
    [STATELESS].into_iter().chain(HANDSHAKE).collect()
}

fn server_info() -> Value {
    json!({"name": "mem", "title": "mem notes", "version": env!("CARGO_PKG_VERSION")})
}

/// Returns whether a line may have several messages after this result of `initialize`.
pub(super) fn has_batches(initialized: &Value) -> bool {
    initialized["protocolVersion"] == "2025-03-26"
}

/// Returns the result of `initialize`. An unknown version gets the newest one of the handshake.
pub(super) fn initialized(params: &Value, instructions: &str) -> Value {
    let requested = params["protocolVersion"].as_str().unwrap_or_default();
    let version = HANDSHAKE.into_iter().find(|version| *version == requested);
    json!({
        "protocolVersion": version.unwrap_or(HANDSHAKE[0]),
        "capabilities": {"tools": {}},
        "serverInfo": server_info(),
        "instructions": instructions,
    })
}

/// Returns the result of `server/discover`.
pub(super) fn discovered(instructions: &str) -> Value {
    json!({
        "supportedVersions": supported(),
        "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": server_info()},
        "instructions": instructions,
        "ttlMs": TTL,
        "cacheScope": "public",
    })
}

/// Returns the result of `tools/list`.
pub(super) fn tool_list(tools: &[Value], is_stateless: bool) -> Value {
    let mut list = json!({"tools": tools});
    if is_stateless {
        list["ttlMs"] = json!(TTL);
        list["cacheScope"] = json!("public");
    }
    list
}

/// Returns the result of a tool.
pub(super) fn tool_result(text: &str, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": is_error})
}

/// Returns the reply to a request with this id, as JSON text.
pub(super) fn reply(
    id: Option<&str>,
    result: Result<Value, ProtocolError>,
    is_stateless: bool,
) -> String {
    let (key, value) = match result {
        Ok(mut result) => {
            if is_stateless {
                result["resultType"] = json!("complete");
            }
            ("result", result)
        }
        Err(failure) => {
            let mut error = json!({"code": failure.code, "message": failure.message});
            if let Some(data) = failure.data {
                error["data"] = data;
            }
            ("error", error)
        }
    };
    // The schema allows no null here.
    let id = id.map_or_else(String::new, |id| format!(r#""id":{id},"#));
    format!(r#"{{"jsonrpc":"2.0",{id}"{key}":{value}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_messages_are_refused_with_their_id() {
        for (line, id, code) in [
            ("{", None, PARSE_ERROR),
            ("[]", None, INVALID_REQUEST),
            ("[1]", None, INVALID_REQUEST),
            (r#"{"id":1,"method":"ping"}"#, Some("1"), INVALID_REQUEST),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                None,
                INVALID_REQUEST,
            ),
            (
                r#"{"jsonrpc":"2.0","id":"a"}"#,
                Some("\"a\""),
                INVALID_REQUEST,
            ),
            (
                r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":[1]}"#,
                Some("2"),
                INVALID_PARAMS,
            ),
        ] {
            let mut messages = MessageLine::parse(line.as_bytes()).messages.into_iter();
            let (given, failure) = messages.next().unwrap().unwrap_err();
            assert_eq!((given.as_deref(), failure.code), (id, code), "{line}");
        }
    }

    #[test]
    fn ids_are_returned_as_they_came() {
        for id in ["0", "-7", "18446744073709551615", "2.5", "\"7\""] {
            let line = format!(r#"{{"jsonrpc":"2.0","id": {id},"method":"ping"}}"#);
            let message = MessageLine::parse(line.as_bytes())
                .messages
                .remove(0)
                .unwrap();
            assert_eq!(
                reply(message.id.as_deref(), Ok(json!({})), false),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
            );
        }
    }

    #[test]
    fn responses_are_ignored() {
        for line in [
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}"#,
            r#"[{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        ] {
            assert!(
                MessageLine::parse(line.as_bytes()).messages.is_empty(),
                "{line}"
            );
        }
    }

    #[test]
    fn recognises_the_era_of_a_request() {
        let one = |line: &str| {
            MessageLine::parse(line.as_bytes())
                .messages
                .remove(0)
                .unwrap()
        };
        let with = |version: &str| {
            let meta = json!({VERSION_KEY: version});
            let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
            one(&line.to_string()).is_stateless()
        };
        assert!(with(STATELESS).unwrap());
        assert_eq!(with("1900-01-01").unwrap_err().code, UNSUPPORTED_VERSION);
        let plain = one(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
        assert!(!plain.is_stateless().unwrap());
    }
}

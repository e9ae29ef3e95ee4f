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

/// A message of the client.
#[derive(Debug)]
pub(super) struct Incoming {
    /// `None` for a notification.
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Value,
}

/// An error of the protocol.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) code: i64,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl Failure {
    pub(super) fn new(code: i64, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            data: None,
        }
    }
}

/// Parses a line. An error comes with the id of the request, null if it is unknown.
pub(super) fn parse(line: &[u8]) -> Result<Incoming, (Value, Failure)> {
    let message: Value = serde_json::from_slice(line).map_err(|error| {
        (
            Value::Null,
            Failure::new(PARSE_ERROR, format!("invalid JSON: {error}")),
        )
    })?;
    let id = message
        .get("id")
        .filter(|id| id.is_string() || id.is_number())
        .cloned();
    let invalid = |why: &str| {
        let id = id.clone().unwrap_or_default();
        (id, Failure::new(INVALID_REQUEST, why))
    };
    if message["jsonrpc"] != "2.0" {
        return Err(invalid("expected one JSON-RPC 2.0 object per line"));
    }
    if message.get("id").is_some() && id.is_none() {
        return Err(invalid("`id` must be a string or a number"));
    }
    let Some(method) = message["method"].as_str() else {
        return Err(invalid("`method` is missing"));
    };
    let params = match message.get("params") {
        None => json!({}),
        Some(params) if params.is_object() => params.clone(),
        Some(_) => {
            return Err((
                id.unwrap_or_default(),
                Failure::new(INVALID_PARAMS, "`params` must be an object"),
            ));
        }
    };
    let method = method.to_owned();
    Ok(Incoming { id, method, params })
}

impl Incoming {
    /// Returns whether the request is stateless; an error for an unknown version.
    pub(super) fn is_stateless(&self) -> Result<bool, Failure> {
        let version = &self.params["_meta"][VERSION_KEY];
        if version.is_null() {
            return Ok(false);
        }
        if version == STATELESS {
            return Ok(true);
        }
        Err(Failure {
            data: Some(json!({"supported": supported(), "requested": version})),
            ..Failure::new(UNSUPPORTED_VERSION, "Unsupported protocol version")
        })
    }

    /// Returns the name of the client, in letters, digits and hyphens.
    pub(super) fn client(&self) -> Option<String> {
        let info = match &self.params["clientInfo"] {
            Value::Null => &self.params["_meta"]["io.modelcontextprotocol/clientInfo"],
            info => info,
        };
        let name = info["name"].as_str()?.to_lowercase();
        let words = name.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        Some(words.join("-")).filter(|name| !name.is_empty())
    }
}

fn supported() -> Vec<&'static str> {
    [STATELESS].into_iter().chain(HANDSHAKE).collect()
}

fn server_info() -> Value {
    json!({"name": "mem", "title": "mem notes", "version": env!("CARGO_PKG_VERSION")})
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

/// Returns the reply to a request.
pub(super) fn reply(id: &Value, result: Result<Value, Failure>, is_stateless: bool) -> Value {
    match result {
        Ok(mut result) => {
            if is_stateless {
                result["resultType"] = json!("complete");
            }
            json!({"jsonrpc": "2.0", "id": id, "result": result})
        }
        Err(Failure {
            code,
            message,
            data,
        }) => {
            let mut error = json!({"code": code, "message": message});
            if let Some(data) = data {
                error["data"] = data;
            }
            let mut reply = json!({"jsonrpc": "2.0", "error": error});
            // The schema allows no null here.
            if !id.is_null() {
                reply["id"] = id.clone();
            }
            reply
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_messages_are_refused_with_their_id() {
        for (line, id, code) in [
            ("{", json!(null), PARSE_ERROR),
            ("[]", json!(null), INVALID_REQUEST),
            (r#"{"id":1,"method":"ping"}"#, json!(1), INVALID_REQUEST),
            (
                r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
                json!(null),
                INVALID_REQUEST,
            ),
            (r#"{"jsonrpc":"2.0","id":"a"}"#, json!("a"), INVALID_REQUEST),
            (
                r#"{"jsonrpc":"2.0","id":2,"method":"ping","params":[1]}"#,
                json!(2),
                INVALID_PARAMS,
            ),
        ] {
            let (given, failure) = parse(line.as_bytes()).unwrap_err();
            assert_eq!((given, failure.code), (id, code), "{line}");
        }
    }

    #[test]
    fn recognises_the_era_of_a_request() {
        let with = |version: &str| {
            let meta = json!({VERSION_KEY: version});
            let line = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
            parse(line.to_string().as_bytes()).unwrap().is_stateless()
        };
        assert!(with(STATELESS).unwrap());
        assert_eq!(with("1900-01-01").unwrap_err().code, UNSUPPORTED_VERSION);
        let plain = parse(br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).unwrap();
        assert!(!plain.is_stateless().unwrap());
    }
}

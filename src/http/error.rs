//! Errors of requests to a server.

use std::time::Duration;

/// Server messages are shortened to one line and never contain the key.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum HttpError {
    #[error("cannot reach `{url}`: {cause}")]
    Unreachable { url: String, cause: String },
    #[error("`{url}` did not answer within {limit:?}")]
    TimedOut {
        url: String,
        limit: Duration,
        /// Whether the connection was established.
        is_connected: bool,
    },
    /// The connection broke.
    #[error("`{url}` closed the connection early: {cause}")]
    Disconnected { url: String, cause: String },
    /// The server is temporarily unavailable.
    #[error("`{url}` is unavailable: {status}{}", message_suffix(.message))]
    Busy {
        url: String,
        /// The HTTP status, 429 or at least 500.
        status: u16,
        /// The server's message; may be empty.
        message: String,
        /// Requested delay.
        retry_after: Option<Duration>,
    },
    #[error("`{url}` refused the request: {status}{}", message_suffix(.message))]
    Refused {
        url: String,
        status: u16,
        /// The server's message; may be empty.
        message: String,
    },
    #[error("unexpected reply from `{url}`: it has more than {most} bytes")]
    TooLarge { url: String, most: u64 },
}

impl HttpError {
    /// Whether a retry may succeed.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::Disconnected { .. } | Self::Busy { .. })
    }

    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Busy { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}

fn message_suffix(text: &str) -> String {
    let colon = if text.is_empty() { "" } else { ": " };
    format!("{colon}{text}")
}

/// Returns the message of an error reply, in one line of at most 200 characters.
pub(super) fn reason(body: &str) -> String {
    let json: Option<serde_json::Value> = serde_json::from_str(body).ok();
    let error = json.as_ref().and_then(|json| json.get("error"));
    let reported = error.and_then(|error| error.get("message").unwrap_or(error).as_str());
    let message = reported.unwrap_or(if body.trim_start().starts_with('<') {
        ""
    } else {
        body
    });
    let line = message
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    line.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_single_lines() {
        let long = "x".repeat(300);
        for (body, expected) in [
            (
                r#"{"error":{"message":"no such\nmodel","code":1}}"#,
                "no such model",
            ),
            (r#"{"error":"no \u001b[31mmodel"}"#, "no [31mmodel"),
            (r#"{"detail":"x"}"#, r#"{"detail":"x"}"#),
            ("<html>\n<h1>502", ""),
            (" Bad\r\nGateway ", "Bad Gateway"),
            ("", ""),
            (&long, &long[..200]),
        ] {
            assert_eq!(reason(body), expected);
        }
    }
}

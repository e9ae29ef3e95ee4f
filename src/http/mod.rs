//! JSON requests to a server that the user configured.
//!
//! Every request has a timeout. Redirects are not followed and proxies are ignored, so data goes
//! only to the configured address. The key is sent and never shown.

mod address;
mod error;

use std::fmt;
use std::io::{self, ErrorKind};
use std::time::Duration;

use serde::Serialize;
use ureq::Agent;
use ureq::http::Response;

pub use address::address;
pub use error::HttpError;

/// Maximum number of attempts for temporary failures.
pub const MAX_ATTEMPTS: u32 = 4;

/// Delay after the first failure; it doubles with each further one.
const INITIAL_DELAY: Duration = Duration::from_millis(500);

/// Maximum delay that a server can request.
const MAX_REQUESTED_DELAY: Duration = Duration::from_secs(30);

/// Minimum length of a key, in bytes, to mask it in texts.
const MIN_MASKED_KEY_BYTES: usize = 8;

/// Maximum bytes read of an error reply.
const MAX_ERROR_BYTES: usize = 64 << 10;

pub struct Server {
    url: String,
    is_near: bool,
    key: Option<String>,
    agent: Agent,
}

impl fmt::Debug for Server {
    /// Omits the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}

/// Limits of a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Timeout for DNS.
    pub resolve: Duration,
    pub connect: Duration,
    /// Timeout for the whole request.
    pub whole: Duration,
    /// Maximum bytes of the reply.
    pub bytes: usize,
}

impl Server {
    /// Creates a client for the API endpoint `path`, such as `/embeddings`, of the server at
    /// `base`.
    pub fn new(base: &str, path: &str, key: Option<String>) -> Result<Self, String> {
        let (url, is_near) = address(base, path)?;
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("mem/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Ok(Self {
            url,
            is_near,
            key: key.filter(|key| !key.is_empty()),
            agent,
        })
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether the server is on this machine.
    pub fn is_near(&self) -> bool {
        self.is_near
    }

    /// Sends `body` and returns the body of the reply.
    pub fn post(
        &self,
        body: &impl Serialize,
        limits: &RequestLimits,
    ) -> Result<Vec<u8>, HttpError> {
        let failure = |error| self.failure(error, limits);
        let mut request = self.agent.post(&self.url);
        if let Some(key) = &self.key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let request = request
            .config()
            .timeout_resolve(Some(limits.resolve))
            .timeout_connect(Some(limits.connect))
            .timeout_global(Some(limits.whole))
            .build();
        let mut response = request.send_json(body).map_err(failure)?;
        let status = response.status().as_u16();
        let retry_after = retry_after(&response);
        let is_success = (200..300).contains(&status);
        let most = if is_success {
            limits.bytes
        } else {
            MAX_ERROR_BYTES
        };
        let body = response
            .body_mut()
            .with_config()
            .limit(most as u64)
            .read_to_vec();
        if is_success {
            return body.map_err(failure);
        }
        let message = self.reason(&body.unwrap_or_default());
        let url = self.url.clone();
        Err(if status == 429 || status >= 500 {
            HttpError::Busy {
                url,
                status,
                message,
                retry_after,
            }
        } else {
            HttpError::Refused {
                url,
                status,
                message,
            }
        })
    }

    /// Masks the key in `text`, raw or JSON-escaped: some servers quote it.
    pub fn without_key(&self, text: &str) -> String {
        // A shorter key may be an ordinary word.
        let Some(key) = self
            .key
            .as_ref()
            .filter(|key| key.len() >= MIN_MASKED_KEY_BYTES)
        else {
            return text.to_owned();
        };
        let json = serde_json::to_string(key).unwrap_or_default();
        let unopened = json.trim_start_matches('"');
        let escaped = unopened.strip_suffix('"').unwrap_or(unopened);
        text.replace(escaped, "…").replace(key, "…")
    }

    /// Returns the message of an error reply, in one line of at most 200 characters.
    pub fn reason(&self, body: &[u8]) -> String {
        error::reason(&self.without_key(&String::from_utf8_lossy(body)))
    }

    fn failure(&self, error: ureq::Error, limits: &RequestLimits) -> HttpError {
        let url = self.url.clone();
        let unreachable = |cause: &str| HttpError::Unreachable {
            url: url.clone(),
            cause: cause.to_owned(),
        };
        let timed_out = |limit, is_connected| HttpError::TimedOut {
            url: url.clone(),
            limit,
            is_connected,
        };
        match error {
            ureq::Error::Timeout(ureq::Timeout::Resolve) => unreachable("name lookup timed out"),
            ureq::Error::Timeout(ureq::Timeout::Connect) => timed_out(limits.connect, false),
            ureq::Error::Timeout(_) => timed_out(limits.whole, true),
            ureq::Error::BodyExceedsLimit(most) => HttpError::TooLarge { url, most },
            ureq::Error::Io(error) if !is_broken_connection(&error) => {
                unreachable(&error.to_string())
            }
            ureq::Error::Io(_) | ureq::Error::Protocol(_) | ureq::Error::BodyStalled => {
                let cause = error.to_string();
                HttpError::Disconnected { url, cause }
            }
            error => unreachable(&error.to_string()),
        }
    }
}

/// Retries temporary failures, at most [`MAX_ATTEMPTS`] attempts in total.
///
/// `wait` sleeps in between and returns whether to continue.
pub fn with_retries<T>(
    wait: impl Fn(Duration) -> bool,
    mut ask: impl FnMut() -> Result<T, HttpError>,
) -> Result<T, HttpError> {
    let mut tries = 1;
    loop {
        let error = match ask() {
            Ok(reply) => return Ok(reply),
            Err(error) => error,
        };
        let asked = error
            .retry_after()
            .unwrap_or(INITIAL_DELAY * 2u32.pow(tries - 1));
        if !error.is_temporary() || tries == MAX_ATTEMPTS || !wait(asked.min(MAX_REQUESTED_DELAY)) {
            return Err(error);
        }
        tries += 1;
    }
}

/// Whether an established connection broke.
fn is_broken_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
    )
}

/// Returns the delay that the server requests, in seconds.
fn retry_after<T>(response: &Response<T>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?;
    Some(Duration::from_secs(seconds.trim().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_masked_raw_and_json_escaped() {
        for key in ["sk-secret-1", "sk-\"quoted\\key"] {
            let server = Server::new("http://localhost:1", "/x", Some(key.to_owned())).unwrap();
            let written = serde_json::to_string(&format!("the key is {key}!")).unwrap();
            for text in [&written, key] {
                let masked = server.without_key(text);
                assert!(!masked.contains("sk-"), "{masked}");
            }
        }
        // A short key may be an ordinary word and is not masked.
        let server = Server::new("http://localhost:1", "/x", Some("yes".to_owned())).unwrap();
        assert_eq!(server.without_key("yes"), "yes");
    }
}

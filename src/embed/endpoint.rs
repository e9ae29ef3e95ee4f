//! A model behind HTTP: a server that answers `/v1/embeddings` in the way that has become common,
//! like Ollama or llama.cpp.
//!
//! Only what the user set up leads here. Every call ends in time: a query within
//! [`Options::patience`], and at once where no server listens; a batch of passages within
//! [`Options::timeout`] for each of a few tries. An endpoint that failed is not asked again by the
//! same value, so that a command waits for it once. Where the endpoint redirects is not followed,
//! and no proxy is looked for: what is sent goes to the address that was set, and nowhere else.

use std::fmt::{self, Write as _};
use std::io::{self, ErrorKind};
use std::sync::OnceLock;
use std::time::Duration;

use serde::Serialize;
use ureq::Agent;
use ureq::http::Response;

use super::address::address;
use super::answer::{WIDEST, reason, vectors};
use super::embedder::{Embedder, Model, Purpose, Thresholds};
use super::error::EmbedError;
use super::options::Options;

/// How often passages are tried.
const TRIES: u32 = 4;

/// The wait after the first failure; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// The longest wait that an endpoint can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// How long it may take to find out that no server is there: the name of another machine, or a port of
/// this one.
const AT_ONCE: Duration = Duration::from_millis(80);

/// How long passages wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// The bytes of text in one request, unless a single text has more.
const BATCH_BYTES: usize = 256 << 10;

/// The bytes of one number in an answer: sign, 17 digits, exponent, comma, and as much white space.
const NUMBER_BYTES: usize = 64;

/// The bytes of an answer that are read, for any request.
const LARGEST_ANSWER: usize = 256 << 20;

/// Starting values for an unknown model: those of sentence models of today.
const THRESHOLDS: Thresholds = Thresholds {
    related: 0.55,
    cluster_short: 0.75,
    cluster_note: 0.8,
    duplicate: 0.92,
};

/// What an endpoint is asked with.
pub struct Setup {
    pub options: Options,
    /// The key, if it wants one. It is sent and never shown.
    pub key: Option<String>,
    /// Why a query should not be tried, where one was not answered a moment ago.
    pub rests: Option<String>,
    /// Waits between two tries.
    pub wait: fn(Duration),
}

pub struct Endpoint {
    model: Model,
    url: String,
    is_near: bool,
    setup: Setup,
    agent: Agent,
    dims: OnceLock<usize>,
    failed: OnceLock<EmbedError>,
}

impl fmt::Debug for Endpoint {
    /// Without the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("url", &self.url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// A request; numbers are asked for as numbers.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

/// What to do about a failure.
enum Failure {
    /// Trying again would give the same.
    Final(EmbedError),
    /// It may pass, after the wait that was asked for.
    Passing(EmbedError, Option<Duration>),
}

impl Endpoint {
    /// Returns the model that `setup` describes; nothing is asked yet.
    pub fn new(setup: Setup) -> Result<Self, EmbedError> {
        let options = &setup.options;
        let (url, is_near) = address(&options.url)?;
        let mut id = format!("endpoint:{}", options.model);
        for (name, prefix) in [
            ("query", &options.query_prefix),
            ("passage", &options.passage_prefix),
        ] {
            if !prefix.is_empty() {
                let _ = write!(id, " {name}:{prefix:?}");
            }
        }
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .user_agent(concat!("mem/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        Ok(Self {
            model: Model {
                id,
                thresholds: THRESHOLDS,
            },
            url,
            is_near,
            setup,
            agent,
            dims: OnceLock::new(),
            failed: OnceLock::new(),
        })
    }

    /// Embeds texts that fit into one request and are not blank.
    fn request(&self, texts: &[String], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut tries = 1;
        loop {
            let error = match (self.once(texts, purpose), purpose) {
                (Ok(vectors), _) => return Ok(vectors),
                (Err(Failure::Passing(_, asked)), Purpose::Passage) if tries < TRIES => {
                    let wait = asked.unwrap_or(FIRST_WAIT * 2u32.pow(tries - 1));
                    (self.setup.wait)(wait.min(LONGEST_WAIT));
                    tries += 1;
                    continue;
                }
                (Err(Failure::Final(error) | Failure::Passing(error, _)), _) => error,
            };
            return Err(self.failed.get_or_init(|| error).clone());
        }
    }

    fn once(&self, texts: &[String], purpose: Purpose) -> Result<Vec<Vec<f32>>, Failure> {
        let Setup { options, key, .. } = &self.setup;
        let (model, patience) = (&options.model, options.patience);
        let (resolve, connect, limit) = match purpose {
            Purpose::Query if self.is_near => (patience, AT_ONCE, patience),
            Purpose::Query => (AT_ONCE, patience, patience),
            Purpose::Passage => (CONNECT, CONNECT, options.timeout),
        };
        let failure = |error| self.failure(error, connect, limit);
        let mut request = self.agent.post(&self.url);
        if let Some(key) = key {
            request = request.header("Authorization", format!("Bearer {key}"));
        }
        let request = request
            .config()
            .timeout_resolve(Some(resolve))
            .timeout_connect(Some(connect))
            .timeout_global(Some(limit))
            .build();
        let sent = request.send_json(Request {
            model,
            input: texts,
            encoding_format: "float",
        });
        let mut response = sent.map_err(failure)?;
        let status = response.status().as_u16();
        let wait = asked_wait(&response);
        let most = match status {
            200..300 => (texts.len() * WIDEST * NUMBER_BYTES).min(LARGEST_ANSWER),
            _ => 64 << 10,
        };
        let body = response
            .body_mut()
            .with_config()
            .limit(most as u64)
            .read_to_vec();
        if !(200..300).contains(&status) {
            let message = self.sanitised(&body.unwrap_or_default());
            let url = self.url.clone();
            return Err(if status == 429 || status >= 500 {
                Failure::Passing(
                    EmbedError::Busy {
                        url,
                        status,
                        message,
                    },
                    wait,
                )
            } else {
                Failure::Final(EmbedError::Refused {
                    url,
                    status,
                    message,
                })
            });
        }
        let body = body.map_err(failure)?;
        self.checked(&body, texts.len()).map_err(Failure::Final)
    }

    fn checked(&self, body: &[u8], count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let url = || self.url.clone();
        let vectors = vectors(body, count).map_err(|why| EmbedError::Unusable {
            url: url(),
            why: self.sanitised(why.as_bytes()),
        })?;
        let found = vectors.first().map_or(0, Vec::len);
        let known = *self.dims.get_or_init(|| found);
        if found != known {
            let url = url();
            return Err(EmbedError::Width { url, found, known });
        }
        Ok(vectors)
    }

    /// Returns the line that something from there may be shown as: some servers quote the key.
    fn sanitised(&self, text: &[u8]) -> String {
        match self.setup.key.as_deref() {
            None | Some("") => reason(text),
            Some(key) => reason(String::from_utf8_lossy(text).replace(key, "…").as_bytes()),
        }
    }

    fn failure(&self, error: ureq::Error, connect: Duration, limit: Duration) -> Failure {
        let url = self.url.clone();
        let missing = |cause: &str| {
            Failure::Final(EmbedError::Unreachable {
                url: url.clone(),
                cause: cause.to_owned(),
            })
        };
        match error {
            ureq::Error::Timeout(ureq::Timeout::Resolve) => missing("name lookup timed out"),
            ureq::Error::Timeout(ureq::Timeout::Connect) => {
                let limit = connect;
                Failure::Final(EmbedError::TimedOut { url, limit })
            }
            ureq::Error::Timeout(_) => Failure::Final(EmbedError::TimedOut { url, limit }),
            ureq::Error::BodyExceedsLimit(most) => Failure::Final(EmbedError::Unusable {
                url,
                why: format!("it has more than {most} bytes"),
            }),
            ureq::Error::Io(error) if !is_lost(&error) => missing(&error.to_string()),
            ureq::Error::Io(_) | ureq::Error::Protocol(_) | ureq::Error::BodyStalled => {
                let cause = error.to_string();
                Failure::Passing(EmbedError::Disconnected { url, cause }, None)
            }
            error => missing(&error.to_string()),
        }
    }
}

impl Embedder for Endpoint {
    fn model(&self) -> &Model {
        &self.model
    }

    fn dims(&self) -> Option<usize> {
        self.dims.get().copied()
    }

    fn is_immediate(&self) -> bool {
        false
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let Some(failed) = self.failed.get() {
            return Err(failed.clone());
        }
        if let (Some(why), Purpose::Query) = (&self.setup.rests, purpose) {
            let (url, why) = (self.url.clone(), why.clone());
            return Err(EmbedError::BackingOff { url, why });
        }
        let prefix = match purpose {
            Purpose::Query => &self.setup.options.query_prefix,
            Purpose::Passage => &self.setup.options.passage_prefix,
        };
        // Many endpoints refuse a blank text, and with it the whole batch.
        let mut asked = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| !text.trim().is_empty());
        let mut vectors = vec![Vec::new(); texts.len()];
        let (mut batch, mut positions, mut bytes) = (Vec::new(), Vec::new(), 0);
        loop {
            let next = asked.next();
            let is_full = next.is_none_or(|(_, text)| {
                batch.len() >= self.setup.options.batch.max(1) || bytes + text.len() > BATCH_BYTES
            });
            if is_full && !batch.is_empty() {
                let answered = self.request(&batch, purpose)?;
                for (position, vector) in positions.drain(..).zip(answered) {
                    vectors[position] = vector;
                }
                batch.clear();
                bytes = 0;
            }
            let Some((position, text)) = next else { break };
            positions.push(position);
            batch.push(format!("{prefix}{text}"));
            bytes += text.len();
        }
        for blank in vectors.iter_mut().filter(|vector| vector.is_empty()) {
            if self.dims.get().is_none() {
                // Any text tells how wide the zeros are.
                self.request(&[".".to_owned()], purpose)?;
            }
            blank.resize(self.dims().unwrap_or(0), 0.0);
        }
        Ok(vectors)
    }
}

/// Whether a connection that was there broke off.
fn is_lost(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
    )
}

/// Returns how long an endpoint asks to wait, in seconds.
fn asked_wait<T>(response: &Response<T>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?;
    Some(Duration::from_secs(seconds.trim().parse().ok()?))
}

#[cfg(test)]
mod tests;

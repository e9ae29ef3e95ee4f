//! A model behind HTTP: a server with an OpenAI-compatible `/v1/embeddings`, such as Ollama or llama.cpp.
//!
//! Only the user's configuration enables it. Every call has a time limit. A query fails after
//! [`EmbedOptions::patience`], and immediately if no server listens. A batch of passages fails after a few tries
//! of [`EmbedOptions::timeout`] each. After a failure the same instance sends no more requests, so that a command
//! waits only once.

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Serialize;

use super::answer::{MAX_DIMS, vectors};
use super::embedder::{DEFAULT_SEARCH_WEIGHT, Embedder, EmbeddingPurpose, Model, Thresholds};
use super::error::EmbedError;
use super::options::{EmbedOptions, PATH};
use crate::http::{HttpError, RequestLimits, Server, with_retries};

/// Maximum time for a query to detect a missing server: name resolution of a remote host, or the
/// connection to a local port.
const UNREACHABLE_TIMEOUT: Duration = Duration::from_millis(80);

/// Connect timeout of passages.
const PASSAGE_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum bytes of text per request, unless a single text is longer.
const MAX_BATCH_BYTES: usize = 256 << 10;

/// Maximum bytes of one number in a response: sign, 17 digits, exponent, comma, and as much white space.
const MAX_NUMBER_BYTES: usize = 64;

/// Maximum bytes of a response.
const MAX_RESPONSE_BYTES: usize = 256 << 20;

/// Initial thresholds for an unknown model: those of current sentence models.
const THRESHOLDS: Thresholds = Thresholds {
    related: 0.55,
    cluster_short: 0.75,
    cluster_note: 0.8,
    duplicate: 0.92,
};

/// Configuration of an endpoint.
pub struct Setup {
    pub options: EmbedOptions,
    /// The API key, if required. It is sent and never shown.
    pub key: Option<String>,
    /// Why queries are suspended after a recent failure.
    pub rests: Option<String>,
    /// Sleeps between two tries.
    pub wait: fn(Duration),
}

#[derive(Debug)]
pub struct Endpoint {
    model: Model,
    server: Server,
    options: EmbedOptions,
    rests: Option<String>,
    wait: fn(Duration),
    dims: OnceLock<usize>,
    failed: OnceLock<EmbedError>,
}

/// A request; vectors are requested as numbers.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

impl Endpoint {
    /// Returns the model that `setup` describes; sends no request yet.
    pub fn new(setup: Setup) -> Result<Self, String> {
        let options = setup.options;
        let mut id = format!("endpoint:{}", options.model);
        for (name, prefix) in [
            ("query", &options.query_prefix),
            ("passage", &options.passage_prefix),
        ] {
            if !prefix.is_empty() {
                let _ = write!(id, " {name}:{prefix:?}");
            }
        }
        Ok(Self {
            model: Model {
                id,
                thresholds: THRESHOLDS,
                search_weight: DEFAULT_SEARCH_WEIGHT,
                question_weight: DEFAULT_SEARCH_WEIGHT,
                baseline: 0.0,
            },
            server: Server::new(&options.url, PATH, setup.key)?,
            options,
            rests: setup.rests,
            wait: setup.wait,
            dims: OnceLock::new(),
            failed: OnceLock::new(),
        })
    }

    /// Embeds non-blank texts that fit into one request.
    fn request(
        &self,
        texts: &[String],
        purpose: EmbeddingPurpose,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        let wait = |time| {
            (self.wait)(time);
            true
        };
        let answered = match purpose {
            EmbeddingPurpose::Query => self.once(texts, purpose),
            EmbeddingPurpose::Passage => with_retries(wait, || self.once(texts, purpose)),
        };
        let checked = answered
            .map_err(EmbedError::from)
            .and_then(|body| self.checked(&body, texts.len()));
        checked.map_err(|error| self.failed.get_or_init(|| error).clone())
    }

    fn once(&self, texts: &[String], purpose: EmbeddingPurpose) -> Result<Vec<u8>, HttpError> {
        let patience = self.options.patience;
        let (resolve, connect, whole) = match purpose {
            EmbeddingPurpose::Query if self.server.is_near() => {
                (patience, UNREACHABLE_TIMEOUT, patience)
            }
            EmbeddingPurpose::Query => (UNREACHABLE_TIMEOUT, patience, patience),
            EmbeddingPurpose::Passage => (
                PASSAGE_CONNECT_TIMEOUT,
                PASSAGE_CONNECT_TIMEOUT,
                self.options.timeout,
            ),
        };
        let request = Request {
            model: &self.options.model,
            input: texts,
            encoding_format: "float",
        };
        let limits = RequestLimits {
            resolve,
            connect,
            whole,
            bytes: (texts.len() * MAX_DIMS * MAX_NUMBER_BYTES).min(MAX_RESPONSE_BYTES),
        };
        self.server.post(&request, &limits)
    }

    fn checked(&self, body: &[u8], count: usize) -> Result<Vec<Vec<f32>>, EmbedError> {
        let url = || self.server.url().to_owned();
        let vectors = vectors(body, count).map_err(|why| EmbedError::Unusable {
            url: url(),
            why: self.server.reason(why.as_bytes()),
        })?;
        let found = vectors.first().map_or(0, Vec::len);
        let known = *self.dims.get_or_init(|| found);
        if found != known {
            let url = url();
            return Err(EmbedError::Width { url, found, known });
        }
        Ok(vectors)
    }
}

impl Embedder for Endpoint {
    fn model(&self) -> &Model {
        &self.model
    }

    fn is_immediate(&self) -> bool {
        false
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: EmbeddingPurpose,
    ) -> Result<Vec<Vec<f32>>, EmbedError> {
        if let Some(failed) = self.failed.get() {
            return Err(failed.clone());
        }
        if let (Some(why), EmbeddingPurpose::Query) = (&self.rests, purpose) {
            let (url, why) = (self.server.url().to_owned(), why.clone());
            return Err(EmbedError::BackingOff { url, why });
        }
        let prefix = match purpose {
            EmbeddingPurpose::Query => &self.options.query_prefix,
            EmbeddingPurpose::Passage => &self.options.passage_prefix,
        };
        // Many endpoints reject a whole batch with a blank text.
        let mut asked = texts
            .iter()
            .enumerate()
            .filter(|(_, text)| !text.trim().is_empty());
        let mut vectors = vec![Vec::new(); texts.len()];
        let (mut batch, mut positions, mut bytes) = (Vec::new(), Vec::new(), 0);
        loop {
            let next = asked.next();
            let is_full = next.is_none_or(|(_, text)| {
                batch.len() >= self.options.batch.max(1) || bytes + text.len() > MAX_BATCH_BYTES
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
                // Any text reveals the width of the zero vectors.
                self.request(&[".".to_owned()], purpose)?;
            }
            blank.resize(self.dims.get().copied().unwrap_or(0), 0.0);
        }
        Ok(vectors)
    }
}

#[cfg(test)]
mod tests;

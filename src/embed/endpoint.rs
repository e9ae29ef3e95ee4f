//! A model behind HTTP: a server that answers `/v1/embeddings` in the way that has become common,
//! like Ollama or llama.cpp.
//!
//! Only what the user set up leads here. Every call ends in time: a query within
//! [`Options::patience`], and at once where no server listens; a batch of passages within
//! [`Options::timeout`] for each of a few tries. An endpoint that failed is not asked again by the
//! same value, so that a command waits for it once.

use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Duration;

use serde::Serialize;

use super::answer::{WIDEST, vectors};
use super::embedder::{Embedder, Model, Purpose, Thresholds};
use super::error::EmbedError;
use super::options::{Options, PATH};
use crate::http::{HttpError, Limits, Server, patiently};

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

#[derive(Debug)]
pub struct Endpoint {
    model: Model,
    server: Server,
    options: Options,
    rests: Option<String>,
    wait: fn(Duration),
    dims: OnceLock<usize>,
    failed: OnceLock<EmbedError>,
}

/// A request; numbers are asked for as numbers.
#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
}

impl Endpoint {
    /// Returns the model that `setup` describes; nothing is asked yet.
    pub fn new(setup: Setup) -> Result<Self, String> {
        let Setup {
            options,
            key,
            rests,
            wait,
        } = setup;
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
            },
            server: Server::new(&options.url, PATH, key)?,
            options,
            rests,
            wait,
            dims: OnceLock::new(),
            failed: OnceLock::new(),
        })
    }

    /// Embeds texts that fit into one request and are not blank.
    fn request(&self, texts: &[String], purpose: Purpose) -> Result<Vec<Vec<f32>>, EmbedError> {
        let wait = |time| {
            (self.wait)(time);
            true
        };
        let answered = match purpose {
            Purpose::Query => self.once(texts, purpose),
            Purpose::Passage => patiently(wait, || self.once(texts, purpose)),
        };
        let checked = answered
            .map_err(EmbedError::from)
            .and_then(|body| self.checked(&body, texts.len()));
        checked.map_err(|error| self.failed.get_or_init(|| error).clone())
    }

    fn once(&self, texts: &[String], purpose: Purpose) -> Result<Vec<u8>, HttpError> {
        let patience = self.options.patience;
        let (resolve, connect, whole) = match purpose {
            Purpose::Query if self.server.is_near() => (patience, AT_ONCE, patience),
            Purpose::Query => (AT_ONCE, patience, patience),
            Purpose::Passage => (CONNECT, CONNECT, self.options.timeout),
        };
        let request = Request {
            model: &self.options.model,
            input: texts,
            encoding_format: "float",
        };
        let limits = Limits {
            resolve,
            connect,
            whole,
            bytes: (texts.len() * WIDEST * NUMBER_BYTES).min(LARGEST_ANSWER),
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
        if let (Some(why), Purpose::Query) = (&self.rests, purpose) {
            let (url, why) = (self.server.url().to_owned(), why.clone());
            return Err(EmbedError::BackingOff { url, why });
        }
        let prefix = match purpose {
            Purpose::Query => &self.options.query_prefix,
            Purpose::Passage => &self.options.passage_prefix,
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
                batch.len() >= self.options.batch.max(1) || bytes + text.len() > BATCH_BYTES
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

#[cfg(test)]
mod tests;

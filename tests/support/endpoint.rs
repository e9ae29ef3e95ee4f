//! A local embedding endpoint, as of Ollama, llama.cpp and others.

use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mem::embed::{Embedder as _, EmbeddingPurpose, embedded};
use serde_json::json;

use super::TestVault;
use super::server::{ReceivedRequest, Server, reply};

/// Behaviour of the endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Returns vectors of this many dimensions.
    Answers(usize),
    /// Accepts the request and does not reply.
    Hangs,
    /// Replies with something else.
    Garbage,
    /// Replies 429 Too Many Requests.
    TooMany,
}

/// A running endpoint; it ends with the tests.
pub(crate) struct Endpoint {
    server: Server,
    manner: Arc<Mutex<Manner>>,
}

impl Endpoint {
    /// Starts an endpoint whose vectors are prefixes of those of the built-in model.
    pub(crate) fn new(manner: Manner) -> Self {
        let manner = Arc::new(Mutex::new(manner));
        let how = Arc::clone(&manner);
        let server = Server::new(move |_, asked, stream| {
            let manner = *how.lock().unwrap();
            answer(asked, manner, stream);
        });
        Self { server, manner }
    }

    /// Changes its behaviour.
    pub(crate) fn behave(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    /// Returns the number of texts received since the last call.
    pub(crate) fn asked(&self) -> usize {
        self.server
            .take()
            .iter()
            .map(|asked| texts(asked).len())
            .sum()
    }

    /// Returns its address.
    pub(crate) fn url(&self) -> &str {
        &self.server.url
    }

    /// Configures the user of `vault` to use its model `model`.
    pub(crate) fn choose(&self, vault: &TestVault, model: &str) {
        let folder = vault.home(".config/mem");
        std::fs::create_dir_all(&folder).unwrap();
        let settings = format!(
            "[embed]\nprovider = \"endpoint\"\nurl = \"{}\"\nmodel = \"{model}\"\npatience = 0.5\n",
            self.url()
        );
        std::fs::write(folder.join("config.toml"), settings).unwrap();
    }
}

fn texts(asked: &ReceivedRequest) -> Vec<String> {
    serde_json::from_value(asked.body["input"].clone()).unwrap()
}

fn answer(asked: &ReceivedRequest, manner: Manner, stream: &mut TcpStream) {
    match manner {
        Manner::Answers(dims) => reply(stream, "200 OK", "", &vectors(&texts(asked), dims)),
        Manner::Hangs => thread::sleep(Duration::from_secs(60)),
        Manner::Garbage => reply(stream, "200 OK", "", "<html>Welcome!</html>"),
        Manner::TooMany => reply(stream, "429 Too Many Requests", "", "{}"),
    }
}

fn vectors(texts: &[String], dims: usize) -> String {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedded().embed(&texts, EmbeddingPurpose::Passage).unwrap();
    let data = vectors.iter().enumerate().map(|(index, vector)| {
        json!({"object": "embedding", "index": index, "embedding": &vector[..dims]})
    });
    json!({"object": "list", "data": data.collect::<Vec<_>>()}).to_string()
}

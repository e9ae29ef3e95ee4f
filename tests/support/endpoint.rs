//! An embedding endpoint on this machine, as Ollama, llama.cpp and others offer it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mem::embed::{Embedder as _, Purpose, embedded};
use serde_json::{Value, json};

use super::TestVault;

/// What it does when it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Answers in as many numbers.
    Answers(usize),
    /// Takes the question and says nothing.
    Hangs,
    /// Answers something else.
    Garbage,
    /// Wants to be left alone.
    TooMany,
}

/// A running endpoint; it ends with the tests.
pub(crate) struct Endpoint {
    url: String,
    manner: Arc<Mutex<Manner>>,
    texts: Arc<Mutex<Vec<String>>>,
}

impl Endpoint {
    /// Starts one whose vectors are the first numbers of those of the model in mem.
    pub(crate) fn new(manner: Manner) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let manner = Arc::new(Mutex::new(manner));
        let texts = Arc::new(Mutex::new(Vec::new()));
        let (how, all) = (Arc::clone(&manner), Arc::clone(&texts));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (how, all) = (Arc::clone(&how), Arc::clone(&all));
                thread::spawn(move || {
                    let manner = *how.lock().unwrap();
                    answer(&stream, manner, &all)
                });
            }
        });
        Self { url, manner, texts }
    }

    /// Makes it behave otherwise from now on.
    pub(crate) fn behave(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    /// Returns how many texts it was asked for since the last call.
    pub(crate) fn asked(&self) -> usize {
        std::mem::take(&mut *self.texts.lock().unwrap()).len()
    }

    /// Returns its address.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Has the user of `vault` ask its model `model`.
    pub(crate) fn choose(&self, vault: &TestVault, model: &str) {
        let folder = vault.home(".config/mem");
        std::fs::create_dir_all(&folder).unwrap();
        let settings = format!(
            "[embed]\nprovider = \"endpoint\"\nurl = \"{}\"\nmodel = \"{model}\"\npatience = 0.5\n",
            self.url
        );
        std::fs::write(folder.join("config.toml"), settings).unwrap();
    }
}

/// Reads one request and does `manner`; a client that goes away is nobody's fault.
fn answer(stream: &TcpStream, manner: Manner, all: &Mutex<Vec<String>>) -> Option<()> {
    let mut lines = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        if lines.read_line(&mut head).ok()? == 0 {
            return None;
        }
    }
    let lower = head.to_lowercase();
    let length = lower.split("content-length: ").nth(1)?.lines().next()?;
    let mut body = vec![0; length.parse().ok()?];
    lines.read_exact(&mut body).ok()?;
    let asked: Value = serde_json::from_slice(&body).ok()?;
    let texts: Vec<String> = serde_json::from_value(asked["input"].clone()).ok()?;
    all.lock().unwrap().extend(texts.iter().cloned());
    let (status, body) = match manner {
        Manner::Answers(dims) => ("200 OK", vectors(&texts, dims)),
        Manner::Hangs => {
            thread::sleep(Duration::from_secs(60));
            return None;
        }
        Manner::Garbage => ("200 OK", "<html>Welcome!</html>".to_owned()),
        Manner::TooMany => ("429 Too Many Requests", "{}".to_owned()),
    };
    let length = body.len();
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .ok()
}

fn vectors(texts: &[String], dims: usize) -> String {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedded().embed(&texts, Purpose::Passage).unwrap();
    let data = vectors.iter().enumerate().map(|(index, vector)| {
        json!({"object": "embedding", "index": index, "embedding": &vector[..dims]})
    });
    json!({"object": "list", "data": data.collect::<Vec<_>>()}).to_string()
}

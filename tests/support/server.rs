//! A local HTTP server whose replies the test defines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::{Value, json};

/// A request: header lines and body.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedRequest {
    pub(crate) head: String,
    pub(crate) body: Value,
}

/// A running server; it ends with the tests.
pub(crate) struct Server {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<ReceivedRequest>>>,
}

impl Server {
    /// Starts a server that passes the judges' exam and then replies to the nth request with
    /// `answer`, each on its own connection.
    pub(crate) fn new(
        answer: impl Fn(usize, &ReceivedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        Self::start(answer, true)
    }

    /// Starts a server that replies to the nth request with `answer`, including the exam.
    pub(crate) fn examined(
        answer: impl Fn(usize, &ReceivedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        Self::start(answer, false)
    }

    fn start(
        answer: impl Fn(usize, &ReceivedRequest, &mut TcpStream) + Send + Sync + 'static,
        passes: bool,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (all, answer) = (Arc::clone(&received), Arc::new(answer));
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (all, answer) = (Arc::clone(&all), Arc::clone(&answer));
                thread::spawn(move || {
                    // A client may disconnect.
                    let received = read(&stream)?;
                    if let Some(right) = right(&received.body).filter(|_| passes) {
                        let message = json!({"content": right});
                        let completion = json!({"choices": [{"message": message}]});
                        reply(&mut stream, "200 OK", "", &completion.to_string());
                        return Some(());
                    }
                    let nth = {
                        let mut all = all.lock().unwrap();
                        all.push(received.clone());
                        all.len() - 1
                    };
                    answer(nth, &received, &mut stream);
                    Some(())
                });
            }
        });
        Self { url, received }
    }

    /// Returns the requests since the last call.
    pub(crate) fn take(&self) -> Vec<ReceivedRequest> {
        std::mem::take(&mut *self.received.lock().unwrap())
    }
}

/// Returns the correct answer to a question of the exam.
pub(crate) fn right(body: &Value) -> Option<&'static str> {
    let question = body["messages"][1]["content"].as_str()?;
    let question: Value = serde_json::from_str(question).ok()?;
    let first = question["notes"][0]["path"].as_str()?;
    let name = first.strip_prefix("exam/")?.strip_suffix(".md")?;
    let is_yes = ["Window cleaner", "Mia moved", "The rain barrel leaks"].contains(&name);
    Some(if is_yes { "yes" } else { "no" })
}

fn read(stream: &TcpStream) -> Option<ReceivedRequest> {
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
    let body = serde_json::from_slice(&body).ok()?;
    Some(ReceivedRequest { head, body })
}

/// Sends `body` with a status like `200 OK` and `headers`, each with its line ending.
pub(crate) fn reply(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    );
}

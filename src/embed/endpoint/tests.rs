//! Against a server on this machine that behaves as badly as servers do.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use super::*;

/// What was asked of a server.
#[derive(Clone, Debug)]
struct RecordedRequest {
    head: String,
    model: String,
    input: Vec<String>,
    format: String,
}

/// A server on this machine; it ends with the tests.
struct Server {
    url: String,
    asked: Arc<Mutex<Vec<RecordedRequest>>>,
}

impl Server {
    /// Starts one that does `answer` with the nth request, on a connection of its own.
    fn new(
        answer: impl Fn(usize, &RecordedRequest, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (all, answer) = (Arc::clone(&asked), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (all, answer) = (Arc::clone(&all), Arc::clone(&answer));
                thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    let Some(asked) = read(&stream) else { return };
                    let nth = {
                        let mut all = all.lock().unwrap();
                        all.push(asked.clone());
                        all.len() - 1
                    };
                    answer(nth, &asked, &mut stream);
                });
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> Vec<RecordedRequest> {
        self.asked.lock().unwrap().clone()
    }

    fn endpoint(&self) -> Endpoint {
        Endpoint::new(self.setup()).unwrap()
    }

    fn setup(&self) -> Setup {
        setup(options(&self.url))
    }
}

fn options(url: &str) -> EmbedOptions {
    EmbedOptions {
        url: url.to_owned(),
        model: "nomic".to_owned(),
        timeout: Duration::from_secs(20),
        patience: Duration::from_millis(300),
        ..EmbedOptions::default()
    }
}

fn setup(options: EmbedOptions) -> Setup {
    Setup {
        options,
        key: None,
        rests: None,
        wait: |time| WAITS.with_borrow_mut(|waits| waits.push(time.as_millis())),
    }
}

thread_local! {
    /// The waits of this test, in milliseconds.
    static WAITS: RefCell<Vec<u128>> = const { RefCell::new(Vec::new()) };
}

fn waits() -> Vec<u128> {
    WAITS.take()
}

fn read(stream: &TcpStream) -> Option<RecordedRequest> {
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
    let json: serde_json::Value = serde_json::from_slice(&body).unwrap();
    Some(RecordedRequest {
        head,
        model: json["model"].as_str()?.to_owned(),
        input: serde_json::from_value(json["input"].clone()).unwrap(),
        format: json["encoding_format"].as_str()?.to_owned(),
    })
}

fn reply(stream: &mut TcpStream, status: &str, headers: &str, body: &str) {
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    );
}

/// A vector for each text: its length, and 1 at one place in `dims`.
fn good(asked: &RecordedRequest, dims: usize) -> String {
    let vectors = asked.input.iter().enumerate().map(|(index, text)| {
        let mut vector = vec![0.0; dims];
        vector[text.len() % dims] = 5.0;
        serde_json::json!({ "index": index, "embedding": vector })
    });
    // The last first.
    let data: Vec<_> = vectors.rev().collect();
    serde_json::json!({ "object": "list", "data": data }).to_string()
}

fn answer_well(_: usize, asked: &RecordedRequest, stream: &mut TcpStream) {
    reply(stream, "200 OK", "", &good(asked, 4));
}

/// Returns once the other side has hung up.
fn hang(stream: &mut TcpStream) {
    let _ = stream.read(&mut [0]);
}

fn unit(index: usize) -> Vec<f32> {
    let mut vector = vec![0.0; 4];
    vector[index % 4] = 1.0;
    vector
}

/// Runs `work` and asserts how long it took; on a busy machine the best of some runs counts.
fn within<T>(most: u64, mut work: impl FnMut() -> T) -> T {
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let start = Instant::now();
        let result = work();
        best = best.min(start.elapsed());
        if best <= Duration::from_millis(most) {
            return result;
        }
    }
    panic!("it took {best:?}, not {most} ms");
}

fn query(endpoint: &Endpoint) -> EmbedError {
    endpoint
        .embed(&["tea"], EmbeddingPurpose::Query)
        .unwrap_err()
}

fn passages(endpoint: &Endpoint) -> EmbedError {
    endpoint
        .embed(&["tea", "cup"], EmbeddingPurpose::Passage)
        .unwrap_err()
}

#[test]
fn embeds_batches_in_order() {
    let server = Server::new(answer_well);
    let options = EmbedOptions {
        query_prefix: "q: ".to_owned(),
        passage_prefix: "p: ".to_owned(),
        batch: 2,
        ..options(&server.url)
    };
    let endpoint = Endpoint::new(Setup {
        key: Some("secret".to_owned()),
        ..setup(options)
    })
    .unwrap();
    assert_eq!(endpoint.dims.get(), None);
    assert!(!endpoint.is_immediate());
    let texts = ["a", "bb", " \n", "ccc", "dddd", "e"];
    let vectors = endpoint.embed(&texts, EmbeddingPurpose::Passage).unwrap();
    let expected = [unit(4), unit(5), vec![0.0; 4], unit(6), unit(7), unit(4)];
    assert_eq!(vectors, expected);
    assert_eq!(endpoint.dims.get(), Some(&4));
    let found = endpoint.embed(&["a"], EmbeddingPurpose::Query).unwrap();
    assert_eq!(found, [unit(4)]);
    assert_eq!(endpoint.embed(&[], EmbeddingPurpose::Passage), Ok(vec![]));
    let asked = server.asked();
    let inputs: Vec<_> = asked.iter().map(|asked| asked.input.join("|")).collect();
    assert_eq!(inputs, ["p: a|p: bb", "p: ccc|p: dddd", "p: e", "q: a"]);
    for asked in asked {
        assert!(asked.head.starts_with("POST /v1/embeddings HTTP/1.1\r\n"));
        assert!(
            asked
                .head
                .to_lowercase()
                .contains("\r\nauthorization: bearer secret\r\n")
        );
        assert_eq!((&*asked.model, &*asked.format), ("nomic", "float"));
    }
}

#[test]
fn blank_texts_become_zero_vectors() {
    let server = Server::new(answer_well);
    let vectors = server
        .endpoint()
        .embed(&["", " \n"], EmbeddingPurpose::Passage);
    assert_eq!(vectors, Ok(vec![vec![0.0; 4]; 2]));
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn limits_the_bytes_of_a_batch() {
    let server = Server::new(answer_well);
    let long = "x".repeat(MAX_BATCH_BYTES - 10);
    let texts = ["a", &long, "b", "ccccccccccccc", &long];
    server
        .endpoint()
        .embed(&texts, EmbeddingPurpose::Passage)
        .unwrap();
    let counts: Vec<_> = server
        .asked()
        .iter()
        .map(|asked| asked.input.len())
        .collect();
    assert_eq!(counts, [3, 1, 1]);
}

#[test]
fn fails_within_100_ms_without_a_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    for url in [&url, "http://nowhere.invalid"] {
        let error = within(100, || query(&Endpoint::new(setup(options(url))).unwrap()));
        assert!(
            matches!(error, EmbedError::Http(HttpError::Unreachable { .. })),
            "{error:?}"
        );
        let passages = passages(&Endpoint::new(setup(options(url))).unwrap());
        assert!(
            matches!(passages, EmbedError::Http(HttpError::Unreachable { .. })),
            "{error:?}"
        );
    }
    assert_eq!(waits(), []);
}

#[test]
fn waits_once_for_a_hanging_server() {
    let server = Server::new(|_, _, stream| hang(stream));
    let endpoint = server.endpoint();
    let start = Instant::now();
    let error = query(&endpoint);
    assert!(start.elapsed() >= Duration::from_millis(300));
    let url = server.url.clone() + "/v1/embeddings";
    let limit = Duration::from_millis(300);
    let expected = HttpError::TimedOut {
        url,
        limit,
        is_connected: true,
    };
    assert_eq!(error, expected.into());
    assert!(
        within(400, || query(&server.endpoint()))
            .to_string()
            .contains("within 300ms")
    );
    let before = server.asked().len();
    assert_eq!(within(10, || query(&endpoint)), error);
    assert_eq!(within(10, || passages(&endpoint)), error);
    assert_eq!(server.asked().len(), before);
}

#[test]
fn a_suspended_endpoint_embeds_passages_only() {
    let server = Server::new(answer_well);
    let setup = Setup {
        rests: Some("it was slow".to_owned()),
        ..server.setup()
    };
    let endpoint = Endpoint::new(setup).unwrap();
    let error = within(10, || query(&endpoint));
    let expected = EmbedError::BackingOff {
        url: server.url.clone() + "/v1/embeddings",
        why: "it was slow".to_owned(),
    };
    assert_eq!((error, server.asked().len()), (expected, 0));
    endpoint.embed(&["tea"], EmbeddingPurpose::Passage).unwrap();
}

#[test]
fn the_timeout_covers_an_unaccepted_connection() {
    // No server accepts: the system takes the connection, and that is all.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let error = within(400, || query(&Endpoint::new(setup(options(&url))).unwrap()));
    assert!(
        matches!(error, EmbedError::Http(HttpError::TimedOut { .. })),
        "{error:?}"
    );
}

#[test]
fn the_timeout_covers_a_dripping_response() {
    let server = Server::new(|_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            thread::sleep(Duration::from_millis(20));
        }
    });
    let error = within(400, || query(&server.endpoint()));
    assert!(
        matches!(error, EmbedError::Http(HttpError::TimedOut { .. })),
        "{error:?}"
    );
    let slowly = Endpoint::new(setup(EmbedOptions {
        timeout: Duration::from_millis(200),
        ..options(&server.url)
    }));
    let error = within(300, || passages(slowly.as_ref().unwrap()));
    assert!(
        matches!(error, EmbedError::Http(HttpError::TimedOut { .. })),
        "{error:?}"
    );
}

#[test]
fn refuses_garbage_without_retry() {
    for (body, why) in [
        ("<html>Welcome</html>", "unexpected reply: expected value"),
        ("{\"data\":[", "unexpected reply: EOF"),
        ("{\"data\":[{\"embedding\":[1]}]}", "1 vectors for 2 texts"),
        (
            "{\"data\":[{\"embedding\":[1e99]},{\"embedding\":[1]}]}",
            "the vector of text 0",
        ),
        (
            "{\"data\":[{\"embedding\":[1]},{\"embedding\":[1,2]}]}",
            "vectors of 1 and 2",
        ),
    ] {
        let server = Server::new(move |_, _, stream| reply(stream, "200 OK", "", body));
        let error = within(200, || passages(&server.endpoint()));
        let EmbedError::Unusable { why: said, .. } = &error else {
            panic!("{error:?}")
        };
        assert!(said.starts_with(why), "{said}");
    }
    assert_eq!(waits(), []);
}

#[test]
fn refuses_responses_that_are_not_http() {
    let server = Server::new(|_, _, stream| {
        let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.6\r\n\r\n");
    });
    let error = within(200, || query(&server.endpoint()));
    assert!(
        matches!(error, EmbedError::Http(HttpError::Disconnected { .. })),
        "{error:?}"
    );
}

#[test]
fn refuses_another_width() {
    let server = Server::new(|nth, asked, stream| {
        reply(stream, "200 OK", "", &good(asked, 3 + nth));
    });
    let endpoint = server.endpoint();
    endpoint.embed(&["tea"], EmbeddingPurpose::Passage).unwrap();
    let error = within(200, || passages(&endpoint));
    assert!(matches!(error, EmbedError::Width { .. }), "{error:?}");
    assert!(error.hint().contains("--rebuild"));
}

#[test]
fn retries_after_too_many_requests() {
    let server = Server::new(|nth, asked, stream| match nth {
        0 => reply(
            stream,
            "429 Too Many Requests",
            "Retry-After: 7\r\n",
            "slow down",
        ),
        1 => reply(
            stream,
            "429 Too Many Requests",
            "Retry-After: 86400\r\n",
            "",
        ),
        2 => reply(
            stream,
            "429 Too Many Requests",
            "Retry-After: Fri, 31 Dec\r\n",
            "",
        ),
        _ => answer_well(nth, asked, stream),
    });
    let endpoint = server.endpoint();
    let start = Instant::now();
    endpoint.embed(&["tea"], EmbeddingPurpose::Passage).unwrap();
    assert_eq!(waits(), [7_000, 30_000, 2_000]);
    assert!(start.elapsed() < Duration::from_secs(2));
}

#[test]
fn a_rate_limited_query_fails_without_retry() {
    let server =
        Server::new(|_, _, stream| reply(stream, "429 Too Many Requests", "", "slow down"));
    let error = within(100, || query(&server.endpoint()));
    let url = &server.url;
    assert_eq!(
        error.to_string(),
        format!("`{url}/v1/embeddings` is unavailable: 429: slow down")
    );
    assert_eq!(waits(), []);
}

#[test]
fn tries_a_failing_server_four_times() {
    let fails = |times: usize| {
        move |nth: usize, asked: &RecordedRequest, stream: &mut TcpStream| {
            if nth < times {
                reply(
                    stream,
                    "503 Service Unavailable",
                    "",
                    "{\"error\":\"loading model\"}",
                );
            } else {
                answer_well(nth, asked, stream);
            }
        }
    };
    let server = Server::new(fails(3));
    server
        .endpoint()
        .embed(&["tea"], EmbeddingPurpose::Passage)
        .unwrap();
    assert_eq!(waits(), [500, 1_000, 2_000]);
    let server = Server::new(fails(4));
    let endpoint = server.endpoint();
    let error = passages(&endpoint);
    let expected = EmbedError::Http(HttpError::Busy {
        url: server.url.clone() + "/v1/embeddings",
        status: 503,
        message: "loading model".to_owned(),
        retry_after: None,
    });
    assert_eq!(
        (&error, waits().len(), server.asked().len()),
        (&expected, 3, 4)
    );
    assert_eq!((passages(&endpoint), server.asked().len()), (expected, 4));
}

#[test]
fn retries_after_half_a_response() {
    let half = |nth: usize, asked: &RecordedRequest, stream: &mut TcpStream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"data\":[{");
        // Then the connection is closed.
        if nth == usize::MAX {
            answer_well(nth, asked, stream);
        }
    };
    let server = Server::new(move |nth, asked, stream| match nth {
        0 => half(nth, asked, stream),
        // Closed without a word.
        1 => {}
        _ => answer_well(nth, asked, stream),
    });
    server
        .endpoint()
        .embed(&["tea"], EmbeddingPurpose::Passage)
        .unwrap();
    assert_eq!(waits(), [500, 1_000]);
    let server = Server::new(half);
    let error = within(200, || query(&server.endpoint()));
    assert!(
        matches!(error, EmbedError::Http(HttpError::Disconnected { .. })),
        "{error:?}"
    );
    assert_eq!(waits(), []);
}

#[test]
fn limits_an_endless_response() {
    let server = Server::new(|_, _, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"data\":[");
        while stream.write_all(&[b' '; 1 << 14]).is_ok() {}
    });
    let endpoint = Endpoint::new(setup(EmbedOptions {
        patience: Duration::from_secs(20),
        ..options(&server.url)
    }));
    let start = Instant::now();
    let error = query(&endpoint.unwrap());
    let most = 1 << 20;
    assert!(
        matches!(error, EmbedError::Http(HttpError::TooLarge { most: found, .. }) if found == most),
        "{error:?}"
    );
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn follows_no_redirection() {
    for status in [
        "301 Moved",
        "307 Temporary Redirect",
        "308 Permanent Redirect",
    ] {
        let other = Server::new(answer_well);
        let location = format!("Location: {}/v1/embeddings\r\n", other.url);
        let server = Server::new(move |_, _, stream| reply(stream, status, &location, ""));
        let setup = Setup {
            key: Some("secret".to_owned()),
            ..server.setup()
        };
        let error = query(&Endpoint::new(setup).unwrap());
        assert!(
            matches!(error, EmbedError::Http(HttpError::Refused { .. })),
            "{error:?}"
        );
        assert!(error.hint().contains("redirects"), "{}", error.hint());
        assert_eq!((server.asked().len(), other.asked().len()), (1, 0));
    }
}

#[test]
fn a_refusal_is_final() {
    for status in ["400 Bad Request", "401 Unauthorized", "404 Not Found"] {
        let server = Server::new(move |_, _, stream| reply(stream, status, "", "no"));
        let error = within(100, || passages(&server.endpoint()));
        assert!(
            matches!(error, EmbedError::Http(HttpError::Refused { .. })),
            "{error:?}"
        );
        assert_eq!((server.asked().len(), waits()), (1, vec![]));
    }
}

#[test]
fn the_key_is_never_shown() {
    let pad = "x".repeat(193);
    for (status, body) in [
        ("401 Unauthorized", "KEY".to_owned()),
        (
            "401 Unauthorized",
            r#"{"error":{"message":"KEY is invalid"}}"#.to_owned(),
        ),
        ("503 Unavailable", "Bearer KEY".to_owned()),
        // Where the line is cut.
        ("401 Unauthorized", format!("{pad} KEY")),
        ("200 OK", r#"{"data":[{"embedding":"KEY"}]}"#.to_owned()),
    ] {
        let body = body.replace("KEY", "sk-secret");
        let server = Server::new(move |_, _, stream| reply(stream, status, "", &body));
        let endpoint = Endpoint::new(Setup {
            key: Some("sk-secret".to_owned()),
            ..server.setup()
        })
        .unwrap();
        let error = query(&endpoint);
        let shown = format!("{error} {error:?} {} {endpoint:?}", error.hint());
        assert!(!shown.contains("sk-s"), "{shown}");
        assert!(shown.len() < 1_500, "{shown}");
    }
}

#[test]
fn the_model_id_contains_the_prefixes() {
    let server = "http://localhost:1";
    let id = |query: &str, passage: &str| {
        let options = EmbedOptions {
            query_prefix: query.to_owned(),
            passage_prefix: passage.to_owned(),
            ..options(server)
        };
        Endpoint::new(setup(options)).unwrap().model().id.clone()
    };
    assert_eq!(id("", ""), "endpoint:nomic");
    assert_eq!(
        id("q: ", "p:\n"),
        r#"endpoint:nomic query:"q: " passage:"p:\n""#
    );
}

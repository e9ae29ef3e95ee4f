//! `mem mcp` over a pipe, and `mem context`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};

use expect_test::expect;
use serde_json::{Value, json};

use crate::support::{MEM, TestVault};

/// A server and the pipe to it.
struct Server {
    child: Child,
    replies: BufReader<ChildStdout>,
    next_id: u32,
}

impl Server {
    fn start(vault: &TestVault, flags: &[&str]) -> Self {
        let mut command = Command::new(MEM);
        command.arg("mcp").args(flags);
        vault.prepare(&mut command);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::null()).spawn().unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            replies,
            next_id: 0,
        }
    }

    fn send(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        writeln!(stdin, "{line}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.replies.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.next_id += 1;
        let id = self.next_id;
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(&message.to_string());
        let reply = self.receive();
        assert_eq!(reply["id"], id, "{reply}");
        reply
    }

    /// Calls a tool; returns its text and whether it failed.
    fn call(&mut self, name: &str, arguments: &Value) -> (String, bool) {
        let params = json!({"name": name, "arguments": arguments});
        let reply = self.request("tools/call", &params);
        let result = &reply["result"];
        let text = result["content"][0]["text"].as_str();
        let text = text.unwrap_or_else(|| panic!("{reply}"));
        (text.to_owned(), result["isError"] == true)
    }

    /// Closes its stdin and returns its exit code.
    fn end(mut self) -> i32 {
        drop(self.child.stdin.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

#[test]
fn agent_remembers_recalls_and_undoes_over_mcp() {
    let vault = TestVault::empty();
    let mut server = Server::start(&vault, &["--allow-writes"]);
    let client = json!({"name": "Claude Code", "version": "2"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let reply = server.request("initialize", &params);
    assert_eq!(reply["result"]["protocolVersion"], "2025-06-18");
    let instructions = reply["result"]["instructions"].as_str().unwrap();
    assert!(instructions.len() <= 2048, "{}", instructions.len());
    server.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);

    let old = json!({"text": "The staging database listens on port 5433.", "idempotency_key": "k"});
    let (first, failed) = server.call("remember", &old);
    expect![[r#"
        the-staging-database-listens-on-port-5433.md
        indexed 0 notes
        hint: undo with `mem undo 757x`"#]]
    .assert_eq(&first);
    assert!(!failed);
    assert!(
        vault
            .read("the-staging-database-listens-on-port-5433.md")
            .contains("by: claude-code")
    );
    assert_eq!(server.call("remember", &old).0, first);
    let other = json!({"text": "The kettle is new.", "idempotency_key": "k"});
    let (text, failed) = server.call("remember", &other);
    assert!(failed && text.contains("nothing was written"), "{text}");
    assert_eq!(vault.run(["-q", "list"]).raw().stdout.lines().count(), 1);

    // An editor saves between two calls.
    vault.write("Plan.md", "The staging database moves to Berlin in May.\n");
    let (text, _) = server.call(
        "recall",
        &json!({"query": "where does the staging database move?"}),
    );
    assert!(text.contains("Plan.md"), "{text}");

    let new = json!({"text": "The staging database listens on port 6000.",
        "replaces": "The staging database listens on port 5433"});
    server.call("remember", &new);
    let question = json!({"query": "which port does the staging database listen on?"});
    let (text, _) = server.call("recall", &question);
    expect![[r#"
        ## the-staging-database-listens-on-port-6000.md:10 The staging database listens on port 6000 (2026-04-01)
        The staging database listens on port 6000."#]].assert_eq(&text);

    let note = json!({"note": "The staging database listens on port 6000"});
    let (removed, _) = server.call("forget", &note);
    let run = removed
        .rsplit("mem undo ")
        .next()
        .unwrap()
        .trim_end_matches('`')
        .to_owned();
    assert!(server.call("show", &note).1);
    let (_, failed) = server.call("undo", &json!({"run": run}));
    assert!(!failed);
    assert!(!server.call("show", &note).1);
    assert_eq!(server.end(), 0);
}

#[test]
fn server_without_writes_changes_nothing() {
    let vault = TestVault::of([("Tea.md", "Green tea needs 70 degrees.\n")]);
    let mut server = Server::start(&vault, &[]);
    let list = server.request("tools/list", &json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["recall", "context", "show", "review", "history"]);
    let before = vault.tree();
    for (tool, arguments) in [
        ("remember", json!({"text": "a"})),
        ("forget", json!({"note": "Tea"})),
        ("review", json!({"accept": ["1"]})),
    ] {
        let (text, failed) = server.call(tool, &arguments);
        assert_eq!(
            (text.as_str(), failed),
            (
                "this server only reads: start it with `mem mcp --allow-writes` to change notes",
                true
            )
        );
    }
    assert_eq!(vault.tree(), before);
    assert!(!server.call("recall", &json!({"query": "green tea"})).1);
}

/// Example messages of the specification of 2026-07-28, and what a client may send instead.
#[test]
fn replies_follow_the_protocol() {
    let vault = TestVault::of([("Tea.md", "Green tea needs 70 degrees.\n")]);
    let mut server = Server::start(&vault, &[]);
    let meta = |version: &str| {
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "ExampleClient", "version": "1.0.0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
    };
    let reply = server.request("server/discover", &meta("2026-07-28"));
    let result = &reply["result"];
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["supportedVersions"][0], "2026-07-28");
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    assert!(
        result["ttlMs"].is_u64() && result["cacheScope"] == "public",
        "{result}"
    );
    let reply = server.request("tools/list", &meta("2026-07-28"));
    assert!(reply["result"]["ttlMs"].is_u64(), "{reply}");
    let mut params = meta("2026-07-28");
    params["name"] = json!("recall");
    params["arguments"] = json!({"query": "green tea"});
    let reply = server.request("tools/call", &params);
    assert_eq!(reply["result"]["resultType"], "complete");
    let reply = server.request("tools/list", &meta("1900-01-01"));
    assert_eq!(reply["error"]["code"], -32022);
    assert_eq!(reply["error"]["data"]["requested"], "1900-01-01");
    for (method, params, code) in [
        ("prompts/list", json!({}), -32601),
        ("tools/call", json!({"name": "get_weather"}), -32602),
        (
            "tools/call",
            json!({"name": "recall", "arguments": 1}),
            -32602,
        ),
    ] {
        let reply = server.request(method, &params);
        assert_eq!(reply["error"]["code"], code, "{method} {reply}");
    }
    let (text, failed) = server.call("recall", &json!({}));
    expect!["Invalid arguments for tool recall: missing `query`"].assert_eq(&text);
    assert!(failed);
    assert_eq!(server.request("ping", &json!({}))["result"], json!({}));
    server.send("{");
    let reply = server.receive();
    assert_eq!(
        (&reply["error"]["code"], reply.get("id")),
        (&json!(-32700), None)
    );
    server.send(&"x".repeat(5 << 20));
    assert_eq!(server.receive()["error"]["code"], -32600);
    let batch = r#"[{"jsonrpc":"2.0","method":"notifications/x"},{"jsonrpc":"2.0","id":1,"result":{}},
        {"jsonrpc":"2.0","id":9876543210987654321,"method":"ping"},{"jsonrpc":"2.0","id":"b","method":"no"}]"#;
    let batch = batch.replace('\n', "");
    server.send(&batch);
    assert_eq!(server.receive()["error"]["code"], -32600);
    server.request("initialize", &json!({"protocolVersion": "2025-03-26"}));
    server.send(r#"[{"jsonrpc":"2.0","method":"notifications/initialized"}]"#);
    server.send(&batch);
    let mut replies = String::new();
    server.replies.read_line(&mut replies).unwrap();
    expect![[r#"
        [{"jsonrpc":"2.0","id":9876543210987654321,"result":{}},{"jsonrpc":"2.0","id":"b","error":{"code":-32601,"message":"Method not found: no"}}]
    "#]].assert_eq(&replies);
    // A cancelled request gets no reply.
    server.send(
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}"#,
    );
    server.send(r#"{"jsonrpc":"2.0","id":"gone","method":"ping"}"#);
    assert_eq!(server.request("ping", &json!({}))["result"], json!({}));
    assert_eq!(server.end(), 0);
}

#[test]
fn calls_fail_with_text_while_the_vault_is_missing() {
    let vault = TestVault::of([("Tea.md", "Green tea needs 70 degrees.\n")]);
    let mut server = Server::start(&vault, &[]);
    let question = json!({"query": "green tea"});
    assert!(!server.call("recall", &question).1);
    std::fs::rename(vault.path(".mem"), vault.path(".gone")).unwrap();
    let (text, failed) = server.call("recall", &question);
    assert!(failed && text.starts_with("error: "), "{text}");
    std::fs::rename(vault.path(".gone"), vault.path(".mem")).unwrap();
    assert!(!server.call("recall", &question).1);
}

#[test]
fn context_marks_a_note_that_may_be_replaced() {
    let vault = TestVault::empty();
    for (day, value) in [("2026-01-05", "tabs"), ("2026-02-05", "spaces")] {
        let text = format!("Anna prefers {value} for indentation.");
        let arguments = ["remember", "--type", "preference", &text];
        vault
            .command(arguments)
            .env("MEM_NOW", format!("{day}T10:00:00Z"))
            .run()
            .raw();
    }
    vault.run(["-q", "sleep", "--all"]).raw();
    let context = vault.run(["context", "--days", "0"]).raw();
    let (newer, older) = (
        "anna-prefers-spaces-for-indentation.md",
        "anna-prefers-tabs-for-indentation.md",
    );
    let mark = format!("({older}, 2026-01-05; may be out of date: newer in {newer} (question ");
    assert!(context.stdout.contains(&mark), "{context:?}");
    assert!(
        context.stdout.contains(&format!("({newer}, 2026-02-05)")),
        "{context:?}"
    );
}

#[test]
fn context_dates_notes_of_agents_by_what_they_state() {
    let vault = TestVault::empty();
    for (day, text) in [
        ("2026-01-05", "The depot opens at 6."),
        ("2026-03-31", "The kiosk is shut."),
    ] {
        let arguments = ["-q", "remember", "--by", "agent", "--created", day, text];
        assert_eq!(vault.run(arguments).raw().code, 0);
    }
    // Both files are new.
    vault
        .run(["context"])
        .stdout(expect![[r#"
        Changed lately:
        - The kiosk is shut. (the-kiosk-is-shut.md, 2026-03-31)
    "#]])
        .code(0);
}

#[test]
fn context_lists_what_is_valid() {
    let note = |head: &str, text: &str| {
        format!("---\n{head}\nupdated: 2025-01-01\n---\n# T\n\n{text}\n\nMore.\n")
    };
    let core = note("tier: core", "Deploys run on Fridays only.");
    let decision = note("type: decision", "We use Postgres 16.");
    let replaced = note("type: decision", "We use Postgres 15.");
    let expired = note(
        "type: preference\nvalid_until: 2025-02-01",
        "Tea without milk.",
    );
    let newer = note(
        "type: decision\nevolved_from: \"[[Old]]\"",
        "We use Valkey, not Redis.",
    );
    let vault = TestVault::of([
        ("Deploy.md", core.as_str()),
        ("Database.md", &decision),
        ("Old.md", &replaced),
        ("Milk.md", &expired),
        ("New.md", &newer),
        ("Other.md", &note("type: fact", "Nothing to begin with.")),
    ]);
    vault
        .run(["-q", "context", "--days", "1"])
        .stdout(expect![[r#"
            Core notes:
            - Deploys run on Fridays only. (Deploy.md, 2025-01-01)
            Preferences and decisions:
            - We use Postgres 16. (Database.md, 2025-01-01)
            - We use Valkey, not Redis. (New.md, 2025-01-01)
        "#]])
        .code(0);
    vault
        .run(["context", "--days", "1", "--budget", "20"])
        .stdout(expect![[r#"
            Core notes:
            - Deploys run on Fridays only. (Deploy.md, 2025-01-01)
        "#]])
        .stderr(expect!["2 more notes did not fit"])
        .code(0);
    vault
        .run(["context", "--days", "1", "--budget", "10"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            none of 3 notes fits into 10 tokens; raise `--budget`
        "#]])
        .code(1);
    // Without a stated change the note was last changed when it was created, not when its file was cloned.
    vault.write(
        "Deploy.md",
        "---\ntier: core\ncreated: 2024-05-06\n---\nDeploys run on Fridays only.\n",
    );
    let shown = vault
        .run(["-q", "context", "--days", "1", "--budget", "20"])
        .raw()
        .stdout;
    assert!(shown.contains("(Deploy.md, 2024-05-06)"), "{shown}");
    TestVault::empty()
        .run(["context"])
        .stdout(expect![[r#""#]])
        .stderr(expect![[r#"
            indexed 0 notes
            no core note, preference, decision or recent change
        "#]])
        .code(1);
}

#[test]
fn context_counts_the_notes_that_it_does_not_read() {
    let vault = TestVault::empty();
    for number in 0..120 {
        let text = format!("{number} {}\n", "long words of a note ".repeat(20));
        vault.write(&format!("{number}.md"), &text);
    }
    let context = vault.run(["context", "--budget", "100", "--json"]).raw();
    let context: Value = serde_json::from_str(&context.stdout).unwrap();
    let listed = context["notes"].as_array().unwrap().len() as u64;
    assert_eq!((listed, context["left_out"].as_u64()), (1, Some(119)));
}

/// The replies are those of the documentation of the tool.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn memory_tool_has_the_documented_replies() {
    let vault = TestVault::of([("Plan.md", "See [[notes.txt]] and [[memories/todo]].\n")]);
    let mut server = Server::start(&vault, &["--allow-writes", "--memory-tool"]);
    let valid = "Please provide a valid path.";
    let key = ["ghp_", "k9Qm2ZxT7wLr4VbN8sYd1HfJ6pGc3AeUoI5R"].concat();
    for (arguments, expected, failed) in [
        (
            json!({"command": "view", "path": "/memories"}),
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n0B\t/memories",
            false,
        ),
        (
            json!({"command": "view", "path": "/memories/notes.txt"}),
            &format!("The path /memories/notes.txt does not exist. {valid}"),
            true,
        ),
        (
            json!({"command": "create", "path": "/memories/notes.txt", "file_text": "one\ntwo\ntwo\n"}),
            "File created successfully at: /memories/notes.txt",
            false,
        ),
        (
            json!({"command": "create", "path": "/memories/notes.txt", "file_text": "other"}),
            "Error: File /memories/notes.txt already exists",
            true,
        ),
        (
            json!({"command": "create", "path": "/memories/a/b/c.md", "file_text": "deep"}),
            "File created successfully at: /memories/a/b/c.md",
            false,
        ),
        (
            json!({"command": "view", "path": "/memories"}),
            "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:\n16B\t/memories\n4B\t/memories/a\n4B\t/memories/a/b\n12B\t/memories/notes.txt",
            false,
        ),
        (
            json!({"command": "view", "path": "/memories/notes.txt", "view_range": [2, -1]}),
            "Here's the content of /memories/notes.txt with line numbers:\n     2\ttwo\n     3\ttwo",
            false,
        ),
        (
            json!({"command": "str_replace", "path": "/memories/notes.txt", "old_str": "two", "new_str": "2"}),
            "No replacement was performed. Multiple occurrences of old_str `two` in lines: 2, 3. Please ensure it is unique",
            true,
        ),
        (
            json!({"command": "str_replace", "path": "/memories/notes.txt", "old_str": "six", "new_str": "6"}),
            "No replacement was performed, old_str `six` did not appear verbatim in /memories/notes.txt.",
            true,
        ),
        (
            json!({"command": "str_replace", "path": "/memories/a", "old_str": "six"}),
            &format!("Error: The path /memories/a does not exist. {valid}"),
            true,
        ),
        (
            json!({"command": "str_replace", "path": "/memories/notes.txt", "old_str": "one\ntwo", "new_str": "1"}),
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n     1\t1\n     2\ttwo",
            false,
        ),
        (
            json!({"command": "insert", "path": "/memories/notes.txt", "insert_line": 3, "insert_text": "x"}),
            "Error: Invalid `insert_line` parameter: 3. It should be within the range of lines of the file: [0, 2]",
            true,
        ),
        (
            json!({"command": "insert", "path": "/memories/notes.txt", "insert_line": 1, "insert_text": "- between\n"}),
            "The file /memories/notes.txt has been edited.",
            false,
        ),
        (
            json!({"command": "insert", "path": "/memories/gone", "insert_line": 0, "insert_text": "x"}),
            "Error: The path /memories/gone does not exist",
            true,
        ),
        (
            json!({"command": "insert", "path": "/memories/notes.txt", "insert_line": 0, "insert_text": key}),
            "GitHub token in line 1 of the text; nothing was saved",
            true,
        ),
        (
            json!({"command": "rename", "old_path": "/memories/notes.txt", "new_path": "/memories/a"}),
            "Error: The destination /memories/a already exists",
            true,
        ),
        (
            json!({"command": "rename", "old_path": "/memories/gone", "new_path": "/memories/x"}),
            "Error: The path /memories/gone does not exist",
            true,
        ),
        (
            json!({"command": "rename", "old_path": "/memories/notes.txt", "new_path": "/memories/log/first.txt"}),
            "Successfully renamed /memories/notes.txt to /memories/log/first.txt",
            false,
        ),
        (
            json!({"command": "rename", "old_path": "/memories/a", "new_path": "/memories/z"}),
            "Successfully renamed /memories/a to /memories/z",
            false,
        ),
        (
            json!({"command": "delete", "path": "/memories/z"}),
            "Successfully deleted /memories/z",
            false,
        ),
        (
            json!({"command": "delete", "path": "/memories/z"}),
            "Error: The path /memories/z does not exist",
            true,
        ),
        (
            json!({"command": "delete", "path": "/memories"}),
            "Cannot delete the /memories directory itself",
            true,
        ),
        (
            json!({"command": "view", "path": "/memories/../Plan.md"}),
            "Path /memories/../Plan.md would escape /memories directory",
            true,
        ),
        (
            json!({"command": "view", "path": "/memories/.mem/config"}),
            "Path /memories/.mem/config would escape /memories directory",
            true,
        ),
        (
            json!({"command": "view", "path": "/etc/passwd"}),
            "Path must start with /memories, got: /etc/passwd",
            true,
        ),
    ] {
        let reply = server.call("memory", &arguments);
        assert_eq!(reply, (expected.to_owned(), failed), "{arguments}");
    }
    assert_eq!(
        vault.read("memories/log/first.txt.md"),
        "1\n- between\ntwo\n"
    );
    // The link followed the file.
    assert_eq!(
        vault.read("Plan.md"),
        "See [[first.txt.md]] and [[memories/todo]].\n"
    );
    let (history, _) = server.call("history", &json!({}));
    let run = history.split_whitespace().next().unwrap().to_owned();
    assert!(!server.call("undo", &json!({"run": run})).1, "{history}");
    assert_eq!(vault.read("memories/z/b/c.md"), "deep");
    let reply = server.call("memory", &json!({"command": "cat", "path": "/memories"}));
    assert!(
        reply.1 && reply.0.starts_with("Error: invalid arguments"),
        "{reply:?}"
    );

    let mut reader = Server::start(&vault, &["--memory-tool", "."]);
    let (text, failed) = reader.call("memory", &json!({"command": "view", "path": "/memories"}));
    assert!(!failed && text.contains("\t/memories/Plan.md"), "{text}");
    let create = json!({"command": "create", "path": "/memories/x", "file_text": "x"});
    assert!(reader.call("memory", &create).1);
    let mut plain = Server::start(&vault, &["--allow-writes"]);
    let params = json!({"name": "memory", "arguments": create});
    let reply = plain.request("tools/call", &params);
    assert_eq!(reply["error"]["code"], -32602);
}

//! `mem hook`: the answers in each host's form, and silence.

use expect_test::expect;
use serde_json::json;

use crate::support::{Run, TestVault};

fn vault() -> TestVault {
    TestVault::of([
        (
            "Noor Wrenhaven.md",
            "---\naliases: [noor]\nupdated: 2025-01-01\n---\nNoor Wrenhaven founded Windrose.\n",
        ),
        (
            "Plan.md",
            "---\nupdated: 2025-01-01\n---\nThe plan of the week.\n",
        ),
        (
            "Deploy.md",
            "---\ntier: core\nupdated: 2025-01-01\n---\nDeploys run on Fridays only.\n",
        ),
    ])
}

fn hook(vault: &TestVault, host: &str, event: &str, input: &str) -> Run {
    let run = vault.command(["hook", event, "--host", host]);
    run.stdin(input).run()
}

fn prompt(session: &str, text: &str) -> String {
    json!({"session_id": session, "conversation_id": session, "prompt": text}).to_string()
}

#[test]
fn named_notes_are_given_once_a_session_in_the_form_of_the_host() {
    let vault = vault();
    let question = prompt("a", "Where does Noor Wrenhaven work?");
    hook(&vault, "claude", "prompt", &question)
        .stdout(expect![[r#"
            {"hookSpecificOutput":{"additionalContext":"Notes (mem):\n- Noor Wrenhaven founded Windrose. (Noor Wrenhaven.md)","hookEventName":"UserPromptSubmit"}}
        "#]])
        .stderr(expect![[r#""#]])
        .code(0);
    // The same prompt, and another one that names the same note.
    for text in ["Where does Noor Wrenhaven work?", "What did noor say?"] {
        let run = hook(&vault, "claude", "prompt", &prompt("a", text));
        run.stdout(expect![[""]]).stderr(expect![[""]]).code(0);
    }
    hook(
        &vault,
        "gemini",
        "prompt",
        &prompt("b", "What did noor say?"),
    )
    .stdout(expect![[r#"
        {"hookSpecificOutput":{"additionalContext":"Notes (mem):\n- Noor Wrenhaven founded Windrose. (Noor Wrenhaven.md)","hookEventName":"BeforeAgent"}}
    "#]])
    .code(0);
    hook(
        &vault,
        "plain",
        "prompt",
        &prompt("c", "Tell me about Wrenhaven"),
    )
    .stdout(expect![[r#"
        Notes (mem):
        - Noor Wrenhaven founded Windrose. (Noor Wrenhaven.md)
    "#]])
    .code(0);
}

#[test]
fn named_note_is_marked_if_a_newer_one_outdates_it() {
    let vault = TestVault::of([
        (
            "Noor Wrenhaven.md",
            "---\ncreated: 2025-01-01\n---\nNoor Wrenhaven lives in Leeds.\n",
        ),
        (
            "news.md",
            "---\ncreated: 2025-03-01\n---\nNoor Wrenhaven moved to York.\n",
        ),
    ]);
    let question = prompt("a", "Where does Noor Wrenhaven live?");
    hook(&vault, "plain", "prompt", &question)
        .stdout(expect![[r#"
            Notes (mem):
            - Noor Wrenhaven lives in Leeds. (Noor Wrenhaven.md, may be out of date: newer in news.md)
        "#]])
        .stderr(expect![[""]])
        .code(0);
}

#[test]
fn successor_is_given_for_a_replaced_note() {
    let vault = TestVault::of([
        ("Noor Wrenhaven.md", "Noor Wrenhaven lives in Leeds.\n"),
        (
            "Move.md",
            "---\nevolved_from: \"[[Noor Wrenhaven]]\"\n---\nNoor lives in York.\n",
        ),
    ]);
    let question = prompt("a", "Where does Noor Wrenhaven live?");
    hook(&vault, "plain", "prompt", &question)
        .stdout(expect![[r#"
            Notes (mem):
            - Noor lives in York. (Move.md, replaces Noor Wrenhaven.md)
        "#]])
        .stderr(expect![[""]])
        .code(0);
}

#[test]
fn session_begins_with_the_context() {
    let vault = vault();
    for (host, expected) in [
        (
            "codex",
            expect![[r#"
        {"hookSpecificOutput":{"additionalContext":"From the notes in $VAULT (mem):\nCore notes:\n- Deploys run on Fridays only. (Deploy.md, 2025-01-01)","hookEventName":"SessionStart"}}
    "#]],
        ),
        (
            "cursor",
            expect![[r#"
        {"additional_context":"From the notes in $VAULT (mem):\nCore notes:\n- Deploys run on Fridays only. (Deploy.md, 2025-01-01)"}
    "#]],
        ),
    ] {
        let run = hook(&vault, host, "session-start", &prompt("a", ""));
        run.stdout(expected).stderr(expect![[""]]).code(0);
    }
    let empty = TestVault::empty();
    let run = hook(&empty, "claude", "session-start", "{}");
    run.stdout(expect![[""]]).stderr(expect![[""]]).code(0);
}

#[test]
fn hook_is_silent_without_something_to_add() {
    let vault = vault();
    let named = prompt("a", "Where does Noor Wrenhaven work?");
    for (host, event, input) in [
        ("claude", "stop", named.as_str()),
        ("claude", "session-end", &named),
        ("claude", "prompt", "{\"prompt\": 1}"),
        (
            "claude",
            "prompt",
            &prompt("a", "Noor Wrenhaven prefers tea."),
        ),
        (
            "claude",
            "prompt",
            &prompt("a", "Did Noor Wrenhavener write?"),
        ),
        (
            "claude",
            "prompt",
            &prompt("a", "What is the plan for today?"),
        ),
        (
            "claude",
            "prompt",
            &prompt("a", "Good morning! How are you?"),
        ),
    ] {
        let run = hook(&vault, host, event, input);
        run.stdout(expect![[""]]).stderr(expect![[""]]).code(0);
    }
}

#[test]
fn failed_hook_exits_with_zero_and_one_line() {
    let vault = vault();
    let named = prompt("a", "Where does Noor Wrenhaven work?");
    for (host, event, input, problem) in [
        (
            "claude",
            "",
            named.as_str(),
            "no event given; known: prompt, session-start",
        ),
        (
            "cursor",
            "prompt",
            &named,
            "host `cursor` has no event `prompt`; known: session-start",
        ),
        ("clade", "prompt", &named, "unknown host `clade`"),
        ("claude", "prompt", "no JSON", "stdin is no JSON object"),
        ("claude", "prompt", "[1]", "stdin is no JSON object"),
        ("claude", "prompt", "", "stdin is no JSON object"),
    ] {
        let run = hook(&vault, host, event, input).raw();
        let expected = (0, "", format!("mem hook: error: {problem}\n"));
        assert_eq!((run.code, run.stdout.as_str(), run.stderr), expected);
    }
    std::fs::remove_dir_all(vault.path(".mem")).unwrap();
    hook(
        &vault,
        "claude",
        "prompt",
        &prompt("a", "Where is Noor Wrenhaven?"),
    )
    .stdout(expect![[""]])
    .stderr(expect![[r#"
        mem hook: error: no vault at `$VAULT` or above
    "#]])
    .code(0);
}

/// Hosts take the exit code 2 of a hook for "block the prompt".
#[test]
fn wrong_arguments_of_a_hook_block_nothing() {
    let vault = vault();
    for arguments in [
        &["hook", "prompt", "--host", "claude", "--hst"][..],
        &["hook", "prompt", "--host", "claude", "--budget", "x"],
        &["hook", "prompt", "--host", "claude", "more"],
        &["-C", ".", "hook", "prompt", "--color", "foo"],
    ] {
        let ended = vault.run(arguments).raw();
        assert_eq!((ended.code, ended.stdout.as_str()), (0, ""), "{ended:?}");
        let is_one_line = ended.stderr.trim_end().lines().count() == 1;
        assert!(
            is_one_line && ended.stderr.starts_with("error: "),
            "{ended:?}"
        );
    }
}

/// The inputs of a session at each host, with the event that its settings name. The keys are those of the published
/// schemas and documents.
fn sessions() -> Vec<(&'static str, Vec<(&'static str, serde_json::Value)>)> {
    let question = "Where does Noor Wrenhaven work?";
    let claude = |name: &str, more: serde_json::Value| {
        let mut input = json!({
            "session_id": "0f6f7a4e-6c1c-4f3e-9d57-2b8a1c0de111",
            "transcript_path": "/tmp/projects/x/session.jsonl",
            "cwd": "/tmp",
            "permission_mode": "default",
            "hook_event_name": name,
        });
        let more = more.as_object().unwrap().clone();
        input.as_object_mut().unwrap().extend(more);
        input
    };
    let codex = |name: &str, more| {
        let mut input = claude(name, more);
        input["session_id"] = json!("0199a213-81c0-7800-8aa1-bbab2a035a53");
        input["model"] = json!("gpt-5");
        input["turn_id"] = json!("7");
        input["transcript_path"] = json!(null);
        input
    };
    let answer = json!({"stop_hook_active": false, "last_assistant_message": "At Windrose."});
    let prompt = json!({"prompt": question, "prompt_id": "1"});
    vec![
        (
            "claude",
            vec![
                (
                    "session-start",
                    claude("SessionStart", json!({"source": "startup"})),
                ),
                ("prompt", claude("UserPromptSubmit", prompt.clone())),
                ("stop", claude("Stop", answer.clone())),
                (
                    "session-start",
                    claude("SessionStart", json!({"source": "fork"})),
                ),
                (
                    "session-end",
                    claude("SessionEnd", json!({"reason": "other"})),
                ),
            ],
        ),
        (
            "codex",
            vec![
                (
                    "session-start",
                    codex("SessionStart", json!({"source": "startup"})),
                ),
                ("prompt", codex("UserPromptSubmit", prompt)),
                ("stop", codex("Stop", answer)),
            ],
        ),
        (
            "cursor",
            vec![(
                "session-start",
                json!({"conversation_id": "c", "generation_id": "g", "hook_event_name": "sessionStart",
                    "workspace_roots": ["/tmp"]}),
            )],
        ),
        (
            "hermes",
            vec![(
                "prompt",
                json!({"hook_event_name": "pre_llm_call", "tool_name": null, "tool_input": null,
                    "session_id": "sess_abc123", "cwd": "/tmp", "profile": "default",
                    "extra": {"user_message": question, "is_first_turn": true, "conversation_history": []}}),
            )],
        ),
        // The adapters of opencode and Pi.
        (
            "plain",
            vec![
                ("session-start", json!({"session_id": "ses_1"})),
                ("prompt", json!({"session_id": "ses_1", "prompt": question})),
            ],
        ),
    ]
}

/// Returns the outputs of all sessions; each hook exits with 0 and prints at most one line on stderr.
fn play(vault: &TestVault) -> Vec<String> {
    let mut outputs = Vec::new();
    for (host, events) in sessions() {
        for (event, input) in events {
            let run = hook(vault, host, event, &input.to_string()).raw();
            assert_eq!(run.code, 0, "{host} {event}: {}", run.stderr);
            assert!(
                run.stderr.lines().count() <= 1,
                "{host} {event}: {}",
                run.stderr
            );
            if host != "plain" && !run.stdout.is_empty() {
                serde_json::from_str::<serde_json::Value>(&run.stdout).unwrap();
            }
            outputs.push(run.stdout);
        }
    }
    outputs
}

#[test]
fn sessions_of_hosts_are_answered() {
    let vault = vault();
    let outputs = play(&vault);
    let is_answer = |output: &String| !output.is_empty();
    let answered: Vec<bool> = outputs.iter().map(is_answer).collect();
    // claude: start, prompt, stop, fork, end; codex: start, prompt, stop; cursor; hermes; the adapters.
    assert_eq!(
        answered,
        [
            true, true, false, true, false, true, true, false, true, true, true, true
        ]
    );
    expect![[r#"
        {"context":"From the notes in $VAULT (mem):\nCore notes:\n- Deploys run on Fridays only. (Deploy.md, 2025-01-01)\nNotes (mem):\n- Noor Wrenhaven founded Windrose. (Noor Wrenhaven.md)"}
    "#]]
    .assert_eq(&vault.shown(outputs[9].clone().into_bytes()));
    // Codex refuses other keys.
    for output in &outputs[5..7] {
        let answer: serde_json::Value = serde_json::from_str(output).unwrap();
        let keys = |value: &serde_json::Value| {
            let keys = value.as_object().unwrap().keys();
            keys.cloned().collect::<Vec<_>>()
        };
        assert_eq!(keys(&answer), ["hookSpecificOutput"]);
        let keys = keys(&answer["hookSpecificOutput"]);
        assert_eq!(keys, ["additionalContext", "hookEventName"]);
    }
}

#[test]
fn sessions_survive_a_bad_vault() {
    // Another process holds the index, first with changes to index, then without an index.
    let locked = vault();
    let lock = std::fs::File::open(locked.cache().join("lock")).unwrap();
    lock.lock().unwrap();
    locked.write("Later.md", "Noor Wrenhaven left.\n");
    let start = std::time::Instant::now();
    assert!(!play(&locked)[1].is_empty());
    std::fs::remove_file(locked.cache().join("current")).unwrap();
    play(&locked);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    drop(lock);

    let corrupt = vault();
    for entry in std::fs::read_dir(corrupt.index()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            std::fs::write(path, "no index").unwrap();
        }
    }
    play(&corrupt);

    let missing = vault();
    std::fs::remove_dir_all(missing.path(".mem")).unwrap();
    assert!(play(&missing).iter().all(String::is_empty));

    let broken = vault();
    broken.write(".mem/config.toml", "no = [settings");
    play(&broken);

    let read_only = vault();
    let folders = [read_only.path(""), read_only.home("")];
    let chmod = |mode: &str| {
        let mut command = std::process::Command::new("chmod");
        command.args(["-R", mode]).args(&folders);
        assert!(command.status().unwrap().success());
    };
    chmod("a-w");
    play(&read_only);
    chmod("u+w");
}

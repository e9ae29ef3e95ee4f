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
        ("claude", "", named.as_str()),
        ("claude", "stop", &named),
        ("claude", "session-end", &named),
        ("cursor", "prompt", &named),
        ("unknown", "prompt", &named),
        ("claude", "prompt", "no JSON"),
        ("claude", "prompt", "[1]"),
        ("claude", "prompt", ""),
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

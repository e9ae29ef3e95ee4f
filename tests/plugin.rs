//! The files for agents' hosts: they parse, keep the hosts' limits, and name commands that work.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::TestVault;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(path)).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&read(path)).unwrap()
}

#[test]
fn skill_keeps_the_limits_of_its_specification() {
    let text = read("plugins/claude/skills/mem/SKILL.md");
    let (_, rest) = text.split_once("---\n").unwrap();
    let (head, body) = rest.split_once("---\n").unwrap();
    let fields: Vec<(&str, &str)> = head
        .lines()
        .filter_map(|line| line.split_once(": "))
        .collect();
    assert_eq!(fields.len(), head.lines().count());
    let allowed = [
        "name",
        "description",
        "license",
        "compatibility",
        "metadata",
        "allowed-tools",
    ];
    for (field, value) in &fields {
        assert!(allowed.contains(field), "{field}");
        let max = if *field == "compatibility" { 500 } else { 1024 };
        assert!(value.len() <= max, "{field}");
    }
    // The name equals the folder.
    assert!(fields.contains(&("name", "mem")));
    assert!(body.len() / 4 < 5000 && body.lines().count() < 500);
}

#[test]
fn plugin_names_existing_files_and_commands() {
    let marketplace = json(".claude-plugin/marketplace.json");
    let source = marketplace["plugins"][0]["source"].as_str().unwrap();
    let plugin = json(&format!("{source}/.claude-plugin/plugin.json"));
    assert_eq!(plugin["name"], marketplace["plugins"][0]["name"]);
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let servers = json(&format!("{source}/.lsp.json"));
    assert_eq!(servers["mem"]["command"], "mem");
    assert_eq!(servers["mem"]["args"], serde_json::json!(["lsp"]));
    assert_eq!(servers["mem"]["extensionToLanguage"][".md"], "markdown");
    let vault = TestVault::of([("Tea.md", "---\ntier: core\n---\nGreen tea.\n")]);
    let hooks = json(&format!("{source}/hooks/hooks.json"));
    for (event, groups) in hooks["hooks"].as_object().unwrap() {
        let hook = &groups[0]["hooks"][0];
        assert_eq!(hook["command"], "mem");
        let arguments = hook["args"].as_array().unwrap().iter();
        let run = vault.command(arguments.map(|argument| argument.as_str().unwrap()));
        let run = run
            .stdin("{\"session_id\": \"a\", \"prompt\": \"What is tea?\"}")
            .run();
        assert_eq!(run.raw().code, 0, "{event}");
    }
    let servers = json(&format!("{source}/.mcp.json"));
    let server = &servers["mcpServers"]["mem"];
    assert_eq!(server["command"], "mem");
    let arguments = server["args"].as_array().unwrap().iter();
    let run = vault.command(arguments.map(|argument| argument.as_str().unwrap()));
    let request = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let reply = run.stdin(request).run().raw();
    assert_eq!(reply.code, 0);
    assert!(reply.stdout.contains("\"result\":{}"), "{}", reply.stdout);
}

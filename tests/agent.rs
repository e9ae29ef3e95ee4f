//! `mem agent`: what is written into the settings of hosts, and how it is removed.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use expect_test::{Expect, expect};
use serde_json::Value;
use walkdir::WalkDir;

use crate::support::{MEM, Run, TestVault};

const HOSTS: [&str; 11] = [
    "claude",
    "codex",
    "cursor",
    "opencode",
    "pi",
    "copilot",
    "openclaw",
    "hermes",
    "antigravity",
    "zed",
    "claude-desktop",
];

fn agent(vault: &TestVault, arguments: &[&str]) -> Run {
    let command = ["agent"].iter().chain(arguments);
    vault.run(command)
}

/// Runs it and expects success.
#[track_caller]
fn done(vault: &TestVault, arguments: &[&str]) {
    let run = agent(vault, arguments).raw();
    assert_eq!(run.code, 0, "{}", run.stderr);
}

fn write(vault: &TestVault, path: &str, text: &str) {
    let path = vault.home(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(vault: &TestVault, path: &str) -> String {
    fs::read_to_string(vault.home(path)).unwrap()
}

/// Compares a file of the home folder, with the paths of the program and of the vault replaced.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "a literal is passed")]
fn assert_file(vault: &TestVault, path: &str, expected: Expect) {
    let text = vault.shown(read(vault, path).into_bytes());
    expected.assert_eq(&text.replace(MEM, "$MEM"));
}

/// Returns the files of the home folder without the state of mem. Empty folders may stay.
fn home(vault: &TestVault) -> BTreeMap<String, Vec<u8>> {
    let home = vault.home("");
    let files = WalkDir::new(&home).into_iter().map(Result::unwrap);
    let files = files.filter(|entry| !entry.file_type().is_dir());
    let named = files.map(|entry| {
        let path = entry
            .path()
            .strip_prefix(&home)
            .unwrap()
            .display()
            .to_string();
        (path, fs::read(entry.path()).unwrap())
    });
    named
        .filter(|(path, _)| !path.starts_with(".cache/") && !path.starts_with(".local/"))
        .collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn each_host_gets_its_own_form() {
    let vault = TestVault::empty();
    let mut install = vec!["install", "--yes"];
    install.extend(HOSTS);
    done(&vault, &install);
    for (path, expected) in [
        (
            ".claude/settings.json",
            expect![[r#"
            {
              "hooks": {
                "SessionStart": [
                  {
                    "hooks": [
                      {
                        "args": ["-C", "$VAULT", "hook", "session-start", "--host", "claude"],
                        "command": "$MEM",
                        "timeout": 5,
                        "type": "command"
                      }
                    ]
                  }
                ],
                "UserPromptSubmit": [
                  {
                    "hooks": [
                      {
                        "args": ["-C", "$VAULT", "hook", "prompt", "--host", "claude"],
                        "command": "$MEM",
                        "timeout": 5,
                        "type": "command"
                      }
                    ]
                  }
                ]
              }
            }
        "#]],
        ),
        (
            ".claude.json",
            expect![[r#"
            {
              "mcpServers": {
                "mem": {
                  "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
                  "command": "$MEM",
                  "type": "stdio"
                }
              }
            }
        "#]],
        ),
        (
            ".codex/config.toml",
            expect![[r#"
            [mcp_servers.mem]
            args = ["-C", "$VAULT", "mcp", "--allow-writes"]
            command = "$MEM"

            [[hooks.SessionStart]]

            [[hooks.SessionStart.hooks]]
            command = "$MEM -C $VAULT hook session-start --host codex"
            timeout = 5
            type = "command"

            [[hooks.UserPromptSubmit]]

            [[hooks.UserPromptSubmit.hooks]]
            command = "$MEM -C $VAULT hook prompt --host codex"
            timeout = 5
            type = "command"
        "#]],
        ),
        (
            ".cursor/hooks.json",
            expect![[r#"
            {
              "version": 1,
              "hooks": {
                "sessionStart": [
                  {
                    "command": "$MEM -C $VAULT hook session-start --host cursor",
                    "timeout": 5
                  }
                ]
              }
            }
        "#]],
        ),
        (
            ".cursor/mcp.json",
            expect![[r#"
            {
              "mcpServers": {
                "mem": {
                  "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
                  "command": "$MEM"
                }
              }
            }
        "#]],
        ),
        (
            ".config/opencode/opencode.json",
            expect![[r#"
            {
              "mcp": {
                "mem": {
                  "command": ["$MEM", "-C", "$VAULT", "mcp", "--allow-writes"],
                  "enabled": true,
                  "type": "local"
                }
              }
            }
        "#]],
        ),
        (
            ".pi/agent/mcp.json",
            expect![[r#"
            {
              "mcpServers": {
                "mem": {
                  "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
                  "command": "$MEM"
                }
              }
            }
        "#]],
        ),
        (
            ".hermes/config.yaml",
            expect![[r#"
            hooks:
              pre_llm_call: [{command: $MEM -C $VAULT hook prompt --host hermes, timeout: 5}]
            mcp_servers:
              mem:
                args: ["-C", $VAULT, mcp, "--allow-writes"]
                command: $MEM

        "#]],
        ),
        (
            ".copilot/mcp-config.json",
            expect![[r#"
            {
              "mcpServers": {
                "mem": {
                  "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
                  "command": "$MEM",
                  "tools": ["*"],
                  "type": "local"
                }
              }
            }
        "#]],
        ),
        (
            ".openclaw/openclaw.json",
            expect![[r#"
            {
              "mcp": {
                "servers": {
                  "mem": {
                    "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
                    "command": "$MEM"
                  }
                }
              }
            }
        "#]],
        ),
        (
            ".gemini/antigravity-cli/mcp_config.json",
            expect![[r#"
            {
              "mcpServers": {
                "mem": {
                  "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
                  "command": "$MEM"
                }
              }
            }
        "#]],
        ),
        (
            ".config/zed/settings.json",
            expect![[r#"
            {
              "context_servers": {
                "mem": {
                  "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
                  "command": "$MEM"
                }
              }
            }
        "#]],
        ),
    ] {
        assert_file(&vault, path, expected);
    }
    // The last line has a hash of the text, which contains paths.
    let folder = vault.path("").canonicalize().unwrap();
    let command = serde_json::json!([MEM, "-C", folder]).to_string();
    for (path, event) in [
        (".config/opencode/plugins/mem.ts", "chat.message"),
        (".pi/agent/extensions/mem.ts", "before_agent_start"),
    ] {
        let text = read(&vault, path);
        assert!(text.contains(&command) && text.contains(event), "{text}");
    }
    let skill = read(&vault, ".claude/skills/mem/SKILL.md");
    for path in [
        ".agents/skills/mem/SKILL.md",
        ".cursor/skills/mem/SKILL.md",
        ".config/opencode/skills/mem/SKILL.md",
        ".pi/agent/skills/mem/SKILL.md",
        ".copilot/skills/mem/SKILL.md",
        ".openclaw/skills/mem/SKILL.md",
        ".hermes/skills/memory/mem/SKILL.md",
        ".gemini/antigravity-cli/skills/mem/SKILL.md",
    ] {
        assert_eq!(read(&vault, path), skill, "{path}");
    }
    assert!(
        skill.contains(&format!(
            "`{MEM} -C {}`",
            vault.path("").display().to_string().trim_end_matches('/')
        )),
        "{skill}"
    );

    // A second run changes nothing, and removal leaves no file.
    let before = home(&vault);
    let run = agent(&vault, &install);
    run.stdout(expect![[""]])
        .stderr(expect!["nothing to change"])
        .code(0);
    assert_eq!(home(&vault), before);
    install.push("--remove");
    done(&vault, &install);
    assert_eq!(home(&vault), BTreeMap::new());
    for folder in [".claude", ".codex", ".gemini", ".config"] {
        assert!(!vault.home(folder).exists(), "{folder}");
    }
}

#[test]
fn what_hosts_run_works() {
    let vault = TestVault::of([("Tea.md", "---\ntier: core\n---\nGreen tea.\n")]);
    done(&vault, &["install", "claude", "--yes"]);
    let settings: Value = serde_json::from_str(&read(&vault, ".claude/settings.json")).unwrap();
    let hook = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(hook["command"], MEM);
    let arguments = hook["args"].as_array().unwrap().iter();
    let run = vault.command(arguments.map(|argument| argument.as_str().unwrap()));
    let run = run
        .in_folder(Path::new("/"))
        .stdin("{\"session_id\": \"a\"}")
        .run();
    let run = run.raw();
    assert!(
        run.stdout.contains("Green tea."),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

const SETTINGS: &str = r#"{
  // mine
  "model": "opus",
  "hooks": {
    "SessionStart": [
      {"hooks": [{"type": "command", "command": "other"}]} // theirs
    ],
    "Stop": []
  }, /* more */
  "env": {},
}
"#;

const CODEX: &str = r#"# mine
model = "gpt"   # comment

[mcp_servers.other]
command = "other"

[[hooks.SessionStart]]
matcher = "startup"
[[hooks.SessionStart.hooks]]
type = "command"
command = "other"   # theirs

[projects."/x"]
trust_level = "trusted"
"#;

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn other_settings_and_comments_are_kept() {
    let vault = TestVault::empty();
    write(&vault, ".claude/settings.json", SETTINGS);
    write(&vault, ".codex/config.toml", CODEX);
    write(
        &vault,
        ".claude.json",
        "{\"projects\":{\"/x\":{}},\"mcpServers\":{\"a\":{\"command\":\"a\"}}}",
    );
    let mut before = home(&vault);
    done(&vault, &["install", "claude", "codex", "cursor", "--yes"]);
    assert_file(
        &vault,
        ".claude/settings.json",
        expect![[r#"
        {
          // mine
          "model": "opus",
          "hooks": {
            "SessionStart": [
              {"hooks": [{"type": "command", "command": "other"}]}, // theirs
              {
                "hooks": [
                  {
                    "args": ["-C", "$VAULT", "hook", "session-start", "--host", "claude"],
                    "command": "$MEM",
                    "timeout": 5,
                    "type": "command"
                  }
                ]
              }
            ],
            "Stop": [],
            "UserPromptSubmit": [
              {
                "hooks": [
                  {
                    "args": ["-C", "$VAULT", "hook", "prompt", "--host", "claude"],
                    "command": "$MEM",
                    "timeout": 5,
                    "type": "command"
                  }
                ]
              }
            ]
          }, /* more */
          "env": {},
        }
    "#]],
    );
    assert_file(
        &vault,
        ".claude.json",
        expect![[r#"
        {"projects":{"/x":{}},"mcpServers":{
            "a":{"command":"a"},
            "mem": {
              "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
              "command": "$MEM",
              "type": "stdio"
            }
          }}"#]],
    );
    assert_file(
        &vault,
        ".codex/config.toml",
        expect![[r##"
        # mine
        model = "gpt"   # comment

        [mcp_servers.other]
        command = "other"

        [mcp_servers.mem]
        args = ["-C", "$VAULT", "mcp", "--allow-writes"]
        command = "$MEM"

        [[hooks.SessionStart]]
        matcher = "startup"
        [[hooks.SessionStart.hooks]]
        type = "command"
        command = "other"   # theirs

        [[hooks.SessionStart]]

        [[hooks.SessionStart.hooks]]
        command = "$MEM -C $VAULT hook session-start --host codex"
        timeout = 5
        type = "command"

        [[hooks.UserPromptSubmit]]

        [[hooks.UserPromptSubmit.hooks]]
        command = "$MEM -C $VAULT hook prompt --host codex"
        timeout = 5
        type = "command"

        [projects."/x"]
        trust_level = "trusted"
    "##]],
    );
    done(
        &vault,
        &["install", "claude", "codex", "cursor", "--yes", "--remove"],
    );
    let mut after = home(&vault);
    let [before_json, after_json] = [&mut before, &mut after].map(|home| {
        let text = home.remove(".claude.json").unwrap();
        serde_json::from_slice::<Value>(&text).unwrap()
    });
    assert_eq!(after_json, before_json);
    assert_eq!(after, before);

    // What others wrote meanwhile stays.
    done(&vault, &["install", "claude", "codex", "--yes"]);
    for (path, from, to) in [
        (".claude/settings.json", "\"opus\"", "\"haiku\""),
        (".codex/config.toml", "\"gpt\"", "\"gpt-2\""),
    ] {
        let text = read(&vault, path).replace(from, to);
        write(&vault, path, &text);
    }
    done(&vault, &["install", "claude", "codex", "--yes", "--remove"]);
    assert_eq!(
        read(&vault, ".claude/settings.json"),
        SETTINGS.replace("opus", "haiku")
    );
    assert_eq!(
        read(&vault, ".codex/config.toml"),
        CODEX.replace("gpt", "gpt-2")
    );
}

#[test]
fn entries_of_another_vault_are_replaced() {
    let vault = TestVault::empty();
    write(
        &vault,
        ".claude/settings.json",
        r#"{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "timeout": 5,
    "command": "mem", "args": ["-C", "/old", "hook", "prompt", "--host", "claude"]}]}]}}
"#,
    );
    agent(&vault, &["status"]).stdout(expect![[r#"
        claude          hooks outdated, tools missing, skill missing
        not found: codex, cursor, opencode, pi, copilot, openclaw, hermes, antigravity, zed, claude-desktop
    "#]]).code(0);
    done(&vault, &["install", "claude", "--yes"]);
    let text = read(&vault, ".claude/settings.json");
    assert!(!text.contains("/old"), "{text}");
    assert_eq!(text.matches("\"prompt\"").count(), 1, "{text}");
    agent(&vault, &["status"]).stdout(expect![[r#"
        claude          hooks active, tools active, skill active
        not found: codex, cursor, opencode, pi, copilot, openclaw, hermes, antigravity, zed, claude-desktop
    "#]]).code(0);
}

#[test]
fn doubtful_files_are_refused_unchanged() {
    for (path, text) in [
        (".claude/settings.json", "{\"hooks\": "),
        (".claude/settings.json", "[1]"),
        (".claude/settings.json", "{\"hooks\": []}"),
        (
            ".claude/settings.json",
            "{\"hooks\": {\"SessionStart\": {}}}",
        ),
        (
            ".claude/settings.json",
            "{\"hooks\": {\"SessionStart\": [{\"hooks\": [{\"command\": \"other\"}, {\"command\": \"mem hook session-start --host claude \"}]}]}}",
        ),
        (
            ".claude.json",
            "{\"mcpServers\": {\"mem\": {\"command\": \"memcached\"}}}",
        ),
        (".claude/skills/mem/SKILL.md", "mine"),
    ] {
        let vault = TestVault::empty();
        write(&vault, path, text);
        let before = home(&vault);
        let run = agent(&vault, &["install", "claude", "--yes"]).raw();
        assert_eq!(run.code, 2, "{text}");
        let name = path.rsplit('/').next().unwrap();
        assert!(
            run.stderr.contains(name) && run.stderr.contains("hint: "),
            "{}",
            run.stderr
        );
        assert_eq!(home(&vault), before, "{text}");
    }
    let vault = TestVault::empty();
    write(&vault, ".codex/config.toml", "model = \n");
    let run = agent(&vault, &["install", "codex", "--yes"]);
    run.stderr(expect![[r#"
        error: cannot edit `$HOME/.codex/config.toml`: the file is malformed: TOML parse error at line 1, column 9: string values must be quoted, expected literal string
        hint: nothing was changed; correct the file and run the command again
    "#]]).code(2);
    agent(&vault, &["install", "vim"])
        .stderr(expect![[r#"
            error: unknown host `vim`
            hint: known hosts: claude, codex, cursor, opencode, pi, copilot, openclaw, hermes, antigravity, zed, claude-desktop
        "#]])
        .code(2);
    // Without a terminal there is no confirmation.
    agent(&vault, &["install", "zed"])
        .naming(MEM, "$MEM")
        .stdout(expect![[r#"
            --- /dev/null
            +++ b$HOME/.config/zed/settings.json
            @@ -0,0 +1,8 @@
            +{
            +  "context_servers": {
            +    "mem": {
            +      "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
            +      "command": "$MEM"
            +    }
            +  }
            +}
        "#]])
        .stderr(expect![[r#"
            error: refusing to write these files without confirmation
            hint: pass `--yes` to confirm, or `--dry-run` to preview
        "#]])
        .code(2);
    assert!(!vault.home(".config/zed").exists());
}

#[test]
fn links_are_followed_and_kept() {
    let vault = TestVault::empty();
    write(&vault, "dotfiles/mcp.json", "{}");
    fs::create_dir(vault.home(".cursor")).unwrap();
    symlink(
        vault.home("dotfiles/mcp.json"),
        vault.home(".cursor/mcp.json"),
    )
    .unwrap();
    done(&vault, &["install", "cursor", "--yes"]);
    assert!(vault.home(".cursor/mcp.json").is_symlink());
    assert!(read(&vault, "dotfiles/mcp.json").contains("mcpServers"));
    done(&vault, &["install", "cursor", "--yes", "--remove"]);
    assert!(vault.home(".cursor/mcp.json").is_symlink());
    assert_eq!(read(&vault, "dotfiles/mcp.json"), "{}");
}

#[test]
fn home_option_ignores_variables() {
    let vault = TestVault::empty();
    let run = vault.command(["agent", "install", "codex", "opencode", "--yes"]);
    let run = run.env("CODEX_HOME", vault.home("elsewhere")).run().raw();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(vault.home("elsewhere/config.toml").exists());
    assert!(!vault.home(".codex").exists());
    let other = vault.home("other");
    let run = vault.command([
        "agent",
        "install",
        "codex",
        "--yes",
        "--home",
        other.to_str().unwrap(),
    ]);
    let run = run.env("CODEX_HOME", vault.home("nowhere")).run().raw();
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert!(vault.home("other/.codex/config.toml").exists());
    assert!(!vault.home("nowhere").exists());
}

#[test]
fn status_reports_what_codex_skips() {
    let vault = TestVault::empty();
    done(&vault, &["install", "codex", "--yes"]);
    agent(&vault, &["status"]).stdout(expect![[r#"
        codex           hooks active, tools active, skill active, hooks not approved yet: `/hooks`
        not found: claude, cursor, opencode, pi, copilot, openclaw, hermes, antigravity, zed, claude-desktop
    "#]]).code(0);
    let path = vault.home(".codex/config.toml");
    let mut text = fs::read_to_string(&path).unwrap();
    for event in ["session_start", "user_prompt_submit"] {
        let path = path.display();
        let state = format!("[hooks.state.\"{path}:{event}:0:0\"]");
        text.extend(["\n", &state, "\ntrusted_hash = \"sha256:00\"\n"]);
    }
    fs::write(&path, text).unwrap();
    agent(&vault, &["status"]).stdout(expect![[r#"
        codex           hooks active, tools active, skill active
        not found: claude, cursor, opencode, pi, copilot, openclaw, hermes, antigravity, zed, claude-desktop
    "#]]).code(0);
}

#[test]
fn preview_shows_the_diff() {
    let vault = TestVault::empty();
    write(
        &vault,
        ".config/zed/settings.json",
        "{\n  // mine\n  \"theme\": \"One\"\n}\n",
    );
    agent(&vault, &["install", "zed", "--dry-run"])
        .naming(MEM, "$MEM")
        .stdout(expect![[r#"
            --- a$HOME/.config/zed/settings.json
            +++ b$HOME/.config/zed/settings.json
            @@ -1,4 +1,10 @@
             {
               // mine
            -  "theme": "One"
            +  "theme": "One",
            +  "context_servers": {
            +    "mem": {
            +      "args": ["-C", "$VAULT", "mcp", "--allow-writes"],
            +      "command": "$MEM"
            +    }
            +  }
             }
        "#]])
        .stderr(expect!["1 file would change"])
        .code(0);
    assert_eq!(read(&vault, ".config/zed/settings.json").lines().count(), 4);
}

/// With `autoMemoryDirectory` Claude Code writes its memory into a folder of the vault.
#[test]
fn memory_of_claude_is_a_folder_of_notes() {
    let vault = TestVault::empty();
    let index = "# Memory\n\n- [Database](database.md): which database is in use\n";
    let topic = "---\nname: database\ndescription: which database is in use\ntype: project\nmodified: 2026-03-01T10:00:00Z\n---\n\nThe billing service uses Postgres 16.\n";
    vault.write("claude/MEMORY.md", index);
    vault.write("claude/database.md", topic);
    let recalled = vault
        .run(["recall", "which database does billing use"])
        .raw();
    assert!(
        recalled.stdout.contains("Postgres 16"),
        "{}",
        recalled.stdout
    );
    let checked = vault.run(["doctor"]).raw();
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    // A night without answers changes none of its files.
    let slept = vault.run(["sleep", "--quiet"]).raw();
    assert_eq!(slept.code, 0, "{}", slept.stderr);
    assert_eq!(vault.read("claude/MEMORY.md"), index);
    assert_eq!(vault.read("claude/database.md"), topic);
}

#[test]
fn settings_of_hermes_keep_their_comments() {
    let vault = TestVault::empty();
    let before = "# mine\nmodel: hermes-4   # fast\nhooks:\n  pre_llm_call:\n    - command: ./other.sh   # theirs\n\nmcp_servers:\n  time:\n    command: uvx\n";
    write(&vault, ".hermes/config.yaml", before);
    done(&vault, &["install", "hermes", "--yes"]);
    assert_file(
        &vault,
        ".hermes/config.yaml",
        expect![[r##"
        # mine
        model: hermes-4   # fast
        hooks:
          pre_llm_call:
            - command: ./other.sh   # theirs
            - command: $MEM -C $VAULT hook prompt --host hermes
              timeout: 5

        mcp_servers:
          time:
            command: uvx
          mem:
            args: ["-C", $VAULT, mcp, "--allow-writes"]
            command: $MEM
    "##]],
    );
    let status = agent(&vault, &["status"]).raw().stdout;
    assert!(
        status.contains("hermes          hooks active, tools active, skill active"),
        "{status}"
    );
    let after = read(&vault, ".hermes/config.yaml").replace("hermes-4", "hermes-5");
    write(&vault, ".hermes/config.yaml", &after);
    done(&vault, &["install", "hermes", "--remove", "--yes"]);
    assert_eq!(
        read(&vault, ".hermes/config.yaml"),
        before.replace("hermes-4", "hermes-5")
    );
    write(&vault, ".hermes/config.yaml", "hooks: [\n");
    let run = agent(&vault, &["install", "hermes", "--yes"]).raw();
    assert_eq!(run.code, 2, "{}", run.stdout);
    write(&vault, ".config/opencode/plugins/mem.ts", "// mine\n");
    let run = agent(&vault, &["install", "opencode", "--yes"]).raw();
    assert!(
        run.stderr.contains("was edited or comes from elsewhere"),
        "{}",
        run.stderr
    );
    assert_eq!(read(&vault, ".config/opencode/plugins/mem.ts"), "// mine\n");
}

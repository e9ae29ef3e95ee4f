//! `mem rules`: policies of people, on their own notes and on an agent's.

use expect_test::expect;
use serde_json::Value;

use crate::support::TestVault;

/// Two old meetings and a decision of a person, and a note by an agent.
fn vault() -> TestVault {
    let vault = TestVault::of([
        (
            "a.md",
            "---\ntype: meeting\ncreated: 2024-02-01\n---\n# Budget\n\nWe met.\n",
        ),
        (
            "b.md",
            "---\ntype: meeting\ncreated: 2024-03-01\n---\n# Hiring\n\nWe met again.\n",
        ),
        (
            "d.md",
            "---\ntype: decision\ncreated: 2024-03-01\n---\n# Tea\n\nWe drink tea at the meeting.\n",
        ),
    ]);
    done(
        &vault,
        &[
            "-q",
            "remember",
            "--title",
            "Standup",
            "--type",
            "meeting",
            "We stood.",
        ],
    );
    vault
}

fn done(vault: &TestVault, arguments: &[&str]) {
    let outcome = vault.run(arguments).raw();
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
}

const OLD: &str = "# Old meetings step down.\n[[rule]]\nname = \"old meetings\"\neach = \"meeting idle:>1y\"\ndo = \"demote\"\n";

fn has_tier(vault: &TestVault, note: &str) -> bool {
    vault.read(note).contains("tier: archival")
}

#[test]
fn rule_asks_about_handwritten_notes_and_acts_on_managed_ones() {
    let vault = vault();
    vault.write(".mem/rules.toml", OLD);
    vault
        .run(["rules", "list"])
        .stdout(expect![[r#"
            old meetings  on sleep each meeting idle:>1y: demote  $VAULT/.mem/rules.toml:3
        "#]])
        .code(0);
    vault
        .run(["rules", "check"])
        .stderr(expect!["1 rule read, 0 problems"])
        .code(0);
    vault
        .run(["rules", "test", "--at", "2027-12-01"])
        .stdout(expect![[r#"
            old meetings  on sleep each meeting idle:>1y: demote
              4 notes found, 1 change without a question, 2 after a question: the notes are yours
              set tier of a.md to archival
              set tier of b.md to archival
              set tier of standup.md to archival
              leaves d.md: its type is protected
        "#]])
        .code(0);
    vault
        .run(["rules", "test", "--at", "2027-12-01", "--note", "d"])
        .stdout(expect![[r#"
            old meetings  matches but changes nothing: its type is protected
        "#]])
        .code(1);
    vault.at("2027-12-01T00:00:00Z");
    done(&vault, &["-q", "sleep", "--all", "--only", "rules"]);
    vault
        .run(["review"])
        .stdout(expect![[r#"
            d1a2bd03 Set tier of 2 notes to archival? (rule `old meetings`: meeting idle:>1y)
        "#]])
        .stderr(expect![[r#"
            1 question: 1 rule
            hint: answer one with `mem review accept ID` or `mem review reject ID`
        "#]])
        .code(0);
    assert!(has_tier(&vault, "standup.md") && !has_tier(&vault, "a.md"));
    // A no applies to these notes; another note is asked about separately.
    done(&vault, &["-q", "review", "reject", "--all"]);
    done(&vault, &["-q", "sleep", "--all", "--only", "rules"]);
    vault
        .run(["review"])
        .stdout(expect![[r#""#]])
        .stderr(expect!["no open questions"])
        .code(1);
    vault.write(
        "c.md",
        "---\ntype: meeting\ncreated: 2024-05-01\n---\n# Rent\n\nThey met at the meeting.\n",
    );
    done(&vault, &["-q", "sleep", "--all", "--only", "rules"]);
    vault
        .run(["review"])
        .stdout(expect![[r#"
            d66a8360 Set tier of c.md to archival? (rule `old meetings`: meeting idle:>1y)
        "#]])
        .stderr(expect![[r#"
            1 question: 1 rule
            hint: answer one with `mem review accept ID` or `mem review reject ID`
        "#]])
        .code(0);
    done(&vault, &["-q", "review", "accept", "--all"]);
    assert!(has_tier(&vault, "c.md"));
    let before = vault.read("c.md");
    done(&vault, &["-q", "undo"]);
    assert_ne!(vault.read("c.md"), before);
    vault
        .run(["rules"])
        .stdout(expect![[r#"
            d66a8360 Set tier of c.md to archival? (rule `old meetings`: meeting idle:>1y)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind rule`
        "#]])
        .code(0);
}

#[test]
fn undone_rule_actions_are_not_repeated() {
    let vault = vault();
    vault.write(".mem/rules.toml", OLD);
    vault.at("2027-12-01T00:00:00Z");
    done(
        &vault,
        &["-q", "sleep", "--all", "--apply", "all", "--only", "rules"],
    );
    assert!(has_tier(&vault, "a.md") && has_tier(&vault, "b.md") && !has_tier(&vault, "d.md"));
    done(&vault, &["-q", "undo"]);
    assert!(!has_tier(&vault, "a.md"));
    done(
        &vault,
        &["-q", "sleep", "--all", "--apply", "all", "--only", "rules"],
    );
    assert!(!has_tier(&vault, "a.md") && !has_tier(&vault, "standup.md"));
}

#[test]
fn invalid_rules_are_reported_and_others_run() {
    let vault = vault();
    let wrong = "[[rule]]\nname = \"wrong\"\neach = \"staus:old\"\ndo = \"demote\"\n\
        [[rule]]\nname = \"worse\"\neach = \"tag:x\"\ndo = \"burn\"\n\
        [[rule]]\nname = \"down\"\neach = \"type:meeting tier:working\"\ndo = \"demote\"\n\
        [[rule]]\nname = \"up\"\neach = \"type:meeting tier:archival\"\ndo = \"restore\"\n\
        [[rule]]\nname = \"tell\"\neach = \"type:decision\"\ndo = { notify = \"decided\" }\n";
    vault.write(".mem/rules.toml", wrong);
    vault
        .run(["rules", "check"])
        .stdout(expect![[r#"
            `$VAULT/.mem/rules.toml`, line 8: unknown action `burn`; there are demote, forget, restore, promote, trash, tag, untag, set, notify
            `$VAULT/.mem/rules.toml`, line 2: rule `wrong`: no note has a property `staus`
            the rules `down`, `up` would change a.md, b.md, standup.md endlessly, each undoing another; none of them is applied
        "#]])
        .stderr(expect!["4 rules read, 3 problems"])
        .code(1);
    let outcome = vault.run(["sleep", "--all", "--only", "rules"]).raw();
    let warning = "warning: `$VAULT/.mem/rules.toml`, line 8: unknown action `burn`";
    assert!(outcome.stderr.starts_with(warning), "{}", outcome.stderr);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let status = vault.run(["status"]).raw().stdout;
    assert!(status.contains("\n  decided: d.md\n"), "{status}");
}

#[test]
fn events_trigger_rules() {
    let vault = vault();
    let rules = "[[rule]]\nname = \"revise\"\non = \"ingest\"\nwhen = \"notes:>2\"\nrun = \"dedupe\"\n\
        [[rule]]\nname = \"asked\"\non = \"recall\"\neach = \"type:decision\"\ndo = { notify = \"asked\" }\n\
        [[rule]]\nname = \"relieve\"\non = \"pressure\"\neach = \"type:meeting is:managed\"\ndo = \"forget\"\nlimit = 1\n";
    vault.write(".mem/rules.toml", rules);
    // It forgets; allowed for this test.
    done(&vault, &["-q", "config", "rules.trust_vault", "true"]);
    done(&vault, &["-q", "config", "dedupe.every", "off"]);
    done(&vault, &["-q", "config", "rules.every", "1d"]);
    let ran = |vault: &TestVault, arguments: &[&str]| {
        let outcome = vault.run(["sleep", "--json"].iter().chain(arguments)).raw();
        assert_eq!(outcome.code, 0, "{}", outcome.stderr);
        let report: Value = serde_json::from_str(&outcome.stdout).unwrap();
        let jobs = report["jobs"].as_array().unwrap().iter();
        let jobs = jobs.map(|job| job["job"].as_str().unwrap());
        // The others are due by their intervals, or named by no rule.
        let jobs: Vec<&str> = jobs
            .filter(|job| ["rules", "dedupe"].contains(job))
            .collect();
        jobs.join(" ")
    };
    // A note was remembered.
    vault.at("2026-05-02T00:00:00Z");
    assert_eq!(ran(&vault, &[]), "dedupe rules");
    vault.at("2026-05-02T01:00:00Z");
    assert_eq!(ran(&vault, &[]), "");
    done(&vault, &["-q", "recall", "tea"]);
    vault.at("2026-05-02T02:00:00Z");
    assert_eq!(ran(&vault, &[]), "rules");
    assert_eq!(ran(&vault, &[]), "");
    // Events given by hand.
    assert_eq!(ran(&vault, &["--event", "ingest"]), "dedupe");
    assert!(!vault.read("standup.md").contains("tier:"));
    assert_eq!(ran(&vault, &["--event", "pressure"]), "rules");
    assert!(vault.read("standup.md").contains("tier: forgotten"));
    // With all maintenance disabled only the index runs.
    done(&vault, &["-q", "config", "rules.enabled", "false"]);
    assert_eq!(ran(&vault, &["--all"]), "");
}

#[test]
fn vault_rules_hide_and_remove_nothing_unasked() {
    let managed = |vault: &TestVault| vault.read("standup.md");
    for (action, is_asked) in [
        ("'trash'", true),
        ("'forget'", true),
        ("{ untag = 'daily' }", true),
        ("{ set = { valid_until = '2020-01-01' } }", true),
        ("{ set = { replaced_by = '[[a]]' } }", true),
        ("{ set = { type = 'other' } }", true),
        ("{ set = { status = 'seen' } }", false),
        ("{ tag = 'seen' }", false),
        ("'demote'", false),
    ] {
        let vault = vault();
        done(&vault, &["-q", "edit", "standup", "--tag", "daily"]);
        let before = managed(&vault);
        let rule = format!("[[rule]]\nname = 'r'\neach = 'is:managed'\ndo = {action}\n");
        vault.write(".mem/rules.toml", &rule);
        let listed = vault.run(["rules", "list"]).raw().stdout;
        assert_eq!(listed.contains("asks first"), is_asked, "{listed}");
        done(&vault, &["-q", "rules"]);
        let after = vault.path("standup.md").exists().then(|| managed(&vault));
        assert_eq!(after.as_ref() == Some(&before), is_asked, "{action}");
        if is_asked {
            let open = vault.run(["review", "--all", "--json"]).raw().stdout;
            assert!(open.contains("standup.md"), "{action}: {open}");
            // A vault's setting has no effect.
            vault.write(".mem/config.toml", "[rules]\ntrust_vault = true\n");
            vault.run(["-q", "rules"]).raw();
            assert_eq!(managed(&vault), before, "{action}");
            vault.write(".mem/config.toml", "");
            done(&vault, &["-q", "config", "rules.trust_vault", "true"]);
            done(&vault, &["-q", "rules"]);
            let after = vault.path("standup.md").exists().then(|| managed(&vault));
            assert_ne!(after, Some(before), "{action}");
        }
    }
    // A rule that depends on a pending one waits with it, regardless of the author.
    let vault = vault();
    vault.write(
        ".mem/rules.toml",
        "[[rule]]\nname = 'first'\neach = 'is:managed'\ndo = 'forget'\n",
    );
    let own = "[[rule]]\nname = 'own'\neach = 'tier:forgotten'\ndo = 'trash'\n";
    std::fs::create_dir_all(vault.home(".config/mem")).unwrap();
    std::fs::write(vault.home(".config/mem/rules.toml"), own).unwrap();
    done(&vault, &["-q", "rules"]);
    assert!(vault.path("standup.md").exists());
}

#[test]
fn postponed_yes_is_applied_later() {
    let vault = vault();
    vault.write(".mem/rules.toml", OLD);
    vault.at("2027-12-01T00:00:00Z");
    let locked = |mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(vault.path("a.md"), mode).unwrap();
    };
    locked(0o444);
    done(&vault, &["-q", "sleep", "--all", "--only", "rules"]);
    // Changes of read-only notes are suggestions.
    vault
        .run(["review", "accept", "--all", "--min-chance", "0"])
        .raw();
    assert!(!has_tier(&vault, "a.md") && !has_tier(&vault, "b.md"));
    locked(0o644);
    done(&vault, &["-q", "sleep", "--all", "--only", "rules"]);
    assert!(has_tier(&vault, "a.md") && has_tier(&vault, "b.md"));
}

#[test]
fn foreign_rules_are_sanitised_and_checked() {
    let vault = TestVault::of([("a.md", "A note.\n")]);
    let notice =
        "[[rule]]\nname = \"n\"\neach = \"note\"\ndo = { notify = \"\\u001b[2Jx\\ny\\u202e\" }\n";
    vault.write(".mem/rules.toml", notice);
    vault
        .run(["rules"])
        .stdout(expect![[r#"\u{1b}[2Jx y\u{202e}: a.md"#]])
        .code(0);
    vault
        .run(["rules", "test"])
        .stdout(expect![[r#"
        n  on sleep each note: notify "\u{1b}[2Jx y\u{202e}"
          \u{1b}[2Jx y\u{202e}: a.md
    "#]])
        .code(0);
    vault
        .run(["rules", "list"])
        .stdout(expect![[r#"
        n  on sleep each note: notify "\u{1b}[2Jx y\u{202e}"  $VAULT/.mem/rules.toml:2
    "#]])
        .code(0);
    std::fs::write(vault.path(".mem/rules.toml"), [0xff, b'\n']).unwrap();
    vault
        .run(["rules", "check"])
        .stdout(expect![[r#"
            `$VAULT/.mem/rules.toml`: cannot be read: invalid data
        "#]])
        .stderr(expect!["0 rules read, 1 problem"])
        .code(1);
}

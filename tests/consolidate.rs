//! `mem consolidate`: a digest is proposed, written on a yes, and undone.

use expect_test::expect;

use crate::support::TestVault;

const PORTS: [(&str, &str); 3] = [
    (
        "Port",
        "The Postgres server in Basel listens on port 5432. Ada set it up in 2025.",
    ),
    (
        "Basel",
        "The Postgres server in Basel listens on port 5432.",
    ),
    (
        "Wall",
        "The Postgres server in Basel listens on port 5432 behind the firewall.",
    ),
];

#[test]
fn digest_is_proposed_written_and_undone() {
    let vault = TestVault::of([("Mine.md", "Tea at four.\n")]);
    for (title, text) in PORTS {
        vault.run(["-q", "remember", "--title", title, text]).raw();
    }
    let before = vault.tree();
    vault
        .run(["consolidate"])
        .stdout(expect![[r#"
            9a5b66ef Consolidate basel.md, wall.md and port.md into digest-of-basel.md? (3 notes, cosine 0.81 or more; 27 of their 36 words, all 6 numbers, names and links)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind consolidate`
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
    vault
        .run(["review", "accept", "9a5b66ef"])
        .stdout(expect!["created digest-of-basel.md"])
        .stderr(expect!["hint: undo with `mem undo 7580`"])
        .code(0);
    vault
        .run(["show", "digest-of-basel"])
        .stdout(expect![[r#"
            ---
            title: Digest of Basel
            derived_from: ["[[basel]]", "[[wall]]", "[[port]]"]
            created: 2026-04-01T12:00:00Z
            mem:
              by: consolidate
              seal: "096cddb6fad3ce29"
            ---
            - The Postgres server in Basel listens on port 5432 behind the firewall. ([[wall|Wall]])
            - The Postgres server in Basel listens on port 5432. Ada set it up in 2025. ([[port|Port]])

            The same: [[basel|Basel]].
        "#]])
        .code(0);
    vault
        .run(["list", "tier:archival"])
        .stdout(expect![[r#"
            basel.md
            port.md
            wall.md
        "#]])
        .code(0);
    vault
        .run(["consolidate", "--full"])
        .stdout(expect!["nothing to consolidate"])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    vault
        .run(["consolidate", "--full"])
        .stdout(expect![[r#"
            9a5b66ef Consolidate basel.md, wall.md and port.md into digest-of-basel.md? (3 notes, cosine 0.81 or more; 27 of their 36 words, all 6 numbers, names and links)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind consolidate`
        "#]])
        .code(0);
    vault
        .run(["list", "tier:archival"])
        .stdout(expect![""])
        .stderr(expect!["no matches"])
        .code(1);
}

//! `mem edit`

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Command, Stdio};

use expect_test::expect;

use crate::support::records::{ChangeReply, EditReply};
use crate::support::{MEM, TestVault};

const NOTE: &str = "---\r\n# mine\r\nstatus:   'draft' # for now\r\ntags: [a,  b]\r\nmap:\r\n  deep: 1\r\n---\r\nBody.\r\n";

#[test]
fn edit_changes_only_the_properties() {
    let vault = TestVault::of([("a.md", NOTE)]);
    let before = vault.tree();
    let edit = [
        "edit",
        "a",
        "--set",
        "status=done",
        "--set",
        "rank=3",
        "--set",
        "version=\"3\"",
        "--set",
        "map.more=[1, \"x\"]",
        "--append",
        "tags=c",
        "--append",
        "tags=a",
        "--remove",
        "tags=b",
        "--keep",
        "--outdated",
    ];
    vault
        .run([&edit[..], &["--dry-run"]].concat())
        .stdout(expect![[r#"
            would edit a.md
            --- a/a.md
            +++ b/a.md
            @@ -1,8 +1,13 @@
             ---
             # mine
            -status:   'draft' # for now
            -tags: [a,  b]
            +status:   done # for now
            +tags: [a, c]
             map:
               deep: 1
            +  more: [1, x]
            +rank: 3
            +version: "3"
            +keep: true
            +valid_until: 2026-04-01T12:00:00Z
             ---
             Body.
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
    vault
        .run(edit)
        .stdout(expect!["edited a.md"])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    vault
        .run(["-q", "edit", "a", "--keep", "-t", "#A"])
        .stdout(expect!["unchanged: a.md"])
        .code(0);
    vault
        .run([
            "-q",
            "edit",
            "a",
            "--unset",
            "map.deep",
            "--no-keep",
            "--untag",
            "a",
        ])
        .stdout(expect!["edited a.md"])
        .code(0);
    assert!(!vault.read("a.md").contains("keep"));
    vault.run(["-q", "undo"]).raw();
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}

#[test]
fn tags_are_added_once() {
    for (tags, expected) in [
        ("tags: one, Two\n", "tags: [one, Two, three]\n"),
        ("tags: ['#two']\n", "tags: ['#two', three]\n"),
        ("", "tags: [two, three]\n"),
    ] {
        let vault = TestVault::of([("a.md", &format!("---\nx: 1\n{tags}---\n"))]);
        vault
            .run(["-q", "edit", "a", "-t", "two", "-t", "#three"])
            .stdout(expect!["edited a.md"])
            .code(0);
        assert_eq!(vault.read("a.md"), format!("---\nx: 1\n{expected}---\n"));
    }
}

#[test]
fn notes_from_stdin_are_edited() {
    let vault = TestVault::of([
        ("with space.md", "#plan\n"),
        ("b.md", "#plan\n"),
        ("c.md", "No plan.\n"),
    ]);
    let mut pipe = Command::new("sh");
    pipe.arg("-c").arg(format!(
        "'{MEM}' list tag:plan -0 | xargs -0 '{MEM}' -q edit --append tags=x --set done=true"
    ));
    vault.prepare(&mut pipe);
    let output = pipe.stdin(Stdio::null()).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "edited b.md\nedited with space.md\n"
    );
    vault.assert_text(
        "with space.md",
        expect![[r#"
        ---
        done: true
        tags: [x]
        ---
        #plan
    "#]],
    );
    vault
        .run(["list", "tag:x"])
        .stdout(expect![[r#"
            b.md
            with space.md
        "#]])
        .code(0);
    vault.assert_text("c.md", expect!["No plan."]);
}

#[test]
fn managed_note_stays_managed() {
    let vault = TestVault::empty();
    vault.run(["-q", "remember", "Tea is ready"]).raw();
    vault
        .run(["-q", "edit", "tea is ready", "--set", "type=fact"])
        .stdout(expect!["edited tea-is-ready.md"])
        .code(0);
    vault
        .run(["list", "is:managed", "type:fact"])
        .stdout(expect!["tea-is-ready.md"])
        .code(0);
}

#[test]
fn editor_writes_the_file_directly() {
    let vault = TestVault::of([("a.md", "Tea.\n"), ("b.md", "Cup.\n")]);
    let edit = |editor: &str, arguments: &[&str]| {
        let run = vault.command([&["edit"], arguments].concat());
        run.env("EDITOR", editor).run()
    };
    edit("sed -i s/Tea/Coffee/", &["a", "b"])
        .stdout(expect![[r#"
            edited a.md
            unchanged: b.md
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    vault
        .run(["history"])
        .stdout(expect!["757x  just now  edit a.md"])
        .code(0);
    vault
        .run(["search", "--mode", "lexical", "coffee"])
        .stdout(expect![[r#"
            a.md:1
              Coffee.
        "#]])
        .code(0);
    let opened: EditReply = edit("sed -i '1i ---\\na: b: c\\n---'", &["--json", "b"])
        .stderr(expect![[r#"
            warning: `b.md` was saved with an error: front matter line 2: a value with `: ` needs quotes, or the indentation is wrong
            hint: undo with `mem undo 757y`
        "#]])
        .json(0);
    assert!(opened.notes[0].changed && opened.notes[0].problem.is_some());
    assert_eq!(opened.run.as_deref(), Some("20260401-120000-757y"));
    vault
        .run(["-q", "undo", "20260401-120000-757x"])
        .stdout(expect!["undid edit a.md (just now)"])
        .code(0);
    assert_eq!(vault.read("a.md"), "Tea.\n");
    // A location as other commands print it.
    let nano = vault.home("nano");
    fs::write(&nano, "#!/bin/sh\necho \"$1 ${2##*/}\" >&2\n").unwrap();
    fs::set_permissions(&nano, fs::Permissions::from_mode(0o755)).unwrap();
    edit(nano.to_str().unwrap(), &["a.md:12:3"])
        .stdout(expect!["unchanged: a.md"])
        .stderr(expect!["+12 a.md"])
        .code(0);
    // The shell's own message varies.
    let outcome = edit("no-such-editor", &["a"]).raw();
    let told = "error: editor `no-such-editor` not found\n\
                hint: set `EDITOR`: `export EDITOR=nano`\n";
    assert!(
        outcome.code == 2 && outcome.stderr.ends_with(told),
        "{outcome:?}"
    );
    edit("false", &["a"])
        .stdout(expect!["unchanged: a.md"])
        .stderr(expect![[r#"
            error: `false` ended with exit status: 1
            hint: the saved text was indexed
        "#]])
        .code(2);
}

#[test]
fn refused_edits_give_the_reason() {
    let vault = TestVault::of([("a.md", "Tea.\n"), ("broken.md", "---\na: b: c\n---\n")]);
    let before = vault.tree();
    vault
        .run(["edit", "a"])
        .stderr(expect![[r#"
            error: no editor is set in `VISUAL` or `EDITOR`
            hint: `export EDITOR=nano`, or change a property: `mem edit NOTE --set status=done`
        "#]])
        .code(2);
    vault
        .run(["edit", "a", "--set", "mem.by=me"])
        .stderr(expect![[r#"
            error: the property `mem` is managed by mem
            hint: it records who wrote the note; change it in your editor
        "#]])
        .code(2);
    let failure = vault
        .run(["edit", "a", "--json", "--unset", "x..y"])
        .failure();
    assert_eq!(
        failure.message,
        "`x..y` is not a property: a key is empty; write `\\.` for a dot that is part of a key"
    );
    before.assert_same(&vault.tree());
    // The other notes are edited nevertheless.
    let done: ChangeReply = vault
        .run(["-q", "edit", "--json", "a", "broken", "--set", "x=1"])
        .stderr(expect![[r#"
            warning: cannot edit broken.md: front matter line 2: a value with `: ` needs quotes, or the indentation is wrong
        "#]])
        .json(1);
    assert_eq!(done.groups[0].outcome, "applied");
    assert_eq!(done.groups[1].outcome, "dropped");
    vault.assert_text(
        "a.md",
        expect![[r#"
        ---
        x: 1
        ---
        Tea.
    "#]],
    );
}

#[test]
fn tags_are_comma_separated_and_validated() {
    let vault = TestVault::of([("a.md", "Tea.\n")]);
    vault
        .run(["-q", "edit", "a", "-t", "drinks, #hot", "-t", "work"])
        .stdout(expect!["edited a.md"])
        .code(0);
    vault
        .run(["-q", "edit", "a", "--untag", "work,hot"])
        .stdout(expect!["edited a.md"])
        .code(0);
    vault.assert_text(
        "a.md",
        expect![[r#"
        ---
        tags: [drinks]
        ---
        Tea.
    "#]],
    );
    for command in ["edit", "remember"] {
        let failure = vault.run(["--json", command, "a", "--tag", ""]).failure();
        let message = "invalid value '' for '--tag <TAG,...>': a tag cannot be empty";
        assert_eq!(failure.message, message);
    }
    vault
        .run(["-q", "remember", "Cups are blue", "-t", "cups,blue"])
        .stdout(expect!["cups-are-blue.md"])
        .code(0);
    vault.assert_text(
        "cups-are-blue.md",
        expect![[r#"
        ---
        id: 01KN4EMBG0J2BS83R9F059WBVW
        title: Cups are blue
        tags: [cups, blue]
        created: 2026-04-01T12:00:00Z
        mem:
          by: mem
          seal: "ef17ed91963c0522"
        ---
        Cups are blue
    "#]],
    );
}

#[test]
fn tag_is_removed_in_any_spelling() {
    for (tags, expected) in [
        ("tags: tea\n", ""),
        ("tags: Tea, work\n", "tags: [work]\n"),
        ("tags: [\"#tea\", work]\n", "tags: [work]\n"),
        ("tags:\n  - TEA\n  - work # x\n", "tags:\n  - work # x\n"),
        ("tags: teapot\n", "tags: teapot\n"),
    ] {
        let vault = TestVault::of([("a.md", &format!("---\nx: 1\n{tags}---\n"))]);
        vault.run(["-q", "edit", "a", "--untag", "tea"]).raw();
        assert_eq!(vault.read("a.md"), format!("---\nx: 1\n{expected}---\n"));
    }
    let vault = TestVault::of([("a.md", "A #tea.\n")]);
    vault
        .run(["edit", "a", "--untag", "Tea"])
        .stdout(expect!["unchanged: a.md"])
        .stderr(expect![[r#"
            warning: `a.md` has `#Tea` in its text; `--untag` removes tags from front matter only
        "#]])
        .code(0);
}

#[test]
fn names_and_tags_ignore_and_keep_case() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\nTags: [tea] # mine\nALIAS: Old name\n---\nA.\n",
        ),
        ("b.md", "See the Old name.\n"),
    ]);
    let before = vault.tree();
    vault.run(["show", "Old name", "--path"]).raw();
    vault
        .run(["list", "tag:tea"])
        .stdout(expect!["a.md"])
        .code(0);
    vault
        .run(["-q", "edit", "a", "--tag", "work"])
        .stdout(expect!["edited a.md"])
        .code(0);
    vault
        .run(["-q", "tag", "mv", "tea", "drink"])
        .stdout(expect!["renamed #tea to #drink in a.md"])
        .code(0);
    vault
        .run(["-q", "edit", "a", "--append", "aliases=Older name"])
        .stdout(expect!["edited a.md"])
        .code(0);
    vault.assert_text(
        "a.md",
        expect![[r#"
        ---
        Tags: [drink, work] # mine
        ALIAS: [Old name, Older name]
        ---
        A.
    "#]],
    );
    for _ in 0..3 {
        vault.run(["-q", "undo"]).raw();
    }
    before.assert_same(&vault.tree());
    vault
        .run(["-q", "edit", "a", "--untag", "TEA", "--unset", "aliases"])
        .stdout(expect!["edited a.md"])
        .code(0);
    vault.assert_text(
        "a.md",
        expect![[r#"
        ---
        Tags: [] # mine
        ---
        A.
    "#]],
    );
}

#[test]
fn property_names_are_unified_and_tags_have_no_blanks() {
    let vault = TestVault::of([("a.md", "---\nStatus: open\n---\n")]);
    vault
        .run(["edit", "a", "--set", "status=done"])
        .stderr(expect![[r#"
            error: `a.md` writes the property `status` as `Status`
            hint: name it `Status`, or rename it first: `mem edit a.md`
        "#]])
        .code(2);
    vault
        .run(["edit", "a", "--tag", "a b"])
        .stderr(expect![[r#"
            error: invalid value 'a b' for '--tag <TAG,...>': a tag has letters, digits, `-`, `_` and `/`, and not digits alone

            For more information, try '--help'.
        "#]])
        .code(2);
}

#[test]
fn values_are_stored_as_typed() {
    let vault = TestVault::of([("a.md", "One.\n")]);
    for (typed, written) in [
        ("trail ", "'trail '"),
        (" lead", "' lead'"),
        ("in side", "in side"),
    ] {
        let set = format!("k={typed}");
        vault.run(["-q", "edit", "a", "--set", &set]).raw();
        let text = vault.read("a.md").replace('"', "'");
        assert!(text.contains(&format!("k: {written}\n")), "{text}");
    }
}

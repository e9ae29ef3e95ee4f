//! `mem remember --template`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::terminal::Terminal;

const MEETING: &str = "\
---
tags: [meeting] # always
---
# {{title}}

{{date:dddd, D MMMM YYYY}}

## Notes

- {{cursor}}

## Next
";

fn vault() -> TestVault {
    let vault = TestVault::indexed("sample");
    fs::create_dir_all(vault.path("templates/people")).unwrap();
    fs::write(vault.path("templates/meeting.md"), MEETING).unwrap();
    fs::write(vault.path("templates/people/friend.md"), "Met {{time:x}}\n").unwrap();
    vault
}

#[test]
fn note_starts_with_its_template() {
    let vault = vault();
    let before = vault.tree();
    vault
        .run([
            "remember",
            "--template",
            "meeting",
            "--title",
            "Seed swap",
            "Anna brings beans",
            "--in",
            "work",
            "--tag",
            "seeds",
            "--type",
            "event",
        ])
        .stdout(expect!["work/Seed swap.md"])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(0);
    vault.assert_text(
        "work/Seed swap.md",
        expect![[r#"
        ---
        tags: [meeting, seeds] # always
        type: event
        ---
        # Seed swap

        Wednesday, 1 April 2026

        ## Notes

        - Anna brings beans

        ## Next
    "#]],
    );
    vault
        .run(["list", "title:seed", "in:work", "--format", "{{ title }}"])
        .stdout(expect!["Seed swap"])
        .code(0);
    vault
        .run(["-q", "undo"])
        .stdout(expect![[r#"
            undid remember work/Seed swap.md (just now)
        "#]])
        .code(0);
    assert_eq!(vault.tree(), before);
}

#[test]
fn piped_text_follows_the_template() {
    let vault = vault();
    for (arguments, note) in [
        (
            &["new", "--template", "people/friend", "Oolong"][..],
            "Oolong.md",
        ),
        (
            &["remember", "--template", "people/friend", "Garden party"],
            "Garden party.md",
        ),
    ] {
        let run = vault.command(arguments).stdin("Anna brings beans\n").run();
        assert_eq!(run.raw().code, 0);
        let text = fs::read_to_string(vault.path(note)).unwrap();
        assert!(text.ends_with("Anna brings beans\n"), "{text}");
    }
}

#[test]
fn template_errors_are_reported() {
    let vault = vault();
    vault
        .run(["new", "--template", "meetnig", "Seed swap"])
        .stderr(expect![[r#"
            error: no template `meetnig` in `templates`
            hint: did you mean `meeting`?
        "#]])
        .code(2);
    vault
        .run(["new", "--template", "x", "Seed swap"])
        .stderr(expect![[r#"
            error: no template `x` in `templates`
            hint: available: meeting, people/friend
        "#]])
        .code(2);
    vault
        .run(["new", "--template", "meeting"])
        .stderr(expect![[r#"
            error: a note from a template needs a title
            hint: `mem remember --template meeting TITLE`
        "#]])
        .code(2);
    vault
        .run(["new", "--template", "people/friend", "Oolong"])
        .stdout(expect!["Oolong.md"])
        .stderr(expect![[r#"
            warning: `{{time:x}}` in the template is not supported and was left unchanged
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault
        .run(["new", "--template", "meeting", "Green tea"])
        .stderr(expect![[r#"
            error: `Green tea.md` already exists
            hint: `mem append 'Green tea.md' TEXT` adds to it, `mem edit 'Green tea.md'` opens it
        "#]])
        .code(2);
    fs::remove_dir_all(vault.path("templates")).unwrap();
    vault
        .run(["new", "--template", "meeting", "Seeds"])
        .stderr(expect![[r#"
            error: no template `meeting` in `templates`
            hint: a template is a note in `templates` (`templates/meeting.md` does not exist); `mem config remember.templates` names another folder
        "#]])
        .code(2);
    // Obsidian configures another folder.
    fs::create_dir_all(vault.path(".obsidian")).unwrap();
    fs::create_dir_all(vault.path("forms")).unwrap();
    fs::write(
        vault.path(".obsidian/templates.json"),
        r#"{"folder": "forms"}"#,
    )
    .unwrap();
    fs::write(vault.path("forms/list.md"), "- {{cursor}}\n").unwrap();
    vault
        .run([
            "-q",
            "remember",
            "--template",
            "list",
            "--title",
            "Seeds",
            "Beans",
        ])
        .stdout(expect!["Seeds.md"])
        .code(0);
    vault.assert_text("Seeds.md", expect!["- Beans"]);
}

#[test]
fn without_a_text_the_editor_opens_at_the_cursor() {
    let vault = vault();
    let (editor, words) = (vault.home("vim"), vault.home("words"));
    let script = format!("#!/bin/sh\necho \"$@\" > {}\n", words.display());
    fs::write(&editor, script).unwrap();
    fs::set_permissions(&editor, fs::Permissions::from_mode(0o755)).unwrap();
    let variables = [("EDITOR", editor.to_str().unwrap())];
    let arguments = ["new", "--template", "meeting", "Seed swap", "--tag", "a,b"];
    let mut terminal = Terminal::with(&vault, [80, 24], &arguments, &variables);
    assert_eq!(terminal.end(), 0);
    let words = fs::read_to_string(words).unwrap();
    let line = fs::read_to_string(vault.path("Seed swap.md")).unwrap();
    let line = line.lines().position(|line| line == "- ").unwrap() + 1;
    assert!(words.starts_with(&format!("+{line} ")), "{words}");
}

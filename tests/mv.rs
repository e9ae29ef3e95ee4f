//! `mem mv`

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::Move;

/// A note with links of every form.
fn linked() -> TestVault {
    TestVault::of([
        (
            "Tea.md",
            "# Tea\n\nSee [[Cup]] and [the cup](things/Cup.md).\n",
        ),
        ("things/Cup.md", "A cup for [tea](../Tea.md#Tea).\n"),
        (
            "log.md",
            "---\nrelated_to: [\"[[Tea]]\"] # mine\n---\n- [[Tea]], [[tea|green]], ![[Tea#How to]]\r\n- `[[Tea]]`\n",
        ),
    ])
}

#[test]
fn links_follow_a_move_and_its_undo() {
    let vault = linked();
    let before = vault.tree();
    vault
        .run(["mv", "tea", "drinks/Green tea", "--dry-run"])
        .stdout(expect![[r#"
            would move Tea.md to drinks/Green tea.md
            rename from Tea.md
            rename to drinks/Green tea.md
            --- a/Tea.md
            +++ b/drinks/Green tea.md
            @@ -1,3 +1,3 @@
             # Tea
            ␠
            -See [[Cup]] and [the cup](things/Cup.md).
            +See [[Cup]] and [the cup](../things/Cup.md).
            --- a/log.md
            +++ b/log.md
            @@ -1,5 +1,5 @@
             ---
            -related_to: ["[[Tea]]"] # mine
            +related_to: ["[[Green tea]]"] # mine
             ---
            -- [[Tea]], [[tea|green]], ![[Tea#How to]]
            +- [[Green tea]], [[Green tea|green]], ![[Green tea#How to]]
             - `[[Tea]]`
            --- a/things/Cup.md
            +++ b/things/Cup.md
            @@ -1 +1 @@
            -A cup for [tea](../Tea.md#Tea).
            +A cup for [tea](../drinks/Green%20tea.md#Tea).
        "#]])
        .stderr(expect!["would update 6 links in 3 notes"])
        .code(0);
    before.assert_same(&vault.tree());
    vault
        .run(["mv", "tea", "drinks/Green tea"])
        .stdout(expect!["moved Tea.md to drinks/Green tea.md"])
        .stderr(expect![[r#"
            updated 6 links in 3 notes
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault.assert_text(
        "log.md",
        expect![[r#"
        ---
        related_to: ["[[Green tea]]"] # mine
        ---
        - [[Green tea]], [[Green tea|green]], ![[Green tea#How to]]␍
        - `[[Tea]]`
    "#]],
    );
    vault
        .run(["list", "linked-from:log"])
        .stdout(expect!["drinks/Green tea.md"])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}

#[test]
fn links_with_code_or_math_in_labels_are_links() {
    let vault = TestVault::of([
        ("Send.md", "# Send\n\nA trait.\n\n## Sec $x$ y\n"),
        (
            "log.md",
            "[[Send|the `Send` trait]], ![[Send#Sec $x$ y|label]] and [[send|a <b>bold</b> `one]] of [[Send]]s`\n\
             \n| a |\n|---|\n| [[Send\\|`Send`]] |\n\n> [!note] [[Send|==$x$==]]\n\n`x [[Send|` y]]` z`\n",
        ),
        ("note.md", "The [[Send|`x` Kyoto trip]] of Kyoto.\n"),
        ("Kyoto.md", "A town.\n"),
    ]);
    let before = vault.tree();
    vault
        .run(["search", "link:Send"])
        .stdout(expect![[r#"
            log.md:1
              the Send trait,  and a bold `one of Sends`
            note.md:1
              The x Kyoto trip of Kyoto.
        "#]])
        .code(0);
    vault
        .run(["rm", "Send", "--dry-run"])
        .stdout(expect![[r#"
            would remove Send.md
            --- a/Send.md
            +++ /dev/null
            @@ -1,5 +0,0 @@
            -# Send
            -
            -A trait.
            -
            -## Sec $x$ y
        "#]])
        .stderr(expect![[r#"
            warning: 2 notes still link to `Send.md`: log.md, note.md
        "#]])
        .code(0);
    vault
        .run(["mv", "Send", "traits/Send it"])
        .stdout(expect!["moved Send.md to traits/Send it.md"])
        .stderr(expect![[r#"
            updated 7 links in 2 notes
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault.assert_text("log.md", expect![[r#"
        [[Send it|the `Send` trait]], ![[Send it#Sec $x$ y|label]] and [[Send it|a <b>bold</b> `one]] of [[Send it]]s`

        | a |
        |---|
        | [[Send it\|`Send`]] |

        > [!note] [[Send it|==$x$==]]

        `x [[Send|` y]]` z`
    "#]]);
    vault
        .run(["doctor"])
        .stdout(expect!["no problems"])
        .stderr(expect![])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    // A name in a link is not a mention.
    vault
        .run(["link", "--dry-run"])
        .stdout(expect![[r#"
            41962922 Link "Kyoto" in note.md to Kyoto.md? (text: "…he [[Send|`x` Kyoto trip]] of Kyoto.")
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind link --kind mention`
        "#]])
        .code(0);
}

#[test]
fn several_notes_move_into_a_folder() {
    let vault = linked();
    let moved: Move = vault
        .run(["-q", "mv", "--json", "Tea.md", "log", "old/2025/"])
        .json(0);
    assert_eq!(moved.groups.len(), 1, "all of it or nothing");
    assert_eq!(moved.groups[0].title, "move 2 notes to old/2025/");
    assert_eq!((moved.links, moved.linking), (2, 2));
    assert_eq!(moved.moved[1].to, "old/2025/log.md");
    vault.assert_text(
        "old/2025/Tea.md",
        expect![[r#"
        # Tea

        See [[Cup]] and [the cup](../../things/Cup.md).
    "#]],
    );
    vault.assert_text(
        "things/Cup.md",
        expect!["A cup for [tea](../old/2025/Tea.md#Tea)."],
    );
}

#[test]
fn relative_names_use_the_current_folder() {
    let vault = linked();
    let things = vault.path("things");
    let mv = |names: [&str; 2]| {
        let run = vault.command(["-q", "mv", names[0], names[1]]);
        run.in_folder(&things).run()
    };
    mv(["Cup.md", "Mug"])
        .stdout(expect!["renamed things/Cup.md to things/Mug.md"])
        .code(0);
    // As mem prints it, from the root.
    mv(["things/Mug.md", "things/Cup.md"])
        .stdout(expect!["renamed things/Mug.md to things/Cup.md"])
        .code(0);
    mv(["Cup", ".."])
        .stdout(expect!["moved things/Cup.md to Cup.md"])
        .code(0);
    mv(["../Cup.md", "."])
        .stdout(expect!["moved Cup.md to things/Cup.md"])
        .code(0);
}

#[test]
fn impossible_moves_change_nothing() {
    let vault = linked();
    vault.write("broken.md", "---\ntitle: a: b\n---\n[[Cup]] [[Tea]]\n");
    vault.run(["-q", "index"]).raw();
    let before = vault.tree();
    for (names, message, hint) in [
        (
            vec!["Tea", "log"],
            "cannot move `Tea.md` to `log.md`: something is already there",
            "choose another name, or remove the existing note with `mem rm`",
        ),
        (
            vec!["Tea", ".hidden"],
            "cannot move `Tea.md` to `.hidden.md`: not the name of a note",
            "note names must not be hidden or contain control characters",
        ),
        (
            vec!["Tea", "../Tea"],
            "`../Tea` is outside the vault",
            "the vault is `$VAULT`; mem does not move notes out of it",
        ),
        (
            vec!["Tea", "Cup", "new"],
            "`new` is not a folder, and several notes were given",
            "end it with `/` to create a folder",
        ),
        (
            vec!["Cup", "Mug"],
            "nothing was moved: `broken.md` has a link to update, but its front matter cannot be read",
            "fix its front matter, then move again",
        ),
    ] {
        let failure = vault.run([vec!["mv", "--json"], names].concat()).failure();
        assert_eq!(
            (failure.message.as_str(), failure.hints),
            (message, vec![hint.to_owned()])
        );
    }
    vault
        .run(["mv", "Tea", "Tea"])
        .stderr(expect![[r#"
        `Tea.md` already exists; nothing was moved
    "#]])
        .code(0);
    before.assert_same(&vault.tree());
    // Its name stays, so no link in an unwritable note must change.
    vault
        .run(["-q", "mv", "Cup", "cups/"])
        .stdout(expect!["moved things/Cup.md to cups/Cup.md"])
        .code(0);
}

#[test]
fn symlinks_and_excluded_targets_are_refused() {
    let vault = linked();
    std::os::unix::fs::symlink("things", vault.path("link")).unwrap();
    vault.write(".gitignore", "private/\n");
    vault
        .run(["-q", "mv", "Tea", "link/"])
        .stdout(expect!["moved Tea.md to things/Tea.md"])
        .code(0);
    vault.assert_text("things/Cup.md", expect!["A cup for [tea](Tea.md#Tea)."]);
    vault
        .run(["-q", "mv", "Tea", "private/"])
        .stdout(expect!["moved things/Tea.md to private/Tea.md"])
        .stderr(expect![[r#"
            warning: `private/Tea.md` is excluded by `.gitignore`, `.memignore` or Obsidian's settings; mem no longer reads it
        "#]])
        .code(0);
}

#[test]
fn named_note_is_renamed_in_its_folder() {
    for (note, dest, expected) in [
        ("Cup", "Mug", "things/Mug.md"),
        ("Cup", "Mug.md", "things/Mug.md"),
        ("things/Cup", "Mug", "Mug.md"),
        ("things/Cup.md", "Mug", "Mug.md"),
        ("Cup", "./Mug", "Mug.md"),
        ("Tea", "Chai", "Chai.md"),
    ] {
        let vault = linked();
        let record: serde_json::Value = vault.run(["-q", "mv", "--json", note, dest]).json(0);
        assert_eq!(record["moved"][0]["to"], expected, "{note} {dest}");
    }
}

#[test]
fn links_of_unmoved_notes_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let vault = linked();
    let read_only = std::fs::Permissions::from_mode(0o444);
    std::fs::set_permissions(vault.path("log.md"), read_only).unwrap();
    let before = vault.tree();
    vault
        .run(["mv", "Tea", "Chai"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            error: cannot rename Tea.md to Chai.md: log.md: read-only; `chmod u+w` allows changes
        "#]])
        .code(2);
    before.assert_same(&vault.tree());
}

#[test]
fn links_follow_headings_that_contain_the_name() {
    let vault = TestVault::of([
        (
            "Anna.md",
            "# Met [[Anna]] twice\n\nsee [[#Met Anna twice]]\n",
        ),
        (
            "log.md",
            "# With [[Anna]]\n\n[[#With Anna]], [x](#with-anna)\n",
        ),
        ("n.md", "[[Anna#Met Anna twice]] and [[log#With Anna|l]]\n"),
    ]);
    let before = vault.tree();
    vault
        .run(["mv", "Anna", "Annika"])
        .stdout(expect!["renamed Anna.md to Annika.md"])
        .stderr(expect![[r#"
            updated 7 links in 3 notes
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    for (note, expected) in [
        (
            "Annika.md",
            "# Met [[Annika]] twice\n\nsee [[#Met Annika twice]]\n",
        ),
        (
            "log.md",
            "# With [[Annika]]\n\n[[#With Annika]], [x](#with-annika)\n",
        ),
        (
            "n.md",
            "[[Annika#Met Annika twice]] and [[log#With Annika|l]]\n",
        ),
    ] {
        let text = std::fs::read_to_string(vault.path(note)).unwrap();
        assert_eq!(text, expected, "{note}");
    }
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}

#[test]
fn reference_links_keep_their_form() {
    let text = "See [the plan][p], [p][], [p] and ![p].\n\n[p]: plan.md#Goal \"Title\"\n";
    let vault = TestVault::of([("plan.md", "# Goal\n"), ("n.md", text)]);
    vault
        .run(["mv", "plan", "old: plans/the plan"])
        .stdout(expect!["moved plan.md to old: plans/the plan.md"])
        .stderr(expect![[r#"
            warning: Windows and Obsidian do not allow `:` in a name: `old: plans/the plan.md`
            updated 1 link in 1 note
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault.assert_text(
        "n.md",
        expect![[r#"
        See [the plan][p], [p][], [p] and ![p].

        [p]: ./old:%20plans/the%20plan.md#Goal "Title"
    "#]],
    );
    std::fs::rename(vault.path("old: plans/the plan.md"), vault.path("there.md")).unwrap();
    vault.run(["-q", "index"]).raw();
    vault
        .run(["doctor", "--fix"])
        .stdout(expect![[r#"
            repaired a link in n.md
              reason: ./old:%20plans/the%20plan.md#Goal becomes there.md#Goal
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    vault.assert_text(
        "n.md",
        expect![[r#"
        See [the plan][p], [p][], [p] and ![p].

        [p]: there.md#Goal "Title"
    "#]],
    );
}

#[test]
fn unportable_names_get_a_warning() {
    let vault = linked();
    vault
        .run(["mv", "Cup", "Meeting: \"A\""])
        .stdout(expect![[r#"
            renamed things/Cup.md to things/Meeting: "A".md
        "#]])
        .stderr(expect![[r#"
            warning: Windows and Obsidian do not allow `"`, `:` in a name: `things/Meeting: "A".md`
            updated 2 links in 1 note
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault.assert_text(
        "Tea.md",
        expect![[r##"
        # Tea

        See [[Meeting: "A"]] and [the cup](things/Meeting:%20"A".md).
    "##]],
    );
    vault
        .run(["mv", "Tea#Tea", "What?"])
        .stdout(expect!["moved `Tea` of Tea.md to What?.md"])
        .stderr(expect![[r#"
            warning: Windows and Obsidian do not allow `?` in a name: `What?.md`
            updated links in 1 other note
            hint: undo with `mem undo 757y`
        "#]])
        .code(0);
}

#[test]
fn note_links_never_become_image_links() {
    let vault = TestVault::of([("n.md", "x\n"), ("m.md", "[[n]] [n](n)\n")]);
    std::fs::create_dir(vault.path("i")).unwrap();
    std::fs::write(vault.path("i/p.png"), "x").unwrap();
    vault
        .run(["mv", "n", "i/p.png"])
        .stderr(expect![[r#"
            error: `i/p.png` exists and is not a note
            hint: choose another name
        "#]])
        .code(2);
    vault.run(["-q", "mv", "n", "b.png"]).raw();
    vault.assert_text("m.md", expect!["[[b.png.md]] [n](b.png.md)"]);
}

#[test]
fn unreadable_possible_linkers_get_a_warning() {
    let vault = TestVault::of([("Tea time.md", "x\n"), ("Cup.md", "x\n")]);
    std::fs::write(vault.path("latin.md"), b"caf\xe9 [a](tea%20time.md)\n").unwrap();
    vault.run(["-q", "index"]).raw();
    let warns = |note| {
        vault
            .run(["mv", note, "b", "--dry-run"])
            .raw()
            .stderr
            .contains("latin.md")
    };
    assert!(warns("Tea time"));
    assert!(!warns("Cup"));
}

#[test]
fn folder_with_the_name_of_a_note_is_asked_about() {
    let vault = TestVault::of([("tea/tea.md", "Tea.\n"), ("tea/Sencha.md", "Sencha.\n")]);
    vault
        .run(["mv", "tea", "drinks"])
        .stdout(expect![[""]])
        .stderr(expect![[r#"
            error: `tea` is a folder and the name of `tea/tea.md`
            hint: write `tea/` for the folder or `tea/tea.md` for the note
        "#]])
        .code(2);
}

#[test]
fn folder_is_moved_with_links_in_one_run() {
    let vault = TestVault::of([
        ("old/a.md", "[[old/sub/b]] ![](tea.png)\n"),
        ("old/sub/b.md", "[a](../a.md)\n"),
        ("Home.md", "[[old/a|A]]\n"),
    ]);
    vault.write("old/tea.png", "png");
    let before = vault.tree();
    vault.run(["mv", "old", "old/sub/new"]).raw();
    assert_eq!(vault.tree(), before);
    let moved = vault.run(["mv", "old/", "new"]).raw();
    assert_eq!(moved.code, 0, "{moved:?}");
    assert!(
        moved.stdout.starts_with("moved old/ to new/ (2 notes)\n"),
        "{moved:?}"
    );
    assert!(
        moved.stderr.contains("1 file that mem does not read"),
        "{moved:?}"
    );
    for (path, text) in [
        ("new/a.md", "[[new/sub/b]] ![](../old/tea.png)\n"),
        ("new/sub/b.md", "[a](../a.md)\n"),
        ("Home.md", "[[new/a|A]]\n"),
    ] {
        assert_eq!(vault.read(path), text, "{path}");
    }
    assert!(!vault.path("old/sub").exists());
    vault.run(["-q", "undo"]).raw();
    assert_eq!(vault.tree(), before);
}

#[test]
fn links_in_the_text_of_properties_follow_like_links() {
    let vault = TestVault::of([
        ("Tea.md", "x\n"),
        (
            "n.md",
            "---\nup: [[Tea]]\nlist:\n  - k: 'see [[Tea|t]]'\n---\n",
        ),
    ]);
    let before = vault.tree();
    vault
        .run(["mv", "Tea", "Cup"])
        .stdout(expect!["renamed Tea.md to Cup.md"])
        .stderr(expect![[r#"
            updated 2 links in 1 note
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault.assert_text(
        "n.md",
        expect![[r#"
            ---
            up: [[Cup]]
            list:
              - k: 'see [[Cup|t]]'
            ---
        "#]],
    );
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    vault
        .run(["rm", "Tea"])
        .stdout(expect!["removed Tea.md"])
        .stderr(expect![[r#"
            warning: 1 note still links to `Tea.md`: n.md
            hint: undo with `mem undo 757z`
        "#]])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    // A colon would make a map of the text in `k`.
    vault.write("n.md", "---\nk: see [[Tea]]\n---\n");
    vault
        .run(["mv", "Tea", "a: b"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            warning: Windows and Obsidian do not allow `:` in a name: `a: b.md`
            error: nothing was moved: `[[Tea]]` in `n.md` cannot be rewritten safely
            hint: change the link by hand, then move again
        "#]])
        .code(2);
}

#[test]
fn links_with_escapes_in_properties_follow() {
    let vault = TestVault::of([
        ("Übung.md", "# Übung\n"),
        (
            "n.md",
            "---\nup: \"[[\\xDCbung|\\u2713]]\"\nlist:\n- \"[[\\xDC\\\n  bung#\\xDCbung]]\"\n---\n",
        ),
    ]);
    let before = vault.tree();
    vault
        .run(["-q", "list", "link:Übung"])
        .stdout(expect!["n.md"])
        .code(0);
    vault
        .run(["mv", "Übung", "Neu"])
        .stdout(expect!["renamed Übung.md to Neu.md"])
        .stderr(expect![[r#"
            updated 2 links in 1 note
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault.assert_text(
        "n.md",
        expect![[r#"
        ---
        up: "[[Neu|✓]]"
        list:
        - "[[Neu#Übung]]"
        ---
    "#]],
    );
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    vault
        .run(["rm", "Übung"])
        .stdout(expect!["removed Übung.md"])
        .stderr(expect![[r#"
            warning: 1 note still links to `Übung.md`: n.md
            hint: undo with `mem undo 757z`
        "#]])
        .code(0);
}

#[test]
fn properties_with_relative_paths_are_named() {
    let vault = TestVault::of([
        (
            "tea/Sencha.md",
            "---\ncover: img/leaf.png\nicons: [./img/leaf.png, gone.png, /tea/img/leaf.png]\nurl: https://x.org/a.png\n---\nx\n",
        ),
        ("tea/img/leaf.png", "x"),
    ]);
    vault
        .run(["mv", "Sencha", "drinks/"])
        .stdout(expect!["moved tea/Sencha.md to drinks/Sencha.md"])
        .stderr(expect![[r#"
            warning: property `cover` of `drinks/Sencha.md` names the file `img/leaf.png` of the earlier folder; mem does not change it: write `../tea/img/leaf.png`
            warning: property `icons` of `drinks/Sencha.md` names the file `./img/leaf.png` of the earlier folder; mem does not change it: write `../tea/img/leaf.png`
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault
        .run(["mv", "drinks/Sencha.md", "Bancha", "--dry-run"])
        .stdout(expect![[r#"
            would move drinks/Sencha.md to Bancha.md
            rename from drinks/Sencha.md
            rename to Bancha.md
        "#]])
        .stderr(expect![""])
        .code(0);
}

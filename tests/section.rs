//! `mem mv NOTE#HEADING NEW`: a section becomes a note.

use std::fs;

use expect_test::expect;

use crate::support::TestVault;

const PLAN: &str = "\
---
tags: [plan]
---
# Plan

See [[#Tasks]], [[Plan#Later on]] and [[#Notes]].

## Tasks

- [ ] Call [[Anna]] about [[#Notes]] and ![[#Later on]]
- a picture ![](pictures/seed.png) ^pic

### Later on

Back to [[Plan]].


## Notes

Nothing of [[#^pic]].
";

fn vault() -> TestVault {
    let vault = TestVault::empty();
    let files = [
        ("work/Plan.md", PLAN),
        ("work/pictures/seed.png", "x"),
        (
            "Anna.md",
            "Her part: [[Plan#Tasks|tasks]], [a block](work/Plan.md#^pic), [[Plan#Notes]], [[Plan]]\n",
        ),
        ("people/Ben.md", "- [[work/Plan#Tasks#Later on]]\n"),
    ];
    for (path, text) in files {
        let path = vault.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    vault
        .run(["-q", "init"])
        .stdout(expect!["$VAULT is already a vault (3 notes)"])
        .code(0);
    vault
}

#[test]
fn section_becomes_a_note_and_links_follow() {
    let vault = vault();
    let before = vault.tree();
    vault
        .run(["mv", "Plan#Tasks", "./Release tasks"])
        .stdout(expect![[r#"
            moved `Tasks` of work/Plan.md to Release tasks.md
        "#]])
        .stderr(expect![[r#"
            indexed 3 notes
            updated links in 2 other notes
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault.assert_text(
        "Release tasks.md",
        expect![[r#"
            ## Tasks

            - [ ] Call [[Anna]] about [[Plan#Notes]] and ![[#Later on]]
            - a picture ![](work/pictures/seed.png) ^pic

            ### Later on

            Back to [[Plan]].
        "#]],
    );
    vault.assert_text(
        "work/Plan.md",
        expect![[r#"
        ---
        tags: [plan]
        ---
        # Plan

        See [[Release tasks#Tasks]], [[Release tasks#Later on]] and [[#Notes]].

        [[Release tasks|Tasks]]


        ## Notes

        Nothing of [[Release tasks#^pic]].
    "#]],
    );
    vault.assert_text("Anna.md", expect![[r#"
        Her part: [[Release tasks#Tasks|tasks]], [a block](Release%20tasks.md#^pic), [[Plan#Notes]], [[Plan]]
    "#]]);
    vault.assert_text(
        "people/Ben.md",
        expect!["- [[Release tasks#Tasks#Later on]]"],
    );
    vault
        .run(["-q", "doctor"])
        .stdout(expect!["no problems"])
        .code(0);
    vault
        .run(["-q", "undo"])
        .stdout(expect![[r#"
        undid mv: move `Tasks` of work/Plan.md to Release tasks.md (just now)
    "#]])
        .code(0);
    assert_eq!(vault.tree(), before);
    vault
        .run([
            "-q",
            "mv",
            "work/Plan.md#later on",
            "work/",
            "--embed",
            "--dry-run",
        ])
        .stdout(expect![[r#"
            would move `Later on` of work/Plan.md to work/later-on.md
            --- /dev/null
            +++ b/work/later-on.md
            @@ -0,0 +1,3 @@
            +### Later on
            +
            +Back to [[Plan]].
            --- a/work/Plan.md
            +++ b/work/Plan.md
            @@ -4,14 +4,12 @@
             # Plan
            ␠
            -See [[#Tasks]], [[Plan#Later on]] and [[#Notes]].
            +See [[#Tasks]], [[later-on#Later on]] and [[#Notes]].
            ␠
             ## Tasks
            ␠
            -- [ ] Call [[Anna]] about [[#Notes]] and ![[#Later on]]
            +- [ ] Call [[Anna]] about [[#Notes]] and ![[later-on#Later on]]
             - a picture ![](pictures/seed.png) ^pic
            ␠
            -### Later on
            -
            -Back to [[Plan]].
            +![[later-on]]
            ␠
            ␠
            --- a/people/Ben.md
            +++ b/people/Ben.md
            @@ -1 +1 @@
            -- [[work/Plan#Tasks#Later on]]
            +- [[later-on#Later on]]
        "#]])
        .code(0);
}

#[test]
fn invalid_section_moves_are_refused() {
    let vault = vault();
    vault
        .run(["mv", "Plan#Task", "Tasks"])
        .stderr(expect![[r#"
        indexed 3 notes
        error: `work/Plan.md` has no heading `Task`
        hint: `mem outline work/Plan.md` shows them: # Plan, ## Tasks, ### Later on, ## Notes
    "#]])
        .code(2);
    vault
        .run(["mv", "Plan#Tasks", "./Anna"])
        .stderr(expect![[r#"
        error: cannot move `work/Plan.md` to `Anna.md`: something is already there
        hint: choose another name, or remove the existing note with `mem rm`
    "#]])
        .code(2);
    vault
        .run(["mv", "Plan#Tasks", "work/Anna"])
        .stderr(expect![[r#"
        error: `Anna.md` is called `Anna`, too
        hint: links would be ambiguous; choose another name
    "#]])
        .code(2);
    vault
        .run(["mv", "Plan#", "Tasks"])
        .stderr(expect![[r#"
            error: name a heading after the `#`
            hint: `mem outline work/Plan.md` shows them: # Plan, ## Tasks, ### Later on, ## Notes
        "#]])
        .code(2);
    vault
        .run(["mv", "Plan##", "Tasks"])
        .stderr(expect![[r#"
            error: name a heading after the `#`
            hint: `mem outline work/Plan.md` shows them: # Plan, ## Tasks, ### Later on, ## Notes
        "#]])
        .code(2);
    fs::write(vault.path("work/Two logs.md"), "## Log\n\n### Log\n").unwrap();
    vault
        .run(["-q", "mv", "Two logs#Log", "Logs"])
        .stderr(expect![[r#"
            error: `work/Two logs.md` has 2 headings `Log`: lines 1, 3
            hint: if their levels differ, add the level: `mem mv 'work/Two logs.md### Log' NEW`
        "#]])
        .code(2);
    vault
        .run(["mv", "Plan", "Tasks", "--embed"])
        .stderr(expect![[r#"
        error: `--embed` is for a section
        hint: `mem mv NOTE#HEADING NEW --embed`
    "#]])
        .code(2);
}

#[test]
fn links_to_equal_headings_stay_with_their_text() {
    let key = "# Key\n\nSee [[#Home#Log]] and [x](#log-2).\n\n## Log\n\na ^id\n\n## Home\n\n### Log\n\nb ^id\n\n\
               ## Log!\n\n<a id=\"c\"></a>c [[#^id]]\n";
    let vault = TestVault::of([
        ("Key.md", key),
        (
            "All.md",
            "---\nup: \"[[Key#Home#Log]]\"\n---\n[[Key#Home#Log]] [[Key#Log]] [a](Key.md#log) [b](Key.md#log-1)\n\
             [c](Key.md#log-2) [d](Key.md#c) [[Key#^id]] <a href=\"Key.md#log-1\"> [e][r]\n\n[r]: Key.md#log-1\n",
        ),
    ]);
    vault
        .run(["-q", "mv", "Key#Home", "Other"])
        .stdout(expect!["moved `Home` of Key.md to Other.md"])
        .code(0);
    vault.assert_text(
        "Key.md",
        expect![[r##"
        # Key

        See [[Other#Home#Log]] and [x](#log-1).

        ## Log

        a ^id

        [[Other|Home]]

        ## Log!

        <a id="c"></a>c [[#^id]]
    "##]],
    );
    vault.assert_text(
        "All.md",
        expect![[r#"
        ---
        up: "[[Other#Home#Log]]"
        ---
        [[Other#Home#Log]] [[Key#Log]] [a](Key.md#log) [b](Other.md#log)
        [c](Key.md#log-1) [d](Key.md#c) [[Key#^id]] <a href="Other.md#log"> [e][r]

        [r]: Other.md#log
    "#]],
    );
    vault
        .run(["-q", "doctor"])
        .stdout(expect!["no problems"])
        .code(0);
    vault.run(["-q", "undo"]).raw();
    vault.write("Two.md", "# P\n\n## Log\n\n# Home\n\n# P\n\n## Log\n");
    vault.write("Link.md", "[[Two#Home#Log|there]] [x](Two.md#log-2)\n");
    vault
        .run(["-q", "mv", "Two#Home", "Other"])
        .stderr(expect![[r#"
            error: nothing was moved: `[[Two#Home#Log|there]]` in `Link.md` would lead to another heading or block of that name
            hint: give one of the headings another name, or change the link, then move again
        "#]])
        .code(2);
    vault
        .run(["-q", "doctor"])
        .stdout(expect![[r#"
        Link.md:1: broken-heading: `[x](Two.md#log-2)`: `Two.md` has no heading `log-2`
    "#]])
        .code(1);
}

/// Headings of both notes have the same numbers.
#[test]
fn links_to_another_note_move_beside_links_to_the_section() {
    let vault = TestVault::of([
        (
            "A.md",
            "# A\n\n## Plan\n\nStep [[B#Part]] [x](B.md)\n\n## Other\n\nText [[A#Plan]].\n",
        ),
        ("B.md", "# B\n\n## Part\n\nSee [[A#Plan]]\n"),
    ]);
    assert_eq!(vault.run(["-q", "mv", "A#Plan", "P"]).raw().code, 0);
    for (note, expected) in [
        (
            "A.md",
            "# A\n\n[[P|Plan]]\n\n## Other\n\nText [[P#Plan]].\n",
        ),
        ("B.md", "# B\n\n## Part\n\nSee [[P#Plan]]\n"),
        ("P.md", "## Plan\n\nStep [[B#Part]] [x](B.md)\n"),
    ] {
        let text = std::fs::read_to_string(vault.path(note)).unwrap();
        assert_eq!(text.trim_end(), expected.trim_end(), "{note}");
    }
}

#[test]
fn definitions_move_with_their_uses() {
    let vault = TestVault::of([
        (
            "a/Plan.md",
            "Rest[^1] [p][]\n\n[p]: Other.md \"Title\"\n[q]: Other.md\n\n## Part\n\n[p] and [x][q], note[^2] [[#Sub]] [^3]\n\n\
             [^1]: One [i](Other.md)\n[^2]: Two\n\n### Sub\n\nEnd.\n\n## Last\n\n[s]\n\n[s]: #Sub\n[^3]: Three\n",
        ),
        ("a/Other.md", "x\n"),
    ]);
    vault
        .run(["-q", "mv", "Plan#Part", "./Part"])
        .stdout(expect!["moved `Part` of a/Plan.md to Part.md"])
        .code(0);
    vault.assert_text(
        "Part.md",
        expect![[r###"
            ## Part

            [p] and [x][q], note[^2] [[#Sub]] [^3]

            [^2]: Two

            ### Sub

            End.

            [p]: a/Other.md "Title"
            [q]: a/Other.md

            [^3]: Three
        "###]],
    );
    vault.assert_text(
        "a/Plan.md",
        expect![[r#"
            Rest[^1] [p][]

            [p]: Other.md "Title"

            [Part](../Part.md)

            [^1]: One [i](Other.md)

            ## Last

            [s]

            [s]: ../Part.md#Sub
        "#]],
    );
}

//! `mem rm`, `mem restore` and `mem trash`: notes are removed and restored.

use std::fs;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{ChangeReply, EmptyTrashReply, RemoveReply, Trash};

fn vault() -> TestVault {
    TestVault::of([
        (
            "plans/Old plan.md",
            "---\ntier: archival\n---\nBuy a boat.\n",
        ),
        ("Home.md", "See [[Old plan]].\n"),
        ("Kept.md", "---\nkeep: true\n---\nDear.\n"),
    ])
}

#[test]
fn canvases_with_links_are_named() {
    let vault = vault();
    let nodes = r#"[{"file": "plans/Old plan.md"}, {"text": "see [[Kept]]"}]"#;
    vault.write("Board.canvas", &format!("{{\"nodes\": {nodes}}}"));
    vault
        .run(["mv", "Old plan", "New plan"])
        .stdout(expect![[r#"
            renamed plans/Old plan.md to plans/New plan.md
        "#]])
        .stderr(expect![[r#"
            updated 1 link in 1 note
            warning: mem does not write canvases; update the links in 1 canvas file: Board.canvas
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    vault
        .run(["rm", "--force", "Kept"])
        .stdout(expect!["removed Kept.md"])
        .stderr(expect![[r#"
            warning: mem does not write canvases; update the links in 1 canvas file: Board.canvas
            hint: undo with `mem undo 757y`
        "#]])
        .code(0);
    vault
        .run(["doctor"])
        .stdout(expect![[r#"
            Board.canvas: broken-link: `Kept`: no such note or file
            Board.canvas: broken-link: `plans/Old plan.md`: no such note or file
        "#]])
        .stderr(expect!["2 problems in 1 file"])
        .code(1);
}

#[test]
fn note_is_removed_and_restored() {
    let vault = vault();
    let before = vault.tree();
    vault
        .run(["rm", "old plan", "--reason", "we have a boat"])
        .stdout(expect!["removed plans/Old plan.md"])
        .stderr(expect![[r#"
            warning: 1 note still links to `plans/Old plan.md`: Home.md
            hint: undo with `mem undo 757x`
        "#]])
        .code(0);
    assert!(!vault.path("plans/Old plan.md").exists());
    vault
        .run(["trash"])
        .stdout(expect![[r#"
            20260401-120000-757x  2026-04-01 12:00  rm  35 B  plans/Old plan.md
              we have a boat
        "#]])
        .stderr(expect![[r#"
            hint: restore one with `mem restore NOTE`
        "#]])
        .code(0);
    vault
        .run(["restore", "old plan"])
        .stdout(expect!["restored plans/Old plan.md"])
        .stderr(expect!["hint: undo with `mem undo 757y`"])
        .code(0);
    before.assert_same(&vault.tree());
    vault
        .run(["trash"])
        .stderr(expect!["the trash is empty"])
        .code(1);
    vault
        .run(["search", "boat", "-q"])
        .stdout(expect![[r#"
            plans/Old plan.md:4
              Buy a boat.
        "#]])
        .code(0);
}

#[test]
fn records_report_the_changes() {
    let vault = vault();
    let removed: RemoveReply = vault
        .run(["rm", "-q", "--json", "--dry-run", "Old plan"])
        .stderr(expect![[r#"
            warning: 1 note still links to `plans/Old plan.md`: Home.md
        "#]])
        .json(0);
    assert!(removed.dry_run && removed.run.is_none());
    assert_eq!(removed.groups[0].outcome, "planned");
    let removed: RemoveReply = vault
        .run(["rm", "-q", "--json", "Old plan", "Home"])
        .json(0);
    assert_eq!(removed.still_linked, []);
    assert!(removed.canvases.is_empty());
    assert_eq!(removed.groups.len(), 2);
    let run = removed.run.unwrap();
    let trash: Trash = vault.run(["trash", "list", "--json"]).json(0);
    assert_eq!(trash.notes[0].path, "Home.md");
    assert_eq!(trash.notes[0].reason.as_deref(), Some("removed by hand"));
    let back: ChangeReply = vault.run(["restore", "-q", "--json", &run]).json(0);
    assert_eq!(back.groups.len(), 2);
    assert_eq!(back.groups[1].files, ["plans/Old plan.md"]);
}

#[test]
fn kept_notes_need_force() {
    let vault = vault();
    vault
        .run(["rm", "Home", "Kept"])
        .stderr(expect![[r#"
            error: `Kept.md` is marked `keep: true`
            hint: `mem rm --force` removes it anyway; `mem edit --no-keep Kept.md` removes the mark
        "#]])
        .code(2);
    let renamed = vault.path("Anna's cup.md");
    fs::rename(vault.path("Kept.md"), &renamed).unwrap();
    vault
        .run(["-q", "rm", "Anna's cup"])
        .stderr(expect![[r#"
            error: `Anna's cup.md` is marked `keep: true`
            hint: `mem rm --force` removes it anyway; `mem edit --no-keep 'Anna'\''s cup.md'` removes the mark
        "#]])
        .code(2);
    fs::rename(renamed, vault.path("Kept.md")).unwrap();
    assert!(vault.path("Home.md").exists(), "nothing is done by halves");
    vault
        .run(["-q", "rm", "-f", "Kept"])
        .stdout(expect!["removed Kept.md"])
        .code(0);
}

#[test]
fn ambiguous_names_and_existing_files_are_refused() {
    let vault = vault();
    for (command, name) in [("rm", "hom"), ("edit", "HO"), ("append", "Ho")] {
        let mut words = vec![command, name];
        words.extend(match command {
            "edit" => &["--set", "a=b"][..],
            "append" => &["text"],
            _ => &[],
        });
        let refused = vault.run(&words).raw();
        let expected =
            format!("error: no note is called `{name}`\nhint: did you mean `Home.md`?\n");
        assert_eq!((refused.code, refused.stderr), (2, expected), "{words:?}");
    }
    vault
        .run(["show", "hom"])
        .stdout(expect!["See [[Old plan]]."])
        .code(0);
    vault.run(["-q", "rm", "Kept", "-f"]).raw();
    vault.write("Kept.md", "Another.\n");
    vault.write("old/kept.md", "Older.\n");
    vault
        .run(["restore", "Kept"])
        .stderr(expect![[r#"
            error: cannot restore Kept.md: something is already there
            hint: restore it under another name with `--to PATH`
        "#]])
        .code(2);
    vault.run(["-q", "rm", "old/kept.md"]).raw();
    vault
        .run(["restore", "KEPT", "--to", "x"])
        .stdout(expect!["restored Kept.md as x.md"])
        .stderr(expect!["hint: undo with `mem undo 757z`"])
        .code(0);
    vault.run(["-q", "rm", "x"]).raw();
    vault.run(["-q", "rm", "Kept"]).raw();
    vault
        .run(["restore", "kept"])
        .stdout(expect!["restored Kept.md"])
        .stderr(expect!["hint: undo with `mem undo 7581`"])
        .code(0);
    vault
        .run(["restore", "nothing"])
        .stderr(expect![[r#"
            error: no note `nothing` in the trash
            hint: `mem trash` lists the trash, `mem history` the runs
        "#]])
        .code(2);
}

#[test]
fn a_folder_is_named_as_one() {
    let vault = TestVault::of([("tea/a.md", "x\n"), ("tea/b.md", "y\n")]);
    vault
        .run(["rm", "tea/"])
        .stderr(expect![[r#"
        error: `tea/` is a folder, not a note
        hint: `mem list --in tea -0` prints the paths of its notes for `xargs -0`
    "#]])
        .code(2);
}

#[test]
fn restore_moves_a_faded_note_up_one_tier() {
    let vault = vault();
    vault
        .run(["-q", "restore", "Old plan"])
        .stdout(expect![[r#"
            restored plans/Old plan.md to tier working
        "#]])
        .code(0);
    vault.assert_text(
        "plans/Old plan.md",
        expect![[r#"
        ---
        tier: working
        ---
        Buy a boat.
    "#]],
    );
    let failure = vault.run(["restore", "--json", "Old plan"]).failure();
    let live = "`plans/Old plan.md` is neither in the trash nor forgotten";
    assert_eq!((failure.message.as_str(), failure.hints.len()), (live, 0));
}

#[test]
fn trash_is_emptied_only_explicitly() {
    let vault = vault();
    let before = vault.tree();
    vault.run(["-q", "rm", "old plan"]).raw();
    vault.at("2026-05-20T12:00:00Z");
    vault.run(["-q", "rm", "Home"]).raw();
    vault
        .run(["trash", "empty"])
        .stderr(expect![[r#"
            error: refusing to delete 2 notes from the trash without confirmation
            hint: afterwards only `mem undo RUN` can restore them; pass `--yes` to confirm, or `--dry-run` to preview
        "#]])
        .code(2);
    vault
        .run(["trash", "empty", "--older-than", "30d", "--yes"])
        .stdout(expect![[r#"
            20260401-120000-757x  2026-04-01 12:00  rm  35 B  plans/Old plan.md
              removed by hand
        "#]])
        .stderr(expect![[r#"
            deleted 1 note from the trash
            hint: `mem undo RUN` can still restore them until `mem history purge RUN`
        "#]])
        .code(0);
    let emptied: EmptyTrashReply = vault
        .run(["trash", "empty", "-y", "--json", "home"])
        .json(0);
    assert_eq!(emptied.deleted.len(), 1);
    assert!(
        !vault
            .path(".mem/trash")
            .join("20260401-120000-757x")
            .exists()
    );
    vault.run(["-q", "undo"]).raw();
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
    vault
        .run(["trash", "empty", "--older-than", "soon"])
        .stderr(expect![[r#"
            error: invalid age `soon`
            hint: expected an age like 30d, 2w, 6m or 1y
        "#]])
        .code(2);
}

#[test]
fn trash_reports_which_machine_can_restore() {
    let vault = TestVault::of([("a.md", "Tea.\n"), ("b.md", "Coffee.\n")]);
    vault.run(["-q", "rm", "a"]).raw();
    // Another machine has only the vault.
    fs::remove_dir_all(vault.home(".local/state/mem")).unwrap();
    vault.at("2026-04-02T12:00:00Z");
    vault.run(["-q", "rm", "b"]).raw();
    vault.run(["trash", "empty"]).stderr(expect![[r#"
        error: refusing to delete 2 notes from the trash without confirmation
        hint: afterwards only `mem undo RUN` can restore them, 1 here and the others on the machine that removed them; pass `--yes` to confirm, or `--dry-run` to preview
    "#]]).code(2);
    vault
        .run(["trash", "empty", "a", "--yes"])
        .stdout(expect![[r#"
            20260401-120000-757x  2026-04-01 12:00  rm  5 B  a.md
              removed by hand
        "#]])
        .stderr(expect![[r#"
            deleted 1 note from the trash
            hint: 1 note can be restored only on the machine that removed them
        "#]])
        .code(0);
}

#[test]
fn forgotten_note_is_restored_despite_a_namesake() {
    let vault = TestVault::of([
        ("Boats.md", "Boats float.\n"),
        (
            "agents/Boats.md",
            "---\ntier: forgotten\n---\nThe boat is moored at pier nine.\n",
        ),
    ]);
    vault
        .run(["-q", "restore", "Boats"])
        .stdout(expect![[r#"
            restored agents/Boats.md to tier archival
        "#]])
        .code(0);
    vault
        .run(["restore", "Boats.md"])
        .stderr(expect![[r#"
            error: `Boats.md` is neither in the trash nor forgotten
        "#]])
        .code(2);
}

//! `mem doctor`: what it reports, ignores and repairs.

use std::fs;
use std::os::unix::fs::symlink;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{DecisionList, Doctor, Finding};

/// A vault with one of each problem of a note.
fn ill() -> TestVault {
    TestVault::of([
        (
            "people/Anna.md",
            "---\naliases: [Ann, A. Lee]\nid: one\n---\n# Anna Lee\n\n## Work\n\nTea. ^tea\n",
        ),
        ("people/Ben.md", "---\nid: one\ntitle: Benjamin\n---\n"),
        ("work/Plan.md", "[[Twice]]\n"),
        ("a/Twice.md", "a\n"),
        ("b/Twice.md", "b\n"),
        ("broken.md", "---\ntitle: a: b\n---\n[[Ann]]\n"),
        (
            "Log.md",
            "---\nknows: \"[[Ann]]\"\n---\n\
             [[Anna#Work]] [[Anna#Play]] [[Anna#^tea]] [[Anna#^cup]] [[#Here]]\n\
             [[Nobody]] ![[none.png]] [[A. Lee|she]] [[Benjamin]] [[old/Plan]] [p](old/Plan.md#x)\n\
             |x|y|\n|-|-|\n|[[Ann]]|1|\n\n`[[code]]` [site](https://a.b) [page](/page) [up](../x.md)\n",
        ),
    ])
}

#[test]
fn healthy_vault_has_no_problems() {
    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    // The only problem: two notes with one name.
    vault
        .run(["-q", "doctor"])
        .stdout(expect![[r#"
            Home.md:9: ambiguous-link: `[[Tomatoes|tomatoes]]` resolves to `garden/Tomatoes.md` but also matches `garden/2025/Tomatoes.md`
        "#]])
        .code(1);
    before.assert_same(&vault.tree());
    let vault = TestVault::of([("a/Tea.md", "[[#^b]] [[Tea]] x ^b\n")]);
    vault.run(["doctor"]).stdout(expect!["no problems"]).code(0);
    let found: Doctor = vault.run(["doctor", "--json"]).json(0);
    assert_eq!((found.notes, found.findings.len()), (1, 0));
}

#[test]
fn problems_are_listed_with_location() {
    let vault = ill();
    let before = vault.tree();
    vault
        .run(["doctor"])
        .stdout(expect![[r#"
            Log.md:2: bare-alias: `[[Ann]]` is only an alias of `people/Anna.md`; suggested: `[[Anna|Ann]]`
            Log.md:4: broken-heading: `[[#Here]]`: `Log.md` has no heading `Here`
            Log.md:4: broken-heading: `[[Anna#Play]]`: `people/Anna.md` has no heading `Play`
            Log.md:4: broken-block: `[[Anna#^cup]]`: `people/Anna.md` has no block `^cup`
            Log.md:5: broken-link: `[[Nobody]]`: target not found
            Log.md:5: broken-link: `[[old/Plan]]`: target not found; `work/Plan.md` has that name
            Log.md:5: broken-link: `[p](old/Plan.md#x)`: target not found; `work/Plan.md` has that name
            Log.md:5: broken-embed: `![[none.png]]`: target not found
            Log.md:5: bare-alias: `[[A. Lee|she]]` is only an alias of `people/Anna.md`; suggested: `[[Anna|she]]`
            Log.md:5: bare-alias: `[[Benjamin]]` is only the title of `people/Ben.md`; suggested: `[[Ben|Benjamin]]`
            Log.md:8: bare-alias: `[[Ann]]` is only an alias of `people/Anna.md`; suggested: `[[Anna\|Ann]]`
            broken.md:2: front-matter: a value with `: ` needs quotes, or the indentation is wrong
            broken.md:4: bare-alias: `[[Ann]]` is only an alias of `people/Anna.md`; suggested: `[[Anna|Ann]]`
            people/Anna.md:3: duplicate-id: id `one` is also used by `people/Ben.md`
            people/Ben.md:2: duplicate-id: id `one` is also used by `people/Anna.md`
            work/Plan.md:1: ambiguous-link: `[[Twice]]` resolves to `a/Twice.md` but also matches `b/Twice.md`
        "#]])
        .stderr(expect![[r#"
            16 problems in 5 files: 5 bare-alias, 3 broken-link, 2 broken-heading, 2 duplicate-id, 1 ambiguous-link, 1 broken-block, 1 broken-embed, 1 front-matter
            hint: `mem doctor --fix` repairs 6 of them; `--fix --dry-run` previews it
        "#]])
        .code(1);
    before.assert_same(&vault.tree());
    let lines: Vec<Finding> = vault.run(["-q", "doctor", "--jsonl"]).jsonl(1);
    assert_eq!((lines.len(), lines[0].line), (16, Some(2)));
    vault
        .run(["-q", "doctor", "work/Plan", "Ben"])
        .stdout(expect![[r#"
            people/Ben.md:2: duplicate-id: id `one` is also used by `people/Anna.md`
            work/Plan.md:1: ambiguous-link: `[[Twice]]` resolves to `a/Twice.md` but also matches `b/Twice.md`
        "#]])
        .code(1);
    vault
        .run(["-q", "doctor", "--only", "broken-block,broken-embed"])
        .stdout(expect![[r#"
            Log.md:4: broken-block: `[[Anna#^cup]]`: `people/Anna.md` has no block `^cup`
            Log.md:5: broken-embed: `![[none.png]]`: target not found
        "#]])
        .code(1);
    vault
        .run(["doctor", "--only", "left-out"])
        .stdout(expect!["no problems"])
        .code(0);
    let found: Doctor = vault.run(["-q", "doctor", "--json", "Log"]).json(1);
    assert_eq!((found.notes, found.findings.len()), (1, 11));
    assert_eq!(found.counts["bare-alias"], 4);
    let first = &found.findings[0];
    assert_eq!((first.kind.as_str(), first.line), ("bare-alias", Some(2)));
    assert_eq!(first.link.as_deref(), Some("[[Ann]]"));
    assert_eq!(first.others, ["people/Anna.md"]);
    assert_eq!(first.repair.as_deref(), Some("[[Anna|Ann]]"));
    assert!(!first.repaired && found.run.is_none() && found.groups.is_empty());
}

#[test]
fn wikilinks_that_properties_do_not_link_are_reported() {
    let vault = TestVault::of([
        (
            "Notes.md",
            "---\n\
             up: [[Tea]]\n\
             siehe: \"siehe [[Tee]]\"\n\
             voir: [a, [[Thé]]]\n\
             testo: |\n  Prima il [[Tè]].\n\
             ver: '[[Té]] y más'\n\
             notas: leia [[Chá]]\n\
             # [[Tea]]\n\
             right: [\"[[Tea]]\", \"[[Chá|chá]]\", \"[[Th\\xE9|\\u2713]]\"]\n\
             table: [[1, 2], [a, b]]\n\
             other: text [[of nothing]]\n\
             ---\n\
             [[Tea]]\n",
        ),
        ("Tea.md", ""),
        ("Tee.md", ""),
        ("Thé.md", ""),
        ("Tè.md", ""),
        ("Té.md", ""),
        ("Chá.md", ""),
    ]);
    vault.run(["-q", "doctor"]).stdout(expect![[r#"
        Notes.md:2: unread-link: `[[Tea]]` is not a link here; a link in a property is a whole value in quotes
        Notes.md:3: unread-link: `[[Tee]]` is not a link here; a link in a property is a whole value in quotes
        Notes.md:4: unread-link: `[[Thé]]` is not a link here; a link in a property is a whole value in quotes
        Notes.md:6: unread-link: `[[Tè]]` is not a link here; a link in a property is a whole value in quotes
        Notes.md:7: unread-link: `[[Té]]` is not a link here; a link in a property is a whole value in quotes
        Notes.md:8: unread-link: `[[Chá]]` is not a link here; a link in a property is a whole value in quotes
    "#]]).code(1);
}

#[test]
fn repairs_are_previewed_applied_and_undone() {
    let vault = ill();
    let before = vault.tree();
    vault
        .run(["-q", "doctor", "--fix", "--dry-run", "--only", "bare-alias", "Log"])
        .stdout(expect![[r#"
            would repair 4 links in Log.md
              reason: [[Ann]] becomes [[Anna|Ann]], [[A. Lee|she]] becomes [[Anna|she]], [[Benjamin]] becomes [[Ben|Benjamin]], …
            --- a/Log.md
            +++ b/Log.md
            @@ -1,10 +1,10 @@
             ---
            -knows: "[[Ann]]"
            +knows: "[[Anna|Ann]]"
             ---
             [[Anna#Work]] [[Anna#Play]] [[Anna#^tea]] [[Anna#^cup]] [[#Here]]
            -[[Nobody]] ![[none.png]] [[A. Lee|she]] [[Benjamin]] [[old/Plan]] [p](old/Plan.md#x)
            +[[Nobody]] ![[none.png]] [[Anna|she]] [[Ben|Benjamin]] [[old/Plan]] [p](old/Plan.md#x)
             |x|y|
             |-|-|
            -|[[Ann]]|1|
            +|[[Anna\|Ann]]|1|
            ␠
             `[[code]]` [site](https://a.b) [page](/page) [up](../x.md)
        "#]])
        .code(1);
    vault
        .run(["doctor", "--fix", "--expect", "0"])
        .stderr(expect![[r#"
            error: 1 note would change, more than the expected 0; nothing was changed
            hint: `--dry-run` lists them
        "#]])
        .code(2);
    before.assert_same(&vault.tree());
    let fixed: Doctor = vault.run(["-q", "doctor", "--fix", "--json"]).json(1);
    assert_eq!(fixed.findings.iter().filter(|one| one.repaired).count(), 6);
    assert_eq!(fixed.groups.len(), 1);
    assert_eq!(
        vault.read("Log.md").lines().nth(4).unwrap(),
        "[[Nobody]] ![[none.png]] [[Anna|she]] [[Ben|Benjamin]] [[work/Plan]] [p](work/Plan.md#x)"
    );
    // Irreparable problems stay, and a second run changes nothing.
    let again: Doctor = vault.run(["-q", "doctor", "--fix", "--json"]).json(1);
    assert!(again.run.is_none() && again.findings.iter().all(|one| one.repair.is_none()));
    vault
        .run(["-q", "undo"])
        .naming(&fixed.run.unwrap(), "$RUN")
        .stdout(expect!["undid doctor Log.md (just now)"])
        .code(0);
    before.assert_same(&vault.tree());
}

#[test]
fn links_follow_a_note_renamed_outside_mem() {
    let vault = TestVault::of([
        ("ideas/Old name.md", "Of an idea.\n"),
        (
            "log.md",
            "[[Old name]] [[old name|that]] [[ideas/Old name]] [it](ideas/Old%20name.md)\n",
        ),
        ("daily/1.md", "[it](../ideas/Old%20name.md)\n"),
        ("other.md", "[[elsewhere/Old name]] [[index]]\n"),
        // Several folders contain one, so the target is ambiguous.
        ("b/index.md", "Of b.\n"),
    ]);
    vault
        .run(["index", "-q"])
        .stdout(expect!["5 notes, no changes"])
        .code(0);
    for names in [
        ["ideas/Old name.md", "ideas/Newer.md"],
        ["ideas/Newer.md", "Newest name.md"],
        ["b/index.md", "b/about.md"],
    ] {
        fs::rename(vault.path(names[0]), vault.path(names[1])).unwrap();
        vault
            .run(["index"])
            .stdout(expect!["5 notes: 1 moved"])
            .stderr(expect![[r#"
                hint: `mem doctor --fix` updates links to moved notes
            "#]])
            .code(0);
    }
    vault
        .run(["doctor", "--fix"])
        .stdout(expect![[r#"
            repaired a link in daily/1.md
              reason: [it](../ideas/Old%20name.md) becomes [it](../Newest%20name.md)
            repaired 4 links in log.md
              reason: [[Old name]] becomes [[Newest name]], [[ideas/Old name]] becomes [[Newest name]], [[old name|that]] becomes [[Newest name|that]], …
            other.md:1: broken-link: `[[elsewhere/Old name]]`: target not found
            other.md:1: broken-link: `[[index]]`: target not found
        "#]])
        .stderr(expect![[r#"
            2 problems left in 1 file
            hint: undo with `mem undo 757x`
        "#]])
        .code(1);
    vault.assert_text(
        "log.md",
        expect![[r#"
        [[Newest name]] [[Newest name|that]] [[Newest name]] [it](Newest%20name.md)
    "#]],
    );
    vault.assert_text("daily/1.md", expect!["[it](../Newest%20name.md)"]);
}

#[test]
fn attachments_are_checked_too() {
    let vault = TestVault::of([("Tea.md", "![[cup.png]] ![x](img/pot.png) [h](.att/y.txt)\n")]);
    vault.write("files/cup.png", "");
    vault.write("img/pot.png", "");
    vault.write(".att/y.txt", "");
    vault.run(["doctor"]).stdout(expect!["no problems"]).code(0);
    vault.write("TEA.md", "");
    vault.write(".~mem-20260301-120000-aaaa-0", "left");
    vault.write(
        ".~mem-20260401-110000-aaaa-0",
        "of another machine, an hour ago",
    );
    fs::write(vault.path("latin.md"), b"caf\xe9").unwrap();
    symlink("Tea.md", vault.path("link.md")).unwrap();
    vault
        .run(["-q", "doctor"])
        .stdout(expect![[r#"
            .~mem-20260301-120000-aaaa-0: leftover: left by an interrupted run
            TEA.md: same-name: is the same name as `Tea.md` on some file systems
            latin.md: left-out: it is not UTF-8 text (byte 3)
            link.md: left-out: it is a symbolic link
        "#]])
        .code(1);
    vault
        .run(["doctor", "--fix", "--only", "leftover"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            moved 1 file of interrupted runs to the trash; list them with `mem trash`
        "#]])
        .code(0);
    assert!(!vault.path(".~mem-20260301-120000-aaaa-0").exists());
    let kept = ".mem/trash/20260301-120000-aaaa/left over.md";
    vault.assert_text(
        kept,
        expect![[r#"
        left
        [no newline at the end]
    "#]],
    );
    vault
        .run(["-q", "trash"])
        .stdout(expect![[r#"
            20260301-120000-aaaa  unknown date  ?  4 B  left over.md
        "#]])
        .code(0);
}

#[test]
fn many_missing_images_share_lines() {
    let images = (0..40).map(|number| format!("![[{}.png]]", number % 15));
    let images: Vec<String> = images.collect();
    let vault = TestVault::of([("a.md", format!("[[Cup]]\n{}\n", images.join("\n")).as_str())]);
    vault.run(["-q", "doctor"]).stdout(expect![[r#"
        3 links to missing `0.png`: a.md:2, a.md:17, a.md:32
        3 links to missing `1.png`: a.md:3, a.md:18, a.md:33
        3 links to missing `2.png`: a.md:4, a.md:19, a.md:34
        3 links to missing `3.png`: a.md:5, a.md:20, a.md:35
        3 links to missing `4.png`: a.md:6, a.md:21, a.md:36
        3 links to missing `5.png`: a.md:7, a.md:22, a.md:37
        3 links to missing `6.png`: a.md:8, a.md:23, a.md:38
        3 links to missing `7.png`: a.md:9, a.md:24, a.md:39
        3 links to missing `8.png`: a.md:10, a.md:25, a.md:40
        3 links to missing `9.png`: a.md:11, a.md:26, a.md:41
        11 links to 6 other missing files: `mem list --missing` counts the notes, `mem doctor --only broken-embed,broken-link` lists each
    "#]]).code(1);
}

#[test]
fn unfinished_run_is_reported_and_recovered() {
    let vault = TestVault::of([("Tea.md", "tea\n")]);
    let state = vault
        .home(".local/state/mem")
        .join(vault.cache().file_name().unwrap());
    let run = state.join("unfinished/20260401-110000-aaaa");
    fs::create_dir_all(&run).unwrap();
    let damaged = state.join("history/20260401-100000-aaaa");
    fs::create_dir_all(&damaged).unwrap();
    vault
        .run(["-q", "doctor"])
        .stdout(expect![[r#"
            $STATE/vault/history/20260401-100000-aaaa: run-record: cannot be undone: the record of run 20260401-100000-aaaa cannot be used: no run.json
            $STATE/vault/unfinished: unfinished-run: an interrupted run will be recovered by the next write
        "#]])
        .code(1);
    vault
        .run(["-q", "doctor", "--fix", "--only", "unfinished-run"])
        .stdout(expect![""])
        .code(0);
    assert!(!run.exists());
}

#[test]
fn unknown_kind_is_refused() {
    let vault = TestVault::empty();
    let outcome = vault.run(["doctor", "--only", "typos"]).raw();
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(
        outcome
            .stderr
            .contains("[possible values: broken-link, broken-embed,")
    );
    let sizes: Doctor = vault.run(["-q", "doctor", "--sizes", "--json"]).json(0);
    let what: Vec<&str> = sizes
        .places
        .iter()
        .map(|place| place.what.as_str())
        .collect();
    assert_eq!(
        what,
        ["vault", "journal", "state", "trash", "history", "index"]
    );
}

#[test]
fn drafts_of_a_killed_write_are_reported_and_removed() {
    let vault = TestVault::of([("a.md", "One.\n")]);
    vault.run(["-q", "sleep", "--all"]).raw();
    let name = ".~mem-draft-1-0";
    let places = [vault.path(".mem/state"), vault.home(".local/state/mem")];
    let leave = |place: &std::path::Path| {
        let file = std::fs::File::create(place.join(name)).unwrap();
        let then = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        file.set_modified(then).unwrap();
    };
    // That of another vault is its own problem.
    let other = vault.home(".local/state/mem/other-0123456789abcdef");
    std::fs::create_dir(&other).unwrap();
    leave(&other);
    assert_eq!(vault.run(["doctor"]).raw().code, 0);
    for place in &places {
        leave(place);
    }
    let seen = vault.run(["doctor"]).raw();
    assert_eq!(seen.code, 1, "{seen:?}");
    assert_eq!(seen.stdout.matches(name).count(), 2, "{seen:?}");
    vault.run(["-q", "doctor", "--fix"]).code(0);
    for place in &places {
        assert!(!place.join(name).exists());
        leave(place);
    }
    vault.run(["-q", "sleep", "--all"]).raw();
    assert!(!places[0].join(name).exists());
}

#[test]
fn journal_conflict_copies_are_reported_and_merged() {
    let vault = TestVault::of([("a.md", "Tea.\n")]);
    let device = "19750497";
    let state = vault.home(".local/state/mem");
    fs::create_dir_all(&state).unwrap();
    fs::write(state.join("device"), device).unwrap();
    let line = |number: u32, key: &str| {
        format!(
            "{{\"n\":{number},\"key\":\"{key}\",\"kind\":\"merge\",\"answer\":\"no\",\
             \"at\":\"2026-03-13T12:00:00Z\",\"by\":\"review\",\"about\":[\"a.md\"]}}\n"
        )
    };
    for (name, text) in [
        ("19750497/decisions.jsonl", line(1, "1ebb180e1dbde28d")),
        (
            "19750497/decisions.sync-conflict-20260401-120000-ABCDEFG.jsonl",
            line(1, "2bec8431908dbfe6"),
        ),
        ("27aa0001/decisions 2.jsonl", line(2, "3f41d45a262fc8ea")),
        ("27aa0001/decisions.jsonl.orig", String::new()),
    ] {
        let path = vault.path(&format!(".mem/journal/{name}"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    vault.run(["-q", "doctor"]).stdout(expect![[r#"
        .mem/journal/19750497/decisions.jsonl: shared-device: two machines use this device name, for example after copying a home folder; on one of them remove `mem/device` from the state folder (`~/.local/state`), then run `mem doctor --fix`
        .mem/journal/19750497/decisions.sync-conflict-20260401-120000-ABCDEFG.jsonl: journal-copy: copied by a sync tool; it is read, and `mem doctor --fix` merges it
        .mem/journal/27aa0001/decisions 2.jsonl: journal-copy: copied by a sync tool; it is read, and `mem doctor --fix` on its machine merges it
        .mem/journal/27aa0001/decisions.jsonl.orig: leftover: is not read; append lines that only it has to the original file
    "#]]).code(1);
    let decided = || {
        let DecisionList { decisions } = vault.run(["review", "--decided", "--json"]).json(0);
        decisions.len()
    };
    assert_eq!(decided(), 3);
    vault
        .run(["-q", "doctor", "--fix"])
        .stdout(expect![[r#"
            .mem/journal/27aa0001/decisions 2.jsonl: journal-copy: copied by a sync tool; it is read, and `mem doctor --fix` on its machine merges it
            .mem/journal/27aa0001/decisions.jsonl.orig: leftover: is not read; append lines that only it has to the original file
        "#]])
        .code(1);
    assert_eq!(decided(), 3);
}

#[test]
fn cycles_of_evolved_from_are_reported() {
    let vault = TestVault::of([
        ("a.md", "---\nevolved_from: \"[[b]]\"\n---\nA.\n"),
        ("b.md", "---\nevolved_from: [\"[[c]]\"]\n---\nB.\n"),
        ("c.md", "---\nevolved_from: \"[[a]]\"\n---\nC.\n"),
        ("d.md", "---\nevolved_from: \"[[a]]\"\n---\nD.\n"),
    ]);
    vault
        .run(["doctor", "--only", "cycle"])
        .stdout(expect![[r#"
            a.md: cycle: evolved from itself through `b.md`, `c.md`; remove `evolved_from` from the oldest of them
        "#]])
        .stderr(expect!["1 problem in 1 file"])
        .code(1);
}

#[test]
fn drafts_of_a_killed_write_are_removed_from_the_cache() {
    let vault = TestVault::indexed("sample");
    let old = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
    let drafts = [vault.cache(), vault.index()].map(|folder| folder.join(".~mem-draft-1-0"));
    for draft in &drafts {
        let file = fs::File::create(draft).unwrap();
        file.set_modified(old).unwrap();
    }
    let outcome = vault
        .run(["--no-sync", "doctor", "--only", "leftover"])
        .raw();
    assert!(
        outcome.stdout.contains(".~mem-draft-1-0"),
        "{}",
        outcome.stdout
    );
    vault.write("new.md", "New.\n");
    vault.run(["-q", "index"]).raw();
    assert!(drafts.iter().all(|draft| !draft.exists()));
}

#[test]
fn memory_directory_is_checked_and_not_written() {
    let vault = TestVault::folder("sample");
    let key = ["ghp_", "k9Qm2ZxT7wLr4VbN8sYd1HfJ6pGc3AeUoI5R"].concat();
    let index = "- [Ports](ports.md): which port\n- [Gone](gone.md): nothing\n".to_owned();
    vault.write("memory/MEMORY.md", &(index + &"- a line\n".repeat(200)));
    let ports = "The staging database listens on port 5433 since the move to Berlin.\n";
    vault.write("memory/ports.md", ports);
    vault.write("memory/ports 2.md", ports);
    vault.write("memory/bot.md", &format!("The bot posts as\n{key}\n"));
    let before = vault.tree();
    vault
        .run(["audit", "memory"])
        .stdout(expect![[r#"
            MEMORY.md: over-limit: 202 lines: Claude Code loads the first 200
            MEMORY.md:2: broken-link: `[Gone](gone.md)`: target not found
            bot.md:2: secret: GitHub token
            ports.md: copy: may be a copy of ports 2.md (same text)
        "#]])
        .stderr(expect![[r#"
            4 problems in 3 files: 1 broken-link, 1 copy, 1 over-limit, 1 secret
        "#]])
        .code(1);
    assert_eq!(vault.tree(), before);
    let empty = vault.path("empty");
    std::fs::create_dir(&empty).unwrap();
    vault
        .run(["audit", "empty"])
        .stdout(expect!["no problems"])
        .code(0);
    let run = vault.run(["audit", "missing"]).raw();
    assert_eq!(run.code, 2, "{}", run.stderr);
}

#[test]
fn dates_that_are_not_read_are_reported() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\ndue: 2026-13-45\ncreated: 2026-01-31\n---\nText.\n",
        ),
        (
            "b.md",
            "---\nvalid_until: soon\ndate: \"{{date}}\"\nwhen: someday\n---\nText.\n",
        ),
    ]);
    vault
        .run(["-q", "doctor"])
        .stdout(expect![[r#"
            a.md:2: unread-date: `due: 2026-13-45` is not read as a date; write it like 2026-01-31
            b.md:2: unread-date: `valid_until: soon` is not read as a date; write it like 2026-01-31
        "#]])
        .code(1);
}

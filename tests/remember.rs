//! `mem remember`

use std::fs;

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Dedupe, Note, Recall, RememberReply, Search};
use crate::support::terminal::Terminal;

#[test]
fn text_becomes_a_searchable_note() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["remember", "The", "kettle", "is broken."])
        .stdout(expect!["The kettle is broken.md"])
        .code(0);
    vault.assert_text(
        "The kettle is broken.md",
        expect![[r#"
        ---
        id: 01KN4EMBG0SE0ZJRCB90402SND
        title: The kettle is broken
        created: 2026-04-01T12:00:00Z
        mem:
          by: mem
          seal: "edcd415ab80945ee"
        ---
        The kettle is broken.
    "#]],
    );
    let record: Search = vault.run(["search", "--json", "broken kettle"]).json(0);
    assert_eq!(record.hits[0].path, "The kettle is broken.md");
    assert!(record.hits[0].managed);
    vault
        .run(["index"])
        .stdout(expect!["42 notes, no changes"])
        .code(0);
}

#[test]
fn flags_set_front_matter() {
    let vault = TestVault::indexed("sample");
    let record: RememberReply = vault
        .command([
            "remember",
            "--json",
            "-",
            "--title",
            "We chose: tea",
            "--alias",
            "Tea, chosen",
            "--alias",
            "#7",
            "--tag",
            "kitchen",
            "-t",
            "#tea",
            "--type",
            "decision",
            "--tier",
            "core",
            "--space",
            "home",
            "--lock-space",
            "--created",
            "2026-01-31",
            "--confidence",
            "0.8",
            "--importance",
            "1",
            "--valid-until",
            "2027-01-31T12:00:00Z",
            "--keep",
            "--source",
            "Anna: \"she knows\"",
            "--relation",
            "evolved_from=Oolong",
            "--relation",
            "related_to=Home",
            "--relation",
            "related_to=tea/Water temperature",
            "--set",
            "status=draft",
            "--set",
            "rating=4",
            "--set",
            "seen=[\"a\",\"b\"]",
            "--in",
            "inbox/new",
            "--by",
            "claude",
        ])
        .stdin("At four, always.\n")
        .run()
        .json(0);
    assert_eq!(record.path, "inbox/new/We chose tea.md");
    assert_eq!(
        (record.title.as_str(), record.created),
        ("We chose: tea", true)
    );
    vault.assert_text(
        &record.path,
        expect![[r##"
        ---
        id: 01KN4EMBG01WX04WC8K60JRT9E
        title: "We chose: tea"
        type: decision
        tier: core
        space: home
        space_locked: true
        tags: [kitchen, tea]
        aliases: ["Tea, chosen", "#7"]
        created: 2026-01-31
        confidence: 0.8
        importance: 1.0
        valid_until: 2027-01-31T12:00:00Z
        keep: true
        source: 'Anna: "she knows"'
        evolved_from: ["[[Oolong]]"]
        related_to: ["[[Home]]", "[[Water temperature]]"]
        status: draft
        rating: 4
        seen: [a, b]
        mem:
          by: claude
          seal: "943f82e1b65acdeb"
        ---
        At four, always.
    "##]],
    );
    assert_eq!(record.id.as_deref(), Some("01KN4EMBG01WX04WC8K60JRT9E"));
}

#[test]
fn stdin_is_stored_unchanged() {
    let vault = TestVault::empty();
    let text = "\n# Tea at four\r\n\r\n- boil\n  - pour \n\n```\n---\n```\n\n\n";
    let run = vault.command(["-q", "remember", "-"]).stdin(text).run();
    run.stdout(expect!["tea-at-four.md"]).code(0);
    let written = vault.read("tea-at-four.md");
    let (_, body) = written.split_once("\"\n---\n").unwrap();
    assert_eq!(
        body,
        "# Tea at four\n\n- boil\n  - pour \n\n```\n---\n```\n"
    );
    for nothing in ["", "\n \n"] {
        let run = vault.command(["remember", "-"]).stdin(nothing).run();
        run.stderr(expect![[r#"
            error: the text is empty; no note was written
            hint: pipe a text, give it to `mem remember`, or use a terminal to open your editor
        "#]])
            .code(2);
    }
}

#[test]
fn equal_text_is_stored_once() {
    let vault = TestVault::empty();
    let first: RememberReply = vault
        .run(["-q", "remember", "--json", "Tea at four"])
        .json(0);
    let tree = vault.whole_tree();
    for again in ["Tea at four", " Tea at four\n", "Tea at four."] {
        let record: RememberReply = vault
            .run(["remember", "--json", again])
            .stderr(expect![[r#"
                a note with this text already exists; nothing was written
            "#]])
            .json(0);
        assert!(!record.created);
        assert_eq!((&record.path, &record.id), (&first.path, &first.id));
    }
    tree.assert_same(&vault.whole_tree());
    // In a password, unit or code each letter and blank matters.
    for other in [
        "tea at four",
        "Tea  at four",
        "Tea at\nfour",
        "Tea at four?",
    ] {
        let record: RememberReply = vault.run(["-q", "remember", "--json", other]).json(0);
        assert!(record.created, "{other:?}");
        let titled = ["-q", "remember", "--json", "--title", "Tea at four", other];
        let record: RememberReply = vault.run(titled).json(0);
        assert!(record.created, "{other:?}");
    }
}

#[test]
fn flags_for_a_known_text_are_applied() {
    let vault = TestVault::empty();
    let remember = |more: &[&str]| -> RememberReply {
        let args = [&["-q", "remember", "--json", "Tea at four"], more].concat();
        vault.run(args).json(0)
    };
    let first = remember(&["--tag", "tea", "--type", "fact"]);
    for known in [&[][..], &["--tag", "tea"], &["--type", "fact"]] {
        assert_eq!(remember(known).path, first.path, "{known:?}");
    }
    for new in [
        ["--title", "When to drink"],
        ["--tag", "time"],
        ["--type", "preference"],
        ["--valid-until", "2027-01-31"],
        ["--set", "place=kitchen"],
    ] {
        let record = remember(&new);
        assert!(record.created && record.path != first.path, "{new:?}");
        assert_eq!(remember(&new).path, record.path, "{new:?}");
    }
}

#[test]
fn equal_titles_get_two_files() {
    let vault = TestVault::empty();
    for (text, path) in [
        ("At four", "tea.md"),
        ("At five", "tea-2.md"),
        ("At six", "tea-3.md"),
    ] {
        let record: RememberReply = vault
            .run(["-q", "remember", "--json", text, "--title", "Tea"])
            .json(0);
        assert_eq!(record.path, path);
    }
    assert!(vault.read("tea-2.md").ends_with("---\nAt five\n"));
    // A file that is not a note of this vault is not overwritten either.
    vault.write("coffee.md", "mine");
    let record: RememberReply = vault
        .run(["-q", "remember", "--json", "At ten", "--title", "Coffee"])
        .json(0);
    assert_eq!(
        (record.path.as_str(), vault.read("coffee.md").as_str()),
        ("coffee-2.md", "mine")
    );
}

#[test]
fn typed_notes_are_handwritten() {
    let vault = TestVault::empty();
    let no_by: &[(&str, &str)] = &[];
    for (text, by, is_managed) in [
        ("A person at a terminal", no_by, false),
        ("An agent at a terminal", &[("MEM_BY", "ann")], true),
    ] {
        let mut terminal = Terminal::with(&vault, [80, 24], &["remember", text], by);
        assert_eq!(terminal.end(), 0, "{}", terminal.contents());
        let note = text.to_lowercase().replace(' ', "-") + ".md";
        assert_eq!(vault.read(&note).contains("mem:"), is_managed, "{note}");
    }
    let piped = vault.command(["-q", "remember", "--json"]).stdin("Piped");
    let _: RememberReply = piped.run().json(0);
    assert!(vault.read("piped.md").contains("mem:"));
    let add = ["append", "an-agent-at-a-terminal.md", "More"];
    let mut terminal = Terminal::with(&vault, [80, 24], &add, &[]);
    assert_eq!(terminal.end(), 0, "{}", terminal.contents());
    let sealed = ["list", "is:managed", "-q"];
    vault.run(sealed).stdout(expect!["piped.md"]).code(0);
}

#[test]
fn without_a_terminal_there_is_no_editor() {
    let vault = TestVault::empty();
    let editor = vault.home("editor");
    fs::write(&editor, "#!/bin/sh\necho edited > \"$1\"\n").unwrap();
    fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    vault
        .command(["remember"])
        .env("EDITOR", &editor)
        .run()
        .stderr(expect![[r#"
            error: the text is empty; no note was written
            hint: pipe a text, give it to `mem remember`, or use a terminal to open your editor
        "#]])
        .code(2);
}

#[test]
fn invalid_flags_write_nothing() {
    let vault = TestVault::indexed("sample");
    let before = vault.whole_tree();
    for (flags, message) in [
        (["--relation", "likes=Home"], "unknown relation `likes`"),
        (
            ["--relation", "supports=Zucchini"],
            "no note matches `Zucchini`",
        ),
        (
            ["--relation", "supports=Tomatoes"],
            "`Tomatoes` matches 2 notes",
        ),
        (
            ["--relation", "supports"],
            "invalid value 'supports' for '--relation <RELATION=NOTE>': expected key=value",
        ),
        (
            ["--set", "title=x"],
            "`--set title=…` is set by another flag or by mem",
        ),
        (
            ["--set", "mem=x"],
            "`--set mem=…` is set by another flag or by mem",
        ),
        (
            ["--tier", "high"],
            "invalid value 'high' for '--tier <TIER>': known tiers: core, working, archival, \
             forgotten",
        ),
        (
            ["--created", "soon"],
            "invalid value 'soon' for '--created <DATE>': expected a date like 2026-01-31 or \
             a time like 2026-01-31T12:00:00Z",
        ),
        (
            ["--confidence", "1.5"],
            "invalid value '1.5' for '--confidence <SHARE>': expected a number from 0 to 1",
        ),
        (["--in", "../x"], "`../x` is not a path inside the vault"),
        (
            ["--in", ".mem/x"],
            "cannot write `.mem/x/Tea.md`: not the name of a note",
        ),
        (
            ["--in", ".obsidian"],
            "cannot write `.obsidian/Tea.md`: not the name of a note",
        ),
    ] {
        let failure = vault
            .run(["remember", "--json", "Tea"].iter().chain(&flags))
            .failure();
        assert_eq!(failure.message, message, "{flags:?}");
    }
    before.assert_same(&vault.whole_tree());
}

#[test]
fn folder_is_configurable() {
    let vault = TestVault::empty();
    vault.write(".mem/config.toml", "[remember]\nfolder = \"inbox\"\n");
    let remember = |arguments: &[&str]| -> String {
        let arguments = [&["-q", "remember", "--json"], arguments].concat();
        vault.run(arguments).json::<RememberReply>(0).path
    };
    assert_eq!(remember(&["One"]), "inbox/one.md");
    assert_eq!(remember(&["Two", "--in", "."]), "two.md");
    assert_eq!(remember(&["Three", "--in", "deep/er/"]), "deep/er/three.md");
    let notes: Vec<Note> = vault.run(["list", "--jsonl", "is:managed"]).jsonl(0);
    assert_eq!(notes.len(), 3);
}

const BEDS: &str =
    "In May the tomato seedlings move out to the garden bed, when no frost is expected any more.";

/// Notes: [`BEDS`], a copy of it except for one word, a related one, an unrelated one.
fn garden() -> TestVault {
    TestVault::of([
        (
            "copy.md",
            "---\ntitle: In May the tomato seedlings move out to the garden bed\ntags: [garden]\n---\n\
             In May the tomato seedlings move out to the garden bed, when no frost is expected now.\n",
        ),
        (
            "Late beds.md",
            "---\ntitle: Seedlings move out in June\ntags: [garden]\n---\n\
             Keep the seedlings in the greenhouse until June, when the garden is warm enough.\n",
        ),
        (
            "violin.md",
            "Practise the violin slowly: scales first, then the sonata.\n",
        ),
    ])
}

#[test]
fn similar_notes_are_reported() {
    let vault = garden();
    let before = vault.tree();
    vault
        .run(["remember", BEDS, "--tag", "Garden"])
        .stdout(expect![[r#"
            In May the tomato seedlings move out to the garden bed, when.md
        "#]])
        .stderr(expect![[r#"
            `copy.md` is nearly the same (82 % of the wording is the same)
            hint: resolve it with `mem dedupe 'In May the tomato seedlings move out to the garden bed, when.md'`
        "#]])
        .code(0);
    let added = "+ In May the tomato seedlings move out to the garden bed, when.md";
    assert_eq!(before.changes(&vault.tree()), [added]);

    let vault = garden();
    let record: RememberReply = vault.run(["remember", BEDS, "--json"]).json(0);
    assert_eq!(record.near.len(), 1);
    let near = &record.near[0];
    assert_eq!(near.path, "copy.md");
    assert!(near.title.starts_with("In May"), "{near:?}");
    assert_eq!(record.conflicts, []);
    // The same text again is reported as before.
    let record: RememberReply = vault
        .run(["remember", BEDS, "--json"])
        .stderr(expect![[r#"
            a note with this text already exists; nothing was written
        "#]])
        .json(0);
    assert_eq!((record.created, record.near), (false, vec![]));
    let vault = garden();
    vault
        .command(["remember", BEDS, "--quiet"])
        .run()
        .stdout(expect![[r#"
            In May the tomato seedlings move out to the garden bed, when.md
        "#]])
        .code(0);
}

/// The reply reports what the jobs ask right after.
#[test]
fn reply_reports_future_questions() {
    let vault = TestVault::empty();
    let remember = |text: &str| -> RememberReply {
        vault
            .run(["-q", "remember", "--json", "--by", "ann", text])
            .json(0)
    };
    let first = remember("I live in Lisbon.");
    assert_eq!(first.conflicts, []);
    let second = remember("I live in Porto.");
    let [told] = second.conflicts.as_slice() else {
        panic!("{second:?}");
    };
    assert_eq!(told.path, first.path);
    assert_eq!(told.quotes, ["I live in Porto", "I live in Lisbon"]);
    let asked: Dedupe = vault.run(["-q", "conflicts", "--json", "--full"]).json(0);
    let [question] = asked.questions.as_slice() else {
        panic!("{asked:?}");
    };
    assert!(question.notes.contains(&second.path) && question.notes.contains(&first.path));
    assert_eq!(question.reason, told.reason);
    // Statements that may both hold are not reported.
    assert_eq!(remember("I like Porto.").conflicts, []);
}

/// A forgotten note does not block a new one with the same text.
#[test]
fn forgotten_text_can_be_remembered_again() {
    let vault = TestVault::empty();
    vault.write("old.md", "---\ntier: forgotten\n---\nThe gate is green.\n");
    vault.write(
        "over.md",
        "---\nvalid_until: 2020-01-01\n---\nThe gate is red.\n",
    );
    for text in ["The gate is green.", "The gate is red."] {
        let record: RememberReply = vault.run(["-q", "remember", "--json", text]).json(0);
        assert!(record.created, "{text}");
    }
}

/// A vault in which a statement of May replaced an agent's statement of January.
fn replaced() -> TestVault {
    let vault = TestVault::empty();
    vault.at("2026-01-10T09:00:00Z");
    let old = [
        "-q",
        "remember",
        "--by",
        "agent",
        "The shop runs on Postgres 15",
    ];
    vault.run(old).raw();
    vault.at("2026-05-10T09:00:00Z");
    let new = "The shop runs on Postgres 16. Replaces [[the-shop-runs-on-postgres-15]].";
    vault.run(["-q", "remember", "--by", "agent", new]).raw();
    vault.run(["-q", "sleep", "--all"]).raw();
    vault
}

#[test]
fn repeated_replaced_text_is_a_new_note() {
    let vault = replaced();
    vault.at("2026-09-10T09:00:00Z");
    let again = ["remember", "--by", "agent", "The shop runs on Postgres 15"];
    vault.run(again).stdout(expect![[r#"
        the-shop-runs-on-postgres-15-2.md
        Does the-shop-runs-on-postgres-15-2.md replace the-shop-runs-on-postgres-16-replaces.md? (“15” / “16”; 2026-09-10 is newer than 2026-05-10) Yes: mem review accept 2b7a3e5b
    "#]]).stderr(expect![[r#"
        an older note with this text, `the-shop-runs-on-postgres-15.md`, was replaced by `the-shop-runs-on-postgres-16-replaces.md`; written as a new statement
    "#]]).code(0);
    // From then on it is the only valid note.
    let known: RememberReply = vault
        .run([&["-q"], &again[..], &["--json"]].concat())
        .json(0);
    assert!(!known.created && known.path != "the-shop-runs-on-postgres-15.md");
    // Neither a merge nor an answer about the first statement replaces it.
    vault.run(["-q", "sleep", "--all"]).raw();
    for note in ["the-shop-runs-on-postgres-15.md", &known.path] {
        assert!(vault.path(note).exists(), "{note}");
    }
    let found: Recall = vault
        .run(["recall", "--json", "What does the shop run on?"])
        .json(0);
    assert_eq!(found.hits[0].path, known.path);
    // The question is still open.
    assert_eq!(found.hits[1].maybe_outdated_by, Some(known.path));
    assert_eq!(found.hits[1].question.as_deref(), Some("2b7a3e5b"));
}

#[test]
fn conflicts_are_reported_with_the_command_that_answers_them() {
    let vault = TestVault::empty();
    let remember = |day: &str, text: &str, more: &[&str]| -> RememberReply {
        let by = ["-q", "remember", "--json", "--by", "agent"];
        let dated = ["--created", day, text];
        vault.run([&by[..], more, &dated].concat()).json(0)
    };
    let old = remember("2026-01-10", "The shop runs on Postgres 15.", &[]);
    let new = remember("2026-03-10", "The shop runs on Postgres 16.", &[]);
    let [conflict] = &new.conflicts[..] else {
        panic!("{new:?}");
    };
    assert_eq!(conflict.path, old.path);
    assert!(
        conflict
            .question
            .ends_with(&format!("replace {}?", old.path))
    );
    // The command works when pasted.
    let command: Vec<&str> = conflict.command.split(' ').collect();
    assert!(conflict.id.starts_with(command[3]), "{conflict:?}");
    assert_eq!(vault.run(&command[1..]).raw().code, 0);
    let text = vault.read(&new.path);
    assert!(
        text.contains("evolved_from:\n") || text.contains("evolved_from: ["),
        "{text}"
    );

    // A note that was written as a correction or a replacement leaves no question.
    let third = remember(
        "2026-03-20",
        "The shop runs on Postgres 17.",
        &["--corrects", &new.path],
    );
    assert_eq!(third.conflicts, []);
    let text = vault.read(&third.path);
    assert!(
        text.contains("corrects: [\"[[") && text.contains("evolved_from: [\"[["),
        "{text}"
    );

    // Before its first day a replacement changes nothing.
    let fourth = remember(
        "2026-03-25",
        "The shop runs on Postgres 18.",
        &["--replaces", &third.path, "--valid-from", "2026-06-01"],
    );
    let first = || -> String {
        let question = ["recall", "--json", "What does the shop run on?"];
        let mut found: Recall = vault.run(question).json(0);
        found.hits.remove(0).path
    };
    assert_eq!(first(), third.path);
    let why = vault.run(["why", &fourth.path]).raw();
    assert!(why.stdout.contains("`valid_from`"), "{}", why.stdout);
    vault.at("2026-06-02T09:00:00Z");
    assert_eq!(first(), fourth.path);
}

#[test]
fn repeated_replaced_text_names_its_successor() {
    let vault = replaced();
    vault.at("2026-09-10T09:00:00Z");
    let again = [
        "-q",
        "remember",
        "--json",
        "--by",
        "agent",
        "The shop runs on Postgres 15",
    ];
    let record: RememberReply = vault.run(again).json(0);
    let [earlier] = &record.earlier[..] else {
        panic!("{record:?}");
    };
    assert_eq!(earlier.state, "replaced");
    assert_eq!(earlier.path, "the-shop-runs-on-postgres-15.md");
    assert!(
        earlier
            .replaced_by
            .as_ref()
            .unwrap()
            .contains("postgres-16")
    );
}

#[test]
fn repeated_text_gets_the_later_date() {
    let vault = TestVault::empty();
    let text = "Restarted the mail server";
    let remember = |more: &[&str]| -> RememberReply {
        let args = [&["-q", "remember", "--json", "--by", "agent", text], more].concat();
        vault.run(args).json(0)
    };
    vault.at("2026-03-01T09:00:00Z");
    let first = remember(&[]);
    vault.at("2026-03-01T21:00:00Z");
    assert_eq!(remember(&[]).previous_date, None);
    vault.at("2026-03-08T09:00:00Z");
    let tree = vault.whole_tree();
    let again = remember(&[]);
    assert_eq!((&again.path, again.created), (&first.path, false));
    assert_eq!(again.previous_date.as_deref(), Some("2026-03-01T09:00:00Z"));
    vault.assert_text(
        &first.path,
        expect![[r#"
        ---
        id: 01KJMA0FM0EQN6FVE7T31R57N6
        title: Restarted the mail server
        created: 2026-03-08T09:00:00Z
        mem:
          by: agent
          seal: "800baef35ef26f9a"
        merged: ["created: 2026-03-01T09:00:00Z"]
        ---
        Restarted the mail server
    "#]],
    );
    vault.run(["-q", "undo"]).raw();
    tree.assert_same(&vault.whole_tree());
    // Another event is another note, and so is a person's note of another day.
    vault.at("2026-03-01T09:00:00Z");
    let event = |text: &str| -> RememberReply {
        let args = [
            "-q", "remember", "--json", "--by", "agent", "--type", "event", text,
        ];
        vault.run(args).json(0)
    };
    let first = event("The cellar was flooded again");
    vault.at("2026-03-08T09:00:00Z");
    let next = event("The cellar was flooded again");
    assert!(next.created && next.path != first.path);
    vault.run(["-q", "sleep", "--all"]).raw();
    assert!(vault.path(&first.path).exists() && vault.path(&next.path).exists());
}

#[test]
fn only_a_person_replaces_a_kept_note() {
    for own in ["keep: true", "Keep: true", "keep: \"true\""] {
        let old = format!("---\n{own}\n---\nThe gate code is 1234.\n");
        let vault = TestVault::of([("Gate.md", old.as_str())]);
        let relation = "evolved_from=Gate";
        let new = "The gate code is 5678.";
        let replace = |by: &[&str]| {
            let words = [
                "remember",
                new,
                "--title",
                "New gate",
                "--relation",
                relation,
            ];
            vault.run([&words[..], by].concat())
        };
        replace(&["--by", "claude"])
            .stderr(expect![[r#"
                error: `Gate.md` is marked `keep: true` and cannot be replaced
                hint: use `--relation contradicts=…`, or `mem edit --no-keep Gate.md` first
            "#]])
            .code(2);
        assert!(!vault.path("New gate.md").exists());
        assert_eq!(vault.run(["-q", "rm", "Gate"]).raw().code, 2);
        let listed = vault.run(["list", "keep:true"]).raw().stdout;
        assert!(listed.contains("Gate.md"), "{listed}");
    }
}

#[test]
fn no_question_proposes_to_replace_a_kept_note() {
    for (own, asks) in [("", true), ("keep: true\n", false)] {
        let old = format!(
            "---\n{own}created: 2026-01-10\nmem:\n  by: claude\n---\nWe use Redis for sessions.\n"
        );
        let vault = TestVault::of([("redis.md", old.as_str())]);
        let new = "We no longer use Redis for sessions but Memcached.";
        let run = vault.run(["remember", "--by", "claude", "--title", "new", new]);
        assert_eq!(
            run.raw().stdout.contains("mem review accept"),
            asks,
            "{own}"
        );
    }
}

#[test]
fn restated_text_of_the_same_day_is_redated() {
    let vault = TestVault::empty();
    let remember = |at: &str, text: &str| {
        let run = ["-q", "remember", "--by", "x", "--created", at, text];
        vault.run(run).raw();
    };
    remember("2026-03-01T08:00:00Z", "The default port is 8080.");
    remember("2026-03-01T09:00:00Z", "The default port is 8080.");
    let path = "the-default-port-is-8080.md";
    assert!(vault.read(path).contains("2026-03-01T08:00:00Z"));
    remember("2026-03-01T12:00:00Z", "The default port is 9090.");
    remember("2026-03-01T18:00:00Z", "The default port is 8080.");
    assert!(vault.read(path).contains("created: 2026-03-01T18:00:00Z"));
}

#[test]
fn old_note_does_not_answer_for_a_forgotten_successor() {
    let vault = TestVault::of([
        ("a.md", "We use Postgres 15.\n"),
        (
            "b.md",
            "---\nevolved_from: \"[[a]]\"\ntier: forgotten\n---\nWe use Postgres 16.\n",
        ),
    ]);
    let found = vault.run(["-q", "recall", "which postgres do we use"]);
    let stdout = found.raw().stdout;
    assert!(!stdout.contains("Postgres 15"), "{stdout}");
}

/// No replacement is recorded here, and the Spanish statements contain no English word of change.
#[test]
fn newest_statement_about_a_subject_is_recalled_first() {
    let vault = TestVault::empty();
    for (day, text) in [
        ("2025-09-15", "Osprey is formatted with Black."),
        ("2025-11-19", "We format Osprey with Ruff instead of Black."),
        ("2025-12-23", "Went back to Black for Osprey."),
        ("2025-10-05", "La caja de la cooperativa la lleva Amparo."),
        ("2025-12-18", "La caja de la cooperativa la lleva Gonzalo."),
        ("2025-10-05", "The support desk opens at 8:00."),
        (
            "2025-11-20",
            "Until 28 December 2025 the support desk opens at 10:00.",
        ),
        ("2025-12-21", "Could the support desk open at 9:00?"),
    ] {
        vault
            .run(["-q", "remember", "--by", "agent", "--created", day, text])
            .raw();
    }
    vault
        .run(["-q", "recall", "which formatter do we use in Osprey?"])
        .stdout(expect![[r#"
            ## went-back-to-black-for-osprey.md:9 Went back to Black for Osprey (2025-12-23)
            Went back to Black for Osprey.

            ## osprey-is-formatted-with-black.md:9 Osprey is formatted with Black (2025-09-15)
            Osprey is formatted with Black.

            ## we-format-osprey-with-ruff-instead-of-black.md:9 We format Osprey with Ruff instead of Black (2025-11-19), may be out of date: newer in went-back-to-black-for-osprey.md (question 2a4f8c55)
            We format Osprey with Ruff instead of Black.

            no note contains `formatter`
        "#]])
        .code(0);
    vault
        .run(["-q", "recall", "¿quién lleva la caja de la cooperativa?"])
        .stdout(expect![[r#"
            ## la-caja-de-la-cooperativa-la-lleva-gonzalo.md:9 La caja de la cooperativa la lleva Gonzalo (2025-12-18)
            La caja de la cooperativa la lleva Gonzalo.

            ## la-caja-de-la-cooperativa-la-lleva-amparo.md:9 La caja de la cooperativa la lleva Amparo (2025-10-05), may be out of date: newer in la-caja-de-la-cooperativa-la-lleva-gonzalo.md (question 262729f5)
            La caja de la cooperativa la lleva Amparo.
        "#]])
        .code(0);
    vault
        .run(["-q", "recall", "when does the support desk open?"])
        .stdout(expect![[r#"
            ## the-support-desk-opens-at-8-00.md:9 The support desk opens at 8:00 (2025-10-05)
            The support desk opens at 8:00.

            ## could-the-support-desk-open-at-9-00.md:9 Could the support desk open at 9:00? (2025-12-21)
            Could the support desk open at 9:00?

            ## until-28-december-2025-the-support-desk-opens-at-10-00.md:9 Until 28 December 2025 the support desk opens at 10:00 (2025-11-20), no longer valid by its own dates
            Until 28 December 2025 the support desk opens at 10:00.
        "#]])
        .code(0);
}

/// Equal texts of two dates are shown once: with the newest date.
#[test]
fn repeated_statement_is_recalled_with_its_newest_date() {
    let vault = TestVault::empty();
    for (day, title, text) in [
        (
            "2026-01-05",
            "Billing database",
            "The billing service uses SQLite.",
        ),
        (
            "2026-02-05",
            "Billing change",
            "We switched the billing service from SQLite to Postgres.",
        ),
        (
            "2026-03-05",
            "Billing again",
            "The billing service uses SQLite.",
        ),
    ] {
        let run = [
            "-q",
            "remember",
            "--by",
            "agent",
            "--created",
            day,
            "--title",
            title,
            text,
        ];
        assert_eq!(vault.run(run).raw().code, 0);
    }
    let question = "which database does the billing service use?";
    vault
        .run(["-q", "recall", question])
        .stdout(expect![[r#"
            ## billing-again.md:9 Billing again (2026-03-05)
            The billing service uses SQLite.

            ## billing-change.md:9 Billing change (2026-02-05), may be out of date: newer in billing-again.md (question 2b3ec210)
            We switched the billing service from SQLite to Postgres.
        "#]])
        .code(0);
    // After the unattended jobs, too.
    vault.run(["-q", "sleep", "--all"]).raw();
    let recalled = vault.run(["-q", "recall", question]).raw().stdout;
    let newest = recalled.lines().next().unwrap();
    assert!(
        newest.starts_with("## billing-again.md:")
            && newest.ends_with(" Billing again (2026-03-05)"),
        "{recalled}"
    );
}

#[test]
fn a_report_of_a_move_comes_before_the_old_statement() {
    for (texts, question, expected) in [
        (
            ["Paula lives in Oslo.", "Paula has moved to Bergen."],
            "Where does Paula live?",
            expect![[r#"
                ## paula-has-moved-to-bergen.md:9 Paula has moved to Bergen (2025-11-10)
                Paula has moved to Bergen.

                ## paula-lives-in-oslo.md:9 Paula lives in Oslo (2025-09-10), may be out of date: newer in paula-has-moved-to-bergen.md (question 2400ddcd)
                Paula lives in Oslo.
            "#]],
        ),
        (
            [
                "The team chats in Slack.",
                "The switch from Slack to Teams is complete.",
            ],
            "Where does the team chat?",
            expect![[r#"
                ## the-switch-from-slack-to-teams-is-complete.md:9 The switch from Slack to Teams is complete (2025-11-10)
                The switch from Slack to Teams is complete.

                ## the-team-chats-in-slack.md:9 The team chats in Slack (2025-09-10), may be out of date: newer in the-switch-from-slack-to-teams-is-complete.md
                The team chats in Slack.
            "#]],
        ),
    ] {
        let vault = TestVault::empty();
        for (text, day) in texts.into_iter().zip(["2025-09-10", "2025-11-10"]) {
            let run = ["-q", "remember", "--by", "agent", "--created", day, text];
            assert_eq!(vault.run(run).raw().code, 0);
        }
        vault
            .run(["-q", "recall", question])
            .stdout(expected)
            .code(0);
    }
}

#[test]
fn a_confirmed_note_is_not_marked() {
    let vault = TestVault::empty();
    for (day, text) in [
        ("2025-09-10", "The compost heap is by the greenhouse."),
        ("2025-11-10", "The compost heap stands behind the shed now."),
    ] {
        let run = ["-q", "remember", "--by", "agent", "--created", day, text];
        assert_eq!(vault.run(run).raw().code, 0);
    }
    let recall = || vault.run(["-q", "recall", "where is the compost heap"]);
    recall()
        .stdout(expect![[r#"
            ## the-compost-heap-stands-behind-the-shed-now.md:9 The compost heap stands behind the shed now (2025-11-10)
            The compost heap stands behind the shed now.

            ## the-compost-heap-is-by-the-greenhouse.md:9 The compost heap is by the greenhouse (2025-09-10), may be out of date: newer in the-compost-heap-stands-behind-the-shed-now.md
            The compost heap is by the greenhouse.
        "#]])
        .code(0);
    let confirm = ["-q", "confirm", "the-compost-heap-is-by-the-greenhouse"];
    assert_eq!(vault.run(confirm).raw().code, 0);
    recall()
        .stdout(expect![[r#"
            ## the-compost-heap-stands-behind-the-shed-now.md:9 The compost heap stands behind the shed now (2025-11-10)
            The compost heap stands behind the shed now.

            ## the-compost-heap-is-by-the-greenhouse.md:9 The compost heap is by the greenhouse (2025-09-10)
            The compost heap is by the greenhouse.
        "#]])
        .code(0);
}

#[test]
fn an_outdated_note_is_marked_before_a_conflict_is_resolved() {
    for (texts, question, expected) in [
        (
            ["Node 18 is required.", "Node 22 is required."],
            "which node version is required?",
            expect![[r#"
                ## node-22-is-required.md:9 Node 22 is required (2026-03-10)
                Node 22 is required.

                ## node-18-is-required.md:9 Node 18 is required (2026-01-10), may be out of date: newer in node-22-is-required.md (question 23b6a2cf)
                Node 18 is required.

                no note contains `version`
            "#]],
        ),
        // The name before the number is the subject.
        (
            ["We use Postgres 15.", "We moved to Postgres 16."],
            "which database do we use?",
            expect![[r#"
                ## we-moved-to-postgres-16.md:9 We moved to Postgres 16 (2026-03-10)
                We moved to Postgres 16.

                ## we-use-postgres-15.md:9 We use Postgres 15 (2026-01-10), may be out of date: newer in we-moved-to-postgres-16.md (question 2317bc18)
                We use Postgres 15.

                no note contains `database`
            "#]],
        ),
    ] {
        let vault = TestVault::empty();
        for (day, text) in ["2026-01-10", "2026-03-10"].into_iter().zip(texts) {
            let run = ["-q", "remember", "--by", "agent", "--created", day, text];
            assert_eq!(vault.run(run).raw().code, 0);
        }
        vault.run(["-q", "review", "--all"]).raw();
        vault
            .run(["-q", "recall", question])
            .stdout(expected)
            .code(0);
    }
}

#[test]
fn an_open_question_marks_the_older_note_also_alone() {
    let vault = TestVault::empty();
    for (day, tags, text) in [
        ("2026-01-10", "ops", "The backup runs at 02:00."),
        ("2026-02-01", "other", "The backup runs at 04:00."),
    ] {
        let options = ["--by", "agent", "--created", day, "--tag", tags, text];
        vault
            .run([&["-q", "remember"], &options[..]].concat())
            .raw();
    }
    vault
        .run(["-q", "recall", "when does the backup run", "--tag", "ops"])
        .stdout(expect![[r#"
            ## the-backup-runs-at-02-00.md:10 The backup runs at 02:00 (2026-01-10), may be out of date: newer in the-backup-runs-at-04-00.md (question 2af52e2d)
            The backup runs at 02:00.
        "#]])
        .code(0);
    let prompt = r#"{"session_id": "a", "prompt": "Is The backup runs at 02:00 right?"}"#;
    vault
        .command(["hook", "prompt", "--host", "plain"])
        .stdin(prompt)
        .run()
        .stdout(expect![[r#"
            Notes (mem):
            - The backup runs at 02:00. (the-backup-runs-at-02-00.md, may be out of date: newer in the-backup-runs-at-04-00.md (question 2af52e2d))
        "#]])
        .code(0);
}

#[test]
fn a_short_note_that_states_its_update_is_as_new_as_that() {
    let vault = TestVault::of([
        (
            "Rent.md",
            "---\ncreated: 2026-01-05\nupdated: 2026-02-20\n---\nThe rent is 990 euros.\n",
        ),
        (
            "Later.md",
            "---\ncreated: 2026-02-10\n---\nThe rent is 945 euros.\n",
        ),
    ]);
    vault
        .run(["-q", "recall", "how much is the rent"])
        .stdout(expect![[r#"
            ## Rent.md:5 (2026-01-05)
            The rent is 990 euros.

            ## Later.md:4 (2026-02-10), may be out of date: newer in Rent.md
            The rent is 945 euros.
        "#]])
        .code(0);
}

#[test]
fn a_change_in_a_longer_note_comes_before_the_outdated_note() {
    let vault = TestVault::of([
        (
            "Team meeting.md",
            "---\ncreated: 2025-11-03\n---\nThe team meeting is on Tuesdays at 10 in the small room.\n",
        ),
        (
            "Retro.md",
            "---\ncreated: 2026-03-12\n---\n# Retro\n\n- deploys were slow again, see the graphs\n- the team meeting moves to Wednesdays at 9:30\n- Ines will write the runbook\n- fewer tickets than in May\n",
        ),
        (
            "Letter.md",
            "---\ncreated: 2026-03-20\n---\nAna wrote from Porto.\nHer team meeting is on Fridays at 7 and full of students.\nShe has a new cat.\nShe wants to visit in spring.\n",
        ),
    ]);
    vault
        .run(["-q", "recall", "when is the team meeting?"])
        .stdout(expect![[r#"
            ## Retro.md:4 (2026-03-12)
            # Retro

            - deploys were slow again, see the graphs
            - the team meeting moves to Wednesdays at 9:30
            - Ines will write the runbook
            - fewer tickets than in May

            ## Team meeting.md:4 (2025-11-03)
            The team meeting is on Tuesdays at 10 in the small room.
        "#]])
        .code(0);
}

#[test]
fn remember_asks_about_the_latest_statement_first() {
    let vault = TestVault::empty();
    let versions = [
        ("2026-01-10", "15"),
        ("2026-02-10", "17"),
        ("2026-03-10", "18"),
    ];
    let told = versions.map(|(day, version)| {
        let text = format!("The shop database is Postgres {version}.");
        let run = ["remember", "--by", "agent", "--created", day, &text];
        vault.run(run).raw().stdout
    });
    let question =
        "Does the-shop-database-is-postgres-18.md replace the-shop-database-is-postgres-17.md?";
    assert!(told[2].contains(question), "{told:?}");
}

#[test]
fn a_question_that_remember_asked_marks_its_note_until_it_is_answered() {
    let vault = TestVault::empty();
    for (day, text) in [
        ("2026-01-10", "Node 18 is required."),
        ("2026-03-10", "Node 22 is required."),
    ] {
        let run = ["-q", "remember", "--by", "agent", "--created", day, text];
        assert_eq!(vault.run(run).raw().code, 0);
    }
    let recall = ["-q", "recall", "which node is required?"];
    let mark = "may be out of date: newer in node-22-is-required.md";
    let recalled = vault.run(recall).raw().stdout;
    assert!(
        recalled.contains(&format!("{mark} (question 23b6a2cf)")),
        "{recalled}"
    );
    let rejected = vault.run(["-q", "review", "reject", "23b6a2cf"]).raw();
    assert_eq!(rejected.code, 0, "{rejected:?}");
    for run in [recall, ["-q", "timeline", "which node is required?"]] {
        let shown = vault.run(run).raw().stdout;
        assert!(
            shown.contains("node-18-is-required.md") && !shown.contains("newer"),
            "{shown}"
        );
    }
    // The question returns with its id if the answer is taken back, or an accepted one undone.
    for steps in [
        &["review", "forget", "23b6a2cf"][..],
        &["review", "accept", "23b6a2cf"],
        &["undo"],
    ] {
        assert_eq!(vault.run([&["-q"], steps].concat()).raw().code, 0);
    }
    let recalled = vault.run(recall).raw().stdout;
    assert!(recalled.contains("(question 23b6a2cf)"), "{recalled}");
    let listed = vault.run(["-q", "timeline", "which node is required?"]);
    let listed = listed.raw().stdout;
    assert!(
        listed.contains("(newer statement: node-22-is-required.md)"),
        "{listed}"
    );
}

#[test]
fn a_question_is_printed_with_quiet_too() {
    let vault = TestVault::empty();
    let remember = ["-q", "remember", "--by", "agent", "--created"];
    for (day, text) in [
        ("2026-01-10", "Node 18 is required."),
        ("2026-03-10", "Node 22 is required."),
    ] {
        let told = vault.run([&remember[..], &[day, text]].concat()).raw();
        let asked = told.stdout.contains("mem review accept 23b6a2cf");
        assert_eq!(
            (asked, &*told.stderr),
            (text.contains("22"), ""),
            "{told:?}"
        );
    }
}

#[test]
fn the_questions_of_a_batch_are_printed_with_its_lines() {
    let vault = TestVault::empty();
    for (day, version) in [("2026-01-10", 18), ("2026-03-10", 22)] {
        let line =
            serde_json::json!({ "text": format!("Node {version} is required."), "created": day });
        let told = vault
            .command(["-q", "remember", "--by", "agent", "--jsonl", "-"])
            .stdin(&line.to_string())
            .run()
            .raw();
        assert_eq!(told.code, 0, "{told:?}");
        let asked = told.stdout.contains("mem review accept 23b6a2cf");
        assert_eq!(asked, version == 22, "{told:?}");
    }
}

#[test]
fn a_line_replaces_notes_of_earlier_lines() {
    let vault = TestVault::empty();
    let lines = [
        r#"{"text": "The shop runs on Postgres 14.", "title": "Database", "created": "2026-01-10"}"#,
        r#"{"text": "The shop runs on Postgres 15.", "title": "Newer", "created": "2026-02-10", "replaces": "database"}"#,
        r#"{"text": "The shop runs on Postgres 16.", "title": "Newer", "created": "2026-03-10", "corrects": "newer.md"}"#,
        r#"{"text": "The shop runs on Postgres 17.", "created": "2026-04-01", "replaces": "Newer"}"#,
    ];
    let run = vault.command(["-q", "remember", "--jsonl", "-", "--by", "agent"]);
    let told = run.stdin(&lines.join("\n")).run().raw();
    assert!(
        told.stdout.contains("several notes are called `Newer`"),
        "{told:?}"
    );
    vault
        .run(["timeline", "What does the shop run on?"])
        .stdout(expect![[r#"
            2026-01-10 database.md (replaced by newer.md)
              The shop runs on Postgres 14.
            2026-02-10 newer.md (corrected by newer-2.md)
              The shop runs on Postgres 15.
            2026-03-10 newer-2.md
              The shop runs on Postgres 16.
        "#]])
        .code(0);
}

#[test]
fn stated_replacement_is_recalled_alone() {
    let vault = TestVault::empty();
    let remember = |text: &str, more: &[&str]| {
        let run = vault.run([&["-q", "remember", "--by", "agent", text], more].concat());
        assert_eq!(run.raw().code, 0);
    };
    remember("We use Postgres 15.", &[]);
    remember(
        "The cluster has Postgres 16.",
        &["--replaces", "We use Postgres 15"],
    );
    let newer = "the-cluster-has-postgres-16.md";
    assert!(
        vault
            .read(newer)
            .contains("evolved_from: [\"[[we-use-postgres-15]]\"]")
    );
    vault
        .run(["-q", "recall", "which postgres do we use"])
        .stdout(expect![[r#"
            ## the-cluster-has-postgres-16.md:10 The cluster has Postgres 16 (2026-04-01), replaces we-use-postgres-15.md
            The cluster has Postgres 16.
        "#]])
        .code(0);
    vault
        .run([
            "-q",
            "remember",
            "--by",
            "agent",
            "We use SQLite.",
            "--replaces",
            "Nothing",
        ])
        .stderr(expect![[r#"
            error: no note matches `Nothing`
            hint: search the notes with `mem search Nothing`
        "#]])
        .code(2);
}

#[test]
fn lines_are_saved_in_one_run() {
    let vault = TestVault::indexed("sample");
    let before = vault.tree();
    let lines = r#"{"text": "The kettle is broken.", "tags": ["kitchen"], "type": "fact", "id": "k-1"}
{"text": "We chose oolong.", "title": "Oolong chosen", "relations": {"evolved_from": "Oolong"}, "importance": 0.8, "created": "2026-01-31", "keep": true, "properties": {"rating": 4, "code": "7"}}
{"text": "no end"
{"text": "Sure.", "confidence": 7}
{"text": "Sure.", "colour": "red"}
{"title": "No text"}

{"text": "The kettle is broken.", "tags": ["kitchen"], "type": "fact"}
{"text": "Another text.", "id": "k-1"}
"#;
    let run = vault.command([
        "remember", "--jsonl", "-", "--in", "inbox", "--by", "claude",
    ]);
    run.stdin(lines)
        .run()
        .stdout(expect![[r#"
            {"line":1,"path":"inbox/The kettle is broken.md","id":"k-1","title":"The kettle is broken","created":true,"near":[],"conflicts":[]}
            {"line":2,"path":"inbox/Oolong chosen.md","id":"01KN4EMBG0SE0ZJRCB90402SNE","title":"Oolong chosen","created":true,"near":[],"conflicts":[]}
            {"line":3,"error":"not a JSON object: EOF while parsing an object at line 1 column 17"}
            {"line":4,"error":"invalid value '7' for '--confidence <SHARE>': expected a number from 0 to 1"}
            {"line":5,"error":"unexpected argument '--colour' found"}
            {"line":6,"error":"`text` is missing or empty"}
            {"line":8,"path":"inbox/The kettle is broken.md","id":"k-1","title":"The kettle is broken","created":false,"near":[],"conflicts":[]}
            {"line":9,"error":"the id `k-1` belongs to an earlier line with another text"}
        "#]])
        .stderr(expect!["hint: undo with `mem undo 757x`"])
        .code(1);
    vault.assert_text(
        "inbox/Oolong chosen.md",
        expect![[r#"
            ---
            id: 01KN4EMBG0SE0ZJRCB90402SNE
            title: Oolong chosen
            created: 2026-01-31
            importance: 0.8
            keep: true
            evolved_from: ["[[Oolong]]"]
            code: "7"
            rating: 4
            mem:
              by: claude
              seal: "6176234e3e937e34"
            ---
            We chose oolong.
        "#]],
    );
    let tree = vault.tree();
    let good = lines.lines().take(2).collect::<Vec<_>>().join("\n");
    let run = vault.command(["remember", "--jsonl", "-", "--by", "claude"]);
    run.stdin(&good)
        .run()
        .stdout(expect![[r#"
            {"line":1,"path":"inbox/The kettle is broken.md","id":"k-1","title":"The kettle is broken","created":false,"near":[],"conflicts":[]}
            {"line":2,"path":"inbox/Oolong chosen.md","id":"01KN4EMBG0SE0ZJRCB90402SNE","title":"Oolong chosen","created":false,"near":[],"conflicts":[]}
        "#]])
        .stderr(expect![[""]])
        .code(0);
    tree.assert_same(&vault.tree());
    vault.run(["-q", "undo"]).raw();
    before.assert_same(&vault.tree());
}

#[test]
fn lines_with_one_text_and_other_properties_are_notes_of_their_own() {
    let vault = TestVault::of([]);
    vault
        .run([
            "-q",
            "remember",
            "--space",
            "work",
            "--by",
            "claude",
            "We use tabs.",
        ])
        .raw();
    let lines = r#"{"text": "We use tabs.", "space": "home"}
{"text": "We use tabs.", "space": "garden"}
{"text": "We use tabs.", "space": "work"}
"#;
    let run = vault.command(["remember", "--jsonl", "-", "--by", "claude"]);
    let outcome = run.stdin(lines).run().raw();
    let lines = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<serde_json::Value> = lines.collect();
    let created: Vec<&serde_json::Value> = lines.iter().map(|line| &line["created"]).collect();
    assert_eq!(created, [true, true, false], "{}", outcome.stdout);
    assert!(lines[0]["id"] != lines[1]["id"], "{}", outcome.stdout);
    assert_eq!(outcome.code, 0);
}

#[test]
fn a_text_that_an_earlier_line_replaces_is_a_new_statement() {
    let vault = TestVault::empty();
    vault.at("2026-01-10T09:00:00Z");
    let berlin = ["-q", "remember", "--by", "agent", "Anna lives in Berlin"];
    vault.run(berlin).raw();
    vault.at("2026-05-10T09:00:00Z");
    let lines = r#"{"text": "Anna lives in Paris", "replaces": "anna-lives-in-berlin"}
{"text": "Anna lives in Berlin"}
"#;
    let run = vault.command(["-q", "remember", "--jsonl", "-", "--by", "agent"]);
    let outcome = run.stdin(lines).run().raw();
    let paths: Vec<(String, bool)> = outcome
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .map(|line: serde_json::Value| {
            let path = line["path"].as_str().unwrap().to_owned();
            (path, line["created"] == true)
        })
        .collect();
    let wanted = [
        ("anna-lives-in-paris.md", true),
        ("anna-lives-in-berlin-2.md", true),
    ];
    assert_eq!(paths, wanted.map(|(path, new)| (path.to_owned(), new)));
}

#[test]
fn a_text_that_is_not_valid_yet_is_a_new_statement_today() {
    let vault = TestVault::empty();
    vault.at("2026-05-10T09:00:00Z");
    let text = "Ida leads the nursery";
    let later = [
        "remember",
        "--by",
        "agent",
        "--valid-from",
        "2026-08-01",
        text,
    ];
    vault
        .run(later)
        .stdout(expect!["ida-leads-the-nursery.md"])
        .stderr(expect!["indexed 0 notes"])
        .code(0);
    vault
        .run(["recall", "Who leads the nursery?"])
        .stdout(expect![[r#"
            found only 1 upcoming note: add `is:upcoming` to the question
        "#]])
        .stderr(expect![[""]])
        .code(1);
    // The same text with the same day is known.
    vault
        .run(later)
        .stdout(expect!["ida-leads-the-nursery.md"])
        .stderr(expect![[r#"
            a note with this text already exists; nothing was written
        "#]])
        .code(0);
    vault
        .run(["remember", "--by", "agent", text])
        .stdout(expect!["ida-leads-the-nursery-2.md"])
        .stderr(expect![[r#"
            an older note with this text, `ida-leads-the-nursery.md`, is not valid yet; written as a new statement
        "#]])
        .code(0);
    vault
        .run(["list", "is:upcoming"])
        .stdout(expect!["ida-leads-the-nursery.md"])
        .stderr(expect![[""]])
        .code(0);
    vault
        .run(["recall", "Who leads the nursery?"])
        .stdout(expect![[r#"
            ## ida-leads-the-nursery-2.md:9 Ida leads the nursery (2026-05-10)
            Ida leads the nursery
        "#]])
        .stderr(expect![[""]])
        .code(0);
}

#[test]
fn keys_and_tokens_are_not_saved() {
    let vault = TestVault::of([("Bot.md", "The bot posts at nine.\n")]);
    let key = ["ghp_", "k9Qm2ZxT7wLr4VbN8sYd1HfJ6pGc3AeUoI5R"].concat();
    let text = format!("The bot posts as\n{key}");
    for arguments in [
        vec!["remember", text.as_str()],
        vec!["remember", "--source", &key, "The bot has a key."],
        vec!["append", "Bot", &text],
    ] {
        let run = vault.run(&arguments).raw();
        assert_eq!(run.code, 2, "{arguments:?} {}", run.stdout);
        assert!(
            run.stderr.contains("GitHub token in line "),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains(&key), "{}", run.stderr);
    }
    let line = serde_json::json!({"text": text}).to_string();
    let lines = format!("{line}\n{{\"text\": \"It has a key.\"}}\n");
    let run = vault
        .command(["remember", "--jsonl", "-"])
        .stdin(&lines)
        .run()
        .raw();
    assert_eq!(run.code, 1);
    assert!(
        run.stdout.contains("GitHub token in line 2 of the text"),
        "{}",
        run.stdout
    );
    assert_eq!(vault.run(["-q", "list"]).raw().stdout.lines().count(), 2);
    vault.write("memory.jsonl", &format!("{{\"type\":\"entity\",\"name\":\"Bot\",\"entityType\":\"bot\",\"observations\":[\"Has {key}\"]}}\n"));
    let file = vault.path("memory.jsonl").display().to_string();
    let run = vault.run(["import", "server-memory", &file]).raw();
    assert!(
        run.stdout.contains("contains a secret (GitHub token)"),
        "{}",
        run.stdout
    );
    // On purpose; the context of a session leaves it out.
    let run = vault
        .run(["remember", "--allow-secrets", "--tier", "core", &text])
        .raw();
    assert_eq!(run.code, 0, "{}", run.stderr);
    let context = vault.run(["context"]).raw().stdout;
    assert!(!context.contains(&key), "{context}");
}

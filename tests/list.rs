//! `mem list`

use expect_test::expect;
use mem::signals::fields::FIELDS;

use crate::support::TestVault;
use crate::support::records::{List, Note};

#[test]
fn query_filters_and_key_sorts() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["list", "path:agents"])
        .stdout(expect![[r#"
            agents/Anna prefers short release notes 2.md
            agents/Anna prefers short release notes 3.md
            agents/Anna prefers short release notes.md
            agents/Reminder job runs at 05.30 UTC.md
        "#]])
        .code(0);
    let listed = |arguments: &[&str]| {
        let outcome = vault.run([&["list"], arguments].concat()).raw();
        assert_eq!(
            (outcome.code, outcome.stderr.as_str()),
            (0, ""),
            "{arguments:?}"
        );
        outcome.stdout
    };
    // Changed a moment ago, later than everything in the fixture.
    vault.edit("tea/Oolong.md", "Five grams", "Six grams");
    for (arguments, expected) in [
        (
            &["type:decision"][..],
            ["Chose SQLite", "Moved to Postgres", "Photo storage"],
        ),
        (
            &["type:decision", "-r"],
            ["Photo storage", "Moved to Postgres", "Chose SQLite"],
        ),
        (
            &["type:decision", "--sort", "created"],
            ["Photo storage", "Moved to Postgres", "Chose SQLite"],
        ),
    ] {
        let expected: String = expected.map(|stem| format!("work/{stem}.md\n")).concat();
        assert_eq!(listed(arguments), expected, "{arguments:?}");
    }
    assert_eq!(
        listed(&["--sort", "modified", "-n", "1"]),
        "tea/Oolong.md\n"
    );
    let titled = listed(&["path:trips OR path:books", "--sort", "title", "-n", "2"]);
    assert_eq!(
        titled,
        "books/A Philosophy of Software Design.md\ntrips/Kyoto 2026.md\n"
    );
    assert_eq!(listed(&[]).lines().count(), 41);
}

/// One table of fields: every queryable number and date is sortable and printable.
#[test]
fn numbers_and_dates_are_sortable_and_printable() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\nupdated: 2026-03-01\nconfidence: 0.7\n---\nSee [[b]] and [[c]].\n",
        ),
        (
            "b.md",
            "---\nupdated: 2026-03-03\n---\nA much longer text than those of the others.\n",
        ),
        ("c.md", "---\nupdated: 2026-03-02\n---\nShort.\n"),
    ]);
    for (key, order) in [
        ("updated", "b c a"),
        ("modified", "b c a"),
        ("length", "b a c"),
        ("degree", "a b c"),
    ] {
        let listed = vault
            .run(["list", "--sort", key, "--format", "{{ path }}"])
            .raw();
        assert_eq!(
            listed.stdout.replace(".md\n", " ").trim_end(),
            order,
            "{key}"
        );
    }
    for field in FIELDS.iter().filter(|field| field.is_value()) {
        let template = format!("{{{{ {} }}}}", field.name);
        for command in [&["list", "--sort", field.name][..], &["search", "text"]] {
            let outcome = vault
                .run([command, &["--format", &template]].concat())
                .raw();
            assert_eq!(
                outcome.code, 0,
                "{command:?} {template}: {}",
                outcome.stderr
            );
        }
    }
    vault
        .run([
            "list", "--format",
            "{{ path }} {{ updated | date('%F') }} {{ degree }} {{ length }} {{ confidence }} {{ activity }} {{ relevance > 0 }} {{ accessed }}",
        ])
        .stdout(expect![[r#"
            a.md 2026-03-01 2 21 0.7 1.0 True None
            b.md 2026-03-03 1 45 1.0 1.0 True None
            c.md 2026-03-02 1 7 1.0 1.0 True None
        "#]])
        .code(0);
}

#[test]
fn flags_and_natural_dates_filter() {
    let vault = TestVault::empty();
    vault.at("2026-05-06T12:00:00Z");
    vault.write(
        "work/a.md",
        "---\ntype: plan\ntags: [x/y]\ncreated: 2026-05-01\n---\nOne [[b]].\n",
    );
    vault.write(
        "work/sub/b.md",
        "---\ntype: log\ncreated: 2026-05-03\n---\nTwo #x [[gone]].\n",
    );
    vault.write(
        "workshop/c.md",
        "---\ntype: plan\ncreated: 2026-03-01\n---\nThree [[a]] #z.\n",
    );
    vault
        .run(["index", "-q"])
        .stdout(expect!["3 notes: 3 added"])
        .code(0);
    for (arguments, expected) in [
        (&["list", "--tag", "x"][..], "a b"),
        (&["list", "#x", "-#x/y"], "b"),
        (&["list", "--tag", "x", "--tag", "#x/y"], "a"),
        (&["list", "--type", "plan", "--in", "work"], "a"),
        (&["list", "--type", "plan", "--type", "log"], "a b c"),
        (&["list", "--in", "work/", "one", "OR", "three"], "a"),
        (&["list", "--in", "work/sub", "--in", "Workshop"], "b c"),
        (&["search", "--in", "workshop", "one OR three"], "c"),
        (&["search", "three", "--tag", "x"], ""),
        (&["recall", "--all", "--type", "log", "two"], "b"),
        (&["list", "in:work"], "a b"),
        (&["list", "created:2026-04..2026-05-02"], "a"),
        (&["list", "created:2026-05-02..2026-04"], "a"),
        (&["list", "created:..2026-05-01"], "a c"),
        (&["list", "after:3 days ago"], "b"),
        (&["list", "after:\"last month\""], "a b"),
        (&["list", "is:unresolved"], "b"),
        (&["list", "is:deadend"], "b"),
    ] {
        let outcome = vault.run(arguments).raw();
        let mut stems = vec!["a", "b", "c"];
        stems.retain(|stem| outcome.stdout.contains(&format!("/{stem}.md")));
        let found = stems.join(" ");
        assert_eq!(found, expected, "{arguments:?}\n{}", outcome.stderr);
    }
    vault
        .run(["list", "stauts:draft", "tagg:x"])
        .stderr(expect![[r#"
            hint: no note has a property `stauts`; searching for it as words
            hint: searching for it as words: no note has a property `tagg`; did you mean `tag`?
            no matches
        "#]])
        .code(1);
}

#[test]
fn queries_are_saved_by_name() {
    let vault = TestVault::of([
        (
            "a.md",
            "---\nstatus: open\ncreated: 2026-05-01\n---\nOne.\n",
        ),
        (
            "b.md",
            "---\nstatus: open\ncreated: 2026-05-03\n---\nTwo.\n",
        ),
        ("c.md", "Three, @openly.\n"),
    ]);
    vault
        .run(["list", "@"])
        .stderr(expect![[r#"
        no query is saved; `mem config queries.NAME 'QUERY'` saves one
    "#]])
        .code(1);
    let save = |arguments: &[&str]| {
        let outcome = vault.run([&["config"], arguments].concat()).raw();
        (outcome.code, outcome.stderr)
    };
    let saved = save(&["queries.open", "status:open sort:created"]);
    assert_eq!(saved.0, 0, "{}", saved.1);
    let saved = save(&["--vault", "queries.first", "@open title:a"]);
    assert_eq!(saved.0, 0, "{}", saved.1);
    // A vault cannot redefine a user's query.
    assert_eq!(save(&["--vault", "queries.open", "*"]).0, 0);
    assert_eq!(save(&["--vault", "queries.round", "@Round"]).0, 0);
    vault
        .run(["config", "queries.a b", "x"])
        .stderr(expect![[r#"
            error: `x` cannot be saved as `a b`; it takes a query, under a name of letters, digits, `-` and `_`
        "#]])
        .code(2);
    vault
        .run(["list", "@"])
        .stdout(expect![[r#"
        @first  @open title:a             `$VAULT/.mem/config.toml`
        @open   status:open sort:created  `$HOME/.config/mem/config.toml`
        @round  @Round                    `$VAULT/.mem/config.toml`
    "#]])
        .code(0);
    vault
        .run(["list", "@open"])
        .stdout(expect![[r#"
        b.md
        a.md
    "#]])
        .code(0);
    vault
        .run(["list", "@open", "--sort", "path", "-n1"])
        .stdout(expect!["a.md"])
        .code(0);
    vault
        .run(["search", "@first"])
        .stdout(expect![[r#"
        a.md:5
          One.
    "#]])
        .code(0);
    vault
        .run(["list", "@opne"])
        .stderr(expect![[r#"
            error: no saved query `opne`; did you mean `@open`?
            hint: `mem help query` lists the conditions; put words that look like one in quotes
        "#]])
        .code(2);
    vault
        .run(["search", "@round"])
        .stderr(expect![[r#"
            error: saved query `@round` refers to itself or to too many others
            hint: `mem help query` lists the conditions; put words that look like one in quotes
        "#]])
        .code(2);
    vault.write(
        ".mem/rules.toml",
        "[[rule]]\nname = 'late'\non = 'sleep'\neach = '@open -title:a'\ndo = { tag = 'late' }\n\n[[rule]]\nname = 'wrong'\non = 'sleep'\neach = '@opne'\ndo = { tag = 'late' }\n",
    );
    vault
        .run(["rules", "test"])
        .stdout(expect![[r#"
            late  on sleep each @open -title:a: tag late
              1 note found, 1 change after a question: the notes are yours
              add "late" to tags of b.md
        "#]])
        .stderr(expect![[r#"
            warning: `$VAULT/.mem/rules.toml`, line 8: rule `wrong`: no saved query `opne`; did you mean `@open`?
        "#]])
        .code(0);
    assert_eq!(save(&["queries.open", "--unset"]).0, 0);
    vault
        .run(["config", "queries.open"])
        .stdout(expect!["*"])
        .code(0);
}

#[test]
fn empty_list_exits_with_1() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["list", "tag:zucchini"])
        .stderr(expect![[r#"
            hint: no note has the tag `zucchini`
            no matches
        "#]])
        .code(1);
    let record: List = vault
        .run(["list", "--json", "tag:zucchini"])
        .stderr(expect![[r#"
            hint: no note has the tag `zucchini`
            no matches
        "#]])
        .json(1);
    assert_eq!((record.total, record.notes.len()), (0, 0));
    TestVault::empty()
        .run(["list"])
        .stderr(expect![[r#"
            indexed 0 notes
            the vault has no notes
        "#]])
        .code(1);
}

#[test]
fn records_and_paths_for_other_programs() {
    let vault = TestVault::indexed("sample");
    let record: List = vault
        .run(["list", "--json", "-n", "2", "title:\"Green tea\""])
        .json(0);
    assert_eq!(record.total, 2);
    let notes: Vec<Note> = vault.run(["list", "--jsonl", "type:preference"]).jsonl(0);
    assert_eq!(notes.len(), 3);
    vault
        .run(["list", "-0", "path:people"])
        .stdout(expect![[r#"
            people/Anna.md␀people/Grandmother.md␀people/Tomasz.md␀
            [no newline at the end]
        "#]])
        .code(0);
}

#[test]
fn an_unknown_key_is_an_error() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["list", "--sort", "size"])
        .stderr(expect![[r#"
            error: invalid value 'size' for '--sort <KEY>'
              [possible values: path, title, created, updated, valid_until, confidence, importance, retrievability, stability, relevance, salience, activity, promotion, questions, accesses, accessed, idle, degree, length]

            For more information, try '--help'.
        "#]])
        .code(2);
}

#[test]
fn typos_in_tags_and_titles_get_hints() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["list", "tag:gardne"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            hint: no note has the tag `gardne`; did you mean `garden`?
            no matches
        "#]])
        .code(1);
    vault
        .run(["search", "#gardne tomato -tag:nothing"])
        .stdout(expect![""])
        .stderr(expect![[r#"
            7 notes have these words but fail the other conditions
            hint: no note has the tag `gardne`; did you mean `garden`?
        "#]])
        .code(1);
    vault
        .run(["show", "Gren tea"])
        .stderr(expect![[r#"
        error: no note matches `Gren tea`
        hint: did you mean `Green tea`?
    "#]])
        .code(2);
}

#[test]
fn minus_reverses_the_sort_key() {
    let vault = TestVault::empty();
    vault.write("short.md", "x\n");
    vault.write("long.md", "xxxxxxxx\n");
    vault.run(["-q", "index"]).raw();
    for (arguments, expected) in [
        (&["--sort", "length"][..], "long.md\t9\nshort.md\t2\n"),
        (&["--sort", "-length"], "short.md\t2\nlong.md\t9\n"),
        (&["--sort", "+length"], "short.md\t2\nlong.md\t9\n"),
        (&["sort:+length"], "short.md\t2\nlong.md\t9\n"),
        (&["--sort=-length", "-r"], "long.md\t9\nshort.md\t2\n"),
    ] {
        let listed = vault.run([&["list"], arguments].concat()).raw();
        assert_eq!(listed.stdout, expected, "{arguments:?}");
    }
    let wrong = vault.run(["list", "--sort", "-size"]).raw();
    let expected = "error: invalid value '-size' for '--sort <KEY>'";
    assert!(wrong.stderr.starts_with(expected), "{}", wrong.stderr);
}

#[test]
fn parts_of_notes_and_missing_notes_are_listed() {
    let vault = TestVault::of([
        (
            "a.md",
            "# A\n\n## Tasks for tea\n\n[[Gone]] [[gone]] [[b]]\n",
        ),
        ("b.md", "Tasks. [[Nowhere]] [[Gone]] ![[tea.png]]\n"),
        ("c.md", "---\ntags: [x]\n---\n"),
    ]);
    for (query, expected) in [
        ("heading:tasks", "a.md\n"),
        ("heading:\"tasks for\"", "a.md\n"),
        ("heading:\"for tasks\"", ""),
        ("is:empty", "c.md\n"),
    ] {
        let outcome = vault
            .run(["-q", "list", "--format", "{{ path }}", query])
            .raw();
        assert_eq!(outcome.stdout, expected, "{query}");
    }
    vault
        .run(["list", "--missing"])
        .stdout(expect![[r#"
            3	Gone
            1	Nowhere
        "#]])
        .code(0);
    vault
        .run(["list", "--missing", "path:b", "-n", "1", "--jsonl"])
        .stdout(expect![[r#"
            {"name":"Gone","links":1,"from":["b.md"]}
        "#]])
        .code(0);
    vault
        .run(["list", "--missing", "path:c"])
        .stderr(expect!["no link leads to a missing note"])
        .code(1);
}

//! `mem search`

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Hit, Note, Search};

#[test]
fn word_search_shows_the_matching_passage() {
    let vault = TestVault::indexed("sample");
    vault.run(["search", "-n", "2", "yabukita", "shizuoka"])
        .stdout(expect![[r#"
            Green tea.md:14
              The shop on Linden Street sells a Yabukita from Shizuoka that is worth the money. #sencha
            tea/Green tea (conflicted copy 2026-03-02).md:14  Green tea
              The shop on Linden Street sells a Yabukita from Shizuoka that is worth the money. Their autumn harvest is well worth the money, too. #sencha
        "#]])
        .code(0);
}

#[test]
fn first_search_builds_the_index() {
    let vault = TestVault::from("sample");
    vault
        .run(["search", "-n", "1", "yesterday's", "rice"])
        .stdout(expect![[r#"
            recipes/Ochazuke.md:6
              Yesterday's rice, a grilled salted salmon end, nori, a pickled plum. Pour hot Green tea over it, a second infusion is fine. Ready before the news are over.
        "#]])
        .stderr(expect!["indexed 41 notes"])
        .code(0);
}

#[test]
fn no_match_exits_with_1_and_a_reason() {
    let vault = TestVault::indexed("sample");
    vault.write(
        "lost.md",
        "---\ntier: forgotten\n---\nA magnolia and a hedgehog.\n",
    );
    vault.run(["-q", "index"]).raw();
    for (query, why) in [
        (
            "zucchini",
            expect!["no matches: no note contains `zucchini`"],
        ),
        (
            "tieguanyin tag:work",
            expect![[r#"
                1 note has these words but fails the other conditions
            "#]],
        ),
        (
            "\"magnolia and a hedgehog\"",
            expect![[r#"
                no matches: 1 note with these words is forgotten, expired or upcoming; see `tier:forgotten`, `is:expired`, `is:upcoming`
            "#]],
        ),
        (
            "tag:zucchini",
            expect![[r#"
            no matches
            hint: no note has the tag `zucchini`
        "#]],
        ),
        ("tag:tea tag:work", expect!["no matches"]),
    ] {
        vault.run(["search", query]).stderr(why).code(1);
    }
    let record: Search = vault
        .run(["search", "--json", "zucchini"])
        .stderr(expect!["no matches: no note contains `zucchini`"])
        .json(1);
    assert_eq!((record.total, record.hits.len()), (0, 0));
    vault
        .run(["search", "--jsonl", "zucchini"])
        .stderr(expect!["no matches: no note contains `zucchini`"])
        .code(1);
}

#[test]
fn records_are_complete() {
    let vault = TestVault::indexed("sample");
    let record: Search = vault
        .run([
            "search", "--json", "--mode", "lexical", "ticket", "numbers", "-n", "1",
        ])
        .json(0);
    assert_eq!(
        (record.query.as_str(), record.total, record.relaxed),
        ("ticket numbers", 3, false)
    );
    let [hit] = &record.hits[..] else {
        panic!("{record:?}")
    };
    // The newest of three with the same score.
    assert_eq!(hit.path, "agents/Anna prefers short release notes 3.md");
    assert_eq!(hit.title, "Anna prefers short release notes");
    assert_eq!(hit.id.as_deref(), Some("01KKSGW9ZJR2T8V4X6B0D5F7HK"));
    assert_eq!(
        (hit.r#type.as_deref(), hit.space.as_deref()),
        (Some("preference"), Some("seedlist"))
    );
    assert_eq!((hit.tier.as_str(), hit.managed), ("working", true));
    assert_eq!(
        (hit.created.as_str(), hit.words),
        ("2026-03-15T11:47:00Z", 51)
    );
    assert_eq!(
        (&hit.tags[..], &hit.aliases[..]),
        (&["release".to_owned()][..], &[][..])
    );
    assert!(hit.score > 0.0 && hit.problem.is_none());
    assert_eq!(hit.line, Some(10));
    assert!(
        hit.snippet
            .as_ref()
            .is_some_and(|text| text.contains("no ticket numbers"))
    );
    let lines: Vec<Hit> = vault
        .run([
            "search",
            "--mode",
            "lexical",
            "--jsonl",
            "\"ticket numbers\"",
        ])
        .jsonl(0);
    let paths: Vec<&str> = lines.iter().map(|hit| hit.path.as_str()).collect();
    assert_eq!(
        paths,
        [" 3", " 2", ""].map(|copy| format!("agents/Anna prefers short release notes{copy}.md"))
    );
}

#[test]
fn paths_for_other_programs() {
    let vault = TestVault::indexed("sample");
    vault
        .run(["search", "-0", "kyoto"])
        .stdout(expect![[r#"
            trips/Kyoto 2026.md␀books/The Book of Tea.md␀Home.md␀trips/京都の茶屋.md␀
            [no newline at the end]
        "#]])
        .code(0);
    vault
        .run(["search", "--vimgrep", "kyoto", "-n", "3"])
        .stdout(expect![[r#"
            trips/Kyoto 2026.md:8:1:Ten days, 30 October to 8 November, for the leaves and the tea.
            books/The Book of Tea.md:10:21:To look up before Kyoto 2026: which of the tea houses he mentions still stand.
            Home.md:10:14:planning Kyoto 2026
        "#]])
        .code(0);
    // Paths are relative to the folder of the shell, not the vault.
    for (arguments, expected) in [
        (
            ["search", "--vimgrep", "kyoto", "-n2"],
            expect![[r#"
            Kyoto 2026.md:8:1:Ten days, 30 October to 8 November, for the leaves and the tea.
            $VAULT/books/The Book of Tea.md:10:21:To look up before Kyoto 2026: which of the tea houses he mentions still stand.
        "#]],
        ),
        (
            ["list", "-0", "kyoto", "-n2"],
            expect![[r#"
            $VAULT/Home.md␀$VAULT/books/The Book of Tea.md␀
            [no newline at the end]
        "#]],
        ),
        (
            ["daily", "-p", "2026-03-11", "-q"],
            expect!["$VAULT/2026-03-11.md"],
        ),
    ] {
        let run = vault.command(arguments).in_folder(&vault.path("trips"));
        run.run().stdout(expected).code(0);
    }
}

#[test]
fn query_language_is_supported() {
    let vault = TestVault::indexed("sample");
    let found = |query: &str| {
        let record: Search = vault
            .run(["-q", "search", "--json", "-n", "50", query])
            .json(0);
        let by_words = record.hits.into_iter().filter(|hit| !hit.by_meaning);
        let mut paths: Vec<String> = by_words.map(|hit| hit.path).collect();
        paths.sort();
        paths.join(" | ")
    };
    for (query, expected) in [
        ("\"port 9090\"", "inbox/Dev server.md"),
        ("port -9090", "daily/2026-03-11.md | work/Dev server.md"),
        (
            "tieguanyin OR gyokuro",
            "tea/Oolong.md | tea/Water temperature.md",
        ),
        (
            "(tieguanyin OR gyokuro) tag:reference",
            "tea/Water temperature.md",
        ),
        (
            "type:decision",
            "work/Chose SQLite.md | work/Moved to Postgres.md | work/Photo storage.md",
        ),
        (
            "space:seedlist tag:security",
            "work/Sessions after the cleanup.md | work/Sessions.md",
        ),
        (
            "linked-from:Oolong",
            "Green tea.md | people/Tomasz.md | tea/Water temperature.md",
        ),
        (
            "link:\"Water temperature\"",
            "Green tea.md | tea/Green tea (conflicted copy 2026-03-02).md | tea/Oolong.md",
        ),
        ("after:2025-09-20 before:2025-10", "garden/2025/Tomatoes.md"),
        ("confidence:<0.5", "garden/Beer traps work.md"),
        (
            "is:managed reminder",
            "agents/Reminder job runs at 05.30 UTC.md",
        ),
        (
            "is:managed is:handwritten OR has:source",
            "garden/Beer traps make it worse.md",
        ),
        (
            "title:weekly",
            "work/meetings/2026-03-05 weekly.md | work/meetings/2026-03-12 weekly.md | \
             work/meetings/2026-03-19 weekly.md",
        ),
        ("茶屋 予約", "trips/Kyoto 2026.md | trips/京都の茶屋.md"),
        ("\"brewing temperatures\"", "tea/Water temperature.md"),
        ("tieguan*", "tea/Oolong.md"),
    ] {
        assert_eq!(found(query), expected, "{query}");
    }
}

#[test]
fn note_with_the_queried_name_ranks_first() {
    let talk = "staff staff staff of fire, see the other staff; crdt, 1559, green-red teas\n";
    let vault = TestVault::of([
        ("talk.md", talk),
        ("more.md", talk),
        (
            "CRDT.md",
            "---\naliases: [p2p, C++]\n---\nWhat merges by itself.\n",
        ),
        ("deep/eip-1559.md", "# Fee market\n\nA base fee.\n"),
        ("fire.md", "# Staff of fire\n\nA staff.\n"),
        ("wood.md", "# Staff\n\nOf wood.\n"),
        ("staffs.md", "Lists them.\n"),
        ("tea.md", "# Green Tea - red -blue\n\nA blend.\n"),
        ("empty.md", ""),
    ]);
    for (query, expected) in [
        ("staff", &["wood.md", "staffs.md"][..]),
        ("crdt", &["CRDT.md"]),
        ("CRDT.md", &["CRDT.md"]),
        ("CRDTs", &["CRDT.md"]),
        ("P2P", &["CRDT.md"]),
        ("c++", &["CRDT.md"]),
        ("EIP_1559", &["deep/eip-1559.md"]),
        ("EIP1559", &["deep/eip-1559.md"]),
        ("eip 1559", &["deep/eip-1559.md"]),
        ("1559", &["deep/eip-1559.md"]),
        ("deep/eip-1559.md", &["deep/eip-1559.md"]),
        ("green tea - red -blue", &["tea.md"]),
        // Empty conditions match nothing while others exist.
        ("empty OR talk", &["talk.md"]),
    ] {
        for mode in ["hybrid", "lexical"] {
            let run = vault.run(["search", "--json", "--mode", mode, query]);
            let found: Search = run.json(0);
            let paths: Vec<&str> = found.hits.iter().map(|hit| hit.path.as_str()).collect();
            assert!(paths.starts_with(expected), "{mode} {query}: {paths:?}");
        }
    }
    let run = vault.run(["search", "--json", "staff -wood"]);
    let found: Search = run.json(0);
    assert_eq!(found.hits[0].path, "staffs.md");
}

#[test]
fn rank_does_not_depend_on_the_limit() {
    let vault = TestVault::empty();
    let adjectives = ["warm", "cold", "green", "old", "quiet", "narrow"];
    let nouns = [
        "bridge", "garden", "drink", "street", "river", "kitchen", "window",
    ];
    let verbs = [
        "belongs to",
        "is beside",
        "was left near",
        "looks like",
        "costs more than",
    ];
    for at in 0..300 {
        let (first, second) = (adjectives[at % 6], adjectives[at / 7 % 6]);
        let (noun, other) = (nouns[at % 7], nouns[at / 6 % 7]);
        let verb = verbs[at % 5];
        let text = format!("# Entry {at}\n\nThe {first} {noun} {verb} the {second} {other}.\n");
        vault.write(&format!("{at:03}.md"), &text);
    }
    let paths = |query: &str, limit: &str| -> Vec<String> {
        let run = vault.run(["search", "-q", "--json", "-n", limit, query]);
        let found: Search = run.json(0);
        found.hits.into_iter().map(|hit| hit.path).collect()
    };
    for query in ["warm drink", "where is the quiet garden beside the bridge"] {
        let all = paths(query, "100");
        for limit in ["1", "10", "30"] {
            let first = paths(query, limit);
            assert_eq!(first[..], all[..first.len()], "{query} {limit}");
        }
    }
}

#[test]
fn names_respect_filter_flags() {
    let vault = TestVault::indexed("sample");
    for flags in [
        ["--in", "work"],
        ["--tag", "nosuch"],
        ["--type", "decision"],
    ] {
        for command in ["search", "recall"] {
            let run = vault.run([command, "green tea", "--json"].iter().chain(&flags));
            let found: serde_json::Value = serde_json::from_str(&run.raw().stdout).unwrap();
            let hits = found["hits"].as_array().unwrap();
            assert!(
                hits.iter().all(|hit| hit["path"] != "Green tea.md"),
                "{command} {flags:?}"
            );
        }
    }
}

#[test]
fn excluded_word_is_not_a_flag() {
    let vault = TestVault::indexed("sample");
    let without = ["list", "type:decision", "-moved", "-tag:photos"];
    vault
        .run(without)
        .stdout(expect!["work/Chose SQLite.md"])
        .code(0);
    // In other commands it is a flag, even next to a word that names a command.
    vault.run(["-q", "remember", "search", "-t", "tea"]).raw();
    vault
        .run(["list", "tag:tea", "path:search.md"])
        .stdout(expect!["search.md"])
        .code(0);
}

#[test]
fn invalid_conditions_are_words_with_a_hint() {
    let vault = TestVault::indexed("sample");
    for (query, hint) in [
        (
            "kyoto is:nice",
            "hint: unknown state `is:nice`; known states: managed, handwritten, orphan, deadend, unresolved, empty, open, done, expired, upcoming, superseded; \
             searching for `is:nice` as words\n",
        ),
        (
            "kyoto created:someday",
            "hint: `created:` takes a date or an age like 2026-05, yesterday or <30d; \
             searching for `someday` as words\n",
        ),
        (
            "kyoto length:long",
            "hint: `length:` takes a number; searching for `long` as words\n",
        ),
        ("\"kyoto 2026", "hint: unclosed `\"`\n"),
        ("(kyoto", "hint: unclosed `(`\n"),
    ] {
        let found: Search = {
            let outcome = vault.run(["search", "--json", "-n", "1", query]).raw();
            assert_eq!(
                (outcome.code, outcome.stderr.as_str()),
                (0, hint),
                "{query}"
            );
            serde_json::from_str(&outcome.stdout).unwrap()
        };
        assert_eq!(found.hits[0].path, "trips/Kyoto 2026.md", "{query}");
    }
    // Without other conditions any result would be noise.
    for query in ["created:>nonsense", "-is:nice"] {
        for command in ["search", "recall"] {
            let outcome = vault.run([command, query]).raw();
            assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{query}");
        }
    }
    vault
        .run(["recall", "importance:<abc length:long"])
        .stderr(expect![[r#"
            error: `importance:` takes a number; `length:` takes a number
            hint: `mem help query` lists the conditions; put words that look like one in quotes
        "#]])
        .code(2);
}

#[test]
fn typos_get_hints() {
    let vault = TestVault::of([("a.md", "Green tea.\n"), ("b.md", "Cup.\n")]);
    vault
        .run(["search", "tea AND AND green", "--mode", "lexical"])
        .stdout(expect![[r#"
            a.md:1
              Green tea.
        "#]])
        .stderr(expect![[r#"
            hint: `AND` lacks an operand; searching for it as a word
        "#]])
        .code(0);
    vault.run(["search", "-n", "0", "tea"]).code(0);
    vault.run(["search", "-n", "0", "coffee"]).code(1);
    for command in [["search", "tea"], ["recall", "tea"], ["related", "a"]] {
        let run = vault.run([&["--json"], &command[..], &["--min-cosine", "3"]].concat());
        let message =
            "invalid value '3' for '--min-cosine <COSINE>': expected a number from -1 to 1";
        assert_eq!(run.failure().message, message);
    }
}

#[test]
fn selecting_commands_refuse_typos() {
    let vault = TestVault::indexed("sample");
    vault.write("garden/Frost.md", "---\ndate: 2022-03-04\n---\nLate.\n");
    for query in ["date:2022", "date:2022-03", "date:>=2022"] {
        let notes: Vec<Note> = vault.run(["-q", "list", "--jsonl", query]).jsonl(0);
        assert_eq!(notes[0].path, "garden/Frost.md", "{query}");
    }
    for (query, expected) in [
        (
            "in:gardn",
            expect![[r#"
            hint: no folder is called `gardn`; did you mean `garden`?
            no matches
        "#]],
        ),
        (
            "in:garden/2026 tag:gardn",
            expect![[r#"
            hint: no folder is called `garden/2026`; did you mean `garden/2025`?
            hint: no note has the tag `gardn`; did you mean `garden`?
            no matches
        "#]],
        ),
        (
            "link:Oolng",
            expect![[r#"
            hint: no note is called `Oolng`; did you mean `Oolong`?
            no matches
        "#]],
        ),
        (
            "linked-from:Nothing-like-it",
            expect![[r#"
            hint: no note is called `Nothing-like-it`
            no matches
        "#]],
        ),
    ] {
        vault
            .run(["list", query])
            .stdout(expect![""])
            .stderr(expected)
            .code(1);
    }
    for (command, query, expected) in [
        (
            "list",
            "tea is:nonsense",
            expect![[r#"
            error: unknown state `is:nonsense`; known states: managed, handwritten, orphan, deadend, unresolved, empty, open, done, expired, upcoming, superseded
            hint: `mem help query` lists the conditions; put words that look like one in quotes
        "#]],
        ),
        (
            "search",
            "created:>nonsense",
            expect![[r#"
            error: `created:` takes a date or an age like 2026-05, yesterday or <30d
            hint: `mem help query` lists the conditions; put words that look like one in quotes
        "#]],
        ),
        (
            "dedupe",
            "degree:>x",
            expect![[r#"
            error: `degree:` takes a number
            hint: `mem help query` lists the conditions; put words that look like one in quotes
        "#]],
        ),
    ] {
        vault
            .run([command, query])
            .stdout(expect![""])
            .stderr(expected)
            .code(2);
    }
}

#[test]
fn unknown_word_matches_the_nearest_one() {
    let vault = TestVault::empty();
    vault.write(
        "parcels.md",
        "We receive parcels on Mondays, and sign for each.\n",
    );
    vault.write("garden.md", "Beans climb, peas do too.\n");
    vault.write("a -b c.md", "Only its name says it.\n");
    vault
        .run(["search", "recieve", "parcels"])
        .stdout(expect![[r#"
            parcels.md:1
              We receive parcels on Mondays, and sign for each.
        "#]])
        .stderr(expect![[r#"
            indexed 3 notes
            showing `receive` (1 note); no note contains `recieve`
        "#]])
        .code(0);
    let record: Search = vault
        .run(["-q", "search", "--json", "recieve parcels"])
        .json(0);
    assert_eq!(record.respelled["recieve"], "receive");
    assert_eq!(record.hits[0].path, "parcels.md");
    vault
        .run(["search", "xqzvk", "plomf"])
        .stdout(expect![[""]])
        .stderr(expect![[r#"
            no matches: no note contains `xqzvk`, `plomf`
        "#]])
        .code(1);
    vault
        .run(["search", "-n", "1", "parcels", "-mondays"])
        .stdout(expect![[""]])
        .stderr(expect![[r#"
            1 note has these words but fails the other conditions
            `NOT` excluded 1 note
        "#]])
        .code(1);
    vault
        .run(["search", "-n", "1", "a -b c"])
        .stdout(expect![[r#"
            a -b c.md:1
              Only its name says it.
        "#]])
        .code(0);
    vault
        .run(["search", "-l", "parcels"])
        .stderr(expect![[r#"
            error: unexpected argument '-l' found

              tip: to pass '-l' as a value, use '-- -l'

            Usage: mem search [OPTIONS] <QUERY>...

            For more information, try '--help'.
        "#]])
        .code(2);
}

#[test]
fn shown_line_contains_the_word() {
    let vault = TestVault::empty();
    vault.write(
        "plan.md",
        "![[cover-tieguanyin.png|clean]]\nThe plan.\n\nSee [the shop](oolong.md), and\n%% sencha %%\n",
    );
    vault.write("models.md", "Some LLMs answer. VMs run them.\n");
    vault.run(["-q", "index"]).raw();
    let found = |query: &str| vault.run(["search", "--mode", "lexical", query]);
    found("oolong")
        .stdout(expect![[r#"
        plan.md:4
          See the shop, and
    "#]])
        .code(0);
    found("sencha")
        .stdout(expect![[r#"
        plan.md:5
          %% sencha %%
    "#]])
        .code(0);
    found("tieguanyin")
        .stdout(expect![[r#"
        plan.md:1
          ![[cover-tieguanyin.png|clean]]
    "#]])
        .code(0);
    found("LLM vm")
        .stdout(expect![[r#"
        models.md:1
          Some LLMs answer. VMs run them.
    "#]])
        .code(0);
}

#[test]
fn passage_starts_after_embedded_context() {
    let vault = TestVault::empty();
    vault.write(
        "mlox.md",
        "![[expand-article#^6fc39d|clean]]\n\nMlox sorts the load order of plugins.\n",
    );
    vault
        .run(["-q", "recall", "what sorts the load order of plugins"])
        .stdout(expect![[r#"
            ## mlox.md:3
            Mlox sorts the load order of plugins.
        "#]])
        .code(0);
}

#[test]
fn note_named_in_a_question_ranks_first() {
    let vault = TestVault::empty();
    vault.write(
        "TLS.md",
        "What replaced SSL. SSL is what TLS was: SSL is old.\n",
    );
    vault.write("SSL.md", "A protocol for sockets.\n");
    vault.run(["-q", "list", "-0"]).raw();
    for query in ["what is SSL", "What is the SSL?", "define ssl"] {
        let record: Search = vault.run(["-q", "search", "--json", query]).json(0);
        assert_eq!(record.hits[0].path, "SSL.md", "{query}");
    }
}

/// Ties go to the newer note. File times do not count, because a checkout sets them.
#[test]
fn ties_are_ordered_by_recency_then_path() {
    let text = |date: &str| format!("---\n{date}---\nThe ferry leaves at noon.\n");
    let vault = TestVault::of([
        ("a.md", &*text("")),
        ("b.md", &*text("")),
        ("c.md", &*text("created: 2026-01-01\n")),
        ("d.md", &*text("created: 2026-02-01\n")),
        ("e.md", &*text("created: 2026-01-01\nupdated: 2026-03-01\n")),
    ]);
    // With semantic search their dates affect the score.
    let by_words = ["--mode", "lexical"];
    let found = vault.run(
        [
            &["search", "ferry", "--format", "{{ path }}"][..],
            &by_words,
        ]
        .concat(),
    );
    assert_eq!(found.raw().stdout, "e.md\nd.md\nc.md\na.md\nb.md\n");
    let recalled = vault
        .run([&["recall", "--all", "ferry"][..], &by_words].concat())
        .raw();
    assert!(
        recalled.stdout.starts_with("## e.md"),
        "{}",
        recalled.stdout
    );
}

/// A note that only a property brought shows that property, and not its first line.
#[test]
fn hit_by_a_property_shows_the_property() {
    let vault = TestVault::of([(
        "boxes.md",
        "---\ntitle: Boxes\nsupplier: Gruenfeld Logistics\nstatus: open\n---\nThey arrive on Tuesday.\n",
    )]);
    vault
        .run(["-q", "search", "gruenfeld"])
        .stdout(expect![[r#"
            boxes.md:3  Boxes
              supplier: Gruenfeld Logistics
        "#]])
        .code(0);
    vault
        .run(["-q", "search", "tuesday"])
        .stdout(expect![[r#"
            boxes.md:6  Boxes
              They arrive on Tuesday.
        "#]])
        .code(0);
}

/// German nouns have capitals, which do not make them names.
#[test]
fn capitals_of_german_nouns_do_not_silence_recall() {
    let vault = TestVault::of([
        (
            "Kürbissuppe.md",
            "# Kürbissuppe\n\nEinen Kürbis würfeln, mit Zwiebeln und Ingwer anschwitzen und pürieren.\n",
        ),
        (
            "Apfelkuchen.md",
            "# Apfelkuchen\n\nDer Teig muss eine Stunde kalt stehen.\n",
        ),
        (
            "Umzug.md",
            "# Umzug\n\nWir mieten einen Transporter für den ersten März.\n",
        ),
    ]);
    for question in ["welche Suppe mit Ingwer", "welche suppe mit ingwer"] {
        let found = vault.run(["-q", "recall", question]).raw();
        assert!(found.stdout.starts_with("## Kürbissuppe.md"), "{question}");
    }
}

#[test]
fn passage_of_a_numbered_list_begins_with_its_number() {
    let vault = TestVault::of([(
        "Deploy.md",
        "---\ntags: [work]\n---\n1. Tests green, changelog written\n2. Back up the database\n",
    )]);
    let recalled = vault
        .run(["-q", "recall", "--json", "changelog written"])
        .raw();
    let found: serde_json::Value = serde_json::from_str(&recalled.stdout).unwrap();
    let text = found["hits"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("1. Tests"), "{text}");
}

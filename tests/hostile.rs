//! Hostile notes and queries.

use std::fs;
use std::time::{Duration, Instant};

use expect_test::expect;
use rustix::fs::{Mode, OFlags};

use crate::strangers::{COMMANDS, SAME};
use crate::support::TestVault;
use crate::support::records::{List, Search};

#[test]
fn hostile_notes_are_indexed_and_unchanged() {
    let vault = TestVault::from("messy");
    let before = vault.tree();
    vault
        .run(["index"])
        .stdout(expect!["30 notes: 30 added"])
        .stderr(expect![[r#"
            indexed 30 notes
            warning: skipped `latin-1.md`: it is not UTF-8 text (byte 13)
        "#]])
        .code(0);
    vault
        .run(["index"])
        .stdout(expect!["30 notes, no changes"])
        .stderr(expect![[r#"
            warning: skipped `latin-1.md`: it is not UTF-8 text (byte 13)
        "#]])
        .code(0);
    vault
        .run(["sleep", "--all", "--apply", "all", "-v"])
        .stdout(expect![[r#"
            index       30 notes, no changes
            dedupe      2 pairs compared: 1 open
            link        4 pairs compared: 2 open
            nothing to do for conflicts, spaces, associate, cluster, consolidate, split, decay, views, settle
            1f7122db Merge left/same name.md into right/same name.md? (same title, 83 % similar in meaning and words)
            4a9578c5 Link "carriage returns" in bom and crlf.md to crlf.md? (text: "Mark and carriage returns.")
        "#]])
        .stderr(expect![[r#"
            $TIME index started
            $TIME index finished: 30 notes, no changes ($SECONDS s)
            $TIME dedupe started
            $TIME dedupe finished: 2 pairs compared: 1 open ($SECONDS s)
            $TIME conflicts started
            $TIME conflicts finished: 35 pairs compared: nothing to do ($SECONDS s)
            $TIME link started
            $TIME link finished: 4 pairs compared: 2 open ($SECONDS s)
            $TIME spaces started
            $TIME spaces finished: 0 notes checked: nothing to do ($SECONDS s)
            $TIME associate started
            $TIME associate finished: 0 pairs compared: nothing to do ($SECONDS s)
            $TIME cluster started
            $TIME cluster finished: 0 notes checked: nothing to do ($SECONDS s)
            $TIME consolidate started
            $TIME consolidate finished: 0 clusters looked at: nothing to do ($SECONDS s)
            $TIME split started
            $TIME split finished: 0 notes looked at: nothing to do ($SECONDS s)
            $TIME decay started
            $TIME decay finished: 0 notes checked: nothing to do ($SECONDS s)
            $TIME views started
            $TIME views finished: 0 lists checked: nothing to do ($SECONDS s)
            $TIME settle started
            $TIME settle finished: 0 notes checked: 0 settled ($SECONDS s)
            warning: skipped `latin-1.md`: it is not UTF-8 text (byte 13)
            hint: 2 questions, 1 suggestion; run `mem review`
        "#]])
        .code(0);
    before.assert_same(&vault.tree());
}

#[test]
fn hidden_files_are_never_found() {
    let vault = TestVault::indexed("messy");
    let hidden = "xylophone";
    assert!(vault.read("ignored/secret.md").contains(hidden));
    for query in [hidden, "xylo*"] {
        let outcome = vault.run(["search", query]).raw();
        assert!(outcome.code == 1 && outcome.stderr.starts_with("no matches"));
    }
    let list: List = vault.run(["list", "--json"]).json(0);
    assert_eq!(list.total, 30);
    for note in list.notes {
        assert!(!vault.read(&note.path).contains(hidden), "{}", note.path);
    }
}

#[test]
fn invalid_front_matter_is_indexed_with_a_warning() {
    let vault = TestVault::indexed("messy");
    let list: List = vault.run(["list", "--json"]).json(0);
    let troubled: Vec<&str> = list
        .notes
        .iter()
        .filter(|note| note.problem.is_some())
        .map(|note| note.path.as_str())
        .collect();
    assert_eq!(
        troubled,
        [
            "bad yaml.md",
            "duplicate keys.md",
            "front matter is a list.md",
            "unclosed front matter.md",
            "yaml tab.md",
        ]
    );
}

#[test]
fn every_query_is_answered() {
    let vault = TestVault::indexed("sample");
    let parentheses = "(".repeat(10_000);
    let nested = format!("{}tea{}", "(".repeat(5_000), ")".repeat(5_000));
    let words = "tea ".repeat(5_000);
    let long = "x".repeat(100_000);
    let control: String = ('\u{1}'..='\u{1f}').collect();
    let wide = "\u{10ffff}\u{200b}\u{202e}é\u{301}".repeat(50);
    for query in [
        "\"",
        "(((",
        ")))",
        "()",
        "foo:",
        ":",
        ":tea",
        "-",
        "--",
        "-tag:tea",
        "***",
        "*",
        "a OR",
        "OR",
        "OR OR",
        "AND NOT tea",
        "NOT",
        "-(",
        "\"\"",
        "tag:",
        "tag:\"",
        "tag:()",
        "created:>",
        "created:>>2026",
        "length:>",
        "is:",
        "has:",
        "tea~2",
        "tea^5",
        "[a TO b]",
        "{",
        "\\",
        "\\\"",
        "/(/",
        "a:b:c:d",
        "title:\"a",
        "created:9999999-99-99",
        "length:>99999999999999999999",
        "degree:-1",
        "confidence:nan",
        "created:<-5d",
        "\u{0}"[..0].as_ref(),
        " ",
        "\n",
        &parentheses,
        &nested,
        &words,
        &long,
        &control,
        &wide,
    ] {
        for arguments in [
            &["search", "--json", "--", query],
            &["list", "--json", "--", query],
        ] {
            let outcome = vault.run(arguments).raw();
            let shown: String = query.chars().take(40).collect();
            assert!(matches!(outcome.code, 0..=2), "`{shown}`: {outcome:?}");
            assert!(
                outcome.stderr.lines().count() <= 4,
                "`{shown}`: {}",
                outcome.stderr
            );
            // A condition without a valid value is the only possible error.
            let stream = if outcome.code == 2 {
                &outcome.stderr
            } else {
                &outcome.stdout
            };
            let record: serde_json::Value = serde_json::from_str(stream).unwrap();
            if outcome.code == 2 {
                assert!(query.contains(':'), "`{shown}`: {record}");
            } else {
                assert_eq!(outcome.code == 0, record["total"] != 0, "`{shown}`");
            }
        }
    }
}

#[test]
fn invalid_utf8_arguments_do_not_panic() {
    use std::os::unix::ffi::OsStrExt as _;
    let vault = TestVault::indexed("sample");
    let junk = std::ffi::OsStr::from_bytes(b"\xff\xfe tea \x80");
    for command in ["search", "list", "dedupe"] {
        let outcome = vault.run([std::ffi::OsStr::new(command), junk]).raw();
        assert!(matches!(outcome.code, 0 | 1), "{outcome:?}");
    }
}

#[test]
fn links_and_names_stay_inside_the_vault() {
    let vault = TestVault::indexed("sample");
    std::fs::write(vault.home("secret.md"), "The xylophone is outside.\n").unwrap();
    std::os::unix::fs::symlink(vault.home("secret.md"), vault.path("linked.md")).unwrap();
    std::os::unix::fs::symlink(vault.home(""), vault.path("linked")).unwrap();
    vault.write(
        "a.md",
        "[[../../home/secret]] ![[linked/secret.md]] [x](../home/secret.md)\n",
    );
    let outcome = vault.run(["index"]).raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    vault
        .run(["search", "xylophone"])
        .stderr(expect!["no matches: no note contains `xylophone`"])
        .code(1);
    for name in ["../home/secret.md", "linked/secret.md", "linked/secret"] {
        let outcome = vault.run(["show", name]).raw();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{name}");
    }
    for folder in ["..", "../home", "/tmp", "linked", "tea/../.."] {
        let outcome = vault
            .run(["remember", "A stray note", "--in", folder])
            .raw();
        assert_eq!(
            (outcome.code, outcome.stdout.as_str()),
            (2, ""),
            "{folder}: {outcome:?}"
        );
    }
    let home: Vec<_> = std::fs::read_dir(vault.home(""))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(home.len(), 3, "{home:?}");
}

#[test]
fn titles_cannot_forge_output_lines() {
    let vault = TestVault::of([(
        "a.md",
        "---\ntitle: \"tea\\nother.md\\tfaked\"\n---\nTea.\n",
    )]);
    vault.run(["list"]).stdout(expect!["a.md"]).code(0);
    let record: Search = vault.run(["search", "--json", "tea"]).json(0);
    assert_eq!(record.hits[0].title, "tea\nother.md\tfaked");
    let outcome = vault.run(["search", "tea"]).raw();
    assert_eq!(outcome.stdout.lines().count(), 2, "{}", outcome.stdout);
}

#[test]
fn symlinked_inside_cache_is_refused() {
    let vault = TestVault::of([("a.md", "One.\n")]);
    vault.write(".mem/config.toml", "[cache]\ninside = true\n");
    let elsewhere = vault.home("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, vault.path(".mem/cache")).unwrap();
    vault
        .run(["list"])
        .stderr(expect![[r#"
            error: cannot use `$VAULT/.mem/cache`
            caused by: not a directory
        "#]])
        .code(2);
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
}

#[test]
fn huge_notes_take_bounded_time() {
    let started = Instant::now();
    let vault = TestVault::empty();
    let numbered = |count: usize, before: &str, after: &str| -> String {
        let pieces: Vec<String> = (0..count).map(|n| format!("{before}{n}{after}")).collect();
        pieces.concat()
    };
    for (path, text) in [
        ("a line.md", "word ".repeat(300_000)),
        ("tags.md", numbered(50_000, "#t", " ")),
        ("links.md", "[[a line]] [[tags]] ".repeat(20_000)),
        ("link lines.md", "[[a line]]\n".repeat(20_000)),
        (
            "lists.md",
            (0..1000).map(|n| "  ".repeat(n) + "- x\n").collect(),
        ),
        ("quotes.md", (">".repeat(1000) + " x\n").repeat(100)),
        ("brackets.md", "[".repeat(50_000) + &"]".repeat(50_000)),
        ("images.md", "![[".repeat(50_000)),
        ("parentheses.md", "[a](".repeat(50_000)),
        ("emphasis.md", "*a _b ".repeat(30_000)),
        ("ticks.md", (0..1500).map(|n| "`".repeat(n) + " ").collect()),
        ("html.md", "<a ".repeat(50_000)),
        ("headings.md", "# h\n".repeat(50_000)),
        ("footnotes.md", numbered(20_000, "[^", "]: x\n")),
        (
            "references.md",
            numbered(20_000, "[a", "]: b\n") + &"[a1]".repeat(20_000),
        ),
        (
            "table.md",
            "|a".repeat(20_000) + "\n" + &"|-".repeat(20_000) + "\n" + &"|b\n".repeat(500),
        ),
        ("flow.md", format!("---\na: {}\n---\n", "[".repeat(60_000))),
        (
            "quoted.md",
            format!("---\na: \"{}\"\n---\n", "\\\"".repeat(30_000)),
        ),
        ("key.md", format!("---\n? {}\n---\n", "a".repeat(60_000))),
        (
            "properties.md",
            format!("---\n{}---\n", numbered(4000, "k", ": 1\n")),
        ),
        (
            "large.md",
            format!("---\na: \"{}\"\n---\n", "x".repeat(200_000)),
        ),
        (
            "bomb.md",
            (b'b'..b'k').fold("---\na: &a [x,x,x,x,x,x,x,x,x]\n".to_owned(), |yaml, n| {
                let (name, last) = (char::from(n), char::from(n - 1));
                let nine = format!("*{last},").repeat(9);
                yaml + &format!("{name}: &{name} [{nine}]\n")
            }) + "---\n",
        ),
    ] {
        vault.write(path, &text);
    }
    let sparse = fs::File::create(vault.path("sparse.md")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    vault
        .run(["-q", "index"])
        .stdout(expect!["22 notes: 22 added"])
        .stderr(expect![[r#"
            warning: skipped `sparse.md`: cannot read it (file too large)
        "#]])
        .code(0);
    for arguments in [
        &["search", "word"][..],
        &["search", "tag:t49999"],
        &["list", "--json", "linked-from:links"],
        &["graph", "links"],
        &["sleep", "--all", "--apply", "all"],
        &["outline", "headings"],
        &["edit", "link lines", "--set", "k=1"],
        &["extract", "lists"],
    ] {
        let outcome = vault.run(arguments).raw();
        let expected = i32::from(arguments[0] == "extract");
        assert_eq!(outcome.code, expected, "{arguments:?}: {outcome:?}");
    }
    assert!(
        started.elapsed() < Duration::from_secs(300),
        "{:?}",
        started.elapsed()
    );
}

#[test]
fn overlong_paths_are_handled() {
    let vault = TestVault::of([("a.md", "On top.\n")]);
    let mut folder = rustix::fs::open(vault.path(""), OFlags::DIRECTORY, Mode::empty()).unwrap();
    let name = "n".repeat(100);
    for depth in 0..45 {
        if depth == 30 {
            let flags = OFlags::CREATE | OFlags::WRONLY;
            rustix::fs::openat(&folder, "deep.md", flags, Mode::RUSR | Mode::WUSR).unwrap();
        }
        rustix::fs::mkdirat(&folder, name.as_str(), Mode::RWXU).unwrap();
        folder =
            rustix::fs::openat(&folder, name.as_str(), OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    let outcome = vault.run(["-q", "index"]).raw();
    assert_eq!(outcome.stdout, "2 notes: 1 added\n", "{outcome:?}");
    assert!(outcome.stderr.contains("File name too long"), "{outcome:?}");
    let outcome = vault.run(["-q", "index"]).raw();
    assert_eq!(outcome.stdout, "2 notes, no changes\n", "{outcome:?}");
}

#[test]
fn exclude_patterns_take_bounded_time() {
    let started = Instant::now();
    let vault = TestVault::empty();
    for number in 0..200 {
        vault.write(&format!("{}/{number}.md", "a".repeat(200)), "A note.\n");
    }
    let stars = "*a".repeat(100) + "b";
    let patterns: Vec<String> = (0..2000).map(|n| format!("**/{stars}{n}\n")).collect();
    let patterns = patterns.concat();
    vault.write(
        ".gitignore",
        &format!("{patterns}[\n{{a,b\n!\n\\\n{}\n", "{a,b}".repeat(12)),
    );
    let filters = serde_json::json!({
        "userIgnoreFilters": ["/(a+)+$/", "/(?=x)/", "/((a{100}){100}){100}/", "(", "/", ""],
    });
    vault.write(".obsidian/app.json", &filters.to_string());
    let outcome = vault.run(["-q", "index"]).raw();
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.stdout, "200 notes: 200 added\n");
    assert!(
        started.elapsed() < Duration::from_secs(300),
        "{:?}",
        started.elapsed()
    );
}

/// Returns the characters of `text` that a terminal would interpret.
fn acted_on(text: &str) -> Vec<char> {
    let is_direction = |c| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .filter(|&c| (c.is_control() && !matches!(c, '\n' | '\t')) || is_direction(c))
        .collect()
}

#[test]
fn control_characters_are_sanitised() {
    const CONTROLS: &str = "\u{1b}[31m\u{1b}]52;c;aGk=\u{7}\u{9b}2J\u{202e}\u{2066}\u{8}";
    // Characters that YAML accepts only as escapes.
    const ESCAPED: &str = r"\e[31m\e]52;c;aGk=\a\u009b2J\u202e\u2066\b";
    let vault = TestVault::from("messy");
    let text = format!(
        "---\ntitle: \"Key {ESCAPED}\"\naliases: [\"Alias {ESCAPED}\"]\ntags: [\"tag{ESCAPED}\"]\n\
         status: \"on {ESCAPED}\"\nrelated_to: \"[[Gone {CONTROLS}]]\"\n---\n\
         # Key {CONTROLS}\n\n{SAME} {CONTROLS} xylophone [[Gone {CONTROLS}]] [[b {CONTROLS}|x]]\n"
    );
    vault.write("a.md", &text);
    vault.write("b \u{202e}\u{2066}.md", &text);
    vault.write("c \u{1b}[31m\u{7}.md", &text);
    vault.write("front.md", &format!("---\ntitle: [{CONTROLS}\n---\n"));
    vault.write(
        ".mem/config.toml",
        &format!("[\"dedupe {ESCAPED}\"]\nx = 1\n").replace("\\a", "\\u0007"),
    );
    let more: [&[&str]; 20] = [
        &["recall", "xylophone"],
        &["search", "--vimgrep", "xylophone"],
        &["search", "--explain", "xylophone"],
        &["related", "a.md"],
        &["graph", "--format", "dot"],
        &["graph", "--format", "mermaid"],
        &["config"],
        &["list", "status:on"],
        &["search", CONTROLS],
        &["show", CONTROLS],
        &["edit", "a.md", "--set", "status=on"],
        &["edit", "b", "--set", &format!("status={CONTROLS}")],
        &["rm", "b", "--dry-run"],
        &["mv", "a.md", &format!("{CONTROLS}.md")],
        &["dedupe", "--dry-run", "--apply", "all"],
        &["sleep", "--all", "--dry-run", "-v"],
        &["list", "--tsv"],
        &["list", "--format", "{{ path }} {{ title }} {{ aliases }}"],
        &["search", "--mode", CONTROLS, "x"],
        &["list", &format!("--{CONTROLS}")],
    ];
    let mut seen = false;
    for arguments in more.iter().chain(&COMMANDS) {
        let outcome = vault.run(*arguments).raw();
        if arguments[..] == ["show", "a.md"] {
            assert!(outcome.stdout.contains(CONTROLS), "as `cat` gives it");
            continue;
        }
        seen |= outcome.stdout.contains("\\u{1b}");
        for text in [&outcome.stdout, &outcome.stderr] {
            let is_json = text.starts_with(['{', '[']);
            let acted_on = acted_on(text);
            assert!(
                is_json || acted_on.is_empty(),
                "{arguments:?}: {acted_on:?}"
            );
        }
    }
    assert!(seen);
}

//! `mem show`

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{Link, Show};
use crate::support::terminal::Terminal;

#[test]
fn note_is_printed_byte_for_byte() {
    let vault = TestVault::indexed("sample");
    let sourdough = std::fs::read_to_string(vault.path("recipes/Sourdough.md")).unwrap();
    assert!(sourdough.contains("\r\n"));
    for name in [
        "recipes/Sourdough.md",
        "recipes/Sourdough",
        "Sourdough",
        "sourdough",
        "Sourd",
    ] {
        vault.run(["show", name]).stdout(sourdough.clone()).code(0);
    }
    let by = |name: &str| vault.run(["show", name]).raw();
    assert!(by("[[Start]]").stdout.contains("\n# Home\n"));
    assert!(by("brewing temperatures").stdout.contains("gyokuro"));
    assert!(
        by("01KKQ4B6N1F3H5K7M9P2R4T6VX")
            .stdout
            .contains("batches of twenty gardens")
    );
    let messy = TestVault::indexed("messy");
    messy
        .run(["show", "--", "-dash"])
        .stdout(expect!["A name that looks like a flag."])
        .code(0);
}

#[test]
fn relative_paths_and_links_resolve() {
    let vault = TestVault::indexed("sample");
    std::os::unix::fs::symlink("garden/Tomatoes.md", vault.path("red.md")).unwrap();
    let [near, far] = ["garden/2025/Tomatoes.md", "garden/Tomatoes.md"]
        .map(|note| std::fs::read_to_string(vault.path(note)).unwrap());
    let inside = vault.path("garden/2025");
    for (folder, name, text) in [
        ("garden/2025", "Tomatoes.md", &near),
        ("garden/2025", "../Tomatoes.md", &far),
        ("garden/2025", "garden/Tomatoes.md", &far),
        ("garden", "2025/Tomatoes.md", &near),
        ("", "red.md", &far),
        (
            "garden",
            inside.join("Tomatoes.md").to_str().unwrap(),
            &near,
        ),
    ] {
        let folder = vault.path(folder);
        let folder = folder.to_str().unwrap();
        vault
            .run(["-C", folder, "show", name])
            .stdout(text.clone())
            .code(0);
    }
}

#[test]
fn ambiguous_names_are_not_guessed() {
    let vault = TestVault::indexed("sample");
    // With `-q` there is no prompt.
    let mut terminal = Terminal::start(&vault, [80, 24], &["-q", "show", "Tomatoes"]);
    assert_eq!(terminal.end(), 2);
    let screen = terminal.contents();
    assert!(
        screen.starts_with("error: `Tomatoes` matches 2 notes"),
        "{screen}"
    );
    vault
        .run(["show", "Tomatoes"])
        .stderr(expect![[r#"
            error: `Tomatoes` matches 2 notes
            hint: use its path:
            hint:   garden/2025/Tomatoes.md
            hint:   garden/Tomatoes.md
        "#]])
        .code(2);
    vault
        .run(["show", "Zucchini"])
        .stderr(expect![[r#"
            error: no note matches `Zucchini`
            hint: search the notes with `mem search Zucchini`
        "#]])
        .code(2);
    let failure = vault.run(["--json", "show", "Zucchini"]).failure();
    assert_eq!(failure.message, "no note matches `Zucchini`");
    assert_eq!(
        failure.hints,
        ["search the notes with `mem search Zucchini`"]
    );
}

#[test]
fn unquoted_title_is_recognised() {
    let vault = TestVault::of([("Green tea.md", "Sencha.\n")]);
    for (words, tip) in [
        (
            &["show", "Green", "tea"][..],
            "quote a title of several words: `mem show 'Green tea'`",
        ),
        (&["status", "Green"], ""),
        (&["show", "Green", "tea", "--nonsense"], ""),
    ] {
        let ended = vault.run(words).raw();
        assert_eq!(ended.code, 2, "{words:?}");
        assert_eq!(
            ended.stderr.contains("quote a title"),
            !tip.is_empty(),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains(tip), "{}", ended.stderr);
    }
}

#[test]
fn names_are_found_in_all_forms() {
    let vault = TestVault::of([
        ("eips/eip-1559.md", "# Fee market\n\nA base fee.\n"),
        ("eips/eip-15.md", "# Another\n"),
        ("2024-05-12.md", "A day.\n"),
        ("zero sum.md", "A game.\n"),
    ]);
    for (name, path) in [
        ("1559", "eips/eip-1559.md"),
        ("EIP1559", "eips/eip-1559.md"),
        ("15", "eips/eip-15.md"),
        ("Zero-Sum", "zero sum.md"),
        ("zerosum", "zero sum.md"),
        ("2024-05", "2024-05-12.md"),
    ] {
        let shown: Show = vault.run(["show", "--json", name]).json(0);
        assert_eq!(shown.path, path, "{name}");
    }
    // A day is not the number of a name.
    assert_eq!(
        vault.run(["--json", "show", "12"]).failure().message,
        "no note matches `12`"
    );
}

#[test]
fn records_are_complete() {
    let vault = TestVault::indexed("sample");
    let note: Show = vault.run(["show", "--json", "Reminder job"]).json(0);
    assert_eq!(note.path, "agents/Reminder job runs at 05.30 UTC.md");
    assert_eq!(note.title, "Reminder job runs at 05:30 UTC");
    assert_eq!(note.id.as_deref(), Some("01KKQ4B6N1F3H5K7M9P2R4T6VX"));
    assert_eq!(
        (note.r#type.as_deref(), note.space.as_deref()),
        (Some("fact"), Some("seedlist"))
    );
    assert_eq!((note.tier.as_str(), note.managed), ("working", true));
    assert_eq!(
        (note.created.as_str(), note.words),
        ("2026-03-13T14:20:00Z", 29)
    );
    assert_eq!(note.tags, ["cron", "reminders"]);
    assert_eq!(note.problem, None);
    let keys: Vec<&str> = note.properties.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "caused_by",
            "created",
            "id",
            "mem",
            "space",
            "tags",
            "title",
            "type"
        ]
    );
    assert!(
        note.body.starts_with("The reminder job of Seedlist"),
        "{}",
        note.body
    );
    assert_eq!(
        note.links,
        [Link {
            path: "work/Incident 2026-02-11.md".to_owned(),
            relation: Some("caused_by".to_owned())
        }]
    );
    assert_eq!(note.backlinks, Vec::<String>::new());
}

#[test]
fn binary_files_and_typos_are_reported() {
    let vault = TestVault::empty();
    vault.write("Agency.md", "x\n");
    vault.write("agentic.md", "x\n");
    std::fs::write(vault.path("cafe.md"), b"caf\xe9\n").unwrap();
    vault.run(["-q", "index"]).raw();
    vault
        .run(["show", "cafe.md"])
        .stderr(expect![[r#"
            error: `cafe.md` is not UTF-8 text (byte 3)
        "#]])
        .code(2);
    for name in ["agensy", "agencie"] {
        let shown = vault.run(["show", name]).raw();
        assert!(
            shown.stderr.ends_with("did you mean `Agency`?\n"),
            "{}",
            shown.stderr
        );
    }
}

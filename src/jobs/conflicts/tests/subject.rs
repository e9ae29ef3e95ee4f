//! Two notes disagree only if they are about the same.

use super::*;

/// They differ in a number, and in much else.
const TRIP: &str = "The long trip to the lake with Ann lasts 3 days in June.";
const WALK: &str = "The long walk by the river with Paul lasts 5 days and needs a tent.";

/// Each is one subject, or two.
#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn only_notes_about_the_same_disagree() {
    for (case, notes, expected) in [
        (
            "one subject",
            vec![
                ("a/gate.md", "# Gate\nThe gate listens on port 8080."),
                ("b/gate.md", "# Gate\nThe gate listens on port 9090."),
            ],
            vec!["gate >< gate"],
        ),
        (
            "sentences that share little but what is counted",
            vec![("1.md", TRIP), ("2.md", WALK)],
            vec![],
        ),
        (
            "titles that say the same as the notes",
            vec![
                ("a.md", "# Uses port 8080 now\nThe gate uses port 8080 now."),
                ("b.md", "# Uses port 9090 now\nThe gate uses port 9090 now."),
            ],
            vec!["a >< b"],
        ),
        (
            "two things of a kind",
            vec![
                ("a.md", "# Abacus\n- **Weight**: 2.0 pounds"),
                ("b.md", "# Amulet\n- **Weight**: 1.0 pounds"),
            ],
            vec![],
        ),
        (
            "what two things are",
            vec![
                ("a.md", "# Map Merge\nMap Merge is a tool for merging maps."),
                ("b.md", "# Map Maker\nMap Maker is a viewer in the browser."),
            ],
            vec![],
        ),
        (
            "a kind and one of it",
            vec![
                (
                    "a.md",
                    "# Potion of Healing\nYou regain 4 points when you drink it.",
                ),
                (
                    "b.md",
                    "# Potion of Great Healing\nYou regain 8 points when you drink it.",
                ),
            ],
            vec![],
        ),
        (
            "two of a series",
            vec![
                ("a.md", "# +1 Wand\nThe wand adds 1 to each attack."),
                ("b.md", "# +2 Wand\nThe wand adds 2 to each attack."),
            ],
            vec![],
        ),
        (
            "two days",
            vec![
                ("2026-03-01.md", "Slept for 7 hours this night."),
                ("2026-03-02.md", "Slept for 6 hours this night."),
            ],
            vec![],
        ),
        (
            "a label is nobody",
            vec![
                (
                    "a.md",
                    "# Ring\nA ring.\n\n- **Gain Bonus**: it adds 1 point",
                ),
                (
                    "b.md",
                    "# Belt\nA belt.\n\n- **Gain Bonus**: it adds 3 points",
                ),
            ],
            vec![],
        ),
        (
            "a form that many fill in",
            vec![
                (
                    "a/meeting.md",
                    "# Meeting\nThere were 4 guests at the table.",
                ),
                (
                    "b/meeting.md",
                    "# Meeting\nThere were 5 guests at the table.",
                ),
                (
                    "c/meeting.md",
                    "# Meeting\nThere were 6 guests at the table.",
                ),
                (
                    "d/meeting.md",
                    "# Meeting\nThere were 7 guests at the table.",
                ),
            ],
            vec![],
        ),
    ] {
        let scene = Scene::new(notes);
        let found = scene.found(&Options::default());
        assert_eq!(shown(&found), expected, "{case}");
    }
}

#[test]
fn an_agent_calls_one_thing_by_two_titles() {
    let note = |title: &str, port: u16| {
        format!(
            "---\ntitle: {title}\nmem: {{by: claude, seal: '0000000000000000'}}\n---\n\
             The gateway listens on port {port}.\n"
        )
    };
    let notes = [note("Gateway", 8080), note("Settings", 9090)];
    let by_agents = notes.clone().map(|text| seal::reseal(&text));
    for (case, [first, second], expected) in [
        ("agents", by_agents, &["a >< b"][..]),
        ("edited by a person", notes, &[]),
    ] {
        let scene = Scene::new([("a.md", first), ("b.md", second)]);
        assert_eq!(shown(&scene.found(&Options::default())), expected, "{case}");
    }
}

/// A sentence of a long note, beside one of another.
#[test]
fn long_notes_disagree_only_by_what_they_say_to_have_changed() {
    let filler =
        "The rest of this page tells of the weather, of birds on wires and of long walks. ";
    let long = |title: &str, text: &str| format!("# {title}\n{text}\n\n{}", filler.repeat(5));
    for (case, [title, text], [other, beside], expected) in [
        (
            "the subject of the other",
            ["March", "We moved the billing from SQLite to Postgres."],
            ["Billing", "It uses SQLite, one file."],
            true,
        ),
        (
            "its own subject",
            ["Billing", "We moved from SQLite to Postgres."],
            ["Services", "The billing uses SQLite."],
            true,
        ),
        (
            "another subject",
            ["March", "We moved the billing from SQLite to Postgres."],
            ["Search", "The search uses SQLite."],
            false,
        ),
        (
            "how things work",
            [
                "Billing",
                "The billing file is replaced by the copy of SQLite.",
            ],
            ["Copies", "A billing file is kept for a year."],
            false,
        ),
        (
            "what to do",
            [
                "Changes",
                "Wait for changes of the billing from the remote vault to the local one.",
            ],
            ["Billing", "The remote vault holds changes of the billing."],
            false,
        ),
        (
            "numbers",
            [
                "Billing",
                "The billing listens on port 8080. The garden fence is green.",
            ],
            ["Billing", "The billing listens on port 9090."],
            false,
        ),
        (
            "all the same but for a number",
            ["Billing", "The billing listens on port 8080."],
            ["Billing", "The billing listens on port 9090."],
            true,
        ),
        (
            "denials",
            ["Billing", "The billing is not a part of the shop."],
            ["Billing", "The billing is a part of the shop."],
            false,
        ),
    ] {
        let scene = Scene::new([("a.md", long(title, text)), ("b.md", long(other, beside))]);
        let found = scene.found(&Options::default());
        assert_eq!(found.len(), usize::from(expected), "{case}: {found:?}");
    }
}

/// What people write of the world, of examples and of other things leaves their notes as they are.
#[test]
fn a_change_of_something_else_replaces_no_note() {
    let filler =
        "The rest of this page tells of the weather, of birds on wires and of long walks. ";
    for (text, beside, expected) in [
        (
            "TLS (Transport Layer Security) replaced SSL (Secure Sockets Layer), which is deprecated.",
            "SSL, SSH, IMAP and FTP are protocols of the network.",
            false,
        ),
        (
            "Modern consumer PCs have largely replaced serial ports with USB.",
            "Serial ports carry one bit at a time over a cable.",
            false,
        ),
        (
            "Windows 95 was replaced by Windows 98.",
            "Windows 95 has a start menu.",
            false,
        ),
        (
            "In the second case we will have to push, since we replaced Main with a fresh one.",
            "Main has the history of all commits.",
            false,
        ),
        (
            "We moved the billing from SQLite to Postgres.",
            "The search uses SQLite.",
            false,
        ),
        (
            "Our team moved from Berlin to Hamburg.",
            "Berlin has a good zoo.",
            false,
        ),
        (
            "We moved the billing from SQLite to Postgres.",
            "The billing uses SQLite.",
            true,
        ),
        (
            "We moved from Berlin to Hamburg.",
            "We live in Berlin.",
            true,
        ),
    ] {
        for rest in [String::new(), filler.repeat(5)] {
            let [a, b] = [text, beside].map(|text| format!("{text}\n\n{rest}"));
            let scene = Scene::new([("a.md", a), ("b.md", b)]);
            let found = scene.found(&Options::default());
            assert!(expected || found.is_empty(), "{text} / {beside}: {found:?}");
            let is_brief = rest.is_empty();
            assert!(
                !expected || !is_brief || found.len() == 1,
                "{text} / {beside}: {found:?}"
            );
        }
    }
}

#[test]
fn notes_that_state_nothing_themselves_contradict_none() {
    let form = "# Plan\n\nWe switched from SQLite to Postgres for the billing service.\n";
    let older = "We use SQLite for the billing service.\n";
    for (case, notes, expected) in [
        ("a note", vec![("a.md", form), ("b.md", older)], 1),
        (
            "a template",
            vec![("Templates/a.md", form), ("b.md", older)],
            0,
        ),
        (
            "headings",
            vec![
                ("a.md", "# We switched from SQLite to Postgres\n"),
                ("b.md", older),
            ],
            0,
        ),
    ] {
        let scene = Scene::new(notes);
        let found = scene.found(&Options::default());
        assert_eq!(found.len(), expected, "{case}: {found:?}");
    }
}

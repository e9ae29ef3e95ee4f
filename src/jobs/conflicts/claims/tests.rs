//! Tests that only explicit claims are recorded unasked.

use super::paragraphs;
use crate::finding::Finding;
use crate::jobs::conflicts::ConflictsOptions;
use crate::jobs::conflicts::tests::{dated, shown};
use crate::note::front_matter::seal;
use crate::note::markdown::document::Document;
use crate::note::markdown::tests::{Texts, Truth, meets};
use crate::view::tests::IndexedVault;

/// Older and newer statements, grouped by the reason why the newer one does not replace the older.
const NOTHING: &[(&str, &[(&str, &str)])] = &[
    (
        "another subject",
        &[
            (
                "The reporting job reads from Redis.",
                "We migrated the login service from Redis to Postgres.",
            ),
            (
                "Tomas trains in the blue gym on Tuesdays.",
                "Irene switched from the blue gym to the pool.",
            ),
            (
                "The bakery on the corner opens at 6.",
                "The pharmacy moved its opening from 6 to 8.",
            ),
            (
                "The kitchen floor is oak.",
                "We replaced the oak floor of the hall with slate.",
            ),
            (
                "Our Lyon office uses Slack.",
                "Our Madrid office switched from Slack to Zulip.",
            ),
            (
                "The choir rehearses in the chapel.",
                "The orchestra moved from the chapel to the school hall.",
            ),
            (
                "Lina takes 20 mg of the blood pressure tablet.",
                "Otto went from 20 mg to 40 mg of his blood pressure tablet.",
            ),
            (
                "The staging cluster has 3 nodes.",
                "The build cluster grew from 3 nodes to 9.",
            ),
        ],
    ),
    (
        "denied",
        &[
            (
                "The invoices are printed on paper.",
                "We did not switch the invoices from paper to mail.",
            ),
            (
                "The shop closes on Mondays.",
                "It is not true that the shop moved its closing day from Mondays to Sundays.",
            ),
            (
                "Vera leads the search team.",
                "Vera was never replaced by Jan as lead of the search team.",
            ),
            (
                "The bus to the lake is line 12.",
                "Nobody changed the bus to the lake from line 12 to line 9.",
            ),
            ("The gate code is 4410.", "We will not replace [[old]]."),
            ("The gate code is 4410.", "This does not replace [[old]]."),
            (
                "The gate code is 4410.",
                "This note is not superseded by [[old]].",
            ),
            ("The gate code is 4410.", "[[old]] is still in force."),
        ],
    ),
    (
        "hypothetical, planned or dreamt",
        &[
            (
                "The parser is written in Java.",
                "If we rewrote the parser from Java in Rust, it would be faster.",
            ),
            (
                "Grandma lives in Porto.",
                "I dreamt that grandma moved from Porto to the moon.",
            ),
            (
                "The van runs on diesel.",
                "Next year we may switch the van from diesel to electric.",
            ),
            (
                "The club meets in the tavern.",
                "Suppose the club moved from the tavern to the library.",
            ),
            (
                "The deadline is 3 May.",
                "They want to move the deadline from 3 May to 10 May.",
            ),
            (
                "The van runs on diesel.",
                "If the bank agrees. This replaces [[old]].",
            ),
            (
                "The van runs on diesel.",
                "I dreamt it all. This replaces [[old]].",
            ),
            (
                "The van runs on diesel.",
                "This replaces [[old]] once the bank agrees.",
            ),
            ("The van runs on diesel.", "Should this replace [[old]]?"),
            (
                "The van runs on diesel.",
                "Could be electric. Replaces [[old]].",
            ),
            ("The van runs on diesel.", "# Proposal\n\nReplaces [[old]]."),
            ("The van runs on diesel.", "Idea: replaces [[old]]."),
            (
                "The van runs on diesel.",
                "---\nstatus: draft\nreplaces: \"[[old]]\"\n---\nElectric.",
            ),
        ],
    ),
    (
        "quoted",
        &[
            (
                "The museum is free.",
                "The brochure says \"we switched from free entry to tickets\".",
            ),
            (
                "Milo plays the oboe.",
                "> Milo switched from the oboe to the flute.\n\nA line from the old play.",
            ),
            ("The museum is free.", "> Replaces [[old]]."),
            (
                "The museum is free.",
                "The letter began: \"This replaces [[old]]\".",
            ),
            ("The museum is free.", "```\nReplaces [[old]].\n```"),
            ("The museum is free.", "    Replaces [[old]]."),
            (
                "The museum is free.",
                "Template of a line:\n\nReplaces [[old]].",
            ),
            (
                "The museum is free.",
                "<details>\n\nReplaces [[old]].\n\n</details>",
            ),
            ("The museum is free.", "<!--\n\nReplaces [[old]].\n\n-->"),
            ("The museum is free.", "`Replaces [[old]].`"),
        ],
    ),
    (
        "struck",
        &[
            (
                "The alarm rings at 7.",
                "~~We moved the alarm from 7 to 6.~~",
            ),
            (
                "The alarm rings at 7.",
                "The alarm ~~was moved from 7 to 6~~ stays.",
            ),
            ("The alarm rings at 7.", "~~Replaces [[old]].~~"),
            (
                "The alarm rings at 7.",
                "~~We get up early.\nReplaces [[old]].~~",
            ),
            ("The alarm rings at 7.", "Replaces ~~[[old]]~~."),
        ],
    ),
    (
        "an open task",
        &[
            (
                "The router runs the old firmware.",
                "- [ ] switch the router from the old firmware to OpenWrt",
            ),
            (
                "Rent is paid from the savings account.",
                "TODO: move the rent from the savings account to the joint one.",
            ),
            ("The router runs the old firmware.", "- [ ] replace [[old]]"),
            (
                "The router runs the old firmware.",
                "- [ ] This note replaces [[old]]",
            ),
            (
                "The router runs the old firmware.",
                "TODO: replaces [[old]].",
            ),
            ("The router runs the old firmware.", "- Replaces [[old]]."),
            (
                "The router runs the old firmware.",
                "# Log\n\nQuiet.\n\n## Plan\n\nReplaces [[old]].",
            ),
        ],
    ),
    (
        "partial",
        &[
            (
                "All our servers run Debian.",
                "On the test machine only, we switched from Debian to Arch.",
            ),
            (
                "The whole choir wears black.",
                "For the summer concert the choir changed from black to white.",
            ),
            (
                "The farm grows wheat on both fields.",
                "We switched the north field from wheat to rye.",
            ),
            (
                "Deliveries come on Fridays.",
                "During the strike deliveries moved from Fridays to Mondays.",
            ),
            (
                "All our servers run Debian.",
                "This replaces [[old]] on the test machine.",
            ),
            (
                "All our servers run Debian.",
                "This partly replaces [[old]].",
            ),
            (
                "All our servers run Debian.",
                "This replaces [[old#Kernel]].",
            ),
            (
                "All our servers run Debian.",
                "Replaces [[old]]. Still true for the archive.",
            ),
            (
                "All our servers run Debian.",
                "Replaces [[old]].\n\n[[old]] holds on the archive host.",
            ),
        ],
    ),
    (
        "taken back",
        &[
            (
                "Lessons are held in room 4.",
                "We moved the lessons from room 4 to room 7, but went back the same day.",
            ),
            (
                "Paul drives the red car.",
                "Paul switched from the red car to the bus, no, that was Peter.",
            ),
            (
                "The server listens on port 80.",
                "Changed the server from port 80 to port 90 and reverted it at once.",
            ),
            (
                "Lessons are held in room 4.",
                "This replaces [[old]], no, it does not.",
            ),
            (
                "Lessons are held in room 4.",
                "This replaces [[old]]. That was wrong.",
            ),
            (
                "Lessons are held in room 4.",
                "Replaces [[old]]. We went back the same day.",
            ),
        ],
    ),
    (
        "a mere mention of the old value",
        &[
            (
                "Lisbon has steep streets.",
                "Our team moved from Lisbon to Turin.",
            ),
            (
                "Kafka keeps messages in partitions.",
                "We switched from Kafka to NATS.",
            ),
            (
                "Goat cheese goes well with honey.",
                "Nora switched from goat cheese to tofu.",
            ),
            (
                "Bridge needs four players.",
                "The club switched from bridge to chess.",
            ),
            (
                "Oak burns slowly.",
                "We changed the shelf from oak to pine.",
            ),
            (
                "The gate code is 4410.",
                "Read [[old]] before you replace the lock.",
            ),
            (
                "The gate code is 4410.",
                "The new lock replaces the one of [[old]].",
            ),
            ("The gate code is 4410.", "It replaces [[old]]."),
        ],
    ),
    (
        "a claim that is withdrawn or not the writer's",
        &[
            (
                "The fee is 200 euros.",
                "# Variant B (rejected)\n\nReplaces [[old]]. 230 euros.",
            ),
            (
                "The fee is 200 euros.",
                "## Rejected\n\nReplaces [[old]]. 230 euros.",
            ),
            ("The fee is 200 euros.", "Retracted. Replaces [[old]]."),
            ("The fee is 200 euros.", "Test, ignore. Replaces [[old]]."),
            (
                "The fee is 200 euros.",
                "230 euros. Replaces [[old]].\n\nNot adopted.",
            ),
            (
                "The fee is 200 euros.",
                "230 euros. Replaces [[old]].\n\nWe did not take the offer.",
            ),
            (
                "The camp is by the lake.",
                "In my novel, the camp is on the moon. Replaces [[old]].",
            ),
            ("The fee is 200 euros.", "Entwurf. Replaces [[old]]."),
            (
                "The fee is 200 euros.",
                "---\ntags: idea\n---\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "---\ntype: question\n---\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "---\ndraft: true\n---\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "Effective 1 March 2199. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "# Template\n\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "# Questions\n\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "---\nstatus: obsolete\n---\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "---\nconfidence: 0.1\n---\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "---\nvalid_from: 2199-01-01\n---\n230 euros. Replaces [[old]].",
            ),
            (
                "The fee is 200 euros.",
                "---\nvalid_until: 2026-01-31\n---\n230 euros. Replaces [[old]].",
            ),
        ],
    ),
    (
        "a word of change without a name",
        &[
            (
                "We use Mercurial for the firmware.",
                "We switched from Mercurial to Git for the firmware.",
            ),
            (
                "The firmware is built with make.",
                "The firmware is no longer built with make.",
            ),
            (
                "Chose Vagrant for the firmware.",
                "We replaced Vagrant with Nix for the firmware.",
            ),
        ],
    ),
];

/// Returns the findings for an older and a newer statement of an agent.
fn found(old: &str, new: &str) -> Vec<Finding> {
    let managed = |day: &str, text: &str| {
        let (matter, body) = match text.strip_prefix("---\n") {
            Some(text) => text.split_once("---\n").unwrap(),
            None => ("", text),
        };
        let by = "mem:\n  by: agent\n";
        seal::reseal(&dated(day, &format!("{matter}{by}"), body))
    };
    let scene = IndexedVault::new([
        ("old.md", managed("2026-01-10", old)),
        ("new.md", managed("2026-05-20", new)),
    ]);
    scene.found(&ConflictsOptions::default())
}

#[test]
fn only_named_replacements_are_recorded_unasked() {
    let mut pairs = 0;
    for (class, statements) in NOTHING {
        for (old, new) in *statements {
            let found = found(old, new);
            let is_certain = found.iter().any(|finding| finding.certain);
            assert!(!is_certain, "{class}: {old} / {new}: {found:#?}");
            pairs += 1;
        }
    }
    assert!(pairs >= 60, "{pairs}");
}

#[test]
fn what_is_not_stated_is_no_claim() {
    for new in [
        "> Replaces [[old]].",
        "> Diese Notiz ersetzt [[old]].",
        "~~Ersetzt [[old]].~~",
        "Das ersetzt [[old]] nicht.",
        "- [ ] Questa nota sostituisce [[old]]",
        "Entwurf: ersetzt [[old]].",
        "# Borrador\n\nReemplaza [[old]].",
        "---\ntags: [draft]\n---\nReplaces [[old]].",
        "---\nstatus: draft\nreplaces: \"[[old]]\"\n---\nWe walk.",
    ] {
        let found = found("The gate code is 4410 today.", new);
        assert!(found.is_empty(), "{new}: {found:#?}");
    }
}

#[test]
fn named_replacements_are_certain() {
    for (old, new) in [
        ("Run.", "This replaces [[old]]."),
        ("Run.", "This note supersedes [[old|the first one]]."),
        ("Run.", "We walk to the lake. Replaces [[old]]."),
        (
            "Run.",
            "We walk to the lake now.\n\nThis fully replaces [that note](old.md).",
        ),
        ("Run.", "# Walk\n\nWe walk on Sundays. Obsoletes [[old]]."),
        ("Run.", "Status: replaces [[old]]."),
        (
            "Run.",
            "---\ntitle: Replaces [[old]].\n---\nReplaces [[old]].",
        ),
        ("Run.", "**Supersedes:** [[old]]"),
        ("Run.", "---\nreplaces: \"[[old]]\"\n---\nWe walk."),
        ("Run.", "---\nsupersedes: old.md\n---\nWe walk."),
        ("# Swim\nWe swim.", "This replaces \"Swim\"."),
        ("# Swim\nWe swim.", "We walk every day. Replaces 'Swim'."),
        ("Run.", "We walk every day. Replaces old.md."),
        (
            "# Plan Alpha\nWe swim.",
            "# Plan Beta\nWe walk every day.\n\nReplaces [[old]].",
        ),
        (
            "# Run to the lake\nWe run.",
            "This replaces Run to the lake.",
        ),
        (
            "---\nid: 01KEKJ4HM0XSV2M8DZWWT8VEY0\n---\nRun.",
            "Replaces 01KEKJ4HM0XSV2M8DZWWT8VEY0.",
        ),
    ] {
        assert_eq!(shown(&found(old, new)), ["new <- old!"], "{old} / {new}");
    }
}

/// A correction may concern a part of the note, and words of doubt are known for English only.
#[test]
fn stated_corrections_are_questions() {
    for new in [
        "This note corrects [[old]].",
        "Corrects [[old]]: it is 81.",
        "[[old]] used to say 80.",
        "Diese Notiz korrigiert [[old]].",
        "Berichtigt [[old]].",
        "Corrige a [[old]].",
        "Reemplaza [[old]].",
        "Sustituye [[old]].",
        "Esta nota sustituye a [[old]].",
        "Cette note remplace [[old]].",
        "Questa nota corregge [[old]].",
        "Esta nota substitui [[old]].",
    ] {
        let found = found("The gate code is 4410 today.", new);
        assert_eq!(shown(&found), ["new <- old"], "{new}");
    }
}

/// Any words after the claim can take it back, and so can a remark before it.
#[test]
fn claims_with_remarks_are_questions() {
    for new in [
        "Replaces [[old]]. The council overruled this a day later.",
        "Replaces [[old]]. Outvoted.",
        "Replaces [[old]].\n\nThe green one stays for now.",
        "Replaces [[old]].\n\n- Both apply.",
        "Replaces [[old]].\n\n## Later\n\nThe judge annulled it.",
        "Vetoed. Replaces [[old]].",
        "Ask Tom first.\n\nReplaces [[old]].",
    ] {
        let found = found("The gate code is 4410 today.", new);
        assert_eq!(shown(&found), ["new <- old"], "{new}");
    }
}

/// A common word that is also a title does not refer to a note, and a claim in the older note is never certain.
#[test]
fn titles_and_claims_in_older_notes_are_not_certain() {
    for (old, new) in [
        ("Superseded by [[new]].", "Walk."),
        ("# Running\nWe run.", "This replaces Running."),
        ("# Night Run\nWe run.", "This replaces Night Run."),
        (
            "# Night run in May\nWe run.",
            "This replaces night run in may.",
        ),
    ] {
        let found = found(old, new);
        assert!(
            found.iter().all(|finding| !finding.certain),
            "{old} / {new}"
        );
    }
}

#[test]
fn a_title_of_several_notes_is_a_question() {
    let text = |day: &str, body: &str| seal::reseal(&dated(day, "mem:\n  by: agent\n", body));
    let scene = IndexedVault::new([
        ("a/one.md", text("2026-01-10", "# Swim\nWe swim.")),
        ("b/two.md", text("2026-01-11", "# Swim\nGate code.")),
        (
            "new.md",
            text("2026-05-20", "We walk every day. Replaces 'Swim'."),
        ),
    ]);
    let found = scene.found(&ConflictsOptions::default());
    assert_eq!(shown(&found), ["new <- one"]);
}

#[test]
fn code_contains_no_claims() {
    for text in Texts::all() {
        let code = Truth::of(&Document::of_body(&text)).code;
        for (start, paragraph) in paragraphs(&Document::of_body(&text)) {
            assert!(
                !meets(&code, &(start..start + 1)),
                "{paragraph:?} in {text:?}"
            );
        }
    }
}

#[test]
fn word_lists_parse_completely() {
    let list = "newer older reasons verbs ended over self pronouns auxiliary labels doubt taken_back withdrawals fiction undecided one_of parts";
    let names: Vec<&str> = list.split(' ').collect();
    super::lists::assert_read_whole(super::LISTS_TEXT, &names);
    assert_eq!(
        super::VERBS
            .iter()
            .filter(|verb| verb.is_newer && verb.is_definite)
            .count(),
        3
    );
}

//! `mem link`

use expect_test::expect;

use crate::support::TestVault;
use crate::support::records::{NoteGraph, Question, RelatedReply};

const FIRST: &str =
    "The billing service keeps its data in a Postgres database that is backed up at night.";
const SECOND: &str =
    "Nightly backups of the billing service's Postgres database are kept for a month.";
const OTHER: &str =
    "Practise the violin slowly, scales first, then the difficult bars of the sonata.";

/// Two related notes, the second written later, and an unrelated one.
fn vault() -> TestVault {
    let vault = TestVault::empty();
    for (now, title, text) in [
        ("2026-03-01T12:00:00Z", "Billing data", FIRST),
        ("2026-03-02T12:00:00Z", "Backups", SECOND),
        ("2026-03-03T12:00:00Z", "Violin", OTHER),
    ] {
        vault
            .command([
                "remember", text, "--title", title, "--tag", "notes", "--quiet",
            ])
            .env("MEM_NOW", now)
            .run()
            .raw();
    }
    vault
}

#[test]
fn related_notes_are_linked() {
    let vault = vault();
    let before = vault.tree();
    vault
        .run(["link"])
        .stdout(expect![[r#"
            linked backups.md to billing-data.md
              reason: cosine 0.76, both tagged #notes
        "#]])
        .stderr(expect!["hint: undo with `mem undo 7580`"])
        .code(0);
    assert_eq!(before.changes(&vault.tree()), ["~ backups.md"]);
    assert!(
        vault
            .read("backups.md")
            .contains("\nrelated_to: [\"[[billing-data]]\"]\n")
    );
    vault
        .run(["graph", "Billing data"])
        .stdout(expect![[r#"
            billing-data.md  Billing data
              -related_to-> backups.md  Backups  0.76  "cosine 0.76, both tagged #notes" (link)
        "#]])
        .code(0);
    vault
        .run(["link", "--full"])
        .stdout(expect!["nothing to link"])
        .code(0);
    let related: RelatedReply = vault.run(["related", "--json", "Backups"]).json(0);
    assert_eq!(related.links[0].relation.as_deref(), Some("related_to"));

    // An undo counts as a "no".
    vault.run(["undo"]).raw();
    assert_eq!(before.changes(&vault.tree()), [""; 0]);
    vault
        .run(["link", "--full"])
        .stdout(expect!["nothing to link"])
        .code(0);
}

#[test]
fn removed_relation_becomes_a_question() {
    let vault = vault();
    vault.run(["link"]).raw();
    let text = vault.read("backups.md");
    vault.write(
        "backups.md",
        &text.replace("related_to: [\"[[billing-data]]\"]\n", ""),
    );
    vault
        .run(["link", "--apply", "all"])
        .stdout(expect![[r#"
            37593f3c Link backups.md to billing-data.md? (cosine 0.76, both tagged #notes; related_to was stated on 2026-04-01 and removed since)
        "#]])
        .stderr(expect![[r#"
            hint: answer with `mem review --kind link --kind mention`
        "#]])
        .code(0);
    let questions: Vec<Question> = vault.run(["review", "--jsonl", "--all"]).jsonl(0);
    let question = questions
        .iter()
        .find(|question| question.kind == "link")
        .unwrap();
    assert!(!question.certain);
    vault.run(["review", "reject", &question.id]).raw();
    vault
        .run(["link", "--full", "--apply", "all"])
        .stdout(expect!["nothing to link"])
        .code(0);
}

#[test]
fn specific_relation_replaces_related_to() {
    let vault = vault();
    vault.run(["link", "--apply", "none"]).raw();
    let questions: Vec<Question> = vault.run(["review", "--jsonl", "--all"]).jsonl(0);
    let question = questions
        .iter()
        .find(|question| question.kind == "link")
        .unwrap();
    assert!(question.certain);
    vault.run(["link"]).raw();
    // An agent answers the same question with a more specific relation.
    let answer = format!("{{\"id\":\"{}\",\"answer\":\"depends_on\"}}\n", question.id);
    vault
        .command(["review", "--apply", "-"])
        .stdin(&answer)
        .run()
        .raw();
    let graph: NoteGraph = vault.run(["graph", "--json"]).json(0);
    let relations: Vec<&str> = graph
        .edges
        .iter()
        .filter_map(|edge| edge.relation.as_deref())
        .collect();
    assert!(relations.len() == 1, "{relations:?}");
}

#[test]
fn mentions_are_proposed_as_links() {
    let vault = TestVault::of([
        ("Water temperature.md", "Eighty degrees.\n"),
        (
            "Kyoto.md",
            "---\naliases: [The old capital]\n---\nIn November.\n",
        ),
        (
            "plan.md",
            "## In Kyoto\r\n\r\nTo Kyoto, the old capital;\r\nmind the *water temperature*.\r\n",
        ),
    ]);
    vault.run(["link", "--apply", "all"]).raw();
    let questions: Vec<Question> = vault.run(["review", "--jsonl", "--all"]).jsonl(0);
    let shown: Vec<_> = questions
        .iter()
        .map(|question| (question.question.as_str(), question.reason.as_str()))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "Link \"Kyoto\" in plan.md to Kyoto.md?",
                "text: \"To Kyoto, the old capital;\""
            ),
            (
                "Link \"water temperature\" in plan.md to Water temperature.md?",
                "text: \"mind the *water temperature*.\""
            ),
        ]
    );
    vault
        .run(["review", "accept", "--all", "--min-chance", "0"])
        .raw();
    vault.assert_text(
        "plan.md",
        expect![[r#"
        ## In Kyoto␍
        ␍
        To [[Kyoto]], the old capital;␍
        mind the *[[water temperature]]*.␍
    "#]],
    );
    // A body link has no author.
    vault
        .run(["graph", "--by", "link"])
        .stderr(expect!["no such links or relations between notes"])
        .code(1);
}

#[test]
fn single_link_label_is_not_a_name() {
    let vault = TestVault::empty();
    vault.write("thoughts/agency.md", "To act by oneself.\n");
    vault.write("one.md", "We [[agency|choose]] freely, by [[agency]].\n");
    vault.write("two.md", "Of [[agency|free will]] much was said.\n");
    vault.write("three.md", "More on [[agency|free will]].\n");
    vault.write("result.md", "Here we need to choose between two.\n");
    vault.write("essay.md", "An essay on free will, and on its end.\n");
    let related: RelatedReply = vault
        .run(["--quiet", "related", "--json", "agency"])
        .json(0);
    let mentions = related.mentions.iter();
    let mentions: Vec<&str> = mentions.map(|mention| mention.path.as_str()).collect();
    assert_eq!(mentions, ["essay.md"]);
}

/// A note that links to the note of the name is not asked about another one with that link text.
#[test]
fn name_of_a_linked_note_means_that_note() {
    let vault = TestVault::of([
        ("Red Panda.md", "A bear that is none.\n"),
        ("Zoo.md", "Opens at nine.\n"),
        ("Trip.md", "We saw [[Zoo|Red Panda]] and rain.\n"),
        ("a.md", "On [[Red Panda]] first.\n"),
        ("b.md", "On [[Red Panda]] once more.\n"),
        (
            "Diary.md",
            "The [[Red Panda]] slept. Later the Red Panda ate apples.\n",
        ),
    ]);
    vault
        .run(["-q", "link", "--dry-run"])
        .stdout(expect!["nothing to link"])
        .code(0);
}

#[test]
fn plural_of_a_name_is_no_mention_but_may_be_a_link() {
    let vault = TestVault::of([
        ("Remote vault.md", "The copy that is kept elsewhere.\n"),
        (
            "note.md",
            "Sync it to the remote vault first. Then prune your remote vault(s).\n",
        ),
        ("only.md", "Prune your remote vault(s), all of them.\n"),
        ("other.md", "Prune your [[remote vault]](s), all of them.\n"),
    ]);
    let asked = vault.run(["link", "--dry-run"]).raw().stdout;
    assert!(
        asked.contains("in note.md") && !asked.contains("in only.md"),
        "{asked}"
    );
    let found = vault.run(["list", "link:\"Remote vault\""]).raw().stdout;
    assert!(found.contains("other.md"), "{found}");
    vault.run(["-q", "mv", "Remote vault", "Far vault"]).raw();
    assert!(vault.read("other.md").contains("[[Far vault]](s)"));
    assert_eq!(vault.run(["-q", "doctor"]).raw().code, 0);
}

//! Notes that say which one they replace.

use super::*;

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn a_note_that_names_the_one_it_replaced() {
    let newer = [("two.md", "# Second way\nWalk.\n"), ("eip-2.md", "Walk.\n")];
    for (case, text, expected) in [
        (
            "a property",
            "---\nsuperseded-by: \"[[two]]\"\n---\nRun.",
            "two <- eip-1",
        ),
        (
            "its own name for it",
            "---\nReplaced_By: Second way\n---\nRun.",
            "two <- eip-1",
        ),
        (
            "a number of a series",
            "---\nsuperseded-by: 2\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "the other way",
            "---\nreplaces: [eip-2]\n---\nRun.",
            "eip-1 <- eip-2",
        ),
        (
            "said in a property",
            "---\nreason: Superseded by EIP-2.\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "of a type that is not compared",
            "---\ntype: Standards Track\nreason: Replaced by EIP-2\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "a sentence",
            "Run. This proposal supersedes EIP-2, as agreed.",
            "eip-1 <- eip-2",
        ),
        (
            "by its own name",
            "EIP-1 was replaced by the [second way](two.md).",
            "two <- eip-1",
        ),
        (
            "over two lines",
            "Run. It has been fully\nsuperseded by [[two|that]].",
            "two <- eip-1",
        ),
        (
            "behind a label",
            "- **Status**: Superseded by [[two]]",
            "two <- eip-1",
        ),
        (
            "in a callout",
            "> [!note]\n> This page is replaced by [[two]].",
            "two <- eip-1",
        ),
        ("with a colon", "**Superseded by:** [[two]]", "two <- eip-1"),
        ("in capitals", "SUPERSEDED BY [[two]]", "two <- eip-1"),
        (
            "a numbered item",
            "1. Superseded by [[two]]",
            "two <- eip-1",
        ),
        (
            "below a fence in a fence",
            "```md\n~~~\n```\n\nSuperseded by [[two]]",
            "two <- eip-1",
        ),
        (
            "in favour of another",
            "This proposal was withdrawn in favor of [EIP-2](eip-2.md).",
            "eip-2 <- eip-1",
        ),
        (
            "deprecated",
            "Deprecated in favour of [[two]].",
            "two <- eip-1",
        ),
        (
            "why it is over",
            "---\nwithdrawal-reason: The author prefers EIP-2\n---\nRun.",
            "eip-2 <- eip-1",
        ),
        (
            "it moved",
            "This page has moved to [[two]].",
            "two <- eip-1",
        ),
        (
            "where to look",
            "> [!warning] Outdated\n> See [[two]] instead.\n\nRun.",
            "two <- eip-1",
        ),
        (
            "what to use",
            "Deprecated, use [[two]].\n\nRun.",
            "two <- eip-1",
        ),
        ("a number in a sentence", "Obsoletes: 2", "eip-1 <- eip-2"),
        (
            "a title in brackets",
            "Replaces [[Second way]].",
            "eip-1 <- two",
        ),
        (
            "a part is deprecated",
            "Run.\n\nThe flag is deprecated. See [[two]] instead.",
            "",
        ),
        (
            "a part is favoured",
            "The flag was removed in favor of [[two]].",
            "",
        ),
        ("a task of a day", "Run.\n\n- Moved to [[two]]", ""),
        ("what is used", "Run. Use [[two]] instead of walking.", ""),
        (
            "why it is not over",
            "---\nreason: The author prefers EIP-2\n---\nRun.",
            "",
        ),
        ("a question", "Superseded by [[two]]?", ""),
        ("something else", "The method is superseded by [[two]].", ""),
        (
            "a part of this one",
            "This method is superseded by [[two]].",
            "",
        ),
        ("a part of the other", "Replaces the nonce of [[two]].", ""),
        (
            "a thing of the other",
            "Replaces EIP-2's fee. Replaces EIP-2 transactions.",
            "",
        ),
        ("in part", "This EIP partially supersedes EIP-2.", ""),
        ("denied", "This EIP is not superseded by EIP-2.", ""),
        ("a name that no note has", "Superseded by EIP-20.", ""),
        ("itself", "Superseded by EIP-1.", ""),
        ("code", "```\nSuperseded by [[two]]\n```", ""),
    ] {
        let scene = Scene::new(newer.into_iter().chain([("eip-1.md", text)]));
        let expected: Vec<&str> = Some(expected)
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect();
        assert_eq!(shown(&scene.found(&Options::default())), expected, "{case}");
    }
    let scene = Scene::new(
        newer
            .into_iter()
            .chain([("eip-1.md", "Superseded by [[two]].")]),
    );
    let found = scene.found(&Options::default());
    assert_eq!(found[0].quotes, ["Second way", "Superseded by [[two]]."]);
}

#[test]
fn a_note_learns_that_it_is_named_when_it_comes() {
    let scene = Scene::new([
        ("one.md", "Superseded by [[two]]."),
        ("two.md", "# Second way\nWalk.\n"),
    ]);
    let view = scene.view(true);
    let two = view
        .at(&VaultPath::new("two.md").unwrap())
        .unwrap()
        .unwrap();
    let seeds = Seeds::Of(HashSet::from([two.slot]));
    let found = Options::default().find(&view, &Answers::default(), &seeds);
    assert_eq!(shown(&found.unwrap().found), ["two <- one"]);
}

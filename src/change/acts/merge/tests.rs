use crate::change::acts::tests::{Files, merged};

fn files(files: &[(&str, &str)]) -> Files {
    let owned = |(name, text): &(&str, &str)| ((*name).to_owned(), (*text).to_owned());
    files.iter().map(owned).collect()
}

const KEEPER: &str = "# Alice\n\n## Work\n\n### Log\n\nw\n";
const OTHER: &str = "# Ben\n\n## Home\n\n### Log\n\nh\n";

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn links_lead_to_the_same_heading_or_file() {
    for (name, before, expected) in [
        (
            "to the title that the merge omits",
            &[
                ("A.md", "# Alice\n\nalice [[B#Ben]]\n"),
                ("B.md", "# Ben\n\nben [[#Ben]] [y](#ben) [[B#Ben|b]]\n"),
                (
                    "C.md",
                    "[[B#Ben]] [x](B.md#ben) [[B#Ben|l]] ![[B#Ben]] <a href=B.md#ben>\n",
                ),
            ][..],
            &[
                (
                    "A.md",
                    "---\naliases: [Ben]\n---\n# Alice\n\nalice B > Ben\n\n## Merged from B.md\n\nben Ben y b\n",
                ),
                ("C.md", "[[A]] [x](A.md) [[A|l]] ![[A]] <a href=A.md>\n"),
            ][..],
        ),
        (
            "to the first of several sections of level 1",
            &[
                ("A.md", "# Guide\n\ng\n"),
                ("B.md", "# Install\n\ni\n\n# Run\n\nr\n"),
                ("C.md", "[[B#Install]] [x](B.md#install) [[B#Run]]\n"),
            ],
            &[
                (
                    "A.md",
                    "---\naliases: [Install]\n---\n# Guide\n\ng\n\n## Merged from B.md\n\n### Install\n\ni\n\n### Run\n\nr\n",
                ),
                ("C.md", "[[A#Install]] [x](A.md#install) [[A#Run]]\n"),
            ],
        ),
        (
            "in headings of other notes",
            &[
                ("A.md", "# Alice\n\n[[C#Met B]] [[#Of B]]\n\n## Of [[B]]\n"),
                ("B.md", "# Ben\n\n[x](C.md#met-b)\n"),
                ("C.md", "# Met [[B]]\n\n[[#Met B]]\n"),
                ("D.md", "[[C#Met B]] [[A#Of B]]\n"),
            ],
            &[
                (
                    "A.md",
                    "---\naliases: [Ben]\n---\n# Alice\n\n[[C#Met A]] [[#Of B]]\n\n## Of B\n\n## Merged from B.md\n\n[x](C.md#met-a)\n",
                ),
                ("C.md", "# Met [[A]]\n\n[[#Met A]]\n"),
                ("D.md", "[[C#Met A]] [[A#Of B]]\n"),
            ],
        ),
        (
            "in the text of properties",
            &[
                (
                    "A.md",
                    "---\nup: [[B]]\nlist: [x, [[B]]]\nt: see [[B|b]], [[C]]\n---\na\n",
                ),
                ("B.md", "---\nabout: like [[A]]\n---\nb\n"),
                ("C.md", "---\nup: [[B]]\nt: see [[B]]\n---\nc\n"),
            ],
            &[
                (
                    "A.md",
                    "---\nlist: [x]\nt: see b, [[C]]\nabout: like A\n---\na\n\n## Merged from B.md\n\nb\n",
                ),
                ("C.md", "---\nup: [[A]]\nt: see [[A]]\n---\nc\n"),
            ],
        ),
        (
            "of a picture that is a link",
            &[
                ("A.md", "a\n"),
                ("x/B.md", "[![p](p.png)](../C.md) [![p](p.png)](../A.md)\n"),
                ("C.md", "[![p](x/p.png)](x/B.md)\n"),
                ("x/p.png", ""),
            ],
            &[
                (
                    "A.md",
                    "a\n\n## Merged from x/B.md\n\n[![p](x/p.png)](C.md) ![p](x/p.png)\n",
                ),
                ("C.md", "[![p](x/p.png)](A.md)\n"),
            ],
        ),
        (
            "to headings equal but for case and punctuation",
            &[
                ("A.md", "# A\n\n## Log\n\na\n\n## log!\n\nb\n"),
                ("B.md", "# B\n\n## LOG\n\nc\n\n## Log\n\nd\n"),
                ("C.md", "[a](A.md#log-1) [b](B.md#log) [c](B.md#log-1)\n"),
            ],
            &[("C.md", "[a](A.md#log-1) [b](A.md#log-2) [c](A.md#log)\n")],
        ),
        (
            "to one of two headings with a name",
            &[
                ("A.md", KEEPER),
                (
                    "B.md",
                    "# Ben\n\n## Home\n\n### Log\n\nh [[#Log]] [s](#log) [[A#Log]]\n",
                ),
                (
                    "C.md",
                    "[[B#Log]] [x](B.md#log) [[B#Log|l]] [[A#Log]] [y](A.md#log)\n",
                ),
            ],
            &[
                (
                    "A.md",
                    "---\naliases: [Ben]\n---\n# Alice\n\n## Work\n\n### Log\n\nw\n\n## Merged from B.md\n\n### Home\n\n#### Log\n\nh [[#Home#Log]] [s](#log-1) [[A#Log]]\n",
                ),
                (
                    "C.md",
                    "[[A#Home#Log]] [x](A.md#log-1) [[A#Home#Log|l]] [[A#Log]] [y](A.md#log)\n",
                ),
            ],
        ),
        (
            "of the keeper, whose headings get other numbers",
            &[
                (
                    "A.md",
                    "# Alice\n\n## House\n\nx\n\n## Log\n\na\n\n## Two\n\n### Log\n\nb [x](#log-1) [y](A.md#log-1) [[#Two#Log]] [z](#log)\n",
                ),
                ("B.md", "# Ben\n\n## House\n\n### Log\n\nh\n"),
                ("C.md", "[x](A.md#log-1)\n"),
            ],
            &[
                (
                    "A.md",
                    "---\naliases: [Ben]\n---\n# Alice\n\n## House\n\nx\n\n### Log\n\nh\n\n## Log\n\na\n\n## Two\n\n### Log\n\nb [x](#log-2) [y](A.md#log-2) [[#Two#Log]] [z](#log-1)\n",
                ),
                ("C.md", "[x](A.md#log-2)\n"),
            ],
        ),
        (
            "to files of a name that both folders have",
            &[
                ("k/A.md", "# Alice\n\nx\n"),
                (
                    "s/B.md",
                    "# Ben\n\n![[b.png]] [t](b.png) ![[only.png]] <video src=b.png></video>\n",
                ),
                ("k/b.png", "1"),
                ("s/b.png", "2"),
                ("s/only.png", "3"),
            ],
            &[(
                "k/A.md",
                "---\naliases: [Ben]\n---\n# Alice\n\nx\n\n## Merged from s/B.md\n\n![[s/b.png]] [t](../s/b.png) ![[only.png]] <video src=../s/b.png></video>\n",
            )],
        ),
        (
            "in properties",
            &[
                ("A.md", "# Alice\n\n## Deep\n\nx\n"),
                (
                    "B.md",
                    "---\nrels: [\"[[B#Deep|d]]\", \"[[B]]\"]\nup: \"[[B#Deep]]\"\nsee: '[[A]]'\n---\n# Ben\n\n## Deep\n\nx\n",
                ),
                (
                    "C.md",
                    "---\nup: \"[[B#Deep]]\"\nrels: [\"[[A]]\", \"[[B#Deep|x]]\", \"[[B]]\"]\ntop: '[[B#Ben]]'\n---\nc\n",
                ),
            ],
            &[
                (
                    "A.md",
                    "---\naliases: [Ben]\nrels: [\"[[A#Deep|d]]\"]\nup: \"[[A#Deep]]\"\n---\n# Alice\n\n## Deep\n\nx\n",
                ),
                (
                    "C.md",
                    "---\nup: \"[[A#Deep]]\"\nrels: [\"[[A]]\", \"[[A#Deep|x]]\"]\ntop: '[[A]]'\n---\nc\n",
                ),
            ],
        ),
        (
            "in maps of properties",
            &[
                ("A.md", "---\nmap:\n  up: \"[[B]]\"\n---\nx\n"),
                (
                    "B.md",
                    "---\nedges:\n  - to: \"[[B#Deep]]\"\n    weight: 1\n---\n## Deep\n\nx\n",
                ),
            ],
            &[],
        ),
        (
            "of properties relative to a folder",
            &[
                ("k/A.md", "x\n"),
                ("s/B.md", "---\nup: '[[N]]'\n---\nx\n"),
                ("k/N.md", ""),
                ("s/N.md", ""),
            ],
            &[("k/A.md", "---\nup: \"[[s/N]]\"\n---\nx\n")],
        ),
        (
            "in tags of HTML",
            &[
                ("A.md", "x\n"),
                ("B.md", "x\n"),
                (
                    "s/C.md",
                    "<a href=../B.md>u</a> <A HREF='../B.md'>v</A> <iframe src=\"../B.md\"></iframe>\n",
                ),
            ],
            &[(
                "s/C.md",
                "<a href=../A.md>u</a> <A HREF='../A.md'>v</A> <iframe src=\"../A.md\"></iframe>\n",
            )],
        ),
        (
            "to a section that both have",
            &[
                ("A.md", "## Log\n\na\n"),
                ("B.md", "## Log\n\nb [[#Log]]\n"),
                ("C.md", "[[B#log]]\n"),
            ],
            &[
                ("A.md", "## Log\n\na\n\nb [[#Log]]\n"),
                ("C.md", "[[A#log]]\n"),
            ],
        ),
    ] {
        let after = merged(&files(before), before[0].0, before[1].0)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        for (path, text) in expected {
            assert_eq!(after[*path], *text, "{name}: {path}");
        }
        let keeper = &after[before[0].0];
        assert!(!keeper.contains("[[B"), "{name}: {keeper}");
    }
}

#[test]
fn comments_with_links_are_kept() {
    let before = files(&[
        ("A.md", "---\n# one\nup: \"[[B]]\" # two\n# [[A]]\n---\na\n"),
        (
            "B.md",
            "---\nup: \"[[A]]\" # three\n# [[A]], [[B]]\n---\na\n",
        ),
    ]);
    let after = merged(&before, "A.md", "B.md").unwrap();
    let comments = [
        "# one",
        "# [[A]]",
        "# up: \"[[A]]\" # three",
        "# [[A]], [[B]]",
        "# up: \"[[B]]\" # two",
    ];
    assert_eq!(
        after["A.md"],
        format!("---\n{}\n---\na\n", comments.join("\n"))
    );
}

#[test]
fn a_merge_that_hides_the_target_of_a_link_is_refused() {
    let house = "# Ben\n\n## House\n\n### Log\n\nh\n";
    for (keeper, other, linking, refusal) in [
        // No name leads past the heading that the merge adds before it.
        (
            "# Alice\n\n## House\n\n## Log\n\n[[#Log]]\n",
            house,
            "",
            "`[[#Log]]` in `A.md`",
        ),
        (
            "# Alice\n\n## House\n\n## Log\n",
            house,
            "[[A#Log]]",
            "`[[A#Log]]` in `C.md`",
        ),
        // Which of two equal sections receives the text is a matter of similarity.
        (
            "## Log\n\na\n\n## Log\n\nb\n",
            "## Log\n\nc\n",
            "[[B#Log]]",
            "`[[B#Log]]` in `C.md`",
        ),
        (
            "<a name='x'></a> a\n",
            "<a name='x'></a> b\n",
            "[t](B.md#x)",
            "`[t](B.md#x)` in `C.md`",
        ),
    ] {
        let before = files(&[("A.md", keeper), ("B.md", other), ("C.md", linking)]);
        let expected = format!(
            "the merge into `A.md` would lead {refusal} to another heading or block; change that link or rename the heading, then merge"
        );
        assert_eq!(merged(&before, "A.md", "B.md"), Err(expected));
    }
    let of_map = |link: &str| format!("---\nrefs:\n  to: \"[[{link}]]\"\n---\ntext {link}\n");
    let before = files(&[("A.md", &of_map("C")), ("B.md", &of_map("D"))]);
    let expected = "the merge into `A.md` would lose the link `[[D]]` in the properties of `B.md`; edit it in one of the notes, then merge";
    assert_eq!(merged(&before, "A.md", "B.md"), Err(expected.to_owned()));
    let before = files(&[("A.md", KEEPER), ("B.md", OTHER), ("C.md", "[[B#Gone]]")]);
    let after = merged(&before, "A.md", "B.md").unwrap();
    assert_eq!(
        after["C.md"], "[[A#Gone]]",
        "a broken link prevents nothing"
    );
}

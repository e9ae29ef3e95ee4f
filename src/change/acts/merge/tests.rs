use std::collections::BTreeMap;

use proptest::prelude::*;
use regex::Regex;

use crate::change::acts::manual_group;
use crate::change::compile::{CompileOutcome, preview};
use crate::finding::{Act, Plan};
use crate::note::VaultPath;
use crate::view::tests::IndexedVault;

type Files = BTreeMap<String, String>;

/// Returns the notes after a merge of `other` into `keeper`, or why it is refused.
fn merged(files: &Files, keeper: &str, other: &str) -> Result<Files, String> {
    let path = |name: &str| VaultPath::new(name).unwrap();
    let scene = IndexedVault::of(files.clone(), None);
    let act = Act::Merge {
        keeper: path(keeper),
        others: vec![path(other)],
        body: None,
    };
    let group = manual_group(&scene.view(false), "", &[act]).map_err(|error| error.to_string())?;
    let plan = Plan {
        job: "merge".to_owned(),
        groups: vec![group],
    };
    let mut after = files.clone();
    after.remove(other);
    match preview(&scene.vault, &plan).remove(0) {
        CompileOutcome::Ready(ready) => {
            for write in ready.writes {
                let text = write.after.map(|text| text.to_string());
                after.extend(text.map(|text| (write.path.to_string(), text)));
            }
            Ok(after)
        }
        CompileOutcome::Unchanged => Ok(after),
        CompileOutcome::Dropped { path, reason } => Err(format!("{path}: {reason}")),
    }
}

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
fn a_merge_that_hides_the_target_of_a_link_is_refused() {
    let house = "# Ben\n\n## House\n\n### Log\n\nh\n";
    for (keeper, other, linking, refusal) in [
        // No name leads past the heading that the merge adds before it.
        (
            "# Alice\n\n## House\n\n## Log\n\n[[#Log]]\n",
            house,
            "",
            "`Log` in `A.md`",
        ),
        (
            "# Alice\n\n## House\n\n## Log\n",
            house,
            "[[A#Log]]",
            "`A > Log` in `C.md`",
        ),
        // Which of two equal sections receives the text is a matter of similarity.
        (
            "## Log\n\na\n\n## Log\n\nb\n",
            "## Log\n\nc\n",
            "[[B#Log]]",
            "`B > Log` in `C.md`",
        ),
        (
            "<a name='x'></a> a\n",
            "<a name='x'></a> b\n",
            "[t](B.md#x)",
            "`t` in `C.md`",
        ),
    ] {
        let before = files(&[("A.md", keeper), ("B.md", other), ("C.md", linking)]);
        let expected = format!(
            "the merge into `A.md` would make the link to {refusal} ambiguous; merge the notes by hand"
        );
        assert_eq!(merged(&before, "A.md", "B.md"), Err(expected));
    }
    let before = files(&[("A.md", KEEPER), ("B.md", OTHER), ("C.md", "[[B#Gone]]")]);
    let after = merged(&before, "A.md", "B.md").unwrap();
    assert_eq!(
        after["C.md"], "[[A#Gone]]",
        "a broken link prevents nothing"
    );
}

const NAMES: [&str; 5] = ["Log", "Home", "Work", "Alice", "Ben"];

/// The level, name and lines of each section, by lines of text; the first is above all headings.
fn sections(text: &str) -> Vec<(usize, String, Vec<String>)> {
    let mut sections = vec![(0, String::new(), Vec::new())];
    for line in text.lines() {
        let level = line.chars().take_while(|c| *c == '#').count();
        match line[level..].strip_prefix(' ').filter(|_| level > 0) {
            Some(name) => sections.push((level, name.to_owned(), Vec::new())),
            None => sections.last_mut().unwrap().2.push(line.to_owned()),
        }
    }
    sections
}

/// Returns the section that a part leads to: in Obsidian, or on GitHub if the link is an anchor.
fn led(text: &str, part: &str, is_anchor: bool) -> Option<(usize, String, Vec<String>)> {
    let all = sections(text);
    if is_anchor {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for section in all {
            let slug = section.1.to_lowercase().replace(' ', "-").replace('.', "");
            let count = counts.entry(slug.clone()).or_default();
            let anchor = match *count {
                0 => slug,
                count => format!("{slug}-{count}"),
            };
            *count += 1;
            if anchor == part && section.0 > 0 {
                return Some(section);
            }
        }
        return None;
    }
    let (mut level, mut found) = (0, None);
    let mut all = all.into_iter();
    for step in part.split('#') {
        let section = all.find(|(deep, name, _)| *deep > level && name == step)?;
        level = section.0;
        found = Some(section);
    }
    found
}

#[derive(Clone, Debug)]
struct Part {
    to_keeper: bool,
    names: Vec<usize>,
    is_anchor: bool,
    is_own: bool,
}

impl Part {
    /// Returns the link with the label `label`, in the note named `from`.
    fn written(&self, from: &str, label: &str) -> (String, String, String) {
        let to = if self.to_keeper { "A" } else { "B" };
        let names = self.names.iter().map(|name| NAMES[*name]);
        let part = names.collect::<Vec<_>>().join("#");
        let is_own = self.is_own && from == to;
        if self.is_anchor {
            let part = format!(
                "{}{}",
                part.split('#').next().unwrap(),
                ["", "-1"][self.names.len() - 1]
            )
            .to_lowercase();
            let target = if is_own {
                String::new()
            } else {
                format!("{to}.md")
            };
            return (format!("[{label}]({target}#{part})"), to.to_owned(), part);
        }
        let target = if is_own { "" } else { to };
        (format!("[[{target}#{part}|{label}]]"), to.to_owned(), part)
    }
}

fn part() -> impl Strategy<Value = Part> {
    let names = prop::collection::vec(0..NAMES.len(), 1..3);
    let all = (any::<bool>(), names, any::<bool>(), any::<bool>());
    all.prop_map(|(to_keeper, names, is_anchor, is_own)| Part {
        to_keeper,
        names,
        is_anchor,
        is_own,
    })
}

/// The headings of a note and links in its sections.
type Sections = Vec<(usize, usize, Vec<Part>)>;

fn note() -> impl Strategy<Value = (bool, Sections)> {
    let section = (
        2..4_usize,
        0..NAMES.len(),
        prop::collection::vec(part(), 0..3),
    );
    (any::<bool>(), prop::collection::vec(section, 0..6))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// An independent reader finds the text at the target of each link before and after.
    #[test]
    fn links_lead_to_the_same_text(notes in (note(), note()), linking in prop::collection::vec(part(), 1..6)) {
        let mut links = Vec::new();
        let mut written = |from: &str, parts: &[Part]| {
            let mut text = String::new();
            for part in parts {
                let label = format!("l{}e", links.len());
                let (link, to, named) = part.written(from, &label);
                links.push((label, to, named, part.is_anchor));
                text.push(' ');
                text.push_str(&link);
            }
            text
        };
        let mut before = Files::new();
        for (name, title, (has_title, sections)) in [("A", "Alice", &notes.0), ("B", "Ben", &notes.1)] {
            let mut text = format!("text {name}.");
            if *has_title {
                text = format!("# {title}\n\n{text}");
            }
            for (number, (level, heading, parts)) in sections.iter().enumerate() {
                let links = written(name, parts);
                let marks = "#".repeat(*level);
                let heading = NAMES[*heading];
                text = format!("{text}\n\n{marks} {heading}\n\nmark {name}{number}.{links}");
            }
            before.insert(format!("{name}.md"), text + "\n");
        }
        before.insert("C.md".to_owned(), written("C", &linking) + "\n");
        if let Ok(after) = merged(&before, "A.md", "B.md") {
            let all = after.values().cloned().collect::<Vec<_>>().join("\n");
            for (label, to, named, is_anchor) in links {
                let Some((level, _, lines)) = led(&before[&format!("{to}.md")], &named, is_anchor) else {
                    continue;
                };
                let first_line = lines.iter().find(|line| !line.is_empty()).unwrap();
                let mark = first_line.split('.').next().unwrap();
                let pattern = format!(r"\[\[([^\[\]#|]*)#([^|\]]*)\|{label}\]\]|\[{label}\]\(([^()#]*)#([^()]*)\)");
                let link = Regex::new(&pattern).unwrap().captures(&all);
                let Some(link) = link else {
                    prop_assert!(to == "B" && level == 1, "{}: {} in\n{}", label, named, all);
                    continue;
                };
                let part = link.get(2).or(link.get(4)).unwrap().as_str();
                let section = led(&after["A.md"], part, link.get(4).is_some());
                let is_there = section.is_some_and(|(_, _, lines)| lines.iter().any(|line| line.starts_with(mark)));
                prop_assert!(is_there, "{} led to {} of {}, now to {} without `{}` in\n{}", label, named, to, part, mark, all);
            }
        }
    }
}

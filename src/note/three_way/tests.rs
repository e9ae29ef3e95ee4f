//! Named cases and properties of the merge.

use proptest::prelude::*;

use super::check::{CheckVerdict, check};
use super::*;
use crate::note::front_matter::matter;

/// A case of `cases.txt`.
struct Case {
    name: String,
    base: String,
    ours: String,
    theirs: String,
    result: String,
}

/// Reads cases: `#### name`, then texts after `==== base`, `==== ours`, `==== theirs` and `==== result`. A final `\` joins
/// a line with the end of its text; `␍` and `␏` are a carriage return and a byte order mark.
fn cases() -> Vec<Case> {
    let text = include_str!("cases.txt");
    let cases = text.split("#### ").skip(1);
    let mut all: Vec<Case> = Vec::new();
    for case in cases {
        let (name, rest) = case.split_once('\n').unwrap();
        let part = |key: &str| {
            let from = rest
                .find(&format!("==== {key}\n"))
                .unwrap_or_else(|| panic!("{name}: {key}"));
            let after = &rest[from + key.len() + 6..];
            let section = after.split("==== ").next().unwrap();
            let part = section.strip_suffix("\\\n").unwrap_or(section);
            part.replace('␍', "\r").replace('␏', "\u{feff}")
        };
        all.push(Case {
            name: name.to_owned(),
            base: part("base"),
            ours: part("ours"),
            theirs: part("theirs"),
            result: part("result"),
        });
    }
    all
}

#[test]
fn cases_have_the_written_result() {
    let cases = cases();
    let mut wrong = Vec::new();
    for case in &cases {
        let merged = merge(&case.base, &case.ours, &case.theirs);
        let other = merge(&case.base, &case.theirs, &case.ours);
        let is_clean = !case.result.contains("<<<<<<<");
        if merged.text != case.result || merged.conflicts.is_empty() != is_clean {
            wrong.push(format!(
                "#### {}\n{}[{:?} {:?}]\n",
                case.name,
                merged.text.replace('\r', "␍").replace('\u{feff}', "␏"),
                merged.conflicts,
                merged.findings
            ));
        }
        if is_clean {
            assert_eq!(other.text, merged.text, "{}: other side", case.name);
        } else {
            assert_eq!(
                other.conflicts.len(),
                merged.conflicts.len(),
                "{}: other side",
                case.name
            );
        }
        assert_eq!(
            merge(&case.base, &case.base, &case.ours).text,
            case.ours,
            "{}",
            case.name
        );
        assert_eq!(
            merge(&case.base, &case.ours, &case.ours).text,
            case.ours,
            "{}",
            case.name
        );
        let again = merge(&case.ours, &merged.text, &case.ours);
        assert_eq!(again.text, merged.text, "{}: merged again", case.name);
        let verdict = check(&case.base, [&case.ours, &case.theirs], &merged.text);
        assert!(
            !matches!(verdict, CheckVerdict::Findings(_)),
            "{}: {verdict:?}\n{}",
            case.name,
            merged.text
        );
    }
    assert!(cases.len() >= 40, "{}", cases.len());
    assert!(wrong.is_empty(), "{}", wrong.concat());
}

/// Lines of notes that the properties below are made of.
const LINES: [&str; 24] = [
    "# Tea",
    "## Cup",
    "## 2026-01-02",
    "Green tea is hot.",
    "Green tea is very hot. It is old.",
    "One.",
    "Two.",
    "- one",
    "- two",
    "  - nested",
    "- [ ] buy",
    "- [x] buy",
    "```",
    "~~~",
    "> quote",
    "> [!note] x",
    "| a | b |",
    "|---|---|",
    "",
    "",
    "",
    "$$",
    "<div>",
    "[^1]: note",
];

/// Front matter of the properties below.
const MATTER: [&str; 7] = [
    "",
    "---\ntags: [a]\n---\n",
    "---\ntags: [a, b] # c\ntitle: T\n---\n",
    "---\ntitle: U\nkeep: true\n---\n",
    "---\n# top\ntags:\n  - c\nn: 1\n---\n",
    "+++\na = 1\n+++\n",
    "---\na: [\n---\n",
];

/// An edit: the line where it begins, the number of lines that it removes, the new lines.
type Change = (usize, usize, Vec<usize>);

fn changes() -> impl Strategy<Value = (usize, Vec<Change>)> {
    let change = (
        0..30_usize,
        0..4_usize,
        prop::collection::vec(0..LINES.len(), 0..3),
    );
    (0..MATTER.len(), prop::collection::vec(change, 0..4))
}

fn text(lines: &[usize]) -> String {
    lines.iter().flat_map(|line| [LINES[*line], "\n"]).collect()
}

fn changed(base: &[usize], changes: &[Change]) -> String {
    let mut lines = base.to_vec();
    for (at, removed, new) in changes {
        let start = *at.min(&lines.len());
        let end = (start + removed).min(lines.len());
        lines.splice(start..end, new.iter().copied());
    }
    text(&lines)
}

proptest! {
    #[test]
    fn merges_are_symmetric_and_complete(
        base_matter in 0..MATTER.len(),
        base in prop::collection::vec(0..LINES.len(), 0..30),
        (our_matter, our_changes) in changes(),
        (their_matter, their_changes) in changes(),
    ) {
        let ours = format!("{}{}", MATTER[our_matter], changed(&base, &our_changes));
        let theirs = format!("{}{}", MATTER[their_matter], changed(&base, &their_changes));
        let base = format!("{}{}", MATTER[base_matter], text(&base));
        let merged = merge(&base, &ours, &theirs);
        let other = merge(&base, &theirs, &ours);
        prop_assert_eq!(merged.conflicts.len(), other.conflicts.len());
        if merged.conflicts.is_empty() {
            prop_assert_eq!(&merged.text, &other.text);
        }
        prop_assert_eq!(merge(&base, &ours, &base).text, ours.clone());
        prop_assert_eq!(merge(&base, &ours, &ours).text, ours.clone());
        let again = merge(&ours, &merged.text, &ours);
        prop_assert_eq!(&again.text, &merged.text);
        let verdict = check(&base, [&ours, &theirs], &merged.text);
        let is_lost = matches!(verdict, CheckVerdict::Findings(_)) && merged.findings.is_empty();
        prop_assert!(!is_lost, "{verdict:?}");
        if matter::problem(&ours).is_none() && matter::problem(&theirs).is_none() && merged.findings.is_empty() {
            prop_assert_eq!(matter::problem(&merged.text), None);
        }
    }
}

#[test]
fn the_check_finds_what_is_lost() {
    const BASE: &str = "---\ntags: [a]\n---\nOne is here today.\n\nTwo.\n";
    for (name, ours, theirs, result, expected) in [
        ("nothing", BASE, BASE, BASE, None),
        (
            "a line of both",
            BASE,
            BASE,
            "---\ntags: [a]\n---\nTwo.\n",
            Some("line `One is here today.` is missing"),
        ),
        (
            "an added line",
            &*format!("{BASE}\nThree.\n"),
            BASE,
            BASE,
            Some("line `Three.` is missing"),
        ),
        (
            "a changed word",
            &BASE.replace("One", "Eins"),
            &BASE.replace("today", "now"),
            &BASE.replace("today", "now"),
            Some("line `Eins is here today.` is missing"),
        ),
        (
            "merged words",
            &BASE.replace("One", "Eins"),
            &BASE.replace("today", "now"),
            &BASE.replace("One", "Eins").replace("today", "now"),
            None,
        ),
        (
            "a removed line",
            &BASE.replace("One is here today.\n\n", ""),
            BASE,
            BASE,
            Some("line `One is here today.` came back"),
        ),
        (
            "a tag",
            &BASE.replace("[a]", "[a, bee]"),
            BASE,
            BASE,
            Some("`tags: \"bee\"` is missing"),
        ),
        (
            "a comment",
            &BASE.replace("tags", "# why\ntags"),
            BASE,
            BASE,
            Some("comment `# why` is missing"),
        ),
        (
            "a fence",
            BASE,
            BASE,
            &format!("{BASE}```\n"),
            Some("a code fence is not closed"),
        ),
        (
            "front matter",
            BASE,
            BASE,
            &BASE.replace("[a]", "[a"),
            Some("front matter line 3"),
        ),
    ] {
        let found = match check(BASE, [ours, theirs], result) {
            CheckVerdict::Proven => None,
            CheckVerdict::Findings(findings) => findings.into_iter().next(),
            CheckVerdict::Unverified(why) => Some(why),
        };
        let is_right = match (&found, expected) {
            (Some(found), Some(expected)) => found.starts_with(expected),
            (found, expected) => found.is_none() && expected.is_none(),
        };
        assert!(is_right, "{name}: {found:?}");
    }
    let broken = "---\na: [\n---\n";
    assert!(matches!(
        check(broken, [broken, broken], broken),
        CheckVerdict::Unverified(_)
    ));
}

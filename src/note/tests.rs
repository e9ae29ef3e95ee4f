use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::markdown::body;
use super::{Link, read, *};

#[test]
fn title_sources() {
    for (text, title, from) in [
        ("---\ntitle: T\n---\n# H\n", "T", TitleSource::Property),
        ("---\ntitle: 7\n---\n", "7", TitleSource::Property),
        (
            "---\ntitle: ' '\n---\n## G\n# H\n",
            "H",
            TitleSource::Heading,
        ),
        ("---\ntitle: [a]\n---\nH\n===\n", "H", TitleSource::Heading),
        (
            "# See [[A|the a]] and [[B]]\n",
            "See the a and B",
            TitleSource::Heading,
        ),
        ("# ![[A|Über]] é\n", "Über é", TitleSource::Heading),
        (
            "# The [[A|`Send` $x$]] `b`\n",
            "The Send x b",
            TitleSource::Heading,
        ),
        ("$$\na\n=\n$$\n# H\n", "H", TitleSource::Heading),
        ("#\n## H\n", "stem", TitleSource::Stem),
        ("", "stem", TitleSource::Stem),
    ] {
        let note = read(text, "stem");
        assert_eq!(
            (note.title.as_str(), note.title_from),
            (title, from),
            "{text:?}"
        );
    }
}

#[test]
fn a_line_of_equals_signs_in_a_formula_is_no_heading() {
    for (text, headings) in [
        ("$$\na\n===\nb\n$$\n\n## G\n", &["G"][..]),
        ("$$\na\n\nb\n=====\nc\n$$\n\n## G\n", &["G"]),
        ("Text\n\n$$\na\n===\n$$\n\nH\n===\n", &["H"]),
        ("> $$\n> a\n> ===\n> $$\n\n## G\n", &["G"]),
        ("- item\n\n  $$\n  a\n  ===\n  $$\n\n## G\n", &["G"]),
        ("$$\na\n===\n", &["$$ a"]),
        ("`$$`\n===\n", &["$$"]),
        ("5$$ each\n===\n", &["5$$ each"]),
    ] {
        let note = read(text, "stem");
        let found: Vec<&str> = note.headings.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(found, headings, "{text:?}");
    }
}

#[test]
fn gathers_tags_and_aliases() {
    for (yaml, tags, aliases) in [
        (
            "tags: [A, '#b/']\naliases: [X, 7]\n",
            &["A", "b", "c"][..],
            &["X", "7"][..],
        ),
        (
            "tags: a, b #c\naliases: X, Y\n",
            &["a", "b", "c"],
            &["X", "Y"],
        ),
        ("tags: '#a #C'\n", &["a", "C"], &[]),
        ("Tags: [A]\nALIASES: X\n", &["A", "c"], &["X"]),
        ("tag: a\nAlias: [X]\naliases: Y\n", &["a", "c"], &["Y", "X"]),
        ("tags:\naliases:\n", &["c"], &[]),
        ("", &["c"], &[]),
    ] {
        let note = read(&format!("---\n{yaml}---\n#c and #C\n"), "stem");
        assert_eq!(note.tags, tags, "{yaml:?}");
        assert_eq!(note.aliases, aliases, "{yaml:?}");
    }
}

#[test]
fn broken_front_matter_keeps_the_body() {
    let text = "---\ntitle: A: B\ntags: [x]\nrel: \"[[N]]\"\n---\n# H\n#y [[Z]]\n";
    let note = read(text, "stem");
    assert_eq!(note.problem.map(|problem| problem.line()), Some(2));
    assert_eq!(note.title, "A: B");
    assert_eq!(note.properties["rel"], json!("[[N]]"));
    assert_eq!(note.tags, ["x", "y"]);
    assert_eq!(note.headings.len(), 1);
    assert_eq!(note.links.len(), 2);

    let note = read("---\ntitle: A\n# H\n", "stem");
    assert_eq!(
        (note.problem, note.title.as_str()),
        (Some(MatterError::Unclosed), "H")
    );
    assert_eq!(note.body, 0..17);
}

/// A note of `fixtures/obsidian` and its entry in the metadata cache of Obsidian. Positions are lines, columns and
/// offsets in UTF-16 units.
#[derive(Deserialize)]
struct Case {
    file_path: String,
    contents: String,
    expected: ExpectedNote,
}

#[derive(Deserialize)]
struct ExpectedNote {
    frontmatter: Option<Map<String, Value>>,
    frontmatter_links: Vec<ExpectedLink>,
    frontmatter_tags: Option<Vec<String>>,
    headings: Vec<Heading>,
    links: Vec<ExpectedLink>,
    embeds: Vec<ExpectedLink>,
    tags: Vec<Tag>,
    all_tags: Vec<String>,
    blocks: Vec<Value>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Heading {
    text: String,
    level: u8,
    #[serde(flatten)]
    place: Place,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Tag {
    tag: String,
    #[serde(flatten)]
    place: Place,
}

/// A link as written and displayed.
#[derive(Debug, Deserialize, PartialEq)]
struct ExpectedLink {
    /// Target and part.
    link: String,
    #[serde(alias = "displayText")]
    display: String,
    original: String,
    /// Name of its property.
    key: Option<String>,
    #[serde(flatten)]
    place: Option<Place>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Place {
    line: usize,
    col: usize,
    offset: usize,
}

impl Place {
    fn of(text: &str, at: usize) -> Self {
        let before = &text[..at];
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        let units = |text: &str| text.encode_utf16().count();
        Self {
            line: before.matches('\n').count(),
            col: units(&before[line..]),
            offset: units(before),
        }
    }
}

fn expected_link(text: &str, link: &Link) -> ExpectedLink {
    let part = link.part.iter().map(|part| format!("#{part}"));
    ExpectedLink {
        link: format!("{}{}", link.target, part.collect::<String>()),
        display: link.unlinked(),
        original: text[link.span.clone()].to_owned(),
        key: link.property.clone(),
        place: link
            .property
            .is_none()
            .then(|| Place::of(text, link.span.start)),
    }
}

/// Obsidian's record distinguishes the items of a list, [`Link::property`] does not.
fn without_number(mut link: ExpectedLink) -> ExpectedLink {
    link.key = link.key.map(|key| match key.rsplit_once('.') {
        Some((key, number)) if number.parse::<usize>().is_ok() => key.to_owned(),
        _ => key,
    });
    link
}

#[test]
fn notes_are_read_as_obsidian_reads_them() {
    let cases: Vec<Case> = include_str!("../../fixtures/obsidian/cases.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(cases.len(), 45);
    for Case {
        file_path,
        contents: text,
        expected,
    } in cases
    {
        let note = read(&text, "stem");
        let outline = body::scan(&text, note.body.clone());
        assert_eq!(note.problem, None, "{file_path}");
        assert_eq!(
            note.properties,
            expected.frontmatter.unwrap_or_default(),
            "{file_path}"
        );
        let headings: Vec<Heading> = note
            .headings
            .iter()
            .map(|heading| Heading {
                text: heading.text.clone(),
                level: heading.level,
                place: Place::of(&text, heading.at),
            })
            .collect();
        assert_eq!(headings, expected.headings, "{file_path}");

        let found = |wanted: fn(&Link) -> bool| -> Vec<ExpectedLink> {
            let links = note.links.iter().filter(|link| wanted(link));
            links.map(|link| expected_link(&text, link)).collect()
        };
        let of_properties = expected.frontmatter_links.into_iter().map(without_number);
        assert_eq!(
            found(|link| link.property.is_some()),
            of_properties.collect::<Vec<_>>(),
            "{file_path}"
        );
        assert_eq!(
            found(|link| link.property.is_none() && !link.embed),
            expected.links,
            "{file_path}"
        );
        assert_eq!(found(|link| link.embed), expected.embeds, "{file_path}");

        let tags: Vec<Tag> = outline
            .tags
            .iter()
            .map(|tag| Tag {
                tag: text[tag.clone()].to_owned(),
                place: Place::of(&text, tag.start),
            })
            .collect();
        assert_eq!(tags, expected.tags, "{file_path}");
        // Obsidian lists duplicates.
        let mut all: Vec<String> = Vec::new();
        let of_property = expected.frontmatter_tags.unwrap_or_default();
        for tag in of_property.iter().chain(&expected.all_tags) {
            let tag = tag.trim_start_matches('#');
            if !all.iter().any(|known| known.eq_ignore_ascii_case(tag)) {
                all.push(tag.to_owned());
            }
        }
        assert_eq!(note.tags, all, "{file_path}");
        assert_eq!(note.blocks.len(), expected.blocks.len(), "{file_path}");
    }
}

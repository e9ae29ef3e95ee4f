//! What the real Obsidian recorded of 45 notes, against what [`read`](super::read) finds in them.
//!
//! The record (`fixtures/obsidian`) is that of its metadata cache: places are lines, columns and
//! offsets in UTF-16 units.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::markdown::body;
use super::{Link, read};

#[derive(Deserialize)]
struct Case {
    file_path: String,
    contents: String,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    frontmatter: Option<Map<String, Value>>,
    frontmatter_links: Vec<Written>,
    frontmatter_tags: Option<Vec<String>>,
    headings: Vec<Heading>,
    links: Vec<Written>,
    embeds: Vec<Written>,
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

/// A link as it is written and shown.
#[derive(Debug, Deserialize, PartialEq)]
struct Written {
    /// Target and part.
    link: String,
    #[serde(alias = "displayText")]
    display: String,
    original: String,
    /// Of a property.
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

fn written(text: &str, link: &Link) -> Written {
    let part = link.part.iter().map(|part| format!("#{part}"));
    Written {
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

/// Its record tells the items of a list apart, [`Link::property`] does not.
fn without_number(mut link: Written) -> Written {
    link.key = link.key.map(|key| match key.rsplit_once('.') {
        Some((key, number)) if number.parse::<usize>().is_ok() => key.to_owned(),
        _ => key,
    });
    link
}

#[test]
fn notes_are_read_as_obsidian_reads_them() {
    let cases = include_str!("../../fixtures/obsidian/cases.jsonl");
    let cases: Vec<Case> = cases
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

        let found = |wanted: fn(&Link) -> bool| -> Vec<Written> {
            let links = note.links.iter().filter(|link| wanted(link));
            links.map(|link| written(&text, link)).collect()
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
        // Obsidian lists them as often as they stand there.
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

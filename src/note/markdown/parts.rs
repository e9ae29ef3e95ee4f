//! Checks whether the link targets `[[Note#Heading]]` and `[[Note#^block]]` exist in a note.
//!
//! The check is lenient, because a false alarm costs more than a miss. Headings are compared by letters and digits,
//! so Obsidian's spelling, GitHub's (`#some-heading-1`) and the heading's markup all match.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::body::Heading;
use super::links::{anchor_of_heading, part_of_heading};
use super::loss_check::MERGED_FROM;
use crate::note::Note;
use crate::note::words::letters::folded;

/// Link targets within a note.
#[derive(Debug, Default)]
pub struct Parts {
    headings: Vec<HeadingNames>,
    /// The keys of all headings, for the many links to a single heading.
    heading_set: HashSet<String>,
    /// Block ids in lower case.
    blocks: HashSet<String>,
    /// Names of HTML anchors.
    pub anchors: HashSet<String>,
    /// Whether the first heading is the title.
    has_title: bool,
    places: OnceLock<Vec<HeadingPlace>>,
}

#[derive(Debug)]
struct HeadingNames {
    level: u8,
    text: String,
    /// The key of the text, and of the raw line, which includes the addresses of links.
    keys: [String; 2],
}

/// Identifies a heading before and after a merge: the keys of the headings above it and its own,
/// without titles and headings of merges, and its number among headings with the same keys.
pub type HeadingPlace = (Vec<String>, usize);

/// A link target that does not exist.
#[derive(Debug, PartialEq, Eq)]
pub enum MissingPart<'p> {
    Heading(&'p str),
    Block(&'p str),
}

impl Parts {
    pub fn of(note: &Note, text: &str) -> Self {
        let names = |heading: &Heading| HeadingNames {
            level: heading.level,
            text: heading.text.clone(),
            keys: [
                key(&heading.text),
                key(text[heading.at..].lines().next().unwrap_or_default()),
            ],
        };
        let headings: Vec<HeadingNames> = note.headings.iter().map(names).collect();
        let keys = headings.iter().flat_map(|heading| heading.keys.clone());
        let blocks = note.blocks.iter();
        Self {
            heading_set: keys.collect(),
            headings,
            blocks: blocks.map(|block| block.id.to_ascii_lowercase()).collect(),
            anchors: anchors(text).map(str::to_owned).collect(),
            has_title: false,
            places: OnceLock::new(),
        }
    }

    /// Returns the targets of a note with one of `titles` as its first heading, which a merge omits.
    #[must_use]
    pub fn with_titles(self, titles: &[&str]) -> Self {
        let first = self.headings.first();
        let has_title =
            first.is_some_and(|first| first.level == 1 && titles.contains(&first.text.as_str()));
        Self { has_title, ..self }
    }

    /// Returns the missing heading or block of `part`, if any.
    pub fn missing<'p>(&self, part: &'p str) -> Option<MissingPart<'p>> {
        if let Some(id) = block_id(part) {
            let found = self.blocks.contains(&id.to_ascii_lowercase());
            return (!found).then_some(MissingPart::Block(id));
        }
        let mut headings = self.headings.iter();
        let missing = steps(part).find(|step| {
            let name = StepName::of(step);
            let is_known = name.keys().any(|key| self.heading_set.contains(key));
            !(is_known
                && headings
                    .by_ref()
                    .any(|heading| name.keys().any(|key| heading.keys.contains(key))))
        });
        missing.map(|step| MissingPart::Heading(step.trim()))
    }

    /// Returns the index of the heading that `part` leads to.
    ///
    /// As in Obsidian, each step is the first heading of that name below the one before it;
    /// as on GitHub, `log-1` is the second heading `Log`.
    pub fn heading(&self, part: &str) -> Option<usize> {
        if block_id(part).is_some() {
            return None;
        }
        let mut found: Option<usize> = None;
        for step in steps(part) {
            let name = StepName::of(step);
            let above = found.map_or(0, |at| self.headings[at].level);
            let named = |key: &String, nth| {
                let is_named =
                    |heading: &HeadingNames| heading.level > above && heading.keys.contains(key);
                let below = (found.map_or(0, |at| at + 1)..self.headings.len())
                    .filter(|at| is_named(&self.headings[*at]));
                self.heading_set.contains(key).then_some(below)?.nth(nth)
            };
            let exact = named(&name.key, 0);
            found =
                Some(exact.or_else(|| named(&name.counted.as_ref()?.0, name.counted.as_ref()?.1))?);
        }
        found
    }

    /// Returns the shortest part that leads to the heading `at`: an anchor, or names of headings.
    pub fn address(&self, at: usize, is_anchor: bool) -> Option<String> {
        let text = &self.headings[at].text;
        let leads = |part: &String| self.heading(part) == Some(at);
        if is_anchor {
            let anchor = anchor_of_heading(text);
            let counted = (1..=at).map(|number| format!("{anchor}-{number}"));
            return std::iter::once(anchor.clone()).chain(counted).find(leads);
        }
        let mut part = part_of_heading(text);
        let mut level = self.headings[at].level;
        let mut above = self.headings[..at].iter().rev();
        while !leads(&part) {
            let parent = above.find(|heading| heading.level < level)?;
            level = parent.level;
            part = format!("{}#{part}", part_of_heading(&parent.text));
        }
        Some(part)
    }

    /// Returns the place of each heading; that of the title has no keys.
    pub fn places(&self) -> &[HeadingPlace] {
        self.places.get_or_init(|| self.read_places())
    }

    fn read_places(&self) -> Vec<HeadingPlace> {
        let mut counts: HashMap<Vec<String>, usize> = HashMap::new();
        let mut above: Vec<(usize, u8)> = Vec::new();
        let mut places = Vec::with_capacity(self.headings.len());
        for (at, heading) in self.headings.iter().enumerate() {
            above.retain(|(_, level)| *level < heading.level);
            above.push((at, heading.level));
            let is_counted = |&&(other, _): &&(usize, u8)| {
                let is_of_merge = self.headings[other].text.starts_with(MERGED_FROM);
                !(self.has_title && other == 0 || is_of_merge && other != at)
            };
            let counted = above.iter().filter(is_counted);
            let path: Vec<String> = counted
                .map(|(at, _)| self.headings[*at].keys[0].clone())
                .collect();
            let count = counts.entry(path.clone()).or_default();
            places.push((path, *count));
            *count += 1;
        }
        places
    }

    /// Whether a heading of `other` occurs more often here.
    pub fn repeats_headings_of(&self, other: &Self) -> bool {
        let counts = |parts: &Self| {
            let mut counts: HashMap<String, usize> = HashMap::new();
            for heading in &parts.headings {
                *counts.entry(heading.keys[0].clone()).or_default() += 1;
            }
            counts
        };
        let counts_here = counts(self);
        let mut counts = counts(other).into_iter();
        counts.any(|(key, count)| counts_here.get(&key) > Some(&count))
    }
}

/// A step of a part as the keys of headings.
struct StepName {
    key: String,
    /// GitHub appends a number to repeated headings.
    counted: Option<(String, usize)>,
}

impl StepName {
    fn of(step: &str) -> Self {
        let (name, number) = step.trim().rsplit_once('-').unwrap_or_default();
        Self {
            key: key(step),
            counted: number.parse().ok().map(|number| (key(name), number)),
        }
    }

    fn keys(&self) -> impl Iterator<Item = &String> {
        let counted = self.counted.iter().map(|(key, _)| key);
        std::iter::once(&self.key).chain(counted)
    }
}

/// Returns the headings of a part, from the top down.
fn steps(part: &str) -> impl Iterator<Item = &str> {
    part.split('#').filter(|step| !step.trim().is_empty())
}

/// Returns the block id that a part names.
fn block_id(part: &str) -> Option<&str> {
    let last = part.rsplit('#').next().unwrap_or(part);
    last.trim().strip_prefix('^')
}

/// Whether a link to the heading `name` means the heading `text`.
pub fn is_same_heading(text: &str, name: &str) -> bool {
    key(text) == key(name)
}

/// Returns letters and digits in lower case, or the whole folded text if it has none.
fn key(text: &str) -> String {
    let folded = folded(text);
    let key: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
    if key.is_empty() { folded } else { key }
}

/// Returns the names of the HTML anchors in `text`.
fn anchors(text: &str) -> impl Iterator<Item = &str> {
    ["id=", "name="].into_iter().flat_map(move |attribute| {
        text.match_indices(attribute).filter_map(move |(at, _)| {
            let value = &text[at + attribute.len()..];
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let value = &value[1..];
            // The limit keeps an unclosed quote from being searched to the end of the text.
            let (end, _) = value.char_indices().take(200).find(|(_, c)| *c == quote)?;
            Some(&value[..end])
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::read;

    #[test]
    fn links_to_parts_resolve() {
        let text = "# Tea & *water*: 80 °C\n\n## Usage\n\n### See [[Cup|cups]]\n\n## Usage\n\n\
                    ## [Cup](cup.md)\n\n## 日本茶\n\n## 🍵\n\nx ^Abc-1\n";
        let parts = Parts::of(&read(text, "stem"), text);
        for (part, expected) in [
            ("Tea & water: 80 °C", None),
            ("tea water 80 °C", None),
            ("tea--water-80-c", None),
            ("Usage", None),
            ("usage-1", None),
            ("See Cup cups", None),
            ("Usage#See Cup cups", None),
            ("Cup cup.md", None),
            ("日本茶", None),
            ("🍵", None),
            ("^abc-1", None),
            ("Usage#^Abc-1", None),
            ("Uses", Some(MissingPart::Heading("Uses"))),
            ("usage1", Some(MissingPart::Heading("usage1"))),
            ("🍵#Usage", Some(MissingPart::Heading("Usage"))),
            ("^abc", Some(MissingPart::Block("abc"))),
        ] {
            assert_eq!(parts.missing(part), expected, "{part}");
        }
    }

    #[test]
    fn links_to_repeated_headings_resolve() {
        let text =
            "# Ben\n\n## Log\n\n## Home\n\n### Log\n\n## Work\n\n### Log\n\n### Log\n\n## Log 7\n";
        let parts = Parts::of(&read(text, "stem"), text).with_titles(&["Ben"]);
        for (part, expected) in [
            ("Ben", Some(0)),
            ("Log", Some(1)),
            ("log", Some(1)),
            ("log-1", Some(3)),
            ("log-2", Some(5)),
            ("log-3", Some(6)),
            ("log-4", None),
            ("log-7", Some(7)),
            ("Ben#Log", Some(1)),
            ("Home#Log", Some(3)),
            ("Ben#Home#Log", Some(3)),
            ("Work#Log", Some(5)),
            // The heading after it is not below it.
            ("Log#Home", None),
            ("^log", None),
            ("Home#^log", None),
        ] {
            assert_eq!(parts.heading(part), expected, "{part}");
        }
        for (at, part, anchor) in [
            (0, Some("Ben"), Some("ben")),
            (1, Some("Log"), Some("log")),
            (3, Some("Home#Log"), Some("log-1")),
            (5, Some("Work#Log"), Some("log-2")),
            // Names cannot tell it from the heading before it.
            (6, None, Some("log-3")),
        ] {
            assert_eq!(parts.address(at, false).as_deref(), part, "{at}");
            assert_eq!(parts.address(at, true).as_deref(), anchor, "{at}");
        }
        let places = parts.places();
        let place = |at: usize| (places[at].0.join(">"), places[at].1);
        assert_eq!(place(0), (String::new(), 0));
        assert_eq!(place(3), ("home>log".to_owned(), 0));
        assert_eq!(place(6), ("work>log".to_owned(), 1));
    }

    #[test]
    fn finds_html_anchors() {
        let text = "<a name=\"x\"></a> <p id='y'> <p id='long> id=";
        assert_eq!(anchors(text).collect::<Vec<_>>(), ["y", "x"]);
    }
}

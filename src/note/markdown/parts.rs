//! Checks whether the link targets `[[Note#Heading]]` and `[[Note#^block]]` exist in a note.
//!
//! The check is lenient, because a false alarm costs more than a miss. Headings are compared by letters and digits,
//! so Obsidian's spelling, GitHub's (`#some-heading-1`) and the heading's markup all match.

use std::collections::HashSet;

use crate::note::Note;
use crate::note::words::letters::folded;

/// Link targets within a note.
#[derive(Debug, Default)]
pub struct Parts {
    headings: Vec<String>,
    /// The same headings as a set, for the many links to a single heading.
    heading_set: HashSet<String>,
    /// Block ids in lower case.
    blocks: HashSet<String>,
    /// Names of HTML anchors.
    pub anchors: HashSet<String>,
}

/// A link target that does not exist.
#[derive(Debug, PartialEq, Eq)]
pub enum MissingPart<'p> {
    Heading(&'p str),
    Block(&'p str),
}

impl Parts {
    pub fn of(note: &Note, text: &str) -> Self {
        let mut headings = Vec::with_capacity(note.headings.len());
        for heading in &note.headings {
            headings.push(key(&heading.text));
            // The raw line too, which includes the addresses of links.
            let line = text[heading.at..].lines().next().unwrap_or_default();
            let written = key(line);
            if headings.last() != Some(&written) {
                headings.push(written);
            }
        }
        let blocks = note.blocks.iter();
        Self {
            heading_set: headings.iter().cloned().collect(),
            headings,
            blocks: blocks.map(|block| block.id.to_ascii_lowercase()).collect(),
            anchors: anchors(text).map(str::to_owned).collect(),
        }
    }

    /// Returns the missing heading or block of `part`, if any.
    pub fn missing<'p>(&self, part: &'p str) -> Option<MissingPart<'p>> {
        let last = part.rsplit('#').next().unwrap_or(part).trim();
        if let Some(id) = last.strip_prefix('^') {
            let found = self.blocks.contains(&id.to_ascii_lowercase());
            return (!found).then_some(MissingPart::Block(id));
        }
        let mut headings = self.headings.iter();
        for step in part.split('#').filter(|step| !step.trim().is_empty()) {
            let wanted = key(step);
            // GitHub appends a number to repeated headings.
            let counted = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
            let counts = step
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .ends_with('-');
            let is_known =
                self.heading_set.contains(&wanted) || counts && self.heading_set.contains(counted);
            let found = is_known
                && headings
                    .by_ref()
                    .any(|heading| *heading == wanted || counts && heading == counted);
            if !found {
                return Some(MissingPart::Heading(step.trim()));
            }
        }
        None
    }
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
    fn finds_html_anchors() {
        let text = "<a name=\"x\"></a> <p id='y'> <p id='long> id=";
        assert_eq!(anchors(text).collect::<Vec<_>>(), ["y", "x"]);
    }
}

//! Whether a part of a note that a link names is there: `[[Note#Heading]]`, `[[Note#^block]]`.
//!
//! Generous on purpose, for a false alarm costs more than a miss: headings are compared by their
//! letters and digits, so that Obsidian's way of writing them, GitHub's (`#some-heading-1`) and a
//! heading's own markup all do.

use std::collections::HashSet;

use crate::note::Note;
use crate::note::words::letters::folded;

/// What links can name in a note.
#[derive(Debug, Default)]
pub struct Parts {
    headings: Vec<String>,
    /// The same, for the many links that name a heading alone.
    known: HashSet<String>,
    /// Ids in lower case.
    blocks: HashSet<String>,
    /// Names of HTML anchors.
    pub anchors: HashSet<String>,
}

/// What is not there.
#[derive(Debug, PartialEq, Eq)]
pub enum Missing<'p> {
    Heading(&'p str),
    Block(&'p str),
}

impl Parts {
    #[must_use]
    pub fn of(note: &Note, text: &str) -> Self {
        let mut headings = Vec::with_capacity(note.headings.len());
        for heading in &note.headings {
            headings.push(key(&heading.text));
            // As written, with the addresses of links and the like.
            let line = text[heading.at..].lines().next().unwrap_or_default();
            let written = key(line);
            if headings.last() != Some(&written) {
                headings.push(written);
            }
        }
        let blocks = note.blocks.iter();
        Self {
            known: headings.iter().cloned().collect(),
            headings,
            blocks: blocks.map(|block| block.id.to_ascii_lowercase()).collect(),
            anchors: anchors(text).map(str::to_owned).collect(),
        }
    }

    /// Returns what of `part` is missing, if anything is.
    pub fn missing<'p>(&self, part: &'p str) -> Option<Missing<'p>> {
        let last = part.rsplit('#').next().unwrap_or(part).trim();
        if let Some(id) = last.strip_prefix('^') {
            let found = self.blocks.contains(&id.to_ascii_lowercase());
            return (!found).then_some(Missing::Block(id));
        }
        let mut headings = self.headings.iter();
        for step in part.split('#').filter(|step| !step.trim().is_empty()) {
            let wanted = key(step);
            // GitHub counts headings that read alike.
            let counted = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
            let counts = step
                .trim_end_matches(|c: char| c.is_ascii_digit())
                .ends_with('-');
            let is_known = self.known.contains(&wanted) || counts && self.known.contains(counted);
            let found = is_known
                && headings
                    .by_ref()
                    .any(|heading| *heading == wanted || counts && heading == counted);
            if !found {
                return Some(Missing::Heading(step.trim()));
            }
        }
        None
    }
}

/// Letters and digits in lower case; all of it where there are none.
fn key(text: &str) -> String {
    let folded = folded(text);
    let key: String = folded.chars().filter(|c| c.is_alphanumeric()).collect();
    if key.is_empty() { folded } else { key }
}

/// The names of the HTML anchors in `text`.
fn anchors(text: &str) -> impl Iterator<Item = &str> {
    ["id=", "name="].into_iter().flat_map(move |attribute| {
        text.match_indices(attribute).filter_map(move |(at, _)| {
            let value = &text[at + attribute.len()..];
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let value = &value[1..];
            // Longer is no name: a quote that nothing closes would be looked for to the end.
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
    fn parts() {
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
            ("Uses", Some(Missing::Heading("Uses"))),
            ("usage1", Some(Missing::Heading("usage1"))),
            ("🍵#Usage", Some(Missing::Heading("Usage"))),
            ("^abc", Some(Missing::Block("abc"))),
        ] {
            assert_eq!(parts.missing(part), expected, "{part}");
        }
    }

    #[test]
    fn names_of_anchors() {
        let text = "<a name=\"x\"></a> <p id='y'> <p id='long> id=";
        assert_eq!(anchors(text).collect::<Vec<_>>(), ["y", "x"]);
    }
}

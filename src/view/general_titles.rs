//! First headings that say what kind of text follows and not what the note is about: `Ideas`, `Boilerplate`.
//!
//! Several notes begin with such a heading, or have it further down, and none of them has it as its file
//! name. It still is the title for a reader; two notes that share it do not share a title.

use crate::cache::text::schema::Column;
use crate::note::names::filename::telling;
use crate::view::prelude::*;

/// Notes that begin with one heading, from which on it is general.
const MIN_TITLED: usize = 3;

/// Other notes with the heading further down, from which on it is general.
const MIN_HEADED: usize = 2;

/// Headings that are general in two notes, too.
const SECTIONS: &str = "background boilerplate draft ideas inbox introduction journal links log misc notes overview \
    questions readme references resources scratch scratchpad summary tasks template thoughts todo todos";

impl View<'_> {
    /// Returns which of `entries` share a title that is a general heading.
    pub fn general_titles(&self, entries: &[Entry]) -> Result<HashSet<Slot>> {
        let titled = entries.iter().filter(|entry| entry.row.title != 0);
        let mut titled: Vec<&Entry> = titled.collect();
        titled.sort_by_key(|entry| entry.row.title);
        let mut general = HashSet::new();
        for same in titled.chunk_by(|a, b| a.row.title == b.row.title) {
            if same.len() < 2 {
                continue;
            }
            let mut heading = None;
            let mut headed = Vec::new();
            for entry in same {
                let details = self.details(entry.slot)?;
                let stem = folded(&telling(entry.path.stem()));
                let title = folded(&details.title);
                // `Ideas` is a part of the name `Tea ideas`, `Green tea` is that of `Green tea 2`.
                let is_named = stem == title || title.contains(' ') && stem.contains(&title);
                let is_own = stem.is_empty() || is_named || has_words(&title, &stem);
                if is_own || details.properties().contains_key("title") {
                    continue;
                }
                heading = Some(details.title);
                headed.push((stem, entry.slot));
            }
            let Some(heading) = heading else { continue };
            let stems: HashSet<&String> = headed.iter().map(|(stem, _)| stem).collect();
            if stems.len() >= MIN_TITLED || self.is_section(&heading, same)? {
                general.extend(headed.into_iter().map(|(_, slot)| slot));
            }
        }
        Ok(general)
    }

    /// Whether `heading` begins a part of notes other than `titled`, which begin with it.
    fn is_section(&self, heading: &str, titled: &[&Entry]) -> Result<bool> {
        let name = folded(heading);
        if SECTIONS.split_whitespace().any(|section| section == name) {
            return Ok(true);
        }
        let mut headed = self.with_phrase_in(heading, Some(Column::Headings))?;
        headed.retain(|slot| titled.iter().all(|entry| entry.slot != *slot));
        Ok(headed.len() >= MIN_HEADED)
    }
}

/// Whether `text` contains `words` as whole words, regardless of the signs between them.
fn has_words(text: &str, words: &str) -> bool {
    let spaced = |text: &str| format!(" {} ", text.replace(|c: char| !c.is_alphanumeric(), " "));
    spaced(text).contains(&spaced(words))
}

#[cfg(test)]
mod tests {

    use crate::view::tests::Scene;

    #[test]
    fn a_heading_that_names_a_part_is_general() {
        let general = |notes: &[(&str, &str)]| -> Vec<String> {
            let scene = Scene::of(notes.to_vec(), None);
            let view = scene.view(false);
            let entries = view.entries().unwrap();
            let general = view.general_titles(&entries).unwrap();
            let general = entries.iter().filter(|entry| general.contains(&entry.slot));
            general.map(|entry| entry.path.to_string()).collect()
        };
        for (notes, expected) in [
            // In three notes that are called otherwise, or a section of two others.
            (
                &[
                    ("Alpha.md", "# Setup"),
                    ("Beta.md", "# setup"),
                    ("Gamma.md", "# Setup"),
                    ("Setup.md", "# Setup"),
                ][..],
                &["Alpha.md", "Beta.md", "Gamma.md"][..],
            ),
            (
                &[
                    ("Alpha.md", "# Setup"),
                    ("Beta.md", "# Setup"),
                    ("C.md", "## Setup"),
                    ("D.md", "x\n\n## Setup"),
                ],
                &["Alpha.md", "Beta.md"],
            ),
            (
                &[("Alpha.md", "# Ideas"), ("Beta.md", "# Ideas")],
                &["Alpha.md", "Beta.md"],
            ),
            // A letter of the title is no word of it.
            (
                &[("b.md", "# Boilerplate"), ("p1.md", "# Boilerplate")],
                &["b.md", "p1.md"],
            ),
            // A title of two notes, one that the file has, or that the author states.
            (&[("Alpha.md", "# Setup"), ("Beta.md", "# Setup")], &[]),
            (
                &[
                    ("Green tea.md", "# Green tea"),
                    ("Green tea 2.md", "# Green tea"),
                    ("01J9Z3QK8V.md", "# Green tea"),
                ],
                &[],
            ),
            (
                &[
                    ("A1.md", "---\ntitle: Ideas\n---\n"),
                    ("B1.md", "---\ntitle: Ideas\n---\n"),
                    ("C1.md", "---\ntitle: Ideas\n---\n"),
                ],
                &[],
            ),
        ] {
            assert_eq!(general(notes), expected, "{notes:?}");
        }
    }
}

//! Generic first headings, such as `Ideas` or `Boilerplate`, that do not identify a note.
//!
//! Several notes begin with such a heading or contain it further down, and none has it as its file
//! name. Readers still see it as the title, but two notes that share it do not share a title.

use crate::cache::text::schema::Column;
use crate::note::names::filename::meaningful_words;
use crate::view::prelude::*;

/// Minimum number of notes that begin with a heading for it to be generic.
const MIN_TITLED: usize = 3;

/// Minimum number of other notes that contain the heading further down for it to be generic.
const MIN_HEADED: usize = 2;

/// Headings that are generic even in two notes.
const SECTIONS: &str = "background boilerplate draft ideas inbox introduction journal links log misc notes overview \
    questions readme references resources scratch scratchpad summary tasks template thoughts todo todos \
    entwurf fragen gedanken hintergrund ideen notizen quellen vorlage zusammenfassung \
    brouillon contexte idées liens modèle pensées résumé \
    borrador contexto enlaces ideas notas pensamientos plantilla preguntas resumen tareas \
    appunti bozza compiti domande idee pensieri riassunto \
    ideias perguntas rascunho resumo tarefas";

impl View<'_> {
    /// Returns those of `entries` that share a title which is a generic heading.
    pub fn general_titles(&self, entries: &[Entry]) -> Result<HashSet<Slot>> {
        let has_title = |entry: &&Entry| entry.row.title != 0;
        let mut titled: Vec<&Entry> = entries.iter().filter(has_title).collect();
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
                let stem = folded(&meaningful_words(entry.path.stem()));
                let title = folded(&details.title);
                // `Ideas` is part of the name `Tea ideas`; `Green tea` names the note `Green tea
                // 2`.
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

    /// Whether notes other than `titled` use `heading` for a section.
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

/// Whether `text` contains `words` as whole words, ignoring punctuation.
fn has_words(text: &str, words: &str) -> bool {
    let spaced = |text: &str| format!(" {} ", text.replace(|c: char| !c.is_alphanumeric(), " "));
    spaced(text).contains(&spaced(words))
}

#[cfg(test)]
mod tests {

    use crate::view::tests::IndexedVault;

    #[test]
    fn section_headings_are_generic_titles() {
        let general = |notes: &[(&str, &str)]| -> Vec<String> {
            let scene = IndexedVault::of(notes.to_vec(), None);
            let view = scene.view(false);
            let entries = view.entries().unwrap();
            let slots = view.general_titles(&entries).unwrap();
            let general = entries.iter().filter(|entry| slots.contains(&entry.slot));
            general.map(|entry| entry.path.to_string()).collect()
        };
        for (notes, expected) in [
            // The title of three notes with other names, or a section of two others.
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
            (
                &[("Alpha.md", "# Ideen"), ("Beta.md", "# Ideen")],
                &["Alpha.md", "Beta.md"],
            ),
            // A letter of the title is not one of its words.
            (
                &[("b.md", "# Boilerplate"), ("p1.md", "# Boilerplate")],
                &["b.md", "p1.md"],
            ),
            // A title of two notes, of the file name, or stated in the front matter.
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

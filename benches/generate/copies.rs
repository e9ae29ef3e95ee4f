//! Copies of generated notes with one small edit, and their labels.

use std::collections::HashSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::FIRST_AND_LAST_SECOND;
use crate::names::Names;
use crate::support::random::Random;
use crate::support::{AtPath, Outcome};

/// A copy of a note with one edit.
pub(crate) struct EditedCopy {
    /// Path of the original.
    pub(crate) of: String,
    /// Path of the copy.
    pub(crate) path: String,
    /// Text of the copy.
    pub(crate) text: String,
    /// Modification time in Unix seconds.
    pub(crate) at: u64,
    /// Kind of the edit.
    pub(crate) kind: &'static str,
}

impl EditedCopy {
    /// Returns whether the notes are equivalent (`duplicate`) or must stay separate (`distinct`).
    pub(crate) fn label(&self) -> &'static str {
        match self.kind {
            "number" | "negation" => "distinct",
            _ => "duplicate",
        }
    }
}

/// Makes `count` copies of different notes already written under `out`.
///
/// A third have file names of sync conflicts, in the same folder; the rest are in any folder.
pub(crate) fn make(out: &Path, names: &Names, count: usize, seed: u64) -> Outcome<Vec<EditedCopy>> {
    let mut random = Random::new(seed, 3);
    let mut used = HashSet::new();
    let mut copies = Vec::with_capacity(count);
    let mut paths: HashSet<String> = names
        .notes
        .iter()
        .map(|note| note.path.to_lowercase())
        .collect();
    // The bound only stops sources without an editable body.
    for _ in 0..count * 50 {
        if copies.len() == count {
            break;
        }
        let original = random.below(names.notes.len());
        let name = &names.notes[original];
        if used.contains(&original) || !name.unambiguous {
            continue;
        }
        let file = out.join(&name.path);
        let text = fs::read_to_string(&file).at(&file)?;
        let kind = *random.pick(&[
            "same",
            "typo",
            "typo",
            "added line",
            "added line",
            "dropped word",
            "dropped word",
            "number",
            "number",
            "number",
            "number",
            "negation",
            "negation",
        ]);
        let (front, body) = text.split_at(text.find("\n---\n").map_or(0, |at| at + 5));
        let Some(body) = edited(body, kind, &mut random) else {
            continue;
        };
        let stem = name.stem();
        let folder = name.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let (folder, stem) = match random.below(6) {
            0 => {
                let day = 1 + random.below(28);
                (folder, format!("{stem} (conflicted copy 2026-03-{day:02})"))
            }
            1 => (folder, format!("{stem} 1")),
            2 | 3 => (random.pick(&names.folders).as_str(), stem.to_owned()),
            4 => (
                random.pick(&names.folders).as_str(),
                format!("Copy of {stem}"),
            ),
            _ => (random.pick(&names.folders).as_str(), stem.to_lowercase()),
        };
        let path = if folder.is_empty() {
            format!("{stem}.md")
        } else {
            format!("{folder}/{stem}.md")
        };
        if !paths.insert(path.to_lowercase()) {
            continue;
        }
        used.insert(original);
        copies.push(EditedCopy {
            of: name.path.clone(),
            path,
            text: format!("{front}{body}"),
            at: FIRST_AND_LAST_SECOND.0
                + random.below((FIRST_AND_LAST_SECOND.1 - FIRST_AND_LAST_SECOND.0) as usize) as u64,
            kind,
        });
    }
    Ok(copies)
}

/// Returns the body with one edit, or `None` if it has no place for it.
fn edited(body: &str, kind: &str, random: &mut Random) -> Option<String> {
    let edit = |range: Range<usize>, with: &str| {
        Some(format!(
            "{}{with}{}",
            &body[..range.start],
            &body[range.end..]
        ))
    };
    match kind {
        "same" => Some(body.to_owned()),
        "added line" => {
            let line = *random.pick(&[
                "Checked again, still true.",
                "To be sorted later.",
                "Came up again today.",
                "(moved here from the inbox)",
            ]);
            Some(format!("{}\n\n{line}\n", body.trim_end()))
        }
        "typo" => {
            let words = prose_words(body, |word| word.len() >= 5);
            let word = if words.is_empty() {
                return None;
            } else {
                random.pick(&words).clone()
            };
            let letters: Vec<char> = body[word.clone()].chars().collect();
            let at = 1 + random.below(letters.len() - 2);
            let mut letters_with_typo = letters.clone();
            letters_with_typo.swap(at, at + 1);
            if letters_with_typo == letters {
                letters_with_typo.remove(at);
            }
            edit(word, &letters_with_typo.into_iter().collect::<String>())
        }
        "dropped word" => {
            // Replacing a meaningful word would change the statement.
            let words = prose_words(body, |word| {
                [
                    "the", "a", "an", "also", "just", "very", "really", "that", "quite",
                ]
                .contains(&word)
            });
            let word = if words.is_empty() {
                return None;
            } else {
                random.pick(&words)
            };
            edit(word.start..word.end + 1, "")
        }
        "number" => {
            let numbers: Vec<_> = spans(body, |c| c.is_ascii_digit())
                .filter(|span| span.len() <= 6 && is_separate_number(body, span))
                .collect();
            let span = if numbers.is_empty() {
                return None;
            } else {
                random.pick(&numbers)
            };
            let number: u64 = body[span.clone()].parse().ok()?;
            edit(
                span.clone(),
                &(number + 1 + random.below(9) as u64).to_string(),
            )
        }
        _ => {
            let places: Vec<usize> = [" is ", " are ", " can ", " should ", " will ", " must "]
                .iter()
                .flat_map(|verb| body.match_indices(verb).map(|(at, verb)| at + verb.len()))
                .filter(|&at| !body[at..].starts_with("not "))
                .collect();
            let at = if places.is_empty() {
                return None;
            } else {
                *random.pick(&places)
            };
            edit(at..at, "not ")
        }
    }
}

/// Returns the spans of lower-case words between two spaces that `fits` accepts.
///
/// Skips lines with code, URLs or formulas, where every letter matters.
fn prose_words(body: &str, fits: impl Fn(&str) -> bool) -> Vec<Range<usize>> {
    let in_prose = |at: usize| {
        let start = body[..at].rfind('\n').map_or(0, |at| at + 1);
        let end = body[at..]
            .find('\n')
            .map_or(body.len(), |length| at + length);
        !body[start..end].contains(['`', '{', '$', '|', '<', '['])
            && !body[start..].starts_with("  ")
    };
    spans(body, char::is_alphanumeric)
        .filter(|span| {
            let word = &body[span.clone()];
            word.chars().all(|c| c.is_ascii_lowercase())
                && fits(word)
                && body[..span.start].ends_with(' ')
                && body[span.end..].starts_with(' ')
                && in_prose(span.start)
        })
        .collect()
}

/// Whether a number is separate, not part of a link, version or name.
fn is_separate_number(body: &str, span: &Range<usize>) -> bool {
    body[..span.start].ends_with([' ', '\n', '(', ':'])
        && body[span.end..].starts_with([' ', '\n', ',', ')', '.'])
}

/// Returns the maximal runs of characters that `inside` accepts.
fn spans(text: &str, inside: impl Fn(char) -> bool) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(&inside)?;
        at = text[start..]
            .find(|c| !inside(c))
            .map_or(text.len(), |length| start + length);
        Some(start..at)
    })
}

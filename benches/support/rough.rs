//! A simple note reader for words and titles.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::{AtPath, Outcome};

/// A note: path, title, front matter and body.
pub(crate) struct RoughNote {
    /// Path relative to the vault, with `/`.
    pub(crate) path: String,
    /// Front matter `title`, else the first heading, else the file stem.
    pub(crate) title: String,
    /// The lines between `---`, or empty.
    pub(crate) front: String,
    /// The text after the front matter.
    pub(crate) body: String,
}

/// Returns all Markdown files under `root` outside hidden folders, sorted.
pub(crate) fn markdown_files(root: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    let visible = WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| {
            entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.')
        });
    for entry in visible {
        let entry = entry?;
        if entry.file_type().is_file() && entry.path().extension().is_some_and(|end| end == "md") {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

/// Reads all notes under `root`, in path order; invalid UTF-8 is replaced.
pub(crate) fn read_notes(root: &Path) -> Outcome<Vec<RoughNote>> {
    markdown_files(root)?
        .into_iter()
        .map(|file| {
            let text = String::from_utf8_lossy(&fs::read(&file).at(&file)?).replace("\r\n", "\n");
            let inside = file.strip_prefix(root).unwrap_or(&file);
            Ok(read_note(&inside.to_string_lossy(), &text))
        })
        .collect()
}

/// Splits a note's text.
pub(crate) fn read_note(path: &str, text: &str) -> RoughNote {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (front, body) = text
        .strip_prefix("---\n")
        .and_then(|rest| {
            rest.split_once("\n---\n")
                .or_else(|| rest.split_once("\n---"))
        })
        .unwrap_or(("", text));
    let stem = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".md");
    let title = front
        .lines()
        .find_map(|line| line.strip_prefix("title:"))
        .or_else(|| body.lines().find_map(|line| line.strip_prefix("# ")))
        .map(|title| title.trim().trim_matches(['"', '\'']).to_owned())
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| stem.to_owned());
    RoughNote {
        path: path.to_owned(),
        title,
        front: front.to_owned(),
        body: body.to_owned(),
    }
}

/// Returns the lower-cased alphanumeric runs of `text`.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// Returns the distinct words of four letters or more, sorted.
pub(crate) fn vocabulary<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let distinct: BTreeSet<String> = texts
        .into_iter()
        .flat_map(words)
        .filter(|word| word.chars().count() >= 4 && word.chars().all(char::is_alphabetic))
        .collect();
    distinct.into_iter().collect()
}

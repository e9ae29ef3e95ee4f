//! The pieces of real notes from which notes are generated.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::support::Outcome;
use crate::support::random::Random;
use crate::support::rough::{self, RoughNote};

/// All pieces, in the order of their paths.
pub(crate) struct Pool {
    /// Titles, distinct ignoring case.
    pub(crate) titles: Vec<String>,
    /// Tags and suitable folder names.
    pub(crate) tags: Vec<String>,
    /// Per source folder and note, its passages; none is empty.
    sources: Vec<Vec<Vec<Passage>>>,
}

/// A piece of text that fits between any two others.
pub(crate) enum Passage {
    /// The text of a heading.
    Heading(String),
    /// A paragraph as sentences.
    Sentences(Vec<String>),
    /// A list, quotation, table or fenced block.
    Block(String),
}

impl Pool {
    /// Reads all Markdown under the source folders.
    pub(crate) fn read(sources: &[PathBuf]) -> Outcome<Self> {
        let mut pool = Self {
            titles: Vec::new(),
            tags: Vec::new(),
            sources: Vec::new(),
        };
        let mut known_titles = BTreeSet::new();
        let mut tags = BTreeSet::new();
        for source in sources {
            let mut notes = Vec::new();
            for note in rough::read_notes(source)? {
                let title = without_link_brackets(&note.title);
                if (2..=60).contains(&title.chars().count())
                    && known_titles.insert(title.to_lowercase())
                {
                    pool.titles.push(title);
                }
                tags.extend(tags_of(&note));
                let passages = passages(&note.body);
                if !passages.is_empty() {
                    notes.push(passages);
                }
            }
            if !notes.is_empty() {
                pool.sources.push(notes);
            }
        }
        pool.tags.extend(tags);
        let notes: usize = pool.sources.iter().map(Vec::len).sum();
        if pool.titles.len() < 10 || notes < 10 || pool.tags.is_empty() {
            return Err("the `--from` folders hold fewer than 10 usable notes".into());
        }
        Ok(pool)
    }

    /// Draws a source note. A folder's weight is the square root of its size, so that the largest
    /// does not dominate.
    pub(crate) fn note(&self, random: &mut Random) -> &[Passage] {
        let weight = |source: &Vec<Vec<Passage>>| (source.len() as f64).sqrt();
        let mut left = random.unit() * self.sources.iter().map(weight).sum::<f64>();
        let source = self.sources.iter().find(|source| {
            left -= weight(source);
            left < 0.0
        });
        let source: &[Vec<Passage>] = source.unwrap_or(&self.sources[0]);
        &source[random.below(source.len())]
    }
}

/// Returns the tags in a note's front matter and the names of its folders.
fn tags_of(note: &RoughNote) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in note.front.lines() {
        if let Some(value) = line.strip_prefix("tags:") {
            inside = true;
            found.extend(value.split(',').map(str::to_owned));
        } else if let Some(item) = line.trim_start().strip_prefix("- ").filter(|_| inside) {
            found.push(item.to_owned());
        } else {
            inside = false;
        }
    }
    found.extend(note.path.split('/').rev().skip(1).map(str::to_owned));
    found
        .iter()
        .map(|tag| {
            tag.trim_matches(|c: char| !c.is_alphanumeric())
                .to_lowercase()
                .replace(' ', "-")
        })
        .filter(|tag| {
            (2..=30).contains(&tag.len())
                && tag.chars().all(|c| c.is_alphanumeric() || c == '-')
                && tag.contains(char::is_alphabetic)
        })
        .collect()
}

/// Splits a body at blank lines, headings and fences.
fn passages(body: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    let mut fenced = false;
    for line in body.lines().chain([""]) {
        let fence = line.trim_start().starts_with("```") || line.trim() == "$$";
        if fence {
            fenced = !fenced;
        }
        if !fenced && !fence && (line.trim().is_empty() || line.starts_with('#')) {
            passages.extend(passage(&lines));
            lines.clear();
            let heading = line
                .strip_prefix('#')
                .map(|rest| without_link_brackets(rest.trim_start_matches('#')));
            passages.extend(
                heading
                    .filter(|words| !words.is_empty())
                    .map(Passage::Heading),
            );
        } else {
            lines.push(line);
        }
    }
    // The first heading of most notes is their title.
    if let Some(Passage::Heading(_)) = passages.first() {
        passages.remove(0);
    }
    passages
}

/// Makes a passage of the lines between two blank ones; `None` if too short or too long.
fn passage(lines: &[&str]) -> Option<Passage> {
    let text = without_link_brackets(&lines.join("\n"));
    if !(15..=3000).contains(&text.len()) || text.starts_with("---") || text.starts_with('<') {
        return None;
    }
    let first = text.chars().next()?;
    if !(first.is_alphabetic() || matches!(first, '"' | '(' | '[')) || text.contains("```") {
        return Some(Passage::Block(text));
    }
    let mut sentences = Vec::new();
    let mut start = 0;
    for (at, ending) in text.match_indices([' ', '\n']) {
        if text[..at].ends_with(['.', '!', '?']) && at - start > 20 {
            sentences.push(text[start..at].to_owned());
            start = at + ending.len();
        }
    }
    sentences.push(text[start..].to_owned());
    sentences.retain(|sentence| !sentence.trim().is_empty());
    Some(Passage::Sentences(sentences))
}

/// Removes the brackets of wikilinks and embeds, whose targets do not exist in the new vault.
fn without_link_brackets(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[[") {
        let Some((link, behind)) = after.split_once("]]") else {
            break;
        };
        plain.push_str(before.strip_suffix('!').unwrap_or(before));
        let shown = link
            .split_once('|')
            .map_or_else(|| link.split('#').next(), |(_, s)| Some(s));
        plain.push_str(shown.unwrap_or(""));
        rest = behind;
    }
    plain.push_str(rest);
    plain.replace("[[", "").trim().to_owned()
}

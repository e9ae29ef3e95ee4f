//! Titles and paths of the generated notes.

use std::collections::HashSet;

use crate::pool::Pool;
use crate::support::random::Random;

/// Share of notes with the title of an earlier one.
const SAME_TITLE_SHARE: f64 = 0.01;

/// Paths and titles of all notes that are not copies.
pub(crate) struct Names {
    /// Folders for notes, with `/`; the root is empty.
    pub(crate) folders: Vec<String>,
    /// One entry per note.
    pub(crate) notes: Vec<Name>,
    /// Pairs of notes that share only their title.
    pub(crate) same_titles: Vec<(usize, usize)>,
}

/// Path and title of a note.
pub(crate) struct Name {
    /// Title in the front matter or first heading.
    pub(crate) title: String,
    /// Path in the vault.
    pub(crate) path: String,
    /// Whether the file name is unique, so that `[[stem]]` is enough.
    pub(crate) unambiguous: bool,
}

impl Name {
    /// Returns the file name without extension.
    pub(crate) fn stem(&self) -> &str {
        let name = self
            .path
            .rsplit_once('/')
            .map_or(self.path.as_str(), |(_, name)| name);
        name.trim_end_matches(".md")
    }
}

impl Names {
    /// Draws folders, titles and paths.
    pub(crate) fn draw(pool: &Pool, count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, 1);
        let folders = folders(pool, (count / 300).clamp(12, 320), &mut random);
        let mut names = Self {
            folders,
            notes: Vec::with_capacity(count),
            same_titles: Vec::new(),
        };
        let mut stems = HashSet::new();
        let mut paths = HashSet::new();
        while names.notes.len() < count {
            let folder = zipf(names.folders.len(), &mut random);
            let folder = names.folders[folder].clone();
            let note = names.notes.len();
            if note > 0 && random.chance(SAME_TITLE_SHARE) {
                let other = random.below(note);
                let path = path(&folder, names.notes[other].stem());
                if names.notes[other].unambiguous && paths.insert(path.to_lowercase()) {
                    names.notes[other].unambiguous = false;
                    let title = names.notes[other].title.clone();
                    names.notes.push(Name {
                        title,
                        path,
                        unambiguous: false,
                    });
                    names.same_titles.push((other, note));
                    continue;
                }
            }
            let title = title(pool, &mut random);
            let stem = file_stem(&title);
            if !stem.is_empty() && stems.insert(stem.to_lowercase()) {
                let path = path(&folder, &stem);
                paths.insert(path.to_lowercase());
                names.notes.push(Name {
                    title,
                    path,
                    unambiguous: true,
                });
            }
        }
        names
    }
}

/// Draws a tree of folders; folders with children attract more.
fn folders(pool: &Pool, count: usize, random: &mut Random) -> Vec<String> {
    let mut folders = vec![String::new()];
    let mut known = HashSet::new();
    while folders.len() < count {
        let parent = if random.chance(0.15) {
            0
        } else {
            random.below(folders.len())
        };
        let name = if random.chance(0.7) {
            random.pick(&pool.tags).replace('-', " ")
        } else {
            random.pick(&pool.titles).to_lowercase()
        };
        let folder = path(&folders[parent], &file_stem(&name));
        let folder = folder.trim_end_matches(".md").to_owned();
        let deep = folder.matches('/').count() >= 5;
        if !deep && !folder.ends_with('/') && known.insert(folder.to_lowercase()) {
            folders.push(folder);
        }
    }
    // Shuffle, because the index decides how full a folder gets and must not follow depth.
    for at in (1..folders.len()).rev() {
        folders.swap(at, random.below(at + 1));
    }
    folders
}

/// Draws a rank below `count` from a power law.
fn zipf(count: usize, random: &mut Random) -> usize {
    let skewed = (count as f64 + 1.0).powf(random.unit().powf(0.8)) - 1.0;
    (skewed as usize).min(count - 1)
}

/// Combines a title from one or two real ones.
fn title(pool: &Pool, random: &mut Random) -> String {
    let first = random.pick(&pool.titles);
    let second = random.pick(&pool.titles);
    let word = second.split_whitespace().next().unwrap_or(second);
    match random.below(20) {
        0..3 => first.clone(),
        3..7 => format!("{first} {word}"),
        7..10 => format!("{first} and {second}"),
        10..12 => format!("{first} for {second}"),
        12..14 => format!("Notes on {first} in {second}"),
        14..16 => format!("How {first} works with {second}"),
        16 => format!("{first}: {second}"),
        17 => format!("Why {first}, not {second}?"),
        _ => {
            let (year, month, day) = (
                2019 + random.below(7),
                1 + random.below(12),
                1 + random.below(28),
            );
            format!("{year}-{month:02}-{day:02} {first} {word}")
        }
    }
}

/// Returns a title as a file name valid on all systems and in Obsidian's links.
fn file_stem(title: &str) -> String {
    let allowed: String = title
        .chars()
        .map(|c| {
            if c.is_control() || r#"\/:*?"<>|#^[]%"#.contains(c) {
                ' '
            } else {
                c
            }
        })
        .collect();
    let words: Vec<&str> = allowed.split_whitespace().collect();
    let joined = words.join(" ");
    let short: String = joined.chars().take(80).collect();
    short.trim_matches(['.', ' ', '-']).to_owned()
}

fn path(folder: &str, stem: &str) -> String {
    if folder.is_empty() {
        format!("{stem}.md")
    } else {
        format!("{folder}/{stem}.md")
    }
}

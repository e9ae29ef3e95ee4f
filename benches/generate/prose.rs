//! Writes one generated note: front matter, passages, links.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::names::Names;
use crate::pool::{Passage, Pool};
use crate::support::random::Random;

/// Targets of the links of each note.
pub(crate) struct Links {
    /// Indices of the targets, one list per note.
    pub(crate) targets: Vec<Vec<usize>>,
}

impl Links {
    /// Draws links by preferential attachment: inbound counts follow a power law.
    pub(crate) fn draw(count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed, 2);
        let mut urn = Vec::new();
        let mut targets = Vec::with_capacity(count);
        for note in 0..count {
            let mut own = Vec::new();
            while own.len() < 12 && random.chance(0.7) {
                let target = if !urn.is_empty() && random.chance(0.6) {
                    *random.pick(&urn)
                } else {
                    random.below(count)
                };
                if target != note && !own.contains(&target) {
                    own.push(target);
                    urn.push(target);
                }
            }
            targets.push(own);
        }
        Self { targets }
    }
}

/// Writes note number `note`, last changed at Unix time `at`.
pub(crate) fn write(
    pool: &Pool,
    names: &Names,
    links: &Links,
    note: usize,
    at: u64,
    random: &mut Random,
) -> String {
    let name = &names.notes[note];
    let mut text = String::with_capacity(2048);
    let front = random.chance(0.7);
    if front {
        front_matter(pool, &name.title, at, random, &mut text);
    }
    if !front || random.chance(0.3) {
        let _ = write!(text, "# {}\n\n", name.title);
    }

    let length = (700.0 * (0.75 * random.normal()).exp()).clamp(60.0, 24_000.0) as usize;
    let mut targets: Vec<usize> = links.targets[note].clone();
    targets.reverse();
    let start = text.len();
    // Two notes that share most of their text by chance would be unlabelled duplicates, so every
    // note mixes at least three real ones.
    let share = (length / 3).max(150);
    while text.len() - start < length {
        let from = pool.note(random);
        let first = random.below(from.len());
        let end = text.len() + share;
        for passage in from.iter().skip(first).take(1 + random.below(3)) {
            append(passage, end, random, &mut text);
            if !targets.is_empty() && random.chance(0.6) {
                let target = targets.pop().unwrap_or(note);
                link(pool, names, note, target, random, &mut text);
            }
        }
    }
    if !targets.is_empty() {
        text.push_str(if random.chance(0.5) {
            "## See also\n\n"
        } else {
            "Related:\n\n"
        });
        for target in targets {
            text.push_str("- ");
            text.push_str(&link_text(names, note, target, random));
            text.push('\n');
        }
    }
    if random.chance(0.25) {
        let _ = writeln!(
            text,
            "\n#{} #{}",
            random.pick(&pool.tags),
            random.pick(&pool.tags)
        );
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// Writes front matter in one of several common styles.
fn front_matter(pool: &Pool, title: &str, at: u64, random: &mut Random, text: &mut String) {
    text.push_str("---\n");
    if random.chance(0.85) {
        let quoted = title.contains([':', '#', '"', '\'', '&', '*', '!', '%', '@', '`', '[', '{'])
            || title.starts_with(|c: char| !c.is_alphabetic())
            || random.chance(0.4);
        if quoted {
            let _ = writeln!(
                text,
                "title: \"{}\"",
                title.replace('\\', "").replace('"', "\\\"")
            );
        } else {
            let _ = writeln!(text, "title: {title}");
        }
    }
    let tags: BTreeSet<&str> = (0..random.below(5))
        .map(|_| random.pick(&pool.tags).as_str())
        .collect();
    let tags = Vec::from_iter(tags);
    match (tags.is_empty(), random.below(10)) {
        (true, _) => {}
        (_, 0..5) => {
            text.push_str("tags:\n");
            for tag in tags {
                let _ = writeln!(text, "  - {tag}");
            }
        }
        (_, 5..9) => {
            let _ = writeln!(text, "tags: [{}]", tags.join(", "));
        }
        _ => {
            let _ = writeln!(text, "tags: {}", tags.join(", "));
        }
    }
    let created = at - (random.unit() * random.unit() * 20_000_000.0) as u64;
    match random.below(10) {
        0..5 => {
            let _ = writeln!(text, "created: {}", date(created));
        }
        5..8 => {
            let (hour, minute) = (created / 3600 % 24, created / 60 % 60);
            let _ = writeln!(text, "created: {}T{hour:02}:{minute:02}:00Z", date(created));
        }
        _ => {}
    }
    if random.chance(0.1) {
        let alias = random.pick(&pool.titles).replace(['"', '\\'], "");
        let _ = writeln!(text, "aliases: [\"{alias}\"]");
    }
    if random.chance(0.12) {
        let kind = random.pick(&["fact", "decision", "person", "project", "concept", "event"]);
        let _ = writeln!(text, "type: {kind}");
    }
    if random.chance(0.08) {
        let status = random.pick(&["draft", "done", "open", "evergreen"]);
        let _ = writeln!(text, "status: {status}  # mine");
    }
    if random.chance(0.043) {
        text.push_str("mem: {by: claude, seal: 0000000000000000}\n");
    }
    text.push_str("---\n\n");
}

/// Appends a passage, or the part that fits before `end`.
fn append(passage: &Passage, end: usize, random: &mut Random, text: &mut String) {
    match passage {
        Passage::Heading(words) if text.len() + words.len() < end => {
            let _ = write!(text, "## {words}\n\n");
        }
        Passage::Block(block) if text.len() + block.len() < end => {
            let _ = write!(text, "{block}\n\n");
        }
        Passage::Sentences(sentences) => {
            let start = text.len();
            for sentence in sentences {
                if random.chance(0.75) && text.len() + sentence.len() < end {
                    text.push_str(sentence);
                    text.push(' ');
                }
            }
            if text.len() > start {
                text.truncate(text.trim_end().len());
                text.push_str("\n\n");
            }
        }
        Passage::Heading(_) | Passage::Block(_) => {}
    }
}

/// Writes a sentence around a link.
fn link(
    pool: &Pool,
    names: &Names,
    note: usize,
    target: usize,
    random: &mut Random,
    text: &mut String,
) {
    let link = link_text(names, note, target, random);
    let topic = random.pick(&pool.titles);
    let _ = match random.below(7) {
        0 => write!(text, "See also {link}.\n\n"),
        1 => write!(
            text,
            "This goes back to {link}, mostly because of {topic}.\n\n"
        ),
        2 => write!(text, "Compare with {link}.\n\n"),
        3 => write!(text, "- {link}: what it says about {topic}\n\n"),
        4 => write!(text, "More in {link}.\n\n"),
        5 => write!(text, "{link} has the details on {topic}.\n\n"),
        _ => write!(text, "I wrote about {topic} in {link}.\n\n"),
    };
}

/// Returns a link in one of the common forms; some are broken.
fn link_text(names: &Names, note: usize, target: usize, random: &mut Random) -> String {
    let target = &names.notes[target];
    let full = target.path.trim_end_matches(".md");
    let short = if target.unambiguous {
        target.stem()
    } else {
        full
    };
    match random.below(100) {
        0..60 => format!("[[{short}]]"),
        60..75 => format!(
            "[[{short}|{}]]",
            target.title.to_lowercase().replace(['|', ']'], " ")
        ),
        75..85 => format!("[[{full}]]"),
        85..88 => format!("[[{short}#See also]]"),
        88..90 => format!("![[{short}]]"),
        90..92 => format!("[[{short} someday]]"),
        _ => {
            let up = "../".repeat(names.notes[note].path.matches('/').count());
            format!(
                "[{}]({up}{})",
                target.stem(),
                target.path.replace(' ', "%20")
            )
        }
    }
}

/// Returns the date of a Unix time as `YYYY-MM-DD`.
fn date(at: u64) -> String {
    jiff::Timestamp::from_second(at as i64).map_or_else(
        |_| "2020-01-01".to_owned(),
        |time| time.strftime("%Y-%m-%d").to_string(),
    )
}

//! What of the hits fits into a budget of tokens: each thing once, the best first.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::Hit;

/// Bytes of text per token of a language model, about: three quarters of a word, a character of a script without
/// spaces.
const BYTES_PER_TOKEN: usize = 4;
/// The fewest tokens of a budget: a passage cut to fewer says too little.
pub const MIN_BUDGET: usize = 40;
/// What share of its word sequences another passage has that says the same.
const SAME: f32 = 0.6;

/// A passage under the line that says where it comes from.
#[derive(Debug)]
pub struct Recalled {
    pub head: String,
    pub hit: Hit,
    /// Of both.
    pub tokens: usize,
}

/// Returns what of `hits` fits into `budget` tokens, each thing once and the last perhaps cut, and
/// how many did not.
pub fn within(hits: Vec<Hit>, budget: usize) -> (Vec<Recalled>, usize) {
    let (mut left, mut left_out) = (budget, 0);
    let mut said: Vec<[HashSet<u64>; 2]> = Vec::new();
    let mut recalled = Vec::new();
    for mut hit in hits {
        let own = [1, 3].map(|size| sequences(&hit.excerpt.text, size));
        if said.iter().any(|other| is_said(&own, other)) {
            continue;
        }
        let head = head(&hit);
        let head_tokens = tokens(&head);
        if head_tokens + tokens(&hit.excerpt.text) > left {
            // What is left may do for the beginning of it, or for a shorter one further down.
            if left < head_tokens + MIN_BUDGET / 2 {
                left_out += 1;
                continue;
            }
            clip(
                &mut hit.excerpt.text,
                (left - head_tokens) * BYTES_PER_TOKEN,
            );
        }
        let tokens = head_tokens + tokens(&hit.excerpt.text);
        left = left.saturating_sub(tokens);
        said.push(own);
        recalled.push(Recalled { head, hit, tokens });
    }
    (recalled, left_out)
}

/// Returns hashes of all `size` words that follow one another in `text`, or of all if there are fewer.
fn sequences(text: &str, size: usize) -> HashSet<u64> {
    let words: Vec<String> = text
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let size = words.len().clamp(1, size);
    words
        .windows(size)
        .map(|words| xxh3_64(words.join(" ").as_bytes()))
        .collect()
}

/// Returns whether all words of `own` are in `other`, and most of its sequences: one other word may be
/// the newer fact.
fn is_said(own: &[HashSet<u64>; 2], other: &[HashSet<u64>; 2]) -> bool {
    let both = own[1].intersection(&other[1]).count();
    own[0].is_subset(&other[0]) && both as f32 >= SAME * own[1].len() as f32
}

fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}

/// Cuts `text` between two words, so that it has at most `most` bytes.
fn clip(text: &mut String, most: usize) {
    const MARK: &str = " …";
    if text.len() <= most {
        return;
    }
    let mut end = most.saturating_sub(MARK.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    text.truncate(end);
    text.push_str(MARK);
}

/// Says where a passage comes from: file and line, title and headings, day.
fn head(hit: &Hit) -> String {
    let mut head = format!("## {}", hit.entry.path);
    let (line, heading) = &hit.excerpt.at;
    if *line > 0 {
        head = format!("{head}:{line}");
    }
    if hit.details.title != hit.entry.path.stem() {
        head = format!("{head} {}", hit.details.title);
    }
    if !heading.is_empty() {
        head = format!("{head} > {heading}");
    }
    if let Some(day) = hit.entry.row.stated() {
        head = format!("{head} ({})", day.strftime("%Y-%m-%d"));
    }
    if let Some(older) = &hit.replaces {
        head = format!("{head}, replaces {older}");
    }
    if !hit.contradicts.is_empty() {
        head = format!(
            "{head}, contradicts {}",
            hit.contradicts
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join(", ")
        );
    }
    head
}

//! Fits hits into a token budget, without repetition, best first.

use std::collections::HashSet;

use xxhash_rust::xxh3::xxh3_64;

use super::Hit;

/// Approximate bytes per token of a language model: three quarters of a word, or a character of a script
/// without spaces.
const BYTES_PER_TOKEN: usize = 4;
/// Minimum budget in tokens; a shorter passage is not informative.
pub const MIN_BUDGET: usize = 40;
/// Minimum share of common word sequences at which a passage repeats another.
const MIN_SHARED_SEQUENCES: f32 = 0.6;

/// A passage and its heading line.
#[derive(Debug)]
pub struct RecalledPassage {
    pub head: String,
    pub hit: Hit,
    /// Tokens of heading and passage.
    pub tokens: usize,
}

/// Returns the hits that fit into `budget` tokens, and how many did not. Of repetitions the first is kept, of equal
/// passages the newest: it is what holds. The last hit can be cut.
pub fn fit_to_budget(hits: Vec<Hit>, budget: usize) -> (Vec<RecalledPassage>, usize) {
    let (mut remaining, mut left_out) = (budget, 0);
    let mut shown: Vec<[HashSet<u64>; 2]> = Vec::new();
    let mut recalled: Vec<RecalledPassage> = Vec::new();
    for mut hit in hits {
        let own = [1, 3].map(|size| sequences(&hit.excerpt.text, size));
        if let Some(at) = shown.iter().position(|other| is_repetition(&own, other)) {
            let known = &mut recalled[at];
            let is_newer = stated(&hit) > stated(&known.hit);
            if shown[at] == own && is_newer && hit.outdated.is_none() {
                known.head = heading_line(&hit);
                known.tokens = tokens(&known.head) + tokens(&hit.excerpt.text);
                known.hit = hit;
            }
            continue;
        }
        let head = heading_line(&hit);
        let head_tokens = tokens(&head);
        if head_tokens + tokens(&hit.excerpt.text) > remaining {
            // The remaining tokens may fit the beginning of this hit, or a shorter one below.
            if remaining < head_tokens + MIN_BUDGET / 2 {
                left_out += 1;
                continue;
            }
            truncate_at_word(
                &mut hit.excerpt.text,
                (remaining - head_tokens) * BYTES_PER_TOKEN,
            );
        }
        let tokens = head_tokens + tokens(&hit.excerpt.text);
        remaining = remaining.saturating_sub(tokens);
        shown.push(own);
        recalled.push(RecalledPassage { head, hit, tokens });
    }
    (recalled, left_out)
}

/// Returns the last stated time of a note, in seconds since 1970.
fn stated(hit: &Hit) -> Option<i64> {
    let row = &hit.entry.row;
    Some(row.stated()?.as_second().max(row.updated))
}

/// Returns the hashes of all sequences of `size` words in `text`, or of all its words if fewer.
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

/// Returns whether `other` contains all words of `own` and most of its sequences. A single different word may
/// be the newer fact.
fn is_repetition(own: &[HashSet<u64>; 2], other: &[HashSet<u64>; 2]) -> bool {
    let both = own[1].intersection(&other[1]).count();
    own[0].is_subset(&other[0]) && both as f32 >= MIN_SHARED_SEQUENCES * own[1].len() as f32
}

fn tokens(text: &str) -> usize {
    text.len().div_ceil(BYTES_PER_TOKEN)
}

/// Cuts `text` between two words to at most `max_bytes` bytes.
pub fn truncate_at_word(text: &mut String, max_bytes: usize) {
    const MARK: &str = " …";
    if text.len() <= max_bytes {
        return;
    }
    let mut end = max_bytes.saturating_sub(MARK.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let end = text[..end].rfind(char::is_whitespace).unwrap_or(end);
    text.truncate(end);
    text.push_str(MARK);
}

/// Returns the heading line of a passage: file and line, title and headings, date.
fn heading_line(hit: &Hit) -> String {
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
    let outdated = hit.outdated.as_ref();
    head + &outdated
        .map(|reason| format!(", {reason}"))
        .unwrap_or_default()
}

//! Compares two texts word by word, for display.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;
use similar::{Algorithm, DiffTag, capture_diff_slices, group_diff_ops};

use super::Style;
use super::lines::Line;

/// Minimum share of kept bytes for a word diff; below it, whole lines are shown as removed and
/// added.
const MIN_KEPT_SHARE: f64 = 0.4;

/// Returns two sentences with the differing words marked; unmarked if they share no word.
pub fn marked_differences(texts: [&str; 2]) -> [Line; 2] {
    let words = texts.map(words);
    let ops = word_ops(&words);
    let shares = ops
        .iter()
        .any(|op| op.is_equal && has_word(&words[0][op.old.clone()]));
    let mut lines = [Line::default(), Line::default()];
    for op in ops {
        for (line, (words, span)) in lines.iter_mut().zip(words.iter().zip([op.old, op.new])) {
            let text = words[span].concat();
            if op.is_equal || !shares {
                line.push(None, &text);
                continue;
            }
            // Surrounding blanks are not part of the mark.
            let core = text.trim();
            let (before, behind) = text.split_once(core).unwrap_or((&text, ""));
            line.push(None, before);
            line.push(Some(Style::Match), core);
            line.push(None, behind);
        }
    }
    lines
}

/// Returns a line diff with word diffs within changed lines and one line of context.
pub fn changes(before: &str, after: &str) -> Vec<Line> {
    let texts = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<_>>());
    let ops = capture_diff_slices(Algorithm::Myers, &texts[0], &texts[1]);
    let mut lines = Vec::new();
    for (number, group) in group_diff_ops(ops, 1).iter().enumerate() {
        if number > 0 {
            lines.push(Line::of(Style::Faint, "  …"));
        }
        for op in group {
            let old = texts[0][op.old_range()].concat();
            let new = texts[1][op.new_range()].concat();
            match op.tag() {
                DiffTag::Equal => {
                    let stays = old.lines().filter(|line| !line.trim().is_empty());
                    lines.extend(stays.map(|line| Line::of(Style::Faint, format!("  {line}"))));
                }
                DiffTag::Delete => lines.extend(signed_lines(&old, Style::Removed)),
                DiffTag::Insert => lines.extend(signed_lines(&new, Style::Added)),
                DiffTag::Replace => lines.extend(changed_lines(&old, &new)),
            }
        }
    }
    lines
}

/// Returns the non-empty lines of `text`, all removed or all added.
fn signed_lines(text: &str, style: Style) -> impl Iterator<Item = Line> {
    let sign = if style == Style::Removed { '-' } else { '+' };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(move |line| Line::of(style, format!("{sign} {line}")))
}

/// Returns the word diff of replaced lines, or all of them as removed and added if they differ too
/// much.
fn changed_lines(old: &str, new: &str) -> Vec<Line> {
    let words = [old, new].map(words);
    let ops = word_ops(&words);
    let same = ops.iter().filter(|op| op.is_equal);
    let kept: usize = same.map(|op| words[0][op.old.clone()].concat().len()).sum();
    if (kept as f64) < MIN_KEPT_SHARE * old.len().min(new.len()) as f64 {
        let removed = signed_lines(old, Style::Removed);
        return removed.chain(signed_lines(new, Style::Added)).collect();
    }
    let mut lines = vec![Line::default()];
    let mut push = |style, text: &str| {
        for (number, part) in text.split('\n').enumerate() {
            if number > 0 {
                lines.push(Line::default());
            }
            if let Some(line) = lines.last_mut() {
                line.push(style, part);
            }
        }
    };
    for op in ops {
        if op.is_equal {
            push(None, &words[0][op.old].concat());
        } else {
            push(Some(Style::Removed), &words[0][op.old].concat());
            push(Some(Style::Added), &words[1][op.new].concat());
        }
    }
    lines.retain(|line| !line.text().trim().is_empty());
    let signed = lines.into_iter().map(|line| match line.only_style() {
        Some(Style::Removed) => Line::of(Style::Removed, "- ").join(line),
        Some(Style::Added) => Line::of(Style::Added, "+ ").join(line),
        _ => Line::of(None, "~ ").join(line),
    });
    signed.collect()
}

/// A span of words shared by both texts, or replaced.
struct WordOp {
    is_equal: bool,
    old: Range<usize>,
    new: Range<usize>,
}

/// Returns the word diff; a blank between two changes counts as changed, so the changes merge.
fn word_ops(words: &[Vec<&str>; 2]) -> Vec<WordOp> {
    let mut ops: Vec<WordOp> = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &words[0], &words[1]) {
        let (old, new) = (op.old_range(), op.new_range());
        let is_equal = op.tag() == DiffTag::Equal;
        match ops.last_mut() {
            Some(last) if !last.is_equal && !is_equal => {
                (last.old.end, last.new.end) = (old.end, new.end);
            }
            _ => ops.push(WordOp { is_equal, old, new }),
        }
        let is_blank = |op: &WordOp| {
            let mut words = words[0][op.old.clone()].iter();
            op.is_equal && words.all(|word| word.trim().is_empty() && !word.contains('\n'))
        };
        if let [.., first, blank, last] = ops.as_mut_slice()
            && !first.is_equal
            && is_blank(blank)
        {
            (first.old.end, first.new.end) = (last.old.end, last.new.end);
            ops.truncate(ops.len() - 2);
        }
    }
    ops
}

fn has_word(words: &[&str]) -> bool {
    let mut words = words.iter();
    words.any(|word| word.contains(char::is_alphanumeric))
}

/// Splits a text into words, runs of blanks and other characters.
///
/// A word is everything between two blanks except signs at its ends, so a date or an address is one
/// word. In scripts without blanks each character is a word.
fn words(text: &str) -> Vec<&str> {
    static WORDS: LazyLock<Regex> = LazyLock::new(|| {
        let dense = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}";
        let letter = format!(r"[[\p{{Alphabetic}}\p{{M}}\p{{N}}]--[{dense}]]");
        Regex::new(&format!(r"(?s) +|{letter}(?:[^ \n{dense}]*{letter})?|."))
            .expect("the pattern is valid")
    });
    let words = WORDS.find_iter(text);
    words.map(|word| word.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the text of a line with its marks.
    fn shown(line: &Line) -> String {
        line.with_signs().text()
    }

    #[test]
    fn differing_words_are_marked() {
        for (name, texts, expected) in [
            (
                "one word",
                ["Steep for two minutes.", "Steep for three minutes."],
                ["Steep for [two] minutes.", "Steep for [three] minutes."],
            ),
            (
                "words in a row are one mark",
                ["We use Postgres now.", "We use plain old files now."],
                ["We use [Postgres] now.", "We use [plain old files] now."],
            ),
            (
                "one says more",
                ["The port is 8080.", "The port is not 8080."],
                ["The port is 8080.", "The port is [not] 8080."],
            ),
            (
                "no word in common",
                ["Replaced by [[TLS]]", "Old."],
                ["Replaced by [[TLS]]", "Old."],
            ),
            (
                "a script without blanks",
                ["水は80度", "水は70度"],
                ["水は[80]度", "水は[70]度"],
            ),
            (
                "a date, an address and a link are words",
                [
                    "- At 2026-02-02T09:00Z: [[a/TLS|TLS]]",
                    "- At 2026-01-05T09:00Z: TLS",
                ],
                [
                    "- At [2026-02-02T09:00Z]: [\u{5b}[a/TLS|TLS]]]",
                    "- At [2026-01-05T09:00Z]: [TLS]",
                ],
            ),
            ("the same", ["Tea.", "Tea."], ["Tea.", "Tea."]),
        ] {
            assert_eq!(
                marked_differences(texts).map(|line| shown(&line)),
                expected,
                "{name}"
            );
        }
    }

    #[test]
    fn changes_are_shown_word_by_word() {
        for (name, before, after, expected) in [
            (
                "words within a line",
                "# Key\n\nThe key hangs behind the barrel.\n\nOil it.\n",
                "# Key\n\nThe key hangs behind the shed.\n\nOil it.\n",
                vec!["~ The key hangs behind the [-barrel-]{+shed+}."],
            ),
            (
                "whole lines",
                "One.\nTwo.\n",
                "One.\nTwo.\n\nThree.\nFour.\n",
                vec!["  Two.", "+ Three.", "+ Four."],
            ),
            (
                "another text",
                "Tea is green.\n",
                "Anna lost that key last winter.\n",
                vec!["- Tea is green.", "+ Anna lost that key last winter."],
            ),
            (
                "far apart",
                "a\nb\nc\nd\ne\nf\n",
                "b\nc\nd\ne\nf\ng\n",
                vec!["- a", "  b", "  …", "  f", "+ g"],
            ),
            ("nothing", "a\n", "a\n", vec![]),
        ] {
            let lines: Vec<String> = changes(before, after).iter().map(shown).collect();
            assert_eq!(lines, expected, "{name}");
        }
    }
}

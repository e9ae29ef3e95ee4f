//! Three-way merge of notes.
//!
//! Front matter is merged by key, the body by blocks, lines, sentences and words. What both sides changed is kept twice
//! between conflict markers that name the reason. [`check`] verifies each result with other code: if a line is missing,
//! the result is an ordinary merge of lines instead. Without conflicts the result is the same whichever side is `ours`.

mod blocks;
pub mod check;
mod inline;
pub mod markers;
mod plain;
mod properties;
pub mod refusal;
mod sequence;
#[cfg(test)]
mod tests;
mod words;

use self::check::CheckVerdict;
use self::refusal::{Refusal, TextConflict, marked};
use self::sequence::merged_blanks;
use super::front_matter::seal;
use super::front_matter::split::split;

/// A merged text.
#[derive(Debug)]
pub struct TextMerge {
    pub text: String,
    /// Places where both versions are kept.
    pub conflicts: Vec<TextConflict>,
    /// Why the merge by structure was replaced by a merge of lines, if so.
    pub findings: Vec<String>,
}

/// Merges the changes of `ours` and `theirs` since `base`.
pub fn merge(base: &str, ours: &str, theirs: &str) -> TextMerge {
    let unchanged = |text: &str| TextMerge {
        text: text.to_owned(),
        conflicts: Vec::new(),
        findings: Vec::new(),
    };
    if ours == theirs || base == theirs {
        return unchanged(ours);
    }
    if base == ours {
        return unchanged(theirs);
    }
    let texts = [base, ours, theirs];
    let is_mixed = |text: &str| {
        let count = text.matches("\r\n").count();
        count > 0 && count < text.matches('\n').count()
    };
    // A text with both line ends is merged as it is.
    let ends = texts.map(|text| if text.contains("\r\n") { "\r\n" } else { "\n" });
    let ending = if texts.iter().any(|text| is_mixed(text)) {
        "\n"
    } else {
        merged_blanks(Some(ends[0]), ends[1], ends[2])
    };
    let is_uniform = !texts.iter().any(|text| is_mixed(text));
    let marks = texts.map(|text| {
        if text.starts_with('\u{feff}') {
            "\u{feff}"
        } else {
            ""
        }
    });
    let mark = merged_blanks(Some(marks[0]), marks[1], marks[2]);
    let plain = texts.map(|text| {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if is_uniform {
            text.replace("\r\n", "\n")
        } else {
            text.to_owned()
        }
    });
    let mut outcome = merged([&plain[0], &plain[1], &plain[2]]);
    if ending != "\n" {
        outcome.text = outcome.text.replace('\n', ending);
    }
    outcome.text.insert_str(0, mark);
    let is_managed = [ours, theirs].iter().all(|side| seal::is_sealed(side));
    if is_managed && outcome.conflicts.is_empty() {
        outcome.text = seal::reseal(&outcome.text);
    }
    outcome
}

/// Merges lines as diff3 does, for other texts than notes.
pub fn merge_lines(base: &str, ours: &str, theirs: &str) -> TextMerge {
    let (text, count) = plain::merge(base, [ours, theirs], &Refusal::Block);
    let conflict = TextConflict {
        refusal: Refusal::Block,
        near: String::new(),
    };
    TextMerge {
        text,
        conflicts: vec![conflict; count],
        findings: Vec::new(),
    }
}

fn merged(texts: [&str; 3]) -> TextMerge {
    let [base, ours, theirs] = texts;
    let matter = properties::merge(base, [ours, theirs]);
    let [base_body, our_body, their_body] = texts.map(|text| &text[split(text).body]);
    let body = blocks::merge(base_body, [our_body, their_body]);
    let between = if matter.block.is_empty() || matter.block.ends_with('\n') || body.text.is_empty()
    {
        ""
    } else {
        "\n"
    };
    let text = [&matter.block, between, &matter.beside, &body.text].concat();
    match check::check(base, [ours, theirs], &text) {
        CheckVerdict::Findings(findings) => {
            let (mut text, mut count) = plain::merge(base, [ours, theirs], &Refusal::Check);
            let is_wrong = || {
                matches!(
                    check::check(base, [ours, theirs], &text),
                    CheckVerdict::Findings(_)
                )
            };
            if count == 0 && is_wrong() {
                let lines = |text| str::split_inclusive(text, '\n');
                let equal = lines(ours).zip(lines(theirs)).take_while(|(a, b)| a == b);
                let start: usize = equal.map(|(line, _)| line.len()).sum();
                let sides = [&ours[start..], &theirs[start..]];
                text = ours[..start].to_owned() + &marked(&Refusal::Check, sides) + "\n";
                count = 1;
            }
            let conflict = TextConflict {
                refusal: Refusal::Check,
                near: findings.first().cloned().unwrap_or_default(),
            };
            TextMerge {
                text,
                conflicts: vec![conflict; count],
                findings,
            }
        }
        CheckVerdict::Proven | CheckVerdict::Unverified(_) => TextMerge {
            text,
            conflicts: [matter.conflicts, body.conflicts].concat(),
            findings: Vec::new(),
        },
    }
}

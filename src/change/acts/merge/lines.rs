//! What of one text another one lacks, in lines.

/// Returns the lines of `theirs` that `ours` does not say, in their order; a fenced block or a table
/// of which a line is missing is taken whole, because its lines mean nothing alone.
pub(super) fn missing_lines(ours: &str, theirs: &str) -> String {
    // Spaces at both ends, so that only whole words are found: `tea` is not said by `steam`.
    let ours = format!(" {} ", collapsed(ours));
    let is_missing = |line: &str| {
        let line = collapsed(line);
        !line.is_empty() && !ours.contains(&format!(" {line} "))
    };
    let mut missing = String::new();
    let mut gap = false;
    for block in blocks(theirs) {
        let whole = is_unit(block);
        if whole && !block.lines().any(is_missing) {
            continue;
        }
        for line in block.lines() {
            if line.trim().is_empty() && !whole {
                gap = true;
            } else if whole || is_missing(line) {
                if gap && !missing.is_empty() {
                    missing.push('\n');
                }
                gap = false;
                missing.push_str(line);
                missing.push('\n');
            }
        }
    }
    missing
}

/// Splits a text into fenced blocks, tables and the rest.
fn blocks(text: &str) -> Vec<&str> {
    let mut blocks = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut fence: Option<&str> = None;
    let mut table = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_start();
        let marker = ["```", "~~~"]
            .into_iter()
            .find(|marker| trimmed.starts_with(marker));
        let in_table = fence.is_none() && trimmed.starts_with('|');
        match (fence, marker) {
            (None, Some(opened)) => {
                blocks.push(&text[start..at]);
                start = at;
                fence = Some(opened);
            }
            (Some(open), Some(closed)) if open == closed => {
                blocks.push(&text[start..at + line.len()]);
                start = at + line.len();
                fence = None;
            }
            _ if fence.is_none() && in_table != table => {
                blocks.push(&text[start..at]);
                start = at;
            }
            _ => {}
        }
        table = in_table;
        at += line.len();
    }
    blocks.push(&text[start..]);
    blocks.retain(|block| !block.is_empty());
    blocks
}

fn is_unit(block: &str) -> bool {
    let block = block.trim_start();
    block.starts_with("```") || block.starts_with("~~~") || block.starts_with('|')
}

fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_said_is_missing() {
        for (name, ours, theirs, expected) in [
            ("nothing", "a b\nc\n", "a  b\nc", ""),
            ("a part of a word", "steam\n", "tea\n", "tea\n"),
            ("a line", "one\nthree\n", "one\ntwo\nthree\n", "two\n"),
            (
                "wrapped otherwise",
                "a long line here",
                "a long\nline here",
                "",
            ),
            (
                "paragraphs apart",
                "x\n",
                "one\n\nx\n\ntwo\n",
                "one\n\ntwo\n",
            ),
            (
                "fence whole",
                "```\na\n```\n",
                "```\na\nb\n```\n",
                "```\na\nb\n```\n",
            ),
            ("fence known", "```\na\n```\n", "x\n```\na\n```\n", "x\n"),
            (
                "table whole",
                "| a |\n|---|\n| 1 |\n",
                "| a |\n|---|\n| 2 |\n",
                "| a |\n|---|\n| 2 |\n",
            ),
        ] {
            assert_eq!(missing_lines(ours, theirs), expected, "{name}");
        }
    }
}

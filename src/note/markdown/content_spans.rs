//! Distinguishes content of a body from boilerplate.
//!
//! Headings, labels without text, table heads, queries, comments, placeholders, a link alone on its line and words
//! like `TODO` are boilerplate. A body of boilerplate alone is blank.

use std::ops::Range;

use super::document::Document;
use super::lines::{LineRole, lines};
use super::links::whole_wikilink;
use crate::note::words::english;
use crate::note::words::tokens::each_word;
use crate::note::words::wording::is_placeholder;

/// Languages of code blocks that query other notes.
const QUERY_LANGUAGES: [&str; 6] = ["dataview", "dataviewjs", "query", "tasks", "base", "button"];

/// Minimum number of lone links that count as a deliberately chosen list.
const MIN_LINKS_OF_LIST: usize = 3;

/// Maximum length of a label before a link or tags, in bytes.
const MAX_LABEL_BYTES: usize = 40;

/// Returns true if a body contains only boilerplate.
pub fn is_blank(document: &Document<'_>) -> bool {
    let mut is_blank = true;
    each_content_span(document, |span| {
        is_blank = is_blank && !has_word(&document.text()[span]);
    });
    is_blank
}

/// Calls `each` with the spans of content, at most one per line.
pub fn each_content_span(document: &Document<'_>, mut each: impl FnMut(Range<usize>)) {
    let text = document.text();
    let mut is_query = false;
    let mut comment: Option<&str> = None;
    let mut lone_links: Vec<Range<usize>> = Vec::new();
    for line in lines(document) {
        let mut span = line.span.clone();
        if let Some(end) = comment {
            let Some(at) = text[span.clone()].find(end) else {
                continue;
            };
            span.start += at + end.len();
            comment = None;
        }
        let marker = text[span.clone()].trim_start_matches([' ', '\t', '>']);
        is_query &= line.is_code();
        match line.role {
            LineRole::Fence => {
                let language = marker.trim_start_matches(['`', '~']).trim().to_lowercase();
                is_query = QUERY_LANGUAGES.contains(&language.as_str());
            }
            LineRole::Code if is_query => {}
            LineRole::Code | LineRole::Indented => each(span),
            LineRole::Heading(_) | LineRole::Underline | LineRole::TableHead => {}
            _ => {
                comment = opened_comment(marker);
                let content = item_text(marker);
                if comment.is_some() || is_boilerplate(content) {
                    continue;
                }
                // `content` is a slice of `text`: the pointer difference is its offset.
                let start = content.as_ptr() as usize - text.as_ptr() as usize;
                let stated = start..start + content.len();
                if is_link(content) {
                    lone_links.push(stated);
                } else {
                    each(stated);
                }
            }
        }
    }
    if lone_links.len() >= MIN_LINKS_OF_LIST {
        lone_links.into_iter().for_each(each);
    }
}

/// Returns the end delimiter of a comment that begins with `line` and continues after it.
///
/// Within a line the delimiter may be text: `100%% sure`.
fn opened_comment(line: &str) -> Option<&'static str> {
    let mut signs = [("<!--", "-->"), ("%%", "%%")].into_iter();
    signs.find_map(|(open, close)| {
        let after = line.strip_prefix(open)?;
        (!after.contains(close)).then_some(close)
    })
}

/// Returns the text of a line without item or task markers.
fn item_text(line: &str) -> &str {
    let trimmed = line.trim();
    let numbered = trimmed.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = numbered.strip_prefix(['.', ')']).filter(|rest| {
        numbered.len() < trimmed.len() && (rest.is_empty() || rest.starts_with(' '))
    });
    let text = trimmed
        .strip_prefix(['-', '*', '+'])
        .or(numbered)
        .map_or(trimmed, str::trim_start);
    let task = text.strip_prefix('[').and_then(|rest| {
        let state = rest.chars().next()?;
        let rest = rest[state.len_utf8()..].strip_prefix(']')?;
        (rest.is_empty() || rest.starts_with(' ')).then_some(rest)
    });
    task.map_or(text, str::trim_start)
}

/// Returns true if a line with this text is boilerplate.
fn is_boilerplate(text: &str) -> bool {
    let plain = text.trim_end_matches([' ', '*', '_', '`']);
    let lower = plain
        .trim_matches(|c: char| !c.is_alphanumeric())
        .to_lowercase();
    let is_comment = ["<!--", "%%"].iter().any(|open| text.starts_with(open));
    is_comment
        || plain.ends_with(':')
        || text.starts_with("`=")
        || text.starts_with("`$=")
        || text.split('`').step_by(2).any(is_placeholder)
        || english::WORDS.has("stubs", &lower)
        || after_label(text)
            .split_whitespace()
            .all(|word| word.starts_with('#'))
}

/// Returns true if a line is a single link or embed, optionally after a label.
fn is_link(text: &str) -> bool {
    let link = after_label(text).trim_matches([' ', '!', '*', '_', '<', '>', '.']);
    let is_markdown = link.starts_with('[')
        && link.ends_with(')')
        && link.matches("](").count() == 1
        && link.matches('[').count() == 1;
    let is_address = link.contains("://") && !link.contains(char::is_whitespace);
    whole_wikilink(link).is_some() || is_markdown || is_address
}

/// Returns the text after a label: `Source: `.
fn after_label(text: &str) -> &str {
    let labelled = text
        .split_once(": ")
        .filter(|(label, _)| label.len() <= MAX_LABEL_BYTES);
    labelled.map_or(text, |(_, rest)| rest)
}

fn has_word(text: &str) -> bool {
    let mut has_word = false;
    each_word(text, |_, _| has_word = true);
    has_word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boilerplate_alone_is_blank() {
        for body in [
            "",
            " \n\n",
            "# Tea\n",
            "# Tea\n\n## Sources\n\n## Notes\n",
            "# Day\n\n## Tasks\n\n- [ ]\n\n## Gratitude\n\n1.\n2. \n3)\n",
            "# Tea\n\nTags: #tea #shop\n",
            "![[tea.png]]\n",
            "[[Green tea]]\n",
            "Up: [[Drinks]]\n",
            "https://example.org/tea\n",
            "[the page](https://example.org/a b)\n",
            "```dataview\nTABLE author FROM #book\n```\n",
            "# Books\n\n```query\ntag:#book\n```\n",
            "TODO\n",
            "- [ ] TODO\n",
            "> coming soon…\n",
            "Author:\nYear::\n- **Rating:**\n",
            "# {{title}}\n\nWritten on {{date}}\n",
            "<% tp.file.cursor() %>\n",
            "| What | When |\n|---|---|\n|  |  |\n",
            "<!-- fill this in\nwhen it is done -->\n",
            "%% a remark %%\n",
            "#todo #tea\n",
            "---\n***\n",
            "`= this.file.name`\n",
        ] {
            assert!(is_blank(&Document::of_body(body)), "{body:?}");
        }
        for body in [
            "Green.\n",
            "- Buy milk\n",
            "Port: 8080\n",
            "TODO: call Anna\n",
            "緑茶。\n",
            "| What | When |\n|---|---|\n| Tea | today |\n",
            "- [[A]]\n- [[B]]\n- [[C]]\n",
            "Superseded by [[B]]\n",
            "```sh\nmake all\n```\n",
            "See [[A]] and [[B]].\n",
            "<!-- mem -->\nGreen.\n",
            "#1 of all teas\n",
            "We are 100%% sure.\n\nThe key hangs in the shed.\n",
            "Write `%%` for a remark.\n\nThe key hangs in the shed.\n",
            "<!-- old\n--> The key hangs in the shed.\n",
            "```x```\n\nThe key hangs in the shed.\n",
            "````\n```dataview\n````\n",
            "List the files:\n\n`ls {{folder}}`\n",
        ] {
            assert!(!is_blank(&Document::of_body(body)), "{body:?}");
        }
    }

    #[test]
    fn spans_refer_to_the_text() {
        let body = "# Tea\n\n- [x] Green\n\n| a |\n|---|\n| b |\n";
        let mut parts = Vec::new();
        each_content_span(&Document::of_body(body), |span| parts.push(&body[span]));
        assert_eq!(parts, ["Green", "|---|", "| b |"]);
    }
}

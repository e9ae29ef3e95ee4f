//! Plain text of a block as rendered: links as their text, without editor syntax.

use super::super::links::{self, Link};

/// Maximum words kept of an address.
const MAX_ADDRESS_WORDS: usize = 8;

/// Appends the rendered text of `raw`, which is one block or a piece of one.
pub(super) fn push(raw: &str, out: &mut String) {
    let text = without_block_id(without_state(raw.trim()));
    let bytes = text.as_bytes();
    // Start of the part not yet written.
    let mut from = 0;
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let next = match rest[0] {
            b'[' if rest.starts_with(b"[[") => links::wikilink(text, at).map(|link| {
                out.push_str(&text[from..link.span.start.max(from)]);
                out.push_str(&link_text(&link));
                link.span.end
            }),
            b'%' if rest.starts_with(b"%%") => text[at + 2..].find("%%").map(|length| {
                out.push_str(&text[from..at]);
                at + length + 4
            }),
            b':' if rest.starts_with(b"://") => {
                let scheme = text[from..at]
                    .bytes()
                    .rev()
                    .take_while(u8::is_ascii_alphanumeric)
                    .count();
                let end = address_end(text, at);
                out.push_str(&text[from..at - scheme]);
                push_address(&text[at + 3..end], out);
                Some(end)
            }
            b'w' if rest.starts_with(b"www.") && (at == 0 || bytes[at - 1] == b' ') => {
                let end = address_end(text, at);
                out.push_str(&text[from..at]);
                push_address(&text[at..end], out);
                Some(end)
            }
            _ => None,
        };
        if let Some(next) = next {
            from = next;
        }
        at = next.unwrap_or(at + 1);
    }
    out.push_str(&text[from..]);
}

/// Returns `text` without a leading callout marker (`[!note]-`) or custom task state (`[-]`).
fn without_state(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('[') else {
        return text;
    };
    let Some((mark, rest)) = inner.split_once(']') else {
        return text;
    };
    if mark.starts_with('!') && mark.len() > 1 && mark.len() < 40 {
        return rest.strip_prefix(['-', '+']).unwrap_or(rest).trim_start();
    }
    let is_state = mark.chars().count() == 1 && !mark.starts_with('[') && rest.starts_with(' ');
    if is_state { rest.trim_start() } else { text }
}

/// Returns `text` without a trailing `^id`.
pub(in crate::note::markdown) fn without_block_id(text: &str) -> &str {
    let is_id = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let before = text.trim_end_matches(is_id);
    match before.strip_suffix('^') {
        Some(before)
            if text.len() > before.len() + 1
                && (before.is_empty() || before.ends_with(char::is_whitespace)) =>
        {
            before.trim_end()
        }
        _ => text,
    }
}

/// Returns the rendered text of a link: its label, or the names of the note and of its part.
fn link_text(link: &Link) -> String {
    let is_size = |label: &str| {
        label
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'x')
    };
    if let Some(label) = &link.label
        && !(link.embed && is_size(label))
    {
        return label.clone();
    }
    let file = link.target.rsplit('/').next().unwrap_or_default();
    let (name, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let is_ending = (2..=4).contains(&ending.len())
        && ending.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && ending.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mut shown = match is_ending {
        // The file name of an embedded picture or recording is not text of the note.
        true if link.embed && !ending.eq_ignore_ascii_case("md") => return String::new(),
        true => name.to_owned(),
        false => file.to_owned(),
    };
    for part in link.part.iter().flat_map(|part| part.split('#')) {
        if !part.starts_with('^') {
            shown.push(' ');
            shown.push_str(part);
        }
    }
    shown
}

fn address_end(text: &str, at: usize) -> usize {
    let ends = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | ')' | ']' | '|' | '。');
    text[at..]
        .find(ends)
        .map_or(text.len(), |length| at + length)
}

/// Appends the host of an address and the words of its path.
fn push_address(address: &str, out: &mut String) {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    out.push_str(host.strip_prefix("www.").unwrap_or(host));
    let words = path.split(|c: char| !c.is_alphanumeric());
    for word in words
        .filter(|word| (3..=20).contains(&word.len()) && word.chars().all(char::is_alphabetic))
        .filter(|word| !matches!(*word, "html" | "htm" | "php" | "index"))
        .take(MAX_ADDRESS_WORDS)
    {
        out.push(' ');
        out.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_plain_text() {
        for (raw, expected) in [
            ("see [[a|b]] and [[folder/a]].", "see b and a."),
            ("[[folder/a.md#H#I]] [[a#^id]] [[#H]]", "a H I a  H"),
            ("![[photo.png]] ![[photo.png|300]] ![[Note|300]]", "  Note"),
            ("[[v1.2 plan]] [[a.b.c]]", "v1.2 plan a.b.c"),
            ("[[open", "[[open"),
            ("[!note]- Title of it", "Title of it"),
            ("[!tip]", ""),
            ("[-] dropped", "dropped"),
            ("[a] b [c] d", "b [c] d"),
            ("[x](y", "[x](y"),
            ("the end ^b-1", "the end"),
            ("^b-1", ""),
            ("2^10 and x ^", "2^10 and x ^"),
            ("a %%hidden%% b %% c", "a  b %% c"),
            (
                "at https://www.every.to/x/tasting-notes-25629085.html?utm=1, ok",
                "at every.to tasting notes ok",
            ),
            ("(http://a.b) www.c.d/index.html", "(a.b) c.d"),
            ("://", ""),
            ("é://é", "éé"),
        ] {
            let mut out = String::new();
            push(raw, &mut out);
            assert_eq!(out, expected, "{raw}");
        }
    }
}

//! Splits a sentence into words, links and signs.

use std::ops::Range;

use super::fact::FactTerm;
use crate::note::Link;
use crate::note::markdown::sentences;

/// A token of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Word(String),
    Link(FactTerm),
    /// Inline code; a name regardless of its case.
    Code(String),
    Sign(char),
}

impl Token {
    /// Returns the word in lower case, or an empty string for other tokens.
    pub(super) fn lower(&self) -> String {
        match self {
            Self::Word(word) => word.to_lowercase(),
            _ => String::new(),
        }
    }
}

/// Returns `text` without marks of emphasis and code, whitespace collapsed.
pub(super) fn without_emphasis(text: &str) -> String {
    let bare: String = text.chars().filter(|c| !matches!(c, '*' | '`')).collect();
    let words: Vec<&str> = bare
        .split_whitespace()
        .map(|word| word.trim_matches('_'))
        .collect();
    words.join(" ")
}

/// Maximum tokens read per sentence; simple facts occur early.
const MAX_TOKENS: usize = 40;

/// Returns the first tokens of `span`.
pub(super) fn tokens(text: &str, links: &[Link], span: Range<usize>) -> Vec<Token> {
    let mut links = links.iter().peekable();
    let mut found = Vec::new();
    let mut at = span.start;
    while at < span.end && found.len() < MAX_TOKENS {
        while links.next_if(|link| link.span.start < at).is_some() {}
        if let Some(link) = links.next_if(|link| link.span.start == at) {
            at = link.span.end;
            // A link within the note or an embedded picture names no entity.
            if link.target.is_empty() || link.embed {
                found.push(Token::Sign('['));
            } else {
                found.push(Token::Link(FactTerm::of_link(link)));
            }
            continue;
        }
        let until = links.peek().map_or(span.end, |link| link.span.start);
        let rest = &text[at..until];
        let Some(first) = rest.chars().next() else {
            break;
        };
        if first == '`'
            && let Some(length) = rest[1..].find('`')
        {
            let code = rest[1..=length].trim();
            if !code.is_empty() {
                found.push(Token::Code(code.to_owned()));
            }
            at += length + 2;
        } else if first.is_alphanumeric() {
            let end = word_end(rest);
            found.push(Token::Word(rest[..end].to_owned()));
            at += end;
        } else {
            if !first.is_whitespace() && !matches!(first, '*' | '_' | '~') {
                found.push(Token::Sign(first));
            }
            at += first.len_utf8();
        }
    }
    found
}

/// Returns the byte length of the word at the start of `text`: `don't`, `EIP-20`, `3.14`, `C++`, `R&D`.
fn word_end(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let joins = matches!(c, '\'' | '’' | '-' | '.' | '&' | '+' | '#' | '/')
            && next.is_some_and(char::is_alphanumeric);
        let ends = matches!(c, '+' | '#') && at > 0;
        if !c.is_alphanumeric() && !joins && !ends {
            break;
        }
        end = at + c.len_utf8();
    }
    // `St. Louis`, `J. R. Lee`.
    let rest = text[end..].strip_prefix(". ").unwrap_or_default();
    let is_initial = text[..end].chars().count() == 1 && text.starts_with(char::is_uppercase);
    let is_short = is_initial || sentences::ABBREVIATIONS.contains(&&text[..end]);
    end + usize::from(is_short && rest.starts_with(char::is_uppercase))
}

//! The Markdown dialect shared by all readers of notes.

pub mod append;
pub mod body;
pub mod content_spans;
pub mod document;
pub mod fences;
pub mod labels;
pub mod lines;
pub mod link_audit;
pub mod links;
pub mod listing;
pub mod loss_check;
pub mod marks;
pub mod parts;
pub mod passages;
pub mod prose;
pub mod rendered_line;
pub mod sections;
pub mod sentences;
pub mod tags;
pub mod tasks;

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag};

/// Parser options: `CommonMark` plus the Obsidian extensions that the parser supports.
pub(super) const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_MATH)
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS);

/// Returns true if all of `text` is one link or image with this destination.
pub(super) fn is_link_to(text: &str, destination: &str) -> bool {
    let link = Parser::new_ext(text, DIALECT)
        .into_offset_iter()
        .find_map(|(event, span)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some(span == (0..text.len()) && *dest_url == *destination)
            }
            _ => None,
        });
    link == Some(true)
}

/// Returns the text of a line fragment without code and math delimiters.
pub(super) fn without_marks(text: &str) -> Cow<'_, str> {
    if !text.contains(['`', '$']) {
        return Cow::Borrowed(text);
    }
    // A leading letter keeps the fragment from starting a block.
    let line = format!("x{text}");
    let mut plain = String::with_capacity(text.len());
    for event in Parser::new_ext(&line, DIALECT) {
        if let Event::Text(piece)
        | Event::Code(piece)
        | Event::InlineMath(piece)
        | Event::DisplayMath(piece) = event
        {
            plain.push_str(&piece);
        }
    }
    plain.remove(0);
    Cow::Owned(plain)
}

#[cfg(test)]
pub(crate) mod tests;

//! What is Markdown here, to every reader of a note.

use pulldown_cmark::{Event, Options, Parser, Tag};

pub(super) const DIALECT: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_MATH);

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

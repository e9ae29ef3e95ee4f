//! Marked blocks that list notes: `<!-- mem list tag:open sort:created limit:10 -->`.
//!
//! Their content is copied from other notes and is therefore ignored when the note is read: its links do not count,
//! and its words are indexed with the notes they come from.

use std::borrow::Cow;
use std::ops::Range;

use super::marks::{MarkedBlock, marked_blocks};
use crate::note::splice::spliced;
use crate::note::words::lists::named;

/// The parsed command of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    pub form: ListingForm,
    /// Query in the syntax of `mem list`, including `sort:`.
    pub query: String,
    pub limit: Option<usize>,
    /// Properties shown as columns of a table.
    pub columns: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingForm {
    /// One link per line.
    List,
    /// One row per note with its link and properties.
    Table,
    /// The number of notes.
    Count,
}

impl Listing {
    /// Parses an opening mark. Returns `None` if it is not a listing, and an error message if it is an invalid one.
    pub fn of(command: &str) -> Option<Result<Self, String>> {
        let name = command.split_whitespace().next()?;
        let form = ListingForm::ALL
            .into_iter()
            .find(|form| form.name() == name)?;
        let mut listing = Self {
            form,
            query: String::new(),
            limit: None,
            columns: Vec::new(),
        };
        // Text that is not an option is the query, including blanks in quotes.
        let rest = &command.trim()[form.name().len()..];
        let mut query = String::new();
        let mut start = 0;
        for span in words(rest) {
            let word = &rest[span.clone()];
            if let Some(limit) = word.strip_prefix("limit:") {
                let Ok(limit) = limit.parse() else {
                    return Some(Err(format!("`{word}` is not a number")));
                };
                listing.limit = Some(limit);
            } else if let Some(columns) = word.strip_prefix("columns:") {
                let columns = columns.split(',').filter(|column| !column.is_empty());
                listing.columns = columns.map(str::to_owned).collect();
            } else {
                continue;
            }
            query.push_str(&rest[start..span.start]);
            start = span.end;
        }
        query.push_str(&rest[start..]);
        if form != ListingForm::Table && !listing.columns.is_empty() {
            return Some(Err("only a table has columns".to_owned()));
        }
        query.trim().clone_into(&mut listing.query);
        Some(Ok(listing))
    }
}

named! { ListingForm {
    List = "list",
    Table = "table",
    Count = "count",
} }

/// Splits a command into words; a word that contains a quote belongs to the query as a whole.
fn words(command: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let (mut start, mut is_quoted, mut has_quote) = (None, false, false);
    for (at, c) in command.char_indices().chain([(command.len(), ' ')]) {
        is_quoted ^= c == '"';
        if !c.is_whitespace() || is_quoted && at < command.len() {
            has_quote |= c == '"';
            start.get_or_insert(at);
        } else if let Some(start) = start.take()
            && !std::mem::take(&mut has_quote)
        {
            words.push(start..at);
        }
    }
    words
}

/// Returns the spans of unedited listings, including the closing marks.
fn listing_spans(text: &str) -> Vec<Range<usize>> {
    if !text.contains("<!-- /mem") {
        return Vec::new();
    }
    let is_copy = |block: &MarkedBlock| {
        Listing::of(&text[block.command.clone()]).is_some() && block.is_untouched(text)
    };
    let blocks = marked_blocks(text).into_iter();
    blocks.filter(is_copy).map(|block| block.span()).collect()
}

/// Returns `text` with unedited listings replaced by blanks; offsets stay valid.
pub fn blanked(text: &str) -> Cow<'_, str> {
    // Byte for byte, so that offsets stay valid.
    let blank = |byte| match byte {
        b'\n' => '\n',
        b'\r' => '\r',
        _ => ' ',
    };
    with_listings_replaced(text, |lines| lines.bytes().map(blank).collect())
}

/// Returns `text` without unedited listings, and so independent of what they currently list.
pub fn without_copies(text: &str) -> Cow<'_, str> {
    with_listings_replaced(text, |_| String::new())
}

/// Returns `text` with unedited listings replaced by `other`.
fn with_listings_replaced(text: &str, other: impl Fn(&str) -> String) -> Cow<'_, str> {
    let spans = listing_spans(text);
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let spans = spans.into_iter();
    let splices = spans.map(|span| (span.clone(), other(&text[span])));
    Cow::Owned(spliced(text, 0..text.len(), splices.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::markdown::marks;

    #[test]
    fn parses_listing_commands() {
        let listing = |form, query: &str| Listing {
            form,
            query: query.to_owned(),
            limit: None,
            columns: Vec::new(),
        };
        for (command, expected) in [
            ("list", Some(Ok(listing(ListingForm::List, "")))),
            (
                "list tag:a  \"b  c\"",
                Some(Ok(listing(ListingForm::List, "tag:a  \"b  c\""))),
            ),
            (
                "list sort:-created tag:a limit:3",
                Some(Ok(Listing {
                    limit: Some(3),
                    ..listing(ListingForm::List, "sort:-created tag:a")
                })),
            ),
            (
                "table has:due columns:due,status",
                Some(Ok(Listing {
                    columns: vec!["due".to_owned(), "status".to_owned()],
                    ..listing(ListingForm::Table, "has:due")
                })),
            ),
            (
                "list \"limit:3  x\" limit:2 title:\"a limit:1\"",
                Some(Ok(Listing {
                    limit: Some(2),
                    ..listing(ListingForm::List, "\"limit:3  x\"  title:\"a limit:1\"")
                })),
            ),
            (
                "list \"limit:3",
                Some(Ok(listing(ListingForm::List, "\"limit:3"))),
            ),
            (
                "count tag:a",
                Some(Ok(listing(ListingForm::Count, "tag:a"))),
            ),
            (
                "list columns:a",
                Some(Err("only a table has columns".to_owned())),
            ),
            (
                "list limit:x",
                Some(Err("`limit:x` is not a number".to_owned())),
            ),
            ("lists", None),
            ("cluster 12", None),
        ] {
            assert_eq!(Listing::of(command), expected, "{command}");
        }
    }

    #[test]
    fn copied_lines_are_ignored() {
        let of = |lines: &str| format!("a\n{}b [[C]]\n", marks::block("list", lines));
        let text = of("- [[Tée]]\n");
        let blanked = blanked(&text);
        assert_eq!(blanked.len(), text.len());
        assert_eq!(blanked.find("[[C]]"), text.find("[[C]]"));
        assert!(!blanked.contains("Tée"));
        assert_eq!(without_copies(&text), without_copies(&of("- x\n- y\n")));
        let links = |text: &str| crate::note::read(text, "n").links.len();
        assert_eq!(links(&text), 1);
        // An edited block counts as the author's text.
        let edited = text.replace("- [[", "- see [[");
        assert_eq!(
            (links(&edited), without_copies(&edited).into_owned()),
            (2, edited.clone())
        );
        let other = marks::block("cluster 1", "- [[A]]\n");
        assert_eq!(links(&other), 1);
    }
}

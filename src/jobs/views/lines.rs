//! Renders the lines of a list.

use std::fmt::Write as _;

use crate::config::did_you_mean;
use crate::jobs::prelude::*;
use crate::note::markdown::listing::{Listing, ListingForm};
use crate::note::words::one_line::one_line;
use crate::recall::{self, order};

/// Returns the lines of `listing` in `note`, or the reason why there are none.
pub(super) fn render(
    view: &View<'_>,
    note: &Entry,
    listing: &Listing,
) -> Result<Result<String, String>> {
    let query = recall::read_query(view, &listing.query)?;
    let properties: Vec<String> = view.reading().meta()?.properties.into_keys().collect();
    if let Some(hint) = query.hints.first() {
        return Ok(Err(hint.to_string()));
    }
    for column in &listing.columns {
        let is_known = column == "created" || properties.contains(column);
        let other = did_you_mean(column, properties.iter().cloned());
        // An unknown column that resembles no other may be filled in later.
        if !is_known && !other.is_empty() {
            return Ok(Err(format!("no note has a property `{column}`{other}")));
        }
    }
    let mut found = Vec::new();
    let entries = view
        .text_reader()
        .map(|reader| recall::matching(view, || Ok(reader), &query));
    for entry in entries.transpose()?.unwrap_or_default() {
        // A title with `{{title}}` marks a template.
        if entry.slot != note.slot && !is_placeholder(&view.details(entry.slot)?.title) {
            found.push(entry);
        }
    }
    if let Some((field, is_reversed)) = query.sort {
        order::sort(view, &mut found, field)?;
        if is_reversed {
            found.reverse();
        }
    }
    found.truncate(listing.limit.unwrap_or(usize::MAX));
    Ok(Ok(match listing.form {
        ListingForm::List => {
            let mut lines = String::new();
            for entry in &found {
                let _ = writeln!(lines, "- {}", link(view, note, entry)?);
            }
            lines
        }
        ListingForm::Table => table(view, note, &found, &listing.columns)?,
        ListingForm::Count => format!("{}\n", found.len()),
    }))
}

fn link(view: &View<'_>, note: &Entry, to: &Entry) -> Result<String> {
    let title = view.details(to.slot)?.title;
    // Remove characters that would end the link or start a comment.
    let words: Vec<&str> = title
        .split(|c: char| {
            c.is_control() || c.is_whitespace() || matches!(c, '[' | ']' | '<' | '>' | '|')
        })
        .filter(|word| !word.is_empty())
        .collect();
    let plain = words.join(" ");
    let name = if plain.is_empty() {
        to.path.stem()
    } else {
        &plain
    };
    view.link_to(note, to, name)
}

fn table(view: &View<'_>, note: &Entry, found: &[Entry], columns: &[String]) -> Result<String> {
    let row = |cells: &[String]| {
        let cells = cells.iter().map(|cell| match cell.as_str() {
            "" => " |".to_owned(),
            cell => format!(" {cell} |"),
        });
        format!("|{}\n", cells.collect::<String>())
    };
    let mut head = vec!["note".to_owned()];
    head.extend(columns.iter().map(|column| cell(column)));
    let mut lines = row(&head);
    let _ = writeln!(lines, "|{}", "---|".repeat(head.len()));
    for entry in found {
        let properties = view.details(entry.slot)?.properties();
        let mut cells = vec![cell(&link(view, note, entry)?)];
        for column in columns {
            let value = properties.get(column).map(display).unwrap_or_default();
            cells.push(cell(&if value.is_empty() && column == "created" {
                created(entry)
            } else {
                value
            }));
        }
        lines += &row(&cells);
    }
    Ok(lines)
}

/// Returns the stated creation date of a note; the time of the file does not count.
fn created(entry: &Entry) -> String {
    entry
        .row
        .stated()
        .map_or_else(String::new, |at| at.strftime("%Y-%m-%d").to_string())
}

fn display(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(display).collect();
            values.join(", ")
        }
        other => other.to_string(),
    }
}

/// Returns text as a table cell: on one line, with escaped bars.
fn cell(text: &str) -> String {
    let line = one_line(text).replace("<!--", "< !--");
    line.replace('|', "\\|")
}

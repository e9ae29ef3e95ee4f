//! The orders of a list.

use std::cmp::Reverse;

use crate::cache::CacheError;
use crate::signals::fields::{Date, Field, Kind, Number};
use crate::signals::usage::Usage;
use crate::view::{Entry, View};

/// Returns true if [`sort`] puts the greatest of `field` first.
#[must_use]
pub fn is_downward(field: &Field) -> bool {
    matches!(field.kind, Kind::Date(_) | Kind::Number(_))
}

/// Sorts `entries` by `field`: names upwards, dates and numbers downwards. Paths are the order of last
/// resort, and of fields that nothing is sorted by.
pub fn sort(view: &View<'_>, entries: &mut Vec<Entry>, field: &Field) -> Result<(), CacheError> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    match field.kind {
        Kind::Title => by_title(view, entries)?,
        Kind::Date(Date::Created) => entries.sort_by_key(|entry| Reverse(entry.row.created)),
        // When its file was saved, regardless of the property.
        Kind::Date(Date::Updated) => entries.sort_by_key(|entry| Reverse(entry.row.stat.mtime_ns)),
        Kind::Number(Number::Length) => entries.sort_by_key(|entry| Reverse(entry.row.length)),
        Kind::Number(Number::Signal(signal)) => {
            let usages = view.usages(entries)?;
            let values = view.measured(entries, &usages, &[signal])?;
            by_value(entries, values.into_iter().map(|values| values[0]));
        }
        Kind::Date(Date::Accessed) => {
            // What nobody used comes last.
            let accessed = |usage: Usage| usage.last_accessed.map_or(f64::MIN, |at| at as f64);
            let usages = view.usages(entries)?;
            by_value(entries, usages.into_iter().map(accessed));
        }
        _ => {}
    }
    Ok(())
}

/// Sorts by the values of the entries, the largest first.
fn by_value(entries: &mut Vec<Entry>, values: impl Iterator<Item = f64>) {
    let mut sorted: Vec<(f64, Entry)> = values.zip(entries.drain(..)).collect();
    sorted.sort_by(|a, b| b.0.total_cmp(&a.0));
    entries.extend(sorted.into_iter().map(|(_, entry)| entry));
}

fn by_title(view: &View<'_>, entries: &mut Vec<Entry>) -> Result<(), CacheError> {
    let mut titled = Vec::with_capacity(entries.len());
    for entry in entries.drain(..) {
        titled.push((view.details(entry.slot)?.title.to_lowercase(), entry));
    }
    titled.sort_by(|a, b| a.0.cmp(&b.0));
    entries.extend(titled.into_iter().map(|(_, entry)| entry));
    Ok(())
}

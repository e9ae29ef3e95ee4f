//! Sort orders of a list.

use std::cmp::Reverse;

use crate::cache::CacheError;
use crate::signals::fields::{DateField, Field, FieldType, NumberField, TextField};
use crate::view::{Entry, View};

/// Sorts `entries` by `field`: names ascending, dates and numbers descending. Ties, and fields that cannot be
/// sorted by, are sorted by path.
pub fn sort(view: &View<'_>, entries: &mut Vec<Entry>, field: &Field) -> Result<(), CacheError> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    match field.kind {
        FieldType::Text(TextField::Title) => by_title(view, entries)?,
        // Files saved within the same second: by nanoseconds, newest first.
        FieldType::Date(DateField::Updated) => entries.sort_by_key(|entry| {
            let row = &entry.row;
            Reverse((row.updated_or_saved(), row.stat.mtime_ns))
        }),
        FieldType::Number(NumberField::Signal(signal)) => {
            let usages = view.usages(entries)?;
            let values = view.measured(entries, &usages, &[signal])?;
            by_value(entries, values.into_iter().map(|values| values[0]));
        }
        FieldType::Number(number) => {
            let values = entries.iter().map(|entry| view.number(entry, number));
            by_value(entries, values.collect::<Result<Vec<_>, _>>()?);
        }
        FieldType::Date(date) => {
            // Unused notes come last, notes without an end date first.
            let without = match date {
                DateField::ValidUntil => f64::MAX,
                _ => f64::MIN,
            };
            let values = entries.iter().map(|entry| {
                let moment = view.moment(entry, date)?;
                Ok(moment.map_or(without, |at| at as f64))
            });
            by_value(entries, values.collect::<Result<Vec<_>, CacheError>>()?);
        }
        _ => {}
    }
    Ok(())
}

/// Sorts by the values of the entries, the largest first.
fn by_value(entries: &mut Vec<Entry>, values: impl IntoIterator<Item = f64>) {
    let mut sorted: Vec<(f64, Entry)> = values.into_iter().zip(entries.drain(..)).collect();
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

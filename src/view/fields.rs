//! Values of fields for filters, sorting and templates.

use jiff::Timestamp;
use serde_json::Value;

use super::{Entry, View};
use crate::cache::Result;
use crate::cache::row::{Flags, Row, Slot};
use crate::signals::dates::starts;
use crate::signals::{DateField, Field, FieldType, NumberField};

impl View<'_> {
    /// Returns the value of a numeric field.
    pub fn number(&self, entry: &Entry, number: NumberField) -> Result<f64> {
        let row = &entry.row;
        let value = match number {
            NumberField::Rating(rating) => f64::from(rating.of(&row.ratings)),
            NumberField::Length => f64::from(row.length),
            NumberField::Degree => f64::from(self.degree(entry)?),
            NumberField::Signal(signal) => self.signal(entry, signal)?,
        };
        // Values are stored as `f32`; rounding to six digits prints 0.7 as 0.7.
        Ok((value * 1e6).round() / 1e6)
    }

    /// Returns the value of a date field, in seconds since 1970.
    pub fn moment(&self, entry: &Entry, date: DateField) -> Result<Option<i64>> {
        let row = &entry.row;
        Ok(match date {
            DateField::Created => Some(row.created),
            DateField::Updated => Some(row.updated_or_saved()),
            DateField::ValidUntil => (row.expires < i64::MAX).then_some(row.expires - 1),
            DateField::Accessed => self.usage(entry)?.last_accessed,
            DateField::Used => Some(self.last_used(entry)?),
        })
    }

    /// Returns whether the note is not valid yet (`valid_from`).
    pub fn is_upcoming(&self, entry: &Entry) -> Result<bool> {
        self.is_row_upcoming(entry.slot, &entry.row)
    }

    /// Like [`is_upcoming`](Self::is_upcoming), for the row of `slot`.
    pub fn is_row_upcoming(&self, slot: Slot, row: &Row) -> Result<bool> {
        if !row.flags.has(Flags::STARTS) {
            return Ok(false);
        }
        let start = starts(&self.details(slot)?.properties());
        Ok(start.is_some_and(|start| start > self.now.timestamp().as_second()))
    }

    /// Returns the value of a field for which [`Field::is_value`] holds, as in JSON records.
    pub fn field(&self, entry: &Entry, field: &Field) -> Result<Value> {
        Ok(match field.kind {
            FieldType::Number(number) => {
                let value = self.number(entry, number)?;
                if number.is_count() {
                    Value::from(value as u64)
                } else {
                    Value::from(value)
                }
            }
            FieldType::Date(date) => {
                let seconds = self.moment(entry, date)?;
                let moment = seconds.and_then(|at| Timestamp::from_second(at).ok());
                moment.map_or(Value::Null, |at| Value::from(at.to_string()))
            }
            _ => Value::Null,
        })
    }
}

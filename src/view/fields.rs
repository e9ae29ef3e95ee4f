//! Values of fields for filters, sorting and templates.

use jiff::Timestamp;
use serde_json::Value;

use super::{Entry, View};
use crate::cache::Result;
use crate::signals::fields::{Date, Field, Kind, Number};

impl View<'_> {
    /// Returns the value of a numeric field.
    pub fn number(&self, entry: &Entry, number: Number) -> Result<f64> {
        let row = &entry.row;
        let value = match number {
            Number::Rating(rating) => f64::from(rating.of(&row.ratings)),
            Number::Length => f64::from(row.length),
            Number::Degree => f64::from(self.degree(entry)?),
            Number::Signal(signal) => self.signal(entry, signal)?,
        };
        // Values are stored as `f32`; rounding to six digits prints 0.7 as 0.7.
        Ok((value * 1e6).round() / 1e6)
    }

    /// Returns the value of a date field, in seconds since 1970.
    pub fn moment(&self, entry: &Entry, date: Date) -> Result<Option<i64>> {
        let row = &entry.row;
        Ok(match date {
            Date::Created => Some(row.created),
            Date::Updated => Some(row.updated_or_saved()),
            Date::ValidUntil => (row.expires < i64::MAX).then_some(row.expires - 1),
            Date::Accessed => self.usage(entry)?.last_accessed,
            Date::Used => Some(self.last_used(entry)?),
        })
    }

    /// Returns the value of a field for which [`Field::is_value`] holds, as in JSON records.
    pub fn field(&self, entry: &Entry, field: &Field) -> Result<Value> {
        Ok(match field.kind {
            Kind::Number(number) => {
                let value = self.number(entry, number)?;
                if number.is_count() {
                    Value::from(value as u64)
                } else {
                    Value::from(value)
                }
            }
            Kind::Date(date) => {
                let moment = self.moment(entry, date)?;
                let moment = moment.and_then(|at| Timestamp::from_second(at).ok());
                moment.map_or(Value::Null, |at| Value::from(at.to_string()))
            }
            _ => Value::Null,
        })
    }
}

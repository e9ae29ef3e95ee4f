//! Values of settings: parsing, validation and output.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Value;

/// Ranges of non-negative and positive numbers.
pub const AMOUNT: RangeInclusive<f64> = 0.0..=1e6;
pub const POSITIVE: RangeInclusive<f64> = 0.001..=1e6;

/// Accepted values of a [`bool`].
pub const BOOLEAN: &str = "true or false";

/// The accepted values of a setting of type `T`.
pub trait Domain<T> {
    /// Returns a description for messages.
    fn takes(&self) -> String;

    /// Parses `value`; `None` if it is not accepted.
    fn read(&self, value: &Value) -> Option<T>;

    /// Returns `value` as written in a settings file.
    fn write(&self, value: &T) -> Value;

    /// Whether messages must hide rejected values, which may be secrets.
    fn is_secret(&self) -> bool {
        false
    }
}

/// Returns `value` in canonical form: `"1h 30m"` for `"90 minutes"`. `None` if it is not accepted.
pub fn canonical<T>(domain: &dyn Domain<T>, value: &Value) -> Option<Value> {
    let read = domain.write(&domain.read(value)?);
    Some(match (value, read) {
        // Conversion through `f32` must not change the digits that are shown.
        (Value::Float(said), Value::Float(read)) if (said - read).abs() < 1e-6 => {
            Value::Float(*said)
        }
        (_, read) => read,
    })
}

fn plain(value: &impl Serialize) -> Value {
    Value::try_from(value).expect("settings are plain values")
}

/// Every value that serde parses as a `T`, with names in any case. The string describes them.
impl<T: Serialize + DeserializeOwned> Domain<T> for &str {
    fn takes(&self) -> String {
        (*self).to_owned()
    }

    fn read(&self, value: &Value) -> Option<T> {
        let lower_case = || Some(value.as_str()?.to_lowercase().into());
        let read = value.clone().try_into().ok();
        read.or_else(|| Value::try_into(lower_case()?).ok())
    }

    fn write(&self, value: &T) -> Value {
        plain(value)
    }
}

/// The numbers of a range.
impl<T: Serialize + DeserializeOwned + PartialOrd + Display> Domain<T> for RangeInclusive<T> {
    fn takes(&self) -> String {
        format!("a number from {} to {}", self.start(), self.end())
    }

    fn read(&self, value: &Value) -> Option<T> {
        let number = value.clone().try_into().ok();
        number.filter(|number| self.contains(number))
    }

    fn write(&self, value: &T) -> Value {
        // An `f32` as `f64` has more digits than anybody wrote: 0.20000000298023224.
        let shortest = value.to_string().parse().map(Value::Float);
        match plain(value) {
            Value::Float(float) => shortest.unwrap_or(Value::Float(float)),
            plain => plain,
        }
    }
}

/// Texts that a predicate accepts.
#[derive(Debug)]
pub struct TextDomain {
    takes: &'static str,
    is_taken: fn(&str) -> bool,
    is_secret: bool,
}

/// Returns the texts that `is_taken` accepts; `takes` describes them.
pub fn text(takes: &'static str, is_taken: fn(&str) -> bool) -> TextDomain {
    TextDomain {
        takes,
        is_taken,
        is_secret: false,
    }
}

/// Returns such texts, whose rejected values may be secrets.
pub fn secret(takes: &'static str, is_taken: fn(&str) -> bool) -> TextDomain {
    TextDomain {
        is_secret: true,
        ..text(takes, is_taken)
    }
}

impl Domain<String> for TextDomain {
    fn takes(&self) -> String {
        self.takes.to_owned()
    }

    fn read(&self, value: &Value) -> Option<String> {
        let text = value.as_str().filter(|text| (self.is_taken)(text));
        text.map(str::to_owned)
    }

    fn write(&self, value: &String) -> Value {
        value.as_str().into()
    }

    fn is_secret(&self) -> bool {
        self.is_secret
    }
}

/// Texts of a type with `FromStr` and `Display`.
#[derive(Debug)]
pub struct ParsedText<S>(pub S);

impl<T: FromStr + Display, S: AsRef<str>> Domain<T> for ParsedText<S> {
    fn takes(&self) -> String {
        self.0.as_ref().to_owned()
    }

    fn read(&self, value: &Value) -> Option<T> {
        value.as_str()?.parse().ok()
    }

    fn write(&self, value: &T) -> Value {
        value.to_string().into()
    }
}

/// Seconds up to a day, with fractions.
#[derive(Debug)]
pub struct Seconds;

impl Domain<Duration> for Seconds {
    fn takes(&self) -> String {
        "seconds, like 60 or 0.5".to_owned()
    }

    fn read(&self, value: &Value) -> Option<Duration> {
        let seconds: Option<f64> = (0.001..=86_400.0).read(value);
        seconds.map(Duration::from_secs_f64)
    }

    fn write(&self, value: &Duration) -> Value {
        if value.subsec_nanos() == 0 {
            plain(&value.as_secs())
        } else {
            value.as_secs_f64().into()
        }
    }
}

/// Returns the names in a list: `a, b`.
pub fn names(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split(',').map(str::trim);
    names.filter(|name| !name.is_empty())
}

/// Whether `name` is an environment variable name or empty.
pub fn is_variable(name: &str) -> bool {
    let has_valid_start = !name.starts_with(|c: char| c.is_ascii_digit());
    has_valid_start && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

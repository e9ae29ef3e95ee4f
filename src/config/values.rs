//! Kinds of values that settings of several owners have, as serde reads and writes them.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde::de::value::StringDeserializer;
use serde::de::{Error, IntoDeserializer as _};
use serde::{Deserialize, Deserializer};

/// Reads a name of an enum in any case.
pub fn any_case<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?.to_lowercase();
    let name: StringDeserializer<D::Error> = name.into_deserializer();
    T::deserialize(name)
}

/// Reads a number in `range`.
pub fn within<'de, D, T>(deserializer: D, range: RangeInclusive<T>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + PartialOrd + Display,
{
    let number = T::deserialize(deserializer)?;
    let (least, most) = (range.start(), range.end());
    if range.contains(&number) {
        Ok(number)
    } else {
        Err(Error::custom(format!(
            "{number} is not from {least} to {most}"
        )))
    }
}

/// Reads a share, 0–1.
pub fn share<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + PartialOrd + Display + From<u8>,
{
    within(deserializer, T::from(0)..=T::from(1))
}

/// What [`share`], [`amount`] and [`positive`] take, for messages.
pub const SHARE: &str = "a number from 0 to 1";
pub const AMOUNT: &str = "a number from 0 to 1000000";
pub const POSITIVE: &str = "a number from 0.001 to 1000000";

/// Reads a number that may be large.
pub fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    within(deserializer, 0.0..=1e6)
}

/// Reads such a number that is not 0.
pub fn positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    within(deserializer, 0.001..=1e6)
}

/// Returns the names in a list of them: `a, b`.
pub fn names(list: &str) -> impl Iterator<Item = &str> {
    let names = list.split(',').map(str::trim);
    names.filter(|name| !name.is_empty())
}

/// Reads the name of an environment variable, or nothing.
pub fn variable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    let begins_well = !name.starts_with(|c: char| c.is_ascii_digit());
    if begins_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(name)
    } else {
        Err(Error::custom("not the name of a variable"))
    }
}

/// A value that is written as a text of its own.
pub mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        value: &impl Display,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, D, T>(deserializer: D) -> Result<T, D::Error>
    where
        D: Deserializer<'de>,
        T: FromStr<Err: Display>,
    {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A number of seconds up to a day, whole or not.
pub mod seconds {
    use std::time::Duration;

    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        if time.subsec_nanos() == 0 {
            serializer.serialize_u64(time.as_secs())
        } else {
            serializer.serialize_f64(time.as_secs_f64())
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        super::within(deserializer, 0.001..=86_400.0).map(Duration::from_secs_f64)
    }
}

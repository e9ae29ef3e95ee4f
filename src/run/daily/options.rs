//! The settings of notes of a day.

use jiff::civil::date;
use jiff::fmt::strtime;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use crate::config::{Key, Section, Trust};

/// Where the note of a day is and what it begins with; what is empty is as Obsidian is told in
/// `.obsidian/daily-notes.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct DailyOptions {
    pub folder: String,
    /// In the language of `strftime`.
    #[serde(deserialize_with = "name")]
    pub name: String,
    /// A note whose text a new one begins with.
    pub template: String,
}

/// Reads a name by which days can be told apart, or nothing.
fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    // They differ in year, month, day and weekday.
    let days = [date(2001, 2, 3), date(2022, 11, 15)];
    let [one, other] = days.map(|day| strtime::format(&name, day).map_err(Error::custom));
    if name.is_empty() || one? != other? {
        Ok(name)
    } else {
        Err(Error::custom("no part of it is a date, like `%Y-%m-%d`"))
    }
}

impl Section for DailyOptions {
    const NAME: &'static str = "daily";

    fn keys() -> Vec<Key> {
        vec![
            Key::new(
                "folder",
                Trust::Sets,
                "a folder inside the vault",
                "folder for notes of a day; empty for what Obsidian is told, else the root",
            ),
            Key::new(
                "name",
                Trust::Sets,
                "a path like \"%Y/%Y-%m-%d\", in the language of `date`",
                "name of notes of a day; empty for what Obsidian is told, else \"%Y-%m-%d\"",
            ),
            Key::new(
                "template",
                Trust::Sets,
                "a note of the vault",
                "what a new note of a day begins with; empty for what Obsidian is told, else nothing",
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_which_day() {
        for (name, is_valid) in [
            ("", true),
            ("%Y-%m-%d", true),
            ("log/%A %d", true),
            ("%F", true),
            ("YYYY-MM-DD", false),
            ("today", false),
            ("100%%", false),
            ("%Q", false),
        ] {
            let options = serde_json::from_value::<DailyOptions>(serde_json::json!({"name": name}));
            assert_eq!(options.is_ok(), is_valid, "{name}");
        }
    }
}

//! Settings of daily notes.

use jiff::civil::date;
use jiff::fmt::strtime;

use crate::config::{section, values};

section! {
    /// Path and template of daily notes; empty values default to Obsidian's settings in
    /// `.obsidian/daily-notes.json`.
    #[derive(Eq)]
    pub struct DailyOptions: "daily", everyday [folder, name, template] {
        /// folder for daily notes; empty for Obsidian's setting, else the root
        folder: String, "a folder inside the vault";
        /// name of daily notes; empty for Obsidian's setting, else "%Y-%m-%d"
        name: String, values::text("a path like \"%Y/%Y-%m-%d\", in the language of `date`", is_date_name);
        /// template of daily notes; empty for Obsidian's setting, else none
        template: String, "a note of the vault";
    }
}

/// Whether `name` is a `strftime` format that differs for each day, or empty.
fn is_date_name(name: &str) -> bool {
    // Year, month, day and weekday differ.
    let days = [date(2001, 2, 3), date(2022, 11, 15)];
    let [one, other] = days.map(|day| strtime::format(name, day).ok());
    name.is_empty() || one.is_some() && other.is_some() && one != other
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_must_differ_each_day() {
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
            assert_eq!(is_date_name(name), is_valid, "{name}");
        }
    }
}

//! The settings of notes of a day.

use jiff::civil::date;
use jiff::fmt::strtime;

use crate::config::{section, values};

section! {
    /// Where the note of a day is and what it begins with; what is empty is as Obsidian is told in
    /// `.obsidian/daily-notes.json`.
    #[derive(Eq)]
    pub struct DailyOptions: "daily" {
        /// folder for notes of a day; empty for what Obsidian is told, else the root
        folder: String, "a folder inside the vault";
        /// name of notes of a day; empty for what Obsidian is told, else "%Y-%m-%d"
        name: String, values::text("a path like \"%Y/%Y-%m-%d\", in the language of `date`", is_date_name);
        /// what a new note of a day begins with; empty for what Obsidian is told, else nothing
        template: String, "a note of the vault";
    }
}

/// Returns whether days can be told apart by this name, in the language of `strftime`, or it is empty.
fn is_date_name(name: &str) -> bool {
    // They differ in year, month, day and weekday.
    let days = [date(2001, 2, 3), date(2022, 11, 15)];
    let [one, other] = days.map(|day| strtime::format(name, day).ok());
    name.is_empty() || one.is_some() && other.is_some() && one != other
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
            assert_eq!(is_date_name(name), is_valid, "{name}");
        }
    }
}

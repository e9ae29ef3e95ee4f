//! The query language of `search`, `recall`, `list`, `--where`, rules and `review`.
//!
//! | syntax | meaning |
//! |---|---|
//! | `tea pot` | both words |
//! | `"green tea"` | exactly these words and signs, in any case |
//! | `migr*` | words with this prefix |
//! | `tea OR coffee`, `(tea OR coffee) cup` | at least one of them; `AND` is optional |
//! | `-milk`, `NOT milk`, `-(milk OR sugar)` | without |
//! | `tag:garden`, `created:<30d`, … | a field; [`crate::signals::fields`] lists all |
//! | `status:draft`, `priority:>=2`, `due:<2026-06` | any other property |
//! | `@open` | the query saved under this name |
//! | `sort:created`, `sort:-length` | the sort order; no condition |
//! | `\OR`, `\-5` | the rest of the word, literally |
//!
//! Comparisons treat a period as a whole: `created:>2026-05` begins in June. An age compares how old a note
//! is: `created:<30d` is younger, and `created:30d` is `<=30d`. Relative dates are resolved when the query is
//! parsed; the clock is a parameter.
//!
//! Parsing never fails. Text that cannot be syntax (an address, a time of day, a lone `-`, an invalid date)
//! becomes words, and a [`Hint`] reports the probable intent.

mod expr;
mod parse;
mod period;
mod syntax;

use jiff::Zoned;

pub use self::expr::{
    Comparison, Expr, Feature, Filter, Hint, PropertyValue, Query, STATES, SavedQueryMap, State,
    TextParts,
};
pub use self::period::{Period, ago};

pub use self::syntax::is_saved_name;

/// Parses `text`; relative dates count from `now`, and days begin at midnight in its time zone.
pub fn parse(text: &str, now: &Zoned) -> Query {
    parse::parse(text, now, None)
}

/// Returns the conditions of `text` that a note must all meet, as written.
pub fn members(text: &str) -> Vec<&str> {
    // The extent of a condition does not depend on the date.
    parse::members(text, &Zoned::default())
}

/// As [`parse`], with `@name` expanded from `saved`.
pub fn parse_with(text: &str, now: &Zoned, saved: &SavedQueryMap) -> Query {
    parse::parse(text, now, Some(saved))
}

//! The query language of `search`, `recall`, `list`, `--where`, rules and `review`.
//!
//! | written | means |
//! |---|---|
//! | `tea pot` | both words |
//! | `"green tea"` | these words, beside each other |
//! | `migr*` | words that begin so |
//! | `tea OR coffee`, `(tea OR coffee) cup` | one of them; `AND` may be written, too |
//! | `-milk`, `NOT milk`, `-(milk OR sugar)` | without |
//! | `tag:garden`, `created:<30d`, … | by a field; [`crate::signals::fields`] has them all |
//! | `status:draft`, `priority:>=2`, `due:<2026-06` | by any other property |
//! | `@open` | what is saved under this name |
//! | `@lists/Books.base`, `@"My books.base#To read"` | the filters of this base, of this view of it ([`base`]) |
//! | `sort:created`, `sort:-length` | in this order, which is no condition |
//! | `\OR`, `\-5` | the rest of the word as it stands |
//!
//! A comparison with a period is with all of it: `created:>2026-05` begins in June. With an age it is
//! with how old a note is: `created:<30d` is younger, and `created:30d` is `<=30d`. Relative
//! dates are resolved when the query is read; the clock comes in as a value.
//!
//! Reading never fails. What cannot be meant as syntax (an address, a time of day, a lone `-`, a
//! date that is none) is read as words, and a [`Hint`] says what was probably meant.

pub mod base;
mod expr;
mod parse;
mod period;
mod syntax;

use jiff::Zoned;

pub use self::expr::{
    Comparison, Expr, Feature, Filter, Hint, Query, STATES, Saved, State, TextParts, Value,
};
pub use self::period::{Period, ago};

pub use self::syntax::is_saved_name;

/// Reads `text`; relative dates count from `now` and days begin at its midnight.
pub fn parse(text: &str, now: &Zoned) -> Query {
    parse::parse(text, now, None)
}

/// As [`parse`], where `@name` stands for what is saved under it.
pub fn parse_with(text: &str, now: &Zoned, saved: &Saved) -> Query {
    parse::parse(text, now, Some(saved))
}

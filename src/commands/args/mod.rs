//! Parsing of arguments, and lookup of the notes, runs and values they name.

pub(crate) mod by_hand;
pub(crate) mod candidates;
pub(crate) mod choice;
pub(crate) mod destination;
pub(crate) mod editor;
pub(crate) mod given_text;
pub(crate) mod note_lookup;
pub(crate) mod prompt;
pub(crate) mod property_value;
pub(crate) mod query_args;
pub(crate) mod row_args;
pub(crate) mod touch;

//! Parsing of arguments, and lookup of the notes, runs and values they name.

pub(crate) mod candidates;
pub(crate) mod change_report;
pub(crate) mod choice;
pub(crate) mod destination;
pub(crate) mod editor;
pub(crate) mod note_lookup;
pub(crate) mod output_rows;
pub(crate) mod prompt;
pub(crate) mod property_value;
pub(crate) mod query_args;
pub(crate) mod secret_check;
pub(crate) mod text_input;
pub(crate) mod usage_flag;
pub(crate) mod vaults;

//! One file per subcommand: its arguments, whose doc comments are the help, and what it does.

pub(crate) mod args;
pub mod reading;
mod render;
pub mod setup;
pub mod upkeep;
pub mod writing;

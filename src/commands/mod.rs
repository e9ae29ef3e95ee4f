//! One file per subcommand: its arguments, whose doc comments are the help, and what it does.

pub mod completions;
pub mod dedupe;
pub mod history;
pub mod index;
pub mod init;
pub mod list;
pub mod man;
mod note_record;
mod queried;
pub mod remember;
mod render;
pub mod review;
pub mod search;
pub mod show;
pub mod sleep;
pub mod status;
pub mod undo;
mod which_note;

//! Commands that change notes for a person or an agent.

pub mod append;
pub mod confirm;
pub mod daily;
pub mod edit;
pub(crate) mod from_template;
pub mod import;
pub mod merge;
pub mod mv;
mod mv_folder;
pub(crate) mod mv_section;
pub mod new;
pub mod reinforce;
pub mod remember;
pub mod remember_args;
pub mod remember_lines;
pub mod restore;
pub mod rm;
pub mod tag;
pub mod trash;
pub mod undo;

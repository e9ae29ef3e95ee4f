//! Commands that read notes.

pub mod extract;
pub mod graph;
pub mod list;
mod missing_notes;
pub mod outline;
pub mod pick;
pub mod recall;
pub mod related;
pub mod resurface;
pub(crate) mod saved_queries;
pub mod search;
pub mod show;
pub mod tasks;
pub mod timeline;
pub mod why;

//! Maintenance over time: runs of jobs, sleeps, their records and reports, timers, and watching for
//! edits.

pub mod adapters;
pub mod answers;
pub mod attention;
pub mod completion;
pub mod daily;
pub mod doctor;
pub mod history;
pub mod import;
pub mod interrupt;
pub mod judge;
pub mod lookup;
pub mod options;
pub mod plan;
mod prelude;
pub mod presets;
pub mod remember;
pub mod report;
pub mod review;
pub mod rules;
pub mod sleep;
pub mod status;
pub mod sync;
pub mod template;
pub mod trash;
pub mod undo;
pub mod watch;

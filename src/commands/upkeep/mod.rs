//! Commands that maintain a vault: jobs, schedule, review, history, caches.

pub mod doctor;
pub mod history;
pub mod history_purge;
pub mod index;
pub mod job;
pub mod judge;
pub(crate) mod maintenance;
pub mod merge_file;
pub mod review;
pub mod rules;
pub mod score;
pub mod settle;
pub mod sleep;
pub mod status;
pub mod sync;
pub mod watch;

//! What happens over time: which jobs are due, how what they propose is sorted by one policy, the record of it,
//! and the notes as people change them.

pub mod hourly;
pub mod in_use;
pub mod job;
pub mod options;
pub mod policy;
pub mod queue;
pub mod record;
pub mod schedule;
pub mod state;
pub mod watch;

//! What happens over time: jobs run, their proposals sorted by one policy, and the record of it.

pub mod busy;
pub mod hourly;
pub mod job;
pub mod policy;
pub mod queue;
pub mod record;
pub mod schedule;
pub mod state;

//! From what a job finds to what is applied: findings in a queue, policy, plan, groups of changes.

pub mod apply;
pub mod in_use;
pub mod job;
pub mod open;
pub mod perform;
pub mod policy;
pub mod queue;

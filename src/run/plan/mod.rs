//! The pipeline from findings to applied changes: queue, policy, plan, groups of changes.

pub mod apply;
pub mod in_use;
pub mod job;
pub mod open;
pub mod open_conflicts;
pub mod perform;
pub mod policy;
pub mod queue;

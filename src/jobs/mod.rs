//! The maintenance jobs: each looks at a view and proposes groups of changes.
//!
//! A job is pure: same view, answers and options, same proposals. It touches no file and asks
//! nobody; `run` decides what is applied and what waits for an answer.

pub mod dedupe;
pub mod doctor;

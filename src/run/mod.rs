//! What happens over time: one run of one job, a sleep of all that are due, the record and the reports of
//! them, other programs that start or keep them, and the notes as people change them.

pub mod adapters;
pub mod answers;
pub mod apply;
pub mod attention;
pub mod commit;
pub mod copy;
pub mod daily;
pub mod in_use;
pub mod job;
pub mod judge;
pub mod open;
pub mod options;
pub mod perform;
pub mod policy;
pub mod presets;
pub mod queue;
pub mod record;
pub mod remember;
pub mod report;
pub mod rules;
pub mod schedule;
pub mod score;
pub mod settle;
pub mod signals;
pub mod sleep;
pub mod state;
pub mod status;
pub mod step;
pub mod template;
pub mod watch;

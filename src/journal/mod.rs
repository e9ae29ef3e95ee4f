//! What was decided and cannot be derived from the notes: one folder per device inside the vault.
//!
//! ```text
//! .mem/journal/<device>/decisions.jsonl    answers
//! .mem/journal/<device>/opinions.jsonl     what judges answered
//! .mem/journal/<device>/facts.jsonl        what judges read out of notes
//! .mem/journal/<device>/edges.jsonl        where relations come from
//! .mem/journal/<device>/usage.jsonl        what was learned of notes from their use
//! .mem/journal/<device>/moves.jsonl        what became of notes
//! .mem/journal/<device>/adopted.jsonl      since when notes are known
//! <state home>/mem/<vault>/events          uses of notes, not taken in yet
//! ```
//!
//! Each device appends only to its own files, so that git or a sync tool merges by union; what holds
//! is the fold over all devices. Losing the journal costs no knowledge.

pub mod adoption;
pub mod check;
pub mod decisions;
pub mod device;
pub mod events;
pub mod facts;
mod lines;
pub mod moves;
pub mod opinions;
pub mod provenance;
pub mod tally;
pub mod usage;

pub use lines::{Record, append, bytes};

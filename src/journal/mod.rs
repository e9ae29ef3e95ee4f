//! What was decided and cannot be derived from the notes: one folder per device inside the vault.
//!
//! ```text
//! .mem/journal/<device>/decisions.jsonl    answers
//! .mem/journal/<device>/edges.jsonl        where relations come from
//! ```
//!
//! Each device appends only to its own files, so that git or a sync tool merges by union; what holds
//! is the fold over all devices. Losing the journal costs no knowledge.

pub mod check;
pub mod decisions;
pub mod device;
mod lines;
pub mod provenance;

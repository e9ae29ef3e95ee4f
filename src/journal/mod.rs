//! What was decided and cannot be derived from the notes: one folder per device inside the vault.
//!
//! ```text
//! .mem/journal/<device>/decisions.jsonl
//! ```
//!
//! Each device appends only to its own files, so that git or a sync tool merges by union; what holds
//! is the fold over all devices. Losing the journal costs no knowledge.

pub mod decisions;
pub mod device;
